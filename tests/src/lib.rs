//! What the tests share: a peer that talks to a connection in memory, on a
//! virtual clock, and the fixture of the conformance suites.

pub mod a2a;
pub mod fixture;
pub mod kit;
pub mod peer;

/// The README, whose Rust is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
