"""A device that stands for another one, on the other end of a wire.

It advertises what that one does, checks each call before anything goes over
the wire, and serves it wherever a device in Python can be served.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from typing import Any, Callable, Dict, Generator, List, Optional, Set, Tuple

from agentmote import _native
from agentmote._client import Client, Result, Tool, members
from agentmote._device import Device
from agentmote._hints import MAX_LENGTH, Plain, for_result
from agentmote._jobs import Call, GeneratorJob, Progress

LOOK = 0.01
"""Seconds between looks at a call on the wire."""

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
        self.ended = threading.Event()
        self.progress: Optional[Tuple[float, float]] = None
        self.result: Optional[Result] = None
        self.error: Optional[BaseException] = None

        def tell(done: float, total: Optional[float]) -> None:
            self.progress = done, total or 0

        def run() -> None:
            try:
                self.result = client.call_tool(
                    name, arguments, progress=tell, cancel=self._given_up
                )
            except BaseException as error:
                self.error = error
            finally:
                self.ended.set()

        threading.Thread(target=run, daemon=True, name="agentmote-call").start()

    def give_up(self) -> None:
        """Tells the device so."""
        self._given_up.set()


def crossing(client: Client, tool: Tool, arguments: Dict[str, Any]) -> Generator[Any, None, Any]:
    """A call as a generator: progress, then the result."""
    way = Crossing(client, tool.name, arguments)
    try:
        while not way.ended.is_set():
            told, way.progress = way.progress, None
            if told is None:
                yield LOOK
            else:
                yield Progress(int(told[0]), int(told[1]), wait=LOOK)
    finally:
        way.give_up()
    if way.error is not None:
        raise way.error
    result = way.result
    if result is None:
        return None
    return result.structured if result.structured is not None else parts(result)


def proxy(client: Client) -> Device:
    """A device that stands for the one of a client, to be served by HTTP, ASGI
    or on standard input and output. Its tools and resources are those that the
    device has now. Each call is checked before it goes over the wire, and again
    behind it; subscriptions and questions do not pass.

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
    for tool in client.tools():
        device._tools.append(proxied(client, tool, device.clock))
    for resource in client.resources():
        params = re.findall(r"\{(\w+)\}", resource.uri) if resource.template else []
        table = device._templates if resource.template else device._resources
        table.append(
            {
                "uri": resource.uri,
                "name": resource.name,
                "title": resource.title,
                "description": resource.description,
                "mime": resource.mime,
                "params": params,
                "read": reader(client, resource.uri),
                "subscribable": False,
                "watch": None,
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


def proxied(client: Client, tool: Tool, clock: _native.Clock) -> Dict[str, Any]:
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

    def run(**given: Any) -> GeneratorJob:
        return GeneratorJob(crossing(client, tool, given), Call(clock, True))

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
        "asks": False,
        "run": run,
        "dump": None,
        "wrap": False,
    }
