//! The table of records.

use core::fmt;

#[cfg(feature = "tasks")]
use super::ask;
#[cfg(feature = "tasks")]
use super::log::Kind;
use super::log::{FAILED_BY_DEVICE, JSON_TEXT, Pieces, STATUS_OVERHEAD, What, entries};
use super::state::State;
use crate::buf::Sink;
use crate::json::Text;
#[cfg(feature = "tasks")]
use crate::json::Value;
use crate::limits::STATUS_BYTES;
use crate::time::Instant;

/// Who asks: numbers that the policy in front of the core gives. They must
/// stay the same as long as a task of the caller is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Principal {
    /// The caller.
    pub id: u32,
    /// The tenant for whom he asks.
    pub tenant: u32,
    /// What he may do, a bit each; see [`Skill::scopes`](super::Skill::scopes).
    pub scopes: u32,
}

/// The id of a task: 128 random bits, written as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskId([u8; 16]);

impl TaskId {
    /// The id of these bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Reads an id as [`write`](Self::write) writes it, also where the JSON
    /// text escapes a digit. Other digits, such as capitals, name no task.
    pub(crate) fn read(text: Text<'_>) -> Option<Self> {
        let mut id = [0; 16];
        let mut digits = text.chars();
        for byte in &mut id {
            *byte = digit(digits.next()?)? << 4 | digit(digits.next()?)?;
        }
        digits.next().is_none().then_some(Self(id))
    }

    /// Writes its 32 digits.
    pub(crate) fn write(self, out: &mut Sink<'_>) {
        for byte in self.0 {
            out.byte(hex(byte >> 4));
            out.byte(hex(byte & 15));
        }
    }
}

fn digit(digit: char) -> Option<u8> {
    match digit {
        '0'..='9' | 'a'..='f' => u8::try_from(digit.to_digit(16)?).ok(),
        _ => None,
    }
}

fn hex(digit: u8) -> u8 {
    if digit < 10 {
        b'0' + digit
    } else {
        b'a' - 10 + digit
    }
}

/// A source of random bytes that needs more than a function: the handle of a
/// driver, say.
pub trait Random: Sync {
    /// Fills the bytes with random ones that nobody can guess.
    fn fill(&self, bytes: &mut [u8]);
}

/// Where the random bytes of a table come from. It is asked for 8 bytes once,
/// and for 32 for each new task.
#[derive(Clone, Copy)]
pub enum Entropy {
    /// From a function, which fills the bytes.
    Function(fn(&mut [u8])),
    /// From something that a function could not reach.
    Source(&'static dyn Random),
}

impl Entropy {
    pub(super) fn fill(self, bytes: &mut [u8]) {
        match self {
            Self::Function(fill) => fill(bytes),
            Self::Source(source) => source.fill(bytes),
        }
    }
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entropy")
    }
}

/// The rules of a table.
#[derive(Clone, Copy, Debug)]
pub struct TaskRules {
    /// How long a finished task is kept at least, in milliseconds. After it,
    /// its place may be taken, that of the task that ended first before
    /// others. An unfinished task is never dropped.
    pub retention_ms: u32,
    /// Where the bytes of ids come from, which nobody may guess.
    pub entropy: Entropy,
    /// Places that answers of extensions have, and nothing else; they have no
    /// other. So neither they nor work can be kept out by the other. 0: no
    /// message is taken for an extension.
    #[cfg(feature = "extensions")]
    pub spare: u8,
}

impl TaskRules {
    /// Ten minutes, with this source of random bytes.
    pub const fn new(entropy: fn(&mut [u8])) -> Self {
        Self {
            retention_ms: 600_000,
            entropy: Entropy::Function(entropy),
            #[cfg(feature = "extensions")]
            spare: 0,
        }
    }
}

/// A place for one task, without its log: for who places the memory of a
/// table otherwise than by [`TaskMemory`].
//
// All zeros where there is no task.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub(super) id: TaskId,
    pub(super) who: Principal,
    /// The number of its first entry, which no other record ever has.
    born: u64,
    /// The number of its last status.
    changed: u64,
    /// When its handler is due.
    pub(super) wake: Instant,
    pub(super) ended: Instant,
    pub(super) step: u32,
    pub(super) memo: u32,
    /// Bytes of its log.
    pub(super) len: u16,
    /// Where its last status stands in the log.
    status_at: u16,
    pub(super) artifacts: u16,
    /// The number of its state; 0 where there is no task.
    state: u8,
    pub(super) skill: u8,
    /// Whether the journal has it.
    pub(super) kept: bool,
    /// Whether the caller wants it stopped.
    pub(super) stop: bool,
    /// Whether its runtime has said that it cannot stop.
    pub(super) unstoppable: bool,
    pub(super) talk: Talk,
}

/// Whether a record is one of a task, and of which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Talk {
    Never = 0,
    /// Its first step may make it a word.
    May = 1,
    /// It holds a word to its caller, and no task: it is found by nobody, and
    /// stays as long as the word may be on its way.
    Said = 2,
    /// Its work is a tool of the catalog, at the place `skill`.
    #[cfg(feature = "tasks")]
    Tool = 3,
    /// An extension answers, and not the runtime.
    #[cfg(feature = "extensions")]
    Elsewhere = 4,
}

impl Talk {
    /// Whether an extension answers.
    pub(super) const fn is_elsewhere(self) -> bool {
        #[cfg(feature = "extensions")]
        return matches!(self, Self::Elsewhere);
        #[cfg(not(feature = "extensions"))]
        false
    }
}

/// How long a word stays at least, in milliseconds.
const WORD_MS: u64 = 5_000;
/// How long the answer of an extension stays at least, in milliseconds.
const ELSEWHERE_MS: u64 = 1_000;

impl Task {
    pub(super) fn at(self) -> usize {
        usize::from(self.at)
    }
}

impl Record {
    /// A place without a task.
    pub const FREE: Self = Self {
        id: TaskId([0; 16]),
        who: Principal {
            id: 0,
            tenant: 0,
            scopes: 0,
        },
        born: 0,
        changed: 0,
        wake: Instant::from_millis(0),
        ended: Instant::from_millis(0),
        step: 0,
        memo: 0,
        len: 0,
        status_at: 0,
        artifacts: 0,
        state: 0,
        skill: 0,
        kept: false,
        stop: false,
        unstoppable: false,
        talk: Talk::Never,
    };

    pub(super) fn state(&self) -> Option<State> {
        State::of(self.state)
    }

    /// Whether its runtime is to be stepped at some time.
    pub(super) fn runs(&self) -> bool {
        match self.state() {
            _ if self.talk.is_elsewhere() => false,
            Some(State::Submitted | State::Working | State::AuthRequired) => true,
            Some(State::InputRequired) => self.stop,
            _ => false,
        }
    }

    /// Whether an extension is to be stepped at some time.
    pub(super) fn waits_elsewhere(&self) -> bool {
        let open = self.state().is_some_and(|state| !state.is_terminal());
        open && self.talk.is_elsewhere()
    }

    /// Whether it is not the task of that id, or not his: 0 for no. The same
    /// work for both.
    fn differs(&self, who: Principal, id: TaskId) -> u32 {
        let mut differs = u32::from(self.state == 0) | u32::from(self.talk == Talk::Said);
        for (a, b) in self.id.0.iter().zip(id.0) {
            differs |= u32::from(a ^ b);
        }
        differs | (self.who.id ^ who.id) | (self.who.tenant ^ who.tenant)
    }

    fn is_of(&self, who: Principal) -> bool {
        self.state != 0
            && self.talk != Talk::Said
            && self.who.id == who.id
            && self.who.tenant == who.tenant
    }
}

/// The memory of a table of tasks, to be placed in a `static`.
///
/// * `SLOTS` tasks at once, finished ones that are still kept among them; at
///   most 255.
/// * `LOG` bytes for what one task comes to: its messages, statuses,
///   artifacts; at least 512.
/// * `RESULT` bytes: the largest result of a tool that is run as a skill or
///   whose call becomes a task, and the answers to its questions; 0 without
///   such a tool, else at least 192.
///
/// Beside its log, a task costs [`TaskMemory::TASK_BYTES`].
#[derive(Debug)]
pub struct TaskMemory<const SLOTS: usize, const LOG: usize, const RESULT: usize> {
    records: [Record; SLOTS],
    logs: [[u8; LOG]; SLOTS],
    result: [u8; RESULT],
}

impl<const SLOTS: usize, const LOG: usize, const RESULT: usize> TaskMemory<SLOTS, LOG, RESULT> {
    const FITS: () = {
        assert!(SLOTS <= u8::MAX as usize, "more than 255 tasks");
        assert!(
            LOG >= 512 && LOG <= u16::MAX as usize,
            "the log of a task has 512 to 65535 bytes"
        );
        assert!(
            RESULT == 0 || RESULT >= 192 && RESULT <= u16::MAX as usize,
            "a result buffer has 192 to 65535 bytes"
        );
    };

    /// Bytes of RAM that one task costs beside its log.
    pub const TASK_BYTES: usize = size_of::<Record>();

    /// Memory without a task.
    pub const fn new() -> Self {
        const { Self::FITS };
        Self {
            records: [Record::FREE; SLOTS],
            logs: [[0; LOG]; SLOTS],
            result: [0; RESULT],
        }
    }
}

impl<const SLOTS: usize, const LOG: usize, const RESULT: usize> Default
    for TaskMemory<SLOTS, LOG, RESULT>
{
    fn default() -> Self {
        Self::new()
    }
}

/// What all tasks share: the numbers of entries, and the clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    last: u64,
    /// A moment, and the time it was in milliseconds since 1970.
    clock: Option<(Instant, u64)>,
    /// Places that were taken from finished tasks.
    dropped: u32,
    /// The newest entry when it was looked for ends last.
    #[cfg(feature = "policy")]
    looked: u64,
}

/// A task that has ended.
#[cfg(feature = "policy")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) id: TaskId,
    pub(crate) who: Principal,
    pub(crate) at: Instant,
    pub(crate) state: State,
    /// Whether its work is a tool.
    pub(crate) tool: bool,
}

impl Shared {
    pub(super) fn number(&mut self) -> u64 {
        self.last = self.last.saturating_add(1);
        self.last
    }

    fn stamp(&self, now: Instant) -> u64 {
        self.clock.map_or(0, |(then, millis)| {
            millis.saturating_add(now.since(then)).max(1)
        })
    }
}

/// A task, as long as its place was not taken by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    at: u8,
    born: u64,
}

/// A new task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct New<'a> {
    pub(crate) who: Principal,
    /// The skill that takes it; nothing where none does.
    pub(crate) skill: Option<u8>,
    /// Whether that is the place of a tool in the catalog.
    #[cfg(feature = "tasks")]
    pub(crate) tool: bool,
    /// What its work has remembered.
    #[cfg(feature = "tasks")]
    pub(crate) memo: u32,
    /// Whether its first step may answer with a word.
    pub(crate) talks: bool,
    /// The context that the client named.
    pub(crate) context: Option<Text<'a>>,
    pub(crate) message: Text<'a>,
    /// Bytes of the pieces of the message.
    pub(crate) bytes: usize,
    /// Whether an extension answers it.
    #[cfg(feature = "extensions")]
    pub(crate) elsewhere: bool,
}

/// Why a message is not taken; nothing has happened then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Every place has an unfinished task, or one that must be kept.
    Full { slots: usize },
    /// It needs so many bytes of a log, of which there are so many.
    TooLong { need: usize, room: usize },
    /// The source of random bytes repeats itself.
    Entropy,
    /// The task does not wait for a message.
    Busy,
    /// The task is finished.
    Ended,
}

/// What comes of a wish to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The task was finished before.
    Ended,
    /// The runtime is told with its next step.
    Told,
}

/// Bytes that are kept free for the last status and its text.
pub(super) const RESERVE: usize = STATUS_OVERHEAD + STATUS_BYTES;

/// The tasks of a device.
#[derive(Debug)]
pub struct Tasks<'m> {
    pub(super) records: &'m mut [Record],
    pub(super) logs: &'m mut [u8],
    pub(super) result: &'m mut [u8],
    pub(super) shared: Shared,
    pub(super) rules: TaskRules,
    /// Bytes of `logs` for each task.
    pub(super) share: usize,
    /// The record that is stepped first, so that all get their turn.
    pub(super) first: usize,
    /// Makes the tokens of pages unlike those of another start.
    secret: u64,
}

impl<'m> Tasks<'m> {
    /// A table over this memory; what was in it is forgotten.
    pub fn new<const SLOTS: usize, const LOG: usize, const RESULT: usize>(
        memory: &'m mut TaskMemory<SLOTS, LOG, RESULT>,
        rules: TaskRules,
    ) -> Self {
        let logs = memory.logs.as_flattened_mut();
        Self::over(&mut memory.records, logs, LOG, &mut memory.result, rules)
    }

    /// The same over memory that was placed otherwise: as many tasks as there
    /// are `records`, each with a `share` of so many bytes of `logs`. What
    /// [`TaskMemory`] asks of its sizes holds here too: with less, tasks are
    /// refused for want of room, and what is more is not used.
    pub fn over(
        records: &'m mut [Record],
        logs: &'m mut [u8],
        share: usize,
        result: &'m mut [u8],
        rules: TaskRules,
    ) -> Self {
        let most = records.len().min(usize::from(u8::MAX));
        let records = records.get_mut(..most).unwrap_or_default();
        let share = share.min(usize::from(u16::MAX));
        records.fill(Record::FREE);
        let mut secret = [0; 8];
        rules.entropy.fill(&mut secret);
        Self {
            records,
            logs,
            result,
            shared: Shared {
                last: 0,
                clock: None,
                dropped: 0,
                #[cfg(feature = "policy")]
                looked: 0,
            },
            rules,
            share,
            first: 0,
            secret: u64::from_le_bytes(secret),
        }
    }

    /// Tells what time it is: `unix_millis` milliseconds since 1970 (UTC) at
    /// `now`. Without it, tasks have no times. The time of one task
    /// never goes back, even if the clock does.
    pub fn set_clock(&mut self, unix_millis: u64, now: Instant) {
        self.shared.clock = Some((now, unix_millis));
    }

    /// How many tasks there are, finished ones that are still kept among
    /// them.
    pub fn count(&self) -> usize {
        let tasks = self.records.iter();
        tasks
            .filter(|one| one.state != 0 && one.talk != Talk::Said)
            .count()
    }

    /// When [`run`](Self::run) is due; `None` if no task waits for time.
    pub fn wake(&self) -> Option<Instant> {
        let waits = |one: &&Record| one.runs() || one.waits_elsewhere();
        let due = self.records.iter().filter(waits);
        due.map(|one| one.wake).min()
    }

    pub(super) fn record(&self, task: Task) -> Option<&Record> {
        let record = self.records.get(usize::from(task.at))?;
        (record.born == task.born && record.state != 0).then_some(record)
    }

    /// The log of a record, and what is free behind it.
    pub(super) fn room(logs: &mut [u8], share: usize, at: usize) -> &mut [u8] {
        let start = share.saturating_mul(at);
        logs.get_mut(start..start.saturating_add(share))
            .unwrap_or_default()
    }

    fn log_at(&self, at: usize, len: u16) -> &[u8] {
        let start = self.share.saturating_mul(at);
        let end = start.saturating_add(usize::from(len));
        self.logs.get(start..end).unwrap_or(&[])
    }

    /// What a task has come to; nothing once its place was taken.
    pub(crate) fn log(&self, task: Task) -> Option<&[u8]> {
        let record = self.record(task)?;
        Some(self.log_at(usize::from(task.at), record.len))
    }

    pub(crate) fn id(&self, task: Task) -> Option<TaskId> {
        self.record(task).map(|record| record.id)
    }

    pub(crate) fn state(&self, task: Task) -> Option<State> {
        self.record(task)?.state()
    }

    /// Whether the journal has it.
    pub(crate) fn is_kept(&self, task: Task) -> bool {
        self.record(task).is_none_or(|record| record.kept)
    }

    /// Whether its runtime has said that it cannot stop.
    pub(crate) fn is_unstoppable(&self, task: Task) -> bool {
        self.record(task).is_some_and(|record| record.unstoppable)
    }

    /// Whether its first step has still to say whether it is one.
    pub(crate) fn is_open(&self, task: Task) -> bool {
        self.record(task).is_some_and(|record| {
            let ended = record.state().is_none_or(State::is_terminal);
            let may = record.talk == Talk::May || record.talk.is_elsewhere();
            may && record.step == 0 && !ended
        })
    }

    /// The number of the word that it holds instead of a task.
    pub(crate) fn word(&self, task: Task) -> Option<u64> {
        let record = self.record(task)?;
        (record.talk == Talk::Said).then_some(record.changed)
    }

    /// The place of its skill; nothing for a tool.
    pub(crate) fn skill(&self, task: Task) -> Option<u8> {
        let record = self.record(task)?;
        #[cfg(feature = "tasks")]
        if record.talk == Talk::Tool {
            return None;
        }
        Some(record.skill)
    }

    /// The place of the tool that does its work; nothing for a skill.
    #[cfg(feature = "tasks")]
    pub(crate) fn tool(&self, task: Task) -> Option<u8> {
        let record = self.record(task)?;
        (record.talk == Talk::Tool).then_some(record.skill)
    }

    /// The scopes that a sender of messages needs, beside those of a skill.
    #[cfg(feature = "tasks")]
    pub(crate) fn needs(&self, task: Task) -> u32 {
        self.log(task).map_or(0, ask::needs)
    }

    /// Whether the device has failed, not the work of the task.
    #[cfg(feature = "tasks")]
    pub(crate) fn is_fault(&self, task: Task) -> bool {
        let log = self.log(task).unwrap_or(&[]);
        let last = self.record(task).map_or(0, |record| record.status_at);
        let newest = log.get(usize::from(last)..).unwrap_or(&[]);
        let newest = entries(newest, u64::MAX).next().map(|entry| entry.what);
        matches!(newest, Some(What::Status(status)) if status.fault)
    }

    /// How long a finished task is kept at least, in milliseconds.
    #[cfg(feature = "tasks")]
    pub(crate) fn retention_ms(&self) -> u32 {
        self.rules.retention_ms
    }

    /// The number of the newest entry of all: what is written up to here is
    /// what stands now.
    pub(crate) fn last(&self) -> u64 {
        self.shared.last
    }

    /// The next task that has ended since this was asked before, in the
    /// order of their ends, each once. One that was not taken in the first
    /// place is none.
    #[cfg(feature = "policy")]
    pub(crate) fn ended(&mut self) -> Option<End> {
        let looked = self.shared.looked;
        if looked == self.shared.last {
            return None;
        }
        let ended = self.records.iter().filter(|one| {
            let taken = one.skill != u8::MAX || one.state() != Some(State::Rejected);
            one.changed > looked && taken && one.state().is_some_and(State::is_terminal)
        });
        let Some(record) = ended.min_by_key(|one| one.changed) else {
            self.shared.looked = self.shared.last;
            return None;
        };
        self.shared.looked = record.changed;
        #[cfg(feature = "tasks")]
        let tool = record.talk == Talk::Tool;
        #[cfg(not(feature = "tasks"))]
        let tool = false;
        Some(End {
            id: record.id,
            who: record.who,
            at: record.ended,
            state: record.state()?,
            tool,
        })
    }

    /// How many tasks were dropped so far.
    pub(crate) fn dropped(&self) -> u32 {
        self.shared.dropped
    }

    pub(crate) fn secret(&self) -> u64 {
        self.secret
    }

    /// The task of that id, if it is his. A task that is not his is looked at
    /// exactly like one that is not there: every record costs the same
    /// work.
    pub(crate) fn find(&self, who: Principal, id: TaskId) -> Option<Task> {
        let mut found = None;
        for (at, record) in self.records.iter().enumerate() {
            if record.differs(who, id) == 0 {
                found = Some(Task {
                    at: at as u8,
                    born: record.born,
                });
            }
        }
        found
    }

    /// The tasks of one caller.
    pub(crate) fn of(&self, who: Principal) -> impl Iterator<Item = Task> {
        let mine = self.records.iter().enumerate();
        mine.filter(move |(_, record)| record.is_of(who))
            .map(|(at, record)| Task {
                at: at as u8,
                born: record.born,
            })
    }

    /// The number of the status that a task had when `until` was the newest
    /// entry; nothing if it was not there yet.
    pub(crate) fn changed(&self, task: Task, until: u64) -> Option<u64> {
        let record = self.record(task)?;
        if record.changed <= until {
            return Some(record.changed);
        }
        let log = self.log_at(usize::from(task.at), record.len);
        let statuses = entries(log, until).filter(|one| matches!(one.what, What::Status(_)));
        statuses.map(|one| one.number).last()
    }

    /// The task of his to which he has sent a message of that id, and whether
    /// that message had the same content as `write` writes now.
    pub(crate) fn sent(
        &self,
        who: Principal,
        id: Text<'_>,
        mut write: impl FnMut(&mut Pieces<'_>),
    ) -> Option<(Task, bool)> {
        for task in self.of(who) {
            // An extension answers each message anew.
            if (self.record(task)).is_some_and(|record| record.talk.is_elsewhere()) {
                continue;
            }
            let log = self.log(task).unwrap_or(&[]);
            for entry in entries(log, u64::MAX) {
                let What::Message { id: other } = entry.what else {
                    continue;
                };
                if other.is_empty() || !id.is(other) {
                    continue;
                }
                let mut pieces = Pieces::compare(entry.pieces());
                write(&mut pieces);
                let same = matches!(
                    pieces,
                    Pieces::Compare {
                        rest: [],
                        same: true
                    }
                );
                return Some((task, same));
            }
        }
        None
    }

    /// Records a new task, of which `write` writes the message.
    ///
    /// # Errors
    /// See [`Refusal`]; nothing has changed then.
    pub(crate) fn create(
        &mut self,
        new: New<'_>,
        now: Instant,
        write: impl FnOnce(&mut Pieces<'_>),
    ) -> Result<Task, Refusal> {
        let mut head = Pieces::counter();
        match new.context {
            Some(context) => head.context_text(context),
            None => head.context(&[0; 32]),
        }
        head.message(0, new.message);
        // The statuses of a beginning, and of an end.
        let need = head
            .total()
            .saturating_add(new.bytes)
            .saturating_add(2 * STATUS_OVERHEAD + RESERVE);
        if need > self.share {
            let room = self.share;
            return Err(Refusal::TooLong { need, room });
        }
        #[cfg(feature = "extensions")]
        let elsewhere = new.elsewhere;
        #[cfg(not(feature = "extensions"))]
        let elsewhere = false;
        let slots = self.slots(elsewhere);
        let at = (self.place(now, elsewhere, slots)).ok_or(Refusal::Full { slots })?;
        let (id, context) = self.draw().ok_or(Refusal::Entropy)?;
        let Some(record) = self.records.get_mut(at) else {
            return Err(Refusal::Full { slots: 0 });
        };
        if record.state != 0 {
            self.shared.dropped = self.shared.dropped.wrapping_add(1);
        }
        let born = self.shared.number();
        *record = Record {
            id,
            who: new.who,
            born,
            wake: now,
            skill: new.skill.unwrap_or(u8::MAX),
            talk: if new.talks { Talk::May } else { Talk::Never },
            #[cfg(feature = "extensions")]
            kept: elsewhere,
            ..Record::FREE
        };
        #[cfg(feature = "tasks")]
        {
            record.memo = new.memo;
            if new.tool {
                record.talk = Talk::Tool;
            }
        }
        #[cfg(feature = "extensions")]
        if elsewhere {
            record.talk = Talk::Elsewhere;
        }
        let room = Self::room(self.logs, self.share, at);
        let mut pieces = Pieces::Write(Sink::new(room));
        match new.context {
            Some(context) => pieces.context_text(context),
            None => {
                let mut digits = [0; 32];
                let mut sink = Sink::new(&mut digits);
                context.write(&mut sink);
                pieces.context(&digits);
            }
        }
        pieces.message(born, new.message);
        write(&mut pieces);
        if let Pieces::Write(sink) = &pieces {
            record.len = u16::try_from(sink.filled()).unwrap_or(u16::MAX);
        }
        let mut place = Place {
            record,
            room,
            shared: &mut self.shared,
            now,
        };
        place.set(State::Submitted, ("", false));
        if new.skill.is_none() && !elsewhere {
            place.become_(State::Rejected, "no skill of this agent takes the message");
            place.record.kept = true;
        }
        let at = u8::try_from(at).unwrap_or(u8::MAX);
        Ok(Task { at, born })
    }

    /// Places of answers of extensions, or of all others.
    fn slots(&self, elsewhere: bool) -> usize {
        #[cfg(feature = "extensions")]
        let spare = usize::from(self.rules.spare);
        #[cfg(not(feature = "extensions"))]
        let spare = 0;
        let spare = spare.min(self.records.len());
        if elsewhere {
            return spare;
        }
        self.records.len().wrapping_sub(spare)
    }

    /// Where a new task may go: a free place, or that of the task that ended
    /// first, if it was kept long enough; of its kind there may be `slots`.
    fn place(&self, now: Instant, elsewhere: bool, slots: usize) -> Option<usize> {
        let alike = |one: &Record| one.state != 0 && one.talk.is_elsewhere() == elsewhere;
        if self.records.iter().filter(|one| alike(one)).count() < slots
            && let Some(at) = self.records.iter().position(|one| one.state == 0)
        {
            return Some(at);
        }
        let retention = u64::from(self.rules.retention_ms);
        let old = self.records.iter().enumerate().filter(|(_, one)| {
            if !alike(one) && one.talk != Talk::Said {
                return false;
            }
            let retention = match one.talk {
                Talk::Said => WORD_MS.min(retention),
                talk if talk.is_elsewhere() => ELSEWHERE_MS.min(retention),
                _ => retention,
            };
            one.state().is_none_or(State::is_terminal) && now.since(one.ended) >= retention
        });
        // A word before a task.
        old.min_by_key(|(_, one)| (one.talk != Talk::Said, one.ended, one.born))
            .map(|(at, _)| at)
    }

    /// The ids of a new task and of a new context. `None`: the source gives
    /// what it gave before.
    fn draw(&self) -> Option<(TaskId, TaskId)> {
        let mut bytes = [0; 32];
        self.rules.entropy.fill(&mut bytes);
        let (id, context) = bytes.split_first_chunk::<16>()?;
        let id = TaskId(*id);
        let context = TaskId(*context.first_chunk::<16>()?);
        let taken = self.records.iter().any(|one| one.id == id);
        (!taken && id != context && id != TaskId([0; 16])).then_some((id, context))
    }

    /// Adds a message of the caller to a task that waits for one, or whose
    /// skill listens while it works; it goes on with it.
    ///
    /// # Errors
    /// See [`Refusal`]; nothing has changed then.
    pub(crate) fn go_on(
        &mut self,
        task: Task,
        who: Principal,
        (message, listens): (Text<'_>, bool),
        now: Instant,
        write: impl FnOnce(&mut Pieces<'_>),
    ) -> Result<(), Refusal> {
        let share = self.share;
        let Some(record) = self
            .records
            .get_mut(usize::from(task.at))
            .filter(|record| record.born == task.born)
        else {
            return Err(Refusal::Ended);
        };
        match record.state() {
            Some(state) if state.is_interrupted() && !record.stop => {}
            Some(State::Submitted | State::Working) if listens && record.kept && !record.stop => {}
            Some(state) if !state.is_terminal() => return Err(Refusal::Busy),
            _ => return Err(Refusal::Ended),
        }
        let room = Self::room(self.logs, share, usize::from(task.at));
        let mut place = Place {
            record,
            room,
            shared: &mut self.shared,
            now,
        };
        // The status that follows must fit too.
        let number = place.shared.last.saturating_add(1);
        place
            .add(STATUS_OVERHEAD, |pieces| {
                pieces.message(number, message);
                write(pieces);
            })
            .map_err(|need| Refusal::TooLong { need, room: share })?;
        place.shared.last = number;
        place.become_(State::Working, "");
        place.record.who = who;
        place.record.wake = now;
        Ok(())
    }

    /// Takes responses to the questions of a task, by the names that they
    /// have outside. Others are ignored (M-162). Once none is open, the task
    /// goes on, as that of who has answered. Whether any was taken.
    ///
    /// # Errors
    /// See [`Refusal`]; nothing has changed then.
    #[cfg(feature = "tasks")]
    pub(crate) fn answer(
        &mut self,
        task: Task,
        who: Principal,
        responses: Value<'_>,
        now: Instant,
    ) -> Result<bool, Refusal> {
        let share = self.share;
        let Some(record) = self
            .records
            .get_mut(usize::from(task.at))
            .filter(|record| record.born == task.born && !record.stop)
        else {
            return Ok(false);
        };
        let room = Self::room(self.logs, share, usize::from(task.at));
        let len = usize::from(record.len);
        let Some((log, rest)) = room.split_at_mut_checked(len) else {
            return Ok(false);
        };
        let log = &*log;
        let mut count = Sink::counter();
        let open = ask::open_answers(&mut count, log, responses);
        if count.total() == 0 {
            return Ok(false);
        }
        let number = self.shared.last.saturating_add(1);
        let mut pieces = Pieces::Write(Sink::new(rest));
        pieces.message(number, Text::checked(b""));
        match ask::words(log, responses) {
            Some(words) => pieces.part_text(Kind::Text, words),
            None => pieces.json(count.total(), |out| {
                ask::open_answers(out, log, responses);
            }),
        }
        let end = len.saturating_add(pieces.total());
        // The status that follows must fit too.
        let need = end.saturating_add(RESERVE + STATUS_OVERHEAD);
        if need > share {
            return Err(Refusal::TooLong { need, room: share });
        }
        record.len = u16::try_from(end).unwrap_or(u16::MAX);
        record.who = who;
        self.shared.last = number;
        if open == 0 {
            let mut place = Place {
                record,
                room,
                shared: &mut self.shared,
                now,
            };
            place.become_(State::Working, "");
            place.record.wake = now;
        }
        Ok(true)
    }

    /// Wants a task stopped. Work that has not begun is stopped by that; any
    /// other is told, and says what has come of it.
    pub(crate) fn stop(&mut self, task: Task, now: Instant) -> Stop {
        let share = self.share;
        let shared = &mut self.shared;
        let Some(record) = self
            .records
            .get_mut(usize::from(task.at))
            .filter(|record| record.born == task.born)
        else {
            return Stop::Ended;
        };
        match record.state() {
            // What an extension does is not stopped by that: only its answer
            // is not waited for.
            Some(state)
                if state == State::Submitted
                    || record.talk.is_elsewhere() && !state.is_terminal() =>
            {
                let room = Self::room(self.logs, share, usize::from(task.at));
                let mut place = Place {
                    record,
                    room,
                    shared,
                    now,
                };
                place.become_(State::Canceled, "");
                Stop::Told
            }
            Some(state) if !state.is_terminal() => {
                record.stop = true;
                record.unstoppable = false;
                record.wake = now;
                Stop::Told
            }
            _ => Stop::Ended,
        }
    }
}

/// One record and its log, to be changed.
pub(super) struct Place<'p> {
    pub(super) record: &'p mut Record,
    /// The log, and what is free behind it.
    pub(super) room: &'p mut [u8],
    pub(super) shared: &'p mut Shared,
    pub(super) now: Instant,
}

impl Place<'_> {
    /// The log.
    pub(super) fn log(&self) -> &[u8] {
        self.room.get(..usize::from(self.record.len)).unwrap_or(&[])
    }

    /// Adds what `write` writes, if there is room for it, for the last status
    /// and for `spare` more bytes.
    ///
    /// `Err`: the bytes that the log would need.
    pub(super) fn add(
        &mut self,
        spare: usize,
        write: impl FnOnce(&mut Pieces<'_>),
    ) -> Result<(), usize> {
        let len = usize::from(self.record.len);
        let mut pieces = Pieces::Write(Sink::new(self.room.get_mut(len..).unwrap_or_default()));
        write(&mut pieces);
        let Pieces::Write(sink) = &pieces else {
            return Err(0);
        };
        let end = len.saturating_add(sink.total());
        let need = end.saturating_add(RESERVE).saturating_add(spare);
        if need > self.room.len() {
            return Err(need);
        }
        self.record.len = u16::try_from(end).unwrap_or(u16::MAX);
        Ok(())
    }

    /// Bytes that are free, the reserve of the last status not counted.
    pub(super) fn free(&self) -> usize {
        self.room
            .len()
            .saturating_sub(usize::from(self.record.len))
            .saturating_sub(RESERVE)
    }

    /// Makes the move if it is legal. Text that is longer than
    /// [`STATUS_BYTES`] ends with an ellipsis.
    pub(super) fn become_(&mut self, state: State, text: &str) -> bool {
        self.become_with(state, (text, false))
    }

    /// The same, with a text that may be a JSON object, which is never too
    /// long.
    pub(super) fn become_with(&mut self, state: State, said: (&str, bool)) -> bool {
        let legal = self.record.state().is_some_and(|now| now.may_become(state));
        legal && self.set(state, said)
    }

    /// The same for a failure of the device, not of the work.
    pub(super) fn fault(&mut self, text: &str) -> bool {
        let state = State::Failed;
        let legal = self.record.state().is_some_and(|now| now.may_become(state));
        legal && self.put(state, FAILED_BY_DEVICE, text)
    }

    /// Writes a status. Only an end may use what is kept free for it.
    fn set(&mut self, state: State, (text, json): (&str, bool)) -> bool {
        let told = state as u8 | if json { JSON_TEXT } else { 0 };
        self.put(state, told, text)
    }

    /// The same, told in the log by this number.
    fn put(&mut self, state: State, told: u8, text: &str) -> bool {
        let mut short = [0; STATUS_BYTES];
        let mut sink = Sink::new(&mut short);
        sink.text(text);
        let text = sink.end_with_ellipsis();
        let text = short.get(..text).unwrap_or(&[]);
        let ends = state.is_terminal();
        let need = STATUS_OVERHEAD.saturating_add(text.len());
        let first = self.record.state == 0;
        if !ends && !first && need > self.free() {
            return false;
        }
        let at = self.record.len;
        let mut stamp = self.shared.stamp(self.now);
        if let (Some(last), true) = (self.status(), stamp != 0) {
            stamp = stamp.max(last.unix_millis);
        }
        let number = self.shared.number();
        let room = self.room.get_mut(usize::from(at)..).unwrap_or_default();
        let mut pieces = Pieces::Write(Sink::new(room));
        pieces.status(number, told, stamp, text);
        let len = match &pieces {
            Pieces::Write(sink) => sink.filled(),
            Pieces::Compare { .. } => 0,
        };
        let end = usize::from(at).saturating_add(len);
        self.record.len = u16::try_from(end).unwrap_or(u16::MAX);
        self.record.status_at = at;
        self.record.state = state as u8;
        self.record.changed = number;
        if ends {
            self.record.ended = self.now;
        }
        true
    }

    /// The last status.
    pub(super) fn status(&self) -> Option<super::log::Status<'_>> {
        let log = self.log().get(usize::from(self.record.status_at)..)?;
        match entries(log, u64::MAX).next()?.what {
            What::Status(status) if self.record.state != 0 => Some(status),
            _ => None,
        }
    }
}
