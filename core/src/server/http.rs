//! A connection of HTTP/1.1: MCP's Streamable HTTP on one path.

#[cfg(feature = "a2a")]
mod agent;
#[cfg(feature = "tasks")]
mod tasks;

#[cfg(feature = "a2a")]
pub use agent::AgentDesk;

use super::Server;
use super::batch::{Batch, Turn};
#[cfg(all(feature = "sessions", feature = "input"))]
use super::desk::Posted;
#[cfg(feature = "sessions")]
use super::desk::{Opened, SessionId};
#[cfg(feature = "tasks")]
use super::running::asks_first;
use super::running::{Admission, By, Running, UNKNOWN, reply};
#[cfg(feature = "tasks")]
use super::tasks::Ask;
#[cfg(feature = "subscriptions")]
use super::watch::Subscription;
#[cfg(any(feature = "resources", feature = "prompts"))]
use super::work::work;
use crate::buf::{Sink, Span};
use crate::frame::http::{
    Body as BodyReader, BodyLength, BodyState, CHUNK_END, CONTINUE, Connection, Content, Cors,
    Field, Head, HeadEnd, HeadState, LAST_CHUNK, MediaType, Method, Parts, Preflight, ResponseHead,
    Version as HttpVersion, alike, chunk_start, host_allowed, host_is_loopback, media_type,
    origin_allowed, origin_is_loopback, parse,
};
#[cfg(feature = "sessions")]
use crate::mcp::SESSION;
#[cfg(feature = "logging")]
use crate::mcp::write_log;
use crate::mcp::{
    Body, CallPlan, Decision, Fault, Framing, Headers, Reply, decide, write_progress, write_reply,
};
#[cfg(feature = "subscriptions")]
use crate::mcp::{Sources, Version, write_acknowledged, write_change, write_listen_end};
#[cfg(feature = "credentials")]
use crate::policy;
#[cfg(any(feature = "policy", feature = "a2a"))]
use crate::policy::Presented;
#[cfg(feature = "policy")]
use crate::policy::{
    Denial, Doer, Endpoint, Grant, Operation, Outcome as Happened, Request as Asked, Subject,
    WELL_KNOWN, Why, write_challenge,
};
use crate::time::Instant;
use crate::tool::{Caller, Outcome, Progress};
#[cfg(feature = "logging")]
use crate::tool::{Level, Piece};

/// Who may send requests.
#[derive(Clone, Copy, Debug)]
pub enum Allow {
    /// This machine: 127.0.0.1, `[::1]` and `localhost`, at any port.
    Loopback,
    /// These, compared exactly. A host without a port allows any port; an
    /// origin is a scheme, a host and a port.
    Listed(&'static [&'static str]),
    /// Anyone. For `Host` on a network whose names are not known beforehand.
    Any,
}

/// Tells whose token this is; `None` if it is nobody's.
pub type Bearer = fn(&[u8]) -> Option<Caller>;

/// A bearer token, of which only the digest is kept, and whose it is.
#[cfg(feature = "credentials")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Credential {
    /// SHA-256 of the token, as it stands behind `Bearer `.
    pub digest: [u8; 32],
    /// Whose it is.
    pub caller: Caller,
}

/// Whose token this is: every digest is looked at, each in the same time.
#[cfg(feature = "credentials")]
fn owner(credentials: &[Credential], token: &[u8]) -> Option<Caller> {
    let digest = policy::of(token);
    let mut owner = None;
    for credential in credentials {
        if policy::differs(&credential.digest, &digest) == 0 {
            owner = Some(credential.caller);
        }
    }
    owner
}

/// What an HTTP connection serves, and to whom.
#[derive(Clone, Copy, Debug)]
pub struct HttpConfig {
    /// The one path, without a slash at its end (M-047).
    pub path: &'static str,
    /// Values of `Host` that are served: the guard against DNS rebinding
    /// (M-049).
    pub hosts: Allow,
    /// Values of `Origin` that are served; requests without one are (M-048).
    pub origins: Allow,
    /// Whether pages of an allowed origin may read the answers (CORS).
    pub cors: bool,
    /// Says whose token stands in `Authorization: Bearer`; nobody's is
    /// answered 401. Without a function the server is open to all, as
    /// [`Caller::ANY`] (M-199, M-200).
    pub bearer: Option<Bearer>,
    /// Tokens that open the server beside those that `bearer` knows. With
    /// neither it is open to all.
    #[cfg(feature = "credentials")]
    pub credentials: &'static [Credential],
}

impl HttpConfig {
    /// `/mcp`, for programs on the same machine (M-050).
    pub const LOOPBACK: Self = Self {
        path: "/mcp",
        hosts: Allow::Loopback,
        origins: Allow::Loopback,
        cors: false,
        bearer: None,
        #[cfg(feature = "credentials")]
        credentials: &[],
    };
}

/// The memory of one HTTP connection, to be placed in a `static`.
///
/// * `RX` bytes: the longest request, head and body together. Clients send
///   400 to 700 bytes of head.
/// * `RESULT` bytes: the largest result of a tool, without constant blobs; at
///   least 192.
#[derive(Debug)]
pub struct HttpMemory<const RX: usize, const RESULT: usize> {
    rx: [u8; RX],
    result: [u8; RESULT],
}

impl<const RX: usize, const RESULT: usize> HttpMemory<RX, RESULT> {
    const FITS: () = {
        assert!(
            RX <= u16::MAX as usize,
            "a request buffer is longer than 65535 bytes"
        );
        assert!(RX >= 512, "no request fits into a buffer below 512 bytes");
        assert!(
            RESULT >= 192 && RESULT <= u16::MAX as usize,
            "a result buffer has 192 to 65535 bytes"
        );
    };

    /// Memory without anything in it.
    pub const fn new() -> Self {
        const { Self::FITS };
        Self {
            rx: [0; RX],
            result: [0; RESULT],
        }
    }
}

impl<const RX: usize, const RESULT: usize> Default for HttpMemory<RX, RESULT> {
    fn default() -> Self {
        Self::new()
    }
}

/// One HTTP connection. It serves one request after the other; several
/// connections serve several at once.
///
/// The transport offers what arrives to [`receive`](Self::receive), then sends
/// what [`poll`](Self::poll) gives, and again, until one after the other does
/// nothing. Bytes that were not taken belong to the next request, and are
/// offered again once the answer to this one is out. While a call takes its
/// time, [`wake`](Self::wake) tells when `poll` is due. It closes when [`is_closed`](Self::is_closed)
/// says so, tells with [`hang_up`](Self::hang_up) when the peer did, and then
/// may use the same memory for the next peer after [`open`](Self::open). A
/// peer that closes only its sending side counts as gone.
///
/// ```
/// # use agentmote::mcp::{Device, Identity};
/// # use agentmote::server::{Http, HttpConfig, HttpMemory, Server};
/// # use agentmote::time::Instant;
/// static DEVICE: Device<()> = Device::new(Identity::new("d", "1"), &[]);
/// let mut server = Server::new(&DEVICE, ());
/// let mut memory = HttpMemory::<2048, 512>::new();
/// let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
/// let arrived = b"POST /mcp HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 40\r\n\r\n\
///     {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
/// let mut rest = &arrived[..];
/// let mut sent = Vec::new();
/// loop {
///     let taken = http.receive(rest);
///     rest = &rest[taken..];
///     let mut out = [0; 64];
///     let filled = http.poll(&mut server, Instant::from_millis(0), &mut out);
///     sent.extend_from_slice(&out[..filled]);
///     if taken == 0 && filled == 0 {
///         break;
///     }
/// }
/// assert_eq!(
///     sent,
///     b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n\
///     {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"
/// );
/// assert!(!http.is_closed());
/// ```
#[derive(Debug)]
pub struct Http<'m> {
    rx: &'m mut [u8],
    result: &'m mut [u8],
    config: HttpConfig,
    state: State,
    head: Option<Head>,
    head_len: usize,
    body_len: usize,
    /// The answer that was clear from the head, to be sent after the body.
    refusal: Option<What>,
    outcome: Outcome,
    batch: Option<Batch>,
    call: Option<Running>,
    /// The session of the request.
    #[cfg(feature = "sessions")]
    opened: Option<Opened>,
    /// The session that the answer opens.
    #[cfg(feature = "sessions")]
    minted: Option<SessionId>,
    /// What the client reaches the call by on other connections; 0 for none.
    #[cfg(feature = "sessions")]
    ticket: u32,
    /// When it was last looked for what other connections brought.
    #[cfg(feature = "sessions")]
    looked: Instant,
    /// Whether the request waits until the one before it was fetched.
    #[cfg(all(feature = "sessions", feature = "input"))]
    held: bool,
    /// What is sent on the stream next.
    #[cfg(any(feature = "logging", all(feature = "sessions", feature = "input")))]
    later: heapless::Vec<What, 2>,
    /// The subscription that is served.
    #[cfg(feature = "subscriptions")]
    listen: Option<Listen>,
    /// When to look whether something has changed.
    #[cfg(feature = "subscriptions")]
    look: Instant,
    /// When something was sent last.
    spoke: Instant,
    #[cfg(feature = "a2a")]
    agent: agent::Post,
    /// Whether the head of an event stream has gone out.
    streaming: bool,
    /// Who sent the request.
    caller: Option<Caller>,
    /// By what authority.
    #[cfg(feature = "policy")]
    grant: Option<Grant>,
    /// Whether the connection ends after this answer.
    closing: bool,
    /// Whether the peer has gone while a call of its goes on (M-190).
    gone: bool,
}

/// What a connection tells of changes.
#[cfg(feature = "subscriptions")]
#[derive(Clone, Copy, Debug)]
struct Listen {
    /// The id of the request, as it was written; none for a client of the
    /// legacy era.
    id: Option<Span>,
    subscription: Subscription,
    /// Whether it was told that it has begun.
    acknowledged: bool,
}

#[derive(Debug)]
enum State {
    Head(HeadEnd),
    /// The head stands in the buffer; whether its body is read is for the
    /// policy to say.
    #[cfg(feature = "policy")]
    Judge,
    Body(BodyReader),
    /// The whole request stands in the buffer.
    Ready,
    /// A call or a batch is being worked on.
    Working,
    Sending(Sending),
    Closed,
}

#[derive(Clone, Copy, Debug)]
struct Sending {
    what: What,
    sent: usize,
    /// Length of the body, once it was counted.
    length: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Continue,
    /// An answer of HTTP alone: its status and a sentence.
    Plain(u16, &'static str),
    /// Who asks is not let in.
    #[cfg(feature = "policy")]
    Denied(Denial),
    /// Where credentials come from (M-202).
    #[cfg(feature = "policy")]
    Metadata,
    /// To a preflight `OPTIONS`.
    Preflight,
    Accepted,
    /// A JSON-RPC answer with this status.
    Answer(u16, Reply),
    StreamHead,
    /// A comment, so that nobody takes the stream for dead (M-083).
    KeepAlive,
    /// That the subscription has begun.
    #[cfg(feature = "subscriptions")]
    Acknowledged,
    /// That a source has changed.
    #[cfg(feature = "subscriptions")]
    Change(u8),
    /// The answer that ends a subscription.
    #[cfg(feature = "subscriptions")]
    ListenEnd,
    Progress(Progress),
    /// The answer that ends a stream.
    StreamEnd(Reply),
    /// The end of a stream without an answer.
    #[cfg(feature = "sessions")]
    StreamStop,
    /// The messages of the call.
    #[cfg(feature = "logging")]
    Logs,
    /// The questions of the call, as requests from this number on.
    #[cfg(all(feature = "sessions", feature = "input"))]
    Questions(u32),
    BatchHead(Reply),
    BatchAnswer(Reply),
    BatchEnd,
    #[cfg(feature = "a2a")]
    Agent(agent::Said),
}

impl<'m> Http<'m> {
    /// A connection that was just opened.
    pub fn new<const RX: usize, const RESULT: usize>(
        memory: &'m mut HttpMemory<RX, RESULT>,
        config: HttpConfig,
    ) -> Self {
        Self::over(&mut memory.rx, &mut memory.result, config)
    }

    /// A connection over buffers whose sizes are known at run time only. The
    /// sizes that [`HttpMemory`] tells hold for them too.
    pub fn over(rx: &'m mut [u8], result: &'m mut [u8], config: HttpConfig) -> Self {
        let max = rx.len();
        Self {
            rx,
            result,
            config,
            state: State::Head(HeadEnd::new(max)),
            head: None,
            head_len: 0,
            body_len: 0,
            refusal: None,
            outcome: Outcome::default(),
            batch: None,
            call: None,
            #[cfg(feature = "sessions")]
            opened: None,
            #[cfg(feature = "sessions")]
            minted: None,
            #[cfg(feature = "sessions")]
            ticket: 0,
            #[cfg(feature = "sessions")]
            looked: Instant::from_millis(0),
            #[cfg(all(feature = "sessions", feature = "input"))]
            held: false,
            #[cfg(any(feature = "logging", all(feature = "sessions", feature = "input")))]
            later: heapless::Vec::new(),
            #[cfg(feature = "subscriptions")]
            listen: None,
            #[cfg(feature = "subscriptions")]
            look: Instant::from_millis(0),
            spoke: Instant::from_millis(0),
            #[cfg(feature = "a2a")]
            agent: agent::Post::NONE,
            caller: None,
            #[cfg(feature = "policy")]
            grant: None,
            streaming: false,
            closing: false,
            gone: false,
        }
    }

    /// Makes the connection ready for another peer, after it was closed.
    pub fn open(&mut self) {
        self.next();
        self.closing = false;
        self.gone = false;
    }

    /// Whether the answers are out and the caller should close.
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Whether no request is on its way: the caller may close an idle
    /// connection without harm.
    pub fn is_idle(&self) -> bool {
        matches!(&self.state, State::Head(end) if end.is_idle())
    }

    /// Whether a call is on its way. A subscription is none: it has no end of
    /// its own.
    pub fn is_working(&self) -> bool {
        #[cfg(feature = "a2a")]
        if self.agent.is_working() {
            return true;
        }
        let waiting = self.batch.as_ref().and_then(|batch| batch.waiting.as_ref());
        self.call.as_ref().or(waiting).is_some()
    }

    /// When [`poll`](Self::poll) wants to be called although nothing arrives;
    /// `None` if only arriving bytes give it work.
    pub fn wake(&self) -> Option<Instant> {
        let waiting = self.batch.as_ref().and_then(|batch| batch.waiting.as_ref());
        let wake = self.call.as_ref().or(waiting).map(Running::wake);
        #[cfg(feature = "subscriptions")]
        let wake = match self.listen {
            Some(_) => Some(self.look),
            None => wake,
        };
        let alive = self.streaming.then(|| self.spoke.after(KEEP_ALIVE_MS));
        let wake = wake.map(|wake| alive.map_or(wake, |alive| wake.min(alive)));
        #[cfg(feature = "sessions")]
        if self.ticket != 0 {
            let look = self.looked.after(LOOK_MS);
            return Some(wake.map_or(look, |wake| wake.min(look)));
        }
        #[cfg(all(feature = "sessions", feature = "input"))]
        if self.held {
            return Some(self.looked.after(1));
        }
        wake
    }

    /// Tells that the peer has closed the connection. A call of the modern
    /// era is given up (M-084, M-128); one of the legacy era goes on, and its
    /// answer is dropped (M-190); a request that has not begun is dropped:
    /// keep calling [`poll`](Self::poll) until
    /// [`is_closed`](Self::is_closed).
    pub fn hang_up<App>(&mut self, server: &mut Server<App>, now: Instant) {
        self.gone = true;
        self.closing = true;
        #[cfg(feature = "policy")]
        self.record_unsent(server, now);
        #[cfg(feature = "a2a")]
        if self.agent.is_asked() {
            #[cfg(feature = "policy")]
            self.record_stop(server, now, None);
            // A task goes on without who asked for it (A-175).
            self.agent.clear();
            self.state = State::Closed;
            return;
        }
        // Who waits for nothing has nobody to ask.
        #[cfg(all(feature = "sessions", feature = "input"))]
        if let Some(call) = &mut self.call {
            call.give_up(now);
        }
        match self.call {
            Some(call) if call.plan.version.is_modern() => {
                call.cancel(
                    server,
                    now,
                    self.by(),
                    self.rx,
                    self.result,
                    &mut self.outcome,
                );
                self.call = None;
                self.state = State::Closed;
            }
            #[cfg(feature = "subscriptions")]
            _ if self.listen.is_some() => self.state = State::Closed,
            _ => match self.state {
                State::Sending(Sending {
                    what: What::Continue,
                    ..
                }) => self.state = State::Closed,
                // What is left of it has nobody to go to.
                State::Sending(sending) => self.sent(sending.what),
                State::Working => {}
                _ => self.state = State::Closed,
            },
        }
    }

    /// Takes bytes that arrived, at most up to the end of a request; gives
    /// how many. The rest waits for the next [`poll`](Self::poll).
    pub fn receive(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0usize;
        // A head and its body take two turns; an interim answer ends both.
        loop {
            let rest = bytes.get(taken..).unwrap_or(&[]);
            let used = match &mut self.state {
                State::Head(end) => {
                    let step = end.feed(rest);
                    let part = rest.get(..step.used).unwrap_or(rest);
                    if let Some(room) = self.rx.get_mut(self.head_len..) {
                        let n = room.len().min(part.len());
                        room[..n].copy_from_slice(&part[..n]);
                    }
                    self.head_len = self.head_len.saturating_add(step.used);
                    match step.state {
                        HeadState::More => return taken.saturating_add(step.used),
                        HeadState::Refused(error) => {
                            self.refuse(What::Plain(error.status(), error.text()));
                            // The byte that was refused is taken with the rest.
                            step.used.saturating_add(1).min(rest.len())
                        }
                        HeadState::Done => {
                            self.take_head();
                            step.used
                        }
                    }
                }
                State::Body(body) => {
                    let room = self.rx.get_mut(self.head_len..).unwrap_or_default();
                    let step = body.read(rest, room, &mut self.body_len);
                    match step.state {
                        BodyState::More => return taken.saturating_add(step.used),
                        BodyState::Done => {
                            self.state = State::Ready;
                            step.used
                        }
                        BodyState::Refused(error) => {
                            // Who is not let in hears that, whatever he sends.
                            let answer = self.refusal.take();
                            let broken = What::Plain(error.status(), error.text());
                            self.refuse(answer.unwrap_or(broken));
                            step.used.saturating_add(1).min(rest.len())
                        }
                    }
                }
                _ => return taken,
            };
            taken = taken.saturating_add(used);
        }
    }

    fn head_bytes(&self) -> &[u8] {
        self.rx.get(..self.head_len).unwrap_or(&[])
    }

    /// Sends an answer after which the place of the next request is not known.
    fn refuse(&mut self, what: What) {
        self.closing = true;
        self.send(what);
    }

    fn take_head(&mut self) {
        let head = match parse(self.head_bytes()) {
            Ok(head) => head,
            Err(error) => return self.refuse(What::Plain(error.status(), error.text())),
        };
        self.closing = !head.keep_alive;
        #[cfg(feature = "a2a")]
        self.route_agent(&head);
        #[cfg(feature = "policy")]
        {
            self.head = Some(head);
            self.state = State::Judge;
        }
        #[cfg(not(feature = "policy"))]
        {
            self.caller = self.find_caller(&head);
            let refusal = self.judge_place(&head);
            let refusal = refusal.or_else(|| self.judge_caller());
            self.refusal = refusal.or_else(|| self.judge_body(&head));
            self.accept(head);
        }
    }

    /// Judges the head that stands in the buffer, before any of its body is
    /// read (M-205).
    #[cfg(feature = "policy")]
    fn judge<App>(&mut self, server: &mut Server<App>, now: Instant) {
        let Some(head) = self.head.take() else {
            return self.refuse(What::Plain(500, "no request"));
        };
        let refusal = self.judge_place(&head);
        let refusal = refusal.or_else(|| self.judge_metadata(server, &head));
        let refusal = refusal.or_else(|| self.judge_grant(server, now, &head));
        self.refusal = refusal.or_else(|| self.judge_body(&head));
        self.accept(head);
    }

    /// The metadata, if that is what the request is for.
    #[cfg(feature = "policy")]
    fn judge_metadata<App>(&self, server: &Server<App>, head: &Head) -> Option<What> {
        if !self.is_metadata(head) {
            return None;
        }
        let has = server.policy.as_ref()?.rules.protected.is_some();
        Some(match head.method {
            _ if !has => NO_PATH,
            Method::Get | Method::Head => What::Metadata,
            Method::Options if self.config.cors => What::Preflight,
            _ => What::Plain(405, "only GET is served here"),
        })
    }

    /// Whether the path is that of the metadata, of the endpoint or at the
    /// root (M-202).
    #[cfg(feature = "policy")]
    fn is_metadata(&self, head: &Head) -> bool {
        let path = head.path(self.head_bytes());
        path.strip_prefix(WELL_KNOWN.as_bytes())
            .is_some_and(|rest| rest.is_empty() || rest == self.config.path.as_bytes())
    }

    /// Whether who sends the request is let in, by the policy if there is
    /// one.
    #[cfg(feature = "policy")]
    fn judge_grant<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        head: &Head,
    ) -> Option<What> {
        #[cfg(feature = "a2a")]
        if self.is_open() {
            return None;
        }
        let Some(policy) = &mut server.policy else {
            self.caller = self.find_caller(head);
            self.grant = self
                .caller
                .map(|caller| Grant::of_place(caller.id, caller.scopes));
            return self.judge_caller();
        };
        let bytes = self.rx.get(..self.head_len).unwrap_or(&[]);
        let presented = presented(head, bytes);
        if head
            .field(bytes, Field::ApiKey)
            .is_some_and(|key| presented.secret() != Some(key))
        {
            return Some(What::Plain(400, "two credentials that differ"));
        }
        let endpoint = self.endpoint();
        match policy.admit(&mut server.app, endpoint, presented, now) {
            Ok(grant) => {
                self.caller = Some(Caller {
                    id: grant.id,
                    scopes: grant.scopes,
                });
                self.grant = Some(grant);
                None
            }
            Err((denial, grant)) => {
                self.grant = grant;
                Some(What::Denied(denial))
            }
        }
    }

    #[cfg(feature = "policy")]
    fn endpoint(&self) -> Endpoint {
        #[cfg(feature = "a2a")]
        if self.agent.is_routed() {
            return Endpoint::Agent;
        }
        Endpoint::Mcp
    }

    /// Who is written down.
    #[cfg(feature = "policy")]
    fn by(&self) -> By {
        self.grant.as_ref().map_or(Doer::NOBODY, Grant::doer)
    }

    #[cfg(not(feature = "policy"))]
    const fn by(&self) -> By {
        By
    }

    /// Writes down that something was refused, if this says so. To be called
    /// when the first byte of it goes out, or would, so once.
    #[cfg(feature = "policy")]
    fn record<App>(&self, server: &mut Server<App>, now: Instant, what: What) {
        let (operation, why) = match what {
            What::Plain(401, _) => (Operation::Request, Why::Credential),
            What::Plain(..) | What::Answer(403, _) => (Operation::Request, Why::Http),
            What::Denied(denial) => (Operation::Request, denial.why()),
            What::Answer(_, reply)
            | What::StreamEnd(reply)
            | What::BatchHead(reply)
            | What::BatchAnswer(reply) => match reply.body {
                Body::Fault(fault) => fault.audit(),
                _ => return,
            },
            _ => return,
        };
        let request = Asked {
            endpoint: self.endpoint(),
            operation,
            subject: Subject::None,
        };
        server.record(now, self.by(), request, Happened::Refused(why));
    }

    /// Writes down what was refused, and not told yet: the peer has gone.
    #[cfg(feature = "policy")]
    fn record_unsent<App>(&mut self, server: &mut Server<App>, now: Instant) {
        if matches!(self.state, State::Judge) {
            self.judge(server, now);
        }
        let unsent = match self.state {
            State::Sending(Sending {
                what, length: None, ..
            }) => Some(what),
            _ => self.refusal.take(),
        };
        if let Some(what) = unsent {
            self.record(server, now, what);
        }
        #[cfg(feature = "a2a")]
        self.record_unsaid(server, now, unsent);
    }

    /// Whether the credential of the request has ended since its head was
    /// judged: what it then gets.
    #[cfg(feature = "policy")]
    fn lapsed<App>(&self, server: &Server<App>, now: Instant) -> Option<What> {
        let policy = server.policy.as_ref()?;
        if self.is_granted(server, now) {
            return None;
        }
        let needed = policy.rules.needed(self.endpoint());
        Some(What::Denied(Denial::Unknown(needed)))
    }

    /// Without a policy, credentials do not end.
    #[cfg(not(feature = "policy"))]
    const fn lapsed<App>(&self, _: &Server<App>, _: Instant) -> Option<What> {
        None
    }

    /// Whether what the request was granted is still good. A stream ends when
    /// it is not.
    #[cfg(feature = "policy")]
    fn is_granted<App>(&self, server: &Server<App>, now: Instant) -> bool {
        match (&server.policy, &self.grant) {
            (Some(policy), Some(grant)) => policy.holds(grant, now),
            _ => true,
        }
    }

    /// Reads the body of a request, or refuses that.
    fn accept(&mut self, head: Head) {
        let room = self.rx.len().saturating_sub(self.head_len);
        let body = head.body;
        let waits = head.expect_continue;
        self.head = Some(head);
        if body.exceeds(room) {
            let fault = Fault::TooLong {
                bytes: match body {
                    BodyLength::Bytes(bytes) => bytes,
                    _ => room,
                },
                room,
            };
            let answer = self
                .refusal
                .take()
                .unwrap_or(What::Answer(413, fault_reply(fault)));
            return self.refuse(answer);
        }
        let reader = BodyReader::new(body);
        match (self.refusal, waits) {
            // The peer holds the body back until it hears; it hears no.
            (Some(refusal), true) => self.refuse(refusal),
            (None, true) if body != BodyLength::None => self.send(What::Continue),
            // Nothing more arrives, so nobody would ask again.
            _ if matches!(body, BodyLength::None | BodyLength::Bytes(0)) => {
                self.state = State::Ready;
            }
            // A refused body is read all the same, to find the next request.
            _ => self.state = State::Body(reader),
        }
    }

    /// Who sends a request; `None` if the server is not open to him.
    fn find_caller(&self, head: &Head) -> Option<Caller> {
        let is_open = self.config.bearer.is_none();
        #[cfg(feature = "credentials")]
        let is_open = is_open && self.config.credentials.is_empty();
        if is_open {
            return Some(Caller::ANY);
        }
        let value = head.field(self.head_bytes(), Field::Authorization)?;
        let (scheme, token) = value.split_at_checked(BEARER.len())?;
        if !alike(scheme, BEARER) {
            return None;
        }
        let known = self.config.bearer.and_then(|whose| whose(token));
        #[cfg(feature = "credentials")]
        let known = known.or_else(|| owner(self.config.credentials, token));
        known
    }

    /// What is wrong with where a request comes from and goes to, as far as
    /// its head tells.
    fn judge_place(&self, head: &Head) -> Option<What> {
        let bytes = self.head_bytes();
        let host = head.host(bytes).unwrap_or(&[]);
        let host_fine = match self.config.hosts {
            Allow::Loopback => host_is_loopback(host),
            Allow::Listed(list) => host_allowed(host, list),
            Allow::Any => true,
        };
        if !host_fine {
            return Some(forbidden("Host not allowed"));
        }
        if head.field(bytes, Field::Origin).is_some() && self.origin(head).is_none() {
            return Some(forbidden("Origin not allowed"));
        }
        #[cfg(feature = "a2a")]
        if self.agent.is_asked() {
            return self.judge_agent_method(head);
        }
        #[cfg(feature = "policy")]
        if self.is_metadata(head) {
            return None;
        }
        if !head.path_is(bytes, self.config.path) {
            return Some(NO_PATH);
        }
        match head.method {
            Method::Post => {}
            Method::Options if self.config.cors => return Some(What::Preflight),
            // Whether there is such a session is looked up behind the body.
            #[cfg(feature = "sessions")]
            Method::Delete if names_session(head, bytes) => {}
            #[cfg(all(feature = "sessions", feature = "subscriptions"))]
            Method::Get if names_session(head, bytes) => {}
            _ => return Some(NOT_SERVED),
        }
        None
    }

    /// Whether who sends the request may not, where an agent does not judge
    /// him.
    fn judge_caller(&self) -> Option<What> {
        #[cfg(feature = "a2a")]
        if self.agent.is_asked() {
            return None;
        }
        let none = self.caller.is_none();
        none.then_some(What::Plain(401, "a bearer token is needed"))
    }

    /// What is wrong with the form of the body, as far as the head tells.
    fn judge_body(&self, head: &Head) -> Option<What> {
        let bytes = self.head_bytes();
        #[cfg(feature = "a2a")]
        if self.agent.is_asked() {
            return self.judge_agent_body(head);
        }
        match head
            .field(bytes, Field::ContentType)
            .map(|value| media_type(value, "application/json"))
        {
            None | Some(MediaType::Wanted) => {}
            Some(MediaType::Charset) => return Some(What::Plain(415, "the charset must be UTF-8")),
            Some(MediaType::Other) => {
                return Some(What::Plain(415, "Content-Type must be application/json"));
            }
        }
        if head.body == BodyLength::None && head.method == Method::Post {
            return Some(What::Plain(411, "a Content-Length is needed"));
        }
        None
    }

    /// The origin of the request, if it has one that is allowed.
    fn origin<'h>(&'h self, head: &Head) -> Option<&'h [u8]> {
        let origin = head.field(self.head_bytes(), Field::Origin)?;
        let fine = match self.config.origins {
            Allow::Loopback => origin_is_loopback(origin),
            Allow::Listed(list) => origin_allowed(origin, list),
            Allow::Any => true,
        };
        fine.then_some(origin)
    }

    /// Works on what has arrived, and writes what there is to send to the
    /// start of `out`; gives its length. 0 means that nothing is left to send
    /// for now.
    ///
    /// Bound: at most one request is begun, and each handler runs at most once
    /// for each `now`: that of a call, or those of a batch one after the
    /// other.
    pub fn poll<App>(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize {
        let mut filled = 0usize;
        // Each turn sends something, begins the request, or is the last.
        loop {
            #[cfg(feature = "a2a")]
            if self.is_for_agent() {
                return filled;
            }
            match self.state {
                #[cfg(feature = "policy")]
                State::Sending(sending) if self.gone => {
                    // Nobody reads it.
                    self.record(server, now, sending.what);
                    self.sent(sending.what);
                }
                State::Sending(sending) => {
                    let length = match sending.length {
                        Some(length) => length,
                        None => self.count(server, sending.what),
                    };
                    let room = out.get_mut(filled..).unwrap_or_default();
                    if room.is_empty() {
                        return filled;
                    }
                    #[cfg(feature = "policy")]
                    if sending.length.is_none() {
                        self.record(server, now, sending.what);
                    }
                    let (written, done) =
                        self.write(server, sending.what, length, sending.sent, room);
                    self.spoke = now;
                    filled = filled.saturating_add(written);
                    if !done {
                        self.state = State::Sending(Sending {
                            what: sending.what,
                            sent: sending.sent.saturating_add(written),
                            length: Some(length),
                        });
                        return filled;
                    }
                    self.sent(sending.what);
                }
                State::Ready => {
                    self.take(server, now);
                    #[cfg(all(feature = "sessions", feature = "input"))]
                    if self.held {
                        return filled;
                    }
                }
                State::Working => {
                    if !self.go_on(server, now) {
                        return filled;
                    }
                }
                #[cfg(feature = "policy")]
                State::Judge => {
                    self.judge(server, now);
                }
                State::Head(_) | State::Body(_) | State::Closed => return filled,
            }
        }
    }

    #[cfg_attr(target_pointer_width = "32", inline(never))]
    fn send(&mut self, what: What) {
        // What is refused is written down before it is dropped.
        #[cfg(not(feature = "policy"))]
        if self.gone {
            // Nobody reads it.
            return self.sent(what);
        }
        self.state = State::Sending(Sending {
            what,
            sent: 0,
            length: None,
        });
    }

    fn answer(&mut self, reply: Reply) {
        let status = match reply.body {
            Body::Fault(fault) => fault.status(reply.version.is_modern()),
            _ => 200,
        };
        self.send(What::Answer(status, reply));
    }

    #[cfg(not(feature = "policy"))]
    fn asker(&self) -> Caller {
        self.caller.unwrap_or(NOBODY)
    }

    #[cfg(feature = "policy")]
    fn asker(&self) -> Grant {
        self.grant
            .unwrap_or(Grant::of_place(NOBODY.id, NOBODY.scopes))
    }

    /// Takes the request that stands in the buffer.
    fn take<App>(&mut self, server: &mut Server<App>, now: Instant) {
        if let Some(refusal) = self.refusal.take().or_else(|| self.lapsed(server, now)) {
            return self.send(refusal);
        }
        let end = self.head_len.saturating_add(self.body_len);
        let body = self.rx.get(self.head_len..end).unwrap_or(&[]);
        let Some(head) = &self.head else {
            return self.send(What::Plain(500, "no request"));
        };
        let headers = Headers::of(head, self.head_bytes());
        #[cfg(feature = "sessions")]
        let caller = self.caller.unwrap_or(NOBODY);
        #[cfg(feature = "sessions")]
        let named = headers.session_id().filter(|_| server.desk.key.is_some());
        #[cfg(feature = "sessions")]
        let opened = named.and_then(|id| server.desk.session(caller, id?));
        #[cfg(feature = "sessions")]
        let headers = headers.with(opened.map(|opened| opened.session));
        #[cfg(feature = "sessions")]
        if head.method != Method::Post && !headers.speaks_legacy() {
            return self.send(What::Plain(400, "unsupported MCP-Protocol-Version"));
        }
        #[cfg(all(feature = "sessions", feature = "subscriptions"))]
        if head.method == Method::Get {
            return match (opened, named) {
                (Some(opened), _) if self.can_stream() => {
                    self.opened = Some(opened);
                    self.hear(None, server.subscribe(now, Sources::TOOLS));
                }
                (None, Some(_)) => self.answer(fault_reply(Fault::Session)),
                _ => self.send(NOT_SERVED),
            };
        }
        #[cfg(feature = "sessions")]
        if head.method == Method::Delete {
            return match (opened, named) {
                (Some(opened), _) => {
                    server.desk.end(opened.number);
                    self.send(What::Accepted);
                }
                (None, Some(_)) => self.answer(fault_reply(Fault::Session)),
                (None, None) => self.send(NOT_SERVED),
            };
        }
        #[cfg(feature = "sessions")]
        let lost = named.is_some() && opened.is_none();
        if Batch::is_array(body) {
            let batch = Batch::open(self.rx, body, headers.may_batch(), true);
            #[cfg(feature = "sessions")]
            let batch = {
                self.opened = opened;
                if lost { Err(Fault::Session) } else { batch }
            };
            match batch {
                Ok(batch) => {
                    self.batch = Some(batch);
                    self.state = State::Working;
                }
                Err(fault) => self.answer(fault_reply(fault)),
            }
            return;
        }
        #[cfg(feature = "sessions")]
        let modern = headers.is_modern();
        let who = server.who(self.asker());
        #[cfg(feature = "tasks")]
        let who = crate::mcp::Who {
            tasks: self.agent.tasks,
            ..who
        };
        let decision = decide(server.device, who, self.rx, body, Framing::Http(headers));
        #[cfg(feature = "sessions")]
        {
            self.opened = opened;
            if let (true, Some(id)) = (lost, decision.legacy(modern)) {
                return self.answer(Reply {
                    id,
                    ..fault_reply(Fault::Session)
                });
            }
            if let Decision::Open(session, _) = decision {
                self.minted = server.desk.open(caller, session);
            }
        }
        // Whom nothing ties to a stream cannot be told of changes.
        #[cfg(feature = "sessions")]
        let told = self.minted.is_some();
        #[cfg(not(feature = "sessions"))]
        let told = false;
        match decision {
            #[cfg(feature = "sessions")]
            Decision::Cancel(id) => {
                if let Some(opened) = self.opened {
                    server.desk.cancel(opened.number, id.get(self.rx));
                }
                self.send(What::Accepted);
            }
            #[cfg(all(feature = "sessions", feature = "input"))]
            Decision::Response(id, result) => self.respond(server, now, id, result),
            #[cfg(not(feature = "sessions"))]
            Decision::Cancel(_) => self.send(What::Accepted),
            #[cfg(all(not(feature = "sessions"), feature = "input"))]
            Decision::Response(..) => self.send(What::Accepted),
            #[cfg(feature = "subscriptions")]
            Decision::Listen(id, sources) => self.listen(server, now, id, sources),
            #[cfg(feature = "subscriptions")]
            Decision::Subscribe(sources, on, reply) => {
                let reply = self.subscribe(server, now, sources, on, reply);
                self.answer(reply);
            }
            Decision::Nothing => self.send(What::Accepted),
            Decision::Open(_, reply) => self.answer(Reply {
                body: Body::Initialize { told },
                ..reply
            }),
            Decision::Answer(reply) => self.answer(reply),
            #[cfg(feature = "tasks")]
            Decision::Task(plan) => self.ask_desk(Ask::Wish(plan)),
            #[cfg(any(feature = "resources", feature = "prompts"))]
            Decision::Work(reply) => {
                let reply = work(server, now, reply, self.rx, self.result, &mut self.outcome);
                self.answer(reply);
            }
            #[cfg(feature = "logging")]
            Decision::SetLevel(level, reply) => {
                let reply = self.set_level(server, level, reply);
                self.answer(reply);
            }
            #[cfg(all(feature = "logging", feature = "sessions"))]
            Decision::Call(mut plan) => {
                if let (Some(opened), false) = (self.opened, plan.version.is_modern()) {
                    plan.level = server.desk.level(opened.number);
                }
                self.begin(server, now, plan);
            }
            #[cfg(not(all(feature = "logging", feature = "sessions")))]
            Decision::Call(plan) => self.begin(server, now, plan),
        }
    }

    fn begin<App>(&mut self, server: &mut Server<App>, now: Instant, plan: CallPlan) {
        #[cfg(feature = "tasks")]
        if plan.task && !asks_first(server, plan) {
            return self.ask_desk(Ask::Call(plan, 0));
        }
        let admitted = Running::admit(
            server,
            now,
            plan,
            self.by(),
            self.rx,
            self.result,
            &mut self.outcome,
        );
        match admitted {
            Admission::Failed => self.answer(reply(plan)),
            #[cfg(feature = "input")]
            Admission::Fault(fault) => self.answer(Reply {
                body: Body::Fault(fault),
                ..reply(plan)
            }),
            Admission::Begin(mut call, args) => {
                if !self.can_stream() {
                    call.plan.token = Span::EMPTY;
                    #[cfg(feature = "logging")]
                    {
                        call.plan.level = None;
                    }
                }
                let done = call.start(server, now, self.rx, args, self.result, &mut self.outcome);
                self.ran(server, now, call, done);
            }
        }
    }

    /// Lets the client of a session reach a call that goes on.
    #[cfg(feature = "sessions")]
    fn enter<App>(&mut self, server: &mut Server<App>, now: Instant, call: &Running) {
        if let (Some(opened), 0, false) = (self.opened, self.ticket, call.plan.version.is_modern())
        {
            let id = call.plan.id.get(self.rx);
            self.ticket = server.desk.enter(now, opened.number, id);
        }
    }

    /// The call is over, or out of reach.
    #[cfg(feature = "sessions")]
    fn leave<App>(&mut self, server: &mut Server<App>) {
        server.desk.leave(self.ticket);
        self.ticket = 0;
    }

    /// Prepares the questions of the call, if it has any, to be sent.
    /// `false`: they cannot be sent, and the result says why.
    #[cfg(all(feature = "sessions", feature = "input"))]
    fn ask<App>(&mut self, server: &mut Server<App>, now: Instant, call: &mut Running) -> bool {
        if !call.has_questions() {
            return true;
        }
        if self.ticket == 0 || !self.can_stream() || self.gone {
            return !call.refuse_without_session(&mut self.outcome, self.result);
        }
        let from = self.head_len.saturating_add(self.body_len);
        if !call.expect(server, now, self.rx, from, &mut self.outcome, self.result) {
            return false;
        }
        if let Some((first, count)) = call.expected() {
            server.desk.wait(self.ticket, first, count);
        }
        true
    }

    /// Hands the answer to a question to the connection that waits for it.
    #[cfg(all(feature = "sessions", feature = "input"))]
    fn respond<App>(&mut self, server: &mut Server<App>, now: Instant, id: Span, result: Span) {
        self.held = false;
        let posted = match self.opened {
            Some(opened) => {
                let (id, result) = (id.get(self.rx), result.get(self.rx));
                server.desk.post(opened.number, id, result)
            }
            None => Posted::Done,
        };
        match posted {
            Posted::Done => self.send(What::Accepted),
            Posted::Busy => {
                self.held = true;
                self.looked = now;
            }
            Posted::TooLong(room) => self.answer(fault_reply(Fault::TooLong {
                bytes: result.len(),
                room,
            })),
        }
    }

    /// Notes what messages the session wants; gives the answer.
    #[cfg(feature = "logging")]
    fn set_level<App>(&self, server: &mut Server<App>, level: Level, reply: Reply) -> Reply {
        #[cfg(feature = "sessions")]
        if let Some(opened) = self.opened {
            server.desk.set_level(opened.number, level);
            return reply;
        }
        let _ = (server, level);
        Reply {
            body: Body::Fault(Fault::Params("a level needs a session")),
            ..reply
        }
    }

    /// Begins to tell of changes.
    #[cfg(feature = "subscriptions")]
    fn hear(&mut self, id: Option<Span>, subscription: Subscription) {
        self.listen = Some(Listen {
            id,
            subscription,
            acknowledged: id.is_none(),
        });
        self.streaming = true;
        self.send(What::StreamHead);
    }

    /// Begins a subscription of the modern era.
    #[cfg(feature = "subscriptions")]
    fn listen<App>(&mut self, server: &mut Server<App>, now: Instant, id: Span, sources: Sources) {
        if self.can_stream() {
            let subscription = server.subscribe(now, sources);
            return self.hear(Some(id), subscription);
        }
        self.answer(Reply {
            id,
            version: Version::V2026_07_28,
            body: Body::Fault(Fault::Invalid("the client reads no event stream")),
        });
    }

    /// Begins or ends a subscription of the legacy era; gives the answer.
    #[cfg(feature = "subscriptions")]
    fn subscribe<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        sources: Sources,
        on: bool,
        reply: Reply,
    ) -> Reply {
        #[cfg(feature = "sessions")]
        if let Some(opened) = self.opened {
            let done = server.subscribe_session(now, opened.number, sources, on);
            return match done {
                Ok(()) => reply,
                Err(fault) => Reply {
                    body: Body::Fault(fault),
                    ..reply
                },
            };
        }
        let _ = (server, now, sources, on);
        Reply {
            body: Body::Fault(Fault::Params("a subscription needs a session")),
            ..reply
        }
    }

    /// Tells the next change, if there is one; whether that changed anything.
    #[cfg(feature = "subscriptions")]
    fn tell<App>(&mut self, server: &mut Server<App>, now: Instant, mut listen: Listen) -> bool {
        let what = if !listen.acknowledged {
            listen.acknowledged = true;
            Some(What::Acknowledged)
        } else {
            self.look = server.look(now);
            let source = listen.subscription.next(&server.watch);
            #[cfg(feature = "sessions")]
            let source = source.or_else(|| {
                let opened = self.opened.filter(|_| listen.id.is_none())?;
                server.next_of_session(opened.number)
            });
            match (source, listen.id) {
                (Some(source), _) => Some(What::Change(source)),
                (None, Some(_)) => server.watch.ending.then_some(What::ListenEnd),
                #[cfg(feature = "sessions")]
                (None, None) => {
                    let lives = self
                        .opened
                        .is_some_and(|one| server.desk.is_open(one.number));
                    (!lives).then_some(What::StreamStop)
                }
                #[cfg(not(feature = "sessions"))]
                (None, None) => None,
            }
        };
        self.listen = Some(listen);
        if let Some(what) = what {
            self.send(what);
        }
        what.is_some()
    }

    #[cfg(feature = "subscriptions")]
    fn write_listen<App>(&self, out: &mut Sink<'_>, server: &Server<App>, what: What) {
        let Some(listen) = &self.listen else {
            return;
        };
        let id = listen.id.map(|id| id.get(self.rx));
        out.text(EVENT);
        match what {
            What::Change(source) => write_change(out, server.device, id, source),
            What::ListenEnd => write_listen_end(out, id.unwrap_or_default()),
            _ => write_acknowledged(
                out,
                server.device,
                id.unwrap_or_default(),
                listen.subscription.sources(),
            ),
        }
        out.text("\n\n");
    }

    /// Sends the answer to a call, behind its messages.
    fn finish(&mut self, reply: Reply) {
        #[cfg(feature = "logging")]
        if self.outcome.has_logs() {
            return self.send_step(What::StreamEnd(reply));
        }
        if self.streaming {
            self.send(What::StreamEnd(reply));
        } else {
            self.answer(reply);
        }
    }

    /// Sends this on the stream, behind the messages of the step that it
    /// comes from.
    #[cfg(any(feature = "logging", all(feature = "sessions", feature = "input")))]
    fn send_step(&mut self, what: What) {
        #[cfg(feature = "logging")]
        if self.outcome.has_logs() {
            // There is room for what follows the head of a stream.
            let _ = self.later.push(what);
            return self.stream(What::Logs);
        }
        self.stream(what);
    }

    /// Sends this on the stream, which is opened if it is not open.
    #[cfg(any(feature = "logging", all(feature = "sessions", feature = "input")))]
    fn stream(&mut self, what: What) {
        if self.streaming {
            return self.send(what);
        }
        self.streaming = true;
        let _ = self.later.insert(0, what);
        self.send(What::StreamHead);
    }

    /// Whether the peer reads a stream of events: it names the type, and its
    /// HTTP has chunks (M-053, M-078).
    fn can_stream(&self) -> bool {
        let bytes = self.head_bytes();
        self.head.as_ref().is_some_and(|head| {
            head.version == HttpVersion::Http11
                && head.accepts(bytes, EVENTS)
                && head.parts(bytes, Field::Accept).any(|part| {
                    Parts::new(part, b';')
                        .next()
                        .is_some_and(|media| alike(media, EVENTS.as_bytes()))
                })
        })
    }

    /// Runs a step of the call, and sends what comes of it.
    fn run<App>(&mut self, server: &mut Server<App>, now: Instant, mut call: Running) {
        #[cfg(all(feature = "sessions", feature = "input"))]
        let ready = call.collect(self.rx, &mut self.outcome, self.result);
        #[cfg(not(all(feature = "sessions", feature = "input")))]
        let ready = true;
        let done = !ready || call.step(server, now, self.rx, self.result, &mut self.outcome);
        self.ran(server, now, call, done);
    }

    /// Sends what a step of the call has come to.
    fn ran<App>(&mut self, server: &mut Server<App>, now: Instant, mut call: Running, done: bool) {
        self.state = State::Working;
        // It has asked what it had to ask.
        #[cfg(feature = "tasks")]
        if call.becomes_task() && !done {
            return self.ask_desk(Ask::Call(call.plan, call.memo()));
        }
        #[cfg(feature = "sessions")]
        if !done {
            self.enter(server, now, &call);
        }
        #[cfg(all(feature = "sessions", feature = "input"))]
        let done = done || !self.ask(server, now, &mut call);
        #[cfg(all(not(feature = "sessions"), feature = "input"))]
        let done = done || call.refuse_without_session(&mut self.outcome, self.result);
        if done {
            #[cfg(feature = "sessions")]
            self.leave(server);
            #[cfg(feature = "policy")]
            call.ended(server, now, self.by(), &self.outcome);
            let reply = call.reply(server, now, self.rx, self.result, &mut self.outcome);
            return self.finish(reply);
        }
        #[cfg(all(feature = "sessions", feature = "input"))]
        if let Some(first) = call.unsent() {
            self.call = Some(call);
            return self.send_step(What::Questions(first));
        }
        #[cfg(feature = "logging")]
        if self.outcome.has_logs() {
            let report = call.report();
            self.call = Some(call);
            return match report {
                Some(progress) => self.send_step(What::Progress(progress)),
                None => self.stream(What::Logs),
            };
        }
        if self.streaming {
            if let Some(progress) = call.report() {
                self.call = Some(call);
                self.send(What::Progress(progress));
                return;
            }
        } else if call.has_report() {
            self.streaming = true;
            self.call = Some(call);
            return self.send(What::StreamHead);
        }
        self.call = Some(call);
    }

    /// Goes on with the call or the batch; whether that changed anything.
    fn go_on<App>(&mut self, server: &mut Server<App>, now: Instant) -> bool {
        #[cfg(any(feature = "logging", all(feature = "sessions", feature = "input")))]
        if !self.later.is_empty() {
            let what = self.later.remove(0);
            self.send(what);
            return true;
        }
        #[cfg(all(feature = "subscriptions", feature = "policy"))]
        if self.listen.is_some() && !self.is_granted(server, now) {
            self.closing = true;
            self.state = State::Closed;
            return true;
        }
        if self.streaming && self.spoke.after(KEEP_ALIVE_MS) <= now && !self.gone {
            self.send(What::KeepAlive);
            return true;
        }
        #[cfg(feature = "subscriptions")]
        if let Some(listen) = self.listen {
            return self.tell(server, now, listen);
        }
        if let Some(mut call) = self.call.take() {
            #[cfg(feature = "sessions")]
            if self.ticket != 0 {
                self.looked = now;
                if server.desk.is_cancelled(now, self.ticket) {
                    call.cancel(
                        server,
                        now,
                        self.by(),
                        self.rx,
                        self.result,
                        &mut self.outcome,
                    );
                    self.leave(server);
                    // Nothing is said of a call that was given up (M-092).
                    self.send(if self.streaming {
                        What::StreamStop
                    } else {
                        What::Accepted
                    });
                    return true;
                }
            }
            #[cfg(all(feature = "sessions", feature = "input"))]
            if let Some((number, result)) = server.desk.fetch(self.ticket) {
                call.answer(now, self.rx, number, result);
            }
            if let Some(progress) = call.report() {
                self.call = Some(call);
                self.send(What::Progress(progress));
                return true;
            }
            if !call.is_due(now) {
                self.call = Some(call);
                return false;
            }
            self.run(server, now, call);
            return !matches!(self.state, State::Working);
        }
        let (Some(mut batch), Some(head)) = (self.batch.take(), &self.head) else {
            self.closing = true;
            self.state = State::Closed;
            return true;
        };
        let bytes = self.rx.get(..self.head_len).unwrap_or(&[]);
        let headers = Headers::of(head, bytes);
        #[cfg(feature = "sessions")]
        let headers = headers.with(self.opened.map(|opened| opened.session));
        let framing = Framing::Http(headers);
        #[cfg(feature = "sessions")]
        if self.ticket != 0 && server.desk.is_cancelled(now, self.ticket) {
            batch.cancel(
                server,
                now,
                self.by(),
                self.rx,
                self.result,
                &mut self.outcome,
            );
        }
        // What has begun goes on; nothing more begins.
        #[cfg(feature = "policy")]
        if batch.waiting.is_none()
            && let Some(denied) = self.lapsed(server, now)
        {
            self.closing = true;
            if batch.answered {
                self.record(server, now, denied);
                self.state = State::Closed;
            } else {
                self.send(denied);
            }
            return true;
        }
        let who = server.who(self.asker());
        let turn = batch.go_on(
            server,
            now,
            who,
            self.rx,
            framing,
            self.result,
            &mut self.outcome,
        );
        let answered = batch.answered;
        #[cfg(feature = "sessions")]
        if batch.waiting.is_none() {
            self.leave(server);
        }
        self.batch = Some(batch);
        match turn {
            Turn::Answer(reply) if answered => self.send(What::BatchAnswer(reply)),
            Turn::Answer(reply) => {
                if let Some(batch) = &mut self.batch {
                    batch.answered = true;
                }
                // Without chunks, the end of the connection ends the answer.
                self.closing |= !self.chunks();
                self.send(What::BatchHead(reply));
            }
            Turn::Again => {}
            #[cfg(feature = "sessions")]
            Turn::Cancel(id) => {
                if let Some(opened) = self.opened {
                    server.desk.cancel(opened.number, id.get(self.rx));
                }
            }
            #[cfg(not(feature = "sessions"))]
            Turn::Cancel(_) => {}
            #[cfg(all(feature = "sessions", feature = "input"))]
            Turn::Response(id, result) => {
                // What is too long has no answer of its own in a batch: its
                // question stays open.
                if let Some(opened) = self.opened
                    && server
                        .desk
                        .post(opened.number, id.get(self.rx), result.get(self.rx))
                        == Posted::Busy
                    && let Some(batch) = &mut self.batch
                {
                    batch.again(id, result);
                    self.held = true;
                    self.looked = now;
                    return false;
                }
                self.held = false;
            }
            #[cfg(all(not(feature = "sessions"), feature = "input"))]
            Turn::Response(..) => {}
            Turn::Wait => {
                #[cfg(feature = "sessions")]
                if let Some(call) = self.batch.as_ref().and_then(|batch| batch.waiting) {
                    self.enter(server, now, &call);
                    self.looked = now;
                }
                return false;
            }
            Turn::End if answered => self.send(What::BatchEnd),
            Turn::End => {
                self.batch = None;
                self.send(What::Accepted);
            }
        }
        true
    }

    fn sent(&mut self, what: What) {
        match what {
            What::Continue => {
                let length = self
                    .head
                    .as_ref()
                    .map_or(BodyLength::None, |head| head.body);
                self.state = State::Body(BodyReader::new(length));
            }
            What::StreamHead
            | What::KeepAlive
            | What::Progress(_)
            | What::BatchHead(_)
            | What::BatchAnswer(_) => {
                self.state = State::Working;
            }
            #[cfg(feature = "subscriptions")]
            What::Acknowledged | What::Change(_) => self.state = State::Working,
            #[cfg(all(feature = "sessions", feature = "input"))]
            What::Questions(_) => self.state = State::Working,
            #[cfg(feature = "logging")]
            What::Logs => self.state = State::Working,
            #[cfg(feature = "a2a")]
            What::Agent(said) if Self::agent_goes_on(said) => self.state = State::Working,
            _ if self.closing => {
                self.batch = None;
                self.state = State::Closed;
            }
            _ => self.next(),
        }
    }

    /// Makes room for the next request.
    fn next(&mut self) {
        self.state = State::Head(HeadEnd::new(self.rx.len()));
        self.head = None;
        self.head_len = 0;
        self.body_len = 0;
        self.refusal = None;
        // What comes next is nobody's until its head is judged.
        #[cfg(feature = "policy")]
        {
            self.caller = None;
            self.grant = None;
        }
        self.batch = None;
        self.call = None;
        #[cfg(feature = "subscriptions")]
        {
            self.listen = None;
        }
        #[cfg(feature = "a2a")]
        self.agent.clear();
        #[cfg(feature = "sessions")]
        {
            self.opened = None;
            self.minted = None;
        }
        #[cfg(all(feature = "sessions", feature = "input"))]
        {
            self.held = false;
        }
        #[cfg(any(feature = "logging", all(feature = "sessions", feature = "input")))]
        self.later.clear();
        self.streaming = false;
    }

    /// Whether the body of a batch's answer is chunked; before HTTP/1.1 it
    /// ends with the connection.
    fn chunks(&self) -> bool {
        self.head
            .as_ref()
            .is_some_and(|head| head.version == HttpVersion::Http11)
    }

    fn count<App>(&self, server: &Server<App>, what: What) -> usize {
        let mut sink = Sink::counter();
        self.write_body(&mut sink, server, what);
        sink.total()
    }

    /// The part of an answer whose length is told before it.
    fn write_body<App>(&self, out: &mut Sink<'_>, server: &Server<App>, what: What) {
        match what {
            // The answer to HEAD has the length of a body, and none.
            _ if out.total() > 0 && self.is_head_request() => {}
            What::Answer(_, reply) | What::BatchHead(reply) | What::BatchAnswer(reply) => {
                match what {
                    What::BatchHead(_) => out.byte(b'['),
                    What::BatchAnswer(_) => out.byte(b','),
                    _ => {}
                }
                write_reply(
                    out,
                    server.device,
                    reply,
                    self.rx,
                    &self.outcome,
                    self.result,
                );
            }
            What::Plain(_, text) => {
                out.text(text);
                out.byte(b'\n');
            }
            #[cfg(feature = "policy")]
            What::Denied(denial) => {
                out.text(denial.text());
                out.byte(b'\n');
            }
            #[cfg(feature = "policy")]
            What::Metadata => {
                if let Some(policy) = &server.policy
                    && let Some(protected) = &policy.rules.protected
                {
                    protected.write(out, policy.rules.scopes);
                }
            }
            What::Progress(progress) => {
                out.text(EVENT);
                let token = self
                    .call
                    .as_ref()
                    .map_or(Span::EMPTY, |call| call.plan.token);
                write_progress(out, token.get(self.rx), progress);
                out.text("\n\n");
            }
            What::StreamEnd(reply) => {
                out.text(EVENT);
                write_reply(
                    out,
                    server.device,
                    reply,
                    self.rx,
                    &self.outcome,
                    self.result,
                );
                out.text("\n\n");
            }
            #[cfg(all(feature = "sessions", feature = "input"))]
            What::Questions(first) => {
                let questions = self.outcome.questions(self.result);
                for (number, (_, request)) in (first..).zip(questions) {
                    out.text(EVENT);
                    crate::mcp::write_request(out, number, request);
                    out.text("\n\n");
                }
            }
            #[cfg(feature = "logging")]
            What::Logs => {
                for piece in self.outcome.pieces(self.result) {
                    if let Piece::Log { level, text } = piece {
                        out.text(EVENT);
                        write_log(out, level, text);
                        out.text("\n\n");
                    }
                }
            }
            #[cfg(feature = "sessions")]
            What::StreamStop => {}
            What::KeepAlive => out.text(":\n\n"),
            #[cfg(feature = "subscriptions")]
            What::Acknowledged | What::Change(_) | What::ListenEnd => {
                self.write_listen(out, server, what);
            }
            What::BatchEnd => out.byte(b']'),
            #[cfg(feature = "a2a")]
            What::Agent(_) => {}
            What::Continue | What::Preflight | What::Accepted | What::StreamHead => {}
        }
    }

    /// Writes the bytes from `sent` on; whether they are the last.
    fn write<App>(
        &self,
        server: &Server<App>,
        what: What,
        length: usize,
        sent: usize,
        room: &mut [u8],
    ) -> (usize, bool) {
        let mut sink = Sink::window(room, sent);
        let out = &mut sink;
        match what {
            What::Continue => out.put(CONTINUE),
            What::Plain(status, text) => {
                // A sentence and its line end.
                let length = Content::Length(text.len() + 1);
                let methods = self.methods(server);
                self.write_head_of(out, methods, status, Some("text/plain"), length, None);
                self.write_body(out, server, what);
            }
            #[cfg(feature = "policy")]
            What::Denied(denial) => {
                let mut challenge = [0; CHALLENGE];
                let mut seconds = [0; 10];
                let extra = write_denial(server, denial, &mut challenge, &mut seconds);
                let length = Content::Length(length);
                let media = Some("text/plain");
                self.write_head_of(out, POST_ALONE, denial.status(), media, length, extra);
                self.write_body(out, server, what);
            }
            #[cfg(feature = "policy")]
            What::Metadata => {
                self.write_head(out, 200, Some(JSON), Content::Length(length));
                self.write_body(out, server, what);
            }
            What::Preflight => {
                let methods = self.methods(server);
                self.write_head_of(out, methods, 204, None, Content::Length(0), None);
            }
            What::Accepted => self.write_head(out, 202, None, Content::Length(0)),
            What::Answer(status, _) => {
                self.write_head(out, status, Some(JSON), Content::Length(length));
                self.write_body(out, server, what);
            }
            What::StreamHead => self.write_head(out, 200, Some(EVENTS), Content::Chunked),
            What::Progress(_) | What::KeepAlive => self.write_chunk(out, server, what, length),
            #[cfg(feature = "subscriptions")]
            What::Acknowledged | What::Change(_) => self.write_chunk(out, server, what, length),
            #[cfg(feature = "subscriptions")]
            What::ListenEnd => {
                self.write_chunk(out, server, what, length);
                out.put(LAST_CHUNK);
            }
            #[cfg(all(feature = "sessions", feature = "input"))]
            What::Questions(_) => self.write_chunk(out, server, what, length),
            #[cfg(feature = "logging")]
            What::Logs => self.write_chunk(out, server, what, length),
            #[cfg(feature = "sessions")]
            What::StreamStop => out.put(LAST_CHUNK),
            What::StreamEnd(_) => {
                self.write_chunk(out, server, what, length);
                out.put(LAST_CHUNK);
            }
            What::BatchHead(_) => {
                let content = if self.chunks() {
                    Content::Chunked
                } else {
                    Content::UntilClose
                };
                self.write_head(out, 200, Some(JSON), content);
                self.write_chunk(out, server, what, length);
            }
            What::BatchAnswer(_) => self.write_chunk(out, server, what, length),
            #[cfg(feature = "a2a")]
            What::Agent(_) => {}
            What::BatchEnd => {
                self.write_chunk(out, server, what, 1);
                if self.chunks() {
                    out.put(LAST_CHUNK);
                }
            }
        }
        (sink.filled(), !sink.overflowed())
    }

    fn write_chunk<App>(
        &self,
        out: &mut Sink<'_>,
        server: &Server<App>,
        what: What,
        length: usize,
    ) {
        if self.chunks() {
            chunk_start(out, length);
            self.write_body(out, server, what);
            out.put(CHUNK_END);
        } else {
            self.write_body(out, server, what);
        }
    }

    fn is_head_request(&self) -> bool {
        self.head
            .as_ref()
            .is_some_and(|head| head.method == Method::Head)
    }

    /// The methods that the path of the request takes: `GET` and `DELETE`
    /// where there are sessions, which is where there is a key for them.
    fn methods<App>(&self, server: &Server<App>) -> Methods {
        #[cfg(feature = "a2a")]
        if let Some(methods) = self.agent.methods() {
            return methods;
        }
        #[cfg(feature = "policy")]
        if self
            .head
            .as_ref()
            .is_some_and(|head| self.is_metadata(head))
        {
            return READ_METHODS;
        }
        #[cfg(feature = "sessions")]
        if server.desk.key.is_some() {
            return SESSION_METHODS;
        }
        let _ = server;
        POST_ALONE
    }

    fn write_head(
        &self,
        out: &mut Sink<'_>,
        status: u16,
        content_type: Option<&str>,
        content: Content,
    ) {
        self.write_head_of(out, POST_ALONE, status, content_type, content, None);
    }

    /// The same, of a path with these methods, and with a field that says why.
    fn write_head_of(
        &self,
        out: &mut Sink<'_>,
        methods: Methods,
        status: u16,
        content_type: Option<&str>,
        content: Content,
        why: Option<(&str, &[u8])>,
    ) {
        let mut answer = ResponseHead::new(status);
        answer.content_type = content_type;
        answer.content = content;
        answer.connection = match &self.head {
            Some(head) => head.connection(self.closing),
            None => Connection::Close,
        };
        if matches!(status, 204 | 405) {
            answer.allow = Some(if self.config.cors {
                methods.with_options
            } else {
                methods.own
            });
        }
        #[cfg(feature = "sessions")]
        let minted;
        #[cfg(feature = "sessions")]
        if let (Some(id), 200) = (&self.minted, status) {
            minted = [(SESSION, id.text())];
            answer.extra = &minted;
        }
        if let Some(why) = &why {
            answer.extra = core::slice::from_ref(why);
        } else if status == 401 {
            answer.extra = &[("WWW-Authenticate", b"Bearer")];
        } else if content == Content::Chunked && content_type == Some(EVENTS) {
            // Proxies must not hold events back (M-081).
            answer.extra = &[("Cache-Control", b"no-store"), ("X-Accel-Buffering", b"no")];
        }
        answer.cors = self.cors(status, methods, EXPOSED);
        answer.write(out);
    }

    /// What a page of another origin may do, if there is one, and it may.
    fn cors(&self, status: u16, methods: Methods, expose: &'static str) -> Option<Cors<'_>> {
        let head = self.head.as_ref().filter(|_| self.config.cors)?;
        let headers = head
            .field(self.head_bytes(), Field::AccessControlRequestHeaders)
            .and_then(|names| core::str::from_utf8(names).ok());
        Some(Cors {
            origin: self.origin(head)?,
            expose,
            preflight: (status == 204).then_some(Preflight {
                methods: methods.own,
                headers: headers.unwrap_or("Content-Type"),
                max_age_s: PREFLIGHT_S,
            }),
        })
    }
}

/// The methods that a path takes.
#[derive(Clone, Copy)]
struct Methods {
    own: &'static str,
    /// The same, where pages of other origins are let in.
    with_options: &'static str,
}

const POST_ALONE: Methods = Methods {
    own: "POST",
    with_options: "POST, OPTIONS",
};

/// What is only read.
#[cfg(any(feature = "policy", feature = "a2a"))]
const READ_METHODS: Methods = Methods {
    own: "GET, HEAD",
    with_options: "GET, HEAD, OPTIONS",
};

#[cfg(all(feature = "sessions", feature = "subscriptions"))]
const SESSION_METHODS: Methods = Methods {
    own: "POST, GET, DELETE",
    with_options: "POST, GET, DELETE, OPTIONS",
};

#[cfg(all(feature = "sessions", not(feature = "subscriptions")))]
const SESSION_METHODS: Methods = Methods {
    own: "POST, DELETE",
    with_options: "POST, DELETE, OPTIONS",
};

/// What a page of another origin may read beside the body.
#[cfg(feature = "sessions")]
const EXPOSED: &str = SESSION;
#[cfg(not(feature = "sessions"))]
const EXPOSED: &str = "";

/// Who may do nothing.
const NOBODY: Caller = Caller { id: 0, scopes: 0 };
const NO_PATH: What = What::Plain(404, "no such path");
const NOT_SERVED: What = What::Plain(405, "this method is not served here");
/// How often it is looked for what other connections have brought, in
/// milliseconds.
#[cfg(feature = "sessions")]
const LOOK_MS: u32 = 20;
/// How long an event stream is silent, in milliseconds, before a comment is
/// sent.
const KEEP_ALIVE_MS: u32 = 15_000;
const BEARER: &[u8] = b"Bearer ";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
/// Each message is one event of one line (M-085).
const EVENT: &str = "event: message\ndata: ";
/// How long a page need not ask again, in seconds.
const PREFLIGHT_S: u32 = 600;

/// Bytes of a challenge; see [`Rules`](crate::policy::Rules) for what is in
/// it. A longer one is cut down to the name of the scheme.
#[cfg(feature = "policy")]
const CHALLENGE: usize = 512;

/// The field of a denial: what is needed, or how long to wait.
#[cfg(feature = "policy")]
fn write_denial<'w, App>(
    server: &Server<App>,
    denial: Denial,
    challenge: &'w mut [u8; CHALLENGE],
    seconds: &'w mut [u8; 10],
) -> Option<(&'static str, &'w [u8])> {
    let policy = server.policy.as_ref()?;
    if let Denial::Tries(wait) = denial {
        let mut sink = Sink::new(seconds);
        sink.number(u64::from(wait));
        let len = sink.filled();
        return Some(("Retry-After", seconds.get(..len)?));
    }
    let mut sink = Sink::new(challenge);
    write_challenge(&mut sink, &policy.rules, denial);
    if sink.overflowed() {
        return Some(("WWW-Authenticate", b"Bearer"));
    }
    let len = sink.filled();
    Some(("WWW-Authenticate", challenge.get(..len)?))
}

/// What a head shows of who sends it.
#[cfg(any(feature = "policy", feature = "a2a"))]
fn presented<'h>(head: &Head, bytes: &'h [u8]) -> Presented<'h> {
    if let Some(value) = head.field(bytes, Field::Authorization)
        && let Some((scheme, token)) = value.split_at_checked(BEARER.len())
        && alike(scheme, BEARER)
    {
        return Presented::Bearer(token);
    }
    match head.field(bytes, Field::ApiKey) {
        Some(key) => Presented::ApiKey(key),
        None => Presented::None,
    }
}

#[cfg(feature = "sessions")]
fn names_session(head: &Head, bytes: &[u8]) -> bool {
    head.named(bytes, SESSION.as_bytes()).next().is_some()
}

fn forbidden(why: &'static str) -> What {
    What::Answer(403, fault_reply(Fault::Invalid(why)))
}

/// The answer to a message whose id and version are not known.
fn fault_reply(fault: Fault) -> Reply {
    Reply {
        id: Span::EMPTY,
        version: UNKNOWN,
        body: Body::Fault(fault),
    }
}
