//! Who may name whom inside the core. The table is complete: any other edge
//! fails, so a layer cannot be reached around.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What each module may name of the crate's root, itself apart. Lower layers
/// stand before higher ones.
const TABLE: &[(&str, &[&str])] = &[
    ("limits", &[]),
    ("time", &[]),
    ("buf", &[]),
    ("json", &["buf", "limits"]),
    ("frame", &["buf", "limits"]),
    ("seal", &["limits"]),
    ("rpc", &["json", "buf", "limits"]),
    ("tool", &["json", "buf", "time", "limits"]),
    ("resource", &["tool", "json", "buf", "time", "limits"]),
    ("prompt", &["tool", "json", "time", "limits"]),
    ("task", &["tool", "json", "buf", "time", "limits"]),
    // What a request comes to is put to it; it knows of neither protocol.
    ("policy", &["json", "buf", "time", "limits"]),
    (
        "mcp",
        &[
            "rpc",
            "json",
            "resource",
            "prompt",
            "task",
            "tool",
            "policy",
            "buf",
            "seal",
            "time",
            "limits",
            "frame::http",
        ],
    ),
    (
        "a2a",
        &["rpc", "task", "policy", "json", "buf", "time", "limits"],
    ),
    (
        "server",
        &[
            "mcp", "a2a", "policy", "task", "resource", "prompt", "tool", "rpc", "frame", "json",
            "buf", "seal", "time", "limits",
        ],
    ),
    ("client", &["mcp", "frame", "json", "buf", "limits"]),
    ("__private", &["tool", "json"]),
    ("macros", &["tool", "json"]),
    // Prose: it links, and uses nothing.
    ("manual", &[]),
];

/// The modules that `lib.rs` declares; it does nothing else, so it may name
/// all.
const ROOT: &str = "lib";

/// `mcp` judges heads; it does not read bodies and writes no answers of HTTP.
const HEAD: &[&str] = &["Field", "Head", "is_visible_ascii"];

/// Items that the root exports under a short name, with their module: naming
/// one is naming the module.
const EXPORTED: &[(&str, &str)] = &[("ToolArgs", "tool"), ("ToolResult", "tool")];

/// Every edge of one file that the table does not have.
fn wrong_edges(module: &str, source: &str) -> Vec<String> {
    let code = code(source);
    let mut wrong = Vec::new();
    for (one, other) in [
        ("mcp", "a2a"),
        ("a2a", "mcp"),
        ("task", "a2a"),
        ("task", "mcp"),
    ] {
        if module == one && words(&code).any(|word| word.eq_ignore_ascii_case(other)) {
            wrong.push(format!("{one} names {other}"));
        }
    }
    let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == module) else {
        wrong.push(format!("{module} is not in the table"));
        return wrong;
    };
    for path in paths(&code) {
        let first = path.first().map_or("", String::as_str);
        let target = EXPORTED
            .iter()
            .find(|(name, _)| *name == first)
            .map_or(first, |(_, module)| module);
        let fine = target == module
            || allowed.iter().any(|allowed| {
                let mut steps = path.iter();
                *allowed == target
                    || allowed
                        .split("::")
                        .all(|step| steps.next().is_some_and(|s| s == step))
            });
        if !fine {
            wrong.push(format!("{module} names {}", path.join("::")));
        }
        if module == "mcp"
            && path.starts_with(&["frame".to_owned(), "http".to_owned()])
            && !path
                .get(2)
                .is_some_and(|item| HEAD.contains(&item.as_str()))
        {
            wrong.push(format!(
                "mcp names {}, which is no part of a head",
                path.join("::")
            ));
        }
    }
    wrong
}

/// The source without comments, texts and unit tests.
fn code(source: &str) -> String {
    // Unit tests stand last in a file and may reach wherever they like.
    let mut rest = source
        .split_once("\n#[cfg(test)]\nmod tests {")
        .map_or(source, |(code, _)| code);
    let mut plain = String::new();
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(hashes) = raw_text(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = 2 + hashes;
            rest[start..]
                .find(&end)
                .map_or(rest.len(), |at| start + at + end.len())
        } else if c == '"' {
            text(rest)
        } else if rest.starts_with("'\"'") {
            3
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        plain.push(' ');
        rest = &rest[skipped..];
    }
    plain
}

/// How many `#` a raw text has, if one begins here.
fn raw_text(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('r')?;
    let text = inner.trim_start_matches('#');
    text.starts_with('"').then(|| inner.len() - text.len())
}

/// How long the text in quotes is that begins here.
fn text(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest.bytes().skip(1).position(|b| {
        let end = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        end
    });
    end.map_or(rest.len(), |at| at + 2)
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Every path behind `crate::`; groups in braces are taken apart.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` of a macro is the same crate.
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        tree(&code[at + "crate::".len()..], &mut Vec::new(), &mut all);
    }
    all
}

/// Reads one use tree, gives where it ends.
fn tree<'s>(text: &'s str, prefix: &mut Vec<String>, all: &mut Vec<Vec<String>>) -> &'s str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start();
            if let Some(end) = rest.strip_prefix('}') {
                return end;
            }
            let before = rest.len();
            rest = tree(rest, prefix, all).trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest);
            assert!(
                rest.len() < before,
                "a use tree that this test cannot read: {text}"
            );
        }
    }
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*')
        .unwrap_or(text.len());
    let (step, rest) = text.split_at(end);
    prefix.push(step.to_owned());
    let rest = match rest.strip_prefix("::") {
        // A turbofish ends the path.
        Some(more) if !more.starts_with('<') => tree(more, prefix, all),
        _ => {
            all.push(prefix.clone());
            match rest.trim_start().strip_prefix("as ") {
                Some(alias) => {
                    alias.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == ' ')
                }
                None => rest,
            }
        }
    };
    prefix.pop();
    rest
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("core/src") {
        let path = entry.expect("core/src").path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push(path);
        }
    }
}

/// Each file of the core with the name of its module below the root.
fn core() -> Vec<(String, String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src");
    let mut all = Vec::new();
    files(&root, &mut all);
    all.into_iter()
        .map(|path| {
            let below = path.strip_prefix(&root).expect("below core/src");
            let first = below.components().next().expect("a name");
            let module = Path::new(first.as_os_str()).file_stem().expect("a name");
            let source = fs::read_to_string(&path).expect("UTF-8");
            (
                module.to_string_lossy().into_owned(),
                source,
                below.to_owned(),
            )
        })
        .collect()
}

#[test]
fn lower_layers_never_name_higher_ones() {
    let files = core();
    assert!(files.len() > 30, "{} files", files.len());
    let mut wrong = Vec::new();
    for (module, source, path) in &files {
        if module != ROOT {
            wrong.extend(
                wrong_edges(module, source)
                    .into_iter()
                    .map(|edge| format!("{}: {edge}", path.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Enough `super::` lead to the root too, past the table. A chain must be
/// shorter than the file lies deep.
#[test]
fn no_path_climbs_out_of_its_module() {
    for (module, source, path) in core() {
        let depth = path.components().count() - usize::from(path.ends_with("mod.rs"));
        for chain in code(&source)
            .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
            .filter(|word| word.starts_with("super::"))
        {
            let climbs = chain.matches("super::").count();
            assert!(
                climbs < depth,
                "{}: {chain} climbs out of {module}",
                path.display()
            );
        }
    }
}

#[test]
fn every_row_of_the_table_is_a_module() {
    let modules: BTreeSet<String> = core().into_iter().map(|(module, ..)| module).collect();
    for (module, allowed) in TABLE {
        assert!(modules.contains(*module), "{module} is gone");
        for target in *allowed {
            let first = target.split("::").next().expect("a name");
            assert!(modules.contains(first), "{module}: {target} is gone");
        }
    }
}

#[test]
fn the_check_finds_what_it_is_for() {
    let wrong = |module: &str, source: &str| wrong_edges(module, source);
    assert_eq!(wrong("json", "use crate::buf::Sink;"), [""; 0]);
    assert_eq!(wrong("json", "use crate::rpc;"), ["json names rpc"]);
    assert_eq!(
        wrong("buf", "fn f() { crate::limits::NAME; }"),
        ["buf names limits::NAME"]
    );
    assert_eq!(
        wrong(
            "rpc",
            "use crate::{\n    buf::{Sink, Span},\n    mcp::{self, Version as V},\n    json,\n};"
        ),
        ["rpc names mcp::self", "rpc names mcp::Version"]
    );
    assert_eq!(
        wrong("frame", "pub(in crate::server) fn f() {}"),
        ["frame names server"]
    );
    assert_eq!(
        wrong("frame", "pub(crate) fn f() {} // crate::mcp"),
        [""; 0]
    );
    assert_eq!(wrong("tool", "const X: &str = \"crate::mcp\";"), [""; 0]);
    assert_eq!(
        wrong("tool", "x('\"'); use crate::mcp::X;"),
        ["tool names mcp::X"]
    );
    assert_eq!(wrong("tool", "impl crate::ToolArgs for X {}"), [""; 0]);
    assert_eq!(
        wrong("json", "impl crate::ToolArgs for X {}"),
        ["json names ToolArgs"]
    );
    assert_eq!(
        wrong(
            "time",
            "use ::std::x;\n#[cfg(test)]\nmod tests {\nuse crate::tool; }"
        ),
        [""; 0]
    );
    assert_eq!(
        wrong("mcp", "use crate::frame::http::{Field, Head};"),
        [""; 0]
    );
    assert_eq!(
        wrong("mcp", "use crate::frame::http::ResponseHead;"),
        ["mcp names frame::http::ResponseHead, which is no part of a head"]
    );
    assert_eq!(
        wrong("mcp", "use crate::frame::line::Lines;"),
        ["mcp names frame::line::Lines"]
    );
    assert_eq!(
        wrong("mcp", "use crate::frame::http::*;"),
        ["mcp names frame::http::*, which is no part of a head"]
    );
    assert_eq!(wrong("mcp", "mod a2a { }"), ["mcp names a2a"]);
    assert_eq!(wrong("mcp", "// unlike a2a"), [""; 0]);
    assert_eq!(wrong("journal", ""), ["journal is not in the table"]);
    assert_eq!(
        wrong(
            "macros",
            "macro_rules! x { () => { $crate::server::Server } }"
        ),
        ["macros names server::Server"]
    );
}
