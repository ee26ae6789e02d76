//! The client of the core, against a server that others wrote:
//! `client-calls mcp|a2a ORIGIN`.
//!
//! Panics where the server does not do what it is asked, and ends with the
//! line `done: N assertions`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use agentmote::client::{
    AgentCard, Call, CallTool, CancelTask, Content, Endpoint, Get, GetTask, Given, Initialize,
    Initialized, Part, Post, Reply, Response, SendMessage, Sent, State, Task, TaskState,
    ToolResult, Wire, agreed,
};
use agentmote::json::{self, Value};
use agentmote::mcp::Version;

/// What came of a request.
struct Came {
    /// The result as JSON; the code and message of an error.
    reply: Result<String, (i64, String)>,
    session: String,
    /// Whether the connection is kept open.
    kept: bool,
}

/// Calls of one server, counted.
struct Run {
    origin: String,
    id: u32,
    asserted: u32,
    /// Bytes that are read at a time.
    piece: usize,
    /// The connection, while it is kept open.
    stream: Option<TcpStream>,
}

impl Run {
    fn is<T: PartialEq + std::fmt::Debug>(&mut self, got: T, want: T) {
        assert_eq!(got, want);
        self.asserted += 1;
    }

    fn connect(&mut self, endpoint: &Endpoint<'_>) -> TcpStream {
        self.stream.take().unwrap_or_else(|| {
            let stream = TcpStream::connect((endpoint.host(), endpoint.port())).unwrap();
            let wait = Some(Duration::from_secs(20));
            stream.set_read_timeout(wait).unwrap();
            stream
        })
    }

    /// Reads one answer, so many bytes at a time.
    fn answer(&mut self, stream: &mut TcpStream, response: &mut Response<'_>) {
        let mut room = vec![0; self.piece];
        loop {
            let n = stream.read(&mut room).unwrap();
            if n == 0 {
                return response.end().unwrap();
            }
            let mut rest = &room[..n];
            loop {
                let step = response.feed(rest).unwrap();
                rest = &rest[step.used..];
                match step.state {
                    State::Done => return,
                    State::More => break,
                    State::Other => {}
                }
            }
        }
    }

    fn post(&mut self, url: &str, call: &dyn Call) -> Came {
        let origin = self.origin.clone();
        let endpoint = Endpoint::new(url, &[&origin]).unwrap();
        self.id += 1;
        let mut room = [0; 2048];
        let post = Post {
            endpoint: &endpoint,
            headers: &[("User-Agent", b"client-calls")],
            call,
            id: self.id,
        };
        let n = post.write(&mut room).unwrap();
        let mut stream = self.connect(&endpoint);
        stream.write_all(&room[..n]).unwrap();
        let mut room = [0; 4096];
        let mut response = Response::new(&mut room, self.id);
        self.answer(&mut stream, &mut response);
        if response.keeps_open() {
            self.stream = Some(stream);
        }
        let reply = match response.reply().unwrap() {
            Reply::Result(value) => Ok(String::from_utf8(value.raw().to_vec()).unwrap()),
            Reply::Error { code, message, .. } => Err((code, message.to_string())),
            Reply::Nothing => Ok(String::new()),
        };
        Came {
            reply,
            session: response.session().to_owned(),
            kept: response.keeps_open(),
        }
    }

    fn result(&mut self, url: &str, call: &dyn Call) -> String {
        self.post(url, call).reply.unwrap()
    }
}

fn value(text: &str) -> Value<'_> {
    json::parse(text.as_bytes()).unwrap()
}

/// Tools in both eras.
fn mcp(run: &mut Run) {
    let url = format!("{}/mcp", run.origin);
    for piece in [1, 7, 4096] {
        run.piece = piece;
        tools(run, &url, Version::V2026_07_28, "");
        let old = Version::V2025_11_25;
        let open = Initialize {
            version: old,
            name: "client-calls",
            firmware: "1",
        };
        let came = run.post(&url, &open);
        let version = agreed(value(&came.reply.unwrap())).unwrap();
        run.is(version, old);
        run.is(came.session.is_empty(), false);
        let opened = Initialized {
            version,
            session: &came.session,
        };
        let came_then = run.post(&url, &opened);
        run.is(came_then.reply, Ok(String::new()));
        tools(run, &url, version, &came.session);
    }
}

fn tools(run: &mut Run, url: &str, version: Version, session: &str) {
    let call = |name, arguments: &'static str| CallTool {
        version,
        session,
        name,
        arguments: arguments.as_bytes(),
    };
    for (name, arguments, failed, want) in [
        ("add", "{\"a\":20,\"b\":22}", false, "42"),
        ("slow", "{\"steps\":3}", false, "done \u{e9}"),
        ("broken", "", true, "broken"),
    ] {
        let text = run.result(url, &call(name, arguments));
        let result = ToolResult::read(value(&text), version).unwrap();
        run.is(result.is_error, failed);
        let said = result.texts().next().unwrap().unwrap().to_string();
        assert!(said.contains(want), "{said}");
        run.asserted += 1;
    }
    // By an error, or by a result that says so.
    let none = run.post(url, &call("no_such_tool", "")).reply;
    let refused = match &none {
        Ok(text) => ToolResult::read(value(text), version).unwrap().is_error,
        Err(_) => true,
    };
    run.is(refused, true);
}

fn sent(text: &str, wire: Wire) -> (String, TaskState, String) {
    match Sent::read(value(text), wire).unwrap() {
        Sent::Task(task) => (
            task.id.to_string(),
            task.state,
            task.status.text().unwrap_or_default().to_string(),
        ),
        Sent::Message(parts) => (
            String::new(),
            TaskState::Unknown,
            parts.text().unwrap_or_default().to_string(),
        ),
    }
}

/// Messages, tasks and cancellation, on both wires.
fn a2a(run: &mut Run) {
    // The card leads there.
    let origin = run.origin.clone();
    let url = format!("{origin}/.well-known/agent-card.json");
    let endpoint = Endpoint::new(&url, &[&origin]).unwrap();
    let mut room = [0; 4096];
    let get = Get {
        endpoint: &endpoint,
        headers: &[],
    };
    let n = get.write(&mut room).unwrap();
    let mut stream = run.connect(&endpoint);
    stream.write_all(&room[..n]).unwrap();
    let mut response = Response::new(&mut room, 0);
    run.answer(&mut stream, &mut response);
    run.is(response.keeps_open(), true);
    let card = AgentCard::read(response.document().unwrap()).unwrap();
    run.is(card.name.to_string(), "python-agent".to_owned());
    let mut url = [0; 128];
    let found = card.interface(&[&origin], &mut url).unwrap();
    run.is((found.wire, found.endpoint.target), (Wire::V1, "/a2a/"));
    let url = format!("{origin}{}", found.endpoint.target);
    for piece in [1, 7, 4096] {
        run.piece = piece;
        for wire in [Wire::V1, Wire::V03] {
            agent(run, &url, wire);
        }
    }
}

fn agent(run: &mut Run, url: &str, wire: Wire) {
    let ids: Vec<String> = (0..5).map(|n| format!("m-{}-{n}", run.id)).collect();
    let tell = |text| [Part::new(Content::Text(text))];
    let word = tell("word");
    let send = SendMessage::new(wire, &ids[0], &word);
    let (id, _, said) = sent(&run.result(url, &send), wire);
    run.is((&*id, &*said), ("", "no more than a word"));

    let ask = tell("ask");
    let send = SendMessage {
        wait: true,
        ..SendMessage::new(wire, &ids[1], &ask)
    };
    let (id, state, said) = sent(&run.result(url, &send), wire);
    run.is((state, &*said), (TaskState::InputRequired, "which axis?"));
    let axis = tell("axis 3");
    let send = SendMessage {
        task: &id,
        wait: true,
        ..SendMessage::new(wire, &ids[2], &axis)
    };
    let (same, state, _) = sent(&run.result(url, &send), wire);
    run.is((&same, state), (&id, TaskState::Completed));
    let get = |task| GetTask {
        wire,
        tenant: "",
        task,
        history: Some(1),
    };
    let text = run.result(url, &get(&id));
    let task = Task::read(value(&text), wire).unwrap();
    let artifacts: Vec<_> = task.artifacts().map(Result::unwrap).collect();
    let said = artifacts[0].parts.text().map(|text| text.to_string());
    run.is(said, Some("did axis 3".to_owned()));
    let mut bytes = [0; 8];
    let raw = artifacts[1].parts.into_iter().next().unwrap().unwrap();
    run.is(matches!(raw.content, Given::Raw(_)), true);
    run.is(raw.bytes(&mut bytes).unwrap(), &[0, 255, 62]);

    let wait = tell("wait");
    let send = SendMessage::new(wire, &ids[3], &wait);
    let (id, state, _) = sent(&run.result(url, &send), wire);
    run.is(state.is_open(), true);
    let cancel = CancelTask {
        wire,
        tenant: "",
        task: &id,
    };
    let text = run.result(url, &cancel);
    let task = Task::read(value(&text), wire).unwrap();
    run.is(task.state, TaskState::Canceled);
    let came = run.post(url, &get("no-such-task"));
    run.is(came.reply.unwrap_err().0, -32001);
    run.is(came.kept, true);
}

fn main() {
    let mut words = std::env::args().skip(1);
    let (Some(what), Some(origin)) = (words.next(), words.next()) else {
        panic!("usage: client-calls mcp|a2a ORIGIN");
    };
    let mut run = Run {
        origin,
        id: 0,
        asserted: 0,
        piece: 4096,
        stream: None,
    };
    match &*what {
        "mcp" => mcp(&mut run),
        "a2a" => a2a(&mut run),
        _ => panic!("neither mcp nor a2a: {what}"),
    }
    println!("done: {} assertions", run.asserted);
}
