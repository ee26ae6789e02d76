//! The error codes of JSON-RPC itself. Codes of a protocol stand in that
//! protocol's folder.

/// The bytes are not JSON (M-008).
pub const PARSE_ERROR: i32 = -32700;
/// JSON, but not a request (M-002, M-003).
pub const INVALID_REQUEST: i32 = -32600;
/// No such method here (M-009).
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The method exists, its parameters do not fit.
pub const INVALID_PARAMS: i32 = -32602;
/// A fault of this side (M-010).
pub const INTERNAL_ERROR: i32 = -32603;
