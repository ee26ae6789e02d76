//! Connections of the core with the memory that they stand in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agentmote::server::{Allow, Bearer, Http, HttpConfig, HttpMemory, Line, LineMemory, Server};
use agentmote::time::Instant;
use bench_arm::Arm;
use pyo3::PyErr;

use crate::app::PyApp;
use crate::arena::Arena;
use crate::clock::Clock;
use crate::token::opens;

/// Bytes of the longest line, and of the longest HTTP request, head and body:
/// as many as the core can count.
pub(crate) const REQUEST: usize = u16::MAX as usize;
/// Bytes of the largest result.
pub(crate) const RESULT: usize = u16::MAX as usize;
/// Calls of polled tools in flight on one line connection.
pub(crate) const CALLS: usize = 16;
/// Bytes of id, arguments and token of each of them.
const KEPT: usize = 16 * 1024;

/// What is behind a server of any application.
pub(crate) trait Host: Send + 'static {
    /// How often something has acted.
    fn runs(&self) -> u64;

    /// What a handler raised that is for the driver of the device.
    fn interrupt(&mut self) -> Option<PyErr> {
        None
    }
}

impl Host for Arm {
    fn runs(&self) -> u64 {
        self.commands().into()
    }
}

impl Host for PyApp {
    fn runs(&self) -> u64 {
        self.runs
    }

    fn interrupt(&mut self) -> Option<PyErr> {
        self.interrupt.take()
    }
}

/// A server of whatever application.
pub(crate) trait Backend: Send {
    fn poll(&mut self, wire: &mut Wire, now: Instant, out: &mut [u8]) -> usize;
    fn reset(&mut self, wire: &mut Wire, now: Instant);
    fn interrupt(&mut self) -> Option<PyErr>;
    fn runs(&self) -> u64;
    /// The bench arm, if it is that.
    fn arm(&mut self) -> Option<&mut Arm> {
        None
    }
}

impl<App: Host> Backend for Served<App> {
    fn poll(&mut self, wire: &mut Wire, now: Instant, out: &mut [u8]) -> usize {
        match &mut wire.end {
            End::Line(line) => line.poll(&mut self.server, now, out),
            End::Http(http) => http.poll(&mut self.server, now, out),
        }
    }

    fn reset(&mut self, wire: &mut Wire, now: Instant) {
        match &mut wire.end {
            End::Line(line) => line.reset(&mut self.server, now),
            End::Http(http) => http.hang_up(&mut self.server, now),
        }
    }

    fn interrupt(&mut self) -> Option<PyErr> {
        self.server.app.interrupt()
    }

    fn runs(&self) -> u64 {
        self.server.app.runs()
    }

    fn arm(&mut self) -> Option<&mut Arm> {
        (&mut self.server.app as &mut dyn std::any::Any).downcast_mut()
    }
}

/// A server, and the tables that it reads.
pub(crate) struct Served<App: 'static> {
    // Before the arena, which goes last.
    pub(crate) server: Server<App>,
    pub(crate) _tables: Option<Arena>,
}

/// A device in use: its server, and its clock.
pub(crate) struct Running {
    backend: Mutex<Box<dyn Backend>>,
    pub(crate) clock: pyo3::Py<Clock>,
    /// The thread that holds the server, to tell a handler that calls its own
    /// device from one that waits for another thread.
    holder: Mutex<Option<std::thread::ThreadId>>,
}

impl Running {
    pub(crate) fn new(backend: Box<dyn Backend>, clock: pyo3::Py<Clock>) -> Self {
        Self {
            backend: Mutex::new(backend),
            clock,
            holder: Mutex::new(None),
        }
    }

    /// Runs `work` with the server. The caller must not be attached to
    /// Python: who holds the server may be waiting for it.
    ///
    /// `None`: this thread is inside a handler of the same device.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut dyn Backend) -> T) -> Option<T> {
        let me = std::thread::current().id();
        if *lock(&self.holder) == Some(me) {
            return None;
        }
        let mut backend = lock(&self.backend);
        *lock(&self.holder) = Some(me);
        // A panic leaves the mark of this thread: it is taken back in any
        // case.
        let mark = Mark(&self.holder);
        let result = work(&mut **backend);
        drop(mark);
        Some(result)
    }

    pub(crate) fn now(&self) -> Instant {
        self.clock.get().now_native()
    }
}

struct Mark<'a>(&'a Mutex<Option<std::thread::ThreadId>>);

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        *lock(self.0) = None;
    }
}

/// A lock may be used on after a thread that held it has panicked: each holder
/// leaves what it guards whole.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum End {
    Line(Box<Line<'static>>),
    Http(Box<Http<'static>>),
}

/// A connection of the core that owns its memory.
pub(crate) struct Wire {
    // Before the memory that it borrows.
    end: End,
    _memory: Memory,
    /// The lists that the configuration of HTTP points to.
    _lists: Option<Arc<Lists>>,
}

type LineRoom = LineMemory<REQUEST, RESULT, CALLS, KEPT>;
type HttpRoom = HttpMemory<REQUEST, RESULT>;

enum Memory {
    Line(*mut LineRoom),
    Http(*mut HttpRoom),
}

impl Drop for Memory {
    fn drop(&mut self) {
        match *self {
            // SAFETY: it comes from `Box::into_raw` in `Wire`, is freed here
            // alone, and the connection that borrows it was dropped before.
            Self::Line(room) => drop(unsafe { Box::from_raw(room) }),
            // SAFETY: as above.
            Self::Http(room) => drop(unsafe { Box::from_raw(room) }),
        }
    }
}

// SAFETY: the pointers are those of boxes that this value alone owns.
unsafe impl Send for Memory {}

/// Who may send HTTP requests to a device.
pub(crate) struct Lists {
    config: HttpConfig,
    _tables: Arena,
}

impl Lists {
    /// Without lists: this machine alone.
    pub(crate) fn new(
        hosts: Option<Vec<String>>,
        origins: Option<Vec<String>>,
        bearer: bool,
    ) -> Self {
        let mut tables = Arena::default();
        let mut allow = |list: Option<Vec<String>>| match list {
            None => Allow::Loopback,
            Some(list) => {
                // SAFETY: `Lists` keeps the arena as long as the configuration
                // and each connection that got it.
                let texts = list.iter().map(|text| unsafe { tables.text(text) });
                let texts: Vec<&'static str> = texts.collect();
                // SAFETY: as above.
                Allow::Listed(unsafe { tables.slice(texts) })
            }
        };
        let config = HttpConfig {
            hosts: allow(hosts),
            origins: allow(origins),
            bearer: bearer.then_some(opens as Bearer),
            ..HttpConfig::LOOPBACK
        };
        Self {
            config,
            _tables: tables,
        }
    }
}

impl Wire {
    /// A line connection.
    pub(crate) fn lines() -> Self {
        let room = Box::into_raw(Box::new(LineRoom::new()));
        // SAFETY: the box is freed by `Memory` alone, which is dropped behind
        // the connection.
        let line = Line::new(unsafe { &mut *room });
        Self {
            end: End::Line(Box::new(line)),
            _memory: Memory::Line(room),
            _lists: None,
        }
    }

    /// An HTTP connection.
    pub(crate) fn http(lists: &Arc<Lists>) -> Self {
        let room = Box::into_raw(Box::new(HttpRoom::new()));
        // SAFETY: as above.
        let http = Http::new(unsafe { &mut *room }, lists.config);
        Self {
            end: End::Http(Box::new(http)),
            _memory: Memory::Http(room),
            _lists: Some(Arc::clone(lists)),
        }
    }

    pub(crate) fn receive(&mut self, bytes: &[u8]) -> usize {
        match &mut self.end {
            End::Line(line) => line.receive(bytes),
            End::Http(http) => http.receive(bytes),
        }
    }

    pub(crate) fn wake(&self) -> Option<Instant> {
        match &self.end {
            End::Line(line) => line.wake(),
            End::Http(http) => http.wake(),
        }
    }

    /// Whether a call is on its way, which will be answered by itself.
    pub(crate) fn is_working(&self) -> bool {
        match &self.end {
            End::Line(line) => line.is_working(),
            End::Http(http) => http.is_working(),
        }
    }

    /// Whether the peer should be hung up on.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.end {
            End::Line(_) => false,
            End::Http(http) => http.is_closed(),
        }
    }

    /// Whether no request is on its way. Lines do not tell.
    pub(crate) fn is_idle(&self) -> bool {
        match &self.end {
            End::Line(_) => true,
            End::Http(http) => http.is_idle() || http.is_closed(),
        }
    }

    /// Makes a closed HTTP connection ready for the next peer.
    pub(crate) fn open(&mut self) {
        if let End::Http(http) = &mut self.end {
            http.open();
        }
    }
}
