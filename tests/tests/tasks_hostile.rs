//! Attackers and clumsy clients of the tasks extension: bad order, bad ids,
//! wrong and replayed answers, connections that are cut at every byte, full
//! tables and memory that is too small. Nothing panics, nothing hangs, nothing
//! acts twice, and the next message works.

use agentmote::a2a::{Caller as A2aCaller, Exchange, Facts, Next};
use agentmote::buf::Sink;
use agentmote::server::{Http, HttpConfig, HttpMemory, Line, LineMemory};
use agentmote::task::Kept;
use agentmote_tests::peer::lines;
use agentmote_tests::rig::{AGENT, ALL, ANN, BOB, WAYS, Way, World};
use serde_json::{Value, json};

type Memory = LineMemory<1024, 512, 2, 512>;

fn modern(id: u32, method: &str, params: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params},\"_meta\":{{\
         \"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
         \"io.modelcontextprotocol/clientCapabilities\":{ALL}}}}}}}\n"
    )
}

/// What a line says within so many milliseconds, through windows of `cut`
/// bytes.
fn hear(line: &mut Line<'_>, world: &mut World, cut: usize, millis: u64) -> Vec<u8> {
    let mut all = Vec::new();
    let end = world.now + millis;
    loop {
        let mut out = vec![0; cut];
        let now = world.at();
        let n = line.poll_tasks(&mut world.server, &mut world.desk.tasks, ANN, now, &mut out);
        all.extend_from_slice(&out[..n]);
        if n > 0 {
            continue;
        }
        if world.now >= end {
            return all;
        }
        world.now += 1;
    }
}

/// Sends a request on a line, and gives its answer.
#[track_caller]
fn ask(line: &mut Line<'_>, world: &mut World, method: &str, params: &str) -> Value {
    let text = modern(1, method, params);
    assert_eq!(line.receive(text.as_bytes()), text.len());
    let heard = hear(line, world, 4096, 3);
    let mut all = lines(&heard);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// The second call of `begin`, with the answer to its question.
fn confirmed(line: &mut Line<'_>, world: &mut World) -> String {
    let asked = ask(line, world, "tools/call", r#""name":"begin""#);
    let state = asked["result"]["requestState"].as_str().expect("a state");
    format!(
        r#""name":"begin","requestState":"{state}","inputResponses":{{"begin":{{"action":"accept","content":{{"confirm":true}}}}}}"#
    )
}

/// A peer that goes away while its call becomes a task: the task goes on, and
/// its handler is not told of a cancellation that nobody wished.
#[test]
fn a_call_that_has_become_a_task_is_not_cancelled_with_its_line() {
    for waits in [false, true] {
        let mut world = World::new(Way::Line);
        let mut memory = Memory::new();
        let mut line = Line::new(&mut memory);
        let params = confirmed(&mut line, &mut world);
        let text = modern(2, "tools/call", &params);
        assert_eq!(line.receive(text.as_bytes()), text.len());
        if waits {
            world.server.app.journal = Some(Kept::NotYet);
        }
        let mut out = [0; 16];
        let now = world.at();
        let n = line.poll_tasks(&mut world.server, &mut world.desk.tasks, ANN, now, &mut out);
        assert_eq!(n, if waits { 0 } else { 16 });
        assert_eq!(world.desk.tasks.count(), 1);
        let now = world.at();
        line.reset(&mut world.server, now);
        assert_eq!(world.server.app.stopped, 0);
        assert!(!line.is_working());
        world.server.app.journal = None;
        world.pass(10);
        assert_eq!((world.server.app.begun, world.server.app.stopped), (1, 0));
        let answer = ask(&mut line, &mut world, "tools/call", r#""name":"now""#);
        assert_eq!(answer["result"]["content"][0]["text"], "now");
    }
}

/// What has begun before it asks is told of the wish to stop.
#[test]
fn work_that_asks_in_the_middle_is_told_to_stop() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("drill", "{}");
        world.pass(10);
        assert_eq!(world.get(&id)["status"], "input_required");
        assert_eq!((world.server.app.begun, world.server.app.stopped), (1, 0));
        world.ann("tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#));
        world.pass(5);
        assert_eq!(world.get(&id)["status"], "cancelled");
        assert_eq!((world.server.app.begun, world.server.app.stopped), (1, 1));
    }
}

/// A task whose place is taken while its answer goes out slowly: the line ends
/// with what was sent, and the next answer stands in a line of its own.
#[test]
fn an_answer_whose_task_was_dropped_does_not_run_into_the_next() {
    for sent in [0, 1, 40] {
        let mut world = World::with::<1, 1536, 512>(Way::Line);
        let id = world.task("weld", "{}");
        world.pass(5);
        let mut memory = Memory::new();
        let mut line = Line::new(&mut memory);
        let text = modern(7, "tasks/get", &format!(r#""taskId":"{id}""#));
        assert_eq!(line.receive(text.as_bytes()), text.len());
        let now = world.at();
        let mut out = vec![0; sent];
        let (server, tasks) = (&mut world.server, &mut world.desk.tasks);
        assert_eq!(line.poll_tasks(server, tasks, ANN, now, &mut out), sent);
        world.now += 600_001;
        let other = world.task("weld", "{}");
        assert_ne!(id, other);
        let rest = hear(&mut line, &mut world, 4096, 1);
        let heard = [out, rest].concat();
        let heard = String::from_utf8(heard).expect("UTF-8");
        assert_eq!(heard.matches('\n').count(), 1, "{heard}");
        assert!(heard.ends_with('\n'), "{heard}");
        if sent == 0 {
            let answer: Value = serde_json::from_str(&heard).expect("JSON");
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
            assert_eq!(answer["id"], 7);
        }
        let answer = ask(&mut line, &mut world, "tools/call", r#""name":"now""#);
        assert_eq!(answer["result"]["content"][0]["text"], "now");
    }
}

/// What differs from run to run: ids and times.
fn like(answer: &Value, id: &str) -> String {
    answer.to_string().replace(id, "ID")
}

/// Every request and answer in pieces of every small size says the same.
#[test]
fn pieces_of_any_size_say_the_same() {
    for way in WAYS {
        let story = |cut: usize| {
            let mut world = World::new(way);
            world.cut = cut;
            let id = world.task("pair", "{}");
            world.pass(5);
            let task = world.get(&id);
            let names: Vec<String> = requests(&task).keys().cloned().collect();
            let accept = json!({"action": "accept", "content": {"name": "\u{1F600}\"\\"}});
            let both = json!({names[0].as_str(): accept, names[1].as_str(): accept});
            world.update(&id, &both);
            world.pass(5);
            let done = world.get(&id);
            let mut text = like(&task, &id) + &like(&done, &id);
            for at in ["createdAt", "lastUpdatedAt"] {
                for one in [&task, &done] {
                    text = text.replace(one[at].as_str().expect("a time"), "");
                }
            }
            text
        };
        let whole = story(4096);
        assert!(whole.contains("completed"), "{whole}");
        for cut in 1..20 {
            let same = story(cut);
            let ttl = |text: &str| text.rfind("ttlMs").map(|at| text[..at].to_owned());
            assert_eq!(ttl(&same), ttl(&whole), "{way:?} {cut}");
        }
    }
}

fn requests(task: &Value) -> &serde_json::Map<String, Value> {
    task["inputRequests"].as_object().expect("questions")
}

/// A line that ends at any byte of a call, or of its answer.
#[test]
fn a_line_that_ends_at_any_byte_leaves_no_half_of_a_task() {
    let text = modern(2, "tools/call", r#""name":"turn","arguments":{"deg":3}"#);
    for at in 0..text.len() {
        let mut world = World::new(Way::Line);
        let mut memory = Memory::new();
        let mut line = Line::new(&mut memory);
        let mut rest = &text.as_bytes()[..at];
        while !rest.is_empty() {
            rest = &rest[line.receive(rest)..];
        }
        assert_eq!(hear(&mut line, &mut world, 4096, 1), b"");
        let now = world.at();
        line.reset(&mut world.server, now);
        assert_eq!(world.desk.tasks.count(), 0, "{at}");
        let answer = ask(&mut line, &mut world, "tools/call", r#""name":"now""#);
        assert_eq!(answer["result"]["content"][0]["text"], "now");
    }
    for taken in 0..400 {
        let mut world = World::new(Way::Line);
        let mut memory = Memory::new();
        let mut line = Line::new(&mut memory);
        assert_eq!(line.receive(text.as_bytes()), text.len());
        let mut out = vec![0; taken];
        let now = world.at();
        let (server, tasks) = (&mut world.server, &mut world.desk.tasks);
        let n = line.poll_tasks(server, tasks, ANN, now, &mut out);
        line.reset(server, now);
        // It has begun once it was taken, and goes on.
        let begun = world.desk.tasks.count();
        assert_eq!(begun, 1, "{taken}");
        world.pass(200);
        assert_eq!((world.server.app.begun, world.server.app.stopped), (1, 0));
        let answer = ask(&mut line, &mut world, "tools/call", r#""name":"now""#);
        assert_eq!(answer["result"]["content"][0]["text"], "now");
        if n < taken {
            break;
        }
    }
}

/// What is no answer is refused, or leaves the question as it is; the answer
/// that comes then is taken.
#[test]
fn wrong_updates_leave_the_question_open() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("sure", "{}");
        world.pass(5);
        let task = world.get(&id);
        let name = requests(&task).keys().next().expect("one").clone();
        let yes = r#"{"action":"accept","content":{"confirm":true}}"#;
        let many: Vec<String> = (0..65).map(|n| format!(r#""n{n}":{{}}"#)).collect();
        let many = format!("{{{}}}", many.join(","));
        let deep = format!(
            r#"{{"{name}":{{"a":{}{}}}}}"#,
            "[".repeat(70),
            "]".repeat(70)
        );
        let escaped = format!("\\u{:04x}{}", u32::from(name.as_bytes()[0]), &name[1..]);
        for wrong in [
            "null",
            "7",
            "\"x\"",
            "[]",
            &format!("[{yes}]"),
            &format!(r#"{{"{name}":true}}"#),
            &format!(r#"{{"{name}":[{yes}]}}"#),
            &format!(r#"{{"{name}":"yes"}}"#),
            &format!(r#"{{"{name}":null}}"#),
            &format!(r#"{{"{name}":{yes},"{name}":{yes}}}"#),
            &format!(r#"{{"{name}":{yes},"{escaped}":{yes}}}"#),
            &many,
            &deep,
        ] {
            let params = format!(r#"{{"taskId":"{id}","inputResponses":{wrong}}}"#);
            let answer = refused(&mut world, way, &id, &params);
            let code = answer["error"]["code"].as_i64();
            assert!(
                matches!(code, Some(-32602 | -32700 | -32600)),
                "{wrong}: {answer}"
            );
            assert_eq!(requests(&world.get(&id)), requests(&task), "{wrong}");
        }
        for other in [
            "sure",
            "sure-",
            "SURE-1",
            "sure-18446744073709551615",
            "",
            "-",
            "sure-01",
        ] {
            world.update(
                &id,
                &json!({other: {"action": "accept", "content": {"confirm": true}}}),
            );
            assert_eq!(requests(&world.get(&id)), requests(&task), "{other}");
        }
        assert_eq!(world.server.app.begun, 0);
        // The name as another encoder writes it is the same name.
        let params = format!(r#"{{"taskId":"{id}","inputResponses":{{"{escaped}":{yes}}}}}"#);
        let (_, ack) = world.raw(ANN, ALL, "tasks/update", &params);
        assert_eq!(ack["result"]["resultType"], "complete", "{ack}");
        for _ in 0..3 {
            world.pass(5);
            assert_eq!(world.get(&id)["status"], "completed");
            world.raw(ANN, ALL, "tasks/update", &params);
        }
        assert_eq!(world.server.app.begun, 1);
    }
}

/// The answer to an update whose parameters serde would refuse to read.
fn refused(world: &mut World, way: Way, id: &str, params: &str) -> Value {
    let body = modern(5, "tasks/update", &params[1..params.len() - 1]);
    let body = body.trim_end();
    match way {
        Way::Line => world.line(ANN, body),
        Way::Http => {
            let head = format!("Mcp-Method: tasks/update\r\nMcp-Name: {id}\r\n");
            world.post(ANN, &head, body).1
        }
    }
}

/// Answers of the right name and the wrong shape: the tool asks again under a
/// new name, or says what it cannot read; it does not act.
#[test]
fn answers_of_a_wrong_shape_are_asked_for_again() {
    for way in WAYS {
        for wrong in [
            json!({}),
            json!({"action": "maybe"}),
            json!({"action": 1, "content": {"confirm": true}}),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": []}),
            json!({"action": "accept", "content": {"confirm": "true"}}),
            json!({"action": "accept", "content": {"confirm": 1}}),
            json!({"content": {"confirm": true}}),
        ] {
            let mut world = World::new(way);
            let id = world.task("sure", "{}");
            world.pass(5);
            let first = world.get(&id);
            let name = requests(&first).keys().next().expect("one").clone();
            world.update(&id, &json!({name.as_str(): wrong}));
            world.pass(5);
            let task = world.get(&id);
            if task["status"] == "input_required" {
                assert!(!requests(&task).contains_key(&name), "{wrong}");
            } else {
                assert_eq!(task["result"]["isError"], true, "{wrong}: {task}");
            }
            assert_eq!(world.server.app.begun, 0, "{wrong}");
        }
    }
}

/// Cancelled at each of its steps, twice, and answered after it.
#[test]
fn a_wish_to_stop_at_every_step() {
    for way in WAYS {
        for tool in ["turn", "sure", "pair", "drill", "weld"] {
            for at in 0..8 {
                let mut world = World::new(way);
                let arguments = if tool == "turn" { r#"{"deg":3}"# } else { "{}" };
                let id = world.task(tool, arguments);
                world.pass(at);
                let before = world.get(&id);
                let wish = format!(r#"{{"taskId":"{id}"}}"#);
                world.ann("tasks/cancel", &wish);
                let asked = before["inputRequests"].as_object();
                for name in asked.into_iter().flat_map(|all| all.keys()) {
                    let yes = json!({"confirm": true, "name": "n"});
                    world.update(
                        &id,
                        &json!({name.as_str(): {"action": "accept", "content": yes}}),
                    );
                }
                world.ann("tasks/cancel", &wish);
                world.pass(3);
                let task = world.get(&id);
                let status = task["status"].as_str().expect("a status");
                let rig = &world.server.app;
                if tool == "weld" {
                    assert!(matches!(status, "completed" | "cancelled"), "{task}");
                    continue;
                }
                assert_eq!(status, "cancelled", "{tool} {at}: {task}");
                assert!(task.get("inputRequests").is_none());
                if tool == "turn" || tool == "drill" {
                    assert_eq!(rig.begun, rig.stopped, "{tool} {at}");
                } else {
                    assert_eq!((rig.begun, rig.stopped), (0, 0), "{tool} {at}");
                }
                world.pass(300);
                assert_eq!(world.get(&id), task);
            }
        }
    }
}

/// A table that is full of ended tasks gives the place of the oldest, once it
/// was kept long enough, and not before.
#[test]
fn a_place_is_taken_after_its_time() {
    for way in WAYS {
        let mut world = World::new(way);
        let mut ids = Vec::new();
        for _ in 0..4 {
            ids.push(world.task("weld", "{}"));
            world.pass(10);
        }
        let (_, busy) = world.raw(ANN, ALL, "tools/call", r#"{"name":"weld"}"#);
        assert_eq!(
            busy["error"]["message"],
            "Busy: 4 tasks, which is the limit"
        );
        // Whoever asks: the limit is one of all.
        let (_, busy) = world.raw(BOB, ALL, "tools/call", r#"{"name":"weld"}"#);
        assert_eq!(busy["error"]["code"], -32603);
        let ttl = world.get(&ids[0])["ttlMs"].as_u64().expect("a time");
        assert!((600_000..600_010).contains(&ttl), "{ttl}");
        world.now = 599_990;
        let (_, busy) = world.raw(ANN, ALL, "tools/call", r#"{"name":"weld"}"#);
        assert_eq!(busy["error"]["code"], -32603);
        world.now = 600_009;
        let new = world.task("weld", "{}");
        let gone = format!(r#"{{"taskId":"{}"}}"#, ids[0]);
        for method in ["tasks/get", "tasks/cancel"] {
            let (_, answer) = world.raw(ANN, ALL, method, &gone);
            assert_eq!(answer["error"]["code"], -32602);
        }
        for id in ids[1..].iter().chain([&new]) {
            world.get(id);
        }
    }
}

/// Clocks that jump ahead, stand still, go back, or are set to nonsense.
#[test]
fn clocks_that_jump_do_no_harm() {
    for way in WAYS {
        for (jump, set) in [
            (u64::MAX - 3, None),
            (u64::MAX, None),
            (1 << 62, Some(0)),
            (5, Some(u64::MAX)),
            (5, Some(1)),
        ] {
            let mut world = World::new(way);
            let id = world.task("sure", "{}");
            world.pass(5);
            let asked = world.get(&id);
            if let Some(millis) = set {
                let now = world.at();
                world.desk.tasks.set_clock(millis, now);
            }
            let before = world.now;
            world.now = jump;
            let now = world.at();
            world.desk.run(&mut world.server, now);
            let body = modern(5, "tasks/get", &format!(r#""taskId":"{id}""#));
            let told = once(&mut world, &body);
            assert_eq!(told["result"]["status"], "input_required", "{told}");
            assert_eq!(told["result"]["createdAt"], asked["createdAt"]);
            // And back.
            world.now = before - 3;
            let name = requests(&asked).keys().next().expect("one").clone();
            world.update(
                &id,
                &json!({name.as_str(): {"action": "accept", "content": {"confirm": true}}}),
            );
            world.pass(10);
            let task = world.get(&id);
            assert_eq!(task["status"], "completed");
            let (from, to) = (&task["createdAt"], &task["lastUpdatedAt"]);
            assert!(
                from.as_str() <= to.as_str() || set == Some(u64::MAX),
                "{task}"
            );
        }
    }
}

/// One line and one poll, at a time that must not be added to.
fn once(world: &mut World, text: &str) -> Value {
    let mut memory = Memory::new();
    let mut line = Line::new(&mut memory);
    assert_eq!(line.receive(text.as_bytes()), text.len());
    let mut out = vec![0; 4096];
    let now = world.at();
    let (server, tasks) = (&mut world.server, &mut world.desk.tasks);
    let n = line.poll_tasks(server, tasks, ANN, now, &mut out);
    lines(&out[..n]).remove(0)
}

/// Memory that is too small for a question, for the story of many, and for a
/// result: told with both numbers, and never a task that hangs.
#[test]
fn memory_that_is_too_small_is_told() {
    for way in WAYS {
        // Each wrong answer is asked again until the record is full.
        let mut world = World::with::<2, 1024, 512>(way);
        let id = world.task("sure", "{}");
        for round in 0.. {
            world.pass(5);
            let task = world.get(&id);
            if task["status"] != "input_required" {
                assert_eq!(task["status"], "failed", "{task}");
                let why = task["error"]["message"].as_str().expect("why");
                assert_eq!(why, "Internal error: the task has no room for a question");
                assert!(round > 1);
                break;
            }
            let name = requests(&task).keys().next().expect("one").clone();
            let params = json!({"taskId": id, "inputResponses":
                {name.as_str(): {"action": "accept", "content": {"confirm": 1}}}});
            let (_, ack) = world.raw(ANN, ALL, "tasks/update", &params.to_string());
            if ack.get("error").is_some() {
                let why = ack["error"]["message"].as_str().expect("why");
                assert!(why.starts_with("The task needs "), "{why}");
                // It is still open, and can be stopped.
                assert_eq!(requests(&world.get(&id)), requests(&task));
                world.ann("tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#));
                world.pass(5);
                assert_eq!(world.get(&id)["status"], "cancelled");
                break;
            }
            assert!(round < 20);
        }
        assert_eq!(world.server.app.begun, 0);
        // The smallest records there are.
        let mut world = World::with::<2, 512, 192>(way);
        for tool in ["pair", "model", "blocks", "sure", "large"] {
            let (_, made) = world.raw(ANN, ALL, "tools/call", &format!(r#"{{"name":"{tool}"}}"#));
            let Some(id) = made["result"]["taskId"].as_str() else {
                let why = made["error"]["message"].as_str().expect("why");
                assert!(why.contains("needs") || why.contains("Busy"), "{why}");
                continue;
            };
            world.pass(5);
            let task = world.get(id);
            assert_ne!(task["status"], "working", "{tool}");
            world.ann("tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#));
            world.pass(5);
            world.now += 700_000;
        }
        // No room for results at all.
        let mut world = World::with::<4, 1536, 0>(way);
        let why = "a tool needs 96 bytes of the tasks' result buffer, which has 0";
        for (tool, arguments) in [
            ("weld", "{}"),
            ("blocks", "{}"),
            ("turn", r#"{"deg":1}"#),
            ("sure", "{}"),
        ] {
            let id = world.task(tool, arguments);
            world.pass(200);
            let task = world.get(&id);
            assert_eq!(task["result"]["content"][0]["text"], why);
            assert_eq!(task["result"]["isError"], true);
        }
        assert_eq!(world.server.app.begun, 0);
        // Answers that leave a tool no room: it is not run with them.
        let mut world = World::with::<1, 1536, 192>(way);
        let id = world.task("sure", "{}");
        world.pass(5);
        let task = world.get(&id);
        let name = requests(&task).keys().next().expect("one").clone();
        let long = "x".repeat(120);
        world.update(
            &id,
            &json!({name: {"action": "accept", "content": {"confirm": true}, "more": long}}),
        );
        world.pass(5);
        let task = world.get(&id);
        let why = task["result"]["content"][0]["text"].as_str().expect("why");
        assert!(why.starts_with("a tool with these answers needs "), "{why}");
        assert!(why.ends_with(", which has 192"), "{why}");
        assert_eq!(world.server.app.begun, 0);
    }
}

/// The states that a stream of A2A tells, and whether it has ended.
struct Stream {
    exchange: Exchange,
    body: String,
    told: Vec<String>,
    ended: bool,
}

impl Stream {
    fn new(world: &mut World, method: &str, params: &str) -> Self {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let facts = Facts {
            caller: A2aCaller {
                principal: ANN,
                tenant: "",
                known: true,
            },
            version: Some(b"1.0"),
            extensions: 0,
            buf: body.as_bytes(),
            body: body.as_bytes(),
        };
        let mut exchange = Exchange::new();
        let now = world.at();
        let (tasks, app) = (&mut world.desk.tasks, &mut world.server.app);
        exchange.begin(&AGENT, tasks, app, &facts, now);
        Self {
            exchange,
            body,
            told: Vec::new(),
            ended: false,
        }
    }

    /// Takes what there is.
    fn look(&mut self, world: &World) {
        while !self.ended {
            let reply = match self.exchange.poll(&world.desk.tasks, world.at()) {
                Next::Wait => return,
                Next::Event(reply) => reply,
                Next::Answer(reply) | Next::Last(reply) => {
                    self.ended = true;
                    reply
                }
                Next::Gone => panic!("the task was dropped"),
            };
            let mut room = vec![0; 8192];
            let mut out = Sink::new(&mut room);
            let tasks = &world.desk.tasks;
            assert!(reply.write(&mut out, &AGENT, tasks, self.body.as_bytes()));
            let json: Value = serde_json::from_slice(out.kept()).expect("JSON");
            let result = json["result"].as_object().expect("a result");
            let (kind, what) = result.iter().next().expect("one");
            let state = what["status"]["state"].as_str();
            self.told.push(format!("{kind} {}", state.unwrap_or("-")));
        }
    }
}

/// One task: watched by A2A, asked and answered by MCP, in parts by both.
#[test]
fn a_stream_of_a2a_tells_what_mcp_does() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("pair", "{}");
        let wish = format!(r#"{{"id":"{id}"}}"#);
        let mut stream = Stream::new(&mut world, "SubscribeToTask", &wish);
        stream.look(&world);
        world.pass(5);
        stream.look(&world);
        let task = world.get(&id);
        let names: Vec<String> = requests(&task).keys().cloned().collect();
        // The first by MCP: the task waits for the other one.
        let accept = json!({"action": "accept", "content": {"name": "by-mcp"}});
        world.update(&id, &json!({names[0].as_str(): accept}));
        world.pass(5);
        stream.look(&world);
        assert!(
            stream
                .told
                .last()
                .is_some_and(|last| last.ends_with("INPUT_REQUIRED"))
        );
        // The second by A2A, which waits for what comes of it.
        let params = format!(
            r#"{{"message":{{"messageId":"m","role":"ROLE_USER","taskId":"{id}","parts":[{{"data":{{"two":{{"name":"by-a2a"}}}}}}]}}}}"#
        );
        let mut send = Stream::new(&mut world, "SendMessage", &params);
        send.look(&world);
        assert!(!send.ended);
        // Answered already.
        world.update(&id, &json!({names[1].as_str(): accept}));
        world.pass(5);
        send.look(&world);
        stream.look(&world);
        assert_eq!(send.told, ["task TASK_STATE_COMPLETED"]);
        assert!(stream.ended);
        assert_eq!(
            stream.told,
            [
                "task TASK_STATE_INPUT_REQUIRED",
                "statusUpdate TASK_STATE_WORKING",
                "artifactUpdate -",
                "statusUpdate TASK_STATE_COMPLETED",
            ]
        );
        let task = world.get(&id);
        assert_eq!(task["result"]["content"][0]["text"], "by-mcp and by-a2a");
    }
}

/// Stopped by one wire while the other waits, both ways.
#[test]
fn a_wish_to_stop_reaches_who_waits_on_the_other_wire() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("drill", "{}");
        world.pass(5);
        let params = format!(
            r#"{{"message":{{"messageId":"m","role":"ROLE_USER","taskId":"{id}","parts":[{{"text":"perhaps"}}]}}}}"#
        );
        let mut send = Stream::new(&mut world, "SendMessage", &params);
        world.ann("tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#));
        world.pass(5);
        send.look(&world);
        assert_eq!(send.told, ["task TASK_STATE_CANCELED"]);
        let id = world.task("drill", "{}");
        world.pass(5);
        let mut stop = Stream::new(&mut world, "CancelTask", &format!(r#"{{"id":"{id}"}}"#));
        stop.look(&world);
        assert!(!stop.ended);
        // An answer that comes too late.
        let task = world.get(&id);
        if let Some(all) = task["inputRequests"].as_object() {
            for name in all.keys() {
                let yes = json!({"action": "accept", "content": {"confirm": true}});
                world.update(&id, &json!({name.as_str(): yes}));
            }
        }
        world.pass(5);
        stop.look(&world);
        assert!(stop.ended);
        assert_eq!(world.get(&id)["status"], "cancelled");
        assert_eq!((world.server.app.begun, world.server.app.stopped), (2, 2));
    }
}

/// An id is the same however its JSON is written (RFC 8259, section 8.3).
#[test]
fn an_id_may_be_escaped() {
    let mut world = World::new(Way::Line);
    let id = world.task("weld", "{}");
    let escaped = format!("\\u{:04x}{}", u32::from(id.as_bytes()[0]), &id[1..]);
    let text = modern(5, "tasks/get", &format!(r#""taskId":"{escaped}""#));
    assert_eq!(world.line(ANN, text.trim_end())["result"]["taskId"], *id);
    let told = world.a2a(ANN, "GetTask", &format!(r#"{{"id":"{escaped}"}}"#));
    assert_eq!(told["result"]["id"], *id);
}

/// M-163: in the legacy era there are no such tasks, in a batch least of all.
#[test]
fn the_legacy_era_has_no_tasks() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut world = World::new(Way::Line);
        let mut memory = Memory::new();
        let mut line = Line::new(&mut memory);
        let mut say = |world: &mut World, text: &str| {
            let text = format!("{text}\n");
            assert_eq!(line.receive(text.as_bytes()), text.len());
            let heard = hear(&mut line, world, 4096, 300);
            String::from_utf8(heard).expect("UTF-8")
        };
        let open = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{"tasks":{{}},"elicitation":{{}},"extensions":{{"io.modelcontextprotocol/tasks":{{}}}}}},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
        );
        let opened = say(&mut world, &open);
        assert!(opened.contains(version), "{opened}");
        assert!(!opened.contains("tasks"), "{opened}");
        say(
            &mut world,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        );
        for method in [
            "tasks/get",
            "tasks/list",
            "tasks/cancel",
            "tasks/update",
            "tasks/result",
        ] {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"taskId":"x"}}}}"#
            );
            let answer = say(&mut world, &text);
            assert!(answer.contains("-32601"), "{version} {answer}");
        }
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"turn","arguments":{"deg":3},"task":{"ttl":1}}}"#;
        let answer = say(&mut world, call);
        assert!(answer.contains("turned 3"), "{version} {answer}");
        // One that is only a task is refused, and does nothing.
        let begun = world.server.app.begun;
        let weld = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weld"}}"#;
        let answer = say(&mut world, weld);
        let why = "Invalid params: this tool works as a task only, which this protocol version \
                   does not have";
        let json: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(json["error"], json!({"code": -32602, "message": why}));
        // A batch with requests of the modern era in it.
        let get = modern(2, "tasks/get", r#""taskId":"x""#);
        let make = modern(3, "tools/call", r#""name":"weld""#);
        let batch = format!("[{},{},{call}]", get.trim_end(), make.trim_end());
        let answer = say(&mut world, &batch);
        assert_eq!(answer.matches('\n').count(), 1, "{version} {answer}");
        assert_eq!(world.server.app.begun, begun, "{version}");
        assert_eq!(world.desk.tasks.count(), 0);
        let answer = say(&mut world, r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
        assert!(answer.contains("\"id\":9"), "{answer}");
    }
}

/// Bytes that are nearly requests, cut, doubled and changed at every place:
/// no panic, one line for each, and the next message works.
#[test]
fn changed_bytes_of_every_wish_are_survived() {
    let mut world = World::new(Way::Line);
    let id = world.task("sure", "{}");
    world.pass(5);
    let yes = r#"{"action":"accept","content":{"confirm":true}}"#;
    for (method, params) in [
        (
            "tools/call",
            r#""name":"turn","arguments":{"deg":3}"#.to_owned(),
        ),
        ("tasks/get", format!(r#""taskId":"{id}""#)),
        (
            "tasks/update",
            format!(r#""taskId":"{id}","inputResponses":{{"sure-x":{yes}}}"#),
        ),
    ] {
        let text = modern(2, method, &params);
        let bytes = text.trim_end().as_bytes();
        for at in 0..bytes.len() {
            for new in [b'"', b'{', b'}', b'\\', b'0', b' ', 0xFF, 0] {
                let mut bytes = bytes.to_vec();
                bytes[at] = new;
                bytes.push(b'\n');
                let mut memory = Memory::new();
                let mut line = Line::new(&mut memory);
                let mut rest = &bytes[..];
                while !rest.is_empty() {
                    let taken = line.receive(rest);
                    rest = &rest[taken..];
                    if taken == 0 {
                        break;
                    }
                }
                let heard = hear(&mut line, &mut world, 4096, 0);
                assert!(heard.iter().filter(|one| **one == b'\n').count() <= 1);
                assert!(heard.is_empty() || heard.ends_with(b"\n"));
            }
        }
    }
    let task = world.get(&id);
    assert_eq!(task["status"], "input_required");
}

/// The same over HTTP: a peer that hangs up at any byte.
#[test]
fn a_peer_that_hangs_up_at_any_byte_leaves_no_half_of_a_task() {
    let body = modern(2, "tools/call", r#""name":"turn","arguments":{"deg":3}"#);
    let body = body.trim_end();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nAuthorization: Bearer ann\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: turn\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let len = request.len();
    for (given, taken) in (0..len)
        .map(|given| (given, 4096))
        .chain((0..600).map(|taken| (len, taken)))
    {
        let mut world = World::new(Way::Http);
        let mut memory = HttpMemory::<2048, 512>::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK)
            .with_agent("/a2a")
            .with_tasks();
        let mut rest = &request.as_bytes()[..given];
        let mut out = vec![0; taken];
        let mut said = 0;
        let now = world.at();
        loop {
            let n = http.receive(rest);
            rest = &rest[n..];
            let room = &mut out[said..];
            let sent = http.poll_agent(&mut world.server, &mut world.desk, now, room);
            said += sent;
            if n == 0 && sent == 0 {
                break;
            }
        }
        http.hang_up(&mut world.server, now);
        http.poll_agent(&mut world.server, &mut world.desk, now, &mut [0; 64]);
        assert!(http.is_closed(), "{given} {taken}");
        let begun = usize::from(given == len);
        assert_eq!(world.desk.tasks.count(), begun, "{given} {taken}");
        world.pass(200);
        let rig = &world.server.app;
        assert_eq!((rig.begun as usize, rig.stopped), (begun, 0));
        let now = world.ann("tools/call", r#"{"name":"now"}"#);
        assert_eq!(now["content"][0]["text"], "now");
    }
}
