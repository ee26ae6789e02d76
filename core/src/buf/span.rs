//! A place in a buffer, kept without borrowing it.

/// A range of bytes in a message buffer: what a borrowed slice would be, but
/// free to live in the same struct as the buffer.
///
/// Buffers are at most 64 KiB - 1 long, so a span costs four bytes of RAM.
/// A span is only as good as the buffer it was taken from: a stale one reads
/// as other bytes or as nothing, never out of bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    start: u16,
    len: u16,
}

impl Span {
    /// The empty span.
    pub const EMPTY: Self = Self { start: 0, len: 0 };

    /// The span `start .. end`, or the empty one where it does not fit.
    pub fn new(start: usize, end: usize) -> Self {
        match (
            u16::try_from(start),
            u16::try_from(end.saturating_sub(start)),
        ) {
            (Ok(start), Ok(len)) => Self { start, len },
            _ => Self::EMPTY,
        }
    }

    /// Where `part` lies in `buf`; the empty span if it does not.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub fn of(buf: &[u8], part: &[u8]) -> Self {
        let base = buf.as_ptr().addr();
        match part.as_ptr().addr().checked_sub(base) {
            Some(start) if start.saturating_add(part.len()) <= buf.len() => {
                Self::new(start, start.saturating_add(part.len()))
            }
            _ => Self::EMPTY,
        }
    }

    /// The bytes at this place.
    pub fn get(self, buf: &[u8]) -> &[u8] {
        let start = usize::from(self.start);
        buf.get(start..start + usize::from(self.len)).unwrap_or(&[])
    }

    /// Whether nothing is there.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        usize::from(self.len)
    }

    /// First byte.
    pub fn start(self) -> usize {
        usize::from(self.start)
    }

    /// One past the last byte.
    pub fn end(self) -> usize {
        usize::from(self.start) + usize::from(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_part_is_found_again_and_a_stranger_is_not() {
        let buf = *b"abcdef";
        assert_eq!(Span::of(&buf, &buf[2..5]).get(&buf), b"cde");
        assert_eq!(Span::of(&buf, b"zz"), Span::EMPTY);
        assert_eq!(Span::new(2, 5).get(b"abc"), b"");
        assert_eq!(Span::new(70_000, 70_001), Span::EMPTY);
    }
}
