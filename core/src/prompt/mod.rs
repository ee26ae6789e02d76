//! What the device can suggest to say, in no protocol's words: prompts as
//! constant tables, and the messages that one of them becomes.

use core::fmt;

use crate::json::write::is_plain;
use crate::json::{Kind, Text, Value};
use crate::time::Instant;
use crate::tool::{Broken, Data, Outcome, same};
#[cfg(feature = "input")]
use crate::tool::{InputRequest, InputResponse, Inputs};

/// What writes the messages of a prompt. It is called once for each request,
/// after the arguments were found right, and must not wait.
pub type Renderer<App> = fn(&mut App, &mut Rendering<'_>);

/// One argument of a prompt: a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// For people and models; empty for none.
    pub description: &'static str,
    /// Whether a request without it is refused.
    pub required: bool,
    /// What is offered when it is typed; any other text is allowed too.
    pub values: &'static [&'static str],
}

impl Argument {
    /// A required argument.
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            required: true,
            values: &[],
        }
    }

    /// The same, but it may be absent.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// The same, with these values offered for completion (M-159).
    #[must_use]
    pub const fn values(mut self, values: &'static [&'static str]) -> Self {
        self.values = values;
        self
    }
}

/// One prompt.
#[derive(Debug)]
pub struct Prompt<App> {
    /// Its name, for programs.
    pub name: &'static str,
    /// For people; empty for none.
    pub title: &'static str,
    /// For people and models; empty for none.
    pub description: &'static str,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// What writes it.
    pub render: Renderer<App>,
    /// The scopes that a caller must have, all of them. For who lacks one,
    /// there is no such prompt.
    #[cfg(feature = "scopes")]
    pub scopes: u32,
}

impl<App> Prompt<App> {
    /// A prompt without arguments, to be changed field by field.
    pub const fn new(name: &'static str, description: &'static str, render: Renderer<App>) -> Self {
        Self {
            name,
            title: "",
            description,
            arguments: &[],
            render,
            #[cfg(feature = "scopes")]
            scopes: 0,
        }
    }

    /// The scopes that it needs.
    pub(crate) const fn needs(&self) -> u32 {
        #[cfg(feature = "scopes")]
        return self.scopes;
        #[cfg(not(feature = "scopes"))]
        0
    }
}

/// One request for a prompt: its arguments, the time, and the place for its
/// messages. A message is the user's unless it was announced as the
/// assistant's.
#[derive(Debug)]
pub struct Rendering<'c> {
    name: &'static str,
    arguments: Option<Value<'c>>,
    now: Instant,
    buf: &'c mut [u8],
    outcome: &'c mut Outcome,
    #[cfg(feature = "input")]
    inputs: Inputs<'c>,
}

impl<'c> Rendering<'c> {
    /// Asks the client under a name that is unique in this answer: the
    /// response, or `None` if there is none yet. The prompt is then answered
    /// by the question, and rendered anew when the client comes back with the
    /// answer; before 2026-07-28 it fails. See
    /// [`Call::ask`](crate::tool::Call::ask).
    #[cfg(feature = "input")]
    pub fn ask(&mut self, key: &str, request: InputRequest<'_>) -> Option<InputResponse<'c>> {
        self.inputs.ask(self.outcome, self.buf, key, request)
    }

    /// The name of the prompt: for one function behind several prompts.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The time of the request.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// An argument; `None` if it was not given.
    pub fn get(&self, name: &str) -> Option<Text<'c>> {
        self.arguments?.member(name)?.as_text()
    }

    /// The message that is added next is the assistant's.
    pub fn assistant(&mut self) -> &mut Self {
        self.outcome.assistant(self.buf);
        self
    }

    /// Adds a message of text.
    pub fn text(&mut self, text: &str) {
        self.outcome.text(self.buf, |sink| sink.text(text));
    }

    /// Adds a message of formatted text; see
    /// [`Call::format`](crate::tool::Call::format).
    pub fn format(&mut self, text: fmt::Arguments<'_>) {
        self.outcome.text(self.buf, |sink| {
            let _ = fmt::Write::write_fmt(sink, text);
        });
    }

    /// Adds a message with a picture.
    pub fn image(&mut self, data: Data<'_>, mime: &str) {
        self.outcome.image(self.buf, data, mime);
    }

    /// Adds a message with a resource of text.
    pub fn resource_text(&mut self, uri: &str, mime: &str, text: &str) {
        self.outcome.resource_text(self.buf, uri, mime, text);
    }

    /// Adds a message with a resource of bytes.
    pub fn resource_blob(&mut self, uri: &str, mime: &str, data: Data<'_>) {
        self.outcome.resource_blob(self.buf, uri, mime, data);
    }

    /// Answers that the prompt cannot be given now, with the reason. What
    /// was added before is dropped.
    pub fn fail(&mut self, reason: &str) {
        self.outcome.refuse(self.buf, |sink| sink.text(reason));
    }
}

/// What is wrong with the arguments of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// One that is required is not there.
    Missing(&'static str),
    /// One is no text.
    Kind(&'static str),
    /// One stands twice.
    Twice(&'static str),
    /// One is not known.
    Unknown,
}

/// Checks the arguments of a request before anything acts (M-158).
pub(crate) fn check<App>(prompt: &Prompt<App>, arguments: Option<Value<'_>>) -> Result<(), Wrong> {
    let members = || arguments.into_iter().flat_map(Value::members);
    for argument in prompt.arguments {
        let mut found = members().filter(|(name, _)| name.is(argument.name));
        match found.next() {
            None if argument.required => return Err(Wrong::Missing(argument.name)),
            Some((_, value)) if value.kind() != Kind::String => {
                return Err(Wrong::Kind(argument.name));
            }
            _ => {}
        }
        if found.next().is_some() {
            return Err(Wrong::Twice(argument.name));
        }
    }
    let known = |name: Text<'_>| prompt.arguments.iter().any(|one| name.is(one.name));
    if members().all(|(name, _)| known(name)) {
        Ok(())
    } else {
        Err(Wrong::Unknown)
    }
}

/// Writes the messages of a prompt, and makes sure that what is left in the
/// buffer can be sent.
pub(crate) fn render<App>(
    prompt: &Prompt<App>,
    app: &mut App,
    now: Instant,
    arguments: Option<Value<'_>>,
    #[cfg(feature = "input")] inputs: Inputs<'_>,
    buf: &mut [u8],
    outcome: &mut Outcome,
) {
    outcome.clear();
    let mut rendering = Rendering {
        name: prompt.name,
        arguments,
        now,
        buf: &mut *buf,
        outcome: &mut *outcome,
        #[cfg(feature = "input")]
        inputs,
    };
    (prompt.render)(app, &mut rendering);
    outcome.settle(buf, prompt.name);
}

/// The rule that a table breaks, if it breaks one.
pub(crate) const fn broken<App>(table: &[Prompt<App>]) -> Option<Broken> {
    if table.len() >= u8::MAX as usize {
        return Some(Broken::of("", "more than 254 prompts"));
    }
    let mut i = 0;
    while i < table.len() {
        if let Some(rule) = broken_rule(table, i) {
            return Some(Broken::of(table[i].name, rule));
        }
        i += 1;
    }
    None
}

/// The rule that the prompt at `at` breaks.
const fn broken_rule<App>(table: &[Prompt<App>], at: usize) -> Option<&'static str> {
    if at >= table.len() {
        return None;
    }
    let name = table[at].name;
    hold!(
        !name.is_empty() && is_plain(name),
        "the name of a prompt is empty or has a character that JSON escapes"
    );
    let arguments = table[at].arguments;
    hold!(
        arguments.len() <= crate::limits::PARAMS,
        "too many arguments"
    );
    let mut k = 0;
    while k < arguments.len() {
        hold!(
            !arguments[k].name.is_empty() && is_plain(arguments[k].name),
            "the name of an argument is empty or has a character that JSON escapes"
        );
        let mut j = 0;
        while j < k {
            hold!(
                !same(arguments[j].name, arguments[k].name, false),
                "two arguments have the same name"
            );
            j += 1;
        }
        k += 1;
    }
    let mut k = 0;
    while k < at {
        hold!(
            !same(name, table[k].name, false),
            "two prompts have the same name"
        );
        k += 1;
    }
    None
}
