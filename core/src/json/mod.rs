//! JSON text (RFC 8259) read in place and written without a buffer of its
//! size. No protocol word stands here.
//!
//! Reading is in two steps. [`parse`] checks a whole text once, strictly and
//! iteratively, and gives a [`Value`]: a window on the text that needs no
//! further checks. Everything behind it only walks text that is known to be
//! well formed.

pub mod de;
mod float;
mod number;
mod scan;
pub mod ser;
mod text;
mod view;
pub mod write;

pub use number::{Number, NumberError};
pub use scan::{Error, Reader, Reason};
pub use text::Text;
pub use view::{Elements, Kind, Members, Value};

/// Checks that `text` is exactly one JSON value in UTF-8, white space around
/// it allowed.
///
/// Bound: one pass, no recursion, no copy; nesting up to
/// [`JSON_DEPTH`](crate::limits::JSON_DEPTH).
/// Refuses: anything that RFC 8259 does not allow, unpaired surrogate escapes,
/// and text that goes on after the value; see [`Reason`]. Duplicate member
/// names are legal here: who acts on members refuses them there.
///
/// ```
/// let value = agentmote::json::parse(br#"{"on":true}"#).unwrap();
/// assert_eq!(value.member("on").unwrap().as_bool(), Some(true));
/// let error = agentmote::json::parse(br#"{"on":tru}"#).unwrap_err();
/// assert_eq!(error.at, 9);
/// ```
pub fn parse(text: &[u8]) -> Result<Value<'_>, Error> {
    scan::check(text)
}
