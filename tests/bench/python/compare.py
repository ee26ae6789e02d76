"""How many `tools/call` a second a device that is defined in Python serves over
HTTP, against the same tool in the official SDK, and how many `handle` takes in
the process.

Both servers are asked by the same client in turns: one kept connection, one
request after the other, in the era of the protocol that both speak. The best
turn of each counts: anything else that the machine does makes a turn slower.

usage: compare.py SECONDS
Prints three lines: `agentmote N`, `sdk N`, `handle N`, each a second.
"""

import json
import os
import socket
import subprocess
import sys
import time

import server

TURNS = 3
CONNECTIONS = 8
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
PARAMS = {
    "name": server.NAME,
    "arguments": {"joint": 2, "deg": 10.5, "speed": 50},
    "_meta": META,
}
BODY = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": PARAMS},
    separators=(",", ":"),
).encode()
HEAD = (
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
    f"Mcp-Method: tools/call\r\nMcp-Name: {server.NAME}\r\nContent-Length: {len(BODY)}\r\n\r\n"
)
ANSWER = b"the joint is at its target"


class Server:
    def __init__(self, kind):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        words = [sys.executable, server.__file__, kind, str(self.port)]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while True:
            try:
                first = socket.create_connection(("127.0.0.1", self.port), 5)
                break
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.05)
        more = [socket.create_connection(("127.0.0.1", self.port), 5) for _ in range(1, CONNECTIONS)]
        self.sockets = [first, *more]
        for one in self.sockets:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = HEAD.format(port=self.port).encode() + BODY
        self.sockets[0].sendall(self.request)
        answer = self.answer(self.sockets[0])
        if not answer.startswith(b"HTTP/1.1 200") or ANSWER not in answer or b"isError\":true" in answer:
            raise SystemExit(f"{kind}: {answer!r}")

    def answer(self, one):
        answer = one.recv(65536)
        while True:
            head, end, body = answer.partition(b"\r\n\r\n")
            if end:
                lower = head.lower()
                if b"content-length: " in lower:
                    length = int(lower.split(b"content-length: ")[1].split(b"\r\n")[0])
                    if len(body) >= length:
                        return answer
                elif body.endswith(b"0\r\n\r\n"):
                    return answer
            more = one.recv(65536)
            if not more:
                raise SystemExit(f"the connection has ended: {answer!r}")
            answer += more

    def rate(self, seconds):
        count, begin = 0, time.perf_counter()
        while True:
            # Several at once: what is counted is work, not how long an idle
            # core takes to wake up.
            for _ in range(5):
                for one in self.sockets:
                    one.sendall(self.request)
                for one in self.sockets:
                    self.answer(one)
            count += 5 * len(self.sockets)
            took = time.perf_counter() - begin
            if took >= seconds:
                return count / took

    def close(self):
        for one in self.sockets:
            one.close()
        self.process.terminate()
        self.process.wait(10)


def handled(seconds):
    """Calls a second in this process, with a Python handler."""
    device = server.agentmote_device()
    line = BODY + b"\n"
    if ANSWER not in device.handle(line):
        raise SystemExit("handle gives another answer")
    handle = device.handle
    count, begin = 0, time.perf_counter()
    while True:
        for _ in range(500):
            handle(line)
        count += 500
        took = time.perf_counter() - begin
        if took >= seconds:
            return count / took


def main():
    seconds = float(sys.argv[1])
    best = {"agentmote": 0.0, "sdk": 0.0, "handle": 0.0}
    servers = {}
    try:
        for kind in ("agentmote", "sdk"):
            servers[kind] = Server(kind)
        for _ in range(TURNS):
            for kind, one in servers.items():
                best[kind] = max(best[kind], one.rate(seconds))
            best["handle"] = max(best["handle"], handled(seconds))
    finally:
        for one in servers.values():
            one.close()
    for kind, rate in best.items():
        print(kind, round(rate))


if __name__ == "__main__":
    # What pins the load to no core is left to the system; the two processes of
    # a turn share what there is.
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    main()
