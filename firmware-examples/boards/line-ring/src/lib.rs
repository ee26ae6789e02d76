//! Bytes on their way from the interrupt to the main loop.
//!
//! One side pushes, the other pops; both work on a shared reference, without
//! a lock. A byte that finds no room breaks its line, and the line is made to
//! fail: what is left of it ends with [`BROKEN`], which no JSON text may hold,
//! so the peer gets a parse error instead of two lines melted into one.

#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};

/// Stands for what was lost: the control character "substitute".
const BROKEN: u8 = 0x1A;

/// A ring of `N` bytes; `N` is a power of two.
#[derive(Debug)]
pub struct Ring<const N: usize> {
    bytes: [AtomicU8; N],
    /// Bytes pushed so far. Only the pushing side writes it.
    pushed: AtomicUsize,
    /// Bytes popped so far. Only the popping side writes it.
    popped: AtomicUsize,
    /// Whether the line that is arriving is broken. Pushing side only.
    broken: AtomicBool,
    /// Lines broken since the start. Pushing side only.
    lines_broken: AtomicU32,
}

impl<const N: usize> Ring<N> {
    /// An empty ring.
    pub const fn new() -> Self {
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
    pub fn push(&self, byte: u8) {
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
    pub fn break_line(&self) {
        if !self.broken.load(Ordering::Relaxed) {
            self.broken.store(true, Ordering::Relaxed);
            let lines = self.lines_broken.load(Ordering::Relaxed);
            self.lines_broken
                .store(lines.wrapping_add(1), Ordering::Relaxed);
        }
    }

    /// Moves bytes to `out`; gives how many. Called by the main loop alone.
    pub fn pop(&self, out: &mut [u8]) -> usize {
        let popped = self.popped.load(Ordering::Relaxed);
        let ready = self.pushed.load(Ordering::Acquire).wrapping_sub(popped);
        let mut count = 0;
        for place in out.iter_mut().take(ready) {
            if let Some(byte) = self.bytes.get(popped.wrapping_add(count) & (N - 1)) {
                *place = byte.load(Ordering::Relaxed);
            }
            count += 1;
        }
        self.popped
            .store(popped.wrapping_add(count), Ordering::Release);
        count
    }

    /// Whether nothing is there to pop.
    pub fn is_empty(&self) -> bool {
        self.pushed.load(Ordering::Acquire) == self.popped.load(Ordering::Relaxed)
    }

    /// How many lines were broken since the start; wraps.
    pub fn lines_broken(&self) -> u32 {
        self.lines_broken.load(Ordering::Relaxed)
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

impl<const N: usize> Default for Ring<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::Ring;

    fn push<const N: usize>(ring: &Ring<N>, bytes: &[u8]) {
        for byte in bytes {
            ring.push(*byte);
        }
    }

    fn all<const N: usize>(ring: &Ring<N>) -> Vec<u8> {
        let mut out = [0xA5; 64];
        let count = ring.pop(&mut out);
        assert!(out[count..].iter().all(|byte| *byte == 0xA5));
        out[..count].to_vec()
    }

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let ring = Ring::<8>::new();
        for round in 0..100u8 {
            let bytes = [round, b'\n', round, 1, 2];
            push(&ring, &bytes);
            let mut two = [0; 2];
            assert_eq!(ring.pop(&mut two), 2);
            assert_eq!(two, bytes[..2]);
            assert_eq!(all(&ring), bytes[2..]);
            assert!(ring.is_empty());
        }
        assert_eq!(ring.lines_broken(), 0);
    }

    #[test]
    fn a_full_ring_keeps_every_byte() {
        let ring = Ring::<8>::new();
        push(&ring, b"1234567\n");
        assert_eq!(all(&ring), b"1234567\n");
        assert_eq!(ring.lines_broken(), 0);
    }

    #[test]
    fn a_line_that_overruns_ends_broken_and_the_next_is_whole() {
        let ring = Ring::<8>::new();
        push(&ring, b"12345678");
        push(&ring, b"9");
        assert_eq!(all(&ring), b"12345678");
        push(&ring, b"more\nnext\n");
        assert_eq!(all(&ring), b"\x1A\nnext\n");
        assert_eq!(ring.lines_broken(), 1);
    }

    #[test]
    fn lines_without_room_for_their_end_break_together() {
        let ring = Ring::<8>::new();
        push(&ring, b"12345678x\n");
        assert_eq!(all(&ring), b"12345678");
        push(&ring, b"y\nz\n");
        assert_eq!(all(&ring), b"\x1A\nz\n");
        assert_eq!(ring.lines_broken(), 1);
    }

    #[test]
    fn a_byte_lost_elsewhere_breaks_the_line() {
        let ring = Ring::<8>::new();
        push(&ring, b"ab");
        ring.break_line();
        push(&ring, b"cd\nok\n");
        assert_eq!(all(&ring), b"ab\x1A\nok\n");
        ring.break_line();
        push(&ring, b"\n");
        assert_eq!(all(&ring), b"\x1A\n");
        assert_eq!(ring.lines_broken(), 2);
    }

    #[test]
    fn two_threads_lose_nothing() {
        let ring = Ring::<64>::new();
        let count = if cfg!(miri) { 500 } else { 20_000u32 };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for i in 0..count {
                    // A UART holds back while the ring is full.
                    while ring.room() == 0 {
                        std::thread::yield_now();
                    }
                    ring.push(i as u8);
                }
            });
            let mut next = 0;
            while next < count {
                let mut out = [0; 7];
                let popped = ring.pop(&mut out);
                for byte in &out[..popped] {
                    assert_eq!(*byte, next as u8);
                    next += 1;
                }
                if popped == 0 {
                    std::thread::yield_now();
                }
            }
        });
        assert_eq!(ring.lines_broken(), 0);
    }
}
