//! Compiles the C sources, with the warnings that users are promised to be
//! free of.

fn main() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let arm = format!("{root}/firmware-examples/c-arm");
    let mut build = cc::Build::new();
    build
        .std("c99")
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .flag("-pedantic")
        .define("AGENTMOTE_A2A", None)
        .include(format!("{root}/include"))
        .include(&arm)
        .files([format!("{arm}/arm.c"), format!("{arm}/motion.c")])
        .file("src/layout.c");
    build.compile("c_arm");
    for folder in [arm, format!("{root}/include"), "src/layout.c".to_owned()] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
