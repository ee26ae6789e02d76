//! What a device says of itself.

use super::revision::Method;
use crate::json::write::is_plain;
#[cfg(feature = "scopes")]
use crate::limits::FILTERED;
#[cfg(feature = "policy")]
use crate::policy::Grant;
#[cfg(feature = "prompts")]
use crate::prompt::{self, Prompt};
#[cfg(feature = "resources")]
use crate::resource::{self, Resource};
#[cfg(any(feature = "resources", feature = "prompts"))]
use crate::tool::Sight;
use crate::tool::{Broken, Catalog, Entry};
#[cfg(feature = "scopes")]
use crate::tool::{Caller, Tool};

/// Who the device is.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Its name, for programs.
    pub name: &'static str,
    /// Its name, for people; empty for none.
    pub title: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Guidance for the model that uses it; empty for none (M-039).
    pub instructions: &'static str,
}

impl Identity {
    /// A device of that name and version.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            title: "",
            version,
            instructions: "",
        }
    }
}

/// What a server serves: constant, in flash.
#[derive(Debug)]
pub struct Device<App: 'static> {
    pub(super) identity: Identity,
    pub(crate) tools: Catalog<App>,
    #[cfg(feature = "resources")]
    pub(super) resources: &'static [Resource<App>],
    #[cfg(feature = "resources")]
    pub(super) templates: &'static [Resource<App>],
    #[cfg(feature = "prompts")]
    pub(super) prompts: &'static [Prompt<App>],
    pub(super) page_bytes: usize,
    pub(super) ttl_ms: u32,
    #[cfg(feature = "subscriptions")]
    pub(crate) watch_ms: u32,
    #[cfg(feature = "logging")]
    pub(super) logs: bool,
    #[cfg(feature = "scopes")]
    shows: Option<Shows<App>>,
}

/// Tells whether a caller sees a tool now.
#[cfg(feature = "scopes")]
pub type Shows<App> = fn(&App, Caller, &Tool) -> bool;

impl<App> Device<App> {
    /// A device with these tools, all in one page, kept for an hour.
    ///
    /// # Panics
    /// When the name or version of the device has a quote, a backslash or a
    /// control character, or when a tool breaks a rule (see
    /// [`Catalog::new`]). In a `static` that is an error of the build.
    pub const fn new(identity: Identity, tools: &'static [Entry<App>]) -> Self {
        match Self::checked(identity, tools) {
            Ok(device) => device,
            Err(broken) => panic!("{}", broken.rule),
        }
    }

    /// The same for a table that is made at run time.
    ///
    /// # Errors
    /// The rule that [`new`](Self::new) stops the build for.
    pub const fn checked(identity: Identity, tools: &'static [Entry<App>]) -> Result<Self, Broken> {
        if !is_plain(identity.name) || !is_plain(identity.version) {
            return Err(Broken::of(
                "",
                "the name or version of the device has a character that JSON escapes",
            ));
        }
        #[cfg(feature = "scopes")]
        if let Some(rule) = scope_rule(tools) {
            return Err(Broken::of("", rule));
        }
        let tools = match Catalog::checked(tools) {
            Ok(tools) => tools,
            Err(broken) => return Err(broken),
        };
        Ok(Self {
            identity,
            tools,
            #[cfg(feature = "resources")]
            resources: &[],
            #[cfg(feature = "resources")]
            templates: &[],
            #[cfg(feature = "prompts")]
            prompts: &[],
            page_bytes: 0,
            ttl_ms: 3_600_000,
            #[cfg(feature = "subscriptions")]
            watch_ms: 100,
            #[cfg(feature = "logging")]
            logs: false,
            #[cfg(feature = "scopes")]
            shows: None,
        })
    }

    /// The same, with these resources. Without any, and without templates,
    /// resources are not advertised (M-036).
    ///
    /// # Panics
    /// When a resource breaks a rule (see [`Resource`]). In a `static` that
    /// is an error of the build.
    #[cfg(feature = "resources")]
    #[must_use]
    pub const fn resources(mut self, table: &'static [Resource<App>]) -> Self {
        if let Some(broken) = resource::broken(table, false) {
            panic!("{}", broken.rule);
        }
        self.resources = table;
        self
    }

    /// The same, with these resources whose URIs have parameters.
    ///
    /// # Panics
    /// When one breaks a rule (see [`Resource`]). In a `static` that is an
    /// error of the build.
    #[cfg(feature = "resources")]
    #[must_use]
    pub const fn templates(mut self, table: &'static [Resource<App>]) -> Self {
        if let Some(broken) = resource::broken(table, true) {
            panic!("{}", broken.rule);
        }
        self.templates = table;
        self
    }

    /// Resources and templates of tables that are made at run time.
    ///
    /// # Errors
    /// The rule that [`resources`](Self::resources) or
    /// [`templates`](Self::templates) stops the build for.
    #[cfg(feature = "resources")]
    pub fn checked_resources(
        self,
        resources: &'static [Resource<App>],
        templates: &'static [Resource<App>],
    ) -> Result<Self, Broken> {
        let broken = resource::broken(resources, false);
        match broken.or(resource::broken(templates, true)) {
            Some(broken) => Err(broken),
            None => Ok(Self {
                resources,
                templates,
                ..self
            }),
        }
    }

    /// The same, with these prompts. Without any, prompts are not advertised,
    /// and without values of their arguments, completion is not (M-036).
    ///
    /// # Panics
    /// When names are empty, need an escape in JSON, or stand twice, or a
    /// prompt has more than [`PARAMS`](crate::limits::PARAMS) arguments. In
    /// a `static` that is an error of the build.
    #[cfg(feature = "prompts")]
    #[must_use]
    pub const fn prompts(mut self, table: &'static [Prompt<App>]) -> Self {
        if let Some(broken) = prompt::broken(table) {
            panic!("{}", broken.rule);
        }
        self.prompts = table;
        self
    }

    /// Prompts of a table that is made at run time.
    ///
    /// # Errors
    /// The rule that [`prompts`](Self::prompts) stops the build for.
    #[cfg(feature = "prompts")]
    pub fn checked_prompts(self, prompts: &'static [Prompt<App>]) -> Result<Self, Broken> {
        match prompt::broken(prompts) {
            Some(broken) => Err(broken),
            None => Ok(Self { prompts, ..self }),
        }
    }

    /// The same, with pages of lists that end after so many bytes of
    /// descriptions (M-105); a page holds at least one, 0 means one page.
    #[must_use]
    pub const fn page_bytes(mut self, bytes: usize) -> Self {
        self.page_bytes = bytes;
        self
    }

    /// The same, whose lists and `server/discover` a client may keep for so
    /// many milliseconds (M-044).
    #[must_use]
    pub const fn ttl_ms(mut self, millis: u32) -> Self {
        self.ttl_ms = millis;
        self
    }

    /// The same, which looks every so many milliseconds whether a resource
    /// that somebody has subscribed to has changed; 100 without this. A
    /// subscriber hears of one resource no more often, but for when another
    /// one comes. 0 counts as 1.
    #[cfg(feature = "subscriptions")]
    #[must_use]
    pub const fn watch_ms(mut self, millis: u32) -> Self {
        self.watch_ms = if millis == 0 { 1 } else { millis };
        self
    }

    /// The same, whose tools log: advertised, and served to clients that ask
    /// for it. Deprecated in MCP 2026-07-28 (M-131): new devices do without.
    #[cfg(feature = "logging")]
    #[must_use]
    pub const fn logging(mut self) -> Self {
        self.logs = true;
        self
    }

    /// The same, whose tools come and go: one that `shows` does not show is
    /// not listed and not found, as one whose scopes the caller lacks. It is
    /// asked for each tool at each request, and for
    /// [`Caller::ANY`] every `watch_ms` milliseconds while
    /// somebody listens to changes of the list (M-107).
    ///
    /// # Panics
    /// When there are more than [`FILTERED`](crate::limits::FILTERED) tools.
    /// In a `static` that is an error of the build.
    #[cfg(feature = "scopes")]
    #[must_use]
    pub const fn shows(self, shows: Shows<App>) -> Self {
        match self.checked_shows(shows) {
            Ok(device) => device,
            Err(broken) => panic!("{}", broken.rule),
        }
    }

    /// The same for a table that is made at run time.
    ///
    /// # Errors
    /// The rule that [`shows`](Self::shows) stops the build for.
    #[cfg(feature = "scopes")]
    pub const fn checked_shows(mut self, shows: Shows<App>) -> Result<Self, Broken> {
        if self.tools.entries().len() > FILTERED {
            return Err(Broken::of("", "more tools than can be hidden"));
        }
        self.shows = Some(shows);
        Ok(self)
    }

    /// Whether a method is served: what is not advertised is not (M-036).
    pub(super) fn serves(&self, method: Method) -> bool {
        match method {
            #[cfg(feature = "resources")]
            Method::ResourcesList | Method::TemplatesList | Method::ResourcesRead => {
                self.has_resources()
            }
            #[cfg(feature = "prompts")]
            Method::PromptsList | Method::PromptsGet => !self.prompts.is_empty(),
            #[cfg(feature = "prompts")]
            Method::Complete => self.has_completions(),
            #[cfg(feature = "logging")]
            Method::SetLevel => self.logs,
            #[cfg(feature = "subscriptions")]
            Method::Listen => self.has_sources(),
            #[cfg(feature = "subscriptions")]
            Method::Subscribe | Method::Unsubscribe => self.has_watched(),
            _ => true,
        }
    }

    /// Its tools.
    pub const fn tools(&self) -> &Catalog<App> {
        &self.tools
    }
}

/// The rule that is broken if a tool needs scopes behind those that can be
/// hidden.
#[cfg(feature = "scopes")]
const fn scope_rule<App>(tools: &[Entry<App>]) -> Option<&'static str> {
    let mut i = FILTERED;
    while i < tools.len() {
        hold!(
            tools[i].tool.scopes == 0,
            "a tool needs scopes, but stands behind those that can be hidden"
        );
        i += 1;
    }
    None
}

#[cfg(feature = "scopes")]
impl<App> Device<App> {
    /// Whether the list of tools is not the same for all callers (M-045).
    pub(super) fn is_filtered(&self) -> bool {
        let mut tools = self.tools.entries().iter();
        self.shows.is_some() || tools.any(|entry| entry.tool.scopes != 0)
    }

    /// The tools that this caller sees now, less those that a policy hides.
    #[cfg(feature = "policy")]
    pub(crate) fn shown_by(
        &self,
        app: &App,
        caller: Caller,
        may: impl Fn(&'static str) -> bool,
    ) -> Shown {
        let mut shown = self.shown(app, caller);
        shown.1 = true;
        for (at, entry) in (0..).zip(self.tools.entries().iter().take(FILTERED)) {
            if shown.has(at as u8) && !may(entry.tool.name) {
                shown.hide(at);
            }
        }
        shown
    }

    /// The tools that this caller sees now.
    pub(crate) fn shown(&self, app: &App, caller: Caller) -> Shown {
        if !self.is_filtered() {
            return Shown::ALL;
        }
        let mut shown = Shown::ALL;
        for (at, entry) in (0..).zip(self.tools.entries().iter().take(FILTERED)) {
            let tool = &entry.tool;
            let may = tool.scopes & !caller.scopes == 0;
            if !may || self.shows.is_some_and(|shows| !shows(app, caller, tool)) {
                shown.hide(at);
            }
        }
        shown
    }

    /// Whether the list may change while the device runs.
    #[cfg(feature = "subscriptions")]
    pub(crate) fn tools_change(&self) -> bool {
        self.shows.is_some()
    }

    /// The number of the list that is another one when it has changed.
    #[cfg(feature = "subscriptions")]
    pub(super) fn tools_version(&self, app: &App) -> u32 {
        let hidden = self.shown(app, Caller::ANY).0;
        // One bit of 64 that changes changes the sum.
        (hidden ^ hidden >> 32) as u32
    }
}

/// The tools that a caller sees: one bit for each that he does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown(
    #[cfg(feature = "scopes")] u64,
    /// Whether a policy may have hidden some from others.
    #[cfg(feature = "policy")]
    bool,
);

impl Shown {
    pub(crate) const ALL: Self = Self(
        #[cfg(feature = "scopes")]
        0,
        #[cfg(feature = "policy")]
        false,
    );

    /// Whether others may see other tools because of a policy (M-045).
    #[cfg(feature = "policy")]
    pub(super) const fn is_own(self) -> bool {
        self.1
    }

    #[cfg(feature = "scopes")]
    fn hide(&mut self, at: u32) {
        self.0 |= 1u64.wrapping_shl(at);
    }

    /// Whether the tool at a place is seen.
    #[cfg(feature = "scopes")]
    pub(crate) fn has(self, at: u8) -> bool {
        usize::from(at) >= FILTERED || self.0 & 1u64.wrapping_shl(u32::from(at)) == 0
    }

    /// How many of `count` tools are seen.
    #[cfg(feature = "scopes")]
    pub(super) fn count(self, count: u8) -> u8 {
        count.saturating_sub(self.0.count_ones() as u8)
    }

    /// The place of the tool that is seen as number `at`.
    #[cfg(feature = "scopes")]
    pub(super) fn place(self, at: u8) -> u8 {
        let mut seen = (0..=u8::MAX).filter(|place| self.has(*place));
        seen.nth(usize::from(at)).unwrap_or(u8::MAX)
    }

    #[cfg(not(feature = "scopes"))]
    pub(crate) const fn has(self, _: u8) -> bool {
        true
    }

    #[cfg(not(feature = "scopes"))]
    pub(super) const fn count(self, count: u8) -> u8 {
        count
    }

    #[cfg(not(feature = "scopes"))]
    pub(super) const fn place(self, at: u8) -> u8 {
        at
    }
}

/// Who sends a message, as far as its decision needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who {
    #[cfg(feature = "input")]
    pub id: u32,
    pub shown: Shown,
    /// What he sees of resources and prompts.
    #[cfg(any(feature = "resources", feature = "prompts"))]
    pub sight: Sight,
    /// By what authority he asks.
    #[cfg(feature = "policy")]
    pub grant: Grant,
    /// Whether tasks are served on his connection.
    #[cfg(feature = "tasks")]
    pub tasks: bool,
}
