//! One step of a task, as its skill sees it; and who lets them step.

use core::fmt;

use serde::Serialize;

use super::journal::{Journal, Kept};
use super::log::{Content, Entry, Extra, Label, Part, Parts, Pieces, What, entries};
use super::skill::{Runtime, Skill};
use super::state::State;
use super::table::{Place, Principal, Record, Talk, Task, TaskId, Tasks};
#[cfg(feature = "tasks")]
use super::tool::run_tool;
use crate::buf::Sink;
use crate::json::{Kind as Json, Value, ser};
use crate::limits::{METADATA_BYTES, STATUS_BYTES};
use crate::time::Instant;
use crate::tool::Catalog;
#[cfg(feature = "tasks")]
use crate::tool::Entry as ToolEntry;

/// What a step of a skill has come to.
#[must_use = "a skill returns it"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(pub(super) Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Pending,
    Done,
    Failed,
    Rejected,
    Ask,
    AskLeave,
    Said,
    /// The questions of a tool stand in the log.
    #[cfg(feature = "input")]
    Asked,
    Stopped,
    CannotStop,
}

impl Step {
    /// Not yet: the skill is called again.
    pub const PENDING: Self = Self(Kind::Pending);
    /// Done, and the output stands in at least one artifact. A task without
    /// one fails instead.
    pub const DONE: Self = Self(Kind::Done);
    /// The work has stopped because the caller wished it (P-017). From a
    /// skill that was not told to stop, it is a failure.
    pub const STOPPED: Self = Self(Kind::Stopped);
    /// The work can't be stopped here, and goes on.
    pub const CANNOT_STOP: Self = Self(Kind::CannotStop);

    /// Whether the work ends with it: it does not go on by itself, and does
    /// not ask its caller.
    pub const fn ends(self) -> bool {
        !matches!(
            self.0,
            Kind::Pending | Kind::CannotStop | Kind::Ask | Kind::AskLeave
        )
    }
}

/// One step of a task: its messages, the time, and the place for its output.
pub struct Work<'w> {
    pub(super) place: Place<'w>,
    pub(super) result: &'w mut [u8],
    pub(super) at: usize,
    pub(super) text: Sink<'w>,
    pub(super) wake: Option<Instant>,
    /// Bytes that output would need that did not fit, and what there is.
    pub(super) need: Option<(usize, usize)>,
    /// What is wrong with an output.
    pub(super) broken: Option<&'static str>,
    /// Whether the text is a JSON object.
    pub(super) json: bool,
}

impl fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("skill", &self.at)
            .field("step", &self.place.record.step)
            .finish_non_exhaustive()
    }
}

impl<'w> Work<'w> {
    /// Whose task it is: the sender of its newest message.
    pub fn principal(&self) -> Principal {
        self.place.record.who
    }

    /// The task's id.
    pub fn id(&self) -> TaskId {
        self.place.record.id
    }

    /// The place of the skill in the table, from 0: for one function behind
    /// several skills.
    pub fn skill(&self) -> usize {
        self.at
    }

    /// The time at which the step is taken.
    pub fn now(&self) -> Instant {
        self.place.now
    }

    /// How many steps this task has had: 0 the first time, when work starts.
    pub fn step(&self) -> u32 {
        self.place.record.step
    }

    /// What [`remember`](Self::remember) has left in an earlier step of this
    /// task; 0 if nothing.
    pub fn memo(&self) -> u32 {
        self.place.record.memo
    }

    /// Keeps a number for the next steps of this task.
    pub fn remember(&mut self, memo: u32) {
        self.place.record.memo = memo;
    }

    /// Whether the caller wants the work stopped. The skill then stops it,
    /// or says that it can't.
    pub fn is_cancelled(&self) -> bool {
        self.place.record.stop
    }

    /// How many messages the caller has sent: 1 at first, one more after each
    /// answer to a question.
    pub fn messages(&self) -> usize {
        entries(self.place.log(), u64::MAX)
            .filter(|entry| matches!(entry.what, What::Message { .. }))
            .count()
    }

    fn newest(&self) -> Option<Entry<'_>> {
        newest(self.place.log(), u64::MAX)
    }

    /// The id of the caller's newest message.
    pub fn message_id(&self) -> &str {
        match self.newest().map(|entry| entry.what) {
            Some(What::Message { id }) => id,
            _ => "",
        }
    }

    /// The metadata of the caller's newest message: a JSON object, as it was
    /// written; empty for none.
    pub fn metadata(&self) -> &[u8] {
        self.newest()
            .map_or(&[], |entry| entry.extra(Extra::Metadata))
    }

    /// What the metadata of the newest message holds under the URI of an
    /// extension: JSON, as it was written.
    pub fn extension(&self, uri: &str) -> Option<&[u8]> {
        let metadata = Some(self.metadata()).filter(|json| !json.is_empty())?;
        Some(Value::checked(metadata).member(uri)?.raw())
    }

    /// Whether the newest message lists the URI among its extensions.
    pub fn lists(&self, uri: &str) -> bool {
        let list = self.newest().map(|entry| entry.extra(Extra::Extensions));
        let list = list.filter(|json| !json.is_empty()).map(Value::checked);
        let mut all = list.into_iter().flat_map(Value::elements);
        all.any(|one| one.as_text().is_some_and(|text| text.is(uri)))
    }

    /// The parts of the caller's newest message.
    pub fn parts(&self) -> Parts<'_> {
        newest_parts(self.place.log(), u64::MAX)
    }

    /// The first text of the caller's newest message; empty if there is none.
    pub fn text(&self) -> &str {
        self.parts()
            .find_map(|part| match part.content {
                Content::Text(text) => Some(text),
                _ => None,
            })
            .unwrap_or("")
    }

    /// When the skill wants to be called again, at the latest, if it answers
    /// "not yet". Without it, or with 0: a millisecond later.
    pub fn wake_after(&mut self, millis: u32) {
        self.wake = Some(self.place.now.after(millis));
    }

    /// Says how far the work is, as the message of the task's status. What is
    /// longer than [`STATUS_BYTES`] ends with an ellipsis. Once half of the
    /// log is used, reports of progress are dropped, so that output finds
    /// room.
    pub fn report(&mut self, text: &str) {
        self.json = false;
        self.text.truncate(0);
        self.text.text(text);
    }

    /// Says how far the work is, formatted.
    pub fn report_with(&mut self, text: fmt::Arguments<'_>) {
        self.json = false;
        self.text.truncate(0);
        let _ = fmt::Write::write_fmt(&mut self.text, text);
    }

    /// Says it as a JSON object, which becomes the data of the status's
    /// message. Whether it is one, of at most [`STATUS_BYTES`] bytes; if not,
    /// nothing is changed.
    pub fn report_json(&mut self, object: &[u8]) -> bool {
        let is_object = crate::json::parse(object).is_ok_and(|json| json.kind() == Json::Object);
        if object.len() > STATUS_BYTES || !is_object {
            return false;
        }
        self.text.truncate(0);
        self.text.put(object);
        self.json = true;
        true
    }

    /// The task fails, and the message of its status is what was reported
    /// last.
    pub fn failed(&mut self) -> Step {
        Step(Kind::Failed)
    }

    /// Says something of the whole task, instead of what was said before: a
    /// JSON object of at most [`METADATA_BYTES`] bytes, which becomes its
    /// metadata. Whether it is one and there was room.
    pub fn note(&mut self, object: &[u8]) -> bool {
        if !self.is_metadata(object) {
            return false;
        }
        let number = self.place.shared.number();
        let added = self.place.add(0, |pieces| pieces.note(number, object));
        self.added(added)
    }

    /// The task fails, for this reason, in words for the caller.
    pub fn fail(&mut self, reason: &str) -> Step {
        self.report(reason);
        Step(Kind::Failed)
    }

    /// The task is not accepted, for this reason, in words for the caller.
    pub fn reject(&mut self, reason: &str) -> Step {
        self.report(reason);
        Step(Kind::Rejected)
    }

    /// Asks the caller. The skill is called again once he has answered: the
    /// answer is then the newest message.
    pub fn ask(&mut self, question: &str) -> Step {
        self.report(question);
        Step(Kind::Ask)
    }

    /// Says what leave is needed, and from where. The skill is called
    /// again as if it had said "not yet", and after a message of the caller.
    pub fn ask_leave(&mut self, what: &str) -> Step {
        self.report(what);
        Step(Kind::AskLeave)
    }

    /// Answers with a message and no task: for a word that is no work
    /// . Only the first step of a skill that
    /// [`talks`](super::Skill::talks) may do so. What is longer than
    /// [`STATUS_BYTES`] ends with an ellipsis.
    pub fn say(&mut self, text: &str) -> Step {
        self.report(text);
        Step(Kind::Said)
    }

    /// Adds an artifact of text. Whether there was room; if not, the task
    /// fails and says so.
    pub fn artifact(&mut self, name: &str, text: &str) -> bool {
        self.output(name, Part::new(Content::Text(text)))
    }

    /// Adds an artifact of one part. Its data must be JSON. Whether there was
    /// room; if not, the task fails and says so, unless the skill fails it
    /// with a reason of its own.
    pub fn output(&mut self, name: &str, part: Part<'_>) -> bool {
        self.output_as(Label::new(name), part)
    }

    /// Adds an artifact of one part, with all that can be said of it. Its
    /// data must be JSON, its metadata an object. Whether there was room.
    pub fn output_as(&mut self, label: Label<'_>, part: Part<'_>) -> bool {
        let fine = label.metadata.is_empty() || self.is_metadata(label.metadata);
        fine && self.checked(&part) && self.begin(label, |pieces| pieces.whole_part(part))
    }

    /// Adds an artifact that is a typed value. Whether it is JSON and there
    /// was room.
    pub fn json<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> bool {
        let mut count = Sink::counter();
        if ser::to_sink(&mut count, value).is_err() {
            self.broken = Some(NO_JSON);
            return false;
        }
        let len = count.total();
        self.begin(Label::new(name), |pieces| {
            pieces.json(len, |sink| {
                let _ = ser::to_sink(sink, value);
            });
        })
    }

    /// Adds a part to the newest artifact, or begins one without a name
    /// . `last` says that nothing follows. Whether there was room.
    pub fn append(&mut self, part: Part<'_>, last: bool) -> bool {
        if !self.checked(&part) {
            return false;
        }
        let number = self.place.shared.number();
        let id = self.place.record.artifacts;
        if id == 0 {
            return self.begin(Label::default(), |pieces| pieces.whole_part(part));
        }
        let added = self.place.add(0, |pieces| {
            pieces.artifact(number, id, true, last);
            pieces.whole_part(part);
        });
        self.added(added)
    }

    /// Writes on at JSON text that has no Rust type, of which `len` bytes are
    /// written; gives how many are then. It stands in the result buffer of the
    /// table until [`with_draft`](Self::with_draft).
    pub fn draft(&mut self, len: usize, fill: impl FnOnce(&mut Sink<'_>)) -> usize {
        let mut rest = Sink::new(self.result.get_mut(len..).unwrap_or_default());
        fill(&mut rest);
        len.saturating_add(rest.total())
    }

    /// Lets `give` make output of the `len` bytes that were written with
    /// [`draft`](Self::draft); gives what it gives. If they did not fit, the
    /// task fails and says so.
    pub fn with_draft(&mut self, len: usize, give: impl FnOnce(&mut Self, &[u8]) -> bool) -> bool {
        let result = core::mem::take(&mut self.result);
        let given = match result.get(..len) {
            Some(text) => give(self, text),
            None => {
                self.need = self.need.max(Some((len, result.len())));
                false
            }
        };
        self.result = result;
        given
    }

    /// Data must be one JSON value: it goes out as it is.
    fn checked(&mut self, part: &Part<'_>) -> bool {
        let json = |text| crate::json::parse(text).is_ok();
        let fine = match part.content {
            Content::Data(text) => json(text),
            _ => true,
        };
        if !fine {
            self.broken = Some(NO_JSON);
            return false;
        }
        part.metadata.is_empty() || self.is_metadata(part.metadata)
    }

    fn is_metadata(&mut self, json: &[u8]) -> bool {
        if json.len() > METADATA_BYTES {
            self.broken = Some("metadata of the output is longer than 1024 bytes");
            return false;
        }
        let is_object = crate::json::parse(json).is_ok_and(|json| json.kind() == Json::Object);
        if !is_object {
            self.broken = Some("metadata of the output is no JSON object");
        }
        is_object
    }

    /// Begins an artifact, of which `write` writes the parts.
    fn begin(&mut self, label: Label<'_>, write: impl FnOnce(&mut Pieces<'_>)) -> bool {
        let number = self.place.shared.number();
        let id = self.place.record.artifacts.saturating_add(1);
        let added = self.place.add(0, |pieces| {
            pieces.artifact(number, id, false, false);
            pieces.label(label);
            write(pieces);
        });
        if added.is_ok() {
            self.place.record.artifacts = id;
        }
        self.added(added)
    }

    fn added(&mut self, added: Result<(), usize>) -> bool {
        if let Err(need) = added {
            self.need = self.need.max(Some((need, self.place.room.len())));
        }
        added.is_ok()
    }

    /// Makes the move that the step has come to.
    fn finish(mut self, step: Step) {
        let mut kind = step.0;
        let mut fault = false;
        // Who fails anyway says why in his own words.
        if let Some(why) = self.broken
            && !matches!(kind, Kind::Rejected | Kind::Failed)
        {
            self.report(why);
            (kind, fault) = (Kind::Failed, true);
        } else if let Some((need, room)) = self.need
            && kind != Kind::Failed
        {
            self.report_with(format_args!(
                "the output needs {need} bytes, a task has room for {room}"
            ));
            (kind, fault) = (Kind::Failed, true);
        }
        let first = self.place.record.step == 0;
        let next = self.place.now.after(1);
        self.place.record.wake = self.wake.unwrap_or(next).max(next);
        self.place.record.step = self.place.record.step.saturating_add(1);
        // The text lies in a buffer of its own.
        let len = self.text.end_with_ellipsis();
        let text = self.text.kept().get(..len).unwrap_or(&[]);
        let text = core::str::from_utf8(text).unwrap_or("");
        let reported = text;
        let json = self.json;
        let place = &mut self.place;
        let told = place.record.stop;
        let state = place.record.state();
        let (to, text) = match kind {
            // A tool that has asked begins anew with the answers.
            #[cfg(feature = "input")]
            Kind::Asked => {
                place.record.step = 0;
                return;
            }
            Kind::Pending | Kind::CannotStop => {
                if kind == Kind::CannotStop && told {
                    place.record.unstoppable = true;
                    place.record.stop = false;
                }
                let news = !text.is_empty() && place.free() >= place.room.len() / 2;
                match state {
                    Some(State::InputRequired) => return,
                    Some(State::Working) if !news => return,
                    _ => (State::Working, if news { text } else { "" }),
                }
            }
            Kind::Done if place.record.artifacts == 0 => {
                fault = true;
                (State::Failed, "the work ended without an output")
            }
            Kind::Done => (State::Completed, text),
            Kind::Said
                if first
                    && (place.record.talk == Talk::May || place.record.talk.is_elsewhere()) =>
            {
                place.record.talk = Talk::Said;
                (State::Completed, text)
            }
            Kind::Said => (State::Failed, "the work ended in a word, not in an output"),
            Kind::Failed if text.is_empty() => (State::Failed, "the work failed"),
            Kind::Failed => (State::Failed, text),
            Kind::Rejected => (State::Rejected, text),
            Kind::Stopped if told => (State::Canceled, text),
            Kind::Stopped if text.is_empty() => (State::Failed, "the work was stopped"),
            Kind::Stopped => (State::Failed, text),
            Kind::Ask => (State::InputRequired, text),
            Kind::AskLeave => (State::AuthRequired, text),
        };
        // Words of this side stand in for those of the skill.
        let said = (text, json && text == reported);
        if to.is_interrupted() {
            let same = place
                .status()
                .is_some_and(|status| status.state == to && status.text == text);
            if !same && !place.become_with(to, said) {
                place.fault(NO_ROOM_TO_ASK);
            }
        } else if fault {
            place.fault(text);
        } else {
            place.become_with(to, said);
        }
    }
}

/// Why a task fails whose log has no room for what it asks.
pub(super) const NO_ROOM_TO_ASK: &str = "the task has no room for a question";
const NO_JSON: &str = "the output is not JSON";

/// The newest message in a log, up to the number `until`.
fn newest(log: &[u8], until: u64) -> Option<Entry<'_>> {
    entries(log, until)
        .filter(|entry| matches!(entry.what, What::Message { .. }))
        .last()
}

/// Its parts.
pub(super) fn newest_parts(log: &[u8], until: u64) -> Parts<'_> {
    newest(log, until).map_or(Parts::NONE, |entry| entry.parts())
}

impl Tasks<'_> {
    /// Lets each task that is due take one step.
    ///
    /// Bound: each skill runs at most once for each task and each `now`.
    pub fn run<R: Runtime>(&mut self, runtime: &mut R, now: Instant) {
        self.run_skills(R::SKILLS, runtime, now);
    }

    /// The same with the skills of a table that is made at run time, those of
    /// the agent whose tasks they are (`a2a::Agent::skills`).
    pub fn run_skills<R: Journal + 'static>(
        &mut self,
        skills: &[Skill<R>],
        runtime: &mut R,
        now: Instant,
    ) {
        self.run_all(skills, None, runtime, now);
    }

    /// The same, with the tools whose calls have become tasks (feature
    /// `tasks`): those of the device that is served. Without them, such tasks
    /// are left alone.
    #[cfg(feature = "tasks")]
    pub fn run_with_tools<R: Journal + 'static>(
        &mut self,
        skills: &[Skill<R>],
        tools: &Catalog<R>,
        runtime: &mut R,
        now: Instant,
    ) {
        self.run_all(skills, Some(tools), runtime, now);
    }

    fn run_all<R: Journal + 'static>(
        &mut self,
        skills: &[Skill<R>],
        tools: Option<&Catalog<R>>,
        runtime: &mut R,
        now: Instant,
    ) {
        let count = self.records.len();
        self.first = if self.first.saturating_add(1) < count {
            self.first.saturating_add(1)
        } else {
            0
        };
        for turn in 0..count {
            let at = self.first.saturating_add(turn);
            let at = if at < count {
                at
            } else {
                at.wrapping_sub(count)
            };
            self.step(skills, tools, runtime, at, now);
        }
    }

    /// Offers a new task to the journal; whether it has it now.
    pub(crate) fn keep<J: Journal>(&mut self, journal: &mut J, task: Task, now: Instant) -> bool {
        let Some(at) = self
            .record(task)
            .filter(|record| !record.kept)
            .map(|_| task.at())
        else {
            return self.is_kept(task);
        };
        match self.place_at(at, now) {
            Some(mut place) => kept(&mut place, journal),
            None => false,
        }
    }

    fn place_at(&mut self, at: usize, now: Instant) -> Option<Place<'_>> {
        Some(Place {
            record: self.records.get_mut(at)?,
            room: Self::room(self.logs, self.share, at),
            shared: &mut self.shared,
            now,
        })
    }

    fn step<R: Journal + 'static>(
        &mut self,
        skills: &[Skill<R>],
        tools: Option<&Catalog<R>>,
        runtime: &mut R,
        at: usize,
        now: Instant,
    ) {
        let Some(record) = self.records.get_mut(at) else {
            return;
        };
        if !record.runs() || record.wake > now {
            return;
        }
        #[cfg(feature = "tasks")]
        if record.talk == Talk::Tool && tools.is_none() {
            return;
        }
        record.wake = now.after(1);
        let mut place = Place {
            record,
            room: Self::room(self.logs, self.share, at),
            shared: &mut self.shared,
            now,
        };
        if !kept(&mut place, runtime) {
            return;
        }
        let number = usize::from(place.record.skill);
        let Some(job) = job(place.record, skills, tools) else {
            place.become_(State::Rejected, "no skill of this agent takes the message");
            return;
        };
        take_step(place, self.result, number, |work| match job {
            Job::Skill(skill) => (skill.run)(runtime, work),
            #[cfg(feature = "tasks")]
            Job::Tool(entry) => run_tool(entry, runtime, work),
        });
    }
}

/// What does the work of a task.
enum Job<'s, R: 'static> {
    Skill(&'s Skill<R>),
    #[cfg(feature = "tasks")]
    Tool(&'static ToolEntry<R>),
}

/// What does the work of this record, if there is such.
fn job<'s, R>(
    record: &Record,
    skills: &'s [Skill<R>],
    tools: Option<&Catalog<R>>,
) -> Option<Job<'s, R>> {
    #[cfg(feature = "tasks")]
    if record.talk == Talk::Tool {
        return tools?.get(record.skill).map(Job::Tool);
    }
    let _ = tools;
    skills.get(usize::from(record.skill)).map(Job::Skill)
}

/// Lets a task take one step, and makes the move that it comes to.
pub(super) fn take_step(
    mut place: Place<'_>,
    result: &mut [u8],
    at: usize,
    run: impl FnOnce(&mut Work<'_>) -> Step,
) {
    if place.record.state() == Some(State::Submitted) {
        place.become_(State::Working, "");
    }
    let mut text = [0; STATUS_BYTES];
    let mut work = Work {
        place,
        result,
        at,
        text: Sink::new(&mut text),
        wake: None,
        need: None,
        broken: None,
        json: false,
    };
    let step = run(&mut work);
    work.finish(step);
}

/// Whether the journal has the record; a record that it can't keep fails.
fn kept<J: Journal>(place: &mut Place<'_>, journal: &mut J) -> bool {
    if place.record.kept {
        return true;
    }
    match journal.keep(place.record.id, place.log()) {
        Kept::Yes => {
            place.record.kept = true;
            true
        }
        Kept::NotYet => false,
        Kept::No => {
            place.record.kept = true;
            place.fault("the task cannot be kept by this device");
            false
        }
    }
}
