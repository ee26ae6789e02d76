//! The bench arm as an image for an emulated board.

use std::path::PathBuf;

use crate::child::Log;
use crate::paths;
use crate::stop::Stop;
use crate::toolchain::{self, Bare, Core};

const TARGET: &str = "thumbv7m-none-eabi";
const BOARD: &str = "lm3s6965evb";

/// Builds the image; gives its file and what built it.
pub(crate) fn bench_arm_image(log: &mut Log) -> Result<(PathBuf, Bare), Stop> {
    let compiler = toolchain::bare(&[TARGET], Core::Built, log)?;
    compiler
        .image(TARGET)
        .args(["--bin", BOARD])
        .dir(&paths::root().join("firmware-examples/boards"))
        .run(log)?;
    let file = paths::target().join(TARGET).join("release").join(BOARD);
    Ok((file, compiler))
}
