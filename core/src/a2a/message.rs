//! A message of a client: read and checked before anything happens, then put
//! into the log of a task as pieces that belong to no wire.

use super::choices::{FILE_BYTES, FILE_URI, ROLE_USER};
use super::code::Fault;
use super::era::Wire;
use super::read::{Object, wrong};
use crate::buf::base64::{text_bytes, text_len};
use crate::json::{Kind, Text, Value};
use crate::limits::{KEY_BYTES, METADATA_BYTES};
use crate::task::{Extra, Kind as Content, Pieces};

/// A message that was found right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub(super) id: Text<'a>,
    pub(super) task: Option<Text<'a>>,
    pub(super) context: Option<Text<'a>>,
    /// Bytes of its pieces.
    pub(super) bytes: usize,
    object: Object<'a>,
    parts: Value<'a>,
    wire: Wire,
}

impl<'a> Message<'a> {
    /// Reads the message of `params`.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub(super) fn read(params: &Object<'a>, wire: Wire) -> Result<Self, Fault> {
        let value = params
            .set("message", "message")?
            .ok_or(wrong("message", "is missing"))?;
        let object = params.within(Some(value), "message")?;
        let key = |name, field| {
            let text = object.text(name, field)?;
            if text.is_some_and(|text| text.raw().len() > KEY_BYTES) {
                return Err(wrong(field, "is longer than 128 bytes"));
            }
            Ok(text)
        };
        let id = key("messageId", "message.messageId")?
            .ok_or(wrong("message.messageId", "is missing"))?;
        role(&object, wire)?;
        let context = key("contextId", "message.contextId")?;
        let task = object.text("taskId", "message.taskId")?;
        let parts = object
            .set("parts", "message.parts")?
            .ok_or(wrong("message.parts", "is missing"))?;
        if parts.kind() != Kind::Array {
            return Err(wrong("message.parts", "must be a list"));
        }
        if parts.elements().next().is_none() {
            return Err(wrong("message.parts", "must have a part"));
        }
        let mut message = Self {
            id,
            task,
            context,
            bytes: 0,
            object,
            parts,
            wire,
        };
        let mut count = Pieces::counter();
        message.put(&mut count)?;
        if let Pieces::Write(sink) = &count {
            message.bytes = sink.total();
        }
        Ok(message)
    }

    /// Puts the message into the log of a task: what is the same whenever the
    /// same message is sent again.
    pub(super) fn write(&self, pieces: &mut Pieces<'_>) {
        // It was found right when it was read.
        let _ = self.put(pieces);
    }

    fn put(&self, pieces: &mut Pieces<'_>) -> Result<(), Fault> {
        let metadata = self.object.json("metadata", "message.metadata")?;
        if metadata.len() > METADATA_BYTES {
            return Err(wrong("message.metadata", "is longer than 1024 bytes"));
        }
        if !metadata.is_empty() {
            pieces.extra(Extra::Metadata, metadata);
        }
        for (name, field, extra) in [
            ("extensions", "message.extensions", Extra::Extensions),
            (
                "referenceTaskIds",
                "message.referenceTaskIds",
                Extra::References,
            ),
        ] {
            if let Some(list) = self.object.texts(name, field)? {
                pieces.extra(extra, list.raw());
            }
        }
        for (at, part) in self.parts.elements().enumerate() {
            let at = u8::try_from(at).unwrap_or(u8::MAX);
            Part::read(&self.object, part, at, self.wire)?.put(pieces);
        }
        Ok(())
    }

    /// The parts, each found right.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'a>> {
        let (message, wire) = (self.object, self.wire);
        self.parts
            .elements()
            .map_while(move |part| Part::read(&message, part, 0, wire).ok())
    }

    /// What the message says under this name in its metadata.
    pub(super) fn metadata_text(&self, name: &str) -> Option<Text<'a>> {
        let metadata = self.object.json("metadata", "").ok()?;
        Value::checked(metadata).member(name)?.as_text()
    }

    /// Whether the message names an extension: in its list, or as a name in
    /// its metadata.
    #[cfg(feature = "extensions")]
    pub(super) fn names(&self, uri: &str) -> bool {
        let list = self.object.texts("extensions", "").ok().flatten();
        let mut listed = list.into_iter().flat_map(Value::elements);
        let metadata = self.object.json("metadata", "").unwrap_or(&[]);
        listed.any(|one| one.as_text().is_some_and(|text| text.is(uri)))
            || !metadata.is_empty() && Value::checked(metadata).member(uri).is_some()
    }
}

/// The role is that of the user, in the spelling of the wire (A-053, A-065,
/// V-002).
fn role(object: &Object<'_>, wire: Wire) -> Result<(), Fault> {
    const FIELD: &str = "message.role";
    let role = object
        .set("role", FIELD)?
        .ok_or(wrong(FIELD, "is missing"))?;
    let fine = match wire {
        Wire::V1 => {
            role.as_text().is_some_and(|role| role.is(ROLE_USER))
                || role.as_number().is_some_and(|role| role.as_i64() == Ok(1))
        }
        Wire::V03 => role.as_text().is_some_and(|role| role.is("user")),
    };
    match (fine, wire) {
        (true, _) => Ok(()),
        (false, Wire::V1) => Err(wrong(FIELD, "must be ROLE_USER")),
        (false, Wire::V03) => Err(wrong(FIELD, "must be user")),
    }
}

/// One part of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) content: Content,
    value: Value<'a>,
    pub(super) media_type: Option<Text<'a>>,
    filename: Option<Text<'a>>,
    metadata: &'a [u8],
}

impl<'a> Part<'a> {
    fn read(message: &Object<'a>, value: Value<'a>, at: u8, wire: Wire) -> Result<Self, Fault> {
        // Members name their part.
        Self::of(message, value, wire).map_err(|fault| match fault {
            Fault::Params { field, why } => Fault::Part {
                at,
                member: field,
                why,
            },
            other => other,
        })
    }

    fn of(message: &Object<'a>, value: Value<'a>, wire: Wire) -> Result<Self, Fault> {
        let object = message.within(Some(value), "")?;
        let (content, value, names) = match wire {
            Wire::V1 => new_content(&object)?,
            Wire::V03 => old_content(&object)?,
        };
        let member = match content {
            Content::Text => "text",
            Content::Raw => "raw",
            Content::Url => "url",
            Content::Data => "data",
        };
        match (content, value.as_text()) {
            (Content::Text | Content::Raw | Content::Url, None) => {
                return Err(wrong(member, "must be a string"));
            }
            (Content::Raw, Some(text)) if text_len(text.chars()).is_none() => {
                return Err(wrong(member, "is not base64"));
            }
            (Content::Data, _) if wire == Wire::V03 && value.kind() != Kind::Object => {
                return Err(wrong(member, "must be an object"));
            }
            _ => {}
        }
        let names = names.unwrap_or(object);
        let (media_type, filename) = match wire {
            Wire::V1 => ("mediaType", "filename"),
            Wire::V03 => ("mimeType", "name"),
        };
        Ok(Self {
            content,
            value,
            media_type: names.text(media_type, media_type)?,
            filename: names.text(filename, filename)?,
            metadata: object.json("metadata", "metadata")?,
        })
    }

    fn put(&self, pieces: &mut Pieces<'_>) {
        match (self.content, self.value.as_text()) {
            (Content::Raw, Some(text)) => {
                pieces.part_bytes(
                    text_len(text.chars()).unwrap_or(0),
                    text_bytes(text.chars()),
                );
            }
            (Content::Data, _) | (_, None) => pieces.part(self.content, self.value.raw()),
            (kind, Some(text)) => pieces.part_text(kind, text),
        }
        if let Some(text) = self.media_type {
            pieces.extra_text(Extra::MediaType, text);
        }
        if let Some(text) = self.filename {
            pieces.extra_text(Extra::Filename, text);
        }
        if !self.metadata.is_empty() {
            pieces.extra(Extra::PartMetadata, self.metadata);
        }
    }

    /// Its text, if it is one.
    pub(super) fn text(&self) -> Option<Text<'a>> {
        match self.content {
            Content::Text => self.value.as_text(),
            _ => None,
        }
    }
}

/// What a part holds, and the object that says what it is called, if that is
/// another.
type Found<'a> = (Content, Value<'a>, Option<Object<'a>>);

/// Exactly one of four members. `null` is content only of `data`.
fn new_content<'a>(object: &Object<'a>) -> Result<Found<'a>, Fault> {
    let mut found = None;
    for (name, content) in [
        ("text", Content::Text),
        ("raw", Content::Raw),
        ("url", Content::Url),
        ("data", Content::Data),
    ] {
        let value = match content {
            Content::Data => object.member(name, "data")?,
            _ => object.set(name, "")?,
        };
        if let Some(value) = value
            && found.replace((content, value, None)).is_some()
        {
            return Err(wrong("", "has two contents"));
        }
    }
    found.ok_or(wrong("", "has none of text, raw, url, data"))
}

/// The content of the kind that is told, or that can be told from the
/// members (V-003, V-004).
fn old_content<'a>(object: &Object<'a>) -> Result<Found<'a>, Fault> {
    let kind = match object.text("kind", "kind")? {
        // Its name in drafts before 0.2.
        None => object.text("type", "type")?,
        kind => kind,
    };
    let is = |name| kind.is_none_or(|kind| kind.is(name));
    if is("text")
        && let Some(text) = object.set("text", "text")?
    {
        return Ok((Content::Text, text, None));
    }
    if is("data")
        && let Some(data) = object.set("data", "data")?
    {
        return Ok((Content::Data, data, None));
    }
    if is("file")
        && let Some(file) = object.set("file", "file")?
    {
        let file = object.within(Some(file), "file")?;
        let bytes = file.set(FILE_BYTES, "file.bytes")?;
        let uri = match file.set(FILE_URI, "file.uri")? {
            // As a test kit writes it.
            None => file.set("url", "file.uri")?,
            uri => uri,
        };
        return match (bytes, uri) {
            (Some(bytes), None) => Ok((Content::Raw, bytes, Some(file))),
            (None, Some(uri)) => Ok((Content::Url, uri, Some(file))),
            (Some(_), Some(_)) => Err(wrong("file", "has both bytes and uri")),
            (None, None) => Err(wrong("file", "has neither bytes nor uri")),
        };
    }
    Err(match kind {
        Some(kind) if !(kind.is("text") || kind.is("data") || kind.is("file")) => {
            wrong("kind", "must be text, file or data")
        }
        Some(_) => wrong("", "lacks the member of its kind"),
        None => wrong("", "has none of text, file, data"),
    })
}
