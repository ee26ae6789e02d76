//! The order of the steps: bytes, message, decision, work, answer, bytes.
//!
//! A [`Server`] is what is served and the application behind it. A connection
//! ([`Line`], [`Http`]) is where one peer's bytes go in and out. The caller
//! owns both, and drives a connection with two calls:
//!
//! 1. `receive` takes bytes that arrived, and tells how many it took;
//! 2. `poll` works and fills the caller's buffer with bytes to send.
//!
//! `receive` takes nothing while a message is being worked on, so the caller
//! calls `poll` until it has nothing to send, then offers the rest.

mod batch;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "embedded-io")]
pub mod io;
mod line;
mod running;
#[cfg(any(feature = "resources", feature = "prompts"))]
mod work;

#[cfg(feature = "http")]
pub use http::{Allow, Http, HttpConfig, HttpMemory};
pub use line::{Line, LineMemory};

use crate::mcp::Device;

/// What is served, and the application that its handlers act on.
#[derive(Debug)]
pub struct Server<App: 'static> {
    pub(crate) device: &'static Device<App>,
    /// The application: what every handler gets.
    pub app: App,
}

impl<App> Server<App> {
    /// A server of `device`, acting on `app`.
    pub const fn new(device: &'static Device<App>, app: App) -> Self {
        Self { device, app }
    }
}
