//! What the connections of one server share: the key, the sessions of HTTP
//! clients, and what one connection has to tell another.

#[cfg(all(feature = "sessions", feature = "subscriptions"))]
use super::Server;
#[cfg(all(feature = "sessions", feature = "subscriptions"))]
use super::watch::Subscription;
#[cfg(feature = "sessions")]
use crate::buf::Sink;
#[cfg(feature = "sessions")]
use crate::json::write;
#[cfg(all(feature = "sessions", feature = "input"))]
use crate::limits::HTTP_ANSWER_BYTES;
#[cfg(feature = "sessions")]
use crate::limits::HTTP_CALLS;
#[cfg(all(feature = "sessions", feature = "subscriptions"))]
use crate::limits::HTTP_SUBSCRIBERS;
#[cfg(all(feature = "sessions", feature = "logging"))]
use crate::limits::SEALED;
#[cfg(feature = "sessions")]
use crate::mcp::Session;
#[cfg(all(feature = "sessions", feature = "subscriptions"))]
use crate::mcp::{Fault, Sources};
#[cfg(any(feature = "input", feature = "sessions"))]
use crate::seal::Key;
#[cfg(any(feature = "input", feature = "sessions"))]
use crate::seal::Numbers;
#[cfg(feature = "sessions")]
use crate::seal::{MAC_BYTES, Purpose};
#[cfg(feature = "sessions")]
use crate::time::Instant;
#[cfg(feature = "sessions")]
use crate::tool::Caller;
#[cfg(all(feature = "sessions", feature = "logging"))]
use crate::tool::Level;

/// What the connections of one server share.
#[derive(Debug)]
pub(crate) struct Desk {
    #[cfg(any(feature = "input", feature = "sessions"))]
    pub key: Option<Key>,
    /// Numbers of states that were given out (M-148).
    #[cfg(feature = "input")]
    pub states: Numbers,
    /// The number of the next request of this side.
    #[cfg(feature = "input")]
    question: u32,
    #[cfg(feature = "sessions")]
    sessions: Numbers,
    #[cfg(feature = "sessions")]
    tickets: [Ticket; HTTP_CALLS],
    /// How many tickets were given out.
    #[cfg(feature = "sessions")]
    given: u32,
    /// The least serious messages that sessions want, as numbers; each at the
    /// place of its session among the last ones.
    #[cfg(all(feature = "sessions", feature = "logging"))]
    levels: [u8; SEALED as usize],
    /// What sessions have subscribed to.
    #[cfg(all(feature = "sessions", feature = "subscriptions"))]
    subscribers: [Subscriber; HTTP_SUBSCRIBERS],
}

impl Desk {
    pub(crate) const fn new() -> Self {
        Self {
            #[cfg(any(feature = "input", feature = "sessions"))]
            key: None,
            #[cfg(feature = "input")]
            states: Numbers::new(),
            #[cfg(feature = "input")]
            question: 1,
            #[cfg(feature = "sessions")]
            sessions: Numbers::new(),
            #[cfg(feature = "sessions")]
            tickets: [const { Ticket::FREE }; HTTP_CALLS],
            #[cfg(feature = "sessions")]
            given: 0,
            #[cfg(all(feature = "sessions", feature = "logging"))]
            levels: [NO_LEVEL; SEALED as usize],
            #[cfg(all(feature = "sessions", feature = "subscriptions"))]
            subscribers: [Subscriber::NONE; HTTP_SUBSCRIBERS],
        }
    }

    /// Numbers for so many requests of this side; the first of them.
    #[cfg(feature = "input")]
    pub(crate) fn number(&mut self, count: u8) -> u32 {
        let first = self.question;
        self.question = first.wrapping_add(u32::from(count));
        first
    }
}

#[cfg(all(feature = "sessions", feature = "logging"))]
const NO_LEVEL: u8 = u8::MAX;

/// The id of a session, as it stands in `MCP-Session-Id`: its number, what
/// was agreed on, and the seal. The device keeps one bit of it.
#[cfg(feature = "sessions")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionId([u8; ID_TEXT_BYTES]);

#[cfg(feature = "sessions")]
const ID_FIELD_BYTES: usize = 5;
/// A multiple of 3, so that its base64 has no padding.
#[cfg(feature = "sessions")]
const ID_BYTES: usize = ID_FIELD_BYTES + MAC_BYTES;
#[cfg(feature = "sessions")]
const ID_TEXT_BYTES: usize = ID_BYTES / 3 * 4;

#[cfg(feature = "sessions")]
impl SessionId {
    pub(crate) fn text(&self) -> &[u8] {
        &self.0
    }
}

/// A session that an id names.
#[cfg(feature = "sessions")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    pub number: u32,
    pub session: Session,
}

/// What a session is bound to.
#[cfg(feature = "sessions")]
fn bind(caller: Caller, put: &mut dyn FnMut(&[u8])) {
    put(&caller.id.to_le_bytes());
    put(&caller.scopes.to_le_bytes());
}

#[cfg(feature = "sessions")]
impl Desk {
    /// A new session of this caller (M-184); `None` if the device has no key.
    ///
    /// It is bound to his scopes too: what another credential of his began
    /// in it is not answered by one that could not have begun it.
    pub(crate) fn open(&mut self, caller: Caller, session: Session) -> Option<SessionId> {
        let key = self.key.as_ref()?;
        let number = self.sessions.give();
        #[cfg(feature = "logging")]
        if let Some(level) = self.levels.get_mut((number % SEALED) as usize) {
            *level = NO_LEVEL;
        }
        let [a, b, c, d] = number.to_le_bytes();
        let fields = [a, b, c, d, session.pack()];
        let seal = key.seal(Purpose::Session, &fields, |put| bind(caller, put));
        let mut bytes = [0; ID_BYTES];
        for (place, byte) in bytes.iter_mut().zip(fields.into_iter().chain(seal)) {
            *place = byte;
        }
        let mut text = [0; ID_TEXT_BYTES];
        write::base64(&mut Sink::new(&mut text), &bytes);
        Some(SessionId(text))
    }

    /// The session of that id; `None` if this caller has no such, or no
    /// longer.
    pub(crate) fn session(&self, caller: Caller, id: &[u8]) -> Option<Opened> {
        let key = self.key.as_ref()?;
        let mut bytes = [0; ID_BYTES];
        crate::buf::base64::decode(id, &mut bytes)?;
        let [a, b, c, d, packed, seal @ ..] = bytes;
        let fields = [a, b, c, d, packed];
        let number = u32::from_le_bytes([a, b, c, d]);
        let bound = |put: &mut dyn FnMut(&[u8])| bind(caller, put);
        let good =
            key.is_seal(&seal, Purpose::Session, &fields, bound) && self.sessions.is_good(number);
        let session = Session::unpack(packed)?;
        good.then_some(Opened { number, session })
    }

    /// Ends a session: its id is not known any more, and its calls are given
    /// up.
    pub(crate) fn end(&mut self, session: u32) {
        self.sessions.use_up(session);
        for ticket in &mut self.tickets {
            ticket.cancelled |= ticket.session == session;
        }
    }

    /// Notes which messages a session wants.
    #[cfg(feature = "logging")]
    pub(crate) fn set_level(&mut self, session: u32, level: Level) {
        if let Some(place) = self.levels.get_mut((session % SEALED) as usize) {
            *place = level as u8;
        }
    }

    /// The least serious message that a session wants.
    #[cfg(feature = "logging")]
    pub(crate) fn level(&self, session: u32) -> Option<Level> {
        Level::of(*self.levels.get((session % SEALED) as usize)?)
    }

    /// Whether a session goes on.
    #[cfg(feature = "subscriptions")]
    pub(crate) fn is_open(&self, session: u32) -> bool {
        self.sessions.is_good(session)
    }
}

/// A call of an HTTP client of the legacy era that takes its time: what its
/// client says of it comes on other connections.
#[cfg(feature = "sessions")]
#[derive(Debug)]
struct Ticket {
    /// Its number; 0 for none.
    serial: u32,
    session: u32,
    /// A hash of the call's id.
    call: u64,
    cancelled: bool,
    /// When its connection last looked.
    seen: Instant,
    /// The requests of this side that wait for an answer.
    #[cfg(feature = "input")]
    first: u32,
    #[cfg(feature = "input")]
    count: u8,
    /// The answer that is on its way.
    #[cfg(feature = "input")]
    letter: Letter,
}

#[cfg(feature = "sessions")]
impl Ticket {
    const FREE: Self = Self {
        serial: 0,
        session: 0,
        call: 0,
        cancelled: false,
        seen: Instant::from_millis(0),
        #[cfg(feature = "input")]
        first: 0,
        #[cfg(feature = "input")]
        count: 0,
        #[cfg(feature = "input")]
        letter: Letter::NONE,
    };
}

/// An answer on its way from the connection that it came on to the one that
/// waits for it.
#[cfg(all(feature = "sessions", feature = "input"))]
#[derive(Debug)]
struct Letter {
    /// Whether there is one.
    there: bool,
    number: u32,
    len: usize,
    bytes: [u8; HTTP_ANSWER_BYTES],
}

#[cfg(all(feature = "sessions", feature = "input"))]
impl Letter {
    const NONE: Self = Self {
        there: false,
        number: 0,
        len: 0,
        bytes: [0; HTTP_ANSWER_BYTES],
    };
}

/// What came of an answer that was handed in.
#[cfg(all(feature = "sessions", feature = "input"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Posted {
    /// It is on its way, or nobody waits for it.
    Done,
    /// Another one is on its way: to be handed in again.
    Busy,
    /// It is longer than this.
    TooLong(usize),
}

/// Milliseconds after which a ticket that its connection has not looked at is
/// given to another: the connection is gone without a word.
#[cfg(feature = "sessions")]
const TICKET_MS: u64 = 60_000;

#[cfg(feature = "sessions")]
impl Desk {
    /// A ticket for a call; 0 when all are taken: the call goes on, out of
    /// reach of its client.
    pub(crate) fn enter(&mut self, now: Instant, session: u32, id: &[u8]) -> u32 {
        let free = |ticket: &&mut Ticket| ticket.serial == 0 || now.since(ticket.seen) > TICKET_MS;
        let Some(place) = self.tickets.iter_mut().find(free) else {
            return 0;
        };
        self.given = self.given.wrapping_add(1).max(1);
        *place = Ticket {
            serial: self.given,
            session,
            call: hash(id),
            seen: now,
            ..Ticket::FREE
        };
        self.given
    }

    fn ticket(&mut self, serial: u32) -> Option<&mut Ticket> {
        let mut tickets = self.tickets.iter_mut();
        tickets.find(|ticket| ticket.serial == serial && serial != 0)
    }

    /// Gives a ticket back.
    pub(crate) fn leave(&mut self, serial: u32) {
        if let Some(ticket) = self.ticket(serial) {
            *ticket = Ticket::FREE;
        }
    }

    /// The client gives up a call of its session (M-190).
    pub(crate) fn cancel(&mut self, session: u32, id: &[u8]) {
        let call = hash(id);
        for ticket in &mut self.tickets {
            if ticket.serial != 0 && ticket.session == session && ticket.call == call {
                ticket.cancelled = true;
            }
        }
    }

    /// Whether the client has given up the call, whose connection looks.
    pub(crate) fn is_cancelled(&mut self, now: Instant, serial: u32) -> bool {
        self.ticket(serial).is_some_and(|ticket| {
            ticket.seen = now;
            ticket.cancelled
        })
    }
}

#[cfg(all(feature = "sessions", feature = "input"))]
impl Desk {
    /// The call waits for answers to so many requests from `first` on.
    pub(crate) fn wait(&mut self, serial: u32, first: u32, count: u8) {
        if let Some(ticket) = self.ticket(serial) {
            (ticket.first, ticket.count) = (first, count);
        }
    }

    /// Takes an answer of a client: the id of the request and its result,
    /// nothing for an error.
    pub(crate) fn post(&mut self, session: u32, id: &[u8], result: &[u8]) -> Posted {
        let Some(number) = number(id) else {
            return Posted::Done;
        };
        let to = self.tickets.iter_mut().find(|ticket| {
            let at = number.wrapping_sub(ticket.first);
            ticket.serial != 0 && ticket.session == session && at < u32::from(ticket.count)
        });
        let Some(Ticket { letter, .. }) = to else {
            return Posted::Done;
        };
        if letter.there {
            return Posted::Busy;
        }
        let Some(place) = letter.bytes.get_mut(..result.len()) else {
            return Posted::TooLong(HTTP_ANSWER_BYTES);
        };
        place.copy_from_slice(result);
        letter.len = result.len();
        (letter.there, letter.number) = (true, number);
        Posted::Done
    }

    /// Fetches an answer: the number of the request and its result.
    pub(crate) fn fetch(&mut self, serial: u32) -> Option<(u32, &[u8])> {
        let letter = &mut self.ticket(serial)?.letter;
        if !core::mem::take(&mut letter.there) {
            return None;
        }
        let bytes = letter.bytes.get(..letter.len).unwrap_or(&[]);
        Some((letter.number, bytes))
    }
}

/// The number that an id is, if it is one of this side.
#[cfg(feature = "input")]
pub(crate) fn number(id: &[u8]) -> Option<u32> {
    core::str::from_utf8(id).ok()?.parse().ok()
}

/// FNV-1a.
#[cfg(feature = "sessions")]
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// What a session has subscribed to; nothing if it has not.
#[cfg(all(feature = "sessions", feature = "subscriptions"))]
#[derive(Clone, Copy, Debug)]
struct Subscriber {
    session: u32,
    subscription: Subscription,
}

#[cfg(all(feature = "sessions", feature = "subscriptions"))]
impl Subscriber {
    const NONE: Self = Self {
        session: 0,
        subscription: Subscription::NONE,
    };

    fn is(&self, session: u32) -> bool {
        self.session == session && !self.subscription.sources().is_empty()
    }
}

#[cfg(all(feature = "sessions", feature = "subscriptions"))]
impl<App> Server<App> {
    /// Subscribes a session to sources, or no longer.
    pub(super) fn subscribe_session(
        &mut self,
        now: Instant,
        session: u32,
        sources: Sources,
        on: bool,
    ) -> Result<(), Fault> {
        self.look_now(now);
        let Self { desk, watch, .. } = self;
        if let Some(one) = desk.subscribers.iter_mut().find(|one| one.is(session)) {
            if on {
                one.subscription.add(watch, sources);
            } else {
                one.subscription.remove(sources);
            }
            return Ok(());
        }
        if !on {
            return Ok(());
        }
        let sessions = &desk.sessions;
        let mut free = desk
            .subscribers
            .iter_mut()
            .filter(|one| one.subscription.sources().is_empty() || !sessions.is_good(one.session));
        let place = free.next().ok_or(Fault::Busy(
            " sessions with subscriptions",
            HTTP_SUBSCRIBERS,
        ))?;
        *place = Subscriber {
            session,
            subscription: Subscription::NONE,
        };
        place.subscription.add(watch, sources);
        Ok(())
    }

    /// The source whose change a session is to be told next.
    pub(super) fn next_of_session(&mut self, session: u32) -> Option<u8> {
        let Self { desk, watch, .. } = self;
        let mut all = desk.subscribers.iter_mut();
        let one = all.find(|one| one.is(session))?;
        one.subscription.next(watch)
    }
}
