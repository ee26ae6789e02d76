//! MCP tool server and A2A agent for microcontrollers.
//!
//! No `std`, no allocator, no `unsafe`, no recursion on input, and no panic
//! that input can reach. Bytes, time and the application come in as
//! arguments; bytes and the next deadline come out.
//!
//! # How a message goes
//!
//! ```text
//! bytes in                                             bytes out
//!    |                                                     ^
//!  frame  ->  rpc  ->  mcp  ->  server  ->  tool  ->  mcp  ->  frame
//!  one       envelope  request  order of    check     result   one
//!  message             decided  the steps   and work           message
//! ```
//!
//! A2A goes the same way: `a2a` stands where `mcp` does, and `task`, with the
//! work that outlives a request, where `tool` does.
//!
//! `json`, `buf`, `limits` and `time` are used by every step and know none of
//! them. A lower layer never names a higher one.
//!
//! # Where to begin
//!
//! * [`server`]: [`Line`](server::Line) and [`Server`](server::Server), and
//!   the order of calls;
//! * [`tool`](mod@tool): descriptors, the check, what a handler may answer;
//! * `resource`: what can be read, and at which URIs;
//! * `prompt`: what can be suggested to say;
//! * `task` and `a2a`: work that outlives a request, and who may ask for it;
//! * `policy`: who may ask for what, and what is written down of it;
//! * `client`: a device that calls others;
//! * [`manual`]: what it costs, what a board must supply, what an attacker
//!   cannot do, and where each rule of the protocol lives.
//!
//! # Features
//!
//! | feature | default | what |
//! | --- | --- | --- |
//! | `http` | yes | HTTP/1.1 and the header rules of MCP's Streamable HTTP |
//! | `macros` | yes | `#[tool]` and the derives |
//! | `resources` | yes | resources and templates of resources |
//! | `prompts` | yes | prompts and completion of their arguments |
//! | `a2a` | no | durable tasks, and the A2A protocol that serves them |
//! | `tasks` | no | tools whose calls become tasks: the tasks extension of MCP; brings `a2a` and `input` |
//! | `extensions` | no | extensions of A2A that answer messages themselves; brings `a2a` |
//! | `pages` | no | pages for people and programs beside an agent; brings `a2a` and `http` |
//! | `input` | no | questions to the caller in mid-call: elicitation, sampling, roots |
//! | `subscriptions` | no | subscriptions to resources and to the list of tools; brings `resources` |
//! | `sessions` | no | sessions of HTTP clients of the legacy era, who can then be asked, cancel and subscribe; brings `http` |
//! | `scopes` | no | callers with scopes, and tools that come and go |
//! | `logging` | no | messages of a call, deprecated in MCP 2026-07-28 |
//! | `credentials` | no | bearer tokens of which the device knows only digests |
//! | `policy` | no | one policy in front of MCP and A2A: a table of credentials that come and go, scopes, a guard, audit events; brings `http` and `scopes` |
//! | `defmt` | no | a sink of the policy's events that logs with `defmt`; brings `policy` |
//! | `client` | no | the other side: calls to tools and agents elsewhere |
//! | `embedded-io` | no | blocking transports |
//! | `embedded-io-async` | no | async transports |
#![no_std]
#![forbid(unsafe_code)]

// First, since what it defines is seen only behind it.
#[macro_use]
mod macros;

#[doc(hidden)]
pub mod __private;
#[cfg(feature = "a2a")]
pub mod a2a;
pub mod buf;
#[cfg(feature = "client")]
pub mod client;
pub mod frame;
pub mod json;
pub mod limits;
pub mod manual;
pub mod mcp;
#[cfg(any(feature = "policy", feature = "credentials", feature = "a2a"))]
pub mod policy;
#[cfg(feature = "prompts")]
pub mod prompt;
#[cfg(feature = "resources")]
pub mod resource;
pub mod rpc;
#[cfg(any(feature = "input", feature = "sessions"))]
mod seal;
pub mod server;
#[cfg(feature = "a2a")]
pub mod task;
pub mod time;
pub mod tool;

#[cfg(feature = "macros")]
pub use agentmote_macros::{ToolArg, ToolArgs, ToolResult, tool};
pub use tool::{ToolArgs, ToolResult};
