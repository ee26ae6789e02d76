//! The macros: what they write for every kind of field and of answer.

use core::task::Poll;

use agentmote::json::Text;
use agentmote::mcp::{Device, Identity};
use agentmote::server::{Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::{Answer, Call, Failure};
use agentmote::{ToolArg, ToolArgs, ToolResult, catalog, tool};

struct App {
    moved: u32,
}

#[derive(ToolArg, Clone, Copy)]
enum Mode {
    Fast,
    VeryExact,
}

#[derive(ToolArgs, ToolResult, Clone, Copy)]
struct Point {
    #[arg(range = -9..=9)]
    x: i16,
    #[arg(default = 0)]
    y: i16,
}

#[derive(ToolArgs)]
struct Everything<'a> {
    on: Option<bool>,
    #[arg(range = 0..=5, header = "Joint")]
    joint: u8,
    deep: i64,
    big: u64,
    #[arg(range = -90.0..=90.0, unit = "deg", default = 1.5)]
    deg: f32,
    exact: Option<f64>,
    #[arg(length = 1..=16, default = "none")]
    note: heapless::String<64>,
    color: Text<'a>,
    #[arg(default = "fast")]
    mode: Mode,
    #[arg(items = 1..=4)]
    points: heapless::Vec<Point, 4>,
    #[arg(range = 0..=9)]
    pairs: Option<heapless::Vec<[u8; 2], 4>>,
}

#[derive(ToolResult)]
struct Seen<'a> {
    #[result(range = 0..=5)]
    joint: u8,
    deg: f32,
    note: &'a str,
    mode: Option<Mode>,
    points: heapless::Vec<Point, 4>,
    exact: Option<f64>,
}

/// Takes and gives all.
#[tool(actuates)]
fn everything(app: &mut App, args: Everything<'_>, call: &mut Call<'_>) -> Answer {
    app.moved = app
        .moved
        .wrapping_add(args.big as u32)
        .wrapping_add(args.deep as u32);
    if let Some(pairs) = &args.pairs {
        for pair in pairs {
            app.moved = app
                .moved
                .wrapping_add(pair.iter().map(|v| u32::from(*v)).sum());
        }
    }
    if args.color.is("red") {
        return call.fail("red");
    }
    call.structured(&Seen {
        joint: args.joint,
        deg: args.deg,
        note: &args.note,
        mode: args.on.map(|_| args.mode),
        points: args.points,
        exact: args.exact,
    })
}

/// Reads.
#[tool(read_only)]
fn reads(app: &mut App) -> Result<Point, Failure> {
    match app.moved {
        0 => Err(Failure("not moved")),
        moved => Ok(Point {
            x: moved as i16,
            y: 0,
        }),
    }
}

/// Takes its time.
#[tool]
fn slow(_: &mut App, args: Point, call: &mut Call<'_>) -> Poll<Point> {
    match call.step() {
        0 => Poll::Pending,
        _ => Poll::Ready(args),
    }
}

static DEVICE: Device<App> = Device::new(
    Identity::new("probe", "1"),
    catalog![everything, reads, slow],
);

/// A line connection to derived tools.
pub(crate) fn line(input: &[u8], out: &mut [u8]) -> usize {
    let mut server = Server::new(&DEVICE, App { moved: 0 });
    let mut memory = LineMemory::<512, 256, 1, 128>::new();
    let mut line = Line::new(&mut memory);
    let taken = line.receive(input);
    let n = line.poll(&mut server, Instant::from_millis(taken as u64), out);
    n.wrapping_add(server.app.moved as usize)
}
