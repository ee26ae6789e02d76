//! Names the entry point: without it the linker would drop everything.

fn main() {
    println!("cargo::rustc-link-arg-bins=--entry=_start");
    println!("cargo::rerun-if-changed=build.rs");
}
