//! Who may do what with the arm.

use agentmote::policy::{Audit as _, Event, Grant, Guard, Request, Rules, Subject};

use crate::Arm;

/// May use the tools and resources.
pub const TOOLS: u32 = 1;
/// May use the agent.
pub const AGENT: u32 = 2;
/// May move the arm, through either.
pub const DRIVE: u32 = 4;

/// The names of these scopes, in their order.
pub const SCOPES: &[&str] = &["mcp", "a2a", "move"];

/// Each endpoint needs its scope: a credential alone opens nothing.
pub const RULES: Rules = Rules {
    realm: "bench-arm",
    scopes: SCOPES,
    mcp: TOOLS,
    agent: AGENT,
    ..Rules::NONE
};

/// What moves the arm. Anybody may stop it.
const MOVES: [&str; 4] = ["arm_move", "arm_home", "calibrate", "home"];

/// Whether a caller may do this.
pub fn may(who: &Grant, request: &Request) -> bool {
    match request.subject {
        Subject::Tool(name) | Subject::Skill(name) => {
            who.scopes & DRIVE != 0 || !MOVES.contains(&name)
        }
        _ => true,
    }
}

/// The guard of a board: the last events stand in [`Arm::audit`].
#[derive(Clone, Copy, Debug)]
pub struct Guarded;

impl Guard<Arm> for Guarded {
    fn allows(_: &Arm, who: &Grant, request: &Request) -> bool {
        may(who, request)
    }

    fn record(arm: &mut Arm, event: &Event) {
        arm.audit.record(event);
    }
}
