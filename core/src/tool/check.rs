//! Do these arguments fit the descriptor? Every call passes here before
//! anything acts, and every typed result before it is sent.

use super::descriptor::{Input, Param, Tool, Type};
use super::{Args, Decimal};
use crate::buf::Sink;
use crate::json::{Elements, Members, Number, NumberError, Text, Value, write};
use crate::limits::{PARAM_DEPTH, QUOTE_BYTES, SCHEMA_MEMBERS};

/// Checks the arguments of a call. `object` is the call's `arguments`, an
/// object, or nothing where the call had none.
///
/// Every parameter that breaks a rule is named in `report`, with its value
/// and the rule: `joint: 7 is above the maximum 5`. Several are parted by
/// `; `. Once the next would not fit, `; and more` ends the report. Without a
/// report, the check stops at the first.
///
/// Bound: each byte of the arguments is read a fixed number of times; nesting
/// follows the descriptor, at most [`PARAM_DEPTH`].
/// Refuses: `None`, and the report says why.
pub fn check<'a>(
    tool: &Tool,
    object: Option<Value<'a>>,
    report: Option<&mut Sink<'_>>,
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
pub fn check_result(
    shape: &'static [Param],
    value: Value<'_>,
    report: Option<&mut Sink<'_>>,
) -> bool {
    let mut check = Check::new(report);
    check.object(shape, Some(value), None);
    check.fine
}

/// Checks what was entered in a form, like the arguments of a call.
#[cfg(feature = "input")]
pub(super) fn check_members<'a>(
    params: &'static [Param],
    object: Option<Value<'a>>,
) -> Option<Args<'a>> {
    let mut check = Check::new(None);
    let mut args = Args::new(params, object);
    check.object(params, object, Some(&mut args));
    check.fine.then_some(args)
}

/// A place in the value that is checked.
enum Level<'a> {
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

impl<'a> Level<'a> {
    fn members(params: &'static [Param], object: Value<'a>) -> Self {
        Self::Members {
            params,
            rest: object.members(),
            seen: 0,
            name: Text::plain(b""),
        }
    }
}

/// The levels around the one that is looked at.
type Outer<'a> = heapless::Vec<Level<'a>, PARAM_DEPTH>;

/// What is wrong at a place.
#[derive(Clone, Copy)]
enum Wrong {
    Words(&'static str),
    Type(&'static Type),
    /// The value, and these words.
    Value(&'static str),
    /// The value lies below or above this.
    Low(Limit),
    High(Limit),
    /// So many of these, but at least so many are asked for.
    Few(usize, &'static str, u16),
    /// So many of these, but at most so many may be.
    Many(usize, &'static str, u16),
    Choice(&'static [&'static str]),
}

#[derive(Clone, Copy)]
enum Limit {
    Integer(i64),
    /// The end of `u64`.
    Unsigned,
    Number(Decimal),
}

struct Check<'r, 'b> {
    report: Option<&'r mut Sink<'b>>,
    /// Where the report begins.
    start: usize,
    fine: bool,
    /// Nothing more is looked at.
    stop: bool,
}

impl<'r, 'b> Check<'r, 'b> {
    fn new(report: Option<&'r mut Sink<'b>>) -> Self {
        Self {
            start: report.as_ref().map_or(0, |report| report.total()),
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
        let mut outer = Outer::new();
        let mut level = Level::members(params, object.unwrap_or(Value::checked(b"{}")));
        while !self.stop {
            let (ty, value) = match &mut level {
                Level::Members {
                    params,
                    rest,
                    seen,
                    name,
                } => {
                    let Some((key, value)) = rest.next() else {
                        self.missing(&outer, &mut level);
                        match outer.pop() {
                            Some(up) => level = up,
                            None => return,
                        }
                        continue;
                    };
                    *name = key;
                    let at = params.iter().position(|param| key.is(param.name));
                    let Some((at, param)) = at.and_then(|at| Some((at, params.get(at)?))) else {
                        self.say(&outer, &level, value, Wrong::Words("unknown parameter"));
                        continue;
                    };
                    let bit = bit(at);
                    if *seen & bit != 0 {
                        self.say(&outer, &level, value, Wrong::Words("given twice"));
                        continue;
                    }
                    *seen |= bit;
                    if let (Some(args), true) = (&mut top, outer.is_empty()) {
                        args.set(at, value);
                    }
                    (&param.ty, value)
                }
                Level::Elements { items, rest, index } => {
                    let Some(value) = rest.next() else {
                        match outer.pop() {
                            Some(up) => level = up,
                            None => return,
                        }
                        continue;
                    };
                    *index = index.saturating_add(1);
                    (*items, value)
                }
            };
            if let Some(inner) = self.value(&outer, &level, ty, value) {
                // Descriptors nest no deeper than the stack: `verify`.
                let _ = outer.push(core::mem::replace(&mut level, inner));
            }
        }
    }

    /// Reports the required members that an object did not have.
    fn missing<'a>(&mut self, outer: &Outer<'a>, level: &mut Level<'a>) {
        let Level::Members { params, seen, .. } = *level else {
            return;
        };
        for (at, param) in params.iter().enumerate() {
            if param.required && seen & bit(at) == 0 {
                if let Level::Members { name, .. } = level {
                    *name = Text::plain(param.name.as_bytes());
                }
                self.say(outer, level, Value::checked(b""), Wrong::Words("missing"));
            }
        }
    }

    /// Checks one value; gives the level to go into if it holds others.
    fn value<'a>(
        &mut self,
        outer: &Outer<'a>,
        level: &Level<'a>,
        ty: &'static Type,
        value: Value<'a>,
    ) -> Option<Level<'a>> {
        let mut inner = None;
        let wrong = match *ty {
            Type::Boolean => match value.as_bool() {
                Some(_) => None,
                None => Some(Wrong::Type(ty)),
            },
            Type::Integer { min, max } => match value.as_number() {
                Some(number) => integer(number, min, max),
                None => Some(Wrong::Type(ty)),
            },
            Type::Number { min, max } => match value.as_number() {
                Some(number) => real(number.as_f64(), min, max),
                None => Some(Wrong::Type(ty)),
            },
            Type::String { min, max } => match value.as_text() {
                Some(text) => length(text.char_count(), min, max, "characters"),
                None => Some(Wrong::Type(ty)),
            },
            Type::Choice(choices) => match value.as_text() {
                Some(text) if choices.iter().any(|choice| text.is(choice)) => None,
                Some(_) => Some(Wrong::Choice(choices)),
                None => Some(Wrong::Type(ty)),
            },
            Type::Array { items, min, max } => {
                if value.raw().first() == Some(&b'[') {
                    let rest = value.elements();
                    inner = Some(Level::Elements {
                        items,
                        rest,
                        index: 0,
                    });
                    length(value.elements().count(), min, max, "elements")
                } else {
                    Some(Wrong::Type(ty))
                }
            }
            Type::Object(params) => {
                if value.raw().first() == Some(&b'{') {
                    inner = Some(Level::members(params, value));
                    None
                } else {
                    Some(Wrong::Type(ty))
                }
            }
        };
        if let Some(wrong) = wrong {
            self.say(outer, level, value, wrong);
        }
        inner
    }

    /// No name stands twice at the top level of the object.
    fn unique(&mut self, object: Option<Value<'_>>) {
        let Some(object) = object else { return };
        let mut level = Level::members(&[], object);
        let mut members = object.members();
        // Each name is compared with those behind it, so their number has a
        // limit.
        if let Some((_, value)) = object.members().nth(SCHEMA_MEMBERS) {
            self.say(
                &Outer::new(),
                &level,
                value,
                Wrong::Words("more than 64 members"),
            );
            return;
        }
        while let (Some((key, value)), false) = (members.next(), self.stop) {
            if members.clone().any(|(other, _)| key.same(other)) {
                if let Level::Members { name, .. } = &mut level {
                    *name = key;
                }
                self.say(&Outer::new(), &level, value, Wrong::Words("given twice"));
            }
        }
    }

    /// Reports what is wrong with a value at the place where the levels stand.
    #[cold]
    #[inline(never)]
    fn say(&mut self, outer: &Outer<'_>, level: &Level<'_>, value: Value<'_>, wrong: Wrong) {
        const MORE: &str = "; and more";
        self.fine = false;
        let Some(out) = &mut self.report else {
            self.stop = true;
            return;
        };
        let before = out.total();
        if before != self.start {
            out.text("; ");
        }
        for (depth, level) in outer.iter().chain([level]).enumerate() {
            match level {
                Level::Members { name, .. } => {
                    if depth > 0 {
                        out.byte(b'.');
                    }
                    quote(out, name.raw());
                }
                Level::Elements { index, .. } => {
                    out.byte(b'[');
                    write::u64(out, u64::from(index.saturating_sub(1)));
                    out.byte(b']');
                }
            }
        }
        out.text(": ");
        words(out, value, wrong);
        let end = out.total();
        out.text(MORE);
        if out.overflowed() && before != self.start {
            out.truncate(before);
            out.text(MORE);
            self.stop = true;
        } else {
            out.truncate(end);
        }
    }
}

fn bit(at: usize) -> u16 {
    1u16.checked_shl(at as u32).unwrap_or(0)
}

fn integer(number: Number<'_>, min: i64, max: i64) -> Option<Wrong> {
    let low = Wrong::Low(Limit::Integer(min));
    let high = Wrong::High(Limit::Integer(max));
    match number.as_i64() {
        Ok(given) if given < min => Some(low),
        Ok(given) if given > max => Some(high),
        Ok(_) => None,
        Err(NumberError::Fraction) => Some(Wrong::Value(" is not a whole number")),
        // Without a bound, what is not negative may have 64 bits.
        Err(_) if max == i64::MAX && min >= 0 && number.raw().first() != Some(&b'-') => {
            match number.as_u64() {
                Ok(_) => None,
                Err(_) => Some(Wrong::High(Limit::Unsigned)),
            }
        }
        Err(_) if number.raw().first() == Some(&b'-') => Some(low),
        Err(_) => Some(high),
    }
}

fn real(given: Result<f64, NumberError>, min: Decimal, max: Decimal) -> Option<Wrong> {
    match given {
        Ok(given) if given < min.value() => Some(Wrong::Low(Limit::Number(min))),
        Ok(given) if given > max.value() => Some(Wrong::High(Limit::Number(max))),
        Ok(_) => None,
        Err(NumberError::Precision) => {
            Some(Wrong::Value(" has more digits than can be read exactly"))
        }
        Err(_) => Some(Wrong::Value(" is beyond the range of a double")),
    }
}

fn length(count: usize, min: u16, max: u16, unit: &'static str) -> Option<Wrong> {
    if count < usize::from(min) {
        Some(Wrong::Few(count, unit, min))
    } else if count > usize::from(max) {
        Some(Wrong::Many(count, unit, max))
    } else {
        None
    }
}

fn words(out: &mut Sink<'_>, value: Value<'_>, wrong: Wrong) {
    match wrong {
        Wrong::Words(words) => out.text(words),
        Wrong::Type(ty) => {
            match value.raw().first() {
                Some(b'{') => out.text("an object"),
                Some(b'[') => out.text("an array"),
                _ => quote(out, value.raw()),
            }
            out.text(" is not ");
            out.text(ty.noun());
        }
        Wrong::Value(words) => {
            quote(out, value.raw());
            out.text(words);
        }
        Wrong::Low(limit) => bound(out, value, " is below the minimum ", limit),
        Wrong::High(limit) => bound(out, value, " is above the maximum ", limit),
        Wrong::Few(count, unit, min) => counted(out, count, unit, ", the minimum is ", min),
        Wrong::Many(count, unit, max) => counted(out, count, unit, ", the maximum is ", max),
        Wrong::Choice(choices) => {
            quote(out, value.raw());
            out.text(" is not one of ");
            list(out, choices);
        }
    }
}

fn bound(out: &mut Sink<'_>, value: Value<'_>, words: &str, limit: Limit) {
    quote(out, value.raw());
    out.text(words);
    match limit {
        Limit::Integer(limit) => write::i64(out, limit),
        Limit::Unsigned => write::u64(out, u64::MAX),
        Limit::Number(limit) => limit.write(out),
    }
}

fn counted(out: &mut Sink<'_>, count: usize, unit: &str, words: &str, limit: u16) {
    write::u64(out, count as u64);
    out.byte(b' ');
    out.text(unit);
    out.text(words);
    write::u64(out, u64::from(limit));
}

fn list(out: &mut Sink<'_>, choices: &[&str]) {
    let start = out.total();
    for (i, choice) in choices.iter().enumerate() {
        if i > 0 {
            out.text(", ");
        }
        if out.total().saturating_sub(start) > 2 * QUOTE_BYTES {
            out.text("…");
            return;
        }
        write::string(out, choice);
    }
}

/// Raw JSON text of the caller, shortened to
/// [`QUOTE_BYTES`](crate::limits::QUOTE_BYTES): what is left of the contents
/// of a string are contents of a string.
pub(crate) fn quote(out: &mut Sink<'_>, raw: &[u8]) {
    let mut end = 0usize;
    while let Some(rest) = raw.get(end..).filter(|rest| !rest.is_empty()) {
        let len = match rest {
            // The two halves of a surrogate pair stay together.
            [
                b'\\',
                b'u',
                b'd' | b'D',
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
                ..,
            ] => 12,
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] | [0xC0..=0xDF, ..] => 2,
            [0xE0..=0xEF, ..] => 3,
            [0xF0..=0xFF, ..] => 4,
            _ => 1,
        };
        if end.saturating_add(len) > QUOTE_BYTES {
            out.put(raw.get(..end).unwrap_or(&[]));
            return out.text("…");
        }
        end = end.saturating_add(len);
    }
    out.put(raw);
}
