//! The C header, alone, before the eyes of compilers (case C-88).

use std::path::Path;

use crate::child::{Job, Log};
use crate::packages;
use crate::paths;
use crate::stop::{Doing, Stop};

/// A compiler, the standard that it holds the header to, and a source file.
const COMPILERS: [(&str, &str, &str); 3] = [
    ("gcc", "-std=c99", "header.c"),
    ("gcc", "-std=c11", "header.c"),
    ("g++", "-std=c++17", "header.cpp"),
];

/// The header, twice: it guards itself.
const INCLUDES: &str = "#include <agentmote.h>\n#include <agentmote.h>\n";

/// Compiles a file that only includes the header, in C and in C++, and one
/// that must not compile, so that flags that check nothing are noticed.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::GCC, &packages::GXX], log)?;
    let folder = paths::target().join("header-c");
    std::fs::create_dir_all(&folder).doing(folder.display())?;
    let good = folder.join("good");
    let bad = folder.join("bad");
    for (compiler, standard, name) in COMPILERS {
        compile(compiler, standard, &good, name, INCLUDES)?.run(log)?;
        // An unused static function is a warning, which must be an error.
        let text = format!("{INCLUDES}static int unused(void) {{ return 0; }}\n");
        let (_, compiled) = compile(compiler, standard, &bad, name, &text)?.complaints(log)?;
        if compiled {
            return Err(Stop::Fail(format!(
                "{compiler} {standard} warns of nothing"
            )));
        }
    }
    Ok("C99, C11, C++17".to_owned())
}

fn compile(
    compiler: &str,
    standard: &str,
    folder: &Path,
    name: &str,
    text: &str,
) -> Result<Job, Stop> {
    std::fs::create_dir_all(folder).doing(folder.display())?;
    let source = folder.join(name);
    std::fs::write(&source, text).doing(source.display())?;
    Ok(Job::new(compiler)
        .args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic"])
        .arg("-I")
        .arg(paths::root().join("include"))
        .arg("-c")
        .arg(source)
        .arg("-o")
        .arg(folder.join("header.o")))
}
