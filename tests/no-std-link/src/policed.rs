//! `policy`: connections behind one, and its table.

use agentmote::policy::{
    AllowAll, Audit, Authority, Credential, Credentials, Event, Grant, Guard, Operation, Outcome,
    Policy, Presented, Protected, Request, Ring, Rules, Subject, TryLimit,
};
use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, Server};
use agentmote::task::{TaskMemory, TaskRules, Tasks};
use agentmote::time::Instant;

use crate::tasks::AGENT_OF_DESK;
use crate::tool::{App, DEVICE};

const RULES: Rules = Rules {
    realm: "probe",
    scopes: &["one", "two"],
    mcp: 1,
    agent: 2,
    protected: Some(Protected {
        resource: "https://probe.example/mcp",
        metadata: "https://probe.example/.well-known/oauth-protected-resource/mcp",
        authorization_servers: &["https://login.example"],
    }),
    limit: Some(TryLimit {
        tries: 3,
        per_ms: 1000,
        closes: true,
    }),
};

struct Probe;

impl Guard<App> for Probe {
    fn verify(app: &mut App, presented: Presented<'_>, now: Instant) -> Option<Grant> {
        let secret = presented.secret()?;
        app.moved = app.moved.wrapping_add(now.as_millis() as u32);
        let (&first, _) = secret.split_first()?;
        Some(Grant::verified("probe", 1, 2, u32::from(first)))
    }

    fn allows(_: &App, who: &Grant, request: &Request) -> bool {
        who.is_known() && request.subject != Subject::Skill("no")
            || request.operation == Operation::CallTool
    }

    fn record(app: &mut App, event: &Event) {
        let refused = matches!(event.outcome, Outcome::Refused(_));
        let known = event.by != Authority::None;
        app.moved = app.moved.wrapping_add(u32::from(refused || known));
        let mut ring = Ring::<2>::new();
        ring.record(event);
        ring.record(event);
        ring.record(event);
        let count = ring.iter().count() as u32;
        let popped = ring.pop().map_or(0, |event| event.id);
        app.moved = app.moved.wrapping_add(count ^ popped ^ ring.dropped());
    }
}

/// One with the defaults, and one with a guard.
#[expect(unsafe_code, reason = "a program without an allocator and a cell")]
fn policies() -> [&'static mut Policy<App>; 2] {
    static mut OPEN: Policy<App> = Policy::new::<AllowAll>(RULES);
    static mut GUARDED: Policy<App> = Policy::new::<Probe>(RULES);
    let (open, guarded) = (&raw mut OPEN, &raw mut GUARDED);
    // SAFETY: this program is linked, and never run.
    unsafe { [&mut *open, &mut *guarded] }
}

/// A table whose entries come and go by the input.
pub(crate) fn table(input: &[u8]) -> usize {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    let mut table = Credentials::new();
    let mut sum = 0usize;
    for bytes in input.chunks(4) {
        let [what, name, digest, id] = *bytes else {
            break;
        };
        let name = NAMES.get(usize::from(name)).copied().unwrap_or("d");
        let credential = Credential {
            tenant: u32::from(what),
            expires: Some(Instant::from_millis(u64::from(digest))),
            ..Credential::new(name, [digest; 32], u32::from(id))
        };
        match what {
            0 => sum = sum.wrapping_add(usize::from(table.revoke(name))),
            1 => sum = sum.wrapping_add(usize::from(table.rotate(name, [digest; 32]))),
            2 => table.clear(),
            3 => table.replace(&Credentials::new()),
            _ => {
                if let Err(error) = table.add(credential) {
                    sum = sum.wrapping_add(error.text().len());
                }
            }
        }
    }
    sum.wrapping_add(table.len())
        .wrapping_add(usize::from(table.is_empty()))
}

/// A connection with an agent behind a policy, cut and timed by the input.
pub(crate) fn connection(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, cut, room, which], input) = crate::pick(input);
    let now = Instant::from_millis(now as u64);
    let server = Server::new(&DEVICE, App { moved: 0 });
    let [open, guarded] = policies();
    let mut server = server.with_policy(open);
    if which != 0 {
        server.set_policy(guarded);
    }
    if let Some(policy) = server.policy() {
        let credential = Credential::of_secret("a", out, which as u32);
        let _ = policy.credentials.add(credential);
    }
    let mut tasks = TaskMemory::<2, 512, 256>::new();
    let mut desk = AgentDesk {
        agent: &AGENT_OF_DESK,
        tasks: Tasks::new(&mut tasks, TaskRules::new(|bytes| bytes.fill(7))),
        callers: |_| None,
    };
    let mut memory = HttpMemory::<1024, 256>::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    let mut filled = 0usize;
    for part in [first, second, input] {
        let taken = http.receive(part);
        let place = out.get_mut(filled..filled.saturating_add(room));
        let place = place.unwrap_or_default();
        filled = filled.wrapping_add(http.poll_agent(&mut server, &mut desk, now, place));
        if taken == 0 && http.wake_agent(&desk).is_some() {
            http.hang_up(&mut server, now);
            http.open();
        }
    }
    filled
}
