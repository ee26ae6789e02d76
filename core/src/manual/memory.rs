//! What it costs, and how to size a product.
//!
//! All memory is in structs that the caller places: a
//! [`LineMemory`](crate::server::LineMemory) or an
//! `HttpMemory` for each connection, and the application itself in the
//! [`Server`](crate::server::Server). Nothing else is kept between two calls.
//!
//! | what | bytes of RAM | too small means |
//! | --- | --- | --- |
//! | `RX` of a line | the longest line | -32600 with both lengths, the line is dropped |
//! | `RX` of HTTP | the longest head and body together | 431 or 413, the connection ends |
//! | `RESULT` | the largest result, reading or prompt, constant blobs not counted | a failed result, or -32603, that says how much was needed |
//! | `CALLS` and `KEPT` of a line | calls of polled tools in flight, each with id, arguments and token, and the answers to its questions in the legacy era; and subscriptions of the modern era | a failed result or -32603 that says so, before anything acts |
//! | a `Server` with `sessions` | about 50 for each of [`HTTP_CALLS`](crate::limits::HTTP_CALLS), and [`HTTP_ANSWER_BYTES`](crate::limits::HTTP_ANSWER_BYTES) more for each with `input`; 64 with `logging` | see there |
//! | a `Server` with `subscriptions` | 8 for each of [`WATCHED`](crate::limits::WATCHED) | the build stops |
//! | a `Policy` | 72 for each of [`CREDENTIALS`](crate::limits::CREDENTIALS) | a credential is not added, and that says so |
//! | a `Ring` of events | 80 for each | the oldest event makes room, and is counted |
//!
//! The tasks of the feature `a2a` are in a `TaskMemory` of their own:
//!
//! | what | bytes of RAM | too small means |
//! | --- | --- | --- |
//! | `SLOTS` | tasks at once, 80 bytes each beside the log | -32603 that says so, until a finished task is old enough |
//! | `spare` of their rules, with `extensions` | places of answers of extensions, out of `SLOTS` | -32603 that says so, until an answer is a second old |
//! | `LOG` | what one task comes to: each message, status and artifact once, with 9 to 16 bytes for each and 3 for each part; each question of a tool with the schema of its form; 176 are kept free for the last status | -32602 that says how much was needed, or a failed task |
//! | `RESULT` of tasks | the largest result of a tool that is run as a skill or a task, with the answers to what it asked before it | a failed task that says how much was needed |
//!
//! The feature `client` keeps nothing: a request is written into the buffer
//! that it is given, and a `Response` is about 130 bytes beside the buffer of
//! the answer, which must hold the head, then the longest message. 1 KiB is
//! enough for agents and servers of this crate.
//!
//! Answers of constant data, such as the list of tools, need no buffer of
//! their size: they are counted once and written through whatever window the
//! caller offers to `poll`. A window of one byte works, and is slow: each
//! window writes the answer from its beginning and keeps its own part.
//!
//! Nothing waits in a queue. The messages of a step, its questions and its
//! result stand in the result buffer until they are sent; progress that was
//! not sent is replaced by later progress; a change that was not told is
//! told once, however often it happens. So a slow reader loses nothing of
//! the answer, and keeps nobody else waiting.
//!
//! A session of an HTTP client costs one bit: its id holds the rest under a
//! seal. SHA-256 has a small form for small cores, chosen by
//! `--cfg sha2_backend_soft="compact"`, as the boards of the examples do; it
//! saves about 7 KB of flash.
//!
//! Clients of the modern era send 300 to 400 bytes around the arguments of a
//! call; over HTTP the head is another 400 to 700.
//!
//! Sizes of the example on a board, and the instructions of one call, stand
//! in the README; `cargo xtask sizes` and `cargo xtask bench` measure them
//! again, and the tests compare.
//!
//! Three parts of the core were written anew where a crate was measured to
//! cost too much on a small core: the reader of JSON (no crate has spans, a
//! bounded depth and strictness at once), the reader of HTTP heads (the usual
//! one keeps panic paths), and floats to text (tables or a routine for each
//! width cost 3 to 12 KB of flash; the exact way costs 1). Each is tested
//! against the crate that it stands for.
