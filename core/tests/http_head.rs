//! The HTTP framing against `httparse`, over a corpus and its mutations.
//!
//! The random numbers come from a fixed seed: each run sees the same inputs.
#![cfg(feature = "http")]

use agentmote::frame::http::{
    BodyState, Chunked, Field, Head, HeadEnd, HeadError, HeadState, Method, Version, parse,
};

/// Heads, complete and followed by nothing.
const HEADS: &[&str] = &[
    // C-46, C-47, C-49
    "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nContent-Type: application/json\r\n\
     Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
     Mcp-Method: tools/call\r\nMcp-Name: =?BASE64?YXJtX3N0b3A=?=\r\nContent-Length: 189\r\n\r\n",
    // C-53
    "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\n\
     Content-Type: Application/JSON ; charset=\"UTF-8\"\r\n\
     MCP-Protocol-Version: 2025-11-25\r\nContent-Length: 41\r\n\r\n",
    // C-58
    "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nAccept: */*\r\nExpect: 100-continue\r\n\
     Content-Length: 41\r\n\r\n",
    // C-61
    "POST /mcp HTTP/1.1\r\nHost: 192.0.2.7\r\nTransfer-Encoding: chunked\r\n\r\n",
    // C-62
    "POST /mcp HTTP/1.1\r\nHost: [2001:db8::7]:8080\r\nOrigin: http://[2001:db8::7]:8080\r\n\
     Content-Length: 41\r\n\r\n",
    "\r\nGET http://device.example/.well-known/agent-card.json?v=1 HTTP/1.1\r\nHost: a\r\n\
     If-None-Match: \"a\", W/\"b\"\r\nX-API-Key:\t k \r\nAuthorization:Bearer a.b\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost:\r\nAccess-Control-Request-Method: POST\r\n\
     Access-Control-Request-Headers: content-type, mcp-method\r\n\r\n",
    "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\nUser-Agent: r\u{e9}\r\nEmpty:\r\n\r\n",
    "DELETE /mcp/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nA2A-Version: 1.0\r\n\
     A2A-Extensions: a,b\r\nA2A-Extensions: c\r\nLast-Event-ID: 7\r\nMcp-Param-Joint: 2\r\n\r\n",
];

/// Chunked bodies, each with the beginning of another request behind it.
const BODIES: &[&str] = &[
    "14\r\n{\"jsonrpc\":\"2.0\",\"id\r\n15\r\n\":64,\"method\":\"ping\"}\r\n0\r\n\r\nPOST",
    "1;a=\"b;c\"\r\nx\r\n0002 ;\r\nyz\r\nA\r\n0123456789\r\n000;e\r\nTrailer: 1\r\nB:2\r\n\r\nGET",
    "0\r\n\r\n",
];

/// What this reader refuses though `httparse` accepts it, each on purpose:
/// one reading of where a message ends, and the limits of a small device.
fn is_stricter_on_purpose(error: HeadError) -> bool {
    match error {
        // Bare LF as a line end.
        HeadError::LineEnd
        // Any number of empty lines; any length.
        | HeadError::EmptyLines
        | HeadError::Method
        | HeadError::TargetLong
        | HeadError::HeadLong
        | HeadError::FieldsMany
        // Any text as a target.
        | HeadError::Target
        // What the fields mean together is not looked at.
        | HeadError::Repeated(_)
        | HeadError::HostMissing
        | HeadError::Host
        | HeadError::Length
        | HeadError::LengthAndCoding
        | HeadError::Coding
        | HeadError::CodingVersion
        | HeadError::Expectation => true,
        HeadError::RequestLine
        | HeadError::Version
        | HeadError::Incomplete
        | HeadError::Folded
        | HeadError::Name
        | HeadError::Value => false,
    }
}

#[test]
fn the_corpus_reads_as_the_oracle_reads_it() {
    for head in HEADS {
        assert!(compare(head.as_bytes()), "{head}");
    }
}

#[test]
fn mutated_heads_read_as_the_oracle_reads_them() {
    let mut random = Random(0x5EED);
    let (mut both, mut stricter, mut neither) = (0, 0, 0);
    for _ in 0..60_000 {
        let input = mutate(&mut random, HEADS);
        match (compare(&input), oracle_accepts(&input)) {
            (true, _) => both += 1,
            (false, true) => stricter += 1,
            (false, false) => neither += 1,
        }
    }
    // A generator that no longer reaches one of the three shows nothing.
    assert!(
        both > 5_000 && stricter > 5_000 && neither > 5_000,
        "{both} {stricter} {neither}"
    );
}

/// Compares one input; tells whether both accept it.
fn compare(input: &[u8]) -> bool {
    let mut lines = [httparse::EMPTY_HEADER; 128];
    let mut oracle = httparse::Request::new(&mut lines);
    let status = oracle.parse(input);
    let step = HeadEnd::new(usize::from(u16::MAX)).feed(input);
    let ours = match step.state {
        HeadState::Done => parse(&input[..step.used]).map_err(Some),
        HeadState::Refused(error) => Err(Some(error)),
        HeadState::More => Err(None),
    };
    let text = String::from_utf8_lossy(input);
    match (status, ours) {
        (Ok(httparse::Status::Complete(end)), Ok(head)) => {
            assert_eq!(end, step.used, "{text:?}");
            same(&input[..end], &head, &oracle);
            true
        }
        (Ok(httparse::Status::Complete(end)), Err(Some(error))) => {
            assert!(is_stricter_on_purpose(error), "{error:?}: {text:?}");
            // What the early look refuses, the whole look refuses too.
            assert!(parse(&input[..end]).is_err(), "{text:?}");
            false
        }
        (Ok(httparse::Status::Complete(_)), Err(None)) => panic!("no end found: {text:?}"),
        (status, Ok(_)) => panic!("only the oracle refuses: {status:?} {text:?}"),
        _ => false,
    }
}

fn oracle_accepts(input: &[u8]) -> bool {
    let mut lines = [httparse::EMPTY_HEADER; 128];
    httparse::Request::new(&mut lines)
        .parse(input)
        .is_ok_and(|status| status.is_complete())
}

/// Method, target and every field are those of the oracle.
fn same(bytes: &[u8], head: &Head, oracle: &httparse::Request<'_, '_>) {
    let text = String::from_utf8_lossy(bytes);
    let method = match oracle.method {
        Some("GET") => Method::Get,
        Some("HEAD") => Method::Head,
        Some("POST") => Method::Post,
        Some("DELETE") => Method::Delete,
        Some("OPTIONS") => Method::Options,
        _ => Method::Other,
    };
    assert_eq!(head.method, method, "{text:?}");
    assert_eq!(
        head.version == Version::Http11,
        oracle.version == Some(1),
        "{text:?}"
    );
    let target = oracle.path.unwrap().as_bytes();
    let mut sent = head.path(bytes).to_vec();
    if let Some(query) = head.query(bytes) {
        sent.push(b'?');
        sent.extend_from_slice(query);
    }
    if target.first() == Some(&b'/') || target == b"*" {
        assert_eq!(sent, target, "{text:?}");
    } else {
        let mut url = target.split(|&b| b == b':').next().unwrap().to_vec();
        url.extend_from_slice(b"://");
        url.extend_from_slice(head.host(bytes).unwrap());
        // A URL without a path reads as `/`.
        let with_path = [&url[..], &sent].concat();
        let without = [&url[..], &sent[1..]].concat();
        assert!(target == with_path || target == without, "{text:?}");
    }
    for line in oracle.headers.iter() {
        let name = line.name.as_bytes();
        let want: Vec<&[u8]> = oracle
            .headers
            .iter()
            .filter(|other| other.name.eq_ignore_ascii_case(line.name))
            .map(|other| trim(other.value))
            .collect();
        let got: Vec<&[u8]> = head.named(bytes, name).collect();
        assert_eq!(got, want, "{} in {text:?}", line.name);
    }
    for known in Field::ALL {
        let first = oracle
            .headers
            .iter()
            .find(|line| line.name.eq_ignore_ascii_case(known.name));
        let want = first.map(|line| trim(line.value));
        assert_eq!(
            head.field(bytes, known.field),
            want,
            "{} in {text:?}",
            known.name
        );
    }
}

fn trim(value: &[u8]) -> &[u8] {
    let outer = |b: &u8| !matches!(b, b' ' | b'\t');
    let start = value.iter().position(outer).unwrap_or(value.len());
    let end = value.iter().rposition(outer).map_or(start, |at| at + 1);
    &value[start..end]
}

/// 200,000 inputs, half of them heads and half chunks: nothing panics, no
/// more is used than was given, and a cut changes nothing.
#[test]
fn no_input_stops_the_framing() {
    let mut random = Random(0xF00D);
    for round in 0..100_000u32 {
        let wild = round % 4 == 0;
        let head = if wild {
            noise(&mut random)
        } else {
            mutate(&mut random, HEADS)
        };
        let max = [64, 200, 4096][random.below(3)];
        let whole = find_end(&head, max, &[head.len()]);
        let cuts = [random.below(head.len() + 1), 1 + random.below(9)];
        assert_eq!(find_end(&head, max, &cuts), whole, "{head:?} at {cuts:?}");
        let _ = parse(&head);
        let _ = parse(&head[..whole.0]);

        let body = if wild {
            noise(&mut random)
        } else {
            mutate(&mut random, BODIES)
        };
        let room = [0, 13, 4096][random.below(3)];
        let whole = decode(&body, room, &[body.len()]);
        let cuts = [random.below(body.len() + 1), 1 + random.below(9)];
        assert_eq!(decode(&body, room, &cuts), whole, "{body:?} at {cuts:?}");
        assert_eq!(decode(&body, room, &[1]), whole, "{body:?} bytewise");
        if whole.2 == BodyState::Done {
            let want = (whole.0.clone(), whole.1);
            assert_eq!(chunks_of_the_oracle(&body), Some(want), "{body:?}");
        }
    }
}

/// Every split of every corpus text into two.
#[test]
fn a_cut_at_any_byte_changes_nothing() {
    for head in HEADS {
        let input = [head.as_bytes(), b"{}"].concat();
        for cut in 1..=input.len() {
            let got = find_end(&input, 4096, &[cut, input.len()]);
            assert_eq!(got, (head.len(), HeadState::Done), "{head} at {cut}");
        }
    }
    for body in BODIES {
        let whole = decode(body.as_bytes(), 99, &[body.len()]);
        assert_eq!(whole.2, BodyState::Done);
        for cut in 1..=body.len() {
            assert_eq!(
                decode(body.as_bytes(), 99, &[cut, body.len()]),
                whole,
                "{body} at {cut}"
            );
        }
    }
}

/// Feeds pieces of the given lengths, the last length again and again.
fn find_end(input: &[u8], max: usize, lengths: &[usize]) -> (usize, HeadState) {
    let mut end = HeadEnd::new(max);
    let (mut at, mut state) = (0, HeadState::More);
    for piece in pieces(input, lengths) {
        let step = end.feed(piece);
        assert!(step.used <= piece.len());
        assert!(step.state != HeadState::More || step.used == piece.len());
        at += step.used;
        state = step.state;
        if state != HeadState::More {
            break;
        }
    }
    assert!(at <= max);
    (at, state)
}

fn decode(input: &[u8], room: usize, lengths: &[usize]) -> (Vec<u8>, usize, BodyState) {
    let mut chunked = Chunked::new();
    let mut out = vec![0; room];
    let (mut filled, mut at, mut state) = (0, 0, BodyState::More);
    for piece in pieces(input, lengths) {
        let step = chunked.decode(piece, &mut out, &mut filled);
        assert!(step.used <= piece.len());
        assert!(step.state != BodyState::More || step.used == piece.len());
        at += step.used;
        state = step.state;
        if state != BodyState::More {
            break;
        }
    }
    out.truncate(filled);
    (out, at, state)
}

fn pieces<'i>(mut input: &'i [u8], lengths: &[usize]) -> Vec<&'i [u8]> {
    let mut all = Vec::new();
    let mut lengths = lengths.iter();
    let mut len = 1;
    while !input.is_empty() {
        len = lengths.next().copied().unwrap_or(len);
        let (piece, rest) = input.split_at(len.min(input.len()));
        all.push(piece);
        input = rest;
        len = len.max(1);
    }
    all
}

/// The body and its length on the wire by the chunk sizes of `httparse`.
fn chunks_of_the_oracle(input: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let Ok(httparse::Status::Complete((used, size))) = httparse::parse_chunk_size(&input[at..])
        else {
            return None;
        };
        at += used;
        if size == 0 {
            break;
        }
        let data = input.get(at..)?.get(..usize::try_from(size).ok()?)?;
        body.extend_from_slice(data);
        at += data.len();
        at += input.get(at..)?.starts_with(b"\r\n").then_some(2)?;
    }
    // The trailer ends with the first empty line.
    while !input.get(at..)?.starts_with(b"\r\n") {
        at += input.get(at..)?.windows(2).position(|two| two == b"\r\n")? + 2;
    }
    Some((body, at + 2))
}

/// A text of the corpus with up to four changes.
fn mutate(random: &mut Random, corpus: &[&str]) -> Vec<u8> {
    let mut text = random.of(corpus).as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        match random.below(6) {
            0 if at < text.len() => text[at] = *random.of(BYTES),
            1 => text.insert(at, *random.of(BYTES)),
            2 if at < text.len() => drop(text.remove(at)),
            // A line of another text, whole or from its middle.
            3 => {
                let other = random.of(corpus).as_bytes();
                let lines: Vec<_> = other.split_inclusive(|&b| b == b'\n').collect();
                let line = *random.of(&lines);
                let starts = |text: &[u8], at| at == 0 || text.get(at - 1) == Some(&b'\n');
                let at = (at..=text.len()).find(|&at| starts(&text, at)).unwrap_or(0);
                drop(text.splice(at..at, line.iter().copied()));
            }
            4 => {
                let end = (at + 1 + random.below(12)).min(text.len());
                let again = text[at..end].to_vec();
                drop(text.splice(at..at, again));
            }
            // Every line end becomes a bare one, or case turns over.
            _ => match random.below(8) {
                0 => text.retain(|&b| b != b'\r'),
                _ => text.iter_mut().skip(at).take(9).for_each(|b| *b = flip(*b)),
            },
        }
    }
    text
}

fn flip(byte: u8) -> u8 {
    if byte.is_ascii_alphabetic() {
        byte ^ 0x20
    } else {
        byte
    }
}

/// Bytes without order, drawn from those that mean something.
fn noise(random: &mut Random) -> Vec<u8> {
    (0..random.below(80)).map(|_| *random.of(BYTES)).collect()
}

const BYTES: &[u8] =
    b"\r\n\r\n\r\n  \t:;,/?*#\"\\0123456789abfAFgGPOSTHEAD.-_[]@%\0\x0B\x1F\x7F\x80\xC3\xFF";

/// A xorshift generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) as usize) % end
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
