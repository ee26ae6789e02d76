"""The plugin of pytest, as pytest runs it."""

import subprocess
import sys

CONFTEST = """
import pytest
@pytest.fixture
def arm(agentmote_client):
    return agentmote_client
"""

TESTS = """
def test_fine(arm):
    assert arm.call("temp_read")["celsius"] == 24.5

def test_wrong(arm):
    arm.call("note_set", text="before the failure")
    assert arm.call("temp_read")["celsius"] == -1

def test_new(arm):
    assert arm.read("device://bench-arm/pose")["deg"][0] == 0
    arm.call("arm_move", joint=0, deg=5)

def test_new_again(arm):
    test_new(arm)
"""


def run(tmp_path, *words):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    return done.returncode, done.stdout.decode()


def test_a_failure_shows_what_was_exchanged(tmp_path):
    code, told = run(tmp_path)
    assert code == 1 and "1 failed, 3 passed" in told
    report = told.split("messages of agentmote_client")[1].split("short test summary")[0]
    assert '-> {"jsonrpc":"2.0"' in report and "before the failure" in report
    assert '<- {"jsonrpc":"2.0"' in report and '{"celsius":24.5}' in report
    assert told.count("messages of agentmote_client") == 1


def test_the_era_is_chosen(tmp_path):
    _, told = run(tmp_path, "--agentmote-era", "legacy")
    assert '"method":"initialize"' in told and "server/discover" not in told


def test_another_target_is_chosen(tmp_path):
    from test_client import ARM

    target = "stdio:" + " ".join(ARM)
    code, told = run(tmp_path, "--agentmote-target", target, "-k", "fine or test_new")
    # The program keeps its pose from test to test.
    assert "1 failed, 2 passed" in told


def test_a_target_that_is_none_is_an_error_of_the_test(tmp_path):
    code, told = run(tmp_path, "--agentmote-target", "nonsense")
    assert code == 1 and "'nonsense' is no target" in told and "4 errors" in told
