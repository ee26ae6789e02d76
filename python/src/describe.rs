//! Plain descriptors of Python as those of the core, whose rules they keep.

use agentmote::a2a::{Agent, Card, Scheme, SchemeKind};
use agentmote::mcp::{Device, Identity};
use agentmote::resource::{Reader, Resource, Watch};
use agentmote::task::{Runtime, Skill, Step, Work};
use agentmote::tool::{
    Asks, Broken, Capabilities, Decimal, Effects, Entry, Form, Handler, Input, Literal, Param,
    TaskSupport, Tool, Type, broken_rule,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::arena::Arena;

/// Header of a key, beside `Authorization: Bearer`.
const KEY_HEADER: &str = "X-API-KEY";

/// The exception for a rule of the core that is broken.
fn broken(what: &str, rule: &str) -> PyErr {
    PyValueError::new_err(format!("{what}: {rule}"))
}

/// See [`broken`]; who breaks it is told, if the core knows.
fn broken_by(what: &str, broken_by: Broken) -> PyErr {
    let who = if broken_by.who.is_empty() {
        what
    } else {
        broken_by.who
    };
    broken(who, broken_by.rule)
}

fn whole_tool(what: &str, tool: &Tool) -> PyResult<()> {
    broken_rule(tool).map_or(Ok(()), |rule| Err(broken(what, rule)))
}

const SCHEMES: &[Scheme] = &[
    Scheme {
        name: "bearer",
        kind: SchemeKind::Bearer,
    },
    Scheme {
        name: "key",
        kind: SchemeKind::ApiKey(KEY_HEADER),
    },
];

/// Makes the tables of one device.
///
/// Nothing of what it gives may be used once its arena is gone.
pub(crate) struct Maker {
    arena: Arena,
}

impl Maker {
    pub(crate) fn new() -> Self {
        Self {
            arena: Arena::default(),
        }
    }

    /// Ends the making: the arena is to be kept as long as the device.
    pub(crate) fn finish(self) -> Arena {
        self.arena
    }

    fn text(&mut self, text: &str) -> &'static str {
        // SAFETY: the caller of `Maker` keeps the arena as long as the tables.
        unsafe { self.arena.text(text) }
    }

    fn table<T: Send + Sync + 'static>(&mut self, values: Vec<T>) -> &'static [T] {
        // SAFETY: as above.
        unsafe { self.arena.slice(values) }
    }

    /// One descriptor, or one device.
    pub(crate) fn one<T: Send + Sync + 'static>(&mut self, value: T) -> &'static T {
        // SAFETY: as above.
        unsafe { self.arena.one(value) }
    }

    /// The device itself.
    pub(crate) fn device<App: 'static>(
        &mut self,
        identity: &Bound<'_, PyDict>,
        tools: Vec<Entry<App>>,
        resources: Vec<Resource<App>>,
        templates: Vec<Resource<App>>,
    ) -> PyResult<&'static Device<App>> {
        let identity = Identity {
            name: self.member(identity, "name")?,
            title: self.member(identity, "title")?,
            version: self.member(identity, "version")?,
            instructions: self.member(identity, "instructions")?,
        };
        let tools = self.table(tools);
        let resources = self.table(resources);
        let templates = self.table(templates);
        let device = Device::checked(identity, tools)
            .and_then(|device| device.checked_resources(resources, templates))
            .map_err(|error| broken_by("device", error))?;
        Ok(self.one(device))
    }

    /// A tool and what runs it.
    pub(crate) fn tool<App>(
        &mut self,
        given: &Bound<'_, PyDict>,
        run: Handler<App>,
    ) -> PyResult<Entry<App>> {
        let name: String = given_as(given, "name")?;
        let what = format!("tool {name:?}");
        let raw: Option<String> = get(given, "schema")?.extract()?;
        let input = match raw {
            Some(text) => Input::Schema(self.text(&text)),
            None => Input::Params(self.params(&what, &get(given, "params")?)?),
        };
        let output = get(given, "output")?;
        let output = if output.is_none() {
            None
        } else {
            Some(self.params(&what, &output)?)
        };
        let tool = Tool {
            name: self.text(&name),
            title: self.member(given, "title")?,
            description: self.member(given, "description")?,
            input,
            output,
            exact: false,
            scopes: given_as(given, "scopes")?,
            effects: Effects {
                read_only: given_as(given, "read_only")?,
                actuates: given_as(given, "actuates")?,
                idempotent: given_as(given, "idempotent")?,
                destructive: given_as(given, "destructive")?,
            },
            requires: Capabilities::NONE,
            task: TaskSupport::Forbidden,
            polled: given_as(given, "polled")?,
            asks: match given_as(given, "asks")? {
                true => Asks::Sealed,
                false => Asks::Never,
            },
        };
        whole_tool(&what, &tool)?;
        Ok(Entry { tool, run })
    }

    /// A resource, or a template of some.
    pub(crate) fn resource<App>(
        &mut self,
        given: &Bound<'_, PyDict>,
        read: Reader<App>,
        watch: Option<Watch<App>>,
    ) -> PyResult<Resource<App>> {
        let subscribable: bool = given_as(given, "subscribable")?;
        let uri = self.member(given, "uri")?;
        let name = self.member(given, "name")?;
        Ok(Resource {
            title: self.member(given, "title")?,
            description: self.member(given, "description")?,
            mime: self.member(given, "mime")?,
            watch: watch.filter(|_| subscribable),
            ..Resource::new(uri, name, read)
        })
    }

    /// A skill, run by this.
    pub(crate) fn skill<App>(
        &mut self,
        given: &Bound<'_, PyDict>,
        run: fn(&mut App, &mut Work<'_>) -> Step,
    ) -> PyResult<Skill<App>> {
        let tags = self.texts(given, "tags")?;
        let examples = self.texts(given, "examples")?;
        let words = self.texts(given, "words")?;
        let input_modes = self.texts(given, "input_modes")?;
        let output_modes = self.texts(given, "output_modes")?;
        let id = self.member(given, "id")?;
        let name = self.member(given, "name")?;
        let description = self.member(given, "description")?;
        Ok(Skill {
            examples,
            words,
            input_modes,
            output_modes,
            scopes: given_as(given, "scopes")?,
            talks: given_as(given, "talks")?,
            listens: given_as(given, "listens")?,
            public: given_as(given, "public")?,
            ..Skill::new(id, name, description, tags, run)
        })
    }

    /// The table of skills.
    pub(crate) fn skills<App: 'static>(
        &mut self,
        skills: Vec<Skill<App>>,
    ) -> &'static [Skill<App>] {
        self.table(skills)
    }

    /// An agent with these skills: its card names the endpoint `url`.
    pub(crate) fn agent<App: Runtime>(
        &mut self,
        about: [&str; 4],
        secured: bool,
        skills: &'static [Skill<App>],
    ) -> PyResult<&'static Agent<App>> {
        let [name, description, version, url] = about.map(|text| self.text(text));
        let card = Card {
            schemes: if secured { SCHEMES } else { &[] },
            ..Card::new(name, description, version, url)
        };
        let agent = Agent::checked(card, skills).map_err(|error| broken_by("agent", error))?;
        Ok(self.one(agent))
    }

    /// A member that is a list of texts.
    pub(crate) fn texts(
        &mut self,
        given: &Bound<'_, PyDict>,
        name: &str,
    ) -> PyResult<&'static [&'static str]> {
        let texts: Vec<String> = given_as(given, name)?;
        let texts = texts.iter().map(|text| self.text(text)).collect();
        Ok(self.table(texts))
    }

    /// A member that is a text.
    pub(crate) fn member(
        &mut self,
        given: &Bound<'_, PyDict>,
        name: &str,
    ) -> PyResult<&'static str> {
        let text: String = given_as(given, name)?;
        Ok(self.text(&text))
    }

    /// A form of these fields. The core keeps it in what it is about to send,
    /// so it stays for good, as the arena of this maker does.
    pub(crate) fn form(mut self, fields: &Bound<'_, PyAny>) -> PyResult<Form> {
        let fields = self.params("form", fields)?;
        let form = Form::checked(fields).map_err(|rule| broken("form", rule))?;
        std::mem::forget(self.arena);
        Ok(form)
    }

    fn params(&mut self, what: &str, list: &Bound<'_, PyAny>) -> PyResult<&'static [Param]> {
        let mut params = Vec::new();
        for given in list.try_iter()? {
            let given = given?;
            let given = given.cast::<PyDict>()?;
            let name: String = given_as(given, "name")?;
            let what = format!("{what}, parameter {name:?}");
            let ty = self.ty(&what, &get(given, "type")?)?;
            let default = get(given, "default")?;
            let header: Option<String> = get(given, "header")?.extract()?;
            let param = Param {
                name: self.text(&name),
                description: self.member(given, "description")?,
                ty,
                unit: self.member(given, "unit")?,
                required: given_as(given, "required")?,
                default: if default.is_none() {
                    None
                } else {
                    Some(self.literal(&what, &ty, &default)?)
                },
                header: header.map(|header| self.text(&header)),
            };
            // Alone first: the rule is told with the parameter that breaks it.
            let mut alone = Arena::default();
            // SAFETY: the list is read by the check below, before `alone` goes.
            let list = unsafe { alone.slice(vec![param]) };
            let tool = Tool {
                input: Input::Params(list),
                ..Tool::new("tool", "Tool.")
            };
            whole_tool(&what, &tool)?;
            params.push(param);
        }
        Ok(self.table(params))
    }

    /// A type: a tuple of its kind and its bounds.
    fn ty(&mut self, what: &str, given: &Bound<'_, PyAny>) -> PyResult<Type> {
        let given = given.cast::<PyTuple>()?;
        let kind: String = given.get_item(0)?.extract()?;
        let at = |at: usize| given.get_item(at);
        Ok(match kind.as_str() {
            "boolean" => Type::Boolean,
            "integer" => Type::Integer {
                min: at(1)?.extract::<Option<i64>>()?.unwrap_or(i64::MIN),
                max: at(2)?.extract::<Option<i64>>()?.unwrap_or(i64::MAX),
            },
            "number" => Type::Number {
                min: self.bound(what, &at(1)?, Decimal::LOWEST)?,
                max: self.bound(what, &at(2)?, Decimal::HIGHEST)?,
            },
            "string" => Type::String {
                min: at(1)?.extract()?,
                max: at(2)?.extract()?,
            },
            "choice" => {
                let mut choices = Vec::new();
                for choice in at(1)?.try_iter()? {
                    choices.push(self.text(&choice?.extract::<String>()?));
                }
                Type::Choice(self.table(choices))
            }
            "array" => {
                let items = self.ty(what, &at(1)?)?;
                Type::Array {
                    items: self.one(items),
                    min: at(2)?.extract()?,
                    max: at(3)?.extract()?,
                }
            }
            "object" => Type::Object(self.params(what, &at(1)?)?),
            _ => return Err(PyTypeError::new_err(format!("{what}: no type {kind:?}"))),
        })
    }

    fn bound(&self, what: &str, given: &Bound<'_, PyAny>, none: Decimal) -> PyResult<Decimal> {
        match given.extract::<Option<f64>>()? {
            None => Ok(none),
            Some(value) => decimal(what, value),
        }
    }

    fn literal(&mut self, what: &str, ty: &Type, given: &Bound<'_, PyAny>) -> PyResult<Literal> {
        let wrong = || {
            let shown = given.repr().map_or("?".into(), |text| text.to_string());
            PyTypeError::new_err(format!("{what}: the default {shown} is not {}", ty.noun()))
        };
        Ok(match ty {
            Type::Boolean if given.is_instance_of::<PyBool>() => Literal::Boolean(given.extract()?),
            Type::Integer { .. }
                if given.is_instance_of::<PyInt>() && !given.is_instance_of::<PyBool>() =>
            {
                Literal::Integer(given.extract().map_err(|_| wrong())?)
            }
            Type::Number { .. }
                if (given.is_instance_of::<PyFloat>() || given.is_instance_of::<PyInt>())
                    && !given.is_instance_of::<PyBool>() =>
            {
                let value: f64 = given.extract()?;
                Literal::Number(decimal(what, value)?)
            }
            Type::String { .. } | Type::Choice(_) if given.is_instance_of::<PyString>() => {
                Literal::Text(self.text(&given.extract::<String>()?))
            }
            _ => return Err(wrong()),
        })
    }
}

fn decimal(what: &str, value: f64) -> PyResult<Decimal> {
    Decimal::checked(value).ok_or_else(|| {
        let rule = "a number of a descriptor has more than 15 digits, or is none";
        broken(what, rule)
    })
}

fn get<'py>(given: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    given
        .get_item(name)?
        .ok_or_else(|| PyTypeError::new_err(format!("a descriptor has no {name:?}")))
}

/// A member as a value of Rust.
pub(crate) fn given_as<T>(given: &Bound<'_, PyDict>, name: &str) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>,
{
    get(given, name)?.extract()
}
