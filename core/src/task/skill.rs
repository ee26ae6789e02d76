//! What a runtime can do, as a constant table.

use super::journal::Journal;
use super::work::{Step, Work};
use crate::tool::Broken;

/// One thing that a runtime does for a message: what is said of it, when it
/// is meant, and what runs it. What is advertised is what is here.
#[derive(Debug)]
pub struct Skill<R> {
    /// Its identity, unique in the table (A-009).
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// What it does, for people and models.
    pub description: &'static str,
    /// At least one (A-003).
    pub tags: &'static [&'static str],
    /// Messages that ask for it; may be empty.
    pub examples: &'static [&'static str],
    /// A message of which a text has one of these words, in any case of ASCII
    /// letters, asks for it. Without words, every message does that no skill
    /// before it takes. A message may also name it: `metadata.skillId`.
    pub words: &'static [&'static str],
    /// Media types that it takes (A-024).
    pub input_modes: &'static [&'static str],
    /// Media types that it gives.
    pub output_modes: &'static [&'static str],
    /// Bits of [`Principal::scopes`](super::Principal::scopes) that a caller
    /// needs, all of them. Who lacks one is not served by it.
    pub scopes: u32,
    /// Whether its first step may answer with a message instead of a task
    /// ([`Work::say`]). Whoever asks then waits for that step.
    pub talks: bool,
    /// Whether it takes messages while it works (A-128). Otherwise they are
    /// refused until it asks for one.
    pub listens: bool,
    /// Whether it stands in the public card. Otherwise only in the card of a
    /// caller who has its scopes.
    pub public: bool,
    /// Takes one step of a task. It must return soon: it is called again
    /// until it gives an end.
    pub run: fn(&mut R, &mut Work<'_>) -> Step,
}

impl<R> Skill<R> {
    /// A public skill that takes and gives text.
    pub const fn new(
        id: &'static str,
        name: &'static str,
        description: &'static str,
        tags: &'static [&'static str],
        run: fn(&mut R, &mut Work<'_>) -> Step,
    ) -> Self {
        Self {
            id,
            name,
            description,
            tags,
            examples: &[],
            words: &[],
            input_modes: TEXT,
            output_modes: TEXT,
            scopes: 0,
            talks: false,
            listens: false,
            public: true,
            run,
        }
    }
}

const TEXT: &[&str] = &["text/plain"];

/// Who of a table of skills breaks which rule, if one does: at most 254 of
/// them, each with an id of its own, a tag and modes (A-003, A-009), one of
/// them public.
pub(crate) const fn broken<R>(skills: &[Skill<R>]) -> Option<Broken> {
    if skills.len() >= u8::MAX as usize {
        return Some(Broken::of("", "more than 254 skills"));
    }
    let mut public = false;
    let mut i = 0;
    while i < skills.len() {
        let skill = &skills[i];
        if skill.id.is_empty() {
            return Some(Broken::of(skill.name, "a skill has no id"));
        }
        if skill.tags.is_empty() {
            return Some(Broken::of(skill.id, "a skill has no tag"));
        }
        if skill.input_modes.is_empty() || skill.output_modes.is_empty() {
            return Some(Broken::of(skill.id, "a skill has no modes"));
        }
        public |= skill.public;
        let mut k = 0;
        while k < i {
            if same(skill.id, skills[k].id) {
                return Some(Broken::of(skill.id, "two skills have the same id"));
            }
            k += 1;
        }
        i += 1;
    }
    if public {
        None
    } else {
        Some(Broken::of("", "a card needs a public skill"))
    }
}

/// Whether two texts are the same.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    a.len() == b.len()
}

/// An application that does the work of tasks.
///
/// Firmware implements it as state machines that are polled: each task of a
/// skill is stepped until it ends, and nothing in a step may wait.
///
/// ```
/// use agentmote::task::{Journal, Runtime, Skill, Step, Work};
///
/// struct Lamp {
///     on: bool,
/// }
///
/// impl Journal for Lamp {}
///
/// impl Runtime for Lamp {
///     const SKILLS: &'static [Skill<Self>] =
///         &[Skill::new("light", "Light", "Switches the light on.", &["lamp"], light)];
/// }
///
/// fn light(lamp: &mut Lamp, work: &mut Work<'_>) -> Step {
///     if work.is_cancelled() {
///         return Step::STOPPED;
///     }
///     lamp.on = true;
///     work.artifact("state", "the light is on");
///     Step::DONE
/// }
/// ```
pub trait Runtime: Journal + Sized + 'static {
    /// What it can do, in the order in which a message is offered. Empty where
    /// the table is made at run time and handed to `a2a::Agent::checked`.
    const SKILLS: &'static [Skill<Self>];
}
