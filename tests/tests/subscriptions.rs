//! Subscriptions of both eras on both framings (section M, M-156), messages
//! of a call (M-131 to M-134), and the comments that keep a stream alive
//! (M-083).

use agentmote::mcp::{Device, Identity};
use agentmote::resource::Resource;
use agentmote::server::{Http, HttpConfig, HttpMemory, Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::{Answer, Call, Level};
use agentmote::{catalog, tool};
use agentmote_tests::peer::{self, Cut, LinePeer, Request, answers, http_request, lines};
use serde_json::{Value, json};

/// Two sensors.
#[derive(Debug, Default)]
struct Sensors {
    a: u32,
    b: u32,
}

static DEVICE: Device<Sensors> = Device::new(
    Identity::new("sensors", "1.0"),
    catalog![chatty, quiet, patient],
)
.resources(&[
    Resource {
        watch: Some(|sensors, _| sensors.a),
        ..Resource::new("s://a", "a", |sensors: &mut Sensors, reading| {
            reading.format(format_args!("{}", sensors.a))
        })
    },
    Resource::new("s://fixed", "fixed", |_, reading| reading.text("0")),
    Resource {
        watch: Some(|sensors, _| sensors.b),
        ..Resource::new("s://b", "b", |sensors: &mut Sensors, reading| {
            reading.format(format_args!("{}", sensors.b))
        })
    },
])
.templates(&[Resource::new("s://all/{n}", "all", |_, reading| {
    reading.text("")
})])
.watch_ms(50)
.logging();

/// Says something at three levels, then fails.
#[tool]
fn chatty(_: &mut Sensors, call: &mut Call<'_>) -> Answer {
    call.log(Level::Debug, format_args!("looking"));
    call.log(Level::Warning, format_args!("hot: {}", 90));
    if call.logs(Level::Error) {
        call.log(Level::Error, format_args!("\"burnt\""));
    }
    call.fail("it is burnt")
}

/// Answers a text behind a message.
#[tool]
fn quiet(_: &mut Sensors, call: &mut Call<'_>) -> Answer {
    call.log(Level::Notice, format_args!("{}", "n".repeat(600)));
    call.text("quiet")
}

/// Takes a minute, and says so at the start.
#[tool]
fn patient(_: &mut Sensors, call: &mut Call<'_>) -> core::task::Poll<Answer> {
    use core::task::Poll;
    call.wake_after(20_000);
    match call.step() {
        0 => {
            call.log(Level::Info, format_args!("begun"));
            call.progress(0, 3);
            Poll::Pending
        }
        3 => Poll::Ready(call.text("done")),
        _ => Poll::Pending,
    }
}

const CUTS: [Cut; 4] = [
    Cut::WHOLE,
    Cut {
        input: 1,
        output: 4096,
    },
    Cut {
        input: 13,
        output: 3,
    },
    Cut {
        input: usize::MAX,
        output: 1,
    },
];

type Memory = LineMemory<1024, 512, 2, 64>;

fn on_line(test: impl Fn(&mut LinePeer<'_, Sensors>)) {
    for cut in CUTS {
        let mut memory = Memory::new();
        test(&mut LinePeer::new(
            &mut memory,
            &DEVICE,
            Sensors::default(),
            cut,
        ));
    }
}

fn modern(id: &str, method: &str, params: &str, meta: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}{meta}}}}}}}"#
    )
}

fn listen(id: &str, notifications: &str) -> String {
    let params = format!(r#""notifications":{notifications},"#);
    modern(id, "subscriptions/listen", &params, "")
}

const BOTH: &str = r#"{"resourceSubscriptions":["s://b","s://a"],"toolsListChanged":true}"#;

fn updated(id: &str, uri: &str) -> String {
    format!(
        concat!(
            r#"{{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{{"#,
            r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{}}},"uri":"{}"}}}}"#,
            "\n"
        ),
        id, uri
    )
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_listener_is_told_of_what_he_asked_for_and_of_nothing_else() {
    // M-136 to M-139: kinds that are not served are left out.
    on_line(|peer| {
        let acknowledged = text(peer.send((listen("7", BOTH) + "\n").as_bytes()));
        assert_eq!(
            acknowledged,
            concat!(
                r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"#,
                r#""_meta":{"io.modelcontextprotocol/subscriptionId":7},"#,
                r#""notifications":{"resourceSubscriptions":["s://a","s://b"]}}}"#,
                "\n"
            )
        );
        assert!(peer.pass(1000).is_empty());
        peer.server.app.a += 1;
        assert_eq!(text(peer.pass(50)), updated("7", "s://a"));
        assert!(peer.pass(1000).is_empty());
        // Several changes between two looks are one; both at once are two.
        peer.server.app.a += 5;
        peer.server.app.b += 1;
        assert_eq!(
            text(peer.pass(50)),
            updated("7", "s://a") + &updated("7", "s://b")
        );
        // No more often than the device looks.
        let mut count = 0;
        for _ in 0..100 {
            peer.server.app.b += 1;
            count += lines(&peer.pass(10)).len();
        }
        assert_eq!(count, 20);
    });
}

#[test]
fn several_listeners_have_their_own_ids_and_times() {
    // M-138, M-142: the id as it was written, M-141: until it is given up.
    on_line(|peer| {
        peer.ask(&listen(
            "\"x\\u0041\"",
            r#"{"resourceSubscriptions":["s://a","s://no","s://fixed","s://all/1"]}"#,
        ));
        peer.server.app.a += 1;
        assert_eq!(text(peer.pass(50)), updated("\"x\\u0041\"", "s://a"));
        let empty = peer.one(&listen("0", "{}"));
        assert_eq!(empty["params"]["notifications"], json!({}));
        let busy = peer.one(&listen("3", BOTH));
        assert_eq!(
            busy["error"],
            json!({"code": -32603, "message": "Busy: 2 calls and subscriptions, which is the limit"})
        );
        let cancel = |id: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            )
        };
        assert!(peer.ask(&cancel("0")).is_empty());
        peer.server.app.a += 1;
        // What changed before he listened is told to the other, who waited.
        let both = text(peer.send((listen("4", BOTH) + "\n").as_bytes()));
        let (acknowledged, told) = both.split_at(both.find('\n').unwrap() + 1);
        assert!(acknowledged.contains("acknowledged"), "{both}");
        assert_eq!(told, updated("\"x\\u0041\"", "s://a"));
        assert!(peer.pass(50).is_empty());
        assert!(peer.ask(&cancel("\"x\\u0041\"")).is_empty());
        assert!(peer.ask(&cancel("9")).is_empty());
        peer.server.app.a += 1;
        assert_eq!(text(peer.pass(50)), updated("4", "s://a"));
        peer.reset();
        peer.server.app.a += 1;
        assert!(peer.pass(1000).is_empty());
    });
}

#[test]
fn the_server_ends_a_subscription_with_its_answer() {
    // M-129, M-140: on a line, the notification stands before it.
    on_line(|peer| {
        peer.one(&listen("7", BOTH));
        peer.server.app.b += 1;
        peer.server.end_subscriptions();
        let all = text(peer.pass(50));
        assert_eq!(
            all,
            updated("7", "s://b")
                + concat!(
                    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
                    "\n",
                    r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","#,
                    r#""_meta":{"io.modelcontextprotocol/subscriptionId":7}}}"#,
                    "\n"
                )
        );
        peer.server.app.b += 1;
        assert!(peer.pass(1000).is_empty());
    });
}

#[test]
fn broken_wishes_are_refused() {
    on_line(|peer| {
        for (broken, why) in [
            ("7", "notifications must be an object"),
            (
                r#"{"toolsListChanged":1}"#,
                "toolsListChanged must be a boolean",
            ),
            (
                r#"{"resourceSubscriptions":"s://a"}"#,
                "resourceSubscriptions must be an array",
            ),
            (
                r#"{"resourceSubscriptions":[1]}"#,
                "resourceSubscriptions must hold strings",
            ),
        ] {
            let answer = peer.one(&listen("1", broken));
            assert_eq!(answer["error"]["code"], -32602);
            assert_eq!(answer["error"]["message"], format!("Invalid params: {why}"));
        }
        let answer = peer.one(&modern("1", "subscriptions/listen", "", ""));
        assert_eq!(answer["error"]["code"], -32602);
        // Both eras know only their own (M-156).
        let old = modern("1", "resources/subscribe", r#""uri":"s://a","#, "");
        assert_eq!(peer.one(&old)["error"]["code"], -32601);
        peer.initialize("2025-11-25");
        let new = r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}"#;
        assert_eq!(peer.one(new)["error"]["code"], -32601);
    });
}

fn legacy(method: &str, uri: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"resources/{method}","params":{{"uri":"{uri}"}}}}"#
    )
}

#[test]
fn a_legacy_client_subscribes_and_unsubscribes() {
    on_line(|peer| {
        let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
        let capabilities = &peer.one(hello)["result"]["capabilities"];
        assert_eq!(
            *capabilities,
            json!({"tools": {}, "resources": {"subscribe": true}, "logging": {}})
        );
        assert_eq!(peer.one(&legacy("subscribe", "s://a"))["result"], json!({}));
        assert_eq!(peer.one(&legacy("subscribe", "s://a"))["result"], json!({}));
        peer.server.app.a += 1;
        peer.server.app.b += 1;
        assert_eq!(
            text(peer.pass(50)),
            concat!(
                r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"s://a"}}"#,
                "\n"
            )
        );
        // What changed before is not told, of the first not again.
        assert_eq!(peer.one(&legacy("subscribe", "s://b"))["result"], json!({}));
        assert!(peer.pass(200).is_empty());
        assert_eq!(
            peer.one(&legacy("unsubscribe", "s://a"))["result"],
            json!({})
        );
        assert_eq!(
            peer.one(&legacy("unsubscribe", "s://a"))["result"],
            json!({})
        );
        peer.server.app.a += 1;
        peer.server.app.b += 1;
        let told = lines(&peer.pass(50));
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["params"], json!({"uri": "s://b"}));
        let unknown = peer.one(&legacy("subscribe", "s://no"));
        assert_eq!(unknown["error"]["code"], -32002);
        for known in ["s://fixed", "s://all/1"] {
            let answer = peer.one(&legacy("subscribe", known));
            assert_eq!(
                answer["error"]["message"],
                "Invalid params: the resource cannot be subscribed to"
            );
        }
        // A new handshake begins anew.
        peer.initialize("2025-11-25");
        peer.server.app.b += 1;
        assert!(peer.pass(200).is_empty());
    });
}

// --- messages of a call

fn log_level(level: &str) -> String {
    format!(r#","io.modelcontextprotocol/logLevel":"{level}""#)
}

fn call(id: &str, tool: &str, meta: &str) -> String {
    modern(id, "tools/call", &format!(r#""name":"{tool}","#), meta)
}

#[test]
fn messages_come_before_the_answer_and_only_where_asked() {
    // M-131, M-132.
    on_line(|peer| {
        let silent = peer.ask(&call("1", "chatty", ""));
        assert_eq!(silent.len(), 1);
        let some = text(peer.send((call("1", "chatty", &log_level("warning")) + "\n").as_bytes()));
        let (said, answer) = some.split_at(some.rfind("{\"jsonrpc\":\"2.0\",\"id\"").unwrap());
        assert_eq!(
            said,
            concat!(
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"hot: 90"}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"\"burnt\""}}"#,
                "\n"
            )
        );
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(
            answer["result"]["content"],
            json!([{"type": "text", "text": "it is burnt"}])
        );
        assert_eq!(peer.ask(&call("1", "chatty", &log_level("debug"))).len(), 4);
        assert_eq!(peer.ask(&call("1", "chatty", &log_level("alert"))).len(), 1);
        // M-133.
        let answer = peer.one(&call("1", "chatty", &log_level("loud")));
        assert_eq!(answer["error"]["code"], -32602);
        assert_eq!(
            answer["error"]["message"],
            "Invalid params: the level must be debug, info, notice, warning, error, critical, alert or emergency"
        );
    });
}

#[test]
fn a_message_too_long_is_cut_where_one_sees_it() {
    on_line(|peer| {
        let all = peer.ask(&call("1", "quiet", &log_level("info")));
        let said = all[0]["params"]["data"].as_str().unwrap();
        assert!(
            said.starts_with("nnn") && said.ends_with('\u{2026}'),
            "{said}"
        );
        // It has left no room for the result, which says so.
        assert_eq!(all.len(), 2);
        assert_eq!(all[1]["result"]["isError"], true);
        assert_eq!(
            peer.one(&call("1", "quiet", ""))["result"]["content"][0]["text"],
            "quiet"
        );
    });
}

#[test]
fn a_legacy_client_sets_the_level() {
    // M-041, M-196.
    on_line(|peer| {
        peer.initialize("2025-11-25");
        let set = |level: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{{"level":{level}}}}}"#
            )
        };
        let chatty = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chatty"}}"#;
        assert_eq!(peer.ask(chatty).len(), 1);
        assert_eq!(
            text(peer.send((set("\"debug\"") + "\n").as_bytes())),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
        );
        assert_eq!(peer.ask(chatty).len(), 4);
        peer.one(&set("\"error\""));
        assert_eq!(peer.ask(chatty).len(), 2);
        for wrong in ["\"loud\"", "3", "null"] {
            assert_eq!(peer.one(&set(wrong))["error"]["code"], -32602);
        }
        assert_eq!(peer.ask(chatty).len(), 2);
        // A modern call on the same line does not hear of it (M-026).
        assert_eq!(peer.ask(&call("3", "chatty", "")).len(), 1);
        peer.reset();
        peer.initialize("2025-11-25");
        assert_eq!(peer.ask(chatty).len(), 1);
    });
}

#[test]
fn a_polled_tool_says_what_it_does() {
    on_line(|peer| {
        let meta = log_level("info") + r#","progressToken":5"#;
        let first = peer.ask(&call("1", "patient", &meta));
        assert_eq!(
            first[0]["params"],
            json!({"level": "info", "data": "begun"})
        );
        assert_eq!(first[1]["params"]["progressToken"], 5);
        assert_eq!(first.len(), 2);
        let rest = lines(&peer.pass(60_000));
        assert_eq!(rest.len(), 1);
        assert_eq!(rest[0]["result"]["content"][0]["text"], "done");
    });
}

// --- HTTP

type Net = peer::Net<Sensors>;

fn over_http(test: impl Fn(&mut Net)) {
    for out in [4096, 1, 7] {
        let server = Server::new(&DEVICE, Sensors::default()).with_key([1; 32]);
        test(&mut Net::new(server, out));
    }
}

fn modern_post(method: &str, name: &str, body: &str) -> Vec<u8> {
    let name = match name {
        "" => String::new(),
        name => format!("Mcp-Name: {name}\r\n"),
    };
    let headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}");
    http_request("POST", &headers, body)
}

fn so_far(bytes: &[u8]) -> Vec<Value> {
    let mut whole = bytes.to_vec();
    whole.extend_from_slice(b"0\r\n\r\n");
    answers(&whole)[0].events()
}

#[test]
fn a_stream_carries_one_subscription_and_ends_with_the_peer() {
    // M-080, M-081, M-141.
    over_http(|net| {
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let post = modern_post("subscriptions/listen", "", &listen("7", BOTH));
        let mut sent = net.feed(&mut http, &post);
        let head = String::from_utf8_lossy(&sent).into_owned();
        assert!(head.contains("X-Accel-Buffering: no\r\n"), "{head}");
        assert_eq!(so_far(&sent).len(), 1);
        net.server.app.a += 1;
        sent.extend(net.pass(&mut http, 100));
        let events = so_far(&sent);
        assert_eq!(events.len(), 2);
        assert_eq!(events[1]["params"]["uri"], "s://a");
        let now = Instant::from_millis(net.now);
        http.hang_up(&mut net.server, now);
        assert!(http.is_closed());
        // The server's own end is the answer.
        http.open();
        let mut sent = net.feed(&mut http, &post);
        net.server.end_subscriptions();
        sent.extend(net.pass(&mut http, 100));
        let all = answers(&sent);
        let events = all[0].events();
        assert_eq!(
            events[1],
            json!({"jsonrpc": "2.0", "id": 7, "result": {"resultType": "complete",
                "_meta": {"io.modelcontextprotocol/subscriptionId": 7}}})
        );
        assert!(http.is_idle());
        // A peer that reads no stream is refused.
        let post = String::from_utf8(post.clone()).unwrap();
        let post = post.replacen(", text/event-stream", "", 1);
        let answer = net.ask(post.as_bytes());
        assert_eq!(answer.status, 400);
        assert_eq!(
            answer.json()["error"]["message"],
            "Invalid request: the client reads no event stream"
        );
    });
}

#[test]
fn a_silent_stream_is_kept_alive() {
    // M-083: a comment, which is no event.
    over_http(|net| {
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let post = modern_post("subscriptions/listen", "", &listen("7", BOTH));
        net.feed(&mut http, &post);
        assert!(net.pass(&mut http, 14_999).is_empty());
        assert_eq!(text(net.pass(&mut http, 1)), "3\r\n:\n\n\r\n");
        net.now += 7_000;
        net.server.app.a += 1;
        // It is told within 50 ms, and silence counts from there.
        assert!(!net.pass(&mut http, 50).is_empty());
        assert!(net.pass(&mut http, 14_949).is_empty());
        assert!(!net.pass(&mut http, 51).is_empty());
        // A call that takes its time as well.
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let body = call("1", "patient", r#","progressToken":5"#);
        let mut sent = net.feed(&mut http, &modern_post("tools/call", "patient", &body));
        sent.extend(net.pass(&mut http, 60_000));
        let whole = String::from_utf8_lossy(&sent).into_owned();
        assert_eq!(whole.matches(":\n\n").count(), 4, "{whole}");
        assert_eq!(answers(&sent)[0].events().len(), 2);
    });
}

#[test]
fn messages_go_out_on_the_stream_of_the_call() {
    over_http(|net| {
        let body = call("1", "chatty", &log_level("debug"));
        let answer = net.ask(&modern_post("tools/call", "chatty", &body));
        let events = answer.events();
        assert_eq!(events.len(), 4);
        assert_eq!(events[3]["result"]["isError"], true);
        // Nobody asked: JSON. Nobody reads a stream: JSON.
        let body = call("1", "chatty", "");
        let answer = net.ask(&modern_post("tools/call", "chatty", &body));
        assert_eq!(answer.field("content-type"), Some("application/json"));
        let body = call("1", "chatty", &log_level("debug"));
        let post = String::from_utf8(modern_post("tools/call", "chatty", &body)).unwrap();
        let post = post.replacen(", text/event-stream", "", 1);
        let answer = net.ask(post.as_bytes());
        assert_eq!(answer.field("content-type"), Some("application/json"));
        let body = call(
            "1",
            "patient",
            &(log_level("info") + r#","progressToken":5"#),
        );
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let mut sent = net.feed(&mut http, &modern_post("tools/call", "patient", &body));
        sent.extend(net.pass(&mut http, 60_000));
        let events = answers(&sent)[0].events();
        assert_eq!(events.len(), 3);
        assert_eq!(events[0]["params"]["data"], "begun");
        assert_eq!(events[1]["params"]["progress"], 0);
    });
}

fn in_session(session: &str) -> String {
    format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n")
}

#[test]
fn a_legacy_session_hears_of_changes_on_its_get_stream() {
    // M-186.
    over_http(|net| {
        let session = in_session(&net.open("{}"));
        let other = in_session(&net.open("{}"));
        for uri in ["s://a", "s://b"] {
            let answer = net.ask(&http_request("POST", &session, &legacy("subscribe", uri)));
            assert_eq!(answer.json()["result"], json!({}));
        }
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        // A change before the stream is open waits for it.
        net.server.app.a += 1;
        net.now += 50;
        let mut sent = net.feed(&mut http, &http_request("GET", &session, ""));
        let mut memory = Request::new();
        let mut strange = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let stranger = net.feed(&mut strange, &http_request("GET", &other, ""));
        assert_eq!(
            so_far(&sent),
            [json!({"jsonrpc": "2.0",
            "method": "notifications/resources/updated", "params": {"uri": "s://a"}})]
        );
        assert!(so_far(&stranger).is_empty());
        assert_eq!(
            net.ask(&http_request(
                "POST",
                &session,
                &legacy("unsubscribe", "s://a")
            ))
            .json()["result"],
            json!({})
        );
        net.server.app.a += 1;
        net.server.app.b += 1;
        sent.extend(net.pass(&mut http, 100));
        assert_eq!(so_far(&sent).len(), 2);
        assert_eq!(so_far(&sent)[1]["params"]["uri"], "s://b");
        // The stream ends with the session.
        assert_eq!(net.ask(&http_request("DELETE", &session, "")).status, 202);
        sent.extend(net.pass(&mut http, 100));
        assert_eq!(answers(&sent)[0].events().len(), 2);
        assert!(http.is_idle());
        assert_eq!(net.ask(&http_request("GET", &session, "")).status, 404);
        assert_eq!(net.ask(&http_request("GET", "", "")).status, 405);
        // Without a session there is nothing to tell on.
        let answer = net.ask(&http_request("POST", "", &legacy("subscribe", "s://a")));
        assert_eq!(
            answer.json()["error"]["message"],
            "Invalid params: a subscription needs a session"
        );
        let level =
            r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}"#;
        let answer = net.ask(&http_request("POST", "", level));
        assert_eq!(
            answer.json()["error"]["message"],
            "Invalid params: a level needs a session"
        );
    });
}

#[test]
fn eight_sessions_subscribe_and_a_ninth_is_refused() {
    over_http(|net| {
        let sessions: Vec<String> = (0..9).map(|_| net.open("{}")).collect();
        let subscribe = |net: &mut Net, session: &str| {
            let post = http_request("POST", &in_session(session), &legacy("subscribe", "s://a"));
            net.ask(&post).json()
        };
        for session in &sessions[..8] {
            assert_eq!(subscribe(net, session)["result"], json!({}));
        }
        assert_eq!(
            subscribe(net, &sessions[8])["error"]["message"],
            "Busy: 8 sessions with subscriptions, which is the limit"
        );
        // A session that ends makes room.
        net.ask(&http_request("DELETE", &in_session(&sessions[3]), ""));
        assert_eq!(subscribe(net, &sessions[8])["result"], json!({}));
    });
}

#[test]
fn a_level_is_of_its_session() {
    over_http(|net| {
        let loud = in_session(&net.open("{}"));
        let quiet = in_session(&net.open("{}"));
        let level =
            r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warning"}}"#;
        let answer = net.ask(&http_request("POST", &loud, level));
        assert_eq!(answer.body, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        let chatty = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chatty"}}"#;
        assert_eq!(
            net.ask(&http_request("POST", &loud, chatty)).events().len(),
            3
        );
        assert_eq!(
            net.ask(&http_request("POST", &quiet, chatty))
                .field("content-type"),
            Some("application/json")
        );
        // A session in the same place of the table begins without.
        for _ in 2..65 {
            net.open("{}");
        }
        let late = in_session(&net.open("{}"));
        assert_eq!(
            net.ask(&http_request("POST", &late, chatty))
                .field("content-type"),
            Some("application/json")
        );
    });
}

#[test]
fn what_nobody_can_be_told_of_is_not_advertised() {
    // M-036, M-135.
    over_http(|net| {
        let discover = modern("1", "server/discover", "", "");
        let answer = net
            .ask(&modern_post("server/discover", "", &discover))
            .json();
        assert_eq!(
            answer["result"]["capabilities"],
            json!({"tools": {}, "resources": {"subscribe": true}, "logging": {}})
        );
        net.server = Server::new(&DEVICE, Sensors::default());
        let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
        let answer = net.ask(&http_request("POST", "", hello)).json();
        assert_eq!(
            answer["result"]["capabilities"],
            json!({"tools": {}, "resources": {}})
        );
    });
    static PLAIN: Device<()> = Device::new(Identity::new("plain", "1"), &[]);
    let mut memory = LineMemory::<1024, 512, 2, 64>::new();
    let mut peer = LinePeer::new(&mut memory, &PLAIN, (), Cut::WHOLE);
    assert_eq!(peer.one(&listen("1", BOTH))["error"]["code"], -32601);
    let _: HttpMemory<2048, 512> = HttpMemory::new();
}

/// Offers a text, and works until nothing is left to send.
fn drive(line: &mut Line<'_>, server: &mut Server<Sensors>, now: u64, text: &str) {
    let mut out = [0; 2048];
    assert_eq!(line.receive(text.as_bytes()), text.len());
    while line.poll(server, Instant::from_millis(now), &mut out) > 0 {}
}

#[test]
fn a_call_is_work_and_a_subscription_is_none() {
    let mut server = Server::new(&DEVICE, Sensors::default());
    let mut memory = Memory::new();
    let mut line = Line::new(&mut memory);
    assert!(!line.is_working());
    drive(&mut line, &mut server, 0, &(listen("7", BOTH) + "\n"));
    assert!(line.wake().is_some() && !line.is_working());
    let call = modern("8", "tools/call", r#""name":"patient","#, "") + "\n";
    drive(&mut line, &mut server, 0, &call);
    assert!(line.is_working());
    for now in (0..=80_000).step_by(20_000) {
        drive(&mut line, &mut server, now, "");
    }
    assert!(line.wake().is_some() && !line.is_working());
}
