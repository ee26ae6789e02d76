"""The command line: ``python -m agentmote``."""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, TextIO

from agentmote import _native, recording
from agentmote._client import Client, Tool, connect, members
from agentmote._errors import Error, ProtocolError, ToolError
from agentmote._transports import DeviceTransport, LineTransport, line_transport

FINE, FAILED, USAGE, LOST = 0, 1, 2, 3

SECRET = 16
"""Characters of a bearer token at least."""

TARGETS = """\
targets:
  sim                          the bench arm, simulated
  qemu:IMAGE                   firmware on an emulated LM3S6965
  serial:PORT?baud=115200      a serial port (needs pyserial)
  stdio:COMMAND                a program with lines on its standard streams
  tcp:HOST:PORT                lines over TCP
  http://HOST:PORT/mcp         HTTP, also https

exit status: 0 fine, 1 the device has failed or differs, 2 wrong usage, 3 no
connection or no answer
"""


class Bar:
    """A progress bar on standard error, if that is a terminal."""

    WIDTH = 30

    def __init__(self, what: str) -> None:
        self._what = what
        self._terminal = sys.stderr.isatty()
        self._shown = False

    def tell(self, done: float, total: Optional[float]) -> None:
        """Shows how far it is."""
        if not self._terminal:
            return
        self._shown = True
        if total:
            full = int(self.WIDTH * min(done / total, 1))
            bar = "#" * full + "-" * (self.WIDTH - full)
            text = f"{bar} {100 * done / total:3.0f} %"
        else:
            text = f"{done:g}"
        sys.stderr.write(f"\r{self._what}: {text}\x1b[K")
        sys.stderr.flush()

    def end(self) -> None:
        """Takes it away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text


def shown_range(schema: Dict[str, Any]) -> str:
    """What a schema allows, in a few words."""
    if "enum" in schema:
        return " | ".join(str(one) for one in schema["enum"])
    kind = str(schema.get("type", "any"))
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None or high is not None:
        kind += f" {'' if low is None else low}..{'' if high is None else high}"
    least, most = schema.get("minLength"), schema.get("maxLength")
    if least is not None or most is not None:
        kind += f" of {least or 0}..{'' if most is None else most} characters"
    if kind.startswith("array"):
        kind = f"list of {shown_range(members(schema.get('items')))}"
    return kind


def show_tool(tool: Tool, out: TextIO) -> None:
    print(bold(tool.name), "-", tool.description, file=out)
    required = tool.input_schema.get("required", ())
    for name, given in members(tool.input_schema.get("properties")).items():
        schema = members(given)
        words = [shown_range(schema)]
        if "default" in schema:
            words.append(f"default {json.dumps(schema['default'])}")
        elif name not in required:
            words.append("optional")
        text = schema.get("description", "")
        print(f"    {name}: {', '.join(words)}{'. ' + text if text else ''}", file=out)


def parsed(words: Sequence[str], schema: Dict[str, Any]) -> Dict[str, Any]:
    """Arguments of the form ``name=value``. A value is text where the tool
    wants text, else JSON.

    Raises:
        ValueError: a word is of another form.
    """
    properties = members(schema.get("properties"))
    found: Dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise ValueError(f"{word!r}: NAME=VALUE is wanted")
        if name in found:
            raise ValueError(f"{name} is given twice")
        if members(properties.get(name)).get("type") == "string":
            found[name] = text
            continue
        try:
            found[name] = json.loads(text)
        except ValueError:
            # The device says what is wrong with it.
            found[name] = text
    return found


def opened(options: argparse.Namespace) -> Client:
    return connect(
        options.target, era=options.era, timeout=options.timeout, token=options.token
    )


def run_tools(options: argparse.Namespace) -> int:
    with opened(options) as client:
        found = client.tools()
        if options.json:
            given = [
                {
                    "name": tool.name,
                    "title": tool.title,
                    "description": tool.description,
                    "inputSchema": tool.input_schema,
                    "outputSchema": tool.output_schema,
                    "annotations": tool.annotations,
                }
                for tool in found
            ]
            print(json.dumps(given, ensure_ascii=False, indent=2))
            return FINE
        about = client.server
        print(f"{about.get('name')} {about.get('version')}, MCP {client.version}\n")
        for tool in found:
            show_tool(tool, sys.stdout)
    return FINE


def run_call(options: argparse.Namespace) -> int:
    bar = Bar(options.tool)
    with opened(options) as client:
        schema: Dict[str, Any] = {}
        if any("=" in word for word in options.arguments):
            for tool in client.tools():
                if tool.name == options.tool:
                    schema = tool.input_schema
        try:
            arguments = parsed(options.arguments, schema)
            if options.json is not None:
                arguments = {**json.loads(options.json), **arguments}
        except (TypeError, ValueError) as error:
            print(f"agentmote: {error}", file=sys.stderr)
            return USAGE
        try:
            result = client.call_tool(options.tool, arguments, progress=bar.tell)
        finally:
            bar.end()
    if result.structured is not None:
        print(json.dumps(result.structured, ensure_ascii=False))
    else:
        print(result.text)
    return FINE


def run_read(options: argparse.Namespace) -> int:
    with opened(options) as client:
        value = client.read(options.uri)
    if isinstance(value, bytes):
        sys.stdout.buffer.write(value)
    elif isinstance(value, str):
        print(value)
    else:
        print(json.dumps(value, ensure_ascii=False))
    return FINE


def run_probe(options: argparse.Namespace) -> int:
    """What a device is, and whether it keeps its word. It moves nothing: each
    call that is tried must be refused."""
    from agentmote.schema import SchemaNotEnforced, assert_schema_enforced

    code = FINE
    for era in ("modern", "legacy"):
        options.era = era
        try:
            with opened(options) as client:
                begin = time.perf_counter()
                tools = client.tools()
                millis = (time.perf_counter() - begin) * 1000
                about = client.server
                print(
                    f"{era}: MCP {client.version}, {about.get('name')} {about.get('version')}, "
                    f"{len(tools)} tools, {len(client.resources())} resources, "
                    f"tools/list in {millis:.1f} ms"
                )
                try:
                    count = assert_schema_enforced(client)
                    print(f"{era}: {count} calls beside the limits, each refused as advertised")
                except SchemaNotEnforced as error:
                    print(f"{era}: NOT ENFORCED: {error}")
                    code = FAILED
        except ProtocolError as error:
            print(f"{era}: not spoken ({error})")
    return code


def line_of(target: str) -> LineTransport:
    if target == "sim":
        from agentmote import sim

        arm = sim.BenchArm(_native.Clock())
        return DeviceTransport(arm._native)
    if target.startswith(("http://", "https://")):
        raise ValueError(f"{target}: a line is wanted, not HTTP")
    return line_transport(target)


def run_bridge(options: argparse.Namespace) -> int:
    from agentmote._bridge import bridge

    if options.http is not None:
        return run_gateway(options)
    words = [sys.executable, "-m", "agentmote", "bridge", options.target]
    if options.config:
        server = {"command": words[0], "args": words[1:]}
        print(json.dumps({"mcpServers": {options.name: server}}, indent=2))
        return FINE
    if sys.stdin.isatty():
        print(
            "This speaks to an AI host on standard input. Paste into its configuration what\n"
            f"  {shlex.join([*words, '--config'])}\nprints.",
            file=sys.stderr,
        )
    line = line_of(options.target)
    with contextlib.closing(line):
        bridge(line)
    return FINE


def run_gateway(options: argparse.Namespace) -> int:
    """A bridge by HTTP: a real ASGI server, and TLS of the standard library."""
    from agentmote._device import is_loopback
    from agentmote._proxy import proxy

    host, _, port = options.http.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"--http {options.http}: HOST:PORT is wanted")
    if (options.certificate is None) != (options.key is None):
        raise ValueError("--certificate and --key belong together")
    token = None
    if options.token_file is not None:
        with open(options.token_file, encoding="utf-8") as file:
            token = file.read().strip()
        if len(token) < SECRET:
            raise ValueError(f"{options.token_file}: a token has {SECRET} characters at least")
    if not is_loopback(options.http) and not (options.certificate and token and options.host):
        raise ValueError(
            f"--http {options.http}: beyond this machine, --certificate, --key, "
            "--token-file and --host are needed"
        )
    scheme = "http" if options.certificate is None else "https"
    name = options.host[0] if options.host else options.http
    server: Dict[str, Any] = {"type": "http", "url": f"{scheme}://{name}/mcp"}
    if token is not None:
        server["headers"] = {"Authorization": "Bearer <the token>"}
    print(json.dumps({"mcpServers": {options.name: server}}, indent=2), flush=True)
    if options.config:
        return FINE
    try:
        import uvicorn
    except ImportError:
        raise ValueError("--http needs uvicorn: pip install 'agentmote[bridge]'") from None
    with connect(options.target, timeout=options.timeout) as client:
        uvicorn.run(
            proxy(client).asgi(hosts=options.host or None, token=token),
            host=host.strip("[]"),
            port=int(port),
            ssl_certfile=options.certificate,
            ssl_keyfile=options.key,
            log_level="warning",
            access_log=False,
            server_header=False,
        )
    return FINE


def run_record(options: argparse.Namespace) -> int:
    """A bridge that writes down what passes."""
    from agentmote._bridge import bridge

    line = line_of(options.target)
    begin = line.now()
    pending = {True: b"", False: b""}
    with contextlib.closing(line), open(options.file, "w", encoding="utf-8") as file:

        def write(given: Dict[str, Any]) -> None:
            text = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
            file.write(text + "\n")
            file.flush()

        def seen(to_device: bool, data: bytes) -> None:
            *lines, pending[to_device] = (pending[to_device] + data).split(b"\n")
            for one in lines:
                write(
                    {
                        "seconds": round(line.now() - begin, 3),
                        "to": "device" if to_device else "client",
                        "text": one.decode(errors="replace").rstrip("\r"),
                    }
                )

        write({**recording.HEAD, "target": options.target})
        bridge(line, seen)
    return FINE


def run_replay(options: argparse.Namespace) -> int:
    with open(options.file, encoding="utf-8") as file:
        if options.target == "sim":
            from agentmote import sim

            count = recording.replay(file, sim.BenchArm(), timeout=options.timeout)
        else:
            line = line_of(options.target)
            with contextlib.closing(line):
                count = recording.replay(file, line, timeout=options.timeout)
    print(f"{count} messages, the same answers")
    return FINE


def run_sim(options: argparse.Namespace) -> int:
    from agentmote import sim

    if options.soak is None:
        arm = sim.BenchArm(_native.Clock())
        if options.stdio:
            arm.serve_stdio()
        else:
            arm.serve(f"127.0.0.1:{options.port}")
        return FINE
    bar = Bar("soak")
    begin = time.perf_counter()
    seeds = range(options.seed, options.seed + options.soak)
    calls, seed = 0, options.seed
    try:
        for at, seed in enumerate(seeds):
            bar.tell(at, options.soak)
            calls += sim.soak(seed)
    except sim.SoakFailed as error:
        bar.end()
        print(f"{error}\nagain: python -m agentmote sim --soak 1 --seed {seed}")
        return FAILED
    bar.end()
    print(
        f"{options.soak} seeds, {calls} calls, no difference from the model "
        f"({time.perf_counter() - begin:.1f} s)"
    )
    return FINE


def whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text}: {least} to {most} are allowed")
        return value

    read.__name__ = "number"
    return read


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m agentmote",
        description="Talk to devices that speak MCP.",
        epilog=TARGETS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"agentmote {_native.__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            help=words,
            description=words[0].upper() + words[1:] + ".",
            epilog=TARGETS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run)
        return command

    def asks(command: argparse.ArgumentParser) -> None:
        command.add_argument("target", metavar="TARGET")
        command.add_argument("--era", choices=("auto", "modern", "legacy"), default="auto")
        command.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS")
        command.add_argument("--token", metavar="SECRET", help="bearer token, for HTTP")

    command = add("tools", run_tools, "list the tools of a device")
    asks(command)
    command.add_argument("--json", action="store_true", help="as JSON, with the schemas")

    command = add("call", run_call, "call a tool")
    asks(command)
    command.add_argument("tool", metavar="TOOL")
    command.add_argument("arguments", nargs="*", metavar="NAME=VALUE")
    command.add_argument("--json", metavar="OBJECT", help="arguments as a JSON object")

    command = add("read", run_read, "read a resource")
    asks(command)
    command.add_argument("uri", metavar="URI")

    command = add("probe", run_probe, "tell what a device is, and whether it keeps its word")
    asks(command)

    command = add("bridge", run_bridge, "make a device an MCP server for an AI host")
    command.add_argument("target", metavar="TARGET")
    command.add_argument(
        "--http", metavar="HOST:PORT", help="by HTTP, and not on standard input and output"
    )
    command.add_argument("--certificate", metavar="FILE", help="for TLS, in PEM")
    command.add_argument("--key", metavar="FILE", help="of the certificate, in PEM")
    command.add_argument("--token-file", metavar="FILE", help="with the bearer token in it")
    command.add_argument(
        "--host", action="append", metavar="NAME", help="a Host that is served; with its port"
    )
    command.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS")
    command.add_argument("--config", action="store_true", help="print what a host is told")
    command.add_argument("--name", default="device", help="its name in that (default: device)")

    command = add("record", run_record, "a bridge that writes down what passes")
    command.add_argument("target", metavar="TARGET")
    command.add_argument("file", metavar="FILE")

    command = add("replay", run_replay, "send a recording anew and compare the answers")
    command.add_argument("file", metavar="FILE")
    command.add_argument("target", metavar="TARGET")
    command.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS")

    command = add("sim", run_sim, "serve the simulated bench arm, or soak it")
    command.add_argument("--port", type=whole(0, 65535), default=8080, metavar="N")
    command.add_argument("--stdio", action="store_true", help="lines instead of HTTP")
    command.add_argument("--soak", type=whole(1, 10**9), metavar="SEEDS", help="random runs")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="the first seed")
    return top


def main(words: Optional[List[str]] = None) -> int:
    """Runs a command; gives the exit status."""
    options = parser().parse_args(words)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except (ToolError, recording.Difference) as error:
        print(f"agentmote: {error}", file=sys.stderr)
        return FAILED
    except ProtocolError as error:
        print(f"agentmote: the device refuses: {error}", file=sys.stderr)
        return FAILED
    except (FileNotFoundError, ValueError) as error:
        print(f"agentmote: {error}", file=sys.stderr)
        return USAGE
    except (Error, OSError) as error:
        print(f"agentmote: {error}", file=sys.stderr)
        return LOST
    except KeyboardInterrupt:
        return 130
