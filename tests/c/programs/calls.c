/* What handlers read and give, and what comes out of it, to the byte. */
#include "talk.h"

AGENTMOTE_LINE_MEMORY(memory, 2048, 1024, 2, 256);
AGENTMOTE_HTTP_MEMORY(http_memory, 2048, 1024, 2);

static char seen[1024];
static int64_t unused;

static const char *const COLOURS[] = {"red", "gr\xC3\xBCn"};

enum { FLAG, WHOLE, WIDE, REAL, TEXT, COLOUR, LIST, POINT, NEST, SOFT };

static const agentmote_param_t COORDINATES[] = {
    AGENTMOTE_INTEGER("x", "X.", NULL, 0, 9),
    AGENTMOTE_INTEGER_OR("y", "Y.", NULL, 0, 9, 4),
    AGENTMOTE_STRING_OPTIONAL("s", "S.", 0, 4),
};
static const agentmote_param_t NUMBER = AGENTMOTE_NUMBER("n", NULL, NULL, -10, 10);
static const agentmote_param_t POINT_OF_LIST = AGENTMOTE_OBJECT("p", NULL, COORDINATES);
static const agentmote_param_t NESTED[] = {
    AGENTMOTE_ARRAY("points", "Points.", &POINT_OF_LIST, 0, 3),
};

static const agentmote_param_t PARAMS[] = {
    AGENTMOTE_BOOLEAN_OR("flag", "A flag.", true),
    AGENTMOTE_INTEGER_OR("whole", "A whole number.", "mm", -5, 5, 3),
    AGENTMOTE_INTEGER_OPTIONAL("wide", "Any.", NULL, 0, AGENTMOTE_NO_MAX),
    AGENTMOTE_NUMBER_OR("real", "A number.", NULL, -1.5, 1.5, 0.5),
    AGENTMOTE_STRING_OR("text", "A text.", 0, 8, "none"),
    AGENTMOTE_CHOICE_OR("colour", "One of two.", COLOURS, "red"),
    AGENTMOTE_ARRAY_OPTIONAL("list", "Numbers.", &NUMBER, 1, 3),
    AGENTMOTE_OBJECT_OPTIONAL("point", "A point.", COORDINATES),
    AGENTMOTE_OBJECT_OPTIONAL("nest", "Deeper.", NESTED),
    AGENTMOTE_NUMBER_OPTIONAL("soft", "Any number.", NULL, AGENTMOTE_LOWEST, AGENTMOTE_HIGHEST),
};

static void note(const char *format, long value)
{
    size_t length = strlen(seen);
    snprintf(seen + length, sizeof seen - length, format, value);
}

static agentmote_answer_t every(void *context, agentmote_call_t *call)
{
    bool flag = false;
    int64_t whole = 0;
    double real = 0;
    int32_t fixed = 0;
    char text[40];
    size_t length = 99;
    size_t at = 99;
    size_t i;
    (void)context;
    seen[0] = 0;

    IS(agentmote_get_boolean(call, FLAG, &flag), AGENTMOTE_OK);
    note("flag %ld", flag);
    IS(agentmote_get_integer(call, WHOLE, &whole), AGENTMOTE_OK);
    note(" whole %ld", (long)whole);
    IS(agentmote_get_number(call, WHOLE, &real), AGENTMOTE_OK);
    CHECK(real == (double)whole);
    IS(agentmote_get_thousandths(call, WHOLE, &fixed), AGENTMOTE_OK);
    CHECK(fixed == whole * 1000);
    IS(agentmote_get_number(call, REAL, &real), AGENTMOTE_OK);
    IS(agentmote_get_thousandths(call, REAL, &fixed), AGENTMOTE_OK);
    note(" real %ld", (long)(real * 1000));
    note(" fixed %ld", fixed);
    switch (agentmote_get_integer(call, WIDE, &whole)) {
    case AGENTMOTE_OK: note(" wide %ld", (long)(whole / 1000000)); break;
    case AGENTMOTE_ERROR_RANGE: note(" wide%ld", 64); break;
    default: note(" none%ld", 0); break;
    }
    IS(agentmote_get_text(call, TEXT, NULL, 0, &length), AGENTMOTE_ERROR_SHORT);
    memset(text, 'x', sizeof text);
    IS(agentmote_get_text(call, TEXT, text, length, &at), AGENTMOTE_ERROR_SHORT);
    CHECK(at == length && text[0] == 'x');
    IS(agentmote_get_text(call, TEXT, text, length + 1, &at), AGENTMOTE_OK);
    CHECK(at == length && text[length] == 0 && text[length + 1] == 'x');
    note(" bytes %ld", (long)length);
    for (i = 0; i < length; i++) {
        note(" %02lx", (long)(unsigned char)text[i]);
    }
    IS(agentmote_get_choice(call, COLOUR, &at), AGENTMOTE_OK);
    note(" colour %ld", (long)at);
    IS(agentmote_get_text(call, COLOUR, text, sizeof text, NULL), AGENTMOTE_OK);
    SAYS(text, COLOURS[at]);

    if (agentmote_get_count(call, LIST, &at) == AGENTMOTE_OK) {
        note(" list %ld", (long)at);
        IS(agentmote_enter(call, LIST), AGENTMOTE_OK);
        for (i = 0; agentmote_get_thousandths(call, i, &fixed) == AGENTMOTE_OK; i++) {
            note(" %ld", fixed);
        }
        CHECK(i == at);
        IS(agentmote_get_number(call, i, &real), AGENTMOTE_ABSENT);
        IS(agentmote_get_boolean(call, 0, &flag), AGENTMOTE_ERROR_TYPE);
        IS(agentmote_leave(call), AGENTMOTE_OK);
    } else {
        IS(agentmote_enter(call, LIST), AGENTMOTE_ABSENT);
    }
    if (agentmote_enter(call, POINT) == AGENTMOTE_OK) {
        IS(agentmote_get_integer(call, 0, &whole), AGENTMOTE_OK);
        note(" x %ld", (long)whole);
        IS(agentmote_get_integer(call, 1, &whole), AGENTMOTE_OK);
        note(" y %ld", (long)whole);
        IS(agentmote_get_integer(call, 3, &whole), AGENTMOTE_ERROR_PLACE);
        IS(agentmote_leave(call), AGENTMOTE_OK);
    }
    if (agentmote_enter(call, NEST) == AGENTMOTE_OK) {
        IS(agentmote_enter(call, 0), AGENTMOTE_OK);
        for (i = 0; agentmote_enter(call, i) == AGENTMOTE_OK; i++) {
            IS(agentmote_get_integer(call, 0, &whole), AGENTMOTE_OK);
            note(" [%ld", (long)whole);
            if (agentmote_get_text(call, 2, text, sizeof text, &length) == AGENTMOTE_OK) {
                note(" s%ld", (long)length);
            }
            note("]%ld", (long)i);
            IS(agentmote_leave(call), AGENTMOTE_OK);
        }
        IS(agentmote_leave(call), AGENTMOTE_OK);
        IS(agentmote_leave(call), AGENTMOTE_OK);
    }
    IS(agentmote_leave(call), AGENTMOTE_ERROR_PLACE);

    /* Nothing is written where nothing is found. */
    whole = 77;
    IS(agentmote_get_integer(call, 10, &whole), AGENTMOTE_ERROR_PLACE);
    IS(agentmote_get_integer(call, (size_t)-1, &whole), AGENTMOTE_ERROR_PLACE);
    IS(agentmote_get_integer(call, FLAG, &whole), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_get_integer(call, REAL, &whole), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_get_integer(call, WHOLE, NULL), AGENTMOTE_ERROR_NULL);
    CHECK(whole == 77);
    at = 77;
    IS(agentmote_get_choice(call, TEXT, &at), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_get_count(call, TEXT, &at), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_get_boolean(call, WHOLE, &flag), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_get_text(call, WHOLE, text, sizeof text, &at), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_get_text(call, TEXT, NULL, 100, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_named(call, "text", text, sizeof text, &at), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_enter(call, TEXT), AGENTMOTE_ERROR_TYPE);
    CHECK(at == 77);
    return AGENTMOTE_DONE;
}

static agentmote_answer_t raw(void *context, agentmote_call_t *call)
{
    const char *json = NULL;
    size_t length = 0;
    (void)context;
    switch (agentmote_get_json(call, &json, &length)) {
    case AGENTMOTE_OK: return agentmote_text_of(call, json, length);
    case AGENTMOTE_ABSENT: return agentmote_text(call, "no arguments");
    default: return agentmote_fail(call, "no handle");
    }
}

/* Gives what its argument asks for. */
static const agentmote_param_t WAYS[] = {AGENTMOTE_INTEGER("way", "Which.", NULL, 0, 99)};
static const unsigned char BLOB[] = {0, 1, 2, 250};

static agentmote_answer_t gives(void *context, agentmote_call_t *call)
{
    int64_t way = -1;
    int i;
    (void)context;
    IS(agentmote_get_integer(call, 0, &way), AGENTMOTE_OK);
    switch (way) {
    case 0: return AGENTMOTE_DONE;
    case 1: return agentmote_text(call, "a \"text\"\n");
    case 2: return agentmote_text(call, NULL);
    case 3: return agentmote_text(call, "\xC3");
    case 4: agentmote_text(call, "dropped"); return agentmote_fail(call, "broken");
    case 5: return agentmote_fail(call, NULL);
    case 6: return AGENTMOTE_PENDING;
    case 7: return AGENTMOTE_MISSING;
    case 8: return 77;
    case 9:
        agentmote_open_object(call, NULL);
        agentmote_put_boolean(call, "b", true);
        agentmote_put_integer(call, "i", INT64_MIN);
        agentmote_put_double(call, "d", 0.1);
        agentmote_put_float(call, "f", 0.1F);
        agentmote_put_text(call, "t", "\"\\");
        agentmote_put_null(call, "n\n");
        agentmote_open_array(call, "a");
        agentmote_open_array(call, NULL);
        agentmote_close(call);
        agentmote_put_integer(call, NULL, 1);
        agentmote_open_object(call, NULL);
        agentmote_close(call);
        agentmote_close(call);
        return agentmote_close(call);
    case 10: agentmote_open_object(call, NULL); return AGENTMOTE_DONE;
    case 11: return agentmote_close(call);
    case 12: agentmote_open_object(call, NULL); return agentmote_put_integer(call, NULL, 1);
    case 13: agentmote_open_array(call, NULL); return agentmote_put_integer(call, "x", 1);
    case 14: return agentmote_put_integer(call, NULL, 1);
    case 15: agentmote_open_array(call, NULL); return agentmote_text(call, "x");
    case 16:
        agentmote_open_array(call, NULL);
        agentmote_put_double(call, NULL, 1e308 * 10);
        return agentmote_close(call);
    case 17:
        for (i = 0; i < 40; i++) {
            agentmote_open_array(call, NULL);
        }
        for (i = 0; i < 40; i++) {
            agentmote_close(call);
        }
        return AGENTMOTE_DONE;
    case 18:
        for (i = 0; i < 200; i++) {
            agentmote_text(call, "12345678901234567890");
        }
        return AGENTMOTE_DONE;
    case 19:
        agentmote_open_array(call, NULL);
        for (i = 0; i < 2000; i++) {
            agentmote_put_integer(call, NULL, 7);
        }
        return agentmote_close(call);
    case 20: return agentmote_image(call, BLOB, sizeof BLOB, "image/png");
    case 21: return agentmote_image_static(call, BLOB, sizeof BLOB, "image/png");
    case 22: return agentmote_audio(call, BLOB, sizeof BLOB, "audio/wav");
    case 23: return agentmote_link(call, "d://x", "x", NULL);
    case 24: return agentmote_resource_text(call, "d://x", "text/plain", "hello");
    case 25: return agentmote_blob(call, "d://x", NULL, BLOB, sizeof BLOB);
    case 26: return agentmote_blob_static(call, "d://x", NULL, BLOB, sizeof BLOB);
    case 27: return agentmote_image(call, NULL, 4, "image/png");
    case 28: return agentmote_image(call, BLOB, sizeof BLOB, NULL);
    case 29: return agentmote_assistant(call);
    case 30: return agentmote_link(call, NULL, "x", NULL);
    case 31: return agentmote_text_of(call, "a\0b", 3);
    case 32: return agentmote_open_object(call, "\xFF");
    default: return agentmote_text(call, "?");
    }
}

static const agentmote_param_t SHAPE[] = {AGENTMOTE_INTEGER("n", "N.", NULL, 0, 5)};

static agentmote_answer_t shaped(void *context, agentmote_call_t *call)
{
    int64_t way = -1;
    (void)context;
    IS(agentmote_get_integer(call, 0, &way), AGENTMOTE_OK);
    if (way == 99) {
        return AGENTMOTE_DONE;
    }
    agentmote_open_object(call, NULL);
    agentmote_put_integer(call, "n", way);
    return agentmote_close(call);
}

static int steps;
static int cancelled;
static agentmote_call_t *kept;

static agentmote_answer_t slow(void *context, agentmote_call_t *call)
{
    (void)context;
    kept = call;
    if (agentmote_is_cancelled(call)) {
        cancelled += 1;
        CHECK(agentmote_memo(call) == 41);
        return AGENTMOTE_PENDING;
    }
    steps += 1;
    if (agentmote_step(call) == 0) {
        CHECK(agentmote_memo(call) == 0);
        IS(agentmote_remember(call, 41), AGENTMOTE_OK);
    }
    IS(agentmote_progress(call, agentmote_step(call) + 1, 3), AGENTMOTE_OK);
    IS(agentmote_wake_after(call, 100), AGENTMOTE_OK);
    if (agentmote_step(call) < 2) {
        return AGENTMOTE_PENDING;
    }
    CHECK(agentmote_now(call) >= 200);
    return agentmote_text(call, "at last");
}

/* Asks before it does anything. */
enum { FORM_SPEED };

static const agentmote_param_t SPEED_FORM[] = {
    AGENTMOTE_INTEGER("speed", "How fast.", "percent", 1, 100),
    AGENTMOTE_BOOLEAN_OR("quiet", "Whether to be quiet.", true),
};
static const agentmote_form_t FORMS[] = {AGENTMOTE_FORM(SPEED_FORM)};

static int launched;

static agentmote_answer_t launch(void *context, agentmote_call_t *call)
{
    bool yes = false;
    int32_t action = 77;
    int64_t speed = 0;
    bool quiet = false;
    char text[64];
    (void)context;
    if (!agentmote_can_ask(call)) {
        return agentmote_fail(call, "nobody to ask");
    }
    IS(agentmote_elicit(call, "x", "X", 1, &action), AGENTMOTE_ERROR_PLACE);
    IS(agentmote_elicit(call, NULL, "X", 0, &action), AGENTMOTE_ERROR_NULL);
    IS(agentmote_confirm(call, "x", "X", NULL), AGENTMOTE_ERROR_NULL);
    if (agentmote_memo(call) == 0) {
        if (agentmote_confirm(call, "sure", "Really launch?", &yes) != AGENTMOTE_OK) {
            return AGENTMOTE_NEED_INPUT;
        }
        if (!yes) {
            return agentmote_fail(call, "called off");
        }
        IS(agentmote_remember(call, 1), AGENTMOTE_OK);
    }
    if (agentmote_elicit(call, "speed", "How fast?", FORM_SPEED, &action) != AGENTMOTE_OK) {
        /* The same as AGENTMOTE_NEED_INPUT: a question is open. */
        return AGENTMOTE_DONE;
    }
    if (action != AGENTMOTE_ACCEPTED) {
        return agentmote_fail(call, action == AGENTMOTE_DECLINED ? "declined" : "cancelled");
    }
    IS(agentmote_get_integer(call, 0, &speed), AGENTMOTE_OK);
    IS(agentmote_get_boolean(call, 1, &quiet), AGENTMOTE_OK);
    IS(agentmote_leave(call), AGENTMOTE_OK);
    launched += 1;
    snprintf(text, sizeof text, "launched at %d, quiet %d", (int)speed, quiet);
    return agentmote_text(call, text);
}

static agentmote_answer_t joint(void *context, agentmote_call_t *call)
{
    char text[8];
    size_t length = 0;
    (void)context;
    IS(agentmote_get_named(call, "no", text, sizeof text, &length), AGENTMOTE_ABSENT);
    IS(agentmote_get_named(call, NULL, text, sizeof text, &length), AGENTMOTE_ERROR_SHORT);
    CHECK(length == strlen("d://joint/7"));
    IS(agentmote_get_named(call, "joint", text, sizeof text, &length), AGENTMOTE_OK);
    CHECK(length == 1);
    IS(agentmote_progress(call, 1, 1), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_leave(call), AGENTMOTE_ERROR_PLACE);
    IS(agentmote_get_integer(call, 0, &unused), AGENTMOTE_ERROR_TYPE);
    switch (text[0]) {
    case '7': return agentmote_text(call, text);
    case '8': return agentmote_blob(call, NULL, NULL, BLOB, sizeof BLOB);
    case '6': return agentmote_image(call, BLOB, sizeof BLOB, "image/png");
    case '5': return AGENTMOTE_DONE;
    case '4': return AGENTMOTE_PENDING;
    default: return AGENTMOTE_MISSING;
    }
}

static uint32_t level;

static agentmote_answer_t read_level(void *context, agentmote_call_t *call)
{
    (void)context;
    agentmote_open_object(call, NULL);
    agentmote_put_integer(call, "level", level);
    return agentmote_close(call);
}

static uint32_t watch_level(const void *context, uint64_t now_ms)
{
    (void)context;
    (void)now_ms;
    return level;
}

static agentmote_answer_t logs(void *context, agentmote_call_t *call)
{
    (void)context;
    IS(agentmote_log(call, 8, "x"), AGENTMOTE_ERROR_RANGE);
    IS(agentmote_log(call, AGENTMOTE_LOG_INFO, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_log(call, AGENTMOTE_LOG_DEBUG, "not wanted"), AGENTMOTE_OK);
    IS(agentmote_log(call, AGENTMOTE_LOG_WARNING, "low \"oil\""), AGENTMOTE_OK);
    agentmote_open_object(call, NULL);
    IS(agentmote_log(call, AGENTMOTE_LOG_ERROR, "inside"), AGENTMOTE_ERROR_PLACE);
    return agentmote_close(call);
}

static agentmote_answer_t ask(void *context, agentmote_call_t *call)
{
    char who[16];
    (void)context;
    IS(agentmote_get_named(call, NULL, who, sizeof who, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_named(call, "why", who, sizeof who, NULL), AGENTMOTE_ABSENT);
    IS(agentmote_get_named(call, "who", who, sizeof who, NULL), AGENTMOTE_OK);
    if (strcmp(who, "nobody") == 0) {
        return agentmote_fail(call, "there is nobody");
    }
    agentmote_text(call, who);
    agentmote_assistant(call);
    return agentmote_image_static(call, BLOB, sizeof BLOB, "image/png");
}

static const agentmote_tool_t TOOLS[] = {
    AGENTMOTE_TOOL("every", "Every type", "Takes every type.", PARAMS, every, 0),
    AGENTMOTE_TOOL_SCHEMA("raw", NULL, "Checks for itself.", "{\"type\":\"object\"}", raw, 0),
    AGENTMOTE_TOOL("gives", NULL, "Gives.", WAYS, gives, 0),
    AGENTMOTE_TOOL_GIVES("shaped", NULL, "Gives a number.", WAYS, SHAPE, shaped, 0),
    AGENTMOTE_TOOL_PLAIN("slow", NULL, "Takes its time.", slow, AGENTMOTE_POLLED),
    AGENTMOTE_TOOL_SCOPED("secret", NULL, "Gives to some.", WAYS, gives, 0, 5),
    AGENTMOTE_TOOL_PLAIN("logs", NULL, "Logs.", logs, 0),
    AGENTMOTE_TOOL_PLAIN("launch", NULL, "Asks first.", launch,
                         AGENTMOTE_ACTUATES | AGENTMOTE_ASKS),
};
static const agentmote_resource_t RESOURCES[] = {
    AGENTMOTE_RESOURCE_WATCHED("d://level", "level", NULL, NULL, NULL, read_level, watch_level),
    AGENTMOTE_RESOURCE("d://joint/{joint}", "joint", NULL, NULL, "text/plain", joint),
};
static const char *const WHOM[] = {"Ann", "Anton"};
static const agentmote_argument_t ARGUMENTS[] = {
    AGENTMOTE_ARGUMENT_OF("who", "Whom.", AGENTMOTE_REQUIRED, WHOM),
    AGENTMOTE_ARGUMENT("why", NULL, AGENTMOTE_OPTIONAL),
};
static const agentmote_prompt_t PROMPTS[] = {
    AGENTMOTE_PROMPT("ask", "Ask", "Asks somebody.", ARGUMENTS, ask),
};
static const agentmote_device_t DEVICE =
    AGENTMOTE_DEVICE_OF("d", NULL, "1", NULL, TOOLS, AGENTMOTE_COUNT(TOOLS), RESOURCES,
                        AGENTMOTE_COUNT(RESOURCES), PROMPTS, AGENTMOTE_COUNT(PROMPTS), FORMS,
                        AGENTMOTE_COUNT(FORMS), AGENTMOTE_LOGS);

static uint64_t storage[2048];
static agentmote_connection_t *line;

static const char *call(const char *tool, const char *arguments)
{
    return text_of(tell(line, request(tool, arguments), 0, 4096));
}

static const char *way(int number)
{
    char arguments[32];
    snprintf(arguments, sizeof arguments, "{\"way\":%d}", number);
    return tell(line, request("gives", arguments), 0, 4096);
}

static void arguments(void)
{
    SAYS(call("every", "{}"), "done");
    SAYS(seen, "flag 1 whole 3 real 500 fixed 500 none0 bytes 4 6e 6f 6e 65 colour 0");
    SAYS(call("every",
              "{\"flag\":false,\"whole\":-5,\"wide\":9223372036854775807,\"real\":-1.2345,"
              "\"text\":\"\\u00fc\\u0000\\ud83d\\ude00\",\"colour\":\"gr\\u00fcn\","
              "\"list\":[1,2.0005,-3e0],\"point\":{\"y\":2,\"x\":1},\"soft\":1e300}"),
         "done");
    SAYS(seen, "flag 0 whole -5 real -1234 fixed -1235 wide 9223372036854 bytes 7 c3 bc 00 f0 9f "
               "98 80 colour 1 list 3 1000 2001 -3000 x 1 y 2");
    SAYS(call("every", "{\"wide\":18446744073709551615,\"point\":{\"x\":0},"
                       "\"nest\":{\"points\":[{\"x\":5},{\"x\":6,\"s\":\"ab\"}]}}"),
         "done");
    SAYS(seen, "flag 1 whole 3 real 500 fixed 500 wide64 bytes 4 6e 6f 6e 65 colour 0 x 0 y 4 "
               "[5]0 [6 s2]1");
    SAYS(call("every", "{\"nest\":{\"points\":[{\"x\":5},{\"x\":10}]},\"whole\":6,\"nope\":1}"),
         "nest.points[1].x: 10 is above the maximum 9; whole: 6 is above the maximum 5; nope: "
         "unknown parameter");
    SAYS(call("raw", "{\"a\":[1, 2]}"), "{\\\"a\\\":[1, 2]}");
    SAYS(text_of(tell(line,
                      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                      "\"name\":\"raw\"}}\n",
                      0, 4096)),
         "no arguments");
}

#define RESULT(inside) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" inside "}}\n"
#define TEXT_BLOCK(text) "\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]"
#define FAILED(text) RESULT(TEXT_BLOCK(text) ",\"isError\":true")

static void results(void)
{
    SAYS(way(0), RESULT(TEXT_BLOCK("done")));
    SAYS(way(1), RESULT(TEXT_BLOCK("a \\\"text\\\"\\n")));
    SAYS(way(2), FAILED("the handler gave a text that is NULL or not UTF-8"));
    SAYS(way(3), FAILED("the handler gave a text that is NULL or not UTF-8"));
    SAYS(way(4), FAILED("broken"));
    SAYS(way(5), FAILED("the handler gave a text that is NULL or not UTF-8"));
    SAYS(way(6), FAILED("this tool answered \\\"not yet\\\", but is not declared to do so"));
    SAYS(way(7), FAILED("the handler gave an answer that a tool has not"));
    SAYS(way(8), FAILED("the handler gave an answer that a tool has not"));
    SAYS(way(9),
         RESULT(TEXT_BLOCK("{\\\"b\\\":true,\\\"i\\\":-9223372036854775808,\\\"d\\\":0.1,"
                           "\\\"f\\\":0.1,\\\"t\\\":\\\"\\\\\\\"\\\\\\\\\\\",\\\"n\\\\n\\\":null,"
                           "\\\"a\\\":[[],1,{}]}") ",\"structuredContent\":{\"b\":true,"
                "\"i\":-9223372036854775808,\"d\":0.1,\"f\":0.1,\"t\":\"\\\"\\\\\",\"n\\n\":null,"
                "\"a\":[[],1,{}]}"));
    SAYS(way(10), FAILED("an object or array of the result was not closed"));
    SAYS(way(11), FAILED("the handler closed an object or array that is not open"));
    SAYS(way(12), FAILED("the handler gave a name that is NULL or not UTF-8"));
    SAYS(way(13), FAILED("the handler named an element of an array"));
    SAYS(way(14), FAILED("the handler gave a value outside of an object or array"));
    SAYS(way(15), FAILED("the handler gave a part before it closed an object or array"));
    SAYS(way(16), FAILED("the result holds a value that is not a finite number"));
    SAYS(way(17), FAILED("the handler nests objects and arrays too deep"));
    SAYS(way(18), FAILED("gives: the result needs 4600 bytes, this device has room for 1024"));
    SAYS(way(19), FAILED("gives: the result needs 4004 bytes, this device has room for 1024"));
    SAYS(way(20), RESULT("\"content\":[{\"type\":\"image\",\"data\":\"AAEC+g==\","
                         "\"mimeType\":\"image/png\"}]"));
    SAYS(way(21), RESULT("\"content\":[{\"type\":\"image\",\"data\":\"AAEC+g==\","
                         "\"mimeType\":\"image/png\"}]"));
    SAYS(way(22), RESULT("\"content\":[{\"type\":\"audio\",\"data\":\"AAEC+g==\","
                         "\"mimeType\":\"audio/wav\"}]"));
    SAYS(way(23), RESULT("\"content\":[{\"type\":\"resource_link\",\"uri\":\"d://x\","
                         "\"name\":\"x\"}]"));
    SAYS(way(24), RESULT("\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"d://x\","
                         "\"mimeType\":\"text/plain\",\"text\":\"hello\"}}]"));
    SAYS(way(25), RESULT("\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"d://x\","
                         "\"blob\":\"AAEC+g==\"}}]"));
    SAYS(way(26), RESULT("\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"d://x\","
                         "\"blob\":\"AAEC+g==\"}}]"));
    SAYS(way(27), FAILED("the handler gave data or a media type that is NULL"));
    SAYS(way(28), FAILED("the handler gave data or a media type that is NULL"));
    SAYS(way(29), FAILED("the handler gave a part that has no place in this answer"));
    SAYS(way(30), FAILED("the handler gave a text that is NULL or not UTF-8"));
    SAYS(way(31), RESULT(TEXT_BLOCK("a\\u0000b")));
    SAYS(way(32), FAILED("the handler gave a name that is NULL or not UTF-8"));
    SAYS(tell(line, request("shaped", "{\"way\":5}"), 0, 4096),
         RESULT(TEXT_BLOCK("{\\\"n\\\":5}") ",\"structuredContent\":{\"n\":5}"));
    SAYS(tell(line, request("shaped", "{\"way\":6}"), 0, 4096),
         FAILED("shaped: the result breaks its own schema: n: 6 is above the maximum 5"));
    SAYS(tell(line, request("shaped", "{\"way\":99}"), 0, 4096),
         FAILED("shaped: no structured result"));
}

static void in_flight(void)
{
    static const char SLOW[] =
        "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"slow\",\"_meta\":{\"progressToken\":7}}}\n";
#define PROGRESS(done)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":" \
    "7,\"progress\":" done ",\"total\":3}}\n"
    uint64_t at = 77;
    IS(agentmote_wake(line, &at), AGENTMOTE_ABSENT);
    CHECK(at == 77);
    SAYS(tell(line, SLOW, 0, 4096), PROGRESS("1"));
    IS(agentmote_wake(line, &at), AGENTMOTE_OK);
    CHECK(at == 100);
    SAYS(tell(line, "", 99, 4096), "");
    SAYS(tell(line, "", 100, 4096), PROGRESS("2"));
    SAYS(way(1), RESULT(TEXT_BLOCK("a \\\"text\\\"\\n")));
    /* A byte at a time, and nothing runs twice. */
    CHECK(steps == 2);
    SAYS(tell(line, "", 200, 1),
         "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
         "\"at last\"}]}}\n");
    CHECK(steps == 3);
    IS(agentmote_wake(line, &at), AGENTMOTE_ABSENT);

    SAYS(tell(line, SLOW, 300, 4096), PROGRESS("1"));
    SAYS(tell(line,
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":\"s\"}}\n",
              310, 4096),
         "");
    CHECK(cancelled == 1 && steps == 4);
    SAYS(tell(line, SLOW, 320, 4096), PROGRESS("1"));
    IS(agentmote_hang_up(line, 330), AGENTMOTE_OK);
    CHECK(cancelled == 2);

    /* The handle of a handler that has returned is of no use. */
    CHECK(kept != NULL);
    IS(agentmote_progress(kept, 1, 2), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_get_integer(kept, 0, &unused), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_enter(kept, 0), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_leave(kept), AGENTMOTE_ERROR_NOT_OPEN);
    CHECK(agentmote_now(kept) == 0 && agentmote_memo(kept) == 0);
    agentmote_text(kept, "too late");
    agentmote_open_object(kept, NULL);
    agentmote_fail(kept, "too late");
    SAYS(tell(line, INITIALIZE, 340, 4096),
         "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\","
         "\"capabilities\":{\"tools\":{},\"resources\":{\"subscribe\":true},\"prompts\":{},\"completions\":{},\"logging\":{}},"
         "\"serverInfo\":{\"name\":\"d\",\"version\":\"1\"}}}\n");
    SAYS(way(1), RESULT(TEXT_BLOCK("a \\\"text\\\"\\n")));
}

static const char *ask_line(const char *method, const char *params)
{
    static char text[512];
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}\n", method, params);
    return tell(line, text, 0, 4096);
}

static void offered(void)
{
    SAYS(ask_line("resources/read", "{\"uri\":\"d://joint/7\"}"),
         RESULT("\"contents\":[{\"uri\":\"d://joint/7\",\"mimeType\":\"text/plain\",\"text\":"
                "\"7\"}]"));
    SAYS(ask_line("resources/read", "{\"uri\":\"d://joint/8\"}"),
         RESULT("\"contents\":[{\"uri\":\"d://joint/8\",\"mimeType\":\"text/plain\",\"blob\":"
                "\"AAEC+g==\"}]"));
    CHECK(strstr(ask_line("resources/read", "{\"uri\":\"d://joint/6\"}"),
                 "the handler gave a part that has no place in this answer")
          != NULL);
    CHECK(strstr(ask_line("resources/read", "{\"uri\":\"d://joint/5\"}"),
                 "the reader gave nothing")
          != NULL);
    CHECK(strstr(ask_line("resources/read", "{\"uri\":\"d://joint/4\"}"),
                 "the reader gave an answer that a resource has not")
          != NULL);
    CHECK(strstr(ask_line("resources/read", "{\"uri\":\"d://joint/3\"}"),
                 "\"error\":{\"code\":-32002")
          != NULL);
    SAYS(ask_line("prompts/get", "{\"name\":\"ask\",\"arguments\":{\"who\":\"Ann\"}}"),
         RESULT("\"description\":\"Asks somebody.\",\"messages\":[{\"role\":\"user\",\"content\":{"
                "\"type\":\"text\",\"text\":\"Ann\"}},{\"role\":\"assistant\",\"content\":{"
                "\"type\":\"image\",\"data\":\"AAEC+g==\",\"mimeType\":\"image/png\"}}]"));
    CHECK(strstr(ask_line("prompts/get", "{\"name\":\"ask\",\"arguments\":{\"who\":\"nobody\"}}"),
                 "there is nobody")
          != NULL);
    SAYS(ask_line("completion/complete",
                  "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"ask\"},\"argument\":{\"name\":"
                  "\"who\",\"value\":\"Ant\"}}"),
         RESULT("\"completion\":{\"values\":[\"Anton\"],\"total\":1,\"hasMore\":false}"));
}

static void http(agentmote_server_t *server)
{
    static const char PING[] =
        "POST /arm HTTP/1.1\r\nHost: arm.example\r\nContent-Length: 40\r\n\r\n"
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    static const char *const HOSTS[] = {"arm.example"};
    static const char *const BAD[] = {NULL};
    /* Of `other` by nobody, and of `secret`. */
    static const agentmote_credential_t CREDENTIALS[] = {
        {{0}, 1, 1},
        {{0x2b, 0xb8, 0x0d, 0x53, 0x7b, 0x1d, 0xa3, 0xe3, 0x8b, 0xd3, 0x03,
          0x61, 0xaa, 0x85, 0x56, 0x86, 0xbd, 0xe0, 0xea, 0xcd, 0x71, 0x62,
          0xfe, 0xf6, 0xa2, 0x5f, 0xe9, 0x7b, 0xf5, 0x27, 0xa2, 0x5b},
         7,
         UINT32_MAX},
    };
    agentmote_http_t config = {"/arm", HOSTS, NULL, NULL, 1, 0, 0, 0, 0};
    agentmote_connection_t *connection = NULL;
    bool closed = true;
    IS(agentmote_http_open(&http_memory, server, &config, &connection), AGENTMOTE_OK);
    SAYS(tell(connection, PING, 0, 4096),
         "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n"
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    IS(agentmote_is_closed(connection, &closed), AGENTMOTE_OK);
    CHECK(!closed);
    IS(agentmote_hang_up(connection, 0), AGENTMOTE_OK);
    IS(agentmote_is_closed(connection, &closed), AGENTMOTE_OK);
    CHECK(closed);
    /* This machine alone. */
    IS(agentmote_http_open(&http_memory, server, NULL, &connection), AGENTMOTE_OK);
    CHECK(strncmp(tell(connection, PING, 0, 4096), "HTTP/1.1 403 ", 13) == 0);
    config.credentials = CREDENTIALS;
    IS(agentmote_http_open(&http_memory, server, &config, &connection), AGENTMOTE_ERROR_TABLE);
    config.credential_count = 2;
    IS(agentmote_http_open(&http_memory, server, &config, &connection), AGENTMOTE_OK);
    CHECK(strncmp(tell(connection, PING, 0, 4096), "HTTP/1.1 401 ", 13) == 0);
    CHECK(strncmp(tell(connection, "POST /arm HTTP/1.1\r\nHost: arm.example\r\nAuthorization: Bearer "
                                   "secret\r\nContent-Length: 40\r\n\r\n"
                                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                       0, 4096),
                  "HTTP/1.1 200 ", 13)
          == 0);
    CHECK(strncmp(tell(connection, "POST /arm HTTP/1.1\r\nHost: arm.example\r\nAuthorization: Bearer "
                                   "Secret\r\nContent-Length: 40\r\n\r\n"
                                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                       0, 4096),
                  "HTTP/1.1 401 ", 13)
          == 0);
    config.credentials = NULL;
    config.host_count = 3;
    IS(agentmote_http_open(&http_memory, server, &config, &connection), AGENTMOTE_ERROR_STORAGE);
    CHECK(connection == NULL);
    config.host_count = 1;
    config.hosts = BAD;
    IS(agentmote_http_open(&http_memory, server, &config, &connection), AGENTMOTE_ERROR_TABLE);
    config.hosts = NULL;
    config.any_host = 1;
    config.path = NULL;
    IS(agentmote_http_open(&http_memory, server, &config, &connection), AGENTMOTE_OK);
    CHECK(strncmp(tell(connection, PING, 0, 4096), "HTTP/1.1 404 ", 13) == 0);
}

/* For who lacks a scope, there is no such tool. */
static void scoped(void)
{
    IS(agentmote_set_caller(NULL, 1, 1), AGENTMOTE_ERROR_NULL);
    CHECK(strstr(ask_line("tools/list", "{}"), "\"name\":\"secret\"") != NULL);
    SAYS(call("secret", "{\"way\":1}"), "a \\\"text\\\"\\n");
    IS(agentmote_set_caller(line, 1, 2), AGENTMOTE_OK);
    CHECK(strstr(ask_line("tools/list", "{}"), "\"name\":\"secret\"") == NULL);
    CHECK(strstr(call("secret", "{\"way\":1}"), "\"error\":{\"code\":-32602") != NULL);
    IS(agentmote_set_caller(line, 0, UINT32_MAX), AGENTMOTE_OK);
}

static void told(agentmote_server_t *server)
{
    uint64_t due = 0;
    SAYS(ask_line("resources/read", "{\"uri\":\"d://level\"}"),
         RESULT("\"contents\":[{\"uri\":\"d://level\",\"text\":\"{\\\"level\\\":0}\"}]"));
    SAYS(ask_line("resources/subscribe", "{\"uri\":\"d://level\"}"), RESULT(""));
    tell(line, "", 1000, 4096);
    IS(agentmote_wake(line, &due), AGENTMOTE_OK);
    SAYS(tell(line, "", due, 4096), "");
    level = 5;
    IS(agentmote_wake(line, &due), AGENTMOTE_OK);
    SAYS(tell(line, "", due, 4096),
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":"
         "\"d://level\"}}\n");
    SAYS(ask_line("resources/unsubscribe", "{\"uri\":\"d://level\"}"), RESULT(""));

    SAYS(ask_line("logging/setLevel", "{\"level\":\"warning\"}"), RESULT(""));
    SAYS(tell(line, request("logs", "{}"), due, 4096),
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"warning\","
         "\"data\":\"low \\\"oil\\\"\"}}\n" RESULT(
             TEXT_BLOCK("{}") ",\"structuredContent\":{}"));
    IS(agentmote_end_subscriptions(NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_end_subscriptions(server), AGENTMOTE_OK);
}

/* The answer of the client to the question that stands in `asked`. */
static const char *answer(const char *asked, const char *result)
{
    static char text[512];
    const char *id = strstr(asked, "\"id\":");
    const char *end;
    CHECK(id != NULL);
    id += 5;
    end = strchr(id, ',');
    CHECK(end != NULL);
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}\n", (int)(end - id),
             id, result);
    return tell(line, text, 0, 4096);
}

static void asked(agentmote_server_t *server)
{
    static const uint8_t KEY[32] = {1, 2, 3};
    static const char ABLE[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{\"name\":\"t\","
        "\"version\":\"0\"}}}\n";
    static const char LAUNCH[] =
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"launch\","
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}}}\n";
    char question[2048];
    IS(agentmote_set_key(NULL, KEY), AGENTMOTE_ERROR_NULL);
    IS(agentmote_set_key(server, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_set_key(server, KEY), AGENTMOTE_OK);
    SAYS(call("launch", "{}"), "nobody to ask");
    IS(agentmote_hang_up(line, 0), AGENTMOTE_OK);
    tell(line, ABLE, 0, 4096);
    snprintf(question, sizeof question, "%s", tell(line, request("launch", "{}"), 0, 4096));
    CHECK(strstr(question, "\"method\":\"elicitation/create\"") != NULL);
    CHECK(strstr(question, "Really launch?") != NULL && launched == 0);
    snprintf(question, sizeof question, "%s",
             answer(question, "{\"action\":\"accept\",\"content\":{\"confirm\":true}}"));
    CHECK(strstr(question, "How fast?") != NULL && strstr(question, "\"maximum\":100") != NULL);
    SAYS(text_of(answer(question, "{\"action\":\"accept\",\"content\":{\"speed\":42}}")),
         "launched at 42, quiet 1");
    CHECK(launched == 1);
    snprintf(question, sizeof question, "%s", tell(line, request("launch", "{}"), 0, 4096));
    SAYS(text_of(answer(question, "{\"action\":\"decline\"}")), "called off");
    CHECK(launched == 1);
    /* In the newest revision the question is the answer. */
    CHECK(strstr(tell(line, LAUNCH, 0, 4096), "\"resultType\":\"input_required\"") != NULL);
    CHECK(launched == 1);
    IS(agentmote_hang_up(line, 0), AGENTMOTE_OK);
    tell(line, INITIALIZE, 0, 4096);
}

int main(void)
{
    agentmote_server_t *server = NULL;
    agentmote_problem_t problem;
    agentmote_status_t status =
        agentmote_init(storage, sizeof storage, &DEVICE, NULL, &server, &problem);
    SAYS(problem.text, "");
    IS(status, AGENTMOTE_OK);
    IS(agentmote_line_open(&memory, server, &line), AGENTMOTE_OK);
    tell(line, INITIALIZE, 0, 7);
    arguments();
    results();
    in_flight();
    offered();
    scoped();
    told(server);
    asked(server);
    http(server);
    SAYS(agentmote_version(), AGENTMOTE_VERSION);
    printf("calls: %d checks\n", checks);
    return 0;
}
