"""The reading of an HTTP answer, part by part."""

from __future__ import annotations

from typing import List, Optional, Tuple


class AnswerReader:
    """Takes the bytes of one answer as they come, and gives its body.

    Raises:
        ValueError: the bytes are no answer of HTTP/1.1.
    """

    def __init__(self) -> None:
        self.status: Optional[int] = None
        self.headers: List[Tuple[bytes, bytes]] = []
        """Names in small letters."""
        self.ended = False
        self._pending = b""
        self._body = bytearray()
        self._left: Optional[int] = None
        self._chunked = False

    def feed(self, data: bytes) -> None:
        """Takes bytes that arrived."""
        self._pending += data
        while not self.ended and (self._read_head() if self.status is None else self._read_body()):
            pass

    def take(self) -> bytes:
        """The part of the body that has come since the last time."""
        part = bytes(self._body)
        self._body.clear()
        return part

    def header(self, name: bytes) -> Optional[bytes]:
        """The value of a header, by its name in small letters."""
        return next((value for found, value in self.headers if found == name), None)

    def _read_head(self) -> bool:
        head, end, rest = self._pending.partition(b"\r\n\r\n")
        if not end:
            return False
        first, *lines = head.split(b"\r\n")
        version, _, status = first.partition(b" ")
        if not version.startswith(b"HTTP/1."):
            raise ValueError(f"no status line: {first!r}")
        self._pending = rest
        code = int(status[:3])
        if code == 100:
            return True
        self.status = code
        for line in lines:
            name, _, value = line.partition(b":")
            self.headers.append((name.strip().lower(), value.strip()))
        if self.header(b"transfer-encoding") == b"chunked":
            self._chunked = True
        else:
            self._left = int(self.header(b"content-length") or b"0")
            self.ended = self._left == 0
        return True

    def _read_body(self) -> bool:
        if self._chunked and self._left is None:
            line, end, rest = self._pending.partition(b"\r\n")
            if not end:
                return False
            self._left = int(line.split(b";")[0], 16)
            self._pending = rest
            if self._left == 0:
                self.ended = True
            return True
        left = self._left or 0
        part = self._pending[:left]
        self._body += part
        self._pending = self._pending[len(part) :]
        self._left = left - len(part)
        if self._left:
            return False
        if not self._chunked:
            self.ended = True
            return True
        if len(self._pending) < 2:
            self._left = 0
            return False
        self._pending = self._pending[2:]
        self._left = None
        return True
