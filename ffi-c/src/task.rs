//! One step of a task, as the handler of its skill sees it: who asks, what the
//! messages say, what it gives.

use core::ffi::{c_char, c_void};

#[cfg(feature = "a2a")]
use agentmote::task::{Content, Part, Work};

#[cfg(feature = "a2a")]
use crate::abi::{
    AGENTMOTE_ABSENT, AGENTMOTE_ERROR_NOT_OPEN, AGENTMOTE_ERROR_TYPE, AGENTMOTE_OK, items, put,
};
use crate::abi::{
    AGENTMOTE_DONE, AGENTMOTE_ERROR_NULL, AGENTMOTE_NEED_INPUT, agentmote_answer_t,
    agentmote_status_t,
};
use crate::call::agentmote_call_t;
#[cfg(feature = "a2a")]
use crate::call::{Given, Subject, handle};

/// Kind of a part: text, in UTF-8.
pub const AGENTMOTE_PART_TEXT: u8 = 1;
/// Kind of a part: bytes.
pub const AGENTMOTE_PART_RAW: u8 = 2;
/// Kind of a part: the URL where the content is.
pub const AGENTMOTE_PART_URL: u8 = 3;
/// Kind of a part: a JSON value.
pub const AGENTMOTE_PART_DATA: u8 = 4;

/// One part of a message or an artifact. Its texts have no zero byte
/// behind them, but a length; NULL or a length of 0: not told.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_part_t {
    /// What it is.
    pub content: *const c_void,
    /// Bytes of `content`.
    pub size: usize,
    /// Its media type.
    pub media_type: *const c_char,
    /// Bytes of `media_type`.
    pub media_type_size: usize,
    /// Its file name.
    pub filename: *const c_char,
    /// Bytes of `filename`.
    pub filename_size: usize,
    /// A JSON object about it.
    pub metadata: *const c_char,
    /// Bytes of `metadata`.
    pub metadata_size: usize,
    /// `AGENTMOTE_PART_TEXT` and the like.
    pub kind: u8,
}

/// Who asks: numbers that the policy in front has given.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_asker_t {
    /// The caller.
    pub id: u32,
    /// The tenant for whom he asks.
    pub tenant: u32,
    /// What he may do, a bit each.
    pub scopes: u32,
}

/// The artifact that the next part begins or belongs to.
#[cfg(feature = "a2a")]
#[derive(Clone, Copy)]
pub(crate) struct Artifact {
    /// Begin one of this name.
    begins: Option<&'static str>,
    /// Nothing is added to it later.
    last: bool,
}

#[cfg(feature = "a2a")]
impl Artifact {
    /// The newest one.
    pub(crate) const NEXT: Self = Self {
        begins: None,
        last: false,
    };
}

/// Where what a skill gives goes.
#[cfg(feature = "a2a")]
pub(crate) struct Output<'h> {
    pub(crate) work: &'h mut Work<'static>,
    pub(crate) artifact: &'h mut Artifact,
}

#[cfg(feature = "a2a")]
impl Output<'_> {
    /// Gives a part. What it has no room for fails the task.
    pub(crate) fn give(&mut self, part: Part<'_>) -> Given {
        add(
            self.work,
            core::mem::replace(self.artifact, Artifact::NEXT),
            part,
        );
        Given::Part
    }

    /// Gives the JSON text of `len` bytes that was drafted.
    pub(crate) fn drafted(&mut self, len: usize) -> Given {
        let artifact = core::mem::replace(self.artifact, Artifact::NEXT);
        self.work.with_draft(len, |work, json| {
            add(work, artifact, Part::new(Content::Data(json)))
        });
        Given::Part
    }
}

#[cfg(feature = "a2a")]
fn add(work: &mut Work<'_>, artifact: Artifact, part: Part<'_>) -> bool {
    match artifact.begins {
        Some(name) => work.output(name, part),
        None => work.append(part, artifact.last),
    }
}

/// The work behind a handle.
///
/// # Safety
/// As for [`handle`].
#[cfg(feature = "a2a")]
unsafe fn of_skill<'h>(call: *mut agentmote_call_t) -> Result<Output<'h>, agentmote_status_t> {
    // SAFETY: as the caller promises.
    match unsafe { handle(call) }?.subject() {
        Some(Subject::Work(output)) => Ok(output),
        Some(_) => Err(AGENTMOTE_ERROR_TYPE),
        None => Err(AGENTMOTE_ERROR_NOT_OPEN),
    }
}

/// Lets `read` look at the work and gives what it finds; `AGENTMOTE_ABSENT` if
/// that is nothing.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` is NULL or may be written.
#[cfg(feature = "a2a")]
unsafe fn look<T>(
    call: *mut agentmote_call_t,
    out: *mut T,
    read: impl FnOnce(&mut Work<'static>) -> Option<T>,
) -> agentmote_status_t {
    if out.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    match unsafe { of_skill(call) }.map(|output| read(output.work)) {
        Ok(Some(found)) => {
            // SAFETY: as the caller promises.
            unsafe { put(out, found) };
            AGENTMOTE_OK
        }
        Ok(None) => AGENTMOTE_ABSENT,
        Err(status) => status,
    }
}

/// Without tasks, nothing is found.
#[cfg(not(feature = "a2a"))]
unsafe fn absent<T>(call: *mut agentmote_call_t, out: *mut T) -> agentmote_status_t {
    match call.is_null() || out.is_null() {
        true => AGENTMOTE_ERROR_NULL,
        false => crate::abi::AGENTMOTE_ERROR_FEATURE,
    }
}

/// Tells whose task this is: the sender of its newest message.
///
/// This and all functions below are for the handlers of skills:
/// `AGENTMOTE_ERROR_TYPE` for the handle of another handler,
/// `AGENTMOTE_ERROR_NOT_OPEN` for one whose handler has returned,
/// `AGENTMOTE_ERROR_FEATURE` if the library was built without `a2a`. On failure
/// nothing is written.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `asker` is NULL or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_asker(
    call: *mut agentmote_call_t,
    asker: *mut agentmote_asker_t,
) -> agentmote_status_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        look(call, asker, |work| {
            let who = work.principal();
            Some(agentmote_asker_t {
                id: who.id,
                tenant: who.tenant,
                scopes: who.scopes,
            })
        })
    }
    #[cfg(not(feature = "a2a"))]
    // SAFETY: as the caller promises.
    unsafe {
        absent(call, asker)
    }
}

/// Tells the id of the task: 16 bytes, random ones, the same in each step and
/// in no other task. See `agentmote_asker`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `id` is NULL or points to 16
/// bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_task_id(
    call: *mut agentmote_call_t,
    id: *mut u8,
) -> agentmote_status_t {
    let out = id.cast::<[u8; 16]>();
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        look(call, out, |work| Some(*work.id().as_bytes()))
    }
    #[cfg(not(feature = "a2a"))]
    // SAFETY: as the caller promises.
    unsafe {
        absent(call, out)
    }
}

/// Tells how many messages the caller has sent: 1 at first, one more after
/// each answer to a question. See `agentmote_asker`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `count` is NULL or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_message_count(
    call: *mut agentmote_call_t,
    count: *mut usize,
) -> agentmote_status_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        look(call, count, |work| Some(work.messages()))
    }
    #[cfg(not(feature = "a2a"))]
    // SAFETY: as the caller promises.
    unsafe {
        absent(call, count)
    }
}

/// Gives the part at `place`, from 0, of the caller's newest message; the
/// bytes that it points to are valid until the handler returns.
/// `AGENTMOTE_ABSENT` behind the last one. See `agentmote_asker`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `part` is NULL or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_part(
    call: *mut agentmote_call_t,
    place: usize,
    part: *mut agentmote_part_t,
) -> agentmote_status_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        look(call, part, |work| work.parts().nth(place).map(of_part))
    }
    #[cfg(not(feature = "a2a"))]
    // SAFETY: as the caller promises.
    unsafe {
        let _ = place;
        absent(call, part)
    }
}

#[cfg(feature = "a2a")]
fn of_part(part: Part<'_>) -> agentmote_part_t {
    let (kind, content) = match part.content {
        Content::Text(text) => (AGENTMOTE_PART_TEXT, text.as_bytes()),
        Content::Raw(bytes) => (AGENTMOTE_PART_RAW, bytes),
        Content::Url(url) => (AGENTMOTE_PART_URL, url.as_bytes()),
        Content::Data(json) => (AGENTMOTE_PART_DATA, json),
    };
    agentmote_part_t {
        content: content.as_ptr().cast(),
        size: content.len(),
        media_type: part.media_type.as_ptr().cast(),
        media_type_size: part.media_type.len(),
        filename: part.filename.as_ptr().cast(),
        filename_size: part.filename.len(),
        metadata: part.metadata.as_ptr().cast(),
        metadata_size: part.metadata.len(),
        kind,
    }
}

/// Gives the first text of the caller's newest message with a zero byte behind
/// it, as `agentmote_get_text` gives one; empty if there is none. See
/// `agentmote_asker`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` points to `size` bytes that
/// may be written; `length` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_message_text(
    call: *mut agentmote_call_t,
    out: *mut c_char,
    size: usize,
    length: *mut usize,
) -> agentmote_status_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    match unsafe { of_skill(call) } {
        // SAFETY: as the caller promises.
        Ok(output) => unsafe {
            crate::value::copy_chars(output.work.text().chars(), out, size, length)
        },
        Err(status) => status,
    }
    #[cfg(not(feature = "a2a"))]
    // SAFETY: as the caller promises.
    unsafe {
        let _ = (size, length);
        absent(call, out)
    }
}

/// Gives the id of the caller's newest message, as `agentmote_get_text` gives a
/// text. See `agentmote_asker`.
///
/// # Safety
/// As for `agentmote_message_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_message_id(
    call: *mut agentmote_call_t,
    out: *mut c_char,
    size: usize,
    length: *mut usize,
) -> agentmote_status_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    match unsafe { of_skill(call) } {
        // SAFETY: as the caller promises.
        Ok(output) => unsafe {
            crate::value::copy_chars(output.work.message_id().chars(), out, size, length)
        },
        Err(status) => status,
    }
    #[cfg(not(feature = "a2a"))]
    // SAFETY: as the caller promises.
    unsafe {
        let _ = (size, length);
        absent(call, out)
    }
}

/// Says how far the work is, as the message of the task's status; what is
/// longer than 160 bytes ends with an ellipsis. Once half of the task's log is
/// used, reports are dropped, so that output finds room.
///
/// `AGENTMOTE_ERROR_NULL` if the text is NULL or not UTF-8. See
/// `agentmote_asker`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `text` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_report(
    call: *mut agentmote_call_t,
    text: *const c_char,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    let Some(text) = (unsafe { crate::abi::text(text) }) else {
        return AGENTMOTE_ERROR_NULL;
    };
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    match unsafe { of_skill(call) } {
        Ok(output) => {
            output.work.report(text);
            AGENTMOTE_OK
        }
        Err(status) => status,
    }
    #[cfg(not(feature = "a2a"))]
    {
        let _ = (call, text);
        crate::abi::AGENTMOTE_ERROR_FEATURE
    }
}

/// Begins an artifact with the next part that is given: a text, a structured
/// value, a picture, any of those that a tool gives, or `agentmote_part`. The
/// parts after that one are added to it. Without this, the first part begins
/// one without a name. A task that is done must have one.
///
/// `name` is NULL for none; it must stay as it is until the part is given. If
/// it is not UTF-8, the task fails and says so. In the handler of another kind
/// this does nothing.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_artifact(
    call: *mut agentmote_call_t,
    name: *const c_char,
) -> agentmote_answer_t {
    #[cfg(feature = "a2a")]
    {
        let name = match name.is_null() {
            true => Some(""),
            // SAFETY: as the caller promises; a handler gives the part before
            // it returns.
            false => unsafe { crate::abi::text(name) },
        };
        // SAFETY: as the caller promises.
        match (unsafe { handle(call) }, name) {
            (Ok(call), Some(name)) => {
                call.artifact = Artifact {
                    begins: Some(name),
                    last: false,
                };
            }
            (Ok(call), None) => call.fault("the handler gave a name that is not UTF-8"),
            (Err(_), _) => {}
        }
    }
    let _ = (call, name);
    AGENTMOTE_DONE
}

/// Says that the next part is the last of its artifact, for who reads them as
/// they come.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_last_part(call: *mut agentmote_call_t) -> agentmote_answer_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    if let Ok(call) = unsafe { handle(call) } {
        call.artifact.last = true;
    }
    let _ = call;
    AGENTMOTE_DONE
}

/// Gives a part with all that a part can have. Its bytes are copied. If it is
/// NULL, of no kind, or has a text that is not UTF-8 or data that is not JSON,
/// the task fails and says so. Only for skills.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `part` is NULL or points to a
/// part, of which each pointer is NULL or points to as many bytes as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_part(
    call: *mut agentmote_call_t,
    part: *const agentmote_part_t,
) -> agentmote_answer_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        let part = part.as_ref().and_then(|part| to_part(part));
        crate::result::give_part(call, part);
    }
    let _ = (call, part);
    AGENTMOTE_DONE
}

/// # Safety
/// As for [`agentmote_part`].
#[cfg(feature = "a2a")]
unsafe fn to_part<'a>(part: &agentmote_part_t) -> Option<Part<'a>> {
    // SAFETY: as the caller promises.
    let bytes =
        |start: *const c_char, size: usize| unsafe { items::<u8>(start.cast::<u8>(), size) };
    let text = |start: *const c_char, size: usize| core::str::from_utf8(bytes(start, size)).ok();
    let (start, size) = (part.content.cast::<c_char>(), part.size);
    if start.is_null() && size > 0 {
        return None;
    }
    let content = match part.kind {
        AGENTMOTE_PART_TEXT => Content::Text(text(start, size)?),
        AGENTMOTE_PART_RAW => Content::Raw(bytes(start, size)),
        AGENTMOTE_PART_URL => Content::Url(text(start, size)?),
        AGENTMOTE_PART_DATA => Content::Data(bytes(start, size)),
        _ => return None,
    };
    Some(Part {
        media_type: text(part.media_type, part.media_type_size)?,
        filename: text(part.filename, part.filename_size)?,
        metadata: bytes(part.metadata, part.metadata_size),
        ..Part::new(content)
    })
}

/// Asks the caller, who then has to send a message, and returns
/// `AGENTMOTE_NEED_INPUT`, so that a handler can end with `return
/// agentmote_ask(call, "Which joint?");`. The handler is called again once he
/// has answered: the answer is then the newest message.
///
/// A text that is NULL or not UTF-8 makes the task fail and say so; so it is
/// with the functions below. Only for skills.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `question` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_ask(
    call: *mut agentmote_call_t,
    question: *const c_char,
) -> agentmote_answer_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        crate::result::give_step(call, question, |work, text| work.ask(text));
    }
    let _ = (call, question);
    AGENTMOTE_NEED_INPUT
}

/// Says what leave is needed, and from where, and returns
/// `AGENTMOTE_NEED_INPUT`. The handler is called again as if it had answered
/// `AGENTMOTE_PENDING`, and after a message of the caller. See `agentmote_ask`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `what` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_ask_leave(
    call: *mut agentmote_call_t,
    what: *const c_char,
) -> agentmote_answer_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        crate::result::give_step(call, what, |work, text| work.ask_leave(text));
    }
    let _ = (call, what);
    AGENTMOTE_NEED_INPUT
}

/// Answers that the task is not accepted, for this reason, in words for the
/// caller, and returns `AGENTMOTE_DONE`. See `agentmote_ask`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `reason` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_reject(
    call: *mut agentmote_call_t,
    reason: *const c_char,
) -> agentmote_answer_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        crate::result::give_step(call, reason, |work, text| work.reject(text));
    }
    let _ = (call, reason);
    AGENTMOTE_DONE
}

/// Answers with a word and no task, for what is no work, and returns
/// `AGENTMOTE_DONE`. Only the first step of a skill with `AGENTMOTE_TALKS` may
/// do so. What is longer than 160 bytes ends with an ellipsis. See
/// `agentmote_ask`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `text` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_say(
    call: *mut agentmote_call_t,
    text: *const c_char,
) -> agentmote_answer_t {
    #[cfg(feature = "a2a")]
    // SAFETY: as the caller promises.
    unsafe {
        crate::result::give_step(call, text, |work, text| work.say(text));
    }
    let _ = (call, text);
    AGENTMOTE_DONE
}
