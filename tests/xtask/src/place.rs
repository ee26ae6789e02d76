//! `cargo xtask sizes --where`: what takes the flash of an image, by module
//! of the core and by crate, and what takes its RAM.

use std::collections::BTreeMap;

use crate::child::Log;
use crate::elf::Image;
use crate::firmware;
use crate::readme::grouped;
use crate::stop::Stop;

/// The features of the image: HTTP, A2A, and who may do what.
const FEATURES: &[&str] = &["a2a", "policy"];

/// Functions that are named.
const NAMED: usize = 24;

/// The tasks of the image, as its `agent.rs` has them: how many, the bytes of
/// the log of each, and of a result.
const TASKS: (u64, u64, u64) = (4, 1024, 512);

/// Measures and prints.
pub(crate) fn print(log: &mut Log) -> Result<(), Stop> {
    let (file, _) = firmware::bench_arm_with(FEATURES, log)?;
    let image = Image::read(&file)?;
    println!("image with {}:\n{}", FEATURES.join(" and "), table(&image));
    println!("\n{}", variables(&image)?);
    // The image without any is what other steps want to find.
    firmware::bench_arm_image(log).map(|_| ())
}

fn table(image: &Image) -> String {
    let mut modules: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    // Functions of one name are copies for different types.
    let mut functions: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    let mut code = 0;
    for function in image.functions.values() {
        code += function.size;
        for sum in [
            modules.entry(module(&function.name)).or_default(),
            functions.entry(&function.name).or_default(),
        ] {
            sum.0 += function.size;
            sum.1 += 1;
        }
    }
    let mut text =
        "| module or crate | bytes of code | functions |\n| --- | --- | --- |".to_owned();
    for (name, (bytes, count)) in largest(modules) {
        text += &format!("\n| {name} | {} | {count} |", grouped(bytes));
    }
    let rest = image.flash.saturating_sub(code);
    text += &format!("\n| constants, vectors, gaps | {} | |", grouped(rest));
    text += &format!("\n| all | {} | |", grouped(image.flash));
    text += "\n\n| function | bytes of code | copies |\n| --- | --- | --- |";
    for (name, (bytes, count)) in largest(functions).into_iter().take(NAMED) {
        text += &format!("\n| {name} | {} | {count} |", grouped(bytes));
    }
    text
}

/// The variables in RAM, and what of them a task takes.
fn variables(image: &Image) -> Result<String, Stop> {
    let mut text = "| variable | bytes of RAM |\n| --- | --- |".to_owned();
    let mut all: Vec<_> = image.variables.iter().collect();
    all.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    for (name, bytes) in &all {
        text += &format!("\n| {name} | {} |", grouped(*bytes));
    }
    text += &format!("\n| all | {} |", grouped(image.ram));
    let tasks = all.iter().find(|(name, _)| name.ends_with("::TASKS"));
    let (count, log, result) = TASKS;
    let beside = tasks
        .and_then(|(_, bytes)| bytes.checked_sub(count * log + result))
        .filter(|rest| rest % count == 0)
        .ok_or_else(|| Stop::Fail("the image holds other tasks than are known here".into()))?;
    Ok(format!(
        "{text}\n\na task takes {} bytes of RAM: its log, here of {}, and {} beside it; \
         a result of a tool takes {} once for all",
        grouped(log + beside / count),
        grouped(log),
        beside / count,
        grouped(result),
    ))
}

fn largest<K: Ord>(sums: BTreeMap<K, (u64, usize)>) -> Vec<(K, (u64, usize))> {
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, (bytes, _))| std::cmp::Reverse(*bytes));
    sums
}

/// The crate of a function; of the core, the file with it.
fn module(name: &str) -> String {
    // `<path as trait>::name`, `<path>::name`, `path::name`. A method of the
    // language's own types belongs to whose trait it is.
    let inner = name.trim_start_matches(['<', '&', '*', '[', '(']);
    let inner = inner.strip_prefix("mut ").unwrap_or(inner);
    let (own, of) = match inner.split_once(" as ") {
        Some((own, of)) if name.starts_with('<') => (own, Some(of)),
        _ => (inner, None),
    };
    let path = match of {
        Some(of) if own.starts_with("core::") || !own.contains("::") => of,
        _ => own,
    };
    let mut steps = path
        .split("::")
        .map(|step| step.split(['<', '>', ' ', '(', ')']).next().unwrap_or(step));
    let first = steps.next().unwrap_or_default();
    if !path.contains("::") {
        return "what has no path: routines of the compiler, the runtime".to_owned();
    }
    let inside = steps.take(2).take_while(|step| {
        // Modules are lower case; a type or a function ends the path.
        first == "agentmote" && step.starts_with(|c: char| c.is_ascii_lowercase())
    });
    [first]
        .into_iter()
        .chain(inside)
        .collect::<Vec<_>>()
        .join("::")
}

#[cfg(test)]
mod tests {
    use super::module;

    #[test]
    fn a_function_belongs_to_a_file_of_the_core_or_to_a_crate() {
        for (name, want) in [
            (
                "agentmote::json::view::take_nested",
                "agentmote::json::view",
            ),
            (
                "<agentmote::a2a::project::Projection>::task",
                "agentmote::a2a::project",
            ),
            (
                "<agentmote::buf::sink::Sink as core::fmt::Write>::write_str",
                "agentmote::buf::sink",
            ),
            (
                "<core::iter::Map as agentmote::tool::args::Read>::read",
                "agentmote::tool::args",
            ),
            ("core::fmt::write", "core"),
            ("<&str as core::fmt::Display>::fmt", "core"),
            (
                "<bench_arm::arm_move as agentmote::tool::x::Y>::run",
                "bench_arm",
            ),
            (
                "memcpy",
                "what has no path: routines of the compiler, the runtime",
            ),
        ] {
            assert_eq!(module(name), want, "{name}");
        }
    }
}
