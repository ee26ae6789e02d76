//! The body of a request: a known length, or chunks.

use crate::limits;

/// How the end of a request body is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLength {
    /// Nothing is said: there is no body.
    None,
    /// This many bytes; `usize::MAX` for that and every larger number.
    Bytes(usize),
    /// Chunks up to a last one.
    Chunked,
}

impl BodyLength {
    /// Whether the body is known to be longer than `limit` bytes, so that it
    /// can be refused with 413 before it is sent.
    pub fn exceeds(self, limit: usize) -> bool {
        matches!(self, Self::Bytes(length) if length > limit)
    }
}

/// Why a body is refused. Answer with [`status`](Self::status) and close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// Longer than the buffer.
    Long,
    /// A chunk size that is no hex number, or one of too many digits.
    ChunkSize,
    /// More chunk extensions than [`limits::HTTP_CHUNK_EXTENSION_BYTES`].
    Extensions,
    /// A CR LF that is missing, or a control character in a line.
    ChunkLine,
    /// Longer trailer lines than [`limits::HTTP_TRAILER_BYTES`].
    Trailer,
}

impl BodyError {
    /// The HTTP status of the answer.
    pub fn status(self) -> u16 {
        match self {
            Self::Long => 413,
            Self::Trailer => 431,
            Self::ChunkSize | Self::Extensions | Self::ChunkLine => 400,
        }
    }

    /// What was wrong and where, in one sentence without its full stop.
    pub fn text(self) -> &'static str {
        match self {
            Self::Long => "the body is too long",
            Self::ChunkSize => "a chunk size of the body is not a hex number",
            Self::Extensions => "the chunk extensions of the body are too long",
            Self::ChunkLine => "a chunk of the body does not end with CR LF",
            Self::Trailer => "the trailer of the body is too long",
        }
    }
}

/// What a step of a body did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyStep {
    /// Bytes of the input that belong to this body.
    pub used: usize,
    /// What to do next.
    pub state: BodyState,
}

/// How far a body has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyState {
    /// All input was used and the body goes on.
    More,
    /// The body is complete; the rest of the input is the next request.
    Done,
    /// Answer and close.
    Refused(BodyError),
}

/// Gathers one request body in a buffer.
#[derive(Clone, Debug)]
pub struct Body {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Left(usize),
    Chunked(Chunked),
}

impl Body {
    /// A body of this length.
    pub fn new(length: BodyLength) -> Self {
        let kind = match length {
            BodyLength::None => Kind::Left(0),
            BodyLength::Bytes(length) => Kind::Left(length),
            BodyLength::Chunked => Kind::Chunked(Chunked::new()),
        };
        Self { kind }
    }

    /// Moves body bytes from `input` to `out`, where `filled` bytes stand
    /// already. Call it once with an empty input to learn whether there is a
    /// body to wait for.
    ///
    /// A body that cannot fit is refused as soon as its length, or that of a
    /// chunk, is known. Bound: each byte is moved once.
    pub fn read(&mut self, input: &[u8], out: &mut [u8], filled: &mut usize) -> BodyStep {
        let left = match &mut self.kind {
            Kind::Chunked(chunked) => return chunked.decode(input, out, filled),
            Kind::Left(left) => left,
        };
        if *left > out.len().saturating_sub(*filled) {
            return BodyStep {
                used: 0,
                state: BodyState::Refused(BodyError::Long),
            };
        }
        let used = copy(input, *left, out, filled);
        *left = left.saturating_sub(used);
        let state = if *left == 0 {
            BodyState::Done
        } else {
            BodyState::More
        };
        BodyStep { used, state }
    }
}

/// Decodes the chunks of one body (RFC 9112 section 7.1).
///
/// Line ends are CR LF and nothing else; spaces are allowed only before an
/// extension. Extensions and trailer lines are skipped within their limits.
/// 12 bytes of RAM on a 32-bit machine.
#[derive(Clone, Debug)]
pub struct Chunked {
    at: At,
    digits: u8,
    extensions: u16,
    trailer: u16,
    /// While the size is read, the size; in the data, the bytes to come.
    size: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Size,
    Space,
    Extension,
    SizeCr,
    Data,
    DataEnd,
    DataCr,
    LineStart,
    Line,
    LineCr,
    EndCr,
    Done,
    Refused(BodyError),
}

impl Default for Chunked {
    fn default() -> Self {
        Self::new()
    }
}

impl Chunked {
    /// Stands before the first chunk size.
    pub fn new() -> Self {
        Self {
            at: At::Size,
            digits: 0,
            extensions: 0,
            trailer: 0,
            size: 0,
        }
    }

    /// Decodes the next bytes into `out`, where `filled` bytes stand already;
    /// `out` is the same buffer in each call. After the end or a refusal it
    /// takes nothing and says the same again.
    ///
    /// Bound: each byte is looked at once; at most `out.len()` bytes are
    /// written.
    pub fn decode(&mut self, input: &[u8], out: &mut [u8], filled: &mut usize) -> BodyStep {
        let mut used = 0usize;
        while let Some(rest) = input.get(used..).filter(|rest| !rest.is_empty()) {
            match self.at {
                At::Done | At::Refused(_) => break,
                At::Data => {
                    let limit = usize::try_from(self.size).unwrap_or(usize::MAX);
                    let moved = copy(rest, limit, out, filled);
                    used = used.saturating_add(moved);
                    let moved = u32::try_from(moved).unwrap_or(u32::MAX);
                    self.size = self.size.saturating_sub(moved);
                    if self.size == 0 {
                        self.at = At::DataEnd;
                    } else if moved == 0 {
                        self.at = At::Refused(BodyError::Long);
                    }
                }
                _ => {
                    let room = out.len().saturating_sub(*filled);
                    if let [byte, ..] = rest {
                        self.at = self.step(*byte, room);
                    }
                    used = used.saturating_add(1);
                }
            }
        }
        BodyStep {
            used,
            state: self.state(),
        }
    }

    /// Takes the framing off the next bytes: gives how many it used, and those
    /// of them that are the body's, where they stand. For a body that is
    /// longer than any buffer, a stream of events.
    ///
    /// Bound: each byte is looked at once; nothing is copied. It uses no byte
    /// only of an empty input, after the end, or after a refusal.
    #[cfg(feature = "client")]
    pub(super) fn next<'i>(&mut self, input: &'i [u8]) -> (usize, &'i [u8], BodyState) {
        let mut used = 0usize;
        let mut data: &[u8] = &[];
        while let Some(rest @ [byte, ..]) = input.get(used..) {
            match self.at {
                At::Done | At::Refused(_) => break,
                At::Data => {
                    let most = usize::try_from(self.size).unwrap_or(usize::MAX);
                    let (run, _) = rest.split_at_checked(most).unwrap_or((rest, &[]));
                    used = used.saturating_add(run.len());
                    let taken = u32::try_from(run.len()).unwrap_or(u32::MAX);
                    self.size = self.size.saturating_sub(taken);
                    if self.size == 0 {
                        self.at = At::DataEnd;
                    }
                    data = run;
                    break;
                }
                _ => {
                    self.at = self.step(*byte, usize::MAX);
                    used = used.saturating_add(1);
                }
            }
        }
        (used, data, self.state())
    }

    fn state(&self) -> BodyState {
        match self.at {
            At::Done => BodyState::Done,
            At::Refused(error) => BodyState::Refused(error),
            _ => BodyState::More,
        }
    }

    fn step(&mut self, byte: u8, room: usize) -> At {
        match (self.at, byte) {
            (At::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => self.digit(byte),
            (At::Size, _) if self.digits == 0 => At::Refused(BodyError::ChunkSize),
            (At::Size | At::Extension, b'\r') => At::SizeCr,
            (At::Size | At::Space, b' ' | b'\t') => self.extension(At::Space),
            (At::Size | At::Space, b';') => self.extension(At::Extension),
            (At::Size | At::Space, _) => At::Refused(BodyError::ChunkSize),
            (At::Extension, _) if super::field::is_value_byte(byte) => {
                self.extension(At::Extension)
            }
            (At::SizeCr, b'\n') => {
                self.digits = 0;
                if self.size == 0 {
                    At::LineStart
                } else if usize::try_from(self.size).unwrap_or(usize::MAX) > room {
                    At::Refused(BodyError::Long)
                } else {
                    At::Data
                }
            }
            (At::DataEnd, b'\r') => At::DataCr,
            (At::DataCr, b'\n') => At::Size,
            (At::LineStart, b'\r') => At::EndCr,
            (At::EndCr, b'\n') => At::Done,
            (At::Line, b'\r') => self.trailer(At::LineCr),
            (At::LineCr, b'\n') => self.trailer(At::LineStart),
            (At::LineStart | At::Line, _) if super::field::is_value_byte(byte) => {
                self.trailer(At::Line)
            }
            _ => At::Refused(BodyError::ChunkLine),
        }
    }

    fn digit(&mut self, byte: u8) -> At {
        if usize::from(self.digits) >= limits::HTTP_CHUNK_DIGITS {
            return At::Refused(BodyError::ChunkSize);
        }
        self.digits = self.digits.saturating_add(1);
        // Letters have bit 6 set, and a low nibble that counts from 1.
        let value = u32::from(byte & 15) + u32::from(byte >> 6) * 9;
        match self.size.checked_mul(16) {
            Some(size) => {
                self.size = size | value;
                At::Size
            }
            None => At::Refused(BodyError::Long),
        }
    }

    fn extension(&mut self, next: At) -> At {
        self.extensions = self.extensions.saturating_add(1);
        if usize::from(self.extensions) > limits::HTTP_CHUNK_EXTENSION_BYTES {
            return At::Refused(BodyError::Extensions);
        }
        next
    }

    fn trailer(&mut self, next: At) -> At {
        self.trailer = self.trailer.saturating_add(1);
        if usize::from(self.trailer) > limits::HTTP_TRAILER_BYTES {
            return At::Refused(BodyError::Trailer);
        }
        next
    }
}

/// Appends the first `limit` bytes of `input` that fit; tells how many.
fn copy(input: &[u8], limit: usize, out: &mut [u8], filled: &mut usize) -> usize {
    let Some(room) = out.get_mut(*filled..) else {
        return 0;
    };
    let n = input.len().min(limit).min(room.len());
    room[..n].copy_from_slice(&input[..n]);
    *filled = filled.saturating_add(n);
    n
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;
    use std::{format, vec};

    /// Decodes `input` cut at `cut`, with room for `room` bytes between guard
    /// bytes.
    fn run(
        length: BodyLength,
        input: &[u8],
        cut: usize,
        room: usize,
    ) -> (Vec<u8>, usize, BodyState) {
        let mut body = Body::new(length);
        let mut out = vec![0xA5u8; room + 1];
        let mut filled = 0;
        let mut used = 0;
        let mut state = body.read(&[], &mut out[..room], &mut filled).state;
        for piece in [&input[..cut], &input[cut..]] {
            if state == BodyState::More {
                let step = body.read(piece, &mut out[..room], &mut filled);
                assert!(step.used <= piece.len());
                assert!(step.state != BodyState::More || step.used == piece.len());
                used += step.used;
                state = step.state;
            }
        }
        assert!(out[filled..].iter().all(|&b| b == 0xA5));
        out.truncate(filled);
        (out, used, state)
    }

    fn every_cut(input: &[u8], room: usize, want: (&[u8], usize, BodyState)) {
        for cut in 0..=input.len() {
            let (body, used, state) = run(BodyLength::Chunked, input, cut, room);
            assert_eq!((&body[..], used, state), want, "{input:?} at {cut}");
        }
        let mut chunked = Chunked::new();
        let mut out = vec![0; room];
        let (mut filled, mut used, mut state) = (0, 0, BodyState::More);
        for byte in input.chunks(1) {
            let step = chunked.decode(byte, &mut out, &mut filled);
            used += step.used;
            state = step.state;
        }
        assert_eq!((&out[..filled], used, state), want, "{input:?} bytewise");
    }

    /// C-61.
    const CHUNKS: &[u8] =
        b"14\r\n{\"jsonrpc\":\"2.0\",\"id\r\n15\r\n\":64,\"method\":\"ping\"}\r\n0\r\n\r\n";

    #[test]
    fn chunks_are_joined_at_every_cut() {
        let json = b"{\"jsonrpc\":\"2.0\",\"id\":64,\"method\":\"ping\"}";
        let input = [CHUNKS, b"POST"].concat();
        every_cut(&input, json.len(), (json, CHUNKS.len(), BodyState::Done));
        let short = &CHUNKS[..CHUNKS.len() - 1];
        every_cut(short, 99, (json, short.len(), BodyState::More));
    }

    #[test]
    fn spellings_of_chunks() {
        for input in [
            &b"2\r\nab\r\n0\r\n\r\n"[..],
            b"0002\r\nab\r\n00000000\r\n\r\n",
            b"1;a=b;c=\"d\"\r\na\r\n1 \t;\r\nb\r\n0;x\r\n\r\n",
            b"2\r\nab\r\n0\r\nChecksum: 1\r\n: anything\r\n\r\n",
        ] {
            every_cut(input, 2, (b"ab", input.len(), BodyState::Done));
        }
        every_cut(b"0\r\n\r\n", 0, (b"", 5, BodyState::Done));
        let long = [&b"aB\r\n"[..], &[b'x'; 0xAB], b"\r\n0\r\n\r\n"].concat();
        every_cut(&long, 0xAB, (&[b'x'; 0xAB], long.len(), BodyState::Done));
    }

    #[test]
    fn malformed_chunks_are_refused_at_the_byte_that_shows_it() {
        use BodyError::*;
        for (input, used, error) in [
            (&b"\r\n"[..], 1, ChunkSize),
            (b";a\r\n", 1, ChunkSize),
            (b"g\r\n", 1, ChunkSize),
            (b"-1\r\n", 1, ChunkSize),
            (b"0x1\r\n", 2, ChunkSize),
            (b" 1\r\n", 1, ChunkSize),
            (b"1 \r\n", 3, ChunkSize),
            (b"1 1\r\n", 3, ChunkSize),
            (b"1\n", 2, ChunkSize),
            (b"1\r\r", 3, ChunkLine),
            (b"1;\n", 3, ChunkLine),
            (b"1;\0", 3, ChunkLine),
            (b"0\r\n\n", 4, ChunkLine),
            (b"0\r\nA\n", 5, ChunkLine),
            (b"0\r\nA\rB", 6, ChunkLine),
            (b"0\r\n\rA", 5, ChunkLine),
            (b"00000000000000001\r\n", 17, ChunkSize),
        ] {
            every_cut(input, 9, (b"", used, BodyState::Refused(error)));
        }
        every_cut(b"1\r\nab", 9, (b"a", 5, BodyState::Refused(ChunkLine)));
        every_cut(b"1\r\na\n", 9, (b"a", 5, BodyState::Refused(ChunkLine)));
        every_cut(b"1\r\na\rb", 9, (b"a", 6, BodyState::Refused(ChunkLine)));
    }

    #[test]
    fn a_body_too_long_is_refused_when_its_size_is_known() {
        let long = BodyState::Refused(BodyError::Long);
        every_cut(b"4\r\nabcd\r\n", 3, (b"", 3, long));
        every_cut(b"2\r\nab\r\n2\r\ncd\r\n", 3, (b"ab", 10, long));
        every_cut(b"00ffffffff\r\na", 3, (b"", 12, long));
        every_cut(b"100000000\r\na", 3, (b"", 9, long));
        for length in [4, usize::MAX] {
            let length = BodyLength::Bytes(length);
            assert_eq!(run(length, b"abcd", 0, 3), (vec![], 0, long));
            assert!(length.exceeds(3));
        }
        assert!(!BodyLength::Bytes(3).exceeds(3));
        assert!(!BodyLength::Chunked.exceeds(0));
    }

    #[test]
    fn extensions_and_trailers_are_bounded_over_the_whole_body() {
        let chunk = b"1;xx\r\na\r\n";
        let fit = limits::HTTP_CHUNK_EXTENSION_BYTES / 3;
        let mut input = chunk.repeat(fit);
        let (body, used, state) = run(BodyLength::Chunked, &input, 0, 999);
        assert_eq!(
            (body.len(), used, state),
            (fit, input.len(), BodyState::More)
        );
        input.extend_from_slice(chunk);
        let (body, _, state) = run(BodyLength::Chunked, &input, 0, 999);
        assert_eq!(
            (body.len(), state),
            (fit, BodyState::Refused(BodyError::Extensions))
        );

        let line = format!("A: {}\r\n", "x".repeat(limits::HTTP_TRAILER_BYTES - 5));
        let fits = format!("0\r\n{line}\r\n");
        let (_, used, state) = run(BodyLength::Chunked, fits.as_bytes(), 0, 9);
        assert_eq!((used, state), (fits.len(), BodyState::Done));
        let over = format!("0\r\n{line}B");
        let (_, used, state) = run(BodyLength::Chunked, over.as_bytes(), 0, 9);
        assert_eq!(
            (used, state),
            (over.len(), BodyState::Refused(BodyError::Trailer))
        );
    }

    #[test]
    fn a_known_length_leaves_the_next_request() {
        for cut in 0..=5 {
            let got = run(BodyLength::Bytes(2), b"{}POS", cut, 2);
            assert_eq!(got, (b"{}".to_vec(), 2, BodyState::Done));
            assert_eq!(
                run(BodyLength::None, b"POSTX", cut, 0),
                (vec![], 0, BodyState::Done)
            );
            assert_eq!(
                run(BodyLength::Bytes(6), b"{   }", cut, 6).2,
                BodyState::More
            );
        }
    }

    /// A caller that gives another buffer half-way is refused, not spun.
    #[test]
    fn a_buffer_that_shrinks_is_too_short() {
        let mut chunked = Chunked::new();
        let mut filled = 0;
        chunked.decode(b"4\r\nab", &mut [0; 4], &mut filled);
        let step = chunked.decode(b"cd", &mut [0; 1], &mut filled);
        assert_eq!(step.state, BodyState::Refused(BodyError::Long));
    }
}
