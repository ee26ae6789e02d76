"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """The base of every exception of this package."""


class ToolError(Error):
    """A tool could not do what it was asked, with the reason in words.

    A handler raises it to give its caller a reason; a client raises it when a
    tool has failed. It is no error of the protocol (M-120).
    """


class ProtocolError(Error):
    """The peer has answered a request with an error of JSON-RPC."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        """The number of the error, such as -32602."""
        self.message = message
        """Its words."""
        self.data = data
        """What came with it, or None."""


class CallTimeout(Error, TimeoutError):
    """No answer came in time. The peer was told that the call is given up."""


class CallCancelled(Error):
    """The call was given up by its own caller."""


class ConnectionLost(Error, ConnectionError):
    """The connection has ended, or was never made. A call that was on its way
    may have acted: it is not sent again."""


class InvalidAnswer(Error):
    """The peer has sent what is no answer of the protocol."""
