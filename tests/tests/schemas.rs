//! What is advertised is what is enforced: every schema that a device sends is
//! valid JSON Schema 2020-12, and it accepts exactly what the check lets
//! through. A validator that knows nothing of this project is the judge.
//!
//! The schema and the check differ on purpose in the points of
//! [`the_check_is_stricter_only_here`], all of them about what a JSON reader
//! of another kind makes of a text before a schema sees it.

use agentmote::buf::Sink;
use agentmote::catalog;
use agentmote::json;
use agentmote::mcp::{Device, Identity};
use agentmote::server::LineMemory;
use agentmote::tool::{Decimal, Entry, Input, Literal, Param, Tool, Type, check, check_result};
use agentmote_tests::fixture;
use agentmote_tests::peer::{Cut, LinePeer};
use serde_json::Value;

// --- a device with every type of parameter

struct Every;
struct Deep;
struct Nothing;

const POINT: &[Param] = &[
    Param::number("x", "", -1.5, 1.5).unit("mm"),
    Param::number("y", "Across.", 0.0, 0.1).or(Literal::Number(Decimal::new(0.05))),
    Param::choice("side", "", &["left", "right"]).optional(),
];

impl Every {
    const ENTRY: Entry<()> = Entry {
        tool: Tool {
            input: Input::Params(&[
                Param::boolean("on", "Whether \"it\" is on."),
                Param::integer("joint", "Joint.", 0, 5).header("Joint"),
                Param::integer("low", "No end above.", -3, i64::MAX).optional(),
                Param::integer("high", "No end below.", i64::MIN, 3).optional(),
                Param::new("any", "No end.", Type::INTEGER).optional(),
                Param::integer("edge", "", i64::MIN + 1, i64::MAX - 1).or_integer(-1),
                Param::number("deg", "Angle.", -90.0, 90.0).unit("deg"),
                Param::number("small", "", 1e-7, 0.3).optional(),
                Param::number("huge", "", -1e22, 1.5e20).optional(),
                Param::new("real", "No end.", Type::NUMBER).optional(),
                Param::new("note", "Text.", Type::String { min: 2, max: 4 }),
                Param::string("none", "Empty.", 0).optional(),
                Param::choice("mode", "Mode.", &["fast", "ex\u{e9}ct", "a\"b\\c", ""])
                    .or(Literal::Text("fast")),
                Param::new(
                    "list",
                    "List.",
                    Type::Array {
                        items: &Type::Integer { min: 1, max: 3 },
                        min: 1,
                        max: 3,
                    },
                )
                .optional(),
                Param::new("point", "Point.", Type::Object(POINT)).optional(),
            ]),
            output: Some(&[
                Param::number("x", "", -1.5, 1.5).unit("mm"),
                Param::choice("side", "", &["left", "right"]).optional(),
                Param::new(
                    "way",
                    "",
                    Type::Array {
                        items: &Type::INTEGER,
                        min: 0,
                        max: 2,
                    },
                ),
            ]),
            ..Tool::new("every", "Takes every type.")
        },
        run: |(), call| call.text("fine"),
    };
}

impl Deep {
    const ENTRY: Entry<()> = Entry {
        tool: Tool {
            input: Input::Params(&[
                Param::new(
                    "grid",
                    "Rows of cells.",
                    Type::Array {
                        items: &Type::Array {
                            items: &Type::Array {
                                items: &Type::Boolean,
                                min: 0,
                                max: 2,
                            },
                            min: 1,
                            max: u16::MAX,
                        },
                        min: 0,
                        max: 2,
                    },
                ),
                Param::new(
                    "way",
                    "Points.",
                    Type::Array {
                        items: &Type::Object(&[Param::new("at", "", Type::Object(POINT))]),
                        min: 0,
                        max: 2,
                    },
                ),
                Param::new("empty", "", Type::Object(&[])).optional(),
            ]),
            ..Tool::new("deep", "Nests.")
        },
        run: |(), call| call.text("fine"),
    };
}

impl Nothing {
    const ENTRY: Entry<()> = Entry {
        tool: Tool::new("nothing", "Takes nothing."),
        run: |(), call| call.text("fine"),
    };
}

static EVERY: Device<()> = Device::new(Identity::new("every", "1"), catalog![Every, Deep, Nothing]);

// --- the schemas, as a client gets them

struct Advertised {
    tool: &'static Tool,
    input: Value,
    output: Option<Value>,
}

fn advertised<App>(device: &'static Device<App>, app: App) -> Vec<Advertised> {
    let mut memory = LineMemory::<512, 192, 0, 0>::new();
    let mut peer = LinePeer::new(&mut memory, device, app, Cut::WHOLE);
    peer.initialize("2025-11-25");
    let answer = peer.one(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let tools = answer["result"]["tools"].as_array().expect("tools");
    let entries = device.tools().entries();
    assert_eq!(tools.len(), entries.len());
    tools
        .iter()
        .zip(entries)
        .map(|(sent, entry)| Advertised {
            tool: &entry.tool,
            input: sent["inputSchema"].clone(),
            output: sent.get("outputSchema").cloned(),
        })
        .collect()
}

fn all() -> Vec<Advertised> {
    let mut all = advertised(&EVERY, ());
    all.extend(advertised(&bench_arm::DEVICE, bench_arm::Arm::new()));
    all.extend(advertised(&fixture::DEVICE, fixture::Fixture::default()));
    all
}

fn judge(schema: &Value) -> jsonschema::Validator {
    jsonschema::draft202012::new(schema).expect("a schema")
}

#[test]
fn every_schema_is_valid_and_closed() {
    // M-108 to M-110.
    for Advertised {
        tool,
        input,
        output,
    } in all()
    {
        for schema in [Some(&input), output.as_ref()].into_iter().flatten() {
            assert!(
                jsonschema::draft202012::meta::is_valid(schema),
                "{}: {schema}",
                tool.name
            );
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        }
    }
    // The judge is one: it refuses what is no schema.
    let wrong = serde_json::json!({"type": "objekt"});
    assert!(!jsonschema::draft202012::meta::is_valid(&wrong));
}

#[test]
fn every_default_fits_its_own_schema() {
    let mut seen = 0;
    for Advertised { input, .. } in all() {
        let Some(properties) = input["properties"].as_object() else {
            continue;
        };
        for (name, schema) in properties {
            if let Some(default) = schema.get("default") {
                seen += 1;
                assert!(judge(schema).is_valid(default), "{name}: {schema}");
            }
        }
    }
    assert!(seen >= 3, "{seen} defaults");
}

// --- values around every limit

/// A JSON text in parts, so that numbers keep their spelling.
#[derive(Clone, Debug)]
enum Json {
    Raw(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn raw(text: &str) -> Self {
        Self::Raw(text.to_owned())
    }

    fn text(text: &str) -> Self {
        Self::Raw(Value::from(text).to_string())
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Raw(text) => out.push_str(text),
            Self::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (i, (name, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    out.push_str(&Value::from(name.as_str()).to_string());
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    fn all(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

/// A value that fits.
fn good(ty: &Type) -> Json {
    match *ty {
        Type::Boolean => Json::raw("true"),
        Type::Integer { min, max } => Json::Raw(0.clamp(min, max).to_string()),
        Type::Number { min, max } => {
            Json::Raw(format!("{:?}", 0f64.clamp(min.value(), max.value())))
        }
        Type::String { min, .. } => Json::text(&"a".repeat(usize::from(min))),
        Type::Choice(choices) => Json::text(choices[0]),
        Type::Array { items, min, .. } => Json::Array(vec![good(items); usize::from(min)]),
        Type::Object(params) => object(params),
    }
}

fn object(params: &[Param]) -> Json {
    let members = params
        .iter()
        .filter(|param| param.required)
        .map(|param| (param.name.to_owned(), good(&param.ty)));
    Json::Object(members.collect())
}

/// Values below, at and above each limit of a type, and of its parts.
fn around(ty: &Type) -> Vec<Json> {
    let mut all: Vec<Json> = Vec::new();
    match *ty {
        Type::Boolean => {}
        Type::Integer { min, max } => {
            for limit in [min, max] {
                for value in [limit.wrapping_sub(1), limit, limit.wrapping_add(1)] {
                    all.push(Json::Raw(value.to_string()));
                }
                // Other spellings of the same number.
                if limit.unsigned_abs() < 1 << 50 {
                    all.push(Json::Raw(format!("{limit}.0")));
                    all.push(Json::Raw(format!("{limit}.5")));
                    if limit != 0 {
                        all.push(Json::Raw(format!("{limit}0e-1")));
                    }
                    all.push(Json::Raw(format!("{limit}e1")));
                }
            }
        }
        Type::Number { min, max } => {
            for limit in [min, max].into_iter().filter(|limit| limit.is_finite()) {
                let value = limit.value();
                for value in [value.next_down(), value, value.next_up()] {
                    all.push(Json::Raw(format!("{value:e}")));
                    all.push(Json::Raw(format!("{value:?}")));
                }
            }
        }
        Type::String { min, max } => {
            for limit in [min, max].into_iter().filter(|limit| *limit < 1000) {
                for count in [limit.saturating_sub(1), limit, limit + 1] {
                    for unit in ["a", "é", "😀"] {
                        all.push(Json::text(&unit.repeat(usize::from(count))));
                    }
                    // Escapes count as what they stand for.
                    let count = usize::from(count);
                    all.push(Json::Raw(format!("\"{}\"", r"\u00e9".repeat(count))));
                    all.push(Json::Raw(format!("\"{}\"", r"\ud83d\ude00".repeat(count))));
                }
            }
        }
        Type::Choice(choices) => {
            for choice in choices {
                all.push(Json::text(choice));
                all.push(Json::text(&format!("{choice} ")));
                all.push(Json::text(&choice.to_uppercase()));
            }
        }
        Type::Array { items, min, max } => {
            for limit in [min, max].into_iter().filter(|limit| *limit < 1000) {
                for count in [limit.saturating_sub(1), limit, limit + 1] {
                    all.push(Json::Array(vec![good(items); usize::from(count)]));
                }
            }
            for item in around(items) {
                let mut list = vec![good(items); usize::from(min.max(1))];
                if let Some(last) = list.last_mut() {
                    *last = item;
                }
                all.push(Json::Array(list));
            }
        }
        Type::Object(params) => all.extend(objects(params)),
    }
    all.extend(OTHERS.iter().map(|text| Json::raw(text)));
    all
}

/// Values of every type, some of which fit.
const OTHERS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "0.0",
    "1",
    "2",
    "-1",
    "1.5",
    "-0.5",
    "1e0",
    "1E+1",
    "100",
    "4294967297",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "\"\"",
    "\"a\"",
    "\"0\"",
    "\"true\"",
    "\"fast\"",
    "\"left\"",
    "[]",
    "[0]",
    "[1,2]",
    "[[]]",
    "[null]",
    "{}",
    "{\"x\":0}",
    "{\"x\":0,\"z\":0}",
    "{\"\":null}",
];

/// Objects with one thing other than good: a member of another value, one
/// missing, one more.
fn objects(params: &[Param]) -> Vec<Json> {
    let Json::Object(base) = object(params) else {
        return Vec::new();
    };
    let mut all = vec![Json::Object(base.clone())];
    for param in params {
        let others = |base: &[(String, Json)]| -> Vec<(String, Json)> {
            base.iter()
                .filter(|(name, _)| name != param.name)
                .cloned()
                .collect()
        };
        all.push(Json::Object(others(&base)));
        for value in around(&param.ty).into_iter().chain([good(&param.ty)]) {
            let mut members = others(&base);
            members.push((param.name.to_owned(), value));
            all.push(Json::Object(members));
        }
        for name in [param.name.to_uppercase(), format!("{} ", param.name)] {
            let mut members = base.clone();
            members.push((name, good(&param.ty)));
            all.push(Json::Object(members));
        }
    }
    for name in ["", "x", "other", "__proto__"] {
        if !base.iter().any(|(known, _)| known == name) {
            let mut members = base.clone();
            members.push((name.to_owned(), Json::raw("1")));
            all.push(Json::Object(members));
        }
    }
    all
}

/// What the two say of a text, which must be the same.
fn agree(
    name: &str,
    judge: &jsonschema::Validator,
    text: &str,
    checked: impl Fn(json::Value<'_>, Option<&mut Sink<'_>>) -> bool,
) -> bool {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let own = json::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}: {text}"));
    let fine = checked(own, None);
    let mut room = [0; 256];
    let mut report = Sink::new(&mut room);
    assert_eq!(
        checked(own, Some(&mut report)),
        fine,
        "{name}: the check with a report says something else: {text}"
    );
    let said = String::from_utf8_lossy(report.kept()).into_owned();
    assert_eq!(said.is_empty(), fine, "{name}: {text}: {said}");
    assert_eq!(
        judge.is_valid(&value),
        fine,
        "{name}: the check says {:?} of {text}, the schema says {:?}",
        if fine { "fine" } else { said.as_str() },
        judge
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect::<Vec<_>>()
    );
    fine
}

/// What `agree` is called with for each schema whose members the core checks.
fn each(mut test: impl FnMut(&str, &'static [Param], &mut dyn FnMut(&str) -> bool)) {
    for Advertised {
        tool,
        input,
        output,
    } in all()
    {
        if let Input::Params(params) = tool.input {
            let judge = judge(&input);
            test(tool.name, params, &mut |text| {
                agree(tool.name, &judge, text, |value, report| {
                    check(tool, Some(value), report).is_some()
                })
            });
        }
        if let (Some(schema), Some(shape)) = (output, tool.output) {
            let judge = judge(&schema);
            test(tool.name, shape, &mut |text| {
                agree(tool.name, &judge, text, |value, report| {
                    check_result(shape, value, report)
                })
            });
        }
    }
}

#[test]
fn the_check_agrees_with_the_schema_around_every_limit() {
    let (mut fine, mut refused) = (0, 0);
    each(|_, params, agree| {
        for text in objects(params).iter().map(Json::all) {
            if agree(&text) {
                fine += 1;
            } else {
                refused += 1;
            }
        }
    });
    // Neither side is trivially right.
    assert!(
        fine > 500 && refused > 500,
        "{fine} fine, {refused} refused"
    );
}

// --- random mutations

/// A small generator with a seed (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 33) as usize) % end
    }
}

/// Changes one place of the value.
fn mutate(value: &mut Json, pool: &[Json], random: &mut Random) {
    let inside = random.below(4) != 0;
    match value {
        Json::Array(items) if inside && !items.is_empty() => match random.below(4) {
            0 => {
                let copy = items[random.below(items.len())].clone();
                items.push(copy);
            }
            1 => {
                items.remove(random.below(items.len()));
            }
            _ => {
                let at = random.below(items.len());
                mutate(&mut items[at], pool, random);
            }
        },
        Json::Object(members) if inside && !members.is_empty() => match random.below(6) {
            0 => {
                members.remove(random.below(members.len()));
            }
            1 => {
                // The order of members says nothing.
                let at = random.below(members.len());
                members.swap(0, at);
            }
            _ => {
                let at = random.below(members.len());
                mutate(&mut members[at].1, pool, random);
            }
        },
        _ => *value = pool[random.below(pool.len())].clone(),
    }
}

#[test]
fn the_check_agrees_with_the_schema_after_random_changes() {
    let mut random = Random(0x5EED);
    let (mut fine, mut refused) = (0, 0);
    each(|_, params, agree| {
        let pool: Vec<Json> = params
            .iter()
            .flat_map(|param| around(&param.ty))
            .chain(OTHERS.iter().map(|text| Json::raw(text)))
            // Beyond 64 bits the two differ on purpose.
            .filter(|value| match value {
                Json::Raw(text) => text.parse().map_or(true, |number: f64| number.abs() < 9e18),
                _ => true,
            })
            .collect();
        for _ in 0..400 {
            let Json::Object(mut members) = object(params) else {
                continue;
            };
            for param in params.iter().filter(|param| !param.required) {
                if random.below(2) == 0 {
                    members.push((param.name.to_owned(), good(&param.ty)));
                }
            }
            let mut value = Json::Object(members);
            for _ in 0..random.below(3) {
                mutate(&mut value, &pool, &mut random);
            }
            // Arguments are an object before the check sees them (M-118).
            if matches!(value, Json::Object(_)) {
                if agree(&value.all()) {
                    fine += 1;
                } else {
                    refused += 1;
                }
            }
        }
    });
    assert!(
        fine > 500 && refused > 500,
        "{fine} fine, {refused} refused"
    );
}

// --- deliberate differences

/// Each is accepted by the schema, or would be by one that sees the text, and
/// refused by the check.
#[test]
fn the_check_is_stricter_only_here() {
    let tool = &Every::ENTRY.tool;
    let refused = |member: &str| -> String {
        let text = format!(r#"{{"on":true,"joint":0,"deg":0,"note":"ab",{member}}}"#);
        let mut room = [0; 256];
        let mut report = Sink::new(&mut room);
        let value = json::parse(text.as_bytes()).expect("JSON");
        assert!(
            check(tool, Some(value), Some(&mut report)).is_none(),
            "{text}"
        );
        String::from_utf8(report.kept().to_vec()).expect("UTF-8")
    };
    // A name given twice: a schema sees one value.
    assert_eq!(refused(r#""joint":1"#), "joint: given twice");
    assert_eq!(refused(r#""j\u006fint":1"#), r"j\u006fint: given twice");
    // Whole numbers beyond 64 bits, where no limit is advertised.
    assert_eq!(
        refused(r#""any":18446744073709551616"#),
        "any: 18446744073709551616 is above the maximum 9223372036854775807"
    );
    assert_eq!(
        refused(r#""any":-9223372036854775809"#),
        "any: -9223372036854775809 is below the minimum -9223372036854775808"
    );
    // Numbers that no double holds.
    assert_eq!(
        refused(r#""real":1e400"#),
        "real: 1e400 is beyond the range of a double"
    );
    // A fraction so small that other readers round it away: not the check's
    // rule but the judge's reading differs, which is why no such number is
    // among the values above.
    assert_eq!(
        refused(r#""any":1.00000000000000000000001"#),
        "any: 1.00000000000000000000001 is not a whole number"
    );
}
