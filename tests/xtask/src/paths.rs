//! Where things are.

use std::path::{Path, PathBuf};

/// The root of the checkout.
///
/// `cargo run` names the package's folder in the environment; the folder of
/// the build is only for a binary started by hand.
pub(crate) fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .unwrap_or(package)
}

/// The folder for everything that is built or installed.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .and_then(|folder| std::path::absolute(folder).ok())
        .unwrap_or_else(|| root().join("target"))
}

/// The program `name` on the PATH.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
        .find(|file| file.is_file())
}
