//! The fixture of the conformance suites over HTTP on 127.0.0.1.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use agentmote::server::{HttpConfig, Server};
use agentmote_tests::fixture::{DEVICE, Fixture};
use hosted::{Clock, Listener};

fn port() -> Result<u16, String> {
    let mut args = std::env::args().skip(1);
    match (args.next().as_deref(), args.next(), args.next()) {
        (None, ..) => Ok(8080),
        (Some("--port"), Some(port), None) => port
            .parse()
            .map_err(|_| format!("--port {port}: not a port (0 to 65535)")),
        _ => Err("usage: fixture-server [--port N]".into()),
    }
}

fn main() -> ExitCode {
    let port = match port() {
        Ok(port) => port,
        Err(error) => {
            eprintln!("fixture-server: {error}");
            return ExitCode::from(2);
        }
    };
    let served = Listener::bind(port).and_then(|listener| {
        println!("http://{}/mcp", listener.address()?);
        let server = Arc::new(Mutex::new(
            Server::new(&DEVICE, Fixture::default()).with_key(hosted::key()?),
        ));
        listener.serve(server, HttpConfig::LOOPBACK, Clock::new())
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fixture-server: {error}");
            ExitCode::FAILURE
        }
    }
}
