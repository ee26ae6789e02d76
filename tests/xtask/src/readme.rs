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
}
