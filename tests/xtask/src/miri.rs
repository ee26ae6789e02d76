//! `cargo xtask miri`: the fast tests of the core, the C interface called from
//! Rust, and the ring that an interrupt fills, in an interpreter that sees
//! undefined behaviour and data races.
//!
//! Only nightly toolchains have it, and not every one of them: where it
//! cannot be had, this step alone may be left out.

use crate::args::Args;
use crate::child::{Job, Log};
use crate::paths;
use crate::stop::Stop;
use crate::toolchain;

const NIGHTLY: &str = "nightly";

/// Tests of many thousand rounds, which would take half a minute each.
const TOO_SLOW: &[&str] = &[
    "header_lines_are_strict",
    "an_escape_stands_exactly_where_it_must",
];

/// `cargo xtask miri`.
pub(crate) fn command(args: &mut Args) -> Result<(), Stop> {
    args.finish()?;
    check(&mut Log::stderr()).map(|_| ())
}

/// The step; gives a note.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    install(log).map_err(|why| Stop::Unavailable(why.to_string()))?;
    let mut core = miri(log)?
        .args(["test", "--package", "agentmote"])
        .args(["--lib", "--test", "macros", "--"]);
    for test in TOO_SLOW {
        core = core.args(["--skip", test]);
    }
    core.run(log)?;
    miri(log)?
        .args(["test", "--package", "agentmote-ffi-c"])
        .args(["--test", "calls", "--test", "policy"])
        .run(log)?;
    // A skill in C may hand a part of its message to a function that adds to
    // the same log: that the two do not overlap is seen by Tree Borrows alone.
    miri(log)?
        .args(["test", "--package", "agentmote-ffi-c", "--test", "agent"])
        .env("MIRIFLAGS", "-Zmiri-tree-borrows")
        .run(log)?;
    miri(log)?
        .args(["test", "--package", "line-ring", "--lib"])
        .dir(&paths::root().join("firmware-examples/boards"))
        .run(log)?;
    let version = miri(log)?.arg("--version").output()?;
    Ok(version.trim().to_owned())
}

fn install(log: &mut Log) -> Result<(), Stop> {
    if miri(log)?.arg("--version").output().is_ok() {
        return Ok(());
    }
    Job::new("rustup")
        .args(["component", "add", "--toolchain", NIGHTLY])
        .args(["miri", "rust-src"])
        .run(log)
}

fn miri(log: &mut Log) -> Result<Job, Stop> {
    toolchain::cargo_at(NIGHTLY, "miri", log)
}
