//! Lists in pages (M-105): every list is cut and named in the same way.

use crate::buf::Sink;
use crate::json::{Text, write};
#[cfg(any(feature = "resources", feature = "prompts"))]
use crate::tool::Sight;

/// One list: how many entries it has, and how each is written.
pub(super) struct List<W> {
    /// What its cursors begin with.
    pub cursor: &'static str,
    /// At most 254.
    pub count: u8,
    /// Bytes of a page; 0 for no end.
    pub page_bytes: usize,
    /// Writes the entry at a place.
    pub write: W,
}

impl<W: Fn(&mut Sink<'_>, u8)> List<W> {
    /// The page that a cursor names: a place that an earlier page ended at.
    pub(super) fn page_of(&self, cursor: Text<'_>) -> Option<u8> {
        let mut from = 0;
        // Only ends of pages are cursors, so that a made-up one is refused.
        while from < self.count {
            from = self.page_end(from);
            let mut room = [0; CURSOR_BYTES];
            let mut name = Sink::new(&mut room);
            self.write_cursor(&mut name, from);
            if from < self.count
                && core::str::from_utf8(name.kept()).is_ok_and(|name| cursor.is(name))
            {
                return Some(from);
            }
        }
        None
    }

    /// Where the page that begins at `from` ends.
    pub(super) fn page_end(&self, from: u8) -> u8 {
        let mut left = self.page_bytes;
        let mut end = from;
        while end < self.count {
            if self.page_bytes != 0 {
                let mut counter = Sink::counter();
                (self.write)(&mut counter, end);
                let size = counter.total();
                if end != from && size > left {
                    break;
                }
                left = left.saturating_sub(size);
            }
            end = end.saturating_add(1);
        }
        end
    }

    /// Writes the member `name` with one page, and the cursor of the next.
    pub(super) fn write_page(&self, out: &mut Sink<'_>, name: &str, from: u8, to: u8) {
        write::name(out, name);
        out.text(":[");
        for at in from..to.min(self.count) {
            if at > from {
                out.byte(b',');
            }
            (self.write)(out, at);
        }
        out.byte(b']');
        if to < self.count {
            out.text(",\"nextCursor\":\"");
            self.write_cursor(out, to);
            out.byte(b'"');
        }
    }

    fn write_cursor(&self, out: &mut Sink<'_>, at: u8) {
        out.text(self.cursor);
        write::u64(out, u64::from(at));
    }
}

/// How many entries of a table are seen. A table has at most 254.
#[cfg(any(feature = "resources", feature = "prompts"))]
pub(super) fn count_seen<T>(table: &[T], sight: Sight, needs: impl Fn(&T) -> u32) -> u8 {
    #[cfg(feature = "scopes")]
    let count = table.iter().filter(|one| sight.has(needs(one))).count();
    #[cfg(not(feature = "scopes"))]
    let (count, _) = (table.len(), (sight, needs));
    count as u8
}

/// The entry of a table that is seen as number `at`.
#[cfg(any(feature = "resources", feature = "prompts"))]
pub(super) fn seen<T>(table: &[T], sight: Sight, needs: impl Fn(&T) -> u32, at: u8) -> Option<&T> {
    #[cfg(feature = "scopes")]
    return table
        .iter()
        .filter(|one| sight.has(needs(one)))
        .nth(usize::from(at));
    #[cfg(not(feature = "scopes"))]
    {
        let _ = (sight, needs);
        table.get(usize::from(at))
    }
}

/// Bytes of the longest cursor: `resource253`.
const CURSOR_BYTES: usize = 12;
