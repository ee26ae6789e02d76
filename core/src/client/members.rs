//! Reading what an unknown peer has sent: strict in what is named, deaf to
//! the rest.

use core::fmt;

use crate::json::{Kind, Text, Value};

/// What is wrong with a call that is to be made, or with an answer, and
/// where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The member, with the names of its parents before it.
    pub field: &'static str,
    /// What it is, or is not.
    pub why: &'static str,
}

impl core::error::Error for Wrong {}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.field)?;
        out.write_str(" ")?;
        out.write_str(self.why)
    }
}

pub(super) const fn wrong(field: &'static str, why: &'static str) -> Wrong {
    Wrong { field, why }
}

/// The member of that name; `null` is no member. `field` is what it
/// is called when it is wrong.
pub(super) fn member<'a>(
    object: Value<'a>,
    name: &str,
    field: &'static str,
) -> Result<Option<Value<'a>>, Wrong> {
    let mut found = None;
    for (key, value) in object.members() {
        if key.is(name) && found.replace(value).is_some() {
            return Err(wrong(field, "stands twice"));
        }
    }
    Ok(found.filter(|value| !value.is_null()))
}

/// A member of one kind.
pub(super) fn of_kind<'a>(
    object: Value<'a>,
    name: &str,
    field: &'static str,
    kind: Kind,
) -> Result<Option<Value<'a>>, Wrong> {
    match member(object, name, field)? {
        Some(value) if value.kind() != kind => Err(wrong(field, must_be(kind))),
        found => Ok(found),
    }
}

/// A text; an empty one is none (section 3).
pub(super) fn text<'a>(
    object: Value<'a>,
    name: &str,
    field: &'static str,
) -> Result<Option<Text<'a>>, Wrong> {
    let value = of_kind(object, name, field, Kind::String)?;
    Ok(value
        .and_then(Value::as_text)
        .filter(|text| !text.is_empty()))
}

/// A text that must be there.
pub(super) fn needed<'a>(
    object: Value<'a>,
    name: &str,
    field: &'static str,
) -> Result<Text<'a>, Wrong> {
    text(object, name, field)?.ok_or(wrong(field, "is missing"))
}

/// `value`, which must be an object.
pub(super) fn object<'a>(value: Value<'a>, field: &'static str) -> Result<Value<'a>, Wrong> {
    match value.kind() {
        Kind::Object => Ok(value),
        _ => Err(wrong(field, must_be(Kind::Object))),
    }
}

const fn must_be(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "must be null",
        Kind::Boolean => "must be true or false",
        Kind::Number => "must be a number",
        Kind::String => "must be a string",
        Kind::Array => "must be an array",
        Kind::Object => "must be an object",
    }
}
