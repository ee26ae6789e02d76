//! The fixture of the conformance suites over HTTP on 127.0.0.1.

use std::fs::File;
use std::io;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use agentmote::server::{HttpConfig, Server};
use agentmote_tests::fixture::{DEVICE, Fixture};
use agentmote_tests::recording::Recording;
use hosted::{Clock, Listener};

const USAGE: &str = "usage: fixture-server [--port N] [--record FILE]";

struct Options {
    port: u16,
    /// Where to record what happens.
    record: Option<String>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        port: 8080,
        record: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        match (name.as_str(), args.next()) {
            ("--port", Some(port)) => {
                let number = port.parse();
                options.port =
                    number.map_err(|_| format!("--port {port}: not a port (0 to 65535)"))?;
            }
            ("--record", Some(file)) => options.record = Some(file),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("fixture-server: {error}");
            return ExitCode::from(2);
        }
    };
    let served = match options.record {
        Some(file) => record(options.port, &file),
        None => serve(options.port),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fixture-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(port: u16) -> io::Result<()> {
    let listener = Listener::bind(port)?;
    println!("http://{}/mcp", listener.address()?);
    let server = Server::new(&DEVICE, Fixture::default()).with_key(hosted::key()?);
    listener.serve(
        Arc::new(Mutex::new(server)),
        HttpConfig::LOOPBACK,
        Clock::new(),
    )
}

fn record(port: u16, file: &str) -> io::Result<()> {
    let record = File::create(file)
        .map_err(|error| io::Error::new(error.kind(), format!("{file}: {error}")))?;
    let recording = Recording::bind(port, record)?;
    println!("http://{}/mcp", recording.address()?);
    Err(recording.serve())
}
