//! Every compile-time number of the core: its unit, why it has that value,
//! and what it costs.

/// Levels of arrays and objects that a JSON text may nest.
///
/// One bit of a register each: no RAM. Deeper text is refused as a whole.
/// The deepest message of either protocol needs 12 levels.
pub const JSON_DEPTH: usize = 32;

/// Parameters of one tool, and members of one nested object parameter.
///
/// Four bytes of stack each while a call is checked, and one bit of a mask.
pub const PARAMS: usize = 16;

/// Levels of nested object and array parameters in one tool descriptor.
///
/// About 40 bytes of stack each while a call is checked or a schema written.
pub const PARAM_DEPTH: usize = 4;

/// Members of the arguments of a tool with raw schema text.
///
/// Each name is compared with those behind it: the limit bounds that work, and
/// costs no memory.
pub const SCHEMA_MEMBERS: usize = 64;

/// Characters of a tool, parameter or choice name (M-102).
pub const NAME_CHARS: usize = 64;

/// Parameters of one URI template.
///
/// No RAM: each is found again when it is asked for.
pub const URI_PARAMS: usize = 4;

/// Values of one answer to a request for completion (M-159).
pub const COMPLETIONS: usize = 100;

/// Bytes of a caller's text that an error message repeats.
///
/// Longer text is shown with an ellipsis, so that a message stays short.
pub const QUOTE_BYTES: usize = 48;

/// Bytes of a request id (M-003) or a progress token (M-126), as written in
/// the request.
///
/// A longer one is refused, with -32600 or -32602: it could not be kept while
/// a call is in flight.
pub const ID_BYTES: usize = 64;

/// Questions that one answer of a handler asks.
///
/// Each costs three words of RAM in a connection, with the feature `input`.
pub const QUESTIONS: usize = 4;

/// Bytes of an answer to a question that comes over HTTP from a client of the
/// legacy era.
///
/// As many bytes of RAM in a server for each of [`HTTP_CALLS`], with the
/// features `input` and `sessions`. A longer one is refused with 413, and its
/// question stays open.
pub const HTTP_ANSWER_BYTES: usize = 512;

/// Calls of HTTP clients of the legacy era that their clients can cancel or
/// be asked by, at the same time.
///
/// About 50 bytes of RAM each in a server, with the feature `sessions`, and
/// [`HTTP_ANSWER_BYTES`] more with `input`. One more goes on, but its client
/// does not reach it, and it cannot ask.
pub const HTTP_CALLS: usize = 4;

/// Resources of one device that can be subscribed to.
///
/// Eight bytes of RAM each in a server, with the feature `subscriptions`.
pub const WATCHED: usize = 15;

/// Sessions of HTTP clients of the legacy era that subscribe at the same time.
///
/// Twelve bytes of RAM each in a server, with the features `subscriptions` and
/// `sessions`. One more is refused.
pub const HTTP_SUBSCRIBERS: usize = 8;

/// Tools of one catalog that can be hidden from a caller: the first ones.
///
/// One bit of RAM each in a connection, with the feature `scopes`.
pub const FILTERED: usize = 64;

/// Credentials of one server.
///
/// About 72 bytes of RAM each in a policy, with the feature `policy`. One more
/// is refused; others can be known to the guard.
pub const CREDENTIALS: usize = 8;

/// Numbers under a seal that are good at the same time: sessions of HTTP
/// clients, and questions that wait for their answer (M-148, M-184).
///
/// One bit of RAM each. The oldest is given up when a newer one is made.
pub const SEALED: u32 = 64;

/// Bytes of the message of a task's status. A longer one ends with an
/// ellipsis.
///
/// So many are kept free in the log of each task for its last status, and lie
/// on the stack while one is written.
pub const STATUS_BYTES: usize = 160;

/// Bytes of the metadata of a message, of an artifact or of a task, as it was
/// written. Longer metadata of a message is refused with -32602; longer
/// metadata of an output fails its task.
///
/// It stands in the log of a task, as long as it is.
pub const METADATA_BYTES: usize = 1024;

/// Bytes of a message id or context id that a client chose. A longer
/// one is refused with -32602.
///
/// They stand in the log of a task, as long as they are.
pub const KEY_BYTES: usize = 128;

// HTTP

/// Empty lines before a request line that are skipped (RFC 9112 section 2.2).
///
/// More are refused with 400. They count towards the head buffer.
pub const HTTP_EMPTY_LINES: usize = 2;

/// Bytes of a request method. A longer one is answered 501. No RAM.
pub const HTTP_METHOD_BYTES: usize = 16;

/// Bytes of a request target as sent, with scheme, host and query.
///
/// A longer one is answered 414. It stands in the head buffer.
pub const HTTP_TARGET_BYTES: usize = 512;

/// Header lines of one request, known or not. More are answered 431.
///
/// No RAM: bounds the time that one head takes.
pub const HTTP_FIELDS: usize = 64;

/// Hex digits of one chunk size, leading zeros included. More are refused
/// with 400. No RAM.
pub const HTTP_CHUNK_DIGITS: usize = 16;

/// Bytes of chunk extensions in all chunks of one body together.
///
/// They are skipped; more are refused with 400. No RAM.
pub const HTTP_CHUNK_EXTENSION_BYTES: usize = 256;

/// Bytes of the trailer lines of one chunked body, line ends included.
///
/// They are skipped; more are answered 431. No RAM.
pub const HTTP_TRAILER_BYTES: usize = 512;

/// Interim answers (1xx) before an answer that a client skips. More are an
/// error. No RAM.
pub const HTTP_INTERIM: usize = 4;

/// Interfaces of another agent's card that a client looks at.
///
/// No RAM: bounds the work that one card makes. The rest are not looked at.
pub const CARD_INTERFACES: usize = 16;

/// Bytes of a text with escapes that a typed reader unescapes, in UTF-8.
///
/// As many bytes of stack while one such text is read. Longer text with
/// escapes is refused by that reader; text without escapes has no such limit.
pub const UNESCAPED_BYTES: usize = 128;
