"""A device behind a wire, served by HTTP with TLS and a token."""

import asyncio
import dataclasses
import datetime
import http.client
import ipaddress
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from typing import Annotated, List

import pytest
from test_client import ARM, TOOLS
from test_device import Point

import agentmote
import bench_arm
from agentmote import Length, Range, sim
from agentmote.schema import assert_schema_enforced

STDIO = "stdio:" + " ".join(ARM)
TOKEN = "a-token-of-some-length"


@pytest.fixture
def proxied():
    with agentmote.connect(bench_arm.bench_arm()) as client:
        yield client, agentmote.proxy(client)


def test_a_proxy_advertises_what_the_device_does(proxied):
    client, device = proxied
    with agentmote.connect(device) as outside:
        assert outside.tools() == client.tools()
        assert outside.resources() == client.resources()
        assert outside.server == client.server
        assert outside.instructions == client.instructions


def test_a_proxy_does_what_the_device_does(proxied):
    client, device = proxied
    with agentmote.connect(device) as outside:
        assert outside.call("temp_read")["celsius"] == 24.5
        told = []
        moved = outside.call_tool(
            "arm_move",
            {"joint": 2, "deg": 20, "speed": 100},
            progress=lambda done, total: told.append((done, total)),
        )
        assert moved.text == "the joint is at its target"
        assert told and told == sorted(told)
        assert outside.read("device://bench-arm/pose") == client.read("device://bench-arm/pose")


def test_what_a_proxy_refuses_does_not_go_over_the_wire(proxied):
    client, device = proxied
    client.forget()
    assert assert_schema_enforced(device) == 54
    assert client.trace == []


def test_a_call_that_is_given_up_is_given_up_on_the_wire(proxied):
    client, device = proxied
    with agentmote.connect(device) as outside:
        with pytest.raises(agentmote.CallTimeout):
            outside.call_tool("arm_move", {"joint": 0, "deg": 90, "speed": 1}, timeout=0.3)
        end = time.monotonic() + 5
        while not any("notifications/cancelled" in sent.text for sent in client.trace):
            assert time.monotonic() < end
            outside.call("temp_read")
        assert outside.call("arm_move", joint=0, deg=0, speed=100).text


def test_a_stop_overtakes_a_move_through_a_proxy(proxied):
    _, device = proxied
    ended = []
    with agentmote.connect(device) as one, agentmote.connect(device) as other:

        def move():
            try:
                one.call("arm_move", joint=0, deg=90, speed=1)
            except agentmote.ToolError as error:
                ended.append(str(error))

        thread = threading.Thread(target=move)
        thread.start()
        time.sleep(0.2)
        other.call("arm_stop")
        thread.join(10)
    assert ended == ["the joint was stopped on its way"]


def test_every_kind_of_parameter_and_result_passes():
    device = agentmote.Device("rig")

    @device.tool(destructive=True)
    def all_kinds(
        places: Annotated[List[Point], Length(1, 2)],
        whole: Annotated[int, Range(0)] = 3,
        part: float = 0.25,
        flag: bool = False,
    ) -> Point:
        """Takes all kinds."""
        return places[0]

    @device.tool
    def picture() -> agentmote.Image:
        """Gives a picture."""
        return agentmote.Image(b"\x89PNG")

    @device.resource("device://rig/{name}/raw")
    def raw(name: str) -> bytes:
        return name.encode()

    with agentmote.connect(device) as client:
        with agentmote.connect(agentmote.proxy(client)) as outside:
            assert outside.tools() == client.tools()
            given = {"places": [{"x": 1.5, "mode": "slow"}]}
            assert outside.call("all_kinds", **given) == client.call("all_kinds", **given)
            assert outside.call("picture") == client.call("picture")
            assert outside.read("device://rig/abc/raw") == b"abc"
            assert assert_schema_enforced(outside) > 40


def test_a_schema_beyond_descriptors_is_passed_on(monkeypatch):
    from test_schema import Fake, right

    schema = {**Fake.SCHEMA, "properties": {"n": {"type": "integer", "multipleOf": 1}}}
    monkeypatch.setattr(Fake, "SCHEMA", schema)
    with agentmote.connect(Fake(right)) as client:
        with agentmote.connect(agentmote.proxy(client)) as outside:
            assert outside.tools()[0].input_schema == schema
            assert outside.call("t", n=5).content
            with pytest.raises(agentmote.ToolError, match="n: 6"):
                outside.call("t", n=6)


def test_a_proxy_of_the_simulated_arm_runs_by_the_clock_of_this_machine():
    arm = sim.BenchArm()
    with agentmote.connect(arm) as client:
        with agentmote.connect(agentmote.proxy(client)) as outside:
            assert outside.call("arm_move", joint=1, deg=90, speed=100).text
    assert arm.angle(1) == 90


# The command


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of this machine's own, and its key."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    (folder / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    (folder / "token").write_text(TOKEN + "\n")
    return folder


@pytest.fixture
def gateway(certificate):
    """The bridge of an arm behind a pipe; its port."""
    pytest.importorskip("uvicorn")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "agentmote", "bridge", STDIO, "--http", f"127.0.0.1:{port}"]
    words += ["--certificate", str(certificate / "certificate.pem")]
    words += ["--key", str(certificate / "key.pem"), "--token-file", str(certificate / "token")]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.05)
    yield port
    process.terminate()
    out, _ = process.communicate(timeout=20)
    server = json.loads(out)["mcpServers"]["device"]
    assert server["url"] == f"https://127.0.0.1:{port}/mcp"
    assert server["headers"] == {"Authorization": "Bearer <the token>"}


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_bridge_with_tls_and_a_token(gateway, certificate, era):
    authority = str(certificate / "certificate.pem")
    url = f"https://127.0.0.1:{gateway}/mcp"
    with agentmote.connect(url, token=TOKEN, authority=authority, era=era) as arm:
        assert [tool.name for tool in arm.tools()] == TOOLS
        assert arm.call("temp_read")["celsius"] == 24.5
        told = []
        arm.call_tool(
            "arm_move",
            {"joint": 1, "deg": 20, "speed": 100},
            progress=lambda done, total: told.append(done),
        )
        assert told
        assert assert_schema_enforced(arm) == 54
    for wrong in (None, "another-token-of-some-length", TOKEN[:-1]):
        with pytest.raises(agentmote.InvalidAnswer, match="401"):
            agentmote.connect(url, token=wrong, authority=authority, era=era)
    # A certificate that is not trusted, and no TLS at all.
    with pytest.raises(agentmote.ConnectionLost):
        agentmote.connect(url, token=TOKEN)
    with pytest.raises(agentmote.Error):
        agentmote.connect(url.replace("https", "http"), token=TOKEN)


def test_the_official_client_talks_through_the_bridge(gateway, certificate):
    mcp = pytest.importorskip("mcp")
    httpx = pytest.importorskip("httpx2")
    from mcp.client.streamable_http import streamable_http_client

    context = ssl.create_default_context(cafile=str(certificate / "certificate.pem"))
    headers = {"Authorization": f"Bearer {TOKEN}"}

    async def main():
        async with httpx.AsyncClient(verify=context, headers=headers) as web:
            url = f"https://127.0.0.1:{gateway}/mcp"
            transport = streamable_http_client(url, http_client=web)
            async with mcp.Client(transport) as client:
                found = await client.call_tool("temp_read", {})
                return found.structured_content

    assert asyncio.run(asyncio.wait_for(main(), 30)) == {"celsius": 24.5}


def test_a_bridge_checks_the_host(gateway, certificate):
    context = ssl.create_default_context(cafile=str(certificate / "certificate.pem"))
    connection = http.client.HTTPSConnection("127.0.0.1", gateway, timeout=10, context=context)
    headers = {
        "Host": "evil.example",
        "Content-Type": "application/json",
        "Authorization": f"Bearer {TOKEN}",
    }
    connection.request("POST", "/mcp", b'{"jsonrpc":"2.0","id":7,"method":"ping"}', headers)
    assert connection.getresponse().status == 403
    connection.close()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--http", "8080"], "HOST:PORT is wanted"),
        (["--http", "0.0.0.0:8443"], "beyond this machine"),
        (["--http", "0.0.0.0:8443", "--token-file", "token"], "beyond this machine"),
        (["--http", "127.0.0.1:0", "--key", "key.pem"], "belong together"),
        (["--http", "127.0.0.1:0", "--token-file", "short"], "16 characters at least"),
        (["--http", "127.0.0.1:0", "--token-file", "none"], "none"),
    ],
)
def test_a_bridge_that_would_be_open_is_refused(certificate, words, told):
    (certificate / "short").write_text("secret")
    done = subprocess.run(
        [sys.executable, "-m", "agentmote", "bridge", "sim", *words],
        cwd=certificate,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "") and told in done.stderr


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_questions_and_changes_pass_a_proxy(era):
    device = agentmote.Device("rig")
    acted = []

    @dataclasses.dataclass
    class Dose:
        grams: Annotated[int, Range(1, 5)]
        really: bool

    @device.tool(asks=True)
    async def pour(call: agentmote.Call, count: int) -> str:
        """Pours."""
        dose = call.ask("How much?", Dose)
        if dose is None:
            raise agentmote.ToolError("refused")
        if not call.confirm("Again?"):
            raise agentmote.ToolError("not again")
        acted.append((count, dose.grams))
        call.progress(1, 2)
        await asyncio.sleep(0.05)
        return f"{dose.grams} g"

    level = [0]

    @device.resource("rig://level", subscribable=True)
    def read_level() -> int:
        """The level."""
        return level[0]

    said = []
    answers = {"How much?": {"grams": 3, "really": True}, "Again?": True}

    def answer(question):
        said.append((question.message, sorted(question.schema["properties"])))
        return answers[question.message]

    with agentmote.connect(device) as behind:
        front = agentmote.proxy(behind)
        with agentmote.connect(front, era=era, on_input=answer) as host:
            assert host.call("pour", count=2).text == "3 g"
            assert acted == [(2, 3)]
            assert said == [("How much?", ["grams", "really"]), ("Again?", ["confirm"])]
            answers["Again?"] = None
            with pytest.raises(agentmote.ToolError, match="not again"):
                host.call("pour", count=2)
            answers["How much?"] = None
            with pytest.raises(agentmote.ToolError, match="refused"):
                host.call("pour", count=2)
            assert acted == [(2, 3)]
            with host.subscribe("rig://level") as changes:
                changes.wait(1)
                level[0] = 7
                device.changed("rig://level")
                assert changes.wait(10)
                assert host.read("rig://level") == 7
        # Nobody who could be asked: nothing acts.
        with agentmote.connect(front, era=era) as host:
            with pytest.raises(agentmote.Error):
                host.call("pour", count=1)
        assert acted == [(2, 3)]
