//! What a board must supply.
//!
//! 1. **Bytes.** A loop that offers what arrived to `receive` and sends what
//!    `poll` gives. With the feature `embedded-io`, `server::io::feed` is
//!    that loop for one read.
//! 2. **Time.** An [`Instant`](crate::time::Instant) in milliseconds that
//!    never goes back. Its start does not matter.
//! 3. **Waking.** When `wake` of a connection (such as
//!    [`Line::wake`](crate::server::Line::wake)) gives a time,
//!    `poll` is due then even if nothing arrives. A board without such a
//!    timer may call `poll` as often as it likes.
//! 4. **Random bytes,** once, for questions and sessions: 32 that nobody can
//!    guess, new ones at each start, given to `Server::with_key`. Without them
//!    the device asks nobody and opens no session, and the rest works.
//! 5. **One owner.** `Server` and its connections are plain values: call them
//!    from one context, or guard them with the lock of your system. Nothing
//!    here may be called from an interrupt while the main loop is inside a
//!    call on the same value; interrupts fill a ring, the loop drains it.
//!
//! A handler runs inside `poll`. It must not wait: it starts the work, answers
//! `Poll::Pending`, and looks again when it is called again. What arrives in
//! the meantime is served in between, so a stop is not kept waiting by a move.
//!
//! On a line, nothing but messages may be written (M-087): no banner at
//! start, no log line. When the peer may have changed, call
//! [`reset`](crate::server::Line::reset): the handlers of calls in flight are
//! told that they are given up.
//!
//! `firmware-examples/boards` of the repository is a whole board;
//! `firmware-examples/hosted` is a PC as a board.
