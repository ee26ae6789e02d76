//! Every file that the manual's map of the protocol names is there.

use std::fs;
use std::path::Path;

#[test]
fn the_map_names_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let map = fs::read_to_string(root.join("core/src/manual/protocol_map.rs")).expect("the map");
    let mut named = 0;
    for cell in map.split('`').skip(1).step_by(2) {
        let Some(path) = cell.strip_suffix(".rs").map(|_| cell) else {
            continue;
        };
        named += 1;
        let path = match path.split_once('/') {
            Some(("tests" | "core", _)) => root.join(path),
            _ => root.join("core/src").join(path),
        };
        assert!(path.is_file(), "{} is not there", path.display());
    }
    assert!(named > 20, "the map names {named} files");
}
