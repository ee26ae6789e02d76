//! What is sent, as a small value that writes the same bytes each time.

use super::card::Agent;
use super::code::Fault;
use super::era::Wire;
use super::list::Query;
use super::project::{Projection, View};
use crate::buf::{Sink, Span};
use crate::json::Text;
use crate::task::{Runtime, Task, Tasks};

/// An answer, or one event of a stream: one JSON-RPC response.
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    /// The id, as it was written; empty for `null`.
    pub(super) id: Span,
    pub(super) wire: Wire,
    pub(super) body: Body,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    /// A task as it stood at `until`.
    Task {
        task: Task,
        view: View,
        /// Whether 1.x wraps it, as the answer to a message.
        wrapped: bool,
        until: u64,
    },
    /// The word that a log holds instead of a task.
    Word {
        task: Task,
        number: u64,
    },
    /// The entry of this number of a task's log.
    Event {
        task: Task,
        number: u64,
    },
    /// A page of tasks; the context that is asked for, raw, and how many
    /// tasks were dropped when it was.
    List {
        query: Query,
        context: Span,
        dropped: u32,
    },
    /// The card of a caller with these scopes.
    Card {
        scopes: u32,
    },
    Fault(Fault),
}

impl Reply {
    /// Why the request was refused, if this says so.
    #[cfg(feature = "policy")]
    pub(crate) fn refused(&self) -> Option<crate::policy::Why> {
        match self.body {
            Body::Fault(fault) => Some(fault.audit()),
            _ => None,
        }
    }

    /// Writes the whole response. `buf` is the buffer that the request stands
    /// in.
    ///
    /// Whether it is the same as at first: a task that it speaks of may have
    /// been dropped while it was sent, a long time after its end. Then the
    /// connection must be closed without the rest.
    #[must_use]
    pub fn write<R: Runtime>(
        &self,
        out: &mut Sink<'_>,
        agent: &Agent<R>,
        tasks: &Tasks<'_>,
        buf: &[u8],
    ) -> bool {
        out.text("{\"jsonrpc\":\"2.0\",\"id\":");
        match self.id.get(buf) {
            [] => out.text("null"),
            id => out.put(id),
        }
        if let Body::Fault(fault) = self.body {
            out.text(",\"error\":");
            fault.write(out, self.wire);
            out.byte(b'}');
            return true;
        }
        out.text(",\"result\":");
        let fine = self.write_result(out, agent, tasks, buf);
        out.byte(b'}');
        fine
    }

    /// A task as it stood when `until` was written; none if it was dropped.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    fn project<'l>(&self, tasks: &'l Tasks<'_>, task: Task, until: u64) -> Option<Projection<'l>> {
        Some(Projection {
            wire: self.wire,
            id: tasks.id(task)?,
            log: tasks.log(task)?,
            until,
        })
    }

    fn write_result<R: Runtime>(
        &self,
        out: &mut Sink<'_>,
        agent: &Agent<R>,
        tasks: &Tasks<'_>,
        buf: &[u8],
    ) -> bool {
        let project = |task, until| self.project(tasks, task, until);
        match self.body {
            Body::Task {
                task,
                view,
                wrapped,
                until,
            } => {
                let Some(one) = project(task, until) else {
                    return false;
                };
                let wrapped = wrapped && self.wire == Wire::V1;
                if wrapped {
                    out.text("{\"task\":");
                }
                one.task(out, view);
                if wrapped {
                    out.byte(b'}');
                }
                true
            }
            Body::Word { task, number } => {
                let Some(one) = project(task, number) else {
                    return false;
                };
                one.word(out);
                true
            }
            Body::Event { task, number } => {
                let Some(one) = project(task, number) else {
                    return false;
                };
                one.event(out, number);
                true
            }
            Body::List {
                query,
                context,
                dropped,
            } => {
                let context = (!context.is_empty()).then(|| Text::checked(context.get(buf)));
                query.write(out, tasks, context);
                dropped == tasks.dropped()
            }
            Body::Card { scopes } => {
                agent.write(out, self.wire, Some(scopes));
                true
            }
            Body::Fault(_) => true,
        }
    }
}
