"""The package as it was installed: its values, its help, its types."""

import ast
import inspect
import pathlib
import pydoc
import re
import subprocess
import sys

import pytest

import agentmote
from agentmote import _cli, _native

ROOT = pathlib.Path(__file__).parents[2]


def test_the_version_is_that_of_the_workspace():
    manifest = (ROOT / "Cargo.toml").read_text()
    stated = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)
    assert agentmote.__version__ == stated[1]


def test_the_revisions_are_those_of_the_core():
    assert agentmote.PROTOCOL_VERSIONS == (
        "2026-07-28",
        "2025-11-25",
        "2025-06-18",
        "2025-03-26",
        "2024-11-05",
    )


def test_it_is_not_the_source_folder():
    assert not pathlib.Path(agentmote.__file__).is_relative_to(ROOT / "python")


def test_help_works():
    for module in (agentmote, _native):
        text = pydoc.render_doc(module, renderer=pydoc.plaintext)
        assert "PROTOCOL_VERSIONS" in text
        assert agentmote.__version__ in text


def test_everything_public_has_words():
    for name in agentmote.__all__:
        value = getattr(agentmote, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
            members = vars(value).items() if inspect.isclass(value) else ()
            for member, inner in members:
                if not member.startswith("_") and callable(inner):
                    assert inspect.getdoc(inner), f"{name}.{member}"


def test_the_stub_names_what_is_there():
    folder = pathlib.Path(agentmote.__file__).parent
    assert (folder / "py.typed").is_file()
    stub = ast.parse((folder / "_native.pyi").read_text())
    named = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    named |= {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert named == set(_native.__all__)


def test_a_python_without_its_lock_is_refused():
    code = "import sys; sys._is_gil_enabled = lambda: False; import agentmote"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "ImportError: agentmote needs the global interpreter lock"
    )


def blocks(file):
    """The blocks of Python in a README, each with the text that it prints, if
    one stands behind it."""
    text = (ROOT / file).read_text()
    pattern = r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?"
    return re.findall(pattern, text, re.MULTILINE | re.DOTALL)


SHOWN = [("README.md", 0), ("README.md", 1)] + [("python/README.md", at) for at in range(3)]


@pytest.mark.parametrize(("file", "at"), SHOWN)
def test_the_readme_does_what_it_says(file, at, capsys):
    shown = [(code, told) for code, told in blocks(file) if told]
    assert len(shown) == sum(one == file for one, _ in SHOWN)
    code, told = shown[at]
    exec(code, {"__name__": "readme"})
    assert capsys.readouterr().out == told


@pytest.mark.parametrize(("file", "count"), [("README.md", 1), ("python/README.md", 3)])
def test_the_tests_in_the_readme_pass(file, count, tmp_path):
    (code,) = (code for code, told in blocks(file) if not told)
    (tmp_path / "test_it.py").write_text("import agentmote, pytest\n" + code)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 0 and b"%d passed" % count in done.stdout, done.stdout


def test_the_commands_in_the_readme_are_there():
    text = (ROOT / "README.md").read_text()
    words = re.findall(r"^python -m agentmote (.*?)\s*(?:#.*)?$", text, re.MULTILINE)
    assert len(words) == 6
    for line in words:
        # Parsed, and not run: some want a board.
        assert _cli.parser().parse_args(line.split()).run
