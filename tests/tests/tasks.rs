//! The tasks extension of MCP (M-160 to M-163, SEP-2663) over HTTP and lines,
//! and the same records told by A2A: one table, three projections.

use agentmote::server::{Line, LineMemory, Server};
use agentmote::task::{Kept, Principal, TaskMemory, TaskRules, Tasks};
use agentmote::time::Instant;
use agentmote_tests::peer::lines;
use agentmote_tests::rig::{ALL, ANN, BOB, DEVICE, ONLY_TASKS, Rig, WAYS, Way, World, entropy};
use serde_json::{Value, json};

#[track_caller]
fn text_of(task: &Value) -> &str {
    task["result"]["content"][0]["text"].as_str().expect("text")
}

/// The one name among the questions.
#[track_caller]
fn keys(task: &Value) -> Vec<String> {
    let requests = task["inputRequests"].as_object().expect("questions");
    requests.keys().cloned().collect()
}

/// M-160: advertised where it is served, nowhere else; M-163.
#[test]
fn the_extension_is_advertised_where_it_is_served() {
    for way in WAYS {
        let mut world = World::new(way);
        let found = world.ann("server/discover", "{}");
        let want = json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
        assert_eq!(found["capabilities"]["extensions"], want["extensions"]);
        assert!(found["capabilities"].get("tasks").is_none());
    }
    // The same device on a connection without the tasks.
    let mut memory = LineMemory::<1024, 512, 2, 512>::new();
    let mut line = Line::new(&mut memory);
    let mut server = Server::new(&DEVICE, Rig::default());
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;
    let mut ask = |method: &str, params: &str| {
        let text = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}{meta}}}}}\n"
        );
        assert_eq!(line.receive(text.as_bytes()), text.len());
        let mut out = vec![0; 4096];
        let n = line.poll(&mut server, Instant::from_millis(0), &mut out);
        lines(&out[..n]).remove(0)
    };
    let found = ask("server/discover", "");
    assert!(found["result"]["capabilities"].get("extensions").is_none());
    let refused = ask("tasks/get", "\"taskId\":\"x\",");
    assert_eq!(refused["error"]["code"], -32601);
    let refused = ask("tools/call", "\"name\":\"weld\",");
    assert_eq!(refused["error"]["code"], -32021);
}

/// M-161, M-162: from the call to the result.
#[test]
fn a_call_becomes_a_task_and_gives_its_result() {
    for way in WAYS {
        let mut world = World::new(way);
        let created = world.ann("tools/call", r#"{"name":"turn","arguments":{"deg":30}}"#);
        let id = created["taskId"].as_str().expect("an id").to_owned();
        assert_eq!(
            created,
            json!({
                "resultType": "task", "taskId": id, "status": "working",
                "createdAt": created["createdAt"], "lastUpdatedAt": created["createdAt"],
                "ttlMs": null, "pollIntervalMs": 500,
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "rig", "version": "1.0"}},
            })
        );
        assert!(
            created["createdAt"]
                .as_str()
                .is_some_and(|at| at.starts_with("2026-11-30T08:44:3"))
        );
        let task = world.get(&id);
        assert_eq!(
            (&task["status"], &task["resultType"]),
            (&json!("working"), &json!("complete"))
        );
        assert!(task.get("result").is_none());
        world.pass(200);
        let task = world.get(&id);
        assert_eq!(task["status"], "completed");
        assert_eq!(
            task["result"],
            json!({"resultType": "complete", "content": [{"type": "text", "text": "turned 30"}]})
        );
        let ttl = task["ttlMs"].as_u64().expect("milliseconds");
        assert!((600_000..600_300).contains(&ttl), "{ttl}");
        assert_eq!(world.server.app.begun, 1);
        // The same record over A2A, its arguments as a message.
        let told = world.a2a(ANN, "GetTask", &format!(r#"{{"id":"{id}"}}"#));
        let told = &told["result"];
        assert_eq!(told["status"]["state"], "TASK_STATE_COMPLETED");
        assert_eq!(told["artifacts"][0]["parts"][0]["text"], "turned 30");
        assert_eq!(told["history"][0]["parts"][0]["data"], json!({"deg": 30}));
        let message = told["history"][0]["messageId"].as_str().expect("an id");
        assert!(message.starts_with(&id));
    }
}

/// M-025, M-162: who has not declared the extension.
#[test]
fn without_the_extension_nothing_is_a_task() {
    for way in WAYS {
        let mut world = World::new(way);
        let needs =
            json!({"requiredCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}});
        for (method, params) in [
            ("tasks/get", r#"{"taskId":"x"}"#),
            ("tasks/update", r#"{"taskId":"x","inputResponses":{}}"#),
            ("tasks/cancel", r#"{"taskId":"x"}"#),
            ("tools/call", r#"{"name":"weld"}"#),
            ("tools/call", r#"{"name":"begin"}"#),
        ] {
            for caps in [
                "{}",
                r#"{"extensions":{"io.modelcontextprotocol/tasks":true}}"#,
            ] {
                let (status, answer) = world.raw(ANN, caps, method, params);
                assert!(matches!(status, 0 | 400), "{status}");
                assert_eq!(answer["error"]["code"], -32021, "{method}");
                assert_eq!(answer["error"]["data"], needs);
            }
        }
        assert_eq!(world.desk.tasks.count(), 0);
        assert_eq!(world.server.app.begun, 0);
        // One that may be a task is a call.
        let (_, answer) = world.raw(
            ANN,
            "{}",
            "tools/call",
            r#"{"name":"turn","arguments":{"deg":1}}"#,
        );
        assert_eq!(answer["result"]["content"][0]["text"], "turned 1");
        // M-125: a legacy wish for a task makes none.
        let now = world.ann("tools/call", r#"{"name":"now","task":{"ttl":5}}"#);
        assert_eq!(now["content"][0]["text"], "now");
        for method in ["tasks/result", "tasks/list"] {
            let (_, answer) = world.raw(ANN, ALL, method, r#"{"taskId":"x"}"#);
            assert_eq!(answer["error"]["code"], -32601);
        }
    }
}

/// A-198: of another tenant, or not there.
#[test]
fn a_task_of_another_is_not_told_apart_from_none() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("turn", r#"{"deg":1}"#);
        let other = "0123456789abcdef0123456789abcdef";
        for (method, more) in [
            ("tasks/get", ""),
            ("tasks/cancel", ""),
            ("tasks/update", r#","inputResponses":{}"#),
        ] {
            let mut ask = |id: &str| {
                let params = format!(r#"{{"taskId":"{id}"{more}}}"#);
                let (status, answer) = world.raw(BOB, ALL, method, &params);
                (status, answer.to_string().replace(id, "ID"))
            };
            let theirs = ask(&id);
            assert_eq!(theirs, ask(other), "{method}");
            assert!(theirs.1.contains("-32602"), "{}", theirs.1);
            assert!(theirs.1.contains("Unknown task: ID"));
        }
        assert_eq!(world.get(&id)["status"], "working");
        for wrong in ["", "nothing", &id.to_uppercase(), &format!("{id}0")] {
            let params = format!(r#"{{"taskId":"{wrong}"}}"#);
            let (_, answer) = world.raw(ANN, ALL, "tasks/get", &params);
            assert_eq!(answer["error"]["code"], -32602);
        }
    }
    // Nobody at all.
    let mut world = World::new(Way::Http);
    world.desk.callers = |_| None;
    let (status, _) = world.raw(ANN, ALL, "tasks/get", r#"{"taskId":"x"}"#);
    assert_eq!(status, 401);
}

/// M-162: cancelled by the handler's own way, and acknowledged always.
#[test]
fn a_task_is_cancelled() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("turn", r#"{"deg":1}"#);
        world.pass(20);
        let params = format!(r#"{{"taskId":"{id}"}}"#);
        for _ in 0..2 {
            let ack = world.ann("tasks/cancel", &params);
            assert_eq!(ack["resultType"], "complete");
            assert!(ack.get("taskId").is_none());
            world.pass(5);
            let task = world.get(&id);
            assert_eq!(task["status"], "cancelled");
            assert!(task.get("result").is_none() && task.get("error").is_none());
        }
        assert_eq!((world.server.app.begun, world.server.app.stopped), (1, 1));
        let id = world.task("sure", "{}");
        world.pass(5);
        assert_eq!(world.get(&id)["status"], "input_required");
        world.ann("tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#));
        world.pass(5);
        assert_eq!(world.get(&id)["status"], "cancelled");
        assert_eq!(world.server.app.begun, 1);
    }
}

/// A tool that fails has a result, a device that fails an error.
#[test]
fn failures_of_the_tool_and_of_the_device() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("weld", "{}");
        world.pass(5);
        let task = world.get(&id);
        assert_eq!(task["status"], "completed");
        assert_eq!(
            task["result"],
            json!({"resultType": "complete",
                "content": [{"type": "text", "text": "the torch is cold"}], "isError": true})
        );
        let id = world.task("large", "{}");
        world.pass(5);
        let task = world.get(&id);
        assert_eq!(task["status"], "failed");
        assert_eq!(task["error"]["code"], -32603);
        let why = task["error"]["message"].as_str().expect("why");
        assert!(
            why.starts_with("Internal error: the output needs "),
            "{why}"
        );
        assert!(task.get("result").is_none());
        // Arguments are checked before there is a task.
        let count = world.desk.tasks.count();
        let result = world.ann("tools/call", r#"{"name":"turn","arguments":{"deg":91}}"#);
        assert_eq!(result["isError"], true);
        assert_eq!(
            result["content"][0]["text"],
            "deg: 91 is above the maximum 90"
        );
        assert_eq!(world.desk.tasks.count(), count);
    }
}

#[test]
fn a_full_table_and_a_journal_that_fails_are_told() {
    for way in WAYS {
        let mut world = World::new(way);
        for _ in 0..4 {
            world.task("sure", "{}");
        }
        let (_, answer) = world.raw(ANN, ALL, "tools/call", r#"{"name":"sure"}"#);
        assert_eq!(answer["error"]["code"], -32603);
        assert_eq!(
            answer["error"]["message"],
            "Busy: 4 tasks, which is the limit"
        );
        let mut world = World::new(way);
        world.server.app.journal = Some(Kept::No);
        let (_, answer) = world.raw(
            ANN,
            ALL,
            "tools/call",
            r#"{"name":"turn","arguments":{"deg":1}}"#,
        );
        let why = "Internal error: the task cannot be kept by this device";
        assert_eq!(answer["error"]["message"], why);
        assert_eq!(world.server.app.begun, 0);
    }
}

/// What every block becomes, there and back.
#[test]
fn every_block_comes_back_as_it_was_given() {
    for way in WAYS {
        let mut world = World::new(way);
        let (_, at_once) = world.raw(ANN, "{}", "tools/call", r#"{"name":"blocks"}"#);
        let id = world.task("blocks", "{}");
        world.pass(5);
        for cut in [1, 7, 4096] {
            world.cut = cut;
            let task = world.get(&id);
            for member in ["content", "structuredContent"] {
                assert_eq!(task["result"][member], at_once["result"][member], "{cut}");
            }
        }
    }
}

/// SEP-2663: questions in the task, one by one, each name used once.
#[test]
fn questions_are_answered_in_parts_and_never_twice() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("pair", "{}");
        world.pass(5);
        let task = world.get(&id);
        assert_eq!(task["status"], "input_required");
        assert_eq!(task["statusMessage"], "one: First?\ntwo: Second?");
        let names = keys(&task);
        assert_eq!(names.len(), 2);
        assert!(names[0].starts_with("one-") && names[1].starts_with("two-"));
        assert_eq!(
            task["inputRequests"][&names[0]],
            json!({"method": "elicitation/create", "params": {"message": "First?",
                "requestedSchema": {"type": "object", "properties": {
                    "name": {"type": "string", "maxLength": 20}}, "required": ["name"],
                    "additionalProperties": false}}})
        );
        let accept = |name: &str| json!({"action": "accept", "content": {"name": name}});
        // Unknown names, and those of another time, change nothing.
        world.update(
            &id,
            &json!({"one": accept("x"), "one-1": accept("x"), "three": {}}),
        );
        assert_eq!(keys(&world.get(&id)), names);
        world.update(
            &id,
            &json!({names[0].as_str(): accept("a\u{e9}"), "more": {}}),
        );
        world.pass(5);
        assert_eq!(keys(&world.get(&id)), names[1..]);
        // Answered before: the first answer stands.
        world.update(&id, &json!({names[0].as_str(): accept("other")}));
        assert_eq!(keys(&world.get(&id)), names[1..]);
        // One that does not fit is asked for again, under another name.
        world.update(&id, &json!({names[1].as_str(): accept(&"n".repeat(21))}));
        world.pass(5);
        let again = keys(&world.get(&id));
        assert!(again.iter().all(|name| !names.contains(name)), "{again:?}");
        let answers: serde_json::Map<String, Value> = again
            .iter()
            .map(|name| (name.clone(), accept(&name[..3])))
            .collect();
        world.update(&id, &Value::Object(answers));
        world.pass(5);
        let task = world.get(&id);
        assert_eq!(task["status"], "completed", "{task}");
        let first = text_of(&task);
        assert!(first.ends_with("and two"), "{first}");
        // Once it has ended, an answer is acknowledged and ignored.
        world.update(&id, &json!({names[1].as_str(): accept("late")}));
        assert_eq!(world.get(&id), task);
    }
}

#[test]
fn a_question_to_the_model_and_one_for_the_roots() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("model", "{}");
        world.pass(5);
        let task = world.get(&id);
        let names = keys(&task);
        let asked = |at: usize| task["inputRequests"][&names[at]]["method"].clone();
        assert_eq!(
            (asked(0), asked(1)),
            (json!("sampling/createMessage"), json!("roots/list"))
        );
        assert_eq!(task["inputRequests"][&names[0]]["params"]["maxTokens"], 9);
        world.update(
            &id,
            &json!({names[0].as_str(): {"role": "assistant", "model": "m",
                "content": {"type": "text", "text": "aha"}}, names[1].as_str(): {"roots": []}}),
        );
        world.pass(5);
        assert_eq!(text_of(&world.get(&id)), "aha");
        // M-146: who cannot be asked is not.
        let (_, answer) = world.raw(ANN, ONLY_TASKS, "tools/call", r#"{"name":"model"}"#);
        let id = answer["result"]["taskId"]
            .as_str()
            .expect("an id")
            .to_owned();
        world.pass(5);
        let task = world.get(&id);
        let why = "the client cannot be asked: it has not declared sampling";
        assert_eq!(text_of(&task), why);
        assert_eq!(task["result"]["isError"], true);
    }
}

/// A question that one wire shows and the other answers.
#[test]
fn a2a_answers_in_words_or_as_data() {
    for (parts, want) in [
        (r#"[{"text":"yes"}]"#, "TASK_STATE_COMPLETED"),
        (r#"[{"text":" No "}]"#, "TASK_STATE_FAILED"),
        (r#"[{"text":"decline"}]"#, "TASK_STATE_FAILED"),
        (r#"[{"data":{"confirm":true}}]"#, "TASK_STATE_COMPLETED"),
        (
            r#"[{"data":{"sure":{"confirm":true}}}]"#,
            "TASK_STATE_COMPLETED",
        ),
        (
            r#"[{"data":{"sure":{"action":"accept","content":{"confirm":false}}}}]"#,
            "TASK_STATE_FAILED",
        ),
        (r#"[{"text":"perhaps"}]"#, "TASK_STATE_INPUT_REQUIRED"),
        (
            r#"[{"data":{"confirm":"yes"}}]"#,
            "TASK_STATE_INPUT_REQUIRED",
        ),
    ] {
        let mut world = World::new(Way::Http);
        let id = world.task("sure", "{}");
        world.pass(5);
        let told = world.a2a(ANN, "GetTask", &format!(r#"{{"id":"{id}"}}"#));
        let status = &told["result"]["status"];
        assert_eq!(status["state"], "TASK_STATE_INPUT_REQUIRED");
        assert_eq!(status["message"]["parts"][0]["text"], "Really?");
        let params = format!(
            r#"{{"message":{{"messageId":"m-1","role":"ROLE_USER","taskId":"{id}","parts":{parts}}}}}"#
        );
        let told = world.a2a(ANN, "SendMessage", &params);
        assert_eq!(told["result"]["task"]["status"]["state"], want, "{parts}");
    }
}

/// The other way round: begun over A2A, answered over MCP.
#[test]
fn tasks_of_a2a_are_told_and_answered_over_mcp() {
    let mut world = World::new(Way::Http);
    for (skill, text) in [("sure", "sure"), ("words", "please")] {
        let params = format!(
            r#"{{"message":{{"messageId":"m-{skill}","role":"ROLE_USER","parts":[{{"text":"{text}"}}]}}}}"#
        );
        let told = world.a2a(ANN, "SendMessage", &params);
        let id = told["result"]["task"]["id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let task = world.get(&id);
        assert_eq!(task["status"], "input_required", "{task}");
        let name = keys(&task).remove(0);
        let request = &task["inputRequests"][&name];
        assert_eq!(request["method"], "elicitation/create");
        let content = if skill == "sure" {
            json!({"confirm": true})
        } else {
            assert_eq!(request["params"]["message"], "go on?");
            json!({"answer": "yes"})
        };
        world.update(
            &id,
            &json!({name.as_str(): {"action": "accept", "content": content}}),
        );
        world.pass(5);
        let task = world.get(&id);
        assert_eq!(task["status"], "completed", "{task}");
    }
    assert_eq!(world.server.app.begun, 1);
    // Who declines says so.
    let params =
        r#"{"message":{"messageId":"m-9","role":"ROLE_USER","parts":[{"text":"please"}]}}"#;
    let told = world.a2a(ANN, "SendMessage", params);
    let id = told["result"]["task"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let name = keys(&world.get(&id)).remove(0);
    world.update(&id, &json!({name.as_str(): {"action": "decline"}}));
    world.pass(5);
    let task = world.get(&id);
    assert_eq!(
        (text_of(&task), &task["result"]["isError"]),
        ("not confirmed", &json!(true))
    );
}

/// SEP-2663: what is asked before there is a task is asked with the call.
#[test]
fn a_tool_asks_first_and_then_becomes_a_task() {
    for way in WAYS {
        let mut world = World::new(way);
        let asked = world.ann("tools/call", r#"{"name":"begin"}"#);
        assert_eq!(asked["resultType"], "input_required");
        assert!(asked.get("taskId").is_none());
        assert_eq!(world.desk.tasks.count(), 0);
        let state = asked["requestState"].as_str().expect("a state");
        let retry = |confirm: bool| {
            format!(
                r#"{{"name":"begin","requestState":"{state}","inputResponses":{{"begin":{{"action":"accept","content":{{"confirm":{confirm}}}}}}}}}"#
            )
        };
        let created = world.ann("tools/call", &retry(true));
        assert_eq!(created["resultType"], "task", "{created}");
        assert!(created.get("requestState").is_none());
        let id = created["taskId"].as_str().expect("an id").to_owned();
        world.pass(5);
        assert_eq!(text_of(&world.get(&id)), "begun");
        assert_eq!(world.server.app.begun, 1);
        // The state is used up (M-148).
        let (_, answer) = world.raw(ANN, ALL, "tools/call", &retry(true));
        assert_eq!(answer["error"]["code"], -32602);
        // Who refuses has a result, and no task.
        let asked = world.ann("tools/call", r#"{"name":"begin"}"#);
        let state = asked["requestState"].as_str().expect("a state");
        let params = format!(
            r#"{{"name":"begin","requestState":"{state}","inputResponses":{{"begin":{{"action":"decline"}}}}}}"#
        );
        let refused = world.ann("tools/call", &params);
        assert_eq!(refused["isError"], true);
        assert_eq!((world.desk.tasks.count(), world.server.app.begun), (1, 1));
    }
}

#[test]
fn wrong_parameters_are_named() {
    for way in WAYS {
        let mut world = World::new(way);
        for (method, params, want) in [
            ("tasks/get", "{}", "Invalid params: taskId must be a string"),
            (
                "tasks/get",
                r#"{"taskId":7}"#,
                "Invalid params: taskId must be a string",
            ),
            (
                "tasks/update",
                r#"{"taskId":"x"}"#,
                "Invalid params: inputResponses is missing",
            ),
            (
                "tasks/update",
                r#"{"taskId":"x","inputResponses":[]}"#,
                "Invalid params: inputResponses must be an object of at most 64 objects, none of them twice",
            ),
        ] {
            let (_, answer) = world.raw(ANN, ALL, method, params);
            // Over HTTP a missing name is first a missing header.
            if answer["error"]["code"] == -32020 {
                continue;
            }
            assert_eq!(answer["error"]["message"], want);
            assert_eq!(answer["error"]["code"], -32602);
        }
    }
    // M-065: the header repeats the id.
    let mut world = World::new(Way::Http);
    let body = r#"{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}"#;
    for name in ["", "Mcp-Name: y\r\n"] {
        let (status, answer) = world.post(ANN, &format!("Mcp-Method: tasks/get\r\n{name}"), body);
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32020)));
    }
}

/// The bench arm: a move through the marked zone, as a task that asks.
#[test]
fn the_bench_arm_moves_as_a_task() {
    let memory = Box::leak(Box::new(TaskMemory::<2, 1024, 512>::new()));
    let mut tasks = Tasks::new(memory, TaskRules::new(entropy));
    let mut server = Server::new(&bench_arm::DEVICE, bench_arm::Arm::new());
    let mut memory = LineMemory::<1024, 512, 2, 512>::new();
    let mut line = Line::new(&mut memory);
    let mut now = 0;
    let mut ask = |method: &str, params: &str, millis: u64| {
        let end = now + millis;
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"{method}","params":{{{params},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{ALL}}}}}}}"#
        );
        assert_eq!(line.receive(format!("{text}\n").as_bytes()), text.len() + 1);
        let mut all = Vec::new();
        while now <= end {
            let mut out = [0; 256];
            let at = Instant::from_millis(now);
            let n = line.poll_tasks(&mut server, &mut tasks, ANN, at, &mut out);
            all.extend_from_slice(&out[..n]);
            now += u64::from(n == 0);
        }
        let answer = lines(&all).remove(0);
        assert!(answer.get("error").is_none(), "{answer}");
        (
            answer["result"].clone(),
            server.app.angle(0, Instant::from_millis(now)),
        )
    };
    let call = r#""name":"arm_move","arguments":{"joint":0,"deg":-90,"speed":100}"#;
    let (created, _) = ask("tools/call", call, 50);
    let id = created["taskId"].as_str().expect("a task");
    let get = format!(r#""taskId":"{id}""#);
    let (task, angle) = ask("tasks/get", &get, 1000);
    assert_eq!((&task["status"], angle), (&json!("input_required"), 0));
    let name = keys(&task).remove(0);
    let answer = json!({name: {"action": "accept", "content": {"confirm": true}}});
    ask(
        "tasks/update",
        &format!("{get},\"inputResponses\":{answer}"),
        30_000,
    );
    let (task, angle) = ask("tasks/get", &get, 1);
    assert_eq!(angle, -90_000);
    assert_eq!(text_of(&task), "the joint is at its target");
}

/// The status that each state of A2A is.
fn status_of(state: &str) -> &'static [&'static str] {
    match state {
        "TASK_STATE_SUBMITTED" | "TASK_STATE_WORKING" => &["working"],
        "TASK_STATE_INPUT_REQUIRED" => &["input_required"],
        "TASK_STATE_COMPLETED" | "TASK_STATE_REJECTED" => &["completed"],
        "TASK_STATE_FAILED" => &["completed", "failed"],
        "TASK_STATE_CANCELED" => &["cancelled"],
        other => panic!("{other}"),
    }
}

/// Random operations of two callers: what one has is never seen by the other,
/// both projections tell the same story, what has ended stays, and the name of
/// a question that was answered does not come back.
#[test]
fn random_operations_keep_to_the_rules() {
    for way in WAYS {
        let mut seed = 0x5EED_u64;
        let mut below = |end: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as usize % end
        };
        let mut world = World::new(way);
        // Ids, their owners, the last answer once it has ended, names that
        // were answered.
        let mut known: Vec<(String, Principal, Option<Value>, Vec<String>)> = Vec::new();
        for _ in 0..600 {
            let who = [ANN, BOB][below(2)];
            match below(8) {
                0 => {
                    let tool =
                        ["turn", "weld", "sure", "pair", "blocks", "large", "model"][below(7)];
                    let params = format!(
                        r#"{{"name":"{tool}","arguments":{}}}"#,
                        if tool == "turn" { r#"{"deg":3}"# } else { "{}" }
                    );
                    let (_, answer) = world.raw(who, ALL, "tools/call", &params);
                    match answer["result"]["taskId"].as_str() {
                        Some(id) => known.push((id.to_owned(), who, None, Vec::new())),
                        None => assert_eq!(answer["error"]["code"], -32603, "{answer}"),
                    }
                }
                1 => world.pass(1 + below(60) as u64),
                2 => world.now += 700_000 * below(2) as u64,
                _ if known.is_empty() => {}
                what => {
                    let at = below(known.len());
                    let (id, owner, ended, answered) = &mut known[at];
                    let params = format!(r#"{{"taskId":"{id}"}}"#);
                    let (_, got) = world.raw(who, ALL, "tasks/get", &params);
                    if who != *owner {
                        assert_eq!(got["error"]["code"], -32602);
                        let other = format!(r#"{{"taskId":"{id}","inputResponses":{{}}}}"#);
                        let (_, no) = world.raw(who, ALL, "tasks/update", &other);
                        assert_eq!(no["error"]["code"], -32602);
                        continue;
                    }
                    let told = world.a2a(who, "GetTask", &format!(r#"{{"id":"{id}"}}"#));
                    if got.get("error").is_some() {
                        // Dropped, on every wire, and only once it had ended.
                        assert_eq!(told["error"]["code"], -32001);
                        known.remove(at);
                        continue;
                    }
                    let task = got["result"].clone();
                    let state = told["result"]["status"]["state"].as_str().expect("a state");
                    let status = task["status"].as_str().expect("a status");
                    assert!(status_of(state).contains(&status), "{state} {status}");
                    if let Some(ended) = ended {
                        assert_eq!(*ended, task);
                    } else if !matches!(status, "working" | "input_required") {
                        *ended = Some(task.clone());
                    }
                    if status == "input_required" {
                        let names = keys(&task);
                        assert!(!names.is_empty());
                        assert!(names.iter().all(|name| !answered.contains(name)));
                        let name = names[below(names.len())].clone();
                        let answer = [
                            json!({"action": "accept", "content": {"confirm": true}}),
                            json!({"action": "accept", "content": {"name": "n"}}),
                            json!({"action": "decline"}),
                            json!({"roots": [], "content": {"type": "text", "text": "t"}}),
                            json!({}),
                        ][below(5)]
                        .clone();
                        let params =
                            json!({"taskId": id, "inputResponses": {name.as_str(): answer}});
                        let (_, ack) = world.raw(who, ALL, "tasks/update", &params.to_string());
                        match ack["error"]["code"].as_i64() {
                            None => answered.push(name),
                            // The record has no room for more answers.
                            Some(code) => assert_eq!(code, -32603, "{ack}"),
                        }
                    } else if what == 3 {
                        let (_, ack) = world.raw(who, ALL, "tasks/cancel", &params);
                        assert_eq!(ack["result"]["resultType"], "complete");
                    }
                }
            }
        }
        assert!(known.iter().any(|(_, _, ended, _)| ended.is_some()));
    }
}
