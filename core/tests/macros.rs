//! The macros: what they advertise, decode, refuse and answer.
//!
//! `no_std`, and with warnings as errors: what the macros write must not need
//! `std` or a `use`, and must not warn. What does not build stands in the
//! documentation of the macros.
#![cfg(feature = "macros")]
#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub, rust_2018_idioms, clippy::all)]

extern crate std;

use core::task::Poll;
use std::borrow::ToOwned as _;
use std::string::{String, ToString as _};
use std::vec::Vec;

use agentmote::buf::Sink;
use agentmote::json::{self, Text, Value, ser};
use agentmote::mcp::{Device, Identity};
use agentmote::server::{Line, LineMemory, Server};
use agentmote::time::Instant;
use agentmote::tool::{
    Answer, Arg, Args, Call, Capabilities, Effects, Entry, Failure, Input, Literal, Output, Param,
    Tool, Type, check, write_schema,
};
use agentmote::{ToolArg, ToolArgs, ToolResult, catalog, tool};
use serde_test::{Token, assert_ser_tokens};

const JOINTS: u8 = 6;
const STEEPEST: f32 = 0.5;

#[derive(ToolArg, Clone, Copy, Debug, PartialEq)]
enum Mode {
    Fast,
    VeryExact,
    #[arg(name = "off")]
    Disabled,
}

#[derive(ToolArgs, ToolResult, Clone, Copy, Debug, PartialEq)]
struct Point {
    #[arg(range = -1..=1)]
    #[result(range = -2..=2)]
    x: i16,
    #[arg(default = 0)]
    y: i16,
}

/// A field of each kind; the comment of the struct is for programmers.
#[derive(ToolArgs, Debug)]
struct Everything<'a> {
    on: bool,
    #[arg(range = 0..=JOINTS - 1)]
    joint: u8,
    #[arg(range = ..=-5)]
    below: i64,
    #[arg(range = 1..)]
    big: u64,
    /// Slope.
    #[arg(range = -STEEPEST..=0.1, unit = "rad", default = 0.1)]
    slope: f32,
    #[arg(default = 20)]
    speed: f64,
    #[arg(length = 1..=32)]
    note: Option<heapless::String<128>>,
    /// Colour of the light.
    #[arg(header = "Color", name = "colour")]
    color: Text<'a>,
    #[arg(default = "off")]
    mode: Mode,
    #[arg(items = 1..=8)]
    points: heapless::Vec<Point, 8>,
    #[arg(range = 0..=9, items = ..=2)]
    pairs: Option<heapless::Vec<[u8; 2], 4>>,
    /** Of
     * two lines. */
    inner: Option<Point>,
    #[arg(default = true)]
    r#loop: bool,
}

fn schema(params: &'static [Param]) -> String {
    let mut room = [0; 2048];
    let mut sink = Sink::new(&mut room);
    write_schema(&mut sink, params);
    assert!(!sink.overflowed());
    core::str::from_utf8(sink.kept()).unwrap().to_owned()
}

fn written<T: Output>(value: &T) -> String {
    let mut room = [0; 256];
    let mut sink = Sink::new(&mut room);
    ser::to_sink(&mut sink, value).unwrap();
    core::str::from_utf8(sink.kept()).unwrap().to_owned()
}

/// Checks and decodes; the report where the check refuses.
fn decode<'a, T: ToolArgs<'a>>(sent: &'a str) -> Result<T, String> {
    let mut tool = Tool::new("tool", "Tool.");
    tool.input = Input::Params(T::PARAMS);
    let mut room = [0; 512];
    let mut report = Sink::new(&mut room);
    let args: Args<'a> = match check(
        &tool,
        Some(json::parse(sent.as_bytes()).unwrap()),
        Some(&mut report),
    ) {
        Some(args) => args,
        None => return Err(core::str::from_utf8(report.kept()).unwrap().to_owned()),
    };
    Ok(T::decode(&args).expect("what the check lets through fits the type"))
}

#[test]
fn the_schema_says_all_that_the_struct_says() {
    assert_eq!(
        schema(Everything::PARAMS),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""on":{"type":"boolean"},"#,
            r#""joint":{"type":"integer","minimum":0,"maximum":5},"#,
            r#""below":{"type":"integer","maximum":-5},"#,
            r#""big":{"type":"integer","minimum":1},"#,
            r#""slope":{"type":"number","minimum":-0.5,"maximum":0.1,"#,
            r#""description":"Slope. Unit: rad.","default":0.1},"#,
            r#""speed":{"type":"number","default":20},"#,
            r#""note":{"type":"string","minLength":1,"maxLength":32},"#,
            r#""colour":{"type":"string","description":"Colour of the light.","#,
            r#""x-mcp-header":"Color"},"#,
            r#""mode":{"type":"string","enum":["fast","very_exact","off"],"default":"off"},"#,
            r#""points":{"type":"array","minItems":1,"maxItems":8,"items":{"#,
            r#""type":"object","properties":{"#,
            r#""x":{"type":"integer","minimum":-1,"maximum":1},"#,
            r#""y":{"type":"integer","minimum":-32768,"maximum":32767,"default":0}},"#,
            r#""required":["x"],"additionalProperties":false}},"#,
            r#""pairs":{"type":"array","maxItems":2,"items":{"#,
            r#""type":"array","minItems":2,"maxItems":2,"items":{"#,
            r#""type":"integer","minimum":0,"maximum":9}}},"#,
            r#""inner":{"type":"object","properties":{"#,
            r#""x":{"type":"integer","minimum":-1,"maximum":1},"#,
            r#""y":{"type":"integer","minimum":-32768,"maximum":32767,"default":0}},"#,
            r#""required":["x"],"additionalProperties":false,"description":"Of two lines."},"#,
            r#""loop":{"type":"boolean","default":true}},"#,
            r#""required":["on","joint","below","big","colour","points"],"#,
            r#""additionalProperties":false}"#,
        )
    );
}

#[test]
fn every_kind_of_field_is_decoded() {
    let all: Everything<'_> = decode(concat!(
        r#"{"loop":false,"inner":{"y":-7,"x":1},"pairs":[[1,2],[3,4]],"#,
        r#""points":[{"x":0},{"x":-1,"y":5}],"mode":"very_exact","colour":"r\u00f6t","#,
        r#""note":"a\nb","speed":1.5,"slope":-0.25,"big":18446744073709551615,"#,
        r#""below":-9223372036854775808,"joint":5,"on":true}"#
    ))
    .unwrap();
    assert!(all.on && !all.r#loop);
    assert_eq!((all.joint, all.below, all.big), (5, i64::MIN, u64::MAX));
    assert_eq!((all.slope, all.speed), (-0.25, 1.5));
    assert_eq!(all.note.unwrap(), "a\nb");
    assert!(all.color.is("röt"));
    assert_eq!(all.mode, Mode::VeryExact);
    assert_eq!(all.points, [Point { x: 0, y: 0 }, Point { x: -1, y: 5 }]);
    assert_eq!(all.pairs.unwrap(), [[1, 2], [3, 4]]);
    assert_eq!(all.inner, Some(Point { x: 1, y: -7 }));
}

#[test]
fn absent_parameters_are_their_defaults_or_none() {
    let all: Everything<'_> =
        decode(r#"{"on":true,"joint":0,"below":-5,"big":1,"colour":"","points":[{"x":0}]}"#)
            .unwrap();
    assert_eq!((all.slope, all.speed), (0.1, 20.0));
    assert_eq!((all.mode, all.r#loop), (Mode::Disabled, true));
    assert!(all.note.is_none() && all.pairs.is_none() && all.inner.is_none());
}

#[test]
fn what_is_not_advertised_is_refused_in_words() {
    let sent = concat!(
        r#"{"on":1,"joint":6,"below":-4,"big":0,"slope":0.11,"note":"","color":"red","#,
        r#""mode":"Fast","points":[{"x":2}],"pairs":[[1,10]],"inner":{}}"#
    );
    assert_eq!(
        decode::<Everything<'_>>(sent).unwrap_err(),
        concat!(
            "on: 1 is not a boolean; ",
            "joint: 6 is above the maximum 5; ",
            "below: -4 is above the maximum -5; ",
            "big: 0 is below the minimum 1; ",
            "slope: 0.11 is above the maximum 0.1; ",
            "note: 0 characters, the minimum is 1; ",
            "color: unknown parameter; ",
            r#"mode: "Fast" is not one of "fast", "very_exact", "off"; "#,
            "points[0].x: 2 is above the maximum 1; ",
            "pairs[0][1]: 10 is above the maximum 9; ",
            "inner.x: missing; ",
            "colour: missing",
        )
    );
}

#[test]
fn a_struct_without_fields_takes_nothing() {
    #[derive(ToolArgs)]
    struct Nothing;
    #[derive(ToolArgs)]
    struct Empty {}
    for params in [Nothing::PARAMS, Empty::PARAMS] {
        assert_eq!(
            schema(params),
            r#"{"type":"object","properties":{},"additionalProperties":false}"#
        );
    }
    assert!(decode::<Nothing>("{}").is_ok());
    assert!(decode::<Empty>("{}").is_ok());
}

#[test]
fn a_choice_is_the_same_in_both_directions() {
    for (mode, text) in [
        (Mode::Fast, r#""fast""#),
        (Mode::VeryExact, r#""very_exact""#),
        (Mode::Disabled, r#""off""#),
    ] {
        assert_eq!(
            Mode::from_value(json::parse(text.as_bytes()).unwrap()),
            Some(mode)
        );
        assert_eq!(written(&mode), text);
        let name: &'static str = text.trim_matches('"');
        assert_eq!(Mode::from_literal(Literal::Text(name)), Some(mode));
    }
    let escaped = json::parse(br#""\u006fff""#).unwrap();
    assert_eq!(Mode::from_value(escaped), Some(Mode::Disabled));
    assert_eq!(Mode::from_value(json::parse(b"1").unwrap()), None);
    assert_eq!(Mode::from_literal(Literal::Text("Fast")), None);
    assert_eq!(<Mode as Arg<'_>>::TYPE, <Mode as Output>::TYPE);
}

#[derive(ToolResult)]
struct Reading<'a> {
    /// Board temperature.
    #[result(unit = "celsius", range = -40.0..=125.0)]
    celsius: f32,
    #[result(name = "where")]
    place: &'a str,
    last: Option<f32>,
    mode: Option<Mode>,
    points: heapless::Vec<Point, 2>,
    #[result(length = ..=8, items = 1..)]
    tags: heapless::Vec<heapless::String<16>, 4>,
}

#[derive(ToolResult)]
struct Sampled<T: Output + 'static, const N: usize> {
    #[result(items = 1..)]
    samples: heapless::Vec<T, N>,
    last: T,
}

#[test]
fn a_result_is_written_as_it_is_advertised() {
    assert_eq!(
        schema(Reading::SHAPE),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""celsius":{"type":"number","minimum":-40,"maximum":125,"#,
            r#""description":"Board temperature. Unit: celsius."},"#,
            r#""where":{"type":"string"},"#,
            r#""last":{"type":"number"},"#,
            r#""mode":{"type":"string","enum":["fast","very_exact","off"]},"#,
            r#""points":{"type":"array","maxItems":2,"items":{"#,
            r#""type":"object","properties":{"#,
            r#""x":{"type":"integer","minimum":-2,"maximum":2},"#,
            r#""y":{"type":"integer","minimum":-32768,"maximum":32767}},"#,
            r#""required":["x","y"],"additionalProperties":false}},"#,
            r#""tags":{"type":"array","minItems":1,"maxItems":4,"items":{"#,
            r#""type":"string","maxLength":8}}},"#,
            r#""required":["celsius","where","points","tags"],"additionalProperties":false}"#,
        )
    );
    let mut reading = Reading {
        celsius: 21.5,
        place: "lid",
        last: None,
        mode: None,
        points: heapless::Vec::new(),
        tags: heapless::Vec::new(),
    };
    assert_eq!(
        written(&reading),
        r#"{"celsius":21.5,"where":"lid","points":[],"tags":[]}"#
    );
    reading.last = Some(-3.0);
    reading.mode = Some(Mode::Fast);
    reading.points = heapless::Vec::from_array([Point { x: 1, y: 2 }]);
    assert_eq!(
        written(&reading),
        concat!(
            r#"{"celsius":21.5,"where":"lid","last":-3.0,"mode":"fast","#,
            r#""points":[{"x":1,"y":2}],"tags":[]}"#
        )
    );
}

#[test]
fn a_writer_that_wants_the_number_of_members_first_is_told() {
    #[derive(ToolResult)]
    struct Three {
        a: Option<u8>,
        b: u8,
        c: Option<u8>,
    }
    let tokens = [
        Token::Struct {
            name: "Three",
            len: 2,
        },
        Token::Str("b"),
        Token::U8(2),
        Token::Str("c"),
        Token::Some,
        Token::U8(3),
        Token::StructEnd,
    ];
    assert_ser_tokens(
        &Three {
            a: None,
            b: 2,
            c: Some(3),
        },
        &tokens,
    );
}

#[test]
fn a_result_may_be_generic() {
    assert_eq!(
        schema(Sampled::<u8, 3>::SHAPE),
        concat!(
            r#"{"type":"object","properties":{"samples":{"type":"array","minItems":1,"#,
            r#""maxItems":3,"items":{"type":"integer","minimum":0,"maximum":255}},"#,
            r#""last":{"type":"integer","minimum":0,"maximum":255}},"#,
            r#""required":["samples","last"],"additionalProperties":false}"#,
        )
    );
    let sampled = Sampled::<_, 3> {
        samples: heapless::Vec::from_array([false, true]),
        last: true,
    };
    assert_eq!(written(&sampled), r#"{"samples":[false,true],"last":true}"#);
}

#[derive(Debug, Default)]
struct Arm {
    joint: u8,
    steps: u32,
    stopped: bool,
    sensor: bool,
}

#[derive(ToolArgs)]
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

/// Move one joint
/// to an angle.
///
/// Slowly.
#[tool(actuates, idempotent, title = "Move", requires(elicitation, roots))]
fn arm_move(arm: &mut Arm, args: ArmMove, call: &mut Call<'_>) -> Answer {
    arm.joint = args.joint;
    call.format(format_args!(
        "{} {} {}",
        args.joint, args.deg as i32, args.speed
    ))
}

/// Move without words.
#[tool(actuates)]
fn arm_nudge(arm: &mut Arm, args: ArmMove) {
    arm.joint = args.joint;
}

/// Go home.
#[tool(destructive, name = "arm.home-1")]
fn arm_home(arm: &mut Arm) {
    arm.joint = 0;
}

/// The call may come before the arguments.
#[tool]
fn note_set<'c>(_: &mut Arm, call: &mut Call<'c>, args: Note<'c>) -> Result<Answer, Failure> {
    if args.text.is_empty() {
        return Err("an empty note".into());
    }
    Ok(call.text(args.text.as_str().unwrap_or("escaped")))
}

#[derive(ToolArgs)]
struct Note<'a> {
    #[arg(length = ..=32)]
    text: Text<'a>,
}

#[derive(ToolResult)]
struct Temp {
    celsius: f32,
}

/// For programmers.
#[tool(read_only, description = "For models.")]
fn temp_read(arm: &Arm) -> Result<Temp, Failure> {
    match arm.sensor {
        true => Ok(Temp { celsius: 21.5 }),
        false => Err(Failure("the sensor does not answer")),
    }
}

#[derive(ToolResult)]
struct Place<'p> {
    name: &'p str,
}

/// A result that borrows from the application.
#[tool(read_only)]
fn place_read<'p>(_: &'p mut Arm, _: &Call<'_>) -> Place<'p> {
    Place { name: "base" }
}

/// Work that takes two more steps.
#[tool(actuates)]
fn arm_calibrate(arm: &mut Arm, call: &mut Call<'_>) -> Poll<Result<Temp, Failure>> {
    if call.is_cancelled() {
        arm.stopped = true;
        return Poll::Pending;
    }
    arm.steps += 1;
    match call.step() {
        0 | 1 => {
            call.wake_after(100);
            Poll::Pending
        }
        _ => Poll::Ready(Ok(Temp { celsius: 3.0 })),
    }
}

/// Raw schema.
#[tool(schema = r#"{"type":"object","minProperties":1}"#)]
fn raw(_: &mut Arm, call: &mut Call<'_>) -> Answer {
    match call.args().object().and_then(|object| object.member("a")) {
        Some(value) => call.text(core::str::from_utf8(value.raw()).unwrap_or("")),
        None => call.fail("a: missing"),
    }
}

/// A type that decodes less than it says.
struct Odd;

impl<'a> Arg<'a> for Odd {
    const TYPE: Type = Type::INTEGER;

    fn from_value(value: Value<'a>) -> Option<Self> {
        (value.as_number()?.as_i64().ok()? % 2 != 0).then_some(Self)
    }
}

#[derive(ToolArgs)]
struct OnlyOdd {
    #[arg(range = 0..=9)]
    number: Odd,
}

/// Take an odd number.
#[tool]
fn odd(_: &mut Arm, args: OnlyOdd) {
    let Odd = args.number;
}

/// A tool of another module, of a wider visibility.
mod other {
    use super::{Arm, tool};

    /// There or not.
    #[tool]
    #[cfg(any())]
    #[deprecated]
    pub(super) fn absent(_: &mut Arm) {}

    /// Still to be called.
    #[tool]
    #[deprecated]
    pub(super) fn old(_: &mut Arm) {}
}

/// No name of a prelude, and names in the way.
#[no_implicit_prelude]
mod bare {
    use ::agentmote::{ToolArg, ToolArgs, ToolResult, tool};

    use super::Arm;

    #[derive(ToolArg)]
    pub(super) enum Option {
        Some,
        None,
    }

    #[derive(ToolArgs)]
    pub(super) struct Args<'__a> {
        #[arg(range = ..=5, default = 1)]
        args: u8,
        value: Option,
        text: ::agentmote::json::Text<'__a>,
    }

    #[derive(ToolResult)]
    pub(super) struct Result {
        call: u8,
        output: Option,
    }

    /// Named like what it gets.
    #[tool]
    pub(super) fn call(app: &mut Arm, args: Args<'_>) -> Result {
        app.joint = args.args;
        Result {
            call: args.text.raw().len() as u8,
            output: args.value,
        }
    }
}

#[test]
fn a_tool_says_what_its_function_says() {
    let tool = <arm_move>::ENTRY.tool;
    assert_eq!(tool.name, "arm_move");
    assert_eq!(tool.title, "Move");
    assert_eq!(tool.description, "Move one joint to an angle.\nSlowly.");
    assert_eq!(tool.params(), ArmMove::PARAMS);
    assert_eq!(tool.output, None);
    assert_eq!(
        tool.effects,
        Effects {
            actuates: true,
            idempotent: true,
            ..Effects::default()
        }
    );
    assert_eq!(
        tool.requires,
        Capabilities {
            elicitation: true,
            sampling: false,
            roots: true,
        }
    );
    assert!(!tool.polled);

    let tool = <arm_home>::ENTRY.tool;
    assert_eq!((tool.name, tool.title), ("arm.home-1", ""));
    assert!(tool.params().is_empty() && tool.effects.destructive);
    assert!(tool.requires.is_none());

    let tool = <temp_read>::ENTRY.tool;
    assert_eq!(tool.description, "For models.");
    assert_eq!(tool.output, Some(Temp::SHAPE));
    assert!(tool.effects.read_only && !tool.polled);

    let tool = <arm_calibrate>::ENTRY.tool;
    assert_eq!(tool.output, Some(Temp::SHAPE));
    assert!(tool.polled);

    assert!(matches!(
        <raw>::ENTRY.tool.input,
        Input::Schema(r#"{"type":"object","minProperties":1}"#)
    ));
}

#[test]
fn the_function_is_still_one_to_call() {
    let mut arm = Arm::default();
    arm_home(&mut arm);
    assert!(temp_read(&arm).is_err());
    let _: fn(&mut Arm, ArmMove) = arm_nudge;
}

static TOOLS: &[Entry<Arm>] = catalog![arm_move, other::old, bare::call];

static DEVICE: Device<Arm> = Device::new(
    Identity::new("bench-arm", "1.0.0"),
    catalog![
        arm_move,
        arm_nudge,
        arm_home,
        note_set,
        temp_read,
        place_read,
        arm_calibrate,
        raw,
        odd,
        other::old,
        bare::call,
    ],
);

#[test]
fn a_catalog_keeps_the_order() {
    let names: Vec<_> = TOOLS.iter().map(|entry| entry.tool.name).collect();
    assert_eq!(names, ["arm_move", "old", "call"]);
    let none: &[Entry<Arm>] = catalog![];
    assert!(none.is_empty());
}

/// One connection to the bench arm on a clock that stands.
struct Bench<'m> {
    server: Server<Arm>,
    line: Line<'m>,
    now: u64,
}

impl<'m> Bench<'m> {
    fn new(memory: &'m mut LineMemory<1024, 512, 1, 256>) -> Self {
        Self {
            server: Server::new(&DEVICE, Arm::default()),
            line: Line::new(memory),
            now: 0,
        }
    }

    fn poll(&mut self) -> String {
        let mut out = [0; 2048];
        let now = Instant::from_millis(self.now);
        let n = self.line.poll(&mut self.server, now, &mut out);
        core::str::from_utf8(&out[..n]).unwrap().to_owned()
    }

    fn send(&mut self, line: &str) -> String {
        assert_eq!(self.line.receive(line.as_bytes()), line.len());
        self.poll()
    }

    /// What a call of a tool answers: the members of its result that the
    /// handler chose.
    fn call(&mut self, tool: &str, args: &str) -> String {
        let answer = self.send(&std::format!(
            concat!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","#,
                r#""arguments":{},"_meta":{{"#,
                r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
                r#""io.modelcontextprotocol/clientInfo":{{"name":"t","version":"1"}},"#,
                r#""io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}},"roots":{{}}}}"#,
                r#"}}}}}}"#,
                "\n"
            ),
            tool,
            args
        ));
        chosen(&answer)
    }
}

fn chosen(answer: &str) -> String {
    if answer.is_empty() {
        return String::new();
    }
    let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
    let result = answer["result"]
        .as_object()
        .unwrap_or_else(|| panic!("{answer}"));
    let mut chosen = serde_json::Map::new();
    for key in ["content", "structuredContent", "isError"] {
        if let Some(value) = result.get(key) {
            chosen.insert(key.to_owned(), value.clone());
        }
    }
    serde_json::Value::Object(chosen).to_string()
}

fn text(text: &str) -> String {
    std::format!(r#"{{"content":[{{"text":"{text}","type":"text"}}]}}"#)
}

fn failed(text: &str) -> String {
    std::format!(r#"{{"content":[{{"text":"{text}","type":"text"}}],"isError":true}}"#)
}

#[test]
fn calls_reach_their_functions() {
    let mut memory = LineMemory::new();
    let mut bench = Bench::new(&mut memory);
    let answer = bench.call("arm_move", r#"{"joint":2,"deg":-30}"#);
    assert_eq!(answer, text("2 -30 20"));
    assert_eq!(bench.server.app.joint, 2);
    let answer = bench.call("arm_move", r#"{"joint":7,"deg":-91}"#);
    assert_eq!(
        answer,
        failed("joint: 7 is above the maximum 5; deg: -91 is below the minimum -90")
    );
    assert_eq!(bench.server.app.joint, 2);
    let answer = bench.call("arm_nudge", r#"{"joint":4,"deg":0}"#);
    assert_eq!(answer, text("done"));
    assert_eq!(bench.server.app.joint, 4);
    assert_eq!(bench.call("arm.home-1", "{}"), text("done"));
    assert_eq!(bench.server.app.joint, 0);
    assert_eq!(
        bench.call("arm.home-1", r#"{"a":1}"#),
        failed("a: unknown parameter")
    );
    assert_eq!(bench.call("note_set", r#"{"text":"hello"}"#), text("hello"));
    assert_eq!(
        bench.call("note_set", r#"{"text":""}"#),
        failed("an empty note")
    );
    assert_eq!(bench.call("raw", r#"{"a":[1,2]}"#), text("[1,2]"));
    assert_eq!(bench.call("raw", r#"{"b":1}"#), failed("a: missing"));
    assert_eq!(bench.call("old", "{}"), text("done"));
}

#[test]
fn structured_results_are_sent_as_they_are_written() {
    let mut memory = LineMemory::new();
    let mut bench = Bench::new(&mut memory);
    assert_eq!(
        bench.call("temp_read", "{}"),
        failed("the sensor does not answer")
    );
    bench.server.app.sensor = true;
    assert_eq!(
        bench.call("temp_read", "{}"),
        concat!(
            r#"{"content":[{"text":"{\"celsius\":21.5}","type":"text"}],"#,
            r#""structuredContent":{"celsius":21.5}}"#
        )
    );
    let answer = bench.call("place_read", "{}");
    assert!(
        answer.ends_with(r#""structuredContent":{"name":"base"}}"#),
        "{answer}"
    );
    let answer = bench.call("call", r#"{"value":"none","text":"abc"}"#);
    assert!(
        answer.ends_with(r#""structuredContent":{"call":3,"output":"none"}}"#),
        "{answer}"
    );
    assert_eq!(bench.server.app.joint, 1);
}

#[test]
fn arguments_that_a_type_does_not_take_fail_the_call() {
    let mut memory = LineMemory::new();
    let mut bench = Bench::new(&mut memory);
    assert_eq!(bench.call("odd", r#"{"number":3}"#), text("done"));
    assert_eq!(
        bench.call("odd", r#"{"number":4}"#),
        failed("the arguments do not fit their Rust type")
    );
    assert_eq!(
        bench.call("odd", r#"{"number":11}"#),
        failed("number: 11 is above the maximum 9")
    );
}

#[test]
fn a_tool_that_takes_its_time_is_called_again() {
    let mut memory = LineMemory::new();
    let mut bench = Bench::new(&mut memory);
    assert_eq!(bench.call("arm_calibrate", "{}"), "");
    assert_eq!(bench.server.app.steps, 1);
    assert_eq!(bench.poll(), "");
    assert_eq!(bench.server.app.steps, 1);
    bench.now = 100;
    assert_eq!(bench.poll(), "");
    assert_eq!(bench.server.app.steps, 2);
    bench.now = 200;
    let answer = chosen(&bench.poll());
    assert!(
        answer.ends_with(r#""structuredContent":{"celsius":3.0}}"#),
        "{answer}"
    );
    assert_eq!(bench.server.app.steps, 3);
}

#[test]
fn a_tool_that_takes_its_time_hears_that_it_is_given_up() {
    let mut memory = LineMemory::new();
    let mut bench = Bench::new(&mut memory);
    assert_eq!(bench.call("arm_calibrate", "{}"), "");
    let cancel = concat!(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        "\n"
    );
    assert_eq!(bench.send(cancel), "");
    assert!(bench.server.app.stopped);
    assert_eq!(bench.server.app.steps, 1);
}
