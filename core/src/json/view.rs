//! What is in a checked text.

use super::Text;
use super::number::Number;
use super::scan::{plain_run, skip_white};

/// The six kinds of JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number; JSON does not tell integers from others.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The word JSON Schema has for it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// One value in a checked text: a window without white space around it.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    raw: &'a [u8],
    /// Whether it is a string that is known to have no escape.
    plain: bool,
}

impl<'a> Value<'a> {
    /// `raw` must be one value of a checked text. Anything else is read as
    /// some other value, never as a panic.
    pub(crate) fn checked(raw: &'a [u8]) -> Self {
        Self { raw, plain: false }
    }

    /// A string, quotes included, that is known to have no escape.
    pub(super) fn plain(raw: &'a [u8]) -> Self {
        Self { raw, plain: true }
    }

    /// The bytes of the value, as they were sent.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// Which kind it is.
    pub fn kind(self) -> Kind {
        match self.raw.first() {
            Some(b'"') => Kind::String,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// A boolean's value.
    pub fn as_bool(self) -> Option<bool> {
        match self.raw.first() {
            Some(b't') => Some(true),
            Some(b'f') => Some(false),
            _ => None,
        }
    }

    /// A string's contents.
    pub fn as_text(self) -> Option<Text<'a>> {
        match self.raw {
            [b'"', contents @ .., b'"'] => Some(if self.plain {
                Text::plain(contents)
            } else {
                Text::checked(contents)
            }),
            _ => None,
        }
    }

    /// A number.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub fn as_number(self) -> Option<Number<'a>> {
        match self.kind() {
            Kind::Number => Some(Number::new(self.raw)),
            _ => None,
        }
    }

    /// The members of an object, in their order; of anything else, none.
    pub fn members(self) -> Members<'a> {
        Members {
            rest: inside(self.raw, b'{'),
        }
    }

    /// The elements of an array, in their order; of anything else, none.
    pub fn elements(self) -> Elements<'a> {
        Elements {
            rest: inside(self.raw, b'['),
        }
    }

    /// The first member of that name.
    ///
    /// Who acts on a member and must know that it is the only one walks
    /// [`members`](Self::members) instead.
    pub fn member(self, name: &str) -> Option<Value<'a>> {
        self.members()
            .find_map(|(key, value)| key.is(name).then_some(value))
    }
}

fn inside(raw: &[u8], open: u8) -> &[u8] {
    match raw.split_first() {
        Some((&first, rest)) if first == open => white(rest),
        _ => &[],
    }
}

/// Members of an object: names and values.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Members<'a> {
    type Item = (Text<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let [b'"', inner @ ..] = self.rest else {
            return None;
        };
        let (name, rest) = match inner.split_at_checked(plain_run(inner)) {
            Some((name, [b'"', rest @ ..])) => (Text::plain(name), rest),
            _ => {
                let (string, rest) = take_string(self.rest);
                (Value::checked(string).as_text()?, rest)
            }
        };
        // Behind the name: white space, the colon, white space.
        let rest = match rest {
            [b':', rest @ ..] => rest,
            _ => skip_white(rest).get(1..).unwrap_or(&[]),
        };
        let (value, rest) = take_value(white(rest));
        self.rest = skip_comma(rest);
        Some((name, Value::checked(value)))
    }
}

/// Elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    rest: &'a [u8],
}

impl<'a> Elements<'a> {
    /// The elements of which `rest` begins with the next; what
    /// [`rest`](Self::rest) gave.
    pub(crate) fn resume(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// What is still to come, to go on from later.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if let None | Some(b']') = self.rest.first() {
            return None;
        }
        let (value, rest) = take_value(self.rest);
        self.rest = skip_comma(rest);
        // A value is never empty in checked text; stop rather than stand
        // still on anything else.
        (!value.is_empty()).then_some(Value::checked(value))
    }
}

fn white(rest: &[u8]) -> &[u8] {
    match rest.first() {
        Some(..=b' ') => skip_white(rest),
        _ => rest,
    }
}

fn skip_comma(rest: &[u8]) -> &[u8] {
    match white(rest) {
        [b',', tail @ ..] => white(tail),
        _ => &[],
    }
}

fn split(bytes: &[u8], at: usize) -> (&[u8], &[u8]) {
    bytes.split_at_checked(at).unwrap_or((bytes, &[]))
}

/// Splits off the string at the front, quotes included.
fn take_string(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 1;
    while let Some(rest) = bytes.get(at..) {
        at += plain_run(rest);
        match bytes.get(at) {
            Some(b'"') => return split(bytes, at + 1),
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => break,
        }
    }
    (bytes, &[])
}

/// Splits off the value at the front.
fn take_value(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.first() {
        Some(b'"') => take_string(bytes),
        Some(b'{' | b'[') => take_nested(bytes),
        _ => {
            let len = bytes
                .iter()
                .take_while(|b| **b > b' ' && !matches!(b, b',' | b'}' | b']'))
                .count();
            split(bytes, len)
        }
    }
}

#[inline(never)]
fn take_nested(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut depth = 0usize;
    let mut rest = bytes;
    loop {
        match rest.split_first() {
            Some((b'"', _)) => (_, rest) = take_string(rest),
            Some((b'{' | b'[', tail)) => {
                depth += 1;
                rest = tail;
            }
            Some((b'}' | b']', tail)) => {
                depth = depth.saturating_sub(1);
                rest = tail;
                if depth == 0 {
                    return split(bytes, bytes.len().wrapping_sub(rest.len()));
                }
            }
            Some((_, tail)) => rest = tail,
            None => return (bytes, &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::Kind;

    #[test]
    fn members_and_elements_are_walked_in_order() {
        let text = br#" { "a" : 1 , "b\u0021" :[ 2,"x]}" , {"c":[[]]}, true ] ,"d":null } "#;
        let value = parse(text).unwrap();
        let mut members = value.members();
        let (key, one) = members.next().unwrap();
        assert!(key.is("a"));
        assert_eq!(one.raw(), b"1");
        let (key, list) = members.next().unwrap();
        assert!(key.is("b!"));
        let mut elements = list.elements();
        assert_eq!(elements.next().unwrap().raw(), b"2");
        assert!(elements.next().unwrap().as_text().unwrap().is("x]}"));
        assert_eq!(elements.next().unwrap().raw(), br#"{"c":[[]]}"#);
        assert_eq!(elements.next().unwrap().as_bool(), Some(true));
        assert!(elements.next().is_none());
        let (key, null) = members.next().unwrap();
        assert!(key.is("d") && null.is_null());
        assert!(members.next().is_none());
        assert_eq!(value.kind(), Kind::Object);
        assert!(value.elements().next().is_none());
        assert!(value.member("b").is_none());
    }

    #[test]
    fn empty_containers_have_nothing() {
        assert!(parse(b"{ }").unwrap().members().next().is_none());
        assert!(parse(b"[ ]").unwrap().elements().next().is_none());
    }
}
