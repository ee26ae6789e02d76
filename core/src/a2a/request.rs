//! A request, decided: which wire it speaks, whether it is right, and what it
//! comes to. What is wrong is refused before anything happens.

#[cfg(feature = "policy")]
use core::cell::Cell;

use super::card::Agent;
use super::choices::WAITS_BY_DEFAULT;
use super::code::Fault;
use super::era::{Method, Versions, Wire, choose};
use super::exchange::{For, Plan};
use super::list::{PAGE, PAGE_MOST, Query, read_token, state_of, state_of_number};
use super::message::{Message, Part};
use super::project::View;
use super::read::{Object, wrong};
use super::reply::Body;
use crate::buf::Span;
use crate::json::{Text, Value};
#[cfg(feature = "policy")]
use crate::policy::{self, Endpoint, Operation, Outcome, Subject};
use crate::rpc;
#[cfg(feature = "policy")]
use crate::task::State;
use crate::task::{
    Kind, New, Principal, Refusal, Runtime, Skill, Stop, Task, TaskId, Tasks, context, stamp,
};
use crate::time::Instant;

/// Who asks, as the policy in front of the core has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caller<'a> {
    /// Whose tasks he sees.
    pub principal: Principal,
    /// The name of his tenant on the wire; empty for none (A-190). A request
    /// that names another finds nothing.
    pub tenant: &'a str,
    /// Whether it is known who he is: others get no card of their own
    /// (A-188).
    pub known: bool,
}

/// A request, as far as a connection understands it.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Who asks.
    pub caller: Caller<'a>,
    /// The value of `A2A-Version`, of the head or of the query (A-080, A-084).
    pub version: Option<&'a [u8]>,
    /// The extensions that its head names; see [`Agent::extensions`]. Those
    /// that its message lists are added.
    pub extensions: u32,
    /// The buffer that it stands in, at most 65535 bytes. It must stay as it
    /// is until the exchange has ended.
    pub buf: &'a [u8],
    /// The body, a part of the buffer.
    pub body: &'a [u8],
}

/// What a request comes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decided {
    /// The id, as it was written; empty for none.
    pub(super) id: Span,
    pub(super) wire: Wire,
    /// Whether the answer is a stream of events whatever is in it (V-014).
    pub(super) as_stream: bool,
    /// The extensions of the card that it activates, a bit each.
    pub(super) extensions: u32,
    pub(super) plan: Result<Plan, Fault>,
    /// What is to be written down of it.
    #[cfg(feature = "policy")]
    pub(super) seen: Seen,
}

/// What the guard of a policy says of a request, if there is one. Where a place
/// is told, the request is about the tool there, whatever its subject says.
#[cfg(feature = "policy")]
pub(super) type Gate<'g> = Option<&'g dyn Fn(&policy::Request, Option<u8>) -> bool>;
#[cfg(not(feature = "policy"))]
pub(super) type Gate<'g> = core::marker::PhantomData<&'g ()>;

/// What is to be written down of a request, once it was decided.
#[cfg(feature = "policy")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// What it asks for.
    pub(crate) operation: Operation,
    /// What has happened, and to what.
    pub(crate) deed: Option<(Subject, Outcome)>,
    /// The task that is to be stopped; what comes of it is told by the
    /// answer.
    pub(crate) stopping: Option<Subject>,
}

#[cfg(feature = "policy")]
impl Seen {
    pub(crate) const NOTHING: Self = Self {
        operation: Operation::Request,
        deed: None,
        stopping: None,
    };
}

/// Decides one request.
pub(super) fn decide<R: Runtime>(
    agent: &Agent<R>,
    tasks: &mut Tasks<'_>,
    facts: &Facts<'_>,
    now: Instant,
    gate: Gate<'_>,
) -> Decided {
    #[cfg(not(feature = "policy"))]
    let _ = gate;
    let refuse = |id: &[u8], wire, fault| Decided {
        id: Span::of(facts.buf, id),
        wire,
        as_stream: false,
        extensions: facts.extensions,
        plan: Err(fault),
        #[cfg(feature = "policy")]
        seen: Seen::NOTHING,
    };
    let mut params = None;
    let message = rpc::read_answered(facts.body, |reader| {
        params = Some(reader.value()?);
        Ok(())
    });
    let (id, method) = match message {
        Ok(Ok(rpc::Message::Request { id, method })) => (id, method),
        // Without an id there is an answer all the same (A-037).
        Ok(Ok(rpc::Message::Notification { method })) => (&[][..], method),
        Ok(Ok(rpc::Message::Response { .. })) => {
            return refuse(&[], Wire::V1, Fault::Invalid("method is missing"));
        }
        Ok(Err(refused)) => return refuse(refused.id, Wire::V1, Fault::Invalid(refused.why)),
        Err(error) => return refuse(&[], Wire::V1, Fault::Parse(error)),
    };
    let versions = Versions {
        lenient: agent.lenient_version,
        any_minor: agent.any_minor,
    };
    let (wire, method) = match choose(method, facts.version, versions) {
        Ok(chosen) => chosen,
        Err((wire, fault)) => return refuse(id, wire, fault),
    };
    let extensions = facts.extensions | listed(agent, method, params);
    let request = Request {
        agent,
        facts,
        wire,
        extensions,
        now,
        #[cfg(feature = "policy")]
        gate,
        #[cfg(feature = "policy")]
        seen: Cell::new(Seen {
            operation: operation(method),
            ..Seen::NOTHING
        }),
    };
    let plan = request.plan(tasks, method, params);
    Decided {
        id: Span::of(facts.buf, id),
        wire,
        as_stream: wire == Wire::V03 && method.streams(),
        extensions,
        plan,
        #[cfg(feature = "policy")]
        seen: request.seen.get(),
    }
}

#[cfg(feature = "policy")]
const fn operation(method: Method) -> Operation {
    match method {
        Method::Send | Method::Stream => Operation::SendMessage,
        Method::Get => Operation::GetTask,
        Method::List => Operation::ListTasks,
        Method::Cancel => Operation::CancelTask,
        Method::Subscribe => Operation::WatchTask,
        Method::ExtendedCard => Operation::ExtendedCard,
        Method::Push => Operation::Request,
    }
}

/// The extensions of the card that a message lists, a bit each (A-210). What
/// is wrong with the list is told when the message is read.
fn listed<R: Runtime>(agent: &Agent<R>, method: Method, params: Option<Value<'_>>) -> u32 {
    if !matches!(method, Method::Send | Method::Stream) {
        return 0;
    }
    let message = params.and_then(|params| params.member("message"));
    let list = message.and_then(|message| message.member("extensions"));
    let uris = list.into_iter().flat_map(Value::elements);
    uris.filter_map(Value::as_text)
        .fold(0, |found, text| found | agent.extension(|uri| text.is(uri)))
}

struct Request<'r, 'a, R: 'static> {
    agent: &'r Agent<R>,
    facts: &'r Facts<'a>,
    wire: Wire,
    extensions: u32,
    now: Instant,
    #[cfg(feature = "policy")]
    gate: Gate<'r>,
    #[cfg(feature = "policy")]
    seen: Cell<Seen>,
}

/// What a policy sees of a request.
#[cfg(feature = "policy")]
impl<R: Runtime> Request<'_, '_, R> {
    /// Whether the guard lets the request reach this.
    fn may(&self, subject: Subject) -> bool {
        self.may_with(subject, None)
    }

    fn may_with(&self, subject: Subject, tool: Option<u8>) -> bool {
        let request = policy::Request {
            endpoint: Endpoint::Agent,
            operation: self.seen.get().operation,
            subject,
        };
        self.gate.is_none_or(|allows| allows(&request, tool))
    }

    #[cfg(feature = "tasks")]
    fn may_use_tool(&self, tool: u8) -> bool {
        self.may_with(Subject::None, Some(tool))
    }

    fn may_reach(&self, tasks: &Tasks<'_>, task: Task) -> bool {
        self.may(subject(tasks, task))
    }

    fn may_use(&self, skill: &Skill<R>) -> bool {
        self.may(Subject::Skill(skill.id))
    }

    /// Whether an extension is there for the caller: it is asked for under
    /// its URI.
    #[cfg(feature = "extensions")]
    fn may_extend(&self, uri: &'static str) -> bool {
        self.may(Subject::Skill(uri))
    }

    fn may_ask(&self) -> bool {
        self.may(Subject::None)
    }

    /// Notes that the message has reached a task.
    fn note_sent(&self, tasks: &Tasks<'_>, task: Task) {
        let outcome = match tasks.state(task) {
            Some(State::Rejected) => Outcome::Refused(policy::Why::NotThere),
            _ => Outcome::Accepted,
        };
        self.seen.set(Seen {
            deed: Some((subject(tasks, task), outcome)),
            ..self.seen.get()
        });
    }

    /// Notes that a task is to be stopped.
    fn note_stop(&self, tasks: &Tasks<'_>, task: Task) {
        self.seen.set(Seen {
            stopping: Some(subject(tasks, task)),
            ..self.seen.get()
        });
    }
}

#[cfg(feature = "policy")]
fn subject(tasks: &Tasks<'_>, task: Task) -> Subject {
    tasks
        .id(task)
        .map_or(Subject::None, |id| Subject::Task(*id.as_bytes()))
}

/// Without a policy, scopes and owners alone decide.
#[cfg(not(feature = "policy"))]
impl<R: Runtime> Request<'_, '_, R> {
    const fn may_reach(&self, _: &Tasks<'_>, _: Task) -> bool {
        true
    }

    const fn may_use(&self, _: &Skill<R>) -> bool {
        true
    }

    #[cfg(feature = "extensions")]
    const fn may_extend(&self, _: &'static str) -> bool {
        true
    }

    #[cfg(feature = "tasks")]
    const fn may_use_tool(&self, _: u8) -> bool {
        true
    }

    const fn may_ask(&self) -> bool {
        true
    }

    const fn note_sent(&self, _: &Tasks<'_>, _: Task) {}

    const fn note_stop(&self, _: &Tasks<'_>, _: Task) {}
}

impl<'a, R: Runtime> Request<'_, 'a, R> {
    fn who(&self) -> Principal {
        self.facts.caller.principal
    }

    fn plan(
        &self,
        tasks: &mut Tasks<'_>,
        method: Method,
        params: Option<Value<'a>>,
    ) -> Result<Plan, Fault> {
        self.required_extensions()?;
        if method.streams() && !self.agent.streaming {
            return Err(Fault::Unsupported("this agent does not stream"));
        }
        if method == Method::Push {
            return Err(Fault::Push);
        }
        let params = Object::new(params, self.wire, "params")?.strict(self.agent.strict_names);
        match method {
            Method::Send | Method::Stream => self.send(tasks, method, &params),
            Method::Get => {
                let view = View {
                    history: params.count("historyLength", "historyLength")?,
                    ..View::ALL
                };
                let task = self.find(tasks, &params)?;
                Ok(self.answer(Body::Task {
                    task,
                    view,
                    wrapped: false,
                    until: tasks.last(),
                }))
            }
            Method::Cancel => {
                params.json("metadata", "metadata")?;
                let task = self.find(tasks, &params)?;
                self.note_stop(tasks, task);
                match tasks.stop(task, self.now) {
                    Stop::Ended => Err(Fault::NotCancelable("it is finished")),
                    Stop::Told => Ok(self.wait(task, View::ALL, false, For::Stop)),
                }
            }
            Method::Subscribe => {
                let task = self.find(tasks, &params)?;
                if tasks.state(task).is_none_or(|state| state.is_terminal()) {
                    return Err(Fault::Unsupported("the task is finished"));
                }
                Ok(Plan::Stream {
                    task,
                    view: View::ALL,
                })
            }
            Method::List => self.list(tasks, &params),
            Method::ExtendedCard => self.extended_card(&params),
            Method::Push => Err(Fault::Push),
        }
    }

    fn answer(&self, body: Body) -> Plan {
        Plan::Answer(body)
    }

    fn wait(&self, task: Task, view: View, wrapped: bool, what: For) -> Plan {
        let millis = self.agent.wait_ms;
        Plan::Wait {
            task,
            view,
            wrapped,
            what,
            until: (millis != 0).then(|| self.now.after(millis)),
        }
    }

    /// A-209.
    fn required_extensions(&self) -> Result<(), Fault> {
        let mut needed = 0u32;
        for (at, extension) in self.agent.card.extensions.iter().enumerate() {
            if extension.required {
                needed |= 1u32.checked_shl(at as u32).unwrap_or(0);
            }
        }
        if needed & !self.extensions == 0 {
            Ok(())
        } else {
            Err(Fault::ExtensionRequired)
        }
    }

    /// Whether the request names no other tenant than the caller's (A-191).
    fn tenant(&self, params: &Object<'a>) -> Result<bool, Fault> {
        if self.wire == Wire::V03 {
            return Ok(true);
        }
        let named = params.text("tenant", "tenant")?;
        Ok(named.is_none_or(|name| name.is(self.facts.caller.tenant)))
    }

    /// The task that `id` names. One of another caller or tenant is not told
    /// apart from none (A-198).
    fn find(&self, tasks: &Tasks<'_>, params: &Object<'a>) -> Result<Task, Fault> {
        let id = params.text("id", "id")?.ok_or(wrong("id", "is missing"))?;
        let fine = self.tenant(params)?;
        let task = self.find_id(tasks, id);
        task.filter(|_| fine).ok_or(Fault::TaskNotFound)
    }

    fn find_id(&self, tasks: &Tasks<'_>, id: Text<'_>) -> Option<Task> {
        let task = tasks.find(self.who(), TaskId::read(id)?)?;
        self.may_reach(tasks, task).then_some(task)
    }

    fn extended_card(&self, params: &Object<'a>) -> Result<Plan, Fault> {
        if !self.agent.extended_card {
            return Err(Fault::Unsupported("there is no extended card"));
        }
        if !self.facts.caller.known || !self.tenant(params)? || !self.may_ask() {
            return Err(Fault::Unsupported("the extended card is for known callers"));
        }
        let scopes = self.who().scopes;
        Ok(self.answer(Body::Card { scopes }))
    }

    fn send(
        &self,
        tasks: &mut Tasks<'_>,
        method: Method,
        params: &Object<'a>,
    ) -> Result<Plan, Fault> {
        let message = Message::read(params, self.wire)?;
        params.json("metadata", "metadata")?;
        let config = params.set("configuration", "configuration")?;
        let config = params.within(config, "configuration")?;
        let view = View {
            history: config.count("historyLength", "configuration.historyLength")?,
            ..View::ALL
        };
        let waits = match self.wire {
            Wire::V1 => config
                .flag("returnImmediately", "configuration.returnImmediately")?
                .map(|at_once| !at_once),
            Wire::V03 => config.flag("blocking", "configuration.blocking")?,
        };
        let (push, field) = match self.wire {
            Wire::V1 => (
                "taskPushNotificationConfig",
                "configuration.taskPushNotificationConfig",
            ),
            Wire::V03 => (
                "pushNotificationConfig",
                "configuration.pushNotificationConfig",
            ),
        };
        let modes = config.texts("acceptedOutputModes", "configuration.acceptedOutputModes")?;
        if config.set(push, field)?.is_some() {
            return Err(Fault::Push);
        }
        if !self.tenant(params)? {
            return Err(wrong("tenant", "is not known"));
        }
        let task = self.deliver(tasks, &message, modes)?;
        Ok(match method {
            Method::Stream => Plan::Stream { task, view },
            _ if waits.unwrap_or(WAITS_BY_DEFAULT) => self.wait(task, view, true, For::Rest),
            _ => self.wait(task, view, true, For::Journal),
        })
    }

    /// Makes the message a new task, or a part of one that there is.
    fn deliver(
        &self,
        tasks: &mut Tasks<'_>,
        message: &Message<'a>,
        modes: Option<Value<'a>>,
    ) -> Result<Task, Fault> {
        #[cfg(feature = "extensions")]
        if (self.agent.answered.iter()).any(|uri| message.names(uri) && self.may_extend(uri)) {
            return self.hand_over(tasks, message);
        }
        if self.agent.dedup
            && let Some(task) = self.sent_before(tasks, message)?
        {
            return Ok(task);
        }
        let Some(id) = message.task else {
            return self.create(tasks, message, modes);
        };
        let task = self.find_id(tasks, id).ok_or(Fault::TaskNotFound)?;
        if !fits_context(tasks, task, message) {
            return Err(wrong(
                "message.contextId",
                "differs from the task's context",
            ));
        }
        if tasks.state(task).is_none_or(|state| state.is_terminal()) {
            return Err(Fault::Ended);
        }
        #[cfg(feature = "tasks")]
        if let Some(tool) = tasks.tool(task)
            && (tasks.needs(task) & !self.who().scopes != 0 || !self.may_use_tool(tool))
        {
            return Err(Fault::Unsupported(
                "the credential does not open the tool of the task",
            ));
        }
        let mut listens = false;
        if let Some(skill) = tasks
            .skill(task)
            .and_then(|at| self.agent.skills.get(usize::from(at)))
        {
            // Another credential of the same owner may have begun it.
            if skill.scopes & !self.who().scopes != 0 || !self.may_use(skill) {
                return Err(Fault::Unsupported(
                    "the credential does not open the skill of the task",
                ));
            }
            self.check_modes(skill, message, modes)?;
            listens = skill.listens;
        }
        tasks
            .go_on(
                task,
                self.who(),
                (message.id, listens),
                self.now,
                |pieces| {
                    message.write(pieces);
                },
            )
            .map_err(fault)?;
        self.note_sent(tasks, task);
        Ok(task)
    }

    /// The task that the same message was sent for before (A-126).
    fn sent_before(&self, tasks: &Tasks<'_>, message: &Message<'a>) -> Result<Option<Task>, Fault> {
        let sent = tasks.sent(self.who(), message.id, |pieces| message.write(pieces));
        let Some((task, same)) = sent else {
            return Ok(None);
        };
        let same = same
            && fits_context(tasks, task, message)
            && message
                .task
                .is_none_or(|id| TaskId::read(id) == tasks.id(task));
        if same {
            Ok(Some(task))
        } else {
            Err(wrong("message.messageId", "was used for another message"))
        }
    }

    fn create(
        &self,
        tasks: &mut Tasks<'_>,
        message: &Message<'a>,
        modes: Option<Value<'a>>,
    ) -> Result<Task, Fault> {
        let skill = self.choose(message)?;
        let mut talks = false;
        if let Some(skill) = skill.and_then(|at| self.agent.skills.get(usize::from(at))) {
            self.check_modes(skill, message, modes)?;
            talks = skill.talks;
        }
        let new = New {
            who: self.who(),
            skill,
            #[cfg(feature = "tasks")]
            tool: false,
            #[cfg(feature = "tasks")]
            memo: 0,
            talks,
            context: message.context,
            message: message.id,
            bytes: message.bytes,
            #[cfg(feature = "extensions")]
            elsewhere: false,
        };
        let task = tasks
            .create(new, self.now, |pieces| message.write(pieces))
            .map_err(fault)?;
        self.note_sent(tasks, task);
        Ok(task)
    }

    /// Gives the message to the extension that answers it.
    #[cfg(feature = "extensions")]
    fn hand_over(&self, tasks: &mut Tasks<'_>, message: &Message<'a>) -> Result<Task, Fault> {
        if let Some(id) = message.task {
            self.find_id(tasks, id).ok_or(Fault::TaskNotFound)?;
            let why = "an extension answers the message, which belongs to no task then";
            return Err(wrong("message.taskId", why));
        }
        let new = New {
            who: self.who(),
            skill: None,
            #[cfg(feature = "tasks")]
            tool: false,
            #[cfg(feature = "tasks")]
            memo: 0,
            talks: false,
            context: message.context,
            message: message.id,
            bytes: message.bytes,
            elsewhere: true,
        };
        let task = tasks
            .create(new, self.now, |pieces| message.write(pieces))
            .map_err(fault)?;
        self.note_sent(tasks, task);
        Ok(task)
    }

    /// The skill that a message is for: the one that it names, or the first
    /// that has one of its words, of those that the caller may use.
    fn choose(&self, message: &Message<'a>) -> Result<Option<u8>, Fault> {
        let scopes = self.who().scopes;
        let named = message.metadata_text("skillId");
        let found = self.agent.skills.iter().position(|skill| {
            scopes & skill.scopes == skill.scopes
                && self.may_use(skill)
                && match named {
                    Some(id) => id.is(skill.id),
                    None => asks_for(message, skill),
                }
        });
        if named.is_some() && found.is_none() {
            return Err(wrong(
                "message.metadata.skillId",
                "is no skill of this agent",
            ));
        }
        Ok(found.and_then(|at| u8::try_from(at).ok()))
    }

    /// A-123, A-124.
    fn check_modes(
        &self,
        skill: &Skill<R>,
        message: &Message<'a>,
        modes: Option<Value<'a>>,
    ) -> Result<(), Fault> {
        if !self.agent.media_check {
            return Ok(());
        }
        if !message.parts().all(|part| takes(skill.input_modes, &part)) {
            return Err(Fault::ContentType(
                "a part is of a type that the skill does not take",
            ));
        }
        let Some(modes) = modes else {
            return Ok(());
        };
        let mut wanted = modes.elements().filter_map(Value::as_text);
        if wanted.any(|mode| skill.output_modes.iter().any(|one| allows(mode, one))) {
            return Ok(());
        }
        Err(Fault::ContentType(
            "the skill gives none of the accepted types",
        ))
    }

    fn list(&self, tasks: &Tasks<'_>, params: &Object<'a>) -> Result<Plan, Fault> {
        let wanted = params.text("contextId", "contextId")?;
        let state = match params.set("status", "status")? {
            None => None,
            Some(value) => {
                let state = match (value.as_text(), value.as_number()) {
                    (Some(name), _) => state_of(name),
                    (None, Some(number)) => number.as_i64().ok().and_then(state_of_number),
                    (None, None) => None,
                };
                // The unspecified one is as good as none.
                let none = value
                    .as_text()
                    .is_some_and(|name| name.is("TASK_STATE_UNSPECIFIED"))
                    || value.as_number().is_some_and(|one| one.as_i64() == Ok(0));
                if state.is_none() && !none {
                    return Err(wrong("status", "is no state of a task"));
                }
                state
            }
        };
        let since = match params.text("statusTimestampAfter", "statusTimestampAfter")? {
            None => 0,
            Some(text) => stamp::read(text.raw())
                .ok_or(wrong("statusTimestampAfter", "is no time with a zone"))?,
        };
        let size = params.count("pageSize", "pageSize")?.unwrap_or(PAGE);
        if !(1..=PAGE_MOST).contains(&size) {
            return Err(wrong("pageSize", "must be 1 to 100"));
        }
        let below = match params.text("pageToken", "pageToken")? {
            None => u64::MAX,
            Some(token) => read_token(token, tasks.secret())
                .ok_or(wrong("pageToken", "was not made by this agent"))?,
        };
        let history = params.count("historyLength", "historyLength")?;
        let artifacts = params.flag("includeArtifacts", "includeArtifacts")?;
        if !self.tenant(params)? {
            return Err(wrong("tenant", "is not known"));
        }
        if !self.may_ask() {
            return Err(Fault::Unsupported("the credential does not open this"));
        }
        let query = Query {
            who: self.who(),
            state,
            since,
            below,
            size: size as u8,
            view: View {
                history,
                artifacts: artifacts.unwrap_or(false),
            },
            until: tasks.last(),
        };
        let context = wanted.map_or(Span::EMPTY, |text| Span::of(self.facts.buf, text.raw()));
        Ok(self.answer(Body::List {
            query,
            context,
            dropped: tasks.dropped(),
        }))
    }
}

/// Whether the context that a message names, if any, is that of the task
/// (A-114, A-115).
fn fits_context(tasks: &Tasks<'_>, task: Task, message: &Message<'_>) -> bool {
    let log = tasks.log(task).unwrap_or(&[]);
    message.context.is_none_or(|id| id.is(context(log)))
}

fn fault(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Full { slots } => Fault::Full { slots },
        Refusal::TooLong { need, room } => Fault::NoRoom { need, room },
        Refusal::Entropy => Fault::Internal("no random bytes for a new id"),
        Refusal::Busy => Fault::Unsupported("the task does not wait for a message"),
        Refusal::Ended => Fault::Ended,
    }
}

/// Whether a text of the message has a word of the skill, which may be the
/// one for every message.
fn asks_for<R>(message: &Message<'_>, skill: &Skill<R>) -> bool {
    skill.words.is_empty()
        || message
            .parts()
            .filter_map(|part| part.text())
            .any(|text| skill.words.iter().any(|word| has_word(text, word)))
}

/// Whether a word stands in a text, in any case of ASCII letters, between
/// characters that are no letters or digits.
fn has_word(text: Text<'_>, word: &str) -> bool {
    let mut rest = word.chars();
    let mut fits = true;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || !c.is_ascii() {
            fits = fits && rest.next().is_some_and(|w| w.eq_ignore_ascii_case(&c));
            continue;
        }
        if fits && rest.as_str().is_empty() && !word.is_empty() {
            return true;
        }
        rest = word.chars();
        fits = true;
    }
    fits && rest.as_str().is_empty() && !word.is_empty()
}

/// Whether a skill takes a part: by the type that it tells, or that its kind
/// has by itself.
fn takes(modes: &[&str], part: &Part<'_>) -> bool {
    let by_itself = match part.content {
        Kind::Text => "text/plain",
        Kind::Data => "application/json",
        Kind::Raw | Kind::Url => "application/octet-stream",
    };
    modes.iter().any(|mode| {
        *mode == "*/*"
            || match part.media_type {
                Some(said) => is_type(said, mode),
                None => by_itself.eq_ignore_ascii_case(mode),
            }
    })
}

/// Whether a media type is this one, its parameters apart.
fn is_type(said: Text<'_>, mode: &str) -> bool {
    let mut mode = mode.bytes();
    for c in said.chars() {
        if matches!(c, ';' | ' ') {
            break;
        }
        if !mode
            .next()
            .is_some_and(|m| char::from(m).eq_ignore_ascii_case(&c))
        {
            return false;
        }
    }
    mode.next().is_none()
}

/// Whether an accepted mode allows a type: itself, all, or all of its first
/// half.
fn allows(accepted: Text<'_>, mode: &str) -> bool {
    let group = mode.split('/').next().unwrap_or("");
    is_type(accepted, mode)
        || accepted.is("*/*")
        || accepted.is("*")
        || accepted
            .as_str()
            .and_then(|text| text.strip_suffix("/*"))
            .is_some_and(|text| text.eq_ignore_ascii_case(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_alone() {
        let has = |text: &str, word| has_word(Text::checked(text.as_bytes()), word);
        for text in [
            "home",
            "Home the arm",
            "go HOME!",
            "please, home",
            r"a\nhome\t",
        ] {
            assert!(has(text, "home"), "{text}");
        }
        for text in ["homes", "rehome", "", "ho me", "höme", "homeé"] {
            assert!(!has(text, "home"), "{text}");
        }
        assert!(!has("anything", ""));
    }

    #[test]
    fn media_types_compare_without_their_parameters() {
        let text = |text: &'static str| Text::checked(text.as_bytes());
        assert!(is_type(text("Text/Plain; charset=utf-8"), "text/plain"));
        assert!(is_type(text("text/plain"), "text/plain"));
        assert!(!is_type(text("text/plainer"), "text/plain"));
        assert!(!is_type(text("text/pla"), "text/plain"));
        for yes in ["text/plain", "text/*", "*/*", "*"] {
            assert!(allows(text(yes), "text/plain"), "{yes}");
        }
        for no in ["application/*", "text/html", "tex/*", ""] {
            assert!(!allows(text(no), "text/plain"), "{no}");
        }
    }
}
