"""Types: of the package by two checkers, of the stub against the module, and
of a user's code."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import agentmote

FOLDER = pathlib.Path(__file__).parents[1]
PACKAGE = pathlib.Path(agentmote.__file__).parent

# What a user writes, and what the checkers must say of it.
USER = '''
from typing import Annotated
import agentmote
from agentmote import Range, sim

device = agentmote.Device("rig")


@device.tool
def plain(n: Annotated[int, Range(0, 5)]) -> float:
    return n / 2


@device.tool(actuates=True)
async def waits(n: int, call: agentmote.Call) -> str:
    call.progress(n)
    return "x"


reveal_type(plain(3))
reveal_type(waits)
with agentmote.connect(sim.BenchArm()) as client:
    reveal_type(client.call("x").text)
    reveal_type(device.handle(b""))
device.handle("text")
plain("x")
'''


def run(*words, cwd=FOLDER):
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
    )
    return done.returncode, done.stdout.decode()


def test_mypy_is_content(tmp_path):
    pytest.importorskip("mypy")
    # From elsewhere: the package as it is installed, and not its sources.
    config = FOLDER / "pyproject.toml"
    code, told = run(
        "mypy", "--config-file", str(config), "--cache-dir", str(tmp_path), cwd=tmp_path
    )
    assert (code, told.splitlines()[-1][:7]) == (0, "Success"), told


def test_pyright_is_content():
    pytest.importorskip("pyright")
    code, told = run("pyright", "--project", ".", "--pythonpath", sys.executable)
    assert code == 0 and "0 errors, 0 warnings" in told, told


def test_the_stub_is_what_is_there(tmp_path):
    pytest.importorskip("mypy")
    code, told = run("mypy.stubtest", "agentmote._native", cwd=tmp_path)
    assert code == 0 and "Success" in told, told


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_user_gets_types(tmp_path, checker):
    pytest.importorskip(checker)
    (tmp_path / "user.py").write_text(USER)
    words = {
        "mypy": ["mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "user.py"],
        "pyright": ["pyright", "--pythonpath", sys.executable, "user.py"],
    }[checker]
    code, told = run(*words, cwd=tmp_path)
    assert code == 1
    wrong = [line for line in told.splitlines() if " error: " in line or " error " in line]
    lines = sorted({int(line.split("user.py:")[1].split(":")[0]) for line in wrong})
    source = USER.splitlines()
    assert [source[at - 1] for at in lines] == ['device.handle("text")', 'plain("x")'], told
    for name in ("float", "str", "bytes"):
        assert f'"{name}"' in told or f'"builtins.{name}"' in told, told


def modules():
    return sorted(
        name for _, name, _ in pkgutil.iter_modules([str(PACKAGE)]) if name[0] != "_"
    )


@pytest.mark.parametrize("name", ["", "._device", *("." + name for name in modules())])
def test_the_examples_in_the_words_do_what_they_say(name):
    module = importlib.import_module(f"agentmote{name}")
    failed, _ = doctest.testmod(module)
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    count = 0
    for name in ("agentmote._device", "agentmote.sim"):
        found = finder.find(importlib.import_module(name))
        count += sum(len(test.examples) for test in found)
    assert count >= 10
