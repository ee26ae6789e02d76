//! Pages beside the endpoint: for people, for programs, and cards at paths of
//! a deployment. They are made from what the card is made from, and written
//! through a window like every answer: none needs a buffer of its size.

use super::card::{Agent, CardKind, SchemeKind};
use super::era::{Method, NAMES, Wire};
use crate::buf::Sink;
use crate::json::write;
use crate::task::Runtime;

/// What is served at one path with `GET`, to anyone.
#[derive(Debug)]
pub struct Page<R: 'static> {
    /// The path, with its slash in front and none behind.
    pub path: &'static str,
    /// What is there.
    pub shows: Shows<R>,
}

impl<R> Page<R> {
    /// A card at another path.
    pub const fn card(path: &'static str, kind: CardKind) -> Self {
        Self {
            path,
            shows: Shows::Card(kind),
        }
    }

    /// A text of this media type. `write` writes the same bytes each time
    /// while one answer is sent: it is called once to count them, and once
    /// for each window.
    pub const fn text(
        path: &'static str,
        media: &'static str,
        write: fn(&Agent<R>, &mut Sink<'_>),
    ) -> Self {
        Self {
            path,
            shows: Shows::Text { media, write },
        }
    }
}

/// What is at the path of a [`Page`].
#[derive(Clone, Copy, Debug)]
pub enum Shows<R: 'static> {
    /// A card, with its entity tag.
    Card(CardKind),
    /// A text, which nobody keeps.
    Text {
        /// Its media type.
        media: &'static str,
        /// What writes it.
        write: fn(&Agent<R>, &mut Sink<'_>),
    },
}

/// One section of a page for people.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// A paragraph; empty for none.
    pub text: &'static str,
    /// An example, its lines as they stand; empty for none.
    pub example: &'static str,
}

/// Writes text as a part of an HTML page.
pub fn html(out: &mut Sink<'_>, text: &str) {
    for &byte in text.as_bytes() {
        match byte {
            b'&' => out.text("&amp;"),
            b'<' => out.text("&lt;"),
            b'>' => out.text("&gt;"),
            b'"' => out.text("&quot;"),
            _ => out.byte(byte),
        }
    }
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\">\n<title>";

const STYLE: &str = "</title>\n<style>\nbody{font:16px/1.5 sans-serif;max-width:46rem;\
    margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}\n\
    code,pre{font-family:monospace;background:#f2f2f2}\npre{padding:.7rem;overflow:auto}\n\
    table{border-collapse:collapse}\nth,td{text-align:left;padding:.2rem .8rem .2rem 0;\
    vertical-align:top}\n</style>\n</head>\n<body>\n<h1>";

/// The methods that an agent serves, those of 0.3 first.
fn methods<R: Runtime>(agent: &Agent<R>) -> impl Iterator<Item = &'static str> {
    let served = |method: Method| match method {
        Method::Push => false,
        Method::ExtendedCard => agent.extended_card,
        _ => agent.streaming || !method.streams(),
    };
    [Wire::V03, Wire::V1].into_iter().flat_map(move |wire| {
        let all = NAMES.iter();
        all.filter(move |(_, of, method)| *of == wire && served(*method))
            .map(|(name, _, _)| *name)
    })
}

impl<R: Runtime> Agent<R> {
    /// The path of the endpoint: that of the card's URL.
    pub fn path(&self) -> &'static str {
        let url = self.card.url;
        let mut slashes = 0u32;
        // Two stand between the scheme and the host.
        let at = url.bytes().position(|byte| {
            slashes = slashes.saturating_add(u32::from(byte == b'/'));
            slashes == 3
        });
        at.and_then(|at| url.get(at..)).unwrap_or("/")
    }

    /// Writes a page for people, in HTML: what the agent is, where it is
    /// found, what it takes, who may ask; then these sections.
    pub fn write_guide(&self, out: &mut Sink<'_>, sections: &[Section]) {
        let card = &self.card;
        out.text(HEAD);
        html(out, card.name);
        out.text(STYLE);
        html(out, card.name);
        out.text("</h1>\n<p>");
        html(out, card.description);
        out.text("</p>\n<p>Version ");
        html(out, card.version);
        out.text("</p>\n<h2>Endpoint</h2>\n<p>JSON-RPC: <code>POST ");
        html(out, self.path());
        out.text(
            "</code>, with the slash at its end. The name of a method stands in the \
             body, and is no path.</p>\n<h2>Methods</h2>\n<ul>\n",
        );
        for name in methods(self) {
            out.text("<li><code>");
            html(out, name);
            out.text("</code></li>\n");
        }
        out.text("</ul>\n<h2>Pages</h2>\n<ul>\n");
        for page in self.pages {
            out.text("<li><a href=\"");
            html(out, page.path);
            out.text("\">");
            html(out, page.path);
            out.text("</a></li>\n");
        }
        out.text("</ul>\n<h2>Who may ask</h2>\n");
        if card.schemes.is_empty() {
            out.text("<p>Anyone.</p>\n");
        } else {
            out.text("<p>Whoever shows a credential, in one of these ways:</p>\n<ul>\n");
        }
        for scheme in card.schemes {
            out.text("<li><code>");
            match scheme.kind {
                SchemeKind::Bearer => out.text("Authorization: Bearer &lt;secret&gt;"),
                SchemeKind::ApiKey(header) => {
                    html(out, header);
                    out.text(": &lt;secret&gt;");
                }
                SchemeKind::OpenIdConnect(url) => {
                    out.text("OpenID Connect, ");
                    html(out, url);
                }
                SchemeKind::MutualTls => out.text("mutual TLS"),
            }
            out.text("</code></li>\n");
        }
        if !card.schemes.is_empty() {
            out.text("</ul>\n");
        }
        out.text(
            "<h2>Skills</h2>\n<table>\n<tr><th>Id</th><th>Name</th><th>What it does</th></tr>\n",
        );
        self.public_skills(|id, name, description| {
            out.text("<tr><td><code>");
            html(out, id);
            out.text("</code></td><td>");
            html(out, name);
            out.text("</td><td>");
            html(out, description);
            out.text("</td></tr>\n");
        });
        out.text("</table>\n");
        if !card.extensions.is_empty() {
            out.text("<h2>Extensions</h2>\n<ul>\n");
        }
        for extension in card.extensions {
            out.text("<li><code>");
            html(out, extension.uri);
            out.text("</code> ");
            html(out, extension.description);
            out.text("</li>\n");
        }
        if !card.extensions.is_empty() {
            out.text("</ul>\n");
        }
        for section in sections {
            out.text("<h2>");
            html(out, section.title);
            out.text("</h2>\n");
            if !section.text.is_empty() {
                out.text("<p>");
                html(out, section.text);
                out.text("</p>\n");
            }
            if !section.example.is_empty() {
                out.text("<pre>");
                html(out, section.example);
                out.text("</pre>\n");
            }
        }
        out.text("</body>\n</html>\n");
    }

    /// Writes the same for programs, in JSON; then these members, each a name
    /// and a JSON value.
    pub fn write_description(&self, out: &mut Sink<'_>, members: &[(&str, &str)]) {
        let card = &self.card;
        out.byte(b'{');
        for (at, (name, text)) in [
            ("name", card.name),
            ("description", card.description),
            ("version", card.version),
            ("endpoint", self.path()),
            ("url", card.url),
            ("protocol", "JSON-RPC 2.0"),
        ]
        .into_iter()
        .enumerate()
        {
            if at > 0 {
                out.byte(b',');
            }
            write::string(out, name);
            out.byte(b':');
            write::string(out, text);
        }
        out.text(",\"protocolVersions\":[\"0.3\",\"1.0\"]");
        list(out, "methods", methods(self));
        list(out, "pages", self.pages.iter().map(|page| page.path));
        list(out, "extensions", card.extensions.iter().map(|one| one.uri));
        out.text(",\"skills\":[");
        let mut first = true;
        self.public_skills(|id, _, _| {
            if !first {
                out.byte(b',');
            }
            first = false;
            write::string(out, id);
        });
        out.byte(b']');
        for (name, value) in members {
            out.byte(b',');
            write::string(out, name);
            out.byte(b':');
            out.text(value);
        }
        out.byte(b'}');
    }

    /// Writes where to go instead of a path that is not there.
    pub(crate) fn write_hint(&self, out: &mut Sink<'_>) {
        out.text("no such path\n");
        out.text("JSON-RPC is POST ");
        out.text(self.path());
        out.text("; the name of a method, such as message/send, stands in its body.\n");
        for page in self.pages {
            out.text(match page.shows {
                Shows::Card(_) => "The card is GET ",
                Shows::Text { .. } => "There is GET ",
            });
            out.text(page.path);
            out.byte(b'\n');
        }
    }

    /// The skills that the public card shows: id, name, description.
    fn public_skills(&self, mut each: impl FnMut(&str, &str, &str)) {
        for skill in self.skills.iter().filter(|skill| skill.public) {
            each(skill.id, skill.name, skill.description);
        }
        for offer in self.card.extensions.iter().flat_map(|one| one.skills) {
            each(offer.id, offer.name, offer.description);
        }
    }
}

fn list<'t>(out: &mut Sink<'_>, name: &str, texts: impl Iterator<Item = &'t str>) {
    out.byte(b',');
    write::string(out, name);
    out.text(":[");
    for (at, text) in texts.enumerate() {
        if at > 0 {
            out.byte(b',');
        }
        write::string(out, text);
    }
    out.byte(b']');
}
