//! The fixture of the conformance suites over HTTP on 127.0.0.1: MCP at
//! `/mcp`, A2A at `/a2a/`, as the kits need it.

use std::fs::File;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use agentmote::a2a::{Agent, Caller};
use agentmote::server::{AgentDesk, HttpConfig, Server};
use agentmote_tests::fixture::{DEVICE, Fixture};
use agentmote_tests::kit;
use agentmote_tests::recording::Recording;
use hosted::{AGENT_PATH, Clock, Listener, WithAgent};

const HELP: &str = "\
usage: fixture-server [--port N] [--record FILE] [--agent-path PATH] [--card strict|merged]
                      [--stay-open] [--no-dedup] [--no-media-check]

  --port N          listen on 127.0.0.1:N (default 8080; 0 takes a free port)
  --record FILE     serve MCP alone, by an engine with a fixed key, and write
                    all that happens to a file, for a replay
  --agent-path PATH the path of the A2A endpoint (default /a2a), for a kit that
                    does not read it from the card
  --card merged     the members of 0.3 in the card of 1.x too: for the kit of
                    0.3, which reads the newer path; the kit of 1.0 wants a
                    strict card
  --stay-open       a task works without an end, and no request waits for it:
                    the kit of 0.3 continues and cancels the tasks that it makes
  --no-dedup        the same message is work again: the kit of 1.0 uses one id
                    for many messages
  --no-media-check  any media type is taken: the kit of 1.0 sends one that does
                    not exist and wants it taken
";

#[derive(Default)]
struct Options {
    port: Option<u16>,
    /// Where to record what happens.
    record: Option<String>,
    agent_path: Option<String>,
    merged: bool,
    stay_open: bool,
    no_dedup: bool,
    no_media_check: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--port" => {
                let port = value()?;
                let number = port.parse();
                options.port =
                    Some(number.map_err(|_| format!("--port {port}: not a port (0 to 65535)"))?);
            }
            "--record" => options.record = Some(value()?),
            "--agent-path" => {
                let path = value()?;
                if !path.starts_with('/') || path.ends_with('/') {
                    return Err(format!("--agent-path {path}: not like /a2a"));
                }
                options.agent_path = Some(path);
            }
            "--card" => {
                options.merged = match value()?.as_str() {
                    "strict" => false,
                    "merged" => true,
                    other => return Err(format!("--card {other}: neither strict nor merged")),
                }
            }
            "--stay-open" => options.stay_open = true,
            "--no-dedup" => options.no_dedup = true,
            "--no-media-check" => options.no_media_check = true,
            _ => return Err(HELP.into()),
        }
    }
    Ok(options)
}

fn serve(options: Options) -> std::io::Result<()> {
    let listener = Listener::bind(options.port.unwrap_or(8080))?;
    let address = listener.address()?;
    let clock = Clock::new();
    // For the life of the process.
    let path: &str = match options.agent_path {
        Some(path) => Box::leak(path.into_boxed_str()),
        None => AGENT_PATH,
    };
    let endpoint = Box::leak(format!("http://{address}{path}/").into_boxed_str());
    let mut agent = Agent::new(kit::card(endpoint));
    agent.merged_card = options.merged;
    if options.stay_open {
        agent.wait_ms = 50;
    }
    agent.dedup = !options.no_dedup;
    agent.media_check = !options.no_media_check;
    kit::STAY_OPEN.store(options.stay_open, Ordering::Relaxed);
    println!("http://{address}/mcp");
    let served = WithAgent {
        server: Server::new(&DEVICE, Fixture::default()).with_key(hosted::key()?),
        desk: AgentDesk {
            agent: Box::leak(Box::new(agent)),
            // A kit makes a few hundred tasks, and looks at the last ones.
            tasks: hosted::tasks::<255>(clock, 5_000),
            callers: |_| Some(Caller::default()),
        },
        path,
    };
    listener.serve(Arc::new(Mutex::new(served)), HttpConfig::LOOPBACK, clock)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("fixture-server: {error}");
            return ExitCode::from(2);
        }
    };
    let served = match options.record.clone() {
        Some(file) => record(options.port.unwrap_or(8080), &file),
        None => serve(options),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fixture-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn record(port: u16, file: &str) -> io::Result<()> {
    let record = File::create(file)
        .map_err(|error| io::Error::new(error.kind(), format!("{file}: {error}")))?;
    let recording = Recording::bind(port, record)?;
    println!("http://{}/mcp", recording.address()?);
    Err(recording.serve())
}
