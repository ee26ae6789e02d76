"""Bytes in, bytes out (C-89): what can be offered, from where, and what comes
back."""

import json
import pydoc
import threading

import pytest

import agentmote

PING = b'{"jsonrpc":"2.0","id":7,"method":"ping"}'
PONG = b'{"jsonrpc":"2.0","id":7,"result":{}}\n'
HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def device():
    device = agentmote.Device("rig")

    @device.tool
    def echo(n: int) -> int:
        """Gives the number back."""
        return n

    return device


def echo(n):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "echo", "arguments": {"n": n}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}
    return json.dumps(message).encode()


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_whatever_has_bytes_is_taken(device, kind, end):
    assert device.handle(kind(PING + end)) == PONG


def test_a_view_with_gaps_is_taken_too(device):
    doubled = bytes(byte for byte in PING for _ in range(2))
    assert device.handle(memoryview(doubled)[::2]) == PONG


@pytest.mark.parametrize("wrong", [PING.decode(), None, 7, [PING], object()])
def test_what_has_no_bytes_is_a_type_error(device, wrong):
    with pytest.raises(TypeError):
        device.handle(wrong)
    with pytest.raises(TypeError):
        device.connection().receive(wrong)
    assert device.handle(PING) == PONG


def test_bad_bytes_give_an_answer_and_no_exception(device):
    for bad in (b"\xff\n", b"\xff", b"{", b"\x00\n", b'"\xed\xa0\x80"'):
        answer = json.loads(device.handle(bad))
        assert answer["error"]["code"] == -32700
        assert device.handle(PING) == PONG


def test_nothing_gives_nothing(device):
    for nothing in (b"", b"\n", b"\r\n\r\n", b'{"jsonrpc":"2.0","method":"notifications/x"}'):
        assert device.handle(nothing) == b""


def test_several_lines_are_answered_in_order(device):
    answers = device.handle(b"\n".join(echo(n) for n in range(50)))
    assert [json.loads(line)["id"] for line in answers.splitlines()] == list(range(50))


def test_a_line_that_is_too_long_is_refused_and_the_next_works(device):
    long = b'{"jsonrpc":"2.0","id":1,"method":"%s"}\n' % (b"x" * 70_000)
    first, second = device.handle(long + PING).splitlines(keepends=True)
    assert json.loads(first)["error"]["code"] == -32600
    assert second == PONG


def test_a_handshake_holds_for_the_next_call(device):
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    assert json.loads(device.handle(json.dumps(message).encode()))["result"]
    listed = json.loads(device.handle(b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}'))
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["echo"]
    # Another peer has shaken no hands.
    peer = device.connection()
    peer.receive(b'{"jsonrpc":"2.0","id":3,"method":"tools/list"}\n')
    assert json.loads(peer.poll())["error"]["code"] == -32602


def test_threads_at_once_each_get_their_own_answer(device):
    wrong = []

    def work(start):
        for n in range(start, start + 500):
            answer = json.loads(device.handle(echo(n)))
            if answer["id"] != n or answer["result"]["structuredContent"] != {"result": n}:
                wrong.append((n, answer))

    threads = [threading.Thread(target=work, args=(at * 1000,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert wrong == []


def test_threads_with_peers_of_their_own(device):
    wrong = []

    def work(start):
        peer = device.connection()
        for n in range(start, start + 300):
            line = echo(n) + b"\n"
            assert peer.receive(line) == len(line)
            answer = json.loads(peer.poll())
            if answer["id"] != n:
                wrong.append(answer)

    threads = [threading.Thread(target=work, args=(at * 1000,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert wrong == []


def test_one_request_of_http(device):
    request = HEAD + b"Content-Length: %d\r\n\r\n" % len(PING) + PING
    answer = device.handle(request, http=True)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.splitlines()[0] == b"HTTP/1.1 200 OK"
    assert body == PONG.rstrip()
    # And the next, from a connection that is as new.
    assert device.handle(request, http=True) == answer


def test_http_that_is_none_gets_an_answer(device):
    assert device.handle(b"\xff\r\n\r\n", http=True).startswith(b"HTTP/1.1 400 ")
    assert device.handle(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", http=True).startswith(
        b"HTTP/1.1 405 "
    )


def test_http_for_another_host_is_refused(device):
    request = HEAD.replace(b"localhost", b"evil.example") + b"Content-Length: 0\r\n\r\n"
    assert device.handle(request, http=True).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize("cut", [1, 30, len(HEAD), len(HEAD) + 30])
def test_http_that_is_not_complete_is_an_error(device, cut):
    request = HEAD + b"Content-Length: %d\r\n\r\n" % len(PING) + PING
    with pytest.raises(ValueError, match="not complete"):
        device.handle(request[:cut], http=True)
    assert device.handle(request, http=True).startswith(b"HTTP/1.1 200 ")


def test_help_tells_what_the_stub_tells():
    text = pydoc.render_doc(agentmote.Device.handle, renderer=pydoc.plaintext)
    assert "handle(self, data: 'Bytes', *, http: 'bool' = False" in text
    assert "bytes in, bytes out" in text
    text = pydoc.render_doc(agentmote.Connection, renderer=pydoc.plaintext)
    for name in ("receive", "poll", "wait", "reset", "closed", "idle"):
        assert name in text


def test_a_clock_that_is_not_virtual_cannot_be_moved():
    with pytest.raises(RuntimeError, match="only a virtual clock"):
        agentmote.Clock().advance(1)
    clock = agentmote.Clock(virtual=True)
    for wrong in (-1, float("nan"), float("inf"), 1e10):
        with pytest.raises(ValueError, match="cannot advance"):
            clock.advance(wrong)
    clock.advance(0.0001)
    assert clock.now() == 0.001
