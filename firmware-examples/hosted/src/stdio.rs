//! Lines over standard input and output.

use std::io::{self, Read as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use agentmote::server::{Line, LineMemory, Server};
use agentmote::task::{Principal, Runtime, Tasks};

use crate::{Clock, until};

/// Bytes of the longest line.
const LINE: usize = 16 * 1024;
/// Bytes of the largest result.
const RESULT: usize = 8 * 1024;
/// Calls of polled tools in flight.
const CALLS: usize = 8;
/// Bytes of id, arguments and token of each of them.
const KEPT: usize = 4 * 1024;

/// Serves lines on standard input and output until the input ends (M-093).
/// Calls may become tasks of the one peer that there is.
///
/// # Errors
/// Those of standard output; a closed one is the end as well.
pub fn serve_stdio<App: Runtime>(
    server: &mut Server<App>,
    tasks: &mut Tasks<'_>,
    clock: Clock,
) -> io::Result<()> {
    let owner = Principal::default();
    let (send, receive) = mpsc::sync_channel::<Vec<u8>>(16);
    // Reading blocks, so it has a thread of its own; it ends with the input
    // or the process.
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut chunk = [0; 4096];
        while let Ok(n) = stdin.read(&mut chunk) {
            if n == 0 || send.send(chunk[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut memory = Box::new(LineMemory::<LINE, RESULT, CALLS, KEPT>::new());
    let mut line = Line::new(&mut memory);
    let mut stdout = io::stdout().lock();
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let mut out = [0; 4096];
        let filled = line.poll_tasks(server, tasks, owner, clock.now(), &mut out);
        if filled > 0 {
            stdout.write_all(&out[..filled])?;
            continue;
        }
        let taken = line.receive(&pending);
        pending.drain(..taken);
        if taken > 0 {
            continue;
        }
        stdout.flush()?;
        let wakes = line.wake().into_iter().chain(tasks.wake());
        let wait = until(wakes.min(), clock.now());
        if !pending.is_empty() {
            std::thread::sleep(wait.unwrap_or(Duration::from_millis(1)));
            continue;
        }
        let arrived = match wait {
            Some(wait) => receive.recv_timeout(wait),
            None => receive.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match arrived {
            Ok(bytes) => pending = bytes,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                line.reset(server, clock.now());
                return Ok(());
            }
        }
    }
}
