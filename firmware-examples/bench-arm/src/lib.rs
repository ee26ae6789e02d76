//! A bench-top robot arm with six joints: the application of every example.
//!
//! It is compiled unchanged for the host simulation and for each board. It
//! does no I/O: a board reads the angle of each joint from [`Arm::angle`] and
//! drives its servo there, and puts what its sensor says into
//! [`Arm::celsius`].
#![no_std]
#![forbid(unsafe_code)]

mod motion;
#[cfg(feature = "policy")]
pub mod policy;
#[cfg(feature = "resources")]
mod sensors;
#[cfg(feature = "a2a")]
mod skills;

use core::task::Poll;

use agentmote::mcp::{Device, Identity};
use agentmote::time::Instant;
use agentmote::tool::{Answer, Call, Failure, Fixed};
use agentmote::{ToolArgs, ToolResult, catalog, tool};

pub use motion::{Command, JOINTS};
use motion::{Joint, State};
#[cfg(feature = "a2a")]
pub use skills::card;

/// What this device serves.
pub static DEVICE: Device<Arm> = {
    let device = Device::new(
        Identity {
            title: "Bench arm",
            instructions: "Joint 0 is the base. Angles are in degrees.",
            ..Identity::new("bench-arm", env!("CARGO_PKG_VERSION"))
        },
        catalog![arm_move, arm_home, arm_stop, note_set, temp_read],
    );
    #[cfg(feature = "resources")]
    let device = device.resources(&sensors::RESOURCES);
    #[cfg(feature = "prompts")]
    let device = device.prompts(&PROMPTS);
    #[cfg(feature = "logging")]
    let device = device.logging();
    #[cfg(feature = "scopes")]
    let device = device.shows(|_, caller, tool| {
        // Anybody may stop it.
        !tool.effects.actuates || tool.name == "arm_stop" || caller.scopes & MOVE != 0
    });
    device
};

/// The scope of callers who may move the arm.
#[cfg(feature = "scopes")]
pub const MOVE: u32 = 1;

#[cfg(feature = "prompts")]
static PROMPTS: [agentmote::prompt::Prompt<Arm>; 1] = [agentmote::prompt::Prompt {
    title: "Pose",
    ..agentmote::prompt::Prompt::new(
        "pose",
        "Asks for a description of where the arm stands.",
        |arm: &mut Arm, messages| {
            let now = messages.now();
            for joint in 0..JOINTS {
                let angle = arm.angle(joint, now) / 1000;
                messages.format(format_args!("Joint {joint} stands at {angle} degrees."));
            }
            messages.text("Describe in one sentence where the arm points.");
        },
    )
}];

/// Commands that the log keeps.
const LOG: usize = 4;

/// The arm.
#[derive(Debug)]
pub struct Arm {
    joints: [Joint; JOINTS],
    /// The last commands, newest first.
    log: [Option<Command>; LOG],
    commands: u32,
    jobs: u32,
    /// The jobs of the last stops, newest first: as many as can be asked after
    /// when a stop and new moves come between two looks.
    stopped: [u32; 8],
    note: heapless::String<128>,
    #[cfg(feature = "a2a")]
    calibration: Option<skills::Calibration>,
    /// What was asked of it last, and by whom.
    #[cfg(feature = "policy")]
    pub audit: agentmote::policy::Ring<8>,
    /// Temperature of the board, in degrees Celsius: what the sensor said
    /// last.
    pub celsius: f32,
}

impl Arm {
    /// An arm at rest, every joint at 0 degrees.
    pub const fn new() -> Self {
        Self {
            joints: [Joint::HOME; JOINTS],
            log: [None; LOG],
            commands: 0,
            jobs: 0,
            stopped: [0; 8],
            note: heapless::String::new(),
            #[cfg(feature = "a2a")]
            calibration: None,
            #[cfg(feature = "policy")]
            audit: agentmote::policy::Ring::new(),
            celsius: 24.5,
        }
    }

    /// Where a joint is at this time, in thousandths of a degree; 0 for a
    /// joint that there is not.
    pub fn angle(&self, joint: usize, now: Instant) -> i32 {
        self.joints.get(joint).map_or(0, |joint| joint.angle(now))
    }

    /// What was written with `note_set` last.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// How many commands the drives have had since the start.
    pub fn commands(&self) -> u32 {
        self.commands
    }

    /// The last commands to the drives, oldest first.
    pub fn log(&self) -> impl Iterator<Item = Command> {
        self.log.iter().rev().flatten().copied()
    }

    fn command(&mut self, command: Command) {
        self.commands = self.commands.saturating_add(1);
        let [first, second, third, _] = self.log;
        self.log = [Some(command), first, second, third];
    }

    /// Begins a job: a move of some joints at once. Gives its number.
    fn begin(&mut self) -> u32 {
        self.jobs = self.jobs.wrapping_add(1);
        self.jobs
    }

    fn start(&mut self, joint: u8, to: i32, speed: u8, job: u32, now: Instant) {
        if let Some(place) = self.joints.get_mut(usize::from(joint)) {
            place.start(to, speed, job, now);
            self.command(Command::Move { joint, to, speed });
        }
    }

    /// Stops every joint that is on its way, or those of one job.
    fn halt(&mut self, job: Option<u32>, now: Instant) {
        for joint in 0..JOINTS as u8 {
            let Some(place) = self.joints.get_mut(usize::from(joint)) else {
                continue;
            };
            let of = place.job();
            if place.is_moving(now) && job.is_none_or(|job| job == of) {
                place.halt(now);
                self.command(Command::Stop { joint });
                // Nobody asks after a job that its own caller gave up.
                if job.is_none() && !self.stopped.contains(&of) {
                    let mut last = of;
                    for place in &mut self.stopped {
                        last = core::mem::replace(place, last);
                    }
                }
            }
        }
    }

    /// How far a job is. It was stopped, or some joint still moves for it, or
    /// it has arrived: no other job moves its joints before.
    fn state(&self, job: u32, now: Instant) -> State {
        if self.stopped.contains(&job) {
            State::Halted
        } else if self.is_moving(job, now) {
            State::Moving
        } else {
            State::Arrived
        }
    }

    fn is_moving(&self, job: u32, now: Instant) -> bool {
        let mut joints = self.joints.iter();
        joints.any(|joint| joint.job() == job && joint.is_moving(now))
    }
}

impl Default for Arm {
    fn default() -> Self {
        Self::new()
    }
}

/// How often a call that waits for a joint looks at it, in milliseconds.
const LOOK_MS: u32 = 20;

#[derive(ToolArgs)]
struct ArmMove {
    /// Joint number, base first.
    #[arg(range = 0..=5)]
    joint: u8,
    /// Target angle.
    #[arg(range = -90.0..=90.0, unit = "deg")]
    deg: Fixed<3>,
    /// Share of full speed.
    #[arg(range = 1..=100, default = 20, unit = "percent")]
    speed: u8,
}

/// The marked zone of the base, in thousandths of a degree: where people
/// stand.
#[cfg(feature = "input")]
const ZONE: core::ops::RangeInclusive<i32> = -80_000..=-60_000;

/// Whether a move of the base from one angle to another meets the marked
/// zone.
#[cfg(feature = "input")]
fn meets_zone(from: i32, to: i32) -> bool {
    from.min(to) <= *ZONE.end() && from.max(to) >= *ZONE.start()
}

/// Moves one joint to an angle, and answers when it is there.
#[tool(actuates, idempotent, asks, task, title = "Move a joint")]
fn arm_move(arm: &mut Arm, args: ArmMove, call: &mut Call<'_>) -> Poll<Answer> {
    let now = call.now();
    if call.is_cancelled() {
        arm.halt(Some(call.memo()), now);
        return Poll::Pending;
    }
    let Some(&joint) = arm.joints.get(usize::from(args.joint)) else {
        return Poll::Ready(call.fail("there is no such joint"));
    };
    if call.step() == 0 {
        // A joint that is back early is still part of the way home.
        if arm.is_moving(joint.job(), now) {
            return Poll::Ready(call.fail("the joint is still moving"));
        }
        #[cfg(feature = "input")]
        if args.joint == 0 && meets_zone(joint.angle(now), args.deg.0) {
            match call.confirm("zone", "Move the base through the zone where people stand?") {
                Some(true) => {}
                Some(false) => return Poll::Ready(call.fail("the user refused the move")),
                None => return Poll::Pending,
            }
        }
        #[cfg(feature = "logging")]
        call.log(
            agentmote::tool::Level::Info,
            format_args!("joint {} moves", args.joint),
        );
        let job = arm.begin();
        call.remember(job);
        arm.start(args.joint, args.deg.0, args.speed, job, now);
    }
    let Some(joint) = arm.joints.get(usize::from(args.joint)) else {
        return Poll::Pending;
    };
    match arm.state(call.memo(), now) {
        State::Moving => {
            call.progress(joint.percent(now), 100);
            call.wake_after(LOOK_MS);
            Poll::Pending
        }
        State::Arrived => Poll::Ready(call.text("the joint is at its target")),
        State::Halted => Poll::Ready(call.fail("the joint was stopped on its way")),
    }
}

// It does not ask before the marked zone: it is the way out of it.
/// Moves every joint to 0 degrees, and answers when all are there.
#[tool(actuates, idempotent, task, title = "Go home")]
fn arm_home(arm: &mut Arm, call: &mut Call<'_>) -> Poll<Answer> {
    let now = call.now();
    if call.is_cancelled() {
        arm.halt(Some(call.memo()), now);
        return Poll::Pending;
    }
    if call.step() == 0 {
        if arm.joints.iter().any(|joint| joint.is_moving(now)) {
            return Poll::Ready(call.fail("a joint is still moving"));
        }
        let job = arm.begin();
        call.remember(job);
        for joint in 0..JOINTS as u8 {
            arm.start(joint, 0, HOME_SPEED, job, now);
        }
    }
    match arm.state(call.memo(), now) {
        State::Moving => {
            call.wake_after(LOOK_MS);
            Poll::Pending
        }
        State::Arrived => Poll::Ready(call.text("the arm is at home")),
        State::Halted => Poll::Ready(call.fail("the arm was stopped on its way")),
    }
}

/// Share of full speed at which the arm goes home, in percent.
const HOME_SPEED: u8 = 50;

/// Stops every joint where it is. Always served at once.
#[tool(actuates, idempotent, title = "Stop")]
fn arm_stop(arm: &mut Arm, call: &mut Call<'_>) -> Answer {
    let now = call.now();
    arm.halt(None, now);
    call.text("stopped")
}

#[derive(ToolArgs)]
struct NoteSet {
    /// Text for the display.
    #[arg(length = ..=32)]
    text: heapless::String<128>,
}

/// Writes a note to the arm's display.
#[tool(idempotent, title = "Write a note")]
fn note_set(arm: &mut Arm, args: NoteSet) {
    arm.note = args.text;
}

#[derive(ToolResult)]
struct Temp {
    /// Temperature of the board.
    #[result(unit = "celsius")]
    celsius: f32,
}

/// Reads the temperature of the arm's board.
#[tool(read_only, idempotent, title = "Read the temperature")]
fn temp_read(arm: &mut Arm) -> Result<Temp, Failure> {
    Ok(Temp {
        celsius: arm.celsius,
    })
}
