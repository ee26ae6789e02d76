//! The Python package, installed as a user installs it, and its own tests.

use std::path::PathBuf;

use crate::child::{Job, Log};
use crate::packages;
use crate::paths;
use crate::stop::{Doing, Stop};

/// The interpreter of the environment that [`check`] makes.
pub(crate) fn interpreter() -> Result<PathBuf, Stop> {
    let python = paths::target().join("venv-python/bin/python");
    match python.is_file() {
        true => Ok(python),
        false => Err(Stop::Fail(
            "the step `python-package` has not installed the package".into(),
        )),
    }
}

/// The words that start the bench arm that is defined in Python.
pub(crate) fn bench_arm() -> Result<Job, Stop> {
    Ok(Job::new(interpreter()?)
        .arg(paths::root().join("python/examples/bench_arm.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Installs `python/` into an environment of its own and runs its tests.
/// maturin is pinned by the package's own `pyproject.toml`.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    // The second type checker is a program for Node.
    packages::need(&[&packages::PYTHON_VENV, &packages::NPM], log)?;
    let folder = paths::target().join("venv-python");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).doing(folder.display())?;
    }
    Job::new("python3")
        .args(["-m", "venv"])
        .arg(&folder)
        .run(log)?;
    let python = folder.join("bin/python");
    Job::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--requirement",
            "python/tests/requirements.txt",
            "./python",
        ])
        .env("CARGO_TARGET_DIR", paths::target())
        .minutes(20)
        .run(log)?;
    Job::new(&python)
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .arg("python/tests")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run(log)?;
    Job::new(&python)
        .args(["-c", "import agentmote; print(agentmote.__version__)"])
        .output()
        .map(|version| format!("agentmote {}", version.trim()))
}
