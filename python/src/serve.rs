//! HTTP over TCP, one thread a connection. Python is entered for handlers
//! alone.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::device::{Device, agent};
use crate::token::Tokens;
use crate::wire::{AGENT_PATH, Lists, Running, Wire, lock};

/// Connections that are served at once; the next one is closed with 503.
const MAX_CONNECTIONS: usize = 64;
/// How long a connection may be silent.
const IDLE: Duration = Duration::from_secs(300);
/// How long a peer may take to send one request.
const REQUEST_TIME: Duration = Duration::from_secs(20);
/// How often to look at the peer while a call takes its time.
const LOOK: Duration = Duration::from_millis(100);
/// Bytes of later requests that are kept while a call takes its time.
const PENDING: usize = 128 * 1024;
/// How long to wait after a connection that could not be accepted.
const PASSING: Duration = Duration::from_millis(20);
/// How long a peer may take to read an answer.
const WRITE: Duration = Duration::from_secs(30);
/// How long a closed connection is still read, so that the peer sees the
/// answer and not a reset.
const LINGER: Duration = Duration::from_millis(500);
/// Bytes of one read or write.
const CHUNK: usize = 8 * 1024;

struct Shared {
    running: Arc<Running>,
    lists: Arc<Lists>,
    tokens: Option<Arc<Tokens>>,
    /// The number of the agent that is served too.
    agent: Option<usize>,
    closing: AtomicBool,
    /// The open connections, to be shut down at the end.
    peers: Mutex<HashMap<u64, TcpStream>>,
}

/// A device that listens for HTTP.
#[pyclass(frozen, module = "agentmote._native")]
pub(crate) struct Listener {
    /// Keeps the functions alive for the garbage collector, too.
    device: Py<Device>,
    shared: Arc<Shared>,
    address: SocketAddr,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Listener {
    pub(crate) fn open(
        device: Py<Device>,
        running: Arc<Running>,
        address: &str,
        lists: Lists,
        tokens: Option<Arc<Tokens>>,
        url: Option<String>,
    ) -> PyResult<Self> {
        let found = address
            .to_socket_addrs()
            .map_err(|error| PyValueError::new_err(format!("address {address:?}: {error}")))?;
        let found: Vec<SocketAddr> = found.collect();
        let listener = TcpListener::bind(&found[..])
            .map_err(|error| PyOSError::new_err(format!("address {address:?}: {error}")))?;
        let address = listener.local_addr()?;
        let url = url.unwrap_or_else(|| format!("http://{address}{AGENT_PATH}/"));
        let agent = agent(&running, Some(&url), tokens.is_some())?;
        running.go_on();
        let shared = Arc::new(Shared {
            running,
            lists: Arc::new(lists),
            tokens,
            agent,
            closing: AtomicBool::new(false),
            peers: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("agentmote-accept".into())
            .spawn(move || accept(&listener, &accepting))?;
        Ok(Self {
            device,
            shared,
            address,
            thread: Mutex::new(Some(thread)),
        })
    }
}

#[pymethods]
impl Listener {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.device)
    }

    /// Host and port.
    #[getter]
    fn address(&self) -> (String, u16) {
        (self.address.ip().to_string(), self.address.port())
    }

    /// Stops listening and ends every connection. Once more does nothing.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            self.shared.closing.store(true, Ordering::SeqCst);
            for stream in lock(&self.shared.peers).values() {
                let _ = stream.shutdown(Shutdown::Both);
            }
            if let Some(thread) = lock(&self.thread).take() {
                // `accept` has no limit of its own: a peer wakes it.
                let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
                let _ = thread.join();
            }
        });
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // The threads end by themselves; nobody waits for them here, where
        // Python may be held.
        self.shared.closing.store(true, Ordering::SeqCst);
        for stream in lock(&self.shared.peers).values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_millis(100));
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    let mut number = 0;
    while !shared.closing.load(Ordering::SeqCst) {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(_) => {
                std::thread::sleep(PASSING);
                continue;
            }
        };
        if shared.closing.load(Ordering::SeqCst) {
            break;
        }
        threads.retain(|thread| !thread.is_finished());
        if threads.len() >= MAX_CONNECTIONS {
            refuse(stream);
            continue;
        }
        number += 1;
        let Ok(copy) = stream.try_clone() else {
            continue;
        };
        lock(&shared.peers).insert(number, copy);
        let own = Arc::clone(shared);
        let thread = std::thread::Builder::new()
            .name("agentmote-peer".into())
            .spawn(move || {
                Tokens::enter(own.tokens.as_ref());
                // A peer that goes away is no error of this program.
                let _ = converse(stream, &own);
                lock(&own.peers).remove(&number);
            });
        match thread {
            Ok(thread) => threads.push(thread),
            // No thread to be had: the stream is closed with its closure.
            Err(_) => {
                lock(&shared.peers).remove(&number);
            }
        }
    }
    for thread in threads {
        let _ = thread.join();
    }
}

/// Tells a peer that there is no place for it, without waiting for it.
fn refuse(mut stream: TcpStream) {
    let _ = stream.set_nonblocking(true);
    let _ = stream.write_all(
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    let _ = stream.shutdown(Shutdown::Write);
}

fn poll(shared: &Shared, wire: &mut Wire, out: &mut [u8]) -> usize {
    let now = shared.running.now();
    let filled = shared.running.with(|backend| {
        let filled = backend.poll(wire, now, out);
        // An interrupt inside a handler has no driver to go to here; the peer
        // has heard of it.
        let _ = backend.interrupt();
        filled
    });
    if shared.agent.is_some() {
        shared.running.tend();
    }
    filled.unwrap_or(0)
}

/// How long to wait for a wake: until then by the clock of the device, at
/// once if that is virtual.
fn until(shared: &Shared, wire: &Wire) -> Option<Duration> {
    let wake = shared.running.wake(wire)?;
    let now = shared.running.now();
    if shared.running.clock.get().jump(wake) {
        return Some(Duration::from_millis(1));
    }
    Some(Duration::from_millis(wake.since(now).max(1)))
}

fn converse(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE))?;
    let mut wire = Wire::http(&shared.lists, shared.agent);
    let mut input = [0; CHUNK];
    let mut out = [0; CHUNK];
    // Bytes that arrived and were not taken yet.
    let mut pending = Vec::new();
    // When the request that is arriving began.
    let mut begun: Option<Instant> = None;
    // The limit that the socket has now: setting it is a call of the system.
    let mut limit = None;
    let result = loop {
        let filled = poll(shared, &mut wire, &mut out);
        if filled > 0 {
            begun = None;
            if let Err(error) = stream.write_all(&out[..filled]) {
                break Err(error);
            }
            continue;
        }
        if wire.is_closed() {
            linger(&mut stream);
            return Ok(());
        }
        let taken = wire.receive(&pending);
        pending.drain(..taken);
        if taken > 0 {
            continue;
        }
        let wait = until(shared, &wire).map(|wait| wait.min(LOOK));
        if pending.len() >= PENDING || (wait.is_none() && !pending.is_empty()) {
            std::thread::sleep(wait.unwrap_or(Duration::from_millis(1)));
            continue;
        }
        let left = match wait {
            Some(wait) => wait,
            None if wire.is_idle() => IDLE,
            None => {
                let since = begun.get_or_insert_with(Instant::now);
                match REQUEST_TIME.checked_sub(since.elapsed()) {
                    Some(left) if !left.is_zero() => left,
                    _ => break Ok(()),
                }
            }
        };
        if limit != Some(left) {
            // Read on while a call takes its time: its peer may go away.
            stream.set_read_timeout(Some(left))?;
            limit = Some(left);
        }
        match stream.read(&mut input) {
            Ok(0) => break Ok(()),
            Ok(n) => pending.extend_from_slice(&input[..n]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if is_timeout(&error) && wait.is_some() => {}
            Err(error) if is_timeout(&error) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    // The peer is gone; a call of the legacy era still runs to its end
    // (M-190), unless the device closes.
    shared
        .running
        .with(|backend| backend.reset(&mut wire, shared.running.now()));
    while !wire.is_closed() && !shared.closing.load(Ordering::SeqCst) {
        poll(shared, &mut wire, &mut []);
        std::thread::sleep(until(shared, &wire).unwrap_or(Duration::from_millis(1)));
    }
    result
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
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
