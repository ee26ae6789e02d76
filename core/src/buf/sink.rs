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
    pub fn new(buf: &'b mut [u8]) -> Self {
        Self::window(buf, 0)
    }

    /// A sink that keeps nothing and counts.
    pub fn counter() -> Self {
        Self::window(&mut [], 0)
    }

    /// A sink that keeps the bytes `from .. from + buf.len()` of the text.
    pub fn window(buf: &'b mut [u8], from: usize) -> Self {
        Self {
            buf,
            from,
            total: 0,
        }
    }

    /// Bytes of the whole text so far, kept or not.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Bytes that stand in the buffer.
    pub fn filled(&self) -> usize {
        self.total.saturating_sub(self.from).min(self.buf.len())
    }

    /// Whether the text goes on after the window.
    pub fn overflowed(&self) -> bool {
        self.total.saturating_sub(self.from) > self.buf.len()
    }

    /// The kept bytes.
    pub fn kept(&self) -> &[u8] {
        self.buf.get(..self.filled()).unwrap_or(&[])
    }

    /// Ends a text that did not fit with an ellipsis, which takes the place of
    /// its last characters; gives the length of what is kept.
    pub(crate) fn end_with_ellipsis(&mut self) -> usize {
        const ELLIPSIS: &str = "…";
        if !self.overflowed() {
            return self.filled();
        }
        let mut end = self.buf.len().saturating_sub(ELLIPSIS.len());
        // Not in the middle of a character.
        while let Some(0x80..=0xBF) = self.buf.get(end) {
            end = end.saturating_sub(1);
        }
        self.total = self.from.saturating_add(end);
        self.text(ELLIPSIS);
        self.filled()
    }

    /// Shortens the text to `total` bytes, for a writer that takes back what
    /// it began. A longer `total` changes nothing.
    pub fn truncate(&mut self, total: usize) {
        self.total = self.total.min(total);
    }

    /// Appends bytes.
    ///
    /// Inlined on hosts, where it makes a piece of constant length a few
    /// stores; on a 32-bit core each copy of it would cost flash.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub fn put(&mut self, bytes: &[u8]) {
        // The place of bytes that are kept whole: at a length that is known
        // when it is compiled, the copy is a few stores.
        let place = self
            .total
            .checked_sub(self.from)
            .and_then(|at| self.buf.get_mut(at..))
            .and_then(|room| room.get_mut(..bytes.len()));
        match place {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.total = self.total.wrapping_add(bytes.len());
            }
            None => self.put_part(bytes),
        }
    }

    /// Appends bytes that lie across an end of the window, or outside.
    #[inline(never)]
    fn put_part(&mut self, bytes: &[u8]) {
        let at = self.total;
        self.total = at.saturating_add(bytes.len());
        let (off, bytes) = match at.checked_sub(self.from) {
            Some(off) => (off, bytes),
            None => match bytes.get(self.from.wrapping_sub(at)..) {
                Some(rest) => (0, rest),
                None => return,
            },
        };
        if let Some(room) = self.buf.get_mut(off..) {
            let n = room.len().min(bytes.len());
            room[..n].copy_from_slice(&bytes[..n]);
        }
    }

    /// How many of the next bytes are not kept, whatever they are: a writer
    /// may count them with [`skip`](Self::skip) and not make them.
    pub fn unkept(&self) -> usize {
        match self.total.checked_sub(self.from) {
            None => self.from.wrapping_sub(self.total),
            Some(at) if at >= self.buf.len() => usize::MAX,
            Some(_) => 0,
        }
    }

    /// The place of the next bytes, if at least `len` of them are kept: for a
    /// writer that knows how to fill it, and then tells how much by
    /// [`skip`](Self::skip).
    #[cfg(target_pointer_width = "64")]
    pub(crate) fn room(&mut self, len: usize) -> Option<&mut [u8]> {
        let at = self.total.checked_sub(self.from)?;
        self.buf.get_mut(at..).filter(|room| room.len() >= len)
    }

    /// Counts bytes that [`unkept`](Self::unkept) has said are not kept, or
    /// that were written to their place.
    pub fn skip(&mut self, bytes: usize) {
        self.total = self.total.saturating_add(bytes);
    }

    /// Appends a whole number in decimal digits, at most 20 bytes.
    ///
    /// Divides 16 bits at a time: a division of 64 bits is a routine of some
    /// hundred bytes on a 32-bit core, and most numbers have a digit or two.
    pub fn number(&mut self, value: u64) {
        let mut digits = [b'0'; 20];
        let mut left = value;
        let mut start = digits.len();
        for (at, place) in digits.iter_mut().enumerate().rev() {
            let digit = match u32::try_from(left) {
                Ok(small) => {
                    left = u64::from(small / 10);
                    small % 10
                }
                Err(_) => {
                    let (tenth, digit) = tenth(left);
                    left = tenth;
                    digit
                }
            };
            *place = b'0' + digit as u8;
            start = at;
            if left == 0 {
                break;
            }
        }
        self.put(digits.get(start..).unwrap_or(&[]));
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) {
        self.put(text.as_bytes());
    }

    /// Appends one byte.
    ///
    /// Not inlined on a 32-bit core: it is called in some two hundred places,
    /// and each copy would cost some twenty bytes of flash more than a call.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub fn byte(&mut self, byte: u8) {
        let at = self.total.checked_sub(self.from);
        self.total = self.total.saturating_add(1);
        if let Some(place) = at.and_then(|at| self.buf.get_mut(at)) {
            *place = byte;
        }
    }
}

/// A number divided by ten, and what is left.
pub(crate) fn tenth(value: u64) -> (u64, u32) {
    let (mut quotient, mut left) = (0u64, 0u32);
    for shift in [48, 32, 16, 0] {
        let part = left << 16 | (value >> shift) as u32 & 0xFFFF;
        quotient = quotient << 16 | u64::from(part / 10);
        left = part % 10;
    }
    (quotient, left)
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
