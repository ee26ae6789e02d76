"""Simulation: the same run each time, faults on the wire, and what they do to
the arm."""

import json
import math
import time

import pytest

import agentmote
from agentmote import sim

MOVE = {"joint": 1, "deg": 90, "speed": 50}
"""Takes one second."""


def line(name, arguments, number=1):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


def test_hours_of_the_arm_pass_in_a_moment():
    arm = sim.BenchArm()
    begin = time.perf_counter()
    with agentmote.connect(arm, timeout=1000) as client:
        for turn in range(100):
            client.call("arm_move", joint=1, deg=90 if turn % 2 else -90, speed=1)
    took = time.perf_counter() - begin
    # 90 degrees first, then 180 each time, at 1.8 degrees a second.
    assert arm.clock.now() == pytest.approx(50 + 99 * 100, abs=3)
    assert arm.clock.now() / took > 1000


def test_time_stands_still_for_what_answers_at_once():
    arm = sim.BenchArm()
    with agentmote.connect(arm) as client:
        for _ in range(50):
            client.call("temp_read")
    assert arm.clock.now() == 0


def test_a_move_is_where_it_should_be_at_each_moment():
    arm = sim.BenchArm()
    peer = arm.connection()
    peer.receive(line("arm_move", MOVE))
    assert peer.poll() == b""
    for tenth in range(1, 10):
        arm.clock.advance(0.1)
        assert arm.angle(1) == pytest.approx(9 * tenth)
    arm.clock.advance(0.1)
    assert b"the joint is at its target" in peer.poll()
    assert arm.angle(1) == 90
    for wrong in (6, 99):
        with pytest.raises(ValueError, match="0 to 5 are there"):
            arm.angle(wrong)


def test_a_stop_overtakes_a_move():
    arm = sim.BenchArm()
    first, second = arm.connection(), arm.connection()
    first.receive(line("arm_move", MOVE))
    first.poll()
    arm.clock.advance(0.5)
    second.receive(line("arm_stop", {}))
    assert b"stopped" in second.poll()
    assert arm.angle(1) == 45
    arm.clock.advance(0.02)
    assert b"the joint was stopped on its way" in first.poll()
    arm.clock.advance(10)
    assert arm.angle(1) == 45 and arm.commands == 2


def test_a_jump_of_the_clock_ends_a_move_once():
    arm = sim.BenchArm()
    peer = arm.connection()
    peer.receive(line("arm_move", MOVE))
    peer.poll()
    arm.clock.advance(1e9)
    assert b"the joint is at its target" in peer.poll()
    assert peer.poll() == b"" and peer.wait() is None
    assert arm.angle(1) == 90 and arm.commands == 1


def test_full_tables_are_told_and_empty_again():
    arm = sim.BenchArm()
    peer = arm.connection()
    for number in range(17):
        # Each of its own joint would not do: there are six.
        arguments = {"joint": number % 6, "deg": 90, "speed": 1}
        data = line("arm_move", arguments, number)
        assert peer.receive(data) == len(data)
        answer = peer.poll()
        if number < 6:
            assert answer == b""
        else:
            assert b"the joint is still moving" in answer
    # Calls of a generator take a place each, whatever the arm says.
    device = agentmote.Device("slow", clock=agentmote.Clock(virtual=True))

    @device.tool
    def waits():
        """Waits."""
        yield 1

    peer = device.connection()
    for number in range(17):
        peer.receive(line("waits", {}, number))
        answer = peer.poll()
        assert (b"16 calls in flight" in answer) == (number == 16)
    device.clock.advance(2)
    ended = peer.poll()
    assert ended.count(b'"done"') == 16
    peer.receive(line("waits", {}))
    assert peer.poll() == b""


def test_a_sensor_that_fails_is_no_number():
    arm = sim.BenchArm()
    with agentmote.connect(arm) as client:
        for broken in (math.nan, math.inf, -math.inf):
            arm.celsius = broken
            with pytest.raises(agentmote.ToolError, match="not a finite number"):
                client.call("temp_read")
            assert "NaN" not in client.trace[-1].text
            with pytest.raises(agentmote.ProtocolError):
                client.read("device://bench-arm/temperature")
        arm.celsius = -40.5
        assert client.call("temp_read")["celsius"] == -40.5


@pytest.mark.parametrize("moment", [0.0, 0.001, 0.5, 0.999, 1.0, 5.0])
def test_a_reset_at_any_moment(moment):
    arm = sim.BenchArm()
    wire = sim.Wire(arm)
    with agentmote.connect(wire, era="modern", timeout=2) as client:
        wire.write(line("arm_move", MOVE, "lost"))
        arm.clock.advance(moment)
        wire.reset_board()
        assert arm.angle(1) == 0 and arm.commands == 0 and arm.note == ""
        # Nothing of the call before is heard any more.
        assert wire.read(3.0) == b""
        assert client.call("temp_read")["celsius"] == 24.5


@pytest.mark.parametrize("cut", range(0, 330, 7))
def test_a_reset_in_the_middle_of_a_message_moves_nothing(cut):
    arm = sim.BenchArm()
    wire = sim.Wire(arm)
    message = line("arm_move", MOVE)
    wire.write(message[:cut])
    wire.reset_board()
    wire.write(message[cut:] + line("arm_stop", {}, 2))
    told = wire.read(0.1)
    # The rest of a cut message is no message; a whole one is stopped at once.
    assert arm.commands == (2 if cut == 0 else 0)
    assert b'"id":2' in told and b"stopped" in told


# Wires


def run(seed, **faults):
    """What passes in one run, and the arm behind it."""
    arm = sim.BenchArm()
    wire = sim.Wire(arm, sim.Faults(**faults), seed=seed)
    try:
        client = agentmote.connect(wire, timeout=2)
    except agentmote.Error as error:
        return [str(error)], arm, wire
    for turn in range(20):
        try:
            client.call("arm_move", joint=turn % 6, deg=turn, speed=100)
        except agentmote.Error:
            pass
    trace = [str(sent) for sent in client.trace]
    client.close()
    return trace, arm, wire


@pytest.mark.parametrize(
    "faults",
    [
        {"noise": 0.001},
        {"loss": 0.001},
        {"cut": 0.1},
        {"piece": 1},
        {"byte_seconds": 0.0000868},
        {"noise": 0.0005, "loss": 0.0005, "cut": 0.05, "piece": 3, "byte_seconds": 0.001},
    ],
)
def test_the_same_seed_is_the_same_run(faults):
    first, arm, wire = run(3, **faults)
    again, same, _ = run(3, **faults)
    assert first == again
    assert [arm.angle(joint) for joint in range(6)] == [same.angle(joint) for joint in range(6)]
    assert arm.clock.now() == same.clock.now()
    if wire.hit:
        others = [run(seed, **faults)[0] for seed in range(4, 8)]
        assert any(other != first for other in others)


@pytest.mark.parametrize("kind", ["noise", "loss", "cut"])
def test_a_bad_wire_does_hit(kind):
    assert sum(run(seed, **{kind: 0.05})[2].hit for seed in range(5)) > 10


def test_a_slow_wire_takes_time():
    _, arm, _ = run(1, byte_seconds=0.001)
    assert arm.clock.now() > 20 * 0.5


def test_a_wire_without_faults_changes_nothing():
    assert run(1)[0] == run(2)[0]
    assert run(1)[2].hit == 0


@pytest.mark.parametrize(
    "wrong", [{"noise": 1.5}, {"loss": -0.1}, {"cut": 2}, {"piece": -1}, {"byte_seconds": 2}]
)
def test_faults_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError):
        sim.Faults(**wrong)


# The soak


def test_a_soak_finds_no_difference():
    assert sum(sim.soak(seed) for seed in range(50)) == 1500


def test_a_soak_that_fails_tells_its_seed_and_fails_again(monkeypatch):
    right = sim.Model.move

    def wrong(self, joint, deg, speed, limit):
        told = right(self, joint, deg, speed, limit)
        if joint == 4:
            self.angles[4] += 1
        return told

    monkeypatch.setattr(sim.Model, "move", wrong)
    told = []
    for _ in range(2):
        with pytest.raises(sim.SoakFailed, match=r"seed 2: step \d+: joint 4 at ") as caught:
            sim.soak(2)
        told.append(str(caught.value))
    assert told[0] == told[1] and "arm_move" in told[0]
