//! Asks again and again for a task, as one who may not see it: with `foreign`
//! it is a task of another, with `absent` there is none. `cargo xtask
//! same-work` counts the instructions of both, which must be as many (A-198).
//!
//! Or shows a credential that is unknown, expired or revoked, which must cost
//! the same too.

#![forbid(unsafe_code)]

use std::hint::black_box;

use agentmote::a2a::{Agent, Caller, Card, Exchange, Facts, Next};
use agentmote::buf::Sink;
use agentmote::mcp::{Device, Identity};
use agentmote::policy::{AllowAll, Credential, Policy, Rules};
use agentmote::server::{Http, HttpConfig, HttpMemory, Server};
use agentmote::task::{
    Journal, Principal, Runtime, Skill, Step, TaskMemory, TaskRules, Tasks, Work,
};
use agentmote::time::Instant;

struct Lamp;

impl Journal for Lamp {}

impl Runtime for Lamp {
    const SKILLS: &'static [Skill<Self>] =
        &[Skill::new("light", "Light", "Waits.", &["lamp"], wait)];
}

fn wait(_: &mut Lamp, work: &mut Work<'_>) -> Step {
    work.ask("go on?")
}

static AGENT: Agent<Lamp> = Agent::new(Card::new("lamp", "A lamp.", "1", "http://localhost/a2a/"));

const NOW: Instant = Instant::from_millis(0);

/// One whole exchange; gives the length of its answer in `out`.
fn ask(tasks: &mut Tasks<'_>, caller: u32, body: &[u8], out: &mut [u8]) -> usize {
    let facts = Facts {
        caller: Caller {
            principal: Principal {
                id: caller,
                ..Principal::default()
            },
            ..Caller::default()
        },
        version: Some(b"1.0"),
        extensions: 0,
        buf: body,
        body,
    };
    let mut exchange = Exchange::new();
    exchange.begin(&AGENT, tasks, &mut Lamp, &facts, NOW);
    tasks.run(&mut Lamp, NOW);
    let Next::Answer(reply) = exchange.poll(tasks, NOW) else {
        return 0;
    };
    let mut sink = Sink::new(out);
    let _ = reply.write(&mut sink, &AGENT, tasks, body);
    sink.filled()
}

static DEVICE: Device<()> = Device::new(Identity::new("lamp", "1"), &[]);

/// Shows a credential so many times; gives the last answer.
fn show(whose: &str, calls: u32) -> Result<String, String> {
    // As long as each other, so that only what they are differs.
    const SECRETS: [&[u8]; 3] = [b"secret-0", b"secret-1", b"secret-2"];
    let secret = match whose {
        "unknown" => "secret-9",
        "expired" => "secret-1",
        "revoked" => "secret-2",
        _ => return Err("usage: same-work credential unknown|expired|revoked CALLS".into()),
    };
    let mut policy = Policy::new::<AllowAll>(Rules::NONE);
    for (name, (id, secret)) in ["good", "old", "gone"].into_iter().zip((1..).zip(SECRETS)) {
        let credential = Credential {
            expires: (name == "old").then_some(NOW),
            ..Credential::of_secret(name, secret, id)
        };
        let added = policy.credentials.add(credential);
        added.map_err(|error| error.text())?;
    }
    policy.credentials.revoke("gone");
    let mut server = Server::new(&DEVICE, ()).with_policy(Box::leak(Box::new(policy)));
    let mut memory = HttpMemory::<512, 192>::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {secret}\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    let mut out = [0; 512];
    let mut answer = String::new();
    for call in 0..calls {
        let mut rest = black_box(request.as_bytes());
        let mut filled = 0;
        loop {
            let taken = http.receive(rest);
            rest = &rest[taken..];
            let sent = http.poll(&mut server, NOW, &mut out[filled..]);
            filled += sent;
            if taken == 0 && sent == 0 {
                break;
            }
        }
        if call + 1 == calls {
            answer = String::from_utf8_lossy(&out[..filled]).into_owned();
        }
        black_box(&mut out);
    }
    if calls > 0 && !answer.starts_with("HTTP/1.1 401 ") {
        return Err(format!("wrong answer: {answer}"));
    }
    Ok(answer)
}

fn main() -> Result<(), String> {
    let usage = "usage: same-work METHOD foreign|absent CALLS";
    let mut args = std::env::args().skip(1);
    let method = args.next().ok_or(usage)?;
    let whose = args.next().ok_or(usage)?;
    if method == "credential" {
        let calls = args.next().and_then(|word| word.parse().ok());
        print!("{}", show(&whose, calls.ok_or(usage)?)?);
        return Ok(());
    }
    let absent = match Some(whose.as_str()) {
        Some("foreign") => false,
        Some("absent") => true,
        _ => return Err(usage.into()),
    };
    let calls: u32 = args
        .next()
        .and_then(|word| word.parse().ok())
        .ok_or(usage)?;
    let mut memory = TaskMemory::<8, 1024, 0>::new();
    // The same ids in each run.
    let rules = TaskRules::new(|bytes| {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = (at as u8).wrapping_mul(29).wrapping_add(3);
        }
    });
    let mut tasks = Tasks::new(&mut memory, rules);
    let mut out = [0; 1024];
    let sent = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":
        {"messageId":"m","role":"ROLE_USER","parts":[{"text":"light"}]}}}"#;
    let len = ask(&mut tasks, 1, sent.as_bytes(), &mut out);
    let answer = String::from_utf8_lossy(&out[..len]).into_owned();
    let id = answer
        .split_once("\"task\":{\"id\":\"")
        .and_then(|(_, rest)| rest.get(..32))
        .ok_or(format!("no task: {answer}"))?;
    // The digits of an id that is not there are the same, in another order;
    // and nothing else differs, not even where the request lies in memory.
    let (first, second) = id.split_at(16);
    let (first, second) = if absent {
        (second, first)
    } else {
        (first, second)
    };
    let asked = format!("{first}{second}");
    let member = if method.ends_with("Message") {
        format!(
            "\"message\":{{\"messageId\":\"n\",\"role\":\"ROLE_USER\",\"taskId\":\"{asked}\",\
             \"parts\":[{{\"text\":\"x\"}}]}}"
        )
    } else {
        format!("\"id\":\"{asked}\"")
    };
    let body =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{member}}}}}");
    let mut len = 0;
    for _ in 0..calls {
        len = ask(&mut tasks, 2, black_box(body.as_bytes()), &mut out);
        black_box(&mut out);
    }
    let answer = String::from_utf8_lossy(&out[..len]);
    if calls > 0 && !answer.contains("\"code\":-32001") {
        return Err(format!("wrong answer: {answer}"));
    }
    print!("{answer}");
    Ok(())
}
