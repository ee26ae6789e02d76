//! One policy in front of MCP and A2A: who is let in, what is there for him,
//! and what is written down (M-199 to M-205, A-190 to A-198, P-025 to P-029,
//! P-060, O-013, O-014).

use std::cell::RefCell;

use agentmote::a2a::Agent;
use agentmote::mcp::{Device, Identity};
use agentmote::policy::{
    Authority, Credential, Endpoint, Event, Grant, Guard, Operation, Outcome, Policy, Presented,
    Protected, Request, Rules, Subject, TryLimit, Why,
};
use agentmote::resource::Resource;
use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::{Answer as Said, Call};
use agentmote::{catalog, tool};
use agentmote_tests::a2a::{
    CARD, SECRET_SCOPE, Script, World, at_once, message, old_message, request,
};
use agentmote_tests::peer::{Answer, Cut, LinePeer, answers};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

#[path = "policy/hostile.rs"]
mod hostile;

/// May use MCP.
const TOOLS: u32 = 1;
/// May use the agent.
const TASKS: u32 = 2;
/// May use the tool `lift`.
const LIFT: u32 = 8;

static DEVICE: Device<Script> = Device::new(
    Identity::new("arm-7", "0.1.0"),
    catalog![look, lift, locked, slow, weld],
)
.resources(&[Resource {
    watch: Some(|app, _| app.steps),
    ..Resource::new("arm://steps", "steps", |app: &mut Script, reading| {
        reading.format(format_args!("{}", app.steps))
    })
}]);

/// Looks.
#[tool(read_only)]
fn look(_: &mut Script, call: &mut Call<'_>) -> Said {
    call.text("nothing to be seen")
}

/// Lifts.
#[tool(actuates, scopes = LIFT)]
fn lift(app: &mut Script, call: &mut Call<'_>) -> Said {
    app.begun += 1;
    call.fail("too heavy")
}

/// Is hidden by the guard.
#[tool(actuates)]
fn locked(app: &mut Script, call: &mut Call<'_>) -> Said {
    app.begun += 1;
    call.text("moved")
}

/// Takes a second.
#[tool(actuates)]
fn slow(_: &mut Script, call: &mut Call<'_>) -> std::task::Poll<Said> {
    if call.is_cancelled() || call.step() == 0 {
        call.wake_after(1000);
        return std::task::Poll::Pending;
    }
    std::task::Poll::Ready(call.text("there"))
}

/// Asks, then welds; may be a task.
#[tool(actuates, asks, scopes = LIFT, task)]
fn weld(app: &mut Script, call: &mut Call<'_>) -> std::task::Poll<Said> {
    match call.confirm("sure", "Really?") {
        Some(true) => {
            app.begun += 1;
            std::task::Poll::Ready(call.text("welded"))
        }
        Some(false) => std::task::Poll::Ready(call.fail("refused")),
        None => std::task::Poll::Pending,
    }
}

thread_local!(static EVENTS: RefCell<Vec<Event>> = const { RefCell::new(Vec::new()) });

struct Lab;

impl Guard<Script> for Lab {
    fn verify(_: &mut Script, presented: Presented<'_>, now: Instant) -> Option<Grant> {
        let good = presented == Presented::Bearer(b"signed-token") && now.as_millis() < 5_000;
        good.then_some(Grant::verified("issuer", 9, 1, TOOLS | TASKS))
    }

    fn allows(_: &Script, who: &Grant, request: &Request) -> bool {
        match request.subject {
            Subject::Tool("locked") => who.id == 2,
            Subject::Skill("script") => who.id != 3,
            _ => true,
        }
    }

    fn record(_: &mut Script, event: &Event) {
        EVENTS.with_borrow_mut(|events| events.push(*event));
    }
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

const RULES: Rules = Rules {
    realm: "lab",
    scopes: &["tools", "tasks", "secret", "lift"],
    mcp: TOOLS,
    agent: TASKS,
    protected: Some(Protected {
        resource: "https://arm-7.example/mcp",
        metadata: "https://arm-7.example/.well-known/oauth-protected-resource/mcp",
        authorization_servers: &["https://login.example"],
    }),
    ..Rules::NONE
};

/// The secrets of the credentials below, which nothing may show.
const SECRETS: [&str; 5] = [
    "key-of-ann",
    "key-of-bob",
    "key-of-eve",
    "key-of-tim",
    "old-key",
];

fn credentials(policy: &mut Policy<Script>) {
    let all = TOOLS | TASKS | SECRET_SCOPE | LIFT;
    let of = |name, secret, id, tenant, tenant_name, scopes| Credential {
        tenant,
        tenant_name,
        scopes,
        ..Credential::new(name, digest(secret), id)
    };
    for credential in [
        of("ann", "key-of-ann", 1, 1, "lab-a", TOOLS | TASKS),
        of("bob", "key-of-bob", 2, 2, "lab-b", all),
        of("eve", "key-of-eve", 3, 1, "lab-a", TASKS),
        of("tim", "key-of-tim", 4, 1, "lab-a", TOOLS),
        Credential {
            expires: Some(Instant::from_millis(1)),
            ..of("old", "old-key", 5, 1, "lab-a", all)
        },
    ] {
        assert_eq!(policy.credentials.add(credential), Ok(()));
    }
}

type Memory = HttpMemory<4096, 1024>;

struct Web {
    server: Server<Script>,
    desk: AgentDesk<'static, Script>,
    now: u64,
    cut: usize,
}

impl Web {
    fn new() -> Self {
        Self::with(RULES)
    }

    fn with(rules: Rules) -> Self {
        let mut policy = Policy::new::<Lab>(rules);
        credentials(&mut policy);
        let agent = Agent::new(CARD);
        EVENTS.take();
        Self {
            server: Server::new(&DEVICE, Script::default())
                .with_key([7; 32])
                .with_policy(Box::leak(Box::new(policy))),
            desk: AgentDesk {
                agent: Box::leak(Box::new(agent)),
                tasks: World::new::<8>().tasks,
                // The policy is asked in its place.
                callers: |_| None,
            },
            now: 10,
            cut: 4096,
        }
    }

    fn offer(&mut self, http: &mut Http<'_>, bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        let mut rest = bytes;
        loop {
            let taken = http.receive(&rest[..rest.len().min(self.cut)]);
            rest = &rest[taken..];
            let mut out = vec![0; self.cut];
            let now = Instant::from_millis(self.now);
            let n = http.poll_agent(&mut self.server, &mut self.desk, now, &mut out);
            all.extend_from_slice(&out[..n]);
            if taken == 0 && n == 0 {
                return all;
            }
        }
    }

    #[track_caller]
    fn ask(&mut self, bytes: &[u8]) -> Answer {
        let mut memory = Memory::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK)
            .with_agent("/a2a")
            .with_tasks();
        let mut all = self.offer(&mut http, bytes);
        for _ in 0..10_000 {
            let Some(wake) = http.wake_agent(&self.desk) else {
                break;
            };
            self.now = wake.as_millis().max(self.now + 1);
            all.extend(self.offer(&mut http, b""));
        }
        let mut all = answers(&all);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// Sends a message of MCP with this credential.
    #[track_caller]
    fn mcp(&mut self, who: &str, body: &str) -> Answer {
        self.ask(&post("/mcp", who, body))
    }

    /// Calls a method of A2A: of 1.x, or of 0.3 if it has a slash.
    #[track_caller]
    fn a2a(&mut self, who: &str, method: &str, params: &str) -> Value {
        let version = match method.contains('/') {
            true => "",
            false => "A2A-Version: 1.0\r\n",
        };
        let fields = format!("{who}{version}");
        let answer = self.ask(&post("/a2a", &fields, &request(method, params)));
        assert_eq!(answer.status, 200);
        serde_json::from_slice(&answer.body).expect("JSON")
    }

    fn credentials(&mut self) -> &mut agentmote::policy::Credentials {
        &mut self.server.policy().expect("a policy").credentials
    }
}

const NOBODY: &str = "";
const ANN: &str = "Authorization: Bearer key-of-ann\r\n";
const BOB: &str = "X-API-Key: key-of-bob\r\n";
const EVE: &str = "Authorization: Bearer key-of-eve\r\n";
const TIM: &str = "X-API-Key: key-of-tim\r\n";
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn post(path: &str, fields: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A call of a tool in the modern era, with its headers.
fn call(who: &str, tool: &str) -> Vec<u8> {
    let fields = format!(
        "{who}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
    );
    post(
        "/mcp",
        &fields,
        &modern("tools/call", &format!(r#""name":"{tool}","#)),
    )
}

fn modern(method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"t","version":"0"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// What was written down since the last look: who, what, what came of it. The
/// ends of tasks are left to `task_policy.rs`.
#[track_caller]
fn written() -> Vec<(Authority, Endpoint, Operation, Subject, Outcome)> {
    let mut events = EVENTS.take();
    events.retain(|event| event.request.operation != Operation::EndTask);
    for event in &events {
        let known = !matches!(event.by, Authority::None | Authority::Place);
        assert_eq!(event.id != 0, known, "{event:?}");
        let shown = format!("{event:?}");
        assert!(SECRETS.iter().all(|secret| !shown.contains(secret)));
    }
    let parts = events.into_iter().map(|event| {
        let Request {
            endpoint,
            operation,
            subject,
        } = event.request;
        (event.by, endpoint, operation, subject, event.outcome)
    });
    parts.collect()
}

fn by(name: &'static str) -> Authority {
    Authority::Credential(name)
}

fn task(answer: &Value) -> (String, Subject) {
    let id = answer["result"]["task"]["id"]
        .as_str()
        .or(answer["result"]["id"].as_str())
        .unwrap_or_else(|| panic!("no task: {answer}"));
    let number = u128::from_str_radix(id, 16).expect("32 digits");
    (id.to_owned(), Subject::Task(number.to_be_bytes()))
}

#[track_caller]
fn code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {answer}"))
}

#[test]
fn both_doors_know_both_headers() {
    let mut web = Web::new();
    for who in [ANN, BOB] {
        assert_eq!(web.mcp(who, PING).status, 200);
        let answer = web.a2a(who, "ListTasks", "{}");
        assert_eq!(answer["result"]["totalSize"], 0);
    }
    assert_eq!(written(), []);
}

#[test]
fn what_is_not_known_is_told_the_same_whatever_it_is() {
    for path in ["/mcp", "/a2a"] {
        let mut web = Web::new();
        let scope = if path == "/mcp" { "tools" } else { "tasks" };
        let bare = web.ask(&post(path, NOBODY, PING));
        assert_eq!(bare.status, 401);
        let metadata =
            "resource_metadata=\"https://arm-7.example/.well-known/oauth-protected-resource/mcp\"";
        assert_eq!(
            bare.field("www-authenticate"),
            Some(&*format!(
                "Bearer realm=\"lab\", scope=\"{scope}\", {metadata}"
            ))
        );
        web.credentials().revoke("ann");
        let unknown = web.ask(&post(path, "X-API-Key: nobody's\r\n", PING));
        assert_eq!(unknown.status, 401);
        assert_eq!(
            unknown.field("www-authenticate"),
            Some(&*format!(
                "Bearer realm=\"lab\", error=\"invalid_token\", scope=\"{scope}\", {metadata}"
            ))
        );
        assert_eq!(unknown.body, b"a credential that is known here is needed\n");
        for who in [
            // Revoked, expired, of another case, of a scheme that is not known.
            ANN,
            "X-API-Key: old-key\r\n",
            "Authorization: Bearer KEY-OF-BOB\r\n",
        ] {
            assert_eq!(web.ask(&post(path, who, PING)), unknown, "{who}");
        }
        for none in [
            "Authorization: Basic key-of-bob\r\n",
            "Authorization: Bearer \r\n",
        ] {
            assert_eq!(web.ask(&post(path, none, PING)), bare);
        }
        let endpoint = match path {
            "/mcp" => Endpoint::Mcp,
            _ => Endpoint::Agent,
        };
        let refused = (
            Authority::None,
            endpoint,
            Operation::Request,
            Subject::None,
            Outcome::Refused(Why::Credential),
        );
        assert_eq!(written(), [refused; 7]);
        assert_eq!(web.server.app.steps, 0);
    }
}

#[test]
fn a_body_is_not_read_before_its_sender_is_known() {
    let mut web = Web::new();
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    let head = "POST /a2a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\
                Content-Length: 400\r\n\r\n";
    let bytes = web.offer(&mut http, head.as_bytes());
    assert!(bytes.starts_with(b"HTTP/1.1 401 "), "M-205");
}

#[test]
fn an_endpoint_needs_its_scopes() {
    let mut web = Web::new();
    let answer = web.mcp(EVE, PING);
    assert_eq!(answer.status, 403);
    assert_eq!(
        answer.field("www-authenticate"),
        Some(
            "Bearer realm=\"lab\", error=\"insufficient_scope\", scope=\"tools\", \
             resource_metadata=\"https://arm-7.example/.well-known/oauth-protected-resource/mcp\""
        )
    );
    let answer = web.ask(&post("/a2a", TIM, &request("GetTask", r#"{"id":"x"}"#)));
    assert_eq!(answer.status, 403);
    assert_eq!(
        written(),
        [("eve", Endpoint::Mcp), ("tim", Endpoint::Agent)].map(|(name, endpoint)| (
            by(name),
            endpoint,
            Operation::Request,
            Subject::None,
            Outcome::Refused(Why::Scope)
        ))
    );
}

#[test]
fn the_metadata_is_open_at_both_places() {
    let mut web = Web::new();
    for path in ["/mcp", ""] {
        let get = format!(
            "GET /.well-known/oauth-protected-resource{path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        );
        let answer = web.ask(get.as_bytes());
        assert_eq!(answer.status, 200);
        assert_eq!(answer.field("content-type"), Some("application/json"));
        assert_eq!(
            std::str::from_utf8(&answer.body),
            Ok("{\"resource\":\"https://arm-7.example/mcp\",\
                \"authorization_servers\":[\"https://login.example\"],\
                \"scopes_supported\":[\"tools\",\"tasks\",\"secret\",\"lift\"],\
                \"bearer_methods_supported\":[\"header\"]}")
        );
    }
    let other = b"GET /.well-known/oauth-protected-resource/x HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_eq!(web.ask(other).status, 404);
    let posted = post("/.well-known/oauth-protected-resource", "", PING);
    assert_eq!(web.ask(&posted).status, 405);
    let mut none = Web::with(Rules {
        protected: None,
        ..RULES
    });
    let get = b"GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_eq!(none.ask(get).status, 404);
}

#[test]
fn too_many_tries_wait() {
    let mut web = Web::with(Rules {
        limit: Some(TryLimit {
            tries: 3,
            per_ms: 60_000,
            closes: false,
        }),
        ..RULES
    });
    let bad = "X-API-Key: a guess\r\n";
    for _ in 0..3 {
        assert_eq!(web.mcp(bad, PING).status, 401);
    }
    web.now += 500;
    let answer = web.mcp(bad, PING);
    assert_eq!(answer.status, 429);
    assert_eq!(answer.field("retry-after"), Some("60"));
    assert_eq!(
        answer.body,
        b"too many unknown credentials: try again later\n"
    );
    assert_eq!(web.a2a(ANN, "ListTasks", "{}")["result"]["totalSize"], 0);
    // Showing nothing is no try.
    assert_eq!(web.mcp(NOBODY, PING).status, 401);
    web.now += 60_000;
    assert_eq!(web.mcp(bad, PING).status, 401);
}

#[test]
fn a_guard_lets_in_whom_it_knows() {
    let mut web = Web::new();
    let token = "Authorization: Bearer signed-token\r\n";
    let answer = web.ask(&call(token, "look"));
    assert_eq!(answer.status, 200);
    assert_eq!(
        written(),
        [(
            Authority::Guard("issuer"),
            Endpoint::Mcp,
            Operation::CallTool,
            Subject::Tool("look"),
            Outcome::Done
        )]
    );
    web.now = 5_000;
    assert_eq!(web.mcp(token, PING).status, 401);
}

#[test]
fn tools_are_there_for_whom_they_are() {
    let mut web = Web::new();
    let list = |web: &mut Web, who: &str| {
        let fields = format!("{who}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n");
        let answer = web
            .ask(&post("/mcp", &fields, &modern("tools/list", "")))
            .json();
        // Others may see other tools (M-045).
        assert_eq!(answer["result"]["cacheScope"], "private");
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        let names = tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(list(&mut web, ANN), ["look", "slow"]);
    assert_eq!(
        list(&mut web, BOB),
        ["look", "lift", "locked", "slow", "weld"]
    );
    let none = web.ask(&call(ANN, "none"));
    for hidden in ["lift", "locked"] {
        let answer = web.ask(&call(ANN, hidden));
        assert_eq!(
            String::from_utf8_lossy(&answer.body).replace(hidden, "none"),
            String::from_utf8_lossy(&none.body)
        );
    }
    assert_eq!(web.server.app.begun, 0);
    let refused = (
        by("ann"),
        Endpoint::Mcp,
        Operation::CallTool,
        Subject::None,
        Outcome::Refused(Why::NotThere),
    );
    assert_eq!(written(), [refused; 3]);
}

#[test]
fn each_call_is_one_event() {
    for cut in [1, 7, 4096] {
        let mut web = Web::new();
        web.cut = cut;
        for tool in ["look", "lift", "locked", "slow"] {
            assert_eq!(web.ask(&call(BOB, tool)).status, 200);
        }
        let with = |arguments: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"look","arguments":{arguments}}}}}"#
            )
        };
        // The legacy era; an argument that there is not.
        let legacy = format!("{BOB}MCP-Protocol-Version: 2025-06-18\r\n");
        assert_eq!(web.mcp(&legacy, &with("{}")).status, 200);
        assert_eq!(web.mcp(&legacy, &with(r#"{"x":1}"#)).status, 200);
        // A batch: a call, one that is refused, and a request without effect.
        let batch = format!("{BOB}MCP-Protocol-Version: 2025-03-26\r\n");
        let body = format!("[{},{},{PING}]", with("{}"), with("7"));
        assert_eq!(web.mcp(&batch, &body).status, 200);
        // What is no message, and what goes nowhere.
        assert_eq!(web.mcp(BOB, "{").status, 400);
        assert_eq!(web.ask(&post("/none", BOB, PING)).status, 404);
        let tool = |name, outcome| {
            let subject = Subject::Tool(name);
            (
                by("bob"),
                Endpoint::Mcp,
                Operation::CallTool,
                subject,
                outcome,
            )
        };
        let refused = |who, why| {
            let outcome = Outcome::Refused(why);
            (
                who,
                Endpoint::Mcp,
                Operation::Request,
                Subject::None,
                outcome,
            )
        };
        assert_eq!(
            written(),
            [
                tool("look", Outcome::Done),
                tool("lift", Outcome::Failed),
                tool("locked", Outcome::Done),
                tool("slow", Outcome::Done),
                tool("look", Outcome::Done),
                tool("look", Outcome::Refused(Why::Arguments)),
                tool("look", Outcome::Done),
                refused(by("bob"), Why::Message),
                refused(by("bob"), Why::Message),
                refused(Authority::None, Why::Http),
            ]
        );
    }
}

#[test]
fn a_call_that_is_given_up_is_one_event() {
    let mut web = Web::new();
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    assert_eq!(web.offer(&mut http, &call(BOB, "slow")), b"");
    assert_eq!(written(), []);
    http.hang_up(&mut web.server, Instant::from_millis(web.now));
    web.offer(&mut http, b"");
    let subject = Subject::Tool("slow");
    assert_eq!(
        written(),
        [(
            by("bob"),
            Endpoint::Mcp,
            Operation::CallTool,
            subject,
            Outcome::Cancelled
        )]
    );
}

#[test]
fn a_line_is_written_down_too() {
    EVENTS.take();
    let mut memory = LineMemory::<1024, 512, 1, 256>::new();
    let mut peer = LinePeer::new(&mut memory, &DEVICE, Script::default(), Cut::WHOLE);
    let policy = Box::leak(Box::new(Policy::new::<Lab>(RULES)));
    peer.server = Server::new(&DEVICE, Script::default()).with_policy(policy);
    peer.one(&modern("tools/call", r#""name":"look","#));
    peer.one(&modern("tools/call", r#""name":"none","#));
    assert_eq!(
        peer.ask(&modern("tools/call", r#""name":"slow","#)).len(),
        0
    );
    // No place for another.
    peer.one(&modern("tools/call", r#""name":"slow","#).replace("\"id\":1", "\"id\":2"));
    peer.pass(2000);
    let tool = |name, outcome| {
        let subject = Subject::Tool(name);
        (
            Authority::Place,
            Endpoint::Mcp,
            Operation::CallTool,
            subject,
            outcome,
        )
    };
    let events = EVENTS.take();
    assert_eq!(
        events
            .iter()
            .map(|event| {
                let Request {
                    endpoint,
                    operation,
                    subject,
                } = event.request;
                (event.by, endpoint, operation, subject, event.outcome)
            })
            .collect::<Vec<_>>(),
        [
            tool("look", Outcome::Done),
            (
                Authority::Place,
                Endpoint::Mcp,
                Operation::CallTool,
                Subject::None,
                Outcome::Refused(Why::NotThere)
            ),
            tool("slow", Outcome::Refused(Why::State)),
            tool("slow", Outcome::Done),
        ]
    );
}

/// The names of both wires for one thing.
struct Wire {
    send: &'static str,
    get: &'static str,
    cancel: &'static str,
    message: fn(&str, &str) -> String,
}

const WIRES: [Wire; 2] = [
    Wire {
        send: "SendMessage",
        get: "GetTask",
        cancel: "CancelTask",
        message: at_once,
    },
    Wire {
        send: "message/send",
        get: "tasks/get",
        cancel: "tasks/cancel",
        message: |id, text| {
            let message = old_message(id, text);
            let inner = &message[..message.len() - 1];
            format!("{inner},\"configuration\":{{\"blocking\":false}}}}")
        },
    },
];

#[test]
fn each_deed_of_an_agent_is_one_event() {
    for Wire {
        send,
        get,
        cancel,
        message,
    } in WIRES
    {
        let mut web = Web::new();
        let said =
            |operation, subject, outcome| (by("ann"), Endpoint::Agent, operation, subject, outcome);
        let (id, home) = task(&web.a2a(ANN, send, &message("m-1", "home")));
        let one = format!(r#"{{"id":"{id}"}}"#);
        let sent = said(Operation::SendMessage, home, Outcome::Accepted);
        assert_eq!(written(), [sent]);
        // The same message again does nothing; nor does a look.
        web.a2a(ANN, send, &message("m-1", "home"));
        web.a2a(ANN, get, &one);
        assert_eq!(written(), []);
        web.a2a(ANN, cancel, &one);
        assert_eq!(
            written(),
            [said(Operation::CancelTask, home, Outcome::Done)]
        );
        assert_eq!(web.server.app.stopped, 1);
        code(&web.a2a(ANN, cancel, &one));
        let late = Outcome::Refused(Why::State);
        assert_eq!(written(), [said(Operation::CancelTask, home, late)]);
        // No skill takes it; what is there all the same is a rejected task.
        let (_, none) = task(&web.a2a(ANN, send, &message("m-2", "nothing")));
        let refused = Outcome::Refused(Why::NotThere);
        assert_eq!(written(), [said(Operation::SendMessage, none, refused)]);
        code(&web.a2a(ANN, get, r#"{"id":"none"}"#));
        assert_eq!(
            written(),
            [said(Operation::GetTask, Subject::None, refused)]
        );
        code(&web.a2a(ANN, send, "{}"));
        let wrong = Outcome::Refused(Why::Message);
        assert_eq!(
            written(),
            [said(Operation::SendMessage, Subject::None, wrong)]
        );
        code(&web.a2a(ANN, "no/method", "{}"));
        assert_eq!(written(), [said(Operation::Request, Subject::None, wrong)]);
        // A question, and the answer to it.
        let (id, asked) = task(&web.a2a(ANN, send, &message("m-3", "calibrate")));
        let answer = message("m-4", "axis 3").replacen(
            "\"messageId\"",
            &format!("\"taskId\":\"{id}\",\"messageId\""),
            1,
        );
        web.now += 1;
        web.a2a(ANN, get, &format!(r#"{{"id":"{id}"}}"#));
        assert_eq!(task(&web.a2a(ANN, send, &answer)).0, id);
        let sent = said(Operation::SendMessage, asked, Outcome::Accepted);
        assert_eq!(written(), [sent, sent]);
    }
}

#[test]
fn a_wish_to_stop_that_nobody_waits_for_is_one_event() {
    let mut web = Web::new();
    let (id, subject) = task(&web.a2a(ANN, "SendMessage", &at_once("m-1", "do deaf")));
    web.now += 5;
    web.a2a(ANN, "GetTask", &format!(r#"{{"id":"{id}"}}"#));
    written();
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    let body = request("CancelTask", &format!(r#"{{"id":"{id}"}}"#));
    let bytes = post("/a2a", &format!("{ANN}A2A-Version: 1.0\r\n"), &body);
    assert_eq!(web.offer(&mut http, &bytes), b"");
    assert_eq!(written(), []);
    http.hang_up(&mut web.server, Instant::from_millis(web.now));
    assert_eq!(
        written(),
        [(
            by("ann"),
            Endpoint::Agent,
            Operation::CancelTask,
            subject,
            Outcome::Accepted
        )]
    );
}

#[test]
fn another_tenant_finds_nothing() {
    for Wire {
        send,
        get,
        cancel,
        message,
    } in WIRES
    {
        let mut web = Web::new();
        let (id, _) = task(&web.a2a(ANN, send, &message("m-1", "home")));
        written();
        // Another tenant, and another caller of the same tenant.
        for (who, name) in [(BOB, "bob"), (EVE, "eve")] {
            for method in [get, cancel] {
                let theirs = web.a2a(who, method, &format!(r#"{{"id":"{id}"}}"#));
                let none = web.a2a(who, method, r#"{"id":"0123456789abcdef0123456789abcdef"}"#);
                assert_eq!(theirs, none);
                assert_eq!(code(&none), -32001);
                let both = written();
                assert_eq!(both[0], both[1]);
                assert_eq!(both[0].0, by(name));
                assert_eq!((both[0].3, both.len()), (Subject::None, 2));
            }
        }
        assert_eq!(web.a2a(BOB, "ListTasks", "{}")["result"]["totalSize"], 0);
        assert_eq!(web.a2a(ANN, "ListTasks", "{}")["result"]["totalSize"], 1);
        assert_eq!(web.server.app.stopped, 0);
    }
}

#[test]
fn the_tenant_of_a_request_is_that_of_its_credential() {
    let mut web = Web::new();
    let (id, _) = task(&web.a2a(ANN, "SendMessage", &at_once("m-1", "home")));
    let own = web.a2a(
        ANN,
        "GetTask",
        &format!(r#"{{"id":"{id}","tenant":"lab-a"}}"#),
    );
    assert_eq!(task(&own).0, id);
    let other = web.a2a(
        ANN,
        "GetTask",
        &format!(r#"{{"id":"{id}","tenant":"lab-b"}}"#),
    );
    assert_eq!(code(&other), -32001);
}

#[test]
fn a_skill_is_there_for_whom_it_is() {
    let mut web = Web::new();
    // By scope, and by the guard.
    for (who, text, state) in [
        (ANN, "secret", "TASK_STATE_REJECTED"),
        (BOB, "secret", "TASK_STATE_COMPLETED"),
        (ANN, "do echo", "TASK_STATE_COMPLETED"),
        (EVE, "do echo", "TASK_STATE_REJECTED"),
    ] {
        let answer = web.a2a(who, "SendMessage", &message(&format!("m{text}"), text));
        assert_eq!(answer["result"]["task"]["status"]["state"], state, "{text}");
    }
}

#[test]
fn a_credential_of_the_same_owner_opens_no_more_than_its_own() {
    let mut web = Web::new();
    let weak = Credential {
        tenant: 2,
        tenant_name: "lab-b",
        scopes: TASKS,
        ..Credential::new("bob-display", digest("weak"), 2)
    };
    assert_eq!(web.credentials().add(weak), Ok(()));
    let weak = "X-API-Key: weak\r\n";
    let (id, _) = task(&web.a2a(BOB, "SendMessage", &at_once("m-1", "secret")));
    // It sees the task, and may stop it, but not go on with its skill.
    let one = format!(r#"{{"id":"{id}"}}"#);
    assert_eq!(task(&web.a2a(weak, "GetTask", &one)).0, id);
    let go_on = at_once("m-2", "more").replacen(
        "\"messageId\"",
        &format!("\"taskId\":\"{id}\",\"messageId\""),
        1,
    );
    assert_eq!(code(&web.a2a(weak, "SendMessage", &go_on)), -32004);
    assert_eq!(task(&web.a2a(weak, "CancelTask", &one)).0, id);
}

#[test]
fn credentials_come_and_go_while_the_device_runs() {
    let mut web = Web::new();
    assert_eq!(web.mcp(ANN, PING).status, 200);
    assert!(web.credentials().rotate("ann", digest("new-key")));
    assert_eq!(web.mcp(ANN, PING).status, 401);
    let new = "Authorization: Bearer new-key\r\n";
    let (id, _) = task(&web.a2a(new, "SendMessage", &at_once("m-1", "home")));
    // The caller is the same, so are his tasks.
    assert!(web.credentials().revoke("ann"));
    let again = Credential {
        tenant: 1,
        scopes: TASKS,
        ..Credential::new("ann-2", digest("key-of-ann"), 1)
    };
    assert_eq!(web.credentials().add(again), Ok(()));
    let answer = web.a2a(ANN, "GetTask", &format!(r#"{{"id":"{id}"}}"#));
    assert_eq!(task(&answer).0, id);
}

#[test]
fn a_stream_ends_with_its_credential() {
    let mut web = Web::new();
    let mut memory = Memory::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
    let body = request("SendStreamingMessage", &message("m-1", "home"));
    let bytes = post("/a2a", &format!("{ANN}A2A-Version: 1.0\r\n"), &body);
    let begun = web.offer(&mut http, &bytes);
    assert!(String::from_utf8_lossy(&begun).contains("TASK_STATE_SUBMITTED"));
    web.credentials().revoke("ann");
    web.now += 2_000;
    assert_eq!(web.offer(&mut http, b""), b"");
    assert!(http.is_closed());
}
