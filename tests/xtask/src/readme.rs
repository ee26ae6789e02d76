//! The parts of the README that are written by measuring.

use std::path::PathBuf;

use crate::paths;
use crate::stop::{Doing, Stop};

/// A part between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
pub(crate) struct Part {
    pub(crate) name: &'static str,
}

impl Part {
    /// What stands there.
    pub(crate) fn read(&self) -> Result<String, Stop> {
        let text = std::fs::read_to_string(file()).doing("README.md")?;
        let (_, part, _) = self.split(&text)?;
        Ok(part.trim().to_owned())
    }

    /// Puts `new` there.
    pub(crate) fn write(&self, new: &str) -> Result<(), Stop> {
        let text = std::fs::read_to_string(file()).doing("README.md")?;
        let (before, _, after) = self.split(&text)?;
        let text = format!("{before}\n{}\n{after}", new.trim());
        std::fs::write(file(), text).doing("README.md")
    }

    fn split<'t>(&self, text: &'t str) -> Result<(&'t str, &'t str, &'t str), Stop> {
        let begin = format!("<!-- {}:begin -->", self.name);
        let end = format!("<!-- {}:end -->", self.name);
        let places = text.find(&begin).map(|at| at + begin.len());
        let places = places.zip(text.find(&end)).filter(|(from, to)| from <= to);
        let (from, to) =
            places.ok_or_else(|| Stop::Fail(format!("README.md has no part `{}`", self.name)))?;
        Ok((&text[..from], &text[from..to], &text[to..]))
    }
}

fn file() -> PathBuf {
    paths::root().join("README.md")
}

/// `40960` as `40,960`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The cells of the line of a Markdown table that begins with `first`.
pub(crate) fn row<'t>(table: &'t str, first: &str) -> Option<Vec<&'t str>> {
    table
        .lines()
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .find(|cells: &Vec<&str>| cells.first() == Some(&first))
}

/// The number in a cell that [`grouped`] wrote.
pub(crate) fn number(cell: &str) -> Option<u64> {
    cell.replace(',', "").parse().ok()
}

/// Whether `found` is at most `percent` away from `stated`.
pub(crate) fn is_near(stated: u64, found: u64, percent: u64) -> bool {
    stated.abs_diff(found) * 100 <= stated * percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_read_back() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
            assert_eq!(super::number(text), Some(number));
        }
        assert_eq!(number("12 bytes"), None);
    }

    #[test]
    fn rows_are_found_by_their_first_cell() {
        let table = "| a | b |\n| --- | --- |\n| x y | 1,000 |\n";
        assert_eq!(row(table, "x y"), Some(vec!["x y", "1,000"]));
        assert_eq!(row(table, "x"), None);
    }

    #[test]
    fn near_is_within_the_percentage() {
        assert!(is_near(1000, 1020, 2) && is_near(1000, 980, 2));
        assert!(!is_near(1000, 1021, 2) && !is_near(1000, 979, 2));
    }

    /// Each `cargo xtask` in a text of the project: the command and its
    /// options.
    fn commands(text: &str) -> Vec<(&str, Vec<&str>)> {
        text.split("cargo xtask ")
            .skip(1)
            .filter_map(|rest| {
                let end = rest.find(['#', '\n', '`', ')', ',']).unwrap_or(rest.len());
                let mut words = rest[..end].split_whitespace();
                let name = words.next()?;
                Some((name, words.filter(|word| word.starts_with("--")).collect()))
            })
            .collect()
    }

    fn missing(text: &str) -> Vec<String> {
        let mut missing = Vec::new();
        for (name, options) in commands(text) {
            let Some(command) = crate::COMMANDS.iter().find(|command| command.name == name) else {
                missing.push(name.to_owned());
                continue;
            };
            let known = |option: &str| {
                let mut words = command
                    .options
                    .split(|c: char| !(c.is_alphanumeric() || c == '-'));
                words.any(|word| word == option)
            };
            missing.extend(
                options
                    .into_iter()
                    .filter(|option| !known(option))
                    .map(|option| format!("{name} {option}")),
            );
        }
        missing
    }

    #[test]
    fn the_commands_that_the_texts_name_are_there() {
        let mut seen = 0;
        for file in ["README.md", "CHANGELOG.md", ".ci/run"] {
            let text = std::fs::read_to_string(paths::root().join(file)).unwrap();
            seen += commands(&text).len();
            assert_eq!(missing(&text), [""; 0], "{file}");
        }
        assert!(seen > 6, "{seen} commands");
    }

    #[test]
    fn a_command_that_is_not_there_is_noticed() {
        let text =
            "cargo xtask demo --stdio  # x --y\n`cargo xtask fly`, cargo xtask demo --std --qemu";
        assert_eq!(missing(text), ["fly", "demo --std"]);
    }
}
