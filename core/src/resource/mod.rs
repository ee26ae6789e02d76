//! What the device can be read for, in no protocol's words: resources as
//! constant tables, addresses with parameters, what a reading gives.

mod pattern;
mod reading;
mod table;

pub(crate) use reading::read;
pub use reading::{Read, Reading};
#[cfg(feature = "subscriptions")]
pub use table::Watch;
pub(crate) use table::{At, broken, find};
pub use table::{Cache, Reader, Resource};
