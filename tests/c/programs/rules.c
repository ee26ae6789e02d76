/* Every rule of a table, broken: the status, and who breaks what. */
#include "check.h"

static agentmote_answer_t run(void *context, agentmote_call_t *call)
{
    (void)context;
    return agentmote_text(call, "ran");
}

static uint64_t storage[2048];

/* What is wrong with a device. */
static const char *wrong(const agentmote_device_t *device)
{
    static agentmote_problem_t problem;
    agentmote_server_t *server = NULL;
    agentmote_status_t status =
        agentmote_init(storage, sizeof storage, device, NULL, &server, &problem);
    if (status == AGENTMOTE_OK) {
        CHECK(server != NULL);
        CHECK(problem.needed > 0 && problem.needed <= sizeof storage);
        SAYS(problem.text, "");
        return "nothing";
    }
    CHECK(server == NULL);
    IS(status, AGENTMOTE_ERROR_TABLE);
    return problem.text;
}

static const char *wrong_tools(const agentmote_tool_t *tools, size_t count)
{
    agentmote_device_t device = AGENTMOTE_DEVICE_OF("d", 0, "1", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    device.tools = tools;
    device.tool_count = count;
    return wrong(&device);
}

static const char *wrong_tool(const agentmote_tool_t *tool)
{
    return wrong_tools(tool, 1);
}

static const char *wrong_params(const agentmote_param_t *params, uint16_t count)
{
    agentmote_tool_t tool = AGENTMOTE_TOOL_PLAIN("t", 0, "Does it.", run, 0);
    tool.params = params;
    tool.param_count = count;
    return wrong_tool(&tool);
}

static const char *wrong_param(const agentmote_param_t *param)
{
    return wrong_params(param, 1);
}

static const char *const COLOURS[] = {"red", "green"};
static const char *const TWICE[] = {"red", "red"};
static const char *const HOLE[] = {"red", NULL};

static void params(void)
{
    static const struct {
        agentmote_param_t param;
        const char *wrong;
    } CASES[] = {
        {AGENTMOTE_INTEGER("p", "P.", NULL, 0, 5), "nothing"},
        {AGENTMOTE_INTEGER("p", "P.", NULL, AGENTMOTE_NO_MIN, AGENTMOTE_NO_MAX), "nothing"},
        {AGENTMOTE_NUMBER("p", "P.", "deg", AGENTMOTE_LOWEST, AGENTMOTE_HIGHEST), "nothing"},
        {AGENTMOTE_STRING("p", NULL, 0, 65535), "nothing"},
        {AGENTMOTE_CHOICE_OR("p", "P.", COLOURS, "green"), "nothing"},
        {AGENTMOTE_BOOLEAN_OR("p", "P.", true), "nothing"},
        {AGENTMOTE_INTEGER(NULL, "P.", NULL, 0, 5), "t: a name is NULL"},
        {AGENTMOTE_INTEGER("", "P.", NULL, 0, 5), "t: a name is empty"},
        {AGENTMOTE_INTEGER("a b", "P.", NULL, 0, 5),
         "t: a name has a character other than letters, digits, '_', '-', '.'"},
        {AGENTMOTE_INTEGER("p", "\xFF", NULL, 0, 5), "t: a text of the table is not UTF-8"},
        {AGENTMOTE_INTEGER("p", "P.", NULL, 6, 5), "t: a range is empty"},
        {AGENTMOTE_NUMBER("p", "P.", NULL, 1.5, 1.0), "t: a range is empty"},
        {AGENTMOTE_NUMBER("p", "P.", NULL, 0, 1.0 / 3),
         "t: a number of a descriptor has more than 15 digits, or is none"},
        {AGENTMOTE_INTEGER_OR("p", "P.", NULL, 0, 5, 6),
         "t: a default is out of range or of another type"},
        {AGENTMOTE_STRING_OR("p", "P.", 0, 3, "four"),
         "t: a default is out of range or of another type"},
        {AGENTMOTE_STRING_OR("p", "P.", 0, 3, NULL), "t: a name is NULL"},
        {AGENTMOTE_CHOICE_OR("p", "P.", COLOURS, "blue"),
         "t: a default is out of range or of another type"},
        {AGENTMOTE_STRING("p", "P.", 2, 1), "t: a range is empty"},
        {AGENTMOTE_STRING("p", "P.", -1, 1), "t: a length is not between 0 and 65535"},
        {AGENTMOTE_STRING("p", "P.", 0, 65536), "t: a length is not between 0 and 65535"},
        {AGENTMOTE_CHOICE("p", "P.", TWICE), "t: a choice stands twice"},
        {AGENTMOTE_CHOICE("p", "P.", HOLE), "t: a name is NULL"},
        {AGENTMOTE_ARRAY("p", "P.", NULL, 0, 1), "t: a list is NULL"},
        {AGENTMOTE_PARAM("p", "P.", "deg", 0, AGENTMOTE_KIND_BOOLEAN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                         0),
         "t: only a number has a unit"},
        {AGENTMOTE_PARAM("p", "P.", 0, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
         "t: a parameter is of a kind that there is none of"},
        {AGENTMOTE_PARAM("p", "P.", 0, 0, AGENTMOTE_KIND_BOOLEAN, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
         "t: a parameter is required, optional or has a default"},
        {AGENTMOTE_PARAM("p", "P.", 0, "a b", AGENTMOTE_KIND_BOOLEAN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                         0),
         "t: a header name has a character that RFC 9110 does not allow in a token"},
        {AGENTMOTE_PARAM("p", "P.", 0, "P", AGENTMOTE_KIND_NUMBER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0),
         "t: only a boolean, an integer or a text may have a header"},
        {AGENTMOTE_PARAM("p", "P.", 0, 0, AGENTMOTE_KIND_CHOICE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
         "t: a choice has nothing to choose from"},
    };
    static const agentmote_param_t SAME[] = {
        AGENTMOTE_BOOLEAN("p", "P."),
        AGENTMOTE_BOOLEAN("p", "P."),
    };
    /* A list that holds itself. */
    agentmote_param_t loop = AGENTMOTE_ARRAY("p", "P.", NULL, 0, 1);
    agentmote_param_t many[17];
    size_t i;
    for (i = 0; i < AGENTMOTE_COUNT(CASES); i++) {
        SAYS(wrong_param(&CASES[i].param), CASES[i].wrong);
    }
    SAYS(wrong_params(SAME, 2), "t: two parameters have the same name");
    SAYS(wrong_params(NULL, 1), "t: a list is NULL");
    loop.members = &loop;
    SAYS(wrong_param(&loop), "t: objects and arrays nest too deep");
    for (i = 0; i < 17; i++) {
        many[i] = SAME[0];
    }
    SAYS(wrong_params(many, 17), "t: more than 16 parameters");
}

static void tools(void)
{
    static const agentmote_param_t DEFAULTED[] = {AGENTMOTE_BOOLEAN_OR("p", "P.", 1)};
    static const struct {
        agentmote_tool_t tool;
        const char *wrong;
    } CASES[] = {
        {AGENTMOTE_TOOL_PLAIN("t", 0, "Does it.", run, 0), "nothing"},
        {AGENTMOTE_TOOL_SCHEMA("t", 0, "Does it.", "{\"type\":\"object\"}", run, 0), "nothing"},
        {AGENTMOTE_TOOL_PLAIN(NULL, 0, "Does it.", run, 0), "a name is NULL"},
        {AGENTMOTE_TOOL_PLAIN("t", 0, NULL, run, 0),
         "t: a tool needs a description: clients refuse one without"},
        {AGENTMOTE_TOOL_PLAIN("t", 0, "Does it.", NULL, 0), "t: a tool has no handler"},
        {AGENTMOTE_TOOL_PLAIN("t", 0, "Does it.", run, AGENTMOTE_READ_ONLY | AGENTMOTE_ACTUATES),
         "t: a read-only tool cannot actuate or destroy"},
        {AGENTMOTE_TOOL_PLAIN("t", 0, "Does it.", run, 1024),
         "t: a tool has a flag that there is none of"},
        {AGENTMOTE_TOOL_SCHEMA("t", 0, "Does it.", "[]", run, 0),
         "t: raw schema text must be one JSON object without white space around it"},
        {AGENTMOTE_TOOL_PLAIN_GIVES("t", 0, "Does it.", DEFAULTED, run, 0),
         "t: a result has no defaults and no headers"},
    };
    static const agentmote_tool_t SAME[] = {
        AGENTMOTE_TOOL_PLAIN("t", 0, "Does it.", run, 0),
        AGENTMOTE_TOOL_PLAIN("t", 0, "Does it again.", run, 0),
    };
    size_t i;
    for (i = 0; i < AGENTMOTE_COUNT(CASES); i++) {
        SAYS(wrong_tool(&CASES[i].tool), CASES[i].wrong);
    }
    SAYS(wrong_tools(SAME, 2), "t: two tools have the same name");
    SAYS(wrong_tools(NULL, 1), "a list is NULL");
}

static const agentmote_param_t COORDINATES[] = {AGENTMOTE_INTEGER("x", NULL, NULL, 0, 9)};

static void devices(void)
{
    static const agentmote_argument_t ARGUMENTS[] = {
        AGENTMOTE_ARGUMENT("a", NULL, AGENTMOTE_REQUIRED),
        AGENTMOTE_ARGUMENT("a", NULL, AGENTMOTE_OPTIONAL),
    };
    static const agentmote_param_t NESTED[] = {AGENTMOTE_OBJECT("o", NULL, COORDINATES)};
    static const agentmote_param_t HEADED[] = {
        AGENTMOTE_PARAM("p", "P.", 0, "P", AGENTMOTE_KIND_BOOLEAN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    };
    static const agentmote_form_t FORMS[] = {AGENTMOTE_FORM(NESTED), AGENTMOTE_FORM(HEADED)};
    static const agentmote_argument_t PRESENT[] = {AGENTMOTE_ARGUMENT("a", NULL, 2)};
    static const agentmote_prompt_t PROMPTS[] = {
        AGENTMOTE_PROMPT("ask", NULL, NULL, ARGUMENTS, run),
        AGENTMOTE_PROMPT("ask", NULL, NULL, PRESENT, run),
        AGENTMOTE_PROMPT_PLAIN("", NULL, NULL, run),
    };
    static const struct {
        const char *uri;
        const char *name;
        const char *wrong;
    } URIS[] = {
        {"d://x", "x", "nothing"},
        {"d://{x}", "x", "nothing"},
        {"d://x", "", "d://x: a resource has no name"},
        {NULL, "x", "a name is NULL"},
        {"", "x", "a URI does not begin with a scheme"},
        {"x", "x", "x: a URI has no scheme"},
        {"d:x y", "x", "d:x y: a URI has a character that it must not have"},
        {"d:{}", "x", "d:{}: a parameter of a URI is not a name in braces"},
        {"d:{a", "x", "d:{a: a parameter of a URI is not a name in braces"},
        {"d:{a}{b}", "x", "d:{a}{b}: a URI has two parameters with nothing between them"},
        {"d:{a}/{a}", "x", "d:{a}/{a}: two parameters of a URI have the same name"},
        {"d:{ab}/{a}", "x", "nothing"},
        {"d{a}:", "x", "d{a}:: the scheme of a URI has a parameter"},
        {"d:{a}/{b}/{c}/{d}/{e}", "x",
         "d:{a}/{b}/{c}/{d}/{e}: a URI has too many parameters"},
    };
    agentmote_device_t device = AGENTMOTE_DEVICE_OF("d", 0, "1", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    size_t i;
    SAYS(wrong(&device), "nothing");
    device.name = "a\"b";
    SAYS(wrong(&device), "the name or version of the device has a character that JSON escapes");
    device.name = NULL;
    SAYS(wrong(&device), "a name is NULL");
    device.name = "d";
    for (i = 0; i < AGENTMOTE_COUNT(URIS); i++) {
        agentmote_resource_t resource = AGENTMOTE_RESOURCE(0, 0, 0, 0, 0, run);
        resource.uri = URIS[i].uri;
        resource.name = URIS[i].name;
        device.resources = &resource;
        device.resource_count = 1;
        SAYS(wrong(&device), URIS[i].wrong);
    }
    device.resource_count = 0;
    device.forms = FORMS;
    device.form_count = 1;
    SAYS(wrong(&device), "form: a field of a form is an object, or a list of no choices");
    device.forms = FORMS + 1;
    SAYS(wrong(&device), "form: a field of a form has no header");
    device.form_count = 0;
    device.prompts = PROMPTS;
    device.prompt_count = 1;
    SAYS(wrong(&device), "ask: two arguments have the same name");
    device.prompts = PROMPTS + 1;
    SAYS(wrong(&device), "ask: an argument is required or optional");
    device.prompts = PROMPTS + 2;
    SAYS(wrong(&device), "the name of a prompt is empty or has a character that JSON escapes");
}

/* The storage that is told is enough, and a byte less is not. */
static void sizes(void)
{
    static const agentmote_param_t PARAMS[] = {
        AGENTMOTE_CHOICE("colour", "Which.", COLOURS),
        AGENTMOTE_INTEGER("level", "How much.", NULL, 0, 9),
    };
    static const agentmote_tool_t TOOLS[] = {
        AGENTMOTE_TOOL("t", 0, "Does it.", PARAMS, run, 0),
    };
    static const agentmote_device_t DEVICE = AGENTMOTE_DEVICE("d", 0, "1", 0, TOOLS);
    static uint64_t exact[AGENTMOTE_SERVER_WORDS + AGENTMOTE_COUNT(TOOLS) * AGENTMOTE_TOOL_WORDS
                          + AGENTMOTE_COUNT(PARAMS) * AGENTMOTE_PARAM_WORDS
                          + AGENTMOTE_COUNT(COLOURS) * AGENTMOTE_CHOICE_WORDS];
    agentmote_problem_t problem;
    agentmote_server_t *server = NULL;
    size_t needed;
    IS(agentmote_init(exact, sizeof exact, &DEVICE, NULL, &server, &problem), AGENTMOTE_OK);
    needed = problem.needed;
    CHECK(needed <= sizeof exact && needed + 128 >= sizeof exact);
    IS(agentmote_init(exact, needed, &DEVICE, NULL, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_init(exact, needed - 1, &DEVICE, NULL, &server, &problem), AGENTMOTE_ERROR_STORAGE);
    CHECK(server == NULL && problem.needed == needed && problem.text[0] == 0);
    IS(agentmote_init((char *)exact + 4, needed, &DEVICE, NULL, &server, NULL),
       AGENTMOTE_ERROR_STORAGE);
}

int main(void)
{
    params();
    tools();
    devices();
    sizes();
    printf("rules: %d checks\n", checks);
    return 0;
}
