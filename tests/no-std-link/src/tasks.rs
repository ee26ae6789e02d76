//! `task` and `a2a`: requests of both wires, work and its output, answers.

use agentmote::a2a::{
    Agent, Caller, Card, CardKind, Exchange, Extension, Facts, Next, Offer, Scheme, SchemeKind,
    Signature,
};
use agentmote::buf::Sink;
use agentmote::server::{
    AgentDesk, Http, HttpConfig, HttpMemory, Line, LineMemory, Presented, Server,
};
use agentmote::task::{
    Content, Entropy, Journal, Kept, Part, Principal, Random, Record, Runtime, Skill, State, Step,
    TaskId, TaskMemory, TaskRules, Tasks, Work, run_tool,
};
use agentmote::time::Instant;

use crate::tool::{App, DEVICE};

// What the manual says that a task costs beside its log, on every target.
const _: () = assert!(TaskMemory::<1, 512, 0>::TASK_BYTES == 80);

impl Journal for App {
    fn keep(&mut self, id: TaskId, record: &[u8]) -> Kept {
        match (id.as_bytes().first(), record.len() % 3) {
            (Some(0), _) => Kept::No,
            (_, 0) => Kept::NotYet,
            _ => Kept::Yes,
        }
    }
}

impl Runtime for App {
    const SKILLS: &'static [Skill<Self>] = &[
        Skill {
            words: &["tool"],
            input_modes: &["*/*"],
            ..Skill::new(
                "tool",
                "Tool",
                "Runs a tool.",
                &["t"],
                |app, work| match DEVICE.tools().entries().get(work.skill()) {
                    Some(entry) => run_tool(entry, app, work),
                    None => Step::DONE,
                },
            )
        },
        Skill {
            scopes: 1,
            talks: true,
            public: false,
            ..Skill::new("work", "Work", "Does what it is told.", &["t"], work)
        },
    ];
}

/// Everything that a skill may do, as the message says.
fn work(app: &mut App, work: &mut Work<'_>) -> Step {
    app.moved = work.memo();
    work.remember(work.step());
    work.wake_after(work.now().as_millis() as u32);
    let mut room = [0; 64];
    let mut sink = Sink::new(&mut room);
    sink.text(work.text());
    sink.text(work.message_id());
    for byte in work.id().as_bytes() {
        sink.byte(*byte);
    }
    sink.number(work.messages() as u64);
    sink.number(u64::from(work.principal().scopes));
    for part in work.parts() {
        sink.text(part.media_type);
        sink.put(match part.content {
            Content::Text(text) | Content::Url(text) => text.as_bytes(),
            Content::Raw(bytes) | Content::Data(bytes) => bytes,
        });
    }
    let bytes = sink.kept();
    let text = core::str::from_utf8(bytes).unwrap_or("?");
    let part = Part::new(Content::Data(bytes))
        .media_type(text)
        .filename(text)
        .uri(text);
    match bytes.first() {
        _ if work.is_cancelled() => Step::STOPPED,
        Some(b'a') => work.ask(text),
        Some(b'b') => work.ask_leave(text),
        Some(b'c') => work.fail(text),
        Some(b'd') => work.reject(text),
        Some(b'k') => work.say(text),
        Some(b'e') => Step::CANNOT_STOP,
        Some(b'f') => {
            work.report(text);
            Step::PENDING
        }
        Some(b'g') => {
            work.report_with(format_args!("{text}"));
            Step::PENDING
        }
        Some(b'h') if work.append(part, true) => Step::PENDING,
        Some(b'l') => {
            let len = work.draft(text.len(), |sink| sink.text("true"));
            work.with_draft(len, |work, json| {
                work.output("draft", Part::new(Content::Data(json)))
            });
            Step::PENDING
        }
        Some(b'i') if work.output(text, part) => Step::PENDING,
        Some(b'j') if work.json(text, &text) => Step::PENDING,
        _ => {
            work.artifact(text, text);
            Step::DONE
        }
    }
}

const CARD: Card = Card {
    schemes: &[
        Scheme {
            name: "bearer",
            kind: SchemeKind::Bearer,
        },
        Scheme {
            name: "key",
            kind: SchemeKind::ApiKey("X-API-KEY"),
        },
        Scheme {
            name: "oidc",
            kind: SchemeKind::OpenIdConnect("https://probe.local/"),
        },
        Scheme {
            name: "mtls",
            kind: SchemeKind::MutualTls,
        },
    ],
    extensions: &[Extension {
        params: "{}",
        skills: &[Offer {
            id: "offer",
            name: "Offer",
            description: "An offer.",
            tags: &["t"],
            input_modes: &["application/json"],
            output_modes: &["application/json"],
        }],
        ..Extension::new("urn:probe")
    }],
    signatures: &[Signature {
        protected: "e30",
        signature: "e30",
    }],
    ..Card::new("probe", "A probe.", "1", "https://probe.local/a2a/")
};

const AGENT: Agent<App> = Agent::new(CARD);

/// A source of bytes behind an object.
struct Counter;

impl Random for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        if let Some(byte) = bytes.first_mut() {
            *byte = byte.wrapping_add(3);
        }
    }
}

/// Requests of two callers, one after the other, timed by the input.
pub(crate) fn exchanges(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, cut, flags, version, window], input) = crate::pick(input);
    let mut agent = AGENT;
    agent.dedup = flags & 1 != 0;
    agent.media_check = flags & 2 != 0;
    agent.extended_card = flags & 4 != 0;
    agent.merged_card = flags & 8 != 0;
    agent.any_minor = flags & 16 != 0;
    agent.lenient_version = flags & 32 != 0;
    agent.streaming = flags & 64 != 0;
    agent.wait_ms = cut as u32;
    let mut memory = TaskMemory::<3, 1024, 256>::new();
    let mut filled = 0usize;
    let rules = TaskRules::new(|bytes| {
        if let Some(byte) = bytes.first_mut() {
            *byte = byte.wrapping_add(7);
        }
    });
    let mut placed = ([Record::FREE; 2], [0; 1024], [0; 192]);
    let mut tasks = if flags & 128 != 0 {
        let rules = TaskRules {
            entropy: Entropy::Source(&Counter),
            ..rules
        };
        let (records, logs, result) = &mut placed;
        Tasks::over(records, logs, 512, result, rules)
    } else {
        Tasks::new(&mut memory, rules)
    };
    // The table of a device that is described at run time.
    let made = Agent::checked(CARD, App::SKILLS.get(window..).unwrap_or(&[]));
    let skills = match &made {
        Ok(agent) => agent.skills(),
        Err(broken) => {
            filled = filled.wrapping_add(broken.rule.len());
            App::SKILLS
        }
    };
    let mut app = App { moved: 0 };
    let mut exchange = Exchange::new();
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    for (turn, body) in [first, second, first].into_iter().enumerate() {
        let now = Instant::from_millis(now as u64).after(turn as u32);
        tasks.set_clock(cut as u64, now);
        let extensions = agent.extensions([first].into_iter());
        let facts = Facts {
            caller: Caller {
                principal: Principal {
                    id: version as u32,
                    tenant: turn as u32,
                    scopes: flags as u32,
                },
                tenant: "probe",
                known: true,
            },
            version: body.get(..version),
            extensions,
            buf: input,
            body,
        };
        exchange.begin(&agent, &mut tasks, &mut app, &facts, now);
        for _ in 0..4 {
            tasks.run_skills(skills, &mut app, now);
            tasks.run(&mut app, now);
            let reply = match exchange.poll(&tasks, now) {
                Next::Answer(reply) | Next::Event(reply) | Next::Last(reply) => reply,
                Next::Wait | Next::Gone => continue,
            };
            let mut sink = Sink::window(out, window);
            if reply.write(&mut sink, &agent, &tasks, input) {
                filled = filled.wrapping_add(sink.filled());
            }
        }
        let wake = exchange.wake(&tasks).min(tasks.wake());
        if wake.is_none() && !exchange.is_idle() {
            exchange.clear();
        }
    }
    filled.wrapping_add(tasks.count())
}

/// The cards, and what is asked of states and ids.
pub(crate) fn cards(input: &[u8], out: &mut [u8]) -> usize {
    let ([flags, from, number], _) = crate::pick(input);
    let mut agent = AGENT;
    agent.merged_card = flags & 1 != 0;
    agent.streaming = flags & 2 != 0;
    let kind = if flags & 4 != 0 {
        CardKind::Current
    } else {
        CardKind::Old
    };
    let mut sink = Sink::window(out, from);
    agent.write_card(&mut sink, kind);
    agent.write_etag(&mut sink, kind);
    agent.write_extensions(&mut sink, flags as u32);
    let id = TaskId::from_bytes([number as u8; 16]);
    sink.put(id.as_bytes());
    let mut sum = sink.filled().wrapping_add(agent.card().max_age_s as usize);
    if let (Some(state), Some(next)) = (State::ALL.get(number), State::ALL.get(from)) {
        let is = [
            state.is_terminal(),
            state.is_interrupted(),
            state.may_become(*next),
        ];
        sum = sum.wrapping_add(is.into_iter().filter(|is| *is).count());
    }
    sum
}

pub(crate) static AGENT_OF_DESK: Agent<App> = AGENT;

pub(crate) fn caller(credential: Presented<'_>) -> Option<Caller<'static>> {
    match credential {
        Presented::Bearer(b"secret") | Presented::ApiKey(b"secret") => Some(Caller::default()),
        _ => None,
    }
}

/// An HTTP connection with an agent, cut and timed by the input.
pub(crate) fn connection(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, cut, room], input) = crate::pick(input);
    let now = Instant::from_millis(now as u64);
    let mut server = Server::new(&DEVICE, App { moved: 0 });
    let mut tasks = TaskMemory::<2, 512, 256>::new();
    let mut desk = AgentDesk {
        agent: &AGENT_OF_DESK,
        tasks: Tasks::new(&mut tasks, TaskRules::new(|bytes| bytes.fill(7))),
        callers: caller,
    };
    let mut memory = HttpMemory::<1024, 256>::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK)
        .with_agent("/a2a")
        .with_tasks();
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    let mut filled = 0usize;
    for part in [first, second, input] {
        let taken = http.receive(part);
        let place = out.get_mut(filled..filled.saturating_add(room));
        let place = place.unwrap_or_default();
        filled = filled.wrapping_add(http.poll_agent(&mut server, &mut desk, now, place));
        if taken == 0 && http.wake_agent(&desk).is_some() {
            http.hang_up(&mut server, now);
            http.open();
        }
    }
    desk.run(&mut server, now);
    filled
}

/// A line whose calls become tasks, cut and timed by the input.
pub(crate) fn line(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, cut, room], input) = crate::pick(input);
    let now = Instant::from_millis(now as u64);
    let mut server = Server::new(&DEVICE, App { moved: 0 });
    let mut memory = TaskMemory::<2, 512, 256>::new();
    let mut tasks = Tasks::new(&mut memory, TaskRules::new(|bytes| bytes.fill(7)));
    let mut memory = LineMemory::<1024, 256, 1, 256>::new();
    let mut line = Line::new(&mut memory);
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    let mut filled = 0usize;
    for (turn, part) in (0..).zip([first, second, input]) {
        line.receive(part);
        let place = out.get_mut(filled..filled.saturating_add(room));
        let place = place.unwrap_or_default();
        let who = Principal::default();
        let now = now.after(turn);
        let written = line.poll_tasks(&mut server, &mut tasks, who, now, place);
        filled = filled.wrapping_add(written);
        tasks.run_with_tools(App::SKILLS, DEVICE.tools(), &mut server.app, now);
    }
    filled
}
