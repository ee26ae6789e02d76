"""Devices that speak MCP by agentmote, from Python.

`Device` makes a device of functions, `connect` talks to one wherever it is,
and `agentmote.sim` simulates the bench arm on a virtual clock.
"""

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
    connect_async,
)
from agentmote._content import Audio, Embedded, Image, Link, Text
from agentmote._device import BaseDevice, Device, Served
from agentmote._errors import (
    CallCancelled,
    CallTimeout,
    ConnectionLost,
    Error,
    InvalidAnswer,
    ProtocolError,
    ToolError,
)
from agentmote._hints import Header, Length, Range, Unit
from agentmote._jobs import Call, Progress
from agentmote._native import PROTOCOL_VERSIONS, Clock, Connection, __version__
from agentmote._proxy import proxy
from agentmote._transports import LineTransport

__all__ = [
    "PROTOCOL_VERSIONS",
    "AsyncClient",
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
    "Device",
    "Embedded",
    "Error",
    "Header",
    "Image",
    "InvalidAnswer",
    "Length",
    "LineTransport",
    "Link",
    "Progress",
    "ProtocolError",
    "Question",
    "Range",
    "Resource",
    "Result",
    "Sent",
    "Served",
    "Text",
    "Tool",
    "ToolError",
    "Unit",
    "__version__",
    "connect",
    "connect_async",
    "proxy",
]
