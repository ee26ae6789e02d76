//! The states of a task and the legal moves between them: pure functions,
//! and the one place that knows them.

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// Recorded; no work has begun.
    Submitted = 1,
    /// In the hands of the runtime.
    Working = 2,
    /// The runtime waits for a message of the caller.
    InputRequired = 3,
    /// The runtime waits for someone's leave, by whatever way its message
    /// names. The state alone authorizes nothing.
    AuthRequired = 4,
    /// Done, with an artifact.
    Completed = 5,
    /// Not done, and the status message says why.
    Failed = 6,
    /// The work was stopped for the caller (P-017).
    Canceled = 7,
    /// Not accepted, deliberately.
    Rejected = 8,
}

impl State {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Submitted,
        Self::Working,
        Self::InputRequired,
        Self::AuthRequired,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::Rejected,
    ];

    /// The state of this number, as a record keeps it.
    pub(crate) const fn of(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Submitted,
            2 => Self::Working,
            3 => Self::InputRequired,
            4 => Self::AuthRequired,
            5 => Self::Completed,
            6 => Self::Failed,
            7 => Self::Canceled,
            8 => Self::Rejected,
            _ => return None,
        })
    }

    /// Whether nothing can follow.
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// Whether the work waits for something from outside.
    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// Whether a task may go from here to `next`. To stay in an open
    /// or interrupted state with a new message is a move too, but to wait
    /// for work to begin is not.
    pub const fn may_become(self, next: Self) -> bool {
        !self.is_terminal() && !matches!(next, Self::Submitted)
    }
}

#[cfg(test)]
mod tests {
    use super::State;
    use super::State::{
        AuthRequired, Canceled, Completed, Failed, InputRequired, Rejected, Submitted, Working,
    };

    /// the whole table.
    #[test]
    fn the_legal_moves_are_these() {
        let ends = [Completed, Failed, Canceled, Rejected];
        for from in State::ALL {
            for to in State::ALL {
                let legal = match (from, to) {
                    (Submitted | Working | InputRequired | AuthRequired, Submitted) => false,
                    (Submitted | Working | InputRequired | AuthRequired, _) => true,
                    (Completed | Failed | Canceled | Rejected, _) => false,
                };
                assert_eq!(from.may_become(to), legal, "{from:?} to {to:?}");
            }
            assert_eq!(from.is_terminal(), ends.contains(&from));
            assert_eq!(State::of(from as u8), Some(from));
        }
        assert_eq!(State::of(0), None);
        assert_eq!(State::of(9), None);
    }
}
