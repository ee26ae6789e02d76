//! Derive macros of `agentmote`.

mod args;
mod attr;
mod choice;
mod doc;
mod fields;
mod result;
mod tool;
mod ty;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, ItemFn, parse_macro_input};

/// Writes the parameters of a tool from a struct.
#[proc_macro_derive(ToolArgs, attributes(arg))]
pub fn tool_args(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), args::derive)
}

/// Writes a choice from an enum.
#[proc_macro_derive(ToolArg, attributes(arg))]
pub fn tool_arg(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), choice::derive)
}

/// Writes the shape of a structured result from a struct.
#[proc_macro_derive(ToolResult, attributes(result))]
pub fn tool_result(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), result::derive)
}

/// Makes a tool of a function.
#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    let entry = tool::expand(attr.into(), &function).unwrap_or_else(Error::into_compile_error);
    quote::quote!(#function #entry).into()
}

fn expand(
    input: &DeriveInput,
    derive: fn(&DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    derive(input)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}
