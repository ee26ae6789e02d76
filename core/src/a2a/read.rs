//! ProtoJSON in: the members of an object in the spellings of each wire, and
//! the types that a field may have.

use super::code::Fault;
use super::era::Wire;
use crate::json::{Kind, Text, Value};

/// An object of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object<'a> {
    value: Option<Value<'a>>,
    wire: Wire,
    /// Whether the spelling of the other wire is refused, not unknown.
    strict: bool,
}

/// The fault of a member.
pub(super) const fn wrong(field: &'static str, why: &'static str) -> Fault {
    Fault::Params { field, why }
}

impl<'a> Object<'a> {
    /// The object `value`, which is `field` of the request; a missing one has
    /// no members.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub(super) fn new(
        value: Option<Value<'a>>,
        wire: Wire,
        field: &'static str,
    ) -> Result<Self, Fault> {
        if value.is_some_and(|value| value.kind() != Kind::Object) {
            return Err(wrong(field, "must be an object"));
        }
        Ok(Self {
            value,
            wire,
            strict: false,
        })
    }

    /// The object that is `field` of this one, of whose members it says the
    /// same.
    pub(super) fn within(
        &self,
        value: Option<Value<'a>>,
        field: &'static str,
    ) -> Result<Self, Fault> {
        let inner = Self::new(value, self.wire, field)?;
        Ok(inner.strict(self.strict))
    }

    /// The same object, whose members in the snake case of the other wire are
    /// refused.
    pub(super) fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// The member of that name, in camel case, `null` among its values. On
    /// 1.x the snake case of the name is as good (A-051), on 0.3 it is
    /// unknown (D-010), or refused if the agent is strict about it (O-012).
    /// None may stand twice, in whatever spelling: `field` is what is wrong
    /// then.
    pub(super) fn member(
        &self,
        name: &'static str,
        field: &'static str,
    ) -> Result<Option<Value<'a>>, Fault> {
        let mut found = None;
        let members = self.value.into_iter().flat_map(Value::members);
        for (key, value) in members {
            let exact = key.is(name);
            let snake = !exact && (self.wire == Wire::V1 || self.strict) && is_snake(key, name);
            if snake && self.wire == Wire::V03 {
                return Err(Fault::Spelling { field, name });
            }
            if (exact || snake) && found.replace(value).is_some() {
                return Err(wrong(field, "stands twice"));
            }
        }
        Ok(found)
    }

    /// The member of that name, unless it is `null`, which means unset
    /// (A-055).
    pub(super) fn set(
        &self,
        name: &'static str,
        field: &'static str,
    ) -> Result<Option<Value<'a>>, Fault> {
        Ok(self.member(name, field)?.filter(|value| !value.is_null()))
    }

    /// A text; an empty one is as good as none.
    pub(super) fn text(
        &self,
        name: &'static str,
        field: &'static str,
    ) -> Result<Option<Text<'a>>, Fault> {
        let Some(value) = self.set(name, field)? else {
            return Ok(None);
        };
        let text = value.as_text().ok_or(wrong(field, "must be a string"))?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// A boolean.
    pub(super) fn flag(
        &self,
        name: &'static str,
        field: &'static str,
    ) -> Result<Option<bool>, Fault> {
        let Some(value) = self.set(name, field)? else {
            return Ok(None);
        };
        let flag = value.as_bool();
        flag.ok_or(wrong(field, "must be true or false")).map(Some)
    }

    /// A whole number from 0 on: of JSON, or on 1.x its digits in a string
    /// (A-056).
    pub(super) fn count(
        &self,
        name: &'static str,
        field: &'static str,
    ) -> Result<Option<u32>, Fault> {
        let Some(value) = self.set(name, field)? else {
            return Ok(None);
        };
        let digits = value.as_text().filter(|_| self.wire == Wire::V1);
        let number = match digits.map(Text::raw) {
            Some(digits) => crate::json::parse(digits).ok().and_then(Value::as_number),
            None => value.as_number(),
        };
        let number = number.ok_or(wrong(field, "must be a whole number"))?;
        match number.as_i64() {
            Ok(number @ 0..=0x7FFF_FFFF) => Ok(Some(number as u32)),
            Ok(_) => Err(wrong(field, "must be 0 to 2147483647")),
            Err(_) => Err(wrong(field, "must be a whole number")),
        }
    }

    /// An object, as it was written; empty if there is none.
    pub(super) fn json(&self, name: &'static str, field: &'static str) -> Result<&'a [u8], Fault> {
        match self.set(name, field)? {
            None => Ok(&[]),
            Some(value) if value.kind() == Kind::Object => Ok(value.raw()),
            Some(_) => Err(wrong(field, "must be an object")),
        }
    }

    /// A list of texts; one that is empty or missing gives none.
    pub(super) fn texts(
        &self,
        name: &'static str,
        field: &'static str,
    ) -> Result<Option<Value<'a>>, Fault> {
        let Some(value) = self.set(name, field)? else {
            return Ok(None);
        };
        let fine =
            value.kind() == Kind::Array && value.elements().all(|one| one.kind() == Kind::String);
        if !fine {
            return Err(wrong(field, "must be a list of strings"));
        }
        Ok(Some(value).filter(|value| value.elements().next().is_some()))
    }
}

/// Whether a key is the snake case of a name in camel case.
fn is_snake(key: Text<'_>, camel: &str) -> bool {
    let mut rest = key.chars();
    for c in camel.bytes() {
        if c.is_ascii_uppercase() && rest.next() != Some('_') {
            return false;
        }
        if rest.next() != Some(char::from(c.to_ascii_lowercase())) {
            return false;
        }
    }
    rest.next().is_none()
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::buf::base64::{text_bytes, text_len};
    use crate::json::parse;
    use std::vec::Vec;

    fn object(text: &str, wire: Wire) -> Object<'_> {
        Object::new(Some(parse(text.as_bytes()).unwrap()), wire, "params").unwrap()
    }

    /// A-051, A-055, D-010.
    #[test]
    fn a_name_has_the_spellings_of_its_wire() {
        for (text, new, old) in [
            (r#"{"historyLength":2}"#, Some(2), Some(2)),
            (r#"{"history_length":2}"#, Some(2), None),
            (r#"{"history_Length":2}"#, None, None),
            (r#"{"history_length_":2}"#, None, None),
            (r#"{"historylength":2}"#, None, None),
            (r#"{"historyLength":null}"#, None, None),
            (r#"{"history\u004cength":2}"#, Some(2), Some(2)),
        ] {
            let read = |wire| object(text, wire).count("historyLength", "f").unwrap();
            assert_eq!((read(Wire::V1), read(Wire::V03)), (new, old), "{text}");
        }
        let twice = object(r#"{"taskId":"a","task_id":"b"}"#, Wire::V1);
        let fault = twice.text("taskId", "taskId").unwrap_err();
        assert_eq!(fault, wrong("taskId", "stands twice"));
    }

    /// A-056.
    #[test]
    fn a_number_has_the_spellings_of_protojson() {
        let read = |value: &str, wire| {
            let text = std::format!("{{\"n\":{value}}}");
            object(&text, wire).count("n", "n").ok().flatten()
        };
        for (value, want) in [
            ("2", 2),
            ("2.0", 2),
            ("2e1", 20),
            ("2147483647", 2147483647),
        ] {
            assert_eq!(read(value, Wire::V1), Some(want), "{value}");
            assert_eq!(read(value, Wire::V03), Some(want), "{value}");
        }
        assert_eq!(read("\"2\"", Wire::V1), Some(2));
        assert_eq!(read("\"2\"", Wire::V03), None);
        for wrong in [
            "-1",
            "1.5",
            "2147483648",
            "\"\"",
            "\"x\"",
            "true",
            "[]",
            "\"1.5\"",
        ] {
            assert_eq!(read(wrong, Wire::V1), None, "{wrong}");
        }
    }

    /// A-059.
    #[test]
    fn base64_of_both_alphabets_padded_or_not() {
        for (text, want) in [
            ("", Some(&b""[..])),
            ("aGk=", Some(b"hi")),
            ("aGk", Some(b"hi")),
            ("aA==", Some(b"h")),
            ("aA", Some(b"h")),
            ("-_8", Some(&[0xFB, 0xFF])),
            (r"+\/8=", Some(&[0xFB, 0xFF])),
            ("aGkh", Some(b"hi!")),
            ("a", None),
            ("aGk==", None),
            ("aGkh=", None),
            ("aA=", None),
            ("=", None),
            ("a=Gk", None),
            ("aG k", None),
            ("aGk=\u{e9}", None),
        ] {
            let got = text_len(Text::checked(text.as_bytes()).chars());
            assert_eq!(got, want.map(<[u8]>::len), "{text}");
            if let Some(want) = want {
                let bytes: Vec<u8> = text_bytes(Text::checked(text.as_bytes()).chars()).collect();
                assert_eq!(bytes, want, "{text}");
            }
        }
    }
}
