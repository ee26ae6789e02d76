//! The time of a device: that of the machine, or one that a test moves.

use std::sync::atomic::{AtomicU64, Ordering};

use agentmote::time::Instant;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// What time it is for a device.
///
/// ``Clock()`` is the clock of the machine, ``Clock(virtual=True)`` one that
/// stands still until ``advance`` is called, or until a device waits.
#[pyclass(frozen, module = "agentmote._native")]
#[derive(Debug)]
pub(crate) struct Clock {
    start: std::time::Instant,
    /// Milliseconds, if nothing but the test moves it.
    moved: Option<AtomicU64>,
}

impl Clock {
    pub(crate) fn now_native(&self) -> Instant {
        let millis = match &self.moved {
            Some(millis) => millis.load(Ordering::SeqCst),
            None => u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        Instant::from_millis(millis)
    }

    pub(crate) fn is_virtual(&self) -> bool {
        self.moved.is_some()
    }

    /// Moves a virtual clock forward to `then`; whether it is one.
    pub(crate) fn jump(&self, then: Instant) -> bool {
        if let Some(millis) = &self.moved {
            millis.fetch_max(then.as_millis(), Ordering::SeqCst);
        }
        self.moved.is_some()
    }
}

#[pymethods]
impl Clock {
    #[new]
    #[pyo3(signature = (*, r#virtual = false))]
    fn new(r#virtual: bool) -> Self {
        Self {
            start: std::time::Instant::now(),
            moved: r#virtual.then(|| AtomicU64::new(0)),
        }
    }

    /// Whether it moves only when it is told to.
    #[getter]
    fn r#virtual(&self) -> bool {
        self.moved.is_some()
    }

    /// Seconds since the clock was made, in steps of a millisecond.
    fn now(&self) -> f64 {
        self.now_native().as_millis() as f64 / 1000.0
    }

    /// Moves a virtual clock forward by so many seconds, 0 to 1e9.
    fn advance(&self, seconds: f64) -> PyResult<()> {
        let Some(moved) = &self.moved else {
            return Err(PyRuntimeError::new_err(
                "only a virtual clock can be advanced",
            ));
        };
        if !(0.0..=1e9).contains(&seconds) {
            return Err(PyValueError::new_err(format!(
                "cannot advance by {seconds} s: 0 to 1e9 are allowed"
            )));
        }
        // A part of a millisecond counts as one: a wait must end.
        moved.fetch_add((seconds * 1000.0).ceil() as u64, Ordering::SeqCst);
        Ok(())
    }
}
