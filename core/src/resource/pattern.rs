//! URIs with parameters: literal text and `{name}`, nothing else of RFC 6570.

use crate::buf::Span;

/// Whether a URI is one of a pattern.
pub(super) fn matches(pattern: &str, uri: &[u8]) -> bool {
    walk(pattern, uri, "").is_some()
}

/// What stands in a URI of a pattern in the place of `{name}`, as it was
/// sent.
pub(super) fn value<'u>(pattern: &str, uri: &'u [u8], name: &str) -> Option<&'u str> {
    let place = walk(pattern, uri, name)?;
    let start = place.start();
    let value = uri.get(start..start.checked_add(place.len())?)?;
    (!value.is_empty())
        .then(|| core::str::from_utf8(value).ok())
        .flatten()
}

/// The place of a parameter in a URI of the pattern, empty if the pattern
/// has no such parameter; `None` if the URI is not of the pattern.
///
/// A parameter ends where the text behind it first stands. Bound: each byte
/// of the URI is compared with each literal at most once.
fn walk(pattern: &str, uri: &[u8], name: &str) -> Option<Span> {
    let mut found = Span::EMPTY;
    let mut pattern = pattern.as_bytes();
    let mut rest = uri;
    loop {
        let (literal, behind) = split(pattern, b'{');
        rest = rest.strip_prefix(literal)?;
        let Some(behind) = behind else {
            return rest.is_empty().then_some(found);
        };
        let (param, behind) = split(behind, b'}');
        let behind = behind?;
        let (next, _) = split(behind, b'{');
        let (value, tail) = until(rest, next)?;
        if !is_value(value) {
            return None;
        }
        if param == name.as_bytes() {
            found = Span::of(uri, value);
        }
        pattern = behind;
        rest = tail;
    }
}

/// What stands before the first `mark`, and what behind it.
fn split(bytes: &[u8], mark: u8) -> (&[u8], Option<&[u8]>) {
    let at = bytes.iter().take_while(|b| **b != mark).count();
    match bytes.split_at_checked(at) {
        Some((before, [_, behind @ ..])) => (before, Some(behind)),
        _ => (bytes, None),
    }
}

/// What stands before the first `next`, and the rest from there on; all of it
/// if nothing comes next.
fn until<'u>(bytes: &'u [u8], next: &[u8]) -> Option<(&'u [u8], &'u [u8])> {
    if next.is_empty() {
        return Some((bytes, &[]));
    }
    let mut rest = bytes;
    while !rest.starts_with(next) {
        (_, rest) = rest.split_first()?;
    }
    bytes.split_at_checked(bytes.len().wrapping_sub(rest.len()))
}

/// Whether bytes are what RFC 6570 puts in the place of `{name}`: at least
/// one, unreserved or percent-encoded, so none that could mean a further
/// part of the path.
fn is_value(value: &[u8]) -> bool {
    let mut rest = value;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match (byte, tail) {
            (b'%', [high, low, tail @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                tail
            }
            (b'-' | b'.' | b'_' | b'~', _) => tail,
            _ if byte.is_ascii_alphanumeric() => tail,
            _ => return false,
        };
    }
    !value.is_empty()
}

#[cfg(test)]
mod tests {
    use super::{matches, value};

    #[test]
    fn parameters_are_found_and_strangers_are_not() {
        let one = "test://template/{id}/data";
        assert_eq!(value(one, b"test://template/123/data", "id"), Some("123"));
        assert_eq!(value(one, b"test://template/123/data", "no"), None);
        assert_eq!(
            value(one, b"test://template/a%2Fb/data", "id"),
            Some("a%2Fb")
        );
        for stranger in [
            "",
            "test://template/",
            "test://template/123",
            "test://template//data",
            "test://template/1/2/data",
            "test://template/1/data/",
            "test://template/1/dat",
            "test://template/1/data?x=1",
            "test://template/%/data",
            "test://template/%2/data",
            "test://template/%zz/data",
            "test://template/{id}/data",
            "test://template/\u{e9}/data",
            "TEST://template/1/data",
        ] {
            assert!(!matches(one, stranger.as_bytes()), "{stranger}");
        }
        let two = "arm:{joint}.{axis}";
        assert_eq!(value(two, b"arm:3.x.y", "joint"), Some("3"));
        assert_eq!(value(two, b"arm:3.x.y", "axis"), Some("x.y"));
        assert!(!matches(two, b"arm:3."));
        assert!(!matches(two, b"arm:.x"));
    }
}
