//! `prompts/list`, and the results of `prompts/get` and
//! `completion/complete`.

use super::code::Fault;
use super::device::Device;
use super::pages::{List, count_seen, seen};
use super::revision::Version;
use super::tools::write_piece;
use crate::buf::Sink;
use crate::json::{Text, write};
use crate::limits::COMPLETIONS;
use crate::prompt::{Prompt, Wrong};
use crate::tool::{Outcome, Piece, Sight};

impl<App> Device<App> {
    /// The prompt at a place that was found before.
    pub(crate) fn prompt(&self, at: u8) -> Option<&'static Prompt<App>> {
        self.prompts.get(usize::from(at))
    }

    /// Where the prompt of that name stands, if it is seen.
    pub(super) fn find_prompt(&self, name: Text<'_>, sight: Sight) -> Option<u8> {
        let mut all = self.prompts.iter();
        let at = all.position(|one| name.is(one.name) && sight.has(one.needs()))?;
        u8::try_from(at).ok()
    }

    /// Whether any argument has values to offer.
    pub(super) fn has_completions(&self) -> bool {
        #[cfg(feature = "resources")]
        if self.templates.iter().any(|one| !one.values.is_empty()) {
            return true;
        }
        self.prompts
            .iter()
            .flat_map(|prompt| prompt.arguments)
            .any(|argument| !argument.values.is_empty())
    }
}

impl From<Wrong> for Fault {
    fn from(wrong: Wrong) -> Self {
        match wrong {
            Wrong::Missing(name) => Self::Argument(name, " is missing"),
            Wrong::Kind(name) => Self::Argument(name, " must be a string"),
            Wrong::Twice(name) => Self::Argument(name, " stands twice"),
            Wrong::Unknown => Self::Params("an argument is not known"),
        }
    }
}

/// Whether the list of these is the same for all callers (M-045).
pub(super) fn is_public<App>(table: &[Prompt<App>]) -> bool {
    table.iter().all(|one| one.needs() == 0)
}

/// The list of prompts that are seen.
pub(super) fn prompts<App>(
    device: &Device<App>,
    version: Version,
    sight: Sight,
) -> List<impl Fn(&mut Sink<'_>, u8)> {
    let table = device.prompts;
    List {
        cursor: "prompt",
        count: count_seen(table, sight, Prompt::needs),
        page_bytes: device.page_bytes,
        write: move |out: &mut Sink<'_>, at: u8| {
            if let Some(prompt) = seen(table, sight, Prompt::needs, at) {
                write_prompt(out, prompt, version);
            }
        },
    }
}

fn write_prompt<App>(out: &mut Sink<'_>, prompt: &Prompt<App>, version: Version) {
    out.text("{\"name\":");
    write::name(out, prompt.name);
    if version.has_structured() && !prompt.title.is_empty() {
        out.text(",\"title\":");
        write::string(out, prompt.title);
    }
    if !prompt.description.is_empty() {
        out.text(",\"description\":");
        write::string(out, prompt.description);
    }
    for (i, argument) in prompt.arguments.iter().enumerate() {
        out.text(if i == 0 {
            ",\"arguments\":[{\"name\":"
        } else {
            ",{\"name\":"
        });
        write::name(out, argument.name);
        if !argument.description.is_empty() {
            out.text(",\"description\":");
            write::string(out, argument.description);
        }
        out.text(",\"required\":");
        write::bool(out, argument.required);
        out.byte(b'}');
    }
    if !prompt.arguments.is_empty() {
        out.byte(b']');
    }
    out.byte(b'}');
}

/// Writes the members of the result of `prompts/get`.
pub(super) fn write_messages(out: &mut Sink<'_>, description: &str, outcome: &Outcome, buf: &[u8]) {
    if !description.is_empty() {
        out.text("\"description\":");
        write::string(out, description);
        out.byte(b',');
    }
    out.text("\"messages\":[");
    let mut first = true;
    let mut role = "user";
    for piece in outcome.pieces(buf) {
        if matches!(piece, Piece::Assistant) {
            role = "assistant";
            continue;
        }
        if !first {
            out.byte(b',');
        }
        first = false;
        out.text("{\"role\":");
        write::name(out, role);
        out.text(",\"content\":");
        write_piece(out, piece);
        out.byte(b'}');
        role = "user";
    }
    out.byte(b']');
}

/// Writes the members of the result of `completion/complete`: the values
/// that begin with what was typed (M-159).
pub(super) fn write_completion(out: &mut Sink<'_>, values: &[&str], typed: Text<'_>) {
    let begins = |value: &&&str| {
        let mut chars = value.chars();
        typed.chars().all(|c| chars.next() == Some(c))
    };
    out.text("\"completion\":{\"values\":[");
    let mut total = 0;
    for value in values.iter().filter(begins) {
        if total < COMPLETIONS {
            if total > 0 {
                out.byte(b',');
            }
            write::string(out, value);
        }
        total = total.saturating_add(1);
    }
    out.text("],\"total\":");
    write::u64(out, total as u64);
    out.text(",\"hasMore\":");
    write::bool(out, total > COMPLETIONS);
    out.byte(b'}');
}
