//! What users of such servers hit while a call is in flight: cases C-64 to
//! C-67 over lines, and a stop that comes behind a move.

use agentmote_tests::peer::{Cut, LinePeer, Lines, lines};
use bench_arm::{Arm, Command, DEVICE};
use serde_json::{Value, json};

const CUTS: [Cut; 3] = [
    Cut::WHOLE,
    Cut {
        input: 1,
        output: 4096,
    },
    Cut {
        input: 64,
        output: 3,
    },
];

fn case(test: impl Fn(&mut LinePeer<'_, Arm>)) {
    for cut in CUTS {
        let mut memory = Lines::new();
        let mut peer = LinePeer::new(&mut memory, &DEVICE, Arm::new(), cut);
        peer.initialize("2025-11-25");
        test(&mut peer);
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#),
            json!({"jsonrpc":"2.0","id":"next","result":{}})
        );
    }
}

fn progress(messages: &[Value]) -> Vec<&Value> {
    messages
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .collect()
}

#[test]
fn c64_a_progress_token_of_zero_stays_a_number() {
    case(|peer| {
        let mut messages = peer.ask(
            r#"{"jsonrpc":"2.0","id":67,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":40},"_meta":{"progressToken":0}}}"#,
        );
        messages.extend(lines(&peer.pass(10_000)));
        let reports = progress(&messages);
        assert!(reports.len() > 10, "{} reports", reports.len());
        let mut before = -1;
        for report in &reports {
            assert_eq!(report["params"]["progressToken"], json!(0));
            let now = report["params"]["progress"].as_i64().expect("a number");
            assert!(now > before, "{now} after {before}");
            before = now;
        }
        let last = messages.last().expect("a result");
        assert_eq!(last["id"], 67);
        assert_eq!(
            last["result"]["content"][0]["text"],
            "the joint is at its target"
        );
        assert_eq!(messages.len(), reports.len() + 1);
        assert!(peer.pass(10_000).is_empty(), "something after the result");
    });
}

#[test]
fn c65_without_a_token_there_is_no_progress() {
    case(|peer| {
        let mut messages = peer.ask(
            r#"{"jsonrpc":"2.0","id":68,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":40}}}"#,
        );
        messages.extend(lines(&peer.pass(10_000)));
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0]["id"], 68);
    });
}

#[test]
fn c67_a_cancel_stops_the_motion_and_is_not_answered() {
    case(|peer| {
        let cancel = |id: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            )
        };
        let sent = peer.ask(
            r#"{"jsonrpc":"2.0","id":"m1","method":"tools/call","params":{"name":"arm_move","arguments":{"joint":1,"deg":60}}}"#,
        );
        assert!(sent.is_empty());
        peer.pass(500);
        assert!(peer.ask(&cancel("\"m1\"")).is_empty());
        let log: Vec<_> = peer.server.app.log().collect();
        assert_eq!(log.last(), Some(&Command::Stop { joint: 1 }));
        // Half a second at a fifth of 180 degrees a second.
        let stopped = peer.server.app.angle(1, peer.now());
        assert!((17_500..18_500).contains(&stopped), "{stopped}");
        assert!(peer.ask(&cancel("\"m1\"")).is_empty());
        assert!(peer.ask(&cancel("1")).is_empty());
        assert!(peer.pass(10_000).is_empty());
        assert_eq!(peer.server.app.angle(1, peer.now()), stopped);
        assert_eq!(peer.server.app.commands(), 2);
    });
}

#[test]
fn a_stop_is_served_at_once_with_every_place_taken() {
    case(|peer| {
        for joint in 0..2 {
            let sent = peer.ask(&format!(
                r#"{{"jsonrpc":"2.0","id":{joint},"method":"tools/call","params":{{"name":"arm_move","arguments":{{"joint":{joint},"deg":60}}}}}}"#
            ));
            assert!(sent.is_empty());
        }
        let busy = peer.one(
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"arm_move","arguments":{"joint":5,"deg":60}}}"#,
        );
        assert_eq!(busy["result"]["isError"], true);
        assert_eq!(
            busy["result"]["content"][0]["text"],
            "busy: 2 calls in flight, which is the limit"
        );
        peer.pass(300);
        let answers = peer
            .ask(r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"arm_stop"}}"#);
        assert_eq!(answers[0]["id"], 8, "the stop is answered first");
        let here = [0, 1].map(|joint| peer.server.app.angle(joint, peer.now()));
        let rest = lines(&peer.pass(10_000));
        let failed = answers.iter().skip(1).chain(&rest);
        assert_eq!(failed.clone().count(), 2);
        for answer in failed {
            assert_eq!(answer["result"]["isError"], true);
        }
        assert_eq!(
            here,
            [0, 1].map(|joint| peer.server.app.angle(joint, peer.now()))
        );
    });
}
