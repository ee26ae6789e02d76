/* The version of this header; agentmote_version() tells that of the library. */
#define AGENTMOTE_VERSION_MAJOR @MAJOR@
#define AGENTMOTE_VERSION_MINOR @MINOR@
#define AGENTMOTE_VERSION_PATCH @PATCH@
#define AGENTMOTE_VERSION "@MAJOR@.@MINOR@.@PATCH@"

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
