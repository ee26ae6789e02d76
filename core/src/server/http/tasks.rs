//! The tasks extension of MCP on an HTTP connection.

use super::agent::Said;
use super::{Http, State, What, presented};
use crate::server::tasks::{Ask, Came, serve};
use crate::server::{AgentDesk, Server};
#[cfg(feature = "policy")]
use crate::task::Principal;
use crate::task::Runtime;
use crate::time::Instant;

impl Http<'_> {
    /// The same connection, which serves the tasks extension of MCP: a call
    /// of a tool that supports it becomes a task for a client that takes one,
    /// in the table of the desk that [`poll_agent`](Self::poll_agent) is given
    /// (M-160). The task belongs to whom the desk's `callers` tells, and is a
    /// task of A2A too.
    #[must_use]
    pub fn with_tasks(mut self) -> Self {
        self.agent.tasks = true;
        self
    }

    /// Leaves a request to [`poll_agent`](Self::poll_agent), which has the
    /// tasks.
    pub(super) fn ask_desk(&mut self, ask: Ask) {
        self.agent.ask = Some(ask);
        self.state = State::Working;
    }

    /// Does what a request wants of the tasks; whether that changed anything.
    pub(super) fn serve_ask<App: Runtime>(
        &mut self,
        server: &mut Server<App>,
        desk: &mut AgentDesk<'_, App>,
        now: Instant,
        ask: Ask,
    ) -> bool {
        let bytes = self.rx.get(..self.head_len).unwrap_or(&[]);
        #[cfg(feature = "policy")]
        let granted = match (&server.policy, self.grant) {
            (Some(_), Some(grant)) => Some(Principal {
                id: grant.id,
                tenant: grant.tenant,
                scopes: grant.scopes,
            }),
            _ => None,
        };
        #[cfg(not(feature = "policy"))]
        let granted = None;
        let owner = granted.or_else(|| {
            let presented = presented(self.head.as_ref()?, bytes);
            (desk.callers)(presented).map(|caller| caller.principal)
        });
        let Some(owner) = owner else {
            self.send(What::Agent(Said::Unknown));
            return true;
        };
        let came = serve(
            server,
            &mut desk.tasks,
            desk.agent.skills(),
            now,
            owner,
            self.asker(),
            ask,
            self.rx,
            self.result,
            &mut self.outcome,
        );
        match came {
            Came::Task(reply) => self.send(What::Agent(Said::Task(reply))),
            Came::Reply(reply) => self.answer(reply),
            Came::Wait(ask) => {
                self.agent.ask = Some(ask);
                return false;
            }
        }
        true
    }
}
