//! The compiler for bare-metal targets. This is the only place that knows
//! there are two.
//!
//! First choice: the user's toolchain, with the target added by rustup.
//! Where that cannot be downloaded: Debian's compiler and its sources of the
//! core library, which is then built along.

use std::path::{Path, PathBuf};

use crate::child::{Job, Log};
use crate::packages;
use crate::paths;
use crate::stop::Stop;

/// The targets for which the core is built and proved.
pub(crate) const BARE_TARGETS: [&str; 4] = [
    "thumbv6m-none-eabi",
    "thumbv7m-none-eabi",
    "thumbv7em-none-eabihf",
    "riscv32imac-unknown-none-elf",
];

/// Set to `rustup` or `debian`, it takes the choice away from [`bare`].
const FORCE: &str = "XTASK_BARE";

/// Where the core library of a bare build comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Core {
    /// As the toolchain brings it. Debian's brings none: it is built.
    AsShipped,
    /// Built from source with the flags of the build, so that the stack
    /// frames of its functions are known and its size follows the profile.
    /// Needs the sources of the library, not the target.
    Built,
}

/// The flags of everything that is proved, measured or run on a board. One
/// set: any other would build the core library once more.
const IMAGE_FLAGS: [&str; 2] = ["-Z", "emit-stack-sizes"];

/// A compiler that can build for [`BARE_TARGETS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bare {
    /// The user's own toolchain.
    Rustup,
    /// `rustc-web` with `rust-web-src`.
    Debian,
}

impl Bare {
    /// For reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rustup => "the active Rust toolchain",
            Self::Debian => "Debian's rustc-web with rust-web-src",
        }
    }

    /// Name and version: figures depend on both.
    pub(crate) fn version(self) -> Result<String, Stop> {
        let job = match self {
            Self::Rustup => Job::new("rustc"),
            Self::Debian => Job::new(DEBIAN_RUSTC).without_env("LD_LIBRARY_PATH"),
        };
        let text = job.arg("-V").output()?;
        let version = text.split_whitespace().nth(1).unwrap_or("?");
        Ok(match self {
            Self::Rustup => format!("rustc {version}"),
            Self::Debian => format!("rustc {version} (Debian)"),
        })
    }

    /// `cargo build --release --target TARGET` of what is to be proved,
    /// measured or run on a board, with the core library built along.
    pub(crate) fn image(self, target: &str) -> Job {
        self.cargo("build", target, Core::Built, &IMAGE_FLAGS)
            .args(["--quiet", "--release"])
    }

    /// `cargo VERB --target TARGET`, ready for further arguments and for
    /// another folder.
    ///
    /// `flags` are added to the compiler flags that the configuration files
    /// of that folder give for the target.
    pub(crate) fn cargo(self, verb: &str, target: &str, core: Core, flags: &[&str]) -> Job {
        let mut job = Job::cargo(verb)
            .args(["--target", target])
            // They would replace the flags of the configuration files.
            .without_env("RUSTFLAGS")
            .without_env("CARGO_ENCODED_RUSTFLAGS");
        let mut flags = flags.to_vec();
        if self == Self::Debian {
            let linker = target.replace('-', "_").to_uppercase();
            job = job
                .env("RUSTC", DEBIAN_RUSTC)
                .env(&format!("CARGO_TARGET_{linker}_LINKER"), "ld.lld")
                // The libraries of the toolchain that runs xtask are not its.
                .without_env("LD_LIBRARY_PATH");
            flags.extend(["-C", "linker-flavor=ld.lld"]);
        }
        if self == Self::Debian || core == Core::Built {
            job = job.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=core");
        }
        if flags.is_empty() {
            return job;
        }
        // The quotes of Rust's strings are also those of TOML.
        job.arg("--config")
            .arg(format!("target.{target}.rustflags={flags:?}"))
    }
}

const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// Makes `targets` buildable and says by which compiler.
pub(crate) fn bare(targets: &[&str], core: Core, log: &mut Log) -> Result<Bare, Stop> {
    let chosen = match std::env::var(FORCE).as_deref() {
        Ok("rustup") => rustup(targets, core, log).map(|()| Bare::Rustup)?,
        Ok("debian") => debian(log).map(|()| Bare::Debian)?,
        Ok(other) => return Err(Stop::Usage(format!("{FORCE}: `{other}` is no compiler"))),
        Err(_) => match rustup(targets, core, log) {
            Ok(()) => Bare::Rustup,
            Err(reason) => {
                log.line(&format!("{reason}; taking Debian's compiler"))?;
                debian(log)?;
                Bare::Debian
            }
        },
    };
    log.line(&format!("bare targets are built by {}", chosen.name()))?;
    Ok(chosen)
}

fn rustup(targets: &[&str], core: Core, log: &mut Log) -> Result<(), Stop> {
    let library = sysroot()?.join("lib/rustlib");
    if core == Core::Built {
        if library.join("src/rust/library/core").is_dir() {
            return Ok(());
        }
        return Job::new("rustup")
            .args(["component", "add", "rust-src"])
            .run(log);
    }
    let has = |target: &&&str| library.join(target).join("lib").is_dir();
    let missing: Vec<&str> = targets
        .iter()
        .filter(|target| !has(target))
        .copied()
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Job::new("rustup")
        .args(["target", "add"])
        .args(&missing)
        .run(log)
}

fn debian(log: &mut Log) -> Result<(), Stop> {
    packages::need(
        &[&packages::RUSTC, &packages::RUST_SOURCE, &packages::LLD],
        log,
    )?;
    // Anything else at this path would be another compiler without sources.
    let version = Job::new(DEBIAN_RUSTC)
        .arg("-V")
        .without_env("LD_LIBRARY_PATH")
        .output()?;
    log.line(version.trim())
}

/// The disassembler: of the active toolchain, else of the system.
pub(crate) fn llvm_objdump(log: &mut Log) -> Result<PathBuf, Stop> {
    let library = sysroot()?.join("lib/rustlib");
    let found = || {
        std::fs::read_dir(&library)
            .into_iter()
            .flatten()
            .flatten()
            .map(|folder| folder.path().join("bin/llvm-objdump"))
            .find(|file| file.is_file())
    };
    if let Some(file) = found() {
        return Ok(file);
    }
    let added = Job::new("rustup").args(["component", "add", "llvm-tools"]);
    if added.run(log).is_ok()
        && let Some(file) = found()
    {
        return Ok(file);
    }
    packages::need(&[&packages::LLVM], log)?;
    Ok(PathBuf::from("llvm-objdump"))
}

/// The target of this machine.
pub(crate) fn host() -> Result<String, Stop> {
    let text = Job::new("rustc").arg("-vV").output()?;
    text.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .ok_or_else(|| Stop::Fail("rustc does not tell its host".into()))
}

/// The folder of the active toolchain.
pub(crate) fn sysroot() -> Result<PathBuf, Stop> {
    let text = Job::new("rustc").args(["--print", "sysroot"]).output()?;
    Ok(Path::new(text.trim()).to_path_buf())
}

/// How to run cargo at Rust `version`: installs it if rustup can.
pub(crate) fn cargo_at(version: &str, verb: &str, log: &mut Log) -> Result<Job, Stop> {
    if paths::program("rustup").is_none() {
        return Err(Stop::Skip("no rustup".into()));
    }
    let listed = Job::new("rustup").args(["toolchain", "list"]).output()?;
    if !listed
        .lines()
        .any(|line| line.starts_with(&format!("{version}-")))
    {
        Job::new("rustup")
            .args([
                "toolchain",
                "install",
                version,
                "--profile",
                "minimal",
                "--no-self-update",
            ])
            .run(log)?;
    }
    // rustup's own cargo, found through the PATH, obeys this variable.
    Ok(Job::cargo(verb).env("RUSTUP_TOOLCHAIN", version))
}
