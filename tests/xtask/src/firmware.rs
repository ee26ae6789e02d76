//! The images for emulated boards.

use std::path::PathBuf;

use crate::child::Log;
use crate::paths;
use crate::stop::Stop;
use crate::toolchain::{self, Bare, Core};

/// Builds the bench arm for `lm3s6965evb`; gives the image and what built it.
pub(crate) fn bench_arm_image(log: &mut Log) -> Result<(PathBuf, Bare), Stop> {
    image("thumbv7m-none-eabi", "lm3s6965evb", &[], log)
}

/// The same with these features of the board.
pub(crate) fn bench_arm_with(features: &[&str], log: &mut Log) -> Result<(PathBuf, Bare), Stop> {
    image("thumbv7m-none-eabi", "lm3s6965evb", features, log)
}

/// Builds the image for `mps2-an386` that counts instructions.
pub(crate) fn bench_image(log: &mut Log) -> Result<(PathBuf, Bare), Stop> {
    image("thumbv7em-none-eabihf", "mps2-an386", &[], log)
}

/// Builds the fixture of the conformance suites for `mps2-an386`.
pub(crate) fn fixture_image(log: &mut Log) -> Result<(PathBuf, Bare), Stop> {
    program(
        "thumbv7em-none-eabihf",
        "mps2-an386",
        "fixture",
        &["fixture"],
        log,
    )
}

fn image(
    target: &str,
    board: &str,
    features: &[&str],
    log: &mut Log,
) -> Result<(PathBuf, Bare), Stop> {
    program(target, board, board, features, log)
}

/// Builds one program of a board, and no other with its features.
fn program(
    target: &str,
    board: &str,
    name: &str,
    features: &[&str],
    log: &mut Log,
) -> Result<(PathBuf, Bare), Stop> {
    let compiler = toolchain::bare(&[target], Core::Built, log)?;
    compiler
        .image(target)
        .args(["--package", board, "--bin", name])
        .args(["--features", &features.join(",")])
        .dir(&paths::root().join("firmware-examples/boards"))
        .run(log)?;
    let file = paths::target().join(target).join("release").join(name);
    Ok((file, compiler))
}
