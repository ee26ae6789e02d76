//! The agent of the bench arm in C answers what the one in Rust answers, byte
//! for byte, on both wires of A2A: some thousand requests, good and bad, cut
//! anywhere, on one clock and with the same random bytes.

use std::cell::Cell;

use agentmote::a2a::{Agent, Caller};
use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, Server};
use agentmote::task::{TaskMemory, TaskRules, Tasks};
use agentmote::time::Instant;
use agentmote_c_tests::{Arm, Dice, KEY, Peer, draw, spoil, start_drawing};
use bench_arm::DEVICE;

const REQUESTS: usize = if cfg!(miri) { 30 } else { 6_000 };

const TEXTS: &[&str] = &[
    "calibrate the arm",
    "calibrate the arm",
    "Calibration, please",
    "home",
    "home the arm",
    "yes",
    " YES\\n",
    "\u{b}yes",
    "yess",
    "no",
    "dance",
    "",
];

/// What stands between `before` and the next quotation mark, in one of the
/// places where there is such a text; else something that is no id.
fn found(dice: &mut Dice, answers: &str, before: &str) -> String {
    let ids: Vec<&str> = answers
        .rmatch_indices(before)
        .take(12)
        .filter_map(|(at, _)| answers[at + before.len()..].split('"').next())
        .collect();
    if ids.is_empty() || dice.below(16) == 0 {
        return dice
            .one(&["0123456789abcdef0123456789abcdef", "nope", ""])
            .to_owned();
    }
    ids[dice.below(ids.len().min(6))].to_owned()
}

/// A request of 1.x or of 0.3.
fn request(dice: &mut Dice, answers: &str, number: usize, new: bool) -> String {
    let task = found(dice, answers, "\"taskId\":\"");
    let method = match (dice.below(16), new) {
        (0..=5, true) => "SendMessage",
        (0..=5, false) => "message/send",
        (6 | 7, true) => "SendStreamingMessage",
        (6 | 7, false) => "message/stream",
        (8 | 9, true) => "GetTask",
        (8 | 9, false) => "tasks/get",
        (10 | 11, true) => "CancelTask",
        (10 | 11, false) => "tasks/cancel",
        (12, true) => "SubscribeToTask",
        (12, false) => "tasks/resubscribe",
        (13, true) => "ListTasks",
        (14, true) => "GetExtendedAgentCard",
        (14, false) => "agent/getAuthenticatedExtendedCard",
        _ => dice.one(&["nope", "tools/list", "CreateTaskPushNotificationConfig"]),
    };
    let params = match method {
        "SendMessage" | "message/send" | "SendStreamingMessage" | "message/stream" => {
            let kind = |kind: &str| match new {
                true => String::new(),
                false => format!("\"kind\":\"{kind}\","),
            };
            let part = match dice.below(10) {
                9 => format!(
                    "{{{}\"text\":\"home {}\"}}",
                    kind("text"),
                    "x".repeat(dice.below(1400))
                ),
                0 => format!("{{{}\"data\":{{}}}}", kind("data")),
                1 => format!("{{{}\"data\":{{\"x\":1}}}}", kind("data")),
                _ => format!("{{{}\"text\":\"{}\"}}", kind("text"), dice.one(TEXTS)),
            };
            let skill = match dice.below(6) {
                0 => format!(
                    ",\"metadata\":{{\"skillId\":\"{}\"}}",
                    dice.one(&["calibrate", "home", "home", "nope"])
                ),
                _ => String::new(),
            };
            let of = match dice.below(3) {
                0 => String::new(),
                1 => format!(
                    ",\"contextId\":\"{}\"",
                    found(dice, answers, "\"contextId\":\"")
                ),
                _ => format!(",\"taskId\":\"{task}\""),
            };
            let configuration = match (dice.below(4), new) {
                (0, _) => String::new(),
                (1, true) => ",\"configuration\":{\"historyLength\":1}".to_owned(),
                (1, false) => ",\"configuration\":{\"blocking\":true}".to_owned(),
                (_, true) => ",\"configuration\":{\"returnImmediately\":true}".to_owned(),
                (_, false) => ",\"configuration\":{\"blocking\":false}".to_owned(),
            };
            let role = if new { "ROLE_USER" } else { "user" };
            let id = match dice.below(8) {
                0 => number.saturating_sub(3),
                _ => number,
            };
            format!(
                "{{\"message\":{{{}\"messageId\":\"m-{id}\",\"role\":\"{role}\",\"parts\":[{part}]{of}{skill}}}{configuration}}}",
                kind("message")
            )
        }
        "ListTasks" => match dice.below(4) {
            0 => "{\"pageSize\":1,\"includeArtifacts\":true}".to_owned(),
            1 => format!(
                "{{\"pageSize\":1,\"pageToken\":\"{}\"}}",
                found(dice, answers, "\"nextPageToken\":\"")
            ),
            2 => "{\"status\":\"TASK_STATE_COMPLETED\"}".to_owned(),
            _ => "{}".to_owned(),
        },
        "GetTask" | "tasks/get" => format!("{{\"id\":\"{task}\",\"historyLength\":2}}"),
        _ => format!("{{\"id\":\"{task}\"}}"),
    };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"{method}\",\"params\":{params}}}")
}

/// The answer yes to what a task asks.
fn answer(task: &str, number: usize, new: bool) -> String {
    let (method, kind, role, part) = match new {
        true => ("SendMessage", "", "ROLE_USER", "{\"text\":\"yes\"}"),
        false => (
            "message/send",
            "\"kind\":\"message\",",
            "user",
            "{\"kind\":\"text\",\"text\":\"yes\"}",
        ),
    };
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"{method}\",\"params\":{{\"message\":{{{kind}\"messageId\":\"m-{number}\",\"role\":\"{role}\",\"parts\":[{part}],\"taskId\":\"{task}\"}}}}}}"
    )
}

/// The two agents, and what has happened to both.
struct Both<'m> {
    http: Http<'m>,
    server: Server<bench_arm::Arm>,
    desk: AgentDesk<'m, bench_arm::Arm>,
    c: Peer,
    now: u64,
    answers: String,
}

impl Both<'_> {
    /// Offers some of the bytes; gives how many were taken, and how many came
    /// back.
    fn turn(&mut self, dice: &mut Dice, what: &str, rest: &[u8]) -> (usize, usize) {
        let part = rest.len().min(match dice.below(3) {
            0 => 1 + dice.below(90),
            _ => usize::MAX,
        });
        let taken = self.http.receive(&rest[..part]);
        assert_eq!(self.c.receive(&rest[..part]), taken, "{what}");
        let size = match dice.below(3) {
            0 => 1 + dice.below(90),
            _ => 4096,
        };
        let (mut mine, mut its) = (vec![0xA5; size], vec![0xA5; size]);
        let now = Instant::from_millis(self.now);
        let (server, desk) = (&mut self.server, &mut self.desk);
        let filled = self.http.poll_agent(server, desk, now, &mut mine);
        assert_eq!(self.c.poll(self.now, &mut its), filled, "{what}");
        assert_eq!(
            String::from_utf8_lossy(&its),
            String::from_utf8_lossy(&mine),
            "{what}"
        );
        let wake = self.http.wake_agent(&self.desk).map(Instant::as_millis);
        assert_eq!(self.c.wake(), wake, "{what}");
        assert_eq!(self.c.is_closed(), self.http.is_closed(), "{what}");
        self.answers
            .push_str(&String::from_utf8_lossy(&mine[..filled]));
        (taken, filled)
    }

    /// Lets tasks go on without a connection.
    fn pass(&mut self, millis: u64) {
        let end = self.now + millis;
        while self.now < end {
            let due = self.desk.tasks.wake().map_or(end, Instant::as_millis);
            self.now = due.clamp(self.now + 1, end);
            let now = Instant::from_millis(self.now);
            self.desk.tasks.run(&mut self.server.app, now);
            let due = self.desk.tasks.wake().map(Instant::as_millis);
            assert_eq!(self.c.run_tasks(self.now), due);
        }
    }
}

thread_local! {
    static DRAWN: Cell<u8> = const { Cell::new(0) };
}

#[test]
fn agents_answer_alike() {
    start_drawing();
    DRAWN.set(0);
    let mut arm = Arm::new();
    let mut c = Peer::new(&mut arm);
    c.open_agent(6, 1024, 512);
    let agent: &'static Agent<bench_arm::Arm> = Box::leak(Box::new(Agent::new(bench_arm::card(
        "http://127.0.0.1:8080/a2a/",
    ))));
    let mut tasks = TaskMemory::<6, 1024, 512>::new();
    let rules = TaskRules {
        retention_ms: 600_000,
        ..TaskRules::new(|bytes| {
            let mut drawn = DRAWN.get();
            draw(&mut drawn, bytes);
            DRAWN.set(drawn);
        })
    };
    let memory = Box::leak(Box::new(HttpMemory::<2048, 512>::new()));
    let open = |memory: &'static mut HttpMemory<2048, 512>| {
        Http::new(memory, HttpConfig::LOOPBACK).with_agent("/a2a")
    };
    let mut both = Both {
        http: open(memory),
        server: Server::new(&DEVICE, bench_arm::Arm::new()).with_key(KEY),
        desk: AgentDesk {
            agent,
            tasks: Tasks::new(&mut tasks, rules),
            callers: |_| Some(Caller::default()),
        },
        c,
        now: 0,
        answers: String::new(),
    };
    both.c.open_http(2048, 512);
    let clock = 1_800_000_000_000;
    both.desk.tasks.set_clock(clock, Instant::from_millis(0));
    both.c.set_clock(clock, 0);
    let mut dice = Dice(0x5EED_0003);
    for number in 0..REQUESTS {
        let new = dice.below(2) == 0;
        let from = both.answers.len().saturating_sub(20_000);
        let recent = both.answers.get(from..).unwrap_or("").to_owned();
        let (line, body) = match dice.below(24) {
            0 => ("GET /.well-known/agent-card.json", String::new()),
            1 => ("GET /.well-known/agent.json", String::new()),
            2 => ("GET /a2a", String::new()),
            3 => ("POST /.well-known/agent.json", "{}".to_owned()),
            4 if dice.below(4) == 0 => (
                "POST /mcp",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"arm_stop\"}}".to_owned(),
            ),
            5 => ("POST /a2a/", "[".repeat(dice.below(60))),
            6..=8 => (
                "POST /a2a",
                answer(&found(&mut dice, &recent, "\"taskId\":\""), number, new),
            ),
            _ => (
                dice.one(&["POST /a2a", "POST /a2a/"]),
                request(&mut dice, &recent, number, new),
            ),
        };
        let etag = match dice.below(2) {
            0 => {
                let tag = found(&mut dice, &both.answers, "ETag: \"");
                format!("If-None-Match: \"{tag}\"\r\n")
            }
            _ => String::new(),
        };
        let version = match (new, dice.below(8)) {
            (true, 1..) => "A2A-Version: 1.0\r\n",
            (false, 1..) => "",
            _ => dice.one(&["A2A-Version: 0.3\r\n", "A2A-Version: 2.0\r\n", ""]),
        };
        let mut bytes = format!(
            "{line} HTTP/1.{}\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             {etag}{version}Content-Length: {}\r\n\r\n{body}",
            dice.one(&["1", "1", "1", "0"]),
            body.len(),
        )
        .into_bytes();
        spoil(&mut dice, &mut bytes);
        let what = format!("request {number}: {}", String::from_utf8_lossy(&bytes));
        let mut rest = &bytes[..];
        for _ in 0..600 {
            let (taken, filled) = both.turn(&mut dice, &what, rest);
            rest = &rest[taken..];
            if taken == 0 && filled == 0 {
                match both.c.wake() {
                    Some(wake) if dice.below(40) > 0 => both.now = wake.max(both.now + 1),
                    _ => break,
                }
            }
        }
        if both.http.is_closed() || !rest.is_empty() || dice.below(8) == 0 {
            both.http
                .hang_up(&mut both.server, Instant::from_millis(both.now));
            both.c.hang_up(both.now);
            // The call of a legacy client goes on.
            while !both.http.is_closed() {
                both.turn(&mut dice, &what, &[]);
                both.now += 100;
            }
            // For the time of the test.
            both.http = open(Box::leak(Box::new(HttpMemory::new())));
            both.c.open_http(2048, 512);
        }
        if dice.below(3) == 0 {
            let millis = dice.roll() % 4_000;
            both.pass(millis);
        }
        if dice.below(40) == 0 {
            both.pass(600_000);
        }
        assert_eq!(arm.commands, both.server.app.commands(), "{what}");
    }
    if !cfg!(miri) {
        let count = |what: &str| both.answers.matches(what).count();
        for what in [
            "TASK_STATE_INPUT_REQUIRED",
            "TASK_STATE_COMPLETED",
            "TASK_STATE_CANCELED",
            "TASK_STATE_REJECTED",
            "TASK_STATE_FAILED",
            "\"state\":\"input-required\"",
            "\"state\":\"completed\"",
            "\"state\":\"canceled\"",
            "joint 1 of 6",
            "\"joints\":6",
            "the arm is at home",
            "is still moving",
            "was used for another message",
            "nextPageToken",
            "HTTP/1.1 304",
            "HTTP/1.1 405",
            "data: ",
            "supportedInterfaces",
            "preferredTransport",
            "has room for",
            "-32700",
        ] {
            assert!(count(what) > 0, "{} times: {what}", count(what));
        }
        assert!(arm.commands > 500, "{} commands", arm.commands);
    }
}
