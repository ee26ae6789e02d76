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
