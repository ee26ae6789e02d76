//! The client's half: the head of a request, and what comes back.

use super::body::{BodyError, BodyState, Chunked};
use super::field::{Field, alike, is_token, trim};
use super::head::{HeadError, Wish, decimal, field_line, next_line};
use super::media::{MediaType, media_type};
use super::response::field;
use crate::buf::{Sink, Span};
use crate::limits;

/// The head of a request of HTTP/1.1.
#[derive(Clone, Copy, Debug)]
pub struct RequestHead<'a> {
    /// The method, a token.
    pub method: &'a str,
    /// The path, with the query if there is one.
    pub target: &'a str,
    /// `Host`: the authority of the URL.
    pub host: &'a str,
    /// `Accept`.
    pub accept: &'a str,
    /// `Content-Type` and `Content-Length`, of a request with a body.
    pub content: Option<(&'a str, usize)>,
    /// More fields, in order.
    pub extra: &'a [(&'a str, &'a [u8])],
}

impl RequestHead<'_> {
    /// Writes the head up to, but without, its empty line: more lines can
    /// follow by [`header`].
    ///
    /// Control characters in a value are written as spaces. Names are written
    /// as they are: ask [`is_header`](Self::is_header) for each first.
    pub fn open(&self, out: &mut Sink<'_>) {
        out.text(self.method);
        out.byte(b' ');
        out.text(self.target);
        out.text(" HTTP/1.1\r\n");
        field(out, "Host", self.host.as_bytes());
        field(out, "Accept", self.accept.as_bytes());
        if let Some((media, length)) = self.content {
            field(out, "Content-Type", media.as_bytes());
            out.text("Content-Length: ");
            out.number(length as u64);
            out.text("\r\n");
        }
        for (name, value) in self.extra {
            field(out, name, value);
        }
    }

    /// Whether a name may stand in [`extra`](Self::extra): a token, and none
    /// of those that say where the message ends and whom it is for.
    pub fn is_header(name: &str) -> bool {
        const OWN: &[&str] = &[
            "Host",
            "Content-Length",
            "Transfer-Encoding",
            "Content-Type",
            "Accept",
            "Connection",
            "Expect",
            "Upgrade",
            "TE",
        ];
        is_token(name.as_bytes()) && !OWN.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Writes one more line of a head.
pub fn header(out: &mut Sink<'_>, name: &str, value: &[u8]) {
    field(out, name, value);
}

/// Why an answer cannot be read. Close the connection: where its next message
/// begins is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// It does not begin with `HTTP/1.1`, or 1.0, and a status.
    StatusLine,
    /// More interim answers than [`limits::HTTP_INTERIM`], or a change to
    /// another protocol that nobody asked for.
    Interim,
    /// The head is longer than the buffer, or malformed.
    Head(HeadError),
    /// A content coding, which nobody asked for.
    Encoding,
    /// Text in another character set than UTF-8.
    Charset,
    /// The body, or one event of it, is longer than the buffer, or malformed.
    Body(BodyError),
    /// The connection was closed before the end.
    Ended,
}

impl AnswerError {
    /// What was wrong, in one sentence without its full stop.
    pub fn text(self) -> &'static str {
        match self {
            Self::StatusLine => "the answer does not begin with a status line of HTTP/1.1",
            Self::Interim => "too many interim answers, or a change of the protocol",
            Self::Head(error) => error.text(),
            Self::Encoding => "the answer has a content coding that was not asked for",
            Self::Charset => "the answer is not in UTF-8",
            Self::Body(error) => error.text(),
            Self::Ended => "the connection was closed before the end of the answer",
        }
    }
}

/// What the body of an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// There is none.
    Nothing,
    /// JSON.
    Json,
    /// A stream of events (`text/event-stream`).
    Events,
    /// Something else. It is not read.
    Other,
}

/// What [`Answer::feed`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerStep {
    /// Bytes of the input that it used.
    pub used: usize,
    /// What to do next.
    pub state: AnswerState,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerState {
    /// All input was used, and the answer goes on.
    More,
    /// [`Answer::message`] is an event; the next [`Answer::feed`] drops it.
    Event,
    /// The answer is complete: [`Answer::message`] is its body. Of a stream of
    /// events, nothing more comes.
    Done,
}

/// Reads one answer into a buffer, however it is cut: its head, then a body of
/// a known length, in chunks, or up to the end of the connection; of a stream
/// of events, one event after the other.
///
/// No redirect is followed: a status of 3xx is a status like any other, and
/// nothing of the head is used but how the body ends, what it is, and the one
/// field that is to be kept.
///
/// Bound: each byte is looked at once while it arrives, and once more when the
/// head is complete. About 100 bytes of RAM, and the buffer, which holds the
/// head, then the longest of the messages.
#[derive(Debug)]
pub struct Answer<'b> {
    buf: &'b mut [u8],
    /// The name of the field whose value is kept, or empty.
    keep: &'static str,
    /// Bytes of that value, at the front of the buffer.
    kept: usize,
    /// Bytes that stand in the buffer.
    filled: usize,
    at: At,
    status: u16,
    media: Media,
    interim: u8,
    /// Whether the peer keeps the connection, once the answer is complete.
    keep_alive: bool,
    framing: Framing,
    line: Line,
    /// The body ends behind the event that stands in the buffer.
    last: bool,
    /// The event has a line of data.
    data: bool,
    /// The last byte was a CR, so that a LF ends no other line.
    cr: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Head,
    Body,
    /// An event stands in the buffer.
    Event,
    Done,
    Refused(AnswerError),
}

#[derive(Debug)]
enum Framing {
    Left(usize),
    Chunked(Chunked),
    UntilClose,
}

/// Where a line of an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// In its name: so many bytes were those of [`DATA`].
    Name(u8),
    /// Behind the colon of `data:`.
    Colon,
    /// In what belongs to the message.
    Data,
    /// In a line of another name, or a comment.
    Other,
}

/// The only field of an event that is read.
const DATA: &[u8] = b"data";

impl<'b> Answer<'b> {
    /// Stands before the first byte of an answer.
    pub fn new(buf: &'b mut [u8]) -> Self {
        Self::keeping(buf, "")
    }

    /// The same; the value of this field of the head is kept, for
    /// [`kept`](Self::kept).
    pub fn keeping(buf: &'b mut [u8], name: &'static str) -> Self {
        Self {
            buf,
            keep: name,
            kept: 0,
            filled: 0,
            at: At::Head,
            status: 0,
            media: Media::Nothing,
            interim: 0,
            keep_alive: false,
            framing: Framing::Left(0),
            line: Line::Name(0),
            last: false,
            data: false,
            cr: false,
        }
    }

    /// The status; 0 before the head is complete.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// What the body is, once the head is complete.
    pub fn media(&self) -> Media {
        self.media
    }

    /// The value of the field that is kept; empty if there is none.
    pub fn kept(&self) -> &[u8] {
        self.buf.get(..self.kept).unwrap_or_default()
    }

    /// The event after [`AnswerState::Event`], or the body after
    /// [`AnswerState::Done`]; empty before.
    pub fn message(&self) -> &[u8] {
        match self.at {
            At::Event | At::Done => self.buf.get(self.kept..self.filled).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Whether the connection can carry another request now.
    pub fn keeps_open(&self) -> bool {
        self.keep_alive && self.at == At::Done
    }

    /// Takes the next bytes of the connection.
    ///
    /// # Errors
    /// What cannot stay; each later call says the same.
    pub fn feed(&mut self, input: &[u8]) -> Result<AnswerStep, AnswerError> {
        if self.at == At::Event {
            self.at = if self.last { At::Done } else { At::Body };
            self.filled = self.kept;
        }
        let mut used = 0usize;
        while let Some(rest @ [byte, ..]) = input.get(used..) {
            let step = match self.at {
                At::Head => self.head_byte(*byte).map(|()| 1),
                At::Body => self.body(rest),
                At::Event | At::Done => break,
                At::Refused(error) => return Err(error),
            };
            match step {
                Ok(step) => used = used.saturating_add(step),
                Err(error) => {
                    self.at = At::Refused(error);
                    return Err(error);
                }
            }
        }
        let state = match self.at {
            At::Event => AnswerState::Event,
            At::Done => AnswerState::Done,
            At::Refused(error) => return Err(error),
            At::Head | At::Body => AnswerState::More,
        };
        Ok(AnswerStep { used, state })
    }

    /// Tells that the peer has closed the connection.
    ///
    /// # Errors
    /// The answer was not complete.
    pub fn end(&mut self) -> Result<(), AnswerError> {
        match (self.at, &self.framing) {
            (At::Done, _) => Ok(()),
            (At::Refused(error), _) => Err(error),
            (At::Body | At::Event, Framing::UntilClose) => {
                self.finish();
                Ok(())
            }
            _ => {
                self.at = At::Refused(AnswerError::Ended);
                Err(AnswerError::Ended)
            }
        }
    }

    fn finish(&mut self) {
        // Of a stream, what was not ended by an empty line is no event.
        if self.media == Media::Events {
            self.filled = self.kept;
        }
        self.at = At::Done;
    }

    fn push(&mut self, bytes: &[u8]) -> bool {
        let room = self
            .buf
            .get_mut(self.filled..)
            .and_then(|room| room.get_mut(..bytes.len()));
        match room {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.filled = self.filled.saturating_add(bytes.len());
                true
            }
            None => false,
        }
    }

    fn head_byte(&mut self, byte: u8) -> Result<(), AnswerError> {
        const START: &[u8] = b"HTTP/1.";
        if START.get(self.filled).is_some_and(|want| *want != byte) {
            return Err(AnswerError::StatusLine);
        }
        if !self.push(&[byte]) {
            return Err(AnswerError::Head(HeadError::HeadLong));
        }
        if byte != b'\n' {
            return Ok(());
        }
        let head = self.buf.get(..self.filled).unwrap_or_default();
        if !head.ends_with(b"\r\n") {
            return Err(AnswerError::Head(HeadError::LineEnd));
        }
        if head.ends_with(b"\r\n\r\n") {
            self.head()?;
        }
        Ok(())
    }

    /// Reads the whole head, and makes the buffer ready for the body.
    fn head(&mut self) -> Result<(), AnswerError> {
        let head = self.buf.get(..self.filled).unwrap_or_default();
        let facts = read_head(head, self.keep)?;
        if (100..200).contains(&facts.status) {
            self.interim = self.interim.saturating_add(1);
            if facts.status == 101 || usize::from(self.interim) > limits::HTTP_INTERIM {
                return Err(AnswerError::Interim);
            }
            self.filled = 0;
            return Ok(());
        }
        let Kept { start, len } = facts.kept;
        // Forwards: the place is before the value, or the value itself.
        for at in 0..len {
            let byte = self.buf.get(start.saturating_add(at)).copied();
            if let (Some(place), Some(byte)) = (self.buf.get_mut(at), byte) {
                *place = byte;
            }
        }
        self.kept = len;
        self.filled = len;
        self.status = facts.status;
        self.media = facts.media;
        self.keep_alive = facts.keep_alive;
        self.framing = facts.framing;
        self.at = At::Body;
        match self.framing {
            Framing::Left(0) => {
                self.media = Media::Nothing;
                self.at = At::Done;
            }
            _ if self.media == Media::Other => {
                // Not read: the next answer stands somewhere behind it.
                self.keep_alive = false;
                self.at = At::Done;
            }
            Framing::Left(left)
                if self.media == Media::Json
                    && left > self.buf.len().saturating_sub(self.filled) =>
            {
                return Err(AnswerError::Body(BodyError::Long));
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes some bytes of the body; gives how many.
    fn body(&mut self, input: &[u8]) -> Result<usize, AnswerError> {
        // Of a stream, a line at most: an event ends with one.
        let input = match self.media {
            Media::Events => {
                let end = input.iter().position(|b| matches!(b, b'\r' | b'\n'));
                let end = end.map_or(input.len(), |end| end.saturating_add(1));
                input.get(..end).unwrap_or(input)
            }
            _ => input,
        };
        let (used, data, state) = match &mut self.framing {
            Framing::Left(left) => {
                let (run, _) = input.split_at_checked(*left).unwrap_or((input, &[]));
                *left = left.saturating_sub(run.len());
                let state = match *left {
                    0 => BodyState::Done,
                    _ => BodyState::More,
                };
                (run.len(), run, state)
            }
            Framing::Chunked(chunked) => chunked.next(input),
            Framing::UntilClose => (input.len(), input, BodyState::More),
        };
        if let BodyState::Refused(error) = state {
            return Err(AnswerError::Body(error));
        }
        let taken = match self.media {
            Media::Events => data.iter().all(|byte| self.event_byte(*byte)),
            _ => self.push(data),
        };
        if !taken {
            return Err(AnswerError::Body(BodyError::Long));
        }
        if state == BodyState::Done && self.at == At::Body {
            self.finish();
        } else if state == BodyState::Done {
            // The end is told when the last event is dropped.
            self.last = true;
        }
        Ok(used)
    }

    /// Takes one byte of a stream of events; gives whether there was room.
    fn event_byte(&mut self, byte: u8) -> bool {
        let after_cr = core::mem::replace(&mut self.cr, byte == b'\r');
        if byte == b'\n' && after_cr {
            return true;
        }
        let ends = matches!(byte, b'\r' | b'\n');
        match (self.line, ends) {
            (Line::Name(0), true) => {
                // An empty line ends the event; one without data is none.
                if self.filled > self.kept {
                    self.at = At::Event;
                }
                self.data = false;
                true
            }
            // `data` without a colon is a line without anything.
            (Line::Name(4) | Line::Colon, true) => {
                self.line = Line::Name(0);
                self.begin_data()
            }
            (_, true) => {
                self.line = Line::Name(0);
                true
            }
            (Line::Name(at), false) => {
                self.line = match DATA.get(usize::from(at)) {
                    Some(want) if *want == byte => Line::Name(at.saturating_add(1)),
                    None if byte == b':' => Line::Colon,
                    _ => Line::Other,
                };
                true
            }
            (Line::Colon, false) => {
                self.line = Line::Data;
                self.begin_data() && (byte == b' ' || self.push(&[byte]))
            }
            (Line::Data, false) => self.push(&[byte]),
            (Line::Other, false) => true,
        }
    }

    /// Lines of data are joined by a line end.
    fn begin_data(&mut self) -> bool {
        let first = !core::mem::replace(&mut self.data, true);
        first || self.push(b"\n")
    }
}

/// What a head says.
struct Facts {
    status: u16,
    media: Media,
    keep_alive: bool,
    framing: Framing,
    kept: Kept,
}

#[derive(Clone, Copy)]
struct Kept {
    start: usize,
    len: usize,
}

/// Reads a whole head, its empty line included.
fn read_head(head: &[u8], keep: &str) -> Result<Facts, AnswerError> {
    let (line, mut rest) = next_line(head).map_err(AnswerError::Head)?;
    let (status, old) = status_line(line).ok_or(AnswerError::StatusLine)?;
    let mut length = None;
    let mut coding = None;
    let mut media = None;
    let mut kept = Kept { start: 0, len: 0 };
    let mut wish = Wish::default();
    for _ in 0..=limits::HTTP_FIELDS {
        let (line, after) = next_line(rest).map_err(AnswerError::Head)?;
        rest = after;
        if line.is_empty() {
            let (media, framing) = body(status, length, coding, media)?;
            return Ok(Facts {
                status,
                media,
                keep_alive: !matches!(framing, Framing::UntilClose)
                    && !wish.close
                    && (!old || wish.keep_alive),
                framing,
                kept,
            });
        }
        let (name, value) = field_line(line).map_err(AnswerError::Head)?;
        let is = |field: &str| alike(name, field.as_bytes());
        let single = if is("Content-Length") {
            Some((&mut length, Field::ContentLength))
        } else if is("Transfer-Encoding") {
            Some((&mut coding, Field::TransferEncoding))
        } else if is("Content-Type") {
            Some((&mut media, Field::ContentType))
        } else {
            None
        };
        if let Some((place, field)) = single {
            if place.replace(value).is_some() {
                return Err(AnswerError::Head(HeadError::Repeated(field)));
            }
        } else if is("Connection") {
            wish.line(value);
        } else if is("Content-Encoding") {
            if !alike(value, b"identity") {
                return Err(AnswerError::Encoding);
            }
        } else if !keep.is_empty() && is(keep) {
            let place = Span::of(head, value);
            kept = Kept {
                start: place.start(),
                len: place.len(),
            };
        }
    }
    Err(AnswerError::Head(HeadError::FieldsMany))
}

/// The status, and whether the version is 1.0.
fn status_line(line: &[u8]) -> Option<(u16, bool)> {
    let (version, rest) = line.split_at_checked(8)?;
    let old = match version {
        b"HTTP/1.1" => false,
        b"HTTP/1.0" => true,
        _ => return None,
    };
    let [
        b' ',
        a @ b'1'..=b'5',
        b @ b'0'..=b'9',
        c @ b'0'..=b'9',
        rest @ ..,
    ] = rest
    else {
        return None;
    };
    if !matches!(rest, [] | [b' ', ..]) {
        return None;
    }
    let digit = |byte: u8| u16::from(byte & 15);
    Some((digit(*a) * 100 + digit(*b) * 10 + digit(*c), old))
}

/// What the body is and how it ends (RFC 9112 section 6.3).
fn body(
    status: u16,
    length: Option<&[u8]>,
    coding: Option<&[u8]>,
    media: Option<&[u8]>,
) -> Result<(Media, Framing), AnswerError> {
    if status < 200 || matches!(status, 204 | 304) {
        return Ok((Media::Nothing, Framing::Left(0)));
    }
    let framing = match (length, coding) {
        (Some(_), Some(_)) => return Err(AnswerError::Head(HeadError::LengthAndCoding)),
        (_, Some(coding)) if alike(coding, b"chunked") => Framing::Chunked(Chunked::new()),
        (_, Some(_)) => return Err(AnswerError::Head(HeadError::Coding)),
        (Some(length), None) => Framing::Left(decimal(length).map_err(AnswerError::Head)?),
        (None, None) => Framing::UntilClose,
    };
    let value = trim(media.unwrap_or_default());
    for (name, media) in [
        ("application/json", Media::Json),
        ("text/event-stream", Media::Events),
        ("application/a2a+json", Media::Json),
    ] {
        match media_type(value, name) {
            MediaType::Wanted => return Ok((media, framing)),
            MediaType::Charset => return Err(AnswerError::Charset),
            MediaType::Other => {}
        }
    }
    Ok((Media::Other, framing))
}
