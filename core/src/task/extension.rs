//! Extensions of the protocol that answer messages themselves: beside the
//! runtime, and without it.

use super::table::{Place, TaskId, Tasks};
use super::work::{Step, Work, take_step};
use crate::limits::STATUS_BYTES;
use crate::time::Instant;

/// An extension that answers the messages that name it.
///
/// A message names an extension by its URI: in its `extensions`, or as a name
/// in its `metadata` (A-210). A device that answers for an extension says so
/// in its agent's list of URIs, which the card need not show, and lets
/// [`Tasks::respond`] step the answers. No skill and no journal of the
/// runtime hears of such a message.
///
/// Each message is answered anew, whether it was sent before or not: an
/// extension that acts must know by itself what it has done.
///
/// ```
/// use agentmote::task::{Responder, Step, Work};
///
/// struct Clock;
///
/// impl Responder for Clock {
///     fn uri(&self) -> &str {
///         "urn:example:clock:v1"
///     }
///
///     fn respond(&mut self, work: &mut Work<'_>) -> Step {
///         let millis = work.now().as_millis();
///         work.json("now", &millis);
///         Step::DONE
///     }
/// }
/// ```
pub trait Responder {
    /// The URI of the extension.
    fn uri(&self) -> &str;

    /// Takes one step of the answer to a message. What a step may do and what
    /// its end means is as for a [`Skill`](super::Skill); the first step may
    /// answer with a word and no task ([`Work::say`]). A wish to stop ends the
    /// answer without another step.
    fn respond(&mut self, work: &mut Work<'_>) -> Step;
}

/// What has come of a question to a [`Backend`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told<'b> {
    /// Nothing yet.
    Wait,
    /// One JSON value, checked.
    Json(&'b [u8]),
    /// There will be no answer.
    Failed,
}

/// What stands behind an extension: another program that is asked, and
/// answers some time later.
///
/// A question is known by the id of the task that it is asked for. It is
/// asked at most once, and must end by itself: a backend gives up after a
/// time of its own, and forgets what nobody has fetched.
pub trait Backend {
    /// Begins to ask for an operation, with these parameters (JSON). Whether
    /// it could be asked.
    fn ask(&mut self, task: TaskId, operation: &str, params: &[u8], now: Instant) -> bool;

    /// What has come of it. An end is told once, and forgotten then.
    fn told(&mut self, task: TaskId, now: Instant) -> Told<'_>;
}

/// No backend: nothing can be asked.
impl Backend for () {
    fn ask(&mut self, _: TaskId, _: &str, _: &[u8], _: Instant) -> bool {
        false
    }

    fn told(&mut self, _: TaskId, _: Instant) -> Told<'_> {
        Told::Failed
    }
}

impl Tasks<'_> {
    /// Lets each answer of an extension that is due take one step. The first
    /// of `responders` whose extension the message names takes it.
    ///
    /// Bound: each responder runs at most once for each of its answers and
    /// each `now`.
    pub fn respond(&mut self, responders: &mut [&mut dyn Responder], now: Instant) {
        for (at, record) in self.records.iter_mut().enumerate() {
            if !record.waits_elsewhere() || record.wake > now {
                continue;
            }
            record.wake = now.after(1);
            let place = Place {
                record,
                room: Self::room(self.logs, self.share, at),
                shared: &mut self.shared,
                now,
            };
            take_step(place, self.result, usize::MAX, |work| {
                for responder in responders.iter_mut() {
                    if work.names(responder.uri()) {
                        return responder.respond(work);
                    }
                }
                work.fail("nothing answers for the extension")
            });
        }
    }
}

impl Work<'_> {
    /// Whether the newest message names an extension.
    fn names(&self, uri: &str) -> bool {
        self.lists(uri) || self.extension(uri).is_some()
    }
}

// What an extension says of a failure is a JSON object with a code of its own
// and an id of the caller.
const _: () = assert!(STATUS_BYTES >= 160, "no room for the error of an extension");
