//! Numbers that this device gives out under a seal, and takes back once.
//!
//! A sealed text holds its state itself: the device keeps a key, and one bit
//! for each of the last [`SEALED`] numbers. Whoever has not the key can
//! neither make such a text nor change one.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::limits::SEALED;

/// What a sealed text is for: one kind is never taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The `requestState` of a question (M-148).
    #[cfg(feature = "input")]
    State = 1,
    /// An `MCP-Session-Id` (M-184).
    #[cfg(feature = "sessions")]
    Session = 2,
}

/// Bytes of the seal: half of an HMAC-SHA-256.
pub(crate) const MAC_BYTES: usize = 16;

/// The key, for as long as the device runs.
#[derive(Clone)]
pub(crate) struct Key([u8; 32]);

impl core::fmt::Debug for Key {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    pub(crate) const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    fn mac(
        &self,
        purpose: Purpose,
        fields: &[u8],
        bind: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> Option<Hmac<Sha256>> {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0).ok()?;
        mac.update(&[purpose as u8]);
        mac.update(fields);
        bind(&mut |bytes| mac.update(bytes));
        Some(mac)
    }

    /// The seal of these fields, and of what `bind` adds to them: what the
    /// text is bound to without holding it.
    pub(crate) fn seal(
        &self,
        purpose: Purpose,
        fields: &[u8],
        bind: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> [u8; MAC_BYTES] {
        let mut seal = [0; MAC_BYTES];
        if let Some(mac) = self.mac(purpose, fields, bind) {
            let whole: [u8; 32] = mac.finalize().into_bytes().into();
            for (place, byte) in seal.iter_mut().zip(whole) {
                *place = byte;
            }
        }
        seal
    }

    /// Whether this is that seal; compared in constant time.
    pub(crate) fn is_seal(
        &self,
        seal: &[u8; MAC_BYTES],
        purpose: Purpose,
        fields: &[u8],
        bind: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> bool {
        self.mac(purpose, fields, bind)
            .is_some_and(|mac| mac.verify_truncated_left(seal).is_ok())
    }
}

/// Numbers that are given out in order, and are good until they are used up
/// or [`SEALED`] later ones were given out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    next: u32,
    /// One bit for each of the last numbers, the newest lowest: used up, or
    /// never given out.
    used: u64,
}

impl Numbers {
    pub(crate) const fn new() -> Self {
        Self {
            next: 0,
            used: u64::MAX,
        }
    }

    /// A number that was not given out before.
    pub(crate) fn give(&mut self) -> u32 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        self.used <<= 1;
        number
    }

    fn bit(&self, number: u32) -> Option<u64> {
        let age = self.next.wrapping_sub(1).wrapping_sub(number);
        (age < SEALED).then(|| 1u64.wrapping_shl(age))
    }

    /// Whether a number was given out, not too long ago, and is not used up.
    pub(crate) fn is_good(&self, number: u32) -> bool {
        self.bit(number).is_some_and(|bit| self.used & bit == 0)
    }

    /// Uses a number up.
    pub(crate) fn use_up(&mut self, number: u32) {
        self.used |= self.bit(number).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;
    #[cfg(all(feature = "input", feature = "sessions"))]
    use super::{Key, Purpose};
    use crate::limits::SEALED;

    #[test]
    fn a_number_is_good_once_and_for_a_while() {
        let mut numbers = Numbers::new();
        for stranger in [0, 1, u32::MAX] {
            assert!(!numbers.is_good(stranger));
        }
        let first = numbers.give();
        assert!(numbers.is_good(first) && !numbers.is_good(first + 1));
        let second = numbers.give();
        numbers.use_up(second);
        assert!(numbers.is_good(first) && !numbers.is_good(second));
        for _ in 2..SEALED {
            numbers.give();
        }
        assert!(numbers.is_good(first));
        numbers.give();
        assert!(!numbers.is_good(first), "64 later ones were given out");
    }

    #[cfg(all(feature = "input", feature = "sessions"))]
    #[test]
    fn a_seal_is_of_its_key_purpose_fields_and_binding() {
        let key = Key::new([7; 32]);
        let seal = key.seal(Purpose::State, b"fields", |put| put(b"arguments"));
        let good = |key: &Key, purpose, fields: &[u8], bound: &[u8]| {
            key.is_seal(&seal, purpose, fields, |put| put(bound))
        };
        assert!(good(&key, Purpose::State, b"fields", b"arguments"));
        assert!(!good(&key, Purpose::Session, b"fields", b"arguments"));
        assert!(!good(&key, Purpose::State, b"fieldz", b"arguments"));
        assert!(!good(&key, Purpose::State, b"fields", b"argument"));
        assert!(!good(
            &Key::new([8; 32]),
            Purpose::State,
            b"fields",
            b"arguments"
        ));
        // RFC 4231 has no case of a 32-byte key; this value is of Python's hmac.
        assert_eq!(
            key.seal(Purpose::State, b"", |_| {}),
            hex(b"3d8b2fa2a2537fdcdda46e704966a105")
        );
    }

    #[cfg(all(feature = "input", feature = "sessions"))]
    fn hex(text: &[u8; 32]) -> [u8; 16] {
        core::array::from_fn(|i| {
            let digit = |b: u8| (b as char).to_digit(16).map_or(0, |d| d as u8);
            digit(text[2 * i]) << 4 | digit(text[2 * i + 1])
        })
    }
}
