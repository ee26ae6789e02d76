//! The manual: documentation that is compiled with the crate.

pub mod memory;
pub mod porting;
pub mod protocol_map;
pub mod trust;
