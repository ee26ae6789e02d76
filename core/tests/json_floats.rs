//! Floats out, against the crate `zmij` and the standard library: the same
//! digits in the same layout, and they read back.

mod common;

use agentmote::buf::Sink;
use agentmote::json::write;
use common::Random;

fn double(value: f64) {
    let mut room = [0xA5; 32];
    let mut sink = Sink::new(&mut room);
    write::f64(&mut sink, value).expect("a finite float");
    let text = core::str::from_utf8(sink.kept()).expect("text");
    assert_eq!(text, zmij::Buffer::new().format_finite(value), "{value:e}");
    assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
}

fn single(value: f32) {
    let mut room = [0xA5; 32];
    let mut sink = Sink::new(&mut room);
    write::f32(&mut sink, value).expect("a finite float");
    let text = core::str::from_utf8(sink.kept()).expect("text");
    assert_eq!(text, zmij::Buffer::new().format_finite(value), "{value:e}");
    assert_eq!(text.parse::<f32>().map(f32::to_bits), Ok(value.to_bits()));
}

#[test]
fn every_power_and_its_neighbours() {
    for exponent in -1080..1030 {
        let power = 2f64.powi(exponent);
        for step in -3i64..=3 {
            let value = f64::from_bits((power.to_bits() as i64).wrapping_add(step) as u64);
            if value.is_finite() {
                double(value);
                double(-value);
            }
        }
    }
    for exponent in -330..309 {
        let power: f64 = format!("1e{exponent}").parse().expect("a number");
        for step in -3i64..=3 {
            let value = f64::from_bits((power.to_bits() as i64).wrapping_add(step).max(0) as u64);
            if value.is_finite() {
                double(value);
            }
        }
    }
    for exponent in -150..128 {
        let power = 2f32.powi(exponent);
        for step in -3i32..=3 {
            let value = f32::from_bits((power.to_bits() as i32).wrapping_add(step) as u32);
            if value.is_finite() {
                single(value);
            }
        }
    }
    for value in [
        0.0,
        -0.0,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        24.5,
        0.1,
        0.3,
        1e23,
        9e15,
    ] {
        double(value);
        if (value as f32).is_finite() {
            single(value as f32);
        }
    }
}

#[test]
fn random_bits() {
    let mut random = Random(7);
    let rounds = if cfg!(debug_assertions) {
        60_000
    } else {
        3_000_000
    };
    for _ in 0..rounds {
        let word = random.next();
        let value = f64::from_bits(word);
        if value.is_finite() {
            double(value);
        }
        let value = f32::from_bits(word as u32);
        if value.is_finite() {
            single(value);
        }
        // What sensors say: few digits around zero.
        let value = random.below(2_000_001) as f64 / 1000.0 - 1000.0;
        double(value);
        single(value as f32);
    }
}
