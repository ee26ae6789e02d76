//! What C writes and reads: structs, numbers, and how texts come over.

use core::ffi::{c_char, c_void};

use crate::call::agentmote_call_t;

/// What a function says of how it went. 0 is success; all others did nothing
/// but what they say.
pub type agentmote_status_t = i32;

/// It is done.
pub const AGENTMOTE_OK: agentmote_status_t = 0;
/// A pointer is NULL that must not be.
pub const AGENTMOTE_ERROR_NULL: agentmote_status_t = 1;
/// Another call of the same server or connection is not over: one from inside
/// a handler, or from another thread. Nothing was done; call again later.
pub const AGENTMOTE_ERROR_BUSY: agentmote_status_t = 2;
/// The server or connection was not opened, or the handler whose call this is
/// has returned.
pub const AGENTMOTE_ERROR_NOT_OPEN: agentmote_status_t = 3;
/// Storage is too small, or does not stand at a multiple of 8.
pub const AGENTMOTE_ERROR_STORAGE: agentmote_status_t = 4;
/// A table breaks a rule; `agentmote_problem_t` tells which.
pub const AGENTMOTE_ERROR_TABLE: agentmote_status_t = 5;
/// The library was built without what is asked for.
pub const AGENTMOTE_ERROR_FEATURE: agentmote_status_t = 6;
/// There is no parameter, element or name like that.
pub const AGENTMOTE_ERROR_PLACE: agentmote_status_t = 7;
/// The parameter or element is of another type, or the call of another kind.
pub const AGENTMOTE_ERROR_TYPE: agentmote_status_t = 8;
/// The value does not fit the C type that is asked for.
pub const AGENTMOTE_ERROR_RANGE: agentmote_status_t = 9;
/// The buffer is too short; the length that is needed was told.
pub const AGENTMOTE_ERROR_SHORT: agentmote_status_t = 10;
/// No value was given and there is no default; or: no more elements, nothing
/// is due.
pub const AGENTMOTE_ABSENT: agentmote_status_t = 11;

/// What a handler answers.
pub type agentmote_answer_t = i32;

/// The result is given. A handler that has given nothing answers the text
/// `done`.
pub const AGENTMOTE_DONE: agentmote_answer_t = 0;
/// Not yet: call the handler again. Only for tools with `AGENTMOTE_POLLED`.
pub const AGENTMOTE_PENDING: agentmote_answer_t = 1;
/// There is no such resource. Only for readers.
pub const AGENTMOTE_MISSING: agentmote_answer_t = 2;

/// It has asked its caller, and there is no answer yet: call the handler again
/// with it. Only for tools with `AGENTMOTE_ASKS`, for prompts and for skills.
pub const AGENTMOTE_NEED_INPUT: agentmote_answer_t = 3;

/// The work was stopped as its caller wished. Only for skills.
pub const AGENTMOTE_STOPPED: agentmote_answer_t = 4;
/// The work can't be stopped here, and goes on. Only for skills.
pub const AGENTMOTE_CANNOT_STOP: agentmote_answer_t = 5;

/// The user has filled the form in.
pub const AGENTMOTE_ACCEPTED: i32 = 0;
/// The user has refused.
pub const AGENTMOTE_DECLINED: i32 = 1;
/// The user went away without an answer, or the client could not ask.
pub const AGENTMOTE_CANCELLED: i32 = 2;

/// Kind of a parameter: `true` or `false`.
pub const AGENTMOTE_KIND_BOOLEAN: u8 = 1;
/// Kind of a parameter: a whole number.
pub const AGENTMOTE_KIND_INTEGER: u8 = 2;
/// Kind of a parameter: a number.
pub const AGENTMOTE_KIND_NUMBER: u8 = 3;
/// Kind of a parameter: a text.
pub const AGENTMOTE_KIND_STRING: u8 = 4;
/// Kind of a parameter: one of a list of texts.
pub const AGENTMOTE_KIND_CHOICE: u8 = 5;
/// Kind of a parameter: a list of values of one kind.
pub const AGENTMOTE_KIND_ARRAY: u8 = 6;
/// Kind of a parameter: an object with described members.
pub const AGENTMOTE_KIND_OBJECT: u8 = 7;

/// Presence of a parameter: a call without it is refused.
pub const AGENTMOTE_REQUIRED: u8 = 0;
/// Presence of a parameter: it may be absent.
pub const AGENTMOTE_OPTIONAL: u8 = 1;
/// Presence of a parameter: absent means its default.
pub const AGENTMOTE_DEFAULT: u8 = 2;

/// Flag of a tool: it changes nothing.
pub const AGENTMOTE_READ_ONLY: u32 = 1;
/// Flag of a tool: it moves or switches something.
pub const AGENTMOTE_ACTUATES: u32 = 2;
/// Flag of a tool: calling it twice is the same as once.
pub const AGENTMOTE_IDEMPOTENT: u32 = 4;
/// Flag of a tool: it may destroy something.
pub const AGENTMOTE_DESTRUCTIVE: u32 = 8;
/// Flag of a tool: its handler may answer `AGENTMOTE_PENDING`. Such a call
/// takes one of the connection's places for calls in flight.
pub const AGENTMOTE_POLLED: u32 = 16;
/// Flag of a tool: its client must be able to ask its user (M-025).
pub const AGENTMOTE_NEEDS_ELICITATION: u32 = 32;
/// Flag of a tool: its client must be able to ask its model.
pub const AGENTMOTE_NEEDS_SAMPLING: u32 = 64;
/// Flag of a tool: its client must be able to list its roots.
pub const AGENTMOTE_NEEDS_ROOTS: u32 = 128;

/// Flag of a tool: its handler may ask its caller. It takes answers only to
/// questions that it asked, under a seal (M-148); see `agentmote_set_key`.
pub const AGENTMOTE_ASKS: u32 = 256;
/// Flag of a tool: its handler may ask its caller, and takes answers from
/// anybody who gives them, asked or not.
pub const AGENTMOTE_ASKS_OPENLY: u32 = 512;

/// Flag of a device: its tools log. Deprecated in MCP 2026-07-28 (M-131).
pub const AGENTMOTE_LOGS: u32 = 1;

/// Level of a message: for who looks for a mistake. The levels are those of
/// RFC 5424, the least serious first.
pub const AGENTMOTE_LOG_DEBUG: u8 = 0;
/// Level of a message: what is done.
pub const AGENTMOTE_LOG_INFO: u8 = 1;
/// Level of a message: normal, but worth a look.
pub const AGENTMOTE_LOG_NOTICE: u8 = 2;
/// Level of a message: could become a fault.
pub const AGENTMOTE_LOG_WARNING: u8 = 3;
/// Level of a message: a fault.
pub const AGENTMOTE_LOG_ERROR: u8 = 4;
/// Level of a message: a fault of the device itself.
pub const AGENTMOTE_LOG_CRITICAL: u8 = 5;
/// Level of a message: somebody must act at once.
pub const AGENTMOTE_LOG_ALERT: u8 = 6;
/// Level of a message: nothing works.
pub const AGENTMOTE_LOG_EMERGENCY: u8 = 7;

/// A handler of tools or skills, a reader of resources or a renderer of
/// prompts.
///
/// `context` is what `agentmote_init` was given. `call` is valid until the
/// handler returns, in the thread of the handler alone. A handler must return:
/// no `longjmp`, no exception of C++.
pub type agentmote_run_t = Option<
    unsafe extern "C" fn(context: *mut c_void, call: *mut agentmote_call_t) -> agentmote_answer_t,
>;

/// What tells whether a resource has changed: a number that is another one
/// when it has. It is called by `agentmote_poll` every `watch_ms` while
/// somebody has subscribed, so it must be quick; changes that come and go
/// between two looks are not told.
pub type agentmote_watch_t =
    Option<unsafe extern "C" fn(context: *const c_void, now_ms: u64) -> u32>;

/// What tells whether a caller sees a tool now, the one at this place of the
/// table, from 0 (M-107). It is asked for each tool at each request, and for a
/// caller 0 with every scope every `watch_ms` while somebody listens to changes
/// of the list, so it must be quick.
pub type agentmote_shows_t = Option<
    unsafe extern "C" fn(context: *const c_void, caller: u32, scopes: u32, place: usize) -> bool,
>;

/// A parameter of a tool, or a member of an object. Written by the macros
/// `AGENTMOTE_BOOLEAN` to `AGENTMOTE_OBJECT`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_param_t {
    /// 1 to 64 letters, digits, `_`, `-`, `.`; of the element of an array it
    /// is not used.
    pub name: *const c_char,
    /// For people and models; NULL for none.
    pub description: *const c_char,
    /// Unit of a number, such as `deg` or `ms`; NULL for none.
    pub unit: *const c_char,
    /// Name behind `Mcp-Param-` of the HTTP header in which a client repeats
    /// the value (M-073); NULL for none.
    pub header: *const c_char,
    /// `AGENTMOTE_KIND_...`.
    pub kind: u8,
    /// `AGENTMOTE_REQUIRED`, `AGENTMOTE_OPTIONAL` or `AGENTMOTE_DEFAULT`.
    pub presence: u8,
    /// How many `choices` or `members` there are.
    pub count: u16,
    /// Of a choice: its texts.
    pub choices: *const *const c_char,
    /// Of an object: its members. Of an array: the one kind of its elements.
    pub members: *const agentmote_param_t,
    /// The default of a string or a choice.
    pub text: *const c_char,
    /// Smallest integer; fewest characters or elements.
    pub low: i64,
    /// Largest integer; most characters or elements, at most 65535.
    pub high: i64,
    /// The default of an integer or a boolean.
    pub whole: i64,
    /// Smallest number; `AGENTMOTE_LOWEST` for no bound.
    pub min: f64,
    /// Largest number; `AGENTMOTE_HIGHEST` for no bound.
    pub max: f64,
    /// The default of a number.
    pub real: f64,
}

/// One tool. Written by the macros `AGENTMOTE_TOOL...`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_tool_t {
    /// 1 to 64 letters, digits, `_`, `-`, `.` (M-102).
    pub name: *const c_char,
    /// For people; NULL for none.
    pub title: *const c_char,
    /// For models; must not be empty (M-101).
    pub description: *const c_char,
    /// What it takes.
    pub params: *const agentmote_param_t,
    /// Members of its structured result; NULL for none (M-114).
    pub output: *const agentmote_param_t,
    /// JSON Schema text in the place of `params`, advertised unchanged; the
    /// handler then checks its arguments itself. NULL for none (M-113).
    pub schema: *const c_char,
    /// What runs it.
    pub run: agentmote_run_t,
    /// How many `params`; at most 16.
    pub param_count: u16,
    /// How many members of `output`; at most 16.
    pub output_count: u16,
    /// `AGENTMOTE_READ_ONLY` and the like, added.
    pub flags: u32,
    /// The scopes that a caller must have, all of them: bits of your choice,
    /// see `agentmote_set_caller`. For who lacks one, there is no such tool.
    /// Only the first 64 tools may need any.
    pub scopes: u32,
}

/// One resource; or a family of them, if its URI has parameters such as
/// `{joint}`: then it is listed as a template.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_resource_t {
    /// A URI of visible ASCII.
    pub uri: *const c_char,
    /// For programs; must not be empty.
    pub name: *const c_char,
    /// For people; NULL for none.
    pub title: *const c_char,
    /// For models; NULL for none.
    pub description: *const c_char,
    /// Media type; NULL if not told.
    pub mime: *const c_char,
    /// What reads it.
    pub read: agentmote_run_t,
    /// Milliseconds after which a reading is stale; 0 means at once (M-044).
    pub ttl_ms: u32,
    /// Not 0: a cache may give a reading to anybody (M-045).
    pub is_public: u8,
    /// What tells whether it has changed; NULL if nobody can subscribe to it.
    /// A template has none, and at most 15 resources of a device have one.
    pub watch: agentmote_watch_t,
    /// What is offered when a parameter of its URI is typed (M-159); NULL for
    /// nothing.
    pub values: *const agentmote_values_t,
    /// How many `values`.
    pub value_count: u16,
}

/// What is offered for one parameter of a URI; any other is allowed too.
/// Written by `AGENTMOTE_VALUES`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_values_t {
    /// The name of the parameter.
    pub name: *const c_char,
    /// What is offered.
    pub values: *const *const c_char,
    /// How many `values`.
    pub value_count: u16,
}

/// One argument of a prompt: a text.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_argument_t {
    /// Its name.
    pub name: *const c_char,
    /// For people and models; NULL for none.
    pub description: *const c_char,
    /// What is offered when it is typed (M-159); NULL for nothing.
    pub values: *const *const c_char,
    /// How many `values`.
    pub value_count: u16,
    /// `AGENTMOTE_REQUIRED` or `AGENTMOTE_OPTIONAL`.
    pub presence: u8,
}

/// One prompt.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_prompt_t {
    /// Its name, for programs.
    pub name: *const c_char,
    /// For people; NULL for none.
    pub title: *const c_char,
    /// For people and models; NULL for none.
    pub description: *const c_char,
    /// What it takes; NULL for nothing.
    pub arguments: *const agentmote_argument_t,
    /// What gives its messages.
    pub render: agentmote_run_t,
    /// How many `arguments`; at most 16.
    pub argument_count: u16,
}

/// A form that a handler can ask a user to fill in: texts, numbers, booleans
/// and choices, none inside another (M-151).
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_form_t {
    /// Its fields.
    pub fields: *const agentmote_param_t,
    /// JSON Schema text in the place of `fields`, for keywords beyond them; the
    /// handler then checks what was entered (`agentmote_elicit_json`). NULL for
    /// none.
    pub schema: *const c_char,
    /// How many `fields`; at most 16.
    pub field_count: u16,
}

/// What a server serves. Written by `AGENTMOTE_DEVICE` or
/// `AGENTMOTE_DEVICE_OF`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_device_t {
    /// Its name, for programs.
    pub name: *const c_char,
    /// Its name, for people; NULL for none.
    pub title: *const c_char,
    /// Its version.
    pub version: *const c_char,
    /// Guidance for the model that uses it; NULL for none (M-039).
    pub instructions: *const c_char,
    /// Its tools, in the order of `tools/list`.
    pub tools: *const agentmote_tool_t,
    /// How many `tools`; at most 254.
    pub tool_count: usize,
    /// What can be read; NULL for nothing.
    pub resources: *const agentmote_resource_t,
    /// How many `resources`; at most 254.
    pub resource_count: usize,
    /// What can be suggested to say; NULL for nothing.
    pub prompts: *const agentmote_prompt_t,
    /// How many `prompts`; at most 254.
    pub prompt_count: usize,
    /// What can be asked; NULL for nothing.
    pub forms: *const agentmote_form_t,
    /// How many `forms`; at most 254.
    pub form_count: usize,
    /// Bytes of descriptions after which a page of a list ends (M-105); 0
    /// means one page.
    pub page_bytes: u32,
    /// Milliseconds for which a client may keep lists (M-044).
    pub ttl_ms: u32,
    /// Milliseconds between two looks at resources that somebody has
    /// subscribed to; 0 counts as 1.
    pub watch_ms: u32,
    /// `AGENTMOTE_LOGS`, or 0.
    pub flags: u32,
    /// What tells which tools a caller sees now; NULL: all that his scopes
    /// allow. A device that has it has at most 64 tools.
    pub shows: agentmote_shows_t,
}

/// Why `agentmote_init` has refused a device.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_problem_t {
    /// Bytes of storage that the device needs; 0 if it was not counted.
    pub needed: usize,
    /// Who breaks which rule, such as `arm_move: a range is empty`; empty if
    /// no rule is broken. Ends with a zero byte; cut if it is longer.
    pub text: [c_char; AGENTMOTE_PROBLEM_BYTES],
}

/// Bytes of `text` in `agentmote_problem_t`.
pub const AGENTMOTE_PROBLEM_BYTES: usize = 160;

/// The version of the library, as text of three numbers parted by dots.
///
/// The text ends with a zero byte and lives as long as the program. May be
/// called from anywhere, interrupts included.
#[unsafe(no_mangle)]
pub extern "C" fn agentmote_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// A text of C without the zero byte at its end; `None` if it is NULL or not
/// UTF-8.
///
/// # Safety
/// `text` is NULL or points to bytes up to a zero byte that stay as they are
/// for `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    // SAFETY: as the caller promises.
    core::str::from_utf8(unsafe { bytes(text) }?).ok()
}

/// The bytes of such a text.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    if text.is_null() {
        return None;
    }
    let mut len = 0usize;
    // Not `CStr`, which asks for a `strlen` of the C library.
    // SAFETY: every byte up to the zero byte may be read.
    while unsafe { text.add(len).read() } != 0 {
        len = len.wrapping_add(1);
    }
    // SAFETY: these bytes were just read, and stay as they are.
    Some(unsafe { core::slice::from_raw_parts(text.cast(), len) })
}

/// `count` items from `start` on.
///
/// # Safety
/// `start` is NULL, or points to `count` items that stay as they are for
/// `'a`.
pub(crate) unsafe fn items<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if start.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { core::slice::from_raw_parts(start, count) }
}

/// Writes through a pointer of C, if it is one.
///
/// # Safety
/// `place` is NULL or may be written.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: as the caller promises.
        unsafe { place.write(value) };
    }
}
