//! The agent card: exact bytes, and that it says what is served.

use agentmote::a2a::{Agent, Card, CardKind, Extension, Provider, Scheme, SchemeKind, Signature};
use agentmote::buf::Sink;
use agentmote::task::{Skill, Step};
use agentmote_tests::a2a::{CARD, Script, World, message};
use serde_json::{Value, json};

fn text(agent: &Agent<Script>, kind: CardKind) -> String {
    let mut room = vec![0; 8192];
    let mut out = Sink::new(&mut room);
    agent.write_card(&mut out, kind);
    assert!(!out.overflowed());
    String::from_utf8(out.kept().to_vec()).unwrap()
}

fn etag(agent: &Agent<Script>, kind: CardKind) -> String {
    let mut room = [0; 32];
    let mut out = Sink::new(&mut room);
    agent.write_etag(&mut out, kind);
    String::from_utf8(out.kept().to_vec()).unwrap()
}

/// A card with everything that it can have.
const FULL: Card = Card {
    tenant: "lab-2",
    provider: Some(Provider {
        organization: "Example",
        url: "https://example.org/",
    }),
    documentation_url: "https://example.org/docs",
    icon_url: "https://example.org/icon.png",
    schemes: &[
        Scheme {
            name: "bearer",
            kind: SchemeKind::Bearer,
        },
        Scheme {
            name: "key",
            kind: SchemeKind::ApiKey("X-API-KEY"),
        },
        Scheme {
            name: "oidc",
            kind: SchemeKind::OpenIdConnect("https://example.org/.well-known/openid-configuration"),
        },
        Scheme {
            name: "mtls",
            kind: SchemeKind::MutualTls,
        },
    ],
    extensions: &[Extension {
        description: "Limits of the arm.",
        required: true,
        ..Extension::new("urn:example:arm-limits:v1")
    }],
    signatures: &[Signature {
        protected: "eyJhbGciOiJFUzI1NiJ9",
        signature: "QFdk",
    }],
    ..CARD
};

const SKILLS: &str = "\"skills\":[{\"id\":\"calibrate\",\"name\":\"Calibrate\",\
    \"description\":\"Runs the arm calibration.\",\"tags\":[\"arm\",\"motion\"],\
    \"examples\":[\"calibrate axis 3\"],\"inputModes\":[\"text/plain\",\"application/json\"],\
    \"outputModes\":[\"text/plain\",\"application/json\"]},\
    {\"id\":\"home\",\"name\":\"Home\",\"description\":\"Moves the arm home.\",\"tags\":[\"arm\"],\
    \"inputModes\":[\"text/plain\"],\"outputModes\":[\"text/plain\"]},\
    {\"id\":\"script\",\"name\":\"Script\",\"description\":\"Does what it is told.\",\"tags\":[\"test\"],\
    \"inputModes\":[\"*/*\"],\"outputModes\":[\"text/plain\"]}]";

/// P-002, C-79: byte for byte.
#[test]
fn the_card_of_1_x() {
    let agent = Agent::new(CARD);
    assert_eq!(
        text(&agent, CardKind::Current),
        format!(
            "{{\"name\":\"arm-7\",\"description\":\"Robot arm controller\",\"version\":\"0.1.0\",\
             \"supportedInterfaces\":[{{\"url\":\"https://arm-7.example/a2a/\",\
             \"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"}},\
             {{\"url\":\"https://arm-7.example/a2a/\",\"protocolBinding\":\"JSONRPC\",\
             \"protocolVersion\":\"0.3\"}}],\
             \"capabilities\":{{\"streaming\":true,\"pushNotifications\":false}},\
             \"defaultInputModes\":[\"text/plain\"],\"defaultOutputModes\":[\"text/plain\"],{SKILLS}}}"
        )
    );
}

/// V-015 to V-017.
#[test]
fn the_card_of_0_3() {
    let agent = Agent::new(CARD);
    assert_eq!(
        text(&agent, CardKind::Old),
        format!(
            "{{\"name\":\"arm-7\",\"description\":\"Robot arm controller\",\"version\":\"0.1.0\",\
             \"url\":\"https://arm-7.example/a2a/\",\"protocolVersion\":\"0.3.0\",\
             \"preferredTransport\":\"JSONRPC\",\
             \"capabilities\":{{\"streaming\":true,\"pushNotifications\":false}},\
             \"defaultInputModes\":[\"text/plain\"],\"defaultOutputModes\":[\"text/plain\"],{SKILLS}}}"
        )
    );
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value
        .as_object()
        .unwrap()
        .keys()
        .map(|key| &**key)
        .collect();
    keys.sort_unstable();
    keys
}

/// V-017, D-008.
#[test]
fn a_card_with_everything_has_no_member_of_the_other_wire() {
    let mut agent = Agent::new(FULL);
    agent.extended_card = true;
    let card: Value = serde_json::from_str(&text(&agent, CardKind::Current)).unwrap();
    let known = [
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "description",
        "documentationUrl",
        "iconUrl",
        "name",
        "provider",
        "securityRequirements",
        "securitySchemes",
        "signatures",
        "skills",
        "supportedInterfaces",
        "version",
    ];
    assert_eq!(keys(&card), known);
    assert_eq!(
        card["securitySchemes"],
        json!({
            "bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
            "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-API-KEY"}},
            "oidc": {"openIdConnectSecurityScheme":
                {"openIdConnectUrl": "https://example.org/.well-known/openid-configuration"}},
            "mtls": {"mtlsSecurityScheme": {}},
        })
    );
    let needed: Vec<_> = ["bearer", "key", "oidc", "mtls"]
        .map(|name| json!({"schemes": {name: {"list": []}}}))
        .to_vec();
    assert_eq!(card["securityRequirements"], json!(needed));
    assert_eq!(card["supportedInterfaces"][0]["tenant"], "lab-2");
    let extensions = json!([{"uri": "urn:example:arm-limits:v1", "description": "Limits of the arm.", "required": true}]);
    assert_eq!(card["capabilities"]["extensions"], extensions);
    assert_eq!(card["capabilities"]["extendedAgentCard"], true);
    let signatures = json!([{"protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "QFdk"}]);
    assert_eq!(card["signatures"], signatures);

    let old: Value = serde_json::from_str(&text(&agent, CardKind::Old)).unwrap();
    assert_eq!(
        old["securitySchemes"]["bearer"],
        json!({"type": "http", "scheme": "bearer"})
    );
    let key = json!({"type": "apiKey", "in": "header", "name": "X-API-KEY"});
    assert_eq!(old["securitySchemes"]["key"], key);
    assert_eq!(old["security"][0], json!({"bearer": []}));
    assert_eq!(old["supportsAuthenticatedExtendedCard"], true);
    for stranger in ["supportedInterfaces", "securityRequirements", "signatures"] {
        assert!(old.get(stranger).is_none(), "{stranger}");
    }

    // Merged: both at once.
    agent.merged_card = true;
    let merged: Value = serde_json::from_str(&text(&agent, CardKind::Current)).unwrap();
    for member in ["supportedInterfaces", "url", "protocolVersion", "security"] {
        assert!(merged.get(member).is_some(), "{member}");
    }
    let bearer =
        json!({"httpAuthSecurityScheme": {"scheme": "Bearer"}, "type": "http", "scheme": "bearer"});
    assert_eq!(merged["securitySchemes"]["bearer"], bearer);
}

/// the tag follows the bytes.
#[test]
fn the_entity_tag_changes_with_the_card_alone() {
    let agent = Agent::new(CARD);
    let tag = etag(&agent, CardKind::Current);
    assert_eq!(tag.len(), 18);
    assert!(tag.starts_with('"') && tag.ends_with('"'));
    assert_eq!(tag, etag(&Agent::new(CARD), CardKind::Current));
    assert_ne!(tag, etag(&agent, CardKind::Old));
    let newer = Card {
        version: "0.1.1",
        ..CARD
    };
    assert_ne!(tag, etag(&Agent::new(newer), CardKind::Current));
    let mut silent = Agent::new(CARD);
    silent.streaming = false;
    assert_ne!(tag, etag(&silent, CardKind::Current));
    // FNV-1a of the bytes, whatever windows they went through.
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    for byte in text(&agent, CardKind::Current).bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    assert_eq!(tag, format!("\"{hash:016x}\""));
}

/// A table that is made at run time: the rule is given back, and by whom it is
/// broken.
#[test]
fn a_broken_table_is_told_and_not_a_panic() {
    fn skill(id: &'static str, tags: &'static [&'static str]) -> Skill<Script> {
        Skill::new(id, "Name", "Words.", tags, |_, work| work.fail("no"))
    }
    fn rule(skills: Vec<Skill<Script>>) -> (&'static str, &'static str) {
        let broken = Agent::checked(CARD, skills.leak()).unwrap_err();
        (broken.who, broken.rule)
    }
    const TAG: &[&str] = &["t"];
    assert_eq!(rule(vec![]), ("", "a card needs a public skill"));
    assert_eq!(rule(vec![skill("", TAG)]), ("Name", "a skill has no id"));
    assert_eq!(rule(vec![skill("a", &[])]), ("a", "a skill has no tag"));
    let twice = vec![skill("a", TAG), skill("b", TAG), skill("a", TAG)];
    assert_eq!(rule(twice), ("a", "two skills have the same id"));
    let deaf = Skill {
        input_modes: &[],
        ..skill("a", TAG)
    };
    assert_eq!(rule(vec![deaf]), ("a", "a skill has no modes"));
    let many = (0..255).map(|_| skill("a", TAG)).collect();
    assert_eq!(rule(many), ("", "more than 254 skills"));
    let full = Card {
        extensions: const { &[Extension::new("urn:x"); 33] },
        ..CARD
    };
    let broken = Agent::checked(full, vec![skill("a", TAG)].leak()).unwrap_err();
    assert_eq!(broken.rule, "an agent has more than 32 extensions");
}

/// Skills of a table that is made at run time are advertised, chosen and run.
#[test]
fn a_table_of_run_time_is_served() {
    let table = vec![Skill {
        words: &["late"],
        ..Skill::new("late", "Late", "Made late.", &["t"], |_, work| {
            work.artifact("answer", "late, and done");
            Step::DONE
        })
    }];
    let mut world = World::new::<2>();
    world.agent = Agent::checked(CARD, table.leak()).unwrap();
    assert!(text(&world.agent, CardKind::Current).contains("\"skills\":[{\"id\":\"late\""));
    let sent = world.call("SendMessage", &message("m-1", "late"));
    let task = &sent["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{sent}");
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], "late, and done");
    // None of the runtime's own table.
    let sent = world.call("SendMessage", &message("m-2", "home"));
    let state = &sent["result"]["task"]["status"]["state"];
    assert_eq!(state, "TASK_STATE_REJECTED", "{sent}");
}

/// P-003: each skill of the card, called.
#[test]
fn what_is_advertised_is_served() {
    let mut world = World::new::<8>();
    let card: Value = serde_json::from_str(&text(&world.agent, CardKind::Current)).unwrap();
    for (at, skill) in card["skills"].as_array().unwrap().iter().enumerate() {
        let named = message(&format!("m-{at}"), "do it").replace(
            "\"role\"",
            &format!("\"metadata\":{{\"skillId\":{}}},\"role\"", skill["id"]),
        );
        let sent = world.call("SendMessage", &named);
        let state = sent["result"]["task"]["status"]["state"].as_str().unwrap();
        assert!(
            ["TASK_STATE_COMPLETED", "TASK_STATE_INPUT_REQUIRED"].contains(&state),
            "{sent}"
        );
    }
    // a skill that is not public stands in no public card.
    assert!(!card.to_string().contains("secret"));
}
