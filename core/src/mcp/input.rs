//! Questions to the client: `input_required` in the modern era (section N),
//! requests of the server in the legacy one.

use super::code::Fault;
use crate::buf::{Sink, Span, base64};
use crate::json::{Kind, Text, Value, write};
use crate::limits::SCHEMA_MEMBERS;
use crate::seal::{Key, MAC_BYTES, Numbers, Purpose};
#[cfg(feature = "tasks")]
use crate::task::{Asked, Question};
use crate::time::Instant;
use crate::tool::{Args, Capabilities, Input, InputRequest, Outcome, write_schema};

/// What of a request belongs to questions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    /// The object of the responses; empty if there is none.
    pub responses: Span,
    /// The state that came with them, raw; empty if there is none.
    pub state: Span,
    /// What the client can be asked.
    pub client: Capabilities,
    /// Who it is.
    pub principal: u32,
}

impl Retry {
    pub(crate) const NONE: Self = Self {
        responses: Span::EMPTY,
        state: Span::EMPTY,
        client: Capabilities::NONE,
        principal: 0,
    };
}

/// The shape of `inputResponses` (M-150): an object of objects, no name of
/// which stands twice.
pub(super) fn responses(value: Option<Value<'_>>) -> Result<&[u8], Fault> {
    let Some(value) = value else {
        return Ok(&[]);
    };
    let mut members = value.members();
    let mut fine = value.kind() == Kind::Object;
    let mut count = 0;
    while let Some((name, response)) = members.next() {
        count += 1;
        fine &= count <= SCHEMA_MEMBERS
            && response.kind() == Kind::Object
            && !members.clone().any(|(other, _)| other.same(name));
        if !fine {
            break;
        }
    }
    if fine {
        Ok(value.raw())
    } else {
        Err(Fault::Params(
            "inputResponses must be an object of at most 64 objects, none of them twice",
        ))
    }
}

/// The state that came back (M-147).
pub(super) fn state(value: Option<Value<'_>>) -> Result<&[u8], Fault> {
    match value {
        None => Ok(&[]),
        Some(value) => match value.as_text() {
            Some(text) if !text.is_empty() => Ok(text.raw()),
            _ => Err(Fault::Params(
                "requestState must be a string that was given out",
            )),
        },
    }
}

/// How long a question can be answered, in milliseconds: five minutes.
pub(crate) const ANSWER_MS: u32 = 300_000;

/// What a question is about; a state is good for nothing else (M-148).
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    /// Who asked for it.
    pub principal: u32,
    /// `t` of a tool, `p` of a prompt.
    pub kind: u8,
    /// Its place in the table.
    pub at: u8,
    /// Its arguments.
    pub arguments: Arguments<'a>,
}

/// Arguments, however they are written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arguments<'a> {
    /// Of a tool, in the order of its parameters.
    Args(&'a Args<'a>, usize),
    /// As they were sent.
    Raw(Option<Value<'a>>),
}

impl About<'_> {
    fn bind(&self, put: &mut dyn FnMut(&[u8])) {
        put(&self.principal.to_le_bytes());
        put(&[self.kind, self.at]);
        match self.arguments {
            Arguments::Args(args, count) => {
                for at in 0..count {
                    if let Some(value) = args.value(at) {
                        // The length parts it from what follows.
                        put(&(value.raw().len() as u32).to_le_bytes());
                        put(&[at as u8]);
                        put(value.raw());
                    }
                }
            }
            Arguments::Raw(object) => put(object.map_or(&[][..], |object| object.raw())),
        }
    }
}

/// A `requestState`: what the handler keeps, its number, until when it is
/// good, and the seal over all of them and what they are about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestState([u8; STATE_BYTES]);

const FIELD_BYTES: usize = 14;
/// A multiple of 3, so that its base64 has no padding.
const STATE_BYTES: usize = FIELD_BYTES + MAC_BYTES;
const TEXT_BYTES: usize = STATE_BYTES / 3 * 4;

impl RequestState {
    /// A new one.
    pub(crate) fn new(
        key: &Key,
        numbers: &mut Numbers,
        now: Instant,
        memo: u32,
        about: About<'_>,
    ) -> Self {
        let [m0, m1, m2, m3] = memo.to_le_bytes();
        let [n0, n1, n2, n3] = numbers.give().to_le_bytes();
        // The clock of a device does not reach 2^48 ms, which is 8,900 years.
        let [t0, t1, t2, t3, t4, t5, ..] = now.after(ANSWER_MS).as_millis().to_le_bytes();
        let fields = [m0, m1, m2, m3, n0, n1, n2, n3, t0, t1, t2, t3, t4, t5];
        let seal = key.seal(Purpose::State, &fields, |put| about.bind(put));
        let mut bytes = [0; STATE_BYTES];
        for (place, byte) in bytes.iter_mut().zip(fields.into_iter().chain(seal)) {
            *place = byte;
        }
        Self(bytes)
    }

    /// What the handler kept, if the state is one that was given out for
    /// this, is not too old, and was not used; it is used up then.
    pub(crate) fn open(
        text: Text<'_>,
        key: &Key,
        numbers: &mut Numbers,
        now: Instant,
        about: About<'_>,
    ) -> Result<u32, Fault> {
        let refused = Err(Fault::Params(
            "requestState was not given out for this request",
        ));
        let mut room = [0; TEXT_BYTES];
        let mut bytes = [0; STATE_BYTES];
        let text = text.copy_to(&mut room).unwrap_or("");
        if base64::decode(text.as_bytes(), &mut bytes).is_none() {
            return refused;
        }
        let [
            m0,
            m1,
            m2,
            m3,
            n0,
            n1,
            n2,
            n3,
            t0,
            t1,
            t2,
            t3,
            t4,
            t5,
            seal @ ..,
        ] = bytes;
        let fields = [m0, m1, m2, m3, n0, n1, n2, n3, t0, t1, t2, t3, t4, t5];
        if !key.is_seal(&seal, Purpose::State, &fields, |put| about.bind(put)) {
            return refused;
        }
        let until = u64::from_le_bytes([t0, t1, t2, t3, t4, t5, 0, 0]);
        let number = u32::from_le_bytes([n0, n1, n2, n3]);
        if now.as_millis() > until || !numbers.is_good(number) {
            return Err(Fault::Params("requestState is too old or was used before"));
        }
        numbers.use_up(number);
        Ok(u32::from_le_bytes([m0, m1, m2, m3]))
    }

    fn write(&self, out: &mut Sink<'_>) {
        write::base64(out, &self.0);
    }
}

/// Writes the members of an `input_required` result (M-143).
pub(super) fn write_requests(
    out: &mut Sink<'_>,
    state: Option<&RequestState>,
    outcome: &Outcome,
    buf: &[u8],
) {
    out.text("\"resultType\":\"input_required\",\"inputRequests\":{");
    for (i, (key, request)) in outcome.questions(buf).enumerate() {
        if i > 0 {
            out.byte(b',');
        }
        write::string(out, key);
        out.text(":{");
        write_asked(out, request);
        out.byte(b'}');
    }
    out.byte(b'}');
    if let Some(state) = state {
        out.text(",\"requestState\":\"");
        state.write(out);
        out.byte(b'"');
    }
}

/// Writes a question as a request of this side, in the legacy era.
pub(crate) fn write_request(out: &mut Sink<'_>, number: u32, request: InputRequest<'_>) {
    out.text("{\"jsonrpc\":\"2.0\",\"id\":");
    write::u64(out, u64::from(number));
    out.byte(b',');
    write_asked(out, request);
    out.byte(b'}');
}

/// Writes what a handler asks.
fn write_asked(out: &mut Sink<'_>, request: InputRequest<'_>) {
    match request {
        InputRequest::Elicit { message, form } => {
            open_elicit(out, message);
            match form.input() {
                Input::Params(params) => write_schema(out, params),
                Input::Schema(text) => out.text(text),
            }
        }
        InputRequest::Sample {
            message,
            max_tokens,
        } => write_sample(out, message, max_tokens),
        InputRequest::ListRoots => out.text(LIST_ROOTS),
    }
    out.byte(b'}');
}

/// Writes a question that stands in the log of a task.
#[cfg(feature = "tasks")]
pub(super) fn write_question(out: &mut Sink<'_>, question: &Question<'_>) {
    match question.what {
        Asked::Form(schema) => {
            open_elicit(out, question.message);
            out.put(schema);
        }
        Asked::Model(max_tokens) => write_sample(out, question.message, max_tokens),
        Asked::Roots => out.text(LIST_ROOTS),
    }
    out.byte(b'}');
}

/// Writes the question to the user, up to its form.
fn open_elicit(out: &mut Sink<'_>, message: &str) {
    out.text("\"method\":\"elicitation/create\",\"params\":{\"message\":");
    write::string(out, message);
    out.text(",\"requestedSchema\":");
}

fn write_sample(out: &mut Sink<'_>, message: &str, max_tokens: u16) {
    out.text(
        "\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\",\
         \"content\":{\"type\":\"text\",\"text\":",
    );
    write::string(out, message);
    out.text("}}],\"maxTokens\":");
    write::u64(out, u64::from(max_tokens));
}

const LIST_ROOTS: &str = "\"method\":\"roots/list\",\"params\":{";
