//! The server that the public conformance suites test: the tools,
//! resources and prompts that their scenarios ask for by name. One `no_std`-clean table on the core.

use core::task::Poll;

use agentmote::json::Text;
use agentmote::mcp::{Device, Identity};
use agentmote::prompt::{Argument, Prompt};
use agentmote::resource::{Cache, Resource};
use agentmote::tool::{
    Answer, Call, Data, Decimal, Form, InputRequest, InputResponse, Level, Literal, Param, Type,
};
use agentmote::{ToolArgs, catalog, tool};

/// What the fixture acts on.
#[derive(Debug, Default)]
pub struct Fixture {
    /// How often `test://watched-resource` was changed.
    pub changes: u32,
}

/// What the fixture serves. A tool without parameters comes first, for the
/// header scenarios.
pub static DEVICE: Device<Fixture> = Device::new(
    Identity::new("agentmote-fixture", env!("CARGO_PKG_VERSION")),
    catalog![
        read_temperature,
        test_simple_text,
        test_image_content,
        test_audio_content,
        test_embedded_resource,
        test_multiple_content_types,
        test_error_handling,
        test_tool_with_progress,
        test_logging_tool,
        test_missing_capability,
        test_streaming_elicitation,
        json_schema_2020_12_tool,
        set_led,
        test_input_required_result_elicitation,
        test_input_required_result_sampling,
        test_input_required_result_list_roots,
        test_input_required_result_request_state,
        test_input_required_result_multiple_inputs,
        test_input_required_result_multi_round,
        test_input_required_result_tampered_state,
        test_input_required_result_capabilities,
        test_elicitation,
        test_elicitation_sep1034_defaults,
        test_elicitation_sep1330_enums,
        test_sampling,
        test_tool_with_logging,
        test_change_watched_resource,
    ],
)
.resources(&[
    Resource {
        title: "Static text",
        description: "A text in flash.",
        mime: "text/plain",
        cache: Cache {
            ttl_ms: 60_000,
            public: true,
        },
        ..Resource::new("test://static-text", "static-text", |_, reading| {
            reading.constant("This is the content of the static text resource.")
        })
    },
    Resource {
        description: "A picture in flash.",
        mime: "image/png",
        ..Resource::new("test://static-binary", "static-binary", |_, reading| {
            reading.bytes(Data::Static(PNG))
        })
    },
    Resource {
        description: "A number that a tool changes.",
        mime: "text/plain",
        watch: Some(|fixture, _| fixture.changes),
        ..Resource::new(
            "test://watched-resource",
            "watched-resource",
            |fixture: &mut Fixture, reading| reading.format(format_args!("{}", fixture.changes)),
        )
    },
])
.logging()
.templates(&[Resource {
    description: "Data by number.",
    mime: "application/json",
    ..Resource::new(
        "test://template/{id}/data",
        "template-data",
        |_, reading| match reading.get("id") {
            Some(id) => reading.format(format_args!(
                "{{\"id\":\"{id}\",\"templateTest\":true,\"data\":\"Data for ID: {id}\"}}"
            )),
            None => reading.missing(),
        },
    )
}])
.prompts(&[
    Prompt::new(
        "test_simple_prompt",
        "A prompt without arguments.",
        |_, messages| {
            messages.text("This is a simple prompt for testing.");
        },
    ),
    Prompt {
        arguments: &[
            Argument::new("arg1", "First argument.").values(&["test1", "test2", "other"]),
            Argument::new("arg2", "Second argument."),
        ],
        ..Prompt::new(
            "test_prompt_with_arguments",
            "A prompt with two arguments.",
            |_, messages| {
                if let (Some(arg1), Some(arg2)) = (messages.get("arg1"), messages.get("arg2")) {
                    messages.format(format_args!(
                        "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
                    ));
                }
            },
        )
    },
    Prompt {
        arguments: &[Argument::new("resourceUri", "URI of the resource.")],
        ..Prompt::new(
            "test_prompt_with_embedded_resource",
            "A prompt that holds a resource.",
            |_, messages| {
                match messages.get("resourceUri").and_then(Text::as_str) {
                    Some(uri) => messages.resource_text(
                        uri,
                        "text/plain",
                        "Embedded resource content for testing.",
                    ),
                    None => return messages.fail("the URI has an escape"),
                }
                messages.text("Please process the embedded resource above.");
            },
        )
    },
    Prompt::new(
        "test_prompt_with_image",
        "A prompt that holds a picture.",
        |_, messages| {
            messages.image(Data::Static(PNG), "image/png");
            messages.text("Please analyze the image above.");
        },
    ),
    Prompt::new(
        "test_input_required_result_prompt",
        "A prompt that asks for its context.",
        |_, messages| {
            let asked = InputRequest::Elicit {
                message: "What context should the prompt use?",
                form: CONTEXT,
            };
            if let Some(answer) = messages.ask("user_context", asked) {
                messages.format(format_args!("Use this context: {}", text_of(&answer)));
            }
        },
    ),
]);

const fn text(name: &'static str) -> Param {
    Param::string(name, "", 100)
}

const CONTEXT: Form = Form::new(&[text("context")]);
const NAME: Form = Form::new(&[text("name")]);
const COLOR: Form = Form::new(&[text("color")]);
const OK: Form = Form::new(&[Param::new("ok", "", Type::Boolean)]);

/// The first field of a form; empty if it was not filled in.
fn text_of<'a>(answer: &InputResponse<'a>) -> Text<'a> {
    answer.get(0).unwrap_or_default()
}

/// A picture of one red dot: PNG, 1 by 1 pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xDE, 0, 0, 0, 12, b'I', b'D', b'A', b'T',
    0x08, 0xD7, 0x63, 0xF8, 0xCF, 0xC0, 0, 0, 3, 1, 1, 0, 0x18, 0xDD, 0x8D, 0xB0, 0, 0, 0, 0, b'I',
    b'E', b'N', b'D', 0xAE, 0x42, 0x60, 0x82,
];

/// A sound of no samples: WAV, 8 kHz, 8 bits, mono.
const WAV: &[u8] = &[
    b'R', b'I', b'F', b'F', 36, 0, 0, 0, b'W', b'A', b'V', b'E', b'f', b'm', b't', b' ', 16, 0, 0,
    0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0, b'd', b'a', b't', b'a', 0, 0, 0,
    0,
];

/// Reads a temperature.
#[tool(read_only)]
fn read_temperature(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.text("21.5")
}

/// Answers a text.
#[tool(read_only)]
fn test_simple_text(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.text("This is a simple text response for testing.")
}

/// Answers a picture.
#[tool(read_only)]
fn test_image_content(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.image(Data::Static(PNG), "image/png")
}

/// Answers a sound.
#[tool(read_only)]
fn test_audio_content(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.audio(Data::Static(WAV), "audio/wav")
}

/// Answers a resource in place.
#[tool(read_only)]
fn test_embedded_resource(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.resource_text(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    )
}

/// Answers a text, a picture and a resource.
#[tool(read_only)]
fn test_multiple_content_types(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    let _ = call.text("Multiple content types test:");
    let _ = call.image(Data::Static(PNG), "image/png");
    call.resource_text(
        "test://mixed-content-resource",
        "application/json",
        "{\"test\":\"data\",\"value\":123}",
    )
}

/// Fails.
#[tool(read_only)]
fn test_error_handling(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.fail("This tool intentionally returns an error for testing")
}

/// Reports progress three times, then answers.
#[tool(read_only)]
fn test_tool_with_progress(_: &mut Fixture, call: &mut Call<'_>) -> Poll<Answer> {
    if call.step() < 3 {
        call.progress(call.step() * 50, 100);
        call.wake_after(5);
        return Poll::Pending;
    }
    Poll::Ready(call.text("done"))
}

/// Answers a text and logs nothing.
#[tool(read_only)]
fn test_logging_tool(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.text("nothing was logged")
}

/// Needs a client that can ask its model.
#[tool(read_only, requires(sampling))]
fn test_missing_capability(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.text("the client can sample")
}

/// Needs a client that can ask its user.
#[tool(read_only, requires(elicitation))]
fn test_streaming_elicitation(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.text("the client can elicit")
}

/// Takes a schema with keywords beyond the descriptor.
#[tool(
    read_only,
    schema = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}"##
)]
fn json_schema_2020_12_tool(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.text("the arguments are the handler's to check")
}

#[derive(ToolArgs)]
struct SetLed {
    /// Colour of the light.
    #[arg(header = "Color", length = ..=32)]
    color: heapless::String<128>,
}

/// Sets the colour of a light.
#[tool(idempotent)]
fn set_led(_: &mut Fixture, args: SetLed, call: &mut Call<'_>) -> Answer {
    call.text(&args.color)
}

/// Asks the user for a name.
#[tool(read_only, asks(open))]
fn test_input_required_result_elicitation(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    match call.elicit("user_name", "What is your name?", NAME) {
        Some(answer) => call.format(format_args!("Hello, {}!", text_of(&answer))),
        None => call.need_input(),
    }
}

const CAPITAL: InputRequest<'_> = InputRequest::Sample {
    message: "What is the capital of France?",
    max_tokens: 100,
};

/// Asks the client's model.
#[tool(read_only, asks)]
fn test_input_required_result_sampling(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    match call.ask("capital_question", CAPITAL) {
        Some(answer) => call.format(format_args!("{}", answer.text().unwrap_or_default())),
        None => call.need_input(),
    }
}

/// Asks the client for its roots.
#[tool(read_only, asks)]
fn test_input_required_result_list_roots(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    match call.ask("client_roots", InputRequest::ListRoots) {
        Some(answer) => {
            let roots = answer.value().member("roots");
            let count = roots.map_or(0, |roots| roots.elements().count());
            call.format(format_args!("{count} roots"))
        }
        None => call.need_input(),
    }
}

/// Asks for a confirmation, and tells that the state came back whole.
#[tool(read_only, asks)]
fn test_input_required_result_request_state(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    call.remember(7);
    match call.elicit("confirm", "Please confirm", OK) {
        Some(_) if call.memo() == 7 => call.text("state-ok"),
        Some(_) => call.fail("the state was lost"),
        None => call.need_input(),
    }
}

/// Asks three questions of three kinds at once.
#[tool(read_only, asks)]
fn test_input_required_result_multiple_inputs(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    let greeting = InputRequest::Sample {
        message: "Generate a greeting",
        max_tokens: 50,
    };
    let name = call.elicit("user_name", "What is your name?", NAME);
    let greeting = call.ask("greeting", greeting);
    let roots = call.ask("client_roots", InputRequest::ListRoots);
    match (name, greeting, roots) {
        (Some(name), Some(greeting), Some(_)) => call.format(format_args!(
            "{} {}",
            greeting.text().unwrap_or_default(),
            text_of(&name)
        )),
        _ => call.need_input(),
    }
}

/// Asks twice, one after the other.
#[tool(read_only, asks)]
fn test_input_required_result_multi_round(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    if call.memo() == 0 {
        if call
            .elicit("step1", "Step 1: What is your name?", NAME)
            .is_none()
        {
            return call.need_input();
        }
        call.remember(1);
    }
    match call.elicit("step2", "Step 2: What is your favorite color?", COLOR) {
        Some(answer) => call.format(format_args!("{} it is", text_of(&answer))),
        None => call.need_input(),
    }
}

/// Asks for a confirmation.
#[tool(read_only, asks)]
fn test_input_required_result_tampered_state(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    match call.elicit("confirm", "Please confirm", OK) {
        Some(_) => call.text("confirmed"),
        None => call.need_input(),
    }
}

/// Asks what the client can be asked.
#[tool(read_only, asks)]
fn test_input_required_result_capabilities(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    let client = call.client();
    let name = (client.elicitation).then(|| call.elicit("user_name", "What is your name?", NAME));
    let capital = (client.sampling).then(|| call.ask("capital_question", CAPITAL));
    if matches!(name, Some(None)) || matches!(capital, Some(None)) {
        return call.need_input();
    }
    call.text("asked")
}

#[derive(ToolArgs)]
struct Asked {
    /// What the user reads.
    #[arg(length = ..=100)]
    message: heapless::String<400>,
}

/// Asks the user for a name and an address.
#[tool(read_only, asks)]
fn test_elicitation(_: &mut Fixture, args: Asked, call: &mut Call<'_>) -> Answer {
    const FORM: Form = Form::new(&[
        Param::string("username", "User's response", 100),
        Param::string("email", "User's email address", 100),
    ]);
    match call.elicit("user", &args.message, FORM) {
        Some(answer) => told(call, "User response", &answer),
        None => call.need_input(),
    }
}

fn told(call: &mut Call<'_>, what: &str, answer: &InputResponse<'_>) -> Answer {
    let content = core::str::from_utf8(answer.value().raw()).unwrap_or("?");
    call.format(format_args!(
        "{what}: action={:?}, content={content}",
        answer.action()
    ))
}

/// Asks the user for values of every kind, each with a default.
#[tool(read_only, asks)]
fn test_elicitation_sep1034_defaults(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    const FORM: Form = Form::new(&[
        text("name").or(Literal::Text("John Doe")),
        Param::integer("age", "", 0, 150).or_integer(30),
        Param::number("score", "", 0.0, 100.0).or(Literal::Number(Decimal::new(95.5))),
        Param::choice("status", "", &["active", "inactive", "pending"]).or(Literal::Text("active")),
        Param::new("verified", "", Type::Boolean).or(Literal::Boolean(true)),
    ]);
    match call.elicit("defaults", "Please check these values", FORM) {
        Some(answer) => told(call, "Elicitation completed", &answer),
        None => call.need_input(),
    }
}

/// Asks the user to choose in each of the five ways.
#[tool(read_only, asks)]
fn test_elicitation_sep1330_enums(_: &mut Fixture, call: &mut Call<'_>) -> Answer {
    const FORM: Form = Form::schema(
        r#"{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}"#,
    );
    match call.elicit("choices", "Please choose", FORM) {
        Some(answer) => told(call, "Elicitation completed", &answer),
        None => call.need_input(),
    }
}

#[derive(ToolArgs)]
struct Prompted {
    /// What the model reads.
    #[arg(length = ..=100)]
    prompt: heapless::String<400>,
}

/// Asks the client's model.
#[tool(read_only, asks)]
fn test_sampling(_: &mut Fixture, args: Prompted, call: &mut Call<'_>) -> Answer {
    let asked = InputRequest::Sample {
        message: &args.prompt,
        max_tokens: 100,
    };
    match call.ask("response", asked) {
        Some(answer) => call.format(format_args!(
            "LLM response: {}",
            answer.text().unwrap_or_default()
        )),
        None => call.need_input(),
    }
}

/// Logs three times, then answers.
#[tool(read_only)]
fn test_tool_with_logging(_: &mut Fixture, call: &mut Call<'_>) -> Poll<Answer> {
    const SAID: [&str; 3] = [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ];
    if let Some(said) = SAID.get(call.step() as usize) {
        call.log(Level::Info, format_args!("{said}"));
        call.wake_after(50);
        return Poll::Pending;
    }
    Poll::Ready(call.text("logged"))
}

/// Changes the resource that can be subscribed to.
#[tool]
fn test_change_watched_resource(fixture: &mut Fixture, call: &mut Call<'_>) -> Answer {
    fixture.changes = fixture.changes.wrapping_add(1);
    call.text("changed")
}
