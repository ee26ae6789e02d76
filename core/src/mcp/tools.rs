//! `tools/list` and the result of `tools/call`.

use super::device::{Device, Shown};
use super::pages::List;
use super::revision::Version;
use crate::buf::Sink;
use crate::json::write;
use crate::tool::{Input, Outcome, Piece, Tool, write_schema};

/// The list of tools.
pub(super) fn tools<App>(
    device: &Device<App>,
    version: Version,
    shown: Shown,
) -> List<impl Fn(&mut Sink<'_>, u8)> {
    let tools = &device.tools;
    List {
        cursor: "tool",
        // A catalog has at most 254 tools.
        count: shown.count(tools.entries().len() as u8),
        page_bytes: device.page_bytes,
        write: move |out: &mut Sink<'_>, at: u8| {
            if let Some(entry) = tools.get(shown.place(at)) {
                write_tool(out, &entry.tool, version);
            }
        },
    }
}

#[cfg_attr(target_pointer_width = "32", inline(never))]
fn write_tool(out: &mut Sink<'_>, tool: &Tool, version: Version) {
    out.text("{\"name\":");
    write::name(out, tool.name);
    if version.has_structured() && !tool.title.is_empty() {
        out.text(",\"title\":");
        write::string(out, tool.title);
    }
    out.text(",\"description\":");
    write::string(out, tool.description);
    out.text(",\"inputSchema\":");
    match tool.input {
        Input::Params(params) => write_schema(out, params),
        Input::Schema(text) => out.text(text),
    }
    if let (true, Some(shape)) = (version.has_structured(), tool.output) {
        out.text(",\"outputSchema\":");
        write_schema(out, shape);
    }
    if version.has_annotations() {
        let effects = tool.effects;
        for (name, value) in [
            (",\"annotations\":{\"readOnlyHint\":", effects.read_only),
            (",\"destructiveHint\":", effects.destructive),
            (",\"idempotentHint\":", effects.idempotent),
            (",\"openWorldHint\":", false),
        ] {
            out.text(name);
            write::bool(out, value);
        }
        out.byte(b'}');
    }
    out.byte(b'}');
}

/// Writes the members of the result of `tools/call`.
pub(super) fn write_result(out: &mut Sink<'_>, outcome: &Outcome, buf: &[u8], version: Version) {
    out.text("\"content\":[");
    let mut structured = None;
    let pieces = outcome.pieces(buf);
    #[cfg(feature = "logging")]
    let pieces = pieces.filter(|piece| !matches!(piece, Piece::Log { .. }));
    for (i, piece) in pieces.enumerate() {
        if i > 0 {
            out.byte(b',');
        }
        if let Piece::Json(raw) = piece {
            structured = Some(raw);
        }
        write_piece(out, piece);
    }
    out.byte(b']');
    if let (Some(raw), true) = (structured, version.has_structured()) {
        out.text(",\"structuredContent\":");
        out.put(raw);
    }
    if outcome.failed() {
        out.text(",\"isError\":true");
    }
}

/// Writes one content block (M-121, M-122).
pub(super) fn write_piece(out: &mut Sink<'_>, piece: Piece<'_>) {
    match piece {
        Piece::Text(text) => text_block(out, text.as_bytes()),
        // The same JSON as text, for clients that look no further (M-123).
        Piece::Json(raw) => text_block(out, raw),
        Piece::Image { data, mime } => data_block(out, "image", data, mime),
        Piece::Audio { data, mime } => data_block(out, "audio", data, mime),
        Piece::Link { uri, name, mime } => {
            out.text("{\"type\":\"resource_link\",\"uri\":");
            write::string(out, uri);
            out.text(",\"name\":");
            write::string(out, name);
            mime_type(out, mime);
            out.byte(b'}');
        }
        Piece::ResourceText { uri, mime, text } => {
            resource(out, uri, mime);
            out.text(",\"text\":");
            write::string(out, text);
            out.text("}}");
        }
        Piece::ResourceBlob { uri, mime, data } => {
            resource(out, uri, mime);
            out.text(",\"blob\":\"");
            write::base64(out, data);
            out.text("\"}}");
        }
        #[cfg(feature = "prompts")]
        Piece::Assistant => {}
        // Messages are sent before the result.
        #[cfg(feature = "logging")]
        Piece::Log { .. } => {}
        // Questions are no part of a result.
        #[cfg(feature = "input")]
        Piece::Question { .. } => {}
    }
}

fn text_block(out: &mut Sink<'_>, text: &[u8]) {
    out.text("{\"type\":\"text\",\"text\":\"");
    write::escaped(out, text);
    out.text("\"}");
}

fn data_block(out: &mut Sink<'_>, kind: &str, data: &[u8], mime: &str) {
    out.text("{\"type\":");
    write::string(out, kind);
    out.text(",\"data\":\"");
    write::base64(out, data);
    out.byte(b'"');
    mime_type(out, mime);
    out.byte(b'}');
}

fn resource(out: &mut Sink<'_>, uri: &str, mime: &str) {
    out.text("{\"type\":\"resource\",\"resource\":{\"uri\":");
    write::string(out, uri);
    mime_type(out, mime);
}

pub(super) fn mime_type(out: &mut Sink<'_>, mime: &str) {
    if !mime.is_empty() {
        out.text(",\"mimeType\":");
        write::string(out, mime);
    }
}
