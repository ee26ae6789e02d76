"""Fixtures for pytest: a device wherever it is, chosen on the command line.

``pytest --agentmote-target sim`` simulates the bench arm, ``qemu:firmware.elf``
runs firmware on an emulated board, ``serial:/dev/ttyACM0`` is a real one; every
target of `agentmote.connect` is one. When a test fails, its report shows the
messages that were exchanged.

The simulated arm is a new one for each test. Any other target is connected to
once, and keeps its state from test to test.
"""

from __future__ import annotations

from typing import Any, Generator, Iterator, List

import pytest

from agentmote._client import Client, connect
from agentmote._errors import ConnectionLost

SHOWN = 40
"""Messages that the report of a failed test shows."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("agentmote", "devices that speak MCP")
    group.addoption(
        "--agentmote-target",
        default="sim",
        metavar="TARGET",
        help="the device under test: sim (default), qemu:IMAGE, serial:PORT, "
        "stdio:COMMAND, tcp:HOST:PORT or http://…",
    )
    group.addoption(
        "--agentmote-era",
        default="auto",
        choices=("auto", "modern", "legacy"),
        help="the era of the protocol that is spoken (default: what the device can)",
    )
    group.addoption(
        "--agentmote-timeout",
        default=30.0,
        type=float,
        metavar="SECONDS",
        help="how long an answer may take (default: 30)",
    )


@pytest.fixture(scope="session")
def agentmote_target(request: pytest.FixtureRequest) -> str:
    """The target that was chosen."""
    return str(request.config.getoption("--agentmote-target"))


def _connect(request: pytest.FixtureRequest) -> Client:
    option = request.config.getoption
    return connect(
        str(option("--agentmote-target")),
        era=str(option("--agentmote-era")),
        timeout=float(str(option("--agentmote-timeout"))),
    )


@pytest.fixture(scope="session")
def _agentmote_kept(request: pytest.FixtureRequest) -> Iterator[List[Client]]:
    kept: List[Client] = []
    yield kept
    for client in kept:
        client.close()


@pytest.fixture
def agentmote_client(
    request: pytest.FixtureRequest,
    agentmote_target: str,
    _agentmote_kept: List[Client],
) -> Iterator[Client]:
    """A client of the device under test."""
    if agentmote_target == "sim":
        with _connect(request) as client:
            yield client
        return
    if not _agentmote_kept:
        _agentmote_kept.append(_connect(request))
    client = _agentmote_kept[0]
    client.forget()
    try:
        yield client
    finally:
        # A board that a test has lost is reached again for the next one.
        if client.lost:
            try:
                client.reconnect()
            except ConnectionLost:
                client.close()
                _agentmote_kept.clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    outcome = yield
    report = outcome.get_result()
    if report.when != "call" or not report.failed:
        return
    for name, value in getattr(item, "funcargs", {}).items():
        if isinstance(value, Client):
            trace = value.trace
            lines = [str(sent) for sent in trace[-SHOWN:]]
            if len(trace) > SHOWN:
                lines.insert(0, f"… {len(trace) - SHOWN} earlier messages")
            report.sections.append((f"messages of {name}", "\n".join(lines)))
