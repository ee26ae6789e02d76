//! The application of a device that is defined in Python: its functions, and
//! the one handler of the core behind which they all stand.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;

use agentmote::json::Value;
use agentmote::resource::{Read, Reader, Reading, Watch};
use agentmote::time::Instant;
use agentmote::tool::{Action, Answer, Call, Data, Entry, InputRequest, IntoAnswer as _};
use pyo3::exceptions::{PyBaseException, PyException, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::describe::Maker;
use crate::policy::{Hooks, Names};
use crate::skill::{Ability, TaskJob};
use crate::value::{Plain, Wrapped, float, string, to_python, whole};

/// What stands behind one tool.
pub(crate) struct Code {
    /// The names of its parameters, and how each is read.
    pub(crate) params: Vec<(Py<PyString>, Reads)>,
    /// Gets the arguments by name. For a polled tool it gives a job.
    pub(crate) run: Py<PyAny>,
    /// Makes the result plain, if that is needed.
    pub(crate) dump: Option<Py<PyAny>>,
    /// Whether the result stands in an object as `result`.
    pub(crate) wrap: bool,
    pub(crate) polled: bool,
    /// Whether its input is raw schema text, so that it gets what was sent.
    pub(crate) raw: bool,
    /// Whether it asks its caller: it then gets the answers so far first.
    pub(crate) asks: bool,
}

/// How a parameter is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reads {
    Whole,
    Float,
    /// As its JSON says.
    Any,
}

impl Reads {
    fn read<'py>(self, py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Whole => whole(py, value),
            Self::Float => float(py, value),
            Self::Any => to_python(py, value),
        }
    }
}

/// What stands behind one resource or template.
pub(crate) struct Source {
    /// Gets the URI's parameters by name.
    pub(crate) read: Py<PyAny>,
    pub(crate) uri: String,
    pub(crate) params: Vec<String>,
    /// How often it has changed.
    pub(crate) version: AtomicU32,
    /// Gives a number that differs once it has changed, if it is not told.
    pub(crate) watch: Option<Py<PyAny>>,
}

/// Every function of a device. They never change once it is in use.
pub(crate) struct Functions {
    pub(crate) tools: Vec<Code>,
    pub(crate) resources: Vec<Source>,
    pub(crate) templates: Vec<Source>,
    pub(crate) skills: Vec<Ability>,
    pub(crate) hooks: Hooks,
    /// Gives the words for the peer of an exception.
    pub(crate) explain: Py<PyAny>,
}

/// The application: what the core hands to every handler.
pub(crate) struct PyApp {
    pub(crate) functions: Arc<Functions>,
    /// The tools with what runs them, for those that are skills too.
    pub(crate) entries: &'static [Entry<Self>],
    /// Names that the guard of the policy has given.
    pub(crate) names: Names,
    /// The place of the tool that a task calls now.
    pub(crate) tool: Option<usize>,
    /// Tasks of functions on their way, by the number that the core keeps.
    pub(crate) tasks: HashMap<u32, TaskJob>,
    pub(crate) last_task: u32,
    /// Calls of polled tools on their way, by the number that the core keeps.
    jobs: HashMap<u32, Py<PyAny>>,
    last_job: u32,
    /// Answers to the first questions of calls that wait for the next, by the
    /// number that the core keeps.
    answers: BTreeMap<u32, Py<PyDict>>,
    last_answers: u32,
    /// How often a function was called.
    pub(crate) runs: u64,
    /// What a handler raised that is no error of a tool, such as an interrupt
    /// from the keyboard: it goes to who drives the device.
    pub(crate) interrupt: Option<PyErr>,
}

impl PyApp {
    pub(crate) fn new(functions: Arc<Functions>, entries: &'static [Entry<Self>]) -> Self {
        Self {
            functions,
            entries,
            names: Names::default(),
            tool: None,
            tasks: HashMap::new(),
            last_task: 0,
            jobs: HashMap::new(),
            last_job: 0,
            answers: BTreeMap::new(),
            last_answers: 0,
            runs: 0,
            interrupt: None,
        }
    }

    /// The words of an exception for the peer; never its traceback.
    pub(crate) fn explain(&mut self, py: Python<'_>, error: PyErr) -> String {
        if !error.is_instance_of::<PyException>(py) {
            self.interrupt = Some(error);
            return "the tool was interrupted".into();
        }
        let explain = self.functions.explain.bind(py);
        let value = error.value(py);
        // Before Python 3.12 the two are fetched apart; the log wants both.
        if let Some(traceback) = error.traceback(py) {
            let _ = value.setattr("__traceback__", traceback);
        }
        match explain
            .call1((value,))
            .and_then(|text| text.extract::<String>())
        {
            Ok(text) => text,
            Err(_) => error
                .get_type(py)
                .name()
                .map_or_else(|_| "the tool failed".into(), |name| name.to_string()),
        }
    }

    fn fail(&mut self, py: Python<'_>, call: &mut Call<'_>, error: PyErr) -> Answer {
        call.fail(&self.explain(py, error))
    }

    fn run(&mut self, py: Python<'_>, call: &mut Call<'_>) -> Answer {
        self.runs += 1;
        let functions = Arc::clone(&self.functions);
        let Some(code) = functions.tools.get(self.tool.unwrap_or(call.place())) else {
            return call.fail("there is no such tool");
        };
        let result = if code.asks {
            self.ask(py, code, call)
        } else {
            self.turn(py, code, call, None)
        };
        // Not yet: a question stands in the call, or a job goes on.
        let result = match result.transpose() {
            Some(result) => result,
            None => return Poll::<Answer>::Pending.into_answer(call),
        };
        match result.and_then(|value| answer(py, code, call, value)) {
            Ok(answer) => answer,
            Err(error) => self.fail(py, call, error),
        }
    }

    /// Runs a function, or goes on with its job; its result, once it has one.
    fn turn<'py>(
        &mut self,
        py: Python<'py>,
        code: &Code,
        call: &mut Call<'_>,
        answers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if code.polled {
            return self.step(py, code, call, answers);
        }
        begin(py, code, call, answers).map(Some)
    }

    /// Runs a function that asks; its result, once each question has an
    /// answer. The function begins anew for each answer: it asks before it
    /// does anything.
    fn ask<'py>(
        &mut self,
        py: Python<'py>,
        code: &Code,
        call: &mut Call<'_>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if call.is_cancelled() {
            return match code.polled {
                true => self.step(py, code, call, None),
                false => Ok(None),
            };
        }
        let answers = match self.answers.remove(&call.memo()) {
            Some(answers) => answers.into_bound(py),
            None => PyDict::new(py),
        };
        // Each turn adds an answer.
        while answers.len() <= ROUNDS {
            let question = match self.turn(py, code, call, Some(&answers)) {
                Err(error) if error.is_instance_of::<NeedInput>(py) => error,
                result => return result,
            };
            let (key, message, form, state) =
                question
                    .value(py)
                    .getattr("args")?
                    .extract::<(String, String, Py<Form>, Option<Py<PyAny>>)>()?;
            if let Some(state) = state {
                // What goes on once the answer has come.
                answers.set_item("", state)?;
            }
            let request = InputRequest::Elicit {
                message: &message,
                form: form.get().0,
            };
            let Some(answer) = call.ask(&key, request) else {
                if answers.is_empty() {
                    // The job that has asked is gone, and its number.
                    call.remember(0);
                    return Ok(None);
                }
                self.last_answers = self.last_answers.wrapping_add(1).max(1);
                self.answers.insert(self.last_answers, answers.unbind());
                if self.answers.len() > WAITING {
                    self.answers.pop_first();
                }
                call.remember(self.last_answers);
                return Ok(None);
            };
            let action = match answer.action() {
                Action::Accept => "accept",
                Action::Decline => "decline",
                Action::Cancel => "cancel",
            };
            answers.set_item(key, (action, to_python(py, answer.value())?))?;
        }
        Err(PyRuntimeError::new_err(format!(
            "the tool has asked more than {ROUNDS} questions"
        )))
    }

    /// A step of a job; its result once it has one.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        code: &Code,
        call: &mut Call<'_>,
        answers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if call.is_cancelled() {
            if let Some(job) = self.jobs.remove(&call.memo()) {
                job.bind(py).call_method0("cancel")?;
            }
            return Ok(None);
        }
        let memo = if call.step() == 0 {
            let job = begin(py, code, call, answers)?;
            // 0 means "no job", and a number in use is skipped.
            loop {
                self.last_job = self.last_job.wrapping_add(1);
                if self.last_job != 0 && !self.jobs.contains_key(&self.last_job) {
                    break;
                }
            }
            self.jobs.insert(self.last_job, job.unbind());
            call.remember(self.last_job);
            self.last_job
        } else {
            call.memo()
        };
        let Some(job) = self.jobs.get(&memo).map(|job| job.clone_ref(py)) else {
            return Err(PyTypeError::new_err("the job of this call is gone"));
        };
        match job.bind(py).call_method0("step") {
            // (done, value, progress, total, seconds until the next step)
            Ok(told) => {
                let told = told.cast_into::<PyTuple>()?;
                if told.get_item(0)?.extract()? {
                    self.jobs.remove(&memo);
                    return Ok(Some(told.get_item(1)?));
                }
                if let Some(done) = told.get_item(2)?.extract()? {
                    call.progress(done, told.get_item(3)?.extract()?);
                }
                call.wake_after(told.get_item(4)?.extract()?);
                Ok(None)
            }
            Err(error) => {
                self.jobs.remove(&memo);
                Err(error)
            }
        }
    }

    fn read(&mut self, py: Python<'_>, source: &Source, reading: &mut Reading<'_>) -> Read {
        let given = PyDict::new(py);
        for name in &source.params {
            let value = reading.get(name).unwrap_or_default();
            if let Err(error) = given.set_item(name, value) {
                return reading.fail(&self.explain(py, error));
            }
        }
        let result = source.read.bind(py).call((), Some(&given));
        let given = result.and_then(|value| {
            if value.is_none() {
                return Ok(reading.missing());
            }
            if let Ok(bytes) = value.cast::<PyBytes>() {
                return Ok(reading.bytes(Data::Copied(bytes.as_bytes())));
            }
            if let Ok(text) = value.cast::<PyString>() {
                return Ok(reading.text(&text.to_cow()?));
            }
            let problem = RefCell::default();
            let plain = Plain {
                value: &value,
                problem: &problem,
            };
            let read = reading.json(&plain);
            match problem.take() {
                problem if problem.is_empty() => Ok(read),
                problem => Ok(reading.fail(&problem)),
            }
        });
        match given {
            Ok(read) => read,
            Err(error) => reading.fail(&self.explain(py, error)),
        }
    }
}

/// The arguments by name. What was not given is left out: Python's own
/// default stands for it, and it is the one that is advertised.
fn arguments<'py>(py: Python<'py>, code: &Code, call: &Call<'_>) -> PyResult<Bound<'py, PyDict>> {
    let given = PyDict::new(py);
    if code.raw {
        for (name, value) in call.args().object().into_iter().flat_map(Value::members) {
            given.set_item(string(py, name), to_python(py, value)?)?;
        }
    }
    for (at, (name, reads)) in code.params.iter().enumerate() {
        if let Some(value) = call.args().value(at) {
            given.set_item(name, reads.read(py, value)?)?;
        }
    }
    Ok(given)
}

/// Calls the function of a tool, with the answers so far if it asks.
fn begin<'py>(
    py: Python<'py>,
    code: &Code,
    call: &Call<'_>,
    answers: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = arguments(py, code, call)?;
    match answers {
        Some(answers) => code.run.bind(py).call((answers,), Some(&given)),
        None => code.run.bind(py).call((), Some(&given)),
    }
}

/// Gives what a function returned.
fn answer(
    py: Python<'_>,
    code: &Code,
    call: &mut Call<'_>,
    value: Bound<'_, PyAny>,
) -> PyResult<Answer> {
    let value = match &code.dump {
        Some(dump) => dump.bind(py).call1((value,))?,
        None => value,
    };
    if !code.wrap {
        if value.is_none() {
            return Ok(call.text("done"));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(call.text(&text.to_cow()?));
        }
        if let Ok(parts) = value.cast::<PyTuple>() {
            let mut last = None;
            for part in parts.iter() {
                last = Some(part_of(call, &part)?);
            }
            return Ok(last.unwrap_or_else(|| call.text("done")));
        }
    }
    let problem = RefCell::default();
    let plain = Plain {
        value: &value,
        problem: &problem,
    };
    let answer = if code.wrap {
        call.structured(&Wrapped(plain))
    } else {
        call.structured(&plain)
    };
    match problem.take() {
        problem if problem.is_empty() => Ok(answer),
        problem => Ok(call.fail(&problem)),
    }
}

/// One content block: a tuple of its kind and its fields.
fn part_of(call: &mut Call<'_>, part: &Bound<'_, PyAny>) -> PyResult<Answer> {
    let part = part.cast::<PyTuple>()?;
    let kind: String = part.get_item(0)?.extract()?;
    let text = |at: usize| part.get_item(at)?.extract::<String>();
    let bytes = |at: usize| part.get_item(at)?.extract::<Vec<u8>>();
    Ok(match kind.as_str() {
        "text" => call.text(&text(1)?),
        "image" => call.image(Data::Copied(&bytes(1)?), &text(2)?),
        "audio" => call.audio(Data::Copied(&bytes(1)?), &text(2)?),
        "link" => call.link(&text(1)?, &text(2)?, &text(3)?),
        "resource_text" => call.resource_text(&text(1)?, &text(2)?, &text(3)?),
        "resource_blob" => call.resource_blob(&text(1)?, &text(2)?, Data::Copied(&bytes(3)?)),
        _ => return Err(PyTypeError::new_err(format!("no content block {kind:?}"))),
    })
}

/// Questions that one call asks at most, one after the other.
const ROUNDS: usize = 16;

/// Calls whose earlier answers are kept while the next one is waited for: as
/// many as the core gives out states.
const WAITING: usize = agentmote::limits::SEALED as usize;

pyo3::create_exception!(
    _native,
    NeedInput,
    PyBaseException,
    "A question that has no answer yet: its key, its message, its form, and what\n\
     is handed to the function with the answer, or None."
);

/// What a question asks for.
#[pyclass(frozen, module = "agentmote._native")]
pub(crate) struct Form(agentmote::tool::Form);

#[pymethods]
impl Form {
    /// A form of these plain fields; it is kept for good.
    #[new]
    fn new(fields: &Bound<'_, PyAny>) -> PyResult<Self> {
        Maker::new().form(fields).map(Self)
    }
}

/// The one handler behind every tool of a device in Python.
pub(crate) fn run(app: &mut PyApp, call: &mut Call<'_>) -> Answer {
    Python::attach(|py| app.run(py, call))
}

/// The readers of resources: the core tells a reader no place, so each place
/// has a reader of its own.
pub(crate) const fn resource_reader(at: usize) -> Option<Reader<PyApp>> {
    if at < PLACES {
        Some(RESOURCES[at])
    } else {
        None
    }
}

/// See [`resource_reader`].
pub(crate) const fn template_reader(at: usize) -> Option<Reader<PyApp>> {
    if at < PLACES {
        Some(TEMPLATES[at])
    } else {
        None
    }
}

/// Resources of one device, and templates.
pub(crate) const PLACES: usize = 64;

fn read_at<const AT: usize>(app: &mut PyApp, reading: &mut Reading<'_>) -> Read {
    read_of(app, reading, |functions| functions.resources.get(AT))
}

fn read_template_at<const AT: usize>(app: &mut PyApp, reading: &mut Reading<'_>) -> Read {
    read_of(app, reading, |functions| functions.templates.get(AT))
}

fn read_of(
    app: &mut PyApp,
    reading: &mut Reading<'_>,
    find: impl FnOnce(&Functions) -> Option<&Source>,
) -> Read {
    let functions = Arc::clone(&app.functions);
    match find(&functions) {
        Some(source) => Python::attach(|py| app.read(py, source, reading)),
        None => reading.missing(),
    }
}

/// What tells whether resources have changed, as [`resource_reader`].
pub(crate) const fn resource_watch(at: usize) -> Option<Watch<PyApp>> {
    if at < PLACES { Some(WATCHES[at]) } else { None }
}

fn watch_at<const AT: usize>(app: &PyApp, _: Instant) -> u32 {
    let Some(source) = app.functions.resources.get(AT) else {
        return 0;
    };
    let told = source.version.load(Ordering::SeqCst);
    let Some(watch) = &source.watch else {
        return told;
    };
    let number = Python::attach(|py| {
        let number = watch.bind(py).call0().and_then(|number| number.extract());
        // The log hears of it; a subscriber hears nothing.
        number
            .inspect_err(|error| drop(app.functions.explain.bind(py).call1((error.value(py),))))
            .unwrap_or(0)
    });
    told.wrapping_add(number)
}

macro_rules! eight {
    ($reader:ident: $($at:literal)*) => {
        [$(
            $reader::<{ $at }>, $reader::<{ $at + 1 }>, $reader::<{ $at + 2 }>,
            $reader::<{ $at + 3 }>, $reader::<{ $at + 4 }>, $reader::<{ $at + 5 }>,
            $reader::<{ $at + 6 }>, $reader::<{ $at + 7 }>,
        )*]
    };
}

const RESOURCES: [Reader<PyApp>; PLACES] = eight!(read_at: 0 8 16 24 32 40 48 56);
const WATCHES: [Watch<PyApp>; PLACES] = eight!(watch_at: 0 8 16 24 32 40 48 56);
const TEMPLATES: [Reader<PyApp>; PLACES] = eight!(read_template_at: 0 8 16 24 32 40 48 56);
