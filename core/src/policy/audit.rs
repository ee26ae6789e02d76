//! What is written down: who did what, on which thing, by what authority, and
//! what came of it. An event holds numbers, names from constant tables and
//! ids that the device gave: nothing of a message or of a credential fits
//! into it.

use super::table::Authority;

/// One of the two doors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Endpoint {
    /// MCP: a tool server.
    Mcp,
    /// A2A: an agent.
    Agent,
}

/// What is asked for, in the words of neither protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Operation {
    /// A request that was refused before it was known what it asks for.
    Request,
    /// A tool is called.
    CallTool,
    /// A resource is read.
    ReadResource,
    /// A prompt is fetched.
    GetPrompt,
    /// A message is sent: it begins a task, or goes to one.
    SendMessage,
    /// A task is read.
    GetTask,
    /// Tasks are listed.
    ListTasks,
    /// A task is to be stopped.
    CancelTask,
    /// A task is watched.
    WatchTask,
    /// The card for known callers is fetched.
    ExtendedCard,
    /// A task has ended: written down for its owner, of no request.
    EndTask,
}

/// On what.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// On nothing that is there.
    None,
    /// On a tool, by its name.
    Tool(&'static str),
    /// On a skill, by its id, or on an extension that answers, by its URI.
    Skill(&'static str),
    /// On a task, by the bytes of its id.
    Task([u8; 16]),
}

impl core::fmt::Debug for Subject {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Tool(name) => f.debug_tuple("Tool").field(name).finish(),
            Self::Skill(id) => f.debug_tuple("Skill").field(id).finish(),
            Self::Task(id) => write!(f, "Task({:032x})", u128::from_be_bytes(*id)),
        }
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Subject {
    fn format(&self, f: defmt::Formatter<'_>) {
        match self {
            Self::None => defmt::write!(f, "None"),
            Self::Tool(name) => defmt::write!(f, "Tool({=str})", name),
            Self::Skill(id) => defmt::write!(f, "Skill({=str})", id),
            Self::Task(id) => defmt::write!(f, "Task({:032x})", u128::from_be_bytes(*id)),
        }
    }
}

/// What a caller wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Request {
    /// Through which door.
    pub endpoint: Endpoint,
    /// What.
    pub operation: Operation,
    /// On what.
    pub subject: Subject,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Why {
    /// It shows no credential, or one that is not known (401).
    Credential,
    /// Too many tries with unknown credentials (429).
    Tries,
    /// The credential lacks scopes of the endpoint (403).
    Scope,
    /// The host, origin, path, method or form of the HTTP request.
    Http,
    /// The message is not right.
    Message,
    /// What it names is not there for this caller.
    NotThere,
    /// The arguments of a tool are not right.
    Arguments,
    /// It is right, but not now: no room, or the task has gone on.
    State,
    /// The work of a task does not want it.
    Work,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outcome {
    /// It was done.
    Done,
    /// It has begun; its own record tells what came of it.
    Accepted,
    /// The caller is asked something first; nothing else was done.
    Asked,
    /// It was begun and failed.
    Failed,
    /// It was begun, and given up by its caller.
    Cancelled,
    /// It was refused; nothing was done.
    Refused(Why),
}

/// One entry of the audit trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Event {
    /// Monotonic time, in milliseconds since the start of the caller's clock.
    pub at_ms: u64,
    /// Who; 0 where that is not known.
    pub id: u32,
    /// For whom; 0 where that is not known.
    pub tenant: u32,
    /// By what authority.
    pub by: Authority,
    /// What, on what.
    pub request: Request,
    /// What came of it.
    pub outcome: Outcome,
}

/// Takes events.
pub trait Audit {
    /// Takes one. It must return soon.
    fn record(&mut self, event: &Event);
}

/// The last `N` events in RAM, about 80 bytes each. The oldest makes room for
/// the newest, and is counted.
///
/// ```
/// use agentmote::policy::{
///     Audit, Authority, Endpoint, Event, Operation, Outcome, Request, Ring, Subject,
/// };
///
/// let mut ring = Ring::<2>::new();
/// for at_ms in 1..=3 {
///     ring.record(&Event {
///         at_ms,
///         id: 7,
///         tenant: 1,
///         by: Authority::Credential("bench"),
///         request: Request {
///             endpoint: Endpoint::Mcp,
///             operation: Operation::CallTool,
///             subject: Subject::Tool("arm_stop"),
///         },
///         outcome: Outcome::Done,
///     });
/// }
/// assert_eq!(ring.dropped(), 1);
/// assert_eq!(ring.iter().map(|event| event.at_ms).collect::<Vec<_>>(), [2, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct Ring<const N: usize> {
    events: heapless::Deque<Event, N>,
    dropped: u32,
}

impl<const N: usize> Ring<N> {
    /// An empty one.
    pub const fn new() -> Self {
        const { assert!(N > 0, "a ring without a place") };
        Self {
            events: heapless::Deque::new(),
            dropped: 0,
        }
    }

    /// The events, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Event> {
        self.events.iter()
    }

    /// Takes the oldest one out.
    pub fn pop(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// How many events made room for others, and were never taken out.
    pub fn dropped(&self) -> u32 {
        self.dropped
    }
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Audit for Ring<N> {
    fn record(&mut self, event: &Event) {
        if self.events.is_full() {
            self.events.pop_front();
            self.dropped = self.dropped.saturating_add(1);
        }
        // There is a place now.
        let _ = self.events.push_back(*event);
    }
}

/// Logs each event with `defmt`: refusals as warnings, all others as
/// information.
#[cfg(feature = "defmt")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Defmt;

#[cfg(feature = "defmt")]
impl Audit for Defmt {
    fn record(&mut self, event: &Event) {
        match event.outcome {
            Outcome::Refused(_) => defmt::warn!("audit {}", event),
            _ => defmt::info!("audit {}", event),
        }
    }
}
