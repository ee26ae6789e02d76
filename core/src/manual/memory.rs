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
//! | `CALLS` and `KEPT` of a line | calls of polled tools in flight, each with id, arguments and token | a failed result that says so, before anything acts |
//!
//! The tasks of the feature `a2a` are in a `TaskMemory` of their own:
//!
//! | what | bytes of RAM | too small means |
//! | --- | --- | --- |
//! | `SLOTS` | tasks at once, 80 bytes each beside the log | -32603 that says so, until a finished task is old enough |
//! | `LOG` | what one task comes to: each message, status and artifact once, with 9 to 16 bytes for each and 3 for each part; 176 are kept free for the last status | -32602 that says how much was needed, or a failed task |
//! | `RESULT` of tasks | the largest result of a tool that is run as a skill | a failed task that says how much was needed |
//!
//! Answers of constant data, such as the list of tools, need no buffer of
//! their size: they are counted once and written through whatever window the
//! caller offers to `poll`. A window of one byte works, and is slow: each
//! window writes the answer from its beginning and keeps its own part.
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
