//! HTTP over TCP, one thread a connection.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentmote::server::{Http, HttpConfig, HttpMemory};

use crate::serve::Serve;
use crate::{Clock, lock, until};

/// Connections that are served at once; the next one is closed with 503.
pub const MAX_CONNECTIONS: usize = 64;

/// Bytes of the longest request, head and body.
const REQUEST: usize = 16 * 1024;
/// Bytes of the largest result.
const RESULT: usize = 8 * 1024;
/// How long a connection may be silent.
const IDLE: Duration = Duration::from_secs(300);
/// From how many connections on one that is silent makes room for others.
const CROWDED: usize = MAX_CONNECTIONS / 4 * 3;
/// How long a connection may be silent then.
const CROWDED_IDLE: Duration = Duration::from_secs(2);
/// How often a silent connection looks whether it is time to go.
const IDLE_LOOK: Duration = Duration::from_secs(1);
/// How long a peer may take to send one request.
const REQUEST_TIME: Duration = Duration::from_secs(20);
/// How often to look at the peer while a call takes its time.
const LOOK: Duration = Duration::from_millis(100);
/// How often to look for new tasks.
const WORK: Duration = Duration::from_millis(5);
/// Bytes of later requests that are kept while a call takes its time.
const PENDING: usize = 64 * 1024;
/// How long to wait after a connection that could not be accepted.
const PASSING: Duration = Duration::from_millis(20);
/// How long a peer may take to read an answer.
const WRITE: Duration = Duration::from_secs(30);
/// How long a closed connection is still read, so that the peer sees the
/// answer and not a reset.
const LINGER: Duration = Duration::from_millis(500);

/// A listening socket on this machine.
#[derive(Debug)]
pub struct Listener(TcpListener);

impl Listener {
    /// Listens on 127.0.0.1 alone (M-050); port 0 takes a free one.
    ///
    /// # Errors
    /// Those of the socket, such as a port in use; their text names it.
    pub fn bind(port: u16) -> io::Result<Self> {
        let address = (Ipv4Addr::LOCALHOST, port);
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}:{port}: {error}", address.0))
        };
        TcpListener::bind(address).map(Self).map_err(named)
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// Those of accepting a connection that will not go away by themselves.
    pub fn serve<S: Serve>(
        &self,
        server: Arc<Mutex<S>>,
        config: HttpConfig,
        clock: Clock,
    ) -> io::Result<()> {
        let open = Arc::new(AtomicUsize::new(0));
        if S::HAS_TASKS {
            let server = Arc::clone(&server);
            std::thread::Builder::new().spawn(move || work(&server, clock))?;
        }
        loop {
            let stream = match self.0.accept() {
                Ok((stream, _)) => stream,
                Err(error) if is_passing(&error) => {
                    std::thread::sleep(PASSING);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if open.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
                open.fetch_sub(1, Ordering::SeqCst);
                refuse(stream);
                continue;
            }
            let server = Arc::clone(&server);
            let place = Arc::clone(&open);
            let thread = std::thread::Builder::new().spawn(move || {
                // A peer that goes away is no error of this program.
                let _ = converse(stream, &server, config, clock, &place);
                place.fetch_sub(1, Ordering::SeqCst);
            });
            // No thread to be had: the stream is closed with its closure.
            if thread.is_err() {
                open.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}

/// Whether the next connection may be accepted all the same: this one is
/// gone, or the process has as many files open as it may.
fn is_passing(error: &io::Error) -> bool {
    /// No more files for the process, or for the machine.
    const FILES: [i32; 2] = [24, 23];
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
    ) || error
        .raw_os_error()
        .is_some_and(|code| FILES.contains(&code))
}

/// Tells a peer that there is no place for it. Nothing here waits for it: the
/// thread that accepts connections has others to accept.
fn refuse(mut stream: TcpStream) {
    let _ = stream.set_nonblocking(true);
    let _ = stream.write_all(
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    let _ = stream.shutdown(Shutdown::Write);
}

/// Lets tasks go on that nobody waits for, as long as the process lives.
fn work<S: Serve>(server: &Mutex<S>, clock: Clock) {
    loop {
        let wake = lock(server).work(clock.now());
        let wait = until(wake, clock.now()).map_or(WORK, |wait| wait.min(WORK));
        std::thread::sleep(wait);
    }
}

fn converse<S: Serve>(
    mut stream: TcpStream,
    server: &Mutex<S>,
    config: HttpConfig,
    clock: Clock,
    open: &AtomicUsize,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE))?;
    let mut memory = Box::new(HttpMemory::<REQUEST, RESULT>::new());
    let mut http = lock(server).connection(&mut memory, config);
    let mut input = [0; 4096];
    // Bytes that arrived and were not taken yet.
    let mut pending = Vec::new();
    // When the request that is arriving began.
    let mut begun: Option<std::time::Instant> = None;
    // Since when the connection is silent between requests.
    let mut idle: Option<std::time::Instant> = None;
    let result = loop {
        let mut out = [0; 4096];
        let filled = lock(server).poll(&mut http, clock.now(), &mut out);
        if filled > 0 {
            begun = None;
            if let Err(error) = stream.write_all(&out[..filled]) {
                break Err(error);
            }
            continue;
        }
        if http.is_closed() {
            linger(&mut stream);
            return Ok(());
        }
        let taken = http.receive(&pending);
        pending.drain(..taken);
        if taken > 0 {
            continue;
        }
        let wake = lock(server).wake(&http);
        let wait = until(wake, clock.now()).map(|wait| wait.min(LOOK));
        // Who sends so much behind a call that takes its time could not be
        // seen to go away.
        if pending.len() >= PENDING {
            break Ok(());
        }
        if wait.is_none() && !pending.is_empty() {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        let left = match wait {
            Some(wait) => wait,
            None if http.is_idle() => {
                let since = idle.get_or_insert_with(std::time::Instant::now);
                let crowded = open.load(Ordering::SeqCst) >= CROWDED;
                let most = if crowded { CROWDED_IDLE } else { IDLE };
                match most.checked_sub(since.elapsed()) {
                    Some(left) if !left.is_zero() => left.min(IDLE_LOOK),
                    _ => break Ok(()),
                }
            }
            None => {
                let since = begun.get_or_insert_with(std::time::Instant::now);
                match REQUEST_TIME.checked_sub(since.elapsed()) {
                    Some(left) if !left.is_zero() => left,
                    _ => break Ok(()),
                }
            }
        };
        // Read on while a call takes its time: its peer may go away.
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut input) {
            Ok(0) => break Ok(()),
            Ok(n) => {
                idle = None;
                pending.extend_from_slice(&input[..n]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // The next turn tells whether it is too late.
            Err(error) if is_timeout(&error) => {}
            Err(error) => break Err(error),
        }
    };
    finish(&mut http, server, clock);
    result
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The peer is gone; a call of the legacy era still runs to its end (M-190).
fn finish<S: Serve>(http: &mut Http<'_>, server: &Mutex<S>, clock: Clock) {
    lock(server).hang_up(http, clock.now());
    while !http.is_closed() {
        lock(server).poll(http, clock.now(), &mut []);
        let wait = until(http.wake(), clock.now());
        std::thread::sleep(wait.unwrap_or(Duration::from_millis(1)));
    }
}

fn linger(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(LINGER));
    let mut sink = [0; 4096];
    // At most 256 KiB more: a peer that sends for ever is cut off.
    for _ in 0..64 {
        match stream.read(&mut sink) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}
