"""Who may call a device in Python, over both protocols, and what is written
down of it."""

from __future__ import annotations

import asyncio
import gc
import json
import pathlib
import weakref
from typing import Any, Dict, Iterator, List, Optional

import pytest

import agentmote
from agentmote import Attempt, AuditEvent, Policy, Tries, Verified, Work

ANN, BOB, OTHER = "ann-0123456789abcdef", "bob-0123456789abcdef", "oth-0123456789abcdef"


class Lab:
    """A device with two tenants, and what it has written down."""

    def __init__(self, **named: Any) -> None:
        self.log: List[AuditEvent] = []
        self.clock = agentmote.Clock(virtual=True)
        self.policy = Policy(audit=self.log.append, **named)
        self.device = agentmote.Device("arm", policy=self.policy, clock=self.clock)
        self.acted: List[str] = []

        @self.device.tool(scopes=["move"])
        def move(joint: int) -> str:
            """Moves."""
            self.acted.append(f"move {joint}")
            return "moved"

        @self.device.tool
        def look() -> str:
            """Looks."""
            return "nothing"

        @self.device.skill(words=["home"], scopes=["move"])
        def home(work: Work) -> str:
            """Goes home."""
            self.acted.append(f"home {work.caller}")
            return "home"

        @self.device.skill(words=["wait"])
        async def wait() -> str:
            """Waits."""
            await asyncio.sleep(1000)
            return "done"

        self.policy.add("ann", ANN, tenant="lab-a", scopes=["move"])
        self.policy.add("bob", BOB, tenant="lab-b")

    def agent(self, token: Optional[str], wire: str = "1.0", **named: Any) -> agentmote.Agent:
        return agentmote.connect_agent(self.device, token=token, wire=wire, **named)

    def post(self, name: str, token: Optional[str], header: str = "Authorization") -> bytes:
        """A call over HTTP; the whole answer."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params: Dict[str, Any] = {"name": name, "_meta": meta}
        if name == "move":
            params["arguments"] = {"joint": 1}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        shown = f"Bearer {token}" if header == "Authorization" else token
        credential = "" if token is None else f"{header}: {shown}\r\n"
        request = (
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
            f"{credential}Content-Length: {len(body)}\r\n\r\n{body}"
        )
        return self.device.handle(request.encode(), http=True)

    def told(self, device: bool = False) -> List[str]:
        """The events since the last time, in short; those of the device itself
        only if they are asked for."""
        events, self.log[:] = list(self.log), []
        events = [event for event in events if device or event.attempt.by != "device"]
        return [
            " ".join(
                part
                for part in (
                    event.attempt.authority or event.attempt.by or "-",
                    event.attempt.endpoint,
                    event.attempt.operation,
                    event.attempt.kind,
                    event.attempt.subject if event.attempt.kind != "task" else "",
                    event.outcome,
                    event.why,
                )
                if part
            )
            for event in events
        ]


@pytest.fixture
def lab() -> Iterator[Lab]:
    found = Lab()
    yield found
    # No secret is in what was written down.
    assert not any(secret in repr(found.log) for secret in (ANN, BOB, OTHER))


@pytest.mark.parametrize("header", ["Authorization", "X-API-KEY"])
def test_tools_are_called_by_who_has_their_scopes(lab, header):
    assert b'"text":"moved"' in lab.post("move", ANN, header)
    assert lab.told() == ["ann mcp call_tool tool move done"]
    # Not allowed is not there.
    hidden, none = lab.post("move", BOB, header), lab.post("mmmm", BOB, header)
    assert hidden.replace(b"move", b"mmmm") == none
    assert lab.told() == ["bob mcp call_tool refused not_there"] * 2
    assert b'"text":"nothing"' in lab.post("look", BOB, header)
    assert lab.told() == ["bob mcp call_tool tool look done"]
    for bad in (None, "", OTHER, ANN + "x", ANN[:-1]):
        answer = lab.post("move", bad, header)
        assert answer.startswith(b"HTTP/1.1 401 ") and b"WWW-Authenticate: Bearer" in answer
    assert lab.told() == ["- mcp request refused credential"] * 5
    assert lab.acted == ["move 1"]


@pytest.mark.parametrize("wire", ["1.0", "0.3"])
def test_tasks_are_those_of_their_tenant(lab, wire):
    ann, bob = lab.agent(ANN, wire), lab.agent(BOB, wire)
    task = ann.send("home").result()
    assert lab.told(device=True) == [
        "ann agent send_message task accepted",
        "device agent end_task task done",
    ]
    waiting = ann.send("wait", wait=False)
    lab.told()
    for read in (bob.task, bob.cancel):
        with pytest.raises(agentmote.TaskNotFound) as hidden:
            read(waiting)
        with pytest.raises(agentmote.TaskNotFound) as none:
            read("0" * 32)
        assert str(hidden.value) == str(none.value)
    assert lab.told() == [
        "bob agent get_task refused not_there",
        "bob agent get_task refused not_there",
        "bob agent cancel_task refused not_there",
        "bob agent cancel_task refused not_there",
    ]
    # Without the scope, the skill is not there.
    assert bob.send("home").state == "rejected"
    assert lab.told() == ["bob agent send_message task refused not_there"]
    assert ann.cancel(waiting).state == "canceled"
    assert lab.told() == ["ann agent cancel_task task done"]
    with pytest.raises(agentmote.NotAllowed, match="401"):
        lab.agent(OTHER, wire).send("home")
    assert lab.acted == ["home 1"] and task.text == "home"


def test_credentials_come_and_go_while_the_device_is_used(lab):
    agent = lab.agent(ANN)
    first = agent.send("wait", wait=False)
    assert lab.policy.revoke("ann") and not lab.policy.revoke("ann")
    with pytest.raises(agentmote.NotAllowed):
        agent.task(first)
    # A new credential of the same caller sees what the old one began.
    lab.policy.add("ann/2", OTHER, caller="ann", tenant="lab-a", scopes=["move"], expires=60)
    assert lab.agent(OTHER).task(first).state == "working"
    assert lab.policy.rotate("ann/2", ANN) and not lab.policy.rotate("ann/2", BOB)
    assert not lab.policy.rotate("none", "x")
    assert lab.agent(ANN).task(first).state == "working"
    with pytest.raises(agentmote.NotAllowed):
        lab.agent(OTHER).task(first)
    # It was good for a minute; so is the new secret.
    lab.clock.advance(61)
    with pytest.raises(agentmote.NotAllowed):
        lab.agent(ANN).task(first)
    for name, secret, named, words in (
        ("bob", OTHER, {}, "bob: there is a credential of that name"),
        ("new", BOB, {}, "another credential has the same secret"),
        ("new", "", {}, "the secret is empty"),
    ):
        with pytest.raises(ValueError, match=words):
            lab.policy.add(name, secret, **named)
    for count in range(8):
        try:
            lab.policy.add(f"more {count}", f"secret {count}")
        except ValueError as error:
            assert "is full" in str(error)
            break
    else:
        pytest.fail("no limit")


def test_credentials_before_the_device_is_used():
    policy = Policy()
    device = agentmote.Device("arm", policy=policy)
    policy.add("a", "1")
    with pytest.raises(ValueError, match="of that name"):
        policy.add("a", "2")
    with pytest.raises(ValueError, match="the same secret"):
        policy.add("b", "1")
    assert policy.rotate("a", "3") and not policy.rotate("b", "4")
    policy.add("b", "1")
    assert policy.revoke("b") and not policy.revoke("b")
    for count in range(7):
        policy.add(f"more {count}", f"secret {count}")
    with pytest.raises(ValueError, match="is full"):
        policy.add("c", "5")
    assert "digest" not in repr(vars(policy)["_waiting"]["a"])
    with pytest.raises(RuntimeError, match="of one device"):
        agentmote.Device("other", policy=policy)
    with pytest.raises(ValueError, match="has a policy: add the tokens to it"):
        device.serving(token="x")
    with pytest.raises(ValueError, match="no quotes"):
        Policy(realm='"')


def test_an_endpoint_has_scopes_of_its_own():
    lab = Lab(mcp=["tools"], agent=["tasks"], realm="arm")
    lab.policy.add("both", OTHER, scopes=["tools", "tasks"])
    answer = lab.post("look", BOB)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert b'realm="arm"' in answer and b'error="insufficient_scope"' in answer
    assert b'scope="tools"' in answer
    with pytest.raises(agentmote.NotAllowed, match="403"):
        lab.agent(BOB).send("wait")
    assert lab.told() == ["bob mcp request refused scope", "bob agent request refused scope"]
    assert b'"text":"nothing"' in lab.post("look", OTHER)
    assert lab.agent(OTHER).send("wait", wait=False).state in ("submitted", "working")


def test_tries_are_limited():
    lab = Lab(tries=Tries(2, 10))
    for status in (b"401", b"401", b"429", b"429"):
        answer = lab.post("look", OTHER)
        assert answer.split()[1] == status
    assert b"Retry-After: 10" in answer
    assert b'"text":"nothing"' in lab.post("look", BOB)
    lab.clock.advance(10)
    assert lab.post("look", OTHER).split()[1] == b"401"
    assert lab.told().count("- mcp request refused tries") == 2


def test_functions_decide_what_the_table_does_not():
    asked: List[Attempt] = []

    def verify(secret: bytes) -> Optional[Verified]:
        if secret == b"crash":
            raise KeyError("inside")
        if secret.startswith(b"signed:"):
            return Verified("issuer", secret[7:].decode(), tenant="lab-c", scopes=["move"])
        return None

    def allows(attempt: Attempt) -> bool:
        asked.append(attempt)
        if attempt.subject == "look":
            raise ValueError("cannot say")
        return attempt.tenant == 0 or attempt.subject != "move" or service == []

    service: List[str] = []
    lab = Lab(verify=verify, allows=allows)
    assert b'"text":"moved"' in lab.post("move", "signed:cleo")
    assert lab.told() == ["issuer mcp call_tool tool move done"]
    service.append("in service")
    assert b"moved" not in lab.post("move", "signed:cleo")
    # Who cannot be asked says no; who fails to verify lets nobody in.
    assert b"nothing" not in lab.post("look", "signed:cleo")
    assert lab.post("look", "crash").split()[1] == b"401"
    assert lab.acted == ["move 1"]
    one = next(attempt for attempt in asked if attempt.subject == "move")
    assert (one.by, one.authority, one.endpoint, one.operation) == (
        "guard",
        "issuer",
        "mcp",
        "call_tool",
    )
    agent = lab.agent("signed:cleo")
    assert agent.send("home").text == "home"
    with pytest.raises(agentmote.TaskNotFound):
        lab.agent("signed:dora").task(agent.tasks()[0])


def test_a_line_is_known_by_where_it_is(lab):
    with agentmote.connect(lab.device) as client:
        assert client.call("move", joint=1).text == "moved"
        with pytest.raises(agentmote.ToolError):
            client.call("move", joint="x")
    assert [line for line in lab.told() if "tool" in line] == [
        "place mcp call_tool tool move done",
        "place mcp call_tool tool move refused arguments",
    ]


def test_each_way_of_serving_has_the_policy(lab):
    with lab.device.serving() as served:
        with agentmote.connect(served.url, token=ANN) as client:
            assert [tool.name for tool in client.tools()] == ["move", "look"]
            assert client.send("home").text == "home"
        with agentmote.connect(served.url, token=BOB) as client:
            assert [tool.name for tool in client.tools()] == ["look"]
        with pytest.raises(agentmote.NotAllowed, match="401"):
            agentmote.connect(served.url)
        schemes = lab.agent(None).card["securitySchemes"]
        assert sorted(schemes) == ["bearer", "key"]
    app = lab.device.asgi()

    def ask(token: Optional[str], path: str = "/mcp", method: str = "POST") -> List[Dict[str, Any]]:
        sent: List[Dict[str, Any]] = []
        body_read: List[bool] = []

        async def receive() -> Dict[str, Any]:
            if body_read:
                await asyncio.sleep(60)
            body_read.append(True)
            return {"type": "http.request", "body": b"{}", "more_body": False}

        async def send(event: Dict[str, Any]) -> None:
            sent.append(event)

        headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
        headers += [(b"content-length", b"2")] if method == "POST" else []
        headers += [(b"authorization", f"Bearer {token}".encode())] if token else []
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": headers,
            "scheme": "https",
            "server": ("arm.local", 8443),
        }
        asyncio.run(asyncio.wait_for(app(scope, receive, send), 20))
        return sent

    assert ask(None)[0]["status"] == 401
    assert ask(OTHER, "/a2a")[0]["status"] == 401
    assert ask(ANN)[0]["status"] == 400
    assert ask(ANN, "/a2a/")[0]["status"] == 200
    told = ask(None, "/.well-known/agent-card.json", "GET")
    assert told[0]["status"] == 200
    card = json.loads(b"".join(event.get("body", b"") for event in told))
    assert card["supportedInterfaces"][0]["url"] == "https://arm.local:8443/a2a/"


def test_a_device_with_a_policy_is_freed():
    log: List[AuditEvent] = []
    policy = Policy(audit=lambda event: log.append(event) if device() else None)
    made = agentmote.Device("arm", policy=policy)
    device = weakref.ref(made)

    @made.tool
    def look() -> str:
        """Looks."""
        return made.name

    with agentmote.connect(made) as client:
        client.call("look")
    assert log
    del made, look, client
    gc.collect()
    assert device() is None


def test_no_secret_is_in_what_the_package_keeps(lab):
    lab.agent(ANN).send("home")
    lab.post("look", OTHER)
    kept = repr(vars(lab.policy)) + repr(vars(lab.device)) + repr(lab.log)
    assert not any(secret in kept for secret in (ANN, BOB, OTHER))
    assert pathlib.Path(agentmote.__file__).exists()
