//! The OpenOperator profile on this machine: an A2A agent for its clients,
//! and an MCP server, behind one secret.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use agentmote::frame::http::Authority;
use agentmote::policy::{AllowAll, Credential, Policy, Rules};
use agentmote::server::{AgentDesk, Allow, HttpConfig, Server};
use hosted::{Clock, Listener, Upstream, WithAgent, WithExtension, program};
use openoperator::{ANSWER_BYTES, Argus, DEVICE, Operator, PATH, agent};

const HELP: &str = "\
The OpenOperator profile, with the simulated bench arm behind it.

Usage: openoperator [--port N] [--public-url URL]

  --port N          listen on 127.0.0.1:N (default 8080; 0 takes a free port)
  --public-url URL  where clients reach it, without a path: what the card says
                    (default: where it listens)

Environment:

  SPYNEL_AGENT_ZERO_API_KEY  the secret that every caller shows; needed
  ARGUS_SUPERVISOR_ENABLED   1 enables the Argus supervision; it is off without
  OPENTRAINING_A2A_URL       the A2A endpoint that the supervision asks
  OPENTRAINING_A2A_TOKEN     the bearer token that it is asked with
  OPENTRAINING_A2A_PROJECT   the project that it is asked about; may be empty
";

/// How long a finished task is kept at least, in milliseconds.
const RETENTION_MS: u32 = 600_000;
/// Tasks that are kept, answers of the supervision among them.
const TASKS: usize = 96;
/// Of them, answers of the supervision: so many in a second at least.
const ANSWERS: u8 = 64;
/// Bytes of one task: the largest answer of the supervision, its request and
/// what stands around both.
const LOG: usize = ANSWER_BYTES + 4096;

struct Options {
    port: u16,
    public: Option<String>,
    key: String,
    argus: bool,
    upstream: Option<Upstream>,
}

/// A variable of the environment; an empty one is as good as none.
fn variable(name: &str) -> Result<Option<String>, String> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        // The value is not shown: it may be a secret.
        Err(std::env::VarError::NotUnicode(_)) => Err(format!("{name} is not UTF-8")),
    }
}

fn options() -> Result<Option<Options>, String> {
    let (mut port, mut public) = (8080, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--port" => {
                let text = value()?;
                let number = text.parse();
                port = number.map_err(|_| format!("--port {text}: not a port (0 to 65535)"))?;
            }
            "--public-url" => {
                let url = value()?;
                let rest = url
                    .strip_prefix("https://")
                    .or_else(|| url.strip_prefix("http://"));
                // It stands in the card, and names the `Host` that is served.
                if rest.is_none_or(|rest| Authority::parse(rest.as_bytes()).is_none()) {
                    return Err(format!(
                        "--public-url {url}: must be like https://host, without a path"
                    ));
                }
                public = Some(url);
            }
            "--help" | "-h" => return Ok(None),
            _ => return Err(format!("{arg}: no such option; see --help")),
        }
    }
    const KEY: &str = "SPYNEL_AGENT_ZERO_API_KEY";
    let key = variable(KEY)?.ok_or(format!("{KEY} is not set: every caller shows it"))?;
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("{KEY}: must be ASCII without spaces"));
    }
    const ARGUS: &str = "ARGUS_SUPERVISOR_ENABLED";
    let argus = match variable(ARGUS)?.as_deref() {
        Some("1") => true,
        None | Some("0") => false,
        Some(other) => return Err(format!("{ARGUS}: `{other}` is neither 1 nor 0")),
    };
    let upstream = match variable("OPENTRAINING_A2A_URL")? {
        None => None,
        Some(url) => {
            let token = variable("OPENTRAINING_A2A_TOKEN")?.unwrap_or_default();
            let project = variable("OPENTRAINING_A2A_PROJECT")?.unwrap_or_default();
            let made = Upstream::new(&url, &token, &project, ANSWER_BYTES);
            Some(made.map_err(|why| format!("OPENTRAINING_A2A_URL: {why}"))?)
        }
    };
    Ok(Some(Options {
        port,
        public,
        key,
        argus,
        upstream,
    }))
}

fn run(options: Options) -> std::io::Result<()> {
    let clock = Clock::new();
    // One secret for A2A and MCP, in either header; its digest is kept.
    let secret = Credential::of_secret("deployment", options.key.as_bytes(), 1);
    drop(options.key);
    let mut policy = Policy::new::<AllowAll>(Rules::NONE);
    policy
        .credentials
        .add(secret)
        .map_err(|error| std::io::Error::other(error.text()))?;
    let mut server = Server::new(&DEVICE, Operator::new()).with_key(hosted::key()?);
    // For the life of the process.
    server.set_policy(Box::leak(Box::new(policy)));
    let listener = Listener::bind(options.port)?;
    let address = listener.address()?;
    let base = format!("http://{address}");
    let mut config = HttpConfig::LOOPBACK;
    if let Some(url) = &options.public {
        let host = url.split_once("://").map_or("", |(_, host)| host);
        let hosts = [host.to_owned().leak(), "127.0.0.1", "localhost"];
        config.hosts = Allow::Listed(Box::leak(Box::new(hosts)));
    }
    let public = options.public.unwrap_or_else(|| base.clone());
    // For the life of the process, as the rest of the card.
    let endpoint = Box::leak(format!("{public}{PATH}/").into_boxed_str());
    let agent = Box::leak(Box::new(agent(endpoint, options.argus)));
    println!(
        "OpenOperator is served at {base} until Ctrl-C: A2A at {PATH}/, MCP at {}.\n\
         Its documentation is at {base}/docs.\n\
         Argus supervision is {}; {}.",
        config.path,
        if options.argus { "enabled" } else { "disabled" },
        match &options.upstream {
            Some(_) => "it asks the agent of OPENTRAINING_A2A_URL",
            None => "no backend is configured",
        },
    );
    let served = WithExtension {
        agent: WithAgent {
            server,
            desk: AgentDesk {
                agent,
                tasks: hosted::tasks_of::<TASKS, LOG>(clock, RETENTION_MS, ANSWERS),
                // The policy knows them.
                callers: |_| None,
            },
            path: PATH,
        },
        extension: Argus::new(options.argus, options.upstream),
    };
    listener.serve(Arc::new(Mutex::new(served)), config, clock)
}

fn main() -> ExitCode {
    program("openoperator", HELP, options(), run)
}
