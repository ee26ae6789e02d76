//! What a descriptor must hold. A `const fn` finds the rule that is broken:
//! where a descriptor is made when it is compiled, that is a panic, so it does
//! not build; where it is made at run time, it is a value.

use super::descriptor::{Asks, Input, Literal, Param, TaskSupport, Tool, Type};
use crate::limits::{NAME_CHARS, PARAM_DEPTH, PARAMS};

/// A rule that a table breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Who breaks it: the name of a tool or a prompt, the URI of a resource;
    /// empty where it is the table as a whole.
    pub who: &'static str,
    /// The rule, in words.
    pub rule: &'static str,
}

impl Broken {
    pub(crate) const fn of(who: &'static str, rule: &'static str) -> Self {
        Self { who, rule }
    }
}

/// Stops the build if a tool of the table breaks a rule, with the rule as the
/// message; see [`broken_rule`].
///
/// [`Catalog::new`](super::Catalog::new) calls it; nothing else needs to.
pub const fn verify(tool: &Tool) {
    if let Some(rule) = broken_rule(tool) {
        panic!("{}", rule);
    }
}

/// The rule that a tool breaks, if it breaks one: names (M-102), descriptions
/// (M-101), duplicates, ranges, defaults that the check would refuse, headers
/// (M-074), nesting and counts.
///
/// Bound: nesting is followed to [`PARAM_DEPTH`], lists to [`PARAMS`].
pub const fn broken_rule(tool: &Tool) -> Option<&'static str> {
    pass!(name(tool.name));
    hold!(
        !tool.description.is_empty(),
        "a tool needs a description: clients refuse one without"
    );
    hold!(
        !(tool.effects.read_only && (tool.effects.actuates || tool.effects.destructive)),
        "a read-only tool cannot actuate or destroy"
    );
    hold!(
        !matches!(tool.task, TaskSupport::AfterInput)
            || tool.polled && !matches!(tool.asks, Asks::Never),
        "a tool that asks before it is a task must be declared to ask and to answer \"not yet\""
    );
    match tool.input {
        Input::Params(list) => {
            pass!(params(list, 1, true));
            pass!(headers(list));
        }
        Input::Schema(text) => pass!(schema(text.as_bytes())),
    }
    if let Some(list) = tool.output {
        pass!(params(list, 1, false));
    }
    None
}

/// Stops the build unless a descriptor's range fits into the range of the
/// Rust type that holds the value.
pub const fn fits(inner: &Type, outer: &Type) {
    match (inner, outer) {
        (
            Type::Integer { min, max },
            Type::Integer {
                min: low,
                max: high,
            },
        ) => assert!(
            *min >= *low && *max <= *high,
            "the range is wider than the Rust type of the field"
        ),
        (Type::String { max, .. }, Type::String { max: most, .. }) => assert!(
            *max <= *most,
            "the text does not fit: a String<N> holds N / 4 characters for sure"
        ),
        (Type::Array { max, .. }, Type::Array { max: most, .. }) => {
            assert!(
                *max <= *most,
                "the list is longer than the field's capacity"
            );
        }
        _ => {}
    }
}

/// The rule that these break as fields of a form (M-151), if they break one.
#[cfg(feature = "input")]
pub(crate) const fn form_rule(fields: &[Param]) -> Option<&'static str> {
    pass!(params(fields, 1, true));
    let mut i = 0;
    while i < fields.len() {
        hold!(
            fields[i].header.is_none(),
            "a field of a form has no header"
        );
        let flat = match fields[i].ty {
            Type::Object(_) => false,
            Type::Array { items, .. } => matches!(items, Type::Choice(_)),
            _ => true,
        };
        hold!(
            flat,
            "a field of a form is an object, or a list of no choices"
        );
        i += 1;
    }
    None
}

const fn name(name: &str) -> Option<&'static str> {
    let bytes = name.as_bytes();
    hold!(!bytes.is_empty(), "a name is empty");
    hold!(
        bytes.len() <= NAME_CHARS,
        "a name is longer than 64 characters"
    );
    let mut i = 0;
    while i < bytes.len() {
        hold!(
            bytes[i].is_ascii_alphanumeric() || matches!(bytes[i], b'_' | b'-' | b'.'),
            "a name has a character other than letters, digits, '_', '-', '.'"
        );
        i += 1;
    }
    None
}

pub(crate) const fn same(a: &str, b: &str, fold: bool) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        let equal = if fold {
            a[i].eq_ignore_ascii_case(&b[i])
        } else {
            a[i] == b[i]
        };
        if !equal {
            return false;
        }
        i += 1;
    }
    true
}

const fn params(list: &[Param], depth: usize, input: bool) -> Option<&'static str> {
    hold!(depth <= PARAM_DEPTH, "objects and arrays nest too deep");
    hold!(list.len() <= PARAMS, "more than 16 parameters");
    let mut i = 0;
    while i < list.len() {
        let param = &list[i];
        pass!(name(param.name));
        let mut k = 0;
        while k < i {
            hold!(
                !same(param.name, list[k].name, false),
                "two parameters have the same name"
            );
            k += 1;
        }
        hold!(
            !(param.required && param.default.is_some()),
            "a required parameter cannot have a default"
        );
        hold!(
            input || (param.default.is_none() && param.header.is_none()),
            "a result has no defaults and no headers"
        );
        hold!(
            param.unit.is_empty() || matches!(param.ty, Type::Integer { .. } | Type::Number { .. }),
            "only a number has a unit"
        );
        pass!(ty(&param.ty, depth, input));
        if let Some(value) = &param.default {
            pass!(default(value, &param.ty));
        }
        i += 1;
    }
    None
}

const fn ty(ty_: &Type, depth: usize, input: bool) -> Option<&'static str> {
    match ty_ {
        Type::Boolean => {}
        Type::Integer { min, max } => hold!(*min <= *max, "a range is empty"),
        Type::Number { min, max } => hold!(min.value() <= max.value(), "a range is empty"),
        Type::String { min, max } => hold!(*min <= *max, "a range is empty"),
        Type::Choice(choices) => {
            hold!(!choices.is_empty(), "a choice has nothing to choose from");
            let mut i = 0;
            while i < choices.len() {
                let mut k = 0;
                while k < i {
                    hold!(
                        !same(choices[i], choices[k], false),
                        "a choice stands twice"
                    );
                    k += 1;
                }
                i += 1;
            }
        }
        Type::Array { items, min, max } => {
            hold!(*min <= *max, "a range is empty");
            hold!(depth < PARAM_DEPTH, "objects and arrays nest too deep");
            pass!(ty(items, depth + 1, input));
        }
        Type::Object(list) => pass!(params(list, depth + 1, input)),
    }
    None
}

const fn default(value: &Literal, of: &Type) -> Option<&'static str> {
    let fits = match (value, of) {
        (Literal::Boolean(_), Type::Boolean) => true,
        (Literal::Integer(value), Type::Integer { min, max }) => *min <= *value && *value <= *max,
        (Literal::Number(value), Type::Number { min, max }) => {
            min.value() <= value.value() && value.value() <= max.value() && value.is_finite()
        }
        (Literal::Text(text), Type::String { min, max }) => {
            let chars = chars(text);
            // A backslash would read as an escape where text is borrowed.
            *min as usize <= chars && chars <= *max as usize && !has(text, b'\\')
        }
        (Literal::Text(text), Type::Choice(choices)) => {
            let mut found = false;
            let mut i = 0;
            while i < choices.len() {
                found |= same(text, choices[i], false);
                i += 1;
            }
            found
        }
        _ => false,
    };
    hold!(fits, "a default is out of range or of another type");
    None
}

pub(crate) const fn has(text: &str, byte: u8) -> bool {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == byte {
            return true;
        }
        i += 1;
    }
    false
}

const fn chars(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut i) = (0, 0);
    while i < bytes.len() {
        if bytes[i] & 0xC0 != 0x80 {
            count += 1;
        }
        i += 1;
    }
    count
}

/// Header names of all parameters that objects alone lead to are tokens,
/// unique, and stand on the types that M-074 allows.
const fn headers(list: &[Param]) -> Option<&'static str> {
    let mut i = 0;
    while i < list.len() {
        if let Some(header) = list[i].header {
            pass!(token(header));
            hold!(
                matches!(
                    list[i].ty,
                    Type::Boolean | Type::Integer { .. } | Type::String { .. } | Type::Choice(_)
                ),
                "only a boolean, an integer or a text may have a header"
            );
            if let Type::Integer { min, max } = list[i].ty {
                hold!(
                    min >= -9_007_199_254_740_991 && max <= 9_007_199_254_740_991,
                    "an integer with a header must stay within 2^53 - 1"
                );
            }
            let mut k = 0;
            while k < i {
                if let Some(other) = list[k].header {
                    hold!(
                        !same(header, other, true),
                        "two parameters have the same header"
                    );
                }
                k += 1;
            }
        }
        pass!(no_headers(&list[i].ty));
        i += 1;
    }
    None
}

/// Headers below the top level are legal in the protocol; this library keeps
/// them to the top level, where one look at the arguments finds the value.
const fn no_headers(of: &Type) -> Option<&'static str> {
    match of {
        Type::Array { items, .. } => pass!(no_headers(items)),
        Type::Object(list) => {
            let mut i = 0;
            while i < list.len() {
                hold!(
                    list[i].header.is_none(),
                    "only a parameter at the top level may have a header"
                );
                pass!(no_headers(&list[i].ty));
                i += 1;
            }
        }
        _ => {}
    }
    None
}

const fn token(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    hold!(!bytes.is_empty(), "a header name is empty");
    hold!(
        bytes.len() <= NAME_CHARS,
        "a header name is longer than 64 characters"
    );
    let mut i = 0;
    while i < bytes.len() {
        hold!(
            bytes[i].is_ascii_alphanumeric()
                || matches!(
                    bytes[i],
                    b'!' | b'#'
                        | b'$'
                        | b'%'
                        | b'&'
                        | b'\''
                        | b'*'
                        | b'+'
                        | b'-'
                        | b'.'
                        | b'^'
                        | b'_'
                        | b'`'
                        | b'|'
                        | b'~'
                ),
            "a header name has a character that RFC 9110 does not allow in a token"
        );
        i += 1;
    }
    None
}

/// Raw schema text is only looked at from outside: an object, and no line
/// break, which would end a message on a line transport. The tests of a
/// product should parse it.
pub(super) const fn schema(text: &[u8]) -> Option<&'static str> {
    hold!(
        text.len() >= 2 && text[0] == b'{' && text[text.len() - 1] == b'}',
        "raw schema text must be one JSON object without white space around it"
    );
    let mut i = 0;
    while i < text.len() {
        hold!(
            text[i] >= 0x20,
            "raw schema text must stand on one line without control characters"
        );
        i += 1;
    }
    None
}
