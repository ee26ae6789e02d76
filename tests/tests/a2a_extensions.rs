//! Extensions that answer messages themselves, and the metadata that records
//! keep.

use agentmote::a2a::{Agent, Card, Extension, Facts, Offer};
use agentmote_tests::a2a::{ANN, Answer, CARD, ECHO, Script, World, message, old_message, request};
use serde_json::{Value, json};

/// A message of 1.x with these members beside its id, role and text.
fn naming(id: &str, members: &str) -> String {
    format!(
        "{{\"message\":{{\"messageId\":\"{id}\",\"role\":\"ROLE_USER\",\
         \"parts\":[{{\"text\":\"home\"}}],{members}}}}}"
    )
}

/// A message that activates the extension, with this value for it.
fn echo(id: &str, value: &str) -> String {
    let members = format!("\"extensions\":[\"{ECHO}\"],\"metadata\":{{\"{ECHO}\":{value}}}");
    naming(id, &members)
}

fn task(answer: &Value) -> &Value {
    &answer["result"]["task"]
}

/// the list, the metadata, or both name it, and no skill and no
/// journal of the runtime hears of it.
#[test]
fn an_extension_answers_without_the_runtime() {
    let mut world = World::with_echo::<4>(2);
    // The journal would fail every task.
    world.app.journal = Some(agentmote::task::Kept::No);
    for (members, was) in [
        (
            format!("\"extensions\":[\"urn:x\",\"{ECHO}\"]"),
            json!({"was": null, "listed": true}),
        ),
        (
            format!("\"metadata\":{{\"{ECHO}\":{{\"b\":[1]}}}}"),
            json!({"was": {"b": [1]}, "listed": false}),
        ),
    ] {
        let answer = world.call("SendMessage", &naming("m-1", &members));
        let task = task(&answer);
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
        let artifact = json!([{
            "artifactId": "1",
            "name": "echo",
            "metadata": {"a": 1},
            "extensions": [ECHO],
            "parts": [{"data": was}],
        }]);
        assert_eq!(task["artifacts"], artifact);
        assert_eq!(task["metadata"], json!({"answered": true}));
        // It is a task like others: it can be read, and is finished.
        let id = json!({"id": task["id"]}).to_string();
        let read = world.call("GetTask", &id);
        assert_eq!(&read["result"], task);
        let again = world.call("CancelTask", &id);
        assert_eq!(again["error"]["code"], -32002);
    }
    assert_eq!((world.app.steps, world.app.begun), (0, 0));
    world.app.journal = None;
    // Without its name it is work (O-038).
    let members = "\"extensions\":[\"urn:example:echo:v2\"],\"metadata\":{\"urn:other\":1}";
    let answer = world.call("SendMessage", &naming("m-1", members));
    assert_eq!(task(&answer)["artifacts"][0]["name"], "pose");
    assert_eq!(world.echo.steps, 2);
}

/// The same message is answered anew each time, and its id is free for work.
#[test]
fn an_answer_is_never_an_older_one() {
    let mut world = World::with_echo::<4>(2);
    let first = world.call("SendMessage", &echo("m-1", "1"));
    let second = world.call("SendMessage", &echo("m-1", "1"));
    assert_ne!(task(&first)["id"], task(&second)["id"]);
    assert_eq!(world.echo.steps, 2);
    let work = world.call("SendMessage", &message("m-1", "home"));
    assert_eq!(task(&work)["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(world.app.begun, 1);
}

/// O-031, on both wires.
#[test]
fn an_extension_has_words_errors_and_time() {
    let mut world = World::with_echo::<4>(3);
    let answer = world.call("SendMessage", &echo("m-1", "\"say\""));
    assert_eq!(
        answer["result"]["message"]["parts"],
        json!([{"text": "heard"}])
    );
    let answer = world.call("SendMessage", &echo("m-2", "\"refuse\""));
    let status = &task(&answer)["status"];
    assert_eq!(status["state"], "TASK_STATE_FAILED");
    let data = json!({"data": {"error": {"code": "refused"}}, "mediaType": "application/json"});
    assert_eq!(status["message"]["parts"], json!([data]));
    let answer = world.call("SendMessage", &echo("m-3", "\"long\""));
    let parts = &task(&answer)["status"]["message"]["parts"];
    assert_eq!(*parts, json!([{"text": "short"}]));
    world.now += 2000;
    let answer = world.call("SendMessage", &echo("m-4", "\"metadata\""));
    let status = &task(&answer)["status"];
    assert_eq!(status["state"], "TASK_STATE_FAILED");
    let why = "metadata of the output is longer than 1024 bytes";
    assert_eq!(status["message"]["parts"], json!([{"text": why}]));
    let answer = world.call("SendMessage", &echo("m-5", "\"slow\""));
    assert_eq!(task(&answer)["status"]["state"], "TASK_STATE_COMPLETED");

    let old = format!(
        "{{\"message\":{{\"messageId\":\"m-6\",\"role\":\"user\",\"parts\":[{{\"text\":\"x\"}}],\
         \"metadata\":{{\"{ECHO}\":\"refuse\"}}}}}}"
    );
    world.now += 2000;
    let answer = world.v03(&request("message/send", &old)).json();
    let data = json!([{"kind": "data", "data": {"error": {"code": "refused"}}}]);
    assert_eq!(answer["result"]["status"]["state"], "failed");
    assert_eq!(answer["result"]["status"]["message"]["parts"], data);
}

/// Events tell what is said of the task, with the next status.
#[test]
fn a_stream_tells_the_same() {
    let mut world = World::with_echo::<4>(2);
    let events = world.v1(&request("SendStreamingMessage", &echo("m-1", "1")));
    let results = events.results();
    let kinds: Vec<_> = results
        .iter()
        .map(|one| one.as_object().unwrap().keys().next().unwrap().as_str())
        .collect();
    assert_eq!(
        kinds,
        ["task", "statusUpdate", "artifactUpdate", "statusUpdate"]
    );
    assert_eq!(results[1]["statusUpdate"]["metadata"], Value::Null);
    assert_eq!(
        results[2]["artifactUpdate"]["artifact"]["metadata"],
        json!({"a": 1})
    );
    assert_eq!(
        results[3]["statusUpdate"]["metadata"],
        json!({"answered": true})
    );
}

/// Standard cancellation ends the waiting for an answer; the extension is not
/// asked to stop anything (O-036).
#[test]
fn a_cancel_ends_the_task_and_does_not_reach_the_extension() {
    let mut world = World::with_echo::<4>(2);
    let mut params: Value = serde_json::from_str(&echo("m-1", "\"wait\"")).unwrap();
    params["configuration"] = json!({"returnImmediately": true});
    let answer = world.call("SendMessage", &params.to_string());
    let id = task(&answer)["id"].as_str().unwrap().to_owned();
    world.pass(200);
    let steps = world.echo.steps;
    assert!(steps > 3);
    let answer = world.call("CancelTask", &json!({"id": id}).to_string());
    assert_eq!(answer["result"]["status"]["state"], "TASK_STATE_CANCELED");
    world.pass(1000);
    assert_eq!((world.echo.steps, world.app.stopped), (steps, 0));
}

/// An extension can be kept from its answers by nobody, and keeps nobody from
/// work.
#[test]
fn work_and_extensions_have_places_of_their_own() {
    let mut world = World::with_echo::<4>(2);
    for id in ["m-1", "m-2"] {
        let mut params: Value = serde_json::from_str(&message(id, "do wait")).unwrap();
        params["configuration"] = json!({"returnImmediately": true});
        let answer = world.call("SendMessage", &params.to_string());
        assert_eq!(task(&answer)["status"]["state"], "TASK_STATE_SUBMITTED");
    }
    let busy = "Busy: 2 tasks are kept, which is the limit; try again later";
    let answer = world.call("SendMessage", &message("m-3", "home"));
    assert_eq!(answer["error"]["message"], busy);
    // Each may be asked for at once, and is read for a second.
    for id in ["m-4", "m-5"] {
        let answer = world.call("SendMessage", &echo(id, "1"));
        assert_eq!(task(&answer)["status"]["state"], "TASK_STATE_COMPLETED");
    }
    let answer = world.call("SendMessage", &echo("m-6", "1"));
    assert_eq!(answer["error"]["message"], busy);
    world.now += 1000;
    let answer = world.call("SendMessage", &echo("m-6", "1"));
    assert_eq!(task(&answer)["status"]["state"], "TASK_STATE_COMPLETED");
    let answer = world.call("ListTasks", "{}");
    assert_eq!(answer["result"]["totalSize"], 4);
}

/// An extension answers no part of another task.
#[test]
fn a_message_to_a_task_is_not_for_an_extension() {
    let mut world = World::with_echo::<4>(2);
    let answer = world.call("SendMessage", &message("m-1", "calibrate"));
    let id = task(&answer)["id"].as_str().unwrap();
    let members = format!("\"taskId\":\"{id}\",\"extensions\":[\"{ECHO}\"]");
    let answer = world.call("SendMessage", &naming("m-2", &members));
    assert_eq!(answer["error"]["code"], -32602);
    let field = &answer["error"]["data"][0]["fieldViolations"][0]["field"];
    assert_eq!(field, "message.taskId");
    let members = format!("\"taskId\":\"ffff\",\"extensions\":[\"{ECHO}\"]");
    let answer = world.call("SendMessage", &naming("m-2", &members));
    assert_eq!(answer["error"]["code"], -32001);
    assert_eq!(world.echo.steps, 0);
}

/// a message activates what it lists, as the head does.
#[test]
fn a_message_activates_what_it_lists() {
    const LISTED: Card = Card {
        extensions: &[
            Extension::new("urn:example:a"),
            Extension {
                required: true,
                ..Extension::new("urn:example:b")
            },
        ],
        ..CARD
    };
    let mut world = World::new::<4>();
    world.agent = Agent::new(LISTED);
    let answer = world.call("SendMessage", &message("m-1", "home"));
    assert_eq!(answer["error"]["code"], -32008);
    let answer = world.call(
        "SendMessage",
        &naming("m-1", "\"extensions\":[\"urn:example:b\"]"),
    );
    assert_eq!(task(&answer)["status"]["state"], "TASK_STATE_COMPLETED");
    // On the older wire there is no number for it.
    let answer = world.v03(&request("message/send", &old_message("m-2", "home")));
    assert_eq!(answer.json()["error"]["code"], -32600);
}

/// metadata is kept as it was, up to a limit.
#[test]
fn metadata_has_a_limit() {
    let mut world = World::new::<4>();
    // With its frame, `{"x":""}`.
    for (bytes, fine) in [(1024 - 8, true), (1024 - 7, false)] {
        let members = format!("\"metadata\":{{\"x\":\"{}\"}}", "y".repeat(bytes));
        let answer = world.call("SendMessage", &naming(&format!("m-{bytes}"), &members));
        if fine {
            let kept = &task(&answer)["history"][0]["metadata"]["x"];
            assert_eq!(kept.as_str().map(str::len), Some(bytes));
        } else {
            let text = "Invalid parameters: message.metadata is longer than 1024 bytes";
            assert_eq!(answer["error"]["message"], text);
        }
    }
}

/// O-012: a strict agent names the right spelling; another skips the wrong.
#[test]
fn snake_case_of_the_older_wire() {
    let id =
        "\"kind\":\"message\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"home\"}]";
    for (params, text) in [
        (
            format!("{{\"message\":{{\"message_id\":\"m-1\",{id}}}}}"),
            "message.messageId is spelled in snake case, and its name is messageId",
        ),
        (
            format!("{{\"message\":{{\"messageId\":\"m-1\",\"context_id\":\"c\",{id}}}}}"),
            "message.contextId is spelled in snake case, and its name is contextId",
        ),
        (
            format!(
                "{{\"message\":{{\"messageId\":\"m-1\",{id}}},\"configuration\":{{\"accepted_output_modes\":[\"text/plain\"]}}}}"
            ),
            "configuration.acceptedOutputModes is spelled in snake case, and its name is acceptedOutputModes",
        ),
        (
            format!(
                "{{\"message\":{{\"messageId\":\"m-1\",{id}}},\"configuration\":{{\"history_length\":1}}}}"
            ),
            "configuration.historyLength is spelled in snake case, and its name is historyLength",
        ),
    ] {
        let mut world = World::new::<4>();
        world.agent.strict_names = true;
        let answer = world.v03(&request("message/send", &params)).json();
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(
            answer["error"]["message"],
            format!("Invalid parameters: {text}")
        );
        assert_eq!(world.tasks.count(), 0);
    }
    let mut world = World::new::<4>();
    world.agent.strict_names = true;
    let answer = world.call("GetTask", "{\"id\":\"ffff\",\"history_length\":1}");
    assert_eq!(answer["error"]["code"], -32001, "1.x takes both");
    let answer = world.v03(&request(
        "tasks/get",
        "{\"id\":\"ffff\",\"history_length\":1}",
    ));
    assert_eq!(answer.json()["error"]["code"], -32602);
    world.agent.strict_names = false;
    let answer = world.v03(&request(
        "tasks/get",
        "{\"id\":\"ffff\",\"history_length\":1}",
    ));
    assert_eq!(answer.json()["error"]["code"], -32001);
}

/// The card tells parameters and skills of an extension.
#[test]
fn the_card_tells_what_an_extension_serves() {
    const DECLARED: Card = Card {
        extensions: &[Extension {
            params: "{\"limit\":3}",
            skills: &[Offer {
                id: "echo",
                name: "Echo",
                description: "Says it again.",
                tags: &["echo"],
                input_modes: &["application/json"],
                output_modes: &["application/json"],
            }],
            ..Extension::new(ECHO)
        }],
        ..CARD
    };
    let agent: Agent<Script> = Agent::new(DECLARED);
    let mut room = vec![0; 8192];
    let mut sink = agentmote::buf::Sink::new(&mut room);
    agent.write_card(&mut sink, agentmote::a2a::CardKind::Old);
    let card: Value = serde_json::from_slice(sink.kept()).unwrap();
    let declared = json!([{"uri": ECHO, "params": {"limit": 3}}]);
    assert_eq!(card["capabilities"]["extensions"], declared);
    let last = card["skills"].as_array().unwrap().last().unwrap();
    assert_eq!(last["id"], "echo");
    assert_eq!(last["inputModes"], json!(["application/json"]));
    // It is no skill of the runtime, and cannot be named as one.
    let mut world = World::new::<2>();
    world.agent = Agent::new(DECLARED);
    let answer = world.call(
        "SendMessage",
        &naming("m-1", "\"metadata\":{\"skillId\":\"echo\"}"),
    );
    assert_eq!(answer["error"]["code"], -32602);
    // Two of one id do not build.
    let built = std::panic::catch_unwind(|| {
        const TWICE: Card = Card {
            extensions: &[Extension {
                skills: &[Offer {
                    id: "home",
                    name: "",
                    description: "",
                    tags: &["t"],
                    input_modes: &["a/b"],
                    output_modes: &["a/b"],
                }],
                ..Extension::new(ECHO)
            }],
            ..CARD
        };
        Agent::<Script>::new(TWICE)
    });
    assert!(built.is_err());
}

/// Nothing answers for an extension that the agent says is answered.
#[test]
fn a_missing_responder_fails_the_task() {
    let mut world = World::with_echo::<2>(1);
    world.agent.answered = &["urn:example:none"];
    let params = naming("m-1", "\"extensions\":[\"urn:example:none\"]");
    let body = request("SendMessage", &params);
    let facts = Facts {
        caller: ANN,
        version: Some(b"1.0"),
        extensions: 0,
        buf: body.as_bytes(),
        body: body.as_bytes(),
    };
    let Answer::Json(text) = world.serve(&facts, 100) else {
        panic!("an answer");
    };
    assert!(text.contains("TASK_STATE_FAILED"), "{text}");
    assert!(text.contains("nothing answers for the extension"), "{text}");
}
