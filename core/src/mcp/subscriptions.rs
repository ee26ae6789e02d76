//! `subscriptions/listen` (section M), `resources/subscribe` of the legacy
//! era, and what subscribers are told.

use super::code::Fault;
use super::device::Device;
use crate::buf::Sink;
use crate::json::{Kind, Value, write};
use crate::limits::WATCHED;
use crate::resource::{At, Resource, Watch};
use crate::time::Instant;
use crate::tool::Sight;

/// What subscribers can be told of: one bit for the list of tools, and one
/// for each resource that can be subscribed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources(u16);

/// The list of tools, and the resources that can be watched.
pub(crate) const SOURCES: usize = WATCHED + 1;

/// The source that is the list of tools.
const TOOLS: u8 = 0;

impl Sources {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const TOOLS: Self = Self::one(TOOLS);

    pub(crate) const fn one(source: u8) -> Self {
        Self(1u16.wrapping_shl(source as u32))
    }

    pub(crate) const fn has(self, source: u8) -> bool {
        self.0 & Self::one(source).0 != 0
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The lowest of them.
    pub(crate) fn first(self) -> Option<u8> {
        let first = self.0.trailing_zeros();
        (first < u16::BITS).then_some(first as u8)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl<App> Device<App> {
    /// The resources that can be subscribed to, each with its source and
    /// what tells whether it has changed.
    fn watched(&self) -> impl Iterator<Item = (u8, &'static Resource<App>, Watch<App>)> {
        let watched = self
            .resources
            .iter()
            .filter_map(|one| Some((one, one.watch?)));
        // There are fewer than 16.
        (1..)
            .zip(watched)
            .map(|(source, (one, watch))| (source, one, watch))
    }

    /// Whether any resource can be subscribed to.
    pub(super) fn has_watched(&self) -> bool {
        self.watched().next().is_some()
    }

    /// Whether there is anything to listen to (M-135).
    pub(super) fn has_sources(&self) -> bool {
        self.has_watched() || self.tools_change()
    }

    /// Whether the list of tools may change.
    #[cfg(not(feature = "scopes"))]
    pub(crate) fn tools_change(&self) -> bool {
        false
    }

    /// The source that a resource is, if it can be subscribed to.
    pub(super) fn source(&self, at: At) -> Option<u8> {
        let wanted = self.resource(at)?;
        let found = self
            .watched()
            .find(|(_, one, _)| core::ptr::eq(*one, wanted));
        found.map(|(source, ..)| source)
    }

    /// What of `notifications` is honoured (M-136, M-137): the rest is left
    /// out.
    pub(super) fn wanted(
        &self,
        notifications: Option<Value<'_>>,
        sight: Sight,
    ) -> Result<Sources, Fault> {
        let object = notifications
            .filter(|value| value.kind() == Kind::Object)
            .ok_or(Fault::Params("notifications must be an object"))?;
        let mut wanted = Sources::NONE;
        for (name, value) in object.members() {
            if name.is("resourceSubscriptions") {
                if value.kind() != Kind::Array {
                    return Err(Fault::Params("resourceSubscriptions must be an array"));
                }
                for uri in value.elements() {
                    let uri = uri
                        .as_text()
                        .ok_or(Fault::Params("resourceSubscriptions must hold strings"))?;
                    let found = self
                        .watched()
                        .find(|(_, one, _)| uri.is(one.uri) && sight.has(one.needs()));
                    if let Some((source, ..)) = found {
                        wanted = wanted.with(Sources::one(source));
                    }
                }
            } else if name.is("toolsListChanged") {
                let on = value
                    .as_bool()
                    .ok_or(Fault::Params("toolsListChanged must be a boolean"))?;
                if on && self.tools_change() {
                    wanted = wanted.with(Sources::one(TOOLS));
                }
            }
        }
        Ok(wanted)
    }

    /// The number of each source that is another one when it has changed.
    pub(crate) fn versions(&self, app: &App, now: Instant) -> [u32; SOURCES] {
        let mut versions = [0; SOURCES];
        #[cfg(feature = "scopes")]
        if let Some(place) = versions.get_mut(usize::from(TOOLS)) {
            *place = self.tools_version(app);
        }
        for (source, _, watch) in self.watched() {
            if let Some(place) = versions.get_mut(usize::from(source)) {
                *place = watch(app, now);
            }
        }
        versions
    }

    fn uri(&self, source: u8) -> Option<&'static str> {
        let found = self.watched().find(|(one, ..)| *one == source);
        found.map(|(_, one, _)| one.uri)
    }
}

/// Writes what ties a notification to its subscription (M-138): the id of the
/// request as it was written.
fn subscription_id(out: &mut Sink<'_>, id: &[u8]) {
    out.text("\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":");
    out.put(id);
    out.byte(b'}');
}

/// Writes `notifications/subscriptions/acknowledged` (M-137).
pub(crate) fn write_acknowledged<App>(
    out: &mut Sink<'_>,
    device: &Device<App>,
    id: &[u8],
    sources: Sources,
) {
    out.text(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{",
    );
    subscription_id(out, id);
    out.text(",\"notifications\":{");
    if sources.has(TOOLS) {
        out.text("\"toolsListChanged\":true");
    }
    let mut open = if sources.has(TOOLS) {
        ",\"resourceSubscriptions\":["
    } else {
        "\"resourceSubscriptions\":["
    };
    for (source, one, _) in device.watched() {
        if sources.has(source) {
            out.text(open);
            write::name(out, one.uri);
            open = ",";
        }
    }
    if !sources.without(Sources::one(TOOLS)).is_empty() {
        out.byte(b']');
    }
    out.text("}}}");
}

/// Writes that a source has changed (M-107, M-156): to the subscription of
/// that id, or to a client of the legacy era, which has none.
pub(crate) fn write_change<App>(
    out: &mut Sink<'_>,
    device: &Device<App>,
    id: Option<&[u8]>,
    source: u8,
) {
    out.text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/");
    let uri = device.uri(source);
    out.text(if uri.is_some() {
        "resources/updated\""
    } else {
        "tools/list_changed\""
    });
    if id.is_some() || uri.is_some() {
        out.text(",\"params\":{");
        if let Some(id) = id {
            subscription_id(out, id);
        }
        if let Some(uri) = uri {
            out.text(if id.is_some() {
                ",\"uri\":"
            } else {
                "\"uri\":"
            });
            write::name(out, uri);
        }
        out.byte(b'}');
    }
    out.byte(b'}');
}

/// Writes the answer to `subscriptions/listen`, which ends it (M-140).
pub(crate) fn write_listen_end(out: &mut Sink<'_>, id: &[u8]) {
    out.text("{\"jsonrpc\":\"2.0\",\"id\":");
    out.put(id);
    out.text(",\"result\":{\"resultType\":\"complete\",");
    subscription_id(out, id);
    out.text("}}");
}

/// Writes that the server ends a subscription on a line (M-129, M-140).
pub(crate) fn write_listen_cancelled(out: &mut Sink<'_>, id: &[u8]) {
    out.text(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":",
    );
    out.put(id);
    out.text("}}");
}
