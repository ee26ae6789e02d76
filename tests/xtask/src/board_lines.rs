//! The bench arm over lines, byte for byte: on the emulated board, where the
//! lines go over a UART, and on the host. Both must say the same.

use std::io::{Read, Write};
use std::path::Path;
use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::child::{Job, Log, Running};
use crate::demo;
use crate::firmware;
use crate::packages;
use crate::python_package;
use crate::qemu;
use crate::stop::{Doing, Stop};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the board is pinged to see how fast it is.
const PINGS: u32 = 1_000;

/// Bytes of the longest line that the board takes, and the host.
const BOARD_LINE: usize = 1_024;
const HOST_LINE: usize = 16 * 1_024;
/// And a device in Python.
const PYTHON_LINE: usize = 65_535;

/// What the board advertises; the host has room for resources to subscribe to.
const BOARD_SERVES: &str = r#""capabilities":{"tools":{}}"#;
const HOST_SERVES: &str = r#""capabilities":{"tools":{},"resources":{"subscribe":true}}"#;

const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"board-lines","version":"1"}}}"#
);

/// What is sent, and the lines that must come back. Each is one line.
const CASES: &[(&str, &[&str])] = &[
    (
        INITIALIZE,
        &[concat!(
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","#,
            r#""capabilities":{"tools":{}},"#,
            r#""serverInfo":{"name":"bench-arm","title":"Bench arm","version":"0.1.0"},"#,
            r#""instructions":"Joint 0 is the base. Angles are in degrees."}}"#
        )],
    ),
    (
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &[],
    ),
    (
        r#"{"jsonrpc":"2.0","id":"a-1","method":"ping"}"#,
        &[r#"{"jsonrpc":"2.0","id":"a-1","result":{}}"#],
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"temp_read","arguments":{}}}"#,
        &[concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"#,
            r#""content":[{"type":"text","text":"{\"celsius\":24.5}"}],"structuredContent":{"celsius":24.5}}}"#
        )],
    ),
    (
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note_set","arguments":{"text":"h\u00e9llo"}}}"#,
        &[r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}"#],
    ),
    (
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"arm_stop"}}"#,
        &[r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"stopped"}]}}"#],
    ),
    // Refused: nothing moves, so that the arm is at home at once.
    (
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":7,"deg":5}}}"#,
        &[concat!(
            r#"{"jsonrpc":"2.0","id":4,"result":{"#,
            r#""content":[{"type":"text","text":"joint: 7 is above the maximum 5"}],"isError":true}}"#
        )],
    ),
    (
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"arm_home"}}"#,
        &[
            r#"{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"the arm is at home"}]}}"#,
        ],
    ),
    // The era of a request is its own.
    (
        concat!(
            r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"temp_read","_meta":{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientInfo":{"name":"board-lines","version":"1"},"#,
            r#""io.modelcontextprotocol/clientCapabilities":{}}}}"#
        ),
        &[concat!(
            r#"{"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","#,
            r#""content":[{"type":"text","text":"{\"celsius\":24.5}"}],"structuredContent":{"celsius":24.5},"#,
            r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench-arm","title":"Bench arm","version":"0.1.0"}}}}"#
        )],
    ),
    (
        r#"{"jsonrpc":"2.0","id":7,"method":"nope"}"#,
        &[r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found: nope"}}"#],
    ),
    // Nothing but white space is no message.
    (" \t\r", &[]),
    (
        "\t {\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}\r",
        &[r#"{"jsonrpc":"2.0","id":8,"result":{}}"#],
    ),
    (
        "garbage",
        &[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: unexpected character at byte 0"}}"#,
        ],
    ),
    (
        r#"{"jsonrpc""#,
        &[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: unexpected end at byte 10"}}"#,
        ],
    ),
    // What a line ends with that has lost bytes on its way.
    (
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"\x1A",
        &[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: unexpected character at byte 39"}}"#,
        ],
    ),
    (
        "\0\x01\x7F",
        &[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: unexpected character at byte 0"}}"#,
        ],
    ),
];

const LIST: &str = r#"{"jsonrpc":"2.0","id":9,"method":"tools/list"}"#;

/// `cargo xtask board-lines`.
pub(crate) fn command(args: &mut Args) -> Result<(), Stop> {
    args.finish()?;
    println!("{}", check(&mut Log::stderr())?);
    Ok(())
}

/// The step; gives a note.
pub(crate) fn check(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::QEMU_ARM], log)?;
    let (image, _) = firmware::bench_arm_image(log)?;
    let host = Job::new(demo::build_bench_arm(log)?).arg("--stdio");

    let mut host = Peer::start(host, log)?;
    let list = talk(&mut host, HOST_LINE, HOST_SERVES)?;
    let mut board = Peer::start(qemu::lm3s6965evb(&image), log)?;
    // The emulated UART forgets one byte if it comes before the firmware has
    // switched the FIFO on.
    board.send(b"\n")?;
    let same = talk(&mut board, BOARD_LINE, BOARD_SERVES)?;
    if same != list {
        return Err(Stop::Fail(format!(
            "tools/list differs\non the host:  {list}\non the board: {same}"
        )));
    }

    let start = Instant::now();
    for id in 0..PINGS {
        board.send(
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n").as_bytes(),
        )?;
        board.expect(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"
        ))?;
    }
    let rate = f64::from(PINGS) / start.elapsed().as_secs_f64();
    log.line(&format!("{rate:.0} pings a second"))?;
    Ok(format!(
        "{} cases, the same on the host; {PINGS} pings, {rate:.0} a second",
        CASES.len()
    ))
}

/// Every case against the bench arm in C, as a program of the host and on the
/// emulated board; both list the tools that the one in Rust lists.
pub(crate) fn check_c(host: &Path, board: &Path, log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::QEMU_ARM], log)?;
    let rust = Job::new(demo::build_bench_arm(log)?).arg("--stdio");
    let list = talk(&mut Peer::start(rust, log)?, HOST_LINE, HOST_SERVES)?;
    let mut host = Peer::start(Job::new(host), log)?;
    let of_host = talk(&mut host, HOST_LINE, HOST_SERVES)?;
    let mut board = Peer::start(qemu::lm3s6965evb(board), log)?;
    board.send(b"\n")?;
    let of_board = talk(&mut board, BOARD_LINE, BOARD_SERVES)?;
    if of_host != list || of_board != list {
        return Err(Stop::Fail(format!(
            "tools/list differs\nin Rust:    {list}\nin C:       {of_host}\non the board: {of_board}"
        )));
    }
    Ok(format!(
        "{} cases on the host and on the board",
        CASES.len()
    ))
}

/// The step for the bench arm that is defined in Python: what it answers is
/// what the host answers.
pub(crate) fn python(log: &mut Log) -> Result<String, Stop> {
    let host = Job::new(demo::build_bench_arm(log)?).arg("--stdio");
    let list = talk(&mut Peer::start(host, log)?, HOST_LINE, HOST_SERVES)?;
    let device = python_package::bench_arm()?.arg("--stdio");
    let same = talk(&mut Peer::start(device, log)?, PYTHON_LINE, HOST_SERVES)?;
    if same != list {
        return Err(Stop::Fail(format!(
            "tools/list differs\nin Rust:   {list}\nin Python: {same}"
        )));
    }
    Ok(format!("{} cases, the same as from Rust", CASES.len()))
}

/// Every case against one peer; gives its answer to `tools/list`.
fn talk(peer: &mut Peer, longest: usize, serves: &str) -> Result<String, Stop> {
    for (line, answers) in CASES {
        peer.send(format!("{line}\n").as_bytes())?;
        for answer in *answers {
            peer.expect(&answer.replace(BOARD_SERVES, serves))?;
        }
    }
    // Broken UTF-8.
    peer.send(b"\"\xFF\"\n")?;
    peer.expect(
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: not UTF-8 at byte 1"}}"#,
    )?;
    progress(peer)?;

    // Cut at every byte.
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":\"bytes\",\"method\":\"ping\"}\n";
    for byte in ping {
        peer.send(&[*byte])?;
    }
    peer.expect(r#"{"jsonrpc":"2.0","id":"bytes","result":{}}"#)?;

    // Several messages at once, and half of the next.
    let text: String = (0..5)
        .map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"))
        .collect();
    let (now, later) = text.split_at(text.len() - 20);
    peer.send(now.as_bytes())?;
    for id in 0..4 {
        peer.expect(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"
        ))?;
    }
    peer.send(later.as_bytes())?;
    peer.expect(r#"{"jsonrpc":"2.0","id":4,"result":{}}"#)?;

    // Longer than the buffer: counted, refused, forgotten.
    let bytes = longest * 3;
    peer.send("x".repeat(bytes).as_bytes())?;
    peer.send(b"\n")?;
    peer.expect(&format!(
        "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32600,\
         \"message\":\"Message of {bytes} bytes is too long, the limit is {longest}\"}}}}"
    ))?;

    peer.send(format!("{LIST}\n").as_bytes())?;
    let list = peer.line()?;
    match list.strip_prefix(r#"{"jsonrpc":"2.0","id":9,"result":{"tools":[{"name":"arm_move","#) {
        Some(_) => Ok(list),
        None => Err(Stop::Fail(format!("tools/list: {list}"))),
    }
}

/// A call that takes its time, with another one meanwhile.
fn progress(peer: &mut Peer) -> Result<(), Stop> {
    let note = |done: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\
             \"params\":{{\"progressToken\":\"p\",\"progress\":{done},\"total\":100}}}}"
        )
    };
    let call = concat!(
        r#"{"jsonrpc":"2.0","id":"move","method":"tools/call","params":{"name":"arm_move","#,
        r#""arguments":{"joint":2,"deg":20,"speed":100},"_meta":{"progressToken":"p"}}}"#,
        "\n"
    );
    peer.send(call.as_bytes())?;
    peer.expect(&note("0"))?;
    peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":\"meanwhile\",\"method\":\"ping\"}\n")?;
    let mut meanwhile = false;
    let mut last = 0;
    loop {
        let line = peer.line()?;
        if line == r#"{"jsonrpc":"2.0","id":"meanwhile","result":{}}"# {
            meanwhile = true;
            continue;
        }
        let done = line
            .split_once("\"progress\":")
            .and_then(|(_, rest)| rest.split_once(',')?.0.parse::<u32>().ok());
        match done {
            Some(done) if done > last && line == note(&done.to_string()) => last = done,
            Some(_) => return Err(Stop::Fail(format!("progress after {last}: {line}"))),
            None => {
                let end = concat!(
                    r#"{"jsonrpc":"2.0","id":"move","result":{"#,
                    r#""content":[{"type":"text","text":"the joint is at its target"}]}}"#
                );
                return match line == end && meanwhile && last > 0 {
                    true => Ok(()),
                    false => Err(Stop::Fail(format!("at progress {last}: {line}"))),
                };
            }
        }
    }
}

/// A program that answers lines.
struct Peer {
    running: Running,
    stdin: ChildStdin,
    lines: Receiver<Vec<u8>>,
    /// What was sent last, for the report.
    sent: String,
}

impl Peer {
    fn start(job: Job, log: &mut Log) -> Result<Self, Stop> {
        let mut running = job.talk(log)?;
        let (Some(stdin), Some(stdout)) = (running.stdin(), running.stdout()) else {
            return Err(Stop::Fail("no pipes to the program".into()));
        };
        let (send, lines) = mpsc::channel();
        // Ends with the program.
        std::thread::spawn(move || {
            let mut line = Vec::new();
            for byte in std::io::BufReader::new(stdout).bytes() {
                match byte {
                    Ok(b'\n') => {
                        if send.send(std::mem::take(&mut line)).is_err() {
                            return;
                        }
                    }
                    Ok(byte) => line.push(byte),
                    Err(_) => return,
                }
            }
        });
        Ok(Self {
            running,
            stdin,
            lines,
            sent: String::new(),
        })
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.sent = String::from_utf8_lossy(bytes).trim_end().to_owned();
        self.stdin.write_all(bytes).doing("writing")?;
        self.stdin.flush().doing("writing")
    }

    /// The next line, whatever it is.
    fn line(&mut self) -> Result<String, Stop> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Ok(String::from_utf8_lossy(&line).into_owned()),
            Err(RecvTimeoutError::Timeout) => {
                Err(Stop::Fail(format!("no answer to `{}`", self.sent)))
            }
            Err(RecvTimeoutError::Disconnected) => Err(Stop::Fail(format!(
                "it ended ({:?}) at `{}`",
                self.running.ended()?,
                self.sent
            ))),
        }
    }

    fn expect(&mut self, wanted: &str) -> Result<(), Stop> {
        let line = self.line()?;
        if line == wanted {
            return Ok(());
        }
        Err(Stop::Fail(format!(
            "sent:   {}\nwanted: {wanted}\ncame:   {line}",
            self.sent
        )))
    }
}
