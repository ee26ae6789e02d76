//! HTTP/1.1 framing for a small server: RFC 9112 syntax, RFC 9110 field values.
//!
//! A connection uses the pieces in this order:
//!
//! 1. [`HeadEnd::feed`] finds the end of a request head, however it is cut;
//! 2. [`parse`] checks the whole head and gives a [`Head`] of spans;
//! 3. [`Head::body`] makes a [`Body`], which [`Body::read`] fills;
//! 4. [`ResponseHead::write`] writes the head of the answer.
//!
//! With the feature `client`, the other half: `RequestHead` writes the head of
//! a request, and `Answer` reads what comes back.
//!
//! Framing is strict where two readers could disagree about where a message
//! ends: a bare LF or CR as a line end, folded lines, a space before the
//! colon, a second length and any transfer coding but `chunked` are refused.
//! RFC 9112 section 2.2 lets a server take a bare LF, but a proxy in front that
//! does not would see other messages than this server. After a refused head or
//! body the place of the next message is unknown: answer and close.

#[cfg(feature = "client")]
mod answer;
mod authority;
mod body;
mod end;
mod field;
mod head;
mod media;
mod response;

#[cfg(feature = "client")]
pub use answer::{Answer, AnswerError, AnswerState, AnswerStep, Media, RequestHead, header};
pub use authority::{
    Authority, host_allowed, host_is_loopback, origin_allowed, origin_is_loopback,
};
pub use body::{Body, BodyError, BodyLength, BodyState, BodyStep, Chunked};
pub use end::{HeadEnd, HeadState, HeadStep};
pub(crate) use field::alike;
pub use field::{Field, Known, Parts, etag_listed, is_visible_ascii, token_listed};
pub use head::{Head, HeadError, Method, Named, Version, parse};
pub use media::{Accept, MediaType, accepts, media_type};
pub use response::{
    CHUNK_END, CONTINUE, Connection, Content, Cors, LAST_CHUNK, Preflight, ResponseHead,
    chunk_start, reason,
};
