//! A device in Python against the official SDK, in the same run.
//!
//! Requests a second depend on the machine; what is promised is how many times
//! as many they are, and a least number for a call in the process.

use std::path::Path;

use crate::child::{Job, Log};
use crate::paths;
use crate::readme::grouped;
use crate::stop::Stop;

/// How many times as many requests over HTTP are wanted.
const TIMES: u64 = 10;
/// Calls a second of `handle` that are wanted.
const HANDLED: u64 = 50_000;
/// How often it is measured at most: both sides share the machine with others,
/// and what it can do shows in the best run.
const RUNS: usize = 5;
/// Seconds of one turn.
const SECONDS: &str = "1.5";

/// What was measured, each a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rates {
    agentmote: u64,
    sdk: u64,
    handle: u64,
}

/// Measures with the package in the environment of `python`, and gives a note.
pub(crate) fn check(python: &Path, log: &mut Log) -> Result<String, Stop> {
    stated(&readme()?)?;
    let mut run = 1;
    loop {
        let text = Job::new(python)
            .arg(paths::root().join("tests/bench/python/compare.py"))
            .arg(SECONDS)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .minutes(3)
            .output()?;
        log.line(&text)?;
        let rates = read(&text)?;
        match within(rates) {
            Ok(()) => return Ok(format!("{}, run {run} of {RUNS}", note(rates))),
            Err(stop) if run == RUNS => return Err(stop),
            Err(_) => run += 1,
        }
    }
}

fn note(rates: Rates) -> String {
    format!(
        "HTTP {} a second, the SDK {} ({} times), handle {}",
        grouped(rates.agentmote),
        grouped(rates.sdk),
        rates.agentmote / rates.sdk.max(1),
        grouped(rates.handle)
    )
}

fn read(text: &str) -> Result<Rates, Stop> {
    let rate = |name: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        line.filter(|rate| *rate > 0)
            .ok_or_else(|| Stop::Fail(format!("no rate of {name} in: {text}")))
    };
    Ok(Rates {
        agentmote: rate("agentmote ")?,
        sdk: rate("sdk ")?,
        handle: rate("handle ")?,
    })
}

fn within(rates: Rates) -> Result<(), Stop> {
    if rates.agentmote < rates.sdk * TIMES || rates.handle < HANDLED {
        return Err(Stop::Fail(format!(
            "{}; wanted are {TIMES} times and {}",
            note(rates),
            grouped(HANDLED)
        )));
    }
    Ok(())
}

fn readme() -> Result<String, Stop> {
    Ok(std::fs::read_to_string(paths::root().join("README.md"))?)
}

/// Fails unless the README promises what is measured here.
fn stated(text: &str) -> Result<(), Stop> {
    for promise in [
        format!("at least {TIMES} times as many"),
        format!("at least {} calls", grouped(HANDLED)),
    ] {
        if !text.contains(&promise) {
            return Err(Stop::Fail(format!("README.md does not say `{promise}`")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rates_are_read_and_judged() {
        let rates = read("agentmote 10000\nsdk 1000\nhandle 50000\n").unwrap();
        assert_eq!(
            rates,
            Rates {
                agentmote: 10_000,
                sdk: 1_000,
                handle: 50_000
            }
        );
        assert!(within(rates).is_ok());
        assert!(
            within(Rates {
                sdk: 1_001,
                ..rates
            })
            .is_err()
        );
        assert!(
            within(Rates {
                handle: 49_999,
                ..rates
            })
            .is_err()
        );
        assert!(read("agentmote 10000\nsdk 0\nhandle 50000\n").is_err());
        assert!(read("agentmote 10000\nhandle 50000\n").is_err());
    }

    #[test]
    fn the_readme_promises_what_is_measured() {
        stated(&readme().unwrap()).unwrap();
        assert!(stated("at least 9 times as many").is_err());
    }
}
