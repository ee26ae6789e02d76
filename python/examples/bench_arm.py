"""The bench arm once more, this time as Python functions.

It answers byte for byte what the firmware answers; the tests compare them.

usage: bench_arm.py [--port N | --stdio]
"""

from __future__ import annotations

import argparse
from typing import Annotated, Dict, Iterator, List, Optional, TypedDict

import agentmote
from agentmote import Length, Progress, Range, Rejected, ToolError, Unit, Work

JOINTS = 6
FULL_SPEED = 180
"""Degrees a second: thousandths of a degree in a millisecond."""
LOOK = 0.02
"""Seconds between looks at a joint that moves."""
HOME_SPEED = 50
"""Percent of full speed."""
OUT = 10_000
"""How far a joint moves when it is calibrated, in thousandths of a degree."""
ZONE = (-80_000, -60_000)
"""Where people stand, in thousandths of a degree of the base."""
POSE = "device://bench-arm/pose"
TEMPERATURE = "device://bench-arm/temperature"


class Joint:
    """One joint: its last move, straight and at an even speed. It counts as the
    firmware does, in thousandths of a degree and milliseconds."""

    def __init__(self) -> None:
        self.begin = self.end = self.start = self.millis = self.job = 0

    def move(self, to: int, speed: int, job: int, now: int) -> None:
        self.begin, self.end = self.angle(now), to
        self.start, self.job = now, job
        self.millis = abs(self.end - self.begin) * 100 // (FULL_SPEED * speed)

    def halt(self, now: int) -> None:
        self.begin = self.end = self.angle(now)
        self.start, self.millis = now, 0

    def moves(self, now: int) -> bool:
        return now - self.start < self.millis

    def percent(self, now: int) -> int:
        """How much of the way is done."""
        done = min(now - self.start, self.millis)
        return done * 100 // self.millis if self.millis else 100

    def angle(self, now: int) -> int:
        if not self.moves(now):
            return self.end
        part = (now - self.start) * 1000 // self.millis
        way = self.end - self.begin
        sign = 1 if way >= 0 else -1
        whole, rest = divmod(abs(way), 1000)
        return self.begin + sign * (whole * part + rest * part // 1000)


class Temp(TypedDict):
    """What the sensor says.

    Attributes:
        celsius: Temperature of the board.
    """

    celsius: Annotated[float, Unit("celsius")]


def bench_arm(clock: Optional[agentmote.Clock] = None) -> agentmote.Device:
    """The arm as a device."""
    device = agentmote.Device(
        "bench-arm",
        title="Bench arm",
        version=agentmote.__version__,
        instructions="Joint 0 is the base. Angles are in degrees.",
        description="A bench-top robot arm with six joints.",
        clock=clock,
    )
    joints = [Joint() for _ in range(JOINTS)]
    jobs = iter(range(1, 2**63))
    stopped: List[int] = []

    def millis() -> int:
        return round(device.clock.now() * 1000)

    def halt(job: Optional[int]) -> None:
        now = millis()
        for joint in joints:
            if joint.moves(now) and job in (None, joint.job):
                joint.halt(now)
                stopped.append(joint.job)
        del stopped[:-64]

    def wait(job: int, told: Optional[Joint], stop: str) -> Iterator[object]:
        """Yields until the job has ended, whichever way."""
        try:
            while True:
                now = millis()
                if job in stopped:
                    raise ToolError(stop)
                if not any(joint.job == job and joint.moves(now) for joint in joints):
                    return
                if told is None:
                    yield LOOK
                else:
                    yield Progress(told.percent(now), 100, wait=LOOK)
        except GeneratorExit:
            halt(job)
            raise

    @device.tool(title="Move a joint", actuates=True, idempotent=True, asks=True)
    def arm_move(
        call: agentmote.Call,
        joint: Annotated[int, Range(0, JOINTS - 1)],
        deg: Annotated[float, Range(-90, 90), Unit("deg")],
        speed: Annotated[int, Range(1, 100), Unit("percent")] = 20,
    ):  # type: ignore[no-untyped-def]
        """Moves one joint to an angle, and answers when it is there.

        Args:
            joint: Joint number, base first.
            deg: Target angle.
            speed: Share of full speed.
        """
        now, target = millis(), round(deg * 1000)
        if any(other.job == joints[joint].job and other.moves(now) for other in joints):
            raise ToolError("the joint is still moving")
        ends = joints[joint].angle(now), target
        if joint == 0 and min(ends) <= ZONE[1] and max(ends) >= ZONE[0]:
            question = "Move the base through the zone where people stand?"
            if not call.confirm(question, key="zone"):
                raise ToolError("the user refused the move")
        job = next(jobs)
        joints[joint].move(target, speed, job, now)
        yield from wait(job, joints[joint], "the joint was stopped on its way")
        return "the joint is at its target"

    @device.tool(title="Go home", actuates=True, idempotent=True)
    def arm_home():  # type: ignore[no-untyped-def]
        """Moves every joint to 0 degrees, and answers when all are there."""
        now = millis()
        if any(joint.moves(now) for joint in joints):
            raise ToolError("a joint is still moving")
        job = next(jobs)
        for joint in joints:
            joint.move(0, HOME_SPEED, job, now)
        yield from wait(job, None, "the arm was stopped on its way")
        return "the arm is at home"

    @device.tool(title="Stop", actuates=True, idempotent=True)
    def arm_stop() -> str:
        """Stops every joint where it is. Always served at once."""
        halt(None)
        return "stopped"

    @device.tool(title="Write a note", idempotent=True)
    def note_set(text: Annotated[str, Length(max=32)]) -> None:
        """Writes a note to the arm's display.

        Args:
            text: Text for the display.
        """

    @device.tool(title="Read the temperature", read_only=True, idempotent=True)
    def temp_read() -> Temp:
        """Reads the temperature of the arm's board."""
        return {"celsius": 24.5}

    def angles() -> List[float]:
        now = millis()
        return [joint.angle(now) / 1000 for joint in joints]

    @device.resource(TEMPERATURE, title="Temperature", watch=lambda: 24.5)
    def temperature() -> Temp:
        """Temperature of the arm's board, in degrees Celsius."""
        return {"celsius": 24.5}

    @device.resource(POSE, title="Pose", watch=angles)
    def pose() -> Dict[str, List[float]]:
        """Angle of each joint in degrees, base first."""
        return {"deg": angles()}

    calibrating: List[str] = []

    @device.skill(
        name="Calibrate",
        tags=["arm", "motion"],
        examples=["calibrate the arm"],
        words=["calibrate", "calibration"],
        output_modes=["application/json", "text/plain"],
    )
    def calibrate(work: Work):  # type: ignore[no-untyped-def]
        """Moves each joint out and back, once the caller has confirmed it."""
        answer = yield work.ask("Calibration moves every joint. Answer yes to go on.")
        if answer.strip().lower() != "yes":
            raise Rejected("the calibration was not confirmed")
        begun = millis()
        if calibrating or any(joint.moves(begun) for joint in joints):
            raise ToolError("the arm is still moving")
        calibrating.append(work.id)
        try:
            for at, joint in enumerate(joints):
                work.report(f"joint {at} of {JOINTS}")
                for to in (OUT, 0):
                    job = next(jobs)
                    joint.move(to, HOME_SPEED, job, millis())
                    yield from wait(job, None, "the arm was stopped on its way")
        finally:
            calibrating.clear()
        work.artifact("calibration", {"joints": JOINTS, "millis": millis() - begun})

    device.tool_skill(
        "arm_home",
        id="home",
        name="Go home",
        description="Moves every joint to 0 degrees.",
        tags=["arm", "motion"],
        examples=["home the arm"],
        words=["home"],
        input_modes=["text/plain"],
        output_modes=["text/plain"],
    )
    return device


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--stdio", action="store_true")
    options = parser.parse_args()
    device = bench_arm()
    if options.stdio:
        device.serve_stdio()
    else:
        device.serve(f"127.0.0.1:{options.port}")


if __name__ == "__main__":
    main()
