//! From a field's Rust type and its settings to the expression of its
//! descriptor type.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, ExprLit, ExprUnary, GenericArgument, Ident, Lifetime, Lit, PathArguments, Type, UnOp,
};

use crate::attr::{Bounds, Settings};

/// What the values of a type are, narrowed by the settings. `base` writes the
/// path of a type's own descriptor.
pub(crate) fn describe(
    ty: &Type,
    base: &dyn Fn(&Type) -> TokenStream,
    settings: &Settings,
) -> TokenStream {
    let mut described = elements(ty, base, settings);
    if let Some(bounds) = &settings.items {
        described = counted("items", &described, bounds);
    }
    described
}

/// The same without `items`, which is about the outermost list.
fn elements(ty: &Type, base: &dyn Fn(&Type) -> TokenStream, settings: &Settings) -> TokenStream {
    let whole = base(ty);
    if settings.range.is_none() && settings.length.is_none() {
        return whole;
    }
    let inner = in_option(ty).unwrap_or(ty);
    if let Some(element) = in_list(inner) {
        let element = elements(element, base, settings);
        return quote!(::agentmote::__private::elements(#whole, const { &#element }));
    }
    let mut described = whole;
    if let Some(bounds) = &settings.range {
        let low = optional(bounds.low.as_ref().map(|expr| literal(expr, inner)));
        let high = optional(bounds.high.as_ref().map(|expr| literal(expr, inner)));
        described = quote_spanned! {bounds.span=>
            ::agentmote::__private::range(#described, #low, #high)
        };
    }
    if let Some(bounds) = &settings.length {
        described = counted("length", &described, bounds);
    }
    described
}

fn counted(by: &str, described: &TokenStream, bounds: &Bounds) -> TokenStream {
    let by = Ident::new(by, bounds.span);
    let low = optional(bounds.low.as_ref().map(|expr| quote!(#expr)));
    let high = optional(bounds.high.as_ref().map(|expr| quote!(#expr)));
    quote_spanned!(bounds.span=> ::agentmote::__private::#by(#described, #low, #high))
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// A bound or a default as a `Literal`. Literals are taken as written, so
/// that `0.1` for an `f32` is advertised as 0.1; other expressions are of the
/// field's type.
pub(crate) fn literal(expr: &Expr, ty: &Type) -> TokenStream {
    let span = expr.span();
    let plain = match expr {
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => expr,
        other => other,
    };
    let variant = match plain {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(lit) if lit.suffix().is_empty() => quote_spanned!(span=> Integer),
            Lit::Float(lit) if lit.suffix().is_empty() => {
                return quote_spanned! {span=>
                    ::agentmote::tool::Literal::Number(::agentmote::tool::Decimal::new(#expr))
                };
            }
            Lit::Str(_) => quote_spanned!(span=> Text),
            Lit::Bool(_) => quote_spanned!(span=> Boolean),
            _ => return of_type(expr, ty),
        },
        _ => return of_type(expr, ty),
    };
    quote_spanned!(span=> ::agentmote::tool::Literal::#variant(#expr))
}

fn of_type(expr: &Expr, ty: &Type) -> TokenStream {
    quote_spanned!(expr.span()=> ::agentmote::__private::Scalar::<#ty>(#expr).literal())
}

/// The type in an `Option`, as far as it is written so.
pub(crate) fn in_option(ty: &Type) -> Option<&Type> {
    argument(ty, "Option")
}

fn in_list(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array(array) => Some(&array.elem),
        Type::Paren(paren) => in_list(&paren.elem),
        Type::Group(group) => in_list(&group.elem),
        _ => argument(ty, "Vec"),
    }
}

/// The first type argument, if the type is called `name`.
fn argument<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let path = match ty {
        Type::Path(path) => &path.path,
        Type::Paren(paren) => return argument(&paren.elem, name),
        Type::Group(group) => return argument(&group.elem, name),
        _ => return None,
    };
    let last = path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    if last.ident != name {
        return None;
    }
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The type with every lifetime replaced: a constant knows only `'static`,
/// and the body of a handler only `'_`.
pub(crate) fn with_lifetime(ty: &Type, lifetime: &str) -> Type {
    struct Replace<'l>(&'l str);
    impl VisitMut for Replace<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            *lifetime = Lifetime::new(self.0, lifetime.span());
        }

        fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
            let span = reference.and_token.spans[0];
            reference
                .lifetime
                .get_or_insert_with(|| Lifetime::new(self.0, span));
            visit_mut::visit_type_reference_mut(self, reference);
        }
    }
    let mut ty = ty.clone();
    Replace(lifetime).visit_type_mut(&mut ty);
    ty
}
