//! Questions in mid-call: `input_required` of the modern era (M-143 to M-152),
//! requests of the server in the legacy eras, and the sessions in which an
//! HTTP client of the legacy era answers, cancels and leaves (M-184, M-190).

use agentmote::mcp::{Device, Identity};
use agentmote::prompt::Prompt;
use agentmote::server::{Http, HttpConfig, HttpMemory, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::{Action, Answer, Call, Form, InputRequest, Param};
use agentmote::{ToolArgs, catalog, tool};
use agentmote_tests::peer::{self, Cut, LinePeer, Request, answers, http_request, lines};
use serde_json::{Value, json};

/// What has been done; asking alone does nothing.
#[derive(Debug, Default)]
struct Relay {
    done: Vec<String>,
    cancels: u32,
}

static DEVICE: Device<Relay> = Device::new(
    Identity::new("relay", "1.0"),
    catalog![relay_set, survey, rounds, long, slow_ask, loud],
)
.prompts(&[Prompt::new("asks", "Asks.", |_, messages| {
    let form = Form::new(const { &[Param::string("context", "", 20)] });
    let question = InputRequest::Elicit {
        message: "Which?",
        form,
    };
    if let Some(answer) = messages.ask("context", question) {
        let text: Option<heapless::String<80>> = answer.get(0);
        messages.text(text.as_deref().unwrap_or("none"));
    }
})]);

#[derive(ToolArgs)]
struct RelaySet {
    /// Which.
    #[arg(range = 0..=3)]
    relay: u8,
    /// Whether it is to be on.
    on: bool,
}

/// Switches a relay, if the user agrees.
#[tool(actuates, asks)]
fn relay_set(app: &mut Relay, args: RelaySet, call: &mut Call<'_>) -> Answer {
    match call.confirm("sure", "Really switch the relay?") {
        Some(true) => {
            app.done.push(format!("{}{}", args.relay, args.on));
            call.text("switched")
        }
        Some(false) => call.fail("the user refused"),
        None => call.need_input(),
    }
}

/// Asks two things at once.
#[tool(asks)]
fn survey(app: &mut Relay, call: &mut Call<'_>) -> Answer {
    const FORM: Form = Form::new(&[
        Param::string("name", "", 8),
        Param::integer("age", "", 0, 150).optional(),
    ]);
    let name = call.elicit("name", "Who?", FORM);
    let sample = call.ask(
        "idea",
        InputRequest::Sample {
            message: "Think \"hard\".",
            max_tokens: 9,
        },
    );
    let (Some(name), Some(idea)) = (name, sample) else {
        return call.need_input();
    };
    app.done.push("survey".into());
    let who: Option<heapless::String<32>> = name.get(0);
    let idea = match idea.action() {
        Action::Accept => idea.text().map(|text| text.to_string()),
        _ => None,
    };
    let text = format!("{:?} {who:?} {idea:?}", name.action());
    call.text(&text)
}

/// Asks in three rounds and keeps count.
#[tool(asks)]
fn rounds(_: &mut Relay, call: &mut Call<'_>) -> Answer {
    let round = call.memo();
    let key = format!("round{round}");
    if call.ask(&key, InputRequest::ListRoots).is_none() {
        return call.need_input();
    }
    if round == 2 {
        return call.text("three rounds");
    }
    call.remember(round + 1);
    let _ = call.ask(&format!("round{}", round + 1), InputRequest::ListRoots);
    call.need_input()
}

/// Asks more than a result buffer holds.
#[tool(asks)]
fn long(_: &mut Relay, call: &mut Call<'_>) -> Answer {
    let _ = call.confirm("long", &"m".repeat(600));
    call.need_input()
}

/// Works, then asks, then works on.
#[tool(asks)]
fn slow_ask(app: &mut Relay, call: &mut Call<'_>) -> core::task::Poll<Answer> {
    use core::task::Poll;
    if call.is_cancelled() {
        app.cancels += 1;
        return Poll::Pending;
    }
    call.wake_after(10);
    match (call.memo(), call.step()) {
        (0, 0) => {
            call.progress(1, 3);
            Poll::Pending
        }
        (0, _) => {
            call.remember(1);
            let _ = call.confirm("go", "Go on?");
            Poll::Pending
        }
        (1, 0) => match call.confirm("go", "Go on?") {
            Some(true) => {
                app.done.push("went".into());
                Poll::Pending
            }
            Some(false) => Poll::Ready(call.fail("stopped by the user")),
            None => Poll::Pending,
        },
        _ => Poll::Ready(call.text("done")),
    }
}

/// Asks, but is not declared to.
#[tool]
fn loud(_: &mut Relay, call: &mut Call<'_>) -> Answer {
    let _ = call.confirm("x", "X?");
    call.need_input()
}

const KEY: [u8; 32] = [42; 32];

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

type Memory = LineMemory<2048, 512, 2, 256>;

fn on_line(test: impl Fn(&mut LinePeer<'_, Relay>)) {
    for cut in CUTS {
        let mut memory = Memory::new();
        let mut peer = LinePeer::new(&mut memory, &DEVICE, Relay::default(), cut);
        peer.server = Server::new(&DEVICE, Relay::default()).with_key(KEY);
        test(&mut peer);
    }
}

const ALL: &str = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;

/// A modern request; `more` are members with a comma before each.
fn modern(id: u32, method: &str, params: &str, more: &str, client: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{more},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{client}}}}}}}"#
    )
}

const SWITCH: &str = r#""name":"relay_set","arguments":{"relay":2,"on":true}"#;

fn call(more: &str) -> String {
    modern(1, "tools/call", SWITCH, more, ALL)
}

/// The members of a retry.
fn retry(responses: &str, state: &str) -> String {
    format!(r#","inputResponses":{responses},"requestState":"{state}""#)
}

const YES: &str = r#"{"sure":{"action":"accept","content":{"confirm":true}}}"#;

fn state(answer: &Value) -> String {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["requestState"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
}

fn refused(answer: &Value, why: &str) {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(answer["error"]["message"], format!("Invalid params: {why}"));
}

// --- the modern era

#[test]
fn the_question_is_this_line_and_the_answer_acts_once() {
    // M-040, M-043, M-143, M-145, M-147, M-151.
    on_line(|peer| {
        let asked = peer.send((call("") + "\n").as_bytes());
        let state = state(&lines(&asked)[0]);
        assert_eq!(
            String::from_utf8(asked).unwrap(),
            format!(
                concat!(
                    r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required","#,
                    r#""inputRequests":{{"sure":{{"method":"elicitation/create","params":{{"#,
                    r#""message":"Really switch the relay?","requestedSchema":{{"type":"object","#,
                    r#""properties":{{"confirm":{{"type":"boolean","description":"Whether to go on."}}}},"#,
                    r#""required":["confirm"],"additionalProperties":false}}}}}}}},"#,
                    r#""requestState":"{}","#,
                    r#""_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"relay","version":"1.0"}}}}}}}}"#,
                    "\n"
                ),
                state
            )
        );
        assert_eq!(state.len(), 40);
        assert!(peer.server.app.done.is_empty(), "asking acts");
        let answer = peer.one(&call(&retry(YES, &state)));
        assert_eq!(text(&answer), "switched");
        assert_eq!(answer["result"]["resultType"], "complete");
        assert_eq!(peer.server.app.done, ["2true"]);
        // M-149: used once.
        refused(
            &peer.one(&call(&retry(YES, &state))),
            "requestState is too old or was used before",
        );
        assert_eq!(peer.server.app.done, ["2true"]);
    });
}

#[test]
fn a_user_may_refuse() {
    // M-152.
    on_line(|peer| {
        for no in [
            r#"{"sure":{"action":"decline"}}"#,
            r#"{"sure":{"action":"cancel"}}"#,
            r#"{"sure":{"action":"accept","content":{"confirm":false}}}"#,
        ] {
            let state = state(&peer.one(&call("")));
            let answer = peer.one(&call(&retry(no, &state)));
            assert_eq!(text(&answer), "the user refused");
            assert_eq!(answer["result"]["isError"], true);
        }
        assert!(peer.server.app.done.is_empty());
    });
}

#[test]
fn what_is_no_answer_is_asked_for_again() {
    // M-150, M-152: a new question with a new state.
    on_line(|peer| {
        let mut before = String::new();
        for wrong in [
            "{}",
            r#"{"other":{"action":"accept","content":{"confirm":true}}}"#,
            r#"{"sure":{}}"#,
            r#"{"sure":{"action":7}}"#,
            r#"{"sure":{"action":"accept"}}"#,
            r#"{"sure":{"action":"accept","content":7}}"#,
            r#"{"sure":{"action":"accept","content":{}}}"#,
            r#"{"sure":{"action":"accept","content":{"confirm":"yes"}}}"#,
            r#"{"sure":{"action":"accept","content":{"confirm":true,"more":1}}}"#,
        ] {
            let first = state(&peer.one(&call("")));
            let second = state(&peer.one(&call(&retry(wrong, &first))));
            assert_ne!(first, second, "{wrong}");
            assert_ne!(before, second);
            before = second;
        }
        // The state alone, and an answer beside strangers.
        let first = state(&peer.one(&call("")));
        let second = state(&peer.one(&call(&format!(r#","requestState":"{first}""#))));
        let more = r#"{"a":{"action":"accept"},"sure":{"action":"accept","content":{"confirm":true}},"b":{}}"#;
        assert_eq!(text(&peer.one(&call(&retry(more, &second)))), "switched");
    });
}

#[test]
fn an_answer_that_nobody_asked_for_counts_nothing() {
    // M-148: without its state, with a wrong one, for other arguments.
    on_line(|peer| {
        state(&peer.one(&call(&format!(r#","inputResponses":{YES}"#))));
        let good = state(&peer.one(&call("")));
        let strangers = "requestState was not given out for this request";
        for i in 0..good.len() {
            let mut wrong = good.clone().into_bytes();
            wrong[i] = if wrong[i] == b'A' { b'B' } else { b'A' };
            let wrong = String::from_utf8(wrong).unwrap();
            refused(&peer.one(&call(&retry(YES, &wrong))), strangers);
        }
        for wrong in [
            format!("{good}-TAMPERED"),
            format!("{good}A"),
            good[1..].to_owned(),
            "x".to_owned(),
            "=".repeat(40),
            "\\u0041".repeat(40),
        ] {
            refused(&peer.one(&call(&retry(YES, &wrong))), strangers);
        }
        refused(
            &peer.one(&call(&retry(YES, ""))),
            "requestState must be a string that was given out",
        );
        refused(
            &peer.one(&call(&format!(
                r#","inputResponses":{YES},"requestState":7"#
            ))),
            "requestState must be a string that was given out",
        );
        for other in [
            r#""name":"relay_set","arguments":{"relay":1,"on":true}"#,
            r#""name":"relay_set","arguments":{"relay":2,"on":false}"#,
            r#""name":"survey""#,
            r#""name":"loud""#,
        ] {
            let other = modern(1, "tools/call", other, &retry(YES, &good), ALL);
            refused(&peer.one(&other), strangers);
        }
        let prompt = modern(
            1,
            "prompts/get",
            r#""name":"asks""#,
            &retry(YES, &good),
            ALL,
        );
        refused(&peer.one(&prompt), strangers);
        assert!(peer.server.app.done.is_empty());
        // The order of the arguments and an escape do not matter.
        let same = modern(
            9,
            "tools/call",
            r#""arguments":{"on":true, "relay":2},"name":"relay\u005fset""#,
            &retry(
                YES,
                &good.replacen('/', "\\/", 1).replacen('A', "\\u0041", 1),
            ),
            ALL,
        );
        assert_eq!(text(&peer.one(&same)), "switched");
    });
}

#[test]
fn a_state_is_good_for_five_minutes_and_for_sixty_four_questions() {
    on_line(|peer| {
        let first = state(&peer.one(&call("")));
        peer.pass(300_000);
        let second = state(&peer.one(&call("")));
        assert_eq!(text(&peer.one(&call(&retry(YES, &first)))), "switched");
        peer.pass(300_001);
        let old = "requestState is too old or was used before";
        refused(&peer.one(&call(&retry(YES, &second))), old);
        let first = state(&peer.one(&call("")));
        let second = state(&peer.one(&call("")));
        for _ in 0..63 {
            state(&peer.one(&call("")));
        }
        refused(&peer.one(&call(&retry(YES, &first))), old);
        assert_eq!(text(&peer.one(&call(&retry(YES, &second)))), "switched");
    });
}

#[test]
fn another_key_has_sealed_nothing_here() {
    on_line(|peer| {
        let good = state(&peer.one(&call("")));
        peer.server = Server::new(&DEVICE, Relay::default()).with_key([43; 32]);
        refused(
            &peer.one(&call(&retry(YES, &good))),
            "requestState was not given out for this request",
        );
        peer.server = Server::new(&DEVICE, Relay::default());
        refused(
            &peer.one(&call(&retry(YES, &good))),
            "requestState was not given out: no key",
        );
        let answer = peer.one(&call(""));
        assert_eq!(
            text(&answer),
            "this device has no key to seal a question with"
        );
        assert_eq!(answer["result"]["isError"], true);
    });
}

#[test]
fn broken_responses_are_refused() {
    // M-150: structurally broken.
    on_line(|peer| {
        for broken in [
            "null",
            "[]",
            "7",
            r#"{"sure":7}"#,
            r#"{"sure":null}"#,
            r#"{"sure":{},"sure":{}}"#,
            r#"{"sure":{},"sur\u0065":{}}"#,
        ] {
            refused(
                &peer.one(&call(&format!(r#","inputResponses":{broken}"#))),
                "inputResponses must be an object of at most 64 objects, none of them twice",
            );
        }
    });
}

#[test]
fn a_client_is_asked_only_what_it_declared() {
    // M-025, M-146.
    on_line(|peer| {
        for (tool, client, missing) in [
            (SWITCH, "{}", json!({"elicitation": {}})),
            (SWITCH, r#"{"sampling":{}}"#, json!({"elicitation": {}})),
            (
                r#""name":"survey""#,
                r#"{"elicitation":{}}"#,
                json!({"sampling": {}}),
            ),
            (
                r#""name":"survey""#,
                "{}",
                json!({"elicitation": {}, "sampling": {}}),
            ),
            (r#""name":"rounds""#, "{}", json!({"roots": {}})),
        ] {
            let answer = peer.one(&modern(1, "tools/call", tool, "", client));
            assert_eq!(answer["error"]["code"], -32021, "{answer}");
            assert_eq!(
                answer["error"]["data"],
                json!({ "requiredCapabilities": missing })
            );
        }
    });
}

#[test]
fn a_handler_may_ask_round_after_round() {
    on_line(|peer| {
        let ask = |more: &str| modern(1, "tools/call", r#""name":"rounds""#, more, ALL);
        let mut answer = peer.one(&ask(""));
        let mut states = Vec::new();
        for round in 0..3 {
            let state = state(&answer);
            assert!(!states.contains(&state));
            states.push(state.clone());
            assert_eq!(
                answer["result"]["inputRequests"],
                json!({format!("round{round}"): {"method": "roots/list", "params": {}}})
            );
            let roots = format!(r#"{{"round{round}":{{"roots":[]}}}}"#);
            answer = peer.one(&ask(&retry(&roots, &state)));
        }
        assert_eq!(text(&answer), "three rounds");
        // An earlier round's state does not bring a later round's memo.
        refused(
            &peer.one(&ask(&retry(r#"{"round2":{"roots":[]}}"#, &states[0]))),
            "requestState is too old or was used before",
        );
    });
}

#[test]
fn what_cannot_be_asked_is_a_failure() {
    on_line(|peer| {
        let ask = |tool: &str| modern(1, "tools/call", &format!(r#""name":"{tool}""#), "", ALL);
        let answer = peer.one(&ask("loud"));
        assert_eq!(
            text(&answer),
            "this tool asked its caller, but is not declared to do so"
        );
        assert_eq!(answer["result"]["isError"], true);
        let answer = peer.one(&ask("long"));
        assert_eq!(
            text(&answer),
            "long: the result needs 612 bytes, this device has room for 512"
        );
    });
}

#[test]
fn a_prompt_may_ask() {
    on_line(|peer| {
        let ask = |more: &str| modern(3, "prompts/get", r#""name":"asks""#, more, ALL);
        let answer = peer.one(&ask(""));
        let first = state(&answer);
        assert_eq!(
            answer["result"]["inputRequests"]["context"]["method"],
            "elicitation/create"
        );
        let told = r#"{"context":{"action":"accept","content":{"context":"here"}}}"#;
        let answer = peer.one(&ask(&retry(told, &first)));
        assert_eq!(
            answer["result"]["messages"],
            json!([{"role": "user", "content": {"type": "text", "text": "here"}}])
        );
        refused(
            &peer.one(&ask(&retry(told, &first))),
            "requestState is too old or was used before",
        );
        // Answers without a state are asked for again.
        state(&peer.one(&ask(&format!(r#","inputResponses":{told}"#))));
    });
}

#[test]
fn a_polled_tool_asks_in_the_middle() {
    on_line(|peer| {
        let ask = |more: &str| modern(5, "tools/call", r#""name":"slow_ask""#, more, ALL);
        assert!(peer.ask(&ask("")).is_empty());
        let asked = lines(&peer.pass(20));
        let first = state(&asked[0]);
        let go = r#"{"go":{"action":"accept","content":{"confirm":true}}}"#;
        assert!(peer.ask(&ask(&retry(go, &first))).is_empty());
        let done = lines(&peer.pass(20));
        assert_eq!(text(&done[0]), "done");
        assert_eq!(peer.server.app.done, ["went"]);
    });
}

// --- the legacy era on a line

fn opened(version: &str, client: &str, test: impl Fn(&mut LinePeer<'_, Relay>)) {
    on_line(|peer| {
        peer.one(&format!(
            r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{client},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
        ));
        test(peer);
    });
}

fn legacy(id: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{params}}}}}"#)
}

fn response(id: &Value, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

const ACCEPT: &str = r#"{"action":"accept","content":{"confirm":true}}"#;

#[test]
fn the_request_of_the_server_is_this_line() {
    opened("2025-11-25", ALL, |peer| {
        let asked = peer.send((legacy("7", SWITCH) + "\n").as_bytes());
        assert_eq!(
            String::from_utf8(asked).unwrap(),
            concat!(
                r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"#,
                r#""message":"Really switch the relay?","requestedSchema":{"type":"object","#,
                r#""properties":{"confirm":{"type":"boolean","description":"Whether to go on."}},"#,
                r#""required":["confirm"],"additionalProperties":false}}}"#,
                "\n"
            )
        );
        assert!(peer.server.app.done.is_empty());
        let answer = peer.one(&response(&json!(1), ACCEPT));
        assert_eq!(
            answer,
            json!({"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "switched"}]}})
        );
        assert_eq!(peer.server.app.done, ["2true"]);
        // A second answer, and answers to nothing, are ignored.
        for id in [json!(1), json!(2), json!("1"), json!(-1)] {
            assert!(peer.ask(&response(&id, ACCEPT)).is_empty());
        }
        assert_eq!(peer.server.app.done, ["2true"]);
    });
}

#[test]
fn a_legacy_user_may_refuse_and_a_client_may_fail_to_ask() {
    opened("2025-06-18", ALL, |peer| {
        for (number, no) in [
            r#""result":{"action":"decline"}"#,
            r#""result":{"action":"cancel"}"#,
            r#""result":{"action":"accept","content":{"confirm":false}}"#,
            r#""error":{"code":-32601,"message":"no"}"#,
            r#""result":7"#,
            r#""result":null"#,
        ]
        .into_iter()
        .enumerate()
        {
            let asked = peer.one(&legacy("\"a\"", SWITCH));
            assert_eq!(asked["id"], number + 1);
            let answer = peer.one(&format!(r#"{{"jsonrpc":"2.0","id":{},{no}}}"#, number + 1));
            assert_eq!(answer["id"], "a");
            assert_eq!(text(&answer), "the user refused");
        }
        // An answer that does not fit is asked for again.
        let asked = peer.one(&legacy("8", SWITCH));
        let again = peer.one(&response(
            &asked["id"],
            r#"{"action":"accept","content":{}}"#,
        ));
        assert_eq!(again["method"], "elicitation/create");
        assert_ne!(again["id"], asked["id"]);
        assert_eq!(text(&peer.one(&response(&again["id"], ACCEPT))), "switched");
        assert_eq!(peer.server.app.done.len(), 1);
    });
}

#[test]
fn two_calls_ask_at_once_and_their_answers_cross() {
    opened("2025-11-25", ALL, |peer| {
        let asked = peer.ask(&legacy("1", r#""name":"survey""#));
        assert_eq!(asked.len(), 2);
        assert_eq!(
            asked[1],
            json!({"jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage", "params": {
                "messages": [{"role": "user", "content": {"type": "text", "text": "Think \"hard\"."}}],
                "maxTokens": 9}})
        );
        let other = peer.one(&legacy("2", SWITCH));
        assert_eq!(other["id"], 3);
        // No place for a third.
        let third = peer.one(&legacy("3", SWITCH));
        assert_eq!(text(&third), "busy: 2 calls in flight, which is the limit");
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#)["result"],
            json!({})
        );
        let sampled =
            r#"{"role":"assistant","content":{"type":"text","text":"a \u00e9"},"model":"m"}"#;
        assert!(peer.ask(&response(&json!(2), sampled)).is_empty());
        assert_eq!(text(&peer.one(&response(&json!(3), ACCEPT))), "switched");
        let named = r#"{"action":"accept","content":{"name":"A\n"}}"#;
        assert_eq!(
            text(&peer.one(&response(&json!(1), named))),
            "Accept Some(\"A\\n\") Some(\"a é\")"
        );
    });
}

#[test]
fn an_answer_that_does_not_come_is_a_cancel_after_five_minutes() {
    opened("2025-11-25", ALL, |peer| {
        let asked = peer.ask(&legacy("1", r#""name":"survey""#));
        assert_eq!(asked.len(), 2);
        let named = r#"{"action":"accept","content":{"name":"A"}}"#;
        assert!(peer.ask(&response(&asked[0]["id"], named)).is_empty());
        assert!(peer.pass(299_999).is_empty());
        let late = lines(&peer.pass(1));
        assert_eq!(text(&late[0]), "Accept Some(\"A\") None");
        assert!(peer.ask(&response(&asked[1]["id"], "{}")).is_empty());
    });
}

#[test]
fn a_call_that_asks_can_be_given_up() {
    // M-092, M-130: and the answer that comes then does nothing.
    opened("2025-11-25", ALL, |peer| {
        let asked = peer.one(&legacy("1", SWITCH));
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        assert!(peer.ask(cancel).is_empty());
        assert!(peer.ask(&response(&asked["id"], ACCEPT)).is_empty());
        assert!(peer.server.app.done.is_empty());
        assert!(peer.ask(&legacy("1", r#""name":"slow_ask""#)).is_empty());
        assert_eq!(lines(&peer.pass(20))[0]["method"], "elicitation/create");
        assert!(peer.ask(cancel).is_empty());
        assert_eq!(peer.server.app.cancels, 1);
        // The end of the line gives it up as well.
        let asked = peer.one(&legacy("1", SWITCH));
        peer.reset();
        peer.initialize("2025-11-25");
        assert!(peer.ask(&response(&asked["id"], ACCEPT)).is_empty());
        assert!(peer.server.app.done.is_empty());
    });
}

#[test]
fn answers_too_long_for_the_line_fail_the_call() {
    opened("2025-11-25", ALL, |peer| {
        let asked = peer.ask(&legacy("1", r#""name":"survey""#));
        let long = format!(
            r#"{{"content":{{"type":"text","text":"{}"}}}}"#,
            "t".repeat(300)
        );
        let answer = peer.one(&response(&asked[1]["id"], &long));
        let text = text(&answer);
        assert!(
            text.starts_with("the answers need ")
                && text.ends_with(" bytes, there is room for 256"),
            "{text}"
        );
        assert!(peer.server.app.done.is_empty());
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#)["result"],
            json!({})
        );
    });
}

#[test]
fn a_legacy_client_that_cannot_be_asked_is_told_so() {
    opened("2025-11-25", "{}", |peer| {
        let answer = peer.one(&legacy("1", SWITCH));
        assert_eq!(
            text(&answer),
            "the client cannot be asked: it has not declared elicitation"
        );
        assert_eq!(answer["result"]["isError"], true);
    });
    opened("2025-03-26", ALL, |peer| {
        let batch = format!("[{}]", legacy("1", SWITCH));
        let answer = peer.one(&batch);
        assert_eq!(
            text(&answer[0]),
            "this tool takes its time: call it alone, not in a batch"
        );
        let prompt = r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"asks"}}"#;
        assert_eq!(
            peer.one(prompt)["error"]["message"],
            "Internal error: this prompt asks, which needs protocol version 2026-07-28"
        );
        assert!(peer.server.app.done.is_empty());
    });
}

// --- HTTP

type Net = peer::Net<Relay>;

fn request(method: &str, session: &str, body: &str) -> Vec<u8> {
    let session = match session {
        "" => String::new(),
        session => format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n"),
    };
    http_request(method, &session, body)
}

fn post(session: &str, body: &str) -> Vec<u8> {
    request("POST", session, body)
}

/// The messages of a stream that has not ended.
fn so_far(bytes: &[u8]) -> Vec<Value> {
    let mut whole = bytes.to_vec();
    whole.extend_from_slice(b"0\r\n\r\n");
    answers(&whole)[0].events()
}

fn over_http(test: impl Fn(&mut Net)) {
    for out in [4096, 1, 7] {
        let server = Server::new(&DEVICE, Relay::default()).with_key(KEY);
        test(&mut Net::new(server, out));
    }
}

const PING: &str = r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#;

#[test]
fn a_session_is_opened_named_and_ended() {
    // M-184: visible ASCII, 404 once it is over.
    over_http(|net| {
        let session = net.open(ALL);
        assert_eq!(session.len(), 28);
        assert!(session.bytes().all(|b| (0x21..=0x7E).contains(&b)));
        assert_ne!(net.open(ALL), session);
        assert_eq!(net.ask(&post(&session, PING)).status, 200);
        assert_eq!(net.ask(&post("", PING)).status, 200);
        for i in 0..session.len() {
            let mut wrong = session.clone().into_bytes();
            wrong[i] = if wrong[i] == b'A' { b'B' } else { b'A' };
            let wrong = String::from_utf8(wrong).unwrap();
            let answer = net.ask(&post(&wrong, PING));
            assert_eq!(answer.status, 404, "{wrong}");
            assert_eq!(
                answer.json(),
                json!({"jsonrpc": "2.0", "id": 9, "error": {"code": -32600,
                    "message": "Session not found: send initialize without a session id"}})
            );
        }
        assert_eq!(net.ask(&request("DELETE", &session, "")).status, 202);
        assert_eq!(net.ask(&request("DELETE", &session, "")).status, 404);
        let unnamed = net.ask(&request("DELETE", "", ""));
        assert_eq!(unnamed.status, 405);
        assert_eq!(unnamed.field("allow"), Some("POST, GET, DELETE"));
        assert_eq!(net.ask(&post(&session, PING)).status, 404);
        let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(net.ask(&post(&session, note)).status, 404);
        // The modern era knows no sessions (M-061).
        let body = modern(1, "server/discover", r#""x":1"#, "", "{}");
        let headers = format!(
            "Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n"
        );
        let modern = String::from_utf8(post("", &body)).unwrap();
        let modern = modern.replacen("Content-Length", &format!("{headers}Content-Length"), 1);
        let answer = net.ask(modern.as_bytes());
        assert_eq!(answer.status, 200);
        assert_eq!(answer.field("mcp-session-id"), None);
    });
}

#[test]
fn the_oldest_of_sixty_five_sessions_is_over() {
    over_http(|net| {
        let first = net.open("{}");
        let second = net.open("{}");
        for _ in 2..64 {
            net.open("{}");
        }
        assert_eq!(net.ask(&post(&first, PING)).status, 200);
        net.open("{}");
        assert_eq!(net.ask(&post(&first, PING)).status, 404);
        assert_eq!(net.ask(&post(&second, PING)).status, 200);
    });
}

#[test]
fn a_server_without_a_key_has_no_sessions() {
    over_http(|net| {
        net.server = Server::new(&DEVICE, Relay::default());
        let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
        assert_eq!(net.ask(&post("", body)).field("mcp-session-id"), None);
        assert_eq!(net.ask(&post("abc", PING)).status, 200);
        assert_eq!(net.ask(&request("DELETE", "abc", "")).status, 405);
    });
}

#[test]
fn a_question_goes_out_on_the_stream_and_its_answer_comes_by_post() {
    over_http(|net| {
        let session = net.open(ALL);
        let stranger = net.open(ALL);
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let mut sent = net.feed(&mut http, &post(&session, &legacy("7", SWITCH)));
        let asked = so_far(&sent);
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0]["method"], "elicitation/create");
        assert_eq!(asked[0]["id"], 1);
        // Not from another session, not without one, not under another id.
        let answer = response(&asked[0]["id"], ACCEPT);
        assert_eq!(net.ask(&post(&stranger, &answer)).status, 202);
        assert_eq!(net.ask(&post("", &answer)).status, 202);
        assert_eq!(
            net.ask(&post(&session, &response(&json!(2), ACCEPT)))
                .status,
            202
        );
        net.now += 20;
        assert!(net.feed(&mut http, b"").is_empty());
        assert!(net.server.app.done.is_empty());
        assert_eq!(net.ask(&post(&session, &answer)).status, 202);
        assert_eq!(http.wake(), Some(Instant::from_millis(net.now + 20)));
        net.now += 20;
        sent.extend(net.feed(&mut http, b""));
        let events = answers(&sent)[0].events();
        assert_eq!(events.len(), 2);
        assert_eq!(text(&events[1]), "switched");
        assert_eq!(events[1]["id"], 7);
        assert_eq!(net.server.app.done, ["2true"]);
        assert!(http.is_idle());
    });
}

#[test]
fn answers_wait_for_each_other_and_none_is_lost() {
    over_http(|net| {
        let session = net.open(ALL);
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let survey = legacy("7", r#""name":"survey""#);
        let mut sent = net.feed(&mut http, &post(&session, &survey));
        let asked = so_far(&sent);
        let named = r#"{"action":"accept","content":{"name":"A"}}"#;
        assert_eq!(
            net.ask(&post(&session, &response(&asked[0]["id"], named)))
                .status,
            202
        );
        // The second is held until the first was fetched.
        let mut memory = Request::new();
        let mut second = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let idea = r#"{"content":{"type":"text","text":"i"}}"#;
        let late = post(&session, &response(&asked[1]["id"], idea));
        assert!(net.feed(&mut second, &late).is_empty());
        assert_eq!(second.wake(), Some(Instant::from_millis(net.now + 1)));
        net.now += 20;
        assert!(net.feed(&mut http, b"").is_empty());
        assert_eq!(answers(&net.feed(&mut second, b""))[0].status, 202);
        net.now += 20;
        sent.extend(net.feed(&mut http, b""));
        let events = answers(&sent)[0].events();
        assert_eq!(text(&events[2]), "Accept Some(\"A\") Some(\"i\")");
    });
}

#[test]
fn an_answer_too_long_is_refused_and_its_question_stays_open() {
    over_http(|net| {
        let session = net.open(ALL);
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let mut sent = net.feed(&mut http, &post(&session, &legacy("7", SWITCH)));
        let long = format!(r#"{{"action":"accept","pad":"{}"}}"#, "p".repeat(512));
        let answer = net.ask(&post(&session, &response(&json!(1), &long)));
        assert_eq!(answer.status, 413);
        assert_eq!(
            answer.json()["error"]["message"],
            "Message of 540 bytes is too long, the limit is 512"
        );
        assert_eq!(
            net.ask(&post(&session, &response(&json!(1), ACCEPT)))
                .status,
            202
        );
        net.now += 20;
        sent.extend(net.feed(&mut http, b""));
        assert_eq!(text(&answers(&sent)[0].events()[1]), "switched");
    });
}

#[test]
fn who_cannot_answer_is_not_asked() {
    over_http(|net| {
        // Without a session nothing is known of the client.
        let answer = net.ask(&post("", &legacy("7", SWITCH)));
        assert_eq!(
            text(&answer.json()),
            "the client cannot be asked: it has not declared elicitation"
        );
        let session = net.open(ALL);
        let json_only = String::from_utf8(post(&session, &legacy("7", SWITCH))).unwrap();
        let json_only = json_only.replacen(", text/event-stream", "", 1);
        assert_eq!(
            text(&net.ask(json_only.as_bytes()).json()),
            "the client cannot be asked: it has no session, or reads no event stream, or too many calls wait"
        );
        // A modern client is asked, and told with 400 what it lacks (M-025).
        let body = modern(1, "tools/call", SWITCH, "", "{}");
        let headers =
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: relay_set\r\n";
        let modern = String::from_utf8(post("", &body)).unwrap();
        let modern = modern.replacen("Content-Length", &format!("{headers}Content-Length"), 1);
        let answer = net.ask(modern.as_bytes());
        assert_eq!(answer.status, 400);
        assert_eq!(answer.json()["error"]["code"], -32021);
    });
}

#[test]
fn a_peer_that_hangs_up_is_not_waited_for() {
    // M-190: the call goes on; nobody is left to answer its question.
    over_http(|net| {
        let session = net.open(ALL);
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        net.feed(&mut http, &post(&session, &legacy("7", SWITCH)));
        let now = net.now();
        http.hang_up(&mut net.server, now);
        assert!(net.feed(&mut http, b"").is_empty());
        assert!(http.is_closed());
        assert_eq!(
            net.ask(&post(&session, &response(&json!(1), ACCEPT)))
                .status,
            202
        );
        assert!(net.server.app.done.is_empty());
    });
}

#[test]
fn a_client_cancels_its_own_call_on_another_connection() {
    over_http(|net| {
        let session = net.open(ALL);
        let stranger = net.open(ALL);
        let cancel = |id: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            )
        };
        for progress in [false, true] {
            let params = if progress {
                r#""name":"slow_ask","_meta":{"progressToken":"p"}"#
            } else {
                r#""name":"slow_ask""#
            };
            let mut memory = Request::new();
            let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
            let mut sent = net.feed(&mut http, &post(&session, &legacy("7", params)));
            assert_eq!(sent.is_empty(), !progress);
            assert_eq!(net.ask(&post(&stranger, &cancel("7"))).status, 202);
            assert_eq!(net.ask(&post(&session, &cancel("8"))).status, 202);
            assert_eq!(net.ask(&post("", &cancel("7"))).status, 202);
            let cancels = net.server.app.cancels;
            net.now += 5;
            sent.extend(net.feed(&mut http, b""));
            assert_eq!(net.server.app.cancels, cancels);
            assert_eq!(net.ask(&post(&session, &cancel("7"))).status, 202);
            sent.extend(net.feed(&mut http, b""));
            assert_eq!(net.server.app.cancels, cancels + 1);
            assert!(http.is_idle());
            let answer = &answers(&sent)[0];
            if progress {
                assert_eq!(answer.events().len(), 1, "progress, and no result");
            } else {
                assert_eq!((answer.status, answer.body.len()), (202, 0));
            }
            // Late ones are ignored (M-130).
            assert_eq!(net.ask(&post(&session, &cancel("7"))).status, 202);
        }
    });
}

#[test]
fn four_calls_wait_and_a_fifth_cannot_ask() {
    over_http(|net| {
        let session = net.open(ALL);
        let other = net.open(ALL);
        let mut memories: Vec<HttpMemory<2048, 512>> = (0..4).map(|_| HttpMemory::new()).collect();
        let mut all: Vec<Http<'_>> = memories
            .iter_mut()
            .map(|memory| Http::new(memory, HttpConfig::LOOPBACK))
            .collect();
        for (id, http) in all.iter_mut().enumerate() {
            let sent = net.feed(http, &post(&session, &legacy(&id.to_string(), SWITCH)));
            assert_eq!(so_far(&sent)[0]["id"], id + 1);
        }
        // Nobody loses his place to another.
        let refused = net.ask(&post(&other, &legacy("9", SWITCH)));
        assert_eq!(
            text(&refused.json()),
            "the client cannot be asked: it has no session, or reads no event stream, or too many calls wait"
        );
        // Their answers do not wait for each other.
        for id in 1..=4 {
            let posted = post(&session, &response(&json!(id), ACCEPT));
            assert_eq!(net.ask(&posted).status, 202);
        }
        net.now += 20;
        for http in &mut all {
            net.feed(http, b"");
            assert!(http.is_idle());
        }
        assert_eq!(net.server.app.done.len(), 4);
        // A connection that went without a word gives its place back.
        net.feed(&mut all[0], &post(&session, &legacy("5", SWITCH)));
        net.now += 60_001;
        for id in ["6", "7", "8", "9"] {
            let mut memory = Request::new();
            let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
            let sent = net.feed(&mut http, &post(&session, &legacy(id, SWITCH)));
            assert_eq!(so_far(&sent)[0]["method"], "elicitation/create");
        }
    });
}

#[test]
fn an_answer_without_its_state_does_not_reach_a_polled_tool() {
    // M-148: on a line, where such a call is kept in flight.
    on_line(|peer| {
        let go = r#"{"go":{"action":"accept","content":{"confirm":true}}}"#;
        let ask = |more: &str| modern(5, "tools/call", r#""name":"slow_ask""#, more, ALL);
        let unasked = format!(r#","inputResponses":{go}"#);
        assert!(peer.ask(&ask(&unasked)).is_empty());
        let first = state(&lines(&peer.pass(20))[0]);
        assert!(peer.server.app.done.is_empty());
        // Once for one yes, with or without the state.
        assert!(peer.ask(&ask(&retry(go, &first))).is_empty());
        assert_eq!(text(&lines(&peer.pass(20))[0]), "done");
        refused(
            &peer.one(&ask(&retry(go, &first))),
            "requestState is too old or was used before",
        );
        assert!(peer.ask(&ask(&unasked)).is_empty());
        state(&lines(&peer.pass(20))[0]);
        assert_eq!(peer.server.app.done, ["went"]);
    });
}

#[test]
fn what_says_two_things_is_no_yes() {
    // M-006, M-152.
    let two = [
        r#"{"action":"accept","action":"decline","content":{"confirm":true}}"#,
        r#"{"action":"accept","content":{"confirm":true},"content":{"confirm":false}}"#,
        r#"{"action":"accept","content":{"confirm":true,"confirm":false}}"#,
    ];
    on_line(|peer| {
        for said in two {
            let first = state(&peer.one(&call("")));
            let said = format!(r#"{{"sure":{said}}}"#);
            state(&peer.one(&call(&retry(&said, &first))));
        }
        assert!(peer.server.app.done.is_empty());
    });
    opened("2025-11-25", ALL, |peer| {
        let mut asked = peer.one(&legacy("7", SWITCH));
        for said in two {
            asked = peer.one(&response(&asked["id"], said));
            assert_eq!(asked["method"], "elicitation/create");
        }
        let both = format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-1,"message":"no"}},"result":{ACCEPT}}}"#,
            asked["id"]
        );
        assert_eq!(text(&peer.one(&both)), "the user refused");
        assert!(peer.server.app.done.is_empty());
    });
}

#[test]
fn who_fills_in_no_forms_is_asked_for_none() {
    // M-146: an empty object means forms; URL mode alone does not.
    on_line(|peer| {
        for (client, asked) in [
            (r#"{"elicitation":{"url":{}}}"#, false),
            (r#"{"elicitation":{"form":{}}}"#, true),
            (r#"{"elicitation":{"form":{},"url":{}}}"#, true),
            (r#"{"elicitation":{}}"#, true),
        ] {
            let answer = peer.one(&modern(1, "tools/call", SWITCH, "", client));
            assert_eq!(answer["result"].is_object(), asked, "{answer}");
            assert!(asked || answer["error"]["code"] == -32021);
        }
    });
    // 2025-03-26 has no elicitation (M-182).
    opened("2025-03-26", ALL, |peer| {
        assert_eq!(
            text(&peer.one(&legacy("1", SWITCH))),
            "the client cannot be asked: it has not declared elicitation"
        );
    });
}

#[test]
fn batches_carry_answers_and_cancels() {
    // M-197: of responses as well.
    let array = |messages: &[String]| format!("[{}]", messages.join(","));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    opened("2025-03-26", ALL, |peer| {
        let asked = peer.one(&legacy("7", r#""name":"rounds""#));
        let roots = response(&asked["id"], r#"{"roots":[]}"#);
        let next = peer.one(&array(&[roots]));
        assert_eq!(next["method"], "roots/list");
        assert!(peer.ask(&array(&[cancel.to_owned()])).is_empty());
        assert!(
            peer.ask(&response(&next["id"], r#"{"roots":[]}"#))
                .is_empty()
        );
    });
    over_http(|net| {
        let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"0"}}}"#;
        let opened = net.ask(&post("", hello));
        let session = opened.field("mcp-session-id").unwrap();
        let post = |body: &str| {
            let whole = String::from_utf8(post("", body)).unwrap();
            let id = format!("Mcp-Session-Id: {session}\r\nContent-Length");
            whole.replacen("Content-Length", &id, 1).into_bytes()
        };
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        let mut sent = net.feed(&mut http, &post(&legacy("7", r#""name":"rounds""#)));
        for round in 0..3 {
            let asked = so_far(&sent)[round].clone();
            let roots = response(&asked["id"], r#"{"roots":[]}"#);
            assert_eq!(net.ask(&post(&array(&[roots]))).status, 202);
            net.now += 20;
            sent.extend(net.feed(&mut http, b""));
        }
        assert_eq!(text(&answers(&sent)[0].events()[3]), "three rounds");
        // A call in a batch is given up like any other, and so is one by a
        // batch.
        for batch in [false, true] {
            let slow = array(&[legacy("7", r#""name":"slow_ask""#)]);
            let (slow, give_up) = match batch {
                false => (slow, cancel.to_owned()),
                true => (
                    legacy("7", r#""name":"slow_ask""#),
                    array(&[cancel.to_owned()]),
                ),
            };
            let cancels = net.server.app.cancels;
            let mut memory = Request::new();
            let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
            let mut sent = net.feed(&mut http, &post(&slow));
            assert_eq!(net.ask(&post(&give_up)).status, 202);
            net.now += 5;
            sent.extend(net.feed(&mut http, b""));
            assert_eq!(net.server.app.cancels, cancels + 1);
            assert_eq!(answers(&sent)[0].status, 202);
            assert!(http.is_idle());
        }
    });
}

#[test]
fn the_end_of_a_session_is_the_end_of_its_calls() {
    over_http(|net| {
        let session = net.open(ALL);
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        net.feed(
            &mut http,
            &post(&session, &legacy("7", r#""name":"slow_ask""#)),
        );
        let mut memory = Request::new();
        let mut asking = Http::new(&mut memory, HttpConfig::LOOPBACK);
        net.feed(&mut asking, &post(&session, &legacy("8", SWITCH)));
        assert_eq!(net.ask(&request("DELETE", &session, "")).status, 202);
        net.now += 20;
        net.feed(&mut http, b"");
        net.feed(&mut asking, b"");
        assert_eq!(net.server.app.cancels, 1);
        assert!(http.is_idle() && asking.is_idle());
        assert!(net.server.app.done.is_empty());
    });
}

#[test]
fn a_session_keeps_to_its_version() {
    // M-016, M-061, M-183.
    over_http(|net| {
        let session = net.open(ALL);
        let bare = |version: &str| format!("Mcp-Session-Id: {session}\r\n{version}Content-Length");
        let with = |whole: Vec<u8>, version: &str| {
            let whole = String::from_utf8(whole).unwrap();
            whole
                .replacen("Content-Length", &bare(version), 1)
                .into_bytes()
        };
        let batch = format!("[{PING}]");
        for version in ["", "MCP-Protocol-Version: 2025-03-26\r\n"] {
            let answer = net.ask(&with(post("", &batch), version));
            assert_eq!(answer.status, 400, "{version}");
        }
        for method in ["GET", "DELETE"] {
            for version in ["1999-01-01", "2026-07-28"] {
                let version = format!("MCP-Protocol-Version: {version}\r\n");
                assert_eq!(
                    net.ask(&with(request(method, "", ""), &version)).status,
                    400
                );
            }
        }
        assert_eq!(net.ask(&post(&session, PING)).status, 200);
        assert_eq!(net.ask(&request("DELETE", &session, "")).status, 202);
        let note = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
        let version = "MCP-Protocol-Version: 2026-07-28\r\n";
        assert_eq!(net.ask(&with(post("", note), version)).status, 202);
        assert_eq!(net.ask(&post(&session, note)).status, 404);
    });
}
