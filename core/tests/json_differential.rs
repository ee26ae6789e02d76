//! The reader against two others: the same texts accepted, the same values
//! seen, the same texts refused.
//!
//! Known and wanted differences: this reader nests [`JSON_DEPTH`] levels, and
//! keeps a number that no double holds as text, where `serde_json` refuses it.

mod common;

use common::Random;
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
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| a.0 == b.0 && agree(&a.1, &b.1))
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
                Err(error) => error == NumberError::Precision && raw.len() > 19,
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
            // After a number it takes either bracket for either: that is
            // refused here in its place.
            end @ (Event::EndArray | Event::EndObject) => match (levels.pop()?, end) {
                (Open::List(list), Event::EndArray) => Tree::List(list),
                (Open::Object(members, _), Event::EndObject) => Tree::Object(members),
                _ => return None,
            },
            Event::Null => Tree::Null,
            Event::Bool(value) => Tree::Bool(value),
            Event::Number(number) => Tree::Number(number.as_str().into()),
            Event::String(text) => Tree::Text(text.as_str().into()),
        };
        match levels.last_mut() {
            Some(Open::List(list)) => list.push(done),
            Some(Open::Object(members, key)) => members.push((key.take()?, done)),
            // It goes on after a number that is the whole text.
            None if root.is_none() => root = Some(done),
            None => return None,
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
            let opened = text[..=error.at]
                .iter()
                .filter(|b| b"[{".contains(b))
                .count();
            assert!(opened > JSON_DEPTH, "{}", shown(text));
            return false;
        }
        _ => panic!("{}: {ours:?} {serde:?}", shown(text)),
    }
    // picojson lets half a surrogate pair pass: no witness there.
    if !matches!(&ours, Err(error) if error.reason == Reason::Surrogate) {
        assert_eq!(ours.as_ref().ok(), pico(text).as_ref(), "{}", shown(text));
    }
    ours.is_ok()
}

/// Texts that are JSON, by what they try.
const ACCEPTED: &[&[u8]] = &[
    // Words, bare and with white space of each kind.
    b"null",
    b"true",
    b" false",
    b"\t\r\n null \n\r\t ",
    // Arrays and objects.
    b"[]",
    b"[ ]",
    b"{}",
    b"{\t}",
    b"[[],[[]],{}]",
    b"[null,1,\"1\",{}]",
    b"[1\n,\n2\r,\t3 ]",
    b"{\"a\":{\"b\":{\"c\":[{\"d\":null}]}}}",
    b"{ \"a\" :1 ,\"b\": 2 }",
    b"{\"\":0}",
    b"{\"a\":1,\"a\":2,\"\\u0061\":3}",
    b"{\"]\":\"}\",\"[\":\"{,:\"}",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    // Numbers.
    b"0",
    b"-0",
    b"-1",
    b"10",
    b"1234567890",
    b"0.5",
    b"-0.0",
    b"1.000000000000000000000000000000000000005",
    b"1e0",
    b"1E+2",
    b"1e-2",
    b"0e+0",
    b"20e007",
    b"123.456e78",
    b"18446744073709551615",
    b"18446744073709551616",
    b"-9223372036854775808",
    b"-9223372036854775809",
    b"5e-324",
    b"1e-10000",
    b"[0,-0,1.5,1e5]",
    // Numbers that no double holds.
    b"1e400",
    b"[-1e+9999]",
    // Strings: plain, UTF-8 of each length, escapes.
    b"\"\"",
    b"\" \"",
    b"\"abc\"",
    b"\"a/b\"",
    b"\"\x7f\"",
    "\"é\"".as_bytes(),
    "\"€\u{2028}\u{feff}\"".as_bytes(),
    "\"😀\u{10ffff}\"".as_bytes(),
    "\"\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\"".as_bytes(),
    b"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    b"\"\\u0000\\u001f\\u0022\\u005C\\u005c\"",
    b"\"\\u00e9\\u20AC\\uFFFF\\ufffe\\uD7FF\\uE000\"",
    b"\"\\uD83D\\uDE00\"",
    b"\"\\ud800\\udc00\\udbff\\uDFFF\"",
    b"\"\\\\u0041\\\\\\u0041\"",
    b"[\"\\u0061\",\"0123456789012345678901234567890123456789\\n\"]",
    "{\"é\\n\":\"\\u00e9\"}".as_bytes(),
    // What is really sent.
    b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"arm_move\",\"arguments\":{\"joint\":3,\"deg\":-12.5}}}",
];

/// Texts that are not JSON and that nothing added could make JSON.
const INVALID: &[&[u8]] = &[
    // Words.
    b"nul ",
    b"nulL",
    b"Null",
    b"TRUE",
    b"truee",
    b"fals\xe9",
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"undefined",
    b"'a'",
    b"a",
    b"\\n",
    b"# comment\n1",
    b"1 // comment",
    b"/* comment */1",
    // Structure.
    b"[1,]",
    b"[,1]",
    b"[1,,2]",
    b"[1 2]",
    b"[1:2]",
    b"[1}",
    b"[\"a\"}",
    b"{1:2}",
    b"{\"a\"}",
    b"{\"a\",1}",
    b"{\"a\":}",
    b"{\"a\":1,}",
    b"{\"a\":1,,\"b\":2}",
    b"{,\"a\":1}",
    b"{\"a\"::1}",
    b"{\"a\":1 \"b\":2}",
    b"{\"a\":1]",
    b"{a:1}",
    b"{'a':1}",
    b"{null:1}",
    b"{[]:1}",
    b"{\"a\" \"b\"}",
    b"]",
    b"}",
    b",",
    b":",
    b"[]]",
    b"{}}",
    b"[][]",
    b"1 2",
    b"\"a\" \"b\"",
    b"null,",
    b"[1]x",
    // White space that is none.
    b"\xef\xbb\xbf1",
    b"\x0c1",
    b"\x0b[]",
    b"[\x0c]",
    b"1\x00",
    b"\xc2\xa01",
    "\u{2060}[]".as_bytes(),
    b"\xff\xfe1\x00",
    // Numbers.
    b"01",
    b"-01",
    b"00",
    b"+1",
    b".5",
    b"-.5",
    b"1.e5",
    b"[1.]",
    b"[-]",
    b"--1",
    b"-a",
    b"1.5.5",
    b"1e5e5",
    b"[1e]",
    b"[1e+]",
    b"[1E-]",
    b"1e1.5",
    b"0x10",
    b"1_000",
    b"1,000",
    b"1a",
    b"\xef\xbc\x91",
    // Strings.
    b"\"\x00\"",
    b"\"\x1f\"",
    b"\"a\nb\"",
    b"\"\t\"",
    b"\"\\a\"",
    b"\"\\'\"",
    b"\"\\x41\"",
    b"\"\\0\"",
    b"\"\\U0041\"",
    b"\"\\u004\"",
    b"\"\\u00g1\"",
    b"\"\\u+041\"",
    b"\"\\u 041\"",
    b"\"\\\xc3\xa9\"",
    b"\"\\u\xc3\xa9\"",
    // Surrogates.
    b"\"\\uD800\"",
    b"\"\\uDFFF\"",
    b"\"\\uD83Dx\"",
    b"\"\\uD83D\\n\"",
    b"\"\\uD83D\\u0041\"",
    b"\"\\uD83D\\uD83D\\uDE00\"",
    b"\"\\uDE00\\uD83D\"",
    b"{\"\\uD800\":1}",
    // UTF-8: stray, too long, surrogate, too high, cut by an ASCII byte.
    b"\"\x80\"",
    b"\"\xbf\"",
    b"\"\xc0\x80\"",
    b"\"\xc1\xbf\"",
    b"\"\xe0\x80\x80\"",
    b"\"\xe0\x9f\xbf\"",
    b"\"\xed\xa0\x80\"",
    b"\"\xed\xbf\xbf\"",
    b"\"\xf0\x80\x80\x80\"",
    b"\"\xf0\x8f\xbf\xbf\"",
    b"\"\xf4\x90\x80\x80\"",
    b"\"\xf5\x80\x80\x80\"",
    b"\"\xfe\"",
    b"\"\xff\"",
    b"\"\xc3\"",
    b"\"\xe2\x82\"",
    b"\"\xf0\x9f\x98\"",
    b"\"\xe2\x82a\"",
    b"{\"\xff\":1}",
    b"[\xff]",
];

/// Texts that are not JSON yet.
const INCOMPLETE: &[&[u8]] = &[
    b"",
    b" \n",
    b"[",
    b"[1",
    b"[1,",
    b"{",
    b"{\"a",
    b"{\"a\"",
    b"{\"a\":",
    b"{\"a\":1",
    b"{\"a\":1,",
    b"{\"a\":[{}",
    b"n",
    b"tru",
    b"-",
    b"1.",
    b"1e",
    b"1e-",
    b"\"",
    b"\"abc",
    b"\"\\",
    b"\"\\u",
    b"\"\\u12",
    b"\"\\uD83D",
    b"\"\\uD83D\\",
    b"\"\\uD83D\\u",
    b"\"\\uD83D\\uDE",
    b"\"\xe2\x82",
];

#[test]
fn what_is_json_is_accepted_by_all_and_reads_the_same() {
    for text in ACCEPTED {
        assert!(judge(text), "{}", shown(text));
    }
}

#[test]
fn what_is_not_is_refused_by_all() {
    for text in INVALID {
        assert!(!judge(text), "{}", shown(text));
        assert_ne!(
            parse(text).unwrap_err().reason,
            Reason::End,
            "{}",
            shown(text)
        );
    }
    for text in INCOMPLETE {
        assert!(!judge(text), "{}", shown(text));
        assert_eq!(
            parse(text).unwrap_err().reason,
            Reason::End,
            "{}",
            shown(text)
        );
    }
}

#[test]
fn the_depth_limit_is_the_one_difference_in_structure() {
    for levels in [JSON_DEPTH - 1, JSON_DEPTH, JSON_DEPTH + 1, 100] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[[],{\"b\":", "}]")] {
            let per = open.matches(['[', '{']).count() - open.matches(']').count();
            let turns = levels / per;
            let text = format!("{}1{}", open.repeat(turns), close.repeat(turns));
            let deep = turns * per > JSON_DEPTH || per == 2 && turns * per == JSON_DEPTH + 1;
            assert_eq!(judge(text.as_bytes()), !deep, "{text}");
            assert!(serde_json::from_str::<Tree<Parsed>>(&text).is_ok());
        }
    }
}

/// A text cut anywhere is a text that ends too soon: never whole, and never
/// wrong. Only a bare number may be whole before its end.
#[test]
fn every_cut_is_incomplete() {
    for text in ACCEPTED {
        let text = text.trim_ascii();
        let bare = text[0] == b'-' || text[0].is_ascii_digit();
        for cut in 0..text.len() {
            let part = &text[..cut];
            match parse(part) {
                Ok(value) => assert!(bare && value.raw() == part, "{}", shown(part)),
                Err(error) => {
                    assert_eq!(error.reason, Reason::End, "{}", shown(part));
                    // A character that is cut is where the text goes wrong.
                    assert!(error.at <= cut && error.at + 3 >= cut, "{}", shown(part));
                }
            }
            judge(part);
        }
        // White space at the end changes nothing.
        let mut longer = text.to_vec();
        longer.extend_from_slice(b" \n\t\r");
        assert_eq!(parse(&longer).unwrap().raw(), text);
    }
}

#[test]
fn what_is_wrong_stays_wrong_whatever_follows() {
    for text in INVALID {
        let error = parse(text).unwrap_err();
        for more in [&b"\""[..], b"1", b"]", b"}", b"\\u0041", b"\x80"] {
            let mut longer = text.to_vec();
            longer.extend_from_slice(more);
            assert_eq!(parse(&longer).unwrap_err(), error, "{}", shown(&longer));
        }
        // The place is the first byte that no JSON text has there: what
        // stands before it could go on. Half a surrogate pair is noticed only
        // when the other half has not come.
        if error.reason != Reason::Surrogate
            && let Err(before) = parse(&text[..error.at])
        {
            assert_eq!(before.reason, Reason::End, "{}", shown(text));
        }
    }
}

impl Random {
    fn index(&mut self, end: usize) -> usize {
        self.below(end as u64) as usize
    }

    fn pick<'a>(&mut self, from: &'a [u8]) -> &'a [u8] {
        let start = self.index(from.len());
        let end = start + self.index(12);
        &from[start..end.min(from.len())]
    }

    fn mutate(&mut self, text: &mut Vec<u8>) {
        const BYTES: &[u8] = b"{}[]:,\"\\/0123456789abcdefulnrtsDCE-+. \t\n\r\x00\x1f\x7f\x80\xbf\xc0\xc3\xe2\x82\xed\xa0\xf0\x9f\xf4\xff";
        const PIECES: &[&[u8]] = &[
            b"\\uD83D",
            b"\\uDE00",
            b"\\u0061",
            b"\\n",
            b"\"\"",
            b"[]",
            b"{}",
            b"null",
            b"true",
            b"1e5",
            b"-0.5",
            b",\"a\":",
            b"\xf0\x9f\x98\x80",
            b"\xc3\xa9",
            b"00",
            b"e+",
            b"[[[[[[[[[[[[[[[[",
        ];
        let at = self.index(text.len() + 1);
        let byte = BYTES[self.index(BYTES.len())];
        match self.index(8) {
            0 => text.insert(at, byte),
            1 if at < text.len() => text[at] = byte,
            2 if at < text.len() => drop(text.remove(at)),
            3 if at < text.len() => text[at] ^= 1 << self.index(8),
            4 => {
                let piece = self.pick(&text.clone()).to_vec();
                text.splice(at..at, piece);
            }
            5 => {
                let end = at + self.index(text.len() - at);
                text.drain(at..end);
            }
            6 => {
                let piece = PIECES[self.index(PIECES.len())];
                text.splice(at..at, piece.iter().copied());
            }
            _ => {
                let other = ACCEPTED[self.index(ACCEPTED.len())];
                let piece = self.pick(other);
                text.splice(at..at, piece.iter().copied());
            }
        }
    }
}

#[test]
fn random_mutations_are_judged_alike() {
    let rounds = if cfg!(debug_assertions) {
        400_000
    } else {
        3_000_000
    };
    let mut random = Random(41);
    let mut accepted = 0;
    for _ in 0..rounds {
        let mut text = ACCEPTED[random.index(ACCEPTED.len())].to_vec();
        for _ in 0..=random.index(3) {
            random.mutate(&mut text);
        }
        accepted += u32::from(judge(&text));
    }
    // Enough of both kinds, or the mutations test nothing.
    assert!(
        (rounds / 10..rounds / 10 * 9).contains(&accepted),
        "{accepted}"
    );
}
