//! Which function calls which, and how deep the stack gets.
//!
//! The bound is the longest path of frames. It holds for any input, because
//! nothing is left out: a cycle, a call through a pointer that no [`Rule`]
//! explains, and a function without a known frame are errors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::child::{Job, Log};
use crate::elf::Image;
use crate::stop::Stop;
use crate::toolchain;

/// What is counted for a function of which the compiler does not tell the
/// frame: those written in assembly, which save eight registers at most.
const ASSEMBLY_FRAME: u64 = 32;

/// What the processor saves when an exception comes: eight registers, and a
/// word to align them.
const EXCEPTION_FRAME: u64 = 36;

/// Whom calls through pointers may reach. `*` in a pattern stands for any
/// text; names are demangled, without their hashes.
#[derive(Clone, Copy)]
pub(crate) struct Rule {
    /// The function with the call.
    pub(crate) caller: &'static str,
    /// The functions that may be called.
    pub(crate) callees: &'static [&'static str],
}

/// Functions that call each other around, at most so many times each on one
/// chain: they walk tables, whose nesting is bounded, never input.
#[derive(Clone, Copy)]
pub(crate) struct Walk {
    /// The functions, as in [`Rule`].
    pub(crate) members: &'static [&'static str],
    /// How often each stands on the stack at most.
    pub(crate) times: u64,
}

/// The functions of an image and their calls.
#[derive(Default)]
pub(crate) struct Graph {
    names: Vec<String>,
    frames: Vec<u64>,
    calls: Vec<BTreeSet<usize>>,
    /// The address behind each function, where it is known.
    ends: Vec<u64>,
    /// Functions with a call through a pointer.
    indirect: BTreeSet<usize>,
}

/// A chain of calls from the function that was asked for, and its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) bytes: u64,
    /// Each function with its frame.
    pub(crate) links: Vec<(String, u64)>,
}

impl Graph {
    fn add(&mut self, name: &str, frame: u64) -> usize {
        self.names.push(name.to_owned());
        self.frames.push(frame);
        self.calls.push(BTreeSet::new());
        self.names.len() - 1
    }

    fn is_behind(&self, at: usize, address: u64) -> bool {
        self.ends.get(at).is_some_and(|end| address >= *end)
    }

    /// Adds the calls that `rules` allow for calls through pointers.
    fn resolve(&mut self, rules: &[Rule]) -> Result<(), String> {
        for &caller in &self.indirect {
            let name = &self.names[caller];
            let rule = rules
                .iter()
                .find(|rule| is_like(name, rule.caller))
                .ok_or_else(|| format!("`{name}` calls through a pointer that no rule explains"))?;
            for pattern in rule.callees {
                let before = self.calls[caller].len();
                let found = (0..self.names.len()).filter(|&at| is_like(&self.names[at], pattern));
                self.calls[caller].extend(found);
                if self.calls[caller].len() == before {
                    return Err(format!("`{name}` may call `{pattern}`, which is not there"));
                }
            }
        }
        Ok(())
    }

    /// Makes each function of a walk stand for the whole of it: all their
    /// frames as often as they can be there, and what any of them calls.
    fn flatten(&mut self, walks: &[Walk]) -> Result<(), String> {
        for walk in walks {
            let mut members = BTreeSet::new();
            for pattern in walk.members {
                let before = members.len();
                let found = (0..self.names.len()).filter(|&at| is_like(&self.names[at], pattern));
                members.extend(found);
                if members.len() == before {
                    return Err(format!("`{pattern}` walks, but is not there"));
                }
            }
            let sum: u64 = members.iter().map(|&at| self.frames[at]).sum();
            let callees: BTreeSet<usize> = members
                .iter()
                .flat_map(|&at| self.calls[at].iter().copied())
                .filter(|at| !members.contains(at))
                .collect();
            for at in members {
                self.frames[at] = sum * walk.times;
                self.calls[at].clone_from(&callees);
            }
        }
        Ok(())
    }

    /// The chain of calls from `root` that takes the most stack.
    fn deepest(&self, root: usize) -> Result<Chain, String> {
        let mut known = vec![None; self.names.len()];
        // Functions that are being looked at, each with its calls left to
        // look at: a walk in depth without recursion.
        let mut open: Vec<(usize, Vec<usize>)> = vec![(root, self.callees(root))];
        while let Some((at, left)) = open.last_mut() {
            let at = *at;
            if let Some(next) = left.pop() {
                if let Some(from) = open.iter().position(|(other, _)| *other == next) {
                    let mut cycle: Vec<&str> = Vec::new();
                    cycle.extend(open[from..].iter().map(|(at, _)| self.names[*at].as_str()));
                    cycle.push(&self.names[next]);
                    return Err(format!("recursion: {}", cycle.join(" -> ")));
                }
                if known[next].is_none() {
                    open.push((next, self.callees(next)));
                }
                continue;
            }
            let deeper = self.calls[at]
                .iter()
                .filter_map(|&callee| known[callee].as_ref())
                .max_by_key(|chain: &&Chain| chain.bytes);
            let mut chain = deeper.cloned().unwrap_or_default();
            chain.bytes += self.frames[at];
            let link = (self.names[at].clone(), self.frames[at]);
            chain.links.insert(0, link);
            known[at] = Some(chain);
            open.pop();
        }
        Ok(known.swap_remove(root).unwrap_or_default())
    }

    fn callees(&self, at: usize) -> Vec<usize> {
        self.calls[at].iter().copied().collect()
    }

    /// Every call from a function that is not like `pattern` to one that is.
    fn calls_to(&self, pattern: &str) -> Vec<(&str, &str)> {
        let mut found = Vec::new();
        for (caller, callees) in self.calls.iter().enumerate() {
            for &callee in callees {
                let pair = (self.names[caller].as_str(), self.names[callee].as_str());
                if is_like(pair.1, pattern) && !is_like(pair.0, pattern) {
                    found.push(pair);
                }
            }
        }
        found
    }
}

fn is_like(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            let Some(at) = rest.find(part) else {
                return false;
            };
            rest = &rest[at + part.len()..];
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// What bounds the stack of an image.
pub(crate) struct Bound {
    /// From the reset on.
    pub(crate) main: Chain,
    /// Of the deepest handler. Only one runs at a time: all interrupts have
    /// the same priority, and a fault never returns.
    pub(crate) handler: Chain,
}

impl Bound {
    pub(crate) fn bytes(&self) -> u64 {
        self.main.bytes + EXCEPTION_FRAME + self.handler.bytes
    }

    /// The functions on the way down, a line each.
    pub(crate) fn shown(&self) -> String {
        let mut text = String::new();
        for (name, frame) in &self.main.links {
            text += &format!("{frame:6} {name}\n");
        }
        text += &format!("{EXCEPTION_FRAME:6} the processor, when an interrupt comes\n");
        for (name, frame) in &self.handler.links {
            text += &format!("{frame:6} {name}\n");
        }
        text
    }
}

/// Bounds the stack of the Cortex-M image in `file`.
pub(crate) fn bound(
    file: &Path,
    image: &Image,
    (rules, walks): (&[Rule], &[Walk]),
    log: &mut Log,
) -> Result<Bound, Stop> {
    let fail = |why: String| Stop::Fail(format!("{}: {why}", file.display()));
    let places = Places::new(image).map_err(fail)?;
    let mut graph = graph(&disassembly(file, log)?, image, &places);
    graph.resolve(rules).map_err(fail)?;
    graph.flatten(walks).map_err(fail)?;
    let at = |address: u64| {
        let place = places.at.get(&address).copied();
        place.ok_or_else(|| fail(format!("no function at {address:#x}")))
    };
    let main = graph.deepest(at(image.entry)?).map_err(fail)?;
    let mut handler = Chain::default();
    // The first words are the stack pointer and the reset.
    for &address in image
        .vectors
        .iter()
        .skip(2)
        .filter(|address| **address != 0)
    {
        let chain = graph.deepest(at(address)?).map_err(fail)?;
        if chain.bytes > handler.bytes {
            handler = chain;
        }
    }
    if handler.links.is_empty() {
        return Err(fail("no handler in the vector table".into()));
    }
    Ok(Bound { main, handler })
}

/// The calls in the Thumb image in `file` that lead to a panic, each with its
/// caller.
pub(crate) fn panics(file: &Path, image: &Image, log: &mut Log) -> Result<Vec<String>, Stop> {
    const SIGNS: [&str; 5] = [
        "core::panicking::*",
        "core::slice::index::slice_*",
        "core::str::slice_error_fail*",
        "core::*::unwrap_failed",
        "core::*::expect_failed",
    ];
    let places = Places {
        at: image.functions.keys().copied().zip(0..).collect(),
    };
    let graph = graph(&disassembly(file, log)?, image, &places);
    let mut lines = BTreeSet::new();
    for sign in SIGNS {
        for (caller, callee) in graph.calls_to(sign) {
            lines.insert(format!("{caller} -> {callee}"));
        }
    }
    Ok(lines.into_iter().collect())
}

/// The place of each function in a graph, by its address.
struct Places {
    at: BTreeMap<u64, usize>,
}

impl Places {
    /// Refuses a function from Rust whose frame is not known: it is one that
    /// grows while it runs.
    fn new(image: &Image) -> Result<Self, String> {
        let unknown = |f: &&crate::elf::Function| f.is_rust && f.frame.is_none();
        match image.functions.values().find(unknown) {
            Some(function) => Err(format!("the frame of `{}` is not known", function.name)),
            None => Ok(Self {
                at: image.functions.keys().copied().zip(0..).collect(),
            }),
        }
    }

    fn holding(&self, address: u64) -> Option<usize> {
        self.at.range(..=address).next_back().map(|(_, at)| *at)
    }
}

fn disassembly(file: &Path, log: &mut Log) -> Result<String, Stop> {
    Job::new(toolchain::llvm_objdump(log)?)
        .args(["--disassemble", "--no-show-raw-insn"])
        .arg(file)
        .output()
}

fn graph(text: &str, image: &Image, places: &Places) -> Graph {
    let mut graph = Graph::default();
    for (address, function) in &image.functions {
        graph.add(&function.name, function.frame.unwrap_or(ASSEMBLY_FRAME));
        graph.ends.push(match function.size {
            0 => u64::MAX,
            size => address + size,
        });
    }
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((address, jump)) = jump(line) else {
            continue;
        };
        // A table of branches: each is read as a line of its own.
        let mut next = lines.clone().skip_while(|next| is_padding(next));
        if jump == Jump::Somewhere && next.next().is_some_and(|next| is_table(line, next)) {
            continue;
        }
        // What fills the gap behind a function can read as a jump.
        let Some(from) = places
            .holding(address)
            .filter(|at| !graph.is_behind(*at, address))
        else {
            continue;
        };
        match jump {
            Jump::To(target) | Jump::Call(target) => {
                // Into the middle of another function counts as a call of it;
                // to one's own start, only what comes back from there.
                let calls_itself = jump == Jump::Call(target) && places.at.contains_key(&target);
                let to = places.holding(target);
                graph.calls[from].extend(to.filter(|to| *to != from || calls_itself));
            }
            Jump::Somewhere => {
                graph.indirect.insert(from);
            }
        }
    }
    graph
}

/// Whether an instruction only aligns the next one.
fn is_padding(line: &str) -> bool {
    line.split('\t').nth(1).map(str::trim) == Some("nop")
}

/// Whether `line` goes into a table of branches that `next` begins.
fn is_table(line: &str, next: &str) -> bool {
    let operation = |line: &str| {
        let mut columns = line.split('\t').skip(1).map(str::trim);
        Some((columns.next()?.to_owned(), columns.next()?.to_owned()))
    };
    match (operation(line), operation(next)) {
        (Some((jump, operands)), Some((next, _))) => {
            jump == "mov" && operands.starts_with("pc, r") && next == "b.w"
        }
        _ => false,
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Jump {
    To(u64),
    /// The same, and back.
    Call(u64),
    /// To an address that is known only when it runs.
    Somewhere,
}

/// The address of a Thumb instruction that goes on elsewhere, and where.
/// Returns and jumps by a table inside the function are none.
fn jump(line: &str) -> Option<(u64, Jump)> {
    const CONDITIONS: &[&str] = &[
        "", "eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt",
        "gt", "le",
    ];
    let mut columns = line.split('\t');
    let address = columns.next()?.trim().strip_suffix(':')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let mnemonic = columns.next()?.trim();
    let mnemonic = mnemonic.split('.').next().unwrap_or(mnemonic);
    let operands = columns.next()?;
    let operands = operands.split(['@', '<']).next().unwrap_or(operands).trim();

    let is = |base: &str| {
        mnemonic
            .strip_prefix(base)
            .is_some_and(|condition| CONDITIONS.contains(&condition))
    };
    let branches =
        ["cbz", "cbnz"].contains(&mnemonic) || ["b", "bl", "blx", "bx"].into_iter().any(is);
    let writes_pc = ["mov", "ldr", "add"].into_iter().any(is) && operands.starts_with("pc,");
    let returns = operands == "lr" || operands == "pc, lr" || operands.starts_with("pc, [sp]");
    if returns || !(branches || writes_pc) {
        return None;
    }
    let target = operands.rsplit(", ").next()?.strip_prefix("0x");
    let target = target.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let to = match is("bl") {
        true => Jump::Call,
        false => Jump::To,
    };
    Some((address, target.map_or(Jump::Somewhere, to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a(10) calls b(20) and c(5); b and c call d(1), c calls e(30).
    fn diamond() -> Graph {
        let mut graph = Graph::default();
        for (name, frame) in [("a", 10), ("b", 20), ("c", 5), ("d", 1), ("e", 30)] {
            graph.add(name, frame);
        }
        for (from, to) in [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4)] {
            graph.calls[from].insert(to);
        }
        graph
    }

    #[test]
    fn the_deepest_chain_is_that_of_the_most_bytes() {
        let chain = diamond().deepest(0);
        let links = [("a", 10), ("c", 5), ("e", 30)].map(|(name, frame)| (name.to_owned(), frame));
        assert_eq!(
            chain,
            Ok(Chain {
                bytes: 45,
                links: links.to_vec()
            })
        );
        assert_eq!(diamond().deepest(1).map(|chain| chain.bytes), Ok(21));
    }

    #[test]
    fn recursion_is_named() {
        let mut graph = diamond();
        graph.calls[4].insert(2);
        let why = graph.deepest(0);
        assert_eq!(why, Err("recursion: c -> e -> c".into()));
        let mut graph = diamond();
        graph.calls[3].insert(3);
        assert_eq!(graph.deepest(1), Err("recursion: d -> d".into()));
    }

    #[test]
    fn a_walk_is_counted_as_often_as_it_may_go_around() {
        const WALKS: &[Walk] = &[Walk {
            members: &["c", "e"],
            times: 3,
        }];
        let mut graph = diamond();
        graph.calls[4].insert(2);
        assert_eq!(graph.flatten(WALKS), Ok(()));
        // a, three times c and e, d.
        assert_eq!(
            graph.deepest(0).map(|chain| chain.bytes),
            Ok(10 + 3 * 35 + 1)
        );
        const STALE: &[Walk] = &[Walk {
            members: &["gone"],
            times: 1,
        }];
        assert_eq!(
            graph.flatten(STALE),
            Err("`gone` walks, but is not there".into())
        );
    }

    #[test]
    fn a_call_through_a_pointer_needs_a_rule_that_fits() {
        const RULES: &[Rule] = &[Rule {
            caller: "d*",
            callees: &["e"],
        }];
        let mut graph = diamond();
        graph.indirect.insert(3);
        assert_eq!(graph.resolve(RULES), Ok(()));
        assert_eq!(graph.deepest(0).map(|chain| chain.bytes), Ok(61));

        graph.indirect.insert(1);
        assert_eq!(
            graph.resolve(RULES),
            Err("`b` calls through a pointer that no rule explains".into())
        );

        const STALE: &[Rule] = &[Rule {
            caller: "b",
            callees: &["gone*"],
        }];
        let mut graph = diamond();
        graph.indirect.insert(1);
        assert_eq!(
            graph.resolve(STALE),
            Err("`b` may call `gone*`, which is not there".into())
        );
    }

    #[test]
    fn patterns_match_whole_names() {
        for (name, pattern, like) in [
            ("core::fmt::write", "core::fmt::write", true),
            ("core::fmt::write_str", "core::fmt::write", false),
            (
                "<u8 as core::fmt::Display>::fmt",
                "<* as core::fmt::*>::fmt",
                true,
            ),
            (
                "<u8 as other::Display>::fmt",
                "<* as core::fmt::*>::fmt",
                false,
            ),
            ("a::run", "*::run", true),
            ("a::runs", "*::run", false),
            ("abab", "ab*ab", true),
            ("ab", "ab*ab", false),
        ] {
            assert_eq!(is_like(name, pattern), like, "{name} {pattern}");
        }
    }

    #[test]
    fn a_table_of_branches_is_no_call_through_a_pointer() {
        let jump = "    2a4a:      \tmov\tpc, r8";
        let entry = "    2a4c:      \tb.w\t0x319c <main+0xccc>     @ imm = #0x74c";
        assert!(is_table(jump, entry));
        assert!(!is_table(jump, "    2a4c:      \tbl\t0x319c <f>"));
        assert!(!is_table("    29e6:      \tbx\tr2", entry));
        assert!(!is_table("    29e6:      \tmov\tpc, lr", entry));
    }

    #[test]
    fn jumps_are_read() {
        use Jump::{Call, Somewhere, To};
        for (line, found) in [
            (
                "     400:      \tbl\t0xb538 <__pre_init>     @ imm = #0xb134",
                Some((0x400, Call(0xB538))),
            ),
            (
                "     410:      \tb\t0x40a <__stext+0xa>     @ imm = #-0xa",
                Some((0x410, To(0x40A))),
            ),
            (
                "     40c:      \tbeq.w\t0x412 <x>",
                Some((0x40C, To(0x412))),
            ),
            (
                "     40c:      \tcbnz\tr0, 0x412 <x>",
                Some((0x40C, To(0x412))),
            ),
            ("    29e6:      \tblx\tr2", Some((0x29E6, Somewhere))),
            ("    b0c6:      \tbx\tr3", Some((0xB0C6, Somewhere))),
            ("    b0c6:      \tmov\tpc, r3", Some((0xB0C6, Somewhere))),
            (
                "    b0c6:      \tldr.w\tpc, [r0, r1, lsl #2]",
                Some((0xB0C6, Somewhere)),
            ),
            ("    b0c6:      \tbx\tlr", None),
            ("    b0c6:      \tldr\tpc, [sp], #4", None),
            ("    b0c6:      \tpop\t{r4, pc}", None),
            ("    b0c6:      \ttbb\t[pc, r0]", None),
            ("    b0c6:      \tbic\tr0, r1, #0x3", None),
            ("    b0c6:      \tbfc\tr0, #9, #23", None),
            ("     428: e0 09 00 20  \t.word\t0x200009e0", None),
            ("     428:\tb0 bf 00 20\t.word\t0x2000bfb0", None),
            ("00000400 <__stext>:", None),
        ] {
            assert_eq!(jump(line), found, "{line}");
        }
    }
}
