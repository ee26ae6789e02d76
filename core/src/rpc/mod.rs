//! The JSON-RPC 2.0 envelope, both ways.

mod code;
mod message;

pub use code::{INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR};
#[cfg(feature = "a2a")]
pub(crate) use message::read_answered;
pub use message::{Message, Refused, id_of, read};

use crate::buf::Sink;

/// Writes the members that every answer begins with. An empty `id` is left
/// out: the request had none that could be read (M-005).
pub fn open_answer(out: &mut Sink<'_>, id: &[u8]) {
    out.text("{\"jsonrpc\":\"2.0\"");
    if !id.is_empty() {
        out.text(",\"id\":");
        out.put(id);
    }
}
