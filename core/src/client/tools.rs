//! `tools/call` of MCP in both of its eras, and what opens a session.

use super::members::{Wrong, member, needed, object, of_kind, wrong};
use super::request::{Call, Object, check_object, open};
use crate::buf::Sink;
use crate::frame::http::{header, is_visible_ascii};
use crate::json::{Elements, Kind, Text, Value, write};
use crate::mcp::Version;

/// The header that names a session of the legacy era (M-184).
pub const SESSION: &str = "Mcp-Session-Id";

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct CallTool<'a> {
    /// The revision that is spoken: [`Version::V2026_07_28`], or what the
    /// server has agreed on (see [`agreed`]).
    pub version: Version,
    /// The id of the session, if the server has opened one
    /// ([`Response::session`](super::Response::session)); empty for none.
    pub session: &'a str,
    /// The name of the tool.
    pub name: &'a str,
    /// The arguments: a JSON object, or empty for none.
    pub arguments: &'a [u8],
}

impl Call for CallTool<'_> {
    fn check(&self) -> Result<(), Wrong> {
        // `Mcp-Name` would say something else (M-066 to M-068).
        let plain = !self.name.is_empty()
            && is_visible_ascii(self.name.as_bytes())
            && self.name.trim().len() == self.name.len()
            && !self.name.starts_with("=?base64?");
        if !plain {
            return Err(wrong("name", "is not visible ASCII"));
        }
        check_session(self.session)?;
        check_object(self.arguments, "arguments")
    }

    fn head(&self, out: &mut Sink<'_>) {
        put_version(out, self.version, self.session);
        if self.version.is_modern() {
            header(out, "Mcp-Method", b"tools/call");
            header(out, "Mcp-Name", self.name.as_bytes());
        }
    }

    fn body(&self, id: u32, out: &mut Sink<'_>) {
        open(out, id, "tools/call");
        let mut params = Object::open(out);
        params.text("name", self.name);
        params.json("arguments", self.arguments);
        if self.version.is_modern() {
            // M-020. Nothing is offered, so nothing is asked back.
            let mut meta = Object::open(params.member("_meta"));
            meta.text(
                "io.modelcontextprotocol/protocolVersion",
                self.version.text(),
            );
            meta.member("io.modelcontextprotocol/clientCapabilities")
                .text("{}");
            meta.close();
        }
        params.close();
        out.byte(b'}');
    }
}

/// Opens a session with a server of the legacy era (M-177): the first request
/// on a connection, or the first of a session over HTTP.
#[derive(Clone, Copy, Debug)]
pub struct Initialize<'a> {
    /// The revision that is asked for, of the legacy era.
    pub version: Version,
    /// The name of the device.
    pub name: &'a str,
    /// The version of its firmware.
    pub firmware: &'a str,
}

impl Call for Initialize<'_> {
    fn check(&self) -> Result<(), Wrong> {
        match self.version.is_modern() {
            true => Err(wrong("version", "has no sessions")),
            false => Ok(()),
        }
    }

    fn head(&self, _: &mut Sink<'_>) {}

    fn body(&self, id: u32, out: &mut Sink<'_>) {
        open(out, id, "initialize");
        let mut params = Object::open(out);
        params.text("protocolVersion", self.version.text());
        params.member("capabilities").text("{}");
        let mut info = Object::open(params.member("clientInfo"));
        write::string(info.member("name"), self.name);
        write::string(info.member("version"), self.firmware);
        info.close();
        params.close();
        out.byte(b'}');
    }
}

/// Tells the server that the session is open, behind the answer to
/// [`Initialize`]. It has no answer but [`Reply::Nothing`](super::Reply).
#[derive(Clone, Copy, Debug)]
pub struct Initialized<'a> {
    /// The revision that was agreed on.
    pub version: Version,
    /// The id of the session, or empty.
    pub session: &'a str,
}

impl Call for Initialized<'_> {
    fn check(&self) -> Result<(), Wrong> {
        check_session(self.session)
    }

    fn head(&self, out: &mut Sink<'_>) {
        put_version(out, self.version, self.session);
    }

    fn body(&self, _: u32, out: &mut Sink<'_>) {
        out.text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    }
}

fn check_session(session: &str) -> Result<(), Wrong> {
    match is_visible_ascii(session.as_bytes()) {
        true => Ok(()),
        false => Err(wrong("session", "is not visible ASCII")),
    }
}

/// M-063, M-183, M-184.
fn put_version(out: &mut Sink<'_>, version: Version, session: &str) {
    header(out, "MCP-Protocol-Version", version.text().as_bytes());
    if !version.is_modern() && !session.is_empty() {
        header(out, SESSION, session.as_bytes());
    }
}

/// The revision that the result of an [`Initialize`] agrees on.
///
/// # Errors
/// It names none, or one that this client does not speak: then close.
pub fn agreed(result: Value<'_>) -> Result<Version, Wrong> {
    let name = needed(result, "protocolVersion", "result.protocolVersion")?;
    Version::ALL
        .into_iter()
        .find(|version| !version.is_modern() && name.is(version.text()))
        .ok_or(wrong("result.protocolVersion", "is not spoken here"))
}

/// The result of a [`CallTool`].
#[derive(Clone, Copy, Debug)]
pub struct ToolResult<'a> {
    /// The tool says that it failed; the texts say why.
    pub is_error: bool,
    /// The result as JSON, if the tool gives one.
    pub structured: Option<Value<'a>>,
    content: &'a [u8],
}

impl<'a> ToolResult<'a> {
    /// Reads a result; members that are not known are passed over.
    ///
    /// # Errors
    /// A member that is missing, stands twice, or is of another type, or a
    /// result that is not complete: a question, a task (M-040).
    pub fn read(result: Value<'a>, version: Version) -> Result<Self, Wrong> {
        object(result, "result")?;
        if version.is_modern() && !needed(result, "resultType", "result.resultType")?.is("complete")
        {
            return Err(wrong("result.resultType", "is not complete"));
        }
        let failed = of_kind(result, "isError", "result.isError", Kind::Boolean)?;
        let content = of_kind(result, "content", "result.content", Kind::Array)?;
        Ok(Self {
            is_error: failed.and_then(Value::as_bool).unwrap_or(false),
            structured: member(result, "structuredContent", "result.structuredContent")?,
            content: content
                .ok_or(wrong("result.content", "is missing"))?
                .elements()
                .rest(),
        })
    }

    /// The texts of its content, in order. Sound, pictures and links are
    /// passed over.
    pub fn texts(&self) -> Items<'a> {
        Items {
            rest: Elements::resume(self.content),
        }
    }
}

/// The texts of a [`ToolResult`].
#[derive(Clone, Debug)]
pub struct Items<'a> {
    rest: Elements<'a>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<Text<'a>, Wrong>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let item = self.rest.next()?;
            let read = || {
                object(item, "result.content")?;
                if !needed(item, "type", "result.content.type")?.is("text") {
                    return Ok(None);
                }
                let text = of_kind(item, "text", "result.content.text", Kind::String)?;
                text.and_then(Value::as_text)
                    .ok_or(wrong("result.content.text", "is missing"))
                    .map(Some)
            };
            match read() {
                Ok(None) => {}
                Ok(Some(text)) => return Some(Ok(text)),
                Err(wrong) => return Some(Err(wrong)),
            }
        }
    }
}
