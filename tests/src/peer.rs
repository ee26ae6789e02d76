//! A peer on the other end of a connection in memory, on a virtual clock.

use agentmote::mcp::Device;
use agentmote::server::{Http, HttpConfig, HttpMemory, Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::Caller;
use serde_json::Value;

/// Memory of a test's line: small enough that its limits can be reached.
pub type Lines = LineMemory<1024, 512, 2, 256>;

/// How output is taken and input is given.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Bytes of input given at a time.
    pub input: usize,
    /// Bytes of output taken at a time.
    pub output: usize,
}

impl Cut {
    /// Everything at once.
    pub const WHOLE: Self = Self {
        input: usize::MAX,
        output: 4096,
    };
}

/// A line connection with its server.
#[derive(Debug)]
pub struct LinePeer<'m, App: 'static> {
    /// The server behind it.
    pub server: Server<App>,
    line: Line<'m>,
    now: u64,
    cut: Cut,
}

impl<'m, App> LinePeer<'m, App> {
    /// A peer that has said nothing yet.
    pub fn new<const RX: usize, const RESULT: usize, const CALLS: usize, const KEPT: usize>(
        memory: &'m mut LineMemory<RX, RESULT, CALLS, KEPT>,
        device: &'static Device<App>,
        app: App,
        cut: Cut,
    ) -> Self {
        Self {
            server: Server::new(device, app),
            line: Line::new(memory),
            now: 0,
            cut,
        }
    }

    /// The time of the virtual clock.
    pub fn now(&self) -> Instant {
        Instant::from_millis(self.now)
    }

    /// Sends bytes, and gives every byte that comes back at this moment.
    pub fn send(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        for part in bytes.chunks(self.cut.input) {
            let mut rest = part;
            loop {
                let taken = self.line.receive(rest);
                rest = &rest[taken..];
                let mut out = vec![0; self.cut.output];
                let n = self
                    .line
                    .poll(&mut self.server, Instant::from_millis(self.now), &mut out);
                all.extend_from_slice(&out[..n]);
                if taken == 0 && n == 0 {
                    assert!(rest.is_empty(), "input is left over");
                    break;
                }
            }
        }
        all
    }

    /// Lets time pass, and gives what comes.
    pub fn pass(&mut self, millis: u64) -> Vec<u8> {
        let end = self.now + millis;
        let mut all = Vec::new();
        while let Some(wake) = self.line.wake() {
            if wake.as_millis() > end {
                break;
            }
            self.now = wake.as_millis().max(self.now + 1).min(end);
            all.extend(self.send(b""));
            all.extend(self.work());
            if self.now == end {
                break;
            }
        }
        self.now = end;
        all.extend(self.work());
        all
    }

    fn work(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let mut out = vec![0; self.cut.output];
            let n = self
                .line
                .poll(&mut self.server, Instant::from_millis(self.now), &mut out);
            if n == 0 {
                return all;
            }
            all.extend_from_slice(&out[..n]);
        }
    }

    /// Sends one line and gives the lines that come back at this moment.
    pub fn ask(&mut self, line: &str) -> Vec<Value> {
        let mut bytes = line.as_bytes().to_vec();
        bytes.push(b'\n');
        lines(&self.send(&bytes))
    }

    /// Sends one line that is answered at once by one line.
    pub fn one(&mut self, line: &str) -> Value {
        let mut answers = self.ask(line);
        assert_eq!(answers.len(), 1, "{line}: {answers:?}");
        answers.remove(0)
    }

    /// Opens a legacy session.
    pub fn initialize(&mut self, version: &str) {
        let answer = self.one(&format!(
            r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
        ));
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert!(
            self.ask(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
                .is_empty()
        );
    }

    /// Who speaks from now on.
    pub fn set_caller(&mut self, caller: Caller) {
        self.line.set_caller(caller);
    }

    /// The peer is gone.
    pub fn reset(&mut self) {
        self.line
            .reset(&mut self.server, Instant::from_millis(self.now));
    }
}

/// The JSON lines in `bytes`; every line must be JSON and end.
pub fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    assert!(
        text.is_empty() || text.ends_with('\n'),
        "an unfinished line: {text}"
    );
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Memory of a test's HTTP connection.
pub type Request = HttpMemory<2048, 512>;

/// An HTTP connection with its server.
#[derive(Debug)]
pub struct HttpPeer<'m, App: 'static> {
    /// The server behind it.
    pub server: Server<App>,
    http: Http<'m>,
    now: u64,
    cut: Cut,
}

impl<'m, App> HttpPeer<'m, App> {
    /// A connection that was just opened.
    pub fn new<const RX: usize, const RESULT: usize>(
        memory: &'m mut HttpMemory<RX, RESULT>,
        config: HttpConfig,
        device: &'static Device<App>,
        app: App,
        cut: Cut,
    ) -> Self {
        Self {
            server: Server::new(device, app),
            http: Http::new(memory, config),
            now: 0,
            cut,
        }
    }

    /// Whether the server has closed the connection.
    pub fn is_closed(&self) -> bool {
        self.http.is_closed()
    }

    /// The time of the virtual clock.
    pub fn now(&self) -> Instant {
        Instant::from_millis(self.now)
    }

    /// Sends bytes, lets time pass until every call is done, and gives every
    /// byte that comes back.
    pub fn send(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        let mut waiting = Vec::new();
        for part in bytes.chunks(self.cut.input) {
            waiting.extend_from_slice(part);
            all.extend(self.offer(&mut waiting));
        }
        // A bound on virtual time: a minute.
        for _ in 0..60_000 {
            let Some(wake) = self.http.wake() else {
                break;
            };
            self.now = wake.as_millis().max(self.now + 1);
            all.extend(self.offer(&mut waiting));
        }
        all
    }

    /// Sends bytes, and gives what comes back at this moment.
    pub fn offer(&mut self, bytes: &mut Vec<u8>) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let taken = self.http.receive(bytes);
            bytes.drain(..taken);
            let mut out = vec![0; self.cut.output];
            let n = self
                .http
                .poll(&mut self.server, Instant::from_millis(self.now), &mut out);
            all.extend_from_slice(&out[..n]);
            if taken == 0 && n == 0 {
                return all;
            }
        }
    }

    /// Sends a request that is answered by one whole answer.
    pub fn ask(&mut self, request: &[u8]) -> Answer {
        let bytes = self.send(request);
        let mut answers = answers(&bytes);
        assert_eq!(answers.len(), 1, "{}", String::from_utf8_lossy(&bytes));
        answers.remove(0)
    }

    /// The peer closes the connection.
    pub fn hang_up(&mut self) {
        self.http
            .hang_up(&mut self.server, Instant::from_millis(self.now));
    }
}

/// A server with any number of HTTP connections, on a virtual clock.
#[derive(Debug)]
pub struct Net<App: 'static> {
    /// The server behind them.
    pub server: Server<App>,
    /// The time of the virtual clock, in milliseconds.
    pub now: u64,
    /// What connections are opened with.
    pub config: HttpConfig,
    /// Bytes of output taken at a time.
    pub out: usize,
}

impl<App> Net<App> {
    /// A server that is open to this machine, at a second.
    pub fn new(server: Server<App>, out: usize) -> Self {
        Self {
            server,
            now: 1000,
            config: HttpConfig::LOOPBACK,
            out,
        }
    }

    /// The time of the virtual clock.
    pub fn now(&self) -> Instant {
        Instant::from_millis(self.now)
    }

    /// What a connection sends now, after these bytes.
    pub fn feed(&mut self, http: &mut Http<'_>, bytes: &[u8]) -> Vec<u8> {
        let mut rest = bytes;
        let mut all = Vec::new();
        loop {
            let taken = http.receive(rest);
            rest = &rest[taken..];
            let mut out = vec![0; self.out];
            let now = self.now();
            let filled = http.poll(&mut self.server, now, &mut out);
            all.extend_from_slice(&out[..filled]);
            if taken == 0 && filled == 0 {
                assert!(rest.is_empty(), "input is left over");
                return all;
            }
        }
    }

    /// Lets time pass on one connection; what it sends.
    pub fn pass(&mut self, http: &mut Http<'_>, millis: u64) -> Vec<u8> {
        let end = self.now + millis;
        let mut all = Vec::new();
        while let Some(wake) = http.wake().filter(|wake| wake.as_millis() <= end) {
            self.now = wake.as_millis().max(self.now + 1);
            all.extend(self.feed(http, b""));
        }
        self.now = end;
        all
    }

    /// One request that is answered at once, on a connection of its own.
    #[track_caller]
    pub fn ask(&mut self, request: &[u8]) -> Answer {
        let mut memory = Request::new();
        let mut http = Http::new(&mut memory, self.config);
        let bytes = self.feed(&mut http, request);
        let mut all = answers(&bytes);
        assert_eq!(all.len(), 1, "{}", String::from_utf8_lossy(&bytes));
        all.remove(0)
    }

    /// Opens a session for a client with these capabilities; gives its id.
    pub fn open(&mut self, capabilities: &str) -> String {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
        );
        let answer = self.ask(&http_request("POST", "", &body));
        assert_eq!(answer.status, 200);
        let id = answer.field("mcp-session-id");
        id.expect("the id of a session").to_owned()
    }
}

/// A request for the path of MCP.
pub fn http_request(method: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// One answer of HTTP.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The fields, names in lower case.
    pub fields: Vec<(String, String)>,
    /// The body, chunks put together.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The messages of an event stream.
    pub fn events(&self) -> Vec<Value> {
        assert_eq!(self.field("content-type"), Some("text/event-stream"));
        std::str::from_utf8(&self.body)
            .expect("UTF-8")
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).expect("JSON"))
            .collect()
    }
}

/// Reads the answers one after the other, strictly; interim ones too.
pub fn answers(bytes: &[u8]) -> Vec<Answer> {
    let mut rest = bytes;
    let mut all = Vec::new();
    while !rest.is_empty() {
        let end = rest
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .unwrap_or_else(|| panic!("no end of a head: {}", String::from_utf8_lossy(rest)));
        let head = std::str::from_utf8(&rest[..end]).expect("a head in UTF-8");
        rest = &rest[end + 4..];
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.strip_prefix("HTTP/1.1 "))
            .and_then(|line| line.get(..3))
            .and_then(|status| status.parse().ok())
            .unwrap_or_else(|| panic!("no status line: {head}"));
        let fields: Vec<(String, String)> = lines
            .map(|line| {
                let (name, value) = line.split_once(": ").expect("a field");
                (name.to_ascii_lowercase(), value.to_owned())
            })
            .collect();
        let mut answer = Answer {
            status,
            fields,
            body: Vec::new(),
        };
        if answer.field("transfer-encoding") == Some("chunked") {
            loop {
                let end = rest
                    .windows(2)
                    .position(|w| w == b"\r\n")
                    .expect("a chunk size");
                let size = std::str::from_utf8(&rest[..end]).expect("a chunk size");
                let size = usize::from_str_radix(size, 16).expect("a chunk size");
                let data = &rest[end + 2..end + 2 + size];
                assert_eq!(&rest[end + 2 + size..end + 4 + size], b"\r\n");
                rest = &rest[end + 4 + size..];
                answer.body.extend_from_slice(data);
                if size == 0 {
                    break;
                }
            }
        } else if let Some(length) = answer.field("content-length") {
            let length: usize = length.parse().expect("a length");
            answer.body = rest[..length].to_vec();
            rest = &rest[length..];
        } else if status >= 200 && status != 204 && status != 304 {
            answer.body = rest.to_vec();
            rest = &[];
        }
        all.push(answer);
    }
    all
}
