//! Why a command or a step did not reach its end.

use std::fmt;

/// The ways to end early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The command line is wrong: nothing was done.
    Usage(String),
    /// This machine lacks something that cannot be installed on it.
    Skip(String),
    /// A tool cannot be had at all, and the step is one that may do without:
    /// see [`MAY_BE_UNAVAILABLE`](crate::steps::MAY_BE_UNAVAILABLE).
    Unavailable(String),
    /// It was tried and went wrong.
    Fail(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Fail(text) => f.write_str(text),
            Self::Skip(text) => write!(f, "not possible here: {text}"),
            Self::Unavailable(text) => write!(f, "not available: {text}"),
        }
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Fail(error.to_string())
    }
}

/// Adds what was being done to an error of the operating system.
pub(crate) trait Doing<T> {
    fn doing(self, what: impl fmt::Display) -> Result<T, Stop>;
}

impl<T> Doing<T> for std::io::Result<T> {
    fn doing(self, what: impl fmt::Display) -> Result<T, Stop> {
        self.map_err(|error| Stop::Fail(format!("{what}: {error}")))
    }
}
