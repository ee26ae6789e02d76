//! The committed header is what the sources give.

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).expect("cbindgen.toml");
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(here.join("src/lib.rs"))
        .generate()
        .expect("bindings");
    let mut header = Vec::new();
    bindings.write(&mut header);
    let path = here.join("../include/agentmote.h");
    if std::env::var_os("AGENTMOTE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &header).expect("write the header");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        committed,
        String::from_utf8(header).expect("UTF-8"),
        "run with AGENTMOTE_WRITE_HEADER=1 to write include/agentmote.h"
    );
}

#[test]
fn the_version_is_that_of_the_package() {
    // SAFETY: the function gives a text that ends with a zero byte.
    let text = unsafe { std::ffi::CStr::from_ptr(agentmote_ffi_c::agentmote_version()) };
    assert_eq!(text.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}
