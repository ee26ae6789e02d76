//! `#[derive(ToolResult)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, GenericParam, Result};

use crate::{attr, fields, ty};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let members = fields::read(input, "ToolResult", "result", attr::RESULT)?;
    let ident = &input.ident;
    let (impls, types, clause) = input.generics.split_for_impl();
    let of = quote!(::agentmote::tool::Output);
    let shape = members.iter().map(|member| member.param(&of));
    // A member that says something narrower than its type may break it.
    let exact = if members.iter().any(|member| member.settings.is_narrow()) {
        quote!(false)
    } else {
        let fields = members.iter().map(|member| member.ty);
        quote!(true #(&& <#fields as #of>::EXACT)*)
    };
    let names: Vec<_> = members.iter().map(fields::Member::name).collect();
    let idents: Vec<_> = members.iter().map(|member| member.ident).collect();
    let (count, places) = (members.len(), 0..members.len());
    let text = ident.to_string();
    let only_lifetimes = input
        .generics
        .params
        .iter()
        .all(|param| matches!(param, GenericParam::Lifetime(_)));
    // What depends on a type or a number is checked where it is used.
    let verified = only_lifetimes.then(|| {
        let this = ty::with_lifetime(&syn::parse_quote!(#ident #types), "'static");
        let list = quote!(<#this as ::agentmote::tool::ToolResult>::SHAPE);
        fields::verified(input, &members, &list, "member")
    });
    Ok(quote! {
        #[automatically_derived]
        impl #impls ::agentmote::tool::ToolResult for #ident #types #clause {
            const SHAPE: &'static [::agentmote::tool::Param] = &[#(#shape),*];
            const EXACT: bool = #exact;
        }

        #[automatically_derived]
        impl #impls ::agentmote::tool::Output for #ident #types #clause {
            const TYPE: ::agentmote::tool::Type = ::agentmote::tool::Type::Object(
                <Self as ::agentmote::tool::ToolResult>::SHAPE,
            );
            const EXACT: bool = <Self as ::agentmote::tool::ToolResult>::EXACT;
        }

        #[automatically_derived]
        impl #impls ::agentmote::__private::serde::Serialize for #ident #types #clause {
            fn serialize<__S: ::agentmote::__private::serde::Serializer>(
                &self,
                __serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                use ::agentmote::__private::serde::ser::SerializeStruct as _;
                let __there: [bool; #count] = [#(!::agentmote::tool::Output::absent(&self.#idents)),*];
                let mut __members =
                    ::agentmote::__private::serde::Serializer::serialize_struct(
                        __serializer,
                        #text,
                        ::agentmote::__private::count(&__there),
                    )?;
                #(
                    if __there[#places] {
                        __members.serialize_field(#names, &self.#idents)?;
                    } else {
                        __members.skip_field(#names)?;
                    }
                )*
                __members.end()
            }
        }

        #verified
    })
}
