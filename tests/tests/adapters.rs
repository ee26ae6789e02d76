//! The adapters over `embedded-io` and `embedded-io-async`: the same bytes as
//! a connection driven by hand, whatever the transport takes at a time.

use std::convert::Infallible;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use agentmote::a2a::{Agent, Caller};
use agentmote::mcp::{Device, Identity};
use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, Line, LineMemory, Server, io};
use agentmote::time::Instant;
use agentmote_tests::a2a::{CARD, Script, World, message, request};
use bench_arm::{Arm, DEVICE};

/// A transport that takes a few bytes at a time, and is not ready each second
/// time.
struct Slow {
    sent: Vec<u8>,
    most: usize,
    ready: bool,
}

impl embedded_io::ErrorType for Slow {
    type Error = Infallible;
}

impl embedded_io::Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let n = bytes.len().min(self.most);
        self.sent.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl embedded_io_async::Write for Slow {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        std::future::poll_fn(|context| {
            self.ready = !self.ready;
            if self.ready {
                Poll::Ready(())
            } else {
                context.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await;
        embedded_io::Write::write(self, bytes)
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

const LINES: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"0\"}}}\n\
{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"temp_read\"}}\nnonsense\n";

/// What the lines are answered, by hand.
fn expected() -> Vec<u8> {
    let mut memory = LineMemory::<1024, 512, 2, 256>::new();
    let mut peer = agentmote_tests::peer::LinePeer::new(
        &mut memory,
        &DEVICE,
        Arm::new(),
        agentmote_tests::peer::Cut::WHOLE,
    );
    peer.send(LINES)
}

fn run<F: std::future::Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..100_000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("the transport never finished");
}

#[test]
fn lines_over_both_adapters_are_the_same() {
    let expected = expected();
    for most in [1, 7, 1000] {
        let mut memory = LineMemory::<1024, 512, 2, 256>::new();
        let mut server = Server::new(&DEVICE, Arm::new());
        let mut line = Line::new(&mut memory);
        let mut tx = Slow {
            sent: Vec::new(),
            most,
            ready: false,
        };
        let now = Instant::from_millis(0);
        assert_eq!(
            io::feed(&mut line, &mut server, now, LINES, &mut tx),
            Ok(LINES.len())
        );
        assert_eq!(tx.sent, expected);

        let mut memory = LineMemory::<1024, 512, 2, 256>::new();
        let mut server = Server::new(&DEVICE, Arm::new());
        let mut line = Line::new(&mut memory);
        let mut tx = Slow {
            sent: Vec::new(),
            most,
            ready: false,
        };
        let taken = run(io::feed_async(&mut line, &mut server, now, LINES, &mut tx));
        assert_eq!(taken, Ok(LINES.len()));
        assert_eq!(tx.sent, expected);
    }
}

/// Bytes behind a call that takes its time are left over, and taken later.
#[test]
fn what_is_left_over_is_told() {
    let mut memory = HttpMemory::<2048, 512>::new();
    let mut server = Server::new(&DEVICE, Arm::new());
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":0,"deg":9}}}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let both = format!("{request}{request}");
    let mut tx = Slow {
        sent: Vec::new(),
        most: 64,
        ready: false,
    };
    let start = Instant::from_millis(0);
    let taken = io::feed(&mut http, &mut server, start, both.as_bytes(), &mut tx);
    assert_eq!(taken, Ok(request.len()));
    assert!(tx.sent.is_empty());
    let later = Instant::from_millis(10_000);
    let rest = &both.as_bytes()[request.len()..];
    assert_eq!(io::feed(&mut http, &mut server, later, &[], &mut tx), Ok(0));
    assert_eq!(agentmote_tests::peer::answers(&tx.sent).len(), 1);
    assert_eq!(
        io::feed(&mut http, &mut server, later, rest, &mut tx),
        Ok(rest.len())
    );
    assert_eq!(agentmote_tests::peer::answers(&tx.sent).len(), 2);
}

static AGENT_DEVICE: Device<Script> = Device::new(Identity::new("arm-7", "0.1.0"), &[]);

/// An agent behind the same call: its work is done when it is due.
#[test]
fn a_connection_that_serves_an_agent_is_fed_alike() {
    let body = request("SendMessage", &message("m-1", "home"));
    let text = format!(
        "POST /a2a/ HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for is_async in [false, true] {
        let mut memory = HttpMemory::<2048, 512>::new();
        let mut server = Server::new(&AGENT_DEVICE, Script::default());
        let mut desk = AgentDesk {
            agent: Box::leak(Box::new(Agent::new(CARD))),
            tasks: World::new::<2>().tasks,
            callers: |_| Some(Caller::default()),
        };
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
        let mut both = io::WithAgent {
            http: &mut http,
            desk: &mut desk,
        };
        let mut tx = Slow {
            sent: Vec::new(),
            most: 7,
            ready: false,
        };
        let mut feed = |now: u64, bytes: &[u8]| {
            let now = Instant::from_millis(now);
            let taken = match is_async {
                false => io::feed(&mut both, &mut server, now, bytes, &mut tx),
                true => run(io::feed_async(&mut both, &mut server, now, bytes, &mut tx)),
            };
            assert_eq!(taken, Ok(bytes.len()));
            io::Connection::wake(&both)
        };
        let mut wake = feed(0, text.as_bytes());
        while let Some(due) = wake {
            wake = feed(due.as_millis(), b"");
        }
        let answer = agentmote_tests::peer::answers(&tx.sent).remove(0).json();
        let state = &answer["result"]["task"]["status"]["state"];
        assert_eq!(state, "TASK_STATE_COMPLETED");
    }
}
