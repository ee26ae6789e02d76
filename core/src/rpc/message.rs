//! A message: request, notification, response, or why it is none of them.

use crate::json::{Kind, Text, Value};
use crate::limits::ID_BYTES;

/// A message whose envelope is right.
#[derive(Clone, Copy, Debug)]
pub enum Message<'a> {
    /// It wants an answer.
    Request {
        /// The id as it was written, to be echoed byte for byte (M-004).
        id: &'a [u8],
        /// What to do.
        method: Text<'a>,
        /// With what; of any JSON kind.
        params: Option<Value<'a>>,
    },
    /// It wants none, not even an error (M-011).
    Notification {
        /// What happened.
        method: Text<'a>,
        /// With what; of any JSON kind.
        params: Option<Value<'a>>,
    },
    /// The answer to a request of this side.
    Response,
}

/// Why a JSON text is no message: an error of code
/// [`INVALID_REQUEST`](super::INVALID_REQUEST).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused<'a> {
    /// The id, if one could be read; empty otherwise.
    pub id: &'a [u8],
    /// What is wrong, in a few words.
    pub why: &'static str,
}

/// Reads the envelope of one message (M-002 to M-005). Members that JSON-RPC
/// does not know are ignored; its own must not stand twice.
pub fn read(value: Value<'_>) -> Result<Message<'_>, Refused<'_>> {
    let refuse = |why| Err(Refused { id: &[], why });
    if value.kind() != Kind::Object {
        return refuse("the message is not an object");
    }
    let mut version = None;
    let mut id = None;
    let mut method = None;
    let mut params = None;
    let mut answer = false;
    for (name, value) in value.members() {
        let place = if name.is("jsonrpc") {
            &mut version
        } else if name.is("id") {
            &mut id
        } else if name.is("method") {
            &mut method
        } else if name.is("params") {
            &mut params
        } else {
            answer |= name.is("result") || name.is("error");
            continue;
        };
        if place.replace(value).is_some() {
            return refuse("a member stands twice: jsonrpc, id, method or params");
        }
    }
    let id = match id {
        None => None,
        Some(value) => match id_of(value) {
            Ok(raw) => Some(raw),
            Err(why) => return refuse(why),
        },
    };
    let refuse = |why| {
        Err(Refused {
            id: id.unwrap_or(&[]),
            why,
        })
    };
    match version.and_then(Value::as_text) {
        Some(text) if text.is("2.0") => {}
        _ => return refuse("jsonrpc must be \"2.0\""),
    }
    let method = match method {
        Some(value) => match value.as_text() {
            Some(method) => method,
            None => return refuse("method must be a string"),
        },
        None if answer => return Ok(Message::Response),
        None => return refuse("method is missing"),
    };
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

/// An id is a string or a whole number (M-003).
fn id_of(value: Value<'_>) -> Result<&[u8], &'static str> {
    let raw = value.raw();
    if raw.len() > ID_BYTES {
        return Err("id is longer than 64 bytes");
    }
    let whole = match value.kind() {
        Kind::String => true,
        Kind::Number => {
            !raw.iter().any(|b| matches!(b, b'.' | b'e' | b'E'))
                || value.as_number().is_some_and(|id| id.as_i64().is_ok())
        }
        _ => false,
    };
    if whole {
        Ok(raw)
    } else {
        Err("id must be a string or an integer")
    }
}
