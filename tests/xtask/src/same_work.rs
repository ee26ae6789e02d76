//! Whether it costs the same to ask for a task of another and for none.
//!
//! Who could tell the two apart by the time that an answer takes would know
//! which ids are in use. Likewise for a credential that is unknown,
//! has expired, or was revoked.

use std::path::PathBuf;

use crate::bench;
use crate::child::{Job, Log};
use crate::packages;
use crate::paths;
use crate::stop::Stop;

/// Each way to ask for a task.
const METHODS: [&str; 5] = [
    "GetTask",
    "CancelTask",
    "SubscribeToTask",
    "SendMessage",
    "SendStreamingMessage",
];

/// The step; gives a note.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    if std::env::consts::ARCH != "x86_64" {
        return Err(Stop::Skip("the host is no x86-64".into()));
    }
    packages::need(&[&packages::VALGRIND], log)?;
    Job::cargo("build")
        .args(["--quiet", "--release", "--package", "same-work"])
        .run(log)?;
    let program = paths::target().join("release/same-work");
    let mut note = Vec::new();
    for method in METHODS {
        let mut count = |whose: &str| {
            let words = [program.clone(), method.into(), whose.into()];
            bench::per_call(&words.map(PathBuf::from), log)
        };
        let (foreign, absent) = (count("foreign")?, count("absent")?);
        if foreign != absent {
            return Err(Stop::Fail(format!(
                "{method}: {foreign} instructions for a task of another, {absent} for none"
            )));
        }
        note.push(format!("{method} {foreign}"));
    }
    let mut shown = Vec::new();
    for whose in ["unknown", "expired", "revoked"] {
        let words = [program.clone(), "credential".into(), whose.into()];
        shown.push(bench::per_call(&words.map(PathBuf::from), log)?);
    }
    if shown.iter().any(|count| *count != shown[0]) {
        return Err(Stop::Fail(format!(
            "instructions for a credential that is unknown, expired, revoked: {shown:?}"
        )));
    }
    note.push(format!("a bad credential {}", shown[0]));
    Ok(note.join(", "))
}
