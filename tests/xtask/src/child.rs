//! Other programs: started with a limit, and never left behind.
//!
//! Each child leads a process group of its own, so that whatever it starts
//! ends with it: at the end of its limit, when its handle is dropped (also by
//! a panic), and when xtask itself is told to stop.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::paths;
use crate::stop::{Doing, Stop};

/// The process groups that are running now.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// How often a child is asked whether it has ended.
const POLL: Duration = Duration::from_millis(10);

/// Ends every child when xtask is interrupted, terminated or hung up.
pub(crate) fn stop_children_on_signal() -> Result<(), Stop> {
    ctrlc::set_handler(|| {
        for &group in RUNNING
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            kill_group(group);
        }
        std::process::exit(130);
    })
    .map_err(|error| Stop::Fail(format!("signal handler: {error}")))
}

#[cfg(unix)]
fn kill_group(group: u32) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(group) = i32::try_from(group) {
        // The group may be gone already, which is what is wanted.
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_group: u32) {}

/// A program to run: what, where, and for how long at most.
pub(crate) struct Job {
    program: OsString,
    command: Command,
    limit: Duration,
}

impl Job {
    /// `program` in the root of the checkout, for at most ten minutes.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref().to_owned();
        let mut command = Command::new(&program);
        command.current_dir(paths::root()).stdin(Stdio::null());
        Self {
            program,
            command,
            limit: Duration::from_secs(600),
        }
    }

    /// The `cargo` of this checkout.
    pub(crate) fn cargo(verb: &str) -> Self {
        // `cargo xtask` runs inside `cargo run`, whose variables for this
        // package must not reach another build.
        let mut job = Self::new("cargo")
            .arg(verb)
            .env("CARGO_TARGET_DIR", paths::target());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                job.command.env_remove(&name);
            }
        }
        job
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub(crate) fn dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Replaces the limit of ten minutes.
    pub(crate) fn minutes(mut self, minutes: u64) -> Self {
        self.limit = Duration::from_secs(minutes * 60);
        self
    }

    /// Runs it to its end; what it prints goes to `log`. Fails unless it
    /// ends with success within its limit.
    pub(crate) fn run(mut self, log: &mut Log) -> Result<(), Stop> {
        log.line(&format!("$ {}", self.shown()))?;
        let (out, err) = (log.stdio()?, log.stdio()?);
        self.command.stdout(out).stderr(err);
        let status = self.start()?.wait()?;
        self.check(status)
    }

    /// Runs it to its end and gives what it wrote to stdout; stderr is
    /// dropped. Fails like [`Job::run`].
    pub(crate) fn output(mut self) -> Result<String, Stop> {
        self.command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = self.start()?;
        let text = running.child.stdout.take().map(gather);
        let status = running.wait()?;
        drop(running);
        let text = gathered(text)?;
        self.check(status)?;
        Ok(text)
    }

    /// Runs it to its end; gives what it wrote to stdout, and whether it ended
    /// with success; stderr is dropped. Fails only at its limit.
    pub(crate) fn said(mut self) -> Result<(String, bool), Stop> {
        self.command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = self.start()?;
        let text = running.child.stdout.take().map(gather);
        let status = running.wait()?;
        drop(running);
        let text = gathered(text)?;
        match status {
            Some(status) => Ok((text, status.success())),
            None => self.check(None).map(|()| (text, false)),
        }
    }

    /// Runs it to its end; gives what it wrote to stderr, which goes to `log`
    /// too, and whether it ended with success. Fails only at its limit.
    pub(crate) fn complaints(mut self, log: &mut Log) -> Result<(String, bool), Stop> {
        log.line(&format!("$ {}", self.shown()))?;
        self.command.stdout(log.stdio()?).stderr(Stdio::piped());
        let mut running = self.start()?;
        let text = running.child.stderr.take().map(gather);
        let status = running.wait()?;
        drop(running);
        let text = gathered(text)?;
        log.line(&text)?;
        match status {
            Some(status) => Ok((text, status.success())),
            None => self.check(None).map(|()| (text, false)),
        }
    }

    /// Starts a server; what it prints goes to `log`.
    pub(crate) fn serve(self, log: &mut Log) -> Result<Running, Stop> {
        let mut job = self.bound_to_parent();
        log.line(&format!("$ {} &", job.shown()))?;
        let (out, err) = (log.stdio()?, log.stdio()?);
        job.command.stdout(out).stderr(err);
        job.start()
    }

    /// Starts it with pipes to its stdin and stdout.
    pub(crate) fn piped(self) -> Result<Running, Stop> {
        let mut job = self.bound_to_parent();
        job.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        job.start()
    }

    /// Likewise; what it prints to stderr goes to `log`.
    pub(crate) fn talk(self, log: &mut Log) -> Result<Running, Stop> {
        log.line(&format!("$ {} &", self.shown()))?;
        let mut job = self.bound_to_parent();
        job.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        job.command.stderr(log.stdio()?);
        job.start()
    }

    /// Becomes this program, where the system allows it; else runs it and
    /// leaves with its exit status.
    pub(crate) fn become_it(mut self) -> Stop {
        self.command.stdin(Stdio::inherit());
        #[cfg(unix)]
        let error = std::os::unix::process::CommandExt::exec(&mut self.command);
        #[cfg(not(unix))]
        let error = match self.command.status() {
            Ok(status) => std::process::exit(status.code().unwrap_or(1)),
            Err(error) => error,
        };
        Stop::Fail(format!("{}: {error}", self.program.to_string_lossy()))
    }

    /// A child that waits for input would outlive an xtask that is killed
    /// outright; where `setpriv` is at hand, the kernel ends it too.
    fn bound_to_parent(mut self) -> Self {
        let Some(setpriv) = paths::program("setpriv") else {
            return self;
        };
        let mut command = Command::new(setpriv);
        command
            .args(["--pdeathsig", "KILL", "--"])
            .arg(&self.program);
        command.args(self.command.get_args()).stdin(Stdio::null());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = self.command.get_current_dir() {
            command.current_dir(folder);
        }
        self.command = command;
        self
    }

    fn start(&mut self) -> Result<Running, Stop> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        // Held across the start: a signal then finds every child in the list.
        let mut list = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let child = self.command.spawn().doing(self.program.to_string_lossy())?;
        list.push(child.id());
        Ok(Running {
            child,
            until: Instant::now() + self.limit,
        })
    }

    fn check(&self, status: Option<ExitStatus>) -> Result<(), Stop> {
        match status {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Stop::Fail(format!("{status}: {}", self.shown()))),
            None => {
                let seconds = self.limit.as_secs();
                Err(Stop::Fail(format!(
                    "stopped after {seconds} s: {}",
                    self.shown()
                )))
            }
        }
    }

    fn shown(&self) -> String {
        let mut text = self.program.to_string_lossy().into_owned();
        for arg in self.command.get_args() {
            text.push(' ');
            text += &arg.to_string_lossy();
        }
        text
    }
}

/// Reads a pipe while the program runs: a full pipe would stop it.
fn gather(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        // A broken pipe ends the text; the exit status tells the rest.
        let _ = pipe.read_to_end(&mut text);
        text
    })
}

fn gathered(reader: Option<JoinHandle<Vec<u8>>>) -> Result<String, Stop> {
    let text = match reader {
        Some(reader) => reader
            .join()
            .map_err(|_| Stop::Fail("reading failed".into()))?,
        None => Vec::new(),
    };
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A child that runs. Dropping it ends it and all that it started.
pub(crate) struct Running {
    child: Child,
    until: Instant,
}

impl Running {
    /// Waits for its end: `None` when its limit comes first.
    pub(crate) fn wait(&mut self) -> Result<Option<ExitStatus>, Stop> {
        loop {
            if let Some(status) = self.ended()? {
                return Ok(Some(status));
            }
            if Instant::now() >= self.until {
                return Ok(None);
            }
            std::thread::sleep(POLL);
        }
    }

    /// Waits until something accepts connections on `port`.
    pub(crate) fn wait_for_port(&mut self, port: u16) -> Result<(), Stop> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let until = self.until.min(Instant::now() + Duration::from_secs(20));
        loop {
            if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.ended()? {
                return Err(Stop::Fail(format!("the server ended at once: {status}")));
            }
            if Instant::now() >= until {
                return Err(Stop::Fail(format!("nothing listens on port {port}")));
            }
            std::thread::sleep(POLL);
        }
    }

    pub(crate) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(crate) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Its exit status, if it has ended.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>, Stop> {
        Ok(self.child.try_wait()?)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        kill_group(self.child.id());
        // Both fail only for a child that has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let mut list = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|&group| group != self.child.id());
    }
}

/// Where the output of programs goes.
pub(crate) struct Log {
    /// `None`: to stderr, in sight.
    file: Option<(File, PathBuf)>,
}

impl Log {
    /// Output in sight, away from stdout.
    pub(crate) fn stderr() -> Self {
        Self { file: None }
    }

    /// An empty file for the step `name`.
    pub(crate) fn file(name: &str) -> Result<Self, Stop> {
        let folder = paths::target().join("xtask-log");
        std::fs::create_dir_all(&folder).doing(folder.display())?;
        let path = folder.join(format!("{name}.log"));
        std::fs::write(&path, "").doing(path.display())?;
        // Several programs write to it at once, each after the other's text.
        let file = File::options()
            .append(true)
            .open(&path)
            .doing(path.display())?;
        Ok(Self {
            file: Some((file, path)),
        })
    }

    /// What was written so far.
    pub(crate) fn text(&self) -> String {
        let bytes = self
            .file
            .as_ref()
            .and_then(|(_, path)| std::fs::read(path).ok());
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    pub(crate) fn line(&mut self, text: &str) -> Result<(), Stop> {
        match &mut self.file {
            Some((file, path)) => writeln!(file, "{text}").doing(path.display()),
            None => {
                eprintln!("{text}");
                Ok(())
            }
        }
    }

    fn stdio(&self) -> Result<Stdio, Stop> {
        match &self.file {
            Some((file, path)) => Ok(Stdio::from(file.try_clone().doing(path.display())?)),
            None => Ok(Stdio::from(std::io::stderr())),
        }
    }
}

/// A port that is free now on the loopback address.
pub(crate) fn free_port() -> Result<u16, Stop> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).doing("free port")?;
    Ok(listener.local_addr().doing("free port")?.port())
}
