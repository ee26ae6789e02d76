//! What the macros write calls to, and the C interface calls. No part of the
//! interface: it changes with them.

pub use serde;

use crate::json::Value;
use crate::tool::{
    Answer, Args, Call, Decimal, Input, Literal, Param, Tool, ToolArgs, Type, fits, verify,
};

/// Reads an object inside the arguments.
pub fn nested<'a, T: ToolArgs<'a>>(value: Value<'a>) -> Option<T> {
    T::decode(&Args::locate(T::PARAMS, Some(value)))
}

/// A value of a text that was checked before, read again from its bytes.
pub fn checked(raw: &[u8]) -> Value<'_> {
    Value::checked(raw)
}

/// Answers a call whose arguments passed the check of the descriptor but are
/// no value of the Rust type; a derived descriptor leaves no such arguments,
/// a type with its own decoding may.
#[cold]
pub fn misfit(call: &mut Call<'_>) -> Answer {
    call.fail("the arguments do not fit their Rust type")
}

/// How many are true.
pub fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|flag| **flag).count()
}

/// A value of a field's type in a constant.
pub struct Scalar<T: Plain>(pub T);

/// A type whose values can be bounds and defaults.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes literals only",
    label = "write a literal",
    note = "a constant can be a bound or a default of a plain number or `bool`"
)]
pub trait Plain {}

macro_rules! plain {
    ($($ty:ty: $value:ident => $literal:expr;)*) => { $(
        impl Plain for $ty {}
        impl Scalar<$ty> {
            /// The value in the descriptor's terms.
            pub const fn literal(self) -> Literal {
                let $value = self.0;
                $literal
            }
        }
    )* };
}
plain! {
    bool: value => Literal::Boolean(value);
    u8: value => Literal::Integer(value as i64);
    u16: value => Literal::Integer(value as i64);
    u32: value => Literal::Integer(value as i64);
    u64: value => Literal::Integer(if value > i64::MAX as u64 {
        assert!(value == u64::MAX, "a bound lies above i64::MAX");
        i64::MAX
    } else {
        value as i64
    });
    i8: value => Literal::Integer(value as i64);
    i16: value => Literal::Integer(value as i64);
    i32: value => Literal::Integer(value as i64);
    i64: value => Literal::Integer(value);
    f32: value => Literal::Number(Decimal::new(value as f64));
    f64: value => Literal::Number(Decimal::new(value));
}

/// `of` within these bounds.
pub const fn range(of: Type, low: Option<Literal>, high: Option<Literal>) -> Type {
    match of {
        Type::Integer { min, max } => {
            let narrow = Type::Integer {
                min: whole(low, min),
                max: whole(high, max),
            };
            fits(&narrow, &of);
            narrow
        }
        Type::Number { min, max } => {
            let (low, high) = (real(low, min), real(high, max));
            assert!(
                low.value() >= min.value() && high.value() <= max.value(),
                "the range is wider than the Rust type of the field"
            );
            assert!(
                low.is_on_grid_of(min) && high.is_on_grid_of(max),
                "a bound has more decimals than the type of the field"
            );
            Type::Number {
                min: low,
                max: high,
            }
        }
        _ => panic!("`range` is for numbers; texts have `length`, lists have `items`"),
    }
}

const fn whole(bound: Option<Literal>, or: i64) -> i64 {
    match bound {
        None => or,
        Some(Literal::Integer(value)) => value,
        Some(_) => panic!("a bound of an integer is an integer"),
    }
}

const fn real(bound: Option<Literal>, or: Decimal) -> Decimal {
    match bound {
        None => or,
        Some(Literal::Number(value)) => value,
        Some(Literal::Integer(value)) => Decimal::new(value as f64),
        Some(_) => panic!("a bound of a number is a number"),
    }
}

/// `of` with so many characters.
pub const fn length(of: Type, low: Option<u16>, high: Option<u16>) -> Type {
    let Type::String { min, max } = of else {
        panic!("`length` is for texts; lists have `items`");
    };
    let narrow = Type::String {
        min: or(low, min),
        max: or(high, max),
    };
    fits(&narrow, &of);
    narrow
}

/// `of` with so many elements.
pub const fn items(of: Type, low: Option<u16>, high: Option<u16>) -> Type {
    let Type::Array { items, min, max } = of else {
        panic!("`items` is for lists; texts have `length`");
    };
    let narrow = Type::Array {
        items,
        min: or(low, min),
        max: or(high, max),
    };
    fits(&narrow, &of);
    narrow
}

const fn or(bound: Option<u16>, or: u16) -> u16 {
    match bound {
        Some(bound) => bound,
        None => or,
    }
}

/// `of` with other elements.
pub const fn elements(of: Type, items: &'static Type) -> Type {
    match of {
        Type::Array { min, max, .. } => Type::Array { items, min, max },
        other => other,
    }
}

/// `param`, required or not.
pub const fn presence(param: Param, required: bool) -> Param {
    if required { param } else { param.optional() }
}

/// `param` with a default.
///
/// `of` is what the type of the field holds.
pub const fn default(of: Type, param: Param, value: Literal) -> Param {
    if let (Type::Number { min, .. }, Literal::Number(value)) = (of, value) {
        assert!(
            value.is_on_grid_of(min),
            "a default has more decimals than the type of the field"
        );
    }
    assert!(
        param.required,
        "an `Option` has no default: absent is `None`"
    );
    match (param.ty, value) {
        (Type::Number { .. }, Literal::Integer(value)) => {
            param.or(Literal::Number(Decimal::new(value as f64)))
        }
        _ => param.or(value),
    }
}

/// Stops the build if a parameter breaks a rule.
pub const fn verify_param(param: &'static Param) {
    verify_params(core::slice::from_ref(param));
}

/// Stops the build if parameters break a rule.
pub const fn verify_params(params: &'static [Param]) {
    let mut tool = Tool::new("args", "Arguments.");
    tool.input = Input::Params(params);
    verify(&tool);
}

/// Stops the build if a member of a result breaks a rule.
pub const fn verify_member(member: &'static Param) {
    verify_members(core::slice::from_ref(member));
}

/// Stops the build if the members of a result break a rule.
pub const fn verify_members(members: &'static [Param]) {
    let mut tool = Tool::new("result", "Result.");
    tool.output = Some(members);
    verify(&tool);
}
