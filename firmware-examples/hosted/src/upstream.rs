//! Another A2A agent as the backend of an extension: asked over HTTP, once
//! for each question, within a time and a size.

use std::fmt;
use std::io::Read as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agentmote::frame::http::Authority;
use agentmote::task::{Backend, TaskId, Told};
use serde_json::{Value, json};

use crate::lock;

/// How long a question may take, all in all, unless told otherwise.
const TIME: Duration = Duration::from_secs(10);
/// How long the connection may take of that.
const CONNECT_TIME: Duration = Duration::from_secs(3);
/// Bytes of an answer of the other agent, with all that it says of the task.
const RESPONSE_BYTES: u64 = 64 * 1024;
/// Questions that are on their way at once. One more is not asked.
const QUESTIONS: usize = 8;
/// How often a task of the other agent is read until it ends.
const LOOK: Duration = Duration::from_millis(200);

/// The other agent, as `OPENTRAINING_A2A_*` name it.
pub struct Upstream {
    peer: Arc<Peer>,
    questions: Arc<Mutex<Vec<Question>>>,
    /// The answer that was told last.
    told: Vec<u8>,
    /// Bytes of the largest answer that is told.
    most: usize,
}

/// The token is not shown.
impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("url", &self.peer.url)
            .finish_non_exhaustive()
    }
}

struct Peer {
    url: String,
    authorization: String,
    project: String,
    time: Duration,
    http: ureq::Agent,
}

struct Question {
    task: TaskId,
    since: Instant,
    answer: Answer,
}

enum Answer {
    Waited,
    Json(Vec<u8>),
    Failed,
}

impl Upstream {
    /// The agent whose JSON-RPC endpoint is at `url`, who knows `token`, asked
    /// about `project` (empty for none); an answer has at most `most` bytes.
    ///
    /// # Errors
    /// What is wrong with the URL or the token.
    pub fn new(url: &str, token: &str, project: &str, most: usize) -> Result<Self, &'static str> {
        Self::within(TIME, url, token, project, most)
    }

    /// The same, of which a question may take so long.
    fn within(
        time: Duration,
        url: &str,
        token: &str,
        project: &str,
        most: usize,
    ) -> Result<Self, &'static str> {
        let local = url.strip_prefix("http://").map(authority_of);
        let local = local.is_some_and(|found| found.is_some_and(is_local));
        if !url.starts_with("https://") && !local {
            return Err("must begin with https://, or with http:// and this machine");
        }
        if url.strip_prefix("https://").map(authority_of) == Some(None)
            || !url.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err("must be like https://host/path, in ASCII and without a user name");
        }
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("needs a token, which has no spaces");
        }
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(time))
            .timeout_connect(Some(CONNECT_TIME))
            // A token goes to nobody but to whom it is for.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            // A connection that is used again may be dead, and what was sent
            // over it would be sent again.
            .max_idle_connections(0);
        if local {
            config = config.proxy(None);
        }
        Ok(Self {
            peer: Arc::new(Peer {
                url: url.to_owned(),
                authorization: format!("Bearer {token}"),
                project: project.to_owned(),
                time,
                http: config.build().into(),
            }),
            questions: Arc::default(),
            told: Vec::new(),
            most,
        })
    }
}

/// The host and port of a URL without its scheme.
fn authority_of(rest: &str) -> Option<Authority<'_>> {
    let authority = rest.split(['/', '?', '#']).next()?;
    Authority::parse(authority.as_bytes())
}

/// Whether it is this machine.
fn is_local(authority: Authority<'_>) -> bool {
    matches!(authority.host, b"127.0.0.1" | b"localhost" | b"[::1]")
}

impl Backend for Upstream {
    fn ask(
        &mut self,
        task: TaskId,
        operation: &str,
        params: &[u8],
        _: agentmote::time::Instant,
    ) -> bool {
        let Ok(params) = serde_json::from_slice::<Value>(params) else {
            return false;
        };
        let mut questions = lock(&self.questions);
        // Nobody fetches the answer of a task that was cancelled.
        questions.retain(|one| one.since.elapsed() < self.peer.time + LOOK);
        if questions.len() >= QUESTIONS {
            return false;
        }
        let (peer, all) = (Arc::clone(&self.peer), Arc::clone(&self.questions));
        let (operation, most) = (operation.to_owned(), self.most);
        let thread = std::thread::Builder::new().spawn(move || {
            let answer = peer.ask(task, &operation, params);
            let answer = answer.and_then(|json| serde_json::to_vec(&json).ok());
            let mut all = lock(&all);
            if let Some(one) = all.iter_mut().find(|one| one.task == task) {
                one.answer = match answer {
                    Some(json) if json.len() <= most => Answer::Json(json),
                    _ => Answer::Failed,
                };
            }
        });
        if thread.is_err() {
            return false;
        }
        questions.push(Question {
            task,
            since: Instant::now(),
            answer: Answer::Waited,
        });
        true
    }

    fn told(&mut self, task: TaskId, _: agentmote::time::Instant) -> Told<'_> {
        let mut questions = lock(&self.questions);
        let Some(at) = questions.iter().position(|one| one.task == task) else {
            return Told::Failed;
        };
        if let (Answer::Waited, true) = (
            &questions[at].answer,
            questions[at].since.elapsed() < self.peer.time + LOOK,
        ) {
            return Told::Wait;
        }
        match questions.swap_remove(at).answer {
            Answer::Json(json) => {
                self.told = json;
                Told::Json(&self.told)
            }
            Answer::Waited | Answer::Failed => Told::Failed,
        }
    }
}

impl Peer {
    /// Sends one question, once, and reads its task until it has ended. What
    /// goes wrong is not told apart: nothing of it is for a caller.
    fn ask(&self, task: TaskId, operation: &str, params: Value) -> Option<Value> {
        let end = Instant::now() + self.time;
        let id: String = task
            .as_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut data = json!({"operation": operation, "params": params});
        if !self.project.is_empty() {
            data["project"] = json!(self.project);
        }
        let message = json!({
            "kind": "message",
            "role": "user",
            // The same id for the same question, were it ever sent again.
            "messageId": id,
            "parts": [{"kind": "data", "data": data}],
        });
        let configuration = json!({"blocking": true, "acceptedOutputModes": ["application/json"]});
        let params = json!({"message": message, "configuration": configuration});
        let mut result = self.call("message/send", params, end)?;
        loop {
            if result["kind"] == "message" {
                return first_data(&result["parts"]);
            }
            match result["status"]["state"].as_str()? {
                "completed" => {
                    let artifacts = result["artifacts"].as_array()?;
                    return artifacts.iter().find_map(|one| first_data(&one["parts"]));
                }
                // To read a task changes nothing.
                "submitted" | "working" => {
                    let task = result["id"].as_str()?.to_owned();
                    std::thread::sleep(LOOK);
                    result = self.call("tasks/get", json!({"id": task}), end)?;
                }
                _ => return None,
            }
        }
    }

    fn call(&self, method: &str, params: Value, end: Instant) -> Option<Value> {
        let left = end.checked_duration_since(Instant::now())?;
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = self
            .http
            .post(&self.url)
            .config()
            .timeout_global(Some(left))
            .build()
            .header("Content-Type", "application/json")
            .header("Accept", "application/json")
            .header("Authorization", &self.authorization);
        let mut response = request.send(body.to_string()).ok()?;
        if response.status().as_u16() != 200 {
            return None;
        }
        let mut text = Vec::new();
        let reader = response.body_mut().as_reader();
        let read = reader
            .take(RESPONSE_BYTES + 1)
            .read_to_end(&mut text)
            .ok()?;
        if read as u64 > RESPONSE_BYTES {
            return None;
        }
        let mut answer: Value = serde_json::from_slice(&text).ok()?;
        let fine = answer["jsonrpc"] == "2.0" && answer["id"] == 1 && answer["error"].is_null();
        fine.then(|| answer["result"].take())
            .filter(Value::is_object)
    }
}

/// The first data among parts.
fn first_data(parts: &Value) -> Option<Value> {
    let mut parts = parts.as_array()?.iter();
    parts.find_map(|part| part.get("data").filter(|data| data.is_object()).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A peer that takes the question and says nothing is given up.
    #[test]
    fn a_question_has_its_time() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let time = Duration::from_millis(100);
        let mut upstream = Upstream::within(time, &url, "t", "", 100).unwrap();
        let (task, now) = (
            TaskId::from_bytes([7; 16]),
            agentmote::time::Instant::from_millis(0),
        );
        let begun = Instant::now();
        assert!(upstream.ask(task, "supervisor.health", b"{}", now));
        // Held open until the end of the test.
        let held = listener.accept().unwrap();
        while upstream.told(task, now) == Told::Wait {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(begun.elapsed() >= time && begun.elapsed() < TIME);
        assert_eq!(upstream.told(task, now), Told::Failed);
        drop(held);
        // No more than so many are on their way.
        for turn in 0..=QUESTIONS {
            let task = TaskId::from_bytes([turn as u8; 16]);
            let asked = upstream.ask(task, "supervisor.health", b"{}", now);
            assert_eq!(asked, turn < QUESTIONS);
        }
        // Those of tasks that were cancelled hold no place beyond their time.
        std::thread::sleep(time + LOOK);
        let task = TaskId::from_bytes([99; 16]);
        assert!(upstream.ask(task, "supervisor.health", b"{}", now));
    }

    #[test]
    fn only_this_machine_is_asked_without_tls() {
        let made = |url| Upstream::new(url, "t", "", 100).map(|_| ());
        for fine in [
            "https://training.example/a2a/",
            "http://127.0.0.1:8080/a2a/",
            "http://localhost",
            "http://[::1]:1/",
            "http://[::1]/",
        ] {
            assert_eq!(made(fine), Ok(()), "{fine}");
        }
        for wrong in [
            "http://training.example/",
            "http://127.0.0.1.example/",
            "http://127.0.0.1@example/",
            "http://localhost:x@example/",
            "ftp://localhost/",
            "",
            "https://",
            "https:///a2a/",
            "https://training example/",
            "https://training.example/a b",
            "https://user:word@training.example/",
            "https://training.example:99999/",
            "http://localhost:/\r\n",
        ] {
            assert!(made(wrong).is_err(), "{wrong}");
        }
        assert!(Upstream::new("https://x/", "", "", 1).is_err());
        assert!(Upstream::new("https://x/", "a\r\nb: c", "", 1).is_err());
        let shown = Upstream::new("https://x/", "secret-token", "", 1).unwrap();
        assert!(!format!("{shown:?}").contains("secret-token"));
    }
}
