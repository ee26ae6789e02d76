//! The table of resources.

use super::pattern::matches;
use super::reading::{Read, Reading, plain};
use crate::json::Text;
use crate::limits::{UNESCAPED_BYTES, URI_PARAMS};
use crate::tool::same;

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
        }
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

/// Where the resource of that URI stands: one of its own before a template.
///
/// A URI with escapes of JSON that is longer than
/// [`UNESCAPED_BYTES`](crate::limits::UNESCAPED_BYTES) is of no template.
pub(crate) fn find<App>(
    resources: &[Resource<App>],
    templates: &[Resource<App>],
    uri: Text<'_>,
) -> Option<At> {
    if let Some(at) = resources.iter().position(|one| uri.is(one.uri)) {
        return u8::try_from(at).ok().map(At::Resource);
    }
    let mut room = [0; UNESCAPED_BYTES];
    let uri = plain(uri, &mut room)?.as_bytes();
    let at = templates.iter().position(|one| matches(one.uri, uri))?;
    u8::try_from(at).ok().map(At::Template)
}

/// Checks a table when it is compiled.
///
/// # Panics
/// When an entry breaks a rule.
pub(crate) const fn verify<App>(table: &[Resource<App>], templates: bool) {
    assert!(table.len() < u8::MAX as usize, "more than 254 resources");
    #[cfg(feature = "subscriptions")]
    watches(table, templates);
    let mut i = 0;
    while i < table.len() {
        assert!(!table[i].name.is_empty(), "a resource has no name");
        let params = params(table[i].uri);
        offered(&table[i]);
        assert!(
            templates || params == 0,
            "the URI of a resource has a parameter: it is a template"
        );
        assert!(
            !templates || params != 0,
            "the URI of a template has no parameter"
        );
        let mut k = 0;
        while k < i {
            assert!(
                !same(table[i].uri, table[k].uri, false),
                "two resources have the same URI"
            );
            k += 1;
        }
        i += 1;
    }
}

/// Stops the build unless values are offered for parameters of the URI.
const fn offered<App>(one: &Resource<App>) {
    let mut i = 0;
    while i < one.values.len() {
        let (name, values) = one.values[i];
        assert!(!values.is_empty(), "nothing is offered for a parameter");
        let (uri, name) = (one.uri.as_bytes(), name.as_bytes());
        let mut found = false;
        let mut at = 0;
        while at + name.len() + 1 < uri.len() {
            let mut k = 0;
            while k < name.len() && uri[at + 1 + k] == name[k] {
                k += 1;
            }
            found |= uri[at] == b'{' && k == name.len() && uri[at + 1 + k] == b'}';
            at += 1;
        }
        assert!(
            found,
            "values are offered for a parameter that there is not"
        );
        i += 1;
    }
}

#[cfg(feature = "subscriptions")]
const fn watches<App>(table: &[Resource<App>], templates: bool) {
    let mut count = 0;
    let mut i = 0;
    while i < table.len() {
        if table[i].watch.is_some() {
            assert!(!templates, "a template cannot be subscribed to");
            count += 1;
        }
        i += 1;
    }
    assert!(
        count <= crate::limits::WATCHED,
        "more resources can be subscribed to than a server watches"
    );
}

/// How many parameters a URI has.
const fn params(text: &str) -> usize {
    let uri = text.as_bytes();
    assert!(
        !uri.is_empty() && uri[0].is_ascii_alphabetic(),
        "a URI does not begin with a scheme"
    );
    let mut names = [""; URI_PARAMS];
    let mut count = 0;
    let mut scheme = false;
    let mut i = 0;
    while i < uri.len() {
        assert!(
            uri[i] > b' ' && uri[i] < 0x7F && uri[i] != b'"' && uri[i] != b'\\' && uri[i] != b'}',
            "a URI has a character that it must not have"
        );
        scheme = scheme || uri[i] == b':';
        if uri[i] == b'{' {
            assert!(scheme, "the scheme of a URI has a parameter");
            assert!(count < URI_PARAMS, "a URI has too many parameters");
            let (_, behind) = text.split_at(i + 1);
            let rest = behind.as_bytes();
            let mut len = 0;
            while len < rest.len() && (rest[len].is_ascii_alphanumeric() || rest[len] == b'_') {
                len += 1;
            }
            assert!(
                len > 0 && len < rest.len() && rest[len] == b'}',
                "a parameter of a URI is not a name in braces"
            );
            assert!(
                len + 1 == rest.len() || rest[len + 1] != b'{',
                "a URI has two parameters with nothing between them"
            );
            let (name, _) = behind.split_at(len);
            let mut k = 0;
            while k < count {
                assert!(
                    !same(name, names[k], false),
                    "two parameters of a URI have the same name"
                );
                k += 1;
            }
            names[count] = name;
            count += 1;
            i += len + 1;
        }
        i += 1;
    }
    assert!(scheme, "a URI has no scheme");
    count
}
