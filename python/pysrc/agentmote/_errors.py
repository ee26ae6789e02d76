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


class Rejected(Error):
    """A task is not accepted, with the reason in words: a skill raises it to
    refuse the work."""


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


class NotAllowed(InvalidAnswer):
    """The peer does not let this caller in: HTTP 401 or 403."""


class NoAgent(Error):
    """The target has no agent: it has no card, or is reached by lines, over
    which A2A does not go."""


class TaskNotFound(ProtocolError):
    """There is no task of that id, or it is another caller's."""


class TaskNotCancelable(ProtocolError):
    """The task has ended, or its work cannot be stopped now."""


class NotSupported(ProtocolError):
    """The agent does not do that: push notification, a message to a task that
    has ended, a version that it does not speak."""


class ContentRefused(ProtocolError):
    """A part is of a type that the skill does not take, or it gives none of
    those that the caller takes."""


class TaskEnded(Error):
    """A task has not come to what was asked for, with its words."""

    def __init__(self, words: str, task: Any = None) -> None:
        super().__init__(words)
        self.task = task
        """The `Task`."""


class TaskFailed(TaskEnded):
    """Its work has failed."""


class TaskRejected(TaskEnded):
    """The agent has not accepted it."""


class TaskCanceled(TaskEnded):
    """It was stopped."""
