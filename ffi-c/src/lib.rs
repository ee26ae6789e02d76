//! The C interface of agentmote. `include/agentmote.h` is generated from it.
//!
//! The only crate with unsafe code beside those of boards: it follows the
//! pointers of C. What it hands to the core are slices and texts that were
//! looked at, so that the same checks, schemas and error texts hold as in
//! Rust.
//!
//! * `abi`: the structs and numbers that C writes;
//! * `table`: a table of C becomes descriptors of the core, in storage that
//!   the caller placed;
//! * `server`, `connection`: that storage, and who may work on it when;
//! * `agent`: the agent that may stand beside a server;
//! * `policy`: the policy that may stand in front of both;
//! * `call`, `value`, `result`, `input`, `task`: one call, or one step of a
//!   task, as its handler in C sees it.
#![no_std]
#![expect(non_camel_case_types, reason = "the names are those of C")]

mod abi;
mod agent;
mod call;
mod connection;
mod gate;
mod input;
mod policy;
mod result;
mod server;
mod table;
mod task;
mod value;

pub use abi::*;
pub use agent::*;
pub use call::*;
pub use connection::*;
pub use input::*;
pub use policy::*;
pub use result::*;
pub use server::*;
pub use task::*;
pub use value::*;
