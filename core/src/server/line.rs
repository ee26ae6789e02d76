//! A connection of newline-delimited messages: UART, USB serial, stdio, a
//! TCP stream.

use super::Server;
use super::batch::{Batch, Turn};
#[cfg(feature = "tasks")]
use super::running::asks_first;
#[cfg(feature = "policy")]
use super::running::note;
use super::running::{Admission, By, Running, UNKNOWN, keep, reply};
#[cfg(feature = "tasks")]
use super::tasks::{Ask, Came, serve};
#[cfg(feature = "subscriptions")]
use super::watch::Subscription;
#[cfg(any(feature = "resources", feature = "prompts"))]
use super::work::work;
use crate::buf::{Sink, Span};
use crate::frame::line::{Line as Frame, Lines};
use crate::json::write;
#[cfg(any(feature = "subscriptions", feature = "tasks"))]
use crate::mcp::Version;
#[cfg(feature = "logging")]
use crate::mcp::write_log;
use crate::mcp::{
    Body, CallPlan, Decision, Fault, Framing, Reply, Session, decide, write_progress, write_reply,
};
#[cfg(feature = "subscriptions")]
use crate::mcp::{
    Sources, write_acknowledged, write_change, write_listen_cancelled, write_listen_end,
};
#[cfg(feature = "tasks")]
use crate::mcp::{TaskReply, write_task};
#[cfg(feature = "policy")]
use crate::policy::{Grant, Outcome as Happened, Why};
#[cfg(feature = "tasks")]
use crate::task::{Principal, Runtime, Tasks};
use crate::time::Instant;
use crate::tool::{Caller, Outcome, Progress};
#[cfg(feature = "logging")]
use crate::tool::{Level, Piece};

/// The memory of one line connection, to be placed in a `static`.
///
/// * `RX` bytes: the longest line. Clients send 300 to 400 bytes around the
///   arguments of a call; 512 plus the arguments is a fair choice.
/// * `RESULT` bytes: the largest result of a tool, without constant blobs; at
///   least 192, so that an error report fits.
/// * `CALLS` calls of polled tools can be in flight, each with an id,
///   arguments and a progress token of `KEPT` bytes together.
///
/// Its size is `RX + RESULT + CALLS * (KEPT + about 80)` bytes.
#[derive(Debug)]
pub struct LineMemory<const RX: usize, const RESULT: usize, const CALLS: usize, const KEPT: usize> {
    rx: [u8; RX],
    result: [u8; RESULT],
    kept: [[u8; KEPT]; CALLS],
    flights: [Place; CALLS],
}

impl<const RX: usize, const RESULT: usize, const CALLS: usize, const KEPT: usize>
    LineMemory<RX, RESULT, CALLS, KEPT>
{
    const FITS: () = {
        assert!(
            RX <= u16::MAX as usize,
            "a line buffer is longer than 65535 bytes"
        );
        assert!(
            RX >= 192,
            "no request fits into a line buffer below 192 bytes"
        );
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
            kept: [[0; KEPT]; CALLS],
            flights: [Place::Free; CALLS],
        }
    }
}

impl<const RX: usize, const RESULT: usize, const CALLS: usize, const KEPT: usize> Default
    for LineMemory<RX, RESULT, CALLS, KEPT>
{
    fn default() -> Self {
        Self::new()
    }
}

/// A place for a call in flight.
///
/// Not an `Option`: the free place is all zeros, so that the memory of a
/// connection needs no copy of itself in flash.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
#[expect(
    private_interfaces,
    reason = "others place it, and never look what stands there"
)]
pub enum Place {
    /// Nothing: all zeros.
    Free = 0,
    /// A call.
    Taken(Running) = 1,
    /// A subscription; the place of its id.
    #[cfg(feature = "subscriptions")]
    Listen(Span, Subscription) = 2,
}

impl Place {
    fn call(&self) -> Option<&Running> {
        match self {
            Self::Taken(call) => Some(call),
            _ => None,
        }
    }
}

/// One line connection.
///
/// ```
/// # use agentmote::mcp::{Device, Identity};
/// # use agentmote::server::{Line, LineMemory, Server};
/// # use agentmote::time::Instant;
/// static DEVICE: Device<()> = Device::new(Identity::new("d", "1"), &[]);
/// let mut server = Server::new(&DEVICE, ());
/// let mut memory = LineMemory::<512, 192, 0, 0>::new();
/// let mut line = Line::new(&mut memory);
/// let ping = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n";
/// assert_eq!(line.receive(ping), ping.len());
/// let mut out = [0; 128];
/// let n = line.poll(&mut server, Instant::from_millis(0), &mut out);
/// assert_eq!(&out[..n], b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
/// ```
#[derive(Debug)]
pub struct Line<'m> {
    rx: &'m mut [u8],
    result: &'m mut [u8],
    kept: &'m mut [u8],
    /// Bytes of `kept` for each call.
    share: usize,
    flights: &'m mut [Place],
    /// The call in flight that is looked at first, so that all get their turn.
    first: usize,
    lines: Lines,
    session: Option<Session>,
    outcome: Outcome,
    sending: Option<Sending>,
    batch: Option<Batch>,
    #[cfg(any(feature = "input", feature = "scopes"))]
    caller: Caller,
    /// The least serious message that the client of the legacy era wants.
    #[cfg(feature = "logging")]
    level: Option<Level>,
    /// What is sent behind messages.
    #[cfg(feature = "logging")]
    then: Option<What>,
    /// What the client of the legacy era has subscribed to.
    #[cfg(feature = "subscriptions")]
    subscription: Subscription,
    /// When to look whether something has changed.
    #[cfg(feature = "subscriptions")]
    look: Option<Instant>,
    /// Whether calls become tasks, as long as they are at hand.
    #[cfg(feature = "tasks")]
    tasks: bool,
    /// What is wanted of the tasks, by the message in the line buffer or by
    /// the call in flight at this place.
    #[cfg(feature = "tasks")]
    ask: Option<(Ask, Option<usize>)>,
}

/// What is being sent, and how much of it has gone.
#[derive(Clone, Copy, Debug)]
struct Sending {
    what: What,
    sent: usize,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// The answer to the message in the line buffer.
    Answer(Reply),
    /// The answer to a call in flight, whose place is free after it.
    Finished(Reply, usize),
    /// Progress of a call in flight.
    Progress(usize, Progress),
    /// The questions of a call in flight, as requests from this number on.
    #[cfg(feature = "input")]
    Questions(u32),
    /// The messages of a call.
    #[cfg(feature = "logging")]
    Logs,
    /// That the subscription at this place has begun.
    #[cfg(feature = "subscriptions")]
    Acknowledged(usize),
    /// That a source has changed: to the subscription at this place, or to
    /// the client of the legacy era.
    #[cfg(feature = "subscriptions")]
    Change(Option<usize>, u8),
    /// That the subscription at this place has ended.
    #[cfg(feature = "subscriptions")]
    ListenEnd(usize),
    /// A task, to the message in the line buffer, or to the call in flight
    /// whose place is free after it.
    #[cfg(feature = "tasks")]
    Task(TaskReply, Option<usize>),
    /// The end of a batch's array.
    BatchEnd,
}

impl<'m> Line<'m> {
    /// A connection over this memory.
    pub fn new<const RX: usize, const RESULT: usize, const CALLS: usize, const KEPT: usize>(
        memory: &'m mut LineMemory<RX, RESULT, CALLS, KEPT>,
    ) -> Self {
        Self::over(
            &mut memory.rx,
            &mut memory.result,
            memory.kept.as_flattened_mut(),
            KEPT,
            &mut memory.flights,
        )
    }

    /// A connection over buffers whose sizes are known at run time only. The
    /// sizes that [`LineMemory`] tells hold for them too; what is longer than
    /// 65535 bytes is not used.
    ///
    /// `kept` holds `share` bytes for each place of `flights`.
    pub fn over(
        rx: &'m mut [u8],
        result: &'m mut [u8],
        kept: &'m mut [u8],
        share: usize,
        flights: &'m mut [Place],
    ) -> Self {
        flights.fill(Place::Free);
        Self {
            rx: at_most(rx),
            result: at_most(result),
            kept,
            share,
            flights,
            first: 0,
            lines: Lines::new(),
            session: None,
            outcome: Outcome::default(),
            sending: None,
            batch: None,
            #[cfg(any(feature = "input", feature = "scopes"))]
            caller: Caller::ANY,
            #[cfg(feature = "logging")]
            level: None,
            #[cfg(feature = "logging")]
            then: None,
            #[cfg(feature = "subscriptions")]
            subscription: Subscription::NONE,
            #[cfg(feature = "subscriptions")]
            look: None,
            #[cfg(feature = "tasks")]
            tasks: false,
            #[cfg(feature = "tasks")]
            ask: None,
        }
    }

    /// Who is on the other end, for all that comes from now on;
    /// [`Caller::ANY`] without this.
    #[cfg(any(feature = "input", feature = "scopes"))]
    pub fn set_caller(&mut self, caller: Caller) {
        self.caller = caller;
    }

    #[cfg(all(any(feature = "input", feature = "scopes"), not(feature = "policy")))]
    fn caller(&self) -> Caller {
        self.caller
    }

    /// Who is written down.
    #[cfg(feature = "policy")]
    fn by(&self) -> By {
        self.asker().doer()
    }

    #[cfg(not(feature = "policy"))]
    const fn by(&self) -> By {
        By
    }

    #[cfg(not(feature = "policy"))]
    fn asker(&self) -> Caller {
        self.caller()
    }

    #[cfg(feature = "policy")]
    fn asker(&self) -> Grant {
        Grant::of_place(self.caller.id, self.caller.scopes)
    }

    #[cfg(not(any(feature = "input", feature = "scopes")))]
    const fn caller(&self) -> Caller {
        Caller::ANY
    }

    /// Takes bytes that arrived, at most up to the end of a line; gives how
    /// many. The rest waits for the next [`poll`](Self::poll).
    pub fn receive(&mut self, bytes: &[u8]) -> usize {
        self.lines.receive(self.rx, bytes)
    }

    /// Forgets the peer: an unfinished line, the handshake, every call in
    /// flight, whose handlers are told so. For the end of input, or a new
    /// peer on the same wire (M-093).
    pub fn reset<App>(&mut self, server: &mut Server<App>, now: Instant) {
        // A call whose answer is on its way has ended.
        let sending = self.sending.take().map(|sending| sending.what);
        #[cfg(feature = "logging")]
        let sending = self.then.take().or(sending);
        if let Some(What::Finished(_, at)) = sending {
            self.free(at);
        }
        // So has one that has become a task.
        #[cfg(feature = "tasks")]
        if let Some(What::Task(_, Some(at))) = sending {
            self.free(at);
        }
        #[cfg(feature = "tasks")]
        if let Some((Ask::Kept(..), Some(at))) = self.ask.take() {
            self.free(at);
        }
        self.cancel(server, now, None);
        self.batch = None;
        self.session = None;
        #[cfg(feature = "logging")]
        {
            self.level = None;
        }
        #[cfg(feature = "subscriptions")]
        {
            self.subscription = Subscription::NONE;
            self.look = None;
        }
        self.lines.clear();
    }

    /// Whether a call is on its way. A subscription is none: it has no end of
    /// its own.
    pub fn is_working(&self) -> bool {
        self.flights.iter().any(|place| place.call().is_some())
    }

    /// When [`poll`](Self::poll) wants to be called although nothing arrives;
    /// `None` if only arriving bytes give it work.
    pub fn wake(&self) -> Option<Instant> {
        let wakes = self
            .flights
            .iter()
            .filter_map(Place::call)
            .map(Running::wake);
        #[cfg(feature = "subscriptions")]
        let wakes = wakes.chain(self.look);
        wakes.min()
    }

    /// Works on what has arrived and on the calls in flight, and writes what
    /// there is to send to the start of `out`; gives its length. 0 means that
    /// nothing is left to send for now.
    ///
    /// Bound: at most one line is begun, and each handler of a call in flight
    /// runs at most once for each `now`.
    pub fn poll<App>(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize {
        self.drive(
            server,
            #[cfg(feature = "tasks")]
            None,
            now,
            out,
        )
    }

    fn drive<App>(
        &mut self,
        server: &mut Server<App>,
        #[cfg(feature = "tasks")] tasks: Option<&Tasks<'_>>,
        now: Instant,
        out: &mut [u8],
    ) -> usize {
        let mut filled = 0;
        // Each turn sends something, takes a message, or is the last.
        loop {
            if let Some(sending) = self.sending {
                let room = out.get_mut(filled..).unwrap_or_default();
                if room.is_empty() {
                    return filled;
                }
                #[cfg(feature = "tasks")]
                if let What::Task(reply, at) = sending.what {
                    // It is told by the table, which others may not have.
                    let Some(tasks) = tasks else {
                        return filled;
                    };
                    if tasks.state(reply.task).is_none() {
                        if let (false, Some(end)) = (sending.sent == 0, room.first_mut()) {
                            // What has gone cannot be taken back.
                            *end = b'\n';
                            filled += 1;
                            self.sent(sending.what);
                        } else {
                            let reply = Reply {
                                id: reply.id,
                                version: Version::V2026_07_28,
                                body: Body::Fault(Fault::Internal(
                                    "the task was dropped meanwhile",
                                )),
                            };
                            self.send(match at {
                                Some(at) => What::Finished(reply, at),
                                None => What::Answer(reply),
                            });
                        }
                        continue;
                    }
                }
                #[cfg(feature = "policy")]
                if sending.sent == 0
                    && let What::Answer(reply) | What::Finished(reply, _) = sending.what
                {
                    server.record_refusal(now, self.by(), &reply);
                }
                let (written, done) = self.write(
                    server,
                    #[cfg(feature = "tasks")]
                    tasks,
                    sending,
                    room,
                );
                filled += written;
                if !done {
                    self.sending = Some(Sending {
                        sent: sending.sent.saturating_add(written),
                        ..sending
                    });
                    return filled;
                }
                self.sent(sending.what);
                continue;
            }
            #[cfg(feature = "tasks")]
            if self.ask.is_some() {
                return filled;
            }
            if self.batch.is_some() {
                if self.go_on(server, now) {
                    continue;
                }
            } else if self.lines.is_ready() {
                self.take(server, now);
                continue;
            }
            if !self.advance(server, now) {
                return filled;
            }
        }
    }

    /// Writes the next bytes of what is being sent; whether it is at its end.
    ///
    /// Apart from its caller: inlined, a loop of two states becomes jumps by
    /// register, which the measure of the stack cannot follow.
    #[inline(never)]
    fn write<App>(
        &self,
        server: &Server<App>,
        #[cfg(feature = "tasks")] tasks: Option<&Tasks<'_>>,
        sending: Sending,
        room: &mut [u8],
    ) -> (usize, bool) {
        let mut sink = Sink::window(room, sending.sent);
        match sending.what {
            What::Answer(reply) => {
                if let Some(batch) = &self.batch {
                    sink.byte(if batch.answered { b',' } else { b'[' });
                }
                write_reply(
                    &mut sink,
                    server.device,
                    reply,
                    self.rx,
                    &self.outcome,
                    self.result,
                );
            }
            What::Finished(reply, at) => write_reply(
                &mut sink,
                server.device,
                reply,
                kept(self.kept, self.share, at),
                &self.outcome,
                self.result,
            ),
            What::Progress(at, progress) => {
                let token = self.flights.get(at).and_then(Place::call);
                let token = token.map_or(Span::EMPTY, |call| call.plan.token);
                let token = token.get(kept(self.kept, self.share, at));
                write_progress(&mut sink, token, progress);
            }
            #[cfg(feature = "input")]
            What::Questions(first) => {
                let questions = self.outcome.questions(self.result);
                for (number, (_, request)) in (first..).zip(questions) {
                    if number > first {
                        sink.byte(b'\n');
                    }
                    crate::mcp::write_request(&mut sink, number, request);
                }
            }
            #[cfg(feature = "logging")]
            What::Logs => {
                let mut first = true;
                for piece in self.outcome.pieces(self.result) {
                    if let Piece::Log { level, text } = piece {
                        if !first {
                            sink.byte(b'\n');
                        }
                        first = false;
                        write_log(&mut sink, level, text);
                    }
                }
            }
            #[cfg(feature = "subscriptions")]
            What::Acknowledged(at) => {
                let (id, sources) = self.listener(at);
                write_acknowledged(&mut sink, server.device, id, sources);
            }
            #[cfg(feature = "subscriptions")]
            What::Change(at, source) => {
                let id = at.map(|at| self.listener(at).0);
                write_change(&mut sink, server.device, id, source);
            }
            #[cfg(feature = "subscriptions")]
            What::ListenEnd(at) => {
                let (id, _) = self.listener(at);
                write_listen_cancelled(&mut sink, id);
                sink.byte(b'\n');
                write_listen_end(&mut sink, id);
            }
            #[cfg(feature = "tasks")]
            What::Task(reply, at) => {
                let message = match at {
                    Some(at) => kept(self.kept, self.share, at),
                    None => &*self.rx,
                };
                if let Some(tasks) = tasks {
                    write_task(&mut sink, server.device, reply, tasks, message);
                }
            }
            What::BatchEnd => sink.byte(b']'),
        }
        let in_batch = self.batch.is_some() && matches!(sending.what, What::Answer(_));
        if !in_batch {
            sink.byte(b'\n');
        }
        (sink.filled(), !sink.overflowed())
    }

    fn sent(&mut self, what: What) {
        self.sending = None;
        match what {
            What::Answer(_) => match &mut self.batch {
                Some(batch) => batch.answered = true,
                None => self.lines.clear(),
            },
            What::Finished(_, at) => self.free(at),
            What::Progress(..) => {}
            #[cfg(feature = "input")]
            What::Questions(_) => {}
            #[cfg(feature = "logging")]
            What::Logs => {
                if let Some(what) = self.then.take() {
                    self.send(what);
                }
            }
            #[cfg(feature = "subscriptions")]
            What::Acknowledged(_) => self.lines.clear(),
            #[cfg(feature = "subscriptions")]
            What::Change(..) => {}
            #[cfg(feature = "subscriptions")]
            What::ListenEnd(at) => self.free(at),
            #[cfg(feature = "tasks")]
            What::Task(_, Some(at)) => self.free(at),
            #[cfg(feature = "tasks")]
            What::Task(_, None) => self.lines.clear(),
            What::BatchEnd => {
                self.batch = None;
                self.lines.clear();
            }
        }
    }

    fn send(&mut self, what: What) {
        self.sending = Some(Sending { what, sent: 0 });
    }

    /// Sends what a step of a call has come to, behind its messages.
    #[cfg(feature = "logging")]
    fn send_step(&mut self, what: What) {
        if self.outcome.has_logs() {
            self.then = Some(what);
            self.send(What::Logs);
        } else {
            self.send(what);
        }
    }

    #[cfg(not(feature = "logging"))]
    fn send_step(&mut self, what: What) {
        self.send(what);
    }

    fn refuse(&mut self, fault: Fault) {
        self.send(What::Answer(Reply {
            id: Span::EMPTY,
            version: UNKNOWN,
            body: Body::Fault(fault),
        }));
    }

    /// Takes the line that stands ready.
    fn take<App>(&mut self, server: &mut Server<App>, now: Instant) {
        let line = match self.lines.line(self.rx) {
            None => return self.lines.clear(),
            Some(Frame::TooLong { bytes }) => {
                let room = self.rx.len();
                return self.refuse(Fault::TooLong { bytes, room });
            }
            Some(Frame::Whole(line)) => line,
        };
        if Batch::is_array(line) {
            let allowed = self
                .session
                .is_some_and(|session| session.version.has_batches());
            match Batch::open(self.rx, line, allowed, false) {
                Ok(batch) => self.batch = Some(batch),
                Err(fault) => self.refuse(fault),
            }
            return;
        }
        let who = server.who(self.asker());
        #[cfg(feature = "tasks")]
        let who = crate::mcp::Who {
            tasks: self.tasks,
            ..who
        };
        let decision = decide(
            server.device,
            who,
            self.rx,
            line,
            Framing::Line(self.session),
        );
        match decision {
            Decision::Nothing => self.lines.clear(),
            Decision::Cancel(id) => {
                self.cancel(server, now, Some(id));
                self.lines.clear();
            }
            #[cfg(feature = "input")]
            Decision::Response(id, result) => {
                self.respond(now, id, result);
                self.lines.clear();
            }
            #[cfg(feature = "subscriptions")]
            Decision::Listen(id, sources) => self.listen(server, now, id, sources),
            #[cfg(feature = "subscriptions")]
            Decision::Subscribe(sources, on, reply) => {
                if on {
                    self.look = Some(server.look_now(now));
                    self.subscription.add(&server.watch, sources);
                } else {
                    self.subscription.remove(sources);
                }
                self.send(What::Answer(reply));
            }
            Decision::Open(session, reply) => {
                self.session = Some(session);
                #[cfg(feature = "logging")]
                {
                    self.level = None;
                }
                #[cfg(feature = "subscriptions")]
                {
                    self.subscription = match server.device.tools_change() {
                        true => server.subscribe(now, Sources::TOOLS),
                        false => Subscription::NONE,
                    };
                }
                self.send(What::Answer(reply));
            }
            Decision::Answer(reply) => self.send(What::Answer(reply)),
            #[cfg(feature = "tasks")]
            Decision::Task(plan) => self.ask = Some((Ask::Wish(plan), None)),
            #[cfg(any(feature = "resources", feature = "prompts"))]
            Decision::Work(reply) => {
                let reply = work(server, now, reply, self.rx, self.result, &mut self.outcome);
                self.send(What::Answer(reply));
            }
            #[cfg(feature = "logging")]
            Decision::SetLevel(level, reply) => {
                self.level = Some(level);
                self.send(What::Answer(reply));
            }
            #[cfg(feature = "logging")]
            Decision::Call(mut plan) => {
                if !plan.version.is_modern() {
                    plan.level = self.level;
                }
                self.begin(server, now, plan);
            }
            #[cfg(not(feature = "logging"))]
            Decision::Call(plan) => self.begin(server, now, plan),
        }
    }

    /// Gives up the call with that id, or all (M-092, M-130); unknown ids are
    /// ignored.
    fn cancel<App>(&mut self, server: &mut Server<App>, now: Instant, id: Option<Span>) {
        for at in 0..self.flights.len() {
            #[cfg(feature = "subscriptions")]
            if let Some(Place::Listen(own, _)) = self.flights.get(at)
                && id.is_none_or(|id| own.get(kept(self.kept, self.share, at)) == id.get(self.rx))
            {
                self.free(at);
            }
            let Some(call) = self.flights.get(at).and_then(Place::call).copied() else {
                continue;
            };
            let message = kept(self.kept, self.share, at);
            if id.is_none_or(|id| call.plan.id.get(message) == id.get(self.rx)) {
                call.cancel(
                    server,
                    now,
                    self.by(),
                    message,
                    self.result,
                    &mut self.outcome,
                );
                self.free(at);
            }
        }
    }

    fn begin<App>(&mut self, server: &mut Server<App>, now: Instant, plan: CallPlan) {
        #[cfg(feature = "tasks")]
        if plan.task && !asks_first(server, plan) {
            self.ask = Some((Ask::Call(plan, 0), None));
            return;
        }
        let answer = What::Answer(reply(plan));
        let admitted = Running::admit(
            server,
            now,
            plan,
            self.by(),
            self.rx,
            self.result,
            &mut self.outcome,
        );
        let (mut call, args) = match admitted {
            Admission::Begin(call, args) => (call, args),
            Admission::Failed => return self.send(answer),
            #[cfg(feature = "input")]
            Admission::Fault(fault) => {
                return self.send(What::Answer(Reply {
                    body: Body::Fault(fault),
                    ..reply(plan)
                }));
            }
        };
        if !call.may_wait(server) {
            call.start(server, now, self.rx, args, self.result, &mut self.outcome);
            #[cfg(feature = "policy")]
            call.ended(server, now, self.by(), &self.outcome);
            let reply = call.reply(server, now, self.rx, self.result, &mut self.outcome);
            return self.send_step(What::Answer(reply));
        }
        let Some(at) = self.free_place() else {
            let calls = self.flights.len();
            self.outcome.refuse(self.result, |out| {
                if calls == 0 {
                    return out.text("this device has no place for a call that takes its time");
                }
                out.text("busy: ");
                write::u64(out, calls as u64);
                out.text(" calls in flight, which is the limit");
            });
            #[cfg(feature = "policy")]
            note(server, now, plan, self.by(), Happened::Refused(Why::State));
            return self.send(answer);
        };
        match keep(call.plan, self.rx, kept_mut(self.kept, self.share, at)) {
            Ok(plan) => call.plan = plan,
            Err(need) => {
                let share = self.share;
                self.outcome.refuse(self.result, |out| {
                    out.text("the call needs ");
                    write::u64(out, need as u64);
                    out.text(" bytes while it is in flight, the limit is ");
                    write::u64(out, share as u64);
                });
                #[cfg(feature = "policy")]
                note(
                    server,
                    now,
                    call.plan,
                    self.by(),
                    Happened::Refused(Why::State),
                );
                return self.send(answer);
            }
        }
        self.lines.clear();
        self.run(server, now, at, call);
    }

    /// Runs a step of the call in flight at `at`, and sends what comes of it.
    fn run<App>(&mut self, server: &mut Server<App>, now: Instant, at: usize, mut call: Running) {
        #[cfg(feature = "input")]
        let ready = call.collect(
            kept_mut(self.kept, self.share, at),
            &mut self.outcome,
            self.result,
        );
        #[cfg(not(feature = "input"))]
        let ready = true;
        let message = kept(self.kept, self.share, at);
        let done = !ready || call.step(server, now, message, self.result, &mut self.outcome);
        #[cfg(feature = "input")]
        let done = done || !self.ask(server, now, at, &mut call);
        if done {
            let message = kept(self.kept, self.share, at);
            #[cfg(feature = "policy")]
            call.ended(server, now, self.by(), &self.outcome);
            let reply = call.reply(server, now, message, self.result, &mut self.outcome);
            self.send_step(What::Finished(reply, at));
        } else if call.becomes_task() {
            #[cfg(feature = "tasks")]
            {
                self.ask = Some((Ask::Call(call.plan, call.memo()), Some(at)));
            }
        } else if let Some(progress) = call.report() {
            self.send_step(What::Progress(at, progress));
        } else {
            #[cfg(feature = "logging")]
            if self.outcome.has_logs() && self.sending.is_none() {
                self.send(What::Logs);
            }
        }
        if let Some(place) = self.flights.get_mut(at) {
            *place = Place::Taken(call);
        }
    }

    /// Sends the questions of the call in flight at `at`, if it has any.
    /// `false`: they cannot be sent, and the result says why.
    #[cfg(feature = "input")]
    fn ask<App>(
        &mut self,
        server: &mut Server<App>,
        now: Instant,
        at: usize,
        call: &mut Running,
    ) -> bool {
        if !call.has_questions() {
            return true;
        }
        let plan = call.plan;
        let from = plan.id.len() + plan.arguments.len() + plan.token.len();
        let buf = kept_mut(self.kept, self.share, at);
        if !call.expect(server, now, buf, from, &mut self.outcome, self.result) {
            return false;
        }
        if let Some((first, _)) = call.expected() {
            self.send_step(What::Questions(first));
        }
        true
    }

    /// Takes the answer to a question: its id, and the result or nothing.
    #[cfg(feature = "input")]
    fn respond(&mut self, now: Instant, id: Span, result: Span) {
        let Some(number) = super::desk::number(id.get(self.rx)) else {
            return;
        };
        let result = result.get(self.rx);
        for (at, place) in self.flights.iter_mut().enumerate() {
            if let Place::Taken(call) = place {
                call.answer(now, kept_mut(self.kept, self.share, at), number, result);
            }
        }
    }

    fn free_place(&self) -> Option<usize> {
        let mut places = self.flights.iter();
        places.position(|place| matches!(place, Place::Free))
    }

    fn free(&mut self, at: usize) {
        if let Some(place) = self.flights.get_mut(at) {
            *place = Place::Free;
        }
    }

    /// Runs the calls in flight that are due, until one has something to
    /// send; whether one has.
    fn advance<App>(&mut self, server: &mut Server<App>, now: Instant) -> bool {
        for _ in 0..self.flights.len() {
            let at = self.first;
            self.first = if at + 1 < self.flights.len() {
                at + 1
            } else {
                0
            };
            if let Some(call) = self.flights.get(at).and_then(Place::call).copied()
                && call.is_due(now)
            {
                self.run(server, now, at, call);
                if self.sending.is_some() {
                    return true;
                }
                #[cfg(feature = "tasks")]
                if self.ask.is_some() {
                    return true;
                }
            }
        }
        #[cfg(feature = "subscriptions")]
        self.tell(server, now);
        #[cfg(feature = "subscriptions")]
        return self.sending.is_some();
        #[cfg(not(feature = "subscriptions"))]
        false
    }

    /// Takes the next message of the batch; whether that changed anything.
    fn go_on<App>(&mut self, server: &mut Server<App>, now: Instant) -> bool {
        let Some(mut batch) = self.batch.take() else {
            return false;
        };
        let who = server.who(self.asker());
        let turn = batch.go_on(
            server,
            now,
            who,
            self.rx,
            Framing::Line(self.session),
            self.result,
            &mut self.outcome,
        );
        let answered = batch.answered;
        self.batch = Some(batch);
        match turn {
            Turn::Answer(reply) => self.send(What::Answer(reply)),
            Turn::Cancel(id) => self.cancel(server, now, Some(id)),
            #[cfg(feature = "input")]
            Turn::Response(id, result) => self.respond(now, id, result),
            Turn::Again => {}
            Turn::Wait => return false,
            Turn::End if answered => self.send(What::BatchEnd),
            Turn::End => {
                self.batch = None;
                self.lines.clear();
            }
        }
        true
    }
}

#[cfg(feature = "tasks")]
impl Line<'_> {
    /// [`poll`](Self::poll) of a line that serves the tasks extension of MCP:
    /// a call of a tool that supports it becomes a task of `owner` for a
    /// client that takes one (M-160). Lets the tasks that are due take a step
    /// first: it is due when [`Tasks::wake`] says so, too.
    pub fn poll_tasks<App: Runtime>(
        &mut self,
        server: &mut Server<App>,
        tasks: &mut Tasks<'_>,
        owner: Principal,
        now: Instant,
        out: &mut [u8],
    ) -> usize {
        tasks.run_with_tools(App::SKILLS, &server.device.tools, &mut server.app, now);
        #[cfg(feature = "policy")]
        server.record_ends(tasks);
        self.tasks = true;
        let mut filled = 0usize;
        loop {
            let room = out.get_mut(filled..).unwrap_or_default();
            let written = self.drive(server, Some(tasks), now, room);
            filled = filled.saturating_add(written);
            // What is being sent goes first.
            if self.sending.is_some() {
                break;
            }
            let Some((ask, at)) = self.ask.take() else {
                break;
            };
            let message = match at {
                Some(at) => kept(self.kept, self.share, at),
                None => &*self.rx,
            };
            let came = serve(
                server,
                tasks,
                App::SKILLS,
                now,
                owner,
                self.asker(),
                ask,
                message,
                self.result,
                &mut self.outcome,
            );
            match (came, at) {
                (Came::Task(reply), _) => self.send(What::Task(reply, at)),
                (Came::Reply(reply), None) => self.send(What::Answer(reply)),
                (Came::Reply(reply), Some(at)) => self.send(What::Finished(reply, at)),
                (Came::Wait(ask), _) => {
                    self.ask = Some((ask, at));
                    break;
                }
            }
        }
        self.tasks = false;
        filled
    }
}

#[cfg(feature = "subscriptions")]
impl Line<'_> {
    /// The id of the subscription at `at`, and what it is told of.
    fn listener(&self, at: usize) -> (&[u8], Sources) {
        match self.flights.get(at) {
            Some(Place::Listen(id, subscription)) => (
                id.get(kept(self.kept, self.share, at)),
                subscription.sources(),
            ),
            _ => (&[], Sources::NONE),
        }
    }

    /// Begins a subscription of the modern era.
    fn listen<App>(&mut self, server: &mut Server<App>, now: Instant, id: Span, sources: Sources) {
        let refuse = |fault| {
            What::Answer(Reply {
                id,
                version: Version::V2026_07_28,
                body: Body::Fault(fault),
            })
        };
        let Some(at) = self.free_place() else {
            let most = self.flights.len();
            return self.send(refuse(Fault::Busy(" calls and subscriptions", most)));
        };
        let bytes = id.get(self.rx);
        let room = kept_mut(self.kept, self.share, at).get_mut(..bytes.len());
        let Some(room) = room else {
            return self.send(refuse(Fault::Internal("the id is too long to be kept")));
        };
        room.copy_from_slice(bytes);
        let subscription = server.subscribe(now, sources);
        if let Some(place) = self.flights.get_mut(at) {
            *place = Place::Listen(Span::new(0, bytes.len()), subscription);
        }
        self.send(What::Acknowledged(at));
    }

    /// Looks whether a subscriber has to be told of something, and sends it.
    fn tell<App>(&mut self, server: &mut Server<App>, now: Instant) {
        let mut listens = self.flights.iter();
        let none = !listens.any(|place| matches!(place, Place::Listen(..)));
        if none && self.subscription.sources().is_empty() {
            self.look = None;
            return;
        }
        self.look = Some(server.look(now));
        if let Some(source) = self.subscription.next(&server.watch) {
            return self.send(What::Change(None, source));
        }
        let mut what = None;
        for (at, place) in self.flights.iter_mut().enumerate() {
            if let Place::Listen(_, subscription) = place {
                what = match subscription.next(&server.watch) {
                    Some(source) => Some(What::Change(Some(at), source)),
                    None if server.watch.ending => Some(What::ListenEnd(at)),
                    None => None,
                };
            }
            if what.is_some() {
                break;
            }
        }
        if let Some(what) = what {
            self.send(what);
        }
    }
}

/// As much of a buffer as a [`Span`] reaches.
fn at_most(buf: &mut [u8]) -> &mut [u8] {
    let len = buf.len().min(usize::from(u16::MAX));
    buf.get_mut(..len).unwrap_or_default()
}

fn kept(kept: &[u8], share: usize, at: usize) -> &[u8] {
    let start = share.saturating_mul(at);
    kept.get(start..start.saturating_add(share)).unwrap_or(&[])
}

fn kept_mut(kept: &mut [u8], share: usize, at: usize) -> &mut [u8] {
    let start = share.saturating_mul(at);
    kept.get_mut(start..start.saturating_add(share))
        .unwrap_or_default()
}
