"""Calls that take their time: generators, and coroutines on a loop of the
device.

The core asks each call for a step when it is due, by the clock of the device.
Nothing here waits and nothing runs in a thread of its own, so that a virtual
clock makes every run the same.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import heapq
import inspect
import math
from dataclasses import dataclass
from typing import (
    Any,
    Callable,
    Coroutine,
    Dict,
    Generator,
    List,
    Optional,
    Tuple,
    Type,
    TypeVar,
    cast,
)

from agentmote import _hints
from agentmote._native import Clock, Form, NeedInput

T = TypeVar("T")

Told = Tuple[bool, Any, Optional[int], int, int]
"""Whether it is done, its result, its progress and total, and milliseconds
until the next step."""

LOOK_MS = 2
"""How often a coroutine is looked at that waits for something other than
time."""

TURNS = 8
"""Turns of the loop in one step, while it has something to do."""


@dataclass(frozen=True)
class Progress:
    """What a generator yields to tell how far it is. A report that does not
    rise is dropped (M-127)."""

    done: int
    """Steps done."""
    total: int = 0
    """Steps in all; 0 if not known."""
    wait: float = 0.0
    """Seconds until the generator wants to go on."""


class Call:
    """One call, for a function that has a parameter of this type."""

    def __init__(
        self,
        clock: Clock,
        steps: bool,
        answers: Optional[Dict[str, Tuple[str, Any]]] = None,
    ) -> None:
        self._clock = clock
        self._steps = steps
        self._progress: Optional[Tuple[int, int]] = None
        self._answers = answers
        self._asked = 0

    @property
    def now(self) -> float:
        """Seconds on the clock of the device."""
        return self._clock.now()

    def progress(self, done: int, total: int = 0) -> None:
        """Tells how far the call is: steps done, and steps in all, 0 if not
        known. It reaches the caller if he asked for it, once the function
        waits next.

        Raises:
            RuntimeError: the function is a plain one, which answers at once.
        """
        if not self._steps:
            raise RuntimeError(
                "a plain function answers at once and has no progress: "
                "make it async, or a generator"
            )
        self._progress = whole(done), whole(total)

    def ask(self, message: str, form: Type[T], *, key: str = "") -> Optional[T]:
        """Asks the user of the caller, and gives the answer; None if the user
        has refused or gone away.

        The function is run anew from its beginning once the answer has come,
        in another request it may be, so it asks before it does anything and
        before it waits for anything, and the same each time. Its tool has
        ``asks=True``.

        Args:
            message: What the user reads.
            form: What is to be filled in: a hint such as ``int``, ``Literal``
                or ``Annotated[str, Length(max=8)]``, or a dataclass or a
                ``TypedDict`` of such.
            key: The name of the question on the wire; without one, its number.

        Raises:
            RuntimeError: the tool is not declared to ask.
            TypeError: no form can be made of the hint.
        """
        answer: Optional[T] = self._answer(message, form_of(cast(Any, form)), key)
        return answer

    def _answer(self, message: str, made: MadeForm, key: str) -> Any:
        if self._answers is None:
            raise RuntimeError("only a tool with asks=True can ask")
        key = key or f"q{self._asked}"
        self._asked += 1
        if key not in self._answers:
            raise NeedInput(key, message, made.native, None)
        action, content = self._answers[key]
        if action != "accept":
            return None
        value = content if made.field is None else content.get(made.field)
        return value if made.load is None else made.load(value)

    def confirm(self, message: str, *, key: str = "") -> bool:
        """Asks the user of the caller for a yes or no: whether it was a yes. See
        `ask`."""
        return self._answer(message, confirmation(), key) is True

    def _take(self) -> Tuple[Optional[int], int]:
        told, self._progress = self._progress, None
        return (None, 0) if told is None else told


FIELD = "value"
"""The one field of a form that is no object."""


@dataclass(frozen=True)
class MadeForm:
    """A form, and how its answer becomes a value of the hint."""

    native: Form
    field: Optional[str]
    """The one field whose value is the answer; None if all of it is."""
    load: Optional[Callable[[Any], Any]]


@functools.lru_cache(maxsize=None)
def form_of(hint: Any) -> MadeForm:
    """The form of a hint. The native one is kept for good, so it is made
    once."""
    if _hints.is_object(hint):
        found = _hints.describe(hint, "form")
        return MadeForm(Form(found.type[1]), None, found.load)
    member = _hints.member(
        FIELD, hint, inspect.Parameter.empty, True, "form", ""
    )
    return MadeForm(Form([member.plain]), FIELD, member.load)


@functools.lru_cache(maxsize=None)
def confirmation() -> MadeForm:
    """The form of a yes or no, as firmware asks it."""
    words = "Whether to go on."
    member = _hints.member("confirm", bool, inspect.Parameter.empty, True, "form", words)
    return MadeForm(Form([member.plain]), "confirm", None)


def whole(steps: float) -> int:
    """A number of steps as the core counts them: 0 to 2^32 - 1."""
    return max(0, min(int(steps), 2**32 - 1))


def milliseconds(seconds: float) -> int:
    """Seconds to wait, as the core counts them; at most an hour."""
    if not seconds > 0:
        return 0
    return min(math.ceil(seconds * 1000), 3_600_000)


class GeneratorJob:
    """A call whose function yields: seconds to wait, `Progress`, or None."""

    def __init__(self, generator: Generator[Any, None, Any], call: Call) -> None:
        self._generator = generator
        self._call = call

    def step(self) -> Told:
        try:
            told = next(self._generator)
        except StopIteration as end:
            return True, end.value, None, 0, 0
        seconds = 0.0
        if isinstance(told, Progress):
            self._call.progress(told.done, told.total)
            seconds = told.wait
        elif isinstance(told, (int, float)) and not isinstance(told, bool):
            seconds = told
        elif told is not None:
            self._generator.close()
            raise TypeError(
                f"a tool yields seconds, Progress or None, and not {told!r}"
            )
        done, total = self._call._take()
        return False, None, done, total, milliseconds(seconds)

    def cancel(self) -> None:
        self._generator.close()


class Loop(asyncio.SelectorEventLoop):
    """A loop whose time is that of the device, and that is turned by hand."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._device_clock = clock
        self._due: List[float] = []

    def time(self) -> float:
        return self._device_clock.now()

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Optional[contextvars.Context] = None,
    ) -> asyncio.TimerHandle:
        heapq.heappush(self._due, when)
        return super().call_at(when, callback, *args, context=context)

    def turn(self) -> None:
        """Runs what is due once; it does not wait."""
        # The thread may be inside another loop, that of a server: this one is
        # run to its stop, and nothing of the outer one is seen in between.
        outer = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        try:
            self.call_soon(self.stop)
            self.run_forever()
        finally:
            asyncio._set_running_loop(outer)

    def wait_ms(self) -> int:
        """Milliseconds until the next turn makes sense."""
        now = self.time()
        while self._due and self._due[0] <= now:
            heapq.heappop(self._due)
        if not self._due:
            return LOOK_MS
        wait = max(1, milliseconds(self._due[0] - now))
        return wait if self._device_clock.virtual else min(wait, LOOK_MS)


class CoroutineJob:
    """A call whose function is async."""

    def __init__(
        self, coroutine: Coroutine[Any, Any, Any], call: Call, loop: Loop
    ) -> None:
        self._loop = loop
        self._call = call
        self._task = loop.create_task(coroutine)

    def step(self) -> Told:
        for _ in range(TURNS):
            self._loop.turn()
            if self._task.done():
                if self._task.cancelled():
                    raise RuntimeError("the call was cancelled from inside")
                return True, self._task.result(), None, 0, 0
            if not getattr(self._loop, "_ready", ()):
                break
        done, total = self._call._take()
        return False, None, done, total, self._loop.wait_ms()

    def cancel(self) -> None:
        self._task.cancel()
        for _ in range(TURNS):
            self._loop.turn()
            if self._task.done():
                if not self._task.cancelled():
                    # Nobody asks for what it raised on its way out.
                    self._task.exception()
                return
