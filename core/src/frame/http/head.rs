//! A whole request head: its checks, and what it says.

use super::authority::Authority;
use super::body::BodyLength;
use super::field::{
    Field, Known, Parts, alike, is_token, is_value_byte, split_once, token_listed, trim,
};
use super::media::Accept;
use super::response::Connection;
use crate::buf::Span;
use crate::limits;

/// A checked request head: places in the bytes it was read from.
///
/// Each method that returns bytes takes the same bytes again. About 100 bytes
/// of RAM.
#[derive(Clone, Debug)]
pub struct Head {
    /// Method.
    pub method: Method,
    /// Version of the peer.
    pub version: Version,
    /// How the end of the body is told.
    pub body: BodyLength,
    /// The peer waits for [`super::CONTINUE`] before it sends the body.
    pub expect_continue: bool,
    /// The peer keeps the connection open for the next request.
    pub keep_alive: bool,
    path: Span,
    query: Span,
    authority: Span,
    lines: Span,
    fields: [Span; Field::COUNT],
    /// A bit for each known field that stands in more than one line.
    repeated: u32,
}

/// A request method; methods are compared in their exact case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`
    Get,
    /// `HEAD`
    Head,
    /// `POST`
    Post,
    /// `DELETE`
    Delete,
    /// `OPTIONS`
    Options,
    /// Any other token.
    Other,
}

/// A version that is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0: no chunks, and the connection closes unless asked to stay.
    Http10,
    /// HTTP/1.1
    Http11,
}

/// Why a head is refused. Answer with [`status`](Self::status) and close: the
/// place of the next request is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadError {
    /// More empty lines than [`limits::HTTP_EMPTY_LINES`].
    EmptyLines,
    /// Not `METHOD SP target SP version`.
    RequestLine,
    /// A method longer than [`limits::HTTP_METHOD_BYTES`].
    Method,
    /// A target that is neither a path, a URL nor `*` with `OPTIONS`, or has
    /// characters that no URL has.
    Target,
    /// A target longer than [`limits::HTTP_TARGET_BYTES`], or a request line
    /// longer than the head buffer.
    TargetLong,
    /// A version other than 1.0 and 1.1.
    Version,
    /// A CR or LF that is not part of a CR LF.
    LineEnd,
    /// The text does not end with its first empty line.
    Incomplete,
    /// A head longer than its buffer, or than 64 KiB - 1.
    HeadLong,
    /// More header lines than [`limits::HTTP_FIELDS`].
    FieldsMany,
    /// A header line that begins with a space or tab.
    Folded,
    /// A header line without a name, without a colon, or with a name that is
    /// not a token (a space before the colon too).
    Name,
    /// A control character in a value.
    Value,
    /// A second line of a header that has one value.
    Repeated(Field),
    /// HTTP/1.1 without `Host`.
    HostMissing,
    /// A `Host` that is not one host with an optional port.
    Host,
    /// A `Content-Length` that is not one decimal number.
    Length,
    /// `Content-Length` beside `Transfer-Encoding`.
    LengthAndCoding,
    /// A transfer coding other than `chunked` alone.
    Coding,
    /// `Transfer-Encoding` in HTTP/1.0.
    CodingVersion,
    /// An expectation other than `100-continue`.
    Expectation,
}

impl HeadError {
    /// The HTTP status of the answer.
    pub fn status(self) -> u16 {
        match self {
            Self::TargetLong => 414,
            Self::Expectation => 417,
            Self::HeadLong | Self::FieldsMany => 431,
            Self::Method | Self::Coding => 501,
            Self::Version => 505,
            _ => 400,
        }
    }

    /// What was wrong and where, in one sentence without its full stop.
    pub fn text(self) -> &'static str {
        match self {
            Self::EmptyLines => "too many empty lines before the request line",
            Self::RequestLine => "the request line is not METHOD, target and HTTP version",
            Self::Method => "the method in the request line is too long",
            Self::Target => "the target in the request line is malformed",
            Self::TargetLong => "the target in the request line is too long",
            Self::Version => "the version in the request line is neither HTTP/1.1 nor HTTP/1.0",
            Self::LineEnd => "a line of the head does not end with CR LF",
            Self::Incomplete => "the head does not end with an empty line",
            Self::HeadLong => "the header lines are too long together",
            Self::FieldsMany => "too many header lines",
            Self::Folded => "a header line begins with a space",
            Self::Name => "a header line does not begin with a name and a colon",
            Self::Value => "a header value has a control character",
            Self::Repeated(_) => "a header that may stand once is repeated",
            Self::HostMissing => "the Host header is missing",
            Self::Host => "the Host header is not one host with an optional port",
            Self::Length => "the Content-Length header is not one decimal number",
            Self::LengthAndCoding => "Content-Length and Transfer-Encoding exclude each other",
            Self::Coding => "the Transfer-Encoding header is not chunked",
            Self::CodingVersion => "HTTP/1.0 has no Transfer-Encoding",
            Self::Expectation => "the Expect header is not 100-continue",
        }
    }
}

/// Reads a whole head, its final empty line included (see [`super::HeadEnd`]).
///
/// Header names compare in any case, values lose the spaces and tabs around
/// them (M-067); a path is kept as sent, without decoding.
///
/// Bound: each byte is read at most four times; each header name is compared
/// with the known names.
/// Refuses: see [`HeadError`].
pub fn parse(head: &[u8]) -> Result<Head, HeadError> {
    if head.len() > usize::from(u16::MAX) {
        return Err(HeadError::HeadLong);
    }
    let mut rest = head;
    for _ in 0..limits::HTTP_EMPTY_LINES {
        rest = rest.strip_prefix(b"\r\n").unwrap_or(rest);
    }
    let (line, mut rest) = next_line(rest)?;
    if line.is_empty() {
        return Err(HeadError::EmptyLines);
    }
    let mut out = request_line(head, line)?;
    out.lines = Span::of(head, rest);
    let mut connection = Wish::default();
    let mut lines = 0usize;
    loop {
        let (line, after) = next_line(rest)?;
        rest = after;
        if line.is_empty() {
            break;
        }
        lines = lines.saturating_add(1);
        if lines > limits::HTTP_FIELDS {
            return Err(HeadError::FieldsMany);
        }
        let (name, value) = field_line(line)?;
        let Some(known) = Field::find(name) else {
            continue;
        };
        if known.field == Field::Connection {
            connection.line(value);
        }
        out.note(known, Span::of(head, value))?;
    }
    if !rest.is_empty() {
        return Err(HeadError::Incomplete);
    }
    out.keep_alive = !connection.close && (connection.keep_alive || out.version == Version::Http11);
    out.check(head)?;
    Ok(out)
}

impl Head {
    /// The path as sent, without the query; `/` where a URL has no path, `*`
    /// for `OPTIONS *`.
    pub fn path<'h>(&self, head: &'h [u8]) -> &'h [u8] {
        match self.path.get(head) {
            [] => b"/",
            path => path,
        }
    }

    /// Whether the path is `path`, with or without one slash behind it.
    ///
    /// The comparison is exact: `%6Dcp` is not `mcp`, `//mcp` is not `/mcp`.
    pub fn path_is(&self, head: &[u8], path: &str) -> bool {
        let sent = self.path(head);
        sent == path.as_bytes() || sent.strip_suffix(b"/") == Some(path.as_bytes())
    }

    /// The text after the first `?` of the target.
    pub fn query<'h>(&self, head: &'h [u8]) -> Option<&'h [u8]> {
        present(self.query, head)
    }

    /// The host that is addressed: of the URL, if the target is one (RFC 9112
    /// section 3.2.2), else of `Host`. Empty or absent in HTTP/1.0 only, or
    /// where `Host` is empty.
    pub fn host<'h>(&self, head: &'h [u8]) -> Option<&'h [u8]> {
        present(self.authority, head).or_else(|| self.field(head, Field::Host))
    }

    /// The value of a known field, without the spaces around it; of a list,
    /// the first line.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub fn field<'h>(&self, head: &'h [u8], field: Field) -> Option<&'h [u8]> {
        present(self.span(field), head)
    }

    /// Where [`field`](Self::field) stands.
    pub fn span(&self, field: Field) -> Span {
        self.fields
            .get(field as usize)
            .copied()
            .unwrap_or(Span::EMPTY)
    }

    /// The values of all lines of a name, in any case and in order, for names
    /// that are no [`Field`]; an absent name gives none.
    ///
    /// Bound: one pass over the head.
    pub fn named<'h>(&self, head: &'h [u8], name: &'h [u8]) -> Named<'h> {
        Named {
            rest: self.lines.get(head),
            name,
        }
    }

    /// The parts of a list field, of all its lines, in order.
    pub fn parts<'h>(&self, head: &'h [u8], field: Field) -> impl Iterator<Item = &'h [u8]> {
        self.named(head, field.name().as_bytes())
            .flat_map(|value| Parts::new(value, b','))
            .filter(|part| !part.is_empty())
    }

    /// Whether a list field has a token, in any case and in any of its lines.
    pub fn lists(&self, head: &[u8], field: Field, token: &str) -> bool {
        self.named(head, field.name().as_bytes())
            .any(|value| token_listed(value, token))
    }

    /// Whether the `Accept` lines allow a media type; none allow all.
    pub fn accepts(&self, head: &[u8], media: &str) -> bool {
        let mut accept = Accept::new(media);
        for value in self.named(head, Field::Accept.name().as_bytes()) {
            accept.line(value);
        }
        accept.allows()
    }

    /// What the answer must say about the connection; `close` to end it.
    pub fn connection(&self, close: bool) -> Connection {
        if close || !self.keep_alive {
            Connection::Close
        } else if self.version == Version::Http10 {
            Connection::KeepAlive
        } else {
            Connection::Unsaid
        }
    }

    /// Whether a known field stands in more than one line.
    pub fn is_repeated(&self, field: Field) -> bool {
        self.repeated & 1u32.checked_shl(field as u32).unwrap_or(0) != 0
    }

    fn note(&mut self, known: &Known, value: Span) -> Result<(), HeadError> {
        if let Some(place) = self.fields.get_mut(known.field as usize) {
            if place.start() == 0 {
                *place = value;
            } else if known.is_refused() {
                return Err(HeadError::Repeated(known.field));
            } else {
                self.repeated |= 1u32.checked_shl(known.field as u32).unwrap_or(0);
            }
        }
        Ok(())
    }

    /// The rules that need the whole head: host, body and expectation.
    fn check(&mut self, head: &[u8]) -> Result<(), HeadError> {
        let old = self.version == Version::Http10;
        match self.field(head, Field::Host) {
            None if !old => return Err(HeadError::HostMissing),
            None | Some([]) => {}
            Some(host) if Authority::parse(host).is_some() => {}
            Some(_) => return Err(HeadError::Host),
        }
        let length = self.field(head, Field::ContentLength);
        self.body = match (self.field(head, Field::TransferEncoding), length) {
            (Some(_), _) if old => return Err(HeadError::CodingVersion),
            (Some(_), Some(_)) => return Err(HeadError::LengthAndCoding),
            (Some(coding), None) if alike(coding, b"chunked") => BodyLength::Chunked,
            (Some(_), None) => return Err(HeadError::Coding),
            (None, Some(length)) => BodyLength::Bytes(decimal(length)?),
            (None, None) => BodyLength::None,
        };
        if let Some(expect) = self.field(head, Field::Expect) {
            // A peer of HTTP/1.0 waits for nothing (RFC 9110 section 10.1.1).
            if !old && !alike(expect, b"100-continue") {
                return Err(HeadError::Expectation);
            }
            self.expect_continue =
                !old && !matches!(self.body, BodyLength::None | BodyLength::Bytes(0));
        }
        Ok(())
    }
}

/// The values of one header name; see [`Head::named`].
#[derive(Clone, Debug)]
pub struct Named<'h> {
    rest: &'h [u8],
    name: &'h [u8],
}

impl<'h> Iterator for Named<'h> {
    type Item = &'h [u8];

    fn next(&mut self) -> Option<&'h [u8]> {
        loop {
            let (line, rest) = next_line(self.rest).ok()?;
            self.rest = rest;
            let (name, value) = split_once(line, b':')?;
            if alike(name, self.name) {
                return Some(trim(value));
            }
        }
    }
}

/// What the `Connection` lines ask for; `close` is the stronger wish.
#[derive(Default)]
pub(super) struct Wish {
    pub(super) close: bool,
    pub(super) keep_alive: bool,
}

impl Wish {
    pub(super) fn line(&mut self, value: &[u8]) {
        self.close |= token_listed(value, "close");
        self.keep_alive |= token_listed(value, "keep-alive");
    }
}

/// The bytes of a span that was set. No value stands at the very beginning of
/// a head, so a place there means "absent", and an empty value is present.
fn present(span: Span, head: &[u8]) -> Option<&[u8]> {
    (span.start() != 0).then(|| span.get(head))
}

pub(super) fn next_line(rest: &[u8]) -> Result<(&[u8], &[u8]), HeadError> {
    let end = rest.iter().position(|&byte| matches!(byte, b'\r' | b'\n'));
    match end.and_then(|end| rest.split_at_checked(end)) {
        None => Err(HeadError::Incomplete),
        Some((line, [b'\r', b'\n', after @ ..])) => Ok((line, after)),
        Some((_, [b'\r'])) => Err(HeadError::Incomplete),
        Some(_) => Err(HeadError::LineEnd),
    }
}

fn request_line(head: &[u8], line: &[u8]) -> Result<Head, HeadError> {
    let (method, line) = split_once(line, b' ').ok_or(HeadError::RequestLine)?;
    let (target, version) = split_once(line, b' ').ok_or(HeadError::RequestLine)?;
    if !is_token(method) {
        return Err(HeadError::RequestLine);
    }
    let version = match version {
        b"HTTP/1.1" => Version::Http11,
        b"HTTP/1.0" => Version::Http10,
        [b'H', b'T', b'T', b'P', b'/', ..] => return Err(HeadError::Version),
        _ => return Err(HeadError::RequestLine),
    };
    if method.len() > limits::HTTP_METHOD_BYTES {
        return Err(HeadError::Method);
    }
    let method = match method {
        b"GET" => Method::Get,
        b"HEAD" => Method::Head,
        b"POST" => Method::Post,
        b"DELETE" => Method::Delete,
        b"OPTIONS" => Method::Options,
        _ => Method::Other,
    };
    if target.len() > limits::HTTP_TARGET_BYTES {
        return Err(HeadError::TargetLong);
    }
    if !target
        .iter()
        .all(|&byte| matches!(byte, b'!'..=b'~') && byte != b'#')
    {
        return Err(HeadError::Target);
    }
    let (authority, path) = match target {
        b"*" if method == Method::Options => (Span::EMPTY, target),
        [b'/', ..] => (Span::EMPTY, target),
        _ => {
            let (authority, path) = url(target).ok_or(HeadError::Target)?;
            (Span::of(head, authority), path)
        }
    };
    let (path, query) = match split_once(path, b'?') {
        Some((path, query)) => (path, Span::of(head, query)),
        None => (path, Span::EMPTY),
    };
    Ok(Head {
        method,
        version,
        body: BodyLength::None,
        expect_continue: false,
        keep_alive: false,
        path: Span::of(head, path),
        query,
        authority,
        lines: Span::EMPTY,
        fields: [Span::EMPTY; Field::COUNT],
        repeated: 0,
    })
}

/// The authority and the rest of an `http` or `https` URL.
pub(super) fn url(target: &[u8]) -> Option<(&[u8], &[u8])> {
    let (scheme, rest) = split_once(target, b':')?;
    if !alike(scheme, b"http") && !alike(scheme, b"https") {
        return None;
    }
    let rest = rest.strip_prefix(b"//")?;
    let end = rest.iter().position(|&byte| matches!(byte, b'/' | b'?'));
    let (authority, path) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
    Authority::parse(authority)?;
    Some((authority, path))
}

pub(super) fn field_line(line: &[u8]) -> Result<(&[u8], &[u8]), HeadError> {
    if matches!(line, [b' ' | b'\t', ..]) {
        return Err(HeadError::Folded);
    }
    let (name, value) = split_once(line, b':').ok_or(HeadError::Name)?;
    if !is_token(name) {
        return Err(HeadError::Name);
    }
    if !value.iter().all(|&byte| is_value_byte(byte)) {
        return Err(HeadError::Value);
    }
    Ok((name, trim(value)))
}

/// A decimal number; one beyond `usize` is as good as `usize::MAX`, which no
/// buffer holds.
pub(super) fn decimal(digits: &[u8]) -> Result<usize, HeadError> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(HeadError::Length);
    }
    Ok(digits.iter().fold(0usize, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(usize::from(digit & 15))
    }))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;
    use std::{format, string::String};

    /// C-46, with a line ending as given.
    const POST: &str = "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\n\
        Content-Type: application/json\r\n\
        Accept: application/json, text/event-stream\r\n\
        MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n\
        Mcp-Name: arm_stop\r\nContent-Length: 189\r\n\r\n";

    fn with(lines: &str) -> String {
        format!("POST /mcp HTTP/1.1\r\nHost: a\r\n{lines}\r\n")
    }

    fn good(head: &str) -> Head {
        parse(head.as_bytes()).unwrap_or_else(|error| panic!("{error:?} for {head:?}"))
    }

    fn refused(head: &str) -> HeadError {
        parse(head.as_bytes()).expect_err(head)
    }

    #[test]
    fn a_request_is_read() {
        let head = good(POST);
        let bytes = POST.as_bytes();
        assert_eq!(head.method, Method::Post);
        assert_eq!(head.version, Version::Http11);
        assert_eq!(head.path(bytes), b"/mcp");
        assert_eq!(head.query(bytes), None);
        assert_eq!(head.host(bytes), Some(&b"192.0.2.7"[..]));
        assert_eq!(head.body, BodyLength::Bytes(189));
        assert!(head.keep_alive && !head.expect_continue);
        assert_eq!(
            head.field(bytes, Field::McpMethod),
            Some(&b"tools/list"[..])
        );
        assert_eq!(head.field(bytes, Field::McpName), Some(&b"arm_stop"[..]));
        assert_eq!(head.span(Field::McpName).get(bytes), b"arm_stop");
        assert_eq!(head.field(bytes, Field::Origin), None);
        assert!(head.accepts(bytes, "text/event-stream"));
        assert!(!head.accepts(bytes, "text/html"));
    }

    /// M-067: names in any case, values trimmed and otherwise as sent.
    #[test]
    fn names_have_no_case_and_values_no_outer_spaces() {
        let text = with(
            "mCP-nAME:\t  read_temperature  \r\nOrigin:\r\nmcp-method:a b\t\r\n\
             X-api-key: \u{e9}\r\n",
        );
        let (head, bytes) = (good(&text), text.as_bytes());
        assert_eq!(
            head.field(bytes, Field::McpName),
            Some(&b"read_temperature"[..])
        );
        assert_eq!(head.field(bytes, Field::Origin), Some(&b""[..]));
        assert_eq!(head.field(bytes, Field::McpMethod), Some(&b"a b"[..]));
        assert_eq!(head.field(bytes, Field::ApiKey), Some("\u{e9}".as_bytes()));
    }

    #[test]
    fn request_lines() {
        for (line, path, query, host) in [
            ("GET /mcp/?a=?b HTTP/1.1", "/mcp/", Some("a=?b"), "a"),
            ("GET /mcp? HTTP/1.1", "/mcp", Some(""), "a"),
            ("GET / HTTP/1.1", "/", None, "a"),
            (
                "GET http://[::1]:80/mcp?x HTTP/1.1",
                "/mcp",
                Some("x"),
                "[::1]:80",
            ),
            ("GET HTTPS://b.c HTTP/1.1", "/", None, "b.c"),
            ("GET http://b?/x HTTP/1.1", "/", Some("/x"), "b"),
            ("OPTIONS * HTTP/1.1", "*", None, "a"),
            ("OPTIONS /%6Dcp HTTP/1.1", "/%6Dcp", None, "a"),
        ] {
            for empty in ["", "\r\n", "\r\n\r\n"] {
                let text = format!("{empty}{line}\r\nHost: a\r\n\r\n");
                let (head, bytes) = (good(&text), text.as_bytes());
                assert_eq!(head.path(bytes), path.as_bytes(), "{line}");
                assert_eq!(head.query(bytes), query.map(str::as_bytes), "{line}");
                assert_eq!(head.host(bytes), Some(host.as_bytes()), "{line}");
            }
        }
        for (name, method) in [
            ("GET", Method::Get),
            ("HEAD", Method::Head),
            ("POST", Method::Post),
            ("DELETE", Method::Delete),
            ("OPTIONS", Method::Options),
            ("post", Method::Other),
            ("PUT", Method::Other),
            ("M-SEARCH", Method::Other),
        ] {
            assert_eq!(
                good(&format!("{name} / HTTP/1.1\r\nHost: a\r\n\r\n")).method,
                method
            );
        }
    }

    #[test]
    fn bad_request_lines() {
        use HeadError::*;
        for (line, error) in [
            ("GET /mcp", RequestLine),
            ("GET", RequestLine),
            ("GET  /mcp HTTP/1.1", RequestLine),
            ("GET /mcp  HTTP/1.1", RequestLine),
            ("GET /mcp HTTP/1.1 ", Version),
            ("GET /m cp HTTP/1.1", RequestLine),
            ("GET\t/mcp\tHTTP/1.1", RequestLine),
            (" GET /mcp HTTP/1.1", RequestLine),
            ("G(T /mcp HTTP/1.1", RequestLine),
            ("GET /mcp http/1.1", RequestLine),
            ("GET /mcp HTTP/1.2", Version),
            ("GET /mcp HTTP/11", Version),
            ("GET /mcp HTTP/2", Version),
            ("PRI * HTTP/2.0", Version),
            ("GET * HTTP/1.1", Target),
            ("GET mcp HTTP/1.1", Target),
            ("GET  HTTP/1.1", Target),
            ("GET ?a HTTP/1.1", Target),
            ("GET /a#b HTTP/1.1", Target),
            ("GET /\u{e9} HTTP/1.1", Target),
            ("GET /\u{7f} HTTP/1.1", Target),
            ("GET http:///mcp HTTP/1.1", Target),
            ("GET http:/mcp HTTP/1.1", Target),
            ("GET http://u@b/mcp HTTP/1.1", Target),
            ("GET ftp://b/mcp HTTP/1.1", Target),
            ("CONNECT b:80 HTTP/1.1", Target),
        ] {
            assert_eq!(
                refused(&format!("{line}\r\nHost: a\r\n\r\n")),
                error,
                "{line}"
            );
        }
        let line = |method: usize, target: usize| {
            let (method, target) = ("M".repeat(method), "/".repeat(target));
            format!("{method} {target} HTTP/1.1\r\nHost: a\r\n\r\n")
        };
        good(&line(limits::HTTP_METHOD_BYTES, limits::HTTP_TARGET_BYTES));
        assert_eq!(refused(&line(limits::HTTP_METHOD_BYTES + 1, 1)), Method);
        assert_eq!(refused(&line(1, limits::HTTP_TARGET_BYTES + 1)), TargetLong);
    }

    #[test]
    fn a_path_may_end_with_one_slash() {
        let is = |target: &str, path: &str| {
            let text = format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n");
            good(&text).path_is(text.as_bytes(), path)
        };
        for target in ["/mcp", "/mcp/", "/mcp?x", "/mcp/?x", "http://a/mcp/"] {
            assert!(is(target, "/mcp"), "{target}");
        }
        for target in [
            "/", "//mcp", "/mcp//", "/mcpx", "/mc", "/MCP", "/%6Dcp", "/x/mcp",
        ] {
            assert!(!is(target, "/mcp"), "{target}");
        }
        assert!(is("/", "/") && is("http://a", "/") && !is("/x", "/"));
    }

    #[test]
    fn header_lines_are_strict() {
        use HeadError::*;
        for (lines, error) in [
            ("A : b\r\n", Name),
            (": b\r\n", Name),
            ("A\r\n", Name),
            ("A(: b\r\n", Name),
            ("A\u{e9}: b\r\n", Name),
            ("A\0: b\r\n", Name),
            ("A: b\r\n c\r\n", Folded),
            ("\tA: b\r\n", Folded),
            ("A: b\0\r\n", Value),
            ("A: b\u{7f}\r\n", Value),
            ("A: b\u{b}c\r\n", Value),
            ("A: b\nC: d\r\n", LineEnd),
            ("A: b\rC: d\r\n", LineEnd),
            ("A: b\r\r\n", LineEnd),
            ("\r\nA: b\r\n", Incomplete),
        ] {
            assert_eq!(refused(&with(lines)), error, "{lines:?}");
        }
        assert_eq!(refused(""), Incomplete);
        assert_eq!(refused("\r\n\r\n\r\n"), EmptyLines);
        assert_eq!(refused("GET / HTTP/1.1\nHost: a\n\n"), LineEnd);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\n\r\nx"), Incomplete);
        for len in 0..POST.len() {
            assert_eq!(refused(&POST[..len]), Incomplete, "{len}");
        }
        good(&with(&"A: b\r\n".repeat(limits::HTTP_FIELDS - 1)));
        assert_eq!(
            refused(&with(&"A: b\r\n".repeat(limits::HTTP_FIELDS))),
            FieldsMany
        );
        let long = |value: usize| with(&format!("A: {}\r\n", "b".repeat(value)));
        let rest = long(0).len();
        good(&long(65_535 - rest));
        assert_eq!(refused(&long(65_536 - rest)), HeadLong);
    }

    #[test]
    fn a_body_has_one_length() {
        use HeadError::*;
        for (lines, body) in [
            ("", BodyLength::None),
            ("Content-Length: 0\r\n", BodyLength::Bytes(0)),
            ("Content-Length: 0041\r\n", BodyLength::Bytes(41)),
            (
                "Content-Length: 99999999999999999999999\r\n",
                BodyLength::Bytes(usize::MAX),
            ),
            ("Transfer-Encoding: Chunked\r\n", BodyLength::Chunked),
        ] {
            assert_eq!(good(&with(lines)).body, body, "{lines:?}");
        }
        for (lines, error) in [
            ("Content-Length:\r\n", Length),
            ("Content-Length: 41, 41\r\n", Length),
            ("Content-Length: +41\r\n", Length),
            ("Content-Length: -1\r\n", Length),
            ("Content-Length: 0x29\r\n", Length),
            ("Content-Length: 4 1\r\n", Length),
            (
                "Content-Length: 41\r\ncontent-length: 41\r\n",
                Repeated(Field::ContentLength),
            ),
            (
                "Content-Length: 41\r\nTransfer-Encoding: chunked\r\n",
                LengthAndCoding,
            ),
            (
                "Transfer-Encoding: x\r\nContent-Length: 41\r\n",
                LengthAndCoding,
            ),
            ("Transfer-Encoding:\r\n", Coding),
            ("Transfer-Encoding: identity\r\n", Coding),
            ("Transfer-Encoding: gzip, chunked\r\n", Coding),
            ("Transfer-Encoding: chunked, chunked\r\n", Coding),
            ("Transfer-Encoding: \u{b}chunked\r\n", Value),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                Repeated(Field::TransferEncoding),
            ),
        ] {
            assert_eq!(refused(&with(lines)), error, "{lines:?}");
        }
        let old = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(refused(old), CodingVersion);
    }

    #[test]
    fn a_host_is_one_host() {
        for (lines, host) in [
            ("Host: 192.0.2.7:8080\r\n", "192.0.2.7:8080"),
            ("Host: [2001:db8::7]:8080\r\n", "[2001:db8::7]:8080"),
            ("Host:\r\n", ""),
        ] {
            let text = format!("GET / HTTP/1.1\r\n{lines}\r\n");
            assert_eq!(good(&text).host(text.as_bytes()), Some(host.as_bytes()));
        }
        for (lines, error) in [
            ("", HeadError::HostMissing),
            ("Host: a b\r\n", HeadError::Host),
            ("Host: a,b\r\n", HeadError::Host),
            ("Host: u@a\r\n", HeadError::Host),
            ("Host: a/\r\n", HeadError::Host),
            ("Host: a\r\nHost: a\r\n", HeadError::Repeated(Field::Host)),
        ] {
            assert_eq!(refused(&format!("GET / HTTP/1.1\r\n{lines}\r\n")), error);
        }
        let old = "GET / HTTP/1.0\r\n\r\n";
        assert_eq!(good(old).host(old.as_bytes()), None);
    }

    #[test]
    fn lines_of_a_list_add_up_and_others_stand_alone() {
        for known in Field::ALL {
            let value = match known.field {
                Field::ContentLength => "1",
                Field::TransferEncoding => "chunked",
                Field::Expect => "100-continue",
                Field::Host => continue,
                _ => "a",
            };
            let line = format!("{}: {value}\r\n", known.name);
            let once = with(&line);
            assert_eq!(
                good(&once).field(once.as_bytes(), known.field),
                Some(value.as_bytes())
            );
            let twice = with(&format!(
                "{line}X: y\r\n{}",
                line.to_ascii_uppercase().replace("CHUNKED", "chunked")
            ));
            if !known.is_refused() {
                assert!(good(&twice).is_repeated(known.field));
            } else {
                assert_eq!(refused(&twice), HeadError::Repeated(known.field));
            }
        }
        let text = with(
            "Accept: application/json\r\nA2A-Extensions: a, b\r\nMcp-Param-X: 1\r\n\
             accept: text/event-stream;q=0\r\nA2A-Extensions:\r\na2a-extensions: ,c\r\n\
             mcp-param-x:2 \r\nMcp-Param-XY: 3\r\n",
        );
        let (head, bytes) = (good(&text), text.as_bytes());
        assert!(head.accepts(bytes, "application/json"));
        assert!(!head.accepts(bytes, "text/event-stream"));
        let parts: Vec<_> = head.parts(bytes, Field::A2aExtensions).collect();
        assert_eq!(parts, [b"a", b"b", b"c"]);
        assert!(head.lists(bytes, Field::A2aExtensions, "C"));
        assert!(!head.lists(bytes, Field::A2aExtensions, "d"));
        let named: Vec<_> = head.named(bytes, b"MCP-Param-X").collect();
        assert_eq!(named, [b"1", b"2"]);
        assert_eq!(head.named(bytes, b"Mcp-Param").count(), 0);
    }

    #[test]
    fn the_connection_stays_or_closes() {
        use Connection::*;
        for (version, lines, keep, say) in [
            ("1.1", "", true, Unsaid),
            ("1.1", "Connection: Keep-Alive, Upgrade\r\n", true, Unsaid),
            (
                "1.1",
                "Connection: x\r\nConnection: keep-alive, CLOSE\r\n",
                false,
                Close,
            ),
            ("1.1", "Connection: closed\r\n", true, Unsaid),
            ("1.0", "", false, Close),
            ("1.0", "Connection: x,keep-alive\r\n", true, KeepAlive),
            (
                "1.0",
                "Connection: keep-alive\r\nConnection: close\r\n",
                false,
                Close,
            ),
        ] {
            let head = good(&format!("GET / HTTP/{version}\r\nHost: a\r\n{lines}\r\n"));
            assert_eq!(head.keep_alive, keep, "{version} {lines}");
            assert_eq!(head.connection(false), say, "{version} {lines}");
            assert_eq!(head.connection(true), Close);
        }
    }

    /// C-58.
    #[test]
    fn only_a_body_to_come_is_waited_for() {
        for (lines, wait) in [
            ("Expect: 100-Continue\r\nContent-Length: 41\r\n", true),
            (
                "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n",
                true,
            ),
            ("Expect: 100-continue\r\nContent-Length: 0\r\n", false),
            ("Expect: 100-continue\r\n", false),
            ("Content-Length: 41\r\n", false),
        ] {
            assert_eq!(good(&with(lines)).expect_continue, wait, "{lines}");
        }
        for expect in ["", "200-ok", "100-continue, x", "100-continue=1"] {
            let text = with(&format!("Expect: {expect}\r\n"));
            assert_eq!(refused(&text), HeadError::Expectation, "{expect}");
        }
        let old = "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
        assert!(!good(old).expect_continue);
    }

    /// A head read against other bytes gives other bytes or none, no panic.
    #[test]
    fn a_stale_head_reads_within_bounds() {
        let head = good(POST);
        for len in 0..40 {
            let other = &POST.as_bytes()[..len];
            head.path_is(other, "/mcp");
            assert!(
                head.field(other, Field::McpName)
                    .is_some_and(<[u8]>::is_empty)
            );
            assert_eq!(head.named(other, b"Mcp-Name").count(), 0);
        }
    }
}
