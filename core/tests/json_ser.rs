//! Typed values written as JSON, against `serde_json`.

mod common;

use common::Random;
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display};

use agentmote::buf::Sink;
use agentmote::json::ser::{SerError, to_sink};
use agentmote::limits::JSON_DEPTH;
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

const GUARD: u8 = 0xA5;

fn written<T: Serialize + ?Sized>(value: &T) -> Result<String, SerError> {
    let mut room = vec![GUARD; 1 << 16];
    let mut sink = Sink::new(&mut room);
    to_sink(&mut sink, value)?;
    assert!(!sink.overflowed());
    Ok(String::from_utf8(sink.kept().to_vec()).unwrap())
}

/// Same text as `serde_json`, and a prefix of it in every smaller buffer, and
/// each of its parts in every window, with no byte written beside them.
fn same<T: Serialize + ?Sized>(value: &T) {
    let want = serde_json::to_string(value).unwrap();
    assert_eq!(written(value).as_ref(), Ok(&want));
    for size in 0..=want.len() {
        let mut room = vec![GUARD; size + 8];
        let mut sink = Sink::new(&mut room[..size]);
        assert_eq!(to_sink(&mut sink, value), Ok(()));
        assert_eq!(sink.total(), want.len());
        assert_eq!(sink.overflowed(), size < want.len());
        assert_eq!(sink.kept(), &want.as_bytes()[..size]);
        assert!(room[size..].iter().all(|&byte| byte == GUARD));
    }
    for from in 0..=want.len() {
        let mut room = [GUARD; 8];
        let mut sink = Sink::window(&mut room[..7], from);
        assert_eq!(to_sink(&mut sink, value), Ok(()));
        let end = want.len().min(from + 7);
        assert_eq!(sink.kept(), &want.as_bytes()[from..end]);
        let kept = end - from;
        assert!(room[kept..].iter().all(|&byte| byte == GUARD));
    }
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype<T>(T);

#[derive(Serialize)]
struct Pair(i8, &'static str);

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct NoFields();

#[derive(Serialize, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Point,
    Circle(u32),
    Box(i16, i16),
    Text { at: (u8, u8), content: String },
    Nothing {},
    None(),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Tagged {
    MoveTo { joint_number: u8 },
    Stop,
}

#[derive(Serialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One(f32),
    Two { x: bool },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(&'static str),
}

#[derive(Serialize)]
struct Everything {
    yes: bool,
    no: bool,
    small: (i8, i16, i32, i64),
    large: (u8, u16, u32, u64),
    huge: (i128, u128),
    float: (f32, f64),
    letter: char,
    text: String,
    some: Option<u8>,
    none: Option<u8>,
    unit: (),
    list: Vec<Shape>,
    map: BTreeMap<String, Vec<Option<f32>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<u8>,
    #[serde(rename = "a \"new\"\nname")]
    renamed: [u8; 3],
    #[serde(flatten)]
    flat: BTreeMap<String, i32>,
}

struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("<{}>\n\"{0}\"", self.0))
    }
}

struct Bytes(&'static [u8]);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// A list and a map that do not tell their lengths.
struct Unsized(u8);

impl Serialize for Unsized {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for n in 0..self.0 {
            list.serialize_element(&n)?;
        }
        list.end()
    }
}

struct UnsizedMap(u8);

impl Serialize for UnsizedMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for n in 0..self.0 {
            map.serialize_key(&n)?;
            map.serialize_value(&(n, ()))?;
        }
        map.end()
    }
}

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Point,
        Shape::Circle(7),
        Shape::Box(-1, 1),
        Shape::Text {
            at: (0, 255),
            content: "\u{1}\u{7f}\u{2028}/\\\"é😀".into(),
        },
        Shape::Nothing {},
        Shape::None(),
    ]
}

#[test]
fn scalars() {
    same(&());
    same(&true);
    same(&false);
    for value in [
        i64::MIN,
        i64::MIN + 1,
        -129,
        -1,
        0,
        9,
        10,
        99,
        100,
        65_536,
        i64::MAX,
    ] {
        same(&value);
        same(&(value as i8));
        same(&(value as i16));
        same(&(value as i32));
        same(&(value as u8));
        same(&(value as u16));
        same(&(value as u32));
        same(&(value as u64));
    }
    for value in [i128::MIN, -1, 0, i128::from(u64::MAX) + 1, i128::MAX] {
        same(&value);
        same(&(value as u128));
    }
    for value in [
        0.0,
        -0.0,
        1.0,
        0.1,
        1e15,
        1e16,
        1e-5,
        1e-7,
        f64::MAX,
        5e-324,
    ] {
        same(&value);
        same(&(value as f32).clamp(f32::MIN, f32::MAX));
    }
    for letter in [
        'a', '"', '\\', '\0', '\u{1f}', '\u{7f}', 'é', '\u{ffff}', '😀',
    ] {
        same(&letter);
    }
    same(&Some("x"));
    same(&None::<u8>);
    same(&Some(Some(1)));
}

#[test]
fn every_character_alone_and_in_runs() {
    for c in ('\0'..='\u{2ff}').chain(['\u{2028}', '\u{2029}', '\u{feff}', '\u{10ffff}']) {
        assert_eq!(written(&c), Ok(serde_json::to_string(&c).unwrap()));
        let text = format!("0123456{c}89abcdef{c}{c}");
        assert_eq!(written(&text), Ok(serde_json::to_string(&text).unwrap()));
    }
}

#[test]
fn compounds() {
    same(&Unit);
    same(&Newtype(Newtype(Some(3))));
    same(&Pair(-1, "x"));
    same(&Empty {});
    same(&NoFields());
    same(&[0u8; 0]);
    same(&(1, "a", [true, false]));
    same(&Bytes(b""));
    same(&Bytes(b"\x00a\xff"));
    same(&Unsized(0));
    same(&Unsized(1));
    same(&Unsized(11));
    same(&UnsizedMap(0));
    same(&UnsizedMap(12));
    same(&shapes());
    same(&[Tagged::MoveTo { joint_number: 3 }, Tagged::Stop]);
    same(&[Adjacent::One(0.5), Adjacent::Two { x: true }]);
    same(&[Untagged::Number(-1), Untagged::Text("t")]);
    same(&Shown("a\\b\u{b}é"));
    same(&Shown(1.5));
    same(&BTreeMap::from([("", Newtype(Shape::Circle(1)))]));
    same(&std::net::Ipv4Addr::LOCALHOST);
    same(&Ok::<u8, ()>(1));
    same(&core::time::Duration::from_millis(1500));
}

#[test]
fn keys_that_are_text_or_can_be_quoted() {
    same(&BTreeMap::from([("b\"\n", 1), ("a", 2)]));
    same(&BTreeMap::from([(i64::MIN, 1), (7, 2)]));
    same(&BTreeMap::from([(u64::MAX, ())]));
    same(&BTreeMap::from([(i128::MIN, ())]));
    same(&BTreeMap::from([(u128::MAX, ())]));
    same(&BTreeMap::from([(true, 1), (false, 0)]));
    same(&BTreeMap::from([('"', 1), ('é', 2)]));
    same(&BTreeMap::from([(Shape::Point, 1)]));
    same(&BTreeMap::from([(Some("some"), 1)]));
    same(&BTreeMap::from([(Key(Newtype(-5)), [1])]));
    same(&BTreeMap::from([(Key(Shown(0)), 1)]));
    same(&BTreeMap::from([(Key(1.5f32), 1)]));
    same(&BTreeMap::from([(Key(1e300), 1)]));
}

/// Anything as a key of a map with one entry.
struct Key<T>(T);

impl<T: Serialize> Serialize for Key<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T> PartialEq for Key<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Key<T> {}

impl<T> PartialOrd for Key<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Key<T> {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

fn refused_key<T: Serialize + Debug>(key: T) {
    let text = format!("{key:?}");
    let map = BTreeMap::from([(Key(key), 1)]);
    assert_eq!(written(&map), Err(SerError::KeyNotText), "{text}");
    assert!(serde_json::to_string(&map).is_err(), "{text}");
}

#[test]
fn other_keys_are_refused_as_serde_json_does() {
    refused_key(());
    refused_key(None::<u8>);
    refused_key([1]);
    refused_key((1, 2));
    refused_key(BTreeMap::from([(1, 1)]));
    let refused = |shape: Shape| {
        let map = BTreeMap::from([(shape, 1)]);
        assert_eq!(written(&map), Err(SerError::KeyNotText));
        assert!(serde_json::to_string(&map).is_err());
    };
    shapes().into_iter().skip(1).for_each(refused);
    let map = BTreeMap::from([(Key(Bytes(b"a")), 1)]);
    assert_eq!(written(&map), Err(SerError::KeyNotText));
}

#[test]
fn what_is_not_finite_is_refused() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(written(&value), Err(SerError::NotFinite));
        assert_eq!(written(&(value as f32)), Err(SerError::NotFinite));
        assert_eq!(written(&[Some(value)]), Err(SerError::NotFinite));
        let map = BTreeMap::from([(Key(value), 1)]);
        assert_eq!(written(&map), Err(SerError::NotFinite));
    }
}

#[test]
fn what_the_value_refuses_is_custom() {
    struct Refuses;
    impl Serialize for Refuses {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("dropped"))
        }
    }
    struct Unshowable;
    impl Display for Unshowable {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            Err(fmt::Error)
        }
    }
    assert_eq!(written(&[Refuses]), Err(SerError::Custom));
    assert_eq!(written(&Shown(Unshowable)), Err(SerError::Custom));
    assert_eq!(SerError::Custom.to_string(), "the value refused");
}

/// `levels` arrays around nothing.
struct Deep(usize);

impl Serialize for Deep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == 1 {
            return serializer.serialize_seq(Some(0))?.end();
        }
        let mut list = serializer.serialize_seq(Some(1))?;
        list.serialize_element(&Deep(self.0 - 1))?;
        list.end()
    }
}

#[derive(Serialize)]
enum DeepVariant {
    End(u8),
    New(Box<DeepVariant>),
    Tuple(Box<DeepVariant>, u8),
    Struct { inner: Box<DeepVariant> },
}

#[test]
fn what_is_written_nests_no_deeper_than_what_is_read() {
    same(&Deep(JSON_DEPTH));
    let text = written(&Deep(JSON_DEPTH)).unwrap();
    assert!(agentmote::json::parse(text.as_bytes()).is_ok());
    assert_eq!(written(&Deep(JSON_DEPTH + 1)), Err(SerError::Depth));

    let mut value = DeepVariant::End(0);
    for _ in 1..JSON_DEPTH {
        value = DeepVariant::New(Box::new(value));
    }
    same(&value);
    assert_eq!(
        written(&DeepVariant::New(Box::new(value))),
        Err(SerError::Depth)
    );

    // Each of these is two levels.
    for struct_variant in [false, true] {
        let mut value = DeepVariant::End(0);
        for levels in (1..JSON_DEPTH + 2).step_by(2) {
            let text = written(&value);
            assert_eq!(text.is_ok(), levels <= JSON_DEPTH, "{levels}");
            value = if struct_variant {
                DeepVariant::Struct {
                    inner: Box::new(value),
                }
            } else {
                DeepVariant::Tuple(Box::new(value), 1)
            };
        }
    }
}

impl Random {
    fn index(&mut self, end: usize) -> usize {
        self.below(end as u64) as usize
    }

    fn finite(&mut self) -> f64 {
        match f64::from_bits(self.next()) {
            value if value.is_finite() => value,
            _ => self.index(1000) as f64 / 8.0,
        }
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 12] = [
            "plain text ",
            "\"",
            "\\",
            "\n",
            "\u{0}",
            "\u{1f}",
            "é",
            "😀",
            "\u{7f}",
            "/",
            "{\"a\":1}",
            "x",
        ];
        (0..self.index(8))
            .map(|_| PARTS[self.index(PARTS.len())])
            .collect()
    }

    fn shape(&mut self) -> Shape {
        match self.index(5) {
            0 => Shape::Point,
            1 => Shape::Circle(self.next() as u32),
            2 => Shape::Box(self.next() as i16, self.next() as i16),
            3 => Shape::Text {
                at: (self.next() as u8, 0),
                content: self.text(),
            },
            _ => Shape::Nothing {},
        }
    }

    fn everything(&mut self) -> Everything {
        let bits = self.next();
        Everything {
            yes: bits & 1 == 0,
            no: bits & 2 == 0,
            small: (bits as i8, bits as i16, bits as i32, bits as i64),
            large: (bits as u8, bits as u16, bits as u32, bits),
            huge: (
                (i128::from(bits) << 64 | i128::from(self.next())) >> self.index(128),
                (u128::from(bits) << 64 | u128::from(self.next())) >> self.index(128),
            ),
            float: (
                (self.finite() as f32).clamp(f32::MIN, f32::MAX),
                self.finite(),
            ),
            letter: char::from_u32(self.next() as u32 % 0x11_0000).unwrap_or('?'),
            text: self.text(),
            some: Some(bits as u8),
            none: None,
            unit: (),
            list: (0..self.index(5)).map(|_| self.shape()).collect(),
            map: (0..self.index(4))
                .map(|_| {
                    let list = (0..self.index(3))
                        .map(|_| (self.index(2) == 0).then_some(0.1 * self.index(99) as f32));
                    let list = list.collect();
                    (self.text(), list)
                })
                .collect(),
            left_out: vec![0; self.index(2)],
            renamed: [bits as u8, 0, 1],
            flat: (0..self.index(3))
                .map(|n| (format!("flat{n}"), n as i32))
                .collect(),
        }
    }
}

#[test]
fn random_values() {
    let mut random = Random(11);
    for round in 0..2000 {
        let value = random.everything();
        if round < 20 {
            same(&value);
        } else {
            assert_eq!(written(&value), Ok(serde_json::to_string(&value).unwrap()));
        }
    }
}

#[test]
fn base64_shows_the_same_text_in_every_window() {
    let mut random = Random(12);
    let bytes: Vec<u8> = (0..50).map(|_| random.next() as u8).collect();
    for len in 0..bytes.len() {
        let bytes = &bytes[..len];
        let mut room = [0; 80];
        let mut sink = Sink::new(&mut room);
        agentmote::json::write::base64(&mut sink, bytes);
        let whole = sink.kept().to_vec();
        assert_eq!(whole.len(), len.div_ceil(3) * 4);
        for from in 0..=whole.len() {
            for size in [0, 1, 2, 3, 4, 5, 9] {
                let mut room = [GUARD; 10];
                let mut sink = Sink::window(&mut room[..size], from);
                agentmote::json::write::base64(&mut sink, bytes);
                let end = whole.len().min(from + size);
                assert_eq!(sink.total(), whole.len());
                assert_eq!(sink.kept(), &whole[from..end]);
                assert!(room[end - from..].iter().all(|&byte| byte == GUARD));
            }
        }
    }
}
