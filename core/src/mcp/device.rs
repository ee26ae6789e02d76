//! What a device says of itself.

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
    /// Who it is.
    pub identity: Identity,
    /// What it can do.
    pub tools: Catalog<App>,
    /// Bytes of tool descriptions after which a page of `tools/list` ends
    /// (M-105); a page holds at least one tool. 0 for one page.
    pub page_bytes: usize,
    /// How long a client may keep lists and `server/discover`, in
    /// milliseconds (M-044).
    pub ttl_ms: u32,
}

impl<App> Device<App> {
    /// A device with these tools, all in one page, kept for an hour.
    pub const fn new(identity: Identity, tools: &'static [Entry<App>]) -> Self {
        Self {
            identity,
            tools: Catalog::new(tools),
            page_bytes: 0,
            ttl_ms: 3_600_000,
        }
    }
}
