//! The registers of the board, and the only unsafe code of this image.
//!
//! Written for the emulated board, whose clocks and pins need no set-up: on
//! the real one, the clock of UART0 and of port A, the pins and the baud rate
//! come first.

#![expect(
    unsafe_code,
    reason = "registers, and handlers that cortex-m-rt wants unsafe"
)]

use core::convert::Infallible;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};

use agentmote::time::Instant;
use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{NVIC, SCB};
use cortex_m_rt::{ExceptionFrame, exception};
use embedded_io::{ErrorType, Read, ReadReady, Write};
use line_ring::Ring;

/// Bytes that may wait for the main loop: 89 ms at 115,200 baud.
const RING: usize = 1024;

/// Ticks of the system timer in a millisecond, at the clock after reset.
const TICKS_PER_MS: u32 = 12_500;

// UART0, an Arm PL011.
const DATA: usize = 0x4000_C000;
const FLAGS: usize = DATA + 0x18;
const LINE: usize = DATA + 0x2C;
const CONTROL: usize = DATA + 0x30;
const INTERRUPTS: usize = DATA + 0x38;
const INTERRUPT_CLEAR: usize = DATA + 0x44;

/// In [`FLAGS`]: it is sending.
const BUSY: u32 = 0x08;
/// In [`FLAGS`]: nothing was received.
const RX_EMPTY: u32 = 0x10;
/// In [`FLAGS`]: it takes no more bytes to send.
const TX_FULL: u32 = 0x20;
/// In [`DATA`]: overrun, break, parity or frame error.
const DAMAGED: u32 = 0xF00;
/// In [`INTERRUPTS`]: bytes have arrived, or few have and no more come.
const RECEIVED: u32 = 0x50;

static RECEIVED_BYTES: Ring<RING> = Ring::new();
static MILLIS: AtomicU32 = AtomicU32::new(0);

fn read(register: usize) -> u32 {
    // SAFETY: every address that this file hands in is a readable register of
    // this chip, aligned to a word.
    unsafe { (register as *const u32).read_volatile() }
}

fn write(register: usize, value: u32) {
    // SAFETY: as above, writable; no register that this file writes has an
    // effect on memory.
    unsafe { (register as *mut u32).write_volatile(value) }
}

/// Interrupts, by their numbers in the vector table.
#[derive(Clone, Copy)]
enum Interrupt {
    Uart0 = 5,
}

// SAFETY: the numbers are those of the chip and never change.
unsafe impl InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self as u16
    }
}

/// Milliseconds since the start.
pub(crate) struct Clock {
    seen: u32,
    millis: u64,
}

impl Clock {
    /// The time now. Right as long as it is asked once in 49 days.
    pub(crate) fn now(&mut self) -> Instant {
        let ticks = MILLIS.load(Ordering::Relaxed);
        self.millis += u64::from(ticks.wrapping_sub(self.seen));
        self.seen = ticks;
        Instant::from_millis(self.millis)
    }
}

/// UART0. Its interrupt gathers the bytes that arrive.
pub(crate) struct Uart(());

/// Starts the timer and the UART; `None` the second time.
pub(crate) fn start() -> Option<(Clock, Uart)> {
    let mut core = cortex_m::Peripherals::take()?;
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(TICKS_PER_MS - 1);
    core.SYST.clear_current();
    core.SYST.enable_interrupt();
    core.SYST.enable_counter();
    // Eight bits, no parity, both FIFOs on. Nothing is read before: a read
    // while they are off would leave the emulated UART with a stale byte.
    write(LINE, 0x70);
    write(CONTROL, 0x301);
    write(INTERRUPTS, RECEIVED);
    // SAFETY: no critical section relies on this interrupt being off.
    unsafe { NVIC::unmask(Interrupt::Uart0) };
    let clock = Clock { seen: 0, millis: 0 };
    Some((clock, Uart(())))
}

/// Moves what has arrived to the ring.
fn gather() {
    while read(FLAGS) & RX_EMPTY == 0 {
        let word = read(DATA);
        if word & DAMAGED != 0 {
            RECEIVED_BYTES.break_line();
        }
        RECEIVED_BYTES.push((word & 0xFF) as u8);
    }
}

/// Sleeps until an interrupt, unless bytes wait.
pub(crate) fn sleep() {
    // An interrupt between the look and the sleep would go unnoticed. One
    // that is held back ends the sleep all the same.
    cortex_m::interrupt::free(|_| {
        if RECEIVED_BYTES.is_empty() {
            cortex_m::asm::wfi();
        }
    });
}

impl ErrorType for Uart {
    type Error = Infallible;
}

impl ReadReady for Uart {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        Ok(!RECEIVED_BYTES.is_empty())
    }
}

impl Read for Uart {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Infallible> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let count = RECEIVED_BYTES.pop(out);
            if count > 0 {
                return Ok(count);
            }
            sleep();
        }
    }
}

impl Write for Uart {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        for byte in bytes {
            while read(FLAGS) & TX_FULL != 0 {}
            write(DATA, u32::from(*byte));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        while read(FLAGS) & BUSY != 0 {}
        Ok(())
    }
}

#[exception]
fn SysTick() {
    // The only writer: no other interrupt can come between the two.
    let millis = MILLIS.load(Ordering::Relaxed);
    MILLIS.store(millis.wrapping_add(1), Ordering::Relaxed);
}

/// Interrupts that the chip has. Without this table, cortex-m-rt makes one of
/// the 240 that the architecture allows, which is 784 bytes longer.
const INTERRUPTS_OF_CHIP: usize = 44;

mod vectors {
    unsafe extern "C" {
        /// What cortex-m-rt makes of the handler of that name below.
        pub(super) fn DefaultHandler();
    }
}

// SAFETY: the section and the name are where cortex-m-rt's script looks for
// the table; every entry is a handler.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [unsafe extern "C" fn(); INTERRUPTS_OF_CHIP] =
    [vectors::DefaultHandler; INTERRUPTS_OF_CHIP];

#[exception]
unsafe fn DefaultHandler(number: i16) {
    if number == Interrupt::Uart0 as i16 {
        write(INTERRUPT_CLEAR, RECEIVED);
        gather();
    } else {
        stop();
    }
}

#[exception]
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    stop()
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    stop()
}

/// What a fault ends in: every output off, then a restart with the arm at
/// rest. The reset does both here, since it makes each pin an input; a board
/// whose drives stay on without a signal switches them off first.
pub(crate) fn stop() -> ! {
    SCB::sys_reset()
}
