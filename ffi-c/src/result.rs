//! What a handler gives: texts, values written piece by piece, blocks.

use core::ffi::{c_char, c_void};

use agentmote::buf::Sink;
use agentmote::json::write;
use agentmote::limits::JSON_DEPTH;
#[cfg(feature = "a2a")]
use agentmote::task::{Content, Part, Step, Work};
use agentmote::tool::Data;

use crate::abi::{AGENTMOTE_DONE, agentmote_answer_t, agentmote_status_t, items, text};
use crate::call::{Given, Subject, agentmote_call_t, handle};

/// A structured result on its way.
pub(crate) struct Writer {
    /// Bytes of its text so far.
    len: usize,
    /// Objects and arrays that are open.
    depth: u8,
    /// A bit for each of them, the innermost the lowest: 1 for an array.
    arrays: u32,
    /// Whether the next value is the first in the innermost.
    first: bool,
}

const _: () = assert!(JSON_DEPTH <= u32::BITS as usize, "a bit for each level");

impl Writer {
    pub(crate) const fn new() -> Self {
        Self {
            len: 0,
            depth: 0,
            arrays: 0,
            first: true,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.depth > 0
    }

    fn in_array(&self) -> bool {
        self.arrays & 1 == 1
    }

    fn enter(&mut self, array: bool) {
        self.depth = self.depth.saturating_add(1);
        self.arrays = self.arrays << 1 | u32::from(array);
        self.first = true;
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.arrays >>= 1;
        self.first = false;
    }
}

const NOT_TEXT: &str = "the handler gave a text that is NULL or not UTF-8";
const NOT_NAME: &str = "the handler gave a name that is NULL or not UTF-8";
const IN_VALUE: &str = "the handler gave a part before it closed an object or array";
const NO_PLACE: &str = "the handler gave a part that has no place in this answer";

impl agentmote_call_t {
    /// Gives one part, unless the call has failed already.
    fn part(&mut self, give: impl FnOnce(Subject<'_>) -> Option<Given>) {
        if self.has_fault() {
            return;
        }
        if self.writer.is_open() {
            return self.fault(IN_VALUE);
        }
        match self.subject().map(give) {
            Some(Some(given)) => self.gave(given),
            Some(None) => self.fault(NO_PLACE),
            None => {}
        }
    }

    /// Writes on at the structured result.
    fn write(&mut self, fill: impl FnOnce(&mut Sink<'_>)) {
        let len = self.writer.len;
        let len = match self.subject() {
            Some(Subject::Tool(call)) => call.draft(len, fill),
            #[cfg(feature = "resources")]
            Some(Subject::Resource(reading)) => reading.draft(len, fill),
            #[cfg(feature = "prompts")]
            Some(Subject::Prompt(_)) => return self.fault(NO_PLACE),
            #[cfg(feature = "a2a")]
            Some(Subject::Work(output)) => output.work.draft(len, fill),
            None => return,
        };
        self.writer.len = len;
    }

    /// Writes a value, behind its name if it stands in an object.
    fn value(&mut self, name: Option<&str>, fill: impl FnOnce(&mut Sink<'_>)) {
        if self.has_fault() {
            return;
        }
        if !self.writer.is_open() {
            return self.fault("the handler gave a value outside of an object or array");
        }
        let name = match (self.writer.in_array(), name) {
            (true, None) => None,
            (true, Some(_)) => return self.fault("the handler named an element of an array"),
            (false, None) => return self.fault(NOT_NAME),
            (false, name) => name,
        };
        let first = core::mem::replace(&mut self.writer.first, false);
        self.write(|sink| {
            if !first {
                sink.byte(b',');
            }
            if let Some(name) = name {
                write::string(sink, name);
                sink.byte(b':');
            }
            fill(sink);
        });
    }

    fn open(&mut self, name: Option<&str>, array: bool) {
        if self.has_fault() {
            return;
        }
        if usize::from(self.writer.depth) >= JSON_DEPTH {
            return self.fault("the handler nests objects and arrays too deep");
        }
        let open = if array { b'[' } else { b'{' };
        if self.writer.is_open() {
            self.value(name, |sink| sink.byte(open));
        } else {
            self.writer = Writer::new();
            self.write(|sink| sink.byte(open));
        }
        self.writer.enter(array);
    }

    fn close(&mut self) {
        if self.has_fault() {
            return;
        }
        if !self.writer.is_open() {
            return self.fault("the handler closed an object or array that is not open");
        }
        let close = if self.writer.in_array() { b']' } else { b'}' };
        self.write(|sink| sink.byte(close));
        self.writer.leave();
        if self.writer.is_open() {
            return;
        }
        let len = self.writer.len;
        match self.subject() {
            Some(Subject::Tool(call)) => {
                let answer = call.drafted(len);
                self.gave(Given::Answer(answer));
            }
            #[cfg(feature = "resources")]
            Some(Subject::Resource(reading)) => {
                let read = reading.drafted(len);
                self.gave(Given::Read(read));
            }
            #[cfg(feature = "prompts")]
            Some(Subject::Prompt(_)) => {}
            #[cfg(feature = "a2a")]
            Some(Subject::Work(mut output)) => {
                let given = output.drafted(len);
                self.gave(given);
            }
            None => {}
        }
    }
}

/// Lets `give` work on the handle; the answer is always "done", so that a
/// handler can return it.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
unsafe fn give(
    call: *mut agentmote_call_t,
    give: impl FnOnce(&mut agentmote_call_t),
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    if let Ok(handle) = unsafe { handle(call) } {
        give(handle);
    }
    AGENTMOTE_DONE
}

/// Adds a text.
///
/// This and all functions below give a part of the result and return
/// `AGENTMOTE_DONE`, so that a handler may end with `return
/// agentmote_text(call, "stopped");`. What can't be given (a text that is NULL
/// or not UTF-8, a number that is not finite, a part inside an object that is
/// still open, a part of a kind that the answer has no place for, a result
/// longer than the connection's buffer) makes the whole call a failure that
/// says so to the caller. Through a handle whose handler has returned, nothing
/// is given.
///
/// In the handler of a skill, each is a part of an artifact; see
/// `agentmote_artifact`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `text` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_text(
    call: *mut agentmote_call_t,
    text: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let given = unsafe { crate::abi::text(text) };
    // SAFETY: as the caller promises.
    unsafe { give(call, |call| add_text(call, given)) }
}

/// Adds a text of `length` bytes, which may hold zero bytes.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `text` is NULL or points to
/// `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_text_of(
    call: *mut agentmote_call_t,
    text: *const c_char,
    length: usize,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let given = core::str::from_utf8(unsafe { items(text.cast::<u8>(), length) });
    let given = given.ok().filter(|_| !text.is_null() || length == 0);
    // SAFETY: as the caller promises.
    unsafe { give(call, |call| add_text(call, given)) }
}

/// Gives a part of an artifact; `None` if it is none.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[cfg(feature = "a2a")]
pub(crate) unsafe fn give_part(call: *mut agentmote_call_t, part: Option<Part<'_>>) {
    let add = |call: &mut agentmote_call_t| match part {
        Some(part) => call.part(|subject| match subject {
            Subject::Work(mut output) => Some(output.give(part)),
            _ => None,
        }),
        None => call.fault("the handler gave a part that is none"),
    };
    // SAFETY: as the caller promises.
    unsafe { give(call, add) };
}

/// Gives a question or an end of a task, in these words. What was given before
/// of it is dropped, but for artifacts.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `words` is NULL or ends with a
/// zero byte.
#[cfg(feature = "a2a")]
pub(crate) unsafe fn give_step(
    call: *mut agentmote_call_t,
    words: *const c_char,
    step: fn(&mut Work<'static>, &str) -> Step,
) {
    // SAFETY: as the caller promises.
    let words = unsafe { text(words) };
    let add = |call: &mut agentmote_call_t| match words {
        Some(words) => call.part(|subject| match subject {
            Subject::Work(output) => Some(Given::Step(step(output.work, words))),
            _ => None,
        }),
        None => call.fault(NOT_TEXT),
    };
    // SAFETY: as the caller promises.
    unsafe { give(call, add) };
}

fn add_text(call: &mut agentmote_call_t, text: Option<&str>) {
    let Some(text) = text else {
        return call.fault(NOT_TEXT);
    };
    call.part(|subject| {
        Some(match subject {
            Subject::Tool(call) => Given::Answer(call.text(text)),
            #[cfg(feature = "resources")]
            Subject::Resource(reading) => Given::Read(reading.text(text)),
            #[cfg(feature = "prompts")]
            Subject::Prompt(rendering) => {
                rendering.text(text);
                Given::Message
            }
            #[cfg(feature = "a2a")]
            Subject::Work(mut output) => output.give(Part::new(Content::Text(text))),
        })
    });
}

/// Answers "failed", with the reason in words for the caller (M-120). What was
/// given before is dropped.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `reason` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_fail(
    call: *mut agentmote_call_t,
    reason: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let reason = unsafe { text(reason) };
    let fail = |call: &mut agentmote_call_t| {
        let Some(reason) = reason else {
            return call.fault(NOT_TEXT);
        };
        if call.has_fault() {
            return;
        }
        call.writer = Writer::new();
        call.part(|subject| {
            Some(match subject {
                Subject::Tool(call) => Given::Answer(call.fail(reason)),
                #[cfg(feature = "resources")]
                Subject::Resource(reading) => Given::Read(reading.fail(reason)),
                #[cfg(feature = "prompts")]
                Subject::Prompt(rendering) => {
                    rendering.fail(reason);
                    Given::Message
                }
                #[cfg(feature = "a2a")]
                Subject::Work(output) => Given::Step(output.work.fail(reason)),
            })
        });
    };
    // SAFETY: as the caller promises.
    unsafe { give(call, fail) }
}

/// Opens an object of the structured result; inside another one, as its member
/// `name`. `name` is NULL at the top and in an array.
///
/// The outermost object or array, once it is closed, is the structured result
/// of a tool, or the content of a resource as JSON text; of a skill, a part of
/// an artifact.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_open_object(
    call: *mut agentmote_call_t,
    name: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    unsafe { put(call, name, |call, name| call.open(name, false)) }
}

/// Opens an array; see `agentmote_open_object`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_open_array(
    call: *mut agentmote_call_t,
    name: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    unsafe { put(call, name, |call, name| call.open(name, true)) }
}

/// Closes the object or array that was opened last.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_close(call: *mut agentmote_call_t) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    unsafe { give(call, agentmote_call_t::close) }
}

/// Writes a boolean: as the member `name` of the object that is open, or as
/// the next element of the array, with NULL for `name`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_put_boolean(
    call: *mut agentmote_call_t,
    name: *const c_char,
    value: bool,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    unsafe {
        put(call, name, |call, name| {
            call.value(name, |sink| write::bool(sink, value))
        })
    }
}

/// Writes an integer; see `agentmote_put_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_put_integer(
    call: *mut agentmote_call_t,
    name: *const c_char,
    value: i64,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    unsafe {
        put(call, name, |call, name| {
            call.value(name, |sink| write::i64(sink, value))
        })
    }
}

/// Writes a double in the shortest digits that read back as the same; see
/// `agentmote_put_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_put_double(
    call: *mut agentmote_call_t,
    name: *const c_char,
    value: f64,
) -> agentmote_answer_t {
    let write = |call: &mut agentmote_call_t, name: Option<&str>| {
        if !value.is_finite() {
            return call.fault(NOT_FINITE);
        }
        call.value(name, |sink| {
            let _ = write::f64(sink, value);
        });
    };
    // SAFETY: as the caller promises.
    unsafe { put(call, name, write) }
}

/// Writes a float in the shortest digits that read back as the same; see
/// `agentmote_put_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_put_float(
    call: *mut agentmote_call_t,
    name: *const c_char,
    value: f32,
) -> agentmote_answer_t {
    let write = |call: &mut agentmote_call_t, name: Option<&str>| {
        if !value.is_finite() {
            return call.fault(NOT_FINITE);
        }
        call.value(name, |sink| {
            let _ = write::f32(sink, value);
        });
    };
    // SAFETY: as the caller promises.
    unsafe { put(call, name, write) }
}

const NOT_FINITE: &str = "the result holds a value that is not a finite number";

/// Writes a text; see `agentmote_put_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` and `text` are NULL or
/// end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_put_text(
    call: *mut agentmote_call_t,
    name: *const c_char,
    text: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let given = unsafe { crate::abi::text(text) };
    let write = |call: &mut agentmote_call_t, name: Option<&str>| match given {
        Some(text) => call.value(name, |sink| write::string(sink, text)),
        None => call.fault(NOT_TEXT),
    };
    // SAFETY: as the caller promises.
    unsafe { put(call, name, write) }
}

/// Writes `null`; see `agentmote_put_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_put_null(
    call: *mut agentmote_call_t,
    name: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    unsafe {
        put(call, name, |call, name| {
            call.value(name, |sink| sink.text("null"))
        })
    }
}

/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte.
unsafe fn put(
    call: *mut agentmote_call_t,
    name: *const c_char,
    write: impl FnOnce(&mut agentmote_call_t, Option<&str>),
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let given = unsafe { text(name) };
    let write = |call: &mut agentmote_call_t| {
        if given.is_none() && !name.is_null() {
            return call.fault(NOT_NAME);
        }
        write(call, given);
    };
    // SAFETY: as the caller promises.
    unsafe { give(call, write) }
}

/// Adds a picture of `size` bytes, which are copied; in a prompt as a message.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `data` points to `size` bytes;
/// `mime` ends with a zero byte, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_image(
    call: *mut agentmote_call_t,
    data: *const c_void,
    size: usize,
    mime: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let (data, mime) = unsafe { (copied(data, size), text(mime)) };
    // SAFETY: as the caller promises.
    unsafe { give(call, |call| add_image(call, data, mime)) }
}

/// Adds a picture of `size` bytes in flash: only a pointer is kept, so it may
/// be longer than the connection's buffer. The bytes must stay as they are as
/// long as the connection is open. At most four such blobs in one result.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `data` points to `size` bytes;
/// `mime` ends with a zero byte, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_image_static(
    call: *mut agentmote_call_t,
    data: *const c_void,
    size: usize,
    mime: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let (data, mime) = unsafe { (constant(data, size), text(mime)) };
    // SAFETY: as the caller promises.
    unsafe { give(call, |call| add_image(call, data, mime)) }
}

fn add_image(call: &mut agentmote_call_t, data: Option<Data<'_>>, mime: Option<&str>) {
    let (Some(data), Some(mime)) = (data, mime) else {
        return call.fault(NOT_DATA);
    };
    call.part(|subject| match subject {
        Subject::Tool(call) => Some(Given::Answer(call.image(data, mime))),
        #[cfg(feature = "prompts")]
        Subject::Prompt(rendering) => {
            rendering.image(data, mime);
            Some(Given::Message)
        }
        #[cfg(feature = "a2a")]
        Subject::Work(mut output) => Some(output.give(raw(data, mime))),
        #[cfg(feature = "resources")]
        Subject::Resource(_) => None,
    });
}

/// Adds a sound of `size` bytes, which are copied; a text in its place for a
/// client whose protocol version has none (before 2025-03-26). For tools and
/// skills.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `data` points to `size` bytes;
/// `mime` ends with a zero byte, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_audio(
    call: *mut agentmote_call_t,
    data: *const c_void,
    size: usize,
    mime: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let (data, mime) = unsafe { (copied(data, size), text(mime)) };
    let add = |call: &mut agentmote_call_t| match (data, mime) {
        (Some(data), Some(mime)) => call.part(|subject| match subject {
            Subject::Tool(call) => Some(Given::Answer(call.audio(data, mime))),
            #[cfg(feature = "a2a")]
            Subject::Work(mut output) => Some(output.give(raw(data, mime))),
            #[cfg(any(feature = "resources", feature = "prompts"))]
            _ => None,
        }),
        _ => call.fault(NOT_DATA),
    };
    // SAFETY: as the caller promises.
    unsafe { give(call, add) }
}

/// Adds a link to a resource; a text in its place for a client whose protocol
/// version has none (before 2025-06-18). `mime` is NULL if not told. For tools
/// and skills.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `uri`, `name` and `mime` are
/// NULL or end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_link(
    call: *mut agentmote_call_t,
    uri: *const c_char,
    name: *const c_char,
    mime: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let (uri, name, mime) = unsafe { (text(uri), text(name), optional(mime)) };
    let add = |call: &mut agentmote_call_t| match (uri, name, mime) {
        (Some(uri), Some(name), Some(mime)) => call.part(|subject| match subject {
            Subject::Tool(call) => Some(Given::Answer(call.link(uri, name, mime))),
            #[cfg(feature = "a2a")]
            Subject::Work(mut output) => {
                let part = Part::new(Content::Url(uri)).media_type(mime);
                Some(output.give(part.filename(name)))
            }
            #[cfg(any(feature = "resources", feature = "prompts"))]
            _ => None,
        }),
        _ => call.fault(NOT_TEXT),
    };
    // SAFETY: as the caller promises.
    unsafe { give(call, add) }
}

/// Adds a resource of text, in place. `mime` is NULL if not told. For tools
/// and prompts; in a skill it is a part of an artifact.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `uri`, `mime` and `text` are
/// NULL or end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_resource_text(
    call: *mut agentmote_call_t,
    uri: *const c_char,
    mime: *const c_char,
    text: *const c_char,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let (uri, mime, given) = unsafe {
        (
            crate::abi::text(uri),
            optional(mime),
            crate::abi::text(text),
        )
    };
    let add = |call: &mut agentmote_call_t| match (uri, mime, given) {
        (Some(uri), Some(mime), Some(text)) => call.part(|subject| match subject {
            Subject::Tool(call) => Some(Given::Answer(call.resource_text(uri, mime, text))),
            #[cfg(feature = "prompts")]
            Subject::Prompt(rendering) => {
                rendering.resource_text(uri, mime, text);
                Some(Given::Message)
            }
            #[cfg(feature = "a2a")]
            Subject::Work(mut output) => {
                let part = Part::new(Content::Text(text)).media_type(mime);
                Some(output.give(part.uri(uri)))
            }
            #[cfg(feature = "resources")]
            Subject::Resource(_) => None,
        }),
        _ => call.fault(NOT_TEXT),
    };
    // SAFETY: as the caller promises.
    unsafe { give(call, add) }
}

/// Adds a resource of `size` bytes, which are copied, in place. `mime` is NULL
/// if not told. For tools and prompts; in a reader it is the content, and
/// `uri` and `mime` are not looked at; in a skill it is a part of an artifact.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `uri` and `mime` are NULL or end
/// with a zero byte; `data` points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_blob(
    call: *mut agentmote_call_t,
    uri: *const c_char,
    mime: *const c_char,
    data: *const c_void,
    size: usize,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let (uri, mime, data) = unsafe { (optional(uri), optional(mime), copied(data, size)) };
    // SAFETY: as the caller promises.
    unsafe { give(call, |call| add_blob(call, uri, mime, data)) }
}

/// Adds a resource of `size` bytes in flash: only a pointer is kept; see
/// `agentmote_blob` and `agentmote_image_static`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `uri` and `mime` are NULL or end
/// with a zero byte; `data` points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_blob_static(
    call: *mut agentmote_call_t,
    uri: *const c_char,
    mime: *const c_char,
    data: *const c_void,
    size: usize,
) -> agentmote_answer_t {
    // SAFETY: as the caller promises.
    let (uri, mime, data) = unsafe { (optional(uri), optional(mime), constant(data, size)) };
    // SAFETY: as the caller promises.
    unsafe { give(call, |call| add_blob(call, uri, mime, data)) }
}

fn add_blob(
    call: &mut agentmote_call_t,
    uri: Option<&str>,
    mime: Option<&str>,
    data: Option<Data<'_>>,
) {
    let (Some(uri), Some(mime)) = (uri, mime) else {
        return call.fault(NOT_TEXT);
    };
    let Some(data) = data else {
        return call.fault(NOT_DATA);
    };
    call.part(|subject| {
        Some(match subject {
            Subject::Tool(call) => Given::Answer(call.resource_blob(uri, mime, data)),
            #[cfg(feature = "prompts")]
            Subject::Prompt(rendering) => {
                rendering.resource_blob(uri, mime, data);
                Given::Message
            }
            #[cfg(feature = "resources")]
            Subject::Resource(reading) => Given::Read(reading.bytes(data)),
            #[cfg(feature = "a2a")]
            Subject::Work(mut output) => output.give(raw(data, mime).uri(uri)),
        })
    });
}

/// Says that the next message of a prompt is the assistant's; without it, each
/// is the user's. Only for prompts.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_assistant(call: *mut agentmote_call_t) -> agentmote_answer_t {
    let add = |call: &mut agentmote_call_t| {
        call.part(|subject| match subject {
            #[cfg(feature = "prompts")]
            Subject::Prompt(rendering) => {
                rendering.assistant();
                Some(Given::Message)
            }
            _ => None,
        });
    };
    // SAFETY: as the caller promises.
    unsafe { give(call, add) }
}

/// Bytes as a part of an artifact.
#[cfg(feature = "a2a")]
fn raw<'a>(data: Data<'a>, mime: &'a str) -> Part<'a> {
    let (Data::Copied(bytes) | Data::Static(bytes)) = data;
    Part::new(Content::Raw(bytes)).media_type(mime)
}

const NOT_DATA: &str = "the handler gave data or a media type that is NULL";

/// # Safety
/// `data` is NULL or points to `size` bytes.
unsafe fn copied<'a>(data: *const c_void, size: usize) -> Option<Data<'a>> {
    if data.is_null() && size > 0 {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(Data::Copied(unsafe { items(data.cast(), size) }))
}

/// # Safety
/// `data` is NULL or points to `size` bytes that stay as they are while the
/// connection is open.
unsafe fn constant(data: *const c_void, size: usize) -> Option<Data<'static>> {
    if data.is_null() && size > 0 {
        return None;
    }
    // SAFETY: as the caller promises; who holds the slice is the connection.
    Some(Data::Static(unsafe { items(data.cast(), size) }))
}

/// A text that may be left out: empty if it is NULL, `None` if it is not
/// UTF-8.
///
/// # Safety
/// As for [`text`].
unsafe fn optional<'a>(given: *const c_char) -> Option<&'a str> {
    if given.is_null() {
        return Some("");
    }
    // SAFETY: as the caller promises.
    unsafe { text(given) }
}

/// Tells the caller what goes on, if he asked for messages of this level, one
/// of `AGENTMOTE_LOG_DEBUG` to `AGENTMOTE_LOG_EMERGENCY` (M-131, M-132). No
/// secrets, no personal data (M-134). The messages of one step stand in the
/// connection's buffer, before the result, until they are sent; one that does
/// not fit ends with an ellipsis. The device must have `AGENTMOTE_LOGS`.
///
/// `AGENTMOTE_ERROR_RANGE` for another level, `AGENTMOTE_ERROR_PLACE` while an
/// object or array of the result is open, `AGENTMOTE_ERROR_NULL` if the text is
/// NULL or not UTF-8, `AGENTMOTE_ERROR_TYPE` in a reader, renderer or skill,
/// `AGENTMOTE_ERROR_FEATURE` if the library was built without `logging`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `text` is NULL or ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_log(
    call: *mut agentmote_call_t,
    level: u8,
    text: *const c_char,
) -> agentmote_status_t {
    #[cfg(feature = "logging")]
    {
        use crate::abi::{AGENTMOTE_ERROR_PLACE, AGENTMOTE_ERROR_RANGE, AGENTMOTE_OK};
        // SAFETY: as the caller promises.
        let given = unsafe { crate::abi::text(text) };
        let Some(level) = agentmote::tool::Level::ALL.get(usize::from(level)) else {
            return AGENTMOTE_ERROR_RANGE;
        };
        // SAFETY: as the caller promises.
        let call = match unsafe { handle(call) } {
            Ok(call) if call.writer.is_open() => return AGENTMOTE_ERROR_PLACE,
            Ok(call) => call,
            Err(status) => return status,
        };
        match (call.subject(), given) {
            (None, _) => crate::abi::AGENTMOTE_ERROR_NOT_OPEN,
            (Some(_), None) => crate::abi::AGENTMOTE_ERROR_NULL,
            (Some(Subject::Tool(call)), Some(text)) => {
                call.log(*level, format_args!("{text}"));
                AGENTMOTE_OK
            }
            #[cfg(any(feature = "resources", feature = "prompts", feature = "a2a"))]
            (Some(_), Some(_)) => crate::abi::AGENTMOTE_ERROR_TYPE,
        }
    }
    #[cfg(not(feature = "logging"))]
    {
        let _ = (call, level, text);
        crate::abi::AGENTMOTE_ERROR_FEATURE
    }
}
