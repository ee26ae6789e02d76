//! A number of a descriptor, with its decimal digits.

use crate::buf::Sink;
use crate::json::write;

/// A number that knows its decimal text, so that a bound is written and
/// compared on a device without any code that prints floats.
///
/// Either infinity stands for "no bound" and has no text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decimal {
    value: f64,
    digits: i64,
    exponent: i8,
}

/// Powers of ten that a double holds exactly.
const POWERS: i8 = 22;

impl Decimal {
    /// No lower bound.
    pub const LOWEST: Self = Self::unbounded(f64::NEG_INFINITY);
    /// No upper bound.
    pub const HIGHEST: Self = Self::unbounded(f64::INFINITY);
    /// The smallest `f32`.
    pub const F32_MIN: Self = Self {
        value: f32::MIN as f64,
        digits: -34_028_234_663_852_886,
        exponent: 22,
    };
    /// The largest `f32`.
    pub const F32_MAX: Self = Self {
        value: f32::MAX as f64,
        digits: 34_028_234_663_852_886,
        exponent: 22,
    };

    const fn unbounded(value: f64) -> Self {
        Self {
            value,
            digits: 0,
            exponent: 0,
        }
    }

    /// The number `value`, found digit by digit: its text is the shortest
    /// that reads back to it.
    ///
    /// # Panics
    /// When the text would need more than 15 digits, or a power of ten beyond
    /// 22. In a `const`, where descriptors are made, that is an error of the
    /// build.
    pub const fn new(value: f64) -> Self {
        match Self::checked(value) {
            Some(number) => number,
            None => panic!("a number of a descriptor has more than 15 digits, or is none"),
        }
    }

    /// The same for descriptors that are made at run time: `None` where
    /// [`new`](Self::new) stops the build.
    pub const fn checked(value: f64) -> Option<Self> {
        if value.is_infinite() {
            return Some(Self::unbounded(value));
        }
        let mut power = 1.0;
        let mut k = 0;
        while k <= POWERS {
            // Both sides are exact, and a division or a product of two such
            // is rounded as reading the text is.
            if let Some(digits) = whole(value * power)
                && digits as f64 / power == value
            {
                return Some(Self::short(value, digits, -k));
            }
            if let Some(digits) = whole(value / power)
                && digits as f64 * power == value
            {
                return Some(Self::short(value, digits, k));
            }
            power *= 10.0;
            k += 1;
        }
        None
    }

    /// Without zeros at the end of the digits.
    const fn short(value: f64, mut digits: i64, mut exponent: i8) -> Self {
        while digits != 0 && digits % 10 == 0 {
            digits /= 10;
            exponent += 1;
        }
        Self {
            value,
            digits,
            exponent,
        }
    }

    /// The number.
    pub const fn value(self) -> f64 {
        self.value
    }

    /// Whether it has no more decimals than the bound of its type, if that has
    /// some: the bounds of a fixed-point type do.
    pub(crate) const fn is_on_grid_of(self, bound: Self) -> bool {
        bound.exponent >= 0 || self.exponent >= bound.exponent || !self.is_finite()
    }

    /// Whether it is a bound.
    pub const fn is_finite(self) -> bool {
        self.value.is_finite()
    }

    /// Writes the number.
    pub(super) fn write(self, out: &mut Sink<'_>) {
        write::decimal(out, self.digits, self.exponent);
    }
}

/// The whole number next to `value`, if it has at most 15 digits.
const fn whole(value: f64) -> Option<i64> {
    if value.is_nan() || value.abs() >= 1e15 {
        return None;
    }
    Some(
        (if value < 0.0 {
            value - 0.5
        } else {
            value + 0.5
        }) as i64,
    )
}

#[cfg(test)]
mod tests {
    use super::Decimal;
    use crate::buf::Sink;

    #[test]
    fn a_number_is_written_as_it_was_meant() {
        let cases = [
            (0.0, "0"),
            (-90.0, "-90"),
            (0.1, "0.1"),
            (1.1, "1.1"),
            (-0.05, "-0.05"),
            (1.5, "1.5"),
            (123_456.789, "123456.789"),
            (1e-7, "1e-7"),
            (1e15, "1000000000000000"),
            (1.5e20, "1.5e+20"),
            (36_000_000.0, "36000000"),
        ];
        for (value, text) in cases {
            shown(Decimal::new(value), text);
        }
        shown(Decimal::F32_MAX, "3.4028234663852886e+38");
        shown(Decimal::F32_MIN, "-3.4028234663852886e+38");
    }

    fn shown(number: Decimal, text: &str) {
        let mut room = [0; 40];
        let mut out = Sink::new(&mut room);
        number.write(&mut out);
        assert_eq!(core::str::from_utf8(out.kept()), Ok(text));
        assert_eq!(text.parse(), Ok(number.value()));
    }

    #[test]
    #[should_panic(expected = "more than 15 digits")]
    fn a_number_of_too_many_digits_is_refused() {
        let _ = Decimal::new(1.0 / 3.0);
    }

    #[test]
    #[should_panic(expected = "or is none")]
    fn nan_is_refused() {
        let _ = Decimal::new(f64::NAN);
    }
}
