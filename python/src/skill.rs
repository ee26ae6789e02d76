//! The skills of a device that is defined in Python: functions, and tools, as
//! the work of tasks.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use agentmote::buf::Sink;
use agentmote::json::{self, ser};
use agentmote::task::{
    Content, Entropy, Journal, Part, Random, Runtime, Skill, Step, TaskMemory, TaskRules, Tasks,
    Work, run_tool,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::app::PyApp;
use crate::clock::Clock;
use crate::value::{Plain, to_python};
use crate::wire::RESULT;

/// Tasks of a device at once, finished ones that are still kept among them.
pub(crate) const TASKS: usize = 32;
/// Bytes of what one task comes to: its messages, statuses, artifacts.
pub(crate) const LOG: usize = u16::MAX as usize;

pub(crate) type TaskRoom = TaskMemory<TASKS, LOG, RESULT>;

/// What stands behind one skill.
pub(crate) enum Ability {
    /// Gets what a task is about, and gives its job.
    Function(Py<PyAny>),
    /// The tool at this place of the table.
    Tool(usize),
}

/// A task of a function on its way.
pub(crate) struct TaskJob {
    job: Py<PyAny>,
    /// Messages that it has seen.
    seen: usize,
}

/// Records are kept in RAM alone.
impl Journal for PyApp {}

impl Runtime for PyApp {
    // Its skills are made at run time; see `Agent::checked`.
    const SKILLS: &'static [Skill<Self>] = &[];
}

/// The one function behind every skill of a device in Python.
pub(crate) fn run(app: &mut PyApp, work: &mut Work<'_>) -> Step {
    let functions = std::sync::Arc::clone(&app.functions);
    match functions.skills.get(work.skill()) {
        None => work.fail("there is no such skill"),
        Some(Ability::Tool(at)) => {
            let Some(entry) = app.entries.get(*at) else {
                return work.fail("there is no such tool");
            };
            // A call of a task does not know the place of its tool.
            app.tool = Some(*at);
            let step = run_tool(entry, app, work);
            app.tool = None;
            step
        }
        Some(Ability::Function(begin)) => Python::attach(|py| app.work(py, begin, work)),
    }
}

/// What a step of a job has told: its kind, its text, its output, and
/// milliseconds until the next one.
type Told<'py> = (String, String, Bound<'py, PyList>, u32);

impl PyApp {
    fn work(&mut self, py: Python<'_>, begin: &Py<PyAny>, work: &mut Work<'_>) -> Step {
        match self.work_step(py, begin, work) {
            Ok(step) => step,
            Err(error) => {
                self.drop_job(py, work);
                let words = self.explain(py, error);
                work.fail(&words)
            }
        }
    }

    fn work_step(
        &mut self,
        py: Python<'_>,
        begin: &Py<PyAny>,
        work: &mut Work<'_>,
    ) -> PyResult<Step> {
        let cancelled = work.is_cancelled();
        if work.step() == 0 {
            if cancelled {
                // It has not begun.
                return Ok(Step::STOPPED);
            }
            self.runs += 1;
            let about = message(py, work)?;
            let job = begin.bind(py).call1((about,))?.unbind();
            let seen = work.messages();
            let memo = self.keep_job(TaskJob { job, seen });
            work.remember(memo);
        }
        let Some(task) = self.tasks.get_mut(&work.memo()) else {
            return Err(PyTypeError::new_err("the job of this task is gone"));
        };
        let count = work.messages();
        let news = (task.seen != count)
            .then(|| message(py, work))
            .transpose()?;
        task.seen = count;
        let job = task.job.clone_ref(py).into_bound(py);
        let told = job.call_method1("step", (news, cancelled))?;
        let (kind, text, output, wait): Told<'_> = told.extract()?;
        let mut room = true;
        for one in output.iter() {
            room &= put(work, &one)?;
        }
        let ended = !matches!(&*kind, "pending" | "ask" | "leave" | "cannot_stop");
        if ended {
            self.tasks.remove(&work.memo());
        } else if !room {
            // The core ends the task for it.
            self.drop_job(py, work);
        }
        if kind == "pending" || kind == "leave" || kind == "cannot_stop" {
            work.wake_after(wait);
        }
        if !text.is_empty() {
            work.report(&text);
        }
        Ok(match &*kind {
            "pending" => Step::PENDING,
            "done" => Step::DONE,
            "failed" => work.fail(&text),
            "rejected" => work.reject(&text),
            "ask" => work.ask(&text),
            "leave" => work.ask_leave(&text),
            "said" => work.say(&text),
            "stopped" => Step::STOPPED,
            "cannot_stop" => Step::CANNOT_STOP,
            _ => return Err(PyTypeError::new_err(format!("no end {kind:?} of a step"))),
        })
    }

    fn keep_job(&mut self, job: TaskJob) -> u32 {
        // 0 means "no job", and a number in use is skipped.
        loop {
            self.last_task = self.last_task.wrapping_add(1);
            if self.last_task != 0 && !self.tasks.contains_key(&self.last_task) {
                break;
            }
        }
        self.tasks.insert(self.last_task, job);
        self.last_task
    }

    /// Forgets the job of a task that ends, and lets it clean up.
    fn drop_job(&mut self, py: Python<'_>, work: &Work<'_>) {
        let Some(task) = self.tasks.remove(&work.memo()) else {
            return;
        };
        if let Err(error) = task.job.bind(py).call_method0("give_up") {
            // Nobody is left to hear of it but the log.
            let _ = self.explain(py, error);
        }
    }
}

/// What a task is about: its id, its newest message, who sent it.
fn message<'py>(py: Python<'py>, work: &Work<'_>) -> PyResult<Bound<'py, PyTuple>> {
    let parts = PyList::empty(py);
    for part in work.parts() {
        let (kind, content) = match part.content {
            Content::Text(text) => ("text", text.into_pyobject(py)?.into_any()),
            Content::Raw(bytes) => ("raw", PyBytes::new(py, bytes).into_any()),
            Content::Url(url) => ("url", url.into_pyobject(py)?.into_any()),
            Content::Data(text) => (
                "data",
                match json::parse(text) {
                    Ok(value) => to_python(py, value)?,
                    Err(_) => py.None().into_bound(py),
                },
            ),
        };
        parts.append((kind, content, part.media_type, part.filename))?;
    }
    let who = work.principal();
    let id: String = work.id().as_bytes().iter().map(hex).collect();
    (id, work.message_id(), parts, who.id).into_pyobject(py)
}

fn hex(byte: &u8) -> String {
    format!("{byte:02x}")
}

/// Puts one output into the log of the task; whether there was room.
fn put(work: &mut Work<'_>, output: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (name, part, last): (Option<String>, Bound<'_, PyTuple>, bool) = output.extract()?;
    let (kind, content, media, filename): (String, Bound<'_, PyAny>, String, String) =
        part.extract()?;
    let (text, bytes);
    let content = match &*kind {
        "text" | "url" => {
            text = content.extract::<String>()?;
            match &*kind {
                "text" => Content::Text(&text),
                _ => Content::Url(&text),
            }
        }
        "raw" => {
            bytes = content.extract::<Vec<u8>>()?;
            Content::Raw(&bytes)
        }
        "data" => {
            bytes = written(&content)?;
            Content::Data(&bytes)
        }
        _ => return Err(PyTypeError::new_err(format!("no part {kind:?}"))),
    };
    let part = Part::new(content).media_type(&media).filename(&filename);
    Ok(match name {
        Some(name) => work.output(&name, part),
        None => work.append(part, last),
    })
}

/// A value as the core writes it.
fn written(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let problem = RefCell::default();
    let plain = Plain {
        value,
        problem: &problem,
    };
    let mut count = Sink::counter();
    let fine = ser::to_sink(&mut count, &plain);
    let mut bytes = vec![0; count.total()];
    let wrong = problem.take();
    match fine.and_then(|()| ser::to_sink(&mut Sink::new(&mut bytes), &plain)) {
        Ok(()) => Ok(bytes),
        Err(_) if !wrong.is_empty() => Err(PyTypeError::new_err(wrong)),
        Err(error) => Err(PyTypeError::new_err(error.text())),
    }
}

/// Random bytes of one device: those of the system, or, for a simulation, the
/// same ones in each run.
pub(crate) struct Dice(Option<AtomicU64>);

impl Dice {
    pub(crate) fn of(clock: &Clock) -> Self {
        Self(clock.is_virtual().then(AtomicU64::default))
    }
}

impl Random for Dice {
    fn fill(&self, bytes: &mut [u8]) {
        let Some(state) = &self.0 else {
            // Without random bytes all stay the same, which the core refuses.
            let _ = getrandom::fill(bytes);
            return;
        };
        for chunk in bytes.chunks_mut(8) {
            // SplitMix64.
            const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
            let mut mixed = state.fetch_add(STEP, Ordering::SeqCst).wrapping_add(STEP);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            let mixed = (mixed ^ (mixed >> 31)).to_le_bytes();
            chunk.copy_from_slice(&mixed[..chunk.len()]);
        }
    }
}

/// The table of tasks over this memory. Tasks on a virtual clock have no
/// times: each run is to be the same.
pub(crate) fn tasks<'m>(room: &'m mut TaskRoom, dice: &'static Dice, clock: &Clock) -> Tasks<'m> {
    let rules = TaskRules {
        entropy: Entropy::Source(dice),
        ..TaskRules::new(|_| ())
    };
    let mut tasks = Tasks::new(room, rules);
    let unix = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    if let Ok(unix) = unix
        && !clock.is_virtual()
    {
        let millis = u64::try_from(unix.as_millis()).unwrap_or(u64::MAX);
        tasks.set_clock(millis, clock.now_native());
    }
    tasks
}
