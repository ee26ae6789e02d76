"""Devices that speak MCP by agentmote, from Python.

`Device` makes a device of functions, `connect` talks to one wherever it is,
and `agentmote.sim` simulates the bench arm on a virtual clock.
"""

import sys

if not getattr(sys, "_is_gil_enabled", lambda: True)():
    raise ImportError(
        "agentmote needs the global interpreter lock: start Python without "
        "-X gil=0 and without PYTHON_GIL=0"
    )

from agentmote._agent import Agent, Artifact, Task, TaskEvent
from agentmote._client import (
    AsyncClient,
    Changes,
    Client,
    Question,
    Resource,
    Result,
    Sent,
    Tool,
    connect,
    connect_agent,
    connect_async,
)
from agentmote._content import Audio, Embedded, Image, Link, Text
from agentmote._device import BaseDevice, Device, Served
from agentmote._errors import (
    CallCancelled,
    CallTimeout,
    ConnectionLost,
    ContentRefused,
    Error,
    InvalidAnswer,
    NoAgent,
    NotAllowed,
    NotSupported,
    ProtocolError,
    Rejected,
    TaskCanceled,
    TaskEnded,
    TaskFailed,
    TaskNotCancelable,
    TaskNotFound,
    TaskRejected,
    ToolError,
)
from agentmote._hints import Header, Length, Range, Unit
from agentmote._jobs import Call, Progress
from agentmote._policy import Attempt, AuditEvent, Policy, Tries, Verified
from agentmote._native import PROTOCOL_VERSIONS, Clock, Connection, __version__
from agentmote._proxy import proxy
from agentmote._transports import LineTransport
from agentmote._work import Message, Part, Say, Work

__all__ = [
    "PROTOCOL_VERSIONS",
    "Agent",
    "Artifact",
    "AsyncClient",
    "Attempt",
    "AuditEvent",
    "Audio",
    "BaseDevice",
    "Call",
    "CallCancelled",
    "CallTimeout",
    "Changes",
    "Client",
    "Clock",
    "Connection",
    "ConnectionLost",
    "ContentRefused",
    "Device",
    "Embedded",
    "Error",
    "Header",
    "Image",
    "InvalidAnswer",
    "Length",
    "LineTransport",
    "Link",
    "Message",
    "NoAgent",
    "NotAllowed",
    "NotSupported",
    "Part",
    "Policy",
    "Progress",
    "ProtocolError",
    "Question",
    "Range",
    "Rejected",
    "Resource",
    "Result",
    "Say",
    "Sent",
    "Served",
    "Task",
    "TaskCanceled",
    "TaskEnded",
    "TaskEvent",
    "TaskFailed",
    "TaskNotCancelable",
    "TaskNotFound",
    "TaskRejected",
    "Text",
    "Tool",
    "ToolError",
    "Tries",
    "Unit",
    "Verified",
    "Work",
    "__version__",
    "connect",
    "connect_agent",
    "connect_async",
    "proxy",
]
