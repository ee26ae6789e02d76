//! The one skill of the profile that is work, and the tools beside it.

use agentmote::buf::Sink;
use agentmote::json::write;
use agentmote::mcp::{Device, Identity};
use agentmote::task::{Content, Journal, Part, Runtime, Skill, Step, TaskId, Work};
use agentmote::tool::{Answer, Call, Entry};
use bench_arm::Arm;

/// Tasks that may be on their way with the arm at once.
const TASKS: usize = 32;

/// The application: the arm, and which of its skills each task is for.
#[derive(Debug)]
pub struct Operator {
    arm: Arm,
    tasks: [Option<(TaskId, u8)>; TASKS],
}

impl Operator {
    /// An operator of an arm at rest.
    pub const fn new() -> Self {
        Self {
            arm: Arm::new(),
            tasks: [None; TASKS],
        }
    }

    /// The arm.
    pub fn arm(&self) -> &Arm {
        &self.arm
    }
}

impl Default for Operator {
    fn default() -> Self {
        Self::new()
    }
}

/// What MCP serves: the tools of the arm.
pub static DEVICE: Device<Operator> = Device::new(
    Identity {
        title: "OpenOperator",
        ..Identity::new("openoperator", env!("CARGO_PKG_VERSION"))
    },
    &TOOLS,
);

static TOOLS: [Entry<Operator>; 5] = [
    tool::<0>(),
    tool::<1>(),
    tool::<2>(),
    tool::<3>(),
    tool::<4>(),
];

/// The tool of the arm at this place.
const fn tool<const AT: usize>() -> Entry<Operator> {
    Entry {
        tool: bench_arm::DEVICE.tools().entries()[AT].tool,
        run: run::<AT>,
    }
}

fn run<const AT: usize>(operator: &mut Operator, call: &mut Call<'_>) -> Answer {
    match bench_arm::DEVICE.tools().entries().get(AT) {
        Some(entry) => (entry.run)(&mut operator.arm, call),
        None => call.fail("there is no such tool"),
    }
}

/// Records are kept in RAM alone.
impl Journal for Operator {}

/// What it takes and gives: a client of the profile accepts JSON alone.
const MODES: &[&str] = &["application/json", "text/plain"];

impl Runtime for Operator {
    const SKILLS: &'static [Skill<Self>] = &[Skill {
        input_modes: MODES,
        output_modes: MODES,
        examples: &["home the arm", "calibrate the arm"],
        ..Skill::new(
            "general_assistance",
            "General assistance",
            "Does what a message asks the arm for, and says what it can do otherwise.",
            &["assistance", "arm"],
            assist,
        )
    }];
}

/// The skill of the arm that a text asks for by one of its words.
fn skill_for(text: &str) -> Option<u8> {
    let words = || text.split(|c: char| !c.is_alphanumeric());
    let asks = |skill: &Skill<Arm>| {
        words().any(|said| {
            skill
                .words
                .iter()
                .any(|word| said.eq_ignore_ascii_case(word))
        })
    };
    let at = Arm::SKILLS.iter().position(asks)?;
    u8::try_from(at).ok()
}

fn assist(operator: &mut Operator, work: &mut Work<'_>) -> Step {
    let id = work.id();
    let mine = |place: &&mut Option<(TaskId, u8)>| place.is_some_and(|(task, _)| task == id);
    let begun = operator.tasks.iter_mut().find(mine).copied().flatten();
    let at = match begun {
        Some((_, at)) => at,
        None => {
            if work.is_cancelled() {
                return Step::STOPPED;
            }
            let Some(at) = skill_for(work.text()) else {
                return explain(work);
            };
            let Some(place) = operator.tasks.iter_mut().find(|place| place.is_none()) else {
                return work.fail("too many tasks are on their way");
            };
            *place = Some((id, at));
            at
        }
    };
    let Some(skill) = Arm::SKILLS.get(usize::from(at)) else {
        return work.fail("the arm has no such skill");
    };
    let step = (skill.run)(&mut operator.arm, work);
    if step.ends() {
        for place in &mut operator.tasks {
            if place.is_some_and(|(task, _)| task == id) {
                *place = None;
            }
        }
    }
    step
}

/// Says what can be asked for.
fn explain(work: &mut Work<'_>) -> Step {
    let mut room = [0; 512];
    let mut sink = Sink::new(&mut room);
    sink.text("{\"skills\":[");
    for (at, skill) in Arm::SKILLS.iter().enumerate() {
        sink.text(if at == 0 { "{\"ask\":" } else { ",{\"ask\":" });
        write::string(&mut sink, skill.examples.first().unwrap_or(&skill.id));
        sink.text(",\"does\":");
        write::string(&mut sink, skill.description);
        sink.byte(b'}');
    }
    sink.text("]}");
    let text = "I move a robot arm. Ask me to home it, or to calibrate it.";
    let data = Part::new(Content::Data(sink.kept())).media_type("application/json");
    work.output("answer", Part::new(Content::Text(text)));
    work.append(data, true);
    Step::DONE
}
