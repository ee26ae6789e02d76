"""The official Python SDK against the bench arm.

usage: client.py --era legacy|modern|auto (--http URL | --stdio COMMAND...)
"""

import argparse
import asyncio
import json
import os
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters

MODES = {"legacy": "legacy", "modern": "2026-07-28", "auto": "auto"}
VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28", "auto": "2026-07-28"}

# Member by member what the server advertises, apart from the words in it.
SCHEMAS = {
    "arm_move": (
        {
            "joint": {"type": "integer", "minimum": 0, "maximum": 5},
            "deg": {"type": "number", "minimum": -90, "maximum": 90},
            "speed": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        },
        ["joint", "deg"],
    ),
    "arm_home": ({}, []),
    "arm_stop": ({}, []),
    "note_set": ({"text": {"type": "string", "maxLength": 32}}, ["text"]),
    "temp_read": ({}, []),
}

CALLS = [
    ("arm_move", {"joint": 2, "deg": 10}),
    ("arm_home", {}),
    ("arm_stop", {}),
    ("note_set", {"text": "bench"}),
]

SECONDS = 30

asserted = 0


def check(what, found, wanted):
    global asserted
    if found != wanted:
        print(f"not ok: {what}: found {found!r}, wanted {wanted!r}")
        sys.exit(1)
    asserted += 1
    print(f"ok {asserted} {what}")


def rules(property_schema):
    """A parameter's schema without the words for people."""
    words = ("title", "description")
    return {key: value for key, value in property_schema.items() if key not in words}


async def texts(client, name, arguments):
    result = await client.call_tool(name, arguments)
    return result, [block.text for block in result.content if block.type == "text"]


async def run(server, era):
    async with Client(server, mode=MODES[era], read_timeout_seconds=SECONDS) as client:
        check("version", client.protocol_version, VERSIONS[era])
        tools = (await client.list_tools()).tools
        check("tool names in order", [tool.name for tool in tools], list(SCHEMAS))
        for tool in tools:
            properties, required = SCHEMAS[tool.name]
            schema = dict(tool.input_schema)
            found = {name: rules(rule) for name, rule in schema.pop("properties", {0: {}}).items()}
            check(f"{tool.name} parameters", found, properties)
            check(f"{tool.name} required", schema.pop("required", []), required)
            check(f"{tool.name} schema", schema, {"type": "object", "additionalProperties": False})
        for name, arguments in CALLS:
            result, words = await texts(client, name, arguments)
            check(f"{name} succeeds", (bool(result.is_error), len(words) > 0), (False, True))
        result, words = await texts(client, "temp_read", {})
        check("temp_read succeeds", bool(result.is_error), False)
        check("temp_read structured", result.structured_content, {"celsius": 24.5})
        check("temp_read as text", [json.loads(text) for text in words], [{"celsius": 24.5}])
        result, words = await texts(client, "arm_move", {"joint": 7, "deg": 10})
        told = any("joint: 7 is above the maximum 5" in text for text in words)
        check("arm_move joint 7 is refused", (bool(result.is_error), told), (True, True))
    print(f"done: {asserted} assertions")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--era", choices=list(MODES), required=True)
    parser.add_argument("--http")
    parser.add_argument("--stdio", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.http:
        server = options.http
    elif options.stdio:
        command, *args = options.stdio
        server = StdioServerParameters(command=command, args=args, env=dict(os.environ))
    else:
        parser.error("--http URL or --stdio COMMAND is needed")
    asyncio.run(asyncio.wait_for(run(server, options.era), 2 * SECONDS))


main()
