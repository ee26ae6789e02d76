//! What the device can do, in no protocol's words: tools as constant tables,
//! the check of a call's arguments, what a handler answers.

mod answer;
mod args;
mod call;
mod catalog;
mod check;
mod decimal;
mod descriptor;
#[cfg(feature = "input")]
mod input;
#[cfg(feature = "logging")]
mod log;
mod schema;
mod verify;

pub use answer::{Blocks, Data, Failure, IntoAnswer, Outcome, Output, Piece, Pieces, ToolResult};
pub use args::{Arg, Args, Fixed, ToolArgs};
pub(crate) use call::run;
pub use call::{Answer, Call, Progress};
pub use catalog::{Catalog, Entry, Handler};
pub(crate) use check::quote;
pub use check::{check, check_result};
pub use decimal::Decimal;
#[cfg(any(feature = "resources", feature = "prompts"))]
pub(crate) use descriptor::Sight;
pub use descriptor::{
    Asks, Caller, Capabilities, Effects, Input, Literal, Param, TaskSupport, Tool, Type,
};
#[cfg(feature = "input")]
pub(crate) use input::Inputs;
#[cfg(feature = "input")]
pub use input::{Action, Form, InputRequest, InputResponse};
#[cfg(feature = "logging")]
pub use log::Level;
pub use schema::write_schema;
#[cfg(feature = "resources")]
pub(crate) use verify::has;
#[cfg(any(feature = "resources", feature = "prompts"))]
pub(crate) use verify::same;
pub use verify::{Broken, broken_rule, fits, verify};
