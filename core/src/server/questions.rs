//! Questions of handlers: the state that goes out with them and comes back.

use super::desk::Desk;
use crate::json::Text;
use crate::mcp::{About, Body, Fault, RequestState};
use crate::time::Instant;
use crate::tool::{Capabilities, Outcome};

/// What the client lacks to be asked what stands in the outcome (M-146).
pub(super) fn missing(client: Capabilities, outcome: &Outcome, result: &[u8]) -> Capabilities {
    let mut needed = Capabilities::NONE;
    for (_, request) in outcome.questions(result) {
        needed = needed.and(request.needs());
    }
    needed.missing(client)
}

/// What the handler kept when it asked: 0 without a state.
pub(super) fn resume(
    desk: &mut Desk,
    now: Instant,
    state: &[u8],
    about: About<'_>,
) -> Result<u32, Fault> {
    if state.is_empty() {
        return Ok(0);
    }
    match &desk.key {
        Some(key) => RequestState::open(Text::checked(state), key, &mut desk.states, now, about),
        None => Err(Fault::Params("requestState was not given out: no key")),
    }
}

/// Whose question it is.
pub(super) struct Asking<'a> {
    pub client: Capabilities,
    /// What the handler keeps.
    pub memo: u32,
    pub about: About<'a>,
    /// Whether answers are taken without a seal.
    pub open: bool,
}

/// The answer that asks, in the modern era. Where it cannot be sealed and
/// must be, the outcome is a failure that says so, and there is none.
pub(super) fn required(
    desk: &mut Desk,
    now: Instant,
    asking: Asking<'_>,
    outcome: &mut Outcome,
    result: &mut [u8],
) -> Option<Body> {
    let missing = missing(asking.client, outcome, result);
    if !missing.is_none() {
        return Some(Body::Fault(Fault::Capability(missing)));
    }
    let state = desk
        .key
        .as_ref()
        .map(|key| RequestState::new(key, &mut desk.states, now, asking.memo, asking.about));
    if state.is_none() && !asking.open {
        outcome.refuse(result, |out| {
            out.text("this device has no key to seal a question with");
        });
        return None;
    }
    Some(Body::InputRequired(state))
}
