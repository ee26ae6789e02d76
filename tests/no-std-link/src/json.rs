//! `json`: reading, writing, typed values in and out.

use agentmote::buf::Sink;
use agentmote::json::{Kind, Reader, Text, Value, de, parse, ser, write};
use serde::{Deserialize, Serialize};

/// Every reader on every value of a text.
pub(crate) fn read(input: &[u8], out: &mut [u8]) -> usize {
    let mut sink = Sink::new(out);
    match parse(input) {
        Ok(value) => {
            one(value, &mut sink);
            for element in value.elements() {
                one(element, &mut sink);
            }
            for (key, value) in value.members() {
                text(key, &mut sink);
                one(value, &mut sink);
            }
            let key = core::str::from_utf8(input).unwrap_or("key");
            if let Some(value) = value.member(key) {
                one(value, &mut sink);
            }
        }
        Err(error) => {
            write::u64(&mut sink, error.at as u64);
            sink.text(error.reason.text());
        }
    }
    sink.filled()
}

/// The reader of one pass, driven by the input.
pub(crate) fn reader(input: &[u8], out: &mut [u8]) -> usize {
    let (choices, text) = input.split_at_checked(8).unwrap_or((input, &[]));
    let mut sink = Sink::new(out);
    let mut reader = Reader::new(text);
    for choice in choices {
        let step = match choice {
            0 => reader.open(),
            1 => reader
                .name()
                .map(|name| sink.put(name.map_or(&[], Text::raw))),
            2 => reader.value().map(|value| sink.put(value.raw())),
            _ => reader.end(),
        };
        if let Err(reason) = step {
            sink.text(reason.text());
        }
    }
    write::u64(&mut sink, reader.position() as u64);
    sink.filled()
}

fn one(value: Value<'_>, sink: &mut Sink<'_>) {
    sink.text(value.kind().text());
    sink.put(agentmote::rpc::id_of(value).unwrap_or_else(str::as_bytes));
    sink.put(value.raw());
    if value.is_null() || value.kind() == Kind::Array {
        return;
    }
    if let Some(value) = value.as_bool() {
        write::bool(sink, value);
    }
    if let Some(value) = value.as_text() {
        text(value, sink);
    }
    if let Some(number) = value.as_number() {
        sink.put(number.raw());
        match (number.as_i64(), number.as_u64()) {
            (Ok(value), _) => write::i64(sink, value),
            (_, Ok(value)) => write::u64(sink, value),
            (Err(error), _) => sink.text(error.text()),
        }
        if let Err(error) = number.as_f64().and_then(|_| number.as_f32()) {
            sink.text(error.text());
        }
        let decimals = sink.total() as u8;
        match number.as_fixed(decimals) {
            Ok(value) => write::i64(sink, i64::from(value)),
            Err(error) => sink.text(error.text()),
        }
    }
}

fn text(text: Text<'_>, sink: &mut Sink<'_>) {
    let mut room = [0; 32];
    if text.is("text") || text.same(text) || text.is_empty() {
        sink.put(text.raw());
    }
    write::u64(sink, text.char_count() as u64);
    sink.text(text.as_str().unwrap_or_default());
    sink.text(text.copy_to(&mut room).unwrap_or_default());
    for c in text.chars().skip(1) {
        sink.text(c.encode_utf8(&mut [0; 4]));
    }
}

/// Every writer.
pub(crate) fn write(input: &[u8], out: &mut [u8]) -> usize {
    let mut sink = Sink::new(out);
    let text = core::str::from_utf8(input).unwrap_or_default();
    write::string(&mut sink, text);
    write::escaped(&mut sink, input);
    write::base64(&mut sink, input);
    if let Some(bytes) = input.first_chunk::<8>() {
        write::bool(&mut sink, bytes[0] == 0);
        write::i64(&mut sink, i64::from_le_bytes(*bytes));
        write::u64(&mut sink, u64::from_le_bytes(*bytes));
    }
    sink.filled()
}

/// Floats, whose digits are the largest piece of code.
pub(crate) fn floats(input: &[u8], out: &mut [u8]) -> usize {
    let mut sink = Sink::new(out);
    if let Some(bytes) = input.first_chunk::<8>() {
        let value = f64::from_le_bytes(*bytes);
        if write::f64(&mut sink, value).is_err() || write::f32(&mut sink, value as f32).is_err() {
            sink.byte(b'!');
        }
    }
    sink.filled()
}

#[derive(Serialize, Deserialize)]
struct Whole<'a> {
    flag: bool,
    small: (i8, u8, i16, u16),
    wide: (i32, u32, i64, u64),
    single: f32,
    double: f64,
    letter: char,
    #[serde(borrow)]
    text: &'a str,
    copied: heapless::String<16>,
    list: heapless::Vec<Part, 4>,
    fixed: [u8; 3],
    maybe: Option<Part>,
    shape: Shape,
    unit: (),
    wrapped: Wrapped,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    a: u8,
    b: Option<bool>,
}

#[derive(Serialize, Deserialize)]
struct Wrapped(u16);

#[derive(Serialize, Deserialize)]
enum Shape {
    Unit,
    New(u8),
    Pair(u8, f32),
    Named { x: i32 },
}

/// A struct with a member of every kind, read and written back.
pub(crate) fn typed(input: &[u8], out: &mut [u8]) -> usize {
    let mut sink = Sink::new(out);
    let Ok(value) = parse(input) else {
        return 0;
    };
    match de::from_value::<Whole<'_>>(value) {
        Ok(whole) => {
            if let Err(error) = ser::to_sink(&mut sink, &whole) {
                sink.text(error.text());
            }
        }
        Err(error) => sink.text(error.text()),
    }
    let deserializer = de::Deserializer::new(value);
    if let Ok(number) = u8::deserialize(deserializer) {
        let _ = number.serialize(ser::Serializer::new(&mut sink));
    }
    sink.filled()
}
