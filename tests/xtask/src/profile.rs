//! The end-to-end proof that the OpenAgent profile asks for (P-072), with two
//! tenants: against the host demo, and against an emulated board, where HTTP
//! goes over the UART.
//!
//! 1. input reaches the runtime;
//! 2. status is durable and monotonic;
//! 3. output is in an artifact;
//! 4. cancellation reaches the work, with its true outcome;
//! 5. only authorized tools are listed and can be called;
//! 6. reads and writes across tenants fail without a leak.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::child::{Job, Log, Running, free_port};
use crate::demo;
use crate::firmware;
use crate::packages;
use crate::paths;
use crate::qemu;
use crate::stop::{Doing, Stop};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a task may take.
const WORK: Duration = Duration::from_secs(60);

/// Two callers of one tenant, of whom one may not move the arm, and one of
/// another. The board knows the same.
const CREDENTIALS: &str = "\
ann  lab-a  mcp,a2a,move  key-of-ann
bob  lab-b  mcp,a2a,move  key-of-bob
eve  lab-a  mcp,a2a       key-of-eve
";
const ANN: &str = "Authorization: Bearer key-of-ann\r\n";
const BOB: &str = "X-API-KEY: key-of-bob\r\n";
const EVE: &str = "Authorization: Bearer key-of-eve\r\n";

/// An id that no task has.
const NO_TASK: &str = "0123456789abcdef0123456789abcdef";

/// An answer of HTTP.
#[derive(Debug, PartialEq)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

/// What answers requests, one after the other.
trait Wire {
    /// Sends a request; gives all bytes of its answer.
    fn exchange(&mut self, request: &[u8]) -> Result<Vec<u8>, Stop>;
}

/// A connection for each request.
struct Tcp(u16);

impl Wire for Tcp {
    fn exchange(&mut self, request: &[u8]) -> Result<Vec<u8>, Stop> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.0)).doing("connecting")?;
        stream.set_read_timeout(Some(PATIENCE)).doing("reading")?;
        stream.write_all(request).doing("writing")?;
        let mut bytes = Vec::new();
        let mut room = [0; 4096];
        while whole(&bytes).is_none() {
            match stream.read(&mut room).doing("reading")? {
                0 => break,
                count => bytes.extend_from_slice(&room[..count]),
            }
        }
        Ok(bytes)
    }
}

/// One connection that stays, over the UART of an emulated board.
struct Uart {
    _board: Running,
    to: ChildStdin,
    from: Receiver<Vec<u8>>,
}

impl Uart {
    fn start(image: &Path, log: &mut Log) -> Result<Self, Stop> {
        let mut board = qemu::lm3s6965evb(image).talk(log)?;
        let (Some(to), Some(mut stdout)) = (board.stdin(), board.stdout()) else {
            return Err(Stop::Fail("no pipes to the emulator".into()));
        };
        let (send, from) = mpsc::channel();
        // Ends with the emulator.
        std::thread::spawn(move || {
            let mut room = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut room) {
                if send.send(room[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut uart = Self {
            _board: board,
            to,
            from,
        };
        // The emulated UART forgets its first byte if that comes before the
        // firmware has switched the FIFO on: this asks for nothing, with or
        // without its first letter.
        uart.exchange(b"XGET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")?;
        Ok(uart)
    }
}

impl Wire for Uart {
    fn exchange(&mut self, request: &[u8]) -> Result<Vec<u8>, Stop> {
        self.to.write_all(request).doing("writing")?;
        self.to.flush().doing("writing")?;
        let mut bytes = Vec::new();
        while whole(&bytes).is_none() {
            let more = self.from.recv_timeout(PATIENCE);
            bytes.extend(more.map_err(|_| {
                let came = String::from_utf8_lossy(&bytes).into_owned();
                Stop::Fail(format!("no whole answer of the board: {came}"))
            })?);
        }
        Ok(bytes)
    }
}

/// The answer in these bytes, once it is whole.
fn whole(bytes: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("Content-Length: "))?;
    (body.len() >= length.parse().ok()?).then(|| Answer {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

/// A client, and all that it was told.
struct Client<W> {
    wire: W,
    heard: Vec<u8>,
}

impl<W: Wire> Client<W> {
    fn ask(&mut self, request: &str) -> Result<Answer, Stop> {
        let bytes = self.wire.exchange(request.as_bytes())?;
        self.heard.extend_from_slice(&bytes);
        whole(&bytes).ok_or_else(|| {
            let came = String::from_utf8_lossy(&bytes);
            Stop::Fail(format!("sent: {request}\nno answer: {came}"))
        })
    }

    fn post(&mut self, path: &str, fields: &str, body: &str) -> Result<Answer, Stop> {
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Accept: application/json\r\n{fields}Content-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// A request of A2A: of 1.x, or of 0.3 if its method has a slash. Gives
    /// the bytes of the body.
    fn a2a(&mut self, who: &str, method: &str, params: &str) -> Result<String, Stop> {
        let version = match method.contains('/') {
            true => "",
            false => "A2A-Version: 1.0\r\n",
        };
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let answer = self.post("/a2a/", &format!("{who}{version}"), &body)?;
        must(answer.status == 200, "A2A answers 200", &answer)?;
        Ok(answer.body)
    }

    fn call(&mut self, who: &str, method: &str, params: &str) -> Result<Value, Stop> {
        let body = self.a2a(who, method, params)?;
        serde_json::from_str(&body).map_err(|error| Stop::Fail(format!("{error}: {body}")))
    }

    /// A request of MCP of the modern era, with the headers that it needs.
    fn mcp(&mut self, who: &str, method: &str, name: &str) -> Result<Answer, Stop> {
        let (header, member) = match name {
            "" => (String::new(), String::new()),
            name => (
                format!("Mcp-Name: {name}\r\n"),
                format!(r#""name":"{name}","#),
            ),
        };
        let fields =
            format!("{who}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{header}");
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{member}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"proof","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        self.post("/mcp", &fields, &body)
    }

    /// The task of that id.
    fn get(&mut self, who: &str, id: &str) -> Result<Value, Stop> {
        let answer = self.call(who, "GetTask", &format!(r#"{{"id":"{id}"}}"#))?;
        Ok(answer["result"].clone())
    }

    /// Asks for a task until it is in one of these states, and makes sure
    /// that it never goes back.
    fn follow(&mut self, who: &str, id: &str, until: &[&str]) -> Result<Value, Stop> {
        let start = Instant::now();
        let mut steps = 0;
        loop {
            let task = self.get(who, id)?;
            let state = state(&task).to_owned();
            let step = ORDER.iter().position(|known| *known == state);
            let step =
                step.ok_or_else(|| Stop::Fail(format!("a task in state {state}: {task}")))?;
            must(step >= steps, "status goes forward (2)", &task)?;
            steps = step;
            if until.contains(&state.as_str()) {
                return Ok(task);
            }
            must(start.elapsed() < WORK, "a task ends", &task)?;
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The order of states of a task that is asked once.
const ORDER: [&str; 7] = [
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_FAILED",
    "TASK_STATE_REJECTED",
];

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap_or("")
}

fn must(is: bool, what: &str, came: &dyn std::fmt::Debug) -> Result<(), Stop> {
    if is {
        return Ok(());
    }
    Err(Stop::Fail(format!("not so: {what}\ncame: {came:?}")))
}

/// The parameters of a message; to a task, if `task` names one.
fn message(id: &str, task: &str, text: &str) -> String {
    let task = match task {
        "" => String::new(),
        task => format!(r#""taskId":"{task}","#),
    };
    format!(
        r#"{{"message":{{"messageId":"{id}",{task}"role":"ROLE_USER","parts":[{{"text":"{text}"}}]}},"configuration":{{"returnImmediately":true}}}}"#
    )
}

/// The step against the host; gives a note.
pub(crate) fn host(log: &mut Log) -> Result<String, Stop> {
    let program = demo::build_bench_arm(log)?;
    let folder = paths::target().join("profile");
    std::fs::create_dir_all(&folder).doing(folder.display())?;
    let list = folder.join("credentials");
    let audit = folder.join("audit");
    std::fs::write(&list, CREDENTIALS).doing(list.display())?;
    // What an earlier run has left.
    let _ = std::fs::remove_file(&audit);
    let port = free_port()?;
    let mut said = Log::file("profile-demo")?;
    let job = Job::new(program).arg("--port").arg(port.to_string());
    let job = job
        .arg("--credentials")
        .arg(&list)
        .arg("--audit")
        .arg(&audit);
    let mut running = job.serve(&mut said)?;
    running.wait_for_port(port)?;
    let mut client = Client {
        wire: Tcp(port),
        heard: Vec::new(),
    };
    let tasks = prove(&mut client)?;
    let count = audited(&audit, &tasks)?;
    revoked(&mut client, &list)?;
    let written = std::fs::read_to_string(&audit).doing(audit.display())?;
    for secret in ["key-of-ann", "key-of-bob", "key-of-eve", "key-of-new"] {
        must(
            !written.contains(secret),
            "no secret in the audit file",
            &secret,
        )?;
        must(
            !said.text().contains(secret),
            "no secret on the console",
            &secret,
        )?;
        let heard = String::from_utf8_lossy(&client.heard);
        must(!heard.contains(secret), "no secret in an answer", &secret)?;
    }
    Ok(format!("six points, two tenants, {count} events"))
}

/// The step against the board; gives a note.
pub(crate) fn board(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::QEMU_ARM], log)?;
    let (image, _) = firmware::bench_arm_with(&["policy", "a2a", "test-ids"], log)?;
    let copy: PathBuf = image.with_extension("profile");
    std::fs::copy(&image, &copy).doing(copy.display())?;
    // The image without any feature is what other steps want to find.
    firmware::bench_arm_image(log)?;
    let mut client = Client {
        wire: Uart::start(&copy, log)?,
        heard: Vec::new(),
    };
    prove(&mut client)?;
    let heard = String::from_utf8_lossy(&client.heard);
    for secret in ["key-of-ann", "key-of-bob", "key-of-eve"] {
        must(!heard.contains(secret), "no secret in an answer", &secret)?;
    }
    Ok(format!(
        "six points, two tenants, {} bytes from the board",
        client.heard.len()
    ))
}

/// All six points; gives the ids of the tasks of Ann: the one that was done,
/// and the one that was stopped.
fn prove(client: &mut Client<impl Wire>) -> Result<[String; 2], Stop> {
    // Discovery is open; nothing else is (P-025, P-027).
    let card =
        client.ask("GET /.well-known/agent-card.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")?;
    must(
        card.status == 200 && card.body.contains("calibrate"),
        "the card is open",
        &card,
    )?;
    for path in ["/mcp", "/a2a/"] {
        for who in ["", "X-API-KEY: key-of-mal\r\n"] {
            let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
            let answer = client.post(path, who, ping)?;
            let challenge = answer.head.contains("WWW-Authenticate: Bearer realm=");
            must(
                answer.status == 401 && challenge,
                "a credential is needed",
                &answer,
            )?;
        }
    }
    let done = work(client)?;
    let stopped = stop(client)?;
    tools(client)?;
    tenants(client, &done)?;
    Ok([done, stopped])
}

/// Points 1 to 3.
fn work(client: &mut Client<impl Wire>) -> Result<String, Stop> {
    let answer = client.call(ANN, "SendMessage", &message("m-1", "", "calibrate the arm"))?;
    let task = &answer["result"]["task"];
    let id = task["id"].as_str().unwrap_or("").to_owned();
    must(id.len() == 32, "a task is made (1)", &answer)?;
    let task = client.follow(ANN, &id, &["TASK_STATE_INPUT_REQUIRED"])?;
    let question = task["status"]["message"]["parts"][0]["text"].as_str();
    let asks = question.is_some_and(|text| text.starts_with("Calibration moves every joint"));
    must(asks, "the runtime has the message, and asks (1)", &task)?;
    client.call(ANN, "SendMessage", &message("m-2", &id, "yes"))?;
    let task = client.follow(ANN, &id, &["TASK_STATE_COMPLETED"])?;
    let data = &task["artifacts"][0]["parts"][0]["data"];
    must(data["joints"] == 6, "the output is an artifact (3)", &task)?;
    must(
        data["millis"].as_u64().is_some_and(|millis| millis > 500),
        "the arm has moved (1)",
        &task,
    )?;
    for _ in 0..3 {
        let again = client.get(ANN, &id)?;
        must(again == task, "what has ended stays as it is (2)", &again)?;
    }
    // The same message again is the same task (A-126).
    let again = client.call(ANN, "SendMessage", &message("m-1", "", "calibrate the arm"))?;
    must(
        again["result"]["task"]["id"] == id.as_str(),
        "a message counts once",
        &again,
    )?;
    let late = client.call(ANN, "CancelTask", &format!(r#"{{"id":"{id}"}}"#))?;
    must(
        late["error"]["code"] == -32002,
        "what has ended cannot be stopped (4)",
        &late,
    )?;
    Ok(id)
}

/// Point 4.
fn stop(client: &mut Client<impl Wire>) -> Result<String, Stop> {
    let answer = client.call(ANN, "SendMessage", &message("m-3", "", "calibrate the arm"))?;
    let id = answer["result"]["task"]["id"]
        .as_str()
        .unwrap_or("")
        .to_owned();
    client.follow(ANN, &id, &["TASK_STATE_INPUT_REQUIRED"])?;
    client.call(ANN, "SendMessage", &message("m-4", &id, "yes"))?;
    client.follow(ANN, &id, &["TASK_STATE_WORKING"])?;
    let busy = client.mcp(ANN, "tools/call", "arm_home")?;
    // The arm moves for the task: it takes nothing else.
    must(
        busy.body.contains("still moving"),
        "the work goes on (4)",
        &busy,
    )?;
    let answer = client.call(ANN, "CancelTask", &format!(r#"{{"id":"{id}"}}"#))?;
    let is = state(&answer["result"]) == "TASK_STATE_CANCELED";
    must(is, "the work is stopped (4)", &answer)?;
    // It has reached the work: the arm stands, and takes the next command.
    let free = client.mcp(ANN, "tools/call", "arm_home")?;
    must(
        free.body.contains("the arm is at home"),
        "the arm is free (4)",
        &free,
    )?;
    let task = client.get(ANN, &id)?;
    must(
        state(&task) == "TASK_STATE_CANCELED",
        "it stays stopped (2)",
        &task,
    )?;
    Ok(id)
}

/// Point 5.
fn tools(client: &mut Client<impl Wire>) -> Result<(), Stop> {
    for (who, seen) in [
        (
            ANN,
            &["arm_move", "arm_home", "arm_stop", "note_set", "temp_read"][..],
        ),
        (EVE, &["arm_stop", "note_set", "temp_read"]),
    ] {
        let answer = client.mcp(who, "tools/list", "")?;
        let list: Value = serde_json::from_str(&answer.body)
            .map_err(|error| Stop::Fail(format!("{error}: {answer:?}")))?;
        let tools = list["result"]["tools"].as_array();
        let names: Vec<&str> = tools
            .into_iter()
            .flatten()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        must(
            names == seen,
            "only what one may call is listed (5)",
            &answer,
        )?;
    }
    let none = client.mcp(EVE, "tools/call", "arm_nope")?;
    for hidden in ["arm_move", "arm_home"] {
        let answer = client.mcp(EVE, "tools/call", hidden)?;
        let same = answer.body.replace(hidden, "arm_nope") == none.body;
        must(
            same && answer.status == none.status,
            "nothing else can be called (5)",
            &answer,
        )?;
    }
    let fine = client.mcp(EVE, "tools/call", "temp_read")?;
    must(
        fine.body.contains("24.5"),
        "what one may call works (5)",
        &fine,
    )?;
    // The skills of the agent need the same scope as the tools.
    let answer = client.call(EVE, "SendMessage", &message("m-5", "", "calibrate the arm"))?;
    let is = state(&answer["result"]["task"]) == "TASK_STATE_REJECTED";
    must(is, "nor can it be had from the agent (5)", &answer)
}

/// Point 6.
fn tenants(client: &mut Client<impl Wire>, id: &str) -> Result<(), Stop> {
    // Another tenant; and another caller of the same one.
    for who in [BOB, EVE] {
        for method in [
            "GetTask",
            "CancelTask",
            "SubscribeToTask",
            "tasks/get",
            "tasks/cancel",
        ] {
            let theirs = client.a2a(who, method, &format!(r#"{{"id":"{id}"}}"#))?;
            let none = client.a2a(who, method, &format!(r#"{{"id":"{NO_TASK}"}}"#))?;
            must(
                theirs == none && none.contains("-32001"),
                "the same bytes (6)",
                &(theirs, none),
            )?;
        }
        let theirs = client.a2a(who, "SendMessage", &message("m-6", id, "yes"))?;
        let none = client.a2a(who, "SendMessage", &message("m-6", NO_TASK, "yes"))?;
        must(
            theirs == none && none.contains("-32001"),
            "nor written to (6)",
            &(theirs, none),
        )?;
    }
    let named = client.a2a(
        BOB,
        "GetTask",
        &format!(r#"{{"id":"{id}","tenant":"lab-a"}}"#),
    )?;
    must(
        named.contains("-32001"),
        "a tenant's name opens nothing (6)",
        &named,
    )?;
    let list = client.call(BOB, "ListTasks", "{}")?;
    must(
        list["result"]["totalSize"] == 0,
        "nothing is listed (6)",
        &list,
    )?;
    let own = client.call(ANN, "ListTasks", "{}")?;
    must(own["result"]["totalSize"] == 2, "one's own are (6)", &own)?;
    let task = client.get(ANN, id)?;
    must(
        state(&task) == "TASK_STATE_COMPLETED",
        "and are as they were (6)",
        &task,
    )
}

/// Whether the events tell of each deed once, and by whom (P-060); gives how
/// many there are.
fn audited(file: &Path, tasks: &[String; 2]) -> Result<usize, Stop> {
    let text = std::fs::read_to_string(file).doing(file.display())?;
    let mut events = Vec::new();
    for line in text.lines() {
        let event: Value =
            serde_json::from_str(line).map_err(|error| Stop::Fail(format!("{error}: {line}")))?;
        events.push(event);
    }
    let count = |fits: &dyn Fn(&Value) -> bool| events.iter().filter(|event| fits(event)).count();
    for (task, outcome, wanted) in [
        (0, "Accepted", 2),
        (0, "Refused", 1),
        (1, "Accepted", 2),
        (1, "Done", 1),
    ] {
        let found = count(&|event| {
            event["subject"] == tasks[task].as_str()
                && event["name"] == "ann"
                && event["outcome"] == outcome
        });
        must(
            found == wanted,
            "each deed is one event",
            &(task, outcome, found),
        )?;
    }
    for (name, outcome, wanted) in [("arm_home", "Failed", 1), ("arm_home", "Done", 1)] {
        let found = count(&|event| event["subject"] == name && event["outcome"] == outcome);
        must(
            found == wanted,
            "each call is one event",
            &(name, outcome, found),
        )?;
    }
    let unknown = count(&|event| event["by"] == "none" && event["why"] == "Credential");
    must(unknown == 4, "each refusal is one event", &unknown)?;
    // Five methods and a message, twice each, and another tenant's name.
    let theirs = count(&|event| event["name"] == "bob" && event["why"] == "NotThere");
    must(theirs == 13, "and those across tenants", &theirs)?;
    Ok(events.len())
}

/// A credential that is gone from the list is good no longer; one that is new
/// there is.
fn revoked(client: &mut Client<impl Wire>, list: &Path) -> Result<(), Stop> {
    let new = CREDENTIALS.replace("key-of-ann", "key-of-new");
    std::fs::write(list, new).doing(list.display())?;
    let start = Instant::now();
    loop {
        let answer = client.mcp(ANN, "tools/list", "")?;
        if answer.status == 401 {
            break;
        }
        must(
            start.elapsed() < PATIENCE,
            "a credential is revoked",
            &answer,
        )?;
        std::thread::sleep(Duration::from_millis(50));
    }
    let new = "Authorization: Bearer key-of-new\r\n";
    let list = client.call(new, "ListTasks", "{}")?;
    must(
        list["result"]["totalSize"] == 2,
        "the caller keeps his tasks",
        &list,
    )
}
