//! A tool of the tool table as a skill.

use super::log::{Content, Part};
use super::work::{Kind, Step, Work, newest_parts};
use crate::json::{Kind as Json, Value};
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
    if record.stop && record.step == 0 {
        return Step::STOPPED;
    }
    let log = work.place.room.get(..usize::from(record.len));
    let object = newest_parts(log.unwrap_or(&[])).find_map(|part| match part.content {
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
    let call = Call::new(args, now, record.step, blocks, work.result, &mut outcome);
    let call = call.with_memo(record.memo);
    if record.stop {
        let _ = run(entry, app, call.cancelled());
        return Step::STOPPED;
    }
    let step = run(entry, app, call);
    record.memo = step.memo;
    #[cfg(feature = "input")]
    if step.asked {
        return work.fail("the tool asks its caller, which the work of a task cannot");
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
        if let Some(Piece::Text(reason)) = outcome.pieces(work.result).next() {
            work.text.truncate(0);
            work.text.text(reason);
        }
        return Step(Kind::Failed);
    }
    let number = work.place.shared.number();
    let id = work.place.record.artifacts.saturating_add(1);
    let result = &*work.result;
    let added = work.place.add(0, |pieces| {
        pieces.artifact(number, id, false, true);
        pieces.name(entry.tool.name);
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
        Piece::ResourceText { mime, text, .. } => Part::new(Content::Text(text)).media_type(mime),
        Piece::ResourceBlob { mime, data, .. } => Part::new(Content::Raw(data)).media_type(mime),
        #[cfg(feature = "prompts")]
        Piece::Assistant => return None,
        #[cfg(feature = "input")]
        Piece::Question { .. } => return None,
        #[cfg(feature = "logging")]
        Piece::Log { .. } => return None,
    })
}
