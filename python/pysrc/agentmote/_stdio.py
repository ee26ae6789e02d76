"""Lines over standard input and output."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from typing import Optional

from agentmote._native import Connection

CHUNK = 65536


def serve(connection: Connection) -> None:
    """Serves until the input ends (M-093)."""
    arrived: "queue.Queue[Optional[bytes]]" = queue.Queue(16)
    sys.stdout.flush()
    # What a handler prints must not stand between the messages.
    out = os.dup(1)
    os.dup2(2, 1)

    def read() -> None:
        while True:
            try:
                data = os.read(0, CHUNK)
            except OSError:
                data = b""
            arrived.put(data or None)
            if not data:
                return

    # Reading blocks, so it has a thread; it ends with the input or the process.
    threading.Thread(target=read, daemon=True, name="agentmote-stdin").start()
    try:
        pump(connection, arrived, out)
    except BrokenPipeError:
        pass
    finally:
        connection.reset()
        sys.stdout.flush()
        os.dup2(out, 1)
        os.close(out)


def pump(
    connection: Connection, arrived: "queue.Queue[Optional[bytes]]", out: int
) -> None:
    pending = b""
    while True:
        answer = connection.poll()
        if answer:
            write(out, answer)
            continue
        if pending:
            taken = connection.receive(pending)
            pending = pending[taken:]
            if taken:
                continue
        wait = connection.wait()
        if pending:
            time.sleep(0.001 if wait is None else max(wait, 0.001))
            continue
        try:
            data = arrived.get(timeout=None if wait is None else max(wait, 0.001))
        except queue.Empty:
            continue
        if data is None:
            return
        pending = data


def write(out: int, data: bytes) -> None:
    while data:
        data = data[os.write(out, data) :]
