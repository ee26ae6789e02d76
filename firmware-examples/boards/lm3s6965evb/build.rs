//! Names the linker script, and puts the memory map where it looks for it.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let Some(folder) = env::var_os("OUT_DIR") else {
        return Err(io::Error::other("cargo sets OUT_DIR"));
    };
    fs::copy("memory.x", Path::new(&folder).join("memory.x"))?;
    // The table of interrupts is the board's own; `device.x` would name
    // defaults of handlers that a device crate leaves open.
    fs::write(Path::new(&folder).join("device.x"), "")?;
    println!("cargo::rustc-link-search={}", Path::new(&folder).display());
    // The script of cortex-m-rt, which includes the memory map.
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    println!("cargo::rerun-if-changed=memory.x");
    Ok(())
}
