//! Who asks, what he may do, and what is written down of it: one policy in
//! front of MCP and A2A alike.
//!
//! ```text
//! head of a request -> credential -> endpoint -> (body) -> operation -> work
//!                          401, 429      403            not there    |
//!                               \_________ one event each __________/
//! ```
//!
//! 1. A request shows a [`Presented`] credential. `Policy` keeps a table of
//!    `Credential`s, of which it knows only digests, and asks its `Guard`
//!    for those that it does not know. What comes of it is a `Grant`.
//! 2. A grant without the scopes of an endpoint is refused with 403.
//! 3. Tools and skills whose scopes the grant lacks, and tasks of another
//!    owner or tenant, are not there for it. The `Guard` may hide more,
//!    never less.
//! 4. Each refusal and each side effect is one `Event`, given to the guard,
//!    which hands it to a sink (`Audit`).

#[cfg(feature = "policy")]
mod audit;
#[cfg(any(feature = "policy", feature = "credentials"))]
mod digest;
#[cfg(feature = "policy")]
mod gate;
#[cfg(feature = "policy")]
mod metadata;
#[cfg(feature = "policy")]
mod table;

#[cfg(feature = "defmt")]
pub use audit::Defmt;
#[cfg(feature = "policy")]
pub use audit::{Audit, Endpoint, Event, Operation, Outcome, Request, Ring, Subject, Why};
#[cfg(feature = "credentials")]
pub(crate) use digest::{differs, of};
#[cfg(feature = "policy")]
pub(crate) use gate::Denial;
#[cfg(feature = "policy")]
pub use gate::{AllowAll, Guard, Policy, Rules, TryLimit};
#[cfg(feature = "policy")]
pub use metadata::Protected;
#[cfg(feature = "policy")]
pub(crate) use metadata::{WELL_KNOWN, write_challenge};
#[cfg(feature = "policy")]
pub(crate) use table::Doer;
#[cfg(feature = "policy")]
pub use table::{AddError, Authority, Credential, Credentials, Grant};

/// What a request shows of who sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented<'h> {
    /// Nothing.
    None,
    /// The token of `Authorization: Bearer`.
    Bearer(&'h [u8]),
    /// The value of `X-API-Key`.
    ApiKey(&'h [u8]),
}

#[cfg(feature = "policy")]
impl<'h> Presented<'h> {
    /// The secret, whatever header it came in: both are worth the same
    /// (O-013).
    pub fn secret(self) -> Option<&'h [u8]> {
        match self {
            Self::None => None,
            Self::Bearer(secret) | Self::ApiKey(secret) => Some(secret),
        }
    }
}
