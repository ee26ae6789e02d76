//! C programs behind the C interface: the test programs under sanitizers and
//! valgrind, the bench arm as a program of the host and as firmware.

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::board_lines;
use crate::calls::{self, Bound, Rule, Walk};
use crate::child::{Job, Log};
use crate::elf::Image;
use crate::interop::{self, AgentClient, Client};
use crate::packages;
use crate::paths;
use crate::proof;
use crate::readme::{self, Part, grouped, is_near};
use crate::stop::{Doing, Stop};
use crate::toolchain::{self, Bare, Core};

/// The options of [`command`].
pub(crate) const OPTIONS: &str = "[--write] [--chain]";

/// The programs under `tests/c/programs`, each with what its library is built
/// with; each ends with a line `NAME: N checks`.
const PROGRAMS: [(&str, &[&str]); 7] = [
    ("rules", &[]),
    ("calls", &[]),
    ("misuse", &[]),
    ("asks", &[]),
    ("agent", &AGENT),
    ("policy", &AGENT),
    ("small", &["--no-default-features"]),
];

/// What the library is built with for programs that serve an agent, or have a
/// policy, and what they define.
const AGENT: [&str; 2] = ["--features", "a2a,policy"];
pub(crate) const AGENT_DEFINED: &str = "-DAGENTMOTE_A2A";

/// The checks that a program at least makes in one run.
const CHECKS: usize = 150;

/// What the sources of C promise to be free of.
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

/// The first finding ends a program.
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

const TARGET: &str = "thumbv7m-none-eabi";

const PART: Part = Part { name: "c-sizes" };

/// The static library for this machine.
fn host_library(features: &[&str], log: &mut Log) -> Result<PathBuf, Stop> {
    // A folder for each: the library has the same name in all.
    let name = match features {
        [] => "c-library",
        [_, ..] if *features == AGENT => "c-agent",
        _ => "c-small",
    };
    let folder = paths::target().join(name);
    Job::cargo("build")
        .args(["--quiet", "--release", "--locked"])
        .args(features)
        .env("CARGO_TARGET_DIR", &folder)
        .dir(&paths::root().join("ffi-c/library"))
        .run(log)?;
    Ok(folder.join("release/libagentmote.a"))
}

fn folder() -> Result<PathBuf, Stop> {
    let folder = paths::target().join("c");
    std::fs::create_dir_all(&folder).doing(folder.display())?;
    Ok(folder)
}

/// The compiler with what every source needs.
pub(crate) fn compiler(program: &str, standard: &str) -> Job {
    Job::new(program)
        .arg(standard)
        .args(WARNINGS)
        .arg("-g")
        .arg("-I")
        .arg(paths::root().join("include"))
}

/// Every test program: as C11 and C++17 it runs, as C99 under the sanitizers
/// and under valgrind. Gives a note.
pub(crate) fn programs(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::GCC, &packages::GXX, &packages::VALGRIND], log)?;
    let folder = folder()?;
    let mut sum = 0;
    for (name, features) in PROGRAMS {
        let library = host_library(features, log)?;
        let defined = (*features == AGENT).then_some(AGENT_DEFINED);
        let source = paths::root().join(format!("tests/c/programs/{name}.c"));
        let build = |compiler: Job, program: &Path, log: &mut Log| {
            compiler
                .args(defined)
                .arg(&source)
                // Of two languages, only the source is of one.
                .args(["-x", "none"])
                .arg(&library)
                .arg("-pthread")
                .arg("-o")
                .arg(program)
                .run(log)
        };
        for (program, standard, language) in
            [("gcc", "-std=c11", "c"), ("g++", "-std=c++17", "c++")]
        {
            let file = folder.join(format!("{name}-{language}"));
            build(
                compiler(program, standard).args(["-x", language]),
                &file,
                log,
            )?;
            sum += checks(Job::new(&file), log)?;
        }
        let file = folder.join(format!("{name}-sanitized"));
        build(compiler("gcc", "-std=c99").args(SANITIZERS), &file, log)?;
        sum += checks(Job::new(&file), log)?;

        let file = folder.join(format!("{name}-plain"));
        let few = compiler("gcc", "-std=c99").arg("-DROUNDS=100");
        build(few, &file, log)?;
        let valgrind = Job::new("valgrind")
            .args(["--quiet", "--error-exitcode=9", "--leak-check=full"])
            // Threads take turns, also one that waits for the other.
            .arg("--fair-sched=yes")
            .arg(&file);
        sum += checks(valgrind, log)?;
    }
    sanitizers_find(log)?;
    sizes_are_checked(log)?;
    Ok(format!("{} programs, {sum} checks", PROGRAMS.len()))
}

/// Runs a program; gives how many checks it says it made.
fn checks(job: Job, log: &mut Log) -> Result<usize, Stop> {
    let before = log.text().len();
    job.run(log)?;
    let text = log.text();
    let made = text
        .get(before..)
        .unwrap_or_default()
        .lines()
        .rev()
        .find_map(|line| {
            line.strip_suffix(" checks")?
                .rsplit(' ')
                .next()?
                .parse()
                .ok()
        })
        .unwrap_or(0);
    if made < CHECKS {
        return Err(Stop::Fail(format!("ended well after only {made} checks")));
    }
    Ok(made)
}

/// Inputs that the fuzzer tries, and seconds that it may take for them.
const FUZZ_RUNS: u32 = 20_000;
const FUZZ_SECONDS: u32 = 60;

/// What makes rustc tell the fuzzer which code an input has reached.
const COVERAGE: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// A libFuzzer target over the C interface, bounded; gives a note.
pub(crate) fn fuzz(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::CLANG, &packages::LIBFUZZER], log)?;
    let host = toolchain::host()?;
    let target = paths::target().join("c-fuzz");
    Job::cargo("build")
        .args(["--quiet", "--release", "--locked", "--target", &host])
        .args(AGENT)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", COVERAGE.join(" "))
        .dir(&paths::root().join("ffi-c/library"))
        .run(log)?;
    let program = folder()?.join("fuzz");
    let tests = paths::root().join("tests/c");
    let arm = paths::root().join("firmware-examples/c-arm");
    compiler("clang", "-std=c99")
        .args(["-O1", "-fsanitize=fuzzer,address,undefined", SANITIZERS[1]])
        .arg(AGENT_DEFINED)
        .arg("-I")
        .arg(&arm)
        .arg(tests.join("programs/fuzz.c"))
        .args(["arm.c", "motion.c"].map(|name| arm.join(name)))
        .arg(target.join(&host).join("release/libagentmote.a"))
        .arg("-o")
        .arg(&program)
        .run(log)?;
    let corpus = folder()?.join("corpus");
    if corpus.exists() {
        std::fs::remove_dir_all(&corpus).doing(corpus.display())?;
    }
    std::fs::create_dir(&corpus).doing(corpus.display())?;
    let (said, ended_well) = Job::new(&program)
        .arg("-seed=1")
        .arg(format!("-runs={FUZZ_RUNS}"))
        .arg(format!("-max_total_time={FUZZ_SECONDS}"))
        .args(["-max_len=2048", "-print_final_stats=1"])
        // What it finds goes to the first folder, an empty one each time.
        .arg(&corpus)
        .arg(tests.join("seeds"))
        // A finding is kept where builds are.
        .dir(&folder()?)
        .complaints(log)?;
    if !ended_well {
        return Err(Stop::Fail("the fuzzer has found something".into()));
    }
    let number = |what: &str| -> Option<u32> {
        let line = said.lines().rev().find(|line| line.contains(what))?;
        let mut words = line.split_once(what)?.1.split_whitespace();
        words.next()?.parse().ok()
    };
    let (runs, reached) = (number("number_of_executed_units:"), number("cov: "));
    match (runs, reached) {
        // The code of C alone has fewer places.
        (Some(runs), Some(reached)) if runs > 1_000 && reached > 1_000 => {
            Ok(format!("{runs} inputs reach {reached} places"))
        }
        _ => Err(Stop::Fail(format!(
            "the fuzzer did {runs:?} runs and saw {reached:?} places"
        ))),
    }
}

/// Storage of sizes that no connection can have does not compile.
fn sizes_are_checked(log: &mut Log) -> Result<(), Stop> {
    let folder = folder()?;
    for (what, compiles) in [
        ("LINE_MEMORY(m, 192, 192, 0, 0)", true),
        ("LINE_MEMORY(m, 191, 192, 0, 0)", false),
        ("LINE_MEMORY(m, 192, 191, 0, 0)", false),
        ("LINE_MEMORY(m, 65536, 192, 0, 0)", false),
        ("LINE_MEMORY(m, 192, 192, 256, 0)", false),
        ("HTTP_MEMORY(m, 512, 192, 0)", true),
        ("HTTP_MEMORY(m, 511, 192, 0)", false),
        ("TASK_MEMORY(m, 0, 1, 512, 0)", true),
        ("TASK_MEMORY(m, 0, 0, 512, 0)", false),
        ("TASK_MEMORY(m, 0, 256, 512, 0)", false),
        ("TASK_MEMORY(m, 0, 1, 511, 0)", false),
        ("TASK_MEMORY(m, 0, 1, 512, 191)", false),
    ] {
        let kind = if what.starts_with("TASK") {
            "task_"
        } else {
            ""
        };
        let source = folder.join("sizes.c");
        let text = format!(
            "#include <agentmote.h>\nAGENTMOTE_{what};\n\
             const agentmote_{kind}memory_t *use(void);\n\
             const agentmote_{kind}memory_t *use(void) {{ return &m; }}\n"
        );
        std::fs::write(&source, text).doing(source.display())?;
        let (_, compiled) = compiler("gcc", "-std=c99")
            .arg("-c")
            .arg(&source)
            .arg("-o")
            .arg(folder.join("sizes.o"))
            .complaints(log)?;
        if compiled != compiles {
            return Err(Stop::Fail(format!(
                "AGENTMOTE_{what}: compiles: {compiled}"
            )));
        }
    }
    Ok(())
}

/// Makes sure that the sanitizers are there: a program with a fault must fail.
fn sanitizers_find(log: &mut Log) -> Result<(), Stop> {
    let folder = folder()?;
    let source = folder.join("faulty.c");
    let text = "#include <stdlib.h>\n\
                int main(int count, char **words) {\n\
                char *room = calloc(4, 1); (void)words;\n\
                return room[3 + count]; }\n";
    std::fs::write(&source, text).doing(source.display())?;
    let program = folder.join("faulty");
    compiler("gcc", "-std=c99")
        .args(SANITIZERS)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .run(log)?;
    match Job::new(&program).complaints(log)? {
        (said, false) if said.contains("heap-buffer-overflow") => Ok(()),
        _ => Err(Stop::Fail("the sanitizers find nothing".into())),
    }
}

/// The bench arm in C as a program of this machine.
fn host_arm(log: &mut Log) -> Result<PathBuf, Stop> {
    packages::need(&[&packages::GCC], log)?;
    let library = host_library(&[], log)?;
    let program = folder()?.join("c-arm");
    let sources = paths::root().join("firmware-examples/c-arm");
    compiler("gcc", "-std=c99")
        .args(SANITIZERS)
        .arg("-I")
        .arg(&sources)
        .args(["host.c", "arm.c", "motion.c"].map(|name| sources.join(name)))
        .arg(library)
        .arg("-o")
        .arg(&program)
        .run(log)?;
    Ok(program)
}

/// The static library for the board; gives it and what built it.
fn board_library(features: &[&str], log: &mut Log) -> Result<(PathBuf, Bare), Stop> {
    packages::need(&[&packages::GCC_ARM], log)?;
    let rust = toolchain::bare(&[TARGET], Core::Built, log)?;
    let target = paths::target().join("c-library");
    rust.image(TARGET)
        .arg("--locked")
        .args(features)
        .env("CARGO_TARGET_DIR", &target)
        .dir(&paths::root().join("ffi-c/library"))
        .run(log)?;
    Ok((target.join(TARGET).join("release/libagentmote.a"), rust))
}

/// Every function of the header with every feature, linked for the board: no
/// panic can be reached in any of them, and nothing allocates. Gives a note.
pub(crate) fn panic_free(log: &mut Log) -> Result<String, Stop> {
    let header = paths::root().join("include/agentmote.h");
    let header = std::fs::read_to_string(&header).doing(header.display())?;
    let functions = functions(&header);
    let spoiled = ["--no-default-features", "--features", "spoiled"];
    let (library, _) = board_library(&spoiled, log)?;
    let image = whole(&library, &["agentmote_spoiled"], log)?;
    if clean(&image.symbols).is_ok() {
        return Err(Stop::Fail(
            "a panic that can be reached is not found, so this proves nothing".into(),
        ));
    }
    let (library, rust) = board_library(&AGENT, log)?;
    let image = whole(&library, &functions, log)?;
    clean(&image.symbols)?;
    if let Some(name) = functions
        .iter()
        .find(|name| !image.symbols.iter().any(|symbol| symbol == *name))
    {
        return Err(Stop::Fail(format!("the library has no `{name}`")));
    }
    Ok(format!(
        "{} functions, {} bytes by {}",
        functions.len(),
        grouped(image.flash),
        rust.version()?
    ))
}

/// An image for the board that holds these functions of the library.
fn whole(library: &Path, functions: &[&str], log: &mut Log) -> Result<Image, Stop> {
    let folder = folder()?;
    let program = folder.join("whole.elf");
    let source = folder.join("whole.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").doing(source.display())?;
    let board = paths::root().join("firmware-examples/c-arm/lm3s6965evb");
    compiler("arm-none-eabi-gcc", "-std=c99")
        .args([
            "-mcpu=cortex-m3",
            "-mthumb",
            "-Os",
            "-ffreestanding",
            "-nostdlib",
        ])
        .args([
            "-ffunction-sections",
            "-Wl,--gc-sections",
            "-Wl,-z,noexecstack",
        ])
        .args(functions.iter().map(|name| format!("-Wl,-u,{name}")))
        .arg("-T")
        .arg(board.join("board.ld"))
        .arg(&source)
        .args(["board.c", "ring.c"].map(|name| board.join(name)))
        .arg(library)
        .arg("-o")
        .arg(&program)
        .run(log)?;
    Image::read(&program)
}

/// The functions that the header declares.
fn functions(header: &str) -> Vec<&str> {
    header
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '*', '/', '}']) && !line.contains("(*"))
        .filter_map(|line| {
            let (before, _) = line.split_once('(')?;
            let name = before.rsplit([' ', '*']).next()?;
            name.starts_with("agentmote_").then_some(name)
        })
        .collect()
}

/// One of the images of the bench arm in C for `lm3s6965evb`.
#[derive(Clone, Copy)]
struct BoardImage {
    /// The first cell of its line in the table.
    name: &'static str,
    /// The source of its `main`.
    main: &'static str,
    /// What its library is built with.
    features: &'static [&'static str],
    /// What it defines.
    defined: &'static [&'static str],
    /// What it may take at most, in bytes.
    most: Figures,
    /// Whom it calls through pointers beside [`RULES`].
    rules: &'static [Rule],
}

/// Bytes of flash, of static RAM, and of stack at most.
#[derive(Clone, Copy)]
struct Figures {
    flash: u64,
    ram: u64,
    stack: u64,
}

const LINES: BoardImage = BoardImage {
    name: "bench arm in C, both eras of MCP, five tools, UART",
    main: "main.c",
    features: &["--no-default-features"],
    defined: &[],
    most: Figures {
        flash: 60_000,
        ram: 5_632,
        stack: 3_072,
    },
    rules: &[],
};

const AGENT_IMAGE: BoardImage = BoardImage {
    name: "the same over HTTP, with A2A, four tasks of 1,024 bytes",
    main: "agent.c",
    features: &["--no-default-features", "--features", "a2a"],
    defined: &[AGENT_DEFINED],
    most: Figures {
        flash: 140_000,
        ram: 16_384,
        stack: 5_120,
    },
    rules: &[
        // The handler of every skill, which calls those of the table.
        Rule {
            caller: "<agentmote::task::table::Tasks>::run_*",
            callees: &["agentmote_ffi_c::call::skill"],
        },
        Rule {
            caller: "agentmote_ffi_c::call::skill",
            callees: &["calibrate"],
        },
        // The random bytes of the tables of tasks.
        Rule {
            caller: "<agentmote::a2a::request::Request<*>>::deliver",
            callees: &["<agentmote_ffi_c::agent::imp::Device as *>::fill"],
        },
        Rule {
            caller: "agentmote_agent_open",
            callees: &["<agentmote_ffi_c::agent::imp::Device as *>::fill"],
        },
        Rule {
            caller: "<agentmote_ffi_c::agent::imp::Device as *>::fill",
            callees: &["arm_random"],
        },
        Rule {
            caller: "agentmote_is_closed",
            callees: &["<<agentmote_ffi_c::connection::Shell<*>>::VERBS::{closure#4} *"],
        },
        // The arguments of a format string, and where its text goes.
        Rule {
            caller: "core::fmt::write",
            callees: &[
                "<* as core::fmt::*>::fmt",
                "<*Sink as core::fmt::Write>::write_str",
                "<*Sink as core::fmt::Write>::write_char",
            ],
        },
        Rule {
            caller: "<core::fmt::Formatter>::*",
            callees: &[
                "<*Sink as core::fmt::Write>::write_str",
                "<*Sink as core::fmt::Write>::write_char",
            ],
        },
        // What a skill's question or end becomes.
        Rule {
            caller: "agentmote_ffi_c::result::give_step",
            callees: &["<agentmote_ffi_c::task::agentmote_*::{closure#*} as *Work*>::call_once"],
        },
        // The configuration of C has no function for bearer tokens.
        Rule {
            caller: "<<agentmote_ffi_c::connection::Shell<*Http>>::VERBS::{closure#0} *",
            callees: &[],
        },
        // Who asks, where there is no policy.
        Rule {
            caller: "<agentmote::server::http::Http>::poll_agent*",
            callees: &[
                "<agentmote_ffi_c::agent::imp::opened::{closure#*} as *Presented*>::call_once",
            ],
        },
        // The arm has no journal.
        Rule {
            caller: "agentmote::task::work::kept*",
            callees: &[],
        },
    ],
};

/// Who goes through tables of parameters, whose nesting is bounded
/// (`PARAM_DEPTH` of the core, one level for the element of the innermost
/// array, and the one that is refused).
const WALKS: &[Walk] = &[
    Walk {
        members: &[
            "agentmote::tool::verify::params",
            "agentmote::tool::verify::ty",
        ],
        times: DEPTH,
    },
    Walk {
        members: &["agentmote::tool::verify::no_headers"],
        times: DEPTH,
    },
    Walk {
        members: &["agentmote_ffi_c::table::params"],
        times: DEPTH,
    },
    Walk {
        members: &["<agentmote_ffi_c::table::Counts>::params"],
        times: DEPTH,
    },
];
const DEPTH: u64 = 6;

/// Whom the images call through pointers.
const RULES: &[Rule] = &[
    // The handler of every tool, which calls those of the table.
    Rule {
        caller: "agentmote::tool::call::run*",
        callees: &["agentmote_ffi_c::call::tool"],
    },
    Rule {
        caller: "agentmote_ffi_c::call::tool",
        callees: &[
            "arm_move",
            "arm_home",
            "arm_stop",
            "note_set",
            "temperature",
        ],
    },
    // What a connection does in its way.
    Rule {
        caller: "agentmote_poll",
        callees: &["<<agentmote_ffi_c::connection::Shell<*>>::VERBS::{closure#1} *"],
    },
    Rule {
        caller: "agentmote_receive",
        callees: &["<<agentmote_ffi_c::connection::Shell<*>>::VERBS::{closure#0} *"],
    },
    Rule {
        caller: "agentmote_wake",
        callees: &["<<agentmote_ffi_c::connection::Shell<*>>::VERBS::{closure#2} *"],
    },
];

/// The bench arm in C for `lm3s6965evb`; gives the image and what built it.
fn board_arm(log: &mut Log) -> Result<(PathBuf, String), Stop> {
    board_image(&LINES, log)
}

fn board_image(what: &BoardImage, log: &mut Log) -> Result<(PathBuf, String), Stop> {
    let (library, rust) = board_library(what.features, log)?;
    let image = folder()?.join(what.main).with_extension("elf");
    let sources = paths::root().join("firmware-examples/c-arm");
    let board = sources.join("lm3s6965evb");
    compiler("arm-none-eabi-gcc", "-std=c99")
        .args([
            "-mcpu=cortex-m3",
            "-mthumb",
            "-Os",
            "-ffreestanding",
            "-nostdlib",
        ])
        .args(["-ffunction-sections", "-fdata-sections", "-fstack-usage"])
        .args([
            "-Wl,--gc-sections",
            "-Wl,-z,noexecstack",
            "-Wl,--fatal-warnings",
        ])
        .args(what.defined)
        .arg("-I")
        .arg(&sources)
        .arg("-T")
        .arg(board.join("board.ld"))
        .args([what.main, "board.c", "ring.c"].map(|name| board.join(name)))
        .args(["arm.c", "motion.c"].map(|name| sources.join(name)))
        .arg(library)
        .arg("-o")
        .arg(&image)
        .run(log)?;
    let version = Job::new("arm-none-eabi-gcc").arg("-dumpversion").output()?;
    let built_by = format!("{}, gcc {}", rust.version()?, version.trim());
    Ok((image, built_by))
}

/// Both bench arms in C answer as the one in Rust does; gives a note.
pub(crate) fn lines(log: &mut Log) -> Result<String, Stop> {
    let host = host_arm(log)?;
    let (board, _) = board_arm(log)?;
    board_lines::check_c(&host, &board, log)
}

/// Both bench arms in C: the program, and the image of the board.
pub(crate) fn arms(log: &mut Log) -> Result<(PathBuf, PathBuf), Stop> {
    Ok((host_arm(log)?, board_arm(log)?.0))
}

/// The official Python client against both; gives a note.
pub(crate) fn python(log: &mut Log) -> Result<String, Stop> {
    let host = host_arm(log)?;
    let lines = interop::on_program(Client::Python, &[host], log)?;
    let (board, _) = board_arm(log)?;
    let uart = interop::on_image(Client::Python, board, log)?;
    Ok(format!("stdio {lines}, UART {uart}"))
}

/// The official clients of A2A against the agent of the bench arm in C; gives a
/// note.
pub(crate) fn agent(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::GCC], log)?;
    let library = host_library(&AGENT, log)?;
    let program = folder()?.join("c-arm-http");
    let sources = paths::root().join("firmware-examples/c-arm");
    compiler("gcc", "-std=c99")
        .args(SANITIZERS)
        .arg(AGENT_DEFINED)
        .arg("-I")
        .arg(&sources)
        .args(["http.c", "arm.c", "motion.c"].map(|name| sources.join(name)))
        .arg(library)
        .arg("-o")
        .arg(&program)
        .run(log)?;
    let python = interop::agent_of_program(AgentClient::Python, &program, log)?;
    let rust = interop::agent_of_program(AgentClient::Rust, &program, log)?;
    Ok(format!("Python {python}, Rust {rust}"))
}

/// What was measured of an image.
struct Measured {
    what: &'static BoardImage,
    found: Figures,
    bound: Bound,
    built_by: String,
}

/// `cargo xtask c-sizes`.
pub(crate) fn command(args: &mut Args) -> Result<(), Stop> {
    let write = args.flag("--write");
    let chain = args.flag("--chain");
    args.finish()?;
    let measured = measure(&mut Log::stderr())?;
    let table = table(&measured);
    println!("{table}");
    for one in &measured {
        if chain {
            println!("\n{}:\n{}", one.what.name, one.bound.shown());
        }
    }
    if write {
        PART.write(&table)?;
    }
    measured.iter().try_for_each(within)
}

/// The step; gives a note.
pub(crate) fn sizes(log: &mut Log) -> Result<String, Stop> {
    let measured = measure(log)?;
    log.line(&table(&measured))?;
    let stated_table = PART.read()?;
    let mut notes = Vec::new();
    for one in &measured {
        log.line(&one.bound.shown())?;
        within(one)?;
        stated(one, &stated_table)?;
        let Figures { flash, ram, stack } = one.found;
        let [flash, ram, stack] = [flash, ram, stack].map(grouped);
        notes.push(format!("{flash} flash, {ram} RAM, {stack} stack"));
    }
    Ok(notes.join("; "))
}

/// The images of the board, in which nothing allocates, unwinds or panics.
fn measure(log: &mut Log) -> Result<Vec<Measured>, Stop> {
    let mut measured = Vec::new();
    for what in [&LINES, &AGENT_IMAGE] {
        let (file, built_by) = board_image(what, log)?;
        let mut image = Image::read(&file)?;
        clean(&image.symbols)?;
        let fail = |why: String| Stop::Fail(format!("{}: {why}", file.display()));
        image.take_usage(&usage(what)?).map_err(fail)?;
        let rules: Vec<Rule> = what.rules.iter().chain(RULES).copied().collect();
        let bound = calls::bound(&file, &image, (&rules, WALKS), log)?;
        measured.push(Measured {
            what,
            found: Figures {
                flash: image.flash,
                ram: image.ram,
                stack: bound.bytes(),
            },
            bound,
            built_by,
        });
    }
    Ok(measured)
}

/// What gcc has told of the frames of an image's functions.
fn usage(what: &BoardImage) -> Result<String, Stop> {
    let image = Path::new(what.main).with_extension("elf");
    let mut text = String::new();
    for source in [what.main, "board.c", "ring.c", "arm.c", "motion.c"] {
        let name = source.trim_end_matches(".c");
        let file = folder()?.join(format!("{}-{name}.su", image.display()));
        text += &std::fs::read_to_string(&file).doing(file.display())?;
    }
    Ok(text)
}

pub(crate) fn clean(symbols: &[String]) -> Result<(), Stop> {
    const PARTS: [&str; 5] = [
        "core::panicking",
        "eh_personality",
        "_Unwind_",
        "__aeabi_unwind",
        "rust_begin_unwind",
    ];
    proof::no_allocation(symbols)?;
    match symbols
        .iter()
        .find(|name| PARTS.iter().any(|part| name.contains(part)))
    {
        None => Ok(()),
        Some(name) => Err(Stop::Fail(format!("the image holds `{name}`"))),
    }
}

fn table(measured: &[Measured]) -> String {
    let mut table = "| image for LM3S6965 (Cortex-M3), bytes | flash | RAM, static | stack, at most | built by |\n\
         | --- | --- | --- | --- | --- |"
        .to_owned();
    for one in measured {
        let Figures { flash, ram, stack } = one.found;
        let [flash, ram, stack] = [flash, ram, stack].map(grouped);
        let (name, built_by) = (one.what.name, &one.built_by);
        table += &format!("\n| {name} | {flash} | {ram} | {stack} | {built_by} |");
    }
    table
}

fn within(one: &Measured) -> Result<(), Stop> {
    let (found, most) = (one.found, one.what.most);
    for (what, found, most) in [
        ("flash", found.flash, most.flash),
        ("static RAM", found.ram, most.ram),
        ("stack", found.stack, most.stack),
    ] {
        if found > most {
            let (found, most) = (grouped(found), grouped(most));
            return Err(Stop::Fail(format!(
                "{}: {what} is {found}, at most {most} allowed",
                one.what.name
            )));
        }
    }
    Ok(())
}

/// Fails unless the README states what was measured: within 2 percent (10 of
/// the stack) for the compilers that it names, within 10 (25) for others.
fn stated(one: &Measured, table: &str) -> Result<(), Stop> {
    let rewrite = "`cargo xtask c-sizes --write` writes it anew";
    let cells = readme::row(table, one.what.name)
        .filter(|cells| cells.len() == 5)
        .ok_or_else(|| Stop::Fail(format!("README.md has no table of C sizes; {rewrite}")))?;
    let (memory, stack) = if cells[4] == one.built_by {
        (2, 10)
    } else {
        (10, 25)
    };
    let found = one.found;
    for (what, cell, found, percent) in [
        ("flash", cells[1], found.flash, memory),
        ("static RAM", cells[2], found.ram, memory),
        ("stack", cells[3], found.stack, stack),
    ] {
        if !readme::number(cell).is_some_and(|stated| is_near(stated, found, percent)) {
            return Err(Stop::Fail(format!(
                "README.md says {cell} bytes of {what}, measured are {} (within {percent} %); {rewrite}",
                grouped(found)
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{clean, functions};

    #[test]
    fn the_functions_of_a_header_are_found() {
        let text = "/* agentmote_no(); */\ntypedef int (*agentmote_no_t)(void);\n\
                    const char *agentmote_version(void);\nint32_t agentmote_poll(x *y,\n    int z);\n";
        assert_eq!(functions(text), ["agentmote_version", "agentmote_poll"]);
    }

    #[test]
    fn what_must_not_be_in_an_image_is_found() {
        let holds = |name: &str| clean(&[name.to_owned()]).is_err();
        assert!(holds("malloc") && holds("core::panicking::panic_fmt"));
        assert!(holds("__rustc::rust_begin_unwind") && holds("rust_eh_personality"));
        assert!(!holds("agentmote_init") && !holds("memcpy"));
    }
}
