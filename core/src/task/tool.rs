//! A tool of the tool table as a skill.

#[cfg(feature = "input")]
use super::ask;
use super::log::{Content, Label, Part, Parts};
#[cfg(feature = "input")]
use super::log::{Pieces, STATUS_OVERHEAD};
#[cfg(feature = "input")]
use super::state::State;
#[cfg(feature = "input")]
use super::table::Place;
#[cfg(feature = "tasks")]
use super::table::Talk;
#[cfg(feature = "input")]
use super::work::NO_ROOM_TO_ASK;
use super::work::{Kind, Step, Work, newest_parts};
use crate::buf::Sink;
use crate::json::{Kind as Json, Value};
#[cfg(feature = "input")]
use crate::limits::STATUS_BYTES;
#[cfg(feature = "input")]
use crate::tool::{Asks, Capabilities, Inputs};
use crate::tool::{Blocks, Call, Entry, Outcome, Piece, check, run};

/// Takes one step of a tool as the work of a task: what a skill's `run` is
/// made of.
///
/// The arguments are the first object among the data of the newest message;
/// without one, the tool is called without arguments. Arguments that the tool
/// does not allow reject the task, in the words that a call would be refused
/// with. The result becomes one artifact, a part for each part of it; a failed
/// result fails the task. Progress becomes the message of the status, at each
/// sixteenth step. A polled tool is told of a cancellation like a call that
/// its caller gives up.
///
/// A tool that asks makes the task wait for input: the caller's next message
/// is the answer, in words where it is to one question of one field, else as
/// an object of what is entered, or of such objects by the keys of the
/// questions. The handler is then called from step 0 with the answers.
///
/// ```
/// use agentmote::task::{Skill, run_tool};
/// use agentmote::tool::{Call, Entry, Tool};
/// # struct Lamp;
///
/// const LIGHT: Entry<Lamp> = Entry {
///     tool: Tool::new("light", "Switches the light on."),
///     run: |_, call| call.text("the light is on"),
/// };
/// const SKILL: Skill<Lamp> =
///     Skill::new("light", "Light", "Switches the light on.", &["lamp"], |lamp, work| {
///         run_tool(&LIGHT, lamp, work)
///     });
/// assert_eq!(SKILL.id, LIGHT.tool.name);
/// ```
pub fn run_tool<App>(entry: &Entry<App>, app: &mut App, work: &mut Work<'_>) -> Step {
    let record = &mut *work.place.record;
    let log = work.place.room.get(..usize::from(record.len));
    let log = log.unwrap_or(&[]);
    // A tool that has asked is at its first step again, and may have begun.
    #[cfg(feature = "input")]
    let fresh = ask::first_asked(log) == u64::MAX;
    #[cfg(not(feature = "input"))]
    let fresh = true;
    if record.stop && record.step == 0 && fresh {
        return Step::STOPPED;
    }
    let object = arguments(log).find_map(|part| match part.content {
        Content::Data(json) => Some(Value::checked(json)),
        _ => None,
    });
    let object = object.filter(|value| value.kind() == Json::Object);
    let mut outcome = Outcome::default();
    let Some(args) = check(&entry.tool, object, None) else {
        check(&entry.tool, object, Some(&mut work.text));
        return Step(Kind::Rejected);
    };
    let blocks = Blocks {
        audio: true,
        links: true,
    };
    let now = work.place.now;
    #[cfg(feature = "input")]
    let client = ask::client(log);
    // The answers stand before the result, for as long as the step.
    #[cfg(feature = "input")]
    let (inputs, result) = {
        let mut answers = Sink::new(work.result);
        let any = entry.tool.asks != Asks::Never && ask::write_responses(&mut answers, log);
        let len = if any { answers.total() } else { 0 };
        let room = work.result.len();
        let split = work.result.split_at_mut_checked(len);
        let Some((answers, result)) = split.filter(|(_, result)| result.len() >= REPORT) else {
            let what = if any {
                "a tool with these answers"
            } else {
                "a tool"
            };
            return no_room(&mut work.text, what, len, room);
        };
        let answers = any.then_some(Value::checked(answers));
        (Inputs::new(answers, client), result)
    };
    #[cfg(not(feature = "input"))]
    let result = {
        if work.result.len() < REPORT {
            return no_room(&mut work.text, "a tool", 0, work.result.len());
        }
        &mut *work.result
    };
    let call = Call::new(args, now, record.step, blocks, result, &mut outcome);
    let call = call.with_memo(record.memo).in_task();
    #[cfg(feature = "tasks")]
    let call = match record.talk {
        Talk::Tool => call.of(record.skill),
        _ => call,
    };
    #[cfg(feature = "input")]
    let call = call.with_inputs(inputs);
    if record.stop {
        let _ = run(entry, app, call.cancelled());
        return Step::STOPPED;
    }
    let step = run(entry, app, call);
    record.memo = step.memo;
    #[cfg(feature = "input")]
    if step.asked {
        return asks(&mut work.place, &mut work.text, client, &outcome, result);
    }
    if !step.done {
        work.wake = step.wake;
        if let Some(progress) = step.progress
            && progress.total != 0
            && record.step.is_multiple_of(REPORT_EVERY)
        {
            let (done, total) = (progress.done, progress.total);
            work.report_with(format_args!("{done} of {total}"));
        }
        return Step::PENDING;
    }
    if outcome.failed() {
        if let Some(Piece::Text(reason)) = outcome.pieces(result).next() {
            work.text.truncate(0);
            work.text.text(reason);
        }
        return Step(Kind::Failed);
    }
    let number = work.place.shared.number();
    let id = work.place.record.artifacts.saturating_add(1);
    let result = &*result;
    let added = work.place.add(0, |pieces| {
        pieces.artifact(number, id, false, true);
        pieces.label(Label::new(entry.tool.name));
        for piece in outcome.pieces(result) {
            if let Some(part) = part(piece) {
                pieces.whole_part(part);
            }
        }
    });
    match added {
        Ok(()) => work.place.record.artifacts = id,
        Err(need) => work.need = Some((need, work.place.room.len())),
    }
    Step::DONE
}

/// Bytes of the result buffer that a tool must find free: so many hold the
/// report of a result that does not fit. With less it could act and not tell.
const REPORT: usize = 96;

/// There is no room for a tool beside so many bytes; it was not run.
fn no_room(text: &mut Sink<'_>, what: &str, len: usize, room: usize) -> Step {
    text.truncate(0);
    text.text(what);
    text.text(" needs ");
    text.number(len.saturating_add(REPORT) as u64);
    text.text(" bytes of the tasks' result buffer, which has ");
    text.number(room as u64);
    Step(Kind::Failed)
}

/// Where the arguments of a tool stand: the newest message that is no answer
/// to its questions.
fn arguments(log: &[u8]) -> Parts<'_> {
    #[cfg(feature = "input")]
    let until = ask::first_asked(log);
    #[cfg(not(feature = "input"))]
    let until = u64::MAX;
    newest_parts(log, until)
}

/// Puts the questions of a tool into the log, and waits for the answers. Who
/// cannot be asked is told so.
#[cfg(feature = "input")]
fn asks(
    place: &mut Place<'_>,
    text: &mut Sink<'_>,
    client: Capabilities,
    outcome: &Outcome,
    result: &[u8],
) -> Step {
    text.truncate(0);
    let mut needed = Capabilities::NONE;
    let mut count = Pieces::counter();
    for (key, request) in outcome.questions(result) {
        needed = needed.and(request.needs());
        count.question(key, request);
    }
    let missing = needed.missing(client);
    if !missing.is_none() {
        text.text("the client cannot be asked: it has not declared ");
        text.text(missing.first_name());
        return Step(Kind::Failed);
    }
    let mut room = [0; STATUS_BYTES];
    let mut words = Sink::new(&mut room);
    let several = outcome.questions(result).count() > 1;
    for (at, (key, request)) in outcome.questions(result).enumerate() {
        // By its key an answer among several is told.
        if at > 0 {
            words.byte(b'\n');
        }
        if several {
            words.text(key);
            words.text(": ");
        }
        words.text(ask::words_of(request));
    }
    let len = words.end_with_ellipsis();
    let words = core::str::from_utf8(words.kept().get(..len).unwrap_or(&[])).unwrap_or("");
    let fits = count.total().saturating_add(STATUS_OVERHEAD + STATUS_BYTES) <= place.free();
    if !fits || !place.become_(State::InputRequired, words) {
        place.fault(NO_ROOM_TO_ASK);
        return Step(Kind::Asked);
    }
    let _ = place.add(0, |pieces| {
        for (key, request) in outcome.questions(result) {
            pieces.question(key, request);
        }
    });
    Step(Kind::Asked)
}

/// Steps between two reports of a tool's progress: a tool reports each few
/// milliseconds, and each report stays in the log.
const REPORT_EVERY: u32 = 16;

/// The part that says what a part of a result says.
fn part(piece: Piece<'_>) -> Option<Part<'_>> {
    Some(match piece {
        Piece::Text(text) => Part::new(Content::Text(text)),
        Piece::Json(json) => Part::new(Content::Data(json)).media_type("application/json"),
        Piece::Image { data, mime } | Piece::Audio { data, mime } => {
            Part::new(Content::Raw(data)).media_type(mime)
        }
        Piece::Link { uri, name, mime } => {
            Part::new(Content::Url(uri)).media_type(mime).filename(name)
        }
        Piece::ResourceText { uri, mime, text } => {
            Part::new(Content::Text(text)).media_type(mime).uri(uri)
        }
        Piece::ResourceBlob { uri, mime, data } => {
            Part::new(Content::Raw(data)).media_type(mime).uri(uri)
        }
        #[cfg(feature = "prompts")]
        Piece::Assistant => return None,
        #[cfg(feature = "input")]
        Piece::Question { .. } => return None,
        #[cfg(feature = "logging")]
        Piece::Log { .. } => return None,
    })
}
