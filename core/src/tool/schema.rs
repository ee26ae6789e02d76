//! The JSON Schema of a descriptor: what the check enforces, in the words
//! that clients read.

use super::descriptor::{Literal, Param, Type};
use crate::buf::Sink;
use crate::json::write;
use crate::limits::PARAM_DEPTH;

/// Writes the JSON Schema (2020-12) of an object with these members and no
/// others (M-108 to M-110): no `$schema`, always `type`, `properties` and
/// `additionalProperties`.
pub fn write_schema(out: &mut Sink<'_>, params: &'static [Param]) {
    let mut levels = Levels::new();
    out.byte(b'{');
    open_object(out, &mut levels, params);
    loop {
        let Some(level) = levels.last_mut() else {
            out.byte(b'}');
            return;
        };
        match level {
            Level::Members { params, next } => match params.get(*next) {
                Some(param) => {
                    if *next > 0 {
                        out.byte(b',');
                    }
                    *next += 1;
                    write::name(out, param.name);
                    out.text(":{");
                    let depth = levels.len();
                    open(out, &mut levels, &param.ty);
                    if levels.len() == depth {
                        annotate(out, param);
                    }
                }
                None => {
                    close_object(out, params);
                    levels.pop();
                    close_parent(out, &levels);
                }
            },
            // Its one element type was written when the level was opened.
            Level::Items => {
                out.byte(b'}');
                levels.pop();
                close_parent(out, &levels);
            }
        }
    }
}

enum Level {
    Members {
        params: &'static [Param],
        next: usize,
    },
    Items,
}

type Levels = heapless::Vec<Level, { PARAM_DEPTH + 1 }>;

fn open_object(out: &mut Sink<'_>, levels: &mut Levels, params: &'static [Param]) {
    out.text("\"type\":\"object\",\"properties\":{");
    let _ = levels.push(Level::Members { params, next: 0 });
}

fn close_object(out: &mut Sink<'_>, params: &[Param]) {
    out.byte(b'}');
    let mut first = true;
    for param in params.iter().filter(|param| param.required) {
        out.text(if first { ",\"required\":[" } else { "," });
        first = false;
        write::name(out, param.name);
    }
    if !first {
        out.byte(b']');
    }
    out.text(",\"additionalProperties\":false");
}

/// A nested level has ended: if the level around it is an object, the member
/// that held it ends too.
fn close_parent(out: &mut Sink<'_>, levels: &Levels) {
    if let Some(Level::Members { params, next }) = levels.last()
        && let Some(param) = next.checked_sub(1).and_then(|at| params.get(at))
    {
        annotate(out, param);
    }
}

/// Writes the keywords of a type, without the braces around them; opens the
/// levels that it nests.
fn open(out: &mut Sink<'_>, levels: &mut Levels, ty: &'static Type) {
    let mut ty = ty;
    // Arrays of arrays are the only types to open in one go.
    for _ in 0..=PARAM_DEPTH {
        match *ty {
            Type::Array { items, min, max } => {
                out.text("\"type\":\"array\"");
                count(out, ",\"minItems\":", min, 0);
                count(out, ",\"maxItems\":", max, u16::MAX);
                out.text(",\"items\":{");
                let _ = levels.push(Level::Items);
                ty = items;
            }
            Type::Object(params) => return open_object(out, levels, params),
            _ => return scalar(out, ty),
        }
    }
}

fn scalar(out: &mut Sink<'_>, ty: &Type) {
    match *ty {
        Type::Boolean => out.text("\"type\":\"boolean\""),
        Type::Integer { min, max } => {
            out.text("\"type\":\"integer\"");
            if min != i64::MIN {
                out.text(",\"minimum\":");
                write::i64(out, min);
            }
            if max != i64::MAX {
                out.text(",\"maximum\":");
                write::i64(out, max);
            }
        }
        Type::Number { min, max } => {
            out.text("\"type\":\"number\"");
            if min.is_finite() {
                out.text(",\"minimum\":");
                min.write(out);
            }
            if max.is_finite() {
                out.text(",\"maximum\":");
                max.write(out);
            }
        }
        Type::String { min, max } => {
            out.text("\"type\":\"string\"");
            count(out, ",\"minLength\":", min, 0);
            count(out, ",\"maxLength\":", max, u16::MAX);
        }
        Type::Choice(choices) => {
            out.text("\"type\":\"string\",\"enum\":[");
            for (i, choice) in choices.iter().enumerate() {
                if i > 0 {
                    out.byte(b',');
                }
                write::string(out, choice);
            }
            out.byte(b']');
        }
        Type::Array { .. } | Type::Object(_) => {}
    }
}

fn count(out: &mut Sink<'_>, keyword: &str, value: u16, none: u16) {
    if value != none {
        out.text(keyword);
        write::u64(out, u64::from(value));
    }
}

/// What stands beside a member's type, and the brace that ends the member.
fn annotate(out: &mut Sink<'_>, param: &Param) {
    if !(param.description.is_empty() && param.unit.is_empty()) {
        out.text(",\"description\":\"");
        write::escaped(out, param.description.as_bytes());
        if !param.unit.is_empty() {
            out.text(if param.description.is_empty() {
                "Unit: "
            } else {
                " Unit: "
            });
            write::escaped(out, param.unit.as_bytes());
            out.byte(b'.');
        }
        out.byte(b'"');
    }
    if let Some(default) = param.default {
        out.text(",\"default\":");
        match default {
            Literal::Boolean(value) => write::bool(out, value),
            Literal::Integer(value) => write::i64(out, value),
            Literal::Number(value) => value.write(out),
            Literal::Text(text) => write::string(out, text),
        }
    }
    if let Some(header) = param.header {
        out.text(",\"x-mcp-header\":");
        write::name(out, header);
    }
    out.byte(b'}');
}
