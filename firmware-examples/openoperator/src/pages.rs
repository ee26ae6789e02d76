//! The routes of the profile (O-001 to O-009).

use agentmote::a2a::{Agent, CardKind, Page, Section};
use agentmote::buf::Sink;
use agentmote::json::write;

use crate::{ARGUS_INSTALLED, Operator, SOURCE_SHA, is_enabled};

/// Every route beside the endpoint.
pub const PAGES: &[Page<Operator>] = &[
    Page::text("/health", "application/json", health),
    Page::text("/docs", "text/html; charset=utf-8", docs),
    Page::text("/docs/a2a.json", "application/json", description),
    Page::card("/a2a/.well-known/agent.json", CardKind::Old),
    Page::card("/a2a/.well-known/agent-card.json", CardKind::Old),
    Page::text("/a2a/docs", "text/html; charset=utf-8", wire),
];

/// That the profile is part of the program, and whether it is enabled: two
/// facts (O-034).
fn profile(enabled: bool) -> &'static str {
    match (ARGUS_INSTALLED, enabled) {
        (true, true) => "{\"argus-supervisor\":{\"installed\":true,\"enabled\":true}}",
        (true, false) => "{\"argus-supervisor\":{\"installed\":true,\"enabled\":false}}",
        (false, _) => "{\"argus-supervisor\":{\"installed\":false,\"enabled\":false}}",
    }
}

fn health(agent: &Agent<Operator>, out: &mut Sink<'_>) {
    out.text("{\"status\":\"ok\",\"version\":");
    write::string(out, agent.card().version);
    out.text(",\"sourceSha\":");
    write::string(out, SOURCE_SHA);
    out.text(",\"profiles\":");
    out.text(profile(is_enabled(agent)));
    out.byte(b'}');
}

fn description(agent: &Agent<Operator>, out: &mut Sink<'_>) {
    agent.write_description(
        out,
        &[
            ("casing", "\"camelCase\""),
            (
                "authentication",
                "[\"Authorization: Bearer <secret>\",\"X-API-KEY: <secret>\"]",
            ),
            ("profiles", profile(is_enabled(agent))),
        ],
    );
}

const ROUTES: Section = Section {
    title: "Names of methods are no paths",
    text: "message/send, tasks/get and tasks/cancel are named in the body of POST /a2a/. \
           /a2a/message/send, /a2a/tasks/get and /a2a/agent-card are answered with 404. \
           No client needs to follow a redirect.",
    example: "",
};

const CASING: Section = Section {
    title: "Spelling",
    text: "Names are in camelCase: messageId, contextId, acceptedOutputModes, historyLength. \
           A name in snake case is refused with -32602, and the error says how it is spelled.",
    example: "{\n  \"messageId\": \"msg-1\",\n  \"acceptedOutputModes\": [\"application/json\"]\n}",
};

const SEND: Section = Section {
    title: "A message",
    text: "The secret is the one of the deployment; it is the same for each method and for MCP.",
    example: "curl -X POST \"$OPENOPERATOR_URL/a2a/\" \\\n  \
              -H \"Authorization: Bearer $SPYNEL_AGENT_ZERO_API_KEY\" \\\n  \
              -H \"Content-Type: application/json\" \\\n  \
              --data '{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"message/send\",\
              \"params\":{\"message\":{\"role\":\"user\",\"kind\":\"message\",\
              \"messageId\":\"msg-1\",\"parts\":[{\"kind\":\"text\",\"text\":\"home the arm\"}]}}}'",
};

const ARGUS_ON: Section = Section {
    title: "Argus supervision",
    text: "Read-only: supervisor.health, supervisor.status and campaign.list. A message lists \
           the extension, and its metadata holds the operation and a request id. Cancelling the \
           task ends the wait for the answer, and controls no campaign.",
    example: "\"extensions\": [\"urn:openoperator:argus-supervisor:v1\"],\n\"metadata\": {\n  \
              \"urn:openoperator:argus-supervisor:v1\": {\n    \
              \"operation\": \"supervisor.health\",\n    \"requestId\": \"req-1\"\n  }\n}",
};

const ARGUS_OFF: Section = Section {
    title: "Argus supervision",
    text: "The profile argus-supervisor is installed, and not enabled: its messages are answered \
           with argus_supervisor_disabled.",
    example: "",
};

fn argus(agent: &Agent<Operator>) -> Section {
    if is_enabled(agent) {
        ARGUS_ON
    } else {
        ARGUS_OFF
    }
}

fn docs(agent: &Agent<Operator>, out: &mut Sink<'_>) {
    agent.write_guide(out, &[ROUTES, CASING, SEND, argus(agent)]);
}

/// What belongs to the wire alone.
fn wire(agent: &Agent<Operator>, out: &mut Sink<'_>) {
    agent.write_guide(out, &[ROUTES, CASING]);
}
