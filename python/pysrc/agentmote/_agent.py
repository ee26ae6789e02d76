"""A client of agents: A2A, on both of its wires."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import itertools
import json
import urllib.parse
import uuid
from dataclasses import dataclass, field, replace
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
    cast,
)

from agentmote._errors import (
    CallTimeout,
    ConnectionLost,
    ContentRefused,
    Error,
    InvalidAnswer,
    NoAgent,
    NotSupported,
    ProtocolError,
    TaskCanceled,
    TaskEnded,
    TaskFailed,
    TaskNotCancelable,
    TaskNotFound,
    TaskRejected,
)
from agentmote._link import (
    Connection,
    Link,
    Response,
    SocketLink,
    body_of,
    event_texts,
    media_type,
    no_answer,
    origin,
    secured,
)
from agentmote._work import Message, Part

Json = Dict[str, Any]
Content = Union[str, bytes, Part, Message, Dict[str, Any], Sequence[Union[str, bytes, Part]]]
"""What can be sent: text, bytes, data, or parts."""

NEW = "1.0"
OLD = "0.3"

LOOK = 0.05
"""Seconds between looks at a task that is waited for."""

ERRORS: Dict[int, Type[ProtocolError]] = {
    -32001: TaskNotFound,
    -32002: TaskNotCancelable,
    -32003: NotSupported,
    -32004: NotSupported,
    -32005: ContentRefused,
    -32007: NotSupported,
    -32008: NotSupported,
    -32009: NotSupported,
}

ENDS: Dict[str, Type[TaskEnded]] = {
    "failed": TaskFailed,
    "rejected": TaskRejected,
    "canceled": TaskCanceled,
}

METHODS = {
    "send": ("SendMessage", "message/send"),
    "stream": ("SendStreamingMessage", "message/stream"),
    "get": ("GetTask", "tasks/get"),
    "cancel": ("CancelTask", "tasks/cancel"),
    "watch": ("SubscribeToTask", "tasks/resubscribe"),
    "list": ("ListTasks", ""),
}
"""The methods of 1.x, and of 0.3."""


@dataclass(frozen=True)
class Artifact:
    """Output of a task."""

    id: str
    name: str = ""
    parts: List[Part] = field(default_factory=lambda: [])

    @property
    def text(self) -> str:
        """The texts of its parts, each on lines of its own."""
        return Message(self.parts).text

    @property
    def data(self) -> Any:
        """The data of the first part that is data, or None."""
        return Message(self.parts).data


@dataclass(frozen=True)
class Task:
    """A task as it stood when it was told.

    An agent may answer a message with a word, and with no task: its `state` is
    then ``message``, its `id` empty, and `words` is what it said.
    """

    id: str
    context: str = ""
    state: str = "unknown"
    """``submitted``, ``working``, ``input_required``, ``auth_required``,
    ``completed``, ``failed``, ``canceled``, ``rejected``, ``message``, or
    ``unknown``."""
    words: str = ""
    """What the status says: a report, a question, a reason."""
    artifacts: List[Artifact] = field(default_factory=lambda: [])
    history: List[Message] = field(default_factory=lambda: [])
    """The messages so far, oldest first, as far as the agent tells them."""
    time: str = ""
    """When its status changed, by the agent's clock; empty if not told."""

    @property
    def ended(self) -> bool:
        """Whether nothing more comes of it."""
        return self.state in ("completed", "failed", "canceled", "rejected", "message")

    @property
    def rests(self) -> bool:
        """Whether it has ended, or waits for somebody."""
        return self.ended or self.state in ("input_required", "auth_required")

    @property
    def text(self) -> str:
        """The texts of its artifacts, each on lines of its own."""
        return "\n".join(one.text for one in self.artifacts if one.text)

    @property
    def data(self) -> Any:
        """The data of the first artifact that has some, or None."""
        found = (one.data for one in self.artifacts)
        return next((data for data in found if data is not None), None)

    def result(self) -> "Task":
        """The task itself, if it has come to its output.

        Raises:
            TaskFailed: its work has failed.
            TaskRejected: it was not accepted.
            TaskCanceled: it was stopped.
            TaskEnded: it has not ended.
        """
        if self.state in ("completed", "message"):
            return self
        kind = ENDS.get(self.state, TaskEnded)
        raise kind(self.words or f"the task is {self.state}", self)


@dataclass(frozen=True)
class TaskEvent:
    """What a stream tells."""

    kind: str
    """``task``, ``status``, ``artifact``, or ``message``."""
    task: Task
    """The task, with all that the stream has told so far."""


class Agent:
    """An agent, for who sends it messages; made by `connect_agent`, or by a
    `Client` when it sends its first one.

    Several threads may use one.
    """

    def __init__(
        self,
        link: Link,
        note: Callable[[bool, str], None],
        *,
        path: str = "/",
        wire: str = "auto",
        timeout: float = 30.0,
        token: Optional[str] = None,
        api_key: Optional[str] = None,
        tenant: str = "",
    ) -> None:
        if wire not in ("auto", NEW, OLD):
            raise ValueError(f"wire {wire!r}: auto, {NEW} or {OLD}")
        self.timeout = timeout
        """Seconds that a task may take until it rests, and that an answer may
        take."""
        self._link = link
        self._note = note
        self._secret = secured(token, api_key)
        self._tenant = tenant
        self._ids = itertools.count(1)
        self._path = path
        self.card = self._read_card()
        """What the agent says of itself."""
        self.wire, self.url = self._choose(wire)

    @property
    def skills(self) -> List[str]:
        """The ids of what it can do."""
        skills = listed(self.card.get("skills"))
        return [str(one.get("id")) for one in skills]

    def _read_card(self) -> Json:
        path = self._path.rstrip("/")
        # Below the path that was given, as some put it, then where it belongs.
        folders = [path] if path and path not in ("/mcp", "/a2a") else []
        for folder in (*folders, ""):
            for name in ("agent-card.json", "agent.json"):
                place = f"{folder}/.well-known/{name}"
                connection = self._link.kept(self.timeout)
                answer = self._link.send(
                    connection, "GET", place, None, self._secret, "the agent card"
                )
                text = self._body(answer, connection)
                if answer.status == 404:
                    continue
                if answer.status != 200:
                    raise no_answer(answer.status, text)
                card = parsed(text)
                if not card.get("name"):
                    raise InvalidAnswer("the agent card has no name")
                return card
        raise NoAgent(f"{self._link.place} has no agent card")

    def _choose(self, wire: str) -> Tuple[str, str]:
        """The wire to speak, and the path of its endpoint."""
        found: List[Tuple[str, str]] = []
        for one in listed(self.card.get("supportedInterfaces")):
            version = str(one.get("protocolVersion"))
            if one.get("protocolBinding") == "JSONRPC":
                kind = NEW if version.startswith("1.") else version[:3]
                found.append((kind, str(one.get("url"))))
        if "url" in self.card and self.card.get("preferredTransport", "JSONRPC") == "JSONRPC":
            found.append((OLD, str(self.card["url"])))
        for kind, url in found:
            if kind in (NEW, OLD) and wire in ("auto", kind):
                return kind, self._own(url)
        spoken = ", ".join(sorted({kind for kind, _ in found})) or "none that is known"
        raise NoAgent(f"the agent speaks {spoken}, and not {wire}")

    def _own(self, url: str) -> str:
        """The path of a URL of the card, which must be one of the agent: a card
        is no leave to send a token elsewhere."""
        link = self._link
        if isinstance(link, SocketLink):
            here = origin(f"{link.scheme}://{host_text(link.host)}:{link.port or ''}")
            there = origin(url)
            same = there[1] == here[1] or both_local(there[1], here[1])
            if not same or there[::2] != here[::2]:
                raise InvalidAnswer(
                    f"the agent card names {url}, which is not of {link.place}: "
                    "connect to that one itself, if you trust it"
                )
        return urllib.parse.urlsplit(url).path or "/"

    def _body(self, answer: Response, connection: Connection) -> str:
        try:
            text = body_of(answer).decode(errors="replace")
        except OSError as error:
            connection.close()
            raise ConnectionLost(f"{self._link.place}: {error}") from error
        self._note(False, f"{answer.status} {text}".rstrip())
        return text

    def _begin(
        self, method: str, params: Json, timeout: float, connection: Connection, stream: bool
    ) -> Response:
        new, old = METHODS[method]
        name = new if self.wire == NEW else old
        if not name:
            raise NotSupported(-32004, f"the wire {self.wire} has no {new}")
        if self._tenant and self.wire == NEW:
            params = {"tenant": self._tenant, **params}
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": name, "params": params}
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self._note(True, text)
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream" if stream else "application/json",
            "A2A-Version": self.wire,
            **self._secret,
        }
        return self._link.send(connection, "POST", self.url, text.encode(), headers, name)

    def _ask(self, method: str, params: Json, timeout: Optional[float] = None) -> Json:
        limit = self.timeout if timeout is None else timeout
        connection = self._link.kept(limit)
        answer = self._begin(method, params, limit, connection, False)
        try:
            text = self._body(answer, connection)
        except TimeoutError:
            connection.close()
            raise CallTimeout(f"no answer to {method} in time") from None
        if media_type(answer) != "application/json":
            raise no_answer(answer.status, text)
        return result_of(parsed(text))

    def _message(
        self, content: Content, task: Optional[str], context: Optional[str], skill: Optional[str]
    ) -> Json:
        new = self.wire == NEW
        message: Json = {} if new else {"kind": "message"}
        message["messageId"] = uuid.uuid4().hex
        message["role"] = "ROLE_USER" if new else "user"
        message["parts"] = [part_out(part, new) for part in parts_of(content)]
        if task is not None:
            message["taskId"] = task
        if context is not None:
            message["contextId"] = context
        if skill is not None:
            message["metadata"] = {"skillId": skill}
        return message

    def send(
        self,
        content: Content,
        *,
        task: Union[Task, str, None] = None,
        context: Optional[str] = None,
        skill: Optional[str] = None,
        accept: Sequence[str] = (),
        wait: bool = True,
        timeout: Optional[float] = None,
    ) -> Task:
        """Sends a message: it begins a task, or goes on with one.

        Args:
            content: Text, bytes, data as a ``dict``, a `Part`, a `Message`, or
                a list of parts.
            task: The task that it is for; without one, a new one begins.
            context: The conversation that a new task belongs to.
            skill: The id of the skill that it is for; without one, the agent
                chooses by the words.
            accept: Media types that the output may have; without any, all.
            wait: Whether to wait until the task has ended, or waits for
                somebody. Otherwise it is given as it was accepted.
            timeout: Seconds to wait; without it, those of the agent. On the
                clock of a device in this process.

        Raises:
            ProtocolError: the agent refuses the message; `TaskNotFound`,
                `NotSupported` and `ContentRefused` are such.
            CallTimeout: the task did not rest in time; it goes on.
            ConnectionLost: the connection has ended; the message may have
                arrived, and is not sent again.
        """
        limit = self.timeout if timeout is None else timeout
        end = self._link.now() + limit
        of = task.id if isinstance(task, Task) else task
        params: Json = {"message": self._message(content, of, context, skill)}
        configuration: Json = {}
        if self.wire == OLD:
            configuration["blocking"] = wait
        elif not wait:
            configuration["returnImmediately"] = True
        if accept:
            configuration["acceptedOutputModes"] = list(accept)
        if configuration:
            params["configuration"] = configuration
        told = self._ask("send", params, limit)
        found = outcome(told)
        if not wait or found.rests:
            return found
        return self._wait(found, end, limit)

    def task(self, id: Union[Task, str], *, history: Optional[int] = None) -> Task:
        """A task as it stands.

        Args:
            id: Its id.
            history: Messages of its history that are wanted, the newest;
                without it, all.

        Raises:
            TaskNotFound: there is none of that id.
        """
        params: Json = {"id": id_of(id)}
        if history is not None:
            params["historyLength"] = history
        return task_of(self._ask("get", params))

    def tasks(self) -> List[Task]:
        """Every task of this caller, the one that changed last first.

        Raises:
            NotSupported: the wire is 0.3, which has no list.
        """
        found: List[Task] = []
        seen = {""}
        params: Json = {"pageSize": 100}
        while True:
            page = self._ask("list", params)
            found += [task_of(one) for one in listed(page.get("tasks"))]
            token = str(page.get("nextPageToken") or "")
            if token in seen:
                return found
            seen.add(token)
            params["pageToken"] = token

    def cancel(self, id: Union[Task, str]) -> Task:
        """Stops a task, and gives it as it is then.

        Raises:
            TaskNotFound: there is none of that id.
            TaskNotCancelable: it has ended, or its work cannot be stopped.
        """
        return task_of(self._ask("cancel", {"id": id_of(id)}))

    def wait(self, id: Union[Task, str], *, timeout: Optional[float] = None) -> Task:
        """Waits until a task has ended, or waits for somebody.

        Raises:
            CallTimeout: it did not in time; it goes on.
            TaskNotFound: there is none of that id.
        """
        limit = self.timeout if timeout is None else timeout
        return self._wait(id, self._link.now() + limit, limit)

    def _wait(self, id: Union[Task, str], end: float, limit: float) -> Task:
        while True:
            found = self.task(id)
            if found.rests:
                return found
            left = end - self._link.now()
            if left < 0.0005:
                raise CallTimeout(
                    f"task {found.id} is still {found.state} after {limit:g} s; it goes on"
                )
            self._link.sleep(min(LOOK, left))

    def stream(
        self,
        content: Content,
        *,
        task: Union[Task, str, None] = None,
        context: Optional[str] = None,
        skill: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[TaskEvent]:
        """Sends a message, and tells each thing that becomes of it. The
        arguments are those of `send`; `timeout` is how long the agent may be
        silent. An agent that does not stream refuses it.

        Raises:
            ProtocolError: the agent refuses the message.
            CallTimeout: it was silent for too long; the task goes on.
            ConnectionLost: the stream has broken; the task goes on.
        """
        of = task.id if isinstance(task, Task) else task
        params: Json = {"message": self._message(content, of, context, skill)}
        return self._stream("stream", params, timeout)

    def watch(
        self, id: Union[Task, str], *, timeout: Optional[float] = None
    ) -> Iterator[TaskEvent]:
        """Tells how a task stands, and each thing that becomes of it; see
        `stream`.

        Raises:
            TaskNotFound: there is none of that id.
            NotSupported: it has ended, for one.
        """
        return self._stream("watch", {"id": id_of(id)}, timeout)

    def _stream(
        self, method: str, params: Json, timeout: Optional[float]
    ) -> Iterator[TaskEvent]:
        limit = self.timeout if timeout is None else timeout
        # Other requests of this thread go on meanwhile.
        connection = self._link.fresh(limit)
        answer = self._begin(method, params, limit, connection, True)
        return self._events(answer, connection, limit)

    def _events(
        self, answer: Response, connection: Connection, limit: float
    ) -> Iterator[TaskEvent]:
        task = Task("")
        end = self._link.now() + limit

        def before() -> None:
            # A peer that only says that it is alive tells nothing.
            left = end - self._link.now()
            if left < 0.0005:
                raise TimeoutError
            if connection.sock is not None:
                connection.sock.settimeout(left)

        try:
            if media_type(answer) != "text/event-stream":
                text = self._body(answer, connection)
                if media_type(answer) != "application/json":
                    raise no_answer(answer.status, text)
                told = result_of(parsed(text))
                yield TaskEvent("task", outcome(told))
                return
            for text in event_texts(answer, before):
                self._note(False, text)
                end = self._link.now() + limit
                event = event_of(result_of(parsed(text)), task)
                task = event.task
                yield event
            if not task.rests:
                raise ConnectionLost(f"the stream has ended while the task was {task.state}")
        except TimeoutError as error:
            if isinstance(error, Error):
                raise
            raise CallTimeout(f"nothing was told within {limit:g} s") from None
        except OSError as error:
            if isinstance(error, Error):
                raise
            raise ConnectionLost(f"{self._link.place}: {error}") from error
        finally:
            answer.close()
            connection.close()

    def close(self) -> None:
        """Ends its connections. Once more does nothing."""
        self._link.close()

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def host_text(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def both_local(one: str, other: str) -> bool:
    """Whether both are names of this machine."""

    def local(host: str) -> bool:
        if host == "localhost":
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    return local(one) and local(other)


def id_of(task: Union[Task, str]) -> str:
    return task.id if isinstance(task, Task) else task


def members(value: Any) -> Json:
    return dict(cast(Mapping[str, Any], value)) if isinstance(value, dict) else {}


def listed(value: Any) -> List[Json]:
    """The objects of what should be a list of some."""
    if not isinstance(value, list):
        return []
    return [members(one) for one in cast(Iterable[Any], value)]


def parsed(text: str) -> Json:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidAnswer(f"no JSON object: {text[:200].strip()}")
    return members(found)


def result_of(answer: Json) -> Json:
    """The result of an answer.

    Raises:
        ProtocolError: it is an error.
    """
    if "error" in answer:
        error = members(answer["error"])
        code = error.get("code")
        code = code if isinstance(code, int) else 0
        kind = ERRORS.get(code, ProtocolError)
        raise kind(code, str(error.get("message", "")), error.get("data"))
    if not isinstance(answer.get("result"), dict):
        raise InvalidAnswer("an answer without a result")
    return members(answer["result"])


def parts_of(content: Content) -> List[Part]:
    """The parts of what is to be sent.

    Raises:
        ValueError: there is none.
    """
    if isinstance(content, Message):
        found = list(content.parts)
    elif isinstance(content, Part):
        found = [content]
    elif isinstance(content, (str, bytes, dict)):
        found = [Part(content)]
    else:
        found = [one if isinstance(one, Part) else Part(one) for one in content]
    if not found:
        raise ValueError("a message has at least one part")
    return found


def part_out(part: Part, new: bool) -> Json:
    """A part for the wire."""
    content = part.content
    if part.kind == "raw":
        content = base64.b64encode(content).decode()
    if new:
        found: Json = {part.kind: content}
        names = ("mediaType", "filename")
    elif part.kind in ("text", "data"):
        found = {"kind": part.kind, part.kind: content}
        return found
    else:
        inner: Json = {"bytes" if part.kind == "raw" else "uri": content}
        found, names = inner, ("mimeType", "name")
    for name, value in zip(names, (part.mime, part.filename)):
        if value:
            found[name] = value
    return found if new else {"kind": "file", "file": found}


def part_in(given: Json) -> Part:
    """A part from either wire."""
    file = members(given.get("file"))
    mime = str(given.get("mediaType") or file.get("mimeType") or "")
    name = str(given.get("filename") or file.get("name") or "")
    raw = given.get("raw", file.get("bytes"))
    url = given.get("url", file.get("uri"))
    if isinstance(given.get("text"), str):
        return Part(given["text"], "text", mime, name)
    if isinstance(raw, str):
        try:
            # Either alphabet, padded or not.
            plain = raw.translate(str.maketrans("-_", "+/")).rstrip("=")
            padded = plain + "=" * (-len(plain) % 4)
            return Part(base64.b64decode(padded, validate=True), "raw", mime, name)
        except (binascii.Error, ValueError) as error:
            raise InvalidAnswer(f"a part is no base64: {error}") from None
    if isinstance(url, str):
        return Part(url, "url", mime, name)
    if "data" in given:
        return Part(given["data"], "data", mime, name)
    raise InvalidAnswer("a part has no content that is known")


def message_of(given: Any) -> Message:
    found = members(given)
    parts = [part_in(part) for part in listed(found.get("parts"))]
    return Message(parts, str(found.get("messageId") or ""))


def artifact_of(given: Any) -> Artifact:
    found = members(given)
    parts = [part_in(part) for part in listed(found.get("parts"))]
    return Artifact(str(found.get("artifactId") or ""), str(found.get("name") or ""), parts)


def state_of(given: Any) -> str:
    """A state of either wire."""
    text = str(given or "unknown")
    text = text[len("TASK_STATE_") :] if text.startswith("TASK_STATE_") else text
    return text.lower().replace("-", "_")


def status_of(task: Task, given: Any) -> Task:
    """The task with this status."""
    status = members(given)
    words = message_of(status.get("message")).text if "message" in status else ""
    return replace(
        task,
        state=state_of(status.get("state")),
        words=words,
        time=str(status.get("timestamp") or ""),
    )


def task_of(given: Json) -> Task:
    """A task of either wire.

    Raises:
        InvalidAnswer: it has no id.
    """
    if not isinstance(given.get("id"), str):
        raise InvalidAnswer("a task without an id")
    task = Task(
        given["id"],
        str(given.get("contextId") or ""),
        artifacts=[artifact_of(one) for one in listed(given.get("artifacts"))],
        history=[message_of(one) for one in listed(given.get("history"))],
    )
    return status_of(task, given.get("status"))


def word_of(given: Any) -> Task:
    """A word of the agent, in place of a task."""
    found = members(given)
    message = message_of(found)
    context = str(found.get("contextId") or "")
    return Task("", context, "message", message.text, history=[message])


def outcome(told: Json) -> Task:
    """What a message has come to."""
    if "task" in told:
        return task_of(members(told["task"]))
    if "message" in told:
        return word_of(told["message"])
    return word_of(told) if told.get("kind") == "message" else task_of(told)


def event_of(told: Json, task: Task) -> TaskEvent:
    """An event of either wire, and the task behind it."""
    kind = told.get("kind")
    if "statusUpdate" in told or kind == "status-update":
        found = members(told.get("statusUpdate", told))
        task = replace(task, id=str(found.get("taskId") or task.id))
        return TaskEvent("status", status_of(task, found.get("status")))
    if "artifactUpdate" in told or kind == "artifact-update":
        found = members(told.get("artifactUpdate", told))
        return TaskEvent("artifact", added(task, found))
    after = outcome(told)
    return TaskEvent("message" if after.state == "message" else "task", after)


def added(task: Task, update: Json) -> Task:
    """The task with an artifact, or with more of one."""
    artifact = artifact_of(update.get("artifact"))
    artifacts = list(task.artifacts)
    for at, known in enumerate(artifacts):
        if known.id == artifact.id:
            if update.get("append"):
                artifact = replace(known, parts=[*known.parts, *artifact.parts])
            artifacts[at] = artifact
            break
    else:
        artifacts.append(artifact)
    return replace(task, artifacts=artifacts)
