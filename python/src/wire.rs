//! Connections of the core with the memory that they stand in.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use agentmote::a2a::Agent;
use agentmote::policy::{Credentials, Policy};
use agentmote::server::{
    AgentDesk, Allow, Bearer, Http, HttpConfig, HttpMemory, Line, LineMemory, Server,
};
use agentmote::task::{Runtime, Skill};
use agentmote::time::Instant;
use bench_arm::Arm;
use pyo3::{PyErr, PyResult};

use crate::app::PyApp;
use crate::arena::Arena;
use crate::clock::Clock;
use crate::describe::Maker;
use crate::policy::Names;
use crate::skill::{self, Dice, TaskRoom};
use crate::token::{opens, shown};

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

/// The path of the agent's endpoint.
pub(crate) const AGENT_PATH: &str = "/a2a";

/// A server of whatever application.
pub(crate) trait Backend: Send {
    /// The number of the agent whose endpoint is at this URL, and whether a
    /// credential is needed for it; nothing if the device has no skill.
    fn agent(&mut self, url: &str, secured: bool) -> PyResult<Option<usize>>;
    fn poll(&mut self, wire: &mut Wire, now: Instant, out: &mut [u8]) -> usize;
    fn reset(&mut self, wire: &mut Wire, now: Instant);
    /// When the connection wants to be polled although nothing arrives.
    fn wake(&self, wire: &Wire) -> Option<Instant>;
    /// Whether there is an agent.
    fn has_agent(&self) -> bool;
    /// Lets tasks go on.
    fn work(&mut self, now: Instant);
    /// When they are due.
    fn due(&self) -> Option<Instant>;
    /// The credentials of its policy, and a place for their names.
    fn credentials(&mut self) -> Option<(&mut Credentials, &mut Names)>;
    /// Forgets every task, as a loss of power does.
    fn forget(&mut self, clock: &Clock);
    fn interrupt(&mut self) -> Option<PyErr>;
    fn runs(&self) -> u64;
    /// The bench arm, if it is that.
    fn arm(&mut self) -> Option<&mut Arm> {
        None
    }
}

impl<App: Host + Runtime> Backend for Served<App> {
    fn agent(&mut self, url: &str, secured: bool) -> PyResult<Option<usize>> {
        let secured = secured || self.server.policy().is_some();
        let desk = self.desk.as_mut();
        desk.map(|desk| desk.agent(url, secured)).transpose()
    }

    fn poll(&mut self, wire: &mut Wire, now: Instant, out: &mut [u8]) -> usize {
        let server = &mut self.server;
        match (&mut wire.end, &mut self.desk, wire.agent) {
            (End::Http(http), Some(desk), Some(at)) => {
                if let Some((_, agent)) = desk.agents.get(at) {
                    desk.inner.agent = agent;
                }
                let inner = &mut desk.inner;
                http.poll_agent(server, inner, now, out)
            }
            (End::Http(http), ..) => http.poll(server, now, out),
            (End::Line(line), ..) => {
                let filled = line.poll(server, now, out);
                self.work(now);
                filled
            }
        }
    }

    fn wake(&self, wire: &Wire) -> Option<Instant> {
        match (&wire.end, &self.desk, wire.agent) {
            (End::Http(http), Some(desk), Some(_)) => http.wake_agent(&desk.inner),
            (End::Http(http), ..) => http.wake(),
            (End::Line(line), ..) => line.wake(),
        }
    }

    fn has_agent(&self) -> bool {
        self.desk.is_some()
    }

    fn work(&mut self, now: Instant) {
        if let Some(desk) = &mut self.desk
            && desk.inner.tasks.wake().is_some_and(|due| due <= now)
        {
            let skills = desk.inner.agent.skills();
            let (inner, app) = (&mut desk.inner, &mut self.server.app);
            inner.tasks.run_skills(skills, app, now);
        }
    }

    fn credentials(&mut self) -> Option<(&mut Credentials, &mut Names)> {
        let policy = self.server.policy()?;
        Some((&mut policy.credentials, &mut self.names))
    }

    fn forget(&mut self, clock: &Clock) {
        if let Some(desk) = &mut self.desk {
            // SAFETY: the tasks that borrowed it go with this assignment, and
            // nothing reads through them any more.
            let room = unsafe { &mut *desk.memory.0 };
            let inner = &mut desk.inner;
            inner.tasks = skill::tasks(room, desk.dice, clock);
        }
    }

    fn due(&self) -> Option<Instant> {
        self.desk.as_ref()?.inner.tasks.wake()
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

/// A server, its agent, and the tables that they read.
pub(crate) struct Served<App: Runtime> {
    // Before the arena, which goes last.
    pub(crate) server: Server<App>,
    pub(crate) desk: Option<Desk<App>>,
    /// The policy in front of both, and the names of its credentials.
    _policy: Option<Owned<Policy<App>>>,
    names: Names,
    _tables: Option<Arena>,
}

impl<App: Runtime> Served<App> {
    pub(crate) fn new(
        mut server: Server<App>,
        desk: Option<Desk<App>>,
        policy: Option<Policy<App>>,
        tables: Option<Arena>,
    ) -> Self {
        let policy = policy.map(Owned::new);
        if let Some(policy) = &policy {
            // SAFETY: the policy stays where it is until the server that
            // borrows it was dropped; nothing else reaches it.
            server.set_policy(unsafe { &mut *policy.0 });
        }
        Self {
            server,
            desk,
            _policy: policy,
            names: Names::default(),
            _tables: tables,
        }
    }
}

/// The agent of a device: its tasks, and its card for each URL under which it
/// is served.
pub(crate) struct Desk<App: Runtime> {
    // Before the memory that it borrows.
    inner: AgentDesk<'static, App>,
    /// Each with its URL and whether a credential is needed.
    agents: Vec<((String, bool), &'static Agent<App>)>,
    about: [String; 3],
    dice: &'static Dice,
    _cards: Vec<Arena>,
    memory: Owned<TaskRoom>,
}

impl<App: Runtime> Desk<App> {
    /// An agent of this name, description and version, with these skills.
    pub(crate) fn new(
        about: [String; 3],
        skills: &'static [Skill<App>],
        clock: &Clock,
    ) -> PyResult<Self> {
        let first = (format!("http://127.0.0.1{AGENT_PATH}/"), false);
        let (agent, card) = made(&about, &first, skills)?;
        let memory = Owned::new(TaskRoom::new());
        // SAFETY: the desk keeps the memory, and drops the tasks before it.
        let room = unsafe { &mut *memory.0 };
        let mut maker = Maker::new();
        // The desk keeps what it stands in.
        let dice = maker.one(Dice::of(clock));
        let inner = AgentDesk {
            agent,
            tasks: skill::tasks(room, dice, clock),
            callers: shown,
        };
        Ok(Self {
            inner,
            agents: vec![(first, agent)],
            about,
            dice,
            _cards: vec![card, maker.finish()],
            memory,
        })
    }

    fn agent(&mut self, url: &str, secured: bool) -> PyResult<usize> {
        let wanted = (url.to_owned(), secured);
        if let Some(at) = self.agents.iter().position(|(known, _)| *known == wanted) {
            return Ok(at);
        }
        let (agent, card) = made(&self.about, &wanted, self.inner.agent.skills())?;
        self._cards.push(card);
        self.agents.push((wanted, agent));
        Ok(self.agents.len() - 1)
    }
}

/// An agent, and the table that its card stands in.
fn made<App: Runtime>(
    [name, description, version]: &[String; 3],
    (url, secured): &(String, bool),
    skills: &'static [Skill<App>],
) -> PyResult<(&'static Agent<App>, Arena)> {
    let mut maker = Maker::new();
    let agent = maker.agent([name, description, version, url], *secured, skills)?;
    Ok((agent, maker.finish()))
}

/// A value that others point to, freed when its owner goes.
struct Owned<T>(*mut T);

impl<T> Owned<T> {
    fn new(value: T) -> Self {
        Self(Box::into_raw(Box::new(value)))
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: it comes from `Box::into_raw`, is freed here alone, and what
        // borrows it was dropped before.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

// SAFETY: the pointer is that of a box that this value alone owns.
unsafe impl<T: Send> Send for Owned<T> {}

/// A device in use: its server, and its clock.
pub(crate) struct Running {
    backend: Mutex<Box<dyn Backend>>,
    pub(crate) clock: pyo3::Py<Clock>,
    /// The thread that holds the server, to tell a handler that calls its own
    /// device from one that waits for another thread.
    holder: Mutex<Option<std::thread::ThreadId>>,
    /// Whether tasks go on by themselves: on a virtual clock only while the
    /// device is served to other programs.
    background: AtomicBool,
    /// Whether it has an agent: without one, nothing of it is asked for.
    has_agent: bool,
    /// Whether a thread lets them go on.
    worker: Mutex<bool>,
}

/// Whether the program ends: no thread goes on then.
static ENDING: AtomicBool = AtomicBool::new(false);
/// The threads that let tasks go on.
static WORKERS: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());
/// How often such a thread looks whether it is to end, and for new work.
const WORK: Duration = Duration::from_millis(20);

/// Ends the work of every task, for the end of the program: a thread must not
/// want the interpreter when that has gone. The caller must not be attached to
/// Python.
pub(crate) fn end_work() {
    ENDING.store(true, Ordering::SeqCst);
    let workers = std::mem::take(&mut *lock(&WORKERS));
    for worker in workers {
        let _ = worker.join();
    }
}

impl Running {
    pub(crate) fn new(backend: Box<dyn Backend>, clock: pyo3::Py<Clock>) -> Self {
        let background = AtomicBool::new(!clock.get().is_virtual());
        Self {
            has_agent: backend.has_agent(),
            backend: Mutex::new(backend),
            clock,
            holder: Mutex::new(None),
            background,
            worker: Mutex::new(false),
        }
    }

    /// Lets tasks go on by themselves from now on.
    pub(crate) fn go_on(&self) {
        self.background.store(true, Ordering::SeqCst);
    }

    /// Sees to it that tasks go on although nobody asks for them. The caller
    /// must not be attached to Python.
    pub(crate) fn tend(self: &Arc<Self>) {
        if !self.has_agent
            || !self.background.load(Ordering::SeqCst)
            || ENDING.load(Ordering::SeqCst)
        {
            return;
        }
        let due = self.with(|backend| backend.due());
        if due.flatten().is_none() {
            return;
        }
        let mut working = lock(&self.worker);
        if *working {
            return;
        }
        let running = Arc::downgrade(self);
        let thread = std::thread::Builder::new()
            .name("agentmote-tasks".into())
            .spawn(move || work(&running));
        // Without a thread, tasks go on with each request.
        if let Ok(thread) = thread {
            *working = true;
            let mut workers = lock(&WORKERS);
            workers.retain(|worker| !worker.is_finished());
            workers.push(thread);
        }
    }

    /// See [`Backend::wake`].
    pub(crate) fn wake(&self, wire: &Wire) -> Option<Instant> {
        match wire.agent {
            Some(_) => self.with(|backend| backend.wake(wire)).flatten(),
            None => wire.wake(),
        }
    }

    /// The same, and when tasks are due.
    pub(crate) fn wake_or_due(&self, wire: &Wire) -> Option<Instant> {
        let wake = self.wake(wire);
        if !self.has_agent {
            return wake;
        }
        let due = self.with(|backend| backend.due()).flatten();
        wake.map_or(due, |wake| Some(due.map_or(wake, |due| wake.min(due))))
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

/// Lets tasks go on until there is none.
fn work(running: &Weak<Running>) {
    while let Some(running) = running.upgrade() {
        let now = running.now();
        running.with(|backend| backend.work(now));
        let mut working = lock(&running.worker);
        let due = running.with(|backend| backend.due()).flatten();
        let Some(due) = due.filter(|_| !ENDING.load(Ordering::SeqCst)) else {
            *working = false;
            return;
        };
        drop(working);
        let pause = match running.clock.get().jump(due) {
            true => Duration::from_millis(1),
            false => Duration::from_millis(due.since(running.now()).max(1)),
        };
        drop(running);
        std::thread::sleep(pause.min(WORK));
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
    /// The number of the agent that it serves.
    agent: Option<usize>,
    /// The lists that the configuration of HTTP points to.
    _lists: Option<Arc<Lists>>,
}

type LineRoom = LineMemory<REQUEST, RESULT, CALLS, KEPT>;
type HttpRoom = HttpMemory<REQUEST, RESULT>;

/// What a connection stands in; never read.
enum Memory {
    Line { _room: Owned<LineRoom> },
    Http { _room: Owned<HttpRoom> },
}

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
        let room = Owned::new(LineRoom::new());
        // SAFETY: the room goes with `_memory`, which is dropped behind the
        // connection.
        let line = Line::new(unsafe { &mut *room.0 });
        Self {
            end: End::Line(Box::new(line)),
            _memory: Memory::Line { _room: room },
            agent: None,
            _lists: None,
        }
    }

    /// An HTTP connection, which serves the agent of this number too.
    pub(crate) fn http(lists: &Arc<Lists>, agent: Option<usize>) -> Self {
        let room = Owned::new(HttpRoom::new());
        // SAFETY: as above.
        let mut http = Http::new(unsafe { &mut *room.0 }, lists.config);
        if agent.is_some() {
            http = http.with_agent(AGENT_PATH);
        }
        Self {
            end: End::Http(Box::new(http)),
            _memory: Memory::Http { _room: room },
            agent,
            _lists: Some(Arc::clone(lists)),
        }
    }

    pub(crate) fn receive(&mut self, bytes: &[u8]) -> usize {
        match &mut self.end {
            End::Line(line) => line.receive(bytes),
            End::Http(http) => http.receive(bytes),
        }
    }

    /// When it wants to be polled, without the agent's part.
    fn wake(&self) -> Option<Instant> {
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
