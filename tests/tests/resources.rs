//! Resources, prompts and completion: exact bytes over lines and HTTP, in
//! every revision.

use agentmote::mcp::{Device, Identity, Version};
use agentmote::prompt::{Argument, Prompt};
use agentmote::resource::{Cache, Resource};
use agentmote::server::{HttpConfig, HttpMemory, LineMemory};
use agentmote::tool::Data;
use agentmote_tests::peer::{Answer, Cut, HttpPeer, LinePeer};
use serde_json::{Value, json};

/// How often a reader or a renderer has run.
#[derive(Debug, Default)]
struct App {
    runs: u32,
}

static BLOB: [u8; 3000] = [0x5A; 3000];
static LONG: &str = include_str!("resources.rs");

static DEVICE: Device<App> = Device::new(Identity::new("d", "1"), &[])
    .resources(&[
        Resource {
            title: "A text",
            description: "Says \"on\".",
            mime: "text/plain",
            cache: Cache {
                ttl_ms: 5,
                public: true,
            },
            ..Resource::new("d://text", "text", |app: &mut App, reading| {
                app.runs += 1;
                reading.text("\"on\"\n")
            })
        },
        Resource::new("d://two", "two", |_, reading| {
            let _ = reading.json(&[1, 2]);
            reading.bytes(Data::Copied(&[0, 1, 2, 3]))
        }),
        Resource::new("d://blob", "blob", |_, reading| {
            reading.bytes(Data::Static(&BLOB))
        }),
        Resource::new("d://long", "long", |_, reading| reading.constant(LONG)),
        Resource::new("d://big", "big", |_, reading| reading.text(LONG)),
        Resource::new("d://broken", "broken", |_, reading| {
            let _ = reading.text("dropped");
            reading.fail("the \"sensor\" is off")
        }),
        Resource::new("d://j/fixed/x", "before", |_, reading| {
            reading.text("of its own")
        }),
    ])
    .templates(&[
        Resource::new("d://j/{id}/x", "joint", |app: &mut App, reading| {
            app.runs += 1;
            match reading.get("id") {
                Some("9") | None => reading.missing(),
                Some(id) => {
                    let (none, at) = (reading.get("x").is_none(), reading.now().as_millis());
                    let uri = reading.uri();
                    reading.format(format_args!("{id} {uri} {none} {at}"))
                }
            }
        }),
        Resource {
            values: &[("b", &["one", "only", "two"])],
            ..Resource::new("d://n/{a}-{b}", "pair", |_, reading| {
                let (a, b) = (reading.get("a"), reading.get("b"));
                reading.format(format_args!("{}+{}", a.unwrap_or("?"), b.unwrap_or("?")))
            })
        },
    ])
    .prompts(&[
        Prompt {
            title: "Hello",
            arguments: &[
                Argument::new("who", "Whom.").values(&["ann", "anton", "bob"]),
                Argument::new("how", "").optional(),
            ],
            ..Prompt::new("greet", "Greets.", |app: &mut App, messages| {
                app.runs += 1;
                if let Some(who) = messages.get("who") {
                    messages.format(format_args!(
                        "Hello {who} {}",
                        messages.get("how").is_some()
                    ));
                }
                messages.assistant().text("Hi.");
                messages.resource_blob("d://two", "", Data::Copied(&[1]));
            })
        },
        Prompt::new("mute", "", |_, _| {}),
        Prompt::new("broken", "", |_, messages| messages.fail("not now")),
    ]);

type Lines = LineMemory<1024, 256, 0, 0>;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const INFO: &str = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"d","version":"1"}}"#;

fn with_line<T>(cut: Cut, test: impl FnOnce(&mut LinePeer<'_, App>) -> T) -> T {
    let mut memory = Lines::new();
    test(&mut LinePeer::new(
        &mut memory,
        &DEVICE,
        App::default(),
        cut,
    ))
}

fn modern(method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}{comma}{META}}}}}\n"
    )
}

fn legacy(method: &str, params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}}}}}\n")
}

/// The answer to a modern request on a line, as it is sent.
fn asked(method: &str, params: &str) -> String {
    with_line(Cut::WHOLE, |peer| {
        String::from_utf8(peer.send(modern(method, params).as_bytes())).expect("UTF-8")
    })
}

fn read(uri: &str) -> Value {
    let answer = asked("resources/read", &format!("\"uri\":\"{uri}\""));
    serde_json::from_str(&answer).expect("JSON")
}

/// The text that is read at a URI.
fn text(uri: &str) -> String {
    let answer = read(uri);
    assert_eq!(answer["result"]["contents"][0]["uri"], uri);
    answer["result"]["contents"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned()
}

fn result(members: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"resultType\":\"complete\",{members},{INFO}}}}}\n"
    )
}

fn error(members: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{{members}}}}}\n")
}

#[test]
fn lists_are_exact() {
    let answer = asked("resources/list", "");
    assert!(answer.starts_with(
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","resources":[{"uri":"d://text","name":"text","title":"A text","description":"Says \"on\".","mimeType":"text/plain"},{"uri":"d://two","name":"two"},"#
    ));
    assert!(answer.ends_with(&format!(
        "{{\"uri\":\"d://j/fixed/x\",\"name\":\"before\"}}],\"ttlMs\":3600000,\"cacheScope\":\"public\",{INFO}}}}}\n"
    )));
    assert_eq!(
        asked("resources/templates/list", ""),
        result(
            r#""resourceTemplates":[{"uriTemplate":"d://j/{id}/x","name":"joint"},{"uriTemplate":"d://n/{a}-{b}","name":"pair"}],"ttlMs":3600000,"cacheScope":"public""#
        )
    );
    assert_eq!(
        asked("prompts/list", ""),
        result(
            r#""prompts":[{"name":"greet","title":"Hello","description":"Greets.","arguments":[{"name":"who","description":"Whom.","required":true},{"name":"how","required":false}]},{"name":"mute"},{"name":"broken"}],"ttlMs":3600000,"cacheScope":"public""#
        )
    );
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(
            asked(method, "\"cursor\":\"\""),
            error("\"code\":-32602,\"message\":\"Invalid cursor\""),
        );
    }
}

#[test]
fn readings_are_exact() {
    assert_eq!(
        asked("resources/read", "\"uri\":\"d:\\/\\/text\""),
        result(
            r#""contents":[{"uri":"d:\/\/text","mimeType":"text/plain","text":"\"on\"\n"}],"ttlMs":5,"cacheScope":"public""#
        )
    );
    assert_eq!(
        asked("resources/read", "\"uri\":\"d://two\""),
        result(
            r#""contents":[{"uri":"d://two","text":"[1,2]"},{"uri":"d://two","blob":"AAECAw=="}],"ttlMs":0,"cacheScope":"private""#
        )
    );
    // Longer than the result buffer: in flash, and not in flash.
    assert_eq!(text("d://long"), LONG);
    let need = LONG.len() + 3;
    assert_eq!(
        asked("resources/read", "\"uri\":\"d://big\""),
        error(&format!(
            "\"code\":-32603,\"message\":\"Internal error: big: the result needs {need} bytes, this device has room for 256\""
        ))
    );
    assert_eq!(
        asked("resources/read", "\"uri\":\"d://broken\""),
        error(r#""code":-32603,"message":"Internal error: the \"sensor\" is off""#)
    );
}

#[test]
fn templates_keep_what_was_sent() {
    assert_eq!(text("d://j/3/x"), "3 d://j/3/x true 0");
    assert_eq!(
        text("d://j/a%2Fb%20c/x"),
        "a%2Fb%20c d://j/a%2Fb%20c/x true 0"
    );
    assert_eq!(text("d://j/fixed/x"), "of its own");
    assert_eq!(text("d://n/1-2-3"), "1+2-3");
    // Escapes of JSON are resolved, those of URIs are not.
    let escaped = read("d:\\/\\/j\\/\\u0033\\/x");
    assert_eq!(
        escaped["result"]["contents"][0]["text"],
        "3 d://j/3/x true 0"
    );
    let long = "1".repeat(110);
    assert_eq!(
        text(&format!("d://j/{long}/x")),
        format!("{long} d://j/{long}/x true 0")
    );
    // With escapes, and longer than is unescaped.
    let long = "1".repeat(130);
    assert_eq!(
        read(&format!("d:\\/\\/j/{long}/x"))["error"]["code"],
        -32602
    );
}

#[test]
fn unknown_uris_are_told_per_revision() {
    for uri in [
        "d://none",
        "",
        "d://j//x",
        "d://j/1/2/x",
        "d://j/1/x/",
        "d://j/%/x",
        "d://j/%4/x",
        "d://j/%zz/x",
        "d://j/é/x",
        "d://j/9/x",
        "d://n/-",
        "d://j/{id}/x",
        "D://text",
        "d://n/1",
    ] {
        let want =
            format!("\"message\":\"Resource not found: {uri}\",\"data\":{{\"uri\":\"{uri}\"}}");
        assert_eq!(
            asked("resources/read", &format!("\"uri\":\"{uri}\"")),
            error(&format!("\"code\":-32602,{want}"))
        );
        for version in Version::ALL.into_iter().filter(|v| !v.is_modern()) {
            with_line(Cut::WHOLE, |peer| {
                peer.initialize(version.text());
                let ask = legacy("resources/read", &format!("\"uri\":\"{uri}\""));
                assert_eq!(
                    String::from_utf8(peer.send(ask.as_bytes())).unwrap(),
                    error(&format!("\"code\":-32002,{want}"))
                );
            });
        }
    }
    for params in ["", "\"uri\":7", "\"uri\":null", "\"name\":\"d://text\""] {
        assert_eq!(
            asked("resources/read", params),
            error("\"code\":-32602,\"message\":\"Invalid params: uri must be a string\"")
        );
    }
    assert_eq!(
        asked("resources/read", "\"uri\":\"d://text\",\"uri\":\"d://two\""),
        error("\"code\":-32602,\"message\":\"Invalid params: a member of params stands twice\"")
    );
}

#[test]
fn legacy_revisions_have_no_hints_and_titles_from_2025_06_18() {
    for version in Version::ALL.into_iter().filter(|v| !v.is_modern()) {
        with_line(Cut::WHOLE, |peer| {
            let opened = peer.one(&format!(
                r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"t","version":"0"}}}}}}"#,
                version.text()
            ));
            assert_eq!(
                opened["result"]["capabilities"],
                json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}})
            );
            let read = peer.send(legacy("resources/read", "\"uri\":\"d://text\"").as_bytes());
            assert_eq!(
                String::from_utf8(read).unwrap(),
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":[{\"uri\":\"d://text\",\"mimeType\":\"text/plain\",\"text\":\"\\\"on\\\"\\n\"}]}}\n"
            );
            for (method, member) in [("resources/list", "resources"), ("prompts/list", "prompts")] {
                let list = peer.one(legacy(method, "").trim_end());
                let first = &list["result"][member][0];
                assert_eq!(first["title"].is_string(), version.has_structured());
                assert!(list["result"].get("ttlMs").is_none());
            }
            assert_eq!(peer.server.app.runs, 1);
        });
    }
}

#[test]
fn nothing_is_advertised_that_is_not_there() {
    static BARE: Device<App> = Device::new(Identity::new("d", "1"), &[]);
    let mut memory = Lines::new();
    let mut peer = LinePeer::new(&mut memory, &BARE, App::default(), Cut::WHOLE);
    let found = peer.one(modern("server/discover", "").trim_end());
    assert_eq!(found["result"]["capabilities"], json!({"tools": {}}));
    for method in [
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ] {
        for ask in [modern(method, ""), legacy(method, "")] {
            assert_eq!(
                String::from_utf8(peer.send(ask.as_bytes())).unwrap(),
                error(&format!(
                    "\"code\":-32601,\"message\":\"Method not found: {method}\""
                ))
            );
        }
    }
}

#[test]
fn any_window_sends_the_same() {
    for uri in ["d://blob", "d://two", "d://text", "d://j/1/x"] {
        let ask = modern("resources/read", &format!("\"uri\":\"{uri}\""));
        let whole = with_line(Cut::WHOLE, |peer| peer.send(ask.as_bytes()));
        assert!(whole.len() > 200);
        for output in [1, 7, 64] {
            let cut = Cut { input: 1, output };
            let got = with_line(cut, |peer| {
                let got = peer.send(ask.as_bytes());
                assert!(peer.server.app.runs < 2, "a reader ran twice");
                got
            });
            assert_eq!(got, whole, "{uri} {output}");
        }
    }
}

#[test]
fn lists_come_in_pages() {
    static PAGED: Device<()> = Device::new(Identity::new("d", "1"), &[])
        .resources(&[
            Resource::new("d://1", "one", |_, reading| reading.missing()),
            Resource::new("d://2", "two", |_, reading| reading.missing()),
            Resource::new("d://3", "three", |_, reading| reading.missing()),
        ])
        .page_bytes(60);
    let mut memory = Lines::new();
    let mut peer = LinePeer::new(&mut memory, &PAGED, (), Cut::WHOLE);
    let first = peer.one(modern("resources/list", "").trim_end());
    assert_eq!(
        first["result"]["resources"],
        json!([{"uri": "d://1", "name": "one"}, {"uri": "d://2", "name": "two"}])
    );
    assert_eq!(first["result"]["nextCursor"], "resource2");
    let second = peer.one(modern("resources/list", "\"cursor\":\"resource2\"").trim_end());
    assert_eq!(
        second["result"]["resources"],
        json!([{"uri": "d://3", "name": "three"}])
    );
    assert!(second["result"].get("nextCursor").is_none());
    for cursor in [
        "resource1",
        "resource3",
        "resource0",
        "tool2",
        "template2",
        "",
    ] {
        let refused =
            peer.one(modern("resources/list", &format!("\"cursor\":\"{cursor}\"")).trim_end());
        assert_eq!(refused["error"]["code"], -32602, "{cursor}");
    }
    let empty = peer.one(modern("resources/templates/list", "").trim_end());
    assert_eq!(empty["result"]["resourceTemplates"], json!([]));
}

#[test]
fn prompts_are_exact() {
    assert_eq!(
        asked(
            "prompts/get",
            r#""name":"greet","arguments":{"who":"\u0041\"n","how":""}"#
        ),
        result(
            r#""description":"Greets.","messages":[{"role":"user","content":{"type":"text","text":"Hello A\"n true"}},{"role":"assistant","content":{"type":"text","text":"Hi."}},{"role":"user","content":{"type":"resource","resource":{"uri":"d://two","blob":"AQ=="}}}]"#
        )
    );
    for (params, message) in [
        (r#""name":"greet""#, "Invalid params: who is missing"),
        (
            r#""name":"greet","arguments":{"how":"x"}"#,
            "Invalid params: who is missing",
        ),
        (
            r#""name":"greet","arguments":{"who":1}"#,
            "Invalid params: who must be a string",
        ),
        (
            r#""name":"greet","arguments":{"who":"a","wh\u006f":"b"}"#,
            "Invalid params: who stands twice",
        ),
        (
            r#""name":"greet","arguments":{"who":"a","x":"b"}"#,
            "Invalid params: an argument is not known",
        ),
        (
            r#""name":"greet","arguments":[]"#,
            "Invalid params: arguments must be an object",
        ),
        (r#""name":"none""#, "Unknown prompt: none"),
        ("", "Invalid params: name must be a string"),
    ] {
        assert_eq!(
            asked("prompts/get", params),
            error(&format!("\"code\":-32602,\"message\":\"{message}\""))
        );
    }
    for (name, why) in [("mute", "mute: no answer"), ("broken", "not now")] {
        assert_eq!(
            asked("prompts/get", &format!("\"name\":\"{name}\"")),
            error(&format!(
                "\"code\":-32603,\"message\":\"Internal error: {why}\""
            ))
        );
    }
}

#[test]
fn completion_offers_what_begins_so() {
    let complete = |prompt: &str, argument: &str, value: &str| {
        asked(
            "completion/complete",
            &format!(
                r#""ref":{{"type":"ref/prompt","name":"{prompt}"}},"argument":{{"name":"{argument}","value":"{value}"}}"#
            ),
        )
    };
    let values = |members: &str| result(&format!("\"completion\":{{{members}}}"));
    assert_eq!(
        complete("greet", "who", "\\u0061n"),
        values(r#""values":["ann","anton"],"total":2,"hasMore":false"#)
    );
    assert_eq!(
        complete("greet", "who", "annx"),
        values(r#""values":[],"total":0,"hasMore":false"#)
    );
    assert_eq!(
        complete("greet", "how", ""),
        values(r#""values":[],"total":0,"hasMore":false"#)
    );
    assert_eq!(
        complete("greet", "x", ""),
        error("\"code\":-32602,\"message\":\"Invalid params: an argument is not known\"")
    );
    assert_eq!(
        complete("none", "x", ""),
        error("\"code\":-32602,\"message\":\"Unknown prompt: none\"")
    );
    for params in [
        "",
        r#""ref":{"type":"ref/resource","uri":"d://text"},"argument":{"name":"a","value":""}"#,
    ] {
        let answer = asked("completion/complete", params);
        assert!(answer.contains("\"code\":-32602"), "{answer}");
    }
}

#[test]
fn the_arm_can_be_read() {
    let mut memory = Lines::new();
    let arm = bench_arm::Arm::new();
    let mut peer = LinePeer::new(&mut memory, &bench_arm::DEVICE, arm, Cut::WHOLE);
    for (name, text) in [
        ("temperature", r#"{"celsius":24.5}"#),
        ("pose", r#"{"deg":[0.0,0.0,0.0,0.0,0.0,0.0]}"#),
    ] {
        let uri = format!("device://bench-arm/{name}");
        let answer = peer.one(modern("resources/read", &format!("\"uri\":\"{uri}\"")).trim_end());
        assert_eq!(
            answer["result"]["contents"],
            json!([{"uri": uri, "mimeType": "application/json", "text": text}])
        );
        assert_eq!(answer["result"]["ttlMs"], 0);
        assert_eq!(answer["result"]["cacheScope"], "private");
    }
}

/// A hundred values at most, and the number of all (M-159).
#[test]
fn completion_ends_at_its_limit() {
    static FULL: Device<()> = Device::new(Identity::new("d", "1"), &[]).prompts(&[Prompt {
        arguments: &[Argument::new("a", "").values(&["v"; 101])],
        ..Prompt::new("p", "", |_, messages| messages.text("x"))
    }]);
    let mut memory = Lines::new();
    let mut peer = LinePeer::new(&mut memory, &FULL, (), Cut::WHOLE);
    let answer = peer.one(
        modern(
            "completion/complete",
            r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}"#,
        )
        .trim_end(),
    );
    let completion = &answer["result"]["completion"];
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
    assert_eq!(completion["total"], 101);
    assert_eq!(completion["hasMore"], true);
}

fn post(method: &str, params: &str, name: &str) -> Answer {
    let body = modern(method, params);
    let mut memory = HttpMemory::<2048, 256>::new();
    let mut peer = HttpPeer::new(
        &mut memory,
        HttpConfig::LOOPBACK,
        &DEVICE,
        App::default(),
        Cut {
            input: usize::MAX,
            output: 61,
        },
    );
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n",
        body.len()
    );
    peer.ask(format!("{head}{body}").as_bytes())
}

#[test]
fn http_answers_the_same_and_checks_the_name() {
    for (method, params, name) in [
        ("resources/read", "\"uri\":\"d://blob\"", "d://blob"),
        ("resources/read", "\"uri\":\"d:\\/\\/text\"", "d://text"),
        ("resources/read", "\"uri\":\"d://none\"", "d://none"),
        ("prompts/get", "\"name\":\"mute\"", "mute"),
        (
            "prompts/get",
            "\"name\":\"greet\",\"arguments\":{\"who\":\"x\"}",
            "greet",
        ),
        ("resources/list", "", ""),
        ("prompts/list", "", ""),
    ] {
        let header = if name.is_empty() {
            String::new()
        } else {
            format!("Mcp-Name: {name}\r\n")
        };
        let answer = post(method, params, &header);
        assert_eq!(answer.status, 200);
        assert_eq!(
            String::from_utf8(answer.body).unwrap() + "\n",
            asked(method, params)
        );
        if name.is_empty() {
            continue;
        }
        for header in ["", "Mcp-Name: other\r\n"] {
            let answer = post(method, params, header);
            assert_eq!(answer.status, 400);
            assert_eq!(answer.json()["error"]["code"], -32020);
        }
    }
}

#[test]
fn a_batch_holds_readings_of_its_revision_only() {
    with_line(Cut::WHOLE, |peer| {
        peer.initialize("2025-03-26");
        let batch = format!(
            "[{},{}]\n",
            legacy("resources/read", "\"uri\":\"d://text\"").trim_end(),
            modern("resources/read", "\"uri\":\"d://text\"").trim_end()
        );
        let answers: Value = serde_json::from_slice(&peer.send(batch.as_bytes())).unwrap();
        assert_eq!(answers[0]["result"]["contents"][0]["text"], "\"on\"\n");
        assert_eq!(answers[1]["error"]["code"], -32600);
        assert_eq!(peer.server.app.runs, 1);
    });
}

#[test]
fn parameters_of_templates_are_completed() {
    // M-159.
    let ask = |uri: &str, name: &str, value: &str| {
        asked(
            "completion/complete",
            &format!(
                r#""ref":{{"type":"ref/resource","uri":"{uri}"}},"argument":{{"name":"{name}","value":"{value}"}}"#
            ),
        )
    };
    let pair = "d://n/{a}-{b}";
    for (name, value, values) in [
        ("b", "", r#""one","only","two""#),
        ("b", "on", r#""one","only""#),
        ("b", "one", r#""one""#),
        ("b", "x", ""),
        ("a", "", ""),
    ] {
        let count = values.matches(',').count() + usize::from(!values.is_empty());
        let answer = ask(pair, name, value);
        let wanted =
            format!(r#""completion":{{"values":[{values}],"total":{count},"hasMore":false}}"#);
        assert!(answer.contains(&wanted), "{answer}");
    }
    for (uri, name, why) in [
        (pair, "c", "Invalid params: an argument is not known"),
        (pair, "", "Invalid params: an argument is not known"),
        ("d://text", "a", "Resource not found: d://text"),
        ("d://no/{a}", "a", "Resource not found: d://no/{a}"),
    ] {
        let answer = ask(uri, name, "");
        assert!(answer.contains(why), "{answer}");
        assert!(answer.contains("-32602"), "{answer}");
    }
}

#[test]
fn a_parameter_is_read_as_a_number_or_is_missing() {
    static DEVICE: Device<()> =
        Device::new(Identity::new("d", "1"), &[]).templates(&[Resource::new(
            "n://{n}",
            "n",
            |(), reading| match reading.parse::<u8>("n") {
                Some(n) => reading.format(format_args!("{}", n / 2)),
                None => reading.missing(),
            },
        )]);
    let mut memory = LineMemory::<1024, 512, 0, 0>::new();
    let mut peer = LinePeer::new(&mut memory, &DEVICE, (), Cut::WHOLE);
    for (n, half) in [("7", Some("3")), ("255", Some("127")), ("007", Some("3"))] {
        let answer = peer.one(modern("resources/read", &format!(r#""uri":"n://{n}""#)).trim_end());
        assert_eq!(answer["result"]["contents"][0]["text"].as_str(), half);
    }
    for n in ["256", "-1", "x", "7.0", "%37", "1e2"] {
        let answer = peer.one(modern("resources/read", &format!(r#""uri":"n://{n}""#)).trim_end());
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["data"]["uri"], format!("n://{n}"));
    }
}
