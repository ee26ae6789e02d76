//! One call, as its handler in C sees it: the handle, and the way from a
//! handler of the core to the function in the table.
//!
//! The handle stands in the server's storage, so that a handler that keeps it
//! too long gets a status and no dangling pointer.

use core::ptr;
use core::task::Poll;

#[cfg(feature = "prompts")]
use agentmote::prompt::Rendering;
#[cfg(feature = "resources")]
use agentmote::resource::{Read, Reading};
#[cfg(feature = "a2a")]
use agentmote::task::{Step, Work, run_tool};
use agentmote::tool::{Answer, Call, IntoAnswer, Param};

use crate::abi::{
    AGENTMOTE_DONE, AGENTMOTE_ERROR_NOT_OPEN, AGENTMOTE_ERROR_NULL, AGENTMOTE_NEED_INPUT,
    AGENTMOTE_OK, AGENTMOTE_PENDING, agentmote_status_t,
};
use crate::result::Writer;
use crate::server::App;
use crate::value::Scope;

/// One call: its arguments, the time, and the place for its result.
pub struct agentmote_call_t {
    target: Target,
    /// What a tool takes.
    pub(crate) params: &'static [Param],
    pub(crate) scope: Scope,
    pub(crate) writer: Writer,
    /// What can be asked.
    #[cfg(feature = "input")]
    pub(crate) forms: &'static [crate::table::Question],
    /// Whether a question of the handler has no answer.
    #[cfg(feature = "input")]
    pub(crate) asks: bool,
    /// The artifact that the next part begins or belongs to.
    #[cfg(feature = "a2a")]
    pub(crate) artifact: crate::task::Artifact,
    /// What makes the call a failure whatever else it gave.
    fault: Option<&'static str>,
    /// The proof of what was given last.
    given: Given,
}

/// What the handle stands for while a handler runs.
#[derive(Clone, Copy)]
enum Target {
    None,
    Tool(*mut Call<'static>),
    #[cfg(feature = "resources")]
    Resource(*mut Reading<'static>),
    #[cfg(feature = "prompts")]
    Prompt(*mut Rendering<'static>),
    #[cfg(feature = "a2a")]
    Work(*mut Work<'static>),
}

/// The same, to work on.
pub(crate) enum Subject<'h> {
    Tool(&'h mut Call<'static>),
    #[cfg(feature = "resources")]
    Resource(&'h mut Reading<'static>),
    #[cfg(feature = "prompts")]
    Prompt(&'h mut Rendering<'static>),
    #[cfg(feature = "a2a")]
    Work(crate::task::Output<'h>),
}

/// That something was given.
#[derive(Clone, Copy)]
pub(crate) enum Given {
    Nothing,
    Answer(Answer),
    #[cfg(feature = "resources")]
    Read(Read),
    #[cfg(feature = "prompts")]
    Message,
    /// An end or a question of a task.
    #[cfg(feature = "a2a")]
    Step(Step),
    #[cfg(feature = "a2a")]
    Part,
}

impl agentmote_call_t {
    pub(crate) const fn new() -> Self {
        Self {
            target: Target::None,
            params: &[],
            #[cfg(feature = "input")]
            forms: &[],
            #[cfg(feature = "input")]
            asks: false,
            #[cfg(feature = "a2a")]
            artifact: crate::task::Artifact::NEXT,
            scope: Scope::new(),
            writer: Writer::new(),
            fault: None,
            given: Given::Nothing,
        }
    }

    fn begin(&mut self, target: Target, params: &'static [Param]) {
        *self = Self {
            target,
            params,
            ..Self::new()
        };
    }

    /// Ends the call: the handle is of no use from here on.
    fn end(&mut self) -> Result<Given, &'static str> {
        self.target = Target::None;
        if self.fault.is_none() && self.writer.is_open() {
            self.fault("an object or array of the result was not closed");
        }
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(self.given),
        }
    }

    /// Makes the call a failure. The first reason stays.
    pub(crate) fn fault(&mut self, why: &'static str) {
        self.fault.get_or_insert(why);
    }

    pub(crate) fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    pub(crate) fn gave(&mut self, given: Given) {
        self.given = given;
    }

    /// What the handle stands for; `None` once its handler has returned.
    pub(crate) fn subject(&mut self) -> Option<Subject<'_>> {
        match self.target {
            Target::None => None,
            // SAFETY: the pointer was taken from a reference that its owner,
            // `tool` below, does not use until the handler returns, and then
            // takes it away from here. The lifetime is that of the handle,
            // which no handler can keep: functions of C get copies.
            Target::Tool(call) => Some(Subject::Tool(unsafe { &mut *call })),
            #[cfg(feature = "resources")]
            // SAFETY: as above, with `resource`.
            Target::Resource(reading) => Some(Subject::Resource(unsafe { &mut *reading })),
            #[cfg(feature = "prompts")]
            // SAFETY: as above, with `prompt`.
            Target::Prompt(rendering) => Some(Subject::Prompt(unsafe { &mut *rendering })),
            #[cfg(feature = "a2a")]
            Target::Work(work) => Some(Subject::Work(crate::task::Output {
                // SAFETY: as above, with `skill`.
                work: unsafe { &mut *work },
                artifact: &mut self.artifact,
            })),
        }
    }
}

/// The handle behind a pointer of C.
///
/// # Safety
/// `call` is NULL, or a handle that the library gave to a handler and whose
/// server's storage is still there.
pub(crate) unsafe fn handle<'h>(
    call: *mut agentmote_call_t,
) -> Result<&'h mut agentmote_call_t, agentmote_status_t> {
    if call.is_null() {
        return Err(AGENTMOTE_ERROR_NULL);
    }
    // SAFETY: as the caller promises. Nobody else has a reference to it while
    // a handler runs, and the reference ends before C goes on.
    Ok(unsafe { &mut *call })
}

/// The call of a tool behind a pointer of C.
///
/// # Safety
/// As for [`handle`].
unsafe fn of_tool<'h>(
    call: *mut agentmote_call_t,
) -> Result<&'h mut Call<'static>, agentmote_status_t> {
    // SAFETY: as the caller promises.
    match unsafe { handle(call) }?.subject() {
        Some(Subject::Tool(call)) => Ok(call),
        #[cfg(any(feature = "resources", feature = "prompts", feature = "a2a"))]
        Some(_) => Err(crate::abi::AGENTMOTE_ERROR_TYPE),
        None => Err(AGENTMOTE_ERROR_NOT_OPEN),
    }
}

/// Lets one of them look at the call of a tool or the work of a task, whichever
/// the handle stands for.
///
/// # Safety
/// As for [`handle`].
#[cfg(feature = "a2a")]
unsafe fn of_work<T>(
    call: *mut agentmote_call_t,
    tool: impl FnOnce(&mut Call<'static>) -> T,
    skill: impl FnOnce(&mut Work<'static>) -> T,
) -> Result<T, agentmote_status_t> {
    // SAFETY: as the caller promises.
    if let Some(Subject::Work(output)) = unsafe { handle(call) }?.subject() {
        return Ok(skill(output.work));
    }
    // SAFETY: as the caller promises.
    unsafe { of_tool(call) }.map(tool)
}

/// The same without tasks.
///
/// # Safety
/// As for [`handle`].
#[cfg(not(feature = "a2a"))]
unsafe fn of_work<T>(
    call: *mut agentmote_call_t,
    tool: impl FnOnce(&mut Call<'static>) -> T,
    _: impl FnOnce(&mut Call<'static>) -> T,
) -> Result<T, agentmote_status_t> {
    // SAFETY: as the caller promises.
    unsafe { of_tool(call) }.map(tool)
}

/// Runs a tool of the table.
pub(crate) fn tool(app: &mut App, call: &mut Call<'_>) -> Answer {
    let place = call.place();
    #[cfg(feature = "a2a")]
    let place = app.tool.unwrap_or(place);
    let (Some(tool), Some(entry)) = (app.tools().get(place), app.entries.get(place)) else {
        return call.fail("there is no such tool");
    };
    let Some(run) = tool.run else {
        return call.fail("this tool has no handler");
    };
    let target = Target::Tool(ptr::from_mut(call).cast());
    // SAFETY: the handle stands in the server's storage, beside what is lent
    // out as `app`; no handler runs, so nobody else uses it.
    unsafe { (*app.handle).begin(target, entry.tool.params()) };
    // SAFETY: as above.
    #[cfg(feature = "input")]
    unsafe {
        (*app.handle).forms = app.forms;
    }
    // SAFETY: the function and the context come from the firmware, which
    // promises that they belong together.
    let answer = unsafe { run(app.context, app.handle) };
    // SAFETY: as above; the handler has returned.
    let given = match unsafe { (*app.handle).end() } {
        Ok(given) => given,
        Err(fault) => return call.fail(fault),
    };
    match (answer, given) {
        (AGENTMOTE_PENDING | AGENTMOTE_NEED_INPUT, _) => Poll::<Answer>::Pending.into_answer(call),
        // SAFETY: as above.
        #[cfg(feature = "input")]
        (AGENTMOTE_DONE, _) if unsafe { (*app.handle).asks } => call.need_input(),
        (AGENTMOTE_DONE, Given::Answer(answer)) => answer,
        (AGENTMOTE_DONE, _) => ().into_answer(call),
        _ => call.fail("the handler gave an answer that a tool has not"),
    }
}

/// Whether a caller sees a tool of the table now.
#[cfg(feature = "scopes")]
pub(crate) fn shows(
    app: &App,
    caller: agentmote::tool::Caller,
    tool: &agentmote::tool::Tool,
) -> bool {
    let place = app.entries.iter().position(|one| ptr::eq(&one.tool, tool));
    let (Some(shows), Some(place)) = (app.shows(), place) else {
        return true;
    };
    // SAFETY: the function and the context come from the firmware, which
    // promises that they belong together.
    unsafe { shows(app.context, caller.id, caller.scopes, place) }
}

/// Reads a resource of the table.
#[cfg(feature = "resources")]
pub(crate) fn resource(app: &mut App, reading: &mut Reading<'_>) -> Read {
    // SAFETY: texts of the table live as long as the server.
    let is_it = |one: &&crate::abi::agentmote_resource_t| unsafe { crate::abi::bytes(one.uri) }
        == Some(reading.pattern().as_bytes());
    let Some(read) = app.resources().iter().find(is_it).and_then(|one| one.read) else {
        return reading.fail("this resource has no reader");
    };
    let target = Target::Resource(ptr::from_mut(reading).cast());
    // SAFETY: as in `tool`.
    unsafe { (*app.handle).begin(target, &[]) };
    // SAFETY: as in `tool`.
    let answer = unsafe { read(app.context, app.handle) };
    // SAFETY: as in `tool`.
    match (answer, unsafe { (*app.handle).end() }) {
        (_, Err(fault)) => reading.fail(fault),
        (crate::abi::AGENTMOTE_MISSING, _) => reading.missing(),
        (AGENTMOTE_DONE, Ok(Given::Read(read))) => read,
        (AGENTMOTE_DONE, _) => reading.fail("the reader gave nothing"),
        _ => reading.fail("the reader gave an answer that a resource has not"),
    }
}

/// What tells of each resource that can be subscribed to whether it has
/// changed, in the order of the table: the core's function gets no place.
#[cfg(feature = "subscriptions")]
pub(crate) const WATCHES: [agentmote::resource::Watch<App>; 15] = [
    watch::<0>,
    watch::<1>,
    watch::<2>,
    watch::<3>,
    watch::<4>,
    watch::<5>,
    watch::<6>,
    watch::<7>,
    watch::<8>,
    watch::<9>,
    watch::<10>,
    watch::<11>,
    watch::<12>,
    watch::<13>,
    watch::<14>,
];

#[cfg(feature = "subscriptions")]
const _: () = assert!(
    WATCHES.len() == agentmote::limits::WATCHED,
    "as many as a server watches"
);

#[cfg(feature = "subscriptions")]
fn watch<const N: usize>(app: &App, now: agentmote::time::Instant) -> u32 {
    let watch = app.resources().iter().filter_map(|one| one.watch).nth(N);
    // SAFETY: the function and the context come from the firmware, which
    // promises that they belong together.
    watch.map_or(0, |watch| unsafe { watch(app.context, now.as_millis()) })
}

/// Gives the messages of a prompt of the table.
#[cfg(feature = "prompts")]
pub(crate) fn prompt(app: &mut App, rendering: &mut Rendering<'_>) {
    // SAFETY: texts of the table live as long as the server.
    let is_it = |one: &&crate::abi::agentmote_prompt_t| unsafe { crate::abi::bytes(one.name) }
        == Some(rendering.name().as_bytes());
    let Some(render) = app.prompts().iter().find(is_it).and_then(|one| one.render) else {
        return rendering.fail("this prompt has no renderer");
    };
    let target = Target::Prompt(ptr::from_mut(rendering).cast());
    // SAFETY: as in `tool`.
    unsafe { (*app.handle).begin(target, &[]) };
    // SAFETY: as in `tool`.
    #[cfg(feature = "input")]
    unsafe {
        (*app.handle).forms = app.forms;
    }
    // SAFETY: as in `tool`.
    let answer = unsafe { render(app.context, app.handle) };
    // SAFETY: as in `tool`.
    match (answer, unsafe { (*app.handle).end() }) {
        (_, Err(fault)) => rendering.fail(fault),
        (AGENTMOTE_DONE | AGENTMOTE_NEED_INPUT, _) => {}
        _ => rendering.fail("the renderer gave an answer that a prompt has not"),
    }
}

/// Takes one step of a skill of the table.
#[cfg(feature = "a2a")]
pub(crate) fn skill(app: &mut App, work: &mut Work<'_>) -> Step {
    use crate::abi::{AGENTMOTE_CANNOT_STOP, AGENTMOTE_STOPPED};
    let Some(skill) = app.skills().get(work.skill()) else {
        return work.fail("there is no such skill");
    };
    let Some(run) = skill.run else {
        // SAFETY: texts of the table live as long as the server.
        let name = unsafe { crate::abi::text(skill.tool) }.unwrap_or("");
        let entries = app.entries;
        app.tool = entries.iter().position(|one| one.tool.name == name);
        let Some(entry) = app.tool.and_then(|at| entries.get(at)) else {
            return work.fail("the skill is a tool that the device has not");
        };
        let step = run_tool(entry, app, work);
        app.tool = None;
        return step;
    };
    let target = Target::Work(ptr::from_mut(work).cast());
    // SAFETY: as in `tool`.
    unsafe { (*app.handle).begin(target, &[]) };
    // SAFETY: as in `tool`.
    let answer = unsafe { run(app.context, app.handle) };
    // SAFETY: as in `tool`.
    let given = match unsafe { (*app.handle).end() } {
        Ok(given) => given,
        Err(fault) => return work.fail(fault),
    };
    match (answer, given) {
        (AGENTMOTE_PENDING, _) => Step::PENDING,
        (AGENTMOTE_STOPPED, _) => Step::STOPPED,
        (AGENTMOTE_CANNOT_STOP, _) => Step::CANNOT_STOP,
        (AGENTMOTE_DONE | AGENTMOTE_NEED_INPUT, Given::Step(step)) => step,
        (AGENTMOTE_DONE, _) => Step::DONE,
        _ => work.fail("the handler gave an answer that a skill has not"),
    }
}

/// The time at which the handler was called, in milliseconds; 0 if the handle
/// is not valid.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_now(call: *mut agentmote_call_t) -> u64 {
    // SAFETY: as the caller promises.
    let subject = unsafe { handle(call) }
        .ok()
        .and_then(agentmote_call_t::subject);
    subject.map_or(0, |subject| {
        match subject {
            Subject::Tool(call) => call.now(),
            #[cfg(feature = "resources")]
            Subject::Resource(reading) => reading.now(),
            #[cfg(feature = "prompts")]
            Subject::Prompt(rendering) => rendering.now(),
            #[cfg(feature = "a2a")]
            Subject::Work(output) => output.work.now(),
        }
        .as_millis()
    })
}

/// How often the handler of this call or task was called before: 0 the first
/// time, when work starts; 0 also if the handle is not that of a tool or skill.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_step(call: *mut agentmote_call_t) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { of_work(call, |call| call.step(), |work| work.step()) }.unwrap_or(0)
}

/// Whether the caller has given up the call. The handler of a polled tool is
/// then called this one last time, to stop what it began; what it answers is
/// dropped. The handler of a skill stops the work and answers
/// `AGENTMOTE_STOPPED`, or answers `AGENTMOTE_CANNOT_STOP` and goes on (P-017,
/// False also if the handle is not that of a tool or skill.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_is_cancelled(call: *mut agentmote_call_t) -> bool {
    // SAFETY: as the caller promises.
    unsafe { of_work(call, |call| call.is_cancelled(), |work| work.is_cancelled()) }
        .unwrap_or(false)
}

/// What the handler has left with `agentmote_remember` in an earlier step of
/// this call; 0 if nothing.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_memo(call: *mut agentmote_call_t) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { of_work(call, |call| call.memo(), |work| work.memo()) }.unwrap_or(0)
}

/// Keeps a number for the next steps of this call: the number of the job that
/// it began, for one.
///
/// `AGENTMOTE_ERROR_TYPE` for the handle of a reader or renderer.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_remember(
    call: *mut agentmote_call_t,
    memo: u32,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    done(unsafe { of_work(call, |call| call.remember(memo), |work| work.remember(memo)) })
}

/// Tells how far the work is: `done` of `total` steps, 0 for a total that is
/// not known. It reaches the caller if he asked for it; a report that does not
/// rise is dropped (M-127).
///
/// `AGENTMOTE_ERROR_TYPE` for the handle of a reader, renderer or skill.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_progress(
    call: *mut agentmote_call_t,
    done: u32,
    total: u32,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    let told = unsafe { of_tool(call) }.map(|call| call.progress(done, total));
    told.err().unwrap_or(AGENTMOTE_OK)
}

/// When a handler that answers `AGENTMOTE_PENDING` wants to be called again,
/// in milliseconds from now, at the latest. Without it, or with 0: a
/// millisecond later.
///
/// `AGENTMOTE_ERROR_TYPE` for the handle of a reader or renderer.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_wake_after(
    call: *mut agentmote_call_t,
    millis: u32,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    done(unsafe {
        of_work(
            call,
            |call| call.wake_after(millis),
            |work| work.wake_after(millis),
        )
    })
}

fn done(acted: Result<(), agentmote_status_t>) -> agentmote_status_t {
    acted.err().unwrap_or(AGENTMOTE_OK)
}
