//! Who may call, from a file; and where it is written down what they did.

use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::SystemTime;

use agentmote::limits::CREDENTIALS;
use agentmote::policy::{Authority, Credential, Credentials, Endpoint, Event, Outcome, Subject};
use agentmote::time::Instant;
use sha2::{Digest as _, Sha256};

use crate::Clock;

/// Reads lists of credentials, one a line:
///
/// ```text
/// # name        tenant  scopes        secret, or its SHA-256
/// ann           lab-a   mcp,a2a,move  wj9eFAz4cMTfPpE2aXrq
/// ann/display   lab-a   mcp           sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
/// bob           lab-b   a2a           until=2027-01-31T00:00:00Z 8tqTz0vQm3cKx5hYdN4b
/// ```
///
/// The caller is the part of the name before a slash: several credentials of
/// one caller see the same tasks. No error says what a secret is.
#[derive(Debug, Default)]
pub struct Callers {
    /// The scopes by their bits.
    scopes: &'static [&'static str],
    /// Texts that live as long as the process, so that a list that is read
    /// again and again costs their memory once.
    texts: HashMap<String, &'static str>,
    /// Numbers of callers and tenants, which never change.
    numbers: HashMap<(String, String), u32>,
    tenants: HashMap<String, u32>,
    /// Moments of expiry as they were told first, so that a list that is read
    /// again says the same of who stays in it.
    times: HashMap<String, Instant>,
}

/// How far two readings of the same time of expiry lie apart at most, in
/// milliseconds.
const JITTER_MS: u64 = 1_000;

/// A list that cannot be read, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl Callers {
    /// A reader of lists with these scopes.
    pub fn new(scopes: &'static [&'static str]) -> Self {
        Self {
            scopes,
            ..Self::default()
        }
    }

    /// The credentials of a list. Times of expiry are told in those of
    /// `clock`.
    ///
    /// # Errors
    /// The first line that is wrong. What was read before it is dropped.
    pub fn read(&mut self, list: &str, clock: Clock) -> Result<Credentials, Unreadable> {
        let mut all = Credentials::new();
        for (line, text) in (1..).zip(list.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let wrong = |what: String| Unreadable { line, what };
            let credential = self.line(text, clock).map_err(wrong)?;
            let added = all.add(credential);
            added.map_err(|error| {
                wrong(match error {
                    agentmote::policy::AddError::Full => {
                        format!("more than {CREDENTIALS} credentials")
                    }
                    other => other.text().to_owned(),
                })
            })?;
        }
        Ok(all)
    }

    fn line(&mut self, text: &str, clock: Clock) -> Result<Credential, String> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let expires = match words.get(3).and_then(|word| word.strip_prefix("until=")) {
            Some(time) => {
                let time = self
                    .moment(time, clock)
                    .ok_or("until= needs a time of UTC, such as 2027-01-31T00:00:00Z")?;
                words.remove(3);
                Some(time)
            }
            None => None,
        };
        let [name, tenant, scopes, secret] = words[..] else {
            return Err("a name, a tenant, scopes and a secret are needed".into());
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        if !name.chars().all(plain) || !tenant.chars().all(plain) {
            return Err("names and tenants have letters, digits and _ - . / only".into());
        }
        let caller = name.split('/').next().unwrap_or(name);
        let mut bits = 0;
        for scope in scopes.split(',').filter(|scope| *scope != "-") {
            let at = self.scopes.iter().position(|known| *known == scope);
            let at = at.ok_or(format!(
                "no such scope; there are {}",
                self.scopes.join(", ")
            ))?;
            bits |= 1 << at;
        }
        let digest = match secret.strip_prefix("sha256:") {
            Some(hex) => digest(hex).ok_or("sha256: needs 64 hexadecimal digits")?,
            None => Sha256::digest(secret.as_bytes()).into(),
        };
        let next = self.tenants.len() as u32 + 1;
        let tenant_number = *self.tenants.entry(tenant.to_owned()).or_insert(next);
        let next = self.numbers.len() as u32 + 1;
        let key = (tenant.to_owned(), caller.to_owned());
        let id = *self.numbers.entry(key).or_insert(next);
        Ok(Credential {
            tenant: tenant_number,
            tenant_name: self.keep(tenant),
            scopes: bits,
            expires,
            ..Credential::new(self.keep(name), digest, id)
        })
    }

    /// The moment of an expiry. The two clocks are not read at the same
    /// instant, so it differs a little from one reading to the next; only
    /// more than that is another moment.
    fn moment(&mut self, text: &str, clock: Clock) -> Option<Instant> {
        let new = instant(text, clock)?;
        let known = self.times.get(text).copied();
        let same = known.filter(|old| old.as_millis().abs_diff(new.as_millis()) <= JITTER_MS);
        let time = same.unwrap_or(new);
        self.times.insert(text.to_owned(), time);
        Some(time)
    }

    fn keep(&mut self, text: &str) -> &'static str {
        if let Some(kept) = self.texts.get(text) {
            return kept;
        }
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        self.texts.insert(text.to_owned(), kept);
        kept
    }
}

fn digest(hex: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    let mut digits = hex.bytes().map(|digit| (digit as char).to_digit(16));
    for byte in &mut digest {
        *byte = (digits.next()?? << 4 | digits.next()??) as u8;
    }
    digits.next().is_none().then_some(digest)
}

/// The moment of the clock that a time of UTC is, such as
/// `2027-01-31T00:00:00Z`. One that has passed is the clock's start.
fn instant(text: &str, clock: Clock) -> Option<Instant> {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    if shape != "0000-00-00T00:00:00Z" {
        return None;
    }
    let number = |from: usize, len: usize| text.get(from..from + len)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month_days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let fine = (1..=12).contains(&month) && (1..=month_days).contains(&day);
    if !fine || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days since 1970-01-01 of the proleptic Gregorian calendar, counted in
    // years that begin in March.
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day
            - 1
            - 719_468;
    let millis = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000;
    let now = SystemTime::UNIX_EPOCH.elapsed().ok()?.as_millis();
    let left = i128::from(millis) - i128::try_from(now).ok()?;
    let at = i128::from(clock.now().as_millis()) + left;
    Some(Instant::from_millis(u64::try_from(at.max(0)).ok()?))
}

/// A file of events, one JSON object a line.
#[derive(Debug)]
pub struct Audit(File);

impl Audit {
    /// Adds to this file, or makes it.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.map(Self)
    }

    /// Writes an event. Every text in it is a name from a table of the
    /// program or of the list of credentials, without characters that JSON
    /// escapes.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        let (by, name) = match event.by {
            Authority::None => ("none", ""),
            Authority::Place => ("place", ""),
            Authority::Credential(name) => ("credential", name),
            Authority::Guard(name) => ("guard", name),
            Authority::Device => ("device", ""),
        };
        let door = match event.request.endpoint {
            Endpoint::Mcp => "mcp",
            Endpoint::Agent => "a2a",
        };
        let (kind, subject) = match event.request.subject {
            Subject::Tool(name) => ("tool", name.to_owned()),
            Subject::Skill(name) => ("skill", name.to_owned()),
            Subject::Task(id) => ("task", format!("{:032x}", u128::from_be_bytes(id))),
            _ => ("none", String::new()),
        };
        let (outcome, why) = match event.outcome {
            Outcome::Refused(why) => ("Refused".to_owned(), format!("{why:?}")),
            other => (format!("{other:?}"), String::new()),
        };
        let line = format!(
            "{{\"at_ms\":{},\"by\":\"{by}\",\"name\":\"{name}\",\"caller\":{},\"tenant\":{},\
             \"endpoint\":\"{door}\",\"operation\":\"{:?}\",\"on\":\"{kind}\",\"subject\":\"{subject}\",\
             \"outcome\":\"{outcome}\",\"why\":\"{why}\"}}\n",
            event.at_ms, event.id, event.tenant, event.request.operation,
        );
        // One write, so that lines stay whole.
        self.0.write_all(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCOPES: &[&str] = &["mcp", "a2a", "move"];

    #[test]
    fn a_list_is_read_line_by_line() {
        let mut callers = Callers::new(SCOPES);
        let list = "# who\n\nann lab-a mcp,a2a,move one\n ann/2 lab-a - two\nbob lab-b a2a \
                    until=2999-01-31T00:00:00Z three\n";
        let all = callers.read(list, Clock::new()).expect("a list");
        assert_eq!(all.len(), 3);
        // Read again, everyone keeps his number.
        let bob = "bob lab-b a2a three";
        callers.read(bob, Clock::new()).expect("a list");
        assert_eq!(callers.numbers[&("lab-b".into(), "bob".into())], 2);
        assert_eq!(callers.numbers.len(), 2);
    }

    #[test]
    fn what_is_wrong_is_told_without_the_secret() {
        for (line, what) in [
            (
                "ann lab-a mcp",
                "a name, a tenant, scopes and a secret are needed",
            ),
            (
                "ann lab-a all tops3cret",
                "no such scope; there are mcp, a2a, move",
            ),
            (
                "a\"n lab-a mcp tops3cret",
                "names and tenants have letters, digits and _ - . / only",
            ),
            (
                "ann lab-a mcp sha256:tops3cret",
                "sha256: needs 64 hexadecimal digits",
            ),
            (
                "ann lab-a mcp until=tomorrow tops3cret",
                "until= needs a time of UTC, such as 2027-01-31T00:00:00Z",
            ),
            (
                "x lab-a mcp tops3cret\ny lab-a mcp tops3cret",
                "another credential has the same secret",
            ),
        ] {
            let error = Callers::new(SCOPES)
                .read(line, Clock::new())
                .expect_err(line);
            assert_eq!(error.what, what);
            assert_eq!(error.line, line.lines().count());
        }
        let many: String = (0..=CREDENTIALS)
            .map(|i| format!("a lab-a mcp s{i}\n").replacen('a', &format!("n{i}"), 1))
            .collect();
        let error = Callers::new(SCOPES)
            .read(&many, Clock::new())
            .expect_err("too many");
        assert_eq!(
            error.to_string(),
            format!("line {}: more than 8 credentials", CREDENTIALS + 1)
        );
    }

    #[test]
    fn who_stays_in_a_list_is_the_same() {
        // Else his streams would be closed whenever another line changes.
        let mut callers = Callers::new(SCOPES);
        let clock = Clock::new();
        let list = "ann lab-a mcp until=2999-01-31T00:00:00Z one";
        let mut read = |list: &str| format!("{:?}", callers.read(list, clock).expect("a list"));
        let first = read(list);
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_micros(1_300));
            assert_eq!(read(list), first);
        }
    }

    #[test]
    fn times_are_those_of_the_clock() {
        let clock = Clock::new();
        assert_eq!(
            instant("1970-01-01T00:00:00Z", clock),
            Some(Instant::from_millis(0))
        );
        let far = instant("2100-03-01T00:00:00Z", clock)
            .expect("a time")
            .as_millis();
        let now = SystemTime::UNIX_EPOCH
            .elapsed()
            .expect("after 1970")
            .as_millis() as u64;
        let there = 4_107_542_400_000;
        assert!(far.abs_diff(there - now) < 60_000, "{far}");
        assert_eq!(instant("2100-13-01T00:00:00Z", clock), None);
        // No day of the calendar is another one.
        for day in ["2100-02-29", "2027-02-30", "2027-04-31", "2027-01-00"] {
            assert_eq!(instant(&format!("{day}T00:00:00Z"), clock), None, "{day}");
        }
        assert!(instant("2028-02-29T00:00:00Z", clock).is_some());
        assert_eq!(instant("2100-03-01", clock), None);
    }
}
