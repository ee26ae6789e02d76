//! What a device says of itself.

use super::revision::Method;
use crate::json::write::is_plain;
#[cfg(feature = "prompts")]
use crate::prompt::{self, Prompt};
#[cfg(feature = "resources")]
use crate::resource::{self, Resource};
use crate::tool::{Catalog, Entry};

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
}

impl<App> Device<App> {
    /// A device with these tools, all in one page, kept for an hour.
    ///
    /// # Panics
    /// When the name or version of the device has a quote, a backslash or a
    /// control character, or when a tool breaks a rule (see
    /// [`Catalog::new`]). In a `static` that is an error of the build.
    pub const fn new(identity: Identity, tools: &'static [Entry<App>]) -> Self {
        assert!(
            is_plain(identity.name) && is_plain(identity.version),
            "the name or version of the device has a character that JSON escapes"
        );
        Self {
            identity,
            tools: Catalog::new(tools),
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
        }
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
        resource::verify(table, false);
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
        resource::verify(table, true);
        self.templates = table;
        self
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
        prompt::verify(table);
        self.prompts = table;
        self
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
