//! Header fields: the names that are kept, and the syntax of names and values.

/// Whether lines of one name add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeat {
    /// One value: a second line is refused, equal or not.
    Refused,
    /// One value, but a second line is told to the layer above, which has its
    /// own answer to it.
    Told,
    /// A comma-separated list: lines add up (RFC 9110 section 5.3).
    List,
}

/// A name that the head reader keeps the place of.
#[derive(Debug)]
pub struct Known {
    /// The field.
    pub field: Field,
    /// Its name in its usual spelling.
    pub name: &'static str,
    repeat: Repeat,
}

impl Known {
    /// Whether a second line of this name is refused with the whole head.
    pub(super) fn is_refused(&self) -> bool {
        self.repeat == Repeat::Refused
    }

    /// Whether several lines of this name add up to one list.
    pub fn is_list(&self) -> bool {
        self.repeat == Repeat::List
    }
}

macro_rules! fields {
    ($($field:ident $name:literal $repeat:ident,)+) => {
        /// A header field that the head reader knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Field {
            $(#[doc = concat!("`", $name, "`")] $field,)+
        }

        /// Every known field, in the order of [`Field`].
        const KNOWN: [Known; [$($name),+].len()] = [
            $(Known { field: Field::$field, name: $name, repeat: Repeat::$repeat },)+
        ];
    };
}

// The one place for the names that matter to the layers above. Each costs four
// bytes in a `Head`. Any other field is still reachable by `Head::named`.
fields! {
    Host "Host" Refused,
    ContentLength "Content-Length" Refused,
    TransferEncoding "Transfer-Encoding" Refused,
    Connection "Connection" List,
    Expect "Expect" Refused,
    ContentType "Content-Type" Refused,
    Accept "Accept" List,
    Origin "Origin" Refused,
    Authorization "Authorization" Refused,
    ApiKey "X-API-Key" Refused,
    McpProtocolVersion "MCP-Protocol-Version" Told,
    McpMethod "Mcp-Method" Told,
    McpName "Mcp-Name" Told,
    LastEventId "Last-Event-ID" Refused,
    A2aVersion "A2A-Version" Refused,
    A2aExtensions "A2A-Extensions" List,
    IfNoneMatch "If-None-Match" List,
    AccessControlRequestMethod "Access-Control-Request-Method" Refused,
    AccessControlRequestHeaders "Access-Control-Request-Headers" List,
}

impl Field {
    /// Number of known fields.
    pub const COUNT: usize = KNOWN.len();

    /// All known fields with their names.
    pub const ALL: &'static [Known] = &KNOWN;

    /// The name in its usual spelling.
    pub fn name(self) -> &'static str {
        KNOWN.get(self as usize).map_or("", |known| known.name)
    }

    /// The known field of a name, in any case (M-067).
    pub(super) fn find(name: &[u8]) -> Option<&'static Known> {
        KNOWN
            .iter()
            .find(|known| alike(known.name.as_bytes(), name))
    }
}

/// Whether a value has only characters 0x20 to 0x7E and tabs (M-070).
///
/// The head reader lets bytes from 0x80 pass, as RFC 9110 section 5.5 does.
pub fn is_visible_ascii(value: &[u8]) -> bool {
    value.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}

/// Whether a comma-separated list has a token, in any case.
///
/// For a list that may stand in several lines, ask [`super::Head::lists`].
pub fn token_listed(value: &[u8], token: &str) -> bool {
    Parts::new(value, b',').any(|part| alike(part, token.as_bytes()))
}

/// Whether an `If-None-Match` list has an entity tag, or is `*`.
///
/// `etag` includes its quotes. The comparison is weak: a `W/` before a listed
/// tag is ignored (RFC 9110 section 13.1.2).
pub fn etag_listed(value: &[u8], etag: &str) -> bool {
    Parts::new(value, b',')
        .any(|part| part == b"*" || part.strip_prefix(b"W/").unwrap_or(part) == etag.as_bytes())
}

/// The parts of a value between separators, without the spaces and tabs around
/// them. A separator in a quoted string separates nothing.
///
/// Empty parts are given too. Bound: each byte is read once.
#[derive(Clone, Debug)]
pub struct Parts<'v> {
    rest: Option<&'v [u8]>,
    separator: u8,
}

impl<'v> Parts<'v> {
    /// The parts of `value`; the separator is a comma or a semicolon.
    pub fn new(value: &'v [u8], separator: u8) -> Self {
        Self {
            rest: Some(value),
            separator,
        }
    }
}

impl<'v> Iterator for Parts<'v> {
    type Item = &'v [u8];

    fn next(&mut self) -> Option<&'v [u8]> {
        let rest = self.rest?;
        let mut quoted = false;
        let mut escaped = false;
        let end = rest.iter().position(|&byte| {
            if escaped {
                escaped = false;
            } else if byte == b'"' {
                quoted = !quoted;
            } else if quoted {
                escaped = byte == b'\\';
            } else {
                return byte == self.separator;
            }
            false
        });
        let (part, after) = match end.and_then(|end| rest.split_at_checked(end)) {
            Some((part, after)) => (part, after.get(1..)),
            None => (rest, None),
        };
        self.rest = after;
        Some(trim(part))
    }
}

/// A parameter `name=value`, with the quotes of the value taken off.
///
/// Spaces around the equals sign are not in the grammar; they are dropped, so
/// that no spelling hides a parameter. A quoted pair stays as written.
pub(super) fn parameter(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, value) = split_once(part, b'=')?;
    let value = match trim(value) {
        [b'"', inner @ .., b'"'] => inner,
        value => value,
    };
    Some((trim(name), value))
}

/// Whether two texts are the same in any case of ASCII letters.
///
/// Compiled once on a 32-bit core: each of the many places would be a loop.
#[cfg_attr(target_pointer_width = "32", inline(never))]
pub(crate) fn alike(one: &[u8], other: &[u8]) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// What stands before and after the first `byte`.
#[cfg_attr(target_pointer_width = "32", inline(never))]
pub(super) fn split_once(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|&b| b == byte)?;
    match text.split_at_checked(at)? {
        (before, [_, after @ ..]) => Some((before, after)),
        _ => None,
    }
}

/// `text` without the spaces and tabs at both ends (M-067).
pub(super) fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// Whether a byte may stand in a token (RFC 9110 section 5.6.2).
pub(super) fn is_token_byte(byte: u8) -> bool {
    TOKEN
        .get(usize::from(byte >> 5))
        .is_some_and(|bits| bits >> (byte & 31) & 1 == 1)
}

/// Whether a text is a token.
pub(super) fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|&byte| is_token_byte(byte))
}

/// Whether a byte may stand in a field value (RFC 9110 section 5.5).
pub(super) fn is_value_byte(byte: u8) -> bool {
    byte >= b' ' && byte != 0x7F || byte == b'\t'
}

/// One bit for each ASCII byte that may stand in a token.
const TOKEN: [u32; 4] = {
    let mut bits = [0u32; 4];
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'!' | b'#'
                    | b'$'
                    | b'%'
                    | b'&'
                    | b'\''
                    | b'*'
                    | b'+'
                    | b'-'
                    | b'.'
                    | b'^'
                    | b'_'
                    | b'`'
                    | b'|'
                    | b'~'
            )
        {
            bits[(byte >> 5) as usize] |= 1 << (byte & 31);
        }
        byte += 1;
    }
    bits
};

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (at, known) in Field::ALL.iter().enumerate() {
            assert_eq!(known.field as usize, at);
            assert_eq!(known.field.name(), known.name);
            assert!(is_token(known.name.as_bytes()));
            let upper = known.name.to_ascii_uppercase();
            let found = Field::find(upper.as_bytes()).expect("known in upper case");
            assert_eq!(found.field, known.field);
        }
        assert!(Field::find(b"Mcp-Nam").is_none());
        assert!(Field::find(b"Mcp-Name ").is_none());
    }

    #[test]
    fn token_bytes_are_those_of_the_grammar() {
        let others = b"!#$%&'*+-.^_`|~";
        for byte in 0..=255u8 {
            let want = byte.is_ascii_alphanumeric() || others.contains(&byte);
            assert_eq!(is_token_byte(byte), want, "byte {byte:#04x}");
        }
        assert!(!is_token(b""));
    }

    #[test]
    fn value_bytes_are_those_of_the_grammar() {
        for byte in 0..=255u8 {
            let want = byte == 9 || (byte >= 32 && byte != 127);
            assert_eq!(is_value_byte(byte), want, "byte {byte:#04x}");
            assert_eq!(is_visible_ascii(&[byte]), want && byte < 127);
        }
    }

    #[test]
    fn parts_respect_quotes() {
        let parts = |value: &'static [u8]| Parts::new(value, b',').collect::<Vec<_>>();
        assert_eq!(parts(b""), [b""]);
        assert_eq!(parts(b" a ,\tb\t,,"), [&b"a"[..], b"b", b"", b""]);
        assert_eq!(
            parts(br#"a;x="1,\",2", b"#),
            [&br#"a;x="1,\",2""#[..], b"b"]
        );
        assert_eq!(parts(br#"a,"open,b"#), [&b"a"[..], br#""open,b"#]);
        assert_eq!(parts(br"a\,b"), [&br"a\"[..], b"b"]);
    }

    #[test]
    fn a_token_is_listed_whole_and_in_any_case() {
        assert!(token_listed(b"Keep-Alive, Close", "close"));
        assert!(token_listed(b",,close", "close"));
        assert!(!token_listed(b"closed, not-close", "close"));
        assert!(!token_listed(b"", "close"));
    }

    #[test]
    fn entity_tags_compare_weakly() {
        assert!(etag_listed(br#""a", W/"b,c" "#, r#""b,c""#));
        assert!(etag_listed(b"*", r#""a""#));
        assert!(!etag_listed(br#""A""#, r#""a""#));
        assert!(!etag_listed(b"a", r#""a""#));
    }

    #[test]
    fn parameters_lose_their_quotes() {
        assert_eq!(parameter(b"a=b"), Some((&b"a"[..], &b"b"[..])));
        assert_eq!(parameter(br#"a = "b c""#), Some((&b"a"[..], &b"b c"[..])));
        assert_eq!(parameter(br#"a=""#), Some((&b"a"[..], &br#"""#[..])));
        assert_eq!(parameter(b"a"), None);
    }
}
