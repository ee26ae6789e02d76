//! The bench arm on an LM3S6965: one MCP message a line over UART0. Nothing
//! else is ever sent there (M-087).

#![no_std]
#![no_main]
#![deny(unsafe_code)]

#[cfg(feature = "a2a")]
mod agent;
mod board;
#[cfg(feature = "client")]
mod other;
#[cfg(feature = "policy")]
mod policy;

#[cfg(feature = "http")]
use agentmote::server::{Allow, Http, HttpConfig, HttpMemory};
#[cfg(not(feature = "http"))]
use agentmote::server::{Line, LineMemory};
use agentmote::server::{Server, io};
use bench_arm::{Arm, DEVICE};
use cortex_m_rt::entry;
use embedded_io::{Read, ReadReady};

/// Lines of up to 1,024 bytes, results of up to 512, and two calls that may
/// take their time, with 256 bytes of arguments each.
#[cfg(not(feature = "http"))]
type Memory = LineMemory<1024, 512, 2, 256>;

/// Requests of up to 2,048 bytes, results of up to 512.
#[cfg(feature = "http")]
type Memory = HttpMemory<2048, 512>;

/// The one peer is who holds the other end of the wire.
#[cfg(feature = "http")]
const CONFIG: HttpConfig = HttpConfig {
    hosts: Allow::Any,
    ..HttpConfig::LOOPBACK
};

/// Bytes that are taken from the UART at a time.
const CHUNK: usize = 64;

/// The LM3S6965 has no source of random bytes, so a question is never sealed
/// with a secret here: a product takes its key from where it has one.
const fn server() -> Server<Arm> {
    let server = Server::new(&DEVICE, Arm::new());
    #[cfg(any(feature = "input", feature = "sessions"))]
    let server = server.with_key([0; 32]);
    server
}

#[entry]
fn main() -> ! {
    // cortex-m-rt hands these out as references, once.
    static mut MEMORY: Memory = Memory::new();
    static mut SERVER: Server<Arm> = server();
    #[cfg(feature = "policy")]
    static mut POLICY: agentmote::policy::Policy<Arm> = policy::policy();
    #[cfg(feature = "a2a")]
    static mut TASKS: agent::Memory = agent::Memory::new();

    let Some((mut clock, mut uart)) = board::start() else {
        board::stop()
    };
    #[cfg(feature = "policy")]
    policy::guard(SERVER, POLICY);
    #[cfg(not(feature = "http"))]
    let mut line = Line::new(MEMORY);
    #[cfg(feature = "http")]
    let mut line = connection(MEMORY);
    #[cfg(feature = "a2a")]
    let mut desk = agent::desk(TASKS);
    #[cfg(feature = "client")]
    other::tell(&mut uart);
    let mut chunk = [0; CHUNK];
    let mut bytes: &[u8] = &[];
    loop {
        if bytes.is_empty() && uart.read_ready() == Ok(true) {
            let Ok(count) = uart.read(&mut chunk);
            bytes = chunk.get(..count).unwrap_or(&[]);
        }
        let now = clock.now();
        #[cfg(feature = "extensions")]
        agent::respond(&mut desk, now);
        #[cfg(feature = "a2a")]
        let mut line = io::WithAgent {
            http: &mut line,
            desk: &mut desk,
        };
        let Ok(taken) = io::feed(&mut line, SERVER, now, bytes, &mut uart);
        bytes = bytes.get(taken..).unwrap_or(&[]);
        #[cfg(feature = "a2a")]
        let wake = line.http.wake_agent(line.desk);
        #[cfg(not(feature = "a2a"))]
        let wake = line.wake();
        let due = wake.is_some_and(|wake| wake <= now);
        if !due && (bytes.is_empty() || taken == 0) {
            board::sleep();
        }
    }
}

/// The connection, serving what is built in.
#[cfg(feature = "http")]
fn connection(memory: &mut Memory) -> Http<'_> {
    let http = Http::new(memory, CONFIG);
    #[cfg(feature = "a2a")]
    let http = http.with_agent("/a2a");
    #[cfg(feature = "tasks")]
    let http = http.with_tasks();
    #[cfg(feature = "pages")]
    let http = http.with_pages();
    http
}
