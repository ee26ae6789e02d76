//! Numbers read from text, against the standard library's reader.

mod common;

use agentmote::json::{Number, NumberError, parse};
use common::Random;

/// Random cases of each kind: few enough for a quick run unoptimised.
const ROUNDS: u32 = if cfg!(debug_assertions) {
    8_000
} else {
    300_000
};

fn number(text: &str) -> Number<'_> {
    let value = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    value.as_number().unwrap()
}

fn significant_digits(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// Compares both float readings; how many of the two were refused for having
/// too many digits.
fn check(text: &str) -> u32 {
    let mut refused = 0;
    let want: f64 = text.parse().unwrap();
    match number(text).as_f64() {
        Ok(got) => assert_eq!(got.to_bits(), want.to_bits(), "{text}: {got:e} {want:e}"),
        Err(NumberError::Range) => assert!(want.is_infinite(), "{text}"),
        Err(NumberError::Precision) if significant_digits(text) > 19 => refused += 1,
        Err(other) => panic!("{text}: {other:?}"),
    }
    let want: f32 = text.parse().unwrap();
    match number(text).as_f32() {
        Ok(got) => assert_eq!(got.to_bits(), want.to_bits(), "{text}: {got:e} {want:e}"),
        Err(NumberError::Range) => assert!(want.is_infinite(), "{text}"),
        Err(NumberError::Precision) if significant_digits(text) > 19 => refused += 1,
        Err(other) => panic!("{text}: {other:?}"),
    }
    refused
}

#[test]
fn random_floats_at_every_usual_length() {
    let mut random = Random(1);
    for _ in 0..ROUNDS {
        let double = f64::from_bits(random.next());
        let single = f32::from_bits(random.next() as u32);
        let mut refused = 0;
        if double.is_finite() {
            refused += check(&format!("{double:e}"));
            refused += check(&format!("{double:.16e}"));
            refused += check(&format!("{double:.18e}"));
            refused += check(&format!("{double:.24e}"));
        }
        if single.is_finite() {
            refused += check(&format!("{single:e}"));
            refused += check(&format!("{single:.8e}"));
            refused += check(&format!("{single:.24e}"));
        }
        // No float's own digits lie near the middle between two doubles.
        assert_eq!(refused, 0);
    }
}

#[test]
fn random_decimals() {
    let mut random = Random(2);
    let mut refused = 0;
    for _ in 0..ROUNDS {
        let digits = random.next() >> random.below(64);
        let exponent = random.below(720) as i32 - 380;
        refused += check(&format!("{digits}e{exponent}"));
        let more = random.next();
        refused += check(&format!("-{digits}.{more}E{exponent:+}"));
        // Everyday numbers: few digits, a point, no exponent.
        refused += check(&format!("{}.{}", random.below(1000), random.below(100_000)));
    }
    // Of such texts of more than 19 digits about one in a thousand lies so
    // near the middle between two floats that its later digits matter.
    assert!(refused < ROUNDS / 200, "{refused}");
}

/// Digits that lie exactly in the middle between two neighbours of `bits`
/// bits, in at most 64 bits, and the digits next to them.
#[test]
fn halfway_cases_go_to_the_even_neighbour() {
    let mut random = Random(3);
    let mut seen = 0;
    for _ in 0..ROUNDS {
        for bits in [53u32, 24] {
            // One bit more than the format has, the last of them set.
            let fives = random.below(u64::from(bits) * 10 / 24) as u32;
            let power = 5u64.pow(fives);
            let span = 1u64 << bits;
            let odd = ((span + random.below(span)) / power) | 1;
            let middle = odd * power;
            if !(span..2 * span).contains(&middle) {
                continue;
            }
            let mut spread = |digits: u64, exponent: i64| {
                let [below, _, above] = [digits - 1, digits, digits + 1].map(|near| {
                    let text = format!("{near}e{exponent}");
                    check(&text);
                    match bits {
                        53 => number(&text).as_f64(),
                        _ => number(&text).as_f32().map(f64::from),
                    }
                });
                assert!(below.unwrap() < above.unwrap(), "{digits}e{exponent}");
                seen += 1;
            };
            // middle * 2^fives = odd * 10^fives
            spread(odd, i64::from(fives));
            spread(middle << random.below(64 - u64::from(bits)), 0);
            if let Some(digits) = middle.checked_mul(power) {
                // middle / 2^fives = middle * 5^fives / 10^fives
                spread(digits, -i64::from(fives));
            }
        }
    }
    assert!(seen > 2 * ROUNDS, "{seen}");
}

/// The 64-bit mantissas that come nearest to a middle from above: less than
/// 2^-60 of a step away, found by continued fractions of `5^k / 2^j`. Only the
/// very last remainder or limb tells them from the middle, which would go down.
#[test]
fn the_closest_calls_are_decided_by_what_is_left_over() {
    for text in [
        "3507665085003296281e-73",
        "8016996639253144193e-235",
        "1671107190569563989e-294",
        "16525611975952477901e55",
        "7120190517612959703e120",
        "17967474373362407223e37",
        "7555784487484408317e227",
        "9822228361195230531e-33",
        "1811467903546047913e-34",
        "9057339517730239565e-35",
        "8446886587861948039e19",
        "3883770270491020113e17",
        "10718556901525082407e18",
    ] {
        check(text);
    }
}

#[test]
fn limits_of_the_formats() {
    for text in [
        "5e-324",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272e-324",
        "2.470328229206232721e-324",
        "7.4109846876186981e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "17976931348623158079e289",
        "17976931348623158080e289",
        "1.401298464324817e-45",
        "7.006492321624085e-46",
        "7.006492321624086e-46",
        "1.1754943508222875e-38",
        "1.1754942e-38",
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "3.4028235677973367e38",
        "340282356779733661637e18",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551615e-342",
        "18446744073709551615e-343",
        "18446744073709551615e289",
        "0e999",
        "-0.0",
        "-1e-9999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
    ] {
        check(text);
        check(&format!("-{}", text.trim_start_matches('-')));
    }
    for exponent in -400..=400 {
        for digits in ["1", "9.999999999999999", "9007199254740993", "2.5"] {
            check(&format!("{digits}e{exponent}"));
        }
    }
    // The lowest subnormals and the steps around the lowest normals.
    for bits in (0..600u64).chain(0x000F_FFFF_FFFF_FF00..0x0010_0000_0000_0100) {
        let value = f64::from_bits(bits);
        assert_eq!(check(&format!("{value:e}")), 0);
        assert_eq!(check(&format!("{value:.18e}")), 0);
    }
    for bits in (0..600u32).chain(0x007F_FF00..0x0080_0100) {
        let value = f32::from_bits(bits);
        assert_eq!(check(&format!("{value:e}")), 0);
        assert_eq!(check(&format!("{value:.18e}")), 0);
    }
}

/// What `text` says as a whole number, by moving its point in the text.
fn whole(text: &str) -> Option<String> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (front, back) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{front}{back}");
    let point = front.len() as i64 + exponent.parse::<i64>().unwrap();
    let (front, back): (String, String) = if point <= 0 {
        (String::new(), digits)
    } else if point as usize >= digits.len() {
        (
            format!("{digits:0<width$}", width = point as usize),
            String::new(),
        )
    } else {
        let (front, back) = digits.split_at(point as usize);
        (front.into(), back.into())
    };
    if back.chars().any(|digit| digit != '0') {
        return None;
    }
    Some(format!("{sign}0{front}"))
}

fn check_whole(text: &str) {
    let signed = number(text).as_i64();
    let unsigned = number(text).as_u64();
    match whole(text) {
        None => {
            // Out of range as well, it may say either.
            assert!(
                matches!(signed, Err(NumberError::Fraction | NumberError::Range)),
                "{text}"
            );
            if text.len() < 18 {
                assert_eq!(signed, Err(NumberError::Fraction), "{text}");
                assert_eq!(unsigned, Err(NumberError::Fraction), "{text}");
            }
        }
        Some(plain) => {
            assert_eq!(
                signed,
                plain.parse().map_err(|_| NumberError::Range),
                "{text}"
            );
            // The standard library reads no `-0` as unsigned.
            let plain = match plain.strip_prefix('-') {
                Some(zeros) if zeros.trim_start_matches('0').is_empty() => zeros,
                _ => &plain,
            };
            assert_eq!(
                unsigned,
                plain.parse().map_err(|_| NumberError::Range),
                "{text}"
            );
        }
    }
}

#[test]
fn whole_numbers_around_the_limits_of_64_bits() {
    for limit in [0i128, i64::MIN.into(), i64::MAX.into(), u64::MAX.into()] {
        for near in limit - 12..=limit + 12 {
            check_whole(&format!("{near}"));
            check_whole(&format!("{near}.000"));
            check_whole(&format!("{near}e0"));
            if near != 0 {
                check_whole(&format!("{near}0e-1"));
                check_whole(&format!("{near}000000000000000000000000E-24"));
            }
            check_whole(&format!("{near}e1"));
            check_whole(&format!("{near}e-1"));
            check_whole(&format!("{near}.5"));
            check_whole(&format!("{near}.000000000000000000000000000001"));
        }
    }
}

#[test]
fn random_whole_numbers_with_points_and_exponents() {
    let mut random = Random(4);
    for _ in 0..ROUNDS {
        let mut text = String::new();
        if random.below(2) == 0 {
            text.push('-');
        }
        match random.next() >> random.below(65).min(63) {
            0 => text.push('0'),
            digits => text += &format!("{digits}{}", "0".repeat(random.below(6) as usize)),
        }
        if random.below(2) == 0 {
            text.push('.');
            text += &"0".repeat(random.below(5) as usize);
            text += &(random.next() >> (20 + random.below(44))).to_string();
            text += &"0".repeat(random.below(30) as usize);
        }
        if random.below(2) == 0 {
            text += &format!("e{}", random.below(60) as i32 - 30);
        }
        check_whole(&text);
    }
}

/// Writing and reading again gives the same float, to the bit, and what is
/// written is JSON.
#[test]
fn floats_survive_a_round_trip() {
    use agentmote::buf::Sink;
    use agentmote::json::write;
    let mut random = Random(5);
    let mut room = [0; 24];
    let special = [
        0.0,
        -0.0,
        1.0,
        1e16,
        1e15,
        1e-5,
        1e-6,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
    ];
    let whole = (0..2000).map(f64::from);
    let powers = (-323..=308).map(|e| format!("1e{e}").parse().unwrap());
    let random = (0..ROUNDS).map(|_| f64::from_bits(random.next()));
    for value in special.into_iter().chain(whole).chain(powers).chain(random) {
        if !value.is_finite() {
            continue;
        }
        let mut sink = Sink::new(&mut room);
        write::f64(&mut sink, value).unwrap();
        assert!(!sink.overflowed());
        let text = std::str::from_utf8(sink.kept()).unwrap();
        assert_eq!(
            number(text).as_f64().map(f64::to_bits),
            Ok(value.to_bits()),
            "{text}"
        );
        let value = value as f32;
        if !value.is_finite() {
            continue;
        }
        let mut sink = Sink::new(&mut room[..16]);
        write::f32(&mut sink, value).unwrap();
        assert!(!sink.overflowed());
        let text = std::str::from_utf8(sink.kept()).unwrap();
        assert_eq!(
            number(text).as_f32().map(f32::to_bits),
            Ok(value.to_bits()),
            "{text}"
        );
    }
}

#[test]
fn long_texts_are_read_up_to_the_documented_length() {
    let long = |zeros: usize| format!("1{}e-{zeros}", "0".repeat(zeros));
    assert_eq!(number(&long(1_000_000)).as_i64(), Ok(1));
    assert_eq!(number(&long(1_000_000)).as_f64(), Ok(1.0));
    let limit = (1 << 20) - "1e-1048567".len();
    assert_eq!(number(&long(limit)).as_u64(), Ok(1));
    assert_eq!(
        number(&long(limit + 1)).as_u64(),
        Err(NumberError::Precision)
    );
    assert_eq!(
        number(&long(limit + 1)).as_f64(),
        Err(NumberError::Precision)
    );
}
