//! The native half of the Python package `agentmote`.
//!
//! The core does the whole work: descriptors, checks, protocol, framing. Here
//! are the tables that Python's type hints become (`describe`), the one
//! handler behind every function (`app`), connections with their memory
//! (`wire`), tasks (`skill`), who may call (`policy`, `token`), and HTTP over TCP (`serve`).

mod app;
mod arena;
mod clock;
mod describe;
mod device;
mod policy;
mod serve;
mod skill;
mod token;
mod value;
mod wire;

use agentmote::limits;
use agentmote::mcp::Version;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// MCP tool server for microcontrollers, as native code.
///
/// Use the names that the package `agentmote` gives; this module may change.
#[pymodule(gil_used = true)]
mod _native {
    use super::*;

    #[pymodule_export]
    use super::app::Form;
    #[pymodule_export]
    use super::clock::Clock;
    #[pymodule_export]
    use super::device::{BenchArm, Connection, Device};
    #[pymodule_export]
    use super::serve::Listener;

    /// Ends the work of every task, for the end of the program.
    #[pyfunction]
    fn end_work(py: Python<'_>) {
        py.detach(wire::end_work);
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // Newest first, as a device tells them.
        let versions = Version::ALL.map(Version::text);
        module.add("PROTOCOL_VERSIONS", PyTuple::new(module.py(), versions)?)?;
        module.add("NeedInput", module.py().get_type::<app::NeedInput>())?;
        module.add("MAX_PARAMS", limits::PARAMS)?;
        module.add("MAX_DEPTH", limits::PARAM_DEPTH)?;
        module.add("MAX_REQUEST", wire::REQUEST)?;
        module.add("MAX_RESULT", wire::RESULT)?;
        module.add("MAX_CALLS", wire::CALLS)?;
        module.add("MAX_CREDENTIALS", limits::CREDENTIALS)?;
        module.add("MAX_TASKS", skill::TASKS)?;
        module.add("MAX_TASK", skill::LOG)?;
        module.add("MAX_STATUS", limits::STATUS_BYTES)
    }
}
