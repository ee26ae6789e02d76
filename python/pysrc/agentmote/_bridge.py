"""A device behind a line, for an AI host that speaks standard input and
output."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Callable, Optional

from agentmote._errors import ConnectionLost
from agentmote._transports import LineTransport

CHUNK = 65536

LAST = 1.0
"""Seconds that a device may still answer after the host has ended."""

Seen = Optional[Callable[[bool, bytes], None]]


def bridge(line: LineTransport, seen: Seen = None) -> None:
    """Passes bytes both ways until the host ends, or the device is lost.

    Args:
        line: The device.
        seen: Gets all that passes, and whether it goes to the device.

    Raises:
        ConnectionLost: the device is gone.
    """
    ended = threading.Event()
    lost: "list[ConnectionLost]" = []

    def read_host() -> None:
        try:
            while True:
                data = os.read(0, CHUNK)
                if not data:
                    return
                if seen:
                    seen(True, data)
                line.write(data)
        except ConnectionLost as error:
            lost.append(error)
        finally:
            ended.set()

    # Reading the host blocks; it ends with the host or the process.
    threading.Thread(target=read_host, daemon=True, name="agentmote-host").start()
    quiet_since: Optional[float] = None
    while not lost:
        data = line.read(0.05)
        if data:
            quiet_since = None
            if seen:
                seen(False, data)
            try:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            except BrokenPipeError:
                return
        elif ended.is_set():
            quiet_since = quiet_since or time.monotonic()
            if time.monotonic() - quiet_since > LAST:
                return
    raise lost[0]
