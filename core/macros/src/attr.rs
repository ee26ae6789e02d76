//! What stands in `#[arg(..)]` and `#[result(..)]`.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Expr, LitStr, RangeLimits, Result};

/// Keys of a parameter.
pub(crate) const ARG: &[&str] = &[
    "range", "length", "items", "unit", "default", "name", "header",
];
/// Keys of a member of a result.
pub(crate) const RESULT: &[&str] = &["range", "length", "items", "unit", "name"];
/// Keys of a choice.
pub(crate) const CHOICE: &[&str] = &["name"];

/// The settings of one field or variant.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) range: Option<Bounds>,
    pub(crate) length: Option<Bounds>,
    pub(crate) items: Option<Bounds>,
    pub(crate) unit: Option<LitStr>,
    pub(crate) default: Option<Expr>,
    pub(crate) name: Option<LitStr>,
    pub(crate) header: Option<LitStr>,
}

impl Settings {
    /// Whether not every value of the type is allowed.
    pub(crate) fn is_narrow(&self) -> bool {
        self.range.is_some() || self.length.is_some() || self.items.is_some()
    }

    /// Reads every attribute called `helper`; `allowed` are its keys.
    pub(crate) fn read(attrs: &[Attribute], helper: &str, allowed: &[&str]) -> Result<Self> {
        let mut settings = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident(helper)) {
            attr.parse_nested_meta(|meta| settings.set(&meta, allowed))?;
        }
        Ok(settings)
    }

    fn set(&mut self, meta: &ParseNestedMeta<'_>, allowed: &[&str]) -> Result<()> {
        let key = key(meta, allowed)?;
        match key.as_str() {
            "range" => once(&mut self.range, meta, &key),
            "length" => once(&mut self.length, meta, &key),
            "items" => once(&mut self.items, meta, &key),
            "unit" => once(&mut self.unit, meta, &key),
            "default" => once(&mut self.default, meta, &key),
            "name" => once(&mut self.name, meta, &key),
            _ => once(&mut self.header, meta, &key),
        }
    }
}

/// The key of an entry, if it is one of `allowed`.
pub(crate) fn key(meta: &ParseNestedMeta<'_>, allowed: &[&str]) -> Result<String> {
    let key = meta.path.get_ident().map(ToString::to_string);
    match key {
        Some(key) if allowed.contains(&key.as_str()) => Ok(key),
        _ => Err(meta.error(format!("unknown key; the keys are: {}", allowed.join(", ")))),
    }
}

/// Reads the value behind the `=` of an entry that may stand once.
pub(crate) fn once<T: Parse>(
    place: &mut Option<T>,
    meta: &ParseNestedMeta<'_>,
    key: &str,
) -> Result<()> {
    if place.is_some() {
        return Err(meta.error(format!("`{key}` stands twice")));
    }
    *place = Some(meta.value()?.parse()?);
    Ok(())
}

/// An inclusive range, open at most at one end.
pub(crate) struct Bounds {
    pub(crate) low: Option<Expr>,
    pub(crate) high: Option<Expr>,
    pub(crate) span: Span,
}

impl Parse for Bounds {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let expr: Expr = input.parse()?;
        let span = expr.span();
        let Expr::Range(range) = expr else {
            return Err(Error::new(
                span,
                "expected an inclusive range, such as `0..=5`",
            ));
        };
        match (&range.start, &range.end, range.limits) {
            (None, None, _) => Err(Error::new(span, "a range without a bound says nothing")),
            (_, Some(_), RangeLimits::HalfOpen(_)) => Err(Error::new(
                span,
                "write `..=`: the bounds of a schema are inclusive",
            )),
            _ => Ok(Self {
                low: range.start.map(|expr| *expr),
                high: range.end.map(|expr| *expr),
                span,
            }),
        }
    }
}
