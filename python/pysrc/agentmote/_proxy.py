"""A device that stands for another one, on the other end of a wire.

It advertises what that one does, checks each call before anything goes over
the wire, and serves it wherever a device in Python can be served.
"""

from __future__ import annotations

import base64
import functools
import json
import re
import threading
import time
from typing import Any, Callable, Dict, Generator, List, Optional, Set, Tuple

from agentmote import _native
from agentmote._client import Client, Question, Result, Tool, members
from agentmote._device import Device
from agentmote._hints import MAX_LENGTH, Plain, for_result
from agentmote._errors import Error
from agentmote._jobs import Call, GeneratorJob, Progress
from agentmote._native import Form, NeedInput

LOOK = 0.01
"""Seconds between looks at a call on the wire."""

PATIENCE = 300.0
"""Seconds that a user may take to answer."""

FORMS = 256
"""Forms of devices behind proxies, which are kept for good."""

WATCHED = 15
"""Resources of a proxy that can be subscribed to, as of any device."""

SOON = 0.5
"""Seconds between looks whether somebody still asks for changes."""

UNASKED = 5.0
"""Seconds after the last question for changes until nobody is told any more."""

AGAIN = 1.0
"""Seconds until a lost subscription is made anew."""

Answers = Dict[str, Any]
"""What was answered so far, and the crossing that waits for it."""

Schema = Dict[str, Any]

KEYS: Dict[str, Set[str]] = {
    "boolean": set(),
    "integer": {"minimum", "maximum"},
    "number": {"minimum", "maximum"},
    "string": {"minLength", "maxLength", "enum"},
    "array": {"minItems", "maxItems", "items"},
    "object": {"properties", "required", "additionalProperties"},
}
"""The keywords that a descriptor has."""

WORDS = {"type", "description", "default", "x-mcp-header"}


class Unknown(Exception):
    """A schema that no descriptor says."""


def described(schema: Schema) -> Tuple[Any, ...]:
    """The type of a schema.

    Raises:
        Unknown: it has a keyword beyond those of descriptors.
    """
    kind = str(schema.get("type"))
    if kind not in KEYS or not set(schema) <= KEYS[kind] | WORDS:
        raise Unknown
    if "enum" in schema:
        return ("choice", schema["enum"])
    if kind in ("integer", "number"):
        return (kind, schema.get("minimum"), schema.get("maximum"))
    if kind == "string":
        return (kind, schema.get("minLength", 0), schema.get("maxLength", MAX_LENGTH))
    if kind == "array":
        inner = described(members(schema.get("items")))
        return (kind, inner, schema.get("minItems", 0), schema.get("maxItems", MAX_LENGTH))
    if kind == "object":
        return (kind, parameters(schema))
    return (kind,)


def parameters(schema: Schema) -> List[Plain]:
    """The members of an object's schema.

    Raises:
        Unknown: see `described`.
    """
    if schema.get("type") != "object" or schema.get("additionalProperties") is not False:
        raise Unknown
    if not set(schema) <= KEYS["object"] | WORDS:
        raise Unknown
    required = schema.get("required", ())
    return [
        {
            "name": name,
            "description": members(given).get("description", ""),
            "type": described(members(given)),
            "unit": "",
            "required": name in required,
            "default": members(given).get("default"),
            "header": members(given).get("x-mcp-header"),
        }
        for name, given in members(schema.get("properties")).items()
    ]


def parts(result: Result) -> Tuple[Tuple[Any, ...], ...]:
    """The content of a result as a handler gives it."""
    found: List[Tuple[Any, ...]] = []
    for block in result.content:
        kind = block.get("type")
        if kind == "text":
            found.append(("text", block.get("text", "")))
        elif kind in ("image", "audio"):
            data = base64.b64decode(block.get("data", ""))
            found.append((kind, data, block.get("mimeType", "")))
        elif kind == "resource_link":
            mime = block.get("mimeType", "")
            found.append(("link", block.get("uri", ""), block.get("name", ""), mime))
        elif kind == "resource":
            inner = members(block.get("resource"))
            uri, mime = inner.get("uri", ""), inner.get("mimeType", "")
            if "blob" in inner:
                data = base64.b64decode(inner["blob"])
                found.append(("resource_blob", uri, mime, data))
            else:
                found.append(("resource_text", uri, mime, inner.get("text", "")))
    return tuple(found)


class Crossing:
    """One call on the wire, in a thread of its own."""

    def __init__(self, client: Client, name: str, arguments: Dict[str, Any]) -> None:
        self._given_up = threading.Event()
        self._answered = threading.Event()
        self._answer: Any = None
        self._count = 0
        self.ended = threading.Event()
        self.progress: Optional[Tuple[float, float]] = None
        self.question: Optional[Question] = None
        self.result: Optional[Result] = None
        self.error: Optional[BaseException] = None

        def tell(done: float, total: Optional[float]) -> None:
            self.progress = done, total or 0

        def run() -> None:
            HERE.crossing = self
            try:
                self.result = client.call_tool(
                    name, arguments, progress=tell, cancel=self._given_up
                )
            except BaseException as error:
                self.error = error
            finally:
                self.ended.set()

        threading.Thread(target=run, daemon=True, name="agentmote-call").start()

    @property
    def key(self) -> str:
        """The name of the question that is open."""
        return f"q{self._count}"

    def ask(self, question: Question) -> Any:
        """Hands a question on, and waits for its answer."""
        self._answered.clear()
        self._count += 1
        self.question = question
        end = time.monotonic() + PATIENCE
        while not self._answered.wait(LOOK):
            if self._given_up.is_set() or time.monotonic() >= end:
                return None
        return self._answer

    def reply(self, answer: Any) -> None:
        """Hands the answer back; None if the user refused."""
        self.question, self._answer = None, answer
        self._answered.set()

    def give_up(self) -> None:
        """Tells the device so."""
        self._given_up.set()


HERE = threading.local()
"""The crossing that a thread works for."""


def hand_on(question: Question) -> Any:
    """Asks the caller of a proxy what a device asks."""
    crossing: Optional[Crossing] = getattr(HERE, "crossing", None)
    return None if crossing is None else crossing.ask(question)


@functools.lru_cache(maxsize=None)
def form_of(schema: str) -> Form:
    """The form of a schema; the native one is kept for good, so it is made
    once.

    Raises:
        Unknown: it is none that a device of this package can show, or there
            were too many.
    """
    if form_of.cache_info().currsize >= FORMS:
        raise Unknown
    given = members(json.loads(schema))
    plain: Schema = {"additionalProperties": False}
    for name in ("type", "properties", "required"):
        if name in given:
            plain[name] = given[name]
    fields = parameters(plain)
    return Form([for_result(field) for field in fields])


def crossing(
    client: Client, tool: Tool, arguments: Dict[str, Any], answers: Answers
) -> Generator[Any, None, Any]:
    """A call as a generator: progress and questions, then the result."""
    way: Optional[Crossing] = answers.get("")
    if way is None:
        way = Crossing(client, tool.name, arguments)
    elif way.key in answers:
        action, content = answers[way.key]
        way.reply(content if action == "accept" else None)
    try:
        while not way.ended.is_set():
            question = way.question
            if question is not None:
                try:
                    form = form_of(json.dumps(question.schema, sort_keys=True))
                except (Unknown, ValueError, TypeError):
                    # It cannot be shown, so nobody agrees to it.
                    way.reply(None)
                    continue
                # The call stays on the wire until the answer has come.
                raise NeedInput(way.key, question.message, form, way)
            told, way.progress = way.progress, None
            if told is None:
                yield LOOK
            else:
                yield Progress(int(told[0]), int(told[1]), wait=LOOK)
    except NeedInput:
        raise
    except BaseException:
        way.give_up()
        raise
    if way.error is not None:
        raise way.error
    result = way.result
    if result is None:
        return None
    return result.structured if result.structured is not None else parts(result)


class Relay:
    """Whether a resource of the device behind the wire has changed. It is
    subscribed to as long as somebody asks."""

    def __init__(self, client: Client, uri: str) -> None:
        self._client = client
        self._uri = uri
        self._count = 0
        self._asked = self._again = 0.0
        self._lock = threading.Lock()
        self._running = False

    def __call__(self) -> int:
        """A number that differs once it has changed."""
        with self._lock:
            now = self._asked = time.monotonic()
            if not self._running and now >= self._again:
                self._running = True
                threading.Thread(
                    target=self._run, daemon=True, name="agentmote-changes"
                ).start()
            return self._count

    def _run(self) -> None:
        try:
            with self._client.subscribe(self._uri) as changes:
                while time.monotonic() - self._asked < UNASKED:
                    if changes.wait(SOON):
                        self._count = (self._count + 1) % 2**32
        except Error:
            # Lost, or not to be subscribed to: it may have changed meanwhile.
            self._count = (self._count + 1) % 2**32
        finally:
            with self._lock:
                self._running = False
                self._again = time.monotonic() + AGAIN


def proxy(client: Client) -> Device:
    """A device that stands for the one of a client, to be served by HTTP, ASGI
    or on standard input and output. Its tools and resources are those that the
    device has now. Each call is checked before it goes over the wire, and again
    behind it. Subscriptions pass; so do questions of forms, where the device
    speaks the modern era.

    Raises:
        ValueError: the device advertises what breaks a rule of the core.
    """
    about = client.server
    device = Device(
        str(about.get("name", "device")),
        version=str(about.get("version", "0")),
        title=str(about.get("title", "")),
        instructions=client.instructions,
    )
    asks = client.answers(hand_on)
    for tool in client.tools():
        device._tools.append(proxied(client, tool, device.clock, asks))
    subscribable = bool(members(client.capabilities.get("resources")).get("subscribe"))
    watched = 0
    for resource in client.resources():
        params = re.findall(r"\{(\w+)\}", resource.uri) if resource.template else []
        table = device._templates if resource.template else device._resources
        watch: Optional[Relay] = None
        if subscribable and not params and watched < WATCHED:
            watch = Relay(client, resource.uri)
            watched += 1
        table.append(
            {
                "uri": resource.uri,
                "name": resource.name,
                "title": resource.title,
                "description": resource.description,
                "mime": resource.mime,
                "params": params,
                "read": reader(client, resource.uri),
                "subscribable": watch is not None,
                "watch": watch,
            }
        )
    return device


def reader(client: Client, uri: str) -> Callable[..., Any]:
    """What reads a resource of the device behind the wire."""

    def read(**given: str) -> Any:
        found = uri
        for name, value in given.items():
            found = found.replace("{" + name + "}", value)
        return client.read(found)

    return read


def proxied(
    client: Client, tool: Tool, clock: _native.Clock, asks: bool
) -> Dict[str, Any]:
    schema: Optional[str] = None
    params: List[Plain] = []
    output: Optional[List[Plain]] = None
    try:
        params = parameters(tool.input_schema)
    except Unknown:
        # Passed on as it is; the device behind the wire checks by it.
        schema = json.dumps(tool.input_schema, separators=(",", ":"))
    if tool.output_schema is not None:
        try:
            output = [for_result(one) for one in parameters(tool.output_schema)]
        except Unknown:
            output = None

    def run(*answers: Answers, **given: Any) -> GeneratorJob:
        found = answers[0] if answers else {}
        return GeneratorJob(crossing(client, tool, given, found), Call(clock, True))

    notes = tool.annotations
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description or tool.name,
        "params": params,
        "schema": schema,
        "output": output,
        "read_only": bool(notes.get("readOnlyHint")),
        "actuates": False,
        "idempotent": bool(notes.get("idempotentHint")),
        "destructive": bool(notes.get("destructiveHint")) and not notes.get("readOnlyHint"),
        "polled": True,
        "scopes": 0,
        "asks": asks,
        "run": run,
        "dump": None,
        "wrap": False,
    }
