//! The static library of the C interface: what `agentmote-ffi-c` exports, and
//! what a program without the standard library must say of panics.
#![no_std]

pub use agentmote_ffi_c::*;

/// No panic can be reached; `cargo xtask panic-free` proves it of the core,
/// and the images in C are looked through for what is left of one. Should one
/// be reached all the same, the processor stops: a watchdog ends it.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// Reaches a panic, so that the check for those is seen to find one.
#[cfg(feature = "spoiled")]
#[unsafe(no_mangle)]
pub extern "C" fn agentmote_spoiled(place: usize) -> u8 {
    let version = agentmote_ffi_c::AGENTMOTE_PROBLEM_BYTES.to_ne_bytes();
    version[place]
}
