"""Is what a device advertises what it enforces?

>>> import agentmote
>>> from agentmote import sim
>>> from agentmote.schema import assert_schema_enforced
>>> arm = sim.BenchArm()
>>> assert_schema_enforced(arm)
54
>>> arm.commands
0
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

from agentmote._client import Client, Tool, connect, members
from agentmote._device import BaseDevice
from agentmote._errors import ProtocolError, ToolError

__all__ = ["Case", "SchemaNotEnforced", "assert_schema_enforced", "cases"]

EXTRA = "not-advertised"
"""The name of a parameter that no tool has."""

LONGEST = 4096
"""Characters and elements up to which a limit is tried: a longer request does
not fit into a small device."""

Schema = Dict[str, Any]


class SchemaNotEnforced(AssertionError):
    """A device has acted on what it does not advertise, or refuses what it
    does."""


@dataclass(frozen=True)
class Case:
    """Arguments that must be refused, and why."""

    tool: str
    what: str
    """What is tried, in words."""
    arguments: Dict[str, Any]
    wrong: str
    """The name that the refusal must tell."""
    right: Optional[str] = None
    """The name that it must not tell: its value stands at a limit."""


@dataclass(frozen=True)
class _Value:
    what: str
    value: Any
    wrong: str = ""
    """The name of what is wrong with it; empty if nothing is."""


def _below(low: float, whole: bool) -> Any:
    return low - 1 if whole else math.nextafter(low, -math.inf)


def _above(high: float, whole: bool) -> Any:
    return high + 1 if whole else math.nextafter(high, math.inf)


def _example(schema: Schema) -> Any:
    """A value that the schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is not None:
            return low
        return min(high, 0) if high is not None else 0
    if kind == "string":
        return "x" * max(schema.get("minLength", 0), 1)
    if kind == "array":
        return [_example(members(schema.get("items")))] * schema.get("minItems", 0)
    return {
        name: _example(members(inner))
        for name, inner in members(schema.get("properties")).items()
        if name in schema.get("required", ())
    }


def _values(name: str, schema: Schema) -> Iterator[_Value]:
    """Values at, below and above each limit, and of other types."""
    kind = schema.get("type")
    others: Dict[str, Any] = {
        "a boolean": True,
        "a whole number": 1,
        "a number with a fraction": 1.5,
        "a text": "7",
        "null": None,
        "a list": [],
        "an object": {},
    }
    own = {
        "boolean": ["a boolean"],
        "integer": ["a whole number"],
        "number": ["a whole number", "a number with a fraction"],
        "string": ["a text"],
        "array": ["a list"],
        "object": ["an object"],
    }.get(str(kind), list(others))
    for what, value in others.items():
        if what not in own:
            yield _Value(what, value, name)
    if "enum" in schema:
        for value in schema["enum"]:
            yield _Value(f"{value!r}", value)
        first = str(schema["enum"][0])
        for value in (first + "x", first[:-1], first.swapcase()):
            if value not in schema["enum"]:
                yield _Value(f"{value!r}", value, name)
    elif kind == "boolean":
        yield _Value("false", False)
    elif kind in ("integer", "number"):
        low, high = schema.get("minimum"), schema.get("maximum")
        whole = kind == "integer"
        if low is not None:
            yield _Value(f"the minimum {low}", low)
            yield _Value(f"below the minimum {low}", _below(low, whole), name)
        if high is not None:
            yield _Value(f"the maximum {high}", high)
            yield _Value(f"above the maximum {high}", _above(high, whole), name)
            # What an int of 32 bits would make a small number of.
            yield _Value("beyond 32 bits", max(int(high), 0) + 2**32, name)
    elif kind == "string":
        least, most = schema.get("minLength", 0), schema.get("maxLength", LONGEST + 1)
        for letter in ("x", "\u00e9"):
            if least:
                yield _Value(f"{least} times {letter}", letter * least)
                yield _Value(f"one {letter} less than {least}", letter * (least - 1), name)
            if most <= LONGEST:
                yield _Value(f"{most} times {letter}", letter * most)
                yield _Value(f"one {letter} more than {most}", letter * (most + 1), name)
    elif kind == "array":
        items = members(schema.get("items"))
        one = _example(items)
        least, most = schema.get("minItems", 0), schema.get("maxItems", LONGEST + 1)
        yield _Value(f"{least} elements", [one] * least)
        if least:
            yield _Value(f"one element less than {least}", [one] * (least - 1), name)
        if most <= LONGEST:
            yield _Value(f"{most} elements", [one] * most)
            yield _Value(f"one element more than {most}", [one] * (most + 1), name)
        if most:
            for inner in _values(name, items):
                elements = [inner.value] + [one] * max(least - 1, 0)
                yield _Value(f"an element that is {inner.what}", elements, inner.wrong)
    elif kind == "object":
        for what, value, wrong in _objects(schema):
            yield _Value(f"an object, {what}", value, wrong)


def _objects(schema: Schema) -> Iterator[Tuple[str, Dict[str, Any], str]]:
    """Objects with each member at, below and above its limits, with one too
    few and one too many."""
    base = members(_example(schema))
    properties = {name: members(one) for name, one in members(schema.get("properties")).items()}
    yield "one member too many", {**base, EXTRA: 1}, EXTRA
    for name in schema.get("required", ()):
        yield f"without {name}", {key: base[key] for key in base if key != name}, name
    for name, inner in properties.items():
        swapped = name.swapcase()
        if swapped != name and swapped not in properties:
            rest = {key: base[key] for key in base if key != name}
            yield f"{name} written {swapped}", {**rest, swapped: _example(inner)}, swapped
        for value in _values(name, inner):
            yield f"{name}: {value.what}", {**base, name: value.value}, value.wrong


def cases(tool: Tool) -> List[Case]:
    """What is tried on a tool. Nothing of it may be acted on: a value at a
    limit comes with a parameter that is not advertised, so that it is refused
    for that alone."""
    found: List[Case] = []
    schema = tool.input_schema
    for what, arguments, wrong in _objects(schema):
        if wrong:
            found.append(Case(tool.name, what, arguments, wrong))
        else:
            name = what.partition(":")[0]
            found.append(
                Case(tool.name, what, {**arguments, EXTRA: 1}, EXTRA, right=name)
            )
    return found


def assert_schema_enforced(
    target: Union[BaseDevice, Client],
    *,
    state: Optional[Callable[[], Any]] = None,
) -> int:
    """Tries every boundary of every tool that is advertised: below, at and
    above each limit, wrong types, members missing and too many, and shows that
    nothing of it acts.

    Args:
        target: A device in this process, or a client of one anywhere.
        state: Gives what must not change. For a device in this process there
            is no need: the handlers that run are counted.

    Returns:
        How many calls were tried.

    Raises:
        SchemaNotEnforced: one was not refused, or for another reason, or
            something has changed.
    """
    if isinstance(target, BaseDevice):
        device = target._native
        with connect(target) as client:
            return _try_all(client, state or (lambda: device.runs))
    return _try_all(target, state)


def _try_all(client: Client, state: Optional[Callable[[], Any]]) -> int:
    count = 0
    for tool in client.tools():
        for case in cases(tool):
            before = state() if state else None
            _try(client, case)
            if state is not None and state() != before:
                raise SchemaNotEnforced(f"{_shown(case)}: refused, and yet it has acted")
            count += 1
    return count


def _shown(case: Case) -> str:
    text = json.dumps(case.arguments, ensure_ascii=False)
    return f"{case.tool} with {case.what} ({text if len(text) < 200 else text[:200] + '…'})"


def _try(client: Client, case: Case) -> None:
    try:
        client.call_tool(case.tool, case.arguments)
    except ToolError as error:
        told = str(error)
    except ProtocolError as error:
        if error.code != -32602:
            raise SchemaNotEnforced(f"{_shown(case)}: {error}") from error
        told = error.message
    else:
        raise SchemaNotEnforced(f"{_shown(case)}: it was not refused")
    if case.wrong not in told:
        raise SchemaNotEnforced(f"{_shown(case)}: {case.wrong} is not named in {told!r}")
    if case.right is not None and f"{case.right}:" in told:
        raise SchemaNotEnforced(f"{_shown(case)}: a value that is allowed is refused: {told!r}")

