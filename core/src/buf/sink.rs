//! The one output type of the core.

/// A bounded writer over a text that may be longer than its buffer.
///
/// A text is written from its beginning each time; the sink keeps the bytes of
/// the window `from .. from + buf.len()` and counts the rest. So one type
/// serves three uses:
///
/// * [`Sink::new`] fills a buffer, and [`Sink::overflowed`] tells whether the
///   text was longer;
/// * [`Sink::counter`] measures a text (a `Content-Length`) without storing it;
/// * [`Sink::window`] takes the next part of a text that is streamed through a
///   buffer much smaller than the text.
///
/// Bound: `put` copies each byte at most once; nothing is written outside the
/// buffer; the count saturates at `usize::MAX`.
#[derive(Debug)]
pub struct Sink<'b> {
    buf: &'b mut [u8],
    from: usize,
    total: usize,
}

impl<'b> Sink<'b> {
    /// A sink that keeps the first `buf.len()` bytes.
    #[inline]
    pub fn new(buf: &'b mut [u8]) -> Self {
        Self::window(buf, 0)
    }

    /// A sink that keeps nothing and counts.
    #[inline]
    pub fn counter() -> Self {
        Self::window(&mut [], 0)
    }

    /// A sink that keeps the bytes `from .. from + buf.len()` of the text.
    #[inline]
    pub fn window(buf: &'b mut [u8], from: usize) -> Self {
        Self {
            buf,
            from,
            total: 0,
        }
    }

    /// Bytes of the whole text so far, kept or not.
    #[inline]
    pub fn total(&self) -> usize {
        self.total
    }

    /// Bytes that stand in the buffer.
    #[inline]
    pub fn filled(&self) -> usize {
        self.total.saturating_sub(self.from).min(self.buf.len())
    }

    /// Whether the text goes on after the window.
    #[inline]
    pub fn overflowed(&self) -> bool {
        self.total.saturating_sub(self.from) > self.buf.len()
    }

    /// The kept bytes.
    pub fn kept(&self) -> &[u8] {
        self.buf.get(..self.filled()).unwrap_or(&[])
    }

    /// Shortens the text to `total` bytes, for a writer that takes back what
    /// it began. A longer `total` changes nothing.
    pub fn truncate(&mut self, total: usize) {
        self.total = self.total.min(total);
    }

    /// Appends bytes.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        let at = self.total;
        self.total = at.saturating_add(bytes.len());
        let (off, bytes) = if at >= self.from {
            (at - self.from, bytes)
        } else {
            match bytes.get(self.from - at..) {
                Some(rest) => (0, rest),
                None => return,
            }
        };
        if let Some(room) = self.buf.get_mut(off..) {
            let n = room.len().min(bytes.len());
            room[..n].copy_from_slice(&bytes[..n]);
        }
    }

    /// Appends text.
    #[inline]
    pub fn text(&mut self, text: &str) {
        self.put(text.as_bytes());
    }

    /// Appends one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        let at = self.total;
        self.total = at.saturating_add(1);
        if let Some(off) = at.checked_sub(self.from) {
            if let Some(place) = self.buf.get_mut(off) {
                *place = byte;
            }
        }
    }
}

impl core::fmt::Write for Sink<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.text(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Sink;

    /// Every window of every size over a text written in uneven pieces shows
    /// the same bytes, and nothing is written past the window.
    #[test]
    fn windows_show_the_text() {
        let pieces: [&[u8]; 5] = [b"ab", b"", b"cdefg", b"h", b"ijklmnopq"];
        let text = b"abcdefghijklmnopq";
        for from in 0..20 {
            for size in 0..20 {
                let mut room = [0xA5u8; 24];
                let mut sink = Sink::window(&mut room[..size], from);
                for piece in pieces {
                    match piece {
                        [one] => sink.byte(*one),
                        _ => sink.put(piece),
                    }
                }
                assert_eq!(sink.total(), text.len());
                let end = text.len().min(from + size);
                let want = text.get(from..end).unwrap_or(&[]);
                assert_eq!(sink.kept(), want, "from {from} size {size}");
                assert_eq!(sink.overflowed(), from + size < text.len());
                let n = want.len();
                assert!(room[n..].iter().all(|&b| b == 0xA5));
            }
        }
    }
}
