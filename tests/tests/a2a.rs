//! The A2A protocol over the core, against the list of requirements: exact
//! bytes on both wires. Numbers such as A-110 are those of the list.

use agentmote::a2a::Facts;
use agentmote_tests::a2a::{
    ANN, Answer, CHAT_SCOPE, SECRET_SCOPE, Script, World, at_once, caller, message, old_message,
    request,
};
use serde_json::{Value, json};

/// The text with the ids of a task and its context replaced by T and C.
fn plain(text: &str, task: &Value) -> String {
    let id = task["id"].as_str().unwrap();
    let context = task["contextId"].as_str().unwrap();
    text.replace(id, "T").replace(context, "C")
}

/// The code of an error.
#[track_caller]
fn code(response: &Value) -> i64 {
    assert!(response.get("result").is_none(), "{response}");
    response["error"]["code"].as_i64().unwrap()
}

/// The `result` of a response.
#[track_caller]
fn result(response: &Value) -> Value {
    assert!(response.get("error").is_none(), "{response}");
    response["result"].clone()
}

/// A task whose skill asks, of 1.x.
fn asking(world: &mut World) -> Value {
    result(&world.call("SendMessage", &message("ask-1", "calibrate arm")))["task"].clone()
}

/// A-034 to A-043: the envelope.
#[test]
fn the_envelope_is_answered_as_json_rpc_says() {
    let mut world = World::new::<1>();
    let told = |world: &mut World, body: &str, want: &str| {
        let got = world.v1(body);
        assert_eq!(got, Answer::Json(want.to_owned()), "{body}");
    };
    let invalid = |id: &str, why: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32600,\"message\":\
             \"Request payload validation error: {why}\"}}}}"
        )
    };
    let version = invalid("1", "jsonrpc must be \\\"2.0\\\"");
    told(
        &mut world,
        r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#,
        &version,
    );
    let id = invalid("null", "id must be a string or an integer");
    told(
        &mut world,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}"#,
        &id,
    );
    told(
        &mut world,
        r#"{"jsonrpc":"2.0","id":{},"method":"GetTask"}"#,
        &id,
    );
    told(
        &mut world,
        r#"{"jsonrpc":"2.0","id":true,"method":"GetTask"}"#,
        &id,
    );
    let object = invalid("null", "the message is not an object");
    told(
        &mut world,
        r#"[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]"#,
        &object,
    );
    told(&mut world, "7", &object);
    let method = invalid("\"x\"", "method must be a string");
    told(
        &mut world,
        r#"{"jsonrpc":"2.0","id":"x","method":7}"#,
        &method,
    );
    let missing = invalid("null", "method is missing");
    told(
        &mut world,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        &missing,
    );
    told(
        &mut world,
        r#"{"jsonrpc":"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Invalid JSON payload: unexpected end at byte 11"}}"#,
    );
    told(
        &mut world,
        "",
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Invalid JSON payload: unexpected end at byte 0"}}"#,
    );
    let unknown = r#"{"code":-32601,"message":"Method not found"}"#;
    // A-036: the id comes back as it was written; A-038: in any order.
    told(
        &mut world,
        r#"{"method":"CalibrateArm","params":{},"id":"a\u0062","jsonrpc":"2.0","x":1}"#,
        &format!("{{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"error\":{unknown}}}"),
    );
    // A-037: no id is no reason for silence.
    let not_found = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001,\"message\":\"Task not found\",\
        \"data\":[{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"TASK_NOT_FOUND\",\
        \"domain\":\"a2a-protocol.org\"}]}}";
    told(
        &mut world,
        r#"{"jsonrpc":"2.0","id":null,"method":"GetTask","params":{"id":"ffff"}}"#,
        not_found,
    );
    told(
        &mut world,
        r#"{"jsonrpc":"2.0","method":"GetTask","params":{"id":"ffff"}}"#,
        not_found,
    );
    for params in ["[]", "7", "\"x\"", "null"] {
        let got = world.call("GetTask", params);
        assert_eq!(code(&got), -32602, "{params}");
    }
    assert_eq!(code(&world.call("GetTask", "{}")), -32602);
    assert_eq!(code(&world.call("GetTask", r#"{"id":""}"#)), -32602);
}

/// A-110, A-118, A-165, P-012, P-015: byte for byte.
#[test]
fn a_message_becomes_a_task_and_the_answer_waits_for_its_end() {
    let mut world = World::new::<2>();
    world.window = 7;
    let answer = world.v1(&request("SendMessage", &message("m-41", "home the arm")));
    assert_eq!(world.now, 1000);
    let Answer::Json(text) = &answer else {
        panic!("{answer:?}")
    };
    let task = answer.json()["result"]["task"].clone();
    assert_eq!(
        plain(text, &task),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":{\"id\":\"T\",\"contextId\":\"C\",\
         \"status\":{\"state\":\"TASK_STATE_COMPLETED\"},\
         \"artifacts\":[{\"artifactId\":\"1\",\"name\":\"pose\",\"parts\":[{\"text\":\"the arm is at home\"}]}],\
         \"history\":[{\"messageId\":\"m-41\",\"role\":\"ROLE_USER\",\"contextId\":\"C\",\"taskId\":\"T\",\
         \"parts\":[{\"text\":\"home the arm\"}]}]}}}"
    );
    // A-135: the same task, not wrapped.
    let id = task["id"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 32);
    let got = result(&world.call("GetTask", &format!("{{\"id\":\"{id}\"}}")));
    assert_eq!(got, task);
}

/// A-057, A-119, P-013, P-014: the states of a task, polled.
#[test]
fn a_task_is_polled_until_it_ends() {
    let mut world = World::new::<2>();
    world
        .tasks
        .set_clock(1_796_028_272_597, agentmote::time::Instant::from_millis(0));
    let sent = result(&world.call("SendMessage", &at_once("m-1", "home the arm")));
    let status = json!({"state": "TASK_STATE_SUBMITTED", "timestamp": "2026-11-30T08:44:32.597Z"});
    assert_eq!(sent["task"]["status"], status);
    assert_eq!(world.now, 0);
    let get = format!("{{\"id\":{}}}", sent["task"]["id"]);
    world.pass(1);
    let working = result(&world.call("GetTask", &get));
    assert_eq!(working["status"]["state"], "TASK_STATE_WORKING");
    assert!(working.get("artifacts").is_none());
    world.pass(2000);
    let done = result(&world.call("GetTask", &get));
    let status = json!({"state": "TASK_STATE_COMPLETED", "timestamp": "2026-11-30T08:44:33.597Z"});
    assert_eq!(done["status"], status);
    assert_eq!(
        done["artifacts"][0]["parts"][0]["text"],
        "the arm is at home"
    );
}

/// A-121: the wait is bounded, and the answer is then the open task.
#[test]
fn a_wait_that_is_too_long_ends_with_the_task_as_it_is() {
    let mut world = World::new::<2>();
    let answer = result(&world.call("SendMessage", &message("m-1", "do wait")));
    assert_eq!(answer["task"]["status"]["state"], "TASK_STATE_WORKING");
    assert_eq!(world.now, 30_000);
    world.agent.wait_ms = 0;
    let body = request("SendMessage", &message("m-2", "do wait"));
    assert_eq!(
        world.send(ANN, Some("1.0"), &body, 100_000),
        Answer::Nothing
    );
}

/// A-113 to A-117, A-127, A-128.
#[test]
fn a_task_goes_on_with_the_answer_to_its_question() {
    let mut world = World::new::<3>();
    let task = asking(&mut world);
    let (id, context) = (task["id"].to_string(), task["contextId"].to_string());
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    let question = &task["status"]["message"];
    assert_eq!(question["role"], "ROLE_AGENT");
    assert_eq!(question["parts"], json!([{"text": "which axis?"}]));
    assert_eq!(
        (&question["taskId"], &question["contextId"]),
        (&task["id"], &task["contextId"])
    );
    let answer = |extra: &str, message_id: &str| {
        format!(
            "{{\"message\":{{\"messageId\":\"{message_id}\",\"role\":\"ROLE_USER\",{extra}\"parts\":[{{\"text\":\"axis 3\"}}]}}}}"
        )
    };
    // C-77
    let wrong = answer(&format!("\"taskId\":{id},\"contextId\":\"other\","), "m-2");
    let got = world.call("SendMessage", &wrong);
    assert_eq!(
        got["error"],
        json!({"code": -32602, "message": "Invalid parameters: message.contextId differs from the task's context",
            "data": [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [
                {"field": "message.contextId", "description": "differs from the task's context"}]}]})
    );
    let unknown = answer("\"taskId\":\"no-such-task\",", "m-2");
    assert_eq!(code(&world.call("SendMessage", &unknown)), -32001);
    let still = result(&world.call("GetTask", &format!("{{\"id\":{id}}}")));
    assert_eq!(still, task);
    // A-114: the context of the task is used.
    let right = answer(&format!("\"taskId\":{id},"), "m-2");
    let done = result(&world.call("SendMessage", &right))["task"].clone();
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(done["contextId"].to_string(), context);
    // A-167: in the order of the talk, the question in its place.
    let said: Vec<_> = done["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["role"].as_str().unwrap(),
                one["parts"][0]["text"].as_str().unwrap(),
            )
        })
        .collect();
    let want = [
        ("ROLE_USER", "calibrate arm"),
        ("ROLE_AGENT", "which axis?"),
        ("ROLE_USER", "axis 3"),
    ];
    assert_eq!(said, want);
    // A-178: put together.
    let parts = json!([{"text": "axis 3 ok"}, {"text": "offset 0.4 mm"}]);
    assert_eq!(
        done["artifacts"],
        json!([{"artifactId": "1", "name": "log", "parts": parts}])
    );
    // A-116, V-009
    let late = answer(&format!("\"taskId\":{id},"), "m-3");
    let got = world.call("SendMessage", &late);
    assert_eq!(got["error"]["code"], -32004);
    assert_eq!(got["error"]["data"][0]["reason"], "UNSUPPORTED_OPERATION");
    let old = format!(
        "{{\"message\":{{\"messageId\":\"m-3\",\"role\":\"user\",\"taskId\":{id},\"parts\":[{{\"kind\":\"text\",\"text\":\"x\"}}]}}}}"
    );
    assert_eq!(code(&world.call("message/send", &old)), -32602);
    // A-117: a context is kept, and makes a new task.
    let more = answer(&format!("\"contextId\":{context},"), "m-4");
    let rejected = result(&world.call("SendMessage", &more))["task"].clone();
    assert_eq!(rejected["contextId"].to_string(), context);
    assert_ne!(rejected["id"].to_string(), id);
    assert_eq!(rejected["status"]["state"], "TASK_STATE_REJECTED");
    // A-128
    let busy =
        result(&world.call("SendMessage", &at_once("m-5", "do wait")))["task"]["id"].to_string();
    world.pass(10);
    let got = world.call(
        "SendMessage",
        &answer(&format!("\"taskId\":{busy},"), "m-6"),
    );
    assert_eq!(code(&got), -32004);
}

/// A-122, C-71.
#[test]
fn history_is_as_long_as_it_is_wished() {
    let mut world = World::new::<8>();
    let with = |id: &str, length: &str| {
        let message = message(id, "do it");
        let inner = &message[..message.len() - 1];
        format!("{inner},\"configuration\":{{\"historyLength\":{length}}}}}")
    };
    let none = result(&world.call("SendMessage", &with("m-1", "0")));
    assert!(none["task"].get("history").is_none());
    let one = result(&world.call("SendMessage", &with("m-2", "1")));
    assert_eq!(one["task"]["history"].as_array().unwrap().len(), 1);
    for wrong in ["-1", "1.5", "true", "\"x\""] {
        let got = world.call("SendMessage", &with("m-3", wrong));
        assert_eq!(code(&got), -32602, "{wrong}");
        let field = &got["error"]["data"][0]["fieldViolations"][0]["field"];
        assert_eq!(field, "configuration.historyLength");
    }
    for fine in ["\"1\"", "1.0", "null", "2147483647"] {
        let got = world.call(
            "SendMessage",
            &with(&format!("m-{fine}").replace('"', "q"), fine),
        );
        assert_eq!(result(&got)["task"]["history"].as_array().unwrap().len(), 1);
    }
    // The newest, oldest first.
    let task = asking(&mut world);
    let follow = format!(
        "{{\"message\":{{\"messageId\":\"m-9\",\"role\":1,\"taskId\":{},\"parts\":[{{\"text\":\"axis 3\"}}]}}}}",
        task["id"]
    );
    world.call("SendMessage", &follow);
    let get = format!("{{\"id\":{},\"history_length\":2}}", task["id"]);
    let got = result(&world.call("GetTask", &get));
    let said: Vec<_> = got["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["role"])
        .collect();
    assert_eq!(said, ["ROLE_AGENT", "ROLE_USER"]);
}

/// A-056, A-063 to A-065, A-122, A-043: each with its place.
#[test]
fn a_message_that_is_wrong_is_refused_where_it_is() {
    let mut world = World::new::<1>();
    let cases = [
        ("{}", "message", "is missing"),
        (r#"{"message":7}"#, "message", "must be an object"),
        (
            r#"{"message":{"role":"ROLE_USER","parts":[{"text":"a"}]}}"#,
            "message.messageId",
            "is missing",
        ),
        (
            r#"{"message":{"messageId":"","role":"ROLE_USER","parts":[{"text":"a"}]}}"#,
            "message.messageId",
            "is missing",
        ),
        (
            r#"{"message":{"messageId":7,"role":"ROLE_USER","parts":[{"text":"a"}]}}"#,
            "message.messageId",
            "must be a string",
        ),
        (
            r#"{"message":{"messageId":"a","message_id":"b","role":"ROLE_USER","parts":[{"text":"a"}]}}"#,
            "message.messageId",
            "stands twice",
        ),
        (
            r#"{"message":{"messageId":"m","parts":[{"text":"a"}]}}"#,
            "message.role",
            "is missing",
        ),
        (
            r#"{"message":{"messageId":"m","role":"user","parts":[{"text":"a"}]}}"#,
            "message.role",
            "must be ROLE_USER",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"a"}]}}"#,
            "message.role",
            "must be ROLE_USER",
        ),
        (
            r#"{"message":{"messageId":"m","role":2,"parts":[{"text":"a"}]}}"#,
            "message.role",
            "must be ROLE_USER",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER"}}"#,
            "message.parts",
            "is missing",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":{}}}"#,
            "message.parts",
            "must be a list",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}"#,
            "message.parts",
            "must have a part",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},7]}}"#,
            "message.parts[1]",
            "must be an object",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{}]}}"#,
            "message.parts[0]",
            "has none of text, raw, url, data",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","url":"b"}]}}"#,
            "message.parts[0]",
            "has two contents",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{"raw":"a"}]}}"#,
            "message.parts[1].raw",
            "is not base64",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":7}]}}"#,
            "message.parts[0].text",
            "must be a string",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","metadata":[]}]}}"#,
            "message.parts[0].metadata",
            "must be an object",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}],"metadata":7}}"#,
            "message.metadata",
            "must be an object",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}],"extensions":[7]}}"#,
            "message.extensions",
            "must be a list of strings",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}],"metadata":{"skillId":"fly"}}}"#,
            "message.metadata.skillId",
            "is no skill of this agent",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"configuration":[]}"#,
            "configuration",
            "must be an object",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"configuration":{"returnImmediately":"yes"}}"#,
            "configuration.returnImmediately",
            "must be true or false",
        ),
        (
            r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"tenant":"lab-2"}"#,
            "tenant",
            "is not known",
        ),
    ];
    for (params, field, why) in cases {
        for method in ["SendMessage", "SendStreamingMessage"] {
            let got = world.call(method, params);
            let want = json!({"code": -32602, "message": format!("Invalid parameters: {field} {why}"),
                "data": [{"@type": "type.googleapis.com/google.rpc.BadRequest",
                    "fieldViolations": [{"field": field, "description": why}]}]});
            assert_eq!(got["error"], want, "{params}");
        }
    }
    let long = format!(
        "{{\"message\":{{\"messageId\":\"{}\",\"role\":\"ROLE_USER\",\"parts\":[{{\"text\":\"a\"}}]}}}}",
        "x".repeat(129)
    );
    assert_eq!(code(&world.call("SendMessage", &long)), -32602);
    let big = message("m", &"x".repeat(3000));
    let got = world.call("SendMessage", &big);
    assert_eq!(
        got["error"]["message"],
        "Invalid parameters: message needs 3256 bytes of a task, which has room for 2048"
    );
    // Nothing has happened.
    assert_eq!((world.tasks.count(), world.app.steps), (0, 0));
}

/// A-051, A-060, A-061, A-063, A-069, C-80: what is sent comes back.
#[test]
fn every_part_goes_in_and_out_unchanged() {
    let mut world = World::new::<2>();
    let params = r#"{"message":{"message_id":"m-\u00e9","role":"ROLE_USER","kind":"message","zz":[1,2],
        "parts":[{"text":"do it \ud83d\ude00\n","kind":"text","x":1},
            {"raw":"AP8-","media_type":"image/x","filename":"f.txt"},
            {"url":"https:\/\/h\/x.bin","mediaType":"application/octet-stream"},
            {"data":null},
            {"data":{"a":[1.50,
                -0e1],"b_c":{"d e":null}},"mediaType":"application/json","metadata":{"x_y":1}}],
        "metadata":{"k":{"a_b":1}},"extensions":["urn:x"],"reference_task_ids":["nope"]}}"#;
    let sent = result(&world.call("SendMessage", params));
    let message = &sent["task"]["history"][0];
    let want = json!([
        {"text": "do it 😀\n"},
        {"raw": "AP8+", "mediaType": "image/x", "filename": "f.txt"},
        {"url": "https://h/x.bin", "mediaType": "application/octet-stream"},
        {"data": null},
        {"data": {"a": [1.5, -0.0], "b_c": {"d e": null}}, "mediaType": "application/json", "metadata": {"x_y": 1}},
    ]);
    assert_eq!(message["parts"], want);
    assert_eq!(message["messageId"], "m-é");
    assert_eq!(message["metadata"], json!({"k": {"a_b": 1}}));
    assert_eq!(message["extensions"], json!(["urn:x"]));
    assert_eq!(message["referenceTaskIds"], json!(["nope"]));
    // D-007: the same on the other wire; what it has no form for is wrapped.
    let id = &sent["task"]["id"];
    let old = result(&world.call("tasks/get", &format!("{{\"id\":{id}}}")));
    let want = json!([
        {"kind": "text", "text": "do it 😀\n"},
        {"kind": "file", "file": {"bytes": "AP8+", "mimeType": "image/x", "name": "f.txt"}},
        {"kind": "file", "file": {"uri": "https://h/x.bin", "mimeType": "application/octet-stream"}},
        {"kind": "data", "data": {"value": null}},
        {"kind": "data", "data": {"a": [1.5, -0.0], "b_c": {"d e": null}}, "metadata": {"x_y": 1}},
    ]);
    assert_eq!(old["history"][0]["parts"], want);
    assert_eq!(old["kind"], "task");
    assert_eq!(old["history"][0]["kind"], "message");
    assert_eq!(old["status"]["state"], "completed");
}

/// A-063, A-178: what a skill gives.
#[test]
fn output_of_every_kind() {
    let mut world = World::new::<2>();
    let sent = result(&world.call("SendMessage", &message("m-1", "do parts")));
    let parts = json!([
        {"raw": "AP8+", "mediaType": "image/x"},
        {"url": "https://h/x", "filename": "x.bin"},
        {"data": [1, 2]},
        {"text": "a\"\né"},
    ]);
    let artifacts = json!([{"artifactId": "1", "name": "file", "parts": parts}]);
    assert_eq!(sent["task"]["artifacts"], artifacts);
    let failed = result(&world.call("SendMessage", &message("m-2", "do fail")));
    let status = &failed["task"]["status"];
    assert_eq!(status["state"], "TASK_STATE_FAILED");
    assert_eq!(
        status["message"]["parts"][0]["text"],
        "axis 3 did not reach its stop"
    );
}

/// A-123, A-124.
#[test]
fn media_types_that_do_not_fit_are_refused_before_work() {
    let mut world = World::new::<4>();
    let raw = r#"{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"home"},{"raw":"aGk=","mediaType":"image/png"}]}}"#;
    let got = world.call("SendMessage", raw);
    assert_eq!(code(&got), -32005);
    assert_eq!(
        got["error"]["data"][0]["reason"],
        "CONTENT_TYPE_NOT_SUPPORTED"
    );
    let modes = |list: &str| {
        format!(
            "{},\"configuration\":{{\"acceptedOutputModes\":{list}}}}}",
            &message("m-1", "home")[..message("m-1", "home").len() - 1]
        )
    };
    assert_eq!(
        code(&world.call("SendMessage", &modes("[\"image/png\",\"application/*\"]"))),
        -32005
    );
    assert_eq!((world.tasks.count(), world.app.steps), (0, 0));
    assert_eq!(
        code(&world.call("SendMessage", &modes("\"text/plain\""))),
        -32602
    );
    for fine in ["[]", "null", "[\"image/png\",\"text/plain\"]"] {
        let got = world.call("SendMessage", &modes(fine));
        assert_eq!(
            result(&got)["task"]["status"]["state"],
            "TASK_STATE_COMPLETED"
        );
    }
    world.agent.media_check = false;
    let got = world.call("SendMessage", &raw.replace("m-1", "m-2"));
    assert_eq!(
        result(&got)["task"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
}

/// A-126, C-76: one motion.
#[test]
fn the_same_message_is_the_same_task() {
    let mut world = World::new::<4>();
    let first = result(&world.call("SendMessage", &message("m-6", "home the arm")));
    let again = result(&world.call("SendMessage", &message("m-6", "home the arm")));
    assert_eq!(first, again);
    assert_eq!((world.app.begun, world.tasks.count()), (1, 1));
    let other = world.call("SendMessage", &message("m-6", "home the arm!"));
    assert_eq!(
        other["error"]["message"],
        "Invalid parameters: message.messageId was used for another message"
    );
    // Another caller's id is his own.
    let bob = caller(2, 1, 0);
    let his = result(&world.call_as(bob, "SendMessage", &message("m-6", "home the arm")));
    assert_ne!(his["task"]["id"], first["task"]["id"]);
    // The answer to a question, sent twice, moves the arm once.
    let task = asking(&mut world);
    let follow = format!(
        "{{\"message\":{{\"messageId\":\"m-9\",\"role\":1,\"taskId\":{},\"parts\":[{{\"text\":\"axis 3\"}}]}}}}",
        task["id"]
    );
    let done = result(&world.call("SendMessage", &follow));
    let begun = world.app.begun;
    assert_eq!(result(&world.call("SendMessage", &follow)), done);
    assert_eq!(world.app.begun, begun);
    let elsewhere = follow.replace(&task["id"].to_string(), &his["task"]["id"].to_string());
    assert_eq!(code(&world.call("SendMessage", &elsewhere)), -32602);
    // Off, each message is work.
    world.agent.dedup = false;
    let third = result(&world.call("SendMessage", &message("m-6", "home the arm")));
    assert_ne!(third["task"]["id"], first["task"]["id"]);
}

/// A-140 to A-143, P-017.
#[test]
fn a_cancel_tells_what_became_of_the_work() {
    let mut world = World::new::<6>();
    let begin = |world: &mut World, id: &str, text: &str| {
        let sent = result(&world.call("SendMessage", &at_once(id, text)));
        world.pass(5);
        format!("{{\"id\":{}}}", sent["task"]["id"])
    };
    let task = begin(&mut world, "m-1", "home the arm");
    let got = result(&world.call("CancelTask", &task));
    assert_eq!(got["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(world.app.stopped, 1);
    let again = world.call("CancelTask", &task);
    assert_eq!(code(&again), -32002);
    assert_eq!(again["error"]["data"][0]["reason"], "TASK_NOT_CANCELABLE");
    assert_eq!(world.app.stopped, 1);
    assert_eq!(code(&world.call("CancelTask", "{\"id\":\"ffff\"}")), -32001);
    // Work that can't stop is not called stopped.
    let task = begin(&mut world, "m-2", "do stubborn");
    let got = world.call("CancelTask", &task);
    assert_eq!(
        got["error"]["message"],
        "Task cannot be canceled: its work cannot be stopped now"
    );
    let state = result(&world.call("GetTask", &task))["status"]["state"].clone();
    assert_eq!(state, "TASK_STATE_WORKING");
    // Work that does not hear it: the task as it is, after the wait.
    let task = begin(&mut world, "m-3", "do deaf");
    let got = result(&world.call("CancelTask", &task));
    assert_eq!(got["status"]["state"], "TASK_STATE_WORKING");
    // Before it began, and while it waits for its caller.
    let sent = result(&world.call("SendMessage", &at_once("m-4", "home")));
    let begun = world.app.begun;
    let got = result(&world.call("CancelTask", &format!("{{\"id\":{}}}", sent["task"]["id"])));
    assert_eq!(got["status"]["state"], "TASK_STATE_CANCELED");
    world.pass(5000);
    assert_eq!(world.app.begun, begun);
    let asked = asking(&mut world);
    let got = result(&world.call("CancelTask", &format!("{{\"id\":{}}}", asked["id"])));
    assert_eq!(got["status"]["state"], "TASK_STATE_CANCELED");
}

/// A-144 to A-150, C-73, C-82.
#[test]
fn tasks_are_listed_newest_change_first_in_pages() {
    let mut world = World::new::<8>();
    let empty = result(&world.call("ListTasks", "{}"));
    assert_eq!(
        empty,
        json!({"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0})
    );
    let mut ids = Vec::new();
    for at in 0..5 {
        let sent = result(&world.call("SendMessage", &message(&format!("m-{at}"), "do it")));
        ids.push(sent["task"]["id"].clone());
    }
    let open = asking(&mut world);
    world.call_as(caller(2, 1, 0), "SendMessage", &message("m", "do it"));
    let listed = |got: &Value| -> Vec<Value> {
        got["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].clone())
            .collect()
    };
    let all = result(&world.call("ListTasks", "{}"));
    let mut want = ids.clone();
    want.reverse();
    want.insert(0, open["id"].clone());
    assert_eq!(listed(&all), want);
    assert_eq!(
        (&all["totalSize"], &all["nextPageToken"]),
        (&json!(6), &json!(""))
    );
    for task in all["tasks"].as_array().unwrap() {
        assert!(task.get("artifacts").is_none() && task.get("history").is_some());
        assert!(task["status"].get("timestamp").is_none());
    }
    // Pages, and a change in between: no task twice, none left out that did
    // not change.
    let first = result(&world.call("ListTasks", "{\"page_size\":4}"));
    assert_eq!(listed(&first), want[..4]);
    assert_eq!(first["totalSize"], 6);
    let token = first["nextPageToken"].as_str().unwrap();
    let second = result(&world.call(
        "ListTasks",
        &format!("{{\"page_size\":4,\"page_token\":\"{token}\"}}"),
    ));
    assert_eq!(listed(&second), want[4..]);
    assert_eq!(second["nextPageToken"], "");
    // Filters.
    let params = "{\"status\":\"TASK_STATE_INPUT_REQUIRED\"}";
    assert_eq!(
        listed(&result(&world.call("ListTasks", params))),
        [open["id"].clone()]
    );
    let params = format!("{{\"contextId\":{}}}", open["contextId"]);
    assert_eq!(
        listed(&result(&world.call("ListTasks", &params))),
        [open["id"].clone()]
    );
    let both = format!("{{\"contextId\":{},\"status\":3}}", open["contextId"]);
    assert_eq!(result(&world.call("ListTasks", &both))["totalSize"], 0);
    let all = result(&world.call(
        "ListTasks",
        "{\"status\":0,\"includeArtifacts\":true,\"historyLength\":0,\"pageSize\":2}",
    ));
    assert_eq!(all["tasks"][1]["artifacts"].as_array().unwrap().len(), 1);
    assert!(all["tasks"][1].get("history").is_none());
    for wrong in [
        "{\"pageSize\":101}",
        "{\"pageSize\":0}",
        "{\"pageSize\":-1}",
        "{\"status\":\"working\"}",
        "{\"status\":9}",
        "{\"status\":true}",
        "{\"pageToken\":\"1\"}",
        "{\"pageToken\":\"000000000001000000000001\"}",
        "{\"statusTimestampAfter\":\"2026-11-30T08:44:32\"}",
        "{\"statusTimestampAfter\":7}",
        "{\"includeArtifacts\":1}",
    ] {
        assert_eq!(code(&world.call("ListTasks", wrong)), -32602, "{wrong}");
    }
    // Times.
    world
        .tasks
        .set_clock(1_000_000, agentmote::time::Instant::from_millis(world.now));
    let sent = result(&world.call("SendMessage", &message("m-t", "do it")));
    let since = |world: &mut World, time: &str| {
        listed(&result(&world.call(
            "ListTasks",
            &format!("{{\"statusTimestampAfter\":\"{time}\"}}"),
        )))
    };
    let stamp = sent["task"]["status"]["timestamp"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(since(&mut world, &stamp), [sent["task"]["id"].clone()]);
    assert_eq!(
        since(&mut world, &stamp.replace('Z', "1Z")),
        Vec::<Value>::new()
    );
    assert_eq!(since(&mut world, "1970-01-01T00:00:00Z").len(), 7);
}

/// A-170 to A-178: what a stream tells, on both wires.
#[test]
fn a_stream_tells_the_task_then_what_becomes_of_it() {
    let mut world = World::new::<4>();
    world.window = 16;
    let task = asking(&mut world);
    let follow = format!(
        "{{\"message\":{{\"messageId\":\"m-9\",\"role\":\"ROLE_USER\",\"taskId\":{},\"parts\":[{{\"text\":\"axis 3\"}}]}}}}",
        task["id"]
    );
    let answer = world.v1(&request("SendStreamingMessage", &follow));
    let Answer::Events(events) = &answer else {
        panic!("{answer:?}")
    };
    let events: Vec<_> = events.iter().map(|text| plain(text, &task)).collect();
    let head = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{";
    assert!(events[0].starts_with(&format!("{head}\"task\":{{\"id\":\"T\",\"contextId\":\"C\",\"status\":{{\"state\":\"TASK_STATE_WORKING\"}},\"history\":[")));
    let number = events[1]
        .split("T-")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let of = "\"taskId\":\"T\",\"contextId\":\"C\"";
    let want = [
        format!(
            "{head}\"statusUpdate\":{{{of},\"status\":{{\"state\":\"TASK_STATE_WORKING\",\"message\":{{\"messageId\":\"T-{number}\",\"role\":\"ROLE_AGENT\",\"contextId\":\"C\",\"taskId\":\"T\",\"parts\":[{{\"text\":\"axis 3: moving\"}}]}}}}}}}}}}"
        ),
        format!(
            "{head}\"artifactUpdate\":{{{of},\"artifact\":{{\"artifactId\":\"1\",\"name\":\"log\",\"parts\":[{{\"text\":\"axis 3 ok\"}}]}}}}}}}}"
        ),
        format!(
            "{head}\"artifactUpdate\":{{{of},\"artifact\":{{\"artifactId\":\"1\",\"parts\":[{{\"text\":\"offset 0.4 mm\"}}]}},\"append\":true,\"lastChunk\":true}}}}}}"
        ),
        format!(
            "{head}\"statusUpdate\":{{{of},\"status\":{{\"state\":\"TASK_STATE_COMPLETED\"}}}}}}}}"
        ),
    ];
    assert_eq!(events[1..], want);

    // 0.3, from the start: V-001, V-005, V-014.
    let answer = world.send(
        ANN,
        None,
        &request("message/stream", &old_message("m-10", "home the arm")),
        9999,
    );
    let results = answer.results();
    let kinds: Vec<_> = results
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["task", "status-update", "artifact-update", "status-update"]
    );
    assert_eq!(results[0]["status"], json!({"state": "submitted"}));
    assert_eq!(
        (&results[1]["final"], &results[3]["final"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(results[3]["status"], json!({"state": "completed"}));
    let parts = json!([{"kind": "text", "text": "the arm is at home"}]);
    assert_eq!(
        results[2]["artifact"],
        json!({"artifactId": "1", "name": "pose", "parts": parts})
    );

    // A task that is finished already is told as a whole.
    let again = world.v1(&request("SendStreamingMessage", &follow));
    assert_eq!(again.results().len(), 1);
}

/// A-175, A-176, V-014.
#[test]
fn a_stream_of_a_task_that_runs() {
    let mut world = World::new::<4>();
    let sent = result(&world.call("SendMessage", &at_once("m-1", "home the arm")));
    let id = format!("{{\"id\":{}}}", sent["task"]["id"]);
    world.pass(10);
    let answer = world.v1(&request("SubscribeToTask", &id));
    let results = answer.results();
    let names: Vec<_> = results
        .iter()
        .map(|one| one.as_object().unwrap().keys().next().unwrap().clone())
        .collect();
    assert_eq!(names, ["task", "artifactUpdate", "statusUpdate"]);
    // A-176, A-177: errors before the first event are no stream on 1.x, and
    // one on 0.3 (D-012).
    assert_eq!(code(&world.call("SubscribeToTask", &id)), -32004);
    assert_eq!(
        code(&world.call("SubscribeToTask", "{\"id\":\"ffff\"}")),
        -32001
    );
    let old = world.v03(&request("tasks/resubscribe", "{\"id\":\"ffff\"}"));
    let error =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"Task not found\"}}";
    assert_eq!(old, Answer::Events(vec![error.to_owned()]));
    // A stream of a task that waits stays open (no. 3 of section 25).
    let body = request("SendStreamingMessage", &message("m-2", "calibrate"));
    let open = world.send(ANN, Some("1.0"), &body, 60_000);
    let results = open.results();
    assert_eq!(results.len(), 3);
    assert_eq!(
        results[2]["statusUpdate"]["status"]["state"],
        "TASK_STATE_INPUT_REQUIRED"
    );
}

/// A-104, A-125, A-188: what is not offered.
#[test]
fn what_is_not_offered_is_refused_by_its_own_code() {
    let mut world = World::new::<2>();
    for method in [
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
    ] {
        let got = world.call(
            method,
            "{\"taskId\":\"0a3f\",\"url\":\"https://hub.example/h\"}",
        );
        assert_eq!(code(&got), -32003);
        assert_eq!(
            got["error"]["data"][0]["reason"],
            "PUSH_NOTIFICATION_NOT_SUPPORTED"
        );
    }
    for method in ["set", "get", "list", "delete"] {
        let got = world.call(&format!("tasks/pushNotificationConfig/{method}"), "{}");
        assert_eq!(
            got["error"],
            json!({"code": -32003, "message": "Push Notification is not supported"})
        );
    }
    let params = message("m-1", "home");
    let with_push = format!(
        "{},\"configuration\":{{\"taskPushNotificationConfig\":{{\"url\":\"u\"}}}}}}",
        &params[..params.len() - 1]
    );
    assert_eq!(code(&world.call("SendMessage", &with_push)), -32003);
    assert_eq!(code(&world.call("GetExtendedAgentCard", "{}")), -32004);
    world.agent.streaming = false;
    let got = world.call("SendStreamingMessage", &params);
    assert_eq!(code(&got), -32004);
    assert_eq!(
        code(&world.call("SubscribeToTask", "{\"id\":\"x\"}")),
        -32004
    );
    assert_eq!(world.tasks.count(), 0);

    // Every caller has the card of what he may use.
    world.agent.extended_card = true;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}"#;
    let card = |world: &mut World, who| world.send(who, Some("1.0"), body, 1).json();
    let skills = |card: &Value| -> Vec<String> {
        let list = card["result"]["skills"].as_array().unwrap();
        list.iter()
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        skills(&card(&mut world, ANN)),
        ["calibrate", "home", "script"]
    );
    let all = ["calibrate", "home", "secret", "script"];
    assert_eq!(skills(&card(&mut world, caller(1, 1, SECRET_SCOPE))), all);
    let nobody = agentmote::a2a::Caller {
        known: false,
        ..ANN
    };
    assert_eq!(code(&card(&mut world, nobody)), -32004);
    let old = world.call("agent/getAuthenticatedExtendedCard", "{}");
    assert_eq!(old["result"]["protocolVersion"], "0.3.0");
}

/// A-190 to A-192, A-198, P-026 to P-029: of another is as if there were none.
#[test]
fn a_task_of_another_is_no_task() {
    let mut world = World::new::<4>();
    let task = asking(&mut world);
    let others = [caller(2, 1, 0), caller(1, 2, 0), caller(2, 2, u32::MAX)];
    let id = task["id"].as_str().unwrap();
    let absent = "0123456789abcdef0123456789abcdef";
    let follow = |id: &str| {
        format!(
            "{{\"message\":{{\"messageId\":\"m-9\",\"role\":1,\"taskId\":\"{id}\",\"parts\":[{{\"text\":\"axis 3\"}}]}}}}"
        )
    };
    for other in others {
        for (method, version) in [
            ("GetTask", Some("1.0")),
            ("CancelTask", Some("1.0")),
            ("SubscribeToTask", Some("1.0")),
            ("tasks/get", None),
            ("tasks/cancel", None),
            ("tasks/resubscribe", None),
        ] {
            let ask = |world: &mut World, id: &str| {
                world.send(
                    other,
                    version,
                    &request(method, &format!("{{\"id\":\"{id}\"}}")),
                    1,
                )
            };
            let (his, none) = (ask(&mut world, id), ask(&mut world, absent));
            assert_eq!(his, none, "{method}");
        }
        for method in ["SendMessage", "SendStreamingMessage"] {
            let ask = |world: &mut World, id: &str| {
                world.send(other, Some("1.0"), &request(method, &follow(id)), 1)
            };
            let (his, none) = (ask(&mut world, id), ask(&mut world, absent));
            assert_eq!(code(&his.json()), -32001);
            assert_eq!(his, none);
        }
        let list = result(&world.call_as(
            other,
            "ListTasks",
            &format!("{{\"contextId\":{}}}", task["contextId"]),
        ));
        assert_eq!(list["totalSize"], 0);
    }
    let same = result(&world.call("GetTask", &format!("{{\"id\":\"{id}\"}}")));
    assert_eq!(same, task);
    // A tenant by name.
    let named = agentmote::a2a::Caller {
        tenant: "lab-2",
        ..ANN
    };
    let get = |world: &mut World, tenant: &str| {
        world.call_as(
            named,
            "GetTask",
            &format!("{{\"id\":\"{id}\",\"tenant\":\"{tenant}\"}}"),
        )
    };
    assert_eq!(result(&get(&mut world, "lab-2")), task);
    assert_eq!(code(&get(&mut world, "lab-3")), -32001);
    let sent = world.call_as(
        named,
        "SendMessage",
        &message("m-2", "home").replace("{\"message\"", "{\"tenant\":\"lab-3\",\"message\""),
    );
    assert_eq!(code(&sent), -32602);
}

/// Skills that a caller may not use are not there for him.
#[test]
fn a_skill_is_for_those_who_may() {
    let mut world = World::new::<4>();
    let state = |world: &mut World, who, id: &str| {
        result(&world.call_as(who, "SendMessage", &message(id, "secret")))["task"]["status"]["state"].clone()
    };
    assert_eq!(state(&mut world, ANN, "m-1"), "TASK_STATE_REJECTED");
    assert_eq!(world.app.steps, 0);
    let some = caller(3, 1, SECRET_SCOPE);
    assert_eq!(state(&mut world, some, "m-1"), "TASK_STATE_COMPLETED");
    let named = r#"{"message":{"messageId":"m-2","role":"ROLE_USER","parts":[{"text":"x"}],"metadata":{"skillId":"secret"}}}"#;
    assert_eq!(code(&world.call("SendMessage", named)), -32602);
    let done = result(&world.call_as(some, "SendMessage", named));
    assert_eq!(done["task"]["status"]["state"], "TASK_STATE_COMPLETED");
}

/// A-128, where the skill allows it.
#[test]
fn a_skill_that_listens_takes_messages_while_it_works() {
    let mut world = World::new::<2>();
    let who = caller(5, 1, CHAT_SCOPE);
    let sent = result(&world.call_as(who, "SendMessage", &at_once("m-1", "chat wait")));
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
    let more = format!(
        "{{\"message\":{{\"messageId\":\"m-2\",\"role\":1,\"taskId\":{},\"parts\":[{{\"text\":\"chat on\"}}]}}}}",
        sent["task"]["id"]
    );
    let done = result(&world.call_as(who, "SendMessage", &more));
    assert_eq!(done["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let history = done["task"]["history"].as_array().unwrap();
    assert_eq!(history.len(), 2);
}

/// A-112, A-120, A-131: a word is a message, and no task is left of it.
#[test]
fn a_word_is_answered_with_a_message() {
    let mut world = World::new::<2>();
    let who = caller(5, 1, CHAT_SCOPE);
    for (at, params) in [message("m-1", "chat say"), at_once("m-1", "chat say")]
        .into_iter()
        .enumerate()
    {
        let sent = result(&world.call_as(who, "SendMessage", &params));
        let word = &sent["message"];
        assert!(sent.get("task").is_none() && word.get("taskId").is_none());
        assert_eq!(word["role"], "ROLE_AGENT");
        assert_eq!(word["parts"], json!([{"text": "hello"}]));
        assert_eq!(word["contextId"].as_str().unwrap().len(), 32);
        assert!(word["messageId"].is_string());
        let none = result(&world.call_as(who, "ListTasks", "{}"));
        assert_eq!(none["totalSize"], 0);
        assert_eq!(world.tasks.count(), 0);
        assert_eq!(world.app.steps, at as u32 + 1);
    }
    // Its place is free again once it must be out.
    let full = world.call_as(who, "SendMessage", &message("m-2", "chat say"));
    assert_eq!(code(&full), -32603);
    world.pass(5_000);
    let body = request("SendStreamingMessage", &message("m-2", "chat say"));
    let stream = world.send(who, Some("1.0"), &body, 1000).results();
    assert_eq!(stream.len(), 1);
    assert_eq!(stream[0]["message"]["parts"], json!([{"text": "hello"}]));
    world.pass(5_000);
    let old = result(&world.call_as(who, "message/send", &old_message("m-3", "chat say")));
    assert_eq!(
        (&old["kind"], &old["role"]),
        (&json!("message"), &json!("agent"))
    );
    assert_eq!(old["parts"], json!([{"kind": "text", "text": "hello"}]));
    // A skill that talks may work instead; then no word is said.
    world.pass(5_000);
    let sent = result(&world.call_as(who, "SendMessage", &at_once("m-4", "chat wait")));
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
    world.pass(5_000);
    let sent = result(&world.call_as(who, "SendMessage", &message("m-5", "chat late")));
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_FAILED");
    // Nor by a skill that does not talk.
    world.pass(700_000);
    let sent = result(&world.call("SendMessage", &message("m-6", "do say")));
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_FAILED");
}

/// A-216: a full table is a clear refusal, and nothing is lost.
#[test]
fn a_full_table_says_so() {
    let mut world = World::new::<2>();
    let first = asking(&mut world);
    world.call("SendMessage", &at_once("m-2", "do wait"));
    let got = world.call("SendMessage", &at_once("m-3", "home"));
    assert_eq!(
        got["error"],
        json!({"code": -32603, "message": "Busy: 2 tasks are kept, which is the limit; try again later"})
    );
    let same = result(&world.call("GetTask", &format!("{{\"id\":{}}}", first["id"])));
    assert_eq!(same, first);
}

/// P-020, P-055: nothing is told of a task that is not kept yet.
#[test]
fn a_task_is_told_of_once_the_journal_has_it() {
    let mut world = World::new::<2>();
    world.app.journal = Some(agentmote::task::Kept::NotYet);
    let body = request("SendMessage", &at_once("m-1", "home"));
    assert_eq!(world.send(ANN, Some("1.0"), &body, 60_000), Answer::Nothing);
    let stream = request("SendStreamingMessage", &message("m-1", "home"));
    assert_eq!(world.send(ANN, Some("1.0"), &stream, 1000), Answer::Nothing);
    assert_eq!(world.app.begun, 0);
    world.app.journal = None;
    let sent = result(&world.v1(&body).json());
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
    world.app.journal = Some(agentmote::task::Kept::No);
    let sent = result(&world.call("SendMessage", &at_once("m-2", "home")));
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_FAILED");
}

/// A-206 to A-209.
#[test]
fn a_required_extension_is_required() {
    use agentmote::a2a::{Agent, Card, Extension};
    const CARD: Card = Card {
        extensions: &[
            Extension::new("urn:example:a"),
            Extension {
                description: "What must be.",
                required: true,
                ..Extension::new("urn:example:b")
            },
        ],
        ..agentmote_tests::a2a::CARD
    };
    let mut world = World::new::<2>();
    world.agent = Agent::new(CARD);
    let agent: Agent<Script> = Agent::new(CARD);
    let found = |lines: &[&str]| agent.extensions(lines.iter().map(|line| line.as_bytes()));
    assert_eq!(found(&["urn:x:y", "urn:example:b ,urn:example:a"]), 3);
    assert_eq!(found(&["urn:example:B"]), 0);
    let body = request("GetTask", "{\"id\":\"ffff\"}");
    let facts = |extensions| Facts {
        caller: ANN,
        version: Some(b"1.0"),
        extensions,
        buf: body.as_bytes(),
        body: body.as_bytes(),
    };
    let got = world.serve(&facts(1), 1).json();
    assert_eq!(code(&got), -32008);
    assert_eq!(
        got["error"]["data"][0]["reason"],
        "EXTENSION_SUPPORT_REQUIRED"
    );
    assert_eq!(code(&world.serve(&facts(2), 1).json()), -32001);
    let mut room = [0; 64];
    let mut out = agentmote::buf::Sink::new(&mut room);
    agent.write_extensions(&mut out, 3);
    assert_eq!(out.kept(), b"urn:example:a,urn:example:b");
}

/// The 0.3 wire: V-001 to V-012, D-010, D-011.
#[test]
fn the_older_wire_has_its_own_words() {
    let mut world = World::new::<6>();
    let answer = world.v03(&request(
        "message/send",
        &old_message("m-41", "home the arm"),
    ));
    let task = answer.json()["result"].clone();
    let Answer::Json(text) = &answer else {
        panic!()
    };
    assert_eq!(
        plain(text, &task),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"T\",\"contextId\":\"C\",\
         \"status\":{\"state\":\"completed\"},\
         \"artifacts\":[{\"artifactId\":\"1\",\"name\":\"pose\",\"parts\":[{\"kind\":\"text\",\"text\":\"the arm is at home\"}]}],\
         \"history\":[{\"kind\":\"message\",\"messageId\":\"m-41\",\"role\":\"user\",\"contextId\":\"C\",\"taskId\":\"T\",\
         \"parts\":[{\"kind\":\"text\",\"text\":\"home the arm\"}]}]}}"
    );
    // D-011
    let params = old_message("m-42", "home the arm");
    let blocking = |flag: &str| {
        format!(
            "{},\"configuration\":{{\"blocking\":{flag}}}}}",
            &params[..params.len() - 1]
        )
    };
    let sent = result(&world.call("message/send", &blocking("false")));
    assert_eq!(sent["status"]["state"], "submitted");
    world.agent.dedup = false;
    let sent = result(&world.call("message/send", &blocking("true")));
    assert_eq!(sent["status"]["state"], "completed");
    // V-004, V-003: parts without kinds, and files.
    let tolerant = r#"{"message":{"messageId":"m","role":"user","parts":[{"text":"do it"},
        {"file":{"bytes":"aGk","mimeType":"text/plain","name":"a"}},
        {"kind":"file","file":{"url":"https://h/x","sizeInBytes":7}},{"data":{"a":1}}]}}"#;
    let sent = result(&world.call("message/send", tolerant));
    let want = json!([{"kind": "text", "text": "do it"},
        {"kind": "file", "file": {"bytes": "aGk=", "mimeType": "text/plain", "name": "a"}},
        {"kind": "file", "file": {"uri": "https://h/x"}}, {"kind": "data", "data": {"a": 1}}]);
    assert_eq!(sent["history"][0]["parts"], want);
    // V-007, V-008, D-010, O-012: each without data.
    let part = |part: &str| {
        format!("{{\"message\":{{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{part}]}}}}")
    };
    for wrong in [
        part(""),
        part("{\"kind\":\"text\"}"),
        part("{\"kind\":\"text\",\"data\":{}}"),
        part("{\"kind\":\"image\"}"),
        part("{\"type\":\"image\",\"text\":\"a\"}"),
        part("{\"kind\":\"data\",\"data\":[1]}"),
        part("{\"kind\":\"file\",\"file\":{}}"),
        part("{\"kind\":\"file\",\"file\":{\"bytes\":\"aGk=\",\"uri\":\"x\"}}"),
        part("{\"kind\":\"file\",\"file\":{\"bytes\":\"a\"}}"),
        params.replace("messageId", "message_id"),
        params.replace("\"user\"", "\"ROLE_USER\""),
        params.replace("\"user\"", "\"agent\""),
    ] {
        let got = world.call("message/send", &wrong);
        assert_eq!(code(&got), -32602, "{wrong}");
        assert!(got["error"].get("data").is_none());
    }
    let id = &task["id"];
    assert_eq!(
        code(&world.call(
            "tasks/get",
            &format!("{{\"id\":{id},\"historyLength\":-1}}")
        )),
        -32602
    );
    let all = result(&world.call(
        "tasks/get",
        &format!("{{\"id\":{id},\"history_length\":0}}"),
    ));
    assert!(all.get("history").is_some());
    assert_eq!(
        code(&world.call("tasks/cancel", &format!("{{\"id\":{id}}}"))),
        -32002
    );
    assert_eq!(code(&world.call("tasks/list", "{}")), -32601);
    let gone = world.call("tasks/get", "{\"id\":\"ffff\"}");
    assert_eq!(
        gone["error"],
        json!({"code": -32001, "message": "Task not found"})
    );
    let version = world
        .send(ANN, Some("9.9"), &request("tasks/get", "{}"), 1)
        .json();
    assert_eq!(
        version["error"],
        json!({"code": -32009, "message": "Version not supported"})
    );
}

/// Section 25, one by one; the numbers are those of `a2a/choices.rs`.
#[test]
fn contradictions_of_the_sources_are_decided_once() {
    let mut world = World::new::<6>();
    // 1: the default is to wait.
    let sent = result(&world.call("SendMessage", &message("m-1", "home")));
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    // 2: no index; and no final on 1.x.
    let Answer::Events(events) =
        world.v1(&request("SendStreamingMessage", &message("m-2", "do it")))
    else {
        panic!()
    };
    let all = events.concat();
    assert!(!all.contains("\"index\"") && !all.contains("\"final\"") && !all.contains("\"kind\""));
    // 3: an interrupted stream stays open: see the test of streams.
    let body = request("SendStreamingMessage", &message("m-3", "do ask"));
    assert!(
        matches!(world.send(ANN, Some("1.0"), &body, 100), Answer::Events(events) if events.len() == 3)
    );
    // 4: an empty list of tasks is a list.
    let none = result(&world.call_as(caller(9, 9, 0), "ListTasks", "{}"));
    assert_eq!(none["tasks"], json!([]));
    // 7: names and enums of the schema.
    assert_eq!(
        code(&world.call(
            "SendMessage",
            &message("m-4", "home").replace("ROLE_USER", "user")
        )),
        -32602
    );
    let samples = world
        .send(ANN, Some("1.0"), &request("category/action", "{}"), 1)
        .json();
    assert_eq!(code(&samples), -32601);
    // 9: the second cancel is an error, of a task that was canceled too.
    let sent = result(&world.call("SendMessage", &at_once("m-5", "do wait")));
    let id = format!("{{\"id\":{}}}", sent["task"]["id"]);
    result(&world.call("CancelTask", &id));
    assert_eq!(code(&world.call("CancelTask", &id)), -32002);
    // 10: members of a file in 0.3.
    let file = |name: &str| {
        format!(
            "{{\"message\":{{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{{\"kind\":\"file\",\"file\":{{\"{name}\":\"aGk=\"}}}}]}}}}"
        )
    };
    assert_eq!(
        code(&world.call("message/send", &file("fileWithBytes"))),
        -32602
    );
    assert!(
        world
            .call("message/send", &file("bytes"))
            .get("result")
            .is_some()
    );
    // 11: no shape of a push configuration is taken.
    for params in [
        "{\"taskId\":\"t\",\"pushNotificationConfig\":{\"url\":\"u\"}}",
        "{\"taskId\":\"t\",\"url\":\"u\"}",
    ] {
        assert_eq!(
            code(&world.call("CreateTaskPushNotificationConfig", params)),
            -32003
        );
    }
}

/// A reply that is sent while its task goes on, or is dropped.
#[test]
fn an_answer_that_is_sent_slowly_stays_the_same_or_is_cut() {
    use agentmote::a2a::{Exchange, Next};
    use agentmote::time::Instant;
    let mut world = World::new::<2>();
    let body = request("SendMessage", &at_once("m-1", "home the arm"));
    let list = request("ListTasks", "{\"includeArtifacts\":true}");
    let mut replies = Vec::new();
    for body in [&body, &list] {
        let facts = Facts {
            caller: ANN,
            version: Some(b"1.0"),
            extensions: 0,
            buf: body.as_bytes(),
            body: body.as_bytes(),
        };
        let mut exchange = Exchange::new();
        let now = Instant::from_millis(world.now);
        exchange.begin(&world.agent, &mut world.tasks, &mut world.app, &facts, now);
        let Next::Answer(reply) = exchange.poll(&world.tasks, now) else {
            panic!()
        };
        replies.push((reply, body.clone(), world.write(&reply, body.as_bytes())));
    }
    world.pass(5000);
    for (reply, body, before) in &replies {
        assert!(before.contains("TASK_STATE_SUBMITTED"));
        assert_eq!(&world.write(reply, body.as_bytes()), before);
    }
    // Its time is over and its place is taken: the rest can't be written.
    world.now += 600_000;
    world.call("SendMessage", &message("m-2", "do it"));
    world.call("SendMessage", &message("m-3", "do it"));
    for (reply, body, _) in &replies {
        let mut sink = agentmote::buf::Sink::counter();
        assert!(!reply.write(&mut sink, &world.agent, &world.tasks, body.as_bytes()));
    }
}
