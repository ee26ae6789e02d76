/* An agent beside a server: every kind of skill, what each can give, and what a
 * program must not do with it. */
#include "talk.h"

AGENTMOTE_HTTP_MEMORY(http_memory, 2048, 512, 0);
AGENTMOTE_HTTP_MEMORY(other_memory, 1024, 256, 0);
AGENTMOTE_LINE_MEMORY(line_memory, 512, 256, 0, 0);
AGENTMOTE_TASK_MEMORY(task_memory, AGENTMOTE_SKILL_TABLE_WORDS(16, 64) + 8 * AGENTMOTE_SCHEME_WORDS
                                       + AGENTMOTE_SIGNATURE_WORDS, 4, 2048, 256);

static uint64_t storage[1024];
static agentmote_server_t *server;
static agentmote_connection_t *http;
static agentmote_connection_t *line;
static agentmote_call_t *kept;
static int keeps;
static agentmote_answer_t keeps_as = AGENTMOTE_DONE;
static int stops;
static int context;
/* The agent, whose finished tasks make room at once. */
static agentmote_agent_t probe;

static void draw(void *given, void *bytes, size_t size)
{
    static uint8_t drawn;
    uint8_t *out = (uint8_t *)bytes;
    size_t i;
    CHECK(given == &context && (size == 8 || size == 32));
    drawn += 1;
    for (i = 0; i < size; i++) {
        out[i] = (uint8_t)(drawn + 7 * i);
    }
}

static agentmote_answer_t keep(void *given, const uint8_t *id, const void *record, size_t size)
{
    CHECK(given == &context && id != NULL && record != NULL && size > 30);
    keeps += 1;
    return keeps_as;
}

static agentmote_answer_t add(void *given, agentmote_call_t *call)
{
    int64_t a = 0;
    int64_t b = 0;
    agentmote_part_t part;
    agentmote_asker_t asker;
    size_t count = 77;
    uint8_t id[16];
    char room[8];
    CHECK(given == &context);
    /* What only skills have. */
    IS(agentmote_get_part(call, 0, &part), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_asker(call, &asker), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_task_id(call, id), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_message_count(call, &count), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_message_text(call, room, sizeof room, &count), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_message_id(call, room, sizeof room, &count), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_report(call, "x"), AGENTMOTE_ERROR_TYPE);
    CHECK(count == 77);
    IS(agentmote_get_integer(call, 0, &a), AGENTMOTE_OK);
    IS(agentmote_get_integer(call, 1, &b), AGENTMOTE_OK);
    agentmote_open_object(call, NULL);
    agentmote_put_integer(call, "sum", a + b);
    return agentmote_close(call);
}

static agentmote_answer_t no_tool(void *given, agentmote_call_t *call)
{
    (void)given;
    return agentmote_ask(call, "What?");
}

static const agentmote_param_t SUM[] = {
    AGENTMOTE_INTEGER("a", NULL, NULL, 0, 99),
    AGENTMOTE_INTEGER("b", NULL, NULL, 0, 99),
};
static const agentmote_param_t OUT[] = {AGENTMOTE_INTEGER("sum", NULL, NULL, 0, 198)};
static const agentmote_tool_t TOOLS[] = {
    AGENTMOTE_TOOL_PLAIN("confused", NULL, "Takes itself for a skill.", no_tool, 0),
    AGENTMOTE_TOOL_GIVES("add", NULL, "Adds.", SUM, OUT, add, 0),
};
static const agentmote_device_t DEVICE = AGENTMOTE_DEVICE("d", NULL, "1", NULL, TOOLS);

/* Gives back what it was given, part by part. */
static agentmote_answer_t echo(void *given, agentmote_call_t *call)
{
    agentmote_part_t part;
    agentmote_asker_t asker = {77, 77, 77};
    char text[64];
    size_t length = 0;
    size_t at;
    CHECK(given == &context);
    IS(agentmote_asker(call, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_asker(NULL, &asker), AGENTMOTE_ERROR_NULL);
    IS(agentmote_asker(call, &asker), AGENTMOTE_OK);
    CHECK(asker.id == 0 && asker.tenant == 0 && asker.scopes == 0);
    IS(agentmote_message_id(call, text, sizeof text, &length), AGENTMOTE_OK);
    CHECK(length == strlen(text) && length > 0);
    IS(agentmote_message_id(call, text, length, &length), AGENTMOTE_ERROR_SHORT);
    IS(agentmote_message_text(call, NULL, 0, &length), AGENTMOTE_ERROR_SHORT);
    agentmote_artifact(call, text);
    for (at = 0; agentmote_get_part(call, at, &part) == AGENTMOTE_OK; at++) {
        agentmote_part(call, &part);
    }
    IS(agentmote_get_part(call, at, &part), AGENTMOTE_ABSENT);
    return AGENTMOTE_DONE;
}

/* Takes its time, and stops when it is told to. */
static agentmote_answer_t slow(void *given, agentmote_call_t *call)
{
    uint8_t id[16];
    static uint8_t first[16];
    CHECK(given == &context);
    IS(agentmote_task_id(call, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_task_id(call, id), AGENTMOTE_OK);
    if (agentmote_is_cancelled(call)) {
        stops += 1;
        agentmote_report(call, "stopped on its way");
        return AGENTMOTE_STOPPED;
    }
    CHECK(agentmote_memo(call) == agentmote_step(call));
    if (agentmote_step(call) == 0) {
        memcpy(first, id, sizeof id);
    }
    CHECK(memcmp(first, id, sizeof id) == 0);
    IS(agentmote_remember(call, agentmote_step(call) + 1), AGENTMOTE_OK);
    IS(agentmote_wake_after(call, 100), AGENTMOTE_OK);
    if (agentmote_step(call) < 3) {
        IS(agentmote_report(call, "on its way"), AGENTMOTE_OK);
        return AGENTMOTE_PENDING;
    }
    CHECK(agentmote_now(call) == 300);
    agentmote_artifact(call, NULL);
    return agentmote_text(call, "there");
}

static agentmote_answer_t stubborn(void *given, agentmote_call_t *call)
{
    (void)given;
    agentmote_wake_after(call, 50);
    return agentmote_is_cancelled(call) ? AGENTMOTE_CANNOT_STOP : AGENTMOTE_PENDING;
}

static agentmote_answer_t asks(void *given, agentmote_call_t *call)
{
    char text[16];
    size_t count = 0;
    (void)given;
    IS(agentmote_message_count(call, &count), AGENTMOTE_OK);
    if (count == 1) {
        return agentmote_ask(call, "Which joint?");
    }
    if (count == 2) {
        return agentmote_ask_leave(call, "The operator must unlock it.");
    }
    IS(agentmote_message_text(call, text, sizeof text, NULL), AGENTMOTE_OK);
    if (strcmp(text, "no") == 0) {
        return agentmote_reject(call, "then not");
    }
    return agentmote_text(call, text);
}

static agentmote_answer_t hello(void *given, agentmote_call_t *call)
{
    (void)given;
    return agentmote_say(call, "hello to you");
}

/* Everything that can be given. */
static agentmote_answer_t gives(void *given, agentmote_call_t *call)
{
    static const char DATA[] = {1, 2, 3};
    (void)given;
    agentmote_artifact(call, "numbers");
    agentmote_open_array(call, NULL);
    agentmote_put_integer(call, NULL, 1);
    agentmote_put_boolean(call, NULL, true);
    agentmote_close(call);
    agentmote_text(call, "more");
    agentmote_last_part(call);
    agentmote_link(call, "https://example.org/", "page", "text/html");
    agentmote_artifact(call, "picture");
    agentmote_image(call, DATA, sizeof DATA, "image/png");
    agentmote_audio(call, DATA, sizeof DATA, "audio/wav");
    agentmote_blob_static(call, NULL, NULL, DATA, sizeof DATA);
    return agentmote_resource_text(call, "x://y", "text/csv", "a,b");
}

/* Each wrong in another way. */
static agentmote_answer_t wrong(void *given, agentmote_call_t *call)
{
    static const char NOT_UTF8[] = {(char)0xFF, 0};
    agentmote_part_t part;
    char text[32];
    int64_t whole = 77;
    bool yes = false;
    (void)given;
    memset(&part, 0, sizeof part);
    IS(agentmote_message_text(call, text, sizeof text, NULL), AGENTMOTE_OK);
    /* What only tools have. */
    IS(agentmote_get_integer(call, 0, &whole), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_get_named(call, "x", text, 0, NULL), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_progress(call, 1, 2), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_confirm(call, "k", "Yes?", &yes), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_log(call, AGENTMOTE_LOG_INFO, "x"), AGENTMOTE_ERROR_TYPE);
    IS(agentmote_report(call, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_report(call, NOT_UTF8), AGENTMOTE_ERROR_NULL);
    CHECK(whole == 77 && !yes && !agentmote_can_ask(call));
    switch (text[0]) {
    case '0':
        return AGENTMOTE_DONE;
    case '1':
        return 99;
    case '2':
        return AGENTMOTE_NEED_INPUT;
    case '3':
        return agentmote_ask(call, NULL);
    case '4':
        return agentmote_open_object(call, NULL);
    case '5':
        agentmote_artifact(call, NOT_UTF8);
        return agentmote_text(call, "x");
    case '6':
        part.kind = 9;
        return agentmote_part(call, &part);
    case '7':
        part.kind = AGENTMOTE_PART_DATA;
        part.content = "{";
        part.size = 1;
        return agentmote_part(call, &part);
    case '8':
        return agentmote_say(call, "no task");
    case '9':
        return agentmote_part(call, NULL);
    case 'a':
        return agentmote_assistant(call);
    case 'b':
        part.kind = AGENTMOTE_PART_RAW;
        part.size = 1;
        return agentmote_part(call, &part);
    case 'c':
        return AGENTMOTE_STOPPED;
    case 'd':
        agentmote_text(call, "given");
        return agentmote_fail(call, "not after all");
    case 'e': {
        int i;
        agentmote_open_array(call, NULL);
        for (i = 0; i < 300; i++) {
            agentmote_put_integer(call, NULL, 1);
        }
        return agentmote_close(call);
    }
    case 'f':
        kept = call;
        return agentmote_text(call, "kept");
    default:
        return AGENTMOTE_MISSING;
    }
}

/* Calls what it was called by. */
static agentmote_answer_t meddle(void *given, agentmote_call_t *call)
{
    uint64_t due = 77;
    bool closed = true;
    (void)given;
    IS(agentmote_agent_open(&task_memory, server, &probe, NULL), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_run_tasks(server, 1, &due), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_set_clock(server, 1, 1), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_is_closed(http, &closed), AGENTMOTE_ERROR_BUSY);
    CHECK(due == 77 && closed);
    return agentmote_text(call, "meddled");
}

static const char *const TAGS[] = {"t"};
static const char *const EXAMPLES[] = {"hello", "hello there"};
static const char *const ANY[] = {"*/*"};
static const char *const HELLO[] = {"hello"};
static const char *const SLOW[] = {"slow"};
static const char *const STUBBORN[] = {"stubborn"};
static const char *const ASK[] = {"ask"};
static const char *const GIVE[] = {"give"};
static const char *const MEDDLE[] = {"meddle"};
static const char *const ADD[] = {"add"};
static const char *const ECHO[] = {"echo"};

static const agentmote_skill_t SKILLS[] = {
    AGENTMOTE_SKILL_FOR("hello", "Hello", "Talks.", TAGS, HELLO, EXAMPLES, hello, AGENTMOTE_TALKS),
    AGENTMOTE_SKILL_FOR("slow", "Slow", "Takes time.", TAGS, SLOW, EXAMPLES, slow, 0),
    AGENTMOTE_SKILL_FOR("stubborn", "Stubborn", "Never stops.", TAGS, STUBBORN, EXAMPLES, stubborn,
                        0),
    AGENTMOTE_SKILL_FOR("ask", "Ask", "Asks.", TAGS, ASK, EXAMPLES, asks, 0),
    AGENTMOTE_SKILL_GIVES("give", "Give", "Gives.", TAGS, GIVE, EXAMPLES, ANY, gives, 0),
    AGENTMOTE_SKILL_FOR("meddle", "Meddle", "Meddles.", TAGS, MEDDLE, EXAMPLES, meddle, 0),
    AGENTMOTE_SKILL_OF("add", "Add", "Adds.", TAGS, 1, 0, 0, ADD, 1, ANY, 1, ANY, 1, 0, "add", 0,
                       0),
    AGENTMOTE_SKILL_OF("echo", "Echo", "Echoes.", TAGS, 1, 0, 0, ECHO, 1, ANY, 1, ANY, 1, echo, 0,
                       AGENTMOTE_HIDDEN, 0),
    AGENTMOTE_SKILL("wrong", "Wrong", "Does wrong.", TAGS, wrong, AGENTMOTE_LISTENS),
};

static const agentmote_scheme_t SCHEMES[] = {
    AGENTMOTE_BEARER("bearer"),
    AGENTMOTE_API_KEY("key", "X-API-KEY"),
    AGENTMOTE_OPEN_ID("oidc", "https://example.org/oidc"),
    AGENTMOTE_MUTUAL_TLS("mtls"),
};
static const agentmote_signature_t SIGNATURES[] = {{"e30", "c2ln"}};

static const agentmote_agent_t AGENT =
    AGENTMOTE_AGENT("probe", "A probe.", "1", "http://127.0.0.1/a2a/", SKILLS, draw);

static int number;

/* Sends a body to the agent over a connection of its own and gives the body of
 * the answer. */
static const char *post(const char *version, const char *body, uint64_t now)
{
    static char text[8192];
    const char *answer;
    bool closed = false;
    snprintf(text, sizeof text,
             "POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s"
             "Content-Length: %d\r\n\r\n%s",
             version, (int)strlen(body), body);
    answer = tell(http, text, now, 4096);
    IS(agentmote_is_closed(http, &closed), AGENTMOTE_OK);
    CHECK(!closed);
    answer = strstr(answer, "\r\n\r\n");
    return answer == NULL ? "" : answer + 4;
}

#define V1 "A2A-Version: 1.0\r\n"

/* Sends a message of these parts; `more` follows it in the params, `of` in the
 * message. */
static const char *message(const char *parts, const char *of, const char *more, uint64_t now)
{
    static char body[4096];
    number += 1;
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{"
             "\"messageId\":\"m-%d\",\"role\":\"ROLE_USER\",\"parts\":[%s]%s}%s}}",
             number, parts, of, more);
    return post(V1, body, now);
}

/* Says a text to the agent. */
static const char *say(const char *text)
{
    char part[128];
    snprintf(part, sizeof part, "{\"text\":\"%s\"}", text);
    return message(part, "", "", 0);
}

#define NOW ",\"configuration\":{\"returnImmediately\":true}"

static void has_(const char *answer, const char *part, const char *file, int line_number)
{
    checks += 1;
    if (strstr(answer, part) == NULL) {
        fprintf(stderr, "%s:%d: no %s in\n%s\n", file, line_number, part, answer);
        exit(1);
    }
}

#define HAS(answer, part) has_((answer), (part), __FILE__, __LINE__)

/* An answer whose task is in this state, for this reason. */
#define ENDS(answer, state, text) \
    HAS(answer, "\"status\":{\"state\":\"TASK_STATE_" state \
                "\",\"message\":{\"messageId\":"); \
    HAS(last, "\"parts\":[{\"text\":\"" text "\"}]")

static const char *last;
static const char *said(const char *answer)
{
    last = answer;
    return answer;
}

/* The member `taskId` of a message that goes on with the task of an answer. */
static const char *of_task(const char *answer)
{
    static char member[64];
    const char *id = strstr(answer, "\"task\":{\"id\":\"");
    CHECK(id != NULL);
    snprintf(member, sizeof member, ",\"taskId\":\"%.32s\"", id + strlen("\"task\":{\"id\":\""));
    return member;
}

static void what_skills_do(void)
{
    char of[64];
    char body[256];
    uint64_t due = 0;
    HAS(say("hello"), "\"result\":{\"message\":{");
    HAS(said(say("hello")), "\"parts\":[{\"text\":\"hello to you\"}]");

    said(message("{\"text\":\"echo\",\"metadata\":{\"a\":1}},{\"data\":[1,{\"x\":null}],"
                 "\"mediaType\":\"application/json\",\"filename\":\"f.json\"},"
                 "{\"raw\":\"AQID\"},{\"url\":\"https://example.org/\"}",
                 "", "", 0));
    HAS(last, "\"state\":\"TASK_STATE_COMPLETED\"");
    HAS(last, "\"name\":\"m-3\",\"parts\":[{\"text\":\"echo\",\"metadata\":{\"a\":1}},"
              "{\"data\":[1,{\"x\":null}],\"mediaType\":\"application/json\","
              "\"filename\":\"f.json\"},{\"raw\":\"AQID\"},"
              "{\"url\":\"https://example.org/\"}]");

    /* Steps of a task, and its clock. */
    IS(agentmote_set_clock(server, 1800000000000U, 0), AGENTMOTE_OK);
    said(message("{\"text\":\"slow\"}", "", NOW, 0));
    HAS(last, "\"state\":\"TASK_STATE_SUBMITTED\"");
    HAS(last, "\"timestamp\":\"2027-01-15T08:00:00.000Z\"");
    IS(agentmote_run_tasks(server, 0, &due), AGENTMOTE_OK);
    CHECK(due == 100);
    IS(agentmote_run_tasks(server, 100, &due), AGENTMOTE_OK);
    IS(agentmote_run_tasks(server, 200, &due), AGENTMOTE_OK);
    CHECK(due == 300);
    IS(agentmote_run_tasks(server, 300, &due), AGENTMOTE_ABSENT);
    CHECK(due == 300);

    /* Stopped. */
    said(message("{\"text\":\"slow\"}", "", NOW, 1000));
    strcpy(of, of_task(last) + strlen(",\"taskId\":"));
    IS(agentmote_run_tasks(server, 1001, &due), AGENTMOTE_OK);
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"CancelTask\",\"params\":{\"id\":%s}}", of);
    ENDS(said(post(V1, body, 1002)), "CANCELED", "stopped on its way");
    CHECK(stops == 1);
    /* The wire of 0.3. */
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/get\",\"params\":{\"id\":%s}}", of);
    HAS(post("", body, 1002), "\"status\":{\"state\":\"canceled\"");
    said(message("{\"text\":\"stubborn\"}", "", NOW, 2000));
    strcpy(of, of_task(last) + strlen(",\"taskId\":"));
    IS(agentmote_run_tasks(server, 2001, &due), AGENTMOTE_OK);
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"CancelTask\",\"params\":{\"id\":%s}}", of);
    HAS(post(V1, body, 2002), "\"code\":-32002");

    /* Asks, wants leave, goes on. */
    ENDS(said(say("ask")), "INPUT_REQUIRED", "Which joint?");
    strcpy(of, of_task(last));
    ENDS(said(message("{\"text\":\"2\"}", of, "", 0)), "AUTH_REQUIRED",
         "The operator must unlock it.");
    said(message("{\"text\":\"5\"}", of, "", 0));
    HAS(last, "\"state\":\"TASK_STATE_COMPLETED\"");
    HAS(last, "\"parts\":[{\"text\":\"5\"}]");
    said(say("ask"));
    strcpy(of, of_task(last));
    message("{\"text\":\"2\"}", of, "", 0);
    ENDS(said(message("{\"text\":\"no\"}", of, "", 0)), "REJECTED", "then not");
}

static void what_they_give(void)
{
    said(say("give"));
    HAS(last, "\"name\":\"numbers\",\"parts\":[{\"data\":[1,true]},{\"text\":\"more\"},"
              "{\"url\":\"https://example.org/\",\"mediaType\":\"text/html\","
              "\"filename\":\"page\"}]");
    HAS(last, "\"name\":\"picture\",\"parts\":[{\"raw\":\"AQID\",\"mediaType\":\"image/png\"},"
              "{\"raw\":\"AQID\",\"mediaType\":\"audio/wav\"},{\"raw\":\"AQID\"},"
              "{\"text\":\"a,b\",\"mediaType\":\"text/csv\"}]");
    said(message("{\"text\":\"add\"},{\"data\":{\"a\":40,\"b\":2}}", "", "", 0));
    HAS(last, "\"name\":\"add\",\"parts\":[");
    HAS(last, "{\"data\":{\"sum\":42},\"mediaType\":\"application/json\"}");
    ENDS(said(message("{\"text\":\"add\"},{\"data\":{\"a\":100,\"b\":2}}", "", "", 0)), "REJECTED",
         "a: 100 is above the maximum 99");
    HAS(say("meddle"), "\"parts\":[{\"text\":\"meddled\"}]");
}

static void what_is_wrong(void)
{
    char room[16];
    size_t count = 77;
    agentmote_part_t part;
    ENDS(said(say("0")), "FAILED", "the work ended without an output");
    ENDS(said(say("1")), "FAILED", "the handler gave an answer that a skill has not");
    ENDS(said(say("2")), "FAILED", "the handler gave an answer that a skill has not");
    ENDS(said(say("3")), "FAILED", "the handler gave a text that is NULL or not UTF-8");
    ENDS(said(say("4")), "FAILED", "an object or array of the result was not closed");
    ENDS(said(say("5")), "FAILED", "the handler gave a name that is not UTF-8");
    ENDS(said(say("6")), "FAILED", "the handler gave a part that is none");
    ENDS(said(say("7")), "FAILED", "the output is not JSON");
    ENDS(said(say("8")), "FAILED", "the work ended in a word, not in an output");
    ENDS(said(say("9")), "FAILED", "the handler gave a part that is none");
    ENDS(said(say("a")), "FAILED", "the handler gave a part that has no place in this answer");
    ENDS(said(say("b")), "FAILED", "the handler gave a part that is none");
    ENDS(said(say("c")), "FAILED", "the work was stopped");
    ENDS(said(say("d")), "FAILED", "not after all");
    ENDS(said(say("e")), "FAILED", "the output needs 601 bytes, a task has room for 256");
    ENDS(said(say("x")), "FAILED", "the handler gave an answer that a skill has not");
    HAS(say("f"), "\"parts\":[{\"text\":\"kept\"}]");
    IS(agentmote_get_part(kept, 0, &part), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_message_text(kept, room, sizeof room, &count), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_message_count(kept, &count), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_report(kept, "x"), AGENTMOTE_ERROR_NOT_OPEN);
    CHECK(count == 77);
    CHECK(agentmote_ask(kept, "x") == AGENTMOTE_NEED_INPUT);
    CHECK(agentmote_say(NULL, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_artifact(NULL, "x") == AGENTMOTE_DONE);
    /* A tool that takes itself for a skill. */
    tell(line, INITIALIZE, 0, 4096);
    SAYS(text_of(tell(line, request("confused", "{}"), 0, 4096)),
         "the handler gave a part that has no place in this answer");
}

/* The card is what the tables say. */
static void card(void)
{
    const char *answer = tell(http, "GET /.well-known/agent-card.json HTTP/1.1\r\n"
                                    "Host: localhost\r\n\r\n", 0, 4096);
    HAS(answer, "{\"name\":\"probe\",\"description\":\"A probe.\",\"version\":\"1\","
                "\"supportedInterfaces\":[{\"url\":\"http://127.0.0.1/a2a/\","
                "\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"},");
    HAS(answer, "{\"id\":\"hello\",\"name\":\"Hello\",\"description\":\"Talks.\",\"tags\":[\"t\"],"
                "\"examples\":[\"hello\",\"hello there\"],\"inputModes\":[\"text/plain\"],"
                "\"outputModes\":[\"text/plain\"]}");
    HAS(answer, "{\"id\":\"add\",\"name\":\"Add\",\"description\":\"Adds.\",\"tags\":[\"t\"],"
                "\"inputModes\":[\"*/*\"],\"outputModes\":[\"*/*\"]}");
    CHECK(strstr(answer, "\"id\":\"echo\"") == NULL);
}

static void refuse(const agentmote_agent_t *agent, const char *text)
{
    agentmote_problem_t problem;
    IS(agentmote_agent_open(&task_memory, server, agent, &problem), AGENTMOTE_ERROR_TABLE);
    SAYS(problem.text, text);
}

/* Tables that break a rule, each told in words; and what a whole one says. */
static void tables(void)
{
    static const char *const NOT_UTF8[] = {"\xFF"};
    static agentmote_skill_t skills[AGENTMOTE_COUNT(SKILLS)];
    static agentmote_scheme_t schemes[AGENTMOTE_COUNT(SCHEMES)];
    agentmote_agent_t agent = probe;
    agentmote_task_memory_t memory = task_memory;
    agentmote_problem_t problem;
    const char *answer;
    memcpy(skills, SKILLS, sizeof skills);
    memcpy(schemes, SCHEMES, sizeof schemes);
    agent.skills = skills;
    IS(agentmote_agent_open(NULL, server, &agent, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_agent_open(&memory, NULL, &agent, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_agent_open(&memory, server, NULL, NULL), AGENTMOTE_ERROR_NULL);
    memory.start = NULL;
    IS(agentmote_agent_open(&memory, server, &agent, NULL), AGENTMOTE_ERROR_NULL);
    memory = task_memory;
    memory.start = (char *)memory.start + 4;
    memory.size -= 8;
    IS(agentmote_agent_open(&memory, server, &agent, NULL), AGENTMOTE_ERROR_STORAGE);
    memory = task_memory;
    memory.tasks = 0;
    IS(agentmote_agent_open(&memory, server, &agent, NULL), AGENTMOTE_ERROR_STORAGE);
    memory.tasks = 256;
    IS(agentmote_agent_open(&memory, server, &agent, NULL), AGENTMOTE_ERROR_STORAGE);
    memory = task_memory;
    memory.log = 511;
    IS(agentmote_agent_open(&memory, server, &agent, NULL), AGENTMOTE_ERROR_STORAGE);
    memory = task_memory;
    memory.result = 191;
    IS(agentmote_agent_open(&memory, server, &agent, NULL), AGENTMOTE_ERROR_STORAGE);
    memory = task_memory;
    memory.size = 64;
    IS(agentmote_agent_open(&memory, server, &agent, &problem), AGENTMOTE_ERROR_STORAGE);
    CHECK(problem.needed > 64 && problem.needed <= sizeof task_memory_words);
    memory.size = problem.needed;
    IS(agentmote_agent_open(&memory, server, &agent, &problem), AGENTMOTE_OK);
    SAYS(problem.text, "");

    agent.random = NULL;
    refuse(&agent, "the agent has no source of random bytes");
    agent.random = draw;
    agent.flags = 128;
    refuse(&agent, "the agent has a flag that there is none of");
    agent.flags = 0;
    agent.url = NULL;
    refuse(&agent, "a name is NULL");
    agent.url = probe.url;
    agent.skills = NULL;
    refuse(&agent, "a list is NULL");
    agent.skills = skills;
    agent.skill_count = 0;
    refuse(&agent, "a card needs a public skill");
    agent.skill_count = AGENTMOTE_COUNT(skills);
    skills[1].id = "hello";
    refuse(&agent, "hello: two skills have the same id");
    skills[1] = SKILLS[1];
    skills[1].tag_count = 0;
    refuse(&agent, "slow: a skill has no tag");
    skills[1] = SKILLS[1];
    skills[1].tags = NOT_UTF8;
    refuse(&agent, "slow: a text of the table is not UTF-8");
    skills[1] = SKILLS[1];
    skills[1].words = NULL;
    refuse(&agent, "slow: a list is NULL");
    skills[1] = SKILLS[1];
    skills[1].run = NULL;
    refuse(&agent, "slow: a skill has a handler, or is a tool");
    skills[1].tool = "nope";
    refuse(&agent, "slow: the skill is a tool that the device has not");
    skills[1] = SKILLS[1];
    skills[1].tool = "add";
    refuse(&agent, "slow: a skill has a handler, or is a tool");
    skills[1] = SKILLS[1];
    skills[1].flags = 8;
    refuse(&agent, "slow: a skill has a flag that there is none of");
    skills[1] = SKILLS[1];
    agent.schemes = schemes;
    agent.scheme_count = AGENTMOTE_COUNT(schemes);
    schemes[1].kind = 9;
    refuse(&agent, "a scheme is of a kind that there is none of");
    schemes[1] = SCHEMES[1];
    schemes[1].text = NULL;
    refuse(&agent, "a name is NULL");
    schemes[1] = SCHEMES[1];

    /* All of it. */
    agent.path = "/agent";
    agent.tenant = "lab";
    agent.organization = "Works";
    agent.organization_url = "https://example.org/";
    agent.documentation_url = "https://example.org/doc";
    agent.icon_url = "https://example.org/icon";
    agent.last_modified = "Fri, 15 Jan 2027 08:00:00 GMT";
    agent.signatures = SIGNATURES;
    agent.signature_count = 1;
    agent.max_age_s = 60;
    agent.flags = AGENTMOTE_NO_STREAMING | AGENTMOTE_EXTENDED_CARD | AGENTMOTE_MERGED_CARD;
    IS(agentmote_agent_open(&task_memory, server, &agent, &problem), AGENTMOTE_OK);
    IS(agentmote_http_open(&http_memory, server, NULL, &http), AGENTMOTE_OK);
    answer = tell(http, "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 0,
                  4096);
    HAS(answer, "\"tenant\":\"lab\"");
    HAS(answer, "\"streaming\":false");
    HAS(answer, "\"extendedAgentCard\":true");
    HAS(answer, "\"preferredTransport\":\"JSONRPC\"");
    HAS(answer, "\"provider\":{\"organization\":\"Works\",\"url\":\"https://example.org/\"}");
    HAS(answer, "\"documentationUrl\":\"https://example.org/doc\"");
    HAS(answer, "\"iconUrl\":\"https://example.org/icon\"");
    HAS(answer, "\"oidc\":{\"openIdConnectSecurityScheme\":{\"openIdConnectUrl\":"
                "\"https://example.org/oidc\"}");
    HAS(answer, "\"key\":{\"apiKeySecurityScheme\":{\"location\":\"header\",\"name\":\"X-API-KEY\"}");
    HAS(answer, "\"signatures\":[{\"protected\":\"e30\",\"signature\":\"c2ln\"}]");
    HAS(answer, "Cache-Control: public, max-age=60\r\nLast-Modified: Fri, 15 Jan 2027 08:00:00 GMT");
}

static void order(void)
{
    uint64_t due = 77;
    bool closed = true;
    char room[64];
    size_t filled = 77;
    agentmote_server_t *none = (agentmote_server_t *)(void *)storage;
    agentmote_connection_t *before = NULL;
    IS(agentmote_agent_open(&task_memory, none, &AGENT, NULL), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_run_tasks(none, 0, &due), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_init(storage, sizeof storage, &DEVICE, &context, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_run_tasks(NULL, 0, &due), AGENTMOTE_ERROR_NULL);
    IS(agentmote_run_tasks(server, 0, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_set_clock(NULL, 0, 0), AGENTMOTE_ERROR_NULL);
    /* No agent yet. */
    IS(agentmote_run_tasks(server, 0, &due), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_set_clock(server, 0, 0), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_http_open(&other_memory, server, NULL, &before), AGENTMOTE_OK);
    HAS(tell(before, "POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 0, 64),
        "HTTP/1.1 404");
    IS(agentmote_agent_open(&task_memory, server, &probe, NULL), AGENTMOTE_OK);
    /* A connection of before is of no use. */
    IS(agentmote_poll(before, 0, room, sizeof room, &filled), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_is_closed(before, &closed), AGENTMOTE_OK);
    CHECK(filled == 0 && due == 77 && !closed);
}

/* Nothing begins that the journal has not. */
static void journal(void)
{
    agentmote_agent_t agent = probe;
    uint64_t due = 0;
    agent.keep = keep;
    agent.wait_ms = 5;
    IS(agentmote_agent_open(&task_memory, server, &agent, NULL), AGENTMOTE_OK);
    IS(agentmote_http_open(&http_memory, server, NULL, &http), AGENTMOTE_OK);
    HAS(say("f"), "\"state\":\"TASK_STATE_COMPLETED\"");
    CHECK(keeps == 1);
    keeps_as = AGENTMOTE_PENDING;
    SAYS(message("{\"text\":\"f\"}", "", "", 0), "");
    CHECK(keeps > 1);
    IS(agentmote_wake(http, &due), AGENTMOTE_OK);
    keeps_as = 99;
    has_(tell(http, "", 10, 4096), "the task cannot be kept by this device", __FILE__, __LINE__);
}

int main(void)
{
    probe = AGENT;
    probe.retention_ms = 0;
    order();
    IS(agentmote_http_open(&http_memory, server, NULL, &http), AGENTMOTE_OK);
    IS(agentmote_line_open(&line_memory, server, &line), AGENTMOTE_OK);
    card();
    what_skills_do();
    IS(agentmote_agent_open(&task_memory, server, &probe, NULL), AGENTMOTE_OK);
    IS(agentmote_http_open(&http_memory, server, NULL, &http), AGENTMOTE_OK);
    IS(agentmote_line_open(&line_memory, server, &line), AGENTMOTE_OK);
    what_they_give();
    what_is_wrong();
    journal();
    tables();
    printf("agent: %d checks\n", checks);
    return 0;
}
