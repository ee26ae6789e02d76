//! Digests of secrets, and how they are compared.

use sha2::{Digest as _, Sha256};

/// SHA-256 of a secret.
pub(crate) fn of(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// Whether two digests are the same, in the same time whether or not they
/// are.
pub(crate) fn same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    let pairs = one.iter().zip(other);
    let differs = pairs.fold(0, |differs, (a, b)| differs | a ^ b);
    core::hint::black_box(differs) == 0
}
