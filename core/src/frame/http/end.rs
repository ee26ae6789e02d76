//! The end of a request head, found while its bytes arrive.

use super::field::{is_token_byte, is_value_byte};
use super::head::HeadError;
use crate::limits;

/// Finds the end of one request head, however it is cut.
///
/// It judges no more than it must to stop early: a peer that speaks something
/// else (TLS, HTTP/0.9, a terminal), ends lines in another way or sends too
/// much is refused at the first byte that shows it, without a full head.
/// Every head that [`super::parse`] takes, this takes as well.
///
/// Bound: each byte is looked at once. 8 bytes of RAM.
#[derive(Clone, Debug)]
pub struct HeadEnd {
    at: At,
    spaces: u8,
    /// Empty lines before the request line, header lines after it.
    lines: u16,
    taken: u16,
    max: u16,
}

/// What [`HeadEnd::feed`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadStep {
    /// Bytes of the input that belong to this head; keep them. They fit the
    /// buffer, and the byte that caused a refusal is not among them.
    pub used: usize,
    /// What to do next.
    pub state: HeadState,
}

/// How far a head has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadState {
    /// All input was used and the head goes on.
    More,
    /// The head is complete; the rest of the input is its body.
    Done,
    /// Answer with [`HeadError::status`] and close.
    Refused(HeadError),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Start,
    StartCr,
    Request,
    RequestCr,
    LineStart,
    Line,
    LineCr,
    EndCr,
    Done,
    Refused(HeadError),
}

impl HeadEnd {
    /// A finder for a head of at most `max` bytes, empty lines before the
    /// request line included: the size of the buffer that keeps the head.
    pub fn new(max: usize) -> Self {
        Self {
            at: At::Start,
            spaces: 0,
            lines: 0,
            taken: 0,
            max: u16::try_from(max).unwrap_or(u16::MAX),
        }
    }

    /// Whether no byte of a request has come yet: a connection that ends or
    /// times out here needs no answer.
    pub fn is_idle(&self) -> bool {
        matches!(self.at, At::Start | At::StartCr)
    }

    /// Takes the next bytes; after [`HeadState::Done`] or a refusal it takes
    /// none and says the same again.
    pub fn feed(&mut self, input: &[u8]) -> HeadStep {
        let mut used = 0usize;
        while let Some(rest @ [byte, ..]) = input.get(used..) {
            let plain = match self.at {
                At::Done | At::Refused(_) => break,
                At::Line => self.plain(rest),
                _ => 0,
            };
            if plain == 0 {
                self.at = self.step(*byte);
                if matches!(self.at, At::Refused(_)) {
                    break;
                }
            }
            used = used.saturating_add(plain.max(1));
        }
        let state = match self.at {
            At::Done => HeadState::Done,
            At::Refused(error) => HeadState::Refused(error),
            _ => HeadState::More,
        };
        HeadStep { used, state }
    }

    /// Takes what ends no header line, which is most of a head.
    fn plain(&mut self, input: &[u8]) -> usize {
        let room = self.max.saturating_sub(self.taken);
        let mut plain = 0u16;
        for byte in input {
            if plain >= room || matches!(byte, b'\r' | b'\n') {
                break;
            }
            plain += 1;
        }
        self.taken = self.taken.saturating_add(plain);
        usize::from(plain)
    }

    fn step(&mut self, byte: u8) -> At {
        let in_request = matches!(
            self.at,
            At::Start | At::StartCr | At::Request | At::RequestCr
        );
        let full = if in_request {
            HeadError::TargetLong
        } else {
            HeadError::HeadLong
        };
        if self.taken >= self.max {
            return At::Refused(full);
        }
        self.taken = self.taken.saturating_add(1);
        match (self.at, byte) {
            (At::Start, b'\r') => At::StartCr,
            (At::StartCr, b'\n') => {
                self.line(limits::HTTP_EMPTY_LINES, At::Start, HeadError::EmptyLines)
            }
            (At::Start, _) if is_token_byte(byte) => {
                self.lines = 0;
                At::Request
            }
            (At::Request, b'\r') => At::RequestCr,
            // A line of fewer than three words is HTTP/0.9 or no HTTP at all;
            // such a peer sends no empty line to wait for.
            (At::RequestCr, b'\n') if self.spaces < 2 => At::Refused(HeadError::RequestLine),
            (At::RequestCr | At::LineCr, b'\n') => At::LineStart,
            (At::LineStart, b'\r') => At::EndCr,
            (At::LineStart, b'\n') => At::Refused(HeadError::LineEnd),
            (At::LineStart, _) => self.line(limits::HTTP_FIELDS, At::Line, HeadError::FieldsMany),
            (At::Line, b'\r') => At::LineCr,
            (At::EndCr, b'\n') => At::Done,
            (At::StartCr | At::RequestCr | At::LineCr | At::EndCr, _) | (_, b'\n') => {
                At::Refused(HeadError::LineEnd)
            }
            (At::Request, _) if is_value_byte(byte) => {
                self.spaces = self.spaces.saturating_add(u8::from(byte == b' '));
                At::Request
            }
            (At::Start | At::Request, _) => At::Refused(HeadError::RequestLine),
            (at, _) => at,
        }
    }

    fn line(&mut self, max: usize, next: At, error: HeadError) -> At {
        if usize::from(self.lines) >= max {
            return At::Refused(error);
        }
        self.lines = self.lines.saturating_add(1);
        next
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    const HEAD: &[u8] = b"\r\nPOST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Length: 2\r\n\r\n";

    fn run(input: &[u8], cut: usize, max: usize) -> (usize, HeadState) {
        let mut end = HeadEnd::new(max);
        let (a, b) = input.split_at(cut);
        let first = end.feed(a);
        match first.state {
            HeadState::More => {
                assert_eq!(first.used, cut);
                let second = end.feed(b);
                (cut + second.used, second.state)
            }
            _ => {
                assert_eq!(
                    end.feed(b),
                    HeadStep {
                        used: 0,
                        state: first.state
                    }
                );
                (first.used, first.state)
            }
        }
    }

    #[test]
    fn the_end_is_found_at_every_cut_and_the_body_is_left() {
        let input = [HEAD, b"{}POST"].concat();
        for cut in 0..=input.len() {
            assert_eq!(run(&input, cut, 512), (HEAD.len(), HeadState::Done));
        }
        for len in 0..HEAD.len() {
            assert_eq!(run(&HEAD[..len], 0, 512), (len, HeadState::More));
        }
    }

    #[test]
    fn a_head_as_long_as_its_buffer_fits_and_no_longer() {
        for max in 0..HEAD.len() {
            let error = if max < 22 {
                HeadError::TargetLong
            } else {
                HeadError::HeadLong
            };
            assert_eq!(run(HEAD, 0, max), (max, HeadState::Refused(error)), "{max}");
        }
        assert_eq!(run(HEAD, 0, HEAD.len()), (HEAD.len(), HeadState::Done));
    }

    #[test]
    fn other_speech_is_refused_at_once() {
        use HeadError::*;
        // The input, the number of the byte that is refused, and why.
        for (input, used, error) in [
            (&b"\x16\x03\x01\x02\x00"[..], 1, RequestLine),
            (b"\n", 1, LineEnd),
            (b"\rG", 2, LineEnd),
            (b"\r\n\r\n\r\n", 6, EmptyLines),
            (b" GET / HTTP/1.1\r\n", 1, RequestLine),
            (b"GET /mcp\r\n", 10, RequestLine),
            (b"hello\r\n", 7, RequestLine),
            (b"GET / HTTP/1.1\nHost: a\n\n", 15, LineEnd),
            (b"GET /\0 HTTP/1.1\r\n", 6, RequestLine),
            (b"GET / HTTP/1.1\r\r\n", 16, LineEnd),
            (b"GET / HTTP/1.1\r\nA: b\n", 21, LineEnd),
            (b"GET / HTTP/1.1\r\nA: b\rC", 22, LineEnd),
            (b"GET / HTTP/1.1\r\n\n", 17, LineEnd),
            (b"GET / HTTP/1.1\r\n\rx", 18, LineEnd),
        ] {
            for cut in 0..=input.len() {
                let want = (used - 1, HeadState::Refused(error));
                assert_eq!(run(input, cut, 512), want, "{input:?} at {cut}");
            }
        }
    }

    #[test]
    fn header_lines_are_counted() {
        let mut input = b"\r\n\r\nGET / HTTP/1.1\r\n".to_vec();
        for _ in 0..limits::HTTP_FIELDS {
            input.extend_from_slice(b"A: b\r\n");
        }
        let done = [&input[..], b"\r\n"].concat();
        assert_eq!(run(&done, 0, 9999), (done.len(), HeadState::Done));
        let more = [&input[..], b"A"].concat();
        let refused = HeadState::Refused(HeadError::FieldsMany);
        assert_eq!(run(&more, 0, 9999), (input.len(), refused));
    }

    #[test]
    fn a_connection_is_idle_until_a_request_begins() {
        let mut end = HeadEnd::new(64);
        assert!(end.is_idle());
        end.feed(b"\r\n");
        assert!(end.is_idle());
        end.feed(b"P");
        assert!(!end.is_idle());
    }
}
