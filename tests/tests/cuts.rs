//! The same traffic, cut in every way: the bytes that go out do not depend on
//! how the bytes came in, nor on how many are taken at a time. And random
//! traffic against a model of the arm that knows nothing of bytes.
//!
//! The random tests run a fixed number of seeds. `AGENTMOTE_SEEDS=20000`
//! runs that many; `AGENTMOTE_FIRST_SEED=17` begins at that one, to repeat a
//! failure that names it.

use agentmote::mcp::Device;
use agentmote::server::{Allow, Http, HttpConfig, HttpMemory, Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote_tests::fixture::{self, Fixture};
use agentmote_tests::peer::lines;
use bench_arm::{Arm, JOINTS};
use serde_json::{Value, json};

// --- one way to drive both kinds of connection

trait Connection<App> {
    fn receive(&mut self, bytes: &[u8]) -> usize;
    fn poll(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize;
    fn wake(&self) -> Option<Instant>;
    fn is_closed(&self) -> bool;
}

impl<App> Connection<App> for Line<'_> {
    fn receive(&mut self, bytes: &[u8]) -> usize {
        Line::receive(self, bytes)
    }
    fn poll(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize {
        Line::poll(self, server, now, out)
    }
    fn wake(&self) -> Option<Instant> {
        Line::wake(self)
    }
    fn is_closed(&self) -> bool {
        false
    }
}

impl<App> Connection<App> for Http<'_> {
    fn receive(&mut self, bytes: &[u8]) -> usize {
        Http::receive(self, bytes)
    }
    fn poll(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize {
        Http::poll(self, server, now, out)
    }
    fn wake(&self) -> Option<Instant> {
        Http::wake(self)
    }
    fn is_closed(&self) -> bool {
        Http::is_closed(self)
    }
}

/// What the buffer for output holds before it is given away.
const DIRT: u8 = 0xA5;

/// Gives what there is to send at this moment, taken `window` bytes at a
/// time; the byte behind each window must not be touched.
fn drain<App>(
    connection: &mut impl Connection<App>,
    server: &mut Server<App>,
    now: Instant,
    window: usize,
    input: &mut Vec<u8>,
    all: &mut Vec<u8>,
) {
    let mut room = vec![DIRT; window + 1];
    loop {
        let taken = connection.receive(input);
        input.drain(..taken);
        room.fill(DIRT);
        let n = connection.poll(server, now, &mut room[..window]);
        assert_eq!(room[window], DIRT, "written behind the window");
        all.extend_from_slice(&room[..n]);
        if taken == 0 && n == 0 {
            return;
        }
    }
}

/// Feeds the parts at time 0, then lets time pass until nothing is left to
/// do; gives every byte that was sent.
fn run<App>(
    connection: &mut impl Connection<App>,
    server: &mut Server<App>,
    parts: &[&[u8]],
    window: usize,
) -> Vec<u8> {
    let mut all = Vec::new();
    let mut input = Vec::new();
    let mut now = Instant::from_millis(0);
    for part in parts {
        input.extend_from_slice(part);
        drain(connection, server, now, window, &mut input, &mut all);
    }
    // A bound on virtual time: a minute.
    while let Some(wake) = connection.wake() {
        assert!(now < Instant::from_millis(60_000), "a call does not end");
        now = wake.max(now.after(1));
        drain(connection, server, now, window, &mut input, &mut all);
    }
    assert!(
        input.is_empty() || connection.is_closed(),
        "input is left over"
    );
    all
}

/// Runs `scenario` in every cut and at every window, and compares what comes
/// out with what comes when it is fed whole.
fn every_cut(name: &str, scenario: &[u8], run: impl Fn(&[&[u8]], usize) -> Vec<u8>) {
    let expected = run(&[scenario], 8192);
    let same = |found: &[u8], how: &str| {
        assert!(
            found == expected,
            "{name}, {how}:\n{}\ninstead of\n{}",
            String::from_utf8_lossy(found),
            String::from_utf8_lossy(&expected)
        );
    };
    let bytes: Vec<&[u8]> = scenario.chunks(1).collect();
    for window in [8192, 1] {
        same(
            &run(&bytes, window),
            &format!("byte by byte, window {window}"),
        );
    }
    for at in 0..=scenario.len() {
        let (head, tail) = scenario.split_at(at);
        same(&run(&[head, tail], 8192), &format!("cut at {at}"));
    }
    for window in 1..=expected.len().min(LONGEST_WINDOW) {
        same(&run(&[scenario], window), &format!("window {window}"));
    }
}

/// Windows above it differ from each other only at their last call.
const LONGEST_WINDOW: usize = 160;

// --- the corpus: what users of such servers send, good and bad

/// The bodies of good and bad messages, for either framing.
fn bodies() -> Vec<String> {
    let mut all: Vec<String> = [
        // Envelopes.
        r#"{"jsonrpc":"2.0","id":"7","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"\ud83d\ude00","method":"ping"}"#,
        r#" {"params":{}, "method" : "ping" ,"id":-1, "jsonrpc":"2.0" } "#,
        r#"{"jsonrpc":"2.0","id":8,"\u006dethod":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":9,"Method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":11,"method":"ping","method":"tools/call","params":{"name":"arm_home"}}"#,
        r#"{"jsonrpc":"2.0","id":12,"method":"ping"} {"jsonrpc":"2.0","id":13,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":14,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":15}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/nothing_we_know"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        "7",
        "[]",
        "nul",
        r#"{"jsonrpc":"2.0","id":1,"method":"ping""#,
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\u{1}b\",\"method\":\"ping\"}",
        r#"{"jsonrpc":"2.0","id":"\x","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"é€😀"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"nothing"}]"#,
        // The handshake.
        r#"{"jsonrpc":"2.0","id":45,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"rig","version":"0"}}}"#,
        r#"{"jsonrpc":"2.0","id":46,"method":"initialize","params":{"protocolVersion":"2031-01-01","capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","id":46,"method":"initialize"}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    for (method, params) in [
        ("server/discover", ""),
        ("tools/list", ""),
        ("tools/list", r#""cursor":"tool3","#),
        ("ping", ""),
        ("prompts/list", ""),
        ("tools/call", ""),
        ("tools/call", r#""name":"arm_fly","#),
        ("tools/call", r#""name":"arm_stop","#),
        ("tools/call", r#""name":"arm_stop","arguments":[],"#),
        ("tools/call", r#""name":"temp_read","arguments":{},"#),
        ("tools/call", r#""name":"arm_home","#),
        (
            "tools/call",
            r#""name":"note_set","arguments":{"text":"\u00e9\"\\\n"},"#,
        ),
        (
            "tools/call",
            r#""name":"note_set","arguments":{"text":"0123456789012345678901234567890123"},"#,
        ),
        (
            "tools/call",
            r#""name":"arm_move","arguments":{"joint":2.0,"deg":1e1},"#,
        ),
        (
            "tools/call",
            r#""name":"arm_move","arguments":{"joint":7,"deg":"x","speed":null,"z":{}},"#,
        ),
        (
            "tools/call",
            r#""name":"arm_move","arguments":{"joint":1,"deg":10,"joint":2},"#,
        ),
    ] {
        let trimmed = params.trim_end_matches(',');
        all.push(format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"{method}","params":{{{trimmed}}}}}"#
        ));
        all.push(format!(
            r#"{{"jsonrpc":"2.0","id":"m","method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},"progressToken":"p"}}}}}}"#
        ));
    }
    all.push(all[all.len() - 1].replace("2026-07-28", "2031-01-01"));
    all
}

const HANDSHAKE: &str = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"VERSION","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;

/// Runs lines on a fresh bench arm.
fn run_lines(parts: &[&[u8]], window: usize) -> Vec<u8> {
    let mut memory = LineMemory::<400, 256, 2, 128>::new();
    let mut line = Line::new(&mut memory);
    let mut server = Server::new(&bench_arm::DEVICE, Arm::new());
    run(&mut line, &mut server, parts, window)
}

#[test]
fn lines_may_be_cut_anywhere() {
    for body in bodies() {
        // With a line end of either kind, and a message behind it.
        let end = if body.len() % 2 == 0 { "\n" } else { "\r\n" };
        let next = r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#;
        every_cut(&body, format!("{body}{end}{next}\n").as_bytes(), run_lines);
    }
}

#[test]
fn lines_of_a_session_may_be_cut_anywhere() {
    for (version, more) in [
        (
            "2025-11-25",
            // Two slow calls, one of them given up, and more than fit.
            concat!(
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":0,"deg":30},"_meta":{"progressToken":1}}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":-90,"speed":50}}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"arm_home"}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#,
                "\n"
            ),
        ),
        (
            "2025-03-26",
            concat!(
                r#"{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":5},"_meta":{"progressToken":1}}}"#,
                "\n",
                r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},"#,
                r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":0,"deg":9}}},7]"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#,
                "\n[]\n"
            ),
        ),
    ] {
        let session = format!(
            "\u{feff}{}\n\n{more}",
            HANDSHAKE.replace("VERSION", version)
        );
        every_cut(version, session.as_bytes(), run_lines);
    }
}

#[test]
fn a_line_that_is_too_long_may_be_cut_anywhere() {
    for length in [399, 400, 401, 1000] {
        let mut line = r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":""#.to_owned();
        while line.len() < length - 2 {
            line.push('a');
        }
        line += "\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
        every_cut("a long line", line.as_bytes(), run_lines);
    }
}

/// The whole traffic as one stream.
#[test]
fn all_lines_come_through_one_connection_in_any_pieces() {
    let mut stream = HANDSHAKE.replace("VERSION", "2025-11-25") + "\n";
    for body in bodies() {
        stream += &body;
        stream.push('\n');
    }
    let expected = run_lines(&[stream.as_bytes()], 8192);
    assert!(lines(&expected).len() > 40);
    for (piece, window) in [
        (1, 1),
        (1, 8192),
        (2, 3),
        (3, 64),
        (7, 5),
        (64, 1),
        (1000, 100),
    ] {
        let parts: Vec<&[u8]> = stream.as_bytes().chunks(piece).collect();
        assert!(
            run_lines(&parts, window) == expected,
            "pieces of {piece}, window {window}"
        );
    }
}

// --- HTTP

const CONFIG: HttpConfig = HttpConfig {
    hosts: Allow::Listed(&["192.0.2.7"]),
    origins: Allow::Listed(&["http://192.0.2.7"]),
    cors: true,
    ..HttpConfig::LOOPBACK
};

fn run_http_on<App>(
    device: &'static Device<App>,
    app: App,
    parts: &[&[u8]],
    window: usize,
) -> Vec<u8> {
    let mut memory = HttpMemory::<1024, 256>::new();
    let mut http = Http::new(&mut memory, CONFIG);
    let mut server = Server::new(device, app);
    run(&mut http, &mut server, parts, window)
}

fn run_http(parts: &[&[u8]], window: usize) -> Vec<u8> {
    run_http_on(&bench_arm::DEVICE, Arm::new(), parts, window)
}

fn post(fields: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The headers that a client of the body's era sends.
fn fields(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return String::new();
    };
    let meta = &value["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    let Some(version) = meta.as_str() else {
        return "MCP-Protocol-Version: 2025-11-25\r\n".to_owned();
    };
    let mut fields = format!(
        "MCP-Protocol-Version: {version}\r\nmcp-method: {}\r\n",
        value["method"].as_str().unwrap_or_default()
    );
    if let Some(name) = value["params"]["name"].as_str() {
        fields += &format!("Mcp-Name:  {name}\t\r\n");
    }
    fields
}

#[test]
fn posts_may_be_cut_anywhere() {
    for body in bodies() {
        let request = post(&fields(&body), &body)
            + &post("", r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#);
        every_cut(&body, request.as_bytes(), run_http);
    }
}

#[test]
fn heads_of_every_kind_may_be_cut_anywhere() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":0,"deg":5}}}]"#;
    let host = "Host: 192.0.2.7\r\n";
    for request in [
        format!("GET /mcp HTTP/1.1\r\n{host}\r\n"),
        format!("HEAD /mcp HTTP/1.1\r\n{host}\r\n"),
        format!("DELETE /mcp HTTP/1.1\r\n{host}Connection: close\r\n\r\n"),
        format!(
            "OPTIONS /mcp HTTP/1.1\r\n{host}Origin: http://192.0.2.7\r\nAccess-Control-Request-Method: POST\r\n\r\n"
        ),
        format!("POST /other HTTP/1.1\r\n{host}Content-Length: 3\r\n\r\nabc"),
        format!("POST /mcp HTTP/1.1\r\n{host}\r\n"),
        format!("POST /mcp HTTP/1.0\r\n{host}Content-Length: 40\r\n\r\n{ping}"),
        format!("POST /mcp HTTP/2.0\r\n{host}\r\n"),
        format!("BREW /mcp HTTP/1.1\r\n{host}\r\n"),
        "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
        "POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
        format!(
            "POST /mcp HTTP/1.1\r\n{host}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}"
        ),
        format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}x"),
        format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: 5000\r\n\r\n{{"),
        format!(
            "POST /mcp HTTP/1.1\r\n{host}X-Long: {}\r\n\r\n",
            "a".repeat(1100)
        ),
        format!("POST /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(600)),
        format!("POST /mcp HTTP/1.1\r\n{host}X: a\r\n b\r\n\r\n"),
        format!("\r\n\r\nPOST /mcp HTTP/1.1\r\n{host}Content-Length: 40\r\n\r\n{ping}"),
        format!("\r\n\r\n\r\nPOST /mcp HTTP/1.1\r\n{host}Content-Length: 40\r\n\r\n{ping}"),
        format!("POST /mcp HTTP/1.1\n{host}Content-Length: 40\r\n\r\n{ping}"),
        format!(
            "POST /mcp HTTP/1.1\r\n{host}Expect: 100-continue\r\nContent-Length: 40\r\n\r\n{ping}"
        ),
        format!(
            "POST /no HTTP/1.1\r\n{host}Expect: 100-continue\r\nContent-Length: 40\r\n\r\n{ping}"
        ),
        format!(
            "POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n\
             0a;x=\"y\"\r\n{}\r\n1E\r\n{}\r\n0\r\nT: 1\r\n\r\n",
            &ping[..10],
            &ping[10..]
        ),
        format!(
            "POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n"
        ),
        format!("POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        format!(
            "POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n500\r\n{}",
            "a".repeat(1100)
        ),
        post("MCP-Protocol-Version: 2025-03-26\r\n", batch),
        post("MCP-Protocol-Version: 2025-11-25\r\n", batch),
        post("", batch).replace("HTTP/1.1", "HTTP/1.0"),
    ] {
        // A whole request behind it: answered, or never looked at.
        let both = request.clone() + &post("", r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#);
        every_cut(&request, both.as_bytes(), run_http);
    }
}

#[test]
fn streams_may_be_cut_anywhere() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":20},"_meta":{"progressToken":"é"}}}"#;
    let request = post("MCP-Protocol-Version: 2025-11-25\r\n", call)
        + &post("", r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    every_cut("a stream", request.as_bytes(), run_http);
    // Constant blobs go out without ever being in one buffer.
    for name in [
        "test_multiple_content_types",
        "test_audio_content",
        "set_led",
    ] {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{{}}}}}}"#
        );
        every_cut(name, post("", &call).as_bytes(), |parts, window| {
            run_http_on(&fixture::DEVICE, Fixture::default(), parts, window)
        });
    }
}

// --- random traffic against a model

/// Calls that a line of this test keeps in flight.
const CALLS: usize = 3;

/// A small generator with a seed (xorshift64*).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A joint of the model: when its last move began and ends.
#[derive(Clone, Copy, Default)]
struct Joint {
    start: u64,
    end: u64,
    /// The job that began the move.
    job: u32,
}

impl Joint {
    fn moves(&self, now: u64) -> bool {
        now < self.end
    }

    fn percent(&self, now: u64) -> u64 {
        ((now - self.start) * 100)
            .checked_div(self.end - self.start)
            .unwrap_or(100)
    }
}

/// A call in flight, as the model knows it.
#[derive(Clone)]
struct Flight {
    id: Value,
    modern: bool,
    /// The joint, or all of them.
    joint: Option<usize>,
    token: Option<Value>,
    told: Option<u64>,
    wake: u64,
    job: u32,
    /// The question that it waits for the answer to.
    ask: Option<Ask>,
}

impl Flight {
    fn new(id: Value, modern: bool, joint: Option<usize>, token: Option<Value>) -> Self {
        Self {
            id,
            modern,
            joint,
            token,
            told: None,
            wake: 0,
            job: 0,
            ask: None,
        }
    }
}

/// A question to a client of the legacy era, and the move that it is about.
#[derive(Clone)]
struct Ask {
    number: u32,
    to: i32,
    speed: u32,
}

/// A sealed state that was given out, and the move that it is about.
#[derive(Clone)]
struct State {
    text: String,
    deg: i32,
    speed: u32,
    at: u64,
    spent: bool,
}

/// Where the base asks before it moves, in thousandths of a degree.
const ZONE: std::ops::RangeInclusive<i32> = -80_000..=-60_000;

const ASKED: &str = "Move the base through the zone where people stand?";

fn question() -> Value {
    json!({"method": "elicitation/create", "params": {"message": ASKED, "requestedSchema": {
        "type": "object",
        "properties": {"confirm": {"type": "boolean", "description": "Whether to go on."}},
        "required": ["confirm"], "additionalProperties": false}}})
}

fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// What a model of the arm and its line says must be sent.
#[derive(Default)]
struct Model {
    now: u64,
    joints: [Joint; JOINTS],
    commands: u32,
    jobs: u32,
    /// Jobs that were stopped before they were done.
    stopped: std::collections::BTreeSet<u32>,
    flights: Vec<Flight>,
    /// What must be sent, in no order.
    due: Vec<Value>,
    /// Where the joints stand now.
    angles: Vec<i32>,
    /// Sealed states that were given out; their texts are not known here.
    states: Vec<State>,
    /// Requests of the server so far.
    questions: u32,
    /// Moves that a user of the legacy and of the modern era agreed to.
    agreed: [usize; 2],
}

fn result(id: &Value, modern: bool, text: &str, failed: bool) -> Value {
    let mut result = json!({"content": [{"type": "text", "text": text}]});
    if failed {
        result["isError"] = json!(true);
    }
    if modern {
        result["resultType"] = json!("complete");
        result["_meta"] = json!({"io.modelcontextprotocol/serverInfo":
            {"name": "bench-arm", "title": "Bench arm", "version": env!("CARGO_PKG_VERSION")}});
    }
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

impl Model {
    fn halt(&mut self, joint: usize) {
        if self.joints[joint].moves(self.now) {
            self.joints[joint] = Joint {
                start: self.now,
                end: self.now,
                ..self.joints[joint]
            };
            self.stopped.insert(self.joints[joint].job);
            self.commands += 1;
        }
    }

    fn start(&mut self, joint: usize, from: i32, to: i32, speed: u32, job: u32) {
        let millis = u64::from(to.abs_diff(from)) * 100 / u64::from(180 * speed);
        self.joints[joint] = Joint {
            start: self.now,
            end: self.now + millis,
            job,
        };
        self.commands += 1;
    }

    fn range(flight: &Flight) -> std::ops::Range<usize> {
        flight.joint.map_or(0..JOINTS, |joint| joint..joint + 1)
    }

    /// A call of a slow tool whose arguments are right. `to` and `speed` are
    /// what it wants, `asks` is whether its client can be asked, and `said`
    /// what the user has said.
    fn call(&mut self, flight: Flight, to: i32, speed: u32, asks: bool, said: Option<bool>) {
        if self.flights.len() == CALLS {
            let text = format!("busy: {CALLS} calls in flight, which is the limit");
            self.due
                .push(result(&flight.id, flight.modern, &text, true));
            return;
        }
        self.begin(flight, to, speed, asks, said);
    }

    /// The first step of a call that has its place.
    fn begin(&mut self, mut flight: Flight, to: i32, speed: u32, asks: bool, said: Option<bool>) {
        let busy = match flight.joint {
            None => self.joints.iter().any(|joint| joint.moves(self.now)),
            // A joint is busy until all of the job that moved it last is done.
            Some(at) => self
                .joints
                .iter()
                .any(|joint| joint.job == self.joints[at].job && joint.moves(self.now)),
        };
        if busy {
            let text = match flight.joint {
                Some(_) => "the joint is still moving",
                None => "a joint is still moving",
            };
            self.due.push(result(&flight.id, flight.modern, text, true));
            return;
        }
        let from = self.angles[0];
        let meets = from.min(to) <= *ZONE.end() && from.max(to) >= *ZONE.start();
        if flight.joint == Some(0) && meets {
            match said {
                Some(true) => self.agreed[usize::from(flight.modern)] += 1,
                Some(false) => {
                    let text = "the user refused the move";
                    self.due.push(result(&flight.id, flight.modern, text, true));
                    return;
                }
                None => return self.ask(flight, to, speed, asks),
            }
        }
        self.jobs += 1;
        flight.job = self.jobs;
        for joint in Self::range(&flight) {
            self.start(joint, self.angles[joint], to, speed, flight.job);
        }
        if let Some(flight) = self.look(flight) {
            self.flights.push(flight);
        }
    }

    fn ask(&mut self, mut flight: Flight, to: i32, speed: u32, asks: bool) {
        let id = &flight.id;
        match (flight.modern, asks) {
            (true, true) => {
                self.states.push(State {
                    text: String::new(),
                    deg: to / 1000,
                    speed,
                    at: self.now,
                    spent: false,
                });
                let mut asked = result(id, true, "", false);
                asked["result"].as_object_mut().unwrap().remove("content");
                asked["result"]["resultType"] = json!("input_required");
                asked["result"]["inputRequests"] = json!({"zone": question()});
                asked["result"]["requestState"] = json!("*");
                self.due.push(asked);
            }
            (true, false) => {
                let mut refused = error(
                    id,
                    -32021,
                    "The client lacks a capability that this tool needs",
                );
                refused["error"]["data"] = json!({"requiredCapabilities": {"elicitation": {}}});
                self.due.push(refused);
            }
            (false, true) => {
                self.questions += 1;
                let mut asked = question();
                asked["jsonrpc"] = json!("2.0");
                asked["id"] = json!(self.questions);
                self.due.push(asked);
                flight.wake = self.now + 300_000;
                flight.ask = Some(Ask {
                    number: self.questions,
                    to,
                    speed,
                });
                self.flights.push(flight);
            }
            (false, false) => {
                let text = "the client cannot be asked: it has not declared elicitation";
                self.due.push(result(id, false, text, true));
            }
        }
    }

    /// The user of a legacy client has said yes or no to a question.
    fn respond(&mut self, number: u32, said: bool) {
        let waits = |flight: &Flight| flight.ask.as_ref().is_some_and(|ask| ask.number == number);
        if let Some(at) = self.flights.iter().position(waits) {
            let mut flight = self.flights.remove(at);
            if let Some(ask) = flight.ask.take() {
                self.begin(flight, ask.to, ask.speed, true, Some(said));
            }
        }
    }

    /// One look of a handler at its joints; gives the call back unless it is
    /// done.
    fn look(&mut self, mut flight: Flight) -> Option<Flight> {
        let halted = self.stopped.contains(&flight.job);
        let moves = |joint: &Joint| joint.job == flight.job && joint.moves(self.now);
        if !halted && self.joints.iter().any(moves) {
            flight.wake = self.now + 20;
            if let (Some(token), Some(joint)) = (&flight.token, flight.joint) {
                let percent = self.joints[joint].percent(self.now);
                if flight.told.is_none_or(|told| percent > told) {
                    flight.told = Some(percent);
                    self.due
                        .push(json!({"jsonrpc": "2.0", "method": "notifications/progress",
                        "params": {"progressToken": token, "progress": percent, "total": 100}}));
                }
            }
            return Some(flight);
        }
        let text = match (flight.joint, halted) {
            (Some(_), false) => "the joint is at its target",
            (Some(_), true) => "the joint was stopped on its way",
            (None, false) => "the arm is at home",
            (None, true) => "the arm was stopped on its way",
        };
        self.due
            .push(result(&flight.id, flight.modern, text, halted));
        None
    }

    /// Every call that wants it looks at its joints.
    fn advance(&mut self) {
        for flight in std::mem::take(&mut self.flights) {
            if flight.wake > self.now {
                self.flights.push(flight);
            } else if let Some(ask) = flight.ask.clone() {
                // Nobody has answered in time.
                let flight = Flight {
                    ask: None,
                    ..flight
                };
                self.begin(flight, ask.to, ask.speed, true, Some(false));
            } else {
                let kept = self.look(flight);
                self.flights.extend(kept);
            }
        }
    }

    fn cancel(&mut self, id: Option<&Value>) {
        for flight in std::mem::take(&mut self.flights) {
            if id.is_none_or(|id| *id == flight.id) {
                for joint in Self::range(&flight) {
                    if self.joints[joint].job == flight.job {
                        self.halt(joint);
                    }
                }
            } else {
                self.flights.push(flight);
            }
        }
    }
}

struct Rig<'m> {
    line: Line<'m>,
    server: Server<Arm>,
    model: Model,
    random: Random,
    next_id: u64,
    /// Whether the line speaks the revision that has batches.
    batches: bool,
    /// Whether the client of the legacy era can be asked.
    asks: bool,
    /// What was done, for the message of a failure.
    story: Vec<String>,
}

impl Rig<'_> {
    fn now(&self) -> Instant {
        Instant::from_millis(self.model.now)
    }

    fn angles(&self) -> Vec<i32> {
        (0..JOINTS)
            .map(|joint| self.server.app.angle(joint, self.now()))
            .collect()
    }

    /// An id: mostly a new one, now and then one that is in use.
    fn id(&mut self) -> Value {
        if self.random.one_in(8)
            && let Some(flight) = self.model.flights.first()
        {
            return flight.id.clone();
        }
        self.next_id += 1;
        if self.random.one_in(2) {
            json!(self.next_id)
        } else {
            json!(self.next_id.to_string())
        }
    }

    fn request(&mut self, id: &Value, modern: bool, method: &str, mut params: Value) -> String {
        if modern {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            let can = &mut meta["io.modelcontextprotocol/clientCapabilities"];
            if can.is_null() {
                *can = json!({});
            }
        }
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    }

    /// Sends one line in random pieces. `told` tells the model what it
    /// means, at the moment when the line is whole.
    fn send(&mut self, line: &str, told: impl FnOnce(&mut Model)) {
        self.story.push(format!("{} {line}", self.model.now));
        let bytes = format!("{line}\n").into_bytes();
        let cut = if self.random.one_in(3) {
            self.random.below(bytes.len() as u64) as usize
        } else {
            0
        };
        let (head, tail) = bytes.split_at(cut);
        let mut sent = Vec::new();
        if cut > 0 {
            // Calls in flight get their turn before the line is whole.
            self.drain(head, &mut sent);
            self.advance();
        }
        self.drain(tail, &mut sent);
        self.model.angles = self.angles();
        told(&mut self.model);
        self.advance();
        self.compare(&sent);
    }

    /// Gives the calls of the model their turn.
    fn advance(&mut self) {
        self.model.angles = self.angles();
        self.model.advance();
    }

    fn drain(&mut self, input: &[u8], sent: &mut Vec<u8>) {
        let window = match self.random.below(4) {
            0 => 1,
            1 => 1 + self.random.below(40) as usize,
            _ => 4096,
        };
        let now = self.now();
        let mut input = input.to_vec();
        drain(
            &mut self.line,
            &mut self.server,
            now,
            window,
            &mut input,
            sent,
        );
        assert!(input.is_empty(), "input is left over");
    }

    /// Lets time pass without a word.
    fn wait(&mut self, millis: u64) {
        self.story.push(format!("{} + {millis}", self.model.now));
        self.model.now += millis;
        // The next line may come before the calls have had their turn.
        if self.random.one_in(2) {
            let mut sent = Vec::new();
            self.drain(b"", &mut sent);
            self.advance();
            self.compare(&sent);
        }
    }

    fn compare(&mut self, sent: &[u8]) {
        let mut found = lines(sent);
        for answer in &mut found {
            // A state is opaque: it is kept, to be sent back.
            if let Some(state) = answer.pointer_mut("/result/requestState") {
                let known = self.model.states.last_mut().expect("nobody asked");
                known.text = state.as_str().expect("a state is a text").to_owned();
                *state = json!("*");
            }
        }
        let mut expected = std::mem::take(&mut self.model.due);
        let order = |value: &Value| value.to_string();
        found.sort_by_key(order);
        expected.sort_by_key(order);
        assert_eq!(found, expected, "after\n{}", self.story.join("\n"));
        assert_eq!(
            self.server.app.commands(),
            self.model.commands,
            "the drives were told something else after\n{}",
            self.story.join("\n")
        );
        assert!(self.model.flights.len() <= CALLS);
        assert_eq!(
            self.line.wake().map(Instant::as_millis),
            self.model.flights.iter().map(|flight| flight.wake).min(),
            "wakes at another time after\n{}",
            self.story.join("\n")
        );
    }

    fn step(&mut self) {
        let modern = self.random.one_in(2);
        match self.random.below(14) {
            12 if !self.model.states.is_empty() => self.retry(),
            12 | 13 => self.respond(),
            7 if self.batches => self.batch(),
            0..=3 => {
                let id = self.id();
                let mut joint = self.random.below(JOINTS as u64) as usize;
                let mut deg = self.random.below(181) as i32 - 90;
                // The zone is small: every fourth move goes for it.
                if self.random.one_in(4) {
                    joint = 0;
                    deg = -60 - self.random.below(31) as i32;
                }
                let speed = 1 + self.random.below(100) as u32;
                let mut params = json!({"name": "arm_move",
                    "arguments": {"joint": joint, "deg": deg, "speed": speed}});
                let token = self
                    .random
                    .one_in(2)
                    .then(|| json!(format!("t{}", self.next_id)));
                if let Some(token) = &token {
                    params["_meta"]["progressToken"] = token.clone();
                }
                // An answer without its state is as good as none (M-148).
                if self.random.one_in(4) {
                    params["inputResponses"] =
                        json!({"zone": {"action": "accept", "content": {"confirm": true}}});
                }
                let can_modern = modern && self.random.one_in(2);
                if can_modern {
                    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                        json!({"elicitation": {}});
                }
                let line = self.request(&id, modern, "tools/call", params);
                let asks = if modern { can_modern } else { self.asks };
                self.send(&line, |model| {
                    let flight = Flight::new(id, modern, Some(joint), token);
                    model.call(flight, deg * 1000, speed, asks, None);
                });
            }
            4 => {
                let id = self.id();
                let line = self.request(&id, modern, "tools/call", json!({"name": "arm_home"}));
                self.send(&line, |model| {
                    let flight = Flight::new(id, modern, None, None);
                    model.call(flight, 0, 50, false, None);
                });
            }
            5 => {
                let id = self.id();
                let line = self.request(&id, modern, "tools/call", json!({"name": "arm_stop"}));
                self.send(&line, |model| {
                    for joint in 0..JOINTS {
                        model.halt(joint);
                    }
                    model.due.push(result(&id, modern, "stopped", false));
                });
            }
            6 => {
                let id = self.id();
                let params = json!({"name": "arm_move", "arguments": {"joint": 6, "deg": 0}});
                let line = self.request(&id, modern, "tools/call", params);
                let text = "joint: 6 is above the maximum 5";
                self.send(&line, |model| {
                    model.due.push(result(&id, modern, text, true));
                });
            }
            7 => {
                let id = self.id();
                let line = self.request(&id, false, "ping", json!({}));
                self.send(&line, |model| {
                    model
                        .due
                        .push(json!({"jsonrpc": "2.0", "id": id, "result": {}}));
                });
            }
            8 => {
                // A call in flight, one that has ended, or none there ever was.
                let at = self.random.below(CALLS as u64) as usize;
                let known = self.model.flights.get(at).map(|flight| flight.id.clone());
                let id = known.unwrap_or_else(|| json!(self.random.below(self.next_id + 2)));
                let line = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": id, "reason": "enough"}});
                self.send(&line.to_string(), |model| model.cancel(Some(&id)));
            }
            9 if self.random.one_in(8) => {
                self.story.push(format!("{} reset", self.model.now));
                // An unfinished line is forgotten too.
                let mut sent = Vec::new();
                self.drain(br#"{"jsonrpc":"2.0","id":1,"met"#, &mut sent);
                self.advance();
                self.compare(&sent);
                let now = self.now();
                self.line.reset(&mut self.server, now);
                self.model.cancel(None);
                self.open();
            }
            9 => {
                let bad = ["{", "[]", "nul", "{\"jsonrpc\":\"2.0\",\"id\":{}}"];
                let line = bad[self.random.below(bad.len() as u64) as usize];
                self.story.push(format!("{} {line}", self.model.now));
                let mut sent = Vec::new();
                self.drain(format!("{line}\n").as_bytes(), &mut sent);
                let mut found = lines(&sent);
                let before = found.len();
                found.retain(|answer| answer.get("error").is_none() || answer.get("id").is_some());
                assert_eq!(found.len() + 1, before, "{line} is one error");
                let rest: String = found.iter().map(|line| format!("{line}\n")).collect();
                self.advance();
                self.compare(rest.as_bytes());
            }
            _ => {
                let longest = [5, 25, 300, 3000][self.random.below(4) as usize];
                let millis = self.random.below(longest);
                self.wait(millis);
            }
        }
    }

    /// An answer to a question of the modern era: mostly to one of the last.
    fn retry(&mut self) {
        let count = self.model.states.len() as u64;
        let back = self.random.below(4).min(count - 1);
        let at = if self.random.one_in(8) {
            self.random.below(count)
        } else {
            count - 1 - back
        } as usize;
        let State {
            mut text,
            deg,
            mut speed,
            ..
        } = self.model.states[at].clone();
        let (spoiled, yes) = (self.random.below(8), self.random.one_in(2));
        match spoiled {
            0 => text.insert(self.random.below(40) as usize, 'A'),
            1 => speed = speed % 100 + 1,
            _ => {}
        }
        let id = self.id();
        let said = if yes {
            json!({"action": "accept", "content": {"confirm": true}})
        } else {
            let no = ["decline", "cancel"][self.random.below(2) as usize];
            json!({"action": no})
        };
        let params = json!({"name": "arm_move",
            "arguments": {"joint": 0, "deg": deg, "speed": speed},
            "inputResponses": {"zone": said}, "requestState": text,
            "_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}});
        let line = self.request(&id, true, "tools/call", params);
        self.send(&line, |model| {
            let age = model.states.len() - 1 - at;
            let state = &mut model.states[at];
            let refused = if spoiled < 2 {
                Some("Invalid params: requestState was not given out for this request")
            } else if state.spent || age >= 64 || model.now > state.at + 300_000 {
                Some("Invalid params: requestState is too old or was used before")
            } else {
                None
            };
            match refused {
                Some(why) => model.due.push(error(&id, -32602, why)),
                None => {
                    state.spent = true;
                    let flight = Flight::new(id, true, Some(0), None);
                    model.call(flight, deg * 1000, speed, true, Some(yes));
                }
            }
        });
    }

    /// An answer to a request of the server, or to none.
    fn respond(&mut self) {
        let numbers = u64::from(self.model.questions) + 2;
        let waiting = self.model.flights.iter().find_map(|one| one.ask.clone());
        let number = match waiting {
            Some(ask) if !self.random.one_in(4) => ask.number,
            _ => self.random.below(numbers) as u32,
        };
        let (answer, said) = match self.random.below(4) {
            0 | 1 => (
                json!({"result": {"action": "accept", "content": {"confirm": true}}}),
                true,
            ),
            2 => (json!({"result": {"action": "decline"}}), false),
            _ => (json!({"error": {"code": -1, "message": "no"}}), false),
        };
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = json!(number);
        self.send(&answer.to_string(), |model| model.respond(number, said));
    }

    /// Several messages in one array, answered by one array.
    fn batch(&mut self) {
        let mut texts = Vec::new();
        let mut meant: Vec<(u64, Value)> = Vec::new();
        for _ in 0..=self.random.below(4) {
            let id = self.id();
            let kind = self.random.below(4);
            let text = match kind {
                0 => self.request(&id, false, "ping", json!({})),
                1 => self.request(&id, false, "tools/call", json!({"name": "arm_stop"})),
                2 => self.request(&id, false, "tools/call", json!({"name": "arm_home"})),
                _ => json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": id}})
                .to_string(),
            };
            texts.push(text);
            meant.push((kind, id));
        }
        self.send(&format!("[{}]", texts.join(",")), |model| {
            let mut answers = Vec::new();
            for (kind, id) in meant {
                match kind {
                    0 => answers.push(json!({"jsonrpc": "2.0", "id": id, "result": {}})),
                    1 => {
                        for joint in 0..JOINTS {
                            model.halt(joint);
                        }
                        answers.push(result(&id, false, "stopped", false));
                    }
                    2 => answers.push(result(
                        &id,
                        false,
                        "this tool takes its time: call it alone, not in a batch",
                        true,
                    )),
                    _ => model.cancel(Some(&id)),
                }
            }
            if !answers.is_empty() {
                model.due.push(Value::Array(answers));
            }
        });
    }

    fn open(&mut self) {
        let mut sent = Vec::new();
        let version = if self.batches {
            "2025-03-26"
        } else {
            "2025-11-25"
        };
        let mut line = HANDSHAKE.replace("VERSION", version) + "\n";
        if self.asks {
            line = line.replace(
                r#""capabilities":{}"#,
                r#""capabilities":{"elicitation":{}}"#,
            );
        }
        self.drain(line.as_bytes(), &mut sent);
        assert_eq!(lines(&sent).len(), 1);
    }
}

/// Gives the most calls in flight, and how many moves a user agreed to.
fn random_traffic(seed: u64, steps: usize) -> (usize, [usize; 2]) {
    let mut memory = LineMemory::<512, 256, CALLS, 200>::new();
    let mut rig = Rig {
        line: Line::new(&mut memory),
        server: Server::new(&bench_arm::DEVICE, Arm::new()).with_key([3; 32]),
        model: Model::default(),
        random: Random::new(seed),
        next_id: 0,
        batches: seed.is_multiple_of(2),
        // The revision that has batches has no elicitation (M-182).
        asks: seed % 4 == 3,
        story: vec![format!("seed {seed}")],
    };
    rig.open();
    let mut most = 0;
    for _ in 0..steps {
        rig.step();
        most = most.max(rig.model.flights.len());
    }
    // Whatever is in flight ends, a question after five minutes, and then
    // nothing more comes.
    rig.wait(0);
    for _ in 0..500 {
        rig.model.now += 1000;
        let mut sent = Vec::new();
        rig.drain(b"", &mut sent);
        rig.advance();
        rig.compare(&sent);
        if rig.model.flights.is_empty() {
            return (most, rig.model.agreed);
        }
    }
    panic!("a call does not end: seed {seed}");
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn random_traffic_is_what_a_model_says() {
    let first = setting("AGENTMOTE_FIRST_SEED").unwrap_or(1);
    let seeds = setting("AGENTMOTE_SEEDS").unwrap_or(100);
    let mut full = 0;
    let mut agreed = [0; 2];
    for seed in first..first + seeds {
        let (most, more) = random_traffic(seed, 120);
        full += usize::from(most == CALLS);
        agreed = [agreed[0] + more[0], agreed[1] + more[1]];
    }
    if seeds >= 20 {
        assert!(full > 0, "no seed has filled the table of calls");
        let each = agreed.iter().all(|count| *count > 0);
        assert!(each, "nobody was asked and has agreed: {agreed:?}");
    }
}
