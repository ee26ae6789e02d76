//! The one call whose instructions are counted, from bytes in to bytes out.

#![no_std]
#![forbid(unsafe_code)]

use agentmote::mcp::{Device, Identity};
use agentmote::server::{Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::{Answer, Call, Entry, Input, Param, Tool};
use serde::Serialize;

/// The request, and what must come back.
pub const REQUEST: &[u8] = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_led","#,
    r#""arguments":{"index":2,"on":true},"_meta":{"#,
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    "\n"
)
.as_bytes();

/// The answer to [`REQUEST`], without what the server says of itself.
pub const RESULT: &str = concat!(
    r#""content":[{"type":"text","text":"{\"index\":2,\"on\":true}"}],"#,
    r#""structuredContent":{"index":2,"on":true}"#
);

/// Four lamps.
#[derive(Debug, Default)]
pub struct Lamps {
    /// Which of them are on.
    pub on: [bool; 4],
}

/// A server with the one tool `set_led`.
pub static DEVICE: Device<Lamps> = Device::new(Identity::new("bench", "1.0"), &TOOLS);

static TOOLS: [Entry<Lamps>; 1] = [Entry {
    tool: Tool {
        input: Input::Params(FIELDS),
        output: Some(FIELDS),
        ..Tool::new("set_led", "Switches one lamp.")
    },
    run: set_led,
}];

const FIELDS: &[Param] = &[
    Param::integer("index", "Number of the lamp.", 0, 3),
    Param::boolean("on", "Whether it is to shine."),
];

#[derive(Serialize)]
struct Lamp {
    index: u8,
    on: bool,
}

fn set_led(lamps: &mut Lamps, call: &mut Call<'_>) -> Answer {
    let (Some(index), Some(on)) = (call.get::<u8>(0), call.get::<bool>(1)) else {
        return call.fail("set_led: the arguments cannot be read");
    };
    let Some(lamp) = lamps.on.get_mut(usize::from(index)) else {
        return call.fail("set_led: there is no such lamp");
    };
    *lamp = on;
    call.structured(&Lamp { index, on })
}

/// Memory of the connection that is measured.
pub type Memory = LineMemory<512, 256, 1, 256>;

/// What is measured: bytes in to bytes out. Gives the length of the answer
/// in `out`.
#[inline(never)]
pub fn call(
    line: &mut Line<'_>,
    server: &mut Server<Lamps>,
    request: &[u8],
    out: &mut [u8],
) -> usize {
    let taken = line.receive(request);
    if taken < request.len() {
        return 0;
    }
    line.poll(server, Instant::from_millis(0), out)
}
