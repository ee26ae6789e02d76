//! Extensions of A2A that answer messages, and pages beside an agent.

use agentmote::a2a::{
    Agent, Card, CardKind, Exchange, Extension, Facts, Next, Page, Section, html,
};
use agentmote::buf::Sink;
use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, Server};
use agentmote::task::{
    Backend, Content, Label, Part, Responder, Step, TaskMemory, TaskRules, Tasks, Told, Work,
};
use agentmote::time::Instant;

use crate::tasks::caller;
use crate::tool::{App, DEVICE};

const URI: &str = "urn:probe:answered";

struct Probe<B> {
    backend: B,
}

impl<B: Backend> Responder for Probe<B> {
    fn uri(&self) -> &str {
        URI
    }

    fn respond(&mut self, work: &mut Work<'_>) -> Step {
        let mut room = [0; 64];
        let mut sink = Sink::new(&mut room);
        sink.put(work.metadata());
        sink.put(work.extension(URI).unwrap_or(&[]));
        if work.lists(URI) {
            sink.byte(b'!');
        }
        let bytes = sink.kept();
        let (task, now) = (work.id(), work.now());
        let text = core::str::from_utf8(bytes).unwrap_or("?");
        if Step::DONE.ends() == bytes.is_empty() {
            return Step::PENDING;
        }
        match bytes.first() {
            Some(b'a') if work.report_json(bytes) => work.failed(),
            Some(b'b') if work.note(bytes) => work.say(text),
            Some(b'c') if self.backend.ask(task, text, bytes, now) => Step::PENDING,
            Some(b'd') => match self.backend.told(task, now) {
                Told::Wait | Told::Failed => Step::PENDING,
                Told::Json(json) => {
                    work.output("told", Part::new(Content::Data(json)));
                    Step::DONE
                }
            },
            _ => {
                let label = Label {
                    metadata: bytes,
                    extension: text,
                    ..Label::new(text)
                };
                work.output_as(label, Part::new(Content::Data(bytes)));
                Step::DONE
            }
        }
    }
}

const PAGES: &[Page<App>] = &[
    Page::card("/a2a/card", CardKind::Old),
    Page::text("/docs", "text/html", |agent, out| {
        let section = Section {
            title: "Title",
            text: "Text",
            example: "",
        };
        agent.write_guide(out, &[section]);
    }),
    Page::text("/docs.json", "application/json", |agent, out| {
        agent.write_description(out, &[("more", "1")]);
        html(out, agent.path());
    }),
];

static AGENT: Agent<App> = {
    let mut agent = Agent::new(Card {
        extensions: &[Extension::new(URI)],
        ..Card::new("probe", "A probe.", "1", "https://probe.local/a2a/")
    });
    agent.answered = &[URI];
    agent.pages = PAGES;
    agent.strict_names = true;
    agent
};

fn tasks(memory: &mut TaskMemory<3, 1024, 0>, spare: usize) -> Tasks<'_> {
    let rules = TaskRules {
        spare: spare as u8,
        ..TaskRules::new(|bytes| bytes.fill(7))
    };
    Tasks::new(memory, rules)
}

/// A message that an extension answers, timed by the input.
pub(crate) fn answered(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, spare, window], body) = crate::pick(input);
    let mut memory = TaskMemory::new();
    let mut tasks = tasks(&mut memory, spare);
    let mut app = App { moved: 0 };
    let mut exchange = Exchange::new();
    let facts = Facts {
        caller: agentmote::a2a::Caller::default(),
        version: None,
        extensions: 0,
        buf: body,
        body,
    };
    let now = Instant::from_millis(now as u64);
    let mut sink = Sink::window(out, window);
    exchange.begin(&AGENT, &mut tasks, &mut app, &facts, now);
    let mut probe = Probe { backend: () };
    for turn in 0..3 {
        tasks.respond(&mut [&mut probe], now.after(turn));
        if let Next::Answer(reply) | Next::Event(reply) | Next::Last(reply) =
            exchange.poll(&tasks, now)
            && !reply.write(&mut sink, &AGENT, &tasks, body)
        {
            return 0;
        }
    }
    AGENT.write_extensions(&mut sink, exchange.extensions());
    sink.text(exchange.extensions_name());
    sink.filled()
}

/// Pages of an HTTP connection.
pub(crate) fn pages(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, spare, room], input) = crate::pick(input);
    let mut server = Server::new(&DEVICE, App { moved: 0 });
    let mut memory = TaskMemory::new();
    let mut desk = AgentDesk {
        agent: &AGENT,
        tasks: tasks(&mut memory, spare),
        callers: caller,
    };
    let mut memory = HttpMemory::<1024, 256>::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK)
        .with_agent("/a2a")
        .with_pages();
    let now = Instant::from_millis(now as u64);
    http.receive(input);
    let place = out.get_mut(..room).unwrap_or_default();
    http.poll_agent(&mut server, &mut desk, now, place)
}
