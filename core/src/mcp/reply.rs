//! What is sent, as a small value that writes the same bytes each time.

use super::code::Fault;
use super::device::Device;
use super::revision::Version;
use super::tools;
use crate::buf::{Sink, Span};
use crate::json::write;
use crate::rpc;
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
    Initialize,
    Discover,
    /// The tools at these places.
    Tools {
        from: u8,
        to: u8,
    },
    /// What the handler left in the connection's result buffer.
    Outcome,
    Fault(Fault),
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
    out.text(",\"result\":{");
    let modern = reply.version.is_modern();
    if modern {
        out.text("\"resultType\":\"complete\"");
        if !matches!(reply.body, Body::Empty) {
            out.byte(b',');
        }
    }
    let mut cached = false;
    match reply.body {
        Body::Empty | Body::Fault(_) => {}
        Body::Initialize => {
            out.text("\"protocolVersion\":");
            write::name(out, reply.version.text());
            out.text(",\"capabilities\":{\"tools\":{}},\"serverInfo\":");
            write_identity(out, device, reply.version.has_structured());
            write_instructions(out, device);
        }
        Body::Discover => {
            for (i, version) in Version::ALL.into_iter().enumerate() {
                out.text(if i == 0 {
                    "\"supportedVersions\":["
                } else {
                    ","
                });
                write::name(out, version.text());
            }
            out.text("],\"capabilities\":{\"tools\":{}}");
            write_instructions(out, device);
            cached = true;
        }
        Body::Tools { from, to } => {
            tools::write_list(out, device, reply.version, from, to);
            cached = modern;
        }
        Body::Outcome => tools::write_result(out, outcome, result, reply.version),
    }
    if cached {
        out.text(",\"ttlMs\":");
        write::u64(out, u64::from(device.ttl_ms));
        out.text(",\"cacheScope\":\"public\"");
    }
    if modern {
        out.text(",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
        write_identity(out, device, true);
        out.byte(b'}');
    }
    out.text("}}");
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
