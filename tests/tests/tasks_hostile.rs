//! Attackers and clumsy clients of the tasks extension: bad order, bad ids,
//! wrong and replayed answers, connections that are cut at every byte, full
//! tables and memory that is too small. Nothing panics, nothing hangs, nothing
//! acts twice, and the next message works.

use agentmote::server::{Line, LineMemory};
use agentmote::task::Kept;
use agentmote::time::Instant;
use agentmote_tests::peer::lines;
use agentmote_tests::rig::{ALL, ANN, BOB, WAYS, Way, World};
use serde_json::{Value, json};

type Memory = LineMemory<1024, 512, 2, 512>;

fn modern(id: u32, method: &str, params: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params},\"_meta\":{{\
         \"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
         \"io.modelcontextprotocol/clientCapabilities\":{ALL}}}}}}}\n"
    )
}

/// What a line says within so many milliseconds, through windows of `cut`
/// bytes.
fn hear(line: &mut Line<'_>, world: &mut World, cut: usize, millis: u64) -> Vec<u8> {
    let mut all = Vec::new();
    let end = world.now + millis;
    loop {
        let mut out = vec![0; cut];
        let now = world.at();
        let n = line.poll_tasks(&mut world.server, &mut world.desk.tasks, ANN, now, &mut out);
        all.extend_from_slice(&out[..n]);
        if n > 0 {
            continue;
        }
        if world.now >= end {
            return all;
        }
        world.now += 1;
    }
}

/// Sends a request on a line, and gives its answer.
#[track_caller]
fn ask(line: &mut Line<'_>, world: &mut World, method: &str, params: &str) -> Value {
    let text = modern(1, method, params);
    assert_eq!(line.receive(text.as_bytes()), text.len());
    let heard = hear(line, world, 4096, 3);
    let mut all = lines(&heard);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// The second call of `begin`, with the answer to its question.
fn confirmed(line: &mut Line<'_>, world: &mut World) -> String {
    let asked = ask(line, world, "tools/call", r#""name":"begin""#);
    let state = asked["result"]["requestState"].as_str().expect("a state");
    format!(
        r#""name":"begin","requestState":"{state}","inputResponses":{{"begin":{{"action":"accept","content":{{"confirm":true}}}}}}"#
    )
}

/// A peer that goes away while its call becomes a task: the task goes on, and
/// its handler is not told of a cancellation that nobody wished.
#[test]
fn a_call_that_has_become_a_task_is_not_cancelled_with_its_line() {
    for waits in [false, true] {
        let mut world = World::new(Way::Line);
        let mut memory = Memory::new();
        let mut line = Line::new(&mut memory);
        let params = confirmed(&mut line, &mut world);
        let text = modern(2, "tools/call", &params);
        assert_eq!(line.receive(text.as_bytes()), text.len());
        if waits {
            world.server.app.journal = Some(Kept::NotYet);
        }
        let mut out = [0; 16];
        let now = world.at();
        let n = line.poll_tasks(&mut world.server, &mut world.desk.tasks, ANN, now, &mut out);
        assert_eq!(n, if waits { 0 } else { 16 });
        assert_eq!(world.desk.tasks.count(), 1);
        let now = world.at();
        line.reset(&mut world.server, now);
        assert_eq!(world.server.app.stopped, 0);
        assert!(!line.is_working());
        world.server.app.journal = None;
        world.pass(10);
        assert_eq!((world.server.app.begun, world.server.app.stopped), (1, 0));
        let answer = ask(&mut line, &mut world, "tools/call", r#""name":"now""#);
        assert_eq!(answer["result"]["content"][0]["text"], "now");
    }
}

/// What has begun before it asks is told of the wish to stop.
#[test]
fn work_that_asks_in_the_middle_is_told_to_stop() {
    for way in WAYS {
        let mut world = World::new(way);
        let id = world.task("drill", "{}");
        world.pass(10);
        assert_eq!(world.get(&id)["status"], "input_required");
        assert_eq!((world.server.app.begun, world.server.app.stopped), (1, 0));
        world.ann("tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#));
        world.pass(5);
        assert_eq!(world.get(&id)["status"], "cancelled");
        assert_eq!((world.server.app.begun, world.server.app.stopped), (1, 1));
    }
}

/// A task whose place is taken while its answer goes out slowly: the line ends
/// with what was sent, and the next answer stands in a line of its own.
#[test]
fn an_answer_whose_task_was_dropped_does_not_run_into_the_next() {
    for sent in [0, 1, 40] {
        let mut world = World::with::<1, 1536, 512>(Way::Line);
        let id = world.task("weld", "{}");
        world.pass(5);
        let mut memory = Memory::new();
        let mut line = Line::new(&mut memory);
        let text = modern(7, "tasks/get", &format!(r#""taskId":"{id}""#));
        assert_eq!(line.receive(text.as_bytes()), text.len());
        let now = world.at();
        let mut out = vec![0; sent];
        let (server, tasks) = (&mut world.server, &mut world.desk.tasks);
        assert_eq!(line.poll_tasks(server, tasks, ANN, now, &mut out), sent);
        world.now += 600_001;
        let other = world.task("weld", "{}");
        assert_ne!(id, other);
        let rest = hear(&mut line, &mut world, 4096, 1);
        let heard = [out, rest].concat();
        let heard = String::from_utf8(heard).expect("UTF-8");
        assert_eq!(heard.matches('\n').count(), 1, "{heard}");
        assert!(heard.ends_with('\n'), "{heard}");
        if sent == 0 {
            let answer: Value = serde_json::from_str(&heard).expect("JSON");
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
            assert_eq!(answer["id"], 7);
        }
        let answer = ask(&mut line, &mut world, "tools/call", r#""name":"now""#);
        assert_eq!(answer["result"]["content"][0]["text"], "now");
    }
}
