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

import random
from dataclasses import dataclass
from typing import Optional

from agentmote import _native
from agentmote._device import BaseDevice
from agentmote._transports import DeviceTransport

__all__ = ["BenchArm", "Faults", "Wire"]


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
        if isinstance(self.device, BenchArm):
            self._connection.reset()
            self._connection = self._device.connection("lines")
            self.device.reset()
        self._pending = self._held = b""

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
