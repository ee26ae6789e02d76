"""What the bench arm does, whoever built it."""

import json
import threading

import pytest

import agentmote
from agentmote.schema import assert_schema_enforced

TOOLS = ["arm_move", "arm_home", "arm_stop", "note_set", "temp_read"]
FAST = {"speed": 100}


def reason(arm, name, **arguments):
    with pytest.raises(agentmote.ToolError) as caught:
        arm.call(name, **arguments)
    return str(caught.value)


# What it says of itself


def test_it_is_a_bench_arm(arm):
    assert arm.server["name"] == "bench-arm"
    assert arm.server["version"]
    assert "Joint 0 is the base" in arm.instructions


def test_its_tools_stand_in_order(arm):
    assert [tool.name for tool in arm.tools()] == TOOLS


def test_every_tool_says_what_it_does(arm):
    for tool in arm.tools():
        assert tool.description.endswith(".")
        assert tool.title


def test_every_tool_is_closed_for_other_parameters(arm):
    for tool in arm.tools():
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert "properties" in tool.input_schema
        assert "$schema" not in tool.input_schema


def test_the_list_of_tools_is_the_same_each_time(arm):
    arm.tools()
    first = arm.trace[-1].text
    arm.tools()
    second = arm.trace[-1].text
    members = [json.loads(text)["result"] for text in (first, second)]
    assert members[0] == members[1]
    assert "nextCursor" not in members[0]


def test_what_only_reads_is_told(arm):
    hints = {tool.name: tool.annotations for tool in arm.tools()}
    assert hints["temp_read"]["readOnlyHint"] is True
    assert hints["arm_move"]["readOnlyHint"] is False


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("joint", {"type": "integer", "minimum": 0, "maximum": 5}),
        ("deg", {"type": "number", "minimum": -90, "maximum": 90}),
        ("speed", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
    ],
)
def test_a_move_takes(arm, name, schema):
    tool = next(tool for tool in arm.tools() if tool.name == "arm_move")
    found = dict(tool.input_schema["properties"][name])
    assert found.pop("description")
    assert found == schema
    assert tool.input_schema["required"] == ["joint", "deg"]


# What it refuses


def test_it_refuses_whatever_it_does_not_advertise(arm):
    assert assert_schema_enforced(arm) > 50


def test_what_is_refused_moves_nothing(home, pose):
    assert_schema_enforced(home, state=pose)


@pytest.mark.parametrize("joint", [-1, 6, 7, 255, 256, 4294967297, 2**53 + 1])
def test_a_joint_that_there_is_not_is_refused(arm, joint):
    told = reason(arm, "arm_move", joint=joint, deg=10)
    assert told.startswith(f"joint: {joint} is ")


@pytest.mark.parametrize("deg", [-90.0001, 90.0001, 91, 1e300, -1e300])
def test_an_angle_out_of_range_is_refused(arm, deg):
    assert reason(arm, "arm_move", joint=1, deg=deg).startswith("deg: ")


@pytest.mark.parametrize("joint", [2.5, "2", True, None, [2], {}])
def test_a_joint_of_another_type_is_refused(arm, joint):
    assert "joint: " in reason(arm, "arm_move", joint=joint, deg=10)


def test_a_key_in_another_case_is_refused(arm):
    told = reason(arm, "arm_move", Joint=1, deg=10)
    assert "Joint: unknown parameter" in told and "joint: missing" in told


def test_a_tool_without_parameters_takes_none(arm):
    for name in ("arm_home", "arm_stop", "temp_read"):
        assert reason(arm, name, now=True) == "now: unknown parameter"


def test_an_unknown_tool_is_an_error_of_the_protocol(arm):
    with pytest.raises(agentmote.ProtocolError) as caught:
        arm.call("arm_fly")
    assert caught.value.code == -32602


def test_the_next_call_after_a_refusal_works(arm):
    reason(arm, "arm_move", joint=7, deg=10)
    assert arm.call("temp_read")["celsius"] is not None


# What it does


def test_it_moves_a_joint(home):
    assert home.call("arm_move", joint=2, deg=10, **FAST).text == "the joint is at its target"


def test_it_moves_a_joint_to_where_it_was_told(home, pose):
    home.call("arm_move", joint=2, deg=9.5, **FAST)
    assert pose() == [0, 0, 9.5, 0, 0, 0]


@pytest.mark.parametrize("joint", range(6))
def test_each_joint_moves(home, joint):
    assert home.call("arm_move", joint=joint, deg=-2, **FAST).text


def test_a_whole_number_written_as_a_float_is_a_joint(home):
    assert home.call("arm_move", joint=3.0, deg=1e0, **FAST).text


def test_a_move_to_where_it_stands_is_over_at_once(home):
    assert home.call("arm_move", joint=0, deg=0, speed=1).text == "the joint is at its target"


def test_it_goes_home(home, pose):
    home.call("arm_move", joint=4, deg=3, **FAST)
    assert home.call("arm_home").text == "the arm is at home"
    assert pose() == [0] * 6


def test_a_move_tells_its_progress(home):
    told = []
    home.call_tool(
        "arm_move",
        {"joint": 1, "deg": 30, "speed": 100},
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[0] == (0, 100)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert all(total == 100 for _, total in told)


def test_a_move_of_which_nobody_asks_tells_nothing(home):
    home.call("arm_move", joint=1, deg=10, **FAST)
    assert not any("notifications/progress" in sent.text for sent in home.trace)


def test_a_move_that_is_given_up_stops(home):
    with pytest.raises(agentmote.CallTimeout):
        home.call_tool("arm_move", {"joint": 0, "deg": 90, "speed": 1}, timeout=0.2)
    # The joint stands: it can be moved at once.
    assert home.call("arm_move", joint=0, deg=0, **FAST).text == "the joint is at its target"


def test_a_stop_is_served_while_a_joint_moves(home):
    ended = []

    def move():
        try:
            home.call_tool("arm_move", {"joint": 0, "deg": 90, "speed": 2}, timeout=60)
            ended.append("arrived")
        except agentmote.ToolError as error:
            ended.append(str(error))

    thread = threading.Thread(target=move)
    thread.start()
    # The request has to be out before the stop is.
    while thread.is_alive() and not any("arm_move" in sent.text for sent in home.trace):
        pass
    assert home.call("arm_stop").text == "stopped"
    thread.join(60)
    assert not thread.is_alive()
    # On a virtual clock the move may be over before the stop is sent.
    assert ended in (["the joint was stopped on its way"], ["arrived"])


def test_a_joint_that_moves_is_not_moved(home):
    with pytest.raises(agentmote.CallTimeout):
        home.call_tool("arm_move", {"joint": 5, "deg": 90, "speed": 1}, timeout=0.1)
    assert home.call("arm_stop").text == "stopped"
    assert home.call("arm_home").text == "the arm is at home"


def test_stopping_twice_is_the_same_as_once(arm):
    assert [arm.call("arm_stop").text for _ in range(3)] == ["stopped"] * 3


def test_a_note_of_32_characters_is_taken_whatever_they_are(arm):
    for letter in ("x", "é", "語", "😀"):
        assert arm.call("note_set", text=letter * 32).text == "done"


def test_a_note_of_33_characters_is_refused(arm):
    for letter in ("x", "é", "😀"):
        assert reason(arm, "note_set", text=letter * 33) == "text: 33 characters, the maximum is 32"


@pytest.mark.parametrize("text", ["", '"\\/\b\f\n\r\t', "\u0000\u001f\u007f", "\u2028"])
def test_a_note_may_have_any_character(arm, text):
    assert arm.call("note_set", text=text).text == "done"


def test_the_temperature_is_a_number(arm):
    found = arm.call("temp_read")
    assert isinstance(found["celsius"], (int, float))
    assert set(found.structured) == {"celsius"}
    assert json.loads(found.text) == found.structured


def test_the_temperature_can_be_read_as_a_resource(arm, pose):
    assert arm.read("device://bench-arm/temperature") == arm.call("temp_read").structured


def test_a_resource_that_there_is_not_is_an_error(arm, pose):
    with pytest.raises(agentmote.ProtocolError):
        arm.read("device://bench-arm/voltage")


# How it keeps up


def test_a_hundred_calls_in_a_row(arm):
    for _ in range(100):
        assert arm.call("temp_read")["celsius"] is not None


def test_a_second_handshake_of_the_older_era_works(arm):
    if arm.version == "2026-07-28":
        pytest.skip("the modern era has no handshake")
    arm.reconnect()
    assert [tool.name for tool in arm.tools()] == TOOLS
