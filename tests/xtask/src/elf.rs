//! What an image for a board holds: sections, functions, stack frames.

use std::collections::BTreeMap;
use std::path::Path;

use object::elf::{SHF_ALLOC, SHF_WRITE};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind};

use crate::stop::{Doing, Stop};

/// An ELF file with its symbols.
pub(crate) struct Image {
    /// Bytes of flash: code, constants, and the first values of variables.
    pub(crate) flash: u64,
    /// Bytes of RAM that are taken for good; the stack is not among them.
    pub(crate) ram: u64,
    /// The address of the first instruction.
    pub(crate) entry: u64,
    /// Every symbol, demangled.
    pub(crate) symbols: Vec<String>,
    /// Every function by its first address, demangled.
    pub(crate) functions: BTreeMap<u64, Function>,
    /// Every variable in RAM, demangled, with its bytes.
    pub(crate) variables: Vec<(String, u64)>,
    /// The words of the section `.vector_table`.
    pub(crate) vectors: Vec<u64>,
}

/// One function of an image.
pub(crate) struct Function {
    /// One of its names.
    pub(crate) name: String,
    /// Bytes of its code; 0 where assembly does not tell.
    pub(crate) size: u64,
    /// Bytes of stack that its own frame takes, where the compiler tells.
    pub(crate) frame: Option<u64>,
    /// Whether it was compiled from Rust, so that its frame must be known.
    pub(crate) is_rust: bool,
}

impl Image {
    pub(crate) fn read(file: &Path) -> Result<Self, Stop> {
        let bytes = std::fs::read(file).doing(file.display())?;
        Self::parse(&bytes).map_err(|why| Stop::Fail(format!("{}: {why}", file.display())))
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file = object::File::parse(bytes).map_err(|error| error.to_string())?;
        let (mut flash, mut ram) = (0, 0);
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
                continue;
            };
            if sh_flags.0 & SHF_ALLOC.0 == 0 {
                continue;
            }
            let stored = match section.kind() {
                object::SectionKind::UninitializedData => 0,
                _ => section.size(),
            };
            flash += stored;
            if sh_flags.0 & SHF_WRITE.0 != 0 {
                ram += section.size();
            }
        }
        let thumb = u64::from(file.architecture() == object::Architecture::Arm);
        let mut functions: BTreeMap<u64, Function> = BTreeMap::new();
        let mut symbols = Vec::new();
        let mut variables = Vec::new();
        for symbol in file.symbols() {
            let mangled = symbol.name().map_err(|error| error.to_string())?;
            // Marks of code and data for disassemblers, and files.
            if mangled.is_empty() || mangled.starts_with('$') {
                continue;
            }
            let name = format!("{:#}", rustc_demangle::demangle(mangled));
            if symbol.kind() == SymbolKind::Text && symbol.is_definition() {
                let is_rust = mangled.starts_with("_R") || mangled.starts_with("_ZN");
                let function = Function {
                    name: name.clone(),
                    size: 0,
                    frame: None,
                    is_rust,
                };
                let place = functions.entry(symbol.address() & !thumb);
                let function = place.or_insert(function);
                function.is_rust |= is_rust;
                function.size = function.size.max(symbol.size());
            }
            let is_written = symbol
                .section_index()
                .and_then(|index| file.section_by_index(index).ok())
                .is_some_and(|section| match section.flags() {
                    SectionFlags::Elf { sh_flags, .. } => sh_flags.0 & SHF_WRITE.0 != 0,
                    _ => false,
                });
            if symbol.kind() == SymbolKind::Data && is_written && symbol.size() > 0 {
                variables.push((name.clone(), symbol.size()));
            }
            symbols.push(name);
        }
        for (address, frame) in frames(&file)? {
            let function = functions
                .get_mut(&(address & !thumb))
                .ok_or_else(|| format!("no function at {address:#x}, which has a frame"))?;
            function.frame = Some(frame);
        }
        let words = match file.section_by_name(".vector_table") {
            Some(section) => section.data().map_err(|error| error.to_string())?,
            None => &[],
        };
        let (vectors, _) = words.as_chunks::<4>();
        Ok(Self {
            flash,
            ram,
            entry: file.entry() & !thumb,
            symbols,
            functions,
            variables,
            vectors: vectors
                .iter()
                .map(|word| u64::from(u32::from_le_bytes(*word)) & !thumb)
                .collect(),
        })
    }
}

impl Image {
    /// Takes the frames of functions of C from what gcc writes with
    /// `-fstack-usage`: place and name, bytes, kind, a function a line. Fails
    /// if a frame grows while it runs, or a function of the image that is none
    /// of Rust and none of the compiler's own has no frame.
    pub(crate) fn take_usage(&mut self, usage: &str) -> Result<(), String> {
        let mut frames = BTreeMap::new();
        for line in usage.lines() {
            let mut columns = line.split('\t');
            let columns = (columns.next(), columns.next(), columns.next());
            let (Some(place), Some(bytes), Some(kind)) = columns else {
                return Err(format!("`{line}` is no line of stack usage"));
            };
            let name = place.rsplit(':').next().unwrap_or(place);
            if kind.contains("dynamic") && !kind.contains("bounded") {
                return Err(format!("the frame of `{name}` grows while it runs"));
            }
            let bytes: u64 = bytes.parse().map_err(|_| format!("`{line}`: no bytes"))?;
            // Functions of one file may have the name of another's.
            let most = frames.entry(name).or_insert(0);
            *most = bytes.max(*most);
        }
        for function in self.functions.values_mut() {
            if function.frame.is_none() && !function.is_rust {
                function.frame = frames.get(function.name.as_str()).copied();
                // Assembly of the compiler's own library.
                if function.frame.is_none() && !function.name.starts_with("__") {
                    return Err(format!("the frame of `{}` is not known", function.name));
                }
            }
        }
        Ok(())
    }
}

/// The entries of `.stack_sizes`: the address of a function, a word; then the
/// size of its frame as unsigned LEB128.
fn frames(file: &object::File<'_>) -> Result<Vec<(u64, u64)>, String> {
    let Some(section) = file.section_by_name(".stack_sizes") else {
        return Ok(Vec::new());
    };
    let mut rest = section.data().map_err(|error| error.to_string())?;
    let mut frames = Vec::new();
    while let Some((word, after)) = rest.split_first_chunk::<4>() {
        rest = after;
        let mut size = 0u64;
        let mut shift = 0;
        loop {
            let (byte, after) = rest.split_first().ok_or(".stack_sizes is cut short")?;
            rest = after;
            size |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 || shift > 56 {
                break;
            }
        }
        frames.push((u64::from(u32::from_le_bytes(*word)), size));
    }
    Ok(frames)
}
