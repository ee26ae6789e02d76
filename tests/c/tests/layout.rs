//! C and Rust lay the structs of the header out alike, and agree on the sizes
//! of storage (case C-88).

use std::mem::{offset_of, size_of};

use agentmote_c_tests as _;
use agentmote_ffi_c::*;

unsafe extern "C" {
    static c_layout: [usize; 64];
    static c_layout_count: usize;
}

macro_rules! last {
    ($($ty:ident: $member:ident),* $(,)?) => {
        [$(size_of::<$ty>(), offset_of!($ty, $member)),*]
    };
}

#[test]
fn structs_and_sizes_are_the_same_on_both_sides() {
    let structs = last![
        agentmote_param_t: real,
        agentmote_tool_t: scopes,
        agentmote_resource_t: value_count,
        agentmote_argument_t: presence,
        agentmote_prompt_t: argument_count,
        agentmote_form_t: field_count,
        agentmote_device_t: shows,
        agentmote_problem_t: text,
        agentmote_memory_t: kept,
        agentmote_http_t: cors,
        agentmote_credential_t: scopes,
        agentmote_skill_t: scopes,
        agentmote_scheme_t: kind,
        agentmote_signature_t: signature,
        agentmote_agent_t: flags,
        agentmote_task_memory_t: result,
        agentmote_values_t: value_count,
        agentmote_policy_t: per_ms,
        agentmote_token_t: expires_ms,
        agentmote_event_t: outcome,
        agentmote_request_t: on,
        agentmote_part_t: kind,
        agentmote_asker_t: scopes,
    ];
    let words = [
        AGENTMOTE_SERVER_WORDS,
        AGENTMOTE_TOOL_WORDS,
        AGENTMOTE_PARAM_WORDS,
        AGENTMOTE_CHOICE_WORDS,
        AGENTMOTE_RESOURCE_WORDS,
        AGENTMOTE_PROMPT_WORDS,
        AGENTMOTE_ARGUMENT_WORDS,
        AGENTMOTE_FORM_WORDS,
        AGENTMOTE_LINE_WORDS,
        AGENTMOTE_CALL_WORDS,
        AGENTMOTE_HTTP_WORDS,
        AGENTMOTE_AGENT_WORDS,
        AGENTMOTE_SKILL_WORDS,
        AGENTMOTE_SCHEME_WORDS,
        AGENTMOTE_SIGNATURE_WORDS,
        AGENTMOTE_TASK_WORDS,
        AGENTMOTE_VALUES_WORDS,
        AGENTMOTE_POLICY_WORDS,
    ];
    // SAFETY: the arrays of C are constant; the count is looked at first.
    let of_c = unsafe {
        assert_eq!(c_layout_count, structs.len() + words.len());
        c_layout
    };
    let (structs_of_c, words_of_c) = of_c.split_at(structs.len());
    assert_eq!(structs_of_c, structs);
    assert_eq!(words_of_c, words);
}
