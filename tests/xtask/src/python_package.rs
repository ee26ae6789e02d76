//! The Python package, installed as a user installs it, and its own tests.

use crate::child::{Job, Log};
use crate::packages;
use crate::paths;
use crate::stop::{Doing, Stop};

/// The test runner, in the version that the other Python tests use.
const PYTEST: &str = "pytest==9.2.0";

/// Installs `python/` into an environment of its own and runs its tests.
/// maturin is pinned by the package's own `pyproject.toml`.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::PYTHON_VENV], log)?;
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
            PYTEST,
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
