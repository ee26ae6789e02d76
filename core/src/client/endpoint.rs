//! Where a call goes to.

use super::members::{Wrong, wrong};
use crate::frame::http::{Authority, origin_allowed};
use crate::limits::HTTP_TARGET_BYTES;

/// An HTTP endpoint at an origin that the firmware allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint<'a> {
    /// Whether it is `https`, so that the stream of bytes must be that of TLS.
    pub secure: bool,
    /// Host and port as they stand in the URL: what `Host` says.
    pub authority: &'a str,
    /// The path with its query.
    pub target: &'a str,
}

impl<'a> Endpoint<'a> {
    /// Reads an absolute URL. It must be of one of the origins in `allowed`,
    /// such as `https://arm-7.example` or `http://192.0.2.7:8080`: scheme,
    /// host and port, compared as
    /// [`origin_allowed`] does.
    ///
    /// # Errors
    /// It is no URL of `http` or `https`, has a user name, a fragment or a
    /// character that no URL has, is longer than [`HTTP_TARGET_BYTES`], or is
    /// of another origin.
    pub fn new(url: &'a str, allowed: &[&str]) -> Result<Self, Wrong> {
        let bad = |why| Err(wrong("url", why));
        if url.len() > HTTP_TARGET_BYTES {
            return bad("is too long");
        }
        if !url.bytes().all(|b| matches!(b, b'!'..=b'~') && b != b'#') {
            return bad("has a character that no URL has, or a fragment");
        }
        let (scheme, rest) = split(url, |b| b == b':');
        let Some(rest) = rest.strip_prefix("://") else {
            return bad("is not absolute");
        };
        let secure = scheme.eq_ignore_ascii_case("https");
        if !secure && !scheme.eq_ignore_ascii_case("http") {
            return bad("is not of http or https");
        }
        let (authority, target) = split(rest, |b| matches!(b, b'/' | b'?'));
        if Authority::parse(authority.as_bytes()).is_none() {
            return bad("has no host, or more than one host with a port");
        }
        let target = match target.as_bytes() {
            [] => "/",
            [b'/', ..] => target,
            _ => return bad("has a query without a path"),
        };
        let end = scheme.len() + "://".len() + authority.len();
        let origin = url.get(..end);
        if !origin_allowed(origin.unwrap_or_default().as_bytes(), allowed) {
            return bad("is not of an origin that is allowed");
        }
        Ok(Self {
            secure,
            authority,
            target,
        })
    }

    /// The host to connect to; an IPv6 address without its brackets.
    pub fn host(&self) -> &'a str {
        match self.authority.strip_prefix("[") {
            Some(address) => split(address, |b| b == b']').0,
            None => split(self.authority, |b| b == b':').0,
        }
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        let port = Authority::parse(self.authority.as_bytes()).and_then(|a| a.port);
        port.unwrap_or(if self.secure { 443 } else { 80 })
    }
}

/// What stands before the first byte of a kind, and the rest with it. Not by
/// the searches of `str`, which keep panic paths.
fn split(text: &str, is: fn(u8) -> bool) -> (&str, &str) {
    let end = text.bytes().position(is).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}
