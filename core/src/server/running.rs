//! A call on its way: from the check of its arguments to its result.

use super::Server;
#[cfg(feature = "input")]
use super::answers::{Answers, NoRoom};
#[cfg(feature = "input")]
use super::questions::{self, Asking};
use crate::buf::Span;
use crate::json::Value;
#[cfg(feature = "input")]
use crate::json::write;
#[cfg(feature = "input")]
use crate::mcp::{ANSWER_MS, About, Arguments, Fault, Retry};
use crate::mcp::{Body, CallPlan, Reply, Version};
#[cfg(feature = "policy")]
use crate::policy::{Doer, Endpoint, Operation, Outcome as Happened, Request, Subject, Why};
use crate::time::Instant;
use crate::tool::{Args, Blocks, Call, Entry, Outcome, Progress, check, run};
#[cfg(feature = "input")]
use crate::tool::{Asks, Inputs};

/// A call whose arguments are right. Its spans lie in the buffer that the
/// connection keeps for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub plan: CallPlan,
    step: u32,
    last: Option<u32>,
    report: Option<Progress>,
    /// When the handler is due: after each run a millisecond later at the
    /// earliest, so that one that never rests leaves others their turn.
    wake: Instant,
    /// What the handler keeps between its steps.
    memo: u32,
    /// Whether questions of the handler stand in the result buffer.
    #[cfg(feature = "input")]
    asked: bool,
    /// The questions that wait for their answers, in the legacy era.
    #[cfg(feature = "input")]
    answers: Option<Answers>,
}

/// Who is written down to have called, where a policy wants to know it.
#[cfg(feature = "policy")]
pub(super) type By = Doer;
#[cfg(not(feature = "policy"))]
#[derive(Clone, Copy, Debug)]
pub(super) struct By;

/// What comes of the check of a call.
pub(super) enum Admission<'a> {
    /// It may begin, with these arguments.
    Begin(Running, Args<'a>),
    /// It has failed: the outcome says why (M-119).
    Failed,
    /// It is no call.
    #[cfg(feature = "input")]
    Fault(Fault),
}

impl Running {
    /// Checks a call before anything acts.
    pub(super) fn admit<'a, App>(
        server: &mut Server<App>,
        now: Instant,
        plan: CallPlan,
        by: By,
        message: &'a [u8],
        result: &mut [u8],
        outcome: &mut Outcome,
    ) -> Admission<'a> {
        #[cfg(not(feature = "policy"))]
        let By = by;
        let Some(entry) = server.device.tools.get(plan.tool) else {
            return Admission::Failed;
        };
        let Some(args) = checked(entry, plan, message, result, outcome) else {
            #[cfg(feature = "policy")]
            note(server, now, plan, by, Happened::Refused(Why::Arguments));
            return Admission::Failed;
        };
        #[cfg_attr(
            not(feature = "input"),
            expect(unused_mut, reason = "one shape for all")
        )]
        let mut running = Self {
            plan,
            step: 0,
            last: None,
            report: None,
            wake: Instant::from_millis(0),
            memo: 0,
            #[cfg(feature = "input")]
            asked: false,
            #[cfg(feature = "input")]
            answers: None,
        };
        #[cfg(feature = "input")]
        if let Err(fault) = running.resume(server, now, entry, message, &args) {
            return Admission::Fault(fault);
        }
        #[cfg(not(feature = "input"))]
        let _ = now;
        Admission::Begin(running, args)
    }

    /// Whether its handler may answer "not yet", or has to be kept while it
    /// waits for an answer.
    pub(super) fn may_wait<App>(&self, server: &Server<App>) -> bool {
        entry(server, self.plan).is_some_and(|entry| {
            #[cfg(feature = "input")]
            if entry.tool.asks != Asks::Never && !self.plan.version.is_modern() {
                return true;
            }
            entry.tool.polled
        })
    }

    /// Runs the handler once more. Whether the result stands in the buffer.
    pub(super) fn step<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        message: &[u8],
        result: &mut [u8],
        outcome: &mut Outcome,
    ) -> bool {
        match self.args(server, message) {
            Some(args) => self.start(server, now, message, args, result, outcome),
            None => true,
        }
    }

    /// Runs the handler with these arguments. Whether the result stands in
    /// the buffer, or questions instead of it that end the call.
    pub(super) fn start<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        message: &[u8],
        args: Args<'_>,
        result: &mut [u8],
        outcome: &mut Outcome,
    ) -> bool {
        #[cfg(not(feature = "input"))]
        let _ = message;
        let Some(entry) = entry(server, self.plan) else {
            return true;
        };
        let call = Call::new(args, now, self.step, self.blocks(), result, outcome);
        #[cfg(feature = "input")]
        let call = call.with_inputs(self.inputs(message));
        #[cfg(feature = "logging")]
        let call = call.with_level(self.plan.level);
        let step = run(
            entry,
            &mut server.app,
            call.with_memo(self.memo).of(self.plan.tool),
        );
        self.step = self.step.saturating_add(1);
        self.memo = step.memo;
        #[cfg(feature = "input")]
        if step.asked {
            self.report = None;
            return self.asks(outcome, result);
        }
        let next = now.after(1);
        self.wake = step.wake.unwrap_or(next).max(next);
        if step.done {
            // Nothing may follow the result, so a last report is dropped.
            self.report = None;
        } else {
            self.note(step.progress);
        }
        step.done
    }

    /// Tells the handler that the caller has given up.
    pub(super) fn cancel<App>(
        &self,
        server: &mut Server<App>,
        now: Instant,
        by: By,
        message: &[u8],
        result: &mut [u8],
        outcome: &mut Outcome,
    ) {
        #[cfg(not(feature = "policy"))]
        let By = by;
        #[cfg(feature = "policy")]
        note(server, now, self.plan, by, Happened::Cancelled);
        if let (Some(entry), Some(args)) = (entry(server, self.plan), self.args(server, message)) {
            // One that is not polled has nothing begun: it waits for answers.
            #[cfg(feature = "input")]
            if !entry.tool.polled {
                return;
            }
            let call = Call::new(args, now, self.step, self.blocks(), result, outcome);
            let _ = run(
                entry,
                &mut server.app,
                call.with_memo(self.memo).of(self.plan.tool).cancelled(),
            );
        }
    }

    /// Writes down what has come of it, once it is done. To be called once,
    /// before [`reply`](Self::reply).
    #[cfg(feature = "policy")]
    pub(super) fn ended<App>(
        &self,
        server: &mut Server<App>,
        now: Instant,
        by: Doer,
        outcome: &Outcome,
    ) {
        #[cfg(feature = "input")]
        let asks = self.asked && outcome.asks();
        #[cfg(not(feature = "input"))]
        let asks = false;
        let happened = match () {
            () if asks => Happened::Asked,
            () if outcome.failed() => Happened::Failed,
            () => Happened::Done,
        };
        note(server, now, self.plan, by, happened);
    }

    /// The arguments, which were found right before.
    fn args<'a, App>(&self, server: &Server<App>, message: &'a [u8]) -> Option<Args<'a>> {
        let entry = entry(server, self.plan)?;
        Some(Args::locate(
            entry.tool.params(),
            object(self.plan, message),
        ))
    }

    fn blocks(&self) -> Blocks {
        Blocks {
            audio: self.plan.version.has_audio(),
            links: self.plan.version.has_structured(),
        }
    }

    fn note(&mut self, progress: Option<Progress>) {
        let wanted = !self.plan.token.is_empty();
        if let Some(progress) =
            progress.filter(|progress| wanted && self.last.is_none_or(|last| progress.done > last))
        {
            self.last = Some(progress.done);
            self.report = Some(progress);
        }
    }

    /// The progress that was not told yet; telling it is up to the caller.
    pub(super) fn report(&mut self) -> Option<Progress> {
        self.report.take()
    }

    /// Whether there is progress that was not told yet.
    #[cfg(feature = "http")]
    pub(super) fn has_report(&self) -> bool {
        self.report.is_some()
    }

    /// Whether it goes on as a task, now that it has asked what it had to ask.
    pub(super) const fn becomes_task(&self) -> bool {
        #[cfg(feature = "tasks")]
        return self.plan.task;
        #[cfg(not(feature = "tasks"))]
        return false;
    }

    /// What its handler keeps.
    #[cfg(feature = "tasks")]
    pub(super) fn memo(&self) -> u32 {
        self.memo
    }

    /// Whether its handler wants to be called now.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.wake <= now
    }

    /// When its handler is due.
    pub(super) fn wake(&self) -> Instant {
        self.wake
    }

    /// The answer, once the result stands in the buffer.
    #[cfg(not(feature = "input"))]
    pub(super) fn reply<App>(
        &self,
        _: &mut Server<App>,
        _: Instant,
        _: &[u8],
        _: &mut [u8],
        _: &mut Outcome,
    ) -> Reply {
        reply(self.plan)
    }
}

/// Questions to the caller.
#[cfg(feature = "input")]
impl Running {
    /// What the handler is given of answers.
    fn inputs<'a>(&self, message: &'a [u8]) -> Inputs<'a> {
        let responses = self.plan.retry.responses;
        Inputs::new(
            (!responses.is_empty()).then(|| Value::checked(responses.get(message))),
            self.plan.retry.client,
        )
    }

    /// What its questions are about.
    fn about<'a, App>(
        &self,
        entry: &Entry<App>,
        message: &'a [u8],
        args: &'a Args<'a>,
    ) -> About<'a> {
        let params = entry.tool.params().len();
        About {
            principal: self.plan.retry.principal,
            kind: b't',
            at: self.plan.tool,
            arguments: match entry.tool.input {
                crate::tool::Input::Params(_) => Arguments::Args(args, params),
                crate::tool::Input::Schema(_) => Arguments::Raw(object(self.plan, message)),
            },
        }
    }

    /// Takes the state and the answers that came with a call (M-148): answers
    /// without the state of their questions are as good as none, unless the
    /// tool takes them from anybody.
    fn resume<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        entry: &Entry<App>,
        message: &[u8],
        args: &Args<'_>,
    ) -> Result<(), Fault> {
        let state = self.plan.retry.state.get(message);
        if state.is_empty() && entry.tool.asks != Asks::Open {
            self.plan.retry.responses = Span::EMPTY;
        }
        let about = self.about(entry, message, args);
        self.memo = questions::resume(&mut server.desk, now, state, about)?;
        Ok(())
    }

    /// The handler has asked; whether that ends the call. Who cannot be asked
    /// is told so.
    fn asks(&mut self, outcome: &mut Outcome, result: &mut [u8]) -> bool {
        self.asked = true;
        if self.plan.version.is_modern() {
            return true;
        }
        let missing = questions::missing(self.plan.retry.client, outcome, result);
        if missing.is_none() {
            return false;
        }
        self.refuse_to_ask(outcome, result, |out| {
            out.text("the client cannot be asked: it has not declared ");
            out.text(missing.first_name());
        });
        true
    }

    /// Makes the result a failure, because its question cannot be asked.
    fn refuse_to_ask(
        &mut self,
        outcome: &mut Outcome,
        result: &mut [u8],
        report: impl FnOnce(&mut crate::buf::Sink<'_>),
    ) {
        self.asked = false;
        outcome.refuse(result, report);
    }

    /// Makes questions of a call in a batch a failure: an array has no place
    /// for requests of this side. Whether there were any.
    pub(super) fn refuse_in_batch(&mut self, outcome: &mut Outcome, result: &mut [u8]) -> bool {
        self.refuse_questions(
            outcome,
            result,
            "this tool asks: call it alone, not in a batch",
        )
    }

    /// Makes questions of a call over HTTP a failure, where there is no way
    /// for the answers. Whether there were any.
    #[cfg(feature = "http")]
    pub(super) fn refuse_without_session(
        &mut self,
        outcome: &mut Outcome,
        result: &mut [u8],
    ) -> bool {
        self.refuse_questions(
            outcome,
            result,
            "the client cannot be asked: it has no session, or reads no event stream, or too many \
             calls wait",
        )
    }

    fn refuse_questions(&mut self, outcome: &mut Outcome, result: &mut [u8], why: &str) -> bool {
        let asks = self.has_questions();
        if asks {
            self.refuse_to_ask(outcome, result, |out| out.text(why));
        }
        asks
    }

    /// Whether its questions stand in the result buffer, to be sent as
    /// requests of this side.
    pub(super) fn has_questions(&self) -> bool {
        self.asked && self.answers.is_none()
    }

    /// Makes room for the answers in `buf` from `from` on. `false`: the
    /// result is a failure instead.
    pub(super) fn expect<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        buf: &mut [u8],
        from: usize,
        outcome: &mut Outcome,
        result: &mut [u8],
    ) -> bool {
        let count = outcome.questions(result).count() as u8;
        let first = server.desk.number(count);
        match Answers::new(buf, from, first, outcome.questions(result)) {
            Ok(answers) => {
                self.answers = Some(answers);
                self.wake = now.after(ANSWER_MS);
                true
            }
            Err(NoRoom(needed)) => {
                self.no_room(
                    needed.saturating_sub(from),
                    buf.len().saturating_sub(from),
                    outcome,
                    result,
                );
                false
            }
        }
    }

    fn no_room(&mut self, needed: usize, room: usize, outcome: &mut Outcome, result: &mut [u8]) {
        self.refuse_to_ask(outcome, result, |out| {
            out.text("the answers need ");
            write::u64(out, needed as u64);
            out.text(" bytes, there is room for ");
            write::u64(out, room as u64);
        });
    }

    /// The numbers of the requests that it waits for: the first, and how
    /// many.
    pub(super) fn expected(&self) -> Option<(u32, u8)> {
        self.answers.as_ref().map(Answers::numbers)
    }

    /// The number of the first of its questions, if they were not sent yet;
    /// they count as sent.
    #[cfg(feature = "sessions")]
    pub(super) fn unsent(&mut self) -> Option<u32> {
        let answers = self.answers.as_ref()?;
        core::mem::take(&mut self.asked).then(|| answers.numbers().0)
    }

    /// Takes the answer to a request of this side, nothing for an error. Once
    /// all are there, the handler is due.
    pub(super) fn answer(&mut self, now: Instant, buf: &mut [u8], number: u32, result: &[u8]) {
        let Some(answers) = &mut self.answers else {
            return;
        };
        match answers.take(buf, number, result) {
            Ok(_) if !answers.is_complete() => {}
            // What does not fit is found when they are put together.
            _ => self.wake = now,
        }
    }

    /// Waits no longer for answers.
    #[cfg(feature = "sessions")]
    pub(super) fn give_up(&mut self, now: Instant) {
        if self.answers.is_some() {
            self.wake = now;
        }
    }

    /// Puts the answers together, once they are there or it is too late for
    /// them: the handler is called from its first step on. `false`: the
    /// result is a failure instead.
    pub(super) fn collect(
        &mut self,
        buf: &mut [u8],
        outcome: &mut Outcome,
        result: &mut [u8],
    ) -> bool {
        let Some(mut answers) = self.answers.take() else {
            return true;
        };
        self.asked = false;
        match answers.finish(buf) {
            Ok(responses) => {
                self.plan.retry.responses = responses;
                self.step = 0;
                true
            }
            Err(NoRoom(needed)) => {
                self.no_room(needed, buf.len(), outcome, result);
                false
            }
        }
    }

    /// The answer, once the result stands in the buffer.
    pub(super) fn reply<App>(
        &self,
        server: &mut Server<App>,
        now: Instant,
        message: &[u8],
        result: &mut [u8],
        outcome: &mut Outcome,
    ) -> Reply {
        if !self.asked || !outcome.asks() {
            return reply(self.plan);
        }
        let (Some(entry), Some(args)) = (entry(server, self.plan), self.args(server, message))
        else {
            return reply(self.plan);
        };
        let about = self.about(entry, message, &args);
        let body = questions::required(
            &mut server.desk,
            now,
            Asking {
                client: self.plan.retry.client,
                memo: self.memo,
                about,
                open: entry.tool.asks == Asks::Open,
            },
            outcome,
            result,
        );
        Reply {
            body: body.unwrap_or(Body::Outcome),
            ..reply(self.plan)
        }
    }
}

/// Writes down what has come of a call.
#[cfg(feature = "policy")]
pub(super) fn note<App>(
    server: &mut Server<App>,
    now: Instant,
    plan: CallPlan,
    by: Doer,
    happened: Happened,
) {
    let request = Request {
        endpoint: Endpoint::Mcp,
        operation: Operation::CallTool,
        subject: entry(server, plan).map_or(Subject::None, |entry| Subject::Tool(entry.tool.name)),
    };
    server.record(now, by, request, happened);
}

/// The answer to a call whose result stands in the buffer.
pub(super) fn reply(plan: CallPlan) -> Reply {
    Reply {
        id: plan.id,
        version: plan.version,
        body: Body::Outcome,
    }
}

fn entry<App>(server: &Server<App>, plan: CallPlan) -> Option<&'static Entry<App>> {
    server.device.tools.get(plan.tool)
}

/// Whether a tool asks with the call, before there is a task.
#[cfg(feature = "tasks")]
pub(super) fn asks_first<App>(server: &Server<App>, plan: CallPlan) -> bool {
    let support = entry(server, plan).map(|entry| entry.tool.task);
    support == Some(crate::tool::TaskSupport::AfterInput)
}

/// The arguments of a call; nothing if they are not right, and the outcome
/// says why.
// With one caller, as a function of its own it would only cost flash.
#[cfg_attr(not(feature = "tasks"), inline(always))]
fn checked<'a, App>(
    entry: &Entry<App>,
    plan: CallPlan,
    message: &'a [u8],
    result: &mut [u8],
    outcome: &mut Outcome,
) -> Option<Args<'a>> {
    let object = object(plan, message);
    // Most arguments are right: the report is only written once one is known
    // not to be.
    let args = check(&entry.tool, object, None);
    if args.is_none() {
        outcome.refuse(result, |report| {
            check(&entry.tool, object, Some(report));
        });
    }
    args
}

/// Whether the arguments of a call are right; if not, the outcome says why.
#[cfg(feature = "tasks")]
pub(super) fn admits<App>(
    server: &Server<App>,
    plan: CallPlan,
    message: &[u8],
    result: &mut [u8],
    outcome: &mut Outcome,
) -> bool {
    entry(server, plan)
        .is_some_and(|entry| checked(entry, plan, message, result, outcome).is_some())
}

fn object(plan: CallPlan, message: &[u8]) -> Option<Value<'_>> {
    (!plan.arguments.is_empty()).then(|| Value::checked(plan.arguments.get(message)))
}

/// Copies what a call needs from its message to a place of its own.
///
/// `Err`: the bytes that it would need.
pub(super) fn keep(plan: CallPlan, message: &[u8], place: &mut [u8]) -> Result<CallPlan, usize> {
    let need = plan.id.len() + plan.arguments.len() + plan.token.len();
    #[cfg(feature = "input")]
    let need = need + plan.retry.responses.len();
    if need > place.len() {
        return Err(need);
    }
    let mut end = 0;
    let mut put = |span: Span| {
        let bytes = span.get(message);
        let start = end;
        if let Some(room) = place.get_mut(start..) {
            let n = bytes.len().min(room.len());
            room[..n].copy_from_slice(&bytes[..n]);
            end = start + n;
        }
        Span::new(start, end)
    };
    Ok(CallPlan {
        id: put(plan.id),
        arguments: put(plan.arguments),
        token: put(plan.token),
        #[cfg(feature = "input")]
        retry: Retry {
            responses: put(plan.retry.responses),
            ..plan.retry
        },
        ..plan
    })
}

/// The version in which an error is told whose message had none.
pub(super) const UNKNOWN: Version = Version::NEWEST_LEGACY;
