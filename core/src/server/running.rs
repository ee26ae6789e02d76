//! A call on its way: from the check of its arguments to its result.

use super::Server;
use crate::buf::Span;
use crate::json::Value;
use crate::mcp::{Body, CallPlan, Reply, Version};
use crate::time::Instant;
use crate::tool::{Args, Blocks, Call, Entry, Outcome, Progress, check, run};

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
}

impl Running {
    /// Checks the arguments of a call before anything acts. `None`: they are
    /// wrong, and the outcome says why (M-119).
    pub(super) fn admit<'a, App>(
        server: &Server<App>,
        plan: CallPlan,
        message: &'a [u8],
        result: &mut [u8],
        outcome: &mut Outcome,
    ) -> Option<(Self, Args<'a>)> {
        let entry = server.device.tools.get(plan.tool)?;
        let object = object(plan, message);
        // Most arguments are right: the report is only written once one is
        // known not to be.
        let Some(args) = check(&entry.tool, object, None) else {
            outcome.refuse(result, |report| {
                check(&entry.tool, object, Some(report));
            });
            return None;
        };
        let running = Self {
            plan,
            step: 0,
            last: None,
            report: None,
            wake: Instant::from_millis(0),
            memo: 0,
        };
        Some((running, args))
    }

    /// Whether its handler may answer "not yet".
    pub(super) fn may_wait<App>(&self, server: &Server<App>) -> bool {
        entry(server, self.plan).is_some_and(|entry| entry.tool.polled)
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
            Some(args) => self.start(server, now, args, result, outcome),
            None => true,
        }
    }

    /// Runs the handler with these arguments. Whether the result stands in
    /// the buffer.
    pub(super) fn start<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        args: Args<'_>,
        result: &mut [u8],
        outcome: &mut Outcome,
    ) -> bool {
        let Some(entry) = entry(server, self.plan) else {
            return true;
        };
        let call = Call::new(args, now, self.step, self.blocks(), result, outcome);
        let step = run(
            entry,
            &mut server.app,
            call.with_memo(self.memo).of(self.plan.tool),
        );
        self.step = self.step.saturating_add(1);
        self.memo = step.memo;
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
        message: &[u8],
        result: &mut [u8],
        outcome: &mut Outcome,
    ) {
        if let (Some(entry), Some(args)) = (entry(server, self.plan), self.args(server, message)) {
            let call = Call::new(args, now, self.step, self.blocks(), result, outcome);
            let _ = run(
                entry,
                &mut server.app,
                call.with_memo(self.memo).of(self.plan.tool).cancelled(),
            );
        }
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

    /// Whether its handler wants to be called now.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.wake <= now
    }

    /// When its handler is due.
    pub(super) fn wake(&self) -> Instant {
        self.wake
    }

    /// The answer, once the result stands in the buffer.
    pub(super) fn reply(&self) -> Reply {
        reply(self.plan)
    }
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

fn object(plan: CallPlan, message: &[u8]) -> Option<Value<'_>> {
    (!plan.arguments.is_empty()).then(|| Value::checked(plan.arguments.get(message)))
}

/// Copies what a call needs from its message to a place of its own.
///
/// `Err`: the bytes that it would need.
pub(super) fn keep(plan: CallPlan, message: &[u8], place: &mut [u8]) -> Result<CallPlan, usize> {
    let need = plan.id.len() + plan.arguments.len() + plan.token.len();
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
        ..plan
    })
}

/// The version in which an error is told whose message had none.
pub(super) const UNKNOWN: Version = Version::NEWEST_LEGACY;
