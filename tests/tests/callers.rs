//! Callers with scopes, and tools that come and go (M-045, M-046, M-098,
//! M-107): what a caller does not see is not there for him.

use agentmote::mcp::{Device, Identity};
use agentmote::prompt::{Argument, Prompt};
use agentmote::resource::{Cache, Resource};
use agentmote::server::{Allow, Http, HttpConfig, LineMemory, Server};
use agentmote::tool::{Answer, Call, Caller};
use agentmote::{catalog, tool};
use agentmote_tests::peer::{Cut, LinePeer, Net, Request, answers, lines};
use serde_json::{Value, json};

const MOVE: u32 = 1;
const SERVICE: u32 = 2;

/// A door that may be locked.
#[derive(Debug, Default)]
struct Door {
    locked: bool,
    opened: u32,
    reset: u32,
}

static DEVICE: Device<Door> = Device::new(
    Identity::new("door", "1.0"),
    catalog![state, open, ask_open, reset],
)
.shows(|door, _, tool| !(door.locked && tool.name == "open"));

/// Tells whether it is locked.
#[tool(read_only)]
fn state(door: &mut Door, call: &mut Call<'_>) -> Answer {
    call.text(if door.locked { "locked" } else { "free" })
}

/// Opens the door.
#[tool(actuates, scopes = MOVE)]
fn open(door: &mut Door, call: &mut Call<'_>) -> Answer {
    door.opened += 1;
    call.text("open")
}

/// Opens the door, if somebody agrees.
#[tool(actuates, asks, scopes = MOVE)]
fn ask_open(door: &mut Door, call: &mut Call<'_>) -> Answer {
    match call.confirm("sure", "Open?") {
        Some(true) => open_it(door, call),
        Some(false) => call.fail("no"),
        None => call.need_input(),
    }
}

fn open_it(door: &mut Door, call: &mut Call<'_>) -> Answer {
    door.opened += 1;
    call.text("open")
}

/// Resets the door.
#[tool(destructive, scopes = MOVE | SERVICE)]
fn reset(door: &mut Door, call: &mut Call<'_>) -> Answer {
    door.reset += 1;
    call.text("reset")
}

static PAGED: Device<Door> = Device::new(
    Identity::new("door", "1.0"),
    catalog![reset, state, open, ask_open],
)
.page_bytes(1);

type Memory = LineMemory<1024, 512, 2, 128>;

fn modern(method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    )
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

fn caller(id: u32, scopes: u32) -> Caller {
    Caller { id, scopes }
}

#[test]
fn a_list_is_what_its_caller_may_use() {
    let mut memory = Memory::new();
    let mut peer = LinePeer::new(&mut memory, &DEVICE, Door::default(), Cut::WHOLE);
    for (scopes, seen) in [
        (0, vec!["state"]),
        (SERVICE, vec!["state"]),
        (MOVE, vec!["state", "open", "ask_open"]),
        (MOVE | SERVICE, vec!["state", "open", "ask_open", "reset"]),
        (u32::MAX, vec!["state", "open", "ask_open", "reset"]),
    ] {
        peer.set_caller(caller(1, scopes));
        let answer = peer.one(&modern("tools/list", ""));
        assert_eq!(names(&answer), seen);
        assert_eq!(answer["result"]["cacheScope"], "private");
        for tool in ["state", "open", "reset"] {
            let answer = peer.one(&modern("tools/call", &format!(r#""name":"{tool}","#)));
            if seen.contains(&tool) {
                assert!(answer["result"].is_object(), "{answer}");
            } else {
                // As if there were none.
                let nothing = peer.one(&modern("tools/call", r#""name":"nothing","#));
                let expected = nothing.to_string().replace("nothing", tool);
                assert_eq!(answer.to_string(), expected);
            }
        }
    }
    assert_eq!((peer.server.app.opened, peer.server.app.reset), (3, 2));
}

#[test]
fn pages_are_of_what_is_seen() {
    let mut memory = Memory::new();
    let mut peer = LinePeer::new(&mut memory, &PAGED, Door::default(), Cut::WHOLE);
    for (scopes, seen) in [
        (0, vec!["state"]),
        (MOVE, vec!["state", "open", "ask_open"]),
        (u32::MAX, vec!["reset", "state", "open", "ask_open"]),
    ] {
        peer.set_caller(caller(1, scopes));
        let mut all: Vec<String> = Vec::new();
        let mut cursor = String::new();
        loop {
            let answer = peer.one(&modern("tools/list", &cursor));
            all.extend(names(&answer).into_iter().map(str::to_owned));
            let Some(next) = answer["result"]["nextCursor"].as_str() else {
                break;
            };
            cursor = format!(r#""cursor":"{next}","#);
        }
        assert_eq!(all, seen);
    }
    // What is a cursor for one is none for who sees less.
    peer.set_caller(caller(1, 0));
    let answer = peer.one(&modern("tools/list", r#""cursor":"tool3","#));
    assert_eq!(answer["error"]["message"], "Invalid cursor");
}

#[test]
fn a_change_of_the_list_is_told() {
    let mut memory = Memory::new();
    let mut peer = LinePeer::new(&mut memory, &DEVICE, Door::default(), Cut::WHOLE);
    let discover = peer.one(&modern("server/discover", ""));
    assert_eq!(
        discover["result"]["capabilities"],
        json!({"tools": {"listChanged": true}})
    );
    let wish = r#""notifications":{"toolsListChanged":true},"#;
    let acknowledged = peer.one(&modern("subscriptions/listen", wish));
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"toolsListChanged": true})
    );
    peer.server.app.locked = true;
    let told = String::from_utf8(peer.pass(100)).unwrap();
    assert_eq!(
        told,
        concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"#,
            r#""_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#,
            "\n"
        )
    );
    let answer = peer.one(&modern("tools/list", ""));
    assert_eq!(names(&answer), ["state", "ask_open", "reset"]);
    let answer = peer.one(&modern("tools/call", r#""name":"open","#));
    assert_eq!(answer["error"]["message"], "Unknown tool: open");
    assert_eq!(peer.server.app.opened, 0);
    // Not asked for, not told.
    peer.reset();
    let wish = r#""notifications":{"toolsListChanged":false},"#;
    let acknowledged = peer.one(&modern("subscriptions/listen", wish));
    assert_eq!(acknowledged["params"]["notifications"], json!({}));
    peer.server.app.locked = false;
    assert!(peer.pass(1000).is_empty());
    // A client of the legacy era is told without asking.
    peer.reset();
    peer.initialize("2025-11-25");
    assert!(peer.pass(1000).is_empty());
    peer.server.app.locked = true;
    assert_eq!(
        lines(&peer.pass(100)),
        [json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})]
    );
}

// --- Resources and prompts

const READ: u32 = 4;

static ARCHIVE: Device<Door> = Device::new(Identity::new("door", "1.0"), catalog![state])
    .resources(&[
        Resource {
            cache: Cache {
                ttl_ms: 9,
                public: true,
            },
            watch: Some(|door, _| door.opened),
            ..Resource::new("door://opened", "opened", |_, r| r.text("often"))
        },
        Resource {
            cache: Cache {
                ttl_ms: 9,
                public: true,
            },
            scopes: SERVICE,
            watch: Some(|door, _| door.reset),
            ..Resource::new("door://log/1", "log", |_, r| r.text("the log"))
        },
        Resource::new("door://model", "model", |_, r| r.text("D7")),
    ])
    .templates(&[
        Resource {
            scopes: SERVICE | MOVE,
            values: &[("part", &["hinge"])],
            ..Resource::new("door://part/{part}", "part", |_, r| r.text("a part"))
        },
        Resource {
            scopes: READ,
            ..Resource::new("door://log/{n}", "old log", |_, r| r.text("an old log"))
        },
    ])
    .prompts(&[
        Prompt {
            scopes: SERVICE,
            arguments: &[Argument::new("part", "").values(&["hinge"])],
            ..Prompt::new("repair", "Repairs it.", |_, out| out.text("Repair."))
        },
        Prompt::new("greet", "Greets.", |_, out| out.text("Hello.")),
    ]);

fn listed(peer: &mut LinePeer<'_, Door>, method: &str, of: &str, key: &str) -> Vec<String> {
    let answer = peer.one(&modern(method, ""));
    assert_eq!(answer["result"]["cacheScope"], "private", "M-045");
    let all = answer["result"][of].as_array().unwrap();
    all.iter()
        .map(|one| one[key].as_str().unwrap().to_owned())
        .collect()
}

/// Asks for what may be hidden, and for what is not there in the same words.
#[track_caller]
fn is_there(peer: &mut LinePeer<'_, Door>, method: &str, params: &str, name: &str) -> bool {
    let answer = peer.one(&modern(method, params));
    if answer["result"].is_object() {
        return true;
    }
    let absent = "door://nothing";
    let none = peer.one(&modern(method, &params.replace(name, absent)));
    let expected = none.to_string().replace(absent, name);
    assert_eq!(answer.to_string(), expected);
    false
}

#[test]
fn resources_and_prompts_are_there_for_whom_they_are() {
    let mut memory = Memory::new();
    let mut peer = LinePeer::new(&mut memory, &ARCHIVE, Door::default(), Cut::WHOLE);
    let all = ["door://opened", "door://log/1", "door://model"];
    for scopes in 0..8 {
        peer.set_caller(caller(1, scopes));
        let has = |needed| scopes & needed == needed;
        let resources = listed(&mut peer, "resources/list", "resources", "uri");
        assert_eq!(
            resources,
            if has(SERVICE) {
                &all[..]
            } else {
                &["door://opened", "door://model"][..]
            }
        );
        let templates = listed(
            &mut peer,
            "resources/templates/list",
            "resourceTemplates",
            "uriTemplate",
        );
        assert_eq!(
            templates.contains(&"door://part/{part}".to_owned()),
            has(SERVICE | MOVE)
        );
        assert_eq!(templates.contains(&"door://log/{n}".to_owned()), has(READ));
        let prompts = listed(&mut peer, "prompts/list", "prompts", "name");
        assert_eq!(prompts.len(), 1 + usize::from(has(SERVICE)));
        for (uri, there) in [
            ("door://model", true),
            ("door://log/1", has(SERVICE) || has(READ)),
            ("door://log/2", has(READ)),
            ("door://part/hinge", has(SERVICE | MOVE)),
        ] {
            let params = format!(r#""uri":"{uri}","#);
            assert_eq!(is_there(&mut peer, "resources/read", &params, uri), there);
        }
        let params = r#""name":"repair","arguments":{"part":"x"},"#;
        assert_eq!(
            is_there(&mut peer, "prompts/get", params, "repair"),
            has(SERVICE)
        );
        for (reference, name, there) in [
            (
                r#""type":"ref/prompt","name":"repair""#,
                "repair",
                has(SERVICE),
            ),
            (
                r#""type":"ref/resource","uri":"door://part/{part}""#,
                "door://part/{part}",
                has(SERVICE | MOVE),
            ),
        ] {
            let params =
                format!(r#""ref":{{{reference}}},"argument":{{"name":"part","value":"h"}},"#);
            let method = "completion/complete";
            assert_eq!(is_there(&mut peer, method, &params, name), there);
        }
        // Of another than a template there is no log but its own (M-135).
        let wish = r#""notifications":{"resourceSubscriptions":["door://log/1","door://opened"]},"#;
        let told = peer.one(&modern("subscriptions/listen", wish));
        let told = told["params"]["notifications"]["resourceSubscriptions"].clone();
        assert_eq!(
            told,
            if has(SERVICE) {
                json!(["door://opened", "door://log/1"])
            } else {
                json!(["door://opened"])
            }
        );
        peer.server.app.reset += 1;
        assert_eq!(peer.pass(100).is_empty(), !has(SERVICE));
        peer.reset();
    }
}

#[test]
fn what_some_may_not_read_is_in_no_cache_for_all() {
    let mut memory = Memory::new();
    let mut peer = LinePeer::new(&mut memory, &ARCHIVE, Door::default(), Cut::WHOLE);
    for (uri, scope) in [("door://opened", "public"), ("door://log/1", "private")] {
        let answer = peer.one(&modern("resources/read", &format!(r#""uri":"{uri}","#)));
        assert_eq!(answer["result"]["cacheScope"], scope);
        assert_eq!(answer["result"]["ttlMs"], 9);
    }
}

#[test]
fn a_legacy_client_subscribes_to_what_he_sees() {
    let mut memory = Memory::new();
    let mut peer = LinePeer::new(&mut memory, &ARCHIVE, Door::default(), Cut::WHOLE);
    peer.initialize("2025-11-25");
    let ask = |method: &str, uri: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"uri":"{uri}"}}}}"#)
    };
    peer.set_caller(caller(1, MOVE));
    for method in [
        "resources/subscribe",
        "resources/unsubscribe",
        "resources/read",
    ] {
        let hidden = peer.one(&ask(method, "door://log/1")).to_string();
        let none = peer.one(&ask(method, "door://log/9")).to_string();
        assert_eq!(hidden, none.replace("log/9", "log/1"));
        assert!(hidden.contains("-32002"), "{hidden}");
    }
    peer.set_caller(caller(1, SERVICE));
    let done = peer.one(&ask("resources/subscribe", "door://log/1"));
    assert_eq!(done["result"], json!({}));
}

#[test]
fn pages_of_resources_are_of_what_is_seen() {
    static SHORT: Device<Door> = Device::new(Identity::new("door", "1.0"), catalog![state])
        .resources(&[
            Resource {
                scopes: SERVICE,
                ..Resource::new("door://a", "a", |_, r| r.text("a"))
            },
            Resource::new("door://b", "b", |_, r| r.text("b")),
            Resource::new("door://c", "c", |_, r| r.text("c")),
        ])
        .page_bytes(1);
    let mut memory = Memory::new();
    let mut peer = LinePeer::new(&mut memory, &SHORT, Door::default(), Cut::WHOLE);
    for (scopes, seen) in [(0, &["b", "c"][..]), (SERVICE, &["a", "b", "c"][..])] {
        peer.set_caller(caller(1, scopes));
        let mut cursor = String::new();
        let mut all = Vec::new();
        loop {
            let answer = peer.one(&modern("resources/list", &cursor));
            let page = &answer["result"]["resources"];
            all.push(page[0]["name"].as_str().unwrap().to_owned());
            let Some(next) = answer["result"]["nextCursor"].as_str() else {
                break;
            };
            cursor = format!(r#""cursor":"{next}","#);
        }
        assert_eq!(all, seen);
    }
}

// --- HTTP with tokens

fn whose(token: &[u8]) -> Option<Caller> {
    match token {
        b"ann" => Some(caller(1, MOVE)),
        b"bob" => Some(caller(2, MOVE)),
        b"eve" => Some(caller(3, 0)),
        _ => None,
    }
}

const CONFIG: HttpConfig = HttpConfig {
    hosts: Allow::Any,
    bearer: Some(whose),
    ..HttpConfig::LOOPBACK
};

fn net() -> Net<Door> {
    let server = Server::new(&DEVICE, Door::default()).with_key([5; 32]);
    Net {
        config: CONFIG,
        ..Net::new(server, 512)
    }
}

fn post(token: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: door\r\nAuthorization: Bearer {token}\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn modern_post(token: &str, method: &str, name: &str, params: &str) -> Vec<u8> {
    let name = match name {
        "" => String::new(),
        name => format!("Mcp-Name: {name}\r\n"),
    };
    let headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}");
    post(token, &headers, &modern(method, params))
}

#[test]
fn a_token_tells_who_calls() {
    let mut net = net();
    for (token, count) in [("ann", 3), ("eve", 1)] {
        let answer = net.ask(&modern_post(token, "tools/list", "", ""));
        assert_eq!(names(&answer.json()).len(), count);
    }
    assert_eq!(
        net.ask(&modern_post("zoe", "tools/list", "", "")).status,
        401
    );
    let call = modern_post("eve", "tools/call", "open", r#""name":"open","#);
    assert_eq!(
        net.ask(&call).json()["error"]["message"],
        "Unknown tool: open"
    );
    assert_eq!(net.server.app.opened, 0);
}

#[test]
fn only_who_was_asked_answers() {
    // M-148: the state is bound to the principal.
    let mut net = net();
    let name = r#""name":"ask_open","#;
    let asked = net.ask(&modern_post("ann", "tools/call", "ask_open", name));
    let asked = asked.json();
    let state = asked["result"]["requestState"].as_str().unwrap();
    let retry = format!(
        r#"{name}"inputResponses":{{"sure":{{"action":"accept","content":{{"confirm":true}}}}}},"requestState":"{state}","#
    );
    let answer = net.ask(&modern_post("bob", "tools/call", "ask_open", &retry));
    assert_eq!(
        answer.json()["error"]["message"],
        "Invalid params: requestState was not given out for this request"
    );
    assert_eq!(net.server.app.opened, 0);
    let answer = net.ask(&modern_post("ann", "tools/call", "ask_open", &retry));
    assert_eq!(answer.json()["result"]["content"][0]["text"], "open");
    assert_eq!(net.server.app.opened, 1);
}

#[test]
fn a_session_is_of_its_caller() {
    let mut net = net();
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"0"}}}"#;
    let opened = net.ask(&post("ann", "", hello));
    let session = format!(
        "Mcp-Session-Id: {}\r\n",
        opened.field("mcp-session-id").unwrap()
    );
    let ping = r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#;
    assert_eq!(net.ask(&post("ann", &session, ping)).status, 200);
    assert_eq!(net.ask(&post("bob", &session, ping)).status, 404);
    let mut memory = Request::new();
    let mut http = Http::new(&mut memory, CONFIG);
    let call = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask_open"}}"#;
    let mut sent = net.feed(&mut http, &post("ann", &session, call));
    let answer =
        r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true}}}"#;
    assert_eq!(net.ask(&post("bob", &session, answer)).status, 404);
    net.now += 20;
    net.feed(&mut http, b"");
    assert_eq!(net.server.app.opened, 0);
    assert_eq!(net.ask(&post("ann", &session, answer)).status, 202);
    net.now += 20;
    sent.extend(net.feed(&mut http, b""));
    assert_eq!(answers(&sent)[0].events().len(), 2);
    assert_eq!(net.server.app.opened, 1);
}
