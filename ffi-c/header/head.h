/* agentmote: MCP tool server and A2A agent for microcontrollers.
 * Generated from ffi-c; do not edit. */

/**
 * @file
 *
 * A tool server in one header and one static library: no heap, no global
 * state, no operating system. The firmware places all memory, passes bytes and
 * the time in, and takes bytes out.
 *
 * 1. Tables: `static const` tools, made with the macros at the end of this
 *    file. They become the schema that is advertised, the check of every call,
 *    and the text of every error.
 * 2. `agentmote_init` reads and checks the tables, once, into storage.
 * 3. `agentmote_line_open` or `agentmote_http_open`: a connection for each peer.
 * 4. For ever: `agentmote_receive` what arrived, `agentmote_poll` until it
 *    gives nothing more to send, sleep until `agentmote_wake` or the next byte.
 *
 * An agent beside it is one switch more: a library that was built with `a2a`,
 * `AGENTMOTE_A2A` defined before this file is included (the packages do both),
 * a table of skills, and `agentmote_agent_open` between 2 and 3. Without the
 * definition, HTTP connections have too little storage for such a library, and
 * say so (`AGENTMOTE_ERROR_STORAGE`).
 *
 * A policy in front of both is another one: the feature `policy`, the
 * definition `AGENTMOTE_POLICY`, and `agentmote_policy_open` before 3.
 *
 * Conventions
 * ===========
 *
 * Ownership. The library allocates nothing and frees nothing. Storage that was
 * given to it (of a server, of a connection) is its own until it is opened
 * anew; it must be zero the first time, as a `static` is. To end a server, stop
 * calling it.
 *
 * Lifetime. Tables, their texts, and the `context` stay as long as the server;
 * the server as long as its connections. A handle `agentmote_call_t` is valid
 * until its handler returns: one that is kept too long gives
 * `AGENTMOTE_ERROR_NOT_OPEN`, as long as the server's storage is there. What a
 * handler gives is copied, but for the functions that end in `_static`.
 *
 * Threads. Any thread may call any function; one at a time works on a server
 * and its connections. A second one gets `AGENTMOTE_ERROR_BUSY`, nothing was
 * done, and it may call again. A handle is used by the thread of its handler
 * alone. On a core without compare-and-swap (Cortex-M0) two threads that enter
 * at the same instant are not noticed: use a lock there. Several servers in one
 * program know nothing of each other.
 *
 * Interrupts. Nothing is ever called back from an interrupt. Call nothing but
 * `agentmote_version` in one: let it put bytes into a ring and let the main
 * loop offer them.
 *
 * Handlers. They run inside `agentmote_poll`, to their end, and must not wait:
 * one whose work takes time answers `AGENTMOTE_PENDING`. They may not call the
 * server or connection that they were called by, which is
 * `AGENTMOTE_ERROR_BUSY`. They leave by `return`: no `longjmp`, no exception.
 *
 * Errors. Functions that can fail return an `agentmote_status_t`; 0 is success.
 * On failure nothing is written but what the function names. Functions that
 * give a part of a result return `AGENTMOTE_DONE`; what they can't give becomes
 * a failed result that the caller reads. No input from a peer is an error of
 * these functions: it is answered.
 *
 * NULL. A pointer must not be NULL unless the function says so; NULL is
 * `AGENTMOTE_ERROR_NULL`.
 *
 * Texts are UTF-8. Those with a zero byte at their end are `const char *`
 * alone, all others have a length beside them.
 *
 * Units are in names: `_ms` is milliseconds, `_bytes` bytes. Sizes are in
 * bytes, but for the constants `AGENTMOTE_..._WORDS`: eight bytes each.
 */
