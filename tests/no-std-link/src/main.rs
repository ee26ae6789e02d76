//! The panic-free proof.
//!
//! This program calls every public entry point of the core with bytes that
//! are known only when it runs. Its panic handler calls a function that does
//! not exist, so it links exactly if no panic can be reached: the linker
//! looks only at what is left after the optimiser. It is never run.
//!
//! `cargo xtask panic-free` links it for every bare target, makes sure that
//! every `pub fn` of the core is named in here, and makes sure that the
//! feature `spoiled` breaks the link.
//!
//! Left out: `Debug` of the core's types, which is for hosts and formats
//! floats, and functions that run only when a descriptor is compiled.

#![no_std]
#![no_main]
#![deny(unsafe_code)]

mod client;
mod derived;
mod extended;
mod http;
mod json;
mod offered;
mod policed;
mod served;
mod tasks;
mod tool;

use agentmote::buf::Sink;

/// Calls what the first byte of the input names with the rest of it, and
/// gives how many bytes were written.
///
/// # Safety
/// `input` points to `input_len` readable bytes, `out` to `out_len` writable
/// bytes, which do not overlap.
#[unsafe(no_mangle)]
#[expect(
    unsafe_code,
    reason = "bytes from outside make the optimiser keep every path"
)]
pub unsafe extern "C" fn _start(
    input: *const u8,
    input_len: usize,
    out: *mut u8,
    out_len: usize,
) -> usize {
    // SAFETY: the caller keeps to the contract above.
    let input = unsafe { core::slice::from_raw_parts(input, input_len) };
    // SAFETY: as above.
    let out = unsafe { core::slice::from_raw_parts_mut(out, out_len) };
    all(input, out)
}

fn all(input: &[u8], out: &mut [u8]) -> usize {
    let Some((choice, rest)) = input.split_first() else {
        return 0;
    };
    match choice {
        0 => json::read(rest, out),
        1 => json::write(rest, out),
        2 => json::typed(rest, out),
        3 => json::floats(rest, out),
        4 => tool::checked(rest, out),
        5 => served::line(rest, out),
        6 => served::http(rest, out),
        7 => served::transport(rest, out),
        8 => http::heads(rest, out),
        9 => http::bodies(rest, out),
        10 => http::values(rest, out),
        11 => http::answers(rest, out),
        12 => buffers(rest, out),
        13 => derived::line(rest, out),
        14 => json::reader(rest, out),
        15 => served::async_transport(rest, out),
        16 => tool::built(rest, out),
        17 => served::over(rest, out),
        18 => tasks::exchanges(rest, out),
        19 => tasks::cards(rest, out),
        20 => tasks::connection(rest, out),
        21 => policed::connection(rest, out),
        22 => policed::table(rest),
        23 => tasks::line(rest, out),
        24 => client::requests(rest, out),
        25 => client::responses(rest, out),
        30 => extended::answered(rest, out),
        31 => extended::pages(rest, out),
        #[cfg(feature = "spoiled")]
        26 => usize::from(rest[3]),
        _ => 0,
    }
}

/// The first `N` bytes of the input as numbers to choose with.
fn pick<const N: usize>(input: &[u8]) -> ([usize; N], &[u8]) {
    match input.split_first_chunk::<N>() {
        Some((bytes, rest)) => (bytes.map(usize::from), rest),
        None => ([0; N], input),
    }
}

fn buffers(input: &[u8], out: &mut [u8]) -> usize {
    use agentmote::buf::Span;
    use agentmote::frame::line::{Line, Lines};
    use agentmote::time::Instant;

    let ([from, start, end, cut], rest) = pick(input);
    let span = Span::new(start, end);
    let part = span.get(rest);
    let found = Span::of(rest, part);
    let mut room = [0u8; 64];
    let mut lines = Lines::new();
    let taken = lines.receive(&mut room, rest);
    let line = match lines.line(&room) {
        Some(Line::Whole(line)) => line.len(),
        Some(Line::TooLong { bytes }) => bytes,
        None => 0,
    };
    let ready = lines.is_ready();
    lines.clear();
    // As words: how the core library prints 64 bits is not proved here.
    let now = Instant::from_millis(from as u64).after(cut as u32);
    let since = now.since(Instant::from_millis(end as u64)) as usize;
    let millis = now.as_millis() as usize;

    let mut sink = Sink::window(out, from);
    sink.put(part);
    sink.byte(b' ');
    sink.text(core::str::from_utf8(rest).unwrap_or("?"));
    sink.truncate(cut);
    let mut count = Sink::counter();
    count.put(sink.kept());
    count.skip(sink.unkept());
    let _ = core::fmt::Write::write_fmt(
        &mut count,
        format_args!("{taken} {line} {ready} {since} {millis}"),
    );
    let sums = [
        count.total(),
        sink.filled(),
        sink.total(),
        usize::from(sink.overflowed()),
        usize::from(found.is_empty()),
        found.len(),
        found.start(),
        found.end(),
    ];
    sums.into_iter().fold(0, usize::wrapping_add)
}

#[panic_handler]
#[cfg_attr(
    not(feature = "culprits"),
    expect(unsafe_code, reason = "a symbol that does not exist")
)]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    let _ = info;
    #[cfg(feature = "culprits")]
    loop {
        // Keeps the calls that lead here, each with its place.
        core::hint::black_box(info);
    }
    #[cfg(not(feature = "culprits"))]
    {
        unsafe extern "C" {
            safe fn panic_path_is_reachable() -> !;
        }
        panic_path_is_reachable()
    }
}
