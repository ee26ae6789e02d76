//! Makes the measured call as many times as the first argument says, and
//! prints the last answer; for no call at all, the request.

#![forbid(unsafe_code)]

use std::hint::black_box;

use agentmote::server::{Line, Server};
use bench_line::{DEVICE, Lamps, Memory, REQUEST, RESULT, call};

fn main() -> Result<(), String> {
    let calls: u32 = std::env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .ok_or("usage: bench-line CALLS")?;
    if calls == 0 {
        print!("{}", String::from_utf8_lossy(REQUEST));
        return Ok(());
    }
    let mut memory = Memory::new();
    let mut line = Line::new(&mut memory);
    let mut server = Server::new(&DEVICE, Lamps::default());
    let mut out = [0; 1024];
    let mut len = 0;
    for _ in 0..calls {
        len = call(&mut line, &mut server, black_box(REQUEST), &mut out);
        black_box(&mut out);
    }
    let answer = String::from_utf8_lossy(&out[..len]);
    if !answer.contains(RESULT) || !server.app.on[2] {
        return Err(format!("wrong answer: {answer}"));
    }
    print!("{answer}");
    Ok(())
}
