//! Programs of the operating system. On Debian a missing one is installed;
//! elsewhere a missing one is a reason to skip.

use std::path::Path;

use crate::child::{Job, Log};
use crate::paths;
use crate::stop::Stop;

/// A Debian package and the sign by which it is known to be there. The sign
/// is looked for on any system, so that other ways of installing count too.
pub(crate) struct Package {
    name: &'static str,
    sign: Sign,
}

enum Sign {
    Program(&'static str),
    File(&'static str),
    PythonModule(&'static str),
}

impl Package {
    const fn program(name: &'static str, program: &'static str) -> Self {
        Self {
            name,
            sign: Sign::Program(program),
        }
    }

    fn is_there(&self) -> bool {
        match self.sign {
            Sign::Program(program) => paths::program(program).is_some(),
            Sign::File(file) => Path::new(file).exists(),
            Sign::PythonModule(module) => Job::new("python3")
                .args(["-c", &format!("import {module}")])
                .output()
                .is_ok(),
        }
    }
}

/// The emulator of the Arm boards.
pub(crate) const QEMU_ARM: Package = Package::program("qemu-system-arm", "qemu-system-arm");
/// The C compiler of the host.
pub(crate) const GCC: Package = Package::program("gcc", "gcc");
/// The C++ compiler of the host.
pub(crate) const GXX: Package = Package::program("g++", "g++");
/// The C compiler for Arm, with `objdump`, `nm` and `size`.
pub(crate) const GCC_ARM: Package = Package::program("gcc-arm-none-eabi", "arm-none-eabi-gcc");
/// The C library of the C firmware.
const PICOLIBC_ARM: Package = Package {
    name: "picolibc-arm-none-eabi",
    sign: Sign::File("/usr/lib/picolibc/arm-none-eabi/picolibc.specs"),
};
/// What the instruction counts are compared with.
pub(crate) const CJSON: Package = Package {
    name: "libcjson-dev",
    sign: Sign::File("/usr/include/cjson/cJSON.h"),
};
/// Instruction counts on the host.
pub(crate) const VALGRIND: Package = Package::program("valgrind", "valgrind");
/// The compiler that has a fuzzer.
pub(crate) const CLANG: Package = Package::program("clang", "clang");
/// The fuzzer.
pub(crate) const LIBFUZZER: Package = Package {
    name: "libclang-rt-dev",
    sign: Sign::File("/var/lib/dpkg/info/libclang-rt-dev.list"),
};
/// Requests over HTTP, as people send them.
pub(crate) const CURL: Package = Package::program("curl", "curl");
/// A browser.
pub(crate) const CHROMIUM: Package = Package::program("chromium", "chromium");
/// The build tool that C projects use.
pub(crate) const CMAKE: Package = Package::program("cmake", "cmake");
/// Tells compilers where installed libraries are.
pub(crate) const PKG_CONFIG: Package = Package::program("pkg-config", "pkg-config");
/// The linker of the fall-back compiler for bare targets.
pub(crate) const LLD: Package = Package::program("lld", "ld.lld");
/// The disassembler, where the Rust toolchain has none.
pub(crate) const LLVM: Package = Package::program("llvm", "llvm-objdump");
/// The compiler of the fall-back for bare targets.
pub(crate) const RUSTC: Package = Package {
    name: "rustc-web",
    sign: Sign::File("/var/lib/dpkg/info/rustc-web.list"),
};
/// The sources of the core library for [`RUSTC`].
pub(crate) const RUST_SOURCE: Package = Package {
    name: "rust-web-src",
    sign: Sign::File("/var/lib/dpkg/info/rust-web-src.list"),
};
/// What `python3 -m venv` needs.
pub(crate) const PYTHON_VENV: Package = Package {
    name: "python3-venv",
    sign: Sign::PythonModule("ensurepip"),
};
/// The client of the JavaScript package registry, with a Node to run it.
pub(crate) const NPM: Package = Package::program("npm", "npm");

/// What the steps of `cargo xtask test` use, apart from the fall-backs: one
/// installation instead of one for each step.
pub(crate) const FOR_TESTS: &[&Package] = &[
    &QEMU_ARM,
    &GCC_ARM,
    &PICOLIBC_ARM,
    &VALGRIND,
    &CMAKE,
    &PKG_CONFIG,
];

/// Makes sure that all of `packages` are there.
pub(crate) fn need(packages: &[&Package], log: &mut Log) -> Result<(), Stop> {
    let missing = |packages: &[&Package]| -> Vec<&'static str> {
        packages
            .iter()
            .filter(|package| !package.is_there())
            .map(|package| package.name)
            .collect()
    };
    let names = missing(packages);
    if names.is_empty() {
        return Ok(());
    }
    if paths::program("apt-get").is_none() {
        return Err(Stop::Skip(format!(
            "{} missing, and no apt-get",
            names.join(", ")
        )));
    }
    let prefix = become_root(&names)?;
    // An old index names versions that the archive no longer has.
    apt(prefix, &["update"], log)?;
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(&names);
    apt(prefix, &words, log)?;
    let names = missing(packages);
    if names.is_empty() {
        return Ok(());
    }
    Err(Stop::Fail(format!(
        "installed, yet not found: {}",
        names.join(", ")
    )))
}

/// The words before `apt-get` that give it the right to install.
fn become_root(names: &[&str]) -> Result<&'static [&'static str], Stop> {
    let user = Job::new("id").arg("-u").output()?;
    if user.trim() == "0" {
        return Ok(&[]);
    }
    if Job::new("sudo").args(["-n", "true"]).output().is_ok() {
        return Ok(&["sudo", "-n"]);
    }
    let names = names.join(" ");
    Err(Stop::Skip(format!(
        "not root; run: apt-get install {names}"
    )))
}

fn apt(prefix: &[&str], words: &[&str], log: &mut Log) -> Result<(), Stop> {
    let mut line = prefix.to_vec();
    line.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    line.extend(["-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=300"]);
    line.extend(words);
    let (program, rest) = line
        .split_first()
        .ok_or_else(|| Stop::Fail("no program".into()))?;
    Job::new(program).args(rest).run(log)
}
