//! How calls and connections end: what has ended is neither cancelled nor
//! waited for.

use core::task::Poll;

use agentmote::mcp::{Device, Identity};
use agentmote::server::{Http, HttpConfig, HttpMemory, Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::{Answer, Call};
use agentmote::{catalog, tool};
use agentmote_tests::peer::{self, Cut, LinePeer};

#[derive(Debug, Default)]
struct Log(Vec<String>);

/// Is busy at once.
#[tool]
fn busy(log: &mut Log, call: &mut Call<'_>) -> Poll<Answer> {
    if call.is_cancelled() {
        log.0.push("cancelled".into());
        return Poll::Pending;
    }
    Poll::Ready(call.fail("busy"))
}

static DEVICE: Device<Log> = Device::new(Identity::new("t", "1"), catalog![busy]);
const NOW: Instant = Instant::from_millis(0);

#[test]
fn a_peer_that_leaves_while_100_is_sent_frees_the_connection() {
    let mut memory = HttpMemory::<2048, 512>::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
    let mut server = Server::new(&DEVICE, Log::default());
    http.receive(
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 40\r\n\r\n",
    );
    assert_eq!(http.poll(&mut server, NOW, &mut [0; 4]), 4);
    http.hang_up(&mut server, NOW);
    assert!(http.is_closed());
}

#[test]
fn a_call_that_has_answered_is_not_cancelled() {
    let mut memory = LineMemory::<1024, 512, 2, 256>::new();
    let mut line = Line::new(&mut memory);
    let mut server = Server::new(&DEVICE, Log::default());
    let call = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"busy","_meta":{"#,
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
        r#""io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        "\n"
    );
    line.receive(call.as_bytes());
    assert_eq!(line.poll(&mut server, NOW, &mut [0; 4]), 4);
    line.reset(&mut server, NOW);
    assert_eq!(server.app.0, [""; 0]);
}

#[test]
fn a_move_that_arrived_was_not_stopped() {
    let ask = |id, deg| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"arm_move","arguments":{{"joint":0,"deg":{deg},"speed":100}}}}}}"#
        )
    };
    let mut memory = LineMemory::<1024, 512, 2, 256>::new();
    let mut peer = LinePeer::new(
        &mut memory,
        &bench_arm::DEVICE,
        bench_arm::Arm::new(),
        Cut::WHOLE,
    );
    peer.initialize("2025-11-25");
    assert!(peer.ask(&ask(1, 9)).is_empty());
    assert!(peer.pass(55).is_empty());
    // 50 ms of way: it is there, and the call looks at 60 ms.
    assert_eq!(peer.server.app.angle(0, peer.now()), 9000);
    let mut all = peer.ask(&ask(2, 0));
    all.extend(peer::lines(&peer.pass(500)));
    let first = all.iter().find(|answer| answer["id"] == 1).unwrap();
    assert_eq!(
        first["result"]["isError"],
        serde_json::Value::Null,
        "{first}"
    );
}

#[test]
fn receive_that_takes_nothing_leaves_nothing_to_poll() {
    let mut memory = HttpMemory::<2048, 512>::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
    let mut server = Server::new(&DEVICE, Log::default());
    assert_eq!(http.receive(b"GET /"), 5);
    assert_eq!(http.poll(&mut server, NOW, &mut [0; 256]), 0);
    if http.receive(b"\x01") == 0 {
        assert_eq!(http.poll(&mut server, NOW, &mut [0; 256]), 0);
    }
}
