//! Every error of the protocol: its number, its reason, its words, on each
//! wire. The one place for all of them.

use super::era::Wire;
use crate::buf::Sink;
use crate::json::{Error, write};
#[cfg(feature = "policy")]
use crate::policy::Why;
use crate::rpc;

const TASK_NOT_FOUND: i32 = -32001;
const TASK_NOT_CANCELABLE: i32 = -32002;
const PUSH_NOT_SUPPORTED: i32 = -32003;
const UNSUPPORTED_OPERATION: i32 = -32004;
const CONTENT_TYPE_NOT_SUPPORTED: i32 = -32005;
const EXTENSION_REQUIRED: i32 = -32008;
const VERSION_NOT_SUPPORTED: i32 = -32009;

/// What is wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Not JSON.
    Parse(Error),
    /// JSON, but no request.
    Invalid(&'static str),
    /// No such method on this wire.
    Method,
    /// A member of `params`, and what is wrong with it.
    Params {
        field: &'static str,
        why: &'static str,
    },
    /// A member in the spelling of the other wire.
    Spelling {
        field: &'static str,
        name: &'static str,
    },
    /// A part of the message, its member, and what is wrong with that.
    Part {
        at: u8,
        member: &'static str,
        why: &'static str,
    },
    /// A message that does not fit into the log of a task.
    NoRoom {
        need: usize,
        room: usize,
    },
    /// No place for a new task.
    Full {
        slots: usize,
    },
    /// A fault of this side.
    Internal(&'static str),
    /// No such task, or none of his.
    TaskNotFound,
    NotCancelable(&'static str),
    Push,
    Unsupported(&'static str),
    /// A message to a task that is finished (A-116, V-009).
    Ended,
    ContentType(&'static str),
    ExtensionRequired,
    Version,
}

impl Fault {
    pub(crate) const fn code(self, wire: Wire) -> i32 {
        match self {
            Self::Parse(_) => rpc::PARSE_ERROR,
            Self::Invalid(_) => rpc::INVALID_REQUEST,
            Self::Method => rpc::METHOD_NOT_FOUND,
            Self::Params { .. }
            | Self::Spelling { .. }
            | Self::Part { .. }
            | Self::NoRoom { .. } => rpc::INVALID_PARAMS,
            Self::Full { .. } | Self::Internal(_) => rpc::INTERNAL_ERROR,
            Self::TaskNotFound => TASK_NOT_FOUND,
            Self::NotCancelable(_) => TASK_NOT_CANCELABLE,
            Self::Push => PUSH_NOT_SUPPORTED,
            Self::Unsupported(_) => UNSUPPORTED_OPERATION,
            Self::Ended => match wire {
                Wire::V1 => UNSUPPORTED_OPERATION,
                Wire::V03 => rpc::INVALID_PARAMS,
            },
            Self::ContentType(_) => CONTENT_TYPE_NOT_SUPPORTED,
            // 0.3 has no number for it (V-006).
            Self::ExtensionRequired => match wire {
                Wire::V1 => EXTENSION_REQUIRED,
                Wire::V03 => rpc::INVALID_REQUEST,
            },
            Self::Version => VERSION_NOT_SUPPORTED,
        }
    }

    /// What of a policy's events it comes to.
    #[cfg(feature = "policy")]
    pub(super) fn audit(self) -> Why {
        match self {
            Self::TaskNotFound
            | Self::Params {
                field: "message.metadata.skillId" | "tenant",
                ..
            } => Why::NotThere,
            Self::NoRoom { .. }
            | Self::Full { .. }
            | Self::Internal(_)
            | Self::NotCancelable(_)
            | Self::Unsupported(_)
            | Self::Ended => Why::State,
            _ => Why::Message,
        }
    }

    /// The reason in `ErrorInfo`.
    const fn reason(self) -> Option<&'static str> {
        Some(match self {
            Self::TaskNotFound => "TASK_NOT_FOUND",
            Self::NotCancelable(_) => "TASK_NOT_CANCELABLE",
            Self::Push => "PUSH_NOTIFICATION_NOT_SUPPORTED",
            Self::Unsupported(_) | Self::Ended => "UNSUPPORTED_OPERATION",
            Self::ContentType(_) => "CONTENT_TYPE_NOT_SUPPORTED",
            Self::ExtensionRequired => "EXTENSION_SUPPORT_REQUIRED",
            Self::Version => "VERSION_NOT_SUPPORTED",
            _ => return None,
        })
    }

    /// Writes the `error` object: `code`, `message`, and on 1.x `data`
    /// . Errors that are found before the method is known
    /// have none, on either wire (D-009).
    pub(crate) fn write(self, out: &mut Sink<'_>, wire: Wire) {
        out.text("{\"code\":");
        write::i64(out, i64::from(self.code(wire)));
        out.text(",\"message\":\"");
        self.message(out);
        out.byte(b'"');
        if wire == Wire::V1 {
            self.data(out);
        }
        out.byte(b'}');
    }

    fn message(self, out: &mut Sink<'_>) {
        let (text, why) = match self {
            Self::Parse(error) => {
                out.text("Invalid JSON payload: ");
                out.text(error.reason.text());
                out.text(" at byte ");
                return write::u64(out, error.at as u64);
            }
            Self::Invalid(why) => ("Request payload validation error: ", why),
            Self::Method => ("Method not found", ""),
            Self::Params { .. }
            | Self::Spelling { .. }
            | Self::Part { .. }
            | Self::NoRoom { .. } => {
                out.text("Invalid parameters: ");
                self.field(out);
                out.byte(b' ');
                return self.why(out);
            }
            Self::Full { slots } => {
                out.text("Busy: ");
                write::u64(out, slots as u64);
                return out.text(" tasks are kept, which is the limit; try again later");
            }
            Self::Internal(why) => ("Internal error: ", why),
            Self::TaskNotFound => ("Task not found", ""),
            Self::NotCancelable(why) => ("Task cannot be canceled: ", why),
            Self::Push => ("Push Notification is not supported", ""),
            Self::Unsupported(why) => ("This operation is not supported: ", why),
            Self::Ended => ("This operation is not supported: ", "the task is finished"),
            Self::ContentType(why) => ("Incompatible content types: ", why),
            Self::ExtensionRequired => ("Extension support required", ""),
            Self::Version => ("Version not supported", ""),
        };
        out.text(text);
        write::escaped(out, why.as_bytes());
    }

    /// The path of what is wrong, in names of JSON.
    fn field(self, out: &mut Sink<'_>) {
        match self {
            Self::Params { field, .. } => out.text(field),
            Self::Spelling { field: "", name } => out.text(name),
            Self::Spelling { field, .. } => out.text(field),
            Self::Part { at, member, .. } => {
                out.text("message.parts[");
                write::u64(out, u64::from(at));
                out.byte(b']');
                if !member.is_empty() {
                    out.byte(b'.');
                    out.text(member);
                }
            }
            _ => out.text("message"),
        }
    }

    fn why(self, out: &mut Sink<'_>) {
        match self {
            Self::Params { why, .. } | Self::Part { why, .. } => {
                write::escaped(out, why.as_bytes());
            }
            Self::Spelling { name, .. } => {
                out.text("is spelled in snake case, and its name is ");
                out.text(name);
            }
            Self::NoRoom { need, room } => {
                out.text("needs ");
                write::u64(out, need as u64);
                out.text(" bytes of a task, which has room for ");
                write::u64(out, room as u64);
            }
            _ => {}
        }
    }

    fn data(self, out: &mut Sink<'_>) {
        if let Some(reason) = self.reason() {
            out.text(
                ",\"data\":[{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"",
            );
            out.text(reason);
            out.text("\",\"domain\":\"a2a-protocol.org\"}]");
        } else if self.code(Wire::V1) == rpc::INVALID_PARAMS {
            out.text(
                ",\"data\":[{\"@type\":\"type.googleapis.com/google.rpc.BadRequest\",\
                 \"fieldViolations\":[{\"field\":\"",
            );
            self.field(out);
            out.text("\",\"description\":\"");
            self.why(out);
            out.text("\"}]}]");
        }
    }
}
