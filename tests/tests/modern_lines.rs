//! The modern era over lines, the eras side by side on one line, what each
//! revision's results hold, and every error with its words: sections A to D,
//! H to K, P and Q of the requirements (M-001 to M-046, M-086 to M-125, M-164
//! to M-198).

use agentmote::catalog;
use agentmote::mcp::{Device, Identity, Version};
use agentmote::server::{HttpConfig, LineMemory};
use agentmote::tool::{Answer, Call, Data, Entry, Param, Tool, Type};
use agentmote_tests::peer::{Cut, HttpPeer, LinePeer, Request, lines};
use bench_arm::{Arm, Command};
use serde_json::{Value, json};

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

type Memory = LineMemory<1024, 512, 2, 256>;

/// Runs a case on a line where nothing was said yet, for every cut.
fn fresh<App: Default>(device: &'static Device<App>, test: impl Fn(&mut LinePeer<'_, App>)) {
    for cut in CUTS {
        let mut memory = Memory::new();
        test(&mut LinePeer::new(&mut memory, device, App::default(), cut));
    }
}

/// A whole modern request; `params` are members with a comma behind each.
fn modern(id: &str, method: &str, params: &str) -> String {
    with_meta(
        id,
        method,
        params,
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#,
    )
}

fn with_meta(id: &str, method: &str, params: &str, meta: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{{meta}}}}}}}"#
    )
}

fn bare(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

/// An answer's bytes, for a request with the id 1.
fn refusal(code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"{message}"}}}}"#) + "\n"
}

fn sent<App>(peer: &mut LinePeer<'_, App>, line: &str) -> String {
    let bytes = peer.send(format!("{line}\n").as_bytes());
    String::from_utf8(bytes).expect("UTF-8")
}

// --- a tiny device, byte for byte

static TINY: Device<()> = Device::new(Identity::new("tiny", "1.0"), catalog![LedOn]);

struct LedOn;

impl LedOn {
    const ENTRY: Entry<()> = Entry {
        tool: Tool::new("led_on", "Switches the light on."),
        run: |(), call| call.text("on"),
    };
}

const TINY_META: &str =
    r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"tiny","version":"1.0"}}"#;

#[test]
fn discover_is_this_line() {
    // M-033 to M-035, M-042: no serverInfo outside of _meta.
    fresh(&TINY, |peer| {
        assert_eq!(
            sent(peer, &modern("1", "server/discover", "")),
            format!(
                concat!(
                    r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","#,
                    r#""supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"#,
                    r#""capabilities":{{"tools":{{}}}},"ttlMs":3600000,"cacheScope":"public",{}}}}}"#,
                    "\n"
                ),
                TINY_META
            )
        );
    });
}

#[test]
fn the_tool_list_is_this_line() {
    fresh(&TINY, |peer| {
        assert_eq!(
            sent(peer, &modern("1", "tools/list", "")),
            format!(
                concat!(
                    r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","tools":["#,
                    r#"{{"name":"led_on","description":"Switches the light on.","#,
                    r#""inputSchema":{{"type":"object","properties":{{}},"additionalProperties":false}},"#,
                    r#""annotations":{{"readOnlyHint":false,"destructiveHint":false,"#,
                    r#""idempotentHint":false,"openWorldHint":false}}}}],"#,
                    r#""ttlMs":3600000,"cacheScope":"public",{}}}}}"#,
                    "\n"
                ),
                TINY_META
            )
        );
    });
}

#[test]
fn a_call_is_this_line_and_has_no_cache_hints() {
    // M-040, M-043, M-115.
    fresh(&TINY, |peer| {
        for arguments in ["", r#""arguments":{},"#] {
            let params = format!(r#""name":"led_on",{arguments}"#);
            assert_eq!(
                sent(peer, &modern("\"a\\n\"", "tools/call", &params)),
                format!(
                    concat!(
                        r#"{{"jsonrpc":"2.0","id":"a\n","result":{{"resultType":"complete","#,
                        r#""content":[{{"type":"text","text":"on"}}],{}}}}}"#,
                        "\n"
                    ),
                    TINY_META
                )
            );
        }
    });
}

#[test]
fn a_device_without_tools_lists_none() {
    // M-096.
    static NONE: Device<()> = Device::new(Identity::new("none", "0"), &[]);
    fresh(&NONE, |peer| {
        let answer = peer.one(&modern("1", "tools/list", ""));
        assert_eq!(answer["result"]["tools"], json!([]));
        assert!(answer["result"].get("nextCursor").is_none());
    });
}

#[test]
fn what_a_device_says_of_itself_is_told_where_it_belongs() {
    static SAID: Device<()> = Device::new(
        Identity {
            title: "A \"lamp\"",
            instructions: "Line one.\nLine two.",
            ..Identity::new("lamp", "2.1")
        },
        &[],
    )
    .ttl_ms(0);
    fresh(&SAID, |peer| {
        let identity = json!({"name": "lamp", "title": "A \"lamp\"", "version": "2.1"});
        let discovered = peer.one(&modern("1", "server/discover", ""));
        assert_eq!(discovered["result"]["instructions"], "Line one.\nLine two.");
        assert_eq!(discovered["result"]["ttlMs"], 0);
        assert_eq!(
            discovered["result"]["_meta"]["io.modelcontextprotocol/serverInfo"],
            identity
        );
        let list = peer.one(&modern("1", "tools/list", ""));
        assert_eq!(list["result"]["ttlMs"], 0);
        assert!(list["result"].get("instructions").is_none());
        assert_eq!(
            list["result"]["_meta"]["io.modelcontextprotocol/serverInfo"],
            identity
        );
    });
    for (version, titled) in [
        ("2025-11-25", true),
        ("2025-06-18", true),
        ("2025-03-26", false),
        ("2024-11-05", false),
    ] {
        fresh(&SAID, |peer| {
            let answer = peer.one(&initialize(version));
            let mut identity = json!({"name": "lamp", "version": "2.1"});
            if titled {
                identity["title"] = json!("A \"lamp\"");
            }
            assert_eq!(
                answer["result"],
                json!({
                    "protocolVersion": version,
                    "capabilities": {"tools": {}},
                    "serverInfo": identity,
                    "instructions": "Line one.\nLine two.",
                })
            );
        });
    }
}

fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
    )
}

// --- what a modern request must carry

const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
const CLIENT: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;

#[test]
fn the_required_members_of_meta_are_required() {
    // M-020, M-022; a version of the wrong type is still a modern request.
    let lacks_version = refusal(
        -32602,
        "Missing or malformed _meta io.modelcontextprotocol/protocolVersion",
    );
    let lacks_client = refusal(
        -32602,
        "Missing or malformed _meta io.modelcontextprotocol/clientCapabilities",
    );
    for method in [
        "server/discover",
        "tools/list",
        "tools/call",
        "ping",
        "no/such",
    ] {
        fresh(&TINY, |peer| {
            assert_eq!(
                sent(peer, &with_meta("1", method, "", VERSION)),
                lacks_client
            );
            for wrong in ["null", "true", "7", "\"{}\"", "[]"] {
                let meta =
                    format!(r#"{VERSION},"io.modelcontextprotocol/clientCapabilities":{wrong}"#);
                assert_eq!(sent(peer, &with_meta("1", method, "", &meta)), lacks_client);
            }
            for wrong in ["null", "true", "20260728", "{}", "[\"2026-07-28\"]"] {
                let meta = format!(r#""io.modelcontextprotocol/protocolVersion":{wrong},{CLIENT}"#);
                assert_eq!(
                    sent(peer, &with_meta("1", method, "", &meta)),
                    lacks_version
                );
            }
        });
    }
}

#[test]
fn optional_and_unknown_members_of_meta_are_let_be() {
    // M-021, M-029, M-032, M-125.
    for extra in [
        r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}"#,
        r#""io.modelcontextprotocol/clientInfo":17"#,
        r#""io.modelcontextprotocol/logLevel":"shout""#,
        r#""traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01""#,
        r#""progressToken":"p","baggage":"","example.com/x":[[{}]]"#,
    ] {
        fresh(&TINY, |peer| {
            let line = with_meta(
                "1",
                "tools/call",
                r#""name":"led_on","task":{"ttl":1},"#,
                &format!("{extra},{CLIENT},{VERSION}"),
            );
            assert_eq!(peer.one(&line)["result"]["content"][0]["text"], "on");
        });
    }
}

#[test]
fn a_version_that_is_not_spoken_is_told_the_spoken_ones() {
    // M-023, M-024; a legacy version in _meta is none that can be asked so.
    for (asked, shown) in [
        ("2031-01-01", "2031-01-01"),
        ("2025-11-25", "2025-11-25"),
        ("", ""),
        (r"2026-07\u002d29", r"2026-07\u002d29"),
        (r#"a\"b"#, r#"a\"b"#),
    ] {
        fresh(&TINY, |peer| {
            for method in ["server/discover", "tools/list", "initialize", "no/such"] {
                let meta =
                    format!(r#""io.modelcontextprotocol/protocolVersion":"{asked}",{CLIENT}"#);
                assert_eq!(
                    sent(peer, &with_meta("1", method, "", &meta)),
                    format!(
                        concat!(
                            r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32022,"#,
                            r#""message":"Unsupported protocol version: {}","#,
                            r#""data":{{"supported":["2026-07-28"],"requested":"{}"}}}}}}"#,
                            "\n"
                        ),
                        shown, asked
                    )
                );
            }
        });
    }
    // The version may be spelled with escapes.
    fresh(&TINY, |peer| {
        let meta =
            format!(r#""io.modelcontextprotocol\/protocolVersion":"2026-07-2\u0038",{CLIENT}"#);
        let answer = peer.one(&with_meta("1", "server/discover", "", &meta));
        assert_eq!(answer["result"]["resultType"], "complete");
    });
}

#[test]
fn nothing_is_remembered_of_a_modern_request() {
    // M-026, M-027.
    fresh(&TINY, |peer| {
        assert!(peer.one(&modern("1", "tools/list", ""))["result"].is_object());
        assert_eq!(
            sent(peer, &bare("1", "tools/list")),
            refusal(
                -32602,
                "Invalid params: send initialize first, or _meta with io.modelcontextprotocol/protocolVersion"
            )
        );
        assert_eq!(
            sent(peer, &with_meta("1", "tools/list", "", VERSION)),
            refusal(
                -32602,
                "Missing or malformed _meta io.modelcontextprotocol/clientCapabilities"
            )
        );
    });
    // Capabilities count for the request that declares them, and for no other.
    fresh(&NEEDS, |peer| {
        let call = |client: &str| {
            let meta =
                format!(r#"{VERSION},"io.modelcontextprotocol/clientCapabilities":{client}"#);
            with_meta("1", "tools/call", r#""name":"ask","#, &meta)
        };
        let lacks = concat!(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"#,
            r#""message":"The client lacks a capability that this tool needs","#,
            r#""data":{"requiredCapabilities":{"elicitation":{}}}}}"#,
            "\n"
        );
        assert_eq!(sent(peer, &call("{}")), lacks);
        assert!(peer.one(&call(r#"{"elicitation":{}}"#))["result"].is_object());
        assert_eq!(sent(peer, &call("{}")), lacks);
        // M-025: a capability is an object.
        assert_eq!(sent(peer, &call(r#"{"elicitation":true}"#)), lacks);
    });
}

// --- the eras on one line

#[test]
fn before_the_handshake_only_ping_is_answered_to_a_legacy_client() {
    fresh(&TINY, |peer| {
        assert_eq!(
            sent(peer, &bare("1", "ping")),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
        );
        let first = "Invalid params: send initialize first, or _meta with io.modelcontextprotocol/protocolVersion";
        for method in ["tools/list", "tools/call"] {
            assert_eq!(sent(peer, &bare("1", method)), refusal(-32602, first));
        }
        // M-169: a progress token makes no modern request.
        assert_eq!(
            sent(
                peer,
                &with_meta("1", "tools/list", "", r#""progressToken":1"#)
            ),
            refusal(-32602, first)
        );
        assert_eq!(
            sent(peer, &bare("1", "server/discover")),
            refusal(-32601, "Method not found: server/discover")
        );
        assert!(sent(peer, &bare_notification("notifications/initialized")).is_empty());
        assert_eq!(sent(peer, &bare("1", "tools/list")), refusal(-32602, first));
    });
}

fn bare_notification(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#)
}

#[test]
fn initialize_with_modern_meta_is_no_method() {
    // M-167: the name alone does not decide, and nothing is opened by it.
    fresh(&TINY, |peer| {
        for method in [
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
        ] {
            assert_eq!(
                sent(
                    peer,
                    &modern(
                        "1",
                        method,
                        r#""protocolVersion":"2025-11-25","capabilities":{},"#
                    )
                ),
                refusal(-32601, &format!("Method not found: {method}"))
            );
        }
        assert_eq!(peer.one(&bare("1", "tools/list"))["error"]["code"], -32602);
    });
}

#[test]
fn a_line_speaks_both_eras_in_any_order() {
    // M-164, M-165, M-192.
    let legacy = |peer: &mut LinePeer<'_, ()>| {
        let answer = peer.one(&bare("2", "tools/list"));
        let members: Vec<_> = keys(&answer["result"]);
        assert_eq!(members, ["tools"]);
    };
    let new = |peer: &mut LinePeer<'_, ()>| {
        let answer = peer.one(&modern("3", "tools/list", ""));
        assert_eq!(
            keys(&answer["result"]),
            ["_meta", "cacheScope", "resultType", "tools", "ttlMs"]
        );
    };
    fresh(&TINY, |peer| {
        peer.initialize("2025-06-18");
        legacy(peer);
        new(peer);
        legacy(peer);
    });
    fresh(&TINY, |peer| {
        new(peer);
        peer.initialize("2025-06-18");
        new(peer);
        legacy(peer);
        // A second handshake replaces the first.
        peer.initialize("2025-03-26");
        assert!(
            peer.one(&bare("1", "tools/list"))["result"]["tools"][0]
                .get("annotations")
                .is_some()
        );
        peer.initialize("2024-11-05");
        assert!(
            peer.one(&bare("1", "tools/list"))["result"]["tools"][0]
                .get("annotations")
                .is_none()
        );
        // M-093: the end of the input ends the session too.
        peer.reset();
        assert_eq!(peer.one(&bare("1", "tools/list"))["error"]["code"], -32602);
        new(peer);
    });
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

#[test]
fn notifications_are_never_answered() {
    // M-011, M-012, M-092.
    for opened in [false, true] {
        fresh(&TINY, |peer| {
            if opened {
                peer.initialize("2025-11-25");
            }
            for notification in [
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}"#,
                r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"led_on"}}"#,
                r#"{"jsonrpc":"2.0","method":"tools/call","params":7}"#,
                r#"{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
                r#"{"jsonrpc":"2.0","method":"no/such"}"#,
                r#"{"jsonrpc":"2.0","method":""}"#,
                r#"{"jsonrpc":"2.0","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}"#,
                r#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
                r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#,
            ] {
                assert_eq!(sent(peer, notification), "", "{notification}");
            }
            // `initialize` without an id has opened nothing.
            let answer = peer.one(&bare("1", "tools/list"));
            assert_eq!(answer.get("error").is_none(), opened);
        });
    }
}

// --- pages

#[derive(Default)]
struct Pages;

macro_rules! entry {
    ($name:ident, $description:literal) => {
        struct $name;
        impl $name {
            const ENTRY: Entry<Pages> = Entry {
                tool: Tool::new(stringify!($name), $description),
                run: |_, call| call.text(stringify!($name)),
            };
        }
    };
}
entry!(A, "Short.");
entry!(
    B,
    "Longer than the others, so that the pages do not all hold the same number of tools."
);
entry!(C, "Short.");
entry!(D, "Short too.");
entry!(E, "The last one.");

macro_rules! paged {
    ($($name:ident: $bytes:expr;)*) => { $(
        static $name: Device<Pages> =
            Device::new(Identity::new("pages", "1"), catalog![A, B, C, D, E]).page_bytes($bytes);
    )* };
}
paged! {
    ONE_PAGE: 0;
    LARGE: 100_000;
    ODD: 550;
    SMALL: 1;
}

/// Follows the cursors; gives the number of pages and all tools.
fn all_pages(peer: &mut LinePeer<'_, Pages>, ask: impl Fn(&str) -> String) -> (usize, Vec<Value>) {
    let mut tools = Vec::new();
    let mut cursor = String::new();
    for pages in 1..=6 {
        let result = peer.one(&ask(&cursor))["result"].take();
        let page = result["tools"].as_array().expect("tools");
        assert!(!page.is_empty(), "a page without a tool");
        tools.extend(page.iter().cloned());
        // M-045: the same scope on each page.
        assert_eq!(
            result.get("cacheScope").is_some(),
            ask("").contains("_meta")
        );
        match result.get("nextCursor") {
            None => return (pages, tools),
            Some(next) => cursor = format!(r#""cursor":{next},"#),
        }
    }
    panic!("the pages do not end");
}

#[test]
fn the_pages_together_are_the_list() {
    // M-105.
    for (device, expected) in [(&ONE_PAGE, 1), (&LARGE, 1), (&ODD, 3), (&SMALL, 5)] {
        fresh(device, |peer| {
            let (pages, tools) = all_pages(peer, |cursor| modern("1", "tools/list", cursor));
            assert_eq!(pages, expected);
            let mut memory = Memory::new();
            let mut whole = LinePeer::new(&mut memory, &ONE_PAGE, Pages, Cut::WHOLE);
            let unpaged = whole.one(&modern("1", "tools/list", ""));
            assert_eq!(json!(tools), unpaged["result"]["tools"]);
        });
    }
    // Each revision pages by the length of its own descriptions.
    fresh(&ODD, |peer| {
        for version in Version::ALL
            .into_iter()
            .filter(|version| !version.is_modern())
        {
            peer.initialize(version.text());
            let (pages, tools) = all_pages(peer, |cursor| {
                let params = cursor.trim_end_matches(',');
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{params}}}}}"#)
            });
            assert!((2..=3).contains(&pages), "{pages}");
            let names: Vec<_> = tools.iter().map(|tool| tool["name"].clone()).collect();
            assert_eq!(names, ["A", "B", "C", "D", "E"]);
        }
    });
}

#[test]
fn a_cursor_that_no_page_gave_is_refused() {
    // M-106; also where there is only one page.
    let invalid = refusal(-32602, "Invalid cursor");
    for device in [&ONE_PAGE, &LARGE, &ODD, &SMALL] {
        fresh(device, |peer| {
            for cursor in [
                "\"\"",
                "\"tool0\"",
                "\"tool5\"",
                "\"tool6\"",
                "\"tool01\"",
                "\"tool-1\"",
                "\"tool\"",
                "\"tool256\"",
                "\"tool1 \"",
                "\"TOOL1\"",
                "\"1\"",
                "null",
                "1",
                "{}",
                "[\"tool1\"]",
                "true",
            ] {
                let params = format!(r#""cursor":{cursor},"#);
                assert_eq!(
                    sent(peer, &modern("1", "tools/list", &params)),
                    invalid,
                    "{cursor}"
                );
            }
        });
    }
    // The cursor of another page size names no end of a page here.
    fresh(&ODD, |peer| {
        let first = peer.one(&modern("1", "tools/list", ""));
        let next = first["result"]["nextCursor"].as_str().expect("a cursor");
        let other = if next == "tool1" { "tool2" } else { "tool1" };
        let params = format!(r#""cursor":"{other}","#);
        assert_eq!(sent(peer, &modern("1", "tools/list", &params)), invalid);
        // It may be spelled with escapes, and used again.
        let spelled = next.replace('t', "\\u0074");
        for cursor in [next, &spelled, next] {
            let params = format!(r#""cursor":"{cursor}","#);
            assert!(peer.one(&modern("1", "tools/list", &params))["result"].is_object());
        }
    });
}

// --- every revision's results

#[derive(Default)]
struct Blocks;

struct Mixed;
struct Measured;

impl Mixed {
    const ENTRY: Entry<Blocks> = Entry {
        tool: Tool {
            title: "Everything",
            ..Tool::new("mixed", "Answers every block.")
        },
        run: |_, call| {
            let _ = call.text("t\u{e9}xt");
            let _ = call.image(Data::Static(&[1, 2, 3]), "image/png");
            let _ = call.audio(Data::Copied(&[255]), "audio/wav");
            let _ = call.link("device://x", "x", "text/plain");
            let _ = call.link("device://y", "y", "");
            let _ = call.resource_text("device://z", "text/plain", "a\nb");
            call.resource_blob("device://w", "", Data::Static(&[0, 0]))
        },
    };
}

impl Measured {
    const ENTRY: Entry<Blocks> = Entry {
        tool: Tool {
            output: Some(&[Param::new("celsius", "Of the board.", Type::NUMBER)]),
            ..Tool::new("measured", "Measures.")
        },
        run: measure,
    };
}

fn measure(_: &mut Blocks, call: &mut Call<'_>) -> Answer {
    #[derive(agentmote::ToolResult)]
    struct Temp {
        celsius: f64,
    }
    call.structured(&Temp { celsius: 21.5 })
}

static BLOCKS: Device<Blocks> =
    Device::new(Identity::new("blocks", "1"), catalog![Mixed, Measured]);

fn ask(peer: &mut LinePeer<'_, Blocks>, version: Version, method: &str, params: &str) -> Value {
    let line = if version.is_modern() {
        modern("1", method, params)
    } else {
        peer.initialize(version.text());
        let params = params.trim_end_matches(',');
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}}}}}"#)
    };
    peer.one(&line)["result"].take()
}

#[test]
fn each_revision_lists_what_it_knows_of() {
    // M-100, M-103, M-114, M-193.
    for version in Version::ALL {
        fresh(&BLOCKS, |peer| {
            let result = ask(peer, version, "tools/list", "");
            let later = |from: Version| version >= from;
            let mut members = vec!["description", "inputSchema", "name"];
            if later(Version::V2025_03_26) {
                members.push("annotations");
            }
            if later(Version::V2025_06_18) {
                members.push("title");
            }
            members.sort_unstable();
            assert_eq!(keys(&result["tools"][0]), members, "{version:?}");
            members.retain(|member| *member != "title");
            if later(Version::V2025_06_18) {
                members.push("outputSchema");
            }
            members.sort_unstable();
            assert_eq!(keys(&result["tools"][1]), members, "{version:?}");
            if later(Version::V2025_06_18) {
                assert_eq!(
                    result["tools"][1]["outputSchema"],
                    json!({
                        "type": "object",
                        "properties": {"celsius": {"type": "number", "description": "Of the board."}},
                        "required": ["celsius"],
                        "additionalProperties": false,
                    })
                );
            }
            let expected: &[&str] = if version.is_modern() {
                &["_meta", "cacheScope", "resultType", "tools", "ttlMs"]
            } else {
                &["tools"]
            };
            assert_eq!(keys(&result), expected);
        });
    }
}

#[test]
fn each_revision_gets_the_blocks_it_knows_of() {
    // M-121, M-122.
    for version in Version::ALL {
        let audio = if version >= Version::V2025_03_26 {
            json!({"type": "audio", "data": "/w==", "mimeType": "audio/wav"})
        } else {
            json!({"type": "text", "text": "[sound of type audio/wav]"})
        };
        let (link, bare_link) = if version >= Version::V2025_06_18 {
            (
                json!({"type": "resource_link", "uri": "device://x", "name": "x", "mimeType": "text/plain"}),
                json!({"type": "resource_link", "uri": "device://y", "name": "y"}),
            )
        } else {
            (
                json!({"type": "text", "text": "x: device://x"}),
                json!({"type": "text", "text": "y: device://y"}),
            )
        };
        fresh(&BLOCKS, |peer| {
            let result = ask(peer, version, "tools/call", r#""name":"mixed","#);
            assert_eq!(
                result["content"],
                json!([
                    {"type": "text", "text": "t\u{e9}xt"},
                    {"type": "image", "data": "AQID", "mimeType": "image/png"},
                    audio,
                    link,
                    bare_link,
                    {"type": "resource", "resource": {"uri": "device://z", "mimeType": "text/plain", "text": "a\nb"}},
                    {"type": "resource", "resource": {"uri": "device://w", "blob": "AAA="}},
                ]),
                "{version:?}"
            );
            let expected: &[&str] = if version.is_modern() {
                &["_meta", "content", "resultType"]
            } else {
                &["content"]
            };
            assert_eq!(keys(&result), expected);
        });
    }
}

#[test]
fn each_revision_gets_a_structured_result_in_its_way() {
    // M-114, M-123, M-193.
    for version in Version::ALL {
        fresh(&BLOCKS, |peer| {
            let mut result = ask(peer, version, "tools/call", r#""name":"measured","#);
            let mut expected = json!({"content": [{"type": "text", "text": "{\"celsius\":21.5}"}]});
            if version >= Version::V2025_06_18 {
                expected["structuredContent"] = json!({"celsius": 21.5});
            }
            if version.is_modern() {
                expected["resultType"] = json!("complete");
                expected["_meta"] = json!({"io.modelcontextprotocol/serverInfo": {"name": "blocks", "version": "1"}});
            }
            assert_eq!(result.take(), expected, "{version:?}");
        });
    }
}

#[test]
fn a_failure_of_a_tool_is_a_result_in_every_revision() {
    // M-119, M-120, M-194.
    for version in Version::ALL {
        fresh(&BLOCKS, |peer| {
            let result = ask(
                peer,
                version,
                "tools/call",
                r#""name":"measured","arguments":{"x":1},"#,
            );
            assert_eq!(result["isError"], true);
            assert_eq!(result["content"][0]["text"], "x: unknown parameter");
            assert!(result.get("structuredContent").is_none());
        });
    }
}

// --- batches of 2025-03-26

fn arm(test: impl Fn(&mut LinePeer<'_, Arm>)) {
    fresh(&bench_arm::DEVICE, test);
}

#[test]
fn a_batch_is_answered_by_one_array() {
    // M-197.
    arm(|peer| {
        peer.initialize("2025-03-26");
        assert_eq!(
            sent(
                peer,
                concat!(
                    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}, "#,
                    r#"{"jsonrpc":"2.0","method":"notifications/initialized"},"#,
                    r#"{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"arm_stop"}},"#,
                    r#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25"}},"#,
                    r#"null,{"jsonrpc":"2.0","id":4,"result":{}},[],"#,
                    r#"{"jsonrpc":"2.0","id":5,"method":"no"}]"#
                )
            ),
            concat!(
                r#"[{"jsonrpc":"2.0","id":1,"result":{}},"#,
                r#"{"jsonrpc":"2.0","id":"b","result":{"content":[{"type":"text","text":"stopped"}]}},"#,
                r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid request: initialize cannot be in a batch"}},"#,
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the message is not an object"}},"#,
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the message is not an object"}},"#,
                r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"Method not found: no"}}]"#,
                "\n"
            )
        );
        // `initialize` in a batch has changed nothing.
        assert!(
            peer.one(&bare("1", "tools/list"))["result"]["tools"][0]
                .get("title")
                .is_none()
        );
    });
}

#[test]
fn a_batch_without_requests_is_not_answered() {
    arm(|peer| {
        peer.initialize("2025-03-26");
        for batch in [
            r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
            r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#,
        ] {
            assert_eq!(sent(peer, batch), "");
        }
        assert_eq!(peer.one(&bare("1", "ping"))["id"], 1);
    });
}

#[test]
fn a_batch_that_is_none_is_one_error() {
    // M-016, M-198.
    let error = |why: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","error":{{"code":-32600,"message":"Invalid request: {why}"}}}}"#
        ) + "\n"
    };
    let ping = format!("[{}]", bare("1", "ping"));
    let foreign = error("a batch is not part of this protocol version");
    arm(|peer| {
        assert_eq!(sent(peer, &ping), foreign);
        for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
            peer.initialize(version);
            assert_eq!(sent(peer, &ping), foreign, "{version}");
            assert_eq!(sent(peer, "[]"), foreign, "{version}");
        }
        peer.initialize("2025-03-26");
        assert_eq!(sent(peer, "[]"), error("a batch must not be empty"));
        assert_eq!(sent(peer, " [ ] "), error("a batch must not be empty"));
        let answer = peer.one(&format!("[{}", bare("1", "ping")));
        assert_eq!(answer["error"]["code"], -32700);
        assert!(answer.get("id").is_none());
    });
}

/// The line could not hear a stop while its array stands open.
#[test]
fn a_slow_call_in_a_batch_is_refused() {
    arm(|peer| {
        peer.initialize("2025-03-26");
        assert_eq!(
            sent(
                peer,
                concat!(
                    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},"#,
                    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":0,"deg":9}}},"#,
                    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":9,"deg":9}}}]"#,
                )
            ),
            concat!(
                r#"[{"jsonrpc":"2.0","id":1,"result":{}},"#,
                r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"#,
                r#""this tool takes its time: call it alone, not in a batch"}],"isError":true}},"#,
                r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"#,
                r#""joint: 9 is above the maximum 5"}],"isError":true}}]"#,
                "\n"
            )
        );
        assert!(peer.pass(10_000).is_empty());
        assert_eq!(peer.server.app.commands(), 0);
    });
}

/// The messages of a call that was in flight before the batch are lines of
/// their own, so none may stand inside the array.
#[test]
fn nothing_is_written_into_the_array_of_a_batch() {
    arm(|peer| {
        peer.initialize("2025-03-26");
        let mut all = peer.send(
            concat!(
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":0,"deg":9},"_meta":{"progressToken":1}}}"#,
                "\n"
            )
            .as_bytes(),
        );
        all.extend(peer.send(
            concat!(
                r#"[{"jsonrpc":"2.0","id":2,"method":"ping"},"#,
                r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":30}}}]"#,
                "\n"
            )
            .as_bytes(),
        ));
        all.extend(peer.pass(10_000));
        let answers = lines(&all);
        let (arrays, single): (Vec<_>, Vec<_>) = answers.iter().partition(|line| line.is_array());
        assert_eq!(arrays.len(), 1);
        assert_eq!(arrays[0].as_array().map(Vec::len), Some(2));
        let done = single.iter().filter(|line| line["id"] == 1).count();
        assert_eq!(done, 1);
    });
}

#[test]
fn a_batch_can_cancel_a_call_in_flight() {
    arm(|peer| {
        peer.initialize("2025-03-26");
        let start = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":3,"deg":90}}}"#;
        assert_eq!(sent(peer, start), "");
        assert_eq!(
            sent(
                peer,
                r#"[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#
            ),
            "[{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}]\n"
        );
        assert!(peer.pass(10_000).is_empty());
        assert_eq!(
            peer.server.app.log().last(),
            Some(Command::Stop { joint: 3 })
        );
    });
}

// --- every error

#[derive(Default)]
struct Needs;
struct Ask;
struct AskAll;

impl Ask {
    const ENTRY: Entry<Needs> = Entry {
        tool: Tool {
            requires: agentmote::tool::Capabilities {
                elicitation: true,
                ..agentmote::tool::Capabilities::NONE
            },
            ..Tool::new("ask", "Asks its user.")
        },
        run: |_, call| call.text("asked"),
    };
}

impl AskAll {
    const ENTRY: Entry<Needs> = Entry {
        tool: Tool {
            requires: agentmote::tool::Capabilities {
                elicitation: true,
                sampling: true,
                roots: true,
            },
            ..Tool::new("ask_all", "Asks everybody.")
        },
        run: |_, call| call.text("asked"),
    };
}

static NEEDS: Device<Needs> = Device::new(Identity::new("needs", "1"), catalog![Ask, AskAll]);

/// Sends one line and compares the whole `error` object, and whether the
/// answer has the id 1.
fn error(line: &str, with_id: bool, code: i32, message: &str) {
    for opened in [false, true] {
        fresh(&NEEDS, |peer| {
            if opened {
                peer.initialize("2025-11-25");
            }
            let id = if with_id { r#""id":1,"# } else { "" };
            assert_eq!(
                sent(peer, line),
                format!(
                    r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":"{message}"}}}}"#
                ) + "\n",
                "{line}"
            );
        });
    }
}

#[test]
fn errors_of_the_text() {
    // M-008.
    for (line, message) in [
        (r#"{"a":"#, "unexpected end at byte 5"),
        (r#"{'a':1}"#, "unexpected character at byte 1"),
        (r#"{} {}"#, "text after the value at byte 3"),
        ("{\"a\":\"\t\"}", "control character in a string at byte 6"),
        (r#"{"a":"\x"}"#, "bad escape at byte 6"),
        (r#"{"a":"\ud800"}"#, "unpaired surrogate at byte 6"),
        (r#"{"a":01}"#, "malformed number at byte 6"),
    ] {
        error(line, false, -32700, &format!("Parse error: {message}"));
    }
    let deep = "[".repeat(33);
    error(
        &format!(r#"{{"a":{deep}"#),
        false,
        -32700,
        "Parse error: nested too deep at byte 36",
    );
    fresh(&NEEDS, |peer| {
        let bytes = peer.send(b"{\"a\":\"\xFF\"}\n");
        assert_eq!(
            String::from_utf8(bytes).expect("UTF-8"),
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error: not UTF-8 at byte 6\"}}\n"
        );
    });
}

#[test]
fn errors_of_the_envelope() {
    // M-002, M-003, M-005.
    let id = "1".repeat(65);
    for (line, with_id, message) in [
        ("7".to_owned(), false, "the message is not an object"),
        ("null".to_owned(), false, "the message is not an object"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","id":1}"#.to_owned(),
            false,
            "a member stands twice: jsonrpc, id, method, params or result",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}"#.to_owned(),
            false,
            "a member stands twice: jsonrpc, id, method, params or result",
        ),
        (bare(&id, "ping"), false, "id is longer than 64 bytes"),
        (
            bare("null", "ping"),
            false,
            "id must be a string or an integer",
        ),
        (
            bare("1.5", "ping"),
            false,
            "id must be a string or an integer",
        ),
        (
            bare("true", "ping"),
            false,
            "id must be a string or an integer",
        ),
        (
            bare("[1]", "ping"),
            false,
            "id must be a string or an integer",
        ),
        (
            r#"{"id":1,"method":"ping"}"#.to_owned(),
            true,
            r#"jsonrpc must be \"2.0\""#,
        ),
        (
            r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#.to_owned(),
            true,
            r#"jsonrpc must be \"2.0\""#,
        ),
        (
            r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#.to_owned(),
            false,
            r#"jsonrpc must be \"2.0\""#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#.to_owned(),
            true,
            "method must be a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#.to_owned(),
            true,
            "method is missing",
        ),
    ] {
        error(
            &line,
            with_id,
            -32600,
            &format!("Invalid request: {message}"),
        );
    }
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#,
        "a".repeat(2000)
    );
    error(
        &long,
        false,
        -32600,
        &format!(
            "Message of {} bytes is too long, the limit is 1024",
            long.len()
        ),
    );
    // The longest id and the longest token there can be are taken.
    fresh(&NEEDS, |peer| {
        let id = format!("\"{}\"", "i".repeat(62));
        let answer = peer.one(&bare(&id, "ping"));
        assert_eq!(answer["id"].as_str().map(str::len), Some(62));
    });
}

#[test]
fn errors_of_params() {
    // M-017, M-118, M-126: of both eras, so the modern members are there.
    let params = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
    };
    let meta = format!(r#""_meta":{{{VERSION},{CLIENT}}}"#);
    let token = |token: &str| {
        with_meta(
            "1",
            "tools/call",
            r#""name":"ask","#,
            &format!(r#"{VERSION},{CLIENT},"progressToken":{token}"#),
        )
    };
    let long = format!("\"{}\"", "p".repeat(63));
    for (line, message) in [
        (params("[]"), "params must be an object"),
        (params("null"), "params must be an object"),
        (params("\"name\""), "params must be an object"),
        (
            params(&format!(r#"{{"name":"ask","name":"ask",{meta}}}"#)),
            "a member of params stands twice",
        ),
        (
            params(&format!(r#"{{{meta},{meta}}}"#)),
            "a member of params stands twice",
        ),
        (params(r#"{"_meta":7}"#), "_meta must be an object"),
        (params(r#"{"_meta":null}"#), "_meta must be an object"),
        (
            params(&format!(r#"{{"_meta":{{{VERSION},{VERSION}}}}}"#)),
            "a member of _meta stands twice",
        ),
        (modern("1", "tools/call", ""), "name must be a string"),
        (
            modern("1", "tools/call", r#""name":7,"#),
            "name must be a string",
        ),
        (
            modern("1", "tools/call", r#""name":null,"#),
            "name must be a string",
        ),
        (
            modern("1", "tools/call", r#""name":"ask","arguments":[],"#),
            "arguments must be an object",
        ),
        (
            modern("1", "tools/call", r#""name":"ask","arguments":null,"#),
            "arguments must be an object",
        ),
        (
            token("1.5"),
            "progressToken must be a string or an integer of at most 64 bytes",
        ),
        (
            token("null"),
            "progressToken must be a string or an integer of at most 64 bytes",
        ),
        (
            token("{}"),
            "progressToken must be a string or an integer of at most 64 bytes",
        ),
        (
            token(&long),
            "progressToken must be a string or an integer of at most 64 bytes",
        ),
    ] {
        error(&line, true, -32602, &format!("Invalid params: {message}"));
    }
    // Of the handshake.
    for asked in ["", r#""protocolVersion":7"#, r#""protocolVersion":null"#] {
        error(
            &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{{asked}}}}}"#),
            true,
            -32602,
            "Invalid params: protocolVersion must be a string",
        );
    }
    error(
        &bare("1", "initialize"),
        true,
        -32602,
        "Invalid params: protocolVersion must be a string",
    );
}

#[test]
fn errors_of_names() {
    // M-009, M-117.
    for method in [
        "prompts/list",
        "Tools/list",
        "tools/list ",
        "",
        "logging/setLevel",
    ] {
        error(
            &modern("1", method, ""),
            true,
            -32601,
            &format!("Method not found: {method}"),
        );
        error(
            &bare("1", method),
            true,
            -32601,
            &format!("Method not found: {method}"),
        );
    }
    for name in ["", "Ask", "ask ", r#"\"\\"#, r"a\u00e9"] {
        error(
            &modern("1", "tools/call", &format!(r#""name":"{name}","#)),
            true,
            -32602,
            &format!("Unknown tool: {name}"),
        );
    }
    // A long name is cut, at the end of a character.
    let long = "é".repeat(40);
    error(
        &modern("1", "tools/call", &format!(r#""name":"{long}","#)),
        true,
        -32602,
        &format!("Unknown tool: {}…", "é".repeat(24)),
    );
}

/// A name that is cut to be shown is still JSON text: an escape is kept or
/// cut as a whole.
#[test]
fn a_cut_name_is_still_json() {
    for escape in [r"\n", r#"\""#, r"\\", r"\u00e9", r"\ud83d\ude00"] {
        for before in 30..52 {
            let name = format!("{}{escape}{}", "a".repeat(before), "b".repeat(40));
            for line in [
                modern("1", "tools/call", &format!(r#""name":"{name}","#)),
                modern("1", &name, ""),
                with_meta(
                    "1",
                    "tools/list",
                    "",
                    &format!(r#""io.modelcontextprotocol/protocolVersion":"{name}",{CLIENT}"#),
                ),
            ] {
                let mut memory = Memory::new();
                let mut peer = LinePeer::new(&mut memory, &NEEDS, Needs, Cut::WHOLE);
                let answer = peer.one(&line);
                let message = answer["error"]["message"].as_str().expect("a message");
                assert!(message.ends_with('…'), "{message}");
            }
        }
    }
}

#[test]
fn errors_of_capabilities() {
    // M-025.
    fresh(&NEEDS, |peer| {
        for (client, missing) in [
            ("{}", r#"{"elicitation":{},"sampling":{},"roots":{}}"#),
            (r#"{"sampling":{}}"#, r#"{"elicitation":{},"roots":{}}"#),
            (r#"{"elicitation":{},"roots":{}}"#, r#"{"sampling":{}}"#),
        ] {
            let meta =
                format!(r#"{VERSION},"io.modelcontextprotocol/clientCapabilities":{client}"#);
            assert_eq!(
                sent(
                    peer,
                    &with_meta("1", "tools/call", r#""name":"ask_all","#, &meta)
                ),
                format!(
                    concat!(
                        r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32021,"#,
                        r#""message":"The client lacks a capability that this tool needs","#,
                        r#""data":{{"requiredCapabilities":{}}}}}}}"#,
                        "\n"
                    ),
                    missing
                )
            );
        }
        // A legacy line remembers what its handshake declared.
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}"#;
        peer.initialize("2025-11-25");
        assert_eq!(peer.one(call)["error"]["code"], -32021);
        let answer = peer.one(&initialize("2025-11-25").replace(
            r#""capabilities":{}"#,
            r#""capabilities":{"elicitation":{}}"#,
        ));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        assert_eq!(peer.one(call)["result"]["content"][0]["text"], "asked");
    });
}

/// The errors that only headers can bring: the same requests as a POST.
#[test]
fn errors_of_headers() {
    // M-063 to M-076.
    let body = |params: &str| modern("1", "tools/call", params);
    let led = body(r#""name":"set_led","arguments":{"color":"red"},"#);
    let bare_led = body(r#""name":"set_led","arguments":{},"#);
    const FINE: [&str; 4] = [
        "MCP-Protocol-Version: 2026-07-28\r\n",
        "Mcp-Method: tools/call\r\n",
        "Mcp-Name: set_led\r\n",
        "Mcp-Param-Color: red\r\n",
    ];
    let other = |at: usize, line: &'static str| {
        let mut lines = FINE;
        lines[at] = line;
        lines
    };
    for (lines, body, message) in [
        (other(0, ""), &led, "Header missing: MCP-Protocol-Version"),
        (other(1, ""), &led, "Header missing: Mcp-Method"),
        (other(2, ""), &led, "Header missing: Mcp-Name"),
        (other(3, ""), &led, "Header missing: Mcp-Param-Color"),
        (
            other(0, "MCP-Protocol-Version: 2026-07-28\u{a0}\r\n"),
            &led,
            "Header malformed: MCP-Protocol-Version",
        ),
        (
            other(1, "Mcp-Method: tools/c\u{e4}ll\r\n"),
            &led,
            "Header malformed: Mcp-Method",
        ),
        (
            other(2, "Mcp-Name: =?base64?c2V0X2xlZA?=\r\n"),
            &led,
            "Header malformed: Mcp-Name",
        ),
        (
            other(0, "MCP-Protocol-Version: 2026-07-29\r\n"),
            &led,
            "Header mismatch: MCP-Protocol-Version is '2026-07-29', body says '2026-07-28'",
        ),
        (
            other(1, "Mcp-Method: tools/\"\\\r\n"),
            &led,
            r#"Header mismatch: Mcp-Method is 'tools/\"\\', body says 'tools/call'"#,
        ),
        (
            other(2, "Mcp-Name: set_LED\r\n"),
            &led,
            "Header mismatch: Mcp-Name is 'set_LED', body says 'set_led'",
        ),
        (
            other(3, "Mcp-Param-Color: blue\r\n"),
            &led,
            "Header mismatch: Mcp-Param-Color",
        ),
        (FINE, &bare_led, "Header mismatch: Mcp-Param-Color"),
        (
            other(
                3,
                "Mcp-Param-Color: =?base64?cmVk\r\nmcp-param-COLOR: red\r\n",
            ),
            &led,
            "Header mismatch: Mcp-Param-Color",
        ),
    ] {
        let answer = post(&lines.concat(), body);
        assert_eq!(answer.status, 400, "{lines:?}");
        assert_eq!(
            String::from_utf8(answer.body).expect("UTF-8") + "\n",
            refusal(-32020, message)
        );
    }
    assert_eq!(post(&FINE.concat(), &led).status, 200);
    // M-056, M-048.
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    for (fields, status, message) in [
        (FINE[0], 400, "a response to nothing"),
        ("Origin: http://evil.example\r\n", 403, "Origin not allowed"),
    ] {
        let answer = post(fields, response);
        assert_eq!(answer.status, status);
        assert_eq!(
            String::from_utf8(answer.body).expect("UTF-8"),
            format!(
                r#"{{"jsonrpc":"2.0","error":{{"code":-32600,"message":"Invalid request: {message}"}}}}"#
            )
        );
    }
    // M-090: on a line there are no headers to miss.
    fresh(&agentmote_tests::fixture::DEVICE, |peer| {
        assert_eq!(peer.one(&led)["result"]["content"][0]["text"], "red");
    });
}

fn post(fields: &str, body: &str) -> agentmote_tests::peer::Answer {
    let mut memory = Request::new();
    let mut peer = HttpPeer::new(
        &mut memory,
        HttpConfig::LOOPBACK,
        &agentmote_tests::fixture::DEVICE,
        agentmote_tests::fixture::Fixture::default(),
        Cut::WHOLE,
    );
    peer.ask(
        format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{fields}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .as_bytes(),
    )
}

#[test]
fn answers_are_lines_of_one_message() {
    // M-086, M-087: nothing is sent before the first request, every answer is
    // one line, and what is sent of a caller's text holds no line break.
    fresh(&TINY, |peer| {
        assert!(peer.send(b"").is_empty());
        assert!(peer.send(b"\n\r\n \t\n").is_empty());
        let answer = sent(peer, &modern(r#""\n\r\u2028""#, "no\\nsuch", ""));
        assert_eq!(answer.matches('\n').count(), 1);
        assert!(answer.contains(r#""id":"\n\r\u2028""#));
        assert!(answer.contains(r"Method not found: no\nsuch"));
    });
}
