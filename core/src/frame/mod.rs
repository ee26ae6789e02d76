//! Where one message starts and ends on a byte stream, in no protocol's words.

#[cfg(feature = "http")]
pub mod http;
pub mod line;
