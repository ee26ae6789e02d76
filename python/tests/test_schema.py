"""`assert_schema_enforced` finds devices that do not keep their word."""

import json
from dataclasses import dataclass
from typing import Annotated, List, Literal, Optional

import pytest

import agentmote
from agentmote import Length, Range, sim
from agentmote.schema import SchemaNotEnforced, assert_schema_enforced, cases


@dataclass
class Place:
    x: Annotated[float, Range(-1.5, 1.5)]
    tags: Annotated[List[Literal["a", "b"]], Length(1, 3)]


def rig():
    device = agentmote.Device("rig")

    @device.tool
    def all_kinds(
        flag: bool,
        whole: Annotated[int, Range(-3, 7)],
        text: Annotated[str, Length(2, 4)],
        mode: Literal["slow", "fast"],
        places: Annotated[List[Place], Length(0, 2)],
        rest: Optional[int] = None,
    ) -> None:
        """Takes all kinds of parameters."""
        raise AssertionError("it has acted")

    return device


def test_a_device_of_every_kind_of_parameter_keeps_its_word():
    device = rig()
    assert assert_schema_enforced(device) > 90
    assert device._native.runs == 0


def test_the_same_over_a_client_and_in_both_eras():
    for era in ("modern", "legacy"):
        with agentmote.connect(rig(), era=era) as client:
            assert assert_schema_enforced(client) > 90


def test_each_limit_is_tried_on_it_below_it_and_above_it():
    with agentmote.connect("sim") as client:
        tool = client.tools()[0]
    tried = {(case.what, case.right) for case in cases(tool)}
    for what, right in [
        ("joint: the minimum 0", "joint"),
        ("joint: the maximum 5", "joint"),
        ("joint: below the minimum 0", None),
        ("joint: above the maximum 5", None),
        ("joint: a number with a fraction", None),
        ("joint: a text", None),
        ("joint: null", None),
        ("deg: above the maximum 90", None),
        ("without joint", None),
        ("joint written JOINT", None),
        ("one member too many", None),
    ]:
        assert (what, right) in tried
    values = [case.arguments.get("deg") for case in cases(tool)]
    assert 90.00000000000001 in values


class Fake(agentmote.LineTransport):
    """A device whose check is a function of the arguments; it gives the text
    of a refusal, or None."""

    SCHEMA = {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 5}},
        "required": ["n"],
        "additionalProperties": False,
    }

    def __init__(self, check):
        self.check = check
        self.acted = 0
        self.out = b""

    def write(self, data):
        message = json.loads(data)
        if "id" not in message:
            return
        result = {"content": []}
        if message["method"] == "server/discover":
            result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        elif message["method"] == "tools/list":
            result = {"tools": [{"name": "t", "inputSchema": self.SCHEMA}]}
        else:
            told = self.check(self, message["params"]["arguments"])
            if told is not None:
                result = {"content": [{"type": "text", "text": told}], "isError": True}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        self.out += json.dumps(answer).encode() + b"\n"

    def read(self, timeout):
        out, self.out = self.out, b""
        return out

    def close(self):
        pass


def right(_, given):
    wrong = [f"{name}: unknown" for name in given if name != "n"]
    n = given.get("n", "missing")
    if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= 5:
        wrong.append(f"n: {n}")
    return "; ".join(wrong) or None


def acts(fake, given):
    fake.acted += 1
    return right(fake, given)


def lenient(fake, given):
    told = right(fake, {**given, "n": int(given["n"])} if given.get("n") == "7" else given)
    return told


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (lambda fake, given: None, "it was not refused"),
        (lambda fake, given: "no", "is not named in 'no'"),
        (lambda fake, given: right(fake, {"n": 0, **given}), "without n"),
        (lambda fake, given: None if given.get("n") == 6 else right(fake, given), "above the max"),
        (lambda fake, given: None if given.get("n") == "7" else right(fake, given), "a text"),
        (lambda fake, given: None if given.get("n") is True else right(fake, given), "a boolean"),
        (
            lambda fake, given: "n: 5; not-advertised" if given.get("n") == 5 else right(fake, given),
            "a value that is allowed is refused",
        ),
        (acts, "refused, and yet it has acted"),
    ],
)
def test_a_device_that_breaks_its_word_is_found(check, words):
    fake = Fake(check)
    with agentmote.connect(fake) as client:
        with pytest.raises(SchemaNotEnforced, match=words):
            assert_schema_enforced(client, state=lambda: fake.acted)


def test_a_device_that_keeps_its_word_passes():
    fake = Fake(right)
    with agentmote.connect(fake) as client:
        assert assert_schema_enforced(client, state=lambda: fake.acted) > 10


def test_the_simulated_arm_keeps_its_word():
    arm = sim.BenchArm()
    assert assert_schema_enforced(arm) == 54
    assert arm.commands == 0 and arm.note == ""
