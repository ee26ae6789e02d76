"""Recordings of what was exchanged, and their replay.

A recording is a text of JSON lines: a head, then one line for each message,
with the second at which it passed.

>>> import io, agentmote
>>> from agentmote import recording, sim
>>> file = io.StringIO()
>>> with agentmote.connect(sim.BenchArm()) as arm, recording.Recorder(arm, file):
...     _ = arm.call("arm_move", joint=1, deg=30)
>>> recording.replay(io.StringIO(file.getvalue()), sim.BenchArm())
1
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, TextIO

from agentmote._client import Client, Sent, members
from agentmote._device import BaseDevice
from agentmote._errors import Error
from agentmote._transports import DeviceTransport, LineTransport

__all__ = ["BadRecording", "Difference", "Recorder", "load", "replay"]

HEAD = {"agentmote": "recording", "format": 1}


class BadRecording(Error, ValueError):
    """A text that is no recording."""


class Difference(Error, AssertionError):
    """A device has answered otherwise than in the recording."""


class Recorder:
    """Writes what a client exchanges from now on; ends with its ``with``.

    Args:
        client: The client.
        file: Where to; it stays open.
        about: What to remember of the run, such as its seed.
    """

    def __init__(
        self, client: Client, file: TextIO, *, about: Optional[Dict[str, Any]] = None
    ) -> None:
        self._client = client
        self._file = file
        self._write({**HEAD, **(about or {})})
        client.listeners.append(self._note)

    def _write(self, line: Dict[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

    def _note(self, sent: Sent) -> None:
        self._write(
            {
                "seconds": round(sent.seconds, 3),
                "to": "device" if sent.to_device else "client",
                "text": sent.text,
            }
        )

    def close(self) -> None:
        """Ends the recording. Once more does nothing."""
        if self._note in self._client.listeners:
            self._client.listeners.remove(self._note)
            self._file.flush()

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class _Turn:
    """What goes to the device at once, and what comes of it."""

    seconds: float
    text: str
    answers: List[str]


def load(file: TextIO) -> List[Sent]:
    """The messages of a recording.

    Raises:
        BadRecording: it is none.
    """
    found: List[Sent] = []
    at = 0
    for at, line in enumerate(file, 1):
        try:
            given = members(json.loads(line))
            if at == 1:
                if {name: given.get(name) for name in HEAD} != HEAD:
                    raise BadRecording("line 1: no head of a recording")
                continue
            found.append(
                Sent(float(given["seconds"]), given["to"] == "device", str(given["text"]))
            )
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, BadRecording):
                raise
            raise BadRecording(f"line {at}: no message: {error}") from None
    if at == 0:
        raise BadRecording("it is empty")
    return found


def replay(file: TextIO, target: "BaseDevice | LineTransport", *, timeout: float = 30.0) -> int:
    """Sends what a client has sent, and compares the answers byte for byte.

    On a virtual clock each message goes out at the second of the recording,
    counted from its first message.

    Args:
        file: The recording.
        target: A device in this process, or a line to one anywhere.
        timeout: Seconds that an answer may take.

    Returns:
        How many messages were sent.

    Raises:
        BadRecording: the text is none.
        Difference: an answer is another one, or is missing.
    """
    turns = _turns(load(file))
    line = DeviceTransport(target._native) if isinstance(target, BaseDevice) else target
    clock = target.clock if isinstance(target, BaseDevice) else None
    pending = b""
    for at, turn in enumerate(turns):
        if clock is not None and clock.virtual:
            ahead = turn.seconds - turns[0].seconds - clock.now()
            while ahead > 0.0005:
                pending += line.read(ahead)
                ahead = turn.seconds - turns[0].seconds - clock.now()
        line.write(turn.text.encode() + b"\n")
        for wanted in turn.answers:
            end = line.now() + timeout
            while b"\n" not in pending:
                left = end - line.now()
                if left <= 0:
                    raise Difference(
                        f"message {at + 1}: no answer to {turn.text}\nwanted: {wanted}"
                    )
                pending += line.read(left)
            answer, _, pending = pending.partition(b"\n")
            came = answer.decode(errors="replace").rstrip("\r")
            if came != wanted:
                raise Difference(
                    f"message {at + 1}: {turn.text}\nwanted: {wanted}\ncame:   {came}"
                )
    return len(turns)


def _turns(messages: List[Sent]) -> List[_Turn]:
    turns: List[_Turn] = []
    for sent in messages:
        if sent.to_device:
            turns.append(_Turn(sent.seconds, sent.text, []))
        elif turns:
            turns[-1].answers.append(sent.text)
    return turns
