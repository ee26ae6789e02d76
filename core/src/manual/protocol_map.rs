//! Where each rule of MCP lives, and the test that holds it.
//!
//! Numbers such as M-067 are those of the project's list of requirements,
//! which doc comments cite; sections are its sections.
//!
//! | rules | code | tests |
//! | --- | --- | --- |
//! | envelope, ids (A) | `rpc/message.rs` | `tests/tests/cases_lines.rs` |
//! | `_meta`, eras, order of checks (B, F, P) | `mcp/request.rs` | `tests/tests/cases_http.rs`, `tests/tests/modern_lines.rs` |
//! | revisions and their methods (P, Q) | `mcp/revision.rs` | `tests/tests/modern_lines.rs` |
//! | error codes and HTTP statuses | `mcp/code.rs` | `tests/tests/modern_lines.rs` |
//! | headers of the modern era (F) | `mcp/http.rs` | `tests/tests/cases_http.rs` |
//! | discovery, results, cache hints (C, D) | `mcp/reply.rs` | `tests/tests/cases_http.rs` |
//! | lists of tools, content blocks (I, K) | `mcp/tools.rs` | `tests/tests/modern_lines.rs` |
//! | resources (O, M-154 to M-157) | `mcp/resources.rs`, `resource/table.rs`, `resource/pattern.rs` | `tests/tests/resources.rs` |
//! | prompts, completion (O, M-158, M-159) | `mcp/prompts.rs`, `prompt/mod.rs` | `tests/tests/resources.rs` |
//! | pages of lists (M-105, M-106) | `mcp/pages.rs` | `tests/tests/resources.rs`, `tests/tests/modern_lines.rs` |
//! | schemas (J) | `tool/schema.rs` | `tests/tests/schemas.rs` |
//! | arguments (M-119, M-124) | `tool/check.rs` | `tests/tests/schemas.rs`, `tests/tests/cases_lines.rs` |
//! | lines (H) | `frame/line.rs`, `server/line.rs` | `tests/tests/cuts.rs` |
//! | HTTP (E) and event streams (G) | `frame/http`, `server/http.rs` | `core/tests/http_head.rs`, `tests/tests/cases_http.rs` |
//! | progress and cancellation (L) | `server/running.rs` | `tests/tests/cases_flight.rs`, `tests/tests/cuts.rs`, `tests/tests/cases_http.rs` |
//! | questions in mid-call (N) | `tool/input.rs`, `mcp/input.rs`, `server/questions.rs`, `server/answers.rs` | `tests/tests/input.rs` |
//! | what is sealed (M-148, M-184) | `seal.rs` | `tests/tests/input.rs`, `tests/tests/callers.rs` |
//! | sessions of the legacy era (M-184 to M-190) | `server/desk.rs` | `tests/tests/input.rs`, `tests/tests/subscriptions.rs` |
//! | subscriptions (M, M-156) | `mcp/subscriptions.rs`, `server/watch.rs` | `tests/tests/subscriptions.rs` |
//! | messages (M-131 to M-134) | `tool/log.rs` | `tests/tests/subscriptions.rs` |
//! | callers and filtered lists (M-045, M-098) | `mcp/device.rs` | `tests/tests/callers.rs` |
//! | batches of 2025-03-26 (M-197) | `server/batch.rs` | `tests/tests/cases_http.rs` |
//!
//! Where the sources contradict each other (section S), this library decides:
//!
//! * bad arguments are a failed result in every revision, because a model can
//!   act on that (M-119, M-194);
//! * -32700 and -32600 are HTTP 400, every other error whose status is not
//!   given is 200 (M-054), and a legacy client never gets 404 (M-185);
//! * a subscription that the server ends gets its answer on both framings,
//!   and on a line `notifications/cancelled` before it (M-140);
//! * a peer of the legacy era that hangs up has not cancelled its call, but a
//!   question that it has not answered counts as cancelled by the user
//!   (M-190);
//! * `-32022` names only the revisions that can be asked for in the same way
//!   as the refused one; `server/discover` names all.
