//! The digits of base64 (RFC 4648, standard alphabet), both ways.

/// The digit of the lowest six bits.
pub(crate) fn digit(value: u8) -> u8 {
    match value {
        0..26 => b'A' + value,
        26..52 => b'a' - 26 + value,
        52..62 => value - 52 + b'0',
        62 => b'+',
        _ => b'/',
    }
}

/// The six bits of a digit.
#[cfg(any(feature = "http", feature = "input"))]
pub(crate) fn value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// The bytes of a text without padding, as many as `out` has; `None` if it is
/// not the base64 of so many. The length must be a multiple of 3.
#[cfg(any(feature = "input", feature = "sessions"))]
pub(crate) fn decode(text: &[u8], out: &mut [u8]) -> Option<()> {
    let (groups, rest) = text.as_chunks::<4>();
    let (places, _) = out.as_chunks_mut::<3>();
    if groups.len() != places.len() || !rest.is_empty() {
        return None;
    }
    for (group, place) in groups.iter().zip(places) {
        let mut bits: u32 = 0;
        for &digit in group {
            bits = bits << 6 | u32::from(value(digit)?);
        }
        let [_, decoded @ ..] = bits.to_be_bytes();
        *place = decoded;
    }
    Some(())
}

/// The length of what a text in base64 stands for: the standard alphabet or
/// that for URLs, padded or not. `None`: it is no base64.
#[cfg(any(feature = "a2a", feature = "client"))]
pub(crate) fn text_len(text: impl Iterator<Item = char>) -> Option<usize> {
    let (mut digits, mut pads) = (0usize, 0usize);
    for c in text {
        if c == '=' {
            pads = pads.checked_add(1)?;
        } else if pads > 0 || sextet(c).is_none() {
            return None;
        } else {
            digits = digits.checked_add(1)?;
        }
    }
    let rest = digits % 4;
    if rest == 1 || pads > 0 && (rest == 0 || rest + pads != 4) {
        return None;
    }
    Some(digits / 4 * 3 + rest.saturating_sub(1))
}

/// The bytes that a text in base64 stands for.
#[cfg(any(feature = "a2a", feature = "client"))]
pub(crate) fn text_bytes(text: impl Iterator<Item = char>) -> impl Iterator<Item = u8> {
    let mut digits = text.map_while(sextet);
    let (mut word, mut bits) = (0u32, 0u32);
    core::iter::from_fn(move || {
        while bits < 8 {
            word = word << 6 | digits.next()?;
            bits += 6;
        }
        bits -= 8;
        Some((word >> bits) as u8)
    })
}

#[cfg(any(feature = "a2a", feature = "client"))]
fn sextet(c: char) -> Option<u32> {
    Some(match c {
        'A'..='Z' => c as u32 - 'A' as u32,
        'a'..='z' => c as u32 - 'a' as u32 + 26,
        '0'..='9' => c as u32 - '0' as u32 + 52,
        '+' | '-' => 62,
        '/' | '_' => 63,
        _ => return None,
    })
}
