//! The same policy, attacked: requests that are cut, pipelined, doubled or
//! left alone; credentials that end in the middle of something.

use super::*;

fn bench(memory: &mut Memory) -> Http<'_> {
    Http::new(memory, HttpConfig::LOOPBACK)
        .with_agent("/a2a")
        .with_tasks()
}

impl Web {
    fn leave(&mut self, http: &mut Http<'_>) {
        http.hang_up(&mut self.server, Instant::from_millis(self.now));
    }
}

fn at(web: &Web) -> Instant {
    Instant::from_millis(web.now)
}

fn refused(
    who: Authority,
    endpoint: Endpoint,
    why: Why,
) -> (Authority, Endpoint, Operation, Subject, Outcome) {
    (
        who,
        endpoint,
        Operation::Request,
        Subject::None,
        Outcome::Refused(why),
    )
}

fn head_and_body(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n");
    bytes.split_at(end.expect("a head") + 4)
}

/// A message to the agent, of 1.x.
fn to_agent(who: &str, method: &str, params: &str) -> Vec<u8> {
    let fields = format!("{who}A2A-Version: 1.0\r\n");
    post("/a2a", &fields, &request(method, params))
}

const DOORS: [(&str, Endpoint); 2] = [("/mcp", Endpoint::Mcp), ("/a2a", Endpoint::Agent)];

#[test]
fn nobody_is_blamed_for_what_came_behind_him() {
    // A head that is no head has no credential, whoever asked before.
    for broken in [&b"POST /mcp\r\n\r\n"[..], b"GET / HTTP/1.1\r\n bad\r\n\r\n"] {
        let mut web = Web::new();
        let mut memory = Memory::new();
        let mut http = bench(&mut memory);
        let mut bytes = post("/mcp", ANN, PING);
        bytes.extend_from_slice(broken);
        let all = answers(&web.offer(&mut http, &bytes));
        assert_eq!(
            all.iter().map(|one| one.status).collect::<Vec<_>>(),
            [200, 400]
        );
        let nobody = refused(Authority::None, Endpoint::Mcp, Why::Http);
        assert_eq!(written(), [nobody]);
        // Another peer over the same memory.
        assert!(http.is_closed());
        http.open();
        web.offer(&mut http, broken);
        assert_eq!(written(), [nobody]);
    }
}

#[test]
fn each_request_of_a_connection_has_its_own_caller() {
    for cut in [1, 7, 4096] {
        let mut web = Web::new();
        web.cut = cut;
        let mut memory = Memory::new();
        let mut http = bench(&mut memory);
        let mut bytes = Vec::new();
        for who in [BOB, ANN, NOBODY, EVE, BOB] {
            bytes.extend(call(who, "lift"));
        }
        let all = answers(&web.offer(&mut http, &bytes));
        assert_eq!(
            all.iter().map(|one| one.status).collect::<Vec<_>>(),
            [200, 200, 401, 403, 200]
        );
        assert_eq!(web.server.app.begun, 2);
        let lift = (
            by("bob"),
            Endpoint::Mcp,
            Operation::CallTool,
            Subject::Tool("lift"),
            Outcome::Failed,
        );
        assert_eq!(
            written(),
            [
                lift,
                (
                    by("ann"),
                    Endpoint::Mcp,
                    Operation::CallTool,
                    Subject::None,
                    Outcome::Refused(Why::NotThere)
                ),
                refused(Authority::None, Endpoint::Mcp, Why::Credential),
                refused(by("eve"), Endpoint::Mcp, Why::Scope),
                lift,
            ]
        );
    }
}

#[test]
fn a_refusal_that_nobody_waits_for_is_one_event() {
    for (path, endpoint) in DOORS {
        // Not let in, and gone before the body, at each byte of it.
        let bytes = post(path, "X-API-Key: a guess\r\n", PING);
        let head = head_and_body(&bytes).0.len();
        for end in head..bytes.len() {
            let mut web = Web::new();
            let mut memory = Memory::new();
            let mut http = bench(&mut memory);
            web.offer(&mut http, &bytes[..end]);
            web.leave(&mut http);
            web.offer(&mut http, b"");
            assert!(http.is_closed());
            let one = refused(Authority::None, endpoint, Why::Credential);
            assert_eq!(written(), [one], "{path} {end}");
        }
        // Gone before anything could be sent.
        for bytes in [bytes, post(path, "Host: twice\r\n", PING)] {
            let mut web = Web::new();
            let mut memory = Memory::new();
            let mut http = bench(&mut memory);
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let taken = http.receive(rest);
                rest = &rest[taken..];
                let now = at(&web);
                let n = http.poll_agent(&mut web.server, &mut web.desk, now, &mut []);
                assert_eq!(n, 0);
                if taken == 0 {
                    break;
                }
            }
            web.leave(&mut http);
            web.offer(&mut http, b"");
            assert!(http.is_closed());
            assert_eq!(written().len(), 1, "{path}");
        }
        // Gone before the head was looked at.
        let mut web = Web::new();
        let mut memory = Memory::new();
        let mut http = bench(&mut memory);
        http.receive(&post(path, "X-API-Key: a guess\r\n", PING));
        web.leave(&mut http);
        assert!(http.is_closed());
        let one = refused(Authority::None, endpoint, Why::Credential);
        assert_eq!(written(), [one]);
    }
}

#[test]
fn a_refusal_on_a_stream_that_is_left_is_one_event() {
    let bytes = post("/a2a", ANN, &request("message/stream", "{}"));
    let mut whole = Web::new();
    let mut memory = Memory::new();
    let len = whole.offer(&mut bench(&mut memory), &bytes).len();
    let one = (
        by("ann"),
        Endpoint::Agent,
        Operation::SendMessage,
        Subject::None,
        Outcome::Refused(Why::Message),
    );
    assert_eq!(written(), [one]);
    for sent in 0..len {
        let mut web = Web::new();
        let mut memory = Memory::new();
        let mut http = bench(&mut memory);
        let mut rest = &bytes[..];
        let mut out = 0;
        while out < sent || !rest.is_empty() {
            let taken = http.receive(rest);
            rest = &rest[taken..];
            let now = at(&web);
            let mut byte = [0; 1];
            let room = &mut byte[..usize::from(out < sent)];
            let n = http.poll_agent(&mut web.server, &mut web.desk, now, room);
            out += n;
            assert!(taken + n > 0);
        }
        let now = at(&web);
        http.poll_agent(&mut web.server, &mut web.desk, now, &mut []);
        http.hang_up(&mut web.server, now);
        assert_eq!(written(), [one], "after {sent} of {len} bytes");
    }
}

#[test]
fn what_is_refused_behind_a_hang_up_is_written_down() {
    // A batch of the legacy era goes on without its client (M-190).
    let mut web = Web::new();
    let mut memory = Memory::new();
    let mut http = bench(&mut memory);
    let tool = |name| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#)
    };
    let batch = format!("{BOB}MCP-Protocol-Version: 2025-03-26\r\n");
    let body = format!("[{},{},{}]", tool("slow"), tool("none"), tool("look"));
    assert_eq!(web.offer(&mut http, &post("/mcp", &batch, &body)), b"");
    web.leave(&mut http);
    web.now += 1_000;
    assert_eq!(web.offer(&mut http, b""), b"");
    assert!(http.is_closed());
    let said = |subject, outcome| {
        (
            by("bob"),
            Endpoint::Mcp,
            Operation::CallTool,
            subject,
            outcome,
        )
    };
    assert_eq!(
        written(),
        [
            said(Subject::Tool("slow"), Outcome::Done),
            said(Subject::None, Outcome::Refused(Why::NotThere)),
            said(Subject::Tool("look"), Outcome::Done),
        ]
    );
}

#[test]
fn a_broken_body_tells_no_more_than_a_right_one() {
    // Who is not let in hears 401, not how his chunks are wrong (M-205).
    for (path, endpoint) in DOORS {
        for chunks in ["zz\r\n", "fffffff\r\n", "1\r\nxx"] {
            let mut web = Web::new();
            let answer = web.ask(
                format!(
                    "POST {path} HTTP/1.1\r\nHost: localhost\r\n\
                     Transfer-Encoding: chunked\r\n\r\n{chunks}"
                )
                .as_bytes(),
            );
            assert_eq!(answer.status, 401, "{path} {chunks}");
            assert_eq!(
                written(),
                [refused(Authority::None, endpoint, Why::Credential)]
            );
            let answer = web.ask(
                format!(
                    "POST {path} HTTP/1.1\r\nHost: localhost\r\n{BOB}\
                     Transfer-Encoding: chunked\r\n\r\n{chunks}"
                )
                .as_bytes(),
            );
            let status = if chunks.starts_with('f') { 413 } else { 400 };
            assert_eq!(answer.status, status, "{path} {chunks}");
            assert_eq!(written(), [refused(by("bob"), endpoint, Why::Http)]);
        }
    }
}

#[test]
fn a_body_that_has_no_room_is_refused_at_either_door() {
    for (path, endpoint) in DOORS {
        let mut web = Web::new();
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n{BOB}Content-Length: 5000\r\n\r\n");
        let room = 4096 - head.len();
        let answer = web.ask(head.as_bytes());
        assert_eq!(answer.status, 413);
        assert_eq!(answer.field("connection"), Some("close"));
        assert_eq!(
            String::from_utf8(answer.body).unwrap(),
            format!(
                "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32600,\"message\":\
                 \"Message of 5000 bytes is too long, the limit is {room}\"}}}}"
            )
        );
        assert_eq!(written(), [refused(by("bob"), endpoint, Why::Message)]);
    }
}

#[test]
fn where_a_request_comes_from_is_no_matter_of_its_message() {
    for (path, endpoint) in DOORS {
        for field in [
            "Host: evil.example\r\n",
            "Host: localhost\r\nOrigin: http://evil.example\r\n",
        ] {
            let mut web = Web::new();
            let bytes = format!("POST {path} HTTP/1.1\r\n{field}{BOB}Content-Length: 0\r\n\r\n");
            assert_eq!(web.ask(bytes.as_bytes()).status, 403);
            assert_eq!(written(), [refused(Authority::None, endpoint, Why::Http)]);
        }
    }
}

#[test]
fn a_method_that_is_not_served_is_told_which_are() {
    let mut web = Web::new();
    for (path, allow) in [
        // A server with a key has sessions.
        ("/mcp", "POST, GET, DELETE"),
        ("/a2a", "POST"),
        ("/.well-known/agent-card.json", "GET, HEAD"),
        ("/.well-known/oauth-protected-resource", "GET, HEAD"),
    ] {
        let answer = web.ask(
            format!("PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                .as_bytes(),
        );
        assert_eq!(answer.status, 405);
        assert_eq!(answer.field("allow"), Some(allow), "{path}");
        assert_eq!(written().len(), 1);
    }
}

#[test]
fn a_request_shows_one_credential() {
    let bearer = |secret| format!("Authorization: Bearer {secret}\r\n");
    let key = |secret| format!("X-API-Key: {secret}\r\n");
    for (path, endpoint) in DOORS {
        let mut web = Web::new();
        let mut status = |fields: String| web.ask(&post(path, &fields, PING)).status;
        // Twice the same says nothing new.
        assert_eq!(status(bearer("key-of-bob") + &key("key-of-bob")), 200);
        assert_eq!(status("AUTHORIZATION: bEaReR key-of-bob\r\n".into()), 200);
        assert_eq!(status("x-api-key: \t key-of-bob \r\n".into()), 200);
        // Another scheme is for somebody else.
        assert_eq!(
            status(format!(
                "Authorization: Basic eDp5\r\n{}",
                key("key-of-bob")
            )),
            200
        );
        written();
        // Two that differ: which of them is meant is not known (M-200).
        assert_eq!(status(bearer("key-of-ann") + &key("key-of-bob")), 400);
        assert_eq!(status(bearer("a guess") + &key("key-of-bob")), 400);
        let two = refused(Authority::None, endpoint, Why::Http);
        assert_eq!(written(), [two, two]);
        // One header twice, even with the same value.
        let mut status = |fields: String| web.ask(&post(path, &fields, PING)).status;
        assert_eq!(status(bearer("key-of-bob").repeat(2)), 400);
        assert_eq!(status(key("key-of-bob").repeat(2)), 400);
        let twice = refused(Authority::None, Endpoint::Mcp, Why::Http);
        assert_eq!(written(), [twice, twice]);
        let mut status = |fields: String| web.ask(&post(path, &fields, PING)).status;
        for none in [
            key(""),
            bearer(""),
            bearer(" key-of-bob"),
            bearer("key-of-bob, Bearer key-of-bob"),
            bearer("\"key-of-bob\""),
            bearer("key-of-bob\0").replace('\0', "\u{e9}"),
            "Authorization: Bearer\tkey-of-bob\r\n".into(),
            "Authorization: key-of-bob\r\n".into(),
            "Proxy-Authorization: Bearer key-of-bob\r\n".into(),
            "Cookie: X-API-Key=key-of-bob\r\n".into(),
        ] {
            assert_eq!(status(none.clone()), 401, "{none}");
        }
        let none = refused(Authority::None, endpoint, Why::Credential);
        assert_eq!(written(), [none; 10]);
    }
}

#[test]
fn a_credential_is_good_until_the_whole_request_is_there() {
    // Whoever holds a body back does not keep what was taken from him.
    let change = |web: &mut Web| {
        assert!(web.credentials().revoke("bob"));
    };
    let expire = |web: &mut Web| web.now = 1_000;
    for end in [&change as &dyn Fn(&mut Web), &expire] {
        for (bytes, endpoint) in [
            (call(BOB, "locked"), Endpoint::Mcp),
            (
                to_agent(BOB, "SendMessage", &at_once("m-1", "home")),
                Endpoint::Agent,
            ),
        ] {
            let mut web = Web::new();
            let mut bob = Credential {
                tenant: 2,
                scopes: TOOLS | TASKS,
                expires: Some(Instant::from_millis(1_000)),
                ..Credential::new("bob", digest("key-of-bob"), 2)
            };
            web.credentials().revoke("bob");
            assert_eq!(web.credentials().add(bob), Ok(()));
            let mut memory = Memory::new();
            let mut http = bench(&mut memory);
            let (head, body) = head_and_body(&bytes);
            web.now = 999;
            assert_eq!(web.offer(&mut http, head), b"");
            assert_eq!(web.offer(&mut http, &body[..body.len() - 1]), b"");
            end(&mut web);
            let answer = web.offer(&mut http, &body[body.len() - 1..]);
            let answer = answers(&answer).remove(0);
            assert_eq!(answer.status, 401);
            let challenge = answer.field("www-authenticate").expect("a challenge");
            assert!(challenge.contains("invalid_token"), "{challenge}");
            assert_eq!(written(), [refused(by("bob"), endpoint, Why::Credential)]);
            assert_eq!((web.server.app.begun, web.server.app.steps), (0, 0));
            // The connection goes on.
            bob.name = "bob-2";
            bob.digest = digest("new");
            bob.expires = None;
            assert_eq!(web.credentials().add(bob), Ok(()));
            let new = post("/mcp", "X-API-Key: new\r\n", PING);
            assert!(web.offer(&mut http, &new).starts_with(b"HTTP/1.1 200 "));
        }
    }
}

#[test]
fn a_batch_ends_with_its_credential() {
    let tool = |name| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"{name}","method":"tools/call","params":{{"name":"{name}"}}}}"#
        )
    };
    for first in ["look", "slow"] {
        let mut web = Web::new();
        let mut memory = Memory::new();
        let mut http = bench(&mut memory);
        let fields = format!("{BOB}MCP-Protocol-Version: 2025-03-26\r\n");
        let body = format!("[{},{},{}]", tool(first), tool("slow"), tool("locked"));
        web.offer(&mut http, &post("/mcp", &fields, &body));
        assert!(web.credentials().revoke("bob"));
        for _ in 0..4 {
            web.now += 1_000;
            web.offer(&mut http, b"");
        }
        assert!(http.is_closed());
        // What has begun goes on, what has not does not begin.
        assert_eq!(web.server.app.begun, 0);
        let said = |name| {
            (
                by("bob"),
                Endpoint::Mcp,
                Operation::CallTool,
                Subject::Tool(name),
                Outcome::Done,
            )
        };
        let end = refused(by("bob"), Endpoint::Mcp, Why::Credential);
        match first {
            "look" => assert_eq!(written(), [said("look"), said("slow"), end]),
            _ => assert_eq!(written(), [said("slow"), end]),
        }
    }
}

#[test]
fn who_waits_for_a_task_waits_no_longer_than_his_credential() {
    for Wire { send, .. } in WIRES {
        let mut web = Web::new();
        let mut memory = Memory::new();
        let mut http = bench(&mut memory);
        let (fields, params) = match send {
            "SendMessage" => ("A2A-Version: 1.0\r\n", message("m-1", "home")),
            _ => ("", old_message("m-1", "home")),
        };
        let bytes = post("/a2a", &format!("{ANN}{fields}"), &request(send, &params));
        assert_eq!(web.offer(&mut http, &bytes), b"");
        assert!(web.credentials().revoke("ann"));
        web.now += 2_000;
        assert_eq!(web.offer(&mut http, b""), b"");
        assert!(http.is_closed());
        // The task went on.
        assert_eq!(web.server.app.steps, 2);
        assert_eq!(written().len(), 1);
    }
}

#[test]
fn a_wish_to_stop_outlives_its_credential_as_one_event() {
    let mut web = Web::new();
    let (id, subject) = task(&web.a2a(ANN, "SendMessage", &at_once("m-1", "do deaf")));
    web.now += 5;
    web.a2a(ANN, "GetTask", &format!(r#"{{"id":"{id}"}}"#));
    written();
    let mut memory = Memory::new();
    let mut http = bench(&mut memory);
    let bytes = to_agent(ANN, "CancelTask", &format!(r#"{{"id":"{id}"}}"#));
    assert_eq!(web.offer(&mut http, &bytes), b"");
    assert!(web.credentials().revoke("ann"));
    web.now += 5;
    assert_eq!(web.offer(&mut http, b""), b"");
    assert!(http.is_closed());
    assert_eq!(
        written(),
        [(
            by("ann"),
            Endpoint::Agent,
            Operation::CancelTask,
            subject,
            Outcome::Accepted
        )]
    );
}

#[test]
fn a_subscription_ends_with_its_credential() {
    let expire = |web: &mut Web| web.now = 60_000;
    let revoke = |web: &mut Web| assert!(web.credentials().revoke("bob-2"));
    let rotate = |web: &mut Web| assert!(web.credentials().rotate("bob-2", digest("new")));
    for end in [&expire as &dyn Fn(&mut Web), &revoke, &rotate] {
        let mut web = Web::new();
        let bob = Credential {
            tenant: 2,
            scopes: TOOLS,
            expires: Some(Instant::from_millis(60_000)),
            ..Credential::new("bob-2", digest("key-2"), 2)
        };
        assert_eq!(web.credentials().add(bob), Ok(()));
        let mut memory = Memory::new();
        let mut http = bench(&mut memory);
        let fields = "X-API-Key: key-2\r\nMCP-Protocol-Version: 2026-07-28\r\n\
                      Mcp-Method: subscriptions/listen\r\n";
        let body = modern(
            "subscriptions/listen",
            r#""notifications":{"resourceSubscriptions":["arm://steps"]},"#,
        );
        let begun = web.offer(&mut http, &post("/mcp", fields, &body));
        let begun = String::from_utf8(begun).unwrap();
        assert!(begun.contains("acknowledged"), "{begun}");
        web.server.app.steps += 1;
        web.now = 5_000;
        let told = String::from_utf8(web.offer(&mut http, b"")).unwrap();
        assert!(told.contains("resources/updated"), "{told}");
        web.server.app.steps += 1;
        web.now = 10_000;
        end(&mut web);
        assert_eq!(web.offer(&mut http, b""), b"");
        assert!(http.is_closed());
        assert_eq!(
            web.ask(&post("/mcp", "X-API-Key: key-2\r\n", PING)).status,
            401
        );
    }
}

#[test]
fn a_guard_makes_no_two_tenants_one_caller() {
    struct Clash;
    impl Guard<Script> for Clash {
        fn verify(_: &mut Script, presented: Presented<'_>, _: Instant) -> Option<Grant> {
            let tenant = match presented {
                Presented::Bearer(b"same") => 1,
                Presented::Bearer(b"other") => 2,
                _ => return None,
            };
            Some(Grant::verified("issuer", 1, tenant, TOOLS | TASKS))
        }
    }
    let mut policy = Policy::new::<Clash>(RULES);
    credentials(&mut policy);
    let mut web = Web::new();
    web.server = Server::new(&DEVICE, Script::default()).with_policy(Box::leak(Box::new(policy)));
    for path in ["/mcp", "/a2a"] {
        let mut status = |who| web.ask(&post(path, who, PING)).status;
        assert_eq!(status("Authorization: Bearer same\r\n"), 200);
        assert_eq!(status("Authorization: Bearer other\r\n"), 401);
    }
}

#[test]
fn ids_of_another_tenant_open_nothing_in_any_member() {
    let mut web = Web::new();
    let (id, _) = task(&web.a2a(ANN, "SendMessage", &at_once("m-1", "calibrate")));
    let got = web.a2a(ANN, "GetTask", &format!(r#"{{"id":"{id}"}}"#));
    let context = got["result"]["contextId"].as_str().expect("one").to_owned();
    let random = "0123456789abcdef0123456789abcdef";
    let put = |member: &str| {
        at_once("m-1", "do echo").replacen("\"messageId\"", &format!("{member}\"messageId\""), 1)
    };
    // A task of another is answered as one that there is not.
    for form in [
        r#""taskId":"ID","#,
        r#""taskId":"ID","contextId":"CONTEXT","#,
        r#""taskId":"ID","referenceTaskIds":["ID"],"#,
    ] {
        let form = form.replace("CONTEXT", &context);
        let theirs = web.a2a(BOB, "SendMessage", &put(&form.replace("ID", &id)));
        let none = web.a2a(BOB, "SendMessage", &put(&form.replace("ID", random)));
        assert_eq!(theirs, none);
        assert_eq!(code(&none), -32001);
    }
    for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
        for tenant in ["", r#","tenant":"lab-b""#, r#","tenant":"lab-a""#] {
            let theirs = web.a2a(BOB, method, &format!(r#"{{"id":"{id}"{tenant}}}"#));
            let none = web.a2a(BOB, method, &format!(r#"{{"id":"{random}"{tenant}}}"#));
            assert_eq!(theirs, none, "{method} {tenant}");
            assert_eq!(code(&none), -32001);
        }
    }
    // A message of the same id, in the same context, is one of his own.
    let (own, _) = task(&web.a2a(
        BOB,
        "SendMessage",
        &put(&format!(
            r#""contextId":"{context}","referenceTaskIds":["{id}"],"#
        )),
    ));
    assert_ne!(own, id);
    let list = web.a2a(BOB, "ListTasks", &format!(r#"{{"contextId":"{context}"}}"#));
    assert_eq!(list["result"]["totalSize"], 1);
    for method in ["ListTasks", "SendMessage"] {
        let params = match method {
            "ListTasks" => r#"{"tenant":"lab-a"}"#.to_owned(),
            _ => at_once("m-9", "home").replacen('{', r#"{"tenant":"lab-a","#, 1),
        };
        assert_eq!(code(&web.a2a(BOB, method, &params)), -32602);
    }
    // Nothing of it has touched the task.
    let after = web.a2a(ANN, "GetTask", &format!(r#"{{"id":"{id}"}}"#));
    assert_eq!(
        after["result"]["status"]["state"],
        "TASK_STATE_INPUT_REQUIRED"
    );
    assert_eq!(after["result"]["history"], got["result"]["history"]);
}

#[test]
fn the_clock_has_edges() {
    let limit = |tries, per_ms| TryLimit {
        tries,
        per_ms,
        closes: true,
    };
    let bad = "X-API-Key: a guess\r\n";
    let with = |limit, now| {
        let mut web = Web::with(Rules {
            limit: Some(limit),
            ..RULES
        });
        web.now = now;
        web
    };
    // No try at all: the first is still told that it is wrong.
    let mut web = with(limit(0, 1_000), 0);
    assert_eq!(web.mcp(bad, PING).status, 401);
    assert_eq!(web.mcp(BOB, PING).field("retry-after"), Some("1"));
    web.now = 999;
    assert_eq!(web.mcp(BOB, PING).status, 429);
    web.now = 1_000;
    assert_eq!(web.mcp(BOB, PING).status, 200);
    // The longest time.
    let mut web = with(limit(1, u32::MAX), 7);
    assert_eq!(web.mcp(bad, PING).status, 401);
    assert_eq!(web.mcp(bad, PING).field("retry-after"), Some("4294968"));
    // No time is no limit.
    let mut web = with(limit(1, 0), 7);
    for _ in 0..3 {
        assert_eq!(web.mcp(bad, PING).status, 401);
    }
    // At the end of all time nobody waits for more.
    let mut web = with(limit(1, 1_000), u64::MAX);
    for _ in 0..3 {
        assert_eq!(web.mcp(bad, PING).status, 401);
    }
    assert_eq!(web.mcp(BOB, PING).status, 200);
}

#[test]
fn a_message_that_is_cut_does_nothing() {
    for bytes in [
        call(BOB, "locked"),
        to_agent(BOB, "SendMessage", &at_once("m-1", "home")),
    ] {
        let mut web = Web::new();
        for end in 0..bytes.len() {
            let mut memory = Memory::new();
            let mut http = bench(&mut memory);
            assert_eq!(web.offer(&mut http, &bytes[..end]), b"");
            web.leave(&mut http);
            assert!(http.is_closed());
            // The same memory serves the next peer.
            http.open();
            let next = web.offer(&mut http, &post("/mcp", BOB, PING));
            assert!(next.starts_with(b"HTTP/1.1 200 "), "{end}");
        }
        assert_eq!((web.server.app.begun, web.server.app.steps), (0, 0));
        assert_eq!(written(), []);
    }
}

impl Web {
    /// Asks for something of the tasks of MCP.
    #[track_caller]
    fn task(&mut self, who: &str, method: &str, name: &str, params: &str) -> Value {
        let fields = format!(
            "{who}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n"
        );
        let body = modern(method, params).replace(
            r#"clientCapabilities":{}"#,
            r#"clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
        );
        self.ask(&post("/mcp", &fields, &body)).json()
    }

    /// A task of bob's that asks whether it may weld.
    fn weld(&mut self) -> String {
        let made = self.task(BOB, "tools/call", "weld", r#""name":"weld","#);
        let id = made["result"]["taskId"].as_str();
        let id = id.unwrap_or_else(|| panic!("no task: {made}")).to_owned();
        self.now += 10;
        let asked = self.task(BOB, "tasks/get", &id, &format!(r#""taskId":"{id}","#));
        assert_eq!(asked["result"]["status"], "input_required", "{asked}");
        written();
        id
    }
}

/// The answer to the question of a task, in the names of its first one.
fn yes(id: &str, asked: &Value) -> String {
    let questions = asked["result"]["inputRequests"].as_object().expect("some");
    let key = questions.keys().next().expect("one");
    format!(
        r#""taskId":"{id}","inputResponses":{{"{key}":{{"action":"accept","content":{{"confirm":true}}}}}},"#
    )
}

#[test]
fn a_weaker_credential_answers_nothing_for_a_tool_that_it_lacks() {
    let weak = "X-API-Key: weak\r\n";
    let with = || {
        let mut web = Web::new();
        let credential = Credential {
            tenant: 2,
            tenant_name: "lab-b",
            scopes: TOOLS | TASKS,
            ..Credential::new("bob-display", digest("weak"), 2)
        };
        assert_eq!(web.credentials().add(credential), Ok(()));
        web
    };
    // By MCP.
    let mut web = with();
    let id = web.weld();
    let one = format!(r#""taskId":"{id}","#);
    let asked = web.task(weak, "tasks/get", &id, &one);
    let refused = web.task(weak, "tasks/update", &id, &yes(&id, &asked));
    assert_eq!(code(&refused), -32602, "{refused}");
    assert_eq!(refused["error"]["message"], format!("Unknown task: {id}"));
    let after = web.task(weak, "tasks/get", &id, &one);
    assert_eq!(
        (web.server.app.begun, &after["result"]["status"]),
        (0, &asked["result"]["status"])
    );
    // By A2A.
    let go_on = |id: &str| {
        at_once("m-2", "yes").replacen(
            "\"messageId\"",
            &format!("\"taskId\":\"{id}\",\"messageId\""),
            1,
        )
    };
    assert_eq!(code(&web.a2a(weak, "SendMessage", &go_on(&id))), -32004);
    web.now += 10;
    assert_eq!(web.server.app.begun, 0);
    // Who may, may.
    web.task(BOB, "tasks/update", &id, &yes(&id, &asked));
    web.now += 10;
    web.task(BOB, "tasks/get", &id, &one);
    assert_eq!(web.server.app.begun, 1);
    // A task of A2A whose skill he lacks is answered by neither.
    let mut web = with();
    let (id, _) = task(&web.a2a(BOB, "SendMessage", &at_once("m-1", "chat ask")));
    web.now += 10;
    let one = format!(r#""taskId":"{id}","#);
    let asked = web.task(weak, "tasks/get", &id, &one);
    assert_eq!(asked["result"]["status"], "input_required", "{asked}");
    let refused = web.task(weak, "tasks/update", &id, &yes(&id, &asked));
    assert_eq!(code(&refused), -32602, "{refused}");
    assert_eq!(code(&web.a2a(weak, "SendMessage", &go_on(&id))), -32004);
    let after = web.task(weak, "tasks/get", &id, &one);
    assert_eq!(after["result"]["status"], "input_required", "{after}");
}

#[test]
fn tasks_of_mcp_are_one_event_at_the_right_door() {
    let mut web = Web::new();
    let id = web.weld();
    let subject = Subject::Task(u128::from_str_radix(&id, 16).expect("hex").to_be_bytes());
    let said =
        |who, operation, subject, outcome| (by(who), Endpoint::Mcp, operation, subject, outcome);
    let one = format!(r#""taskId":"{id}","#);
    // Of another tenant, as of none.
    let random = "0123456789abcdef0123456789abcdef";
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let more = match method {
            "tasks/update" => r#""inputResponses":{},"#,
            _ => "",
        };
        let theirs = web.task(TIM, method, &id, &format!("{one}{more}"));
        let none = web.task(
            TIM,
            method,
            random,
            &format!(r#""taskId":"{random}",{more}"#),
        );
        assert_eq!(theirs.to_string().replace(&id, random), none.to_string());
        let both = written();
        assert_eq!((both[0], both.len()), (both[1], 2), "{method}");
        assert_eq!(
            (both[0].0, both[0].1, both[0].3),
            (by("tim"), Endpoint::Mcp, Subject::None)
        );
        assert_eq!(both[0].4, Outcome::Refused(Why::NotThere));
    }
    // A look is none, a wish is one, whatever comes of it.
    web.task(BOB, "tasks/get", &id, &one);
    assert_eq!(written(), []);
    web.task(BOB, "tasks/cancel", &id, &one);
    assert_eq!(
        written(),
        [said(
            "bob",
            Operation::CancelTask,
            subject,
            Outcome::Accepted
        )]
    );
    web.now += 10;
    web.task(BOB, "tasks/cancel", &id, &one);
    let late = Outcome::Refused(Why::State);
    assert_eq!(
        written(),
        [said("bob", Operation::CancelTask, subject, late)]
    );
    // No place for more.
    for _ in 0..8 {
        web.task(BOB, "tools/call", "weld", r#""name":"weld","#);
    }
    written();
    let full = web.task(BOB, "tools/call", "weld", r#""name":"weld","#);
    code(&full);
    let all = written();
    assert_eq!((all.len(), all[0].1), (1, Endpoint::Mcp));
    assert_eq!(all[0].4, Outcome::Refused(Why::State));
}

#[test]
fn a_session_is_of_the_scopes_that_have_opened_it() {
    // Else a weaker credential of the same caller says yes to a tool that it
    // cannot call.
    let weak = "X-API-Key: weak\r\n";
    let mut web = Web::new();
    let credential = Credential {
        tenant: 2,
        scopes: TOOLS | TASKS,
        ..Credential::new("bob-display", digest("weak"), 2)
    };
    assert_eq!(web.credentials().add(credential), Ok(()));
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"0"}}}"#;
    let opened = web.mcp(BOB, hello);
    let session = format!(
        "Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
        opened.field("mcp-session-id").expect("a session")
    );
    let mut memory = Memory::new();
    let mut http = bench(&mut memory);
    let call = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"weld"}}"#;
    let asked = web.offer(&mut http, &post("/mcp", &format!("{BOB}{session}"), call));
    let asked = String::from_utf8(asked).expect("text");
    assert!(asked.contains("elicitation/create"), "{asked}");
    let yes = r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true}}}"#;
    assert_eq!(web.mcp(&format!("{weak}{session}"), yes).status, 404);
    web.now += 50;
    web.offer(&mut http, b"");
    assert_eq!(web.server.app.begun, 0);
    assert_eq!(web.mcp(&format!("{BOB}{session}"), yes).status, 202);
    web.now += 50;
    web.offer(&mut http, b"");
    assert_eq!(web.server.app.begun, 1);
}
