//! A2A on an HTTP connection: its endpoint and its cards, beside the path of
//! MCP.

use super::{
    EVENTS, Http, JSON, KEEP_ALIVE_MS, Methods, NOT_SERVED, POST_ALONE, READ_METHODS, Sending,
    State, What, presented,
};
#[cfg(feature = "policy")]
use crate::a2a::Seen;
#[cfg(feature = "pages")]
use crate::a2a::Shows;
use crate::a2a::{Agent, Caller, CardKind, Exchange, Facts, Next, Reply};
use crate::buf::Sink;
use crate::frame::http::{
    BodyLength, CHUNK_END, Content, Field, Head, LAST_CHUNK, MediaType, Method, ResponseHead,
    chunk_start, etag_listed, media_type,
};
#[cfg(feature = "tasks")]
use crate::mcp::{TaskReply, write_task};
use crate::policy::Presented;
#[cfg(feature = "policy")]
use crate::policy::{Endpoint, Outcome, Request, Subject, Why};
use crate::server::Server;
#[cfg(feature = "tasks")]
use crate::server::tasks::Ask;
#[cfg(feature = "policy")]
use crate::task::Principal;
use crate::task::{Runtime, Tasks};
use crate::time::Instant;

/// An agent that HTTP connections serve: its card, its tasks, and who may
/// ask.
#[derive(Debug)]
pub struct AgentDesk<'t, App: Runtime> {
    /// The agent.
    pub agent: &'static Agent<App>,
    /// Its tasks.
    pub tasks: Tasks<'t>,
    /// Who a caller is. `None` refuses the request with 401.
    pub callers: fn(Presented<'_>) -> Option<Caller<'static>>,
}

impl<App: Runtime> AgentDesk<'_, App> {
    /// Lets each task that is due take one step, those that are calls of the
    /// server's tools among them: for a device whose connections do not all
    /// do it by [`Http::poll_agent`].
    pub fn run(&mut self, server: &mut Server<App>, now: Instant) {
        #[cfg(feature = "tasks")]
        self.tasks.run_with_tools(
            self.agent.skills(),
            &server.device.tools,
            &mut server.app,
            now,
        );
        #[cfg(not(feature = "tasks"))]
        self.tasks
            .run_skills(self.agent.skills(), &mut server.app, now);
        #[cfg(feature = "policy")]
        server.record_ends(&mut self.tasks);
    }
}

/// What a connection has of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Post {
    /// The path of the endpoint; nothing where no agent is served.
    path: Option<&'static str>,
    /// Whether a path that is not known is looked for among the pages.
    #[cfg(feature = "pages")]
    pages: bool,
    /// What the request asks for.
    route: Option<Route>,
    exchange: Exchange,
    /// The extensions that the request has activated.
    extensions: u32,
    /// When it was looked for news last.
    looked: Instant,
    /// The first event, while the head of its stream goes out.
    held: Option<Said>,
    /// What is to be written down of the request.
    #[cfg(feature = "policy")]
    seen: Seen,
    /// Whether calls become tasks.
    #[cfg(feature = "tasks")]
    pub(super) tasks: bool,
    /// What a request to MCP wants of the tasks.
    #[cfg(feature = "tasks")]
    pub(super) ask: Option<Ask>,
}

impl Post {
    pub(super) const NONE: Self = Self {
        path: None,
        #[cfg(feature = "pages")]
        pages: false,
        route: None,
        exchange: Exchange::new(),
        extensions: 0,
        looked: Instant::from_millis(0),
        held: None,
        #[cfg(feature = "policy")]
        seen: Seen::NOTHING,
        #[cfg(feature = "tasks")]
        tasks: false,
        #[cfg(feature = "tasks")]
        ask: None,
    };

    /// Forgets the request.
    pub(super) fn clear(&mut self) {
        *self = Self {
            path: self.path,
            #[cfg(feature = "tasks")]
            tasks: self.tasks,
            #[cfg(feature = "pages")]
            pages: self.pages,
            ..Self::NONE
        };
    }

    /// Whether the request came in by the agent's door.
    #[cfg(feature = "policy")]
    pub(super) fn is_routed(&self) -> bool {
        self.route.is_some()
    }

    /// Whether a request waits for its task.
    pub(super) fn is_working(&self) -> bool {
        !self.exchange.is_idle()
    }

    /// Whether the request is for the agent.
    pub(super) fn is_asked(&self) -> bool {
        #[cfg(feature = "tasks")]
        if self.ask.is_some() {
            return true;
        }
        self.route.is_some()
    }

    /// The methods that the path of the request takes, if it is the agent's.
    pub(super) fn methods(&self) -> Option<Methods> {
        Some(match self.route? {
            Route::Endpoint => POST_ALONE,
            Route::Card(_) => READ_METHODS,
            #[cfg(feature = "pages")]
            Route::Page => READ_METHODS,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Endpoint,
    Card(CardKind),
    /// A page of the agent, or no path at all: it is told apart behind the
    /// body.
    #[cfg(feature = "pages")]
    Page,
}

/// What is sent for the agent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said {
    /// No credential that is known.
    Unknown,
    Answer(Reply),
    StreamHead,
    Event(Reply),
    Last(Reply),
    /// A comment on a stream that says nothing for long.
    Alive,
    Card(CardKind),
    /// The card is the one that the client has.
    Same(CardKind),
    /// Another method than those of a card.
    NotGet,
    /// A task, to a client of MCP.
    #[cfg(feature = "tasks")]
    Task(TaskReply),
    /// The page of this place in the agent's list.
    #[cfg(feature = "pages")]
    Page(u8),
    /// No such path.
    #[cfg(feature = "pages")]
    NoPath,
}

/// Where each card is (A-001, V-015).
const CARDS: [(&str, CardKind); 2] = [
    ("/.well-known/agent-card.json", CardKind::Current),
    ("/.well-known/agent.json", CardKind::Old),
];

/// How often it is looked for what other connections have done, in
/// milliseconds.
const LOOK_MS: u32 = 20;

impl Http<'_> {
    /// The same connection, which serves an agent at this path, such as
    /// `/a2a`, with or without a slash behind it, and its cards at
    /// their own paths. It is then driven by
    /// [`poll_agent`](Self::poll_agent).
    #[must_use]
    pub fn with_agent(mut self, path: &'static str) -> Self {
        self.agent.path = Some(path);
        self
    }

    /// The same connection, which serves the pages of its agent too. A path
    /// that is not there is then answered with those that are.
    #[cfg(feature = "pages")]
    #[must_use]
    pub fn with_pages(mut self) -> Self {
        self.agent.pages = true;
        self
    }

    /// When [`poll_agent`](Self::poll_agent) wants to be called although
    /// nothing arrives.
    pub fn wake_agent<App: Runtime>(&self, desk: &AgentDesk<'_, App>) -> Option<Instant> {
        #[cfg(feature = "tasks")]
        let idle = self.agent.ask.is_none();
        #[cfg(not(feature = "tasks"))]
        let idle = true;
        if idle && self.agent.exchange.is_idle() {
            return self.wake();
        }
        let look = self.agent.looked.after(LOOK_MS);
        let due = self.agent.exchange.wake(&desk.tasks);
        Some(due.map_or(look, |due| due.min(look)))
    }

    /// [`poll`](Self::poll) of a connection that serves an agent too. Lets
    /// the tasks that are due take a step first.
    pub fn poll_agent<App: Runtime>(
        &mut self,
        server: &mut Server<App>,
        desk: &mut AgentDesk<'_, App>,
        now: Instant,
        out: &mut [u8],
    ) -> usize {
        desk.run(server, now);
        let mut filled = 0usize;
        loop {
            let room = out.get_mut(filled..).unwrap_or_default();
            if !self.is_for_agent() {
                let written = self.poll(server, now, room);
                filled = filled.saturating_add(written);
                if self.is_for_agent() {
                    continue;
                }
                return filled;
            }
            match self.state {
                State::Ready => self.take_agent(server, desk, now),
                State::Working => {
                    self.agent.looked = now;
                    #[cfg(feature = "policy")]
                    if !self.is_granted(server, now) {
                        // The task goes on; nobody may hear of it.
                        self.record_stop(server, now, None);
                        self.agent.clear();
                        self.closing = true;
                        self.state = State::Closed;
                        return filled;
                    }
                    #[cfg(feature = "tasks")]
                    if let Some(ask) = self.agent.ask {
                        if !self.serve_ask(server, desk, now, ask) {
                            return filled;
                        }
                        continue;
                    }
                    if !self.next_of_agent(server, desk, now) {
                        return filled;
                    }
                }
                State::Sending(Sending {
                    what: What::Agent(said),
                    sent,
                    length,
                }) => {
                    if room.is_empty() {
                        return filled;
                    }
                    #[cfg(feature = "policy")]
                    if length.is_none() {
                        self.record_said(server, now, said);
                    }
                    let length = length.unwrap_or_else(|| {
                        let mut count = Sink::counter();
                        self.write_agent_body(&mut count, server, desk, said);
                        count.total()
                    });
                    let mut sink = Sink::window(room, sent);
                    let whole = self.write_agent(&mut sink, server, desk, said, length);
                    let (written, more) = (sink.filled(), sink.overflowed());
                    self.spoke = now;
                    filled = filled.saturating_add(written);
                    if !whole {
                        // What is left of it was dropped.
                        self.agent.clear();
                        self.closing = true;
                        self.state = State::Closed;
                        return filled.saturating_sub(written);
                    }
                    if more {
                        self.state = State::Sending(Sending {
                            what: What::Agent(said),
                            sent: sent.saturating_add(written),
                            length: Some(length),
                        });
                        return filled;
                    }
                    self.sent(What::Agent(said));
                }
                _ => return filled,
            }
        }
    }

    /// Whether the next step is one of the agent, not one that every request
    /// has.
    pub(super) fn is_for_agent(&self) -> bool {
        self.agent.is_asked()
            && matches!(
                self.state,
                State::Ready
                    | State::Working
                    | State::Sending(Sending {
                        what: What::Agent(_),
                        ..
                    })
            )
    }

    /// Notes whether a request is for the agent.
    pub(super) fn route_agent(&mut self, head: &Head) {
        let bytes = self.head_bytes();
        let route = self.agent.path.and_then(|path| {
            if head.path_is(bytes, path) {
                return Some(Route::Endpoint);
            }
            let card = CARDS
                .iter()
                .find(|(path, _)| head.path(bytes) == path.as_bytes());
            let card = card.map(|(_, kind)| Route::Card(*kind));
            #[cfg(feature = "pages")]
            let card = card.or_else(|| {
                let other = !self.agent.pages || head.path_is(bytes, self.config.path);
                #[cfg(feature = "policy")]
                let other = other || self.is_metadata(head);
                (!other).then_some(Route::Page)
            });
            card
        });
        self.agent.route = route;
    }

    /// Whether the request is for a card or a page, which are open to all
    /// (O-017), or for nothing that there is.
    pub(super) fn is_open(&self) -> bool {
        #[cfg(feature = "pages")]
        if self.agent.route == Some(Route::Page) {
            return true;
        }
        matches!(self.agent.route, Some(Route::Card(_)))
    }

    /// What is wrong with the method of a request for the agent.
    pub(super) fn judge_agent_method(&self, head: &Head) -> Option<What> {
        if let Some(Route::Card(_)) = self.agent.route {
            return match head.method {
                Method::Get | Method::Head => None,
                Method::Options if self.config.cors => Some(What::Preflight),
                _ => Some(What::Agent(Said::NotGet)),
            };
        }
        #[cfg(feature = "pages")]
        if self.agent.route == Some(Route::Page) {
            let asks = head.method == Method::Options && self.config.cors;
            return asks.then_some(What::Preflight);
        }
        match head.method {
            Method::Post => {}
            Method::Options if self.config.cors => return Some(What::Preflight),
            _ => return Some(NOT_SERVED),
        }
        None
    }

    /// What is wrong with the form of the body of a request for the agent, as
    /// far as its head tells.
    pub(super) fn judge_agent_body(&self, head: &Head) -> Option<What> {
        if self.is_open() {
            return None;
        }
        let bytes = self.head_bytes();
        match head
            .field(bytes, Field::ContentType)
            .map(|value| media_type(value, JSON))
        {
            None | Some(MediaType::Wanted) => {}
            Some(MediaType::Charset) => return Some(What::Plain(415, "the charset must be UTF-8")),
            Some(MediaType::Other) => {
                return Some(What::Plain(415, "Content-Type must be application/json"));
            }
        }
        if head.body == BodyLength::None {
            return Some(What::Plain(411, "a Content-Length is needed"));
        }
        None
    }

    fn take_agent<App: Runtime>(
        &mut self,
        server: &mut Server<App>,
        desk: &mut AgentDesk<'_, App>,
        now: Instant,
    ) {
        if let Some(refusal) = self.refusal.take().or_else(|| self.lapsed(server, now)) {
            return self.send(refusal);
        }
        let bytes = self.rx.get(..self.head_len).unwrap_or(&[]);
        let Some(head) = &self.head else {
            return self.send(What::Plain(500, "no request"));
        };
        let route = self.agent.route;
        #[cfg(feature = "pages")]
        let route = match route {
            Some(Route::Page) => match page(desk.agent, head, bytes) {
                Ok(kind) => Some(Route::Card(kind)),
                Err(said) => return self.send(What::Agent(said)),
            },
            other => other,
        };
        if let Some(Route::Card(kind)) = route {
            let mut room = [0; ETAG];
            let mut etag = Sink::new(&mut room);
            desk.agent.write_etag(&mut etag, kind);
            let etag = core::str::from_utf8(etag.kept()).unwrap_or("");
            let mut lists = head.named(bytes, Field::IfNoneMatch.name().as_bytes());
            let same = lists.any(|list| etag_listed(list, etag));
            return self.send(What::Agent(if same {
                Said::Same(kind)
            } else {
                Said::Card(kind)
            }));
        }
        #[cfg(feature = "policy")]
        let granted = match (&server.policy, self.grant) {
            (Some(_), Some(grant)) => Some(Caller {
                principal: Principal {
                    id: grant.id,
                    tenant: grant.tenant,
                    scopes: grant.scopes,
                },
                tenant: grant.tenant_name,
                known: grant.is_known(),
            }),
            _ => None,
        };
        #[cfg(not(feature = "policy"))]
        let granted = None;
        let Some(caller) = granted.or_else(|| (desk.callers)(presented(head, bytes))) else {
            return self.send(What::Agent(Said::Unknown));
        };
        let end = self.head_len.saturating_add(self.body_len);
        // 0.3 has an X before the name.
        let extensions = head
            .named(bytes, Field::A2aExtensions.name().as_bytes())
            .chain(head.named(bytes, b"X-A2A-Extensions"));
        let facts = Facts {
            caller,
            version: head
                .field(bytes, Field::A2aVersion)
                .or_else(|| version_of_query(head.query(bytes)?)),
            extensions: desk.agent.extensions(extensions),
            buf: self.rx,
            body: self.rx.get(self.head_len..end).unwrap_or(&[]),
        };
        let exchange = &mut self.agent.exchange;
        #[cfg(not(feature = "policy"))]
        exchange.begin(desk.agent, &mut desk.tasks, &mut server.app, &facts, now);
        #[cfg(feature = "policy")]
        {
            let (policy, grant) = (&server.policy, self.grant);
            let tools = &server.device.tools;
            let seen = exchange.begin_guarded(
                desk.agent,
                &mut desk.tasks,
                &mut server.app,
                &facts,
                now,
                |app, request, tool| match (policy, &grant) {
                    (Some(policy), Some(grant)) => {
                        let tool = tool.and_then(|at| tools.get(at));
                        let subject = match tool {
                            Some(entry) => Subject::Tool(entry.tool.name),
                            None => request.subject,
                        };
                        let request = Request {
                            subject,
                            ..*request
                        };
                        policy.allows(app, grant, &request)
                    }
                    _ => true,
                },
            );
            self.agent.seen = seen;
            if let Some((subject, outcome)) = seen.deed {
                self.record_agent(server, now, subject, outcome);
            }
            server.record_ends(&mut desk.tasks);
        }
        self.agent.extensions = self.agent.exchange.extensions();
        self.state = State::Working;
    }

    /// Sends what is next; whether that changed anything.
    fn next_of_agent<App: Runtime>(
        &mut self,
        server: &mut Server<App>,
        desk: &mut AgentDesk<'_, App>,
        now: Instant,
    ) -> bool {
        #[cfg(not(feature = "policy"))]
        let _ = server;
        if let Some(event) = self.agent.held.take() {
            self.send(What::Agent(event));
            return true;
        }
        let said = match self.agent.exchange.poll(&desk.tasks, now) {
            Next::Wait if self.streaming && self.spoke.after(KEEP_ALIVE_MS) <= now => Said::Alive,
            Next::Wait => return false,
            Next::Answer(reply) => Said::Answer(reply),
            Next::Event(reply) => Said::Event(reply),
            Next::Last(reply) => Said::Last(reply),
            Next::Gone => {
                #[cfg(feature = "policy")]
                self.record_stop(server, now, None);
                self.agent.clear();
                self.closing = true;
                self.state = State::Closed;
                return true;
            }
        };
        if matches!(said, Said::Event(_) | Said::Last(_)) && !self.streaming {
            self.streaming = true;
            // Without chunks, the end of the connection ends the stream.
            self.closing |= !self.chunks();
            self.agent.held = Some(said);
            self.send(What::Agent(Said::StreamHead));
            return true;
        }
        self.send(What::Agent(said));
        true
    }

    /// Writes down what an answer says, when its first byte goes out.
    #[cfg(feature = "policy")]
    fn record_said<App>(&mut self, server: &mut Server<App>, now: Instant, said: Said) {
        let why = match said {
            Said::Answer(reply) | Said::Event(reply) | Said::Last(reply) => reply.refused(),
            Said::NotGet => Some(Why::Http),
            #[cfg(feature = "pages")]
            Said::NoPath => Some(Why::Http),
            _ => return,
        };
        if self.agent.seen.stopping.is_some() {
            return self.record_stop(server, now, Some(why));
        }
        if let Some(why) = why {
            self.record_agent(server, now, Subject::None, Outcome::Refused(why));
        }
    }

    /// Writes down what was to be said of a refusal: this, or what comes
    /// behind the head of its stream.
    #[cfg(feature = "policy")]
    pub(super) fn record_unsaid<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        unsent: Option<What>,
    ) {
        if let Some(What::Agent(said)) = unsent {
            self.record_said(server, now, said);
        }
        if let Some(said) = self.agent.held.take() {
            self.record_said(server, now, said);
        }
    }

    /// Writes down what has come of a wish to stop a task, if the request is
    /// one: `Some(None)` if it has stopped, `None` if nobody waits for it
    /// any longer.
    #[cfg(feature = "policy")]
    pub(super) fn record_stop<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        why: Option<Option<Why>>,
    ) {
        let Some(subject) = self.agent.seen.stopping.take() else {
            return;
        };
        let outcome = match why {
            None => Outcome::Accepted,
            Some(None) => Outcome::Done,
            Some(Some(why)) => Outcome::Refused(why),
        };
        self.record_agent(server, now, subject, outcome);
    }

    #[cfg(feature = "policy")]
    fn record_agent<App>(
        &self,
        server: &mut Server<App>,
        now: Instant,
        subject: Subject,
        outcome: Outcome,
    ) {
        let request = Request {
            endpoint: Endpoint::Agent,
            operation: self.agent.seen.operation,
            subject,
        };
        server.record(now, self.by(), request, outcome);
    }

    /// What a connection does once something was sent for the agent. Whether
    /// the exchange goes on.
    pub(super) fn agent_goes_on(said: Said) -> bool {
        matches!(said, Said::StreamHead | Said::Event(_) | Said::Alive)
    }

    /// The part of an answer whose length is told before it; whether it is
    /// whole.
    fn write_agent_body<App: Runtime>(
        &self,
        out: &mut Sink<'_>,
        server: &Server<App>,
        desk: &AgentDesk<'_, App>,
        said: Said,
    ) -> bool {
        let _ = server;
        match said {
            #[cfg(feature = "tasks")]
            Said::Task(reply) => write_task(out, server.device, reply, &desk.tasks, self.rx),
            Said::Answer(reply) => reply.write(out, desk.agent, &desk.tasks, self.rx),
            Said::Event(reply) | Said::Last(reply) => {
                out.text("data: ");
                let whole = reply.write(out, desk.agent, &desk.tasks, self.rx);
                out.text("\n\n");
                whole
            }
            Said::Alive => {
                out.text(":\n\n");
                true
            }
            Said::Card(kind) => {
                desk.agent.write_card(out, kind);
                true
            }
            Said::Unknown => {
                out.text("a credential that is known here is needed\n");
                true
            }
            Said::NotGet => {
                out.text("only GET is served here\n");
                true
            }
            #[cfg(feature = "pages")]
            Said::Page(at) => {
                if let Some(page) = desk.agent.pages.get(usize::from(at))
                    && let Shows::Text { write, .. } = page.shows
                {
                    write(desk.agent, out);
                }
                true
            }
            #[cfg(feature = "pages")]
            Said::NoPath => {
                desk.agent.write_hint(out);
                true
            }
            Said::StreamHead | Said::Same(_) => true,
        }
    }

    fn write_agent<App: Runtime>(
        &self,
        out: &mut Sink<'_>,
        server: &Server<App>,
        desk: &AgentDesk<'_, App>,
        said: Said,
        length: usize,
    ) -> bool {
        let chunks = self.chunks();
        let stream = if chunks {
            Content::Chunked
        } else {
            Content::UntilClose
        };
        let (status, media, content) = match said {
            Said::Answer(_) | Said::Card(_) => (200, Some(JSON), Content::Length(length)),
            #[cfg(feature = "tasks")]
            Said::Task(_) => (200, Some(JSON), Content::Length(length)),
            Said::StreamHead => (200, Some(EVENTS), stream),
            Said::Same(_) => (304, None, Content::Length(0)),
            Said::Unknown => (401, Some("text/plain"), Content::Length(length)),
            Said::NotGet => (405, Some("text/plain"), Content::Length(length)),
            #[cfg(feature = "pages")]
            Said::Page(at) => {
                let page = desk.agent.pages.get(usize::from(at));
                let media = page.and_then(|page| match page.shows {
                    Shows::Text { media, .. } => Some(media),
                    Shows::Card(_) => None,
                });
                (200, media, Content::Length(length))
            }
            #[cfg(feature = "pages")]
            Said::NoPath => (404, Some("text/plain"), Content::Length(length)),
            Said::Event(_) | Said::Last(_) | Said::Alive => {
                if !chunks {
                    return self.write_agent_body(out, server, desk, said);
                }
                chunk_start(out, length);
                let whole = self.write_agent_body(out, server, desk, said);
                out.put(CHUNK_END);
                if matches!(said, Said::Last(_)) {
                    out.put(LAST_CHUNK);
                }
                return whole;
            }
        };
        self.write_agent_head(out, desk, said, (status, media, content));
        if self.is_head_request() {
            return true;
        }
        self.write_agent_body(out, server, desk, said)
    }

    fn write_agent_head<App: Runtime>(
        &self,
        out: &mut Sink<'_>,
        desk: &AgentDesk<'_, App>,
        said: Said,
        (status, media, content): (u16, Option<&str>, Content),
    ) {
        let card = desk.agent.card();
        let mut etag = [0; ETAG];
        let mut age = [0; 40];
        let mut extensions = [0; EXTENSIONS];
        let mut fields: heapless::Vec<(&str, &[u8]), 3> = heapless::Vec::new();
        let mut put = |name, value| {
            // Three at most, in each of the cases below.
            let _ = fields.push((name, value));
        };
        match said {
            Said::Card(kind) | Said::Same(kind) => {
                let mut sink = Sink::new(&mut etag);
                desk.agent.write_etag(&mut sink, kind);
                let len = sink.filled();
                put("ETag", etag.get(..len).unwrap_or(&[]));
                let mut sink = Sink::new(&mut age);
                sink.text("public, max-age=");
                sink.number(u64::from(card.max_age_s));
                let len = sink.filled();
                put("Cache-Control", age.get(..len).unwrap_or(&[]));
                if !card.last_modified.is_empty() {
                    put("Last-Modified", card.last_modified.as_bytes());
                }
            }
            Said::Unknown => put("WWW-Authenticate", b"Bearer"),
            Said::StreamHead => {
                // Proxies must not hold events back.
                put("Cache-Control", b"no-store");
                put("X-Accel-Buffering", b"no");
            }
            Said::Answer(_) => put("Cache-Control", b"no-store"),
            #[cfg(feature = "tasks")]
            Said::Task(_) => {}
            #[cfg(feature = "pages")]
            Said::Page(_) => {
                put("Cache-Control", b"no-store");
                put("X-Content-Type-Options", b"nosniff");
                // A page has a style of its own, and nothing else.
                let policy = "default-src 'none'; style-src 'unsafe-inline'";
                put("Content-Security-Policy", policy.as_bytes());
            }
            #[cfg(feature = "pages")]
            Said::NoPath => {}
            Said::Event(_) | Said::Last(_) | Said::Alive | Said::NotGet => {}
        }
        if self.agent.extensions != 0 && matches!(said, Said::Answer(_) | Said::StreamHead) {
            let mut sink = Sink::new(&mut extensions);
            desk.agent
                .write_extensions(&mut sink, self.agent.extensions);
            if !sink.overflowed() {
                let len = sink.filled();
                put(
                    self.agent.exchange.extensions_name(),
                    extensions.get(..len).unwrap_or(&[]),
                );
            }
        }
        let mut answer = ResponseHead::new(status);
        answer.content_type = media;
        answer.content = content;
        if let Some(head) = &self.head {
            answer.connection = head.connection(self.closing);
        }
        answer.allow = matches!(said, Said::NotGet).then_some(if self.config.cors {
            READ_METHODS.with_options
        } else {
            READ_METHODS.own
        });
        answer.cors = self.cors(status, READ_METHODS, EXPOSED);
        answer.extra = &fields;
        answer.write(out);
    }
}

/// What a page of another origin may read beside the body.
const EXPOSED: &str = "A2A-Extensions, ETag";

/// Bytes of an entity tag, quotes included.
const ETAG: usize = 18;
/// Bytes of the longest list of extensions that an answer repeats; a longer
/// one is left out, which the protocol allows.
const EXTENSIONS: usize = 256;

/// The card that a page of the agent is; else what is sent.
#[cfg(feature = "pages")]
fn page<App: Runtime>(agent: &Agent<App>, head: &Head, bytes: &[u8]) -> Result<CardKind, Said> {
    let at = (agent.pages.iter()).position(|page| head.path_is(bytes, page.path));
    let Some((at, page)) = at.and_then(|at| Some((at, agent.pages.get(at)?))) else {
        return Err(Said::NoPath);
    };
    if !matches!(head.method, Method::Get | Method::Head) {
        return Err(Said::NotGet);
    }
    match page.shows {
        Shows::Card(kind) => Ok(kind),
        Shows::Text { .. } => Err(Said::Page(u8::try_from(at).unwrap_or(u8::MAX))),
    }
}

/// The version that a query names.
fn version_of_query(query: &[u8]) -> Option<&[u8]> {
    query
        .split(|&byte| byte == b'&')
        .find_map(|pair| pair.strip_prefix(b"A2A-Version="))
}
