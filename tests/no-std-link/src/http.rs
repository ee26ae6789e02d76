//! `frame::http` and the JSON-RPC envelope: heads, bodies, field values.

use agentmote::buf::Sink;
use agentmote::frame::http::{
    Accept, Authority, Body, BodyLength, BodyState, Chunked, Connection, Content, Cors, Field,
    HeadEnd, HeadState, Method, Parts, Preflight, ResponseHead, accepts, chunk_start, etag_listed,
    host_allowed, host_is_loopback, is_visible_ascii, media_type, origin_allowed,
    origin_is_loopback, parse, reason, token_listed,
};
use agentmote::rpc;

/// Finds and reads a request head.
pub(crate) fn heads(input: &[u8], out: &mut [u8]) -> usize {
    let ([max, cut], input) = crate::pick(input);
    let mut sink = Sink::new(out);
    let mut end = HeadEnd::new(max);
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    for part in [first, second] {
        let idle = end.is_idle();
        let step = end.feed(part);
        if let HeadState::Refused(error) = step.state {
            sink.text(error.text());
            chunk_start(
                &mut sink,
                usize::from(error.status()).wrapping_add(usize::from(idle)),
            );
        }
    }
    match parse(input) {
        Ok(head) => {
            sink.put(head.path(input));
            sink.put(head.query(input).unwrap_or_default());
            sink.put(head.host(input).unwrap_or_default());
            sink.put(head.field(input, Field::Origin).unwrap_or_default());
            sink.put(head.span(Field::Authorization).get(input));
            for value in head.named(input, first) {
                sink.put(value);
            }
            for part in head.parts(input, Field::Accept) {
                sink.put(part);
            }
            let yes = [
                head.path_is(input, "/mcp"),
                head.lists(input, Field::Connection, "close"),
                head.accepts(input, "text/event-stream"),
                head.connection(cut == 0) == Connection::Close,
                head.body.exceeds(max),
                head.method == Method::Post,
                head.is_repeated(Field::Host),
            ];
            let yes = yes.into_iter().filter(|yes| *yes).count();
            sink.text(Field::Host.name());
            let lists = Field::ALL.iter().filter(|known| known.is_list()).count();
            chunk_start(&mut sink, yes.wrapping_add(lists));
        }
        Err(error) => sink.text(error.text()),
    }
    sink.filled()
}

/// Gathers request bodies.
pub(crate) fn bodies(input: &[u8], out: &mut [u8]) -> usize {
    let ([kind, cut], input) = crate::pick(input);
    let length = match kind {
        0 => BodyLength::None,
        1 => BodyLength::Chunked,
        other => BodyLength::Bytes(other),
    };
    let mut filled = 0;
    let mut body = Body::new(length);
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    for part in [first, second] {
        if let BodyState::Refused(error) = body.read(part, out, &mut filled).state {
            return error.text().len().wrapping_add(usize::from(error.status()));
        }
    }
    let mut chunked = Chunked::new();
    let step = chunked.decode(input, out, &mut filled);
    filled.wrapping_add(step.used)
}

/// Reads single field values, and JSON-RPC messages.
pub(crate) fn values(input: &[u8], out: &mut [u8]) -> usize {
    let ([cut], input) = crate::pick(input);
    let mut sink = Sink::new(out);
    let (value, listed) = input.split_at_checked(cut).unwrap_or((input, &[]));
    let listed = core::str::from_utf8(listed).unwrap_or("none");
    let mut accept = Accept::new(listed);
    accept.line(value);
    let yes = [
        accept.allows(),
        accepts(value, listed),
        media_type(value, listed) == media_type(value, "application/json"),
        host_allowed(value, &[listed]),
        host_is_loopback(value),
        origin_allowed(value, &[listed]),
        origin_is_loopback(value),
        is_visible_ascii(value),
        token_listed(value, listed),
        etag_listed(value, listed),
        Authority::parse(value).is_some(),
    ];
    for yes in yes {
        sink.byte(if yes { b'1' } else { b'0' });
    }
    for part in Parts::new(value, b';') {
        sink.put(part);
    }
    let mut members = 0;
    let message = rpc::read(input, |reader| {
        members = reader.position();
        reader.value().map(|_| ())
    });
    match message {
        Ok(Ok(rpc::Message::Request { id, method })) => {
            rpc::open_answer(&mut sink, id);
            sink.put(method.raw());
        }
        Ok(Ok(rpc::Message::Notification { method })) => sink.put(method.raw()),
        Ok(Ok(rpc::Message::Response { id, result })) => {
            sink.put(id.unwrap_or_default());
            sink.put(result.map_or(&[][..], |result| result.raw()));
        }
        Ok(Err(refused)) => rpc::open_answer(&mut sink, refused.id),
        Err(error) => chunk_start(&mut sink, error.at.wrapping_add(members)),
    }
    sink.filled()
}

/// Writes heads of answers.
pub(crate) fn answers(input: &[u8], out: &mut [u8]) -> usize {
    let ([status, content, length], input) = crate::pick(input);
    let mut sink = Sink::new(out);
    let status = u16::try_from(status.saturating_mul(4)).unwrap_or(0);
    sink.text(reason(status));
    let text = core::str::from_utf8(input).unwrap_or("none");
    let head = ResponseHead {
        content_type: Some(text),
        content: match content {
            0 => Content::Length(length),
            1 => Content::Chunked,
            _ => Content::UntilClose,
        },
        connection: Connection::KeepAlive,
        allow: Some(text),
        cors: Some(Cors {
            origin: input,
            expose: text,
            preflight: Some(Preflight {
                methods: text,
                headers: text,
                max_age_s: u32::from(status),
            }),
        }),
        extra: &[(text, input)],
        ..ResponseHead::new(status)
    };
    head.write(&mut sink);
    chunk_start(&mut sink, length);
    sink.filled()
}
