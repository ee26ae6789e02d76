//! Typed reading of arguments that were found right.

use super::Decimal;
use super::descriptor::{Literal, Param, Type};
use crate::buf::{Sink, Span};
use crate::json::{Number, Text, Value};
use crate::limits::PARAMS;

/// The arguments of one call, checked against the tool's descriptor.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    object: Option<Value<'a>>,
    params: &'static [Param],
    /// Places in the object's text; the empty one for what is absent.
    values: [Span; PARAMS],
}

impl<'a> Args<'a> {
    pub(super) const fn new(params: &'static [Param], object: Option<Value<'a>>) -> Self {
        Self {
            object,
            params,
            values: [Span::EMPTY; PARAMS],
        }
    }

    /// Finds the members of an object that was checked before.
    pub(crate) fn locate(params: &'static [Param], object: Option<Value<'a>>) -> Self {
        let mut args = Self::new(params, object);
        for (key, value) in object.into_iter().flat_map(Value::members) {
            if let Some(at) = params.iter().position(|param| key.is(param.name)) {
                args.set(at, value);
            }
        }
        args
    }

    pub(super) fn set(&mut self, at: usize, value: Value<'a>) {
        if let (Some(place), Some(object)) = (self.values.get_mut(at), self.object) {
            *place = Span::of(object.raw(), value.raw());
        }
    }

    /// The whole object as it was sent; nothing if the call had no
    /// `arguments`. What a tool with raw schema text reads.
    pub fn object(&self) -> Option<Value<'a>> {
        self.object
    }

    /// The value given for the parameter at place `at` of the descriptor.
    pub fn value(&self, at: usize) -> Option<Value<'a>> {
        let span = self.values.get(at).filter(|span| !span.is_empty())?;
        Some(Value::checked(span.get(self.object?.raw())))
    }

    /// The parameter at place `at`, or its default, as a Rust value.
    ///
    /// `None` where the parameter is absent and has no default, or where the
    /// Rust type cannot hold what the descriptor allows. A derived descriptor
    /// rules out the latter when it is compiled, but for one thing: a number
    /// of more than 19 digits may be readable as a double and not as an
    /// `f32`.
    pub fn get<T: Arg<'a>>(&self, at: usize) -> Option<T> {
        match self.value(at) {
            Some(value) => T::from_value(value),
            None => match self.params.get(at)?.default {
                Some(literal) => T::from_literal(literal),
                None => T::absent(),
            },
        }
    }
}

/// A Rust type that arguments decode into.
///
/// `#[derive(ToolArgs)]` writes it for a struct, `#[derive(ToolArg)]` for an
/// enum of choices.
pub trait Arg<'a>: Sized {
    /// What values it holds, where a parameter says nothing narrower.
    const TYPE: Type;
    /// Whether a parameter of this type must be given, unless it has a
    /// default.
    const REQUIRED: bool = true;

    /// Reads a value that the check let through.
    fn from_value(value: Value<'a>) -> Option<Self>;

    /// Reads a default.
    fn from_literal(literal: Literal) -> Option<Self> {
        let _ = literal;
        None
    }

    /// The value of a parameter that is absent and has no default.
    fn absent() -> Option<Self> {
        None
    }
}

/// A struct that a tool's arguments decode into; see
/// [`derive@ToolArgs`](crate::ToolArgs).
pub trait ToolArgs<'a>: Sized {
    /// The parameters, in the order of the fields.
    const PARAMS: &'static [Param];

    /// Decodes arguments that were checked against [`PARAMS`](Self::PARAMS).
    fn decode(args: &Args<'a>) -> Option<Self>;
}

impl<'a> ToolArgs<'a> for () {
    const PARAMS: &'static [Param] = &[];

    fn decode(_: &Args<'a>) -> Option<Self> {
        Some(())
    }
}

impl<'a> Arg<'a> for bool {
    const TYPE: Type = Type::Boolean;

    fn from_value(value: Value<'a>) -> Option<Self> {
        value.as_bool()
    }

    fn from_literal(literal: Literal) -> Option<Self> {
        match literal {
            Literal::Boolean(value) => Some(value),
            _ => None,
        }
    }
}

macro_rules! integer {
    ($($ty:ident)*) => { $(
        impl<'a> Arg<'a> for $ty {
            const TYPE: Type = Type::Integer { min: $ty::MIN as i64, max: $ty::MAX as i64 };

            fn from_value(value: Value<'a>) -> Option<Self> {
                Self::try_from(value.as_number()?.as_i64().ok()?).ok()
            }

            fn from_literal(literal: Literal) -> Option<Self> {
                match literal {
                    Literal::Integer(value) => Self::try_from(value).ok(),
                    _ => None,
                }
            }
        }
    )* };
}
integer!(u8 u16 u32 i8 i16 i32 i64);

impl<'a> Arg<'a> for u64 {
    const TYPE: Type = Type::Integer {
        min: 0,
        max: i64::MAX,
    };

    fn from_value(value: Value<'a>) -> Option<Self> {
        value.as_number()?.as_u64().ok()
    }

    fn from_literal(literal: Literal) -> Option<Self> {
        match literal {
            Literal::Integer(value) => Self::try_from(value).ok(),
            _ => None,
        }
    }
}

macro_rules! float {
    ($($ty:ident $read:ident $min:expr, $max:expr;)*) => { $(
        impl<'a> Arg<'a> for $ty {
            const TYPE: Type = Type::Number { min: $min, max: $max };

            fn from_value(value: Value<'a>) -> Option<Self> {
                value.as_number()?.$read().ok()
            }

            fn from_literal(literal: Literal) -> Option<Self> {
                let Literal::Number(number) = literal else {
                    return None;
                };
                // Read from its digits: on a small core a conversion between
                // float types is a routine of its own.
                let mut room = [0; 32];
                let mut text = Sink::new(&mut room);
                number.write(&mut text);
                Number::new(text.kept()).$read().ok()
            }
        }
    )* };
}
float! {
    f32 as_f32 Decimal::F32_MIN, Decimal::F32_MAX;
    f64 as_f64 Decimal::LOWEST, Decimal::HIGHEST;
}

/// A number in units of `10^-D`, for a core without an FPU: as `Fixed<3>`,
/// 1.5 is 1500. Rounded to the nearest unit; a derived bound or default must
/// be a whole number of units, so that rounding cannot leave the range.
///
/// ```
/// use agentmote::tool::{Arg, Fixed};
/// let value = agentmote::json::parse(b"-90.0005").unwrap();
/// assert_eq!(Fixed::<3>::from_value(value), Some(Fixed(-90_001)));
/// ```
///
/// A bound between two units does not compile:
///
/// ```compile_fail
/// # use agentmote::{ToolArgs, tool::Fixed};
/// #[derive(ToolArgs)]
/// struct Move {
///     /// How far.
///     #[arg(range = 0.0..=0.25)]
///     far: Fixed<1>,
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fixed<const D: u8>(pub i32);

impl<const D: u8> Fixed<D> {
    const ONE: f64 = {
        let mut one = 1.0;
        let mut i = 0;
        while i < D {
            one *= 10.0;
            i += 1;
        }
        one
    };
}

impl<'a, const D: u8> Arg<'a> for Fixed<D> {
    const TYPE: Type = Type::Number {
        min: Decimal::new(i32::MIN as f64 / Self::ONE),
        max: Decimal::new(i32::MAX as f64 / Self::ONE),
    };

    fn from_value(value: Value<'a>) -> Option<Self> {
        value.as_number()?.as_fixed(D).ok().map(Self)
    }

    fn from_literal(literal: Literal) -> Option<Self> {
        let Literal::Number(number) = literal else {
            return None;
        };
        let mut room = [0; 32];
        let mut text = Sink::new(&mut room);
        number.write(&mut text);
        Number::new(text.kept()).as_fixed(D).ok().map(Self)
    }
}

/// Text borrowed from the request, escapes not yet resolved.
impl<'a> Arg<'a> for Text<'a> {
    const TYPE: Type = Type::String {
        min: 0,
        max: u16::MAX,
    };

    fn from_value(value: Value<'a>) -> Option<Self> {
        value.as_text()
    }

    fn from_literal(literal: Literal) -> Option<Self> {
        match literal {
            // Sound only without a backslash; the check of descriptors does
            // not let one into a default of text.
            Literal::Text(text) => Some(Text::checked(text.as_bytes())),
            _ => None,
        }
    }
}

/// A text of at most `N` bytes, so of `N / 4` characters whatever they are.
impl<'a, const N: usize> Arg<'a> for heapless::String<N> {
    const TYPE: Type = Type::String {
        min: 0,
        max: if N / 4 > u16::MAX as usize {
            u16::MAX
        } else {
            (N / 4) as u16
        },
    };

    fn from_value(value: Value<'a>) -> Option<Self> {
        let mut text = Self::new();
        for c in value.as_text()?.chars() {
            text.push(c).ok()?;
        }
        Some(text)
    }

    fn from_literal(literal: Literal) -> Option<Self> {
        match literal {
            Literal::Text(text) => Self::try_from(text).ok(),
            _ => None,
        }
    }
}

const fn capped(n: usize) -> u16 {
    if n > u16::MAX as usize {
        u16::MAX
    } else {
        n as u16
    }
}

/// A list of at most `N` elements.
impl<'a, T: Arg<'a> + 'static, const N: usize> Arg<'a> for heapless::Vec<T, N> {
    const TYPE: Type = Type::Array {
        items: &T::TYPE,
        min: 0,
        max: capped(N),
    };

    fn from_value(value: Value<'a>) -> Option<Self> {
        let mut list = Self::new();
        for element in value.elements() {
            list.push(T::from_value(element)?).ok()?;
        }
        Some(list)
    }
}

/// A list of exactly `N` elements.
impl<'a, T: Arg<'a> + 'static, const N: usize> Arg<'a> for [T; N] {
    const TYPE: Type = Type::Array {
        items: &T::TYPE,
        min: capped(N),
        max: capped(N),
    };

    fn from_value(value: Value<'a>) -> Option<Self> {
        heapless::Vec::<T, N>::from_value(value)?.into_array().ok()
    }
}

/// A parameter that may be absent and has no default.
impl<'a, T: Arg<'a>> Arg<'a> for Option<T> {
    const TYPE: Type = T::TYPE;
    const REQUIRED: bool = false;

    fn from_value(value: Value<'a>) -> Option<Self> {
        T::from_value(value).map(Some)
    }

    fn from_literal(literal: Literal) -> Option<Self> {
        T::from_literal(literal).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}
