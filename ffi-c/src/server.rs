//! A server in storage of the caller.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_void};
use core::mem::{MaybeUninit, align_of};
use core::ptr::{self, addr_of, addr_of_mut};

use agentmote::buf::Sink;
use agentmote::mcp::{Device, Identity};
use agentmote::server::Server;
use agentmote::tool::{Broken, Entry};

use crate::abi::{
    AGENTMOTE_ERROR_FEATURE, AGENTMOTE_ERROR_NULL, AGENTMOTE_ERROR_STORAGE, AGENTMOTE_ERROR_TABLE,
    AGENTMOTE_LOGS, AGENTMOTE_OK, AGENTMOTE_PROBLEM_BYTES, agentmote_device_t, agentmote_problem_t,
    agentmote_status_t, agentmote_tool_t, items, put,
};
use crate::call::agentmote_call_t;
use crate::gate::{Gate, Mark};
use crate::table::{Counts, Rooms, WORD, fits, name, optional, words};

pub use crate::table::{
    AGENTMOTE_ARGUMENT_WORDS, AGENTMOTE_CHOICE_WORDS, AGENTMOTE_FORM_WORDS, AGENTMOTE_PARAM_WORDS,
    AGENTMOTE_PROMPT_WORDS, AGENTMOTE_RESOURCE_WORDS, AGENTMOTE_TOOL_WORDS, AGENTMOTE_VALUES_WORDS,
};

/// What the handlers of the core get: the way to the table and the firmware.
pub(crate) struct App {
    /// What the firmware wants back in its handlers.
    pub(crate) context: *mut c_void,
    /// The handle that stands for the call that runs.
    pub(crate) handle: *mut agentmote_call_t,
    pub(crate) entries: &'static [Entry<App>],
    #[cfg(feature = "input")]
    pub(crate) forms: &'static [crate::table::Question],
    device: *const agentmote_device_t,
    /// The agent beside the server; NULL for none.
    #[cfg(feature = "a2a")]
    pub(crate) agent: *const crate::agent::agentmote_agent_t,
    /// The policy in front of the server; NULL for none.
    #[cfg(feature = "policy")]
    pub(crate) policy: *const crate::policy::agentmote_policy_t,
    /// The tool that runs as the work of a task.
    #[cfg(feature = "a2a")]
    pub(crate) tool: Option<usize>,
}

impl App {
    pub(crate) fn tools(&self) -> &'static [agentmote_tool_t] {
        // SAFETY: the device and its tables stay as long as the server.
        unsafe { items((*self.device).tools, (*self.device).tool_count) }
    }

    #[cfg(feature = "resources")]
    pub(crate) fn resources(&self) -> &'static [crate::abi::agentmote_resource_t] {
        // SAFETY: as above.
        unsafe { items((*self.device).resources, (*self.device).resource_count) }
    }

    /// What tells which tools a caller sees.
    #[cfg(feature = "scopes")]
    pub(crate) fn shows(&self) -> crate::abi::agentmote_shows_t {
        // SAFETY: as above.
        unsafe { (*self.device).shows }
    }

    #[cfg(feature = "prompts")]
    pub(crate) fn prompts(&self) -> &'static [crate::abi::agentmote_prompt_t] {
        // SAFETY: as above.
        unsafe { items((*self.device).prompts, (*self.device).prompt_count) }
    }
}

/// A server: what is served, and what runs behind it.
pub struct agentmote_server_t {
    pub(crate) gate: Gate,
    handle: UnsafeCell<agentmote_call_t>,
    device: UnsafeCell<MaybeUninit<Device<App>>>,
    server: UnsafeCell<MaybeUninit<Server<App>>>,
    /// The storage of its agent; NULL for none.
    #[cfg(feature = "a2a")]
    desk: UnsafeCell<*mut crate::agent::Desk>,
}

#[cfg(target_pointer_width = "64")]
mod sizes {
    /// Words of storage for a server without tools.
    pub const AGENTMOTE_SERVER_WORDS: usize = 400;
    /// The same for a library built for tools over lines alone.
    pub const AGENTMOTE_SMALL_SERVER_WORDS: usize = 48;
}
#[cfg(target_pointer_width = "32")]
mod sizes {
    /// Words of storage for a server without tools.
    pub const AGENTMOTE_SERVER_WORDS: usize = 368;
    /// The same for a library built for tools over lines alone.
    pub const AGENTMOTE_SMALL_SERVER_WORDS: usize = 26;
}
pub use sizes::*;

const _: () = fits::<agentmote_server_t>(AGENTMOTE_SERVER_WORDS, 8);
#[cfg(not(any(
    feature = "resources",
    feature = "prompts",
    feature = "input",
    feature = "sessions",
    feature = "logging",
    feature = "a2a",
    feature = "policy"
)))]
const _: () = fits::<agentmote_server_t>(AGENTMOTE_SMALL_SERVER_WORDS, 0);

impl agentmote_server_t {
    /// The server itself.
    ///
    /// # Safety
    /// The gate was entered, and the storage was opened.
    #[expect(clippy::mut_from_ref, reason = "who has entered the gate is alone")]
    pub(crate) unsafe fn inner(&self) -> &mut Server<App> {
        // SAFETY: as the caller promises.
        unsafe { (*self.server.get()).assume_init_mut() }
    }

    /// The storage of its agent.
    ///
    /// # Safety
    /// The gate was entered, and the storage was opened.
    #[cfg(feature = "a2a")]
    pub(crate) unsafe fn desk(&self) -> *mut crate::agent::Desk {
        // SAFETY: as the caller promises.
        unsafe { *self.desk.get() }
    }

    /// # Safety
    /// The gate was entered; `desk` is NULL or was written.
    #[cfg(feature = "a2a")]
    pub(crate) unsafe fn set_desk(&self, desk: *mut crate::agent::Desk) {
        // SAFETY: as the caller promises.
        unsafe { *self.desk.get() = desk };
    }
}

/// Opens a server: reads the tables of `device` into `storage` and checks
/// every rule that a table must hold.
///
/// * `storage`: `size` bytes at a multiple of 8, all zero the first time
///   (`static`, or cleared), such as `uint64_t[AGENTMOTE_SERVER_WORDS + ...]`.
///   They belong to the server from here on, until it is opened anew.
/// * `device`: with its tables and texts, must stay as it is as long as the
///   server.
/// * `context`: given back to every handler; may be NULL.
/// * `server`: gets the server, or NULL on failure.
/// * `problem`: NULL, or gets what is wrong and how much storage is needed; it
///   is written on success too.
///
/// `AGENTMOTE_ERROR_STORAGE` if the storage is too small or not aligned,
/// `AGENTMOTE_ERROR_TABLE` if a rule is broken, `AGENTMOTE_ERROR_FEATURE` if
/// the library was built without resources or prompts, `AGENTMOTE_ERROR_BUSY`
/// from inside one of its own handlers.
///
/// Connections of a server that is opened anew must be opened anew too: they
/// do no more work, and answer `AGENTMOTE_ERROR_NOT_OPEN`.
///
/// # Safety
/// As said for each parameter; no other thread opens the same storage at the
/// same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_init(
    storage: *mut c_void,
    size: usize,
    device: *const agentmote_device_t,
    context: *mut c_void,
    server: *mut *mut agentmote_server_t,
    problem: *mut agentmote_problem_t,
) -> agentmote_status_t {
    let none = agentmote_problem_t {
        needed: 0,
        text: [0; AGENTMOTE_PROBLEM_BYTES],
    };
    // SAFETY: as the caller promises.
    unsafe { put(problem, none) };
    // SAFETY: as the caller promises.
    unsafe { put(server, ptr::null_mut()) };
    if storage.is_null() || device.is_null() || server.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    match unsafe { init(storage.cast(), size, device, context, problem) } {
        Ok(()) => {
            // SAFETY: as the caller promises.
            unsafe { put(server, storage.cast()) };
            AGENTMOTE_OK
        }
        Err(Refusal::Status(status)) => status,
        Err(Refusal::Rule(broken)) => {
            // SAFETY: as the caller promises.
            unsafe { explain(problem, broken) };
            AGENTMOTE_ERROR_TABLE
        }
    }
}

pub(crate) enum Refusal {
    Status(agentmote_status_t),
    Rule(Broken),
}

impl From<Broken> for Refusal {
    fn from(broken: Broken) -> Self {
        Self::Rule(broken)
    }
}

impl From<(&'static str, &'static str)> for Refusal {
    fn from((who, rule): (&'static str, &'static str)) -> Self {
        Self::Rule(Broken { who, rule })
    }
}

fn rule(rule: &'static str) -> Refusal {
    Refusal::Rule(Broken { who: "", rule })
}

/// # Safety
/// As for [`agentmote_init`].
unsafe fn init(
    storage: *mut agentmote_server_t,
    size: usize,
    table: *const agentmote_device_t,
    context: *mut c_void,
    problem: *mut agentmote_problem_t,
) -> Result<(), Refusal> {
    const FRONT: usize = words::<agentmote_server_t>() * WORD;
    // SAFETY: as the caller promises.
    let given = unsafe { &*table };
    if cfg!(not(feature = "resources")) && given.resource_count > 0
        || cfg!(not(feature = "prompts")) && given.prompt_count > 0
        || cfg!(not(feature = "input")) && given.form_count > 0
        || cfg!(not(feature = "logging")) && given.flags & AGENTMOTE_LOGS != 0
        || cfg!(not(feature = "scopes")) && given.shows.is_some()
    {
        return Err(Refusal::Status(AGENTMOTE_ERROR_FEATURE));
    }
    // SAFETY: as the caller promises.
    let counts = unsafe { Counts::of(given) }?;
    if given.flags & !AGENTMOTE_LOGS != 0 {
        return Err(("", "the device has a flag that there is none of").into());
    }
    let needed = counts.bytes().saturating_add(FRONT);
    if !problem.is_null() {
        // SAFETY: as the caller promises.
        unsafe { put(addr_of_mut!((*problem).needed), needed) };
    }
    if size < needed || !storage.addr().is_multiple_of(WORD) {
        return Err(Refusal::Status(AGENTMOTE_ERROR_STORAGE));
    }
    const { assert!(align_of::<agentmote_server_t>() <= WORD) };
    // SAFETY: the storage holds at least a server; a gate is made of atomic
    // numbers, which any bits are.
    let gate = unsafe { &*addr_of!((*storage).gate) };
    let _guard = gate.seize(Mark::Server).map_err(Refusal::Status)?;

    // SAFETY: as was just counted. No reference to what stands behind the gate
    // is left, since no connection works on a server that is not open.
    let mut rooms = unsafe { Rooms::new(storage.cast::<u8>().add(FRONT), &counts) };
    // SAFETY: as the caller promises.
    let entries = unsafe { rooms.tools(given) }?;
    // SAFETY: as the caller promises.
    let identity = unsafe { identity(given) }.map_err(rule)?;
    let device = Device::checked(identity, entries)?;
    // SAFETY: as the caller promises.
    #[cfg(feature = "resources")]
    let device = unsafe { rooms.resources(given) }
        .map_err(Refusal::from)
        .and_then(|[resources, templates]| {
            device
                .checked_resources(resources, templates)
                .map_err(Refusal::from)
        })?;
    // SAFETY: as the caller promises.
    #[cfg(feature = "prompts")]
    let device = device.checked_prompts(unsafe { rooms.prompts(given) }?)?;
    // SAFETY: as the caller promises.
    #[cfg(feature = "input")]
    let forms = unsafe { rooms.forms(given) }?;
    let page_bytes = usize::try_from(given.page_bytes).unwrap_or(usize::MAX);
    let device = device.page_bytes(page_bytes).ttl_ms(given.ttl_ms);
    #[cfg(feature = "scopes")]
    let device = match given.shows {
        None => device,
        Some(_) => device.checked_shows(crate::call::shows)?,
    };
    #[cfg(feature = "subscriptions")]
    let device = device.watch_ms(given.watch_ms);
    #[cfg(feature = "logging")]
    let device = match given.flags & AGENTMOTE_LOGS {
        0 => device,
        _ => device.logging(),
    };

    // SAFETY: the fields lie in the storage, which is alone ours.
    unsafe {
        let handle = UnsafeCell::raw_get(addr_of!((*storage).handle));
        handle.write(agentmote_call_t::new());
        let place = UnsafeCell::raw_get(addr_of!((*storage).device)).cast::<Device<App>>();
        place.write(device);
        let app = App {
            context,
            handle,
            entries,
            #[cfg(feature = "input")]
            forms,
            device: table,
            #[cfg(feature = "a2a")]
            agent: ptr::null(),
            #[cfg(feature = "policy")]
            policy: ptr::null(),
            #[cfg(feature = "a2a")]
            tool: None,
        };
        #[cfg(feature = "a2a")]
        UnsafeCell::raw_get(addr_of!((*storage).desk)).write(ptr::null_mut());
        UnsafeCell::raw_get(addr_of!((*storage).server))
            .cast::<Server<App>>()
            .write(Server::new(&*place, app));
    }
    gate.open(Mark::Server);
    Ok(())
}

/// # Safety
/// As for [`agentmote_init`].
unsafe fn identity(given: &agentmote_device_t) -> Result<Identity, &'static str> {
    // SAFETY: as the caller promises.
    unsafe {
        Ok(Identity {
            title: optional(given.title)?,
            instructions: optional(given.instructions)?,
            ..Identity::new(name(given.name)?, name(given.version)?)
        })
    }
}

/// Writes who breaks which rule.
///
/// # Safety
/// `problem` is NULL or may be written.
#[cold]
pub(crate) unsafe fn explain(problem: *mut agentmote_problem_t, broken: Broken) {
    if problem.is_null() {
        return;
    }
    // One byte for the zero at the end.
    let mut room = [0; AGENTMOTE_PROBLEM_BYTES - 1];
    let mut out = Sink::new(&mut room);
    if !broken.who.is_empty() {
        out.text(broken.who);
        out.text(": ");
    }
    out.text(broken.rule);
    let mut text = [0; AGENTMOTE_PROBLEM_BYTES];
    for (place, byte) in text.iter_mut().zip(out.kept()) {
        *place = *byte as c_char;
    }
    // SAFETY: as the caller promises.
    unsafe { put(addr_of_mut!((*problem).text), text) };
}

/// Gives the server 32 random bytes that nobody can guess, new ones each time
/// the device starts. With them it seals what it gives out and takes back: the
/// state of questions (M-148), and the sessions of HTTP clients of the legacy
/// era (M-184), which it has none of without.
///
/// `AGENTMOTE_ERROR_FEATURE` if the library was built without `input` and
/// `sessions`, `AGENTMOTE_ERROR_BUSY` from inside a handler.
///
/// # Safety
/// `server` is NULL or a server that `agentmote_init` gave; `key` is NULL or
/// points to 32 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_set_key(
    server: *mut agentmote_server_t,
    key: *const u8,
) -> agentmote_status_t {
    if server.is_null() || key.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    let gate = unsafe { &*addr_of!((*server).gate) };
    match gate.enter(Mark::Server) {
        // SAFETY: as the caller promises; the gate was entered.
        Ok(_guard) => unsafe { take_key((*server).inner(), &*key.cast::<[u8; 32]>()) },
        Err(status) => status,
    }
}

#[cfg(any(feature = "input", feature = "sessions"))]
fn take_key(server: &mut Server<App>, key: &[u8; 32]) -> agentmote_status_t {
    server.set_key(*key);
    AGENTMOTE_OK
}

#[cfg(not(any(feature = "input", feature = "sessions")))]
fn take_key(_: &mut Server<App>, _: &[u8; 32]) -> agentmote_status_t {
    AGENTMOTE_ERROR_FEATURE
}

/// Ends every subscription of the modern era with its answer (M-140), at the
/// next `agentmote_poll` of each connection, and takes no new one: for a device
/// that goes to sleep.
///
/// `AGENTMOTE_ERROR_FEATURE` if the library was built without `subscriptions`,
/// `AGENTMOTE_ERROR_BUSY` from inside a handler.
///
/// # Safety
/// `server` is NULL or a server that `agentmote_init` gave.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_end_subscriptions(
    server: *mut agentmote_server_t,
) -> agentmote_status_t {
    if server.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    let gate = unsafe { &*addr_of!((*server).gate) };
    match gate.enter(Mark::Server) {
        // SAFETY: as the caller promises; the gate was entered.
        Ok(_guard) => end_subscriptions(unsafe { (*server).inner() }),
        Err(status) => status,
    }
}

#[cfg(feature = "subscriptions")]
fn end_subscriptions(server: &mut Server<App>) -> agentmote_status_t {
    server.end_subscriptions();
    AGENTMOTE_OK
}

#[cfg(not(feature = "subscriptions"))]
fn end_subscriptions(_: &mut Server<App>) -> agentmote_status_t {
    AGENTMOTE_ERROR_FEATURE
}
