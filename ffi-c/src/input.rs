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

/// Asks the user for a yes or no, under a `key` that is unique in this answer:
/// `yes` gets whether it was a yes.
///
/// `AGENTMOTE_ABSENT` if there is no answer yet: the handler returns
/// `AGENTMOTE_NEED_INPUT`, and is called again from its first step with the
/// answer. Several questions may be open at once; answers of an earlier round
/// are gone, so keep what they said by `agentmote_remember`. The tool must be declared to ask (`AGENTMOTE_ASKS`). On failure
/// `yes` stays as it is. `AGENTMOTE_ERROR_FEATURE` if the library was built
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
            let response = unsafe { ask(call, key, message, FORM) }?;
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
            let response = unsafe { ask(call, key, message, question.form) }?;
            Ok(match response.action() {
                Action::Accept => {
                    call.enter_object(question.fields, response.value().raw())?;
                    AGENTMOTE_ACCEPTED
                }
                Action::Decline => AGENTMOTE_DECLINED,
                Action::Cancel => AGENTMOTE_CANCELLED,
            })
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

/// The answer to a question; `AGENTMOTE_ABSENT` if there is none yet.
///
/// # Safety
/// `key` and `message` are NULL or end with a zero byte.
#[cfg(feature = "input")]
unsafe fn ask(
    call: &mut agentmote_call_t,
    key: *const c_char,
    message: *const c_char,
    form: agentmote::tool::Form,
) -> Result<InputResponse<'static>, agentmote_status_t> {
    // SAFETY: as the caller promises.
    let (Some(key), Some(message)) = (unsafe { (text(key), text(message)) }) else {
        return Err(AGENTMOTE_ERROR_NULL);
    };
    let request = InputRequest::Elicit { message, form };
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
