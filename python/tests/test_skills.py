"""Skills of a device in Python: what functions give is what tasks come to."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import threading
import time
import weakref
from typing import Any, Dict, Generator, List

import pytest

import agentmote
from agentmote import Message, Part, Rejected, Say, ToolError, Work


def device(**named: Any) -> agentmote.Device:
    return agentmote.Device("arm", clock=agentmote.Clock(virtual=True), **named)


def agent(of: agentmote.BaseDevice, wire: str = "1.0") -> agentmote.Agent:
    return agentmote.connect_agent(of, wire=wire)


@dataclasses.dataclass
class Pose:
    deg: List[float]


@pytest.mark.parametrize("wire", ["1.0", "0.3"])
def test_what_a_function_gives_is_an_artifact(wire):
    arm = device()
    given = {
        "text": "fine",
        "data": {"a": [1, 2.5, None, "é"]},
        "pose": Pose([1.0, 2.0]),
        "bytes": b"\x00\xff",
        "file": Part(b"\x01", mime="image/png", filename="a.png"),
        "url": Part("https://h/x", "url"),
        "several": [Part("one"), Part({"two": 2})],
    }

    @arm.skill
    def give(text: str) -> Any:
        """Gives what the text says."""
        return given[text]

    with agent(arm, wire) as client:
        parts = {name: client.send(name).result().artifacts[0].parts for name in given}
    assert parts["text"] == [Part("fine")]
    assert parts["data"] == [Part({"a": [1, 2.5, None, "é"]})]
    assert parts["pose"] == [Part({"deg": [1.0, 2.0]})]
    assert parts["bytes"] == [Part(b"\x00\xff")]
    assert parts["file"] == [Part(b"\x01", mime="image/png", filename="a.png")]
    assert parts["url"] == [Part("https://h/x", "url")]
    assert parts["several"] == [Part("one"), Part({"two": 2})]


@pytest.mark.parametrize("wire", ["1.0", "0.3"])
def test_every_part_of_a_message_reaches_the_function(wire):
    arm = device()
    seen: List[Message] = []

    @arm.skill(input_modes=["*/*"])
    def look(message: Message, work: Work) -> str:
        """Looks."""
        assert work.message is message
        seen.append(message)
        return "seen"

    sent = [
        Part("one\ntwo é"),
        Part({"n": [1, 2.5]}),
        Part(b"\x00\x01", mime="image/x", filename="f"),
        Part("https://h/x", "url"),
    ]
    with agent(arm, wire) as client:
        client.send(sent).result()
    assert seen[0].parts == sent
    assert (seen[0].text, seen[0].data) == ("one\ntwo é", {"n": [1, 2.5]})
    assert len(seen[0].id) == 32


def coroutine(arm: agentmote.Device, log: List[str]) -> None:
    @arm.skill
    async def calibrate(work: Work) -> Dict[str, Any]:
        """Calibrates."""
        axis = await work.ask("which axis?")
        log.append(f"axis {axis} at {work.now}")
        try:
            for turn in range(3):
                work.report(f"turn {turn}")
                await asyncio.sleep(10)
        except asyncio.CancelledError:
            log.append("stopped")
            raise
        return {"axis": axis, "seconds": work.now}


def generator(arm: agentmote.Device, log: List[str]) -> None:
    @arm.skill
    def calibrate(work: Work) -> Generator[Any, str, Dict[str, Any]]:
        """Calibrates."""
        axis = yield work.ask("which axis?")
        log.append(f"axis {axis} at {work.now}")
        try:
            for turn in range(3):
                work.report(f"turn {turn}")
                yield 10
        except GeneratorExit:
            log.append("stopped")
            raise
        return {"axis": axis, "seconds": work.now}


@pytest.mark.parametrize("wire", ["1.0", "0.3"])
@pytest.mark.parametrize("define", [coroutine, generator])
class TestLongWork:
    def test_it_asks_reports_and_ends(self, define, wire):
        arm, log = device(), []
        define(arm, log)
        with agent(arm, wire) as client:
            task = client.send("calibrate")
            assert (task.state, task.words, task.artifacts) == ("input_required", "which axis?", [])
            arm.clock.advance(5)
            told = [
                (event.kind, event.task.state, event.task.words)
                for event in client.stream("3", task=task)
            ]
            assert told == [
                ("task", "working", ""),
                ("status", "working", "turn 0"),
                ("status", "working", "turn 1"),
                ("status", "working", "turn 2"),
                ("artifact", "working", "turn 2"),
                ("status", "completed", ""),
            ]
            assert client.task(task).result().data == {"axis": "3", "seconds": 35.0}
        assert log == ["axis 3 at 5.0"]

    def test_a_cancellation_reaches_it(self, define, wire):
        arm, log = device(), []
        define(arm, log)
        with agent(arm, wire) as client:
            task = client.send("calibrate")
            task = client.send("1", task=task, wait=False)
            assert client.task(task).state == "working"
            assert client.cancel(task).state == "canceled"
            assert log == ["axis 1 at 0.0", "stopped"]
            with pytest.raises(agentmote.TaskCanceled) as caught:
                client.task(task).result()
            assert caught.value.task.id == task.id
            with pytest.raises(agentmote.TaskNotCancelable):
                client.cancel(task)
            # One that waits for an answer.
            task = client.send("calibrate")
            assert client.cancel(task).state == "canceled"
        assert log == ["axis 1 at 0.0", "stopped"]

    def test_it_goes_on_without_its_caller(self, define, wire):
        arm, log = device(), []
        define(arm, log)
        with agent(arm, wire) as client:
            task = client.send("2", task=client.send("calibrate"), wait=False)
            assert arm.clock.now() == 0
            with pytest.raises(agentmote.CallTimeout, match="is still working after 12 s"):
                client.wait(task, timeout=12)
            assert arm.clock.now() == 12
            assert client.wait(task).result().data["seconds"] == 30.0


def test_work_that_cannot_stop_goes_on():
    arm = device()

    @arm.skill(words=["coroutine"])
    async def one(work: Work) -> str:
        """Goes on."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            work.cannot_stop()
            await asyncio.sleep(5)
        return "all the same"

    @arm.skill(words=["generator"])
    def two(work: Work) -> Generator[float, None, str]:
        """Goes on."""
        try:
            yield 60
        except GeneratorExit:
            work.cannot_stop()
            yield 5
        return "all the same"

    @arm.skill(words=["slowly"])
    async def three() -> str:
        """Stops, but not at once."""
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(2)
        return "never"

    with agent(arm) as client:
        for word in ("coroutine", "generator"):
            task = client.send(word, wait=False)
            with pytest.raises(agentmote.TaskNotCancelable, match="cannot be stopped now"):
                client.cancel(task)
            assert client.wait(task).result().text == "all the same"
        before = arm.clock.now()
        task = client.send("slowly", wait=False)
        assert client.cancel(task).state == "canceled"
        assert arm.clock.now() - before == 2


@pytest.mark.parametrize(
    ("kind", "state", "words"),
    [
        ("tool error", "failed", "axis 3 is cold"),
        ("other error", "failed", "not a number"),
        ("rejected", "rejected", "not today"),
        ("nothing", "failed", "the work ended without an output"),
        ("set", "failed", "the result has a set, which is no JSON"),
        ("nan", "failed", "a number is not finite"),
        ("large", "failed", "a task has room for 65535"),
        ("say", "failed", "the work ended in a word, not in an output"),
        ("yields", "failed", "a skill yields seconds, a report"),
        ("question", "failed", "the question has 161 bytes, 160 are allowed"),
    ],
)
def test_what_goes_wrong_is_told_in_words(kind, state, words, caplog):
    arm = device()

    @arm.skill
    def work(text: str, work: Work) -> Any:
        """Works."""
        if text == "tool error":
            raise ToolError("axis 3 is cold")
        if text == "other error":
            raise ValueError("not a number")
        if text == "rejected":
            raise Rejected("not today")
        if text == "question":
            work.ask("x" * 161)
        given: Dict[str, Any] = {
            "set": {1},
            "nan": float("nan"),
            "large": "x" * 70000,
            "say": Say("hello"),
        }
        return given.get(text)

    @arm.skill(words=["yields"])
    def yields() -> Any:
        """Yields what is none."""
        yield object()

    with agent(arm) as client:
        task = client.send(kind, skill="yields" if kind == "yields" else "work")
        assert (task.state, words in task.words) == (state, True), task
        with pytest.raises(agentmote.TaskEnded, match=words[:20]):
            task.result()
    assert "Traceback" not in task.words


def test_a_word_instead_of_a_task():
    arm = device()

    @arm.skill(talks=True)
    def chat(text: str) -> Any:
        """Talks."""
        return Say("hello") if text == "hi" else "an output"

    with agent(arm) as client:
        told = client.send("hi")
        assert (told.state, told.id, told.words, told.ended) == ("message", "", "hello", True)
        assert told.result() is told
        assert client.send("work").result().text == "an output"
        assert len(client.tasks()) == 1


def test_leave_is_asked_for_and_work_goes_on():
    arm = device()
    unlocked: List[bool] = []

    @arm.skill
    async def unlock(work: Work) -> str:
        """Waits for leave."""
        while not unlocked:
            work.need_leave("unlock the arm at the panel")
            await asyncio.sleep(1)
        return "moved"

    with agent(arm) as client:
        task = client.send("unlock")
        assert (task.state, task.words) == ("auth_required", "unlock the arm at the panel")
        unlocked.append(True)
        assert client.send("it is open", task=task).result().text == "moved"


def test_parts_of_one_artifact_come_one_after_the_other():
    arm = device()

    @arm.skill
    async def log(work: Work) -> None:
        """Logs."""
        work.artifact("log", "first", {"n": 1})
        await asyncio.sleep(1)
        work.append("second", last=True)
        work.artifact("rest", b"\x00")

    with agent(arm) as client:
        events = [event for event in client.stream("log") if event.kind == "artifact"]
        assert [len(event.task.artifacts) for event in events] == [1, 1, 1, 2]
        done = client.task(events[-1].task)
    assert events[-1].task.artifacts == done.artifacts
    assert [artifact.name for artifact in done.artifacts] == ["log", "rest"]
    assert done.artifacts[0].parts == [Part("first"), Part({"n": 1}), Part("second")]
    assert (done.text, done.data) == ("first\nsecond", {"n": 1})


def test_a_skill_that_listens_gets_messages_while_it_works():
    arm = device()

    @arm.skill(listens=True)
    async def listen(work: Work) -> str:
        """Listens."""
        heard = [work.text]
        while heard[-1] != "end":
            await asyncio.sleep(1)
            if work.text != heard[-1]:
                heard.append(work.text)
        return " ".join(heard)

    with agent(arm) as client:
        task = client.send("begin", wait=False)
        client.send("middle", task=task, wait=False)
        arm.clock.advance(2)
        assert client.send("end", task=task).result().text == "begin middle end"


def test_a_tool_is_a_skill():
    arm = device()

    @arm.tool(title="Move")
    def move(joint: int, deg: float = 5.0) -> Generator[Any, None, Dict[str, float]]:
        """Moves a joint."""
        for done in range(1, 33):
            yield agentmote.Progress(done, 32, wait=0.5)
        return {"joint": joint, "deg": deg}

    @arm.tool
    def stop() -> str:
        """Stops."""
        raise ToolError("it stands already")

    arm.tool_skill("move", words=["move"])
    arm.tool_skill("stop", id="halt", name="Halt")
    with pytest.raises(KeyError, match="no tool 'none'"):
        arm.tool_skill("none")
    with agent(arm) as client:
        assert client.skills == ["move", "halt"]
        assert [skill["name"] for skill in client.card["skills"]] == ["Move", "Halt"]
        done = client.send(["move", Part({"joint": 2, "deg": 1.5})]).result()
        assert (done.data, arm.clock.now()) == ({"joint": 2, "deg": 1.5}, 16.0)
        task = client.send("move")
        assert (task.state, task.words) == ("rejected", "joint: missing")
        task = client.send(["move", Part({"joint": 2.5})])
        assert task.state == "rejected" and task.words.startswith("joint: ")
        task = client.send("halt")
        assert (task.state, task.words) == ("failed", "it stands already")
        task = client.send(["move", Part({"joint": 2})], wait=False)
        assert client.cancel(task).state == "canceled"


def test_the_rules_of_skills_are_told_where_they_stand():
    arm = device()

    def fine() -> str:
        """Fine."""
        return "fine"

    with pytest.raises(TypeError, match="skill 'wrong', parameter 'joint': a skill gets a Work"):

        @arm.skill
        def wrong(joint: int) -> None:
            """Wrong."""

    with pytest.raises(TypeError, match="an async generator cannot be a skill"):

        @arm.skill
        async def agen() -> Any:
            """Wrong."""
            yield 1

    arm.skill(fine)
    with pytest.raises(ValueError, match="fine: two skills have the same id"):
        arm.skill(fine)
    with pytest.raises(ValueError, match="a skill has no id"):
        arm.skill(id="")(fine)
    with pytest.raises(ValueError, match="a skill has no modes"):
        arm.skill(id="b", input_modes=[])(fine)
    assert agent(arm).send("x").result().text == "fine"
    with pytest.raises(RuntimeError, match="is in use"):
        arm.skill(id="c")(fine)
    with pytest.raises(ValueError, match="a part is text, data, raw, url, and not 'pdf'"):
        Part(b"", "pdf")
    hidden = device()
    hidden.skill(public=False)(fine)
    with pytest.raises(ValueError, match="a card needs a public skill"):
        agent(hidden)


def test_a_device_without_a_skill_has_no_agent():
    with pytest.raises(agentmote.NoAgent, match="has no agent card"):
        agent(device())
    answer = device().handle(
        b"GET /.well-known/agent-card.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", http=True
    )
    assert answer.startswith(b"HTTP/1.1 404 ")


def test_a_full_table_is_an_answer():
    arm = device()

    @arm.skill
    async def wait() -> str:
        """Waits."""
        await asyncio.sleep(1000)
        return "done"

    with agent(arm) as client:
        tasks = [client.send("x", wait=False) for _ in range(32)]
        with pytest.raises(agentmote.ProtocolError, match="32"):
            client.send("x", wait=False)
        assert client.cancel(tasks[0]).state == "canceled"
        arm.clock.advance(600)
        client.send("x", wait=False)
        with pytest.raises(agentmote.TaskNotFound):
            client.task(tasks[0])


def test_each_run_on_a_virtual_clock_is_the_same():
    def run() -> List[str]:
        arm, log = device(), []
        coroutine(arm, log)
        trace: List[str] = []
        client = agentmote.connect_agent(arm, trace=lambda _, text: trace.append(text))
        task = client.send("calibrate")
        client.send("3", task=task)
        message = [one for one in trace if "messageId" not in one or "result" in one]
        return [text.partition('"history"')[0] for text in message]

    assert run() == run()


def test_tasks_go_on_by_themselves_on_the_clock_of_the_machine():
    arm = agentmote.Device("arm")
    ended = threading.Event()

    @arm.skill
    async def work() -> str:
        """Works."""
        await asyncio.sleep(0.05)
        ended.set()
        return "done"

    client = agentmote.connect_agent(arm)
    task = client.send("x", wait=False)
    # Nobody asks for it, and no socket is open.
    assert ended.wait(10)
    assert client.wait(task).result().text == "done"


def test_a_device_with_tasks_is_freed():
    arm = agentmote.Device("arm")

    @arm.skill
    async def work() -> str:
        """Works."""
        assert arm
        await asyncio.sleep(0.01)
        return "done"

    assert agentmote.connect_agent(arm).send("x").result()
    gone = weakref.ref(arm)
    del arm, work
    for _ in range(100):
        gc.collect()
        if gone() is None:
            return
        time.sleep(0.02)
    pytest.fail("the device is still there")


def test_callers_have_tasks_and_scopes_of_their_own():
    arm = agentmote.Device("arm")

    @arm.skill(words=["home"], scopes=["move"])
    def home() -> str:
        """Goes home."""
        return "home"

    @arm.skill
    def look(work: Work) -> str:
        """Looks."""
        return f"caller {work.caller}"

    with arm.serving(tokens={"one": ["move"], "two": []}) as served:

        def caller(token: str, wire: str = "1.0") -> agentmote.Agent:
            return agentmote.connect_agent(served.url, token=token, wire=wire)

        mine, other = caller("one"), caller("two")
        task = mine.send("home").result()
        assert other.send("home").text == "caller 2"
        with pytest.raises(agentmote.TaskNotFound):
            other.task(task)
        assert [one.id for one in mine.tasks()] == [task.id]
        # Each credential, on each wire, and no other one.
        assert agentmote.connect_agent(served.url, api_key="one").task(task).text == "home"
        assert caller("one", "0.3").task(task).text == "home"
        for bad in (caller("three"), agentmote.connect_agent(served.url)):
            with pytest.raises(agentmote.NotAllowed, match="HTTP 401"):
                bad.send("look")
        schemes = mine.card["securitySchemes"]
        assert schemes["key"]["apiKeySecurityScheme"]["name"] == "X-API-KEY"


def test_the_same_device_is_served_to_both_protocols():
    arm = agentmote.Device("arm", description="An arm.")

    @arm.tool
    def look() -> str:
        """Looks."""
        return "nothing"

    arm.tool_skill("look")
    with arm.serving() as served, agentmote.connect(served.url) as client:
        assert client.call("look").text == "nothing"
        assert client.send("look").result().text == "nothing"
        assert client.agent.card["description"] == "An arm."
        assert served.agent_url == client.agent.card["supportedInterfaces"][0]["url"]
    with arm.serving(url="http://arm.example/a2a/") as served:
        with pytest.raises(agentmote.InvalidAnswer, match="names http://arm.example/a2a/"):
            agentmote.connect_agent(served.url)
    with arm.serving(hosts=["arm.local"], address="0.0.0.0:0") as served:
        url = f"http://127.0.0.1:{served.port}/"
        with pytest.raises(agentmote.Error):
            agentmote.connect_agent(url)


@pytest.mark.parametrize("wire", ["1.0", "0.3"])
def test_a_tool_that_asks_is_a_skill_that_asks(wire):
    arm = device()
    acted: List[str] = []

    @arm.tool(asks=True)
    def drop(call: agentmote.Call) -> str:
        """Drops it."""
        if not call.confirm("Really drop it?"):
            raise ToolError("the user refused")
        acted.append("dropped")
        return "dropped"

    arm.tool_skill("drop")
    with agent(arm, wire) as client:
        task = client.send("drop")
        assert (task.state, task.words, acted) == ("input_required", "Really drop it?", [])
        assert client.send("no", task=task).state == "failed"
        assert acted == []
        done = client.send("yes", task=client.send("drop"))
        assert done.result().text == "dropped" and acted == ["dropped"]
