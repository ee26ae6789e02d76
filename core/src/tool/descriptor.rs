//! The one description of a tool, from which its schema, its check, its
//! decoding and its help come.

use super::Decimal;

/// A type of parameter or result member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    /// `true` or `false`.
    Boolean,
    /// A whole number within `min..=max`. A bound at the end of `i64` is no
    /// bound: it is not advertised, and above `i64::MAX` numbers up to
    /// `u64::MAX` are let through.
    Integer {
        /// Smallest allowed value.
        min: i64,
        /// Largest allowed value.
        max: i64,
    },
    /// A number within `min..=max`; an infinite bound is no bound.
    Number {
        /// Smallest allowed value.
        min: Decimal,
        /// Largest allowed value.
        max: Decimal,
    },
    /// Text whose length lies within `min..=max`.
    String {
        /// Fewest characters (Unicode scalar values).
        min: u16,
        /// Most characters (Unicode scalar values).
        max: u16,
    },
    /// One of a fixed set of texts.
    Choice(&'static [&'static str]),
    /// A list of values of one type.
    Array {
        /// Type of each element.
        items: &'static Type,
        /// Fewest elements.
        min: u16,
        /// Most elements.
        max: u16,
    },
    /// An object with these members and no others.
    Object(&'static [Param]),
}

impl Type {
    /// Whole numbers without a bound.
    pub const INTEGER: Self = Self::Integer {
        min: i64::MIN,
        max: i64::MAX,
    };
    /// Numbers without a bound.
    pub const NUMBER: Self = Self::Number {
        min: Decimal::LOWEST,
        max: Decimal::HIGHEST,
    };

    /// With its article, for an error message.
    pub const fn noun(&self) -> &'static str {
        match self {
            Self::Boolean => "a boolean",
            Self::Integer { .. } => "an integer",
            Self::Number { .. } => "a number",
            Self::String { .. } | Self::Choice(_) => "a string",
            Self::Array { .. } => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// A default value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// Of a [`Type::Boolean`].
    Boolean(bool),
    /// Of a [`Type::Integer`].
    Integer(i64),
    /// Of a [`Type::Number`].
    Number(Decimal),
    /// Of a [`Type::String`] or [`Type::Choice`].
    Text(&'static str),
}

/// One parameter of a tool, or one member of an object.
///
/// ```
/// use agentmote::tool::Param;
/// const JOINT: Param = Param::integer("joint", "Joint number, base first.", 0, 5);
/// const SPEED: Param =
///     Param::integer("speed", "Speed.", 1, 100).unit("percent").or_integer(20);
/// assert!(JOINT.required && !SPEED.required);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// 1 to [`NAME_CHARS`](crate::limits::NAME_CHARS) letters, digits, `_`,
    /// `-`, `.`.
    pub name: &'static str,
    /// For people and models; may be empty.
    pub description: &'static str,
    /// What is allowed.
    pub ty: Type,
    /// Unit of a number, such as `deg` or `ms`; empty for none. It is
    /// advertised at the end of the description.
    pub unit: &'static str,
    /// Whether a call without it is refused.
    pub required: bool,
    /// What a call without it means.
    pub default: Option<Literal>,
    /// Name behind `Mcp-Param-` of the HTTP header in which a client repeats
    /// the value (M-073). Only for booleans, integers and text, and only
    /// where objects alone lead to the parameter (M-074).
    pub header: Option<&'static str>,
}

impl Param {
    /// A required parameter of any type.
    pub const fn new(name: &'static str, description: &'static str, ty: Type) -> Self {
        Self {
            name,
            description,
            ty,
            unit: "",
            required: true,
            default: None,
            header: None,
        }
    }

    /// A required boolean.
    pub const fn boolean(name: &'static str, description: &'static str) -> Self {
        Self::new(name, description, Type::Boolean)
    }

    /// A required whole number within `min..=max`.
    pub const fn integer(
        name: &'static str,
        description: &'static str,
        min: i64,
        max: i64,
    ) -> Self {
        Self::new(name, description, Type::Integer { min, max })
    }

    /// A required number within `min..=max`.
    pub const fn number(name: &'static str, description: &'static str, min: f64, max: f64) -> Self {
        let range = Type::Number {
            min: Decimal::new(min),
            max: Decimal::new(max),
        };
        Self::new(name, description, range)
    }

    /// A required text of at most `max` characters.
    pub const fn string(name: &'static str, description: &'static str, max: u16) -> Self {
        Self::new(name, description, Type::String { min: 0, max })
    }

    /// A required choice of one of `choices`.
    pub const fn choice(
        name: &'static str,
        description: &'static str,
        choices: &'static [&'static str],
    ) -> Self {
        Self::new(name, description, Type::Choice(choices))
    }

    /// The same with a unit.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// The same, but it may be absent.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// The same, and absent means `value`.
    #[must_use]
    pub const fn or(mut self, value: Literal) -> Self {
        self.default = Some(value);
        self.optional()
    }

    /// The same, and absent means this whole number.
    #[must_use]
    pub const fn or_integer(self, value: i64) -> Self {
        self.or(Literal::Integer(value))
    }

    /// The same, repeated by HTTP clients in the header `Mcp-Param-<name>`.
    #[must_use]
    pub const fn header(mut self, name: &'static str) -> Self {
        self.header = Some(name);
        self
    }
}

/// What calling a tool does to the world. Advertised as hints (M-103), and
/// used by policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Changes nothing.
    pub read_only: bool,
    /// Moves or switches something.
    pub actuates: bool,
    /// Calling it twice with the same arguments is the same as once.
    pub idempotent: bool,
    /// May destroy something that cannot be brought back.
    pub destructive: bool,
}

/// Features that a client must have declared before a tool may be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// The client can ask its user.
    pub elicitation: bool,
    /// The client can ask its model.
    pub sampling: bool,
    /// The client can list its roots.
    pub roots: bool,
}

impl Capabilities {
    /// None of them.
    pub const NONE: Self = Self {
        elicitation: false,
        sampling: false,
        roots: false,
    };

    /// Those of `self` that `have` lacks.
    #[must_use]
    pub const fn missing(self, have: Self) -> Self {
        Self {
            elicitation: self.elicitation && !have.elicitation,
            sampling: self.sampling && !have.sampling,
            roots: self.roots && !have.roots,
        }
    }

    /// Those of either.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            elicitation: self.elicitation || other.elicitation,
            sampling: self.sampling || other.sampling,
            roots: self.roots || other.roots,
        }
    }

    /// The name of the first of them in the protocol; empty for none.
    pub const fn first_name(self) -> &'static str {
        if self.elicitation {
            "elicitation"
        } else if self.sampling {
            "sampling"
        } else if self.roots {
            "roots"
        } else {
            ""
        }
    }

    /// Whether it names none.
    pub const fn is_none(self) -> bool {
        !(self.elicitation || self.sampling || self.roots)
    }
}

/// Whether a handler asks its caller in the middle of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// It does not.
    #[default]
    Never,
    /// It does, and takes answers only to questions that it asked: in the
    /// modern era, those that come with the sealed `requestState` of this
    /// tool, these arguments and this caller, unused and not too old (M-148).
    Sealed,
    /// It does, and takes answers from anybody who gives them, asked or not.
    Open,
}

/// Whether a call of a tool becomes a task for a client that takes one
/// (feature `tasks`): it is answered at once with the id of a record, which
/// the client then asks after (M-160).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskSupport {
    /// It does not.
    #[default]
    Forbidden,
    /// It does. Any other client gets the result itself, once it is there.
    Optional,
    /// It does, and any other client is refused, before anything happens.
    Required,
    /// As `Required`, and what the tool asks it asks with the call, before
    /// there is a task. Its handler is called for that while `Call::is_task`
    /// is `false`, and must then do nothing but ask; once it has all answers
    /// it answers "not yet", and is called again from step 0 as the work of a
    /// task, with the same answers.
    AfterInput,
}

/// What somebody may see of tables whose entries tell which scopes they need.
#[cfg(any(feature = "resources", feature = "prompts"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sight(#[cfg(feature = "scopes")] u32);

#[cfg(any(feature = "resources", feature = "prompts"))]
#[cfg(feature = "scopes")]
impl Sight {
    /// What this caller sees.
    pub(crate) const fn of(caller: Caller) -> Self {
        Self(caller.scopes)
    }

    /// Whether he has all of these scopes.
    pub(crate) const fn has(self, needed: u32) -> bool {
        needed & !self.0 == 0
    }
}

/// Without scopes everybody sees everything.
#[cfg(any(feature = "resources", feature = "prompts"))]
#[cfg(not(feature = "scopes"))]
impl Sight {
    pub(crate) const fn of(_: Caller) -> Self {
        Self()
    }

    pub(crate) const fn has(self, _: u32) -> bool {
        true
    }
}

/// Who calls, as the transport has found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Caller {
    /// A number of the application's choice for whom the caller speaks for.
    /// An answer to a question is taken from the caller who was asked
    /// (M-148).
    pub id: u32,
    /// What the caller may do: bits of the application's choice, to be
    /// compared with the scopes of a tool, a resource or a prompt (feature
    /// `scopes`).
    pub scopes: u32,
}

impl Caller {
    /// The only one, who may do everything: on a wire that has one peer, and
    /// over HTTP without credentials.
    pub const ANY: Self = Self {
        id: 0,
        scopes: u32::MAX,
    };
}

/// What a tool takes.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// Described parameters: advertised, checked and decoded by the core.
    Params(&'static [Param]),
    /// JSON Schema text that is advertised unchanged (M-113), for keywords
    /// beyond [`Type`]. The core then checks only that the arguments are an
    /// object in which no name stands twice: the handler checks the rest.
    Schema(&'static str),
}

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// 1 to [`NAME_CHARS`](crate::limits::NAME_CHARS) letters, digits, `_`,
    /// `-`, `.` (M-102).
    pub name: &'static str,
    /// For people; empty for none.
    pub title: &'static str,
    /// For models; must not be empty (M-101).
    pub description: &'static str,
    /// What it takes.
    pub input: Input,
    /// Members of its structured result, if it has one (M-114).
    pub output: Option<&'static [Param]>,
    /// Whether its handler can give no result that breaks `output`. The
    /// macros know it from the Rust type; results of other tools are checked
    /// before they are sent.
    pub exact: bool,
    /// What calling it does.
    pub effects: Effects,
    /// What the client must be able to do (M-025).
    pub requires: Capabilities,
    /// Whether its handler may answer "not yet". Such a call takes one of the
    /// connection's places for calls in flight.
    pub polled: bool,
    /// Whether its handler asks its caller; needs the feature `input`. Such a
    /// call takes one of the places for calls in flight in the legacy era,
    /// and none in the modern one.
    pub asks: Asks,
    /// Whether a call becomes a task; needs the feature `tasks`.
    pub task: TaskSupport,
    /// The scopes that a caller must have, all of them. For who lacks one,
    /// there is no such tool. Only the first
    /// [`FILTERED`](crate::limits::FILTERED) tools of a catalog may need any.
    #[cfg(feature = "scopes")]
    pub scopes: u32,
}

impl Tool {
    /// A tool without parameters, to be changed field by field.
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            title: "",
            description,
            input: Input::Params(&[]),
            output: None,
            exact: false,
            effects: Effects {
                read_only: false,
                actuates: false,
                idempotent: false,
                destructive: false,
            },
            requires: Capabilities::NONE,
            polled: false,
            asks: Asks::Never,
            task: TaskSupport::Forbidden,
            #[cfg(feature = "scopes")]
            scopes: 0,
        }
    }

    /// Its described parameters; none where raw schema text stands instead.
    pub const fn params(&self) -> &'static [Param] {
        match self.input {
            Input::Params(params) => params,
            Input::Schema(_) => &[],
        }
    }
}
