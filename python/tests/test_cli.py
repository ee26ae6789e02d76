"""The command line, as it is called."""

import json
import subprocess
import sys

import pytest
from test_client import ARM

import agentmote

STDIO = "stdio:" + " ".join(ARM)


def run(*words, text=None):
    done = subprocess.run(
        [sys.executable, "-m", "agentmote", *words],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_tools():
    code, out, err = run("tools", "sim")
    assert (code, err) == (0, "")
    assert out.startswith(f"bench-arm {agentmote.__version__}, MCP 2026-07-28\n")
    assert "arm_move - Moves one joint to an angle" in out
    assert "    joint: integer 0..5. Joint number, base first.\n" in out
    assert "    speed: integer 1..100, default 20. Share of full speed. Unit: percent.\n" in out
    assert "    text: string of 0..32 characters." in out
    assert "\x1b" not in out


def test_tools_as_json():
    code, out, _ = run("tools", "sim", "--json", "--era", "legacy")
    assert code == 0
    assert [tool["name"] for tool in json.loads(out)][:2] == ["arm_move", "arm_home"]


@pytest.mark.parametrize("target", ["sim", STDIO])
def test_call(target):
    assert run("call", target, "temp_read") == (0, '{"celsius": 24.5}\n', "")
    moved = run("call", target, "arm_move", "joint=2", "deg=1.5", "speed=100")
    assert moved == (0, "the joint is at its target\n", "")
    # A text needs no quotes, and what looks like a number stays a text.
    assert run("call", target, "note_set", "text=7 volts")[0] == 0
    assert run("call", target, "note_set", "text=7")[0] == 0
    given = '{"joint": 1, "deg": 2, "speed": 100}'
    assert run("call", target, "arm_move", "--json", given)[0] == 0


def test_a_call_that_fails_tells_why():
    code, out, err = run("call", "sim", "arm_move", "joint=7", "deg=1")
    assert (code, out, err) == (1, "", "agentmote: joint: 7 is above the maximum 5\n")
    code, _, err = run("call", "sim", "arm_move", "joint=two", "deg=1")
    assert code == 1 and 'joint: "two" is not an integer' in err
    code, _, err = run("call", "sim", "arm_fly")
    assert code == 1 and "the device refuses: " in err and "-32602" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "COMMAND"),
        (("fly",), "invalid choice"),
        (("tools",), "TARGET"),
        (("tools", "nonsense"), "is no target"),
        (("call", "sim", "arm_move", "joint"), "NAME=VALUE is wanted"),
        (("call", "sim", "arm_move", "joint=1", "joint=2"), "joint is given twice"),
        (("call", "sim", "arm_move", "--json", "{"), "Expecting property name"),
        (("sim", "--port", "65536"), "0 to 65535 are allowed"),
        (("sim", "--soak", "0"), "are allowed"),
        (("bridge", "http://127.0.0.1:1/mcp"), "a line is wanted, not HTTP"),
    ],
)
def test_wrong_usage_is_told(words, told):
    code, out, err = run(*words)
    assert (code, out) == (2, "") and told in err


@pytest.mark.parametrize("target", ["tcp:127.0.0.1:1", "stdio:/no/such", "http://127.0.0.1:1/mcp"])
def test_a_device_that_is_not_there_is_told(target):
    code, out, err = run("tools", target)
    assert (code, out) == (3, "") and err.startswith("agentmote: ")


def test_read():
    assert run("read", "sim", "device://bench-arm/temperature") == (0, '{"celsius": 24.5}\n', "")
    assert run("read", "sim", "device://bench-arm/x")[0] == 1


@pytest.mark.parametrize("target", ["sim", STDIO])
def test_probe(target):
    code, out, _ = run("probe", target)
    assert code == 0
    for era, version in (("modern", "2026-07-28"), ("legacy", "2025-11-25")):
        assert f"{era}: MCP {version}, bench-arm" in out
        assert f"{era}: 54 calls beside the limits, each refused as advertised" in out


def test_bridge_prints_the_configuration_of_a_host():
    code, out, _ = run("bridge", "serial:/dev/ttyACM0", "--config", "--name", "arm")
    server = json.loads(out)["mcpServers"]["arm"]
    assert code == 0
    assert server["command"] == sys.executable
    assert server["args"] == ["-m", "agentmote", "bridge", "serial:/dev/ttyACM0"]


def test_bridge_makes_a_device_a_server_on_standard_streams():
    target = f"stdio:{sys.executable} -m agentmote bridge '{STDIO}'"
    with agentmote.connect(target) as arm:
        assert arm.call("temp_read")["celsius"] == 24.5
        told = []
        arm.call_tool(
            "arm_move",
            {"joint": 1, "deg": 10, "speed": 100},
            progress=lambda done, total: told.append(done),
        )
        assert told


def test_bridge_tells_that_a_device_is_lost():
    code, _, err = run("bridge", f"stdio:{sys.executable} -c pass", text="\n")
    assert code == 3 and "agentmote: " in err


def test_record_and_replay(tmp_path):
    file = tmp_path / "run.jsonl"
    target = f"stdio:{sys.executable} -m agentmote record sim {file}"
    with agentmote.connect(target, era="legacy") as arm:
        arm.call("temp_read")
        arm.call("note_set", text="é")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0] == {"agentmote": "recording", "format": 1, "target": "sim"}
    assert [line["to"] for line in lines[1:4]] == ["device", "client", "device"]
    # The same device answers the same, whoever built it.
    for target in ("sim", STDIO):
        assert run("replay", str(file), target) == (0, "4 messages, the same answers\n", "")
    file.write_text(file.read_text().replace("24.5", "25.5"))
    code, _, err = run("replay", str(file), "sim")
    assert code == 1 and "wanted: " in err and "came:   " in err


@pytest.mark.parametrize("text", ["", "{}\n", "nonsense\n", '{"agentmote":"recording","format":2}\n'])
def test_a_text_that_is_no_recording_is_told(tmp_path, text):
    file = tmp_path / "run.jsonl"
    file.write_text(text)
    code, _, err = run("replay", str(file), "sim")
    assert code == 2 and err.startswith("agentmote: ")
    assert run("replay", str(tmp_path / "none"), "sim")[0] == 2


def test_a_soak():
    code, out, err = run("sim", "--soak", "40", "--seed", "500")
    assert (code, err) == (0, "")
    assert out.startswith("40 seeds, 1200 calls, no difference from the model (")


def test_the_simulated_arm_on_standard_streams():
    ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n'
    assert run("sim", "--stdio", text=ping) == (0, '{"jsonrpc":"2.0","id":7,"result":{}}\n', "")
