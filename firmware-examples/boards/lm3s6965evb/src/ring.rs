//! Bytes on their way from the interrupt to the main loop.
//!
//! One side pushes, the other pops; both work on a shared reference, without
//! a lock. A byte that finds no room breaks its line, and the line is made to
//! fail: what is left of it ends with [`BROKEN`], which no JSON text may hold,
//! so the peer gets a parse error instead of two lines melted into one.

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};

/// Stands for what was lost: the control character "substitute".
const BROKEN: u8 = 0x1A;

/// A ring of `N` bytes; `N` is a power of two.
pub(crate) struct Ring<const N: usize> {
    bytes: [AtomicU8; N],
    /// Bytes pushed so far. Only the pushing side writes it.
    pushed: AtomicUsize,
    /// Bytes popped so far. Only the popping side writes it.
    popped: AtomicUsize,
    /// Whether the line that is arriving is broken. Pushing side only.
    broken: AtomicBool,
    /// Lines broken since the start, for a debugger to read.
    lines_broken: AtomicU32,
}

impl<const N: usize> Ring<N> {
    pub(crate) const fn new() -> Self {
        const { assert!(N.is_power_of_two(), "the places wrap by a mask") };
        Self {
            bytes: [const { AtomicU8::new(0) }; N],
            pushed: AtomicUsize::new(0),
            popped: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
            lines_broken: AtomicU32::new(0),
        }
    }

    /// Takes a byte. Called by the interrupt alone.
    pub(crate) fn push(&self, byte: u8) {
        if !self.broken.load(Ordering::Relaxed) {
            if self.room() > 0 {
                self.put(byte);
                return;
            }
            self.break_line();
        }
        // The rest of a broken line is dropped. Without room for its end it
        // stays broken, and the next line ends it.
        if byte == b'\n' && self.room() >= 2 {
            self.put(BROKEN);
            self.put(byte);
            self.broken.store(false, Ordering::Relaxed);
        }
    }

    /// Notes that a byte was lost before it came here. Called by the
    /// interrupt alone.
    pub(crate) fn break_line(&self) {
        if !self.broken.load(Ordering::Relaxed) {
            self.broken.store(true, Ordering::Relaxed);
            let lines = self.lines_broken.load(Ordering::Relaxed);
            self.lines_broken.store(lines.wrapping_add(1), Ordering::Relaxed);
        }
    }

    /// Moves bytes to `out`; gives how many. Called by the main loop alone.
    pub(crate) fn pop(&self, out: &mut [u8]) -> usize {
        let popped = self.popped.load(Ordering::Relaxed);
        let ready = self.pushed.load(Ordering::Acquire).wrapping_sub(popped);
        let mut count = 0;
        for place in out.iter_mut().take(ready) {
            if let Some(byte) = self.bytes.get(popped.wrapping_add(count) & (N - 1)) {
                *place = byte.load(Ordering::Relaxed);
            }
            count += 1;
        }
        self.popped.store(popped.wrapping_add(count), Ordering::Release);
        count
    }

    /// Whether nothing is there to pop.
    pub(crate) fn is_empty(&self) -> bool {
        self.pushed.load(Ordering::Acquire) == self.popped.load(Ordering::Relaxed)
    }

    fn room(&self) -> usize {
        let pushed = self.pushed.load(Ordering::Relaxed);
        N.wrapping_sub(pushed.wrapping_sub(self.popped.load(Ordering::Acquire)))
    }

    fn put(&self, byte: u8) {
        let pushed = self.pushed.load(Ordering::Relaxed);
        if let Some(place) = self.bytes.get(pushed & (N - 1)) {
            place.store(byte, Ordering::Relaxed);
        }
        self.pushed.store(pushed.wrapping_add(1), Ordering::Release);
    }
}
