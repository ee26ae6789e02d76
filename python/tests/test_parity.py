"""The bench arm in Python answers what the firmware answers, byte for byte:
some thousand messages, good and bad, cut anywhere, on one clock.

The simulated arm is the code of the firmware. The traffic is that of
`tests/c/tests/parity.rs`, which compares the arm in C in the same way.
"""

from __future__ import annotations

import json
import pathlib
import random
import sys
from typing import List

import pytest

import agentmote
from agentmote import sim

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "examples"))

import bench_arm  # noqa: E402

MESSAGES = 4000

REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "1999-01-01"]
CAPABILITIES = ["{}", '{"elicitation":{}}', '{"elicitation":{}}']
RESPONSES = [
    '{"action":"accept","content":{"confirm":true}}',
    '{"action":"accept","content":{"confirm":true}}',
    '{"action":"accept","content":{"confirm":false}}',
    '{"action":"accept","content":{"confirm":1}}',
    '{"action":"decline"}',
    "{}",
]
VALUES = [
    "0", "1", "5", "6", "-1", "2.0", "2.5", "90", "-90", "90.0001", "-0.0005", "1e2", "1e400",
    "7", "100", "101", "18446744073709551615", "0.1234567890123456789012345", '"x"', '""',
    "true", "false", "null", "[]", "{}", "[1,2]", '{"joint":1}', '"h\\u00e9llo"',
    '"\\ud83d\\ude00"', '"a\\u0000b"', '"01234567890123456789012345678901"',
    '"012345678901234567890123456789012"', '"\U0001f600é"',
]  # fmt: skip
NAMES = ["joint", "deg", "speed", "text", "extra", "j\\u006fint", ""]
TOOLS = ["arm_move"] * 3 + ["arm_home", "arm_stop", "note_set", "temp_read", "arm_\\u006dove", "nope"]
METHODS = [
    "ping", "tools/list", "server/discover", "resources/list", "resources/templates/list",
    "prompts/list", "logging/setLevel", "nope", "tools/call",
]  # fmt: skip
GARBAGE = ["", " ", "garbage", "{", "[]", '{"jsonrpc":"2.0"}', "\x01", "[" * 36, '"\\u00']
POSE = "device://bench-arm/pose"


class Traffic:
    """Messages by chance; some answer what was asked before."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.state = "none"

    def learn(self, answer: bytes) -> None:
        """Remembers the state that the last question went out with."""
        _, found, rest = answer.rpartition(b'"requestState":"')
        if found:
            self.state = rest.partition(b'"')[0].decode()

    def one(self, of: List[str]) -> str:
        return self.dice.choice(of)

    def arguments(self) -> str:
        dice = self.dice
        kind = dice.randrange(6)
        if kind == 0:
            return f'{{"joint":{dice.randrange(6)},"deg":{dice.randrange(181) - 90}}}'
        if kind == 1:
            deg = f"{dice.randrange(90)}.{dice.randrange(100_000)}"
            speed = dice.randrange(100) + 1
            return f'{{"joint":{dice.randrange(6)},"deg":{deg},"speed":{speed}}}'
        if kind == 2:
            return f'{{"text":{self.one(VALUES)}}}'
        if kind == 3:
            return "{}"
        count = dice.randrange(5)
        return "{" + ",".join(f'"{self.one(NAMES)}":{self.one(VALUES)}' for _ in range(count)) + "}"

    def id(self) -> str:
        kind = self.dice.randrange(8)
        if kind == 0:
            return f'"s-{self.dice.randrange(8)}"'
        if kind == 1:
            return self.one(["null", "1.5", "-7", '""', "9007199254740993"])
        return str(self.dice.randrange(16))

    def meta(self) -> str:
        parts = []
        if self.dice.randrange(3) == 0:
            parts.append('"progressToken":' + self.one(["1", '"t"', '"u"', "null", "[]"]))
        if self.dice.randrange(2) == 0:
            parts.append(
                f'"io.modelcontextprotocol/protocolVersion":"{self.one(REVISIONS)}",'
                '"io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},'
                f'"io.modelcontextprotocol/clientCapabilities":{self.one(CAPABILITIES)}'
            )
        return '"_meta":{' + ",".join(parts) + "}"

    def message(self) -> str:
        dice, own, meta = self.dice, self.id(), self.meta()

        def request(method: str, params: str) -> str:
            return f'{{"jsonrpc":"2.0","id":{own},"method":"{method}","params":{{{params}}}}}'

        zone = '"name":"arm_move","arguments":{"joint":0,"deg":-70},'
        kind = dice.randrange(24)
        if kind == 0:
            return request(
                "initialize",
                f'"protocolVersion":"{self.one(REVISIONS)}","capabilities":'
                f'{self.one(CAPABILITIES)},"clientInfo":{{"name":"t","version":"0"}}',
            )
        if kind == 1:
            return '{"jsonrpc":"2.0","method":"notifications/initialized"}'
        if kind == 2:
            return (
                '{"jsonrpc":"2.0","method":"notifications/cancelled","params":'
                f'{{"requestId":{own}}}}}'
            )
        if kind == 3:
            return request(self.one(METHODS), meta)
        if kind == 4:
            uri = self.one([POSE, "device://bench-arm/temperature", "device://bench-arm/x", ""])
            return request("resources/read", f'"uri":"{uri}",{meta}')
        if kind == 5:
            return self.one(GARBAGE)
        if kind == 6:
            return "x" * dice.randrange(3000)
        if kind == 7:
            return "[" + ",".join(self.message() for _ in range(dice.randrange(4))) + "]"
        if kind == 8:
            return request("tools/call", zone + meta)
        if kind == 9:
            answers = f'"inputResponses":{{"zone":{self.one(RESPONSES)}}}'
            return request("tools/call", f'{zone}{answers},"requestState":"{self.state}",{meta}')
        if kind == 10:
            answer = self.one(RESPONSES)
            return f'{{"jsonrpc":"2.0","id":{dice.randrange(40)},"result":{answer}}}'
        if kind == 11:
            method = self.one(
                ["resources/subscribe"] * 2 + ["resources/unsubscribe", "subscriptions/listen"]
            )
            wanted = f'"notifications":{{"resourceSubscriptions":["{POSE}"]}}'
            return request(method, f'"uri":"{POSE}",{wanted},{meta}')
        arguments = self.arguments()
        return request(
            "tools/call", f'"name":"{self.one(TOOLS)}","arguments":{arguments},{meta}'
        )

    def bytes(self) -> bytes:
        """A message, sometimes with a byte that another one stands for."""
        data = bytearray(self.message().encode())
        if data and self.dice.randrange(12) == 0:
            data[self.dice.randrange(len(data))] = self.dice.randrange(256)
        return bytes(data)

    def http(self) -> bytes:
        body = self.message().encode()
        version = self.one([f"MCP-Protocol-Version: {self.one(REVISIONS)}\r\n", ""])
        if self.dice.randrange(4):
            # As the body says, so that more of it is served.
            version = headers(body)
        length = self.one(["Content-Length"] * 3 + ["X-Length"])
        head = (
            f"{self.one(['POST'] * 5 + ['GET', 'DELETE'])} {self.one(['/mcp'] * 5 + ['/x'])} "
            f"HTTP/1.{self.one(['1', '1', '1', '0'])}\r\n"
            f"Host: {self.one(['localhost', '127.0.0.1:80', '[::1]:8', 'evil.example'])}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"{version}{length}: {len(body)}\r\n\r\n"
        )
        data = bytearray(head.encode() + body)
        if self.dice.randrange(12) == 0:
            data[self.dice.randrange(len(data))] = self.dice.randrange(256)
        return bytes(data)


def headers(body: bytes) -> str:
    """The headers of the modern era that belong to a message."""
    try:
        message = json.loads(body)
        params = message["params"]
        version = params["_meta"]["io.modelcontextprotocol/protocolVersion"]
    except (ValueError, KeyError, TypeError):
        return ""
    name = params.get("name") or params.get("uri") or ""
    found = f"MCP-Protocol-Version: {version}\r\nMcp-Method: {message['method']}\r\n"
    return found + (f"Mcp-Name: {name}\r\n" if name else "")


class Both:
    """Two arms, and a connection to each; what one does the other does."""

    def __init__(self, framing: str) -> None:
        self.framing = framing
        self.arms = [sim.BenchArm(), bench_arm.bench_arm(agentmote.Clock(virtual=True))]
        self.open()

    def open(self) -> None:
        self.ends = [arm.connection(self.framing) for arm in self.arms]

    def receive(self, data: bytes) -> int:
        first, second = (end.receive(data) for end in self.ends)
        assert first == second
        return first

    def poll(self, what: str) -> bytes:
        first, second = (end.poll() for end in self.ends)
        assert first == second, what
        return first

    def wait(self) -> "float | None":
        first, second = (end.wait() for end in self.ends)
        assert first == second
        return first

    def advance(self, seconds: float) -> None:
        for arm in self.arms:
            arm.clock.advance(seconds)

    def closed(self) -> bool:
        first, second = (end.closed for end in self.ends)
        assert first == second
        return first

    def reset(self) -> None:
        for end in self.ends:
            end.reset()


EXPECTED = [
    "notifications/progress",
    "is above the maximum",
    "the joint is at its target",
    "the joint was stopped on its way",
    "structuredContent",
    "elicitation/create",
    "input_required",
    "the user refused the move",
    "notifications/resources/updated",
    '"contents":[',
    "Parse error",
]
"""What shows that it was no monologue."""


def test_lines_are_answered_alike():
    both, traffic, said = Both("lines"), Traffic(0x5EED_0001), bytearray()
    dice = traffic.dice
    for number in range(MESSAGES):
        data = traffic.bytes() + b"\n"
        rest, idle = data, 0
        while idle < 2:
            part = 1 + dice.randrange(7) if dice.randrange(9) == 0 else len(rest)
            taken = both.receive(rest[:part])
            rest = rest[taken:]
            answer = both.poll(f"message {number}: {data!r}")
            traffic.learn(answer)
            said += answer
            idle = 0 if taken or answer else idle + 1
            if idle and rest:
                both.advance(0.001)
                idle = 0
            both.wait()
        kind = dice.randrange(4)
        both.advance(dice.randrange(1000) / 1000 if kind == 0 else dice.randrange(30) / 1000 if kind == 1 else 0)
        if dice.randrange(200) == 0:
            both.reset()
    text = said.decode(errors="replace")
    assert len(said) > 300_000
    assert [what for what in EXPECTED if what not in text] == []


def test_requests_are_answered_alike():
    both, traffic, said = Both("http"), Traffic(0x5EED_0002), bytearray()
    dice = traffic.dice
    for number in range(MESSAGES):
        data = traffic.http()
        rest, left = data, 400
        while left:
            part = 1 + dice.randrange(90) if dice.randrange(9) == 0 else len(rest)
            taken = both.receive(rest[:part])
            rest = rest[taken:]
            answer = both.poll(f"request {number}: {data!r}")
            traffic.learn(answer)
            said += answer
            left -= 1
            wait = both.wait()
            if not taken and not answer:
                if wait is None or not dice.randrange(20):
                    break
                both.advance((1 + dice.randrange(200)) / 1000)
        if both.closed() or rest or not dice.randrange(20):
            both.reset()
            for _ in range(1000):
                both.advance(0.1)
                both.poll("the end")
                if both.closed():
                    break
            both.open()
    text = said.decode(errors="replace")
    assert len(said) > 200_000
    # One request after the other: nobody stops what another one has begun.
    wanted = ["notifications/progress", "is above the maximum", "the joint is at its target"]
    wanted += ["structuredContent", '"contents":[', "Parse error"]
    assert [what for what in wanted if what not in text] == []


@pytest.mark.parametrize("seed", [1])
def test_the_traffic_is_the_same_each_time(seed):
    one, other = Traffic(seed), Traffic(seed)
    assert [one.bytes() for _ in range(50)] == [other.bytes() for _ in range(50)]
    json.dumps(one.message())
