//! Who may call a device that is defined in Python: the core's policy, with
//! functions of Python as its guard.

use std::collections::HashMap;

use agentmote::policy::{
    Authority, Event, Grant, Guard, Outcome, Policy, Presented, Request, Rules, Subject, TryLimit,
};
use agentmote::time::Instant;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::app::PyApp;
use crate::arena::Arena;
use crate::describe::{Maker, given_as};
use crate::device::member;

/// The functions of a policy.
#[derive(Default)]
pub(crate) struct Hooks {
    verify: Option<Py<PyAny>>,
    allows: Option<Py<PyAny>>,
    audit: Option<Py<PyAny>>,
}

impl Hooks {
    pub(crate) fn new(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Self {
            verify: member(given, "verify")?,
            allows: member(given, "allows")?,
            audit: member(given, "audit")?,
        })
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let all = [&self.verify, &self.allows, &self.audit];
        all.into_iter()
            .flatten()
            .try_for_each(|hook| visit.call(hook))
    }
}

/// The policy of these rules, whose table is empty.
pub(crate) fn policy(given: &Bound<'_, PyDict>, maker: &mut Maker) -> PyResult<Policy<PyApp>> {
    let limit: Option<(u16, u32, bool)> = given_as(given, "tries")?;
    let rules = Rules {
        realm: maker.member(given, "realm")?,
        scopes: maker.texts(given, "scopes")?,
        mcp: given_as(given, "mcp")?,
        agent: given_as(given, "agent")?,
        protected: None,
        limit: limit.map(|(tries, per_ms, closes)| TryLimit {
            tries,
            per_ms,
            closes,
        }),
    };
    Ok(Policy::new::<PyGuard>(rules))
}

/// Names that the core keeps, each once.
#[derive(Default)]
pub(crate) struct Names {
    known: HashMap<String, &'static str>,
    arena: Arena,
}

/// Names that a guard may have given before it is told to use fewer.
const NAMES: usize = 4096;

impl Names {
    /// A name, as long as these are there.
    pub(crate) fn keep(&mut self, name: &str) -> &'static str {
        if let Some(known) = self.known.get(name) {
            return known;
        }
        // SAFETY: who has these names drops what reads them before.
        let kept = unsafe { self.arena.text(name) };
        self.known.insert(name.to_owned(), kept);
        kept
    }
}

struct PyGuard;

impl Guard<PyApp> for PyGuard {
    fn verify(app: &mut PyApp, presented: Presented<'_>, _: Instant) -> Option<Grant> {
        let functions = std::sync::Arc::clone(&app.functions);
        let verify = functions.hooks.verify.as_ref()?;
        let secret = presented.secret()?;
        Python::attach(|py| {
            let found = verify.bind(py).call1((PyBytes::new(py, secret),));
            let found = found.and_then(|found| found.extract::<Option<(String, u32, u32, u32)>>());
            match found {
                Ok(found) => found,
                Err(error) => {
                    // The log hears of it; nobody is let in.
                    let _ = app.explain(py, error);
                    None
                }
            }
        })
        .map(|(name, id, tenant, scopes)| {
            let name = match app.names.known.len() < NAMES {
                true => app.names.keep(&name),
                false => "a guard of too many names",
            };
            Grant::verified(name, id, tenant, scopes)
        })
    }

    fn allows(app: &PyApp, who: &Grant, request: &Request) -> bool {
        let hooks = &app.functions.hooks;
        let Some(allows) = &hooks.allows else {
            return true;
        };
        Python::attach(|py| {
            let asked = asked(py, who.id, who.tenant, who.by, request)
                .and_then(|asked| allows.bind(py).call1((asked,)))
                .and_then(|yes| yes.is_truthy());
            asked.unwrap_or_else(|error| {
                // Who cannot be asked says no.
                let _ = app.functions.explain.bind(py).call1((error.value(py),));
                false
            })
        })
    }

    fn record(app: &mut PyApp, event: &Event) {
        let functions = std::sync::Arc::clone(&app.functions);
        let Some(audit) = &functions.hooks.audit else {
            return;
        };
        Python::attach(|py| {
            let (outcome, why) = match event.outcome {
                Outcome::Refused(why) => ("refused".to_owned(), snake(&why)),
                other => (snake(&other), String::new()),
            };
            let told = asked(py, event.id, event.tenant, event.by, &event.request)
                .and_then(|asked| audit.bind(py).call1((event.at_ms, asked, outcome, why)));
            if let Err(error) = told {
                let _ = app.explain(py, error);
            }
        });
    }
}

/// Who asks for what: caller, tenant, authority and its name, endpoint,
/// operation, subject and its name.
fn asked<'py>(
    py: Python<'py>,
    id: u32,
    tenant: u32,
    by: Authority,
    request: &Request,
) -> PyResult<Bound<'py, PyTuple>> {
    let (by, name) = match by {
        Authority::None => ("", ""),
        Authority::Place => ("place", ""),
        Authority::Device => ("device", ""),
        Authority::Credential(name) => ("credential", name),
        Authority::Guard(name) => ("guard", name),
    };
    let (kind, subject) = match request.subject {
        Subject::Tool(name) => ("tool", name.to_owned()),
        Subject::Skill(id) => ("skill", id.to_owned()),
        Subject::Task(id) => ("task", format!("{:032x}", u128::from_be_bytes(id))),
        _ => ("", String::new()),
    };
    let endpoint = snake(&request.endpoint);
    let operation = snake(&request.operation);
    (id, tenant, by, name, endpoint, operation, kind, subject).into_pyobject(py)
}

/// The name of a variant in small letters.
fn snake(variant: &impl std::fmt::Debug) -> String {
    let mut found = String::new();
    for c in format!("{variant:?}").chars() {
        if c.is_ascii_uppercase() && !found.is_empty() {
            found.push('_');
        }
        found.push(c.to_ascii_lowercase());
    }
    found
}
