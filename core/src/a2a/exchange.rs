//! One request on its way: decided once, then asked again and again what is
//! to be sent.

use super::card::Agent;
use super::choices::STREAM_ENDS_INTERRUPTED;
use super::code::Fault;
use super::era::Wire;
use super::project::View;
use super::reply::{Body, Reply};
#[cfg(feature = "policy")]
use super::request::Seen;
use super::request::{Decided, Facts, Gate, decide};
use crate::buf::Span;
use crate::task::{Runtime, State, Status, Task, Tasks, What, entries};
use crate::time::Instant;

/// What a request comes to, once it was found right.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plan {
    /// An answer that stands already.
    Answer(Body),
    /// The task, once it is so far, or at this time at the latest.
    Wait {
        task: Task,
        view: View,
        wrapped: bool,
        what: For,
        until: Option<Instant>,
    },
    /// The task, then what becomes of it.
    Stream { task: Task, view: View },
}

/// What a request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// That the task is kept, and is one (A-119, A-120).
    Journal,
    /// That it ends, or waits for its caller (A-118).
    Rest,
    /// That it stops, or cannot (A-143).
    Stop,
}

/// What is to be sent next.
#[derive(Clone, Copy, Debug)]
#[must_use = "it is to be sent"]
pub enum Next {
    /// Nothing yet: ask again at [`Exchange::wake`].
    Wait,
    /// This JSON, and nothing more. HTTP status 200 whatever it says (A-034).
    Answer(Reply),
    /// This event of a stream (A-170); more follow. Ask again once it is out.
    Event(Reply),
    /// This event of a stream, the last one.
    Last(Reply),
    /// Nothing more: the connection must be closed without an answer, because
    /// a task was dropped meanwhile.
    Gone,
}

#[derive(Clone, Copy, Debug)]
enum Doing {
    Idle,
    Plan(Plan),
    /// A stream that has told everything up to this number.
    Stream {
        task: Task,
        told: u64,
    },
    Fault {
        fault: Fault,
        as_stream: bool,
    },
}

/// One request, from its body to the last byte of its answer. A connection
/// has one, and uses it for one request after the other.
///
/// ```
/// use agentmote::a2a::{Agent, Caller, Card, Exchange, Facts, Next};
/// use agentmote::buf::Sink;
/// use agentmote::task::{Journal, Runtime, Skill, Step, TaskMemory, TaskRules, Tasks};
/// use agentmote::time::Instant;
///
/// struct Lamp;
/// impl Journal for Lamp {}
/// impl Runtime for Lamp {
///     const SKILLS: &'static [Skill<Self>] =
///         &[Skill::new("light", "Light", "Switches it on.", &["lamp"], |_, work| {
///             work.artifact("state", "on");
///             Step::DONE
///         })];
/// }
/// static AGENT: Agent<Lamp> =
///     Agent::new(Card::new("lamp", "A lamp.", "1.0.0", "http://127.0.0.1/a2a/"));
///
/// let mut memory = TaskMemory::<2, 1024, 0>::new();
/// // A device fills it from its source of random bytes.
/// let mut tasks = Tasks::new(&mut memory, TaskRules::new(|bytes| {
///     bytes.iter_mut().enumerate().for_each(|(i, byte)| *byte = i as u8 + 1);
/// }));
/// let mut lamp = Lamp;
/// let body = br#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":
///     {"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"light, please"}]}}}"#;
/// let facts = Facts {
///     caller: Caller::default(),
///     version: Some(b"1.0"),
///     extensions: 0,
///     buf: body,
///     body,
/// };
/// let now = Instant::from_millis(0);
/// let mut exchange = Exchange::new();
/// exchange.begin(&AGENT, &mut tasks, &mut lamp, &facts, now);
/// tasks.run(&mut lamp, now);
/// let Next::Answer(reply) = exchange.poll(&tasks, now) else {
///     panic!("the work is done");
/// };
/// let mut room = [0; 600];
/// let mut out = Sink::new(&mut room);
/// assert!(reply.write(&mut out, &AGENT, &tasks, body));
/// let text = core::str::from_utf8(out.kept())?;
/// assert!(text.starts_with(r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"id":""#));
/// assert!(text.contains(r#""status":{"state":"TASK_STATE_COMPLETED"}"#));
/// # Ok::<(), core::str::Utf8Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    id: Span,
    wire: Wire,
    extensions: u32,
    /// The newest entry when the request was decided: how its task stood when
    /// it was accepted.
    accepted: u64,
    doing: Doing,
}

impl Default for Exchange {
    fn default() -> Self {
        Self::new()
    }
}

impl Exchange {
    /// No request.
    pub const fn new() -> Self {
        Self {
            id: Span::EMPTY,
            wire: Wire::V1,
            extensions: 0,
            accepted: 0,
            doing: Doing::Idle,
        }
    }

    /// Decides a request. What it asks for has begun after that: a task is
    /// recorded, a wish to stop one is known. Its work goes on in
    /// [`Tasks::run`].
    pub fn begin<R: Runtime>(
        &mut self,
        agent: &Agent<R>,
        tasks: &mut Tasks<'_>,
        runtime: &mut R,
        facts: &Facts<'_>,
        now: Instant,
    ) {
        let decided = decide(agent, tasks, facts, now, Gate::default());
        self.take(tasks, runtime, decided, now);
    }

    /// The same, behind a guard. Tells what is to be written down.
    #[cfg(feature = "policy")]
    pub(crate) fn begin_guarded<R: Runtime>(
        &mut self,
        agent: &Agent<R>,
        tasks: &mut Tasks<'_>,
        runtime: &mut R,
        facts: &Facts<'_>,
        now: Instant,
        may: impl Fn(&R, &crate::policy::Request, Option<u8>) -> bool,
    ) -> Seen {
        let decided = {
            let runtime = &*runtime;
            let may = |request: &_, tool| may(runtime, request, tool);
            decide(agent, tasks, facts, now, Some(&may))
        };
        let seen = decided.seen;
        self.take(tasks, runtime, decided, now);
        seen
    }

    fn take<R: Runtime>(
        &mut self,
        tasks: &mut Tasks<'_>,
        runtime: &mut R,
        decided: Decided,
        now: Instant,
    ) {
        let Decided {
            id,
            wire,
            as_stream,
            extensions,
            plan,
            ..
        } = decided;
        if let Ok(Plan::Wait { task, .. } | Plan::Stream { task, .. }) = plan {
            tasks.keep(runtime, task, now);
        }
        *self = Self {
            id,
            wire,
            extensions,
            accepted: tasks.last(),
            doing: match plan {
                Ok(plan) => Doing::Plan(plan),
                Err(fault) => Doing::Fault { fault, as_stream },
            },
        };
    }

    /// Whether there is no request, or nothing more to send for it.
    pub fn is_idle(&self) -> bool {
        matches!(self.doing, Doing::Idle)
    }

    /// The extensions that the request has activated, by its head or by its
    /// message, a bit each in the order of the card; see
    /// [`Agent::write_extensions`].
    pub fn extensions(&self) -> u32 {
        self.extensions
    }

    /// The name of the header line that tells them, on its wire (A-208).
    pub fn extensions_name(&self) -> &'static str {
        match self.wire {
            Wire::V1 => "A2A-Extensions",
            Wire::V03 => "X-A2A-Extensions",
        }
    }

    /// Forgets the request: its peer has gone. A task goes on without it
    /// (A-175).
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// When [`poll`](Self::poll) is due although nothing arrives.
    pub fn wake(&self, tasks: &Tasks<'_>) -> Option<Instant> {
        match self.doing {
            Doing::Idle => None,
            Doing::Plan(Plan::Wait {
                until: Some(until), ..
            }) => Some(tasks.wake().map_or(until, |wake| wake.min(until))),
            _ => tasks.wake(),
        }
    }

    /// What is to be sent next. After [`Next::Answer`], [`Next::Last`] and
    /// [`Next::Gone`] the exchange is idle.
    pub fn poll(&mut self, tasks: &Tasks<'_>, now: Instant) -> Next {
        match self.doing {
            Doing::Idle => Next::Wait,
            Doing::Fault { fault, as_stream } => {
                let reply = self.reply(Body::Fault(fault));
                self.doing = Doing::Idle;
                if as_stream {
                    Next::Last(reply)
                } else {
                    Next::Answer(reply)
                }
            }
            Doing::Plan(Plan::Answer(body)) => {
                self.doing = Doing::Idle;
                Next::Answer(self.reply(body))
            }
            Doing::Plan(Plan::Wait {
                task,
                view,
                wrapped,
                what,
                until,
            }) => {
                let late = until.is_some_and(|until| until <= now);
                match arrived(tasks, task, what) {
                    Arrived::Gone => {
                        self.doing = Doing::Idle;
                        return Next::Gone;
                    }
                    Arrived::Unstoppable => {
                        self.doing = Doing::Idle;
                        let fault = Fault::NotCancelable("its work cannot be stopped now");
                        return Next::Answer(self.reply(Body::Fault(fault)));
                    }
                    // What the journal does not have must not be told of.
                    Arrived::Yes => {}
                    Arrived::No if late && tasks.is_kept(task) && !tasks.is_open(task) => {}
                    Arrived::No => return Next::Wait,
                }
                self.doing = Doing::Idle;
                if let Some(number) = tasks.word(task) {
                    return Next::Answer(self.reply(Body::Word { task, number }));
                }
                // Who does not wait is told what was accepted, or that it
                // could not be kept.
                let until = match what {
                    For::Journal if tasks.state(task) != Some(State::Failed) => self.accepted,
                    _ => tasks.last(),
                };
                Next::Answer(self.reply(Body::Task {
                    task,
                    view,
                    wrapped,
                    until,
                }))
            }
            Doing::Plan(Plan::Stream { task, view }) => {
                if !tasks.is_kept(task) || tasks.is_open(task) {
                    return Next::Wait;
                }
                if let Some(number) = tasks.word(task) {
                    self.doing = Doing::Idle;
                    return Next::Last(self.reply(Body::Word { task, number }));
                }
                let until = self.accepted;
                let reply = self.reply(Body::Task {
                    task,
                    view,
                    wrapped: true,
                    until,
                });
                let Some(state) = tasks.state(task) else {
                    self.doing = Doing::Idle;
                    return Next::Gone;
                };
                let ended = ends(state) && tasks.changed(task, u64::MAX) <= Some(until);
                self.told(reply, task, until, ended)
            }
            Doing::Stream { task, told } => {
                let Some(log) = tasks.log(task) else {
                    self.doing = Doing::Idle;
                    return Next::Gone;
                };
                let mut later = entries(log, u64::MAX).filter(|entry| entry.number > told);
                let next = later.find_map(|entry| match entry.what {
                    What::Status(Status { state, .. }) => Some((entry.number, ends(state))),
                    What::Artifact(_) => Some((entry.number, false)),
                    What::Message { .. } | What::Note(_) => None,
                });
                let Some((number, last)) = next else {
                    return Next::Wait;
                };
                let reply = self.reply(Body::Event { task, number });
                self.told(reply, task, number, last)
            }
        }
    }

    fn reply(&self, body: Body) -> Reply {
        Reply {
            id: self.id,
            wire: self.wire,
            body,
        }
    }

    /// Sends an event of a stream.
    fn told(&mut self, reply: Reply, task: Task, told: u64, last: bool) -> Next {
        if last {
            self.doing = Doing::Idle;
            return Next::Last(reply);
        }
        self.doing = Doing::Stream { task, told };
        Next::Event(reply)
    }
}

/// Whether a stream ends with this state (A-173, A-174).
const fn ends(state: State) -> bool {
    state.is_terminal() || STREAM_ENDS_INTERRUPTED && state.is_interrupted()
}

enum Arrived {
    Yes,
    No,
    Unstoppable,
    Gone,
}

fn arrived(tasks: &Tasks<'_>, task: Task, what: For) -> Arrived {
    let Some(state) = tasks.state(task) else {
        return Arrived::Gone;
    };
    let yes = match what {
        For::Journal => tasks.is_kept(task) && !tasks.is_open(task),
        For::Rest => tasks.is_kept(task) && (state.is_terminal() || state.is_interrupted()),
        For::Stop if tasks.is_unstoppable(task) => return Arrived::Unstoppable,
        For::Stop => state.is_terminal(),
    };
    if yes { Arrived::Yes } else { Arrived::No }
}
