//! The public conformance suite against the fixture server.

use std::path::{Path, PathBuf};

use crate::child::{self, Job, Log};
use crate::demo;
use crate::node::{self, Node};
use crate::paths;
use crate::stop::{Doing, Stop};

/// Everything that one revision requires, with no list of failures that are
/// expected. What the suite runs beside it and does not score is not looked
/// at.
pub(crate) fn requirements(revision: &str, log: &mut Log) -> Result<String, Stop> {
    with_server(None, log, |suite, log| {
        let total = suite.require(revision, log)?;
        Ok(format!("all that is scored; of all checks {total}"))
    })
}

/// The same for several revisions, and scenarios of extensions, with a record
/// in `file` of all that the server did.
pub(crate) fn recorded(
    revisions: &[&str],
    scenarios: &[(&str, &str)],
    file: &Path,
    log: &mut Log,
) -> Result<(), Stop> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).doing(folder.display())?;
    }
    with_server(Some(file), log, |suite, log| {
        for revision in revisions {
            suite.require(revision, log)?;
        }
        for (revision, scenario) in scenarios {
            suite.pass(revision, scenario, log)?;
        }
        Ok(())
    })
}

/// Scenarios that the requirements leave out, each with its revision; those of
/// an extension have none. All of their checks must pass, the warnings too.
pub(crate) fn unscored(scenarios: &[(&str, &str)], log: &mut Log) -> Result<String, Stop> {
    with_server(None, log, |suite, log| {
        let mut notes = Vec::new();
        for (revision, scenario) in scenarios {
            let passed = suite.pass(revision, scenario, log)?;
            notes.push(format!("{scenario} {passed}"));
        }
        Ok(notes.join(", "))
    })
}

/// The number in `Passed: 14/14, 0 failed, 0 warnings`.
fn all_passed(line: &str) -> Option<u32> {
    let (passed, all) = line
        .strip_prefix("Passed: ")?
        .strip_suffix(", 0 failed, 0 warnings")?
        .split_once('/')?;
    let passed = passed.parse().ok()?;
    (passed > 0 && all.parse() == Ok(passed)).then_some(passed)
}

/// The suite and the server that it speaks to.
struct Suite {
    node: Node,
    url: String,
    results: PathBuf,
}

impl Suite {
    /// Everything that `revision` requires; gives the sum that was printed.
    fn require(&self, revision: &str, log: &mut Log) -> Result<String, Stop> {
        let text = self.run(&["--requirements", revision].map(PathBuf::from), log)?;
        let total = text
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("Total: "));
        let total = total.ok_or_else(|| Stop::Fail("the suite printed no total".into()))?;
        Ok(total.to_owned())
    }

    /// One scenario, of which all checks must pass; gives how many.
    fn pass(&self, revision: &str, scenario: &str, log: &mut Log) -> Result<u32, Stop> {
        let mut words = vec!["--scenario", scenario];
        if !revision.is_empty() {
            words.extend(["--spec-version", revision]);
        }
        let text = self.run(&words, log)?;
        text.lines().rev().find_map(all_passed).ok_or_else(|| {
            Stop::Fail(format!(
                "{scenario}: no sum of checks, or not all of them passed"
            ))
        })
    }

    /// Runs it once and gives what it printed.
    fn run<W: AsRef<Path>>(&self, words: &[W], log: &mut Log) -> Result<String, Stop> {
        let before = log.text().len();
        Job::new(&self.node.program)
            .arg(
                self.node
                    .module("@modelcontextprotocol/conformance/dist/index.js"),
            )
            .args(["server", "--url", &self.url])
            .args(words.iter().map(AsRef::as_ref))
            .arg("--output-dir")
            .arg(&self.results)
            .run(log)?;
        Ok(log.text().get(before..).unwrap_or_default().to_owned())
    }
}

fn with_server<T>(
    record: Option<&Path>,
    log: &mut Log,
    run: impl FnOnce(&Suite, &mut Log) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let node = node::node(log)?;
    let program = demo::build_fixture_server(log)?;
    let port = child::free_port()?;
    let mut server = Job::new(program).args(["--port", &port.to_string()]);
    if let Some(file) = record {
        server = server.arg("--record").arg(file);
    }
    let mut server = server.serve(log)?;
    server.wait_for_port(port)?;
    let url = format!("http://127.0.0.1:{port}/mcp");
    run(
        &Suite {
            node,
            url,
            results: paths::target().join("conformance"),
        },
        log,
    )
}

#[cfg(test)]
mod tests {
    use super::all_passed;

    #[test]
    fn only_a_full_pass_counts() {
        assert_eq!(all_passed("Passed: 14/14, 0 failed, 0 warnings"), Some(14));
        assert_eq!(all_passed("Passed: 13/14, 0 failed, 0 warnings"), None);
        assert_eq!(all_passed("Passed: 13/13, 0 failed, 1 warnings"), None);
        assert_eq!(all_passed("Passed: 0/0, 0 failed, 0 warnings"), None);
    }
}
