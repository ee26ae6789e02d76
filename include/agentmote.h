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

#ifndef AGENTMOTE_H
#define AGENTMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if UINTPTR_MAX > 0xFFFFFFFF
#define AGENTMOTE_64_BIT
#else
#define AGENTMOTE_32_BIT
#endif

/**
 * The user has filled the form in.
 */
#define AGENTMOTE_ACCEPTED 0

/**
 * The user has refused.
 */
#define AGENTMOTE_DECLINED 1

/**
 * The user went away without an answer, or the client could not ask.
 */
#define AGENTMOTE_CANCELLED 2

/**
 * Kind of a parameter: `true` or `false`.
 */
#define AGENTMOTE_KIND_BOOLEAN 1

/**
 * Kind of a parameter: a whole number.
 */
#define AGENTMOTE_KIND_INTEGER 2

/**
 * Kind of a parameter: a number.
 */
#define AGENTMOTE_KIND_NUMBER 3

/**
 * Kind of a parameter: a text.
 */
#define AGENTMOTE_KIND_STRING 4

/**
 * Kind of a parameter: one of a list of texts.
 */
#define AGENTMOTE_KIND_CHOICE 5

/**
 * Kind of a parameter: a list of values of one kind.
 */
#define AGENTMOTE_KIND_ARRAY 6

/**
 * Kind of a parameter: an object with described members.
 */
#define AGENTMOTE_KIND_OBJECT 7

/**
 * Presence of a parameter: a call without it is refused.
 */
#define AGENTMOTE_REQUIRED 0

/**
 * Presence of a parameter: it may be absent.
 */
#define AGENTMOTE_OPTIONAL 1

/**
 * Presence of a parameter: absent means its default.
 */
#define AGENTMOTE_DEFAULT 2

/**
 * Flag of a tool: it changes nothing.
 */
#define AGENTMOTE_READ_ONLY 1

/**
 * Flag of a tool: it moves or switches something.
 */
#define AGENTMOTE_ACTUATES 2

/**
 * Flag of a tool: calling it twice is the same as once.
 */
#define AGENTMOTE_IDEMPOTENT 4

/**
 * Flag of a tool: it may destroy something.
 */
#define AGENTMOTE_DESTRUCTIVE 8

/**
 * Flag of a tool: its handler may answer `AGENTMOTE_PENDING`. Such a call
 * takes one of the connection's places for calls in flight.
 */
#define AGENTMOTE_POLLED 16

/**
 * Flag of a tool: its client must be able to ask its user (M-025).
 */
#define AGENTMOTE_NEEDS_ELICITATION 32

/**
 * Flag of a tool: its client must be able to ask its model.
 */
#define AGENTMOTE_NEEDS_SAMPLING 64

/**
 * Flag of a tool: its client must be able to list its roots.
 */
#define AGENTMOTE_NEEDS_ROOTS 128

/**
 * Flag of a tool: its handler may ask its caller. It takes answers only to
 * questions that it asked, under a seal (M-148); see `agentmote_set_key`.
 */
#define AGENTMOTE_ASKS 256

/**
 * Flag of a tool: its handler may ask its caller, and takes answers from
 * anybody who gives them, asked or not.
 */
#define AGENTMOTE_ASKS_OPENLY 512

/**
 * Flag of a device: its tools log. Deprecated in MCP 2026-07-28 (M-131).
 */
#define AGENTMOTE_LOGS 1

/**
 * Level of a message: for who looks for a mistake. The levels are those of
 * RFC 5424, the least serious first.
 */
#define AGENTMOTE_LOG_DEBUG 0

/**
 * Level of a message: what is done.
 */
#define AGENTMOTE_LOG_INFO 1

/**
 * Level of a message: normal, but worth a look.
 */
#define AGENTMOTE_LOG_NOTICE 2

/**
 * Level of a message: could become a fault.
 */
#define AGENTMOTE_LOG_WARNING 3

/**
 * Level of a message: a fault.
 */
#define AGENTMOTE_LOG_ERROR 4

/**
 * Level of a message: a fault of the device itself.
 */
#define AGENTMOTE_LOG_CRITICAL 5

/**
 * Level of a message: somebody must act at once.
 */
#define AGENTMOTE_LOG_ALERT 6

/**
 * Level of a message: nothing works.
 */
#define AGENTMOTE_LOG_EMERGENCY 7

/**
 * Bytes of `text` in `agentmote_problem_t`.
 */
#define AGENTMOTE_PROBLEM_BYTES 160

/**
 * Flag of a skill: its first step may answer with a word and no task
 * (`agentmote_say`).
 */
#define AGENTMOTE_TALKS 1

/**
 * Flag of a skill: it takes messages while it works (A-128). Without it they
 * are refused until it asks for one.
 */
#define AGENTMOTE_LISTENS 2

/**
 * Flag of a skill: it does not stand in the public card, but in the card of a
 * caller who has its scopes.
 */
#define AGENTMOTE_HIDDEN 4

/**
 * Flag of an agent: tasks are not streamed, and the card says so.
 */
#define AGENTMOTE_NO_STREAMING 1

/**
 * Flag of an agent: a known caller is given a card of what he may use
 * (A-188).
 */
#define AGENTMOTE_EXTENDED_CARD 2

/**
 * Flag of an agent: the card of 1.x has the members of 0.3 too (D-008).
 */
#define AGENTMOTE_MERGED_CARD 4

/**
 * Flag of an agent: a 1.x method without a version header is served (D-004).
 */
#define AGENTMOTE_LENIENT_VERSION 8

/**
 * Flag of an agent: 1.1 and later count as 1.0 (A-085).
 */
#define AGENTMOTE_ANY_MINOR 16

/**
 * Flag of an agent: the same message sent again is a new task, which A-126
 * advises against.
 */
#define AGENTMOTE_NO_DEDUP 32

/**
 * Flag of an agent: media types that a skill does not take or give are not
 * refused (A-123, A-124).
 */
#define AGENTMOTE_NO_MEDIA_CHECK 64

/**
 * Kind of a scheme: `Authorization: Bearer`.
 */
#define AGENTMOTE_SCHEME_BEARER 1

/**
 * Kind of a scheme: a secret in a header, whose name is `text`.
 */
#define AGENTMOTE_SCHEME_API_KEY 2

/**
 * Kind of a scheme: OpenID Connect, described at the URL `text`.
 */
#define AGENTMOTE_SCHEME_OPEN_ID 3

/**
 * Kind of a scheme: certificates of TLS on both sides.
 */
#define AGENTMOTE_SCHEME_MUTUAL_TLS 4

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for an agent, without skills and tasks.
 */
#define AGENTMOTE_AGENT_WORDS 60
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for an agent, without skills and tasks.
 */
#define AGENTMOTE_AGENT_WORDS 36
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a skill, without its texts: each of its tags,
 * examples, words and modes takes `AGENTMOTE_CHOICE_WORDS`.
 */
#define AGENTMOTE_SKILL_WORDS 18
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a skill, without its texts: each of its tags,
 * examples, words and modes takes `AGENTMOTE_CHOICE_WORDS`.
 */
#define AGENTMOTE_SKILL_WORDS 10
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a scheme.
 */
#define AGENTMOTE_SCHEME_WORDS 5
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a scheme.
 */
#define AGENTMOTE_SCHEME_WORDS 3
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a signature.
 */
#define AGENTMOTE_SIGNATURE_WORDS 4
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a signature.
 */
#define AGENTMOTE_SIGNATURE_WORDS 2
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a task, without its log.
 */
#define AGENTMOTE_TASK_WORDS 11
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a task, without its log.
 */
#define AGENTMOTE_TASK_WORDS 11
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a line connection, without its buffers.
 */
#define AGENTMOTE_LINE_WORDS 96
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a line connection, without its buffers.
 */
#define AGENTMOTE_LINE_WORDS 54
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a call in flight, without what it keeps.
 */
#define AGENTMOTE_CALL_WORDS 12
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a call in flight, without what it keeps.
 */
#define AGENTMOTE_CALL_WORDS 12
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a line connection, without its buffers, of a
 * library built for tools over lines alone.
 */
#define AGENTMOTE_SMALL_LINE_WORDS 44
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a line connection, without its buffers, of a
 * library built for tools over lines alone.
 */
#define AGENTMOTE_SMALL_LINE_WORDS 28
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * The same for a call in flight.
 */
#define AGENTMOTE_SMALL_CALL_WORDS 8
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * The same for a call in flight.
 */
#define AGENTMOTE_SMALL_CALL_WORDS 8
#endif

#if (defined(AGENTMOTE_64_BIT) && (defined(AGENTMOTE_A2A) || defined(AGENTMOTE_POLICY)))
/**
 * Words of storage for an HTTP connection, without its buffers.
 */
#define AGENTMOTE_HTTP_WORDS 220
#endif

#if (defined(AGENTMOTE_64_BIT) && !(defined(AGENTMOTE_A2A) || defined(AGENTMOTE_POLICY)))
/**
 * Words of storage for an HTTP connection, without its buffers.
 */
#define AGENTMOTE_HTTP_WORDS 136
#endif

#if (defined(AGENTMOTE_32_BIT) && (defined(AGENTMOTE_A2A) || defined(AGENTMOTE_POLICY)))
/**
 * Words of storage for an HTTP connection, without its buffers.
 */
#define AGENTMOTE_HTTP_WORDS 162
#endif

#if (defined(AGENTMOTE_32_BIT) && !(defined(AGENTMOTE_A2A) || defined(AGENTMOTE_POLICY)))
/**
 * Words of storage for an HTTP connection, without its buffers.
 */
#define AGENTMOTE_HTTP_WORDS 104
#endif

/**
 * Kind of a secret: the token of `Authorization: Bearer`.
 */
#define AGENTMOTE_SECRET_BEARER 1

/**
 * Kind of a secret: the value of `X-API-KEY`.
 */
#define AGENTMOTE_SECRET_API_KEY 2

/**
 * Door of a request: MCP.
 */
#define AGENTMOTE_DOOR_MCP 1

/**
 * Door of a request: A2A.
 */
#define AGENTMOTE_DOOR_A2A 2

/**
 * Operation: a request that was refused before it was known what it asks for.
 */
#define AGENTMOTE_REQUEST 0

/**
 * Operation: a tool is called.
 */
#define AGENTMOTE_CALL_TOOL 1

/**
 * Operation: a resource is read.
 */
#define AGENTMOTE_READ_RESOURCE 2

/**
 * Operation: a prompt is fetched.
 */
#define AGENTMOTE_GET_PROMPT 3

/**
 * Operation: a message is sent; it begins a task, or goes to one.
 */
#define AGENTMOTE_SEND_MESSAGE 4

/**
 * Operation: a task is read.
 */
#define AGENTMOTE_GET_TASK 5

/**
 * Operation: tasks are listed.
 */
#define AGENTMOTE_LIST_TASKS 6

/**
 * Operation: a task is to be stopped.
 */
#define AGENTMOTE_CANCEL_TASK 7

/**
 * Operation: a task is watched.
 */
#define AGENTMOTE_WATCH_TASK 8

/**
 * Operation: the card for known callers is fetched.
 */
#define AGENTMOTE_CARD 9

/**
 * Operation: one that this header has no number for.
 */
#define AGENTMOTE_OTHER_OPERATION 255

/**
 * Subject: nothing that is there.
 */
#define AGENTMOTE_ON_NOTHING 0

/**
 * Subject: a tool, by its name.
 */
#define AGENTMOTE_ON_TOOL 1

/**
 * Subject: a skill, by its id.
 */
#define AGENTMOTE_ON_SKILL 2

/**
 * Subject: a task, by its id of 16 bytes.
 */
#define AGENTMOTE_ON_TASK 3

/**
 * Subject: one that this header has no number for.
 */
#define AGENTMOTE_ON_OTHER 255

/**
 * Outcome: it was done.
 */
#define AGENTMOTE_WAS_DONE 0

/**
 * Outcome: it has begun; its own record tells what came of it.
 */
#define AGENTMOTE_WAS_ACCEPTED 1

/**
 * Outcome: the caller is asked something first; nothing else was done.
 */
#define AGENTMOTE_WAS_ASKED 2

/**
 * Outcome: it was begun and failed.
 */
#define AGENTMOTE_WAS_FAILED 3

/**
 * Outcome: it was begun, and given up by its caller.
 */
#define AGENTMOTE_WAS_CANCELLED 4

/**
 * Outcome: refused, without a credential that is known (401).
 */
#define AGENTMOTE_REFUSED_CREDENTIAL 16

/**
 * Outcome: refused, after too many tries (429).
 */
#define AGENTMOTE_REFUSED_TRIES 17

/**
 * Outcome: refused, for want of scopes of the door (403).
 */
#define AGENTMOTE_REFUSED_SCOPE 18

/**
 * Outcome: refused, for the host, origin, path, method or form over HTTP.
 */
#define AGENTMOTE_REFUSED_HTTP 19

/**
 * Outcome: refused, since the message is not right.
 */
#define AGENTMOTE_REFUSED_MESSAGE 20

/**
 * Outcome: refused, since what it names is not there for this caller.
 */
#define AGENTMOTE_REFUSED_NOT_THERE 21

/**
 * Outcome: refused, since the arguments of a tool are not right.
 */
#define AGENTMOTE_REFUSED_ARGUMENTS 22

/**
 * Outcome: refused, since it can't be done now.
 */
#define AGENTMOTE_REFUSED_STATE 23

/**
 * Outcome: one that this header has no number for.
 */
#define AGENTMOTE_OTHER_OUTCOME 255

/**
 * Authority: none; what was shown is not known, or nothing was.
 */
#define AGENTMOTE_BY_NOTHING 0

/**
 * Authority: where the caller is, at the other end of a line.
 */
#define AGENTMOTE_BY_PLACE 1

/**
 * Authority: a token of the table, by its name.
 */
#define AGENTMOTE_BY_TOKEN 2

/**
 * Authority: what `verify` has found, by its name.
 */
#define AGENTMOTE_BY_VERIFY 3

/**
 * Authority: none; the device does it for one who has asked before.
 */
#define AGENTMOTE_BY_DEVICE 4

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a policy with its eight tokens; each name of a
 * scope and each authorization server takes `AGENTMOTE_CHOICE_WORDS` more.
 */
#define AGENTMOTE_POLICY_WORDS 124
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a policy with its eight tokens; each name of a
 * scope and each authorization server takes `AGENTMOTE_CHOICE_WORDS` more.
 */
#define AGENTMOTE_POLICY_WORDS 102
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a server without tools.
 */
#define AGENTMOTE_SERVER_WORDS 400
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a server without tools.
 */
#define AGENTMOTE_SERVER_WORDS 368
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * The same for a library built for tools over lines alone.
 */
#define AGENTMOTE_SMALL_SERVER_WORDS 48
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * The same for a library built for tools over lines alone.
 */
#define AGENTMOTE_SMALL_SERVER_WORDS 26
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a tool.
 */
#define AGENTMOTE_TOOL_WORDS 14
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a tool.
 */
#define AGENTMOTE_TOOL_WORDS 8
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a parameter, a member, or the element of an array.
 */
#define AGENTMOTE_PARAM_WORDS 20
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a parameter, a member, or the element of an array.
 */
#define AGENTMOTE_PARAM_WORDS 16
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a text of a choice, or a value of an argument.
 */
#define AGENTMOTE_CHOICE_WORDS 2
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a text of a choice, or a value of an argument.
 */
#define AGENTMOTE_CHOICE_WORDS 1
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a resource.
 */
#define AGENTMOTE_RESOURCE_WORDS 16
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a resource.
 */
#define AGENTMOTE_RESOURCE_WORDS 9
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a prompt.
 */
#define AGENTMOTE_PROMPT_WORDS 10
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a prompt.
 */
#define AGENTMOTE_PROMPT_WORDS 6
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for an argument of a prompt.
 */
#define AGENTMOTE_ARGUMENT_WORDS 7
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for an argument of a prompt.
 */
#define AGENTMOTE_ARGUMENT_WORDS 4
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for a form, without its fields.
 */
#define AGENTMOTE_FORM_WORDS 5
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for a form, without its fields.
 */
#define AGENTMOTE_FORM_WORDS 3
#endif

#if defined(AGENTMOTE_64_BIT)
/**
 * Words of storage for what is offered for a parameter of a URI, without
 * the values: each takes `AGENTMOTE_CHOICE_WORDS`.
 */
#define AGENTMOTE_VALUES_WORDS 4
#endif

#if defined(AGENTMOTE_32_BIT)
/**
 * Words of storage for what is offered for a parameter of a URI, without
 * the values: each takes `AGENTMOTE_CHOICE_WORDS`.
 */
#define AGENTMOTE_VALUES_WORDS 2
#endif

/**
 * Kind of a part: text, in UTF-8.
 */
#define AGENTMOTE_PART_TEXT 1

/**
 * Kind of a part: bytes.
 */
#define AGENTMOTE_PART_RAW 2

/**
 * Kind of a part: the URL where the content is.
 */
#define AGENTMOTE_PART_URL 3

/**
 * Kind of a part: a JSON value.
 */
#define AGENTMOTE_PART_DATA 4

/**
 * One call: its arguments, the time, and the place for its result.
 */
typedef struct agentmote_call_t agentmote_call_t;

/**
 * A connection: where one peer's bytes go in and out.
 */
typedef struct agentmote_connection_t agentmote_connection_t;

/**
 * A server: what is served, and what runs behind it.
 */
typedef struct agentmote_server_t agentmote_server_t;

/**
 * What a function says of how it went. 0 is success; all others did nothing
 * but what they say.
 */
typedef int32_t agentmote_status_t;

/**
 * Storage of an agent, and how it is shared out. Written by
 * `AGENTMOTE_TASK_MEMORY`.
 */
typedef struct agentmote_task_memory_t {
  /**
   * The storage, at a multiple of 8.
   */
  void *start;
  /**
   * Bytes of the storage.
   */
  size_t size;
  /**
   * Tasks at once, finished ones that are still kept among them: 1 to 255.
   */
  uint16_t tasks;
  /**
   * Bytes for what one task comes to, its messages, statuses and artifacts:
   * 512 to 65535.
   */
  uint16_t log;
  /**
   * Bytes of the largest structured artifact or result of a tool that is a
   * skill: 0 if there is none, else 192 to 65535.
   */
  uint16_t result;
} agentmote_task_memory_t;

/**
 * What a handler answers.
 */
typedef int32_t agentmote_answer_t;

/**
 * A handler of tools or skills, a reader of resources or a renderer of
 * prompts.
 *
 * `context` is what `agentmote_init` was given. `call` is valid until the
 * handler returns, in the thread of the handler alone. A handler must return:
 * no `longjmp`, no exception of C++.
 */
typedef agentmote_answer_t (*agentmote_run_t)(void *context, struct agentmote_call_t *call);

/**
 * One thing that an agent does for a message. Written by the macros
 * `AGENTMOTE_SKILL...`.
 *
 * Its `run` is called with a handle until it gives an end, and takes one
 * step each time: nothing in it may wait. It answers
 *
 * * `AGENTMOTE_PENDING`: not yet;
 * * `AGENTMOTE_DONE`: done, with what it has given as artifacts, or failed
 *   (`agentmote_fail`) or rejected (`agentmote_reject`);
 * * `AGENTMOTE_NEED_INPUT`: it has asked (`agentmote_ask`,
 *   `agentmote_ask_leave`);
 * * `AGENTMOTE_STOPPED`, `AGENTMOTE_CANNOT_STOP`: what has come of a wish to
 *   stop (`agentmote_is_cancelled`).
 */
typedef struct agentmote_skill_t {
  /**
   * Its identity, unique in the table (A-009).
   */
  const char *id;
  /**
   * For people.
   */
  const char *name;
  /**
   * What it does, for people and models.
   */
  const char *description;
  /**
   * At least one (A-003).
   */
  const char *const *tags;
  /**
   * Messages that ask for it; NULL for none.
   */
  const char *const *examples;
  /**
   * A message of which a text has one of these words, in any case of ASCII
   * letters, asks for it. NULL: every message does that no skill before it
   * takes. A message may also name it: `metadata.skillId`.
   */
  const char *const *words;
  /**
   * Media types that it takes (A-024); NULL for `text/plain`.
   */
  const char *const *input_modes;
  /**
   * Media types that it gives; NULL for `text/plain`.
   */
  const char *const *output_modes;
  /**
   * What runs it; NULL if it is a tool.
   */
  agentmote_run_t run;
  /**
   * Name of the tool of the device that it is: its arguments are the first
   * object among the data of the message, its result becomes an artifact.
   * NULL if it has its own `run`.
   */
  const char *tool;
  /**
   * How many `tags`.
   */
  uint16_t tag_count;
  /**
   * How many `examples`.
   */
  uint16_t example_count;
  /**
   * How many `words`.
   */
  uint16_t word_count;
  /**
   * How many `input_modes`.
   */
  uint16_t input_mode_count;
  /**
   * How many `output_modes`.
   */
  uint16_t output_mode_count;
  /**
   * `AGENTMOTE_TALKS` and the like, added.
   */
  uint32_t flags;
  /**
   * The scopes that a caller must have, all of them; for who lacks one,
   * there is no such skill.
   */
  uint32_t scopes;
} agentmote_skill_t;

/**
 * One way in which a caller of an agent shows who he is, as its card says
 * (A-011). Written by the macros `AGENTMOTE_SCHEME_...`.
 */
typedef struct agentmote_scheme_t {
  /**
   * Its name in the card.
   */
  const char *name;
  /**
   * A header or a URL, where the kind has one; else NULL.
   */
  const char *text;
  /**
   * `AGENTMOTE_SCHEME_BEARER` and the like.
   */
  uint8_t kind;
} agentmote_scheme_t;

/**
 * A detached signature of a card (A-019), made where the key is, over the
 * card that is served without it.
 */
typedef struct agentmote_signature_t {
  /**
   * The protected header, in base64url.
   */
  const char *protected_header;
  /**
   * The signature, in base64url.
   */
  const char *signature;
} agentmote_signature_t;

/**
 * What fills `size` bytes with random ones that nobody can guess: the ids of
 * tasks are made of them. It is asked for 8 bytes once, and for 32 for each
 * new task. `context` is what `agentmote_init` was given.
 */
typedef void (*agentmote_random_t)(void *context, void *bytes, size_t size);

/**
 * What keeps the record of a new task where it outlives a loss of power,
 * before its work starts and before its caller hears of it (P-055): `size`
 * bytes, under an id of 16 bytes. It answers `AGENTMOTE_DONE` once it is
 * kept, `AGENTMOTE_PENDING` to be asked again with the same bytes, and
 * anything else if it cannot be kept: the task then fails, and no work
 * begins.
 */
typedef agentmote_answer_t (*agentmote_keep_t)(void *context,
                                               const uint8_t *id,
                                               const void *record,
                                               size_t size);

/**
 * An agent: its card, what it can do, and what it needs for that. Written by
 * `AGENTMOTE_AGENT`.
 */
typedef struct agentmote_agent_t {
  /**
   * Its name.
   */
  const char *name;
  /**
   * What it is, for people and models.
   */
  const char *description;
  /**
   * Its version.
   */
  const char *version;
  /**
   * The absolute URL of the endpoint, with the slash at its end (A-005).
   */
  const char *url;
  /**
   * The path of the endpoint on HTTP connections, with or without a slash
   * at its end (A-032); NULL for `/a2a`.
   */
  const char *path;
  /**
   * The tenant that a client names with each request; NULL for none
   * (A-190).
   */
  const char *tenant;
  /**
   * Who provides it; NULL if not told (A-010).
   */
  const char *organization;
  /**
   * The page of who provides it; NULL for none.
   */
  const char *organization_url;
  /**
   * Where its documentation is; NULL for nowhere.
   */
  const char *documentation_url;
  /**
   * Where its icon is; NULL for nowhere.
   */
  const char *icon_url;
  /**
   * When the card was changed last, as an HTTP date (A-017); NULL if not
   * told.
   */
  const char *last_modified;
  /**
   * What it can do, in the order in which a message is offered.
   */
  const struct agentmote_skill_t *skills;
  /**
   * How many `skills`: 1 to 254, one of them not hidden.
   */
  size_t skill_count;
  /**
   * How a caller may show who he is, each alone is enough; NULL for no way.
   */
  const struct agentmote_scheme_t *schemes;
  /**
   * How many `schemes`.
   */
  size_t scheme_count;
  /**
   * Signatures of the card; NULL for none.
   */
  const struct agentmote_signature_t *signatures;
  /**
   * How many `signatures`.
   */
  size_t signature_count;
  /**
   * The source of random bytes; must not be NULL.
   */
  agentmote_random_t random;
  /**
   * What keeps records; NULL: in RAM alone.
   */
  agentmote_keep_t keep;
  /**
   * The longest that a request waits for its task, in milliseconds; then it
   * is answered with the task as it is (A-121). 0: as long as it takes.
   */
  uint32_t wait_ms;
  /**
   * How long a finished task is kept at least, in milliseconds. Then its
   * place may be taken by a new one.
   */
  uint32_t retention_ms;
  /**
   * Seconds for which a client may keep the card (A-015).
   */
  uint32_t max_age_s;
  /**
   * `AGENTMOTE_NO_STREAMING` and the like, added; 0 is strict, with streams.
   */
  uint32_t flags;
} agentmote_agent_t;

/**
 * Why `agentmote_init` has refused a device.
 */
typedef struct agentmote_problem_t {
  /**
   * Bytes of storage that the device needs; 0 if it was not counted.
   */
  size_t needed;
  /**
   * Who breaks which rule, such as `arm_move: a range is empty`; empty if
   * no rule is broken. Ends with a zero byte; cut if it is longer.
   */
  char text[AGENTMOTE_PROBLEM_BYTES];
} agentmote_problem_t;

/**
 * Storage of a connection, and how it is shared out. Written by
 * `AGENTMOTE_LINE_MEMORY` and `AGENTMOTE_HTTP_MEMORY`.
 */
typedef struct agentmote_memory_t {
  /**
   * The storage, at a multiple of 8, all zero the first time.
   */
  void *start;
  /**
   * Bytes of the storage.
   */
  size_t size;
  /**
   * Bytes of the longest line, 192 to 65535; of the longest request, head
   * and body together, 512 to 65535.
   */
  uint16_t rx;
  /**
   * Bytes of the largest result, without constant blobs: 192 to 65535.
   */
  uint16_t result;
  /**
   * Calls of polled tools in flight; of an HTTP connection 0.
   */
  uint16_t calls;
  /**
   * Bytes of id, arguments and token of each of them; of an HTTP connection
   * how many hosts and origins its configuration may list.
   */
  uint16_t kept;
} agentmote_memory_t;

/**
 * A bearer token, of which only the digest is kept, and whose it is.
 */
typedef struct agentmote_credential_t {
  /**
   * SHA-256 of the token, as it stands behind `Bearer `.
   */
  uint8_t digest[32];
  /**
   * A number of your choice for whom the caller speaks.
   */
  uint32_t id;
  /**
   * What the caller may do: bits of your choice, to be compared with the
   * scopes of each tool.
   */
  uint32_t scopes;
} agentmote_credential_t;

/**
 * Who may send requests over HTTP, and where.
 */
typedef struct agentmote_http_t {
  /**
   * The one path, without a slash at its end (M-047); NULL for `/mcp`.
   */
  const char *path;
  /**
   * Values of `Host` that are served, the guard against DNS rebinding
   * (M-049): a host without a port allows any port. NULL for this machine:
   * 127.0.0.1, `[::1]` and `localhost`, at any port (M-050).
   */
  const char *const *hosts;
  /**
   * Values of `Origin` that are served, each a scheme, a host and a port;
   * requests without one are served (M-048). NULL for this machine.
   */
  const char *const *origins;
  /**
   * Tokens of `Authorization: Bearer` that are served, compared in constant
   * time (M-199, M-200); others are answered 401. NULL: the server is open
   * to all.
   */
  const struct agentmote_credential_t *credentials;
  /**
   * How many `hosts`.
   */
  uint16_t host_count;
  /**
   * How many `origins`.
   */
  uint16_t origin_count;
  /**
   * How many `credentials`; not 0 if they are not NULL.
   */
  uint16_t credential_count;
  /**
   * Not 0: any value of `Host` is served, for a network whose names are not
   * known beforehand.
   */
  uint8_t any_host;
  /**
   * Not 0: pages of an allowed origin may read the answers (CORS).
   */
  uint8_t cors;
} agentmote_http_t;

/**
 * Who asks: numbers that the policy in front has given.
 */
typedef struct agentmote_asker_t {
  /**
   * The caller.
   */
  uint32_t id;
  /**
   * The tenant for whom he asks.
   */
  uint32_t tenant;
  /**
   * What he may do, a bit each.
   */
  uint32_t scopes;
} agentmote_asker_t;

/**
 * Tells whose secret this is that the table does not know, such as a token
 * that the firmware verifies: its issuer, its audience (M-204), its expiry. It
 * writes who asks, and a name that events show, a text that ends with a zero
 * byte and stays as long as the server; false if it is nobody's. `secret` has
 * `length` bytes; `kind` is `AGENTMOTE_SECRET_BEARER` or
 * `AGENTMOTE_SECRET_API_KEY`.
 */
typedef bool (*agentmote_verify_t)(void *context,
                                   uint8_t kind,
                                   const char *secret,
                                   size_t length,
                                   uint64_t now_ms,
                                   struct agentmote_asker_t *asker,
                                   const char **name);

/**
 * What a caller wants to do. Its texts have no zero byte behind them, but a
 * length.
 */
typedef struct agentmote_request_t {
  /**
   * The name or id of the subject: of a task 16 bytes, else text; NULL for
   * none.
   */
  const void *subject;
  /**
   * Bytes of `subject`.
   */
  size_t subject_size;
  /**
   * `AGENTMOTE_DOOR_MCP` or `AGENTMOTE_DOOR_A2A`.
   */
  uint8_t door;
  /**
   * `AGENTMOTE_CALL_TOOL` and the like.
   */
  uint8_t operation;
  /**
   * `AGENTMOTE_ON_TOOL` and the like.
   */
  uint8_t on;
} agentmote_request_t;

/**
 * Tells whether a caller may do this, asked after scopes, owner and tenant
 * have said yes: what is not allowed is answered as if it was not there. It is
 * asked for each tool at each request, so it must be quick.
 */
typedef bool (*agentmote_allows_t)(const void *context,
                                   const struct agentmote_asker_t *asker,
                                   const struct agentmote_request_t *request);

/**
 * One entry of the audit trail. It holds numbers, names of tables and ids that
 * the device gave: nothing of a message or of a secret.
 */
typedef struct agentmote_event_t {
  /**
   * The time of the connection's poll, in milliseconds.
   */
  uint64_t at_ms;
  /**
   * Who; 0 where that is not known.
   */
  uint32_t caller;
  /**
   * For whom; 0 where that is not known.
   */
  uint32_t tenant;
  /**
   * The name of the authority, in text of the tables or of `verify`; NULL
   * for none.
   */
  const char *authority;
  /**
   * Bytes of `authority`.
   */
  size_t authority_size;
  /**
   * What, on what.
   */
  struct agentmote_request_t request;
  /**
   * `AGENTMOTE_BY_TOKEN` and the like.
   */
  uint8_t by;
  /**
   * `AGENTMOTE_WAS_DONE` and the like; from `AGENTMOTE_REFUSED_CREDENTIAL`
   * on: it was refused, and nothing was done.
   */
  uint8_t outcome;
} agentmote_event_t;

/**
 * Takes one entry of the audit trail: one for each refusal and each side
 * effect. It must be quick; what it points to is valid until it returns, but
 * for the texts of tables.
 */
typedef void (*agentmote_record_t)(void *context, const struct agentmote_event_t *event);

/**
 * The constant part of a policy. Written by `AGENTMOTE_POLICY_OF`.
 */
typedef struct agentmote_policy_t {
  /**
   * The realm of the challenge (M-200), without quotes, backslashes and
   * control characters; NULL for none.
   */
  const char *realm;
  /**
   * The names of the bits of scopes, from the lowest on, as OAuth has them:
   * for challenges and metadata; NULL for none.
   */
  const char *const *scopes;
  /**
   * The absolute URL of the endpoint as a protected resource (RFC 9728): what
   * tokens are issued for; NULL if none are.
   */
  const char *resource;
  /**
   * The absolute URL of its metadata, with
   * `/.well-known/oauth-protected-resource` and the path of the endpoint.
   */
  const char *metadata;
  /**
   * The issuers of tokens, at least one if there is a `resource` (M-202).
   */
  const char *const *issuers;
  /**
   * What verifies secrets that the table does not know; NULL for nothing.
   */
  agentmote_verify_t verify;
  /**
   * What decides beyond scopes, owners and tenants; NULL for nothing.
   */
  agentmote_allows_t allows;
  /**
   * What takes the audit trail; NULL: it is not written.
   */
  agentmote_record_t record;
  /**
   * The scopes that a caller needs to use MCP at all.
   */
  uint32_t mcp_scopes;
  /**
   * The scopes that a caller needs to use the agent at all.
   */
  uint32_t agent_scopes;
  /**
   * How many tries with unknown secrets are answered in `per_ms`; those
   * beyond are answered 429. 0 for no limit.
   */
  uint16_t tries;
  /**
   * How many `scopes`; at most 32.
   */
  uint16_t scope_count;
  /**
   * How many `issuers`.
   */
  uint16_t issuer_count;
  /**
   * Not 0: known secrets are refused too while the limit is reached. Then
   * nobody finds a weak one by trying, but anybody who reaches the device
   * locks everybody out, from its stop too.
   */
  uint8_t closes;
  /**
   * In how long `tries`, in milliseconds.
   */
  uint32_t per_ms;
} agentmote_policy_t;

/**
 * A secret of which only the digest is kept, and what it opens.
 */
typedef struct agentmote_token_t {
  /**
   * Its name, unique in the table: what events call it by, and what revokes
   * it. It is shown, so it must not be secret. It stays as long as the
   * token.
   */
  const char *name;
  /**
   * The tenant's name on the wire of A2A (A-190); NULL for none. It stays as
   * long as the token.
   */
  const char *tenant_name;
  /**
   * SHA-256 of the secret, as it stands behind `Bearer ` or in `X-API-KEY`:
   * `agentmote_digest`. A secret should have 128 random bits or more.
   */
  uint8_t digest[32];
  /**
   * Whose it is: a number of your choice. All tokens of one caller have the
   * same, and no two tenants share one.
   */
  uint32_t id;
  /**
   * For whom he asks: a number of your choice.
   */
  uint32_t tenant;
  /**
   * What it may do: bits of your choice.
   */
  uint32_t scopes;
  /**
   * From when on it is good no longer, on the clock of `agentmote_poll`; 0
   * for never.
   */
  uint64_t expires_ms;
} agentmote_token_t;

/**
 * A parameter of a tool, or a member of an object. Written by the macros
 * `AGENTMOTE_BOOLEAN` to `AGENTMOTE_OBJECT`.
 */
typedef struct agentmote_param_t {
  /**
   * 1 to 64 letters, digits, `_`, `-`, `.`; of the element of an array it
   * is not used.
   */
  const char *name;
  /**
   * For people and models; NULL for none.
   */
  const char *description;
  /**
   * Unit of a number, such as `deg` or `ms`; NULL for none.
   */
  const char *unit;
  /**
   * Name behind `Mcp-Param-` of the HTTP header in which a client repeats
   * the value (M-073); NULL for none.
   */
  const char *header;
  /**
   * `AGENTMOTE_KIND_...`.
   */
  uint8_t kind;
  /**
   * `AGENTMOTE_REQUIRED`, `AGENTMOTE_OPTIONAL` or `AGENTMOTE_DEFAULT`.
   */
  uint8_t presence;
  /**
   * How many `choices` or `members` there are.
   */
  uint16_t count;
  /**
   * Of a choice: its texts.
   */
  const char *const *choices;
  /**
   * Of an object: its members. Of an array: the one kind of its elements.
   */
  const struct agentmote_param_t *members;
  /**
   * The default of a string or a choice.
   */
  const char *text;
  /**
   * Smallest integer; fewest characters or elements.
   */
  int64_t low;
  /**
   * Largest integer; most characters or elements, at most 65535.
   */
  int64_t high;
  /**
   * The default of an integer or a boolean.
   */
  int64_t whole;
  /**
   * Smallest number; `AGENTMOTE_LOWEST` for no bound.
   */
  double min;
  /**
   * Largest number; `AGENTMOTE_HIGHEST` for no bound.
   */
  double max;
  /**
   * The default of a number.
   */
  double real;
} agentmote_param_t;

/**
 * One tool. Written by the macros `AGENTMOTE_TOOL...`.
 */
typedef struct agentmote_tool_t {
  /**
   * 1 to 64 letters, digits, `_`, `-`, `.` (M-102).
   */
  const char *name;
  /**
   * For people; NULL for none.
   */
  const char *title;
  /**
   * For models; must not be empty (M-101).
   */
  const char *description;
  /**
   * What it takes.
   */
  const struct agentmote_param_t *params;
  /**
   * Members of its structured result; NULL for none (M-114).
   */
  const struct agentmote_param_t *output;
  /**
   * JSON Schema text in the place of `params`, advertised unchanged; the
   * handler then checks its arguments itself. NULL for none (M-113).
   */
  const char *schema;
  /**
   * What runs it.
   */
  agentmote_run_t run;
  /**
   * How many `params`; at most 16.
   */
  uint16_t param_count;
  /**
   * How many members of `output`; at most 16.
   */
  uint16_t output_count;
  /**
   * `AGENTMOTE_READ_ONLY` and the like, added.
   */
  uint32_t flags;
  /**
   * The scopes that a caller must have, all of them: bits of your choice,
   * see `agentmote_set_caller`. For who lacks one, there is no such tool.
   * Only the first 64 tools may need any.
   */
  uint32_t scopes;
} agentmote_tool_t;

/**
 * What tells whether a resource has changed: a number that is another one
 * when it has. It is called by `agentmote_poll` every `watch_ms` while
 * somebody has subscribed, so it must be quick; changes that come and go
 * between two looks are not told.
 */
typedef uint32_t (*agentmote_watch_t)(const void *context, uint64_t now_ms);

/**
 * What is offered for one parameter of a URI; any other is allowed too.
 * Written by `AGENTMOTE_VALUES`.
 */
typedef struct agentmote_values_t {
  /**
   * The name of the parameter.
   */
  const char *name;
  /**
   * What is offered.
   */
  const char *const *values;
  /**
   * How many `values`.
   */
  uint16_t value_count;
} agentmote_values_t;

/**
 * One resource; or a family of them, if its URI has parameters such as
 * `{joint}`: then it is listed as a template.
 */
typedef struct agentmote_resource_t {
  /**
   * A URI of visible ASCII.
   */
  const char *uri;
  /**
   * For programs; must not be empty.
   */
  const char *name;
  /**
   * For people; NULL for none.
   */
  const char *title;
  /**
   * For models; NULL for none.
   */
  const char *description;
  /**
   * Media type; NULL if not told.
   */
  const char *mime;
  /**
   * What reads it.
   */
  agentmote_run_t read;
  /**
   * Milliseconds after which a reading is stale; 0 means at once (M-044).
   */
  uint32_t ttl_ms;
  /**
   * Not 0: a cache may give a reading to anybody (M-045).
   */
  uint8_t is_public;
  /**
   * What tells whether it has changed; NULL if nobody can subscribe to it.
   * A template has none, and at most 15 resources of a device have one.
   */
  agentmote_watch_t watch;
  /**
   * What is offered when a parameter of its URI is typed (M-159); NULL for
   * nothing.
   */
  const struct agentmote_values_t *values;
  /**
   * How many `values`.
   */
  uint16_t value_count;
} agentmote_resource_t;

/**
 * One argument of a prompt: a text.
 */
typedef struct agentmote_argument_t {
  /**
   * Its name.
   */
  const char *name;
  /**
   * For people and models; NULL for none.
   */
  const char *description;
  /**
   * What is offered when it is typed (M-159); NULL for nothing.
   */
  const char *const *values;
  /**
   * How many `values`.
   */
  uint16_t value_count;
  /**
   * `AGENTMOTE_REQUIRED` or `AGENTMOTE_OPTIONAL`.
   */
  uint8_t presence;
} agentmote_argument_t;

/**
 * One prompt.
 */
typedef struct agentmote_prompt_t {
  /**
   * Its name, for programs.
   */
  const char *name;
  /**
   * For people; NULL for none.
   */
  const char *title;
  /**
   * For people and models; NULL for none.
   */
  const char *description;
  /**
   * What it takes; NULL for nothing.
   */
  const struct agentmote_argument_t *arguments;
  /**
   * What gives its messages.
   */
  agentmote_run_t render;
  /**
   * How many `arguments`; at most 16.
   */
  uint16_t argument_count;
} agentmote_prompt_t;

/**
 * A form that a handler can ask a user to fill in: texts, numbers, booleans
 * and choices, none inside another (M-151).
 */
typedef struct agentmote_form_t {
  /**
   * Its fields.
   */
  const struct agentmote_param_t *fields;
  /**
   * JSON Schema text in the place of `fields`, for keywords beyond them; the
   * handler then checks what was entered (`agentmote_elicit_json`). NULL for
   * none.
   */
  const char *schema;
  /**
   * How many `fields`; at most 16.
   */
  uint16_t field_count;
} agentmote_form_t;

/**
 * What tells whether a caller sees a tool now, the one at this place of the
 * table, from 0 (M-107). It is asked for each tool at each request, and for a
 * caller 0 with every scope every `watch_ms` while somebody listens to changes
 * of the list, so it must be quick.
 */
typedef bool (*agentmote_shows_t)(const void *context,
                                  uint32_t caller,
                                  uint32_t scopes,
                                  size_t place);

/**
 * What a server serves. Written by `AGENTMOTE_DEVICE` or
 * `AGENTMOTE_DEVICE_OF`.
 */
typedef struct agentmote_device_t {
  /**
   * Its name, for programs.
   */
  const char *name;
  /**
   * Its name, for people; NULL for none.
   */
  const char *title;
  /**
   * Its version.
   */
  const char *version;
  /**
   * Guidance for the model that uses it; NULL for none (M-039).
   */
  const char *instructions;
  /**
   * Its tools, in the order of `tools/list`.
   */
  const struct agentmote_tool_t *tools;
  /**
   * How many `tools`; at most 254.
   */
  size_t tool_count;
  /**
   * What can be read; NULL for nothing.
   */
  const struct agentmote_resource_t *resources;
  /**
   * How many `resources`; at most 254.
   */
  size_t resource_count;
  /**
   * What can be suggested to say; NULL for nothing.
   */
  const struct agentmote_prompt_t *prompts;
  /**
   * How many `prompts`; at most 254.
   */
  size_t prompt_count;
  /**
   * What can be asked; NULL for nothing.
   */
  const struct agentmote_form_t *forms;
  /**
   * How many `forms`; at most 254.
   */
  size_t form_count;
  /**
   * Bytes of descriptions after which a page of a list ends (M-105); 0
   * means one page.
   */
  uint32_t page_bytes;
  /**
   * Milliseconds for which a client may keep lists (M-044).
   */
  uint32_t ttl_ms;
  /**
   * Milliseconds between two looks at resources that somebody has
   * subscribed to; 0 counts as 1.
   */
  uint32_t watch_ms;
  /**
   * `AGENTMOTE_LOGS`, or 0.
   */
  uint32_t flags;
  /**
   * What tells which tools a caller sees now; NULL: all that his scopes
   * allow. A device that has it has at most 64 tools.
   */
  agentmote_shows_t shows;
} agentmote_device_t;

/**
 * One part of a message or an artifact (A-063). Its texts have no zero byte
 * behind them, but a length; NULL or a length of 0: not told.
 */
typedef struct agentmote_part_t {
  /**
   * What it is.
   */
  const void *content;
  /**
   * Bytes of `content`.
   */
  size_t size;
  /**
   * Its media type.
   */
  const char *media_type;
  /**
   * Bytes of `media_type`.
   */
  size_t media_type_size;
  /**
   * Its file name.
   */
  const char *filename;
  /**
   * Bytes of `filename`.
   */
  size_t filename_size;
  /**
   * A JSON object about it.
   */
  const char *metadata;
  /**
   * Bytes of `metadata`.
   */
  size_t metadata_size;
  /**
   * `AGENTMOTE_PART_TEXT` and the like.
   */
  uint8_t kind;
} agentmote_part_t;

/**
 * It is done.
 */
#define AGENTMOTE_OK 0

/**
 * A pointer is NULL that must not be.
 */
#define AGENTMOTE_ERROR_NULL 1

/**
 * Another call of the same server or connection is not over: one from inside
 * a handler, or from another thread. Nothing was done; call again later.
 */
#define AGENTMOTE_ERROR_BUSY 2

/**
 * The server or connection was not opened, or the handler whose call this is
 * has returned.
 */
#define AGENTMOTE_ERROR_NOT_OPEN 3

/**
 * Storage is too small, or does not stand at a multiple of 8.
 */
#define AGENTMOTE_ERROR_STORAGE 4

/**
 * A table breaks a rule; `agentmote_problem_t` tells which.
 */
#define AGENTMOTE_ERROR_TABLE 5

/**
 * The library was built without what is asked for.
 */
#define AGENTMOTE_ERROR_FEATURE 6

/**
 * There is no parameter, element or name like that.
 */
#define AGENTMOTE_ERROR_PLACE 7

/**
 * The parameter or element is of another type, or the call of another kind.
 */
#define AGENTMOTE_ERROR_TYPE 8

/**
 * The value does not fit the C type that is asked for.
 */
#define AGENTMOTE_ERROR_RANGE 9

/**
 * The buffer is too short; the length that is needed was told.
 */
#define AGENTMOTE_ERROR_SHORT 10

/**
 * No value was given and there is no default; or: no more elements, nothing
 * is due.
 */
#define AGENTMOTE_ABSENT 11

/**
 * The result is given. A handler that has given nothing answers the text
 * `done`.
 */
#define AGENTMOTE_DONE 0

/**
 * Not yet: call the handler again. Only for tools with `AGENTMOTE_POLLED`.
 */
#define AGENTMOTE_PENDING 1

/**
 * There is no such resource. Only for readers.
 */
#define AGENTMOTE_MISSING 2

/**
 * It has asked its caller, and there is no answer yet: call the handler again
 * with it. Only for tools with `AGENTMOTE_ASKS`, for prompts and for skills.
 */
#define AGENTMOTE_NEED_INPUT 3

/**
 * The work was stopped as its caller wished. Only for skills.
 */
#define AGENTMOTE_STOPPED 4

/**
 * The work can't be stopped here, and goes on (A-143). Only for skills.
 */
#define AGENTMOTE_CANNOT_STOP 5

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, as text of three numbers parted by dots.
 *
 * The text ends with a zero byte and lives as long as the program. May be
 * called from anywhere, interrupts included.
 */
const char *agentmote_version(void);

/**
 * Opens an agent beside a server: from here on, HTTP connections that are
 * opened serve both, MCP on its path and A2A on that of the agent, with its
 * cards below `/.well-known/`.
 *
 * * `memory`: made by `AGENTMOTE_TASK_MEMORY`; it belongs to the server until
 *   that is opened anew. What was in it is forgotten.
 * * `agent`: with its tables and texts, must stay as it is as long as the
 *   server.
 * * `problem`: NULL, or gets what is wrong and how much storage is needed; it
 *   is written on success too.
 *
 * Connections that were opened before must be opened anew: they answer
 * `AGENTMOTE_ERROR_NOT_OPEN`. On failure everything is as it was.
 *
 * `AGENTMOTE_ERROR_STORAGE` if the storage is too small or not aligned, or a
 * size of it is out of its range; `AGENTMOTE_ERROR_TABLE` if a rule is broken;
 * `AGENTMOTE_ERROR_FEATURE` if the library was built without `a2a`;
 * `AGENTMOTE_ERROR_BUSY` from inside a handler.
 *
 * The caller promises:
 * As said for each parameter; `server` is NULL or storage that was given to
 * `agentmote_init`.
 */
agentmote_status_t agentmote_agent_open(const struct agentmote_task_memory_t *memory,
                                        struct agentmote_server_t *server,
                                        const struct agentmote_agent_t *agent,
                                        struct agentmote_problem_t *problem);

/**
 * Lets each task that is due take a step at `now_ms`, and tells when the next
 * one is: `due_ms` gets it, or nothing with `AGENTMOTE_ABSENT` if no task
 * waits for time. HTTP connections do the same when they are polled; a
 * program whose connections may all be closed calls this too, so that tasks
 * go on.
 *
 * `AGENTMOTE_ERROR_NOT_OPEN` if the server has no agent,
 * `AGENTMOTE_ERROR_BUSY` from inside a handler, `AGENTMOTE_ERROR_FEATURE` if
 * the library was built without `a2a`.
 *
 * The caller promises:
 * `server` is NULL or storage that was given to `agentmote_init`; `due_ms` is
 * NULL or may be written.
 */
agentmote_status_t agentmote_run_tasks(struct agentmote_server_t *server,
                                       uint64_t now_ms,
                                       uint64_t *due_ms);

/**
 * Tells what time it is: `unix_ms` milliseconds since 1970 (UTC) at `now_ms`.
 * Without it, tasks have no times (A-057). The time of one task never goes
 * back, even if the clock does (A-139).
 *
 * `AGENTMOTE_ERROR_NOT_OPEN` if the server has no agent,
 * `AGENTMOTE_ERROR_BUSY` from inside a handler, `AGENTMOTE_ERROR_FEATURE` if
 * the library was built without `a2a`.
 *
 * The caller promises:
 * `server` is NULL or storage that was given to `agentmote_init`.
 */
agentmote_status_t agentmote_set_clock(struct agentmote_server_t *server,
                                       uint64_t unix_ms,
                                       uint64_t now_ms);

/**
 * The time at which the handler was called, in milliseconds; 0 if the handle
 * is not valid.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
uint64_t agentmote_now(struct agentmote_call_t *call);

/**
 * How often the handler of this call or task was called before: 0 the first
 * time, when work starts; 0 also if the handle is not that of a tool or skill.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
uint32_t agentmote_step(struct agentmote_call_t *call);

/**
 * Whether the caller has given up the call. The handler of a polled tool is
 * then called this one last time, to stop what it began; what it answers is
 * dropped. The handler of a skill stops the work and answers
 * `AGENTMOTE_STOPPED`, or answers `AGENTMOTE_CANNOT_STOP` and goes on (P-017,
 * A-143). False also if the handle is not that of a tool or skill.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
bool agentmote_is_cancelled(struct agentmote_call_t *call);

/**
 * What the handler has left with `agentmote_remember` in an earlier step of
 * this call; 0 if nothing.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
uint32_t agentmote_memo(struct agentmote_call_t *call);

/**
 * Keeps a number for the next steps of this call: the number of the job that
 * it began, for one.
 *
 * `AGENTMOTE_ERROR_TYPE` for the handle of a reader or renderer.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
agentmote_status_t agentmote_remember(struct agentmote_call_t *call, uint32_t memo);

/**
 * Tells how far the work is: `done` of `total` steps, 0 for a total that is
 * not known. It reaches the caller if he asked for it; a report that does not
 * rise is dropped (M-127).
 *
 * `AGENTMOTE_ERROR_TYPE` for the handle of a reader, renderer or skill.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
agentmote_status_t agentmote_progress(struct agentmote_call_t *call, uint32_t done, uint32_t total);

/**
 * When a handler that answers `AGENTMOTE_PENDING` wants to be called again,
 * in milliseconds from now, at the latest. Without it, or with 0: a
 * millisecond later.
 *
 * `AGENTMOTE_ERROR_TYPE` for the handle of a reader or renderer.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
agentmote_status_t agentmote_wake_after(struct agentmote_call_t *call, uint32_t millis);

/**
 * Opens a connection of newline-delimited messages over a UART, USB serial,
 * pipes or a TCP stream.
 *
 * `memory`, made by `AGENTMOTE_LINE_MEMORY`, belongs to the connection from
 * here on; opening it again forgets what was there, without telling the
 * handlers of calls in flight: use `agentmote_hang_up` for that.
 * `connection` gets the connection, or NULL on failure.
 *
 * `AGENTMOTE_ERROR_STORAGE` if the memory is too small or not aligned,
 * `AGENTMOTE_ERROR_NOT_OPEN` if the server is not, `AGENTMOTE_ERROR_BUSY` from
 * inside a handler that this connection has called.
 *
 * The caller promises:
 * As said for each parameter. The server's storage stays as long as the
 * connection; no other thread opens the same memory at the same time.
 */
agentmote_status_t agentmote_line_open(const struct agentmote_memory_t *memory,
                                       struct agentmote_server_t *server,
                                       struct agentmote_connection_t **connection);

/**
 * Opens a connection of HTTP/1.1: MCP's Streamable HTTP on one path. The
 * transport accepted a peer; after `agentmote_is_closed`, open it again for
 * the next one.
 *
 * `memory` is made by `AGENTMOTE_HTTP_MEMORY`. `config` is NULL for programs
 * on the same machine, or stays as it is, with its texts, as long as the
 * connection. Else as `agentmote_line_open`; `AGENTMOTE_ERROR_TABLE` if a text
 * of the configuration is NULL or not UTF-8, or a list of credentials empty,
 * or there are credentials and the server has an agent, which they do not
 * guard: that takes a policy (`agentmote_policy_open`).
 * `AGENTMOTE_ERROR_FEATURE` if the library was built without HTTP.
 *
 * The caller promises:
 * As said for each parameter, and for `agentmote_line_open`.
 */
agentmote_status_t agentmote_http_open(const struct agentmote_memory_t *memory,
                                       struct agentmote_server_t *server,
                                       const struct agentmote_http_t *config,
                                       struct agentmote_connection_t **connection);

/**
 * Takes bytes that arrived, at most up to the end of a message; `taken` gets
 * how many, 0 on failure. The rest waits for the next `agentmote_poll`: offer
 * it again then.
 *
 * `bytes` may be NULL if `length` is 0.
 *
 * The caller promises:
 * `connection` is NULL or an opened connection; `bytes` points to `length`
 * bytes; `taken` is NULL or may be written.
 */
agentmote_status_t agentmote_receive(struct agentmote_connection_t *connection,
                                     const void *bytes,
                                     size_t length,
                                     size_t *taken);

/**
 * Works on what has arrived and on the calls in flight, at `now_ms`
 * milliseconds of a clock that never goes back, and writes what there is to
 * send to the start of `out`, of `size` bytes. `filled` gets how many bytes,
 * 0 on failure; 0 with `AGENTMOTE_OK` means that nothing is left to send for
 * now.
 *
 * An answer that is longer than `out` goes on in the next call. No handler
 * runs twice for that. `out` may be NULL if `size` is 0.
 *
 * `AGENTMOTE_ERROR_BUSY` if another connection of the same server is at work
 * in another thread, or from inside a handler; `AGENTMOTE_ERROR_NOT_OPEN` if
 * the server was opened anew and the connection was not.
 *
 * The caller promises:
 * `connection` is NULL or an opened connection; `out` points to `size` bytes
 * that may be written and are no storage of the library; `filled` is NULL or
 * may be written.
 */
agentmote_status_t agentmote_poll(struct agentmote_connection_t *connection,
                                  uint64_t now_ms,
                                  void *out,
                                  size_t size,
                                  size_t *filled);

/**
 * When `agentmote_poll` is due although nothing arrives: `at_ms` gets the
 * time. `AGENTMOTE_ABSENT`, with nothing written, if only arriving bytes give
 * it work. Of tasks it knows only those that the connection waits for; see
 * `agentmote_run_tasks`.
 *
 * `AGENTMOTE_ERROR_BUSY` and `AGENTMOTE_ERROR_NOT_OPEN`, of a connection that
 * serves an agent, as for `agentmote_poll`.
 *
 * The caller promises:
 * `connection` is NULL or an opened connection; `at_ms` is NULL or may be
 * written.
 */
agentmote_status_t agentmote_wake(struct agentmote_connection_t *connection, uint64_t *at_ms);

/**
 * Tells that the peer has gone.
 *
 * A line connection forgets it: an unfinished line, the handshake, every call
 * in flight, whose handlers are told so (M-093); the next byte is that of a
 * new peer. An HTTP connection drops what has not begun, and lets a call of
 * the legacy era go on (M-190): keep calling `agentmote_poll` until
 * `agentmote_is_closed`.
 *
 * The caller promises:
 * `connection` is NULL or an opened connection.
 */
agentmote_status_t agentmote_hang_up(struct agentmote_connection_t *connection, uint64_t now_ms);

/**
 * Whether the answers of an HTTP connection are out and the caller should
 * close it: `closed` gets it. A line connection is never closed.
 *
 * The caller promises:
 * `connection` is NULL or an opened connection; `closed` is NULL or may be
 * written.
 */
agentmote_status_t agentmote_is_closed(struct agentmote_connection_t *connection, bool *closed);

/**
 * Tells who the peer of a line connection is, once the transport has found it
 * out: `id` is a number of your choice for whom he speaks, and an answer to a
 * question is taken from nobody else (M-148); `scopes` are what he may do, bits
 * of your choice, to be compared with those of each tool. Without it: id 0,
 * every scope.
 *
 * `AGENTMOTE_ERROR_TYPE` for an HTTP connection, `AGENTMOTE_ERROR_FEATURE` if
 * the library was built without `input` and `scopes`.
 *
 * The caller promises:
 * `connection` is NULL or an opened connection.
 */
agentmote_status_t agentmote_set_caller(struct agentmote_connection_t *connection,
                                        uint32_t id,
                                        uint32_t scopes);

/**
 * Whether the client of this call can ask its user (M-146). False also if the
 * handle is not that of a tool.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
bool agentmote_can_ask(struct agentmote_call_t *call);

/**
 * What the client of this call can be asked (M-146), in the flags of tools:
 * `AGENTMOTE_NEEDS_ELICITATION` its user, `AGENTMOTE_NEEDS_SAMPLING` its model,
 * `AGENTMOTE_NEEDS_ROOTS` its roots, added. 0 also if the handle is not that
 * of a tool.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
uint32_t agentmote_client(struct agentmote_call_t *call);

/**
 * Asks the user for a yes or no, under a `key` that is unique in this answer:
 * `yes` gets whether it was a yes.
 *
 * `AGENTMOTE_ABSENT` if there is no answer yet: the handler returns
 * `AGENTMOTE_NEED_INPUT`, and is called again from its first step with the
 * answer. Several questions may be open at once; answers of an earlier round
 * are gone, so keep what they said by `agentmote_remember`. The tool must be
 * declared to ask (`AGENTMOTE_ASKS`). On failure `yes` stays as it is. `AGENTMOTE_ERROR_FEATURE` if the library was built
 * without `input`, `AGENTMOTE_ERROR_TYPE` in a reader.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `key` and `message` are NULL or
 * end with a zero byte; `yes` is NULL or may be written.
 */
agentmote_status_t agentmote_confirm(struct agentmote_call_t *call,
                                     const char *key,
                                     const char *message,
                                     bool *yes);

/**
 * Asks the user to fill in the form at place `form` of the device's table,
 * under a `key` that is unique in this answer: `action` gets
 * `AGENTMOTE_ACCEPTED`, `AGENTMOTE_DECLINED` or `AGENTMOTE_CANCELLED`.
 *
 * If it was accepted, the form is entered as an object of the arguments is
 * (`agentmote_enter`): its fields are read by their places, until
 * `agentmote_leave`. Else as `agentmote_confirm`; `AGENTMOTE_ERROR_PLACE` if
 * there is no such form.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `key` and `message` are NULL or
 * end with a zero byte; `action` is NULL or may be written.
 */
agentmote_status_t agentmote_elicit(struct agentmote_call_t *call,
                                    const char *key,
                                    const char *message,
                                    size_t form,
                                    int32_t *action);

/**
 * Asks the user to fill in the form at place `form` of the device's table, and
 * gives what was entered as it came: for forms of JSON Schema text, which the
 * handler checks itself. `json` gets a pointer to `length` bytes without a zero
 * byte behind them, valid until the handler returns: a JSON object if `action`
 * got `AGENTMOTE_ACCEPTED`, else they are not written. Else as
 * `agentmote_elicit`; nothing is entered.
 *
 * The caller promises:
 * As for `agentmote_elicit`; `json` and `length` are NULL or may be written.
 */
agentmote_status_t agentmote_elicit_json(struct agentmote_call_t *call,
                                         const char *key,
                                         const char *message,
                                         size_t form,
                                         int32_t *action,
                                         const char **json,
                                         size_t *length);

/**
 * Asks the client's model for an answer of at most `max_tokens` tokens to a
 * text, under a `key` that is unique in this answer (`sampling/createMessage`;
 * deprecated in 2026-07-28). The answer is given as `agentmote_get_text` gives
 * a text, if `action` gets `AGENTMOTE_ACCEPTED`; else, `AGENTMOTE_CANCELLED`,
 * the client could not ask.
 *
 * `AGENTMOTE_ABSENT` as for `agentmote_confirm`; `AGENTMOTE_ERROR_PLACE` if the
 * answer is no text, `AGENTMOTE_ERROR_SHORT` if it is too long for `out`: it
 * may be asked for again, with more room, in the same step.
 *
 * The caller promises:
 * As for `agentmote_confirm`; `action` is NULL or may be written; `out` points
 * to `size` bytes that may be written; `length` is NULL or may be written.
 */
agentmote_status_t agentmote_sample(struct agentmote_call_t *call,
                                    const char *key,
                                    const char *message,
                                    uint16_t max_tokens,
                                    int32_t *action,
                                    char *out,
                                    size_t size,
                                    size_t *length);

/**
 * Asks the client for its roots, under a `key` that is unique in this answer
 * (`roots/list`; deprecated in 2026-07-28). `json` and `length` get its whole
 * result, as `agentmote_elicit_json` gives an object; `action` is
 * `AGENTMOTE_CANCELLED` if it could not tell. Else as `agentmote_confirm`.
 *
 * The caller promises:
 * As for `agentmote_confirm`; `action`, `json` and `length` are NULL or may be
 * written.
 */
agentmote_status_t agentmote_list_roots(struct agentmote_call_t *call,
                                        const char *key,
                                        int32_t *action,
                                        const char **json,
                                        size_t *length);

/**
 * Puts a policy in front of a server: who is let in over HTTP, to MCP and to
 * the agent, what is there for whom, on every transport, and what is written
 * down. Its table of tokens is empty: nobody is let in before
 * `agentmote_token_add`. It stands in the place of the credentials of an
 * `agentmote_http_t`.
 *
 * * `storage`: `size` bytes at a multiple of 8, such as
 *   `uint64_t[AGENTMOTE_POLICY_WORDS + ...]`. They belong to the server until
 *   that is opened anew.
 * * `policy`: with its texts, must stay as it is as long as the server.
 * * `problem`: NULL, or gets what is wrong and how much storage is needed; it
 *   is written on success too.
 *
 * Connections that were opened before must be opened anew: they answer
 * `AGENTMOTE_ERROR_NOT_OPEN`. On failure everything is as it was.
 *
 * `AGENTMOTE_ERROR_STORAGE` if the storage is too small or not aligned,
 * `AGENTMOTE_ERROR_TABLE` if a rule is broken, `AGENTMOTE_ERROR_FEATURE` if
 * the library was built without `policy`, `AGENTMOTE_ERROR_BUSY` from inside a
 * handler, or if the server has a policy already.
 *
 * The caller promises:
 * As said for each parameter; `server` is NULL or storage that was given to
 * `agentmote_init`.
 */
agentmote_status_t agentmote_policy_open(void *storage,
                                         size_t size,
                                         struct agentmote_server_t *server,
                                         const struct agentmote_policy_t *policy,
                                         struct agentmote_problem_t *problem);

/**
 * Adds a token, from the next request on. To change a secret with an overlap,
 * add the new one under another name, and revoke the old one later. `problem`
 * is NULL, or gets what is wrong, such as `there is a credential of that name`.
 *
 * `AGENTMOTE_ERROR_TABLE` if it was refused, and the table is as it was: it is
 * full (eight tokens), the name or the digest is there, the caller belongs to
 * another tenant; `AGENTMOTE_ERROR_NOT_OPEN` if the server has no policy,
 * `AGENTMOTE_ERROR_BUSY` from inside a handler, `AGENTMOTE_ERROR_FEATURE` if
 * the library was built without `policy`.
 *
 * The caller promises:
 * `server` is NULL or storage that was given to `agentmote_init`; `token` is
 * NULL or points to one; `problem` is NULL or may be written.
 */
agentmote_status_t agentmote_token_add(struct agentmote_server_t *server,
                                       const struct agentmote_token_t *token,
                                       struct agentmote_problem_t *problem);

/**
 * Takes the token of this name back, from the next request on; streams that it
 * opened are closed, calls and tasks that it began go on.
 *
 * `AGENTMOTE_ERROR_PLACE` if there is none; else as `agentmote_token_add`.
 *
 * The caller promises:
 * `server` is NULL or storage that was given to `agentmote_init`; `name` is
 * NULL or ends with a zero byte.
 */
agentmote_status_t agentmote_token_revoke(struct agentmote_server_t *server, const char *name);

/**
 * Gives the token of this name another secret, of the digest of 32 bytes; the
 * old one is good no longer.
 *
 * `AGENTMOTE_ERROR_PLACE` if there is none of that name, or another one has
 * that digest; else as `agentmote_token_add`.
 *
 * The caller promises:
 * As for `agentmote_token_revoke`; `digest` is NULL or points to 32 bytes.
 */
agentmote_status_t agentmote_token_rotate(struct agentmote_server_t *server,
                                          const char *name,
                                          const uint8_t *digest);

/**
 * The digest of a secret of `length` bytes, for `agentmote_token_t`: `digest`
 * gets 32 bytes. Needs no server.
 *
 * `AGENTMOTE_ERROR_FEATURE` if the library was built without `policy`.
 *
 * The caller promises:
 * `secret` is NULL or points to `length` bytes; `digest` is NULL or points to
 * 32 bytes that may be written.
 */
agentmote_status_t agentmote_digest(const char *secret, size_t length, uint8_t *digest);

/**
 * Adds a text.
 *
 * This and all functions below give a part of the result and return
 * `AGENTMOTE_DONE`, so that a handler may end with `return
 * agentmote_text(call, "stopped");`. What can't be given (a text that is NULL
 * or not UTF-8, a number that is not finite, a part inside an object that is
 * still open, a part of a kind that the answer has no place for, a result
 * longer than the connection's buffer) makes the whole call a failure that
 * says so to the caller. Through a handle whose handler has returned, nothing
 * is given.
 *
 * In the handler of a skill, each is a part of an artifact; see
 * `agentmote_artifact`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `text` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_text(struct agentmote_call_t *call, const char *text);

/**
 * Adds a text of `length` bytes, which may hold zero bytes.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `text` is NULL or points to
 * `length` bytes.
 */
agentmote_answer_t agentmote_text_of(struct agentmote_call_t *call,
                                     const char *text,
                                     size_t length);

/**
 * Answers "failed", with the reason in words for the caller (M-120). What was
 * given before is dropped.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `reason` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_fail(struct agentmote_call_t *call, const char *reason);

/**
 * Opens an object of the structured result; inside another one, as its member
 * `name`. `name` is NULL at the top and in an array.
 *
 * The outermost object or array, once it is closed, is the structured result
 * of a tool, or the content of a resource as JSON text; of a skill, a part of
 * an artifact.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_open_object(struct agentmote_call_t *call, const char *name);

/**
 * Opens an array; see `agentmote_open_object`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_open_array(struct agentmote_call_t *call, const char *name);

/**
 * Closes the object or array that was opened last.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
agentmote_answer_t agentmote_close(struct agentmote_call_t *call);

/**
 * Writes a boolean: as the member `name` of the object that is open, or as
 * the next element of the array, with NULL for `name`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_put_boolean(struct agentmote_call_t *call,
                                         const char *name,
                                         bool value);

/**
 * Writes an integer; see `agentmote_put_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_put_integer(struct agentmote_call_t *call,
                                         const char *name,
                                         int64_t value);

/**
 * Writes a double in the shortest digits that read back as the same; see
 * `agentmote_put_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_put_double(struct agentmote_call_t *call,
                                        const char *name,
                                        double value);

/**
 * Writes a float in the shortest digits that read back as the same; see
 * `agentmote_put_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_put_float(struct agentmote_call_t *call,
                                       const char *name,
                                       float value);

/**
 * Writes a text; see `agentmote_put_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` and `text` are NULL or
 * end with a zero byte.
 */
agentmote_answer_t agentmote_put_text(struct agentmote_call_t *call,
                                      const char *name,
                                      const char *text);

/**
 * Writes `null`; see `agentmote_put_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_put_null(struct agentmote_call_t *call, const char *name);

/**
 * Adds a picture of `size` bytes, which are copied; in a prompt as a message.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `data` points to `size` bytes;
 * `mime` ends with a zero byte, or is NULL.
 */
agentmote_answer_t agentmote_image(struct agentmote_call_t *call,
                                   const void *data,
                                   size_t size,
                                   const char *mime);

/**
 * Adds a picture of `size` bytes in flash: only a pointer is kept, so it may
 * be longer than the connection's buffer. The bytes must stay as they are as
 * long as the connection is open. At most four such blobs in one result.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `data` points to `size` bytes;
 * `mime` ends with a zero byte, or is NULL.
 */
agentmote_answer_t agentmote_image_static(struct agentmote_call_t *call,
                                          const void *data,
                                          size_t size,
                                          const char *mime);

/**
 * Adds a sound of `size` bytes, which are copied; a text in its place for a
 * client whose protocol version has none (before 2025-03-26). For tools and
 * skills.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `data` points to `size` bytes;
 * `mime` ends with a zero byte, or is NULL.
 */
agentmote_answer_t agentmote_audio(struct agentmote_call_t *call,
                                   const void *data,
                                   size_t size,
                                   const char *mime);

/**
 * Adds a link to a resource; a text in its place for a client whose protocol
 * version has none (before 2025-06-18). `mime` is NULL if not told. For tools
 * and skills.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `uri`, `name` and `mime` are
 * NULL or end with a zero byte.
 */
agentmote_answer_t agentmote_link(struct agentmote_call_t *call,
                                  const char *uri,
                                  const char *name,
                                  const char *mime);

/**
 * Adds a resource of text, in place. `mime` is NULL if not told. For tools
 * and prompts; in a skill it is a part of an artifact.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `uri`, `mime` and `text` are
 * NULL or end with a zero byte.
 */
agentmote_answer_t agentmote_resource_text(struct agentmote_call_t *call,
                                           const char *uri,
                                           const char *mime,
                                           const char *text);

/**
 * Adds a resource of `size` bytes, which are copied, in place. `mime` is NULL
 * if not told. For tools and prompts; in a reader it is the content, and
 * `uri` and `mime` are not looked at; in a skill it is a part of an artifact.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `uri` and `mime` are NULL or end
 * with a zero byte; `data` points to `size` bytes.
 */
agentmote_answer_t agentmote_blob(struct agentmote_call_t *call,
                                  const char *uri,
                                  const char *mime,
                                  const void *data,
                                  size_t size);

/**
 * Adds a resource of `size` bytes in flash: only a pointer is kept; see
 * `agentmote_blob` and `agentmote_image_static`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `uri` and `mime` are NULL or end
 * with a zero byte; `data` points to `size` bytes.
 */
agentmote_answer_t agentmote_blob_static(struct agentmote_call_t *call,
                                         const char *uri,
                                         const char *mime,
                                         const void *data,
                                         size_t size);

/**
 * Says that the next message of a prompt is the assistant's; without it, each
 * is the user's. Only for prompts.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
agentmote_answer_t agentmote_assistant(struct agentmote_call_t *call);

/**
 * Tells the caller what goes on, if he asked for messages of this level, one
 * of `AGENTMOTE_LOG_DEBUG` to `AGENTMOTE_LOG_EMERGENCY` (M-131, M-132). No
 * secrets, no personal data (M-134). The messages of one step stand in the
 * connection's buffer, before the result, until they are sent; one that does
 * not fit ends with an ellipsis. The device must have `AGENTMOTE_LOGS`.
 *
 * `AGENTMOTE_ERROR_RANGE` for another level, `AGENTMOTE_ERROR_PLACE` while an
 * object or array of the result is open, `AGENTMOTE_ERROR_NULL` if the text is
 * NULL or not UTF-8, `AGENTMOTE_ERROR_TYPE` in a reader, renderer or skill,
 * `AGENTMOTE_ERROR_FEATURE` if the library was built without `logging`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `text` is NULL or ends with a
 * zero byte.
 */
agentmote_status_t agentmote_log(struct agentmote_call_t *call, uint8_t level, const char *text);

/**
 * Opens a server: reads the tables of `device` into `storage` and checks
 * every rule that a table must hold.
 *
 * * `storage`: `size` bytes at a multiple of 8, all zero the first time
 *   (`static`, or cleared), such as `uint64_t[AGENTMOTE_SERVER_WORDS + ...]`.
 *   They belong to the server from here on, until it is opened anew.
 * * `device`: with its tables and texts, must stay as it is as long as the
 *   server.
 * * `context`: given back to every handler; may be NULL.
 * * `server`: gets the server, or NULL on failure.
 * * `problem`: NULL, or gets what is wrong and how much storage is needed; it
 *   is written on success too.
 *
 * `AGENTMOTE_ERROR_STORAGE` if the storage is too small or not aligned,
 * `AGENTMOTE_ERROR_TABLE` if a rule is broken, `AGENTMOTE_ERROR_FEATURE` if
 * the library was built without resources or prompts, `AGENTMOTE_ERROR_BUSY`
 * from inside one of its own handlers.
 *
 * Connections of a server that is opened anew must be opened anew too: they
 * do no more work, and answer `AGENTMOTE_ERROR_NOT_OPEN`.
 *
 * The caller promises:
 * As said for each parameter; no other thread opens the same storage at the
 * same time.
 */
agentmote_status_t agentmote_init(void *storage,
                                  size_t size,
                                  const struct agentmote_device_t *device,
                                  void *context,
                                  struct agentmote_server_t **server,
                                  struct agentmote_problem_t *problem);

/**
 * Gives the server 32 random bytes that nobody can guess, new ones each time
 * the device starts. With them it seals what it gives out and takes back: the
 * state of questions (M-148), and the sessions of HTTP clients of the legacy
 * era (M-184), which it has none of without.
 *
 * `AGENTMOTE_ERROR_FEATURE` if the library was built without `input` and
 * `sessions`, `AGENTMOTE_ERROR_BUSY` from inside a handler.
 *
 * The caller promises:
 * `server` is NULL or a server that `agentmote_init` gave; `key` is NULL or
 * points to 32 bytes.
 */
agentmote_status_t agentmote_set_key(struct agentmote_server_t *server, const uint8_t *key);

/**
 * Ends every subscription of the modern era with its answer (M-140), at the
 * next `agentmote_poll` of each connection, and takes no new one: for a device
 * that goes to sleep.
 *
 * `AGENTMOTE_ERROR_FEATURE` if the library was built without `subscriptions`,
 * `AGENTMOTE_ERROR_BUSY` from inside a handler.
 *
 * The caller promises:
 * `server` is NULL or a server that `agentmote_init` gave.
 */
agentmote_status_t agentmote_end_subscriptions(struct agentmote_server_t *server);

/**
 * Tells whose task this is: the sender of its newest message.
 *
 * This and all functions below are for the handlers of skills:
 * `AGENTMOTE_ERROR_TYPE` for the handle of another handler,
 * `AGENTMOTE_ERROR_NOT_OPEN` for one whose handler has returned,
 * `AGENTMOTE_ERROR_FEATURE` if the library was built without `a2a`. On failure
 * nothing is written.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `asker` is NULL or may be
 * written.
 */
agentmote_status_t agentmote_asker(struct agentmote_call_t *call, struct agentmote_asker_t *asker);

/**
 * Tells the id of the task: 16 bytes, random ones, the same in each step and
 * in no other task. See `agentmote_asker`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `id` is NULL or points to 16
 * bytes that may be written.
 */
agentmote_status_t agentmote_task_id(struct agentmote_call_t *call, uint8_t *id);

/**
 * Tells how many messages the caller has sent: 1 at first, one more after
 * each answer to a question. See `agentmote_asker`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `count` is NULL or may be
 * written.
 */
agentmote_status_t agentmote_message_count(struct agentmote_call_t *call, size_t *count);

/**
 * Gives the part at `place`, from 0, of the caller's newest message; the
 * bytes that it points to are valid until the handler returns.
 * `AGENTMOTE_ABSENT` behind the last one. See `agentmote_asker`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `part` is NULL or may be
 * written.
 */
agentmote_status_t agentmote_get_part(struct agentmote_call_t *call,
                                      size_t place,
                                      struct agentmote_part_t *part);

/**
 * Gives the first text of the caller's newest message with a zero byte behind
 * it, as `agentmote_get_text` gives one; empty if there is none. See
 * `agentmote_asker`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `out` points to `size` bytes that
 * may be written; `length` is NULL or may be written.
 */
agentmote_status_t agentmote_message_text(struct agentmote_call_t *call,
                                          char *out,
                                          size_t size,
                                          size_t *length);

/**
 * Gives the id of the caller's newest message, as `agentmote_get_text` gives a
 * text. See `agentmote_asker`.
 *
 * The caller promises:
 * As for `agentmote_message_text`.
 */
agentmote_status_t agentmote_message_id(struct agentmote_call_t *call,
                                        char *out,
                                        size_t size,
                                        size_t *length);

/**
 * Says how far the work is, as the message of the task's status; what is
 * longer than 160 bytes ends with an ellipsis. Once half of the task's log is
 * used, reports are dropped, so that output finds room.
 *
 * `AGENTMOTE_ERROR_NULL` if the text is NULL or not UTF-8. See
 * `agentmote_asker`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `text` is NULL or ends with a
 * zero byte.
 */
agentmote_status_t agentmote_report(struct agentmote_call_t *call, const char *text);

/**
 * Begins an artifact with the next part that is given: a text, a structured
 * value, a picture, any of those that a tool gives, or `agentmote_part`. The
 * parts after that one are added to it. Without this, the first part begins
 * one without a name. A task that is done must have one (A-157).
 *
 * `name` is NULL for none; it must stay as it is until the part is given. If
 * it is not UTF-8, the task fails and says so. In the handler of another kind
 * this does nothing.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_artifact(struct agentmote_call_t *call, const char *name);

/**
 * Says that the next part is the last of its artifact, for who reads them as
 * they come (A-178).
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
agentmote_answer_t agentmote_last_part(struct agentmote_call_t *call);

/**
 * Gives a part with all that a part can have. Its bytes are copied. If it is
 * NULL, of no kind, or has a text that is not UTF-8 or data that is not JSON,
 * the task fails and says so. Only for skills.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `part` is NULL or points to a
 * part, of which each pointer is NULL or points to as many bytes as it says.
 */
agentmote_answer_t agentmote_part(struct agentmote_call_t *call,
                                  const struct agentmote_part_t *part);

/**
 * Asks the caller, who then has to send a message (A-127), and returns
 * `AGENTMOTE_NEED_INPUT`, so that a handler can end with `return
 * agentmote_ask(call, "Which joint?");`. The handler is called again once he
 * has answered: the answer is then the newest message.
 *
 * A text that is NULL or not UTF-8 makes the task fail and say so; so it is
 * with the functions below. Only for skills.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `question` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_ask(struct agentmote_call_t *call, const char *question);

/**
 * Says what leave is needed, and from where (A-159), and returns
 * `AGENTMOTE_NEED_INPUT`. The handler is called again as if it had answered
 * `AGENTMOTE_PENDING`, and after a message of the caller. See `agentmote_ask`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `what` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_ask_leave(struct agentmote_call_t *call, const char *what);

/**
 * Answers that the task is not accepted, for this reason, in words for the
 * caller, and returns `AGENTMOTE_DONE`. See `agentmote_ask`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `reason` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_reject(struct agentmote_call_t *call, const char *reason);

/**
 * Answers with a word and no task, for what is no work (A-131), and returns
 * `AGENTMOTE_DONE`. Only the first step of a skill with `AGENTMOTE_TALKS` may
 * do so. What is longer than 160 bytes ends with an ellipsis. See
 * `agentmote_ask`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `text` is NULL or ends with a
 * zero byte.
 */
agentmote_answer_t agentmote_say(struct agentmote_call_t *call, const char *text);

/**
 * Gives the boolean at `place`, or its default.
 *
 * All functions `agentmote_get_...` with a place give the parameter at that
 * place of the table, from 0; inside an object (`agentmote_enter`) the member
 * at that place of its table; inside an array the element with that number.
 * They write nothing on failure: `AGENTMOTE_ABSENT` if nothing was given and
 * there is no default, or behind the last element; `AGENTMOTE_ERROR_PLACE`
 * if the table has no such place; `AGENTMOTE_ERROR_TYPE` if it is of another
 * kind; `AGENTMOTE_ERROR_RANGE` if the C type cannot hold it.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `out` is NULL or may be written.
 */
agentmote_status_t agentmote_get_boolean(struct agentmote_call_t *call, size_t place, bool *out);

/**
 * Gives the integer at `place`, or its default; see `agentmote_get_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `out` is NULL or may be written.
 */
agentmote_status_t agentmote_get_integer(struct agentmote_call_t *call, size_t place, int64_t *out);

/**
 * Gives the number or integer at `place`, or its default, as the nearest
 * double; see `agentmote_get_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `out` is NULL or may be written.
 */
agentmote_status_t agentmote_get_number(struct agentmote_call_t *call, size_t place, double *out);

/**
 * Gives the number or integer at `place` in thousandths, rounded to the
 * nearest, a half away from zero: 1.5 is 1500. For cores without an FPU; see
 * `agentmote_get_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `out` is NULL or may be written.
 */
agentmote_status_t agentmote_get_thousandths(struct agentmote_call_t *call,
                                             size_t place,
                                             int32_t *out);

/**
 * Gives the text at `place`, or its default, in UTF-8 with a zero byte behind
 * it. It may hold a zero character: `length` counts its bytes without the one
 * behind it, and may be NULL.
 *
 * `AGENTMOTE_ERROR_SHORT` if `out`, of `size` bytes, is too short: then only
 * `length` is written. `out` may be NULL if `size` is 0, to ask for the
 * length. See `agentmote_get_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `out` points to `size` bytes
 * that may be written; `length` is NULL or may be written.
 */
agentmote_status_t agentmote_get_text(struct agentmote_call_t *call,
                                      size_t place,
                                      char *out,
                                      size_t size,
                                      size_t *length);

/**
 * Gives which of its texts the choice at `place` is, from 0; see
 * `agentmote_get_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `out` is NULL or may be written.
 */
agentmote_status_t agentmote_get_choice(struct agentmote_call_t *call, size_t place, size_t *out);

/**
 * Gives how many elements the array at `place` has; see
 * `agentmote_get_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `out` is NULL or may be written.
 */
agentmote_status_t agentmote_get_count(struct agentmote_call_t *call, size_t place, size_t *out);

/**
 * Enters the object or array at `place`: places are then those inside, until
 * `agentmote_leave`. See `agentmote_get_boolean`.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
agentmote_status_t agentmote_enter(struct agentmote_call_t *call, size_t place);

/**
 * Leaves the object or array that was entered last.
 * `AGENTMOTE_ERROR_PLACE` if none was.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler.
 */
agentmote_status_t agentmote_leave(struct agentmote_call_t *call);

/**
 * Gives the arguments as they were sent, a JSON object, for a tool with
 * `schema`: `json` points to `length` bytes without a zero byte behind them,
 * valid until the handler returns. `AGENTMOTE_ABSENT` if there were none.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `json` and `length` are NULL or
 * may be written.
 */
agentmote_status_t agentmote_get_json(struct agentmote_call_t *call,
                                      const char **json,
                                      size_t *length);

/**
 * Gives a text by its name, as `agentmote_get_text` gives one: in a renderer
 * the argument of the prompt; in a reader what the URI has in the place of
 * `{name}`, percent-encoding not resolved, or the whole URI if `name` is NULL.
 *
 * `AGENTMOTE_ABSENT` if it was not given, `AGENTMOTE_ERROR_TYPE` in the
 * handler of a tool or skill.
 *
 * The caller promises:
 * `call` is NULL or the handle of a handler; `name` is NULL or ends with a
 * zero byte; `out` points to `size` bytes that may be written; `length` is
 * NULL or may be written.
 */
agentmote_status_t agentmote_get_named(struct agentmote_call_t *call,
                                       const char *name,
                                       char *out,
                                       size_t size,
                                       size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AGENTMOTE_H */

/* The version of this header; agentmote_version() tells that of the library. */
#define AGENTMOTE_VERSION_MAJOR 0
#define AGENTMOTE_VERSION_MINOR 1
#define AGENTMOTE_VERSION_PATCH 0
#define AGENTMOTE_VERSION "0.1.0"

/** How many items an array has. */
#define AGENTMOTE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** No bound of an integer. */
#define AGENTMOTE_NO_MIN INT64_MIN
/** No bound of an integer. */
#define AGENTMOTE_NO_MAX INT64_MAX

/** No bound of a number. */
#define AGENTMOTE_LOWEST (-1.7976931348623157e308)
/** No bound of a number. */
#define AGENTMOTE_HIGHEST 1.7976931348623157e308

/* Parameters, for the initialiser of an `agentmote_param_t`. `name` and
 * `description` are texts; `unit` is a text or NULL. Those in ..._OPTIONAL may
 * be absent, in ..._OR absent means the value at the end. Text that NULL stands
 * for is left out. */

/** Every field. */
#define AGENTMOTE_PARAM(name, description, unit, header, kind, presence, count, \
                        choices, members, text, low, high, whole, min, max, real) \
    { (name), (description), (unit), (header), (kind), (presence), (uint16_t)(count), \
      (choices), (members), (text), (low), (high), (whole), (min), (max), (real) }

#define AGENTMOTE_PARAM_BOOLEAN_(name, description, header, presence, value) \
    AGENTMOTE_PARAM(name, description, 0, header, AGENTMOTE_KIND_BOOLEAN, presence, 0, \
                    0, 0, 0, 0, 0, (value) ? 1 : 0, 0, 0, 0)
#define AGENTMOTE_PARAM_INTEGER_(name, description, unit, min, max, header, presence, value) \
    AGENTMOTE_PARAM(name, description, unit, header, AGENTMOTE_KIND_INTEGER, presence, 0, \
                    0, 0, 0, min, max, value, 0, 0, 0)
#define AGENTMOTE_PARAM_NUMBER_(name, description, unit, min, max, presence, value) \
    AGENTMOTE_PARAM(name, description, unit, 0, AGENTMOTE_KIND_NUMBER, presence, 0, \
                    0, 0, 0, 0, 0, 0, min, max, value)
#define AGENTMOTE_PARAM_STRING_(name, description, min, max, header, presence, value) \
    AGENTMOTE_PARAM(name, description, 0, header, AGENTMOTE_KIND_STRING, presence, 0, \
                    0, 0, value, min, max, 0, 0, 0, 0)
#define AGENTMOTE_PARAM_CHOICE_(name, description, choices, header, presence, value) \
    AGENTMOTE_PARAM(name, description, 0, header, AGENTMOTE_KIND_CHOICE, presence, \
                    AGENTMOTE_COUNT(choices), choices, 0, value, 0, 0, 0, 0, 0, 0)
#define AGENTMOTE_PARAM_ARRAY_(name, description, element, min, max, presence) \
    AGENTMOTE_PARAM(name, description, 0, 0, AGENTMOTE_KIND_ARRAY, presence, 0, \
                    0, element, 0, min, max, 0, 0, 0, 0)
#define AGENTMOTE_PARAM_OBJECT_(name, description, members, presence) \
    AGENTMOTE_PARAM(name, description, 0, 0, AGENTMOTE_KIND_OBJECT, presence, \
                    AGENTMOTE_COUNT(members), 0, members, 0, 0, 0, 0, 0, 0, 0)

/** `true` or `false`. */
#define AGENTMOTE_BOOLEAN(name, description) \
    AGENTMOTE_PARAM_BOOLEAN_(name, description, 0, AGENTMOTE_REQUIRED, 0)
#define AGENTMOTE_BOOLEAN_OPTIONAL(name, description) \
    AGENTMOTE_PARAM_BOOLEAN_(name, description, 0, AGENTMOTE_OPTIONAL, 0)
#define AGENTMOTE_BOOLEAN_OR(name, description, value) \
    AGENTMOTE_PARAM_BOOLEAN_(name, description, 0, AGENTMOTE_DEFAULT, value)

/** A whole number within `min` and `max`. */
#define AGENTMOTE_INTEGER(name, description, unit, min, max) \
    AGENTMOTE_PARAM_INTEGER_(name, description, unit, min, max, 0, AGENTMOTE_REQUIRED, 0)
#define AGENTMOTE_INTEGER_OPTIONAL(name, description, unit, min, max) \
    AGENTMOTE_PARAM_INTEGER_(name, description, unit, min, max, 0, AGENTMOTE_OPTIONAL, 0)
#define AGENTMOTE_INTEGER_OR(name, description, unit, min, max, value) \
    AGENTMOTE_PARAM_INTEGER_(name, description, unit, min, max, 0, AGENTMOTE_DEFAULT, value)

/** A number within `min` and `max`. Each is a number of at most 15 digits, or
 *  AGENTMOTE_LOWEST, AGENTMOTE_HIGHEST. */
#define AGENTMOTE_NUMBER(name, description, unit, min, max) \
    AGENTMOTE_PARAM_NUMBER_(name, description, unit, min, max, AGENTMOTE_REQUIRED, 0)
#define AGENTMOTE_NUMBER_OPTIONAL(name, description, unit, min, max) \
    AGENTMOTE_PARAM_NUMBER_(name, description, unit, min, max, AGENTMOTE_OPTIONAL, 0)
#define AGENTMOTE_NUMBER_OR(name, description, unit, min, max, value) \
    AGENTMOTE_PARAM_NUMBER_(name, description, unit, min, max, AGENTMOTE_DEFAULT, value)

/** A text of `min` to `max` characters (Unicode scalar values). */
#define AGENTMOTE_STRING(name, description, min, max) \
    AGENTMOTE_PARAM_STRING_(name, description, min, max, 0, AGENTMOTE_REQUIRED, 0)
#define AGENTMOTE_STRING_OPTIONAL(name, description, min, max) \
    AGENTMOTE_PARAM_STRING_(name, description, min, max, 0, AGENTMOTE_OPTIONAL, 0)
#define AGENTMOTE_STRING_OR(name, description, min, max, value) \
    AGENTMOTE_PARAM_STRING_(name, description, min, max, 0, AGENTMOTE_DEFAULT, value)

/** One of `choices`, a `static const char *const [...]`. */
#define AGENTMOTE_CHOICE(name, description, choices) \
    AGENTMOTE_PARAM_CHOICE_(name, description, choices, 0, AGENTMOTE_REQUIRED, 0)
#define AGENTMOTE_CHOICE_OPTIONAL(name, description, choices) \
    AGENTMOTE_PARAM_CHOICE_(name, description, choices, 0, AGENTMOTE_OPTIONAL, 0)
#define AGENTMOTE_CHOICE_OR(name, description, choices, value) \
    AGENTMOTE_PARAM_CHOICE_(name, description, choices, 0, AGENTMOTE_DEFAULT, value)

/** `min` to `max` values, each as the one `agentmote_param_t` that `element`
 *  points to; of that, the name must be a name and is not used. */
#define AGENTMOTE_ARRAY(name, description, element, min, max) \
    AGENTMOTE_PARAM_ARRAY_(name, description, element, min, max, AGENTMOTE_REQUIRED)
#define AGENTMOTE_ARRAY_OPTIONAL(name, description, element, min, max) \
    AGENTMOTE_PARAM_ARRAY_(name, description, element, min, max, AGENTMOTE_OPTIONAL)

/** An object with these `members`, an array of `agentmote_param_t`. */
#define AGENTMOTE_OBJECT(name, description, members) \
    AGENTMOTE_PARAM_OBJECT_(name, description, members, AGENTMOTE_REQUIRED)
#define AGENTMOTE_OBJECT_OPTIONAL(name, description, members) \
    AGENTMOTE_PARAM_OBJECT_(name, description, members, AGENTMOTE_OPTIONAL)

/* Tools, for the initialiser of an `agentmote_tool_t`. `title` is NULL for
 * none; `params` and `output` are arrays of `agentmote_param_t`; `flags` are
 * AGENTMOTE_READ_ONLY and the like with | between them, or 0. */

/** A tool with parameters. */
#define AGENTMOTE_TOOL(name, title, description, params, run, flags) \
    { (name), (title), (description), (params), 0, 0, (run), \
      (uint16_t)AGENTMOTE_COUNT(params), 0, (flags), 0 }
/** The same, for callers who have these scopes alone. */
#define AGENTMOTE_TOOL_SCOPED(name, title, description, params, run, flags, scopes) \
    { (name), (title), (description), (params), 0, 0, (run), \
      (uint16_t)AGENTMOTE_COUNT(params), 0, (flags), (scopes) }
/** A tool without parameters. */
#define AGENTMOTE_TOOL_PLAIN(name, title, description, run, flags) \
    { (name), (title), (description), 0, 0, 0, (run), 0, 0, (flags), 0 }
/** A tool with parameters and a structured result. */
#define AGENTMOTE_TOOL_GIVES(name, title, description, params, output, run, flags) \
    { (name), (title), (description), (params), (output), 0, (run), \
      (uint16_t)AGENTMOTE_COUNT(params), (uint16_t)AGENTMOTE_COUNT(output), (flags), 0 }
/** A tool without parameters, with a structured result. */
#define AGENTMOTE_TOOL_PLAIN_GIVES(name, title, description, output, run, flags) \
    { (name), (title), (description), 0, (output), 0, (run), \
      0, (uint16_t)AGENTMOTE_COUNT(output), (flags), 0 }
/** A tool with JSON Schema text in the place of parameters. */
#define AGENTMOTE_TOOL_SCHEMA(name, title, description, schema, run, flags) \
    { (name), (title), (description), 0, 0, (schema), (run), 0, 0, (flags), 0 }

/** A resource, or a template if `uri` has parameters in braces, for the
 *  initialiser of an `agentmote_resource_t`. A reading is stale at once. */
#define AGENTMOTE_RESOURCE(uri, name, title, description, mime, read) \
    { (uri), (name), (title), (description), (mime), (read), 0, 0, 0, 0, 0 }
/** The same, with `values` offered for the parameters of its URI: an array of
 *  `agentmote_values_t`. */
#define AGENTMOTE_RESOURCE_COMPLETED(uri, name, title, description, mime, read, values) \
    { (uri), (name), (title), (description), (mime), (read), 0, 0, 0, \
      (values), (uint16_t)AGENTMOTE_COUNT(values) }
/** `values`, an array of texts, for the parameter `name` of a URI. */
#define AGENTMOTE_VALUES(name, values) \
    { (name), (values), (uint16_t)AGENTMOTE_COUNT(values) }
/** A resource to which clients can subscribe: `watch` tells whether it has
 *  changed. */
#define AGENTMOTE_RESOURCE_WATCHED(uri, name, title, description, mime, read, watch) \
    { (uri), (name), (title), (description), (mime), (read), 0, 0, (watch), 0, 0 }

/** An argument of a prompt, for the initialiser of an `agentmote_argument_t`;
 *  `presence` is AGENTMOTE_REQUIRED or AGENTMOTE_OPTIONAL. */
#define AGENTMOTE_ARGUMENT(name, description, presence) \
    { (name), (description), 0, 0, (presence) }
/** The same, with `values` offered for completion. */
#define AGENTMOTE_ARGUMENT_OF(name, description, presence, values) \
    { (name), (description), (values), (uint16_t)AGENTMOTE_COUNT(values), (presence) }

/** A prompt with arguments, for the initialiser of an `agentmote_prompt_t`. */
#define AGENTMOTE_PROMPT(name, title, description, arguments, render) \
    { (name), (title), (description), (arguments), (render), (uint16_t)AGENTMOTE_COUNT(arguments) }
/** A prompt without arguments. */
#define AGENTMOTE_PROMPT_PLAIN(name, title, description, render) \
    { (name), (title), (description), 0, (render), 0 }

/** A form with these `fields`, an array of `agentmote_param_t`, for the
 *  initialiser of an `agentmote_form_t`. */
#define AGENTMOTE_FORM(fields) \
    { (fields), 0, (uint16_t)AGENTMOTE_COUNT(fields) }
/** A form of this JSON Schema text, on one line. */
#define AGENTMOTE_FORM_SCHEMA(schema) \
    { 0, (schema), 0 }

/** A device with tools alone, whose lists a client may keep for an hour. */
#define AGENTMOTE_DEVICE(name, title, version, instructions, tools) \
    AGENTMOTE_DEVICE_OF(name, title, version, instructions, tools, AGENTMOTE_COUNT(tools), \
                        0, 0, 0, 0, 0, 0, 0)
/** A device without tools, beside which there is an agent. */
#define AGENTMOTE_DEVICE_PLAIN(name, title, version, instructions) \
    AGENTMOTE_DEVICE_OF(name, title, version, instructions, 0, 0, 0, 0, 0, 0, 0, 0, 0)
/** A device with tools, resources, prompts and forms: each a table, or 0, and how
 *  many it has; `flags` are AGENTMOTE_LOGS, or 0. */
#define AGENTMOTE_DEVICE_OF(name, title, version, instructions, tools, tool_count, \
                            resources, resource_count, prompts, prompt_count, \
                            forms, form_count, flags) \
    { (name), (title), (version), (instructions), (tools), (tool_count), \
      (resources), (resource_count), (prompts), (prompt_count), (forms), (form_count), \
      0, 3600000, 100, (flags), 0 }

/* Skills, for the initialiser of an `agentmote_skill_t`. `tags`, `examples`,
 * `words` and modes are arrays of texts; `flags` are AGENTMOTE_TALKS and the
 * like with | between them, or 0. */

/** Every field. */
#define AGENTMOTE_SKILL_OF(id, name, description, tags, tag_count, examples, example_count, \
                           words, word_count, input_modes, input_mode_count, \
                           output_modes, output_mode_count, run, tool, flags, scopes) \
    { (id), (name), (description), (tags), (examples), (words), (input_modes), (output_modes), \
      (run), (tool), (uint16_t)(tag_count), (uint16_t)(example_count), (uint16_t)(word_count), \
      (uint16_t)(input_mode_count), (uint16_t)(output_mode_count), (flags), (scopes) }
/** A skill that takes every message that no skill before it takes. */
#define AGENTMOTE_SKILL(id, name, description, tags, run, flags) \
    AGENTMOTE_SKILL_OF(id, name, description, tags, AGENTMOTE_COUNT(tags), 0, 0, 0, 0, 0, 0, 0, 0, \
                       run, 0, flags, 0)
/** A skill for messages with one of these words, with examples of them. */
#define AGENTMOTE_SKILL_FOR(id, name, description, tags, words, examples, run, flags) \
    AGENTMOTE_SKILL_OF(id, name, description, tags, AGENTMOTE_COUNT(tags), \
                       examples, AGENTMOTE_COUNT(examples), words, AGENTMOTE_COUNT(words), 0, 0, \
                       0, 0, run, 0, flags, 0)
/** The same, which gives these media types. */
#define AGENTMOTE_SKILL_GIVES(id, name, description, tags, words, examples, output_modes, run, \
                              flags) \
    AGENTMOTE_SKILL_OF(id, name, description, tags, AGENTMOTE_COUNT(tags), \
                       examples, AGENTMOTE_COUNT(examples), words, AGENTMOTE_COUNT(words), 0, 0, \
                       output_modes, AGENTMOTE_COUNT(output_modes), run, 0, flags, 0)
/** A skill that is the tool of this name, for messages with one of these
 *  words. */
#define AGENTMOTE_SKILL_TOOL(id, name, description, tags, words, examples, tool) \
    AGENTMOTE_SKILL_OF(id, name, description, tags, AGENTMOTE_COUNT(tags), \
                       examples, AGENTMOTE_COUNT(examples), words, AGENTMOTE_COUNT(words), 0, 0, \
                       0, 0, 0, tool, 0, 0)

/* Ways in which a caller shows who he is, for the initialiser of an
 * `agentmote_scheme_t`; `name` is that of the card. */

/** `Authorization: Bearer`. */
#define AGENTMOTE_BEARER(name) { (name), 0, AGENTMOTE_SCHEME_BEARER }
/** A secret in the header of this name. */
#define AGENTMOTE_API_KEY(name, header) { (name), (header), AGENTMOTE_SCHEME_API_KEY }
/** OpenID Connect, described at this URL. */
#define AGENTMOTE_OPEN_ID(name, url) { (name), (url), AGENTMOTE_SCHEME_OPEN_ID }
/** Certificates of TLS on both sides. */
#define AGENTMOTE_MUTUAL_TLS(name) { (name), 0, AGENTMOTE_SCHEME_MUTUAL_TLS }

/** An agent of these skills, an array of `agentmote_skill_t`, for the
 *  initialiser of an `agentmote_agent_t`: at /a2a, strict, with streams, that
 *  waits half a minute for a task and keeps it for ten minutes. `url` is the
 *  absolute one of the endpoint, with a slash at its end. */
#define AGENTMOTE_AGENT(name, description, version, url, skills, random) \
    { (name), (description), (version), (url), 0, 0, 0, 0, 0, 0, 0, \
      (skills), AGENTMOTE_COUNT(skills), 0, 0, 0, 0, (random), 0, 30000, 600000, 3600, 0 }

/** A policy of this realm, whose doors need these scopes: `verify`, `allows` and
 *  `record` are functions, or 0; `scopes` an array of their names, from the
 *  lowest bit on. */
#define AGENTMOTE_POLICY_OF(realm, scopes, mcp_scopes, agent_scopes, verify, allows, record) \
    { (realm), (scopes), 0, 0, 0, (verify), (allows), (record), (mcp_scopes), (agent_scopes), 0, \
      (uint16_t)AGENTMOTE_COUNT(scopes), 0, 0, 0 }

/** Words of storage for a table of so many skills, which have so many tags,
 *  examples, words and modes in all. */
#define AGENTMOTE_SKILL_TABLE_WORDS(skills, texts) \
    ((skills) * AGENTMOTE_SKILL_WORDS + (texts) * AGENTMOTE_CHOICE_WORDS)

/** 1 if `holds`, else an error of the compiler. */
#define AGENTMOTE_HOLDS_(holds) (sizeof(char[(holds) ? 1 : -1]))

/** Defines `name`, an `agentmote_memory_t` with its storage, for a line
 *  connection: lines of at most `rx` bytes and results of at most `result`, both
 *  192 to 65535; `calls` calls of polled tools in flight, each with `kept` bytes
 *  of id, arguments and token. Clients send 300 to 400 bytes around the
 *  arguments of a call. */
#define AGENTMOTE_LINE_MEMORY(name, rx, result, calls, kept) \
    AGENTMOTE_LINE_MEMORY_(name, rx, result, calls, kept, AGENTMOTE_LINE_WORDS, \
                           AGENTMOTE_CALL_WORDS)
/** The same, smaller, for a library built for tools over lines alone. */
#define AGENTMOTE_SMALL_LINE_MEMORY(name, rx, result, calls, kept) \
    AGENTMOTE_LINE_MEMORY_(name, rx, result, calls, kept, AGENTMOTE_SMALL_LINE_WORDS, \
                           AGENTMOTE_SMALL_CALL_WORDS)
#define AGENTMOTE_LINE_MEMORY_(name, rx, result, calls, kept, line_words, call_words) \
    static uint64_t name##_words[AGENTMOTE_HOLDS_((rx) >= 192 && (rx) <= 65535) \
        * AGENTMOTE_HOLDS_((result) >= 192 && (result) <= 65535) \
        * AGENTMOTE_HOLDS_((calls) >= 0 && (calls) <= 255 && (kept) >= 0 && (kept) <= 65535) \
        * ((line_words) + (calls) * (call_words) \
           + ((size_t)(calls) * (kept) + (rx) + (result) + 7) / 8)]; \
    static const agentmote_memory_t name = \
        { name##_words, sizeof name##_words, (rx), (result), (calls), (kept) }

/** Defines `name`, an `agentmote_memory_t` with its storage, for an HTTP
 *  connection: requests of 512 to 65535 bytes, head and body together (clients
 *  send 400 to 700 bytes of head), results of at most `result`, and `names`
 *  hosts and origins in its configuration. */
#define AGENTMOTE_HTTP_MEMORY(name, rx, result, names) \
    static uint64_t name##_words[AGENTMOTE_HOLDS_((rx) >= 512 && (rx) <= 65535) \
        * AGENTMOTE_HOLDS_((result) >= 192 && (result) <= 65535) \
        * AGENTMOTE_HOLDS_((names) >= 0 && (names) <= 255) \
        * (AGENTMOTE_HTTP_WORDS + (names) * AGENTMOTE_CHOICE_WORDS \
           + ((size_t)(rx) + (result) + 7) / 8)]; \
    static const agentmote_memory_t name = \
        { name##_words, sizeof name##_words, (rx), (result), 0, (names) }

/** Defines `name`, an `agentmote_task_memory_t` with its storage, for an agent:
 *  `table_words` words for its tables (AGENTMOTE_SKILL_TABLE_WORDS), `tasks`
 *  tasks at once, 1 to 255, with `log` bytes each for all that they come to, 512
 *  to 65535; `result` bytes for structured artifacts and results of tools, 0 or
 *  192 to 65535. */
#define AGENTMOTE_TASK_MEMORY(name, table_words, tasks, log, result) \
    static uint64_t name##_words[AGENTMOTE_HOLDS_((tasks) >= 1 && (tasks) <= 255) \
        * AGENTMOTE_HOLDS_((log) >= 512 && (log) <= 65535) \
        * AGENTMOTE_HOLDS_((result) == 0 || ((result) >= 192 && (result) <= 65535)) \
        * (AGENTMOTE_AGENT_WORDS + (table_words) + (tasks) * AGENTMOTE_TASK_WORDS \
           + ((size_t)(tasks) * (log) + (result) + 7) / 8)]; \
    static const agentmote_task_memory_t name = \
        { name##_words, sizeof name##_words, (tasks), (log), (result) }
