//! A device whose tools become tasks, over HTTP, a line and A2A: what the
//! tests of MCP's tasks extension share.

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
use serde_json::Value;

use crate::peer::{answers, lines};

/// What has been done.
#[derive(Debug, Default)]
pub struct Rig {
    /// Works that have begun.
    pub begun: u32,
    /// Works that were stopped.
    pub stopped: u32,
    /// What the journal says; it keeps records if not set.
    pub journal: Option<Kept>,
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

/// The device.
pub static DEVICE: Device<Rig> = Device::new(
    Identity::new("rig", "1.0"),
    catalog![
        now, turn, weld, sure, pair, begin, blocks, large, model, drill
    ],
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
    if call.is_cancelled() {
        rig.stopped += 1;
        return Poll::Pending;
    }
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

/// Begins, then asks.
#[tool(actuates, asks, task)]
fn drill(rig: &mut Rig, call: &mut Call<'_>) -> Poll<Answer> {
    if call.is_cancelled() {
        rig.stopped += 1;
        return Poll::Pending;
    }
    if call.memo() == 0 {
        rig.begun += 1;
        call.remember(1);
        return Poll::Pending;
    }
    match call.confirm("deeper", "Deeper?") {
        Some(_) => Poll::Ready(call.text("drilled")),
        None => Poll::Pending,
    }
}

/// A caller.
pub const ANN: Principal = Principal {
    id: 1,
    tenant: 1,
    scopes: 0,
};
/// One of another tenant.
pub const BOB: Principal = Principal {
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
pub fn entropy(bytes: &mut [u8]) {
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

/// The agent.
pub static AGENT: Agent<Rig> = Agent::new(Card::new("rig", "A rig.", "1", "http://rig/a2a/"));

/// How a client reaches the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Over HTTP.
    Http,
    /// Over a line.
    Line,
}

/// All ways.
pub const WAYS: [Way; 2] = [Way::Http, Way::Line];

/// A device with a table of tasks.
#[derive(Debug)]
pub struct World {
    way: Way,
    /// What is served.
    pub server: Server<Rig>,
    /// Its agent, and the tasks.
    pub desk: AgentDesk<'static, Rig>,
    /// The virtual clock.
    pub now: u64,
    /// Bytes taken and given at a time.
    pub cut: usize,
}

/// The capabilities of a client that can be asked anything.
pub const ALL: &str = r#"{"elicitation":{},"sampling":{},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
/// Those of one that cannot be asked.
pub const ONLY_TASKS: &str = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

impl World {
    /// A device with four places of 1536 bytes.
    pub fn new(way: Way) -> Self {
        Self::with::<4, 1536, 512>(way)
    }

    /// A device with memory of these sizes.
    pub fn with<const SLOTS: usize, const LOG: usize, const RESULT: usize>(way: Way) -> Self {
        let memory = Box::leak(Box::new(TaskMemory::<SLOTS, LOG, RESULT>::new()));
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

    /// The time.
    pub fn at(&self) -> Instant {
        Instant::from_millis(self.now)
    }

    /// Sends a modern request; gives the HTTP status, 0 on lines, and the
    /// answer.
    #[track_caller]
    pub fn raw(&mut self, who: Principal, caps: &str, method: &str, params: &str) -> (u16, Value) {
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

    /// Sends a POST of MCP; gives the status and the answer.
    pub fn post(&mut self, who: Principal, head: &str, body: &str) -> (u16, Value) {
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

    /// Sends a line; gives the answer.
    pub fn line(&mut self, who: Principal, body: &str) -> Value {
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
    pub fn ann(&mut self, method: &str, params: &str) -> Value {
        let (status, answer) = self.raw(ANN, ALL, method, params);
        assert!(matches!(status, 0 | 200), "{status}: {answer}");
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool that becomes a task; gives its id.
    #[track_caller]
    pub fn task(&mut self, tool: &str, arguments: &str) -> String {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        let result = self.ann("tools/call", &params);
        assert_eq!(result["resultType"], "task", "{result}");
        let id = result["taskId"].as_str().expect("an id");
        assert_eq!(id.len(), 32);
        id.to_owned()
    }

    /// The task of Ann, as MCP tells it.
    #[track_caller]
    pub fn get(&mut self, id: &str) -> Value {
        self.ann("tasks/get", &format!(r#"{{"taskId":"{id}"}}"#))
    }

    /// Answers questions of a task of Ann.
    #[track_caller]
    pub fn update(&mut self, id: &str, responses: &Value) {
        let params = format!(r#"{{"taskId":"{id}","inputResponses":{responses}}}"#);
        let ack = self.ann("tasks/update", &params);
        assert_eq!(ack["resultType"], "complete");
        assert_eq!(ack.as_object().map(|ack| ack.len()), Some(2), "{ack}");
    }

    /// Lets the work of the tasks go on.
    pub fn pass(&mut self, millis: u64) {
        let end = self.now + millis;
        while self.now < end {
            let now = self.at();
            self.desk.run(&mut self.server, now);
            self.now += 1;
        }
    }

    /// The task as A2A 1.x tells it.
    pub fn a2a(&mut self, who: Principal, method: &str, params: &str) -> Value {
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
