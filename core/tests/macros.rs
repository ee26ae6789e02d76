//! The macros: what they advertise, decode, refuse and answer.
#![cfg(feature = "macros")]

use core::task::Poll;

use agentmote::buf::Sink;
use agentmote::json::{Text, parse};
use agentmote::mcp::{Device, Identity};
use agentmote::server::{Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::{
    Answer, Arg, Args, Call, Catalog, Entry, Failure, Input, Literal, Output, Param, Tool, Type,
    check, write_schema,
};
use agentmote::{ToolArg, ToolArgs, ToolResult, catalog, tool};

#[derive(ToolArgs, Debug, PartialEq)]
struct ArmMove {
    /// Joint number, base first.
    #[arg(range = 0..=5)]
    joint: u8,
    /// Target angle.
    #[arg(range = -90.0..=90.0, unit = "deg")]
    deg: f32,
    /// Percent of full speed.
    #[arg(range = 1..=100, default = 20)]
    speed: u8,
}

#[derive(Debug, Default)]
struct Arm {
    speed: u8,
    moved: u32,
}

/// Move one joint
/// to an angle.
///
/// Second paragraph.
#[tool(actuates, idempotent, title = "Move", requires(elicitation))]
fn arm_move(arm: &mut Arm, args: ArmMove, call: &mut Call<'_>) -> Answer {
    arm.speed = args.speed;
    call.text("moved")
}

static TOOLS: &[Entry<Arm>] = catalog![arm_move];
static DEVICE: Device<Arm> = Device::new(Identity::new("bench-arm", "1.0.0"), catalog![arm_move]);

#[test]
fn it() {
    let mut room = [0; 2048];
    let mut sink = Sink::new(&mut room);
    write_schema(&mut sink, ArmMove::PARAMS);
    println!("{}", std::str::from_utf8(sink.kept()).unwrap());
    println!("{:?}", TOOLS[0].tool);
}
