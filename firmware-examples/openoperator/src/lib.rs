//! The OpenOperator profile: the routes, the spelling, the skills and the
//! extension that a client of it expects, in front of the bench arm.
//!
//! It names what is the profile's own. What is general stands in the core:
//! pages, extensions that answer messages, strict spelling. It does no I/O
//! and needs neither `std` nor an allocator; a host adds sockets, the
//! credential and the [`Backend`](agentmote::task::Backend) of the supervisor.
#![no_std]
#![forbid(unsafe_code)]

mod argus;
mod assist;
mod pages;

use agentmote::a2a::{Agent, Card, Scheme, SchemeKind};

pub use argus::{ANSWER_BYTES, ARGUS, ARGUS_URI, Argus};
pub use assist::{DEVICE, Operator};
pub use pages::PAGES;

/// The path of the endpoint, for [`Http::with_agent`]; a slash belongs to its
/// end on the wire (O-009).
///
/// [`Http::with_agent`]: agentmote::server::Http::with_agent
pub const PATH: &str = "/a2a";

/// Whether the profile `argus-supervisor` is part of this program. Whether it
/// is enabled is another question, that the card answers (O-034).
pub const ARGUS_INSTALLED: bool = true;

/// The commit that the program was built from, if the build has told:
/// `AGENTMOTE_SOURCE_SHA`.
pub const SOURCE_SHA: &str = match option_env!("AGENTMOTE_SOURCE_SHA") {
    Some(sha) => sha,
    None => "unknown",
};

/// How a caller shows the credential: one secret, two ways (O-013, O-018).
const SCHEMES: &[Scheme] = &[
    Scheme {
        name: "bearer",
        kind: SchemeKind::Bearer,
    },
    Scheme {
        name: "apiKey",
        kind: SchemeKind::ApiKey("X-API-KEY"),
    },
];

/// The agent, whose endpoint is at this URL, with a slash at its end; with the
/// supervisor enabled or not (O-019, O-020).
pub const fn agent(url: &'static str, argus: bool) -> Agent<Operator> {
    let mut agent = Agent::new(Card {
        schemes: SCHEMES,
        extensions: if argus { &[ARGUS] } else { &[] },
        ..Card::new(
            "OpenOperator",
            "An operator of a bench-top robot arm, with read-only supervision of OpenTraining.",
            env!("CARGO_PKG_VERSION"),
            url,
        )
    });
    agent.pages = PAGES;
    // Enabled or not: it is the extension that says that it is disabled.
    agent.answered = &[ARGUS_URI];
    agent.strict_names = true;
    agent
}

/// Whether the supervisor is enabled, as the card says.
fn is_enabled(agent: &Agent<Operator>) -> bool {
    let mut extensions = agent.card().extensions.iter();
    extensions.any(|one| one.uri == ARGUS_URI)
}
