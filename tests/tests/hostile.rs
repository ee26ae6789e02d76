//! Input that is meant to break something: each is refused or served as it
//! should be, nothing acts that must not, and the next message works.

use core::task::Poll;

use agentmote::mcp::{Device, Identity};
use agentmote::server::{HttpConfig, HttpMemory, LineMemory};
use agentmote::tool::{Answer, Call, Data};
use agentmote::{ToolArg, ToolArgs, ToolResult, catalog, tool};
use agentmote_tests::peer::{self, Cut, HttpPeer, LinePeer, answers};
use serde_json::{Value, json};

/// What the tools of [`DEVICE`] have done, one word each.
#[derive(Debug, Default)]
struct Log(Vec<String>);

#[derive(ToolArg, Debug)]
enum Mode {
    Fast,
    VeryExact,
}

#[derive(ToolArgs)]
struct Ramp {
    #[arg(range = 0.0..=1.0)]
    from: f32,
    mode: Mode,
}

#[derive(ToolArgs)]
struct Channel {
    #[arg(range = 0..=3)]
    number: u8,
    #[arg(items = 1..=2)]
    ramps: heapless::Vec<Ramp, 2>,
}

#[derive(ToolArgs)]
struct Program {
    #[arg(length = ..=8)]
    name: heapless::String<32>,
    channel: Channel,
    #[arg(items = ..=4, range = ..=10)]
    weights: heapless::Vec<i32, 4>,
    matrix: Option<[[u8; 2]; 2]>,
}

/// Loads a program: objects in arrays in objects, four levels deep.
#[tool(actuates)]
fn load(log: &mut Log, args: Program) {
    let ramps = args.channel.ramps.iter();
    log.0.push(format!(
        "{} {} {:?} {:?} {:?}",
        args.name,
        args.channel.number,
        ramps.map(|r| (r.from, &r.mode)).collect::<Vec<_>>(),
        args.weights,
        args.matrix
    ));
}

#[derive(ToolArgs)]
struct Numbers {
    i64: Option<i64>,
    u64: Option<u64>,
    f32: Option<f32>,
    f64: Option<f64>,
    i32: Option<i32>,
    #[arg(range = -9_007_199_254_740_991..=9_007_199_254_740_991)]
    safe: Option<i64>,
}

/// Repeats the one number that it was given.
#[tool]
fn number(log: &mut Log, args: Numbers, call: &mut Call<'_>) -> Answer {
    let text = args.i64.map(|n| n.to_string());
    let text = text.or(args.u64.map(|n| n.to_string()));
    let text = text.or(args.f32.map(|n| format!("{n:?}")));
    let text = text.or(args.f64.map(|n| format!("{n:?}")));
    let text = text.or(args.i32.map(|n| n.to_string()));
    let text = text
        .or(args.safe.map(|n| n.to_string()))
        .unwrap_or_default();
    log.0.push(text.clone());
    call.text(&text)
}

#[derive(ToolArgs)]
struct Mirrored {
    #[arg(header = "Num", range = -1000..=1000)]
    num: Option<i32>,
    #[arg(header = "Flag")]
    flag: Option<bool>,
    #[arg(header = "Mode")]
    mode: Option<Mode>,
    #[arg(header = "Txt", length = ..=8, default = "hi")]
    txt: heapless::String<32>,
}

/// Takes arguments that clients repeat in headers.
#[tool(actuates)]
fn mirrored(log: &mut Log, args: Mirrored) {
    log.0.push(format!(
        "{:?} {:?} {:?} {}",
        args.num, args.flag, args.mode, args.txt
    ));
}

#[derive(ToolArgs)]
struct Count {
    n: u16,
}

/// Answers a text of so many bytes.
#[tool(read_only)]
fn text_of(_: &mut Log, args: Count, call: &mut Call<'_>) -> Answer {
    call.text(&"x".repeat(usize::from(args.n)))
}

const BLOB: &[u8] = &[0xFB; 301];

/// Answers so many constant blobs among other pieces.
#[tool(read_only)]
fn blobs(_: &mut Log, args: Count, call: &mut Call<'_>) -> Answer {
    let _ = call.text("be\"fore");
    for _ in 0..args.n {
        let _ = call.image(Data::Static(BLOB), "image/png");
    }
    let _ = call.resource_blob("a://b", "x/y", Data::Copied(b"\x00\xFF"));
    call.text("after")
}

#[derive(ToolResult)]
struct Spun {
    steps: u32,
}

/// Asks to be called again at once, `n` times; tells each time.
#[tool(actuates)]
fn spin(log: &mut Log, args: Count, call: &mut Call<'_>) -> Poll<Spun> {
    if call.is_cancelled() {
        log.0.push(format!("spin {} cancelled", args.n));
        return Poll::Pending;
    }
    if call.step() == 0 {
        log.0.push(format!("spin {}", args.n));
    }
    call.progress(call.step(), args.n.into());
    if call.step() < args.n.into() {
        Poll::Pending
    } else {
        Poll::Ready(Spun { steps: call.step() })
    }
}

/// Waits for so many milliseconds.
#[tool(actuates)]
fn wait(log: &mut Log, args: Count, call: &mut Call<'_>) -> Poll<()> {
    if call.is_cancelled() {
        log.0.push("wait cancelled".into());
        return Poll::Pending;
    }
    if call.step() > 0 {
        log.0.push("waited".into());
        return Poll::Ready(());
    }
    log.0.push("wait".into());
    call.progress(0, 0);
    call.wake_after(args.n.into());
    Poll::Pending
}

static DEVICE: Device<Log> = Device::new(
    Identity::new("target", "1.0.0"),
    catalog![load, number, mirrored, text_of, blobs, spin, wait],
);

type Lines = LineMemory<1024, 512, 2, 256>;

/// A line of 2025-11-25, served through small and large windows.
fn line(test: impl Fn(&mut LinePeer<'_, Log>)) {
    for (input, output) in [(usize::MAX, 4096), (1, 1), (7, 5)] {
        let mut memory = Lines::new();
        let cut = Cut { input, output };
        let mut peer = LinePeer::new(&mut memory, &DEVICE, Log::default(), cut);
        peer.initialize("2025-11-25");
        test(&mut peer);
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#),
            json!({"jsonrpc":"2.0","id":"next","result":{}})
        );
    }
}

/// An HTTP connection, served through small and large windows.
fn http(test: impl Fn(&mut HttpPeer<'_, Log>)) {
    for (input, output) in [(usize::MAX, 4096), (1, 1), (7, 5)] {
        let mut memory = HttpMemory::<2048, 512>::new();
        let cut = Cut { input, output };
        let mut peer = HttpPeer::new(
            &mut memory,
            HttpConfig::LOOPBACK,
            &DEVICE,
            Log::default(),
            cut,
        );
        test(&mut peer);
    }
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text: {answer}"))
}

fn failure(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    text(answer)
}

fn post(fields: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn modern_call(tool: &str, arguments: &str, fields: &str) -> Vec<u8> {
    let fields = format!(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n{fields}"
    );
    post(
        &fields,
        &format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{META}}}}}"#
        ),
    )
}

const PROGRAM: &str = r#"{"name":"x","channel":{"number":1,"ramps":[{"from":0.1,"mode":"fast"}]},"weights":[1,2],"matrix":[[1,2],[3,4]]}"#;

/// Every error names the place down to its level, and nothing acts.
#[test]
fn a_wrong_value_is_named_at_every_depth() {
    let ramp = r#"{"from":0.1,"mode":"fast"}"#;
    let cases = [
        (
            "0.1",
            "1.5",
            "channel.ramps[0].from: 1.5 is above the maximum 1",
        ),
        (
            "0.1",
            "-1e-9",
            "channel.ramps[0].from: -1e-9 is below the minimum 0",
        ),
        (
            "0.1",
            r#""a""#,
            r#"channel.ramps[0].from: "a" is not a number"#,
        ),
        (
            r#""fast""#,
            r#""Fast""#,
            r#"channel.ramps[0].mode: "Fast" is not one of "fast", "very_exact""#,
        ),
        (
            r#""fast""#,
            "null",
            "channel.ramps[0].mode: null is not a string",
        ),
        (
            r#""from":0.1"#,
            r#""from":0.1,"fr\u006fm":0.2"#,
            r"channel.ramps[0].fr\u006fm: given twice",
        ),
        (
            r#""from":0.1"#,
            r#""From":0.1"#,
            "channel.ramps[0].From: unknown parameter; channel.ramps[0].from: missing",
        ),
        (ramp, "", "channel.ramps: 0 elements, the minimum is 1"),
        (
            ramp,
            "{},[],3",
            "channel.ramps: 3 elements, the maximum is 2; channel.ramps[0].from: missing; \
             channel.ramps[0].mode: missing; channel.ramps[1]: an array is not an object; \
             channel.ramps[2]: 3 is not an object",
        ),
        (
            r#""channel":"#,
            r#""ch\u0061nnel":1,"channel":"#,
            r"ch\u0061nnel: 1 is not an object; channel: given twice",
        ),
        (
            "[1,2],\"matrix",
            "[1,11],\"matrix",
            "weights[1]: 11 is above the maximum 10",
        ),
        (
            "[3,4]",
            "[3,256]",
            "matrix[1][1]: 256 is above the maximum 255",
        ),
        ("[3,4]", "[3]", "matrix[1]: 1 elements, the minimum is 2"),
        ("[3,4]", "{}", "matrix[1]: an object is not an array"),
        (
            r#""x""#,
            r#""123456789""#,
            "name: 9 characters, the maximum is 8",
        ),
    ];
    line(|peer| {
        for (from, to, want) in cases {
            assert!(PROGRAM.contains(from), "{from}");
            let answer = peer.one(&call("1", "load", &PROGRAM.replacen(from, to, 1)));
            assert_eq!(failure(&answer), want);
        }
        assert_eq!(peer.server.app.0, [""; 0]);
        let answer = peer.one(&call("1", "load", PROGRAM));
        assert_eq!(answer["result"].get("isError"), None, "{answer}");
        assert_eq!(
            peer.server.app.0,
            ["x 1 [(0.1, Fast)] [1, 2] Some([[1, 2], [3, 4]])"]
        );
    });
}

#[test]
fn numbers_are_exact_up_to_their_limits_and_refused_beyond() {
    // What the handler saw, or why it did not run.
    let cases = [
        ("i64", "9223372036854775807", Ok("9223372036854775807")),
        ("i64", "-9223372036854775808", Ok("-9223372036854775808")),
        ("i64", "0e1000000000000000000", Ok("0")),
        ("u64", "18446744073709551615", Ok("18446744073709551615")),
        ("u64", "-0", Ok("0")),
        ("f32", "0.1", Ok("0.1")),
        ("f64", "0.1", Ok("0.1")),
        ("f64", "-0", Ok("-0.0")),
        ("f64", "1e-400", Ok("0.0")),
        (
            "f64",
            "1.7976931348623157e308",
            Ok("1.7976931348623157e308"),
        ),
        ("i32", "2147483647.0", Ok("2147483647")),
        ("safe", "9007199254740991", Ok("9007199254740991")),
        (
            "i64",
            "-9223372036854775809",
            Err("is below the minimum -9223372036854775808"),
        ),
        (
            "i64",
            "1e1000000000000000000",
            Err("is above the maximum 9223372036854775807"),
        ),
        ("u64", "-1", Err("is below the minimum 0")),
        (
            "u64",
            "18446744073709551616",
            Err("is above the maximum 18446744073709551615"),
        ),
        ("f32", "1e400", Err("is beyond the range of a double")),
        ("f64", "-1e400", Err("is beyond the range of a double")),
        ("i32", "2147483648", Err("is above the maximum 2147483647")),
        (
            "safe",
            "9007199254740992",
            Err("is above the maximum 9007199254740991"),
        ),
        ("safe", "9007199254740991.5", Err("is not a whole number")),
        ("safe", "1e-1", Err("is not a whole number")),
    ];
    line(|peer| {
        for (name, sent, want) in cases {
            let answer = peer.one(&call("1", "number", &format!("{{\"{name}\":{sent}}}")));
            match want {
                Ok(seen) => {
                    assert_eq!(text(&answer), seen, "{name} {sent}");
                    assert_eq!(peer.server.app.0.pop().as_deref(), Some(seen));
                }
                Err(why) => assert_eq!(failure(&answer), format!("{name}: {sent} {why}")),
            }
        }
        // A double, but beyond the range of the handler's type.
        let answer = peer.one(&call("1", "number", r#"{"f32":1e39}"#));
        assert!(failure(&answer).starts_with("f32: 1e39 is above the maximum 3"));
        assert_eq!(peer.server.app.0, [""; 0]);
    });
}

/// M-002: a member that acts must not stand twice, however it is spelled.
#[test]
fn a_key_given_twice_acts_nowhere() {
    let invalid = -32600;
    let params = -32602;
    let cases = [
        (
            r#"{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}"#,
            invalid,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"tools/call","params":{"name":"wait","arguments":{"n":1}}}"#,
            invalid,
        ),
        (
            r#"{"jsonrpc":"2.0","json\u0072pc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"n":1}}}"#,
            invalid,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"n":1}},"param\u0073":{}}"#,
            invalid,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text_of","nam\u0065":"wait","arguments":{"n":1}}}"#,
            params,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"n":1},"argument\u0073":{"n":2}}}"#,
            params,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"n":1},"_meta":{},"_met\u0061":{}}}"#,
            params,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"n":1},"_meta":{"progressToken":1,"progress\u0054oken":2}}}"#,
            params,
        ),
    ];
    line(|peer| {
        for (sent, code) in cases {
            assert_eq!(peer.one(sent)["error"]["code"], code, "{sent}");
        }
        let answer = peer.one(&call("1", "wait", r#"{"n":1,"\u006e":2}"#));
        assert_eq!(failure(&answer), r"\u006e: given twice");
        assert_eq!(peer.pass(1000), b"");
        assert_eq!(peer.server.app.0, [""; 0]);
    });
}

#[test]
fn ids_and_tokens_come_back_as_they_were_written() {
    let longest = format!("\"{}\"", "i".repeat(62));
    let longer = format!("\"{}\"", "i".repeat(63));
    line(|peer| {
        for id in [
            "0",
            "-0",
            "1.0",
            "1E2",
            "123456789012345678901234567890",
            r#""""#,
            r#""\"\n\u0000\\\ud83d\ude00""#,
            &longest,
        ] {
            let sent = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
            let want = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
            assert_eq!(String::from_utf8(peer.send(sent.as_bytes())), Ok(want));
        }
        for id in ["1.5", "1e400", "true", "{}", "[]", "null", &longer] {
            let answer = peer.one(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"
            ));
            assert_eq!(answer["error"]["code"], -32600, "{id}");
            assert_eq!(answer.get("id"), None, "{id}");
        }
        for token in ["0", "-1", r#""""#, r#""\u0041""#, &longest] {
            let sent = call("1", "wait", r#"{"n":1}"#).replace(
                "\"name\"",
                &format!("\"_meta\":{{\"progressToken\":{token}}},\"name\""),
            );
            let told = peer.send(format!("{sent}\n").as_bytes());
            let want = format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":0}}}}\n"
            );
            assert_eq!(String::from_utf8(told), Ok(want));
            assert!(!peer.pass(10).is_empty());
        }
        peer.server.app.0.clear();
        for token in ["1.5", "null", "true", "[]", "{}", &longer] {
            let sent = call("1", "wait", r#"{"n":1}"#).replace(
                "\"name\"",
                &format!("\"_meta\":{{\"progressToken\":{token}}},\"name\""),
            );
            assert_eq!(peer.one(&sent)["error"]["code"], -32602, "{token}");
        }
        assert_eq!(peer.server.app.0, [""; 0]);
    });
}

/// M-092, M-130: only the right id stops a call, and nothing is answered.
#[test]
fn a_cancel_of_something_else_stops_nothing() {
    line(|peer| {
        assert!(peer.ask(&call("7", "wait", r#"{"n":50}"#)).is_empty());
        assert!(peer.ask(&call("\"7\"", "wait", r#"{"n":50}"#)).is_empty());
        for params in [
            "null",
            "[]",
            "[7]",
            "{}",
            r#"{"requestId":null}"#,
            r#"{"requestId":[7]}"#,
            r#"{"requestId":70}"#,
            r#"{"requestid":7}"#,
            r#"{"requestId":7,"requestId":7}"#,
        ] {
            let sent = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#
            );
            assert!(peer.ask(&sent).is_empty(), "{params}");
        }
        assert_eq!(peer.server.app.0, ["wait", "wait"]);
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7","reason":"\u0000"}}"#;
        for _ in 0..3 {
            assert!(peer.ask(cancel).is_empty());
        }
        assert_eq!(peer.server.app.0, ["wait", "wait", "wait cancelled"]);
        let rest = peer::lines(&peer.pass(100));
        assert_eq!(rest.len(), 1);
        assert_eq!(rest[0]["id"], 7);
        // Late, and to a place that is free again.
        assert!(peer.ask(&cancel.replace("\"7\"", "7")).is_empty());
        assert_eq!(peer.server.app.0.last().map(String::as_str), Some("waited"));
    });
}

/// A handler that never rests shares the line with others and with messages.
#[test]
fn calls_that_never_rest_take_turns() {
    let mut memory = Lines::new();
    let cut = Cut {
        input: usize::MAX,
        output: 100,
    };
    let mut peer = LinePeer::new(&mut memory, &DEVICE, Log::default(), cut);
    peer.initialize("2025-11-25");
    assert!(peer.ask(&call("1", "spin", r#"{"n":400}"#)).is_empty());
    assert!(peer.ask(&call("2", "spin", r#"{"n":400}"#)).is_empty());
    let busy = peer.one(&call("3", "spin", r#"{"n":400}"#));
    assert_eq!(
        failure(&busy),
        "busy: 2 calls in flight, which is the limit"
    );
    // Not even begun.
    assert_eq!(peer.server.app.0, ["spin 400", "spin 400"]);
    for id in 10..40 {
        let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(peer.one(&ping)["id"], id);
    }
    let done = peer::lines(&peer.pass(1000));
    assert_eq!(done.len(), 2);
    for (answer, id) in done.iter().zip([1, 2]) {
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["structuredContent"], json!({"steps":400}));
    }
}

#[test]
fn a_result_fills_its_buffer_to_the_last_byte() {
    let mut memory = LineMemory::<1024, 192, 0, 0>::new();
    let mut peer = LinePeer::new(&mut memory, &DEVICE, Log::default(), Cut::WHOLE);
    peer.initialize("2025-11-25");
    // A text costs three bytes more than its own.
    for n in [0, 1, 188, 189] {
        let answer = peer.one(&call("1", "text_of", &format!("{{\"n\":{n}}}")));
        assert_eq!(text(&answer), "x".repeat(n));
        assert_eq!(answer["result"].get("isError"), None);
    }
    for n in [190, 191, 192, 193, 65_535] {
        let answer = peer.one(&call("1", "text_of", &format!("{{\"n\":{n}}}")));
        assert_eq!(
            failure(&answer),
            format!(
                "text_of: the result needs {} bytes, this device has room for 192",
                n + 3
            )
        );
    }
}

/// Blobs in flash are longer than every buffer, and the same through every
/// window.
#[test]
fn constant_blobs_go_through_any_window() {
    line(|peer| {
        let image =
            json!({"type":"image","data":"+/v7".repeat(100) + "+w==","mimeType":"image/png"});
        for n in 0..=4 {
            let answer = peer.one(&call("1", "blobs", &format!("{{\"n\":{n}}}")));
            let mut want = vec![json!({"type":"text","text":"be\"fore"})];
            want.extend(vec![image.clone(); n]);
            want.push(json!({"type":"resource","resource":{"uri":"a://b","mimeType":"x/y","blob":"AP8="}}));
            want.push(json!({"type":"text","text":"after"}));
            assert_eq!(answer["result"]["content"], json!(want));
        }
        let answer = peer.one(&call("1", "blobs", r#"{"n":5}"#));
        assert_eq!(
            failure(&answer),
            "blobs: the result has more constant blobs than 4"
        );
    });
    http(|peer| {
        let answer = peer.ask(&modern_call("blobs", r#"{"n":4}"#, ""));
        assert_eq!(answer.status, 200);
        let content = answer.json()["result"]["content"].clone();
        assert_eq!(content.as_array().map(Vec::len), Some(7));
        assert_eq!(content[6], json!({"type":"text","text":"after"}));
    });
}

#[test]
fn lines_that_are_no_messages_are_one_error_each() {
    line(|peer| {
        for (sent, code) in [
            (&b"\0"[..], -32700),
            (
                b"\0{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                -32700,
            ),
            (
                b"\x0C{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                -32700,
            ),
            (b"\xFF\xFE{\0}\0", -32700),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":\"\xED\xA0\x80\",\"method\":\"ping\"}",
                -32700,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":\"\xC0\x80\",\"method\":\"ping\"}",
                -32700,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"ping\"}",
                -32700,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"ping\"}",
                -32700,
            ),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", -32700),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}",
                -32700,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",}",
                -32700,
            ),
            (b"{'jsonrpc':'2.0'}", -32700),
            (b"[", -32700),
            (b"[]", -32600),
            (b"{}", -32600),
            (b"null", -32600),
            (b"\"ping\"", -32600),
            (b"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", -32600),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":[\"ping\"]}",
                -32600,
            ),
        ] {
            let got = peer::lines(&peer.send(&[sent, b"\n"].concat()));
            assert_eq!(got.len(), 1, "{sent:?}");
            assert_eq!(got[0]["error"]["code"], code, "{sent:?}");
        }
        // Nothing on a line is nothing.
        assert_eq!(peer.send(b"\n\r\n \t\r\n\xEF\xBB\xBF\r\n"), b"");
    });
}

#[test]
fn a_line_of_a_megabyte_is_one_error() {
    let mut memory = Lines::new();
    let cut = Cut {
        input: 4096,
        output: 64,
    };
    let mut peer = LinePeer::new(&mut memory, &DEVICE, Log::default(), cut);
    let long = [
        &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\""[..],
        &vec![b'a'; 1 << 20],
    ]
    .concat();
    assert_eq!(peer.send(&long), b"");
    let mut end = call("2", "wait", r#"{"n":1}"#).into_bytes();
    end.extend_from_slice(b"\n");
    end.extend_from_slice(PING.as_bytes());
    end.extend_from_slice(b"\n");
    let got = peer::lines(&peer.send(&end));
    assert_eq!(got.len(), 2);
    let bytes = long.len() + call("2", "wait", r#"{"n":1}"#).len();
    assert_eq!(
        got[0],
        json!({"jsonrpc":"2.0","error":{"code":-32600,"message":
            format!("Message of {bytes} bytes is too long, the limit is 1024")}})
    );
    assert_eq!(got[1], json!({"jsonrpc":"2.0","id":1,"result":{}}));
    assert_eq!(peer.server.app.0, [""; 0]);
}

/// M-093: what the last peer began is over for the next one.
#[test]
fn a_new_peer_finds_nothing_of_the_last() {
    line(|peer| {
        assert!(peer.ask(&call("1", "wait", r#"{"n":50}"#)).is_empty());
        assert_eq!(peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"meth"), b"");
        peer.reset();
        assert_eq!(peer.server.app.0, ["wait", "wait cancelled"]);
        assert_eq!(peer.pass(1000), b"");
        let answer = peer.one(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    });
}

/// M-073 to M-076.
#[test]
fn argument_headers_say_what_the_arguments_say() {
    // What the handler saw, or the header that is wrong.
    let cases = [
        ("{}", "", Ok("None None None hi")),
        (
            r#"{"num":1}"#,
            "Mcp-Param-Num: 1\r\n",
            Ok("Some(1) None None hi"),
        ),
        (
            r#"{"num":42}"#,
            "mcp-param-NUM: \t 42.0 \r\n",
            Ok("Some(42) None None hi"),
        ),
        (
            r#"{"num":42.0}"#,
            "Mcp-Param-Num: 42\r\n",
            Ok("Some(42) None None hi"),
        ),
        (
            r#"{"flag":true}"#,
            "Mcp-Param-Flag: true\r\n",
            Ok("None Some(true) None hi"),
        ),
        (
            r#"{"flag":false}"#,
            "Mcp-Param-Flag: false\r\n",
            Ok("None Some(false) None hi"),
        ),
        (
            r#"{"mode":"very_ex\u0061ct"}"#,
            "Mcp-Param-Mode: very_exact\r\n",
            Ok("None None Some(VeryExact) hi"),
        ),
        (
            r#"{"mode":"fast"}"#,
            "Mcp-Param-Mode: =?base64?ZmFzdA==?=\r\n",
            Ok("None None Some(Fast) hi"),
        ),
        (
            r#"{"txt":"é"}"#,
            "Mcp-Param-Txt: =?base64?w6k=?=\r\n",
            Ok("None None None é"),
        ),
        (r#"{"txt":""}"#, "Mcp-Param-Txt:\r\n", Ok("None None None ")),
        (r#"{"num":1}"#, "", Err("missing: Mcp-Param-Num")),
        (r#"{"flag":false}"#, "", Err("missing: Mcp-Param-Flag")),
        (r#"{"txt":""}"#, "", Err("missing: Mcp-Param-Txt")),
        (
            r#"{"num":1}"#,
            "Mcp-Param-Num: 2\r\n",
            Err("mismatch: Mcp-Param-Num"),
        ),
        (
            r#"{"num":1}"#,
            "Mcp-Param-Num: 01\r\n",
            Err("mismatch: Mcp-Param-Num"),
        ),
        (
            r#"{"num":1}"#,
            "Mcp-Param-Num: 1\r\nMcp-Param-Num: 1\r\n",
            Err("mismatch: Mcp-Param-Num"),
        ),
        (
            r#"{"flag":true}"#,
            "Mcp-Param-Flag: True\r\n",
            Err("mismatch: Mcp-Param-Flag"),
        ),
        (
            r#"{"flag":true}"#,
            "Mcp-Param-Flag: false\r\n",
            Err("mismatch: Mcp-Param-Flag"),
        ),
        (
            r#"{"mode":"fast"}"#,
            "Mcp-Param-Mode: =?base64?ZmFzdA?=\r\n",
            Err("mismatch: Mcp-Param-Mode"),
        ),
        (
            r#"{"mode":"fast"}"#,
            "Mcp-Param-Mode: =?BASE64?ZmFzdA==?=\r\n",
            Err("mismatch: Mcp-Param-Mode"),
        ),
        (
            r#"{"txt":"é"}"#,
            "Mcp-Param-Txt: é\r\n",
            Err("mismatch: Mcp-Param-Txt"),
        ),
    ];
    http(|peer| {
        for (arguments, fields, want) in cases {
            let answer = peer.ask(&modern_call("mirrored", arguments, fields));
            match want {
                Ok(seen) => {
                    assert_eq!(answer.status, 200, "{arguments} {fields}");
                    assert_eq!(peer.server.app.0.pop().as_deref(), Some(seen));
                }
                Err(why) => {
                    assert_eq!(answer.status, 400, "{arguments} {fields}");
                    assert_eq!(
                        answer.json(),
                        json!({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":format!("Header {why}")}})
                    );
                }
            }
        }
        assert_eq!(peer.server.app.0, [""; 0]);
        // A value of the wrong type is told by the check of the arguments.
        let answer = peer.ask(&modern_call(
            "mirrored",
            r#"{"num":"1"}"#,
            "Mcp-Param-Num: 1\r\n",
        ));
        assert_eq!(failure(&answer.json()), r#"num: "1" is not an integer"#);
        // The legacy era has no such headers.
        let legacy = post(
            "MCP-Protocol-Version: 2025-11-25\r\n",
            &call("1", "mirrored", r#"{"num":1}"#),
        );
        assert_eq!(peer.ask(&legacy).status, 200);
        assert_eq!(peer.server.app.0, ["Some(1) None None hi"]);
    });
}

/// Section F: where two things are wrong, the earlier step answers.
#[test]
fn the_steps_of_a_modern_request_are_taken_in_order() {
    let version = "MCP-Protocol-Version: 2026-07-28\r\n";
    let unknown = "MCP-Protocol-Version: 1999-01-01\r\n";
    let method = "Mcp-Method: tools/call\r\n";
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"name":"wait","arguments":{{"n":1}},{META}}}}}"#
    );
    let other = body.replace("2026-07-28", "1999-01-01");
    let no_client = |body: &str| body.replace("clientCapabilities", "x");
    let cases = [
        // 1 before 2, 2 before 6, 3 before 6.
        (
            format!("Origin: http://evil.example\r\n{version}"),
            "{".to_owned(),
            403,
            -32600,
        ),
        (String::new(), "{".into(), 400, -32700),
        (
            String::new(),
            body.replace("\"2.0\"", "\"1.0\""),
            400,
            -32600,
        ),
        // 6 before 8 and 9.
        (method.into(), body.clone(), 400, -32020),
        (method.into(), no_client(&body), 400, -32020),
        (method.into(), other.clone(), 400, -32020),
        // 7 before 8 and 9.
        (version.into(), other.clone(), 400, -32020),
        (version.into(), no_client(&other), 400, -32020),
        (unknown.into(), body.clone(), 400, -32020),
        // 8 before 9 and 10, and not 7 without a version in the body.
        (unknown.into(), no_client(&other), 400, -32602),
        (version.into(), no_client(&body), 400, -32602),
        (
            version.into(),
            body.replace(&format!(",{META}"), ""),
            400,
            -32602,
        ),
        (
            unknown.into(),
            body.replace(&format!(",{META}"), ""),
            400,
            -32602,
        ),
        // 9 before 10 to 13, for known versions that are not modern too.
        (unknown.into(), other.clone(), 400, -32022),
        (unknown.into(), other.replace("wait", "nope"), 400, -32022),
        (
            unknown.into(),
            other.replace("tools/call", "server/discover"),
            400,
            -32022,
        ),
        (
            version.replace("2026-07-28", "2025-11-25"),
            body.replace("2026-07-28", "2025-11-25"),
            400,
            -32022,
        ),
        // 10 before 11 to 13.
        (version.into(), body.clone(), 400, -32020),
        (
            format!("{version}Mcp-Method: Tools/call\r\nMcp-Name: wait\r\n"),
            body.clone(),
            400,
            -32020,
        ),
        (
            version.into(),
            body.replace("tools/call", "nope"),
            400,
            -32020,
        ),
        // 11 before 13.
        (format!("{version}{method}"), body.clone(), 400, -32020),
        (
            format!("{version}{method}Mcp-Name: wait\r\n"),
            body.replace("wait", "nope"),
            400,
            -32020,
        ),
        (
            format!("{version}{method}Mcp-Name: w\u{e4}it\r\n"),
            body.clone(),
            400,
            -32020,
        ),
        // 12 and 13.
        (
            format!("{version}Mcp-Method: nope\r\n"),
            body.replace("tools/call", "nope"),
            404,
            -32601,
        ),
        (
            format!("{version}Mcp-Method: initialize\r\n"),
            body.replace("tools/call", "initialize"),
            404,
            -32601,
        ),
        (
            format!("{version}{method}Mcp-Name: nope\r\n"),
            body.replace("wait", "nope"),
            200,
            -32602,
        ),
    ];
    http(|peer| {
        for (fields, body, status, code) in &cases {
            let answer = peer.ask(&post(fields, body));
            let error = answer.json()["error"]["code"].clone();
            assert_eq!(
                (answer.status, error),
                (*status, json!(code)),
                "{fields}{body}"
            );
        }
        assert_eq!(peer.server.app.0, [""; 0]);
        let right = post(&format!("{version}{method}Mcp-Name:\t wait \r\n"), &body);
        assert_eq!(peer.ask(&right).status, 200);
        assert_eq!(peer.server.app.0, ["wait", "waited"]);
    });
}

/// A head that two readers could read in two ways is refused, and what stands
/// behind it is not looked at.
#[test]
fn nothing_is_smuggled_behind_a_head() {
    let plain = String::from_utf8(post("", &call("1", "wait", r#"{"n":1}"#))).expect("UTF-8");
    let length = plain
        .lines()
        .find(|line| line.starts_with("Content-Length"))
        .expect("a length")
        .to_owned();
    let cases = [
        (
            length.clone(),
            format!("{length}\r\nTransfer-Encoding: chunked"),
            400,
        ),
        (length.clone(), format!("{length}\r\n{length}"), 400),
        (
            length.clone(),
            format!("{length}\r\nContent-Length: 0"),
            400,
        ),
        (length.clone(), format!("{length}, 0"), 400),
        (length.clone(), length.replace(": ", ": +"), 400),
        (length.clone(), length.replace(": ", ": 0x"), 400),
        (length.clone(), length.replace(": ", " : "), 400),
        (length.clone(), "Content-Length: -1".into(), 400),
        (
            length.clone(),
            "Content-Length: 99999999999999999999".into(),
            413,
        ),
        (
            length.clone(),
            "Transfer-Encoding: chunked, chunked".into(),
            501,
        ),
        (length.clone(), "Transfer-Encoding: xchunked".into(), 501),
        (length.clone(), "Transfer-Encoding:\x0Bchunked".into(), 400),
        ("Accept:".into(), "X: a\r\n b\r\nAccept:".into(), 400),
        ("\r\nAccept".into(), "\nAccept".into(), 400),
        ("Host:".into(), "Host: evil.example\r\nHost:".into(), 400),
        ("127.0.0.1:8080".into(), "a@127.0.0.1".into(), 400),
        ("Host: 127.0.0.1:8080\r\n".into(), String::new(), 400),
        (" HTTP/1.1".into(), " HTTP/2.0".into(), 505),
        (" HTTP/1.1".into(), String::new(), 400),
    ];
    for (from, to, status) in cases {
        http(|peer| {
            assert!(plain.contains(&from), "{from}");
            let sent = plain.replacen(&from, &to, 1) + &plain;
            // The rest is left over: no byte after the refusal is read.
            let mut bytes = sent.clone().into_bytes();
            let got = answers(&peer.offer(&mut bytes));
            assert_eq!(got.len(), 1, "{sent}");
            assert_eq!(got[0].status, status, "{sent}");
            assert_eq!(got[0].field("connection"), Some("close"), "{sent}");
            assert!(peer.is_closed(), "{sent}");
            assert_eq!(peer.server.app.0, [""; 0], "{sent}");
        });
    }
}

#[test]
fn a_hundred_requests_in_one_write_are_answered_in_order() {
    http(|peer| {
        let ping = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let all: Vec<u8> = (0..100)
            .flat_map(|id| match id % 4 {
                0 => post("", &ping(id)),
                1 => chunked(&ping(id)),
                2 => [b"\r\n".to_vec(), post("", &ping(id))].concat(),
                _ => modern_call("wait", r#"{"n":1}"#, ""),
            })
            .collect();
        let got = answers(&peer.send(&all));
        assert_eq!(got.len(), 100);
        for (id, answer) in got.iter().enumerate() {
            assert_eq!(answer.status, 200);
            let want = if id % 4 == 3 { 1 } else { id };
            assert_eq!(answer.json()["id"], want);
        }
    });
}

/// A request whose chunks are of one byte, with an extension and a trailer.
fn chunked(body: &str) -> Vec<u8> {
    let mut all =
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for byte in body.bytes() {
        all.extend_from_slice(b"0001\r\n");
        all.push(byte);
        all.extend_from_slice(b"\r\n");
    }
    all.extend_from_slice(b"0;last\r\nChecksum: none\r\n\r\n");
    all
}

/// M-084 and M-190, with a stream open and without one.
#[test]
fn a_dropped_connection_stops_modern_calls_only() {
    let token = r#""_meta":{"progressToken":"p","#;
    for stream in [false, true] {
        http(|peer| {
            let mut request =
                String::from_utf8(modern_call("wait", r#"{"n":50}"#, "")).expect("UTF-8");
            if stream {
                let old = request.split("\r\n\r\n").nth(1).expect("a body").len();
                request = request.replace(r#""_meta":{"#, token);
                let new = request.split("\r\n\r\n").nth(1).expect("a body").len();
                request = request.replace(&format!("Length: {old}"), &format!("Length: {new}"));
            }
            let sent = peer.offer(&mut request.into_bytes());
            assert_eq!(sent.is_empty(), !stream);
            peer.hang_up();
            assert!(peer.is_closed());
            assert_eq!(peer.server.app.0, ["wait", "wait cancelled"]);
        });
    }
    http(|peer| {
        let request = post(
            "MCP-Protocol-Version: 2025-11-25\r\n",
            &call("1", "wait", r#"{"n":50}"#),
        );
        assert_eq!(peer.offer(&mut request.clone()), b"");
        peer.hang_up();
        assert!(!peer.is_closed());
        assert_eq!(peer.send(b""), b"");
        assert!(peer.is_closed());
        assert_eq!(peer.server.app.0, ["wait", "waited"]);
    });
}

/// M-197: what is wrong in a batch is wrong alone.
#[test]
fn a_batch_of_anything_is_answered_member_by_member() {
    let batch = format!(
        r#"[1,"a",{PING},{{"jsonrpc":"2.0","id":2,"method":"initialize","params":{{"protocolVersion":"2025-03-26"}}}},null,[{PING}],{{"jsonrpc":"2.0","method":"notifications/x"}},{{"jsonrpc":"2.0","id":3,"result":{{}}}},{}]"#,
        call("4", "wait", r#"{"n":1}"#)
    );
    http(|peer| {
        let answer = peer.ask(&post("", &batch));
        let all = answer.json();
        let codes: Vec<_> = all
            .as_array()
            .expect("an array")
            .iter()
            .map(|one| (one["id"].clone(), one["error"]["code"].clone()))
            .collect();
        let bad = || (Value::Null, json!(-32600));
        assert_eq!(
            codes,
            [
                bad(),
                bad(),
                (json!(1), Value::Null),
                (json!(2), json!(-32600)),
                bad(),
                bad(),
                (json!(4), Value::Null),
            ]
        );
        assert_eq!(peer.server.app.0, ["wait", "waited"]);
        assert_eq!(peer.ask(&post("", PING)).json()["id"], 1);
    });
}

#[test]
fn a_peer_that_leaves_while_a_batch_is_sent_frees_the_connection() {
    use agentmote::server::{Http, Server};
    use agentmote::time::Instant;
    let mut memory = HttpMemory::<2048, 512>::new();
    let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
    let mut server = Server::new(&DEVICE, Log::default());
    let now = Instant::from_millis(0);
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let request = post("", &format!("[{list},{PING}]"));
    // The head is judged before the body is taken.
    let head = http.receive(&request);
    assert_eq!(http.poll(&mut server, now, &mut [0; 64]), 0);
    assert_eq!(
        http.receive(&request[head..]),
        request.len().saturating_sub(head)
    );
    assert_eq!(http.poll(&mut server, now, &mut [0; 64]), 64);
    http.hang_up(&mut server, now);
    for _ in 0..10 {
        http.poll(&mut server, now, &mut []);
    }
    assert!(http.is_closed());
}

#[test]
fn a_name_cut_in_an_escape_is_still_json() {
    line(|peer| {
        for n in 30..50 {
            let name = "a".repeat(n) + &r"\u0041".repeat(5);
            peer.one(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{name}"}}"#));
            peer.one(&call("2", &name, "{}"));
        }
    });
}

#[test]
fn a_call_in_flight_waits_until_the_array_of_a_batch_is_closed() {
    let mut memory = Lines::new();
    let mut peer = LinePeer::new(&mut memory, &DEVICE, Log::default(), Cut::WHOLE);
    peer.initialize("2025-03-26");
    assert!(peer.ask(&call("1", "wait", r#"{"n":10}"#)).is_empty());
    let batch = format!("[{PING},{}]\n", call("3", "wait", r#"{"n":50}"#));
    let mut all = peer.send(batch.as_bytes());
    all.extend(peer.pass(100));
    assert_eq!(
        peer::lines(&all).len(),
        2,
        "{}",
        String::from_utf8_lossy(&all)
    );
}

#[test]
fn a_result_of_the_largest_buffer_is_whole_or_a_failure() {
    let mut memory = Box::new(LineMemory::<1024, 65_535, 0, 0>::new());
    let mut peer = LinePeer::new(&mut *memory, &DEVICE, Log::default(), Cut::WHOLE);
    peer.initialize("2025-11-25");
    for n in [65_531, 65_532, 65_533, 65_535] {
        let answer = peer.one(&call("1", "text_of", &format!("{{\"n\":{n}}}")));
        assert!(answer["result"]["isError"] == true || text(&answer).len() == n);
    }
}

#[test]
fn a_modern_request_without_a_meta_object_is_400() {
    let fields = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n";
    http(|peer| {
        for params in ["[]", "null", r#"{"_meta":null}"#, r#"{"_meta":"x"}"#] {
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}"#);
            let answer = peer.ask(&post(fields, &body));
            assert_eq!(answer.status, 400, "{params}");
            assert_eq!(answer.json()["error"]["code"], -32602);
        }
    });
}

#[test]
fn a_batch_over_http_1_0_ends_with_its_connection() {
    let mut memory = HttpMemory::<2048, 512>::new();
    let mut peer = HttpPeer::new(
        &mut memory,
        HttpConfig::LOOPBACK,
        &DEVICE,
        Log::default(),
        Cut::WHOLE,
    );
    let sent = format!(
        "POST /mcp HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Length: {}\r\n\r\n[{PING}]",
        PING.len() + 2
    );
    assert_eq!(peer.ask(sent.as_bytes()).field("connection"), Some("close"));
    assert!(peer.is_closed());
}

#[test]
fn a_head_request_never_gets_a_body() {
    http(|peer| {
        for line in [
            "Host: evil.example",
            "Host: localhost\r\nOrigin: http://evil.example",
        ] {
            let got = peer.send(format!("HEAD /mcp HTTP/1.1\r\n{line}\r\n\r\n").as_bytes());
            assert!(
                got.ends_with(b"\r\n\r\n"),
                "{}",
                String::from_utf8_lossy(&got)
            );
        }
    });
}

#[test]
fn a_refusal_is_never_empty() {
    #[derive(ToolArg)]
    enum Long {
        #[arg(name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
        A,
        #[arg(name = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb")]
        B,
    }
    #[derive(ToolArgs)]
    struct Args {
        #[arg(name = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc")]
        long: Long,
    }
    /// Long names.
    #[tool]
    fn long(_: &mut Log, args: Args) {
        let _ = matches!(args.long, Long::A | Long::B);
    }
    static LONG: Device<Log> = Device::new(Identity::new("l", "1"), catalog![long]);
    let mut memory = LineMemory::<1024, 192, 0, 0>::new();
    let mut peer = LinePeer::new(&mut memory, &LONG, Log::default(), Cut::WHOLE);
    peer.initialize("2025-11-25");
    let arguments = format!("{{\"{}\":\"{}\"}}", "c".repeat(64), "e".repeat(64));
    failure(&peer.one(&call("1", "long", &arguments)));
}

#[test]
fn what_the_check_lets_through_the_type_holds() {
    line(|peer| {
        for (name, sent) in [
            ("i64", "9223372036854775808"),
            ("u64", "18446744073709551616"),
        ] {
            let answer = peer.one(&call("1", "number", &format!("{{\"{name}\":{sent}}}")));
            let text = text(&answer);
            assert!(!text.contains("Rust type"), "{name} {sent}: {text}");
        }
    });
}

#[test]
fn a_whole_number_of_any_size_is_a_token() {
    line(|peer| {
        let sent = call("1", "wait", r#"{"n":1}"#).replace(
            "\"name\"",
            "\"_meta\":{\"progressToken\":18446744073709551615},\"name\"",
        );
        assert_eq!(peer.ask(&sent)[0]["params"]["progressToken"], u64::MAX);
        peer.pass(10);
    });
}

#[test]
fn a_doubled_mcp_header_is_a_header_mismatch() {
    http(|peer| {
        let answer = peer.ask(&modern_call("wait", r#"{"n":1}"#, "Mcp-Name: wait\r\n"));
        assert_eq!(answer.json()["error"]["code"], -32020);
    });
}
