//! The C interface of agentmote. `include/agentmote.h` is generated from it.
#![no_std]

use core::ffi::c_char;

/// The version of the library, as text of three numbers parted by dots.
///
/// The text ends with a zero byte and lives as long as the program. May be
/// called from anywhere, interrupts included.
#[unsafe(no_mangle)]
pub extern "C" fn agentmote_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
