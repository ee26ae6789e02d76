//! The macros of `agentmote`: descriptors of tools from Rust types and
//! functions.
//!
//! Use them through `agentmote`, which exports them by its feature `macros`.
//! They write nothing that could not be written by hand: constants of
//! [`agentmote::tool`](https://docs.rs/agentmote/latest/agentmote/tool/), and
//! the reading and writing of values that goes with them. What they write is
//! `no_std`, without `unsafe`, and needs no `use`.
//!
//! Rules that can be seen in the source are errors of the macros. The other
//! rules (names, ranges, lengths, defaults, headers) are those of
//! `agentmote::tool::verify`, which holds for descriptors written by hand
//! too; they are errors of constant evaluation, at the field or the function.

mod args;
mod attr;
mod choice;
mod doc;
mod fields;
mod result;
#[cfg(test)]
mod tests;
mod tool;
mod ty;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, ItemFn, parse_macro_input};

/// Describes and decodes the arguments of a tool: a struct with named fields.
///
/// Implements `agentmote::tool::ToolArgs`, and `agentmote::tool::Arg`, so
/// that the struct can also be a field of other arguments. Each field is a
/// parameter in the order of the fields; its doc comment is its description.
/// A field is required unless it is an `Option` or has a default.
///
/// Fields are `bool`, integers up to 64 bits, `f32`, `f64`, `Text<'a>` (text
/// left in the request), `heapless::String<N>`, enums under
/// [`ToolArg`](macro@ToolArg), structs under this macro, and `[T; N]`,
/// `heapless::Vec<T, N>`, `Option<T>` of these; or any other type that
/// implements `Arg`.
///
/// ```
/// use agentmote::buf::Sink;
/// use agentmote::json::{self, Text};
/// use agentmote::tool::{Input, Tool, check, write_schema};
/// use agentmote::{ToolArg, ToolArgs};
///
/// #[derive(ToolArg)]
/// enum Mode {
///     Fast,
///     VeryExact,
/// }
///
/// #[derive(ToolArgs)]
/// struct ArmMove<'a> {
///     /// Joint number, base first.
///     #[arg(range = 0..=5)]
///     joint: u8,
///     /// Target angle.
///     #[arg(range = -90.0..=90.0, unit = "deg")]
///     deg: f32,
///     /// Percent of full speed.
///     #[arg(range = 1..=100, default = 20)]
///     speed: u8,
///     #[arg(default = "fast")]
///     mode: Mode,
///     #[arg(length = ..=32, name = "by")]
///     operator: Option<Text<'a>>,
/// }
///
/// let mut room = [0; 1024];
/// let mut schema = Sink::new(&mut room);
/// write_schema(&mut schema, ArmMove::PARAMS);
/// assert_eq!(core::str::from_utf8(schema.kept()).unwrap(), concat!(
///     r#"{"type":"object","properties":{"#,
///     r#""joint":{"type":"integer","minimum":0,"maximum":5,"#,
///     r#""description":"Joint number, base first."},"#,
///     r#""deg":{"type":"number","minimum":-90,"maximum":90,"#,
///     r#""description":"Target angle. Unit: deg."},"#,
///     r#""speed":{"type":"integer","minimum":1,"maximum":100,"#,
///     r#""description":"Percent of full speed.","default":20},"#,
///     r#""mode":{"type":"string","enum":["fast","very_exact"],"default":"fast"},"#,
///     r#""by":{"type":"string","maxLength":32}},"#,
///     r#""required":["joint","deg"],"additionalProperties":false}"#,
/// ));
///
/// let mut tool = Tool::new("arm_move", "Move one joint to an angle.");
/// tool.input = Input::Params(ArmMove::PARAMS);
/// let mut room = [0; 128];
/// let mut report = Sink::new(&mut room);
/// let sent = json::parse(br#"{"joint":2,"deg":-30.5,"by":"Ada"}"#).unwrap();
/// let args = check(&tool, Some(sent), Some(&mut report)).unwrap();
/// let args = ArmMove::decode(&args).unwrap();
/// assert_eq!((args.joint, args.deg, args.speed), (2, -30.5, 20));
/// assert!(matches!(args.mode, Mode::Fast));
/// assert!(args.operator.unwrap().is("Ada"));
/// ```
///
/// # Keys of `#[arg(..)]`
///
/// | key | on | what |
/// | --- | --- | --- |
/// | `range = 0..=5` | numbers | allowed values, both ends included, or one end open: `0..`, `..=5` |
/// | `length = ..=32` | texts | allowed number of characters |
/// | `items = 1..=8` | lists | allowed number of elements |
/// | `unit = "deg"` | numbers | unit, advertised behind the description |
/// | `default = 20` | all but lists, structs and `Option` | what absent means; of a choice, its name |
/// | `name = "by"` | all | name on the wire, where it is not the field's |
/// | `header = "Joint"` | integers, `bool`, texts, choices | HTTP header `Mcp-Param-Joint` in which clients repeat the value (M-073) |
///
/// On a list, `range` and `length` hold for its elements. Bounds and defaults
/// are literals, or constants of the field's type (of `length` and `items`:
/// of `u16`). A literal is advertised as it is written; a constant `f32` is
/// advertised with the digits of its `f64`.
///
/// # What does not build
///
/// A range that the Rust type cannot hold; so also the length of a
/// `String<N>`, which holds `N / 4` characters whatever they are, and the
/// items of a `Vec<T, N>`:
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(range = 0..=300)] // 255 is the most
///     joint: u8,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(length = ..=33)] // 32 is the most
///     text: heapless::String<128>,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(items = 1..=9)] // 8 is the most
///     joints: heapless::Vec<u8, 8>,
/// }
/// ```
///
/// An empty range:
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(range = 5..=0)] // 0..=5
///     joint: u8,
/// }
/// ```
///
/// A range without its upper end, which schemas cannot say:
/// ```compile_fail
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(range = 0..6)] // 0..=5
///     joint: u8,
/// }
/// ```
///
/// A range of something that is no number:
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(range = ..=32)] // length
///     text: heapless::String<128>,
/// }
/// ```
///
/// A default out of range, of another type, or beside `Option`:
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(range = 1..=100, default = 0)] // 1 is the least
///     speed: u8,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(default = "20")] // 20
///     speed: u8,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::{ToolArg, ToolArgs};
/// # #[derive(ToolArg)]
/// # enum Mode { Fast, Exact }
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(default = "Fast")] // "fast"
///     mode: Mode,
/// }
/// ```
/// ```compile_fail
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(default = 20)] // u8
///     speed: Option<u8>,
/// }
/// ```
///
/// Two parameters of one name, or a name with other characters than letters,
/// digits, `_`, `-` and `.`, or with more than 64 (M-102):
/// ```compile_fail
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     x: u8,
///     #[arg(name = "x")] // "y"
///     y: u8,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(name = "x y")] // "x_y"
///     y: u8,
/// }
/// ```
///
/// A header of another type, of an integer beyond 2^53 - 1, twice, or with a
/// character that header names do not have (M-074):
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(header = "Angle")] // i32
///     angle: f32,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(header = "Count")] // u32
///     count: u64,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(header = "Joint")]
///     a: u8,
///     #[arg(header = "joint")] // "Joint2"
///     b: u8,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(header = "Joint:")] // "Joint"
///     a: u8,
/// }
/// ```
///
/// A unit of something that is no number:
/// ```compile_fail,E0080
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(unit = "deg")] // i16
///     angle: bool,
/// }
/// ```
///
/// A key that does not exist, or stands twice:
/// ```compile_fail
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(max = 5)] // range = ..=5
///     joint: u8,
/// }
/// ```
/// ```compile_fail
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args {
///     #[arg(range = 0.., range = ..=5)] // range = 0..=5
///     joint: u8,
/// }
/// ```
///
/// A struct without field names, with two lifetimes, or generic:
/// ```compile_fail
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args(u8); // { joint: u8 }
/// ```
/// ```compile_fail
/// # use agentmote::ToolArgs;
/// # use agentmote::json::Text;
/// #[derive(ToolArgs)]
/// struct Args<'a, 'b> { // <'a>
///     a: Text<'a>,
///     b: Text<'b>,
/// }
/// ```
/// ```compile_fail
/// # use agentmote::ToolArgs;
/// #[derive(ToolArgs)]
/// struct Args<const N: usize> { // 32
///     text: heapless::String<N>,
/// }
/// ```
#[proc_macro_derive(ToolArgs, attributes(arg))]
pub fn tool_args(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), args::derive)
}

/// Makes a choice of an enum whose variants hold nothing.
///
/// On the wire a variant is its name in `snake_case`, or what
/// `#[arg(name = "..")]` says. The enum can be a field of arguments
/// (`agentmote::tool::Arg`) and of results (`agentmote::tool::Output` and
/// `serde::Serialize`).
///
/// ```
/// use agentmote::ToolArg;
/// use agentmote::tool::{Arg, Type};
///
/// #[derive(ToolArg)]
/// enum Mode {
///     Fast,
///     VeryExact,
///     #[arg(name = "off")]
///     Disabled,
/// }
/// assert_eq!(Mode::TYPE, Type::Choice(&["fast", "very_exact", "off"]));
/// let sent = agentmote::json::parse(br#""off""#).unwrap();
/// assert!(matches!(Mode::from_value(sent), Some(Mode::Disabled)));
/// ```
///
/// # What does not build
///
/// A variant that holds something:
/// ```compile_fail
/// # use agentmote::ToolArg;
/// #[derive(ToolArg)]
/// enum Mode {
///     Fast,
///     Slow(u8), // Slow
/// }
/// ```
///
/// Two variants of one name, and no variant at all:
/// ```compile_fail
/// # use agentmote::ToolArg;
/// #[derive(ToolArg)]
/// enum Mode {
///     Fast,
///     #[arg(name = "fast")] // "faster"
///     Faster,
/// }
/// ```
/// ```compile_fail
/// # use agentmote::ToolArg;
/// #[derive(ToolArg)]
/// enum Mode {} // { Fast }
/// ```
///
/// A struct, and a generic enum:
/// ```compile_fail
/// # use agentmote::ToolArg;
/// #[derive(ToolArg)]
/// struct Mode {} // enum Mode { Fast }
/// ```
/// ```compile_fail
/// # use agentmote::ToolArg;
/// #[derive(ToolArg)]
/// enum Mode<const N: usize> { // Mode
///     Fast,
/// }
/// ```
#[proc_macro_derive(ToolArg, attributes(arg))]
pub fn tool_arg(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), choice::derive)
}

/// Describes and writes the structured result of a tool: a struct with named
/// fields.
///
/// Implements `agentmote::tool::ToolResult`, `agentmote::tool::Output` (so
/// that the struct can be a member of other results) and `serde::Serialize`:
/// what is sent is what is advertised (M-114). An `Option` that is `None` is
/// left out. Fields are of any type that implements `Output`.
///
/// ```
/// use agentmote::ToolResult;
/// use agentmote::buf::Sink;
/// use agentmote::json::ser::to_sink;
/// use agentmote::tool::write_schema;
///
/// #[derive(ToolResult)]
/// struct Temp {
///     /// Board temperature.
///     #[result(range = -40.0..=125.0, unit = "celsius")]
///     celsius: f32,
///     /// What it was before.
///     last: Option<f32>,
/// }
///
/// let mut room = [0; 512];
/// let mut schema = Sink::new(&mut room);
/// write_schema(&mut schema, Temp::SHAPE);
/// assert_eq!(core::str::from_utf8(schema.kept()).unwrap(), concat!(
///     r#"{"type":"object","properties":{"#,
///     r#""celsius":{"type":"number","minimum":-40,"maximum":125,"#,
///     r#""description":"Board temperature. Unit: celsius."},"#,
///     r#""last":{"type":"number","description":"What it was before."}},"#,
///     r#""required":["celsius"],"additionalProperties":false}"#,
/// ));
///
/// let mut room = [0; 64];
/// let mut json = Sink::new(&mut room);
/// to_sink(&mut json, &Temp { celsius: 21.5, last: None }).unwrap();
/// assert_eq!(json.kept(), br#"{"celsius":21.5}"#);
/// ```
///
/// # Keys of `#[result(..)]`
///
/// `range`, `length`, `items`, `unit` and `name`, as in
/// [`ToolArgs`](macro@ToolArgs). A result outside of them is not sent: the
/// call fails and says why.
///
/// # Generics
///
/// Lifetimes, constants and types are taken over as they are; a type
/// parameter needs the bound `Output + 'static` where the struct is declared.
/// A struct with constants or types is checked only where a tool returns it.
///
/// # What does not build
///
/// What has no meaning in a result:
/// ```compile_fail
/// # use agentmote::ToolResult;
/// #[derive(ToolResult)]
/// struct Temp {
///     #[result(default = 5)] // range = 5..
///     celsius: i8,
/// }
/// ```
///
/// A range that the Rust type cannot hold, or that is empty:
/// ```compile_fail,E0080
/// # use agentmote::ToolResult;
/// #[derive(ToolResult)]
/// struct Temp {
///     #[result(range = -40..=128)] // 127
///     celsius: i8,
/// }
/// ```
/// ```compile_fail,E0080
/// # use agentmote::ToolResult;
/// #[derive(ToolResult)]
/// struct Temp {
///     #[result(range = 125.0..=-40.0)] // -40.0..=125.0
///     celsius: f32,
/// }
/// ```
///
/// A struct without field names:
/// ```compile_fail
/// # use agentmote::ToolResult;
/// #[derive(ToolResult)]
/// struct Temp(f32); // { celsius: f32 }
/// ```
#[proc_macro_derive(ToolResult, attributes(result))]
pub fn tool_result(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), result::derive)
}

/// Makes a tool of a function.
///
/// The function stays as it is. Beside it stands a type of the same name and
/// visibility with a constant `ENTRY`, which `agentmote::catalog!` puts into
/// the table of a device.
///
/// * The first parameter is the application, `&mut App`.
/// * The arguments come by value: a struct under
///   [`ToolArgs`](macro@ToolArgs). Without them the tool takes none.
/// * The call comes as `&mut Call<'_>`, where the function wants it: for its
///   answer, its progress, the time.
/// * The function returns anything that implements
///   `agentmote::tool::IntoAnswer`: an `Answer`, a struct under
///   [`ToolResult`](macro@ToolResult), whose shape is then advertised, `()`,
///   a `Result` of these, or a `Poll` of these, which makes the tool one that
///   takes its time.
/// * The doc comment is the description that models read. Lines of one
///   paragraph are joined.
///
/// ```
/// use agentmote::mcp::{Device, Identity};
/// use agentmote::tool::{Answer, Call, Failure};
/// use agentmote::{ToolArgs, ToolResult, catalog, tool};
///
/// struct Arm { angles: [f32; 6], millivolt: u16 }
///
/// #[derive(ToolArgs)]
/// struct ArmMove {
///     /// Joint number, base first.
///     #[arg(range = 0..=5)]
///     joint: u8,
///     /// Target angle.
///     #[arg(range = -90.0..=90.0, unit = "deg")]
///     deg: f32,
/// }
///
/// #[derive(ToolResult)]
/// struct Temp {
///     /// Board temperature.
///     celsius: f32,
/// }
///
/// /// Move one joint to an angle.
/// #[tool(actuates, title = "Move")]
/// fn arm_move(arm: &mut Arm, args: ArmMove, call: &mut Call<'_>) -> Answer {
///     match arm.angles.get_mut(usize::from(args.joint)) {
///         Some(angle) => *angle = args.deg,
///         None => return call.fail("no such joint"),
///     }
///     call.text("moved")
/// }
///
/// /// Read the temperature of the board.
/// #[tool(read_only)]
/// fn temp_read(arm: &mut Arm) -> Result<Temp, Failure> {
///     match arm.millivolt {
///         0 => Err(Failure("the sensor does not answer")),
///         mv => Ok(Temp { celsius: f32::from(mv) * 0.1 - 50.0 }),
///     }
/// }
///
/// static DEVICE: Device<Arm> = Device::new(
///     Identity::new("bench-arm", "1.0.0"),
///     catalog![arm_move, temp_read],
/// );
/// let [first, second] = DEVICE.tools().entries() else { panic!() };
/// assert_eq!(first.tool.name, "arm_move");
/// assert_eq!(first.tool.description, "Move one joint to an angle.");
/// assert!(first.tool.effects.actuates);
/// assert_eq!(second.tool.output.unwrap()[0].name, "celsius");
/// // The function is still one to call.
/// let mut arm = Arm { angles: [0.0; 6], millivolt: 0 };
/// assert!(temp_read(&mut arm).is_err());
/// ```
///
/// # Keys
///
/// | key | what |
/// | --- | --- |
/// | `read_only` | changes nothing |
/// | `actuates` | moves or switches something |
/// | `idempotent` | twice with the same arguments is the same as once |
/// | `destructive` | may destroy something that cannot be brought back |
/// | `requires(elicitation, sampling, roots)` | what the client must be able to do (M-025) |
/// | `asks` or `asks(open)` | asks its caller in mid-call (feature `input`); `open`: takes answers that it has not sealed a question for |
/// | `task`, `task(required)` or `task(after_input)` | a call of it becomes a task for a client that takes one (feature `tasks`); `required`: no other client is served; `after_input`: that too, and it asks before there is a task |
/// | `scopes = ..` | the scopes that a caller needs to see it, a `u32` (feature `scopes`) |
/// | `name = ".."` | name, where it is not the function's |
/// | `title = ".."` | name for people |
/// | `description = ".."` | description, where the doc comment is for programmers |
/// | `schema = ".."` | JSON Schema of the arguments as one line of text, advertised unchanged (M-113) |
///
/// Under `schema` the core checks only that the arguments are an object in
/// which no name stands twice. The function takes no arguments by value; it
/// reads and checks `call.args().object()`:
///
/// ```
/// use agentmote::tool;
/// use agentmote::tool::{Answer, Call};
///
/// /// Add a number or a text.
/// #[tool(schema = r#"{"type":"object","properties":{"it":{"type":["number","string"]}}}"#)]
/// fn add(sum: &mut u64, call: &mut Call<'_>) -> Answer {
///     let it = call.args().object().and_then(|object| object.member("it"));
///     match it.and_then(|it| it.as_number()?.as_u64().ok()) {
///         Some(it) => *sum = sum.saturating_add(it),
///         None => return call.fail("it: not a whole number"),
///     }
///     call.format(format_args!("{sum}"))
/// }
/// # assert_eq!(<add>::ENTRY.tool.name, "add");
/// ```
///
/// # What does not build
///
/// A tool without a description (M-101):
/// ```compile_fail
/// # use agentmote::tool;
/// #[tool] // a doc comment
/// fn led_on(led: &mut bool) {
///     *led = true;
/// }
/// ```
///
/// Effects that exclude each other:
/// ```compile_fail,E0080
/// # use agentmote::tool;
/// /// Switch the light on.
/// #[tool(read_only, actuates)] // actuates
/// fn led_on(led: &mut bool) {
///     *led = true;
/// }
/// ```
///
/// A key that does not exist:
/// ```compile_fail
/// # use agentmote::tool;
/// /// Switch the light on.
/// #[tool(actuate)] // actuates
/// fn led_on(led: &mut bool) {
///     *led = true;
/// }
/// ```
///
/// A name with other characters than letters, digits, `_`, `-` and `.`, or
/// with more than 64 (M-102):
/// ```compile_fail,E0080
/// # use agentmote::tool;
/// /// Switch the light on.
/// #[tool(name = "led/on")] // "led.on"
/// fn led_on(led: &mut bool) {
///     *led = true;
/// }
/// ```
///
/// No application, or a third parameter beside arguments and call:
/// ```compile_fail
/// # use agentmote::tool;
/// /// Switch the light on.
/// #[tool]
/// fn led_on() {} // (_: &mut bool)
/// ```
/// ```compile_fail
/// # use agentmote::{ToolArgs, tool};
/// # #[derive(ToolArgs)]
/// # struct Args {}
/// /// Switch the light on.
/// #[tool]
/// fn led_on(_: &mut bool, _: Args, _: Args) {} // (_: &mut bool, _: Args)
/// ```
///
/// A method, an `async` function, a generic function, a result without a
/// name:
/// ```compile_fail
/// # use agentmote::tool;
/// # struct Led;
/// # impl Led {
/// /// Switch the light on.
/// #[tool] // outside of `impl`
/// fn led_on(&mut self) {}
/// # }
/// ```
/// ```compile_fail
/// # use agentmote::tool;
/// /// Switch the light on.
/// #[tool]
/// async fn led_on(_: &mut bool) {} // fn
/// ```
/// ```compile_fail
/// # use agentmote::tool;
/// /// Switch the light on.
/// #[tool]
/// fn led_on<L>(_: &mut L) {} // bool
/// ```
/// ```compile_fail
/// # use agentmote::tool;
/// # use agentmote::tool::IntoAnswer;
/// /// Switch the light on.
/// #[tool]
/// fn led_on(_: &mut bool) -> impl IntoAnswer {} // ()
/// ```
///
/// Arguments by value beside a schema, and a schema that is no object on one
/// line:
/// ```compile_fail
/// # use agentmote::{ToolArgs, tool};
/// # #[derive(ToolArgs)]
/// # struct Args {}
/// /// Switch the light on.
/// #[tool(schema = r#"{"type":"object"}"#)] // no schema
/// fn led_on(_: &mut bool, _: Args) {}
/// ```
/// ```compile_fail,E0080
/// # use agentmote::tool;
/// /// Switch the light on.
/// #[tool(schema = "true")] // {}
/// fn led_on(_: &mut bool) {}
/// ```
#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    let entry = tool::expand(attr.into(), &function).unwrap_or_else(Error::into_compile_error);
    quote::quote!(#function #entry).into()
}

fn expand(
    input: &DeriveInput,
    derive: fn(&DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    derive(input)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}
