//! What is sent, as a small value that writes the same bytes each time.

use super::code::Fault;
use super::device::{Device, Shown};
#[cfg(feature = "input")]
use super::input::{self, RequestState};
#[cfg(feature = "prompts")]
use super::prompts;
#[cfg(feature = "resources")]
use super::resources;
use super::revision::Version;
#[cfg(feature = "tasks")]
use super::tasks::EXTENSION;
use super::tools;
use crate::buf::{Sink, Span};
#[cfg(feature = "prompts")]
use crate::json::Text;
use crate::json::write;
#[cfg(feature = "resources")]
use crate::resource::{At, Cache};
use crate::rpc;
#[cfg(feature = "logging")]
use crate::tool::Level;
#[cfg(any(feature = "resources", feature = "prompts"))]
use crate::tool::Piece;
#[cfg(any(feature = "resources", feature = "prompts"))]
use crate::tool::Sight;
use crate::tool::{Outcome, Progress};

/// An answer. Its spans lie in the buffer of the message that it answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply {
    /// The id, as it was written; empty if none could be read.
    pub id: Span,
    pub version: Version,
    pub body: Body,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    /// A result without members of its own.
    Empty,
    /// With whether the client can be told of changes.
    Initialize {
        told: bool,
    },
    Discover {
        /// Whether calls become tasks here.
        #[cfg(feature = "tasks")]
        tasks: bool,
    },
    /// The tools at these places.
    Tools {
        from: u8,
        to: u8,
        shown: Shown,
    },
    #[cfg(feature = "resources")]
    Resources {
        from: u8,
        to: u8,
        sight: Sight,
    },
    #[cfg(feature = "resources")]
    Templates {
        from: u8,
        to: u8,
        sight: Sight,
    },
    /// What the reading of this resource left in the result buffer; the URI
    /// is raw.
    #[cfg(feature = "resources")]
    Contents {
        at: At,
        uri: Span,
    },
    #[cfg(feature = "prompts")]
    Prompts {
        from: u8,
        to: u8,
        sight: Sight,
    },
    /// What this prompt left in the result buffer, of these arguments.
    #[cfg(feature = "prompts")]
    Messages {
        at: u8,
        arguments: Span,
        #[cfg(feature = "input")]
        retry: super::input::Retry,
    },
    /// The questions that a handler left in the result buffer.
    #[cfg(feature = "input")]
    InputRequired(Option<RequestState>),
    /// Those of these values that begin with what was typed; that is raw.
    #[cfg(feature = "prompts")]
    Completion {
        values: &'static [&'static str],
        typed: Span,
    },
    /// What the handler left in the connection's result buffer.
    Outcome,
    Fault(Fault),
}

impl Body {
    /// Whether it is a question instead of a result.
    #[cfg(feature = "input")]
    fn asks(self) -> bool {
        matches!(self, Self::InputRequired(_))
    }

    #[cfg(not(feature = "input"))]
    const fn asks(self) -> bool {
        false
    }
}

#[cfg(any(feature = "resources", feature = "prompts"))]
impl Body {
    /// Whether the application gives it, and may fail to.
    fn is_given(self) -> bool {
        match self {
            #[cfg(feature = "resources")]
            Self::Contents { .. } => true,
            #[cfg(feature = "prompts")]
            Self::Messages { .. } => true,
            _ => false,
        }
    }
}

/// Writes an answer. `message` is the buffer that its spans lie in, `result`
/// the buffer of the handler's result.
pub(crate) fn write_reply<App>(
    out: &mut Sink<'_>,
    device: &Device<App>,
    reply: Reply,
    message: &[u8],
    outcome: &Outcome,
    result: &[u8],
) {
    rpc::open_answer(out, reply.id.get(message));
    if let Body::Fault(fault) = reply.body {
        out.text(",\"error\":");
        fault.write(out, message);
        out.byte(b'}');
        return;
    }
    #[cfg(any(feature = "resources", feature = "prompts"))]
    if reply.body.is_given() && outcome.failed() {
        return write_failure(out, outcome, result);
    }
    out.text(",\"result\":{");
    let modern = reply.version.is_modern();
    if modern && !reply.body.asks() {
        out.text("\"resultType\":\"complete\"");
        if !matches!(reply.body, Body::Empty) {
            out.byte(b',');
        }
    }
    let mut cached = None;
    let listed = Some((device.ttl_ms, true));
    match reply.body {
        Body::Empty | Body::Fault(_) => {}
        Body::Initialize { told } => {
            out.text("\"protocolVersion\":");
            write::name(out, reply.version.text());
            write_capabilities(out, device, told, false);
            out.text(",\"serverInfo\":");
            write_identity(out, device, reply.version.has_structured());
            write_instructions(out, device);
        }
        Body::Discover {
            #[cfg(feature = "tasks")]
            tasks,
        } => {
            #[cfg(not(feature = "tasks"))]
            let tasks = false;
            for (i, version) in Version::ALL.into_iter().enumerate() {
                out.text(if i == 0 {
                    "\"supportedVersions\":["
                } else {
                    ","
                });
                write::name(out, version.text());
            }
            out.byte(b']');
            write_capabilities(out, device, true, tasks);
            write_instructions(out, device);
            cached = listed;
        }
        Body::Tools { from, to, shown } => {
            tools::tools(device, reply.version, shown).write_page(out, "tools", from, to);
            cached = listed;
            #[cfg(feature = "scopes")]
            if device.is_filtered() {
                cached = Some((device.ttl_ms, false));
            }
            #[cfg(feature = "policy")]
            if shown.is_own() {
                cached = Some((device.ttl_ms, false));
            }
        }
        #[cfg(feature = "resources")]
        Body::Resources { from, to, sight } => {
            let list = resources::resources(device, reply.version, sight);
            list.write_page(out, "resources", from, to);
            cached = Some((device.ttl_ms, resources::is_public(device.resources)));
        }
        #[cfg(feature = "resources")]
        Body::Templates { from, to, sight } => {
            let list = resources::templates(device, reply.version, sight);
            list.write_page(out, "resourceTemplates", from, to);
            cached = Some((device.ttl_ms, resources::is_public(device.templates)));
        }
        #[cfg(feature = "resources")]
        Body::Contents { at, uri } => {
            let resource = device.resource(at);
            let mime = resource.map_or("", |resource| resource.mime);
            resources::write_contents(out, mime, uri, message, outcome, result);
            let cache = resource.map_or(Cache::NONE, |resource| resource.cache);
            // What some may not read is in no cache for all.
            let public = cache.public && resource.is_none_or(|one| one.needs() == 0);
            cached = Some((cache.ttl_ms, public));
        }
        #[cfg(feature = "prompts")]
        Body::Prompts { from, to, sight } => {
            let list = prompts::prompts(device, reply.version, sight);
            list.write_page(out, "prompts", from, to);
            cached = Some((device.ttl_ms, prompts::is_public(device.prompts)));
        }
        #[cfg(feature = "prompts")]
        Body::Messages { at, .. } => {
            let description = device.prompt(at).map_or("", |prompt| prompt.description);
            prompts::write_messages(out, description, outcome, result);
        }
        #[cfg(feature = "prompts")]
        Body::Completion { values, typed } => {
            prompts::write_completion(out, values, Text::checked(typed.get(message)));
        }
        Body::Outcome => tools::write_result(out, outcome, result, reply.version),
        #[cfg(feature = "input")]
        Body::InputRequired(state) => input::write_requests(out, state.as_ref(), outcome, result),
    }
    if let (Some((ttl_ms, public)), true) = (cached, modern) {
        out.text(",\"ttlMs\":");
        write::u64(out, u64::from(ttl_ms));
        out.text(if public {
            ",\"cacheScope\":\"public\""
        } else {
            ",\"cacheScope\":\"private\""
        });
    }
    if modern {
        write_meta(out, device);
    }
    out.text("}}");
}

/// Writes what stands behind every result of the modern era.
pub(super) fn write_meta<App>(out: &mut Sink<'_>, device: &Device<App>) {
    out.text(",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
    write_identity(out, device, true);
    out.byte(b'}');
}

/// Writes what is served, and nothing that is not (M-036).
#[cfg(any(
    feature = "resources",
    feature = "prompts",
    feature = "logging",
    feature = "tasks"
))]
fn write_capabilities<App>(out: &mut Sink<'_>, device: &Device<App>, told: bool, tasks: bool) {
    let _ = (device, told, tasks);
    out.text(",\"capabilities\":{\"tools\":{");
    #[cfg(feature = "subscriptions")]
    if told && device.tools_change() {
        out.text("\"listChanged\":true");
    }
    out.byte(b'}');
    #[cfg(feature = "resources")]
    if device.has_resources() {
        out.text(",\"resources\":{");
        #[cfg(feature = "subscriptions")]
        if told && device.has_watched() {
            out.text("\"subscribe\":true");
        }
        out.byte(b'}');
    }
    #[cfg(feature = "prompts")]
    if !device.prompts.is_empty() {
        out.text(",\"prompts\":{}");
        if device.has_completions() {
            out.text(",\"completions\":{}");
        }
    }
    #[cfg(feature = "logging")]
    if told && device.logs {
        out.text(",\"logging\":{}");
    }
    #[cfg(feature = "tasks")]
    if tasks {
        out.text(",\"extensions\":{");
        write::name(out, EXTENSION);
        out.text(":{}}");
    }
    out.byte(b'}');
}

/// Tools alone are served: one text, which costs less flash.
#[cfg(not(any(
    feature = "resources",
    feature = "prompts",
    feature = "logging",
    feature = "tasks"
)))]
fn write_capabilities<App>(out: &mut Sink<'_>, _: &Device<App>, _: bool, _: bool) {
    out.text(",\"capabilities\":{\"tools\":{}}");
}

/// Writes the error of a reading or a prompt that could not be given: these
/// results have no place for a failure.
#[cfg(any(feature = "resources", feature = "prompts"))]
fn write_failure(out: &mut Sink<'_>, outcome: &Outcome, result: &[u8]) {
    out.text(",\"error\":{\"code\":");
    write::i64(out, i64::from(rpc::INTERNAL_ERROR));
    out.text(",\"message\":\"Internal error: ");
    if let Some(Piece::Text(reason)) = outcome.pieces(result).next() {
        write::escaped(out, reason.as_bytes());
    }
    out.text("\"}}");
}

fn write_identity<App>(out: &mut Sink<'_>, device: &Device<App>, titles: bool) {
    let identity = &device.identity;
    out.text("{\"name\":");
    write::name(out, identity.name);
    if titles && !identity.title.is_empty() {
        out.text(",\"title\":");
        write::string(out, identity.title);
    }
    out.text(",\"version\":");
    write::name(out, identity.version);
    out.byte(b'}');
}

fn write_instructions<App>(out: &mut Sink<'_>, device: &Device<App>) {
    if !device.identity.instructions.is_empty() {
        out.text(",\"instructions\":");
        write::string(out, device.identity.instructions);
    }
}

/// Writes one `notifications/message` (M-131).
#[cfg(feature = "logging")]
pub(crate) fn write_log(out: &mut Sink<'_>, level: Level, text: &str) {
    out.text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":");
    write::name(out, level.name());
    out.text(",\"data\":");
    write::string(out, text);
    out.text("}}");
}

/// Writes one `notifications/progress` (M-126): the token as it was written.
pub(crate) fn write_progress(out: &mut Sink<'_>, token: &[u8], progress: Progress) {
    out.text(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":",
    );
    out.put(token);
    out.text(",\"progress\":");
    write::u64(out, u64::from(progress.done));
    if progress.total != 0 {
        out.text(",\"total\":");
        write::u64(out, u64::from(progress.total));
    }
    out.text("}}");
}
