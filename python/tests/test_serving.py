"""Serving over sockets, standard input and output, and ASGI."""

import asyncio
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import agentmote

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))

import bench_arm  # noqa: E402

PING = b'{"jsonrpc":"2.0","id":7,"method":"ping"}'
PONG = b'{"jsonrpc":"2.0","id":7,"result":{}}'
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def post(port, body=PING, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", "/mcp", body, {**JSON, **named})
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_a_token_opens_and_nothing_else_does():
    with bench_arm.bench_arm().serving(token="s3cret") as served:
        assert post(served.port)[0] == 401
        assert post(served.port, Authorization="Bearer wrong")[0] == 401
        assert post(served.port, Authorization="Bearer s3cret") == (200, PONG)
        with agentmote.connect(served.url, token="s3cret") as arm:
            assert arm.call("temp_read")["celsius"] == 24.5
        with pytest.raises(agentmote.InvalidAnswer, match="HTTP 401"):
            agentmote.connect(served.url, token="wrong", era="legacy")
        # Two devices have two tokens.
        with bench_arm.bench_arm().serving(token="other") as second:
            assert post(second.port, Authorization="Bearer s3cret")[0] == 401
            assert post(second.port, Authorization="Bearer other") == (200, PONG)
    with pytest.raises(ValueError, match="the token is empty"):
        bench_arm.bench_arm().serving(token="")


def test_only_this_machine_is_served_unless_told():
    device = bench_arm.bench_arm()
    with device.serving() as served:
        assert served.host == "127.0.0.1"
        assert post(served.port, Host="evil.example")[0] == 403
        assert post(served.port, Origin="https://evil.example")[0] == 403
        assert post(served.port, Origin="http://localhost:5173") == (200, PONG)
    for address in ("0.0.0.0:0", ":0", "[::]:0", "192.0.2.7:80", "nonsense"):
        with pytest.raises(ValueError, match="`hosts` must list"):
            device.serving(address)
    with device.serving("0.0.0.0:0", hosts=["rig.example"]) as served:
        assert post(served.port, Host="rig.example") == (200, PONG)
        assert post(served.port)[0] == 403
    with device.serving(origins=["https://lab.example"]) as served:
        assert post(served.port, Origin="https://lab.example") == (200, PONG)
        assert post(served.port, Origin="http://localhost")[0] == 403


def test_an_address_that_cannot_be_taken_is_told():
    device = bench_arm.bench_arm()
    with device.serving() as served:
        with pytest.raises(OSError, match=f"127.0.0.1:{served.port}"):
            device.serving(f"127.0.0.1:{served.port}")
    with pytest.raises(ValueError, match="127.0.0.1:x"):
        device.serving("127.0.0.1:x")


def test_the_end_of_serving_ends_connections_and_frees_the_port():
    device = bench_arm.bench_arm()
    served = device.serving()
    idle = socket.create_connection(("127.0.0.1", served.port))
    # An answer shows that the connection has been accepted.
    idle.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert idle.recv(1000).startswith(b"HTTP/1.1 404 ")
    begin = time.monotonic()
    served.close()
    served.close()
    assert time.monotonic() - begin < 5
    idle.settimeout(5)
    assert idle.recv(1) == b""
    idle.close()
    with device.serving(f"127.0.0.1:{served.port}") as again:
        assert post(again.port) == (200, PONG)


def test_many_peers_at_once():
    device = bench_arm.bench_arm()
    wrong = []
    with device.serving() as served:

        def work():
            with agentmote.connect(served.url) as arm:
                for _ in range(50):
                    if arm.call("temp_read")["celsius"] != 24.5:
                        wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    assert wrong == []


def test_more_peers_than_there_are_places_are_told_so():
    with bench_arm.bench_arm().serving() as served:
        peers = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(64)]
        end = time.monotonic() + 10
        while True:
            late = socket.create_connection(("127.0.0.1", served.port))
            late.settimeout(0.2)
            try:
                told = late.recv(100)
            except (TimeoutError, socket.timeout):
                told = b""
            late.close()
            if told.startswith(b"HTTP/1.1 503 "):
                break
            assert time.monotonic() < end
        for peer in peers:
            peer.close()


def test_a_call_whose_peer_goes_away_is_given_up():
    ended = threading.Event()
    device = agentmote.Device("rig")

    @device.tool
    async def waits() -> None:
        """Waits."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "waits", "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    head = (
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: waits\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with device.serving() as served:
        peer = socket.create_connection(("127.0.0.1", served.port))
        peer.sendall((head + body).encode())
        assert not ended.wait(0.2)
        peer.close()
        assert ended.wait(10)


def lines(program, text):
    done = subprocess.run(
        [sys.executable, "-c", program], input=text, capture_output=True, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


PRINTS = """
import agentmote
device = agentmote.Device("rig")
@device.tool
def talk() -> str:
    "Talks."
    print("this is no message")
    return "said"
device.serve_stdio()
print("over")
"""


def test_what_a_handler_prints_stands_beside_the_messages():
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"talk","_meta":'
    call += b'{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
    call += b'"io.modelcontextprotocol/clientCapabilities":{}}}}\n'
    code, out, err = lines(PRINTS, call + PING + b"\n")
    assert code == 0
    first, second, last = out.splitlines()
    assert b'"said"' in first
    assert (second, last) == (PONG, b"over")
    assert b"this is no message" in err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_serving_ends_with_ctrl_c():
    program = [sys.executable, str(EXAMPLES / "bench_arm.py"), "--port", "0"]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told = process.stdout.readline().decode()
    assert "bench-arm is served at http://127.0.0.1:" in told
    port = int(told.split("127.0.0.1:")[1].split("/")[0])
    assert post(port) == (200, PONG)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, b"", b"")


# ASGI


@pytest.fixture
def asgi():
    uvicorn = pytest.importorskip("uvicorn")
    config = uvicorn.Config(
        bench_arm.bench_arm().asgi(), host="127.0.0.1", port=0, log_level="error"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    end = time.monotonic() + 20
    while not (server.started and server.servers):
        assert time.monotonic() < end
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_device_as_an_asgi_application(asgi, era):
    with agentmote.connect(f"http://127.0.0.1:{asgi}/mcp", era=era) as arm:
        assert arm.call("temp_read")["celsius"] == 24.5
        told = []
        arm.call_tool(
            "arm_move",
            {"joint": 2, "deg": 20, "speed": 100},
            progress=lambda done, total: told.append(done),
        )
        assert told == sorted(told) and len(told) > 1
        with pytest.raises(agentmote.ToolError, match="joint: 7 is above"):
            arm.call("arm_move", joint=7, deg=0)


def test_asgi_refuses_what_http_refuses(asgi):
    assert post(asgi) == (200, PONG)
    assert post(asgi, Host="evil.example")[0] == 403
    assert post(asgi, body=b"x" * 200_000)[0] == 413
    connection = http.client.HTTPConnection("127.0.0.1", asgi, timeout=10)
    for method, path, status in [("GET", "/mcp", 405), ("POST", "/other", 404)]:
        connection.request(method, path, b"", JSON)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status
    connection.close()


# Scopes


def scoped():
    device = agentmote.Device("rig")

    @device.tool(read_only=True)
    def look() -> str:
        """Looks."""
        return "seen"

    @device.tool(actuates=True, scopes=["move"])
    def move() -> str:
        """Moves."""
        return "moved"

    @device.tool(destructive=True, scopes=["move", "admin"])
    def erase() -> str:
        """Erases."""
        return "erased"

    return device


TOKENS = {"guest-token": [], "mover-token": ["move"], "admin-token": ["admin", "move"]}


@pytest.fixture(params=["sockets", "asgi"])
def scoped_url(request):
    if request.param == "sockets":
        with scoped().serving(tokens=TOKENS, token="owner-token") as served:
            yield served.url
        return
    uvicorn = pytest.importorskip("uvicorn")
    app = scoped().asgi(tokens=TOKENS, token="owner-token")
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    end = time.monotonic() + 20
    while not (server.started and server.servers):
        assert time.monotonic() < end
        time.sleep(0.01)
    yield "http://127.0.0.1:%d/mcp" % server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(20)


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize(
    ("token", "tools"),
    [
        ("guest-token", ["look"]),
        ("mover-token", ["look", "move"]),
        ("admin-token", ["look", "move", "erase"]),
        ("owner-token", ["look", "move", "erase"]),
    ],
)
def test_who_lacks_a_scope_does_not_see_the_tool(scoped_url, era, token, tools):
    with agentmote.connect(scoped_url, token=token, era=era) as client:
        assert [tool.name for tool in client.tools()] == tools
        for name in ("look", "move", "erase"):
            if name in tools:
                assert client.call(name).text
            else:
                with pytest.raises(agentmote.ProtocolError) as caught:
                    client.call(name)
                assert caught.value.code == -32602


def test_nobody_sees_anything(scoped_url):
    for token in (None, "guest-toke", "guest-token2", "other"):
        with pytest.raises(agentmote.InvalidAnswer, match="401"):
            agentmote.connect(scoped_url, token=token, era="legacy")


def test_in_the_process_every_caller_has_all_scopes():
    with agentmote.connect(scoped()) as client:
        assert client.call("erase").text == "erased"


def test_scopes_that_cannot_be_are_refused():
    device = agentmote.Device("rig")
    with pytest.raises(TypeError, match="a list of names"):
        device.tool(name="a", description="A.", scopes="move")(lambda: None)
    with pytest.raises(ValueError, match="more than 32 scopes"):
        device.tool(name="a", description="A.", scopes=[str(at) for at in range(33)])(lambda: None)
    with pytest.raises(ValueError, match="the token is empty"):
        scoped().serving(tokens={"": []})
    with pytest.raises(ValueError, match="the token is empty"):
        scoped().asgi(token="")
