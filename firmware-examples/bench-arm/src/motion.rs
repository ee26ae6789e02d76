//! Joints that take time to move: straight from angle to angle at an even
//! speed.

use agentmote::time::Instant;

/// How many joints the arm has.
pub const JOINTS: usize = 6;

/// Full speed of a joint, in degrees a second.
const FULL_SPEED: f32 = 180.0;

/// What a drive was told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// To go to an angle.
    Move {
        /// The joint, base first.
        joint: u8,
        /// Where to, in degrees.
        deg: f32,
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
    from: f32,
    to: f32,
    start: Instant,
    /// How long the move takes, in milliseconds.
    millis: u32,
    halted: bool,
}

impl Joint {
    pub(crate) const HOME: Self = Self {
        from: 0.0,
        to: 0.0,
        start: Instant::from_millis(0),
        millis: 0,
        halted: false,
    };

    pub(crate) fn start(&mut self, deg: f32, speed: u8, now: Instant) {
        let from = self.angle(now);
        let per_second = FULL_SPEED * f32::from(speed.max(1)) / 100.0;
        *self = Self {
            from,
            to: deg,
            start: now,
            // Saturates, and is never negative.
            millis: ((deg - from).abs() / per_second * 1000.0) as u32,
            halted: false,
        };
    }

    pub(crate) fn halt(&mut self, now: Instant) {
        let here = self.angle(now);
        *self = Self {
            from: here,
            to: here,
            start: now,
            millis: 0,
            halted: true,
        };
    }

    pub(crate) fn is_halted(&self) -> bool {
        self.halted
    }

    pub(crate) fn is_moving(&self, now: Instant) -> bool {
        now.since(self.start) < u64::from(self.millis)
    }

    pub(crate) fn state(&self, now: Instant) -> State {
        if self.is_moving(now) {
            State::Moving
        } else if self.halted {
            State::Halted
        } else {
            State::Arrived
        }
    }

    /// How much of the way is done, in percent: 0 to 100.
    pub(crate) fn percent(&self, now: Instant) -> u32 {
        let done = now.since(self.start).min(u64::from(self.millis)) as u32;
        done.saturating_mul(100)
            .checked_div(self.millis)
            .unwrap_or(100)
    }

    pub(crate) fn angle(&self, now: Instant) -> f32 {
        if self.is_moving(now) {
            let part = now.since(self.start) as f32 / self.millis as f32;
            self.from + (self.to - self.from) * part
        } else {
            self.to
        }
    }
}
