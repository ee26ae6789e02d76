//! The native half of the Python package `agentmote`.

use agentmote::mcp::Version;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// MCP tool server for microcontrollers, as native code.
///
/// Use the names that the package `agentmote` gives; this module may change.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // Newest first, as a device tells them.
        let versions = Version::ALL.map(Version::text);
        module.add("PROTOCOL_VERSIONS", PyTuple::new(module.py(), versions)?)
    }
}
