//! Every error of the protocol: its number, its HTTP status, its words. The
//! one place for all three, for every revision.

use super::Version;
use super::request::META_VERSION;
#[cfg(feature = "tasks")]
use super::tasks::{EXTENSION, TaskWish};
use crate::buf::{Sink, Span};
use crate::json::{Error, write};
#[cfg(feature = "policy")]
use crate::policy::{Operation, Why};
use crate::rpc;
use crate::tool::{Capabilities, quote};

/// A header does not say what the body says (M-066).
#[cfg(feature = "http")]
const HEADER_MISMATCH: i32 = -32020;
/// The client has not declared what is needed (M-025).
const MISSING_CAPABILITY: i32 = -32021;
/// No such resource, before 2026-07-28 (M-155).
#[cfg(feature = "resources")]
const RESOURCE_NOT_FOUND: i32 = -32002;
/// The version of the request is not served (M-023).
const UNSUPPORTED_VERSION: i32 = -32022;

/// What is wrong with a message. Spans lie in the buffer of the message;
/// those named `raw` are contents of a JSON string as they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Not JSON.
    Parse(Error),
    /// Longer than the buffer: bytes seen, bytes of room.
    TooLong { bytes: usize, room: usize },
    /// JSON, but no request.
    Invalid(&'static str),
    /// A member of `params` that is missing or of the wrong kind.
    Params(&'static str),
    /// A legacy request before the handshake.
    Unopened,
    /// `params` or `_meta` is no object, or has a member twice.
    Shape(&'static str),
    /// `_meta` lacks what every modern request carries.
    Meta(&'static str),
    /// A revision that is not served; raw.
    Version(Span),
    /// No such method; raw.
    Method(Span),
    /// No such tool; raw.
    Tool(Span),
    /// No such resource; raw.
    #[cfg(feature = "resources")]
    Resource { uri: Span, modern: bool },
    /// No such prompt; raw.
    #[cfg(feature = "prompts")]
    Prompt(Span),
    /// An argument of a prompt, and what is wrong with it.
    #[cfg(feature = "prompts")]
    Argument(&'static str, &'static str),
    /// A cursor that no answer gave.
    Cursor,
    /// A required header that is missing.
    #[cfg(feature = "http")]
    HeaderMissing(&'static str),
    /// A header with bytes or base64 that it must not have.
    #[cfg(feature = "http")]
    HeaderText(&'static str),
    /// A header that says something else than the body; raw body.
    #[cfg(feature = "http")]
    HeaderMismatch {
        header: &'static str,
        says: Span,
        body: Span,
    },
    /// An `Mcp-Param-` header that does not fit the argument.
    #[cfg(feature = "http")]
    ParamHeader { header: &'static str, missing: bool },
    /// The client lacks these.
    Capability(Capabilities),
    /// The client has not declared the extension of tasks (M-162).
    #[cfg(feature = "tasks")]
    NoTasks,
    /// No such task, or not one of the caller's; raw.
    #[cfg(feature = "tasks")]
    Task(Span, TaskWish),
    /// A task needs so many bytes of a record, of which there are so many.
    #[cfg(feature = "tasks")]
    NoRoom { need: usize, room: usize },
    /// As many as this are served already.
    #[cfg(any(feature = "subscriptions", feature = "tasks"))]
    Busy(&'static str, usize),
    /// No such session (M-184).
    #[cfg(all(feature = "http", feature = "sessions"))]
    Session,
    /// A fault of this side.
    Internal(&'static str),
}

impl Fault {
    pub(crate) const fn code(self) -> i32 {
        match self {
            Self::Parse(_) => rpc::PARSE_ERROR,
            Self::TooLong { .. } | Self::Invalid(_) => rpc::INVALID_REQUEST,
            Self::Method(_) => rpc::METHOD_NOT_FOUND,
            Self::Params(_)
            | Self::Unopened
            | Self::Shape(_)
            | Self::Meta(_)
            | Self::Tool(_)
            | Self::Cursor => rpc::INVALID_PARAMS,
            #[cfg(feature = "resources")]
            Self::Resource { modern: false, .. } => RESOURCE_NOT_FOUND,
            #[cfg(feature = "resources")]
            Self::Resource { .. } => rpc::INVALID_PARAMS,
            #[cfg(feature = "prompts")]
            Self::Prompt(_) | Self::Argument(..) => rpc::INVALID_PARAMS,
            Self::Version(_) => UNSUPPORTED_VERSION,
            #[cfg(feature = "http")]
            Self::HeaderMissing(_)
            | Self::HeaderText(_)
            | Self::HeaderMismatch { .. }
            | Self::ParamHeader { .. } => HEADER_MISMATCH,
            Self::Capability(_) => MISSING_CAPABILITY,
            #[cfg(feature = "tasks")]
            Self::NoTasks => MISSING_CAPABILITY,
            #[cfg(feature = "tasks")]
            Self::Task(..) => rpc::INVALID_PARAMS,
            #[cfg(feature = "tasks")]
            Self::NoRoom { .. } => rpc::INTERNAL_ERROR,
            #[cfg(all(feature = "http", feature = "sessions"))]
            Self::Session => rpc::INVALID_REQUEST,
            #[cfg(any(feature = "subscriptions", feature = "tasks"))]
            Self::Busy(..) => rpc::INTERNAL_ERROR,
            Self::Internal(_) => rpc::INTERNAL_ERROR,
        }
    }

    /// What of a policy's events it comes to.
    #[cfg(feature = "policy")]
    pub(crate) const fn audit(self) -> (Operation, Why) {
        match self {
            Self::Tool(_) => (Operation::CallTool, Why::NotThere),
            #[cfg(feature = "resources")]
            Self::Resource { .. } => (Operation::ReadResource, Why::NotThere),
            #[cfg(feature = "prompts")]
            Self::Prompt(_) => (Operation::GetPrompt, Why::NotThere),
            #[cfg(feature = "sessions")]
            Self::Session => (Operation::Request, Why::NotThere),
            #[cfg(any(feature = "subscriptions", feature = "tasks"))]
            Self::Busy(..) => (Operation::Request, Why::State),
            #[cfg(feature = "tasks")]
            Self::Task(_, wish) => (wish.operation(), Why::NotThere),
            #[cfg(feature = "tasks")]
            Self::NoRoom { .. } => (Operation::Request, Why::State),
            Self::Unopened | Self::Internal(_) => (Operation::Request, Why::State),
            _ => (Operation::Request, Why::Message),
        }
    }

    /// The HTTP status of the answer (M-054, M-058, M-059; section S.3).
    #[cfg(feature = "http")]
    pub(crate) const fn status(self, modern: bool) -> u16 {
        match self {
            Self::TooLong { .. } => 413,
            #[cfg(feature = "sessions")]
            Self::Session => 404,
            Self::Parse(_)
            | Self::Invalid(_)
            | Self::Meta(_)
            | Self::Version(_)
            | Self::HeaderMissing(_)
            | Self::HeaderText(_)
            | Self::HeaderMismatch { .. }
            | Self::ParamHeader { .. }
            | Self::Capability(_) => 400,
            #[cfg(feature = "tasks")]
            Self::NoTasks => 400,
            // Nothing in it can be found, `_meta` least of all (M-022).
            Self::Shape(_) if modern => 400,
            // A legacy client takes 404 for the end of its session (M-185).
            Self::Method(_) if modern => 404,
            _ => 200,
        }
    }

    /// Writes the `error` object.
    pub(crate) fn write(self, out: &mut Sink<'_>, buf: &[u8]) {
        out.text("{\"code\":");
        write::i64(out, i64::from(self.code()));
        out.text(",\"message\":\"");
        self.message(out, buf);
        out.byte(b'"');
        self.data(out, buf);
        out.byte(b'}');
    }

    fn message(self, out: &mut Sink<'_>, buf: &[u8]) {
        match self {
            Self::Parse(error) => {
                out.text("Parse error: ");
                out.text(error.reason.text());
                out.text(" at byte ");
                write::u64(out, error.at as u64);
            }
            Self::TooLong { bytes, room } => {
                out.text("Message of ");
                write::u64(out, bytes as u64);
                out.text(" bytes is too long, the limit is ");
                write::u64(out, room as u64);
            }
            Self::Invalid(why) => {
                out.text("Invalid request: ");
                write::escaped(out, why.as_bytes());
            }
            Self::Params(why) | Self::Shape(why) => {
                out.text("Invalid params: ");
                out.text(why);
            }
            Self::Unopened => {
                out.text("Invalid params: send initialize first, or _meta with ");
                out.text(META_VERSION);
            }
            Self::Meta(key) => {
                out.text("Missing or malformed _meta ");
                out.text(key);
            }
            Self::Version(raw) => {
                out.text("Unsupported protocol version: ");
                quote(out, raw.get(buf));
            }
            Self::Method(raw) => {
                out.text("Method not found: ");
                quote(out, raw.get(buf));
            }
            Self::Tool(raw) => {
                out.text("Unknown tool: ");
                quote(out, raw.get(buf));
            }
            #[cfg(feature = "resources")]
            Self::Resource { uri, .. } => {
                out.text("Resource not found: ");
                quote(out, uri.get(buf));
            }
            #[cfg(feature = "prompts")]
            Self::Prompt(raw) => {
                out.text("Unknown prompt: ");
                quote(out, raw.get(buf));
            }
            #[cfg(feature = "prompts")]
            Self::Argument(name, why) => {
                out.text("Invalid params: ");
                out.text(name);
                out.text(why);
            }
            Self::Cursor => out.text("Invalid cursor"),
            #[cfg(feature = "http")]
            Self::HeaderMissing(header) => {
                out.text("Header missing: ");
                out.text(header);
            }
            #[cfg(feature = "http")]
            Self::HeaderText(header) => {
                out.text("Header malformed: ");
                out.text(header);
            }
            #[cfg(feature = "http")]
            Self::HeaderMismatch { header, says, body } => {
                out.text("Header mismatch: ");
                out.text(header);
                out.text(" is '");
                write::escaped(out, says.get(buf));
                out.text("', body says '");
                quote(out, body.get(buf));
                out.byte(b'\'');
            }
            #[cfg(feature = "http")]
            Self::ParamHeader { header, missing } => {
                out.text(if missing {
                    "Header missing: Mcp-Param-"
                } else {
                    "Header mismatch: Mcp-Param-"
                });
                out.text(header);
            }
            #[cfg(feature = "tasks")]
            Self::NoTasks => {
                out.text("The client has not declared the extension ");
                out.text(EXTENSION);
            }
            #[cfg(feature = "tasks")]
            Self::Task(raw, _) => {
                out.text("Unknown task: ");
                quote(out, raw.get(buf));
            }
            #[cfg(feature = "tasks")]
            Self::NoRoom { need, room } => {
                out.text("The task needs ");
                write::u64(out, need as u64);
                out.text(" bytes, a task has room for ");
                write::u64(out, room as u64);
            }
            Self::Capability(_) => out.text("The client lacks a capability that this tool needs"),
            #[cfg(all(feature = "http", feature = "sessions"))]
            Self::Session => out.text("Session not found: send initialize without a session id"),
            #[cfg(any(feature = "subscriptions", feature = "tasks"))]
            Self::Busy(what, most) => {
                out.text("Busy: ");
                write::u64(out, most as u64);
                out.text(what);
                out.text(", which is the limit");
            }
            Self::Internal(why) => {
                out.text("Internal error: ");
                out.text(why);
            }
        }
    }

    fn data(self, out: &mut Sink<'_>, buf: &[u8]) {
        match self {
            // Only what can be asked for in the same way (M-023, M-024).
            Self::Version(raw) => {
                out.text(",\"data\":{\"supported\":[");
                let modern = Version::ALL.into_iter().filter(|v| v.is_modern());
                for (i, version) in modern.enumerate() {
                    if i > 0 {
                        out.byte(b',');
                    }
                    write::name(out, version.text());
                }
                out.text("],\"requested\":\"");
                out.put(raw.get(buf));
                out.text("\"}");
            }
            #[cfg(feature = "resources")]
            Self::Resource { uri, .. } => {
                out.text(",\"data\":{\"uri\":\"");
                out.put(uri.get(buf));
                out.text("\"}");
            }
            #[cfg(feature = "tasks")]
            Self::NoTasks => {
                out.text(",\"data\":{\"requiredCapabilities\":{\"extensions\":{");
                write::name(out, EXTENSION);
                out.text(":{}}}}");
            }
            Self::Capability(missing) => {
                out.text(",\"data\":{\"requiredCapabilities\":{");
                let mut first = true;
                for (needed, name) in [
                    (missing.elicitation, "elicitation"),
                    (missing.sampling, "sampling"),
                    (missing.roots, "roots"),
                ] {
                    if needed {
                        if !first {
                            out.byte(b',');
                        }
                        first = false;
                        write::name(out, name);
                        out.text(":{}");
                    }
                }
                out.text("}}");
            }
            _ => {}
        }
    }
}
