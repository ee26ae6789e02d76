//! What users of such servers hit, over lines: cases C-01 to C-44. Each is
//! sent whole, a byte at a time, and read a few bytes at a time.

use agentmote_tests::peer::{Cut, LinePeer, Lines};
use bench_arm::{Arm, Command, DEVICE};
use serde_json::{Value, json};

const CUTS: [Cut; 4] = [
    Cut::WHOLE,
    Cut {
        input: 1,
        output: 4096,
    },
    Cut {
        input: 7,
        output: 5,
    },
    Cut {
        input: usize::MAX,
        output: 1,
    },
];

/// Runs a case on a fresh, initialised line, for every cut.
fn case(test: impl Fn(&mut LinePeer<'_, Arm>)) {
    for cut in CUTS {
        let mut memory = Lines::new();
        let mut peer = LinePeer::new(&mut memory, &DEVICE, Arm::new(), cut);
        peer.initialize("2025-11-25");
        test(&mut peer);
        // The next message works.
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#),
            json!({"jsonrpc":"2.0","id":"next","result":{}})
        );
    }
}

/// A case that must not move the arm.
fn refused(test: impl Fn(&mut LinePeer<'_, Arm>)) {
    case(|peer| {
        test(peer);
        peer.pass(10_000);
        assert_eq!(peer.server.app.commands(), 0, "the arm was commanded");
    });
}

fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// The text of a result that must be a failure of the tool.
fn failure(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"]
        .as_str()
        .expect("a text")
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {answer}"))
}

#[test]
fn c01_a_string_id_stays_a_string() {
    case(|peer| {
        assert_eq!(
            peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"method\":\"ping\"}\n"),
            b"{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{}}\n"
        );
    });
}

#[test]
fn c02_id_zero_is_a_number() {
    case(|peer| {
        assert_eq!(
            peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n"),
            b"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n"
        );
    });
}

#[test]
fn c04_id_null_is_refused_without_an_id() {
    case(|peer| {
        let answer = peer.one(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#);
        assert_eq!(code(&answer), -32600);
        assert!(answer.get("id").is_none());
    });
}

#[test]
fn c05_ids_are_not_folded() {
    case(|peer| {
        for id in ["007", "1_000"] {
            let answer = peer.one(&format!(
                r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#
            ));
            assert_eq!(answer, json!({"jsonrpc":"2.0","id":id,"result":{}}));
        }
    });
}

#[test]
fn c07_a_fractional_id_is_refused() {
    case(|peer| {
        let answer = peer.one(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#);
        assert_eq!(code(&answer), -32600);
        assert!(answer.get("id").is_none());
    });
}

#[test]
fn c08_an_id_may_be_used_again() {
    case(|peer| {
        for id in ["5", "\"5\"", "5"] {
            let answer = peer.send(
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n").as_bytes(),
            );
            assert_eq!(
                answer,
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n").as_bytes()
            );
        }
    });
}

#[test]
fn c10_an_escaped_key_is_the_key() {
    case(|peer| {
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":8,"\u006dethod":"ping"}"#),
            json!({"jsonrpc":"2.0","id":8,"result":{}})
        );
    });
}

#[test]
fn c11_a_key_in_another_case_is_another_key() {
    case(|peer| {
        assert_eq!(
            code(&peer.one(r#"{"jsonrpc":"2.0","id":9,"Method":"ping"}"#)),
            -32600
        );
    });
}

#[test]
fn c13_two_methods_are_refused() {
    refused(|peer| {
        let answer = peer.one(
            r#"{"jsonrpc":"2.0","id":11,"method":"ping","method":"tools/call","params":{"name":"arm_home"}}"#,
        );
        assert_eq!(code(&answer), -32600);
        // The same after unescaping, and in the other order.
        let answer = peer.one(
            r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"arm_home"},"m\u0065thod":"ping"}"#,
        );
        assert_eq!(code(&answer), -32600);
    });
}

#[test]
fn c14_two_values_on_a_line_are_one_error() {
    case(|peer| {
        let answer = peer.one(
            r#"{"jsonrpc":"2.0","id":12,"method":"ping"} {"jsonrpc":"2.0","id":13,"method":"ping"}"#,
        );
        assert_eq!(code(&answer), -32700);
        assert!(answer.get("id").is_none());
    });
}

#[test]
fn c16_byte_order_mark_and_crlf_over_three_reads() {
    case(|peer| {
        assert_eq!(peer.send(b"\xEF"), b"");
        assert_eq!(peer.send(b"\xBB\xBF{\"j"), b"");
        assert_eq!(
            peer.send(b"sonrpc\":\"2.0\",\"id\":15,\"method\":\"ping\"}\r\n"),
            b"{\"jsonrpc\":\"2.0\",\"id\":15,\"result\":{}}\n"
        );
    });
}

#[test]
fn c17_a_line_longer_than_the_buffer_is_one_error() {
    for input in [usize::MAX, 1, 1000] {
        let mut memory = Lines::new();
        let cut = Cut {
            input,
            output: 4096,
        };
        let mut peer = LinePeer::new(&mut memory, &DEVICE, Arm::new(), cut);
        peer.initialize("2025-11-25");
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":16,"method":"ping","params":{{"x":"{}"}}}}"#,
            "a".repeat(70_000)
        );
        let answer = peer.one(&line);
        assert_eq!(code(&answer), -32600);
        assert_eq!(
            answer["error"]["message"],
            format!(
                "Message of {} bytes is too long, the limit is 1024",
                line.len()
            )
        );
        assert!(answer.get("id").is_none());
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":17,"method":"ping"}"#),
            json!({"jsonrpc":"2.0","id":17,"result":{}})
        );
    }
}

#[test]
fn c19_a_control_character_does_not_come_back() {
    case(|peer| {
        let bytes = peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":\"a\x01b\",\"method\":\"ping\"}\n");
        assert!(!bytes.contains(&1));
        let answers = agentmote_tests::peer::lines(&bytes);
        assert_eq!(answers.len(), 1);
        assert_eq!(code(&answers[0]), -32700);
    });
}

#[test]
fn c20_deep_nesting_is_one_error() {
    for input in [usize::MAX, 64] {
        let mut memory = agentmote::server::LineMemory::<8192, 512, 0, 0>::new();
        let cut = Cut {
            input,
            output: 4096,
        };
        let mut peer = LinePeer::new(&mut memory, &DEVICE, Arm::new(), cut);
        peer.initialize("2025-11-25");
        let answer = peer.one(&format!(
            r#"{{"jsonrpc":"2.0","id":20,"method":"ping","params":{{"x":{}{}}}}}"#,
            "[".repeat(3000),
            "]".repeat(3000)
        ));
        assert_eq!(code(&answer), -32700);
        assert_eq!(
            answer["error"]["message"],
            "Parse error: nested too deep at byte 85"
        );
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":21,"method":"ping"}"#)["id"],
            21
        );
    }
}

#[test]
fn c22_a_batch_is_not_part_of_2025_11_25() {
    case(|peer| {
        let answer = peer.one(
            r#"[{"jsonrpc":"2.0","id":22,"method":"ping"},{"jsonrpc":"2.0","id":23,"method":"ping"}]"#,
        );
        assert!(answer.is_object());
        assert_eq!(code(&answer), -32600);
        assert!(answer.get("id").is_none());
    });
}

#[test]
fn c23_an_unknown_notification_is_dropped() {
    case(|peer| {
        assert_eq!(
            peer.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nothing_we_know\"}\n"),
            b""
        );
    });
}

#[test]
fn c25_a_tool_without_arguments_runs() {
    case(|peer| {
        let answer = peer
            .one(r#"{"jsonrpc":"2.0","id":25,"method":"tools/call","params":{"name":"arm_stop"}}"#);
        assert_eq!(
            answer,
            json!({"jsonrpc":"2.0","id":25,"result":{"content":[{"type":"text","text":"stopped"}]}})
        );
    });
}

#[test]
fn c26_arguments_that_are_no_object_are_refused() {
    refused(|peer| {
        for arguments in ["null", "[]", "1", "\"\"", "false"] {
            assert_eq!(code(&peer.one(&call(26, "arm_stop", arguments))), -32602);
        }
    });
}

#[test]
fn c28_a_whole_number_may_be_written_as_a_fraction() {
    case(|peer| {
        let started = peer.ask(&call(29, "arm_move", r#"{"joint":2.0,"deg":1e1}"#));
        assert!(started.is_empty());
        let done = agentmote_tests::peer::lines(&peer.pass(5_000));
        assert_eq!(done.len(), 1);
        assert_eq!(done[0]["id"], 29);
        assert!(done[0]["result"].get("isError").is_none());
        assert_eq!(
            peer.server.app.log().collect::<Vec<_>>(),
            [Command::Move {
                joint: 2,
                to: 10_000,
                speed: 20
            }]
        );
        assert_eq!(peer.server.app.angle(2, peer.now()), 10_000);
    });
}

#[test]
fn c29_a_true_fraction_is_no_integer() {
    refused(|peer| {
        let answer = peer.one(&call(30, "arm_move", r#"{"joint":2.5,"deg":10}"#));
        assert_eq!(failure(&answer), "joint: 2.5 is not a whole number");
    });
}

#[test]
fn c31_a_number_as_text_is_refused() {
    refused(|peer| {
        let answer = peer.one(&call(32, "arm_move", r#"{"joint":"2","deg":10}"#));
        assert_eq!(failure(&answer), "joint: \"2\" is not an integer");
    });
}

#[test]
fn c32_an_integer_does_not_wrap() {
    refused(|peer| {
        for (joint, words) in [
            ("4294967297", "4294967297 is above the maximum 5"),
            (
                "18446744073709551617",
                "18446744073709551617 is above the maximum 5",
            ),
            (
                "-18446744073709551615",
                "-18446744073709551615 is below the minimum 0",
            ),
            ("1e400", "1e400 is above the maximum 5"),
            ("7", "7 is above the maximum 5"),
            ("-1", "-1 is below the minimum 0"),
        ] {
            let arguments = format!(r#"{{"joint":{joint},"deg":10}}"#);
            let answer = peer.one(&call(33, "arm_move", &arguments));
            assert_eq!(failure(&answer), format!("joint: {words}"));
        }
    });
}

#[test]
fn c34_every_wrong_argument_is_named() {
    refused(|peer| {
        let answer = peer.one(&call(35, "arm_move", r#"{"Joint":1,"deg":10}"#));
        assert_eq!(failure(&answer), "Joint: unknown parameter; joint: missing");
        let answer = peer.one(&call(36, "arm_move", r#"{"joint":1,"deg":10,"joint":2}"#));
        assert_eq!(failure(&answer), "joint: given twice");
        let answer = peer.one(&call(
            36,
            "arm_move",
            r#"{"joint":1,"deg":90.5,"speed":null}"#,
        ));
        assert_eq!(
            failure(&answer),
            "deg: 90.5 is above the maximum 90; speed: null is not an integer"
        );
        let answer = peer.one(&call(36, "arm_move", r#"{"joint":{},"deg":[]}"#));
        assert_eq!(
            failure(&answer),
            "joint: an object is not an integer; deg: an array is not a number"
        );
    });
}

#[test]
fn c35_length_is_counted_in_characters() {
    case(|peer| {
        let text = "é".repeat(32);
        let answer = peer.one(&call(36, "note_set", &format!(r#"{{"text":"{text}"}}"#)));
        assert!(answer["result"].get("isError").is_none(), "{answer}");
        assert_eq!(peer.server.app.note(), text);
        let answer = peer.one(&call(37, "note_set", &format!(r#"{{"text":"{text}é"}}"#)));
        assert_eq!(failure(&answer), "text: 33 characters, the maximum is 32");
        assert_eq!(peer.server.app.note(), text);
        // Escapes are counted as what they stand for.
        let escaped = r"\ud83d\ude00".repeat(32);
        peer.one(&call(37, "note_set", &format!(r#"{{"text":"{escaped}"}}"#)));
        assert_eq!(peer.server.app.note(), "😀".repeat(32));
    });
}

#[test]
fn c37_an_unknown_tool_is_invalid_params() {
    refused(|peer| {
        let answer = peer.one(&call(38, "arm_fly", "{}"));
        assert_eq!(
            answer,
            json!({"jsonrpc":"2.0","id":38,"error":{"code":-32602,"message":"Unknown tool: arm_fly"}})
        );
    });
}

#[test]
fn c38_a_structured_result_fits_its_schema() {
    case(|peer| {
        let answer = peer.one(
            r#"{"jsonrpc":"2.0","id":39,"method":"tools/call","params":{"name":"temp_read"}}"#,
        );
        assert_eq!(
            answer["result"],
            json!({
                "content": [{"type": "text", "text": "{\"celsius\":24.5}"}],
                "structuredContent": {"celsius": 24.5},
            })
        );
    });
}

#[test]
fn c40_a_sensor_without_a_number_is_a_failure() {
    case(|peer| {
        for broken in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            peer.server.app.celsius = broken;
            let bytes = peer.send(
                b"{\"jsonrpc\":\"2.0\",\"id\":41,\"method\":\"tools/call\",\"params\":{\"name\":\"temp_read\"}}\n",
            );
            let text = String::from_utf8(bytes).expect("UTF-8");
            assert!(!text.contains("NaN") && !text.contains("null") && !text.contains("inf\""));
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(
                failure(&answer),
                "temp_read: the result holds a value that is not a finite number"
            );
            assert!(answer["result"].get("structuredContent").is_none());
        }
    });
}

#[test]
fn c41_the_tool_list_suits_picky_clients() {
    case(|peer| {
        let request = b"{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"tools/list\"}\n";
        let first = peer.send(request);
        assert_eq!(first, peer.send(request));
        let answer: Value = serde_json::from_slice(&first).expect("JSON");
        let tools = answer["result"]["tools"].as_array().expect("tools");
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["arm_move", "arm_home", "arm_stop", "note_set", "temp_read"]
        );
        for tool in tools {
            let schema = &tool["inputSchema"];
            assert_eq!(schema["type"], "object");
            assert!(schema["properties"].is_object());
            assert_eq!(schema["additionalProperties"], false);
            assert!(schema.get("$schema").is_none());
            assert!(!tool["description"].as_str().unwrap().is_empty());
        }
        assert!(answer["result"].get("nextCursor").is_none());
        assert_eq!(
            tools[0]["inputSchema"],
            json!({
                "type": "object",
                "properties": {
                    "joint": {"type": "integer", "minimum": 0, "maximum": 5,
                              "description": "Joint number, base first."},
                    "deg": {"type": "number", "minimum": -90, "maximum": 90,
                            "description": "Target angle. Unit: deg."},
                    "speed": {"type": "integer", "minimum": 1, "maximum": 100,
                              "description": "Share of full speed. Unit: percent.",
                              "default": 20},
                },
                "required": ["joint", "deg"],
                "additionalProperties": false,
            })
        );
    });
}

#[test]
fn c43_an_old_client_is_served() {
    for cut in CUTS {
        let mut memory = Lines::new();
        let mut peer = LinePeer::new(&mut memory, &DEVICE, Arm::new(), cut);
        let answer = peer.one(
            r#"{"jsonrpc":"2.0","id":45,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"rig","version":"0"}}}"#,
        );
        assert_eq!(answer["result"]["protocolVersion"], "2024-11-05");
        let list = peer.one(r#"{"jsonrpc":"2.0","id":46,"method":"tools/list"}"#);
        let tool = &list["result"]["tools"][4];
        assert_eq!(tool["name"], "temp_read");
        // What came later is left out.
        for later in ["title", "outputSchema", "annotations"] {
            assert!(tool.get(later).is_none(), "{later}");
        }
    }
}

#[test]
fn c44_the_stateless_version_is_never_agreed_on_by_initialize() {
    for version in ["2026-07-28", "2031-01-01", "1.0", ""] {
        let mut memory = Lines::new();
        let mut peer = LinePeer::new(&mut memory, &DEVICE, Arm::new(), Cut::WHOLE);
        let answer = peer.one(&format!(
            r#"{{"jsonrpc":"2.0","id":46,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"rig","version":"0"}}}}}}"#
        ));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    }
}
