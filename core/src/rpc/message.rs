//! A message: request, notification, response, or why it is none of them.

use crate::json::{Error, Kind, Reader, Reason, Text, Value};
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
    },
    /// It wants none, not even an error (M-011).
    Notification {
        /// What happened.
        method: Text<'a>,
    },
    /// The answer to a request of this side.
    Response {
        /// The id of that request, if one could be read.
        id: Option<&'a [u8]>,
        /// Its result; `None` for an error.
        result: Option<Value<'a>>,
    },
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

/// Reads one message (M-002 to M-005) in one pass. Members that JSON-RPC does
/// not know are ignored; its own must not stand twice.
///
/// `params` reads the value of that name, whatever it is: the members of a
/// protocol are that protocol's. What it read must not be acted on unless
/// this gives a [`Message`].
///
/// # Errors
/// Where the text stops being JSON, and why.
pub fn read<'a>(
    text: &'a [u8],
    mut params: impl FnMut(&mut Reader<'a>) -> Result<(), Reason>,
) -> Result<Result<Message<'a>, Refused<'a>>, Error> {
    let mut reader = Reader::new(text);
    let mut parts = Parts::default();
    match parts.read(&mut reader, &mut params) {
        Ok(()) => Ok(parts.message()),
        Err(reason) => Err(Error {
            at: reader.position(),
            reason,
        }),
    }
}

/// Like [`read`], for a protocol without notifications: an `id` that is
/// `null` is one that is missing.
///
/// # Errors
/// As [`read`].
#[cfg(feature = "a2a")]
pub(crate) fn read_answered<'a>(
    text: &'a [u8],
    mut params: impl FnMut(&mut Reader<'a>) -> Result<(), Reason>,
) -> Result<Result<Message<'a>, Refused<'a>>, Error> {
    let mut reader = Reader::new(text);
    let mut parts = Parts {
        null: true,
        ..Parts::default()
    };
    match parts.read(&mut reader, &mut params) {
        Ok(()) => Ok(parts.message()),
        Err(reason) => Err(Error {
            at: reader.position(),
            reason,
        }),
    }
}

#[derive(Default)]
struct Parts<'a> {
    version: Option<Value<'a>>,
    id: Option<Value<'a>>,
    method: Option<Value<'a>>,
    params: bool,
    result: Option<Value<'a>>,
    /// An `error` is there.
    error: bool,
    /// A member stands twice.
    twice: bool,
    /// The text is no object.
    other: bool,
    /// An `id` may be `null`.
    #[cfg(feature = "a2a")]
    null: bool,
}

impl<'a> Parts<'a> {
    fn read(
        &mut self,
        reader: &mut Reader<'a>,
        params: &mut impl FnMut(&mut Reader<'a>) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        if reader.first() != Some(b'{') {
            self.other = true;
            reader.value()?;
            return reader.end();
        }
        reader.open()?;
        while let Some(name) = reader.name()? {
            let place = if name.is("jsonrpc") {
                &mut self.version
            } else if name.is("id") {
                &mut self.id
            } else if name.is("method") {
                &mut self.method
            } else if name.is("params") {
                params(reader)?;
                self.twice |= self.params;
                self.params = true;
                continue;
            } else if name.is("result") {
                &mut self.result
            } else {
                self.error |= name.is("error");
                continue;
            };
            self.twice |= place.replace(reader.value()?).is_some();
        }
        reader.end()
    }

    fn message(self) -> Result<Message<'a>, Refused<'a>> {
        let refuse = |why| Err(Refused { id: &[], why });
        if self.other {
            return refuse("the message is not an object");
        }
        if self.twice {
            return refuse("a member stands twice: jsonrpc, id, method, params or result");
        }
        let id = match self.id {
            None => None,
            #[cfg(feature = "a2a")]
            Some(value) if self.null && value.is_null() => None,
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
        match self.version.and_then(Value::as_text) {
            Some(text) if text.is("2.0") => {}
            _ => return refuse("jsonrpc must be \"2.0\""),
        }
        let method = match self.method {
            Some(value) => match value.as_text() {
                Some(method) => method,
                None => return refuse("method must be a string"),
            },
            None if self.error || self.result.is_some() => {
                return Ok(Message::Response {
                    id,
                    // Both is no answer to rely on (M-006).
                    result: self.result.filter(|_| !self.error),
                });
            }
            None => return refuse("method is missing"),
        };
        Ok(match id {
            Some(id) => Message::Request { id, method },
            None => Message::Notification { method },
        })
    }
}

/// An id is a string or a whole number (M-003), given as it was written.
///
/// # Errors
/// What it is instead, in a few words.
pub fn id_of(value: Value<'_>) -> Result<&[u8], &'static str> {
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
