/* Questions to the client's user, model and roots; tools that come and go;
 * values that are offered for parameters of URIs. */
#include "talk.h"

AGENTMOTE_LINE_MEMORY(memory, 2048, 1024, 2, 512);

static uint64_t storage[2048];
static agentmote_connection_t *line;
static bool is_shown = true;
static int shows_calls;
static int context;

static bool shows(const void *given, uint32_t caller, uint32_t scopes, size_t place)
{
    CHECK(given == &context && place < 3);
    shows_calls += 1;
    if (place == 1) {
        return is_shown;
    }
    return place != 2 || (caller == 7 && scopes == 3);
}

/* Asks for a form of JSON Schema text and checks what was entered itself. */
static agentmote_answer_t form(void *given, agentmote_call_t *call)
{
    const char *json = NULL;
    size_t length = 77;
    int32_t action = 77;
    char text[64];
    CHECK(given == &context);
    IS(agentmote_elicit_json(call, "f", "Fill in.", 0, NULL, &json, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_elicit_json(call, "f", "Fill in.", 0, &action, NULL, &length),
       AGENTMOTE_ERROR_NULL);
    IS(agentmote_elicit_json(call, "f", "Fill in.", 0, &action, &json, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_elicit_json(call, NULL, "Fill in.", 0, &action, &json, &length),
       AGENTMOTE_ERROR_NULL);
    IS(agentmote_elicit_json(call, "f", NULL, 0, &action, &json, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_elicit_json(call, "f", "Fill in.", 9, &action, &json, &length),
       AGENTMOTE_ERROR_PLACE);
    CHECK(action == 77 && json == NULL && length == 77);
    switch (agentmote_elicit_json(call, "f", "Fill in.", 0, &action, &json, &length)) {
    case AGENTMOTE_OK:
        break;
    case AGENTMOTE_ABSENT:
        return AGENTMOTE_NEED_INPUT;
    default:
        return agentmote_fail(call, "not asked");
    }
    if (action != AGENTMOTE_ACCEPTED) {
        CHECK(json == NULL && length == 77);
        return agentmote_text(call, action == AGENTMOTE_DECLINED ? "declined" : "cancelled");
    }
    CHECK(length < sizeof text);
    memcpy(text, json, length);
    text[length] = 0;
    return agentmote_text(call, text);
}

/* Asks the model, with too little room first. */
static agentmote_answer_t muse(void *given, agentmote_call_t *call)
{
    char text[64] = "untouched";
    size_t length = 77;
    int32_t action = 77;
    uint32_t client = agentmote_client(call);
    (void)given;
    if ((client & AGENTMOTE_NEEDS_SAMPLING) == 0) {
        return agentmote_fail(call, "no model");
    }
    CHECK((client & AGENTMOTE_NEEDS_ROOTS) != 0 && agentmote_can_ask(call));
    IS(agentmote_sample(call, "m", "Say.", 9, NULL, text, sizeof text, &length),
       AGENTMOTE_ERROR_NULL);
    IS(agentmote_sample(call, "m", NULL, 9, &action, text, sizeof text, &length),
       AGENTMOTE_ERROR_NULL);
    IS(agentmote_sample(call, NULL, "Say.", 9, &action, text, sizeof text, &length),
       AGENTMOTE_ERROR_NULL);
    switch (agentmote_sample(call, "m", "Say.", 9, &action, NULL, 0, &length)) {
    case AGENTMOTE_ERROR_SHORT:
        break;
    case AGENTMOTE_ABSENT:
        return AGENTMOTE_NEED_INPUT;
    case AGENTMOTE_ERROR_PLACE:
        return agentmote_fail(call, "the model gave no text");
    default:
        return agentmote_fail(call, action == AGENTMOTE_CANCELLED ? "not asked" : "?");
    }
    CHECK(action == AGENTMOTE_ACCEPTED);
    IS(agentmote_sample(call, "m", "Say.", 9, &action, text, sizeof text, &length), AGENTMOTE_OK);
    CHECK(length == strlen(text));
    return agentmote_text(call, text);
}

static agentmote_answer_t roots(void *given, agentmote_call_t *call)
{
    const char *json = NULL;
    size_t length = 0;
    int32_t action = 77;
    (void)given;
    IS(agentmote_list_roots(call, "r", NULL, &json, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_list_roots(call, "r", &action, NULL, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_list_roots(call, "r", &action, &json, NULL), AGENTMOTE_ERROR_NULL);
    if (agentmote_list_roots(call, "r", &action, &json, &length) == AGENTMOTE_ABSENT) {
        return AGENTMOTE_NEED_INPUT;
    }
    CHECK(action == AGENTMOTE_ACCEPTED);
    return agentmote_text_of(call, json, length);
}

static agentmote_answer_t read(void *given, agentmote_call_t *call)
{
    const char *json = NULL;
    size_t length = 0;
    int32_t action = 77;
    (void)given;
    CHECK(agentmote_client(call) == 0);
    IS(agentmote_list_roots(call, "r", &action, &json, &length), AGENTMOTE_ERROR_TYPE);
    return agentmote_text(call, "read");
}

static const agentmote_tool_t TOOLS[] = {
    AGENTMOTE_TOOL_PLAIN("form", NULL, "Asks the user.", form, AGENTMOTE_ASKS_OPENLY),
    AGENTMOTE_TOOL_PLAIN("muse", NULL, "Asks the model.", muse, AGENTMOTE_ASKS_OPENLY),
    AGENTMOTE_TOOL_PLAIN("roots", NULL, "Asks for roots.", roots, AGENTMOTE_ASKS_OPENLY),
};

static const char *const JOINTS[] = {"base", "elbow"};
static const char *const SIDES[] = {"left", "right", "both"};
static const agentmote_values_t VALUES[] = {
    AGENTMOTE_VALUES("joint", JOINTS),
    AGENTMOTE_VALUES("side", SIDES),
};
static const agentmote_resource_t RESOURCES[] = {
    AGENTMOTE_RESOURCE_COMPLETED("d://{joint}/{side}", "joint", NULL, NULL, NULL, read, VALUES),
};

static const char SCHEMA[] = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\","
                             "\"multipleOf\":3}}}";
static const agentmote_form_t FORMS[] = {AGENTMOTE_FORM_SCHEMA(SCHEMA)};

static const agentmote_device_t DEVICE =
    AGENTMOTE_DEVICE_OF("d", NULL, "1", NULL, TOOLS, AGENTMOTE_COUNT(TOOLS), RESOURCES,
                        AGENTMOTE_COUNT(RESOURCES), 0, 0, FORMS, AGENTMOTE_COUNT(FORMS), 0);

static void has_(const char *answer, const char *part, int at)
{
    checks += 1;
    if (strstr(answer, part) == NULL) {
        fprintf(stderr, "%s:%d: no %s in\n%s\n", __FILE__, at, part, answer);
        exit(1);
    }
}

#define HAS(answer, part) has_((answer), (part), __LINE__)

static const char *ask(const char *method, const char *params)
{
    static char text[1024];
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}\n",
             method, params);
    return tell(line, text, 0, 64);
}

/* Calls a tool, looks for `question` in what it asks, answers `result`, and
 * gives the text that comes of it. */
static const char *asked(const char *tool, const char *question, const char *result)
{
    static char text[1024];
    const char *sent = tell(line, request(tool, "{}"), 0, 64);
    const char *id = strstr(sent, "\"id\":");
    const char *end;
    HAS(sent, question);
    CHECK(id != NULL);
    id += 5;
    end = strchr(id, ',');
    CHECK(end != NULL);
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}\n", (int)(end - id),
             id, result);
    return text_of(tell(line, text, 0, 64));
}

static void questions(void)
{
    static const char ABLE[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{\"elicitation\":{},\"sampling\":{},\"roots\":{}},"
        "\"clientInfo\":{\"name\":\"t\",\"version\":\"0\"}}}\n";
    tell(line, INITIALIZE, 0, 64);
    SAYS(text_of(tell(line, request("muse", "{}"), 0, 64)), "no model");
    IS(agentmote_hang_up(line, 0), AGENTMOTE_OK);
    tell(line, ABLE, 0, 64);
    SAYS(asked("form", SCHEMA, "{\"action\":\"accept\",\"content\":{\"n\": 4}}"),
         "{\\\"n\\\": 4}");
    SAYS(asked("form", "\"message\":\"Fill in.\"", "{\"action\":\"decline\"}"), "declined");
    SAYS(asked("form", "elicitation/create", "{\"action\":\"cancel\"}"), "cancelled");
    SAYS(asked("muse", "\"maxTokens\":9",
               "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":\"text\",\"text\":"
               "\"well \\ud83d\\ude00\"}}"),
         "well \xF0\x9F\x98\x80");
    SAYS(asked("muse", "sampling/createMessage",
               "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":\"image\"}}"),
         "the model gave no text");
    IS(agentmote_set_caller(line, 7, 3), AGENTMOTE_OK);
    SAYS(asked("roots", "roots/list", "{\"roots\":[{\"uri\":\"file:///x\"}]}"),
         "{\\\"roots\\\":[{\\\"uri\\\":\\\"file:///x\\\"}]}");
}

static void shown(void)
{
    int before = shows_calls;
    HAS(ask("tools/list", "{}"), "\"name\":\"roots\"");
    CHECK(shows_calls > before);
    is_shown = false;
    CHECK(strstr(ask("tools/list", "{}"), "\"name\":\"muse\"") == NULL);
    HAS(tell(line, request("muse", "{}"), 0, 64), "\"code\":-32602");
    is_shown = true;
    IS(agentmote_set_caller(line, 7, 1), AGENTMOTE_OK);
    CHECK(strstr(ask("tools/list", "{}"), "\"name\":\"roots\"") == NULL);
    HAS(ask("tools/list", "{}"), "\"name\":\"muse\"");
}

static void offered(void)
{
    HAS(ask("completion/complete",
            "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"d://{joint}/{side}\"},"
            "\"argument\":{\"name\":\"joint\",\"value\":\"\"}}"),
        "\"values\":[\"base\",\"elbow\"]");
    HAS(ask("completion/complete",
            "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"d://{joint}/{side}\"},"
            "\"argument\":{\"name\":\"side\",\"value\":\"ri\"}}"),
        "\"values\":[\"right\"]");
    HAS(ask("resources/read", "{\"uri\":\"d://base/left\"}"), "\"text\":\"read\"");
}

static agentmote_device_t device;

static void refuse(const char *text)
{
    agentmote_server_t *server = NULL;
    agentmote_problem_t problem;
    IS(agentmote_init(storage, sizeof storage, &device, &context, &server, &problem),
       AGENTMOTE_ERROR_TABLE);
    SAYS(problem.text, text);
}

static void tables(void)
{
    static agentmote_tool_t many[65];
    static agentmote_form_t form_of[1];
    static agentmote_resource_t resource[1];
    static agentmote_values_t values[2];
    static const agentmote_param_t FIELDS[] = {AGENTMOTE_BOOLEAN("b", NULL)};
    static char names[65][8];
    size_t i;
    memcpy(values, VALUES, sizeof values);
    form_of[0] = FORMS[0];
    resource[0] = RESOURCES[0];
    resource[0].values = values;
    device.forms = form_of;
    device.resources = resource;
    form_of[0].schema = "[]";
    refuse("form: raw schema text must be one JSON object without white space around it");
    form_of[0].schema = "{\n}";
    refuse("form: raw schema text must stand on one line without control characters");
    form_of[0] = FORMS[0];
    form_of[0].fields = FIELDS;
    form_of[0].field_count = 1;
    refuse("form: a form has fields and a schema");
    form_of[0] = FORMS[0];
    values[1].name = "nope";
    refuse("d://{joint}/{side}: values are offered for a parameter that there is not");
    values[1] = VALUES[1];
    values[1].values = NULL;
    refuse("d://{joint}/{side}: a list is NULL");
    values[1] = VALUES[1];
    resource[0].values = NULL;
    refuse("a list is NULL");
    resource[0].values = values;
    for (i = 0; i < AGENTMOTE_COUNT(many); i++) {
        many[i] = TOOLS[0];
        snprintf(names[i], sizeof names[i], "t%d", (int)i);
        many[i].name = names[i];
    }
    device.tools = many;
    device.tool_count = AGENTMOTE_COUNT(many);
    refuse("more tools than can be hidden");
}

int main(void)
{
    agentmote_server_t *server = NULL;
    agentmote_problem_t problem;
    agentmote_status_t status;
    int round;
    device = DEVICE;
    device.shows = shows;
    status = agentmote_init(storage, sizeof storage, &device, &context, &server, &problem);
    SAYS(problem.text, "");
    IS(status, AGENTMOTE_OK);
    IS(agentmote_line_open(&memory, server, &line), AGENTMOTE_OK);
    for (round = 0; round < 4; round++) {
        questions();
        shown();
        offered();
        IS(agentmote_hang_up(line, 0), AGENTMOTE_OK);
    }
    tables();
    printf("asks: %d checks\n", checks);
    return 0;
}
