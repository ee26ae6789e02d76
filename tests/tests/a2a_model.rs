//! Random operations of several callers against a simple model of tasks: no
//! task of another is ever seen, and no state is left that may not be.
//!
//! `AGENTMOTE_MODEL_OPERATIONS` sets how many operations are made.

use std::collections::HashMap;

use agentmote::a2a::Caller;
use agentmote_tests::a2a::{World, caller, request};
use serde_json::Value;

/// Operations of the default run.
const OPERATIONS: u64 = 6_000;

/// A seeded generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// What the model knows of a task.
#[derive(Debug)]
struct Known {
    id: String,
    context: String,
    owner: usize,
    /// The text of its first message.
    first: &'static str,
    /// What its skill does.
    text: &'static str,
    /// The last state that was seen.
    state: String,
    /// The messages of its owner, by their ids.
    messages: Vec<String>,
    /// When it was seen open last.
    open: u64,
    /// Its last whole projection, once it has ended.
    last: Option<Value>,
    /// Its owner was told that there is no such task.
    gone: bool,
}

const SLOTS: usize = 6;
const RETENTION: u64 = 600_000;
const TEXTS: &[&str] = &[
    "calibrate",
    "home",
    "do it",
    "do ask",
    "do fail",
    "do leave",
    "do wait",
    "do stubborn",
    "nothing known",
];
const ENDS: &[&str] = &["COMPLETED", "FAILED", "CANCELED", "REJECTED"];

fn ends(state: &str) -> bool {
    ENDS.contains(&state)
}

fn order(state: &str) -> u8 {
    match state {
        "SUBMITTED" => 0,
        _ if ends(state) => 2,
        _ => 1,
    }
}

/// Whether a task may have come from one state to the other, with any
/// number of moves between.
fn reachable(from: &str, to: &str) -> bool {
    from == to || order(from) < order(to) || order(from) == 1 && order(to) == 1
}

struct Model {
    world: World,
    random: Random,
    callers: Vec<Caller<'static>>,
    /// The newer ones.
    tasks: Vec<Known>,
    /// Whose each task ever was.
    owners: HashMap<String, usize>,
    sent: u64,
    /// How often each thing was seen.
    seen: [u64; 8],
}

impl Model {
    fn call(&mut self, who: usize, method: &str, params: &str) -> Value {
        // On either wire.
        let (version, method) = match (self.random.below(3), method) {
            (0, "GetTask") => (None, "tasks/get"),
            (0, "CancelTask") => (None, "tasks/cancel"),
            _ => (Some("1.0"), method),
        };
        let body = request(method, params);
        self.world
            .send(self.callers[who], version, &body, 60_000)
            .json()
    }

    /// Makes sure that a projection fits what is known of the task.
    fn check(&mut self, at: usize, task: &Value) {
        let state = task["status"]["state"].as_str().unwrap();
        let state = state
            .strip_prefix("TASK_STATE_")
            .map_or_else(|| state.to_uppercase().replace('-', "_"), str::to_owned);
        let now = self.world.now;
        let known = &mut self.tasks[at];
        assert_eq!(task["id"], known.id.as_str());
        assert_eq!(task["contextId"], known.context.as_str());
        assert!(reachable(&known.state, &state), "{known:?} became {state}");
        if state == "COMPLETED" {
            assert!(!task["artifacts"].as_array().unwrap().is_empty(), "P-015");
        }
        if state == "FAILED" {
            assert!(
                task["status"]["message"]["parts"][0]["text"].is_string(),
                "P-016"
            );
        }
        if state == "CANCELED" && known.state == "WORKING" {
            assert_ne!(known.text, "do stubborn", "P-017");
        }
        known.state.clone_from(&state);
        if !ends(&state) {
            known.open = now;
        }
        // The messages of the owner, all of them, in order.
        if let Some(history) = task.get("history") {
            let ids: Vec<_> = history
                .as_array()
                .unwrap()
                .iter()
                .filter(|one| one["role"] == "ROLE_USER" || one["role"] == "user")
                .map(|one| one["messageId"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(ids, known.messages);
        }
        // the end is the end.
        if ends(&known.state) && task.get("kind").is_none() {
            match &known.last {
                Some(last) => assert_eq!(last, task),
                None => known.last = Some(task.clone()),
            }
        }
    }

    /// Whether the agent may have dropped the task.
    fn may_be_gone(&self, at: usize) -> bool {
        let known = &self.tasks[at];
        // Others wait for something that did not come, as long as it takes.
        let ends = ends(&known.state)
            || ["home", "do it", "do fail", "do stubborn"].contains(&known.text)
            || known.text == "calibrate" && known.messages.len() > 1;
        ends && self.world.now >= known.open + RETENTION
    }

    fn send(&mut self) {
        let who = self.random.below(self.callers.len());
        self.sent += 1;
        // Mostly the same text for the same id, as one who sends again.
        let text = match self.random.below(4) {
            0 => TEXTS[self.random.below(TEXTS.len())],
            _ => TEXTS[(self.sent / 3) as usize % TEXTS.len()],
        };
        // Ids of messages are the sender's own: others use the same.
        let id = format!("m-{}", self.sent / 3);
        let at_once = self.random.below(2) == 0;
        let before = self.world.now;
        let params = format!(
            "{{\"message\":{{\"messageId\":\"{id}\",\"role\":\"ROLE_USER\",\"parts\":[{{\"text\":\"{text}\"}}]}},\
             \"configuration\":{{\"returnImmediately\":{at_once}}}}}"
        );
        let body = request("SendMessage", &params);
        let got = self
            .world
            .send(self.callers[who], Some("1.0"), &body, 60_000)
            .json();
        if let Some(error) = got.get("error") {
            let code = error["code"].as_i64().unwrap();
            // A full table, or the id of another message of his.
            assert!(code == -32603 || code == -32602, "{got}");
            if code == -32603 {
                self.seen[0] += 1;
                assert_eq!(self.world.tasks.count(), SLOTS);
            } else {
                let his = |one: &Known| one.owner == who && one.messages.contains(&id);
                assert!(self.tasks.iter().any(his), "{got}");
            }
            return;
        }
        let task = got["result"]["task"].clone();
        let task_id = task["id"].as_str().unwrap().to_owned();
        let known = self.tasks.iter().position(|one| one.id == task_id);
        let at = match known {
            Some(at) => {
                // Sent again.
                self.seen[1] += 1;
                assert_eq!((self.tasks[at].owner, self.tasks[at].first), (who, text));
                assert!(self.tasks[at].messages.contains(&id));
                at
            }
            None => {
                let before_him = self.owners.insert(task_id.clone(), who);
                assert_eq!(before_him, None, "an id that was there before");
                self.tasks.push(Known {
                    id: task_id,
                    context: task["contextId"].as_str().unwrap().to_owned(),
                    owner: who,
                    first: text,
                    text,
                    state: "SUBMITTED".to_owned(),
                    messages: vec![id],
                    open: before,
                    last: None,
                    gone: false,
                });
                self.tasks.len() - 1
            }
        };
        self.check(at, &task);
    }

    fn follow(&mut self) {
        let Some((who, at)) = self.pick() else { return };
        self.sent += 1;
        let id = format!("f-{}", self.sent);
        let params = format!(
            "{{\"message\":{{\"messageId\":\"{id}\",\"role\":1,\"taskId\":\"{}\",\"parts\":[{{\"text\":\"do it\"}}]}},\
             \"configuration\":{{\"returnImmediately\":true}}}}",
            self.tasks[at].id
        );
        let body = request("SendMessage", &params);
        let got = self
            .world
            .send(self.callers[who], Some("1.0"), &body, 60_000)
            .json();
        if self.refused(who, at, &got) {
            return;
        }
        if let Some(error) = got.get("error") {
            // It works, is finished, or has no room.
            let code = error["code"].as_i64().unwrap();
            assert!(code == -32004 || code == -32602, "{got}");
            return;
        }
        self.seen[2] += 1;
        let known = &mut self.tasks[at];
        assert!(
            ["INPUT_REQUIRED", "AUTH_REQUIRED", "SUBMITTED", "WORKING"].contains(&&*known.state)
        );
        known.messages.push(id);
        // It does now what the new message says.
        if known.text.starts_with("do") {
            known.text = "do it";
        }
        let task = got["result"]["task"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_WORKING");
        self.check(at, &task);
    }

    /// A task and someone who asks for it: its owner mostly.
    fn pick(&mut self) -> Option<(usize, usize)> {
        // Newer ones mostly: older ones are gone.
        let count = self.tasks.len().min(3 * SLOTS);
        if count == 0 {
            return None;
        }
        let at = self.tasks.len() - 1 - self.random.below(count);
        let who = match self.random.below(3) {
            0 => self.random.below(self.callers.len()),
            _ => self.tasks[at].owner,
        };
        Some((who, at))
    }

    /// Whether the answer is that there is no such task; makes sure that it
    /// is for the right ones.
    fn refused(&mut self, who: usize, at: usize, got: &Value) -> bool {
        let none = got["error"]["code"] == -32001;
        if self.tasks[at].owner != who {
            self.seen[3] += 1;
            assert!(none, "a task of another: {got}");
        } else if none {
            self.seen[4] += 1;
            assert!(self.may_be_gone(at), "{:?} is gone", self.tasks[at]);
            self.tasks[at].gone = true;
        } else {
            assert!(!self.tasks[at].gone, "{:?} is back", self.tasks[at]);
        }
        none
    }

    fn get(&mut self) {
        let Some((who, at)) = self.pick() else { return };
        let params = format!("{{\"id\":\"{}\"}}", self.tasks[at].id);
        let got = self.call(who, "GetTask", &params);
        if !self.refused(who, at, &got) {
            let task = got["result"].clone();
            self.check(at, &task);
        }
    }

    fn cancel(&mut self) {
        if let Some((who, at)) = self.pick() {
            self.cancel_as(who, at);
        }
    }

    fn cancel_as(&mut self, who: usize, at: usize) {
        let params = format!("{{\"id\":\"{}\"}}", self.tasks[at].id);
        let got = self.call(who, "CancelTask", &params);
        if self.refused(who, at, &got) {
            return;
        }
        if let Some(error) = got.get("error") {
            assert_eq!(error["code"], -32002, "{got}");
            return;
        }
        self.seen[5] += 1;
        let task = got["result"].clone();
        self.check(at, &task);
    }

    /// Everyone gives up what he has, and the time of all of it passes.
    fn sweep(&mut self) {
        for at in self.tasks.len().saturating_sub(3 * SLOTS)..self.tasks.len() {
            let who = self.tasks[at].owner;
            self.cancel_as(who, at);
        }
        self.world.pass(RETENTION);
    }

    fn list(&mut self) {
        let who = self.random.below(self.callers.len());
        let size = 1 + self.random.below(SLOTS + 2);
        let mut token = String::new();
        let mut all = Vec::new();
        loop {
            let params = format!("{{\"pageSize\":{size},\"pageToken\":\"{token}\"}}");
            let body = request("ListTasks", &params);
            let got = self
                .world
                .send(self.callers[who], Some("1.0"), &body, 1)
                .json();
            let page = &got["result"];
            for task in page["tasks"].as_array().unwrap() {
                all.push(task["id"].as_str().unwrap().to_owned());
            }
            let total = page["totalSize"].as_u64().unwrap() as usize;
            token = page["nextPageToken"].as_str().unwrap().to_owned();
            if token.is_empty() {
                assert_eq!(all.len(), total);
                break;
            }
            assert_eq!(page["tasks"].as_array().unwrap().len(), size);
        }
        self.seen[6] += 1;
        let mut unique = all.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), all.len());
        for id in &all {
            assert_eq!(self.owners[id], who, "a task of another is listed");
        }
        // Whatever may not be gone is there.
        for at in 0..self.tasks.len() {
            let known = &self.tasks[at];
            if known.owner != who {
                continue;
            }
            if all.contains(&known.id) {
                assert!(!known.gone, "{known:?} is back");
            } else {
                assert!(self.may_be_gone(at), "{known:?} is not listed");
                self.tasks[at].gone = true;
            }
        }
    }

    /// Drops what is known to be gone and is not asked for any more, so that
    /// the work of an operation does not grow with those before it.
    fn forget(&mut self) {
        if self.tasks.len() > 8 * SLOTS {
            let newer = self.tasks.split_off(self.tasks.len() - 3 * SLOTS);
            self.tasks.retain(|one| !one.gone);
            self.tasks.extend(newer);
        }
    }
}

#[test]
fn random_operations_of_several_callers_agree_with_the_model() {
    let operations = std::env::var("AGENTMOTE_MODEL_OPERATIONS").map_or(OPERATIONS, |text| {
        text.parse().expect("a number of operations")
    });
    let mut model = Model {
        world: World::new::<SLOTS>(),
        random: Random(0x5EED),
        // Two tenants, and the same person in both.
        callers: vec![
            caller(1, 1, 0),
            caller(2, 1, 0),
            caller(1, 2, 0),
            caller(3, 2, 7),
        ],
        tasks: Vec::new(),
        owners: HashMap::new(),
        sent: 0,
        seen: [0; 8],
    };
    model.world.agent.wait_ms = 2_000;
    model.world.window = 700;
    for _ in 0..operations {
        match model.random.below(12) {
            0..=2 => model.send(),
            3 | 4 => model.follow(),
            5..=7 => model.get(),
            8 | 9 => model.cancel(),
            10 => model.list(),
            _ if model.random.below(4) == 0 => model.sweep(),
            _ => {
                let millis = [1, 50, 1_000, 60_000, 700_000][model.random.below(5)];
                model.world.pass(millis);
                model.seen[7] += 1;
            }
        }
        model.forget();
    }
    // The run has met everything that it is about.
    assert!(
        model.seen.iter().all(|count| *count > 10),
        "{:?}",
        model.seen
    );
}
