//! The packages of the C interface, each as its users take it: from the README
//! into an empty folder, by CMake, by pkg-config, as a component or module of
//! a firmware framework.

use std::path::{Path, PathBuf};

use crate::c;
use crate::child::{Job, Log};
use crate::elf::Image;
use crate::packages;
use crate::paths;
use crate::python;
use crate::stop::{Doing, Stop};
use crate::toolchain::{self, Bare, Core};

/// What the README's program is told at last, and must answer.
const ANSWER: &str = "index: 4 is above the maximum 3";

/// The place of the checkout, in the README.
const PLACE: &str = "path/to/agentmote";

/// What the README's second program, an agent, must answer.
const AGENT_ANSWER: &str = "blinked three times";

/// A block of code of the README's chapter about C, the one at this place of
/// those of its language.
fn block(language: &str, place: usize) -> Result<String, Stop> {
    let text = std::fs::read_to_string(paths::root().join("README.md")).doing("README.md")?;
    let chapter = text
        .split_once("\n## A tool server in C\n")
        .map_or("", |(_, rest)| rest);
    let chapter = chapter
        .split_once("\n## ")
        .map_or(chapter, |(text, _)| text);
    let code = chapter
        .split(&format!("\n```{language}\n"))
        .nth(place + 1)
        .and_then(|rest| rest.split_once("\n```"));
    match code {
        Some((code, _)) => Ok(format!("{code}\n")),
        None => Err(Stop::Fail(format!(
            "the README's chapter about C has no block {place} of {language}"
        ))),
    }
}

/// An empty folder with the README's `main.c`.
fn fresh(name: &str) -> Result<PathBuf, Stop> {
    let folder = paths::target().join("c-newcomer").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).doing(folder.display())?;
    }
    std::fs::create_dir_all(&folder).doing(folder.display())?;
    write(&folder, "main.c", &block("c", 0)?)?;
    write(&folder, "blink.c", &block("c", 1)?)?;
    Ok(folder)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Stop> {
    let file = folder.join(name);
    std::fs::write(&file, text).doing(file.display())
}

/// The README with the place of this checkout.
fn here(text: &str) -> Result<String, Stop> {
    let root = paths::root().display().to_string();
    if !text.contains(PLACE) {
        return Err(Stop::Fail(format!("the README does not say {PLACE}")));
    }
    Ok(text.replace(PLACE, &root))
}

/// Runs a line of a shell; its output must hold the answer.
fn answers(line: &str, answer: &str, folder: &Path, log: &mut Log) -> Result<(), Stop> {
    let before = log.text().len();
    Job::new("sh")
        .args(["-eu", "-c", line])
        .env("CARGO_TARGET_DIR", folder.join("unused"))
        .dir(folder)
        .run(log)?;
    let text = log.text();
    match text.get(before..).unwrap_or_default().contains(answer) {
        true => Ok(()),
        false => Err(Stop::Fail(format!("no answer `{answer}`"))),
    }
}

/// The lines of the README that send the agent a message.
fn send() -> Result<String, Stop> {
    let block = block("sh", 1)?;
    match block.find("body=") {
        Some(at) => Ok(block[at..].to_owned()),
        None => Err(Stop::Fail("the README sends no message".into())),
    }
}

/// The line of the README that calls the tool.
fn call() -> Result<String, Stop> {
    let block = block("sh", 0)?;
    let line = block.lines().find(|line| line.starts_with("echo "));
    line.map(str::to_owned)
        .ok_or_else(|| Stop::Fail("the README calls no tool".into()))
}

/// The README's chapter alone, in an empty folder; then the same by CMake, as
/// part of the build and installed, and by pkg-config. Gives a note.
pub(crate) fn newcomer(log: &mut Log) -> Result<String, Stop> {
    packages::need(
        &[
            &packages::GCC,
            &packages::GXX,
            &packages::CMAKE,
            &packages::PKG_CONFIG,
        ],
        log,
    )?;
    let folder = fresh("by-hand")?;
    answers(&here(&block("sh", 0)?)?, ANSWER, &folder, log)?;
    answers(&here(&block("sh", 1)?)?, AGENT_ANSWER, &folder, log)?;
    for (program, standard, language) in [
        ("gcc", "-std=c99", "c"),
        ("gcc", "-std=c11", "c"),
        ("g++", "-std=c++17", "c++"),
    ] {
        for source in ["main.c", "blink.c"] {
            c::compiler(program, standard)
                .arg(c::AGENT_DEFINED)
                .args(["-x", language, "-c", source, "-o", "program.o"])
                .dir(&folder)
                .run(log)?;
        }
    }

    let call = call()?;
    let cargo = paths::target().join("c-library");
    let folder = fresh("cmake")?;
    let text = here(&block("cmake", 0)?)?;
    write(&folder, "CMakeLists.txt", &text)?;
    cmake(&folder, &[("AGENTMOTE_CARGO_FOLDER", &cargo)], None, log)?;
    answers(&call.replace("./leds", "build/leds"), ANSWER, &folder, log)?;
    // The switch, as the README says it.
    let folder = fresh("cmake-a2a")?;
    let text = text
        .replace(
            "\nadd_subdirectory",
            "\nset(AGENTMOTE_A2A ON)\nadd_subdirectory",
        )
        .replace("main.c", "blink.c");
    write(&folder, "CMakeLists.txt", &text)?;
    let agent = paths::target().join("c-agent");
    cmake(&folder, &[("AGENTMOTE_CARGO_FOLDER", &agent)], None, log)?;
    let send = send()?.replace("./blink", "build/leds");
    answers(&send, AGENT_ANSWER, &folder, log)?;

    let prefix = paths::target().join("c-newcomer/installed");
    let package = paths::target().join("c-newcomer/package");
    configure(
        &paths::root().join("ffi-c"),
        &package,
        &[
            ("AGENTMOTE_CARGO_FOLDER", &agent),
            ("CMAKE_INSTALL_PREFIX", &prefix),
            ("AGENTMOTE_A2A", Path::new("ON")),
        ],
        None,
        log,
    )?;
    build(&package, log)?;
    Job::new("cmake").arg("--install").arg(&package).run(log)?;

    let folder = fresh("found")?;
    let text = "cmake_minimum_required(VERSION 3.16)\nproject(leds C)\n\
                find_package(agentmote 0.1 REQUIRED)\nadd_executable(leds main.c)\n\
                target_link_libraries(leds PRIVATE agentmote::agentmote)\n";
    write(&folder, "CMakeLists.txt", text)?;
    cmake(&folder, &[("CMAKE_PREFIX_PATH", &prefix)], None, log)?;
    answers(&call.replace("./leds", "build/leds"), ANSWER, &folder, log)?;

    let folder = fresh("pkg-config")?;
    for (source, talk, answer) in [
        ("main.c", &call, ANSWER),
        // It finds the definition too.
        (
            "blink.c",
            &send.replace("build/leds", "./leds"),
            AGENT_ANSWER,
        ),
    ] {
        let line = format!(
            "export PKG_CONFIG_PATH={}\ncc -std=c99 {source} $(pkg-config --cflags --libs agentmote) -o leds\n{talk}",
            prefix.join("lib/pkgconfig").display()
        );
        answers(&line, answer, &folder, log)?;
    }
    Ok("by hand, add_subdirectory, find_package, pkg-config".to_owned())
}

/// Configures and builds in the folder `build`.
fn cmake(
    folder: &Path,
    options: &[(&str, &Path)],
    rust: Option<Bare>,
    log: &mut Log,
) -> Result<(), Stop> {
    configure(folder, &folder.join("build"), options, rust, log)?;
    build(&folder.join("build"), log)
}

fn configure(
    source: &Path,
    folder: &Path,
    options: &[(&str, &Path)],
    rust: Option<Bare>,
    log: &mut Log,
) -> Result<(), Stop> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).doing(folder.display())?;
    }
    let mut job = Job::new("cmake")
        .arg("-S")
        .arg(source)
        .arg("-B")
        .arg(folder);
    for (name, value) in options {
        job = job.arg(format!("-D{name}={}", value.display()));
    }
    if rust == Some(Bare::Debian) {
        job = job.arg("-DAGENTMOTE_RUSTC=/usr/bin/rustc");
    }
    job.run(log)
}

fn build(folder: &Path, log: &mut Log) -> Result<(), Stop> {
    Job::new("cmake").arg("--build").arg(folder).run(log)
}

/// The packages of firmware frameworks, as far as they can be checked without
/// them: cross-compiled with stand-ins, every file valid. Gives a note.
pub(crate) fn firmware(log: &mut Log) -> Result<String, Stop> {
    const TARGETS: [&str; 2] = ["thumbv7m-none-eabi", "riscv32imc-unknown-none-elf"];
    packages::need(&[&packages::GCC_ARM, &packages::CMAKE], log)?;
    let rust = Some(toolchain::bare(&TARGETS, Core::Built, log)?);
    let root = paths::root();
    let stubs = root.join("tests/c/packages");
    let arm = root.join("firmware-examples/c-arm");
    let ffi = root.join("ffi-c");
    let on = Path::new("ON");
    let toolchain = arm.join("lm3s6965evb/toolchain.cmake");
    let cargo = paths::target().join("c-packages/cargo");
    let folder = |name: &str| paths::target().join("c-packages").join(name);

    // The example of the project itself, as its README says; where it builds
    // is told in the place of the folders there.
    let text = std::fs::read_to_string(arm.join("README.md")).doing("c-arm/README.md")?;
    let mut blocks = text
        .split("\n```sh\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("\n```")?.0));
    let (Some(host), Some(board)) = (blocks.next(), blocks.next()) else {
        return Err(Stop::Fail("c-arm/README.md has no commands".into()));
    };
    let debian = match rust {
        Some(Bare::Debian) => " -DAGENTMOTE_RUSTC=/usr/bin/rustc",
        _ => "",
    };
    let options = format!(
        "-DAGENTMOTE_FEATURES= -DAGENTMOTE_BUILD_CORE=ON -DAGENTMOTE_CARGO_FOLDER={}{debian} ",
        cargo.display()
    );
    let board = board.replace("-DAGENTMOTE_FEATURES= ", &options);
    for (name, lines) in [("target/c-arm", host), ("target/c-board", &board)] {
        let place = folder(name.trim_start_matches("target/"));
        if place.exists() {
            std::fs::remove_dir_all(&place).doing(place.display())?;
        }
        let before = log.text().len();
        let lines = lines.replace(name, &place.display().to_string());
        Job::new("sh").args(["-eu", "-c", &lines]).run(log)?;
        let text = log.text();
        let said = text.get(before..).unwrap_or_default();
        if name == "target/c-arm" && !said.contains(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#) {
            return Err(Stop::Fail("no answer of the bench arm in C".into()));
        }
    }
    c::clean(&Image::read(&folder("c-board").join("c-arm"))?.symbols)?;

    let zephyr = folder("zephyr");
    let options: &[(&str, &Path)] = &[
        ("CMAKE_TOOLCHAIN_FILE", &toolchain),
        ("AGENTMOTE_CARGO_FOLDER", &cargo),
        ("AGENTMOTE", &ffi),
        ("BUILD_CORE", on),
    ];
    configure(&stubs.join("zephyr"), &zephyr, options, rust, log)?;
    build(&zephyr, log)?;
    c::clean(&Image::read(&zephyr.join("app"))?.symbols)?;

    let esp_idf = folder("esp-idf");
    let options: &[(&str, &Path)] = &[
        ("AGENTMOTE_CARGO_FOLDER", &cargo),
        ("AGENTMOTE", &ffi),
        ("BUILD_CORE", on),
        ("IDF_TARGET", Path::new("esp32c3")),
    ];
    configure(&stubs.join("esp-idf"), &esp_idf, options, rust, log)?;
    build(&esp_idf, log)?;

    // A library of Arduino: its folder alone is enough to build from.
    let arduino = folder("arduino");
    if arduino.exists() {
        std::fs::remove_dir_all(&arduino).doing(arduino.display())?;
    }
    let mut pack = Job::new(ffi.join("arduino/pack.sh"))
        .arg(&arduino)
        .args(["thumbv7m-none-eabi", "cortex-m3", "-Zbuild-std=core"])
        .arg("--no-default-features")
        .env("AGENTMOTE_CARGO_FOLDER", &cargo)
        .env("RUSTC_BOOTSTRAP", "1")
        .without_env("RUSTFLAGS");
    if rust == Some(Bare::Debian) {
        pack = pack
            .env("RUSTC", "/usr/bin/rustc")
            .without_env("LD_LIBRARY_PATH");
    }
    pack.run(log)?;
    let board = arm.join("lm3s6965evb");
    let sketch = arduino.join("sketch.elf");
    Job::new("arm-none-eabi-gcc")
        .args([
            "-std=c99",
            "-mcpu=cortex-m3",
            "-mthumb",
            "-Os",
            "-ffreestanding",
            "-nostdlib",
        ])
        .args([
            "-Wl,--gc-sections",
            "-Wl,-z,noexecstack",
            "-ffunction-sections",
        ])
        .arg("-I")
        .arg(arduino.join("src"))
        .arg("-I")
        .arg(&arm)
        .arg("-T")
        .arg(board.join("board.ld"))
        .args(["main.c", "board.c", "ring.c"].map(|name| board.join(name)))
        .args(["arm.c", "motion.c"].map(|name| arm.join(name)))
        .arg("-L")
        .arg(arduino.join("src/cortex-m3"))
        .args(["-lagentmote", "-o"])
        .arg(&sketch)
        .run(log)?;
    c::clean(&Image::read(&sketch)?.symbols)?;

    let before = log.text().len();
    Job::new(python::interpreter(log)?)
        .arg(stubs.join("check.py"))
        .arg(&root)
        .run(log)?;
    let text = log.text();
    let said = text.get(before..).unwrap_or_default();
    let made = said
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("packages: "));
    Ok(format!(
        "CMake cross, Zephyr and ESP-IDF by stand-ins, Arduino, PlatformIO: {}",
        made.ok_or_else(|| Stop::Fail("check.py says nothing".into()))?
    ))
}
