//! What the arm does for a message: long work, kept as tasks.

use agentmote::ToolResult;
use agentmote::a2a::Card;
use agentmote::task::{Journal, Runtime, Skill, Step, TaskId, Work, run_tool};

use crate::motion::{JOINTS, State};
use crate::{Arm, LOOK_MS, arm_home};

/// The card of the arm, whose endpoint is at this URL, with a slash at its
/// end.
pub const fn card(url: &'static str) -> Card {
    Card::new(
        "bench-arm",
        "A bench-top robot arm with six joints.",
        env!("CARGO_PKG_VERSION"),
        url,
    )
}

/// Records are kept in RAM alone.
impl Journal for Arm {}

impl Runtime for Arm {
    const SKILLS: &'static [Skill<Self>] = &[
        Skill {
            words: &["calibrate", "calibration"],
            examples: &["calibrate the arm"],
            output_modes: &["application/json", "text/plain"],
            ..Skill::new(
                "calibrate",
                "Calibrate",
                "Moves each joint out and back, once the caller has confirmed it.",
                &["arm", "motion"],
                calibrate,
            )
        },
        Skill {
            words: &["home"],
            examples: &["home the arm"],
            ..Skill::new(
                "home",
                "Go home",
                "Moves every joint to 0 degrees.",
                &["arm", "motion"],
                |arm, work| run_tool(&arm_home::ENTRY, arm, work),
            )
        },
    ];
}

/// A calibration that goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calibration {
    task: TaskId,
    /// The job of the last move.
    job: u32,
    /// Moves that were begun: out and back for each joint.
    moves: u8,
}

/// How far a joint goes, in thousandths of a degree.
const OUT: i32 = 10_000;
/// How fast, in percent of full speed.
const SPEED: u8 = 50;

#[derive(ToolResult)]
struct Calibrated {
    /// Joints that went out and back.
    joints: u8,
    /// How long it took.
    #[result(unit = "ms")]
    millis: u32,
}

fn calibrate(arm: &mut Arm, work: &mut Work<'_>) -> Step {
    let now = work.now();
    let mine = arm.calibration.filter(|one| one.task == work.id());
    if work.is_cancelled() {
        if let Some(one) = mine {
            arm.halt(Some(one.job), now);
            arm.calibration = None;
        }
        return Step::STOPPED;
    }
    if work.messages() == 1 {
        return work.ask("Calibration moves every joint. Answer yes to go on.");
    }
    let Some(one) = mine else {
        if !work.text().trim_ascii().eq_ignore_ascii_case("yes") {
            return work.reject("the calibration was not confirmed");
        }
        if arm.calibration.is_some() || arm.joints.iter().any(|joint| joint.is_moving(now)) {
            return work.fail("the arm is still moving");
        }
        work.remember(now.as_millis() as u32);
        let one = Calibration {
            task: work.id(),
            job: 0,
            moves: 0,
        };
        return next(arm, work, one);
    };
    match arm.state(one.job, now) {
        State::Moving => {
            work.wake_after(LOOK_MS);
            Step::PENDING
        }
        State::Halted => {
            arm.calibration = None;
            work.fail("the arm was stopped on its way")
        }
        State::Arrived if usize::from(one.moves) < 2 * JOINTS => next(arm, work, one),
        State::Arrived => {
            arm.calibration = None;
            let begun = work.memo();
            let result = Calibrated {
                joints: JOINTS as u8,
                millis: (now.as_millis() as u32).wrapping_sub(begun),
            };
            work.json("calibration", &result);
            Step::DONE
        }
    }
}

/// Begins the next move.
fn next(arm: &mut Arm, work: &mut Work<'_>, mut one: Calibration) -> Step {
    let joint = one.moves / 2;
    let to = if one.moves & 1 == 0 { OUT } else { 0 };
    if to != 0 {
        work.report_with(format_args!("joint {joint} of {JOINTS}"));
    }
    one.job = arm.begin();
    one.moves = one.moves.saturating_add(1);
    arm.start(joint, to, SPEED, one.job, work.now());
    arm.calibration = Some(one);
    work.wake_after(LOOK_MS);
    Step::PENDING
}
