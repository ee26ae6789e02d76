//! `cargo xtask test`: every step, one after the other, and a table.

use std::time::{Duration, Instant};

use crate::args::Args;
use crate::child::Log;
use crate::steps::{MAY_BE_UNAVAILABLE, STEPS, Step};
use crate::stop::Stop;

/// The options of [`test()`].
pub(crate) const OPTIONS: &str = "[--list] [--only STEP]... [--require-all]";

/// The lines of a failing step's output that are shown.
const SHOWN_LINES: usize = 400;

/// How one step ended.
enum End {
    Passed(String),
    Skipped(String),
    /// Not run, and allowed not to.
    Unavailable(String),
    Failed(String),
}

/// One line of the table.
struct Row {
    step: &'static Step,
    end: End,
    time: Duration,
}

/// `cargo xtask test`.
pub(crate) fn test(args: &mut Args) -> Result<(), Stop> {
    let list = args.flag("--list");
    let require_all = args.flag("--require-all");
    let mut only: Vec<String> = Vec::new();
    while let Some(name) = args.value::<String>("--only")? {
        only.push(name);
    }
    args.finish()?;
    let chosen = choose(&only)?;
    if list {
        for step in chosen {
            println!("{:24} {}", step.name, step.about);
        }
        return Ok(());
    }
    let mut rows: Vec<Row> = Vec::new();
    for step in chosen {
        println!("--- {}", step.name);
        let start = Instant::now();
        let end = run(step, &rows);
        let row = Row {
            step,
            end,
            time: start.elapsed(),
        };
        print_row(&row);
        rows.push(row);
    }
    report(&rows, require_all)
}

/// The steps named in `only` with what they need, or all; in their order.
fn choose(only: &[String]) -> Result<Vec<&'static Step>, Stop> {
    if let Some(name) = only
        .iter()
        .find(|name| !STEPS.iter().any(|step| step.name == **name))
    {
        return Err(Stop::Usage(format!("--only: no step `{name}`; see --list")));
    }
    let mut wanted: Vec<&str> = only.iter().map(String::as_str).collect();
    // A step stands after what it needs, so one pass from the end finds all.
    for step in STEPS.iter().rev() {
        if wanted.contains(&step.name) {
            wanted.extend(step.needs);
        }
    }
    let is_chosen = |step: &&Step| only.is_empty() || wanted.contains(&step.name);
    Ok(STEPS.iter().filter(is_chosen).collect())
}

fn run(step: &Step, rows: &[Row]) -> End {
    for need in step.needs {
        let Some(row) = rows.iter().find(|row| row.step.name == *need) else {
            continue;
        };
        match &row.end {
            End::Passed(_) => {}
            End::Unavailable(reason) | End::Skipped(reason) => {
                return End::Skipped(format!("{need}: {reason}"));
            }
            End::Failed(_) => return End::Skipped(format!("needs {need}, which failed")),
        }
    }
    let mut log = match Log::file(step.name) {
        Ok(log) => log,
        Err(stop) => return End::Failed(stop.to_string()),
    };
    match (step.run)(&mut log) {
        Ok(note) => End::Passed(note),
        Err(Stop::Skip(reason)) => End::Skipped(reason),
        Err(Stop::Unavailable(reason)) if step.name == MAY_BE_UNAVAILABLE => {
            End::Unavailable(reason)
        }
        Err(Stop::Fail(reason) | Stop::Usage(reason) | Stop::Unavailable(reason)) => {
            let text = log.text();
            let lines: Vec<&str> = text.lines().collect();
            let hidden = lines.len().saturating_sub(SHOWN_LINES);
            if hidden > 0 {
                println!("... {hidden} lines before");
            }
            for line in lines.iter().skip(hidden) {
                println!("{line}");
            }
            End::Failed(reason)
        }
    }
}

fn print_row(row: &Row) {
    let (word, text) = match &row.end {
        End::Passed(note) => ("passed", note),
        End::Skipped(reason) => ("SKIPPED", reason),
        End::Unavailable(reason) => ("n/a", reason),
        End::Failed(reason) => ("FAILED", reason),
    };
    println!(
        "{:24} {word:8} {:7.1} s  {text}",
        row.step.name,
        row.time.as_secs_f64()
    );
}

/// Prints the table and its sums.
fn report(rows: &[Row], require_all: bool) -> Result<(), Stop> {
    println!("\n=== summary");
    rows.iter().for_each(print_row);
    let count = |is: fn(&End) -> bool| rows.iter().filter(|row| is(&row.end)).count();
    let passed = count(|end| matches!(end, End::Passed(_)));
    let failed = count(|end| matches!(end, End::Failed(_)));
    let skipped = count(|end| matches!(end, End::Skipped(_)));
    let time: Duration = rows.iter().map(|row| row.time).sum();
    println!("\n{:.0} s in all", time.as_secs_f64());
    let unavailable = count(|end| matches!(end, End::Unavailable(_)));
    println!(
        "steps: {passed} passed, {failed} failed, {skipped} skipped, {unavailable} not available"
    );
    if failed > 0 {
        return Err(Stop::Fail(format!(
            "{failed} of {} steps failed",
            rows.len()
        )));
    }
    if require_all && skipped > 0 {
        return Err(Stop::Fail(format!(
            "{skipped} steps skipped, none may be (--require-all)"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_stands_after_what_it_needs() {
        for (at, step) in STEPS.iter().enumerate() {
            for need in step.needs {
                assert!(
                    STEPS.iter().take(at).any(|s| s.name == *need),
                    "{}: {need}",
                    step.name
                );
            }
        }
    }

    #[test]
    fn nothing_may_be_skipped_but_what_cannot_be_had() {
        let rows = |end: End| {
            [Row {
                step: &STEPS[0],
                end,
                time: Duration::ZERO,
            }]
        };
        assert!(report(&rows(End::Passed(String::new())), true).is_ok());
        assert!(report(&rows(End::Unavailable("none".into())), true).is_ok());
        assert!(report(&rows(End::Skipped("none".into())), false).is_ok());
        assert!(report(&rows(End::Skipped("none".into())), true).is_err());
        assert!(report(&rows(End::Failed("no".into())), false).is_err());
        let named = STEPS.iter().filter(|step| step.name == MAY_BE_UNAVAILABLE);
        assert_eq!(named.count(), 1);
    }

    #[test]
    fn a_chosen_step_brings_what_it_needs() {
        let names = |only: &str| -> Vec<&str> {
            choose(&[only.to_owned()])
                .unwrap_or_default()
                .iter()
                .map(|step| step.name)
                .collect()
        };
        assert_eq!(
            names("interop-python"),
            ["python-venv", "bench-arm", "interop-python"]
        );
        assert_eq!(names("fmt"), ["fmt"]);
        assert_eq!(names("fm"), [""; 0]);
    }
}
