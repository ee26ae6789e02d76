"""The client, over every transport that needs no other machine."""

import asyncio
import json
import pathlib
import socket
import sys
import threading
import time

import pytest

import agentmote
from agentmote import sim

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))

import bench_arm  # noqa: E402

ARM = [sys.executable, str(EXAMPLES / "bench_arm.py"), "--stdio"]
TOOLS = ["arm_move", "arm_home", "arm_stop", "note_set", "temp_read"]


class Tcp:
    """A device behind a socket with lines, one peer at a time."""

    def __init__(self, device):
        self.device = device
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.peer = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                self.peer, _ = self.listener.accept()
            except OSError:
                return
            connection = self.device.connection()
            self.peer.settimeout(0.01)
            pending = b""
            while True:
                try:
                    data = self.peer.recv(4096)
                    if not data:
                        break
                    pending += data
                except (TimeoutError, socket.timeout):
                    pass
                except OSError:
                    break
                while True:
                    taken = connection.receive(pending)
                    pending = pending[taken:]
                    answer = connection.poll()
                    if answer:
                        self.peer.sendall(answer)
                    elif not taken:
                        break
            connection.reset()

    def target(self):
        return "tcp:127.0.0.1:%d" % self.listener.getsockname()[1]

    def close(self):
        self.listener.close()


@pytest.fixture(params=["device", "sim", "stdio", "http", "tcp"])
def target(request):
    if request.param == "device":
        yield bench_arm.bench_arm()
    elif request.param == "sim":
        yield "sim"
    elif request.param == "stdio":
        yield "stdio:" + " ".join(ARM)
    elif request.param == "http":
        with bench_arm.bench_arm().serving() as served:
            yield served.url
    else:
        server = Tcp(bench_arm.bench_arm())
        yield server.target()
        server.close()


@pytest.mark.parametrize("era", ["auto", "modern", "legacy"])
def test_the_same_over_every_transport_and_era(target, era):
    with agentmote.connect(target, era=era) as arm:
        assert arm.version == ("2025-11-25" if era == "legacy" else "2026-07-28")
        assert arm.server["name"] == "bench-arm"
        assert arm.server["title"] == "Bench arm"
        assert arm.instructions == "Joint 0 is the base. Angles are in degrees."
        assert set(arm.capabilities) == {"tools", "resources"}
        assert [tool.name for tool in arm.tools()] == TOOLS
        assert arm.call("temp_read")["celsius"] == 24.5
        assert arm.call("temp_read").text == '{"celsius":24.5}'
        assert arm.call("note_set", text="é" * 32).text == "done"
        with pytest.raises(agentmote.ToolError, match="joint: 7 is above the maximum 5"):
            arm.call("arm_move", joint=7, deg=10)
        told = []
        moved = arm.call_tool(
            "arm_move",
            {"joint": 2, "deg": 9, "speed": 100},
            progress=lambda done, total: told.append((done, total)),
        )
        assert moved.text == "the joint is at its target"
        assert told and told == sorted(told) and {total for _, total in told} == {100}
        assert arm.read("device://bench-arm/pose")["deg"][2] == 9
        assert {one.uri for one in arm.resources()} == {
            "device://bench-arm/pose",
            "device://bench-arm/temperature",
        }
        with pytest.raises(agentmote.ProtocolError) as caught:
            arm.call("arm_fly")
        assert caught.value.code == -32602
        with pytest.raises(agentmote.ProtocolError):
            arm.read("device://bench-arm/nothing")
        assert arm.trace[0].to_device and "->" in str(arm.trace[0])


def test_a_stop_overtakes_a_move(target):
    with agentmote.connect(target) as arm:
        ended = []

        def move():
            try:
                ended.append(arm.call("arm_move", joint=0, deg=90, speed=1).text)
            except agentmote.ToolError as error:
                ended.append(str(error))

        thread = threading.Thread(target=move)
        if target == "sim":
            return  # A virtual clock is moved by who waits: see test_sim.
        thread.start()
        end = time.monotonic() + 10
        while not any("arm_move" in sent.text for sent in arm.trace):
            assert time.monotonic() < end
        time.sleep(0.05)
        assert arm.call("arm_stop").text == "stopped"
        thread.join(10)
        assert ended == ["the joint was stopped on its way"]


def test_a_call_that_is_too_slow_is_given_up(target):
    with agentmote.connect(target) as arm:
        with pytest.raises(agentmote.CallTimeout, match="no answer to tools/call"):
            arm.call_tool("arm_move", {"joint": 0, "deg": 90, "speed": 1}, timeout=0.2)
        # The device has heard of it: the joint may be moved again.
        end = time.monotonic() + 5
        while True:
            try:
                assert arm.call("arm_move", joint=0, deg=0, speed=100).text
                break
            except agentmote.ToolError:
                # Over HTTP the end of a connection takes a moment.
                assert time.monotonic() < end
    assert issubclass(agentmote.CallTimeout, TimeoutError)


def test_async_code_has_the_same_client(target):
    async def main():
        async with await agentmote.connect_async(target) as arm:
            assert [tool.name for tool in await arm.tools()] == TOOLS
            told = []
            moved = await arm.call_tool(
                "arm_move",
                {"joint": 1, "deg": 5, "speed": 100},
                progress=lambda done, total: told.append(done),
            )
            assert moved.text == "the joint is at its target"
            await asyncio.sleep(0)
            assert told and told == sorted(told)
            assert (await arm.call("temp_read"))["celsius"] == 24.5
            pose = await arm.read("device://bench-arm/pose")
            assert pose["deg"][1] == 5
            assert len(await arm.resources()) == 2
            with pytest.raises(agentmote.ToolError):
                await arm.call("arm_move", joint=9, deg=0)

    asyncio.run(asyncio.wait_for(main(), 30))


# What a peer may do


class Script(agentmote.LineTransport):
    """A peer that answers by a script: a function from a message to lines."""

    def __init__(self, answer):
        self.answer = answer
        self.clock = 0.0
        self.out = b""
        self.sent = []
        self.opened = 1
        self.lost = False

    def now(self):
        return self.clock

    def write(self, data):
        if self.lost:
            raise agentmote.ConnectionLost("gone")
        for line in data.splitlines():
            message = json.loads(line)
            self.sent.append(message)
            for answer in self.answer(message) or ():
                self.out += answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.out += b"\n"

    def read(self, timeout):
        if self.lost:
            raise agentmote.ConnectionLost("gone")
        if not self.out:
            self.clock += timeout
        out, self.out = self.out[:7], self.out[7:]
        return out

    def reopen(self):
        self.opened += 1
        self.lost = False

    def close(self):
        pass


def result(message, **members):
    return {"jsonrpc": "2.0", "id": message["id"], "result": members}


def error(message, code, **data):
    body = {"code": code, "message": "no", **({"data": data} if data else {})}
    return {"jsonrpc": "2.0", "id": message["id"], "error": body}


def legacy(message, version="2025-06-18"):
    """A peer of the older era."""
    if message["method"] == "initialize":
        info = {"name": "old", "version": "1"}
        return [result(message, protocolVersion=version, capabilities={}, serverInfo=info)]
    if message["method"] == "server/discover":
        return [error(message, -32601)]
    return None


def test_a_peer_of_the_older_era_is_opened_by_a_handshake():
    peer = Script(legacy)
    with agentmote.connect(peer) as client:
        assert client.version == "2025-06-18"
        assert client.server == {"name": "old", "version": "1"}
    methods = [message["method"] for message in peer.sent]
    assert methods == ["server/discover", "initialize", "notifications/initialized"]
    assert "_meta" not in peer.sent[1]["params"]


def test_a_peer_that_does_not_answer_is_opened_by_a_handshake():
    peer = Script(lambda m: legacy(m) if m["method"] != "server/discover" else None)
    with agentmote.connect(peer) as client:
        assert client.version == "2025-06-18"
    # It was given 5 seconds, and told that its answer is not wanted any more.
    assert peer.clock == 5.0
    assert [message["method"] for message in peer.sent][:3] == [
        "server/discover",
        "notifications/cancelled",
        "initialize",
    ]


@pytest.mark.parametrize("code", [-32020, -32021])
def test_an_error_of_the_modern_era_is_no_reason_for_a_handshake(code):
    peer = Script(lambda m: [error(m, code)])
    with pytest.raises(agentmote.ProtocolError) as caught:
        agentmote.connect(peer)
    assert caught.value.code == code
    assert [message["method"] for message in peer.sent] == ["server/discover"]


def test_a_peer_that_names_older_versions_is_opened_by_a_handshake():
    def answer(message):
        if message["method"] == "server/discover":
            return [error(message, -32022, supported=["2025-06-18"])]
        return legacy(message)

    with agentmote.connect(Script(answer)) as client:
        assert client.version == "2025-06-18"


@pytest.mark.parametrize("version", ["2031-01-01", "2026-07-28", None, 7])
def test_a_handshake_with_an_unknown_version_is_refused(version):
    with pytest.raises(agentmote.InvalidAnswer, match="not known"):
        agentmote.connect(Script(lambda m: legacy(m, version)))


def test_one_era_alone():
    with pytest.raises(agentmote.ProtocolError):
        agentmote.connect(Script(legacy), era="modern")
    peer = Script(legacy)
    with agentmote.connect(peer, era="legacy"):
        pass
    assert peer.sent[0]["method"] == "initialize"
    with pytest.raises(ValueError, match="auto, modern or legacy"):
        agentmote.connect(peer, era="new")


def test_noise_between_messages_is_passed_over():
    def answer(message):
        return [b"U-Boot 2031.1", b"\xff\xfe", b"[]", b"7", *(legacy(message) or ())]

    with agentmote.connect(Script(answer)) as client:
        assert client.version == "2025-06-18"


def test_answers_of_others_are_passed_over():
    def answer(message):
        found = legacy(message)
        if message["method"] == "tools/call":
            found = [
                {"jsonrpc": "2.0", "id": "other", "result": {}},
                {"jsonrpc": "2.0", "id": None, "error": {"code": -1, "message": "x"}},
                {"jsonrpc": "2.0", "id": [1], "result": {}},
                {"jsonrpc": "2.0", "method": "notifications/progress"},
                result(message, content=[{"type": "text", "text": "mine"}]),
            ]
        return found

    with agentmote.connect(Script(answer)) as client:
        assert client.call("x").text == "mine"


def test_a_device_that_asks_is_answered():
    peer = Script(legacy)
    with agentmote.connect(peer) as client:
        peer.answer = lambda m: (
            [
                {"jsonrpc": "2.0", "id": "p", "method": "ping"},
                {"jsonrpc": "2.0", "id": "r", "method": "roots/list"},
                result(m, content=[]),
            ]
            if "method" in m
            else None
        )
        client.call("x")
    assert {"jsonrpc": "2.0", "id": "p", "result": {}} in peer.sent
    assert peer.sent[-1]["error"]["code"] == -32601


@pytest.mark.parametrize("body", [{"result": 7}, {"result": None}, {}])
def test_an_answer_without_a_result_is_told(body):
    peer = Script(legacy)
    with agentmote.connect(peer) as client:
        peer.answer = lambda m: [{"jsonrpc": "2.0", "id": m["id"], **body}]
        with pytest.raises(agentmote.InvalidAnswer, match="without a result"):
            client.call("x")


def test_pages_are_followed_and_a_ring_of_them_ends():
    peer = Script(legacy)
    tool = {"name": "a", "inputSchema": {"type": "object"}}
    with agentmote.connect(peer) as client:
        pages = iter([("1", 1), ("2", 2), (None, 3)])

        def answer(message):
            cursor, _ = next(pages)
            more = {"nextCursor": cursor} if cursor else {}
            return [result(message, tools=[tool], **more)]

        peer.answer = answer
        assert len(client.tools()) == 3
        peer.answer = lambda m: [result(m, tools=[tool], nextCursor="same")]
        with pytest.raises(agentmote.InvalidAnswer, match="comes again"):
            client.tools()


def test_a_lost_connection_is_told_and_can_be_made_anew():
    peer = Script(legacy)
    with agentmote.connect(peer) as client:
        peer.lost = True
        with pytest.raises(agentmote.ConnectionLost):
            client.call("x")
        sent = len(peer.sent)
        client.reconnect()
        assert peer.opened == 2
        methods = [message["method"] for message in peer.sent[sent:]]
        assert methods == ["server/discover", "initialize", "notifications/initialized"]


def test_a_board_that_was_reset_is_reached_again():
    arm = sim.BenchArm()
    wire = sim.Wire(arm)
    with agentmote.connect(wire, era="legacy") as client:
        client.call("note_set", text="before")
        wire.reset_board()
        assert arm.note == ""
        # The board knows of no handshake any more, and has refused the call.
        client.forget()
        assert client.call("note_set", text="after").text
        assert arm.note == "after"
        sent = [json.loads(one.text) for one in client.trace if one.to_device]
        assert [one["method"] for one in sent] == [
            "tools/call",
            "initialize",
            "notifications/initialized",
            "tools/call",
        ]
    with agentmote.connect(sim.Wire(arm), era="legacy", reconnect=0) as client:
        wire = client._requests._transport
        wire.reset_board()
        with pytest.raises(agentmote.ProtocolError, match="send initialize first"):
            client.call("temp_read")


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_lost_board_is_found_by_the_next_call_and_no_call_is_sent_twice(era):
    class Port(sim.Wire):
        """A port that goes with the reset of its board, and is back after some
        attempts."""

        gone = tries = 0
        calls = 0

        def write(self, data):
            if b"tools/call" in data:
                self.calls += 1
            if self.gone:
                raise agentmote.ConnectionLost("the port is gone")
            super().write(data)

        def reopen(self):
            self.tries += 1
            if self.gone and self.tries < 3:
                raise agentmote.ConnectionLost("the port is not back")
            self.gone = 0
            super().reopen()

    port = Port(sim.BenchArm())
    with agentmote.connect(port, era=era) as client:
        changes = client.subscribe("device://bench-arm/pose")
        client.call("note_set", text="one")
        port.reset_board()
        port.gone, port.calls = 1, 0
        with pytest.raises(agentmote.ConnectionLost, match="the port is gone"):
            client.call("note_set", text="two")
        assert port.calls == 1 and client.lost
        assert client.call("note_set", text="three").text
        # The board tells its new peer nothing that the old one wished for.
        with pytest.raises(agentmote.ConnectionLost, match="has ended the subscription"):
            changes.wait(0.1)
        assert (port.calls, port.tries, client.lost) == (2, 3, False)
        assert port.device.note == "three"
        # What only reads is sent once more.
        port.gone, port.tries = 1, 0
        assert client.read("device://bench-arm/pose") == {"deg": [0.0] * 6}
        # A board that stays away is told of, within the time.
        port.gone, port.tries = 1, -(10**6)
        client._patience = 0.3
        with pytest.raises(agentmote.ConnectionLost, match="not back"):
            client.tools()


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("", "is no target"),
        ("nonsense", "is no target"),
        ("usb:1", "no kind of target 'usb'"),
        ("tcp:host", "tcp:HOST:PORT is wanted"),
        ("tcp:host:99999", "tcp:HOST:PORT is wanted"),
        ("serial:/dev/null?baud=fast", "'fast' is no baud"),
        ("serial:/dev/null?speed=1", "no option 'speed'"),
        ("qemu:a.elf?machine=pdp11", "can be emulated"),
        ("http://", "no host"),
    ],
)
def test_a_target_that_is_none_is_told(target, words):
    with pytest.raises(ValueError, match=words):
        agentmote.connect(target)


@pytest.mark.parametrize(
    "target",
    ["stdio:/no/such/program", "tcp:127.0.0.1:1", "http://127.0.0.1:1/mcp", "serial:/no/such"],
)
def test_a_target_that_cannot_be_reached_is_told(target):
    with pytest.raises(agentmote.ConnectionLost):
        agentmote.connect(target)


def test_a_program_that_ends_is_told():
    with pytest.raises(agentmote.ConnectionLost, match="has ended"):
        agentmote.connect(f"stdio:{sys.executable} -c pass")


def test_a_serial_port():
    pytest.importorskip("serial")
    import os

    device = bench_arm.bench_arm()
    board, port = os.openpty()
    connection = device.connection()
    stop = threading.Event()

    def run():
        pending = b""
        os.set_blocking(board, False)
        while not stop.is_set():
            try:
                pending += os.read(board, 4096)
            except (BlockingIOError, OSError):
                stop.wait(0.002)
            while True:
                taken = connection.receive(pending)
                pending = pending[taken:]
                answer = connection.poll()
                if answer:
                    os.write(board, answer)
                elif not taken:
                    break

    thread = threading.Thread(target=run)
    thread.start()
    try:
        with agentmote.connect(f"serial:{os.ttyname(port)}?baud=115200") as arm:
            assert arm.call("temp_read")["celsius"] == 24.5
            assert [tool.name for tool in arm.tools()] == TOOLS
    finally:
        stop.set()
        thread.join()
        os.close(board)
        os.close(port)
