//! Times as text (RFC 3339), in and out.

use crate::buf::Sink;

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Writes a time as `2026-11-30T08:44:32.597Z`. `millis` since 1970.
pub(crate) fn write(out: &mut Sink<'_>, millis: u64) {
    // Two divisions of 64 bits, which small cores have no instruction for.
    let days = u32::try_from(millis / DAY).unwrap_or(u32::MAX);
    let rest = u32::try_from(millis % DAY).unwrap_or(0);
    let (year, month, day) = civil(days);
    digits(out, year, 4);
    out.byte(b'-');
    digits(out, month, 2);
    out.byte(b'-');
    digits(out, day, 2);
    out.byte(b'T');
    digits(out, rest / 3_600_000, 2);
    out.byte(b':');
    digits(out, rest / 60_000 % 60, 2);
    out.byte(b':');
    digits(out, rest / 1000 % 60, 2);
    out.byte(b'.');
    digits(out, rest % 1000, 3);
    out.byte(b'Z');
}

fn digits(out: &mut Sink<'_>, value: u32, count: usize) {
    let mut text = [b'0'; 5];
    let mut left = value;
    for place in text.iter_mut().rev() {
        *place = b'0' + (left % 10) as u8;
        left /= 10;
    }
    let start = text.len().saturating_sub(count);
    out.put(text.get(start..).unwrap_or(&[]));
}

/// Days of 400 years.
const ERA: u32 = 146_097;

/// The date of a day since 1970, by years that begin in March.
fn civil(days: u32) -> (u32, u32, u32) {
    let days = days.saturating_add(719_468);
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = era
        .saturating_mul(400)
        .saturating_add(year)
        .saturating_add(u32::from(month <= 2));
    (year, month, of_year - (153 * march + 2) / 5 + 1)
}

/// The day since 1970 of a date from 1970 on.
fn days(year: u32, month: u32, day: u32) -> Option<u32> {
    let year = year.checked_sub(u32::from(month <= 2))?;
    let (era, of_era) = (year / 400, year % 400);
    let march = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * march + 2) / 5 + day - 1;
    let of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era.checked_mul(ERA)?
        .checked_add(of_era)?
        .checked_sub(719_468)
}

/// Takes a number of so many digits off the front, and one of the bytes in
/// `end` behind it, if there are any.
#[cfg_attr(target_pointer_width = "32", inline(never))]
fn take(rest: &mut &[u8], count: usize, end: &[u8]) -> Option<u32> {
    let (part, tail) = rest.split_at_checked(count)?;
    let mut value = 0u32;
    for digit in part {
        value = value.wrapping_mul(10).wrapping_add(match digit {
            b'0'..=b'9' => u32::from(digit - b'0'),
            _ => return None,
        });
    }
    *rest = match (tail.split_first(), end) {
        (_, []) => tail,
        (Some((byte, tail)), _) if end.contains(byte) => tail,
        _ => return None,
    };
    Some(value)
}

/// Reads a time with a zone and 0 to 9 digits of a fraction, rounded
/// up to a millisecond; before 1970 it is 0. `None`: it is no such time.
pub(crate) fn read(text: &[u8]) -> Option<u64> {
    let mut rest = text;
    let mut number = |count, end: &[u8]| take(&mut rest, count, end);
    let (year, month, day) = (number(4, b"-")?, number(2, b"-")?, number(2, b"Tt ")?);
    let (hour, minute, second) = (number(2, b":")?, number(2, b":")?, number(2, b"")?);
    let long = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + u32::from(long),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day == 0 || day > last || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut millis = 0u64;
    let mut more = false;
    if let Some(tail) = rest.strip_prefix(b".") {
        let count = tail.iter().take_while(|b| b.is_ascii_digit()).count();
        if count == 0 || count > 9 {
            return None;
        }
        let (fraction, tail) = tail.split_at_checked(count)?;
        for at in 0..9 {
            let digit = fraction.get(at).map_or(0, |digit| digit - b'0');
            if at < 3 {
                millis = millis.wrapping_mul(10).wrapping_add(u64::from(digit));
            } else {
                more |= digit != 0;
            }
        }
        rest = tail;
    }
    // Minutes east of Greenwich, and whether they are west of it.
    let (zone, west) = match rest {
        b"Z" | b"z" => (0, false),
        [sign @ (b'+' | b'-'), a, b, b':', c, d] => {
            let two = |a: &u8, b: &u8| {
                (a.is_ascii_digit() && b.is_ascii_digit())
                    .then(|| u64::from(a - b'0') * 10 + u64::from(b - b'0'))
            };
            let (hours, minutes) = (two(a, b)?, two(c, d)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes, *sign == b'-')
        }
        _ => return None,
    };
    let Some(days) = days(year, month, day) else {
        return Some(0);
    };
    let local = u64::from(days) * DAY
        + u64::from(hour * 3600 + minute * 60 + second) * 1000
        + millis
        + u64::from(more);
    let zone = zone * 60_000;
    Some(if west {
        local.saturating_add(zone)
    } else {
        local.saturating_sub(zone)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(millis: u64, want: &str) {
        let mut room = [0xA5; 32];
        let mut sink = Sink::new(&mut room);
        write(&mut sink, millis);
        assert_eq!(core::str::from_utf8(sink.kept()), Ok(want));
        assert_eq!(read(want.as_bytes()), Some(millis));
    }

    #[test]
    fn times_are_written_and_read_again() {
        shown(0, "1970-01-01T00:00:00.000Z");
        shown(951_782_399_999, "2000-02-28T23:59:59.999Z");
        shown(951_782_400_000, "2000-02-29T00:00:00.000Z");
        shown(1_796_028_272_597, "2026-11-30T08:44:32.597Z");
        shown(4_107_542_400_000, "2100-03-01T00:00:00.000Z");
        // Every day of 400 years and more.
        for day in 0..200_000u32 {
            let (year, month, date) = civil(day);
            assert_eq!(days(year, month, date), Some(day));
        }
    }

    #[test]
    fn other_spellings_of_a_time() {
        let base = 1_796_028_272_000;
        for (text, want) in [
            ("2026-11-30T08:44:32Z", base),
            ("2026-11-30t08:44:32z", base),
            ("2026-11-30T10:14:32+01:30", base),
            ("2026-11-30T00:44:32-08:00", base),
            ("2026-11-30T08:44:32.5Z", base + 500),
            ("2026-11-30T08:44:32.500000000Z", base + 500),
            ("2026-11-30T08:44:32.500000001Z", base + 501),
            ("1969-12-31T23:59:59Z", 0),
            ("0000-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00+23:59", 0),
        ] {
            assert_eq!(read(text.as_bytes()), Some(want), "{text}");
        }
        for wrong in [
            "",
            "2026-11-30",
            "2026-11-30T08:44:32",
            "2026-11-30T08:44:32.Z",
            "2026-11-30T08:44:32.1234567890Z",
            "2026-02-29T08:44:32Z",
            "2026-13-01T08:44:32Z",
            "2026-11-31T08:44:32Z",
            "2026-11-30T24:00:00Z",
            "2026-11-30T08:44:32Z ",
            "2026-11-30T08:44:32+0100",
            "2026-11-30T08:44:32+24:00",
            "20261130T084432Z",
            "-026-11-30T08:44:32Z",
        ] {
            assert_eq!(read(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
