"""Simulation: the bench arm on a virtual clock, and wires with faults.

>>> from agentmote import connect, sim
>>> arm = sim.BenchArm()
>>> with connect(arm) as client:
...     client.call("arm_move", joint=1, deg=45.0, speed=50).text
'the joint is at its target'
>>> arm.angle(1), arm.clock.now()
(45.0, 0.5)

Half a second has passed for the arm and none outside: a virtual clock moves
when its device is waited for, or by `Clock.advance`.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from agentmote import _native
from agentmote._client import Client, connect
from agentmote._device import BaseDevice
from agentmote._errors import CallTimeout, Error, ToolError
from agentmote._transports import DeviceTransport

__all__ = ["BenchArm", "Faults", "Model", "SoakFailed", "Wire", "soak"]


class BenchArm(BaseDevice):
    """The bench arm of the firmware examples: the same Rust code, compiled
    into this module.

    Args:
        clock: What time it is for it; without one, a virtual clock at 0.
    """

    def __init__(self, clock: Optional[_native.Clock] = None) -> None:
        self.name = "bench-arm"
        self.clock = clock if clock is not None else _native.Clock(virtual=True)
        self._arm = _native.BenchArm(self.clock)

    @property
    def _native(self) -> _native.Device:
        return self._arm.device

    def angle(self, joint: int) -> float:
        """Degrees of a joint now, 0 to 5 from the base on.

        Raises:
            ValueError: there is no such joint.
        """
        return self._arm.angle(joint)

    @property
    def commands(self) -> int:
        """How many commands the drives have had since the start."""
        return self._arm.commands

    @property
    def note(self) -> str:
        """The note on the display."""
        return self._arm.note

    @property
    def celsius(self) -> float:
        """What the temperature sensor says; set it to ``nan`` to make it
        fail."""
        return self._arm.celsius

    @celsius.setter
    def celsius(self, celsius: float) -> None:
        self._arm.celsius = celsius

    def reset(self) -> None:
        """Starts the firmware anew: all joints at 0, no note. A `Wire` to it is
        to be reset as well, see `Wire.reset_board`."""
        self._arm.reset()


@dataclass(frozen=True)
class Faults:
    """What goes wrong on a wire: each a probability, 0 to 1."""

    noise: float = 0.0
    """Of a byte to arrive with one bit changed."""
    loss: float = 0.0
    """Of a byte to be lost."""
    cut: float = 0.0
    """Of a piece to end too early: the rest of it is lost."""
    piece: int = 0
    """Bytes that arrive at a time at most; 0 for all that were sent."""
    byte_seconds: float = 0.0
    """Seconds that each byte takes: 0.0000868 is 115,200 baud."""

    def __post_init__(self) -> None:
        for name in ("noise", "loss", "cut"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} {getattr(self, name)}: a probability is 0 to 1")
        if self.piece < 0 or not 0 <= self.byte_seconds <= 1:
            raise ValueError("piece and byte_seconds are not negative, a byte takes 1 s at most")


class Wire(DeviceTransport):
    """A line to a device in this process on which things go wrong.

    The same seed over the same device makes the same faults:

    >>> import agentmote
    >>> from agentmote import sim
    >>> def texts(seed):
    ...     wire = sim.Wire(sim.BenchArm(), sim.Faults(noise=0.001), seed=seed)
    ...     with agentmote.connect(wire, timeout=1, era="modern") as client:
    ...         for _ in range(20):
    ...             try:
    ...                 client.call("note_set", text="a wire with noise")
    ...             except agentmote.Error:
    ...                 pass
    ...         return [str(sent) for sent in client.trace]
    >>> texts(seed=7) == texts(seed=7)
    True

    Args:
        device: The device at the other end.
        faults: What goes wrong.
        seed: What the chances are drawn from.
    """

    def __init__(
        self, device: BaseDevice, faults: Faults = Faults(), *, seed: int = 0
    ) -> None:
        super().__init__(device._native)
        self.device = device
        """The device at the other end."""
        self.faults = faults
        """What goes wrong from now on."""
        self.seed = seed
        """What the chances are drawn from."""
        self.hit = 0
        """Bytes that were changed or lost."""
        self._random = random.Random(seed)
        self._held = b""

    def write(self, data: bytes) -> None:
        super().write(self._spoil(data))

    def read(self, timeout: float) -> bytes:
        if not self._held:
            self._held = self._spoil(super().read(timeout))
        piece = self.faults.piece or len(self._held)
        part, self._held = self._held[:piece], self._held[piece:]
        return part

    def reset_board(self) -> None:
        """Pulls the reset of a `BenchArm`: it starts anew, and forgets its peer
        and every call on its way."""
        self.reset_peer()
        if isinstance(self.device, BenchArm):
            self.device.reset()

    def reset_peer(self) -> None:
        """Makes the device forget its peer, as a board does whose port is
        opened anew: an unfinished line, and every call on its way."""
        self._connection.reset()
        self._pending = self._out = self._held = b""

    def close(self) -> None:
        super().close()
        self._held = b""

    def _spoil(self, data: bytes) -> bytes:
        faults, chance = self.faults, self._random.random
        if faults.byte_seconds and data:
            if self._clock.virtual:
                self._clock.advance(faults.byte_seconds * len(data))
        if not data or not (faults.noise or faults.loss or faults.cut):
            return data
        end = len(data)
        if faults.cut and chance() < faults.cut:
            end = self._random.randrange(len(data))
            self.hit += len(data) - end
        spoiled = bytearray()
        for byte in data[:end]:
            if faults.loss and chance() < faults.loss:
                self.hit += 1
                continue
            if faults.noise and chance() < faults.noise:
                self.hit += 1
                byte ^= 1 << self._random.randrange(8)
            spoiled.append(byte)
        return bytes(spoiled)


FULL_SPEED = 180.0
"""Degrees a second of a joint at full speed."""

ZONE = (-80.0, -60.0)
"""Where people stand, in degrees of the base."""

LOOK = 0.02
"""Seconds between looks of the arm at a joint that moves."""


class Model:
    """What the arm must do, once more and by other means: in floats, and with
    one call at a time."""

    def __init__(self) -> None:
        self.angles = [0.0] * 6
        self.note = ""
        self.commands = 0
        self.agrees = True
        """What the user answers next."""

    def asks(self, joint: int, deg: float) -> bool:
        """Whether a move asks first: the base does before the zone where people
        stand."""
        ends = self.angles[joint], deg
        return joint == 0 and min(ends) <= ZONE[1] and max(ends) >= ZONE[0]

    def move(self, joint: int, deg: float, speed: int, limit: float) -> str:
        """What a move answers within `limit` seconds; nothing if it is given up
        then."""
        if self.asks(joint, deg) and not self.agrees:
            return "failed: the user refused the move"
        way = deg - self.angles[joint]
        seconds = abs(way) / (FULL_SPEED * speed / 100)
        self.commands += 1
        if seconds <= limit:
            self.angles[joint] = deg
            # It is told when the arm looks next, by a clock of milliseconds.
            looks = math.ceil(int(seconds * 1000 + 1e-6) / (LOOK * 1000))
            return "the joint is at its target" if looks * LOOK <= limit else ""
        # On its way: it is stopped where it is.
        self.angles[joint] += way * limit / seconds
        self.commands += 1
        return ""

    def home(self) -> None:
        """All joints go to 0."""
        self.angles = [0.0] * 6
        self.commands += 6


class SoakFailed(AssertionError):
    """The arm and its model differ. The message tells the seed, and the last
    messages."""


def soak(seed: int, steps: int = 30) -> int:
    """One run of random calls, some of them wrong or given up, with resets of
    the board and a failing sensor between, then noise on the wire; compared
    with a model of the arm after each step.

    >>> sum(soak(seed) for seed in range(5))
    150

    Args:
        seed: What everything is drawn from: the same seed is the same run.
        steps: How many calls.

    Returns:
        How many calls were made.

    Raises:
        SoakFailed: the arm does not do what the model does.
    """
    arm = BenchArm()
    wire = Wire(arm, seed=seed)
    chance = random.Random(seed)
    model = Model()
    era = chance.choice(("modern", "legacy"))
    with connect(wire, era=era, on_input=lambda question: model.agrees) as client:

        def fail(what: str) -> None:
            last = "\n".join(str(sent) for sent in client.trace[-12:])
            raise SoakFailed(f"seed {seed}: {what}\n{last}")

        for step in range(steps):
            told, wanted = _step(chance, arm, wire, client, model)
            if told != wanted:
                fail(f"step {step}: wanted {wanted!r}, came {told!r}")
            if arm.note != model.note or arm.commands != model.commands:
                fail(
                    f"step {step}: wanted note {model.note!r} and {model.commands} commands, "
                    f"found {arm.note!r} and {arm.commands}"
                )
            for joint, angle in enumerate(model.angles):
                if abs(arm.angle(joint) - angle) > 0.5:
                    fail(f"step {step}: joint {joint} at {arm.angle(joint)}, wanted {angle}")
                # Each step begins where the arm stands, not where the model
                # thinks it does: a thousandth of a degree must not add up.
                model.angles[joint] = arm.angle(joint)
        wire.faults = Faults(
            noise=chance.choice((0, 0.002)),
            loss=chance.choice((0, 0.002)),
            cut=chance.choice((0, 0.1)),
            piece=chance.choice((0, 1, 7)),
        )
        for _ in range(5):
            try:
                client.call_tool("arm_move", {"joint": 1, "deg": 5, "speed": 90}, timeout=2)
            except Error:
                pass
        wire.faults = Faults()
        # Whatever the noise was: the next whole line is understood.
        wire.reset_peer()
        client.reconnect()
        if client.call("arm_stop").text != "stopped":
            fail("no stop after noise")
        for joint in range(6):
            if not -90 <= arm.angle(joint) <= 90:
                fail(f"noise has moved joint {joint} to {arm.angle(joint)}")
    return steps


def _step(
    chance: random.Random, arm: BenchArm, wire: Wire, client: Client, model: Model
) -> Tuple[str, str]:
    """One call; what came of it, and what should have."""
    kind = chance.choice(("move", "move", "give up", "home", "stop", "note", "temp", "bad", "reset"))
    if kind in ("move", "give up"):
        joint, speed = chance.randrange(6), chance.randint(1, 100)
        deg = round(chance.uniform(-90, 90), chance.randrange(4))
        limit = 0.25 if kind == "give up" else 1000.0
        # A time-out and an arrival within the same few milliseconds may come in
        # either order.
        seconds = abs(deg - model.angles[joint]) / (FULL_SPEED * speed / 100)
        if abs(seconds - limit) < 0.005:
            limit = 1000.0
        model.agrees = chance.random() < 0.7
        wanted = model.move(joint, deg, speed, limit)
        given = {"joint": joint, "deg": deg, "speed": speed}
        return _call(client, "arm_move", given, limit), wanted
    if kind == "home":
        model.home()
        return _call(client, "arm_home", {}, 1000.0), "the arm is at home"
    if kind == "stop":
        return _call(client, "arm_stop", {}, 1.0), "stopped"
    if kind == "note":
        text = "".join(chance.choices("aé語😀\"\\\n", k=chance.randint(0, 40)))
        if len(text) > 32:
            return (
                _call(client, "note_set", {"text": text}, 1.0),
                f"failed: text: {len(text)} characters, the maximum is 32",
            )
        model.note = text
        return _call(client, "note_set", {"text": text}, 1.0), "done"
    if kind == "temp":
        arm.celsius = chance.choice((24.5, -3.25, math.nan))
        told = _call(client, "temp_read", {}, 1.0)
        if math.isnan(arm.celsius):
            wanted = "failed: temp_read: the result holds a value that is not a finite number"
            return told, wanted
        return told, '{"celsius":%s}' % arm.celsius
    if kind == "bad":
        joint = chance.choice((-1, 6, 2**31, 2**63, -(2**63)))
        told = _call(client, "arm_move", {"joint": joint, "deg": 1}, 1.0)
        end = "below the minimum 0" if joint < 0 else "above the maximum 5"
        return told, f"failed: joint: {joint} is {end}"
    model.angles, model.note, model.commands = [0.0] * 6, "", 0
    arm.celsius = 24.5
    wire.reset_board()
    client.reconnect()
    return "", ""


def _call(client: Client, name: str, arguments: Dict[str, Any], limit: float) -> str:
    try:
        return client.call_tool(name, arguments, timeout=limit).text
    except ToolError as error:
        return f"failed: {error}"
    except CallTimeout:
        return ""
