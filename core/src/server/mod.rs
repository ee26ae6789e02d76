//! The order of the steps: bytes, message, decision, work, answer, bytes.
//!
//! A [`Server`] is what is served and the application behind it. A connection
//! ([`Line`], `Http`) is where one peer's bytes go in and out. The caller
//! owns both, and drives a connection with two calls:
//!
//! 1. `receive` takes bytes that arrived, and tells how many it took;
//! 2. `poll` works and fills the caller's buffer with bytes to send.
//!
//! `receive` takes nothing while a message is being worked on, so the caller
//! calls `poll` until it has nothing to send, then offers the rest.

#[cfg(feature = "input")]
mod answers;
mod batch;
#[cfg(any(feature = "input", feature = "sessions"))]
mod desk;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "embedded-io")]
pub mod io;
mod line;
#[cfg(feature = "input")]
mod questions;
mod running;
#[cfg(feature = "tasks")]
mod tasks;
#[cfg(feature = "subscriptions")]
mod watch;
#[cfg(any(feature = "resources", feature = "prompts"))]
mod work;

#[cfg(all(feature = "http", feature = "a2a"))]
pub use crate::policy::Presented;
#[cfg(all(feature = "http", feature = "a2a"))]
pub use http::AgentDesk;
#[cfg(feature = "credentials")]
pub use http::Credential;
#[cfg(feature = "http")]
pub use http::{Allow, Bearer, Http, HttpConfig, HttpMemory};
pub use line::{Line, LineMemory, Place};

use crate::mcp::Device;
#[cfg(not(feature = "scopes"))]
use crate::mcp::Shown;
use crate::mcp::Who;
#[cfg(feature = "policy")]
use crate::mcp::{Body, Reply};
#[cfg(all(feature = "policy", feature = "a2a"))]
use crate::policy::{Authority, Operation, Why};
#[cfg(feature = "policy")]
use crate::policy::{Doer, Endpoint, Grant, Outcome as Happened, Policy, Request, Subject};
#[cfg(all(feature = "policy", feature = "a2a"))]
use crate::task::{State, Tasks};
#[cfg(feature = "policy")]
use crate::time::Instant;
use crate::tool::Caller;
#[cfg(any(feature = "resources", feature = "prompts"))]
use crate::tool::Sight;

/// What is served, and the application that its handlers act on.
#[derive(Debug)]
pub struct Server<App: 'static> {
    pub(crate) device: &'static Device<App>,
    /// The application: what every handler gets.
    pub app: App,
    /// What its connections share.
    #[cfg(any(feature = "input", feature = "sessions"))]
    pub(crate) desk: desk::Desk,
    /// What its subscribers are told of.
    #[cfg(feature = "subscriptions")]
    pub(crate) watch: watch::Watch,
    /// Who may ask for what; nothing where that is not its matter.
    #[cfg(feature = "policy")]
    policy: Option<&'static mut Policy<App>>,
}

impl<App> Server<App> {
    /// A server of `device`, acting on `app`.
    pub const fn new(device: &'static Device<App>, app: App) -> Self {
        Self {
            device,
            app,
            #[cfg(any(feature = "input", feature = "sessions"))]
            desk: desk::Desk::new(),
            #[cfg(feature = "subscriptions")]
            watch: watch::Watch::new(),
            #[cfg(feature = "policy")]
            policy: None,
        }
    }

    /// What the decision of a message of this caller needs.
    #[cfg(not(feature = "policy"))]
    pub(crate) fn who(&self, caller: Caller) -> Who {
        #[cfg(not(any(feature = "input", feature = "scopes")))]
        let _ = caller;
        Who {
            #[cfg(feature = "input")]
            id: caller.id,
            #[cfg(feature = "scopes")]
            shown: self.device.shown(&self.app, caller),
            #[cfg(not(feature = "scopes"))]
            shown: Shown::ALL,
            #[cfg(any(feature = "resources", feature = "prompts"))]
            sight: Sight::of(caller),
            #[cfg(feature = "tasks")]
            tasks: false,
        }
    }

    /// What the decision of a message of this caller needs.
    #[cfg(feature = "policy")]
    pub(crate) fn who(&self, grant: Grant) -> Who {
        let caller = Caller {
            id: grant.id,
            scopes: grant.scopes,
        };
        Who {
            #[cfg(feature = "input")]
            id: caller.id,
            shown: match &self.policy {
                Some(policy) => self.device.shown_by(&self.app, caller, |tool| {
                    policy.shows(&self.app, &grant, tool)
                }),
                None => self.device.shown(&self.app, caller),
            },
            #[cfg(any(feature = "resources", feature = "prompts"))]
            sight: Sight::of(caller),
            #[cfg(feature = "tasks")]
            tasks: false,
            grant,
        }
    }

    /// The same, behind a policy: it says who is let in over HTTP, in place
    /// of the credentials of an [`HttpConfig`] and of the callers of an
    /// `AgentDesk`, what tools and tasks are there
    /// for whom on every transport, and what is written down. It lies in a
    /// `static`, as the memory of connections does.
    #[cfg(feature = "policy")]
    #[must_use]
    pub fn with_policy(mut self, policy: &'static mut Policy<App>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Puts a policy in front of a server that is there already.
    #[cfg(feature = "policy")]
    pub fn set_policy(&mut self, policy: &'static mut Policy<App>) {
        self.policy = Some(policy);
    }

    /// Its policy: to add, rotate and revoke credentials.
    #[cfg(feature = "policy")]
    pub fn policy(&mut self) -> Option<&mut Policy<App>> {
        self.policy.as_deref_mut()
    }

    /// Writes an event down, if there is a policy.
    #[cfg(feature = "policy")]
    pub(crate) fn record(&mut self, now: Instant, who: Doer, request: Request, outcome: Happened) {
        if let Some(policy) = &self.policy {
            policy.record(&mut self.app, now, who, request, outcome);
        }
    }

    /// Writes down which tasks have ended since it was looked last.
    #[cfg(all(feature = "policy", feature = "a2a"))]
    pub(crate) fn record_ends(&mut self, tasks: &mut Tasks<'_>) {
        if self.policy.is_none() {
            return;
        }
        while let Some(end) = tasks.ended() {
            let who = Doer {
                id: end.who.id,
                tenant: end.who.tenant,
                by: Authority::Device,
            };
            let request = Request {
                endpoint: if end.tool {
                    Endpoint::Mcp
                } else {
                    Endpoint::Agent
                },
                operation: Operation::EndTask,
                subject: Subject::Task(*end.id.as_bytes()),
            };
            let outcome = match end.state {
                State::Completed => Happened::Done,
                State::Canceled => Happened::Cancelled,
                State::Rejected => Happened::Refused(Why::Work),
                _ => Happened::Failed,
            };
            self.record(end.at, who, request, outcome);
        }
    }

    /// Writes down that a message of MCP was refused, if this answer says so.
    #[cfg(feature = "policy")]
    pub(crate) fn record_refusal(&mut self, now: Instant, who: Doer, reply: &Reply) {
        if let Body::Fault(fault) = reply.body {
            let (operation, why) = fault.audit();
            let request = Request {
                endpoint: Endpoint::Mcp,
                operation,
                subject: Subject::None,
            };
            self.record(now, who, request, Happened::Refused(why));
        }
    }

    /// Ends every subscription of the modern era with its answer (M-140), at
    /// the next call of `poll` of each connection, and takes no new one: for
    /// a device that goes to sleep.
    #[cfg(feature = "subscriptions")]
    pub fn end_subscriptions(&mut self) {
        self.watch.ending = true;
    }

    /// The same, with a key of random bytes that nobody can guess: new ones
    /// each time the device starts. With it the device seals what it gives
    /// out and takes back: the state of questions (M-148), and the sessions
    /// of HTTP clients of the legacy era (M-184), which it has none of
    /// without it.
    #[cfg(any(feature = "input", feature = "sessions"))]
    #[must_use]
    pub const fn with_key(mut self, key: [u8; 32]) -> Self {
        self.set_key(key);
        self
    }

    /// Takes such a key, for a server that is there already. What was given
    /// out under another one is not taken back.
    #[cfg(any(feature = "input", feature = "sessions"))]
    pub const fn set_key(&mut self, key: [u8; 32]) {
        self.desk.key = Some(crate::seal::Key::new(key));
    }
}
