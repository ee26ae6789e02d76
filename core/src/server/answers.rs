//! The answers to the questions of one call, as they come in.

use crate::buf::{Sink, Span};
use crate::json::write;
use crate::tool::InputRequest;

/// What has come. The names of the questions and the answers stand in a
/// buffer beside it: each name with its length, then the text of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answers {
    /// The number of the first request.
    first: u32,
    count: u8,
    /// One bit for each answer that is there.
    there: u8,
    names: u16,
    object: u16,
    end: u16,
    /// The bytes that an answer would have needed that did not fit.
    needed: Option<u16>,
}

/// The buffer is too short: the bytes that it would need.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoRoom(pub usize);

impl Answers {
    /// No answer yet to these questions; the buffer is free from `from` on.
    pub(super) fn new<'q>(
        buf: &mut [u8],
        from: usize,
        first: u32,
        questions: impl Iterator<Item = (&'q str, InputRequest<'q>)>,
    ) -> Result<Self, NoRoom> {
        let mut out = Sink::new(buf.get_mut(from..).unwrap_or_default());
        let mut count: u8 = 0;
        for (key, _) in questions {
            out.byte(u8::try_from(key.len()).unwrap_or(u8::MAX));
            out.text(key.get(..255).unwrap_or(key));
            count = count.saturating_add(1);
        }
        let object = from.saturating_add(out.total());
        out.byte(b'{');
        let place = |at: usize| u16::try_from(at).map_err(|_| NoRoom(at));
        let end = place(from.saturating_add(out.total()))?;
        if out.overflowed() {
            return Err(NoRoom(usize::from(end)));
        }
        Ok(Self {
            first,
            count,
            there: 0,
            names: place(from)?,
            object: place(object)?,
            end,
            needed: None,
        })
    }

    /// The number of the first request, and how many there are.
    pub(super) fn numbers(&self) -> (u32, u8) {
        (self.first, self.count)
    }

    /// Takes the answer to request `number`, nothing for an error. Whether it
    /// is one that was waited for.
    pub(super) fn take(
        &mut self,
        buf: &mut [u8],
        number: u32,
        result: &[u8],
    ) -> Result<bool, NoRoom> {
        let at = number.wrapping_sub(self.first);
        let bit = 1u8.wrapping_shl(at);
        if at >= u32::from(self.count) || self.there & bit != 0 {
            return Ok(false);
        }
        let end = usize::from(self.end);
        let (before, room) = buf.split_at_mut_checked(end).ok_or(NoRoom(end))?;
        let mut names = before.get(usize::from(self.names)..).unwrap_or(&[]);
        let mut name: &[u8] = &[];
        for _ in 0..=at {
            let Some((&len, rest)) = names.split_first() else {
                break;
            };
            (name, names) = rest
                .split_at_checked(usize::from(len))
                .unwrap_or((rest, &[]));
        }
        let mut out = Sink::new(room);
        if self.there != 0 {
            out.byte(b',');
        }
        out.byte(b'"');
        write::escaped(&mut out, name);
        out.text("\":");
        // An error, or a result that is none: nobody was asked.
        if result.starts_with(b"{") {
            out.put(result);
        } else {
            out.text("{\"action\":\"cancel\"}");
        }
        // The brace that ends it has room as well.
        let total = end.saturating_add(out.total());
        let fits = !out.overflowed() && total < buf.len();
        match u16::try_from(total) {
            Ok(total) if fits => self.end = total,
            _ => {
                let needed = total.saturating_add(1);
                self.needed = Some(u16::try_from(needed).unwrap_or(u16::MAX));
                return Err(NoRoom(needed));
            }
        }
        self.there |= bit;
        Ok(true)
    }

    /// Whether every answer is there.
    pub(super) fn is_complete(&self) -> bool {
        self.there.count_ones() >= u32::from(self.count)
    }

    /// Ends the object; gives its place. What is not there was cancelled.
    pub(super) fn finish(&mut self, buf: &mut [u8]) -> Result<Span, NoRoom> {
        if let Some(needed) = self.needed {
            return Err(NoRoom(usize::from(needed)));
        }
        for at in 0..self.count {
            self.take(buf, self.first.wrapping_add(u32::from(at)), &[])?;
        }
        let end = usize::from(self.end);
        *buf.get_mut(end).ok_or(NoRoom(end))? = b'}';
        Ok(Span::new(usize::from(self.object), end.saturating_add(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::Answers;
    use crate::tool::InputRequest;

    fn ask(buf: &mut [u8], keys: &'static [&'static str]) -> Option<Answers> {
        let questions = keys.iter().map(|key| (*key, InputRequest::ListRoots));
        Answers::new(buf, 3, 7, questions).ok()
    }

    #[test]
    fn answers_come_in_any_order_and_once() {
        let mut buf = [0xA5; 96];
        let mut answers = ask(&mut buf, &["a", "b\"c"]).unwrap();
        assert_eq!(answers.numbers(), (7, 2));
        assert!(matches!(answers.take(&mut buf, 8, b"{\"x\":1}"), Ok(true)));
        assert!(matches!(answers.take(&mut buf, 8, b"{\"x\":2}"), Ok(false)));
        assert!(matches!(answers.take(&mut buf, 6, b"{}"), Ok(false)));
        assert!(matches!(answers.take(&mut buf, 9, b"{}"), Ok(false)));
        assert!(!answers.is_complete());
        assert!(matches!(answers.take(&mut buf, 7, b""), Ok(true)));
        assert!(answers.is_complete());
        let object = answers.finish(&mut buf).unwrap();
        assert_eq!(
            object.get(&buf),
            br#"{"b\"c":{"x":1},"a":{"action":"cancel"}}"#
        );
        assert_eq!(&buf[..3], &[0xA5; 3]);
    }

    #[test]
    fn what_does_not_come_is_cancelled() {
        let mut buf = [0; 64];
        let mut answers = ask(&mut buf, &["a"]).unwrap();
        let object = answers.finish(&mut buf).unwrap();
        assert_eq!(object.get(&buf), br#"{"a":{"action":"cancel"}}"#);
    }

    #[test]
    fn a_buffer_of_every_length_is_filled_or_refused() {
        let mut needed = 0;
        for len in 0..64 {
            let mut buf = [0; 64];
            let buf = &mut buf[..len];
            let whole = ask(buf, &["key"]).and_then(|mut answers| {
                answers.take(buf, 7, b"{\"x\":1}").ok()?;
                answers.finish(buf).ok()
            });
            match whole {
                Some(object) => assert_eq!(object.get(buf), br#"{"key":{"x":1}}"#),
                None => needed = len + 1,
            }
        }
        // 3 before it, a name with its length, and the object.
        assert_eq!(needed, 3 + 4 + 15);
    }
}
