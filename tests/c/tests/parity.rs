//! The bench arm in C answers what the one in Rust answers, byte for byte:
//! some thousand messages, good and bad, cut anywhere, on one clock.

use agentmote::server::{Http, HttpConfig, HttpMemory, Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote_c_tests::{Arm, Dice, KEY, Peer, spoil};
use bench_arm::DEVICE;

const REVISIONS: &[&str] = &[
    "2026-07-28",
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
    "1999-01-01",
];

const CAPABILITIES: &[&str] = &["{}", "{\"elicitation\":{}}", "{\"elicitation\":{}}"];

/// What a user says to a question.
const RESPONSES: &[&str] = &[
    "{\"action\":\"accept\",\"content\":{\"confirm\":true}}",
    "{\"action\":\"accept\",\"content\":{\"confirm\":true}}",
    "{\"action\":\"accept\",\"content\":{\"confirm\":false}}",
    "{\"action\":\"accept\",\"content\":{\"confirm\":1}}",
    "{\"action\":\"decline\"}",
    "{}",
];

const VALUES: &[&str] = &[
    "0",
    "1",
    "5",
    "6",
    "-1",
    "2.0",
    "2.5",
    "90",
    "-90",
    "90.0001",
    "-0.0005",
    "1e2",
    "1e400",
    "7",
    "100",
    "101",
    "18446744073709551615",
    "0.1234567890123456789012345",
    "\"x\"",
    "\"\"",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "[1,2]",
    "{\"joint\":1}",
    "\"h\\u00e9llo\"",
    "\"\\ud83d\\ude00\"",
    "\"a\\u0000b\"",
    "\"01234567890123456789012345678901\"",
    "\"012345678901234567890123456789012\"",
    "\"\u{1F600}\u{e9}\"",
];

const NAMES: &[&str] = &["joint", "deg", "speed", "text", "extra", "j\\u006fint", ""];

fn arguments(dice: &mut Dice) -> String {
    match dice.below(6) {
        0 => format!(
            "{{\"joint\":{},\"deg\":{}}}",
            dice.below(6),
            dice.below(181) as i32 - 90
        ),
        1 => format!(
            "{{\"joint\":{},\"deg\":{}.{},\"speed\":{}}}",
            dice.below(6),
            dice.below(90),
            dice.below(100_000),
            dice.below(100) + 1
        ),
        2 => format!("{{\"text\":{}}}", dice.one(VALUES)),
        3 => "{}".to_owned(),
        _ => {
            let members: Vec<String> = (0..dice.below(5))
                .map(|_| format!("\"{}\":{}", dice.one(NAMES), dice.one(VALUES)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn id(dice: &mut Dice) -> String {
    match dice.below(8) {
        0 => format!("\"s-{}\"", dice.below(8)),
        1 => dice
            .one(&["null", "1.5", "-7", "\"\"", "9007199254740993"])
            .to_owned(),
        _ => dice.below(16).to_string(),
    }
}

fn meta(dice: &mut Dice) -> String {
    let token = match dice.below(3) {
        0 => format!(
            "\"progressToken\":{}",
            dice.one(&["1", "\"t\"", "\"u\"", "null", "[]"])
        ),
        _ => String::new(),
    };
    let modern = match dice.below(2) {
        0 => format!(
            "\"io.modelcontextprotocol/protocolVersion\":\"{}\",\
             \"io.modelcontextprotocol/clientInfo\":{{\"name\":\"t\",\"version\":\"0\"}},\
             \"io.modelcontextprotocol/clientCapabilities\":{}",
            dice.one(REVISIONS),
            dice.one(CAPABILITIES),
        ),
        _ => String::new(),
    };
    let parts: Vec<String> = [token, modern]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    format!("\"_meta\":{{{}}}", parts.join(","))
}

/// The state that the last question went out with.
fn last_state(answers: &[u8]) -> String {
    let text = String::from_utf8_lossy(answers);
    let state = text
        .rsplit_once("\"requestState\":\"")
        .and_then(|(_, rest)| Some(rest.split_once('"')?.0));
    state.unwrap_or("none").to_owned()
}

fn message(dice: &mut Dice, answers: &[u8]) -> String {
    let id = id(dice);
    let meta = meta(dice);
    match dice.below(24) {
        // Asks, and is answered.
        8 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"arm_move\",\"arguments\":{{\"joint\":0,\"deg\":-70}},{meta}}}}}"
        ),
        9 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"arm_move\",\"arguments\":{{\"joint\":0,\"deg\":-70}},\"inputResponses\":{{\"zone\":{}}},\"requestState\":\"{}\",{meta}}}}}",
            dice.one(RESPONSES),
            last_state(answers),
        ),
        10 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}",
            dice.below(40),
            dice.one(RESPONSES),
        ),
        11 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{}\",\"params\":{{\"uri\":\"device://bench-arm/pose\",\"notifications\":{{\"resourceSubscriptions\":[\"device://bench-arm/pose\"]}},{meta}}}}}",
            dice.one(&[
                "resources/subscribe",
                "resources/subscribe",
                "resources/unsubscribe",
                "subscriptions/listen"
            ])
        ),
        0 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"{}\",\"capabilities\":{},\"clientInfo\":{{\"name\":\"t\",\"version\":\"0\"}}}}}}",
            dice.one(REVISIONS),
            dice.one(CAPABILITIES),
        ),
        1 => "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}".to_owned(),
        2 => format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}"
        ),
        3 => {
            let method = dice.one(&[
                "ping",
                "tools/list",
                "server/discover",
                "resources/list",
                "resources/templates/list",
                "prompts/list",
                "logging/setLevel",
                "nope",
                "tools/call",
            ]);
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{meta}}}}}"
            )
        }
        4 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"resources/read\",\"params\":{{\"uri\":\"{}\",{meta}}}}}",
            dice.one(&[
                "device://bench-arm/pose",
                "device://bench-arm/temperature",
                "device://bench-arm/x",
                ""
            ])
        ),
        5 => dice
            .one(&[
                "",
                " ",
                "garbage",
                "{",
                "[]",
                "{\"jsonrpc\":\"2.0\"}",
                "\u{1}",
                "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                "\"\\u00",
            ])
            .to_owned(),
        6 => "x".repeat(dice.below(3000)),
        7 => {
            let some: Vec<String> = (0..dice.below(4)).map(|_| message(dice, answers)).collect();
            format!("[{}]", some.join(","))
        }
        _ => {
            let tool = dice.one(&[
                "arm_move",
                "arm_move",
                "arm_move",
                "arm_home",
                "arm_stop",
                "note_set",
                "temp_read",
                "arm_\\u006dove",
                "nope",
            ]);
            let arguments = arguments(dice);
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments},{meta}}}}}"
            )
        }
    }
}

const MESSAGES: usize = if cfg!(miri) { 60 } else { 6_000 };

#[test]
fn lines_are_answered_alike() {
    let mut arm = Arm::new();
    let mut c = Peer::new(&mut arm);
    c.open_line([1024, 512, 2, 256]);
    let mut memory = LineMemory::<1024, 512, 2, 256>::new();
    let mut line = Line::new(&mut memory);
    let mut server = Server::new(&DEVICE, bench_arm::Arm::new()).with_key(KEY);
    let mut dice = Dice(0x5EED_0001);
    let (mut now, mut said, mut answers) = (0u64, 0usize, Vec::new());
    for number in 0..MESSAGES {
        let mut bytes = message(&mut dice, &answers).into_bytes();
        spoil(&mut dice, &mut bytes);
        bytes.push(b'\n');
        let mut rest = &bytes[..];
        let mut idle = 0;
        while idle < 2 {
            let part = rest.len().min(match dice.below(3) {
                0 => 1 + dice.below(7),
                _ => usize::MAX,
            });
            let taken = line.receive(&rest[..part]);
            assert_eq!(c.receive(&rest[..part]), taken, "message {number}");
            rest = &rest[taken..];
            let size = match dice.below(3) {
                0 => dice.below(9),
                _ => 4096,
            };
            let (mut mine, mut its) = (vec![0xA5; size], vec![0xA5; size]);
            let filled = line.poll(&mut server, Instant::from_millis(now), &mut mine);
            assert_eq!(c.poll(now, &mut its), filled, "message {number}");
            assert_eq!(
                String::from_utf8_lossy(&its),
                String::from_utf8_lossy(&mine),
                "message {number}: {}",
                String::from_utf8_lossy(&bytes)
            );
            said += filled;
            answers.extend_from_slice(&mine[..filled]);
            let wake = line.wake().map(Instant::as_millis);
            assert_eq!(c.wake(), wake, "message {number}");
            // A batch that waits, waits for the clock.
            let stuck = taken == 0 && filled == 0 && size > 0;
            idle = if stuck { idle + 1 } else { 0 };
            if stuck && !rest.is_empty() {
                now += 1;
                idle = 0;
            }
        }
        now += match dice.below(4) {
            0 => dice.roll() % 1_000,
            1 => dice.roll() % 30,
            _ => 0,
        };
        if dice.below(200) == 0 {
            line.reset(&mut server, Instant::from_millis(now));
            c.hang_up(now);
        }
        assert_eq!(arm.commands, server.app.commands(), "message {number}");
    }
    let text = String::from_utf8_lossy(&answers);
    let count = |what: &str| text.matches(what).count();
    if !cfg!(miri) {
        // It was no monologue.
        assert!(said > 500_000, "{said} bytes");
        assert!(arm.commands > 150, "{} commands", arm.commands);
        for what in [
            "notifications/progress",
            "is above the maximum",
            "the joint is at its target",
            "the joint was stopped on its way",
            "structuredContent",
            "elicitation/create",
            "input_required",
            "the user refused the move",
            "notifications/resources/updated",
            "\"contents\":[",
            "Parse error",
            "is too long",
        ] {
            assert!(count(what) > 0, "{} times: {what}", count(what));
        }
    }
}

#[test]
fn requests_are_answered_alike() {
    let mut arm = Arm::new();
    let mut c = Peer::new(&mut arm);
    let mut memory = HttpMemory::<2048, 512>::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
    c.open_http(2048, 512);
    let mut server = Server::new(&DEVICE, bench_arm::Arm::new()).with_key(KEY);
    let mut dice = Dice(0x5EED_0002);
    let (mut now, mut said, mut answers) = (0u64, 0usize, Vec::new());
    for number in 0..MESSAGES {
        let body = message(&mut dice, &answers);
        let revision = dice.one(REVISIONS);
        let mut bytes = format!(
            "{} {} HTTP/1.{}\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{}{}: {}\r\n\r\n{body}",
            dice.one(&["POST", "POST", "POST", "POST", "POST", "GET", "DELETE"]),
            dice.one(&["/mcp", "/mcp", "/mcp", "/mcp", "/mcp", "/x"]),
            dice.one(&["1", "1", "1", "0"]),
            dice.one(&["localhost", "127.0.0.1:80", "[::1]:8", "evil.example"]),
            match dice.below(2) {
                0 => format!("MCP-Protocol-Version: {revision}\r\n"),
                _ => String::new(),
            },
            dice.one(&[
                "Content-Length",
                "Content-Length",
                "Content-Length",
                "X-Length"
            ]),
            body.len(),
        )
        .into_bytes();
        spoil(&mut dice, &mut bytes);
        let mut rest = &bytes[..];
        let mut left = 400;
        while left > 0 {
            let part = rest.len().min(match dice.below(3) {
                0 => 1 + dice.below(90),
                _ => usize::MAX,
            });
            let taken = http.receive(&rest[..part]);
            assert_eq!(c.receive(&rest[..part]), taken, "request {number}");
            rest = &rest[taken..];
            let size = match dice.below(3) {
                0 => 1 + dice.below(90),
                _ => 4096,
            };
            let (mut mine, mut its) = (vec![0xA5; size], vec![0xA5; size]);
            let filled = http.poll(&mut server, Instant::from_millis(now), &mut mine);
            assert_eq!(c.poll(now, &mut its), filled, "request {number}");
            assert_eq!(
                String::from_utf8_lossy(&its),
                String::from_utf8_lossy(&mine),
                "request {number}: {}",
                String::from_utf8_lossy(&bytes)
            );
            said += filled;
            answers.extend_from_slice(&mine[..filled]);
            let wake = http.wake().map(Instant::as_millis);
            assert_eq!(c.wake(), wake, "request {number}");
            assert_eq!(c.is_closed(), http.is_closed());
            left -= 1;
            if taken == 0 && filled == 0 {
                match wake {
                    Some(_) if dice.below(20) > 0 => now += 1 + dice.roll() % 200,
                    _ => break,
                }
            }
        }
        if http.is_closed() || !rest.is_empty() || dice.below(20) == 0 {
            http.hang_up(&mut server, Instant::from_millis(now));
            c.hang_up(now);
            for _ in 0..1_000 {
                now += 100;
                http.poll(&mut server, Instant::from_millis(now), &mut []);
                c.poll(now, &mut []);
                assert_eq!(c.is_closed(), http.is_closed());
                if http.is_closed() {
                    break;
                }
            }
            http = Http::new(&mut memory, HttpConfig::LOOPBACK);
            c.open_http(2048, 512);
        }
        assert_eq!(arm.commands, server.app.commands(), "request {number}");
    }
    assert!(cfg!(miri) || said > 300_000, "{said} bytes");
    assert!(cfg!(miri) || arm.commands > 60, "{} commands", arm.commands);
}
