//! Digests of secrets, and how they are compared.

use sha2::{Digest as _, Sha256};

/// SHA-256 of a secret.
pub(crate) fn of(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// Whether two digests differ: 0 if not. It takes the same time whether or
/// not they do.
pub(crate) fn differs(one: &[u8; 32], other: &[u8; 32]) -> u8 {
    let pairs = one.iter().zip(other);
    core::hint::black_box(pairs.fold(0, |differs, (a, b)| differs | a ^ b))
}
