//! Durable work, in no protocol's words: one record for each task in a fixed
//! table, the states and their legal moves, and the runtime that does the
//! work in polled steps.
//!
//! # One record
//!
//! A record is a few numbers and a log. The log holds everything that the
//! task has come to (messages, statuses, artifacts), in order, and nothing in
//! it is ever rewritten. So every protocol, every stream and every answer that
//! is still being sent reads the same bytes, and none of them is kept twice.
//!
//! # Six duties of a runtime
//!
//! | duty (P-055) | where |
//! | --- | --- |
//! | the record exists before work starts | [`Journal::keep`], before the first [`Skill::run`] |
//! | the message reaches it, with identity and scope | [`Work::parts`], [`Work::principal`] |
//! | progress is projected truthfully | [`Work::report`], and what [`Skill::run`] returns |
//! | output becomes artifacts | [`Work::artifact`], [`Work::json`], [`Work::append`] |
//! | cancellation reaches it, with its real outcome | [`Work::is_cancelled`], [`Step::STOPPED`], [`Step::CANNOT_STOP`] |
//! | nothing private leaks | a status and an artifact hold what the skill gave, and nothing else |

#[cfg(feature = "input")]
mod ask;
#[cfg(feature = "extensions")]
mod extension;
mod journal;
mod log;
mod skill;
pub(crate) mod stamp;
mod state;
mod table;
mod tool;
mod work;

#[cfg(test)]
mod tests;

pub use crate::tool::Broken;
#[cfg(feature = "tasks")]
pub(crate) use ask::{Asked, Question, asked, is_answered, write_name};
#[cfg(feature = "extensions")]
pub use extension::{Backend, Responder, Told};
pub use journal::{Journal, Kept};
pub(crate) use log::{Artifact, Entry, Extra, Kind, Pieces, What, context, entries};
pub use log::{Content, Label, Part, Parts, Status};
pub use skill::{Runtime, Skill};
pub(crate) use skill::{broken, same};
pub use state::State;
pub use table::{Entropy, Principal, Random, Record, TaskId, TaskMemory, TaskRules, Tasks};
pub(crate) use table::{New, Refusal, Stop, Task};
pub use tool::run_tool;
pub use work::{Step, Work};
