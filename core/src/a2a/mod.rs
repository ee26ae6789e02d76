//! Every word and rule of the A2A protocol, on both of its wires: 1.x and
//! 0.3.
//!
//! A request becomes an [`Exchange`] without a byte having been sent; what is
//! to be sent becomes a [`Reply`], a small value that can be written any
//! number of times with the same bytes, because the log of a task is never
//! rewritten.
//!
//! Who drives it does this for each request, and knows nothing else:
//!
//! 1. [`Exchange::begin`] with the body and what the head says;
//! 2. [`Tasks::run`](crate::task::Tasks::run) as often as it is due;
//! 3. [`Exchange::poll`], and send what it gives, until it gives the end.
//!
//! | rules | where |
//! | --- | --- |
//! | two wires on one endpoint (section 21) | `era.rs` |
//! | errors (section 5) | `code.rs` |
//! | ProtoJSON and messages in (sections 3, 19) | `read.rs`, `message.rs` |
//! | operations (sections 6 to 9, 12) | `request.rs`, `exchange.rs` |
//! | tasks, events and lists out | `reply.rs`, `project.rs`, `list.rs` |
//! | the card (sections 1, 14, 19) | `card.rs` |
//! | pages beside the endpoint | `page.rs` |
//! | what the sources contradict each other in (section 25) | `choices.rs` |

mod card;
mod choices;
mod code;
mod era;
mod exchange;
mod list;
mod message;
#[cfg(feature = "pages")]
mod page;
mod project;
mod read;
mod reply;
mod request;

pub use card::{Agent, Card, CardKind, Extension, Offer, Provider, Scheme, SchemeKind, Signature};
pub use exchange::{Exchange, Next};
#[cfg(feature = "pages")]
pub use page::{Page, Section, Shows, html};
pub use reply::Reply;
#[cfg(feature = "policy")]
pub(crate) use request::Seen;
pub use request::{Caller, Facts};
