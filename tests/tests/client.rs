//! The other side: what is sent, what is read, and what is not believed.

use agentmote::a2a::{Agent, Caller};
use agentmote::client::{
    AgentCard, Call, CallTool, CancelTask, Content, Endpoint, Get, GetTask, Given, Initialize,
    Initialized, Part, Post, Refused, Reply, Response, ResponseError, SendMessage, Sent, State,
    Task, TaskState, ToolResult, Wire, agreed, line,
};
use agentmote::frame::http::{AnswerError, BodyError, HeadError};
use agentmote::json;
use agentmote::mcp::{Device, Identity, Version};
use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, Presented, Server};
use agentmote::time::Instant;
use agentmote_tests::a2a::{CARD, Script, World};

const ORIGIN: &str = "http://192.0.2.7:8080";

fn endpoint(url: &str) -> Endpoint<'_> {
    Endpoint::new(url, &[ORIGIN]).unwrap()
}

fn to_line(call: &dyn Call) -> String {
    let mut room = [0; 1024];
    let n = line(call, 7, &mut room).unwrap();
    String::from_utf8(room[..n].to_vec()).unwrap()
}

fn to_post(call: &dyn Call, headers: &[(&str, &[u8])]) -> String {
    let mut room = [0; 1024];
    let post = Post {
        endpoint: &endpoint("http://192.0.2.7:8080/a2a/"),
        headers,
        call,
        id: 7,
    };
    let n = post.write(&mut room).unwrap();
    String::from_utf8(room[..n].to_vec()).unwrap()
}

/// R-001, R-004, M-020, M-051, M-063 to M-065.
#[test]
fn requests_are_these_bytes() {
    let parts = [Part::new(Content::Text("calibrate \"3\""))];
    let send = SendMessage {
        tenant: "lab",
        context: "c",
        task: "t",
        metadata: b"{\"skillId\":\n\"calibrate\"}",
        accepts: &["text/plain"],
        history: Some(0),
        ..SendMessage::new(Wire::V1, "m-1", &parts)
    };
    let body = r#"{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"tenant":"lab","message":{"messageId":"m-1","role":"ROLE_USER","contextId":"c","taskId":"t","parts":[{"text":"calibrate \"3\""}],"metadata":{"skillId":"calibrate"}},"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":0,"returnImmediately":true}}}"#;
    assert_eq!(to_line(&send), format!("{body}\n"));
    let head = format!(
        "POST /a2a/ HTTP/1.1\r\nHost: 192.0.2.7:8080\r\n\
         Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nAuthorization: Bearer x\r\nA2A-Version: 1.0\r\n\r\n",
        body.len()
    );
    let key: &[(&str, &[u8])] = &[("Authorization", b"Bearer x")];
    assert_eq!(to_post(&send, key), head + body);

    let all = [
        Part::new(Content::Text("a")),
        Part::new(Content::Data(b"{\"axis\":3}")),
        Part {
            media_type: "image/x",
            filename: "i",
            ..Part::new(Content::Raw(&[0, 255, 62]))
        },
        Part::new(Content::Url("https://h/x")),
    ];
    let send = SendMessage {
        wait: true,
        ..SendMessage::new(Wire::V03, "m-2", &all)
    };
    assert_eq!(
        to_line(&send),
        concat!(
            r#"{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"kind":"message","messageId":"m-2","role":"user","parts":[{"kind":"text","text":"a"},{"kind":"data","data":{"axis":3}},{"kind":"file","file":{"bytes":"AP8+","mimeType":"image/x","name":"i"}},{"kind":"file","file":{"uri":"https://h/x"}}]},"configuration":{"blocking":true}}}"#,
            "\n"
        )
    );
    assert!(!to_post(&send, &[]).contains("A2A-Version"));
    let send = SendMessage::new(Wire::V1, "m", &all);
    assert!(to_line(&send).contains(
        r#""parts":[{"text":"a"},{"data":{"axis":3}},{"raw":"AP8+","mediaType":"image/x","filename":"i"},{"url":"https://h/x"}]"#
    ));

    for (wire, get, cancel) in [
        (
            Wire::V1,
            r#""method":"GetTask","params":{"tenant":"lab","id":"t","historyLength":2}}"#,
            r#""method":"CancelTask","params":{"tenant":"lab","id":"t"}}"#,
        ),
        (
            Wire::V03,
            r#""method":"tasks/get","params":{"id":"t","historyLength":2}}"#,
            r#""method":"tasks/cancel","params":{"id":"t"}}"#,
        ),
    ] {
        let (tenant, task) = ("lab", "t");
        let history = Some(2);
        let call = GetTask {
            wire,
            tenant,
            task,
            history,
        };
        let want = |rest| format!("{{\"jsonrpc\":\"2.0\",\"id\":7,{rest}\n");
        assert_eq!(to_line(&call), want(get));
        let call = CancelTask { wire, tenant, task };
        assert_eq!(to_line(&call), want(cancel));
    }

    let call = CallTool {
        version: Version::V2026_07_28,
        session: "",
        name: "arm_move",
        arguments: b"{\"joint\":2}",
    };
    let body = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":2},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    assert_eq!(to_line(&call), format!("{body}\n"));
    assert!(to_post(&call, &[]).contains(
        "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: arm_move\r\n\r\n"
    ));
    let call = CallTool {
        version: Version::V2025_11_25,
        session: "s1",
        name: "arm_home",
        arguments: b"",
    };
    assert_eq!(
        to_line(&call),
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"arm_home\"}}\n"
    );
    assert!(
        to_post(&call, &[])
            .contains("\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: s1\r\n\r\n")
    );
    let open = Initialize {
        version: Version::V2025_11_25,
        name: "node",
        firmware: "1",
    };
    assert_eq!(
        to_line(&open),
        concat!(
            r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"node","version":"1"}}}"#,
            "\n"
        )
    );
    let opened = Initialized {
        version: Version::V2025_11_25,
        session: "s1",
    };
    assert_eq!(
        to_line(&opened),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
    );

    let mut room = [0; 256];
    let get = Get {
        endpoint: &endpoint("http://192.0.2.7:8080/.well-known/agent-card.json"),
        headers: &[("If-None-Match", b"\"1\"")],
    };
    let n = get.write(&mut room).unwrap();
    assert_eq!(
        std::str::from_utf8(&room[..n]),
        Ok(
            "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: 192.0.2.7:8080\r\n\
         Accept: application/json\r\nIf-None-Match: \"1\"\r\n\r\n"
        )
    );
}

/// All or nothing.
#[test]
fn what_does_not_fit_or_is_wrong_is_not_written_at_all() {
    let parts = [Part::new(Content::Text("home"))];
    let send = SendMessage::new(Wire::V1, "m-1", &parts);
    let endpoint = endpoint("http://192.0.2.7:8080/a2a");
    let post = Post {
        endpoint: &endpoint,
        headers: &[],
        call: &send,
        id: 1,
    };
    let mut room = [0; 1024];
    let needed = post.write(&mut room).unwrap();
    for size in 0..needed {
        let mut room = vec![0xA5; size];
        assert_eq!(post.write(&mut room), Err(Refused::Long { needed }));
        assert!(room.iter().all(|b| *b == 0xA5));
    }
    let refuse = |call: &dyn Call, headers: &[(&str, &[u8])]| {
        let mut room = [0xA5; 1024];
        let post = Post {
            endpoint: &endpoint,
            headers,
            call,
            id: 1,
        };
        let why = post.write(&mut room).unwrap_err().to_string();
        assert!(room.iter().all(|b| *b == 0xA5));
        why
    };
    let long = "x".repeat(129);
    for (message_id, why) in [
        ("", "message_id is missing"),
        (&long, "message_id is longer than 128 bytes"),
    ] {
        let send = SendMessage { message_id, ..send };
        assert_eq!(refuse(&send, &[]), why);
    }
    let none = SendMessage { parts: &[], ..send };
    assert_eq!(refuse(&none, &[]), "parts must have at least one");
    for (wire, json, why) in [
        (Wire::V1, "{", "parts.data is not JSON"),
        (Wire::V03, "[1]", "parts.data must be an object"),
    ] {
        let parts = [Part::new(Content::Data(json.as_bytes()))];
        let send = SendMessage::new(wire, "m", &parts);
        assert_eq!(refuse(&send, &[]), why);
    }
    let bad = SendMessage {
        metadata: b"[]",
        ..send
    };
    assert_eq!(refuse(&bad, &[]), "metadata must be an object");
    for (name, value) in [
        ("Host", &b"evil"[..]),
        ("content-length", b"1"),
        ("Transfer-Encoding", b"chunked"),
        ("A b", b"1"),
        ("", b"1"),
    ] {
        let why = refuse(&send, &[(name, value)]);
        assert_eq!(why, "headers have a name that may not stand there");
    }
    for value in [&b"a\r\nX: b"[..], b"\x7F", b"\xC3\xA9"] {
        let why = refuse(&send, &[("X", value)]);
        assert_eq!(why, "headers have a value that is not visible ASCII");
    }
    let task = GetTask {
        wire: Wire::V1,
        tenant: "",
        task: "",
        history: None,
    };
    assert_eq!(refuse(&task, &[]), "task is missing");
    let call = |name, arguments, session| CallTool {
        version: Version::V2026_07_28,
        session,
        name,
        arguments,
    };
    for name in ["", "a\r\nb", " a", "a ", "\u{e9}", "=?base64?YQ==?="] {
        assert_eq!(
            refuse(&call(name, b"", ""), &[]),
            "name is not visible ASCII"
        );
    }
    assert_eq!(
        refuse(&call("a", b"[1]", ""), &[]),
        "arguments must be an object"
    );
    assert_eq!(refuse(&call("a", b"{}}", ""), &[]), "arguments is not JSON");
    assert_eq!(
        refuse(&call("a", b"", "s\r\nX: y"), &[]),
        "session is not visible ASCII"
    );
    let open = Initialize {
        version: Version::V2026_07_28,
        name: "",
        firmware: "",
    };
    assert_eq!(refuse(&open, &[]), "version has no sessions");
}

/// R-005: the origin is the one that the firmware allows, to the letter.
#[test]
fn only_an_allowed_origin_is_called() {
    let allowed = ["https://arm-7.example", ORIGIN, "http://[2001:db8::7]:81"];
    for (url, host, port, target) in [
        ("https://arm-7.example", "arm-7.example", 443, "/"),
        (
            "HTTPS://ARM-7.example:443/a2a/",
            "ARM-7.example",
            443,
            "/a2a/",
        ),
        ("http://192.0.2.7:8080/x?y=z", "192.0.2.7", 8080, "/x?y=z"),
        ("http://[2001:db8::7]:81/", "2001:db8::7", 81, "/"),
    ] {
        let got = Endpoint::new(url, &allowed).unwrap();
        assert_eq!((got.host(), got.port(), got.target), (host, port, target));
        assert_eq!(got.secure, port == 443);
    }
    let long = format!("{ORIGIN}/{}", "x".repeat(512));
    for (url, why) in [
        ("", "is not absolute"),
        ("/a2a/", "is not absolute"),
        ("ftp://192.0.2.7:8080/", "is not of http or https"),
        ("https://arm-7.example?x", "has a query without a path"),
        (
            "https://user@arm-7.example/",
            "has no host, or more than one host with a port",
        ),
        (
            "https://arm-7.example\\@evil.example/",
            "has no host, or more than one host with a port",
        ),
        (
            "https://arm-7.example/#x",
            "has a character that no URL has, or a fragment",
        ),
        (
            "https://arm-7.example/a b",
            "has a character that no URL has, or a fragment",
        ),
        (
            "https://arm-7.example/\r\nX: y",
            "has a character that no URL has, or a fragment",
        ),
        (&long, "is too long"),
        (
            "http://arm-7.example/",
            "is not of an origin that is allowed",
        ),
        (
            "https://arm-7.example:444/",
            "is not of an origin that is allowed",
        ),
        (
            "https://arm-7.example.evil.example/",
            "is not of an origin that is allowed",
        ),
        ("http://192.0.2.7/", "is not of an origin that is allowed"),
    ] {
        let wrong = Endpoint::new(url, &allowed).unwrap_err();
        assert_eq!((wrong.field, wrong.why), ("url", why), "{url}");
    }
    assert!(Endpoint::new("https://arm-7.example/", &[]).is_err());
}

fn interface(card: &str, allowed: &[&str]) -> Result<(String, Wire, String), String> {
    let mut room = [0; 512];
    let card = json::parse(card.as_bytes()).unwrap();
    let got = AgentCard::read(card)
        .and_then(|card| card.interface(allowed, &mut room))
        .map_err(|wrong| wrong.to_string())?;
    let endpoint = got.endpoint;
    Ok((
        format!("{} {}", endpoint.authority, endpoint.target),
        got.wire,
        got.tenant.to_owned(),
    ))
}

fn new_card(interfaces: &str) -> String {
    format!("{{\"name\":\"a\",\"supportedInterfaces\":[{interfaces}]}}")
}

fn entry(url: &str, binding: &str, version: &str, more: &str) -> String {
    format!(
        "{{\"url\":\"{url}\",\"protocolBinding\":\"{binding}\",\"protocolVersion\":\"{version}\"{more}}}"
    )
}

/// R-002, R-005, A-005, A-007, V-016.
#[test]
fn the_first_usable_interface_of_a_card_is_taken() {
    let allowed = [ORIGIN];
    let url = "http://192.0.2.7:8080/a2a/";
    let fine = |wire, tenant: &str| Ok(("192.0.2.7:8080 /a2a/".to_owned(), wire, tenant.into()));
    let v1 = entry(url, "JSONRPC", "1.0", ",\"tenant\":\"lab\"");
    assert_eq!(interface(&new_card(&v1), &allowed), fine(Wire::V1, "lab"));
    // Other bindings, versions and origins are passed over.
    let others = [
        entry(url, "GRPC", "1.0", ""),
        entry(url, "JSONRPC", "2.0", ""),
        entry(url, "JSONRPC", "1.10", ""),
        entry("https://evil.example/a2a/", "JSONRPC", "1.0", ""),
        entry("http://192.0.2.7:8080@evil.example/", "JSONRPC", "1.0", ""),
        entry("", "JSONRPC", "1.0", "").replace("\"\"", "\"x\""),
        entry(r"http:\/\/192.0.2.7:8080\/a2a\/", "JSONRPC", "0.3.0", ""),
        v1.clone(),
    ]
    .join(",");
    assert_eq!(interface(&new_card(&others), &allowed), fine(Wire::V03, ""));
    let none = Err("card has no interface of JSON-RPC that is allowed".to_owned());
    assert_eq!(interface(&new_card(""), &allowed), none);
    assert_eq!(interface(&new_card(&others), &[]), none);
    // Sixteen are looked at.
    let many = |count: usize| {
        let mut list = vec![entry(url, "GRPC", "1.0", ""); count];
        list.push(v1.clone());
        interface(&new_card(&list.join(",")), &allowed)
    };
    assert_eq!(many(15), fine(Wire::V1, "lab"));
    assert_eq!(many(16), none);
    // What does not fit the buffer is passed over.
    let long = format!("{url}{}", "x".repeat(500));
    let card = new_card(&entry(&long, "JSONRPC", "1.0", ""));
    assert_eq!(interface(&card, &allowed), none);
    let long = entry(url, "JSONRPC", "1.0", &format!(",\"tenant\":\"{long}\""));
    assert_eq!(interface(&new_card(&long), &allowed), none);

    let old = |more: &str| {
        format!("{{\"name\":\"a\",\"protocolVersion\":\"0.3.0\",\"url\":\"{url}\"{more}}}")
    };
    assert_eq!(interface(&old(""), &allowed), fine(Wire::V03, ""));
    let json = ",\"preferredTransport\":\"JSONRPC\"";
    assert_eq!(interface(&old(json), &allowed), fine(Wire::V03, ""));
    let grpc = ",\"preferredTransport\":\"GRPC\"";
    assert_eq!(interface(&old(grpc), &allowed), none);
    let more = format!(
        "{grpc},\"additionalInterfaces\":[{{\"url\":\"{url}\",\"transport\":\"JSONRPC\"}}]"
    );
    assert_eq!(interface(&old(&more), &allowed), fine(Wire::V03, ""));
    assert_eq!(
        interface(&old("").replace("0.3.0", "0.2.6"), &allowed),
        none
    );

    for (card, why) in [
        ("[]", "card must be an object"),
        ("{}", "name is missing"),
        (r#"{"name":1}"#, "name must be a string"),
        (r#"{"name":"a","name":"b"}"#, "name stands twice"),
        (r#"{"name":"a"}"#, "protocolVersion is missing"),
        (
            r#"{"name":"a","supportedInterfaces":{}}"#,
            "supportedInterfaces must be an array",
        ),
        (
            r#"{"name":"a","supportedInterfaces":[1]}"#,
            "supportedInterfaces must be an object",
        ),
        (
            r#"{"name":"a","supportedInterfaces":[{"url":"u"}]}"#,
            "supportedInterfaces.protocolBinding is missing",
        ),
        (
            r#"{"name":"a","protocolVersion":"0.3.0","url":1}"#,
            "url must be a string",
        ),
    ] {
        assert_eq!(interface(card, &allowed), Err(why.to_owned()), "{card}");
    }
}

/// What a request comes to, in the terms of a test.
type Outcome = Result<String, ResponseError>;

/// Reads an answer that comes in these pieces; `closed` if the peer closes
/// then. Says which other messages came, and what the answer was.
fn read_pieces(pieces: &[&[u8]], closed: bool, room: &mut [u8]) -> (Vec<String>, Outcome) {
    let mut others = Vec::new();
    let mut response = Response::new(room, 7);
    for piece in pieces {
        let mut rest = *piece;
        loop {
            let step = match response.feed(rest) {
                Ok(step) => step,
                Err(error) => {
                    // It stays so.
                    assert_eq!(response.feed(b"x").unwrap_err(), error);
                    return (others, Err(error));
                }
            };
            assert!(step.state != State::More || step.used == rest.len());
            rest = &rest[step.used..];
            match step.state {
                State::Other => {
                    let other = String::from_utf8_lossy(response.message());
                    others.push(other.into_owned());
                }
                State::More | State::Done => break,
            }
        }
    }
    if closed && let Err(error) = response.end() {
        return (others, Err(error));
    }
    let outcome = response.reply().map(|reply| {
        let said = match reply {
            Reply::Result(value) => String::from_utf8_lossy(value.raw()).into_owned(),
            Reply::Error { code, message, .. } => format!("{code} {message}"),
            Reply::Nothing => "nothing".into(),
        };
        format!("{said} [{}] {}", response.session(), response.keeps_open())
    });
    (others, outcome)
}

/// The same, however it is cut.
#[track_caller]
fn read(answer: &[u8], closed: bool) -> (Vec<String>, Outcome) {
    let whole = read_pieces(&[answer], closed, &mut [0xA5; 512]);
    for cut in 0..=answer.len() {
        let (a, b) = answer.split_at(cut);
        let got = read_pieces(&[a, b], closed, &mut [0xA5; 512]);
        assert_eq!(got, whole, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = answer.chunks(1).collect();
    assert_eq!(read_pieces(&bytes, closed, &mut [0xA5; 512]), whole);
    whole
}

fn with_length(head: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\n{head}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

const JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";
const DONE: &str = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":1}}";

#[test]
fn an_answer_is_read_however_it_is_framed_and_cut() {
    let fine = |text: &str| (vec![], Ok(text.to_owned()));
    let plain = with_length(JSON, DONE);
    assert_eq!(read(&plain, false), fine("{\"a\":1} [] true"));
    // Interim answers, names in any case, a session, and other fields.
    let noisy = [
        &b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"[..],
        &with_length(
            "date: x\r\ncontent-TYPE:application/json; charset=utf-8\r\nmcp-session-id:  s-1 \r\n",
            DONE,
        ),
    ]
    .concat();
    assert_eq!(read(&noisy, false), fine("{\"a\":1} [s-1] true"));
    let closes = with_length(&format!("Connection: close\r\n{JSON}"), DONE);
    assert_eq!(read(&closes, true), fine("{\"a\":1} [] false"));
    let old = format!("HTTP/1.0 200 OK\r\n{JSON}\r\n{DONE}");
    assert_eq!(read(old.as_bytes(), true), fine("{\"a\":1} [] false"));
    let (a, b) = DONE.split_at(9);
    let chunked = format!(
        "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n{JSON}\r\n{:x};x=y\r\n{a}\r\n{:X}\r\n{b}\r\n0\r\nT: x\r\n\r\n",
        a.len(),
        b.len()
    );
    assert_eq!(read(chunked.as_bytes(), false), fine("{\"a\":1} [] true"));
    // What follows belongs to nobody.
    let mut more = plain.clone();
    more.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    let mut room = [0; 512];
    let mut response = Response::new(&mut room, 7);
    let step = response.feed(&more).unwrap();
    assert_eq!((step.used, step.state), (plain.len(), State::Done));

    let taken = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(read(taken, false), fine("nothing [] true"));
    let taken = b"HTTP/1.1 204 No Content\r\n\r\n";
    assert_eq!(read(taken, false), fine("nothing [] true"));
    let error =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad \u00e9","data":[]}}"#;
    assert_eq!(
        read(&with_length(JSON, error), false),
        fine("-32700 bad \u{e9} [] true")
    );
    // MCP refuses by HTTP and says why by JSON-RPC.
    let refused = String::from_utf8(with_length(JSON, error)).unwrap();
    let refused = refused.replace("200 OK", "400 Bad Request");
    assert_eq!(
        read(refused.as_bytes(), false),
        fine("-32700 bad \u{e9} [] true")
    );
}

/// The stream of a call: a comment, a priming event, a notification, the
/// answer; lines end as they may.
#[test]
fn the_answer_is_found_in_a_stream_of_events() {
    let note = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}";
    let ask = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}";
    let other = "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}";
    let stream = |end: &str| {
        let (a, b) = DONE.split_at(16);
        [
            ": hello",
            "retry: 1000",
            "data",
            "id: 1",
            "",
            "data:",
            "",
            "event: message",
            &format!("data: {note}"),
            "",
            &format!("data:{ask}"),
            "",
            &format!("data: {other}"),
            "",
            &format!("data: {a}"),
            "datum: x",
            &format!("data: {b}"),
            "",
            "data: never read",
            "",
        ]
        .map(|line| format!("{line}{end}"))
        .concat()
    };
    for end in ["\n", "\r\n", "\r"] {
        let body = stream(end);
        let text = format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n{body}");
        let want = (
            vec![note.to_owned(), ask.to_owned(), other.to_owned()],
            Ok("{\"a\":1} [] false".to_owned()),
        );
        assert_eq!(read(text.as_bytes(), true), want, "{end:?}");
        for size in [1, 5, 64] {
            let chunks: String = body
                .as_bytes()
                .chunks(size)
                .map(|c| format!("{:x}\r\n{}\r\n", c.len(), std::str::from_utf8(c).unwrap()))
                .collect();
            let text = format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{EVENTS}\r\n{chunks}0\r\n\r\n"
            );
            assert_eq!(read(text.as_bytes(), false), want, "{end:?} by {size}");
        }
        assert_eq!(read(&with_length(EVENTS, &body), false), want);
    }
    // A stream that ends without the answer, in every way.
    let ended = Err(ResponseError::Http(AnswerError::Ended));
    let half = format!("data: {note}\n\ndata: {DONE}\n");
    let others = vec![note.to_owned()];
    assert_eq!(
        read(&with_length(EVENTS, &half), false),
        (others.clone(), ended.clone())
    );
    let text = format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n{half}");
    assert_eq!(read(text.as_bytes(), true), (others, ended.clone()));
    let last = format!("data: {note}\n\n");
    assert_eq!(
        read(&with_length(EVENTS, &last), true),
        (vec![note.to_owned()], ended)
    );
}

#[test]
fn hostile_answers_are_refused_with_their_reason() {
    use AnswerError as A;
    let http = |error| Err(ResponseError::Http(error));
    let head = |error| http(A::Head(error));
    let long = "x".repeat(600);
    let fields = "A: b\r\n".repeat(65);
    for (answer, want) in [
        ("\x16\x03\x01", http(A::StatusLine)),
        ("SSH-2.0-x\r\n", http(A::StatusLine)),
        ("HTTP/2 200\r\n\r\n", http(A::StatusLine)),
        ("HTTP/1.2 200 OK\r\n\r\n", http(A::StatusLine)),
        ("HTTP/1.1 20 OK\r\n\r\n", http(A::StatusLine)),
        ("HTTP/1.1 2000 OK\r\n\r\n", http(A::StatusLine)),
        ("HTTP/1.1 600 OK\r\n\r\n", http(A::StatusLine)),
        ("HTTP/1.1  200 OK\r\n\r\n", http(A::StatusLine)),
        ("HTTP/1.1 101 Switching\r\n\r\n", http(A::Interim)),
        ("HTTP/1.1 200 OK\n", head(HeadError::LineEnd)),
        ("HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", head(HeadError::Value)),
        ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", head(HeadError::Name)),
        ("HTTP/1.1 200 OK\r\n A: b\r\n\r\n", head(HeadError::Folded)),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\n",
            head(HeadError::Repeated(
                agentmote::frame::http::Field::ContentLength,
            )),
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            head(HeadError::Length),
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            head(HeadError::LengthAndCoding),
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            head(HeadError::Coding),
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\n",
            http(A::Encoding),
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json;charset=latin1\r\nContent-Length: 1\r\n\r\n",
            http(A::Charset),
        ),
        (
            &format!("HTTP/1.1 200 OK\r\nA: {long}\r\n\r\n"),
            head(HeadError::HeadLong),
        ),
        (
            &format!("HTTP/1.1 200 OK\r\n{fields}\r\n"),
            head(HeadError::FieldsMany),
        ),
        (
            &format!("HTTP/1.1 200 OK\r\n{JSON}Content-Length: 99999999999999999999\r\n\r\n"),
            http(A::Body(BodyError::Long)),
        ),
        (
            &format!("HTTP/1.1 200 OK\r\n{JSON}\r\n{long}"),
            http(A::Body(BodyError::Long)),
        ),
        (
            &format!(
                "HTTP/1.1 200 OK\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n258\r\n{long}\r\n0\r\n\r\n"
            ),
            http(A::Body(BodyError::Long)),
        ),
        (
            &format!("HTTP/1.1 200 OK\r\n{JSON}Transfer-Encoding: chunked\r\n\r\nx\r\n"),
            http(A::Body(BodyError::ChunkSize)),
        ),
        (
            &format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\ndata: {long}\n\n"),
            http(A::Body(BodyError::Long)),
        ),
        (
            &format!("HTTP/1.1 200 OK\r\n{JSON}Content-Length: 9\r\n\r\n{{"),
            http(A::Ended),
        ),
        ("HTTP/1.1 200 OK\r\n", http(A::Ended)),
        ("", http(A::Ended)),
    ] {
        assert_eq!(read(answer.as_bytes(), true), (vec![], want), "{answer}");
    }
    let endless = "HTTP/1.1 100 Continue\r\n\r\n".repeat(5);
    assert_eq!(read(endless.as_bytes(), true).1, http(A::Interim));
    let json = with_length(EVENTS, "data: {\n\n");
    assert!(matches!(read(&json, true).1, Err(ResponseError::Json(_))));

    // A redirect is a status, whatever it says; so is any other page.
    for (answer, status) in [
        (
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n",
            307,
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: //evil.example\r\nContent-Type: text/html\r\n\r\n<a>",
            302,
        ),
        (
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            401,
        ),
        ("HTTP/1.1 304 Not Modified\r\n\r\n", 304),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200),
        (
            &format!("HTTP/1.1 500 X\r\n{JSON}Content-Length: 2\r\n\r\n{{}}"),
            500,
        ),
        (
            &format!(
                "HTTP/1.1 301 X\r\n{JSON}Content-Length: {}\r\n\r\n{DONE}",
                DONE.len()
            ),
            301,
        ),
    ] {
        let want = (vec![], Err(ResponseError::Status(status)));
        assert_eq!(read(answer.as_bytes(), true), want, "{answer}");
    }

    for (body, why) in [
        ("[]", "answer must be an object"),
        ("{}", "jsonrpc is missing"),
        (r#"{"jsonrpc":"1.0"}"#, "jsonrpc is not 2.0"),
        (
            r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
            "id is not that of the request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"7","result":{}}"#,
            "id is not that of the request",
        ),
        (
            r#"{"jsonrpc":"2.0","result":{}}"#,
            "id is not that of the request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":""}}"#,
            "id is not that of the request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7}"#,
            "answer has no result and no error",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":""}}"#,
            "answer has a result and an error",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{},"result":{}}"#,
            "result stands twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{}}"#,
            "id stands twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":[]}"#,
            "result must be an object",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":"1"}}"#,
            "error.code must be a number",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":1.5}}"#,
            "error.code is not a whole number",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"error":{}}"#,
            "error.code is not a whole number",
        ),
    ] {
        let got = read(&with_length(JSON, body), false).1.unwrap_err();
        assert_eq!(got.to_string(), why, "{body}");
    }
}

fn task(text: &str, wire: Wire) -> Result<String, String> {
    let value = json::parse(text.as_bytes()).unwrap();
    let task = Task::read(value, wire).map_err(|wrong| wrong.to_string())?;
    let mut said = format!("{:?}", task.state);
    for artifact in task.artifacts() {
        let artifact = artifact.map_err(|wrong| wrong.to_string())?;
        for part in artifact.parts {
            let part = part.map_err(|wrong| wrong.to_string())?;
            said += &match part.content {
                Given::Text(text) => format!(" {text}"),
                Given::Data(value) => format!(" {}", String::from_utf8_lossy(value.raw())),
                Given::Raw(_) => format!(" {:?}", part.bytes(&mut [0; 3])),
                Given::Url(url) => format!(" <{url}>"),
                Given::Other => " ?".to_owned(),
            };
        }
    }
    Ok(said)
}

#[test]
fn a_task_is_read_strictly_in_what_is_named() {
    let with = |parts: &str| {
        format!(
            "{{\"id\":\"t\",\"x\":1,\"status\":{{\"state\":\"TASK_STATE_COMPLETED\"}},\"artifacts\":[{{\"artifactId\":\"1\",\"parts\":[{parts}]}}]}}"
        )
    };
    let fine = |text: &str| Ok(text.to_owned());
    let parts =
        r#"{"text":""},{"data":null,"text":null},{"raw":"-_8","filename":"f"},{"url":"u"},{"x":1}"#;
    assert_eq!(
        task(&with(parts), Wire::V1),
        fine("Completed  null Ok([251, 255]) <u> ?")
    );
    for (parts, why) in [
        (r#"{"text":"a","url":"b"}"#, "part has two contents"),
        (r#"{"text":"a","data":null}"#, "part has two contents"),
        (r#"{"text":"a","text":"a"}"#, "part.text stands twice"),
        (r#"{"data":1,"data":2}"#, "part.data stands twice"),
        (r#"{"text":1}"#, "part.text must be a string"),
        (
            r#"{"url":"b","mediaType":1}"#,
            "part.mediaType must be a string",
        ),
        ("1", "part must be an object"),
    ] {
        assert_eq!(task(&with(parts), Wire::V1), Err(why.to_owned()), "{parts}");
    }
    for raw in ["a", "AAAAAAAA", "=", "\u{e9}"] {
        let got = task(&with(&format!("{{\"raw\":\"{raw}\"}}")), Wire::V1);
        assert!(got.unwrap().contains("Err"), "{raw}");
    }
    let old = r#"{"kind":"task","id":"t","status":{"state":"working"},"artifacts":[{"artifactId":"1","parts":[{"kind":"text","text":"a"},{"kind":"data","data":{}},{"kind":"file","file":{"bytes":"aGk="}},{"kind":"file","file":{"uri":"u"}},{"kind":"new"}]}]}"#;
    assert_eq!(
        task(old, Wire::V03),
        fine("Working a {} Ok([104, 105]) <u> ?")
    );
    for (part, why) in [
        (r#"{"text":"a"}"#, "part.kind is missing"),
        (r#"{"kind":"text"}"#, "part.text is missing"),
        (r#"{"kind":"data"}"#, "part.data is missing"),
        (r#"{"kind":"file"}"#, "part.file is missing"),
        (
            r#"{"kind":"file","file":{}}"#,
            "part.file must have bytes or uri",
        ),
        (
            r#"{"kind":"file","file":{"bytes":"","uri":"u"}}"#,
            "part.file must have bytes or uri",
        ),
    ] {
        let text = with(part)
            .replace("{\"id\"", "{\"kind\":\"task\",\"id\"")
            .replace("TASK_STATE_COMPLETED", "completed");
        assert_eq!(task(&text, Wire::V03), Err(why.to_owned()), "{part}");
    }
    let long = "x".repeat(129);
    let long = with("").replace("\"t\"", &format!("\"{long}\""));
    for (text, wire, why) in [
        ("[]", Wire::V1, "task must be an object"),
        ("{}", Wire::V1, "task.status is missing"),
        (r#"{"status":{}}"#, Wire::V1, "task.id is missing"),
        (r#"{"id":"","status":{}}"#, Wire::V1, "task.id is missing"),
        (
            r#"{"id":"t","status":{}}"#,
            Wire::V1,
            "task.status.state is missing",
        ),
        (
            r#"{"id":"t","status":{"state":1}}"#,
            Wire::V1,
            "task.status.state must be a string",
        ),
        (
            r#"{"id":"t","id":"u","status":{"state":"x"}}"#,
            Wire::V1,
            "task.id stands twice",
        ),
        (
            r#"{"id":"t","status":{"state":"x","message":{}}}"#,
            Wire::V1,
            "task.status.message.parts is missing",
        ),
        (&long, Wire::V1, "task.id is longer than 128 bytes"),
        (r#"{"kind":"message"}"#, Wire::V03, "task.kind is not task"),
    ] {
        assert_eq!(task(text, wire), Err(why.to_owned()), "{text}");
    }
    // A state of the other wire is not known, and not the end.
    let odd = with("").replace("TASK_STATE_COMPLETED", "completed");
    assert_eq!(task(&odd, Wire::V1), fine("Unknown"));
    assert!(TaskState::Unknown.is_open() && !TaskState::Unknown.is_terminal());
    assert!(TaskState::Rejected.is_terminal() && !TaskState::InputRequired.is_open());

    let sent = |text: &'static str, wire| {
        Sent::read(json::parse(text.as_bytes()).unwrap(), wire).map(|sent| match sent {
            Sent::Task(task) => task.id.to_string(),
            Sent::Message(parts) => parts.text().unwrap_or_default().to_string(),
        })
    };
    let message = r#"{"message":{"messageId":"m","parts":[{"data":1},{"text":"hi"}]}}"#;
    assert_eq!(sent(message, Wire::V1).unwrap(), "hi");
    for (text, wire) in [
        (r#"{}"#, Wire::V1),
        (r#"{"task":{},"message":{}}"#, Wire::V1),
        (r#"{"kind":"x"}"#, Wire::V03),
    ] {
        let wrong = sent(text, wire).unwrap_err();
        assert_eq!(wrong.to_string(), "result must be a task or a message");
    }
}

#[test]
fn a_tools_result_is_read_strictly_in_what_is_named() {
    let read = |text: &str, version| {
        let value = json::parse(text.as_bytes()).unwrap();
        let result = ToolResult::read(value, version).map_err(|wrong| wrong.to_string())?;
        let mut said = result.is_error.to_string();
        for text in result.texts() {
            said += &format!(" {}", text.map_err(|wrong| wrong.to_string())?);
        }
        if let Some(value) = result.structured {
            said += &String::from_utf8_lossy(value.raw());
        }
        Ok::<_, String>(said)
    };
    let (new, old) = (Version::V2026_07_28, Version::V2025_11_25);
    let text = r#"{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}],"isError":true}"#;
    assert_eq!(read(text, old).unwrap(), "true a b");
    let modern =
        r#"{"resultType":"complete","content":[],"structuredContent":{"c":21.5},"x":[null]}"#;
    assert_eq!(read(modern, new).unwrap(), "false{\"c\":21.5}");
    for (text, version, why) in [
        (text, new, "result.resultType is missing"),
        (
            r#"{"resultType":"input_required","inputRequests":{}}"#,
            new,
            "result.resultType is not complete",
        ),
        ("{}", old, "result.content is missing"),
        (r#"{"content":{}}"#, old, "result.content must be an array"),
        (
            r#"{"content":[],"isError":1}"#,
            old,
            "result.isError must be true or false",
        ),
        (
            r#"{"content":[1]}"#,
            old,
            "result.content must be an object",
        ),
        (
            r#"{"content":[{"type":"text"}]}"#,
            old,
            "result.content.text is missing",
        ),
    ] {
        assert_eq!(read(text, version), Err(why.to_owned()), "{text}");
    }
    let version = |text: &str| agreed(json::parse(text.as_bytes()).unwrap());
    assert_eq!(
        version(r#"{"protocolVersion":"2025-06-18"}"#),
        Ok(Version::V2025_06_18)
    );
    for text in [
        "{}",
        r#"{"protocolVersion":"2026-07-28"}"#,
        r#"{"protocolVersion":"2099-01-01"}"#,
    ] {
        assert!(version(text).is_err(), "{text}");
    }
}

static DEVICE: Device<Script> = Device::new(Identity::new("arm-7", "0.1.0"), &[]);

fn anyone(_: Presented<'_>) -> Option<Caller<'static>> {
    Some(Caller::default())
}

/// An agent of this crate, called by its own client.
struct Web {
    server: Server<Script>,
    desk: AgentDesk<'static, Script>,
    now: u64,
}

impl Web {
    fn new() -> Self {
        Self {
            server: Server::new(&DEVICE, Script::default()),
            desk: AgentDesk {
                agent: Box::leak(Box::new(Agent::new(CARD))),
                tasks: World::new::<8>().tasks,
                callers: anyone,
            },
            now: 0,
        }
    }

    /// What comes back within a virtual hour.
    fn ask(&mut self, request: &[u8]) -> Vec<u8> {
        let mut memory = HttpMemory::<2048, 512>::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK).with_agent("/a2a");
        let mut all = Vec::new();
        let mut rest = request;
        let end = self.now + 3_600_000;
        loop {
            let taken = http.receive(rest);
            rest = &rest[taken..];
            let mut out = [0; 4096];
            let now = Instant::from_millis(self.now);
            let n = http.poll_agent(&mut self.server, &mut self.desk, now, &mut out);
            all.extend_from_slice(&out[..n]);
            if taken == 0 && n == 0 {
                match http.wake_agent(&self.desk) {
                    Some(wake) if self.now < end => {
                        self.now = wake.as_millis().max(self.now + 1);
                    }
                    _ => return all,
                }
            }
        }
    }

    /// A call, and what is made of its answer, cut at every byte.
    fn call(&mut self, call: &dyn Call) -> String {
        let mut room = [0; 1024];
        let endpoint = Endpoint::new("http://localhost/a2a/", &["http://localhost"]).unwrap();
        let post = Post {
            endpoint: &endpoint,
            headers: &[],
            call,
            id: 7,
        };
        let n = post.write(&mut room).unwrap();
        let bytes = self.ask(&room[..n]);
        let read = |pieces: &[&[u8]]| {
            let (others, outcome) = read_pieces(pieces, false, &mut [0; 2048]);
            assert_eq!(others, [""; 0]);
            outcome.unwrap()
        };
        let whole = read(&[&bytes]);
        for cut in 0..bytes.len() {
            let (a, b) = bytes.split_at(cut);
            assert_eq!(read(&[a, b]), whole, "cut at {cut}");
        }
        whole.strip_suffix(" [] true").unwrap().to_owned()
    }
}

fn sent(result: &str, wire: Wire) -> (String, TaskState, String) {
    let value = json::parse(result.as_bytes()).unwrap();
    match Sent::read(value, wire).unwrap() {
        Sent::Task(task) => (
            task.id.to_string(),
            task.state,
            task.status.text().unwrap_or_default().to_string(),
        ),
        Sent::Message(_) => panic!("no task: {result}"),
    }
}

/// Send, continue, poll, cancel, on both wires.
#[test]
fn an_agent_of_this_crate_is_called() {
    for wire in [Wire::V1, Wire::V03] {
        let mut web = Web::new();
        let parts = [Part::new(Content::Text("do ask"))];
        let first = SendMessage {
            wait: true,
            ..SendMessage::new(wire, "m-1", &parts)
        };
        let (id, state, said) = sent(&web.call(&first), wire);
        assert_eq!((state, &*said), (TaskState::InputRequired, "go on?"));
        let parts = [Part::new(Content::Text("do parts"))];
        let more = SendMessage {
            task: &id,
            wait: true,
            ..SendMessage::new(wire, "m-2", &parts)
        };
        let (same, state, _) = sent(&web.call(&more), wire);
        assert_eq!((&same, state), (&id, TaskState::Completed));
        let get = GetTask {
            wire,
            tenant: "",
            task: &id,
            history: Some(0),
        };
        let got = task(&web.call(&get), wire).unwrap();
        let data = match wire {
            Wire::V1 => "[1,2]",
            Wire::V03 => "{\"value\":[1,2]}",
        };
        assert_eq!(
            got,
            format!("Completed Ok([0, 255, 62]) <https://h/x> {data} a\"\n\u{e9}")
        );
        let cancel = |task| CancelTask {
            wire,
            tenant: "",
            task,
        };
        let refused = web.call(&cancel(&id));
        assert!(refused.starts_with("-32002 "), "{refused}");
        let parts = [Part::new(Content::Text("do wait"))];
        let (id, state, _) = sent(&web.call(&SendMessage::new(wire, "m-3", &parts)), wire);
        assert!(state.is_open());
        let got = task(&web.call(&cancel(&id)), wire).unwrap();
        assert_eq!(got, "Canceled");
        let none = web.call(&cancel("ffff"));
        assert!(none.starts_with("-32001 "), "{none}");
    }
}

/// The card of an agent of this crate leads to it.
#[test]
fn a_card_of_this_crate_is_read() {
    let mut web = Web::new();
    for (path, wire) in [
        ("/.well-known/agent-card.json", Wire::V1),
        ("/.well-known/agent.json", Wire::V03),
    ] {
        let url = format!("http://localhost{path}");
        let endpoint = Endpoint::new(&url, &["http://localhost"]).unwrap();
        let get = Get {
            endpoint: &endpoint,
            headers: &[],
        };
        let mut room = [0; 512];
        let n = get.write(&mut room).unwrap();
        let bytes = web.ask(&room[..n]);
        let mut room = [0; 4096];
        let mut response = Response::new(&mut room, 0);
        assert_eq!(response.feed(&bytes).unwrap().state, State::Done);
        let card = AgentCard::read(response.document().unwrap()).unwrap();
        assert!(card.name.is("arm-7"));
        let mut room = [0; 64];
        let allowed = ["https://arm-7.example"];
        let got = card.interface(&allowed, &mut room).unwrap();
        assert_eq!((got.wire, got.endpoint.target), (wire, "/a2a/"));
        assert_eq!(got.endpoint.host(), "arm-7.example");
        assert!(
            card.interface(&["https://other.example"], &mut room)
                .is_err()
        );
    }
}

/// A generator (SplitMix64).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Whatever comes, it is read to an end, the same for every cut, and nothing
/// is written behind the buffer.
#[test]
fn spoiled_answers_are_read_alike_however_they_are_cut() {
    let note = "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n";
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{EVENTS}\r\n{:x}\r\n{note}\r\n{:x}\r\ndata: {DONE}\n\n\r\n0\r\n\r\n",
        note.len(),
        DONE.len() + 8
    );
    let seeds = [
        with_length(&format!("{JSON}Mcp-Session-Id: s\r\n"), DONE),
        chunked.into_bytes(),
    ];
    let mut state = 0x5EED;
    for round in 0..4_000 {
        let mut bytes = seeds[round % 2].clone();
        for _ in 0..1 + random(&mut state) % 3 {
            let at = random(&mut state) as usize % bytes.len().max(1);
            match random(&mut state) % 4 {
                _ if bytes.is_empty() => {}
                0 => bytes[at] = random(&mut state) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"\r\n:{}\"0"[random(&mut state) as usize % 7]),
                _ => bytes.truncate(at + 1),
            }
        }
        let size = 64 + random(&mut state) as usize % 200;
        let closed = round % 3 == 0;
        let mut room = vec![0xA5; size];
        let whole = read_pieces(&[&bytes], closed, &mut room);
        let pieces: Vec<&[u8]> = bytes.chunks(1 + random(&mut state) as usize % 9).collect();
        let mut room = vec![0xA5; size];
        assert_eq!(read_pieces(&pieces, closed, &mut room), whole);
    }
}
