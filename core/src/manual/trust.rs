//! What is trusted, and what an attacker cannot do.
//!
//! **Trusted:** descriptors and handlers, the time, the sizes of the buffers.
//! A descriptor that breaks a rule does not compile.
//!
//! **Not trusted:** every byte that arrives, in any order and cut anywhere.
//!
//! For any input:
//!
//! 1. No panic: an image links only if none is reachable from a public
//!    function of the core (`cargo xtask panic-free`).
//! 2. No recursion and no loop without a bound: the stack of the example has
//!    a static bound, and a message is read a fixed number of times.
//! 3. No write outside the caller's buffers: there is no `unsafe`.
//! 4. No handler is reached by a call whose envelope, era, headers, tool or
//!    arguments are wrong, and none twice for one message (section F, M-119).
//! 5. What a tool advertises is what is checked: integers do not wrap, text
//!    is counted in characters, unknown and repeated names are refused
//!    (M-124).
//! 6. Bytes of a refused message are never taken for another message: an
//!    over-long line is dropped up to its end, a head or body that cannot be
//!    framed ends the connection.
//! 7. Text of the caller that an answer repeats is JSON text that was checked,
//!    or visible ASCII of a header. A message repeats at most
//!    [`QUOTE_BYTES`](crate::limits::QUOTE_BYTES) of a text; ids, tokens and
//!    the version in the data of -32022 come back whole.
//! 8. Over HTTP, a request of another host or origin than the configured ones
//!    is refused before its body is looked at (M-048, M-049).
//! 9. An answer to a question acts only if the question was asked: of this
//!    caller, for this tool and these arguments, at most five minutes and 63
//!    questions ago, and not answered before. What proves it is sealed with
//!    HMAC-SHA-256 and compared in constant time (M-148, M-149). A tool that
//!    is declared `asks(open)` gives that up.
//! 10. A client of the legacy era reaches calls and subscriptions of its own
//!     session only, and a session only with the credentials that opened it.
//! 11. A tool that a caller does not see is answered as one that there is
//!     not.
//! 12. Whoever answers a call of this device (feature `client`) is not trusted
//!     more than one who calls: his answer is bounded and checked in the same
//!     way, a card leads only to an origin that the firmware allows, a
//!     redirect nowhere, and credentials go to no other origin than that of
//!     the endpoint they were given for.
//!
//! 12. With the feature `policy`: a credential that is wrong, has expired or
//!     was revoked is answered with the same bytes as one that never was,
//!     after the same comparisons; nothing of a body is read before (M-205).
//!     A guard can hide more than scopes, owners and tenants do, not less.
//! 13. An event of the policy holds names from constant tables, ids that the
//!     device gave, and numbers: no text of a message and no secret has a
//!     place in it. Each refusal and each side effect makes exactly one.
//!
//! **Not given here:** encryption (put TLS in front), limits on the rate of
//! calls, and protection from a peer that may call tools and calls them.
