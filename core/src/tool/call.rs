//! One call, as its handler sees it.

use core::fmt;

use serde::Serialize;

use super::answer::{Blocks, Data, Outcome};
use super::args::{Arg, Args};
use super::catalog::Entry;
use super::check::check_result;
#[cfg(feature = "input")]
use super::descriptor::{Asks, Capabilities};
#[cfg(feature = "input")]
use super::input::{CONFIRM, Form, InputRequest, InputResponse, Inputs};
#[cfg(feature = "logging")]
use super::log::Level;
use crate::buf::Sink;
use crate::json::Value;
use crate::time::Instant;

/// A proof that a handler has answered; made by the methods of [`Call`].
#[must_use = "a handler returns it"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Done,
    Pending,
}

impl Answer {
    const DONE: Self = Self(Kind::Done);
    pub(super) const PENDING: Self = Self(Kind::Pending);

    /// Whether the handler wants to be called again.
    pub fn is_pending(self) -> bool {
        self.0 == Kind::Pending
    }
}

/// What a call has told of its progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Steps done; rises with each report (M-127).
    pub done: u32,
    /// Steps in all; 0 if not known.
    pub total: u32,
}

/// One call: its arguments, the time, and the place for its result.
#[derive(Debug)]
pub struct Call<'c> {
    args: Args<'c>,
    now: Instant,
    step: u32,
    blocks: Blocks,
    buf: &'c mut [u8],
    outcome: &'c mut Outcome,
    progress: Option<Progress>,
    wake: Option<Instant>,
    memo: u32,
    cancelled: bool,
    place: u8,
    #[cfg(feature = "a2a")]
    task: bool,
    #[cfg(feature = "input")]
    inputs: Inputs<'c>,
    /// The least serious message that the caller wants.
    #[cfg(feature = "logging")]
    level: Option<Level>,
}

impl<'c> Call<'c> {
    /// A call at its step `step`, its result going to `buf`.
    pub(crate) fn new(
        args: Args<'c>,
        now: Instant,
        step: u32,
        blocks: Blocks,
        buf: &'c mut [u8],
        outcome: &'c mut Outcome,
    ) -> Self {
        outcome.clear();
        Self {
            args,
            now,
            step,
            blocks,
            buf,
            outcome,
            progress: None,
            wake: None,
            memo: 0,
            cancelled: false,
            place: 0,
            #[cfg(feature = "a2a")]
            task: false,
            #[cfg(feature = "input")]
            inputs: Inputs::new(None, Capabilities::NONE),
            #[cfg(feature = "logging")]
            level: None,
        }
    }

    /// The same call, whose caller wants messages from this level on.
    #[cfg(feature = "logging")]
    pub(crate) fn with_level(mut self, level: Option<Level>) -> Self {
        self.level = level;
        self
    }

    /// Whether the caller wants messages of this level: for messages that
    /// are costly to make.
    #[cfg(feature = "logging")]
    pub fn logs(&self, level: Level) -> bool {
        self.level.is_some_and(|least| level >= least)
    }

    /// Tells the caller what goes on, if he asked for messages of this level
    /// (M-131, M-132). No secrets, no personal data (M-134).
    ///
    /// The messages of one step stand in the result buffer, before the
    /// result, until they are sent; one that does not fit ends with an
    /// ellipsis. Logging is deprecated in MCP 2026-07-28: for programs that
    /// need it for older clients.
    #[cfg(feature = "logging")]
    pub fn log(&mut self, level: Level, text: fmt::Arguments<'_>) {
        if self.logs(level) {
            self.outcome.log(self.buf, level, |sink| {
                let _ = fmt::Write::write_fmt(sink, text);
            });
        }
    }

    /// The same call, with the answers to the questions that it asked.
    #[cfg(feature = "input")]
    pub(crate) fn with_inputs(mut self, inputs: Inputs<'c>) -> Self {
        self.inputs = inputs;
        self
    }

    /// The same call, of the tool at this place of the catalog.
    pub(crate) fn of(mut self, place: u8) -> Self {
        self.place = place;
        self
    }

    /// The place of the tool in the catalog, from 0: for one handler behind
    /// several tools, as a table of another language needs it.
    pub fn place(&self) -> usize {
        usize::from(self.place)
    }

    /// The same call, whose handler left this the last time.
    pub(crate) fn with_memo(mut self, memo: u32) -> Self {
        self.memo = memo;
        self
    }

    /// What the handler has left with [`remember`](Self::remember) in an
    /// earlier step of this call; 0 if nothing.
    pub fn memo(&self) -> u32 {
        self.memo
    }

    /// Keeps a number for the next steps of this call: the number of the job
    /// that it began, for one, so that it does not take another job for its
    /// own.
    pub fn remember(&mut self, memo: u32) {
        self.memo = memo;
    }

    /// The same call, as the work of a task.
    #[cfg(feature = "a2a")]
    pub(crate) fn in_task(mut self) -> Self {
        self.task = true;
        self
    }

    /// Whether it is the work of a task: its caller has its answer already,
    /// and asks after the result.
    #[cfg(feature = "a2a")]
    pub fn is_task(&self) -> bool {
        self.task
    }

    /// The same call, given up by the caller.
    pub(crate) fn cancelled(mut self) -> Self {
        self.cancelled = true;
        self
    }

    /// Whether the caller has given up the call. The handler of a polled tool
    /// is then called this one last time, to stop what it began; what it
    /// answers is dropped.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// The time at which the handler was called.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// How often the handler of this call was called before: 0 the first
    /// time, when work starts.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// The checked arguments.
    pub fn args(&self) -> &Args<'c> {
        &self.args
    }

    /// The parameter at place `at` of the descriptor; see [`Args::get`].
    pub fn get<T: Arg<'c>>(&self, at: usize) -> Option<T> {
        self.args.get(at)
    }

    /// Tells how far the work is. It reaches the caller if he asked for it;
    /// a report that does not rise is dropped (M-127).
    pub fn progress(&mut self, done: u32, total: u32) {
        self.progress = Some(Progress { done, total });
    }

    /// When the handler wants to be called again, at the latest, if it
    /// answers "not yet". Without it, or with 0: a millisecond later.
    pub fn wake_after(&mut self, millis: u32) {
        self.wake = Some(self.now.after(millis));
    }

    /// Adds a text and answers "done".
    pub fn text(&mut self, text: &str) -> Answer {
        self.outcome.text(self.buf, |sink| sink.text(text));
        Answer::DONE
    }

    /// Adds a formatted text and answers "done".
    ///
    /// Floats in it bring the formatting code of `core` along, which keeps
    /// panic paths; integers and text do not.
    pub fn format(&mut self, text: fmt::Arguments<'_>) -> Answer {
        self.outcome.text(self.buf, |sink| {
            let _ = fmt::Write::write_fmt(sink, text);
        });
        Answer::DONE
    }

    /// Answers "failed", with the reason in words for the caller (M-120).
    /// Other parts of the result are dropped.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub fn fail(&mut self, reason: &str) -> Answer {
        self.outcome.refuse(self.buf, |sink| sink.text(reason));
        Answer::DONE
    }

    /// Answers "failed", with a formatted reason.
    pub fn fail_with(&mut self, reason: fmt::Arguments<'_>) -> Answer {
        self.outcome.refuse(self.buf, |sink| {
            let _ = fmt::Write::write_fmt(sink, reason);
        });
        Answer::DONE
    }

    /// Gives the structured result and answers "done".
    pub fn structured<T: Serialize + ?Sized>(&mut self, value: &T) -> Answer {
        self.outcome.json(self.buf, value);
        Answer::DONE
    }

    /// Writes on at a structured result that has no Rust type, of which `len`
    /// bytes are written; gives how many are then. No other part may be added
    /// before [`drafted`](Self::drafted).
    ///
    /// What is written must be JSON text once it is whole: it is sent as it
    /// stands, and only checked against the tool's `output`.
    pub fn draft(&mut self, len: usize, fill: impl FnOnce(&mut Sink<'_>)) -> usize {
        self.outcome.draft(self.buf, len, fill)
    }

    /// Gives the structured result of `len` bytes that was written with
    /// [`draft`](Self::draft), and answers "done".
    pub fn drafted(&mut self, len: usize) -> Answer {
        self.outcome.drafted(self.buf, len);
        Answer::DONE
    }

    /// Adds a picture.
    pub fn image(&mut self, data: Data<'_>, mime: &str) -> Answer {
        self.outcome.image(self.buf, data, mime);
        Answer::DONE
    }

    /// Adds a sound; a text in its place for a client whose protocol version
    /// has none (before 2025-03-26).
    pub fn audio(&mut self, data: Data<'_>, mime: &str) -> Answer {
        if self.blocks.audio {
            self.outcome.audio(self.buf, data, mime);
            Answer::DONE
        } else {
            self.format(format_args!("[sound of type {mime}]"))
        }
    }

    /// Adds a link to a resource; a text in its place for a client whose
    /// protocol version has none (before 2025-06-18).
    pub fn link(&mut self, uri: &str, name: &str, mime: &str) -> Answer {
        if self.blocks.links {
            self.outcome.link(self.buf, uri, name, mime);
            Answer::DONE
        } else {
            self.format(format_args!("{name}: {uri}"))
        }
    }

    /// Adds a resource of text.
    pub fn resource_text(&mut self, uri: &str, mime: &str, text: &str) -> Answer {
        self.outcome.resource_text(self.buf, uri, mime, text);
        Answer::DONE
    }

    /// Adds a resource of bytes.
    pub fn resource_blob(&mut self, uri: &str, mime: &str, data: Data<'_>) -> Answer {
        self.outcome.resource_blob(self.buf, uri, mime, data);
        Answer::DONE
    }
}

/// Questions to the caller. A handler asks before it does anything, and
/// answers with [`need_input`](Call::need_input) (or `Poll::Pending`) while
/// one of its questions has no answer. It is then called again from step 0,
/// with the answers and with what it left by [`remember`](Call::remember):
/// in the modern era because the client has sent the call anew, in the legacy
/// era by itself. The tool must be declared to ask ([`Asks`]).
#[cfg(feature = "input")]
impl<'c> Call<'c> {
    /// What the client has declared that it can be asked (M-146).
    pub fn client(&self) -> Capabilities {
        self.inputs.client()
    }

    /// Asks under a name that is unique in this answer: the response, or
    /// `None` if there is none yet. One that does not fit is asked for again
    /// (M-150).
    ///
    /// At most [`QUESTIONS`](crate::limits::QUESTIONS) can be open. Their
    /// texts stand in the result buffer until they are sent.
    pub fn ask(&mut self, key: &str, request: InputRequest<'_>) -> Option<InputResponse<'c>> {
        self.inputs.ask(self.outcome, self.buf, key, request)
    }

    /// Asks the user to fill in a form.
    pub fn elicit(&mut self, key: &str, message: &str, form: Form) -> Option<InputResponse<'c>> {
        self.ask(key, InputRequest::Elicit { message, form })
    }

    /// Asks the user for a yes or no: whether it was a yes.
    pub fn confirm(&mut self, key: &str, message: &str) -> Option<bool> {
        let response = self.elicit(key, message, CONFIRM)?;
        Some(response.get(0) == Some(true))
    }

    /// Answers "I need input": what was asked, and has no answer yet.
    pub fn need_input(&mut self) -> Answer {
        Answer::PENDING
    }
}

/// What a step of a call has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Whether the result stands in the buffer.
    pub done: bool,
    /// What it told of its progress.
    pub progress: Option<Progress>,
    /// When the handler wants the next step, at the latest.
    pub wake: Option<Instant>,
    /// What it keeps for the next step.
    pub memo: u32,
    /// Whether questions stand in the buffer instead of a result.
    #[cfg(feature = "input")]
    pub asked: bool,
}

/// Runs one step of a call, and makes sure that what is left in the buffer
/// can be sent: a result that did not fit, is not JSON, or breaks the
/// advertised shape becomes a failure that says so.
#[inline(never)]
pub(crate) fn run<App>(entry: &Entry<App>, app: &mut App, mut call: Call<'_>) -> Step {
    let answer = (entry.run)(app, &mut call);
    #[cfg(feature = "input")]
    let answer = match asked(entry, &mut call) {
        Some(true) => {
            return Step {
                done: false,
                progress: None,
                wake: None,
                memo: call.memo,
                asked: true,
            };
        }
        // What cannot be asked is an answer too: a failure.
        Some(false) => Answer::DONE,
        None => answer,
    };
    let done = !(answer.is_pending() && entry.tool.polled);
    if !done {
        call.outcome.keep_logs();
    } else if answer.is_pending() {
        let _ = call.fail("this tool answered \"not yet\", but is not declared to do so");
    }
    if done {
        settle(entry, &mut call);
    }
    Step {
        done,
        progress: call.progress,
        wake: call.wake,
        memo: call.memo,
        #[cfg(feature = "input")]
        asked: false,
    }
}

/// Whether the handler has asked; if so, whether its questions can be sent.
#[cfg(feature = "input")]
fn asked<App>(entry: &Entry<App>, call: &mut Call<'_>) -> Option<bool> {
    if !call.outcome.asks() || call.outcome.failed() {
        return None;
    }
    if entry.tool.asks == Asks::Never {
        let _ = call.fail("this tool asked its caller, but is not declared to do so");
    }
    Some(!call.outcome.failed() && !call.outcome.explain(call.buf.len(), &mut Sink::counter()))
}

fn settle<App>(entry: &Entry<App>, call: &mut Call<'_>) {
    if !holds(entry, call, &mut Sink::counter()) {
        explain(entry, call);
    }
}

/// Whether the result can be sent; if not, writes why.
fn holds<App>(entry: &Entry<App>, call: &Call<'_>, reason: &mut Sink<'_>) -> bool {
    if call.outcome.explain(call.buf.len(), reason) {
        return false;
    }
    if call.outcome.failed() {
        return true;
    }
    let Some(shape) = entry.tool.output else {
        if call.outcome.is_empty() {
            reason.text("no answer");
        }
        return !call.outcome.is_empty();
    };
    if entry.tool.exact {
        return true;
    }
    let mut pieces = call.outcome.pieces(call.buf);
    let json = pieces.find_map(|piece| match piece {
        super::Piece::Json(raw) => Some(Value::checked(raw)),
        _ => None,
    });
    match json {
        Some(json) => {
            check_result(shape, json, None) || {
                reason.text("the result breaks its own schema: ");
                check_result(shape, json, Some(reason))
            }
        }
        None => {
            reason.text("no structured result");
            false
        }
    }
}

#[cold]
#[inline(never)]
fn explain<App>(entry: &Entry<App>, call: &mut Call<'_>) {
    let mut room = [0; REASON_BYTES];
    let mut reason = Sink::new(&mut room);
    reason.text(entry.tool.name);
    reason.text(": ");
    let _ = holds(entry, call, &mut reason);
    reason.end_with_ellipsis();
    let text = core::str::from_utf8(reason.kept()).unwrap_or("the result cannot be sent");
    let _ = call.fail(text);
}

/// Bytes of the longest reason that [`explain`] gives; longer ones end
/// with "and more" or an ellipsis.
pub(super) const REASON_BYTES: usize = 192;
