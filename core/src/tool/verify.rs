//! What a descriptor must hold. Checked when it is compiled: each rule is a
//! panic of a `const fn`, so a descriptor that breaks one does not build.

use super::descriptor::{Input, Literal, Param, Tool, Type};
use crate::limits::{NAME_CHARS, PARAM_DEPTH, PARAMS};

/// Stops the build if a tool of the table breaks a rule, with the rule as the
/// message: names (M-102), descriptions (M-101), duplicates, ranges, defaults
/// that the check would refuse, headers (M-074), nesting and counts.
///
/// [`Catalog::new`](super::Catalog::new) calls it; nothing else needs to.
pub const fn verify(tool: &Tool) {
    name(tool.name);
    assert!(
        !tool.description.is_empty(),
        "a tool needs a description: clients refuse one without"
    );
    assert!(
        !(tool.effects.read_only && (tool.effects.actuates || tool.effects.destructive)),
        "a read-only tool cannot actuate or destroy"
    );
    match tool.input {
        Input::Params(list) => {
            params(list, 1, true);
            headers(list);
        }
        Input::Schema(text) => schema(text.as_bytes()),
    }
    if let Some(list) = tool.output {
        params(list, 1, false);
    }
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

/// Stops the build unless these are fields that a form may have (M-151).
#[cfg(feature = "input")]
pub(crate) const fn form(fields: &[Param]) {
    params(fields, 1, true);
    let mut i = 0;
    while i < fields.len() {
        assert!(
            fields[i].header.is_none(),
            "a field of a form has no header"
        );
        let flat = match fields[i].ty {
            Type::Object(_) => false,
            Type::Array { items, .. } => matches!(items, Type::Choice(_)),
            _ => true,
        };
        assert!(
            flat,
            "a field of a form is an object, or a list of no choices"
        );
        i += 1;
    }
}

const fn name(name: &str) {
    let bytes = name.as_bytes();
    assert!(!bytes.is_empty(), "a name is empty");
    assert!(
        bytes.len() <= NAME_CHARS,
        "a name is longer than 64 characters"
    );
    let mut i = 0;
    while i < bytes.len() {
        assert!(
            bytes[i].is_ascii_alphanumeric() || matches!(bytes[i], b'_' | b'-' | b'.'),
            "a name has a character other than letters, digits, '_', '-', '.'"
        );
        i += 1;
    }
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

const fn params(list: &[Param], depth: usize, input: bool) {
    assert!(depth <= PARAM_DEPTH, "objects and arrays nest too deep");
    assert!(list.len() <= PARAMS, "more than 16 parameters");
    let mut i = 0;
    while i < list.len() {
        let param = &list[i];
        name(param.name);
        let mut k = 0;
        while k < i {
            assert!(
                !same(param.name, list[k].name, false),
                "two parameters have the same name"
            );
            k += 1;
        }
        assert!(
            !(param.required && param.default.is_some()),
            "a required parameter cannot have a default"
        );
        assert!(
            input || (param.default.is_none() && param.header.is_none()),
            "a result has no defaults and no headers"
        );
        assert!(
            param.unit.is_empty() || matches!(param.ty, Type::Integer { .. } | Type::Number { .. }),
            "only a number has a unit"
        );
        ty(&param.ty, depth, input);
        if let Some(value) = &param.default {
            default(value, &param.ty);
        }
        i += 1;
    }
}

const fn ty(ty_: &Type, depth: usize, input: bool) {
    match ty_ {
        Type::Boolean => {}
        Type::Integer { min, max } => assert!(*min <= *max, "a range is empty"),
        Type::Number { min, max } => assert!(min.value() <= max.value(), "a range is empty"),
        Type::String { min, max } => assert!(*min <= *max, "a range is empty"),
        Type::Choice(choices) => {
            assert!(!choices.is_empty(), "a choice has nothing to choose from");
            let mut i = 0;
            while i < choices.len() {
                let mut k = 0;
                while k < i {
                    assert!(
                        !same(choices[i], choices[k], false),
                        "a choice stands twice"
                    );
                    k += 1;
                }
                i += 1;
            }
        }
        Type::Array { items, min, max } => {
            assert!(*min <= *max, "a range is empty");
            assert!(depth < PARAM_DEPTH, "objects and arrays nest too deep");
            ty(items, depth + 1, input);
        }
        Type::Object(list) => params(list, depth + 1, input),
    }
}

const fn default(value: &Literal, of: &Type) {
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
    assert!(fits, "a default is out of range or of another type");
}

const fn has(text: &str, byte: u8) -> bool {
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
const fn headers(list: &[Param]) {
    let mut i = 0;
    while i < list.len() {
        if let Some(header) = list[i].header {
            token(header);
            assert!(
                matches!(
                    list[i].ty,
                    Type::Boolean | Type::Integer { .. } | Type::String { .. } | Type::Choice(_)
                ),
                "only a boolean, an integer or a text may have a header"
            );
            if let Type::Integer { min, max } = list[i].ty {
                assert!(
                    min >= -9_007_199_254_740_991 && max <= 9_007_199_254_740_991,
                    "an integer with a header must stay within 2^53 - 1"
                );
            }
            let mut k = 0;
            while k < i {
                if let Some(other) = list[k].header {
                    assert!(
                        !same(header, other, true),
                        "two parameters have the same header"
                    );
                }
                k += 1;
            }
        }
        no_headers(&list[i].ty);
        i += 1;
    }
}

/// Headers below the top level are legal in the protocol; this library keeps
/// them to the top level, where one look at the arguments finds the value.
const fn no_headers(of: &Type) {
    match of {
        Type::Array { items, .. } => no_headers(items),
        Type::Object(list) => {
            let mut i = 0;
            while i < list.len() {
                assert!(
                    list[i].header.is_none(),
                    "only a parameter at the top level may have a header"
                );
                no_headers(&list[i].ty);
                i += 1;
            }
        }
        _ => {}
    }
}

const fn token(text: &str) {
    let bytes = text.as_bytes();
    assert!(!bytes.is_empty(), "a header name is empty");
    assert!(
        bytes.len() <= NAME_CHARS,
        "a header name is longer than 64 characters"
    );
    let mut i = 0;
    while i < bytes.len() {
        assert!(
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
}

/// Raw schema text is only looked at from outside: an object, and no line
/// break, which would end a message on a line transport. The tests of a
/// product should parse it.
const fn schema(text: &[u8]) {
    assert!(
        text.len() >= 2 && text[0] == b'{' && text[text.len() - 1] == b'}',
        "raw schema text must be one JSON object without white space around it"
    );
    let mut i = 0;
    while i < text.len() {
        assert!(
            text[i] >= 0x20,
            "raw schema text must stand on one line without control characters"
        );
        i += 1;
    }
}
