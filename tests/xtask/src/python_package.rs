//! The Python package, installed as a user installs it, and its own tests.

use std::path::PathBuf;

use crate::c;
use crate::child::{Job, Log};
use crate::firmware;
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

/// The suite of the bench arm as a rig runs it, against the emulated board.
pub(crate) fn on_board(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::QEMU_ARM], log)?;
    let (image, _) = firmware::bench_arm_image(log)?;
    suite(&format!("qemu:{}", image.display()), log)
}

/// The same suite against the arm in C: a program, and the emulated board.
pub(crate) fn on_c(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::QEMU_ARM], log)?;
    let (program, image) = c::arms(log)?;
    let host = suite(&format!("stdio:{}", program.display()), log)?;
    let board = suite(&format!("qemu:{}", image.display()), log)?;
    Ok(format!("host: {host}; board: {board}"))
}

/// The suite of the bench arm against a target, in both eras.
fn suite(target: &str, log: &mut Log) -> Result<String, Stop> {
    let before = log.text().len();
    for era in ["modern", "legacy"] {
        Job::new(interpreter()?)
            .args(["-m", "pytest", "-p", "no:cacheprovider"])
            .args(["--agentmote-era", era, "--agentmote-target", target])
            .arg("python/tests/arm_suite")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .run(log)?;
    }
    let text = log.text();
    let told = text.get(before..).unwrap_or_default();
    let counts: Vec<u32> = told.lines().filter_map(passed).collect();
    match counts[..] {
        [modern, legacy] if modern >= TESTS && legacy >= TESTS => Ok(format!(
            "{modern} tests in the modern era, {legacy} in the older"
        )),
        _ => Err(Stop::Fail(format!(
            "{counts:?} tests passed, {TESTS} at least are wanted"
        ))),
    }
}

/// The wheel that was installed, by every other Python from the oldest on that
/// this machine has: those on the `PATH`, and those of pyenv.
pub(crate) fn versions(log: &mut Log) -> Result<String, Stop> {
    let wheels = paths::target().join("wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).doing(wheels.display())?;
    }
    Job::new(interpreter()?)
        .args([
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(["--no-deps", "--wheel-dir"])
        .arg(&wheels)
        .arg("./python")
        .env("CARGO_TARGET_DIR", paths::target())
        .minutes(20)
        .run(log)?;
    let mut found = std::fs::read_dir(&wheels).doing(wheels.display())?;
    let wheel = match found.next() {
        Some(entry) => entry?.path(),
        None => return Err(Stop::Fail("pip has made no wheel".into())),
    };
    let mut tried = Vec::new();
    for (version, python) in pythons() {
        let folder = paths::target().join(format!("venv-python-{version}"));
        if folder.exists() {
            std::fs::remove_dir_all(&folder).doing(folder.display())?;
        }
        Job::new(&python)
            .args(["-m", "venv"])
            .arg(&folder)
            .run(log)?;
        let own = folder.join("bin/python");
        Job::new(&own)
            .args(["-m", "pip", "install", "--quiet"])
            // The newest that the oldest Python has.
            .args(["--disable-pip-version-check", "pytest==8.4.2"])
            .arg(&wheel)
            .run(log)?;
        Job::new(&own)
            .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
            .args(TESTS_OF_ALL.map(|file| format!("python/tests/{file}")))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .run(log)?;
        tried.push(version);
    }
    match tried.is_empty() {
        true => Ok("no other Python is here".into()),
        false => Ok(tried.join(", ")),
    }
}

/// Tests that need nothing but pytest.
const TESTS_OF_ALL: [&str; 8] = [
    "test_handle.py",
    "test_input.py",
    "test_sim.py",
    "test_skills.py",
    "test_agent.py",
    "test_policy.py",
    "test_parity.py",
    "arm_suite",
];

/// Other Pythons than the one of the package, each with its version.
fn pythons() -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let pyenv = home.map(|home| home.join(".pyenv/versions"));
    let installed = pyenv.and_then(|folder| std::fs::read_dir(folder).ok());
    let installed = installed.into_iter().flatten().flatten();
    let named = OLDEST..=NEWEST;
    let candidates = named
        .map(|minor| PathBuf::from(format!("python3.{minor}")))
        .chain(installed.map(|entry| entry.path().join("bin/python3")));
    for python in candidates {
        // A shim of pyenv may be there without its Python.
        let print = "import sys, sysconfig; print(*sys.version_info[:2], \
                     sysconfig.get_config_var('Py_GIL_DISABLED') or 0)";
        let Ok(text) = Job::new(&python).args(["-c", print]).output() else {
            continue;
        };
        let words: Vec<u32> = text.split_whitespace().flat_map(str::parse).collect();
        // A free-threaded one takes no such wheel.
        let [3, minor, 0] = words[..] else {
            continue;
        };
        if minor < OLDEST {
            continue;
        }
        let version = format!("3.{minor}");
        if !found.iter().any(|(known, _)| *known == version) {
            found.push((version, python));
        }
    }
    found
}

/// The oldest minor version of Python 3 that the package is for.
const OLDEST: u32 = 9;
/// The newest that is looked for on the `PATH`.
const NEWEST: u32 = 14;

/// Runs of the simulated arm against its model, as the README says.
pub(crate) fn soak(log: &mut Log) -> Result<String, Stop> {
    let text = Job::new(interpreter()?)
        .args(["-m", "agentmote", "sim", "--soak", SEEDS])
        .minutes(5)
        .output()?;
    log.line(&text)?;
    match text.trim() {
        told if told.starts_with(&format!("{SEEDS} seeds, ")) => Ok(told.to_owned()),
        told => Err(Stop::Fail(told.to_owned())),
    }
}

/// Seeds of that.
const SEEDS: &str = "1000";

/// Tests of that suite which pass at least.
const TESTS: u32 = 30;

/// The number in `== 12 passed, 3 skipped in 0.12s ==`.
fn passed(line: &str) -> Option<u32> {
    let (before, _) = line.strip_prefix("==")?.split_once(" passed")?;
    before.trim_start_matches(['=', ' ']).parse().ok()
}

/// The words that start the bench arm that is defined in Python.
pub(crate) fn bench_arm() -> Result<Job, Stop> {
    Ok(Job::new(interpreter()?)
        .arg(paths::root().join("python/examples/bench_arm.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Installs `python/` as a user does, into an environment of its own; gives
/// its interpreter. maturin is pinned by the package's own `pyproject.toml`.
pub(crate) fn install(log: &mut Log) -> Result<PathBuf, Stop> {
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
    Ok(python)
}

/// Installs it and runs its tests.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    let python = install(log)?;
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

#[cfg(test)]
mod tests {
    use super::passed;

    #[test]
    fn passed_tests_are_counted() {
        assert_eq!(
            passed("======== 12 passed, 3 skipped in 0.12s ========"),
            Some(12)
        );
        assert_eq!(passed("==== 1 failed, 12 passed in 0.12s ===="), None);
        assert_eq!(passed("test_it.py .... [100%]"), None);
    }
}
