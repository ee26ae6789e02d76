"""Whatever arrives: answers, and never an exception, a hang or a call that
nobody made."""

import asyncio
import json
import random
from typing import Annotated, List

import pytest

import agentmote
from agentmote import Length, Range

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


def rig(calls):
    device = agentmote.Device("rig", clock=agentmote.Clock(virtual=True))

    @device.tool
    def plain(n: Annotated[int, Range(0, 9)], words: List[str]) -> List[str]:
        """Plain."""
        calls.append((n, words))
        assert type(n) is int and 0 <= n <= 9
        assert all(isinstance(word, str) for word in words)
        return words

    @device.tool
    async def slow(seconds: Annotated[float, Range(0, 1)]) -> float:
        """Slow."""
        calls.append(seconds)
        assert type(seconds) is float and 0 <= seconds <= 1
        await asyncio.sleep(seconds)
        return seconds

    @device.tool(asks=True)
    def asks(call: agentmote.Call) -> bool:
        """Asks."""
        return call.confirm("Well?")

    @device.resource("device://rig/{name}")
    def read(name: Annotated[str, Length(1)]) -> str:
        """Reads."""
        assert name
        return name

    @device.resource("device://rig/all", subscribable=True)
    def everything() -> str:
        """All."""
        return "all"

    return device


def message(method, number=1, **params):
    given = {"jsonrpc": "2.0", "id": number, "method": method}
    return json.dumps({**given, "params": {**params, "_meta": META}}).encode()


SEEDS = [
    message("tools/call", name="plain", arguments={"n": 3, "words": ["a", "\u00e9\U0001f600"]}),
    message("tools/call", "x", name="slow", arguments={"seconds": 0.5}),
    message("tools/call", name="asks", arguments={}),
    message("resources/read", uri="device://rig/one"),
    message("resources/list"),
    message("resources/templates/list"),
    message("tools/list", cursor="x"),
    message("server/discover"),
    message("subscriptions/listen", notifications={"resourceSubscriptions": ["device://rig/all"]}),
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26",'
    b'"capabilities":{},"clientInfo":{"name":"n","version":"0"}}}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}',
]
PIECES = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\u", b"\\", b"0", b"1e999", b"null", b"-"]
PIECES += [b"\xff", b"\x00", b"\n", b"\r\n", b" ", b"name", b"\xf0\x9f\x98\x80", b"true"]


def spoiled(chance, data):
    data = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            data[at : at + chance.randrange(1, 20)] = b""
        elif kind == 1:
            data[at:at] = chance.choice(PIECES) * chance.choice((1, 1, 40))
        elif kind == 2 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        else:
            data[at:at] = chance.choice(SEEDS)[: chance.randrange(60)]
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_lines_of_noise(seed):
    chance = random.Random(seed)
    calls = []
    device = rig(calls)
    for _ in range(6000):
        data = spoiled(chance, chance.choice(SEEDS))
        answer = device.handle(data, timeout=100)
        for line in answer.splitlines():
            found = json.loads(line)
            assert isinstance(found, (dict, list)), (data, line)
            assert b"Traceback" not in line
    assert calls
    ping = device.handle(b'\n{"jsonrpc":"2.0","id":"last","method":"ping"}')
    assert json.loads(ping.splitlines()[-1]) == {"jsonrpc": "2.0", "id": "last", "result": {}}


@pytest.mark.parametrize("seed", range(4))
def test_http_of_noise(seed):
    chance = random.Random(seed)
    calls = []
    device = rig(calls)
    for _ in range(3000):
        body = chance.choice(SEEDS)
        method = json.loads(body)
        method = method["method"] if isinstance(method, dict) else ""
        head = (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n"
            f"Mcp-Name: {chance.choice(('plain', 'slow', 'asks', 'device://rig/one'))}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        data = head.encode() + body
        if chance.random() < 0.7:
            data = spoiled(chance, data)
        try:
            answer = device.handle(data, http=True, timeout=100)
        except ValueError as error:
            # It wants more bytes than there are.
            assert "not complete" in str(error)
            continue
        assert answer == b"" or answer.startswith(b"HTTP/1.1 "), (data, answer)
        assert b"Traceback" not in answer
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(ping)
    assert device.handle(head + ping, http=True).startswith(b"HTTP/1.1 200 OK\r\n")
