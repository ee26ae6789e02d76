//! Typed reading of arguments.

use core::ffi::c_char;

use agentmote::__private::checked;
use agentmote::json::{Text, Value};
use agentmote::limits::PARAM_DEPTH;
use agentmote::tool::{Arg, Fixed, Literal, Param, Type};

use crate::abi::{
    AGENTMOTE_ABSENT, AGENTMOTE_ERROR_NOT_OPEN, AGENTMOTE_ERROR_NULL, AGENTMOTE_ERROR_PLACE,
    AGENTMOTE_ERROR_RANGE, AGENTMOTE_ERROR_SHORT, AGENTMOTE_ERROR_TYPE, AGENTMOTE_OK,
    agentmote_status_t, put, text,
};
use crate::call::{Subject, agentmote_call_t, handle};

/// The objects and arrays that a handler has entered.
pub(crate) struct Scope {
    levels: [Level; PARAM_DEPTH],
    depth: usize,
}

/// One of them. Its text stands in the connection's storage while the handler
/// runs.
#[derive(Clone, Copy)]
struct Level {
    inside: Inside,
    raw: &'static [u8],
}

#[derive(Clone, Copy)]
enum Inside {
    Object(&'static [Param]),
    Array(&'static Type),
}

impl Scope {
    pub(crate) const fn new() -> Self {
        const OUTSIDE: Level = Level {
            inside: Inside::Object(&[]),
            raw: &[],
        };
        Self {
            levels: [OUTSIDE; PARAM_DEPTH],
            depth: 0,
        }
    }

    fn innermost(&self) -> Option<&Level> {
        self.levels.get(self.depth.checked_sub(1)?)
    }
}

/// What stands at a place.
struct Found {
    ty: &'static Type,
    value: Option<Value<'static>>,
    default: Option<Literal>,
}

impl agentmote_call_t {
    fn found(&mut self, place: usize) -> Result<Found, agentmote_status_t> {
        let params = self.params;
        let level = self.scope.innermost().copied();
        let Some(Subject::Tool(call)) = self.subject() else {
            return Err(self.no_tool());
        };
        let member = |param: &'static Param, value| Found {
            ty: &param.ty,
            value,
            default: param.default,
        };
        let Some(level) = level else {
            let param = params.get(place).ok_or(AGENTMOTE_ERROR_PLACE)?;
            return Ok(member(param, call.args().value(place)));
        };
        let around = checked(level.raw);
        match level.inside {
            Inside::Object(params) => {
                let param = params.get(place).ok_or(AGENTMOTE_ERROR_PLACE)?;
                Ok(member(param, around.member(param.name)))
            }
            Inside::Array(ty) => Ok(Found {
                ty,
                value: around.elements().nth(place),
                default: None,
            }),
        }
    }

    /// Enters an object, whose text stands in the connection's storage.
    #[cfg(feature = "input")]
    pub(crate) fn enter_object(
        &mut self,
        params: &'static [Param],
        raw: &'static [u8],
    ) -> Result<(), agentmote_status_t> {
        self.enter(Inside::Object(params), raw)
    }

    fn enter(&mut self, inside: Inside, raw: &'static [u8]) -> Result<(), agentmote_status_t> {
        // No table nests deeper than there are levels.
        let scope = &mut self.scope;
        let level = scope
            .levels
            .get_mut(scope.depth)
            .ok_or(AGENTMOTE_ERROR_PLACE)?;
        *level = Level { inside, raw };
        scope.depth = scope.depth.saturating_add(1);
        Ok(())
    }

    /// The status of a handle that is not that of a tool.
    fn no_tool(&mut self) -> agentmote_status_t {
        match self.subject() {
            None => AGENTMOTE_ERROR_NOT_OPEN,
            Some(_) => AGENTMOTE_ERROR_TYPE,
        }
    }

    fn get<T: Arg<'static>>(
        &mut self,
        place: usize,
        is_right: fn(&Type) -> bool,
    ) -> Result<T, agentmote_status_t> {
        let found = self.found(place)?;
        if !is_right(found.ty) {
            return Err(AGENTMOTE_ERROR_TYPE);
        }
        match (found.value, found.default) {
            (Some(value), _) => T::from_value(value).ok_or(AGENTMOTE_ERROR_RANGE),
            (None, Some(literal)) => T::from_literal(literal).ok_or(AGENTMOTE_ERROR_RANGE),
            (None, None) => Err(AGENTMOTE_ABSENT),
        }
    }
}

/// Reads into `out`, which stays as it is on failure.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` is NULL or may be written.
unsafe fn get<T: Arg<'static>, O>(
    call: *mut agentmote_call_t,
    place: usize,
    out: *mut O,
    is_right: fn(&Type) -> bool,
    make: fn(T) -> O,
) -> agentmote_status_t {
    if out.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    match unsafe { handle(call) }.and_then(|handle| handle.get::<T>(place, is_right)) {
        Ok(value) => {
            // SAFETY: as the caller promises.
            unsafe { put(out, make(value)) };
            AGENTMOTE_OK
        }
        Err(status) => status,
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Number { .. } | Type::Integer { .. })
}

fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::String { .. } | Type::Choice(_))
}

/// Gives the boolean at `place`, or its default.
///
/// All functions `agentmote_get_...` with a place give the parameter at that
/// place of the table, from 0; inside an object (`agentmote_enter`) the member
/// at that place of its table; inside an array the element with that number.
/// They write nothing on failure: `AGENTMOTE_ABSENT` if nothing was given and
/// there is no default, or behind the last element; `AGENTMOTE_ERROR_PLACE`
/// if the table has no such place; `AGENTMOTE_ERROR_TYPE` if it is of another
/// kind; `AGENTMOTE_ERROR_RANGE` if the C type cannot hold it.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_boolean(
    call: *mut agentmote_call_t,
    place: usize,
    out: *mut bool,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    unsafe {
        get::<bool, _>(
            call,
            place,
            out,
            |ty| matches!(ty, Type::Boolean),
            |value| value,
        )
    }
}

/// Gives the integer at `place`, or its default; see `agentmote_get_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_integer(
    call: *mut agentmote_call_t,
    place: usize,
    out: *mut i64,
) -> agentmote_status_t {
    let is_right = |ty: &Type| matches!(ty, Type::Integer { .. });
    // SAFETY: as the caller promises.
    unsafe { get::<i64, _>(call, place, out, is_right, |value| value) }
}

/// Gives the number or integer at `place`, or its default, as the nearest
/// double; see `agentmote_get_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_number(
    call: *mut agentmote_call_t,
    place: usize,
    out: *mut f64,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    let status = unsafe { get::<f64, _>(call, place, out, is_number, |value| value) };
    if status != AGENTMOTE_ERROR_RANGE {
        return status;
    }
    // The default of an integer.
    // SAFETY: as the caller promises.
    unsafe { get::<i64, _>(call, place, out, is_number, |value| value as f64) }
}

/// Gives the number or integer at `place` in thousandths, rounded to the
/// nearest, a half away from zero: 1.5 is 1500. For cores without an FPU; see
/// `agentmote_get_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_thousandths(
    call: *mut agentmote_call_t,
    place: usize,
    out: *mut i32,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    let status = unsafe { get::<Fixed<3>, _>(call, place, out, is_number, |value| value.0) };
    if status != AGENTMOTE_ERROR_RANGE {
        return status;
    }
    // The default of an integer.
    // SAFETY: as the caller promises.
    let default = unsafe { handle(call) }.and_then(|handle| handle.found(place));
    match default {
        Ok(Found {
            value: None,
            default: Some(Literal::Integer(whole)),
            ..
        }) => {
            match whole.checked_mul(1000).map(i32::try_from) {
                Some(Ok(thousandths)) => {
                    // SAFETY: `out` is not NULL, since that is no status above.
                    unsafe { put(out, thousandths) };
                    AGENTMOTE_OK
                }
                _ => AGENTMOTE_ERROR_RANGE,
            }
        }
        _ => AGENTMOTE_ERROR_RANGE,
    }
}

/// Gives the text at `place`, or its default, in UTF-8 with a zero byte behind
/// it. It may hold a zero character: `length` counts its bytes without the one
/// behind it, and may be NULL.
///
/// `AGENTMOTE_ERROR_SHORT` if `out`, of `size` bytes, is too short: then only
/// `length` is written. `out` may be NULL if `size` is 0, to ask for the
/// length. See `agentmote_get_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` points to `size` bytes
/// that may be written; `length` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_text(
    call: *mut agentmote_call_t,
    place: usize,
    out: *mut c_char,
    size: usize,
    length: *mut usize,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    match unsafe { handle(call) }.and_then(|handle| handle.get::<Text<'_>>(place, is_text)) {
        // SAFETY: as the caller promises.
        Ok(text) => unsafe { copy(text, out, size, length) },
        Err(status) => status,
    }
}

/// Gives which of its texts the choice at `place` is, from 0; see
/// `agentmote_get_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_choice(
    call: *mut agentmote_call_t,
    place: usize,
    out: *mut usize,
) -> agentmote_status_t {
    if out.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    let found = unsafe { handle(call) }.and_then(|handle| {
        let Found {
            ty: &Type::Choice(choices),
            ..
        } = handle.found(place)?
        else {
            return Err(AGENTMOTE_ERROR_TYPE);
        };
        let text = handle.get::<Text<'_>>(place, is_text)?;
        choices
            .iter()
            .position(|choice| text.is(choice))
            .ok_or(AGENTMOTE_ERROR_RANGE)
    });
    match found {
        Ok(at) => {
            // SAFETY: as the caller promises.
            unsafe { put(out, at) };
            AGENTMOTE_OK
        }
        Err(status) => status,
    }
}

/// Gives how many elements the array at `place` has; see
/// `agentmote_get_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_count(
    call: *mut agentmote_call_t,
    place: usize,
    out: *mut usize,
) -> agentmote_status_t {
    if out.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    match unsafe { handle(call) }.and_then(|handle| handle.found(place)) {
        Ok(Found {
            ty: Type::Array { .. },
            value: Some(value),
            ..
        }) => {
            // SAFETY: as the caller promises.
            unsafe { put(out, value.elements().count()) };
            AGENTMOTE_OK
        }
        Ok(Found {
            ty: Type::Array { .. },
            ..
        }) => AGENTMOTE_ABSENT,
        Ok(_) => AGENTMOTE_ERROR_TYPE,
        Err(status) => status,
    }
}

/// Enters the object or array at `place`: places are then those inside, until
/// `agentmote_leave`. See `agentmote_get_boolean`.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_enter(
    call: *mut agentmote_call_t,
    place: usize,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    let entered = unsafe { handle(call) }.and_then(|handle| {
        let found = handle.found(place)?;
        let inside = match *found.ty {
            Type::Object(params) => Inside::Object(params),
            Type::Array { items, .. } => Inside::Array(items),
            _ => return Err(AGENTMOTE_ERROR_TYPE),
        };
        let raw = found.value.ok_or(AGENTMOTE_ABSENT)?.raw();
        handle.enter(inside, raw)
    });
    entered.err().unwrap_or(AGENTMOTE_OK)
}

/// Leaves the object or array that was entered last.
/// `AGENTMOTE_ERROR_PLACE` if none was.
///
/// # Safety
/// `call` is NULL or the handle of a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_leave(call: *mut agentmote_call_t) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    let left = unsafe { handle(call) }.and_then(|handle| {
        if handle.subject().is_none() {
            return Err(AGENTMOTE_ERROR_NOT_OPEN);
        }
        handle.scope.depth = handle
            .scope
            .depth
            .checked_sub(1)
            .ok_or(AGENTMOTE_ERROR_PLACE)?;
        Ok(())
    });
    left.err().unwrap_or(AGENTMOTE_OK)
}

/// Gives the arguments as they were sent, a JSON object, for a tool with
/// `schema`: `json` points to `length` bytes without a zero byte behind them,
/// valid until the handler returns. `AGENTMOTE_ABSENT` if there were none.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `json` and `length` are NULL or
/// may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_json(
    call: *mut agentmote_call_t,
    json: *mut *const c_char,
    length: *mut usize,
) -> agentmote_status_t {
    if json.is_null() || length.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    let object = unsafe { handle(call) }.and_then(|handle| match handle.subject() {
        Some(Subject::Tool(call)) => call.args().object().ok_or(AGENTMOTE_ABSENT),
        _ => Err(handle.no_tool()),
    });
    match object {
        Ok(object) => {
            // SAFETY: as the caller promises.
            unsafe { put(json, object.raw().as_ptr().cast()) };
            // SAFETY: as the caller promises.
            unsafe { put(length, object.raw().len()) };
            AGENTMOTE_OK
        }
        Err(status) => status,
    }
}

/// Gives a text by its name, as `agentmote_get_text` gives one: in a renderer
/// the argument of the prompt; in a reader what the URI has in the place of
/// `{name}`, percent-encoding not resolved, or the whole URI if `name` is NULL.
///
/// `AGENTMOTE_ABSENT` if it was not given, `AGENTMOTE_ERROR_TYPE` in the
/// handler of a tool or skill.
///
/// # Safety
/// `call` is NULL or the handle of a handler; `name` is NULL or ends with a
/// zero byte; `out` points to `size` bytes that may be written; `length` is
/// NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_get_named(
    call: *mut agentmote_call_t,
    name: *const c_char,
    out: *mut c_char,
    size: usize,
    length: *mut usize,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    let handle = match unsafe { handle(call) } {
        Ok(handle) => handle,
        Err(status) => return status,
    };
    // SAFETY: as the caller promises.
    let name = unsafe { text(name) };
    #[cfg(not(any(feature = "resources", feature = "prompts")))]
    let _ = (name, out, size, length);
    match handle.subject() {
        None => AGENTMOTE_ERROR_NOT_OPEN,
        Some(Subject::Tool(_)) => AGENTMOTE_ERROR_TYPE,
        #[cfg(feature = "a2a")]
        Some(Subject::Work(_)) => AGENTMOTE_ERROR_TYPE,
        #[cfg(feature = "resources")]
        Some(Subject::Resource(reading)) => {
            let found = match name {
                None => Some(reading.uri()),
                Some(name) => reading.get(name),
            };
            match found {
                None => AGENTMOTE_ABSENT,
                // SAFETY: as the caller promises.
                Some(text) => unsafe { copy_chars(text.chars(), out, size, length) },
            }
        }
        #[cfg(feature = "prompts")]
        Some(Subject::Prompt(rendering)) => match name.map(|name| rendering.get(name)) {
            None => AGENTMOTE_ERROR_NULL,
            Some(None) => AGENTMOTE_ABSENT,
            // SAFETY: as the caller promises.
            Some(Some(text)) => unsafe { copy(text, out, size, length) },
        },
    }
}

/// # Safety
/// `out` points to `size` bytes that may be written; `length` is NULL or may
/// be written.
unsafe fn copy(
    text: Text<'_>,
    out: *mut c_char,
    size: usize,
    length: *mut usize,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    unsafe { copy_chars(text.chars(), out, size, length) }
}

/// # Safety
/// As for [`copy`].
pub(crate) unsafe fn copy_chars(
    chars: impl Iterator<Item = char> + Clone,
    out: *mut c_char,
    size: usize,
    length: *mut usize,
) -> agentmote_status_t {
    let need = chars
        .clone()
        .fold(0usize, |sum, c| sum.saturating_add(c.len_utf8()));
    // SAFETY: as the caller promises.
    unsafe { put(length, need) };
    if need >= size {
        return AGENTMOTE_ERROR_SHORT;
    }
    if out.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    let mut at = 0usize;
    for c in chars {
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            // SAFETY: fewer than `size` bytes are written, as counted above.
            unsafe { out.add(at).write(byte as c_char) };
            at = at.wrapping_add(1);
        }
    }
    // SAFETY: `need` is below `size`.
    unsafe { out.add(at).write(0) };
    AGENTMOTE_OK
}
