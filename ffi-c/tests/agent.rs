//! An agent beside a server, opened and worked from Rust, so that Miri can
//! look at what the library does with the pointers.
#![cfg(feature = "a2a")]

mod common;

use std::ffi::c_void;
use std::ptr;

use agentmote_ffi_c::*;
use common::{NONE, send};

/// What the handlers act on, and what they need to call back.
struct App {
    server: *mut agentmote_server_t,
    drawn: u8,
    kept: *mut agentmote_call_t,
}

unsafe extern "C" fn random(context: *mut c_void, bytes: *mut c_void, size: usize) {
    // SAFETY: the context of this test's server; `size` bytes.
    unsafe {
        let app = context.cast::<App>();
        (*app).drawn += 1;
        for at in 0..size {
            let byte = (*app).drawn.wrapping_mul(31).wrapping_add(at as u8);
            bytes.cast::<u8>().add(at).write(byte);
        }
    }
}

unsafe extern "C" fn keep(
    _: *mut c_void,
    id: *const u8,
    record: *const c_void,
    size: usize,
) -> agentmote_answer_t {
    // SAFETY: 16 bytes, and `size` bytes.
    let sum = unsafe {
        let id = std::slice::from_raw_parts(id, 16);
        let record = std::slice::from_raw_parts(record.cast::<u8>(), size);
        id.iter()
            .chain(record)
            .map(|byte| u32::from(*byte))
            .sum::<u32>()
    };
    if sum > 0 {
        AGENTMOTE_DONE
    } else {
        AGENTMOTE_MISSING
    }
}

/// Asks, takes two steps, gives back what it was sent.
unsafe extern "C" fn work(context: *mut c_void, call: *mut agentmote_call_t) -> agentmote_answer_t {
    // SAFETY: the context of this test's server, and its own handle.
    unsafe {
        let app = context.cast::<App>();
        (*app).kept = call;
        let mut due = 0;
        let status = agentmote_run_tasks((*app).server, 0, &mut due);
        assert_eq!(status, AGENTMOTE_ERROR_BUSY);
        let mut count = 0;
        assert_eq!(agentmote_message_count(call, &mut count), AGENTMOTE_OK);
        if count == 1 {
            return agentmote_ask(call, c"Sure?".as_ptr());
        }
        if agentmote_memo(call) == 0 {
            agentmote_remember(call, 1);
            agentmote_wake_after(call, 10);
            agentmote_report(call, c"half of it".as_ptr());
            return AGENTMOTE_PENDING;
        }
        let name = Box::new(*b"echo\0");
        agentmote_artifact(call, name.as_ptr().cast());
        let mut part = std::mem::zeroed();
        let mut at = 0;
        while agentmote_get_part(call, at, &mut part) == AGENTMOTE_OK {
            agentmote_part(call, &part);
            at += 1;
        }
        drop(name);
        agentmote_artifact(call, NONE);
        agentmote_open_object(call, NONE);
        agentmote_put_boolean(call, c"on".as_ptr(), true);
        agentmote_close(call)
    }
}

unsafe extern "C" fn light(_: *mut c_void, call: *mut agentmote_call_t) -> agentmote_answer_t {
    // SAFETY: its own handle.
    unsafe { agentmote_text(call, c"lit".as_ptr()) }
}

fn message(id: u32, parts: &str, of: &str) -> String {
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{{\"message\":{{\
         \"messageId\":\"m-{id}\",\"role\":\"ROLE_USER\",\"parts\":[{parts}]{of}}}}}}}"
    );
    format!(
        "POST /agent HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn an_agent_in_storage_of_the_caller() {
    let tools = [common::tool(c"light", c"Lights it.", light)];
    let device = common::device(&tools);
    let texts = [c"light".as_ptr(), c"lamp".as_ptr()];
    let skill = || agentmote_skill_t {
        id: c"light".as_ptr(),
        name: c"Light".as_ptr(),
        description: NONE,
        tags: texts.as_ptr(),
        examples: ptr::null(),
        words: texts.as_ptr(),
        input_modes: ptr::null(),
        output_modes: ptr::null(),
        run: None,
        tool: c"light".as_ptr(),
        tag_count: 2,
        example_count: 0,
        word_count: 2,
        input_mode_count: 0,
        output_mode_count: 0,
        flags: 0,
        scopes: 0,
    };
    let skills = [
        skill(),
        agentmote_skill_t {
            id: c"work".as_ptr(),
            words: ptr::null(),
            word_count: 0,
            run: Some(work),
            tool: NONE,
            ..skill()
        },
    ];
    let schemes = [agentmote_scheme_t {
        name: c"key".as_ptr(),
        text: c"X-API-KEY".as_ptr(),
        kind: AGENTMOTE_SCHEME_API_KEY,
    }];
    let signatures = [agentmote_signature_t {
        protected_header: c"e30".as_ptr(),
        signature: c"e30".as_ptr(),
    }];
    let agent = agentmote_agent_t {
        name: c"a".as_ptr(),
        description: c"An agent.".as_ptr(),
        version: c"1".as_ptr(),
        url: c"http://127.0.0.1/agent/".as_ptr(),
        path: c"/agent".as_ptr(),
        tenant: NONE,
        organization: NONE,
        organization_url: NONE,
        documentation_url: NONE,
        icon_url: NONE,
        last_modified: NONE,
        skills: skills.as_ptr(),
        skill_count: 2,
        schemes: schemes.as_ptr(),
        scheme_count: 1,
        signatures: signatures.as_ptr(),
        signature_count: 1,
        random: Some(random),
        keep: Some(keep),
        wait_ms: 1000,
        retention_ms: 0,
        max_age_s: 60,
        flags: AGENTMOTE_NO_MEDIA_CHECK,
    };
    let mut app = App {
        server: ptr::null_mut(),
        drawn: 0,
        kept: ptr::null_mut(),
    };
    let app: *mut App = &mut app;
    let mut storage = vec![0u64; 1024];
    let mut room = vec![0u64; 1024];
    let mut tasks = vec![0u64; 512];
    let storage = storage.as_mut_ptr();
    let memory = agentmote_memory_t {
        start: room.as_mut_ptr().cast(),
        size: 8192,
        rx: 1024,
        result: 256,
        calls: 0,
        kept: 0,
    };
    let task_memory = agentmote_task_memory_t {
        start: tasks.as_mut_ptr().cast(),
        size: 4096,
        tasks: 2,
        log: 768,
        result: 192,
    };
    // SAFETY: all of it lives to the end of this test.
    let (server, mut http) = unsafe {
        let mut server = ptr::null_mut();
        let (context, none) = (app.cast(), ptr::null_mut());
        let status = agentmote_init(storage.cast(), 8192, &device, context, &mut server, none);
        assert_eq!(status, AGENTMOTE_OK);
        (*app).server = server;
        (server, ptr::null_mut())
    };
    // Twice, in the same storage.
    for round in 0..2 {
        // SAFETY: as above.
        unsafe {
            let mut problem: agentmote_problem_t = std::mem::zeroed();
            let status = agentmote_agent_open(&task_memory, server, &agent, &mut problem);
            assert_eq!(status, AGENTMOTE_OK, "{problem:?}");
            assert!(problem.needed > 0 && problem.needed <= 4096);
            let status = agentmote_set_clock(server, 1_800_000_000_000, 0);
            assert_eq!(status, AGENTMOTE_OK);
            let status = agentmote_http_open(&memory, server, ptr::null(), &mut http);
            assert_eq!(status, AGENTMOTE_OK);
        }
        let card = "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
        // Its tag takes long under Miri.
        if cfg!(not(miri)) {
            assert!(send(http, card, 0).contains("\"id\":\"work\""));
        }
        let answer = send(http, &message(1, "{\"text\":\"light\"}", ""), 0);
        assert!(
            answer.contains("\"parts\":[{\"text\":\"lit\"}]"),
            "{answer}"
        );
        let answer = send(http, &message(2, "{\"text\":\"go\"}", ""), 0);
        assert!(answer.contains("TASK_STATE_INPUT_REQUIRED"), "{answer}");
        let id = answer
            .split_once("\"task\":{\"id\":\"")
            .and_then(|(_, rest)| rest.get(..32))
            .expect("an id");
        let of = format!(",\"taskId\":\"{id}\"");
        let parts = "{\"text\":\"yes\"},{\"data\":[1,2],\"filename\":\"f\"}";
        assert_eq!(send(http, &message(3, parts, &of), 0), "");
        let mut due = 0;
        // SAFETY: an opened connection and server.
        unsafe {
            assert_eq!(agentmote_wake(http, &mut due), AGENTMOTE_OK);
            assert_eq!(due, 10);
            assert_eq!(agentmote_run_tasks(server, 10, &mut due), AGENTMOTE_ABSENT);
        }
        let answer = send(http, "", 10);
        let wanted =
            "\"name\":\"echo\",\"parts\":[{\"text\":\"yes\"},{\"data\":[1,2],\"filename\":\"f\"}]";
        assert!(answer.contains(wanted), "{answer}");
        assert!(
            answer.contains("\"parts\":[{\"data\":{\"on\":true}}]"),
            "{answer}"
        );
        let mut count = 0;
        // SAFETY: the server's storage is there.
        let status = unsafe { agentmote_message_count((*app).kept, &mut count) };
        assert_eq!(status, AGENTMOTE_ERROR_NOT_OPEN, "round {round}");
    }
}
