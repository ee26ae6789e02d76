//! What a string says, read from its raw form.

use core::fmt;

use super::scan::plain_run;
use crate::buf::find;

/// The contents of a string as it stands in a checked text: without its
/// quotes, escapes not yet resolved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text<'a> {
    raw: &'a [u8],
    /// Whether no escape stands in it.
    plain: bool,
}

impl<'a> Text<'a> {
    /// `raw` must come from a checked text; anything else reads as some other
    /// text, never as a panic.
    pub(crate) fn checked(raw: &'a [u8]) -> Self {
        Self {
            raw,
            plain: find(b'\\', raw).is_none(),
        }
    }

    /// Contents that are known to have no escape.
    pub(crate) const fn plain(raw: &'a [u8]) -> Self {
        Self { raw, plain: true }
    }

    /// The bytes between the quotes, as they were sent.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// The text, if no escape stands in it.
    pub fn as_str(self) -> Option<&'a str> {
        if !self.plain {
            return None;
        }
        core::str::from_utf8(self.raw).ok()
    }

    /// Whether the text is `other`, after unescaping.
    #[cfg_attr(target_pointer_width = "64", inline)]
    pub fn is(self, other: &str) -> bool {
        if self.plain {
            self.raw == other.as_bytes()
        } else {
            self.decodes_to(other)
        }
    }

    #[inline(never)]
    fn decodes_to(self, other: &str) -> bool {
        self.chars().eq(other.chars())
    }

    /// Whether two texts are equal, after unescaping.
    pub fn same(self, other: Text<'_>) -> bool {
        self.chars().eq(other.chars())
    }

    /// Whether there is no character in it.
    pub fn is_empty(self) -> bool {
        self.raw.is_empty()
    }

    /// The characters (Unicode scalar values).
    pub fn chars(self) -> Chars<'a> {
        Chars { rest: self.raw }
    }

    /// Length in characters, as JSON Schema counts it.
    pub fn char_count(self) -> usize {
        let run = plain_run(self.raw);
        match self.raw.get(run..) {
            Some([]) | None => run,
            Some(rest) => run + Chars { rest }.count(),
        }
    }

    /// Writes the text in UTF-8 to the start of `out`.
    ///
    /// Refuses: `None` if `out` is too short; what was written to it then has
    /// no meaning. `out.len() >= raw().len()` is always enough.
    pub fn copy_to(self, out: &mut [u8]) -> Option<&str> {
        let mut len: usize = 0;
        for c in self.chars() {
            let room = out.get_mut(len..)?;
            if room.len() < c.len_utf8() {
                return None;
            }
            len += c.encode_utf8(room).len();
        }
        core::str::from_utf8(out.get(..len)?).ok()
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars()
            .try_for_each(|c| fmt::Write::write_char(out, c))
    }
}

/// The characters of a [`Text`].
#[derive(Clone, Debug)]
pub struct Chars<'a> {
    rest: &'a [u8],
}

impl Chars<'_> {
    fn take(&mut self, n: usize) -> &[u8] {
        let (taken, rest) = self.rest.split_at_checked(n).unwrap_or((self.rest, &[]));
        self.rest = rest;
        taken
    }

    fn unit(&mut self) -> u32 {
        self.take(4).iter().fold(0, |unit, &b| {
            unit << 4 | char::from(b).to_digit(16).unwrap_or(0)
        })
    }

    fn escape(&mut self) -> char {
        match self.take(1) {
            [b'n'] => '\n',
            [b't'] => '\t',
            [b'r'] => '\r',
            [b'b'] => '\u{8}',
            [b'f'] => '\u{C}',
            [b'u'] => {
                let unit = self.unit();
                let scalar = match unit {
                    0xD800..=0xDBFF => {
                        self.take(2);
                        let low = self.unit();
                        0x10000 + ((unit & 0x3FF) << 10 | low & 0x3FF)
                    }
                    other => other,
                };
                char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            [b] => char::from(*b),
            _ => char::REPLACEMENT_CHARACTER,
        }
    }
}

impl Iterator for Chars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let first = *self.rest.first()?;
        match first {
            b'\\' => {
                self.take(1);
                Some(self.escape())
            }
            0..0x80 => {
                self.take(1);
                Some(char::from(first))
            }
            _ => {
                let len = match first {
                    0xF0.. => 4,
                    0xE0.. => 3,
                    _ => 2,
                };
                let bytes = self.take(len);
                let text = core::str::from_utf8(bytes).ok();
                Some(
                    text.and_then(|text| text.chars().next())
                        .unwrap_or(char::REPLACEMENT_CHARACTER),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn escapes_are_resolved_everywhere() {
        let text = Text::checked(br#"a\u006d\uD83D\uDE00\n\/\"\u00e9"#);
        assert!(text.is("am😀\n/\"é"));
        assert!(!text.is("am😀\n/\"e"));
        assert_eq!(text.char_count(), 7);
        let mut room = [0u8; 11];
        assert_eq!(text.copy_to(&mut room), Some("am😀\n/\"é"));
        let mut short = [0u8; 10];
        assert_eq!(text.copy_to(&mut short), None);
        assert_eq!(text.as_str(), None);
        assert!(text.same(Text::checked("\\u0061m😀\\u000a/\\\"é".as_bytes())));
    }

    #[test]
    fn a_backslash_is_never_read_as_itself() {
        assert!(!Text::checked(br"a\\b").is(r"a\\b"));
        assert!(Text::checked(br"a\\b").is(r"a\b"));
        assert!(!Text::checked(br"a\n").is(r"a\n"));
    }

    #[test]
    fn plain_text_is_borrowed() {
        assert_eq!(Text::checked("é".as_bytes()).as_str(), Some("é"));
        assert_eq!(Text::checked("é".as_bytes()).char_count(), 1);
    }
}
