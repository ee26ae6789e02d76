//! The fixture's [`Engine`] over TCP, with a record of all that happens: each
//! event and what came of it, as frames, in the order in which the engine took
//! them.

use std::io::{self, ErrorKind, Read as _, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use conformance_fixture::{Answer, CONNECTIONS, Engine, Event, Memory};

/// How long a connection may be silent.
const IDLE: Duration = Duration::from_secs(300);
/// How long a peer may take to read an answer.
const WRITE: Duration = Duration::from_secs(30);
/// How long a closed connection is still read, so that the peer sees the
/// answer and not a reset.
const LINGER: Duration = Duration::from_millis(500);
/// How long to wait for a call that leaves no room for later requests.
const PASSING: Duration = Duration::from_millis(1);
/// How long the clock may go unobserved.
const LOOK: Duration = Duration::from_secs(1);

/// A listening socket, and the fixture behind it.
pub struct Recording {
    listener: TcpListener,
    shared: Arc<Shared>,
}

struct Shared {
    desk: Mutex<Desk>,
    /// Told when a connection has had an event.
    changed: Condvar,
}

/// What all connections share. Who holds it applies an event and records it
/// in one go.
struct Desk {
    engine: Engine<'static>,
    start: Instant,
    record: Box<dyn Write + Send>,
    peers: [Option<Peer>; CONNECTIONS],
    /// Peers there were so far.
    count: u64,
}

/// Who is connected.
struct Peer {
    number: u64,
    answers: Sender<Vec<u8>>,
}

/// A peer that has just connected.
struct Opened {
    place: u8,
    number: u64,
    /// What is to be sent to it.
    answers: Receiver<Vec<u8>>,
}

impl Recording {
    /// Listens on 127.0.0.1 alone; port 0 takes a free one. `record` gets
    /// every event in one piece.
    ///
    /// # Errors
    /// Those of the socket, such as a port in use.
    pub fn bind(port: u16, record: impl Write + Send + 'static) -> io::Result<Self> {
        // One for the life of the process.
        let memory = Box::leak(Box::new(Memory::new()));
        let desk = Desk {
            engine: Engine::new(memory),
            start: Instant::now(),
            record: Box::new(record),
            peers: [const { None }; CONNECTIONS],
            count: 0,
        };
        Ok(Self {
            listener: TcpListener::bind((Ipv4Addr::LOCALHOST, port))?,
            shared: Arc::new(Shared {
                desk: Mutex::new(desk),
                changed: Condvar::new(),
            }),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until something goes wrong that is not the fault of a peer.
    pub fn serve(self) -> io::Error {
        let (errors, failed) = mpsc::channel();
        let shared = Arc::clone(&self.shared);
        spawn(&errors, move || shared.tick());
        let inner = errors.clone();
        spawn(&errors, move || self.accept(&inner));
        let ended = io::Error::other("no thread serves any more");
        failed.recv().unwrap_or(ended)
    }

    fn accept(&self, errors: &Sender<io::Error>) -> io::Result<()> {
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                Err(error) => return Err(error),
            };
            // A peer that goes away is no error of this program.
            let Ok((reading, writing)) = both_ends(&stream) else {
                continue;
            };
            let Some(opened) = self.shared.desk().open()? else {
                refuse(stream);
                continue;
            };
            let shared = Arc::clone(&self.shared);
            spawn(errors, move || {
                shared.read(reading, opened.place, opened.number)
            });
            spawn(errors, move || {
                write(writing, &opened.answers);
                Ok(())
            });
        }
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Recording").field(&self.listener).finish()
    }
}

/// Runs `work` beside the others, and tells if it failed.
fn spawn(errors: &Sender<io::Error>, work: impl FnOnce() -> io::Result<()> + Send + 'static) {
    let errors = errors.clone();
    let inner = errors.clone();
    let thread = std::thread::Builder::new().spawn(move || {
        if let Err(error) = work() {
            let _ = inner.send(error);
        }
    });
    if let Err(error) = thread {
        let _ = errors.send(error);
    }
}

fn both_ends(stream: &TcpStream) -> io::Result<(TcpStream, TcpStream)> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(WRITE))?;
    Ok((stream.try_clone()?, stream.try_clone()?))
}

/// Tells a peer that there is no place for it, and waits for nothing.
fn refuse(mut stream: TcpStream) {
    let _ = stream.set_nonblocking(true);
    let _ = stream.write_all(
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    let _ = stream.shutdown(Shutdown::Write);
}

impl Desk {
    fn apply(&mut self, event: Event<'_>) -> io::Result<()> {
        let mut frames = Vec::new();
        event.write(|part| frames.extend_from_slice(part));
        // What is to be done then: bytes for a peer, or the end of it.
        let mut then = Vec::new();
        let applied = self.engine.apply(event, |answer| {
            answer.write(|part| frames.extend_from_slice(part));
            match answer {
                Answer::Bytes(place, bytes) => then.push((place, Some(bytes.to_vec()))),
                Answer::Closed(place) => then.push((place, None)),
                Answer::Done => {}
            }
        });
        applied.map_err(io::Error::other)?;
        // In one piece, and before a peer hears of it: whoever ends the
        // process finds whole events, and all that he saw come of them.
        self.record.write_all(&frames)?;
        self.record.flush()?;
        for (place, bytes) in then {
            let peer = &mut self.peers[usize::from(place)];
            match (bytes, &peer) {
                // A peer that went away reads nothing.
                (Some(bytes), Some(peer)) => _ = peer.answers.send(bytes),
                (Some(_), None) => {}
                // With it goes the way to its thread that writes.
                (None, _) => *peer = None,
            }
        }
        Ok(())
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Tells the engine what time it is, if that is news to it.
    fn catch_up(&mut self) -> io::Result<()> {
        let millis = self.millis();
        if millis > self.engine.now().as_millis() {
            self.apply(Event::Time(millis))?;
        }
        Ok(())
    }

    /// A place for one more peer, if there is one.
    fn open(&mut self) -> io::Result<Option<Opened>> {
        self.catch_up()?;
        let Some(place) = self.engine.free() else {
            return Ok(None);
        };
        self.apply(Event::Open(place))?;
        self.count += 1;
        let (answers, received) = mpsc::channel();
        self.peers[usize::from(place)] = Some(Peer {
            number: self.count,
            answers,
        });
        Ok(Some(Opened {
            place,
            number: self.count,
            answers: received,
        }))
    }

    /// Whether this peer still has this place.
    fn has(&self, place: u8, number: u64) -> bool {
        let peer = &self.peers[usize::from(place)];
        peer.as_ref().is_some_and(|peer| peer.number == number)
    }
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the engine the time whenever it wants it.
    fn tick(&self) -> io::Result<()> {
        let mut desk = self.desk();
        loop {
            let millis = desk.millis();
            let wake = desk.engine.wake().map(|wake| wake.as_millis());
            let wait = match wake {
                Some(wake) if wake <= millis => {
                    desk.catch_up()?;
                    PASSING
                }
                Some(wake) => LOOK.min(Duration::from_millis(wake - millis)),
                None => LOOK,
            };
            let waited = self.changed.wait_timeout(desk, wait);
            desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Hands on what arrives from one peer.
    fn read(&self, mut stream: TcpStream, place: u8, number: u64) -> io::Result<()> {
        let mut input = [0; 2048];
        loop {
            let room = {
                let desk = self.desk();
                if !desk.has(place, number) {
                    drop(desk);
                    linger(stream);
                    return Ok(());
                }
                desk.engine.room(place).min(input.len())
            };
            if room == 0 {
                std::thread::sleep(PASSING);
                continue;
            }
            let arrived = stream.read(&mut input[..room]);
            let mut desk = self.desk();
            if !desk.has(place, number) {
                continue;
            }
            desk.catch_up()?;
            // The time may have closed it.
            if !desk.has(place, number) {
                continue;
            }
            match arrived {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => {
                    desk.apply(Event::Close(place))?;
                    desk.peers[usize::from(place)] = None;
                    drop(desk);
                    self.changed.notify_one();
                    return Ok(());
                }
                Ok(count) => {
                    desk.apply(Event::Bytes(place, &input[..count]))?;
                    drop(desk);
                    self.changed.notify_one();
                }
            }
        }
    }
}

/// Sends what there is until there will be no more.
fn write(mut stream: TcpStream, answers: &Receiver<Vec<u8>>) {
    for bytes in answers {
        if stream.write_all(&bytes).is_err() {
            // The thread that reads finds its end.
            let _ = stream.shutdown(Shutdown::Both);
            return;
        }
    }
    let _ = stream.set_read_timeout(Some(LINGER));
    let _ = stream.shutdown(Shutdown::Write);
}

/// At most 128 KiB more: a peer that sends for ever is cut off.
fn linger(mut stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(LINGER));
    let mut sink = [0; 2048];
    for _ in 0..64 {
        match stream.read(&mut sink) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}
