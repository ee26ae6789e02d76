//! Typed values in: serde's data model out of a checked text.
//!
//! Reads what `serde_json` reads, with these differences, all for want of
//! memory of its own:
//!
//! * `&str` is borrowed only from text without escapes; an owned text type
//!   (`heapless::String`) takes escaped text of up to [`UNESCAPED_BYTES`];
//! * a number with a fraction of zeros (`2.0`, `1e3`) is a whole number, as
//!   JSON Schema has it;
//! * a number is the nearest float, or else an error: never an infinity.

use core::fmt::{self, Display};

use serde::de::{self, Deserialize, DeserializeSeed, Expected, Unexpected, Visitor};

use super::{Elements, Kind, Members, Number, NumberError, Text, Value, parse};
use crate::limits::UNESCAPED_BYTES;

/// Why a value is not of the wanted type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeError {
    /// Another kind of value was wanted.
    Type,
    /// The kind is right, and the value is not allowed; also a whole number
    /// outside the wanted integer type.
    Value,
    /// An array of the wrong length, or an object with a member too many.
    Length,
    /// A number that the wanted type cannot hold.
    Number(NumberError),
    /// Text with escapes was to be borrowed.
    Escaped,
    /// Text with escapes is longer than [`UNESCAPED_BYTES`].
    LongText,
    /// No such variant.
    UnknownVariant,
    /// No such field, in a type that allows no others.
    UnknownField,
    /// This field is missing.
    MissingField(&'static str),
    /// This field is there twice.
    DuplicateField(&'static str),
    /// The type's own code refused. Its message is dropped: there is no memory
    /// to keep it in.
    Custom,
}

impl DeError {
    /// A few words for an error message.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Type => "wrong type",
            Self::Value => "value not allowed",
            Self::Length => "wrong length",
            Self::Number(error) => error.text(),
            Self::Escaped => "escapes in a borrowed text",
            Self::LongText => "text with escapes too long",
            Self::UnknownVariant => "unknown variant",
            Self::UnknownField => "unknown field",
            Self::MissingField(_) => "missing field",
            Self::DuplicateField(_) => "duplicate field",
            Self::Custom => "the type refused",
        }
    }
}

impl Display for DeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())?;
        match self {
            Self::MissingField(name) | Self::DuplicateField(name) => {
                f.write_str(" ")?;
                f.write_str(name)
            }
            _ => Ok(()),
        }
    }
}

impl core::error::Error for DeError {}

impl de::Error for DeError {
    fn custom<T: Display>(_message: T) -> Self {
        Self::Custom
    }

    fn invalid_type(_found: Unexpected<'_>, _wanted: &dyn Expected) -> Self {
        Self::Type
    }

    fn invalid_value(_found: Unexpected<'_>, _wanted: &dyn Expected) -> Self {
        Self::Value
    }

    fn invalid_length(_len: usize, _wanted: &dyn Expected) -> Self {
        Self::Length
    }

    fn unknown_variant(_variant: &str, _known: &'static [&'static str]) -> Self {
        Self::UnknownVariant
    }

    fn unknown_field(_field: &str, _known: &'static [&'static str]) -> Self {
        Self::UnknownField
    }

    fn missing_field(field: &'static str) -> Self {
        Self::MissingField(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::DuplicateField(field)
    }
}

/// Reads a value of type `T`.
///
/// Members that `T` does not know are skipped, unless it refuses them. A field
/// that is there twice is [`DeError::DuplicateField`].
///
/// Bound: each level of `T` walks its part of the text once; nesting is
/// limited by what [`parse`] lets through. The stack follows the nesting of
/// `T`, with [`UNESCAPED_BYTES`] where text is read.
///
/// ```
/// # use agentmote::json::{de::from_value, parse};
/// let value = parse(br#" {"a": [1, "x", null]} "#).unwrap();
/// let a = value.member("a").unwrap();
/// assert_eq!(from_value(a), Ok((1u8, "x", None::<f32>)));
/// ```
pub fn from_value<'a, T: Deserialize<'a>>(value: Value<'a>) -> Result<T, DeError> {
    T::deserialize(Deserializer::new(value))
}

/// The [`serde::Deserializer`] behind [`from_value`].
#[derive(Clone, Copy, Debug)]
pub struct Deserializer<'a> {
    value: Value<'a>,
}

impl<'a> Deserializer<'a> {
    /// A deserializer of one value.
    pub fn new(value: Value<'a>) -> Self {
        Self { value }
    }

    fn number(self) -> Result<Number<'a>, DeError> {
        self.value.as_number().ok_or(DeError::Type)
    }

    fn signed<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_i64(self.number()?.as_i64().map_err(DeError::Number)?)
    }

    fn unsigned<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_u64(self.number()?.as_u64().map_err(DeError::Number)?)
    }

    fn text(self) -> Result<Text<'a>, DeError> {
        self.value.as_text().ok_or(DeError::Type)
    }

    fn array<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.value.kind() != Kind::Array {
            return Err(DeError::Type);
        }
        let mut array = Array {
            rest: self.value.elements(),
        };
        let value = visitor.visit_seq(&mut array)?;
        match array.rest.next() {
            None => Ok(value),
            Some(_) => Err(DeError::Length),
        }
    }

    fn object<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.value.kind() != Kind::Object {
            return Err(DeError::Type);
        }
        let mut object = Object {
            rest: self.value.members(),
            value: None,
        };
        let value = visitor.visit_map(&mut object)?;
        match object.rest.next() {
            None => Ok(value),
            Some(_) => Err(DeError::Length),
        }
    }
}

/// Gives a visitor the text: borrowed if it stands there as it is, else from
/// the stack.
fn visit_text<'a, V: Visitor<'a>>(text: Text<'a>, visitor: V) -> Result<V::Value, DeError> {
    match text.as_str() {
        Some(text) => visitor.visit_borrowed_str(text),
        None => visit_unescaped(text, visitor),
    }
}

/// Apart, so that the buffer lies on the stack of one text and not of every
/// level around it.
#[inline(never)]
fn visit_unescaped<'a, V: Visitor<'a>>(text: Text<'a>, visitor: V) -> Result<V::Value, DeError> {
    let mut room = [0; UNESCAPED_BYTES];
    let text = text.copy_to(&mut room).ok_or(DeError::LongText)?;
    visitor.visit_str(text)
}

/// As [`visit_text`], for a visitor that did ask for text: if it does not take
/// this one, it can only be for wanting to borrow it.
fn visit_wanted_text<'a, V: Visitor<'a>>(text: Text<'a>, visitor: V) -> Result<V::Value, DeError> {
    let borrowed = text.as_str().is_some();
    visit_text(text, visitor).map_err(|error| match error {
        DeError::Type if !borrowed => DeError::Escaped,
        other => other,
    })
}

fn visit_char<'a, V: Visitor<'a>>(text: Text<'a>, visitor: V) -> Result<V::Value, DeError> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) => visitor.visit_char(only),
        _ => Err(DeError::Value),
    }
}

macro_rules! forward {
    ($($method:ident => $to:ident),* $(,)?) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
            self.$to(visitor)
        }
    )*};
}

impl<'a> de::Deserializer<'a> for Deserializer<'a> {
    type Error = DeError;

    /// A number is visited as `u64`, `i64` or `f64`, the first that holds it.
    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.value.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Boolean => self.deserialize_bool(visitor),
            Kind::Number => {
                let number = self.number()?;
                if let Ok(whole) = number.as_u64() {
                    visitor.visit_u64(whole)
                } else if let Ok(whole) = number.as_i64() {
                    visitor.visit_i64(whole)
                } else {
                    self.deserialize_f64(visitor)
                }
            }
            Kind::String => visit_text(self.text()?, visitor),
            Kind::Array => self.array(visitor),
            Kind::Object => self.object(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_bool(self.value.as_bool().ok_or(DeError::Type)?)
    }

    forward! {
        deserialize_i8 => signed,
        deserialize_i16 => signed,
        deserialize_i32 => signed,
        deserialize_i64 => signed,
        // Beyond 64 bits there is no reader: out of range.
        deserialize_i128 => signed,
        deserialize_u8 => unsigned,
        deserialize_u16 => unsigned,
        deserialize_u32 => unsigned,
        deserialize_u64 => unsigned,
        deserialize_u128 => unsigned,
        deserialize_string => deserialize_str,
        deserialize_identifier => deserialize_str,
        deserialize_byte_buf => deserialize_bytes,
        deserialize_seq => array,
        deserialize_map => object,
    }

    fn deserialize_f32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_f32(self.number()?.as_f32().map_err(DeError::Number)?)
    }

    fn deserialize_f64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_f64(self.number()?.as_f64().map_err(DeError::Number)?)
    }

    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visit_char(self.text()?, visitor)
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visit_wanted_text(self.text()?, visitor)
    }

    /// Bytes are an array of numbers, or the UTF-8 bytes of a text.
    fn deserialize_bytes<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.value.as_text() {
            Some(text) => {
                let text = text.as_str().ok_or(DeError::Escaped)?;
                visitor.visit_borrowed_bytes(text.as_bytes())
            }
            None => self.array(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.value.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.value.is_null() {
            visitor.visit_unit()
        } else {
            Err(DeError::Type)
        }
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'a>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.array(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.array(visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        match self.value.kind() {
            Kind::Array => self.array(visitor),
            _ => self.object(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        if let Some(name) = self.value.as_text() {
            return visitor.visit_enum(Variant { name, value: None });
        }
        let mut members = self.value.members();
        match (members.next(), members.next()) {
            (Some((name, value)), None) => visitor.visit_enum(Variant {
                name,
                value: Some(value),
            }),
            _ if self.value.kind() == Kind::Object => Err(DeError::Length),
            _ => Err(DeError::Type),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_unit()
    }
}

struct Array<'a> {
    rest: Elements<'a>,
}

impl<'a> de::SeqAccess<'a> for &mut Array<'a> {
    type Error = DeError;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DeError> {
        match self.rest.next() {
            Some(value) => seed.deserialize(Deserializer::new(value)).map(Some),
            None => Ok(None),
        }
    }
}

struct Object<'a> {
    rest: Members<'a>,
    value: Option<Value<'a>>,
}

impl<'a> de::MapAccess<'a> for &mut Object<'a> {
    type Error = DeError;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DeError> {
        match self.rest.next() {
            Some((name, value)) => {
                self.value = Some(value);
                seed.deserialize(Key { name }).map(Some)
            }
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, DeError> {
        // Asked out of turn, there is no value.
        let value = self.value.take().ok_or(DeError::Custom)?;
        seed.deserialize(Deserializer::new(value))
    }
}

/// A member name. It is text, or what the text says: a number or a boolean.
#[derive(Clone, Copy)]
struct Key<'a> {
    name: Text<'a>,
}

impl<'a> Key<'a> {
    /// The name as a number or boolean.
    fn scalar(self) -> Result<Deserializer<'a>, DeError> {
        let raw = self.name.raw();
        match parse(raw) {
            Ok(value)
                if value.raw().len() == raw.len()
                    && matches!(value.kind(), Kind::Number | Kind::Boolean) =>
            {
                Ok(Deserializer::new(value))
            }
            _ => Err(DeError::Type),
        }
    }
}

macro_rules! scalar {
    ($($method:ident),* $(,)?) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
            self.scalar()?.$method(visitor)
        }
    )*};
}

impl<'a> de::Deserializer<'a> for Key<'a> {
    type Error = DeError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visit_text(self.name, visitor)
    }

    scalar! {
        deserialize_bool,
        deserialize_i8, deserialize_i16, deserialize_i32, deserialize_i64, deserialize_i128,
        deserialize_u8, deserialize_u16, deserialize_u32, deserialize_u64, deserialize_u128,
        deserialize_f32, deserialize_f64,
    }

    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visit_char(self.name, visitor)
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visit_wanted_text(self.name, visitor)
    }

    forward! {
        deserialize_string => deserialize_str,
        deserialize_identifier => deserialize_str,
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        visitor.visit_enum(Variant {
            name: self.name,
            value: None,
        })
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        <W: Visitor<'a>>
        bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
    }
}

/// An externally tagged enum: a name alone, or the one member of an object.
struct Variant<'a> {
    name: Text<'a>,
    value: Option<Value<'a>>,
}

impl<'a> de::EnumAccess<'a> for Variant<'a> {
    type Error = DeError;
    type Variant = Contents<'a>;

    fn variant_seed<V: DeserializeSeed<'a>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Contents<'a>), DeError> {
        let variant = seed.deserialize(Key { name: self.name })?;
        Ok((variant, Contents(self.value)))
    }
}

struct Contents<'a>(Option<Value<'a>>);

impl<'a> Contents<'a> {
    fn some(self) -> Result<Deserializer<'a>, DeError> {
        self.0.map(Deserializer::new).ok_or(DeError::Type)
    }
}

impl<'a> de::VariantAccess<'a> for Contents<'a> {
    type Error = DeError;

    fn unit_variant(self) -> Result<(), DeError> {
        match self.0 {
            Some(value) if !value.is_null() => Err(DeError::Type),
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, DeError> {
        seed.deserialize(self.some()?)
    }

    fn tuple_variant<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, DeError> {
        self.some()?.array(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        de::Deserializer::deserialize_struct(self.some()?, "", fields, visitor)
    }
}
