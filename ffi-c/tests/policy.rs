//! A policy in front of a server, opened and asked from Rust, so that Miri can
//! look at what the library does with the pointers.
#![cfg(feature = "policy")]

mod common;

use std::ffi::{c_char, c_void};
use std::ptr;

use agentmote_ffi_c::*;
use common::{NONE, send};

/// What the functions of the policy act on.
struct App {
    events: Vec<(u8, u8, String, String)>,
    hidden: bool,
}

unsafe extern "C" fn run(_: *mut c_void, call: *mut agentmote_call_t) -> agentmote_answer_t {
    // SAFETY: its own handle.
    unsafe { agentmote_text(call, c"ran".as_ptr()) }
}

fn text(start: *const c_char, size: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the library says how many bytes there are.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size) };
    String::from_utf8_lossy(bytes).into_owned()
}

unsafe extern "C" fn record(context: *mut c_void, event: *const agentmote_event_t) {
    // SAFETY: the context of this test's server, and an event.
    unsafe {
        let (app, event) = (&mut *context.cast::<App>(), &*event);
        let request = &event.request;
        app.events.push((
            event.by,
            event.outcome,
            text(event.authority, event.authority_size),
            text(request.subject.cast(), request.subject_size),
        ));
    }
}

unsafe extern "C" fn allows(
    context: *const c_void,
    asker: *const agentmote_asker_t,
    request: *const agentmote_request_t,
) -> bool {
    // SAFETY: the context of this test's server, and both structs.
    unsafe {
        let app = &*context.cast::<App>();
        assert!((*asker).id > 0 && (*request).on == AGENTMOTE_ON_TOOL);
        !app.hidden
    }
}

unsafe extern "C" fn verify(
    _: *mut c_void,
    kind: u8,
    secret: *const c_char,
    length: usize,
    _: u64,
    asker: *mut agentmote_asker_t,
    name: *mut *const c_char,
) -> bool {
    // SAFETY: both may be written.
    unsafe {
        (*asker).id = 9;
        (*asker).scopes = 1;
        *name = c"issuer".as_ptr();
    }
    kind == AGENTMOTE_SECRET_API_KEY && text(secret, length) == "signed"
}

/// The answer to a call, on a connection of its own.
fn call(
    server: *mut agentmote_server_t,
    memory: &agentmote_memory_t,
    field: &str,
    now: u64,
) -> String {
    let body =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}";
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{field}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = ptr::null_mut();
    // SAFETY: all of it lives until the functions return.
    let status = unsafe { agentmote_http_open(memory, server, ptr::null(), &mut connection) };
    assert_eq!(status, AGENTMOTE_OK);
    send(connection, &request, now)
}

#[test]
fn a_policy_in_storage_of_the_caller() {
    let tools = [common::tool(c"t", c"Runs.", run)];
    let device = common::device(&tools);
    let names = [c"mcp".as_ptr()];
    let policy = agentmote_policy_t {
        realm: c"lab".as_ptr(),
        scopes: names.as_ptr(),
        resource: NONE,
        metadata: NONE,
        issuers: ptr::null(),
        verify: Some(verify),
        allows: Some(allows),
        record: Some(record),
        mcp_scopes: 1,
        agent_scopes: 0,
        tries: 0,
        scope_count: 1,
        issuer_count: 0,
        closes: 0,
        per_ms: 0,
    };
    let mut app = App {
        events: Vec::new(),
        hidden: false,
    };
    let app: *mut App = &mut app;
    let mut storage = vec![0u64; 512];
    let mut policy_storage = vec![0u64; 256];
    let mut room = vec![0u64; 512];
    let storage = storage.as_mut_ptr();
    let policy_storage = policy_storage.as_mut_ptr();
    let memory = agentmote_memory_t {
        start: room.as_mut_ptr().cast(),
        size: 4096,
        rx: 512,
        result: 192,
        calls: 0,
        kept: 0,
    };
    // Twice, in the same storage.
    for _ in 0..2 {
        let mut server = ptr::null_mut();
        // SAFETY: all of it lives to the end of this test.
        unsafe {
            let (context, none) = (app.cast(), ptr::null_mut());
            let status = agentmote_init(storage.cast(), 4096, &device, context, &mut server, none);
            assert_eq!(status, AGENTMOTE_OK);
            let status = agentmote_policy_open(policy_storage.cast(), 2048, server, &policy, none);
            assert_eq!(status, AGENTMOTE_OK);
            let mut token = agentmote_token_t {
                name: c"ann".as_ptr(),
                tenant_name: NONE,
                digest: [0; 32],
                id: 1,
                tenant: 1,
                scopes: 1,
                expires_ms: 0,
            };
            let digest = token.digest.as_mut_ptr();
            assert_eq!(
                agentmote_digest(c"secret".as_ptr(), 6, digest),
                AGENTMOTE_OK
            );
            assert_eq!(agentmote_token_add(server, &token, none), AGENTMOTE_OK);
            (*app).events.clear();
        }
        assert!(call(server, &memory, "", 0).starts_with("HTTP/1.1 401"));
        let known = "Authorization: Bearer secret\r\n";
        assert!(call(server, &memory, known, 0).contains("\"text\":\"ran\""));
        assert!(call(server, &memory, "X-API-KEY: signed\r\n", 0).contains("\"text\":\"ran\""));
        // SAFETY: nobody works on the server.
        unsafe { (*app).hidden = true };
        assert!(call(server, &memory, known, 0).contains("-32602"));
        // SAFETY: as above.
        unsafe {
            (*app).hidden = false;
            let status = agentmote_token_revoke(server, c"ann".as_ptr());
            assert_eq!(status, AGENTMOTE_OK);
        }
        assert!(call(server, &memory, known, 0).starts_with("HTTP/1.1 401"));
        let event = |by, outcome, authority: &str, subject: &str| {
            (by, outcome, authority.to_owned(), subject.to_owned())
        };
        let wanted = [
            event(AGENTMOTE_BY_NOTHING, AGENTMOTE_REFUSED_CREDENTIAL, "", ""),
            event(AGENTMOTE_BY_TOKEN, AGENTMOTE_WAS_DONE, "ann", "t"),
            event(AGENTMOTE_BY_VERIFY, AGENTMOTE_WAS_DONE, "issuer", "t"),
            event(AGENTMOTE_BY_TOKEN, AGENTMOTE_REFUSED_NOT_THERE, "ann", ""),
            event(AGENTMOTE_BY_NOTHING, AGENTMOTE_REFUSED_CREDENTIAL, "", ""),
        ];
        // SAFETY: as above.
        assert_eq!(unsafe { &(*app).events }[..], wanted);
    }
}
