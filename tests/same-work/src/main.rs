//! Asks again and again for a task, as one who may not see it: with `foreign`
//! it is a task of another, with `absent` there is none. `cargo xtask
//! same-work` counts the instructions of both, which must be as many (A-198).

#![forbid(unsafe_code)]

use std::hint::black_box;

use agentmote::a2a::{Agent, Caller, Card, Exchange, Facts, Next};
use agentmote::buf::Sink;
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

fn main() -> Result<(), String> {
    let usage = "usage: same-work METHOD foreign|absent CALLS";
    let mut args = std::env::args().skip(1);
    let method = args.next().ok_or(usage)?;
    let absent = match args.next().as_deref() {
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
