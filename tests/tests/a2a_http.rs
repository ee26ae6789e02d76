//! A2A over HTTP connections: the handed cases C-68 to C-82, and what HTTP
//! adds to them.

use agentmote::a2a::{Agent, Caller, CardKind, Page, Section};
use agentmote::mcp::{Device, Identity};
use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, Presented, Server};
use agentmote::task::Principal;
use agentmote::time::Instant;
use agentmote_tests::a2a::{CARD, Script, World, at_once, message, old_message, request};
use agentmote_tests::peer::{Answer, answers};
use serde_json::{Value, json};

static DEVICE: Device<Script> = Device::new(Identity::new("arm-7", "0.1.0"), &[]);

/// Two tenants, by their keys.
fn callers(credential: Presented<'_>) -> Option<Caller<'static>> {
    let tenant = match credential {
        Presented::Bearer(b"key-of-lab-a") => 1,
        Presented::ApiKey(b"key-of-lab-b") => 2,
        _ => return None,
    };
    Some(Caller {
        principal: Principal {
            id: 7,
            tenant,
            scopes: 0,
        },
        tenant: "",
        known: true,
    })
}

fn anyone(_: Presented<'_>) -> Option<Caller<'static>> {
    Some(Caller::default())
}

/// A device with connections.
struct Web {
    server: Server<Script>,
    desk: AgentDesk<'static, Script>,
    now: u64,
    /// Bytes taken and given at a time.
    cut: usize,
}

type Wire<'m> = Http<'m>;
type Memory = HttpMemory<2048, 512>;

impl Web {
    fn new(callers: fn(Presented<'_>) -> Option<Caller<'static>>) -> Self {
        Self::with(Agent::new(CARD), callers)
    }

    fn with(agent: Agent<Script>, callers: fn(Presented<'_>) -> Option<Caller<'static>>) -> Self {
        let world = World::new::<8>();
        Self {
            server: Server::new(&DEVICE, Script::default()),
            desk: AgentDesk {
                agent: Box::leak(Box::new(agent)),
                tasks: world.tasks,
                callers,
            },
            now: 0,
            cut: 4096,
        }
    }

    /// Offers bytes and gives what comes back at this moment.
    fn offer(&mut self, http: &mut Wire<'_>, bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        let mut rest = bytes;
        loop {
            let part = &rest[..rest.len().min(self.cut)];
            let taken = http.receive(part);
            rest = &rest[taken..];
            let mut out = vec![0; self.cut];
            let now = Instant::from_millis(self.now);
            let n = http.poll_agent(&mut self.server, &mut self.desk, now, &mut out);
            all.extend_from_slice(&out[..n]);
            if taken == 0 && n == 0 {
                return all;
            }
        }
    }

    /// Sends bytes and gives what comes back within a virtual hour.
    fn send(&mut self, http: &mut Wire<'_>, bytes: &[u8]) -> Vec<u8> {
        let mut all = self.offer(http, bytes);
        let end = self.now + 3_600_000;
        while let Some(wake) = http.wake_agent(&self.desk) {
            self.now = wake.as_millis().max(self.now + 1);
            if self.now > end {
                break;
            }
            all.extend(self.offer(http, b""));
        }
        all
    }

    /// One request on a connection of its own.
    #[track_caller]
    fn ask(&mut self, bytes: &[u8]) -> Answer {
        let mut memory = Memory::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
        if !self.desk.agent.pages.is_empty() {
            http = http.with_pages();
        }
        let bytes = self.send(&mut http, bytes);
        let mut all = answers(&bytes);
        assert_eq!(all.len(), 1, "{}", String::from_utf8_lossy(&bytes));
        all.remove(0)
    }

    /// A request of 1.x; gives its JSON.
    #[track_caller]
    fn v1(&mut self, body: &str) -> Value {
        let answer = self.ask(&post("A2A-Version: 1.0\r\n", body));
        assert_eq!(answer.status, 200);
        body_of(&answer)
    }

    #[track_caller]
    fn call(&mut self, method: &str, params: &str) -> Value {
        self.v1(&request(method, params))
    }
}

fn post(fields: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /a2a HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\n\
         Accept: application/json\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn get(path: &str, fields: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n").into_bytes()
}

#[track_caller]
fn body_of(answer: &Answer) -> Value {
    assert_eq!(answer.field("content-type"), Some("application/json"));
    serde_json::from_slice(&answer.body).expect("JSON")
}

#[track_caller]
fn code(response: &Value) -> i64 {
    response["error"]["code"].as_i64().expect("an error")
}

fn is_timestamp(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    shape == "0000-00-00T00:00:00.000Z"
}

fn has_kind(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.contains_key("kind") || members.values().any(has_kind),
        Value::Array(elements) => elements.iter().any(has_kind),
        _ => false,
    }
}

/// As the case sends it: the same bytes, the host apart.
const C_68: &str = r#"{"jsonrpc":"2.0","id":"a1","method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"home the arm"}]}}}"#;

#[test]
fn c_68_plain_task() {
    let mut web = Web::new(anyone);
    web.desk
        .tasks
        .set_clock(1_796_028_272_597, Instant::from_millis(0));
    let answer = web.v1(C_68);
    assert_eq!(answer["id"], "a1");
    let status = &answer["result"]["task"]["status"];
    assert!(status["state"].as_str().unwrap().starts_with("TASK_STATE_"));
    assert!(is_timestamp(status["timestamp"].as_str().unwrap()));
    assert!(!has_kind(&answer));
}

#[test]
fn c_70_task_id_made_up_by_the_client() {
    let mut web = Web::new(anyone);
    web.v1(C_68);
    let begun = web.server.app.begun;
    let total = |web: &mut Web| web.call("ListTasks", "{}")["result"]["totalSize"].clone();
    let before = total(&mut web);
    let body = r#"{"jsonrpc":"2.0","id":72,"method":"SendMessage","params":{"message":{"messageId":"m-3","role":"ROLE_USER","parts":[{"text":"home the arm"}],"taskId":"no-such-task"}}}"#;
    assert_eq!(code(&web.v1(body)), -32001);
    assert_eq!(total(&mut web), before);
    assert_eq!(web.server.app.begun, begun);
}

#[test]
fn c_71_history_length_zero() {
    let mut web = Web::new(anyone);
    let body = |id: u32, length: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":73,"method":"SendMessage","params":{{"message":{{"messageId":"m-4{id}","role":"ROLE_USER","parts":[{{"text":"home the arm"}}]}},"configuration":{{"historyLength":{length}}}}}}}"#
        )
    };
    let task = |answer: Value| answer["result"]["task"].clone();
    assert!(task(web.v1(&body(0, "0"))).get("history").is_none());
    let one = task(web.v1(&body(1, "1")));
    assert_eq!(one["history"].as_array().unwrap().len(), 1);
    assert_eq!(code(&web.v1(&body(2, "-1"))), -32602);
}

#[test]
fn c_73_page_size_out_of_bounds() {
    let mut web = Web::new(anyone);
    for params in [
        r#"{"pageSize":101}"#,
        r#"{"pageSize":-1}"#,
        r#"{"status":"working"}"#,
    ] {
        assert_eq!(code(&web.call("ListTasks", params)), -32602, "{params}");
    }
}

#[test]
fn c_74_protocol_version_header() {
    let mut web = Web::new(anyone);
    let body = r#"{"jsonrpc":"2.0","id":76,"method":"ListTasks","params":{}}"#;
    let mut ask = |fields: &str| body_of(&web.ask(&post(fields, body)));
    assert!(ask("A2A-Version: 1.0.9\r\n").get("result").is_some());
    for fields in ["A2A-Version: 2.0\r\n", "A2A-Version: \r\n", ""] {
        assert_eq!(code(&ask(fields)), -32009, "{fields}");
    }
    // A-084: in the query.
    let bytes = post("", body);
    let text = String::from_utf8(bytes).unwrap();
    let query = text.replace("/a2a HTTP", "/a2a/?x=1&A2A-Version=1.0 HTTP");
    assert!(body_of(&web.ask(query.as_bytes())).get("result").is_some());
    // D-004, as a choice of the build.
    let mut lenient = Agent::new(CARD);
    lenient.lenient_version = true;
    let mut web = Web::with(lenient, anyone);
    assert!(body_of(&web.ask(&post("", body))).get("result").is_some());
}

#[test]
fn c_76_the_same_message_twice() {
    let mut web = Web::new(anyone);
    let body = r#"{"jsonrpc":"2.0","id":78,"method":"SendMessage","params":{"message":{"messageId":"m-6","role":"ROLE_USER","parts":[{"text":"home the arm"}]}}}"#;
    let first = web.v1(body);
    let second = web.v1(body);
    assert_eq!(
        first["result"]["task"]["id"],
        second["result"]["task"]["id"]
    );
    assert_eq!(web.server.app.begun, 1);
}

#[test]
fn c_77_context_does_not_match_the_task() {
    let mut web = Web::new(anyone);
    let asked = web.call("SendMessage", &message("m-0", "calibrate"))["result"]["task"].clone();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":79,"method":"SendMessage","params":{{"message":{{"messageId":"m-7","role":"ROLE_USER","parts":[{{"text":"home the arm"}}],"taskId":{},"contextId":"other"}}}}}}"#,
        asked["id"]
    );
    assert_eq!(code(&web.v1(&body)), -32602);
    let same = web.call("GetTask", &format!("{{\"id\":{}}}", asked["id"]));
    assert_eq!(same["result"], asked);
}

#[test]
fn c_79_agent_card() {
    let mut web = Web::new(callers);
    let path = "/.well-known/agent-card.json";
    let card = web.ask(&get(path, ""));
    assert_eq!(card.status, 200);
    let json = body_of(&card);
    let first = &json["supportedInterfaces"][0];
    assert_eq!(first["url"], "https://arm-7.example/a2a/");
    assert_eq!(
        (&first["protocolBinding"], &first["protocolVersion"]),
        (&json!("JSONRPC"), &json!("1.0"))
    );
    assert_eq!(card.field("cache-control"), Some("public, max-age=3600"));
    let etag = card.field("etag").unwrap().to_owned();
    for list in [etag.clone(), format!("\"x\", W/{etag}"), "*".to_owned()] {
        let same = web.ask(&get(path, &format!("If-None-Match: {list}\r\n")));
        assert_eq!((same.status, same.body.len()), (304, 0));
        assert_eq!(same.field("etag"), Some(&*etag));
    }
    let other = web.ask(&get(path, "If-None-Match: \"x\"\r\n"));
    assert_eq!((other.status, other.body.clone()), (200, card.body.clone()));
    // HEAD has the fields alone; another method is named what there is.
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    let head = String::from_utf8(get(path, ""))
        .unwrap()
        .replace("GET", "HEAD");
    let bytes = web.send(&mut http, head.as_bytes());
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains(&format!("Content-Length: {}\r\n", card.body.len())));
    assert!(text.ends_with("\r\n\r\n"));
    let wrong = String::from_utf8(get(path, ""))
        .unwrap()
        .replace("GET", "DELETE");
    let wrong = web.ask(wrong.as_bytes());
    assert_eq!(
        (wrong.status, wrong.field("allow")),
        (405, Some("GET, HEAD"))
    );
    // V-015
    let old = body_of(&web.ask(&get("/.well-known/agent.json", "")));
    assert_eq!(old["protocolVersion"], "0.3.0");
}

/// A request without a body is whole with its head: nothing more needs to be
/// offered, whoever drives the connection.
#[test]
fn a_request_without_a_body_is_answered_by_the_next_poll() {
    let mut world = Web::new(anyone);
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    for path in ["/.well-known/agent-card.json", "/nothing"] {
        let asked = get(path, "");
        assert_eq!(http.receive(&asked), asked.len());
        let mut out = [0; 4096];
        let now = Instant::from_millis(world.now);
        let filled = http.poll_agent(&mut world.server, &mut world.desk, now, &mut out);
        let status = if path == "/nothing" { "404" } else { "200" };
        let begins = String::from_utf8_lossy(&out[..filled.min(12)]).into_owned();
        assert_eq!(begins, format!("HTTP/1.1 {status}"));
    }
}

#[test]
fn c_80_fields_from_the_future_and_the_past() {
    let mut web = Web::new(anyone);
    let body = r#"{"jsonrpc":"2.0","id":82,"method":"SendMessage","params":{"message":{"messageId":"m-8","role":"ROLE_USER","kind":"message","parts":[{"kind":"text","text":"status?","x":1}],"zz":[1,2]}}}"#;
    assert!(web.v1(body)["result"]["task"]["id"].is_string());
    let old = request("message/send", &old_message("m-9", "home"));
    assert_eq!(code(&web.v1(&old)), -32601);
}

#[test]
fn c_82_device_without_a_clock() {
    let mut web = Web::new(anyone);
    let mut ids = Vec::new();
    for at in 0..3 {
        let sent = web.call("SendMessage", &at_once(&format!("m-{at}"), "do wait"));
        assert!(sent["result"]["task"]["status"].get("timestamp").is_none());
        ids.push(sent["result"]["task"]["id"].clone());
    }
    // The first changes last.
    web.call("CancelTask", &format!("{{\"id\":{}}}", ids[0]));
    let listed = web.call("ListTasks", "{}");
    let order: Vec<_> = listed["result"]["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    assert_eq!(order[0], ids[0]);
    assert_eq!(order.len(), 3);
}

/// A-031 to A-034, A-215.
#[test]
fn what_http_refuses() {
    let mut web = Web::new(anyone);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let plain = text(post("", "{}")).replace("application/json", "text/plain");
    let answer = web.ask(plain.as_bytes());
    assert_eq!(answer.status, 415);
    assert!(serde_json::from_slice::<Value>(&answer.body).is_err());
    let other = web.ask(&get("/a2a", ""));
    assert_eq!((other.status, other.field("allow")), (405, Some("POST")));
    assert_eq!(web.ask(&get("/a2a/message/send", "")).status, 404);
    let long = web.ask(&post("", &" ".repeat(3000)));
    assert_eq!(long.status, 413);
    let host = text(post("", "{}")).replace("127.0.0.1:8080", "evil.example");
    assert_eq!(web.ask(host.as_bytes()).status, 403);
    // A-032: with and without the slash.
    let slash = text(post("A2A-Version: 1.0\r\n", C_68)).replace("/a2a HTTP", "/a2a/ HTTP");
    assert_eq!(web.ask(slash.as_bytes()).status, 200);
    // MCP is where it was.
    let mcp = text(post("", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)).replace("/a2a", "/mcp");
    assert_eq!(body_of(&web.ask(mcp.as_bytes()))["result"], json!({}));
    // Whoever serves no agent has none of its paths.
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
    let bytes = web.send(&mut http, &post("", C_68));
    assert_eq!(answers(&bytes)[0].status, 404);
}

/// A-195 to A-198, O-013, O-014, P-026 to P-029: two tenants, one device.
#[test]
fn tenants_do_not_see_each_other() {
    let mut web = Web::new(callers);
    let lab_a = "A2A-Version: 1.0\r\nAuthorization: Bearer key-of-lab-a\r\n";
    let lab_b = "A2A-Version: 1.0\r\nX-API-KEY: key-of-lab-b\r\n";
    let body = request("SendMessage", &message("m-1", "calibrate"));
    for fields in [
        "A2A-Version: 1.0\r\n",
        "Authorization: Bearer wrong\r\n",
        "X-API-Key: key-of-lab-a\r\n",
    ] {
        let refused = web.ask(&post(fields, &body));
        assert_eq!(refused.status, 401);
        assert_eq!(refused.field("www-authenticate"), Some("Bearer"));
    }
    assert_eq!(web.desk.tasks.count(), 0);
    let task = body_of(&web.ask(&post(lab_a, &body)))["result"]["task"].clone();
    for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
        let his = request(method, &format!("{{\"id\":{}}}", task["id"]));
        let none = request(method, "{\"id\":\"00000000000000000000000000000000\"}");
        assert_eq!(web.ask(&post(lab_b, &his)), web.ask(&post(lab_b, &none)));
    }
    let listed = body_of(&web.ask(&post(lab_b, &request("ListTasks", "{}"))));
    assert_eq!(listed["result"]["totalSize"], 0);
    let own = body_of(&web.ask(&post(lab_a, &request("ListTasks", "{}"))));
    assert_eq!(own["result"]["tasks"][0]["id"], task["id"]);
}

/// A-170, A-177, V-014: how a stream looks on the line.
#[test]
fn a_stream_is_lines_of_data_in_chunks() {
    for cut in [1, 7, 4096] {
        let mut web = Web::new(anyone);
        web.cut = cut;
        let mut memory = Memory::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
        let stream = request("SendStreamingMessage", &message("m-1", "home the arm"));
        let ping = request("GetTask", "{\"id\":\"x\"}");
        // The next request waits on the same connection.
        let mut bytes = post("A2A-Version: 1.0\r\n", &stream);
        let all = web.send(&mut http, &bytes);
        bytes = post("A2A-Version: 1.0\r\n", &ping);
        let rest = web.send(&mut http, &bytes);
        let both = answers(&[all, rest].concat());
        assert_eq!(both.len(), 2);
        assert_eq!(both[0].field("content-type"), Some("text/event-stream"));
        assert_eq!(both[0].field("cache-control"), Some("no-store"));
        let text = String::from_utf8(both[0].body.clone()).unwrap();
        let events: Vec<&str> = text.split_terminator("\n\n").collect();
        assert_eq!(events.len(), 4);
        for event in events {
            let json: Value = serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap();
            assert_eq!(json["id"], 1);
        }
        assert_eq!(code(&body_of(&both[1])), -32001);
        // An error before the first event.
        let mut ask =
            |fields: &str, method: &str| web.ask(&post(fields, &request(method, "{\"id\":\"x\"}")));
        let new = ask("A2A-Version: 1.0\r\n", "SubscribeToTask");
        assert_eq!(code(&body_of(&new)), -32001);
        let old = ask("", "tasks/resubscribe");
        assert_eq!(
            (old.status, old.field("content-type")),
            (200, Some("text/event-stream"))
        );
        let error = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"Task not found\"}}\n\n";
        assert_eq!(old.body, error.as_bytes());
    }
}

/// HTTP/1.0 has no chunks: the stream ends with the connection.
#[test]
fn a_stream_of_http_1_0_ends_with_the_connection() {
    let mut web = Web::new(anyone);
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    let stream = request("SendStreamingMessage", &message("m-1", "do it"));
    let bytes = post("A2A-Version: 1.0\r\n", &stream);
    let bytes = String::from_utf8(bytes)
        .unwrap()
        .replace("HTTP/1.1", "HTTP/1.0");
    let all = String::from_utf8(web.send(&mut http, bytes.as_bytes())).unwrap();
    assert!(http.is_closed());
    let (head, body) = all.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("Connection: close") && !head.contains("chunked"));
    assert!(body.starts_with("data: {") && body.ends_with("}\n\n"));
}

/// A-218, A-175: an answer that waits and a stream stall nobody, and a peer
/// that goes leaves its task.
#[test]
fn connections_do_not_wait_for_each_other() {
    let mut web = Web::new(anyone);
    let (mut first, mut second, mut third) = (Memory::new(), Memory::new(), Memory::new());
    let mut wait = Http::new(&mut first, HttpConfig::LOOPBACK).with_agent("/a2a");
    let mut stream = Http::new(&mut second, HttpConfig::LOOPBACK).with_agent("/a2a");
    let mut other = Http::new(&mut third, HttpConfig::LOOPBACK).with_agent("/a2a");
    let v1 = "A2A-Version: 1.0\r\n";
    let body = post(v1, &request("SendMessage", &message("m-1", "do wait")));
    assert_eq!(web.offer(&mut wait, &body), b"");
    let list = post(v1, &request("ListTasks", "{}"));
    let listed = body_of(&answers(&web.offer(&mut other, &list))[0]);
    let id = listed["result"]["tasks"][0]["id"].clone();
    let watch = post(v1, &request("SubscribeToTask", &format!("{{\"id\":{id}}}")));
    assert!(!web.offer(&mut stream, &watch).is_empty());
    // A peer that waited goes; the task does not.
    wait.hang_up(&mut web.server, Instant::from_millis(web.now));
    assert!(wait.is_closed());
    wait.open();
    let got = post(v1, &request("GetTask", &format!("{{\"id\":{id}}}")));
    let got = body_of(&answers(&web.offer(&mut other, &got))[0]);
    assert_eq!(got["result"]["status"]["state"], "TASK_STATE_WORKING");
    // What another does ends the stream.
    let cancel = post(v1, &request("CancelTask", &format!("{{\"id\":{id}}}")));
    let mut canceled = web.offer(&mut other, &cancel);
    web.now += 1;
    canceled.extend(web.offer(&mut other, b""));
    let canceled = body_of(&answers(&canceled)[0]);
    assert_eq!(canceled["result"]["status"]["state"], "TASK_STATE_CANCELED");
    let rest = String::from_utf8(web.offer(&mut stream, b"")).unwrap();
    assert!(rest.contains("TASK_STATE_CANCELED") && rest.ends_with("\r\n0\r\n\r\n"));
    assert!(stream.is_idle());
}

/// A stream that has nothing to say shows that it is there.
#[test]
fn a_quiet_stream_is_kept_alive() {
    let mut web = Web::new(anyone);
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    let stream = request("SendStreamingMessage", &message("m-1", "do ask"));
    let mut bytes = web.offer(&mut http, &post("A2A-Version: 1.0\r\n", &stream));
    for _ in 0..20_000 {
        web.now += 10;
        bytes.extend(web.offer(&mut http, b""));
    }
    let text = String::from_utf8(bytes).unwrap();
    let comments = text.matches("\r\n:\n\n\r\n").count();
    assert!((5..20).contains(&comments), "{comments} in 200 seconds");
    assert!(!http.is_closed() && !http.is_idle());
}

/// However a request is cut, and however little is taken at a time, the
/// answer is the same.
#[test]
fn cuts_do_not_matter() {
    let mut all = Vec::new();
    for cut in [1, 2, 3, 50, 4096] {
        let mut web = Web::new(callers);
        web.cut = cut;
        let fields =
            "A2A-Version: 1.0\r\nAuthorization: bearer key-of-lab-a\r\nA2A-Extensions: urn:x\r\n";
        let mut bytes = Vec::new();
        for (method, params) in [
            ("SendMessage", message("m-1", "do fail")),
            ("ListTasks", "{\"pageSize\":7}".to_owned()),
            ("GetTask", "{}".to_owned()),
        ] {
            let answer = web.ask(&post(fields, &request(method, &params)));
            let mut text = String::from_utf8(answer.body).unwrap();
            // Ids are random.
            while let Some(at) = text
                .find("\"id\":\"")
                .or_else(|| text.find("contextId\":\""))
            {
                let start = at + text[at..].find(":\"").unwrap() + 2;
                let id = text[start..start + 32].to_owned();
                text = text
                    .replace(&id, "")
                    .replace("\"id\":\"\"", "")
                    .replace("contextId\":\"\"", "");
            }
            bytes.push(text);
        }
        all.push(bytes);
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]));
}

/// A page of another origin may ask an agent where it may ask a tool server,
/// and only there.
#[test]
fn pages_of_allowed_origins_are_answered() {
    let config = HttpConfig {
        cors: true,
        ..HttpConfig::LOOPBACK
    };
    let mut web = Web::new(anyone);
    let mut ask = |config: HttpConfig, request: &[u8]| {
        let mut memory = Memory::new();
        let mut http = Http::new(&mut memory, config).with_agent("/a2a");
        let bytes = web.send(&mut http, request);
        answers(&bytes).remove(0)
    };
    const CARD: &str = "/.well-known/agent-card.json";
    let origin = "Origin: http://localhost:5173\r\n";
    for (path, methods, all) in [
        ("/a2a", "POST", "POST, OPTIONS"),
        ("/a2a/", "POST", "POST, OPTIONS"),
        (CARD, "GET, HEAD", "GET, HEAD, OPTIONS"),
        ("/mcp", "POST", "POST, OPTIONS"),
    ] {
        let preflight = String::from_utf8(get(path, &format!(
            "{origin}Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: a2a-version\r\n"
        )))
        .unwrap()
        .replace("GET", "OPTIONS");
        let answer = ask(config, preflight.as_bytes());
        let field = |name| answer.field(name);
        assert_eq!(answer.status, 204, "{path}");
        assert_eq!(
            field("access-control-allow-origin"),
            Some("http://localhost:5173")
        );
        assert_eq!(field("access-control-allow-methods"), Some(methods));
        assert_eq!(field("access-control-allow-headers"), Some("a2a-version"));
        assert_eq!(field("allow"), Some(all));
        // Not without CORS, and not from elsewhere.
        let answer = ask(HttpConfig::LOOPBACK, preflight.as_bytes());
        assert_eq!((answer.status, answer.field("allow")), (405, Some(methods)));
        assert_eq!(answer.field("access-control-allow-origin"), None);
        let evil = preflight.replace("localhost:5173", "evil.example");
        assert_eq!(ask(config, evil.as_bytes()).status, 403);
    }
    let body = request("GetTask", "{\"id\":\"ffff\"}");
    for request in [
        post(&format!("{origin}A2A-Version: 1.0\r\n"), &body),
        get(CARD, origin),
    ] {
        let answer = ask(config, &request);
        let field = |name| answer.field(name);
        assert_eq!(answer.status, 200);
        assert_eq!(
            field("access-control-allow-origin"),
            Some("http://localhost:5173")
        );
        assert_eq!(
            field("access-control-expose-headers"),
            Some("A2A-Extensions, ETag")
        );
        assert_eq!(field("vary"), Some("Origin"));
        let answer = ask(HttpConfig::LOOPBACK, &request);
        assert_eq!(answer.field("access-control-allow-origin"), None);
    }
}

/// O-001 to O-009: pages need no buffer of their size, text cannot leave its
/// place, and a wrong path says where to go.
#[test]
fn pages_are_the_same_however_little_is_taken() {
    const PAGES: &[Page<Script>] = &[
        Page::text("/docs", "text/html", |agent, out| {
            let section = Section {
                title: "<script>",
                text: "a & \"b\"",
                example: "<x>",
            };
            agent.write_guide(out, &[section]);
        }),
        Page::text("/docs.json", "application/json", |agent, out| {
            agent.write_description(out, &[("more", "[1]")]);
        }),
        Page::card("/a2a/card", CardKind::Old),
    ];
    let mut pages = Vec::new();
    for cut in [1, 7, 4096] {
        let mut agent = Agent::new(CARD);
        agent.pages = PAGES;
        let mut web = Web::with(agent, callers);
        web.cut = cut;
        let all: Vec<_> = ["/docs", "/docs.json", "/a2a/card", "/a2a/message/send"]
            .into_iter()
            .map(|path| {
                let answer = web.ask(&get(path, ""));
                (answer.status, String::from_utf8(answer.body).unwrap())
            })
            .collect();
        pages.push(all);
    }
    assert!(pages.windows(2).all(|two| two[0] == two[1]));
    let [docs, json, card, wrong] = &pages[0][..] else {
        panic!("four answers");
    };
    assert!(
        docs.1
            .contains("<h2>&lt;script&gt;</h2>\n<p>a &amp; &quot;b&quot;</p>")
    );
    assert!(docs.1.contains("<pre>&lt;x&gt;</pre>") && docs.1.contains("<p>Anyone.</p>"));
    assert!(docs.1.contains("<a href=\"/a2a/card\">"));
    let json: Value = serde_json::from_str(&json.1).unwrap();
    assert_eq!(
        (&json["endpoint"], &json["more"]),
        (&json!("/a2a/"), &json!([1]))
    );
    assert!(
        json["methods"]
            .as_array()
            .unwrap()
            .contains(&json!("tasks/get"))
    );
    // Skills that the card does not show are not told either.
    assert_eq!(json["skills"], json!(["calibrate", "home", "script"]));
    let card: Value = serde_json::from_str(&card.1).unwrap();
    assert_eq!(card["protocolVersion"], "0.3.0");
    let hint = "no such path\nJSON-RPC is POST /a2a/; the name of a method, such as message/send, \
                stands in its body.\nThere is GET /docs\nThere is GET /docs.json\n\
                The card is GET /a2a/card\n";
    assert_eq!((wrong.0, &*wrong.1), (404, hint));
}

/// A request without a body is answered without anything more arriving.
#[test]
fn a_request_without_a_body_waits_for_nothing() {
    for fields in ["", "Content-Length: 0\r\n"] {
        let mut web = Web::new(callers);
        let mut memory = Memory::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
        let request = get("/.well-known/agent-card.json", fields);
        assert_eq!(http.receive(&request), request.len());
        let mut out = [0; 4096];
        let now = Instant::from_millis(0);
        let filled = http.poll_agent(&mut web.server, &mut web.desk, now, &mut out);
        assert!(out[..filled].starts_with(b"HTTP/1.1 200 OK\r\n"));
    }
}
