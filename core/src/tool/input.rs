//! Questions to the caller in the middle of a call, in no protocol's words:
//! what a handler may ask, and what comes back.

use super::answer::Outcome;
use super::args::{Arg, Args};
use super::check::check_members;
use super::descriptor::{Capabilities, Input, Param, Type};
use super::verify::{self, form_rule};
use crate::json::{Kind, Text, Value};

/// The fields of a form: text, numbers, booleans and choices, none inside
/// another (M-151).
#[derive(Clone, Copy, Debug)]
pub struct Form(Input);

impl Form {
    /// A form of these fields. What the user enters is checked against them.
    ///
    /// # Panics
    /// When a field breaks a rule of parameters, is an object, or is a list
    /// of anything but choices. In a `static` or `const` that is an error of
    /// the build; write it there.
    pub const fn new(fields: &'static [Param]) -> Self {
        match Self::checked(fields) {
            Ok(form) => form,
            Err(rule) => panic!("{}", rule),
        }
    }

    /// The same for fields that are made at run time.
    ///
    /// # Errors
    /// The rule that [`new`](Self::new) stops the build for.
    pub const fn checked(fields: &'static [Param]) -> Result<Self, &'static str> {
        match form_rule(fields) {
            Some(rule) => Err(rule),
            None => Ok(Self(Input::Params(fields))),
        }
    }

    /// A form of this JSON Schema text, for keywords beyond [`Param`]. The
    /// handler checks what the user enters.
    pub const fn schema(text: &'static str) -> Self {
        Self(Input::Schema(text))
    }

    /// The same for text that is made at run time.
    ///
    /// # Errors
    /// It is no JSON object on one line, as far as that can be seen from
    /// outside.
    pub const fn checked_schema(text: &'static str) -> Result<Self, &'static str> {
        match verify::schema(text.as_bytes()) {
            Some(rule) => Err(rule),
            None => Ok(Self::schema(text)),
        }
    }

    /// What it is made of.
    pub(crate) const fn input(self) -> Input {
        self.0
    }

    const fn params(self) -> &'static [Param] {
        match self.0 {
            Input::Params(params) => params,
            Input::Schema(_) => &[],
        }
    }
}

/// What a handler asks.
#[derive(Clone, Copy, Debug)]
pub enum InputRequest<'a> {
    /// The user, to fill in a form (`elicitation/create`).
    Elicit {
        /// What the user reads.
        message: &'a str,
        /// What is to be filled in.
        form: Form,
    },
    /// The client's model, for an answer to a text (`sampling/createMessage`;
    /// deprecated in 2026-07-28).
    Sample {
        /// What the model reads.
        message: &'a str,
        /// Tokens of the answer at most.
        max_tokens: u16,
    },
    /// The client, for its roots (`roots/list`; deprecated in 2026-07-28).
    ListRoots,
}

impl InputRequest<'_> {
    /// What a client must have declared to be asked this (M-146).
    pub(crate) const fn needs(&self) -> Capabilities {
        let mut needs = Capabilities::NONE;
        match self {
            Self::Elicit { .. } => needs.elicitation = true,
            Self::Sample { .. } => needs.sampling = true,
            Self::ListRoots => needs.roots = true,
        }
        needs
    }
}

/// What a user did with a form (M-152).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Filled it in.
    Accept,
    /// Refused.
    Decline,
    /// Went away without an answer; or the client could not ask.
    Cancel,
}

/// The answer to a question.
#[derive(Clone, Copy, Debug)]
pub struct InputResponse<'a> {
    action: Action,
    value: Value<'a>,
    args: Args<'a>,
}

impl<'a> InputResponse<'a> {
    /// What the user did; of a question that is not for the user:
    /// [`Action::Accept`] if it was answered.
    pub fn action(&self) -> Action {
        self.action
    }

    /// The field at place `at` of the form; `None` unless it was accepted.
    pub fn get<T: Arg<'a>>(&self, at: usize) -> Option<T> {
        match self.action {
            Action::Accept => self.args.get(at),
            _ => None,
        }
    }

    /// The answer as it came: of a form what was entered, else the whole
    /// result of the client.
    pub fn value(&self) -> Value<'a> {
        self.value
    }

    /// The text that the client's model gave, if it gave one.
    pub fn text(&self) -> Option<Text<'a>> {
        self.value.member("content")?.member("text")?.as_text()
    }

    /// Reads a response; `None` if it is not one to this question.
    fn read(request: &InputRequest<'_>, value: Value<'a>) -> Option<Self> {
        let none = Args::locate(&[], None);
        let cancelled = Self {
            action: Action::Cancel,
            value,
            args: none,
        };
        // What says two things is no answer.
        let twice = |name: &str| {
            let members = value.members();
            members.filter(|(member, _)| member.is(name)).count() > 1
        };
        if twice("action") || twice("content") {
            return None;
        }
        let action = value.member("action").and_then(Value::as_text);
        match request {
            InputRequest::Elicit { form, .. } => {
                let action = action?;
                if !action.is("accept") {
                    let declined = action.is("decline");
                    let action = if declined {
                        Action::Decline
                    } else {
                        Action::Cancel
                    };
                    return Some(Self {
                        action,
                        ..cancelled
                    });
                }
                let content = value.member("content");
                if content.is_some_and(|content| content.kind() != Kind::Object) {
                    return None;
                }
                let args = match form.0 {
                    Input::Params(params) => check_members(params, content)?,
                    Input::Schema(_) => Args::locate(form.params(), content),
                };
                Some(Self {
                    action: Action::Accept,
                    value: content.unwrap_or(Value::checked(b"{}")),
                    args,
                })
            }
            // The client could not ask.
            _ if action.is_some_and(|action| action.is("cancel")) => Some(cancelled),
            _ => Some(Self {
                action: Action::Accept,
                ..cancelled
            }),
        }
    }
}

/// What a handler has been answered, and whom it may ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'a> {
    responses: Option<Value<'a>>,
    client: Capabilities,
}

impl<'a> Inputs<'a> {
    pub(crate) const fn new(responses: Option<Value<'a>>, client: Capabilities) -> Self {
        Self { responses, client }
    }

    pub(crate) const fn client(self) -> Capabilities {
        self.client
    }

    /// The answer to a question, or nothing, and the question stands in the
    /// outcome. An answer that is none is asked for again (M-150).
    pub(crate) fn ask(
        self,
        outcome: &mut Outcome,
        buf: &mut [u8],
        key: &str,
        request: InputRequest<'_>,
    ) -> Option<InputResponse<'a>> {
        let response = self
            .responses
            .and_then(|responses| responses.member(key))
            .and_then(|value| InputResponse::read(&request, value));
        if response.is_none() {
            outcome.question(buf, key, request);
        }
        response
    }
}

/// A form with one question: yes or no.
pub(crate) const CONFIRM: Form =
    Form::new(&[Param::new("confirm", "Whether to go on.", Type::Boolean)]);
