//! The bench arm, simulated: an MCP server and an A2A agent on this machine.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock};

use agentmote::a2a::{Agent, Caller as AgentCaller, Card, Scheme, SchemeKind};
use agentmote::server::{AgentDesk, HttpConfig, Presented, Server};
use agentmote::task::Principal;
use agentmote::tool::Caller;
use bench_arm::{Arm, DEVICE};
use hosted::{AGENT_PATH, Clock, Listener, WithAgent, serve_stdio};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

const HELP: &str = "\
The bench arm, simulated, as an MCP server and an A2A agent.

Usage: bench-arm [--port N] [--token SECRET] [--stdio]

  --port N        listen on 127.0.0.1:N (default 8080; 0 takes a free port)
  --token SECRET  ask for this bearer token; without it anyone on this machine
                  may call
  --stdio         speak lines on standard input and output instead of HTTP; the
                  end of input ends the program and every call in flight
";

struct Options {
    port: Option<u16>,
    token: Option<String>,
    stdio: bool,
}

fn options() -> Result<Option<Options>, String> {
    let mut options = Options {
        port: None,
        token: None,
        stdio: false,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--port" => {
                let text = value()?;
                let port = text.parse();
                options.port =
                    Some(port.map_err(|_| format!("--port {text}: not a port (0 to 65535)"))?);
            }
            "--token" => {
                let token = value()?;
                if token.is_empty() {
                    return Err("--token: the token is empty".into());
                }
                options.token = Some(token);
            }
            "--stdio" => options.stdio = true,
            "--help" | "-h" => return Ok(None),
            _ => return Err(format!("{arg}: no such option; see --help")),
        }
    }
    if options.stdio && (options.token.is_some() || options.port.is_some()) {
        return Err("--port and --token are for HTTP, not for --stdio".into());
    }
    Ok(Some(options))
}

/// Digest of the token: the token itself is not kept.
static TOKEN: OnceLock<[u8; 32]> = OnceLock::new();

fn opens(token: &[u8]) -> Option<Caller> {
    let digest: [u8; 32] = Sha256::digest(token).into();
    let same = TOKEN.get()?.ct_eq(&digest);
    bool::from(same).then_some(Caller::ANY)
}

/// Who asks: one caller, who is known if there is a token.
fn caller(credential: Presented<'_>) -> Option<AgentCaller<'static>> {
    let known = TOKEN.get().is_some();
    let fine = match credential {
        Presented::Bearer(secret) | Presented::ApiKey(secret) => opens(secret).is_some(),
        Presented::None => false,
    };
    (fine || !known).then_some(AgentCaller {
        principal: Principal::default(),
        tenant: "",
        known,
    })
}

/// How long a finished task is kept at least, in milliseconds.
const RETENTION_MS: u32 = 600_000;

/// How a caller shows the token.
const SCHEMES: &[Scheme] = &[
    Scheme {
        name: "bearer",
        kind: SchemeKind::Bearer,
    },
    Scheme {
        name: "apiKey",
        kind: SchemeKind::ApiKey("X-API-Key"),
    },
];

fn run(options: Options) -> std::io::Result<()> {
    let clock = Clock::new();
    let mut server = Server::new(&DEVICE, Arm::new()).with_key(hosted::key()?);
    if options.stdio {
        return serve_stdio(&mut server, clock);
    }
    let mut config = HttpConfig::LOOPBACK;
    let mut headers = "";
    let mut schemes = &[][..];
    if let Some(token) = options.token {
        TOKEN.get_or_init(|| Sha256::digest(token.as_bytes()).into());
        config.bearer = Some(opens);
        headers = ",\n      \"headers\": { \"Authorization\": \"Bearer <the token>\" }";
        schemes = SCHEMES;
    }
    let listener = Listener::bind(options.port.unwrap_or(8080))?;
    let address = listener.address()?;
    let url = format!("http://{address}{}", config.path);
    // For the life of the process, as the rest of the card.
    let endpoint = Box::leak(format!("http://{address}{AGENT_PATH}/").into_boxed_str());
    let agent = Box::leak(Box::new(Agent::new(Card {
        schemes,
        ..bench_arm::card(endpoint)
    })));
    println!(
        "The bench arm is served at {url} until Ctrl-C.\n\n\
         Paste this into the configuration of an MCP host:\n\n\
         {{\n  \"mcpServers\": {{\n    \"bench-arm\": {{\n      \"type\": \"http\",\n      \
         \"url\": \"{url}\"{headers}\n    }}\n  }}\n}}\n\n\
         Its agent card is at http://{address}/.well-known/agent-card.json for A2A.\n"
    );
    let served = WithAgent {
        server,
        desk: AgentDesk {
            agent,
            tasks: hosted::tasks::<16>(clock, RETENTION_MS),
            callers: caller,
        },
        path: AGENT_PATH,
    };
    listener.serve(Arc::new(Mutex::new(served)), config, clock)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("bench-arm: {error}");
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-arm: {error}");
            ExitCode::FAILURE
        }
    }
}
