//! `resources/list`, `resources/templates/list` and the result of
//! `resources/read`.

use super::device::Device;
use super::pages::{List, count_seen, seen};
use super::revision::Version;
use super::tools::mime_type;
use crate::buf::{Sink, Span};
use crate::json::write;
use crate::resource::{At, Resource};
use crate::tool::{Outcome, Piece, Sight};

impl<App> Device<App> {
    /// Whether there is anything to read.
    pub(super) fn has_resources(&self) -> bool {
        !(self.resources.is_empty() && self.templates.is_empty())
    }

    /// The resource at a place that was found before.
    pub(crate) fn resource(&self, at: At) -> Option<&'static Resource<App>> {
        match at {
            At::Resource(at) => self.resources.get(usize::from(at)),
            At::Template(at) => self.templates.get(usize::from(at)),
        }
    }
}

/// The list of resources that are seen.
pub(super) fn resources<App>(
    device: &Device<App>,
    version: Version,
    sight: Sight,
) -> List<impl Fn(&mut Sink<'_>, u8)> {
    let words = ["resource", "{\"uri\":"];
    list(device, device.resources, version, sight, words)
}

/// The list of templates that are seen.
pub(super) fn templates<App>(
    device: &Device<App>,
    version: Version,
    sight: Sight,
) -> List<impl Fn(&mut Sink<'_>, u8)> {
    let words = ["template", "{\"uriTemplate\":"];
    list(device, device.templates, version, sight, words)
}

/// Whether a list of these is the same for all callers (M-045).
pub(super) fn is_public<App>(table: &[Resource<App>]) -> bool {
    table.iter().all(|one| one.needs() == 0)
}

fn list<App>(
    device: &Device<App>,
    table: &'static [Resource<App>],
    version: Version,
    sight: Sight,
    [cursor, open]: [&'static str; 2],
) -> List<impl Fn(&mut Sink<'_>, u8)> {
    List {
        cursor,
        count: count_seen(table, sight, Resource::needs),
        page_bytes: device.page_bytes,
        write: move |out: &mut Sink<'_>, at: u8| {
            let Some(one) = seen(table, sight, Resource::needs, at) else {
                return;
            };
            out.text(open);
            write::name(out, one.uri);
            out.text(",\"name\":");
            write::string(out, one.name);
            if version.has_structured() && !one.title.is_empty() {
                out.text(",\"title\":");
                write::string(out, one.title);
            }
            if !one.description.is_empty() {
                out.text(",\"description\":");
                write::string(out, one.description);
            }
            mime_type(out, one.mime);
            out.byte(b'}');
        },
    }
}

/// Writes the members of the result of `resources/read` but for the cache
/// hints. `uri` is raw.
pub(super) fn write_contents(
    out: &mut Sink<'_>,
    mime: &str,
    uri: Span,
    message: &[u8],
    outcome: &Outcome,
    buf: &[u8],
) {
    out.text("\"contents\":[");
    for (i, piece) in outcome.pieces(buf).enumerate() {
        if i > 0 {
            out.byte(b',');
        }
        out.text("{\"uri\":\"");
        out.put(uri.get(message));
        out.byte(b'"');
        mime_type(out, mime);
        match piece {
            Piece::Text(text) | Piece::ResourceText { text, .. } => {
                text_member(out, text.as_bytes())
            }
            Piece::Json(raw) => text_member(out, raw),
            Piece::ResourceBlob { data, .. } => {
                out.text(",\"blob\":\"");
                write::base64(out, data);
                out.byte(b'"');
            }
            // A reading has no way to give any other.
            _ => {}
        }
        out.byte(b'}');
    }
    out.byte(b']');
}

fn text_member(out: &mut Sink<'_>, text: &[u8]) {
    out.text(",\"text\":\"");
    write::escaped(out, text);
    out.byte(b'"');
}
