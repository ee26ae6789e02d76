//! A2A: what is sent to an agent, and what it answers, on both wires.

use super::members::{Wrong, member, needed, object, of_kind, text, wrong};
use super::request::{Call, Object, check_object, open, put_json};
use crate::buf::Sink;
use crate::buf::base64;
use crate::frame::http::header;
use crate::json::{Elements, Kind, Text, Value, write};
use crate::limits::KEY_BYTES;

/// A wire of A2A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// A2A 1.x.
    V1,
    /// A2A 0.3.
    V03,
}

/// A part of a message to an agent.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// What it holds.
    pub content: Content<'a>,
    /// Its media type, or empty. 0.3 has a place for it with files alone.
    pub media_type: &'a str,
    /// The name of its file, or empty. 0.3 has a place for it with files
    /// alone.
    pub filename: &'a str,
}

/// What a part of a message to an agent holds.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// Text.
    Text(&'a str),
    /// JSON; on the wire of 0.3, an object.
    Data(&'a [u8]),
    /// Bytes, sent in base64.
    Raw(&'a [u8]),
    /// A file, at this URL.
    Url(&'a str),
}

impl<'a> Part<'a> {
    /// A part without a media type and a name.
    pub const fn new(content: Content<'a>) -> Self {
        Self {
            content,
            media_type: "",
            filename: "",
        }
    }

    fn check(&self, wire: Wire) -> Result<(), Wrong> {
        let Content::Data(json) = self.content else {
            return Ok(());
        };
        match (crate::json::parse(json), wire) {
            (Err(_), _) => Err(wrong("parts.data", "is not JSON")),
            (Ok(value), Wire::V03) => object(value, "parts.data").map(|_| ()),
            (Ok(_), Wire::V1) => Ok(()),
        }
    }

    fn write(&self, wire: Wire, out: &mut Sink<'_>) {
        let mut part = Object::open(out);
        match (wire, self.content) {
            (Wire::V1, Content::Text(text)) => write::string(part.member("text"), text),
            (Wire::V1, Content::Data(json)) => put_json(part.member("data"), json),
            (Wire::V1, Content::Raw(bytes)) => put_base64(part.member("raw"), bytes),
            (Wire::V1, Content::Url(url)) => write::string(part.member("url"), url),
            (Wire::V03, Content::Text(text)) => {
                part.text("kind", "text");
                write::string(part.member("text"), text);
                return part.close();
            }
            (Wire::V03, Content::Data(json)) => {
                part.text("kind", "data");
                put_json(part.member("data"), json);
                return part.close();
            }
            (Wire::V03, content) => {
                part.text("kind", "file");
                let mut file = Object::open(part.member("file"));
                match content {
                    Content::Raw(bytes) => put_base64(file.member("bytes"), bytes),
                    Content::Url(url) | Content::Text(url) => {
                        write::string(file.member("uri"), url);
                    }
                    Content::Data(json) => put_json(file.member("bytes"), json),
                }
                file.text("mimeType", self.media_type);
                file.text("name", self.filename);
                file.close();
                return part.close();
            }
        }
        part.text("mediaType", self.media_type);
        part.text("filename", self.filename);
        part.close();
    }
}

fn put_base64(out: &mut Sink<'_>, bytes: &[u8]) {
    out.byte(b'"');
    write::base64(out, bytes);
    out.byte(b'"');
}

/// A message to an agent: new work, or more for a task that it has
/// (section 6).
#[derive(Clone, Copy, Debug)]
pub struct SendMessage<'a> {
    /// The wire that the agent speaks.
    pub wire: Wire,
    /// The tenant that its card names, or empty. 1.x alone.
    pub tenant: &'a str,
    /// The id of the message: another one for each message, and the same when
    /// one is sent again. At most [`KEY_BYTES`] bytes, by which every
    /// agent of this crate takes it.
    pub message_id: &'a str,
    /// The context that it belongs to, or empty.
    pub context: &'a str,
    /// The task that it is for, or empty for a new one.
    pub task: &'a str,
    /// What it says; at least one.
    pub parts: &'a [Part<'a>],
    /// The metadata of the message: a JSON object, or empty.
    pub metadata: &'a [u8],
    /// Media types that are taken as output; none for all.
    pub accepts: &'a [&'a str],
    /// How many messages of the history are wanted back; `None` for what the
    /// agent likes.
    pub history: Option<u32>,
    /// Whether the answer is to wait until the task rests. If not, ask for the
    /// task by [`GetTask`] until it does.
    pub wait: bool,
}

impl<'a> SendMessage<'a> {
    /// A message that waits for nothing.
    pub const fn new(wire: Wire, message_id: &'a str, parts: &'a [Part<'a>]) -> Self {
        Self {
            wire,
            tenant: "",
            message_id,
            context: "",
            task: "",
            parts,
            metadata: b"",
            accepts: &[],
            history: None,
            wait: false,
        }
    }
}

impl Call for SendMessage<'_> {
    fn check(&self) -> Result<(), Wrong> {
        if self.message_id.is_empty() {
            return Err(wrong("message_id", "is missing"));
        }
        if self.message_id.len() > KEY_BYTES {
            return Err(wrong("message_id", "is longer than 128 bytes"));
        }
        if self.parts.is_empty() {
            return Err(wrong("parts", "must have at least one"));
        }
        self.parts.iter().try_for_each(|p| p.check(self.wire))?;
        check_object(self.metadata, "metadata")
    }

    fn head(&self, out: &mut Sink<'_>) {
        version(self.wire, out);
    }

    fn body(&self, id: u32, out: &mut Sink<'_>) {
        let new = self.wire == Wire::V1;
        open(
            out,
            id,
            match self.wire {
                Wire::V1 => "SendMessage",
                Wire::V03 => "message/send",
            },
        );
        let mut params = Object::open(out);
        if new {
            params.text("tenant", self.tenant);
        }
        let mut message = Object::open(params.member("message"));
        if !new {
            message.text("kind", "message");
        }
        message.text("messageId", self.message_id);
        message.text("role", if new { "ROLE_USER" } else { "user" });
        message.text("contextId", self.context);
        message.text("taskId", self.task);
        let list = message.member("parts");
        list.byte(b'[');
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                list.byte(b',');
            }
            part.write(self.wire, list);
        }
        list.byte(b']');
        message.json("metadata", self.metadata);
        message.close();
        let mut config = Object::open(params.member("configuration"));
        if !self.accepts.is_empty() {
            let list = config.member("acceptedOutputModes");
            list.byte(b'[');
            for (at, mode) in self.accepts.iter().enumerate() {
                if at > 0 {
                    list.byte(b',');
                }
                write::string(list, mode);
            }
            list.byte(b']');
        }
        put_history(&mut config, self.history);
        match self.wire {
            Wire::V1 => write::bool(config.member("returnImmediately"), !self.wait),
            Wire::V03 => write::bool(config.member("blocking"), self.wait),
        }
        config.close();
        params.close();
        out.byte(b'}');
    }
}

/// Asks for a task (section 7).
#[derive(Clone, Copy, Debug)]
pub struct GetTask<'a> {
    /// The wire that the agent speaks.
    pub wire: Wire,
    /// The tenant that its card names, or empty. 1.x alone.
    pub tenant: &'a str,
    /// The id of the task.
    pub task: &'a str,
    /// How many messages of the history are wanted back; `None` for what the
    /// agent likes.
    pub history: Option<u32>,
}

/// Asks that a task be stopped (section 8). The answer tells what became of
/// it, which need not be [`TaskState::Canceled`].
#[derive(Clone, Copy, Debug)]
pub struct CancelTask<'a> {
    /// The wire that the agent speaks.
    pub wire: Wire,
    /// The tenant that its card names, or empty. 1.x alone.
    pub tenant: &'a str,
    /// The id of the task.
    pub task: &'a str,
}

impl Call for GetTask<'_> {
    fn check(&self) -> Result<(), Wrong> {
        check_task(self.task)
    }

    fn head(&self, out: &mut Sink<'_>) {
        version(self.wire, out);
    }

    fn body(&self, id: u32, out: &mut Sink<'_>) {
        let method = match self.wire {
            Wire::V1 => "GetTask",
            Wire::V03 => "tasks/get",
        };
        of_task(
            out,
            id,
            method,
            (self.wire, self.tenant, self.task),
            self.history,
        );
    }
}

impl Call for CancelTask<'_> {
    fn check(&self) -> Result<(), Wrong> {
        check_task(self.task)
    }

    fn head(&self, out: &mut Sink<'_>) {
        version(self.wire, out);
    }

    fn body(&self, id: u32, out: &mut Sink<'_>) {
        let method = match self.wire {
            Wire::V1 => "CancelTask",
            Wire::V03 => "tasks/cancel",
        };
        of_task(out, id, method, (self.wire, self.tenant, self.task), None);
    }
}

fn check_task(task: &str) -> Result<(), Wrong> {
    match task {
        "" => Err(wrong("task", "is missing")),
        _ => Ok(()),
    }
}

/// Writes a request that names one task.
fn of_task(
    out: &mut Sink<'_>,
    id: u32,
    method: &str,
    (wire, tenant, task): (Wire, &str, &str),
    history: Option<u32>,
) {
    open(out, id, method);
    let mut params = Object::open(out);
    if wire == Wire::V1 {
        params.text("tenant", tenant);
    }
    params.text("id", task);
    put_history(&mut params, history);
    params.close();
    out.byte(b'}');
}

fn put_history(object: &mut Object<'_, '_>, history: Option<u32>) {
    if let Some(most) = history {
        // The type of the field has 31 bits.
        let most = most.min(i32::MAX.unsigned_abs());
        object.member("historyLength").number(u64::from(most));
    }
}

/// without the header, an agent takes 0.3.
fn version(wire: Wire, out: &mut Sink<'_>) {
    if wire == Wire::V1 {
        header(out, "A2A-Version", b"1.0");
    }
}

/// Where a task of another agent stands (section 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// Recorded; no work has begun.
    Submitted,
    /// In work.
    Working,
    /// The agent waits for a message.
    InputRequired,
    /// The agent waits for someone's leave. The state alone authorizes
    /// nothing.
    AuthRequired,
    /// Done: the artifacts are there.
    Completed,
    /// Not done.
    Failed,
    /// Stopped.
    Canceled,
    /// Not accepted.
    Rejected,
    /// A state that this wire does not have, or `unknown`.
    Unknown,
}

impl TaskState {
    const NAMES: [(Self, &'static str, &'static str); 8] = [
        (Self::Submitted, "TASK_STATE_SUBMITTED", "submitted"),
        (Self::Working, "TASK_STATE_WORKING", "working"),
        (
            Self::InputRequired,
            "TASK_STATE_INPUT_REQUIRED",
            "input-required",
        ),
        (
            Self::AuthRequired,
            "TASK_STATE_AUTH_REQUIRED",
            "auth-required",
        ),
        (Self::Completed, "TASK_STATE_COMPLETED", "completed"),
        (Self::Failed, "TASK_STATE_FAILED", "failed"),
        (Self::Canceled, "TASK_STATE_CANCELED", "canceled"),
        (Self::Rejected, "TASK_STATE_REJECTED", "rejected"),
    ];

    fn of(name: Text<'_>, wire: Wire) -> Self {
        Self::NAMES
            .into_iter()
            .find(|(_, new, old)| match wire {
                Wire::V1 => name.is(new),
                Wire::V03 => name.is(old),
            })
            .map_or(Self::Unknown, |(state, ..)| state)
    }

    /// Whether nothing can follow.
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// Whether the task goes on without a message of its caller: ask again.
    /// So it is in a state that is not known.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Submitted | Self::Working | Self::Unknown)
    }
}

/// What an agent says to a message: a task, or no more than a word
///
#[derive(Clone, Copy, Debug)]
pub enum Sent<'a> {
    /// The task that it is, or belongs to.
    Task(Task<'a>),
    /// The parts of a message; there is no task.
    Message(Parts<'a>),
}

impl<'a> Sent<'a> {
    /// Reads the result of a [`SendMessage`].
    ///
    /// # Errors
    /// It is neither.
    pub fn read(result: Value<'a>, wire: Wire) -> Result<Self, Wrong> {
        let (task, message) = match wire {
            Wire::V1 => (
                of_kind(result, "task", "result.task", Kind::Object)?,
                of_kind(result, "message", "result.message", Kind::Object)?,
            ),
            Wire::V03 => {
                let kind = needed(result, "kind", "result.kind")?;
                (
                    kind.is("task").then_some(result),
                    kind.is("message").then_some(result),
                )
            }
        };
        match (task, message) {
            (Some(task), None) => Task::read(task, wire).map(Self::Task),
            (None, Some(message)) => Parts::of(message, wire, "message.parts").map(Self::Message),
            _ => Err(wrong("result", "must be a task or a message")),
        }
    }
}

/// A task of another agent, as its answer tells it.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Its id, at most [`KEY_BYTES`] bytes as written.
    pub id: Text<'a>,
    /// Its context, if the agent tells one.
    pub context: Option<Text<'a>>,
    /// Where it stands.
    pub state: TaskState,
    /// What the agent says about that: a question, a reason. Text from
    /// outside.
    pub status: Parts<'a>,
    artifacts: &'a [u8],
    wire: Wire,
}

impl<'a> Task<'a> {
    /// Reads the result of [`GetTask`] and [`CancelTask`]; members that are
    /// not known are passed over.
    ///
    /// # Errors
    /// A member that is missing, stands twice, or is of another type.
    pub fn read(task: Value<'a>, wire: Wire) -> Result<Self, Wrong> {
        object(task, "task")?;
        if wire == Wire::V03 && !needed(task, "kind", "task.kind")?.is("task") {
            return Err(wrong("task.kind", "is not task"));
        }
        let key = |text: Text<'a>, field| match text.raw().len() > KEY_BYTES {
            true => Err(wrong(field, "is longer than 128 bytes")),
            false => Ok(text),
        };
        let status = of_kind(task, "status", "task.status", Kind::Object)?
            .ok_or(wrong("task.status", "is missing"))?;
        let said = of_kind(status, "message", "task.status.message", Kind::Object)?;
        let context = text(task, "contextId", "task.contextId")?;
        Ok(Self {
            id: key(needed(task, "id", "task.id")?, "task.id")?,
            context: context.map(|id| key(id, "task.contextId")).transpose()?,
            state: TaskState::of(needed(status, "state", "task.status.state")?, wire),
            status: match said {
                Some(message) => Parts::of(message, wire, "task.status.message.parts")?,
                None => Parts::none(wire),
            },
            artifacts: of_kind(task, "artifacts", "task.artifacts", Kind::Array)?
                .map_or(&[], Value::raw),
            wire,
        })
    }

    /// What it has made, in order.
    pub fn artifacts(&self) -> Artifacts<'a> {
        Artifacts {
            rest: Value::checked(self.artifacts).elements(),
            wire: self.wire,
        }
    }
}

/// The artifacts of a [`Task`].
#[derive(Clone, Debug)]
pub struct Artifacts<'a> {
    rest: Elements<'a>,
    wire: Wire,
}

impl<'a> Iterator for Artifacts<'a> {
    type Item = Result<Artifact<'a>, Wrong>;

    fn next(&mut self) -> Option<Self::Item> {
        let artifact = self.rest.next()?;
        Some(Artifact::read(artifact, self.wire))
    }
}

/// Something that a task has made.
#[derive(Clone, Copy, Debug)]
pub struct Artifact<'a> {
    /// Its id, unique within the task.
    pub id: Text<'a>,
    /// Its name, if it has one.
    pub name: Option<Text<'a>>,
    /// What it is.
    pub parts: Parts<'a>,
}

impl<'a> Artifact<'a> {
    fn read(artifact: Value<'a>, wire: Wire) -> Result<Self, Wrong> {
        object(artifact, "task.artifacts")?;
        Ok(Self {
            id: needed(artifact, "artifactId", "task.artifacts.artifactId")?,
            name: text(artifact, "name", "task.artifacts.name")?,
            parts: Parts::of(artifact, wire, "task.artifacts.parts")?,
        })
    }
}

/// The parts of a message or an artifact, in order.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// What is left of the array.
    rest: &'a [u8],
    wire: Wire,
}

impl<'a> Parts<'a> {
    fn none(wire: Wire) -> Self {
        Self { rest: &[], wire }
    }

    fn of(parent: Value<'a>, wire: Wire, field: &'static str) -> Result<Self, Wrong> {
        let parts = of_kind(parent, "parts", field, Kind::Array)?;
        let elements = parts.ok_or(wrong(field, "is missing"))?.elements();
        Ok(Self {
            rest: elements.rest(),
            wire,
        })
    }

    /// The first text among them.
    pub fn text(self) -> Option<Text<'a>> {
        self.into_iter()
            .find_map(|piece| match piece.map(|piece| piece.content) {
                Ok(Given::Text(text)) => Some(text),
                _ => None,
            })
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Result<Piece<'a>, Wrong>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut elements = Elements::resume(self.rest);
        let part = elements.next();
        self.rest = elements.rest();
        Some(Piece::read(part?, self.wire))
    }
}

/// A part that an agent has sent.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// What it holds.
    pub content: Given<'a>,
    /// Its media type, if it is told.
    pub media_type: Option<Text<'a>>,
    /// The name of its file, if it is told.
    pub filename: Option<Text<'a>>,
}

/// What a part that an agent has sent holds: from outside, all of it.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// Text.
    Text(Text<'a>),
    /// JSON.
    Data(Value<'a>),
    /// Bytes, in base64; see [`Piece::bytes`].
    Raw(Text<'a>),
    /// The URL of a file. It is not fetched.
    Url(Text<'a>),
    /// A kind of content that is not known.
    Other,
}

impl<'a> Piece<'a> {
    fn read(part: Value<'a>, wire: Wire) -> Result<Self, Wrong> {
        object(part, "part")?;
        match wire {
            Wire::V1 => Self::new(part),
            Wire::V03 => Self::old(part),
        }
    }

    /// A part of 1.x: one content of four.
    fn new(part: Value<'a>) -> Result<Self, Wrong> {
        let string = |name, field| {
            let value = of_kind(part, name, field, Kind::String)?;
            Ok::<_, Wrong>(value.and_then(Value::as_text))
        };
        let mut data = None;
        for (name, value) in part.members() {
            // `null` is content here.
            if name.is("data") && data.replace(value).is_some() {
                return Err(wrong("part.data", "stands twice"));
            }
        }
        let contents = [
            string("text", "part.text")?.map(Given::Text),
            string("raw", "part.raw")?.map(Given::Raw),
            string("url", "part.url")?.map(Given::Url),
            data.map(Given::Data),
        ];
        let mut found = contents.into_iter().flatten();
        let content = found.next().unwrap_or(Given::Other);
        if found.next().is_some() {
            return Err(wrong("part", "has two contents"));
        }
        Ok(Self {
            content,
            media_type: text(part, "mediaType", "part.mediaType")?,
            filename: text(part, "filename", "part.filename")?,
        })
    }

    /// A part of 0.3 (V-003).
    fn old(part: Value<'a>) -> Result<Self, Wrong> {
        let kind = needed(part, "kind", "part.kind")?;
        let mut piece = Self {
            content: Given::Other,
            media_type: None,
            filename: None,
        };
        if kind.is("text") {
            let value = of_kind(part, "text", "part.text", Kind::String)?;
            let text = value.and_then(Value::as_text);
            piece.content = Given::Text(text.ok_or(wrong("part.text", "is missing"))?);
        } else if kind.is("data") {
            let data = member(part, "data", "part.data")?;
            piece.content = Given::Data(data.ok_or(wrong("part.data", "is missing"))?);
        } else if kind.is("file") {
            let file = of_kind(part, "file", "part.file", Kind::Object)?
                .ok_or(wrong("part.file", "is missing"))?;
            let bytes = of_kind(file, "bytes", "part.file.bytes", Kind::String)?;
            let uri = text(file, "uri", "part.file.uri")?;
            piece.content = match (bytes.and_then(Value::as_text), uri) {
                (Some(bytes), None) => Given::Raw(bytes),
                (None, Some(uri)) => Given::Url(uri),
                _ => return Err(wrong("part.file", "must have bytes or uri")),
            };
            piece.media_type = text(file, "mimeType", "part.file.mimeType")?;
            piece.filename = text(file, "name", "part.file.name")?;
        }
        Ok(piece)
    }

    /// Writes the bytes of [`Given::Raw`] to the start of `out`; gives them.
    ///
    /// # Errors
    /// It is no such part, no base64 (either alphabet, padded or not), or
    /// longer than `out`; what was written then has no meaning.
    pub fn bytes<'o>(&self, out: &'o mut [u8]) -> Result<&'o [u8], Wrong> {
        let Given::Raw(text) = self.content else {
            return Err(wrong("part", "has no bytes"));
        };
        let len = base64::text_len(text.chars()).ok_or(wrong("part.raw", "is not base64"))?;
        let out = out
            .get_mut(..len)
            .ok_or(wrong("part.raw", "is longer than the buffer"))?;
        for (place, byte) in out.iter_mut().zip(base64::text_bytes(text.chars())) {
            *place = byte;
        }
        Ok(out)
    }
}
