"""One client for every way to a device, and for both eras of the protocol."""

from __future__ import annotations

import asyncio
import base64
import collections
import functools
import http.client
import itertools
import json
import math
import socket
import threading
import time
import urllib.parse
from dataclasses import dataclass
from typing import (
    Any,
    AsyncIterator,
    Callable,
    Deque,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    TypeVar,
    Union,
    cast,
)

from agentmote import _native
from agentmote._agent import Agent, Content, Task, TaskEvent
from agentmote._device import BaseDevice
from agentmote._errors import (
    CallCancelled,
    CallTimeout,
    ConnectionLost,
    Error,
    InvalidAnswer,
    NoAgent,
    ProtocolError,
    ToolError,
)
from agentmote._link import (
    LINE,
    DeviceLink,
    Link,
    SocketLink,
    body_of,
    event_texts,
    media_type,
    no_answer,
    secured,
)
from agentmote._transports import DeviceTransport, LineTransport, line_transport

T = TypeVar("T")
Message = Dict[str, Any]
OnProgress = Callable[[float, Optional[float]], None]
OnInput = Callable[["Question"], Any]
Target = Union[str, BaseDevice, LineTransport]

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
META = "io.modelcontextprotocol/"
MODERN_ERRORS = (-32020, -32021, -32022)
"""Errors that only the modern era has (M-171)."""

DISCOVERY = 5.0
"""Seconds that a peer has for an answer to ``server/discover`` before the
older handshake is tried (M-172)."""

TRACE = 1000
"""Messages that a client remembers."""

LOOK = 0.05
"""Seconds between looks at whether a call is to be given up."""

ROUNDS = 32
"""Times that one call may ask."""

RECONNECT = 10.0
"""Seconds for which a lost device is looked for."""

AGAIN = 0.1
"""Seconds between two attempts of that."""

READS = (
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
)
"""Requests that change nothing: they may be sent once more."""


@dataclass(frozen=True)
class Sent:
    """A message that went one way."""

    seconds: float
    """When, on the clock of the transport."""
    to_device: bool
    text: str

    def __str__(self) -> str:
        arrow = "->" if self.to_device else "<-"
        return f"{self.seconds:10.3f} {arrow} {self.text}"


@dataclass(frozen=True)
class Question:
    """What a device asks in the middle of a call."""

    message: str
    """What the user reads."""
    schema: Dict[str, Any]
    """What is to be filled in, as JSON Schema."""


@dataclass(frozen=True)
class Tool:
    """A tool as it is advertised."""

    name: str
    title: str
    description: str
    input_schema: Dict[str, Any]
    output_schema: Optional[Dict[str, Any]]
    annotations: Dict[str, Any]


@dataclass(frozen=True)
class Resource:
    """A resource as it is advertised, or a template of some."""

    uri: str
    name: str
    title: str
    description: str
    mime: str
    template: bool = False


@dataclass(frozen=True)
class Result:
    """What a tool has answered.

    The members of a structured result are those of the `Result` too:
    ``result["celsius"]``.
    """

    structured: Optional[Dict[str, Any]]
    """The structured result, or None."""
    content: List[Message]
    """The content blocks as they were sent."""

    @property
    def text(self) -> str:
        """The texts among the content, each on lines of its own."""
        return "\n".join(
            block.get("text", "") for block in self.content if block.get("type") == "text"
        )

    def __getitem__(self, name: str) -> Any:
        if self.structured is None:
            raise KeyError(f"{name}: the tool gave no structured result")
        return self.structured[name]


@dataclass
class _Slot:
    """A request that waits for its answer."""

    progress: Optional[OnProgress] = None
    answer: Optional[Message] = None


class Changes:
    """A subscription to a resource; ends with its ``with``."""

    def __init__(self, uri: str, modern: bool, now: Callable[[], float]) -> None:
        self.uri = uri
        """The URI of the resource."""
        self.modern = modern
        """Whether it is one of the modern era."""
        self.told: Optional[Message] = None
        """The answer to the wish to hear; None before it has come."""
        self.until: Callable[[Callable[[], bool], float], bool] = lambda done, end: done()
        """Reads until something has come."""
        self.end: Callable[[], None] = lambda: None
        """Tells the device that it need not tell any more."""
        self._now = now
        self._count = 0
        self._seen = 0
        self._ended = False

    def lose(self) -> None:
        """The connection is gone, and the subscription with it."""
        self.end = lambda: None
        self._ended = True

    def take(self, message: Message) -> None:
        """Takes what the device tells."""
        method = message.get("method")
        if method == "notifications/resources/updated":
            self._count += 1
        elif method == "notifications/subscriptions/acknowledged":
            self.told = members(message.get("params"))
        elif method is None:
            # The answer to the request ends the subscription, or refuses it.
            self.told = self.told or message
            self._ended = True

    def wait(self, timeout: float) -> bool:
        """Whether the resource has changed since the last time, or does within
        so many seconds. Several changes may be told as one.

        Raises:
            ConnectionLost: the connection, or the device, has ended it.
        """
        end = self._now() + timeout
        self.until(lambda: self._count != self._seen or self._ended, end)
        if self._count != self._seen:
            self._seen = self._count
            return True
        if self._ended:
            raise ConnectionLost(f"the device has ended the subscription to {self.uri}")
        return False

    def close(self) -> None:
        """Ends the subscription. Once more does nothing."""
        end, self.end = self.end, lambda: None
        end()

    def __enter__(self) -> "Changes":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Requests:
    """A way for requests to go; what lines and HTTP have in common."""

    def request(
        self,
        message: Message,
        headers: Mapping[str, str],
        timeout: float,
        progress: Optional[OnProgress],
        cancel: Optional[threading.Event] = None,
    ) -> Message:
        raise NotImplementedError

    def notify(self, message: Message, headers: Mapping[str, str]) -> None:
        raise NotImplementedError

    def listen(
        self, changes: Changes, message: Message, headers: Mapping[str, str], timeout: float
    ) -> None:
        """Lets `changes` hear what the device tells."""
        raise NotImplementedError

    def unlisten(self, changes: Changes) -> None:
        """Ends that."""
        raise NotImplementedError

    def now(self) -> float:
        return time.monotonic()

    def reopen(self) -> None:
        pass

    def close(self) -> None:
        pass


Note = Callable[[bool, str], None]
Answer = Callable[[Message], Message]
"""Gives the result of a request of the device, or raises `ProtocolError`."""


class _Lines(_Requests):
    """Requests over lines. Several threads may wait at once: one of them reads
    for all."""

    def __init__(self, transport: LineTransport, note: Note, answer: Answer) -> None:
        self._transport = transport
        self._note = note
        self._answer = answer
        self._slots: Dict[Any, _Slot] = {}
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._told = threading.Condition()
        self._pending = bytearray()
        self._changes: Dict[Any, Changes] = {}

    def now(self) -> float:
        return self._transport.now()

    def request(
        self,
        message: Message,
        headers: Mapping[str, str],
        timeout: float,
        progress: Optional[OnProgress],
        cancel: Optional[threading.Event] = None,
    ) -> Message:
        slot = _Slot(progress)
        self._slots[message["id"]] = slot
        try:
            end = self.now() + timeout
            self._send(message)

            def done() -> bool:
                return slot.answer is not None or (cancel is not None and cancel.is_set())

            if not self._until(done, end, timeout if cancel is None else LOOK):
                raise CallTimeout(f"no answer to {message['method']} within {timeout:g} s")
            if slot.answer is None:
                raise CallCancelled(f"{message['method']} was given up")
            return slot.answer
        finally:
            self._slots.pop(message["id"], None)

    def _until(self, done: Callable[[], bool], end: float, look: float = math.inf) -> bool:
        """Reads until something has come; whether it has before `end`. Looks
        every so many seconds whether it has without a message."""
        while not done():
            if not self._reading.acquire(blocking=False):
                with self._told:
                    self._told.wait(0.05)
                continue
            try:
                # Another thread may have read it just before.
                if done():
                    return True
                left = end - self.now()
                if left <= 0:
                    return False
                self._read(min(left, look))
            finally:
                self._reading.release()
                with self._told:
                    self._told.notify_all()
        return True

    def listen(
        self, changes: "Changes", message: Message, headers: Mapping[str, str], timeout: float
    ) -> None:
        key = message["id"] if changes.modern else changes.uri
        self._changes[key] = changes
        changes.until = self._until
        if changes.modern:
            self._send(message)
            if not self._until(lambda: changes.told is not None, self.now() + timeout):
                raise CallTimeout(f"no answer to {message['method']} within {timeout:g} s")

    def unlisten(self, changes: "Changes") -> None:
        self._changes = {
            key: other for key, other in self._changes.items() if other is not changes
        }

    def notify(self, message: Message, headers: Mapping[str, str]) -> None:
        self._send(message)

    def _send(self, message: Message) -> None:
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self._note(True, text)
        with self._writing:
            self._transport.write(text.encode() + b"\n")

    def _read(self, timeout: float) -> None:
        self._pending += self._transport.read(timeout)
        while True:
            at = self._pending.find(b"\n")
            if at < 0:
                if len(self._pending) > LINE:
                    self._pending.clear()
                    raise InvalidAnswer(f"a line of more than {LINE} bytes")
                return
            line = bytes(self._pending[:at])
            del self._pending[: at + 1]
            if line.strip():
                self._take(line)

    def _take(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip("\r")
        self._note(False, text)
        try:
            message = members(json.loads(line))
        except ValueError:
            # A board may print a banner, and a wire has noise.
            return
        if not message:
            return
        if message.get("method") == "notifications/progress":
            _tell(message, self._slots)
        elif str(message.get("method")).startswith("notifications/"):
            params = members(message.get("params"))
            key = members(params.get("_meta")).get(META + "subscriptionId", params.get("uri"))
            changes = self._changes.get(key) if isinstance(key, (int, str)) else None
            if changes is not None:
                changes.take(message)
        elif "method" not in message:
            identity = message.get("id")
            listening = self._changes.get(identity) if isinstance(identity, int) else None
            if listening is not None:
                listening.take(message)
            slot = self._slots.get(identity) if isinstance(identity, (int, str)) else None
            if slot is not None:
                slot.answer = message
        elif "id" in message:
            self._serve(message)

    def _serve(self, message: Message) -> None:
        self._send(answer_to(message, self._answer))

    def reopen(self) -> None:
        self._pending.clear()
        lost, self._changes = self._changes, {}
        for changes in lost.values():
            changes.lose()
        self._transport.reopen()

    def close(self) -> None:
        self._transport.close()


def answer_to(message: Message, answer: Answer) -> Message:
    """The answer to a request of the device."""
    found: Message = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        found["result"] = answer(message)
    except ProtocolError as error:
        found["error"] = {"code": error.code, "message": error.message}
    return found


def _tell(message: Message, slots: Mapping[Any, _Slot]) -> None:
    params = members(message.get("params"))
    token = params.get("progressToken")
    slot = slots.get(token) if isinstance(token, (int, str)) else None
    if slot is not None and slot.progress is not None:
        slot.progress(params.get("progress", 0), params.get("total"))


class _Http(_Requests):
    """Requests over HTTP: one each, on a connection that is kept for the
    thread."""

    def __init__(
        self,
        url: str,
        token: Optional[str],
        authority: Optional[str],
        note: Note,
        answer: Answer,
    ) -> None:
        self._answer = answer
        self._link = SocketLink(url, authority)
        parts = urllib.parse.urlsplit(url)
        self._path = (parts.path or "/mcp") + (f"?{parts.query}" if parts.query else "")
        self._token = token
        self._note = note
        self._session: Optional[str] = None
        self._headers: Mapping[str, str] = {}
        self._streams: Dict[int, Callable[[], None]] = {}

    def _post(
        self, message: Message, headers: Mapping[str, str], timeout: float
    ) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self._note(True, text)
        sent = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        }
        sent.update(secured(self._token))
        if self._session is not None:
            sent["Mcp-Session-Id"] = self._session
        connection = self._link.kept(timeout)
        what = str(message.get("method", "an answer"))
        return connection, self._link.send(
            connection, "POST", self._path, text.encode(), sent, what
        )

    def request(
        self,
        message: Message,
        headers: Mapping[str, str],
        timeout: float,
        progress: Optional[OnProgress],
        cancel: Optional[threading.Event] = None,
    ) -> Message:
        end = time.monotonic() + timeout
        connection, answer = self._post(message, headers, timeout)
        try:
            if answer.getheader("Mcp-Session-Id"):
                self._session = answer.getheader("Mcp-Session-Id")
            if media_type(answer) == "text/event-stream":
                return self._events(answer, connection, message, progress, end, cancel)
            body = body_of(answer)
            text = body.decode(errors="replace")
            self._note(False, f"{answer.status} {text}".rstrip())
            try:
                found = json.loads(body)
            except ValueError:
                found = None
            if answer.status == 404 and self._session is not None:
                raise SessionEnded(f"HTTP 404: {text[:200].strip()}")
            if not isinstance(found, dict):
                raise no_answer(answer.status, text)
            return members(found)
        except (TimeoutError, socket.timeout) as error:
            connection.close()
            if isinstance(error, CallTimeout):
                raise
            raise CallTimeout(
                f"no answer to {message['method']} within {timeout:g} s"
            ) from None
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionLost(f"{self._link.place}: {error}") from error

    def _events(
        self,
        answer: http.client.HTTPResponse,
        connection: http.client.HTTPConnection,
        message: Message,
        progress: Optional[OnProgress],
        end: float,
        cancel: Optional[threading.Event],
    ) -> Message:
        slots = {message["id"]: _Slot(progress)}
        result: Optional[Message] = None

        def before() -> None:
            left = end - time.monotonic()
            if left <= 0:
                raise CallTimeout(f"no answer to {message['method']} in time")
            if cancel is not None and cancel.is_set():
                connection.close()
                raise CallCancelled(f"{message['method']} was given up")
            if connection.sock is not None:
                connection.sock.settimeout(left)

        for text in event_texts(answer, before):
            self._note(False, text)
            found = members(json.loads(text)) if text.strip() else {}
            if found.get("method") == "notifications/progress":
                _tell(found, slots)
            elif "method" in found and "id" in found:
                self._reply(found)
            elif "method" not in found and found.get("id") == message["id"]:
                result = found
        if result is None:
            raise ConnectionLost("the stream has ended before the answer")
        return result

    def notify(self, message: Message, headers: Mapping[str, str]) -> None:
        self._headers = headers
        _, answer = self._post(message, headers, 10.0)
        answer.read()

    def _reply(self, message: Message) -> None:
        """Answers a request of the device, which has come on the stream of a
        call: on a connection of its own."""
        answer = answer_to(message, self._answer)
        with self._link.apart():
            _, told = self._post(answer, self._headers, 10.0)
            told.read()

    def listen(
        self, changes: Changes, message: Message, headers: Mapping[str, str], timeout: float
    ) -> None:
        connection = self._link.fresh(timeout)
        told = threading.Condition()
        sent = {"Accept": "text/event-stream", **headers}
        sent.update(secured(self._token))
        if self._session is not None:
            sent["Mcp-Session-Id"] = self._session
        text = json.dumps(message, separators=(",", ":")) if changes.modern else ""
        if changes.modern:
            sent["Content-Type"] = "application/json"
            sent["Accept"] = "application/json, text/event-stream"
            self._note(True, text)
        answer = self._link.send(
            connection,
            "POST" if changes.modern else "GET",
            self._path,
            text.encode() or None,
            sent,
            "the wish to hear",
        )
        media = media_type(answer)
        if media != "text/event-stream":
            body = answer.read()
            connection.close()
            self._note(False, f"{answer.status} {body.decode(errors='replace')}")
            if media != "application/json":
                raise InvalidAnswer(f"HTTP {answer.status}: no stream of events")
            changes.take(members(json.loads(body)))
            return
        sock = connection.sock

        def take(message: Message) -> None:
            with told:
                changes.take(message)
                told.notify_all()

        def read() -> None:
            try:
                if sock is not None:
                    sock.settimeout(None)
                for text in event_texts(answer, lambda: None):
                    self._note(False, text)
                    if text.strip():
                        take(members(json.loads(text)))
            except (OSError, ValueError, http.client.HTTPException, AttributeError, Error):
                # The end of the stream, whichever way.
                pass
            take({})

        def until(done: Callable[[], bool], end: float) -> bool:
            with told:
                return told.wait_for(done, max(end - time.monotonic(), 0))

        def close() -> None:
            if sock is not None:
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            connection.close()

        changes.until = until
        self._streams[id(changes)] = close
        # A stream has no limit of time: reading it has a thread.
        threading.Thread(target=read, daemon=True, name="agentmote-stream").start()
        if changes.modern and not until(
            lambda: changes.told is not None, time.monotonic() + timeout
        ):
            raise CallTimeout(f"no answer to {message['method']} within {timeout:g} s")

    def unlisten(self, changes: Changes) -> None:
        close = self._streams.pop(id(changes), None)
        if close is not None:
            close()

    def reopen(self) -> None:
        self._session = None
        self.close()

    def close(self) -> None:
        for close in list(self._streams.values()):
            close()
        self._streams.clear()
        self._link.close()


def _header_text(value: str) -> str:
    """A value for a header, wrapped if it is no plain visible text."""
    plain = value.isascii() and value.isprintable() and value == value.strip()
    if plain and not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


class Client:
    """A connection to a device; made by `connect`, closed at the end of a
    ``with``.

    Several threads may use one client: a call that takes its time holds none
    of the others up.
    """

    def __init__(
        self,
        requests: Callable[[Note, Answer], _Requests],
        *,
        era: str = "auto",
        timeout: float = 30.0,
        on_input: Optional[OnInput] = None,
        agent: "Optional[Callable[[Note], Agent]]" = None,
        reconnect: float = RECONNECT,
    ) -> None:
        if era not in ("auto", "modern", "legacy"):
            raise ValueError(f"era {era!r}: auto, modern or legacy")
        self.timeout = timeout
        """Seconds that an answer may take."""
        self._trace: Deque[Sent] = collections.deque(maxlen=TRACE)
        self.listeners: List[Callable[[Sent], None]] = []
        """Functions that get each message as it passes."""
        self._era = era
        self._ids = itertools.count(1)
        self._lock = threading.RLock()
        self._on_input = on_input
        self._make_agent = agent
        self._agent: Optional[Agent] = None
        self._offers: Message = {} if on_input is None else {"elicitation": {}}
        self._requests = requests(self._note, self._answer)
        self._version: Optional[str] = None
        self._lost = False
        self._patience = reconnect
        self._server: Message = {}
        self._capabilities: Message = {}
        self._instructions = ""
        self._headers_of: Dict[str, Dict[str, str]] = {}
        # While it connects, nothing is tried again.
        self._opened = False
        try:
            self._open()
        except BaseException:
            self._requests.close()
            raise
        self._opened = True

    def _note(self, to_device: bool, text: str) -> None:
        now = self._requests.now() if hasattr(self, "_requests") else 0.0
        sent = Sent(now, to_device, text)
        self._trace.append(sent)
        for listener in list(self.listeners):
            listener(sent)

    @property
    def trace(self) -> List[Sent]:
        """The last messages, both ways."""
        return list(self._trace)

    def forget(self) -> None:
        """Empties the trace."""
        self._trace.clear()

    @property
    def lost(self) -> bool:
        """Whether the connection was lost since it was made."""
        return self._lost

    @property
    def version(self) -> str:
        """The revision of the protocol that is spoken."""
        return self._version or ""

    @property
    def server(self) -> Dict[str, Any]:
        """What the device says of itself: name, version, title."""
        return self._server

    @property
    def capabilities(self) -> Dict[str, Any]:
        """What the device offers beside answers."""
        return self._capabilities

    @property
    def instructions(self) -> str:
        """The device's guidance for a model; empty for none."""
        return self._instructions

    def _open(self) -> None:
        if self._era != "legacy":
            self._version = MODERN
            try:
                self._discover()
                return
            except ProtocolError as error:
                spoken = supported(error)
                if MODERN in spoken:
                    self._discover()
                    return
                if error.code in MODERN_ERRORS and not spoken:
                    raise
                if self._era == "modern":
                    raise
            except (CallTimeout, InvalidAnswer):
                if self._era == "modern":
                    raise
        self._version = None
        self._initialize()

    def _discover(self) -> None:
        found = self._ask("server/discover", {}, min(self.timeout, DISCOVERY))
        self._server = found.get("_meta", {}).get(META + "serverInfo", {})
        self._capabilities = found.get("capabilities", {})
        self._instructions = found.get("instructions", "")
        if MODERN not in found.get("supportedVersions", ()):
            raise InvalidAnswer("the device does not list the revision that it speaks")

    def _initialize(self) -> None:
        found = self._ask(
            "initialize",
            {
                "protocolVersion": LEGACY,
                "capabilities": self._offers,
                "clientInfo": CLIENT,
            },
        )
        version = found.get("protocolVersion")
        if version not in _native.PROTOCOL_VERSIONS or version == MODERN:
            raise InvalidAnswer(f"the device speaks revision {version!r}, which is not known")
        self._version = str(version)
        self._server = found.get("serverInfo", {})
        self._capabilities = found.get("capabilities", {})
        self._instructions = found.get("instructions", "")
        self._requests.notify(
            {"jsonrpc": "2.0", "method": "notifications/initialized"}, self._headers()
        )

    def _headers(self, method: str = "", name: str = "") -> Dict[str, str]:
        if self._version is None:
            return {}
        headers = {"MCP-Protocol-Version": self._version}
        if self._version == MODERN and method:
            headers["Mcp-Method"] = method
            if name:
                headers["Mcp-Name"] = _header_text(name)
        return headers

    def _ask(
        self,
        method: str,
        params: Message,
        timeout: Optional[float] = None,
        progress: Optional[OnProgress] = None,
        cancel: Optional[threading.Event] = None,
    ) -> Message:
        """One request; its result.

        Raises:
            ProtocolError: the answer is an error.
            CallTimeout: there was none in time.
            ConnectionLost: the connection has ended.
        """
        limit = self.timeout if timeout is None else timeout
        if self._lost and self._opened and self._patience > 0:
            self._reach()
        try:
            return self._once(method, params, limit, progress, cancel)
        except ConnectionLost:
            # What may have acted is not sent again.
            if method not in READS or not self._opened or self._patience <= 0:
                raise
            self._reach()
        except (ProtocolError, SessionEnded) as error:
            # The device was reset and knows of no handshake any more: it has
            # refused the request, so nothing has come of it.
            if not self._opened or self._patience <= 0 or not forgotten(error, self._version):
                raise
            self._lost = True
            self._reach()
        return self._once(method, params, limit, progress, cancel)

    def _reach(self) -> None:
        """Connects anew to a device that was lost, and waits for it.

        Raises:
            ConnectionLost: it did not come back in time.
        """
        end = time.monotonic() + self._patience
        with self._lock:
            # Another thread may have found it meanwhile.
            while self._lost:
                try:
                    self.reconnect()
                except (ConnectionLost, CallTimeout):
                    if time.monotonic() >= end:
                        raise
                    time.sleep(AGAIN)

    def _once(
        self,
        method: str,
        params: Message,
        limit: float,
        progress: Optional[OnProgress],
        cancel: Optional[threading.Event],
    ) -> Message:
        number = next(self._ids)
        params = dict(params)
        meta: Message = {}
        if self._version == MODERN:
            meta[META + "protocolVersion"] = MODERN
            meta[META + "clientInfo"] = CLIENT
            meta[META + "clientCapabilities"] = self._offers
        if progress is not None:
            meta["progressToken"] = number
        if meta:
            params["_meta"] = meta
        name = str(params.get("name") or params.get("uri") or "")
        headers = self._headers(method, name)
        if method == "tools/call":
            headers.update(self._mirrored(name, params.get("arguments") or {}))
        message: Message = {"jsonrpc": "2.0", "id": number, "method": method}
        if params:
            message["params"] = params
        try:
            answer = self._requests.request(message, headers, limit, progress, cancel)
        except (CallTimeout, CallCancelled):
            self._give_up(number)
            raise
        except ConnectionLost:
            self._lost = True
            raise
        if "error" in answer:
            error = members(answer["error"])
            raise ProtocolError(
                error.get("code", 0), error.get("message", ""), error.get("data")
            )
        result = answer.get("result")
        if not isinstance(result, dict):
            raise InvalidAnswer(f"an answer to {method} without a result")
        return members(result)

    def _give_up(self, number: int) -> None:
        """Tells that a call is given up. Over HTTP of the modern era the end of
        its connection has told already (M-128)."""
        if isinstance(self._requests, _Http) and self._version == MODERN:
            return
        try:
            self._requests.notify(
                {
                    "jsonrpc": "2.0",
                    "method": "notifications/cancelled",
                    "params": {"requestId": number},
                },
                self._headers(),
            )
        except Error:
            # The peer that does not answer may not listen either.
            pass

    def _mirrored(self, tool: str, arguments: Message) -> Dict[str, str]:
        """Arguments that are repeated in headers (M-073)."""
        if not (isinstance(self._requests, _Http) and self._version == MODERN):
            return {}
        if tool not in self._headers_of:
            self.tools()
        found: Dict[str, str] = {}
        for name, header in self._headers_of.get(tool, {}).items():
            value = arguments.get(name)
            if isinstance(value, bool):
                found["Mcp-Param-" + header] = "true" if value else "false"
            elif isinstance(value, (int, str)):
                found["Mcp-Param-" + header] = _header_text(str(value))
        return found

    def _pages(self, method: str, member: str) -> Iterator[Message]:
        cursor: Optional[str] = None
        seen: Set[str] = set()
        while True:
            page = self._ask(method, {} if cursor is None else {"cursor": cursor})
            yield from page.get(member, ())
            cursor = page.get("nextCursor")
            if cursor is None:
                return
            if cursor in seen:
                raise InvalidAnswer(f"{method}: the cursor {cursor!r} comes again")
            seen.add(cursor)

    def tools(self) -> List[Tool]:
        """The tools of the device, in its order."""
        found = [tool_of(given) for given in self._pages("tools/list", "tools")]
        self._headers_of = {
            tool.name: {
                name: schema["x-mcp-header"]
                for name, schema in tool.input_schema.get("properties", {}).items()
                if isinstance(schema, dict) and "x-mcp-header" in schema
            }
            for tool in found
        }
        return found

    def call(self, name: str, /, **arguments: Any) -> Result:
        """Calls a tool.

        Raises:
            ToolError: the tool has failed, or refuses the arguments.
            ProtocolError: there is no such tool, for one.
            CallTimeout: no answer came within `timeout`.
            ConnectionLost: the connection has ended.
        """
        return self.call_tool(name, arguments)

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        progress: Optional[OnProgress] = None,
        cancel: Optional[threading.Event] = None,
    ) -> Result:
        """Calls a tool, like `call`.

        Args:
            name: The tool.
            arguments: Its arguments by name.
            timeout: Seconds that the answer may take; without it those of the
                client.
            progress: Gets the steps done and the steps in all, or None, each
                time that the tool tells.
            cancel: Once it is set, the call is given up, and ends with
                `CallCancelled`. Over HTTP it is looked at between events only.
        """
        params: Message = {"name": name, "arguments": dict(arguments)}
        for _ in range(ROUNDS):
            answer = self._ask("tools/call", params, timeout, progress, cancel)
            if answer.get("resultType") != "input_required":
                break
            # The call is sent anew, with the answers and the state (M-147).
            params = {"name": name, "arguments": dict(arguments)}
            params["inputResponses"] = {
                key: self._respond(members(asked))
                for key, asked in members(answer.get("inputRequests")).items()
            }
            if "requestState" in answer:
                params["requestState"] = answer["requestState"]
        else:
            raise InvalidAnswer(f"{name} has asked in {ROUNDS} rounds, and goes on asking")
        structured = answer.get("structuredContent")
        result = Result(structured, elements(answer.get("content")))
        if answer.get("isError"):
            raise ToolError(result.text or "the tool has failed")
        return result

    def answers(self, on_input: OnInput) -> bool:
        """Answers questions of the device by this from now on, if nothing else
        does; whether it may. A device of an older era asks beside its calls,
        and is not told."""
        if self._version != MODERN:
            return False
        if self._on_input is None:
            self._on_input, self._offers = on_input, {"elicitation": {}}
        return self._on_input is on_input

    def _answer(self, message: Message) -> Message:
        """The result of a request of the device."""
        if message["method"] == "ping":
            return {}
        if message["method"] == "elicitation/create" and self._on_input is not None:
            return self._respond(message)
        raise ProtocolError(-32601, f"this client does not serve {message['method']}")

    def _respond(self, asked: Message) -> Message:
        """What `on_input` makes of a question."""
        params = members(asked.get("params"))
        if self._on_input is None or asked.get("method") != "elicitation/create":
            return {"action": "cancel"}
        schema = members(params.get("requestedSchema"))
        value = self._on_input(Question(str(params.get("message", "")), schema))
        if value is None:
            return {"action": "decline"}
        fields = list(members(schema.get("properties")))
        if not isinstance(value, dict) and len(fields) == 1:
            value = {fields[0]: value}
        return {"action": "accept", "content": value}

    def resources(self) -> List[Resource]:
        """The resources of the device and their templates."""
        if "resources" not in self._capabilities:
            return []
        found: List[Resource] = []
        for method, member, key, template in (
            ("resources/list", "resources", "uri", False),
            ("resources/templates/list", "resourceTemplates", "uriTemplate", True),
        ):
            for given in self._pages(method, member):
                found.append(
                    Resource(
                        uri=given[key],
                        name=given.get("name", ""),
                        title=given.get("title", ""),
                        description=given.get("description", ""),
                        mime=given.get("mimeType", ""),
                        template=template,
                    )
                )
        return found

    def read(self, uri: str, /) -> Any:
        """Reads a resource: data if it is JSON, else ``str`` or ``bytes``. A
        list of them if it has several contents.

        Raises:
            ProtocolError: there is no such resource, for one.
        """
        contents = self._ask("resources/read", {"uri": uri}).get("contents", [])
        values = [content_value(content) for content in contents]
        return values[0] if len(values) == 1 else values

    def subscribe(self, uri: str, /) -> Changes:
        """Subscribes to a resource: `Changes.wait` tells when it has changed.

        Raises:
            ProtocolError: there is no such resource, or nothing to subscribe
                to.
            InvalidAnswer: the device does not tell of this one.
        """
        modern = self._version == MODERN
        changes = Changes(uri, modern, self._requests.now)
        number = next(self._ids)
        message: Message = {"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen"}
        if modern:
            message["params"] = {
                "notifications": {"resourceSubscriptions": [uri]},
                "_meta": {
                    META + "protocolVersion": MODERN,
                    META + "clientInfo": CLIENT,
                    META + "clientCapabilities": self._offers,
                },
            }
            headers = self._headers("subscriptions/listen")
        else:
            self._ask("resources/subscribe", {"uri": uri})
            headers = self._headers()

        def end() -> None:
            self._requests.unlisten(changes)
            try:
                if not modern:
                    self._ask("resources/unsubscribe", {"uri": uri})
                else:
                    self._give_up(number)
            except Error:
                # A device that is gone tells nothing any more.
                pass

        try:
            self._requests.listen(changes, message, headers, self.timeout)
        except BaseException:
            self._requests.unlisten(changes)
            raise
        changes.end = end
        told = changes.told or {}
        if "error" in told:
            changes.end = lambda: None
            self._requests.unlisten(changes)
            error = members(told["error"])
            raise ProtocolError(
                error.get("code", 0), error.get("message", ""), error.get("data")
            )
        honoured = elements(members(told.get("notifications")).get("resourceSubscriptions"))
        if modern and uri not in honoured:
            changes.close()
            raise InvalidAnswer(f"the device does not tell when {uri} changes")
        return changes

    @property
    def agent(self) -> Agent:
        """The agent of the device, for messages of A2A. Its card is read when
        it is wanted first.

        Raises:
            NoAgent: it has none, or is reached by lines.
        """
        with self._lock:
            if self._agent is None:
                if self._make_agent is None:
                    raise NoAgent("A2A does not go over lines: connect by HTTP")
                self._agent = self._make_agent(self._note)
            return self._agent

    def send(
        self,
        content: Content,
        *,
        task: Union[Task, str, None] = None,
        context: Optional[str] = None,
        skill: Optional[str] = None,
        accept: Sequence[str] = (),
        wait: bool = True,
        timeout: Optional[float] = None,
    ) -> Task:
        """Sends a message to the agent: see `Agent.send`."""
        return self.agent.send(
            content,
            task=task,
            context=context,
            skill=skill,
            accept=accept,
            wait=wait,
            timeout=timeout,
        )

    def stream(
        self,
        content: Content,
        *,
        task: Union[Task, str, None] = None,
        context: Optional[str] = None,
        skill: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[TaskEvent]:
        """Sends a message, and tells what becomes of it: see `Agent.stream`."""
        return self.agent.stream(
            content, task=task, context=context, skill=skill, timeout=timeout
        )

    def task(self, id: Union[Task, str], *, history: Optional[int] = None) -> Task:
        """A task as it stands: see `Agent.task`."""
        return self.agent.task(id, history=history)

    def tasks(self) -> List[Task]:
        """Every task of this caller: see `Agent.tasks`."""
        return self.agent.tasks()

    def cancel(self, id: Union[Task, str]) -> Task:
        """Stops a task: see `Agent.cancel`."""
        return self.agent.cancel(id)

    def wait(self, id: Union[Task, str], *, timeout: Optional[float] = None) -> Task:
        """Waits until a task rests: see `Agent.wait`."""
        return self.agent.wait(id, timeout=timeout)

    def watch(
        self, id: Union[Task, str], *, timeout: Optional[float] = None
    ) -> Iterator[TaskEvent]:
        """Tells what becomes of a task: see `Agent.watch`."""
        return self.agent.watch(id, timeout=timeout)

    def reconnect(self) -> None:
        """Connects anew, after the connection was lost or the board was reset.

        Raises:
            ConnectionLost: it cannot.
        """
        with self._lock:
            self._opened = False
            try:
                self._requests.reopen()
                self._open()
                self._lost = False
            finally:
                self._opened = True

    def close(self) -> None:
        """Ends the connection. Once more does nothing."""
        self._requests.close()
        if self._agent is not None:
            self._agent.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


CLIENT = {"name": "agentmote-python", "version": _native.__version__}


class SessionEnded(InvalidAnswer):
    """The device knows of no such session (M-187)."""


def forgotten(error: Error, version: Optional[str]) -> bool:
    """Whether an error says that a device knows of no handshake."""
    if isinstance(error, SessionEnded):
        return True
    legacy = version not in (None, MODERN)
    return legacy and isinstance(error, ProtocolError) and "initialize" in error.message


def tool_of(given: Message) -> Tool:
    return Tool(
        name=given["name"],
        title=given.get("title", ""),
        description=given.get("description", ""),
        input_schema=given["inputSchema"],
        output_schema=given.get("outputSchema"),
        annotations=given.get("annotations", {}),
    )


def supported(error: ProtocolError) -> List[str]:
    """The revisions that an error says the peer speaks."""
    spoken = elements(members(error.data).get("supported"))
    return [str(one) for one in spoken]


def members(value: Any) -> Message:
    """The members of what should be an object."""
    return dict(cast(Message, value)) if isinstance(value, dict) else {}


def elements(value: Any) -> List[Any]:
    """The elements of what should be a list."""
    return list(cast(Iterable[Any], value)) if isinstance(value, list) else []


def content_value(content: Message) -> Any:
    if "blob" in content:
        return base64.b64decode(content["blob"])
    text = content.get("text", "")
    if content.get("mimeType", "").partition(";")[0] == "application/json":
        return json.loads(text)
    return text


class AsyncClient:
    """A `Client` for ``async`` code: the same methods, to be awaited. Each runs
    in a thread, so that the loop is never held up."""

    def __init__(self, client: Client) -> None:
        self.sync = client
        """The client behind it."""

    @property
    def version(self) -> str:
        """The revision of the protocol that is spoken."""
        return self.sync.version

    @property
    def trace(self) -> List[Sent]:
        """The last messages, both ways."""
        return self.sync.trace

    async def _run(self, function: Callable[..., T], *args: Any, **named: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, functools.partial(function, *args, **named))

    async def tools(self) -> List[Tool]:
        """See `Client.tools`."""
        return await self._run(self.sync.tools)

    async def call(self, name: str, /, **arguments: Any) -> Result:
        """See `Client.call`."""
        return await self._run(self.sync.call_tool, name, arguments)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        progress: Optional[OnProgress] = None,
    ) -> Result:
        """See `Client.call_tool`; `progress` is called in the loop's thread."""
        told: Optional[OnProgress] = None
        if progress is not None:
            loop, tell = asyncio.get_running_loop(), progress

            def told_in_loop(done: float, total: Optional[float]) -> None:
                loop.call_soon_threadsafe(functools.partial(tell, done, total))

            told = told_in_loop
        return await self._run(
            self.sync.call_tool, name, arguments, timeout=timeout, progress=told
        )

    async def resources(self) -> List[Resource]:
        """See `Client.resources`."""
        return await self._run(self.sync.resources)

    async def read(self, uri: str, /) -> Any:
        """See `Client.read`."""
        return await self._run(self.sync.read, uri)

    async def subscribe(self, uri: str, /) -> Changes:
        """See `Client.subscribe`; await its `wait` by `changed`."""
        return await self._run(self.sync.subscribe, uri)

    async def changed(self, changes: Changes, timeout: float) -> bool:
        """`Changes.wait`, to be awaited."""
        return await self._run(changes.wait, timeout)

    async def send(
        self,
        content: Content,
        *,
        task: Union[Task, str, None] = None,
        context: Optional[str] = None,
        skill: Optional[str] = None,
        accept: Sequence[str] = (),
        wait: bool = True,
        timeout: Optional[float] = None,
    ) -> Task:
        """See `Agent.send`."""
        return await self._run(
            self.sync.send,
            content,
            task=task,
            context=context,
            skill=skill,
            accept=accept,
            wait=wait,
            timeout=timeout,
        )

    async def stream(
        self,
        content: Content,
        *,
        task: Union[Task, str, None] = None,
        context: Optional[str] = None,
        skill: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> AsyncIterator[TaskEvent]:
        """See `Agent.stream`."""
        begin = functools.partial(
            self.sync.stream, content, task=task, context=context, skill=skill, timeout=timeout
        )
        async for event in self._each(begin):
            yield event

    async def watch(
        self, id: Union[Task, str], *, timeout: Optional[float] = None
    ) -> AsyncIterator[TaskEvent]:
        """See `Agent.watch`."""
        begin = functools.partial(self.sync.watch, id, timeout=timeout)
        async for event in self._each(begin):
            yield event

    async def _each(self, begin: Callable[[], Iterator[TaskEvent]]) -> AsyncIterator[TaskEvent]:
        events = await self._run(begin)
        while True:
            event: Optional[TaskEvent] = await self._run(next, events, None)
            if event is None:
                return
            yield event

    async def task(self, id: Union[Task, str], *, history: Optional[int] = None) -> Task:
        """See `Agent.task`."""
        return await self._run(self.sync.task, id, history=history)

    async def tasks(self) -> List[Task]:
        """See `Agent.tasks`."""
        return await self._run(self.sync.tasks)

    async def cancel(self, id: Union[Task, str]) -> Task:
        """See `Agent.cancel`."""
        return await self._run(self.sync.cancel, id)

    async def wait(self, id: Union[Task, str], *, timeout: Optional[float] = None) -> Task:
        """See `Agent.wait`."""
        return await self._run(self.sync.wait, id, timeout=timeout)

    async def reconnect(self) -> None:
        """See `Client.reconnect`."""
        await self._run(self.sync.reconnect)

    async def close(self) -> None:
        """See `Client.close`."""
        await self._run(self.sync.close)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def connect(
    target: Target,
    *,
    era: str = "auto",
    timeout: float = 30.0,
    token: Optional[str] = None,
    on_input: Optional[OnInput] = None,
    authority: Optional[str] = None,
    reconnect: float = RECONNECT,
) -> Client:
    """A client of a device, wherever it is.

    =============================  ============================================
    target                         what
    =============================  ============================================
    a `Device`                     in this process
    ``stdio:COMMAND``              a program with lines on its standard streams
    ``http://HOST:PORT/mcp``       HTTP; ``https://`` too
    ``tcp:HOST:PORT``              lines over TCP
    ``serial:PORT?baud=115200``    lines over a serial port; needs pyserial
    ``qemu:IMAGE``                 firmware on an emulated LM3S6965
    ``sim``                        the bench arm, simulated, on a virtual clock
    a `LineTransport`              a way of your own
    =============================  ============================================

    The modern era of the protocol is tried first, then the older handshake
    (M-171, M-172).

    Args:
        target: See above.
        era: ``auto``, or only one: ``modern`` or ``legacy``.
        timeout: Seconds that an answer may take.
        token: The bearer token, for HTTP, and for the agent of a `Device` with a
            policy.
        on_input: Gets a `Question` that the device asks in the middle of a call,
            and gives the answer: the fields as a ``dict``, the value alone if
            there is one field, or None to refuse. Without it the device is told
            that nobody can be asked.
        authority: A file with the certificates that are trusted, for https;
            without it, those of the system.
        reconnect: Seconds for which a device is looked for that was lost, such
            as a board that was reset; 0 for never. The call during which it was
            lost fails with `ConnectionLost`, since it may have acted; the next
            one finds it again. What only reads, and what the device has refused
            because it had forgotten its peer, is sent once more.

    Raises:
        ValueError: the target is none.
        ConnectionLost: it cannot be reached.
        CallTimeout: it does not answer.
    """
    if isinstance(target, str) and target.partition(":")[0] in ("http", "https"):
        url = target
        return Client(
            lambda note, answer: _Http(url, token, authority, note, answer),
            era=era,
            timeout=timeout,
            on_input=on_input,
            agent=lambda note: _agent_at(url, note, timeout, token, authority),
            reconnect=reconnect,
        )
    transport: LineTransport
    make: Optional[Callable[[Note], Agent]] = None
    if target == "sim":
        from agentmote import sim

        target = sim.BenchArm()
    if token is not None and not isinstance(target, BaseDevice):
        raise ValueError("a token is for HTTP only")
    if isinstance(target, BaseDevice):
        device = target._native
        transport = DeviceTransport(device)

        def make_agent(note: Note) -> Agent:
            return Agent(DeviceLink(device), note, timeout=timeout, token=token)

        make = make_agent
    elif isinstance(target, str):
        transport = line_transport(target)
    else:
        transport = target
    return Client(
        lambda note, answer: _Lines(transport, note, answer),
        era=era,
        timeout=timeout,
        on_input=on_input,
        agent=make,
        reconnect=reconnect,
    )


def _agent_at(
    url: str,
    note: Note,
    timeout: float,
    token: Optional[str],
    authority: Optional[str],
    **options: Any,
) -> Agent:
    path = urllib.parse.urlsplit(url).path
    link = SocketLink(url, authority)
    return Agent(link, note, path=path, timeout=timeout, token=token, **options)


def connect_agent(
    target: Union[str, BaseDevice],
    *,
    wire: str = "auto",
    timeout: float = 30.0,
    token: Optional[str] = None,
    api_key: Optional[str] = None,
    tenant: str = "",
    authority: Optional[str] = None,
    trace: Optional[Callable[[bool, str], None]] = None,
) -> Agent:
    """An agent of A2A, wherever it is: for one that speaks no MCP beside it. A
    `Client` of `connect` has the same as its `Client.agent`.

    Args:
        target: A `Device`, ``sim``, or the ``http://`` or ``https://`` URL of
            the agent or of its host. Its card must name an endpoint there.
        wire: ``1.0`` or ``0.3``; ``auto`` takes 1.0 if the agent speaks it.
        timeout: Seconds that a task may take until it rests.
        token: The bearer token.
        api_key: The key that goes as ``X-API-KEY``.
        tenant: Whose tasks are meant, for an agent of several tenants.
        authority: A file with the certificates that are trusted, for https.
        trace: Gets each message: whether it goes to the agent, and its text.

    Raises:
        ValueError: the target is none.
        NoAgent: it has no card, or speaks another wire.
        ConnectionLost: it cannot be reached.
        NotAllowed: it does not let this caller in.
    """

    def quiet(to_agent: bool, text: str) -> None:
        pass

    note = trace if trace is not None else quiet
    if isinstance(target, str) and target.partition(":")[0] in ("http", "https"):
        return _agent_at(
            target, note, timeout, token, authority, wire=wire, api_key=api_key, tenant=tenant
        )
    if target == "sim":
        from agentmote import sim

        target = sim.BenchArm()
    if not isinstance(target, BaseDevice):
        raise ValueError(f"{target!r}: an agent is a device, sim, or at http://…")
    link: Link = DeviceLink(target._native)
    return Agent(
        link, note, wire=wire, timeout=timeout, token=token, api_key=api_key, tenant=tenant
    )


async def connect_async(
    target: Target,
    *,
    era: str = "auto",
    timeout: float = 30.0,
    token: Optional[str] = None,
    on_input: Optional[OnInput] = None,
    authority: Optional[str] = None,
    reconnect: float = RECONNECT,
) -> AsyncClient:
    """`connect` for ``async`` code."""
    loop = asyncio.get_running_loop()
    make = functools.partial(
        connect,
        target,
        era=era,
        timeout=timeout,
        token=token,
        on_input=on_input,
        authority=authority,
        reconnect=reconnect,
    )
    return AsyncClient(await loop.run_in_executor(None, make))
