//! Do these arguments fit the descriptor? Every call passes here before
//! anything acts, and every typed result before it is sent.

use core::fmt::Write as _;

use super::Args;
use super::descriptor::{Input, Param, Tool, Type};
use crate::buf::Sink;
use crate::json::{Elements, Members, NumberError, Text, Value, write};
use crate::limits::{PARAM_DEPTH, QUOTE_BYTES};

/// Checks the arguments of a call. `object` is the call's `arguments`, an
/// object, or nothing where the call had none.
///
/// Every parameter that breaks a rule is named in `report`, with its value
/// and the rule: `joint: 7 is above the maximum 5`. Several are parted by
/// `; `. Once the next would not fit, `; and more` ends the report.
///
/// Bound: each byte of the arguments is read a fixed number of times; nesting
/// follows the descriptor, at most [`PARAM_DEPTH`].
/// Refuses: `None`, and the report says why.
pub fn check<'a>(
    tool: &Tool,
    object: Option<Value<'a>>,
    report: &mut Sink<'_>,
) -> Option<Args<'a>> {
    let mut check = Check::new(report);
    let mut args = Args::new(tool.params(), object);
    match tool.input {
        Input::Params(params) => check.object(params, object, Some(&mut args)),
        Input::Schema(_) => check.unique(object),
    }
    check.fine.then_some(args)
}

/// Checks a structured result against the advertised shape, so that no result
/// is sent that its own schema refuses (M-114). Reports like [`check`].
pub fn check_result(shape: &'static [Param], value: Value<'_>, report: &mut Sink<'_>) -> bool {
    let mut check = Check::new(report);
    check.object(shape, Some(value), None);
    check.fine
}

enum Of<'a> {
    Members {
        params: &'static [Param],
        rest: Members<'a>,
        seen: u16,
        name: Text<'a>,
    },
    Elements {
        items: &'static Type,
        rest: Elements<'a>,
        index: u16,
    },
}

struct Check<'r, 'b> {
    report: &'r mut Sink<'b>,
    start: usize,
    fine: bool,
    /// The report is full: nothing more is looked at.
    stop: bool,
}

type Levels<'a> = heapless::Vec<Of<'a>, { PARAM_DEPTH + 1 }>;

impl<'r, 'b> Check<'r, 'b> {
    fn new(report: &'r mut Sink<'b>) -> Self {
        Self {
            start: report.total(),
            report,
            fine: true,
            stop: false,
        }
    }

    fn object<'a>(
        &mut self,
        params: &'static [Param],
        object: Option<Value<'a>>,
        mut top: Option<&mut Args<'a>>,
    ) {
        let mut levels = Levels::new();
        let rest = object.unwrap_or(Value::checked(b"{}")).members();
        let _ = levels.push(Of::Members {
            params,
            rest,
            seen: 0,
            name: Text::checked(b""),
        });
        while !self.stop {
            let outermost = levels.len() == 1;
            let Some(level) = levels.last_mut() else {
                return;
            };
            let next = match level {
                Of::Members {
                    params,
                    rest,
                    seen,
                    name,
                } => match rest.next() {
                    Some((key, value)) => {
                        *name = key;
                        match params.iter().position(|param| key.is(param.name)) {
                            Some(at) => {
                                let bit = 1u16.checked_shl(at as u32).unwrap_or(0);
                                if *seen & bit != 0 {
                                    self.say(&levels, |out| out.text("given twice"));
                                    continue;
                                }
                                *seen |= bit;
                                if outermost {
                                    if let Some(args) = top.as_deref_mut() {
                                        args.set(at, value);
                                    }
                                }
                                params.get(at).map(|param| (&param.ty, value))
                            }
                            None => {
                                self.say(&levels, |out| out.text("unknown parameter"));
                                continue;
                            }
                        }
                    }
                    None => {
                        let (params, seen) = (*params, *seen);
                        self.missing(&mut levels, params, seen);
                        levels.pop();
                        continue;
                    }
                },
                Of::Elements { items, rest, index } => match rest.next() {
                    Some(value) => {
                        *index = index.saturating_add(1);
                        Some((*items, value))
                    }
                    None => {
                        levels.pop();
                        continue;
                    }
                },
            };
            if let Some((ty, value)) = next {
                if let Some(inner) = self.value(&levels, ty, value) {
                    // Descriptors nest no deeper than the stack: `verify`.
                    let _ = levels.push(inner);
                }
            }
        }
    }

    fn missing<'a>(&mut self, levels: &mut Levels<'a>, params: &'static [Param], seen: u16) {
        for (at, param) in params.iter().enumerate() {
            let bit = 1u16.checked_shl(at as u32).unwrap_or(0);
            if param.required && seen & bit == 0 {
                if let Some(Of::Members { name, .. }) = levels.last_mut() {
                    *name = Text::checked(param.name.as_bytes());
                }
                self.say(levels, |out| out.text("missing"));
            }
        }
    }

    /// Checks one value; gives the level to go into if it holds others.
    fn value<'a>(
        &mut self,
        at: &Levels<'a>,
        ty: &'static Type,
        value: Value<'a>,
    ) -> Option<Of<'a>> {
        match *ty {
            Type::Boolean => {
                if value.as_bool().is_none() {
                    self.wrong_type(at, ty, value);
                }
            }
            Type::Integer { min, max } => match value.as_number().map(|number| number.as_i64()) {
                None => self.wrong_type(at, ty, value),
                Some(Ok(given)) if given < min => {
                    self.range(at, value, "below the minimum ", |out| write::i64(out, min));
                }
                Some(Ok(given)) if given > max => {
                    self.range(at, value, "above the maximum ", |out| write::i64(out, max));
                }
                Some(Ok(_)) => {}
                Some(Err(NumberError::Fraction)) => self.say(at, |out| {
                    quote(out, value.raw());
                    out.text(" is not a whole number");
                }),
                Some(Err(_)) => {
                    let wide = max == i64::MAX
                        && value
                            .as_number()
                            .is_some_and(|number| number.as_u64().is_ok());
                    if !wide {
                        let (words, bound) = match value.raw() {
                            [b'-', ..] => ("below the minimum ", min),
                            _ => ("above the maximum ", max),
                        };
                        self.range(at, value, words, |out| write::i64(out, bound));
                    }
                }
            },
            Type::Number { min, max } => match value.as_number().map(|number| number.as_f64()) {
                None => self.wrong_type(at, ty, value),
                Some(Ok(given)) if given < min => {
                    self.range(at, value, "below the minimum ", |out| bound(out, min));
                }
                Some(Ok(given)) if given > max => {
                    self.range(at, value, "above the maximum ", |out| bound(out, max));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => self.say(at, |out| {
                    quote(out, value.raw());
                    out.text(match error {
                        NumberError::Precision => " has more digits than can be read exactly",
                        _ => " is beyond the range of a double",
                    });
                }),
            },
            Type::String { min, max } => match value.as_text() {
                None => self.wrong_type(at, ty, value),
                Some(text) => self.length(at, text.char_count(), min, max, "characters"),
            },
            Type::Choice(choices) => match value.as_text() {
                None => self.wrong_type(at, ty, value),
                Some(text) => {
                    if !choices.iter().any(|choice| text.is(choice)) {
                        self.say(at, |out| {
                            quote(out, value.raw());
                            out.text(" is not one of ");
                            list(out, choices);
                        });
                    }
                }
            },
            Type::Array { items, min, max } => match value.raw().first() {
                Some(b'[') => {
                    let count = value.elements().count();
                    self.length(at, count, min, max, "elements");
                    return Some(Of::Elements {
                        items,
                        rest: value.elements(),
                        index: 0,
                    });
                }
                _ => self.wrong_type(at, ty, value),
            },
            Type::Object(params) => match value.raw().first() {
                Some(b'{') => {
                    return Some(Of::Members {
                        params,
                        rest: value.members(),
                        seen: 0,
                        name: Text::checked(b""),
                    });
                }
                _ => self.wrong_type(at, ty, value),
            },
        }
        None
    }

    fn wrong_type(&mut self, at: &Levels<'_>, ty: &Type, value: Value<'_>) {
        self.say(at, |out| {
            match value.raw().first() {
                Some(b'{') => out.text("an object"),
                Some(b'[') => out.text("an array"),
                _ => quote(out, value.raw()),
            }
            out.text(" is not ");
            out.text(ty.noun());
        });
    }

    fn range(
        &mut self,
        at: &Levels<'_>,
        value: Value<'_>,
        words: &str,
        bound: impl FnOnce(&mut Sink<'_>),
    ) {
        self.say(at, |out| {
            quote(out, value.raw());
            out.text(" is ");
            out.text(words);
            bound(out);
        });
    }

    fn length(&mut self, at: &Levels<'_>, count: usize, min: u16, max: u16, unit: &str) {
        let (words, bound) = if count < usize::from(min) {
            (", the minimum is ", min)
        } else if count > usize::from(max) {
            (", the maximum is ", max)
        } else {
            return;
        };
        self.say(at, |out| {
            write::u64(out, count as u64);
            out.text(" ");
            out.text(unit);
            out.text(words);
            write::u64(out, u64::from(bound));
        });
    }

    /// No name stands twice at the top level of the object.
    fn unique(&mut self, object: Option<Value<'_>>) {
        let mut members = object.unwrap_or(Value::checked(b"{}")).members();
        while let Some((name, _)) = members.next() {
            if !self.stop && members.clone().any(|(other, _)| name.same(other)) {
                self.report_line(|out| {
                    quote(out, name.raw());
                    out.text(": given twice");
                });
            }
        }
    }

    /// Reports one error at the place where the levels stand.
    fn say(&mut self, levels: &Levels<'_>, what: impl FnOnce(&mut Sink<'_>)) {
        self.report_line(|out| {
            for (depth, level) in levels.iter().enumerate() {
                match level {
                    Of::Members { name, .. } => {
                        if depth > 0 {
                            out.byte(b'.');
                        }
                        quote(out, name.raw());
                    }
                    Of::Elements { index, .. } => {
                        let _ = write!(out, "[{}]", index.saturating_sub(1));
                    }
                }
            }
            out.text(": ");
            what(out);
        });
    }

    fn report_line(&mut self, line: impl FnOnce(&mut Sink<'_>)) {
        const MORE: &str = "; and more";
        let before = self.report.total();
        if before != self.start {
            self.report.text("; ");
        }
        line(self.report);
        let end = self.report.total();
        self.report.text(MORE);
        let full = self.report.overflowed();
        if full && before != self.start {
            self.report.truncate(before);
            self.report.text(MORE);
            self.stop = true;
        } else {
            self.report.truncate(end);
        }
        self.fine = false;
    }
}

/// A bound of a number: as a whole number where it is one.
pub(super) fn bound(out: &mut Sink<'_>, value: f64) {
    let whole = value as i64;
    if whole as f64 == value && whole.unsigned_abs() < 1 << 53 {
        write::i64(out, whole);
    } else {
        // Bounds of a descriptor are finite where they are written.
        let _ = write::f64(out, value);
    }
}

fn list(out: &mut Sink<'_>, choices: &[&str]) {
    let start = out.total();
    for (i, choice) in choices.iter().enumerate() {
        if i > 0 {
            out.text(", ");
        }
        if out.total() - start > 2 * QUOTE_BYTES {
            out.text("…");
            return;
        }
        write::string(out, choice);
    }
}

/// Raw text of the caller, shortened to
/// [`QUOTE_BYTES`](crate::limits::QUOTE_BYTES).
pub(crate) fn quote(out: &mut Sink<'_>, raw: &[u8]) {
    match raw.get(..QUOTE_BYTES) {
        Some(head) if raw.len() > QUOTE_BYTES => {
            // Not in the middle of a character: go back over at most three
            // continuation bytes.
            let mut cut = head;
            for _ in 0..3 {
                match raw.get(cut.len()) {
                    Some(next) if next & 0xC0 == 0x80 => match cut.split_last() {
                        Some((_, shorter)) => cut = shorter,
                        None => break,
                    },
                    _ => break,
                }
            }
            out.put(cut);
            out.text("…");
        }
        _ => out.put(raw),
    }
}
