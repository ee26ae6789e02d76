//! An array of messages (M-197), worked through one after the other.

use super::Server;
#[cfg(feature = "sessions")]
use super::running::By;
#[cfg(feature = "policy")]
use super::running::note;
use super::running::{Admission, Running, reply};
#[cfg(any(feature = "resources", feature = "prompts"))]
use super::work::work;
use crate::buf::Span;
use crate::json::{self, Elements};
use crate::mcp::{Body, CallPlan, Decision, Fault, Framing, Reply, Version, Who, decide};
#[cfg(feature = "policy")]
use crate::policy::{Outcome as Happened, Why};
use crate::time::Instant;
use crate::tool::Outcome;

/// A batch whose text stands in the connection's buffer.
#[derive(Debug)]
pub(super) struct Batch {
    /// The messages still to come.
    rest: Span,
    /// Whether an answer has gone out.
    pub answered: bool,
    /// A call of the batch that is not done yet.
    pub waiting: Option<Running>,
    /// An answer that has still to be handed over.
    #[cfg(all(feature = "input", feature = "sessions"))]
    held: Option<(Span, Span)>,
    /// Whether the connection may wait for such a call. A line may not: a
    /// stop that comes behind would wait too.
    patient: bool,
}

/// What came of a step.
pub(super) enum Turn {
    /// An answer, to be sent before the next step.
    Answer(Reply),
    /// A request is given up; its id.
    Cancel(Span),
    /// A question is answered: its id and the result, empty for an error.
    #[cfg(feature = "input")]
    Response(Span, Span),
    /// Nothing to send.
    Again,
    /// A call of the batch is not done yet.
    Wait,
    /// The batch is at its end.
    End,
}

impl Batch {
    /// Whether a message is an array, so a batch or refused.
    pub(super) fn is_array(text: &[u8]) -> bool {
        text.trim_ascii_start().starts_with(b"[")
    }

    /// The batch in this array, which stands in `buf`.
    pub(super) fn open(
        buf: &[u8],
        text: &[u8],
        allowed: bool,
        patient: bool,
    ) -> Result<Self, Fault> {
        let elements = json::parse(text).map_err(Fault::Parse)?.elements();
        if !allowed {
            return Err(Fault::Invalid(
                "a batch is not part of this protocol version",
            ));
        }
        if elements.clone().next().is_none() {
            return Err(Fault::Invalid("a batch must not be empty"));
        }
        Ok(Self {
            rest: Span::of(buf, elements.rest()),
            answered: false,
            waiting: None,
            #[cfg(all(feature = "input", feature = "sessions"))]
            held: None,
            patient,
        })
    }

    /// The answer could not be handed over yet: it comes again.
    #[cfg(all(feature = "input", feature = "sessions"))]
    pub(super) fn again(&mut self, id: Span, result: Span) {
        self.held = Some((id, result));
    }

    /// Gives up the call that waits: nothing is said of it.
    #[cfg(feature = "sessions")]
    pub(super) fn cancel<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        by: By,
        buf: &[u8],
        result: &mut [u8],
        outcome: &mut Outcome,
    ) {
        if let Some(call) = self.waiting.take() {
            call.cancel(server, now, by, buf, result, outcome);
        }
    }

    /// Goes on: with the call that waits, else with the next message.
    #[expect(clippy::too_many_arguments, reason = "all that a connection has")]
    pub(super) fn go_on<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        who: Who,
        buf: &[u8],
        framing: Framing<'_>,
        result: &mut [u8],
        outcome: &mut Outcome,
    ) -> Turn {
        #[cfg(feature = "policy")]
        let by = who.grant.doer();
        #[cfg(not(feature = "policy"))]
        let by = super::running::By;
        #[cfg(all(feature = "input", feature = "sessions"))]
        if let Some((id, result)) = self.held.take() {
            return Turn::Response(id, result);
        }
        if let Some(call) = &mut self.waiting {
            if !call.is_due(now) {
                return Turn::Wait;
            }
            let done = call.step(server, now, buf, result, outcome);
            #[cfg(feature = "input")]
            let done = done || call.refuse_in_batch(outcome, result);
            if !done {
                return Turn::Wait;
            }
            #[cfg(feature = "policy")]
            call.ended(server, now, by, outcome);
            let reply = call.reply(server, now, buf, result, outcome);
            self.waiting = None;
            return Turn::Answer(reply);
        }
        let mut elements = Elements::resume(self.rest.get(buf));
        let Some(value) = elements.next() else {
            return Turn::End;
        };
        self.rest = Span::of(buf, elements.rest());
        let decision = decide(server.device, who, buf, value.raw(), framing);
        match decision {
            // Arrays are of one revision, which is not the modern one (M-016).
            Decision::Answer(Reply { id, version, .. })
            | Decision::Call(CallPlan { id, version, .. })
                if version.is_modern() =>
            {
                Turn::Answer(misplaced(id, version))
            }
            #[cfg(feature = "tasks")]
            Decision::Task(plan) => Turn::Answer(misplaced(plan.id, Version::V2026_07_28)),
            #[cfg(any(feature = "resources", feature = "prompts"))]
            Decision::Work(Reply { id, version, .. }) if version.is_modern() => {
                Turn::Answer(misplaced(id, version))
            }
            #[cfg(any(feature = "resources", feature = "prompts"))]
            Decision::Work(reply) => Turn::Answer(work(server, now, reply, buf, result, outcome)),
            #[cfg(feature = "logging")]
            Decision::SetLevel(_, reply) => Turn::Answer(Reply {
                body: Body::Fault(Fault::Invalid("logging/setLevel cannot be in a batch")),
                ..reply
            }),
            #[cfg(feature = "subscriptions")]
            Decision::Listen(id, _) => Turn::Answer(misplaced(id, Version::V2026_07_28)),
            #[cfg(feature = "subscriptions")]
            Decision::Subscribe(_, _, reply) => Turn::Answer(Reply {
                body: Body::Fault(Fault::Invalid("a subscription cannot be in a batch")),
                ..reply
            }),
            #[cfg(feature = "input")]
            Decision::Response(id, result) => Turn::Response(id, result),
            Decision::Nothing => Turn::Again,
            Decision::Cancel(id) => Turn::Cancel(id),
            Decision::Answer(reply) => Turn::Answer(reply),
            Decision::Open(_, reply) => Turn::Answer(Reply {
                body: Body::Fault(Fault::Invalid("initialize cannot be in a batch")),
                ..reply
            }),
            Decision::Call(plan) => {
                // An array has no place for notifications.
                let plan = CallPlan {
                    token: Span::EMPTY,
                    #[cfg(feature = "logging")]
                    level: None,
                    ..plan
                };
                match Running::admit(server, now, plan, by, buf, result, outcome) {
                    Admission::Begin(call, _) if call.may_wait(server) && !self.patient => {
                        outcome.refuse(result, |out| {
                            out.text("this tool takes its time: call it alone, not in a batch");
                        });
                        #[cfg(feature = "policy")]
                        note(server, now, plan, by, Happened::Refused(Why::State));
                    }
                    Admission::Begin(mut call, args) => {
                        let done = call.start(server, now, buf, args, result, outcome);
                        #[cfg(feature = "input")]
                        let done = done || call.refuse_in_batch(outcome, result);
                        if !done {
                            self.waiting = Some(call);
                            return Turn::Wait;
                        }
                        #[cfg(feature = "policy")]
                        call.ended(server, now, by, outcome);
                    }
                    Admission::Failed => {}
                    #[cfg(feature = "input")]
                    Admission::Fault(fault) => {
                        return Turn::Answer(Reply {
                            body: Body::Fault(fault),
                            ..reply(plan)
                        });
                    }
                }
                Turn::Answer(reply(plan))
            }
        }
    }
}

/// The answer to a message of the modern era in an array.
fn misplaced(id: Span, version: Version) -> Reply {
    Reply {
        id,
        version,
        body: Body::Fault(Fault::Invalid(
            "a batch is not part of this protocol version",
        )),
    }
}
