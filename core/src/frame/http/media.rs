//! Spellings of `Content-Type` and `Accept`.

use super::field::{Parts, alike, parameter, split_once};

/// What a `Content-Type` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaType {
    /// The wanted type, in UTF-8.
    Wanted,
    /// Another type, or an unreadable value.
    Other,
    /// The wanted type in another character set than UTF-8.
    Charset,
}

/// Compares a `Content-Type` with a media type such as `application/json`.
///
/// Type and parameter names compare in any case; a `charset` may be `utf-8` or
/// `utf8`, quoted or not; other parameters are ignored.
pub fn media_type(value: &[u8], wanted: &str) -> MediaType {
    let mut parts = Parts::new(value, b';');
    if !parts
        .next()
        .is_some_and(|media| alike(media, wanted.as_bytes()))
    {
        return MediaType::Other;
    }
    for part in parts.filter(|part| !part.is_empty()) {
        let Some((name, value)) = parameter(part) else {
            return MediaType::Other;
        };
        if alike(name, b"charset") && !alike(value, b"utf-8") && !alike(value, b"utf8") {
            return MediaType::Charset;
        }
    }
    MediaType::Wanted
}

/// Whether one `Accept` value allows a media type such as `text/event-stream`.
///
/// Where `Accept` may stand in several lines, ask [`super::Head::accepts`].
pub fn accepts(value: &[u8], media: &str) -> bool {
    let mut accept = Accept::new(media);
    accept.line(value);
    accept.allows()
}

/// Gathers the `Accept` lines of one request.
///
/// The most exact range decides (RFC 9110 section 12.5.1): `text/html` before
/// `text/*` before `*/*` (or the old `*`). Weight 0 means no, any other weight
/// yes. No line, or no range in any, allows everything.
#[derive(Clone, Debug)]
pub struct Accept<'m> {
    media: &'m str,
    exactness: u8,
    allows: bool,
    any: bool,
}

impl<'m> Accept<'m> {
    /// Asks for a media type of the form `type/subtype`.
    pub fn new(media: &'m str) -> Self {
        Self {
            media,
            exactness: 0,
            allows: false,
            any: false,
        }
    }

    /// Adds one line.
    pub fn line(&mut self, value: &[u8]) {
        for range in Parts::new(value, b',').filter(|range| !range.is_empty()) {
            self.any = true;
            let mut parts = Parts::new(range, b';');
            let exactness = parts.next().map_or(0, |range| self.exactness_of(range));
            if exactness == 0 || exactness < self.exactness {
                continue;
            }
            let zero = parts
                .filter_map(parameter)
                .any(|(name, weight)| alike(name, b"q") && is_zero(weight));
            self.allows = !zero || (exactness == self.exactness && self.allows);
            self.exactness = exactness;
        }
    }

    /// The answer for all lines so far.
    pub fn allows(&self) -> bool {
        self.allows || !self.any
    }

    fn exactness_of(&self, range: &[u8]) -> u8 {
        let media = self.media.as_bytes();
        if alike(range, media) {
            return 3;
        }
        match (split_once(range, b'/'), split_once(media, b'/')) {
            (Some((b"*", b"*")), _) => 1,
            (Some((range, b"*")), Some((media, _))) if alike(range, media) => 2,
            (None, _) if range == b"*" => 1,
            _ => 0,
        }
    }
}

/// Whether a weight is `0`, `0.` or `0.000`.
fn is_zero(weight: &[u8]) -> bool {
    match weight {
        [b'0'] => true,
        [b'0', b'.', rest @ ..] => rest.iter().all(|&byte| byte == b'0'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-53 and its relatives.
    #[test]
    fn a_content_type_has_many_spellings() {
        for yes in [
            "application/json",
            "Application/JSON ; charset=\"UTF-8\"",
            "application/json;charset=utf-8",
            "application/json;\tCharset = utf8",
            "application/json;",
            "application/json; ; profile=\"a;b\"; charset=UTF-8",
        ] {
            let got = media_type(yes.as_bytes(), "application/json");
            assert_eq!(got, MediaType::Wanted, "{yes}");
        }
        for charset in [
            "application/json;charset=latin1",
            "application/json; charset = \"utf-16\"",
            "application/json;charset=utf-8;charset=ascii",
            "application/json;charset=",
        ] {
            let got = media_type(charset.as_bytes(), "application/json");
            assert_eq!(got, MediaType::Charset, "{charset}");
        }
        for other in [
            "",
            ";application/json",
            "application/jsonx",
            "application/json x",
            "application/json, text/plain",
            "application/json;charset",
            "text/plain",
            "application/a2a+json",
        ] {
            let got = media_type(other.as_bytes(), "application/json");
            assert_eq!(got, MediaType::Other, "{other}");
        }
    }

    /// C-55 and its relatives.
    #[test]
    fn the_most_exact_range_decides() {
        for yes in [
            "*/*",
            "*",
            "text/html, image/gif, *; q=.2, */*; q=.2",
            "application/json, text/event-stream",
            "text/event-stream,application/json",
            "APPLICATION/*;q=0.001",
            " \t, application/json ; q=1 ,",
            "application/json;x=\"a,b;q=0\"",
            "*/*;q=0, application/json",
            "application/*;q=0, application/json;q=0.1",
            "application/json;q=0, application/json",
            "application/json, application/json;q=0",
            "",
        ] {
            assert!(accepts(yes.as_bytes(), "application/json"), "{yes}");
        }
        for no in [
            "text/html",
            "application/jsonx",
            "application/json/x",
            "application/json;q=0",
            "application/json;Q=0.000, */*",
            "application/json; q=\"0\"",
            "application/*;q=0., */*;q=1",
            "*/json",
            "x=\"application/json\"",
        ] {
            assert!(!accepts(no.as_bytes(), "application/json"), "{no}");
        }
    }

    #[test]
    fn lines_add_up() {
        let mut accept = Accept::new("text/event-stream");
        assert!(accept.allows());
        accept.line(b"application/json");
        assert!(!accept.allows());
        accept.line(b"text/*");
        assert!(accept.allows());
        accept.line(b"text/event-stream;q=0");
        assert!(!accept.allows());
    }
}
