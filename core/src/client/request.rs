//! What is sent: a call, as an HTTP request or as a line.

use core::fmt;

use super::endpoint::Endpoint;
use super::members::{Wrong, wrong};
use crate::buf::Sink;
use crate::frame::http::{RequestHead, is_visible_ascii};
use crate::json::write;

/// A call of a method: [`SendMessage`](super::SendMessage),
/// [`GetTask`](super::GetTask), [`CancelTask`](super::CancelTask),
/// [`CallTool`](super::CallTool), and what opens a session.
pub trait Call {
    /// Makes sure that it can be sent.
    ///
    /// # Errors
    /// What is wrong with it; then nothing is sent.
    fn check(&self) -> Result<(), Wrong>;

    /// Writes the header lines of its protocol. It is asked only after
    /// [`check`](Self::check).
    fn head(&self, out: &mut Sink<'_>);

    /// Writes its JSON-RPC message, without a line end. It is asked only after
    /// [`check`](Self::check).
    fn body(&self, id: u32, out: &mut Sink<'_>);
}

/// Why a request was not written. Nothing of it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is longer than the buffer.
    Long {
        /// The bytes that it needs.
        needed: usize,
    },
    /// Something in it cannot be sent.
    Wrong(Wrong),
}

impl core::error::Error for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long { .. } => out.write_str("the request is longer than the buffer"),
            Self::Wrong(wrong) => wrong.fmt(out),
        }
    }
}

impl From<Wrong> for Refused {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

/// A call over HTTP.
#[derive(Clone, Copy)]
pub struct Post<'a> {
    /// Where to.
    pub endpoint: &'a Endpoint<'a>,
    /// More header lines, such as `Authorization`. They go to no other origin
    /// than that of the endpoint.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// What is called.
    pub call: &'a dyn Call,
    /// The id of the request: no other that is open on this connection has
    /// it.
    pub id: u32,
}

impl Post<'_> {
    /// Writes the whole request to the start of `room`; gives its length.
    ///
    /// # Errors
    /// [`Refused`]; nothing was written.
    pub fn write(&self, room: &mut [u8]) -> Result<usize, Refused> {
        self.call.check()?;
        check_headers(self.headers)?;
        let mut length = Sink::counter();
        self.call.body(self.id, &mut length);
        let head = RequestHead {
            method: "POST",
            target: self.endpoint.target,
            host: self.endpoint.authority,
            // M-051; A2A answers in JSON.
            accept: "application/json, text/event-stream",
            content: Some(("application/json", length.total())),
            extra: self.headers,
        };
        fill(room, &|out| {
            head.open(out);
            self.call.head(out);
            out.text("\r\n");
            self.call.body(self.id, out);
        })
    }
}

/// A request for a card or another document.
#[derive(Clone, Copy, Debug)]
pub struct Get<'a> {
    /// Where to.
    pub endpoint: &'a Endpoint<'a>,
    /// More header lines, such as `If-None-Match`.
    pub headers: &'a [(&'a str, &'a [u8])],
}

impl Get<'_> {
    /// Writes the whole request to the start of `room`; gives its length.
    ///
    /// # Errors
    /// [`Refused`]; nothing was written.
    pub fn write(&self, room: &mut [u8]) -> Result<usize, Refused> {
        check_headers(self.headers)?;
        let head = RequestHead {
            method: "GET",
            target: self.endpoint.target,
            host: self.endpoint.authority,
            accept: "application/json",
            content: None,
            extra: self.headers,
        };
        fill(room, &|out| {
            head.open(out);
            out.text("\r\n");
        })
    }
}

/// Writes a call as one line, its line end included, to the start of `room`;
/// gives its length.
///
/// # Errors
/// [`Refused`]; nothing was written.
pub fn line(call: &dyn Call, id: u32, room: &mut [u8]) -> Result<usize, Refused> {
    call.check()?;
    fill(room, &|out| {
        call.body(id, out);
        out.byte(b'\n');
    })
}

/// Writes what fits, or nothing.
fn fill(room: &mut [u8], write: &dyn Fn(&mut Sink<'_>)) -> Result<usize, Refused> {
    let mut counter = Sink::counter();
    write(&mut counter);
    let needed = counter.total();
    let Some(room) = room.get_mut(..needed) else {
        return Err(Refused::Long { needed });
    };
    write(&mut Sink::new(room));
    Ok(needed)
}

fn check_headers(headers: &[(&str, &[u8])]) -> Result<(), Wrong> {
    for (name, value) in headers {
        if !RequestHead::is_header(name) {
            return Err(wrong("headers", "have a name that may not stand there"));
        }
        if !is_visible_ascii(value) {
            return Err(wrong("headers", "have a value that is not visible ASCII"));
        }
    }
    Ok(())
}

/// Begins a request of JSON-RPC, up to the value of `params`.
pub(super) fn open(out: &mut Sink<'_>, id: u32, method: &str) {
    out.text("{\"jsonrpc\":\"2.0\",\"id\":");
    out.number(u64::from(id));
    out.text(",\"method\":");
    write::string(out, method);
    out.text(",\"params\":");
}

/// Writes the members of one object: a comma before each but the first.
pub(super) struct Object<'o, 'b> {
    out: &'o mut Sink<'b>,
    first: bool,
}

impl<'o, 'b> Object<'o, 'b> {
    pub(super) fn open(out: &'o mut Sink<'b>) -> Self {
        out.byte(b'{');
        Self { out, first: true }
    }

    /// Begins a member; its value is to be written to what this gives.
    pub(super) fn member(&mut self, name: &str) -> &mut Sink<'b> {
        if !core::mem::replace(&mut self.first, false) {
            self.out.byte(b',');
        }
        write::string(self.out, name);
        self.out.byte(b':');
        self.out
    }

    /// A text, unless it is empty.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            write::string(self.member(name), text);
        }
    }

    /// JSON that was checked, unless it is empty. On one line: its line ends,
    /// which stand between its tokens only, are left out.
    pub(super) fn json(&mut self, name: &str, json: &[u8]) {
        if !json.is_empty() {
            put_json(self.member(name), json);
        }
    }

    pub(super) fn close(self) {
        self.out.byte(b'}');
    }
}

pub(super) fn put_json(out: &mut Sink<'_>, json: &[u8]) {
    for line in json.split(|byte| matches!(byte, b'\n' | b'\r')) {
        out.put(line);
    }
}

/// Makes sure of JSON that the firmware gives: one object, or nothing.
pub(super) fn check_object(json: &[u8], field: &'static str) -> Result<(), Wrong> {
    if json.is_empty() {
        return Ok(());
    }
    match crate::json::parse(json) {
        Ok(value) => super::members::object(value, field).map(|_| ()),
        Err(_) => Err(wrong(field, "is not JSON")),
    }
}
