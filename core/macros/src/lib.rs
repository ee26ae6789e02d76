//! Derive macros of `agentmote`.
