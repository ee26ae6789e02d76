//! The public entry points of the core, and whether the proof calls them.
//!
//! Read from source text as rustfmt writes it: what is `pub` in the core can
//! be reached from outside, since the compiler warns of anything else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::paths;
use crate::stop::{Doing, Stop};

/// Entry points that the proof does not call, each for its reason.
const EXEMPT: &[(&str, &str)] = &[
    (
        "verify",
        "runs when a descriptor is compiled; its panics stop the build",
    ),
    ("fits", "likewise"),
    ("Form::new", "likewise"),
    ("Form::schema", "likewise"),
    ("Catalog::new", "likewise, by the macro `catalog!`"),
];

/// One `pub fn`.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// The type of its `impl` block; empty for a free function.
    of: String,
    name: String,
    /// Whether it takes `self`.
    method: bool,
}

impl Entry {
    fn shown(&self) -> String {
        if self.of.is_empty() {
            return self.name.clone();
        }
        format!("{}::{}", self.of, self.name)
    }

    /// How the proof must write it. A method of the same name on another type
    /// looks the same, so a method is counted: see [`missing`].
    fn pattern(&self) -> String {
        match (self.of.as_str(), self.method) {
            ("", _) => format!("{}(", self.name),
            (_, true) => format!(".{}(", self.name),
            (of, false) => format!("{of}::{}(", self.name),
        }
    }
}

/// Fails unless the sources under `tests/no-std-link` name every public entry
/// point of the core. Gives how many there are.
pub(crate) fn all_are_called() -> Result<usize, Stop> {
    let core = paths::root().join("core/src");
    let mut entries = Vec::new();
    for file in sources(&core)? {
        let inside = file.strip_prefix(&core).unwrap_or(&file);
        // What the macros expand to, not to be called by hand.
        if inside.starts_with("__private.rs") || inside.starts_with("macros.rs") {
            continue;
        }
        entries.extend(entries_of(&read(&file)?));
    }
    let mut proof = String::new();
    for file in sources(&paths::root().join("tests/no-std-link/src"))? {
        proof += &without_generics(&read(&file)?);
    }
    for (name, _) in EXEMPT {
        if !entries.iter().any(|entry| entry.shown() == *name) {
            return Err(Stop::Fail(format!(
                "{name} is exempt from the proof, but there is no such entry point"
            )));
        }
    }
    entries.retain(|entry| EXEMPT.iter().all(|(name, _)| *name != entry.shown()));
    let missing = missing(&entries, &proof);
    if missing.is_empty() {
        return Ok(entries.len());
    }
    Err(Stop::Fail(format!(
        "tests/no-std-link does not call {}",
        missing.join(", ")
    )))
}

/// The entry points that `proof` calls too seldom: once for each type that
/// has a method of that name.
fn missing(entries: &[Entry], proof: &str) -> Vec<String> {
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in entries {
        let shown = wanted.entry(entry.pattern()).or_default();
        shown.push(entry.shown());
    }
    wanted.retain(|pattern, shown| count(proof, pattern) < shown.len());
    wanted
        .into_values()
        .map(|shown| shown.join(" or "))
        .collect()
}

/// `text` without any `::<...>`.
fn without_generics(text: &str) -> String {
    let mut parts = text.split("::<");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut depth = 1usize;
        let end = part.find(|c| {
            depth += usize::from(c == '<');
            depth -= usize::from(c == '>');
            depth == 0
        });
        out += end.map_or("", |end| &part[end + 1..]);
    }
    out
}

/// How often `pattern` is called or, without its bracket, handed on.
fn count(text: &str, pattern: &str) -> usize {
    let word = pattern.trim_end_matches('(');
    let bare = word.trim_start_matches('.');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(bare)
        .filter(|(at, _)| {
            let before = text[..*at].chars().next_back();
            let after = text[at + bare.len()..].chars().next();
            let separate = !before.is_some_and(is_word) && !after.is_some_and(is_word);
            let called = after == Some('(');
            let handed_on = before == Some(':') && !word.contains("::");
            let dot = word == bare || matches!(before, Some('.' | ':'));
            separate && dot && (called || handed_on)
        })
        .count()
}

/// Every `pub fn` of one file, apart from those of its tests.
fn entries_of(text: &str) -> Vec<Entry> {
    let text = text.split("\n#[cfg(test)]\n").next().unwrap_or(text);
    let mut of = String::new();
    let mut entries = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(head) = line.strip_prefix("impl") {
            of = self_type(head);
        } else if line == "}" {
            of.clear();
        }
        let Some(rest) = line.trim_start().strip_prefix("pub ") else {
            continue;
        };
        let rest = rest
            .trim_start_matches("const ")
            .trim_start_matches("async ");
        let Some(rest) = rest.strip_prefix("fn ") else {
            continue;
        };
        let name = rest.split(['(', '<']).next().unwrap_or(rest);
        let signature: String = text.lines().skip(at).take(4).collect();
        let arguments = signature.split_once('(').map_or("", |(_, rest)| rest);
        let first = arguments.split([',', ':', ')']).next().unwrap_or_default();
        entries.push(Entry {
            of: of.clone(),
            name: name.to_owned(),
            method: first.ends_with("self"),
        });
    }
    entries
}

/// `Sink` of `<'b> Sink<'b> {`; of a trait's `impl`, nothing.
fn self_type(head: &str) -> String {
    let mut depth = 0usize;
    let outside: String = head
        .chars()
        .filter(|c| {
            depth += usize::from(*c == '<');
            let keep = depth == 0;
            depth -= usize::from(*c == '>' && depth > 0);
            keep
        })
        .collect();
    let mut words = outside.trim_end_matches('{').split_whitespace();
    words.next().unwrap_or_default().to_owned()
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).doing(folder.display())? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<String, Stop> {
    std::fs::read_to_string(file).doing(file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
impl<'b> Sink<'b> {
    /// Doc.
    pub fn new(buf: &'b mut [u8]) -> Self {}
    pub(crate) fn hidden(&self) {}
    pub const fn len(&self) -> usize {}
}

impl<const N: usize> Default for Memory<N> {
    fn default() -> Self {}
}

impl<App> Line<App>
where
    App: Sized,
{
    pub fn open<const N: usize>(
        &mut self,
        out: &mut [u8],
    ) -> usize {
    }
    pub fn len(self) -> usize {}
}

pub fn parse(text: &[u8]) -> Span {}

#[cfg(test)]
mod tests {
    pub fn helper() {}
}
";

    fn shown(text: &str) -> Vec<String> {
        entries_of(text).iter().map(Entry::pattern).collect()
    }

    #[test]
    fn public_functions_are_found() {
        let found = ["Sink::new(", ".len(", ".open(", ".len(", "parse("];
        assert_eq!(shown(TEXT), found);
    }

    #[test]
    fn what_is_not_called_is_named() {
        let entries = entries_of(TEXT);
        let all = "Sink::<8>::new(b); a.len(); b.map(Line::len); \
                   line.open::<Vec<u8>>(out); parse(text)";
        assert_eq!(missing(&entries, &without_generics(all)), [""; 0]);
        let less = "Sinks::new(b); a.len(); b.is_len(); line.opens(out); parser(text)";
        let names = ["Sink::len or Line::len", "Line::open", "Sink::new", "parse"];
        assert_eq!(missing(&entries, less), names);
    }
}
