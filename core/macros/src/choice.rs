//! `#[derive(ToolArg)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Variant};

use crate::attr::{self, Settings};
use crate::fields::{collect, duplicate};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "`ToolArg` is for enums; a struct of arguments derives `ToolArgs`",
        ));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &input.generics,
            "a choice is not generic: its names are fixed",
        ));
    }
    let mut choices: Vec<(&Ident, LitStr)> = Vec::new();
    let mut errors = None;
    for variant in &data.variants {
        match name(variant) {
            Ok(name)
                if choices
                    .iter()
                    .any(|(_, other)| other.value() == name.value()) =>
            {
                collect(&mut errors, duplicate(&name));
            }
            Ok(name) => choices.push((&variant.ident, name)),
            Err(error) => collect(&mut errors, error),
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    if choices.is_empty() {
        return Err(Error::new_spanned(
            &input.ident,
            "an enum without variants has nothing to choose from",
        ));
    }
    let ident = &input.ident;
    let variants: Vec<_> = choices.iter().map(|(variant, _)| variant).collect();
    let names: Vec<_> = choices.iter().map(|(_, name)| name).collect();
    Ok(quote! {
        #[automatically_derived]
        impl<'__call> ::agentmote::tool::Arg<'__call> for #ident {
            const TYPE: ::agentmote::tool::Type =
                <Self as ::agentmote::tool::Output>::TYPE;

            fn from_value(
                __value: ::agentmote::json::Value<'__call>,
            ) -> ::core::option::Option<Self> {
                let __text = ::agentmote::json::Value::as_text(__value)?;
                #(
                    if ::agentmote::json::Text::is(__text, #names) {
                        return ::core::option::Option::Some(Self::#variants);
                    }
                )*
                ::core::option::Option::None
            }

            fn from_literal(
                __literal: ::agentmote::tool::Literal,
            ) -> ::core::option::Option<Self> {
                match __literal {
                    #(
                        ::agentmote::tool::Literal::Text(#names) => {
                            ::core::option::Option::Some(Self::#variants)
                        }
                    )*
                    _ => ::core::option::Option::None,
                }
            }
        }

        #[automatically_derived]
        impl ::agentmote::tool::Output for #ident {
            const TYPE: ::agentmote::tool::Type =
                ::agentmote::tool::Type::Choice(&[#(#names),*]);
        }

        #[automatically_derived]
        impl ::agentmote::__private::serde::Serialize for #ident {
            fn serialize<__S: ::agentmote::__private::serde::Serializer>(
                &self,
                __serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                ::agentmote::__private::serde::Serializer::serialize_str(
                    __serializer,
                    match self {
                        #(Self::#variants => #names,)*
                    },
                )
            }
        }
    })
}

fn name(variant: &Variant) -> Result<LitStr> {
    let settings = Settings::read(&variant.attrs, "arg", attr::CHOICE)?;
    if !matches!(variant.fields, Fields::Unit) {
        return Err(Error::new_spanned(
            &variant.fields,
            "a choice is a name alone: its variants hold nothing",
        ));
    }
    Ok(settings.name.unwrap_or_else(|| {
        let ident = variant.ident.unraw();
        LitStr::new(&snake_case(&ident.to_string()), ident.span())
    }))
}

/// `HttpPort2` and `HTTPPort2` become `http_port2`.
pub(crate) fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, &c) in chars.iter().enumerate() {
        if c.is_uppercase() {
            let after_word = at > 0 && chars[at - 1] != '_' && !chars[at - 1].is_uppercase();
            let before_word = at > 0
                && chars[at - 1].is_uppercase()
                && chars.get(at + 1).is_some_and(|next| next.is_lowercase());
            if after_word || before_word {
                snake.push('_');
            }
        }
        snake.extend(c.to_lowercase());
    }
    snake
}
