//! One reading, as its function sees it.

use core::fmt;

use serde::Serialize;

use super::pattern::value;
use super::table::Resource;
use crate::json::Text;
use crate::limits::UNESCAPED_BYTES;
use crate::time::Instant;
use crate::tool::{Data, Outcome};

/// A proof that a reading was answered; made by the methods of [`Reading`].
#[must_use = "a reader returns it"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Given,
    Missing,
}

/// One reading: what is read, the time, and the place for what it gives.
///
/// A reader gives one content or several.
#[derive(Debug)]
pub struct Reading<'c> {
    uri: &'c str,
    pattern: &'static str,
    now: Instant,
    buf: &'c mut [u8],
    outcome: &'c mut Outcome,
}

impl<'c> Reading<'c> {
    /// The time of the reading.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// The URI that was asked for; not decoded.
    pub fn uri(&self) -> &'c str {
        self.uri
    }

    /// What the URI has in the place of `{name}`: at least one character,
    /// percent-encoding not resolved. `None` if the template has no such
    /// parameter.
    pub fn get(&self, name: &str) -> Option<&'c str> {
        value(self.pattern, self.uri.as_bytes(), name)
    }

    /// The parameter `{name}` as a number or another type that is read from
    /// text; `None` where it is none, which is best answered by
    /// [`missing`](Self::missing).
    ///
    /// Integers bring no panic path along; floats bring the parser of `core`.
    pub fn parse<T: core::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// Gives a text.
    pub fn text(&mut self, text: &str) -> Read {
        self.outcome.text(self.buf, |sink| sink.text(text));
        Read(Kind::Given)
    }

    /// Gives a text in flash: only a pointer is kept, so it may be longer
    /// than the result buffer.
    pub fn constant(&mut self, text: &'static str) -> Read {
        self.outcome.constant(self.buf, text);
        Read(Kind::Given)
    }

    /// Gives a formatted text; see [`Call::format`](crate::tool::Call::format).
    pub fn format(&mut self, text: fmt::Arguments<'_>) -> Read {
        self.outcome.text(self.buf, |sink| {
            let _ = fmt::Write::write_fmt(sink, text);
        });
        Read(Kind::Given)
    }

    /// Gives a value as JSON text.
    pub fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Read {
        self.outcome.json(self.buf, value);
        Read(Kind::Given)
    }

    /// Gives bytes.
    pub fn bytes(&mut self, data: Data<'_>) -> Read {
        self.outcome.resource_blob(self.buf, "", "", data);
        Read(Kind::Given)
    }

    /// Answers that there is no such resource: a parameter names nothing.
    pub fn missing(&mut self) -> Read {
        Read(Kind::Missing)
    }

    /// Answers that the resource cannot be read now, with the reason. What
    /// was given before is dropped.
    pub fn fail(&mut self, reason: &str) -> Read {
        self.outcome.refuse(self.buf, |sink| sink.text(reason));
        Read(Kind::Given)
    }
}

/// Reads a resource that [`find`](super::find) has found for this URI, and
/// makes sure that what is left in the buffer can be sent: a content that
/// did not fit becomes a failure that says so. `false`: there is no such
/// resource.
pub(crate) fn read<App>(
    resource: &Resource<App>,
    app: &mut App,
    now: Instant,
    uri: Text<'_>,
    buf: &mut [u8],
    outcome: &mut Outcome,
) -> bool {
    outcome.clear();
    let mut room = [0; UNESCAPED_BYTES];
    let mut reading = Reading {
        // One that is longer was found as it stands in the table.
        uri: plain(uri, &mut room).unwrap_or(resource.uri),
        pattern: resource.uri,
        now,
        buf: &mut *buf,
        outcome: &mut *outcome,
    };
    if (resource.read)(app, &mut reading) == Read(Kind::Missing) {
        return false;
    }
    outcome.settle(buf, resource.name);
    true
}

/// A text without its escapes, if it has none or is short.
pub(super) fn plain<'t>(text: Text<'t>, room: &'t mut [u8]) -> Option<&'t str> {
    match text.as_str() {
        Some(text) => Some(text),
        None => text.copy_to(room),
    }
}
