//! The one call whose instructions are counted, from bytes in to bytes out.

#![no_std]
#![forbid(unsafe_code)]

use agentmote::mcp::{Device, Identity};
use agentmote::server::{Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::Failure;
use agentmote::{ToolArgs, ToolResult, catalog, tool};

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
pub static DEVICE: Device<Lamps> = Device::new(Identity::new("bench", "1.0"), catalog![set_led]);

#[derive(ToolArgs)]
struct SetLed {
    /// Number of the lamp.
    #[arg(range = 0..=3)]
    index: u8,
    /// Whether it is to shine.
    on: bool,
}

#[derive(ToolResult)]
struct Lamp {
    /// Number of the lamp.
    index: u8,
    /// Whether it shines.
    on: bool,
}

/// Switches one lamp.
#[tool(idempotent)]
fn set_led(lamps: &mut Lamps, args: SetLed) -> Result<Lamp, Failure> {
    let SetLed { index, on } = args;
    let lamp = lamps.on.get_mut(usize::from(index));
    *lamp.ok_or("there is no such lamp")? = on;
    Ok(Lamp { index, on })
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
