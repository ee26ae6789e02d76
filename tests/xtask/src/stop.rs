//! Why a command or a step did not reach its end.

use std::fmt;

/// The three ways to end early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The command line is wrong: nothing was done.
    Usage(String),
    /// This machine lacks something that cannot be installed on it.
    Skip(String),
    /// It was tried and went wrong.
    Fail(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Fail(text) => f.write_str(text),
            Self::Skip(text) => write!(f, "not possible here: {text}"),
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
