//! The program `openoperator` from outside: O-001 to O-038 of the list of
//! requirements, over sockets, with the environment that a deployment sets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const KEY: &str = "kx-9f1c-secret-of-the-deployment";
const TOKEN: &str = "tx-77ab-token-of-the-training";
const URN: &str = "urn:openoperator:argus-supervisor:v1";

/// The program, and all that it has ever sent or printed.
struct Operator {
    child: Child,
    port: u16,
    sent: Mutex<Vec<u8>>,
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

fn command(env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openoperator"));
    for name in [
        "SPYNEL_AGENT_ZERO_API_KEY",
        "ARGUS_SUPERVISOR_ENABLED",
        "OPENTRAINING_A2A_URL",
        "OPENTRAINING_A2A_TOKEN",
        "OPENTRAINING_A2A_PROJECT",
    ] {
        command.env_remove(name);
    }
    command.envs(env.iter().copied());
    command
}

impl Operator {
    fn start(env: &[(&str, &str)]) -> Self {
        let mut child = command(env)
            .env("SPYNEL_AGENT_ZERO_API_KEY", KEY)
            .args(["--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        let rest = first.split_once("127.0.0.1:").expect("a port").1;
        let port = rest.split(' ').next().unwrap().parse().unwrap();
        let sent = Mutex::new(first.into_bytes());
        Self { child, port, sent }
    }

    fn argus() -> Self {
        Self::start(&[("ARGUS_SUPERVISOR_ENABLED", "1")])
    }

    fn ask(&self, request: &str, fields: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let length = if body.is_empty() {
            String::new()
        } else {
            format!(
                "Content-Type: application/json\r\nContent-Length: {}\r\n",
                body.len()
            )
        };
        let text = format!(
            "{request} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{fields}{length}Connection: close\r\n\r\n{body}",
            self.port
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        self.sent.lock().unwrap().extend_from_slice(&all);
        let at = all.windows(4).position(|four| four == b"\r\n\r\n");
        let at = at.unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(&all)));
        let head = String::from_utf8(all[..at].to_vec()).unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head,
            body: all[at + 4..].to_vec(),
        }
    }

    fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), "", "")
    }

    /// Calls a method, with the secret.
    fn call(&self, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": "rq-1", "method": method, "params": params});
        let answer = self.ask(
            "POST /a2a/",
            &format!("Authorization: Bearer {KEY}\r\n"),
            &body.to_string(),
        );
        assert_eq!(answer.status, 200, "{}", answer.text());
        let mut answer = answer.json();
        assert_eq!(answer["id"], "rq-1");
        answer["id"].take();
        answer
    }

    /// Sends an envelope of the supervision; gives the state and the data of
    /// its artifact or of its status.
    fn supervise(&self, envelope: Value) -> (String, Value) {
        self.supervise_with(&json!({"params": {}}), envelope)
    }

    fn supervise_with(&self, data: &Value, envelope: Value) -> (String, Value) {
        let task = &self.call("message/send", &supervision(data, envelope))["result"];
        assert_eq!(task["kind"], "task");
        let state = task["status"]["state"].as_str().unwrap().to_owned();
        let data = match &*state {
            "completed" => &task["artifacts"][0]["parts"][0],
            _ => {
                assert_eq!(task["artifacts"], Value::Null);
                &task["status"]["message"]["parts"][0]
            }
        };
        assert_eq!(data["kind"], "data", "{task}");
        (state, data["data"].clone())
    }

    /// Ends the program; gives all that it has sent or printed.
    fn end(mut self) -> String {
        self.child.kill().unwrap();
        let mut all = std::mem::take(&mut *self.sent.lock().unwrap());
        let child = &mut self.child;
        child.stdout.take().unwrap().read_to_end(&mut all).unwrap();
        child.stderr.take().unwrap().read_to_end(&mut all).unwrap();
        String::from_utf8(all).unwrap()
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn supervision(data: &Value, envelope: Value) -> Value {
    json!({
        "configuration": {"blocking": true, "acceptedOutputModes": ["application/json"]},
        "message": {
            "role": "user", "kind": "message", "messageId": "msg-77",
            "extensions": [URN], "metadata": {URN: envelope},
            "parts": [{"kind": "data", "data": data}],
        },
    })
}

fn text_message(id: &str, text: &str) -> Value {
    json!({"message": {"role": "user", "kind": "message", "messageId": id,
        "parts": [{"kind": "text", "text": text}]}})
}

fn ids(card: &Value) -> Vec<&str> {
    let skills = card["skills"].as_array().unwrap().iter();
    skills.map(|skill| skill["id"].as_str().unwrap()).collect()
}

/// O-001 to O-009, O-017.
#[test]
fn every_route_is_there_and_none_is_redirected() {
    let operator = Operator::argus();
    for (path, media) in [
        ("/health", "application/json"),
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/a2a.json", "application/json"),
        ("/a2a/.well-known/agent.json", "application/json"),
        ("/a2a/.well-known/agent-card.json", "application/json"),
        ("/a2a/docs", "text/html; charset=utf-8"),
    ] {
        let got = operator.get(path);
        assert_eq!((got.status, got.field("Content-Type")), (200, Some(media)));
        let head = operator.ask(&format!("HEAD {path}"), "", "");
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        assert_eq!(head.field("Content-Length"), got.field("Content-Length"));
        let post = operator.ask(&format!("POST {path}"), "", "{}");
        assert_eq!((post.status, post.field("Allow")), (405, Some("GET, HEAD")));
        if media == "application/json" {
            got.json();
        } else {
            let text = got.text();
            assert!(text.starts_with("<!doctype html>") && text.ends_with("</html>\n"));
            assert!(text.contains("POST /a2a/"), "{path}");
        }
    }
    assert_eq!(operator.get("/health").json()["status"], "ok");
    assert_eq!(operator.get("/docs/a2a.json").json()["endpoint"], "/a2a/");
    let card = operator.get("/a2a/.well-known/agent.json");
    let same = operator.get("/a2a/.well-known/agent-card.json");
    assert_eq!(card.body, same.body);
    let tag = card.field("ETag").unwrap();
    let again = operator.ask(
        "GET /a2a/.well-known/agent-card.json",
        &format!("If-None-Match: {tag}\r\n"),
        "",
    );
    assert_eq!((again.status, again.body.len()), (304, 0));
    let url = card.json()["url"].as_str().unwrap().to_owned();
    assert_eq!(url, format!("http://127.0.0.1:{}/a2a/", operator.port));

    // O-008: any verb, and the body says where to go.
    for path in [
        "/a2a/message/send",
        "/a2a/tasks/get",
        "/a2a/tasks/cancel",
        "/a2a/agent-card",
        "/nothing",
    ] {
        for verb in ["GET", "POST", "PUT", "DELETE"] {
            let body = if verb == "POST" { "{}" } else { "" };
            let got = operator.ask(&format!("{verb} {path}"), "", body);
            assert_eq!(got.status, 404, "{verb} {path}");
            let text = got.text();
            assert!(text.contains("JSON-RPC is POST /a2a/"), "{text}");
            assert!(text.contains("GET /a2a/.well-known/agent.json"), "{text}");
        }
    }
    let got = operator.get("/a2a/");
    assert_eq!((got.status, got.field("Allow")), (405, Some("POST")));
    // O-009, A-032: with a slash or without, answered where it was sent.
    for path in ["/a2a", "/a2a/"] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/get",
            "params": {"id": "ffff"}});
        let fields = format!("X-API-KEY: {KEY}\r\n");
        let got = operator.ask(&format!("POST {path}"), &fields, &body.to_string());
        assert_eq!(
            (got.status, &got.json()["error"]["code"]),
            (200, &json!(-32001))
        );
    }
}

/// O-013 to O-016, O-018.
#[test]
fn one_secret_opens_everything_and_is_never_told() {
    let operator = Operator::argus();
    let send = text_message("m-1", "home the arm");
    for method in ["message/send", "tasks/get", "tasks/cancel", "no/such"] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": send}).to_string();
        for fields in [
            String::new(),
            "Authorization: Bearer wrong\r\n".into(),
            "X-API-KEY: wrong\r\n".into(),
            format!("Authorization: Basic {KEY}\r\n"),
            format!("Authorization: {KEY}\r\n"),
            format!("Authorization: Bearer {KEY}x\r\n"),
            "Authorization: Bearer \r\n".into(),
            format!("OPENOPERATOR_A2A_TOKEN: {KEY}\r\n"),
        ] {
            let got = operator.ask("POST /a2a/", &fields, &body);
            assert_eq!(got.status, 401, "{fields}");
            let challenge = got.field("WWW-Authenticate").unwrap();
            assert!(challenge.starts_with("Bearer"), "{challenge}");
        }
        // A wrong token is not made good by a right key.
        let both = format!("Authorization: Bearer wrong\r\nX-API-KEY: {KEY}\r\n");
        assert_eq!(operator.ask("POST /a2a/", &both, &body).status, 400);
        let query = format!("POST /a2a/?api_key={KEY}");
        assert_eq!(operator.ask(&query, "", &body).status, 401);
    }
    for fields in [
        format!("Authorization: Bearer {KEY}\r\n"),
        format!("authorization: bearer {KEY}\r\n"),
        format!("X-API-KEY: {KEY}\r\n"),
        format!("x-api-key: {KEY}\r\n"),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}});
        let fields = format!("{fields}A2A-Version: 1.0\r\n");
        let got = operator.ask("POST /a2a/", &fields, &body.to_string());
        // Nothing of what was refused has been begun.
        assert_eq!(got.json()["result"]["totalSize"], 0, "{fields}");
    }
    // MCP has the same authority.
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    assert_eq!(operator.ask("POST /mcp", "", &body).status, 401);
    for fields in [
        format!("Authorization: Bearer {KEY}\r\n"),
        format!("X-API-KEY: {KEY}\r\n"),
    ] {
        assert_eq!(operator.ask("POST /mcp", &fields, &body).status, 200);
    }

    let card = operator.get("/a2a/.well-known/agent.json").json();
    let schemes = json!({"bearer": {"type": "http", "scheme": "bearer"},
        "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-KEY"}});
    assert_eq!(card["securitySchemes"], schemes);
    assert_eq!(card["security"], json!([{"bearer": []}, {"apiKey": []}]));
    // Everything that it has sent, its log among it.
    for path in ["/health", "/docs", "/docs/a2a.json", "/a2a/docs"] {
        operator.get(path);
    }
    operator.supervise(json!({"operation": "supervisor.status", "requestId": "r"}));
    let all = operator.end();
    assert!(all.len() > 10_000 && !all.contains(KEY));
}

/// O-010 to O-012.
#[test]
fn names_are_in_camel_case() {
    let operator = Operator::argus();
    let answer = operator.call(
        "message/send",
        &json!({"message": {"role": "user", "kind": "message", "message_id": "msg-77",
            "parts": [{"kind": "text", "text": "home"}]}}),
    );
    assert_eq!(answer["error"]["code"], -32602);
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.ends_with("its name is messageId"), "{text}");
    let mut params = text_message("m-1", "home");
    params["configuration"] = json!({"accepted_output_modes": ["application/json"]});
    let answer = operator.call("message/send", &params);
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.ends_with("its name is acceptedOutputModes"), "{text}");
    for (config, parts, told) in [
        (
            json!({"push_notification_config": {}}),
            json!([{"kind": "text", "text": "home"}]),
            "configuration.pushNotificationConfig is spelled in snake case, and its name is \
             pushNotificationConfig",
        ),
        (
            json!({}),
            json!([{"kind": "file", "file": {"uri": "http://h/x", "mime_type": "text/plain"}}]),
            "mimeType is spelled in snake case, and its name is mimeType",
        ),
    ] {
        let mut params = text_message("m-1", "home");
        params["configuration"] = config;
        params["message"]["parts"] = parts;
        let answer = operator.call("message/send", &params);
        assert_eq!(
            answer["error"]["message"],
            format!("Invalid parameters: {told}")
        );
    }
    let mut params = text_message("m-1", "what can you do?");
    params["message"]["contextId"] = json!("context-1");
    params["configuration"] =
        json!({"acceptedOutputModes": ["application/json"], "historyLength": 0});
    let answer = operator.call("message/send", &params);
    assert_eq!(answer["result"]["contextId"], "context-1");
    assert_eq!(answer["result"]["history"], Value::Null);
    assert_eq!(answer["result"]["status"]["state"], "completed");
}

/// O-038: ordinary work, as a client of FastA2A sends it.
#[test]
fn general_assistance_does_the_work() {
    let operator = Operator::start(&[]);
    let mut params = text_message("m-1", "please home the arm");
    params["configuration"] =
        json!({"blocking": false, "acceptedOutputModes": ["application/json"]});
    let task = operator.call("message/send", &params)["result"].clone();
    assert!(matches!(
        task["status"]["state"].as_str(),
        Some("submitted" | "working")
    ));
    let id = json!({"id": task["id"]});
    let begun = Instant::now();
    loop {
        let now = operator.call("tasks/get", &id);
        if now["result"]["status"]["state"] == "completed" {
            let text = &now["result"]["artifacts"][0]["parts"][0]["text"];
            assert_eq!(text, "the arm is at home");
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{now}");
        std::thread::sleep(Duration::from_millis(20));
    }
    let cancel = operator.call("tasks/cancel", &id);
    assert_eq!(cancel["error"]["code"], -32002);
    // It asks, and can be cancelled.
    let task = operator.call("message/send", &text_message("m-2", "calibrate"))["result"].clone();
    assert_eq!(task["status"]["state"], "input-required");
    let cancel = operator.call("tasks/cancel", &json!({"id": task["id"]}));
    assert_eq!(cancel["result"]["status"]["state"], "canceled");
    // A skill of the supervision is none that a message may name.
    for id in ["argus_supervisor_health", "argus_campaign_control"] {
        let mut params = text_message("m-3", "x");
        params["message"]["metadata"] = json!({"skillId": id});
        assert_eq!(
            operator.call("message/send", &params)["error"]["code"],
            -32602
        );
    }
}

/// O-020 to O-027, O-032 to O-035.
#[test]
fn supervision_that_is_enabled_without_a_backend() {
    let operator = Operator::argus();
    let card = operator.get("/a2a/.well-known/agent.json").json();
    let all = [
        "general_assistance",
        "argus_supervisor_health",
        "argus_supervisor_status",
        "argus_campaign_list",
    ];
    assert_eq!(ids(&card), all);
    assert_eq!(card["capabilities"]["extensions"][0]["uri"], URN);
    let health = operator.get("/health").json();
    let facts = json!({"argus-supervisor": {"installed": true, "enabled": true}});
    assert_eq!(health["profiles"], facts);

    let want = json!({"operation": "supervisor.health", "requestId": "req-9", "ok": true,
        "profile": {"installed": true, "enabled": true}, "result": {"backend": "none"}});
    for name in ["requestId", "request_id"] {
        let answer = operator.supervise(json!({"operation": "supervisor.health", name: "req-9"}));
        assert_eq!(answer, ("completed".to_owned(), want.clone()));
    }
    let both = json!({"operation": "supervisor.health", "requestId": "req-9",
        "request_id": "req-9"});
    assert_eq!(operator.supervise(both).1, want);

    let refused = |code: &str, id: Option<&str>| {
        let mut data = json!({"error": {"code": code}});
        if let Some(id) = id {
            data["requestId"] = json!(id);
        }
        ("failed".to_owned(), data)
    };
    for operation in ["supervisor.status", "campaign.list"] {
        let answer = operator.supervise(json!({"operation": operation, "requestId": "r"}));
        assert_eq!(answer, refused("argus_supervisor_unavailable", Some("r")));
    }
    for operation in [
        "campaign.create",
        "campaign.claim",
        "campaign.release",
        "campaign.submit",
        "campaign.intervene",
        "campaign.cancel",
        "campaign.mission",
        "campaign.answer",
        "campaign.resolve_intent",
        "argus_campaign_control",
        "Supervisor.Health",
        "supervisor.health ",
        "x",
    ] {
        let answer = operator.supervise(json!({"operation": operation, "requestId": "r\"\u{e9}"}));
        let want = refused("unsupported_argus_operation", Some("r\"\u{e9}"));
        assert_eq!(answer, want, "{operation}");
    }
    let long = "r".repeat(65);
    for envelope in [
        json!("supervisor.status"),
        json!(null),
        json!([]),
        json!({}),
        json!({"operation": "supervisor.health"}),
        json!({"requestId": "r"}),
        json!({"operation": 1, "requestId": "r"}),
        json!({"operation": "", "requestId": "r"}),
        json!({"operation": "supervisor.health", "requestId": 1}),
        json!({"operation": "supervisor.health", "requestId": ""}),
        json!({"operation": "supervisor.health", "requestId": null}),
        json!({"operation": "supervisor.health", "requestId": "a", "request_id": "b"}),
        json!({"operation": "supervisor.health", "requestId": long}),
    ] {
        let answer = operator.supervise(envelope.clone());
        assert_eq!(
            answer,
            refused("invalid_argus_envelope", None),
            "{envelope}"
        );
    }
    let good = json!({"operation": "supervisor.health", "requestId": "r"});
    let answer = operator.supervise_with(&json!({"params": [1]}), good.clone());
    assert_eq!(answer, refused("invalid_argus_envelope", None));
    // What stands twice is not chosen from.
    let text = supervision(&json!({"params": {}}), good.clone()).to_string();
    let envelope = format!("\"{URN}\":{good}");
    for (once, twice) in [
        ("\"params\":{}", "\"params\":{},\"params\":{}".to_owned()),
        (&*envelope, format!("{envelope},{envelope}")),
    ] {
        // Of both members called `params`, the inner one.
        let at = text.rfind(once).unwrap();
        let params = format!("{}{twice}{}", &text[..at], &text[at + once.len()..]);
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{params}}}"#);
        let fields = format!("X-API-KEY: {KEY}\r\n");
        let task = operator.ask("POST /a2a/", &fields, &body).json();
        let data = &task["result"]["status"]["message"]["parts"][0]["data"];
        assert_eq!(*data, refused("invalid_argus_envelope", None).1, "{twice}");
    }
    // No arguments are no mistake.
    assert_eq!(
        operator.supervise_with(&json!({}), good.clone()).0,
        "completed"
    );
    // One half of the envelope is none (O-023), and is no work either.
    for without in ["extensions", "metadata"] {
        let mut params = supervision(&json!({}), good.clone());
        params["message"].as_object_mut().unwrap().remove(without);
        let task = &operator.call("message/send", &params)["result"];
        let data = &task["status"]["message"]["parts"][0]["data"];
        assert_eq!(
            *data,
            refused("invalid_argus_envelope", None).1,
            "{without}"
        );
    }
}

/// O-019, O-028, O-034; the shape of the envelope is looked at first.
#[test]
fn supervision_that_is_disabled() {
    let operator = Operator::start(&[]);
    let card = operator.get("/a2a/.well-known/agent.json").json();
    assert_eq!(ids(&card), ["general_assistance"]);
    assert_eq!(card["capabilities"]["extensions"], Value::Null);
    let facts = json!({"argus-supervisor": {"installed": true, "enabled": false}});
    assert_eq!(operator.get("/health").json()["profiles"], facts);
    assert_eq!(operator.get("/docs/a2a.json").json()["profiles"], facts);
    for operation in ["supervisor.health", "campaign.cancel"] {
        let (state, data) = operator.supervise(json!({"operation": operation, "requestId": "r"}));
        let want = json!({"error": {"code": "argus_supervisor_disabled"}, "requestId": "r"});
        assert_eq!((&*state, data), ("failed", want));
    }
    let (_, data) = operator.supervise(json!({"operation": "supervisor.health"}));
    assert_eq!(data, json!({"error": {"code": "invalid_argus_envelope"}}));
}

/// What a backend does with each request.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Task,
    Message,
    Later,
    Failed,
    Error,
    Status500,
    Redirect,
    Html,
    OtherId,
    Large,
    Wide,
    Deep,
    Both,
    Silent,
    Closed,
}

/// A backend on this machine, and what it was asked: the credential and the
/// JSON.
fn backend(mood: Mood) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/training/a2a/", listener.local_addr().unwrap());
    let (heard, asked) = channel();
    std::thread::spawn(move || {
        let held = Arc::new(Mutex::new(Vec::new()));
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let (mut length, mut credential, mut first) = (0, String::new(), String::new());
            lines.read_line(&mut first).unwrap();
            loop {
                let mut line = String::new();
                lines.read_line(&mut line).unwrap();
                let Some((name, value)) = line.trim_end().split_once(": ") else {
                    break;
                };
                match &*name.to_ascii_lowercase() {
                    "content-length" => length = value.parse().unwrap(),
                    "authorization" => credential = value.to_owned(),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            lines.read_exact(&mut body).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            let method = body["method"].as_str().unwrap().to_owned();
            if heard.send((credential, body.clone())).is_err() {
                return;
            }
            let data = json!({"kind": "data", "data": {"campaigns": [{"id": "c-1"}]}});
            let done = json!({"kind": "task", "id": "t-1", "status": {"state": "completed"},
                "artifacts": [{"artifactId": "1", "parts": [{"kind": "text", "text": "x"}, data]}]});
            let result = match (mood, &*method) {
                (Mood::Message, _) => json!({"kind": "message", "parts": [data]}),
                (Mood::Later, "message/send") => {
                    json!({"kind": "task", "id": "t-1", "status": {"state": "working"}})
                }
                (Mood::Failed, _) => {
                    json!({"kind": "task", "id": "t-1", "status": {"state": "failed",
                        "message": {"parts": [{"kind": "text", "text": "Traceback: inner"}]}}})
                }
                (Mood::Large, _) => json!({"kind": "message", "parts": [
                    {"kind": "data", "data": {"x": "y".repeat(9000)}}]}),
                (Mood::Wide, _) => json!({"kind": "message", "parts": [
                    {"kind": "data", "data": {"x": "y".repeat(8000)}}]}),
                (Mood::Deep, _) => {
                    let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
                    json!({"kind": "message", "parts": [{"kind": "data", "data": {"x": deep}}]})
                }
                _ => done,
            };
            let id = if mood == Mood::OtherId {
                json!(7)
            } else {
                body["id"].clone()
            };
            let mut answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            if mood == Mood::Error {
                answer = json!({"jsonrpc": "2.0", "id": id,
                    "error": {"code": -32603, "message": "Traceback: inner"}});
            }
            if mood == Mood::Both {
                answer["error"] = json!({"code": -32603, "message": "Traceback: inner"});
            }
            let mut text = answer.to_string();
            let (mut status, mut more) = ("200 OK", "");
            match mood {
                Mood::Status500 => status = "500 Traceback",
                Mood::Redirect => {
                    status = "307 Temporary Redirect";
                    more = "Location: /training/a2a/other/\r\n";
                }
                Mood::Html => text = "<html>Traceback: inner".into(),
                Mood::Silent => {
                    held.lock().unwrap().push(stream);
                    continue;
                }
                Mood::Closed => continue,
                _ => {}
            }
            let length = text.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}\
                 Content-Length: {length}\r\n\r\n{text}"
            );
        }
    });
    (url, asked)
}

fn with_backend(url: &str) -> Operator {
    Operator::start(&[
        ("ARGUS_SUPERVISOR_ENABLED", "1"),
        ("OPENTRAINING_A2A_URL", url),
        ("OPENTRAINING_A2A_TOKEN", TOKEN),
        ("OPENTRAINING_A2A_PROJECT", "arms"),
    ])
}

/// What it is asked, and how its answer comes back.
#[test]
fn a_backend_is_asked_once_over_a2a() {
    for mood in [Mood::Task, Mood::Message, Mood::Later] {
        let (url, asked) = backend(mood);
        let operator = with_backend(&url);
        let envelope = json!({"operation": "campaign.list", "requestId": "r"});
        let (state, data) = operator.supervise_with(&json!({"params": {"limit": 3}}), envelope);
        let want = json!({"operation": "campaign.list", "requestId": "r", "ok": true,
            "profile": {"installed": true, "enabled": true},
            "result": {"campaigns": [{"id": "c-1"}]}});
        assert_eq!((&*state, data), ("completed", want));
        let (credential, body) = asked.recv().unwrap();
        assert_eq!(credential, format!("Bearer {TOKEN}"));
        assert_eq!(body["method"], "message/send");
        let message = &body["params"]["message"];
        let data = json!([{"kind": "data", "data": {"operation": "campaign.list",
            "params": {"limit": 3}, "project": "arms"}}]);
        assert_eq!(message["parts"], data);
        assert_eq!(message["messageId"].as_str().map(str::len), Some(32));
        let rest: Vec<_> = asked
            .try_iter()
            .map(|(_, body)| body["method"].clone())
            .collect();
        let reads = if mood == Mood::Later {
            vec![json!("tasks/get")]
        } else {
            vec![]
        };
        assert_eq!(rest, reads);
        let all = operator.end();
        assert!(!all.contains(TOKEN) && !all.contains(KEY));
    }
}

/// O-029, O-030: each failure is the same code, once asked, and no inner text.
#[test]
fn a_backend_that_fails_is_unavailable() {
    for mood in [
        Mood::Failed,
        Mood::Error,
        Mood::Status500,
        Mood::Redirect,
        Mood::Html,
        Mood::OtherId,
        Mood::Large,
        Mood::Deep,
        Mood::Both,
        Mood::Closed,
    ] {
        let (url, asked) = backend(mood);
        let operator = with_backend(&url);
        for operation in ["supervisor.health", "supervisor.status"] {
            let envelope = json!({"operation": operation, "requestId": "r"});
            let (state, data) = operator.supervise(envelope);
            let code = json!({"error": {"code": "argus_supervisor_unavailable"}, "requestId": "r"});
            assert_eq!((&*state, data), ("failed", code));
        }
        assert_eq!(asked.try_iter().count(), 2, "asked once for each");
        let all = operator.end();
        assert!(!all.contains("Traceback") && !all.contains(TOKEN));
    }
    // The answer is fine, and has no room beside the request.
    let (url, _asked) = backend(Mood::Wide);
    let operator = with_backend(&url);
    let envelope = json!({"operation": "campaign.list", "requestId": "r"});
    let data = json!({"params": {"x": "y".repeat(8000)}});
    let (state, data) = operator.supervise_with(&data, envelope);
    let code = json!({"error": {"code": "argus_supervisor_unavailable"}, "requestId": "r"});
    assert_eq!((&*state, data), ("failed", code));
    // Nobody listens there.
    let operator = with_backend("http://127.0.0.1:1/");
    let (_, data) = operator.supervise(json!({"operation": "campaign.list", "requestId": "r"}));
    assert_eq!(data["error"]["code"], "argus_supervisor_unavailable");
}

/// O-036: cancelling ends the wait for an answer. The backend hears nothing of
/// it, and other work goes on meanwhile.
#[test]
fn a_cancel_does_not_reach_the_supervision() {
    let (url, asked) = backend(Mood::Silent);
    let operator = with_backend(&url);
    let mut params = supervision(
        &json!({}),
        json!({"operation": "campaign.list", "requestId": "r"}),
    );
    params["configuration"]["blocking"] = json!(false);
    let task = operator.call("message/send", &params)["result"].clone();
    assert_eq!(task["status"]["state"], "submitted", "{task}");
    let (_, body) = asked.recv().unwrap();
    assert_eq!(body["method"], "message/send");
    let id = json!({"id": task["id"]});
    assert_eq!(
        operator.call("tasks/get", &id)["result"]["status"]["state"],
        "working"
    );
    let work = operator.call("message/send", &text_message("m-1", "home"));
    assert_eq!(work["result"]["status"]["state"], "completed");
    let cancel = operator.call("tasks/cancel", &id);
    assert_eq!(cancel["result"]["status"]["state"], "canceled");
    assert_eq!(operator.call("tasks/cancel", &id)["error"]["code"], -32002);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(asked.try_iter().count(), 0);
}

/// What a deployment forgets or mistypes is said before anything is served.
#[test]
fn a_wrong_environment_does_not_start() {
    let key = ("SPYNEL_AGENT_ZERO_API_KEY", KEY);
    for (env, why) in [
        (
            vec![],
            "SPYNEL_AGENT_ZERO_API_KEY is not set: every caller shows it",
        ),
        (
            vec![("SPYNEL_AGENT_ZERO_API_KEY", "")],
            "SPYNEL_AGENT_ZERO_API_KEY is not set: every caller shows it",
        ),
        (
            vec![("SPYNEL_AGENT_ZERO_API_KEY", "a b")],
            "SPYNEL_AGENT_ZERO_API_KEY: must be ASCII without spaces",
        ),
        (
            vec![key, ("ARGUS_SUPERVISOR_ENABLED", "yes")],
            "ARGUS_SUPERVISOR_ENABLED: `yes` is neither 1 nor 0",
        ),
        (
            vec![key, ("OPENTRAINING_A2A_URL", "http://training.example/")],
            "OPENTRAINING_A2A_URL: must begin with https://, or with http:// and this machine",
        ),
        (
            vec![key, ("OPENTRAINING_A2A_URL", "https://training.example/")],
            "OPENTRAINING_A2A_URL: needs a token, which has no spaces",
        ),
    ] {
        let output = command(&env).args(["--port", "0"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(text, format!("openoperator: {why}\n"));
    }
}

#[test]
fn a_port_in_use_is_named() {
    let other = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = other.local_addr().unwrap();
    let output = command(&[("SPYNEL_AGENT_ZERO_API_KEY", KEY)])
        .args(["--port", &address.port().to_string()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    let start = format!("openoperator: {address}: ");
    assert!(text.starts_with(&start), "{text}");
}

/// The card says what clients are told, and no more than a host can be told.
#[test]
fn a_public_url_is_a_scheme_and_a_host() {
    let started = |url: &str| {
        let mut child = command(&[("SPYNEL_AGENT_ZERO_API_KEY", KEY)])
            .args(["--port", "0", "--public-url", url])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap());
        lines.read_line(&mut first).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        !first.is_empty()
    };
    for fine in [
        "https://arm.example",
        "https://arm.example:8443",
        "https://[::1]",
    ] {
        assert!(started(fine), "{fine}");
    }
    for wrong in [
        "arm.example",
        "https://",
        "https://:443",
        "https://arm.example/",
        "https://arm.example?x",
        "https://arm.example#x",
        "https://user:word@arm.example",
        "https://arm.example:99999",
        "https://arm example",
        "https://arm\"example",
        "https://arm.example\r\nX: y",
    ] {
        assert!(!started(wrong), "{wrong}");
    }
}
