//! `cargo xtask bench`: the instructions of one call, from bytes in to bytes
//! out, on the host and on a Cortex-M4; then a device in Python against the
//! official SDK.
//!
//! Instructions, not time: they are the same on every run.

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::bench_python;
use crate::child::{Job, Log};
use crate::firmware;
use crate::packages;
use crate::paths;
use crate::python_package;
use crate::readme::{self, Part, grouped, is_near};
use crate::stop::Stop;

/// The option of [`command`].
pub(crate) const OPTIONS: &str = "[--write]";

const PART: Part = Part { name: "bench" };

/// What one call may take on x86-64 at most.
const MOST: u64 = 6_500;

/// How far the README may be off, in percent: for the compiler that it names,
/// and for any other.
const TOLERANCE: [u64; 2] = [3, 15];

const HOST: &str = "agentmote, x86-64";
const BOARD: &str = "agentmote, Cortex-M4";
const CJSON: &str = "cJSON, x86-64: only reads it and prints the answer";

/// Calls beyond the first one, over which the difference is shared.
const CALLS: u64 = 1_000;

/// What was measured, each with what built it.
struct Measured {
    host: (u64, String),
    board: (u64, String),
    /// Why it could not be measured, or how much it is.
    cjson: Result<(u64, String), Stop>,
}

/// `cargo xtask bench`.
pub(crate) fn command(args: &mut Args) -> Result<(), Stop> {
    let write = args.flag("--write");
    args.finish()?;
    let mut log = Log::stderr();
    let measured = measure(&mut log)?;
    println!("{}", table(&measured));
    if let Err(why) = &measured.cjson {
        println!("\nno figure of cJSON: {why}");
    }
    if write {
        PART.write(&table(&measured))?;
    }
    within(&measured)?;
    let python = python_package::install(&mut log)?;
    println!(
        "\nA device in Python: {}",
        bench_python::check(&python, &mut log)?
    );
    Ok(())
}

/// The step; gives a note.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    let measured = measure(log)?;
    log.line(&table(&measured))?;
    within(&measured)?;
    stated(&measured, &PART.read()?)?;
    let cjson = match &measured.cjson {
        Ok((count, _)) => format!("cJSON {}", grouped(*count)),
        Err(why) => format!("no cJSON ({why})"),
    };
    let (host, board) = (grouped(measured.host.0), grouped(measured.board.0));
    Ok(format!("x86-64 {host}, Cortex-M4 {board}; {cjson}"))
}

fn measure(log: &mut Log) -> Result<Measured, Stop> {
    if std::env::consts::ARCH != "x86_64" {
        return Err(Stop::Skip("the host is no x86-64".into()));
    }
    packages::need(&[&packages::VALGRIND, &packages::QEMU_ARM], log)?;
    let program = host_program(log)?;
    let request = Job::new(&program).arg("0").output()?;
    let answer = Job::new(&program).arg("1").output()?;
    let host = per_call(&[program], log)?;
    let version = Job::new("rustc").arg("-V").output()?;
    let version = version.split_whitespace().nth(1).unwrap_or("?").to_owned();
    let (image, compiler) = firmware::bench_image(log)?;
    Ok(Measured {
        host: (host, format!("rustc {version}")),
        board: (on_board(&image)?, compiler.version()?),
        cjson: cjson(&request, &answer, log),
    })
}

fn host_program(log: &mut Log) -> Result<PathBuf, Stop> {
    Job::cargo("build")
        .args(["--quiet", "--release", "--package", "bench-line"])
        .run(log)?;
    Ok(paths::target().join("release/bench-line"))
}

/// The instructions of one call of a program whose last argument says how
/// many it makes: start and end of the program cancel out.
pub(crate) fn per_call(words: &[PathBuf], log: &mut Log) -> Result<u64, Stop> {
    let one = instructions(words, 1, log)?;
    let many = instructions(words, 1 + CALLS, log)?;
    Ok(many.saturating_sub(one) / CALLS)
}

fn instructions(words: &[PathBuf], calls: u64, log: &mut Log) -> Result<u64, Stop> {
    let (text, fine) = Job::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(words)
        .arg(calls.to_string())
        .complaints(log)?;
    let count = text
        .lines()
        .find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    count
        .filter(|_| fine)
        .ok_or_else(|| Stop::Fail(format!("valgrind counted nothing: {text}")))
}

/// Runs the image that counts for itself, each instruction being a fixed
/// time to the emulated timer.
fn on_board(image: &Path) -> Result<u64, Stop> {
    let text = Job::new("qemu-system-arm")
        .args(["-machine", "mps2-an386", "-nographic", "-monitor", "none"])
        .args(["-serial", "none", "-nic", "none"])
        .args(["-icount", "shift=10,sleep=off", "-chardev", "stdio,id=out"])
        .args(["-semihosting-config", "enable=on,target=native,chardev=out"])
        .arg("-kernel")
        .arg(image)
        .minutes(1)
        .output()?;
    let count = text.trim().parse();
    count.map_err(|_| Stop::Fail(format!("the emulated board says `{text}`")))
}

/// The same call by cJSON. It must give the same answer.
fn cjson(request: &str, answer: &str, log: &mut Log) -> Result<(u64, String), Stop> {
    packages::need(&[&packages::CJSON], log)?;
    let folder = paths::root().join("tests/bench");
    let program = paths::target().join("release/bench-cjson");
    Job::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(folder.join("cjson.c"))
        .arg("-lcjson")
        .run(log)?;
    let line = PathBuf::from(request.trim_end());
    let found = Job::new(&program).arg(&line).arg("1").output()?;
    if found != answer {
        return Err(Stop::Fail(format!("another answer: {found}")));
    }
    let version = Job::new("cc").args(["-dumpfullversion"]).output()?;
    let by = format!("cc {}", version.trim());
    Ok((per_call(&[program, line], log)?, by))
}

fn table(measured: &Measured) -> String {
    let mut text = String::from(
        "| one `tools/call` of 292 bytes, from bytes in to bytes out | instructions | built by |\n\
         | --- | --- | --- |\n",
    );
    let mut add = |name: &str, count: u64, by: &str| {
        text += &format!("| {name} | {} | {by} |\n", grouped(count));
    };
    add(HOST, measured.host.0, &measured.host.1);
    add(BOARD, measured.board.0, &measured.board.1);
    if let Ok((count, by)) = &measured.cjson {
        add(CJSON, *count, by);
    }
    text
}

fn within(measured: &Measured) -> Result<(), Stop> {
    let found = measured.host.0;
    if found <= MOST {
        return Ok(());
    }
    Err(Stop::Fail(format!(
        "{} instructions on x86-64, at most {} allowed",
        grouped(found),
        grouped(MOST)
    )))
}

/// Fails unless `table` states what was measured.
fn stated(measured: &Measured, table: &str) -> Result<(), Stop> {
    let rewrite = "`cargo xtask bench --write` writes it anew";
    for (name, (found, by)) in [(HOST, &measured.host), (BOARD, &measured.board)] {
        let cells = readme::row(table, name)
            .filter(|cells| cells.len() == 3)
            .ok_or_else(|| Stop::Fail(format!("README.md has no line `{name}`; {rewrite}")))?;
        let [same, other] = TOLERANCE;
        let percent = if cells[2] == by { same } else { other };
        if !readme::number(cells[1]).is_some_and(|stated| is_near(stated, *found, percent)) {
            return Err(Stop::Fail(format!(
                "README.md says {} for `{name}`, measured are {} (within {percent} %); {rewrite}",
                cells[1],
                grouped(*found)
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(host: u64, board: u64, by: &str) -> Measured {
        Measured {
            host: (host, by.into()),
            board: (board, by.into()),
            cjson: Ok((30_000, "gcc".into())),
        }
    }

    #[test]
    fn the_budget_is_for_the_host() {
        assert!(within(&measured(6_500, 99_999, "a")).is_ok());
        assert!(within(&measured(6_501, 1, "a")).is_err());
    }

    #[test]
    fn the_table_is_compared_with_what_was_measured() {
        let text = table(&measured(6_000, 12_000, "rustc 1"));
        let is_right = |host, board, by| stated(&measured(host, board, by), &text).is_ok();
        assert!(is_right(6_180, 11_640, "rustc 1"));
        assert!(!is_right(6_181, 12_000, "rustc 1"));
        assert!(!is_right(6_000, 11_639, "rustc 1"));
        assert!(is_right(6_900, 13_800, "rustc 2"));
        assert!(!is_right(6_901, 13_800, "rustc 2"));
        assert!(stated(&measured(1, 1, "a"), "").is_err());
    }
}
