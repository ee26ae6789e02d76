//! The fixture of the conformance suites on an emulated board: what the suite
//! sent to the host, and when, is sent to the board over its UART, and the
//! board must answer byte for byte the same.
//!
//! The frames are told in `tests/fixture/src/frame.rs`.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::child::{Log, Running};
use crate::conformance;
use crate::firmware;
use crate::packages;
use crate::paths;
use crate::qemu;
use crate::readme::grouped;
use crate::steps;
use crate::stop::{Doing, Stop};

/// What the suite is asked to test.
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];

/// What shows in the requests that each era was spoken.
const ERAS: [&str; 2] = [
    "io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"",
    "\"method\":\"initialize\"",
];

/// Events in a record that is worth anything, at least.
const EVENTS: usize = 100;

/// How long the board may take to answer one event.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take for all of them.
const LIMIT: Duration = Duration::from_secs(300);

/// Bytes of the head of a frame.
const HEAD: usize = 4;

/// The tags of events, and of the frame that ends what came of one.
const OPEN: u8 = b'O';
const BYTES: u8 = b'B';
const CLOSE: u8 = b'C';
const TIME: u8 = b'T';
const DONE: u8 = b'.';

/// What the board says before the first event.
const READY: [u8; HEAD] = [DONE, 0, 0, 0];

/// The step; gives a note.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::QEMU_ARM], log)?;
    let (image, _) = firmware::fixture_image(log)?;
    let file = record(log)?;
    let record = std::fs::read(&file).doing(file.display())?;
    let turns = turns(&record)?;
    plausible(&turns)?;
    log.line(&format!("{} events in {}", turns.len(), file.display()))?;
    let start = Instant::now();
    let mut board = Board::start(qemu::mps2_an386(&image).talk(log)?)?;
    for (at, turn) in turns.iter().enumerate() {
        if start.elapsed() > LIMIT {
            let seconds = LIMIT.as_secs();
            return Err(Stop::Fail(format!("stopped after {seconds} s, event {at}")));
        }
        let came = board.answer(turn.event).map_err(|stop| match stop {
            Stop::Fail(text) => Stop::Fail(format!("event {at}, {}: {text}", turn.shown())),
            other => other,
        })?;
        compare(at, turn, &came)?;
    }
    log.line(&format!("replayed in {:?}", start.elapsed()))?;
    let count =
        |part: fn(&Turn<'_>) -> usize| grouped(turns.iter().map(part).sum::<usize>() as u64);
    Ok(format!(
        "{} events, {} bytes in, {} bytes out",
        grouped(turns.len() as u64),
        count(|turn| turn.event.len()),
        count(|turn| turn.answers.len())
    ))
}

/// Runs the suite against the server that records; gives the record.
fn record(log: &mut Log) -> Result<PathBuf, Stop> {
    let file = paths::target().join("conformance/record");
    conformance::recorded(&REVISIONS, steps::TASKS, &file, log)?;
    Ok(file)
}

/// An event, and all that came of it.
#[derive(Debug, PartialEq)]
struct Turn<'r> {
    event: &'r [u8],
    answers: &'r [u8],
}

impl Turn<'_> {
    fn shown(&self) -> String {
        shown(self.event)
    }
}

/// The first frame of `bytes`: its tag and its length.
fn frame(bytes: &[u8]) -> Option<(u8, usize)> {
    let [tag, _, low, high] = *bytes.first_chunk::<HEAD>()?;
    let len = HEAD + usize::from(u16::from_le_bytes([low, high]));
    (bytes.len() >= len).then_some((tag, len))
}

/// Every turn of a record, which must be whole.
fn turns(record: &[u8]) -> Result<Vec<Turn<'_>>, Stop> {
    let mut turns = Vec::new();
    let mut rest = record;
    while !rest.is_empty() {
        let at = record.len() - rest.len();
        let wrong = |what: &str| Stop::Fail(format!("the record at byte {at}: {what}"));
        let (tag, len) = frame(rest).ok_or_else(|| wrong("a frame is cut off"))?;
        if ![OPEN, BYTES, CLOSE, TIME].contains(&tag) {
            return Err(wrong("no event"));
        }
        let (event, after) = rest.split_at(len);
        let end = end_of_answers(after).ok_or_else(|| wrong("its answers have no end"))?;
        let (answers, after) = after.split_at(end);
        turns.push(Turn { event, answers });
        rest = after;
    }
    Ok(turns)
}

/// The length of frames up to the one that is the last of its event.
fn end_of_answers(bytes: &[u8]) -> Option<usize> {
    let mut end = 0;
    loop {
        let (tag, len) = frame(bytes.get(end..)?)?;
        end += len;
        if tag == DONE {
            return Some(end);
        }
    }
}

/// Fails unless the suite has spoken to the server in both eras.
fn plausible(turns: &[Turn<'_>]) -> Result<(), Stop> {
    if turns.len() < EVENTS {
        return Err(Stop::Fail(format!(
            "the record has {} events, at least {EVENTS} are wanted",
            turns.len()
        )));
    }
    let arrived = turns.iter().filter(|turn| turn.event[0] == BYTES);
    let arrived: Vec<String> = arrived
        .map(|turn| String::from_utf8_lossy(&turn.event[HEAD..]).into_owned())
        .collect();
    match ERAS
        .iter()
        .find(|era| !arrived.iter().any(|text| text.contains(**era)))
    {
        Some(era) => Err(Stop::Fail(format!("no request of the record says {era}"))),
        None => Ok(()),
    }
}

/// Fails unless what came is what the host answered.
fn compare(at: usize, turn: &Turn<'_>, came: &[u8]) -> Result<(), Stop> {
    if came == turn.answers {
        return Ok(());
    }
    Err(Stop::Fail(format!(
        "event {at}: {}\nhost:  {}\nboard: {}",
        turn.shown(),
        shown(turn.answers),
        shown(came)
    )))
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// The emulated board.
struct Board {
    running: Running,
    stdin: ChildStdin,
    answers: Receiver<io::Result<Vec<u8>>>,
}

impl Board {
    fn start(mut running: Running) -> Result<Self, Stop> {
        let (Some(stdin), Some(mut stdout)) = (running.stdin(), running.stdout()) else {
            return Err(Stop::Fail("no pipes to the emulator".into()));
        };
        let (send, answers) = mpsc::channel();
        // Ends with the emulator.
        std::thread::spawn(move || {
            loop {
                let answer = read_answers(&mut stdout);
                let failed = answer.is_err();
                if send.send(answer).is_err() || failed {
                    return;
                }
            }
        });
        let mut board = Self {
            running,
            stdin,
            answers,
        };
        // The UART forgets what comes before the firmware has switched it on.
        let ready = board.frames()?;
        match ready == READY {
            true => Ok(board),
            false => Err(Stop::Fail(format!(
                "the board began with {}",
                shown(&ready)
            ))),
        }
    }

    /// All frames that come of `event`.
    fn answer(&mut self, event: &[u8]) -> Result<Vec<u8>, Stop> {
        self.stdin.write_all(event).doing("writing")?;
        self.stdin.flush().doing("writing")?;
        self.frames()
    }

    fn frames(&mut self) -> Result<Vec<u8>, Stop> {
        match self.answers.recv_timeout(PATIENCE) {
            Ok(Ok(came)) => Ok(came),
            Err(RecvTimeoutError::Timeout) => Err(Stop::Fail("no whole answer".into())),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(Stop::Fail(format!(
                "the emulator ended ({:?})",
                self.running.ended()?
            ))),
        }
    }
}

/// Reads up to the frame that is the last of an event.
fn read_answers(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut head = [0; HEAD];
        from.read_exact(&mut head)?;
        let start = bytes.len() + HEAD;
        bytes.extend_from_slice(&head);
        let [tag, _, low, high] = head;
        bytes.resize(start + usize::from(u16::from_le_bytes([low, high])), 0);
        from.read_exact(&mut bytes[start..])?;
        if tag == DONE {
            return Ok(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two events; the second is answered in two pieces.
    const RECORD: &[u8] =
        b"O\x03\0\0.\0\0\0B\x03\x02\0hia\x03\x03\0heya\x03\x01\0!z\x03\0\0.\0\0\0";

    #[test]
    fn a_record_is_cut_into_turns() {
        let found = turns(RECORD).unwrap_or_default();
        assert_eq!(
            found,
            [
                Turn {
                    event: b"O\x03\0\0",
                    answers: b".\0\0\0",
                },
                Turn {
                    event: b"B\x03\x02\0hi",
                    answers: b"a\x03\x03\0heya\x03\x01\0!z\x03\0\0.\0\0\0",
                },
            ]
        );
        let came = read_answers(&mut &found[1].answers[..]);
        assert_eq!(came.unwrap_or_default(), found[1].answers);
        assert!(turns(b"").is_ok_and(|turns| turns.is_empty()));
    }

    #[test]
    fn a_record_that_is_not_whole_is_refused() {
        for cut in 1..RECORD.len() {
            assert_eq!(turns(&RECORD[..cut]).is_ok(), cut == 8, "{cut}");
        }
        assert!(turns(&RECORD[4..]).is_err());
    }

    #[test]
    fn one_other_byte_is_a_failure() {
        let turn = &turns(RECORD).unwrap_or_default()[1];
        assert!(compare(1, turn, turn.answers).is_ok());
        for at in 0..turn.answers.len() {
            let mut came = turn.answers.to_vec();
            came[at] ^= 1;
            assert!(compare(1, turn, &came).is_err(), "{at}");
            assert!(compare(1, turn, &came[..at]).is_err(), "{at}");
        }
        let more = [turn.answers, b"."].concat();
        assert!(compare(1, turn, &more).is_err());
    }

    #[test]
    fn a_record_of_one_era_or_of_little_is_refused() {
        let event = |text: &str| {
            let mut event = vec![BYTES, 0, text.len() as u8, 0];
            event.extend_from_slice(text.as_bytes());
            event
        };
        let eras = ERAS.map(event);
        let is_plausible = |said: &[&[u8]], count: usize| {
            let quiet: &[u8] = b"O\0\0\0";
            let events = said.iter().copied().chain(std::iter::repeat(quiet));
            let turn = |event| Turn {
                event,
                answers: b".\0\0\0",
            };
            plausible(&events.take(count).map(turn).collect::<Vec<_>>()).is_ok()
        };
        assert!(is_plausible(&[&eras[0], &eras[1]], EVENTS));
        assert!(!is_plausible(&[&eras[0], &eras[1]], EVENTS - 1));
        assert!(!is_plausible(&[&eras[0]], EVENTS));
        assert!(!is_plausible(&[&eras[1]], EVENTS));
    }
}
