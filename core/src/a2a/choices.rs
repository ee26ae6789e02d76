//! What is done where the sources contradict each other (section 25 of the
//! list of requirements), each decided once.
//!
//! | no. | question | decision |
//! | --- | --- | --- |
//! | 1 | does `SendMessage` return at once? | no, it waits unless asked not to (A-118) |
//! | 2 | does `artifactUpdate` have an `index`? | no (A-172) |
//! | 3 | do streams end at interrupted states? | no, at terminal ones (A-174) |
//! | 4 | may required lists be empty? | not in a card, which does not build then; `tasks` of a list may (A-003, A-148) |
//! | 5, 6, 8 | problem documents, field numbers, statuses of REST | not part of JSON-RPC |
//! | 7 | `category/action` and `"role":"user"` in 1.x? | no: the names and enums of the schema alone |
//! | 9 | is a second cancel an error? | yes, -32002, and nothing runs twice (A-142) |
//! | 10 | names of a file's members in 0.3? | `bytes` and `uri` (V-003) |
//! | 11 | the shape of push configurations? | the flat one; none is taken, since push is not served (A-180) |
//!
//! Decisions 2, 5, 6, 8 and 11 are kept by code that does not exist.

/// No. 1: whether a request without the flag waits, on either wire.
pub(super) const WAITS_BY_DEFAULT: bool = true;

/// No. 3: whether a stream ends when its task waits for its caller.
pub(super) const STREAM_ENDS_INTERRUPTED: bool = false;

/// No. 7: the one role that a message to the agent has in 1.x.
pub(super) const ROLE_USER: &str = "ROLE_USER";

/// No. 10: the members of a file in 0.3.
pub(super) const FILE_BYTES: &str = "bytes";
/// As above.
pub(super) const FILE_URI: &str = "uri";
