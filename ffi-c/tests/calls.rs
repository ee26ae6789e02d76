//! The C interface called from Rust, so that Miri can look at what it does
//! with the pointers: a server with tools, a resource and a prompt, opened,
//! talked to, called from inside itself, opened anew.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use agentmote_ffi_c::*;

/// What the handlers act on, and what they need to call back.
struct App {
    runs: u32,
    connection: *mut agentmote_connection_t,
    kept: *mut agentmote_call_t,
}

const NONE: *const c_char = ptr::null();

const fn param(name: &'static CStr, kind: u8, presence: u8) -> agentmote_param_t {
    agentmote_param_t {
        name: name.as_ptr(),
        description: NONE,
        unit: NONE,
        header: NONE,
        kind,
        presence,
        count: 0,
        choices: ptr::null(),
        members: ptr::null(),
        text: NONE,
        low: 0,
        high: 9,
        whole: 4,
        min: -1.5,
        max: f64::MAX,
        real: 0.5,
    }
}

const fn tool(name: &'static CStr, run: agentmote_run_t, flags: u32) -> agentmote_tool_t {
    agentmote_tool_t {
        name: name.as_ptr(),
        title: NONE,
        description: c"Does it.".as_ptr(),
        params: ptr::null(),
        output: ptr::null(),
        schema: NONE,
        run,
        param_count: 0,
        output_count: 0,
        flags,
        scopes: 0,
    }
}

unsafe extern "C" fn add(context: *mut c_void, call: *mut agentmote_call_t) -> agentmote_answer_t {
    // SAFETY: the context of this test's server, and its own handle.
    unsafe {
        let app = context.cast::<App>();
        (*app).runs += 1;
        (*app).kept = call;
        let mut sum = 0;
        let mut x = 0;
        assert_eq!(agentmote_get_integer(call, 0, &mut x), AGENTMOTE_OK);
        sum += x;
        let mut room = [0; 8];
        let mut length = 0;
        let status = agentmote_get_text(call, 1, room.as_mut_ptr(), room.len(), &mut length);
        assert_eq!(status, AGENTMOTE_OK);
        sum += length as i64;
        let mut at = 9;
        assert_eq!(agentmote_get_choice(call, 2, &mut at), AGENTMOTE_OK);
        assert_eq!(at, 1);
        if agentmote_enter(call, 3) == AGENTMOTE_OK {
            let mut element = 0;
            while agentmote_enter(call, element) == AGENTMOTE_OK {
                assert_eq!(agentmote_get_integer(call, 0, &mut x), AGENTMOTE_OK);
                sum += x;
                assert_eq!(agentmote_leave(call), AGENTMOTE_OK);
                element += 1;
            }
            assert_eq!(agentmote_leave(call), AGENTMOTE_OK);
        }
        // The server and the connection are at work.
        let (mut count, mut out) = (9, [0u8; 8]);
        let connection = (*app).connection;
        let status = agentmote_poll(connection, 0, out.as_mut_ptr().cast(), 8, &mut count);
        assert_eq!(status, AGENTMOTE_ERROR_BUSY);
        let status = agentmote_receive(connection, out.as_ptr().cast(), 1, &mut count);
        assert_eq!(status, AGENTMOTE_ERROR_BUSY);

        agentmote_open_object(call, NONE);
        agentmote_put_integer(call, c"sum".as_ptr(), sum);
        agentmote_open_array(call, c"list".as_ptr());
        agentmote_put_float(call, NONE, 0.5);
        agentmote_close(call);
        agentmote_close(call)
    }
}

unsafe extern "C" fn slow(_: *mut c_void, call: *mut agentmote_call_t) -> agentmote_answer_t {
    // SAFETY: its own handle.
    unsafe {
        agentmote_wake_after(call, 10);
        if agentmote_is_cancelled(call) || agentmote_step(call) == 0 {
            return AGENTMOTE_PENDING;
        }
        agentmote_text(call, c"at last".as_ptr())
    }
}

unsafe extern "C" fn read(_: *mut c_void, call: *mut agentmote_call_t) -> agentmote_answer_t {
    // SAFETY: its own handle.
    unsafe {
        let mut room = [0; 8];
        let name = c"x".as_ptr();
        let status = agentmote_get_named(call, name, room.as_mut_ptr(), 8, ptr::null_mut());
        assert_eq!(status, AGENTMOTE_OK);
        agentmote_text(call, room.as_ptr())
    }
}

unsafe extern "C" fn ask(_: *mut c_void, call: *mut agentmote_call_t) -> agentmote_answer_t {
    // SAFETY: its own handle.
    unsafe { agentmote_image_static(call, b"abc".as_ptr().cast(), 3, c"image/png".as_ptr()) }
}

struct Peer {
    connection: *mut agentmote_connection_t,
}

impl Peer {
    fn send(&self, text: &str, now: u64, step: usize) -> String {
        let mut rest = text.as_bytes();
        let mut all = Vec::new();
        loop {
            let (mut taken, mut filled) = (0, 0);
            let mut out = vec![0u8; step];
            // SAFETY: all of it lives until the functions return.
            unsafe {
                let (start, len) = (rest.as_ptr().cast(), rest.len());
                let status = agentmote_receive(self.connection, start, len, &mut taken);
                assert_eq!(status, AGENTMOTE_OK);
                let place = out.as_mut_ptr().cast();
                let status = agentmote_poll(self.connection, now, place, step, &mut filled);
                assert_eq!(status, AGENTMOTE_OK);
            }
            rest = &rest[taken..];
            all.extend_from_slice(&out[..filled]);
            if taken == 0 && filled == 0 {
                return String::from_utf8(all).expect("UTF-8");
            }
        }
    }
}

const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#,
    "\n"
);

#[test]
fn a_server_in_storage_of_the_caller() {
    let texts = [c"red".as_ptr(), c"green".as_ptr()];
    let members = [param(c"x", AGENTMOTE_KIND_INTEGER, AGENTMOTE_REQUIRED)];
    let element = agentmote_param_t {
        members: members.as_ptr(),
        count: 1,
        ..param(c"element", AGENTMOTE_KIND_OBJECT, AGENTMOTE_REQUIRED)
    };
    let params = [
        param(c"n", AGENTMOTE_KIND_INTEGER, AGENTMOTE_DEFAULT),
        agentmote_param_t {
            text: c"abc".as_ptr(),
            ..param(c"t", AGENTMOTE_KIND_STRING, AGENTMOTE_DEFAULT)
        },
        agentmote_param_t {
            choices: texts.as_ptr(),
            count: 2,
            ..param(c"c", AGENTMOTE_KIND_CHOICE, AGENTMOTE_REQUIRED)
        },
        agentmote_param_t {
            members: &element,
            ..param(c"l", AGENTMOTE_KIND_ARRAY, AGENTMOTE_OPTIONAL)
        },
    ];
    let tools = [
        agentmote_tool_t {
            params: params.as_ptr(),
            param_count: 4,
            ..tool(c"add", Some(add), AGENTMOTE_IDEMPOTENT)
        },
        tool(c"slow", Some(slow), AGENTMOTE_POLLED),
    ];
    let resources = [agentmote_resource_t {
        uri: c"d:{x}".as_ptr(),
        name: c"x".as_ptr(),
        title: NONE,
        description: NONE,
        mime: NONE,
        read: Some(read),
        ttl_ms: 0,
        is_public: 0,
        watch: None,
        values: ptr::null(),
        value_count: 0,
    }];
    let prompts = [agentmote_prompt_t {
        name: c"ask".as_ptr(),
        title: NONE,
        description: NONE,
        arguments: ptr::null(),
        render: Some(ask),
        argument_count: 0,
    }];
    let device = agentmote_device_t {
        name: c"d".as_ptr(),
        title: NONE,
        version: c"1".as_ptr(),
        instructions: NONE,
        tools: tools.as_ptr(),
        tool_count: 2,
        resources: resources.as_ptr(),
        resource_count: 1,
        prompts: prompts.as_ptr(),
        prompt_count: 1,
        forms: ptr::null(),
        form_count: 0,
        page_bytes: 0,
        ttl_ms: 0,
        watch_ms: 0,
        flags: 0,
        shows: None,
    };
    let mut app = App {
        runs: 0,
        connection: ptr::null_mut(),
        kept: ptr::null_mut(),
    };
    let app: *mut App = &mut app;
    let mut storage = vec![0u64; 1024];
    let mut room = vec![0u64; 1024];
    let storage = storage.as_mut_ptr();
    let memory = agentmote_memory_t {
        start: room.as_mut_ptr().cast(),
        size: 8192,
        rx: 1024,
        result: 256,
        calls: 1,
        kept: 128,
    };
    // Twice, in the same storage.
    for _ in 0..2 {
        let mut server = ptr::null_mut();
        let mut connection = ptr::null_mut();
        // SAFETY: all of it lives to the end of this test.
        unsafe {
            let context = app.cast();
            let status = agentmote_init(
                storage.cast(),
                8192,
                &device,
                context,
                &mut server,
                ptr::null_mut(),
            );
            assert_eq!(status, AGENTMOTE_OK);
            let status = agentmote_line_open(&memory, server, &mut connection);
            assert_eq!(status, AGENTMOTE_OK);
            (*app).connection = connection;
            (*app).runs = 0;
        }
        let peer = Peer { connection };
        assert!(peer.send(INITIALIZE, 0, 64).contains("2025-11-25"));
        let call = |name: &str, arguments: &str| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\
                 \"params\":{{\"name\":\"{name}\",\"arguments\":{arguments}}}}}\n"
            )
        };
        let answer = peer.send(&call("add", r#"{"c":"green","l":[{"x":5},{"x":6}]}"#), 0, 7);
        let wanted = r#""structuredContent":{"sum":18,"list":[0.5]}"#;
        assert!(answer.contains(wanted), "{answer}");
        let answer = peer.send(&call("add", r#"{"c":"blue","n":10}"#), 0, 64);
        let wanted = "c: \\\"blue\\\" is not one of";
        assert!(answer.contains(wanted), "{answer}");
        // SAFETY: the app and its handle are there.
        unsafe {
            assert_eq!((*app).runs, 1);
            assert_eq!(agentmote_remember((*app).kept, 1), AGENTMOTE_ERROR_NOT_OPEN);
        }
        assert_eq!(peer.send(&call("slow", "{}"), 0, 64), "");
        let mut at = 0;
        // SAFETY: an opened connection.
        assert_eq!(unsafe { agentmote_wake(connection, &mut at) }, AGENTMOTE_OK);
        assert!(peer.send("", at, 64).contains("at last"));
        assert_eq!(peer.send(&call("slow", "{}"), at, 64), "");
        // SAFETY: as above.
        assert_eq!(unsafe { agentmote_hang_up(connection, at) }, AGENTMOTE_OK);
        peer.send(INITIALIZE, at, 64);
        let ask = |method: &str, params: &str| {
            let text = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}\n"
            );
            peer.send(&text, at, 64)
        };
        assert!(ask("resources/read", r#"{"uri":"d:7"}"#).contains(r#""text":"7""#));
        assert!(ask("prompts/get", r#"{"name":"ask"}"#).contains(r#""data":"YWJj""#));

        // The same over HTTP, in the same memory.
        // SAFETY: as above.
        unsafe {
            let status = agentmote_http_open(&memory, server, ptr::null(), &mut connection);
            assert_eq!(status, AGENTMOTE_OK);
        }
        let answer = Peer { connection }.send(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40\r\n\r\n\
             {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            0,
            64,
        );
        assert!(answer.contains("200 OK"), "{answer}");
    }
}
