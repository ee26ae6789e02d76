"""The client of agents: what it takes from a peer, and what it refuses."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pathlib
import socket
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Tuple

import pytest

import agentmote
from agentmote import Part, sim

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "examples"))

import bench_arm  # noqa: E402

CARD = {
    "name": "a",
    "supportedInterfaces": [
        {"url": "http://127.0.0.1:PORT/a2a/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    ],
}
Answer = Callable[[str, str, Dict[str, Any]], bytes]
"""Gives the whole answer for a method and path, and what was asked."""


def told(body: Any, status: str = "200 OK", media: str = "application/json") -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


def events(*results: Any) -> bytes:
    lines = b"".join(
        b"data: " + json.dumps({"jsonrpc": "2.0", "id": 1, "result": one}).encode() + b"\n\n"
        for one in results
    )
    return told(lines, media="text/event-stream")


@contextlib.contextmanager
def peer(answer: Answer, card: Any = CARD) -> Iterator[Tuple[str, List[str]]]:
    """A server that says whatever it is told to; gives its URL and what it was
    asked."""
    asked: List[str] = []
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def converse(conn: socket.socket) -> None:
        with conn, conn.makefile("rb") as file:
            while True:
                first = file.readline().decode().split()
                if not first:
                    return
                length = 0
                while True:
                    line = file.readline().strip().lower()
                    if line.startswith(b"content-length:"):
                        length = int(line.partition(b":")[2])
                    if not line:
                        break
                body = file.read(length)
                asked.append(f"{first[0]} {first[1]}")
                if first[0] == "GET":
                    text = json.dumps(card).replace("PORT", str(port))
                    reply = told(text.encode()) if card is not None else told(b"", "404 No")
                else:
                    reply = answer(first[0], first[1], json.loads(body))
                if not reply:
                    return
                conn.sendall(reply)

    def accept() -> None:
        while True:
            try:
                conn, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=converse, args=(conn,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{port}", asked
    finally:
        listener.close()


def result(value: Any) -> Answer:
    return lambda method, path, asked: told({"jsonrpc": "2.0", "id": asked["id"], "result": value})


TASK = {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}


@pytest.mark.parametrize(
    ("card", "error", "words"),
    [
        (None, agentmote.NoAgent, "has no agent card"),
        ([1], agentmote.InvalidAnswer, "no JSON object"),
        ({"name": ""}, agentmote.InvalidAnswer, "has no name"),
        ({"name": "a"}, agentmote.NoAgent, "speaks none that is known"),
        ({"name": "a", "url": "http://evil.example/a2a/"}, agentmote.InvalidAnswer, "evil.example"),
        ({"name": "a", "url": "https://127.0.0.1:PORT/"}, agentmote.InvalidAnswer, "which is not"),
        ({"name": "a", "url": "http://127.0.0.1:1/"}, agentmote.InvalidAnswer, "which is not of"),
        (
            {
                "name": "a",
                "supportedInterfaces": [
                    {
                        "url": "http://127.0.0.1:PORT/",
                        "protocolBinding": "JSONRPC",
                        "protocolVersion": "2.0",
                    }
                ],
            },
            agentmote.NoAgent,
            "the agent speaks 2.0, and not auto",
        ),
    ],
)
def test_a_card_is_not_trusted(card, error, words):
    with peer(result({}), card) as (url, asked):
        with pytest.raises(error, match=words):
            agentmote.connect_agent(url, token="secret")
        assert not any(one.startswith("POST") for one in asked)


def test_a_card_of_the_older_wire_alone():
    card = {"name": "a", "url": "http://127.0.0.1:PORT/x", "protocolVersion": "0.3.0"}
    with peer(result({"kind": "task", **TASK, "status": {"state": "completed"}}), card) as (url, _):
        with agentmote.connect_agent(url) as agent:
            assert (agent.wire, agent.url) == ("0.3", "/x")
            assert agent.send("x").state == "completed"
        with pytest.raises(agentmote.NoAgent, match="speaks 0.3, and not 1.0"):
            agentmote.connect_agent(url, wire="1.0")


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (told(b"{", media="application/json"), agentmote.InvalidAnswer, "no JSON object"),
        (told(b"[]"), agentmote.InvalidAnswer, "no JSON object"),
        (told({}), agentmote.InvalidAnswer, "without a result"),
        (told({"result": 1}), agentmote.InvalidAnswer, "without a result"),
        (told({"result": {"task": {}}}), agentmote.InvalidAnswer, "a task without an id"),
        (told({"result": {"task": {"id": 7}}}), agentmote.InvalidAnswer, "without an id"),
        (told({"error": 1}), agentmote.ProtocolError, r"\(0\)"),
        (told({"error": {"code": -32005, "message": "m"}}), agentmote.ContentRefused, "m"),
        (told({"error": {"code": -32007, "message": "m"}}), agentmote.NotSupported, "m"),
        (told(b"no", "403 No", "text/plain"), agentmote.NotAllowed, "HTTP 403: no"),
        (told(b"x", "500 No", "text/html"), agentmote.InvalidAnswer, "HTTP 500: x"),
        (told(b"", "302 F\r\nLocation: http://evil.example/"), agentmote.InvalidAnswer, "no JSON"),
        (told(b'{"result":' + b"[" * 99999, media="application/json"), agentmote.InvalidAnswer, "no"),
        (
            told({"result": {"task": {**TASK, "artifacts": [{"parts": [{}]}]}}}),
            agentmote.InvalidAnswer,
            "a part has no content",
        ),
        (
            told({"result": {"task": {**TASK, "artifacts": [{"parts": [{"raw": "!"}]}]}}}),
            agentmote.InvalidAnswer,
            "no base64",
        ),
        (b"", agentmote.ConnectionLost, "127.0.0.1"),
        (b"nonsense\r\n\r\n", agentmote.ConnectionLost, "127.0.0.1"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n",
            agentmote.InvalidAnswer,
            "an answer of more than",
        ),
    ],
)
def test_a_bad_answer_is_told_and_the_message_is_not_sent_again(reply, error, words):
    with peer(lambda *_: reply) as (url, asked):
        with agentmote.connect_agent(url) as agent, pytest.raises(error, match=words):
            agent.send("move the arm", timeout=5)
        assert asked.count("POST /a2a/") == 1


def test_odd_members_are_passed_over():
    task = {
        **TASK,
        "kind": "task",
        "news": {"deep": [1]},
        "status": {"state": "TASK_STATE_NEW", "message": None, "timestamp": None},
        "artifacts": None,
        "history": [None, {"parts": [{"text": "x", "weight": 3}]}],
    }
    with peer(result(task)) as (url, _), agentmote.connect_agent(url) as agent:
        found = agent.task("t")
    assert (found.id, found.state, found.ended, found.artifacts) == ("t", "new", False, [])
    assert [message.text for message in found.history] == ["", "x"]


def test_a_stream_that_breaks_is_told():
    working = {"task": {**TASK, "status": {"state": "TASK_STATE_WORKING"}}}
    with peer(lambda *_: events(working)) as (url, asked):
        with agentmote.connect_agent(url) as agent:
            told_of = agent.stream("x")
            assert next(told_of).task.state == "working"
            with pytest.raises(agentmote.ConnectionLost, match="ended while the task was working"):
                next(told_of)
        assert asked.count("POST /a2a/") == 1
    old = [
        {"kind": "task", "id": "t", "contextId": "c", "status": {"state": "working"}},
        {"kind": "artifact-update", "taskId": "t", "artifact": {"artifactId": "1", "parts": [{"kind": "text", "text": "a"}]}},
        {"kind": "artifact-update", "taskId": "t", "append": True, "artifact": {"artifactId": "1", "parts": [{"kind": "file", "file": {"bytes": "aGk=", "mimeType": "m", "name": "n"}}]}},
        {"kind": "status-update", "taskId": "t", "final": True, "status": {"state": "input-required"}},
    ]
    with peer(lambda *_: events(*old)) as (url, _), agentmote.connect_agent(url) as agent:
        last = list(agent.stream("x"))[-1]
    assert (last.kind, last.task.state) == ("status", "input_required")
    assert last.task.artifacts[0].parts == [Part("a"), Part(b"hi", mime="m", filename="n")]


def test_a_kept_connection_that_was_closed_is_opened_before_anything_is_sent():
    count = iter(range(100))

    def answer(method: str, path: str, asked: Dict[str, Any]) -> bytes:
        reply = told({"jsonrpc": "2.0", "id": asked["id"], "result": {"task": TASK}})
        # The peer closes after each answer, and says so to nobody.
        next(count)
        return reply

    with peer(answer) as (url, asked), agentmote.connect_agent(url) as agent:
        for _ in range(3):
            assert agent.send("x").state == "completed"
        assert asked.count("POST /a2a/") == 3


def test_what_cannot_be_sent_is_refused_before():
    with agentmote.connect_agent(sim.BenchArm()) as agent:
        with pytest.raises(ValueError, match="at least one part"):
            agent.send([])
        with pytest.raises(agentmote.ContentRefused):
            agent.send(Part(b"\x00", mime="image/png"), skill="home")
        with pytest.raises(agentmote.ContentRefused):
            agent.send("home", accept=["image/png"])
        with pytest.raises(agentmote.ProtocolError, match="skillId"):
            agent.send("x", skill="none")
        assert agent.tasks() == []
    with pytest.raises(ValueError, match="auto, 1.0 or 0.3"):
        agentmote.connect_agent("sim", wire="2.0")
    with pytest.raises(ValueError, match="an agent is a device"):
        agentmote.connect_agent("tcp:127.0.0.1:1")
    with pytest.raises(agentmote.ConnectionLost):
        agentmote.connect_agent("http://127.0.0.1:9")


def test_lines_have_no_agent(tmp_path):
    script = pathlib.Path(bench_arm.__file__)
    with agentmote.connect(f"stdio:{sys.executable} {script} --stdio") as client:
        with pytest.raises(agentmote.NoAgent, match="A2A does not go over lines"):
            client.send("home")
        assert len(client.tools()) == 5


def test_a_client_sends_to_the_agent_beside_the_tools():
    with agentmote.connect("sim") as client:
        client.call("arm_move", joint=1, deg=30, speed=100)
        assert client.send("home the arm").result().text == "the arm is at home"
        assert client.read("device://bench-arm/pose") == {"deg": [0.0] * 6}
        texts = [sent.text for sent in client.trace if "SendMessage" in sent.text]
        assert len(texts) == 1


def test_the_async_face():
    async def run() -> None:
        async with await agentmote.connect_async("sim") as client:
            task = await client.send("calibrate the arm")
            assert task.state == "input_required"
            kinds = [event.kind async for event in client.stream("yes", task=task)]
            assert kinds[0] == "task" and kinds[-1] == "status" and "artifact" in kinds
            assert (await client.task(task)).result().data["joints"] == 6
            task = await client.send("calibrate", wait=False)
            assert (await client.wait(task)).state == "input_required"
            watching = []
            with pytest.raises(agentmote.CallTimeout, match="nothing was told within 40 s"):
                async for event in client.watch(task, timeout=40):
                    watching.append(event.kind)
            assert watching == ["task"]
            assert (await client.cancel(task)).state == "canceled"
            assert len(await client.tasks()) == 2

    asyncio.run(run())


def request(method: str, params: Any, wire: str) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    head = (
        "POST /a2a/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"A2A-Version: {wire}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@pytest.mark.parametrize("wire", ["1.0", "0.3"])
def test_python_answers_the_bytes_of_the_firmware(wire):
    """Two arms on virtual clocks, of the same ids: the simulated one is the
    code of the firmware."""
    new = wire == "1.0"
    send, get, cancel, stream = (
        ("SendMessage", "GetTask", "CancelTask", "SendStreamingMessage")
        if new
        else ("message/send", "tasks/get", "tasks/cancel", "message/stream")
    )
    firmware = sim.BenchArm()
    python = bench_arm.bench_arm(agentmote.Clock(virtual=True))
    count = iter(range(1000))

    def both(data: bytes) -> Dict[str, Any]:
        one, other = firmware.handle(data, http=True), python.handle(data, http=True)
        assert one == other
        assert firmware.clock.now() == python.clock.now()
        body = one.partition(b"\r\n\r\n")[2]
        return json.loads(body) if body.startswith(b"{") else {}

    def message(text: str, **more: Any) -> Dict[str, Any]:
        part = {"text": text} if new else {"kind": "text", "text": text}
        role = "ROLE_USER" if new else "user"
        return {"messageId": f"m{next(count)}", "role": role, "parts": [part], **more}

    def task(answer: Dict[str, Any]) -> Dict[str, Any]:
        return answer["result"]["task"] if new else answer["result"]

    for path in ("agent-card.json", "agent.json"):
        both(f"GET /.well-known/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    later = {"returnImmediately": True} if new else {"blocking": False}
    asked = task(both(request(send, {"message": message("calibrate the arm")}, wire)))
    done = both(request(send, {"message": message("yes", taskId=asked["id"])}, wire))
    assert task(done)["artifacts"][0]["parts"][0]["data"] == {"joints": 6, "millis": 1440}
    both(request(send, {"message": message("home")}, wire))
    both(request(stream, {"message": message("home")}, wire))
    both(request(send, {"message": message("what is that")}, wire))
    asked = task(both(request(send, {"message": message("calibrate")}, wire)))
    no = message("no", taskId=asked["id"])
    both(request(send, {"message": no}, wire))
    both(request(send, {"message": no}, wire))
    asked = task(both(request(send, {"message": message("calibrate")}, wire)))
    both(request(send, {"message": message("yes", taskId=asked["id"]), "configuration": later}, wire))
    for clock in (firmware.clock, python.clock):
        clock.advance(0.3)
    both(request(get, {"id": asked["id"]}, wire))
    second = task(both(request(send, {"message": message("calibrate")}, wire)))
    both(request(send, {"message": message("yes", taskId=second["id"])}, wire))
    both(request(cancel, {"id": asked["id"]}, wire))
    both(request(cancel, {"id": asked["id"]}, wire))
    both(request(get, {"id": "0" * 32}, wire))
    both(request(get, {"id": asked["id"], "historyLength": 1}, wire))
    both(request(send, {"message": {"messageId": "", "parts": []}}, wire))
    if new:
        both(request("ListTasks", {"pageSize": 2}, wire))
    assert python._native.runs > 0
