//! A line that lost bytes on its way to the main loop must be refused, never
//! taken for another one.

use agentmote::server::{Line, LineMemory, Server};
use agentmote::time::Instant;
use bench_arm::{Arm, Command, DEVICE};
use line_ring::Ring;

/// A main loop that takes `taken` bytes from the ring after each byte that
/// the interrupt puts in, and all that is left at the end.
fn answers(input: &[u8], taken: impl Fn(usize) -> usize) -> (String, Server<Arm>) {
    let ring = Ring::<64>::new();
    let mut memory = LineMemory::<256, 256, 1, 128>::new();
    let mut line = Line::new(&mut memory);
    let mut server = Server::new(&DEVICE, Arm::new());
    let mut said = Vec::new();
    let mut feed = |most: usize| {
        let mut chunk = [0xA5; 64];
        let count = ring.pop(&mut chunk[..most]);
        let mut bytes = &chunk[..count];
        loop {
            let used = line.receive(bytes);
            bytes = &bytes[used..];
            let mut out = [0xA5; 512];
            let filled = line.poll(&mut server, Instant::from_millis(0), &mut out);
            said.extend_from_slice(&out[..filled]);
            if used == 0 && filled == 0 {
                assert!(bytes.is_empty());
                return count;
            }
        }
    };
    for (at, byte) in input.iter().enumerate() {
        ring.push(*byte);
        feed(taken(at).min(64));
    }
    while feed(64) > 0 {}
    (String::from_utf8(said).unwrap_or_default(), server)
}

fn ping(id: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")
}

fn pong(id: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n")
}

#[test]
fn what_keeps_up_loses_nothing() {
    let input: String = (0..9).map(ping).collect();
    let wanted: String = (0..9).map(pong).collect();
    assert_eq!(answers(input.as_bytes(), |_| 1).0, wanted);
}

#[test]
fn a_line_that_lost_its_end_is_a_parse_error() {
    // The main loop sleeps while 70 bytes come: two do not fit.
    let input = format!("{:66}{}{}", "", ping(1), ping(2));
    let (said, _) = answers(input.as_bytes(), |at| if at < 70 { 0 } else { 64 });
    let error = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\
                 \"message\":\"Parse error: unexpected character at byte 64\"}}\n";
    assert_eq!(said, format!("{error}{}", pong(2)));
}

#[test]
fn wherever_bytes_are_lost_no_other_call_comes_of_it() {
    // Without a mark, the head of one line and the end of another would make
    // a call that nobody sent.
    let call = |joint: u8, deg: i8| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{{\
             \"name\":\"arm_move\",\"arguments\":{{\"joint\":{joint},\"deg\":{deg}}},\"_meta\":{{\
             \"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
             \"io.modelcontextprotocol/clientCapabilities\":{{}}}}}}}}\n"
        )
    };
    let input = call(0, 10) + &ping(1) + &call(1, -20) + &ping(2) + "\n" + &ping(3);
    for sleep_from in 0..input.len() {
        for sleep in (64..400).step_by(12) {
            let awake = |at: usize| at < sleep_from || at >= sleep_from + sleep;
            let taken = |at: usize| if awake(at) { 64 } else { 0 };
            let (said, server) = answers(input.as_bytes(), taken);
            let moves: Vec<_> = server.app.log().collect();
            let as_sent = |command: &Command| match command {
                Command::Move { joint: 0, to, .. } => *to == 10_000,
                Command::Move { joint: 1, to, .. } => *to == -20_000,
                _ => false,
            };
            assert!(
                moves.iter().all(as_sent),
                "asleep at {sleep_from} for {sleep}: {moves:?}"
            );
            for line in said.lines() {
                let known = line.contains("-32700")
                    || (1..=3).any(|id| format!("{line}\n") == pong(id))
                    || line.contains("\"id\":7,");
                assert!(known, "asleep at {sleep_from} for {sleep}: {line}");
            }
        }
    }
}
