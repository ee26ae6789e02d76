"""Questions in the middle of a call, from a Python handler to a Python rig."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, List, Literal, Optional

import pytest

import agentmote
from agentmote import Call, Length, Range


@dataclass
class Trip:
    joint: Annotated[int, Range(0, 5)]
    note: Annotated[str, Length(max=8)] = "none"
    mode: Literal["slow", "fast"] = "slow"


@pytest.fixture
def rig():
    device = agentmote.Device("rig", clock=agentmote.Clock())
    device.done = []

    @device.tool(destructive=True, asks=True)
    def erase(sector: int, call: Call) -> str:
        """Erases a sector, if the user agrees."""
        if not call.confirm(f"Erase sector {sector}?"):
            return "kept"
        device.done.append(sector)
        return "erased"

    @device.tool(asks=True)
    def plan(call: Call) -> str:
        """Asks three things, one after the other."""
        name = call.ask("Who?", Annotated[str, Length(1, 8)])
        if name is None:
            return "nobody"
        count = call.ask("How often?", Annotated[int, Range(1, 3)])
        trip = call.ask("Where to?", Trip)
        device.done.append((name, count, trip))
        return f"{name} {count} {trip}"

    return device


@pytest.fixture(params=["modern", "legacy"])
def era(request):
    return request.param


@pytest.fixture(params=["lines", "http"])
def ask(request, rig, era):
    """Connects with an `on_input`."""
    clients: List[agentmote.Client] = []
    served: List[agentmote.Served] = []

    def make(on_input):
        if request.param == "http" and not served:
            served.append(rig.serving())
        target = served[0].url if served else rig
        client = agentmote.connect(target, era=era, on_input=on_input, timeout=10)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()
    for one in served:
        one.close()


def test_a_user_is_asked_and_agrees(rig, ask):
    seen = []

    def agree(question):
        seen.append(question)
        assert rig.done == []
        return True

    assert ask(agree).call("erase", sector=7).text == "erased"
    assert rig.done == [7]
    (question,) = seen
    assert question.message == "Erase sector 7?"
    assert list(question.schema["properties"].values())[0]["type"] == "boolean"


@pytest.mark.parametrize("answer", [None, False])
def test_a_user_refuses(rig, ask, answer):
    assert ask(lambda question: answer).call("erase", sector=7).text == "kept"
    assert rig.done == []


def test_several_questions_one_after_the_other(rig, ask):
    answers = {
        "Who?": "Ada",
        "How often?": 3,
        "Where to?": {"joint": 5, "mode": "fast"},
    }
    told = ask(lambda question: answers[question.message]).call("plan")
    assert rig.done == [("Ada", 3, Trip(5, "none", "fast"))]
    assert told.text.startswith("Ada 3 Trip(")


def test_an_answer_that_does_not_fit_is_asked_for_again(rig, ask):
    counts = iter([0, 4, "two", 2])
    seen = []

    def answer(question):
        seen.append(question.message)
        if question.message == "How often?":
            return next(counts)
        return "Bob" if question.message == "Who?" else {"joint": 0}

    ask(answer).call("plan")
    assert rig.done == [("Bob", 2, Trip(0))]
    assert seen.count("How often?") == 4


def test_who_cannot_be_asked_gets_a_reason(rig, ask, era):
    client = ask(None)
    with pytest.raises(agentmote.Error) as caught:
        client.call("erase", sector=1)
    if era == "modern":
        assert caught.value.code == -32021
        assert caught.value.data == {"requiredCapabilities": {"elicitation": {}}}
    else:
        assert isinstance(caught.value, agentmote.ToolError)
        assert "elicitation" in str(caught.value)
    assert rig.done == []


def test_only_what_is_declared_may_ask():
    device = agentmote.Device("rig")

    @device.tool
    def sneaks(call: Call) -> bool:
        """Asks without having said so."""
        return call.confirm("May I?")

    with agentmote.connect(device) as client:
        with pytest.raises(agentmote.ToolError, match="asks=True"):
            client.call("sneaks")
    device = agentmote.Device("rig")
    with pytest.raises(TypeError, match="a parameter of type Call"):

        @device.tool(asks=True)
        def silent() -> None:
            """Has nothing to ask with."""


@pytest.mark.parametrize("kind", ["steps", "waits"])
def test_a_call_that_takes_its_time_asks_before_it_does(ask, rig, kind):
    # The fixture's device is in use only once a client is there.
    done = rig.done

    @rig.tool(asks=True)
    def steps(call: Call):
        """Asks, then takes its time."""
        if not call.confirm("Begin?"):
            raise agentmote.ToolError("not begun")
        count = call.ask("How many?", Annotated[int, Range(1, 3)])
        for step in range(count or 0):
            yield agentmote.Progress(step, 3, wait=0.01)
            done.append(step)
        return f"{count} steps"

    @rig.tool(asks=True)
    async def waits(call: Call) -> str:
        """Asks, then waits."""
        if not call.confirm("Begin?"):
            raise agentmote.ToolError("not begun")
        count = call.ask("How many?", Annotated[int, Range(1, 3)])
        for step in range(count or 0):
            call.progress(step, 3)
            await asyncio.sleep(0.01)
            done.append(step)
        return f"{count} steps"

    answers = {"Begin?": True, "How many?": 3}
    client = ask(lambda question: answers[question.message])
    told = []
    result = client.call_tool(kind, {}, progress=lambda step, total: told.append(step))
    assert result.text == "3 steps" and done == [0, 1, 2]
    assert told == sorted(told)
    answers["Begin?"] = False
    with pytest.raises(agentmote.ToolError, match="not begun"):
        client.call(kind)
    assert done == [0, 1, 2]


@pytest.mark.parametrize(
    ("hint", "words"),
    [(List[int], "a list of no choices"), (bytes, "no JSON type"), (Optional[bytes], "no JSON type")],
)
def test_a_form_that_cannot_be_is_a_failure(hint, words):
    device = agentmote.Device("rig")

    @device.tool(asks=True)
    def odd(call: Call) -> None:
        """Asks for what cannot be asked for."""
        call.ask("What?", hint)

    with agentmote.connect(device, on_input=lambda question: 1) as client:
        with pytest.raises(agentmote.ToolError, match=words):
            client.call("odd")


def test_a_tool_that_asks_for_ever_ends():
    device = agentmote.Device("rig")

    @device.tool(asks=True)
    def never(call: Call) -> None:
        """Asks for ever."""
        while True:
            call.confirm("Again?")

    for era in ("modern", "legacy"):
        with agentmote.connect(device, era=era, on_input=lambda q: True) as client:
            with pytest.raises(agentmote.ToolError, match="more than 16 questions"):
                client.call("never")
