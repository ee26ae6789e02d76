//! What comes back: the HTTP answer, and the JSON-RPC message in it.

use core::fmt;

use super::members::{Wrong, member, needed, of_kind, wrong};
use crate::frame::http::{Answer, AnswerError, AnswerState, Media};
use crate::json::{self, Kind, Text, Value};

/// Why an answer is none. Close the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseError {
    /// It cannot be read as an answer of HTTP.
    Http(AnswerError),
    /// An answer without a JSON-RPC message, with this status: a redirect, a
    /// refusal of a proxy. A redirect is not followed.
    Status(u16),
    /// The message is not JSON.
    Json(json::Error),
    /// The message is no answer to the request.
    Answer(Wrong),
}

impl From<AnswerError> for ResponseError {
    fn from(error: AnswerError) -> Self {
        Self::Http(error)
    }
}

impl From<Wrong> for ResponseError {
    fn from(wrong: Wrong) -> Self {
        Self::Answer(wrong)
    }
}

impl core::error::Error for ResponseError {}

impl fmt::Display for ResponseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(error) => out.write_str(error.text()),
            Self::Status(_) => out.write_str("the answer has no message of JSON-RPC"),
            Self::Json(error) => out.write_str(error.reason.text()),
            Self::Answer(wrong) => wrong.fmt(out),
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Bytes of the input that it used.
    pub used: usize,
    /// What to do next.
    pub state: State,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// All input was used, and the answer goes on.
    More,
    /// Another message came before the answer: progress, a log entry.
    /// [`Response::message`] has it until the next step.
    Other,
    /// [`Response::reply`] has the answer.
    Done,
}

/// Reads the answer to one request: JSON, or a stream of events that ends
/// with it.
///
/// Each message must fit the buffer, behind the session's id if the server
/// gives one; so must the head. About 110 bytes of RAM more.
#[derive(Debug)]
pub struct Response<'b> {
    answer: Answer<'b>,
    id: u32,
    /// Its answer stands in the buffer.
    done: bool,
    failed: Option<ResponseError>,
}

impl<'b> Response<'b> {
    /// Waits for the answer to the request of this id.
    pub fn new(buf: &'b mut [u8], id: u32) -> Self {
        Self {
            answer: Answer::keeping(buf, super::SESSION),
            id,
            done: false,
            failed: None,
        }
    }

    /// Takes the next bytes of the connection. After [`State::Done`] it takes
    /// none.
    ///
    /// # Errors
    /// What came cannot be an answer of HTTP, or is an event that is no
    /// message; each later call says the same.
    pub fn feed(&mut self, input: &[u8]) -> Result<Step, ResponseError> {
        let step = match self.failed {
            Some(error) => Err(error),
            None => self.step(input),
        };
        self.failed = step.err();
        step
    }

    fn step(&mut self, input: &[u8]) -> Result<Step, ResponseError> {
        if self.done {
            return Ok(Step {
                used: 0,
                state: State::Done,
            });
        }
        let step = self.answer.feed(input)?;
        let state = match step.state {
            AnswerState::More => State::More,
            AnswerState::Done => {
                self.complete()?;
                State::Done
            }
            AnswerState::Event => {
                let message = json::parse(self.answer.message()).map_err(ResponseError::Json)?;
                // Others go by: of requests and notifications the method
                // tells, of an answer to another request its id.
                self.done = member(message, "method", "method")?.is_none()
                    && is_id(message, self.id)? != Id::Other;
                match self.done {
                    true => State::Done,
                    false => State::Other,
                }
            }
        };
        Ok(Step {
            used: step.used,
            state,
        })
    }

    /// Tells that the peer has closed the connection. The answer may be
    /// complete by that: ask [`reply`](Self::reply).
    ///
    /// # Errors
    /// The answer was not complete.
    pub fn end(&mut self) -> Result<(), ResponseError> {
        if !self.done {
            self.answer.end()?;
            self.complete()?;
        }
        Ok(())
    }

    fn complete(&mut self) -> Result<(), ResponseError> {
        if self.answer.media() == Media::Events {
            return Err(AnswerError::Ended.into());
        }
        self.done = true;
        Ok(())
    }

    /// The HTTP status; 0 before the head is complete.
    pub fn status(&self) -> u16 {
        self.answer.status()
    }

    /// The id of the session that the server has opened, to be sent with each
    /// later request; empty for none (M-184).
    pub fn session(&self) -> &str {
        core::str::from_utf8(self.answer.kept()).unwrap_or_default()
    }

    /// Whether the connection can carry another request.
    pub fn keeps_open(&self) -> bool {
        self.done && self.answer.keeps_open()
    }

    /// The message that stands in the buffer, as it came.
    pub fn message(&self) -> &[u8] {
        self.answer.message()
    }

    /// The answer of a [`Get`](super::Get): its JSON.
    ///
    /// # Errors
    /// Another status than 200, or no JSON.
    pub fn document(&self) -> Result<Value<'_>, ResponseError> {
        if !self.done || self.status() != 200 || self.answer.media() != Media::Json {
            return Err(ResponseError::Status(self.status()));
        }
        json::parse(self.message()).map_err(ResponseError::Json)
    }

    /// The answer of a call.
    ///
    /// # Errors
    /// It is no JSON-RPC answer to this request.
    pub fn reply(&self) -> Result<Reply<'_>, ResponseError> {
        let status = self.status();
        let good = (200..300).contains(&status);
        if let Some(error) = self.failed {
            return Err(error);
        }
        match self.answer.media() {
            _ if !self.done => Err(ResponseError::Http(AnswerError::Ended)),
            Media::Nothing if good => Ok(Reply::Nothing),
            Media::Json | Media::Events => match Reply::read(self.message(), self.id) {
                // Of a refusal by HTTP alone, the status says the most.
                Err(_) | Ok(Reply::Result(_)) if !good => Err(ResponseError::Status(status)),
                reply => reply,
            },
            Media::Nothing | Media::Other => Err(ResponseError::Status(status)),
        }
    }
}

/// The JSON-RPC answer to a request.
#[derive(Clone, Copy, Debug)]
pub enum Reply<'a> {
    /// Its result, an object.
    Result(Value<'a>),
    /// It was refused.
    Error {
        /// The code: of JSON-RPC, of MCP, or of A2A.
        code: i64,
        /// What was wrong, as the peer says it: text from outside.
        message: Text<'a>,
        /// More about it.
        data: Option<Value<'a>>,
    },
    /// It was taken, and has no answer: that to a notification.
    Nothing,
}

impl<'a> Reply<'a> {
    /// Reads one message, which must answer the request of this id; an error
    /// may be without one, if the peer could not read the request.
    ///
    /// # Errors
    /// It is not JSON, or no such answer.
    pub fn read(message: &'a [u8], id: u32) -> Result<Self, ResponseError> {
        let message = json::parse(message).map_err(ResponseError::Json)?;
        super::members::object(message, "answer")?;
        if !needed(message, "jsonrpc", "jsonrpc")?.is("2.0") {
            return Err(wrong("jsonrpc", "is not 2.0").into());
        }
        let result = of_kind(message, "result", "result", Kind::Object)?;
        let error = of_kind(message, "error", "error", Kind::Object)?;
        match (result, error, is_id(message, id)?) {
            (_, _, Id::Other) | (Some(_), _, Id::None) => {
                Err(wrong("id", "is not that of the request").into())
            }
            (Some(result), None, Id::Own) => Ok(Self::Result(result)),
            (None, Some(error), _) => {
                let code = of_kind(error, "code", "error.code", Kind::Number)?
                    .and_then(Value::as_number)
                    .and_then(|code| code.as_i64().ok())
                    .ok_or(wrong("error.code", "is not a whole number"))?;
                let message = of_kind(error, "message", "error.message", Kind::String)?
                    .and_then(Value::as_text)
                    .unwrap_or_default();
                let data = member(error, "data", "error.data")?;
                Ok(Self::Error {
                    code,
                    message,
                    data,
                })
            }
            (Some(_), Some(_), _) => Err(wrong("answer", "has a result and an error").into()),
            (None, None, _) => Err(wrong("answer", "has no result and no error").into()),
        }
    }
}

/// Whose id a message has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Id {
    Own,
    Other,
    /// Null, or none.
    None,
}

fn is_id(message: Value<'_>, id: u32) -> Result<Id, Wrong> {
    Ok(match member(message, "id", "id")? {
        None => Id::None,
        Some(value) => {
            let number = value.as_number().and_then(|number| number.as_i64().ok());
            match number == Some(i64::from(id)) {
                true => Id::Own,
                false => Id::Other,
            }
        }
    })
}
