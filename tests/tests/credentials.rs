//! Bearer tokens of which the device knows only the digests (M-199, M-200).

use agentmote::mcp::{Device, Identity};
use agentmote::server::{Credential, HttpConfig};
use agentmote::tool::Caller;
use agentmote_tests::peer::{Cut, HttpPeer, Request};

static DEVICE: Device<()> = Device::new(Identity::new("d", "1"), &[]);

/// SHA-256 of a short text, as `sha256sum` prints it.
const fn digest(hex: &str) -> [u8; 32] {
    let text = hex.as_bytes();
    let mut digest = [0; 32];
    let mut i = 0;
    while i < 32 {
        digest[i] = nibble(text[2 * i]) << 4 | nibble(text[2 * i + 1]);
        i += 1;
    }
    digest
}

const fn nibble(digit: u8) -> u8 {
    match digit {
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit - b'0',
    }
}

const CREDENTIALS: &[Credential] = &[
    // "secret"
    Credential {
        digest: digest("2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"),
        caller: Caller { id: 1, scopes: 1 },
    },
    // "abc"
    Credential {
        digest: digest("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        caller: Caller { id: 2, scopes: 2 },
    },
];

fn status(config: HttpConfig, authorization: &str) -> u16 {
    let mut memory = Request::new();
    let mut peer = HttpPeer::new(&mut memory, config, &DEVICE, (), Cut::WHOLE);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{authorization}Content-Length: {}\r\n\r\n{ping}",
        ping.len()
    );
    peer.ask(request.as_bytes()).status
}

#[test]
fn a_token_opens_by_its_digest() {
    let config = HttpConfig {
        credentials: CREDENTIALS,
        ..HttpConfig::LOOPBACK
    };
    for (authorization, wanted) in [
        ("", 401),
        ("Authorization: Bearer secret\r\n", 200),
        ("Authorization: bearer abc\r\n", 200),
        ("Authorization: Bearer secre\r\n", 401),
        ("Authorization: Bearer secrets\r\n", 401),
        ("Authorization: Bearer Secret\r\n", 401),
        ("Authorization: Basic secret\r\n", 401),
        ("Authorization: Bearer \r\n", 401),
    ] {
        assert_eq!(status(config, authorization), wanted, "{authorization}");
    }
    assert_eq!(status(HttpConfig::LOOPBACK, ""), 200);
}

#[test]
fn a_function_and_digests_stand_beside_each_other() {
    let config = HttpConfig {
        credentials: CREDENTIALS,
        bearer: Some(|token| (token == b"other").then_some(Caller::ANY)),
        ..HttpConfig::LOOPBACK
    };
    for (token, wanted) in [("secret", 200), ("other", 200), ("nobody", 401)] {
        let authorization = format!("Authorization: Bearer {token}\r\n");
        assert_eq!(status(config, &authorization), wanted, "{token}");
    }
}
