"""A device as an ASGI application."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from typing import Any, Awaitable, Callable, Dict, List, Optional, Tuple

from agentmote import _native
from agentmote._http import AnswerReader

Scope = Dict[str, Any]
Receive = Callable[[], Awaitable[Dict[str, Any]]]
Send = Callable[[Dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOK = 0.05
"""Seconds between looks at a peer that may have gone."""


def application(
    device: _native.Device,
    hosts: Optional[List[str]],
    origins: Optional[List[str]],
    tokens: Optional[List[Tuple[str, int]]],
    url: Optional[str],
) -> Application:
    # What is wrong with them is told here, and not at the first request.
    device.connection("http", hosts=hosts, origins=origins, tokens=tokens)
    device.go_on()
    digests = None if tokens is None else [digest(token.encode()) for token, _ in tokens]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"no ASGI scope {scope['type']!r} is served")
        card = str(scope["path"]).startswith("/.well-known/")
        if not (digests is None or card or opens(digest(credential(scope)), digests)):
            # Before the body is read (M-205).
            await refuse(send)
            return
        body = b""
        while True:
            event = await receive()
            if event["type"] != "http.request":
                return
            body += event.get("body", b"")
            if len(body) > _native.MAX_REQUEST or not event.get("more_body", False):
                break
        own = url if url is not None else endpoint(scope)
        connection = device.connection(
            "http", hosts=hosts, origins=origins, tokens=tokens, url=own
        )
        await answer(connection, request(scope, body), receive, send)

    return app


def digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def opens(token: bytes, digests: List[bytes]) -> bool:
    """Whether a token is one of them, in the same time whichever it is."""
    found = False
    for one in digests:
        found |= hmac.compare_digest(token, one)
    return found


def endpoint(scope: Scope) -> Optional[str]:
    """The URL of the agent at the address that the server listens on."""
    host, port = scope.get("server") or (None, None)
    if host is None or port is None:
        return None
    host = f"[{host}]" if ":" in host else host
    return f"{scope.get('scheme', 'http')}://{host}:{port}/a2a/"


def credential(scope: Scope) -> bytes:
    """The token that a request brings, and the agent's key beside it; none is
    as good as a wrong one."""
    key = b""
    for name, value in scope["headers"]:
        kind, _, token = bytes(value).partition(b" ")
        if name.lower() == b"authorization" and kind.lower() == b"bearer":
            return token.strip()
        if name.lower() == b"x-api-key" and str(scope["path"]).rstrip("/") == "/a2a":
            key = bytes(value)
    return key


async def refuse(send: Send) -> None:
    text = b"a bearer token is needed\n"
    headers = [
        (b"content-type", b"text/plain"),
        (b"content-length", b"%d" % len(text)),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": text})


async def lifespan(receive: Receive, send: Send) -> None:
    while True:
        event = await receive()
        if event["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif event["type"] == "lifespan.shutdown":
            await send({"type": "lifespan.shutdown.complete"})
            return


def request(scope: Scope, body: bytes) -> bytes:
    """The request as HTTP/1.1, whatever the server spoke."""
    target = scope.get("raw_path") or scope["path"].encode()
    lines = [scope["method"].encode() + b" " + target + b" HTTP/1.1"]
    dropped = (b"content-length", b"transfer-encoding", b"connection", b"expect")
    for name, value in scope["headers"]:
        if name.lower() not in dropped:
            lines.append(name + b": " + value)
    lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


async def answer(
    connection: _native.Connection, rest: bytes, receive: Receive, send: Send
) -> None:
    reader = AnswerReader()
    begun = False
    gone = asyncio.ensure_future(receive())
    loop = asyncio.get_running_loop()
    try:
        while not reader.ended:
            taken = connection.receive(rest) if rest else 0
            rest = rest[taken:]
            # A handler may take its time: it does not hold up this loop.
            data = await loop.run_in_executor(None, connection.poll)
            reader.feed(data)
            if not begun and reader.status is not None:
                begun = True
                await send(
                    {
                        "type": "http.response.start",
                        "status": reader.status,
                        "headers": [
                            (name, value)
                            for name, value in reader.headers
                            if name not in (b"transfer-encoding", b"connection")
                        ],
                    }
                )
            part = reader.take()
            if part:
                await send(
                    {"type": "http.response.body", "body": part, "more_body": True}
                )
            if connection.closed and not data:
                break
            if data or taken or reader.ended:
                continue
            wait = connection.wait()
            pause = LOOK if wait is None else min(max(wait, 0.001), LOOK)
            await asyncio.wait([gone], timeout=pause)
            if gone.done() and gone.result()["type"] == "http.disconnect":
                return
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        gone.cancel()
        if not (connection.idle or connection.closed):
            await loop.run_in_executor(None, connection.reset)
