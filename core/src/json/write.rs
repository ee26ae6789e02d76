//! JSON text out: the pieces that every writer of JSON needs.
//!
//! Each function appends one complete token to a [`Sink`], which bounds it.
//! Nothing here fails for lack of room: the sink counts on, and its owner asks
//! [`Sink::overflowed`] at the end.

use super::float;
use super::scan::plain_run;
#[cfg(target_pointer_width = "64")]
use super::scan::{WORD, literal_bytes};
use crate::buf::Sink;
use crate::buf::base64::digit;

/// JSON has no word for infinities and NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFinite;

/// Writes a string with its quotes, escaped.
///
/// ```
/// # use agentmote::{buf::Sink, json::write};
/// let mut room = [0; 16];
/// let mut sink = Sink::new(&mut room);
/// write::string(&mut sink, "5\"\n");
/// assert_eq!(sink.kept(), br#""5\"\n""#);
/// ```
pub fn string(sink: &mut Sink<'_>, text: &str) {
    sink.byte(b'"');
    escaped(sink, text.as_bytes());
    sink.byte(b'"');
}

/// Writes a string with its quotes that is known to need no escape: a name
/// that was checked when it was compiled.
pub(crate) fn name(sink: &mut Sink<'_>, text: &str) {
    sink.byte(b'"');
    sink.text(text);
    sink.byte(b'"');
}

/// Whether a text needs no escape; a `const fn`, so that tables are checked when
/// they are compiled.
pub(crate) const fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] < 0x20 || bytes[i] == b'"' || bytes[i] == b'\\' {
            return false;
        }
        i += 1;
    }
    true
}

/// Writes what stands between the quotes of a string: UTF-8 text with the
/// escapes that RFC 8259 asks for and no others.
///
/// Quote, backslash and the controls below 0x20 are escaped, in the short form
/// where there is one. DEL and U+2028 are not: the grammar allows them, and
/// every escape costs six bytes on the line and a break in the run.
///
/// Bound: one walk; runs without an escape are copied as a whole. Bytes that
/// are not UTF-8 pass unchanged, so text from outside must be checked first.
pub fn escaped(sink: &mut Sink<'_>, text: &[u8]) {
    let mut rest = text;
    // Where every byte has room for its escape, words go as they are; on
    // hosts alone, since it is for speed and costs 350 bytes of flash.
    #[cfg(target_pointer_width = "64")]
    if let Some(room) = sink.room(text.len().saturating_mul(2).saturating_add(WORD)) {
        let (filled, left) = fill(room, text);
        sink.skip(filled);
        rest = left;
    }
    while let Some((&byte, tail)) = rest.split_first() {
        match byte {
            b'"' => sink.put(b"\\\""),
            b'\\' => sink.put(b"\\\\"),
            ..0x20 => control(sink, byte),
            _ => {
                // At least the byte that was looked at.
                let run = plain_run(rest).max(1);
                let (run, after) = rest.split_at_checked(run).unwrap_or((rest, &[]));
                sink.put(run);
                rest = after;
                continue;
            }
        }
        rest = tail;
    }
}

/// Writes text up to the first control character; gives how many bytes that
/// made, and the text that is left.
///
/// A word is stored whole and counted up to its first special byte: JSON
/// inside a string has one every few bytes.
#[cfg(target_pointer_width = "64")]
fn fill<'t>(room: &mut [u8], text: &'t [u8]) -> (usize, &'t [u8]) {
    let mut rest = text;
    let mut filled = 0usize;
    loop {
        let place = room.get_mut(filled..).unwrap_or_default();
        let (run, special) = match (
            rest.split_first_chunk::<WORD>(),
            place.split_first_chunk_mut::<WORD>(),
        ) {
            (Some((word, _)), Some((place, _))) => {
                *place = *word;
                let run = literal_bytes(*word);
                (run, rest.get(run).filter(|_| run < WORD))
            }
            _ => {
                let mut run = 0;
                for (place, byte) in place.iter_mut().zip(rest) {
                    if *byte < 0x20 || *byte == b'"' || *byte == b'\\' {
                        break;
                    }
                    *place = *byte;
                    run += 1;
                }
                let special = rest.get(run);
                if special.is_none() {
                    return (filled.saturating_add(run), &[]);
                }
                (run, special)
            }
        };
        filled = filled.saturating_add(run);
        rest = rest.get(run..).unwrap_or(&[]);
        if let Some(special @ (b'"' | b'\\')) = special {
            let place = room.get_mut(filled..).unwrap_or_default();
            if let Some((place, _)) = place.split_first_chunk_mut::<2>() {
                *place = [b'\\', *special];
                filled = filled.saturating_add(2);
                rest = rest.get(1..).unwrap_or(&[]);
            }
        } else if special.is_some() {
            return (filled, rest);
        }
    }
}

/// The escape of a control character.
#[inline(never)]
fn control(sink: &mut Sink<'_>, byte: u8) {
    let short = match byte {
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            sink.text("\\u00");
            sink.byte(b'0' + (byte >> 4));
            let low = byte & 0xF;
            sink.byte(if low < 10 {
                b'0' + low
            } else {
                b'a' - 10 + low
            });
            return;
        }
    };
    sink.put(&[b'\\', short]);
}

/// Writes `true` or `false`.
#[cfg_attr(target_pointer_width = "32", inline(never))]
pub fn bool(sink: &mut Sink<'_>, value: bool) {
    sink.text(if value { "true" } else { "false" });
}

/// Writes a whole number, at most 20 bytes.
pub fn i64(sink: &mut Sink<'_>, value: i64) {
    if value < 0 {
        sink.byte(b'-');
    }
    u64(sink, value.unsigned_abs());
}

/// Writes a whole number, at most 20 bytes.
pub fn u64(sink: &mut Sink<'_>, value: u64) {
    sink.number(value);
}

/// Writes the shortest digits that read back as the same double, at most 24
/// bytes.
///
/// A whole number keeps a fraction (`2.0`); from 1e16 on, and below 1e-5, it
/// is written with an exponent (`1e+16`).
///
/// Refuses: [`NotFinite`], with nothing written.
pub fn f64(sink: &mut Sink<'_>, value: f64) -> Result<(), NotFinite> {
    if !value.is_finite() {
        return Err(NotFinite);
    }
    float::write(
        sink,
        value.to_bits() << 1 >> 1,
        value.is_sign_negative(),
        &float::DOUBLE,
    );
    Ok(())
}

/// Writes the shortest digits that read back as the same single, at most 16
/// bytes, in the manner of [`f64()`].
///
/// Refuses: [`NotFinite`], with nothing written.
pub fn f32(sink: &mut Sink<'_>, value: f32) -> Result<(), NotFinite> {
    if !value.is_finite() {
        return Err(NotFinite);
    }
    let bits = u64::from(value.to_bits() << 1 >> 1);
    float::write(sink, bits, value.is_sign_negative(), &float::SINGLE);
    Ok(())
}

/// Writes `digits * 10^exponent`, a whole number without a point where it has
/// at most 16 digits.
pub(crate) fn decimal(sink: &mut Sink<'_>, digits: i64, exponent: i8) {
    if digits < 0 {
        sink.byte(b'-');
    }
    let mut room = [0; 20];
    let mut text = Sink::new(&mut room);
    text.number(digits.unsigned_abs());
    let power = text.total() as i32 - 1 + i32::from(exponent);
    float::lay_out(sink, text.kept(), power, &float::DOUBLE, "");
}

/// Writes bytes in base64 (RFC 4648, standard alphabet, padded), without
/// quotes: `4 * ceil(n / 3)` bytes, none of which needs an escape.
pub fn base64(sink: &mut Sink<'_>, bytes: &[u8]) {
    for part in bytes.chunks(3) {
        // Of a large blob that is streamed through a small window, most is
        // not kept.
        if sink.unkept() >= 4 {
            sink.skip(4);
            continue;
        }
        let (word, used) = match *part {
            [a, b, c] => (u32::from_be_bytes([0, a, b, c]), 4),
            [a, b] => (u32::from_be_bytes([0, a, b, 0]), 3),
            [a] => (u32::from_be_bytes([0, a, 0, 0]), 2),
            _ => (0, 0),
        };
        let mut text = [b'='; 4];
        for (place, shift) in text.iter_mut().zip([18, 12, 6, 0]).take(used) {
            *place = digit((word >> shift & 0x3F) as u8);
        }
        sink.put(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::{NotFinite, base64, bool, escaped, f32, f64, i64, string, u64};
    use crate::buf::Sink;

    /// What `write` writes, in a buffer that is dirty at first.
    fn shown(write: impl FnOnce(&mut Sink<'_>), check: impl FnOnce(&str)) {
        let mut room = [0xA5; 400];
        let mut sink = Sink::new(&mut room);
        write(&mut sink);
        check(core::str::from_utf8(sink.kept()).unwrap());
    }

    #[test]
    fn every_ascii_character_is_escaped_only_if_it_must_be() {
        for byte in 0..0x80u8 {
            let text = [b'x', byte, b'y'];
            let text = core::str::from_utf8(&text).unwrap();
            shown(
                |sink| string(sink, text),
                |got| match byte {
                    b'"' => assert_eq!(got, r#""x\"y""#),
                    b'\\' => assert_eq!(got, r#""x\\y""#),
                    8 => assert_eq!(got, r#""x\by""#),
                    9 => assert_eq!(got, r#""x\ty""#),
                    10 => assert_eq!(got, r#""x\ny""#),
                    12 => assert_eq!(got, r#""x\fy""#),
                    13 => assert_eq!(got, r#""x\ry""#),
                    0x00..0x20 => {
                        let hex = b"0123456789abcdef";
                        let (high, low) =
                            (hex[usize::from(byte >> 4)], hex[usize::from(byte & 15)]);
                        let want = [b'"', b'x', b'\\', b'u', b'0', b'0', high, low, b'y', b'"'];
                        assert_eq!(got.as_bytes(), want);
                    }
                    _ => assert_eq!(got.as_bytes(), [b'"', b'x', byte, b'y', b'"']),
                },
            );
        }
    }

    #[test]
    fn text_beyond_ascii_passes_and_empty_text_is_quotes() {
        shown(
            |sink| string(sink, "é😀\u{2028}\u{7f}"),
            |got| {
                assert_eq!(got, "\"é😀\u{2028}\u{7f}\"");
            },
        );
        shown(|sink| string(sink, ""), |got| assert_eq!(got, r#""""#));
        shown(
            |sink| escaped(sink, br#"{"a":"b\n"}"#),
            |got| {
                assert_eq!(got, r#"{\"a\":\"b\\n\"}"#);
            },
        );
    }

    /// Wherever the special byte stands, and whatever the buffer holds.
    #[test]
    fn an_escape_stands_exactly_where_it_must() {
        for special in ['"', '\\', '\n', 'é'] {
            for at in 0..60 {
                let mut text = [b'a'; 64];
                let len = special.encode_utf8(&mut text[at..]).len();
                let mut want = [b'a'; 65];
                let (_, tail) = want.split_at_mut(at);
                let wide = match special {
                    'é' => special.encode_utf8(tail).len(),
                    '\n' => {
                        tail[..2].copy_from_slice(b"\\n");
                        2
                    }
                    _ => {
                        tail[..2].copy_from_slice(&[b'\\', special as u8]);
                        2
                    }
                };
                let want = &want[..64 - len + wide];
                for size in [0, 1, 20, 40, 63, 64, 65, 128] {
                    let mut room = [0xA5; 128];
                    let mut sink = Sink::new(&mut room[..size]);
                    escaped(&mut sink, &text);
                    assert_eq!(sink.total(), want.len());
                    assert_eq!(sink.kept(), &want[..size.min(want.len())]);
                }
            }
        }
    }

    #[test]
    fn numbers_at_their_limits() {
        shown(
            |sink| i64(sink, i64::MIN),
            |got| {
                assert_eq!(got, "-9223372036854775808");
            },
        );
        shown(
            |sink| i64(sink, i64::MAX),
            |got| assert_eq!(got, "9223372036854775807"),
        );
        shown(
            |sink| u64(sink, u64::MAX),
            |got| assert_eq!(got, "18446744073709551615"),
        );
        shown(|sink| u64(sink, 0), |got| assert_eq!(got, "0"));
        shown(|sink| bool(sink, true), |got| assert_eq!(got, "true"));
        shown(|sink| bool(sink, false), |got| assert_eq!(got, "false"));
        let doubles = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (2.0, "2.0"),
            (-90.0, "-90.0"),
            (0.1, "0.1"),
            (0.00001, "0.00001"),
            (0.000001, "1e-6"),
            (999_999_999_999_999.9, "999999999999999.9"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (-f64::MAX, "-1.7976931348623157e+308"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
        ];
        for (value, want) in doubles {
            shown(
                |sink| assert_eq!(f64(sink, value), Ok(())),
                |got| assert_eq!(got, want),
            );
        }
        let singles = [
            (0.1, "0.1"),
            (16_777_216.0, "16777216.0"),
            (-f32::MAX, "-3.4028235e+38"),
            (1e-45, "1e-45"),
        ];
        for (value, want) in singles {
            shown(
                |sink| assert_eq!(f32(sink, value), Ok(())),
                |got| assert_eq!(got, want),
            );
        }
    }

    #[test]
    fn what_json_cannot_say_is_refused_and_writes_nothing() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            shown(
                |sink| assert_eq!(f64(sink, value), Err(NotFinite)),
                |got| assert_eq!(got, ""),
            );
            shown(
                |sink| assert_eq!(f32(sink, value as f32), Err(NotFinite)),
                |got| {
                    assert_eq!(got, "");
                },
            );
        }
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        // The vectors of RFC 4648, section 10.
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, want) in cases {
            shown(
                |sink| base64(sink, bytes.as_bytes()),
                |got| assert_eq!(got, want),
            );
        }
        shown(
            |sink| base64(sink, &[0, 0x10, 0x83, 0xFB, 0xFF, 0xBF]),
            |got| {
                assert_eq!(got, "ABCD+/+/");
            },
        );
        let all: [u8; 256] = core::array::from_fn(|i| i as u8);
        shown(
            |sink| base64(sink, &all),
            |got| {
                assert_eq!(got.len(), 344);
                let mut bytes = all.iter();
                for four in got.as_bytes().chunks(4) {
                    let word = four.iter().fold(0u32, |word, digit| {
                        let digits =
                            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
                        word << 6 | digits.iter().position(|d| d == digit).unwrap_or(0) as u32
                    });
                    for byte in word.to_be_bytes().iter().skip(1).zip(&mut bytes) {
                        assert_eq!(byte.0, byte.1);
                    }
                }
                assert!(bytes.next().is_none());
            },
        );
    }
}
