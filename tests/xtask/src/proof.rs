//! `cargo xtask panic-free`: no panic can be reached in the core.
//!
//! `tests/no-std-link` calls every public entry point of the core, and its
//! panic handler calls a function that does not exist. It links exactly if
//! the optimiser has left no panic, which is checked for every bare target.

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::calls;
use crate::child::Log;
use crate::elf::Image;
use crate::entries;
use crate::paths;
use crate::stop::{Doing, Stop};
use crate::toolchain::{self, BARE_TARGETS, Bare, Core};

/// The function that does not exist.
const MISSING: &str = "panic_path_is_reachable";

/// Below this, the linker must have dropped what was to be proved.
const LEAST_FLASH: u64 = 40_000;

/// The settings for which the proof holds; images must have the same.
const PROFILE: &[&str] = &[
    "opt-level = \"s\"",
    "lto = true",
    "codegen-units = 1",
    "panic = \"abort\"",
    "debug = \"line-tables-only\"",
    "overflow-checks = false",
];

/// `cargo xtask panic-free`.
pub(crate) fn command(args: &mut Args) -> Result<(), Stop> {
    args.finish()?;
    println!("{}", panic_free(&mut Log::stderr())?);
    Ok(())
}

/// The step; gives a note.
pub(crate) fn panic_free(log: &mut Log) -> Result<String, Stop> {
    let root = paths::root();
    for folder in [
        "tests/no-std-link",
        "firmware-examples/boards",
        "ffi-c/library",
    ] {
        check_profile(&root.join(folder).join("Cargo.toml"))?;
    }
    let entries = entries::all_are_called()?;
    let compiler = toolchain::bare(&BARE_TARGETS, Core::Built, log)?;
    for target in BARE_TARGETS {
        let (errors, linked) = link(compiler, target, &[], log)?;
        if !linked && is_missing(&errors) {
            return Err(reachable(compiler, target, log));
        }
        if !linked {
            return Err(Stop::Fail(format!("{target}: the proof does not build")));
        }
        let image = Image::read(&image(target))?;
        if image.flash < LEAST_FLASH {
            return Err(Stop::Fail(format!(
                "{target}: only {} bytes are left of the proof",
                image.flash
            )));
        }
        no_allocation(&image.symbols)?;

        let (errors, linked) = link(compiler, target, &["--features", "spoiled"], log)?;
        if linked {
            return Err(Stop::Fail(format!(
                "{target}: it links although a panic can be reached, so it proves nothing"
            )));
        }
        if !is_missing(&errors) {
            return Err(Stop::Fail(format!(
                "{target}: the spoiled proof fails for another reason than {MISSING}"
            )));
        }
    }
    Ok(format!(
        "{entries} entry points, {} targets by {}",
        BARE_TARGETS.len(),
        compiler.version()?
    ))
}

/// Names the calls that lead to a panic, where they can be read.
fn reachable(compiler: Bare, target: &str, log: &mut Log) -> Stop {
    let mut culprits = || {
        let (_, linked) = link(compiler, target, &["--features", "culprits"], log)?;
        if !linked || !target.starts_with("thumb") {
            return Ok(Vec::new());
        }
        let file = image(target);
        calls::panics(&file, &Image::read(&file)?, log)
    };
    let calls = culprits().unwrap_or_else(|stop: Stop| vec![stop.to_string()]);
    Stop::Fail(format!(
        "{target}: a panic can be reached:\n{}",
        calls.join("\n")
    ))
}

fn link(
    compiler: Bare,
    target: &str,
    features: &[&str],
    log: &mut Log,
) -> Result<(String, bool), Stop> {
    compiler
        .image(target)
        .args(features)
        .dir(&paths::root().join("tests/no-std-link"))
        .complaints(log)
}

fn image(target: &str) -> PathBuf {
    paths::target().join(target).join("release/no-std-link")
}

/// Whether the linker misses [`MISSING`], and nothing else.
fn is_missing(errors: &str) -> bool {
    let mut undefined = errors
        .lines()
        .filter_map(|line| line.split_once("undefined symbol: "))
        .map(|(_, name)| name.trim())
        .peekable();
    undefined.peek().is_some() && undefined.all(|name| name == MISSING)
}

/// Refuses names of allocators and of the standard library.
pub(crate) fn no_allocation(symbols: &[String]) -> Result<(), Stop> {
    match symbols.iter().find(|name| allocates(name)) {
        None => Ok(()),
        Some(name) => Err(Stop::Fail(format!("the image holds `{name}`"))),
    }
}

fn allocates(name: &str) -> bool {
    const WHOLE: &[&str] = &[
        "malloc",
        "calloc",
        "realloc",
        "free",
        "_malloc_r",
        "_free_r",
        "sbrk",
        "_sbrk",
        "_sbrk_r",
    ];
    const PARTS: &[&str] = &[
        "__rust_alloc",
        "__rust_dealloc",
        "__rust_realloc",
        "__rg_",
        "__rdl_",
        "linked_list",
        "eh_personality",
        "_Unwind_",
    ];
    // In demangled names a crate stands at the start, or behind one of these.
    let has_crate = |krate: &str| {
        name.match_indices(krate).any(|(at, _)| {
            let before = name[..at].chars().next_back();
            before.is_none_or(|c| matches!(c, '<' | ' ' | '&' | '(' | '['))
        })
    };
    WHOLE.contains(&name)
        || PARTS.iter().any(|part| name.contains(part))
        || has_crate("alloc::")
        || has_crate("std::")
}

/// Fails unless the release profile of `manifest` is [`PROFILE`].
fn check_profile(manifest: &Path) -> Result<(), Stop> {
    let text = std::fs::read_to_string(manifest).doing(manifest.display())?;
    let found = profile(&text);
    if found == PROFILE {
        return Ok(());
    }
    Err(Stop::Fail(format!(
        "{}: [profile.release] is {found:?}, but the proof holds for {PROFILE:?}",
        manifest.display()
    )))
}

/// The settings of `[profile.release]`, without comments and empty lines.
fn profile(manifest: &str) -> Vec<&str> {
    manifest
        .lines()
        .skip_while(|line| *line != "[profile.release]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_missing_function_counts() {
        let right = "rust-lld: error: undefined symbol: panic_path_is_reachable\n>>> referenced by";
        assert!(is_missing(right));
        assert!(!is_missing("error[E0061]: this function takes 2 arguments"));
        assert!(!is_missing(&format!(
            "{right}\nerror: undefined symbol: memcpy"
        )));
        assert!(!is_missing(
            "error: undefined symbol: panic_path_is_reachable_2"
        ));
    }

    #[test]
    fn allocators_and_std_are_found_by_name() {
        for name in [
            "malloc",
            "__rustc::__rust_alloc",
            "__rg_oom",
            "alloc::vec::Vec::push",
            "<std::io::Error as core::fmt::Display>::fmt",
            "<&alloc::string::String as core::fmt::Display>::fmt",
        ] {
            assert!(allocates(name), "{name}");
        }
        for name in [
            "core::alloc::Layout::new",
            "freeze",
            "nostd::x",
            "__rustc::rust_begin_unwind",
        ] {
            assert!(!allocates(name), "{name}");
        }
    }

    #[test]
    fn a_profile_ends_at_the_next_table() {
        let text = "[a]\nx = 1\n[profile.release]\n# why\nlto = true\n\n[b]\ny = 2\n";
        assert_eq!(profile(text), ["lto = true"]);
        assert_eq!(profile("[a]\nx = 1\n"), [""; 0]);
    }
}
