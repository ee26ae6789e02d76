//! What the tests share: a peer that talks to a connection in memory, on a
//! virtual clock, the fixture of the conformance suites, and a server that
//! records what happens to it.

pub mod a2a;
pub mod peer;
pub mod recording;
pub mod rig;

pub use conformance_fixture as fixture;
pub use conformance_fixture::kit;

/// The README, whose Rust is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
