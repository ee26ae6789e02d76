//! Questions of a handler to its caller.

use core::ffi::c_char;

#[cfg(feature = "input")]
use agentmote::tool::{Action, InputRequest, InputResponse};

#[cfg(feature = "input")]
use crate::abi::{
    AGENTMOTE_ABSENT, AGENTMOTE_ACCEPTED, AGENTMOTE_CANCELLED, AGENTMOTE_DECLINED,
    AGENTMOTE_ERROR_NOT_OPEN, AGENTMOTE_ERROR_PLACE, AGENTMOTE_OK, put, text,
};
use crate::abi::{AGENTMOTE_ERROR_NULL, agentmote_status_t};
use crate::call::agentmote_call_t;
#[cfg(feature = "input")]
use crate::call::{Subject, handle};

/// Whether the client of this call can ask its user (M-146). False also if the
/// handle is not that of a tool.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_can_ask(call: *mut agentmote_call_t) -> bool {
    #[cfg(feature = "input")]
    // SAFETY: as the caller promises.
    if let Ok(Some(Subject::Tool(call))) = unsafe { handle(call) }.map(agentmote_call_t::subject) {
        return call.client().elicitation;
    }
    let _ = call;
    false
}

/// What the client of this call can be asked (M-146), in the flags of tools:
/// `AGENTMOTE_NEEDS_ELICITATION` its user, `AGENTMOTE_NEEDS_SAMPLING` its model,
/// `AGENTMOTE_NEEDS_ROOTS` its roots, added. 0 also if the handle is not that
/// of a tool.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_client(call: *mut agentmote_call_t) -> u32 {
    #[cfg(feature = "input")]
    // SAFETY: as the caller promises.
    if let Ok(Some(Subject::Tool(call))) = unsafe { handle(call) }.map(agentmote_call_t::subject) {
        let client = call.client();
        return [
            (client.elicitation, crate::abi::AGENTMOTE_NEEDS_ELICITATION),
            (client.sampling, crate::abi::AGENTMOTE_NEEDS_SAMPLING),
            (client.roots, crate::abi::AGENTMOTE_NEEDS_ROOTS),
        ]
        .into_iter()
        .fold(0, |sum, (can, flag)| if can { sum | flag } else { sum });
    }
    let _ = call;
    0
}

/// Asks the user for a yes or no, under a `key` that is unique in this answer:
/// `yes` gets whether it was a yes.
///
/// `AGENTMOTE_ABSENT` if there is no answer yet: the handler returns
/// `AGENTMOTE_NEED_INPUT`, and is called again from its first step with the
/// answer. Several questions may be open at once; answers of an earlier round
/// are gone, so keep what they said by `agentmote_remember`. The tool must be
/// declared to ask (`AGENTMOTE_ASKS`). On failure `yes` stays as it is. `AGENTMOTE_ERROR_FEATURE` if the library was built
/// without `input`, `AGENTMOTE_ERROR_TYPE` in a reader.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `key` and `message` are NULL or
/// end with a zero byte; `yes` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_confirm(
    call: *mut agentmote_call_t,
    key: *const c_char,
    message: *const c_char,
    yes: *mut bool,
) -> agentmote_status_t {
    if yes.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    #[cfg(feature = "input")]
    {
        static FIELDS: &[agentmote::tool::Param] = &[agentmote::tool::Param::boolean(
            "confirm",
            "Whether to go on.",
        )];
        const FORM: agentmote::tool::Form = agentmote::tool::Form::new(FIELDS);
        // SAFETY: as the caller promises.
        let asked = unsafe { handle(call) }.and_then(|call| {
            // SAFETY: as the caller promises.
            let response = unsafe { elicit(call, key, message, FORM) }?;
            Ok(response.get(0) == Some(true))
        });
        match asked {
            Ok(answer) => {
                // SAFETY: as the caller promises.
                unsafe { put(yes, answer) };
                AGENTMOTE_OK
            }
            Err(status) => status,
        }
    }
    #[cfg(not(feature = "input"))]
    {
        let _ = (call, key, message);
        crate::abi::AGENTMOTE_ERROR_FEATURE
    }
}

/// Asks the user to fill in the form at place `form` of the device's table,
/// under a `key` that is unique in this answer: `action` gets
/// `AGENTMOTE_ACCEPTED`, `AGENTMOTE_DECLINED` or `AGENTMOTE_CANCELLED`.
///
/// If it was accepted, the form is entered as an object of the arguments is
/// (`agentmote_enter`): its fields are read by their places, until
/// `agentmote_leave`. Else as `agentmote_confirm`; `AGENTMOTE_ERROR_PLACE` if
/// there is no such form.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `key` and `message` are NULL or
/// end with a zero byte; `action` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_elicit(
    call: *mut agentmote_call_t,
    key: *const c_char,
    message: *const c_char,
    form: usize,
    action: *mut i32,
) -> agentmote_status_t {
    if action.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    #[cfg(feature = "input")]
    {
        // SAFETY: as the caller promises.
        let asked = unsafe { handle(call) }.and_then(|call| {
            let question = call.forms.get(form).copied().ok_or(AGENTMOTE_ERROR_PLACE)?;
            // SAFETY: as the caller promises.
            let response = unsafe { elicit(call, key, message, question.form) }?;
            if response.action() == Action::Accept {
                call.enter_object(question.fields, response.value().raw())?;
            }
            Ok(number(response.action()))
        });
        match asked {
            Ok(found) => {
                // SAFETY: as the caller promises.
                unsafe { put(action, found) };
                AGENTMOTE_OK
            }
            Err(status) => status,
        }
    }
    #[cfg(not(feature = "input"))]
    {
        let _ = (call, key, message, form);
        crate::abi::AGENTMOTE_ERROR_FEATURE
    }
}

/// Asks the user to fill in the form at place `form` of the device's table, and
/// gives what was entered as it came: for forms of JSON Schema text, which the
/// handler checks itself. `json` gets a pointer to `length` bytes without a zero
/// byte behind them, valid until the handler returns: a JSON object if `action`
/// got `AGENTMOTE_ACCEPTED`, else they are not written. Else as
/// `agentmote_elicit`; nothing is entered.
///
/// # Safety
/// As for `agentmote_elicit`; `json` and `length` are NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_elicit_json(
    call: *mut agentmote_call_t,
    key: *const c_char,
    message: *const c_char,
    form: usize,
    action: *mut i32,
    json: *mut *const c_char,
    length: *mut usize,
) -> agentmote_status_t {
    if action.is_null() || json.is_null() || length.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    #[cfg(feature = "input")]
    // SAFETY: as the caller promises.
    unsafe {
        let asked = handle(call).and_then(|call| {
            let question = call.forms.get(form).copied().ok_or(AGENTMOTE_ERROR_PLACE)?;
            elicit(call, key, message, question.form)
        });
        told(asked, action, json, length)
    }
    #[cfg(not(feature = "input"))]
    {
        let _ = (call, key, message, form);
        crate::abi::AGENTMOTE_ERROR_FEATURE
    }
}

/// Asks the client's model for an answer of at most `max_tokens` tokens to a
/// text, under a `key` that is unique in this answer (`sampling/createMessage`;
/// deprecated in 2026-07-28). The answer is given as `agentmote_get_text` gives
/// a text, if `action` gets `AGENTMOTE_ACCEPTED`; else, `AGENTMOTE_CANCELLED`,
/// the client could not ask.
///
/// `AGENTMOTE_ABSENT` as for `agentmote_confirm`; `AGENTMOTE_ERROR_PLACE` if the
/// answer is no text, `AGENTMOTE_ERROR_SHORT` if it is too long for `out`: it
/// may be asked for again, with more room, in the same step.
///
/// # Safety
/// As for `agentmote_confirm`; `action` is NULL or may be written; `out` points
/// to `size` bytes that may be written; `length` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_sample(
    call: *mut agentmote_call_t,
    key: *const c_char,
    message: *const c_char,
    max_tokens: u16,
    action: *mut i32,
    out: *mut c_char,
    size: usize,
    length: *mut usize,
) -> agentmote_status_t {
    if action.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    #[cfg(feature = "input")]
    {
        // SAFETY: as the caller promises.
        let Some(message) = (unsafe { text(message) }) else {
            return AGENTMOTE_ERROR_NULL;
        };
        let request = InputRequest::Sample {
            message,
            max_tokens,
        };
        // SAFETY: as the caller promises.
        let asked = unsafe { handle(call) }.and_then(|call| unsafe { ask(call, key, request) });
        let response = match asked {
            Ok(response) => response,
            Err(status) => return status,
        };
        // SAFETY: as the caller promises.
        unsafe { put(action, number(response.action())) };
        match (response.action(), response.text()) {
            (Action::Accept, None) => AGENTMOTE_ERROR_PLACE,
            (Action::Accept, Some(given)) => {
                // SAFETY: as the caller promises.
                unsafe { crate::value::copy_chars(given.chars(), out, size, length) }
            }
            _ => AGENTMOTE_OK,
        }
    }
    #[cfg(not(feature = "input"))]
    {
        let _ = (call, key, message, max_tokens, out, size, length);
        crate::abi::AGENTMOTE_ERROR_FEATURE
    }
}

/// Asks the client for its roots, under a `key` that is unique in this answer
/// (`roots/list`; deprecated in 2026-07-28). `json` and `length` get its whole
/// result, as `agentmote_elicit_json` gives an object; `action` is
/// `AGENTMOTE_CANCELLED` if it could not tell. Else as `agentmote_confirm`.
///
/// # Safety
/// As for `agentmote_confirm`; `action`, `json` and `length` are NULL or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_list_roots(
    call: *mut agentmote_call_t,
    key: *const c_char,
    action: *mut i32,
    json: *mut *const c_char,
    length: *mut usize,
) -> agentmote_status_t {
    if action.is_null() || json.is_null() || length.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    #[cfg(feature = "input")]
    // SAFETY: as the caller promises.
    unsafe {
        let asked = handle(call).and_then(|call| ask(call, key, InputRequest::ListRoots));
        told(asked, action, json, length)
    }
    #[cfg(not(feature = "input"))]
    {
        let _ = (call, key);
        crate::abi::AGENTMOTE_ERROR_FEATURE
    }
}

#[cfg(feature = "input")]
fn number(action: Action) -> i32 {
    match action {
        Action::Accept => AGENTMOTE_ACCEPTED,
        Action::Decline => AGENTMOTE_DECLINED,
        Action::Cancel => AGENTMOTE_CANCELLED,
    }
}

/// Gives an answer as it came.
///
/// # Safety
/// Each may be written.
#[cfg(feature = "input")]
unsafe fn told(
    asked: Result<InputResponse<'static>, agentmote_status_t>,
    action: *mut i32,
    json: *mut *const c_char,
    length: *mut usize,
) -> agentmote_status_t {
    let response = match asked {
        Ok(response) => response,
        Err(status) => return status,
    };
    // SAFETY: as the caller promises.
    unsafe {
        put(action, number(response.action()));
        if response.action() == Action::Accept {
            let raw = response.value().raw();
            put(json, raw.as_ptr().cast());
            put(length, raw.len());
        }
    }
    AGENTMOTE_OK
}

/// What the user has done with a form; `AGENTMOTE_ABSENT` if nothing yet.
///
/// # Safety
/// `key` and `message` are NULL or end with a zero byte.
#[cfg(feature = "input")]
unsafe fn elicit(
    call: &mut agentmote_call_t,
    key: *const c_char,
    message: *const c_char,
    form: agentmote::tool::Form,
) -> Result<InputResponse<'static>, agentmote_status_t> {
    // SAFETY: as the caller promises.
    let message = unsafe { text(message) }.ok_or(AGENTMOTE_ERROR_NULL)?;
    // SAFETY: as the caller promises.
    unsafe { ask(call, key, InputRequest::Elicit { message, form }) }
}

/// The answer to a question; `AGENTMOTE_ABSENT` if there is none yet.
///
/// # Safety
/// `key` is NULL or ends with a zero byte.
#[cfg(feature = "input")]
unsafe fn ask(
    call: &mut agentmote_call_t,
    key: *const c_char,
    request: InputRequest<'_>,
) -> Result<InputResponse<'static>, agentmote_status_t> {
    // SAFETY: as the caller promises.
    let key = unsafe { text(key) }.ok_or(AGENTMOTE_ERROR_NULL)?;
    let response = match call.subject() {
        Some(Subject::Tool(call)) => call.ask(key, request),
        #[cfg(feature = "prompts")]
        Some(Subject::Prompt(rendering)) => rendering.ask(key, request),
        #[cfg(feature = "resources")]
        Some(Subject::Resource(_)) => return Err(crate::abi::AGENTMOTE_ERROR_TYPE),
        #[cfg(feature = "a2a")]
        Some(Subject::Work(_)) => return Err(crate::abi::AGENTMOTE_ERROR_TYPE),
        None => return Err(AGENTMOTE_ERROR_NOT_OPEN),
    };
    call.asks |= response.is_none();
    response.ok_or(AGENTMOTE_ABSENT)
}
