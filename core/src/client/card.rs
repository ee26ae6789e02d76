//! The card that an agent shows: untrusted, whoever signed it.

use super::agent::Wire;
use super::endpoint::Endpoint;
use super::members::{Wrong, needed, object, of_kind, text, wrong};
use crate::json::{Kind, Text, Value};
use crate::limits::{CARD_INTERFACES, HTTP_TARGET_BYTES};

/// A card of either wire.
#[derive(Clone, Copy, Debug)]
pub struct AgentCard<'a> {
    /// What the agent calls itself. Text from outside.
    pub name: Text<'a>,
    card: Value<'a>,
}

/// Where an agent of a card is called, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface<'s> {
    /// Where.
    pub endpoint: Endpoint<'s>,
    /// On which wire.
    pub wire: Wire,
    /// The tenant that each request must name, or empty.
    pub tenant: &'s str,
}

impl<'a> AgentCard<'a> {
    /// Reads a card; its text has been bounded by the buffer that it was
    /// received in.
    ///
    /// # Errors
    /// It is no object, or has no name.
    pub fn read(card: Value<'a>) -> Result<Self, Wrong> {
        object(card, "card")?;
        Ok(Self {
            name: needed(card, "name", "name")?,
            card,
        })
    }

    /// The first interface that can be used: JSON-RPC of 1.0 or 0.3, at an
    /// origin that is in `allowed`; see [`Endpoint::new`]. Of each card, the
    /// first [`CARD_INTERFACES`] are looked at.
    ///
    /// Its URL and tenant are copied to `room`, so that the buffer of the card
    /// can be used again: [`HTTP_TARGET_BYTES`] bytes are always enough, and a
    /// longer URL or tenant is passed over.
    ///
    /// # Errors
    /// There is none, or a member that is of another type, or stands twice.
    pub fn interface<'s>(
        &self,
        allowed: &[&str],
        room: &'s mut [u8],
    ) -> Result<Interface<'s>, Wrong> {
        let list = of_kind(
            self.card,
            "supportedInterfaces",
            "supportedInterfaces",
            Kind::Array,
        )?;
        let found = match list {
            Some(list) => self.new_interface(list, allowed, room)?,
            None => self.old_interface(allowed, room)?,
        };
        let (wire, url, tenant) = found.ok_or(wrong(
            "card",
            "has no interface of JSON-RPC that is allowed",
        ))?;
        let room: &'s [u8] = room;
        let (url, rest) = room.split_at_checked(url).unwrap_or_default();
        let tenant = rest.get(..tenant).unwrap_or_default();
        let text = |bytes| core::str::from_utf8(bytes).unwrap_or_default();
        Ok(Interface {
            endpoint: Endpoint::new(text(url), allowed)?,
            wire,
            tenant: text(tenant),
        })
    }

    /// Of a card of 1.x.
    fn new_interface(
        &self,
        list: Value<'a>,
        allowed: &[&str],
        room: &mut [u8],
    ) -> Result<Option<(Wire, usize, usize)>, Wrong> {
        for one in list.elements().take(CARD_INTERFACES) {
            object(one, "supportedInterfaces")?;
            let url = needed(one, "url", "supportedInterfaces.url")?;
            let binding = needed(
                one,
                "protocolBinding",
                "supportedInterfaces.protocolBinding",
            )?;
            let version = needed(
                one,
                "protocolVersion",
                "supportedInterfaces.protocolVersion",
            )?;
            let tenant = text(one, "tenant", "supportedInterfaces.tenant")?;
            if let Some(wire) = wire(version)
                && binding.is("JSONRPC")
                && let Some(lens) = take(url, tenant, allowed, room)
            {
                return Ok(Some((wire, lens.0, lens.1)));
            }
        }
        Ok(None)
    }

    /// Of a card of 0.3 (V-016).
    fn old_interface(
        &self,
        allowed: &[&str],
        room: &mut [u8],
    ) -> Result<Option<(Wire, usize, usize)>, Wrong> {
        if wire(needed(self.card, "protocolVersion", "protocolVersion")?) != Some(Wire::V03) {
            return Ok(None);
        }
        let url = needed(self.card, "url", "url")?;
        let transport = text(self.card, "preferredTransport", "preferredTransport")?;
        if transport.is_none_or(|name| name.is("JSONRPC"))
            && let Some((url, _)) = take(url, None, allowed, room)
        {
            return Ok(Some((Wire::V03, url, 0)));
        }
        let more = of_kind(
            self.card,
            "additionalInterfaces",
            "additionalInterfaces",
            Kind::Array,
        )?;
        for one in more.iter().flat_map(|m| m.elements()).take(CARD_INTERFACES) {
            object(one, "additionalInterfaces")?;
            let url = needed(one, "url", "additionalInterfaces.url")?;
            let transport = needed(one, "transport", "additionalInterfaces.transport")?;
            if transport.is("JSONRPC")
                && let Some((url, _)) = take(url, None, allowed, room)
            {
                return Ok(Some((Wire::V03, url, 0)));
            }
        }
        Ok(None)
    }
}

/// The wire of a version: `1.0`, or `0.3`, with or without a patch.
fn wire(version: Text<'_>) -> Option<Wire> {
    let mut chars = version.chars();
    match (chars.next(), chars.next(), chars.next(), chars.next()) {
        (Some('1'), Some('.'), Some('0'), None | Some('.')) => Some(Wire::V1),
        (Some('0'), Some('.'), Some('3'), None | Some('.')) => Some(Wire::V03),
        _ => None,
    }
}

/// Copies a URL and a tenant to `room`, if the URL may be called; gives their
/// lengths.
fn take(
    url: Text<'_>,
    tenant: Option<Text<'_>>,
    allowed: &[&str],
    room: &mut [u8],
) -> Option<(usize, usize)> {
    let most = room.len().min(HTTP_TARGET_BYTES);
    let room = room.get_mut(..most)?;
    let url = {
        let url = url.copy_to(room)?;
        Endpoint::new(url, allowed).ok()?;
        url.len()
    };
    let tenant = match tenant {
        Some(tenant) => tenant.copy_to(room.get_mut(url..)?)?.len(),
        None => 0,
    };
    Some((url, tenant))
}
