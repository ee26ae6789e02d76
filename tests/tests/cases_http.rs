//! What users of such servers hit, over HTTP: cases C-46 to C-62, and the
//! statuses and the order of sections E and F.

use agentmote::server::{Allow, HttpConfig};
use agentmote::tool::Caller;
use agentmote_tests::peer::{Answer, Cut, HttpPeer, Request, answers};
use bench_arm::{Arm, DEVICE};
use serde_json::{Value, json};

const CONFIG: HttpConfig = HttpConfig {
    hosts: Allow::Listed(&["192.0.2.7", "[2001:db8::7]"]),
    origins: Allow::Listed(&["http://192.0.2.7", "http://[2001:db8::7]:8080"]),
    ..HttpConfig::LOOPBACK
};

const CUTS: [Cut; 4] = [
    Cut::WHOLE,
    Cut {
        input: 1,
        output: 4096,
    },
    Cut {
        input: 11,
        output: 7,
    },
    Cut {
        input: usize::MAX,
        output: 1,
    },
];

fn with(config: HttpConfig, test: impl Fn(&mut HttpPeer<'_, Arm>)) {
    for cut in CUTS {
        let mut memory = Request::new();
        test(&mut HttpPeer::new(
            &mut memory,
            config,
            &DEVICE,
            Arm::new(),
            cut,
        ));
    }
}

/// Runs a case on a fresh connection, for every cut. Unless it was closed,
/// the next request works.
fn case(test: impl Fn(&mut HttpPeer<'_, Arm>)) {
    with(CONFIG, |peer| {
        test(peer);
        if !peer.is_closed() {
            let answer = peer.ask(&legacy(r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#));
            assert_eq!(
                answer.json(),
                json!({"jsonrpc":"2.0","id":"next","result":{}})
            );
        }
    });
}

fn refused(test: impl Fn(&mut HttpPeer<'_, Arm>)) {
    case(|peer| {
        test(peer);
        assert_eq!(peer.server.app.commands(), 0, "the arm was commanded");
    });
}

fn post(fields: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn legacy(body: &str) -> Vec<u8> {
    post("MCP-Protocol-Version: 2025-11-25\r\n", body)
}

fn modern_body(id: u32, method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

fn modern(id: u32, method: &str, name: &str, params: &str) -> Vec<u8> {
    let name = if name.is_empty() {
        String::new()
    } else {
        format!("Mcp-Name: {name}\r\n")
    };
    post(
        &format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}"),
        &modern_body(id, method, params),
    )
}

fn error(answer: &Answer, status: u16, code: i64) -> Value {
    let json = answer.json();
    assert_eq!(
        (answer.status, json["error"]["code"].as_i64()),
        (status, Some(code)),
        "{json}"
    );
    assert_eq!(answer.field("content-type"), Some("application/json"));
    json
}

const ARM_STOP: &str = r#""name":"arm_stop","#;

#[test]
fn c46_header_and_body_must_agree() {
    refused(|peer| {
        let request = post(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nMcp-Name: arm_stop\r\n",
            &modern_body(48, "tools/call", ARM_STOP),
        );
        let json = error(&peer.ask(&request), 400, -32020);
        assert_eq!(json["id"], 48);
        assert_eq!(
            json["error"]["message"],
            "Header mismatch: Mcp-Method is 'tools/list', body says 'tools/call'"
        );
    });
}

#[test]
fn c47_the_name_header_must_be_there() {
    refused(|peer| {
        let request = modern(49, "tools/call", "", r#""name":"arm_home","#);
        let json = error(&peer.ask(&request), 400, -32020);
        assert_eq!(json["error"]["message"], "Header missing: Mcp-Name");
    });
}

#[test]
fn c49_the_base64_markers_are_lower_case() {
    refused(|peer| {
        let request = modern(51, "tools/call", "=?BASE64?YXJtX3N0b3A=?=", ARM_STOP);
        error(&peer.ask(&request), 400, -32020);
        for name in [
            "=?base64?YXJtX3N0b3A?=",
            "=?base64?=",
            "=?base64??=",
            "arm_stopp",
            "ARM_STOP",
        ] {
            let request = modern(51, "tools/call", name, ARM_STOP);
            error(&peer.ask(&request), 400, -32020);
        }
    });
    case(|peer| {
        let request = modern(51, "tools/call", "=?base64?YXJtX3N0b3A=?=", ARM_STOP);
        let answer = peer.ask(&request);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.json()["result"]["content"][0]["text"], "stopped");
    });
}

#[test]
fn c49_spaces_around_a_value_do_not_count() {
    case(|peer| {
        let request = modern(51, "tools/call", "  \tarm_stop \t", ARM_STOP);
        assert_eq!(peer.ask(&request).status, 200);
    });
}

#[test]
fn c50_an_unknown_version_is_told_the_known_ones() {
    case(|peer| {
        let body = modern_body(52, "tools/list", "").replace("2026-07-28", "2031-01-01");
        let request = post(
            "MCP-Protocol-Version: 2031-01-01\r\nMcp-Method: tools/list\r\n",
            &body,
        );
        let json = error(&peer.ask(&request), 400, -32022);
        assert_eq!(
            json["error"]["data"],
            json!({"supported": ["2026-07-28"], "requested": "2031-01-01"})
        );
        assert_eq!(json["id"], 52);
    });
}

#[test]
fn c52_ping_is_gone_in_the_modern_era() {
    case(|peer| {
        let json = error(&peer.ask(&modern(54, "ping", "", "")), 404, -32601);
        assert_eq!(json["id"], 54);
        error(&peer.ask(&modern(55, "initialize", "", "")), 404, -32601);
    });
}

#[test]
fn c53_the_content_type_may_be_spelled_otherwise() {
    case(|peer| {
        for spelling in [
            "Application/JSON ; charset=\"UTF-8\"",
            "application/json;charset=utf-8",
            "application/json",
        ] {
            let request = format!(
                "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Type: {spelling}\r\n\
                 Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n\
                 Content-Length: 41\r\n\r\n{{\"jsonrpc\":\"2.0\",\"id\":55,\"method\":\"ping\"}}"
            );
            let answer = peer.ask(request.as_bytes());
            assert_eq!(answer.status, 200);
            assert_eq!(answer.json(), json!({"jsonrpc":"2.0","id":55,"result":{}}));
        }
        let request = "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Type: text/plain\r\n\
                       Content-Length: 41\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":55,\"method\":\"ping\"}";
        assert_eq!(peer.ask(request.as_bytes()).status, 415);
    });
}

#[test]
fn c55_any_accept_is_served() {
    case(|peer| {
        for accept in [
            "Accept: */*\r\n",
            "",
            "Accept: text/html\r\n",
            "Accept: application/json\r\n",
        ] {
            let request = format!(
                "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Type: application/json\r\n{accept}\
                 MCP-Protocol-Version: 2025-11-25\r\nContent-Length: 41\r\n\r\n\
                 {{\"jsonrpc\":\"2.0\",\"id\":57,\"method\":\"ping\"}}"
            );
            let answer = peer.ask(request.as_bytes());
            assert_eq!(answer.status, 200);
            assert_eq!(answer.field("content-type"), Some("application/json"));
        }
    });
}

#[test]
fn c56_a_notification_gets_202_and_nothing_else() {
    case(|peer| {
        for body in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/nothing_we_know"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert_eq!(
                peer.send(&legacy(body)),
                b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
            );
        }
        // M-057: no headers are asked for.
        let request = post(
            "",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        );
        assert_eq!(peer.ask(&request).status, 202);
        // M-056: a modern client has nothing to respond to.
        let request = post(
            "MCP-Protocol-Version: 2026-07-28\r\n",
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        );
        error(&peer.ask(&request), 400, -32600);
    });
}

#[test]
fn c58_a_peer_that_waits_is_told_to_go_on() {
    case(|peer| {
        let head = "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Type: application/json\r\n\
                    Accept: application/json, text/event-stream\r\nExpect: 100-continue\r\n\
                    Content-Length: 41\r\n\r\n";
        assert_eq!(peer.send(head.as_bytes()), b"HTTP/1.1 100 Continue\r\n\r\n");
        let answer = peer.ask(br#"{"jsonrpc":"2.0","id":60,"method":"ping"}"#);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.json()["id"], 60);
    });
    // Refused before the body: a final status at once, and the end.
    case(|peer| {
        let head = "POST /other HTTP/1.1\r\nHost: 192.0.2.7\r\nExpect: 100-continue\r\n\
                    Content-Length: 41\r\n\r\n";
        let answer = peer.ask(head.as_bytes());
        assert_eq!(answer.status, 404);
        assert_eq!(answer.field("connection"), Some("close"));
        assert!(peer.is_closed());
    });
}

#[test]
fn c59_two_requests_in_one_segment_get_two_answers_in_order() {
    case(|peer| {
        let mut both = post("", r#"{"jsonrpc":"2.0","id":61,"method":"ping"}"#);
        both.extend(post("", r#"{"jsonrpc":"2.0","id":62,"method":"ping"}"#));
        let answers = answers(&peer.send(&both));
        let ids: Vec<_> = answers
            .iter()
            .map(|answer| answer.json()["id"].clone())
            .collect();
        assert_eq!(ids, [61, 62]);
    });
}

#[test]
fn c59_a_request_behind_a_slow_one_waits_for_it() {
    case(|peer| {
        let mut both = legacy(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":9}}}"#,
        );
        both.extend(legacy(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#));
        let answers = answers(&peer.send(&both));
        let ids: Vec<_> = answers
            .iter()
            .map(|answer| answer.json()["id"].clone())
            .collect();
        assert_eq!(ids, [1, 2]);
        assert_eq!(
            answers[0].json()["result"]["content"][0]["text"],
            "the joint is at its target"
        );
    });
}

#[test]
fn c61_a_chunked_body_is_read() {
    case(|peer| {
        let request = "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Type: application/json\r\n\
                       Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\
                       MCP-Protocol-Version: 2025-11-25\r\n\r\n\
                       14\r\n{\"jsonrpc\":\"2.0\",\"id\r\n15\r\n\":64,\"method\":\"ping\"}\r\n0\r\n\r\n";
        let answer = peer.ask(request.as_bytes());
        assert_eq!(answer.status, 200);
        assert_eq!(answer.json(), json!({"jsonrpc":"2.0","id":64,"result":{}}));
    });
}

#[test]
fn c62_origin_and_host_are_compared_exactly() {
    let ping = r#"{"jsonrpc":"2.0","id":65,"method":"ping"}"#;
    case(|peer| {
        for origin in [
            "http://192.0.2.7.evil.example",
            "http://192.0.2.70",
            "https://192.0.2.7",
            "http://192.0.2.7:8080",
            "http://evil.example",
            "null",
            "",
        ] {
            let answer = peer.ask(&post(&format!("Origin: {origin}\r\n"), ping));
            let json = error(&answer, 403, -32600);
            assert!(json.get("id").is_none());
        }
        assert_eq!(
            peer.ask(&post("Origin: http://192.0.2.7\r\n", ping)).status,
            200
        );
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: [2001:db8::7]:8080\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nOrigin: http://[2001:db8::7]:8080\r\n\
             Content-Length: 41\r\n\r\n{ping}"
        );
        assert_eq!(peer.ask(request.as_bytes()).status, 200);
        for host in ["evil.example", "192.0.2.7.evil.example", "192.0.2.71"] {
            let request = format!(
                "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
                 Content-Length: 41\r\n\r\n{ping}"
            );
            error(&peer.ask(request.as_bytes()), 403, -32600);
        }
    });
}

/// The table of section P, row by row.
#[test]
fn the_eras_are_told_apart() {
    let meta = |version: &str| modern_body(1, "tools/list", "").replace("2026-07-28", version);
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned();
    let rows: [(Option<&str>, String, u16, Option<i64>); 10] = [
        (Some("2026-07-28"), meta("2026-07-28"), 200, None),
        (Some("2026-07-28"), bare.clone(), 400, Some(-32602)),
        (None, meta("2026-07-28"), 400, Some(-32020)),
        (Some("2026-07-28"), meta("1999-01-01"), 400, Some(-32020)),
        (Some("1999-01-01"), meta("1999-01-01"), 400, Some(-32022)),
        (Some("1999-01-01"), bare.clone(), 400, Some(-32602)),
        (Some("2025-11-25"), bare.clone(), 200, None),
        (Some("2025-03-26"), bare.clone(), 200, None),
        (None, bare, 200, None),
        (Some("2025-11-25"), meta("2025-11-25"), 400, Some(-32022)),
    ];
    for (version, body, status, code) in rows {
        case(|peer| {
            let version =
                version.map_or(String::new(), |v| format!("MCP-Protocol-Version: {v}\r\n"));
            let answer = peer.ask(&post(
                &format!("{version}Mcp-Method: tools/list\r\n"),
                &body,
            ));
            let json = answer.json();
            assert_eq!(answer.status, status, "{version}{body}: {json}");
            assert_eq!(json["error"]["code"].as_i64(), code, "{version}{body}");
            assert_eq!(json["id"], 1);
        });
    }
}

#[test]
fn initialize_is_a_handshake_with_or_without_a_version_header() {
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
    for fields in [
        "",
        "MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: initialize\r\n",
    ] {
        case(|peer| {
            let answer = peer.ask(&post(fields, body));
            assert_eq!(answer.status, 200);
            let result = &answer.json()["result"];
            assert_eq!(result["protocolVersion"], "2025-06-18");
            assert_eq!(
                result["capabilities"],
                json!({"tools": {}, "resources": {}})
            );
            assert_eq!(result["serverInfo"]["name"], "bench-arm");
            assert!(answer.field("mcp-session-id").is_none());
        });
    }
}

#[test]
fn a_modern_call_says_who_answered() {
    case(|peer| {
        let answer = peer.ask(&modern(
            3,
            "tools/call",
            "temp_read",
            r#""name":"temp_read","#,
        ));
        assert_eq!(
            answer.json()["result"],
            json!({
                "resultType": "complete",
                "content": [{"type": "text", "text": "{\"celsius\":24.5}"}],
                "structuredContent": {"celsius": 24.5},
                "_meta": {"io.modelcontextprotocol/serverInfo":
                    {"name": "bench-arm", "title": "Bench arm", "version": "0.1.0"}},
            })
        );
    });
}

#[test]
fn discover_tells_versions_and_capabilities() {
    case(|peer| {
        let answer = peer.ask(&modern(1, "server/discover", "", ""));
        let result = &answer.json()["result"];
        assert_eq!(result["resultType"], "complete");
        assert_eq!(
            result["supportedVersions"],
            json!([
                "2026-07-28",
                "2025-11-25",
                "2025-06-18",
                "2025-03-26",
                "2024-11-05"
            ])
        );
        assert_eq!(
            result["capabilities"],
            json!({"tools": {}, "resources": {"subscribe": true}})
        );
        assert_eq!(result["ttlMs"], 3_600_000);
        assert_eq!(result["cacheScope"], "public");
    });
}

#[test]
fn other_methods_and_paths_are_told_what_there_is() {
    case(|peer| {
        for method in ["GET", "DELETE", "PUT"] {
            let request = format!("{method} /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\n\r\n");
            let answer = peer.ask(request.as_bytes());
            assert_eq!(answer.status, 405);
            assert_eq!(answer.field("allow"), Some("POST"));
        }
        let answer = peer.send(b"HEAD /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\n\r\n");
        assert!(answer.ends_with(b"\r\n\r\n"), "a HEAD answer has no body");
        assert!(answer.starts_with(b"HTTP/1.1 405 "));
        let request = post("", "{}");
        let text = String::from_utf8(request).unwrap();
        assert_eq!(
            peer.ask(text.replace("/mcp ", "/mcp2 ").as_bytes()).status,
            404
        );
        // A slash behind the path is the same path.
        let ping = post("", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        let text = String::from_utf8(ping).unwrap();
        assert_eq!(
            peer.ask(text.replace("/mcp ", "/mcp/ ").as_bytes()).status,
            200
        );
    });
}

#[test]
fn sizes_have_statuses() {
    with(CONFIG, |peer| {
        let request = post("", &format!(r#"{{"x":"{}"}}"#, "a".repeat(3000)));
        let answer = peer.ask(&request);
        assert_eq!(answer.status, 413);
        assert!(
            answer.json()["error"]["message"]
                .as_str()
                .unwrap()
                .contains("3008 bytes")
        );
        assert!(peer.is_closed());
    });
    with(CONFIG, |peer| {
        let answer = peer.ask(&post(&format!("X-Long: {}\r\n", "a".repeat(3000)), "{}"));
        assert_eq!(answer.status, 431);
        assert!(peer.is_closed());
    });
    with(CONFIG, |peer| {
        let request = format!(
            "POST /{} HTTP/1.1\r\nHost: 192.0.2.7\r\n\r\n",
            "a".repeat(3000)
        );
        assert_eq!(peer.ask(request.as_bytes()).status, 414);
        assert!(peer.is_closed());
    });
    with(CONFIG, |peer| {
        let request = "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\n\r\n";
        assert_eq!(peer.ask(request.as_bytes()).status, 411);
    });
}

#[test]
fn conflicting_lengths_end_the_connection() {
    for fields in [
        "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: +2\r\n",
    ] {
        with(CONFIG, |peer| {
            let request =
                format!("POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\n{fields}\r\n{{}}GET / HTTP/1.1");
            let answer = peer.ask(request.as_bytes());
            assert_eq!(answer.status, 400);
            assert_eq!(answer.field("connection"), Some("close"));
            assert!(peer.is_closed());
        });
    }
}

#[test]
fn bad_json_and_bad_envelopes_are_400() {
    case(|peer| {
        let json = error(&peer.ask(&legacy("{\"jsonrpc\":")), 400, -32700);
        assert_eq!(
            json["error"]["message"],
            "Parse error: unexpected end at byte 11"
        );
        assert!(json.get("id").is_none());
        error(&peer.ask(&legacy("7")), 400, -32600);
        error(&peer.ask(&legacy("[]")), 400, -32600);
        error(
            &peer.ask(&legacy(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#)),
            400,
            -32600,
        );
        error(
            &peer.ask(&legacy(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#)),
            400,
            -32600,
        );
        // M-185: 404 would mean the end of a session to a legacy client.
        let json = error(
            &peer.ask(&legacy(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#)),
            200,
            -32601,
        );
        assert_eq!(json["id"], 1);
    });
}

#[test]
fn a_2025_03_26_client_may_send_a_batch() {
    case(|peer| {
        for fields in ["", "MCP-Protocol-Version: 2025-03-26\r\n"] {
            let body = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},
                {"jsonrpc":"2.0","method":"notifications/initialized"},
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"arm_stop"}},
                {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-03-26"}},
                17,
                {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":0,"deg":1}}}]"#;
            let answer = peer.ask(&post(fields, body));
            assert_eq!(answer.status, 200);
            let json = answer.json();
            let list = json.as_array().expect("an array");
            assert_eq!(list.len(), 5);
            assert_eq!(list[0], json!({"jsonrpc":"2.0","id":1,"result":{}}));
            assert_eq!(list[1]["result"]["content"][0]["text"], "stopped");
            assert_eq!(list[2]["error"]["code"], -32600);
            assert_eq!(list[2]["id"], 3);
            assert_eq!(list[3]["error"]["code"], -32600);
            assert_eq!(list[4]["id"], 4);
            let body = r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
            assert_eq!(peer.ask(&post(fields, body)).status, 202);
            error(&peer.ask(&post(fields, "[]")), 400, -32600);
            // Where the arm stands does not matter to the next round.
            let home =
                r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"arm_home"}}"#;
            assert_eq!(peer.ask(&post(fields, home)).status, 200);
        }
    });
}

#[test]
fn progress_comes_as_events_before_the_answer() {
    case(|peer| {
        let body = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":40},"_meta":{"progressToken":0}}}"#;
        let answer = peer.ask(&legacy(body));
        assert_eq!(answer.status, 200);
        let events = answer.events();
        let (last, progress) = events.split_last().expect("events");
        assert!(progress.len() > 10, "{} reports", progress.len());
        let mut before = -1;
        for event in progress {
            assert_eq!(event["method"], "notifications/progress");
            assert_eq!(event["params"]["progressToken"], json!(0));
            assert_eq!(event["params"]["total"], 100);
            let now = event["params"]["progress"].as_i64().unwrap();
            assert!(now > before);
            before = now;
        }
        assert_eq!(last["id"], 7);
        assert_eq!(
            last["result"]["content"][0]["text"],
            "the joint is at its target"
        );
        // C-65: without a token, or to a peer that reads no events, none.
        let silent = body
            .replace("\"progressToken\":0", "")
            .replace(":40", ":-40");
        assert_eq!(
            peer.ask(&legacy(&silent)).field("content-type"),
            Some("application/json")
        );
    });
}

#[test]
fn a_modern_client_that_goes_away_stops_the_arm() {
    with(CONFIG, |peer| {
        let mut request = modern(
            1,
            "tools/call",
            "arm_move",
            r#""name":"arm_move","arguments":{"joint":1,"deg":60},"#,
        );
        assert!(peer.offer(&mut request).is_empty());
        assert_eq!(peer.server.app.commands(), 1);
        peer.hang_up();
        assert!(peer.is_closed());
        assert_eq!(peer.server.app.commands(), 2, "the joint was not stopped");
    });
    // M-190: a legacy client that goes away has cancelled nothing.
    with(CONFIG, |peer| {
        let mut request = legacy(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":60}}}"#,
        );
        assert!(peer.offer(&mut request).is_empty());
        peer.hang_up();
        assert!(!peer.is_closed());
        assert!(peer.send(b"").is_empty());
        assert!(peer.is_closed());
        assert_eq!(peer.server.app.commands(), 1);
        assert_eq!(peer.server.app.angle(1, peer.now()), 60_000);
    });
}

#[test]
fn a_token_opens_the_server() {
    let config = HttpConfig {
        bearer: Some(|token| (token == b"secret").then_some(Caller::ANY)),
        ..CONFIG
    };
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    with(config, |peer| {
        for fields in [
            "",
            "Authorization: Bearer wrong\r\n",
            "Authorization: Basic secret\r\n",
        ] {
            let answer = peer.ask(&post(fields, ping));
            assert_eq!(answer.status, 401);
            assert_eq!(answer.field("www-authenticate"), Some("Bearer"));
        }
        assert_eq!(
            peer.ask(&post("Authorization: bearer secret\r\n", ping))
                .status,
            200
        );
    });
}

#[test]
fn pages_of_allowed_origins_may_read_if_configured() {
    let config = HttpConfig {
        cors: true,
        ..CONFIG
    };
    with(config, |peer| {
        let answer = peer.ask(
            b"OPTIONS /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nOrigin: http://192.0.2.7\r\n\
              Access-Control-Request-Method: POST\r\n\
              Access-Control-Request-Headers: content-type, mcp-method, mcp-param-color\r\n\r\n",
        );
        assert_eq!(answer.status, 204);
        assert_eq!(
            answer.field("access-control-allow-origin"),
            Some("http://192.0.2.7")
        );
        assert_eq!(
            answer.field("access-control-allow-headers"),
            Some("content-type, mcp-method, mcp-param-color")
        );
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let answer = peer.ask(&post("Origin: http://192.0.2.7\r\n", ping));
        assert_eq!(
            answer.field("access-control-allow-origin"),
            Some("http://192.0.2.7")
        );
        let answer = peer.ask(&post("Origin: http://evil.example\r\n", ping));
        assert_eq!(answer.status, 403);
        assert!(answer.field("access-control-allow-origin").is_none());
    });
    case(|peer| {
        let answer = peer.ask(b"OPTIONS /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\n\r\n");
        assert_eq!(answer.status, 405);
    });
}
