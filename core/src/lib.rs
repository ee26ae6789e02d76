//! MCP tool server and A2A agent for microcontrollers.
#![no_std]
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
pub mod buf;
pub mod frame;
pub mod json;
pub mod limits;
mod macros;
pub mod mcp;
pub mod rpc;
pub mod server;
pub mod time;
pub mod tool;

#[cfg(feature = "macros")]
pub use agentmote_macros::{ToolArg, ToolArgs, ToolResult, tool};
pub use tool::{ToolArgs, ToolResult};
