//! `tool`: a catalog with every type of parameter and every kind of answer.

use core::hint::black_box;

use agentmote::buf::Sink;
use agentmote::json::{Text, parse};
use agentmote::mcp::{Device, Identity};
use agentmote::tool::{
    self, Action, Answer, Arg, Asks, Blocks, Call, Capabilities, Catalog, Data, Decimal, Effects,
    Entry, Failure, Form, Handler, Input, InputRequest, IntoAnswer, Level, Literal, Outcome,
    Output, Param, Piece, TaskSupport, Tool, ToolResult, Type,
};
use serde::Serialize;

use crate::offered;

/// What the handlers act on.
pub(crate) struct App {
    pub(crate) moved: u32,
}

pub(crate) static DEVICE: Device<App> = Device::new(
    Identity {
        title: "Probe",
        instructions: "None.",
        ..Identity::new("probe", "1")
    },
    &ENTRIES,
)
.resources(&offered::RESOURCES)
.templates(&offered::TEMPLATES)
.prompts(&offered::PROMPTS)
.page_bytes(400)
.ttl_ms(60_000)
.watch_ms(5)
.logging()
.shows(|app, caller, tool| tool.polled || app.moved != caller.id);

const fn entry(tool: Tool, run: Handler<App>) -> Entry<App> {
    Entry { tool, run }
}

static ENTRIES: [Entry<App>; 9] = [
    entry(
        Tool {
            title: "Every type",
            input: Input::Params(PARAMS),
            output: Some(SHAPE),
            effects: Effects {
                actuates: true,
                destructive: true,
                idempotent: true,
                read_only: false,
            },
            ..Tool::new("every_type", "Takes one parameter of every type.")
        },
        every_type,
    ),
    entry(
        Tool {
            polled: true,
            task: TaskSupport::Optional,
            ..Tool::new("slow", "Takes its time.")
        },
        slow,
    ),
    entry(
        Tool {
            input: Input::Schema("{\"type\":\"object\"}"),
            ..Tool::new("raw", "Checks its arguments itself.")
        },
        raw,
    ),
    entry(
        Tool::new("blocks", "Answers with every kind of block."),
        blocks,
    ),
    entry(
        Tool {
            requires: Capabilities {
                elicitation: true,
                ..Capabilities::NONE
            },
            ..Tool::new("asks", "Needs a client that can ask.")
        },
        fails,
    ),
    entry(Tool::new("silent", "Forgets to answer."), silent),
    entry(
        Tool {
            asks: Asks::Sealed,
            task: TaskSupport::Required,
            scopes: 4,
            ..Tool::new("sure", "Asks whether to go on.")
        },
        sure,
    ),
    entry(
        Tool {
            asks: Asks::Open,
            polled: true,
            task: TaskSupport::AfterInput,
            input: Input::Schema("{\"type\":\"object\"}"),
            ..Tool::new("curious", "Asks everything.")
        },
        curious,
    ),
    entry(Tool::new("rude", "Asks without being declared to."), sure),
];

fn sure(_: &mut App, call: &mut Call<'_>) -> Answer {
    match call.confirm("sure", "Are you sure?") {
        Some(true) => call.text("done"),
        Some(false) => call.fail("not done"),
        None => call.need_input(),
    }
}

fn curious(app: &mut App, call: &mut Call<'_>) -> Answer {
    const FORM: Form = Form::new(&[
        Param::string("text", "", 8),
        Param::number("real", "", -1.0, 1.0),
    ]);
    const RAW: Form = Form::schema("{\"type\":\"object\"}");
    let told = call.elicit("told", "Tell.", FORM);
    let raw = call.ask(
        "raw",
        InputRequest::Elicit {
            message: "Tell more.",
            form: RAW,
        },
    );
    let sampled = call.ask(
        "sampled",
        InputRequest::Sample {
            message: "Think.",
            max_tokens: 9,
        },
    );
    let roots = (call.client().roots).then(|| call.ask("roots", InputRequest::ListRoots));
    let (Some(told), Some(raw), Some(sampled)) = (told, raw, sampled) else {
        call.remember(app.moved);
        return call.need_input();
    };
    if told.action() != Action::Accept || roots.is_some_and(|roots| roots.is_none()) {
        return call.fail(call.client().and(Capabilities::NONE).first_name());
    }
    if !call.is_task() {
        return call.need_input();
    }
    let text: Option<Text<'_>> = told.get(0);
    let bytes = raw.value().raw().len();
    let said = sampled.text().map_or(0, Text::char_count);
    let chars = text.map_or(0, Text::char_count);
    call.format(format_args!("{chars} {bytes} {said} {}", call.place()))
}

const PARAMS: &[Param] = &[
    Param::boolean("flag", "A boolean.").header("Flag"),
    Param::integer("whole", "An integer.", -5, 5)
        .unit("deg")
        .or_integer(1),
    Param::new("wide", "Any integer.", Type::INTEGER).optional(),
    Param::number("real", "A number.", -1.5, 1.5).or(Literal::Number(Decimal::new(0.5))),
    Param::new("any", "Any number.", Type::NUMBER).optional(),
    Param::string("text", "A text.", 16).header("Text"),
    Param::choice("choice", "One of two.", &["a", "b"]).or(Literal::Text("a")),
    Param::new(
        "list",
        "Numbers.",
        Type::Array {
            items: &Type::NUMBER,
            min: 1,
            max: 4,
        },
    ),
    Param::new(
        "nested",
        "Objects in a list in an object.",
        Type::Object(&[
            Param::boolean("on", "").or(Literal::Boolean(true)),
            Param::new(
                "points",
                "",
                Type::Array {
                    items: &Type::Object(&[
                        Param::integer("x", "", 0, 9),
                        Param::string("s", "", 4),
                    ]),
                    min: 0,
                    max: 3,
                },
            ),
        ]),
    )
    .optional(),
];

const SHAPE: &[Param] = &[
    Param::number("real", "", -10.0, 10.0),
    Param::new("whole", "", Type::INTEGER),
    Param::string("text", "", 64).optional(),
];

#[derive(Serialize)]
struct Seen<'a> {
    real: f64,
    whole: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

impl ToolResult for Seen<'_> {
    const SHAPE: &'static [Param] = SHAPE;
}

fn every_type(app: &mut App, call: &mut Call<'_>) -> Answer {
    app.moved = app.moved.wrapping_add(1);
    let small: Option<u8> = call.get(1);
    let sum = [
        small.map(i64::from),
        call.get::<u16>(2).map(i64::from),
        call.get::<u32>(2).map(i64::from),
        call.get::<i8>(2).map(i64::from),
        call.get::<i16>(2).map(i64::from),
        call.get::<i32>(2).map(i64::from),
        call.get::<i64>(2),
        call.get::<u64>(2).map(|value| value as i64),
        call.get::<bool>(0).map(i64::from),
    ];
    let sum = sum.into_iter().flatten().fold(0, i64::wrapping_add);
    let real =
        call.get::<f64>(3).unwrap_or_default() + f64::from(call.get::<f32>(4).unwrap_or_default());
    let list: heapless::Vec<f32, 4> = call.get(7).unwrap_or_default();
    let fixed: Option<[f32; 2]> = call.get(7);
    let choice: Option<heapless::String<16>> = call.get(6);
    let text: Option<Text<'_>> = call.get(5);
    let maybe: Option<Option<i64>> = call.get(2);
    let nested = call.args().value(8).and_then(|value| value.member("on"));
    if fixed.is_some() && maybe.is_none() && nested.is_none() {
        return Err::<(), _>(Failure("odd")).into_answer(call);
    }
    if choice.as_deref() == Some("b") && !list.absent() && !sum.absent() {
        let seen = Seen {
            real,
            whole: sum,
            text: text.and_then(Text::as_str),
        };
        return seen.into_answer(call);
    }
    call.structured(&Seen {
        real,
        whole: sum,
        text: None,
    })
}

fn slow(app: &mut App, call: &mut Call<'_>) -> Answer {
    if call.is_cancelled() {
        app.moved = 0;
        return ().into_answer(call);
    }
    call.remember(call.memo().wrapping_add(1));
    for level in Level::ALL {
        if call.logs(level) {
            call.log(level, format_args!("{} {}", level.name(), call.step()));
        }
    }
    call.progress(call.step(), 3);
    call.wake_after(app.moved);
    let ready = call.step() > call.place() as u32 || call.now().as_millis() == 7;
    let poll = if ready {
        core::task::Poll::Ready(Ok::<(), Failure>(()))
    } else {
        core::task::Poll::Pending
    };
    let answer = poll.into_answer(call);
    if answer.is_pending() {
        answer
    } else {
        call.text("at last")
    }
}

fn raw(_: &mut App, call: &mut Call<'_>) -> Answer {
    let object = call.args().object();
    match object.and_then(|object| object.member("x")) {
        Some(value) => match u8::from_value(value) {
            Some(small) => call.format(format_args!("{small}")),
            None => call.fail_with(format_args!("{} bytes", value.raw().len())),
        },
        None => call.fail("no x"),
    }
}

static PICTURE: [u8; 300] = [0x5A; 300];

fn blocks(_: &mut App, call: &mut Call<'_>) -> Answer {
    let _ = call.text("text \u{1F600}");
    let _ = call.image(Data::Static(&PICTURE), "image/png");
    let _ = call.audio(Data::Copied(&[1, 2, 3]), "audio/wav");
    let drafted = call.draft(0, |sink| sink.byte(b'{'));
    let drafted = call.draft(drafted, |sink| sink.byte(b'}'));
    let _ = call.drafted(drafted);
    let _ = call.link("device://a", "a", "text/plain");
    let _ = call.resource_text("device://b", "text/plain", "b\n");
    call.resource_blob("device://c", "", Data::Static(&PICTURE))
}

fn fails(_: &mut App, call: &mut Call<'_>) -> Answer {
    Err::<(), _>(Failure::from("cannot")).into_answer(call)
}

fn silent(app: &mut App, call: &mut Call<'_>) -> Answer {
    // A tool that is not declared to take its time, but does.
    if app.moved == 0 {
        return core::task::Poll::<()>::Pending.into_answer(call);
    }
    call.text("")
}

/// Tables that are known only at run time, as those of the C interface: the
/// rules that are broken are values.
pub(crate) fn built(input: &[u8], out: &mut [u8]) -> usize {
    let ([at, digit], _) = crate::pick(input);
    let mut sink = Sink::new(out);
    let entries: &'static [Entry<App>] = black_box(&ENTRIES);
    let identity = Identity::new(black_box("probe"), black_box("1"));
    let device = Device::checked(identity, entries)
        .and_then(|device| {
            device.checked_resources(
                black_box(&offered::RESOURCES),
                black_box(&offered::TEMPLATES),
            )
        })
        .and_then(|device| device.checked_prompts(black_box(&offered::PROMPTS)))
        .and_then(|device| device.checked_shows(|app, _, _| app.moved != 0));
    let broken = match (device, Catalog::checked(entries)) {
        (Ok(device), Ok(catalog)) => device.tools().entries().len() == catalog.entries().len(),
        (Err(broken), _) | (_, Err(broken)) => {
            sink.text(broken.who);
            sink.text(broken.rule);
            false
        }
    };
    if let Some(rule) = entries
        .get(at)
        .and_then(|entry| tool::broken_rule(&entry.tool))
    {
        sink.text(rule);
    }
    if let Err(rule) = Form::checked_schema(black_box("{}")) {
        sink.text(rule);
    }
    if let Err(rule) = Form::checked(black_box(PARAMS)) {
        sink.text(rule);
    }
    let number = Decimal::checked(digit as f64 / 7.0);
    sink.filled() + usize::from(broken) + usize::from(number.is_some())
}

/// The check, the schema and the book-keeping of results, called by
/// themselves.
pub(crate) fn checked(input: &[u8], out: &mut [u8]) -> usize {
    let ([at], input) = crate::pick(input);
    let catalog: &Catalog<App> = DEVICE.tools();
    let Some(entry) = catalog.entries().get(at) else {
        return 0;
    };
    let mut sink = Sink::new(out);
    sink.text(entry.tool.name);
    if let Input::Params(params) = entry.tool.input {
        tool::write_schema(&mut sink, params);
    }
    let Ok(value) = parse(input) else {
        return sink.filled();
    };
    if let Some(args) = tool::check(&entry.tool, Some(value), Some(&mut sink)) {
        let decoded = <() as tool::ToolArgs<'_>>::decode(&args).is_some();
        let first: Option<bool> = args.get(at);
        if decoded && first == Some(true) && args.object().is_some() && args.value(at).is_some() {
            sink.byte(b'+');
        }
    }
    for param in entry.tool.params() {
        sink.text(param.ty.noun());
        if let Type::Number { min, .. } = param.ty {
            agentmote::json::write::bool(&mut sink, min.is_finite() && min.value() < 0.0);
        }
    }
    if tool::check_result(SHAPE, value, Some(&mut sink)) {
        sink.byte(b'=');
    }
    let missing = entry.tool.requires.missing(Capabilities::NONE);
    if missing.is_none() {
        sink.byte(b'-');
    }
    let mut outcome = Outcome::default();
    outcome.clear();
    for piece in outcome.pieces(input) {
        if let Piece::Text(text) = piece {
            sink.text(text);
        }
    }
    let blocks = Blocks {
        audio: outcome.failed(),
        links: at == 0,
    };
    sink.filled() + usize::from(blocks.audio)
}
