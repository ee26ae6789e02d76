//! Who may work on a piece of storage: one at a time, and only once it was
//! opened.

use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use crate::abi::{AGENTMOTE_ERROR_BUSY, AGENTMOTE_ERROR_NOT_OPEN, agentmote_status_t};

/// Stands at the start of each storage; all zeros, or anything, before it is
/// opened.
pub(crate) struct Gate {
    mark: AtomicU32,
    /// Another number each time the storage is opened.
    round: AtomicU32,
    busy: AtomicU8,
}

/// What stands in the storage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Server = 0x6D5E_A001,
    Connection = 0x6D5E_A002,
}

/// The right to work on the storage, until it is dropped.
pub(crate) struct Guard<'g>(&'g Gate);

impl Gate {
    /// Enters storage that was opened.
    pub(crate) fn enter(&self, mark: Mark) -> Result<Guard<'_>, agentmote_status_t> {
        if !self.is(mark) {
            return Err(AGENTMOTE_ERROR_NOT_OPEN);
        }
        self.take()
    }

    /// Enters storage to open it, whatever stands in it. It counts as not
    /// open until [`open`](Self::open).
    pub(crate) fn seize(&self, mark: Mark) -> Result<Guard<'_>, agentmote_status_t> {
        if !self.is(mark) {
            self.busy.store(0, Ordering::Relaxed);
        }
        let guard = self.take()?;
        self.mark.store(0, Ordering::Release);
        Ok(guard)
    }

    /// Lets others in.
    pub(crate) fn open(&self, mark: Mark) {
        let round = self.round().wrapping_add(1);
        self.round.store(round, Ordering::Relaxed);
        self.mark.store(mark as u32, Ordering::Release);
    }

    /// Who keeps this number notices when the storage was opened anew.
    pub(crate) fn round(&self) -> u32 {
        self.round.load(Ordering::Relaxed)
    }

    pub(crate) fn is(&self, mark: Mark) -> bool {
        self.mark.load(Ordering::Acquire) == mark as u32
    }

    #[cfg(target_has_atomic = "8")]
    fn take(&self) -> Result<Guard<'_>, agentmote_status_t> {
        match self.busy.swap(1, Ordering::Acquire) {
            0 => Ok(Guard(self)),
            _ => Err(AGENTMOTE_ERROR_BUSY),
        }
    }

    /// A core without compare-and-swap. A call from inside a handler is seen,
    /// and so is one from an interrupt, which is over before this goes on; one
    /// of another thread that comes between the two lines is not.
    #[cfg(not(target_has_atomic = "8"))]
    fn take(&self) -> Result<Guard<'_>, agentmote_status_t> {
        if self.busy.load(Ordering::Acquire) != 0 {
            return Err(AGENTMOTE_ERROR_BUSY);
        }
        self.busy.store(1, Ordering::Relaxed);
        Ok(Guard(self))
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.busy.store(0, Ordering::Release);
    }
}
