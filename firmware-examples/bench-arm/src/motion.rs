//! Joints that take time to move: straight from angle to angle at an even
//! speed.

use agentmote::time::Instant;

/// How many joints the arm has.
pub const JOINTS: usize = 6;

/// Full speed of a joint, in degrees a second: thousandths of a degree in a
/// millisecond.
const FULL_SPEED: u32 = 180;

/// What a drive was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// To go to an angle.
    Move {
        /// The joint, base first.
        joint: u8,
        /// Where to, in thousandths of a degree.
        to: i32,
        /// How fast, in percent of full speed.
        speed: u8,
    },
    /// To stay where it is.
    Stop {
        /// The joint, base first.
        joint: u8,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Moving,
    Arrived,
    Halted,
}

/// One joint: its last move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    /// Where from and where to, in thousandths of a degree.
    from: i32,
    to: i32,
    start: Instant,
    /// How long the move takes, in milliseconds.
    millis: u32,
    /// The job that began the move.
    job: u32,
}

impl Joint {
    pub(crate) const HOME: Self = Self {
        from: 0,
        to: 0,
        start: Instant::from_millis(0),
        millis: 0,
        job: 0,
    };

    pub(crate) fn start(&mut self, to: i32, speed: u8, job: u32, now: Instant) {
        let from = self.angle(now);
        // At most 180 degrees: the product stays below 2^32.
        let hundredths = to.abs_diff(from).saturating_mul(100);
        let millis = hundredths
            .checked_div(FULL_SPEED.saturating_mul(u32::from(speed)))
            .unwrap_or(0);
        *self = Self {
            from,
            to,
            start: now,
            millis,
            job,
        };
    }

    pub(crate) fn halt(&mut self, now: Instant) {
        let here = self.angle(now);
        *self = Self {
            from: here,
            to: here,
            start: now,
            millis: 0,
            ..*self
        };
    }

    pub(crate) fn job(&self) -> u32 {
        self.job
    }

    pub(crate) fn is_moving(&self, now: Instant) -> bool {
        now.since(self.start) < u64::from(self.millis)
    }

    /// How much of the way is done, in percent: 0 to 100.
    pub(crate) fn percent(&self, now: Instant) -> u32 {
        let done = now.since(self.start).min(u64::from(self.millis)) as u32;
        done.saturating_mul(100)
            .checked_div(self.millis)
            .unwrap_or(100)
    }

    pub(crate) fn angle(&self, now: Instant) -> i32 {
        if !self.is_moving(now) {
            return self.to;
        }
        // A move takes at most 100 s, and a thousandth of its way is enough.
        let done = now.since(self.start) as i32;
        let part = done
            .saturating_mul(1000)
            .checked_div(self.millis as i32)
            .unwrap_or(1000);
        let way = self.to.saturating_sub(self.from);
        self.from
            .saturating_add(way / 1000 * part + way % 1000 * part / 1000)
    }
}
