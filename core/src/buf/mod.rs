//! Fixed memory: one writer that counts, fills or windows, and spans into a
//! buffer that outlive a borrow of it.

pub(crate) mod base64;
mod find;
mod sink;
mod span;

pub(crate) use find::find;
pub use sink::Sink;
pub(crate) use sink::tenth;
pub use span::Span;
