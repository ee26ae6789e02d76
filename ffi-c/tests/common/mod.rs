//! What the tests of one server with one tool share.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use agentmote_ffi_c::*;

pub(crate) const NONE: *const c_char = ptr::null();

/// Bytes of an answer that are taken at a time.
const SIZE: usize = if cfg!(miri) { 1024 } else { 61 };

/// A tool without parameters.
pub(crate) fn tool(
    name: &'static CStr,
    description: &'static CStr,
    run: unsafe extern "C" fn(*mut c_void, *mut agentmote_call_t) -> agentmote_answer_t,
) -> agentmote_tool_t {
    agentmote_tool_t {
        name: name.as_ptr(),
        title: NONE,
        description: description.as_ptr(),
        params: ptr::null(),
        output: ptr::null(),
        schema: NONE,
        run: Some(run),
        param_count: 0,
        output_count: 0,
        flags: 0,
        scopes: 0,
    }
}

/// A device of these tools and nothing else.
pub(crate) fn device(tools: &[agentmote_tool_t]) -> agentmote_device_t {
    agentmote_device_t {
        name: c"d".as_ptr(),
        title: NONE,
        version: c"1".as_ptr(),
        instructions: NONE,
        tools: tools.as_ptr(),
        tool_count: tools.len(),
        resources: ptr::null(),
        resource_count: 0,
        prompts: ptr::null(),
        prompt_count: 0,
        forms: ptr::null(),
        form_count: 0,
        page_bytes: 0,
        ttl_ms: 0,
        watch_ms: 0,
        flags: 0,
        shows: None,
    }
}

/// What a connection says to these bytes, until it has no more to say.
pub(crate) fn send(connection: *mut agentmote_connection_t, text: &str, now: u64) -> String {
    let mut rest = text.as_bytes();
    let mut all = Vec::new();
    loop {
        let (mut taken, mut filled) = (0, 0);
        let mut out = vec![0u8; SIZE];
        // SAFETY: all of it lives until the functions return.
        unsafe {
            let (start, len) = (rest.as_ptr().cast(), rest.len());
            let status = agentmote_receive(connection, start, len, &mut taken);
            assert_eq!(status, AGENTMOTE_OK);
            let place = out.as_mut_ptr().cast();
            let status = agentmote_poll(connection, now, place, SIZE, &mut filled);
            assert_eq!(status, AGENTMOTE_OK);
        }
        rest = &rest[taken..];
        all.extend_from_slice(&out[..filled]);
        if taken == 0 && filled == 0 {
            return String::from_utf8(all).expect("UTF-8");
        }
    }
}
