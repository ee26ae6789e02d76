//! What the macros say of sources that break a rule: the exact words, and all
//! of them where several fields are wrong.

use proc_macro2::TokenStream;
use syn::{DeriveInput, ItemFn, Result, parse_quote};

use crate::{args, choice, doc, result, tool};

fn words(derived: Result<TokenStream>) -> Vec<String> {
    let errors = derived.expect_err("this source breaks a rule");
    errors.into_iter().map(|error| error.to_string()).collect()
}

fn args(input: DeriveInput) -> Vec<String> {
    words(args::derive(&input))
}

fn choice(input: DeriveInput) -> Vec<String> {
    words(choice::derive(&input))
}

fn result(input: DeriveInput) -> Vec<String> {
    words(result::derive(&input))
}

fn function(attr: TokenStream, function: ItemFn) -> Vec<String> {
    words(tool::expand(attr, &function))
}

#[test]
fn arguments_are_a_struct_with_names_and_one_lifetime() {
    let cases: [(DeriveInput, &str); 6] = [
        (
            parse_quote!(
                struct A(u8);
            ),
            "`ToolArgs` needs named fields: their names are what callers write",
        ),
        (
            parse_quote!(
                enum A {
                    B,
                }
            ),
            "`ToolArgs` is for structs with named fields",
        ),
        (
            parse_quote!(
                struct A<'a, 'b> {
                    a: Text<'a>,
                    b: Text<'b>,
                }
            ),
            "arguments borrow from one request: one lifetime at most",
        ),
        (
            parse_quote!(
                struct A<T> {
                    a: T,
                }
            ),
            "arguments are not generic: one type, one schema",
        ),
        (
            parse_quote!(
                struct A<const N: usize> {
                    a: String<N>,
                }
            ),
            "arguments are not generic: one type, one schema",
        ),
        (
            parse_quote!(
                struct A<'a>
                where
                    'a: 'static,
                {
                    a: Text<'a>,
                }
            ),
            "arguments need no `where` clause",
        ),
    ];
    for (input, text) in cases {
        assert_eq!(args(input), [text]);
    }
}

#[test]
fn keys_of_arguments_are_known_and_stand_once() {
    let cases: [(DeriveInput, &str); 9] = [
        (
            parse_quote!(
                struct A {
                    #[arg(max = 5)]
                    a: u8,
                }
            ),
            "unknown key; the keys are: range, length, items, unit, default, name, header",
        ),
        (
            parse_quote!(
                struct A {
                    #[arg(range = 0.., range = ..=5)]
                    a: u8,
                }
            ),
            "`range` stands twice",
        ),
        (
            parse_quote!(
                struct A {
                    #[arg(unit = "a")]
                    #[arg(unit = "b")]
                    a: u8,
                }
            ),
            "`unit` stands twice",
        ),
        (
            parse_quote!(
                struct A {
                    #[arg(range = 0..6)]
                    a: u8,
                }
            ),
            "write `..=`: the bounds of a schema are inclusive",
        ),
        (
            parse_quote!(
                struct A {
                    #[arg(length = ..32)]
                    a: Text<'static>,
                }
            ),
            "write `..=`: the bounds of a schema are inclusive",
        ),
        (
            parse_quote!(
                struct A {
                    #[arg(items = ..)]
                    a: [u8; 4],
                }
            ),
            "a range without a bound says nothing",
        ),
        (
            parse_quote!(
                struct A {
                    #[arg(range = 5)]
                    a: u8,
                }
            ),
            "expected an inclusive range, such as `0..=5`",
        ),
        (
            parse_quote!(
                struct A {
                    #[arg(unit = deg)]
                    a: u8,
                }
            ),
            "expected string literal",
        ),
        (
            parse_quote!(
                struct A {
                    #[arg(default = 5)]
                    a: core::option::Option<u8>,
                }
            ),
            "an `Option` has no default: absent is `None`",
        ),
    ];
    for (input, text) in cases {
        assert_eq!(args(input), [text]);
    }
}

#[test]
fn every_wrong_field_is_named() {
    let found = args(parse_quote! {
        struct A {
            #[arg(range = 5)]
            a: u8,
            fine: u8,
            #[arg(name = "fine")]
            b: u8,
            #[doc = include_str!("c.md")]
            c: u8,
        }
    });
    assert_eq!(
        found,
        [
            "expected an inclusive range, such as `0..=5`",
            "the name \"fine\" stands twice",
            "a description is read from a plain doc comment",
        ]
    );
}

#[test]
fn a_choice_is_an_enum_of_distinct_names() {
    let cases: [(DeriveInput, &[&str]); 6] = [
        (
            parse_quote!(
                struct A {}
            ),
            &["`ToolArg` is for enums; a struct of arguments derives `ToolArgs`"],
        ),
        (
            parse_quote!(
                enum A<T> {
                    B,
                }
            ),
            &["a choice is not generic: its names are fixed"],
        ),
        (
            parse_quote!(
                enum A {}
            ),
            &["an enum without variants has nothing to choose from"],
        ),
        (
            parse_quote!(
                enum A {
                    B(u8),
                    C { c: u8 },
                    D,
                }
            ),
            &["a choice is a name alone: its variants hold nothing"; 2],
        ),
        (
            parse_quote!(
                enum A {
                    OneTwo,
                    #[arg(name = "one_two")]
                    B,
                }
            ),
            &["the name \"one_two\" stands twice"],
        ),
        (
            parse_quote!(
                enum A {
                    #[arg(unit = "deg")]
                    B,
                }
            ),
            &["unknown key; the keys are: name"],
        ),
    ];
    for (input, texts) in cases {
        assert_eq!(choice(input), texts);
    }
}

#[test]
fn a_result_is_a_struct_with_names_and_no_defaults() {
    let cases: [(DeriveInput, &str); 3] = [
        (
            parse_quote!(
                struct A(u8);
            ),
            "`ToolResult` needs named fields: their names are what callers write",
        ),
        (
            parse_quote!(
                struct A {
                    #[result(default = 5)]
                    a: u8,
                }
            ),
            "unknown key; the keys are: range, length, items, unit, name",
        ),
        (
            parse_quote!(
                struct A {
                    #[result(header = "A")]
                    a: u8,
                }
            ),
            "unknown key; the keys are: range, length, items, unit, name",
        ),
    ];
    for (input, text) in cases {
        assert_eq!(result(input), [text]);
    }
}

#[test]
fn a_tool_is_a_plain_function_with_a_description() {
    let order = "after the application come at most the arguments, by value, and the call: \
                 `fn(&mut App, Args, &mut Call<'_>)`";
    let cases: [(ItemFn, &str); 10] = [
        (
            parse_quote!(
                fn f(_: &mut App) {}
            ),
            "a tool needs a description: write a doc comment",
        ),
        (
            parse_quote!(
                #[doc = include_str!("f.md")]
                fn f(_: &mut App) {}
            ),
            "a description is read from a plain doc comment",
        ),
        (
            parse_quote!(
                async fn f(_: &mut App) {}
            ),
            "a tool is not `async`: it returns `Poll` if its work takes time",
        ),
        (
            parse_quote!(
                fn f<T>(_: &mut T) {}
            ),
            "a tool is not generic: the table holds one function",
        ),
        (
            parse_quote!(
                fn f(&mut self) {}
            ),
            "a tool is a free function: the application is its first parameter",
        ),
        (
            parse_quote!(
                fn f() {}
            ),
            "the first parameter is the application: `&mut App`",
        ),
        (
            parse_quote!(
                fn f(_: App) {}
            ),
            "the first parameter is the application: `&mut App`",
        ),
        (
            parse_quote!(
                fn f(_: &mut App, _: Args, _: Args) {}
            ),
            order,
        ),
        (
            parse_quote!(
                fn f(_: &mut App, _: &mut Call<'_>, _: &mut Call<'_>) {}
            ),
            order,
        ),
        (
            parse_quote!(
                /// F.
                fn f(_: &mut App) -> impl IntoAnswer {}
            ),
            "name the type that the tool returns: its shape is advertised",
        ),
    ];
    for (function, text) in cases {
        assert_eq!(self::function(TokenStream::new(), function), [text]);
    }
}

#[test]
fn keys_of_a_tool_are_known_and_stand_once() {
    let cases: [(TokenStream, &str); 11] = [
        (parse_quote!(asks, asks(open)), "`asks` stands twice"),
        (parse_quote!(task, task(required)), "`task` stands twice"),
        (
            parse_quote!(task(never)),
            "unknown key; the keys are: required, after_input",
        ),
        (
            parse_quote!(task(required, after_input)),
            "`task` has two keys that exclude each other",
        ),
        (parse_quote!(asks(shut)), "unknown key; the keys are: open"),
        (
            parse_quote!(actuate),
            "unknown key; the keys are: read_only, actuates, idempotent, destructive, requires, \
             asks, task, scopes, name, title, description, schema",
        ),
        (parse_quote!(actuates, actuates), "`actuates` stands twice"),
        (
            parse_quote!(title = "a", title = "b"),
            "`title` stands twice",
        ),
        (
            parse_quote!(requires(tasks)),
            "unknown key; the keys are: elicitation, sampling, roots",
        ),
        (parse_quote!(requires(roots, roots)), "`roots` stands twice"),
        (
            parse_quote!(schema = "{}"),
            "a tool with its own schema reads its arguments by `call.args().object()`",
        ),
    ];
    for (attr, text) in cases {
        let function = parse_quote!(
            /// F.
            fn f(_: &mut App, _: Args) {}
        );
        assert_eq!(self::function(attr, function), [text]);
    }
}

#[test]
fn doc_comments_become_one_line_for_each_paragraph() {
    let input: DeriveInput = parse_quote! {
        /// One
        ///   two.
        ///
        ///
        /// Three.
        #[doc(hidden)]
        #[derive(Debug)]
        #[doc = " Four."]
        struct A;
    };
    assert_eq!(doc::text(&input.attrs).unwrap(), "One two.\nThree. Four.");
    let input: DeriveInput = parse_quote! {
        /**
         * One
         * two.
         *
         * Three.
         */
        struct A;
    };
    assert_eq!(doc::text(&input.attrs).unwrap(), "One two.\nThree.");
    let input: DeriveInput = parse_quote!(
        struct A;
    );
    assert_eq!(doc::text(&input.attrs).unwrap(), "");
}

#[test]
fn variants_are_named_in_snake_case() {
    for (variant, name) in [
        ("Fast", "fast"),
        ("VeryExact", "very_exact"),
        ("HTTPPort", "http_port"),
        ("Port2", "port2"),
        ("Port2B", "port2_b"),
        ("A", "a"),
        ("AB", "ab"),
        ("Snake_Case", "snake_case"),
        ("already_snake", "already_snake"),
    ] {
        assert_eq!(choice::snake_case(variant), name);
    }
}
