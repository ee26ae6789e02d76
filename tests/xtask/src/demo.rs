//! The programs to try by hand: the bench arm and the fixture server.

use std::path::PathBuf;

use crate::args::Args;
use crate::child::{Job, Log};
use crate::firmware;
use crate::operator;
use crate::paths;
use crate::qemu;
use crate::stop::{Doing, Stop};

/// The options of [`bench_arm`].
pub(crate) const OPTIONS: &str = "[--port N] [--token SECRET | --credentials FILE] [--audit FILE] | --openoperator [--port N] [--public-url URL] | --stdio | --qemu [--image FILE]";

/// The options of [`fixture_server`].
pub(crate) const FIXTURE_OPTIONS: &str = "--port N [--record FILE]";

/// `cargo xtask demo`.
pub(crate) fn bench_arm(args: &mut Args) -> Result<(), Stop> {
    let port: Option<u16> = args.value("--port")?;
    let token: Option<String> = args.value("--token")?;
    let credentials: Option<PathBuf> = args.value("--credentials")?;
    let audit: Option<PathBuf> = args.value("--audit")?;
    let stdio = args.flag("--stdio");
    let board = args.flag("--qemu");
    let image: Option<PathBuf> = args.value("--image")?;
    let profile = args.flag("--openoperator");
    let public: Option<String> = args.value("--public-url")?;
    args.finish()?;
    if profile {
        let files = [&credentials, &audit, &image]
            .iter()
            .any(|file| file.is_some());
        if stdio || board || token.is_some() || files {
            let text =
                "--openoperator takes --port and --public-url; its secret is in the environment";
            return Err(Stop::Usage(text.into()));
        }
        let mut job = Job::new(operator::build(&mut Log::stderr())?);
        if let Some(port) = port {
            job = job.arg("--port").arg(port.to_string());
        }
        if let Some(url) = public {
            job = job.arg("--public-url").arg(url);
        }
        return Err(job.become_it());
    }
    if public.is_some() {
        let text = "--public-url is for --openoperator only";
        return Err(Stop::Usage(text.into()));
    }
    if stdio && board {
        return Err(Stop::Usage("--stdio and --qemu exclude each other".into()));
    }
    let http = port.is_some() || token.is_some() || credentials.is_some() || audit.is_some();
    if (stdio || board) && http {
        return Err(Stop::Usage(
            "--port, --token, --credentials and --audit are for HTTP only".into(),
        ));
    }
    if image.is_some() && !board {
        return Err(Stop::Usage("--image is for --qemu only".into()));
    }
    let mut log = Log::stderr();
    if board {
        let image = match image {
            Some(image) => image,
            None => firmware::bench_arm_image(&mut log)?.0,
        };
        return qemu::bridge(&image, &mut log);
    }
    let mut job = Job::new(build_bench_arm(&mut log)?);
    if stdio {
        job = job.arg("--stdio");
    }
    if let Some(port) = port {
        job = job.arg("--port").arg(port.to_string());
    }
    if let Some(token) = token {
        job = job.arg("--token").arg(token);
    }
    for (option, file) in [("--credentials", credentials), ("--audit", audit)] {
        if let Some(file) = file {
            let file = std::path::absolute(&file).doing(file.display())?;
            job = job.arg(option).arg(file);
        }
    }
    Err(job.become_it())
}

/// `cargo xtask fixture-server`.
pub(crate) fn fixture_server(args: &mut Args) -> Result<(), Stop> {
    let port: Option<u16> = args.value("--port")?;
    let record: Option<PathBuf> = args.value("--record")?;
    args.finish()?;
    let port = port.ok_or_else(|| Stop::Usage("--port N is needed".into()))?;
    let program = build_fixture_server(&mut Log::stderr())?;
    let mut job = Job::new(program).arg("--port").arg(port.to_string());
    if let Some(record) = record {
        let file = std::path::absolute(&record).doing(record.display())?;
        job = job.arg("--record").arg(file);
    }
    Err(job.become_it())
}

/// Builds the bench arm for the host and gives its program.
pub(crate) fn build_bench_arm(log: &mut Log) -> Result<PathBuf, Stop> {
    build("bench-arm-host", "bench-arm", log)
}

/// Builds the fixture server and gives its program.
pub(crate) fn build_fixture_server(log: &mut Log) -> Result<PathBuf, Stop> {
    build("agentmote-tests", "fixture-server", log)
}

fn build(package: &str, program: &str, log: &mut Log) -> Result<PathBuf, Stop> {
    build_with(package, program, |job| job, log)
}

/// Builds a program of a package, with what `more` adds to the build.
pub(crate) fn build_with(
    package: &str,
    program: &str,
    more: impl FnOnce(Job) -> Job,
    log: &mut Log,
) -> Result<PathBuf, Stop> {
    let job = Job::cargo("build").args(["--quiet", "--package", package, "--bin", program]);
    more(job).run(log)?;
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    Ok(paths::target().join("debug").join(name))
}
