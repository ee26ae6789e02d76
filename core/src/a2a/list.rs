//! The pages of `ListTasks` (section 9).

use super::era::Wire;
use super::project::{Projection, View, state_name};
use crate::buf::Sink;
use crate::json::{Text, write};
use crate::task::{Principal, State, Task, Tasks, context};

/// Tasks of a page at most, and without a wish.
pub(super) const PAGE_MOST: u32 = 100;
/// As above.
pub(super) const PAGE: u32 = 50;

/// What of whose tasks is listed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    pub(super) who: Principal,
    pub(super) state: Option<State>,
    /// Changed at this time or later, in milliseconds since 1970; 0 for all.
    /// A task without a time is left out.
    pub(super) since: u64,
    /// The page begins below this number of a status.
    pub(super) below: u64,
    pub(super) size: u8,
    pub(super) view: View,
    /// How the tasks stood when this was the newest entry of all.
    pub(super) until: u64,
}

impl Query {
    fn project<'t>(&self, tasks: &'t Tasks<'_>, task: Task) -> Option<Projection<'t>> {
        Some(Projection {
            wire: Wire::V1,
            id: tasks.id(task)?,
            log: tasks.log(task)?,
            until: self.until,
        })
    }

    /// The number of the task's status, if the task is listed.
    fn fits(&self, tasks: &Tasks<'_>, task: Task, context_id: Option<Text<'_>>) -> Option<u64> {
        let number = tasks.changed(task, self.until)?;
        let one = self.project(tasks, task)?;
        if context_id.is_some_and(|wanted| !wanted.is(context(one.log))) {
            return None;
        }
        if self.state.is_some() || self.since > 0 {
            let (_, status) = one.status()?;
            let fine = self.state.is_none_or(|state| state == status.state)
                && status.unix_millis >= self.since;
            return fine.then_some(number);
        }
        Some(number)
    }

    /// Writes the page. Newest change first: the order of the numbers
    /// that changes have, which is that of the times if the clock was never
    /// set back.
    pub(super) fn write(
        &self,
        out: &mut Sink<'_>,
        tasks: &Tasks<'_>,
        context_id: Option<Text<'_>>,
    ) {
        out.text("{\"tasks\":[");
        let mut below = self.below;
        let mut more = false;
        for turn in 0..=self.size {
            let next = tasks
                .of(self.who)
                .filter_map(|task| Some((self.fits(tasks, task, context_id)?, task)))
                .filter(|(number, _)| *number < below)
                .max_by_key(|(number, _)| *number);
            let Some((number, task)) = next else {
                break;
            };
            if turn == self.size {
                more = true;
                break;
            }
            if turn > 0 {
                out.byte(b',');
            }
            below = number;
            if let Some(one) = self.project(tasks, task) {
                one.task(out, self.view);
            }
        }
        out.text("],\"nextPageToken\":\"");
        if more {
            write_token(out, tasks.secret(), below);
        }
        out.text("\",\"pageSize\":");
        write::u64(out, u64::from(self.size));
        out.text(",\"totalSize\":");
        let total = tasks
            .of(self.who)
            .filter(|task| self.fits(tasks, *task, context_id).is_some())
            .count();
        write::u64(out, total as u64);
        out.byte(b'}');
    }
}

/// The state of this name or number on the 1.x wire.
pub(super) fn state_of(name: Text<'_>) -> Option<State> {
    State::ALL
        .into_iter()
        .find(|state| name.is(state_name(*state, Wire::V1)))
}

/// The state of this number in the schema, whose order is its own.
pub(super) fn state_of_number(number: i64) -> Option<State> {
    Some(match number {
        1 => State::Submitted,
        2 => State::Working,
        3 => State::Completed,
        4 => State::Failed,
        5 => State::Canceled,
        6 => State::InputRequired,
        7 => State::Rejected,
        8 => State::AuthRequired,
        _ => return None,
    })
}

/// Hexadecimal digits of a token: those of a number, and of a check.
const TOKEN: usize = 24;

/// Writes the token of the page that begins below a number. Its check tells a
/// token that this device made since its start from any other.
fn write_token(out: &mut Sink<'_>, secret: u64, below: u64) {
    let check = mix(secret ^ below);
    for word in [below << 16, check << 16] {
        for shift in (16..64).step_by(4).rev() {
            let digit = (word >> shift & 15) as u8;
            out.byte(if digit < 10 {
                b'0' + digit
            } else {
                b'a' - 10 + digit
            });
        }
    }
}

/// The number that a token was made of.
pub(super) fn read_token(token: Text<'_>, secret: u64) -> Option<u64> {
    let digits = token.as_str().filter(|text| text.len() == TOKEN)?;
    let number = digits.get(..TOKEN / 2)?.chars();
    let below = number.fold(0, |sum, c| {
        sum << 4 | u64::from(c.to_digit(16).unwrap_or(0))
    });
    let mut room = [0; TOKEN];
    let mut made = Sink::new(&mut room);
    write_token(&mut made, secret, below);
    (made.kept() == digits.as_bytes()).then_some(below)
}

/// A mixing of bits that changes half of them for each that differs. It
/// guards against mistakes, not against whoever works on it: a token opens
/// nothing that its caller could not see.
fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_again_and_another_is_not() {
        for below in [1, 2, 77, 1 << 40, (1 << 48) - 1] {
            let mut room = [0; 32];
            let mut out = Sink::new(&mut room);
            write_token(&mut out, 99, below);
            let len = out.total();
            assert_eq!(len, TOKEN);
            assert_eq!(read_token(Text::checked(&room[..len]), 99), Some(below));
            assert_eq!(read_token(Text::checked(&room[..len]), 98), None);
            room[3] ^= 1;
            assert_eq!(read_token(Text::checked(&room[..len]), 99), None);
        }
        assert_eq!(read_token(Text::checked(b"1"), 99), None);
    }

    #[test]
    fn states_have_the_numbers_of_the_schema() {
        for (number, state) in [
            (1, State::Submitted),
            (3, State::Completed),
            (6, State::InputRequired),
            (8, State::AuthRequired),
        ] {
            assert_eq!(state_of_number(number), Some(state));
        }
        assert_eq!(state_of_number(0), None);
        assert_eq!(state_of_number(9), None);
        assert_eq!(state_of(Text::checked(b"working")), None);
    }
}
