//! An emulated board whose UART is this program's stdin and stdout.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ChildStdin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::child::{Job, Log};
use crate::packages;
use crate::stop::Stop;

/// How long the board must have been silent after the end of the input
/// before it counts as done.
const QUIET: Duration = Duration::from_millis(500);

/// How long a board that keeps talking is listened to after that.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the two pumps tell.
enum Event {
    /// With the board's input, which stays open: the emulator could take
    /// its end for a reason to stop before the last answer is out.
    InputEnded(ChildStdin),
    Output,
    OutputEnded,
}

/// The emulator with `image`, its UART at stdin and stdout.
pub(crate) fn lm3s6965evb(image: &Path) -> Job {
    Job::new("qemu-system-arm")
        .args(["-machine", "lm3s6965evb", "-nographic"])
        .args(["-monitor", "none", "-nic", "none"])
        .args(["-serial", "stdio", "-kernel"])
        .arg(image)
}

/// The same for `mps2-an386`; the image can end it with a failure.
pub(crate) fn mps2_an386(image: &Path) -> Job {
    Job::new("qemu-system-arm")
        .args(["-machine", "mps2-an386", "-nographic"])
        .args(["-monitor", "none", "-nic", "none"])
        .args(["-semihosting-config", "enable=on,target=native"])
        .args(["-serial", "stdio", "-kernel"])
        .arg(image)
}

/// Runs `image` on `lm3s6965evb` until the input ends. Only what the board
/// sends reaches stdout.
pub(crate) fn bridge(image: &Path, log: &mut Log) -> Result<(), Stop> {
    packages::need(&[&packages::QEMU_ARM], log)?;
    let mut board = lm3s6965evb(image).piped()?;
    let (Some(mut to_board), Some(mut from_board)) = (board.stdin(), board.stdout()) else {
        return Err(Stop::Fail("no pipes to the emulator".into()));
    };
    // The emulated UART forgets one byte if it arrives before the firmware
    // has switched the FIFO on. An empty line means nothing to the board.
    to_board.write_all(b"\n")?;

    let (events, received) = mpsc::channel();
    let input_events = events.clone();
    // Both pumps end with their pipe; the process does not wait for them.
    std::thread::spawn(move || {
        pump(&mut io::stdin(), &mut to_board, || true);
        let _ = input_events.send(Event::InputEnded(to_board));
    });
    std::thread::spawn(move || {
        pump(&mut from_board, &mut io::stdout(), || {
            events.send(Event::Output).is_ok()
        });
        let _ = events.send(Event::OutputEnded);
    });

    let mut input_ended: Option<(Instant, ChildStdin)> = None;
    loop {
        match received.recv_timeout(QUIET) {
            Ok(Event::InputEnded(pipe)) => input_ended = Some((Instant::now(), pipe)),
            Ok(Event::Output) => {}
            Ok(Event::OutputEnded) | Err(RecvTimeoutError::Disconnected) => {
                return match board.ended()? {
                    Some(status) => Err(Stop::Fail(format!("the emulator ended: {status}"))),
                    // Nobody reads stdout any more.
                    None => Ok(()),
                };
            }
            Err(RecvTimeoutError::Timeout) if input_ended.is_some() => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if input_ended
            .as_ref()
            .is_some_and(|(at, _)| at.elapsed() > PATIENCE)
        {
            return Ok(());
        }
    }
}

/// Copies until either end closes or `go_on` says no.
fn pump(from: &mut impl Read, to: &mut impl Write, go_on: impl Fn() -> bool) {
    let mut bytes = [0; 4096];
    loop {
        let count = match from.read(&mut bytes) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if to
            .write_all(&bytes[..count])
            .and_then(|()| to.flush())
            .is_err()
            || !go_on()
        {
            return;
        }
    }
}
