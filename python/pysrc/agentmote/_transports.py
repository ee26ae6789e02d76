"""Ways for lines to a device and back."""

from __future__ import annotations

import queue
import shlex
import socket
import subprocess
import threading
import time
import urllib.parse
from abc import ABC, abstractmethod
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from agentmote import _native
from agentmote._errors import ConnectionLost

CHUNK = 65536

LOOK = 0.02
"""Seconds between looks at a device in this process that another thread may
have given work."""


class LineTransport(ABC):
    """A stream of bytes in each direction.

    A transport of your own has these five methods, and goes to
    `agentmote.connect` as it is.
    """

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Sends all of `data`.

        Raises:
            ConnectionLost: the peer is gone.
        """

    @abstractmethod
    def read(self, timeout: float) -> bytes:
        """Some bytes that arrived; none if nothing does within `timeout`
        seconds of the clock of `now`.

        Raises:
            ConnectionLost: the peer is gone.
        """

    @abstractmethod
    def close(self) -> None:
        """Ends the connection. Once more does nothing."""

    def now(self) -> float:
        """Seconds on the clock by which limits are kept."""
        return time.monotonic()

    def reopen(self) -> None:
        """Connects anew, after the connection was lost.

        Raises:
            ConnectionLost: it cannot.
        """
        raise ConnectionLost("this connection cannot be opened again")


class DeviceTransport(LineTransport):
    """A device in this process. Time passes by its own clock: a virtual one is
    moved while its calls are waited for."""

    def __init__(self, device: _native.Device) -> None:
        self._device = device
        self._clock = device.clock
        self._connection = device.connection("lines")
        self._pending = self._out = b""
        self._working = threading.Lock()

    def now(self) -> float:
        return self._clock.now()

    def write(self, data: bytes) -> None:
        # At once, as a wire does: nobody may read what comes of it.
        self._pending += data
        with self._working:
            self._out += self._work()

    def _work(self) -> bytes:
        """Offers what is pending, and gives what there is to send."""
        out = b""
        while True:
            taken = self._connection.receive(self._pending) if self._pending else 0
            self._pending = self._pending[taken:]
            answer = self._connection.poll()
            out += answer
            if not (taken or answer):
                return out

    def read(self, timeout: float) -> bytes:
        end = self.now() + timeout
        while True:
            with self._working:
                out, self._out = self._out + self._work(), b""
            if out:
                return out
            left = end - self.now()
            if left <= 0:
                return b""
            wait = self._connection.wait()
            wait = left if wait is None else min(max(wait, 0.001), left)
            if self._clock.virtual:
                self._clock.advance(wait)
            else:
                time.sleep(min(wait, LOOK))

    def reopen(self) -> None:
        self.close()

    def close(self) -> None:
        self._pending = self._out = b""
        self._connection.reset()


class ProcessTransport(LineTransport):
    """A program whose standard input and output are the line."""

    def __init__(self, words: Sequence[str], first: bytes = b"") -> None:
        self._words = list(words)
        self._first = first
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._start()

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise ConnectionLost(f"{self._words[0]}: {error.strerror}") from error
        self._arrived: "queue.Queue[bytes]" = queue.Queue()
        process, arrived = self._process, self._arrived

        def pump() -> None:
            assert process.stdout is not None
            while True:
                try:
                    data = process.stdout.read(CHUNK)
                except (OSError, ValueError):
                    data = b""
                arrived.put(data or b"")
                if not data:
                    return

        # A pipe has no limit of time on every system; a queue has.
        threading.Thread(target=pump, daemon=True, name="agentmote-pipe").start()
        if self._first:
            self.write(self._first)

    def write(self, data: bytes) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise ConnectionLost("the program has ended")
        try:
            view = memoryview(data)
            while view:
                view = view[process.stdin.write(view) or 0 :]
        except (OSError, ValueError) as error:
            raise ConnectionLost(f"{self._words[0]} does not listen: {error}") from error

    def read(self, timeout: float) -> bytes:
        try:
            data = self._arrived.get(timeout=max(timeout, 0))
        except queue.Empty:
            return b""
        if not data:
            # Whoever reads next shall hear it too.
            self._arrived.put(b"")
            code = self._process.poll() if self._process else None
            ended = "has ended" if code is None else f"has ended with status {code}"
            raise ConnectionLost(f"{self._words[0]} {ended}")
        return data

    def reopen(self) -> None:
        self.close()
        self._start()

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # A server on standard input ends with it (M-093).
        for pipe in (process.stdin,):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout is not None:
            process.stdout.close()


class TcpTransport(LineTransport):
    """Lines over TCP."""

    def __init__(self, host: str, port: int, timeout: float = 10.0) -> None:
        self._address = host, port
        self._timeout = timeout
        self._socket: Optional[socket.socket] = None
        self.reopen()

    def write(self, data: bytes) -> None:
        if self._socket is None:
            raise ConnectionLost("the connection is closed")
        try:
            self._socket.settimeout(self._timeout)
            self._socket.sendall(data)
        except OSError as error:
            raise ConnectionLost(f"{self._name()}: {error}") from error

    def read(self, timeout: float) -> bytes:
        if self._socket is None:
            raise ConnectionLost("the connection is closed")
        try:
            # 0 would mean "do not wait" and is an error of another kind.
            self._socket.settimeout(max(timeout, 0.001))
            data = self._socket.recv(CHUNK)
        except (socket.timeout, TimeoutError):
            return b""
        except OSError as error:
            raise ConnectionLost(f"{self._name()}: {error}") from error
        if not data:
            raise ConnectionLost(f"{self._name()} has closed the connection")
        return data

    def _name(self) -> str:
        return f"{self._address[0]}:{self._address[1]}"

    def reopen(self) -> None:
        self.close()
        try:
            self._socket = socket.create_connection(self._address, self._timeout)
        except OSError as error:
            raise ConnectionLost(f"{self._name()}: {error}") from error

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class SerialTransport(LineTransport):
    """Lines over a serial port, by pyserial."""

    def __init__(self, port: str, baud: int = 115200) -> None:
        try:
            import serial  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise ConnectionLost(
                "a serial port needs pyserial: pip install 'agentmote[serial]'"
            ) from None
        self._serial_module: Any = serial
        self._settings = port, baud
        self._port: Any = None
        self.reopen()

    def write(self, data: bytes) -> None:
        try:
            self._port.write(data)
        except (OSError, AttributeError) as error:
            raise ConnectionLost(f"{self._settings[0]}: {error}") from error

    def read(self, timeout: float) -> bytes:
        try:
            self._port.timeout = max(timeout, 0)
            first: bytes = self._port.read(1)
            return first + self._port.read(self._port.in_waiting) if first else b""
        except (OSError, AttributeError, TypeError) as error:
            raise ConnectionLost(f"{self._settings[0]}: {error}") from error

    def reopen(self) -> None:
        self.close()
        port, baud = self._settings
        try:
            self._port = self._serial_module.serial_for_url(
                port, baudrate=baud, write_timeout=10
            )
        except (OSError, ValueError) as error:
            raise ConnectionLost(f"{port}: {error}") from error

    def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            port.close()


MACHINES = {"lm3s6965evb": ("-machine", "lm3s6965evb")}
"""Boards that can be emulated, as words of the emulator."""


def qemu(image: str, machine: str = "lm3s6965evb") -> ProcessTransport:
    """Firmware on an emulated board, its UART being the line."""
    if machine not in MACHINES:
        raise ValueError(f"machine {machine!r}: {', '.join(MACHINES)} can be emulated")
    words = ["qemu-system-arm", *MACHINES[machine], "-nographic", "-monitor", "none"]
    words += ["-nic", "none", "-serial", "stdio", "-kernel", image]
    # The emulated UART forgets one byte if it arrives before the firmware has
    # switched the FIFO on. An empty line means nothing to the board.
    return ProcessTransport(words, first=b"\n")


def options(text: str, known: Dict[str, Callable[[str], Any]], target: str) -> Tuple[str, Dict[str, Any]]:
    """What stands before ``?``, and the options behind it."""
    before, _, query = text.partition("?")
    found: Dict[str, Any] = {}
    for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True):
        if name not in known:
            words = ", ".join(known) or "none"
            raise ValueError(f"{target}: no option {name!r} (there is {words})")
        try:
            found[name] = known[name](value)
        except ValueError:
            raise ValueError(f"{target}: {value!r} is no {name}") from None
    return before, found


def line_transport(target: str) -> LineTransport:
    """The transport of a target that is no HTTP.

    Raises:
        ValueError: the target is none.
        ConnectionLost: it cannot be reached.
    """
    kind, colon, rest = target.partition(":")
    if not colon or not rest:
        raise ValueError(
            f"{target!r} is no target: stdio:COMMAND, tcp:HOST:PORT, http://…, "
            "serial:PORT, qemu:IMAGE, sim"
        )
    if kind == "stdio":
        words: List[str] = shlex.split(rest)
        return ProcessTransport(words)
    if kind == "tcp":
        place, _ = options(rest, {}, target)
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError(f"{target}: tcp:HOST:PORT is wanted")
        return TcpTransport(host.strip("[]"), int(port))
    if kind == "serial":
        port, found = options(rest, {"baud": int}, target)
        return SerialTransport(port, **found)
    if kind == "qemu":
        image, found = options(rest, {"machine": str}, target)
        return qemu(image, **found)
    raise ValueError(f"{target}: no kind of target {kind!r}")
