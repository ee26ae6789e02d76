//! The reader against two others: the same texts accepted, the same values
//! seen, the same texts refused.
//!
//! Known and wanted differences: this reader nests [`JSON_DEPTH`] levels, and
//! keeps a number that no double holds as text, where `serde_json` refuses it.

use std::fmt;

use agentmote::json::{Kind, NumberError, Reason, Value, parse};
use agentmote::limits::JSON_DEPTH;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// What is in a text. Members keep their order, and their repetitions.
#[derive(Clone, Debug, PartialEq)]
enum Tree<N> {
    Null,
    Bool(bool),
    Number(N),
    Text(String),
    List(Vec<Tree<N>>),
    Object(Vec<(String, Tree<N>)>),
}

fn tree(value: Value<'_>) -> Tree<String> {
    match value.kind() {
        Kind::Null => Tree::Null,
        Kind::Boolean => Tree::Bool(value.as_bool().unwrap()),
        Kind::Number => {
            let raw = value.as_number().unwrap().raw().to_vec();
            Tree::Number(String::from_utf8(raw).unwrap())
        }
        Kind::String => Tree::Text(value.as_text().unwrap().chars().collect()),
        Kind::Array => Tree::List(value.elements().map(tree).collect()),
        Kind::Object => Tree::Object(
            value
                .members()
                .map(|(name, value)| (name.chars().collect(), tree(value)))
                .collect(),
        ),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Parsed {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

impl<'de> Deserialize<'de> for Tree<Parsed> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Tree<Parsed>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Tree::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Tree::Bool(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
                Ok(Tree::Number(Parsed::Unsigned(value)))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Tree::Number(Parsed::Signed(value)))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Tree::Number(Parsed::Float(value)))
            }

            fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Tree::Text(value.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = seq.next_element()? {
                    list.push(value);
                }
                Ok(Tree::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Tree::Object(members))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The same tree, numbers compared by value.
fn agree(ours: &Tree<String>, theirs: &Tree<Parsed>) -> bool {
    match (ours, theirs) {
        (Tree::Null, Tree::Null) => true,
        (Tree::Bool(a), Tree::Bool(b)) => a == b,
        (Tree::Text(a), Tree::Text(b)) => a == b,
        (Tree::Number(raw), Tree::Number(parsed)) => number_agrees(raw, parsed),
        (Tree::List(a), Tree::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
        }
        (Tree::Object(a), Tree::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && agree(&a.1, &b.1))
        }
        _ => false,
    }
}

fn number_agrees(raw: &str, parsed: &Parsed) -> bool {
    let value = parse(raw.as_bytes()).unwrap();
    let number = value.as_number().unwrap();
    match *parsed {
        Parsed::Unsigned(want) => number.as_u64() == Ok(want),
        Parsed::Signed(want) => number.as_i64() == Ok(want),
        Parsed::Float(near) => {
            // Its default reader may be off by a bit; the standard library's
            // is not.
            let want: f64 = raw.parse().unwrap();
            let close = (near - want).abs() <= want.abs() * 1e-15 + 1e-323;
            match number.as_f64() {
                Ok(got) => close && got.to_bits() == want.to_bits(),
                Err(error) => error == NumberError::Precision && raw.len() > 20,
            }
        }
    }
}

/// What `picojson` sees, numbers as text.
fn pico(text: &[u8]) -> Option<Tree<String>> {
    use picojson::{Event, PullParser, SliceParser};

    enum Open {
        List(Vec<Tree<String>>),
        Object(Vec<(String, Tree<String>)>, Option<String>),
    }

    let mut scratch = vec![0; text.len() + 64];
    let mut parser = SliceParser::with_buffer_from_slice(text, &mut scratch);
    let mut levels: Vec<Open> = Vec::new();
    let mut root = None;
    loop {
        let done = match parser.next_event().ok()? {
            Event::StartArray => {
                levels.push(Open::List(Vec::new()));
                continue;
            }
            Event::StartObject => {
                levels.push(Open::Object(Vec::new(), None));
                continue;
            }
            Event::Key(name) => {
                if let Some(Open::Object(_, key)) = levels.last_mut() {
                    *key = Some(name.as_str().into());
                }
                continue;
            }
            Event::EndDocument => return root,
            Event::EndArray | Event::EndObject => match levels.pop()? {
                Open::List(list) => Tree::List(list),
                Open::Object(members, _) => Tree::Object(members),
            },
            Event::Null => Tree::Null,
            Event::Bool(value) => Tree::Bool(value),
            Event::Number(number) => Tree::Number(number.as_str().into()),
            Event::String(text) => Tree::Text(text.as_str().into()),
        };
        match levels.last_mut() {
            Some(Open::List(list)) => list.push(done),
            Some(Open::Object(members, key)) => members.push((key.take()?, done)),
            None => root = Some(done),
        }
    }
}

fn shown(text: &[u8]) -> String {
    text.escape_ascii().to_string()
}

/// Whether the text is JSON; all three readers must say the same of it.
fn judge(text: &[u8]) -> bool {
    let ours = parse(text).map(tree);
    let serde = serde_json::from_slice::<Tree<Parsed>>(text);
    match (&ours, &serde) {
        (Ok(ours), Ok(serde)) => assert!(agree(ours, serde), "{}: {ours:?} {serde:?}", shown(text)),
        (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) if error.to_string().starts_with("number out of range") => {}
        (Err(error), Ok(_)) if error.reason == Reason::Depth => {
            let opened = text[..=error.at].iter().filter(|b| b"[{".contains(b)).count();
            assert!(opened > JSON_DEPTH, "{}", shown(text));
            return false;
        }
        _ => panic!("{}: {ours:?} {serde:?}", shown(text)),
    }
    let pico = pico(text);
    assert_eq!(ours.as_ref().ok(), pico.as_ref(), "{}", shown(text));
    ours.is_ok()
}

#[test]
fn probe() {
    let mut random = Random(31);
    let bytes = CORPUS.to_vec();
    for text in bytes { judge(text); }
}
const CORPUS: &[&[u8]] = &[b"[]", b"{\"a\":1e5}"];
struct Random(u64);
