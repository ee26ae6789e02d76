//! Is this JSON? One pass over the text, one bit of state a level.

use super::{Text, Value};
use crate::limits::JSON_DEPTH;

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The text ends inside a value: more bytes could make it whole.
    End,
    /// A byte that cannot stand here.
    Unexpected,
    /// The value is complete and other text follows.
    Trailing,
    /// A control character (below 0x20) inside a string.
    Control,
    /// A backslash that begins no escape.
    Escape,
    /// A `\u` escape of half a surrogate pair.
    Surrogate,
    /// Bytes of a string that are not UTF-8.
    Utf8,
    /// A number with a leading zero, or without digits where they must be.
    Number,
    /// Nested deeper than [`JSON_DEPTH`].
    Depth,
}

impl Reason {
    /// A few words for an error message.
    pub const fn text(self) -> &'static str {
        match self {
            Self::End => "unexpected end",
            Self::Unexpected => "unexpected character",
            Self::Trailing => "text after the value",
            Self::Control => "control character in a string",
            Self::Escape => "bad escape",
            Self::Surrogate => "unpaired surrogate",
            Self::Utf8 => "not UTF-8",
            Self::Number => "malformed number",
            Self::Depth => "nested too deep",
        }
    }
}

/// Where a text stops being JSON, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// Offset of the first byte that cannot stay, in bytes from the start; of
    /// a bad escape, of its backslash.
    pub at: usize,
    /// What is wrong with it.
    pub reason: Reason,
}

/// Bytes that are looked at together.
pub(super) const WORD: usize = size_of::<usize>();

/// The byte `b` in each byte of a word.
const fn splat(b: u8) -> usize {
    usize::from_ne_bytes([b; WORD])
}

/// The top bit of each byte of a little-endian word that is a control
/// character, a quote or a backslash, and perhaps of bytes from 0x80.
///
/// A borrow can only reach bytes above a true hit, so the lowest mark is
/// exact.
fn marks(word: usize) -> usize {
    let control = word.wrapping_sub(splat(0x20));
    let quote = (word ^ splat(b'"')).wrapping_sub(splat(1));
    let slash = (word ^ splat(b'\\')).wrapping_sub(splat(1));
    control | quote | slash
}

/// Bytes before the one that the lowest mark stands for.
fn lowest(marks: usize) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// How many bytes of a word stand before the first control character, quote
/// or backslash.
#[cfg(target_pointer_width = "64")]
pub(super) fn literal_bytes(word: [u8; WORD]) -> usize {
    let word = usize::from_le_bytes(word);
    lowest(marks(word) & !word & splat(0x80))
}

/// Length of the run at the start of `bytes` in which no byte ends a string,
/// begins an escape, is a control character or is not ASCII.
///
/// Tests a word at a time: most of a message is such runs.
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    let mut run = 0;
    while let Some((chunk, tail)) = rest.split_first_chunk::<WORD>() {
        let word = usize::from_le_bytes(*chunk);
        let marks = (marks(word) | word) & splat(0x80);
        if marks != 0 {
            return run + lowest(marks);
        }
        run += WORD;
        rest = tail;
    }
    for &b in rest {
        if !(0x20..0x80).contains(&b) || b == b'"' || b == b'\\' {
            break;
        }
        run += 1;
    }
    run
}

/// What stands behind the white space at the front.
#[inline(never)]
pub(super) fn skip_white(mut rest: &[u8]) -> &[u8] {
    while let Some((b' ' | b'\t' | b'\n' | b'\r', tail)) = rest.split_first() {
        rest = tail;
    }
    rest
}

/// Reads a text value by value, checking it on the way: one pass, however
/// deep the reader looks into it.
///
/// Nothing that was read may be acted on before [`end`](Self::end) has said
/// that the whole text is JSON.
///
/// ```
/// use agentmote::json::Reader;
/// let mut reader = Reader::new(br#"{"x":[1,2],"on":true}"#);
/// let mut on = None;
/// reader.open()?;
/// // A value that is not read is skipped, and checked all the same.
/// while let Some(name) = reader.name()? {
///     if name.is("on") {
///         on = reader.value()?.as_bool();
///     }
/// }
/// reader.end()?;
/// assert_eq!(on, Some(true));
/// # Ok::<(), agentmote::json::Reason>(())
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    /// The text left to read. Every step takes bytes off its front, so a
    /// position is never compared with a length twice.
    rest: &'a [u8],
    /// Length of the whole text.
    len: usize,
    /// Objects that are open.
    depth: usize,
    at: At,
}

/// Where a reader stands in the innermost open object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Behind its brace.
    Open,
    /// Behind a name.
    Name,
    /// Behind a value.
    Value,
}

impl<'a> Reader<'a> {
    /// A reader of one value, white space around it allowed.
    pub fn new(text: &'a [u8]) -> Self {
        let mut reader = Self {
            rest: text,
            len: text.len(),
            depth: 0,
            at: At::Value,
        };
        reader.white();
        reader
    }

    /// How many bytes have been read: after an error, the place of the byte
    /// that cannot stay.
    pub fn position(&self) -> usize {
        self.len.saturating_sub(self.rest.len())
    }

    /// The byte that the next value begins with; nothing at the end.
    pub(crate) fn first(&self) -> Option<u8> {
        self.peek()
    }

    /// Checks the next value and gives its window.
    ///
    /// # Errors
    /// The [`Reason`] why it is none; [`position`](Self::position) tells
    /// where.
    #[cfg_attr(target_pointer_width = "64", inline)]
    pub fn value(&mut self) -> Result<Value<'a>, Reason> {
        self.at = At::Value;
        let from = self.rest;
        if let [b'"', inner @ ..] = from {
            let run = plain_run(inner);
            if let Some([b'"', rest @ ..]) = inner.get(run..) {
                self.rest = rest;
                return Ok(Value::plain(from.get(..run + 2).unwrap_or(&[])));
            }
        }
        self.nested()?;
        let raw = from.get(..from.len().wrapping_sub(self.rest.len()));
        Ok(Value::checked(raw.unwrap_or(&[])))
    }

    /// Goes into the object that comes next.
    ///
    /// # Errors
    /// The [`Reason`] why it is none.
    pub fn open(&mut self) -> Result<(), Reason> {
        if self.depth >= JSON_DEPTH {
            return Err(Reason::Depth);
        }
        self.expect(b'{')?;
        self.depth = self.depth.saturating_add(1);
        self.at = At::Open;
        Ok(())
    }

    /// The name of the next member of the innermost open object, whose value
    /// comes next; nothing at the end of the object, which is left then.
    ///
    /// # Errors
    /// The [`Reason`] why there is neither.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub fn name(&mut self) -> Result<Option<Text<'a>>, Reason> {
        if self.at == At::Name {
            self.value()?;
        }
        self.white();
        match (self.peek(), self.at) {
            (Some(b'}'), _) => {
                self.skip(1);
                self.depth = self.depth.saturating_sub(1);
                self.at = At::Value;
                return Ok(None);
            }
            (Some(b','), At::Value) => {
                self.skip(1);
                self.white();
            }
            (_, At::Open) => {}
            (Some(_), _) => return Err(Reason::Unexpected),
            (None, _) => return Err(Reason::End),
        }
        let name = self.key()?;
        self.white();
        self.at = At::Name;
        Ok(Some(name))
    }

    /// Makes sure that the text is at its end.
    ///
    /// # Errors
    /// [`Reason::Trailing`] if more than white space follows.
    pub fn end(&mut self) -> Result<(), Reason> {
        self.white();
        match self.rest {
            [] => Ok(()),
            _ => Err(Reason::Trailing),
        }
    }

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn skip(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or(&[]);
    }

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn white(&mut self) {
        if let Some(..=b' ') = self.peek() {
            self.rest = skip_white(self.rest);
        }
    }

    fn word(&mut self, tail: &[u8]) -> Result<(), Reason> {
        for &want in tail {
            match self.peek() {
                Some(b) if b == want => self.skip(1),
                Some(_) => return Err(Reason::Unexpected),
                None => return Err(Reason::End),
            }
        }
        Ok(())
    }

    /// The rest of a string, its opening quote already taken.
    #[cfg_attr(target_pointer_width = "64", inline)]
    fn string(&mut self) -> Result<Text<'a>, Reason> {
        let from = self.rest;
        let run = plain_run(from);
        if let Some((contents, [b'"', rest @ ..])) = from.split_at_checked(run) {
            self.rest = rest;
            return Ok(Text::plain(contents));
        }
        self.skip(run);
        self.long_string(from)
    }

    /// The rest of a string that is not plain.
    #[inline(never)]
    fn long_string(&mut self, from: &'a [u8]) -> Result<Text<'a>, Reason> {
        loop {
            match self.peek() {
                Some(b'"') => {
                    let contents = from.get(..from.len().wrapping_sub(self.rest.len()));
                    self.skip(1);
                    return Ok(Text::checked(contents.unwrap_or(&[])));
                }
                Some(b'\\') => self.escape()?,
                Some(0x80..) => self.wide()?,
                Some(_) => return Err(Reason::Control),
                None => return Err(Reason::End),
            }
            self.skip(plain_run(self.rest));
        }
    }

    /// An escape; a bad one is refused at its backslash.
    #[inline(never)]
    fn escape(&mut self) -> Result<(), Reason> {
        let at = self.rest;
        let result = self.escaped();
        if !matches!(result, Ok(()) | Err(Reason::End)) {
            self.rest = at;
        }
        result
    }

    fn escaped(&mut self) -> Result<(), Reason> {
        self.skip(1);
        match self.next() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => match self.hex4()? {
                0xD800..=0xDBFF => {
                    self.word(b"\\u").map_err(|reason| match reason {
                        Reason::End => Reason::End,
                        _ => Reason::Surrogate,
                    })?;
                    match self.hex4()? {
                        0xDC00..=0xDFFF => Ok(()),
                        _ => Err(Reason::Surrogate),
                    }
                }
                0xDC00..=0xDFFF => Err(Reason::Surrogate),
                _ => Ok(()),
            },
            Some(_) => Err(Reason::Escape),
            None => Err(Reason::End),
        }
    }

    fn hex4(&mut self) -> Result<u32, Reason> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(b) => char::from(b).to_digit(16).ok_or(Reason::Escape)?,
                None => return Err(Reason::End),
            };
            unit = unit << 4 | digit;
            self.skip(1);
        }
        Ok(unit)
    }

    /// A run of bytes from 0x80 on, up to the next ASCII byte.
    #[inline(never)]
    fn wide(&mut self) -> Result<(), Reason> {
        let len = self.rest.iter().take_while(|b| !b.is_ascii()).count();
        let Some(run) = self.rest.get(..len) else {
            return Err(Reason::End);
        };
        match core::str::from_utf8(run) {
            Ok(_) => {
                self.skip(len);
                Ok(())
            }
            Err(error) => {
                self.skip(error.valid_up_to());
                // A character that the end of the text cuts may still come.
                match error.error_len() {
                    None if self.rest.len() == len - error.valid_up_to() => Err(Reason::End),
                    _ => Err(Reason::Utf8),
                }
            }
        }
    }

    fn digits(&mut self) -> Result<(), Reason> {
        match self.peek() {
            Some(b'0'..=b'9') => {}
            Some(_) => return Err(Reason::Number),
            None => return Err(Reason::End),
        }
        while let Some(b'0'..=b'9') = self.peek() {
            self.skip(1);
        }
        Ok(())
    }

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn number(&mut self) -> Result<(), Reason> {
        // One digit and no more is what many numbers are.
        if let [b'0'..=b'9', b',' | b'}' | b']', ..] = self.rest {
            self.skip(1);
            return Ok(());
        }
        self.long_number()
    }

    #[inline(never)]
    fn long_number(&mut self) -> Result<(), Reason> {
        if self.peek() == Some(b'-') {
            self.skip(1);
        }
        if self.peek() == Some(b'0') {
            self.skip(1);
            if let Some(b'0'..=b'9') = self.peek() {
                return Err(Reason::Number);
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.skip(1);
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.skip(1);
            if let Some(b'+' | b'-') = self.peek() {
                self.skip(1);
            }
            self.digits()?;
        }
        Ok(())
    }

    /// A member name and its colon, the name's opening quote expected next.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    fn key(&mut self) -> Result<Text<'a>, Reason> {
        if let [b'"', inner @ ..] = self.rest
            && let Some((name, [b'"', b':', rest @ ..])) = inner.split_at_checked(plain_run(inner))
        {
            self.rest = rest;
            return Ok(Text::plain(name));
        }
        self.expect(b'"')?;
        let name = self.string()?;
        self.white();
        self.expect(b':')?;
        Ok(name)
    }

    fn expect(&mut self, want: u8) -> Result<(), Reason> {
        match self.peek() {
            Some(b) if b == want => {
                self.skip(1);
                Ok(())
            }
            Some(_) => Err(Reason::Unexpected),
            None => Err(Reason::End),
        }
    }

    /// One value with all that it nests.
    fn nested(&mut self) -> Result<(), Reason> {
        // Bit 0 tells of the innermost level whether it is an object. The bit
        // above the outermost level marks the bottom of the stack.
        let mut levels: u64 = 1;
        let most = JSON_DEPTH.saturating_sub(self.depth);
        'value: loop {
            self.white();
            match self.peek() {
                Some(b'"') => self.text()?,
                Some(open @ (b'{' | b'[')) => {
                    if levels >> most != 0 {
                        return Err(Reason::Depth);
                    }
                    self.skip(1);
                    self.white();
                    let object = open == b'{';
                    let close = if object { b'}' } else { b']' };
                    if self.peek() == Some(close) {
                        self.skip(1);
                    } else {
                        levels = levels << 1 | u64::from(object);
                        if object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(_) => self.literal()?,
                None => return Err(Reason::End),
            }
            // A value has ended: so may any number of levels around it.
            loop {
                if levels == 1 {
                    return Ok(());
                }
                self.white();
                let object = levels & 1 == 1;
                match self.peek() {
                    Some(b',') => {
                        self.skip(1);
                        if object {
                            self.white();
                            self.key()?;
                        }
                        continue 'value;
                    }
                    Some(b'}') if object => self.skip(1),
                    Some(b']') if !object => self.skip(1),
                    Some(_) => return Err(Reason::Unexpected),
                    None => return Err(Reason::End),
                }
                levels >>= 1;
            }
        }
    }

    /// A string, its opening quote expected next.
    #[cfg_attr(target_pointer_width = "64", inline)]
    fn text(&mut self) -> Result<(), Reason> {
        if let [b'"', inner @ ..] = self.rest
            && let Some([b'"', rest @ ..]) = inner.get(plain_run(inner)..)
        {
            self.rest = rest;
            return Ok(());
        }
        self.skip(1);
        self.string().map(|_| ())
    }

    /// `true`, `false` or `null`.
    fn literal(&mut self) -> Result<(), Reason> {
        match self.peek() {
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            _ => Err(Reason::Unexpected),
        }
    }
}

/// The one value in `text` without the white space around it, if `text` is
/// JSON.
pub(super) fn check(text: &[u8]) -> Result<Value<'_>, Error> {
    let mut reader = Reader::new(text);
    match reader
        .value()
        .and_then(|value| reader.end().map(|()| value))
    {
        Ok(value) => Ok(value),
        Err(reason) => Err(Error {
            at: reader.position(),
            reason,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Reason, check, plain_run};

    #[test]
    fn plain_runs_end_at_the_first_special_byte() {
        for special in [b'"', b'\\', 0x00, 0x1F, 0x80, 0xFF] {
            for len in 0..40 {
                let mut bytes = [b'a'; 48];
                bytes[len] = special;
                bytes[len + 1..].fill(b'"');
                assert_eq!(plain_run(&bytes), len, "{special:#x} at {len}");
            }
        }
        assert_eq!(plain_run(&[b' ', 0x7F, b'~', b'!', b'#', b'[', b']']), 7);
    }

    #[test]
    fn each_reason_with_its_place() {
        let cases: [(&[u8], usize, Reason); 27] = [
            (b"", 0, Reason::End),
            (b"  ", 2, Reason::End),
            (b"[1,", 3, Reason::End),
            (b"[1,]", 3, Reason::Unexpected),
            (b"{\"a\":1,}", 7, Reason::Unexpected),
            (b"{,}", 1, Reason::Unexpected),
            (b"{\"a\" 1}", 5, Reason::Unexpected),
            (b"[1}", 2, Reason::Unexpected),
            (b"1 2", 2, Reason::Trailing),
            (b"\"a\x01b\"", 2, Reason::Control),
            (b"\"\\q\"", 1, Reason::Escape),
            (b"\"\\u12G4\"", 1, Reason::Escape),
            (b"\"\\uDC00\"", 1, Reason::Surrogate),
            (b"\"\\uD800x\"", 1, Reason::Surrogate),
            (b"\"\\uD800\\u0041\"", 1, Reason::Surrogate),
            (b"\"\xC3\"", 1, Reason::Utf8),
            (b"\"\xC0\x80\"", 1, Reason::Utf8),
            (b"\"\xED\xA0\x80\"", 1, Reason::Utf8),
            (b"\"\xC3", 1, Reason::End),
            (b"01", 1, Reason::Number),
            (b"-", 1, Reason::End),
            (b"1.", 2, Reason::End),
            (b"1.x", 2, Reason::Number),
            (b"1e+", 3, Reason::End),
            (b"tru", 3, Reason::End),
            (b"trux", 3, Reason::Unexpected),
            (b"\xEF\xBB\xBF1", 0, Reason::Unexpected),
        ];
        for (text, at, reason) in cases {
            assert_eq!(
                check(text).map(|_| ()),
                Err(Error { at, reason }),
                "{:?}",
                core::str::from_utf8(text)
            );
        }
    }

    #[test]
    fn depth_has_a_limit_and_no_more() {
        let deep = |n: usize| {
            let mut text = [0u8; 256];
            text[..n].fill(b'[');
            text[n..2 * n].fill(b']');
            check(&text[..2 * n]).map(|_| ())
        };
        assert_eq!(deep(32), Ok(()));
        assert_eq!(
            deep(33),
            Err(Error {
                at: 32,
                reason: Reason::Depth
            })
        );
    }

    #[test]
    fn the_value_is_given_without_its_surroundings() {
        let check = |text| check(text).map(|value| value.raw());
        assert_eq!(check(b" \r\n\t[ 1 ] \n"), Ok(&b"[ 1 ]"[..]));
        assert_eq!(check(b"\"\\uD83D\\uDE00\""), Ok(&b"\"\\uD83D\\uDE00\""[..]));
        assert_eq!(check(b"-0.0e-7"), Ok(&b"-0.0e-7"[..]));
        assert_eq!(check(b"{}"), Ok(&b"{}"[..]));
        assert_eq!(check(b"[[],{}]"), Ok(&b"[[],{}]"[..]));
    }
}
