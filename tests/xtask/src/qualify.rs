//! `cargo xtask qualify URL`: whether a deployment of the OpenOperator profile
//! is what it should be. It reads, and asks for nothing that acts.
//!
//! Each assertion is one request, within a time and a size, by `curl`. Only
//! the names of assertions are printed, and the first that is broken ends it:
//! no credential and nothing of an answer.

use std::io::{Read as _, Write as _};

use agentmote::frame::http::Authority;
use agentmote::json::{Value, parse};

use crate::args::Args;
use crate::child::{Job, Log};
use crate::packages;
use crate::stop::Stop;

/// The options of [`command`].
pub(crate) const OPTIONS: &str = "URL";

/// The secret of the deployment.
pub(crate) const KEY: &str = "SPYNEL_AGENT_ZERO_API_KEY";
/// The commit that it should be built from.
pub(crate) const SHA: &str = "EXPECTED_SOURCE_SHA";

/// How long one request may take, in seconds.
const SECONDS: u32 = 15;
/// Bytes of an answer, with its head.
const BYTES: u64 = 256 * 1024;

/// `cargo xtask qualify`.
pub(crate) fn command(args: &mut Args) -> Result<(), Stop> {
    let url = args.word();
    args.finish()?;
    let url = url.ok_or_else(|| Stop::Usage("URL is needed, such as https://host".into()))?;
    let url = url.trim_end_matches('/');
    check(url).map_err(|why| Stop::Usage(why.into()))?;
    let variable = |name: &str| {
        let value = std::env::var(name).ok().filter(|value| !value.is_empty());
        value.ok_or_else(|| Stop::Usage(format!("{name} must be set")))
    };
    let (key, sha) = (variable(KEY)?, variable(SHA)?);
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Stop::Usage(format!("{KEY} must be ASCII without spaces")));
    }
    packages::need(&[&packages::CURL], &mut Log::stderr())?;
    let mut deployment = Deployment {
        url: url.to_owned(),
        key,
        sha,
        enabled: false,
        card: Vec::new(),
        told: false,
    };
    for assertion in ASSERTIONS {
        // What is wrong is not said: an answer may hold what is nobody's.
        let holds = deployment
            .fetch(&assertion.request)
            .is_some_and(|answer| (assertion.holds)(&mut deployment, &answer));
        if !holds {
            println!("not ok {}", assertion.name);
            return Err(Stop::Fail("an assertion is broken".into()));
        }
        println!("ok {}", assertion.name);
    }
    println!("done: {} assertions", ASSERTIONS.len());
    Ok(())
}

/// Whether the secret may be sent to a URL.
fn check(url: &str) -> Result<(), &'static str> {
    const SHAPE: &str = "URL must be like https://host";
    let (scheme, rest) = url.split_once("://").ok_or(SHAPE)?;
    let authority = rest.split('/').next().unwrap_or(rest);
    let authority = Authority::parse(authority.as_bytes()).ok_or(SHAPE)?;
    // Neither what curl would take apart nor what its file of settings would.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%/:[]".contains(&byte);
    let local = matches!(authority.host, b"127.0.0.1" | b"localhost" | b"[::1]");
    match scheme {
        _ if !rest.bytes().all(plain) => Err(SHAPE),
        "https" => Ok(()),
        "http" if local => Ok(()),
        "http" => Err("URL must begin with https://: the secret would be sent in the clear"),
        _ => Err(SHAPE),
    }
}

/// What is asked for.
enum Request {
    Get(&'static str),
    Post(&'static str, Credential, &'static str),
}

enum Credential {
    None,
    Bearer,
    ApiKey,
    WrongBearer,
    WrongApiKey,
}

/// One thing that must hold.
pub(crate) struct Assertion {
    pub(crate) name: &'static str,
    request: Request,
    holds: fn(&mut Deployment, &Answer) -> bool,
}

/// What is known of the deployment.
struct Deployment {
    url: String,
    key: String,
    sha: String,
    /// Whether its supervision says that it is enabled.
    enabled: bool,
    /// The card at the first path.
    card: Vec<u8>,
    /// Whether an answer has told the secret.
    told: bool,
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Deployment {
    /// One request. Nothing of it stands on a command line: other users of
    /// the machine can read that.
    fn fetch(&mut self, request: &Request) -> Option<Answer> {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let path = match request {
            Request::Get(path) | Request::Post(path, ..) => path,
        };
        let mut config = format!(
            "silent\ninclude\nmax-time = {SECONDS}\nmax-filesize = {BYTES}\nmax-redirs = 0\n\
             proto = \"=http,https\"\nsuppress-connect-headers\nurl = \"{}{path}\"\n",
            self.url
        );
        if let Request::Post(_, credential, body) = request {
            let field = match credential {
                Credential::None => String::new(),
                Credential::Bearer => format!("Authorization: Bearer {}", self.key),
                Credential::ApiKey => format!("X-API-KEY: {}", self.key),
                Credential::WrongBearer => "Authorization: Bearer wrong".into(),
                Credential::WrongApiKey => "X-API-KEY: wrong".into(),
            };
            if !field.is_empty() {
                config += &format!("header = \"{}\"\n", quoted(&field));
            }
            config += "header = \"Content-Type: application/json\"\nheader = \"Expect:\"\n";
            config += &format!("data-raw = \"{}\"\n", quoted(body));
        }
        // Without the settings of the user: they could show what is sent.
        let curl = Job::new("curl").args(["--disable", "--config", "-"]);
        let mut curl = curl.piped().ok()?;
        curl.stdin()?.write_all(config.as_bytes()).ok()?;
        let mut all = Vec::new();
        curl.stdout()?.take(BYTES + 1).read_to_end(&mut all).ok()?;
        let fine = all.len() as u64 <= BYTES && curl.wait().ok()??.success();
        let at = all.windows(4).position(|four| four == b"\r\n\r\n");
        let at = at.filter(|_| fine)?;
        let key = self.key.as_bytes();
        self.told |= all.windows(key.len()).any(|part| part == key);
        let head = String::from_utf8_lossy(&all[..at]).into_owned();
        let status = head.split(' ').nth(1)?;
        Some(Answer {
            status: status.get(..3)?.parse().ok()?,
            body: all.split_off(at + 4),
            head,
        })
    }
}

impl Answer {
    /// The JSON of an answer with this status.
    fn json(&self, status: u16) -> Option<Value<'_>> {
        let json = parse(&self.body).ok()?;
        (self.status == status).then_some(json)
    }

    /// A member of the JSON of an answer with status 200, by its path.
    fn at(&self, path: &str) -> Option<Value<'_>> {
        at(self.json(200)?, path)
    }

    /// Whether that member is this text.
    fn says(&self, path: &str, text: &str) -> bool {
        is(self.at(path), text)
    }

    /// Whether it is a JSON-RPC error of this code.
    fn refuses(&self, code: i64) -> bool {
        let found = self.at("error.code").and_then(Value::as_number);
        found.is_some_and(|found| found.as_i64() == Ok(code))
    }

    fn is_page(&self) -> bool {
        let html = self
            .head
            .to_ascii_lowercase()
            .contains("\r\ncontent-type: text/html");
        let text = String::from_utf8_lossy(&self.body);
        self.status == 200 && html && text.contains("POST /a2a/")
    }

    /// Whether it says that there is no such path, or no such verb at it.
    fn is_no_path(&self) -> bool {
        matches!(self.status, 404 | 405)
    }

    /// The data of a finished task, or of the message of a failed one.
    fn data(&self, state: &str) -> Option<Value<'_>> {
        if !self.says("result.status.state", state) {
            return None;
        }
        self.at(match state {
            "completed" => "result.artifacts.0.parts.0.data",
            _ => "result.status.message.parts.0.data",
        })
    }

    /// Whether the supervision refuses with this code, and repeats the id.
    fn is_refused(&self, code: &str, id: bool) -> bool {
        self.data("failed").is_some_and(|data| {
            let same = is(at(data, "requestId"), "qualify");
            is(at(data, "error.code"), code) && same == id
        })
    }
}

/// The member at the end of a path of names, and of places in lists.
fn at<'a>(value: Value<'a>, path: &str) -> Option<Value<'a>> {
    path.split('.')
        .try_fold(value, |value, name| match name.parse() {
            Ok(place) => value.elements().nth(place),
            Err(_) => value.member(name),
        })
}

fn is(value: Option<Value<'_>>, text: &str) -> bool {
    let found = value.and_then(Value::as_text);
    found.is_some_and(|found| found.is(text))
}

/// A request that names no task that there is.
const READ: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"qualify-no-such-task"}}"#;

/// A message without a `messageId`: it is refused before anything begins.
const SNAKE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","kind":"message","message_id":"qualify","parts":[{"kind":"text","text":"qualify"}]}}}"#;

/// A message of the supervision, around its envelope.
macro_rules! supervision {
    ($envelope:literal) => {
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"configuration":{"blocking":true,"acceptedOutputModes":["application/json"]},"message":{"role":"user","kind":"message","messageId":"qualify","extensions":["urn:openoperator:argus-supervisor:v1"],"metadata":{"urn:openoperator:argus-supervisor:v1":"#,
            $envelope,
            r#"},"parts":[{"kind":"data","data":{"params":{}}}]}}}"#
        )
    };
}

const ENDPOINT: &str = "/a2a/";
const CARD: &str = "/a2a/.well-known/agent.json";

/// Everything that must hold, in this order. Each is one request.
pub(crate) const ASSERTIONS: &[Assertion] = &[
    Assertion {
        name: "health_is_ok",
        request: Request::Get("/health"),
        holds: |_, answer| answer.says("status", "ok"),
    },
    Assertion {
        name: "source_is_the_expected_commit",
        request: Request::Get("/health"),
        holds: |deployment, answer| answer.says("sourceSha", &deployment.sha),
    },
    Assertion {
        name: "docs_are_a_page",
        request: Request::Get("/docs"),
        holds: |_, answer| answer.is_page(),
    },
    Assertion {
        name: "a2a_docs_are_a_page",
        request: Request::Get("/a2a/docs"),
        holds: |_, answer| answer.is_page(),
    },
    Assertion {
        name: "description_names_the_endpoint",
        request: Request::Get("/docs/a2a.json"),
        holds: |_, answer| answer.says("endpoint", ENDPOINT),
    },
    Assertion {
        name: "argus_profile_is_installed",
        request: Request::Get("/docs/a2a.json"),
        holds: |deployment, answer| {
            let profile = answer.at("profiles.argus-supervisor");
            let fact = |name| profile.and_then(|one| at(one, name)?.as_bool());
            deployment.enabled = fact("enabled") == Some(true);
            fact("installed") == Some(true) && fact("enabled").is_some()
        },
    },
    Assertion {
        name: "card_names_the_endpoint",
        request: Request::Get(CARD),
        holds: |deployment, answer| {
            deployment.card = answer.body.clone();
            let url = answer.at("url").and_then(Value::as_text);
            let url = url.and_then(|text| text.as_str());
            let fine = url.is_some_and(|url| url.contains("://") && url.ends_with("/a2a/"));
            fine && answer.says("protocolVersion", "0.3.0")
        },
    },
    Assertion {
        name: "compatibility_card_is_the_same",
        request: Request::Get("/a2a/.well-known/agent-card.json"),
        holds: |deployment, answer| {
            answer.status == 200 && !answer.body.is_empty() && answer.body == deployment.card
        },
    },
    Assertion {
        name: "card_declares_both_credentials",
        request: Request::Get(CARD),
        holds: |_, answer| {
            let schemes = answer.at("securitySchemes");
            let has = |members: [(&str, &str); 2]| {
                let mut all = schemes.into_iter().flat_map(Value::members);
                all.any(|(_, one)| members.iter().all(|(name, text)| is(at(one, name), text)))
            };
            has([("type", "http"), ("scheme", "bearer")])
                && has([("in", "header"), ("name", "X-API-KEY")])
        },
    },
    Assertion {
        name: "card_lists_exactly_the_skills",
        request: Request::Get(CARD),
        holds: |deployment, answer| {
            const ALL: [&str; 4] = [
                "general_assistance",
                "argus_supervisor_health",
                "argus_supervisor_status",
                "argus_campaign_list",
            ];
            let wanted = if deployment.enabled {
                &ALL[..]
            } else {
                &ALL[..1]
            };
            let skills = answer.at("skills").into_iter().flat_map(Value::elements);
            let mut skills = skills.map(|skill| at(skill, "id"));
            wanted
                .iter()
                .all(|id| skills.next().is_some_and(|one| is(one, id)))
                && skills.next().is_none()
        },
    },
    Assertion {
        name: "message_send_is_no_path",
        request: Request::Post("/a2a/message/send", Credential::Bearer, READ),
        holds: |_, answer| answer.is_no_path(),
    },
    Assertion {
        name: "tasks_get_is_no_path",
        request: Request::Post("/a2a/tasks/get", Credential::Bearer, READ),
        holds: |_, answer| answer.is_no_path(),
    },
    Assertion {
        name: "agent_card_is_no_path",
        request: Request::Get("/a2a/agent-card"),
        holds: |_, answer| answer.is_no_path(),
    },
    Assertion {
        name: "no_credential_is_refused",
        request: Request::Post(ENDPOINT, Credential::None, READ),
        holds: |_, answer| answer.status == 401,
    },
    Assertion {
        name: "wrong_bearer_is_refused",
        request: Request::Post(ENDPOINT, Credential::WrongBearer, READ),
        holds: |_, answer| answer.status == 401,
    },
    Assertion {
        name: "wrong_api_key_is_refused",
        request: Request::Post(ENDPOINT, Credential::WrongApiKey, READ),
        holds: |_, answer| answer.status == 401,
    },
    Assertion {
        name: "bearer_is_accepted_without_a_redirect",
        request: Request::Post(ENDPOINT, Credential::Bearer, READ),
        holds: |_, answer| answer.refuses(-32001),
    },
    Assertion {
        name: "api_key_is_accepted",
        request: Request::Post(ENDPOINT, Credential::ApiKey, READ),
        holds: |_, answer| answer.refuses(-32001),
    },
    Assertion {
        name: "snake_case_is_refused",
        request: Request::Post(ENDPOINT, Credential::Bearer, SNAKE),
        holds: |_, answer| answer.refuses(-32602),
    },
    Assertion {
        name: "broken_envelope_is_invalid",
        request: Request::Post(
            ENDPOINT,
            Credential::Bearer,
            supervision!("\"supervisor.health\""),
        ),
        holds: |_, answer| answer.is_refused("invalid_argus_envelope", false),
    },
    Assertion {
        name: "supervisor_health_is_answered",
        request: Request::Post(
            ENDPOINT,
            Credential::Bearer,
            supervision!(r#"{"operation":"supervisor.health","requestId":"qualify"}"#),
        ),
        holds: health,
    },
    Assertion {
        name: "older_request_id_is_answered",
        request: Request::Post(
            ENDPOINT,
            Credential::ApiKey,
            supervision!(r#"{"operation":"supervisor.health","request_id":"qualify"}"#),
        ),
        holds: health,
    },
    Assertion {
        name: "campaign_control_is_not_accepted",
        request: Request::Post(
            ENDPOINT,
            Credential::Bearer,
            supervision!(r#"{"operation":"campaign.cancel","requestId":"qualify"}"#),
        ),
        holds: |deployment, answer| {
            let code = if deployment.enabled {
                "unsupported_argus_operation"
            } else {
                "argus_supervisor_disabled"
            };
            answer.is_refused(code, true)
        },
    },
    Assertion {
        name: "secret_is_never_told",
        request: Request::Get("/docs"),
        holds: |deployment, _| !deployment.told,
    },
];

/// Health is told, or it is said that the supervision is disabled.
fn health(deployment: &mut Deployment, answer: &Answer) -> bool {
    if !deployment.enabled {
        return answer.is_refused("argus_supervisor_disabled", true);
    }
    answer.data("completed").is_some_and(|data| {
        is(at(data, "operation"), "supervisor.health")
            && is(at(data, "requestId"), "qualify")
            && at(data, "ok").and_then(Value::as_bool) == Some(true)
    })
}
