//! The bench arm on an LM3S6965: one MCP message a line over UART0. Nothing
//! else is ever sent there (M-087).

#![no_std]
#![no_main]
#![deny(unsafe_code)]

mod board;

use agentmote::server::{Line, LineMemory, Server, io};
use bench_arm::{Arm, DEVICE};
use cortex_m_rt::entry;
use embedded_io::{Read, ReadReady};

/// Lines of up to 1,024 bytes, results of up to 512, and two calls that may
/// take their time, with 256 bytes of arguments each.
type Memory = LineMemory<1024, 512, 2, 256>;

/// Bytes that are taken from the UART at a time.
const CHUNK: usize = 64;

#[entry]
fn main() -> ! {
    // cortex-m-rt hands these out as references, once.
    static mut MEMORY: Memory = Memory::new();
    static mut SERVER: Server<Arm> = Server::new(&DEVICE, Arm::new());

    let Some((mut clock, mut uart)) = board::start() else {
        board::stop()
    };
    let mut line = Line::new(MEMORY);
    let mut chunk = [0; CHUNK];
    let mut bytes: &[u8] = &[];
    loop {
        if bytes.is_empty() && uart.read_ready() == Ok(true) {
            let Ok(count) = uart.read(&mut chunk);
            bytes = chunk.get(..count).unwrap_or(&[]);
        }
        let now = clock.now();
        let Ok(taken) = io::feed(&mut line, SERVER, now, bytes, &mut uart);
        bytes = bytes.get(taken..).unwrap_or(&[]);
        let due = line.wake().is_some_and(|wake| wake <= now);
        if !due && (bytes.is_empty() || taken == 0) {
            board::sleep();
        }
    }
}
