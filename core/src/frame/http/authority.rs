//! Who is addressed (`Host`) and who asks (`Origin`), by exact comparison.
//!
//! Scheme and host compare without regard to ASCII case; everything else is
//! exact. An address is compared as it is written: `[::1]` and
//! `[0:0:0:0:0:0:0:1]` differ.

use super::field::{alike, split_once};

/// A host and a port, as in `Host: device.example:8080`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authority<'a> {
    /// The name or address; an IPv6 address with its brackets.
    pub host: &'a [u8],
    /// The port, where one is written.
    pub port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Reads `host`, `host:port`, `[address]` or `[address]:port`.
    ///
    /// Names have letters, digits and `-._~%`; a user name or a list of hosts
    /// is refused. An empty port (`host:`) counts as none.
    pub fn parse(text: &'a [u8]) -> Option<Self> {
        let host_len = if let [b'[', inner @ ..] = text {
            let (address, _) = split_once(inner, b']')?;
            if address.is_empty() || !address.iter().all(|&b| is_address_byte(b)) {
                return None;
            }
            address.len().saturating_add(2)
        } else {
            let len = text.iter().position(|&b| b == b':').unwrap_or(text.len());
            if len == 0 {
                return None;
            }
            len
        };
        let (host, port) = text.split_at_checked(host_len)?;
        if host.first() != Some(&b'[') && !host.iter().all(|&b| is_name_byte(b)) {
            return None;
        }
        let port = match port {
            [] | [b':'] => None,
            [b':', digits @ ..] => Some(port_number(digits)?),
            _ => return None,
        };
        Some(Self { host, port })
    }

    fn same_host(&self, other: &Authority<'_>) -> bool {
        alike(self.host, other.host)
    }

    fn is_loopback(&self) -> bool {
        LOOPBACK.iter().any(|name| alike(self.host, name))
    }
}

/// Whether a `Host` value is in an allow list (M-049).
///
/// An entry without a port allows any port. An entry with a port allows that
/// port; a `Host` without a port has port 80 or 443, since the scheme is not
/// known here. There are no wildcards, and an unreadable entry allows nothing.
///
/// Bound: one pass over the list.
pub fn host_allowed(host: &[u8], allowed: &[&str]) -> bool {
    let Some(host) = Authority::parse(host) else {
        return false;
    };
    allowed.iter().any(|entry| {
        Authority::parse(entry.as_bytes()).is_some_and(|entry| {
            entry.same_host(&host)
                && match (entry.port, host.port) {
                    (None, _) | (Some(80 | 443), None) => true,
                    (entry, host) => entry == host,
                }
        })
    })
}

/// Whether a `Host` value is `localhost`, `127.0.0.1` or `[::1]`, at any port.
pub fn host_is_loopback(host: &[u8]) -> bool {
    Authority::parse(host).is_some_and(|host| host.is_loopback())
}

/// Whether an `Origin` value is in an allow list (M-048).
///
/// Scheme, host and port must all be those of one entry; ports 80 of `http`
/// and 443 of `https` may be written or left out. `null` is allowed only where
/// the list has `null`. There are no wildcards; an entry with a path, even a
/// lone `/`, allows nothing.
///
/// Bound: one pass over the list.
pub fn origin_allowed(origin: &[u8], allowed: &[&str]) -> bool {
    let Some(origin) = Origin::parse(origin) else {
        return origin == b"null" && allowed.contains(&"null");
    };
    allowed.iter().any(|entry| {
        Origin::parse(entry.as_bytes()).is_some_and(|entry| {
            alike(entry.scheme, origin.scheme)
                && entry.authority.same_host(&origin.authority)
                && entry.port() == origin.port()
        })
    })
}

/// Whether an `Origin` is a page served from this machine over `http` or
/// `https`, at any port.
pub fn origin_is_loopback(origin: &[u8]) -> bool {
    Origin::parse(origin)
        .is_some_and(|origin| origin.default_port().is_some() && origin.authority.is_loopback())
}

/// A serialised origin that is not `null`.
struct Origin<'a> {
    scheme: &'a [u8],
    authority: Authority<'a>,
}

impl<'a> Origin<'a> {
    fn parse(text: &'a [u8]) -> Option<Self> {
        let (scheme, rest) = split_once(text, b':')?;
        let [b'/', b'/', authority @ ..] = rest else {
            return None;
        };
        if scheme.is_empty() || !scheme.iter().all(|&b| is_scheme_byte(b)) {
            return None;
        }
        let authority = Authority::parse(authority)?;
        Some(Self { scheme, authority })
    }

    fn default_port(&self) -> Option<u16> {
        if alike(self.scheme, b"http") {
            Some(80)
        } else if alike(self.scheme, b"https") {
            Some(443)
        } else {
            None
        }
    }

    fn port(&self) -> Option<u16> {
        self.authority.port.or_else(|| self.default_port())
    }
}

const LOOPBACK: [&[u8]; 3] = [b"localhost", b"127.0.0.1", b"[::1]"];

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'%')
}

fn is_address_byte(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')
}

fn is_scheme_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

fn port_number(digits: &[u8]) -> Option<u16> {
    let mut port = 0u16;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        port = port.checked_mul(10)?.checked_add(u16::from(digit & 15))?;
    }
    Some(port)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    #[test]
    fn authorities_are_read_whole_or_not_at_all() {
        let read = |text: &'static str| {
            Authority::parse(text.as_bytes())
                .map(|a| (core::str::from_utf8(a.host).unwrap(), a.port))
        };
        assert_eq!(read("192.0.2.7"), Some(("192.0.2.7", None)));
        assert_eq!(read("a.b:8080"), Some(("a.b", Some(8080))));
        assert_eq!(read("a:"), Some(("a", None)));
        assert_eq!(read("a:65535"), Some(("a", Some(65535))));
        assert_eq!(read("[2001:db8::7]"), Some(("[2001:db8::7]", None)));
        assert_eq!(read("[::1]:1"), Some(("[::1]", Some(1))));
        for bad in [
            "",
            ":80",
            "a:65536",
            "a:8a",
            "a:-1",
            "a:1:2",
            "::1",
            "[]",
            "[::1",
            "[::1]x",
            "[::1]]",
            "[g::]",
            "[::1%25eth0]",
            "user@a",
            "a b",
            "a,b",
            "a/",
            "a?",
            "a#",
            "a\u{e9}",
            "[a",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    /// C-62: no prefix, no suffix, and an IPv6 literal with its port.
    #[test]
    fn an_origin_matches_exactly_or_not() {
        let list = [
            "http://192.0.2.7",
            "http://[2001:db8::7]:8080",
            "https://a.example:443",
        ];
        for yes in [
            "http://192.0.2.7",
            "HTTP://192.0.2.7",
            "http://192.0.2.7:80",
            "http://[2001:db8::7]:8080",
            "http://[2001:DB8::7]:8080",
            "https://A.example",
            "https://a.example:443",
        ] {
            assert!(origin_allowed(yes.as_bytes(), &list), "{yes}");
        }
        for no in [
            "",
            "null",
            "*",
            "192.0.2.7",
            "http:192.0.2.7",
            "http:/192.0.2.7",
            "https://192.0.2.7",
            "https://192.0.2.7:80",
            "http://192.0.2.7.evil.example",
            "http://192.0.2.70",
            "http://192.0.2.7:8080",
            "http://192.0.2.7/",
            "http://192.0.2.7@evil.example",
            "http://evil.example#http://192.0.2.7",
            "http://192.0.2.7 http://evil.example",
            "http://[2001:db8::7]",
            "http://[2001:db8::7]:808",
            "http://a.example",
            "https://b.a.example",
        ] {
            assert!(!origin_allowed(no.as_bytes(), &list), "{no}");
        }
    }

    #[test]
    fn null_and_other_schemes_must_be_listed() {
        assert!(!origin_allowed(b"null", &[]));
        assert!(origin_allowed(b"null", &["null"]));
        assert!(!origin_allowed(b"NULL", &["null"]));
        assert!(!origin_allowed(b"*", &["*"]));
        assert!(!origin_allowed(b"http://a", &["*", "http://a/", "a", ""]));
        assert!(origin_allowed(b"app-x://page", &["app-x://page"]));
        assert!(!origin_allowed(b"app-x://page:80", &["app-x://page"]));
    }

    #[test]
    fn a_host_entry_without_a_port_means_any_port() {
        assert!(host_allowed(b"192.0.2.7", &["192.0.2.7"]));
        assert!(host_allowed(b"192.0.2.7:8080", &["192.0.2.7"]));
        assert!(host_allowed(b"[2001:db8::7]:8080", &["[2001:db8::7]:8080"]));
        assert!(!host_allowed(
            b"[2001:db8::7]:8081",
            &["[2001:db8::7]:8080"]
        ));
        assert!(host_allowed(b"A.example", &["a.EXAMPLE:80"]));
        assert!(host_allowed(b"a.example", &["a.example:443"]));
        assert!(!host_allowed(b"a.example", &["a.example:8080"]));
        for no in [
            "",
            "192.0.2.7.evil.example",
            "evil.example",
            "192.0.2.7,a",
            "192.0.2.7.",
        ] {
            assert!(
                !host_allowed(no.as_bytes(), &["192.0.2.7", "", "*"]),
                "{no}"
            );
        }
    }

    #[test]
    fn loopback_is_three_names() {
        for yes in [
            "localhost",
            "LocalHost:8080",
            "127.0.0.1",
            "127.0.0.1:1",
            "[::1]",
            "[::1]:80",
        ] {
            assert!(host_is_loopback(yes.as_bytes()), "{yes}");
            let origin = ["http://", yes].concat();
            assert!(origin_is_loopback(origin.as_bytes()), "{origin}");
        }
        for no in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.2",
        ] {
            assert!(!host_is_loopback(no.as_bytes()), "{no}");
            let origin = ["http://", no].concat();
            assert!(!origin_is_loopback(origin.as_bytes()), "{origin}");
        }
        assert!(!origin_is_loopback(b"file://localhost"));
        assert!(!origin_is_loopback(b"null"));
    }
}
