//! What a connection of this machine is served by: MCP alone, or an agent
//! beside it.

use agentmote::server::{AgentDesk, Http, HttpConfig, HttpMemory, Server};
use agentmote::task::{Responder, Runtime};
use agentmote::time::Instant;

/// What drives a connection of the core.
pub trait Serve: Send + 'static {
    /// Whether [`work`](Self::work) has something to do.
    const HAS_TASKS: bool;

    /// A new connection.
    fn connection<'m, const RX: usize, const RESULT: usize>(
        &self,
        memory: &'m mut HttpMemory<RX, RESULT>,
        config: HttpConfig,
    ) -> Http<'m>;

    /// As [`Http::poll`].
    fn poll(&mut self, http: &mut Http<'_>, now: Instant, out: &mut [u8]) -> usize;

    /// As [`Http::wake`].
    fn wake(&self, http: &Http<'_>) -> Option<Instant>;

    /// As [`Http::hang_up`].
    fn hang_up(&mut self, http: &mut Http<'_>, now: Instant);

    /// Lets tasks go on; when it is due again.
    fn work(&mut self, now: Instant) -> Option<Instant>;
}

impl<App: Send + 'static> Serve for Server<App> {
    const HAS_TASKS: bool = false;

    fn connection<'m, const RX: usize, const RESULT: usize>(
        &self,
        memory: &'m mut HttpMemory<RX, RESULT>,
        config: HttpConfig,
    ) -> Http<'m> {
        Http::new(memory, config)
    }

    fn poll(&mut self, http: &mut Http<'_>, now: Instant, out: &mut [u8]) -> usize {
        http.poll(self, now, out)
    }

    fn wake(&self, http: &Http<'_>) -> Option<Instant> {
        http.wake()
    }

    fn hang_up(&mut self, http: &mut Http<'_>, now: Instant) {
        http.hang_up(self, now);
    }

    fn work(&mut self, _: Instant) -> Option<Instant> {
        None
    }
}

/// A server with an agent beside it.
#[derive(Debug)]
pub struct WithAgent<App: Runtime> {
    /// What is served over MCP, and the application behind both.
    pub server: Server<App>,
    /// What is served over A2A.
    pub desk: AgentDesk<'static, App>,
    /// Where: [`AGENT_PATH`] or another path without a slash at its end.
    pub path: &'static str,
}

/// The usual path of an agent's endpoint.
pub const AGENT_PATH: &str = "/a2a";

impl<App: Runtime + Send> Serve for WithAgent<App> {
    const HAS_TASKS: bool = true;

    fn connection<'m, const RX: usize, const RESULT: usize>(
        &self,
        memory: &'m mut HttpMemory<RX, RESULT>,
        config: HttpConfig,
    ) -> Http<'m> {
        let http = Http::new(memory, config).with_agent(self.path).with_tasks();
        if self.desk.agent.pages.is_empty() {
            http
        } else {
            http.with_pages()
        }
    }

    fn poll(&mut self, http: &mut Http<'_>, now: Instant, out: &mut [u8]) -> usize {
        http.poll_agent(&mut self.server, &mut self.desk, now, out)
    }

    fn wake(&self, http: &Http<'_>) -> Option<Instant> {
        http.wake_agent(&self.desk)
    }

    fn hang_up(&mut self, http: &mut Http<'_>, now: Instant) {
        http.hang_up(&mut self.server, now);
    }

    fn work(&mut self, now: Instant) -> Option<Instant> {
        self.desk.run(&mut self.server, now);
        self.desk.tasks.wake()
    }
}

/// The same, and an extension that answers messages itself.
#[derive(Debug)]
pub struct WithExtension<App: Runtime, E> {
    /// What answers everything else.
    pub agent: WithAgent<App>,
    /// The extension.
    pub extension: E,
}

impl<App: Runtime + Send, E: Responder + Send + 'static> Serve for WithExtension<App, E> {
    const HAS_TASKS: bool = true;

    fn connection<'m, const RX: usize, const RESULT: usize>(
        &self,
        memory: &'m mut HttpMemory<RX, RESULT>,
        config: HttpConfig,
    ) -> Http<'m> {
        self.agent.connection(memory, config)
    }

    fn poll(&mut self, http: &mut Http<'_>, now: Instant, out: &mut [u8]) -> usize {
        let filled = self.agent.poll(http, now, out);
        if filled > 0 {
            return filled;
        }
        // A message that was just read may be answered at once.
        self.respond(now);
        self.agent.poll(http, now, out)
    }

    fn wake(&self, http: &Http<'_>) -> Option<Instant> {
        self.agent.wake(http)
    }

    fn hang_up(&mut self, http: &mut Http<'_>, now: Instant) {
        self.agent.hang_up(http, now);
    }

    fn work(&mut self, now: Instant) -> Option<Instant> {
        self.respond(now);
        self.agent.work(now)
    }
}

impl<App: Runtime, E: Responder> WithExtension<App, E> {
    fn respond(&mut self, now: Instant) {
        let tasks = &mut self.agent.desk.tasks;
        tasks.respond(&mut [&mut self.extension], now);
    }
}
