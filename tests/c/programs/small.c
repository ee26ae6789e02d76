/* A library built for tools over lines alone: its storage, and what it says of
 * everything else. */
#include "talk.h"

static agentmote_answer_t run(void *context, agentmote_call_t *call)
{
    bool yes = false;
    int32_t action = 77;
    char text[8];
    (void)context;
    CHECK(!agentmote_can_ask(call));
    IS(agentmote_confirm(call, "k", "m", &yes), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_elicit(call, "k", "m", 0, &action), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_log(call, AGENTMOTE_LOG_INFO, "x"), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_get_named(call, "x", text, sizeof text, NULL), AGENTMOTE_ERROR_TYPE);
    CHECK(!yes && action == 77);
    return agentmote_text(call, "ran");
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

int main(void)
{
    static const uint8_t KEY[32] = {1};
    agentmote_device_t device = AGENTMOTE_DEVICE("d", 0, "1", 0, TOOLS);
    agentmote_server_t *server = NULL;
    agentmote_connection_t *line = NULL;
    agentmote_connection_t *http = NULL;
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
    IS(agentmote_init(storage, sizeof storage, &device, NULL, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_set_key(server, KEY), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_end_subscriptions(server), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_http_open(&http_memory, server, NULL, &http), AGENTMOTE_ERROR_FEATURE);
    IS(agentmote_line_open(&memory, server, &line), AGENTMOTE_OK);
    IS(agentmote_set_caller(line, 1, 1), AGENTMOTE_ERROR_FEATURE);
    tell(line, INITIALIZE, 0, 64);
    for (i = 0; i < 50; i++) {
        SAYS(text_of(tell(line, request("t", "{}"), 0, 64)), "ran");
    }
    printf("small: %d checks\n", checks);
    return 0;
}
