//! `#[derive(ToolArgs)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, GenericParam, Lifetime, Result};

use crate::{attr, fields};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let borrowed = lifetime(input)?;
    let members = fields::read(input, "ToolArgs", "arg", attr::ARG)?;
    let ident = &input.ident;
    let fresh = Lifetime::new("'__call", ident.span());
    let (life, this, fixed) = match borrowed {
        Some(life) => (life, quote!(#ident<#life>), quote!(#ident<'static>)),
        None => (&fresh, quote!(#ident), quote!(#ident)),
    };
    let of = quote!(::agentmote::tool::Arg<#life>);
    let params = members.iter().map(|member| member.param(&of));
    let reads = members.iter().enumerate().map(|(at, member)| {
        let field = member.ident;
        quote!(#field: ::agentmote::tool::Args::get(__args, #at)?,)
    });
    let list = quote!(<#fixed as ::agentmote::tool::ToolArgs<'static>>::PARAMS);
    let verified = fields::verified(input, &members, &list, "param");
    Ok(quote! {
        #[automatically_derived]
        impl<#life> ::agentmote::tool::ToolArgs<#life> for #this {
            const PARAMS: &'static [::agentmote::tool::Param] = &[#(#params),*];

            fn decode(
                __args: &::agentmote::tool::Args<#life>,
            ) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self { #(#reads)* })
            }
        }

        #[automatically_derived]
        impl<#life> ::agentmote::tool::Arg<#life> for #this {
            const TYPE: ::agentmote::tool::Type = ::agentmote::tool::Type::Object(
                <Self as ::agentmote::tool::ToolArgs<#life>>::PARAMS,
            );

            fn from_value(
                __value: ::agentmote::json::Value<#life>,
            ) -> ::core::option::Option<Self> {
                ::agentmote::__private::nested(__value)
            }
        }

        #verified
    })
}

/// The one lifetime that the struct may have: that of the request.
fn lifetime(input: &DeriveInput) -> Result<Option<&Lifetime>> {
    if let Some(clause) = &input.generics.where_clause {
        return Err(Error::new_spanned(
            clause,
            "arguments need no `where` clause",
        ));
    }
    let mut life = None;
    for param in &input.generics.params {
        match param {
            GenericParam::Lifetime(param) if life.is_none() => life = Some(&param.lifetime),
            GenericParam::Lifetime(_) => {
                return Err(Error::new_spanned(
                    param,
                    "arguments borrow from one request: one lifetime at most",
                ));
            }
            _ => {
                return Err(Error::new_spanned(
                    param,
                    "arguments are not generic: one type, one schema",
                ));
            }
        }
    }
    Ok(life)
}
