//! The extension `urn:openoperator:argus-supervisor:v1`: read-only
//! supervision of OpenTraining (O-019 to O-036).

use agentmote::a2a::{Extension, Offer};
use agentmote::buf::Sink;
use agentmote::json::{Kind, Value, parse, write};
use agentmote::task::{Backend, Content, Label, Part, Responder, Step, Told, Work};

/// The URI of the extension.
pub const ARGUS_URI: &str = "urn:openoperator:argus-supervisor:v1";

/// What it takes and gives.
const JSON: &[&str] = &["application/json"];

const TAGS: &[&str] = &["argus", "supervision", "read-only"];

/// The extension as the card declares it, while it is enabled (O-020).
pub const ARGUS: Extension = Extension {
    description: "Read-only supervision of OpenTraining.",
    params: "{\"operations\":[\"supervisor.health\",\"supervisor.status\",\"campaign.list\"]}",
    skills: &[
        Offer {
            id: "argus_supervisor_health",
            name: "Argus supervisor health",
            description: "Tells whether the supervisor answers.",
            tags: TAGS,
            input_modes: JSON,
            output_modes: JSON,
        },
        Offer {
            id: "argus_supervisor_status",
            name: "Argus supervisor status",
            description: "Tells what the supervisor observes.",
            tags: TAGS,
            input_modes: JSON,
            output_modes: JSON,
        },
        Offer {
            id: "argus_campaign_list",
            name: "Argus campaign list",
            description: "Lists the campaigns of the project.",
            tags: TAGS,
            input_modes: JSON,
            output_modes: JSON,
        },
    ],
    ..Extension::new(ARGUS_URI)
};

/// Bytes of a request id, as it was written. A longer one makes an envelope
/// invalid: it is repeated in every answer, of which an error is the shortest.
const REQUEST_ID_BYTES: usize = 64;

/// Bytes of the largest answer of a backend; a larger one is a failure.
/// They lie on the stack while an answer is written.
pub const ANSWER_BYTES: usize = 8 * 1024;

/// Bytes of what stands around it at most.
const FRAME_BYTES: usize = 256;

/// How often it is looked for an answer of the backend, in milliseconds.
const LOOK_MS: u32 = 20;

/// What can be asked for; nothing of it changes anything (O-025).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Health,
    Status,
    Campaigns,
}

impl Operation {
    const ALL: [Self; 3] = [Self::Health, Self::Status, Self::Campaigns];

    const fn name(self) -> &'static str {
        match self {
            Self::Health => "supervisor.health",
            Self::Status => "supervisor.status",
            Self::Campaigns => "campaign.list",
        }
    }
}

/// Why there is no answer, in the order in which it is found out. Nothing
/// inner is told beside it (O-030).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    Envelope,
    Disabled,
    Operation,
    Unavailable,
}

impl Refusal {
    const fn code(self) -> &'static str {
        match self {
            Self::Envelope => "invalid_argus_envelope",
            Self::Disabled => "argus_supervisor_disabled",
            Self::Operation => "unsupported_argus_operation",
            Self::Unavailable => "argus_supervisor_unavailable",
        }
    }
}

/// The extension: it answers messages by itself, or asks its backend, and
/// knows nothing of the runtime and of its tasks (O-033).
#[derive(Debug)]
pub struct Argus<B> {
    enabled: bool,
    /// What it asks; nothing where none is configured.
    backend: Option<B>,
}

impl<B: Backend> Argus<B> {
    /// The extension, enabled or not, over this backend.
    pub const fn new(enabled: bool, backend: Option<B>) -> Self {
        Self { enabled, backend }
    }
}

impl<B: Backend> Responder for Argus<B> {
    fn uri(&self) -> &str {
        ARGUS_URI
    }

    fn respond(&mut self, work: &mut Work<'_>) -> Step {
        let mut room = [0; REQUEST_ID_BYTES];
        let read = read(work, &mut room);
        let id = &room;
        let (id, result) = match read {
            Ok((len, operation)) => {
                let result = match operation {
                    _ if !self.enabled => Err(Refusal::Disabled),
                    None => Err(Refusal::Operation),
                    Some(operation) => Ok(operation),
                };
                (id.get(..len).unwrap_or(&[]), result)
            }
            Err(refusal) => (&[][..], Err(refusal)),
        };
        let done = match result {
            Ok(operation) => self.serve(work, operation, id),
            Err(refusal) => Err(refusal),
        };
        done.unwrap_or_else(|refusal| refuse(work, refusal, id))
    }
}

impl<B: Backend> Argus<B> {
    /// Takes one step of an operation.
    fn serve(
        &mut self,
        work: &mut Work<'_>,
        operation: Operation,
        id: &[u8],
    ) -> Result<Step, Refusal> {
        let Some(backend) = &mut self.backend else {
            // That the supervisor itself is well can be told without one.
            return match operation {
                Operation::Health => answer(work, operation, id, b"{\"backend\":\"none\"}"),
                _ => Err(Refusal::Unavailable),
            };
        };
        let (task, now) = (work.id(), work.now());
        if work.step() == 0 {
            let asked = backend.ask(task, operation.name(), params(work)?, now);
            return waits(work, asked);
        }
        match backend.told(task, now) {
            Told::Wait => waits(work, true),
            Told::Json(json) => answer(work, operation, id, json),
            Told::Failed => Err(Refusal::Unavailable),
        }
    }
}

fn waits(work: &mut Work<'_>, asked: bool) -> Result<Step, Refusal> {
    if !asked {
        return Err(Refusal::Unavailable);
    }
    work.wake_after(LOOK_MS);
    Ok(Step::PENDING)
}

/// Reads the envelope (O-023, O-027, O-032): the bytes of the request id, as
/// it was written between its quotes, and the operation, if it is served.
fn read(
    work: &Work<'_>,
    id: &mut [u8; REQUEST_ID_BYTES],
) -> Result<(usize, Option<Operation>), Refusal> {
    let envelope = match parse(work.metadata()) {
        Ok(metadata) => only(metadata, ARGUS_URI)?,
        Err(_) => None,
    };
    let envelope = envelope
        .filter(|json| json.kind() == Kind::Object && work.lists(ARGUS_URI))
        .ok_or(Refusal::Envelope)?;
    let mut operation = None;
    let mut request = None;
    for (name, value) in envelope.members() {
        let text = || value.as_text().filter(|text| !text.is_empty());
        if name.is("operation") {
            let text = text().ok_or(Refusal::Envelope)?;
            if operation.replace(text).is_some() {
                return Err(Refusal::Envelope);
            }
        } else if name.is("requestId") || name.is("request_id") {
            let text = text().ok_or(Refusal::Envelope)?;
            // Both spellings are one id.
            if request.replace(text).is_some_and(|other| !other.same(text)) {
                return Err(Refusal::Envelope);
            }
        }
    }
    let (operation, request) = operation.zip(request).ok_or(Refusal::Envelope)?;
    let raw = request.raw();
    let place = id.get_mut(..raw.len()).ok_or(Refusal::Envelope)?;
    place.copy_from_slice(raw);
    // Arguments, if there are any, are an object (O-024).
    if arguments(work)?.is_some_and(|params| params.kind() != Kind::Object) {
        return Err(Refusal::Envelope);
    }
    let known = Operation::ALL;
    let operation = known.into_iter().find(|one| operation.is(one.name()));
    Ok((raw.len(), operation))
}

/// The member of that name; what stands twice is not chosen from.
fn only<'a>(object: Value<'a>, name: &str) -> Result<Option<Value<'a>>, Refusal> {
    let mut found = None;
    for (key, value) in object.members() {
        if key.is(name) && found.replace(value).is_some() {
            return Err(Refusal::Envelope);
        }
    }
    Ok(found)
}

/// The member `params` of the first data part that has one.
fn arguments<'w>(work: &'w Work<'_>) -> Result<Option<Value<'w>>, Refusal> {
    for part in work.parts() {
        if let Content::Data(json) = part.content
            && let Ok(data) = parse(json)
            && let Some(params) = only(data, "params")?
        {
            return Ok(Some(params));
        }
    }
    Ok(None)
}

fn params<'w>(work: &'w Work<'_>) -> Result<&'w [u8], Refusal> {
    Ok(arguments(work)?.map_or(b"{}", Value::raw))
}

/// Ends with the answer as the data of an artifact (O-035).
fn answer(
    work: &mut Work<'_>,
    operation: Operation,
    id: &[u8],
    result: &[u8],
) -> Result<Step, Refusal> {
    let mut data = [0; ANSWER_BYTES + FRAME_BYTES];
    let mut sink = Sink::new(&mut data);
    sink.text("{\"operation\":");
    write::string(&mut sink, operation.name());
    write_id(&mut sink, id);
    sink.text(",\"ok\":true,\"profile\":{\"installed\":true,\"enabled\":true},\"result\":");
    sink.put(result);
    sink.byte(b'}');
    if sink.overflowed() {
        return Err(Refusal::Unavailable);
    }
    let mut metadata = [0; 256];
    let mut said = Sink::new(&mut metadata);
    said.byte(b'{');
    write::string(&mut said, ARGUS_URI);
    said.text(":{\"operation\":");
    write::string(&mut said, operation.name());
    write_id(&mut said, id);
    said.text("}}");
    let label = Label {
        metadata: said.kept(),
        extension: ARGUS_URI,
        ..Label::new(operation.name())
    };
    let part = Part::new(Content::Data(sink.kept())).media_type("application/json");
    // Nested too deep, or too long beside the request: it cannot be told.
    if !work.output_as(label, part) {
        return Err(Refusal::Unavailable);
    }
    Ok(Step::DONE)
}

/// Ends with the code of an error as the data of the status's message.
fn refuse(work: &mut Work<'_>, refusal: Refusal, id: &[u8]) -> Step {
    let mut room = [0; 160];
    let mut sink = Sink::new(&mut room);
    sink.text("{\"error\":{\"code\":");
    write::string(&mut sink, refusal.code());
    sink.byte(b'}');
    write_id(&mut sink, id);
    sink.byte(b'}');
    if !work.report_json(sink.kept()) {
        work.report(refusal.code());
    }
    work.failed()
}

/// The id, as the caller has written it; nothing if he has not.
fn write_id(out: &mut Sink<'_>, id: &[u8]) {
    if !id.is_empty() {
        out.text(",\"requestId\":\"");
        out.put(id);
        out.byte(b'"');
    }
}
