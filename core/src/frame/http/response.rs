//! The head of an answer, and the frame of its chunks.

use crate::buf::Sink;

/// The head of one answer.
///
/// A final status always tells how its body ends. There is no `Date` field:
/// RFC 9110 section 6.6.1 asks for none from a server without a clock.
#[derive(Clone, Copy, Debug)]
pub struct ResponseHead<'a> {
    /// Status code, 200 to 599.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<&'a str>,
    /// How the body ends. For `HEAD`, what `GET` would have: then send this
    /// head and no body.
    pub content: Content,
    /// What becomes of the connection; see [`super::Head::connection`].
    pub connection: Connection,
    /// `Allow`, which a 405 must have.
    pub allow: Option<&'a str>,
    /// Answer to a page of another origin.
    pub cors: Option<Cors<'a>>,
    /// More fields, in order.
    pub extra: &'a [(&'a str, &'a [u8])],
}

/// How the body of an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// After this many bytes.
    Length(usize),
    /// After [`LAST_CHUNK`]; for peers of HTTP/1.1 only.
    Chunked,
    /// With the connection; [`Connection::Close`] is written whatever is set.
    UntilClose,
}

/// What an answer says about the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Nothing: it stays, as HTTP/1.1 has it.
    Unsaid,
    /// It stays, said to a peer of HTTP/1.0.
    KeepAlive,
    /// It is closed after this answer.
    Close,
}

/// Permission for a page of another origin (CORS).
///
/// Write it only where [`super::origin_allowed`] said yes.
#[derive(Clone, Copy, Debug)]
pub struct Cors<'a> {
    /// The `Origin` of the request, repeated.
    pub origin: &'a [u8],
    /// Header names that the page may read, or empty.
    pub expose: &'a str,
    /// The answer to a preflight `OPTIONS`.
    pub preflight: Option<Preflight<'a>>,
}

/// What a page of another origin may send.
#[derive(Clone, Copy, Debug)]
pub struct Preflight<'a> {
    /// Methods, comma-separated.
    pub methods: &'a str,
    /// Header names, comma-separated.
    pub headers: &'a str,
    /// Seconds for which the page need not ask again.
    pub max_age_s: u32,
}

/// The interim answer to `Expect: 100-continue`, whole.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// What follows the bytes of a chunk.
pub const CHUNK_END: &[u8] = b"\r\n";

/// The end of a chunked body.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

impl<'a> ResponseHead<'a> {
    /// A head with this status and an empty body that keeps the connection.
    pub fn new(status: u16) -> Self {
        Self {
            status,
            content_type: None,
            content: Content::Length(0),
            connection: Connection::Unsaid,
            allow: None,
            cors: None,
            extra: &[],
        }
    }

    /// Writes the head, its final empty line included.
    ///
    /// Control characters in a value are written as spaces, so that no value
    /// can begin a line of its own. 204 and 304 get no length (RFC 9110
    /// sections 15.3.5 and 15.4.5).
    pub fn write(&self, out: &mut Sink<'_>) {
        out.text("HTTP/1.1 ");
        number(out, usize::from(self.status));
        out.byte(b' ');
        out.text(reason(self.status));
        out.text("\r\n");
        if let Some(content_type) = self.content_type {
            field(out, "Content-Type", content_type.as_bytes());
        }
        match self.content {
            _ if matches!(self.status, 204 | 304) => {}
            Content::Length(length) => {
                out.text("Content-Length: ");
                number(out, length);
                out.text("\r\n");
            }
            Content::Chunked => field(out, "Transfer-Encoding", b"chunked"),
            Content::UntilClose => {}
        }
        match (self.connection, self.content) {
            (Connection::Close, _) | (_, Content::UntilClose) => {
                field(out, "Connection", b"close");
            }
            (Connection::KeepAlive, _) => field(out, "Connection", b"keep-alive"),
            (Connection::Unsaid, _) => {}
        }
        if let Some(allow) = self.allow {
            field(out, "Allow", allow.as_bytes());
        }
        if let Some(cors) = &self.cors {
            cors.write(out);
        }
        for (name, value) in self.extra {
            field(out, name, value);
        }
        out.text("\r\n");
    }
}

impl Cors<'_> {
    fn write(&self, out: &mut Sink<'_>) {
        field(out, "Access-Control-Allow-Origin", self.origin);
        field(out, "Vary", b"Origin");
        if !self.expose.is_empty() {
            field(out, "Access-Control-Expose-Headers", self.expose.as_bytes());
        }
        if let Some(preflight) = &self.preflight {
            field(
                out,
                "Access-Control-Allow-Methods",
                preflight.methods.as_bytes(),
            );
            field(
                out,
                "Access-Control-Allow-Headers",
                preflight.headers.as_bytes(),
            );
            out.text("Access-Control-Max-Age: ");
            number(
                out,
                usize::try_from(preflight.max_age_s).unwrap_or(usize::MAX),
            );
            out.text("\r\n");
        }
    }
}

/// Writes what stands before `len` bytes of a chunk; [`CHUNK_END`] follows
/// them. Nothing is written for an empty chunk, which would end the body, so
/// send neither.
pub fn chunk_start(out: &mut Sink<'_>, len: usize) {
    if len == 0 {
        return;
    }
    let mut left = len;
    let mut started = false;
    for _ in 0..usize::BITS / 4 {
        left = left.rotate_left(4);
        let digit = left & 15;
        started |= digit != 0;
        if started {
            out.put(HEX.get(digit..=digit).unwrap_or_default());
        }
    }
    out.text("\r\n");
}

/// The reason phrase of a status, or empty.
pub fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        421 => "Misdirected Request",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

pub(super) fn field(out: &mut Sink<'_>, name: &str, value: &[u8]) {
    out.text(name);
    out.text(": ");
    for &byte in value {
        out.byte(if byte.is_ascii_control() { b' ' } else { byte });
    }
    out.text("\r\n");
}

fn number(out: &mut Sink<'_>, number: usize) {
    out.number(number as u64);
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::{Chunked, HeadError};
    use super::*;
    use crate::frame::http::{BodyError, BodyState};
    use std::string::String;

    fn text(head: &ResponseHead<'_>) -> String {
        let mut counter = Sink::counter();
        head.write(&mut counter);
        let mut room = [0xA5u8; 1024];
        let (room, guard) = room.split_at_mut(counter.total());
        let mut out = Sink::new(room);
        head.write(&mut out);
        assert!(!out.overflowed());
        assert!(guard.iter().all(|&b| b == 0xA5));
        String::from_utf8(out.kept().to_vec()).unwrap()
    }

    #[test]
    fn the_usual_answers() {
        let json = ResponseHead {
            content_type: Some("application/json"),
            content: Content::Length(41),
            ..ResponseHead::new(200)
        };
        assert_eq!(
            text(&json),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 41\r\n\r\n"
        );
        // C-56.
        assert_eq!(
            text(&ResponseHead::new(202)),
            "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
        );
        // M-060.
        let method = ResponseHead {
            allow: Some("POST"),
            ..ResponseHead::new(405)
        };
        assert_eq!(
            text(&method),
            "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nAllow: POST\r\n\r\n"
        );
        let close = ResponseHead {
            connection: Connection::Close,
            extra: &[("Retry-After", b"1"), ("X", b"a\r\nY: b\0\xC3\xA9")],
            ..ResponseHead::new(503)
        };
        assert_eq!(
            text(&close),
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\
             Retry-After: 1\r\nX: a  Y: b \u{e9}\r\n\r\n"
        );
    }

    #[test]
    fn streams_are_chunked_or_end_with_the_connection() {
        let stream = ResponseHead {
            content_type: Some("text/event-stream"),
            content: Content::Chunked,
            extra: &[("Cache-Control", b"no-store")],
            ..ResponseHead::new(200)
        };
        assert_eq!(
            text(&stream),
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
             Transfer-Encoding: chunked\r\nCache-Control: no-store\r\n\r\n"
        );
        let old = ResponseHead {
            content: Content::UntilClose,
            connection: Connection::KeepAlive,
            ..ResponseHead::new(200)
        };
        assert_eq!(text(&old), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        let old = ResponseHead {
            connection: Connection::KeepAlive,
            ..ResponseHead::new(304)
        };
        assert_eq!(
            text(&old),
            "HTTP/1.1 304 Not Modified\r\nConnection: keep-alive\r\n\r\n"
        );
    }

    #[test]
    fn cors_repeats_the_origin() {
        let head = ResponseHead {
            cors: Some(Cors {
                origin: b"http://a.example",
                expose: "",
                preflight: Some(Preflight {
                    methods: "POST",
                    headers: "Content-Type, Authorization",
                    max_age_s: 600,
                }),
            }),
            ..ResponseHead::new(204)
        };
        assert_eq!(
            text(&head),
            "HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: http://a.example\r\n\
             Vary: Origin\r\nAccess-Control-Allow-Methods: POST\r\n\
             Access-Control-Allow-Headers: Content-Type, Authorization\r\n\
             Access-Control-Max-Age: 600\r\n\r\n"
        );
        let head = ResponseHead {
            cors: Some(Cors {
                origin: b"null",
                expose: "X-A",
                preflight: None,
            }),
            ..ResponseHead::new(200)
        };
        assert_eq!(
            text(&head),
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nAccess-Control-Allow-Origin: null\r\n\
             Vary: Origin\r\nAccess-Control-Expose-Headers: X-A\r\n\r\n"
        );
    }

    /// What is written here is what the decoder of this crate reads.
    #[test]
    fn chunks_are_read_back() {
        for len in [1usize, 9, 10, 15, 16, 255, 256, 4096, 0xABCDE] {
            let mut line = [0; 24];
            let mut out = Sink::new(&mut line);
            chunk_start(&mut out, len);
            assert_eq!(out.kept(), std::format!("{len:x}\r\n").as_bytes());
            let stream = [out.kept(), &std::vec![b'x'; len], CHUNK_END, LAST_CHUNK].concat();
            let mut body = std::vec![0; len];
            let mut filled = 0;
            let step = Chunked::new().decode(&stream, &mut body, &mut filled);
            assert_eq!((step.used, step.state), (stream.len(), BodyState::Done));
            assert_eq!(filled, len);
        }
        let mut out = Sink::counter();
        chunk_start(&mut out, 0);
        assert_eq!(out.total(), 0);
        let mut line = [0; 24];
        let mut out = Sink::new(&mut line);
        chunk_start(&mut out, usize::MAX);
        assert_eq!(out.kept(), std::format!("{:x}\r\n", usize::MAX).as_bytes());
    }

    #[test]
    fn every_status_of_this_layer_has_a_reason() {
        let heads = [
            HeadError::Name,
            HeadError::TargetLong,
            HeadError::Expectation,
            HeadError::HeadLong,
            HeadError::Coding,
            HeadError::Version,
        ];
        let bodies = [BodyError::Long, BodyError::ChunkLine, BodyError::Trailer];
        let statuses = heads
            .map(HeadError::status)
            .into_iter()
            .chain(bodies.map(BodyError::status));
        for status in statuses {
            assert_ne!(reason(status), "", "{status}");
        }
        assert_eq!(reason(299), "");
    }
}
