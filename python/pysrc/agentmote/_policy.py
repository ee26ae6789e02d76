"""Who may call a device, what he may do, and what is written down of it."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, Optional, Sequence, Tuple, Union

from agentmote import _native

Secret = Union[str, bytes]

Asked = Tuple[int, int, str, str, str, str, str, str]


@dataclass(frozen=True)
class Attempt:
    """Who wants to do what."""

    caller: int
    """The number of the caller; 0 if it is not known."""
    tenant: int
    """The number of his tenant; 0 for none."""
    by: str
    """By what he is known: ``credential``, ``guard`` (what `Policy.verify`
    says), ``place`` (in this process, on a line), ``device`` (by itself), or
    empty for nothing."""
    authority: str
    """The name of that credential."""
    endpoint: str
    """``mcp`` or ``agent``."""
    operation: str
    """``call_tool``, ``read_resource``, ``send_message``, ``get_task``,
    ``list_tasks``, ``cancel_task``, ``watch_task``, ``end_task``, ``request``, …"""
    kind: str
    """What it is about: ``tool``, ``skill``, ``task``, or empty."""
    subject: str
    """The name of the tool, or the id of the skill or task."""


@dataclass(frozen=True)
class AuditEvent:
    """One refusal, or one side effect. Nothing of a message or a secret is in
    it."""

    seconds: float
    """When, on the clock of the device."""
    attempt: Attempt
    """Who, and what."""
    outcome: str
    """``done``, ``accepted``, ``asked``, ``failed``, ``cancelled`` or
    ``refused``."""
    why: str
    """Why it was refused: ``credential``, ``tries``, ``scope``, ``http``,
    ``message``, ``not_there``, ``arguments``, ``state``; else empty."""


@dataclass(frozen=True)
class Verified:
    """Whose credential it is; see `Policy`."""

    name: str
    """By what he is known, for events; not the secret."""
    caller: str
    """The caller."""
    tenant: str = ""
    """His tenant; empty for none."""
    scopes: Sequence[str] = ()
    """What he may do."""


@dataclass(frozen=True)
class Tries:
    """How many unknown credentials are answered in a time; those beyond get
    HTTP 429."""

    tries: int
    seconds: float
    closes: bool = False
    """Whether known credentials are refused too meanwhile: nobody then finds a
    weak secret, but anybody can lock all others out."""


class Policy:
    """The policy in front of a device, of both of its protocols: `Device` gets
    it as ``policy=``.

    Over HTTP, also in this process, a request needs a credential of it; a line
    is known by where it is, and may do all. Only digests of secrets are kept,
    and they are compared in constant time. Credentials come and go while the
    device is served.

    >>> import agentmote
    >>> log = []
    >>> policy = agentmote.Policy(audit=log.append)
    >>> device = agentmote.Device("lamp", policy=policy)
    >>> @device.tool(scopes=["switch"])
    ... def light() -> str:
    ...     '''Switches it on.'''
    ...     return "on"
    >>> policy.add("ann", "128 random bits or more", scopes=["switch"])
    >>> with device.serving() as served:
    ...     with agentmote.connect(served.url, token="128 random bits or more") as ann:
    ...         ann.call("light").text
    'on'
    >>> event = log[-1]
    >>> event.attempt.authority, event.attempt.subject, event.outcome
    ('ann', 'light', 'done')
    >>> policy.revoke("ann")
    True

    Args:
        realm: The realm of the challenge; empty for none.
        mcp: Scopes that a caller needs to use tools at all.
        agent: Scopes that a caller needs to use skills at all.
        tries: A limit of tries; without one, there is none.
        verify: Gets a secret that the table does not know, as ``bytes``, and
            gives whose it is as `Verified`, or None.
        allows: Gets an `Attempt` that scopes, owner and tenant allow; whether
            it is allowed. What is not is answered as if it was not there. It is
            asked often, so it should be short.
        audit: Gets each `AuditEvent`.

    None of the functions may call the device.
    """

    def __init__(
        self,
        *,
        realm: str = "",
        mcp: Sequence[str] = (),
        agent: Sequence[str] = (),
        tries: Optional[Tries] = None,
        verify: Optional[Callable[[bytes], Optional[Verified]]] = None,
        allows: Optional[Callable[[Attempt], bool]] = None,
        audit: Optional[Callable[[AuditEvent], None]] = None,
    ) -> None:
        if any(not c.isprintable() or c in '"\\' for c in realm):
            raise ValueError(f"realm {realm!r}: no quotes, backslashes or control characters")
        self._realm = realm
        self._endpoints = tuple(mcp), tuple(agent)
        self._tries = tries
        self._verify = verify
        self._allows = allows
        self._audit = audit
        self._numbers: Dict[Tuple[str, str], int] = {}
        self._tenants: Dict[str, int] = {"": 0}
        self._bits: Callable[[Sequence[str]], int] = lambda scopes: 0
        self._bound = False
        self._device: Optional[_native.Device] = None
        self._waiting: Dict[str, Credential] = {}
        self._lock = threading.Lock()

    def _bind(self, bits: Callable[[Sequence[str]], int]) -> None:
        """Takes its place in front of a device.

        Raises:
            RuntimeError: it is in front of another one.
        """
        if self._bound:
            raise RuntimeError("a policy is of one device")
        self._bound, self._bits = True, bits
        # Their names are told with the device's own.
        for scopes in self._endpoints:
            bits(scopes)

    def _made(self, device: _native.Device) -> None:
        """Its device is made: it gets the credentials so far."""
        with self._lock:
            self._device = device
            waiting, self._waiting = self._waiting, {}
            for name, one in waiting.items():
                self._put(device, name, one)

    def _put(self, device: _native.Device, name: str, one: "Credential") -> None:
        bits = self._bits(one.scopes)
        device.add_credential(name, one.digest, one.caller, bits, one.expires)

    def _plain(self, names: Sequence[str]) -> Dict[str, Any]:
        """What the core needs of it; `names` are those of the scopes."""
        tries = self._tries
        mcp, agent = (self._bits(scopes) for scopes in self._endpoints)
        limit = None if tries is None else (tries.tries, milliseconds(tries.seconds), tries.closes)
        verify, allows, audit = self._verify, self._allows, self._audit
        found: Dict[str, Any] = {
            "realm": self._realm,
            "scopes": list(names),
            "mcp": mcp,
            "agent": agent,
            "tries": limit,
            "verify": None,
            "allows": None,
            "audit": None,
        }
        if verify is not None:
            known = verify

            def verified(secret: bytes) -> Optional[Tuple[str, int, int, int]]:
                who = known(secret)
                if who is None:
                    return None
                caller, tenant = self._who(who.caller, who.tenant)
                return who.name, caller, tenant, self._bits(who.scopes)

            found["verify"] = verified
        if allows is not None:
            allowed = allows

            def may(asked: Asked) -> bool:
                return bool(allowed(Attempt(*asked)))

            found["allows"] = may
        if audit is not None:
            sink = audit

            def write(millis: int, asked: Asked, outcome: str, why: str) -> None:
                sink(AuditEvent(millis / 1000, Attempt(*asked), outcome, why))

            found["audit"] = write
        return found

    def _who(self, caller: str, tenant: str) -> Tuple[int, int]:
        """The numbers of a caller and his tenant, which never change."""
        of = self._tenants.setdefault(tenant, len(self._tenants))
        return self._numbers.setdefault((tenant, caller), len(self._numbers) + 1), of

    def add(
        self,
        name: str,
        secret: Secret,
        *,
        caller: Optional[str] = None,
        tenant: str = "",
        scopes: Sequence[str] = (),
        expires: Optional[float] = None,
    ) -> None:
        """Adds a credential, good from the next request on.

        Args:
            name: Its name, unique; events show it, and `revoke` takes it.
            secret: The secret, as it stands behind ``Bearer`` or in
                ``X-API-KEY``. Only its digest is kept.
            caller: Whose it is: all credentials of one caller see the same
                tasks. Without it, the name.
            tenant: For whom he asks; empty for none.
            scopes: What it may do.
            expires: Seconds for which it is good; without it, for good.

        Raises:
            ValueError: there is one of that name or secret, or there are
                `MAX_CREDENTIALS` already, or the secret is empty.
        """
        number, of = self._who(caller if caller is not None else name, tenant)
        who = number, of, tenant
        one = Credential(digest(name, secret), who, tuple(scopes), expires)
        with self._lock:
            if self._device is not None:
                self._put(self._device, name, one)
                return
            if name in self._waiting:
                raise ValueError(f"{name}: there is a credential of that name")
            if len(self._waiting) == _native.MAX_CREDENTIALS:
                raise ValueError(f"{name}: the table of credentials is full")
            if any(other.digest == one.digest for other in self._waiting.values()):
                raise ValueError(f"{name}: another credential has the same secret")
            self._waiting[name] = one

    def revoke(self, name: str) -> bool:
        """Takes a credential back, from the next request on: streams that it
        opened are closed, calls and tasks that it began go on. Whether there
        was one of that name."""
        with self._lock:
            if self._device is not None:
                return self._device.revoke_credential(name)
            return self._waiting.pop(name, None) is not None

    def rotate(self, name: str, secret: Secret) -> bool:
        """Gives a credential another secret; the old one is good no longer.
        Whether there is one of that name, and no other has that secret."""
        new = digest(name, secret)
        with self._lock:
            if self._device is not None:
                return self._device.rotate_credential(name, new)
            if any(one.digest == new for one in self._waiting.values()):
                return False
            if name not in self._waiting:
                return False
            self._waiting[name] = replace(self._waiting[name], digest=new)
            return True


@dataclass(frozen=True)
class Credential:
    """A credential on its way to the device."""

    digest: bytes = field(repr=False)
    caller: Tuple[int, int, str]
    scopes: Tuple[str, ...]
    expires: Optional[float]


def digest(name: str, secret: Secret) -> bytes:
    """The digest of a secret, which itself is not kept."""
    data = secret.encode() if isinstance(secret, str) else secret
    if not data:
        raise ValueError(f"{name}: the secret is empty")
    return hashlib.sha256(data).digest()


def milliseconds(seconds: float) -> int:
    return max(1, min(round(seconds * 1000), 2**32 - 1))
