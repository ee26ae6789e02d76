//! A Python environment with the official SDK, under the target folder.

use std::path::{Path, PathBuf};

use crate::child::{Job, Log};
use crate::packages;
use crate::paths;
use crate::stamp::Stamp;
use crate::stop::{Doing, Stop};

/// The oldest Python that the packages in `requirements.txt` accept.
const OLDEST: (u32, u32) = (3, 10);

/// Makes the environment if it is not there, and gives its interpreter.
pub(crate) fn interpreter(log: &mut Log) -> Result<PathBuf, Stop> {
    environment("venv", &base()?, "requirements.txt", &[], log)
}

/// The user's `python3`, which must not be too old.
fn base() -> Result<PathBuf, Stop> {
    let base = PathBuf::from("python3");
    let Some(version) = version(&base) else {
        return Err(Stop::Skip("no python3 on the PATH".into()));
    };
    if version < OLDEST {
        let (major, minor) = version;
        let why = format!("python3 is {major}.{minor}, older than 3.{}", OLDEST.1);
        return Err(Stop::Skip(why));
    }
    Ok(base)
}

/// The same with the clients of A2A 0.3, which do not go together with those
/// of 1.0.
pub(crate) fn older(log: &mut Log) -> Result<PathBuf, Stop> {
    environment("venv-older", &base()?, "older.txt", &[], log)
}

/// The same for `a2a-testbed`, which brings other versions of what the other
/// environment has, and asks for a newer Python.
pub(crate) fn testbed(log: &mut Log) -> Result<PathBuf, Stop> {
    const ASKED: (u32, u32) = (3, 12);
    let newer = interpreters()
        .into_iter()
        .find(|python| version(python).is_some_and(|version| version >= ASKED));
    match newer {
        Some(base) => environment("venv-testbed", &base, "testbed.txt", &[], log),
        // It does not need what it asks for.
        None => {
            interpreter(log)?;
            let anyway = &["--ignore-requires-python"];
            let base = PathBuf::from("python3");
            environment("venv-testbed", &base, "testbed.txt", anyway, log)
        }
    }
}

/// Makes the environment `name` of the target folder if it is not there, and
/// gives its interpreter.
fn environment(
    name: &str,
    base: &Path,
    requirements: &str,
    options: &[&str],
    log: &mut Log,
) -> Result<PathBuf, Stop> {
    let folder = paths::target().join(name);
    let python = folder.join("bin/python");
    let requirements = paths::root()
        .join("tests/interop/python")
        .join(requirements);
    let version = Job::new(base).arg("--version").output()?;
    let stamp = Stamp::new(&folder, std::slice::from_ref(&requirements), &version)?;
    if stamp.is_set() && python.is_file() {
        return Ok(python);
    }
    packages::need(&[&packages::PYTHON_VENV], log)?;
    if folder.exists() {
        std::fs::remove_dir_all(&folder).doing(folder.display())?;
    }
    Job::new(base).args(["-m", "venv"]).arg(&folder).run(log)?;
    Job::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(options)
        .arg("--requirement")
        .arg(&requirements)
        .run(log)?;
    stamp.set()?;
    Ok(python)
}

/// Every interpreter that may be there: `python3`, those whose name tells
/// their version, and those of pyenv that are not on the PATH.
fn interpreters() -> Vec<PathBuf> {
    let named = (12..20).map(|minor| PathBuf::from(format!("python3.{minor}")));
    let home = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".pyenv")));
    let versions = home.and_then(|home| std::fs::read_dir(home.join("versions")).ok());
    let mut more: Vec<_> = versions
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin/python3")))
        .filter(|python| python.is_file())
        .collect();
    more.sort();
    [PathBuf::from("python3")]
        .into_iter()
        .chain(named)
        .chain(more)
        .collect()
}

/// The version of an interpreter that can be started and can make
/// environments.
fn version(python: &Path) -> Option<(u32, u32)> {
    let print = "import sys, venv; print(*sys.version_info[:2], sep='.')";
    let text = Job::new(python).args(["-c", print]).output().ok()?;
    let (major, minor) = text.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
