//! Clients that others wrote, against the bench arm: over HTTP and lines on
//! the host, and over the UART of the emulated board.
//!
//! Each client is a script or program under `tests/interop` that makes the
//! same assertions and ends with a line `done: N assertions`.

use std::path::{Path, PathBuf};

use crate::child::{self, Job, Log, Running};
use crate::demo;
use crate::firmware;
use crate::node;
use crate::paths;
use crate::python;
use crate::python_package;
use crate::stop::{Doing as _, Stop};

/// The assertions that the client of A2A at least makes on one wire.
const AGENT_ASSERTIONS: usize = 19;

/// One client.
#[derive(Clone, Copy)]
pub(crate) enum Client {
    /// The official Python SDK.
    Python,
    /// The same, with questions, subscriptions, progress and cancellation;
    /// against the host alone.
    PythonWhole,
    /// `@modelcontextprotocol/client`.
    TypeScript,
    /// `@modelcontextprotocol/sdk`, which knows the legacy era only.
    OlderTypeScript,
    /// The official Rust SDK.
    Rmcp,
    /// The MCP Inspector's command line. It does not tell which revision it
    /// uses, so that its `auto` era would assert nothing new.
    Inspector,
}

impl Client {
    fn eras(self) -> &'static [&'static str] {
        match self {
            Self::OlderTypeScript => &["legacy"],
            Self::Inspector | Self::PythonWhole => &["legacy", "modern"],
            Self::Python | Self::TypeScript | Self::Rmcp => &["legacy", "modern", "auto"],
        }
    }

    /// The assertions that it at least makes in one run.
    fn assertions(self) -> usize {
        match self {
            Self::PythonWhole => 16,
            _ => 24,
        }
    }

    /// Installs or builds it and gives the words that start it.
    fn words(self, log: &mut Log) -> Result<Vec<PathBuf>, Stop> {
        let script = |name: &str, log: &mut Log| {
            let node = node::node(log)?;
            Ok(vec![node.program.clone(), node.clients.join(name)])
        };
        let python = |name: &str, log: &mut Log| {
            let script = paths::root().join("tests/interop/python").join(name);
            Ok(vec![python::interpreter(log)?, script])
        };
        match self {
            Self::Python => python("client.py", log),
            Self::PythonWhole => python("whole.py", log),
            Self::TypeScript => script("client.mjs", log),
            Self::OlderTypeScript => script("sdk.mjs", log),
            Self::Inspector => script("inspector.mjs", log),
            Self::Rmcp => Ok(vec![rust_client("rmcp-client", log)?]),
        }
    }
}

/// Builds a client in Rust, a workspace of its own.
fn rust_client(name: &str, log: &mut Log) -> Result<PathBuf, Stop> {
    let folder = paths::root().join("tests/interop").join(name);
    let target = paths::target().join(name);
    Job::cargo("build")
        .args(["--quiet", "--locked"])
        .env("CARGO_TARGET_DIR", &target)
        .dir(&folder)
        .minutes(20)
        .run(log)?;
    Ok(target
        .join("debug")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// `client` against the bench arm on the host.
pub(crate) fn on_host(client: Client, log: &mut Log) -> Result<String, Stop> {
    let words = client.words(log)?;
    let arm = demo::build_bench_arm(log)?;
    let port = child::free_port()?;
    let mut server = Job::new(&arm)
        .args(["--port", &port.to_string()])
        .serve(log)?;
    server.wait_for_port(port)?;
    let url = PathBuf::from(format!("http://127.0.0.1:{port}/mcp"));
    let http = run(client, &words, &["--http".into(), url], log)?;
    drop(server);
    let lines = run(
        client,
        &words,
        &["--stdio".into(), arm, "--stdio".into()],
        log,
    )?;
    Ok(format!("HTTP {http}, stdio {lines}"))
}

/// A client of A2A.
#[derive(Clone, Copy)]
pub(crate) enum AgentClient {
    /// The official Python SDK.
    Python,
    /// The official JavaScript SDK.
    JavaScript,
    /// The official client for Rust, which speaks 1.x alone.
    Rust,
}

/// `client` against the bench arm on the host, on every wire that it speaks.
pub(crate) fn agent_on_host(client: AgentClient, log: &mut Log) -> Result<String, Stop> {
    let arm = demo::build_bench_arm(log)?;
    agent_of_program(client, &arm, log)
}

/// `client` against a program that serves an agent at the port that it is
/// told.
pub(crate) fn agent_of_program(
    client: AgentClient,
    program: &Path,
    log: &mut Log,
) -> Result<String, Stop> {
    let wires: &[&str] = match client {
        AgentClient::Rust => &["1.0"],
        _ => &["1.0", "0.3"],
    };
    let (words, script) = match client {
        AgentClient::Rust => (rust_client("a2a-client", log)?, None),
        AgentClient::Python => {
            let (python, script) = python_agent_client(log)?;
            (python, Some(script))
        }
        AgentClient::JavaScript => {
            let node = node::node(log)?;
            (node.program.clone(), Some(node.clients.join("a2a.mjs")))
        }
    };
    let (server, url) = agent(program, log)?;
    let note = agent_run(&words, script.as_deref(), wires, &url, log);
    drop(server);
    note
}

/// The official Python SDK against the bench arm that is defined in Python.
pub(crate) fn agent_on_python(log: &mut Log) -> Result<String, Stop> {
    let (program, script) = python_agent_client(log)?;
    let port = child::free_port()?;
    let mut server = python_package::bench_arm()?
        .args(["--port", &port.to_string()])
        .serve(log)?;
    server.wait_for_port(port)?;
    let url = format!("http://127.0.0.1:{port}");
    let note = agent_run(&program, Some(&script), &["1.0", "0.3"], &url, log);
    drop(server);
    note
}

/// The words that start the client of the official Python SDK.
fn python_agent_client(log: &mut Log) -> Result<(PathBuf, PathBuf), Stop> {
    let script = paths::root().join("tests/interop/python/a2a_client.py");
    Ok((python::interpreter(log)?, script))
}

/// Runs a client once on each wire.
fn agent_run(
    program: &Path,
    script: Option<&Path>,
    wires: &[&str],
    url: &str,
    log: &mut Log,
) -> Result<String, Stop> {
    let mut sum = 0;
    for wire in wires {
        let before = log.text().len();
        let mut job = Job::new(program);
        if let Some(script) = script {
            job = job.arg(script).args(["--wire", wire]);
        }
        job.arg(url).minutes(3).run(log)?;
        let made = assertions(log.text().get(before..).unwrap_or_default());
        if made < AGENT_ASSERTIONS {
            return Err(Stop::Fail(format!(
                "{wire}: ended well after only {made} assertions"
            )));
        }
        sum += made;
    }
    Ok(format!("{} ({sum} assertions)", wires.join("+")))
}

/// The contract of the bench arm, as a2a-proof checks it.
pub(crate) fn agent_contract(log: &mut Log) -> Result<String, Stop> {
    let python = python::interpreter(log)?;
    let arm = demo::build_bench_arm(log)?;
    let (server, url) = agent(&arm, log)?;
    let source = paths::root().join("tests/interop/python/a2a-proof.yaml");
    let text = std::fs::read_to_string(&source).doing(source.display())?;
    let contract = paths::target().join("a2a-proof.yaml");
    let text = text.replace("http://127.0.0.1:8080", &url);
    std::fs::write(&contract, text).doing(contract.display())?;
    Job::new(python.with_file_name("a2a-proof"))
        .args(["run", "--verbose"])
        .arg(&contract)
        .minutes(3)
        .run(log)?;
    drop(server);
    let last = log.text();
    let last = last.lines().rev().find(|line| line.contains("passed"));
    match last {
        Some(line) => Ok(line.to_owned()),
        None => Err(Stop::Fail("no scenario was run".into())),
    }
}

/// The sweep of a2a-testbed over the fixture server, on both wires.
pub(crate) fn testbed(log: &mut Log) -> Result<String, Stop> {
    /// Contracts that at least hold on each wire. The others are about what
    /// is not offered: push notification, other bindings.
    const LEAST: usize = 50;
    let python = python::testbed(log)?;
    let program = demo::build_fixture_server(log)?;
    let port = child::free_port()?;
    // It posts there, whatever the card says.
    let mut server = Job::new(&program)
        .args(["--port", &port.to_string(), "--agent-path", "/a2a/v1"])
        .serve(log)?;
    server.wait_for_port(port)?;
    let mut notes = Vec::new();
    for wire in ["1.0", "0.3"] {
        let report = paths::target().join(format!("a2a-testbed-{wire}.json"));
        Job::new(python.with_file_name("a2a-testbed"))
            .args(["conformance", "--protocol-version", wire])
            .args(["--strict", "--baseline", "none", "--push-receiver", "off"])
            .arg("--report")
            .arg(&report)
            .arg(format!("http://127.0.0.1:{port}"))
            .minutes(5)
            .run(log)?;
        let text = std::fs::read_to_string(&report).doing(report.display())?;
        let held = summed(&text, "pass").unwrap_or(0);
        if held < LEAST || summed(&text, "fail") != Some(0) {
            return Err(Stop::Fail(format!("{wire}: only {held} contracts held")));
        }
        notes.push(format!("{wire} ({held} contracts)"));
    }
    drop(server);
    Ok(notes.join(", "))
}

/// A number of the `summary` of a report.
fn summed(report: &str, what: &str) -> Option<usize> {
    let (_, rest) = report.split_once("\"summary\"")?;
    let (summary, _) = rest.split_once('}')?;
    let (_, number) = summary.split_once(&format!("\"{what}\":"))?;
    let end = number.find([',', '\n']).unwrap_or(number.len());
    number.get(..end)?.trim().parse().ok()
}

/// The client of the core against servers of the official Python SDKs.
pub(crate) fn own_client(log: &mut Log) -> Result<String, Stop> {
    /// What the client at least asserts against each.
    const SERVERS: &[(&str, usize)] = &[("mcp", 50), ("a2a", 60)];
    let python = python::interpreter(log)?;
    Job::cargo("build")
        .args(["--quiet", "--package", "agentmote-tests"])
        .args(["--bin", "client-calls"])
        .minutes(20)
        .run(log)?;
    let client = paths::target()
        .join("debug")
        .join(format!("client-calls{}", std::env::consts::EXE_SUFFIX));
    let mut notes = Vec::new();
    for &(what, least) in SERVERS {
        let port = child::free_port()?;
        let mut server = Job::new(&python)
            .arg(paths::root().join("tests/interop/python/servers.py"))
            .args([what, port.to_string().as_str()])
            .serve(log)?;
        server.wait_for_port(port)?;
        let before = log.text().len();
        Job::new(&client)
            .args([what, format!("http://127.0.0.1:{port}").as_str()])
            .minutes(3)
            .run(log)?;
        let made = assertions(log.text().get(before..).unwrap_or_default());
        if made < least {
            return Err(Stop::Fail(format!(
                "{what}: ended well after only {made} assertions"
            )));
        }
        drop(server);
        notes.push(format!("{what} ({made} assertions)"));
    }
    Ok(notes.join(", "))
}

/// A program that serves an agent, and where its card is.
fn agent(program: &Path, log: &mut Log) -> Result<(Running, String), Stop> {
    let port = child::free_port()?;
    let mut server = Job::new(program)
        .args(["--port", &port.to_string()])
        .serve(log)?;
    server.wait_for_port(port)?;
    Ok((server, format!("http://127.0.0.1:{port}")))
}

/// `client` against the bench arm that is defined in Python.
pub(crate) fn on_python(client: Client, log: &mut Log) -> Result<String, Stop> {
    let words = client.words(log)?;
    let port = child::free_port()?;
    let mut server = python_package::bench_arm()?
        .args(["--port", &port.to_string()])
        .serve(log)?;
    server.wait_for_port(port)?;
    let url = PathBuf::from(format!("http://127.0.0.1:{port}/mcp"));
    let http = run(client, &words, &["--http".into(), url], log)?;
    drop(server);
    let python = python_package::interpreter()?;
    let device = paths::root().join("python/examples/bench_arm.py");
    let lines = run(
        client,
        &words,
        &["--stdio".into(), python, device, "--stdio".into()],
        log,
    )?;
    Ok(format!("HTTP {http}, stdio {lines}"))
}

/// `client` against the emulated board, over its UART.
pub(crate) fn on_board(client: Client, log: &mut Log) -> Result<String, Stop> {
    let (image, _) = firmware::bench_arm_image(log)?;
    let note = on_image(client, image, log)?;
    Ok(format!("UART {note}"))
}

/// `client` against an image on the emulated board.
pub(crate) fn on_image(client: Client, image: PathBuf, log: &mut Log) -> Result<String, Stop> {
    let bridge = std::env::current_exe()?;
    let [demo, qemu, option] = ["demo", "--qemu", "--image"].map(PathBuf::from);
    on_program(client, &[bridge, demo, qemu, option, image], log)
}

/// `client` against a program that speaks lines on its standard input and
/// output.
pub(crate) fn on_program(
    client: Client,
    program: &[PathBuf],
    log: &mut Log,
) -> Result<String, Stop> {
    let words = client.words(log)?;
    let server = [&["--stdio".into()], program].concat();
    run(client, &words, &server, log)
}

/// Runs the client once in each of its eras.
fn run(
    client: Client,
    words: &[PathBuf],
    server: &[PathBuf],
    log: &mut Log,
) -> Result<String, Stop> {
    let Some((program, rest)) = words.split_first() else {
        return Err(Stop::Fail("a client without a program".into()));
    };
    let mut sum = 0;
    for era in client.eras() {
        let before = log.text().len();
        Job::new(program)
            .args(rest)
            .args(["--era", era])
            .args(server)
            .minutes(3)
            .run(log)?;
        let text = log.text();
        let made = assertions(text.get(before..).unwrap_or_default());
        if made < client.assertions() {
            return Err(Stop::Fail(format!(
                "{era}: ended well after only {made} assertions"
            )));
        }
        sum += made;
    }
    Ok(format!("{} ({sum} assertions)", client.eras().join("+")))
}

/// The number in the line that a client ends with.
pub(crate) fn assertions(text: &str) -> usize {
    let last = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("done: "));
    let number = last.and_then(|rest| rest.strip_suffix(" assertions"));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{assertions, summed};

    #[test]
    fn a_report_is_summed_up() {
        let report = "{\"results\": [{\"pass\": 9}], \"summary\": {\n  \"pass\": 53,\n  \"fail\": 0}, \"x\": {}}";
        assert_eq!(summed(report, "pass"), Some(53));
        assert_eq!(summed(report, "fail"), Some(0));
        assert_eq!(summed(report, "error"), None);
    }

    #[test]
    fn the_number_is_read_from_the_last_line() {
        assert_eq!(
            assertions("ok 1 done: 99 assertions\ndone: 25 assertions\n"),
            25
        );
        assert_eq!(assertions("ok 1 version\n"), 0);
    }
}
