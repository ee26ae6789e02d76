//! An array of messages (M-197), worked through one after the other.

use super::Server;
use super::running::{Running, reply};
use crate::buf::Span;
use crate::json::{Elements, Value};
use crate::mcp::{Body, CallPlan, Decision, Fault, Framing, Reply, decide};
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
}

/// What came of a step.
pub(super) enum Turn {
    /// An answer, to be sent before the next step.
    Answer(Reply),
    /// A request is given up; its id.
    Cancel(Span),
    /// Nothing to send.
    Again,
    /// A call of the batch is not done yet.
    Wait,
    /// The batch is at its end.
    End,
}

impl Batch {
    /// The batch in this array; none if the array is empty.
    pub(super) fn of(buf: &[u8], array: Value<'_>) -> Option<Self> {
        let elements = array.elements();
        elements.clone().next()?;
        Some(Self {
            rest: Span::of(buf, elements.rest()),
            answered: false,
            waiting: None,
        })
    }

    /// Goes on: with the call that waits, else with the next message.
    pub(super) fn go_on<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        buf: &[u8],
        framing: Framing<'_>,
        result: &mut [u8],
        outcome: &mut Outcome,
    ) -> Turn {
        if let Some(call) = &mut self.waiting {
            if !call.is_due(now) || !call.step(server, now, buf, result, outcome) {
                return Turn::Wait;
            }
            let reply = call.reply();
            self.waiting = None;
            return Turn::Answer(reply);
        }
        let mut elements = Elements::resume(self.rest.get(buf));
        let Some(value) = elements.next() else {
            return Turn::End;
        };
        self.rest = Span::of(buf, elements.rest());
        match decide(server.device, buf, value, framing) {
            Decision::Nothing => Turn::Again,
            Decision::Cancel(id) => Turn::Cancel(id),
            Decision::Answer(reply) => Turn::Answer(reply),
            Decision::Open(_, reply) => Turn::Answer(Reply {
                body: Body::Fault(Fault::Invalid("initialize cannot be in a batch")),
                ..reply
            }),
            Decision::Call(plan) => {
                // An array has no place for notifications of progress.
                let plan = CallPlan {
                    token: Span::EMPTY,
                    ..plan
                };
                if let Some(mut call) = Running::admit(server, plan, buf, result, outcome) {
                    if !call.step(server, now, buf, result, outcome) {
                        self.waiting = Some(call);
                        return Turn::Wait;
                    }
                }
                Turn::Answer(reply(plan))
            }
        }
    }
}
