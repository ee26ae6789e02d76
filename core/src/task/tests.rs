//! The table and the steps, without a protocol around them.

extern crate std;

use std::string::String;
use std::sync::atomic::{AtomicU8, Ordering};
use std::vec::Vec;

use super::log::{Part, Pieces, What, entries};
use super::{
    Content, Entropy, Journal, Kept, Kind, New, Principal, Random, Record, Refusal, Runtime, Skill,
    State, Step, Stop, Task, TaskMemory, TaskRules, Tasks, Work, run_tool,
};
use crate::json::Text;
use crate::time::Instant;
use crate::tool::{Answer, Call, Entry, Param, Tool};

const ANN: Principal = Principal {
    id: 1,
    tenant: 1,
    scopes: 0,
};

/// The same person elsewhere.
const ANN_ELSEWHERE: Principal = Principal { tenant: 2, ..ANN };

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

static NEXT: AtomicU8 = AtomicU8::new(1);

fn rules() -> TaskRules {
    TaskRules {
        retention_ms: 1000,
        entropy: Entropy::Function(|bytes| {
            let seed = NEXT.fetch_add(1, Ordering::Relaxed);
            for (i, byte) in bytes.iter_mut().enumerate() {
                *byte = seed ^ (i as u8).wrapping_mul(57);
            }
        }),
        #[cfg(feature = "extensions")]
        spare: 0,
    }
}

#[derive(Default)]
struct App {
    runs: u32,
    journal: Option<Kept>,
    keeps: u32,
    stops: u32,
}

impl Journal for App {
    fn keep(&mut self, _: super::TaskId, record: &[u8]) -> Kept {
        self.keeps += 1;
        assert!(entries(record, u64::MAX).count() >= 2);
        self.journal.unwrap_or(Kept::Yes)
    }
}

const MOVE: Entry<App> = Entry {
    tool: Tool {
        input: crate::tool::Input::Params(&[Param::integer("joint", "", 0, 5)]),
        polled: true,
        ..Tool::new("arm_move", "Moves.")
    },
    run: moved,
};

fn moved(app: &mut App, call: &mut Call<'_>) -> Answer {
    use crate::tool::IntoAnswer;
    if call.is_cancelled() {
        app.stops += 1;
    }
    call.progress(call.step(), 40);
    if call.step() < 3 {
        return core::task::Poll::<Answer>::Pending.into_answer(call);
    }
    let joint = call.get::<u8>(0);
    call.format(format_args!("joint {joint:?} is there"))
}

impl Runtime for App {
    const SKILLS: &'static [Skill<Self>] = &[
        Skill::new("script", "", "", &["t"], script),
        Skill::new("tool", "", "", &["t"], |app, work| {
            run_tool(&MOVE, app, work)
        }),
    ];
}

/// Does what the newest message says.
fn script(app: &mut App, work: &mut Work<'_>) -> Step {
    app.runs += 1;
    let text = String::from(work.text());
    match text.as_str() {
        _ if work.is_cancelled() && text != "stubborn" && text != "deaf" => Step::STOPPED,
        "done" => {
            work.artifact("out", "it is done");
            Step::DONE
        }
        "empty" => Step::DONE,
        "fail" => work.fail("axis 3 did not reach its stop"),
        "reject" => work.reject("not today"),
        "ask" => work.ask("which axis?"),
        "leave" if work.step() < 2 => work.ask_leave("unlock the arm at the panel"),
        "leave" => {
            work.artifact("out", "unlocked");
            Step::DONE
        }
        "huge" => {
            work.artifact("out", &"x".repeat(5000));
            Step::DONE
        }
        "huge, told" if !work.artifact("out", &"x".repeat(5000)) => work.fail("too much to say"),
        "bad json, told" if !work.output("out", Part::new(Content::Data(b"{"))) => {
            work.fail("nothing to say")
        }
        "chatty" => {
            work.report_with(format_args!("step {}", work.step()));
            Step::PENDING
        }
        "stubborn" if work.is_cancelled() => Step::CANNOT_STOP,
        "quits" => Step::STOPPED,
        "bad json" => {
            work.output("out", Part::new(Content::Data(b"{")));
            Step::DONE
        }
        _ => {
            work.wake_after(50);
            Step::PENDING
        }
    }
}

fn send(
    tasks: &mut Tasks<'_>,
    who: Principal,
    skill: u8,
    id: &str,
    text: &str,
    now: Instant,
) -> Result<Task, Refusal> {
    let write = |pieces: &mut Pieces<'_>| {
        if let Some(json) = text.strip_prefix('=') {
            pieces.part(Kind::Data, json.as_bytes());
        } else {
            pieces.part_text(Kind::Text, Text::checked(text.as_bytes()));
        }
    };
    let mut count = Pieces::counter();
    write(&mut count);
    let Pieces::Write(sink) = &count else {
        panic!()
    };
    let new = New {
        #[cfg(feature = "tasks")]
        tool: false,
        #[cfg(feature = "tasks")]
        memo: 0,
        who,
        skill: Some(skill),
        talks: false,
        context: None,
        message: Text::checked(id.as_bytes()),
        bytes: sink.total(),
        #[cfg(feature = "extensions")]
        elsewhere: false,
    };
    tasks.create(new, now, write)
}

/// The statuses of a task, in order, and the texts of its artifacts.
fn story(tasks: &Tasks<'_>, task: Task) -> (Vec<(State, String)>, Vec<String>) {
    let (mut states, mut texts) = (Vec::new(), Vec::new());
    for entry in entries(tasks.log(task).unwrap(), u64::MAX) {
        match entry.what {
            What::Status(status) => states.push((status.state, String::from(status.text))),
            What::Artifact(_) => {
                for part in entry.parts() {
                    if let Content::Text(text) = part.content {
                        texts.push(String::from(text));
                    }
                }
            }
            What::Message { .. } | What::Note(_) => {}
        }
    }
    (states, texts)
}

fn run(text: &str, steps: u64) -> (Vec<(State, String)>, Vec<String>) {
    let mut memory = TaskMemory::<2, 1024, 256>::new();
    let mut tasks = Tasks::new(&mut memory, rules());
    let skill = u8::from(text.starts_with('='));
    let task = send(&mut tasks, ANN, skill, "m", text, at(0)).unwrap();
    let mut app = App::default();
    for step in 0..steps {
        tasks.run(&mut app, at(step));
    }
    story(&tasks, task)
}

#[test]
fn each_step_makes_the_move_it_says() {
    use State::*;
    let told = |text, steps, want: &[(State, &str)], output: &[&str]| {
        let (states, texts) = run(text, steps);
        let got: Vec<_> = states.iter().map(|(s, t)| (*s, t.as_str())).collect();
        assert_eq!(got, want, "{text}");
        assert_eq!(texts, output, "{text}");
    };
    let begun = [(Submitted, ""), (Working, "")];
    let with = |last: &[(State, &'static str)]| [&begun[..], last].concat();
    told("done", 3, &with(&[(Completed, "")]), &["it is done"]);
    // P-018, A-157
    let none = (Failed, "the work ended without an output");
    told("empty", 3, &with(&[none]), &[]);
    // P-016
    let reason = (Failed, "axis 3 did not reach its stop");
    told("fail", 3, &with(&[reason]), &[]);
    told("reject", 3, &with(&[(Rejected, "not today")]), &[]);
    told("ask", 9, &with(&[(InputRequired, "which axis?")]), &[]);
    // the same question is asked once, and the leave may come by
    // itself.
    let panel = (AuthRequired, "unlock the arm at the panel");
    told("leave", 2, &with(&[panel]), &[]);
    told("leave", 9, &with(&[panel, (Completed, "")]), &["unlocked"]);
    let huge = (
        Failed,
        "the output needs 5281 bytes, a task has room for 1024",
    );
    told("huge", 3, &with(&[huge]), &[]);
    let json = (Failed, "the output is not JSON");
    told("bad json", 3, &with(&[json]), &[]);
    // A skill that looks whether there was room fails in its own words.
    told("huge, told", 3, &with(&[(Failed, "too much to say")]), &[]);
    told(
        "bad json, told",
        3,
        &with(&[(Failed, "nothing to say")]),
        &[],
    );
    // Nobody wished it: no cancellation (P-017).
    told("quits", 3, &with(&[(Failed, "the work was stopped")]), &[]);
}

#[test]
fn a_tool_does_the_work_of_a_task() {
    use State::*;
    let (states, texts) = run("={\"joint\":3}", 9);
    assert_eq!(texts, ["joint Some(3) is there"]);
    let states: Vec<_> = states.iter().map(|(s, t)| (*s, t.as_str())).collect();
    let want = [
        (Submitted, ""),
        (Working, ""),
        (Working, "0 of 40"),
        (Completed, ""),
    ];
    assert_eq!(states, want);
    let (states, _) = run("={\"joint\":9}", 2);
    let reason = String::from("joint: 9 is above the maximum 5");
    assert_eq!(states.last(), Some(&(Rejected, reason)));
}

#[test]
fn progress_leaves_half_of_the_log_to_the_output() {
    let (states, _) = run("chatty", 500);
    let reports = states.len();
    assert!(reports > 5, "{reports}");
    let bytes: usize = states.iter().map(|(_, text)| text.len() + 16).sum();
    assert!(bytes <= 512, "{bytes}");
}

#[test]
fn cancellation_reaches_the_work_and_tells_what_came_of_it() {
    let mut memory = TaskMemory::<2, 1024, 256>::new();
    let mut tasks = Tasks::new(&mut memory, rules());
    let mut app = App::default();
    // Work that has not begun never does.
    let first = send(&mut tasks, ANN, 0, "1", "done", at(0)).unwrap();
    assert_eq!(tasks.stop(first, at(0)), Stop::Told);
    assert_eq!(tasks.state(first), Some(State::Canceled));
    tasks.run(&mut app, at(1));
    assert_eq!(app.runs, 0);
    assert_eq!(tasks.stop(first, at(1)), Stop::Ended);

    let tool = send(&mut tasks, ANN, 1, "2", "={\"joint\":1}", at(1)).unwrap();
    tasks.run(&mut app, at(2));
    assert_eq!(tasks.state(tool), Some(State::Working));
    assert_eq!(tasks.stop(tool, at(2)), Stop::Told);
    tasks.run(&mut app, at(3));
    assert_eq!((tasks.state(tool), app.stops), (Some(State::Canceled), 1));

    // P-017: no lie about work that goes on.
    let stubborn = send(&mut tasks, ANN, 0, "3", "stubborn", at(2000)).unwrap();
    tasks.run(&mut app, at(2000));
    assert_eq!(tasks.stop(stubborn, at(2000)), Stop::Told);
    tasks.run(&mut app, at(2001));
    assert_eq!(tasks.state(stubborn), Some(State::Working));
    assert!(tasks.is_unstoppable(stubborn));

    // A task that waits for its caller is told too.
    let asking = send(&mut tasks, ANN, 0, "4", "ask", at(2000)).unwrap();
    tasks.run(&mut app, at(2002));
    assert_eq!(tasks.state(asking), Some(State::InputRequired));
    assert_eq!(tasks.wake(), Some(at(2052)));
    tasks.stop(asking, at(2003));
    assert_eq!(tasks.wake(), Some(at(2003)));
    tasks.run(&mut app, at(2003));
    assert_eq!(tasks.state(asking), Some(State::Canceled));
}

#[test]
fn the_oldest_finished_task_goes_after_its_time_and_no_other() {
    let mut memory = TaskMemory::<2, 1024, 256>::new();
    let mut tasks = Tasks::new(&mut memory, rules());
    let mut app = App::default();
    let first = send(&mut tasks, ANN, 0, "1", "done", at(0)).unwrap();
    tasks.run(&mut app, at(10));
    let second = send(&mut tasks, ANN, 0, "2", "done", at(10)).unwrap();
    tasks.run(&mut app, at(20));
    // refused, and nothing is lost.
    let full = send(&mut tasks, ANN, 0, "3", "wait", at(1009));
    assert_eq!(full, Err(Refusal::Full { slots: 2 }));
    assert_eq!(tasks.dropped(), 0);
    assert!(tasks.log(first).is_some());
    let third = send(&mut tasks, ANN, 0, "3", "wait", at(1010)).unwrap();
    assert!(tasks.log(first).is_none() && tasks.log(second).is_some());
    assert_eq!((tasks.dropped(), tasks.count()), (1, 2));
    send(&mut tasks, ANN, 0, "4", "wait", at(9000)).unwrap();
    // Unfinished tasks stay, however old.
    let full = send(&mut tasks, ANN, 0, "5", "wait", at(u64::MAX));
    assert_eq!(full, Err(Refusal::Full { slots: 2 }));
    assert!(tasks.log(third).is_some());
    let long = send(&mut tasks, ANN, 0, "6", &"x".repeat(900), at(9000));
    let need = Refusal::TooLong {
        need: 900 + 3 + 35 + 10 + 48 + 160,
        room: 1024,
    };
    assert_eq!(long, Err(need));
}

#[test]
fn a_task_is_found_by_its_owner_alone() {
    let mut memory = TaskMemory::<3, 1024, 0>::new();
    let mut tasks = Tasks::new(&mut memory, rules());
    let task = send(&mut tasks, ANN, 0, "m1", "ask", at(0)).unwrap();
    let id = tasks.id(task).unwrap();
    assert_eq!(tasks.find(ANN, id), Some(task));
    assert_eq!(tasks.find(ANN_ELSEWHERE, id), None);
    assert_eq!(tasks.find(Principal { id: 2, ..ANN }, id), None);
    assert_eq!(tasks.of(ANN).count(), 1);
    assert_eq!(tasks.of(ANN_ELSEWHERE).count(), 0);
    // the scope of a message id is its sender.
    let ask = |pieces: &mut Pieces<'_>| pieces.part_text(Kind::Text, Text::checked(b"ask"));
    let other = |pieces: &mut Pieces<'_>| pieces.part_text(Kind::Text, Text::checked(b"as"));
    let m1 = Text::checked(b"m1");
    assert_eq!(tasks.sent(ANN, m1, ask), Some((task, true)));
    assert_eq!(tasks.sent(ANN, m1, other), Some((task, false)));
    assert_eq!(tasks.sent(ANN_ELSEWHERE, m1, ask), None);
    assert_eq!(tasks.sent(ANN, Text::checked(b"m2"), ask), None);
}

#[test]
fn a_task_goes_on_with_an_answer_and_only_then() {
    let mut memory = TaskMemory::<1, 1024, 0>::new();
    let mut tasks = Tasks::new(&mut memory, rules());
    let mut app = App::default();
    let task = send(&mut tasks, ANN, 0, "m1", "ask", at(0)).unwrap();
    let text = |text: &'static str| {
        move |pieces: &mut Pieces<'_>| pieces.part_text(Kind::Text, Text::checked(text.as_bytes()))
    };
    let m2 = Text::checked(b"m2");
    let busy = tasks.go_on(task, ANN, (m2, false), at(0), text("done"));
    assert_eq!(busy, Err(Refusal::Busy));
    tasks.run(&mut app, at(1));
    let long = |pieces: &mut Pieces<'_>| pieces.part(Kind::Raw, &[7; 900]);
    let refused = tasks.go_on(task, ANN, (m2, false), at(2), long);
    assert!(matches!(refused, Err(Refusal::TooLong { room: 1024, .. })));
    assert_eq!(tasks.state(task), Some(State::InputRequired));
    assert_eq!(
        tasks.go_on(task, ANN, (m2, false), at(2), text("done")),
        Ok(())
    );
    assert_eq!(tasks.state(task), Some(State::Working));
    tasks.run(&mut app, at(3));
    assert_eq!(tasks.state(task), Some(State::Completed));
    let ended = tasks.go_on(task, ANN, (m2, true), at(4), text("done"));
    assert_eq!(ended, Err(Refusal::Ended));
}

#[test]
fn no_work_starts_before_the_journal_has_the_record() {
    let mut memory = TaskMemory::<1, 1024, 0>::new();
    let mut tasks = Tasks::new(&mut memory, rules());
    let mut app = App {
        journal: Some(Kept::NotYet),
        ..App::default()
    };
    let task = send(&mut tasks, ANN, 0, "m1", "done", at(0)).unwrap();
    assert!(!tasks.keep(&mut app, task, at(0)));
    for step in 1..5 {
        tasks.run(&mut app, at(step));
    }
    assert_eq!((app.runs, app.keeps), (0, 5));
    assert_eq!(tasks.state(task), Some(State::Submitted));
    app.journal = Some(Kept::No);
    tasks.run(&mut app, at(6));
    tasks.run(&mut app, at(7));
    assert_eq!((app.runs, app.keeps), (0, 6));
    assert_eq!(tasks.state(task), Some(State::Failed));
}

/// C-82.
#[test]
fn times_are_told_once_a_clock_is_set_and_never_go_back() {
    let mut memory = TaskMemory::<2, 1024, 0>::new();
    let mut tasks = Tasks::new(&mut memory, rules());
    let mut app = App::default();
    let task = send(&mut tasks, ANN, 0, "m1", "leave", at(0)).unwrap();
    tasks.set_clock(5_000, at(0));
    tasks.run(&mut app, at(10));
    tasks.set_clock(1_000, at(10));
    tasks.run(&mut app, at(30));
    tasks.run(&mut app, at(40));
    let times: Vec<_> = entries(tasks.log(task).unwrap(), u64::MAX)
        .filter_map(|entry| match entry.what {
            What::Status(status) => Some(status.unix_millis),
            _ => None,
        })
        .collect();
    assert_eq!(times, [0, 5010, 5010, 5010]);
}

#[test]
fn a_source_that_repeats_itself_is_refused() {
    let mut memory = TaskMemory::<2, 1024, 0>::new();
    let stuck = TaskRules {
        entropy: Entropy::Function(|bytes| bytes.fill(7)),
        ..rules()
    };
    let mut tasks = Tasks::new(&mut memory, stuck);
    let task = send(&mut tasks, ANN, 0, "m1", "done", at(0));
    assert_eq!(task, Err(Refusal::Entropy));
    assert_eq!(tasks.count(), 0);
}

/// A table that is made at run time, over memory that is placed otherwise.
#[test]
fn skills_of_a_table_draft_json() {
    struct Seven;
    impl Random for Seven {
        fn fill(&self, bytes: &mut [u8]) {
            rules().entropy.fill(bytes);
        }
    }
    let skill = Skill::new(
        "draft",
        "Draft",
        "Drafts JSON.",
        &["t"],
        |_: &mut App, work| {
            let len = work.draft(0, |sink| sink.text("[1,"));
            let long = work.step() > 0;
            let len = work.draft(len, |sink| sink.text(if long { "2345678]" } else { "2]" }));
            work.with_draft(len, |work, json| {
                work.output("list", Part::new(Content::Data(json)))
            });
            if long { Step::DONE } else { Step::PENDING }
        },
    );
    let (mut records, mut logs, mut result) = ([Record::FREE; 2], [0; 2000], [0; 8]);
    let rules = TaskRules {
        entropy: Entropy::Source(&Seven),
        ..rules()
    };
    let mut tasks = Tasks::over(&mut records, &mut logs, 1000, &mut result, rules);
    let mut app = App::default();
    let task = send(&mut tasks, ANN, 0, "m1", "draft", at(0)).expect("room");
    tasks.run_skills(&[], &mut app, at(0));
    assert_eq!(tasks.state(task), Some(State::Rejected));
    let task = send(&mut tasks, ANN, 0, "m2", "draft", at(1)).expect("room");
    tasks.run_skills(std::slice::from_ref(&skill), &mut app, at(1));
    let log = tasks.log(task).expect("a log");
    assert!(log.windows(5).any(|text| text == b"[1,2]"));
    tasks.run_skills(std::slice::from_ref(&skill), &mut app, at(2));
    let log = tasks.log(task).expect("a log");
    let last = entries(log, u64::MAX).last().expect("a status");
    let What::Status(status) = last.what else {
        panic!("{last:?}");
    };
    assert_eq!(
        (status.state, status.text),
        (
            State::Failed,
            "the output needs 11 bytes, a task has room for 8"
        )
    );
}

/// The figures that the manual gives.
#[test]
fn a_task_costs_what_the_manual_says() {
    assert_eq!(TaskMemory::<1, 512, 0>::TASK_BYTES, 80);
}
