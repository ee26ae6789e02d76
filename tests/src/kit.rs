//! The agent that the public A2A kits test: they say by the beginning of a
//! message's id what is to become of it.

use std::sync::atomic::{AtomicBool, Ordering};

use agentmote::a2a::Card;
use agentmote::task::{Content, Journal, Part, Runtime, Skill, Step, Work};

use crate::fixture::Fixture;

/// The card of the fixture, whose endpoint is at this URL.
pub const fn card(url: &'static str) -> Card {
    Card {
        // A kit counts a missing one as a failure.
        last_modified: "Mon, 30 Nov 2026 00:00:00 GMT",
        ..Card::new(
            "agentmote-fixture",
            "The agent that the public kits test.",
            env!("CARGO_PKG_VERSION"),
            url,
        )
    }
}

/// Whether a task that is told nothing special works without an end: a kit of
/// 0.3 continues and cancels the tasks that it makes.
pub static STAY_OPEN: AtomicBool = AtomicBool::new(false);

impl Journal for Fixture {}

impl Runtime for Fixture {
    const SKILLS: &'static [Skill<Self>] = &[Skill {
        input_modes: &["*/*"],
        talks: true,
        listens: true,
        output_modes: &["text/plain", "application/json", "application/octet-stream"],
        ..Skill::new(
            "kit",
            "Kit",
            "Does what the id of a message begins with.",
            &["test"],
            kit,
        )
    }];
}

/// How long a step of a stream takes, in milliseconds.
const STEP_MS: u32 = 100;
/// How long a task goes on that a kit subscribes to, in milliseconds.
const LONG_MS: u32 = 4_000;

fn kit(_: &mut Fixture, work: &mut Work<'_>) -> Step {
    if work.is_cancelled() {
        return Step::STOPPED;
    }
    let id = work.message_id().to_owned();
    let is = |prefix: &str| id.starts_with(prefix);
    let file = Part::new(Content::Raw(b"output of the fixture"))
        .media_type("text/plain")
        .filename("output.txt");
    let url = Part::new(Content::Url("https://example.com/output.txt"))
        .media_type("text/plain")
        .filename("output.txt");
    let data = Part::new(Content::Data(b"{\"key\":\"value\",\"count\":42}"))
        .media_type("application/json");
    let text = Part::new(Content::Text("Generated text content"));
    if is("tck-input-required") {
        return work.ask("what next?");
    }
    if is("tck-reject-task") {
        return work.reject("the kit wants it rejected");
    }
    if is("tck-message-response") {
        return work.say("Direct message response");
    }
    if is("test-resubscribe-message-id") {
        if work.memo() == 0 {
            work.remember(1);
            work.wake_after(LONG_MS);
            return Step::PENDING;
        }
        return done(work, text);
    }
    // Another kit says in its text how many parts it wants.
    if let Some(count) = count(work.text()) {
        let step = next(work);
        if step == 0 {
            return again(work);
        }
        let part = Part::new(Content::Text("part"));
        if step == 1 {
            work.output("parts", part);
        } else {
            work.append(part, step >= count);
        }
        return if step < count {
            again(work)
        } else {
            finished(work)
        };
    }
    if is("tck-stream-artifact-chunked") {
        return match next(work) {
            0 => again(work),
            1 => {
                work.output("chunks", Part::new(Content::Text("first, ")));
                again(work)
            }
            2 => {
                work.append(Part::new(Content::Text("second")), true);
                again(work)
            }
            _ => finished(work),
        };
    }
    if is("tck-stream-") && !is("tck-stream-002") {
        return match next(work) {
            0 => again(work),
            1 => {
                let part = if is("tck-stream-artifact-file") {
                    file
                } else {
                    text
                };
                work.output("output", part);
                again(work)
            }
            _ => finished(work),
        };
    }
    for (prefix, part) in [
        ("tck-artifact-file-url", url),
        ("tck-artifact-file", file),
        ("tck-artifact-data", data),
        ("tck-artifact-text", text),
        ("tck-", text),
    ] {
        if is(prefix) {
            return done(work, part);
        }
    }
    // The streams of that kit must end.
    let stream = is("stream-") || is("sse-");
    if STAY_OPEN.load(Ordering::Relaxed) && !stream {
        return again(work);
    }
    done(work, text)
}

/// The number in `count: 12 and more`.
fn count(text: &str) -> Option<u32> {
    let rest = text.strip_prefix("count:")?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

/// Counts the steps of a task, from 0.
fn next(work: &mut Work<'_>) -> u32 {
    let step = work.memo();
    work.remember(step + 1);
    step
}

fn again(work: &mut Work<'_>) -> Step {
    work.wake_after(STEP_MS);
    Step::PENDING
}

fn done(work: &mut Work<'_>, part: Part<'_>) -> Step {
    work.output("output", part);
    finished(work)
}

fn finished(work: &mut Work<'_>) -> Step {
    work.report("done");
    Step::DONE
}
