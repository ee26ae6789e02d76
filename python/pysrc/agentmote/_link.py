"""HTTP to a device: over a socket, or to one in this process."""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from agentmote import _native
from agentmote._errors import CallTimeout, ConnectionLost, InvalidAnswer, NotAllowed

Connection = http.client.HTTPConnection
Response = http.client.HTTPResponse

LINE = 16 * 1024 * 1024
"""Bytes of the longest line, and of the longest body, that is taken from a
peer."""

CHUNK = 64 * 1024

LOOK = 0.02
"""Seconds between looks at a device in this process that another thread may
have given work."""


class Link:
    """Where requests of HTTP go; each thread keeps a connection."""

    place = ""
    """Where that is, in words."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._all: List[Connection] = []

    def fresh(self, timeout: float) -> Connection:
        """A connection of its own."""
        raise NotImplementedError

    def now(self) -> float:
        """Seconds on the clock by which limits are kept."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Lets time pass."""
        time.sleep(seconds)

    def kept(self, timeout: float) -> Connection:
        """The connection of this thread. One that the peer has closed meanwhile
        is opened anew before anything is sent: what was sent is never sent
        again."""
        found: Optional[Connection] = getattr(self._own, "connection", None)
        if found is None:
            found = self.fresh(timeout)
            self._own.connection = found
            self._all.append(found)
        if found.sock is not None and is_stale(found.sock):
            found.close()
        found.timeout = timeout
        if found.sock is not None:
            found.sock.settimeout(timeout)
        return found

    def apart(self) -> "Apart":
        """While it lasts, this thread has another connection."""
        return Apart(self._own)

    def send(
        self,
        connection: Connection,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Mapping[str, str],
        what: str,
    ) -> Response:
        """Sends a request, and gives the head of its answer.

        Raises:
            CallTimeout: there was none in time.
            ConnectionLost: the connection has ended; the request may have
                acted.
        """
        try:
            connection.request(method, path, body, dict(headers))
            return connection.getresponse()
        except (TimeoutError, socket.timeout):
            connection.close()
            raise CallTimeout(f"no answer to {what} in time") from None
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionLost(f"{self.place}: {error}") from error

    def close(self) -> None:
        """Ends every kept connection."""
        for connection in self._all:
            connection.close()


class Apart:
    """See `Link.apart`."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def __enter__(self) -> None:
        self._kept = getattr(self._own, "connection", None)
        self._own.connection = None

    def __exit__(self, *_: object) -> None:
        mine: Optional[Connection] = self._own.connection
        if mine is not None:
            mine.close()
        self._own.connection = self._kept


def is_stale(sock: socket.socket) -> bool:
    """Whether the peer has closed a connection on which nothing is on its way;
    what it says of itself then is no answer."""
    try:
        return bool(select.select([sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


class SocketLink(Link):
    """HTTP over TCP, or over TLS.

    Raises:
        ValueError: the URL has no host.
    """

    def __init__(self, url: str, authority: Optional[str]) -> None:
        super().__init__()
        parts = urllib.parse.urlsplit(url)
        if not parts.hostname:
            raise ValueError(f"{url}: no host")
        self.host, self.port = parts.hostname, parts.port
        self._tls: Optional[ssl.SSLContext] = None
        if parts.scheme == "https":
            self._tls = ssl.create_default_context(cafile=authority)
        elif authority is not None:
            raise ValueError(f"{url}: an authority is for https only")
        self.scheme = parts.scheme
        self.place = f"{self.host}:{self.port}"

    def fresh(self, timeout: float) -> Connection:
        if self._tls is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        return http.client.HTTPSConnection(
            self.host, self.port, timeout=timeout, context=self._tls
        )


class DeviceLink(Link):
    """HTTP to a device in this process. Time passes by its own clock: a virtual
    one is moved while it is waited for."""

    def __init__(self, device: _native.Device) -> None:
        super().__init__()
        self.place = "the device"
        self._device = device
        self._clock = device.clock

    def fresh(self, timeout: float) -> Connection:
        return _DeviceConnection(self._device, timeout)

    def now(self) -> float:
        return self._clock.now()

    def sleep(self, seconds: float) -> None:
        if not self._clock.virtual:
            time.sleep(seconds)
            return
        # Its tasks go on meanwhile, each when it is due.
        peer = self._device.connection("lines")
        end = self.now() + seconds
        while True:
            peer.poll()
            left = end - self.now()
            if left < 0.0005:
                return
            self._clock.advance(pause(peer, left))

    def kept(self, timeout: float) -> Connection:
        return self.fresh(timeout)


class _DeviceConnection(http.client.HTTPConnection):
    """A connection of HTTP to a device in this process."""

    def __init__(self, device: _native.Device, timeout: float) -> None:
        super().__init__("127.0.0.1", timeout=timeout)
        self._device = device

    def connect(self) -> None:
        sock: Any = _DeviceSocket(self._device)
        sock.settimeout(self.timeout)
        self.sock = sock


def pause(peer: _native.Connection, left: float) -> float:
    """Seconds until a connection is to be polled again, at most `left`: 0 if
    work is due already."""
    wait = peer.wait()
    # In whole milliseconds, as the clock counts: a difference of two times is
    # a hair off.
    return round(left if wait is None else min(wait, left), 3)


class _DeviceSocket:
    """What `http.client` needs of a socket."""

    def __init__(self, device: _native.Device) -> None:
        self._peer = device.connection("http")
        self._clock = device.clock
        self._timeout: Optional[float] = None
        self._open = True
        self._files = 0
        self._closed = False
        self._rest = self._arrived = b""

    def settimeout(self, timeout: Optional[float]) -> None:
        self._timeout = timeout

    def sendall(self, data: bytes) -> None:
        # It is offered at once, as a wire does: the device may answer before
        # all of it was taken.
        self._rest += data
        self._arrived += self._work()

    def _work(self) -> bytes:
        """Offers what is to be sent, and gives what has come."""
        while True:
            taken = self._peer.receive(self._rest) if self._rest else 0
            self._rest = self._rest[taken:]
            data = self._peer.poll()
            if data or not taken:
                return data

    def makefile(self, mode: str) -> io.BufferedReader:
        self._files += 1
        return io.BufferedReader(_DeviceFile(self))

    def close(self) -> None:
        self._closed = True
        self._end()

    def drop(self) -> None:
        """A file of it is closed. As that of a socket, it may be read after the
        socket was closed."""
        self._files -= 1
        self._end()

    def _end(self) -> None:
        if self._open and self._closed and not self._files:
            self._open = False
            self._peer.reset()

    def read(self) -> bytes:
        """Some bytes; none at the end."""
        limit = self._timeout
        end = None if limit is None else self._clock.now() + limit
        while self._open:
            data, self._arrived = self._arrived or self._work(), b""
            if data:
                return data
            if self._peer.closed:
                break
            left = LOOK if end is None else end - self._clock.now()
            if left <= 0:
                raise TimeoutError("timed out")
            wait = pause(self._peer, left)
            if self._clock.virtual:
                self._clock.advance(wait)
            else:
                time.sleep(min(wait, LOOK))
        return b""


class _DeviceFile(io.RawIOBase):
    def __init__(self, peer: _DeviceSocket) -> None:
        self._peer = peer
        self._rest = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._peer.drop()

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = self._peer.read()
        part = self._rest[: len(buffer)]
        buffer[: len(part)] = part
        self._rest = self._rest[len(part) :]
        return len(part)


def event_texts(answer: Response, before: Callable[[], None]) -> Iterator[str]:
    """The texts of a stream of events. `before` is called before each line.

    Raises:
        InvalidAnswer: a line is too long.
    """
    data: List[bytes] = []
    while True:
        before()
        line = answer.readline(LINE)
        if not line:
            return
        if len(line) == LINE:
            raise InvalidAnswer(f"an event of more than {LINE} bytes")
        line = line.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[5:].lstrip(b" "))
        elif not line and data:
            yield b"\n".join(data).decode(errors="replace")
            data = []


def body_of(answer: Response) -> bytes:
    """The body of an answer.

    Raises:
        InvalidAnswer: it is too long.
    """
    if answer.length is not None and answer.length <= LINE:
        return answer.read()
    body = bytearray()
    while answer.length is None and len(body) <= LINE:
        part = answer.read(CHUNK)
        if not part:
            return bytes(body)
        body += part
    answer.close()
    raise InvalidAnswer(f"an answer of more than {LINE} bytes")


def no_answer(status: int, text: str) -> InvalidAnswer:
    """What an answer without a message of the protocol means."""
    words = f"HTTP {status}: {text[:200].strip()}"
    return NotAllowed(words) if status in (401, 403) else InvalidAnswer(words)


def media_type(answer: Response) -> str:
    """The media type of an answer, without parameters."""
    return (answer.getheader("Content-Type") or "").partition(";")[0].strip().lower()


def secured(token: Optional[str], key: Optional[str] = None) -> Dict[str, str]:
    """The headers of a credential."""
    found: Dict[str, str] = {}
    if token is not None:
        found["Authorization"] = f"Bearer {token}"
    if key is not None:
        found["X-API-KEY"] = key
    return found


def origin(url: str) -> Tuple[str, str, Optional[int]]:
    """Scheme, host and port of a URL."""
    parts = urllib.parse.urlsplit(url)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", parts.port or usual
