//! An agent beside a server: its card, its skills and its tasks, in storage
//! of the caller.

use core::ffi::{c_char, c_void};

use crate::abi::{
    AGENTMOTE_ERROR_NULL, AGENTMOTE_PROBLEM_BYTES, agentmote_answer_t, agentmote_problem_t,
    agentmote_run_t, agentmote_status_t, put,
};
use crate::server::agentmote_server_t;

pub use sizes::*;

/// Flag of a skill: its first step may answer with a word and no task
/// (`agentmote_say`).
pub const AGENTMOTE_TALKS: u32 = 1;
/// Flag of a skill: it takes messages while it works. Without it they
/// are refused until it asks for one.
pub const AGENTMOTE_LISTENS: u32 = 2;
/// Flag of a skill: it does not stand in the public card, but in the card of a
/// caller who has its scopes.
pub const AGENTMOTE_HIDDEN: u32 = 4;

/// Flag of an agent: tasks are not streamed, and the card says so.
pub const AGENTMOTE_NO_STREAMING: u32 = 1;
/// Flag of an agent: a known caller is given a card of what he may use
///
pub const AGENTMOTE_EXTENDED_CARD: u32 = 2;
/// Flag of an agent: the card of 1.x has the members of 0.3 too (D-008).
pub const AGENTMOTE_MERGED_CARD: u32 = 4;
/// Flag of an agent: a 1.x method without a version header is served (D-004).
pub const AGENTMOTE_LENIENT_VERSION: u32 = 8;
/// Flag of an agent: 1.1 and later count as 1.0.
pub const AGENTMOTE_ANY_MINOR: u32 = 16;
/// Flag of an agent: the same message sent again is a new task, which A-126
/// advises against.
pub const AGENTMOTE_NO_DEDUP: u32 = 32;
/// Flag of an agent: media types that a skill does not take or give are not
/// refused.
pub const AGENTMOTE_NO_MEDIA_CHECK: u32 = 64;

/// Kind of a scheme: `Authorization: Bearer`.
pub const AGENTMOTE_SCHEME_BEARER: u8 = 1;
/// Kind of a scheme: a secret in a header, whose name is `text`.
pub const AGENTMOTE_SCHEME_API_KEY: u8 = 2;
/// Kind of a scheme: OpenID Connect, described at the URL `text`.
pub const AGENTMOTE_SCHEME_OPEN_ID: u8 = 3;
/// Kind of a scheme: certificates of TLS on both sides.
pub const AGENTMOTE_SCHEME_MUTUAL_TLS: u8 = 4;

/// What fills `size` bytes with random ones that nobody can guess: the ids of
/// tasks are made of them. It is asked for 8 bytes once, and for 32 for each
/// new task. `context` is what `agentmote_init` was given.
pub type agentmote_random_t =
    Option<unsafe extern "C" fn(context: *mut c_void, bytes: *mut c_void, size: usize)>;

/// What keeps the record of a new task where it outlives a loss of power,
/// before its work starts and before its caller hears of it (P-055): `size`
/// bytes, under an id of 16 bytes. It answers `AGENTMOTE_DONE` once it is
/// kept, `AGENTMOTE_PENDING` to be asked again with the same bytes, and
/// anything else if it cannot be kept: the task then fails, and no work
/// begins.
pub type agentmote_keep_t = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        id: *const u8,
        record: *const c_void,
        size: usize,
    ) -> agentmote_answer_t,
>;

/// One thing that an agent does for a message. Written by the macros
/// `AGENTMOTE_SKILL...`.
///
/// Its `run` is called with a handle until it gives an end, and takes one
/// step each time: nothing in it may wait. It answers
///
/// * `AGENTMOTE_PENDING`: not yet;
/// * `AGENTMOTE_DONE`: done, with what it has given as artifacts, or failed
///   (`agentmote_fail`) or rejected (`agentmote_reject`);
/// * `AGENTMOTE_NEED_INPUT`: it has asked (`agentmote_ask`,
///   `agentmote_ask_leave`);
/// * `AGENTMOTE_STOPPED`, `AGENTMOTE_CANNOT_STOP`: what has come of a wish to
///   stop (`agentmote_is_cancelled`).
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_skill_t {
    /// Its identity, unique in the table.
    pub id: *const c_char,
    /// For people.
    pub name: *const c_char,
    /// What it does, for people and models.
    pub description: *const c_char,
    /// At least one.
    pub tags: *const *const c_char,
    /// Messages that ask for it; NULL for none.
    pub examples: *const *const c_char,
    /// A message of which a text has one of these words, in any case of ASCII
    /// letters, asks for it. NULL: every message does that no skill before it
    /// takes. A message may also name it: `metadata.skillId`.
    pub words: *const *const c_char,
    /// Media types that it takes; NULL for `text/plain`.
    pub input_modes: *const *const c_char,
    /// Media types that it gives; NULL for `text/plain`.
    pub output_modes: *const *const c_char,
    /// What runs it; NULL if it is a tool.
    pub run: agentmote_run_t,
    /// Name of the tool of the device that it is: its arguments are the first
    /// object among the data of the message, its result becomes an artifact.
    /// NULL if it has its own `run`.
    pub tool: *const c_char,
    /// How many `tags`.
    pub tag_count: u16,
    /// How many `examples`.
    pub example_count: u16,
    /// How many `words`.
    pub word_count: u16,
    /// How many `input_modes`.
    pub input_mode_count: u16,
    /// How many `output_modes`.
    pub output_mode_count: u16,
    /// `AGENTMOTE_TALKS` and the like, added.
    pub flags: u32,
    /// The scopes that a caller must have, all of them; for who lacks one,
    /// there is no such skill.
    pub scopes: u32,
}

/// One way in which a caller of an agent shows who he is, as its card says
/// . Written by the macros `AGENTMOTE_SCHEME_...`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_scheme_t {
    /// Its name in the card.
    pub name: *const c_char,
    /// A header or a URL, where the kind has one; else NULL.
    pub text: *const c_char,
    /// `AGENTMOTE_SCHEME_BEARER` and the like.
    pub kind: u8,
}

/// A detached signature of a card, made where the key is, over the
/// card that is served without it.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_signature_t {
    /// The protected header, in base64url.
    pub protected_header: *const c_char,
    /// The signature, in base64url.
    pub signature: *const c_char,
}

/// An agent: its card, what it can do, and what it needs for that. Written by
/// `AGENTMOTE_AGENT`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_agent_t {
    /// Its name.
    pub name: *const c_char,
    /// What it is, for people and models.
    pub description: *const c_char,
    /// Its version.
    pub version: *const c_char,
    /// The absolute URL of the endpoint, with the slash at its end.
    pub url: *const c_char,
    /// The path of the endpoint on HTTP connections, with or without a slash
    /// at its end; NULL for `/a2a`.
    pub path: *const c_char,
    /// The tenant that a client names with each request; NULL for none
    ///
    pub tenant: *const c_char,
    /// Who provides it; NULL if not told.
    pub organization: *const c_char,
    /// The page of who provides it; NULL for none.
    pub organization_url: *const c_char,
    /// Where its documentation is; NULL for nowhere.
    pub documentation_url: *const c_char,
    /// Where its icon is; NULL for nowhere.
    pub icon_url: *const c_char,
    /// When the card was changed last, as an HTTP date; NULL if not
    /// told.
    pub last_modified: *const c_char,
    /// What it can do, in the order in which a message is offered.
    pub skills: *const agentmote_skill_t,
    /// How many `skills`: 1 to 254, one of them not hidden.
    pub skill_count: usize,
    /// How a caller may show who he is, each alone is enough; NULL for no way.
    pub schemes: *const agentmote_scheme_t,
    /// How many `schemes`.
    pub scheme_count: usize,
    /// Signatures of the card; NULL for none.
    pub signatures: *const agentmote_signature_t,
    /// How many `signatures`.
    pub signature_count: usize,
    /// The source of random bytes; must not be NULL.
    pub random: agentmote_random_t,
    /// What keeps records; NULL: in RAM alone.
    pub keep: agentmote_keep_t,
    /// The longest that a request waits for its task, in milliseconds; then it
    /// is answered with the task as it is. 0: as long as it takes.
    pub wait_ms: u32,
    /// How long a finished task is kept at least, in milliseconds. Then its
    /// place may be taken by a new one.
    pub retention_ms: u32,
    /// Seconds for which a client may keep the card.
    pub max_age_s: u32,
    /// `AGENTMOTE_NO_STREAMING` and the like, added; 0 is strict, with streams.
    pub flags: u32,
}

/// Storage of an agent, and how it is shared out. Written by
/// `AGENTMOTE_TASK_MEMORY`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_task_memory_t {
    /// The storage, at a multiple of 8.
    pub start: *mut c_void,
    /// Bytes of the storage.
    pub size: usize,
    /// Tasks at once, finished ones that are still kept among them: 1 to 255.
    pub tasks: u16,
    /// Bytes for what one task comes to, its messages, statuses and artifacts:
    /// 512 to 65535.
    pub log: u16,
    /// Bytes of the largest structured artifact or result of a tool that is a
    /// skill: 0 if there is none, else 192 to 65535.
    pub result: u16,
}

#[cfg(target_pointer_width = "64")]
mod sizes {
    /// Words of storage for an agent, without skills and tasks.
    pub const AGENTMOTE_AGENT_WORDS: usize = 60;
    /// Words of storage for a skill, without its texts: each of its tags,
    /// examples, words and modes takes `AGENTMOTE_CHOICE_WORDS`.
    pub const AGENTMOTE_SKILL_WORDS: usize = 18;
    /// Words of storage for a scheme.
    pub const AGENTMOTE_SCHEME_WORDS: usize = 5;
    /// Words of storage for a signature.
    pub const AGENTMOTE_SIGNATURE_WORDS: usize = 4;
    /// Words of storage for a task, without its log.
    pub const AGENTMOTE_TASK_WORDS: usize = 11;
}
#[cfg(target_pointer_width = "32")]
mod sizes {
    /// Words of storage for an agent, without skills and tasks.
    pub const AGENTMOTE_AGENT_WORDS: usize = 36;
    /// Words of storage for a skill, without its texts: each of its tags,
    /// examples, words and modes takes `AGENTMOTE_CHOICE_WORDS`.
    pub const AGENTMOTE_SKILL_WORDS: usize = 10;
    /// Words of storage for a scheme.
    pub const AGENTMOTE_SCHEME_WORDS: usize = 3;
    /// Words of storage for a signature.
    pub const AGENTMOTE_SIGNATURE_WORDS: usize = 2;
    /// Words of storage for a task, without its log.
    pub const AGENTMOTE_TASK_WORDS: usize = 11;
}

/// Opens an agent beside a server: from here on, HTTP connections that are
/// opened serve both, MCP on its path and A2A on that of the agent, with its
/// cards below `/.well-known/`.
///
/// * `memory`: made by `AGENTMOTE_TASK_MEMORY`; it belongs to the server until
///   that is opened anew. What was in it is forgotten.
/// * `agent`: with its tables and texts, must stay as it is as long as the
///   server.
/// * `problem`: NULL, or gets what is wrong and how much storage is needed; it
///   is written on success too.
///
/// Connections that were opened before must be opened anew: they answer
/// `AGENTMOTE_ERROR_NOT_OPEN`. On failure everything is as it was.
///
/// `AGENTMOTE_ERROR_STORAGE` if the storage is too small or not aligned, or a
/// size of it is out of its range; `AGENTMOTE_ERROR_TABLE` if a rule is broken;
/// `AGENTMOTE_ERROR_FEATURE` if the library was built without `a2a`;
/// `AGENTMOTE_ERROR_BUSY` from inside a handler.
///
/// # Safety
/// As said for each parameter; `server` is NULL or storage that was given to
/// `agentmote_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_agent_open(
    memory: *const agentmote_task_memory_t,
    server: *mut agentmote_server_t,
    agent: *const agentmote_agent_t,
    problem: *mut agentmote_problem_t,
) -> agentmote_status_t {
    let none = agentmote_problem_t {
        needed: 0,
        text: [0; AGENTMOTE_PROBLEM_BYTES],
    };
    // SAFETY: as the caller promises.
    unsafe { put(problem, none) };
    if memory.is_null() || server.is_null() || agent.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    unsafe { imp::open(&*memory, server, agent, problem) }
}

/// Lets each task that is due take a step at `now_ms`, and tells when the next
/// one is: `due_ms` gets it, or nothing with `AGENTMOTE_ABSENT` if no task
/// waits for time. HTTP connections do the same when they are polled; a
/// program whose connections may all be closed calls this too, so that tasks
/// go on.
///
/// `AGENTMOTE_ERROR_NOT_OPEN` if the server has no agent,
/// `AGENTMOTE_ERROR_BUSY` from inside a handler, `AGENTMOTE_ERROR_FEATURE` if
/// the library was built without `a2a`.
///
/// # Safety
/// `server` is NULL or storage that was given to `agentmote_init`; `due_ms` is
/// NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_run_tasks(
    server: *mut agentmote_server_t,
    now_ms: u64,
    due_ms: *mut u64,
) -> agentmote_status_t {
    if server.is_null() || due_ms.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    unsafe { imp::run(server, now_ms, due_ms) }
}

/// Tells what time it is: `unix_ms` milliseconds since 1970 (UTC) at `now_ms`.
/// Without it, tasks have no times. The time of one task never goes
/// back, even if the clock does.
///
/// `AGENTMOTE_ERROR_NOT_OPEN` if the server has no agent,
/// `AGENTMOTE_ERROR_BUSY` from inside a handler, `AGENTMOTE_ERROR_FEATURE` if
/// the library was built without `a2a`.
///
/// # Safety
/// `server` is NULL or storage that was given to `agentmote_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_set_clock(
    server: *mut agentmote_server_t,
    unix_ms: u64,
    now_ms: u64,
) -> agentmote_status_t {
    if server.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    unsafe { imp::set_clock(server, unix_ms, now_ms) }
}

#[cfg(not(feature = "a2a"))]
mod imp {
    use super::{agentmote_agent_t, agentmote_task_memory_t};
    use crate::abi::{AGENTMOTE_ERROR_FEATURE, agentmote_problem_t, agentmote_status_t};
    use crate::server::agentmote_server_t;

    pub(super) unsafe fn open(
        _: &agentmote_task_memory_t,
        _: *mut agentmote_server_t,
        _: *const agentmote_agent_t,
        _: *mut agentmote_problem_t,
    ) -> agentmote_status_t {
        AGENTMOTE_ERROR_FEATURE
    }

    pub(super) unsafe fn run(
        _: *mut agentmote_server_t,
        _: u64,
        _: *mut u64,
    ) -> agentmote_status_t {
        AGENTMOTE_ERROR_FEATURE
    }

    pub(super) unsafe fn set_clock(
        _: *mut agentmote_server_t,
        _: u64,
        _: u64,
    ) -> agentmote_status_t {
        AGENTMOTE_ERROR_FEATURE
    }
}

#[cfg(feature = "a2a")]
pub(crate) use imp::Desk;

#[cfg(feature = "a2a")]
mod imp {
    use core::ffi::{c_char, c_void};
    use core::ptr::{addr_of, addr_of_mut};

    use agentmote::a2a::{Agent, Caller, Card, Provider, Scheme, SchemeKind, Signature};
    use agentmote::server::AgentDesk;
    use agentmote::task::{
        Entropy, Journal, Kept, Random, Record, Runtime, Skill, TaskId, TaskRules, Tasks,
    };
    use agentmote::time::Instant;

    use super::*;
    use crate::abi::{
        AGENTMOTE_ABSENT, AGENTMOTE_DONE, AGENTMOTE_ERROR_NOT_OPEN, AGENTMOTE_ERROR_STORAGE,
        AGENTMOTE_ERROR_TABLE, AGENTMOTE_OK, AGENTMOTE_PENDING,
    };
    use crate::gate::{Guard, Mark};
    use crate::server::{App, Refusal, explain};
    use crate::table::{Room, Rule, WORD, choices, fits, list, name, optional, room, take, words};

    const _: () = {
        fits::<Desk>(AGENTMOTE_AGENT_WORDS, 12);
        fits::<Skill<App>>(AGENTMOTE_SKILL_WORDS, 1);
        fits::<Scheme>(AGENTMOTE_SCHEME_WORDS, 1);
        fits::<Signature>(AGENTMOTE_SIGNATURE_WORDS, 1);
        fits::<Record>(AGENTMOTE_TASK_WORDS, 2);
    };

    /// An agent in its storage, before its tables.
    pub(crate) struct Desk {
        agent: Agent<App>,
        random: Device,
        desk: AgentDesk<'static, App>,
        /// Where connections serve it.
        path: &'static str,
    }

    impl Desk {
        /// The desk for a connection, and the path that it serves.
        ///
        /// # Safety
        /// The server's gate was entered, and `desk` is that of the server.
        pub(crate) unsafe fn inner<'d>(
            desk: *mut Self,
        ) -> Option<(&'d mut AgentDesk<'static, App>, &'static str)> {
            if desk.is_null() {
                return None;
            }
            // SAFETY: as the caller promises; the desk was written when the
            // agent was opened.
            unsafe { Some((&mut *addr_of_mut!((*desk).desk), (*desk).path)) }
        }
    }

    /// The source of random bytes that the firmware has.
    struct Device {
        fill: unsafe extern "C" fn(*mut c_void, *mut c_void, usize),
        context: *mut c_void,
    }

    // SAFETY: it is used by who has entered the server's gate alone.
    unsafe impl Sync for Device {}

    impl Random for Device {
        fn fill(&self, bytes: &mut [u8]) {
            // SAFETY: the function and the context come from the firmware,
            // which promises that they belong together.
            unsafe { (self.fill)(self.context, bytes.as_mut_ptr().cast(), bytes.len()) };
        }
    }

    impl Journal for App {
        fn keep(&mut self, id: TaskId, record: &[u8]) -> Kept {
            // SAFETY: an agent stays as long as the server.
            let keep = unsafe { self.agent.as_ref() }.and_then(|agent| agent.keep);
            let Some(keep) = keep else {
                return Kept::Yes;
            };
            let (start, size) = (record.as_ptr().cast(), record.len());
            // SAFETY: as for `Device::fill`.
            match unsafe { keep(self.context, id.as_bytes().as_ptr(), start, size) } {
                AGENTMOTE_DONE => Kept::Yes,
                AGENTMOTE_PENDING => Kept::NotYet,
                _ => Kept::No,
            }
        }
    }

    impl Runtime for App {
        // The table is one of C.
        const SKILLS: &'static [Skill<Self>] = &[];
    }

    impl App {
        pub(crate) fn skills(&self) -> &'static [agentmote_skill_t] {
            // SAFETY: an agent and its tables stay as long as the server.
            match unsafe { self.agent.as_ref() } {
                // SAFETY: as above.
                Some(agent) => unsafe { crate::abi::items(agent.skills, agent.skill_count) },
                None => &[],
            }
        }
    }

    /// How many texts a skill has.
    fn texts(skill: &agentmote_skill_t) -> usize {
        [
            skill.tag_count,
            skill.example_count,
            skill.word_count,
            skill.input_mode_count,
            skill.output_mode_count,
        ]
        .into_iter()
        .fold(0, |sum, count| sum.saturating_add(usize::from(count)))
    }

    /// # Safety
    /// As for `agentmote_agent_open`.
    pub(super) unsafe fn open(
        memory: &agentmote_task_memory_t,
        server: *mut agentmote_server_t,
        agent: *const agentmote_agent_t,
        problem: *mut agentmote_problem_t,
    ) -> agentmote_status_t {
        // SAFETY: as the caller promises.
        match unsafe { opened(memory, server, agent, problem) } {
            Ok(()) => AGENTMOTE_OK,
            Err(Refusal::Status(status)) => status,
            Err(Refusal::Rule(broken)) => {
                // SAFETY: as the caller promises.
                unsafe { explain(problem, broken) };
                AGENTMOTE_ERROR_TABLE
            }
        }
    }

    /// # Safety
    /// As for `agentmote_agent_open`.
    unsafe fn opened(
        memory: &agentmote_task_memory_t,
        server: *mut agentmote_server_t,
        table: *const agentmote_agent_t,
        problem: *mut agentmote_problem_t,
    ) -> Result<(), Refusal> {
        const FRONT: usize = words::<Desk>() * WORD;
        const FLAGS: u32 = AGENTMOTE_NO_MEDIA_CHECK * 2 - 1;
        // SAFETY: as the caller promises.
        let given = unsafe { &*table };
        let rule = |rule: Rule| Refusal::from(("", rule));
        // SAFETY: as the caller promises.
        let (skills, schemes, signatures) = unsafe {
            (
                list(given.skills, given.skill_count).map_err(rule)?,
                list(given.schemes, given.scheme_count).map_err(rule)?,
                list(given.signatures, given.signature_count).map_err(rule)?,
            )
        };
        if given.flags & !FLAGS != 0 {
            return Err(rule("the agent has a flag that there is none of"));
        }
        let Some(fill) = given.random else {
            return Err(rule("the agent has no source of random bytes"));
        };
        let text_count = skills
            .iter()
            .fold(0usize, |sum, skill| sum.saturating_add(texts(skill)));
        let [tasks, log, result] = [memory.tasks, memory.log, memory.result].map(usize::from);
        let needed = [
            FRONT,
            room::<Skill<App>>(skills.len()),
            room::<&str>(text_count),
            room::<Scheme>(schemes.len()),
            room::<Signature>(signatures.len()),
            room::<Record>(tasks),
            tasks.saturating_mul(log),
            result,
        ]
        .into_iter()
        .fold(0, usize::saturating_add);
        if !problem.is_null() {
            // SAFETY: as the caller promises.
            unsafe { put(addr_of_mut!((*problem).needed), needed) };
        }
        if memory.start.is_null() {
            return Err(Refusal::Status(AGENTMOTE_ERROR_NULL));
        }
        let sizes = (1..=255).contains(&tasks) && log >= 512 && (result == 0 || result >= 192);
        if !sizes || memory.size < needed || !memory.start.addr().is_multiple_of(WORD) {
            return Err(Refusal::Status(AGENTMOTE_ERROR_STORAGE));
        }
        // SAFETY: as the caller promises.
        let gate = unsafe { &*addr_of!((*server).gate) };
        let _guard = gate.enter(Mark::Server).map_err(Refusal::Status)?;
        // SAFETY: the gate was entered.
        let inner = unsafe { (*server).inner() };

        // What is written over may be the desk that the server has: no
        // connection may use it from here on, whatever comes of this.
        let desk = memory.start.cast::<Desk>();
        // SAFETY: as above.
        let previous = unsafe { (*server).desk() };
        let within =
            |at: usize| (desk.addr()..desk.addr().saturating_add(memory.size)).contains(&at);
        if !previous.is_null() && within(previous.addr()) {
            // SAFETY: as above.
            unsafe { (*server).set_desk(core::ptr::null_mut()) };
            inner.app.agent = core::ptr::null();
            gate.open(Mark::Server);
        }
        // SAFETY: there is room for all of them, as was just summed up.
        unsafe {
            let mut next = memory.start.cast::<u8>().add(FRONT);
            let mut skill_room: Room<Skill<App>> = take(&mut next, skills.len());
            let mut text_room: Room<&'static str> = take(&mut next, text_count);
            let mut scheme_room: Room<Scheme> = take(&mut next, schemes.len());
            let mut signature_room: Room<Signature> = take(&mut next, signatures.len());
            let records = next.cast::<Record>();
            let logs = next.add(room::<Record>(tasks));

            let mut who = "";
            let made = skill_room.fill(skills.len(), |_, at| {
                let skill = skills.get(at).ok_or("there is no such skill")?;
                who = name(skill.id)?;
                if !skill.tool.is_null() {
                    let tool = name(skill.tool)?;
                    if !inner.app.entries.iter().any(|one| one.tool.name == tool) {
                        return Err("the skill is a tool that the device has not");
                    }
                }
                make_skill(skill, who, &mut text_room)
            });
            let skills = made.map_err(|rule| Refusal::from((who, rule)))?;
            let schemes = scheme_room.fill(schemes.len(), |_, at| {
                let one = schemes.get(at).ok_or("there is no such scheme")?;
                Ok(Scheme {
                    name: name(one.name)?,
                    kind: scheme_kind(one)?,
                })
            });
            let signatures = signature_room.fill(signatures.len(), |_, at| {
                let one = signatures.get(at).ok_or("there is no such signature")?;
                Ok(Signature {
                    protected: name(one.protected_header)?,
                    signature: name(one.signature)?,
                })
            });
            let card = card(given, schemes.map_err(rule)?, signatures.map_err(rule)?);
            let is = |flag: u32| given.flags & flag != 0;
            let mut agent = Agent::checked(card.map_err(rule)?, skills)
                .map_err(|broken| Refusal::from((broken.who, broken.rule)))?;
            agent.wait_ms = given.wait_ms;
            agent.streaming = !is(AGENTMOTE_NO_STREAMING);
            agent.extended_card = is(AGENTMOTE_EXTENDED_CARD);
            agent.dedup = !is(AGENTMOTE_NO_DEDUP);
            agent.media_check = !is(AGENTMOTE_NO_MEDIA_CHECK);
            agent.lenient_version = is(AGENTMOTE_LENIENT_VERSION);
            agent.any_minor = is(AGENTMOTE_ANY_MINOR);
            agent.merged_card = is(AGENTMOTE_MERGED_CARD);
            let path = if given.path.is_null() {
                "/a2a"
            } else {
                name(given.path).map_err(rule)?
            };

            addr_of_mut!((*desk).agent).write(agent);
            addr_of_mut!((*desk).random).write(Device {
                fill,
                context: inner.app.context,
            });
            addr_of_mut!((*desk).path).write(path);
            for at in 0..tasks {
                records.add(at).write(Record::FREE);
            }
            logs.write_bytes(0, tasks * log + result);
            let mut rules = TaskRules::new(|_| {});
            rules.retention_ms = given.retention_ms;
            rules.entropy = Entropy::Source(&*addr_of!((*desk).random));
            let tasks = Tasks::over(
                core::slice::from_raw_parts_mut(records, tasks),
                core::slice::from_raw_parts_mut(logs, tasks * log),
                log,
                core::slice::from_raw_parts_mut(logs.add(tasks * log), result),
                rules,
            );
            addr_of_mut!((*desk).desk).write(AgentDesk {
                agent: &*addr_of!((*desk).agent),
                tasks,
                callers: |_| Some(Caller::default()),
            });
            inner.app.agent = table;
            (*server).set_desk(desk);
        }
        // Connections of another agent keep places of its tasks.
        gate.open(Mark::Server);
        Ok(())
    }

    /// # Safety
    /// The table is as `agentmote_agent_open` asks for, and the room was
    /// counted for it.
    unsafe fn make_skill(
        given: &agentmote_skill_t,
        id: &'static str,
        room: &mut Room<&'static str>,
    ) -> Result<Skill<App>, Rule> {
        const FLAGS: u32 = AGENTMOTE_HIDDEN * 2 - 1;
        const TEXT: &[&str] = &["text/plain"];
        if given.run.is_some() != given.tool.is_null() {
            return Err("a skill has a handler, or is a tool");
        }
        if given.flags & !FLAGS != 0 {
            return Err("a skill has a flag that there is none of");
        }
        if cfg!(not(feature = "scopes")) && given.scopes != 0 {
            return Err("the library was built without scopes");
        }
        let mut texts = |list: *const *const c_char, count: u16| {
            // SAFETY: as the caller promises.
            unsafe { choices(list, count, room) }
        };
        let is = |flag: u32| given.flags & flag != 0;
        // SAFETY: as the caller promises.
        let (people, description) = unsafe { (name(given.name)?, optional(given.description)?) };
        let tags = texts(given.tags, given.tag_count)?;
        let examples = texts(given.examples, given.example_count)?;
        let words = texts(given.words, given.word_count)?;
        let mut modes = |list: *const *const c_char, count: u16| match list.is_null() && count == 0
        {
            true => Ok(TEXT),
            false => texts(list, count),
        };
        let input_modes = modes(given.input_modes, given.input_mode_count)?;
        let output_modes = modes(given.output_modes, given.output_mode_count)?;
        Ok(Skill {
            examples,
            words,
            input_modes,
            output_modes,
            scopes: given.scopes,
            talks: is(AGENTMOTE_TALKS),
            listens: is(AGENTMOTE_LISTENS),
            public: !is(AGENTMOTE_HIDDEN),
            ..Skill::new(id, people, description, tags, crate::call::skill)
        })
    }

    /// # Safety
    /// As for `agentmote_agent_open`.
    unsafe fn scheme_kind(given: &agentmote_scheme_t) -> Result<SchemeKind, Rule> {
        let text = || {
            // SAFETY: as the caller promises.
            unsafe { name(given.text) }
        };
        Ok(match given.kind {
            AGENTMOTE_SCHEME_BEARER => SchemeKind::Bearer,
            AGENTMOTE_SCHEME_API_KEY => SchemeKind::ApiKey(text()?),
            AGENTMOTE_SCHEME_OPEN_ID => SchemeKind::OpenIdConnect(text()?),
            AGENTMOTE_SCHEME_MUTUAL_TLS => SchemeKind::MutualTls,
            _ => return Err("a scheme is of a kind that there is none of"),
        })
    }

    /// # Safety
    /// As for `agentmote_agent_open`.
    unsafe fn card(
        given: &agentmote_agent_t,
        schemes: &'static [Scheme],
        signatures: &'static [Signature],
    ) -> Result<Card, Rule> {
        // SAFETY: as the caller promises.
        unsafe {
            Ok(Card {
                tenant: optional(given.tenant)?,
                provider: match given.organization.is_null() {
                    true => None,
                    false => Some(Provider {
                        organization: name(given.organization)?,
                        url: optional(given.organization_url)?,
                    }),
                },
                documentation_url: optional(given.documentation_url)?,
                icon_url: optional(given.icon_url)?,
                schemes,
                signatures,
                last_modified: optional(given.last_modified)?,
                max_age_s: given.max_age_s,
                ..Card::new(
                    name(given.name)?,
                    optional(given.description)?,
                    name(given.version)?,
                    name(given.url)?,
                )
            })
        }
    }

    /// Enters a server that has an agent.
    ///
    /// # Safety
    /// As for [`super::agentmote_run_tasks`]; `server` is not NULL.
    unsafe fn enter<'s>(
        server: *const agentmote_server_t,
    ) -> Result<(Guard<'s>, *mut Desk), agentmote_status_t> {
        // SAFETY: as the caller promises.
        let server = unsafe { &*server };
        let guard = server.gate.enter(Mark::Server)?;
        // SAFETY: the gate was entered.
        let desk = unsafe { server.desk() };
        if desk.is_null() {
            return Err(AGENTMOTE_ERROR_NOT_OPEN);
        }
        Ok((guard, desk))
    }

    /// # Safety
    /// As for [`super::agentmote_run_tasks`]; neither is NULL.
    pub(super) unsafe fn run(
        server: *mut agentmote_server_t,
        now_ms: u64,
        due_ms: *mut u64,
    ) -> agentmote_status_t {
        // SAFETY: as the caller promises.
        match unsafe { enter(server) } {
            Ok((_guard, desk)) => {
                // SAFETY: the gate was entered; the desk is that of the server.
                let due = unsafe {
                    let desk = &mut *addr_of_mut!((*desk).desk);
                    let app = &mut (*server).inner().app;
                    let now = Instant::from_millis(now_ms);
                    desk.tasks.run_skills(desk.agent.skills(), app, now);
                    desk.tasks.wake()
                };
                match due {
                    Some(due) => {
                        // SAFETY: as the caller promises.
                        unsafe { put(due_ms, due.as_millis()) };
                        AGENTMOTE_OK
                    }
                    None => AGENTMOTE_ABSENT,
                }
            }
            Err(status) => status,
        }
    }

    /// # Safety
    /// As for [`super::agentmote_set_clock`]; `server` is not NULL.
    pub(super) unsafe fn set_clock(
        server: *mut agentmote_server_t,
        unix_ms: u64,
        now_ms: u64,
    ) -> agentmote_status_t {
        // SAFETY: as the caller promises.
        match unsafe { enter(server) } {
            Ok((_guard, desk)) => {
                // SAFETY: the gate was entered; the desk is that of the server.
                let desk = unsafe { &mut *addr_of_mut!((*desk).desk) };
                desk.tasks.set_clock(unix_ms, Instant::from_millis(now_ms));
                AGENTMOTE_OK
            }
            Err(status) => status,
        }
    }
}
