//! Devices and connections as Python sees them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentmote::policy::{Credential, Credentials};
use agentmote::server::Server;
use agentmote::task::Runtime as _;
use agentmote::tool::{Asks, Input, Type};
use bench_arm::Arm;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList, PyMemoryView, PyString};

use crate::app::{self, Code, Functions, PyApp, Reads, Source};
use crate::clock::Clock;
use crate::describe::Maker;
use crate::policy::{self, Hooks, Names};
use crate::serve::Listener;
use crate::skill::{self, Ability};
use crate::token::Tokens;
use crate::wire::{AGENT_PATH, Desk, Lists, Running, Served, Wire, lock};

/// How long a wait may last until the keyboard is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Bytes that a connection writes at a time.
const CHUNK: usize = 8 * 1024;

/// Bytes of whatever can be read as some; `str` cannot.
pub(crate) fn bytes_of(data: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    if let Ok(bytes) = data.extract::<PyBackedBytes>() {
        return Ok(bytes);
    }
    let view = PyMemoryView::from(data)?;
    Ok(view.call_method0("tobytes")?.extract::<PyBackedBytes>()?)
}

/// The native half of a device.
#[pyclass(frozen, module = "agentmote._native")]
pub(crate) struct Device {
    pub(crate) running: Arc<Running>,
    /// The peer of `handle`: lines, and HTTP.
    lines: Mutex<Option<Wire>>,
    http: Mutex<Option<Wire>>,
    functions: Option<Arc<Functions>>,
}

impl Device {
    fn new(running: Running, functions: Option<Arc<Functions>>) -> Self {
        Self {
            functions,
            running: Arc::new(running),
            lines: Mutex::new(None),
            http: Mutex::new(None),
        }
    }
}

/// The key of a device: random, but for a simulation, in which each run is to
/// be the same.
fn key(clock: &Clock) -> PyResult<[u8; 32]> {
    let mut key = [0; 32];
    if !clock.is_virtual() {
        getrandom::fill(&mut key).map_err(|error| PyOSError::new_err(error.to_string()))?;
    }
    Ok(key)
}

fn inside() -> PyErr {
    PyRuntimeError::new_err("a handler cannot call the device that is calling it")
}

/// The number of the agent at a URL, if the device has one. The caller must
/// not be attached to Python.
pub(crate) fn agent(
    running: &Running,
    url: Option<&str>,
    secured: bool,
) -> PyResult<Option<usize>> {
    let here = format!("http://127.0.0.1{AGENT_PATH}/");
    let found = running.with(|backend| backend.agent(url.unwrap_or(&here), secured));
    found.ok_or_else(inside)?
}

/// What a drive of a connection came to.
enum End {
    Done,
    /// The device would have taken longer.
    Late,
}

/// Offers `bytes` and works until nothing is left to do; the answers go to
/// `out`. The caller must not be attached to Python.
fn drive(
    running: &Arc<Running>,
    wire: &mut Wire,
    bytes: &[u8],
    seconds: f64,
    out: &mut Vec<u8>,
) -> PyResult<End> {
    let millis = (seconds * 1000.0).ceil().clamp(0.0, u32::MAX.into()) as u32;
    let end = running.now().after(millis);
    let mut rest = bytes;
    let mut chunk = [0; CHUNK];
    loop {
        let taken = wire.receive(rest);
        rest = rest.get(taken..).unwrap_or_default();
        let (filled, interrupt) = running
            .with(|backend| {
                let filled = backend.poll(wire, running.now(), &mut chunk);
                (filled, backend.interrupt())
            })
            .ok_or_else(inside)?;
        out.extend_from_slice(&chunk[..filled]);
        if let Some(error) = interrupt {
            return Err(error);
        }
        if taken > 0 || filled > 0 {
            continue;
        }
        running.tend();
        if !wire.is_working() {
            return Ok(End::Done);
        }
        let Some(wake) = running.wake_or_due(wire) else {
            return Ok(End::Done);
        };
        let now = running.now();
        if now >= end {
            return Ok(End::Late);
        }
        let wake = wake.min(end);
        if !running.clock.get().jump(wake) {
            std::thread::sleep(Duration::from_millis(wake.since(now)).min(LOOK));
        }
        Python::attach(|py| py.check_signals())?;
    }
}

impl Device {
    /// Does something with the credentials of the policy.
    fn credentials<T>(&self, work: impl FnOnce(&mut Credentials, &mut Names) -> T) -> PyResult<T> {
        self.running
            .with(|backend| backend.credentials().map(|(all, names)| work(all, names)))
            .ok_or_else(inside)?
            .ok_or_else(|| PyRuntimeError::new_err("the device has no policy"))
    }
}

#[pymethods]
impl Device {
    /// A device of these plain descriptors and functions: `tables` are its
    /// tools, resources, templates and skills.
    #[new]
    #[pyo3(signature = (identity, tables, policy, explain, clock))]
    fn py_new(
        identity: &Bound<'_, PyDict>,
        tables: [Bound<'_, PyList>; 4],
        policy: Option<&Bound<'_, PyDict>>,
        explain: Py<PyAny>,
        clock: Py<Clock>,
    ) -> PyResult<Self> {
        let [tools, resources, templates, skills] = &tables;
        let mut maker = Maker::new();
        let mut entries = Vec::new();
        let mut codes = Vec::new();
        for given in tools.iter() {
            let given = given.cast::<PyDict>()?;
            let entry = maker.tool::<PyApp>(given, app::run)?;
            codes.push(code(given, &entry.tool)?);
            entries.push(entry);
        }
        let mut sources = |list: &Bound<'_, PyList>,
                           reader: fn(usize) -> Option<_>,
                           watch: fn(usize) -> Option<_>| {
            let mut entries = Vec::new();
            let mut sources = Vec::new();
            for (at, given) in list.iter().enumerate() {
                let given = given.cast::<PyDict>()?;
                let reader = reader(at).ok_or_else(|| {
                    let most = app::PLACES;
                    PyValueError::new_err(format!("more than {most} resources of one kind"))
                })?;
                entries.push(maker.resource(given, reader, watch(at))?);
                sources.push(Source {
                    read: member(given, "read")?,
                    uri: member(given, "uri")?,
                    version: AtomicU32::new(0),
                    watch: member(given, "watch")?,
                    params: member(given, "params")?,
                });
            }
            Ok::<_, PyErr>((entries, sources))
        };
        let (plain, resource_sources) =
            sources(resources, app::resource_reader, app::resource_watch)?;
        let (families, template_sources) = sources(templates, app::template_reader, |_| None)?;
        let mut abilities = Vec::new();
        let mut table = Vec::new();
        for given in skills.iter() {
            let given = given.cast::<PyDict>()?;
            abilities.push(match member::<Option<usize>>(given, "tool")? {
                Some(at) => Ability::Tool(at),
                None => Ability::Function(member(given, "run")?),
            });
            table.push(maker.skill(given, skill::run)?);
        }
        let device = maker.device(identity, entries, plain, families)?;
        let desk = if table.is_empty() {
            None
        } else {
            let table = maker.skills(table);
            let about = ["name", "description", "version"].map(|name| member(identity, name));
            let [name, description, version] = about;
            let about = [name?, description?, version?];
            Some(Desk::new(about, table, clock.get())?)
        };
        let hooks = policy.map_or(Ok(Hooks::default()), Hooks::new)?;
        let policy = policy
            .map(|given| policy::policy(given, &mut maker))
            .transpose()?;
        let functions = Arc::new(Functions {
            tools: codes,
            resources: resource_sources,
            templates: template_sources,
            skills: abilities,
            hooks,
            explain,
        });
        let app = PyApp::new(Arc::clone(&functions), device.tools().entries());
        let server = Server::new(device, app).with_key(key(clock.get())?);
        let served = Served::new(server, desk, policy, Some(maker.finish()));
        let running = Running::new(Box::new(served), clock);
        Ok(Self::new(running, Some(functions)))
    }

    /// Offers one request, or several, and gives the complete answer.
    #[pyo3(signature = (data, *, http = false, timeout = 3600.0))]
    fn handle<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        http: bool,
        timeout: f64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let data = bytes_of(data)?;
        let out = py.detach(|| {
            let running = &self.running;
            // The peer of `handle` needs no token.
            Tokens::enter(None);
            let mut out = Vec::new();
            let place = if http { &self.http } else { &self.lines };
            let mut place = match place.try_lock() {
                Ok(place) => place,
                // A handler that calls its own device would wait for itself.
                Err(_) => {
                    running.with(|_| ()).ok_or_else(inside)?;
                    lock(place)
                }
            };
            let wire = match &mut *place {
                Some(wire) => wire,
                None => place.insert(match http {
                    true => {
                        let lists = Arc::new(Lists::new(None, None, false));
                        Wire::http(&lists, agent(running, None, false)?)
                    }
                    false => Wire::lines(),
                }),
            };
            let mut result = drive(running, wire, &data, timeout, &mut out);
            if !http && result.is_ok() && !data.ends_with(b"\n") {
                result = drive(running, wire, b"\n", timeout, &mut out);
            }
            let whole = wire.is_idle();
            if !matches!(result, Ok(End::Done)) || !whole {
                running.with(|backend| backend.reset(wire, running.now()));
            }
            wire.open();
            match result? {
                End::Late => Err(PyTimeoutError::new_err(format!(
                    "no answer within {timeout} s; the calls were given up"
                ))),
                End::Done if !whole => Err(PyValueError::new_err(
                    "the HTTP request is not complete, or its answer has no end",
                )),
                End::Done => Ok(out),
            }
        })?;
        Ok(PyBytes::new(py, &out))
    }

    /// A connection of a peer of its own: ``"lines"`` or ``"http"``.
    #[pyo3(signature = (framing, *, hosts = None, origins = None, tokens = None, url = None))]
    fn connection(
        slf: Bound<'_, Self>,
        framing: &str,
        hosts: Option<Vec<String>>,
        origins: Option<Vec<String>>,
        tokens: Option<Vec<(String, u32)>>,
        url: Option<&str>,
    ) -> PyResult<Connection> {
        let tokens = tokens.map(Tokens::new).transpose()?.map(Arc::new);
        let wire = match framing {
            "lines" => Wire::lines(),
            "http" => {
                let running = &slf.get().running;
                let secured = tokens.is_some();
                let agent = slf.py().detach(|| agent(running, url, secured))?;
                Wire::http(&Arc::new(Lists::new(hosts, origins, secured)), agent)
            }
            _ => {
                return Err(PyValueError::new_err(format!(
                    "framing {framing:?}: \"lines\" or \"http\" is allowed"
                )));
            }
        };
        Ok(Connection {
            running: Arc::clone(&slf.get().running),
            device: slf.unbind(),
            tokens,
            wire: Mutex::new(wire),
        })
    }

    /// Listens for HTTP on a TCP address, until the listener is closed.
    #[pyo3(signature = (address, *, hosts = None, origins = None, tokens = None, url = None))]
    fn listen(
        slf: Bound<'_, Self>,
        py: Python<'_>,
        address: &str,
        hosts: Option<Vec<String>>,
        origins: Option<Vec<String>>,
        tokens: Option<Vec<(String, u32)>>,
        url: Option<String>,
    ) -> PyResult<Listener> {
        let tokens = tokens.map(Tokens::new).transpose()?.map(Arc::new);
        let lists = Lists::new(hosts, origins, tokens.is_some());
        let running = Arc::clone(&slf.get().running);
        let device = slf.unbind();
        py.detach(|| Listener::open(device, running, address, lists, tokens, url))
    }

    /// A handler may hold its own device: such a ring is found and freed.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(functions) = &self.functions else {
            return Ok(());
        };
        for code in &functions.tools {
            visit.call(&code.run)?;
            if let Some(dump) = &code.dump {
                visit.call(dump)?;
            }
        }
        for source in functions.resources.iter().chain(&functions.templates) {
            visit.call(&source.read)?;
            if let Some(watch) = &source.watch {
                visit.call(watch)?;
            }
        }
        for ability in &functions.skills {
            if let Ability::Function(begin) = ability {
                visit.call(begin)?;
            }
        }
        functions.hooks.traverse(&visit)?;
        visit.call(&functions.explain)
    }

    /// Tells that a resource has changed; whether there is one of that URI.
    fn changed(&self, uri: &str) -> bool {
        let sources = self.functions.iter().flat_map(|all| &all.resources);
        let found = sources.into_iter().find(|source| source.uri == uri);
        if let Some(source) = found {
            source.version.fetch_add(1, Ordering::SeqCst);
        }
        found.is_some()
    }

    /// Adds a credential to the policy, by the SHA-256 of its secret; `caller`
    /// are his number and the number and name of his tenant.
    #[pyo3(signature = (name, digest, caller, scopes, expires))]
    fn add_credential(
        &self,
        py: Python<'_>,
        name: &str,
        digest: [u8; 32],
        caller: (u32, u32, String),
        scopes: u32,
        expires: Option<f64>,
    ) -> PyResult<()> {
        let (id, tenant, tenant_name) = caller;
        let now = self.running.now();
        let millis = expires.map(|seconds| (seconds.max(0.0) * 1000.0).ceil());
        let expires = millis.map(|millis| now.after(millis.min(f64::from(u32::MAX)) as u32));
        py.detach(|| {
            self.credentials(|all, names| {
                all.add(Credential {
                    tenant,
                    tenant_name: names.keep(&tenant_name),
                    scopes,
                    expires,
                    ..Credential::new(names.keep(name), digest, id)
                })
                .map_err(|error| PyValueError::new_err(format!("{name}: {}", error.text())))
            })
        })?
    }

    /// Takes a credential back; whether there was one of that name.
    fn revoke_credential(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        py.detach(|| self.credentials(|all, _| all.revoke(name)))
    }

    /// Gives a credential another secret; whether there is one of that name,
    /// and nobody else has that secret.
    fn rotate_credential(&self, py: Python<'_>, name: &str, digest: [u8; 32]) -> PyResult<bool> {
        py.detach(|| self.credentials(|all, _| all.rotate(name, digest)))
    }

    /// Lets tasks go on by themselves from now on, also on a virtual clock:
    /// the device is served to other programs.
    fn go_on(&self) {
        self.running.go_on();
    }

    /// How often a handler was called; of the bench arm, how many commands its
    /// drives have had.
    #[getter]
    fn runs(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.running.with(|backend| backend.runs()))
            .ok_or_else(inside)
    }

    /// The clock of the device.
    #[getter]
    fn clock(&self, py: Python<'_>) -> Py<Clock> {
        self.running.clock.clone_ref(py)
    }
}

/// A member of a descriptor.
pub(crate) fn member<T>(given: &Bound<'_, PyDict>, name: &str) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let value = given
        .get_item(name)?
        .ok_or_else(|| PyValueError::new_err(format!("a descriptor has no {name:?}")))?;
    value.extract().map_err(Into::into)
}

fn code(given: &Bound<'_, PyDict>, tool: &agentmote::tool::Tool) -> PyResult<Code> {
    let py = given.py();
    let params = tool.params().iter().map(|param| {
        let reads = match param.ty {
            Type::Integer { .. } => Reads::Whole,
            Type::Number { .. } => Reads::Float,
            _ => Reads::Any,
        };
        (PyString::intern(py, param.name).unbind(), reads)
    });
    Ok(Code {
        params: params.collect(),
        run: member(given, "run")?,
        dump: member(given, "dump")?,
        wrap: member(given, "wrap")?,
        polled: tool.polled,
        raw: matches!(tool.input, Input::Schema(_)),
        asks: tool.asks != Asks::Never,
    })
}

/// A connection without a transport: bytes in, bytes out.
///
/// Offer what arrived to ``receive``, send what ``poll`` gives, and again,
/// until one after the other does nothing.
#[pyclass(frozen, module = "agentmote._native")]
pub(crate) struct Connection {
    /// Keeps the functions alive for the garbage collector, too.
    device: Py<Device>,
    tokens: Option<Arc<Tokens>>,
    running: Arc<Running>,
    wire: Mutex<Wire>,
}

#[pymethods]
impl Connection {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.device)
    }

    /// Takes bytes that arrived, at most up to the end of a request; gives how
    /// many. Offer the rest again after ``poll``.
    fn receive(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        let data = bytes_of(data)?;
        Ok(py.detach(|| {
            Tokens::enter(self.tokens.as_ref());
            lock(&self.wire).receive(&data)
        }))
    }

    /// Works, and gives bytes to send; none if there is nothing to send now.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let out = py.detach(|| {
            let mut chunk = [0; CHUNK];
            Tokens::enter(self.tokens.as_ref());
            let mut wire = lock(&self.wire);
            let now = self.running.now();
            let (filled, interrupt) = self
                .running
                .with(|backend| {
                    let filled = backend.poll(&mut wire, now, &mut chunk);
                    (filled, backend.interrupt())
                })
                .ok_or_else(inside)?;
            self.running.tend();
            match interrupt {
                Some(error) => Err(error),
                None => Ok(chunk[..filled].to_vec()),
            }
        })?;
        Ok(PyBytes::new(py, &out))
    }

    /// Seconds of the device's clock until ``poll`` is due although nothing
    /// arrives; None if only arriving bytes give it work.
    fn wait(&self, py: Python<'_>) -> Option<f64> {
        py.detach(|| {
            let wake = self.running.wake_or_due(&lock(&self.wire))?;
            Some(wake.since(self.running.now()) as f64 / 1000.0)
        })
    }

    /// Tells that the peer has gone: calls on their way are given up, or, over
    /// HTTP of an older era, run to their end.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let mut wire = lock(&self.wire);
            let now = self.running.now();
            self.running
                .with(|backend| backend.reset(&mut wire, now))
                .ok_or_else(inside)
        })
    }

    /// Whether the peer should be hung up on.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        py.detach(|| lock(&self.wire).is_closed())
    }

    /// Whether no HTTP request is on its way.
    #[getter]
    fn idle(&self, py: Python<'_>) -> bool {
        py.detach(|| lock(&self.wire).is_idle())
    }
}

/// The bench arm of the firmware examples, the very same code, simulated.
#[pyclass(frozen, module = "agentmote._native")]
pub(crate) struct BenchArm {
    device: Py<Device>,
}

impl BenchArm {
    fn arm<T: Send>(&self, py: Python<'_>, look: impl FnOnce(&mut Arm) -> T + Send) -> PyResult<T> {
        let running = Arc::clone(&self.device.get().running);
        py.detach(|| {
            let seen = running.with(|backend| backend.arm().map(look));
            seen.flatten().ok_or_else(inside)
        })
    }
}

#[pymethods]
impl BenchArm {
    #[new]
    fn new(py: Python<'_>, clock: Py<Clock>) -> PyResult<Self> {
        let card = bench_arm::card("");
        let about = [card.name, card.description, card.version].map(str::to_owned);
        let desk = Desk::new(about, Arm::SKILLS, clock.get())?;
        let server = Server::new(&bench_arm::DEVICE, Arm::new()).with_key(key(clock.get())?);
        let served = Served::new(server, Some(desk), None, None);
        let device = Device::new(Running::new(Box::new(served), clock), None);
        Ok(Self {
            device: Py::new(py, device)?,
        })
    }

    /// The device that serves it.
    #[getter]
    fn device(&self, py: Python<'_>) -> Py<Device> {
        self.device.clone_ref(py)
    }

    /// Degrees of a joint now.
    fn angle(&self, py: Python<'_>, joint: usize) -> PyResult<f64> {
        if joint >= bench_arm::JOINTS {
            let last = bench_arm::JOINTS - 1;
            return Err(PyValueError::new_err(format!(
                "joint {joint}: 0 to {last} are there"
            )));
        }
        let now = self.device.get().running.now();
        let milli = self.arm(py, |arm| arm.angle(joint, now))?;
        Ok(f64::from(milli) / 1000.0)
    }

    /// How many commands the drives have had.
    #[getter]
    fn commands(&self, py: Python<'_>) -> PyResult<u32> {
        self.arm(py, |arm| arm.commands())
    }

    /// The note on the display.
    #[getter]
    fn note(&self, py: Python<'_>) -> PyResult<String> {
        self.arm(py, |arm| arm.note().to_owned())
    }

    /// What the sensor says, in degrees Celsius; nan is a sensor that failed.
    #[getter]
    fn celsius(&self, py: Python<'_>) -> PyResult<f32> {
        self.arm(py, |arm| arm.celsius)
    }

    #[setter]
    fn set_celsius(&self, py: Python<'_>, celsius: f32) -> PyResult<()> {
        self.arm(py, |arm| arm.celsius = celsius)
    }

    /// Starts the firmware anew: the arm stands at home, and every connection
    /// is to be reset. Its tasks are forgotten.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.arm(py, |arm| *arm = Arm::new())?;
        let running = Arc::clone(&self.device.get().running);
        py.detach(|| running.with(|backend| backend.forget(running.clock.get())))
            .ok_or_else(inside)
    }
}
