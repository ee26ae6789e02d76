//! Floats out: the shortest digits that read back to the same value.
//!
//! The classic exact way (Steele and White, Dragon4): a fraction of two big
//! integers, one digit after the other. Both widths share one routine of
//! about a kilobyte, where faster ways want tables or a routine a width; a
//! usual sensor value needs numbers of one or two words.

use crate::buf::Sink;

/// How a type of float is built, and where its text changes to an exponent.
pub(super) struct Form {
    /// Bits of the mantissa that are stored.
    pub bits: u32,
    /// What is added to an exponent of 0.
    pub bias: i32,
    /// Decimal exponents of the first digit that are written without one.
    pub least: i32,
    pub beyond: i32,
}

pub(super) const SINGLE: Form = Form {
    bits: 23,
    bias: 127 + 23,
    least: -6,
    beyond: 13,
};

pub(super) const DOUBLE: Form = Form {
    bits: 52,
    bias: 1023 + 52,
    least: -5,
    beyond: 16,
};

/// The most digits that a double needs.
const DIGITS: usize = 17;

/// Writes the finite float of these bits.
pub(super) fn write(sink: &mut Sink<'_>, bits: u64, negative: bool, form: &Form) {
    if negative {
        sink.byte(b'-');
    }
    let stored = bits & ((1u64 << form.bits) - 1);
    let field = (bits >> form.bits) as i32;
    if stored == 0 && field == 0 {
        return sink.text("0.0");
    }
    let hidden = 1u64 << form.bits;
    let (mantissa, exponent) = match field {
        0 => (stored, 1 - form.bias),
        _ => (stored | hidden, field - form.bias),
    };
    // Below a power of two, the neighbour is half as far away.
    let near = stored == 0 && field > 1;
    let mut room = [0u8; DIGITS];
    let (len, power) = digits(mantissa, exponent, near, &mut room);
    let digits = room.get(..len).unwrap_or(&room);
    lay_out(sink, digits, power, form, ".0");
}

/// Writes digits whose first one stands for the power of ten `power`; a whole
/// number ends with `whole`.
pub(super) fn lay_out(sink: &mut Sink<'_>, digits: &[u8], power: i32, form: &Form, whole: &str) {
    if power < form.least || power >= form.beyond {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, &[]));
        sink.put(first);
        if !rest.is_empty() {
            sink.byte(b'.');
            sink.put(rest);
        }
        sink.text(if power < 0 { "e-" } else { "e+" });
        return sink.number(u64::from(power.unsigned_abs()));
    }
    if power < 0 {
        sink.text("0.");
        for _ in power..-1 {
            sink.byte(b'0');
        }
        return sink.put(digits);
    }
    let before = power.unsigned_abs() as usize + 1;
    match digits.split_at_checked(before) {
        Some((front, part @ [_, ..])) => {
            sink.put(front);
            sink.byte(b'.');
            sink.put(part);
        }
        _ => {
            sink.put(digits);
            for _ in digits.len()..before {
                sink.byte(b'0');
            }
            sink.text(whole);
        }
    }
}

/// Words of a big integer: 1216 bits, where the widest number that a double
/// leads to has 1138.
const WORDS: usize = 38;

/// A big integer, low word first, of which `len` words matter.
struct Big {
    words: [u32; WORDS],
    len: usize,
}

impl Big {
    fn new(value: u64) -> Self {
        let mut words = [0; WORDS];
        words[0] = value as u32;
        words[1] = (value >> 32) as u32;
        Self { words, len: 2 }
    }

    fn copy(&self) -> Self {
        Self {
            words: self.words,
            len: self.len,
        }
    }

    fn used(&self) -> &[u32] {
        self.words.get(..self.len).unwrap_or(&self.words)
    }

    /// Multiplies by a small number.
    fn times(&mut self, by: u32) {
        let mut carry = 0u64;
        for word in self.words.iter_mut().take(self.len) {
            let product = u64::from(*word) * u64::from(by) + carry;
            *word = product as u32;
            carry = product >> 32;
        }
        self.push(carry as u32);
    }

    fn push(&mut self, word: u32) {
        if word != 0
            && let Some(place) = self.words.get_mut(self.len)
        {
            *place = word;
            self.len += 1;
        }
    }

    /// Multiplies by a power of two.
    fn shift(&mut self, bits: u32) {
        for _ in 0..bits / 31 {
            self.times(1 << 31);
        }
        self.times(1 << (bits % 31));
    }

    /// Multiplies by a power of ten.
    fn scale(&mut self, power: u32) {
        for _ in 0..power / 9 {
            self.times(1_000_000_000);
        }
        for _ in 0..power % 9 {
            self.times(10);
        }
    }

    /// How `self + other` compares with `whole`. `other` may be empty.
    fn sum_cmp(&self, other: &[u32], whole: &Self) -> core::cmp::Ordering {
        // The sum is compared word by word from below: the highest word that
        // differs decides.
        let mut carry = 0u64;
        let mut order = core::cmp::Ordering::Equal;
        let len = self.len.max(other.len()).max(whole.len);
        let pairs = self.words.iter().zip(&whole.words).take(len);
        for (at, (a, w)) in pairs.enumerate() {
            let b = other.get(at).copied().unwrap_or(0);
            let sum = u64::from(*a) + u64::from(b) + carry;
            carry = sum >> 32;
            match (sum as u32).cmp(w) {
                core::cmp::Ordering::Equal => {}
                other => order = other,
            }
        }
        if carry != 0 {
            core::cmp::Ordering::Greater
        } else {
            order
        }
    }

    /// Takes away a number that is not larger.
    fn take(&mut self, other: &Self) {
        let mut borrow = 0i64;
        let len = self.len.max(other.len);
        for (a, b) in self.words.iter_mut().zip(&other.words).take(len) {
            let left = i64::from(*a) - i64::from(*b) + borrow;
            *a = left as u32;
            borrow = left >> 32;
        }
    }
}

/// The shortest digits of `mantissa * 2^exponent`, which is not 0, and the
/// power of ten of the first one. Gives how many digits.
///
/// The value is `r / s`; `below` is half the way to the next smaller float,
/// half the way to the next larger one is twice that if `near`.
fn digits(mantissa: u64, exponent: i32, near: bool, out: &mut [u8; DIGITS]) -> (usize, i32) {
    use core::cmp::Ordering::{Equal, Greater, Less};
    let even = mantissa & 1 == 0;
    let extra = u32::from(near);
    let (mut r, mut s, mut below) = (Big::new(mantissa), Big::new(1), Big::new(1));
    let (up, down) = match exponent {
        0.. => (exponent.unsigned_abs(), 0),
        _ => (0, exponent.unsigned_abs()),
    };
    r.shift(up + 1 + extra);
    s.shift(down + 1 + extra);
    below.shift(up);
    // log10(2) is a little more than 1233 / 4096; what that misses is put
    // right below.
    let top = 63 - mantissa.leading_zeros() as i32 + exponent;
    let mut power = (top * 1233) >> 12;
    match power {
        0.. => s.scale(power.unsigned_abs()),
        _ => {
            r.scale(power.unsigned_abs());
            below.scale(power.unsigned_abs());
        }
    }
    // The upper gap. Reading rounds ties to even, so that an even mantissa
    // owns the ends of its gaps.
    let mut above = below.copy();
    above.shift(extra);
    let over = |r: &Big, above: &Big, s: &Big| match r.sum_cmp(above.used(), s) {
        Greater => true,
        Equal => even,
        Less => false,
    };
    // At most twice: the first digit stands at `power` if r / s lies in 1..10.
    for _ in 0..2 {
        let mut ten = s.copy();
        ten.times(10);
        if !over(&r, &above, &ten) {
            break;
        }
        s = ten;
        power += 1;
    }
    for _ in 0..2 {
        if over(&r, &above, &s) {
            break;
        }
        r.times(10);
        below.times(10);
        above.times(10);
        power -= 1;
    }
    let mut len = 0;
    for place in out.iter_mut() {
        let mut digit = 0;
        while digit < 9 && r.sum_cmp(&[], &s) != Less {
            r.take(&s);
            digit += 1;
        }
        let low = match r.sum_cmp(&[], &below) {
            Less => true,
            Equal => even,
            Greater => false,
        };
        let high = over(&r, &above, &s);
        len += 1;
        if low || high {
            let up = if low && high {
                let twice = r.sum_cmp(r.used(), &s);
                twice == Greater || (twice == Equal && digit & 1 == 1)
            } else {
                high
            };
            *place = b'0' + digit + u8::from(up);
            break;
        }
        *place = b'0' + digit;
        r.times(10);
        below.times(10);
        above.times(10);
    }
    (len, power)
}
