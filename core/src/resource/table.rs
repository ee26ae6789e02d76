//! The table of resources.

use super::pattern::matches;
use super::reading::{Read, Reading, plain};
use crate::json::Text;
use crate::limits::{UNESCAPED_BYTES, URI_PARAMS};
use crate::tool::{Broken, Sight, has, same};

/// What reads a resource. It is called once for each reading, and must not
/// wait.
pub type Reader<App> = fn(&mut App, &mut Reading<'_>) -> Read;

/// What tells whether a resource has changed: a number that is another one
/// when it has. It is asked for every [`Device::watch_ms`] milliseconds while
/// somebody has subscribed, so it must be quick; changes that come and go
/// between two looks are not told.
///
/// [`Device::watch_ms`]: crate::mcp::Device::watch_ms
#[cfg(feature = "subscriptions")]
pub type Watch<App> = fn(&App, crate::time::Instant) -> u32;

/// How long, and for whom, a reading may be kept (M-044, M-045).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Milliseconds after which it is stale; 0 means at once.
    pub ttl_ms: u32,
    /// Whether a cache may give it to anybody, not only to who has read it.
    pub public: bool,
}

impl Cache {
    /// Stale at once, for nobody else: what a sensor says.
    pub const NONE: Self = Self {
        ttl_ms: 0,
        public: false,
    };
}

/// One resource; or a family of them, if its URI has parameters.
///
/// ```
/// use agentmote::mcp::{Device, Identity};
/// use agentmote::resource::{Resource, Reading};
///
/// static DEVICE: Device<u8> = Device::new(Identity::new("fan", "1.0.0"), &[])
///     .resources(&[Resource {
///         mime: "text/plain",
///         ..Resource::new("fan://speed", "speed", |speed: &mut u8, reading: &mut Reading<'_>| {
///             reading.format(format_args!("{speed}"))
///         })
///     }]);
/// ```
///
/// A table that breaks a rule does not build:
///
/// ```compile_fail
/// # use agentmote::mcp::{Device, Identity};
/// # use agentmote::resource::Resource;
/// static DEVICE: Device<()> = Device::new(Identity::new("arm", "1.0.0"), &[])
///     .templates(&[Resource::new("arm://{joint}{axis}", "joint", |_, r| r.missing())]);
/// ```
#[derive(Debug)]
pub struct Resource<App> {
    /// A URI of visible ASCII. In a template, `{name}` stands for a parameter
    /// of letters, digits and `_`: at most
    /// [`URI_PARAMS`](crate::limits::URI_PARAMS) of them, behind the scheme,
    /// with text between any two.
    pub uri: &'static str,
    /// For programs; must not be empty.
    pub name: &'static str,
    /// For people; empty for none.
    pub title: &'static str,
    /// For models; empty for none.
    pub description: &'static str,
    /// Media type; empty if not told.
    pub mime: &'static str,
    /// How long a reading may be kept.
    pub cache: Cache,
    /// What is offered when a parameter of a template is typed: its name and
    /// values; any other is allowed too (M-159). Served with the feature
    /// `prompts`.
    pub values: &'static [(&'static str, &'static [&'static str])],
    /// What reads it.
    pub read: Reader<App>,
    /// What tells whether it has changed; `None` if nobody can subscribe to
    /// it. A template has none. At most
    /// [`WATCHED`](crate::limits::WATCHED) resources of a device have one.
    #[cfg(feature = "subscriptions")]
    pub watch: Option<Watch<App>>,
    /// The scopes that a caller must have, all of them. For who lacks one,
    /// there is no such resource.
    #[cfg(feature = "scopes")]
    pub scopes: u32,
}

impl<App> Resource<App> {
    /// A resource, to be changed field by field.
    pub const fn new(uri: &'static str, name: &'static str, read: Reader<App>) -> Self {
        Self {
            uri,
            name,
            title: "",
            description: "",
            mime: "",
            cache: Cache::NONE,
            values: &[],
            read,
            #[cfg(feature = "subscriptions")]
            watch: None,
            #[cfg(feature = "scopes")]
            scopes: 0,
        }
    }

    /// The scopes that it needs.
    pub(crate) const fn needs(&self) -> u32 {
        #[cfg(feature = "scopes")]
        return self.scopes;
        #[cfg(not(feature = "scopes"))]
        0
    }
}

#[cfg(feature = "prompts")]
impl<App> Resource<App> {
    /// The values that are offered for a parameter; `None` if the template
    /// has no such.
    pub(crate) fn completion(&self, name: Text<'_>) -> Option<&'static [&'static str]> {
        let mut rest = self.uri;
        while let Some((_, behind)) = rest.split_once('{') {
            let (param, tail) = behind.split_once('}')?;
            if name.is(param) {
                let values = self.values.iter().find(|(of, _)| *of == param);
                return Some(values.map_or(&[], |(_, values)| values));
            }
            rest = tail;
        }
        None
    }
}

/// Where a resource stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Among the resources.
    Resource(u8),
    /// Among the templates.
    Template(u8),
}

/// Where the resource of that URI stands, as far as it is seen: one of its own
/// before a template.
///
/// A URI with escapes of JSON that is longer than
/// [`UNESCAPED_BYTES`](crate::limits::UNESCAPED_BYTES) is of no template.
pub(crate) fn find<App>(
    resources: &[Resource<App>],
    templates: &[Resource<App>],
    uri: Text<'_>,
    sight: Sight,
) -> Option<At> {
    let mut all = resources.iter();
    if let Some(at) = all.position(|one| uri.is(one.uri) && sight.has(one.needs())) {
        return u8::try_from(at).ok().map(At::Resource);
    }
    let mut room = [0; UNESCAPED_BYTES];
    let uri = plain(uri, &mut room)?.as_bytes();
    let mut all = templates.iter();
    let at = all.position(|one| matches(one.uri, uri) && sight.has(one.needs()))?;
    u8::try_from(at).ok().map(At::Template)
}

/// The rule that a table breaks, if it breaks one.
pub(crate) const fn broken<App>(table: &[Resource<App>], templates: bool) -> Option<Broken> {
    if table.len() >= u8::MAX as usize {
        return Some(Broken::of("", "more than 254 resources"));
    }
    #[cfg(feature = "subscriptions")]
    if let Some(rule) = watch_rule(table, templates) {
        return Some(Broken::of("", rule));
    }
    let mut i = 0;
    while i < table.len() {
        if let Some(rule) = broken_rule(table, i, templates) {
            return Some(Broken::of(table[i].uri, rule));
        }
        i += 1;
    }
    None
}

/// The rule that is broken if values are offered for parameters that the URI
/// has not.
const fn offered_rule<App>(one: &Resource<App>) -> Option<&'static str> {
    let uri = one.uri.as_bytes();
    let mut i = 0;
    while i < one.values.len() {
        let (name, values) = one.values[i];
        hold!(!values.is_empty(), "nothing is offered for a parameter");
        let name = name.as_bytes();
        let mut found = false;
        let mut at = 0;
        while at < uri.len() {
            let mut k = 0;
            while k < name.len() && byte(uri, at + 1 + k) == byte(name, k) {
                k += 1;
            }
            found |= byte(uri, at) == b'{' && k == name.len() && byte(uri, at + 1 + k) == b'}';
            at += 1;
        }
        hold!(
            found,
            "values are offered for a parameter that there is not"
        );
        i += 1;
    }
    None
}

#[cfg(feature = "subscriptions")]
const fn watch_rule<App>(table: &[Resource<App>], templates: bool) -> Option<&'static str> {
    let mut count = 0;
    let mut i = 0;
    while i < table.len() {
        if table[i].watch.is_some() {
            hold!(!templates, "a template cannot be subscribed to");
            count += 1;
        }
        i += 1;
    }
    hold!(
        count <= crate::limits::WATCHED,
        "more resources can be subscribed to than a server watches"
    );
    None
}

/// The rule that the resource at `at` breaks.
const fn broken_rule<App>(
    table: &[Resource<App>],
    at: usize,
    templates: bool,
) -> Option<&'static str> {
    if at >= table.len() {
        return None;
    }
    let uri = table[at].uri;
    hold!(!table[at].name.is_empty(), "a resource has no name");
    pass!(uri_rule(uri));
    pass!(offered_rule(&table[at]));
    let has_params = has(uri, b'{');
    hold!(
        templates || !has_params,
        "the URI of a resource has a parameter: it is a template"
    );
    hold!(
        !templates || has_params,
        "the URI of a template has no parameter"
    );
    let mut k = 0;
    while k < at {
        hold!(
            !same(uri, table[k].uri, false),
            "two resources have the same URI"
        );
        k += 1;
    }
    None
}

/// The rule that a URI breaks.
const fn uri_rule(text: &str) -> Option<&'static str> {
    let uri = text.as_bytes();
    hold!(
        byte(uri, 0).is_ascii_alphabetic(),
        "a URI does not begin with a scheme"
    );
    let mut count = 0;
    let mut scheme = false;
    let mut i = 0;
    while i < uri.len() {
        let here = byte(uri, i);
        hold!(
            here > b' ' && here < 0x7F && here != b'"' && here != b'\\' && here != b'}',
            "a URI has a character that it must not have"
        );
        scheme = scheme || here == b':';
        if here == b'{' {
            hold!(scheme, "the scheme of a URI has a parameter");
            hold!(count < URI_PARAMS, "a URI has too many parameters");
            let mut end = i + 1;
            while byte(uri, end).is_ascii_alphanumeric() || byte(uri, end) == b'_' {
                end += 1;
            }
            hold!(
                end > i + 1 && byte(uri, end) == b'}',
                "a parameter of a URI is not a name in braces"
            );
            hold!(
                byte(uri, end + 1) != b'{',
                "a URI has two parameters with nothing between them"
            );
            let mut k = 0;
            while k < i {
                hold!(
                    byte(uri, k) != b'{' || !same_param(uri, k, i),
                    "two parameters of a URI have the same name"
                );
                k += 1;
            }
            count += 1;
            i = end;
        }
        i += 1;
    }
    hold!(scheme, "a URI has no scheme");
    None
}

/// The byte at `at`; 0 behind the end, which no URI has.
const fn byte(uri: &[u8], at: usize) -> u8 {
    if at < uri.len() { uri[at] } else { 0 }
}

/// Whether the parameters in the braces at two places have the same name.
const fn same_param(uri: &[u8], a: usize, b: usize) -> bool {
    let mut i = 1;
    while byte(uri, a + i) == byte(uri, b + i) {
        if matches!(byte(uri, a + i), b'}' | 0) {
            return true;
        }
        i += 1;
    }
    false
}
