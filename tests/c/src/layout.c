/* How C lays the structs of the header out: compared with Rust. */
#include <agentmote.h>

#define LAST(type, member) sizeof(type), offsetof(type, member)

const size_t c_layout[] = {
    LAST(agentmote_param_t, real),       LAST(agentmote_tool_t, scopes),
    LAST(agentmote_resource_t, value_count), LAST(agentmote_argument_t, presence),
    LAST(agentmote_prompt_t, argument_count), LAST(agentmote_form_t, field_count),
    LAST(agentmote_device_t, shows),     LAST(agentmote_problem_t, text),
    LAST(agentmote_memory_t, kept),      LAST(agentmote_http_t, cors),
    LAST(agentmote_credential_t, scopes), LAST(agentmote_skill_t, scopes),
    LAST(agentmote_scheme_t, kind),      LAST(agentmote_signature_t, signature),
    LAST(agentmote_agent_t, flags),      LAST(agentmote_task_memory_t, result),
    LAST(agentmote_values_t, value_count), LAST(agentmote_policy_t, per_ms),
    LAST(agentmote_token_t, expires_ms), LAST(agentmote_event_t, outcome),
    LAST(agentmote_request_t, on),
    LAST(agentmote_part_t, kind),        LAST(agentmote_asker_t, scopes),
    /* What the header says of storage. */
    AGENTMOTE_SERVER_WORDS,              AGENTMOTE_TOOL_WORDS,
    AGENTMOTE_PARAM_WORDS,               AGENTMOTE_CHOICE_WORDS,
    AGENTMOTE_RESOURCE_WORDS,            AGENTMOTE_PROMPT_WORDS,
    AGENTMOTE_ARGUMENT_WORDS,            AGENTMOTE_FORM_WORDS,
    AGENTMOTE_LINE_WORDS,                AGENTMOTE_CALL_WORDS,
    AGENTMOTE_HTTP_WORDS,                AGENTMOTE_AGENT_WORDS,
    AGENTMOTE_SKILL_WORDS,               AGENTMOTE_SCHEME_WORDS,
    AGENTMOTE_SIGNATURE_WORDS,           AGENTMOTE_TASK_WORDS,
    AGENTMOTE_VALUES_WORDS,              AGENTMOTE_POLICY_WORDS,
};
const size_t c_layout_count = AGENTMOTE_COUNT(c_layout);
