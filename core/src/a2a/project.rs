//! A task as each wire tells it: one log, two projections (D-007).

use super::era::Wire;
use crate::buf::Sink;
use crate::json::{Kind, Value, write};
use crate::task::{
    Artifact, Content, Entry, Extra, Part, State, Status, TaskId, What, context, entries, stamp,
};

/// What of a task is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// At most so many messages, the newest; `None` for all.
    pub(super) history: Option<u32>,
    pub(super) artifacts: bool,
}

impl View {
    pub(super) const ALL: Self = Self {
        history: None,
        artifacts: true,
    };
}

/// A task as it stood when `until` was the number of the newest entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection<'l> {
    pub(super) wire: Wire,
    pub(super) id: TaskId,
    pub(super) log: &'l [u8],
    pub(super) until: u64,
}

/// The name of a state (section 10).
pub(super) const fn state_name(state: State, wire: Wire) -> &'static str {
    match wire {
        Wire::V1 => match state {
            State::Submitted => "TASK_STATE_SUBMITTED",
            State::Working => "TASK_STATE_WORKING",
            State::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            State::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
            State::Completed => "TASK_STATE_COMPLETED",
            State::Failed => "TASK_STATE_FAILED",
            State::Canceled => "TASK_STATE_CANCELED",
            State::Rejected => "TASK_STATE_REJECTED",
        },
        Wire::V03 => match state {
            State::Submitted => "submitted",
            State::Working => "working",
            State::InputRequired => "input-required",
            State::AuthRequired => "auth-required",
            State::Completed => "completed",
            State::Failed => "failed",
            State::Canceled => "canceled",
            State::Rejected => "rejected",
        },
    }
}

impl<'l> Projection<'l> {
    /// The last status.
    pub(super) fn status(&self) -> Option<(u64, Status<'l>)> {
        let mut last = None;
        for entry in entries(self.log, self.until) {
            if let What::Status(status) = entry.what {
                last = Some((entry.number, status));
            }
        }
        last
    }

    /// Writes the whole task (A-066, V-005).
    pub(super) fn task(&self, out: &mut Sink<'_>, view: View) {
        out.text(match self.wire {
            Wire::V1 => "{\"id\":\"",
            Wire::V03 => "{\"kind\":\"task\",\"id\":\"",
        });
        self.id.write(out);
        out.byte(b'"');
        self.context(out);
        let last = self.status();
        if let Some((number, status)) = last {
            out.text(",\"status\":");
            self.write_status(out, number, status);
        }
        if view.artifacts {
            self.artifacts(out);
        }
        if view.history != Some(0) {
            self.history(out, view.history, last.map_or(0, |(number, _)| number));
        }
        let notes = entries(self.log, self.until).filter_map(|entry| match entry.what {
            What::Note(json) => Some(json),
            _ => None,
        });
        metadata(out, notes.last().unwrap_or(&[]));
        out.byte(b'}');
    }

    fn context(&self, out: &mut Sink<'_>) {
        out.text(",\"contextId\":");
        write::string(out, context(self.log));
    }

    /// Writes the word of a log that holds no task: a message.
    pub(super) fn word(&self, out: &mut Sink<'_>) {
        if self.wire == Wire::V1 {
            out.text("{\"message\":");
        }
        if let Some((number, status)) = self.status() {
            self.open_agent_message(out, number);
            self.context(out);
            self.close_agent_message(out, status);
        }
        if self.wire == Wire::V1 {
            out.byte(b'}');
        }
    }

    /// The members that say which task is spoken of.
    fn ids(&self, out: &mut Sink<'_>) {
        self.context(out);
        out.text(",\"taskId\":\"");
        self.id.write(out);
        out.byte(b'"');
    }

    fn write_status(&self, out: &mut Sink<'_>, number: u64, status: Status<'_>) {
        out.text("{\"state\":");
        write::name(out, state_name(status.state, self.wire));
        if !status.text.is_empty() {
            out.text(",\"message\":");
            self.agent_message(out, number, status);
        }
        if status.unix_millis != 0 {
            out.text(",\"timestamp\":\"");
            stamp::write(out, status.unix_millis);
            out.byte(b'"');
        }
        out.byte(b'}');
    }

    /// A message of the agent. Its id is that of the task and the number of
    /// the status, which no other has.
    fn agent_message(&self, out: &mut Sink<'_>, number: u64, status: Status<'_>) {
        self.open_agent_message(out, number);
        self.ids(out);
        self.close_agent_message(out, status);
    }

    fn open_agent_message(&self, out: &mut Sink<'_>, number: u64) {
        self.open_message(out);
        self.id.write(out);
        out.byte(b'-');
        write::u64(out, number);
        out.text(match self.wire {
            Wire::V1 => "\",\"role\":\"ROLE_AGENT\"",
            Wire::V03 => "\",\"role\":\"agent\"",
        });
    }

    fn close_agent_message(&self, out: &mut Sink<'_>, status: Status<'_>) {
        out.text(",\"parts\":[");
        self.part(
            out,
            if status.json {
                Part::new(Content::Data(status.text.as_bytes())).media_type("application/json")
            } else {
                Part::new(Content::Text(status.text))
            },
        );
        out.text("]}");
    }

    fn open_message(&self, out: &mut Sink<'_>) {
        out.text(match self.wire {
            Wire::V1 => "{\"messageId\":\"",
            Wire::V03 => "{\"kind\":\"message\",\"messageId\":\"",
        });
    }

    /// The messages of the caller, and the questions that he was asked
    /// before, in order; at most `most` of them, the newest.
    fn history(&self, out: &mut Sink<'_>, most: Option<u32>, last: u64) {
        let spoken = || {
            entries(self.log, self.until).filter(move |entry| match entry.what {
                What::Message { .. } => true,
                What::Status(status) => {
                    status.state.is_interrupted() && entry.number != last && !status.text.is_empty()
                }
                What::Artifact(_) | What::Note(_) => false,
            })
        };
        let count = spoken().count();
        let most = most.map_or(count, |most| most as usize);
        let mut first = true;
        for entry in spoken().skip(count.saturating_sub(most)) {
            out.text(if first { ",\"history\":[" } else { "," });
            first = false;
            match entry.what {
                What::Status(status) => self.agent_message(out, entry.number, status),
                What::Message { id } => self.user_message(out, id, &entry),
                What::Artifact(_) | What::Note(_) => {}
            }
        }
        if !first {
            out.byte(b']');
        }
    }

    fn user_message(&self, out: &mut Sink<'_>, id: &str, entry: &Entry<'_>) {
        self.open_message(out);
        // One that came by another wire has no id of its own.
        if id.is_empty() {
            self.id.write(out);
            out.byte(b'-');
            write::u64(out, entry.number);
        }
        write::escaped(out, id.as_bytes());
        out.text(match self.wire {
            Wire::V1 => "\",\"role\":\"ROLE_USER\"",
            Wire::V03 => "\",\"role\":\"user\"",
        });
        self.ids(out);
        self.parts(out, entry);
        extras(out, entry);
        out.byte(b'}');
    }

    /// `,"parts":[…` without its end.
    fn open_parts(&self, out: &mut Sink<'_>, entry: &Entry<'_>) {
        out.text(",\"parts\":[");
        for (at, part) in entry.parts().enumerate() {
            if at > 0 {
                out.byte(b',');
            }
            self.part(out, part);
        }
    }

    fn parts(&self, out: &mut Sink<'_>, entry: &Entry<'_>) {
        self.open_parts(out, entry);
        out.byte(b']');
    }

    /// The artifacts, each put together from what was added to it.
    fn artifacts(&self, out: &mut Sink<'_>) {
        let mut first = true;
        for entry in entries(self.log, self.until) {
            let What::Artifact(artifact) = entry.what else {
                continue;
            };
            if artifact.append {
                continue;
            }
            out.text(if first { ",\"artifacts\":[" } else { "," });
            first = false;
            self.open_artifact(out, artifact, &entry);
            for more in entries(self.log, self.until) {
                let What::Artifact(other) = more.what else {
                    continue;
                };
                if !other.append || other.id != artifact.id {
                    continue;
                }
                for part in more.parts() {
                    out.byte(b',');
                    self.part(out, part);
                }
            }
            out.text("]}");
        }
        if !first {
            out.byte(b']');
        }
    }

    /// Writes an artifact without the end of its parts.
    fn open_artifact(&self, out: &mut Sink<'_>, artifact: Artifact, entry: &Entry<'_>) {
        out.text("{\"artifactId\":\"");
        write::u64(out, u64::from(artifact.id));
        out.byte(b'"');
        let name = entry.name();
        if !name.is_empty() {
            out.text(",\"name\":");
            write::string(out, name);
        }
        extras(out, entry);
        self.open_parts(out, entry);
    }

    /// Writes the event of one entry: a status or an artifact.
    pub(super) fn event(&self, out: &mut Sink<'_>, number: u64) {
        let entry = entries(self.log, number).find(|entry| entry.number == number);
        let Some(entry) = entry else {
            return;
        };
        match entry.what {
            What::Status(status) => {
                self.open_event(out, "statusUpdate", "status-update");
                out.text(",\"status\":");
                self.write_status(out, number, status);
                if self.wire == Wire::V03 {
                    out.text(",\"final\":");
                    write::bool(out, status.state.is_terminal());
                }
                // What was said of the task since the status before.
                let mut said = &[][..];
                for entry in entries(self.log, number.saturating_sub(1)) {
                    match entry.what {
                        What::Note(json) => said = json,
                        What::Status(_) => said = &[],
                        What::Message { .. } | What::Artifact(_) => {}
                    }
                }
                metadata(out, said);
            }
            What::Artifact(artifact) => {
                self.open_event(out, "artifactUpdate", "artifact-update");
                out.text(",\"artifact\":");
                self.open_artifact(out, artifact, &entry);
                out.text("]}");
                if artifact.append {
                    out.text(",\"append\":true");
                }
                if artifact.last {
                    out.text(",\"lastChunk\":true");
                }
            }
            What::Message { .. } | What::Note(_) => return,
        }
        out.text(match self.wire {
            Wire::V1 => "}}",
            Wire::V03 => "}",
        });
    }

    fn open_event(&self, out: &mut Sink<'_>, new: &str, old: &str) {
        match self.wire {
            Wire::V1 => {
                out.text("{\"");
                out.text(new);
                out.text("\":{\"taskId\":\"");
            }
            Wire::V03 => {
                out.text("{\"kind\":\"");
                out.text(old);
                out.text("\",\"taskId\":\"");
            }
        }
        self.id.write(out);
        out.byte(b'"');
        self.context(out);
    }

    fn part(&self, out: &mut Sink<'_>, part: Part<'_>) {
        match self.wire {
            Wire::V1 => new_part(out, part),
            Wire::V03 => old_part(out, part),
        }
        if !part.metadata.is_empty() {
            out.text(",\"metadata\":");
            put_line(out, part.metadata);
        }
        out.byte(b'}');
    }
}

/// JSON that belongs to a whole message or artifact, as far as there is any.
fn extras(out: &mut Sink<'_>, entry: &Entry<'_>) {
    metadata(out, entry.extra(Extra::Metadata));
    for (name, extra) in [
        (",\"extensions\":", Extra::Extensions),
        (",\"referenceTaskIds\":", Extra::References),
    ] {
        let json = entry.extra(extra);
        if !json.is_empty() {
            out.text(name);
            put_line(out, json);
        }
    }
}

/// The member that holds metadata, if there is any.
fn metadata(out: &mut Sink<'_>, json: &[u8]) {
    if !json.is_empty() {
        out.text(",\"metadata\":");
        put_line(out, json);
    }
}

/// A part of 1.x, without its end.
fn new_part(out: &mut Sink<'_>, part: Part<'_>) {
    match part.content {
        Content::Text(text) => {
            out.text("{\"text\":");
            write::string(out, text);
        }
        Content::Raw(bytes) => {
            out.text("{\"raw\":\"");
            write::base64(out, bytes);
            out.byte(b'"');
        }
        Content::Url(url) => {
            out.text("{\"url\":");
            write::string(out, url);
        }
        Content::Data(json) => {
            out.text("{\"data\":");
            put_line(out, json);
        }
    }
    if !part.media_type.is_empty() {
        out.text(",\"mediaType\":");
        write::string(out, part.media_type);
    }
    if !part.filename.is_empty() {
        out.text(",\"filename\":");
        write::string(out, part.filename);
    }
}

/// A part of 0.3, without its end (V-003). Text and data have no place for a
/// media type there, and data is an object (D-007).
fn old_part(out: &mut Sink<'_>, part: Part<'_>) {
    match part.content {
        Content::Text(text) => {
            out.text("{\"kind\":\"text\",\"text\":");
            return write::string(out, text);
        }
        Content::Data(json) => {
            out.text("{\"kind\":\"data\",\"data\":");
            let object = Value::checked(json).kind() == Kind::Object;
            if !object {
                out.text("{\"value\":");
            }
            put_line(out, json);
            if !object {
                out.byte(b'}');
            }
            return;
        }
        Content::Raw(bytes) => {
            out.text("{\"kind\":\"file\",\"file\":{\"bytes\":\"");
            write::base64(out, bytes);
            out.byte(b'"');
        }
        Content::Url(url) => {
            out.text("{\"kind\":\"file\",\"file\":{\"uri\":");
            write::string(out, url);
        }
    }
    if !part.media_type.is_empty() {
        out.text(",\"mimeType\":");
        write::string(out, part.media_type);
    }
    if !part.filename.is_empty() {
        out.text(",\"name\":");
        write::string(out, part.filename);
    }
    out.byte(b'}');
}

/// Writes JSON as it was sent, on one line: line ends, which stand between
/// its tokens only, would end an event.
fn put_line(out: &mut Sink<'_>, json: &[u8]) {
    for line in json.split(|byte| matches!(byte, b'\n' | b'\r')) {
        out.put(line);
    }
}
