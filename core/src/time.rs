//! Time as plain numbers. The core owns no clock: every call that needs the
//! time takes it as an argument.

/// A moment on the caller's monotonic clock, in milliseconds since a start of
/// the caller's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(u64);

impl Instant {
    /// The moment `millis` milliseconds after the clock's start.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the clock's start.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The moment `millis` milliseconds later; the last one there is if that
    /// cannot be counted.
    #[must_use]
    pub const fn after(self, millis: u32) -> Self {
        Self(self.0.saturating_add(millis as u64))
    }

    /// Milliseconds from `earlier` to this moment; 0 if it is not earlier.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
