//! The tasks extension: a record of a task as `tasks/get` tells it (M-160 to
//! M-162).

use super::device::Device;
use super::input::write_question;
use super::reply::write_meta;
use super::tools;
use crate::buf::{Sink, Span};
use crate::json::{Kind, Value, write};
#[cfg(feature = "policy")]
use crate::policy::Operation;
use crate::rpc;
use crate::task::{
    Content, Part, State, Status, Task, TaskId, Tasks, What, asked, entries, is_answered, stamp,
    write_name,
};
use crate::tool::Piece;

/// The name of the extension.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// How long a client should wait before it asks again, in milliseconds.
const POLL_MS: u32 = 500;

/// What a client wants of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskPlan {
    /// The id of the request, as it was written.
    pub id: Span,
    /// The id of the task, raw.
    pub task: Span,
    pub what: TaskWish,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskWish {
    /// `tasks/get`
    Get,
    /// `tasks/update`, with these responses.
    Update(Span),
    /// `tasks/cancel`
    Cancel,
}

#[cfg(feature = "policy")]
impl TaskWish {
    /// What a policy calls it.
    pub(crate) const fn operation(self) -> Operation {
        match self {
            Self::Get => Operation::GetTask,
            Self::Update(_) => Operation::SendMessage,
            Self::Cancel => Operation::CancelTask,
        }
    }
}

/// A task that is told: as it stood when `until` was the newest entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskReply {
    /// The id of the request, as it was written.
    pub id: Span,
    pub task: Task,
    pub until: u64,
    /// Whether it is the answer to the call that has become the task.
    pub created: bool,
}

/// Where a task stands, in the words of the extension. A tool that failed has
/// a result, which says so; `failed` is for a device that failed.
fn status_name(status: &Status<'_>) -> &'static str {
    match status.state {
        // There is no leave to wait for here: the message says what is needed.
        State::Submitted | State::Working | State::AuthRequired => "working",
        State::InputRequired => "input_required",
        State::Failed if status.fault => "failed",
        State::Completed | State::Failed | State::Rejected => "completed",
        State::Canceled => "cancelled",
    }
}

/// Writes the answer that tells a task. `message` is the buffer of the
/// request. Whether the task is still there.
pub(crate) fn write_task<App>(
    out: &mut Sink<'_>,
    device: &Device<App>,
    reply: TaskReply,
    tasks: &Tasks<'_>,
    message: &[u8],
) -> bool {
    let (Some(log), Some(id)) = (tasks.log(reply.task), tasks.id(reply.task)) else {
        return false;
    };
    let mut all = entries(log, reply.until).filter_map(|entry| match entry.what {
        What::Status(status) => Some(status),
        _ => None,
    });
    let Some(first) = all.next() else {
        return false;
    };
    let last = all.last().unwrap_or(first);
    rpc::open_answer(out, reply.id.get(message));
    out.text(if reply.created {
        ",\"result\":{\"resultType\":\"task\",\"taskId\":\""
    } else {
        ",\"result\":{\"resultType\":\"complete\",\"taskId\":\""
    });
    id.write(out);
    out.text("\",\"status\":");
    write::name(out, status_name(&last));
    if !last.text.is_empty() {
        out.text(",\"statusMessage\":");
        write::string(out, last.text);
    }
    // They are required: a device that does not know the time says 1970.
    out.text(",\"createdAt\":\"");
    stamp::write(out, first.unix_millis);
    out.text("\",\"lastUpdatedAt\":\"");
    stamp::write(out, last.unix_millis);
    out.text("\",\"ttlMs\":");
    if last.state.is_terminal() {
        let lived = last.unix_millis.saturating_sub(first.unix_millis);
        let kept = u64::from(tasks.retention_ms()).max(1);
        write::u64(out, lived.saturating_add(kept));
    } else {
        // It is not dropped before it has ended.
        out.text("null");
    }
    out.text(",\"pollIntervalMs\":");
    write::u64(out, u64::from(POLL_MS));
    if !reply.created {
        write_detail(out, log, reply.until, id, &last);
    }
    write_meta(out, device);
    out.text("}}");
    true
}

/// Writes what a state has beside the members that every task has.
fn write_detail(out: &mut Sink<'_>, log: &[u8], until: u64, id: TaskId, last: &Status<'_>) {
    match last.state {
        State::InputRequired => {
            out.text(",\"inputRequests\":{");
            if let Some((number, questions)) = asked(log, until) {
                let open = questions.filter(|one| !is_answered(log, until, number, one.key));
                for (at, question) in open.enumerate() {
                    out.text(if at > 0 { ",\"" } else { "\"" });
                    write_name(out, question.key, number);
                    out.text("\":{");
                    write_question(out, &question);
                    out.byte(b'}');
                }
            }
            out.byte(b'}');
        }
        State::Failed if last.fault => {
            out.text(",\"error\":{\"code\":");
            write::i64(out, i64::from(rpc::INTERNAL_ERROR));
            out.text(",\"message\":\"Internal error: ");
            write::escaped(out, last.text.as_bytes());
            out.text("\"}");
        }
        State::Failed | State::Rejected => {
            out.text(",\"result\":{\"resultType\":\"complete\",\"content\":[");
            tools::write_piece(out, Piece::Text(last.text));
            out.text("],\"isError\":true}");
        }
        State::Completed => write_output(out, log, until, id),
        _ => {}
    }
}

/// Writes all that a task has given as the result of a call.
fn write_output(out: &mut Sink<'_>, log: &[u8], until: u64, id: TaskId) {
    out.text(",\"result\":{\"resultType\":\"complete\",\"content\":[");
    let outputs = entries(log, until).filter(|entry| matches!(entry.what, What::Artifact(_)));
    let mut structured = None;
    for (at, part) in outputs.flat_map(|entry| entry.parts()).enumerate() {
        if at > 0 {
            out.byte(b',');
        }
        match part.content {
            Content::Data(json) if Value::checked(json).kind() == Kind::Object => {
                structured = Some(json);
            }
            _ => {}
        }
        write_part(out, part, id);
    }
    out.byte(b']');
    if let Some(json) = structured {
        out.text(",\"structuredContent\":");
        out.put(json);
    }
    out.byte(b'}');
}

/// Writes a part of an output as a content block (M-121, M-122).
fn write_part(out: &mut Sink<'_>, part: Part<'_>, id: TaskId) {
    let (mime, uri) = (part.media_type, part.uri);
    let piece = match part.content {
        Content::Text(text) if uri.is_empty() => Piece::Text(text),
        Content::Text(text) => Piece::ResourceText { uri, mime, text },
        Content::Data(json) => Piece::Json(json),
        Content::Url(uri) => Piece::Link {
            uri,
            name: if part.filename.is_empty() {
                uri
            } else {
                part.filename
            },
            mime,
        },
        Content::Raw(data) if !uri.is_empty() => Piece::ResourceBlob { uri, mime, data },
        Content::Raw(data) if mime.starts_with("image/") => Piece::Image { data, mime },
        Content::Raw(data) if mime.starts_with("audio/") => Piece::Audio { data, mime },
        Content::Raw(data) => {
            // A file of a task has no address: that of the task stands for it.
            let mut room = [0; URI];
            let mut sink = Sink::new(&mut room);
            sink.text("urn:task:");
            id.write(&mut sink);
            let uri = core::str::from_utf8(sink.kept()).unwrap_or("urn:task");
            return tools::write_piece(out, Piece::ResourceBlob { uri, mime, data });
        }
    };
    tools::write_piece(out, piece);
}

/// Bytes of `urn:task:` and an id.
const URI: usize = 41;
