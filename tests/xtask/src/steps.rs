//! The steps of `cargo xtask test`, in the order in which they run.

use std::path::PathBuf;

use crate::bench;
use crate::bench_python;
use crate::board_lines;
use crate::c;
use crate::c_packages;
use crate::child::{Job, Log};
use crate::conformance;
use crate::conformance_board;
use crate::demo;
use crate::firmware;
use crate::header;
use crate::interop::{self, AgentClient, Client};
use crate::miri;
use crate::node;
use crate::operator;
use crate::packages;
use crate::paths;
use crate::profile;
use crate::proof;
use crate::python;
use crate::python_package;
use crate::same_work;
use crate::sizes;
use crate::stop::{Doing, Stop};
use crate::toolchain::{self, BARE_TARGETS, Bare, Core};

/// One line of the table of results.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Steps that stand before it, without which it cannot succeed.
    pub(crate) needs: &'static [&'static str],
    /// Gives a note for the table.
    pub(crate) run: fn(&mut Log) -> Result<String, Stop>,
}

/// The only step that `--require-all` lets pass without having run: Miri is
/// no part of stable toolchains.
pub(crate) const MAY_BE_UNAVAILABLE: &str = "miri";

/// Every step.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "rustfmt has nothing to change",
        needs: &[],
        run: fmt,
    },
    Step {
        name: "clippy",
        about: "no warning of compiler or clippy",
        needs: &[],
        run: clippy,
    },
    Step {
        name: "unit",
        about: "cargo test of the workspace",
        needs: &[],
        run: unit,
    },
    Step {
        name: "features",
        about: "no feature of the core, each, each two and all, without a warning",
        needs: &[],
        run: features,
    },
    Step {
        name: "docs",
        about: "documentation without a warning",
        needs: &[],
        run: docs,
    },
    Step {
        name: "msrv",
        about: "the core at the stated Rust version",
        needs: &[],
        run: msrv,
    },
    Step {
        name: "bare",
        about: "the core for each bare target",
        needs: &[],
        run: bare,
    },
    Step {
        name: "clippy-bare",
        about: "no warning in the proof and in the images",
        needs: &[],
        run: clippy_bare,
    },
    Step {
        name: "panic-free",
        about: "no panic can be reached in the core, on any bare target",
        needs: &[],
        run: proof::panic_free,
    },
    Step {
        name: MAY_BE_UNAVAILABLE,
        about: "the fast tests under Miri, where it can be had",
        needs: &[],
        run: miri::check,
    },
    Step {
        name: "packages",
        about: "install the emulator, the C compiler for Arm and valgrind",
        needs: &[],
        run: |log| packages::need(packages::FOR_TESTS, log).map(|()| String::new()),
    },
    Step {
        name: "python-venv",
        about: "install the official Python SDK",
        needs: &[],
        run: |log| Ok(python::interpreter(log)?.display().to_string()),
    },
    Step {
        name: "python-package",
        about: "install the Python package and run its tests",
        needs: &["python-venv"],
        run: python_package::check,
    },
    Step {
        name: "header-c",
        about: "the C header alone, as C99, C11 and C++17",
        needs: &[],
        run: header::check,
    },
    Step {
        name: "node",
        about: "install Node 22, the JavaScript clients and the conformance suite",
        needs: &[],
        run: |log| Ok(node::node(log)?.program.display().to_string()),
    },
    Step {
        name: "bench-arm",
        about: "build the bench arm for the host",
        needs: &[],
        run: |log| demo::build_bench_arm(log).map(|_| String::new()),
    },
    Step {
        name: "interop-python",
        about: "the Python SDK against the bench arm on the host",
        needs: &["python-venv", "bench-arm"],
        run: |log| interop::on_host(Client::Python, log),
    },
    Step {
        name: "interop-python-whole",
        about: "the same: subscriptions, progress, giving up, questions",
        needs: &["python-venv", "bench-arm"],
        run: |log| interop::on_host(Client::PythonWhole, log),
    },
    Step {
        name: "python-device",
        about: "the Python SDK against the bench arm that is defined in Python",
        needs: &["python-venv", "python-package"],
        run: |log| interop::on_python(Client::Python, log),
    },
    Step {
        name: "python-device-whole",
        about: "the same: subscriptions, progress, giving up, questions",
        needs: &["python-venv", "python-package"],
        run: |log| interop::on_python(Client::PythonWhole, log),
    },
    Step {
        name: "python-lines",
        about: "what the bench arm in Python answers, byte for byte",
        needs: &["python-package", "bench-arm"],
        run: board_lines::python,
    },
    Step {
        name: "python-agent",
        about: "the A2A Python SDK against the bench arm that is defined in Python",
        needs: &["python-venv", "python-package"],
        run: interop::agent_on_python,
    },
    Step {
        name: "python-versions",
        about: "the one wheel of the Python package, by each Python that is here",
        needs: &["python-package"],
        run: python_package::versions,
    },
    Step {
        name: "python-soak",
        about: "a thousand random runs of the simulated arm against its model",
        needs: &["python-package"],
        run: python_package::soak,
    },
    Step {
        name: "bench-python",
        about: "requests a second of a device in Python, against the Python SDK",
        needs: &["python-package"],
        run: |log| bench_python::check(&python_package::interpreter()?, log),
    },
    Step {
        name: "profile",
        about: "the end-to-end proof of the OpenAgent profile, two tenants, on the host",
        needs: &["bench-arm"],
        run: profile::host,
    },
    Step {
        name: "interop-a2a-python",
        about: "the A2A Python SDK against the bench arm on the host",
        needs: &["python-venv", "bench-arm"],
        run: |log| interop::agent_on_host(AgentClient::Python, log),
    },
    Step {
        name: "interop-a2a-js",
        about: "the A2A JavaScript SDK against the bench arm on the host",
        needs: &["node", "bench-arm"],
        run: |log| interop::agent_on_host(AgentClient::JavaScript, log),
    },
    Step {
        name: "interop-a2a-rust",
        about: "the A2A client for Rust against the bench arm on the host",
        needs: &["bench-arm"],
        run: |log| interop::agent_on_host(AgentClient::Rust, log),
    },
    Step {
        name: "client-python",
        about: "the client of the core against servers of the official Python SDKs",
        needs: &["python-venv"],
        run: interop::own_client,
    },
    Step {
        name: "a2a-proof",
        about: "the contract of the bench arm, checked by a2a-proof",
        needs: &["python-venv", "bench-arm"],
        run: interop::agent_contract,
    },
    Step {
        name: "a2a-testbed",
        about: "the sweep of a2a-testbed over the fixture server, on both wires",
        needs: &["python-venv"],
        run: interop::testbed,
    },
    Step {
        name: "openoperator-contract",
        about: "the example of the OpenOperator contract, by curl as it stands",
        needs: &[],
        run: operator::contract,
    },
    Step {
        name: "openoperator-clients",
        about: "fasta2a 0.5 and the A2A Python SDK of 0.3 against the OpenOperator profile",
        needs: &[],
        run: operator::clients,
    },
    Step {
        name: "openoperator-qualify",
        about: "the qualification of a deployment, and each of its assertions broken once",
        needs: &[],
        run: operator::qualification,
    },
    Step {
        name: "openoperator-browser",
        about: "the pages of the OpenOperator profile in Chromium",
        needs: &[],
        run: operator::browser,
    },
    Step {
        name: "interop-ts-client",
        about: "the TypeScript client against the bench arm on the host",
        needs: &["node", "bench-arm"],
        run: |log| interop::on_host(Client::TypeScript, log),
    },
    Step {
        name: "interop-ts-sdk",
        about: "the older TypeScript SDK against the bench arm on the host",
        needs: &["node", "bench-arm"],
        run: |log| interop::on_host(Client::OlderTypeScript, log),
    },
    Step {
        name: "interop-rmcp",
        about: "the Rust SDK against the bench arm on the host",
        needs: &["bench-arm"],
        run: |log| interop::on_host(Client::Rmcp, log),
    },
    Step {
        name: "interop-inspector",
        about: "the MCP Inspector against the bench arm on the host",
        needs: &["node", "bench-arm"],
        run: |log| interop::on_host(Client::Inspector, log),
    },
    Step {
        name: "boards-unit",
        about: "cargo test of what the boards share, on the host",
        needs: &[],
        run: boards_unit,
    },
    Step {
        name: "board-image",
        about: "build the bench arm for the emulated board",
        needs: &[],
        run: |log| firmware::bench_arm_image(log).map(|_| String::new()),
    },
    Step {
        name: "sizes",
        about: "flash, RAM and stack of that image, as the README says",
        needs: &["board-image"],
        run: sizes::check,
    },
    Step {
        name: "sizes-features",
        about: "what each feature adds to it, as the README says",
        needs: &["board-image"],
        run: sizes::check_features,
    },
    Step {
        name: "bench",
        about: "the instructions of one call, as the README says",
        needs: &["packages"],
        run: bench::check,
    },
    Step {
        name: "same-work",
        about: "a task of another costs what no task costs, to the instruction",
        needs: &["packages"],
        run: same_work::check,
    },
    Step {
        name: "board-profile",
        about: "the same proof on the emulated board, HTTP over its UART",
        needs: &["packages"],
        run: profile::board,
    },
    Step {
        name: "board-lines",
        about: "what the emulated board answers, byte for byte, and the host the same",
        needs: &["packages", "board-image", "bench-arm"],
        run: board_lines::check,
    },
    Step {
        name: "board-rig",
        about: "the Python suite of the bench arm against the emulated board",
        needs: &["packages", "board-image", "python-package"],
        run: python_package::on_board,
    },
    Step {
        name: "board-python",
        about: "the Python SDK against the emulated board",
        needs: &["packages", "board-image", "python-venv"],
        run: |log| interop::on_board(Client::Python, log),
    },
    Step {
        name: "board-ts-client",
        about: "the TypeScript client against the emulated board",
        needs: &["packages", "board-image", "node"],
        run: |log| interop::on_board(Client::TypeScript, log),
    },
    Step {
        name: "board-ts-sdk",
        about: "the older TypeScript SDK against the emulated board",
        needs: &["packages", "board-image", "node"],
        run: |log| interop::on_board(Client::OlderTypeScript, log),
    },
    Step {
        name: "board-rmcp",
        about: "the Rust SDK against the emulated board",
        needs: &["packages", "board-image", "interop-rmcp"],
        run: |log| interop::on_board(Client::Rmcp, log),
    },
    Step {
        name: "board-inspector",
        about: "the MCP Inspector against the emulated board",
        needs: &["packages", "board-image", "node"],
        run: |log| interop::on_board(Client::Inspector, log),
    },
    Step {
        name: "c-programs",
        about: "C programs behind the C interface, under sanitizers and valgrind",
        needs: &["packages"],
        run: c::programs,
    },
    Step {
        name: "c-fuzz",
        about: "a libFuzzer target in C over the C interface, bounded",
        needs: &[],
        run: c::fuzz,
    },
    Step {
        name: "c-panic-free",
        about: "no panic can be reached in any function of the header",
        needs: &["packages"],
        run: c::panic_free,
    },
    Step {
        name: "c-sizes",
        about: "flash and RAM of the bench arm in C, as the README says, and nothing that allocates or panics",
        needs: &["packages"],
        run: c::sizes,
    },
    Step {
        name: "c-lines",
        about: "what the bench arm in C answers on the host and on the emulated board, byte for byte",
        needs: &["packages", "c-sizes", "bench-arm"],
        run: c::lines,
    },
    Step {
        name: "c-python",
        about: "the Python SDK against the bench arm in C, on the host and on the emulated board",
        needs: &["packages", "c-sizes", "python-venv"],
        run: c::python,
    },
    Step {
        name: "c-rig",
        about: "the Python suite of the bench arm against the one in C, on the host and on the emulated board",
        needs: &["packages", "python-package"],
        run: python_package::on_c,
    },
    Step {
        name: "c-agent",
        about: "the official A2A clients for Python and Rust against the agent of the bench arm in C, on both wires",
        needs: &["packages", "python-venv"],
        run: c::agent,
    },
    Step {
        name: "c-newcomer",
        about: "the README's chapter about C in an empty folder, by hand, CMake and pkg-config",
        needs: &["packages"],
        run: c_packages::newcomer,
    },
    Step {
        name: "c-packages",
        about: "the packages of firmware frameworks, as far as they can be checked without them",
        needs: &["packages", "python-venv"],
        run: c_packages::firmware,
    },
    Step {
        name: "conformance-2026",
        about: "what 2026-07-28 requires, by the public suite",
        needs: &["node"],
        run: |log| conformance::requirements("2026-07-28", log),
    },
    Step {
        name: "conformance-2025",
        about: "what 2025-11-25 requires, by the public suite",
        needs: &["node"],
        run: |log| conformance::requirements("2025-11-25", log),
    },
    Step {
        name: "conformance-unscored",
        about: "headers, schema keywords and sessions, by the public suite",
        needs: &["node"],
        run: |log| conformance::unscored(UNSCORED, log),
    },
    Step {
        name: "conformance-tasks",
        about: "the tasks extension, by the public suite",
        needs: &["node"],
        run: |log| conformance::unscored(TASKS, log),
    },
    Step {
        name: "conformance-board",
        about: "the suite's requests on the emulated board, byte for byte as on the host",
        needs: &["packages", "node"],
        run: conformance_board::check,
    },
];

/// What applies of what is not scored. `server-sse-polling` does not: it looks
/// at streams that can be taken up again, and this server has none (M-082,
/// M-191).
const UNSCORED: &[(&str, &str)] = &[
    ("2026-07-28", "http-header-validation"),
    ("2026-07-28", "http-custom-header-server-validation"),
    ("2026-07-28", "json-schema-2020-12"),
    ("2025-11-25", "json-schema-2020-12"),
    ("2025-11-25", "server-session-lifecycle"),
    ("2025-06-18", "server-session-lifecycle"),
    ("2025-03-26", "server-session-lifecycle"),
];

/// The scenarios of the tasks extension, which are of no revision.
/// `tasks-status-notifications` checks nothing so far.
pub(crate) const TASKS: &[(&str, &str)] = &[
    ("", "tasks-lifecycle"),
    ("", "tasks-capability-negotiation"),
    ("", "tasks-wire-fields"),
    ("", "tasks-request-state-removal"),
    ("", "tasks-mrtr-input"),
    ("", "tasks-request-headers"),
    ("", "tasks-dispatch-and-envelope"),
    ("", "tasks-required-task-error"),
    ("", "tasks-mrtr-composition"),
];

/// The workspaces of the checkout: the root, and those that it excludes
/// because they have flags or lock files of their own.
fn workspaces() -> Result<Vec<PathBuf>, Stop> {
    let root = paths::root();
    let manifest = manifest()?;
    let list = manifest
        .split_once("\nexclude = [")
        .and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.ok_or_else(|| Stop::Fail("Cargo.toml excludes nothing".into()))?;
    let folders = list
        .split('"')
        .skip(1)
        .step_by(2)
        .map(|folder| root.join(folder));
    Ok([root.clone()].into_iter().chain(folders).collect())
}

fn manifest() -> Result<String, Stop> {
    let file = paths::root().join("Cargo.toml");
    std::fs::read_to_string(&file).doing(file.display())
}

fn fmt(log: &mut Log) -> Result<String, Stop> {
    component("rustfmt", "cargo-fmt", log)?;
    let folders = workspaces()?;
    for folder in &folders {
        Job::cargo("fmt")
            .args(["--all", "--check", "--", "--color", "never"])
            .dir(folder)
            .run(log)?;
    }
    Ok(format!("{} workspaces", folders.len()))
}

fn clippy(log: &mut Log) -> Result<String, Stop> {
    component("clippy", "cargo-clippy", log)?;
    Job::cargo("clippy")
        .args([
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ])
        .minutes(20)
        .run(log)?;
    Ok(String::new())
}

/// What is built for bare targets only. Clippy needs the core library that
/// rustup brings; without it, the compiler's own warnings must do.
fn clippy_bare(log: &mut Log) -> Result<String, Stop> {
    const M3: &str = "thumbv7m-none-eabi";
    const M4: &str = "thumbv7em-none-eabihf";
    const BOARDS: &str = "firmware-examples/boards";
    let compiler = toolchain::bare(&[M3, M4], Core::AsShipped, log)?;
    let mut folders: Vec<(&str, &str, &[&str])> = vec![
        ("tests/no-std-link", M3, &[]),
        (BOARDS, M3, &["--package", "lm3s6965evb"]),
    ];
    let verb = match compiler {
        Bare::Rustup => {
            component("clippy", "cargo-clippy", log)?;
            folders.push((BOARDS, M4, &["--package", "mps2-an386"]));
            let fixture = &["--package", "mps2-an386", "--features", "fixture"];
            folders.push((BOARDS, M4, fixture));
            "clippy"
        }
        // Would build the core library for another target.
        Bare::Debian => "check",
    };
    for (folder, target, words) in &folders {
        compiler
            .cargo(verb, target, Core::AsShipped, &["-D", "warnings"])
            .arg("--quiet")
            .args(*words)
            .dir(&paths::root().join(folder))
            .run(log)?;
    }
    let (count, name) = (folders.len(), compiler.name());
    Ok(format!("{count} programs by {verb} of {name}"))
}

/// Adds a part of the toolchain that a minimal installation leaves out.
fn component(name: &str, program: &str, log: &mut Log) -> Result<(), Stop> {
    if paths::program(program).is_some() && Job::new(program).arg("--version").output().is_ok() {
        return Ok(());
    }
    Job::new("rustup").args(["component", "add", name]).run(log)
}

fn unit(log: &mut Log) -> Result<String, Stop> {
    Job::cargo("test")
        .args(["--workspace", "--no-fail-fast"])
        .minutes(30)
        .run(log)?;
    tests_run(log)
}

/// Features of the core that change what is compiled into others.
const FEATURES: [&str; 17] = [
    "a2a",
    "policy",
    "defmt",
    "client",
    "extensions",
    "pages",
    "http",
    "credentials",
    "sessions",
    "input",
    "subscriptions",
    "logging",
    "scopes",
    "resources",
    "prompts",
    "macros",
    "embedded-io-async",
];

/// Sets of features of the C interface.
const C_FEATURES: [&str; 14] = [
    "",
    "http",
    "resources",
    "prompts",
    "input",
    "sessions",
    "subscriptions",
    "logging",
    "scopes",
    "credentials",
    "a2a",
    "policy",
    "http,resources,prompts,input,sessions,subscriptions,logging,scopes,credentials",
    "http,resources,prompts,input,sessions,subscriptions,logging,scopes,credentials,a2a,policy",
];

fn features(log: &mut Log) -> Result<String, Stop> {
    let all = FEATURES.len();
    let singles = (0..all).map(|one| vec![one]);
    let pairs = (0..all).flat_map(|one| (0..one).map(move |other| vec![one, other]));
    let sets: Vec<Vec<usize>> = [vec![], (0..all).collect()]
        .into_iter()
        .chain(singles)
        .chain(pairs)
        .collect();
    for set in &sets {
        let names: Vec<&str> = set.iter().map(|at| FEATURES[*at]).collect();
        // A folder of its own: other flags would make cargo build all anew.
        Job::cargo("check")
            .args(["--quiet", "--package", "agentmote", "--no-default-features"])
            .args(["--features", &names.join(",")])
            .env("RUSTFLAGS", "-D warnings")
            .env("CARGO_TARGET_DIR", paths::target().join("features"))
            .run(log)?;
    }
    for names in C_FEATURES {
        Job::cargo("check")
            .args([
                "--quiet",
                "--package",
                "agentmote-ffi-c",
                "--no-default-features",
            ])
            .args(["--features", names])
            .env("RUSTFLAGS", "-D warnings")
            .env("CARGO_TARGET_DIR", paths::target().join("features"))
            .run(log)?;
    }
    Ok(format!("{} sets, {} of C", sets.len(), C_FEATURES.len()))
}

fn boards_unit(log: &mut Log) -> Result<String, Stop> {
    Job::cargo("test")
        .args(["--package", "line-ring"])
        .dir(&paths::root().join("firmware-examples/boards"))
        .run(log)?;
    tests_run(log)
}

fn tests_run(log: &Log) -> Result<String, Stop> {
    let sum: u32 = log.text().lines().filter_map(passed).sum();
    if sum == 0 {
        return Err(Stop::Fail("no test ran".into()));
    }
    Ok(format!("{sum} tests"))
}

/// The number in `test result: ok. 12 passed; ...`.
fn passed(line: &str) -> Option<u32> {
    line.strip_prefix("test result: ok. ")?
        .split_once(" passed")?
        .0
        .parse()
        .ok()
}

fn docs(log: &mut Log) -> Result<String, Stop> {
    Job::cargo("doc")
        .args(["--quiet", "--workspace", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run(log)?;
    Ok(String::new())
}

/// The core is checked by the compiler of the stated version where it can be
/// had, else by clippy's knowledge of when each item became stable.
fn msrv(log: &mut Log) -> Result<String, Stop> {
    let manifest = manifest()?;
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = ")?.split('"').nth(1))
        .ok_or_else(|| Stop::Fail("Cargo.toml states no rust-version".into()))?;
    if !manifest.lines().any(|line| line == "resolver = \"3\"") {
        return Err(Stop::Fail("only resolver 3 heeds the rust-version".into()));
    }
    match toolchain::cargo_at(version, "check", log) {
        Ok(job) => {
            job.args(["--quiet", "--package", "agentmote", "--all-features"])
                .run(log)?;
            Ok(format!("by Rust {version} itself"))
        }
        Err(reason) => {
            log.line(&format!("no Rust {version}: {reason}"))?;
            Job::cargo("clippy")
                .args(["--quiet", "--package", "agentmote", "--all-features", "--"])
                .args(["-D", "clippy::incompatible_msrv"])
                .run(log)?;
            Ok(format!(
                "{version} by clippy's incompatible_msrv; its compiler is not to be had"
            ))
        }
    }
}

fn bare(log: &mut Log) -> Result<String, Stop> {
    let compiler = toolchain::bare(&BARE_TARGETS, Core::AsShipped, log)?;
    for target in BARE_TARGETS {
        compiler
            .cargo("build", target, Core::AsShipped, &[])
            .args(["--quiet", "--package", "agentmote", "--all-features"])
            .run(log)?;
        // An application that needs no more than the core does.
        compiler
            .cargo("build", target, Core::AsShipped, &[])
            .args(["--quiet", "--package", "openoperator"])
            .run(log)?;
    }
    Ok(format!(
        "{} targets by {}",
        BARE_TARGETS.len(),
        compiler.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::passed;

    #[test]
    fn passed_tests_are_counted() {
        assert_eq!(
            passed("test result: ok. 12 passed; 0 failed; 0 ignored"),
            Some(12)
        );
        assert_eq!(passed("test result: FAILED. 12 passed; 1 failed"), None);
    }
}
