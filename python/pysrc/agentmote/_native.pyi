from typing import Any, Callable, Dict, List, Optional, Tuple, Union, final

__all__ = [
    "MAX_CALLS",
    "MAX_CREDENTIALS",
    "MAX_DEPTH",
    "MAX_PARAMS",
    "MAX_REQUEST",
    "MAX_RESULT",
    "MAX_STATUS",
    "MAX_TASK",
    "MAX_TASKS",
    "PROTOCOL_VERSIONS",
    "BenchArm",
    "Clock",
    "Connection",
    "Device",
    "Form",
    "Listener",
    "NeedInput",
    "__version__",
    "end_work",
]

_Bytes = Union[bytes, bytearray, memoryview]

__version__: str
"""The version of the package and of the core in it."""

PROTOCOL_VERSIONS: Tuple[str, ...]
"""The revisions of MCP that the core serves, newest first."""

MAX_PARAMS: int
"""Parameters of one tool, and members of one object."""

MAX_DEPTH: int
"""Levels of nested objects and lists in the parameters of a tool."""

MAX_REQUEST: int
"""Bytes of the longest request; of HTTP, with its head."""

MAX_RESULT: int
"""Bytes of the largest result of a tool."""

MAX_CALLS: int
"""Calls that take their time and are on their way on one line connection."""

MAX_CREDENTIALS: int
"""Credentials of a policy."""

MAX_TASKS: int
"""Tasks of a device at once, finished ones that are still kept among them."""

MAX_TASK: int
"""Bytes of what one task comes to: its messages, statuses, artifacts."""

MAX_STATUS: int
"""Bytes of a report or a question of a task."""

def end_work() -> None: ...

@final
class Clock:
    def __new__(cls, *, virtual: bool = False) -> Clock: ...
    @property
    def virtual(self) -> bool: ...
    def now(self) -> float: ...
    def advance(self, seconds: float) -> None: ...

@final
class Device:
    def __new__(
        cls,
        identity: Dict[str, str],
        tables: Tuple[
            List[Dict[str, Any]],
            List[Dict[str, Any]],
            List[Dict[str, Any]],
            List[Dict[str, Any]],
        ],
        policy: Optional[Dict[str, Any]],
        explain: Callable[[BaseException], str],
        clock: Clock,
    ) -> Device: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def runs(self) -> int: ...
    def changed(self, uri: str) -> bool: ...
    def go_on(self) -> None: ...
    def add_credential(
        self,
        name: str,
        digest: bytes,
        caller: Tuple[int, int, str],
        scopes: int,
        expires: Optional[float],
    ) -> None: ...
    def revoke_credential(self, name: str) -> bool: ...
    def rotate_credential(self, name: str, digest: bytes) -> bool: ...
    def handle(
        self, data: _Bytes, *, http: bool = False, timeout: float = 3600.0
    ) -> bytes: ...
    def connection(
        self,
        framing: str,
        *,
        hosts: Optional[List[str]] = None,
        origins: Optional[List[str]] = None,
        tokens: Optional[List[Tuple[str, int]]] = None,
        url: Optional[str] = None,
    ) -> Connection: ...
    def listen(
        self,
        address: str,
        *,
        hosts: Optional[List[str]] = None,
        origins: Optional[List[str]] = None,
        tokens: Optional[List[Tuple[str, int]]] = None,
        url: Optional[str] = None,
    ) -> Listener: ...

@final
class Form:
    def __new__(cls, fields: List[Dict[str, Any]]) -> Form: ...

class NeedInput(BaseException): ...

@final
class Connection:
    @property
    def closed(self) -> bool: ...
    @property
    def idle(self) -> bool: ...
    def receive(self, data: _Bytes) -> int: ...
    def poll(self) -> bytes: ...
    def wait(self) -> Optional[float]: ...
    def reset(self) -> None: ...

@final
class Listener:
    @property
    def address(self) -> Tuple[str, int]: ...
    def close(self) -> None: ...

@final
class BenchArm:
    def __new__(cls, clock: Clock) -> BenchArm: ...
    @property
    def device(self) -> Device: ...
    @property
    def commands(self) -> int: ...
    @property
    def note(self) -> str: ...
    @property
    def celsius(self) -> float: ...
    @celsius.setter
    def celsius(self, celsius: float) -> None: ...
    def angle(self, joint: int) -> float: ...
    def reset(self) -> None: ...
