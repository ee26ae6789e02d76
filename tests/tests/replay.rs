//! The engine of the fixture: the same events give the same bytes, on every
//! machine, and its record over TCP tells all that happened.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentmote::time::Instant;
use agentmote_tests::fixture::{
    Answer, CONNECTIONS, Engine, Event, FRAME_HEAD, Head, Memory, PENDING, Refusal,
};
use agentmote_tests::peer::answers;
use agentmote_tests::recording::Recording;
use serde_json::json;

fn engine() -> Engine<'static> {
    Engine::new(Box::leak(Box::new(Memory::new())))
}

/// The frames that come of `event`.
fn frames(engine: &mut Engine<'_>, event: Event<'_>) -> Vec<u8> {
    let mut frames = Vec::new();
    let applied = engine.apply(event, |answer| {
        answer.write(|part| frames.extend_from_slice(part));
    });
    assert_eq!(applied, Ok(()), "{event:?}");
    frames
}

/// What is sent to the peer of connection `number`, and whether it is closed.
/// Nothing else may come.
fn sent(engine: &mut Engine<'_>, event: Event<'_>, number: u8) -> (Vec<u8>, bool) {
    let (mut bytes, mut closed, mut done) = (Vec::new(), false, false);
    let applied = engine.apply(event, |answer| {
        assert!(!done);
        match answer {
            Answer::Bytes(at, part) if at == number && !closed => bytes.extend_from_slice(part),
            Answer::Closed(at) if at == number && !closed => closed = true,
            Answer::Done => done = true,
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(applied, Ok(()), "{event:?}");
    assert!(done);
    (bytes, closed)
}

fn post(fields: &str, body: &str) -> Vec<u8> {
    let len = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{fields}Content-Length: {len}\r\n\r\n{body}"
    )
    .into_bytes()
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

const PONG: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n\
    {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

fn initialize() -> Vec<u8> {
    post(
        "",
        concat!(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
            r#""capabilities":{},"clientInfo":{"name":"replay","version":"1"}}}"#
        ),
    )
}

/// A call of the modern era.
fn call(tool: &str, meta: &str) -> Vec<u8> {
    let fields = format!(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
    );
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"{tool}","_meta":{{{meta}"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"replay","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    );
    post(&fields, &body)
}

/// A call of the legacy era.
fn legacy_call(tool: &str) -> Vec<u8> {
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
    post("", &body)
}

const PROGRESS: &str = "test_tool_with_progress";
const TOKEN: &str = r#""progressToken":"p","#;

#[test]
fn an_event_and_its_answers_are_these_bytes() {
    let mut engine = engine();
    assert_eq!(frames(&mut engine, Event::Open(2)), b".\0\0\0");
    let request = post("", PING);
    let (first, second) = request.split_at(50);
    assert_eq!(frames(&mut engine, Event::Bytes(2, first)), b".\0\0\0");
    let came = frames(&mut engine, Event::Bytes(2, second));
    assert_eq!(PONG.len(), 107);
    assert_eq!(came, [b"a\x02\x6B\0", PONG, b".\0\0\0"].concat());
    let came = frames(&mut engine, Event::Close(2));
    assert_eq!(came, b"z\x02\0\0.\0\0\0");

    let events = [
        (Event::Open(2), &b"O\x02\0\0"[..]),
        (Event::Bytes(2, b"hi"), b"B\x02\x02\0hi"),
        (Event::Close(15), b"C\x0F\0\0"),
        (Event::Time(0x1234), b"T\0\x08\0\x34\x12\0\0\0\0\0\0"),
    ];
    for (event, bytes) in events {
        let mut written = Vec::new();
        event.write(|part| written.extend_from_slice(part));
        assert_eq!(written, bytes);
        assert_eq!(read(bytes), Some((event, bytes.len())));
    }
    for wrong in [
        &b"O\0\x01\0x"[..],
        b"C\0\x01\0x",
        b"T\0\x04\0\0\0\0\0",
        b".\0\0\0",
        b"a\0\x01\0x",
    ] {
        assert_eq!(read(wrong), None, "{}", wrong.escape_ascii());
    }
}

/// The event at the start of `bytes`, and its length.
fn read(bytes: &[u8]) -> Option<(Event<'_>, usize)> {
    let head = Head::read(*bytes.first_chunk::<FRAME_HEAD>()?);
    let end = FRAME_HEAD + head.len();
    Some((head.event(bytes.get(FRAME_HEAD..end)?)?, end))
}

#[test]
fn the_same_events_give_the_same_bytes() {
    let asks = call("test_input_required_result_request_state", "");
    let (initialize, progress) = (initialize(), call(PROGRESS, TOKEN));
    let events = [
        Event::Open(0),
        Event::Open(1),
        Event::Time(7),
        Event::Bytes(0, &initialize),
        Event::Bytes(1, &asks),
        Event::Bytes(0, &progress),
        Event::Time(12),
        Event::Bytes(1, &initialize),
        Event::Time(17),
        Event::Time(22),
        Event::Close(1),
        Event::Close(0),
    ];
    let mut one = engine();
    let mut other = engine();
    let mut all = Vec::new();
    for event in events {
        let came = frames(&mut one, event);
        assert_eq!(came, frames(&mut other, event), "{event:?}");
        all.extend(came);
    }
    let all = String::from_utf8_lossy(&all);
    // What is sealed is among it.
    assert_eq!(all.matches("Mcp-Session-Id: ").count(), 2, "{all}");
    assert_eq!(all.matches("\"requestState\":\"").count(), 1, "{all}");
    assert_eq!(all.matches("notifications/progress").count(), 3, "{all}");
}

#[test]
fn time_passes_by_events_alone() {
    let mut engine = engine();
    assert_eq!(engine.wake(), None);
    frames(&mut engine, Event::Time(100));
    frames(&mut engine, Event::Open(3));
    assert_eq!(engine.wake(), None);
    let (begun, closed) = sent(&mut engine, Event::Bytes(3, &call(PROGRESS, TOKEN)), 3);
    assert!(begun.starts_with(b"HTTP/1.1 200 OK\r\n") && !closed);
    assert_eq!(engine.now(), Instant::from_millis(100));
    assert_eq!(engine.wake(), Some(Instant::from_millis(105)));
    assert_eq!(sent(&mut engine, Event::Time(104), 3), (vec![], false));
    let mut stream = begun;
    for millis in [105, 110, 115] {
        assert_eq!(engine.wake(), Some(Instant::from_millis(millis)));
        let (more, closed) = sent(&mut engine, Event::Time(millis), 3);
        assert!(!more.is_empty() && !closed);
        stream.extend(more);
    }
    assert_eq!(engine.wake(), None);
    let events = answers(&stream)[0].events();
    assert_eq!(events.len(), 4);
    assert_eq!(
        events[3]["result"]["content"],
        json!([{"type": "text", "text": "done"}])
    );
}

#[test]
fn what_cannot_be_is_refused_and_nothing_happens() {
    let mut engine = engine();
    frames(&mut engine, Event::Time(10));
    frames(&mut engine, Event::Open(0));
    let long = [b'x'; PENDING + 1];
    let none = CONNECTIONS as u8;
    let wrong = [
        (Event::Open(none), Refusal::NoSuchConnection(none)),
        (Event::Bytes(none, b"x"), Refusal::NoSuchConnection(none)),
        (Event::Close(255), Refusal::NoSuchConnection(255)),
        (Event::Open(0), Refusal::Taken(0)),
        (Event::Bytes(1, b"x"), Refusal::NotOpen(1)),
        (Event::Close(1), Refusal::NotOpen(1)),
        (Event::Bytes(0, &long), Refusal::NoRoom(0)),
        (Event::Time(9), Refusal::Earlier(9)),
    ];
    for (event, refusal) in wrong {
        let applied = engine.apply(event, |answer| panic!("{answer:?}"));
        assert_eq!(applied, Err(refusal));
    }
    assert_eq!(
        Refusal::NoRoom(0).to_string(),
        "connection 0 has no room for these bytes"
    );
    let (pong, closed) = sent(&mut engine, Event::Bytes(0, &post("", PING)), 0);
    assert_eq!((pong.as_slice(), closed), (PONG, false));
    assert_eq!(engine.now(), Instant::from_millis(10));
}

#[test]
fn requests_wait_for_the_one_before() {
    let mut engine = engine();
    frames(&mut engine, Event::Open(0));
    assert_eq!(engine.room(0), PENDING);
    assert_eq!(engine.room(1), 0);
    let (_, closed) = sent(&mut engine, Event::Bytes(0, &call(PROGRESS, "")), 0);
    assert!(!closed);
    let ping = post("", PING);
    assert_eq!(
        sent(&mut engine, Event::Bytes(0, &ping), 0),
        (vec![], false)
    );
    assert_eq!(engine.room(0), PENDING - ping.len());
    let mut all = Vec::new();
    while let Some(wake) = engine.wake() {
        all.extend(sent(&mut engine, Event::Time(wake.as_millis()), 0).0);
    }
    assert!(all.ends_with(PONG), "{}", all.escape_ascii());
    assert_eq!(engine.room(0), PENDING);
}

#[test]
fn a_place_is_free_when_its_call_is_done() {
    let mut engine = engine();
    for number in 0..CONNECTIONS as u8 {
        assert_eq!(engine.free(), Some(number));
        frames(&mut engine, Event::Open(number));
    }
    assert_eq!(engine.free(), None);
    // The server closes it.
    let last = post("Connection: close\r\n", PING);
    let (bytes, closed) = sent(&mut engine, Event::Bytes(4, &last), 4);
    assert!(closed && bytes.ends_with(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    assert_eq!(engine.free(), Some(4));
    frames(&mut engine, Event::Open(4));
    // A call of the modern era ends with its peer, one of the legacy era goes
    // on (M-190).
    sent(&mut engine, Event::Bytes(5, &call(PROGRESS, "")), 5);
    assert_eq!(sent(&mut engine, Event::Close(5), 5), (vec![], true));
    frames(&mut engine, Event::Open(5));
    sent(&mut engine, Event::Bytes(6, &legacy_call(PROGRESS)), 6);
    assert_eq!(sent(&mut engine, Event::Close(6), 6), (vec![], false));
    assert_eq!((engine.free(), engine.room(6)), (None, 0));
    let late = engine.apply(Event::Bytes(6, b"x"), |answer| panic!("{answer:?}"));
    assert_eq!(late, Err(Refusal::NotOpen(6)));
    for (millis, done) in [(5, false), (10, false), (15, true)] {
        assert_eq!(engine.wake(), Some(Instant::from_millis(millis)));
        assert_eq!(sent(&mut engine, Event::Time(millis), 6), (vec![], done));
    }
    assert_eq!(engine.free(), Some(6));
    assert_eq!(engine.wake(), None);
}

/// A record in memory.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<u8>>>);

impl Write for Record {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    let patience = Some(Duration::from_secs(20));
    stream.set_read_timeout(patience).unwrap();
    stream
}

/// Sends a request after which the server closes, and gives the whole answer.
fn converse(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut stream = connect(address);
    stream.write_all(request).unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    all
}

#[test]
fn a_record_tells_all_and_can_be_replayed() {
    let record = Record::default();
    let recording = Recording::bind(0, record.clone()).unwrap();
    let address = recording.address().unwrap();
    assert!(address.ip().is_loopback());
    // Ends with the process.
    std::thread::spawn(move || panic!("{}", recording.serve()));
    let close = |mut request: Vec<u8>| {
        let at = b"POST /mcp HTTP/1.1\r\n".len();
        request.splice(at..at, *b"Connection: close\r\n");
        request
    };
    let calls = [
        close(call(PROGRESS, TOKEN)),
        close(call("test_tool_with_logging", "")),
        close(initialize()),
        close(legacy_call(PROGRESS)),
    ];
    let mut heard: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let threads: Vec<_> = calls
            .iter()
            .map(|request| scope.spawn(|| converse(address, request)))
            .collect();
        threads
            .into_iter()
            .map(|each| each.join().unwrap())
            .collect()
    });
    // One that goes away, and one after it.
    drop(connect(address));
    heard.push(converse(address, &close(post("", PING))));

    let record = record.0.lock().unwrap().clone();
    let mut engine = engine();
    let mut told: Vec<Vec<u8>> = vec![vec![]; CONNECTIONS];
    let mut whole = Vec::new();
    let mut rest = &record[..];
    while !rest.is_empty() {
        let (event, end) = read(rest).unwrap();
        let mut came = Vec::new();
        let applied = engine.apply(event, |answer| {
            answer.write(|part| came.extend_from_slice(part));
            match answer {
                Answer::Bytes(number, bytes) => told[usize::from(number)].extend(bytes),
                Answer::Closed(number) => {
                    whole.push(std::mem::take(&mut told[usize::from(number)]))
                }
                Answer::Done => {}
            }
        });
        assert_eq!(applied, Ok(()));
        rest = rest[end..].strip_prefix(&came[..]).unwrap();
    }
    whole.retain(|bytes| !bytes.is_empty());
    heard.sort();
    whole.sort();
    assert_eq!(heard, whole);
    assert_eq!(heard.len(), calls.len() + 1);
}
