//! MCP tool server and A2A agent for microcontrollers.
#![no_std]
#![forbid(unsafe_code)]

pub mod buf;
pub mod frame;
pub mod json;
pub mod limits;
pub mod mcp;
pub mod rpc;
pub mod server;
pub mod time;
pub mod tool;
