//! What the derives for structs have in common.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, LitStr, Result, Type};

use crate::attr::Settings;
use crate::{doc, ty};

/// One field, read.
pub(crate) struct Member<'f> {
    pub(crate) ident: &'f Ident,
    pub(crate) ty: &'f Type,
    pub(crate) settings: Settings,
    name: LitStr,
    description: String,
}

/// The fields of a struct with named fields, or of none.
pub(crate) fn read<'i>(
    input: &'i DeriveInput,
    derive: &str,
    helper: &str,
    allowed: &[&str],
) -> Result<Vec<Member<'i>>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            format!("`{derive}` is for structs with named fields"),
        ));
    };
    if let Fields::Unnamed(fields) = &data.fields {
        return Err(Error::new_spanned(
            fields,
            format!("`{derive}` needs named fields: their names are what callers write"),
        ));
    }
    let mut members: Vec<Member<'_>> = Vec::new();
    let mut errors = None;
    for field in &data.fields {
        match Member::read(field, helper, allowed) {
            Ok(member) => match members.iter().find(|other| other.name() == member.name()) {
                Some(_) => collect(&mut errors, duplicate(&member.name)),
                None => members.push(member),
            },
            Err(error) => collect(&mut errors, error),
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(members),
    }
}

/// Two fields or variants that callers could not tell apart.
pub(crate) fn duplicate(name: &LitStr) -> Error {
    Error::new(
        name.span(),
        format!("the name \"{}\" stands twice", name.value()),
    )
}

/// Keeps an error beside those found before.
pub(crate) fn collect(errors: &mut Option<Error>, error: Error) {
    match errors {
        Some(errors) => errors.combine(error),
        None => *errors = Some(error),
    }
}

impl<'f> Member<'f> {
    fn read(field: &'f Field, helper: &str, allowed: &[&str]) -> Result<Self> {
        let settings = Settings::read(&field.attrs, helper, allowed)?;
        let Some(ident) = &field.ident else {
            return Err(Error::new_spanned(field, "a field without a name"));
        };
        if let (Some(default), Some(_)) = (&settings.default, ty::in_option(&field.ty)) {
            return Err(Error::new_spanned(
                default,
                "an `Option` has no default: absent is `None`",
            ));
        }
        let name = match &settings.name {
            Some(name) => name.clone(),
            None => LitStr::new(&ident.unraw().to_string(), ident.span()),
        };
        Ok(Self {
            ident,
            ty: &field.ty,
            name,
            description: doc::text(&field.attrs)?,
            settings,
        })
    }

    /// What callers write.
    pub(crate) fn name(&self) -> String {
        self.name.value()
    }

    /// The expression of its descriptor; `of` is the trait that describes its
    /// type.
    pub(crate) fn param(&self, of: &TokenStream) -> TokenStream {
        let base = |ty: &Type| quote_spanned!(ty.span()=> <#ty as #of>::TYPE);
        let described = ty::describe(self.ty, &base, &self.settings);
        let (name, description, field) = (&self.name, &self.description, self.ty);
        let mut param = quote! {
            ::agentmote::__private::presence(
                ::agentmote::tool::Param::new(#name, #description, #described),
                <#field as #of>::REQUIRED,
            )
        };
        if let Some(unit) = &self.settings.unit {
            param = quote!(#param.unit(#unit));
        }
        if let Some(header) = &self.settings.header {
            param = quote!(#param.header(#header));
        }
        if let Some(default) = &self.settings.default {
            let literal = ty::literal(default, self.ty);
            param = quote_spanned! {default.span()=>
                ::agentmote::__private::default(<#field as #of>::TYPE, #param, #literal)
            };
        }
        param
    }
}

/// A check that stops the build at the first field that breaks a rule, or at
/// the struct. `by` ends the names of the functions that check.
pub(crate) fn verified(
    input: &DeriveInput,
    members: &[Member<'_>],
    list: &TokenStream,
    by: &str,
) -> TokenStream {
    // The error points at the field only if every token of the call does.
    let each = members.iter().enumerate().map(|(at, member)| {
        let span = member.ident.span();
        let one = format_ident!("verify_{by}", span = span);
        let list = spanned(list, span);
        quote_spanned!(span=> ::agentmote::__private::#one(&#list[#at]);)
    });
    let span = input.ident.span();
    let all = format_ident!("verify_{by}s", span = span);
    let list = spanned(list, span);
    let whole = quote_spanned!(span=> ::agentmote::__private::#all(#list););
    quote! {
        const _: () = {
            #(#each)*
            #whole
        };
    }
}

fn spanned(tokens: &TokenStream, span: Span) -> TokenStream {
    tokens
        .clone()
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}
