"""The official Python SDK against everything that the bench arm does beside plain calls.

usage: whole.py --era legacy|modern (--http URL | --stdio COMMAND...)

Subscriptions to the temperature and the pose, progress of a motion, giving it up half-way, and the question before a
move through the marked zone.
"""

import argparse
import asyncio
import json
import os
import sys
import warnings

import anyio
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters

warnings.simplefilter("ignore")

MODES = {"legacy": "legacy", "modern": "auto"}
POSE = "device://bench-arm/pose"
TEMPERATURE = "device://bench-arm/temperature"
SECONDS = 20

asserted = 0


def check(what, fine, found=None):
    global asserted
    if not fine:
        print(f"not ok: {what}: found {found!r}")
        sys.exit(1)
    asserted += 1
    print(f"ok {asserted} {what}")


class Watcher:
    """What the server has told of resources, in both eras."""

    def __init__(self):
        self.uris = []
        self.news = asyncio.Event()

    def heard(self, uri):
        self.uris.append(str(uri))
        self.news.set()

    async def message(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            self.heard(message.params.uri)

    async def wait(self, uri):
        while uri not in self.uris:
            self.news.clear()
            await self.news.wait()


async def pose(client):
    result = await client.read_resource(POSE, cache_mode="bypass")
    return json.loads(result.contents[0].text)["deg"]


async def follow(client, era, watcher, ready):
    """Subscribes to the pose and to something that there is not."""
    if era == "legacy":
        await client.subscribe_resource(POSE)
        await client.subscribe_resource(TEMPERATURE)
        ready.set()
        return
    async with client.listen(resource_subscriptions=[POSE, TEMPERATURE, "device://no"]) as subscription:
        honored = sorted(str(uri) for uri in subscription.honored.resource_subscriptions)
        check("only what there is, is honoured", honored == [POSE, TEMPERATURE], honored)
        ready.set()
        async for event in subscription:
            watcher.heard(event.uri)


async def run(server, era):
    watcher = Watcher()
    answers = []
    asked = []

    async def elicit(context, params):
        asked.append(params.message)
        action, content = answers.pop(0)
        return types.ElicitResult(action=action, content=content)

    async with Client(
        server,
        mode=MODES[era],
        read_timeout_seconds=SECONDS,
        elicitation_callback=elicit,
        message_handler=watcher.message,
    ) as client:
        check("resources can be subscribed to", client.server_capabilities.resources.subscribe is True)
        ready = asyncio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(follow, client, era, watcher, ready)
            await ready.wait()

            # The arm may be anywhere: the server outlives this client.
            await client.call_tool("arm_home", {})

            # A motion reports its progress, and its pose is told of.
            steps = []

            async def progress(done, total, message):
                steps.append((done, total))

            result = await client.call_tool(
                "arm_move", {"joint": 1, "deg": 40, "speed": 100}, progress_callback=progress
            )
            check("the motion ends well", not result.is_error, result)
            check("it told of its progress", len(steps) >= 3, steps)
            rising = all(a[0] < b[0] for a, b in zip(steps, steps[1:]))
            check("the progress rises to at most 100", rising and all(s[1] == 100 and s[0] <= 100 for s in steps), steps)
            with anyio.fail_after(SECONDS):
                await watcher.wait(POSE)
            check("the pose was told of, the temperature was not", set(watcher.uris) == {POSE}, watcher.uris)
            check("the joint is there", (await pose(client))[1] == 40, await pose(client))

            # A motion that is given up half-way stops there.
            with anyio.move_on_after(0.5):
                await client.call_tool("arm_move", {"joint": 2, "deg": 90, "speed": 20})
            await anyio.sleep(0.3)
            first = (await pose(client))[2]
            await anyio.sleep(0.3)
            second = (await pose(client))[2]
            check("the joint stopped half-way", 0 < first < 90 and first == second, (first, second))

            # A move through the marked zone asks first.
            for action, content in [("decline", None), ("cancel", None), ("accept", {"confirm": False})]:
                answers.append((action, content))
                result = await client.call_tool("arm_move", {"joint": 0, "deg": -90, "speed": 100})
                words = result.content[0].text
                check(f"{action} {content}: no move", result.is_error and words == "the user refused the move", words)
            check("the base has not moved", (await pose(client))[0] == 0)
            answers.append(("accept", {"confirm": True}))
            result = await client.call_tool("arm_move", {"joint": 0, "deg": -90, "speed": 100})
            check("the user agreed: it moves", not result.is_error, result)
            check("the base is there", (await pose(client))[0] == -90)
            check("the user was asked each time", asked == [asked[0]] * 4 and "zone" in asked[0], asked)
            result = await client.call_tool("arm_move", {"joint": 1, "deg": -90, "speed": 100})
            check("other joints ask nobody", not result.is_error and len(asked) == 4, asked)
            group.cancel_scope.cancel()

    # A client that cannot ask is told so, and nothing moves.
    async with Client(server, mode=MODES[era], read_timeout_seconds=SECONDS) as client:
        try:
            result = await client.call_tool("arm_move", {"joint": 0, "deg": -70, "speed": 100})
            words = result.content[0].text
            fine = result.is_error and "has not declared elicitation" in words
        except Exception as error:
            words = str(error)
            fine = "lacks a capability" in words
        check("who cannot ask is told so", fine, words)
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
    asyncio.run(asyncio.wait_for(run(server, options.era), 3 * SECONDS))


main()
