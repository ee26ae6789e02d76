//! The official Rust SDK against the bench arm.
//!
//! usage: rmcp-client --era legacy|modern|auto (--http URL | --stdio COMMAND...)

#![forbid(unsafe_code)]

use std::error::Error;
use std::fmt::Debug;
use std::process::ExitCode;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Map, Value, json};

type Client = RunningService<RoleClient, ()>;

/// The limit of one run.
const LIMIT: Duration = Duration::from_secs(60);

/// Member by member what the server advertises, apart from the words in it.
fn schemas() -> [(&'static str, Value, Value); 5] {
    [
        (
            "arm_move",
            json!({
                "joint": {"type": "integer", "minimum": 0, "maximum": 5},
                "deg": {"type": "number", "minimum": -90, "maximum": 90},
                "speed": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            }),
            json!(["joint", "deg"]),
        ),
        ("arm_home", json!({}), json!([])),
        ("arm_stop", json!({}), json!([])),
        (
            "note_set",
            json!({"text": {"type": "string", "maxLength": 32}}),
            json!(["text"]),
        ),
        ("temp_read", json!({}), json!([])),
    ]
}

/// Counts assertions; the first that does not hold ends the run.
#[derive(Default)]
struct Checks {
    made: usize,
}

impl Checks {
    fn equal<T: PartialEq + Debug>(
        &mut self,
        what: &str,
        found: T,
        wanted: T,
    ) -> Result<(), String> {
        if found != wanted {
            return Err(format!("{what}: found {found:?}, wanted {wanted:?}"));
        }
        self.made += 1;
        println!("ok {} {what}", self.made);
        Ok(())
    }
}

/// The command line.
struct Options {
    era: String,
    http: Option<String>,
    stdio: Vec<String>,
}

fn options() -> Result<Options, String> {
    let mut found = Options {
        era: String::new(),
        http: None,
        stdio: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--era" => found.era = words.next().unwrap_or_default(),
            "--http" => found.http = words.next(),
            "--stdio" => found.stdio = words.by_ref().collect(),
            other => return Err(format!("unknown option {other}")),
        }
    }
    Ok(found)
}

/// How the SDK is told the era, and the revision that it must then speak.
fn lifecycle(era: &str) -> Result<(ClientLifecycleMode, ProtocolVersion), String> {
    let modern = ProtocolVersion::V_2026_07_28;
    let preferred_versions = vec![modern.clone()];
    match era {
        "legacy" => Ok((
            ClientLifecycleMode::Initialize,
            ProtocolVersion::V_2025_11_25,
        )),
        "modern" => Ok((ClientLifecycleMode::Discover { preferred_versions }, modern)),
        "auto" => {
            let legacy_version = None;
            Ok((
                ClientLifecycleMode::Auto {
                    preferred_versions,
                    legacy_version,
                },
                modern,
            ))
        }
        other => Err(format!("--era: {other} is none of legacy, modern, auto")),
    }
}

async fn connect(options: &Options, mode: ClientLifecycleMode) -> Result<Client, Box<dyn Error>> {
    if let Some(url) = &options.http {
        let transport = StreamableHttpClientTransport::from_uri(url.as_str());
        return Ok(().serve_with_lifecycle(transport, mode).await?);
    }
    let (program, args) = options
        .stdio
        .split_first()
        .ok_or("--http or --stdio is needed")?;
    let mut command = tokio::process::Command::new(program);
    command.args(args);
    Ok(
        ().serve_with_lifecycle(TokioChildProcess::new(command)?, mode)
            .await?,
    )
}

/// The members of one parameter's schema.
type Rules<'a> = Vec<(&'a str, Value)>;

/// Parameters without the words for people, and with `-90` equal to `-90.0`.
fn rules(parameters: &Value) -> Option<Vec<(&str, Rules<'_>)>> {
    let parameters = parameters.as_object()?.iter();
    parameters
        .map(|(name, schema)| Some((name.as_str(), members(schema)?)))
        .collect()
}

fn members(schema: &Value) -> Option<Rules<'_>> {
    let members = schema.as_object()?.iter();
    let members = members.filter(|(key, _)| !matches!(key.as_str(), "title" | "description"));
    let plain = |value: &Value| value.as_f64().map_or_else(|| value.clone(), Value::from);
    Some(
        members
            .map(|(key, value)| (key.as_str(), plain(value)))
            .collect(),
    )
}

fn texts(result: &CallToolResult) -> Vec<&str> {
    let blocks = result.content.iter();
    blocks
        .filter_map(|block| block.as_text().map(|text| text.text.as_str()))
        .collect()
}

async fn call(client: &Client, name: &'static str, args: Value) -> Result<CallToolResult, String> {
    let mut params = CallToolRequestParams::new(name);
    params.arguments = args.as_object().cloned();
    client
        .call_tool(params)
        .await
        .map_err(|error| format!("{name}: {error}"))
}

async fn check_all(checks: &mut Checks) -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let (mode, version) = lifecycle(&options.era)?;
    let client = connect(&options, mode).await?;
    let info = client
        .peer_info()
        .ok_or("the server told nothing about itself")?;
    checks.equal("version", &info.protocol_version, &version)?;

    let tools = client.list_all_tools().await?;
    let schemas = schemas();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    checks.equal(
        "tool names in order",
        names,
        schemas.iter().map(|row| row.0).collect(),
    )?;
    for (tool, (name, properties, required)) in tools.iter().zip(&schemas) {
        let mut schema: Map<String, Value> = (*tool.input_schema).clone();
        let found = schema.remove("properties").unwrap_or_default();
        checks.equal(
            &format!("{name} parameters"),
            rules(&found),
            rules(properties),
        )?;
        let found = schema.remove("required").unwrap_or_else(|| json!([]));
        checks.equal(&format!("{name} required"), &found, required)?;
        let rest = json!({"type": "object", "additionalProperties": false});
        checks.equal(&format!("{name} schema"), Value::Object(schema), rest)?;
    }

    let calls = [
        ("arm_move", json!({"joint": 2, "deg": 10})),
        ("arm_home", json!({})),
        ("arm_stop", json!({})),
        ("note_set", json!({"text": "bench"})),
    ];
    for (name, args) in calls {
        let result = call(&client, name, args).await?;
        let found = (result.is_error.unwrap_or(false), texts(&result).is_empty());
        checks.equal(&format!("{name} succeeds"), found, (false, false))?;
    }

    let celsius = json!({"celsius": 24.5});
    let result = call(&client, "temp_read", json!({})).await?;
    checks.equal(
        "temp_read succeeds",
        result.is_error.unwrap_or(false),
        false,
    )?;
    checks.equal(
        "temp_read structured",
        result.structured_content.as_ref(),
        Some(&celsius),
    )?;
    let read: Result<Vec<Value>, _> = texts(&result)
        .into_iter()
        .map(serde_json::from_str)
        .collect();
    checks.equal("temp_read as text", read?, vec![celsius])?;

    let result = call(&client, "arm_move", json!({"joint": 7, "deg": 10})).await?;
    let told = texts(&result)
        .iter()
        .any(|text| text.contains("joint: 7 is above the maximum 5"));
    checks.equal(
        "arm_move joint 7 is refused",
        (result.is_error, told),
        (Some(true), true),
    )?;

    client.cancel().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut checks = Checks::default();
    let end = match tokio::time::timeout(LIMIT, check_all(&mut checks)).await {
        Ok(end) => end.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no end after {} s", LIMIT.as_secs())),
    };
    match end {
        Ok(()) => {
            println!("done: {} assertions", checks.made);
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("not ok: {error}");
            ExitCode::FAILURE
        }
    }
}
