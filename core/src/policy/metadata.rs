//! What a client is told of where credentials come from: the challenge of a
//! refusal, and the metadata of the protected resource (RFC 9728; M-201 to
//! M-203).

use super::gate::{Denial, Rules};
use crate::buf::Sink;
use crate::json::write;

/// Where the metadata is, without the path of the endpoint behind it.
pub(crate) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The server as a protected resource of OAuth.
#[derive(Clone, Copy, Debug)]
pub struct Protected {
    /// The absolute URL of the endpoint: what tokens are issued for.
    pub resource: &'static str,
    /// The absolute URL of the metadata: the host of the resource with
    /// `/.well-known/oauth-protected-resource` and the path of the endpoint.
    pub metadata: &'static str,
    /// The issuers of tokens, at least one (M-202).
    pub authorization_servers: &'static [&'static str],
}

impl Protected {
    /// Writes the document, without a secret: anybody may read it.
    pub(crate) fn write(&self, out: &mut Sink<'_>, scopes: &[&str]) {
        out.text("{\"resource\":");
        write::string(out, self.resource);
        out.text(",\"authorization_servers\":");
        texts(out, self.authorization_servers);
        if !scopes.is_empty() {
            out.text(",\"scopes_supported\":");
            texts(out, scopes);
        }
        out.text(",\"bearer_methods_supported\":[\"header\"]}");
    }
}

fn texts(out: &mut Sink<'_>, texts: &[&str]) {
    out.byte(b'[');
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            out.byte(b',');
        }
        write::string(out, text);
    }
    out.byte(b']');
}

/// Writes the value of `WWW-Authenticate` (RFC 6750 section 3, RFC 9728
/// section 5.1). A request that shows nothing is told no error; one that
/// shows something that is not good is told the same, whatever is wrong with
/// it.
pub(crate) fn write_challenge(out: &mut Sink<'_>, rules: &Rules, denial: Denial) {
    out.text("Bearer");
    let mut first = true;
    let mut put = |out: &mut Sink<'_>, name: &str, value: &dyn Fn(&mut Sink<'_>)| {
        out.text(if first { " " } else { ", " });
        first = false;
        out.text(name);
        out.text("=\"");
        value(out);
        out.byte(b'"');
    };
    if !rules.realm.is_empty() {
        put(out, "realm", &|out| out.text(rules.realm));
    }
    let (error, needed) = match denial {
        Denial::Missing(needed) => ("", needed),
        Denial::Unknown(needed) => ("invalid_token", needed),
        Denial::Scope(needed) => ("insufficient_scope", needed),
        Denial::Tries(_) => ("", 0),
    };
    if !error.is_empty() {
        put(out, "error", &|out| out.text(error));
    }
    if names(rules, needed).next().is_some() {
        put(out, "scope", &|out| {
            for (at, name) in names(rules, needed).enumerate() {
                if at > 0 {
                    out.byte(b' ');
                }
                out.text(name);
            }
        });
    }
    if let Some(protected) = &rules.protected {
        put(out, "resource_metadata", &|out| {
            out.text(protected.metadata);
        });
    }
}

/// The names of these scopes, as far as they have any.
fn names(rules: &Rules, scopes: u32) -> impl Iterator<Item = &'static str> {
    let all = rules.scopes.iter().copied().zip(0..u32::BITS);
    all.filter(move |(_, bit)| scopes.wrapping_shr(*bit) & 1 != 0)
        .map(|(name, _)| name)
}
