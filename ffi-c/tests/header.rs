//! The committed header is what the sources give.

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config =
        cbindgen::Config::from_file(here.join("cbindgen.toml")).expect("cbindgen.toml");
    let part = |name: &str| {
        let text = std::fs::read_to_string(here.join("header").join(name)).expect(name);
        let mut numbers = env!("CARGO_PKG_VERSION").split('.');
        ["@MAJOR@", "@MINOR@", "@PATCH@"]
            .into_iter()
            .fold(text, |text, mark| {
                text.replace(mark, numbers.next().expect("three numbers"))
            })
    };
    config.header = Some(part("head.h").trim_end().to_owned());
    config.after_includes = Some(part("width.h").trim_end().to_owned());
    config.trailer = Some(part("macros.h").trim_end().to_owned());
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(here.join("src/lib.rs"))
        .generate()
        .expect("bindings");
    let mut header = Vec::new();
    bindings.write(&mut header);
    // What a function in Rust asks of its caller has a heading of Rust.
    let header = String::from_utf8(header).expect("UTF-8");
    let header = header.replace(" * # Safety\n", " * The caller promises:\n");
    let path = here.join("../include/agentmote.h");
    if std::env::var_os("AGENTMOTE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &header).expect("write the header");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        committed, header,
        "run with AGENTMOTE_WRITE_HEADER=1 to write include/agentmote.h"
    );
}

#[test]
fn the_version_is_that_of_the_package() {
    // SAFETY: the function gives a text that ends with a zero byte.
    let text = unsafe { std::ffi::CStr::from_ptr(agentmote_ffi_c::agentmote_version()) };
    assert_eq!(text.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}
