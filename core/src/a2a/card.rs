//! The agent card (sections 1, 14 and 19), rendered from constants: what is
//! advertised is what is compiled in, and nothing else can get in.

use super::era::Wire;
#[cfg(feature = "pages")]
use super::page::Page;
use crate::buf::Sink;
use crate::json::write;
use crate::task::{Broken, Runtime, Skill, broken, same};

/// Who the agent is and where it is found: constant, in flash. Its skills are
/// those of the runtime, its capabilities what this build serves.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Its name.
    pub name: &'static str,
    /// What it is, for people and models.
    pub description: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The absolute URL of the endpoint, with the slash at its end (A-005,
    /// O-009).
    pub url: &'static str,
    /// The tenant that a client names with each request; empty for none
    ///
    pub tenant: &'static str,
    /// Who provides it.
    pub provider: Option<Provider>,
    /// Where its documentation is; empty for nowhere.
    pub documentation_url: &'static str,
    /// Where its icon is; empty for nowhere.
    pub icon_url: &'static str,
    /// How a caller may show who he is: each alone is enough.
    pub schemes: &'static [Scheme],
    /// Extensions of the protocol that the application serves, at most 32.
    pub extensions: &'static [Extension],
    /// Signatures of the public 1.x card, made where the key is. The
    /// signed text is the card that this writes without them.
    pub signatures: &'static [Signature],
    /// When it was changed last, as an HTTP date; empty for not told.
    pub last_modified: &'static str,
    /// Seconds for which a client may keep it.
    pub max_age_s: u32,
}

impl Card {
    /// A card of this name, description and version, for the endpoint at
    /// `url`, to be kept for an hour.
    pub const fn new(
        name: &'static str,
        description: &'static str,
        version: &'static str,
        url: &'static str,
    ) -> Self {
        Self {
            name,
            description,
            version,
            url,
            tenant: "",
            provider: None,
            documentation_url: "",
            icon_url: "",
            schemes: &[],
            extensions: &[],
            signatures: &[],
            last_modified: "",
            max_age_s: 3600,
        }
    }
}

/// Who provides an agent.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    /// The organization.
    pub organization: &'static str,
    /// Its page.
    pub url: &'static str,
}

/// One way in which a caller shows who he is.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// Its name in the card.
    pub name: &'static str,
    /// What it is.
    pub kind: SchemeKind,
}

/// The kinds of [`Scheme`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemeKind {
    /// `Authorization: Bearer`.
    Bearer,
    /// A secret in the header of this name.
    ApiKey(&'static str),
    /// OpenID Connect, described at this URL.
    OpenIdConnect(&'static str),
    /// Certificates of TLS on both sides.
    MutualTls,
}

/// An extension of the protocol.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// Its identity.
    pub uri: &'static str,
    /// What it is for; may be empty.
    pub description: &'static str,
    /// Whether a request without it is refused.
    pub required: bool,
    /// What else a client must know of it: a JSON object; may be empty.
    pub params: &'static str,
    /// Skills that it serves itself, and no runtime. They follow those of the
    /// runtime in the card.
    pub skills: &'static [Offer],
}

impl Extension {
    /// An extension of this URI, which is not required.
    pub const fn new(uri: &'static str) -> Self {
        Self {
            uri,
            description: "",
            required: false,
            params: "",
            skills: &[],
        }
    }
}

/// A skill of an extension, as the card tells it.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Its identity, unique in the card.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// What it does, for people and models.
    pub description: &'static str,
    /// At least one.
    pub tags: &'static [&'static str],
    /// Media types that it takes, at least one.
    pub input_modes: &'static [&'static str],
    /// Media types that it gives, at least one.
    pub output_modes: &'static [&'static str],
}

/// A detached signature of a card.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The protected header, in base64url.
    pub protected: &'static str,
    /// The signature, in base64url.
    pub signature: &'static str,
}

/// Which card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardKind {
    /// For `/.well-known/agent-card.json`: 1.x, or the merged one if
    /// [`Agent::merged_card`] is set.
    Current,
    /// For `/.well-known/agent.json`: 0.3.
    Old,
}

/// An agent: its card, its runtime, and the choices that a deployment has.
#[derive(Debug)]
pub struct Agent<R: 'static> {
    pub(super) card: Card,
    /// The longest that a request waits for its task, in milliseconds; then
    /// it is answered with the task as it is. 0: as long as it takes.
    pub wait_ms: u32,
    /// Whether tasks are streamed; without it the card says so, and the
    /// methods are refused with -32004.
    pub streaming: bool,
    /// Whether a known caller is given a card of what he may use.
    pub extended_card: bool,
    /// Whether the same message sent again is the same task. A
    /// conformance kit that uses an id for many messages needs it off.
    pub dedup: bool,
    /// Whether media types that the skill does not take or give are refused
    /// . A conformance kit that expects them to be taken needs
    /// it off.
    pub media_check: bool,
    /// Whether a 1.x method without a version header is served (D-004).
    pub lenient_version: bool,
    /// Whether 1.1 and later count as 1.0.
    pub any_minor: bool,
    /// Whether a member of a 0.3 request in the snake case of 1.x is refused,
    /// with an error that names the right spelling (O-012). Otherwise it is
    /// unknown, and skipped.
    pub strict_names: bool,
    /// URIs of extensions that a [`Responder`](crate::task::Responder)
    /// answers for, in the card or not. Their messages begin no work.
    #[cfg(feature = "extensions")]
    pub answered: &'static [&'static str],
    /// What else is served beside the endpoint with `GET`, to anyone, on
    /// connections that are told to.
    #[cfg(feature = "pages")]
    pub pages: &'static [Page<R>],
    /// Whether the card of 1.x has the members of 0.3 too (D-008): for
    /// clients of 0.3 that know the newer path alone. It then is no strict
    /// 1.x card.
    pub merged_card: bool,
    pub(super) skills: &'static [Skill<R>],
}

impl<R: Runtime> Agent<R> {
    /// An agent with this card: strict, with streams, that waits half a
    /// minute.
    ///
    /// # Panics
    /// When the runtime has no public skill, two of one id, a skill without a
    /// tag or modes, or more than 254 of them, or when there are more than 32
    /// extensions, or one of them has a skill like that. In a
    /// `static` that is an error of the build.
    pub const fn new(card: Card) -> Self {
        match Self::checked(card, R::SKILLS) {
            Ok(agent) => agent,
            Err(broken) => panic!("{}", broken.rule),
        }
    }

    /// The same for skills of a table that is made at run time: they stand in
    /// the place of [`Runtime::SKILLS`].
    ///
    /// # Errors
    /// The rule that [`new`](Self::new) stops the build for.
    pub const fn checked(card: Card, skills: &'static [Skill<R>]) -> Result<Self, Broken> {
        if card.extensions.len() > 32 {
            return Err(Broken::of("", "an agent has more than 32 extensions"));
        }
        if let Some(broken) = broken(skills) {
            return Err(broken);
        }
        if let Some(broken) = broken_offer(skills, card.extensions) {
            return Err(broken);
        }
        Ok(Self {
            card,
            wait_ms: 30_000,
            streaming: true,
            extended_card: false,
            dedup: true,
            media_check: true,
            lenient_version: false,
            any_minor: false,
            strict_names: false,
            #[cfg(feature = "extensions")]
            answered: &[],
            #[cfg(feature = "pages")]
            pages: &[],
            merged_card: false,
            skills,
        })
    }

    /// Its card.
    pub const fn card(&self) -> &Card {
        &self.card
    }

    /// What it can do, in the order in which a message is offered.
    pub const fn skills(&self) -> &'static [Skill<R>] {
        self.skills
    }

    /// The extensions that the values of the `A2A-Extensions` lines name, a
    /// bit each in the order of the card.
    pub fn extensions<'h>(&self, lines: impl Iterator<Item = &'h [u8]>) -> u32 {
        let uris = lines.flat_map(|line| line.split(|&byte| byte == b','));
        uris.fold(0, |found, named| {
            let named = named.trim_ascii();
            found | self.extension(|uri| uri.as_bytes() == named)
        })
    }

    /// The bit of the extension that `is` tells by its URI; 0 for none.
    pub(super) fn extension(&self, mut is: impl FnMut(&str) -> bool) -> u32 {
        let at = self.card.extensions.iter().position(|one| is(one.uri));
        at.and_then(|at| 1u32.checked_shl(at as u32)).unwrap_or(0)
    }

    /// Writes the value of the answer's `A2A-Extensions` line; nothing if
    /// none was activated.
    pub fn write_extensions(&self, out: &mut Sink<'_>, found: u32) {
        let mut first = true;
        for (at, extension) in self.card.extensions.iter().enumerate() {
            if found.checked_shr(at as u32).unwrap_or(0) & 1 == 1 {
                if !first {
                    out.byte(b',');
                }
                first = false;
                out.text(extension.uri);
            }
        }
    }

    /// Writes a public card.
    pub fn write_card(&self, out: &mut Sink<'_>, kind: CardKind) {
        match kind {
            CardKind::Current => self.write(out, Wire::V1, None),
            CardKind::Old => self.write(out, Wire::V03, None),
        }
    }

    /// Writes the entity tag of a public card, quotes included: it changes
    /// whenever a byte of the card does.
    ///
    /// Bound: writes the card once for each 128 bytes of it.
    pub fn write_etag(&self, out: &mut Sink<'_>, kind: CardKind) {
        let mut room = [0; 128];
        let mut from = 0usize;
        // FNV-1a.
        let mut hash = 0xCBF2_9CE4_8422_2325u64;
        loop {
            let mut window = Sink::window(&mut room, from);
            self.write_card(&mut window, kind);
            for &byte in window.kept() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
            }
            if !window.overflowed() {
                break;
            }
            from = from.saturating_add(window.filled());
        }
        out.byte(b'"');
        for shift in [60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0] {
            let digit = (hash >> shift & 15) as u8;
            out.byte(if digit < 10 {
                b'0' + digit
            } else {
                b'a' - 10 + digit
            });
        }
        out.byte(b'"');
    }

    /// Writes a card: the public one, or that of a caller with these scopes.
    pub(super) fn write(&self, out: &mut Sink<'_>, wire: Wire, scopes: Option<u32>) {
        let card = &self.card;
        let new = wire == Wire::V1;
        let old = !new || self.merged_card;
        out.text("{\"name\":");
        write::string(out, card.name);
        for (name, text) in [("description", card.description), ("version", card.version)] {
            member(out, name, text);
        }
        if new {
            self.write_interfaces(out);
        }
        if old {
            member(out, "url", card.url);
            out.text(",\"protocolVersion\":\"0.3.0\",\"preferredTransport\":\"JSONRPC\"");
        }
        self.write_capabilities(out, new);
        if old && self.extended_card {
            out.text(",\"supportsAuthenticatedExtendedCard\":true");
        }
        out.text(",\"defaultInputModes\":[\"text/plain\"],\"defaultOutputModes\":[\"text/plain\"]");
        out.text(",\"skills\":[");
        let mut first = true;
        for skill in self.skills {
            let shown = match scopes {
                None => skill.public,
                Some(scopes) => scopes & skill.scopes == skill.scopes,
            };
            if shown {
                if !first {
                    out.byte(b',');
                }
                first = false;
                write_skill(out, skill);
            }
        }
        for offer in card.extensions.iter().flat_map(|one| one.skills) {
            if !first {
                out.byte(b',');
            }
            first = false;
            write_offer(out, offer, &[]);
        }
        out.byte(b']');
        if let Some(provider) = card.provider {
            out.text(",\"provider\":{\"organization\":");
            write::string(out, provider.organization);
            member(out, "url", provider.url);
            out.byte(b'}');
        }
        for (name, text) in [
            ("documentationUrl", card.documentation_url),
            ("iconUrl", card.icon_url),
        ] {
            if !text.is_empty() {
                member(out, name, text);
            }
        }
        self.write_security(out, new, old);
        if new && scopes.is_none() {
            self.write_signatures(out);
        }
        out.byte(b'}');
    }

    /// One endpoint, both wires, the newer preferred.
    fn write_interfaces(&self, out: &mut Sink<'_>) {
        for (at, version) in ["1.0", "0.3"].into_iter().enumerate() {
            out.text(if at == 0 {
                ",\"supportedInterfaces\":[{\"url\":"
            } else {
                ",{\"url\":"
            });
            write::string(out, self.card.url);
            member(out, "protocolBinding", "JSONRPC");
            if !self.card.tenant.is_empty() {
                member(out, "tenant", self.card.tenant);
            }
            member(out, "protocolVersion", version);
            out.byte(b'}');
        }
        out.byte(b']');
    }

    fn write_capabilities(&self, out: &mut Sink<'_>, new: bool) {
        out.text(",\"capabilities\":{\"streaming\":");
        write::bool(out, self.streaming);
        out.text(",\"pushNotifications\":false");
        if new && self.extended_card {
            out.text(",\"extendedAgentCard\":true");
        }
        for (at, extension) in self.card.extensions.iter().enumerate() {
            out.text(if at == 0 {
                ",\"extensions\":[{\"uri\":"
            } else {
                ",{\"uri\":"
            });
            write::string(out, extension.uri);
            if !extension.description.is_empty() {
                member(out, "description", extension.description);
            }
            if extension.required {
                out.text(",\"required\":true");
            }
            if !extension.params.is_empty() {
                out.text(",\"params\":");
                out.text(extension.params);
            }
            out.byte(b'}');
        }
        out.text(if self.card.extensions.is_empty() {
            "}"
        } else {
            "]}"
        });
    }

    /// The schemes, each in its own object of 1.x, with members of 0.3, or
    /// with both (A-011, V-017); and that each alone is enough.
    fn write_security(&self, out: &mut Sink<'_>, new: bool, old: bool) {
        if self.card.schemes.is_empty() {
            return;
        }
        for (at, scheme) in self.card.schemes.iter().enumerate() {
            out.text(if at == 0 {
                ",\"securitySchemes\":{"
            } else {
                ","
            });
            write::string(out, scheme.name);
            out.text(":{");
            if new {
                write_new_scheme(out, scheme.kind);
            }
            if new && old {
                out.byte(b',');
            }
            if old {
                write_old_scheme(out, scheme.kind);
            }
            out.byte(b'}');
        }
        out.byte(b'}');
        if new {
            for (at, scheme) in self.card.schemes.iter().enumerate() {
                out.text(if at == 0 {
                    ",\"securityRequirements\":[{\"schemes\":{"
                } else {
                    ",{\"schemes\":{"
                });
                write::string(out, scheme.name);
                out.text(":{\"list\":[]}}}");
            }
            out.byte(b']');
        }
        if old {
            for (at, scheme) in self.card.schemes.iter().enumerate() {
                out.text(if at == 0 { ",\"security\":[{" } else { ",{" });
                write::string(out, scheme.name);
                out.text(":[]}");
            }
            out.byte(b']');
        }
    }

    fn write_signatures(&self, out: &mut Sink<'_>) {
        for (at, one) in self.card.signatures.iter().enumerate() {
            out.text(if at == 0 {
                ",\"signatures\":[{\"protected\":"
            } else {
                ",{\"protected\":"
            });
            write::string(out, one.protected);
            member(out, "signature", one.signature);
            out.byte(b'}');
        }
        if !self.card.signatures.is_empty() {
            out.byte(b']');
        }
    }
}

fn member(out: &mut Sink<'_>, name: &str, text: &str) {
    out.byte(b',');
    write::name(out, name);
    out.byte(b':');
    write::string(out, text);
}

fn write_new_scheme(out: &mut Sink<'_>, kind: SchemeKind) {
    match kind {
        SchemeKind::Bearer => {
            out.text("\"httpAuthSecurityScheme\":{\"scheme\":\"Bearer\"}");
        }
        SchemeKind::ApiKey(header) => {
            out.text("\"apiKeySecurityScheme\":{\"location\":\"header\",\"name\":");
            write::string(out, header);
            out.byte(b'}');
        }
        SchemeKind::OpenIdConnect(url) => {
            out.text("\"openIdConnectSecurityScheme\":{\"openIdConnectUrl\":");
            write::string(out, url);
            out.byte(b'}');
        }
        SchemeKind::MutualTls => out.text("\"mtlsSecurityScheme\":{}"),
    }
}

fn write_old_scheme(out: &mut Sink<'_>, kind: SchemeKind) {
    match kind {
        SchemeKind::Bearer => out.text("\"type\":\"http\",\"scheme\":\"bearer\""),
        SchemeKind::ApiKey(header) => {
            out.text("\"type\":\"apiKey\",\"in\":\"header\",\"name\":");
            write::string(out, header);
        }
        SchemeKind::OpenIdConnect(url) => {
            out.text("\"type\":\"openIdConnect\",\"openIdConnectUrl\":");
            write::string(out, url);
        }
        SchemeKind::MutualTls => out.text("\"type\":\"mutualTLS\""),
    }
}

fn write_skill<R>(out: &mut Sink<'_>, skill: &Skill<R>) {
    let offer = Offer {
        id: skill.id,
        name: skill.name,
        description: skill.description,
        tags: skill.tags,
        input_modes: skill.input_modes,
        output_modes: skill.output_modes,
    };
    write_offer(out, &offer, skill.examples);
}

fn write_offer(out: &mut Sink<'_>, offer: &Offer, examples: &[&str]) {
    out.text("{\"id\":");
    write::string(out, offer.id);
    member(out, "name", offer.name);
    member(out, "description", offer.description);
    for (name, list) in [
        (",\"tags\":[", offer.tags),
        (",\"examples\":[", examples),
        (",\"inputModes\":[", offer.input_modes),
        (",\"outputModes\":[", offer.output_modes),
    ] {
        for (at, text) in list.iter().enumerate() {
            out.text(if at == 0 { name } else { "," });
            write::string(out, text);
        }
        if !list.is_empty() {
            out.byte(b']');
        }
    }
    out.byte(b'}');
}

/// Which skill of an extension breaks which rule, if one does: those that a
/// skill of a runtime keeps, and an id that no other has.
const fn broken_offer<R>(skills: &[Skill<R>], extensions: &[Extension]) -> Option<Broken> {
    let mut i = 0;
    while i < extensions.len() {
        let offers = extensions[i].skills;
        let mut k = 0;
        while k < offers.len() {
            let offer = &offers[k];
            if offer.id.is_empty() {
                return Some(Broken::of(offer.name, "a skill has no id"));
            }
            if offer.tags.is_empty() {
                return Some(Broken::of(offer.id, "a skill has no tag"));
            }
            if offer.input_modes.is_empty() || offer.output_modes.is_empty() {
                return Some(Broken::of(offer.id, "a skill has no modes"));
            }
            let mut uses = 0;
            let mut n = 0;
            while n < skills.len() {
                uses += same(offer.id, skills[n].id) as usize;
                n += 1;
            }
            let mut n = 0;
            while n < extensions.len() {
                let others = extensions[n].skills;
                let mut m = 0;
                while m < others.len() {
                    uses += same(offer.id, others[m].id) as usize;
                    m += 1;
                }
                n += 1;
            }
            if uses != 1 {
                return Some(Broken::of(offer.id, "two skills have the same id"));
            }
            k += 1;
        }
        i += 1;
    }
    None
}
