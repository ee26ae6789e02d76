//! The bench arm, simulated: an MCP server and an A2A agent on this machine.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use agentmote::a2a::{Agent, Caller, Card, Scheme, SchemeKind};
use agentmote::policy::{Credentials, Event, Grant, Guard, Policy, Request};
use agentmote::server::{AgentDesk, HttpConfig, Server};
use bench_arm::policy::{RULES, SCOPES, may};
use bench_arm::{Arm, DEVICE};
use hosted::{AGENT_PATH, Audit, Callers, Clock, Listener, WithAgent, program, serve_stdio};

const HELP: &str = "\
The bench arm, simulated, as an MCP server and an A2A agent.

Usage: bench-arm [--port N] [--token SECRET | --credentials FILE] [--audit FILE]
       bench-arm --stdio

  --port N            listen on 127.0.0.1:N (default 8080; 0 takes a free port)
  --token SECRET      ask for this secret, as Bearer or X-API-Key; without any
                      credential anyone on this machine may call
  --credentials FILE  ask for one of those in FILE, a line each: name, tenant,
                      scopes (mcp, a2a, move, with commas) and secret, or
                      sha256: and its digest; until=TIME before the secret lets
                      it expire. FILE is read again when it changes: a line
                      that is gone is revoked within a second. The variable
                      BENCH_ARM_CREDENTIALS has the same lines for a start
                      without a file
  --audit FILE        add what callers did and were refused to FILE, one JSON
                      object a line
  --stdio             speak lines on standard input and output instead of HTTP;
                      the end of input ends the program and every call in flight
";

/// The variable that holds credentials.
const VARIABLE: &str = "BENCH_ARM_CREDENTIALS";

struct Options {
    port: Option<u16>,
    token: Option<String>,
    credentials: Option<PathBuf>,
    audit: Option<PathBuf>,
    stdio: bool,
}

fn options() -> Result<Option<Options>, String> {
    let mut options = Options {
        port: None,
        token: None,
        credentials: None,
        audit: None,
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
                if token.is_empty() || token.contains(char::is_whitespace) {
                    return Err("--token: the token is empty, or has white space".into());
                }
                options.token = Some(token);
            }
            "--credentials" => options.credentials = Some(value()?.into()),
            "--audit" => options.audit = Some(value()?.into()),
            "--stdio" => options.stdio = true,
            "--help" | "-h" => return Ok(None),
            _ => return Err(format!("{arg}: no such option; see --help")),
        }
    }
    if options.token.is_some() && options.credentials.is_some() {
        return Err("--token and --credentials exclude each other".into());
    }
    let closed = options.token.is_some() || options.credentials.is_some();
    if options.stdio && (closed || options.port.is_some() || options.audit.is_some()) {
        return Err(
            "--port, --token, --credentials and --audit are for HTTP, not for --stdio".into(),
        );
    }
    if options.audit.is_some() && !closed && std::env::var_os(VARIABLE).is_none() {
        return Err("--audit needs --token or --credentials".into());
    }
    Ok(Some(options))
}

/// Where events go.
static AUDIT: OnceLock<Mutex<Audit>> = OnceLock::new();

/// The guard of the demo: events go to a file.
struct Written;

impl Guard<Arm> for Written {
    fn allows(_: &Arm, who: &Grant, request: &Request) -> bool {
        may(who, request)
    }

    fn record(_: &mut Arm, event: &Event) {
        let Some(audit) = AUDIT.get() else {
            return;
        };
        let written = audit
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write(event);
        if let Err(error) = written {
            eprintln!("bench-arm: the audit file: {error}");
        }
    }
}

/// How long a finished task is kept at least, in milliseconds.
const RETENTION_MS: u32 = 600_000;
/// How often it is looked whether the list of credentials has changed.
const LOOK: Duration = Duration::from_millis(500);

/// How a caller shows a secret.
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

/// The credentials at the start, and the reader and the text of their list;
/// nothing if anyone may call.
fn credentials(
    options: &Options,
    clock: Clock,
) -> Result<Option<(Credentials, Callers, String)>, String> {
    let mut callers = Callers::new(SCOPES);
    let (place, list) = match (&options.token, &options.credentials) {
        (Some(token), _) => {
            let scopes = SCOPES.join(",");
            ("--token".to_owned(), format!("token - {scopes} {token}"))
        }
        (None, Some(file)) => {
            let place = file.display().to_string();
            let list = std::fs::read_to_string(file);
            let list = list.map_err(|error| format!("{place}: {error}"))?;
            (place, list)
        }
        (None, None) => match std::env::var(VARIABLE) {
            Ok(list) => (VARIABLE.to_owned(), list),
            Err(_) => return Ok(None),
        },
    };
    let all = callers.read(&list, clock);
    let all = all.map_err(|error| format!("{place}: {error}"))?;
    Ok(Some((all, callers, list)))
}

/// Reads the list again when it has changed, as long as the process lives. A
/// list that cannot be read changes nothing.
fn follow(
    file: PathBuf,
    mut callers: Callers,
    mut last: String,
    served: Arc<Mutex<WithAgent<Arm>>>,
    clock: Clock,
) {
    let say = |what: &dyn std::fmt::Display| eprintln!("bench-arm: {}: {what}", file.display());
    let mut missing = false;
    loop {
        std::thread::sleep(LOOK);
        let list = match std::fs::read_to_string(&file) {
            Ok(list) => list,
            Err(error) => {
                if !missing {
                    say(&error);
                }
                missing = true;
                continue;
            }
        };
        missing = false;
        if list == last {
            continue;
        }
        match callers.read(&list, clock) {
            Ok(all) => {
                let count = all.len();
                let mut served = served.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(policy) = served.server.policy() {
                    policy.credentials.replace(&all);
                }
                drop(served);
                say(&format_args!("{count} credentials are in force"));
            }
            Err(error) => say(&format_args!("{error}; what was in force stays so")),
        }
        last = list;
    }
}

fn run(options: Options) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let clock = Clock::new();
    let mut server = Server::new(&DEVICE, Arm::new()).with_key(hosted::key().map_err(text)?);
    if options.stdio {
        let mut tasks = hosted::tasks::<16>(clock, RETENTION_MS);
        return serve_stdio(&mut server, &mut tasks, clock).map_err(text);
    }
    let config = HttpConfig::LOOPBACK;
    let mut headers = "";
    let mut schemes = &[][..];
    let credentials = credentials(&options, clock)?;
    let mut reader = None;
    if let Some((all, callers, list)) = credentials {
        let mut policy = Policy::new::<Written>(RULES);
        policy.credentials = all;
        // For the life of the process.
        server.set_policy(Box::leak(Box::new(policy)));
        headers = ",\n      \"headers\": { \"Authorization\": \"Bearer <the token>\" }";
        schemes = SCHEMES;
        reader = options.credentials.map(|file| (file, callers, list));
    }
    if let Some(file) = options.audit {
        let audit = Audit::open(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        AUDIT.get_or_init(|| Mutex::new(audit));
    }
    let listener = Listener::bind(options.port.unwrap_or(8080)).map_err(text)?;
    let address = listener.address().map_err(text)?;
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
    let served = Arc::new(Mutex::new(WithAgent {
        server,
        desk: AgentDesk {
            agent,
            tasks: hosted::tasks::<16>(clock, RETENTION_MS),
            // Without a policy anyone on this machine may ask.
            callers: |_| Some(Caller::default()),
        },
        path: AGENT_PATH,
    }));
    if let Some((file, callers, list)) = reader {
        let served = Arc::clone(&served);
        let follow = move || follow(file, callers, list, served, clock);
        std::thread::Builder::new().spawn(follow).map_err(text)?;
    }
    listener.serve(served, config, clock).map_err(text)
}

fn main() -> ExitCode {
    program("bench-arm", HELP, options(), run)
}
