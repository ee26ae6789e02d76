//! Connections in storage of the caller: bytes in, bytes out.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::mem::{MaybeUninit, size_of};
use core::ptr::{self, addr_of};

#[cfg(feature = "a2a")]
use agentmote::server::AgentDesk;
#[cfg(feature = "http")]
use agentmote::server::{Allow, Http, HttpConfig};
use agentmote::server::{Line, Place, Server};
use agentmote::time::Instant;
#[cfg(any(feature = "input", feature = "scopes", feature = "credentials"))]
use agentmote::tool::Caller;

use crate::abi::{
    AGENTMOTE_ABSENT, AGENTMOTE_ERROR_NOT_OPEN, AGENTMOTE_ERROR_NULL, AGENTMOTE_ERROR_STORAGE,
    AGENTMOTE_OK, agentmote_status_t, items, put,
};
use crate::gate::{Gate, Guard, Mark};
use crate::server::{App, agentmote_server_t};
use crate::table::{WORD, fits, words};

/// Storage of a connection, and how it is shared out. Written by
/// `AGENTMOTE_LINE_MEMORY` and `AGENTMOTE_HTTP_MEMORY`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_memory_t {
    /// The storage, at a multiple of 8, all zero the first time.
    pub start: *mut c_void,
    /// Bytes of the storage.
    pub size: usize,
    /// Bytes of the longest line, 192 to 65535; of the longest request, head
    /// and body together, 512 to 65535.
    pub rx: u16,
    /// Bytes of the largest result, without constant blobs: 192 to 65535.
    pub result: u16,
    /// Calls of polled tools in flight; of an HTTP connection 0.
    pub calls: u16,
    /// Bytes of id, arguments and token of each of them; of an HTTP connection
    /// how many hosts and origins its configuration may list.
    pub kept: u16,
}

/// A connection: where one peer's bytes go in and out.
pub struct agentmote_connection_t {
    gate: Gate,
    server: *const agentmote_server_t,
    /// The round of the server in which the connection was opened.
    round: u32,
    verbs: &'static Verbs,
    /// Whether it serves an agent, whose tasks say when it is due.
    #[cfg(feature = "a2a")]
    has_agent: bool,
}

/// What a connection works on.
pub(crate) struct Served<'s> {
    server: &'s mut Server<App>,
    #[cfg(feature = "a2a")]
    desk: Option<&'s mut AgentDesk<'static, App>>,
}

/// What the two kinds of connections do each in its way.
struct Verbs {
    receive: unsafe fn(*const agentmote_connection_t, &[u8]) -> usize,
    poll: unsafe fn(*const agentmote_connection_t, Served<'_>, Instant, &mut [u8]) -> usize,
    wake: unsafe fn(*const agentmote_connection_t, Option<&Served<'_>>) -> Option<Instant>,
    hang_up: unsafe fn(*const agentmote_connection_t, &mut Server<App>, Instant),
    is_closed: unsafe fn(*const agentmote_connection_t) -> bool,
    #[cfg(any(feature = "input", feature = "scopes"))]
    set_caller: unsafe fn(*const agentmote_connection_t, Caller) -> agentmote_status_t,
}

/// A connection of the core behind what all have in common.
#[repr(C)]
struct Shell<C> {
    front: agentmote_connection_t,
    inner: UnsafeCell<MaybeUninit<C>>,
}

/// What a connection of the core does, whichever it is.
trait Drive: Sized {
    fn receive(&mut self, bytes: &[u8]) -> usize;
    fn poll(&mut self, served: Served<'_>, now: Instant, out: &mut [u8]) -> usize;
    fn wake(&self, served: Option<&Served<'_>>) -> Option<Instant>;
    fn hang_up(&mut self, server: &mut Server<App>, now: Instant);
    fn is_closed(&self) -> bool;
    #[cfg(any(feature = "input", feature = "scopes"))]
    fn set_caller(&mut self, caller: Caller) -> agentmote_status_t;
}

impl Drive for Line<'static> {
    fn receive(&mut self, bytes: &[u8]) -> usize {
        self.receive(bytes)
    }

    fn poll(&mut self, served: Served<'_>, now: Instant, out: &mut [u8]) -> usize {
        self.poll(served.server, now, out)
    }

    fn wake(&self, _: Option<&Served<'_>>) -> Option<Instant> {
        self.wake()
    }

    fn hang_up(&mut self, server: &mut Server<App>, now: Instant) {
        self.reset(server, now);
    }

    fn is_closed(&self) -> bool {
        false
    }

    #[cfg(any(feature = "input", feature = "scopes"))]
    fn set_caller(&mut self, caller: Caller) -> agentmote_status_t {
        self.set_caller(caller);
        AGENTMOTE_OK
    }
}

#[cfg(feature = "http")]
impl Drive for Http<'static> {
    fn receive(&mut self, bytes: &[u8]) -> usize {
        self.receive(bytes)
    }

    fn poll(&mut self, served: Served<'_>, now: Instant, out: &mut [u8]) -> usize {
        #[cfg(feature = "a2a")]
        if let Some(desk) = served.desk {
            return self.poll_agent(served.server, desk, now, out);
        }
        self.poll(served.server, now, out)
    }

    #[cfg(feature = "a2a")]
    fn wake(&self, served: Option<&Served<'_>>) -> Option<Instant> {
        match served.and_then(|served| served.desk.as_ref()) {
            Some(desk) => self.wake_agent(desk),
            None => self.wake(),
        }
    }

    #[cfg(not(feature = "a2a"))]
    fn wake(&self, _: Option<&Served<'_>>) -> Option<Instant> {
        self.wake()
    }

    fn hang_up(&mut self, server: &mut Server<App>, now: Instant) {
        self.hang_up(server, now);
    }

    fn is_closed(&self) -> bool {
        self.is_closed()
    }

    #[cfg(any(feature = "input", feature = "scopes"))]
    fn set_caller(&mut self, _: Caller) -> agentmote_status_t {
        crate::abi::AGENTMOTE_ERROR_TYPE
    }
}

impl<C: Drive> Shell<C> {
    const VERBS: Verbs = Verbs {
        // SAFETY: each is called for the connection whose verbs they are, by
        // who has entered its gate; here and below.
        receive: |front, bytes| unsafe { Self::inner(front) }.receive(bytes),
        poll: |front, served, now, out| {
            // SAFETY: as above.
            unsafe { Self::inner(front) }.poll(served, now, out)
        },
        // SAFETY: as above.
        wake: |front, served| unsafe { Self::inner(front) }.wake(served),
        // SAFETY: as above.
        hang_up: |front, server, now| unsafe { Self::inner(front) }.hang_up(server, now),
        // SAFETY: as above.
        is_closed: |front| unsafe { Self::inner(front) }.is_closed(),
        // SAFETY: as above.
        #[cfg(any(feature = "input", feature = "scopes"))]
        set_caller: |front, caller| unsafe { Self::inner(front) }.set_caller(caller),
    };

    /// The connection of the core.
    ///
    /// # Safety
    /// `front` is the front of an open connection of this kind, whose gate was
    /// entered.
    unsafe fn inner<'c>(front: *const agentmote_connection_t) -> &'c mut C {
        let shell = front.cast::<Self>();
        // SAFETY: as the caller promises.
        unsafe { (*UnsafeCell::raw_get(addr_of!((*shell).inner))).assume_init_mut() }
    }

    /// Puts a connection into its storage, and opens it.
    ///
    /// # Safety
    /// The gate was seized, and the storage holds a shell. The server is open.
    unsafe fn place(start: *mut u8, server: *const agentmote_server_t, inner: C, has_agent: bool) {
        let shell = start.cast::<Self>();
        // SAFETY: as the caller promises; the gate stays as it is.
        unsafe {
            ptr::addr_of_mut!((*shell).front.server).write(server);
            ptr::addr_of_mut!((*shell).front.round).write((*server).gate.round());
            ptr::addr_of_mut!((*shell).front.verbs).write(&const { Self::VERBS });
            #[cfg(feature = "a2a")]
            ptr::addr_of_mut!((*shell).front.has_agent).write(has_agent);
            #[cfg(not(feature = "a2a"))]
            let _ = has_agent;
            UnsafeCell::raw_get(addr_of!((*shell).inner)).write(MaybeUninit::new(inner));
            (*addr_of!((*shell).front.gate)).open(Mark::Connection);
        }
    }
}

#[cfg(target_pointer_width = "64")]
mod sizes {
    /// Words of storage for a line connection, without its buffers.
    pub const AGENTMOTE_LINE_WORDS: usize = 96;
    /// Words of storage for a call in flight, without what it keeps.
    pub const AGENTMOTE_CALL_WORDS: usize = 12;
    /// Words of storage for a line connection, without its buffers, of a
    /// library built for tools over lines alone.
    pub const AGENTMOTE_SMALL_LINE_WORDS: usize = 44;
    /// The same for a call in flight.
    pub const AGENTMOTE_SMALL_CALL_WORDS: usize = 8;
    /// Words of storage for an HTTP connection, without its buffers.
    #[cfg(any(feature = "a2a", feature = "policy"))]
    pub const AGENTMOTE_HTTP_WORDS: usize = 220;
    /// Words of storage for an HTTP connection, without its buffers.
    #[cfg(not(any(feature = "a2a", feature = "policy")))]
    pub const AGENTMOTE_HTTP_WORDS: usize = 136;
}
#[cfg(target_pointer_width = "32")]
mod sizes {
    /// Words of storage for a line connection, without its buffers.
    pub const AGENTMOTE_LINE_WORDS: usize = 54;
    /// Words of storage for a call in flight, without what it keeps.
    pub const AGENTMOTE_CALL_WORDS: usize = 12;
    /// Words of storage for a line connection, without its buffers, of a
    /// library built for tools over lines alone.
    pub const AGENTMOTE_SMALL_LINE_WORDS: usize = 28;
    /// The same for a call in flight.
    pub const AGENTMOTE_SMALL_CALL_WORDS: usize = 8;
    /// Words of storage for an HTTP connection, without its buffers.
    #[cfg(any(feature = "a2a", feature = "policy"))]
    pub const AGENTMOTE_HTTP_WORDS: usize = 162;
    /// Words of storage for an HTTP connection, without its buffers.
    #[cfg(not(any(feature = "a2a", feature = "policy")))]
    pub const AGENTMOTE_HTTP_WORDS: usize = 104;
}
pub use sizes::*;

// On a host, another crate of the same build may bring the feature `tasks`.
const _: () = {
    let spare = if cfg!(target_pointer_width = "64") {
        28
    } else {
        8
    };
    fits::<Shell<Line<'static>>>(AGENTMOTE_LINE_WORDS, spare);
    fits::<Place>(AGENTMOTE_CALL_WORDS, 1);
};
#[cfg(not(any(
    feature = "prompts",
    feature = "input",
    feature = "sessions",
    feature = "subscriptions",
    feature = "logging",
    feature = "a2a",
    feature = "policy"
)))]
const _: () = {
    fits::<Shell<Line<'static>>>(AGENTMOTE_SMALL_LINE_WORDS, 0);
    fits::<Place>(AGENTMOTE_SMALL_CALL_WORDS, 0);
};
#[cfg(feature = "http")]
// On a host, another crate of the same build may bring tasks of MCP.
const _: () = fits::<Shell<Http<'static>>>(
    AGENTMOTE_HTTP_WORDS,
    if cfg!(target_pointer_width = "64") {
        32
    } else {
        8
    },
);

/// Buffers behind a shell, one after the other.
struct Buffers {
    next: *mut u8,
}

impl Buffers {
    /// # Safety
    /// From where the last one ended, `count` items have room, and nobody else
    /// uses them; the bytes were written before, be it with zeros.
    unsafe fn take<T: Copy + 'static>(&mut self, count: usize, first: T) -> &'static mut [T] {
        let start = self.next.cast::<T>();
        for at in 0..count {
            // SAFETY: as the caller promises.
            unsafe { start.add(at).write(first) };
        }
        // SAFETY: as the caller promises.
        self.next = unsafe { start.add(count) }.cast();
        // SAFETY: as the caller promises; all items were just written.
        unsafe { core::slice::from_raw_parts_mut(start, count) }
    }
}

/// The gate of storage that is to be opened, once it is known to be large
/// enough.
///
/// # Safety
/// The memory is as `agentmote_line_open` asks for.
unsafe fn seize(
    memory: &agentmote_memory_t,
    front: usize,
    needed: usize,
    least_rx: u16,
) -> Result<(Guard<'static>, Buffers), agentmote_status_t> {
    if memory.start.is_null() {
        return Err(AGENTMOTE_ERROR_NULL);
    }
    let fits = memory.size >= needed && memory.start.addr().is_multiple_of(WORD);
    if !fits || memory.rx < least_rx || memory.result < LEAST_RESULT {
        return Err(AGENTMOTE_ERROR_STORAGE);
    }
    let start = memory.start.cast::<agentmote_connection_t>();
    // SAFETY: the storage holds a front; a gate is made of atomic numbers,
    // which any bits are.
    let gate = unsafe { &*addr_of!((*start).gate) };
    let guard = gate.seize(Mark::Connection)?;
    // SAFETY: within the storage, as was just compared.
    let next = unsafe { start.cast::<u8>().add(front) };
    Ok((guard, Buffers { next }))
}

/// Bytes in which every report of an error fits.
const LEAST_RESULT: u16 = 192;
const LEAST_LINE: u16 = 192;
#[cfg(feature = "http")]
const LEAST_REQUEST: u16 = 512;

/// Whether it is a server that was opened.
///
/// # Safety
/// `server` is NULL or storage that was given to `agentmote_init`.
unsafe fn is_open(server: *const agentmote_server_t) -> Result<(), agentmote_status_t> {
    if server.is_null() {
        return Err(AGENTMOTE_ERROR_NULL);
    }
    // SAFETY: as the caller promises.
    match unsafe { (*addr_of!((*server).gate)).is(Mark::Server) } {
        true => Ok(()),
        false => Err(AGENTMOTE_ERROR_NOT_OPEN),
    }
}

/// Opens a connection of newline-delimited messages over a UART, USB serial,
/// pipes or a TCP stream.
///
/// `memory`, made by `AGENTMOTE_LINE_MEMORY`, belongs to the connection from
/// here on; opening it again forgets what was there, without telling the
/// handlers of calls in flight: use `agentmote_hang_up` for that.
/// `connection` gets the connection, or NULL on failure.
///
/// `AGENTMOTE_ERROR_STORAGE` if the memory is too small or not aligned,
/// `AGENTMOTE_ERROR_NOT_OPEN` if the server is not, `AGENTMOTE_ERROR_BUSY` from
/// inside a handler that this connection has called.
///
/// # Safety
/// As said for each parameter. The server's storage stays as long as the
/// connection; no other thread opens the same memory at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_line_open(
    memory: *const agentmote_memory_t,
    server: *mut agentmote_server_t,
    connection: *mut *mut agentmote_connection_t,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    unsafe { opened(memory, connection, |memory| open_line(memory, server)) }
}

/// # Safety
/// `memory` and `connection` are NULL or valid.
unsafe fn opened(
    memory: *const agentmote_memory_t,
    connection: *mut *mut agentmote_connection_t,
    open: impl FnOnce(&agentmote_memory_t) -> Result<(), agentmote_status_t>,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    unsafe { put(connection, ptr::null_mut()) };
    if memory.is_null() || connection.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    let memory = unsafe { &*memory };
    match open(memory) {
        Ok(()) => {
            // SAFETY: as the caller promises.
            unsafe { put(connection, memory.start.cast()) };
            AGENTMOTE_OK
        }
        Err(status) => status,
    }
}

/// # Safety
/// As for [`agentmote_line_open`].
unsafe fn open_line(
    memory: &agentmote_memory_t,
    server: *const agentmote_server_t,
) -> Result<(), agentmote_status_t> {
    const FRONT: usize = words::<Shell<Line<'static>>>() * WORD;
    let [rx, result, calls, kept] =
        [memory.rx, memory.result, memory.calls, memory.kept].map(usize::from);
    // SAFETY: as the caller promises.
    unsafe { is_open(server) }?;
    let needed = [
        FRONT,
        calls.saturating_mul(size_of::<Place>()),
        calls.saturating_mul(kept),
        rx,
        result,
    ]
    .into_iter()
    .fold(0, usize::saturating_add);
    // SAFETY: as the caller promises.
    let (_guard, mut buffers) = unsafe { seize(memory, FRONT, needed, LEAST_LINE) }?;
    // SAFETY: there is room for all of them, as was just summed up.
    unsafe {
        let flights = buffers.take(calls, Place::Free);
        let share = kept;
        let kept = buffers.take(calls.saturating_mul(kept), 0u8);
        let rx = buffers.take(rx, 0u8);
        let result = buffers.take(result, 0u8);
        let line = Line::over(rx, result, kept, share, flights);
        Shell::place(memory.start.cast(), server, line, false);
    }
    Ok(())
}

/// A bearer token, of which only the digest is kept, and whose it is.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_credential_t {
    /// SHA-256 of the token, as it stands behind `Bearer `.
    pub digest: [u8; 32],
    /// A number of your choice for whom the caller speaks.
    pub id: u32,
    /// What the caller may do: bits of your choice, to be compared with the
    /// scopes of each tool.
    pub scopes: u32,
}

/// Who may send requests over HTTP, and where.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_http_t {
    /// The one path, without a slash at its end (M-047); NULL for `/mcp`.
    pub path: *const core::ffi::c_char,
    /// Values of `Host` that are served, the guard against DNS rebinding
    /// (M-049): a host without a port allows any port. NULL for this machine:
    /// 127.0.0.1, `[::1]` and `localhost`, at any port (M-050).
    pub hosts: *const *const core::ffi::c_char,
    /// Values of `Origin` that are served, each a scheme, a host and a port;
    /// requests without one are served (M-048). NULL for this machine.
    pub origins: *const *const core::ffi::c_char,
    /// Tokens of `Authorization: Bearer` that are served, compared in constant
    /// time (M-199, M-200); others are answered 401. NULL: the server is open
    /// to all.
    pub credentials: *const agentmote_credential_t,
    /// How many `hosts`.
    pub host_count: u16,
    /// How many `origins`.
    pub origin_count: u16,
    /// How many `credentials`; not 0 if they are not NULL.
    pub credential_count: u16,
    /// Not 0: any value of `Host` is served, for a network whose names are not
    /// known beforehand.
    pub any_host: u8,
    /// Not 0: pages of an allowed origin may read the answers (CORS).
    pub cors: u8,
}

/// Opens a connection of HTTP/1.1: MCP's Streamable HTTP on one path. The
/// transport accepted a peer; after `agentmote_is_closed`, open it again for
/// the next one.
///
/// `memory` is made by `AGENTMOTE_HTTP_MEMORY`. `config` is NULL for programs
/// on the same machine, or stays as it is, with its texts, as long as the
/// connection. Else as `agentmote_line_open`; `AGENTMOTE_ERROR_TABLE` if a text
/// of the configuration is NULL or not UTF-8, or a list of credentials empty,
/// or there are credentials and the server has an agent, which they do not
/// guard: that takes a policy (`agentmote_policy_open`).
/// `AGENTMOTE_ERROR_FEATURE` if the library was built without HTTP.
///
/// # Safety
/// As said for each parameter, and for `agentmote_line_open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_http_open(
    memory: *const agentmote_memory_t,
    server: *mut agentmote_server_t,
    config: *const agentmote_http_t,
    connection: *mut *mut agentmote_connection_t,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    unsafe {
        opened(memory, connection, |memory| {
            open_http(memory, server, config)
        })
    }
}

#[cfg(not(feature = "http"))]
unsafe fn open_http(
    _: &agentmote_memory_t,
    _: *const agentmote_server_t,
    _: *const agentmote_http_t,
) -> Result<(), agentmote_status_t> {
    Err(crate::abi::AGENTMOTE_ERROR_FEATURE)
}

/// # Safety
/// As for [`agentmote_http_open`].
#[cfg(feature = "http")]
unsafe fn open_http(
    memory: &agentmote_memory_t,
    server: *const agentmote_server_t,
    config: *const agentmote_http_t,
) -> Result<(), agentmote_status_t> {
    const FRONT: usize = words::<Shell<Http<'static>>>() * WORD;
    let [rx, result, names] = [memory.rx, memory.result, memory.kept].map(usize::from);
    // SAFETY: as the caller promises.
    unsafe { is_open(server) }?;
    // SAFETY: as the caller promises.
    #[cfg(feature = "a2a")]
    let agent = unsafe { agent_path(server, config) }?;
    let needed = [FRONT, names.saturating_mul(size_of::<&str>()), rx, result]
        .into_iter()
        .fold(0, usize::saturating_add);
    // SAFETY: as the caller promises.
    let (_guard, mut buffers) = unsafe { seize(memory, FRONT, needed, LEAST_REQUEST) }?;
    // SAFETY: there is room for all of them, as was just summed up.
    unsafe {
        let places = buffers.take(names, "");
        let rx = buffers.take(rx, 0u8);
        let result = buffers.take(result, 0u8);
        let config = http_config(config, places)?;
        let http = Http::over(rx, result, config);
        #[cfg(feature = "a2a")]
        let (http, has_agent) = match agent {
            Some(path) => (http.with_agent(path), true),
            None => (http, false),
        };
        #[cfg(not(feature = "a2a"))]
        let has_agent = false;
        Shell::place(memory.start.cast(), server, http, has_agent);
    }
    Ok(())
}

/// The path of the server's agent, if it has one.
///
/// # Safety
/// As for [`agentmote_http_open`]; the server is open.
#[cfg(feature = "a2a")]
unsafe fn agent_path(
    server: *const agentmote_server_t,
    config: *const agentmote_http_t,
) -> Result<Option<&'static str>, agentmote_status_t> {
    // SAFETY: as the caller promises.
    let server = unsafe { &*server };
    let _guard = server.gate.enter(Mark::Server)?;
    // SAFETY: the gate was entered.
    let path = unsafe { crate::agent::Desk::inner(server.desk()) }.map(|(_, path)| path);
    // SAFETY: as the caller promises.
    let is_closed = unsafe { config.as_ref() }.is_some_and(|one| !one.credentials.is_null());
    // They would not guard the agent.
    if path.is_some() && is_closed {
        return Err(crate::abi::AGENTMOTE_ERROR_TABLE);
    }
    Ok(path)
}

/// # Safety
/// As for [`agentmote_http_open`].
#[cfg(feature = "http")]
unsafe fn http_config(
    config: *const agentmote_http_t,
    places: &'static mut [&'static str],
) -> Result<HttpConfig, agentmote_status_t> {
    use crate::abi::AGENTMOTE_ERROR_TABLE;
    if config.is_null() {
        return Ok(HttpConfig::LOOPBACK);
    }
    // SAFETY: as the caller promises.
    let config = unsafe { &*config };
    let closed = !config.credentials.is_null();
    if closed && cfg!(not(feature = "credentials")) {
        return Err(crate::abi::AGENTMOTE_ERROR_FEATURE);
    }
    // The core takes an empty list for an open server.
    if closed && config.credential_count == 0 {
        return Err(AGENTMOTE_ERROR_TABLE);
    }
    let (hosts, origins) = (
        usize::from(config.host_count),
        usize::from(config.origin_count),
    );
    let (for_hosts, rest) = places
        .split_at_mut_checked(hosts)
        .ok_or(AGENTMOTE_ERROR_STORAGE)?;
    let (for_origins, _) = rest
        .split_at_mut_checked(origins)
        .ok_or(AGENTMOTE_ERROR_STORAGE)?;
    let list = |texts: *const *const core::ffi::c_char, places: &'static mut [&'static str]| {
        if texts.is_null() {
            return Ok::<_, agentmote_status_t>(Allow::Loopback);
        }
        // SAFETY: as the caller promises.
        let texts = unsafe { items(texts, places.len()) };
        for (place, text) in places.iter_mut().zip(texts) {
            // SAFETY: as the caller promises.
            *place = unsafe { crate::abi::text(*text) }.ok_or(AGENTMOTE_ERROR_TABLE)?;
        }
        Ok(Allow::Listed(places))
    };
    let hosts = list(config.hosts, for_hosts)?;
    let path = match config.path.is_null() {
        true => HttpConfig::LOOPBACK.path,
        // SAFETY: as the caller promises.
        false => unsafe { crate::abi::text(config.path) }.ok_or(AGENTMOTE_ERROR_TABLE)?,
    };
    Ok(HttpConfig {
        path,
        hosts: if config.any_host != 0 {
            Allow::Any
        } else {
            hosts
        },
        origins: list(config.origins, for_origins)?,
        cors: config.cors != 0,
        // SAFETY: as the caller promises.
        #[cfg(feature = "credentials")]
        credentials: unsafe { credentials(config) },
        ..HttpConfig::LOOPBACK
    })
}

/// # Safety
/// As for [`agentmote_http_open`].
#[cfg(feature = "credentials")]
unsafe fn credentials(config: &agentmote_http_t) -> &'static [agentmote::server::Credential] {
    use agentmote::server::Credential;
    use core::mem::offset_of;
    const {
        assert!(size_of::<Credential>() == size_of::<agentmote_credential_t>());
        assert!(offset_of!(Credential, digest) == offset_of!(agentmote_credential_t, digest));
        assert!(offset_of!(Credential, caller) == offset_of!(agentmote_credential_t, id));
        assert!(offset_of!(Caller, scopes) == size_of::<u32>());
    }
    // SAFETY: as the caller promises; both are the same numbers in the same
    // places, as was just compared.
    unsafe {
        items(
            config.credentials.cast::<Credential>(),
            config.credential_count.into(),
        )
    }
}

/// Enters a connection.
///
/// # Safety
/// `connection` is NULL or one that `agentmote_line_open` or
/// `agentmote_http_open` gave.
unsafe fn enter<'c>(
    connection: *mut agentmote_connection_t,
) -> Result<(Guard<'c>, &'static Verbs, *const agentmote_server_t), agentmote_status_t> {
    if connection.is_null() {
        return Err(AGENTMOTE_ERROR_NULL);
    }
    // SAFETY: as the caller promises.
    let gate = unsafe { &*addr_of!((*connection).gate) };
    let guard = gate.enter(Mark::Connection)?;
    // SAFETY: it is open, so both were written, and nobody writes them while
    // the gate is entered.
    unsafe { Ok((guard, (*connection).verbs, (*connection).server)) }
}

/// Enters a server, unless it was opened anew after this round: what a
/// connection keeps of a call may point to tables that are gone.
///
/// # Safety
/// `server` is one that a connection was opened with.
unsafe fn enter_server<'s>(
    server: *const agentmote_server_t,
    round: u32,
) -> Result<(Guard<'s>, Served<'s>), agentmote_status_t> {
    // SAFETY: as the caller promises.
    let server = unsafe { &*server };
    let guard = server.gate.enter(Mark::Server)?;
    if server.gate.round() != round {
        return Err(AGENTMOTE_ERROR_NOT_OPEN);
    }
    // SAFETY: it is open, and its gate was just entered.
    let served = unsafe {
        Served {
            server: server.inner(),
            #[cfg(feature = "a2a")]
            desk: crate::agent::Desk::inner(server.desk()).map(|(desk, _)| desk),
        }
    };
    Ok((guard, served))
}

/// Takes bytes that arrived, at most up to the end of a message; `taken` gets
/// how many, 0 on failure. The rest waits for the next `agentmote_poll`: offer
/// it again then.
///
/// `bytes` may be NULL if `length` is 0.
///
/// # Safety
/// `connection` is NULL or an opened connection; `bytes` points to `length`
/// bytes; `taken` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_receive(
    connection: *mut agentmote_connection_t,
    bytes: *const c_void,
    length: usize,
    taken: *mut usize,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    unsafe { put(taken, 0) };
    if taken.is_null() || (bytes.is_null() && length > 0) {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    match unsafe { enter(connection) } {
        Ok((_guard, verbs, _)) => {
            // SAFETY: the gate was entered; the bytes are as promised.
            unsafe {
                put(
                    taken,
                    (verbs.receive)(connection, items(bytes.cast(), length)),
                )
            };
            AGENTMOTE_OK
        }
        Err(status) => status,
    }
}

/// Works on what has arrived and on the calls in flight, at `now_ms`
/// milliseconds of a clock that never goes back, and writes what there is to
/// send to the start of `out`, of `size` bytes. `filled` gets how many bytes,
/// 0 on failure; 0 with `AGENTMOTE_OK` means that nothing is left to send for
/// now.
///
/// An answer that is longer than `out` goes on in the next call. No handler
/// runs twice for that. `out` may be NULL if `size` is 0.
///
/// `AGENTMOTE_ERROR_BUSY` if another connection of the same server is at work
/// in another thread, or from inside a handler; `AGENTMOTE_ERROR_NOT_OPEN` if
/// the server was opened anew and the connection was not.
///
/// # Safety
/// `connection` is NULL or an opened connection; `out` points to `size` bytes
/// that may be written and are no storage of the library; `filled` is NULL or
/// may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_poll(
    connection: *mut agentmote_connection_t,
    now_ms: u64,
    out: *mut c_void,
    size: usize,
    filled: *mut usize,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    unsafe { put(filled, 0) };
    if filled.is_null() || (out.is_null() && size > 0) {
        return AGENTMOTE_ERROR_NULL;
    }
    let out = match size {
        0 => &mut [],
        // SAFETY: as the caller promises.
        size => unsafe { core::slice::from_raw_parts_mut(out.cast::<u8>(), size) },
    };
    let act = |verbs: &Verbs, served: Served<'_>| {
        // SAFETY: both gates were entered.
        let count = unsafe { (verbs.poll)(connection, served, Instant::from_millis(now_ms), out) };
        // SAFETY: as the caller promises.
        unsafe { put(filled, count) };
    };
    // SAFETY: as the caller promises.
    unsafe { with_server(connection, act) }
}

/// # Safety
/// `connection` is NULL or an opened connection.
unsafe fn with_server(
    connection: *mut agentmote_connection_t,
    act: impl FnOnce(&Verbs, Served<'_>),
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    let entered = unsafe { enter(connection) }.and_then(|(guard, verbs, server)| {
        // SAFETY: the connection is open, and its gate was entered.
        let round = unsafe { (*connection).round };
        // SAFETY: the connection was opened with this server.
        let (server_guard, served) = unsafe { enter_server(server, round) }?;
        act(verbs, served);
        drop((server_guard, guard));
        Ok(())
    });
    entered.err().unwrap_or(AGENTMOTE_OK)
}

/// When `agentmote_poll` is due although nothing arrives: `at_ms` gets the
/// time. `AGENTMOTE_ABSENT`, with nothing written, if only arriving bytes give
/// it work. Of tasks it knows only those that the connection waits for; see
/// `agentmote_run_tasks`.
///
/// `AGENTMOTE_ERROR_BUSY` and `AGENTMOTE_ERROR_NOT_OPEN`, of a connection that
/// serves an agent, as for `agentmote_poll`.
///
/// # Safety
/// `connection` is NULL or an opened connection; `at_ms` is NULL or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_wake(
    connection: *mut agentmote_connection_t,
    at_ms: *mut u64,
) -> agentmote_status_t {
    if at_ms.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    let tell = |wake: Option<Instant>| match wake {
        Some(wake) => {
            // SAFETY: as the caller promises.
            unsafe { put(at_ms, wake.as_millis()) };
            AGENTMOTE_OK
        }
        None => AGENTMOTE_ABSENT,
    };
    // SAFETY: as the caller promises.
    match unsafe { enter(connection) } {
        // SAFETY: the gate was entered.
        #[cfg(feature = "a2a")]
        Ok((_guard, verbs, server)) if unsafe { (*connection).has_agent } => {
            // SAFETY: as above.
            let round = unsafe { (*connection).round };
            // SAFETY: the connection was opened with this server.
            match unsafe { enter_server(server, round) } {
                // SAFETY: both gates were entered.
                Ok((_server, served)) => tell(unsafe { (verbs.wake)(connection, Some(&served)) }),
                Err(status) => status,
            }
        }
        // SAFETY: the gate was entered.
        Ok((_guard, verbs, _)) => tell(unsafe { (verbs.wake)(connection, None) }),
        Err(status) => status,
    }
}

/// Tells that the peer has gone.
///
/// A line connection forgets it: an unfinished line, the handshake, every call
/// in flight, whose handlers are told so (M-093); the next byte is that of a
/// new peer. An HTTP connection drops what has not begun, and lets a call of
/// the legacy era go on (M-190): keep calling `agentmote_poll` until
/// `agentmote_is_closed`.
///
/// # Safety
/// `connection` is NULL or an opened connection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_hang_up(
    connection: *mut agentmote_connection_t,
    now_ms: u64,
) -> agentmote_status_t {
    let act = |verbs: &Verbs, served: Served<'_>| {
        // SAFETY: both gates were entered.
        unsafe { (verbs.hang_up)(connection, served.server, Instant::from_millis(now_ms)) };
    };
    // SAFETY: as the caller promises.
    unsafe { with_server(connection, act) }
}

/// Whether the answers of an HTTP connection are out and the caller should
/// close it: `closed` gets it. A line connection is never closed.
///
/// # Safety
/// `connection` is NULL or an opened connection; `closed` is NULL or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_is_closed(
    connection: *mut agentmote_connection_t,
    closed: *mut bool,
) -> agentmote_status_t {
    if closed.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    match unsafe { enter(connection) } {
        Ok((_guard, verbs, _)) => {
            // SAFETY: the gate was entered; `closed` is as promised.
            unsafe { put(closed, (verbs.is_closed)(connection)) };
            AGENTMOTE_OK
        }
        Err(status) => status,
    }
}

/// Tells who the peer of a line connection is, once the transport has found it
/// out: `id` is a number of your choice for whom he speaks, and an answer to a
/// question is taken from nobody else (M-148); `scopes` are what he may do, bits
/// of your choice, to be compared with those of each tool. Without it: id 0,
/// every scope.
///
/// `AGENTMOTE_ERROR_TYPE` for an HTTP connection, `AGENTMOTE_ERROR_FEATURE` if
/// the library was built without `input` and `scopes`.
///
/// # Safety
/// `connection` is NULL or an opened connection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_set_caller(
    connection: *mut agentmote_connection_t,
    id: u32,
    scopes: u32,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    match unsafe { enter(connection) } {
        #[cfg(any(feature = "input", feature = "scopes"))]
        Ok((_guard, verbs, _)) => {
            // SAFETY: the gate was entered.
            unsafe { (verbs.set_caller)(connection, Caller { id, scopes }) }
        }
        #[cfg(not(any(feature = "input", feature = "scopes")))]
        Ok(_) => {
            let _ = (id, scopes);
            crate::abi::AGENTMOTE_ERROR_FEATURE
        }
        Err(status) => status,
    }
}
