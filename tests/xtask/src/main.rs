//! `cargo xtask`: one command per check, the same on a desk and in CI.
//!
//! A command is one line of [`COMMANDS`] and one function that takes its
//! [`Args`]. A step of `cargo xtask test` is one line of `steps::STEPS`.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod bench_python;
mod board_lines;
mod c;
mod c_packages;
mod calls;
mod child;
mod conformance;
mod conformance_board;
mod demo;
mod elf;
mod entries;
mod firmware;
mod header;
mod interop;
mod miri;
mod node;
mod operator;
mod packages;
mod paths;
mod place;
mod profile;
mod proof;
mod python;
mod python_package;
mod qemu;
mod qualify;
mod readme;
mod runner;
mod same_work;
mod sizes;
mod stamp;
mod steps;
mod stop;
mod toolchain;

use std::process::ExitCode;

use args::Args;
use stop::Stop;

/// One word after `cargo xtask`.
struct Command {
    name: &'static str,
    options: &'static str,
    about: &'static str,
    run: fn(&mut Args) -> Result<(), Stop>,
}

/// Every command, in the order in which `help` prints them.
const COMMANDS: &[Command] = &[
    Command {
        name: "demo",
        options: demo::OPTIONS,
        about: "build and run the bench arm: HTTP by default, or lines, or in QEMU",
        run: demo::bench_arm,
    },
    Command {
        name: "fixture-server",
        options: demo::FIXTURE_OPTIONS,
        about: "build and run the server that the conformance suite is run against",
        run: demo::fixture_server,
    },
    Command {
        name: "panic-free",
        options: "",
        about: "prove for every bare target that no panic can be reached in the core",
        run: proof::command,
    },
    Command {
        name: "sizes",
        options: sizes::OPTIONS,
        about: "measure flash, RAM and stack of the bench arm on a board",
        run: sizes::command,
    },
    Command {
        name: "c-sizes",
        options: c::OPTIONS,
        about: "measure flash and RAM of the bench arm in C on a board",
        run: c::command,
    },
    Command {
        name: "bench",
        options: bench::OPTIONS,
        about: "count the instructions of one call, on the host and on a Cortex-M4",
        run: bench::command,
    },
    Command {
        name: "board-lines",
        options: "",
        about: "talk to the bench arm on the emulated board, and to the one on the host",
        run: board_lines::command,
    },
    Command {
        name: "miri",
        options: "",
        about: "run the fast tests of the core under Miri",
        run: miri::command,
    },
    Command {
        name: "qualify",
        options: qualify::OPTIONS,
        about: "check a deployment of the OpenOperator profile, reading only",
        run: qualify::command,
    },
    Command {
        name: "test",
        options: runner::OPTIONS,
        about: "install what the tests need and run every test",
        run: runner::test,
    },
];

fn main() -> ExitCode {
    if let Err(error) = child::stop_children_on_signal() {
        eprintln!("xtask: {error}");
        return ExitCode::FAILURE;
    }
    let mut words = std::env::args().skip(1);
    let Some(name) = words.next().filter(|word| !is_help(word)) else {
        print!("{}", help());
        return ExitCode::SUCCESS;
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("xtask: unknown command `{name}`\n\n{}", help());
        return ExitCode::from(2);
    };
    let words: Vec<String> = words.collect();
    if words.iter().any(|word| is_help(word)) {
        println!(
            "usage: cargo xtask {name} {}\n\n{}",
            command.options, command.about
        );
        return ExitCode::SUCCESS;
    }
    match (command.run)(&mut Args::new(words.into_iter())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            eprintln!("xtask {name}: {stop}");
            match stop {
                Stop::Usage(_) => ExitCode::from(2),
                Stop::Skip(_) | Stop::Unavailable(_) | Stop::Fail(_) => ExitCode::FAILURE,
            }
        }
    }
}

fn is_help(word: &str) -> bool {
    matches!(word, "help" | "--help" | "-h")
}

fn help() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND [OPTIONS]\n\n");
    for command in COMMANDS {
        text += &format!(
            "  {} {}\n      {}\n",
            command.name, command.options, command.about
        );
    }
    text
}
