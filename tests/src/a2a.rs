//! A client of A2A over the core alone: no connection, a virtual clock, and
//! answers that are written through windows of every size.

use agentmote::a2a::{Agent, Caller, Card, Exchange, Facts, Next, Reply};
use agentmote::buf::Sink;
use agentmote::task::{
    Content, Journal, Kept, Label, Part, Principal, Responder, Runtime, Skill, Step, TaskMemory,
    TaskRules, Tasks, Work,
};
use agentmote::time::Instant;
use serde_json::Value;

/// A runtime whose skills do what a message says.
#[derive(Debug, Default)]
pub struct Script {
    /// Steps of skills so far.
    pub steps: u32,
    /// Tasks that have begun.
    pub begun: u32,
    /// Tasks that were stopped.
    pub stopped: u32,
    /// What the journal says; it keeps records if not set.
    pub journal: Option<Kept>,
}

impl Journal for Script {
    fn keep(&mut self, _: agentmote::task::TaskId, _: &[u8]) -> Kept {
        self.journal.unwrap_or(Kept::Yes)
    }
}

/// Scope of the skill that talks.
pub const CHAT_SCOPE: u32 = 8;

/// Scope of the skill that not everyone may use.
pub const SECRET_SCOPE: u32 = 4;

impl Runtime for Script {
    const SKILLS: &'static [Skill<Self>] = &[
        Skill {
            words: &["calibrate"],
            examples: &["calibrate axis 3"],
            input_modes: &["text/plain", "application/json"],
            output_modes: &["text/plain", "application/json"],
            ..Skill::new(
                "calibrate",
                "Calibrate",
                "Runs the arm calibration.",
                &["arm", "motion"],
                calibrate,
            )
        },
        Skill {
            words: &["home"],
            ..Skill::new("home", "Home", "Moves the arm home.", &["arm"], home)
        },
        Skill {
            words: &["secret"],
            scopes: SECRET_SCOPE,
            public: false,
            ..Skill::new("secret", "Secret", "For some.", &["arm"], home)
        },
        Skill {
            words: &["chat"],
            talks: true,
            listens: true,
            scopes: CHAT_SCOPE,
            public: false,
            ..Skill::new("chat", "Chat", "May answer with a word.", &["test"], script)
        },
        Skill {
            words: &["do"],
            input_modes: &["*/*"],
            ..Skill::new(
                "script",
                "Script",
                "Does what it is told.",
                &["test"],
                script,
            )
        },
    ];
}

/// Asks, works with progress, makes two artifacts, can be stopped.
fn calibrate(app: &mut Script, work: &mut Work<'_>) -> Step {
    app.steps += 1;
    if work.is_cancelled() {
        app.stopped += 1;
        return Step::STOPPED;
    }
    if work.messages() == 1 {
        return work.ask("which axis?");
    }
    match work.memo() {
        0 => {
            app.begun += 1;
            work.report("axis 3: moving");
        }
        1 => {
            work.artifact("log", "axis 3 ok");
        }
        2 => {
            work.append(Part::new(Content::Text("offset 0.4 mm")), true);
        }
        _ => return Step::DONE,
    }
    work.remember(work.memo() + 1);
    work.wake_after(100);
    Step::PENDING
}

/// Takes a second.
fn home(app: &mut Script, work: &mut Work<'_>) -> Step {
    app.steps += 1;
    if work.is_cancelled() {
        app.stopped += 1;
        return Step::STOPPED;
    }
    if work.step() == 0 {
        app.begun += 1;
        work.wake_after(1000);
        return Step::PENDING;
    }
    work.artifact("pose", "the arm is at home");
    Step::DONE
}

/// Does the second word of the text.
fn script(app: &mut Script, work: &mut Work<'_>) -> Step {
    app.steps += 1;
    let what = work.text().split(' ').nth(1).unwrap_or("").to_owned();
    if work.is_cancelled() && !matches!(&*what, "stubborn" | "deaf") {
        app.stopped += 1;
        return Step::STOPPED;
    }
    match &*what {
        "echo" => {
            // Every kind of part, back as it came.
            let parts: Vec<_> = work.parts().collect();
            let mut copies = Vec::new();
            for part in parts {
                copies.push((
                    format!("{:?}", part.content),
                    part.media_type.to_owned(),
                    part.filename.to_owned(),
                ));
            }
            for (content, media, file) in copies {
                work.artifact("part", &format!("{content} {media} {file}"));
            }
            Step::DONE
        }
        "parts" => {
            work.output(
                "file",
                Part::new(Content::Raw(&[0, 255, 62])).media_type("image/x"),
            );
            work.append(
                Part::new(Content::Url("https://h/x")).filename("x.bin"),
                false,
            );
            work.append(Part::new(Content::Data(b"[1,\n2]")), false);
            work.append(Part::new(Content::Text("a\"\n\u{e9}")), true);
            Step::DONE
        }
        "say" => work.say("hello"),
        "late" if work.step() == 0 => Step::PENDING,
        "late" => work.say("too late"),
        "fail" => work.fail("axis 3 did not reach its stop"),
        "reject" => work.reject("not today"),
        "leave" => {
            work.wake_after(5_000);
            work.ask_leave("unlock the arm at the panel")
        }
        "ask" => work.ask("go on?"),
        "stubborn" if work.is_cancelled() => Step::CANNOT_STOP,
        "stubborn" if work.step() > 3 => {
            work.artifact("answer", "done all the same");
            Step::DONE
        }
        "wait" | "deaf" | "stubborn" => {
            work.wake_after(60_000);
            Step::PENDING
        }
        _ => {
            work.artifact("answer", "done");
            Step::DONE
        }
    }
}

/// The extension that [`Echo`] answers for.
pub const ECHO: &str = "urn:example:echo:v1";

/// An extension that does what its metadata says.
#[derive(Debug, Default)]
pub struct Echo {
    /// Steps of answers so far.
    pub steps: u32,
}

impl Responder for Echo {
    fn uri(&self) -> &str {
        ECHO
    }

    fn respond(&mut self, work: &mut Work<'_>) -> Step {
        self.steps += 1;
        let what = work.extension(ECHO).unwrap_or(b"null").to_vec();
        let what = String::from_utf8(what).expect("JSON is UTF-8");
        match &*what {
            "\"say\"" => work.say("heard"),
            "\"wait\"" => {
                work.wake_after(50);
                Step::PENDING
            }
            "\"slow\"" if work.step() < 3 => {
                work.wake_after(10);
                Step::PENDING
            }
            "\"refuse\"" => {
                assert!(work.report_json(br#"{"error":{"code":"refused"}}"#));
                work.failed()
            }
            "\"long\"" => {
                // Neither is a report: the one before it stays.
                work.report("short");
                assert!(!work.report_json(b"[1]"));
                assert!(!work.report_json(format!("{{\"x\":\"{}\"}}", "y".repeat(160)).as_bytes()));
                work.failed()
            }
            "\"metadata\"" => {
                let long = format!("{{\"x\":\"{}\"}}", "y".repeat(1024));
                assert!(!work.note(long.as_bytes()));
                Step::DONE
            }
            _ => {
                let listed = work.lists(ECHO);
                let data = format!("{{\"was\":{what},\"listed\":{listed}}}");
                work.note(br#"{"answered":true}"#);
                let label = Label {
                    metadata: br#"{"a":1}"#,
                    extension: ECHO,
                    ..Label::new("echo")
                };
                work.output_as(label, Part::new(Content::Data(data.as_bytes())));
                Step::DONE
            }
        }
    }
}

/// The card of the tests.
pub const CARD: Card = Card::new(
    "arm-7",
    "Robot arm controller",
    "0.1.0",
    "https://arm-7.example/a2a/",
);

/// An agent and its tasks.
#[derive(Debug)]
pub struct World {
    /// The agent, whose choices a test may change.
    pub agent: Agent<Script>,
    /// Its tasks.
    pub tasks: Tasks<'static>,
    /// Its runtime.
    pub app: Script,
    /// The extension that answers messages, once the agent names it.
    pub echo: Echo,
    /// The virtual time, in milliseconds.
    pub now: u64,
    /// Bytes of the windows that answers are written through.
    pub window: usize,
}

/// What a request came to.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// One JSON text.
    Json(String),
    /// The events of a stream.
    Events(Vec<String>),
    /// Nothing within the time.
    Nothing,
    /// The connection was closed.
    Gone,
}

impl Answer {
    /// The JSON of a single answer.
    ///
    /// # Panics
    /// When it is another.
    #[track_caller]
    pub fn json(&self) -> Value {
        match self {
            Self::Json(text) => serde_json::from_str(text).expect("an answer is JSON"),
            other => panic!("not one answer: {other:?}"),
        }
    }

    /// The `result` of each event.
    ///
    /// # Panics
    /// When it is no stream of results.
    #[track_caller]
    pub fn results(&self) -> Vec<Value> {
        match self {
            Self::Events(events) => events
                .iter()
                .map(|text| {
                    assert!(!text.contains(['\n', '\r']), "an event is one line: {text}");
                    let event: Value = serde_json::from_str(text).expect("an event is JSON");
                    event["result"].clone()
                })
                .collect(),
            other => panic!("no stream: {other:?}"),
        }
    }
}

/// A caller who is known by a number.
pub const fn caller(id: u32, tenant: u32, scopes: u32) -> Caller<'static> {
    Caller {
        principal: Principal { id, tenant, scopes },
        tenant: "",
        known: true,
    }
}

/// The caller of most tests.
pub const ANN: Caller<'static> = caller(1, 1, 0);

/// Random bytes that are the same in each run, and never the same twice.
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

impl World {
    /// An agent with room for this many tasks of 2 KiB each.
    pub fn new<const SLOTS: usize>() -> Self {
        // For the time of the test.
        let memory = Box::leak(Box::new(TaskMemory::<SLOTS, 2048, 512>::new()));
        Self {
            agent: Agent::new(CARD),
            tasks: Tasks::new(memory, TaskRules::new(entropy)),
            app: Script::default(),
            echo: Echo::default(),
            now: 0,
            window: 64,
        }
    }

    /// The same with an extension that answers, which has this many of the
    /// places.
    pub fn with_echo<const SLOTS: usize>(spare: u8) -> Self {
        let memory = Box::leak(Box::new(TaskMemory::<SLOTS, 2048, 0>::new()));
        let rules = TaskRules {
            spare,
            ..TaskRules::new(entropy)
        };
        let mut world = Self::new::<1>();
        world.tasks = Tasks::new(memory, rules);
        world.agent.answered = &[ECHO];
        world
    }

    /// Sends a request of 1.x as Ann, and waits at most a virtual hour.
    pub fn v1(&mut self, body: &str) -> Answer {
        self.send(ANN, Some("1.0"), body, 3_600_000)
    }

    /// Sends a request of 0.3 as Ann.
    pub fn v03(&mut self, body: &str) -> Answer {
        self.send(ANN, None, body, 3_600_000)
    }

    /// Calls a method of 1.x as Ann; gives the whole response.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: &str) -> Value {
        self.call_as(ANN, method, params)
    }

    /// Calls a method of 1.x, or of 0.3 if it has a slash.
    #[track_caller]
    pub fn call_as(&mut self, caller: Caller<'_>, method: &str, params: &str) -> Value {
        let version = (!method.contains('/')).then_some("1.0");
        let body = request(method, params);
        self.send(caller, version, &body, 3_600_000).json()
    }

    /// Sends a request, and waits at most so many virtual milliseconds.
    pub fn send(
        &mut self,
        caller: Caller<'_>,
        version: Option<&str>,
        body: &str,
        most: u64,
    ) -> Answer {
        let facts = Facts {
            caller,
            version: version.map(str::as_bytes),
            extensions: 0,
            buf: body.as_bytes(),
            body: body.as_bytes(),
        };
        self.serve(&facts, most)
    }

    /// Serves a request.
    pub fn serve(&mut self, facts: &Facts<'_>, most: u64) -> Answer {
        let mut exchange = Exchange::new();
        let now = Instant::from_millis(self.now);
        exchange.begin(&self.agent, &mut self.tasks, &mut self.app, facts, now);
        let end = self.now + most;
        let mut events = Vec::new();
        let mut stepped = false;
        loop {
            let now = Instant::from_millis(self.now);
            match exchange.poll(&self.tasks, now) {
                Next::Answer(reply) => {
                    assert!(exchange.is_idle() && events.is_empty());
                    return Answer::Json(self.write(&reply, facts.buf));
                }
                Next::Event(reply) => events.push(self.write(&reply, facts.buf)),
                Next::Last(reply) => {
                    events.push(self.write(&reply, facts.buf));
                    return Answer::Events(events);
                }
                Next::Gone => return Answer::Gone,
                Next::Wait if !stepped => {
                    self.tasks
                        .run_skills(self.agent.skills(), &mut self.app, now);
                    self.tasks.respond(&mut [&mut self.echo], now);
                    stepped = true;
                }
                Next::Wait => {
                    stepped = false;
                    let wake = exchange.wake(&self.tasks).map_or(end, Instant::as_millis);
                    self.now = wake.max(self.now + 1).min(end);
                    if self.now == end {
                        return match events.is_empty() {
                            true => Answer::Nothing,
                            false => Answer::Events(events),
                        };
                    }
                }
            }
        }
    }

    /// Lets the time pass, in steps of at most `step` milliseconds.
    pub fn pass(&mut self, millis: u64) {
        let end = self.now + millis;
        while self.now < end {
            let now = Instant::from_millis(self.now);
            self.tasks
                .run_skills(self.agent.skills(), &mut self.app, now);
            self.tasks.respond(&mut [&mut self.echo], now);
            let wake = self.tasks.wake().map_or(end, Instant::as_millis);
            self.now = wake.max(self.now + 1).min(end);
        }
    }

    /// Writes a reply through windows, and makes sure that a window of
    /// another size gives the same bytes.
    pub fn write(&self, reply: &Reply, buf: &[u8]) -> String {
        let mut counter = Sink::counter();
        assert!(reply.write(&mut counter, &self.agent, &self.tasks, buf));
        let mut room = vec![0xA5; self.window];
        let mut text = Vec::new();
        loop {
            let mut sink = Sink::window(&mut room, text.len());
            assert!(reply.write(&mut sink, &self.agent, &self.tasks, buf));
            let more = sink.overflowed();
            text.extend_from_slice(sink.kept());
            if !more {
                break;
            }
        }
        assert_eq!(text.len(), counter.total());
        String::from_utf8(text).expect("an answer is UTF-8")
    }
}

/// A request with the id 1.
pub fn request(method: &str, params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}")
}

/// The parameters of a message of 1.x with one text.
pub fn message(id: &str, text: &str) -> String {
    format!(
        "{{\"message\":{{\"messageId\":\"{id}\",\"role\":\"ROLE_USER\",\
         \"parts\":[{{\"text\":\"{text}\"}}]}}}}"
    )
}

/// The same, answered at once.
pub fn at_once(id: &str, text: &str) -> String {
    let message = message(id, text);
    let inner = &message[..message.len() - 1];
    format!("{inner},\"configuration\":{{\"returnImmediately\":true}}}}")
}

/// The same of 0.3.
pub fn old_message(id: &str, text: &str) -> String {
    format!(
        "{{\"message\":{{\"kind\":\"message\",\"messageId\":\"{id}\",\"role\":\"user\",\
         \"parts\":[{{\"kind\":\"text\",\"text\":\"{text}\"}}]}}}}"
    )
}
