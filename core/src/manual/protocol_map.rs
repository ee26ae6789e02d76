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
//! | who may call, challenges, metadata (R, M-199 to M-205) | `policy/table.rs`, `policy/gate.rs`, `policy/metadata.rs`, `server/http.rs` | `tests/tests/policy.rs` |
//! | tasks of tools (M-160 to M-163) | `mcp/tasks.rs`, `server/tasks.rs` | `tests/tests/tasks.rs` |
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
//! * a task of a tool that failed is `completed` with `isError`, and `failed`
//!   is left to a device that cannot keep or hold what comes of it (M-161);
//!   `auth_required` of A2A is `working` there, and its message says what is
//!   waited for;
//! * a task has no end of life before it has ended (`ttlMs` is `null`), and
//!   then the retention of the table; a device that was not told the time says
//!   1970;
//! * changes of a task are not notified: clients poll (M-160);
//! * `-32022` names only the revisions that can be asked for in the same way
//!   as the refused one; `server/discover` names all.
//!
//! # A2A
//!
//! Numbers such as A-110 are those of the list for A2A; O- and P- those of
//! two profiles of it. Where a profile and the protocol differ, the protocol
//! wins.
//!
//! | rules | code | tests |
//! | --- | --- | --- |
//! | two wires on one endpoint (sections 4, 21) | `a2a/era.rs` | `tests/tests/a2a.rs` |
//! | envelope (section 2) | `rpc/message.rs`, `a2a/request.rs` | `tests/tests/a2a.rs` |
//! | ProtoJSON (section 3) | `a2a/read.rs`, `task/stamp.rs` | `tests/tests/a2a.rs` |
//! | messages of both wires (sections 3, 19) | `a2a/message.rs` | `tests/tests/a2a.rs` |
//! | errors (section 5) | `a2a/code.rs` | `tests/tests/a2a.rs` |
//! | operations (sections 6 to 9, 13 to 15, 17) | `a2a/request.rs`, `a2a/list.rs` | `tests/tests/a2a.rs` |
//! | waiting and streams (sections 6, 12) | `a2a/exchange.rs` | `tests/tests/a2a.rs` |
//! | tasks, events, artifacts, history (sections 10, 11) | `a2a/project.rs`, `task/log.rs` | `tests/tests/a2a.rs` |
//! | states and their moves (A-155 to A-160) | `task/state.rs` | `core/src/task/tests.rs` |
//! | questions of tools, on every wire (A-159, M-162) | `task/ask.rs`, `task/tool.rs` | `tests/tests/tasks.rs` |
//! | owner, retention, journal (A-192, A-216, P-055) | `task/table.rs`, `task/work.rs` | `core/src/task/tests.rs` |
//! | the card (section 1) | `a2a/card.rs` | `tests/tests/a2a_card.rs` |
//! | HTTP: the endpoint, credentials, cards, streams (A-030 to, C-68 to C-82) | `server/http/agent.rs` | `tests/tests/a2a_http.rs` |
//! | no leak between callers, no illegal move (A-155, A-198, P-072) | `task/table.rs` | `tests/tests/a2a_model.rs` |
//! | callers, tenants, events (A-190 to A-198, O-013, O-014, P-025 to P-029, P-060) | `policy/gate.rs`, `policy/audit.rs`, `a2a/request.rs` | `tests/tests/policy.rs`, `tests/xtask/src/profile.rs` |
//! | the other side: requests, cards, results (R-001 to R-008; sections B, F and P of MCP) | `client/` | `tests/tests/client.rs` |
//! | extensions that answer messages, metadata (section 17, O-023 to O-036) | `task/extension.rs`, `task/work.rs` | `tests/tests/a2a_extensions.rs` |
//! | pages beside the endpoint (O-001 to O-009) | `a2a/page.rs`, `server/http/agent.rs` | `tests/tests/a2a_http.rs` |
//! | contradictions (section 25) | `a2a/choices.rs` | `tests/tests/a2a.rs` |
//!
//! What this library does where the protocol leaves a choice, or asks for
//! more than a device has:
//!
//! * a request waits half a minute for its task, then the open task is the
//!   answer;
//! * a message to a task that works is refused with -32004: a task takes
//!   messages when it asks for one, unless its skill listens;
//! * a message of which no skill takes anything is a task that is rejected;
//! * reports of progress share the log of a task with its output, and are
//!   dropped once half of it is used; a change of state never is;
//! * the order of `ListTasks` is the order of changes, which is that of the
//!   times unless the clock was set back; `statusTimestampAfter`
//!   leaves out tasks without a time;
//! * the history holds the messages of the caller and the questions that he
//!   was asked, not reports of progress;
//! * a direct message is the answer of a skill that says so, in its
//!   first step; it is at most one status message long, and is kept only until
//!   it must have gone out;
//! * an extension is activated by the header or by the list of a message
//!   and a `Responder` is given the messages that name it in
//!   their list or their metadata; its answer is a finished task that no skill
//!   and no journal has seen, kept for a second at least in places of its own
//!   (`TaskRules::spare`), and made anew for the same message;
//! * metadata of a message, an artifact and a task has at most
//!   [`METADATA_BYTES`](crate::limits::METADATA_BYTES) bytes;
//! * push notification is not served.
//!
//! Behind a policy, cards stay open and everything else needs a credential
//! (O-017). The tenant of a request is that of its credential: a name in it
//! can only fit or not.
//!
//! Choices of a deployment, each a field of `a2a::Agent`, and why one makes
//! them: `dedup` and `media_check` off and a strict card for the public kit of
//! 1.0, which uses one message id for many messages and sends a media type
//! that does not exist; `merged_card` for clients of 0.3 that read the newer
//! path, such as the public kit of 0.3; `strict_names` for a deployment that
//! tells clients of 0.3 what they have misspelled (O-012) instead of skipping
//! it; `lenient_version` for clients that
//! send no version header.
