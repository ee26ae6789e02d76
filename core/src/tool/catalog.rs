//! The table of tools.

use super::verify::{Broken, broken_rule, same};
use super::{Answer, Call, Tool};
use crate::json::Text;

/// What runs a tool.
///
/// It is called once for each call, after the arguments were found right. A
/// handler of a polled tool that answers "not yet" is called again with the
/// same arguments, and [`Call::step`] counts how often.
pub type Handler<App> = fn(&mut App, &mut Call<'_>) -> Answer;

/// A tool and what runs it.
#[derive(Debug)]
pub struct Entry<App> {
    /// Its description.
    pub tool: Tool,
    /// What runs it.
    pub run: Handler<App>,
}

/// A constant table of tools, checked when it is compiled.
///
/// Its order is the order of `tools/list`. A table that breaks a rule does
/// not build:
///
/// ```compile_fail
/// use agentmote::tool::{Answer, Call, Catalog, Entry, Tool};
/// fn run(_: &mut (), call: &mut Call<'_>) -> Answer { call.text("on") }
/// static ENTRIES: [Entry<()>; 2] = [
///     Entry { tool: Tool::new("led", "Switch it."), run },
///     Entry { tool: Tool::new("led", "The same name again."), run },
/// ];
/// static TOOLS: Catalog<()> = Catalog::new(&ENTRIES);
/// ```
#[derive(Debug)]
pub struct Catalog<App: 'static> {
    entries: &'static [Entry<App>],
}

impl<App> Catalog<App> {
    /// A catalog of these tools.
    ///
    /// # Panics
    /// When a descriptor breaks a rule: names, lengths, duplicates, ranges,
    /// defaults (see [`verify`](super::verify)). In a `static` or `const`
    /// that is an error of the build; write it there.
    pub const fn new(entries: &'static [Entry<App>]) -> Self {
        match Self::checked(entries) {
            Ok(catalog) => catalog,
            Err(broken) => panic!("{}", broken.rule),
        }
    }

    /// The same for a table that is made at run time.
    ///
    /// # Errors
    /// The rule that [`new`](Self::new) stops the build for, and the tool
    /// that breaks it.
    pub const fn checked(entries: &'static [Entry<App>]) -> Result<Self, Broken> {
        if entries.len() >= u8::MAX as usize {
            return Err(Broken::of("", "more than 254 tools"));
        }
        let mut i = 0;
        while i < entries.len() {
            let name = entries[i].tool.name;
            if let Some(rule) = broken_rule(&entries[i].tool) {
                return Err(Broken::of(name, rule));
            }
            let mut k = 0;
            while k < i {
                if same(name, entries[k].tool.name, false) {
                    return Err(Broken::of(name, "two tools have the same name"));
                }
                k += 1;
            }
            i += 1;
        }
        Ok(Self { entries })
    }

    /// The tools with what runs them, in order.
    pub const fn entries(&self) -> &'static [Entry<App>] {
        self.entries
    }

    /// Where a tool of that name stands.
    pub(crate) fn find(&self, name: Text<'_>) -> Option<u8> {
        let at = self
            .entries
            .iter()
            .position(|entry| name.is(entry.tool.name))?;
        u8::try_from(at).ok()
    }

    /// The entry at a place that [`find`](Self::find) gave.
    pub(crate) fn get(&self, at: u8) -> Option<&'static Entry<App>> {
        self.entries.get(usize::from(at))
    }
}
