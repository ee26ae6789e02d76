//! The arm's skills as tasks of A2A, for the table of sizes.

use agentmote::a2a::{Agent, Caller};
use agentmote::server::AgentDesk;
use agentmote::task::{TaskMemory, TaskRules, Tasks};
use bench_arm::Arm;

/// Four tasks of 1,024 bytes each, and results of tools of up to 512.
pub(crate) type Memory = TaskMemory<4, 1024, 512>;

static AGENT: Agent<Arm> = {
    #[cfg_attr(
        not(any(feature = "extensions", feature = "pages")),
        expect(unused_mut, reason = "nothing is added")
    )]
    let mut agent = Agent::new(bench_arm::card("http://192.0.2.7/a2a/"));
    #[cfg(feature = "extensions")]
    {
        agent.answered = &[UPTIME];
    }
    #[cfg(feature = "pages")]
    {
        agent.pages = PAGES;
    }
    agent
};

#[cfg(feature = "pages")]
const PAGES: &[agentmote::a2a::Page<Arm>] = &[
    agentmote::a2a::Page::text("/docs", "text/html", |agent, out| {
        agent.write_guide(out, &[])
    }),
    agentmote::a2a::Page::text("/docs.json", "application/json", |agent, out| {
        agent.write_description(out, &[]);
    }),
];

#[cfg(feature = "extensions")]
const UPTIME: &str = "urn:example:uptime:v1";

/// Tells how long the board runs.
#[cfg(feature = "extensions")]
struct Uptime;

#[cfg(feature = "extensions")]
impl agentmote::task::Responder for Uptime {
    fn uri(&self) -> &str {
        UPTIME
    }

    fn respond(&mut self, work: &mut agentmote::task::Work<'_>) -> agentmote::task::Step {
        let millis = work.now().as_millis() as u32;
        work.json("uptime", &millis);
        agentmote::task::Step::DONE
    }
}

#[cfg(not(feature = "extensions"))]
const RULES: TaskRules = TaskRules::new(entropy);
#[cfg(feature = "extensions")]
const RULES: TaskRules = TaskRules {
    spare: 1,
    ..TaskRules::new(entropy)
};

/// The LM3S6965 has no source of random bytes, without which no task is made:
/// a product fills the ids from where it has one.
#[cfg(not(feature = "test-ids"))]
fn entropy(_: &mut [u8]) {}

/// Never the same twice, and easy to guess.
#[cfg(feature = "test-ids")]
fn entropy(bytes: &mut [u8]) {
    use core::sync::atomic::{AtomicU32, Ordering};
    static LAST: AtomicU32 = AtomicU32::new(0x9E37_79B9);
    for byte in bytes {
        // Only the main loop asks.
        let mut word = LAST.load(Ordering::Relaxed);
        word ^= word << 13;
        word ^= word >> 17;
        word ^= word << 5;
        LAST.store(word, Ordering::Relaxed);
        *byte = (word >> 16) as u8;
    }
}

pub(crate) fn desk(memory: &mut Memory) -> AgentDesk<'_, Arm> {
    AgentDesk {
        agent: &AGENT,
        tasks: Tasks::new(memory, RULES),
        callers: |_| Some(Caller::default()),
    }
}

/// Lets the answers of the extension go on.
#[cfg(feature = "extensions")]
pub(crate) fn respond(desk: &mut AgentDesk<'_, Arm>, now: agentmote::time::Instant) {
    desk.tasks.respond(&mut [&mut Uptime], now);
}
