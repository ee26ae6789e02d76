//! `#[tool]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser as _;
use syn::{
    Error, Expr, FnArg, GenericParam, Ident, ItemFn, LitStr, Result, ReturnType, Signature, Type,
};

use crate::attr::{key, once};
use crate::{doc, ty};

const KEYS: &[&str] = &[
    "read_only",
    "actuates",
    "idempotent",
    "destructive",
    "requires",
    "asks",
    "task",
    "scopes",
    "name",
    "title",
    "description",
    "schema",
];
const CAPABILITIES: &[&str] = &["elicitation", "sampling", "roots"];
const ASKS: &[&str] = &["open"];
const TASK: &[&str] = &["required", "after_input"];

/// What stands in `#[tool(..)]`.
#[derive(Default)]
struct Settings {
    effects: Vec<Ident>,
    requires: Vec<Ident>,
    /// The variant of `Asks`.
    asks: Option<Ident>,
    /// The variant of `TaskSupport`.
    task: Option<Ident>,
    scopes: Option<Expr>,
    name: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    schema: Option<Expr>,
}

impl Settings {
    fn set(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let key = key(meta, KEYS)?;
        match key.as_str() {
            "name" => once(&mut self.name, meta, &key),
            "title" => once(&mut self.title, meta, &key),
            "description" => once(&mut self.description, meta, &key),
            "schema" => once(&mut self.schema, meta, &key),
            "requires" => {
                meta.parse_nested_meta(|meta| flag(&mut self.requires, &meta, CAPABILITIES))
            }
            "asks" => self.asks(meta),
            "task" => self.task(meta),
            "scopes" => once(&mut self.scopes, meta, &key),
            _ => flag(&mut self.effects, meta, KEYS),
        }
    }

    /// `asks` or `asks(open)`.
    fn asks(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if self.asks.is_some() {
            return Err(meta.error("`asks` stands twice"));
        }
        let mut open = Vec::new();
        if meta.input.peek(syn::token::Paren) {
            meta.parse_nested_meta(|meta| flag(&mut open, &meta, ASKS))?;
        }
        self.asks = Some(format_ident!(
            "{}",
            if open.is_empty() { "Sealed" } else { "Open" }
        ));
        Ok(())
    }

    /// `task`, `task(required)` or `task(after_input)`.
    fn task(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if self.task.is_some() {
            return Err(meta.error("`task` stands twice"));
        }
        let mut how = Vec::new();
        if meta.input.peek(syn::token::Paren) {
            meta.parse_nested_meta(|meta| flag(&mut how, &meta, TASK))?;
        }
        let support = match how.as_slice() {
            [] => "Optional",
            [one] if one == "required" => "Required",
            [_] => "AfterInput",
            [..] => return Err(meta.error("`task` has two keys that exclude each other")),
        };
        self.task = Some(format_ident!("{support}"));
        Ok(())
    }
}

fn flag(flags: &mut Vec<Ident>, meta: &ParseNestedMeta<'_>, allowed: &[&str]) -> Result<()> {
    let ident = Ident::new(&key(meta, allowed)?, meta.path.segments[0].ident.span());
    if flags.contains(&ident) {
        return Err(meta.error(format!("`{ident}` stands twice")));
    }
    flags.push(ident);
    Ok(())
}

/// The types in a handler's signature, and the order of what it is given.
struct Handler<'f> {
    app: &'f Type,
    args: Option<&'f Type>,
    given: Vec<Ident>,
}

impl<'f> Handler<'f> {
    fn read(sig: &'f Signature) -> Result<Self> {
        if let Some(token) = &sig.asyncness {
            return Err(Error::new_spanned(
                token,
                "a tool is not `async`: it returns `Poll` if its work takes time",
            ));
        }
        if let Some(param) = sig
            .generics
            .params
            .iter()
            .find(|param| !matches!(param, GenericParam::Lifetime(_)))
        {
            return Err(Error::new_spanned(
                param,
                "a tool is not generic: the table holds one function",
            ));
        }
        let mut inputs = sig.inputs.iter().map(|input| match input {
            FnArg::Typed(input) => Ok(&*input.ty),
            FnArg::Receiver(receiver) => Err(Error::new_spanned(
                receiver,
                "a tool is a free function: the application is its first parameter",
            )),
        });
        let app = match inputs.next().transpose()? {
            Some(Type::Reference(app)) => &*app.elem,
            _ => {
                return Err(Error::new_spanned(
                    &sig.ident,
                    "the first parameter is the application: `&mut App`",
                ));
            }
        };
        let mut handler = Self {
            app,
            args: None,
            given: vec![format_ident!("__app")],
        };
        let call = format_ident!("__call");
        for input in inputs {
            let input = input?;
            if matches!(input, Type::Reference(_)) && !handler.given.contains(&call) {
                handler.given.push(call.clone());
            } else if !matches!(input, Type::Reference(_)) && handler.args.is_none() {
                handler.args = Some(input);
                handler.given.push(format_ident!("__args"));
            } else {
                return Err(Error::new_spanned(
                    input,
                    "after the application come at most the arguments, by value, and the call: \
                     `fn(&mut App, Args, &mut Call<'_>)`",
                ));
            }
        }
        Ok(handler)
    }
}

pub(crate) fn expand(attr: TokenStream, function: &ItemFn) -> Result<TokenStream> {
    let mut settings = Settings::default();
    syn::meta::parser(|meta| settings.set(&meta)).parse2(attr)?;
    let handler = Handler::read(&function.sig)?;
    let ident = &function.sig.ident;
    let vis = &function.vis;
    let description = match &settings.description {
        Some(text) => text.value(),
        None => doc::text(&function.attrs)?,
    };
    if description.is_empty() {
        return Err(Error::new_spanned(
            ident,
            "a tool needs a description: write a doc comment",
        ));
    }
    let name = match &settings.name {
        Some(name) => name.clone(),
        None => LitStr::new(&ident.unraw().to_string(), ident.span()),
    };
    let output = match &function.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, output) => {
            if let Type::ImplTrait(output) = &**output {
                return Err(Error::new_spanned(
                    output,
                    "name the type that the tool returns: its shape is advertised",
                ));
            }
            let output = ty::with_lifetime(output, "'static");
            quote!(#output)
        }
    };
    let input = match (&settings.schema, handler.args) {
        (Some(_), Some(args)) => {
            return Err(Error::new_spanned(
                args,
                "a tool with its own schema reads its arguments by `call.args().object()`",
            ));
        }
        (Some(schema), None) => quote! {
            tool.input = ::agentmote::tool::Input::Schema(#schema);
        },
        (None, Some(args)) => {
            let args = ty::with_lifetime(args, "'static");
            quote! {
                tool.input = ::agentmote::tool::Input::Params(
                    <#args as ::agentmote::tool::ToolArgs<'static>>::PARAMS,
                );
            }
        }
        (None, None) => quote!(),
    };
    let decode = handler.args.map(|args| {
        let args = ty::with_lifetime(args, "'_");
        quote! {
            let ::core::option::Option::Some(__args) =
                <#args as ::agentmote::tool::ToolArgs<'_>>::decode(
                    ::agentmote::tool::Call::args(__call),
                )
            else {
                return ::agentmote::__private::misfit(__call);
            };
        }
    });
    let app = ty::with_lifetime(handler.app, "'static");
    let (given, effects, requires) = (&handler.given, &settings.effects, &settings.requires);
    let title = settings.title.iter();
    let asks = settings.asks.iter();
    let task = settings.task.iter();
    let scopes = settings.scopes.iter();
    let cfgs: Vec<_> = function
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("cfg"))
        .collect();
    let doc = format!("The tool `{ident}`, for a catalog.");
    let verified = quote_spanned! {ident.span()=>
        const _: () = ::agentmote::tool::verify(&<#ident>::ENTRY.tool);
    };
    Ok(quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[allow(non_camel_case_types, unreachable_pub)]
        #vis struct #ident {}

        #(#cfgs)*
        #[automatically_derived]
        impl #ident {
            /// Its description and what runs it.
            #[allow(unreachable_pub)]
            #vis const ENTRY: ::agentmote::tool::Entry<#app> = {
                #[allow(deprecated)]
                fn __agentmote_run(
                    __app: &mut #app,
                    __call: &mut ::agentmote::tool::Call<'_>,
                ) -> ::agentmote::tool::Answer {
                    #decode
                    ::agentmote::tool::IntoAnswer::into_answer(#ident(#(#given),*), __call)
                }
                let mut tool = ::agentmote::tool::Tool::new(#name, #description);
                #(tool.title = #title;)*
                #input
                tool.output = <#output as ::agentmote::tool::IntoAnswer>::SHAPE;
                #(tool.effects.#effects = true;)*
                #(tool.requires.#requires = true;)*
                #(tool.asks = ::agentmote::tool::Asks::#asks;)*
                #(tool.task = ::agentmote::tool::TaskSupport::#task;)*
                #(tool.scopes = #scopes;)*
                tool.exact = <#output as ::agentmote::tool::IntoAnswer>::EXACT;
                tool.polled = <#output as ::agentmote::tool::IntoAnswer>::POLLED;
                ::agentmote::tool::Entry { tool, run: __agentmote_run }
            };
        }

        #(#cfgs)*
        #verified
    })
}
