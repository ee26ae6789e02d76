"""Skills: what a device does for a message, as the work of a task.

A job is stepped by the core when it is due, by the clock of the device, as a
call that takes its time is (see `_jobs`). What it has to tell goes with the
next step.
"""

from __future__ import annotations

import asyncio
import enum
import inspect
import typing
from dataclasses import dataclass, field
from typing import (
    Any,
    Awaitable,
    Callable,
    Coroutine,
    Dict,
    Generator,
    List,
    Optional,
    Sequence,
    Tuple,
    cast,
)

from agentmote import _hints, _native
from agentmote._errors import Rejected
from agentmote._jobs import TURNS, Loop, Progress, milliseconds, whole

About = Tuple[str, str, List[Tuple[str, Any, str, str]], int]
"""The id of a task, the id and the parts of its newest message, and the number
of who sent it."""

Output = Tuple[Optional[str], Tuple[str, Any, str, str], bool]
"""A part: the name of the artifact that it begins, or None if it goes to the
newest one; and whether nothing follows."""

Told = Tuple[str, str, List[Output], int]
"""What a step came to, its words, its output, and milliseconds to the next."""

KINDS = ("text", "data", "raw", "url")
"""What a part may be."""


@dataclass(frozen=True)
class Part:
    """A part of a message or of an artifact.

    ``str`` is text, ``bytes`` are a file, anything else is data; ``kind="url"``
    says that a text is where the content is.

    Raises:
        ValueError: there is no such kind.
    """

    content: Any
    kind: str = ""
    """``text``, ``data``, ``raw`` or ``url``."""
    mime: str = ""
    """Its media type; empty if not told."""
    filename: str = ""
    """Its file name; empty if not told."""

    def __post_init__(self) -> None:
        if not self.kind:
            content = self.content
            text, raw = isinstance(content, str), isinstance(content, bytes)
            object.__setattr__(self, "kind", "text" if text else "raw" if raw else "data")
        if self.kind not in KINDS:
            raise ValueError(f"a part is {', '.join(KINDS)}, and not {self.kind!r}")

    @property
    def text(self) -> str:
        """The text; empty if it is none."""
        return self.content if self.kind == "text" else ""


@dataclass(frozen=True)
class Message:
    """What somebody has said."""

    parts: List[Part] = field(default_factory=lambda: [])
    id: str = ""

    @property
    def text(self) -> str:
        """The texts of its parts, each on lines of its own."""
        return "\n".join(part.text for part in self.parts if part.kind == "text")

    @property
    def data(self) -> Any:
        """The data of the first part that is data, or None."""
        return next((part.content for part in self.parts if part.kind == "data"), None)


@dataclass(frozen=True)
class Say:
    """What a skill with ``talks=True`` returns to answer with a word, and not
    with a task."""

    text: str


class Question:
    """A question that waits for its answer; see `Work.ask`."""

    def __init__(self, work: "Work", text: str) -> None:
        self._work = work
        self.text = text

    def __await__(self) -> Generator[Any, None, str]:
        return self._work._wait(self).__await__()


class Work:
    """One task, for a skill that has a parameter of this type."""

    def __init__(self, clock: _native.Clock, about: About) -> None:
        self._clock = clock
        self._output: List[Output] = []
        self._report = ""
        self._leave = False
        self._cannot_stop = False
        self._question: Optional[Question] = None
        self._answer: "Optional[asyncio.Future[str]]" = None
        self.id = about[0]
        """The id of the task."""
        self.caller = about[3]
        """The number of who asked: that of his token, from 1; 0 for whoever
        needs none."""
        self.message = Message()
        """His newest message."""
        self.cancelled = False
        """Whether he wants the work stopped."""
        self._take(about)

    @property
    def now(self) -> float:
        """Seconds on the clock of the device."""
        return self._clock.now()

    @property
    def text(self) -> str:
        """The text of the newest message."""
        return self.message.text

    def report(self, text: str) -> None:
        """Says how far the work is, as the message of the task's status. It is
        told once the function waits next; what is longer than
        `MAX_STATUS` bytes ends with an ellipsis."""
        self._report = text

    def progress(self, done: int, total: int = 0) -> None:
        """Says how far the work is, in steps; see `report`."""
        self.report(steps(done, total))

    def ask(self, question: str) -> Question:
        """Asks the caller: the task waits for his next message, whose text is
        the answer. ``await work.ask(…)`` in an async function, ``answer =
        yield work.ask(…)`` in a generator.

        Raises:
            ValueError: the question is longer than `MAX_STATUS` bytes.
        """
        size = len(question.encode())
        if size > _native.MAX_STATUS:
            most = _native.MAX_STATUS
            raise ValueError(f"the question has {size} bytes, {most} are allowed")
        return Question(self, question)

    def need_leave(self, what: str) -> None:
        """Says what leave the work needs, and from where. The function goes on
        waiting, and tells by `report` when it has it."""
        self._report = what
        self._leave = True

    def artifact(self, name: str, *content: Any) -> None:
        """Adds an artifact: text, bytes, `Part`, or data.

        A task that has none when its function returns None has failed (A-157).
        What goes beyond the room of a task fails it.

        Raises:
            ValueError: there is no content.
        """
        if not content:
            raise ValueError(f"artifact {name!r}: it has no content")
        for at, one in enumerate(content):
            last = at + 1 == len(content)
            self._output.append((None if at else name, plain_part(one), last))

    def append(self, content: Any, *, last: bool = False) -> None:
        """Adds a part to the newest artifact; `last` says that nothing
        follows."""
        self._output.append((None, plain_part(content), last))

    def cannot_stop(self) -> None:
        """Says, of work that is to be stopped, that it cannot be stopped now
        and goes on."""
        self._cannot_stop = True

    def _take(self, about: About) -> None:
        parts = [Part(content, kind, mime, name) for kind, content, mime, name in about[2]]
        self.message = Message(parts, about[1])

    async def _wait(self, question: Question) -> str:
        self._answer = asyncio.get_running_loop().create_future()
        self._question = question
        try:
            return await self._answer
        finally:
            self._question = self._answer = None

    def _told(self, kind: str, text: str = "", wait: int = 0) -> Told:
        """What a step came to, with what was to be told."""
        output, self._output = self._output, []
        report, self._report = self._report, ""
        if kind == "pending":
            kind = "cannot_stop" if self._cannot_stop else "leave" if self._leave else kind
            self._cannot_stop = self._leave = False
        return kind, text or report, output, wait

    def _end(self, value: Any) -> Told:
        """The end of a function that gave this."""
        if isinstance(value, Say):
            return self._told("said", value.text)
        if value is None and self.cancelled and not self._output:
            return self._told("stopped")
        if value is not None:
            self._result(value)
        return self._told("done")

    def _result(self, value: Any) -> None:
        several = isinstance(value, (list, tuple)) and any(
            isinstance(one, Part) for one in _hints.elements(value)
        )
        self.artifact("result", *(_hints.elements(value) if several else [value]))


def steps(done: int, total: int) -> str:
    """How far something is, in words: those of a tool that is a skill."""
    return f"{whole(done)} of {whole(total)}" if total else f"{whole(done)}"


def plain_part(content: Any) -> Tuple[str, Any, str, str]:
    """A part as the core takes it."""
    if isinstance(content, enum.Enum):
        content = content.value
    part = content if isinstance(content, Part) else Part(content)
    value = part.content
    if part.kind == "data":
        value = _hints.plain_data(value)
    elif part.kind == "raw":
        value = bytes(value)
    elif not isinstance(value, str):
        raise TypeError(f"a part of kind {part.kind} is a str, and not {value!r}")
    return part.kind, value, part.mime, part.filename


Explain = Callable[[BaseException], str]


class TaskJob:
    """A task on its way."""

    def __init__(self, work: Work, explain: Explain) -> None:
        self._work = work
        self._explain = explain
        self._stopping = False
        self._answered = False

    def step(self, news: Optional[About], cancelled: bool) -> Told:
        """Goes on, with a new message if there is one."""
        work = self._work
        if news is not None:
            work._take(news)
            self._answered = True
        stop = cancelled and not self._stopping
        self._stopping = work.cancelled = cancelled
        try:
            return self._go_on(stop)
        except Rejected as error:
            return work._told("rejected", str(error) or "not accepted")
        except Exception as error:
            return work._told("failed", self._explain(error))

    def _go_on(self, stop: bool) -> Told:
        raise NotImplementedError

    def give_up(self) -> None:
        """The task has ended without its function."""


class PlainJob(TaskJob):
    """A task whose function does it at once."""

    def __init__(self, work: Work, explain: Explain, run: Callable[[], Any]) -> None:
        super().__init__(work, explain)
        self._run = run

    def _go_on(self, stop: bool) -> Told:
        return self._work._end(self._run())


class GeneratorTask(TaskJob):
    """A task whose function yields: seconds to wait, a report, `Progress`, a
    question, or None."""

    def __init__(
        self, work: Work, explain: Explain, generator: Generator[Any, Any, Any]
    ) -> None:
        super().__init__(work, explain)
        self._generator = generator
        self._asked = False

    def _go_on(self, stop: bool) -> Told:
        work = self._work
        try:
            if stop:
                self._asked = False
                told = self._generator.throw(GeneratorExit())
            elif self._asked and not self._answered:
                return work._told("pending")
            else:
                answer = work.text if self._asked else None
                self._asked = self._answered = False
                told = self._generator.send(answer)
        except StopIteration as end:
            return work._end(end.value)
        except GeneratorExit:
            return work._told("stopped")
        seconds = 0.0
        if isinstance(told, Question):
            self._asked, self._answered = True, False
            return work._told("ask", told.text)
        if isinstance(told, str):
            work.report(told)
        elif isinstance(told, Progress):
            work.progress(told.done, told.total)
            seconds = told.wait
        elif isinstance(told, (int, float)) and not isinstance(told, bool):
            seconds = told
        elif told is not None:
            self._generator.close()
            raise TypeError(
                f"a skill yields seconds, a report, Progress, a question or None, and not {told!r}"
            )
        return work._told("pending", "", milliseconds(seconds))

    def give_up(self) -> None:
        self._generator.close()


class CoroutineTask(TaskJob):
    """A task whose function is async."""

    def __init__(
        self, work: Work, explain: Explain, coroutine: Coroutine[Any, Any, Any], loop: Loop
    ) -> None:
        super().__init__(work, explain)
        self._loop = loop
        self._task = loop.create_task(coroutine)

    def _go_on(self, stop: bool) -> Told:
        work = self._work
        if stop:
            self._task.cancel()
        elif self._answered and work._answer is not None and not work._answer.done():
            work._answer.set_result(work.text)
        self._answered = False
        for _ in range(TURNS):
            self._loop.turn()
            if self._task.done():
                if not self._task.cancelled():
                    return work._end(self._task.result())
                if self._stopping:
                    return work._told("stopped")
                raise RuntimeError("the work was cancelled from inside")
            if not getattr(self._loop, "_ready", ()):
                break
        question = work._question
        if question is not None and work._answer is not None and not work._answer.done():
            return work._told("ask", question.text)
        return work._told("pending", "", self._loop.wait_ms())

    def give_up(self) -> None:
        self._task.cancel()
        for _ in range(TURNS):
            self._loop.turn()
            if self._task.done():
                if not self._task.cancelled():
                    # Nobody asks for what it raised on its way out.
                    self._task.exception()
                return


def wanted(function: Callable[..., Any], hints: Dict[str, Any], where: str) -> Dict[str, Any]:
    """The parameters of a skill, each with its type: `Work`, `Message`, or
    ``str`` for the text of the message.

    Raises:
        TypeError: there is another one.
    """
    found: Dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name)
        if hint not in (Work, Message, str) or parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            raise TypeError(
                f"{where}, parameter {name!r}: a skill gets a Work, a Message, or "
                "the text of the message as str"
            )
        found[name] = hint
    return found


def given(parameters: Dict[str, Any], work: Work) -> Dict[str, Any]:
    """What its parameters get."""
    values = {Work: work, Message: work.message, str: work.text}
    return {name: values[hint] for name, hint in parameters.items()}


def modes(hint: Any, generator: bool) -> Sequence[str]:
    """The media types of what a function of that return hint gives."""
    if generator:
        args: Tuple[Any, ...] = typing.get_args(hint)
        hint = args[2] if len(args) == 3 else str
    if hint in (str, None, type(None), Ellipsis, Say):
        return ("text/plain",)
    if hint is bytes:
        return ("application/octet-stream",)
    if hint in (Any, object) or _hints.is_union(hint) or hint is Part:
        return ("text/plain", "application/json")
    return ("application/json",)


def begin(
    function: Callable[..., Any],
    parameters: Dict[str, Any],
    work: Work,
    explain: Explain,
    loop: Callable[[], Loop],
) -> TaskJob:
    """The job of a task."""
    code = inspect.unwrap(function)
    values = given(parameters, work)
    if inspect.isgeneratorfunction(code):
        return GeneratorTask(work, explain, function(**values))
    if inspect.iscoroutinefunction(code):
        coroutine = cast("Awaitable[Any]", function(**values))
        return CoroutineTask(work, explain, cast(Any, coroutine), loop())
    return PlainJob(work, explain, lambda: function(**values))
