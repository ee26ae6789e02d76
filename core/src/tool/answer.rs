//! What a handler gives back, kept until it has been sent.

use serde::Serialize;

#[cfg(any(feature = "resources", feature = "prompts"))]
use super::call::REASON_BYTES;
use super::call::{Answer, Call};
use super::descriptor::{Param, Type};
#[cfg(feature = "input")]
use super::input::{Form, InputRequest};
#[cfg(feature = "logging")]
use super::log::Level;
use crate::buf::Sink;
use crate::json::{ser, write};
#[cfg(feature = "input")]
use crate::limits::QUESTIONS;

/// Constant byte slices (images, sounds) that one result may point to.
///
/// Each costs two pointers of RAM in a connection.
const BLOBS: usize = 4;

/// Which pieces the caller's protocol version can carry; others are replaced
/// by a text that names them.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Sounds.
    pub audio: bool,
    /// Links to resources.
    pub links: bool,
}

/// The book-keeping of one result. Its bytes stand in a buffer beside it, in
/// no protocol's words: a tag, then each field with its length.
#[derive(Debug, Default)]
pub struct Outcome {
    len: usize,
    /// Bytes that the result would have needed, once it did not fit.
    needed: usize,
    fault: Option<Fault>,
    blobs: heapless::Vec<&'static [u8], BLOBS>,
    failed: bool,
    /// Bytes of the messages that stand before everything else.
    #[cfg(feature = "logging")]
    logs: usize,
    /// The forms of its questions.
    #[cfg(feature = "input")]
    forms: heapless::Vec<Form, QUESTIONS>,
    /// How many questions it holds.
    #[cfg(feature = "input")]
    questions: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Value(ser::SerError),
    Blobs,
    #[cfg(feature = "input")]
    Questions,
}

/// One part of a result.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// Plain text.
    Text(&'a str),
    /// The structured result: checked JSON text.
    Json(&'a [u8]),
    /// A picture.
    Image {
        /// Its bytes.
        data: &'a [u8],
        /// Its media type.
        mime: &'a str,
    },
    /// A sound.
    Audio {
        /// Its bytes.
        data: &'a [u8],
        /// Its media type.
        mime: &'a str,
    },
    /// A resource that the caller may read.
    Link {
        /// Where it is.
        uri: &'a str,
        /// What it is called.
        name: &'a str,
        /// Its media type; empty if not told.
        mime: &'a str,
    },
    /// A resource of text, in place.
    ResourceText {
        /// Where it comes from.
        uri: &'a str,
        /// Its media type; empty if not told.
        mime: &'a str,
        /// Its text.
        text: &'a str,
    },
    /// A resource of bytes, in place.
    ResourceBlob {
        /// Where it comes from.
        uri: &'a str,
        /// Its media type; empty if not told.
        mime: &'a str,
        /// Its bytes.
        data: &'a [u8],
    },
    /// No part of its own: the next one is said by the assistant.
    #[cfg(feature = "prompts")]
    Assistant,
    /// A message beside the result.
    #[cfg(feature = "logging")]
    Log {
        /// How serious it is.
        level: Level,
        /// What it says.
        text: &'a str,
    },
    /// A question to the caller.
    #[cfg(feature = "input")]
    Question {
        /// Its name among the questions of one answer.
        key: &'a str,
        /// What is asked.
        request: InputRequest<'a>,
    },
}

const TEXT: u8 = 1;
const JSON: u8 = 2;
const IMAGE: u8 = 3;
const AUDIO: u8 = 4;
const LINK: u8 = 5;
const RESOURCE_TEXT: u8 = 6;
const RESOURCE_BLOB: u8 = 7;
#[cfg(feature = "prompts")]
const ASSISTANT: u8 = 8;
#[cfg(feature = "logging")]
const LOG: u8 = 12;
#[cfg(feature = "input")]
const ELICIT: u8 = 9;
#[cfg(feature = "input")]
const SAMPLE: u8 = 10;
#[cfg(feature = "input")]
const LIST_ROOTS: u8 = 11;

/// A field's length that says: a byte follows, the number of a constant slice.
const STATIC: u16 = u16::MAX;

/// Bytes that a handler gives for a picture, a sound or a resource.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Bytes in flash: only a pointer is kept, so they may be longer than the
    /// result buffer.
    Static(&'static [u8]),
    /// Bytes that are copied to the result buffer.
    Copied(&'a [u8]),
}

impl Outcome {
    /// Forgets the last result.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether the tool failed.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// The parts of the result, in the order in which the handler gave them.
    pub fn pieces<'a>(&'a self, buf: &'a [u8]) -> Pieces<'a> {
        Pieces {
            rest: buf.get(..self.len).unwrap_or(&[]),
            blobs: &self.blobs,
            #[cfg(feature = "input")]
            forms: &self.forms,
        }
    }

    /// Whether it holds questions instead of a result.
    #[cfg(feature = "input")]
    pub(crate) fn asks(&self) -> bool {
        self.questions > 0
    }

    /// The questions that it holds.
    #[cfg(feature = "input")]
    pub(crate) fn questions<'a>(
        &'a self,
        buf: &'a [u8],
    ) -> impl Iterator<Item = (&'a str, InputRequest<'a>)> {
        self.pieces(buf).filter_map(|piece| match piece {
            Piece::Question { key, request } => Some((key, request)),
            _ => None,
        })
    }

    /// Adds a question.
    #[cfg(feature = "input")]
    pub(super) fn question(&mut self, buf: &mut [u8], key: &str, request: InputRequest<'_>) {
        if usize::from(self.questions) >= QUESTIONS {
            self.fault = Some(Fault::Questions);
            return;
        }
        self.questions = self.questions.saturating_add(1);
        match request {
            InputRequest::Elicit { message, form } => {
                // There are as many places as questions.
                let at = [self.forms.len() as u8];
                let _ = self.forms.push(form);
                self.fields(buf, ELICIT, &[key, message], Some(Data::Copied(&at)));
            }
            InputRequest::Sample {
                message,
                max_tokens,
            } => {
                let tokens = max_tokens.to_le_bytes();
                self.fields(buf, SAMPLE, &[key, message], Some(Data::Copied(&tokens)));
            }
            InputRequest::ListRoots => self.fields(buf, LIST_ROOTS, &[key], None),
        }
    }

    /// Whether it begins with messages.
    #[cfg(feature = "logging")]
    pub(crate) fn has_logs(&self) -> bool {
        self.logs > 0
    }

    /// Adds a message; one that does not fit ends with an ellipsis.
    #[cfg(feature = "logging")]
    pub(super) fn log(&mut self, buf: &mut [u8], level: Level, fill: impl FnOnce(&mut Sink<'_>)) {
        let mut field = self.open(buf);
        // The level is the first byte of the field.
        field.byte(level as u8);
        fill(&mut field);
        let len = field.end_with_ellipsis();
        let first = self.len == self.logs && self.needed == 0;
        self.close(buf, LOG, len);
        if first {
            self.logs = self.len;
        }
    }

    /// Forgets all but the messages that stand before everything else.
    pub(super) fn keep_logs(&mut self) {
        #[cfg(feature = "logging")]
        {
            let logs = self.logs;
            self.clear();
            (self.len, self.logs) = (logs, logs);
        }
        #[cfg(not(feature = "logging"))]
        self.clear();
    }

    /// Makes the result a failure whose reason `report` writes.
    pub(crate) fn refuse(&mut self, buf: &mut [u8], report: impl FnOnce(&mut Sink<'_>)) {
        self.keep_logs();
        let mut field = self.open(buf);
        report(&mut field);
        let len = field.end_with_ellipsis();
        self.close(buf, TEXT, len);
        self.failed = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        #[cfg(feature = "logging")]
        return self.len == self.logs;
        #[cfg(not(feature = "logging"))]
        return self.len == 0;
    }

    /// Why the result can't be sent, if it can't.
    pub(super) fn explain(&self, capacity: usize, out: &mut Sink<'_>) -> bool {
        match self.fault {
            Some(Fault::Value(ser::SerError::NotFinite)) => {
                out.text("the result holds a value that is not a finite number");
            }
            Some(Fault::Value(_)) => out.text("the result cannot be written as JSON"),
            Some(Fault::Blobs) => {
                out.text("the result has more constant blobs than ");
                write::u64(out, BLOBS as u64);
            }
            #[cfg(feature = "input")]
            Some(Fault::Questions) => {
                out.text("the answer asks more questions than ");
                write::u64(out, QUESTIONS as u64);
            }
            None if self.needed > capacity => {
                out.text("the result needs ");
                write::u64(out, self.needed as u64);
                out.text(" bytes, this device has room for ");
                write::u64(out, capacity as u64);
            }
            None => return false,
        }
        true
    }

    pub(crate) fn text(&mut self, buf: &mut [u8], fill: impl FnOnce(&mut Sink<'_>)) {
        let mut field = self.open(buf);
        fill(&mut field);
        let len = field.total();
        self.close(buf, TEXT, len);
    }

    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, buf: &mut [u8], value: &T) {
        let mut field = self.open(buf);
        if let Err(error) = ser::to_sink(&mut field, value) {
            self.fault = Some(Fault::Value(error));
        }
        let len = field.total();
        self.close(buf, JSON, len);
    }

    /// Adds to the JSON text behind the pieces, of which `len` bytes stand
    /// there; gives how many do now, also where they found no room.
    pub(crate) fn draft(
        &self,
        buf: &mut [u8],
        len: usize,
        fill: impl FnOnce(&mut Sink<'_>),
    ) -> usize {
        let start = self.len.saturating_add(PREFIX).saturating_add(len);
        let mut rest = Sink::new(buf.get_mut(start..).unwrap_or_default());
        fill(&mut rest);
        len.saturating_add(rest.total())
    }

    /// Makes a piece of the JSON text that was drafted.
    pub(crate) fn drafted(&mut self, buf: &mut [u8], len: usize) {
        self.close(buf, JSON, len);
    }

    pub(crate) fn image(&mut self, buf: &mut [u8], data: Data<'_>, mime: &str) {
        self.fields(buf, IMAGE, &[mime], Some(data));
    }

    pub(super) fn audio(&mut self, buf: &mut [u8], data: Data<'_>, mime: &str) {
        self.fields(buf, AUDIO, &[mime], Some(data));
    }

    pub(super) fn link(&mut self, buf: &mut [u8], uri: &str, name: &str, mime: &str) {
        self.fields(buf, LINK, &[uri, name, mime], None);
    }

    pub(crate) fn resource_text(&mut self, buf: &mut [u8], uri: &str, mime: &str, text: &str) {
        self.fields(buf, RESOURCE_TEXT, &[uri, mime, text], None);
    }

    pub(crate) fn resource_blob(&mut self, buf: &mut [u8], uri: &str, mime: &str, data: Data<'_>) {
        self.fields(buf, RESOURCE_BLOB, &[uri, mime], Some(data));
    }

    /// A text in flash, of which only a pointer is kept.
    #[cfg(feature = "resources")]
    pub(crate) fn constant(&mut self, buf: &mut [u8], text: &'static str) {
        let data = Data::Static(text.as_bytes());
        self.fields(buf, RESOURCE_TEXT, &["", ""], Some(data));
    }

    #[cfg(feature = "prompts")]
    pub(crate) fn assistant(&mut self, buf: &mut [u8]) {
        self.fields(buf, ASSISTANT, &[], None);
    }

    /// Makes a result that cannot be sent, or that is none, a failure that
    /// says so in the name of what gave it.
    #[cfg(any(feature = "resources", feature = "prompts"))]
    pub(crate) fn settle(&mut self, buf: &mut [u8], name: &str) {
        if self.failed {
            return;
        }
        let mut room = [0; REASON_BYTES];
        let mut reason = Sink::new(&mut room);
        reason.text(name);
        reason.text(": ");
        if !self.explain(buf.len(), &mut reason) {
            if !self.is_empty() {
                return;
            }
            reason.text("no answer");
        }
        let text = core::str::from_utf8(reason.kept()).unwrap_or("the result cannot be sent");
        self.refuse(buf, |out| out.text(text));
    }

    /// The place of the one field of a piece that is written next; its tag
    /// and its length are put before it by [`close`](Self::close).
    fn open<'b>(&self, buf: &'b mut [u8]) -> Sink<'b> {
        let start = self.len.saturating_add(PREFIX);
        Sink::new(buf.get_mut(start..).unwrap_or_default())
    }

    /// Ends a piece of one field of `len` bytes.
    fn close(&mut self, buf: &mut [u8], tag: u8, len: usize) {
        let place = buf.get_mut(self.len..).unwrap_or_default();
        let [low, high] = length(len);
        match place.split_first_chunk_mut::<PREFIX>() {
            Some((prefix, field)) if field.len() >= len => {
                *prefix = [tag, low, high];
                self.end(len.saturating_add(PREFIX), true);
            }
            _ => self.end(len.saturating_add(PREFIX), false),
        }
    }

    /// Writes a piece of several fields, data as the last of them.
    fn fields(&mut self, buf: &mut [u8], tag: u8, fields: &[&str], data: Option<Data<'_>>) {
        let mut out = Sink::new(buf.get_mut(self.len..).unwrap_or_default());
        out.byte(tag);
        for field in fields {
            out.put(&length(field.len()));
            out.text(field);
        }
        match data {
            None => {}
            Some(Data::Copied(bytes)) => {
                out.put(&length(bytes.len()));
                out.put(bytes);
            }
            Some(Data::Static(bytes)) => {
                out.put(&STATIC.to_le_bytes());
                // The check is that the list takes it.
                out.byte(self.blobs.len() as u8);
                if self.blobs.push(bytes).is_err() {
                    self.fault = Some(Fault::Blobs);
                }
            }
        }
        let (len, fits) = (out.total(), !out.overflowed());
        self.end(len, fits);
    }

    /// Counts a piece that was written, or that would have needed so much.
    fn end(&mut self, len: usize, fits: bool) {
        if fits && self.needed == 0 {
            self.len = self.len.saturating_add(len);
        } else {
            self.needed = self.needed.max(self.len).saturating_add(len);
        }
    }
}

/// Bytes of a tag and of one length.
const PREFIX: usize = 3;

/// The length of a field. A field that does not fit into a result buffer of
/// less than 64 KiB is not kept, so its length does not matter.
fn length(len: usize) -> [u8; 2] {
    u16::try_from(len).unwrap_or(0).to_le_bytes()
}

/// The parts of a result.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    rest: &'a [u8],
    blobs: &'a [&'static [u8]],
    #[cfg(feature = "input")]
    forms: &'a [Form],
}

impl<'a> Pieces<'a> {
    fn bytes(&mut self) -> Option<&'a [u8]> {
        let (len, rest) = self.rest.split_first_chunk::<2>()?;
        match u16::from_le_bytes(*len) {
            STATIC => {
                let (&number, rest) = rest.split_first()?;
                self.rest = rest;
                self.blobs.get(usize::from(number)).copied()
            }
            len => {
                let (field, rest) = rest.split_at_checked(usize::from(len))?;
                self.rest = rest;
                Some(field)
            }
        }
    }

    fn str(&mut self) -> Option<&'a str> {
        core::str::from_utf8(self.bytes()?).ok()
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let (&tag, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match tag {
            TEXT => Piece::Text(self.str()?),
            JSON => Piece::Json(self.bytes()?),
            IMAGE => {
                let mime = self.str()?;
                Piece::Image {
                    data: self.bytes()?,
                    mime,
                }
            }
            AUDIO => {
                let mime = self.str()?;
                Piece::Audio {
                    data: self.bytes()?,
                    mime,
                }
            }
            LINK => Piece::Link {
                uri: self.str()?,
                name: self.str()?,
                mime: self.str()?,
            },
            RESOURCE_TEXT => Piece::ResourceText {
                uri: self.str()?,
                mime: self.str()?,
                text: self.str()?,
            },
            RESOURCE_BLOB => Piece::ResourceBlob {
                uri: self.str()?,
                mime: self.str()?,
                data: self.bytes()?,
            },
            #[cfg(feature = "prompts")]
            ASSISTANT => Piece::Assistant,
            #[cfg(feature = "logging")]
            LOG => {
                let (&level, text) = self.bytes()?.split_first()?;
                Piece::Log {
                    level: Level::of(level)?,
                    text: core::str::from_utf8(text).ok()?,
                }
            }
            #[cfg(feature = "input")]
            ELICIT => Piece::Question {
                key: self.str()?,
                request: InputRequest::Elicit {
                    message: self.str()?,
                    form: *self.forms.get(usize::from(*self.bytes()?.first()?))?,
                },
            },
            #[cfg(feature = "input")]
            SAMPLE => Piece::Question {
                key: self.str()?,
                request: InputRequest::Sample {
                    message: self.str()?,
                    max_tokens: u16::from_le_bytes(*self.bytes()?.first_chunk()?),
                },
            },
            #[cfg(feature = "input")]
            LIST_ROOTS => Piece::Question {
                key: self.str()?,
                request: InputRequest::ListRoots,
            },
            _ => return None,
        })
    }
}

/// A struct that a tool answers; see [`derive@ToolResult`](crate::ToolResult).
///
/// The derive writes `Serialize` too, so that what is sent is what is
/// advertised.
pub trait ToolResult: Serialize {
    /// The members, in the order of the fields.
    const SHAPE: &'static [Param];
    /// Whether every value of the type fits [`SHAPE`](Self::SHAPE), so that
    /// none needs a check before it is sent.
    const EXACT: bool = false;
}

/// A Rust type that may be a member of a [`ToolResult`].
pub trait Output: Serialize {
    /// What values it holds, where a member says nothing narrower.
    const TYPE: Type;
    /// Whether the member is always there. `Option` is left out when `None`.
    const REQUIRED: bool = true;
    /// Whether every value of the type fits [`TYPE`](Self::TYPE).
    const EXACT: bool = false;

    /// Whether this value is left out of the object.
    fn absent(&self) -> bool {
        false
    }
}

macro_rules! output {
    ($($ty:ident: $shape:expr,)*) => { $(
        impl Output for $ty {
            const TYPE: Type = $shape;
            const EXACT: bool = true;
        }
    )* };
}
macro_rules! output_integer {
    ($($ty:ident)*) => { $(
        impl Output for $ty {
            const TYPE: Type = Type::Integer { min: $ty::MIN as i64, max: $ty::MAX as i64 };
            const EXACT: bool = true;
        }
    )* };
}
output_integer!(u8 u16 u32 i8 i16 i32 i64);
output! {
    bool: Type::Boolean,
    u64: Type::Integer { min: 0, max: i64::MAX },
    f32: Type::NUMBER,
    f64: Type::NUMBER,
}

const TEXT_TYPE: Type = Type::String {
    min: 0,
    max: u16::MAX,
};

impl Output for &str {
    const TYPE: Type = TEXT_TYPE;
    const EXACT: bool = true;
}

impl<const N: usize> Output for heapless::String<N> {
    const TYPE: Type = TEXT_TYPE;
    const EXACT: bool = true;
}

impl<T: Output + 'static, const N: usize> Output for heapless::Vec<T, N> {
    const TYPE: Type = Type::Array {
        items: &T::TYPE,
        min: 0,
        max: if N > u16::MAX as usize {
            u16::MAX
        } else {
            N as u16
        },
    };
    const EXACT: bool = T::EXACT;
}

impl<T: Output> Output for Option<T> {
    const TYPE: Type = T::TYPE;
    const EXACT: bool = T::EXACT;
    const REQUIRED: bool = false;

    fn absent(&self) -> bool {
        self.is_none()
    }
}

/// What a handler may return: an [`Answer`], a [`ToolResult`], a `Result` of
/// either with a [`Failure`], `()`, or a [`Poll`](core::task::Poll) of any of
/// them for a tool that takes its time.
pub trait IntoAnswer {
    /// Members of the structured result, if there always is one.
    const SHAPE: Option<&'static [Param]>;
    /// Whether that result always fits; see [`ToolResult::EXACT`].
    const EXACT: bool = false;
    /// Whether "not yet" is among the answers.
    const POLLED: bool = false;

    /// Writes it into the call.
    fn into_answer(self, call: &mut Call<'_>) -> Answer;
}

/// Why a tool could not do what it was asked, in words for the caller.
///
/// A failure of the tool is a result, not an error of the protocol (M-120).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub &'static str);

impl From<&'static str> for Failure {
    fn from(text: &'static str) -> Self {
        Self(text)
    }
}

impl IntoAnswer for Answer {
    const SHAPE: Option<&'static [Param]> = None;

    fn into_answer(self, _: &mut Call<'_>) -> Answer {
        self
    }
}

impl IntoAnswer for () {
    const SHAPE: Option<&'static [Param]> = None;

    fn into_answer(self, call: &mut Call<'_>) -> Answer {
        call.text("done")
    }
}

impl<T: ToolResult> IntoAnswer for T {
    const SHAPE: Option<&'static [Param]> = Some(T::SHAPE);
    const EXACT: bool = T::EXACT;

    fn into_answer(self, call: &mut Call<'_>) -> Answer {
        call.structured(&self)
    }
}

impl<T: IntoAnswer> IntoAnswer for Result<T, Failure> {
    const SHAPE: Option<&'static [Param]> = T::SHAPE;
    const EXACT: bool = T::EXACT;
    const POLLED: bool = T::POLLED;

    fn into_answer(self, call: &mut Call<'_>) -> Answer {
        match self {
            Ok(value) => value.into_answer(call),
            Err(Failure(text)) => call.fail(text),
        }
    }
}

impl<T: IntoAnswer> IntoAnswer for core::task::Poll<T> {
    const SHAPE: Option<&'static [Param]> = T::SHAPE;
    const EXACT: bool = T::EXACT;
    const POLLED: bool = true;

    fn into_answer(self, call: &mut Call<'_>) -> Answer {
        match self {
            Self::Ready(value) => value.into_answer(call),
            Self::Pending => Answer::PENDING,
        }
    }
}
