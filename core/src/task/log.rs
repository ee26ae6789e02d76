//! The log of one task: everything that it has come to, in order, and never
//! changed once it stands there.
//!
//! Since nothing in it is rewritten, a prefix of the log is a snapshot that
//! costs no copy: an answer that is sent in many windows, a stream that reads
//! slowly and a list of yesterday's order all read the same bytes again.
//!
//! A log is a row of pieces: a tag, a length of two bytes, that many bytes. A
//! piece whose tag is below [`FIRST_PART`] begins an entry; those behind it
//! belong to it.

use super::State;
use crate::buf::Sink;
use crate::json::{Text, write};

/// The context's id. The first piece of every log.
const CONTEXT: u8 = 1;
/// A message of the caller: number, message id.
const MESSAGE: u8 = 2;
/// A new status: number, state, time, text of its message.
const STATUS: u8 = 3;
/// An artifact, or more of one: number, flags, artifact id.
const ARTIFACT: u8 = 4;
/// What is said of the whole task: number, a JSON object.
const NOTE: u8 = 5;

/// The smallest tag of a piece that belongs to an entry.
const FIRST_PART: u8 = 16;
const TEXT: u8 = 16;
const RAW: u8 = 17;
const URL: u8 = 18;
const DATA: u8 = 19;
const MEDIA_TYPE: u8 = 20;
const FILENAME: u8 = 21;
const PART_METADATA: u8 = 22;
const METADATA: u8 = 23;
const EXTENSIONS: u8 = 24;
const REFERENCES: u8 = 25;
const NAME: u8 = 26;
/// Where a part comes from that is a resource in place.
const URI: u8 = 27;
/// A question of a status; see [`ask`](super::ask).
#[cfg(feature = "input")]
pub(super) const QUESTION: u8 = 28;
/// Of the first message: what its sender can be asked.
#[cfg(feature = "input")]
pub(super) const CLIENT: u8 = 29;
/// Of the first message: the answers that came with it.
#[cfg(feature = "input")]
pub(super) const RESPONSES: u8 = 30;
/// Of the first message: the scopes that its tool asks for, if any.
#[cfg(feature = "tasks")]
pub(super) const NEEDS: u8 = 31;

/// Added to the number of a state: the device failed, not the work.
const FAULT: u8 = 0x80;
/// Added to the number of a state: its text is a JSON object.
pub(super) const JSON_TEXT: u8 = 0x40;

/// Bytes of a tag and a length.
const HEAD: usize = 3;
/// Bytes of an entry's number, and of a time.
const NUMBER: usize = 6;

/// Bytes that a status takes beside its text.
pub(super) const STATUS_OVERHEAD: usize = HEAD + NUMBER + 1 + NUMBER;

/// A flag of an artifact: it adds to the one of that id (A-178).
const APPEND: u8 = 1;
/// A flag of an artifact: nothing is added to it later.
const LAST: u8 = 2;

/// What a part of a message or an artifact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Text.
    Text(&'a str),
    /// Bytes.
    Raw(&'a [u8]),
    /// Where the content is.
    Url(&'a str),
    /// A JSON value, as it was written.
    Data(&'a [u8]),
}

/// One part of a message or an artifact (A-063).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// What it is.
    pub content: Content<'a>,
    /// Its media type; empty if not told.
    pub media_type: &'a str,
    /// Its file name; empty if not told.
    pub filename: &'a str,
    /// A JSON object, as it was written; empty for none.
    pub metadata: &'a [u8],
    /// Where it comes from, if it is a resource in place; empty if not.
    pub uri: &'a str,
}

impl<'a> Part<'a> {
    /// A part of this content and nothing else.
    pub const fn new(content: Content<'a>) -> Self {
        Self {
            content,
            media_type: "",
            filename: "",
            metadata: &[],
            uri: "",
        }
    }

    /// The part with this media type.
    #[must_use]
    pub const fn media_type(mut self, media_type: &'a str) -> Self {
        self.media_type = media_type;
        self
    }

    /// The part with this file name.
    #[must_use]
    pub const fn filename(mut self, filename: &'a str) -> Self {
        self.filename = filename;
        self
    }

    /// The part, which is a resource in place from there.
    #[must_use]
    pub const fn uri(mut self, uri: &'a str) -> Self {
        self.uri = uri;
        self
    }
}

/// What a piece of an entry adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    MediaType,
    Filename,
    PartMetadata,
    Metadata,
    Extensions,
    References,
}

impl Extra {
    const fn tag(self) -> u8 {
        match self {
            Self::MediaType => MEDIA_TYPE,
            Self::Filename => FILENAME,
            Self::PartMetadata => PART_METADATA,
            Self::Metadata => METADATA,
            Self::Extensions => EXTENSIONS,
            Self::References => REFERENCES,
        }
    }
}

/// The kind of a part's content, for a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Raw,
    Url,
    Data,
}

impl Kind {
    const fn tag(self) -> u8 {
        match self {
            Self::Text => TEXT,
            Self::Raw => RAW,
            Self::Url => URL,
            Self::Data => DATA,
        }
    }
}

/// Where pieces go: to the log, or to be compared with pieces that stand in
/// one, or to be counted.
#[derive(Debug)]
pub(crate) enum Pieces<'b> {
    Write(Sink<'b>),
    Compare { rest: &'b [u8], same: bool },
}

impl<'b> Pieces<'b> {
    /// Counts pieces.
    pub(crate) fn counter() -> Self {
        Self::Write(Sink::counter())
    }

    /// Bytes that were written, or would have been.
    pub(crate) fn total(&self) -> usize {
        match self {
            Self::Write(sink) => sink.total(),
            Self::Compare { .. } => 0,
        }
    }

    /// Compares pieces with those of an entry.
    pub(super) fn compare(with: &'b [u8]) -> Self {
        Self::Compare {
            rest: with,
            same: true,
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        match self {
            Self::Write(sink) => sink.put(bytes),
            Self::Compare { rest, same } => match rest.strip_prefix(bytes) {
                Some(tail) => *rest = tail,
                None => *same = false,
            },
        }
    }

    #[cfg_attr(target_pointer_width = "32", inline(never))]
    fn head(&mut self, tag: u8, len: usize) {
        // A longer piece than this fits into no log.
        let [low, high] = u16::try_from(len).unwrap_or(u16::MAX).to_le_bytes();
        self.put(&[tag, low, high]);
    }

    #[cfg_attr(target_pointer_width = "32", inline(never))]
    fn piece(&mut self, tag: u8, bytes: &[u8]) {
        self.head(tag, bytes.len());
        self.put(bytes);
    }

    /// Text of a JSON string, unescaped.
    fn text(&mut self, tag: u8, text: Text<'_>) {
        if let Some(plain) = text.as_str() {
            return self.piece(tag, plain.as_bytes());
        }
        let len = text
            .chars()
            .map(char::len_utf8)
            .fold(0, usize::wrapping_add);
        self.head(tag, len);
        for c in text.chars() {
            self.put(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// Adds a part of text or of a URL, or what else a string says.
    pub(crate) fn part_text(&mut self, kind: Kind, text: Text<'_>) {
        self.text(kind.tag(), text);
    }

    /// Adds a part of bytes.
    pub(crate) fn part(&mut self, kind: Kind, bytes: &[u8]) {
        self.piece(kind.tag(), bytes);
    }

    /// Adds a part of `len` bytes, which `bytes` gives one after the other.
    pub(crate) fn part_bytes(&mut self, len: usize, bytes: impl Iterator<Item = u8>) {
        self.head(RAW, len);
        for byte in bytes.take(len) {
            self.put(&[byte]);
        }
    }

    /// Adds what a string says of the entry or of its last part.
    pub(crate) fn extra_text(&mut self, extra: Extra, text: Text<'_>) {
        self.text(extra.tag(), text);
    }

    /// Adds JSON of the entry or of its last part, as it was written.
    pub(crate) fn extra(&mut self, extra: Extra, json: &[u8]) {
        self.piece(extra.tag(), json);
    }

    /// Adds a whole part.
    pub(super) fn whole_part(&mut self, part: Part<'_>) {
        match part.content {
            Content::Text(text) => self.piece(TEXT, text.as_bytes()),
            Content::Raw(bytes) => self.piece(RAW, bytes),
            Content::Url(url) => self.piece(URL, url.as_bytes()),
            Content::Data(json) => self.piece(DATA, json),
        }
        for (tag, bytes) in [
            (MEDIA_TYPE, part.media_type.as_bytes()),
            (FILENAME, part.filename.as_bytes()),
            (PART_METADATA, part.metadata),
            (URI, part.uri.as_bytes()),
        ] {
            if !bytes.is_empty() {
                self.piece(tag, bytes);
            }
        }
    }

    /// Adds a part that is a JSON value, whose writer writes the same `len`
    /// bytes each time.
    pub(super) fn json(&mut self, len: usize, write: impl FnOnce(&mut Sink<'_>)) {
        self.written(DATA, len, write);
    }

    /// Adds a piece, whose writer writes the same `len` bytes each time.
    pub(super) fn written(&mut self, tag: u8, len: usize, write: impl FnOnce(&mut Sink<'_>)) {
        self.head(tag, len);
        if let Self::Write(sink) = self {
            write(sink);
        }
    }

    /// Adds what is said of an artifact beside its parts.
    pub(super) fn label(&mut self, label: Label<'_>) {
        for (tag, bytes) in [(NAME, label.name.as_bytes()), (METADATA, label.metadata)] {
            if !bytes.is_empty() {
                self.piece(tag, bytes);
            }
        }
        if !label.extension.is_empty() {
            let mut count = Sink::counter();
            write_list(&mut count, label.extension);
            self.head(EXTENSIONS, count.total());
            if let Self::Write(sink) = self {
                write_list(sink, label.extension);
            }
        }
    }

    /// Adds what is said of the whole task.
    pub(super) fn note(&mut self, number: u64, json: &[u8]) {
        self.head(NOTE, json.len().saturating_add(NUMBER));
        self.put(&six(number));
        self.put(json);
    }

    pub(super) fn context(&mut self, id: &[u8]) {
        self.piece(CONTEXT, id);
    }

    /// A context's id as a client wrote it.
    pub(super) fn context_text(&mut self, id: Text<'_>) {
        self.text(CONTEXT, id);
    }

    pub(super) fn message(&mut self, number: u64, id: Text<'_>) {
        let len = id
            .chars()
            .map(char::len_utf8)
            .fold(NUMBER, usize::wrapping_add);
        self.head(MESSAGE, len);
        self.put(&six(number));
        for c in id.chars() {
            self.put(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// Adds a status, told by this number: that of the state, with what is said
    /// of its text.
    pub(super) fn status(&mut self, number: u64, state: u8, stamp: u64, text: &[u8]) {
        self.head(STATUS, text.len().saturating_add(STATUS_OVERHEAD - HEAD));
        self.put(&six(number));
        self.put(&[state]);
        self.put(&six(stamp));
        self.put(text);
    }

    pub(super) fn artifact(&mut self, number: u64, id: u16, append: bool, last: bool) {
        self.head(ARTIFACT, NUMBER + 3);
        self.put(&six(number));
        let flags = if append { APPEND } else { 0 } | if last { LAST } else { 0 };
        let [low, high] = id.to_le_bytes();
        self.put(&[flags, low, high]);
    }
}

/// A list of one URI, in JSON.
fn write_list(out: &mut Sink<'_>, uri: &str) {
    out.byte(b'[');
    write::string(out, uri);
    out.byte(b']');
}

/// A number in six bytes: a change a millisecond for 8900 years, and times
/// until the year 10889.
fn six(number: u64) -> [u8; NUMBER] {
    let [a, b, c, d, e, f, _, _] = number.to_le_bytes();
    [a, b, c, d, e, f]
}

fn number(bytes: [u8; NUMBER]) -> u64 {
    let [a, b, c, d, e, f] = bytes;
    u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
}

/// One entry of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'l> {
    /// Its number, which rises along every log and across all of them.
    pub(crate) number: u64,
    pub(crate) what: What<'l>,
    /// The pieces behind it.
    rest: &'l [u8],
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum What<'l> {
    Message {
        id: &'l str,
    },
    Status(Status<'l>),
    Artifact(Artifact),
    /// What is said of the whole task, instead of what was said before: a
    /// JSON object.
    Note(&'l [u8]),
}

/// Where a task stands and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status<'l> {
    /// Where it stands.
    pub state: State,
    /// Since when, in milliseconds since 1970 (UTC); 0 if no clock was set.
    pub unix_millis: u64,
    /// What the device says to it; empty for nothing.
    pub text: &'l str,
    /// Whether the device failed, not the work.
    pub fault: bool,
    /// Whether that is a JSON object, not text.
    pub json: bool,
}

/// What is said of an artifact beside its parts (A-067).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label<'a> {
    /// Its name; empty for none.
    pub name: &'a str,
    /// A JSON object, at most
    /// [`METADATA_BYTES`](crate::limits::METADATA_BYTES) bytes; empty for
    /// none.
    pub metadata: &'a [u8],
    /// The URI of the extension that it is made by (A-210); empty for none.
    pub extension: &'a str,
}

impl<'a> Label<'a> {
    /// A name and nothing else.
    pub const fn new(name: &'a str) -> Self {
        Self {
            name,
            metadata: &[],
            extension: "",
        }
    }
}

/// The number of a failure of the device, as a log keeps it.
pub(super) const FAILED_BY_DEVICE: u8 = State::Failed as u8 | FAULT;

/// The beginning of an artifact, or of an addition to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Artifact {
    /// Counts from 1 in each task.
    pub(crate) id: u16,
    pub(crate) append: bool,
    pub(crate) last: bool,
}

/// Takes one piece off the front.
#[cfg_attr(target_pointer_width = "32", inline(never))]
fn piece(log: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, low, high], rest) = log.split_first_chunk::<HEAD>()?;
    let len = usize::from(u16::from_le_bytes([low, high]));
    let (bytes, rest) = rest.split_at_checked(len)?;
    Some((tag, bytes, rest))
}

/// The context's id.
pub(crate) fn context(log: &[u8]) -> &str {
    match piece(log) {
        Some((CONTEXT, id, _)) => core::str::from_utf8(id).unwrap_or(""),
        _ => "",
    }
}

/// The entries of a log, in order.
///
/// Bound: one walk over its pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries<'l> {
    rest: &'l [u8],
    until: u64,
}

/// The entries up to the number `until`.
pub(crate) fn entries(log: &[u8], until: u64) -> Entries<'_> {
    Entries { rest: log, until }
}

impl<'l> Iterator for Entries<'l> {
    type Item = Entry<'l>;

    fn next(&mut self) -> Option<Entry<'l>> {
        loop {
            let (tag, bytes, rest) = piece(self.rest)?;
            self.rest = rest;
            if !matches!(tag, MESSAGE | STATUS | ARTIFACT | NOTE) {
                continue;
            }
            let (&id, bytes) = bytes.split_first_chunk::<NUMBER>()?;
            let id = number(id);
            if id > self.until {
                self.rest = &[];
                return None;
            }
            let what = match tag {
                MESSAGE => What::Message {
                    id: core::str::from_utf8(bytes).unwrap_or(""),
                },
                STATUS => {
                    let (&state, bytes) = bytes.split_first()?;
                    let (&stamp, text) = bytes.split_first_chunk::<NUMBER>()?;
                    What::Status(Status {
                        state: State::of(state & !(FAULT | JSON_TEXT))?,
                        fault: state & FAULT != 0,
                        unix_millis: number(stamp),
                        text: core::str::from_utf8(text).unwrap_or(""),
                        json: state & JSON_TEXT != 0,
                    })
                }
                NOTE => What::Note(bytes),
                _ => match *bytes {
                    [flags, low, high] => What::Artifact(Artifact {
                        id: u16::from_le_bytes([low, high]),
                        append: flags & APPEND != 0,
                        last: flags & LAST != 0,
                    }),
                    _ => return None,
                },
            };
            return Some(Entry {
                number: id,
                what,
                rest,
            });
        }
    }
}

impl<'l> Entry<'l> {
    /// Its pieces, up to the next entry.
    pub(super) fn pieces(&self) -> &'l [u8] {
        let mut rest = self.rest;
        while let Some((tag, _, after)) = piece(rest) {
            if tag < FIRST_PART {
                break;
            }
            rest = after;
        }
        let len = self.rest.len().wrapping_sub(rest.len());
        self.rest.get(..len).unwrap_or(&[])
    }

    /// Its pieces of this tag, in order.
    #[cfg(feature = "input")]
    pub(super) fn all(&self, wanted: u8) -> impl Iterator<Item = &'l [u8]> + use<'l> {
        let mut rest = self.pieces();
        core::iter::from_fn(move || {
            loop {
                let (tag, bytes, after) = piece(rest)?;
                rest = after;
                if tag == wanted {
                    return Some(bytes);
                }
            }
        })
    }

    fn find(&self, wanted: u8) -> Option<&'l [u8]> {
        let mut rest = self.rest;
        while let Some((tag, bytes, after)) = piece(rest) {
            if tag < FIRST_PART {
                break;
            }
            if tag == wanted {
                return Some(bytes);
            }
            rest = after;
        }
        None
    }

    /// JSON that belongs to the whole entry, as it was written; empty for
    /// none.
    pub(crate) fn extra(&self, extra: Extra) -> &'l [u8] {
        self.find(extra.tag()).unwrap_or(&[])
    }

    /// The name of an artifact; empty for none.
    pub(crate) fn name(&self) -> &'l str {
        core::str::from_utf8(self.find(NAME).unwrap_or(&[])).unwrap_or("")
    }

    /// The parts, in order.
    pub(crate) fn parts(&self) -> Parts<'l> {
        Parts { rest: self.rest }
    }
}

/// The parts of a message or an artifact, in order.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'l> {
    rest: &'l [u8],
}

impl Parts<'_> {
    /// No parts.
    pub(super) const NONE: Self = Self { rest: &[] };
}

impl<'l> Iterator for Parts<'l> {
    type Item = Part<'l>;

    fn next(&mut self) -> Option<Part<'l>> {
        let str = |bytes| core::str::from_utf8(bytes).unwrap_or("");
        loop {
            let (tag, bytes, rest) = piece(self.rest)?;
            if tag < FIRST_PART {
                self.rest = &[];
                return None;
            }
            self.rest = rest;
            let content = match tag {
                TEXT => Content::Text(str(bytes)),
                RAW => Content::Raw(bytes),
                URL => Content::Url(str(bytes)),
                DATA => Content::Data(bytes),
                _ => continue,
            };
            let mut part = Part::new(content);
            while let Some((tag, bytes, rest)) = piece(self.rest) {
                match tag {
                    MEDIA_TYPE => part.media_type = str(bytes),
                    FILENAME => part.filename = str(bytes),
                    PART_METADATA => part.metadata = bytes,
                    URI => part.uri = str(bytes),
                    _ => break,
                }
                self.rest = rest;
            }
            return Some(part);
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn what_is_written_is_read_and_a_prefix_is_a_snapshot() {
        let mut room = [0xA5; 400];
        let mut out = Pieces::Write(Sink::new(&mut room));
        let first = Part::new(Content::Text("hé")).media_type("text/plain");
        let second = Part {
            metadata: b"{}",
            ..Part::new(Content::Raw(&[0, 255])).filename("f").uri("x:y")
        };
        out.context(b"ctx");
        out.message(7, Text::checked(br"m\u0031"));
        out.extra(Extra::Metadata, b"{\"a\":1}");
        out.whole_part(first);
        out.whole_part(second);
        out.status(8, State::Working as u8, 1 << 40, b"now");
        out.status(8, FAILED_BY_DEVICE, 0, b"");
        out.artifact(9, 1, false, true);
        out.label(Label {
            metadata: b"{\"b\":2}",
            extension: "urn:x",
            ..Label::new("log")
        });
        out.whole_part(Part::new(Content::Data(b"[1]")));
        out.whole_part(Part::new(Content::Url("http://x/")));
        let Pieces::Write(sink) = &out else { panic!() };
        let len = sink.total();
        assert!(!sink.overflowed());
        let log = &room[..len];

        assert_eq!(context(log), "ctx");
        let all: Vec<_> = entries(log, u64::MAX).collect();
        assert_eq!(all.len(), 4);
        assert!(matches!(all[0].what, What::Message { id: "m1" }));
        assert_eq!(all[0].extra(Extra::Metadata), b"{\"a\":1}");
        assert_eq!(all[0].parts().collect::<Vec<_>>(), [first, second]);
        let status = Status {
            state: State::Working,
            unix_millis: 1 << 40,
            text: "now",
            fault: false,
            json: false,
        };
        assert!(matches!(all[1].what, What::Status(got) if got == status));
        let failed = |status: Status<'_>| status.state == State::Failed && status.fault;
        assert!(matches!(all[2].what, What::Status(got) if failed(got)));
        assert_eq!(all[3].name(), "log");
        assert_eq!(all[3].extra(Extra::Metadata), b"{\"b\":2}");
        assert_eq!(all[3].extra(Extra::Extensions), b"[\"urn:x\"]");
        assert_eq!(all[3].parts().count(), 2);
        assert_eq!(entries(log, 8).count(), 3);
        assert_eq!(entries(log, 6).count(), 0);

        // The same pieces compare as the same, others do not.
        for (part, same) in [(second, true), (first, false)] {
            let mut compare = Pieces::compare(all[0].pieces());
            compare.extra(Extra::Metadata, b"{\"a\":1}");
            compare.whole_part(first);
            compare.whole_part(part);
            let Pieces::Compare { rest, same: got } = compare else {
                panic!()
            };
            assert_eq!(got && rest.is_empty(), same);
        }
    }

    /// A log that is cut anywhere is read as a shorter one.
    #[test]
    fn any_bytes_are_read_without_a_panic() {
        for len in 0..64usize {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 37 % 29) as u8).collect();
            for entry in entries(&bytes, u64::MAX) {
                let _ = (entry.parts().count(), entry.pieces().len(), entry.name());
            }
            let _ = context(&bytes);
        }
    }
}
