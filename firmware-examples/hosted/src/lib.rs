//! A PC as a board: TCP and standard input and output around the connections
//! of the core.

mod callers;
mod http;
mod serve;
mod stdio;
mod upstream;

use std::fmt::Display;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agentmote::task::{TaskMemory, TaskRules, Tasks};
use agentmote::time::Instant;

pub use callers::{Audit, Callers, Unreadable};
pub use http::{Listener, MAX_CONNECTIONS};
pub use serve::{AGENT_PATH, Serve, WithAgent, WithExtension};
pub use stdio::serve_stdio;
pub use upstream::Upstream;

/// Runs a program by its options; `None` asks for `help`. What is wrong goes
/// to standard error: with options it ends with 2, while it runs with 1.
pub fn program<O, E: Display>(
    name: &str,
    help: &str,
    options: Result<Option<O>, String>,
    run: impl FnOnce(O) -> Result<(), E>,
) -> ExitCode {
    let options = match options {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{help}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{name}: {error}");
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The clock of a PC: milliseconds since it was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock(std::time::Instant);

impl Clock {
    /// A clock that stands at 0.
    pub fn new() -> Self {
        Self(std::time::Instant::now())
    }

    /// The time now.
    pub fn now(&self) -> Instant {
        Instant::from_millis(u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

/// A key for [`Server::with_key`](agentmote::server::Server::with_key): random
/// bytes of the operating system.
///
/// # Errors
/// What the operating system says.
pub fn key() -> std::io::Result<[u8; 32]> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)?;
    Ok(key)
}

/// A table of so many tasks with 4 KiB each, for the life of the process, with
/// ids from the operating system and its time of day. Finished tasks are kept
/// for `retention_ms` milliseconds at least.
pub fn tasks<const SLOTS: usize>(clock: Clock, retention_ms: u32) -> Tasks<'static> {
    tasks_of::<SLOTS, 4096>(clock, retention_ms, 0)
}

/// The same with so many bytes each, of which `spare` are for answers of
/// extensions.
pub fn tasks_of<const SLOTS: usize, const LOG: usize>(
    clock: Clock,
    retention_ms: u32,
    spare: u8,
) -> Tasks<'static> {
    let memory = Box::leak(Box::new(TaskMemory::<SLOTS, LOG, 1024>::new()));
    // Bytes that could not be had stay zeros, which make no id.
    let rules = TaskRules {
        retention_ms,
        spare,
        ..TaskRules::new(|bytes| {
            let _ = getrandom::fill(bytes);
        })
    };
    let mut tasks = Tasks::new(memory, rules);
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
    if let Ok(millis) = since.map(|since| u64::try_from(since.as_millis()).unwrap_or(0)) {
        tasks.set_clock(millis, clock.now());
    }
    tasks
}

/// How long to wait for a wake, at most until the next look at the clock.
fn until(wake: Option<Instant>, now: Instant) -> Option<std::time::Duration> {
    wake.map(|wake| std::time::Duration::from_millis(wake.since(now).max(1)))
}

/// A server may be used on after a thread that held it has panicked: the
/// connection of that thread is gone, the server's own state is whole.
fn lock<S>(server: &Mutex<S>) -> MutexGuard<'_, S> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}
