//! Questions of a tool that is the work of a task, and their answers: how
//! they stand in the log, and how an answer finds its question, by whatever
//! wire it comes.
//!
//! The questions stand behind the status that asks them, one piece each. An
//! answer is a message of the caller behind that status. Outside, a question
//! is named by its key and the number of that status, so that no name is used
//! twice in the life of a task.

#[cfg(feature = "tasks")]
use super::log::NEEDS;
#[cfg(feature = "tasks")]
use super::log::Status;
use super::log::{CLIENT, Content, Entry, Pieces, QUESTION, RESPONSES, What, entries};
#[cfg(feature = "tasks")]
use super::state::State;
use crate::buf::Sink;
use crate::json::{self, Kind as Json, Text, Value, write};
use crate::tool::{Capabilities, Input, InputRequest, write_schema};

/// What a question is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked<'l> {
    /// The user fills in a form of this JSON Schema.
    Form(&'l [u8]),
    /// The caller's model answers, in so many tokens at most.
    Model(#[cfg_attr(not(feature = "tasks"), expect(dead_code, reason = "told nowhere"))] u16),
    /// The caller lists its roots.
    Roots,
}

/// A question, as it stands in a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'l> {
    /// Its name among those that are asked together.
    pub(crate) key: &'l str,
    /// What is asked; empty for roots.
    #[cfg_attr(
        not(feature = "tasks"),
        expect(dead_code, reason = "told in the status")
    )]
    pub(crate) message: &'l str,
    pub(crate) what: Asked<'l>,
}

const FORM: u8 = 1;
const MODEL: u8 = 2;
const ROOTS: u8 = 3;

/// The name of the one question of a status that asks in words alone, and of
/// the field of its form.
#[cfg(feature = "tasks")]
const ANSWER: &str = "answer";
#[cfg(feature = "tasks")]
const ANSWER_FORM: &[u8] =
    b"{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\"}},\
    \"required\":[\"answer\"]}";

/// What a handler asks, for people.
pub(super) fn words_of<'q>(request: InputRequest<'q>) -> &'q str {
    match request {
        InputRequest::Elicit { message, .. } | InputRequest::Sample { message, .. } => message,
        InputRequest::ListRoots => "Which roots are there?",
    }
}

impl<'l> Question<'l> {
    fn read(bytes: &'l [u8]) -> Option<Self> {
        let (&[kind, tokens_low, tokens_high, key, low, high], rest) = bytes.split_first_chunk()?;
        let (key, rest) = rest.split_at_checked(usize::from(key))?;
        let (message, rest) =
            rest.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
        Some(Self {
            key: core::str::from_utf8(key).ok()?,
            message: core::str::from_utf8(message).ok()?,
            what: match kind {
                FORM => Asked::Form(rest),
                MODEL => Asked::Model(u16::from_le_bytes([tokens_low, tokens_high])),
                ROOTS => Asked::Roots,
                _ => return None,
            },
        })
    }
}

/// Writes what a handler asks as a piece reads it.
fn put(out: &mut Sink<'_>, key: &str, request: InputRequest<'_>) {
    let (kind, tokens, message) = match request {
        InputRequest::Elicit { message, .. } => (FORM, 0, message),
        InputRequest::Sample {
            message,
            max_tokens,
        } => (MODEL, max_tokens, message),
        InputRequest::ListRoots => (ROOTS, 0, ""),
    };
    // A longer key or message does not fit into a result buffer, or its
    // question is not read again: it is asked in vain, never wrongly.
    let [key_len, _] = u16::try_from(key.len()).unwrap_or(u16::MAX).to_le_bytes();
    let [tokens_low, tokens_high] = tokens.to_le_bytes();
    let [low, high] = u16::try_from(message.len())
        .unwrap_or(u16::MAX)
        .to_le_bytes();
    out.put(&[kind, tokens_low, tokens_high, key_len, low, high]);
    out.text(key);
    out.text(message);
    if let InputRequest::Elicit { form, .. } = request {
        match form.input() {
            Input::Params(params) => write_schema(out, params),
            Input::Schema(text) => out.text(text),
        }
    }
}

impl Pieces<'_> {
    /// Adds a question to a status.
    pub(super) fn question(&mut self, key: &str, request: InputRequest<'_>) {
        let mut count = Sink::counter();
        put(&mut count, key, request);
        self.written(QUESTION, count.total(), |out| put(out, key, request));
    }

    /// Adds to the first message what its sender can be asked.
    #[cfg(feature = "tasks")]
    pub(crate) fn client(&mut self, client: Capabilities) {
        let bits = u8::from(client.elicitation)
            | u8::from(client.sampling) << 1
            | u8::from(client.roots) << 2;
        self.written(CLIENT, 1, |out| out.byte(bits));
    }

    /// Adds to the first message what scopes a sender of others needs, as far
    /// as it is any.
    #[cfg(feature = "tasks")]
    pub(crate) fn needs(&mut self, scopes: u32) {
        if scopes != 0 {
            let bytes = scopes.to_le_bytes();
            self.written(NEEDS, bytes.len(), |out| out.put(&bytes));
        }
    }

    /// Adds to the first message the answers that came with it: an object,
    /// by the keys of the questions.
    #[cfg(feature = "tasks")]
    pub(crate) fn responses(&mut self, object: &[u8]) {
        self.written(RESPONSES, object.len(), |out| out.put(object));
    }
}

/// The first message of a log.
fn first(log: &[u8]) -> Option<Entry<'_>> {
    entries(log, u64::MAX).find(|entry| matches!(entry.what, What::Message { .. }))
}

/// What the sender of the first message can be asked: anything, if he did not
/// tell.
pub(super) fn client(log: &[u8]) -> Capabilities {
    let bits = first(log).and_then(|entry| entry.all(CLIENT).next()?.first().copied());
    let bits = bits.unwrap_or(u8::MAX);
    Capabilities {
        elicitation: bits & 1 != 0,
        sampling: bits & 2 != 0,
        roots: bits & 4 != 0,
    }
}

/// The scopes that the sender of a message needs, of those that the first
/// message tells.
#[cfg(feature = "tasks")]
pub(super) fn needs(log: &[u8]) -> u32 {
    let scopes = first(log).and_then(|entry| entry.all(NEEDS).next()?.first_chunk().copied());
    scopes.map_or(0, u32::from_le_bytes)
}

/// Whether an entry asks questions of a tool.
fn asks(entry: &Entry<'_>) -> bool {
    matches!(entry.what, What::Status(_)) && entry.all(QUESTION).next().is_some()
}

/// The number of the first entry that asks; the largest if none does.
pub(super) fn first_asked(log: &[u8]) -> u64 {
    let mut all = entries(log, u64::MAX);
    all.find(asks).map_or(u64::MAX, |entry| entry.number)
}

/// The questions of a status.
fn questions<'l>(entry: &Entry<'l>) -> impl Iterator<Item = Question<'l>> + use<'l> {
    entry.all(QUESTION).filter_map(Question::read)
}

/// The answers to the last questions of a tool, as an object of responses by
/// their keys; whether there were any.
///
/// Questions that are asked again because an answer did not fit leave the
/// other answers as they are; questions of another kind begin anew.
pub(super) fn write_responses(out: &mut Sink<'_>, log: &[u8]) -> bool {
    let asking = || entries(log, u64::MAX).filter(asks);
    let mut start: Option<Entry<'_>> = None;
    for entry in asking() {
        let again = start.is_some_and(|start| {
            let asked = |key| questions(&start).any(|one| one.key == key);
            questions(&entry).all(|one| asked(one.key))
        });
        if !again {
            start = Some(entry);
        }
    }
    let Some(start) = start else {
        let object = first(log).and_then(|entry| entry.all(RESPONSES).next());
        out.put(object.unwrap_or(&[]));
        return object.is_some();
    };
    let mut any = false;
    for question in questions(&start) {
        // As it was asked last.
        let (mut question, mut asked) = (question, start);
        for entry in asking().filter(|entry| entry.number > start.number) {
            if let Some(again) = questions(&entry).find(|one| one.key == question.key) {
                (question, asked) = (again, entry);
            }
        }
        let alone = questions(&asked).count() == 1;
        let from = out.total();
        out.byte(if any { b',' } else { b'{' });
        out.byte(b'"');
        write::escaped(out, question.key.as_bytes());
        out.text("\":");
        if write_answer(out, log, asked.number, &question, alone) {
            any = true;
        } else {
            out.truncate(from);
        }
    }
    if any {
        out.byte(b'}');
    }
    any
}

/// Writes the response to one question; whether there is one.
fn write_answer(
    out: &mut Sink<'_>,
    log: &[u8],
    number: u64,
    question: &Question<'_>,
    alone: bool,
) -> bool {
    let messages = || {
        entries(log, u64::MAX).filter(move |entry| {
            entry.number > number && matches!(entry.what, What::Message { .. })
        })
    };
    let contents = || messages().flat_map(|entry| entry.parts().map(|part| part.content));
    let objects = || {
        contents().filter_map(|content| match content {
            Content::Data(data) => {
                Some(Value::checked(data)).filter(|value| value.kind() == Json::Object)
            }
            _ => None,
        })
    };
    // By name first: it may stand among others.
    for object in objects() {
        for (name, value) in object.members() {
            let own = is_name(name, question.key, number) || name.is(question.key);
            if own && value.kind() == Json::Object {
                return write_object(out, question, value);
            }
        }
    }
    if !alone {
        return false;
    }
    if let Some(object) = objects().next() {
        return write_object(out, question, object);
    }
    let text = contents().find_map(|content| match content {
        Content::Text(text) => Some(text),
        _ => None,
    });
    text.is_some_and(|text| write_words(out, question, text))
}

/// An object as a response: as it is, or what was entered in a form.
fn write_object(out: &mut Sink<'_>, question: &Question<'_>, object: Value<'_>) -> bool {
    let form = matches!(question.what, Asked::Form(_));
    if !form || object.member("action").is_some_and(is_action) {
        out.put(object.raw());
        return true;
    }
    out.text("{\"action\":\"accept\",\"content\":");
    out.put(object.raw());
    out.byte(b'}');
    true
}

fn is_action(value: Value<'_>) -> bool {
    value
        .as_text()
        .is_some_and(|text| text.is("accept") || text.is("decline") || text.is("cancel"))
}

/// Words as the response to a form of one field, or to a question to a model;
/// whether they can be one.
fn write_words(out: &mut Sink<'_>, question: &Question<'_>, text: &str) -> bool {
    let schema = match question.what {
        Asked::Form(schema) => Value::checked(schema),
        Asked::Model(_) => {
            out.text("{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":");
            write::string(out, text);
            out.text("}}");
            return true;
        }
        Asked::Roots => return false,
    };
    let Some(fields) = schema.member("properties") else {
        return false;
    };
    let mut fields = fields.members();
    let (Some((name, field)), None) = (fields.next(), fields.next()) else {
        return false;
    };
    let Some(kind) = field.member("type").and_then(Value::as_text) else {
        return false;
    };
    let word = text.trim_ascii();
    let is = |words: [&str; 2]| words.iter().any(|one| word.eq_ignore_ascii_case(one));
    let yes = is(["yes", "true"]);
    let is_text = kind.is("string");
    let number = kind.is("integer") || kind.is("number");
    if !is_text && is(["decline", "cancel"]) {
        let declined = word.eq_ignore_ascii_case("decline");
        out.text(if declined {
            "{\"action\":\"decline\"}"
        } else {
            "{\"action\":\"cancel\"}"
        });
        return true;
    }
    let fits = is_text
        || kind.is("boolean") && (yes || is(["no", "false"]))
        || number && json::parse(word.as_bytes()).is_ok_and(|one| one.kind() == Json::Number);
    if !fits {
        return false;
    }
    out.text("{\"action\":\"accept\",\"content\":{\"");
    out.put(name.raw());
    out.text("\":");
    if is_text {
        write::string(out, text);
    } else if number {
        out.text(word);
    } else {
        write::bool(out, yes);
    }
    out.text("}}");
    true
}

/// Bytes of the longest number as text.
const DIGITS: usize = 20;

/// Whether this is the name of a question outside.
fn is_name(name: Text<'_>, key: &str, number: u64) -> bool {
    let mut room = [0; DIGITS];
    let mut digits = Sink::new(&mut room);
    digits.number(number);
    let digits = core::str::from_utf8(digits.kept()).unwrap_or("");
    let tail = core::iter::once('-').chain(digits.chars());
    name.chars().eq(key.chars().chain(tail))
}

/// Writes the name of a question outside, without quotes.
#[cfg(feature = "tasks")]
pub(crate) fn write_name(out: &mut Sink<'_>, key: &str, number: u64) {
    write::escaped(out, key.as_bytes());
    out.byte(b'-');
    out.number(number);
}

/// The status that waits for answers as the log stood at `until`, and what it
/// asks. One that asks in words alone asks for a text.
#[cfg(feature = "tasks")]
pub(crate) fn asked(log: &[u8], until: u64) -> Option<(u64, impl Iterator<Item = Question<'_>>)> {
    let (entry, status) = asking(log, until)?;
    let words = (!asks(&entry)).then_some(Question {
        key: ANSWER,
        message: status.text,
        what: Asked::Form(ANSWER_FORM),
    });
    Some((entry.number, questions(&entry).chain(words)))
}

/// The last status, if it waits for answers.
#[cfg(feature = "tasks")]
fn asking(log: &[u8], until: u64) -> Option<(Entry<'_>, Status<'_>)> {
    let mut last = None;
    for entry in entries(log, until) {
        if let What::Status(status) = entry.what {
            last = Some((entry, status));
        }
    }
    last.filter(|(_, status)| status.state == State::InputRequired)
}

/// Whether a question of the status `number` was answered by its name.
#[cfg(feature = "tasks")]
pub(crate) fn is_answered(log: &[u8], until: u64, number: u64, key: &str) -> bool {
    let later = entries(log, until).filter(|entry| entry.number > number);
    later
        .flat_map(|entry| entry.parts())
        .any(|part| match part.content {
            Content::Data(data) => {
                let mut members = Value::checked(data).members();
                members.any(|(name, _)| is_name(name, key, number))
            }
            _ => false,
        })
}

/// Writes those of some responses that a question waits for, as an object;
/// gives how many questions are left open.
#[cfg(feature = "tasks")]
pub(crate) fn open_answers(out: &mut Sink<'_>, log: &[u8], responses: Value<'_>) -> usize {
    let Some((number, questions)) = asked(log, u64::MAX) else {
        return 0;
    };
    let mut open = 0usize;
    let mut any = false;
    for question in questions {
        if is_answered(log, u64::MAX, number, question.key) {
            continue;
        }
        let mut members = responses.members();
        let answer = members.find(|(name, _)| is_name(*name, question.key, number));
        let Some((name, value)) = answer else {
            open = open.saturating_add(1);
            continue;
        };
        out.byte(if any { b',' } else { b'{' });
        any = true;
        out.byte(b'"');
        out.put(name.raw());
        out.text("\":");
        out.put(value.raw());
    }
    if any {
        out.byte(b'}');
    }
    open
}

/// The words of a response to a question that was asked in words alone: what
/// was entered, else what the user did.
#[cfg(feature = "tasks")]
pub(super) fn words<'v>(log: &[u8], responses: Value<'v>) -> Option<Text<'v>> {
    let (entry, _) = asking(log, u64::MAX).filter(|(entry, _)| !asks(entry))?;
    let mut members = responses.members();
    let (_, value) = members.find(|(name, _)| is_name(*name, ANSWER, entry.number))?;
    let entered = value.member("content").and_then(|one| one.member(ANSWER));
    let entered = entered.and_then(Value::as_text);
    entered.or_else(|| value.member("action").and_then(Value::as_text))
}
