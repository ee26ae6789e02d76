"""A device that is defined in Python."""

from __future__ import annotations

import atexit
import contextlib
import functools
import inspect
import ipaddress
import logging
import re
import threading
import typing
import weakref
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    overload,
)

from agentmote import _content, _hints, _native, _work
from agentmote._errors import ToolError
from agentmote._native import Connection
from agentmote._jobs import Call, CoroutineJob, GeneratorJob, Loop
from agentmote._policy import Policy

Bytes = Union[bytes, bytearray, memoryview]
F = TypeVar("F", bound=Callable[..., Any])

LOG = logging.getLogger("agentmote")

MAX_SCOPES = 32
"""Scopes of one device: one bit each."""
ALL_SCOPES = 2**MAX_SCOPES - 1

_URI_PARAM = re.compile(r"\{(\w+)\}")

_open_listeners: "weakref.WeakSet[Served]" = weakref.WeakSet()


def explain(error: BaseException) -> str:
    """The words of an exception for the caller of a tool. The traceback goes
    to the log, and only of what was not raised on purpose."""
    if not isinstance(error, ToolError):
        LOG.error("a handler has failed", exc_info=error)
    return str(error) or type(error).__name__


class Served:
    """A device that listens for HTTP; closed at the end of a ``with``."""

    def __init__(self, listener: _native.Listener) -> None:
        self._listener = listener
        _open_listeners.add(self)

    @property
    def host(self) -> str:
        """The address on which it listens."""
        return self._listener.address[0]

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return self._listener.address[1]

    @property
    def url(self) -> str:
        """Where a client finds it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/mcp"

    @property
    def agent_url(self) -> str:
        """Where a client of A2A finds it, if the device has a skill."""
        return self.url[: -len("mcp")] + "a2a/"

    def close(self) -> None:
        """Stops listening and ends every connection."""
        self._listener.close()

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@atexit.register
def _close_all() -> None:
    # Before the interpreter goes: a connection's thread may want it.
    for served in list(_open_listeners):
        served.close()
    _native.end_work()


class BaseDevice:
    """What every device in this process can do: a `Device`, and those of
    `agentmote.sim`."""

    name: str
    """Its name, for programs."""
    clock: _native.Clock
    """What time it is for it."""

    @property
    def _native(self) -> _native.Device:
        raise NotImplementedError

    def _scope_bits(self, scopes: Sequence[str]) -> int:
        """The bits of scopes. A device of firmware has none."""
        return 0

    def _opening(
        self, token: Optional[str], tokens: Optional[Mapping[str, Sequence[str]]]
    ) -> Optional[List[Tuple[str, int]]]:
        """What opens the device: tokens with their scopes."""
        if token is None and tokens is None:
            return None
        found = [(one, self._scope_bits(scopes)) for one, scopes in (tokens or {}).items()]
        return found if token is None else [*found, (token, ALL_SCOPES)]

    def handle(self, data: Bytes, *, http: bool = False, timeout: float = 3600.0) -> bytes:
        """Takes one request, and gives the complete answer.

        No socket, no thread: bytes in, bytes out. Lines are newline-delimited
        messages, of which the last one may lack its newline; with `http` it is
        one request of HTTP, head and body. All calls of one device are of one
        peer, so that a handshake of an older era holds for the next call; use
        `connection` for peers of their own. A call that takes its time is
        waited for; on a virtual clock, time is moved to its end.

        Args:
            data: Bytes, or whatever has some.
            http: Whether it is HTTP, and not lines.
            timeout: Seconds of the device's clock after which calls on their
                way are given up; at most 4,294,967.

        Returns:
            What is to be sent: nothing for a notification.

        Raises:
            TypeError: `data` has no bytes; a ``str`` has none.
            ValueError: a request of HTTP is not complete.
            TimeoutError: the calls took too long, and were given up.
            RuntimeError: a handler has called its own device.
        """
        return self._native.handle(data, http=http, timeout=timeout)

    def connection(self, framing: str = "lines") -> Connection:
        """A peer of its own, for a transport that you bring: ``"lines"`` or
        ``"http"``."""
        return self._native.connection(framing)

    def serving(
        self,
        address: str = "127.0.0.1:0",
        *,
        hosts: Optional[List[str]] = None,
        origins: Optional[List[str]] = None,
        token: Optional[str] = None,
        tokens: Optional[Mapping[str, Sequence[str]]] = None,
        url: Optional[str] = None,
    ) -> Served:
        """Serves HTTP in the background, until the end of the ``with``.

        Args:
            address: Where to listen; port 0 takes a free one.
            hosts: Values of ``Host`` that are served; without a list, those of
                this machine (M-049, M-050).
            origins: Values of ``Origin`` that are served; without a list, those
                of this machine (M-048).
            token: The bearer token that opens all of it; without one, and
                without `tokens`, it is open to whoever reaches it (M-199).
            tokens: Bearer tokens, each with the scopes of who brings it: a tool
                whose scopes he lacks is neither listed nor found.
            url: The URL of the endpoint of A2A, with a slash at its end, for
                the agent card; without it, that of the address.

        Raises:
            ValueError: the address is none, or it is not of this machine and
                `hosts` does not say who may ask.
            OSError: the port is in use, for one.
        """
        if hosts is None and not is_loopback(address):
            raise ValueError(
                f"{address}: beyond this machine, `hosts` must list the names "
                "under which the device is asked for"
            )
        opening = self._opening(token, tokens)
        return Served(
            self._native.listen(
                address, hosts=hosts, origins=origins, tokens=opening, url=url
            )
        )

    def serve(
        self,
        address: str = "127.0.0.1:8080",
        *,
        hosts: Optional[List[str]] = None,
        origins: Optional[List[str]] = None,
        token: Optional[str] = None,
        tokens: Optional[Mapping[str, Sequence[str]]] = None,
        url: Optional[str] = None,
    ) -> None:
        """Serves HTTP until Ctrl-C. The arguments are those of `serving`."""
        served = self.serving(
            address, hosts=hosts, origins=origins, token=token, tokens=tokens, url=url
        )
        with served, contextlib.suppress(KeyboardInterrupt):
            print(f"{self.name} is served at {served.url} until Ctrl-C.", flush=True)
            while True:
                # A wait without an end would not hear Ctrl-C on every system.
                threading.Event().wait(3600)

    def serve_stdio(self) -> None:
        """Serves lines on standard input and output until the input ends.

        What handlers print goes to standard error meanwhile.
        """
        from agentmote._stdio import serve

        serve(self.connection("lines"))

    def asgi(
        self,
        *,
        hosts: Optional[List[str]] = None,
        origins: Optional[List[str]] = None,
        token: Optional[str] = None,
        tokens: Optional[Mapping[str, Sequence[str]]] = None,
        url: Optional[str] = None,
    ) -> Callable[..., Any]:
        """An ASGI application that serves the device at ``/mcp``, and its agent
        at ``/a2a``.

        Args:
            hosts: See `serving`.
            origins: See `serving`.
            token: See `serving`.
            tokens: See `serving`.
            url: See `serving`; without it, that of the server.
        """
        from agentmote._asgi import application

        opening = self._opening(token, tokens)
        return application(self._native, hosts, origins, opening, url)


class Device(BaseDevice):
    """A device whose tools are functions.

    A tool's descriptor comes from its type hints and its docstring; the core
    advertises it, and checks each call by it before the function runs.

    >>> from typing import Annotated
    >>> import agentmote
    >>> device = agentmote.Device("fan", version="1.0.0")
    >>> @device.tool(actuates=True)
    ... def fan_set(percent: Annotated[int, agentmote.Range(0, 100)]) -> str:
    ...     '''Sets the speed of the fan.'''
    ...     return f"the fan runs at {percent} percent"
    >>> with agentmote.connect(device) as fan:
    ...     fan.call("fan_set", percent=40).text
    'the fan runs at 40 percent'

    Args:
        name: Its name, for programs.
        version: Its version.
        title: Its name, for people; empty for none.
        instructions: Guidance for the model that uses it; empty for none.
        description: What it is, for its agent card; without it, the
            instructions.
        policy: Who may call it; without one, `serving` says so.
        clock: What time it is for it; without one, that of the machine.
    """

    def __init__(
        self,
        name: str,
        *,
        version: str = "0.0.0",
        title: str = "",
        instructions: str = "",
        description: str = "",
        policy: Optional[Policy] = None,
        clock: Optional[_native.Clock] = None,
    ) -> None:
        self.name = name
        self.clock = clock if clock is not None else _native.Clock()
        self._identity = {
            "name": name,
            "version": version,
            "title": title,
            "instructions": instructions,
            "description": description or instructions or title or name,
        }
        self._scopes: Dict[str, int] = {}
        self._policy = policy
        if policy is not None:
            # Not `self`: its policy would keep the device alive for ever.
            policy._bind(functools.partial(scope_bits, self._scopes))
        self._tools: List[Dict[str, Any]] = []
        self._resources: List[Dict[str, Any]] = []
        self._templates: List[Dict[str, Any]] = []
        self._skills: List[Dict[str, Any]] = []
        self._lock = threading.Lock()
        self._made: Optional[_native.Device] = None
        self._loop: Optional[Loop] = None
        # The rules of a name are told where it stands.
        self._make()

    def _make(
        self,
        tools: Sequence[Dict[str, Any]] = (),
        resources: Sequence[Dict[str, Any]] = (),
        templates: Sequence[Dict[str, Any]] = (),
        skills: Sequence[Dict[str, Any]] = (),
        policy: Optional[Dict[str, Any]] = None,
    ) -> _native.Device:
        tables = list(tools), list(resources), list(templates), list(skills)
        return _native.Device(self._identity, tables, policy, explain, self.clock)

    @property
    def _native(self) -> _native.Device:
        with self._lock:
            if self._made is None:
                policy = self._policy
                made = self._make(
                    self._tools,
                    self._resources,
                    self._templates,
                    self._skills,
                    None if policy is None else policy._plain(list(self._scopes)),
                )
                if policy is not None:
                    policy._made(made)
                self._made = made
            return self._made

    def _change(self) -> None:
        if self._made is not None:
            raise RuntimeError(
                f"device {self.name!r} is in use: define its tools, resources and skills before"
            )

    def _scope_bits(self, scopes: Sequence[str]) -> int:
        return scope_bits(self._scopes, scopes)

    def _opening(
        self, token: Optional[str], tokens: Optional[Mapping[str, Sequence[str]]]
    ) -> Optional[List[Tuple[str, int]]]:
        opening = super()._opening(token, tokens)
        if opening is not None and self._policy is not None:
            raise ValueError("the device has a policy: add the tokens to it")
        return opening

    def _own_loop(self) -> Loop:
        if self._loop is None:
            self._loop = Loop(self.clock)
            weakref.finalize(self, self._loop.close)
        return self._loop

    @overload
    def tool(self, function: F, /) -> F: ...

    @overload
    def tool(
        self,
        function: None = None,
        /,
        *,
        name: Optional[str] = None,
        title: str = "",
        description: Optional[str] = None,
        read_only: bool = False,
        actuates: bool = False,
        idempotent: bool = False,
        destructive: bool = False,
        asks: bool = False,
        scopes: Sequence[str] = (),
    ) -> Callable[[F], F]: ...

    def tool(
        self,
        function: Optional[F] = None,
        /,
        *,
        name: Optional[str] = None,
        title: str = "",
        description: Optional[str] = None,
        read_only: bool = False,
        actuates: bool = False,
        idempotent: bool = False,
        destructive: bool = False,
        asks: bool = False,
        scopes: Sequence[str] = (),
    ) -> Any:
        """Makes a function a tool; it stays callable as it was.

        A plain function answers at once. An ``async`` one, or a generator that
        yields seconds to wait, may take its time: other calls are served
        meanwhile. What it returns is the result; an exception is a failure
        with the exception's text.

        Args:
            name: Its name; without one, that of the function.
            title: For people; empty for none.
            description: For models; without one, the docstring.
            read_only: It changes nothing.
            actuates: It moves or switches something.
            idempotent: Calling it twice is the same as once.
            destructive: It may destroy what cannot be brought back.
            asks: It asks the caller's user in mid-call; see `Call.ask`.
            scopes: What a caller over HTTP must have, all of them, to see it; see
                `serving`. In the process and on a line, every caller has all.

        Raises:
            TypeError: a hint is missing, or no JSON type can be made of it.
            ValueError: the descriptor breaks a rule of the core.
            RuntimeError: the device is in use already.
        """

        def add(function: F) -> F:
            self._change()
            flags = {
                "read_only": read_only,
                "actuates": actuates,
                "idempotent": idempotent,
                "destructive": destructive,
                "asks": asks,
            }
            tool = self._describe(function, name, title, description, flags)
            tool["scopes"] = self._scope_bits(scopes)
            if any(other["name"] == tool["name"] for other in self._tools):
                raise ValueError(f"tool {tool['name']!r}: there are two of that name")
            self._make(tools=[tool])
            self._tools.append(tool)
            return function

        return add if function is None else add(function)

    def _describe(
        self,
        function: Callable[..., Any],
        name: Optional[str],
        title: str,
        description: Optional[str],
        flags: Dict[str, bool],
    ) -> Dict[str, Any]:
        name = name if name is not None else getattr(function, "__name__", "")
        where = f"tool {name!r}"
        doc = inspect.getdoc(function) or ""
        hints = hints_of(function, where)
        members, wants_call = parameters_of(function, hints, where, doc)
        if len(members) > _native.MAX_PARAMS:
            raise ValueError(f"{where}: more than {_native.MAX_PARAMS} parameters")
        code = inspect.unwrap(function)
        if inspect.isasyncgenfunction(code):
            raise TypeError(f"{where}: an async generator cannot be a tool")
        generator = inspect.isgeneratorfunction(code)
        polled = generator or inspect.iscoroutinefunction(code)
        if flags["asks"] and wants_call is None:
            raise TypeError(f"{where}: a tool that asks has a parameter of type Call")
        output, wrap, dump = result_of(hints.get("return", Ellipsis), generator, where)
        run = self._runner(
            function, members, wants_call, generator, polled, flags["asks"]
        )
        return {
            "name": name,
            "title": title,
            "description": description if description is not None else _hints.summary(doc),
            "params": [member.plain for member in members.values()],
            "schema": None,
            "output": output,
            **flags,
            "polled": polled,
            "run": run,
            "dump": dump,
            "wrap": wrap,
        }

    def _runner(
        self,
        function: Callable[..., Any],
        members: Dict[str, _hints.Member],
        wants_call: Optional[str],
        generator: bool,
        polled: bool,
        asks: bool,
    ) -> Callable[..., Any]:
        loads = {name: member.load for name, member in members.items() if member.load}
        if not (loads or wants_call or polled):
            return function

        # Not `self`: its own table would keep the device alive for ever.
        here = weakref.ref(self)
        clock = self.clock

        @functools.wraps(function)
        def run(*answers: Dict[str, Tuple[str, Any]], **given: Any) -> Any:
            for name, load in loads.items():
                if name in given:
                    given[name] = load(given[name])
            call = Call(clock, polled, answers[0] if asks else None)
            if wants_call:
                given[wants_call] = call
            begun = function(**given)
            if not polled:
                return begun
            if generator:
                return GeneratorJob(begun, call)
            device = here()
            if device is None:
                begun.close()
                raise RuntimeError("the device is gone")
            return CoroutineJob(begun, call, device._own_loop())

        return run

    def resource(
        self,
        uri: str,
        /,
        *,
        name: Optional[str] = None,
        title: str = "",
        description: Optional[str] = None,
        mime: Optional[str] = None,
        subscribable: bool = False,
        watch: Optional[Callable[[], object]] = None,
    ) -> Callable[[F], F]:
        """Makes a function the reader of a resource.

        ``{joint}`` in the URI is a parameter of the function, a ``str``; such a
        URI is a template. What the function returns is the content: ``str``,
        ``bytes``, or data, which is sent as JSON; ``None`` says that there is
        no such resource.

        Args:
            uri: Its URI, such as ``device://fan/speed``.
            name: For programs; without one, that of the function.
            title: For people; empty for none.
            description: For models; without one, the docstring.
            mime: The media type; without one, that of the function's return
                hint.
            subscribable: Clients may subscribe to it; tell each change by
                `changed`. At most 15 resources of a device, and no template.
            watch: Gives something that differs once the resource has changed,
                such as its content: the core asks while somebody has
                subscribed, and nobody needs to call `changed`. It makes the
                resource subscribable.

        Raises:
            TypeError: the function's parameters are not those of the URI.
            ValueError: the URI breaks a rule of the core.
            RuntimeError: the device is in use already.
        """

        def add(function: F) -> F:
            self._change()
            params = _URI_PARAM.findall(uri)
            where = f"resource {uri!r}"
            if inspect.iscoroutinefunction(function):
                raise TypeError(f"{where}: a reader must not wait, so it is no async function")
            found = list(inspect.signature(function).parameters)
            if found != params:
                raise TypeError(
                    f"{where}: the function takes {found}, the URI has {params}"
                )
            returned = hints_of(function, where).get("return", Ellipsis)
            if mime is not None:
                media = mime
            elif returned is str:
                media = "text/plain"
            elif returned is bytes:
                media = "application/octet-stream"
            else:
                media = "application/json" if returned is not Ellipsis else ""

            @functools.wraps(function)
            def read(**given: str) -> Any:
                value = function(**given)
                if value is None or isinstance(value, (str, bytes)):
                    return value
                if isinstance(value, bytearray):
                    return bytes(value)
                return _hints.plain_data(value)

            resource = {
                "uri": uri,
                "name": name if name is not None else getattr(function, "__name__", ""),
                "title": title,
                "description": description
                if description is not None
                else _hints.summary(inspect.getdoc(function) or ""),
                "mime": media,
                "params": params,
                "read": read,
                "subscribable": subscribable or watch is not None,
                "watch": None if watch is None else numbered(watch),
            }
            if resource["subscribable"] and params:
                raise ValueError(f"{where}: a template cannot be subscribed to")
            table = self._templates if params else self._resources
            if params:
                self._make(templates=[*table, resource])
            else:
                self._make(resources=[*table, resource])
            table.append(resource)
            return function

        return add

    @overload
    def skill(self, function: F, /) -> F: ...

    @overload
    def skill(
        self,
        function: None = None,
        /,
        *,
        id: Optional[str] = None,
        name: Optional[str] = None,
        description: Optional[str] = None,
        tags: Sequence[str] = (),
        examples: Sequence[str] = (),
        words: Sequence[str] = (),
        input_modes: Sequence[str] = ("text/plain",),
        output_modes: Sequence[str] = (),
        scopes: Sequence[str] = (),
        talks: bool = False,
        listens: bool = False,
        public: bool = True,
    ) -> Callable[[F], F]: ...

    def skill(
        self,
        function: Optional[F] = None,
        /,
        *,
        id: Optional[str] = None,
        name: Optional[str] = None,
        description: Optional[str] = None,
        tags: Sequence[str] = (),
        examples: Sequence[str] = (),
        words: Sequence[str] = (),
        input_modes: Sequence[str] = ("text/plain",),
        output_modes: Sequence[str] = (),
        scopes: Sequence[str] = (),
        talks: bool = False,
        listens: bool = False,
        public: bool = True,
    ) -> Any:
        """Makes a function a skill: the work of tasks of A2A; it stays callable
        as it was.

        Its parameters are of the types `Work`, `Message`, or ``str`` for the
        text of the message. What it returns becomes an artifact: text, bytes,
        `Part`, or data; an exception fails the task with the exception's text,
        `Rejected` rejects it. A plain function does its work at once. An
        ``async`` one, or a generator that yields seconds to wait, reports and
        questions, may take its time; a cancellation reaches it as
        `asyncio.CancelledError` or `GeneratorExit`, and the task is cancelled
        once it has ended by it.

        Args:
            id: Its identity; without one, the name of the function.
            name: For people; without one, the id.
            description: For people and models; without one, the docstring.
            tags: Without any, the id.
            examples: Messages that ask for it.
            words: A message with one of these words asks for it. Without any,
                every message does that no skill before it takes.
            input_modes: Media types that it takes.
            output_modes: Media types that it gives; without any, those of the
                return hint.
            scopes: What a caller over HTTP must have, all of them; see
                `serving`.
            talks: It may return `Say` instead of doing work.
            listens: It takes messages while it works, as `Work.message`.
            public: It stands in the public card.

        Raises:
            TypeError: it has a parameter of another type.
            ValueError: the skill breaks a rule of the core.
            RuntimeError: the device is in use already.
        """

        def add(function: F) -> F:
            own = id if id is not None else getattr(function, "__name__", "")
            where = f"skill {own!r}"
            if inspect.isasyncgenfunction(inspect.unwrap(function)):
                raise TypeError(f"{where}: an async generator cannot be a skill")
            hints = hints_of(function, where)
            parameters = _work.wanted(function, hints, where)
            generator = inspect.isgeneratorfunction(inspect.unwrap(function))
            given = _work.modes(hints.get("return", Ellipsis), generator)
            words_of = _hints.summary(inspect.getdoc(function) or "")
            # Not `self`: its own table would keep the device alive for ever.
            here = weakref.ref(self)
            clock = self.clock

            def loop() -> Loop:
                device = here()
                if device is None:
                    raise RuntimeError("the device is gone")
                return device._own_loop()

            def run(about: _work.About) -> _work.TaskJob:
                work = _work.Work(clock, about)
                return _work.begin(function, parameters, work, explain, loop)

            self._add_skill(
                {
                    "id": own,
                    "name": name if name is not None else own,
                    "description": description if description is not None else words_of,
                    "tags": list(tags) or [own],
                    "examples": list(examples),
                    "words": list(words),
                    "input_modes": list(input_modes),
                    "output_modes": list(output_modes or given),
                    "scopes": self._scope_bits(scopes),
                    "talks": talks,
                    "listens": listens,
                    "public": public,
                    "tool": None,
                    "run": run,
                }
            )
            return function

        return add if function is None else add(function)

    def tool_skill(
        self,
        tool: str,
        /,
        *,
        id: Optional[str] = None,
        name: Optional[str] = None,
        description: Optional[str] = None,
        tags: Sequence[str] = (),
        examples: Sequence[str] = (),
        words: Sequence[str] = (),
        input_modes: Sequence[str] = ("text/plain", "application/json"),
        output_modes: Sequence[str] = ("text/plain", "application/json"),
        public: bool = True,
    ) -> None:
        """Makes a tool a skill too: its call is then the work of a task.

        Its arguments are the first data of the message; without any it is
        called without arguments. Those that the tool does not allow reject the
        task, in the words that a call would be refused with.

        Args:
            tool: The name of the tool, which is defined already.
            id: Its identity; without one, the name of the tool.
            name: For people; without one, the title of the tool.
            description: For people and models; without one, that of the tool.
            tags: See `skill`.
            examples: See `skill`.
            words: See `skill`.
            input_modes: See `skill`.
            output_modes: See `skill`.
            public: See `skill`.

        Raises:
            KeyError: there is no such tool.
            ValueError: the skill breaks a rule of the core.
            RuntimeError: the device is in use already.
        """
        places = [at for at, one in enumerate(self._tools) if one["name"] == tool]
        if not places:
            raise KeyError(f"no tool {tool!r}")
        found = self._tools[places[0]]
        own = id if id is not None else tool
        self._add_skill(
            {
                "id": own,
                "name": name if name is not None else found["title"] or own,
                "description": description or found["description"],
                "tags": list(tags) or [own],
                "examples": list(examples),
                "words": list(words),
                "input_modes": list(input_modes),
                "output_modes": list(output_modes),
                "scopes": found["scopes"],
                "talks": False,
                "listens": False,
                "public": public,
                "tool": places[0],
                "run": None,
            }
        )

    def _add_skill(self, skill: Dict[str, Any]) -> None:
        self._change()
        # Whether there is a public one is told once all are there.
        self._make(skills=[{**one, "public": True} for one in (*self._skills, skill)])
        self._skills.append(skill)

    def changed(self, uri: str) -> None:
        """Tells that a resource has changed: its subscribers hear of it within
        a tenth of a second. From any thread, also inside a handler.

        Raises:
            KeyError: the device has no resource of that URI.
        """
        if not self._native.changed(uri):
            raise KeyError(f"no resource {uri!r}")


def scope_bits(known: Dict[str, int], scopes: Sequence[str]) -> int:
    """The bits of scopes; a new name gets the next one."""
    if isinstance(scopes, str):
        raise TypeError(f"scopes are a list of names, and not {scopes!r}")
    bits = 0
    for scope in scopes:
        if scope not in known and len(known) == MAX_SCOPES:
            raise ValueError(f"more than {MAX_SCOPES} scopes")
        bits |= known.setdefault(scope, 1 << len(known))
    return bits


def numbered(watch: Callable[[], object]) -> Callable[[], int]:
    """A number for what `watch` gives: another one when that differs."""
    last: List[object] = []
    count = 0

    def number() -> int:
        nonlocal count
        now = watch()
        if not last or last[0] != now:
            last[:] = [now]
            count = (count + 1) % 2**32
        return count

    return number


def is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def hints_of(function: Callable[..., Any], where: str) -> Dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise TypeError(f"{where}: {error}") from None


def parameters_of(
    function: Callable[..., Any], hints: Dict[str, Any], where: str, doc: str
) -> Tuple[Dict[str, _hints.Member], Optional[str]]:
    """The parameters, and which of them gets the `Call`."""
    words = _hints.argument_words(doc)
    members: Dict[str, _hints.Member] = {}
    wants_call = None
    for name, parameter in inspect.signature(function).parameters.items():
        place = f"{where}, parameter {name!r}"
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{place}: a tool's parameters have names")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise TypeError(f"{place}: a tool gets its arguments by name")
        if name not in hints:
            raise TypeError(f"{place}: it has no type hint")
        if hints[name] is Call:
            wants_call = name
            continue
        members[name] = _hints.member(
            name, hints[name], parameter.default, True, place, words.get(name, "")
        )
        if (
            parameter.default is inspect.Parameter.empty
            and not members[name].plain["required"]
        ):
            raise TypeError(f"{place}: what may be left out needs a default of None")
    return members, wants_call


def result_of(
    hint: Any, generator: bool, where: str
) -> Tuple[Optional[List[Dict[str, Any]]], bool, Optional[Callable[[Any], Any]]]:
    """The members of the structured result, whether it is wrapped, and what
    makes it plain."""
    where = f"{where}, result"
    if generator and hint is not Ellipsis:
        args = typing.get_args(hint)
        hint = args[2] if len(args) == 3 else type(None) if args else Ellipsis
    if hint in (str, None, type(None)):
        return None, False, None
    inner, optional = _hints.without_none(hint) if hint is not Ellipsis else (hint, False)
    dynamic = (
        hint is Ellipsis
        or hint in (Any, dict, object)
        or optional
        or _hints.is_union(inner)
        or _hints.origin_of(hint) in (dict, typing.get_origin(typing.Mapping[str, int]))
        or is_content(inner)
    )
    if dynamic:
        return None, False, _hints.plain_result
    found = _hints.describe(hint, where)
    if _hints.is_object(hint):
        members = [_hints.for_result(plain) for plain in found.type[1]]
        return members, False, found.dump
    member = {
        "name": "result",
        "description": found.description,
        "type": _hints.type_for_result(found.type),
        "unit": found.unit,
        "required": True,
        "default": None,
        "header": None,
    }
    return [member], True, found.dump


def is_content(hint: Any) -> bool:
    if hint in _content.PARTS:
        return True
    return any(is_content(arg) for arg in typing.get_args(hint) if arg is not Ellipsis)



