//! Which headers a modern request carries, and what they must say
//! (section F).

use super::code::Fault;
use super::request::{Headers, Session};
use super::revision::Version;
use crate::buf::Span;
use crate::buf::base64::value;
use crate::frame::http::{Field, Head, is_visible_ascii};
use crate::json::{Text, Value};
use crate::limits::NAME_CHARS;
use crate::tool::{Tool, Type};

const VERSION: &str = "MCP-Protocol-Version";
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";
const PARAM: &str = "Mcp-Param-";
/// Names the session of a client of the legacy era (M-184).
#[cfg(feature = "sessions")]
pub(crate) const SESSION: &str = "Mcp-Session-Id";

impl<'a> Headers<'a> {
    /// The protocol's headers of a request.
    pub(crate) fn of(head: &'a Head, bytes: &'a [u8]) -> Self {
        Self {
            version: head.field(bytes, Field::McpProtocolVersion),
            method: head.field(bytes, Field::McpMethod),
            name: head.field(bytes, Field::McpName),
            twice: [
                (Field::McpProtocolVersion, VERSION),
                (Field::McpMethod, METHOD),
                (Field::McpName, NAME),
            ]
            .into_iter()
            .find_map(|(field, name)| head.is_repeated(field).then_some(name)),
            head,
            bytes,
            #[cfg(feature = "sessions")]
            session: None,
        }
    }

    /// The same, with the session that they name.
    #[cfg(feature = "sessions")]
    pub(crate) fn with(mut self, session: Option<Session>) -> Self {
        self.session = session;
        self
    }

    /// What the session of the request agreed on.
    #[cfg(feature = "sessions")]
    pub(super) fn agreed(&self) -> Option<Session> {
        self.session
    }

    /// Without sessions, nothing is remembered (M-026).
    #[cfg(not(feature = "sessions"))]
    pub(super) fn agreed(&self) -> Option<Session> {
        None
    }

    /// The version of a request of the legacy era that does not tell it.
    pub(super) fn untold(&self) -> Version {
        self.agreed()
            .map_or(Version::UNTOLD, |session| session.version)
    }

    /// The id of the session that the request names; `Some(None)` if it names
    /// several.
    #[cfg(feature = "sessions")]
    pub(crate) fn session_id(&self) -> Option<Option<&'a [u8]>> {
        let mut lines = self.head.named(self.bytes, SESSION.as_bytes());
        let id = lines.next()?;
        Some(lines.next().is_none().then_some(id))
    }

    /// Whether a request with these headers may be an array (M-197).
    pub(crate) fn may_batch(&self) -> bool {
        match self.version {
            None => self.untold().has_batches(),
            Some(name) => {
                let agreed = self.agreed();
                Version::of_bytes(name).is_some_and(Version::has_batches)
                    && agreed.is_none_or(|session| session.version.has_batches())
            }
        }
    }

    /// Whether the version, if it is told, is one of the legacy era that is
    /// spoken (M-183).
    #[cfg(feature = "sessions")]
    pub(crate) fn speaks_legacy(&self) -> bool {
        self.version
            .is_none_or(|name| Version::of_bytes(name).is_some_and(|version| !version.is_modern()))
    }

    /// Whether the version header names the modern era.
    #[cfg(feature = "sessions")]
    pub(crate) fn is_modern(&self) -> bool {
        self.version
            .and_then(Version::of_bytes)
            .is_some_and(Version::is_modern)
    }
}

/// Steps 6 and 7: the version header is there, and says what the body says
/// if the body says anything (M-063, M-071, M-072).
pub(super) fn version(
    buf: &[u8],
    headers: &Headers<'_>,
    body: Option<Text<'_>>,
) -> Result<(), Fault> {
    if let Some(header) = headers.twice {
        return Err(Fault::HeaderText(header));
    }
    let says = readable(VERSION, headers.version)?;
    match body {
        Some(body) if !is_bytes(body, says) => Err(mismatch(buf, VERSION, says, body)),
        _ => Ok(()),
    }
}

/// Step 10 (M-064).
pub(super) fn method(buf: &[u8], headers: &Headers<'_>, body: Text<'_>) -> Result<(), Fault> {
    let says = readable(METHOD, headers.method)?;
    if is_bytes(body, says) {
        Ok(())
    } else {
        Err(mismatch(buf, METHOD, says, body))
    }
}

/// Step 11 (M-065); a body without a name is left to the next steps.
pub(super) fn name(buf: &[u8], headers: &Headers<'_>, body: Option<Text<'_>>) -> Result<(), Fault> {
    let says = readable(NAME, headers.name)?;
    match body {
        Some(body) => match equals(says, body) {
            Ok(true) => Ok(()),
            Ok(false) => Err(mismatch(buf, NAME, says, body)),
            Err(BadBase64) => Err(Fault::HeaderText(NAME)),
        },
        None => Ok(()),
    }
}

/// Step 14: the headers in which a client repeats arguments (M-075, M-076).
pub(super) fn params(
    tool: &Tool,
    headers: &Headers<'_>,
    arguments: Option<Value<'_>>,
) -> Result<(), Fault> {
    for param in tool.params() {
        let Some(header) = param.header else { continue };
        let fault = |missing| Err(Fault::ParamHeader { header, missing });
        let mut name = heapless::String::<{ PARAM.len() + NAME_CHARS }>::new();
        // `verify` keeps header names as short as other names.
        let _ = name.push_str(PARAM).and_then(|()| name.push_str(header));
        let mut lines = headers.head.named(headers.bytes, name.as_bytes());
        let says = lines.next();
        if lines.next().is_some() || says.is_some_and(|says| !is_visible_ascii(says)) {
            return fault(false);
        }
        let value = arguments
            .and_then(|arguments| arguments.member(param.name))
            .filter(|value| !value.is_null());
        match (value, says) {
            (None, None) => {}
            (None, Some(_)) => return fault(false),
            (Some(_), None) => return fault(true),
            (Some(value), Some(says)) => {
                if !matches!(same(&param.ty, value, says), Ok(true)) {
                    return fault(false);
                }
            }
        }
    }
    Ok(())
}

/// Whether a header says what a value says. A value of the wrong type passes:
/// the check of the arguments has better words for it.
fn same(ty: &Type, value: Value<'_>, says: &[u8]) -> Result<bool, BadBase64> {
    if let Some(text) = value.as_text() {
        return equals(says, text);
    }
    match ty {
        Type::Integer { .. } => {
            let Some(number) = value.as_number() else {
                return Ok(true);
            };
            let says = crate::json::parse(says).ok().and_then(Value::as_number);
            // Numerically, so that 42.0 is 42 (M-076).
            Ok(
                says.is_some_and(|says| match (says.as_i64(), number.as_i64()) {
                    (Ok(says), Ok(number)) => says == number,
                    _ => says.raw() == number.raw(),
                }),
            )
        }
        _ => Ok(value.as_bool().is_none() || says == value.raw()),
    }
}

/// A required header, of characters that it may have (M-066, M-070).
fn readable<'a>(header: &'static str, says: Option<&'a [u8]>) -> Result<&'a [u8], Fault> {
    match says {
        None => Err(Fault::HeaderMissing(header)),
        Some(says) if !is_visible_ascii(says) => Err(Fault::HeaderText(header)),
        Some(says) => Ok(says),
    }
}

#[cfg_attr(target_pointer_width = "32", inline(never))]
fn mismatch(buf: &[u8], header: &'static str, says: &[u8], body: Text<'_>) -> Fault {
    Fault::HeaderMismatch {
        header,
        says: Span::of(buf, says),
        body: Span::of(buf, body.raw()),
    }
}

fn is_bytes(text: Text<'_>, bytes: &[u8]) -> bool {
    core::str::from_utf8(bytes).is_ok_and(|bytes| text.is(bytes))
}

/// Base64 between the markers that is none (M-069).
struct BadBase64;

/// Whether a header value is a text, written as it is or as base64 between
/// the markers `=?base64?` and `?=`, which are matched exactly (M-068).
fn equals(says: &[u8], text: Text<'_>) -> Result<bool, BadBase64> {
    match says
        .strip_prefix(b"=?base64?")
        .and_then(|inner| inner.strip_suffix(b"?="))
    {
        Some(encoded) => base64_equals(encoded, text),
        None => Ok(is_bytes(text, says)),
    }
}

/// Compares while decoding, without a buffer; all of `encoded` is checked
/// even after a difference.
fn base64_equals(encoded: &[u8], text: Text<'_>) -> Result<bool, BadBase64> {
    let mut chars = text.chars();
    // The UTF-8 of the character that is being compared.
    let mut utf8 = [0u8; 4];
    let (mut at, mut len) = (0, 0);
    let mut equal = true;
    let mut compare = |byte: u8| {
        if at == len {
            (at, len) = match chars.next() {
                Some(c) => (0, c.encode_utf8(&mut utf8).len()),
                None => (0, 0),
            };
        }
        equal &= at < len && utf8.get(at) == Some(&byte);
        at = (at + 1).min(len);
    };
    let (groups, rest) = encoded.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(BadBase64);
    }
    let last = groups.len().saturating_sub(1);
    for (i, group) in groups.iter().enumerate() {
        let pad = match group {
            [.., b'=', b'='] if i == last => 2,
            [.., b'='] if i == last => 1,
            _ => 0,
        };
        let mut bits: u32 = 0;
        for &b in group.iter().take(4 - pad) {
            bits = bits << 6 | u32::from(value(b).ok_or(BadBase64)?);
        }
        // Bits that stand for no byte must be zero, or one text would have
        // several spellings.
        let (bytes, spare) = match pad {
            0 => (3, 0),
            1 => (2, 2),
            _ => (1, 4),
        };
        if bits & ((1 << spare) - 1) != 0 {
            return Err(BadBase64);
        }
        let [_, decoded @ ..] = (bits << (6 * pad)).to_be_bytes();
        for &byte in decoded.iter().take(bytes) {
            compare(byte);
        }
    }
    let complete = at == len;
    Ok(equal && complete && chars.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::equals;
    use crate::json::Text;

    fn is(says: &str, text: &str) -> Option<bool> {
        equals(says.as_bytes(), Text::checked(text.as_bytes())).ok()
    }

    #[test]
    fn base64_is_read_strictly() {
        assert_eq!(is("=?base64?SGVsbG8=?=", "Hello"), Some(true));
        assert_eq!(is("=?base64?SGVsbG8=?=", "Hello!"), Some(false));
        assert_eq!(is("=?base64?SGVsbG8=?=", "Hell"), Some(false));
        assert_eq!(is("=?base64?w6k=?=", "é"), Some(true));
        assert_eq!(is("=?base64?w6k=?=", "\\u00e9"), Some(true));
        assert_eq!(is("=?base64?w6k=?=", "è"), Some(false));
        assert_eq!(is("=?base64??=", ""), Some(true));
        // M-069: wrong padding, alien characters, spare bits.
        assert_eq!(is("=?base64?SGVsbG8?=", "Hello"), None);
        assert_eq!(is("=?base64?SGVs!!!bG8=?=", "Hello"), None);
        assert_eq!(is("=?base64?SGVsbG9=?=", "Hello"), None);
        assert_eq!(is("=?base64?SG==bG8=?=", "Hello"), None);
        assert_eq!(is("=?base64?=AAA?=", "x"), None);
        // M-068: without the exact markers it is a literal.
        assert_eq!(is("SGVsbG8=", "Hello"), Some(false));
        assert_eq!(is("=?BASE64?SGVsbG8=?=", "Hello"), Some(false));
        assert_eq!(is("=?base64?SGVsbG8=", "=?base64?SGVsbG8="), Some(true));
    }
}
