//! `resource` and `prompt`: tables that use everything a reader and a renderer
//! can do. They are reached through the connections of `served`.

use agentmote::prompt::{Argument, Prompt, Rendering};
use agentmote::resource::{Cache, Read, Reading, Resource};
use agentmote::tool::{Data, InputRequest};

use crate::tool::App;

static PICTURE: [u8; 300] = [0xA5; 300];

pub(crate) static RESOURCES: [Resource<App>; 2] = [
    Resource {
        title: "Counted",
        description: "How often the arm has moved.",
        mime: "application/json",
        cache: Cache {
            ttl_ms: 1000,
            public: true,
        },
        watch: Some(|app, now| app.moved.wrapping_add(now.as_millis() as u32)),
        ..Resource::new("device://moved", "moved", moved)
    },
    Resource::new("device://picture", "picture", picture),
];

pub(crate) static TEMPLATES: [Resource<App>; 1] = [Resource::new(
    "device://joint/{joint}/{axis}.json",
    "joint",
    joint,
)];

pub(crate) static PROMPTS: [Prompt<App>; 3] = [
    Prompt {
        title: "Asks",
        arguments: &[
            Argument::new("who", "Whom.").values(&["a", "b\u{e9}"]),
            Argument::new("what", "").optional(),
        ],
        ..Prompt::new("ask", "Asks somebody.", ask)
    },
    Prompt::new("never", "", never),
    Prompt::new("roots", "", roots),
];

fn roots(_: &mut App, messages: &mut Rendering<'_>) {
    if let Some(roots) = messages.ask("roots", InputRequest::ListRoots) {
        messages.text(if roots.value().member("roots").is_some() {
            "some"
        } else {
            "none"
        });
    }
}

fn moved(app: &mut App, reading: &mut Reading<'_>) -> Read {
    if app.moved == 0 {
        return reading.fail("it has not moved");
    }
    let _ = reading.text(reading.uri());
    reading.json(&[app.moved, reading.now().as_millis() as u32])
}

fn picture(_: &mut App, reading: &mut Reading<'_>) -> Read {
    let _ = reading.constant("a picture");
    let _ = reading.bytes(Data::Copied(&[1, 2, 3]));
    reading.bytes(Data::Static(&PICTURE))
}

fn joint(app: &mut App, reading: &mut Reading<'_>) -> Read {
    match (reading.get("joint"), reading.get("axis")) {
        (Some(_), Some(_)) if reading.parse::<u8>("joint") == Some(9) => reading.missing(),
        (Some(joint), Some(axis)) => reading.format(format_args!("{joint} {axis} {}", app.moved)),
        _ => reading.missing(),
    }
}

fn ask(app: &mut App, messages: &mut Rendering<'_>) {
    match (messages.get("who"), messages.get("what")) {
        (Some(who), None) => messages.format(format_args!("{who} {}", app.moved)),
        _ => messages.text("nobody"),
    }
    if messages.now().as_millis() == 7 {
        messages
            .assistant()
            .image(Data::Static(&PICTURE), "image/png");
    }
    messages.resource_text("device://moved", "text/plain", "0\n");
    messages.resource_blob("device://picture", "", Data::Static(&PICTURE));
}

fn never(_: &mut App, messages: &mut Rendering<'_>) {
    messages.fail("never");
}
