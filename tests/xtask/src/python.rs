//! A Python environment with the official SDK, under the target folder.

use std::path::PathBuf;

use crate::child::{Job, Log};
use crate::packages;
use crate::paths;
use crate::stamp::Stamp;
use crate::stop::{Doing, Stop};

/// The oldest Python that the packages in `requirements.txt` accept.
const OLDEST: (u32, u32) = (3, 10);

/// Makes the environment if it is not there, and gives its interpreter.
pub(crate) fn interpreter(log: &mut Log) -> Result<PathBuf, Stop> {
    let folder = paths::target().join("venv");
    let python = folder.join("bin/python");
    let requirements = paths::root().join("tests/interop/python/requirements.txt");
    let version = version()?;
    let stamp = Stamp::new(&folder, std::slice::from_ref(&requirements), &version)?;
    if stamp.is_set() && python.is_file() {
        return Ok(python);
    }
    packages::need(&[&packages::PYTHON_VENV], log)?;
    if folder.exists() {
        std::fs::remove_dir_all(&folder).doing(folder.display())?;
    }
    Job::new("python3")
        .args(["-m", "venv"])
        .arg(&folder)
        .run(log)?;
    Job::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .arg("--requirement")
        .arg(&requirements)
        .run(log)?;
    stamp.set()?;
    Ok(python)
}

/// The version of the user's `python3`, which must not be too old.
fn version() -> Result<String, Stop> {
    let print = "import sys; print(*sys.version_info[:3], sep='.')";
    let Ok(text) = Job::new("python3").args(["-c", print]).output() else {
        return Err(Stop::Skip("no python3 on the PATH".into()));
    };
    let mut numbers = text
        .trim()
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) if (major, minor) >= OLDEST => Ok(text),
        _ => Err(Stop::Skip(format!(
            "python3 is {}, older than 3.{}",
            text.trim(),
            OLDEST.1
        ))),
    }
}
