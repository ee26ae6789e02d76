//! Counts the instructions of one call, from bytes in to bytes out, and
//! prints them by semihosting.
//!
//! To be run as `qemu-system-arm -icount shift=10,sleep=off`: each instruction
//! then takes 1,024 ns of virtual time, and the system timer counts 25 MHz.

#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use core::hint::black_box;
use core::panic::PanicInfo;

use agentmote::server::{Line, Server};
use bench_line::{DEVICE, Lamps, Memory, REQUEST, RESULT, call};
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::entry;
use cortex_m_semihosting::debug::{EXIT_FAILURE, EXIT_SUCCESS, exit};
use cortex_m_semihosting::hprintln;

/// The counter of the system timer has 24 bits.
const RELOAD: u32 = 0x00FF_FFFF;

#[entry]
fn main() -> ! {
    static mut MEMORY: Memory = Memory::new();
    static mut SERVER: Server<Lamps> = Server::new(&DEVICE, Lamps { on: [false; 4] });

    let Some(mut core) = cortex_m::Peripherals::take() else {
        fail()
    };
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(RELOAD);
    core.SYST.clear_current();
    core.SYST.enable_counter();

    let mut line = Line::new(MEMORY);
    let mut out = [0; 1024];
    let empty = ticks(|| {
        black_box(());
    });
    let mut len = 0;
    let used = ticks(|| {
        len = call(&mut line, SERVER, black_box(REQUEST), &mut out);
        black_box(&mut out);
    });
    let answer = core::str::from_utf8(out.get(..len).unwrap_or(&[])).unwrap_or_default();
    let right = answer
        .as_bytes()
        .windows(RESULT.len())
        .any(|part| part == RESULT.as_bytes());
    if !right || !SERVER.app.on[2] {
        hprintln!("wrong answer: {}", answer);
        fail()
    }
    // 25.6 ticks an instruction.
    hprintln!("{}", used.saturating_sub(empty) * 10 / 256);
    exit(EXIT_SUCCESS);
    fail()
}

/// Ticks of the timer that `work` takes.
#[inline(never)]
fn ticks(work: impl FnOnce()) -> u32 {
    let before = SYST::get_current();
    work();
    // It counts down.
    before.wrapping_sub(SYST::get_current()) & RELOAD
}

fn fail() -> ! {
    loop {
        exit(EXIT_FAILURE);
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    fail()
}
