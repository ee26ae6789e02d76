//! Newline-delimited messages: one message a line.

use crate::buf::find;

/// What has arrived of a line. The bytes stand in a buffer beside it.
///
/// A byte order mark before a line, CR before LF and empty lines are dropped.
/// A line that does not fit is counted and thrown away up to its end, so that
/// nothing of it is taken for a message (M-095).
#[derive(Debug, Default)]
pub struct Lines {
    /// Bytes of the line, kept or not.
    seen: usize,
    /// Whether the last byte was CR, which may be part of the line's end.
    cr: bool,
    /// Whether the line has ended.
    ready: bool,
}

/// A line that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'b> {
    /// Its bytes, without its end.
    Whole(&'b [u8]),
    /// It was longer than the buffer.
    TooLong {
        /// Its length, in bytes.
        bytes: usize,
    },
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

impl Lines {
    /// No line yet.
    pub const fn new() -> Self {
        Self {
            seen: 0,
            cr: false,
            ready: false,
        }
    }

    /// Takes bytes up to the end of the line; gives how many were taken.
    ///
    /// While a line stands ready, takes none: [`line`](Self::line) it and
    /// [`clear`](Self::clear) first.
    pub fn receive(&mut self, buf: &mut [u8], bytes: &[u8]) -> usize {
        if self.ready {
            return 0;
        }
        let end = find(b'\n', bytes);
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes);
        if let Some(room) = buf.get_mut(self.seen..) {
            let n = room.len().min(part.len());
            room[..n].copy_from_slice(&part[..n]);
        }
        self.seen = self.seen.saturating_add(part.len());
        if let Some(&last) = part.last() {
            self.cr = last == b'\r';
        }
        self.ready = end.is_some();
        part.len() + usize::from(self.ready)
    }

    /// The line that stands ready, unless nothing is on it.
    pub fn line<'b>(&self, buf: &'b [u8]) -> Option<Line<'b>> {
        if !self.ready {
            return None;
        }
        let bytes = self.seen.saturating_sub(usize::from(self.cr));
        let Some(line) = buf.get(..bytes) else {
            return Some(Line::TooLong { bytes });
        };
        let line = line.strip_prefix(BOM).unwrap_or(line);
        if line.iter().all(|b| matches!(b, b' ' | b'\t')) {
            return None;
        }
        Some(Line::Whole(line))
    }

    /// Whether a line, with something on it or not, has ended.
    pub fn is_ready(&self) -> bool {
        self.ready
    }

    /// Forgets the line, or what there is of it.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};

    /// C-16 in small: every cut of a line gives the same line.
    #[test]
    fn a_line_may_come_cut_anywhere() {
        let text = b"\xEF\xBB\xBF{\"a\":1}\r\nrest";
        for cut in 0..=text.len() {
            let mut buf = [0xA5u8; 32];
            let mut lines = Lines::new();
            let mut taken = lines.receive(&mut buf, &text[..cut]);
            taken += lines.receive(&mut buf, &text[taken..]);
            assert_eq!(taken, text.len() - 4, "cut at {cut}");
            assert_eq!(lines.line(&buf), Some(Line::Whole(b"{\"a\":1}")));
            assert_eq!(lines.receive(&mut buf, b"more"), 0);
        }
    }

    #[test]
    fn a_line_of_the_buffers_length_fits_and_one_more_does_not() {
        let mut buf = [0u8; 4];
        let mut lines = Lines::new();
        assert_eq!(lines.receive(&mut buf, b"1234\n"), 5);
        assert_eq!(lines.line(&buf), Some(Line::Whole(b"1234")));
        lines.clear();
        assert_eq!(lines.receive(&mut buf, b"1234\r"), 5);
        assert_eq!(lines.receive(&mut buf, b"\n"), 1);
        assert_eq!(lines.line(&buf), Some(Line::Whole(b"1234")));
        lines.clear();
        assert_eq!(lines.receive(&mut buf, b"12345\n6"), 6);
        assert_eq!(lines.line(&buf), Some(Line::TooLong { bytes: 5 }));
        lines.clear();
        assert_eq!(lines.receive(&mut buf, b" \t\r\n"), 4);
        assert_eq!(lines.line(&buf), None);
        assert!(lines.is_ready());
    }
}
