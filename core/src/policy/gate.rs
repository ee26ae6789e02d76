//! The gate: who is let in, and what he may do.

use super::Presented;
use super::audit::{Endpoint, Event, Operation, Outcome, Request, Subject, Why};
use super::metadata::Protected;
use super::table::{Credentials, Doer, Grant};
use crate::time::Instant;

/// What an application decides for itself. Everything has a default: the
/// table of credentials alone says who is let in, scopes, owners and tenants
/// alone say what he may do, and nothing is written down.
///
/// ```
/// use agentmote::policy::{Audit, Event, Grant, Guard, Presented, Request, Ring, Subject};
/// use agentmote::time::Instant;
///
/// struct Arm {
///     audit: Ring<8>,
///     in_service: bool,
/// }
///
/// struct Rules;
///
/// impl Guard<Arm> for Rules {
///     fn allows(arm: &Arm, who: &Grant, request: &Request) -> bool {
///         // While it is serviced, it moves for nobody from outside.
///         !(arm.in_service && request.subject == Subject::Tool("arm_move"))
///     }
///
///     fn record(arm: &mut Arm, event: &Event) {
///         arm.audit.record(event);
///     }
/// }
/// ```
pub trait Guard<App> {
    /// Whose credential this is that the table does not know, such as a token
    /// that the firmware verifies: its issuer, its audience (M-204), its
    /// expiry. `None` if it is nobody's. Whom the table knows under another
    /// tenant is nobody either.
    fn verify(app: &mut App, presented: Presented<'_>, now: Instant) -> Option<Grant> {
        let _ = (app, presented, now);
        None
    }

    /// Whether a caller may do this, asked after scopes, owner and tenant
    /// have said yes. What is not allowed is answered as if it was not there.
    /// A message to a task asks for the task and for its tool or skill.
    /// It is asked for each tool at each request, so it should be short.
    /// A list of tasks is asked for once, on [`Subject::None`]: a task that is
    /// hidden here is still in it. Resources and prompts are hidden by their
    /// scopes alone.
    fn allows(app: &App, who: &Grant, request: &Request) -> bool {
        let _ = (app, who, request);
        true
    }

    /// Takes what is to be written down; see [`Audit`](super::Audit).
    fn record(app: &mut App, event: &Event) {
        let _ = (app, event);
    }
}

/// The guard that leaves every default.
#[derive(Clone, Copy, Debug)]
pub struct AllowAll;

impl<App> Guard<App> for AllowAll {}

/// How many tries with unknown credentials are answered in a time.
#[derive(Clone, Copy, Debug)]
pub struct TryLimit {
    /// How many; those beyond are answered 429.
    pub tries: u16,
    /// In how long, in milliseconds.
    pub per_ms: u32,
    /// Whether known credentials are refused too while the limit is reached.
    /// Then nobody finds a weak secret by trying, but anybody who reaches the
    /// device locks everybody out, from its stop too. Long random secrets
    /// need no such lock.
    pub closes: bool,
}

/// The constant part of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The realm of the challenge; empty for none. Without quotes,
    /// backslashes and control characters.
    pub realm: &'static str,
    /// The names of the bits of scopes, from the lowest on, as OAuth has
    /// them: for challenges and metadata.
    pub scopes: &'static [&'static str],
    /// The scopes that a caller needs to use MCP at all (P-027).
    pub mcp: u32,
    /// The scopes that a caller needs to use the agent at all.
    pub agent: u32,
    /// Where tokens come from, if they come from an authorization server.
    pub protected: Option<Protected>,
    /// A limit of tries; `None` for none.
    pub limit: Option<TryLimit>,
}

impl Rules {
    /// No realm, no names, no scopes for the endpoints, no limit.
    pub const NONE: Self = Self {
        realm: "",
        scopes: &[],
        mcp: 0,
        agent: 0,
        protected: None,
        limit: None,
    };

    /// The scopes that a caller needs to use this endpoint at all.
    pub(crate) const fn needed(&self, endpoint: Endpoint) -> u32 {
        match endpoint {
            Endpoint::Mcp => self.mcp,
            Endpoint::Agent => self.agent,
        }
    }
}

/// Why nobody is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    /// No credential is shown; these scopes are needed.
    Missing(u32),
    /// What is shown is not known, or good no longer; these scopes are
    /// needed.
    Unknown(u32),
    /// These scopes are needed, and at least one is missing.
    Scope(u32),
    /// Too many tries; to be tried again in so many seconds.
    Tries(u32),
}

impl Denial {
    /// Its status of HTTP (M-200).
    pub(crate) const fn status(self) -> u16 {
        match self {
            Self::Missing(_) | Self::Unknown(_) => 401,
            Self::Scope(_) => 403,
            Self::Tries(_) => 429,
        }
    }

    /// What is written down of it.
    pub(crate) const fn why(self) -> Why {
        match self {
            Self::Missing(_) | Self::Unknown(_) => Why::Credential,
            Self::Scope(_) => Why::Scope,
            Self::Tries(_) => Why::Tries,
        }
    }

    /// What is wrong, in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Missing(_) | Self::Unknown(_) => "a credential that is known here is needed",
            Self::Scope(_) => "the credential does not open this",
            Self::Tries(_) => "too many unknown credentials: try again later",
        }
    }
}

type Verify<App> = fn(&mut App, Presented<'_>, Instant) -> Option<Grant>;
type Allows<App> = fn(&App, &Grant, &Request) -> bool;
type Record<App> = fn(&mut App, &Event);

/// The policy of a server: its table of credentials and its guard. See
/// [`Server::with_policy`](crate::server::Server::with_policy).
#[derive(Debug)]
pub struct Policy<App: 'static> {
    pub(crate) rules: Rules,
    /// Who is let in. Entries may be added, rotated and revoked at any time.
    pub credentials: Credentials,
    tries: Tries,
    verify: Verify<App>,
    allows: Allows<App>,
    record: Record<App>,
}

impl<App> Policy<App> {
    /// A policy with these rules and this guard, whose table is empty.
    pub const fn new<G: Guard<App>>(rules: Rules) -> Self {
        Self {
            rules,
            credentials: Credentials::new(),
            tries: Tries {
                left: 0,
                until: Instant::from_millis(0),
            },
            verify: G::verify,
            allows: G::allows,
            record: G::record,
        }
    }

    /// Lets a caller in, or tells why not, and who he is if that is known.
    pub(crate) fn admit(
        &mut self,
        app: &mut App,
        endpoint: Endpoint,
        presented: Presented<'_>,
        now: Instant,
    ) -> Result<Grant, (Denial, Option<Grant>)> {
        let needed = self.rules.needed(endpoint);
        let grant = self.identify(app, needed, presented, now);
        let grant = grant.map_err(|denial| (denial, None))?;
        if needed & !grant.scopes != 0 {
            return Err((Denial::Scope(needed), Some(grant)));
        }
        Ok(grant)
    }

    /// Who a caller is.
    fn identify(
        &mut self,
        app: &mut App,
        needed: u32,
        presented: Presented<'_>,
        now: Instant,
    ) -> Result<Grant, Denial> {
        let Some(secret) = presented.secret() else {
            return Err(Denial::Missing(needed));
        };
        let limit = self.rules.limit;
        let wait = limit.and_then(|_| self.tries.reached(now));
        if let (Some(seconds), true) = (wait, limit.is_some_and(|limit| limit.closes)) {
            return Err(Denial::Tries(seconds));
        }
        let known = self.credentials.find(secret, now);
        let known = known.or_else(|| {
            let grant = (self.verify)(app, presented, now);
            grant.filter(|grant| !self.credentials.clashes(grant))
        });
        known.ok_or_else(|| match (wait, limit) {
            (Some(seconds), _) => Denial::Tries(seconds),
            (None, Some(limit)) => {
                self.tries.count(limit, now);
                Denial::Unknown(needed)
            }
            (None, None) => Denial::Unknown(needed),
        })
    }

    /// Whether what a caller was granted is still good.
    pub(crate) fn holds(&self, grant: &Grant, now: Instant) -> bool {
        self.credentials.holds(grant, now)
    }

    /// Writes an event down.
    pub(crate) fn record(
        &self,
        app: &mut App,
        now: Instant,
        who: Doer,
        request: Request,
        outcome: Outcome,
    ) {
        let event = Event {
            at_ms: now.as_millis(),
            id: who.id,
            tenant: who.tenant,
            by: who.by,
            request,
            outcome,
        };
        (self.record)(app, &event);
    }

    /// Whether a caller may do this, as far as the guard says.
    #[cfg(feature = "a2a")]
    pub(crate) fn allows(&self, app: &App, who: &Grant, request: &Request) -> bool {
        (self.allows)(app, who, request)
    }

    /// Whether a caller may do this with a tool.
    pub(crate) fn shows(&self, app: &App, who: &Grant, tool: &'static str) -> bool {
        let request = Request {
            endpoint: Endpoint::Mcp,
            operation: Operation::CallTool,
            subject: Subject::Tool(tool),
        };
        (self.allows)(app, who, &request)
    }
}

/// How many tries are left in this time.
#[derive(Clone, Copy, Debug)]
struct Tries {
    left: u16,
    until: Instant,
}

impl Tries {
    /// The seconds until the next try is answered, if none is left.
    fn reached(&self, now: Instant) -> Option<u32> {
        if now >= self.until || self.left > 0 {
            return None;
        }
        let seconds = self.until.since(now).div_ceil(1000);
        Some(u32::try_from(seconds).unwrap_or(u32::MAX).max(1))
    }

    fn count(&mut self, limit: TryLimit, now: Instant) {
        if now >= self.until {
            self.left = limit.tries;
            self.until = now.after(limit.per_ms);
        }
        self.left = self.left.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: TryLimit = TryLimit {
        tries: 2,
        per_ms: 10_000,
        closes: false,
    };

    fn policy(limit: TryLimit) -> Policy<()> {
        let mut policy = Policy::new::<AllowAll>(Rules {
            limit: Some(limit),
            ..Rules::NONE
        });
        let good = super::super::Credential::new("good", super::super::digest::of(b"good"), 1);
        assert_eq!(policy.credentials.add(good), Ok(()));
        policy
    }

    fn ask(policy: &mut Policy<()>, secret: &'static str, ms: u64) -> Result<u32, Denial> {
        let presented = Presented::ApiKey(secret.as_bytes());
        let now = Instant::from_millis(ms);
        let grant = policy.admit(&mut (), Endpoint::Mcp, presented, now);
        grant.map(|grant| grant.id).map_err(|(denial, _)| denial)
    }

    #[test]
    fn tries_beyond_the_limit_wait_for_the_next_time() {
        let mut policy = policy(LIMIT);
        assert_eq!(ask(&mut policy, "bad", 5), Err(Denial::Unknown(0)));
        assert_eq!(ask(&mut policy, "bad", 6), Err(Denial::Unknown(0)));
        assert_eq!(ask(&mut policy, "bad", 7), Err(Denial::Tries(10)));
        assert_eq!(ask(&mut policy, "bad", 9_006), Err(Denial::Tries(1)));
        // Who is known is not locked out by others.
        assert_eq!(ask(&mut policy, "good", 9_007), Ok(1));
        assert_eq!(ask(&mut policy, "bad", 10_005), Err(Denial::Unknown(0)));
    }

    #[test]
    fn a_limit_that_closes_locks_all_out() {
        let mut policy = policy(TryLimit {
            closes: true,
            ..LIMIT
        });
        assert_eq!(ask(&mut policy, "good", 4), Ok(1));
        assert_eq!(ask(&mut policy, "bad", 5), Err(Denial::Unknown(0)));
        assert_eq!(ask(&mut policy, "bad", 5), Err(Denial::Unknown(0)));
        assert_eq!(ask(&mut policy, "good", 5), Err(Denial::Tries(10)));
        assert_eq!(ask(&mut policy, "good", 10_005), Ok(1));
    }
}
