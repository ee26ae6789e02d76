/* A library built for tools over lines alone: its storage, and what it says of
 * everything else. */
#include "talk.h"

static agentmote_answer_t run(void *context, agentmote_call_t *call)
{
    bool yes = false;
    int32_t action = 77;
    char text[8] = {0};
    agentmote_part_t part;
    agentmote_asker_t asker;
    const char *json = NULL;
    size_t count = 77;
    uint8_t id[16];
    (void)context;
    IS(agentmote_get_part(call, 0, &part), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_get_part(call, 0, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_asker(call, &asker), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_task_id(call, id), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_message_count(call, &count), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_message_text(call, text, sizeof text, &count), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_message_id(call, text, sizeof text, &count), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_report(call, "x"), AGENTMOTE_ERROR_FEATURE);
    CHECK(agentmote_artifact(call, "x") == AGENTMOTE_DONE && count == 77);
    CHECK(agentmote_part(call, NULL) == AGENTMOTE_DONE);
    CHECK(agentmote_last_part(call) == AGENTMOTE_DONE);
    CHECK(agentmote_say(call, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_reject(call, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_ask(call, "x") == AGENTMOTE_NEED_INPUT);
    CHECK(agentmote_ask_leave(call, "x") == AGENTMOTE_NEED_INPUT);
    CHECK(!agentmote_can_ask(call));
    IS(agentmote_confirm(call, "k", "m", &yes), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_elicit(call, "k", "m", 0, &action), AGENTMOTE_ERROR_FEATURE);
    CHECK(agentmote_client(call) == 0);
    IS(agentmote_elicit_json(call, "k", "m", 0, &action, &json, &count), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_sample(call, "k", "m", 1, &action, text, sizeof text, &count),
       AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_list_roots(call, "k", &action, &json, &count), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_log(call, AGENTMOTE_LOG_INFO, "x"), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_get_named(call, "x", text, sizeof text, NULL), AGENTMOTE_ERROR_TYPE);
    CHECK(!yes && action == 77);
    return agentmote_text(call, "ran");
}

static bool shows(const void *context, uint32_t caller, uint32_t scopes, size_t place)
{
    (void)context;
    return caller + scopes + place > 0;
}

static const agentmote_param_t FIELDS[] = {AGENTMOTE_BOOLEAN("b", NULL)};
static const agentmote_tool_t TOOLS[] = {AGENTMOTE_TOOL_PLAIN("t", 0, "Does it.", run, 0)};
static const agentmote_resource_t RESOURCES[] = {AGENTMOTE_RESOURCE("d:x", "x", 0, 0, 0, run)};
static const agentmote_prompt_t PROMPTS[] = {AGENTMOTE_PROMPT_PLAIN("p", 0, 0, run)};
static const agentmote_form_t FORMS[] = {AGENTMOTE_FORM(FIELDS)};

static uint64_t storage[AGENTMOTE_SMALL_SERVER_WORDS
                        + AGENTMOTE_COUNT(TOOLS) * AGENTMOTE_TOOL_WORDS];
AGENTMOTE_SMALL_LINE_MEMORY(memory, 512, 256, 2, 64);
AGENTMOTE_HTTP_MEMORY(http_memory, 512, 256, 0);
AGENTMOTE_TASK_MEMORY(task_memory, AGENTMOTE_SKILL_TABLE_WORDS(1, 1), 1, 512, 0);

static void draw(void *context, void *bytes, size_t size)
{
    (void)context;
    memset(bytes, 7, size);
}

static const char *const TAGS[] = {"t"};
static const agentmote_skill_t SKILLS[] = {AGENTMOTE_SKILL("s", "S", "Does it.", TAGS, run, 0)};
static const agentmote_agent_t AGENT =
    AGENTMOTE_AGENT("a", "An agent.", "1", "http://127.0.0.1/a2a/", SKILLS, draw);

int main(void)
{
    static const uint8_t KEY[32] = {1};
    agentmote_device_t device = AGENTMOTE_DEVICE("d", 0, "1", 0, TOOLS);
    agentmote_server_t *server = NULL;
    agentmote_connection_t *line = NULL;
    agentmote_connection_t *http = NULL;
    static uint64_t policy_storage[AGENTMOTE_POLICY_WORDS];
    agentmote_policy_t policy;
    agentmote_token_t token;
    uint64_t due = 77;
    int i;
    device.resources = RESOURCES;
    device.resource_count = 1;
    IS(agentmote_init(storage, sizeof storage, &device, NULL, &server, NULL),
       AGENTMOTE_ERROR_FEATURE);
    device.resource_count = 0;
    device.prompts = PROMPTS;
    device.prompt_count = 1;
    IS(agentmote_init(storage, sizeof storage, &device, NULL, &server, NULL),
       AGENTMOTE_ERROR_FEATURE);
    device.prompt_count = 0;
    device.forms = FORMS;
    device.form_count = 1;
    IS(agentmote_init(storage, sizeof storage, &device, NULL, &server, NULL),
       AGENTMOTE_ERROR_FEATURE);
    device.form_count = 0;
    device.flags = AGENTMOTE_LOGS;
    IS(agentmote_init(storage, sizeof storage, &device, NULL, &server, NULL),
       AGENTMOTE_ERROR_FEATURE);
    device.flags = 0;
    device.shows = shows;
    IS(agentmote_init(storage, sizeof storage, &device, NULL, &server, NULL),
       AGENTMOTE_ERROR_FEATURE);
    device.shows = NULL;
    IS(agentmote_init(storage, sizeof storage, &device, NULL, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_set_key(server, KEY), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_end_subscriptions(server), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_http_open(&http_memory, server, NULL, &http), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_agent_open(&task_memory, server, &AGENT, NULL), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_run_tasks(server, 0, &due), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_set_clock(server, 0, 0), AGENTMOTE_ERROR_FEATURE);
    CHECK(due == 77);
    memset(&policy, 0, sizeof policy);
    memset(&token, 0, sizeof token);
    token.name = "x";
    IS(agentmote_policy_open(policy_storage, sizeof policy_storage, server, &policy, NULL),
       AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_token_add(server, &token, NULL), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_token_revoke(server, "x"), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_token_rotate(server, "x", token.digest), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_digest("x", 1, token.digest), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_line_open(&memory, server, &line), AGENTMOTE_OK);
    IS(agentmote_set_caller(line, 1, 1), AGENTMOTE_ERROR_FEATURE);
    tell(line, INITIALIZE, 0, 64);
    for (i = 0; i < 50; i++) {
        SAYS(text_of(tell(line, request("t", "{}"), 0, 64)), "ran");
    }
    printf("small: %d checks\n", checks);
    return 0;
}
