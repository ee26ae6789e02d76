"""A device as an ASGI application."""

from __future__ import annotations

import asyncio
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

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"no ASGI scope {scope['type']!r} is served")
        own = url if url is not None else endpoint(scope)
        connection = device.connection(
            "http", hosts=hosts, origins=origins, tokens=tokens, url=own
        )
        length = content_length(scope)
        body = b""
        if length is None:
            # Its head says the length, which is known at its end only.
            found = await read(receive, _native.MAX_REQUEST)
            if found is None:
                return
            body, length = found, len(found)
        waiting = head(scope, length) + body
        await answer(connection, waiting, length - len(body), receive, send)

    return app


async def read(receive: Receive, most: int) -> Optional[bytes]:
    """The body of a request, or a little more than `most` of it; None if the
    peer has gone."""
    body = b""
    while True:
        event = await receive()
        if event["type"] != "http.request":
            return None
        part: bytes = event.get("body", b"")
        body += part
        if len(body) > most or not event.get("more_body", False):
            return body


def content_length(scope: Scope) -> Optional[int]:
    """The length that a request tells before its body."""
    if scope["method"] in ("GET", "HEAD", "DELETE", "OPTIONS"):
        return 0
    for name, value in scope["headers"]:
        if name.lower() == b"content-length" and value.isdigit():
            return int(value)
    return None


def endpoint(scope: Scope) -> Optional[str]:
    """The URL of the agent at the address that the server listens on."""
    host, port = scope.get("server") or (None, None)
    if host is None or port is None:
        return None
    host = f"[{host}]" if ":" in host else host
    return f"{scope.get('scheme', 'http')}://{host}:{port}/a2a/"


async def lifespan(receive: Receive, send: Send) -> None:
    while True:
        event = await receive()
        if event["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif event["type"] == "lifespan.shutdown":
            await send({"type": "lifespan.shutdown.complete"})
            return


def head(scope: Scope, length: int) -> bytes:
    """The head of the request as HTTP/1.1, whatever the server spoke."""
    target = scope.get("raw_path") or scope["path"].encode()
    lines = [scope["method"].encode() + b" " + target + b" HTTP/1.1"]
    dropped = (b"content-length", b"transfer-encoding", b"connection", b"expect")
    for name, value in scope["headers"]:
        if name.lower() not in dropped:
            lines.append(name + b": " + value)
    lines.append(b"Content-Length: %d" % length)
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def answer(
    connection: _native.Connection, rest: bytes, left: int, receive: Receive, send: Send
) -> None:
    """Offers `rest`, reads `left` more bytes of the body, and sends the
    answer. The core may refuse a request by its head: its body is not read
    then (M-205)."""
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
            if left > 0:
                event = await gone
                if event["type"] != "http.request":
                    return
                part = event.get("body", b"")[:left]
                rest += part
                left = left - len(part) if event.get("more_body", False) else 0
                gone = asyncio.ensure_future(receive())
                continue
            wait = connection.wait()
            pause = LOOK if wait is None else min(max(wait, 0.001), LOOK)
            await asyncio.wait([gone], timeout=pause)
            if gone.done():
                if gone.result()["type"] == "http.disconnect":
                    return
                gone = asyncio.ensure_future(receive())
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        gone.cancel()
        if not (connection.idle or connection.closed):
            await loop.run_in_executor(None, connection.reset)
