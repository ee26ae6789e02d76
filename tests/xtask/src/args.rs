//! The options after a command: `--flag`, `--name VALUE`, `--name=VALUE`.

use std::str::FromStr;

use crate::stop::Stop;

/// The words that no option has taken yet.
pub(crate) struct Args {
    words: Vec<String>,
}

impl Args {
    pub(crate) fn new(words: impl Iterator<Item = String>) -> Self {
        Self {
            words: words.collect(),
        }
    }

    /// Takes `name` if it is there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        match self.words.iter().position(|word| word == name) {
            Some(at) => {
                self.words.remove(at);
                true
            }
            None => false,
        }
    }

    /// Takes the first `name VALUE` or `name=VALUE`.
    pub(crate) fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, Stop> {
        let assigned = |word: &String| word.strip_prefix(name).is_some_and(|r| r.starts_with('='));
        let Some(at) = self
            .words
            .iter()
            .position(|word| word == name || assigned(word))
        else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        let value = match word.split_once('=') {
            Some((_, value)) => value.to_owned(),
            None if at < self.words.len() => self.words.remove(at),
            None => return Err(Stop::Usage(format!("{name} needs a value"))),
        };
        match value.parse() {
            Ok(parsed) => Ok(Some(parsed)),
            Err(_) => Err(Stop::Usage(format!(
                "{name}: `{value}` is not a valid value"
            ))),
        }
    }

    /// Takes the first word that is no option.
    pub(crate) fn word(&mut self) -> Option<String> {
        let at = self.words.iter().position(|word| !word.starts_with('-'))?;
        Some(self.words.remove(at))
    }

    /// Refuses whatever is left.
    pub(crate) fn finish(&self) -> Result<(), Stop> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(Stop::Usage(format!("unknown option `{word}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Args {
        Args::new(words.iter().map(|&word| word.to_owned()))
    }

    #[test]
    fn options_are_taken_in_any_order_and_both_spellings() {
        let mut args = args(&["--stdio", "--token", "a=b", "--port=8081"]);
        assert_eq!(args.value::<u16>("--port").ok().flatten(), Some(8081));
        assert_eq!(
            args.value::<String>("--token").ok().flatten().as_deref(),
            Some("a=b")
        );
        assert!(args.flag("--stdio"));
        assert!(!args.flag("--stdio"));
        assert!(args.finish().is_ok());
    }

    #[test]
    fn what_is_left_is_named() {
        let text = args(&["--prot", "1"])
            .finish()
            .map_err(|stop| stop.to_string());
        assert_eq!(text, Err("unknown option `--prot`".to_owned()));
    }

    #[test]
    fn bad_and_missing_values_are_named() {
        let port = |words: &[&str]| {
            args(words)
                .value::<u16>("--port")
                .map_err(|e| e.to_string())
        };
        assert_eq!(
            port(&["--port", "70000"]),
            Err("--port: `70000` is not a valid value".into())
        );
        assert_eq!(port(&["--port"]), Err("--port needs a value".into()));
        assert_eq!(port(&["--porter=1"]), Ok(None));
    }
}
