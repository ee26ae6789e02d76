//! Typed values out: serde's data model as compact JSON text.
//!
//! Writes what `serde_json` writes in its compact form, byte for byte, for
//! every value it accepts. The differences are refusals: a float that is not
//! finite is an error and not `null`, and nesting has a limit.

use core::fmt::{self, Display, Write};

use serde::ser::{self, Serialize};

use super::write;
use crate::buf::Sink;
use crate::limits::JSON_DEPTH;

/// Why a value cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SerError {
    /// A float is infinite or not a number.
    NotFinite,
    /// Nested deeper than [`JSON_DEPTH`].
    Depth,
    /// A map has a key that is no string, character, boolean or number.
    KeyNotText,
    /// The value's own code refused. Its message is dropped: there is no
    /// memory to keep it in.
    Custom,
}

impl SerError {
    /// A few words for an error message.
    pub const fn text(self) -> &'static str {
        match self {
            Self::NotFinite => "a number is not finite",
            Self::Depth => "nested too deep",
            Self::KeyNotText => "a key is not text",
            Self::Custom => "the value refused",
        }
    }
}

impl Display for SerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for SerError {}

impl ser::Error for SerError {
    fn custom<T: Display>(_message: T) -> Self {
        Self::Custom
    }
}

impl From<write::NotFinite> for SerError {
    fn from(_: write::NotFinite) -> Self {
        Self::NotFinite
    }
}

/// Writes `value` as compact JSON.
///
/// A text longer than the sink's window is no error: the sink counts on, and
/// the caller asks [`Sink::overflowed`]. After an error the sink holds a text
/// cut somewhere; [`Sink::truncate`] takes it back.
///
/// Bound: the text nests at most [`JSON_DEPTH`] levels. The stack follows the
/// nesting of the value's own types, which no input chooses.
///
/// ```
/// # use agentmote::{buf::Sink, json::ser::to_sink};
/// let mut room = [0; 32];
/// let mut sink = Sink::new(&mut room);
/// to_sink(&mut sink, &("é\n", Some(2.5), [1, -2])).unwrap();
/// assert_eq!(sink.kept(), "[\"é\\n\",2.5,[1,-2]]".as_bytes());
/// ```
pub fn to_sink<T: Serialize + ?Sized>(sink: &mut Sink<'_>, value: &T) -> Result<(), SerError> {
    value.serialize(Serializer::new(sink))
}

/// The [`serde::Serializer`] behind [`to_sink`].
#[derive(Debug)]
pub struct Serializer<'s, 'b> {
    sink: &'s mut Sink<'b>,
    /// Levels that may still be opened.
    levels: usize,
    /// Whether a member name is written: a scalar in quotes, nothing else.
    key: bool,
}

impl<'s, 'b> Serializer<'s, 'b> {
    /// A serializer that appends one value to `sink`.
    pub fn new(sink: &'s mut Sink<'b>) -> Self {
        Self {
            sink,
            levels: JSON_DEPTH,
            key: false,
        }
    }

    /// Writes a token that a member name would need quotes around.
    fn bare<E: Into<SerError>>(
        self,
        write: impl FnOnce(&mut Sink<'b>) -> Result<(), E>,
    ) -> Result<(), SerError> {
        if self.key {
            self.sink.byte(b'"');
        }
        write(self.sink).map_err(Into::into)?;
        if self.key {
            self.sink.byte(b'"');
        }
        Ok(())
    }

    fn null(self) -> Result<(), SerError> {
        if self.key {
            return Err(SerError::KeyNotText);
        }
        self.sink.text("null");
        Ok(())
    }

    fn open(self, open: u8, close: &'static str) -> Result<Compound<'s, 'b>, SerError> {
        if self.key {
            return Err(SerError::KeyNotText);
        }
        let levels = self.levels.checked_sub(1).ok_or(SerError::Depth)?;
        self.sink.byte(open);
        Ok(Compound {
            sink: self.sink,
            levels,
            first: true,
            close,
        })
    }

    /// Opens an object with one member, whose value follows.
    fn tag(self, variant: &str) -> Result<Self, SerError> {
        let mut object = self.open(b'{', "}")?;
        object.name(variant);
        Ok(Self {
            sink: object.sink,
            levels: object.levels,
            key: false,
        })
    }
}

fn sure(write: impl FnOnce()) -> Result<(), SerError> {
    write();
    Ok(())
}

impl<'s, 'b> ser::Serializer for Serializer<'s, 'b> {
    type Ok = ();
    type Error = SerError;
    type SerializeSeq = Compound<'s, 'b>;
    type SerializeTuple = Compound<'s, 'b>;
    type SerializeTupleStruct = Compound<'s, 'b>;
    type SerializeTupleVariant = Compound<'s, 'b>;
    type SerializeMap = Compound<'s, 'b>;
    type SerializeStruct = Compound<'s, 'b>;
    type SerializeStructVariant = Compound<'s, 'b>;

    fn serialize_bool(self, value: bool) -> Result<(), SerError> {
        self.bare(|sink| sure(|| write::bool(sink, value)))
    }

    fn serialize_i8(self, value: i8) -> Result<(), SerError> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Result<(), SerError> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Result<(), SerError> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i64(self, value: i64) -> Result<(), SerError> {
        self.bare(|sink| sure(|| write::i64(sink, value)))
    }

    fn serialize_i128(self, value: i128) -> Result<(), SerError> {
        self.bare(|sink| sure(|| sink.text(itoa::Buffer::new().format(value))))
    }

    fn serialize_u8(self, value: u8) -> Result<(), SerError> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result<(), SerError> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result<(), SerError> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result<(), SerError> {
        self.bare(|sink| sure(|| write::u64(sink, value)))
    }

    fn serialize_u128(self, value: u128) -> Result<(), SerError> {
        self.bare(|sink| sure(|| sink.text(itoa::Buffer::new().format(value))))
    }

    fn serialize_f32(self, value: f32) -> Result<(), SerError> {
        self.bare(|sink| write::f32(sink, value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), SerError> {
        self.bare(|sink| write::f64(sink, value))
    }

    fn serialize_char(self, value: char) -> Result<(), SerError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), SerError> {
        write::string(self.sink, value);
        Ok(())
    }

    /// Bytes are an array of numbers, as in `serde_json`. A resource or blob
    /// is base64, which its writer chooses.
    fn serialize_bytes(self, value: &[u8]) -> Result<(), SerError> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), SerError> {
        self.null()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), SerError> {
        self.null()
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), SerError> {
        self.null()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), SerError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), SerError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), SerError> {
        let inner = self.tag(variant)?;
        value.serialize(Serializer {
            sink: &mut *inner.sink,
            ..inner
        })?;
        inner.sink.byte(b'}');
        Ok(())
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Compound<'s, 'b>, SerError> {
        self.open(b'[', "]")
    }

    fn serialize_tuple(self, _len: usize) -> Result<Compound<'s, 'b>, SerError> {
        self.open(b'[', "]")
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Compound<'s, 'b>, SerError> {
        self.open(b'[', "]")
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Compound<'s, 'b>, SerError> {
        self.tag(variant)?.open(b'[', "]}")
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Compound<'s, 'b>, SerError> {
        self.open(b'{', "}")
    }

    fn serialize_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Compound<'s, 'b>, SerError> {
        self.open(b'{', "}")
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Compound<'s, 'b>, SerError> {
        self.tag(variant)?.open(b'{', "}}")
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), SerError> {
        self.sink.byte(b'"');
        write!(Escaping(self.sink), "{value}").map_err(|_| SerError::Custom)?;
        self.sink.byte(b'"');
        Ok(())
    }
}

/// Text that passes through here is escaped.
struct Escaping<'s, 'b>(&'s mut Sink<'b>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write::escaped(self.0, text.as_bytes());
        Ok(())
    }
}

/// An array or object that is being written.
#[derive(Debug)]
pub struct Compound<'s, 'b> {
    sink: &'s mut Sink<'b>,
    levels: usize,
    first: bool,
    close: &'static str,
}

impl<'b> Compound<'_, 'b> {
    fn comma(&mut self) {
        if !self.first {
            self.sink.byte(b',');
        }
        self.first = false;
    }

    fn name(&mut self, name: &str) {
        self.comma();
        // Names of fields are short, and hardly any has an escape.
        if write::is_plain(name) {
            write::name(self.sink, name);
        } else {
            write::string(self.sink, name);
        }
        self.sink.byte(b':');
    }

    fn part(&mut self, key: bool) -> Serializer<'_, 'b> {
        Serializer {
            sink: &mut *self.sink,
            levels: self.levels,
            key,
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerError> {
        self.comma();
        value.serialize(self.part(false))
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), SerError> {
        self.name(name);
        value.serialize(self.part(false))
    }

    fn close(self) -> Result<(), SerError> {
        self.sink.text(self.close);
        Ok(())
    }
}

impl ser::SerializeSeq for Compound<'_, '_> {
    type Ok = ();
    type Error = SerError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerError> {
        self.element(value)
    }

    fn end(self) -> Result<(), SerError> {
        self.close()
    }
}

impl ser::SerializeTuple for Compound<'_, '_> {
    type Ok = ();
    type Error = SerError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerError> {
        self.element(value)
    }

    fn end(self) -> Result<(), SerError> {
        self.close()
    }
}

impl ser::SerializeTupleStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = SerError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerError> {
        self.element(value)
    }

    fn end(self) -> Result<(), SerError> {
        self.close()
    }
}

impl ser::SerializeTupleVariant for Compound<'_, '_> {
    type Ok = ();
    type Error = SerError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerError> {
        self.element(value)
    }

    fn end(self) -> Result<(), SerError> {
        self.close()
    }
}

impl ser::SerializeMap for Compound<'_, '_> {
    type Ok = ();
    type Error = SerError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerError> {
        self.comma();
        key.serialize(self.part(true))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerError> {
        self.sink.byte(b':');
        value.serialize(self.part(false))
    }

    fn end(self) -> Result<(), SerError> {
        self.close()
    }
}

impl ser::SerializeStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = SerError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), SerError> {
        self.member(name, value)
    }

    fn end(self) -> Result<(), SerError> {
        self.close()
    }
}

impl ser::SerializeStructVariant for Compound<'_, '_> {
    type Ok = ();
    type Error = SerError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), SerError> {
        self.member(name, value)
    }

    fn end(self) -> Result<(), SerError> {
        self.close()
    }
}
