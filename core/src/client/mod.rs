//! The other side: a device that calls a tool or another agent, over any
//! stream of bytes.
//!
//! No connection is made here, and no clock is read: bytes of a request come
//! out, bytes of the answer go in, and how long to wait is up to the caller.
//! Whoever answers is not trusted. His answers are bounded by the buffer that
//! they are read into, each member that is read is checked, and what is not
//! known is passed over.
//!
//! 1. [`Endpoint::new`], of a URL that the firmware knows, or
//!    [`AgentCard::interface`], of the card that an agent shows: only an
//!    origin that the firmware allows is called, and no redirect is followed;
//! 2. [`Post::write`] with a call: [`SendMessage`], [`GetTask`],
//!    [`CancelTask`], [`CallTool`]; it writes all of the request, or nothing;
//! 3. [`Response::feed`] with what comes back, until it is [`State::Done`];
//! 4. [`Response::reply`], and a reader of its result: [`Sent`], [`Task`],
//!    [`ToolResult`].
//!
//! On a line transport, [`line()`] and [`Reply::read`] stand for 2 and 3.
//!
//! | rules | where |
//! | --- | --- |
//! | requests, and what is refused before one is sent | `request.rs` |
//! | answers: HTTP, events, the envelope | `response.rs` |
//! | A2A 1.x and 0.3 (sections 3, 6 to 8, 19 and 22) | `agent.rs` |
//! | `tools/call` in both eras of MCP (sections B, F, J and P) | `tools.rs` |
//! | cards, and which URLs are called | `card.rs`, `endpoint.rs` |

mod agent;
mod card;
mod endpoint;
mod members;
mod request;
mod response;
mod tools;

pub use agent::{
    Artifact, Artifacts, CancelTask, Content, GetTask, Given, Part, Parts, Piece, SendMessage,
    Sent, Task, TaskState, Wire,
};
pub use card::{AgentCard, Interface};
pub use endpoint::Endpoint;
pub use members::Wrong;
pub use request::{Call, Get, Post, Refused, line};
pub use response::{Reply, Response, ResponseError, State, Step};
pub use tools::{CallTool, Initialize, Initialized, Items, SESSION, ToolResult, agreed};
