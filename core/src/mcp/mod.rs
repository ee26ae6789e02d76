//! Every word and rule of the Model Context Protocol.
//!
//! A message becomes a decision without anything having happened; what is
//! to be sent becomes a reply, a small value that can be written any
//! number of times with the same bytes.

mod code;
mod device;
#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "input")]
mod input;
mod pages;
#[cfg(feature = "prompts")]
mod prompts;
mod reply;
mod request;
#[cfg(feature = "resources")]
mod resources;
mod revision;
#[cfg(feature = "subscriptions")]
mod subscriptions;
#[cfg(feature = "tasks")]
mod tasks;
mod tools;

#[cfg(feature = "scopes")]
pub use device::Shows;
pub use device::{Device, Identity};
pub use revision::Version;

pub(crate) use code::Fault;
#[cfg(not(feature = "scopes"))]
pub(crate) use device::Shown;
pub(crate) use device::Who;
#[cfg(all(feature = "http", feature = "sessions"))]
pub(crate) use http::SESSION;
#[cfg(feature = "input")]
pub(crate) use input::{ANSWER_MS, About, Arguments, RequestState, Retry, write_request};
#[cfg(feature = "logging")]
pub(crate) use reply::write_log;
pub(crate) use reply::{Body, Reply, write_progress, write_reply};
#[cfg(feature = "http")]
pub(crate) use request::Headers;
pub(crate) use request::{CallPlan, Decision, Framing, Session, decide};
#[cfg(feature = "subscriptions")]
pub(crate) use subscriptions::{
    SOURCES, Sources, write_acknowledged, write_change, write_listen_cancelled, write_listen_end,
};
#[cfg(feature = "tasks")]
pub(crate) use tasks::{TaskPlan, TaskReply, TaskWish, write_task};
