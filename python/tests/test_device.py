"""Devices of functions: what is advertised, what is enforced, what is
answered."""

import asyncio
import dataclasses
import enum
import json
import sys
import threading
from dataclasses import dataclass
from typing import Annotated, Any, Dict, List, Literal, Optional, Tuple, TypedDict, Union

import pytest

import agentmote
from agentmote import Length, Range, ToolError, Unit

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def call(device, name, arguments, **meta):
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments, "_meta": {**META, **meta}},
    }
    lines = device.handle(json.dumps(message).encode()).splitlines()
    return [json.loads(line) for line in lines]


def result(device, name, arguments=None):
    *_, answer = call(device, name, arguments or {})
    return answer["result"]


def schema(device, name):
    with agentmote.connect(device) as client:
        return {tool.name: tool for tool in client.tools()}[name]


def new():
    return agentmote.Device("rig", version="1.2.3")


# The bench arm's `arm_move` from hints: the same schema as in firmware.


def bench_arm():
    device = agentmote.Device("bench-arm", version="1.0")
    moves = []

    @device.tool(title="Move a joint", actuates=True, idempotent=True)
    def arm_move(
        joint: Annotated[int, Range(0, 5)],
        deg: Annotated[float, Range(-90, 90), Unit("deg")],
        speed: Annotated[int, Range(1, 100), Unit("percent")] = 20,
    ) -> str:
        """Moves one joint to an angle, and answers when it is there.

        Args:
            joint: Joint number, base first.
            deg: Target angle.
            speed: Share of full speed.
        """
        moves.append((joint, deg, speed))
        return "the joint is at its target"

    return device, moves


def test_a_tool_from_hints_is_advertised_as_the_firmware_does():
    device, _ = bench_arm()
    with agentmote.connect("sim") as firmware:
        wanted = next(tool for tool in firmware.tools() if tool.name == "arm_move")
    assert schema(device, "arm_move") == wanted


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"joint": 6, "deg": 1}, "joint: 6 is above the maximum 5"),
        ({"joint": -1, "deg": 1}, "joint: -1 is below the minimum 0"),
        ({"joint": 0, "deg": 90.5}, "deg: 90.5 is above the maximum 90"),
        ({"joint": 0, "deg": -90.1}, "deg: -90.1 is below the minimum -90"),
        ({"joint": 0, "deg": 1, "speed": 0}, "speed: 0 is below the minimum 1"),
        ({"joint": 0, "deg": 1, "speed": 101}, "speed: 101 is above the maximum 100"),
        ({"joint": 2.5, "deg": 1}, "joint: 2.5 is not a whole number"),
        ({"joint": "2", "deg": 1}, 'joint: "2" is not an integer'),
        ({"joint": True, "deg": 1}, "joint: true is not an integer"),
        ({"joint": 2, "deg": None}, "deg: null is not a number"),
        ({"joint": 4294967297, "deg": 1}, "joint: 4294967297 is above the maximum 5"),
        ({"deg": 1}, "joint: missing"),
        ({"Joint": 1, "joint": 1, "deg": 1}, "Joint: unknown parameter"),
    ],
)
def test_the_core_refuses_what_is_not_advertised(arguments, reason):
    device, moves = bench_arm()
    found = result(device, "arm_move", arguments)
    assert found["isError"] is True
    assert found["content"] == [{"type": "text", "text": reason}]
    assert moves == []


@pytest.mark.parametrize(
    ("arguments", "move"),
    [
        ({"joint": 0, "deg": -90}, (0, -90.0, 20)),
        ({"joint": 5, "deg": 90, "speed": 100}, (5, 90.0, 100)),
        ({"joint": 5.0, "deg": 1e1, "speed": 1}, (5, 10.0, 1)),
    ],
)
def test_each_bound_itself_is_served_with_the_types_of_the_hints(arguments, move):
    device, moves = bench_arm()
    assert "isError" not in result(device, "arm_move", arguments)
    assert moves == [move]
    assert [type(value) for value in moves[0]] == [int, float, int]


def test_arguments_that_stand_twice_are_refused():
    device, moves = bench_arm()
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call"})[:-1]
    params = '{"name":"arm_move","arguments":{"joint":1,"joint":2,"deg":1},"_meta":%s}'
    answer = device.handle((text + ',"params":' + params % json.dumps(META) + "}").encode())
    assert json.loads(answer)["result"]["isError"] is True
    assert moves == []


def test_the_function_stays_callable():
    device = new()

    @device.tool
    def double(n: int) -> int:
        """Doubles."""
        return 2 * n

    assert double(4) == 8


# Hints


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


class Speed(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Point:
    """A place.

    Attributes:
        x: To the right.
    """

    x: float
    y: Annotated[float, Unit("mm")] = 0.5
    mode: Mode = Mode.FAST


class Box(TypedDict, total=False):
    width: int
    mode: Mode


def typed(hint, default=dataclasses.MISSING):
    """A device with one tool whose parameter `value` has this hint, and the
    values that its function got."""
    device, got = new(), []

    def take(**given):
        got.append(given.get("value", default))

    annotations = {"value": hint, "return": None}
    source = "def tool(value):\n    take(value=value)"
    if default is not dataclasses.MISSING:
        source = "def tool(value=default):\n    take(value=value)"
    space = {"take": take, "default": default}
    exec(source, space)
    function = space["tool"]
    function.__annotations__ = annotations
    device.tool(description="Takes a value.")(function)
    return device, got


def prop(device):
    return schema(device, "tool").input_schema["properties"]["value"]


@pytest.mark.parametrize(
    ("hint", "wanted", "sent", "value"),
    [
        (bool, {"type": "boolean"}, True, True),
        (int, {"type": "integer"}, -7, -7),
        (int, {"type": "integer"}, 2**63 - 1, 2**63 - 1),
        (int, {"type": "integer"}, -(2**63), -(2**63)),
        (Annotated[int, Range(0)], {"type": "integer", "minimum": 0}, 2**64 - 1, 2**64 - 1),
        (float, {"type": "number"}, 2, 2.0),
        (str, {"type": "string"}, "é\n\"\\", "é\n\"\\"),
        (
            Annotated[str, Length(1, 4)],
            {"type": "string", "minLength": 1, "maxLength": 4},
            "éééé",
            "éééé",
        ),
        (Annotated[int, Range(max=3)], {"type": "integer", "maximum": 3}, 3, 3),
        (Annotated[float, Range(0.5)], {"type": "number", "minimum": 0.5}, 0.5, 0.5),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "b", "b"),
        (Literal[2, 1, 3], {"type": "integer", "minimum": 1, "maximum": 3}, 2, 2),
        (Mode, {"type": "string", "enum": ["fast", "slow"]}, "slow", Mode.SLOW),
        (Speed, {"type": "string", "enum": ["LOW", "HIGH"]}, "HIGH", Speed.HIGH),
        (
            Annotated[List[int], Length(1, 3)],
            {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "integer"}},
            [1, 2, 3],
            [1, 2, 3],
        ),
        (
            Tuple[float, float],
            {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}},
            [1.5, 2.5],
            (1.5, 2.5),
        ),
        (
            List[Mode],
            {"type": "array", "items": {"type": "string", "enum": ["fast", "slow"]}},
            ["slow", "fast"],
            [Mode.SLOW, Mode.FAST],
        ),
        (
            Point,
            {
                "type": "object",
                "properties": {
                    "x": {"type": "number", "description": "To the right."},
                    "y": {"type": "number", "description": "Unit: mm.", "default": 0.5},
                    "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
                },
                "required": ["x"],
                "additionalProperties": False,
            },
            {"x": 1.5, "mode": "slow"},
            Point(1.5, 0.5, Mode.SLOW),
        ),
        (
            Box,
            {
                "type": "object",
                "properties": {
                    "width": {"type": "integer"},
                    "mode": {"type": "string", "enum": ["fast", "slow"]},
                },
                "additionalProperties": False,
            },
            {"mode": "fast"},
            {"mode": Mode.FAST},
        ),
    ],
)
def test_a_hint_becomes_a_schema_and_a_value_of_the_hint(hint, wanted, sent, value):
    device, got = typed(hint)
    assert prop(device) == wanted
    assert "isError" not in result(device, "tool", {"value": sent})
    assert got == [value]
    assert type(got[0]) is type(value)


@pytest.mark.parametrize(
    ("hint", "sent", "reason"),
    [
        (Annotated[str, Length(max=4)], "ééééé", "value: 5 characters, the maximum is 4"),
        (Annotated[str, Length(2)], "é", "value: 1 characters, the minimum is 2"),
        (Mode, "FAST", 'value: "FAST" is not one of "fast", "slow"'),
        (Point, {"x": 1, "z": 2}, "value.z: unknown parameter"),
        (Point, {"y": 1}, "value.x: missing"),
        (List[int], [1, "2"], 'value[1]: "2" is not an integer'),
        (int, 2**63, "value: 9223372036854775808 is above the maximum 9223372036854775807"),
        (
            Annotated[int, Range(0)],
            2**64,
            "value: 18446744073709551616 is above the maximum 18446744073709551615",
        ),
    ],
)
def test_what_does_not_fit_a_hint_is_refused_before_the_function(hint, sent, reason):
    device, got = typed(hint)
    found = result(device, "tool", {"value": sent})
    assert found["isError"] is True
    assert reason in found["content"][0]["text"]
    assert got == []


@pytest.mark.parametrize(
    ("hint", "default", "shown"),
    [
        (int, 3, 3),
        (float, 0.25, 0.25),
        (float, 3, 3),
        (bool, False, False),
        (str, "é", "é"),
        (Mode, Mode.SLOW, "slow"),
        (Literal["a", "b"], "b", "b"),
    ],
)
def test_a_default_is_advertised_and_stands_for_what_is_left_out(hint, default, shown):
    device, got = typed(hint, default)
    assert prop(device)["default"] == shown
    assert schema(device, "tool").input_schema.get("required", []) == []
    result(device, "tool")
    assert got == [default]


def test_what_is_optional_may_be_left_out_and_is_none_then():
    device, got = typed(Optional[int], None)
    assert prop(device) == {"type": "integer"}
    result(device, "tool")
    result(device, "tool", {"value": 5})
    assert result(device, "tool", {"value": None})["isError"] is True
    assert got == [None, 5]


@pytest.mark.parametrize(
    ("hint", "default", "error", "words"),
    [
        (bytes, dataclasses.MISSING, TypeError, "no JSON type for <class 'bytes'>"),
        (dict, dataclasses.MISSING, TypeError, "use a dataclass or a TypedDict"),
        (Dict[str, int], dataclasses.MISSING, TypeError, "use a dataclass or a TypedDict"),
        (Any, dataclasses.MISSING, TypeError, "use a dataclass or a TypedDict"),
        (list, dataclasses.MISSING, TypeError, "say of what"),
        (Union[int, str], dataclasses.MISSING, TypeError, "a choice of types"),
        (Tuple[int, str], dataclasses.MISSING, TypeError, "not of one type"),
        (Literal[1, 3], dataclasses.MISSING, TypeError, "must follow one another"),
        (Optional[int], dataclasses.MISSING, TypeError, "needs a default of None"),
        pytest.param(
            int,
            None,
            TypeError,
            "the default None is not of type",
            marks=pytest.mark.skipif(
                sys.version_info < (3, 11), reason="None made a hint Optional before 3.11"
            ),
        ),
        (int, 0.5, TypeError, "the default 0.5 is not an integer"),
        (Annotated[int, Range(0, 5)], 6, ValueError, "a default is out of range"),
        (Annotated[int, Range(6, 5)], dataclasses.MISSING, ValueError, "a range is empty"),
        (Annotated[int, Range(0.5)], dataclasses.MISSING, TypeError, "no whole number"),
        (Annotated[int, Range(0, 2**63)], dataclasses.MISSING, ValueError, "beyond 64 bits"),
        (Annotated[float, Range(1 / 3)], dataclasses.MISSING, ValueError, "more than 15 digits"),
        (Annotated[str, Range(0, 5)], dataclasses.MISSING, TypeError, "Range is for numbers"),
        (Annotated[int, Length(0, 5)], dataclasses.MISSING, TypeError, "Length is for texts"),
        (Annotated[str, Length(0, 65536)], dataclasses.MISSING, ValueError, "not within 0 to 65535"),
        (Annotated[str, Unit("deg")], dataclasses.MISSING, ValueError, "only a number has a unit"),
        (List[List[List[List[int]]]], dataclasses.MISSING, ValueError, "nest too deep"),
    ],
)
def test_a_broken_descriptor_is_refused_where_it_stands(hint, default, error, words, capfd):
    with pytest.raises(error, match=r"tool 'tool', parameter 'value'|tool \"tool\"") as caught:
        typed(hint, default)
    assert words in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_names_and_descriptions_follow_the_rules_of_the_core():
    device = new()
    with pytest.raises(ValueError, match="a tool needs a description"):
        device.tool(name="a")(lambda: None)
    with pytest.raises(ValueError, match="a name has a character other than"):
        device.tool(name="a b", description="x")(lambda: None)
    with pytest.raises(ValueError, match="a name is longer than 64"):
        device.tool(name="a" * 65, description="x")(lambda: None)
    with pytest.raises(ValueError, match="a read-only tool cannot actuate"):
        device.tool(name="a", description="x", read_only=True, actuates=True)(lambda: None)
    device.tool(name="a", description="x")(lambda: None)
    with pytest.raises(ValueError, match="there are two of that name"):
        device.tool(name="a", description="x")(lambda: None)
    with pytest.raises(ValueError, match="a character that JSON escapes"):
        agentmote.Device('a"b')


def test_parameters_that_no_call_can_name_are_refused():
    device = new()
    for source, words in [
        ("lambda *a: None", "a tool's parameters have names"),
        ("lambda **a: None", "a tool's parameters have names"),
        ("lambda a: None", "it has no type hint"),
    ]:
        with pytest.raises(TypeError, match=words):
            device.tool(name="a", description="x")(eval(source))


def test_more_than_16_parameters_are_refused():
    space: Dict[str, Any] = {}
    names = ", ".join(f"p{at}: int = 0" for at in range(17))
    exec(f"def many({names}) -> None: 'Many.'", space)
    with pytest.raises(ValueError, match="more than 16 parameters"):
        new().tool(space["many"])


def test_a_device_in_use_takes_no_more_tools():
    device = new()
    device.handle(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    with pytest.raises(RuntimeError, match="is in use"):
        device.tool(name="a", description="x")(lambda: None)
    with pytest.raises(RuntimeError, match="is in use"):
        device.resource("a:b")(lambda: "x")


def test_models_of_pydantic_are_hints():
    pydantic = pytest.importorskip("pydantic")

    class Move(pydantic.BaseModel):
        joint: int = pydantic.Field(ge=0, le=5, description="Which joint.")
        note: str = pydantic.Field(default="", max_length=8)

    device = new()
    got = []

    @device.tool
    def go(move: Move) -> Move:
        """Goes."""
        got.append(move)
        return Move(joint=move.joint + 1)

    assert schema(device, "go").input_schema["properties"]["move"] == {
        "type": "object",
        "properties": {
            "joint": {
                "type": "integer",
                "minimum": 0,
                "maximum": 5,
                "description": "Which joint.",
            },
            "note": {"type": "string", "maxLength": 8, "default": ""},
        },
        "required": ["joint"],
        "additionalProperties": False,
    }
    assert result(device, "go", {"move": {"joint": 2}})["structuredContent"] == {
        "joint": 3,
        "note": "",
    }
    assert got == [Move(joint=2)]
    assert result(device, "go", {"move": {"joint": 6}})["isError"] is True
    # What the function gives is checked as well: 6 is above the maximum.
    found = result(device, "go", {"move": {"joint": 5}})
    assert found["isError"] is True
    assert "joint" in found["content"][0]["text"]
    assert got[1:] == [Move(joint=5)]


# Results


@dataclass
class Temp:
    celsius: Annotated[float, Unit("celsius")]
    note: Optional[str] = None


def returning(hint, value):
    device = new()

    def tool():
        """Gives."""
        if isinstance(value, Exception):
            raise value
        return value

    if hint is not Ellipsis:
        tool.__annotations__["return"] = hint
    device.tool(tool)
    return device


@pytest.mark.parametrize(
    ("hint", "value", "structured", "text"),
    [
        (str, "on", None, "on"),
        (None, None, None, "done"),
        (float, 2.5, {"result": 2.5}, '{"result":2.5}'),
        (Annotated[int, Range(0)], 2**63, {"result": 2**63}, '{"result":9223372036854775808}'),
        (bool, True, {"result": True}, '{"result":true}'),
        (Mode, Mode.SLOW, {"result": "slow"}, '{"result":"slow"}'),
        (List[int], [1, 2], {"result": [1, 2]}, '{"result":[1,2]}'),
        (Temp, Temp(2.5), {"celsius": 2.5}, '{"celsius":2.5}'),
        (Box, {"width": 3}, {"width": 3}, '{"width":3}'),
        (dict, {"a": [1, None]}, {"a": [1, None]}, '{"a":[1,null]}'),
        (Ellipsis, {"a": 1}, {"a": 1}, '{"a":1}'),
        (Ellipsis, "on", None, "on"),
        (Ellipsis, Temp(2.5, "x"), {"celsius": 2.5, "note": "x"}, '{"celsius":2.5,"note":"x"}'),
    ],
)
def test_what_a_function_returns_is_the_result(hint, value, structured, text):
    found = result(returning(hint, value), "tool")
    assert found.get("structuredContent") == structured
    assert found["content"] == [{"type": "text", "text": text}]
    assert "isError" not in found


def test_the_output_schema_comes_from_the_hint():
    assert schema(returning(Temp, Temp(1.0)), "tool").output_schema == {
        "type": "object",
        "properties": {
            "celsius": {"type": "number", "description": "Unit: celsius."},
            "note": {"type": "string"},
        },
        "required": ["celsius"],
        "additionalProperties": False,
    }
    hint = Annotated[float, Range(0, 1), Unit("bar"), "The pressure."]
    assert schema(returning(hint, 0.5), "tool").output_schema["properties"] == {
        "result": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "The pressure. Unit: bar.",
        }
    }
    assert schema(returning(str, "x"), "tool").output_schema is None


@pytest.mark.parametrize(
    ("hint", "value", "words"),
    [
        (float, float("nan"), "not a finite number"),
        (float, float("inf"), "not a finite number"),
        (float, "warm", 'result: "warm" is not a number'),
        (Annotated[float, Range(0, 1)], 1.5, "result: 1.5 is above the maximum 1"),
        (Temp, {"kelvin": 1}, "kelvin"),
        (int, 2**64, "an integer beyond 64 bits"),
        (dict, {1: 2}, "a key that is no str"),
        (dict, {"a": {1, 2}}, "a set, which is no JSON"),
        (str, "\ud800", "surrogates not allowed"),
        (str, "x" * 70_000, "the result needs 70003 bytes, this device has room for 65535"),
        (float, ValueError("the sensor is off"), "the sensor is off"),
        (float, KeyError(), "KeyError"),
        (float, ToolError("the door is open"), "the door is open"),
    ],
)
def test_a_result_that_cannot_be_sent_is_a_failure_with_the_reason(hint, value, words):
    found = result(returning(hint, value), "tool")
    assert found["isError"] is True
    assert words in found["content"][0]["text"]
    text = json.dumps(found)
    assert "structuredContent" not in text
    assert "Traceback" not in text and "File " not in text and "NaN" not in text


def test_a_result_that_contains_itself_ends():
    loop: List[Any] = []
    loop.append(loop)
    assert result(returning(dict, {"a": loop}), "tool")["isError"] is True


def test_what_was_not_raised_on_purpose_is_logged_with_its_traceback(caplog):
    result(returning(float, ValueError("the sensor is off")), "tool")
    assert "ValueError: the sensor is off" in caplog.text and "Traceback" in caplog.text
    caplog.clear()
    result(returning(float, ToolError("the door is open")), "tool")
    assert caplog.text == ""


def test_parts_of_a_result():
    parts = [
        "beside",
        agentmote.Image(b"\x89PNG"),
        agentmote.Audio(b"RIFF"),
        agentmote.Link("device://a", "a"),
        agentmote.Embedded("device://b", "text", "text/plain"),
        agentmote.Embedded("device://c", b"\x00"),
        agentmote.Text("last"),
    ]
    assert result(returning(Ellipsis, parts), "tool")["content"] == [
        {"type": "text", "text": "beside"},
        {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "device://a", "name": "a"},
        {
            "type": "resource",
            "resource": {"uri": "device://b", "mimeType": "text/plain", "text": "text"},
        },
        {"type": "resource", "resource": {"uri": "device://c", "blob": "AA=="}},
        {"type": "text", "text": "last"},
    ]
    one = result(returning(agentmote.Image, agentmote.Image(b"")), "tool")
    assert one["content"] == [{"type": "image", "data": "", "mimeType": "image/png"}]


def test_an_interrupt_inside_a_handler_reaches_who_drives_the_device():
    device = new()

    @device.tool
    def stop() -> None:
        """Stops."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(device, "stop", {})
    # The next message works.
    assert device.handle(b'{"jsonrpc":"2.0","id":1,"method":"ping"}') != b""


def test_a_handler_that_calls_its_own_device_is_told_so():
    device = new()

    @device.tool
    def inner() -> str:
        """Calls itself."""
        return device.handle(b'{"jsonrpc":"2.0","id":1,"method":"ping"}').decode()

    found = result(device, "inner")
    assert found["isError"] is True
    assert "a handler cannot call the device that is calling it" in found["content"][0]["text"]


# Calls that take their time


def slow_device(clock=None):
    device = agentmote.Device("slow", clock=clock)
    ended = []

    @device.tool
    async def sleeps(seconds: float, call: agentmote.Call) -> str:
        """Sleeps."""
        try:
            for step in range(4):
                call.progress(step + 1, 4)
                await asyncio.sleep(seconds / 4)
            return f"{call.now:g}"
        finally:
            ended.append("sleeps")

    @device.tool
    def yields(seconds: float):
        """Yields."""
        try:
            for step in range(4):
                yield agentmote.Progress(step + 1, 4)
                yield seconds / 4
            return "over"
        finally:
            ended.append("yields")

    @device.tool
    def quick() -> str:
        """Answers at once."""
        return "quick"

    return device, ended


@pytest.mark.parametrize("name", ["sleeps", "yields"])
def test_a_call_that_takes_its_time_tells_its_progress(name):
    clock = agentmote.Clock(virtual=True)
    device, ended = slow_device(clock)
    *notes, answer = call(device, name, {"seconds": 100}, progressToken="t")
    assert [note["params"] for note in notes] == [
        {"progressToken": "t", "progress": step, "total": 4} for step in (1, 2, 3, 4)
    ]
    assert answer["result"]["content"][0]["text"] in ("100", "over")
    # A hundred seconds of the device, and none of this machine.
    assert 100 <= clock.now() < 100.1
    assert ended == [name]


@pytest.mark.parametrize("name", ["sleeps", "yields"])
def test_a_call_without_a_token_tells_no_progress(name):
    device, _ = slow_device(agentmote.Clock(virtual=True))
    assert len(call(device, name, {"seconds": 1})) == 1


@pytest.mark.parametrize("name", ["sleeps", "yields"])
def test_a_call_that_is_given_up_is_ended(name):
    device, ended = slow_device(agentmote.Clock(virtual=True))
    peer = device.connection()
    begin = {
        "jsonrpc": "2.0",
        "id": 9,
        "method": "tools/call",
        "params": {"name": name, "arguments": {"seconds": 10}, "_meta": META},
    }
    cancel = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 9},
    }
    for message in (begin, cancel):
        line = json.dumps(message).encode() + b"\n"
        assert peer.receive(line) == len(line)
        assert peer.poll() == b""
    assert ended == [name]
    assert peer.wait() is None


@pytest.mark.parametrize("name", ["sleeps", "yields"])
def test_a_call_that_is_too_slow_is_given_up(name):
    device, ended = slow_device(agentmote.Clock(virtual=True))
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": {"seconds": 10}, "_meta": META},
    }
    with pytest.raises(TimeoutError, match="no answer within 2.5 s"):
        device.handle(json.dumps(message).encode(), timeout=2.5)
    assert ended == [name]
    assert result(device, "quick")["content"][0]["text"] == "quick"


def test_others_are_served_while_a_call_takes_its_time():
    device, _ = slow_device()
    answers = []
    with agentmote.connect(device) as slow, agentmote.connect(device) as quick:
        thread = threading.Thread(
            target=lambda: answers.append(slow.call("sleeps", seconds=0.3).text)
        )
        thread.start()
        while thread.is_alive():
            answers.append(quick.call("quick").text)
        thread.join()
    assert len(answers) > 3 and answers[:2] == ["quick", "quick"]


def test_an_async_tool_works_inside_a_running_loop():
    device, _ = slow_device(agentmote.Clock(virtual=True))

    async def main():
        loop = asyncio.get_running_loop()
        answer = call(device, "sleeps", {"seconds": 1})[-1]
        assert asyncio.get_running_loop() is loop
        return answer

    assert asyncio.run(main())["result"]["content"][0]["text"] == "1"


def test_an_async_tool_may_wait_for_a_thread():
    device = new()

    @device.tool
    async def works() -> int:
        """Works."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, lambda: 42)

    assert result(device, "works")["structuredContent"] == {"result": 42}


def test_exceptions_of_calls_that_take_their_time():
    device = new()

    @device.tool
    async def fails() -> None:
        """Fails."""
        await asyncio.sleep(0.001)
        raise ToolError("too hot")

    @device.tool
    def breaks():
        """Breaks."""
        yield 0.001
        raise ToolError("too cold")

    @device.tool
    def odd():
        """Yields what it must not."""
        yield "soon"

    assert result(device, "fails")["content"][0]["text"] == "too hot"
    assert result(device, "breaks")["content"][0]["text"] == "too cold"
    found = result(device, "odd")
    assert found["isError"] and "yields seconds, Progress or None" in found["content"][0]["text"]


def test_a_plain_function_has_no_progress():
    device = new()

    @device.tool
    def plain(call: agentmote.Call) -> None:
        """Tells."""
        call.progress(1)

    assert "call" not in schema(device, "plain").input_schema["properties"]
    assert "make it async" in result(device, "plain")["content"][0]["text"]


def test_the_places_for_calls_are_counted():
    device, _ = slow_device(agentmote.Clock(virtual=True))
    lines = b"".join(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": at,
                "method": "tools/call",
                "params": {"name": "yields", "arguments": {"seconds": 1}, "_meta": META},
            }
        ).encode()
        + b"\n"
        for at in range(17)
    )
    answers = [json.loads(line) for line in device.handle(lines).splitlines()]
    assert len(answers) == 17
    assert answers[0]["id"] == 16
    text = answers[0]["result"]["content"][0]["text"]
    assert text == "busy: 16 calls in flight, which is the limit"
    assert all("isError" not in answer["result"] for answer in answers[1:])


# Resources


def resources():
    device = new()

    @device.resource("device://rig/text")
    def text() -> str:
        """A text."""
        return "é"

    @device.resource("device://rig/bytes", name="raw", mime="image/png")
    def data() -> bytes:
        return b"\x89"

    @device.resource("device://rig/data")
    def mapping() -> dict:
        return {"celsius": 24.5, "mode": Mode.FAST}

    @device.resource("device://rig/{joint}/angle")
    def angle(joint: str) -> Optional[Dict[str, str]]:
        return {"joint": joint} if joint == "3" else None

    @device.resource("device://rig/broken")
    def broken() -> str:
        raise ToolError("no bus")

    return device


def test_resources_are_listed_and_read():
    with agentmote.connect(resources()) as client:
        found = {resource.name: resource for resource in client.resources()}
        assert [(one.name, one.mime, one.template) for one in found.values()] == [
            ("text", "text/plain", False),
            ("raw", "image/png", False),
            ("mapping", "application/json", False),
            ("broken", "text/plain", False),
            ("angle", "application/json", True),
        ]
        assert found["text"].description == "A text."
        assert client.read("device://rig/text") == "é"
        assert client.read("device://rig/bytes") == b"\x89"
        assert client.read("device://rig/data") == {"celsius": 24.5, "mode": "fast"}
        assert client.read("device://rig/3/angle") == {"joint": "3"}
        with pytest.raises(agentmote.ProtocolError, match="-32602"):
            client.read("device://rig/4/angle")
        with pytest.raises(agentmote.ProtocolError, match="no bus"):
            client.read("device://rig/broken")


def test_a_device_without_resources_does_not_offer_them():
    with agentmote.connect(bench_arm()[0]) as client:
        assert "resources" not in client.capabilities
        assert client.resources() == []


def test_resources_that_break_a_rule_are_refused():
    device = new()
    with pytest.raises(TypeError, match=r"the function takes \[\], the URI has \['a'\]"):
        device.resource("x:{a}")(lambda: "")
    with pytest.raises(ValueError, match="a URI has no scheme"):
        device.resource("nowhere", name="a")(lambda: "")
    device.resource("x:y", name="a")(lambda: "")
    with pytest.raises(ValueError, match="two resources have the same URI"):
        device.resource("x:y", name="b")(lambda: "")


# Names and memory


def test_a_device_that_is_gone_frees_what_it_had():
    import gc
    import weakref

    device, _ = bench_arm()
    device.handle(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    seen = weakref.ref(device)
    del device
    gc.collect()
    assert seen() is None


def test_a_device_whose_handler_holds_it_is_freed_too():
    import gc
    import weakref

    def make():
        device = new()

        @device.tool
        def me() -> str:
            """Names its device."""
            return device.name

        @device.resource("device://rig/me")
        def read() -> str:
            return device.name

        assert result(device, "me")["content"][0]["text"] == "rig"
        return weakref.ref(device)

    seen = [make() for _ in range(10)]
    gc.collect()
    assert [one() for one in seen] == [None] * 10


def test_a_handler_that_holds_its_device_lives_as_long_as_its_peers():
    import gc

    def peer():
        device = new()
        held = {"name": "rig"}

        @device.tool
        def me() -> str:
            """Names its device."""
            return held["name"] + device.name

        return device.connection(), device.serving()

    connection, served = peer()
    gc.collect()
    params = {"name": "me", "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    connection.receive(json.dumps(message).encode() + b"\n")
    assert b"rigrig" in connection.poll()
    with served, agentmote.connect(served.url) as client:
        gc.collect()
        assert client.call("me").text == "rigrig"


def test_a_connection_keeps_its_device():
    import gc

    device, moves = bench_arm()
    client = agentmote.connect(device)
    del device
    gc.collect()
    client.call("arm_move", joint=1, deg=2)
    assert moves == [(1, 2.0, 20)]


@pytest.mark.skipif(sys.version_info < (3, 10), reason="`int | None` is of 3.10")
def test_hints_may_be_texts_and_new_unions():
    device = new()
    space = {"device": device}
    exec(
        "from __future__ import annotations\n"
        "@device.tool\n"
        "def f(a: int | None = None, b: 'float' = 1.5) -> dict[str, float] | None:\n"
        "    'F.'\n"
        "    return {'a': a or 0, 'b': b}\n",
        space,
    )
    assert result(device, "f", {"a": 2})["structuredContent"] == {"a": 2, "b": 1.5}
