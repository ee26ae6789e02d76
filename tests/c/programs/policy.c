/* A policy in front of a server and its agent: who is let in, what is there
 * for whom, and what is written down. */
#include "talk.h"

AGENTMOTE_HTTP_MEMORY(http_memory, 2048, 512, 0);
AGENTMOTE_LINE_MEMORY(line_memory, 512, 256, 0, 0);
AGENTMOTE_TASK_MEMORY(task_memory, AGENTMOTE_SKILL_TABLE_WORDS(2, 8), 4, 1024, 0);

static uint64_t storage[1024];
static uint64_t policy_storage[AGENTMOTE_POLICY_WORDS + 8 * AGENTMOTE_CHOICE_WORDS];
static agentmote_server_t *server;
static agentmote_connection_t *http;
static agentmote_connection_t *line;
static int runs;
static int context;

/* The last events, and how many there were. */
typedef struct note {
    agentmote_event_t event;
    char authority[32];
    char subject[32];
} note_t;
static note_t notes[64];
static int noted;

static void record(void *given, const agentmote_event_t *event)
{
    note_t *note = &notes[noted % 64];
    CHECK(given == &context);
    note->event = *event;
    CHECK(event->authority_size < sizeof note->authority);
    CHECK(event->request.subject_size < sizeof note->subject);
    memset(note->authority, 0, sizeof note->authority);
    memset(note->subject, 0, sizeof note->subject);
    if (event->authority != NULL) {
        memcpy(note->authority, event->authority, event->authority_size);
    }
    if (event->request.subject != NULL) {
        memcpy(note->subject, event->request.subject, event->request.subject_size);
    }
    noted += 1;
}

#define one(before) one_((before), __LINE__)

/* The one event since `before`. */
static const note_t *one_(int before, int line_number)
{
    if (noted != before + 1) {
        fprintf(stderr, "line %d: %d events, the last of outcome %d\n", line_number, noted - before,
                notes[(noted + 63) % 64].event.outcome);
    }
    CHECK(noted == before + 1);
    return &notes[before % 64];
}

static bool verify(void *given, uint8_t kind, const char *secret, size_t length, uint64_t now_ms,
                   agentmote_asker_t *asker, const char **name)
{
    CHECK(given == &context && now_ms < 100000);
    if (kind != AGENTMOTE_SECRET_BEARER || length != 6 || memcmp(secret, "signed", 6) != 0) {
        return false;
    }
    asker->id = 99;
    asker->tenant = 9;
    asker->scopes = 7;
    *name = "issuer";
    return true;
}

static bool allows(const void *given, const agentmote_asker_t *asker,
                   const agentmote_request_t *request)
{
    CHECK(given == &context);
    return !(asker->id == 2 && request->on == AGENTMOTE_ON_TOOL && request->subject_size == 4
             && memcmp(request->subject, "move", 4) == 0);
}

static agentmote_answer_t run(void *given, agentmote_call_t *call)
{
    CHECK(given == &context);
    IS(agentmote_token_revoke(server, "ann"), AGENTMOTE_ERROR_BUSY);
    runs += 1;
    return agentmote_text(call, "ran");
}

static agentmote_answer_t work(void *given, agentmote_call_t *call)
{
    agentmote_asker_t asker;
    char text[64];
    CHECK(given == &context);
    IS(agentmote_asker(call, &asker), AGENTMOTE_OK);
    snprintf(text, sizeof text, "for %d of %d, %d", (int)asker.id, (int)asker.tenant,
             (int)asker.scopes);
    return agentmote_text(call, text);
}

static void draw(void *given, void *bytes, size_t size)
{
    static uint8_t drawn;
    uint8_t *out = (uint8_t *)bytes;
    size_t i;
    (void)given;
    drawn += 1;
    for (i = 0; i < size; i++) {
        out[i] = (uint8_t)(drawn * 31 + i);
    }
}

static const agentmote_tool_t TOOLS[] = {
    AGENTMOTE_TOOL_PLAIN("move", NULL, "Moves.", run, AGENTMOTE_ACTUATES),
    AGENTMOTE_TOOL_PLAIN("look", NULL, "Looks.", run, AGENTMOTE_READ_ONLY),
};
static const agentmote_device_t DEVICE = AGENTMOTE_DEVICE("d", NULL, "1", NULL, TOOLS);
static const char *const TAGS[] = {"t"};
static const agentmote_skill_t SKILLS[] = {
    AGENTMOTE_SKILL("work", "Work", "Works.", TAGS, work, 0),
};
static const agentmote_agent_t AGENT =
    AGENTMOTE_AGENT("probe", "A probe.", "1", "http://127.0.0.1/a2a/", SKILLS, draw);
static const char *const SCOPES[] = {"mcp", "a2a", "move"};
static const agentmote_policy_t POLICY =
    AGENTMOTE_POLICY_OF("lab", SCOPES, 1, 2, verify, allows, record);

static agentmote_token_t token(const char *name, const char *secret, uint32_t id, uint32_t tenant,
                               uint32_t scopes)
{
    agentmote_token_t made;
    memset(&made, 0, sizeof made);
    made.name = name;
    IS(agentmote_digest(secret, strlen(secret), made.digest), AGENTMOTE_OK);
    made.id = id;
    made.tenant = tenant;
    made.scopes = scopes;
    return made;
}

static void add(agentmote_token_t made, const char *wanted)
{
    agentmote_problem_t problem;
    IS(agentmote_token_add(server, &made, &problem),
       wanted[0] == 0 ? AGENTMOTE_OK : AGENTMOTE_ERROR_TABLE);
    SAYS(problem.text, wanted);
}

static void has_(const char *answer, const char *part, int at)
{
    checks += 1;
    if (strstr(answer, part) == NULL) {
        fprintf(stderr, "%s:%d: no %s in\n%s\n", __FILE__, at, part, answer);
        exit(1);
    }
}

#define HAS(answer, part) has_((answer), (part), __LINE__)

/* A request with this field of its head, on a connection of its own. */
static const char *post(const char *path, const char *field, const char *body, uint64_t now)
{
    static char text[4096];
    IS(agentmote_http_open(&http_memory, server, NULL, &http), AGENTMOTE_OK);
    snprintf(text, sizeof text,
             "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Accept: application/json, text/event-stream\r\nA2A-Version: 1.0\r\n%s"
             "Content-Length: %d\r\n\r\n%s",
             path, field, (int)strlen(body), body);
    return tell(http, text, now, 4096);
}

#define BEARER(secret) "Authorization: Bearer " secret "\r\n"
#define KEY(secret) "X-API-KEY: " secret "\r\n"
#define CALL(tool) \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\"}}"
#define SEND(id) \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{\"messageId\":\"" \
    id "\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"x\"}]}}}"

static void order(void)
{
    agentmote_problem_t problem;
    agentmote_policy_t policy = POLICY;
    agentmote_token_t some = token("x", "x", 1, 1, 1);
    agentmote_server_t *none = (agentmote_server_t *)(void *)storage;
    static const char *const QUOTED[] = {"a\"b"};
    static const char *const ISSUERS[] = {"https://issuer.example"};
    uint8_t digest[32];
    size_t size = sizeof policy_storage;
    IS(agentmote_policy_open(policy_storage, size, none, &policy, NULL), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_token_add(none, &some, NULL), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_init(storage, sizeof storage, &DEVICE, &context, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_token_add(server, &some, NULL), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_token_revoke(server, "x"), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_token_rotate(server, "x", some.digest), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_policy_open(NULL, size, server, &policy, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_policy_open(policy_storage, size, NULL, &policy, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_policy_open(policy_storage, size, server, NULL, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_token_add(NULL, &some, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_token_add(server, NULL, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_token_revoke(NULL, "x"), AGENTMOTE_ERROR_NULL);
    IS(agentmote_token_revoke(server, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_token_rotate(server, "x", NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_token_rotate(server, NULL, some.digest), AGENTMOTE_ERROR_NULL);
    IS(agentmote_digest(NULL, 0, digest), AGENTMOTE_ERROR_NULL);
    IS(agentmote_digest("x", 1, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_policy_open((char *)policy_storage + 4, size - 8, server, &policy, NULL),
       AGENTMOTE_ERROR_STORAGE);
    IS(agentmote_policy_open(policy_storage, 64, server, &policy, &problem),
       AGENTMOTE_ERROR_STORAGE);
    CHECK(problem.needed > 64 && problem.needed <= size);
    policy.scopes = QUOTED;
    policy.scope_count = 1;
    IS(agentmote_policy_open(policy_storage, size, server, &policy, &problem),
       AGENTMOTE_ERROR_TABLE);
    SAYS(problem.text, "a text of the challenge has a quote, a backslash or a control character");
    policy = POLICY;
    policy.scope_count = 33;
    IS(agentmote_policy_open(policy_storage, size, server, &policy, &problem),
       AGENTMOTE_ERROR_TABLE);
    SAYS(problem.text, "a policy has more than 32 scopes");
    policy = POLICY;
    policy.tries = 1;
    IS(agentmote_policy_open(policy_storage, size, server, &policy, &problem),
       AGENTMOTE_ERROR_TABLE);
    SAYS(problem.text, "tries are limited in no time");
    policy = POLICY;
    policy.resource = "https://lab.example/mcp";
    policy.metadata = "https://lab.example/.well-known/oauth-protected-resource/mcp";
    IS(agentmote_policy_open(policy_storage, size, server, &policy, &problem),
       AGENTMOTE_ERROR_TABLE);
    SAYS(problem.text, "a protected resource has no issuer of tokens");
    policy.issuers = ISSUERS;
    policy.issuer_count = 1;
    IS(agentmote_policy_open(policy_storage, size, server, &policy, &problem), AGENTMOTE_OK);
    SAYS(problem.text, "");
    IS(agentmote_policy_open(policy_storage, size, server, &policy, NULL), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_http_open(&http_memory, server, NULL, &http), AGENTMOTE_OK);
    HAS(tell(http, "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: localhost\r\n"
                   "\r\n", 0, 4096),
        "{\"resource\":\"https://lab.example/mcp\",\"authorization_servers\":"
        "[\"https://issuer.example\"],\"scopes_supported\":[\"mcp\",\"a2a\",\"move\"]");
}

static void open_all(void)
{
    agentmote_problem_t problem;
    static const agentmote_credential_t OLD[] = {{{0}, 1, 1}};
    agentmote_http_t config;
    memset(&config, 0, sizeof config);
    config.credentials = OLD;
    config.credential_count = 1;
    IS(agentmote_init(storage, sizeof storage, &DEVICE, &context, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_agent_open(&task_memory, server, &AGENT, NULL), AGENTMOTE_OK);
    /* Credentials of a connection do not guard an agent. */
    IS(agentmote_http_open(&http_memory, server, &config, &http), AGENTMOTE_ERROR_TABLE);
    IS(agentmote_policy_open(policy_storage, sizeof policy_storage, server, &POLICY, &problem),
       AGENTMOTE_OK);
    IS(agentmote_line_open(&line_memory, server, &line), AGENTMOTE_OK);
}

static void tokens(void)
{
    static const char *const NAMES[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6"};
    agentmote_token_t made;
    size_t i;
    add(token("ann", "secret-a", 1, 1, 7), "");
    add(token("ann", "other", 1, 1, 7), "there is a credential of that name");
    add(token("bob", "secret-a", 2, 1, 7), "another credential has the same secret");
    add(token("ann-2", "secret-2", 1, 2, 7), "the caller belongs to another tenant");
    made = token("ann-2", "secret-2", 1, 1, 7);
    made.name = NULL;
    add(made, "a name is NULL");
    for (i = 0; i < AGENTMOTE_COUNT(NAMES); i++) {
        char secret[8];
        snprintf(secret, sizeof secret, "s%d", (int)i);
        add(token(NAMES[i], secret, 10 + (uint32_t)i, 1, 7), "");
    }
    add(token("more", "more", 50, 1, 7), "the table of credentials is full");
    for (i = 0; i < AGENTMOTE_COUNT(NAMES); i++) {
        IS(agentmote_token_revoke(server, NAMES[i]), AGENTMOTE_OK);
        IS(agentmote_token_revoke(server, NAMES[i]), AGENTMOTE_ERROR_PLACE);
    }
    /* Of the same tenant, but not the same caller; and of another one. */
    add(token("bob", "secret-b", 2, 1, 3), "");
    add(token("eve", "secret-e", 3, 2, 2), "");
}

static void doors(void)
{
    int before = noted;
    const note_t *note;
    agentmote_token_t made;
    HAS(post("/mcp", "", CALL("look"), 5), "HTTP/1.1 401");
    HAS(post("/mcp", "", CALL("look"), 5), "WWW-Authenticate: Bearer realm=\"lab\", scope=\"mcp\"");
    CHECK(noted == before + 2 && runs == 0);
    note = &notes[before % 64];
    CHECK(note->event.outcome == AGENTMOTE_REFUSED_CREDENTIAL && note->event.at_ms == 5);
    CHECK(note->event.by == AGENTMOTE_BY_NOTHING && note->event.authority == NULL);
    CHECK(note->event.request.door == AGENTMOTE_DOOR_MCP
          && note->event.request.operation == AGENTMOTE_REQUEST
          && note->event.request.on == AGENTMOTE_ON_NOTHING);
    HAS(post("/mcp", BEARER("wrong"), CALL("look"), 5), "HTTP/1.1 401");
    HAS(post("/a2a", KEY("wrong"), SEND("m-1"), 5), "HTTP/1.1 401");

    before = noted;
    HAS(post("/mcp", BEARER("secret-a"), CALL("look"), 6), "\"text\":\"ran\"");
    note = one(before);
    CHECK(runs == 1 && note->event.outcome == AGENTMOTE_WAS_DONE && note->event.caller == 1);
    CHECK(note->event.by == AGENTMOTE_BY_TOKEN && note->event.tenant == 1);
    SAYS(note->authority, "ann");
    SAYS(note->subject, "look");
    CHECK(note->event.request.operation == AGENTMOTE_CALL_TOOL
          && note->event.request.on == AGENTMOTE_ON_TOOL);
    HAS(post("/mcp", KEY("secret-a"), CALL("move"), 6), "\"text\":\"ran\"");

    /* What is not allowed is not there. */
    before = noted;
    HAS(post("/mcp", KEY("secret-b"), CALL("move"), 7), "\"code\":-32602");
    note = one(before);
    CHECK(note->event.outcome == AGENTMOTE_REFUSED_NOT_THERE && runs == 2);
    CHECK(strstr(post("/mcp", KEY("secret-b"),
                      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", 7),
                 "\"name\":\"move\"")
          == NULL);

    /* A door that the scopes do not open. */
    before = noted;
    HAS(post("/mcp", BEARER("secret-e"), CALL("look"), 8), "HTTP/1.1 403");
    CHECK(one(before)->event.outcome == AGENTMOTE_REFUSED_SCOPE && runs == 2);

    /* What the firmware verifies. */
    before = noted;
    HAS(post("/mcp", BEARER("signed"), CALL("look"), 9), "\"text\":\"ran\"");
    note = one(before);
    CHECK(note->event.by == AGENTMOTE_BY_VERIFY && note->event.caller == 99);
    SAYS(note->authority, "issuer");
    HAS(post("/mcp", KEY("signed"), CALL("look"), 9), "HTTP/1.1 401");

    /* Good for a time, and another secret. */
    made = token("short", "secret-s", 4, 1, 7);
    made.expires_ms = 100;
    add(made, "");
    HAS(post("/mcp", BEARER("secret-s"), CALL("look"), 99), "HTTP/1.1 200");
    HAS(post("/mcp", BEARER("secret-s"), CALL("look"), 100), "HTTP/1.1 401");
    IS(agentmote_token_revoke(server, "short"), AGENTMOTE_OK);
    made = token("x", "secret-new", 0, 0, 0);
    IS(agentmote_token_rotate(server, "nobody", made.digest), AGENTMOTE_ERROR_PLACE);
    IS(agentmote_token_rotate(server, "ann", made.digest), AGENTMOTE_OK);
    IS(agentmote_token_rotate(server, "bob", made.digest), AGENTMOTE_ERROR_PLACE);
    HAS(post("/mcp", BEARER("secret-a"), CALL("look"), 101), "HTTP/1.1 401");
    HAS(post("/mcp", BEARER("secret-new"), CALL("look"), 101), "HTTP/1.1 200");
    made = token("x", "secret-a", 0, 0, 0);
    IS(agentmote_token_rotate(server, "ann", made.digest), AGENTMOTE_OK);

    /* At the other end of a line, it is known where he is. */
    tell(line, INITIALIZE, 102, 4096);
    before = noted;
    SAYS(text_of(tell(line, request("look", "{}"), 102, 4096)), "ran");
    CHECK(one(before)->event.by == AGENTMOTE_BY_PLACE);
}

static void tasks(void)
{
    int before = noted;
    const note_t *note;
    char id[40];
    char body[256];
    const char *answer = post("/a2a", KEY("secret-a"), SEND("m-1"), 10);
    const char *start = strstr(answer, "\"task\":{\"id\":\"");
    HAS(answer, "for 1 of 1, 7");
    /* That it was accepted, and that the device has done it. */
    CHECK(noted == before + 2);
    note = &notes[(before + 1) % 64];
    CHECK(note->event.by == AGENTMOTE_BY_DEVICE && note->event.outcome == AGENTMOTE_WAS_DONE);
    note = &notes[before % 64];
    CHECK(note->event.outcome == AGENTMOTE_WAS_ACCEPTED);
    CHECK(note->event.request.door == AGENTMOTE_DOOR_A2A
          && note->event.request.operation == AGENTMOTE_SEND_MESSAGE);
    CHECK(note->event.request.on == AGENTMOTE_ON_TASK && note->event.request.subject_size == 16);
    CHECK(start != NULL);
    snprintf(id, sizeof id, "%.32s", start + strlen("\"task\":{\"id\":\""));
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"GetTask\",\"params\":{\"id\":\"%s\"}}", id);
    HAS(post("/a2a", BEARER("secret-a"), body, 11), "TASK_STATE_COMPLETED");
    /* Another caller, and another tenant. */
    HAS(post("/a2a", BEARER("secret-b"), body, 11), "\"code\":-32001");
    HAS(post("/a2a", BEARER("secret-e"), body, 11), "\"code\":-32001");
    HAS(post("/a2a", BEARER("secret-e"), SEND("m-1"), 11), "for 3 of 2, 2");
    IS(agentmote_token_revoke(server, "ann"), AGENTMOTE_OK);
    HAS(post("/a2a", BEARER("secret-a"), body, 12), "HTTP/1.1 401");
    CHECK(agentmote_task_id(NULL, (uint8_t *)id) == AGENTMOTE_ERROR_NULL);
}

/* Tries beyond the limit wait. */
static void limit(void)
{
    agentmote_policy_t policy = POLICY;
    static uint64_t again[AGENTMOTE_POLICY_WORDS + 8 * AGENTMOTE_CHOICE_WORDS];
    policy.tries = 2;
    policy.per_ms = 10000;
    policy.record = NULL;
    policy.allows = NULL;
    policy.verify = NULL;
    IS(agentmote_init(storage, sizeof storage, &DEVICE, &context, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_policy_open(again, sizeof again, server, &policy, NULL), AGENTMOTE_OK);
    add(token("ann", "secret-a", 1, 1, 7), "");
    HAS(post("/mcp", BEARER("wrong"), CALL("look"), 0), "HTTP/1.1 401");
    HAS(post("/mcp", BEARER("wrong"), CALL("look"), 0), "HTTP/1.1 401");
    HAS(post("/mcp", BEARER("wrong"), CALL("look"), 1000), "HTTP/1.1 429");
    HAS(post("/mcp", BEARER("wrong"), CALL("look"), 1000), "Retry-After: 9\r\n");
    HAS(post("/mcp", BEARER("secret-a"), CALL("look"), 1000), "HTTP/1.1 200");
}

int main(void)
{
    static const uint8_t EMPTY[4] = {0xE3, 0xB0, 0xC4, 0x42};
    uint8_t digest[32];
    IS(agentmote_digest("", 0, digest), AGENTMOTE_OK);
    CHECK(memcmp(digest, EMPTY, sizeof EMPTY) == 0);
    order();
    open_all();
    tokens();
    doors();
    tasks();
    limit();
    printf("policy: %d checks\n", checks);
    return 0;
}
