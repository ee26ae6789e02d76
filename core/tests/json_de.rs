//! Typed values read from checked text, against `serde_json`.

mod common;

use common::Random;
use std::collections::BTreeMap;
use std::fmt::Debug;

use agentmote::json::de::{DeError, from_value};
use agentmote::json::{NumberError, parse};
use agentmote::limits::UNESCAPED_BYTES;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, DeError> {
    from_value(parse(text.as_bytes()).unwrap())
}

/// Same value as `serde_json` reads.
fn same<T: DeserializeOwned + PartialEq + Debug>(text: &str) {
    let want: T = serde_json::from_str(text).unwrap();
    assert_eq!(read::<T>(text), Ok(want), "{text}");
}

/// Refused for this reason, and by `serde_json` as well.
fn refused<T: DeserializeOwned + PartialEq + Debug>(text: &str, reason: DeError) {
    assert!(serde_json::from_str::<T>(text).is_err(), "{text}");
    assert_eq!(read::<T>(text), Err(reason), "{text}");
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Unit;

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Newtype<T>(T);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Pair(i8, bool);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Move {
    joint: u8,
    deg: f32,
    speed: Option<u8>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[serde(default)]
    a: u8,
}

#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Shape {
    Point,
    Circle(u32),
    Box(i16, i16),
    Text { at: (u8, u8), content: String },
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "type")]
enum Tagged {
    Move { joint: u8, deg: f64 },
    Stop,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum Untagged {
    Whole(i64),
    Number(f64),
    Text(String),
    List(Vec<Untagged>),
}

#[test]
fn scalars() {
    same::<()>("null");
    same::<bool>("true");
    same::<bool>(" false ");
    same::<u8>("255");
    same::<i8>("-128");
    same::<u64>("18446744073709551615");
    same::<i64>("-9223372036854775808");
    same::<u128>("18446744073709551615");
    same::<i128>("-9223372036854775808");
    same::<f64>("0.1");
    same::<f64>("-1e-400");
    same::<f64>("7");
    same::<f32>("16777217");
    same::<f32>("0.1");
    same::<char>(r#""x""#);
    same::<char>(r#""\uD83D\uDE00""#);
    same::<String>(r#""""#);
    same::<String>(r#""a\n\u00e9\/""#);
    same::<Option<u8>>("null");
    same::<Option<u8>>("1");
    same::<Unit>("null");
    same::<Newtype<Newtype<i32>>>("-5");
    assert_eq!(read("\"borrowed é\""), Ok("borrowed é"));
    assert_eq!(read("\"borrowed é\""), Ok("borrowed é".as_bytes()));
}

#[test]
fn whole_numbers_may_be_written_with_a_point_or_exponent() {
    assert_eq!(read("2.0"), Ok(2u8));
    assert_eq!(read("1e1"), Ok(10i32));
    assert_eq!(read("-10e-1"), Ok(-1i64));
    refused::<u8>("2.5", DeError::Number(NumberError::Fraction));
    refused::<u64>("1e20", DeError::Number(NumberError::Range));
    refused::<i64>("9223372036854775808", DeError::Number(NumberError::Range));
    refused::<u8>("-1", DeError::Number(NumberError::Range));
    refused::<u8>("256", DeError::Value);
    refused::<i8>("-129", DeError::Value);
    refused::<f64>("1e309", DeError::Number(NumberError::Range));
    assert_eq!(
        read::<f32>("1e39"),
        Err(DeError::Number(NumberError::Range))
    );
}

#[test]
fn other_kinds_are_refused() {
    refused::<bool>("1", DeError::Type);
    refused::<u8>("\"1\"", DeError::Type);
    refused::<f32>("null", DeError::Type);
    refused::<()>("0", DeError::Type);
    refused::<String>("1", DeError::Type);
    refused::<char>("1", DeError::Type);
    refused::<char>("\"\"", DeError::Value);
    refused::<char>("\"ab\"", DeError::Value);
    refused::<Vec<u8>>("{}", DeError::Type);
    refused::<BTreeMap<String, u8>>("[]", DeError::Type);
    refused::<Move>("1", DeError::Type);
    refused::<Shape>("1", DeError::Type);
    refused::<Shape>("[]", DeError::Type);
    refused::<Option<u8>>("true", DeError::Type);
}

#[test]
fn sequences() {
    same::<Vec<Option<i16>>>("[1, null ,-3]");
    same::<Vec<u8>>("[]");
    same::<(u8, String, [bool; 2])>(r#"[1,"x",[true,false]]"#);
    same::<Pair>("[-1,true]");
    same::<Vec<Vec<IgnoredAnyEq>>>(r#"[[{"a":[1]},2],[]]"#);
    refused::<(u8, u8)>("[1]", DeError::Length);
    refused::<(u8, u8)>("[1,2,3]", DeError::Length);
    refused::<[u8; 2]>("[1,2,3]", DeError::Length);
    refused::<Pair>("[1,true,2]", DeError::Length);
    assert_eq!(read::<heapless::Vec<u8, 3>>("[1,2,3]").unwrap(), [1, 2, 3]);
    assert!(read::<heapless::Vec<u8, 2>>("[1,2,3]").is_err());
}

/// Anything at all.
#[derive(Deserialize, Debug)]
struct IgnoredAnyEq(#[allow(dead_code)] IgnoredAny);

impl PartialEq for IgnoredAnyEq {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[test]
fn structs_and_maps() {
    same::<Move>(r#"{"joint":3,"deg":-1.5}"#);
    same::<Move>(r#"{"deg":-1.5,"extra":{"a":[{}]},"joint":3,"speed":7,"more":"\n"}"#);
    same::<Move>(r#"{"d\u0065g":0,"joint":3,"speed":null,"\u0001":1}"#);
    same::<Move>("[3,1,null]");
    refused::<Move>(r#"{"joint":3}"#, DeError::MissingField("deg"));
    refused::<Move>(
        r#"{"joint":3,"deg":1,"joint":3}"#,
        DeError::DuplicateField("joint"),
    );
    refused::<Move>(
        r#"{"joint":3,"deg":1,"d\u0065g":1}"#,
        DeError::DuplicateField("deg"),
    );
    refused::<Move>(r#"{"joint":3,"deg":"1"}"#, DeError::Type);
    refused::<Move>("[3,1]", DeError::Length);
    same::<Strict>("{}");
    same::<Strict>(r#"{"a":1}"#);
    refused::<Strict>(r#"{"b":1}"#, DeError::UnknownField);
    same::<BTreeMap<String, Vec<u8>>>(r#"{"a":[],"b\n":[1,2],"a":[3]}"#);
    same::<BTreeMap<i16, bool>>(r#"{"-5":true,"32767":false}"#);
    same::<BTreeMap<bool, u8>>(r#"{"true":1,"false":0}"#);
    same::<BTreeMap<char, u8>>(r#"{"x":1,"\u00e9":0}"#);
    same::<BTreeMap<Shape, u8>>(r#"{"Point":1}"#);
    same::<BTreeMap<Option<String>, u8>>(r#"{"x":1}"#);
    refused::<BTreeMap<u8, u8>>(r#"{"x":1}"#, DeError::Type);
    refused::<BTreeMap<u8, u8>>(r#"{" 1":1}"#, DeError::Type);
    refused::<BTreeMap<u8, u8>>(r#"{"":1}"#, DeError::Type);
    refused::<BTreeMap<u8, u8>>(r#"{"256":1}"#, DeError::Value);
    refused::<BTreeMap<bool, u8>>(r#"{"null":1}"#, DeError::Type);
    assert_eq!(
        read::<BTreeMap<&str, &str>>(r#"{"a":"b"}"#),
        Ok(BTreeMap::from([("a", "b")]))
    );
}

#[test]
fn enums() {
    same::<Shape>(r#""Point""#);
    same::<Shape>(r#""P\u006fint""#);
    same::<Shape>(r#"{"Point":null}"#);
    same::<Shape>(r#" { "Circle" : 7 } "#);
    same::<Shape>(r#"{"Box":[-1,1]}"#);
    same::<Shape>(r#"{"Text":{"at":[0,255],"content":"a\tb"}}"#);
    same::<Vec<Tagged>>(r#"[{"type":"Stop"},{"deg":1.5,"type":"Move","joint":1}]"#);
    same::<Vec<Untagged>>(r#"[1,-1,1.5,"\n",[2,["x"]]]"#);
    refused::<Shape>(r#""Line""#, DeError::UnknownVariant);
    refused::<Shape>(r#"{"Line":1}"#, DeError::UnknownVariant);
    refused::<Shape>(r#""Circle""#, DeError::Type);
    refused::<Shape>(r#"{"Point":1}"#, DeError::Type);
    refused::<Shape>(r#"{"Circle":[7]}"#, DeError::Type);
    refused::<Shape>(r#"{"Box":7}"#, DeError::Type);
    refused::<Shape>(r#"{"Box":[1,2,3]}"#, DeError::Length);
    refused::<Shape>(r#"{"Text":7}"#, DeError::Type);
    refused::<Shape>("{}", DeError::Length);
    refused::<Shape>(r#"{"Circle":7,"Box":[1,1]}"#, DeError::Length);
}

#[test]
fn text_with_escapes_needs_a_place_of_its_own() {
    refused_borrow::<&str>(r#""a\n""#);
    refused_borrow::<Option<&str>>(r#""\u0061""#);
    refused_borrow::<&[u8]>(r#""a\n""#);
    refused_borrow::<BTreeMap<&str, u8>>(r#"{"\n":1}"#);
    assert_eq!(read::<heapless::String<4>>(r#""\u00e9\n""#).unwrap(), "é\n");
    assert!(read::<heapless::String<2>>(r#""\u00e9\n""#).is_err());

    // As long as the place on the stack, and one byte longer.
    let long = "x".repeat(UNESCAPED_BYTES - 1);
    assert_eq!(read(&format!("\"\\t{long}\"")), Ok(format!("\t{long}")));
    assert_eq!(
        read::<String>(&format!("\"\\t{long}y\"")),
        Err(DeError::LongText)
    );
    assert_eq!(
        read(&format!("\"{long}{long}\"")),
        Ok(format!("{long}{long}"))
    );
    // Text that nobody reads may be of any length.
    let text = format!(r#"{{"joint":1,"other":"\t{long}y","deg":2}}"#);
    assert_eq!(
        read(&text),
        Ok(Move {
            joint: 1,
            deg: 2.0,
            speed: None
        })
    );
}

fn refused_borrow<'a, T: Deserialize<'a> + Debug + PartialEq>(text: &'a str) {
    assert!(serde_json::from_str::<T>(text).is_err());
    assert_eq!(read::<T>(text), Err(DeError::Escaped), "{text}");
}

#[test]
fn an_error_tells_what_it_is_about() {
    assert_eq!(
        DeError::MissingField("deg").to_string(),
        "missing field deg"
    );
    assert_eq!(
        DeError::Number(NumberError::Fraction).to_string(),
        "not a whole number"
    );
    assert!(size_of::<DeError>() <= 3 * size_of::<usize>());
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Everything {
    yes: bool,
    small: (i8, i16, i32, i64),
    large: (u8, u16, u32, u64),
    single: f32,
    double: f64,
    letter: char,
    text: String,
    maybe: Option<Vec<Shape>>,
    map: BTreeMap<String, [Option<bool>; 2]>,
}

impl Random {
    fn index(&mut self, end: usize) -> usize {
        self.below(end as u64) as usize
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 8] = ["plain", "\"", "\\", "\n", "\u{0}", "é", "😀", "]}"];
        (0..self.index(9))
            .map(|_| PARTS[self.index(PARTS.len())])
            .collect()
    }

    fn shape(&mut self) -> Shape {
        match self.index(4) {
            0 => Shape::Point,
            1 => Shape::Circle(self.next() as u32),
            2 => Shape::Box(self.next() as i16, self.next() as i16),
            _ => Shape::Text {
                at: (self.next() as u8, 0),
                content: self.text(),
            },
        }
    }

    fn everything(&mut self) -> Everything {
        let bits = self.next();
        let double = f64::from_bits(self.next());
        let single = f32::from_bits(self.next() as u32);
        Everything {
            yes: bits & 1 == 0,
            small: (bits as i8, bits as i16, bits as i32, bits as i64),
            large: (bits as u8, bits as u16, bits as u32, bits),
            single: if single.is_finite() { single } else { 0.5 },
            double: if double.is_finite() { double } else { 0.5 },
            letter: char::from_u32(self.next() as u32 % 0x11_0000).unwrap_or('?'),
            text: self.text(),
            maybe: (bits & 2 == 0).then(|| (0..self.index(4)).map(|_| self.shape()).collect()),
            map: (0..self.index(4))
                .map(|_| (self.text(), [Some(bits & 4 == 0), None]))
                .collect(),
        }
    }
}

#[test]
fn random_values_survive_a_round_trip() {
    let mut random = Random(21);
    let mut room = vec![0; 1 << 14];
    for _ in 0..2000 {
        let value = random.everything();
        let text = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(read::<Everything>(&text).as_ref(), Ok(&value));
        let mut sink = agentmote::buf::Sink::new(&mut room);
        agentmote::json::ser::to_sink(&mut sink, &value).unwrap();
        let text = std::str::from_utf8(sink.kept()).unwrap();
        assert_eq!(read::<Everything>(text).as_ref(), Ok(&value));
    }
}
