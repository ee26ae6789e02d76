//! `client`: calls of every kind, and answers of strangers.

use agentmote::buf::Sink;
use agentmote::client::{
    AgentCard, Call, CallTool, CancelTask, Content, Endpoint, Get, GetTask, Given, Initialize,
    Initialized, Part, Parts, Post, Reply, Response, SendMessage, Sent, State, Task, TaskState,
    ToolResult, Wire, agreed, line,
};
use agentmote::frame::http::{Answer, RequestHead, header};
use agentmote::json::{Value, parse};
use agentmote::mcp::Version;

fn wire(choice: usize) -> Wire {
    match choice % 2 {
        0 => Wire::V1,
        _ => Wire::V03,
    }
}

/// Requests of every call.
pub(crate) fn requests(input: &[u8], out: &mut [u8]) -> usize {
    let ([which, cut, number, split], input) = crate::pick(input);
    let (a, b) = input.split_at_checked(split).unwrap_or((input, &[]));
    let text = |bytes| core::str::from_utf8(bytes).unwrap_or("?");
    let (one, two) = (text(a), text(b));
    let wire = wire(number);
    let parts = [
        Part::new(Content::Text(one)),
        Part::new(Content::Data(b)),
        Part {
            media_type: one,
            filename: two,
            ..Part::new(Content::Raw(a))
        },
        Part::new(Content::Url(two)),
    ];
    let send = SendMessage {
        tenant: two,
        context: one,
        task: two,
        metadata: b,
        accepts: &[one],
        history: Some(number as u32),
        wait: cut > 9,
        ..SendMessage::new(wire, one, parts.get(..cut).unwrap_or_default())
    };
    let version = match number {
        0 => Version::V2025_11_25,
        _ => Version::V2026_07_28,
    };
    let (tenant, task) = (one, two);
    let get = GetTask {
        wire,
        tenant,
        task,
        history: None,
    };
    let cancel = CancelTask { wire, tenant, task };
    let tool = CallTool {
        version,
        session: two,
        name: one,
        arguments: b,
    };
    let open = Initialize {
        version,
        name: one,
        firmware: two,
    };
    let opened = Initialized {
        version,
        session: two,
    };
    let calls: [&dyn Call; 6] = [&send, &get, &cancel, &tool, &open, &opened];
    let Some(call) = calls.get(which) else {
        return 0;
    };
    let Ok(endpoint) = Endpoint::new(one, &[two]) else {
        let mut sink = Sink::new(out);
        let _ = call.check().map_err(|wrong| sink.text(wrong.why));
        call.head(&mut sink);
        call.body(number as u32, &mut sink);
        let head = RequestHead {
            method: "GET",
            target: one,
            host: two,
            accept: one,
            content: Some((two, cut)),
            extra: &[(one, b)],
        };
        head.open(&mut sink);
        header(&mut sink, one, b);
        return sink.total() + usize::from(RequestHead::is_header(two));
    };
    let headers = &[(one, b)];
    let id = number as u32;
    let endpoint = &endpoint;
    let written = match cut {
        0 => line(*call, id, out),
        1 => {
            let get = Get { endpoint, headers };
            get.write(out)
        }
        _ => {
            let post = Post {
                endpoint,
                headers,
                call: *call,
                id,
            };
            post.write(out)
        }
    };
    written.unwrap_or(endpoint.host().len()) + usize::from(endpoint.port())
}

/// Answers, cut somewhere, and everything that can be read of them.
pub(crate) fn responses(input: &[u8], out: &mut [u8]) -> usize {
    let ([which, cut, number, room], input) = crate::pick(input);
    let Some((room, out)) = out.split_at_mut_checked(room * 8) else {
        return 0;
    };
    let mut sink = Sink::new(out);
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    if which == 0 {
        let mut answer = match number {
            0 => Answer::new(room),
            _ => Answer::keeping(room, "X"),
        };
        for part in [first, second] {
            if let Err(error) = answer.feed(part) {
                sink.text(error.text());
            }
        }
        let _ = answer.end();
        sink.put(answer.message());
        sink.put(answer.kept());
        sink.byte(answer.media() as u8);
        return sink.total() + usize::from(answer.status()) + usize::from(answer.keeps_open());
    }
    let mut response = Response::new(room, number as u32);
    for part in [first, second] {
        match response.feed(part) {
            Ok(step) if step.state == State::Other => sink.put(response.message()),
            Ok(step) => sink.number(step.used as u64),
            Err(error) => write(&mut sink, &error),
        }
    }
    if let Err(error) = response.end() {
        write(&mut sink, &error);
    }
    sink.text(response.session());
    if response.keeps_open() && response.status() == 200 {
        sink.byte(b'k');
    }
    if let Ok(card) = response.document() {
        let mut place = [0; 64];
        match AgentCard::read(card).and_then(|card| card.interface(&["http://a"], &mut place)) {
            Ok(found) => sink.text(found.tenant),
            Err(wrong) => write(&mut sink, &wrong),
        }
    }
    let reply = match which {
        1 => Reply::read(input, number as u32),
        _ => response.reply(),
    };
    match reply {
        Ok(Reply::Result(value)) => result(value, wire(number), &mut sink),
        Ok(Reply::Error { message, .. }) => write(&mut sink, &message),
        Ok(Reply::Nothing) => {}
        Err(error) => write(&mut sink, &error),
    }
    if let Ok(value) = parse(input) {
        result(value, wire(number), &mut sink);
    }
    sink.total()
}

fn write(sink: &mut Sink<'_>, what: &dyn core::fmt::Display) {
    let _ = core::fmt::Write::write_fmt(sink, format_args!("{what}"));
}

fn result(value: Value<'_>, wire: Wire, sink: &mut Sink<'_>) {
    if let Ok(task) = Task::read(value, wire) {
        for artifact in task.artifacts().flatten() {
            parts(artifact.parts, sink);
        }
        let state: TaskState = task.state;
        sink.byte(u8::from(state.is_open()) + u8::from(state.is_terminal()));
    }
    match Sent::read(value, wire) {
        Ok(Sent::Task(task)) => parts(task.status, sink),
        Ok(Sent::Message(said)) => parts(said, sink),
        Err(wrong) => write(sink, &wrong),
    }
    if let Ok(version) = agreed(value) {
        sink.text(version.text());
    }
    match ToolResult::read(value, Version::V2026_07_28) {
        Ok(result) => {
            for text in result.texts().flatten() {
                write(sink, &text);
            }
        }
        Err(wrong) => write(sink, &wrong),
    }
}

fn parts(parts: Parts<'_>, sink: &mut Sink<'_>) {
    if let Some(text) = parts.text() {
        write(sink, &text);
    }
    for piece in parts {
        match piece.map(|piece| (piece.bytes(&mut [0; 16]).map(<[u8]>::len), piece)) {
            Ok((Ok(len), _)) => sink.number(len as u64),
            Ok((Err(_), piece)) => match piece.content {
                Given::Text(text) | Given::Url(text) | Given::Raw(text) => write(sink, &text),
                Given::Data(value) => sink.put(value.raw()),
                Given::Other => {}
            },
            Err(wrong) => write(sink, &wrong),
        }
    }
}
