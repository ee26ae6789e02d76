//! Transports: connections over `embedded-io` and `embedded-io-async`.
//!
//! Both are the same few lines: take, work, write, until nothing is left.
//! Time comes from the caller, so one of these calls is due when bytes have
//! arrived and when [`Connection::wake`] is over.

use super::Server;
use crate::time::Instant;

/// What [`feed`] needs of a connection, for code that serves any of them:
/// [`Line`](super::Line) and `Http` are some. Code that has one of these calls
/// its own methods, which have the same names.
pub trait Connection<App> {
    /// Takes bytes that arrived; gives how many.
    fn receive(&mut self, bytes: &[u8]) -> usize;
    /// Works, and fills `out` with bytes to send; gives how many.
    fn poll(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize;
    /// When `poll` is due although nothing arrives.
    fn wake(&self) -> Option<Instant>;
}

impl<App> Connection<App> for super::Line<'_> {
    fn receive(&mut self, bytes: &[u8]) -> usize {
        self.receive(bytes)
    }

    fn poll(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize {
        self.poll(server, now, out)
    }

    fn wake(&self) -> Option<Instant> {
        self.wake()
    }
}

#[cfg(feature = "http")]
impl<App> Connection<App> for super::Http<'_> {
    fn receive(&mut self, bytes: &[u8]) -> usize {
        self.receive(bytes)
    }

    fn poll(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize {
        self.poll(server, now, out)
    }

    fn wake(&self) -> Option<Instant> {
        self.wake()
    }
}

/// An HTTP connection that serves an agent too, with what it serves: what
/// [`feed`] takes of one that was made by `Http::with_agent`.
#[cfg(all(feature = "http", feature = "a2a"))]
#[derive(Debug)]
pub struct WithAgent<'c, 'm, 't, App: crate::task::Runtime> {
    /// The connection.
    pub http: &'c mut super::Http<'m>,
    /// The agent and its tasks.
    pub desk: &'c mut super::AgentDesk<'t, App>,
}

#[cfg(all(feature = "http", feature = "a2a"))]
impl<App: crate::task::Runtime> Connection<App> for WithAgent<'_, '_, '_, App> {
    fn receive(&mut self, bytes: &[u8]) -> usize {
        self.http.receive(bytes)
    }

    fn poll(&mut self, server: &mut Server<App>, now: Instant, out: &mut [u8]) -> usize {
        self.http.poll_agent(server, self.desk, now, out)
    }

    fn wake(&self) -> Option<Instant> {
        self.http.wake_agent(self.desk)
    }
}

/// Bytes that are handed to a transport at a time; on the stack.
const CHUNK: usize = 128;

/// Takes `bytes` and writes every answer to `tx`, blocking while it does not
/// take them; gives how many bytes were taken. Bytes are left over only while
/// a call of an earlier message is not done: offer them again. Without bytes:
/// does what is due.
///
/// # Errors
/// What `tx` says; the connection should then be reset.
///
/// ```
/// # use agentmote::mcp::{Device, Identity};
/// # use agentmote::server::{Line, LineMemory, Server, io};
/// # use agentmote::time::Instant;
/// static DEVICE: Device<()> = Device::new(Identity::new("d", "1"), &[]);
/// let mut server = Server::new(&DEVICE, ());
/// let mut memory = LineMemory::<512, 192, 0, 0>::new();
/// let mut line = Line::new(&mut memory);
/// let mut room = [0u8; 128];
/// let mut uart = &mut room[..];
/// let bytes = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n";
/// let now = Instant::from_millis(0);
/// let taken = io::feed(&mut line, &mut server, now, bytes, &mut uart).unwrap();
/// assert_eq!(taken, bytes.len());
/// assert!(room.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n"));
/// ```
pub fn feed<App, C, W>(
    connection: &mut C,
    server: &mut Server<App>,
    now: Instant,
    bytes: &[u8],
    tx: &mut W,
) -> Result<usize, W::Error>
where
    C: Connection<App>,
    W: embedded_io::Write,
{
    let mut rest = bytes;
    let mut out = [0; CHUNK];
    loop {
        let taken = connection.receive(rest);
        rest = rest.get(taken..).unwrap_or(&[]);
        let filled = connection.poll(server, now, &mut out);
        let mut unsent = out.get(..filled).unwrap_or(&[]);
        // Not `write_all`: it panics at a writer that takes nothing. Such a
        // writer breaks its contract, and what it leaves is lost.
        while !unsent.is_empty() {
            let sent = tx.write(unsent)?;
            unsent = match sent {
                0 => &[],
                sent => unsent.get(sent..).unwrap_or(&[]),
            };
        }
        if taken == 0 && filled == 0 {
            tx.flush()?;
            return Ok(bytes.len().saturating_sub(rest.len()));
        }
    }
}

/// [`feed`] over an async transport.
///
/// # Errors
/// What `tx` says; the connection should then be reset.
#[cfg(feature = "embedded-io-async")]
pub async fn feed_async<App, C, W>(
    connection: &mut C,
    server: &mut Server<App>,
    now: Instant,
    bytes: &[u8],
    tx: &mut W,
) -> Result<usize, W::Error>
where
    C: Connection<App>,
    W: embedded_io_async::Write,
{
    let mut rest = bytes;
    let mut out = [0; CHUNK];
    loop {
        let taken = connection.receive(rest);
        rest = rest.get(taken..).unwrap_or(&[]);
        let filled = connection.poll(server, now, &mut out);
        let mut unsent = out.get(..filled).unwrap_or(&[]);
        // Not `write_all`: it panics at a writer that takes nothing. Such a
        // writer breaks its contract, and what it leaves is lost.
        while !unsent.is_empty() {
            let sent = tx.write(unsent).await?;
            unsent = match sent {
                0 => &[],
                sent => unsent.get(sent..).unwrap_or(&[]),
            };
        }
        if taken == 0 && filled == 0 {
            tx.flush().await?;
            return Ok(bytes.len().saturating_sub(rest.len()));
        }
    }
}
