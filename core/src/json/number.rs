//! A number in JSON text: kept as text, read on demand, exactly or not at all.
//!
//! The text is first reduced to `mantissa * 10^exponent` with a mantissa of up
//! to 64 bits, in one walk. Integers come from that by multiplication alone.
//! Floats come from it through a fixed big integer of 16-bit limbs: a product
//! or quotient of two limbs fits 32 bits, so the smallest cores need no 64-bit
//! division and no software floating point.

use crate::buf::tenth;

/// Why a number cannot be given in the wanted type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// An integer was wanted and the number has a fraction.
    Fraction,
    /// The number lies outside the type.
    Range,
    /// The number has so many digits that its rounding is not decided by the
    /// first nineteen, or its text is longer than 1 MiB.
    Precision,
    /// The text is not a number.
    Malformed,
}

impl NumberError {
    /// A few words for an error message.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Fraction => "not a whole number",
            Self::Range => "out of range",
            Self::Precision => "too many digits",
            Self::Malformed => "malformed number",
        }
    }
}

/// A number as it stands in a checked text.
///
/// Bound: each reading is linear in the length of the text, whatever its
/// exponent says; a float reading adds at most 60 passes over 56 limbs
/// (twice for texts of more than 19 digits) and 112 bytes of stack.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    raw: &'a [u8],
}

impl<'a> Number<'a> {
    /// `raw` must be a number of a checked text; anything else reads as
    /// [`NumberError::Malformed`] or as some number, never as a panic.
    pub(crate) fn new(raw: &'a [u8]) -> Self {
        Self { raw }
    }

    /// The bytes of the number, as they were sent.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// The whole number. `2.0`, `1e1`, `10e-1` and `-0` are whole.
    ///
    /// Refuses: [`NumberError::Fraction`], [`NumberError::Range`]. A number
    /// that is both gives either.
    pub fn as_i64(self) -> Result<i64, NumberError> {
        match self.short() {
            Some(value) => Ok(i64::from(value)),
            None => self.long_i64(),
        }
    }

    /// A number of a few digits and nothing else: what most integers are.
    fn short(self) -> Option<u32> {
        // Eight digits cannot overflow.
        if self.raw.is_empty() || self.raw.len() > 8 {
            return None;
        }
        let mut value = 0u32;
        for &byte in self.raw {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit));
        }
        Some(value)
    }

    /// The number in units of `10^-decimals`, rounded to the nearest one, a
    /// half away from zero: 1.5 with three decimals is 1500. For a core
    /// without an FPU, where floats cost a routine for each operation.
    ///
    /// Refuses: [`NumberError::Range`] beyond the type.
    pub fn as_fixed(self, decimals: u8) -> Result<i32, NumberError> {
        let decimal = Decimal::read(self.raw)?;
        let mut value = decimal.mantissa;
        let mut exponent = decimal.exponent.saturating_add(i32::from(decimals));
        while exponent > 0 && value != 0 {
            value = shifted(value, 0).ok_or(NumberError::Range)?;
            exponent -= 1;
        }
        // The last digit that goes rounds; those before it do not matter.
        let mut last = 0;
        while exponent < 0 && (value != 0 || last != 0) {
            (value, last) = tenth(value);
            exponent += 1;
        }
        value = value.saturating_add(u64::from(last >= 5));
        match i64::try_from(value).map(|value| if decimal.negative { -value } else { value }) {
            Ok(value) => i32::try_from(value).map_err(|_| NumberError::Range),
            Err(_) => Err(NumberError::Range),
        }
    }

    #[inline(never)]
    fn long_i64(self) -> Result<i64, NumberError> {
        let (negative, magnitude) = self.whole()?;
        if negative {
            0i64.checked_sub_unsigned(magnitude)
        } else {
            i64::try_from(magnitude).ok()
        }
        .ok_or(NumberError::Range)
    }

    /// The whole number, if it is not below zero; else as
    /// [`as_i64`](Self::as_i64).
    pub fn as_u64(self) -> Result<u64, NumberError> {
        match self.whole()? {
            (false, magnitude) | (true, magnitude @ 0) => Ok(magnitude),
            (true, _) => Err(NumberError::Range),
        }
    }

    /// The nearest double, ties to even; a number too small becomes a
    /// subnormal or a zero of its sign.
    ///
    /// Refuses: [`NumberError::Range`] where the nearest would be an infinity,
    /// [`NumberError::Precision`] where more than nineteen digits matter.
    pub fn as_f64(self) -> Result<f64, NumberError> {
        let (negative, bits) = self.nearest(&DOUBLE)?;
        Ok(f64::from_bits(bits | u64::from(negative) << 63))
    }

    /// The nearest single, rounded once and not by way of a double; else as
    /// [`as_f64`](Self::as_f64).
    pub fn as_f32(self) -> Result<f32, NumberError> {
        let (negative, bits) = self.nearest(&SINGLE)?;
        // The bits of a single stand in the lower half.
        Ok(f32::from_bits(bits as u32 | u32::from(negative) << 31))
    }

    fn whole(self) -> Result<(bool, u64), NumberError> {
        let decimal = Decimal::read(self.raw)?;
        let mut whole = decimal.mantissa;
        if whole != 0 {
            // A digit that did not fit the mantissa stands behind the point,
            // or else the number has more than 64 bits. Without such a digit
            // the last one of the mantissa is not zero.
            if decimal.more && decimal.exponent > 0 {
                return Err(NumberError::Range);
            }
            if decimal.more || decimal.exponent < 0 {
                return Err(NumberError::Fraction);
            }
            for _ in 0..decimal.exponent {
                whole = shifted(whole, 0).ok_or(NumberError::Range)?;
            }
        }
        Ok((decimal.negative, whole))
    }

    fn nearest(self, format: &Format) -> Result<(bool, u64), NumberError> {
        let decimal = Decimal::read(self.raw)?;
        let Decimal {
            mantissa,
            exponent,
            more,
            ..
        } = decimal;
        let bits = nearest(mantissa, exponent, more, format)?;
        if more {
            // The number lies strictly between two neighbours. Only if both
            // round to the same value is that the answer.
            let above = mantissa.checked_add(1).ok_or(NumberError::Precision)?;
            if nearest(above, exponent, false, format) != Ok(bits) {
                return Err(NumberError::Precision);
            }
        }
        Ok((decimal.negative, bits))
    }
}

/// Longest text that is read, in bytes: it keeps every count of digits well
/// inside 32 bits, and an exponent of that size is beyond any of them.
const LONGEST: usize = 1 << 20;

/// `mantissa * 10^exponent`, a little more if `more`.
struct Decimal {
    negative: bool,
    mantissa: u64,
    exponent: i32,
    /// A digit other than zero did not fit the mantissa any more.
    more: bool,
}

impl Decimal {
    #[inline(never)]
    fn read(raw: &[u8]) -> Result<Self, NumberError> {
        if raw.len() > LONGEST {
            return Err(NumberError::Precision);
        }
        let (negative, mut rest) = match raw {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let mut mantissa = 0u64;
        let mut more = false;
        // Digits seen; of those, digits in the mantissa or in front of it;
        // digits before the point.
        let mut seen = 0i32;
        let mut taken = 0i32;
        let mut point = None;
        let exponent = loop {
            let Some((&byte, tail)) = rest.split_first() else {
                break 0;
            };
            rest = tail;
            match byte {
                b'0' => seen += 1,
                b'1'..=b'9' => {
                    seen += 1;
                    if mantissa == 0 {
                        taken = seen - 1;
                    }
                    // Zeros are taken only when a digit follows them, so that
                    // zeros at the end cost no precision.
                    while taken < seen && !more {
                        let digit = if taken + 1 < seen { 0 } else { byte - b'0' };
                        match shifted(mantissa, digit) {
                            Some(wider) => {
                                mantissa = wider;
                                taken += 1;
                            }
                            None => more = true,
                        }
                    }
                }
                b'.' if point.is_none() => point = Some(seen),
                b'e' | b'E' => break power(rest)?,
                _ => return Err(NumberError::Malformed),
            }
        };
        if seen == 0 {
            return Err(NumberError::Malformed);
        }
        Ok(Self {
            negative,
            mantissa,
            exponent: exponent + point.unwrap_or(seen) - taken,
            more,
        })
    }
}

/// The power of ten behind an `e`.
fn power(text: &[u8]) -> Result<i32, NumberError> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return Err(NumberError::Malformed);
    }
    let mut power = 0i32;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return Err(NumberError::Malformed);
        }
        // Beyond this, further digits cannot change what comes out.
        if power < 1 << 26 {
            power = power * 10 + i32::from(byte - b'0');
        }
    }
    Ok(if negative { -power } else { power })
}

/// `value * 10 + digit`, if it fits.
fn shifted(value: u64, digit: u8) -> Option<u64> {
    if value > u64::MAX / 10 {
        return None;
    }
    (value * 10).checked_add(u64::from(digit))
}

/// What tells one binary format from another.
struct Format {
    /// Bits of the significand, the hidden one included.
    precision: u32,
    /// Exponent of the smallest normal number; the largest is `1 - lowest`.
    lowest: i32,
}

const DOUBLE: Format = Format {
    precision: 53,
    lowest: -1022,
};
const SINGLE: Format = Format {
    precision: 24,
    lowest: -126,
};

/// Limbs of the big integer: a quotient by `5^342` with 64 bits to spare.
const LIMBS: usize = 56;

/// `5^6`, the largest power of five in 16 bits.
const STEP: u32 = 15_625;

/// The bits (no sign) of the value nearest to `mantissa * 10^exponent`, to
/// something slightly above that if `more`.
#[inline(never)]
fn nearest(mantissa: u64, exponent: i32, more: bool, format: &Format) -> Result<u64, NumberError> {
    // 2^64 * 10^-343 is below half of the smallest double.
    if mantissa == 0 || exponent < -342 {
        return Ok(0);
    }
    if exponent > 308 {
        return Err(NumberError::Range);
    }
    let lead = mantissa.leading_zeros();
    let top = mantissa << lead;
    let tens = exponent.unsigned_abs() as usize;
    // 149/1024 limbs a power of five, rounded up.
    let used = 7 + ((tens * 149) >> 10);
    let mut room = [0u16; LIMBS];
    let big = room.get_mut(..used).ok_or(NumberError::Range)?;
    // A product grows from the bottom. A quotient shrinks from the top, where
    // one limb stays free for its first factor.
    let low = if exponent < 0 {
        used.saturating_sub(5)
    } else {
        0
    };
    for (limb, shift) in big.iter_mut().skip(low).zip([0, 16, 32, 48]) {
        *limb = (top >> shift) as u16;
    }
    let mut sticky = more;
    if exponent < 0 {
        // Up to the next multiple of six, so that one divisor is enough.
        multiply(big, five_to((6 - tens % 6) % 6));
        for _ in 0..tens.div_ceil(6) {
            sticky |= divide(big);
        }
    } else {
        multiply(big, five_to(tens % 6));
        for _ in 0..tens / 6 {
            multiply(big, STEP);
        }
    }

    // The first 64 bits from the highest set one, and whether more follow.
    let mut limbs = big.iter().rev().map(|&limb| u64::from(limb));
    let mut high = used as i32 * 16;
    let mut head = 0;
    while head == 0 {
        let Some(limb) = limbs.next() else {
            return Ok(0);
        };
        head = limb;
        high -= 16;
    }
    for _ in 0..3 {
        head = head << 16 | limbs.next().unwrap_or(0);
    }
    let lead_16 = head.leading_zeros();
    let next = limbs.next().unwrap_or(0) << lead_16;
    head = head << lead_16 | next >> 16;
    sticky |= next as u16 != 0 || limbs.any(|limb| limb != 0);

    // The power of two of the highest bit.
    let scale = high + 15 - lead_16 as i32 - low as i32 * 16 - lead as i32 + exponent;
    round(head, scale, sticky, format)
}

fn five_to(power: usize) -> u32 {
    (0..power).fold(1, |product, _| product * 5)
}

fn multiply(big: &mut [u16], factor: u32) {
    let mut carry = 0;
    for limb in big {
        let product = u32::from(*limb) * factor + carry;
        *limb = product as u16;
        carry = product >> 16;
    }
}

/// Divides by [`STEP`]; whether there was a remainder.
fn divide(big: &mut [u16]) -> bool {
    let mut rest = 0;
    for limb in big.iter_mut().rev() {
        let part = rest << 16 | u32::from(*limb);
        *limb = (part / STEP) as u16;
        rest = part % STEP;
    }
    rest != 0
}

/// The bits of the value nearest to `head * 2^(scale - 63)`, where the highest
/// bit of `head` is set and `sticky` stands for anything behind its lowest.
fn round(head: u64, scale: i32, sticky: bool, format: &Format) -> Result<u64, NumberError> {
    let below = format.lowest.saturating_sub(scale).max(0) as u32;
    // Bits to drop: from 11 (a double) to any number (a subnormal).
    let drop = 64 - format.precision + below;
    if drop > 64 {
        return Ok(0);
    }
    let mut kept = head.checked_shr(drop).unwrap_or(0);
    let dropped = head.checked_shl(64 - drop).unwrap_or(0);
    let half = 1 << 63;
    if dropped > half || dropped == half && (sticky || kept & 1 == 1) {
        kept += 1;
    }
    // The hidden bit adds the last one to the exponent, and so does a carry
    // out of the significand.
    let above = scale.saturating_sub(format.lowest).max(0) as u64;
    let field = format.precision - 1;
    let bits = (above << field) + kept;
    let infinite = (3 - 2 * format.lowest) as u64;
    if bits >> field >= infinite {
        return Err(NumberError::Range);
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use super::{Number, NumberError};
    use NumberError::{Fraction, Malformed, Precision, Range};

    fn number(text: &str) -> Number<'_> {
        Number::new(text.as_bytes())
    }

    #[test]
    fn whole_numbers_are_exact_however_they_are_written() {
        let cases: [(&str, Result<i64, NumberError>); 32] = [
            ("0", Ok(0)),
            ("-0", Ok(0)),
            ("-0.0e-7", Ok(0)),
            ("7", Ok(7)),
            ("-7", Ok(-7)),
            ("2.0", Ok(2)),
            ("1e1", Ok(10)),
            ("1E+1", Ok(10)),
            ("10e-1", Ok(1)),
            ("1.5e1", Ok(15)),
            ("100.00", Ok(100)),
            ("1000000000000000000000e-3", Ok(1_000_000_000_000_000_000)),
            ("0.000000000000000000000000000009e30", Ok(9)),
            ("9223372036854775807", Ok(i64::MAX)),
            ("9223372036854775807.000", Ok(i64::MAX)),
            ("9223372036854775808", Err(Range)),
            ("-9223372036854775808", Ok(i64::MIN)),
            ("-9223372036854775809", Err(Range)),
            ("18446744073709551616", Err(Range)),
            ("100000000000000000000000001", Err(Range)),
            ("1e18", Ok(1_000_000_000_000_000_000)),
            ("1e19", Err(Range)),
            ("1e999999999999999999999", Err(Range)),
            ("-1e999999999999999999999", Err(Range)),
            ("0e99999999999", Ok(0)),
            ("0.0e-99999999999", Ok(0)),
            ("2.5", Err(Fraction)),
            ("-0.5", Err(Fraction)),
            ("1e-1", Err(Fraction)),
            ("1e-999999999999999999999", Err(Fraction)),
            ("1.00000000000000000000000000000001", Err(Fraction)),
            ("1844674407370955161.51", Err(Fraction)),
        ];
        for (text, want) in cases {
            assert_eq!(number(text).as_i64(), want, "{text}");
        }
    }

    #[test]
    fn unsigned_numbers_reach_their_own_limits() {
        let cases: [(&str, Result<u64, NumberError>); 9] = [
            ("18446744073709551615", Ok(u64::MAX)),
            ("18446744073709551615.0", Ok(u64::MAX)),
            ("1844674407370955161500e-2", Ok(u64::MAX)),
            ("1.8446744073709551615e19", Ok(u64::MAX)),
            ("18446744073709551616", Err(Range)),
            ("18446744073709551620", Err(Range)),
            ("184467440737095516150", Err(Range)),
            ("-0", Ok(0)),
            ("-1", Err(Range)),
        ];
        for (text, want) in cases {
            assert_eq!(number(text).as_u64(), want, "{text}");
        }
    }

    #[test]
    fn doubles_are_the_nearest_ones() {
        let cases: [(&str, u64); 22] = [
            ("0", 0),
            ("-0", 1 << 63),
            ("-0e999999999999", 1 << 63),
            ("1", 0x3FF0_0000_0000_0000),
            ("-2.5", 0xC004_0000_0000_0000),
            ("0.1", 0x3FB9_9999_9999_999A),
            ("0.30000000000000004", 0x3FD3_3333_3333_3334),
            ("1e22", 0x4480_F0CF_064D_D592),
            ("1e23", 0x44B5_2D02_C7E1_4AF6),
            ("9007199254740993", 0x4340_0000_0000_0000),
            ("9007199254740995", 0x4340_0000_0000_0002),
            (
                "9007199254740993.00000000000000000000001",
                0x4340_0000_0000_0001,
            ),
            ("1.7976931348623157e308", 0x7FEF_FFFF_FFFF_FFFF),
            ("1.7976931348623158e308", 0x7FEF_FFFF_FFFF_FFFF),
            ("2.2250738585072014e-308", 0x0010_0000_0000_0000),
            ("2.2250738585072011e-308", 0x000F_FFFF_FFFF_FFFF),
            ("5e-324", 1),
            ("2.4703282292062327e-324", 0),
            ("2.4703282292062328e-324", 1),
            ("1e-400", 0),
            ("-1e-999999999999999999999", 1 << 63),
            (
                "0.1000000000000000055511151231257827",
                0x3FB9_9999_9999_999A,
            ),
        ];
        for (text, want) in cases {
            let got = number(text).as_f64().map(f64::to_bits);
            assert_eq!(got, Ok(want), "{text}");
        }
    }

    #[test]
    fn singles_are_rounded_once() {
        // By way of a double this would round twice, to 0x3F80_0000.
        let twice = number("1.0000000596046448").as_f32();
        assert_eq!(twice.map(f32::to_bits), Ok(0x3F80_0001));
        let cases: [(&str, Result<u32, NumberError>); 8] = [
            ("-90", Ok(0xC2B4_0000)),
            ("16777217", Ok(0x4B80_0000)),
            ("3.4028235e38", Ok(0x7F7F_FFFF)),
            ("3.4028236e38", Err(Range)),
            ("1e39", Err(Range)),
            ("1e-45", Ok(1)),
            ("7e-46", Ok(0)),
            ("-1e-300", Ok(1 << 31)),
        ];
        for (text, want) in cases {
            assert_eq!(number(text).as_f32().map(f32::to_bits), want, "{text}");
        }
    }

    #[test]
    fn what_a_double_cannot_say_is_an_error() {
        let cases = [
            ("1.7976931348623159e308", Range),
            ("1e309", Range),
            ("-1e309", Range),
            ("1e999999999999999999999", Range),
            // Between two doubles by less than its first nineteen digits tell.
            ("9007199254740994.9999999999999999999999999", Precision),
        ];
        for (text, want) in cases {
            assert_eq!(number(text).as_f64(), Err(want), "{text}");
        }
    }

    #[test]
    fn long_runs_of_zeros_are_only_counted() {
        let mut text = [b'0'; 3010];
        text[1] = b'.';
        text[3002..3008].copy_from_slice(b"1e3001");
        let text = &text[..3008];
        assert_eq!(Number::new(text).as_i64(), Ok(1));
        assert_eq!(Number::new(text).as_f64(), Ok(1.0));
        let mut text = [b'0'; 3010];
        text[0] = b'7';
        text[3000..3006].copy_from_slice(b"e-2999");
        let text = &text[..3006];
        assert_eq!(Number::new(text).as_u64(), Ok(7));
        assert_eq!(Number::new(text).as_f32(), Ok(7.0));
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "", "-", ".", "e5", "1e", "1e+", "1e5.", "1.2.3", "+1", "NaN", "1 ", "--1",
        ] {
            assert_eq!(number(text).as_i64(), Err(Malformed), "{text}");
            assert_eq!(number(text).as_f64(), Err(Malformed), "{text}");
        }
    }
}
