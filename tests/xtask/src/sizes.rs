//! `cargo xtask sizes`: flash, RAM and stack of the bench arm on a board.

use crate::args::Args;
use crate::calls::{self, Bound, Rule};
use crate::child::Log;
use crate::elf::Image;
use crate::firmware;
use crate::place;
use crate::proof;
use crate::readme::{self, Part, grouped, is_near};
use crate::stop::Stop;

/// The options of [`command`].
pub(crate) const OPTIONS: &str = "[--write] [--chain] [--where]";

const PART: Part = Part { name: "sizes" };
const FEATURES_PART: Part = Part { name: "features" };

/// What the table of features measures: its first cell, the features of the
/// board's image, and those of the image that it is compared with.
const FEATURES: &[(&str, &[&str], &[&str])] = &[
    ("`http`, in place of lines", &["http"], &[]),
    ("`sessions`, over `http`", &["sessions"], &["http"]),
    (
        "`a2a`, over `http`: two skills, four tasks",
        &["a2a"],
        &["http"],
    ),
    (
        "`tasks`, over `a2a` and `input`",
        &["tasks"],
        &["a2a", "input"],
    ),
    (
        "`client`, over `http`: a message to an agent, a call of a tool",
        &["http", "client"],
        &["http"],
    ),
    ("`extensions`, over `a2a`: one", &["extensions"], &["a2a"]),
    ("`pages`, over `a2a`: two", &["pages"], &["a2a"]),
    ("`resources`: two", &["resources"], &[]),
    (
        "`subscriptions`, over `resources`",
        &["subscriptions"],
        &["resources"],
    ),
    ("`prompts`: one", &["prompts"], &[]),
    ("`input`", &["input"], &[]),
    ("`logging`", &["logging"], &[]),
    ("`scopes`", &["scopes"], &[]),
    ("`policy`, over `http`", &["policy"], &["http"]),
    ("`policy`, over `a2a`", &["policy", "a2a"], &["a2a"]),
    (
        "all of them",
        &[
            "policy",
            "tasks",
            "client",
            "extensions",
            "pages",
            "sessions",
            "subscriptions",
            "prompts",
            "input",
            "logging",
            "scopes",
        ],
        &[],
    ),
];

/// How far the table of features may be off, in bytes: what a compiler moves
/// from one function to another does not follow the size of a feature.
const FEATURE_SLACK: u64 = 256;

/// The first cell of the line.
const NAME: &str = "bench arm, both eras of MCP, five tools, UART";

/// What the image may take at most, in bytes: 40 KB of flash, 6 KB of RAM
/// with every buffer, 3 KB of stack.
const MOST: Figures = Figures {
    flash: 40_960,
    ram: 6_144,
    stack: 3_072,
};

/// How far the table may be off, in percent.
struct Tolerance {
    memory: u64,
    stack: u64,
}

/// For the toolchain that the table names.
const SAME: Tolerance = Tolerance {
    memory: 2,
    stack: 10,
};

/// For any other.
const OTHER: Tolerance = Tolerance {
    memory: 10,
    stack: 25,
};

/// Whom the image calls through pointers.
const RULES: &[Rule] = &[
    // The handlers of the catalog.
    Rule {
        caller: "agentmote::tool::call::run*",
        callees: &["<bench_arm::*>::ENTRY::__agentmote_run"],
    },
    // The arguments of a format string, and where its text goes.
    Rule {
        caller: "core::fmt::write",
        callees: &[
            "<* as core::fmt::*>::fmt",
            "<*Sink as core::fmt::Write>::write_*",
        ],
    },
    Rule {
        caller: "<core::fmt::Formatter>::*",
        callees: &["<*Sink as core::fmt::Write>::write_*"],
    },
];

/// Panics that stay in the image, each with the reason why it is harmless.
const PANICS: &[(&str, &str)] = &[];

#[derive(Clone, Copy)]
struct Figures {
    flash: u64,
    ram: u64,
    stack: u64,
}

/// What was measured.
struct Measured {
    figures: Figures,
    bound: Bound,
    toolchain: String,
}

/// `cargo xtask sizes`.
pub(crate) fn command(args: &mut Args) -> Result<(), Stop> {
    let write = args.flag("--write");
    let chain = args.flag("--chain");
    let places = args.flag("--where");
    args.finish()?;
    if places {
        return place::print(&mut Log::stderr());
    }
    let measured = measure(&mut Log::stderr())?;
    println!("{}", table(&measured));
    let costs = costs(&mut Log::stderr())?;
    println!("\n{}", features_table(&costs));
    if chain {
        println!("\n{}", measured.bound.shown());
    }
    if write {
        PART.write(&table(&measured))?;
        FEATURES_PART.write(&features_table(&costs))?;
    }
    within(&measured.figures)
}

/// The step that compares the table of features; gives a note.
pub(crate) fn check_features(log: &mut Log) -> Result<String, Stop> {
    let costs = costs(log)?;
    log.line(&features_table(&costs))?;
    let table = FEATURES_PART.read()?;
    for (name, flash, ram) in &costs {
        let cells = readme::row(&table, name)
            .filter(|cells| cells.len() == 3)
            .ok_or_else(|| Stop::Fail(format!("README.md has no line for {name}; {REWRITE}")))?;
        for (what, cell, found) in [("flash", cells[1], *flash), ("static RAM", cells[2], *ram)] {
            let near = |stated: u64| stated.abs_diff(found) <= stated / 10 + FEATURE_SLACK;
            if !readme::number(cell).is_some_and(near) {
                return Err(Stop::Fail(format!(
                    "README.md says {cell} bytes of {what} for {name}, measured are {}; {REWRITE}",
                    grouped(found)
                )));
            }
        }
    }
    let most = costs.last().map_or(0, |(_, flash, _)| *flash);
    Ok(format!(
        "{} features and all: {} flash",
        costs.len() - 1,
        grouped(most)
    ))
}

/// What each feature adds to the image, in bytes of flash and of static RAM.
fn costs(log: &mut Log) -> Result<Vec<(&'static str, u64, u64)>, Stop> {
    let size = |features: &[&str], log: &mut Log| {
        let (file, _) = firmware::bench_arm_with(features, log)?;
        let image = Image::read(&file)?;
        proof::no_allocation(&image.symbols)?;
        Ok::<_, Stop>((image.flash, image.ram))
    };
    let mut costs = Vec::new();
    for (name, with, without) in FEATURES {
        let (flash, ram) = size(with, log)?;
        let (less_flash, less_ram) = size(without, log)?;
        costs.push((
            *name,
            flash.saturating_sub(less_flash),
            ram.saturating_sub(less_ram),
        ));
    }
    // The image without any is what other steps want to find.
    firmware::bench_arm_image(log)?;
    Ok(costs)
}

fn features_table(costs: &[(&str, u64, u64)]) -> String {
    let mut table = "| what a feature adds to that image, bytes | flash | RAM, static |\n\
         | --- | --- | --- |"
        .to_owned();
    for (name, flash, ram) in costs {
        table += &format!("\n| {name} | {} | {} |", grouped(*flash), grouped(*ram));
    }
    table
}

const REWRITE: &str = "`cargo xtask sizes --write` writes it anew";

/// The step; gives a note.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    let measured = measure(log)?;
    log.line(&table(&measured))?;
    log.line(&measured.bound.shown())?;
    within(&measured.figures)?;
    stated(&measured, &PART.read()?)?;
    let Figures { flash, ram, stack } = measured.figures;
    Ok(format!(
        "{} flash, {} RAM, {} stack by {}",
        grouped(flash),
        grouped(ram),
        grouped(stack),
        measured.toolchain
    ))
}

fn measure(log: &mut Log) -> Result<Measured, Stop> {
    let (file, compiler) = firmware::bench_arm_image(log)?;
    let image = Image::read(&file)?;
    proof::no_allocation(&image.symbols)?;
    if let Some(name) = image.symbols.iter().find(|name| is_panic(name)) {
        let calls = calls::panics(&file, &image, log)?.join("\n");
        return Err(Stop::Fail(format!("the image holds `{name}`:\n{calls}")));
    }
    let bound = calls::bound(&file, &image, (RULES, &[]), log)?;
    Ok(Measured {
        figures: Figures {
            flash: image.flash,
            ram: image.ram,
            stack: bound.bytes(),
        },
        bound,
        toolchain: compiler.version()?,
    })
}

fn is_panic(name: &str) -> bool {
    name.contains("core::panicking") && PANICS.iter().all(|(known, _)| *known != name)
}

fn table(measured: &Measured) -> String {
    let Figures { flash, ram, stack } = measured.figures;
    format!(
        "| image for LM3S6965 (Cortex-M3), bytes | flash | RAM, static | stack, at most | built by |\n\
         | --- | --- | --- | --- | --- |\n\
         | {NAME} | {} | {} | {} | {} |",
        grouped(flash),
        grouped(ram),
        grouped(stack),
        measured.toolchain
    )
}

/// Fails above [`MOST`], and names each figure that is.
fn within(found: &Figures) -> Result<(), Stop> {
    let mut above = Vec::new();
    for (what, found, most) in [
        ("flash", found.flash, MOST.flash),
        ("static RAM", found.ram, MOST.ram),
        ("stack", found.stack, MOST.stack),
    ] {
        if found > most {
            let (found, most) = (grouped(found), grouped(most));
            above.push(format!("{what} is {found}, at most {most} allowed"));
        }
    }
    if above.is_empty() {
        return Ok(());
    }
    Err(Stop::Fail(above.join("; ")))
}

/// Fails unless `table` states what was measured.
fn stated(measured: &Measured, table: &str) -> Result<(), Stop> {
    let cells = readme::row(table, NAME)
        .filter(|cells| cells.len() == 5)
        .ok_or_else(|| Stop::Fail(format!("README.md has no table of sizes; {REWRITE}")))?;
    let tolerance = match cells[4] == measured.toolchain {
        true => SAME,
        false => OTHER,
    };
    let found = measured.figures;
    for (what, cell, found, percent) in [
        ("flash", cells[1], found.flash, tolerance.memory),
        ("static RAM", cells[2], found.ram, tolerance.memory),
        ("stack", cells[3], found.stack, tolerance.stack),
    ] {
        if !readme::number(cell).is_some_and(|stated| is_near(stated, found, percent)) {
            return Err(Stop::Fail(format!(
                "README.md says {cell} bytes of {what}, measured are {} (within {percent} %); {REWRITE}",
                grouped(found)
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(flash: u64, stack: u64, toolchain: &str) -> Measured {
        Measured {
            figures: Figures {
                flash,
                ram: 1000,
                stack,
            },
            bound: Bound {
                main: calls::Chain::default(),
                handler: calls::Chain::default(),
            },
            toolchain: toolchain.into(),
        }
    }

    #[test]
    fn every_figure_above_its_budget_is_named() {
        let found = Figures {
            flash: 40_961,
            ram: 6_144,
            stack: 3_073,
        };
        let why = within(&found).map_err(|stop| stop.to_string());
        let text = "flash is 40,961, at most 40,960 allowed; stack is 3,073, at most 3,072 allowed";
        assert_eq!(why, Err(text.into()));
    }

    #[test]
    fn the_table_is_compared_with_what_was_measured() {
        let stated_table = table(&measured(10_000, 2_000, "rustc 1"));
        let is_right = |flash, stack, toolchain| {
            stated(&measured(flash, stack, toolchain), &stated_table).is_ok()
        };
        assert!(is_right(10_200, 2_200, "rustc 1"));
        assert!(!is_right(10_201, 2_200, "rustc 1"));
        assert!(!is_right(10_200, 2_201, "rustc 1"));
        assert!(is_right(10_900, 2_400, "rustc 2"));
        assert!(!is_right(11_001, 2_400, "rustc 2"));
        assert!(stated(&measured(1, 1, "rustc 1"), "").is_err());
    }
}
