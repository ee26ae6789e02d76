//! A policy in front of the tasks of tools: what is there for whom, and what
//! is written down, by MCP, by A2A and on a line (M-160 to M-162, A-198,
//! P-025 to P-029).

use std::cell::RefCell;
use std::task::Poll;

use agentmote::a2a::{Agent, Card};
use agentmote::mcp::{Device, Identity};
use agentmote::policy::{
    Authority, Credential, Endpoint, Event, Grant, Guard, Operation, Outcome, Policy, Request,
    Rules, Subject, Why,
};
use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, Line, LineMemory, Server};
use agentmote::task::{
    Journal, Kept, Principal, Runtime, Skill, Step, TaskId, TaskMemory, TaskRules, Tasks,
};
use agentmote::time::Instant;
use agentmote::tool::{Answer, Call, Caller, Data};
use agentmote::{catalog, tool};
use agentmote_tests::peer::{answers, lines};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// May use the tool `lift`.
const LIFT: u32 = 8;

/// What has been done.
#[derive(Debug, Default)]
struct Rig {
    begun: u32,
    /// For nobody from outside.
    in_service: bool,
    journal: Option<Kept>,
}

impl Journal for Rig {
    fn keep(&mut self, _: TaskId, _: &[u8]) -> Kept {
        self.journal.unwrap_or(Kept::Yes)
    }
}

impl Runtime for Rig {
    const SKILLS: &'static [Skill<Self>] = &[
        Skill {
            words: &["good"],
            ..Skill::new("good", "Good", "Works.", &["t"], |_, work| {
                work.artifact("a", "b");
                Step::DONE
            })
        },
        Skill {
            words: &["bad"],
            ..Skill::new("bad", "Bad", "Fails.", &["t"], |_, work| work.fail("no"))
        },
        Skill {
            words: &["never"],
            ..Skill::new("never", "Never", "Rejects.", &["t"], |_, work| {
                work.reject("no")
            })
        },
    ];
}

static DEVICE: Device<Rig> = Device::new(
    Identity::new("rig", "1.0"),
    catalog![turn, weld, large, lift],
);

/// Turns for a tenth of a second.
#[tool(actuates, task)]
fn turn(rig: &mut Rig, call: &mut Call<'_>) -> Poll<Answer> {
    if call.is_cancelled() || call.step() == 0 {
        rig.begun += 1;
        call.wake_after(100);
        return Poll::Pending;
    }
    Poll::Ready(call.text("turned"))
}

/// Fails.
#[tool(actuates, task)]
fn weld(_: &mut Rig, call: &mut Call<'_>) -> Answer {
    call.fail("the torch is cold")
}

static LARGE: [u8; 4096] = [0; 4096];

/// Answers with more than a record holds.
#[tool(read_only, task)]
fn large(_: &mut Rig, call: &mut Call<'_>) -> Answer {
    call.image(Data::Static(&LARGE), "image/png")
}

/// Asks before it lifts.
#[tool(actuates, asks, task, scopes = LIFT)]
fn lift(rig: &mut Rig, call: &mut Call<'_>) -> Poll<Answer> {
    match call.confirm("sure", "Really?") {
        Some(true) => {
            rig.begun += 1;
            Poll::Ready(call.text("lifted"))
        }
        Some(false) => Poll::Ready(call.fail("refused")),
        None => Poll::Pending,
    }
}

thread_local!(static EVENTS: RefCell<Vec<Event>> = const { RefCell::new(Vec::new()) });

struct Lab;

impl Guard<Rig> for Lab {
    fn allows(rig: &Rig, who: &Grant, request: &Request) -> bool {
        let serviced = rig.in_service && request.subject == Subject::Tool("lift");
        let looks = who.by == Authority::Credential("eye")
            && matches!(request.subject, Subject::Task(_))
            && request.operation != Operation::GetTask;
        !serviced && !looks
    }

    fn record(_: &mut Rig, event: &Event) {
        EVENTS.with_borrow_mut(|events| events.push(*event));
    }
}

/// Random bytes that are the same in each run.
fn entropy(bytes: &mut [u8]) {
    use std::cell::Cell;
    thread_local!(static STATE: Cell<u64> = const { Cell::new(0x9E37_79B9_7F4A_7C15) });
    STATE.with(|state| {
        for byte in bytes {
            let mut word = state.get();
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
            state.set(word);
            *byte = (word >> 24) as u8;
        }
    });
}

static AGENT: Agent<Rig> = Agent::new(Card::new("rig", "A rig.", "1", "http://rig/a2a/"));

const SEEN: &str = r#"{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

struct World {
    server: Server<Rig>,
    desk: AgentDesk<'static, Rig>,
    now: u64,
}

fn credential(name: &'static str, id: u32, scopes: u32) -> Credential {
    let digest = Sha256::digest(format!("key-of-{name}")).into();
    Credential {
        tenant: id,
        scopes,
        ..Credential::new(name, digest, id)
    }
}

fn body(method: &str, params: &str) -> String {
    let inner = params
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .expect("an object");
    let comma = if inner.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":5,"method":"{method}","params":{{{inner}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{SEEN}}}}}}}"#
    )
}

impl World {
    fn new() -> Self {
        let mut policy = Policy::new::<Lab>(Rules::NONE);
        for one in [
            credential("ann", 1, LIFT),
            // Of the same owner.
            credential("low", 1, 0),
            credential("eye", 1, LIFT),
            credential("bob", 2, LIFT),
        ] {
            assert_eq!(policy.credentials.add(one), Ok(()));
        }
        EVENTS.take();
        let memory = Box::leak(Box::new(TaskMemory::<4, 1024, 512>::new()));
        Self {
            server: Server::new(&DEVICE, Rig::default())
                .with_key([7; 32])
                .with_policy(Box::leak(Box::new(policy))),
            desk: AgentDesk {
                agent: &AGENT,
                tasks: Tasks::new(memory, TaskRules::new(entropy)),
                callers: |_| None,
            },
            now: 10,
        }
    }

    fn credentials(&mut self) -> &mut agentmote::policy::Credentials {
        &mut self.server.policy().expect("a policy").credentials
    }

    fn post(&mut self, who: &str, path: &str, head: &str, body: &str) -> Value {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nX-API-Key: key-of-{who}\r\n\
             {head}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut memory = HttpMemory::<2048, 512>::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK)
            .with_agent("/a2a")
            .with_tasks();
        let mut rest = request.as_bytes();
        let mut all = Vec::new();
        for _ in 0..10_000 {
            let taken = http.receive(rest);
            rest = &rest[taken..];
            let mut out = vec![0; 4096];
            let now = Instant::from_millis(self.now);
            let n = http.poll_agent(&mut self.server, &mut self.desk, now, &mut out);
            all.extend_from_slice(&out[..n]);
            if taken > 0 || n > 0 {
                continue;
            }
            match http.wake_agent(&self.desk) {
                Some(wake) if all.is_empty() => self.now = wake.as_millis().max(self.now + 1),
                _ => break,
            }
        }
        let mut all = answers(&all);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0).json()
    }

    fn mcp(&mut self, who: &str, method: &str, params: &str) -> Value {
        let parsed: Value = serde_json::from_str(params).expect("JSON");
        let name = parsed.get("name").or(parsed.get("taskId"));
        let name = name.and_then(Value::as_str).expect("a name");
        let head = format!(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n"
        );
        self.post(who, "/mcp", &head, &body(method, params))
    }

    fn a2a(&mut self, who: &str, method: &str, params: &str) -> Value {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        self.post(who, "/a2a", "A2A-Version: 1.0\r\n", &body)
    }

    /// Calls a tool that becomes a task; gives its id.
    #[track_caller]
    fn task(&mut self, tool: &str) -> (String, Subject) {
        let made = self.mcp("ann", "tools/call", &format!(r#"{{"name":"{tool}"}}"#));
        named(&made["result"]["taskId"])
    }

    /// Sends a message that begins a task; gives its id.
    #[track_caller]
    fn sent(&mut self, id: &str, text: &str) -> Subject {
        let params = format!(
            r#"{{"message":{{"messageId":"{id}","role":"ROLE_USER","parts":[{{"text":"{text}"}}]}}}}"#
        );
        let made = self.a2a("ann", "SendMessage", &params);
        named(&made["result"]["task"]["id"]).1
    }

    fn pass(&mut self, millis: u64) {
        let end = self.now + millis;
        while self.now < end {
            self.now += 1;
            let now = Instant::from_millis(self.now);
            self.desk.run(&mut self.server, now);
        }
    }

    #[track_caller]
    fn status(&mut self, id: &str) -> Value {
        let got = self.mcp("ann", "tasks/get", &format!(r#"{{"taskId":"{id}"}}"#));
        got["result"].clone()
    }

    /// The responses that say yes to what a task asks.
    #[track_caller]
    fn yes(&mut self, id: &str) -> String {
        let task = self.status(id);
        let requests = task["inputRequests"].as_object().expect("questions");
        let name = requests.keys().next().expect("a question");
        json!({"taskId": id, "inputResponses":
            {name.as_str(): {"action": "accept", "content": {"confirm": true}}}})
        .to_string()
    }
}

#[track_caller]
fn named(id: &Value) -> (String, Subject) {
    let id = id.as_str().expect("a task");
    let number = u128::from_str_radix(id, 16).expect("32 digits");
    (id.to_owned(), Subject::Task(number.to_be_bytes()))
}

type Told = (Authority, Endpoint, Operation, Subject, Outcome);

/// What was written down since the last look.
#[track_caller]
fn written() -> Vec<Told> {
    let events = EVENTS.take();
    let parts = events.into_iter().map(|event| {
        let nobody = matches!(event.by, Authority::None | Authority::Place);
        assert_eq!(event.id == 0, nobody, "{event:?}");
        assert_eq!(event.id, event.tenant);
        let Request {
            endpoint,
            operation,
            subject,
        } = event.request;
        (event.by, endpoint, operation, subject, event.outcome)
    });
    parts.collect()
}

fn told(who: &'static str, operation: Operation, subject: Subject, outcome: Outcome) -> Told {
    let by = Authority::Credential(who);
    (by, Endpoint::Mcp, operation, subject, outcome)
}

fn ended(endpoint: Endpoint, subject: Subject, outcome: Outcome) -> Told {
    (
        Authority::Device,
        endpoint,
        Operation::EndTask,
        subject,
        outcome,
    )
}

const NOT_THERE: Outcome = Outcome::Refused(Why::NotThere);
const STATE: Outcome = Outcome::Refused(Why::State);

#[test]
fn each_deed_on_a_task_of_a_tool_is_one_event() {
    let mut world = World::new();
    let (id, turn) = world.task("turn");
    let call = |name, outcome| told("ann", Operation::CallTool, Subject::Tool(name), outcome);
    assert_eq!(written(), [call("turn", Outcome::Accepted)]);
    world.pass(5);
    world.status(&id);
    assert_eq!(written(), []);
    let wish = format!(r#"{{"taskId":"{id}"}}"#);
    world.mcp("ann", "tasks/cancel", &wish);
    world.pass(2);
    let cancel = |outcome| told("ann", Operation::CancelTask, turn, outcome);
    let stopped = ended(Endpoint::Mcp, turn, Outcome::Cancelled);
    assert_eq!(written(), [cancel(Outcome::Accepted), stopped]);
    // It is acknowledged again, but does nothing; nor does an answer that
    // nobody waits for.
    world.mcp("ann", "tasks/cancel", &wish);
    assert_eq!(written(), [cancel(STATE)]);
    let idle = format!(r#"{{"taskId":"{id}","inputResponses":{{"sure-1":{{}}}}}}"#);
    world.mcp("ann", "tasks/update", &idle);
    assert_eq!(
        written(),
        [told("ann", Operation::SendMessage, turn, STATE)]
    );
    // A question, its answer, and the same answer again.
    let (id, lift) = world.task("lift");
    world.pass(2);
    let yes = world.yes(&id);
    let update = |outcome| told("ann", Operation::SendMessage, lift, outcome);
    assert_eq!(written(), [call("lift", Outcome::Accepted)]);
    world.mcp("ann", "tasks/update", &yes);
    world.mcp("ann", "tasks/update", &yes);
    let done = ended(Endpoint::Mcp, lift, Outcome::Done);
    assert_eq!(written(), [update(Outcome::Accepted), done, update(STATE)]);
    assert_eq!(world.status(&id)["result"]["content"][0]["text"], "lifted");
    // Wrong arguments make no task.
    let wrong = r#"{"name":"turn","arguments":{"x":1}}"#;
    world.mcp("ann", "tools/call", wrong);
    let refused = Outcome::Refused(Why::Arguments);
    assert_eq!(written(), [call("turn", refused)]);
}

#[test]
fn each_end_is_one_event() {
    let mut world = World::new();
    for (tool, outcome) in [
        ("turn", Outcome::Done),
        ("weld", Outcome::Failed),
        ("large", Outcome::Failed),
    ] {
        let (_, subject) = world.task(tool);
        world.pass(200);
        assert_eq!(written()[1..], [ended(Endpoint::Mcp, subject, outcome)]);
    }
    let mut world = World::new();
    for (text, outcome) in [
        ("good", Outcome::Done),
        ("bad", Outcome::Failed),
        ("never", Outcome::Refused(Why::Work)),
    ] {
        let subject = world.sent(text, text);
        let by = Authority::Credential("ann");
        let send = Operation::SendMessage;
        assert_eq!(
            written(),
            [
                (by, Endpoint::Agent, send, subject, Outcome::Accepted),
                ended(Endpoint::Agent, subject, outcome)
            ]
        );
    }
    // What nobody takes is refused, once.
    let subject = world.sent("m", "what?");
    assert_eq!(written().len(), 1, "{subject:?}");
    world.pass(700_000);
    assert_eq!(written(), []);
}

/// The device cannot keep it, or has no place for it.
#[test]
fn a_call_that_is_refused_is_one_event() {
    let mut world = World::new();
    world.server.app.journal = Some(Kept::No);
    let made = world.mcp("ann", "tools/call", r#"{"name":"turn"}"#);
    assert_eq!(made["error"]["code"], -32603);
    let events = written();
    let request = told("ann", Operation::Request, Subject::None, STATE);
    assert_eq!(events[0], request);
    // Its record is there all the same, for the device to tell.
    assert_eq!(events.len(), 2);
    assert_eq!(
        (events[1].2, events[1].4),
        (Operation::EndTask, Outcome::Failed)
    );
    let mut world = World::new();
    for _ in 0..4 {
        world.task("turn");
    }
    written();
    let made = world.mcp("ann", "tools/call", r#"{"name":"turn"}"#);
    assert_eq!(made["error"]["code"], -32603);
    assert_eq!(written(), [request]);
}

/// A-198: another owner, and an id of nobody.
#[test]
fn a_task_of_another_is_refused_in_the_words_of_the_wish() {
    let mut world = World::new();
    let (id, _) = world.task("lift");
    world.pass(2);
    let yes = world.yes(&id);
    written();
    let wish = format!(r#"{{"taskId":"{id}"}}"#);
    for (method, params, operation) in [
        ("tasks/get", &wish, Operation::GetTask),
        ("tasks/update", &yes, Operation::SendMessage),
        ("tasks/cancel", &wish, Operation::CancelTask),
    ] {
        let got = world.mcp("bob", method, params);
        assert_eq!(got["error"]["code"], -32602, "{got}");
        let refused = |who, subject| [told(who, operation, subject, NOT_THERE)];
        assert_eq!(written(), refused("bob", Subject::None));
        let none = params.replace(&id, &"0".repeat(32));
        world.mcp("ann", method, &none);
        assert_eq!(written(), refused("ann", Subject::None));
        // The guard lets this credential look, and do nothing.
        let got = world.mcp("eye", method, params);
        if operation == Operation::GetTask {
            assert_eq!(got["result"]["status"], "input_required");
            assert_eq!(written(), []);
        } else {
            assert_eq!(got["error"]["message"], format!("Unknown task: {id}"));
            assert_eq!(written(), refused("eye", Subject::None));
        }
    }
    assert_eq!(world.status(&id)["status"], "input_required");
    assert_eq!(world.server.app.begun, 0);
}

/// Answers a question over A2A.
fn message(world: &mut World, who: &str, id: &str) -> Value {
    let params = format!(
        r#"{{"message":{{"messageId":"m","role":"ROLE_USER","taskId":"{id}","parts":[{{"text":"yes"}}]}}}}"#
    );
    world.a2a(who, "SendMessage", &params)
}

/// What a credential does not open, it does not open by a task of its owner
/// either.
#[test]
fn an_answer_needs_the_scopes_of_the_tool() {
    let mut world = World::new();
    let (id, lift) = world.task("lift");
    world.pass(2);
    let yes = world.yes(&id);
    written();
    let got = world.mcp("low", "tasks/update", &yes);
    assert_eq!(got["error"]["code"], -32602, "{got}");
    assert_eq!(got["error"]["message"], format!("Unknown task: {id}"));
    let refused = told("low", Operation::SendMessage, Subject::None, NOT_THERE);
    assert_eq!(written(), [refused]);
    let got = message(&mut world, "low", &id);
    assert_eq!(got["error"]["code"], -32004, "{got}");
    let [(by, endpoint, operation, _, outcome)] = written()[..] else {
        panic!("not one event");
    };
    assert_eq!(by, Authority::Credential("low"));
    assert_eq!(
        (endpoint, operation),
        (Endpoint::Agent, Operation::SendMessage)
    );
    assert!(matches!(outcome, Outcome::Refused(_)), "{outcome:?}");
    // A credential that has lost the scope since.
    assert!(world.credentials().revoke("ann"));
    let added = world.credentials().add(credential("ann", 1, 0));
    assert_eq!(added, Ok(()));
    let got = world.mcp("ann", "tasks/update", &yes);
    assert_eq!(got["error"]["code"], -32602, "{got}");
    assert_eq!(world.server.app.begun, 0);
    // It may still stop it.
    written();
    world.mcp("low", "tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#));
    world.pass(2);
    assert_eq!(
        written(),
        [
            told("low", Operation::CancelTask, lift, Outcome::Accepted),
            ended(Endpoint::Mcp, lift, Outcome::Cancelled)
        ]
    );
}

/// The guard of a device in service holds a tool that has begun, too.
#[test]
fn an_answer_needs_the_leave_of_the_guard() {
    let mut world = World::new();
    let (id, _) = world.task("lift");
    world.pass(2);
    let yes = world.yes(&id);
    world.server.app.in_service = true;
    let got = world.mcp("ann", "tasks/update", &yes);
    assert_eq!(got["error"]["code"], -32602, "{got}");
    let got = message(&mut world, "ann", &id);
    assert_eq!(got["error"]["code"], -32004, "{got}");
    world.pass(2);
    assert_eq!(world.server.app.begun, 0);
    world.server.app.in_service = false;
    let got = message(&mut world, "ann", &id);
    assert_eq!(
        got["result"]["task"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
    assert_eq!(world.server.app.begun, 1);
}

/// On a line: who is at its place has the scopes that it was given.
#[test]
fn a_line_is_written_down_and_checked_too() {
    let World {
        mut server,
        mut desk,
        ..
    } = World::new();
    let mut memory = LineMemory::<1024, 512, 2, 512>::new();
    let mut line = Line::new(&mut memory);
    let owner = Principal::default();
    let mut now = 0;
    let mut ask = |line: &mut Line<'_>, method: &str, params: &str| {
        let text = format!("{}\n", body(method, params));
        assert_eq!(line.receive(text.as_bytes()), text.len());
        let mut all = Vec::new();
        for _ in 0..10 {
            now += 1;
            let at = Instant::from_millis(now);
            let mut out = [0; 2048];
            let n = line.poll_tasks(&mut server, &mut desk.tasks, owner, at, &mut out);
            all.extend_from_slice(&out[..n]);
        }
        lines(&all).remove(0)
    };
    let made = ask(&mut line, "tools/call", r#"{"name":"lift"}"#);
    let (id, lift) = named(&made["result"]["taskId"]);
    let wish = format!(r#"{{"taskId":"{id}"}}"#);
    let got = ask(&mut line, "tasks/get", &wish);
    let requests = got["result"]["inputRequests"].as_object();
    let name = requests.and_then(|all| all.keys().next()).expect("one");
    let yes = json!({"taskId": id, "inputResponses":
        {name.as_str(): {"action": "accept", "content": {"confirm": true}}}})
    .to_string();
    line.set_caller(Caller { id: 0, scopes: 0 });
    let got = ask(&mut line, "tasks/update", &yes);
    assert_eq!(got["error"]["code"], -32602);
    line.set_caller(Caller::ANY);
    ask(&mut line, "tasks/update", &yes);
    let event = |operation, subject, outcome| {
        (Authority::Place, Endpoint::Mcp, operation, subject, outcome)
    };
    let all: Vec<Told> = EVENTS
        .take()
        .into_iter()
        .map(|event| {
            let request = event.request;
            (
                event.by,
                request.endpoint,
                request.operation,
                request.subject,
                event.outcome,
            )
        })
        .collect();
    assert_eq!(
        all,
        [
            event(
                Operation::CallTool,
                Subject::Tool("lift"),
                Outcome::Accepted
            ),
            event(Operation::SendMessage, Subject::None, NOT_THERE),
            event(Operation::SendMessage, lift, Outcome::Accepted),
            ended(Endpoint::Mcp, lift, Outcome::Done),
        ]
    );
}
