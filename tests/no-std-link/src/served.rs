//! `server`: whole connections, from bytes in to bytes out.

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use agentmote::mcp::Version;
use agentmote::server::{
    Allow, Credential, Http, HttpConfig, HttpMemory, Line, LineMemory, Place, Server, io,
};
use agentmote::time::Instant;
use agentmote::tool::Caller;
use embedded_io::{ErrorKind, ErrorType, Write};

use crate::tool::{App, DEVICE};

/// A line connection, cut and timed by the input.
pub(crate) fn line(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, cut, room], input) = crate::pick(input);
    let now = Instant::from_millis(now as u64);
    let mut server = Server::new(&DEVICE, App { moved: 0 }).with_key([cut as u8; 32]);
    let mut memory = LineMemory::<512, 256, 2, 128>::new();
    let mut line = Line::new(&mut memory);
    line.set_caller(Caller {
        id: cut as u32,
        scopes: room as u32,
    });
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    let mut filled = 0usize;
    for part in [first, second, input] {
        let taken = line.receive(part);
        let place = out.get_mut(filled..filled.saturating_add(room));
        filled = filled.wrapping_add(line.poll(&mut server, now, place.unwrap_or_default()));
        if taken == 0 && line.wake().is_some() && !line.is_working() {
            line.reset(&mut server, now);
            server.end_subscriptions();
        }
    }
    filled
}

/// Connections over buffers of sizes that are not known when it is compiled.
pub(crate) fn over(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, rx, result, share], input) = crate::pick(input);
    let now = Instant::from_millis(now as u64);
    let mut server = Server::new(&DEVICE, App { moved: 0 });
    server.set_key([share as u8; 32]);
    let mut room = [[0; 512]; 3];
    let mut flights = [Place::Free; 2];
    let [first, second, kept] = &mut room;
    let rx = first.get_mut(..rx).unwrap_or_default();
    let result = second.get_mut(..result).unwrap_or_default();
    let mut filled = 0usize;
    {
        let mut line = Line::over(rx, result, kept, share, &mut flights);
        line.receive(input);
        filled = filled.wrapping_add(line.poll(&mut server, now, out));
    }
    let mut http = Http::over(rx, result, HttpConfig::LOOPBACK);
    http.receive(input);
    filled.wrapping_add(http.poll(&mut server, now, out))
}

fn bearer(token: &[u8]) -> Option<Caller> {
    let (&id, token) = token.split_first()?;
    (token == b"secret").then_some(Caller {
        id: u32::from(id),
        scopes: u32::from(id),
    })
}

/// An HTTP connection, likewise.
pub(crate) fn http(input: &[u8], out: &mut [u8]) -> usize {
    const LISTED: HttpConfig = HttpConfig {
        path: "/probe",
        hosts: Allow::Listed(&["probe.local:80"]),
        origins: Allow::Listed(&["http://probe.local"]),
        cors: true,
        bearer: Some(bearer),
        credentials: &[Credential {
            digest: [7; 32],
            caller: Caller::ANY,
        }],
    };
    const ANY: HttpConfig = HttpConfig {
        hosts: Allow::Any,
        origins: Allow::Any,
        ..HttpConfig::LOOPBACK
    };
    let ([now, cut, room, config], input) = crate::pick(input);
    let now = Instant::from_millis(now as u64);
    let mut server = Server::new(&DEVICE, App { moved: 0 }).with_key([now.as_millis() as u8; 32]);
    let mut memory = HttpMemory::<1024, 256>::new();
    let config = match config {
        0 => HttpConfig::LOOPBACK,
        1 => ANY,
        _ => LISTED,
    };
    let mut http = Http::new(&mut memory, config);
    let (first, second) = input.split_at_checked(cut).unwrap_or((input, &[]));
    let mut filled = 0usize;
    for part in [first, second, input] {
        let taken = http.receive(part);
        let place = out.get_mut(filled..filled.saturating_add(room));
        filled = filled.wrapping_add(http.poll(&mut server, now, place.unwrap_or_default()));
        if http.is_closed() {
            http.open();
        }
        if taken == 0 && http.wake().is_some() && !http.is_idle() && !http.is_working() {
            http.hang_up(&mut server, now);
        }
    }
    filled
}

/// A transport that takes as much as it likes, or fails.
struct Tx<'o> {
    out: &'o mut [u8],
    most: usize,
}

impl ErrorType for Tx<'_> {
    type Error = ErrorKind;
}

impl Write for Tx<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let place = self.out.get_mut(self.most).ok_or(ErrorKind::Other)?;
        *place = bytes.first().copied().unwrap_or_default();
        // More than there was is a lie that must do no harm either.
        Ok(self.most)
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

impl embedded_io_async::Write for Tx<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        Write::write(self, bytes)
    }

    async fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

/// The async transport, polled once: a future that is polled after its end
/// panics, which is the mistake of an executor.
pub(crate) fn async_transport(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, most], input) = crate::pick(input);
    let now = Instant::from_millis(now as u64);
    let mut server = Server::new(&DEVICE, App { moved: 0 });
    let mut memory = LineMemory::<512, 256, 2, 128>::new();
    let mut line = Line::new(&mut memory);
    let mut tx = Tx { out, most };
    let fed = pin!(io::feed_async(&mut line, &mut server, now, input, &mut tx));
    match fed.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(taken)) => taken,
        Poll::Ready(Err(_)) | Poll::Pending => 0,
    }
}

/// What both transports of `embedded-io` are made of.
pub(crate) fn transport(input: &[u8], out: &mut [u8]) -> usize {
    let ([now, choice, most], input) = crate::pick(input);
    let now = Instant::from_millis(now as u64);
    let mut server = Server::new(&DEVICE, App { moved: 0 });
    let len = out.len();
    let mut tx = Tx { out, most };
    let taken = if choice == 0 {
        let mut memory = LineMemory::<512, 256, 2, 128>::new();
        let mut line = Line::new(&mut memory);
        io::feed(&mut line, &mut server, now, input, &mut tx)
    } else {
        let mut memory = HttpMemory::<1024, 256>::new();
        let mut http = Http::new(&mut memory, HttpConfig::LOOPBACK);
        io::feed(&mut http, &mut server, now, input, &mut tx)
    };
    let mut about = 0usize;
    if let Some(version) = Version::ALL.get(choice) {
        let has = [
            version.is_modern(),
            version.has_batches(),
            version.has_annotations(),
            version.has_audio(),
            version.has_structured(),
        ];
        about = has.into_iter().filter(|has| *has).count() + version.text().len();
    }
    taken.map_or(0, |taken| taken.wrapping_add(len).wrapping_add(about))
}
