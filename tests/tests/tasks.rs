//! The tasks extension of MCP (M-160 to M-163, SEP-2663) over HTTP and lines,
//! and the same records told by A2A: one table, three projections.

use std::task::Poll;

use agentmote::a2a::{Agent, Caller, Card};
use agentmote::mcp::{Device, Identity};
use agentmote::server::{
    AgentDesk, Http, HttpConfig, HttpMemory, Line, LineMemory, Presented, Server,
};
use agentmote::task::{
    Journal, Kept, Principal, Runtime, Skill, Step, TaskId, TaskMemory, TaskRules, Tasks, Work,
};
use agentmote::time::Instant;
use agentmote::tool::{Action, Answer, Call, Data, Form, InputRequest, Param};
use agentmote::{ToolArgs, ToolResult, catalog, tool};
use agentmote_tests::peer::{answers, lines};
use serde_json::{Value, json};

/// What has been done.
#[derive(Debug, Default)]
struct Rig {
    begun: u32,
    stopped: u32,
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
            words: &["sure"],
            input_modes: &["*/*"],
            ..Skill::new("sure", "Sure", "Asks.", &["t"], |rig, work| {
                agentmote::task::run_tool(&sure::ENTRY, rig, work)
            })
        },
        Skill::new("words", "Words", "Asks in words.", &["t"], words),
    ];
}

fn words(_: &mut Rig, work: &mut Work<'_>) -> Step {
    if work.messages() == 1 {
        return work.ask("go on?");
    }
    if work.text() != "yes" {
        return work.reject("not confirmed");
    }
    work.artifact("answer", "went on");
    Step::DONE
}

static DEVICE: Device<Rig> = Device::new(
    Identity::new("rig", "1.0"),
    catalog![now, turn, weld, sure, pair, begin, blocks, large, model],
);

/// Is done at once, and is no task.
#[tool(read_only)]
fn now(_: &mut Rig, call: &mut Call<'_>) -> Answer {
    call.text("now")
}

#[derive(ToolArgs)]
struct Turn {
    /// How far.
    #[arg(range = 0..=90)]
    deg: u8,
}

/// Turns for a tenth of a second.
#[tool(actuates, task)]
fn turn(rig: &mut Rig, args: Turn, call: &mut Call<'_>) -> Poll<Answer> {
    if call.is_cancelled() {
        rig.stopped += 1;
        return Poll::Pending;
    }
    if call.step() == 0 {
        rig.begun += 1;
        call.wake_after(100);
        return Poll::Pending;
    }
    Poll::Ready(call.format(format_args!("turned {}", args.deg)))
}

/// Fails, only as a task.
#[tool(actuates, task(required))]
fn weld(rig: &mut Rig, call: &mut Call<'_>) -> Answer {
    rig.begun += 1;
    call.fail("the torch is cold")
}

/// Asks before it acts.
#[tool(actuates, asks, task)]
fn sure(rig: &mut Rig, call: &mut Call<'_>) -> Poll<Answer> {
    match call.confirm("sure", "Really?") {
        Some(true) => {
            rig.begun += 1;
            Poll::Ready(call.text("done"))
        }
        Some(false) => Poll::Ready(call.fail("refused")),
        None => Poll::Pending,
    }
}

const PAIR: Form = Form::new(&[Param::string("name", "", 20)]);

/// Asks two questions, again where an answer does not fit.
#[tool(asks, task)]
fn pair(_: &mut Rig, call: &mut Call<'_>) -> Poll<Answer> {
    let one = call.elicit("one", "First?", PAIR);
    let two = call.elicit("two", "Second?", PAIR);
    let (Some(one), Some(two)) = (one, two) else {
        return Poll::Pending;
    };
    if one.action() != Action::Accept {
        return Poll::Ready(call.fail("declined"));
    }
    let name = |answer: agentmote::tool::InputResponse<'_>| {
        let name: Option<heapless::String<80>> = answer.get(0);
        name.unwrap_or_default()
    };
    Poll::Ready(call.format(format_args!("{} and {}", name(one), name(two))))
}

/// Asks with the call, then works as a task.
#[tool(actuates, asks, task(after_input))]
fn begin(rig: &mut Rig, call: &mut Call<'_>) -> Poll<Answer> {
    match call.confirm("begin", "Begin?") {
        None => Poll::Pending,
        Some(false) => Poll::Ready(call.fail("refused")),
        Some(true) if !call.is_task() => {
            call.remember(7);
            Poll::Pending
        }
        Some(true) if call.step() == 0 => {
            assert_eq!(call.memo(), 7);
            rig.begun += 1;
            Poll::Pending
        }
        Some(true) => Poll::Ready(call.text("begun")),
    }
}

#[derive(ToolResult)]
struct Reading {
    /// Degrees.
    deg: u8,
}

/// Answers with every block.
#[tool(read_only, task)]
fn blocks(_: &mut Rig, call: &mut Call<'_>) -> Answer {
    let _ = call.text("text");
    let _ = call.image(Data::Copied(&[1, 2, 3]), "image/png");
    let _ = call.audio(Data::Copied(&[4]), "audio/wav");
    let _ = call.link("rig://log", "log", "text/plain");
    let _ = call.resource_text("rig://a", "text/plain", "a\n");
    let _ = call.resource_blob("rig://b", "", Data::Copied(&[5]));
    call.structured(&Reading { deg: 3 })
}

static LARGE: [u8; 4096] = [0; 4096];

/// Answers with more than a record holds.
#[tool(read_only, task)]
fn large(_: &mut Rig, call: &mut Call<'_>) -> Answer {
    call.image(Data::Static(&LARGE), "image/png")
}

/// Asks the client's model.
#[tool(read_only, asks, task)]
fn model(_: &mut Rig, call: &mut Call<'_>) -> Poll<Answer> {
    let asked = InputRequest::Sample {
        message: "Hm?",
        max_tokens: 9,
    };
    let roots = call.ask("roots", InputRequest::ListRoots);
    match (call.ask("hm", asked), roots) {
        (Some(answer), Some(_)) => {
            let text = answer.text().unwrap_or_default();
            Poll::Ready(call.format(format_args!("{text}")))
        }
        _ => Poll::Pending,
    }
}

const ANN: Principal = Principal {
    id: 1,
    tenant: 1,
    scopes: 0,
};
const BOB: Principal = Principal {
    id: 1,
    tenant: 2,
    scopes: 0,
};

fn callers(credential: Presented<'_>) -> Option<Caller<'static>> {
    let principal = match credential {
        Presented::Bearer(b"ann") => ANN,
        Presented::Bearer(b"bob") => BOB,
        _ => return None,
    };
    Some(Caller {
        principal,
        tenant: "",
        known: true,
    })
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

/// How a client reaches the device.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Http,
    Line,
}

const WAYS: [Way; 2] = [Way::Http, Way::Line];

/// A device with a table of tasks.
struct World {
    way: Way,
    server: Server<Rig>,
    desk: AgentDesk<'static, Rig>,
    now: u64,
    /// Bytes taken and given at a time.
    cut: usize,
}

const ALL: &str = r#"{"elicitation":{},"sampling":{},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
const ONLY_TASKS: &str = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

impl World {
    fn new(way: Way) -> Self {
        let memory = Box::leak(Box::new(TaskMemory::<4, 1536, 512>::new()));
        let mut tasks = Tasks::new(memory, TaskRules::new(entropy));
        tasks.set_clock(1_796_028_272_597, Instant::from_millis(0));
        Self {
            way,
            server: Server::new(&DEVICE, Rig::default()).with_key([7; 32]),
            desk: AgentDesk {
                agent: &AGENT,
                tasks,
                callers,
            },
            now: 0,
            cut: 4096,
        }
    }

    fn at(&self) -> Instant {
        Instant::from_millis(self.now)
    }

    /// Sends a modern request; gives the HTTP status, 0 on lines, and the
    /// answer.
    #[track_caller]
    fn raw(&mut self, who: Principal, caps: &str, method: &str, params: &str) -> (u16, Value) {
        let inner = params
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .expect("an object");
        let comma = if inner.is_empty() { "" } else { "," };
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"{method}","params":{{{inner}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{caps}}}}}}}"#
        );
        match self.way {
            Way::Line => (0, self.line(who, &body)),
            Way::Http => {
                let parsed: Value = serde_json::from_str(params).expect("JSON");
                let name = parsed.get("name").or(parsed.get("taskId"));
                let name = name
                    .and_then(Value::as_str)
                    .map_or(String::new(), |name| format!("Mcp-Name: {name}\r\n"));
                let head = format!("Mcp-Method: {method}\r\n{name}");
                self.post(who, &head, &body)
            }
        }
    }

    fn post(&mut self, who: Principal, head: &str, body: &str) -> (u16, Value) {
        let token = if who == ANN { "ann" } else { "bob" };
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nAuthorization: Bearer {token}\r\n\
             MCP-Protocol-Version: 2026-07-28\r\n{head}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut memory = HttpMemory::<2048, 512>::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK)
            .with_agent("/a2a")
            .with_tasks();
        let mut rest = request.as_bytes();
        let mut all = Vec::new();
        let end = self.now + 60_000;
        loop {
            let taken = http.receive(&rest[..rest.len().min(self.cut)]);
            rest = &rest[taken..];
            let mut out = vec![0; self.cut];
            let now = self.at();
            let n = http.poll_agent(&mut self.server, &mut self.desk, now, &mut out);
            all.extend_from_slice(&out[..n]);
            if taken > 0 || n > 0 {
                continue;
            }
            match http.wake_agent(&self.desk) {
                Some(wake) if all.is_empty() && self.now < end => {
                    self.now = wake.as_millis().max(self.now + 1);
                }
                _ => break,
            }
        }
        let mut all = answers(&all);
        assert_eq!(all.len(), 1, "{all:?}");
        let answer = all.remove(0);
        let json = match answer.status {
            401 => Value::Null,
            _ => answer.json(),
        };
        (answer.status, json)
    }

    fn line(&mut self, who: Principal, body: &str) -> Value {
        let mut memory = LineMemory::<1024, 512, 2, 512>::new();
        let mut line = Line::new(&mut memory);
        let sent = format!("{body}\n");
        let mut rest = sent.as_bytes();
        let mut all = Vec::new();
        let end = self.now + 60_000;
        loop {
            let taken = line.receive(&rest[..rest.len().min(self.cut)]);
            rest = &rest[taken..];
            let mut out = vec![0; self.cut];
            let now = self.at();
            let tasks = &mut self.desk.tasks;
            let n = line.poll_tasks(&mut self.server, tasks, who, now, &mut out);
            all.extend_from_slice(&out[..n]);
            if taken > 0 || n > 0 {
                continue;
            }
            let wake = line.wake().or(self.desk.tasks.wake());
            match wake {
                Some(wake) if all.is_empty() && self.now < end => {
                    self.now = wake.as_millis().max(self.now + 1);
                }
                _ => break,
            }
        }
        let mut all = lines(&all);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// The result of a request of Ann, who can be asked anything.
    #[track_caller]
    fn ann(&mut self, method: &str, params: &str) -> Value {
        let (status, answer) = self.raw(ANN, ALL, method, params);
        assert!(matches!(status, 0 | 200), "{status}: {answer}");
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool that becomes a task; gives its id.
    #[track_caller]
    fn task(&mut self, tool: &str, arguments: &str) -> String {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        let result = self.ann("tools/call", &params);
        assert_eq!(result["resultType"], "task", "{result}");
        let id = result["taskId"].as_str().expect("an id");
        assert_eq!(id.len(), 32);
        id.to_owned()
    }

    #[track_caller]
    fn get(&mut self, id: &str) -> Value {
        self.ann("tasks/get", &format!(r#"{{"taskId":"{id}"}}"#))
    }

    #[track_caller]
    fn update(&mut self, id: &str, responses: &Value) {
        let params = format!(r#"{{"taskId":"{id}","inputResponses":{responses}}}"#);
        let ack = self.ann("tasks/update", &params);
        assert_eq!(ack["resultType"], "complete");
        assert_eq!(ack.as_object().map(|ack| ack.len()), Some(2), "{ack}");
    }

    /// Lets the work of the tasks go on.
    fn pass(&mut self, millis: u64) {
        let end = self.now + millis;
        while self.now < end {
            let now = self.at();
            self.desk.run(&mut self.server, now);
            self.now += 1;
        }
    }

    /// The task as A2A 1.x tells it.
    fn a2a(&mut self, who: Principal, method: &str, params: &str) -> Value {
        let world = agentmote::a2a::Facts {
            caller: Caller {
                principal: who,
                tenant: "",
                known: true,
            },
            version: Some(b"1.0"),
            extensions: 0,
            buf: &[],
            body: &[],
        };
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let facts = agentmote::a2a::Facts {
            buf: body.as_bytes(),
            body: body.as_bytes(),
            ..world
        };
        let mut exchange = agentmote::a2a::Exchange::new();
        let now = self.at();
        let (tasks, app) = (&mut self.desk.tasks, &mut self.server.app);
        exchange.begin(&AGENT, tasks, app, &facts, now);
        for _ in 0..1000 {
            match exchange.poll(&self.desk.tasks, self.at()) {
                agentmote::a2a::Next::Answer(reply) => {
                    let mut room = vec![0; 8192];
                    let mut out = agentmote::buf::Sink::new(&mut room);
                    assert!(reply.write(&mut out, &AGENT, &self.desk.tasks, body.as_bytes()));
                    return serde_json::from_slice(out.kept()).expect("JSON");
                }
                _ => self.pass(10),
            }
        }
        panic!("no answer");
    }
}

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
