//! The first place of a byte.

/// Where `byte` stands first.
///
/// Hosts look at many bytes at once; on a 32-bit core that would cost 180
/// bytes of flash at each use, and a line comes in slower than this reads it.
pub(crate) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_pointer_width = "64")]
    let place = memchr::memchr(byte, bytes);
    #[cfg(not(target_pointer_width = "64"))]
    let place = bytes.iter().position(|&other| other == byte);
    place
}
