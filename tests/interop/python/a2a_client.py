"""The official A2A Python SDK against the bench arm.

usage: a2a_client.py --wire 1.0|0.3 URL

URL is where the agent's card is found. Every answer of the 1.x wire is also
parsed with the SDK's own protobuf types, unknown members refused.
"""

import argparse
import asyncio
import json
import sys
import uuid

import httpx
from google.protobuf.json_format import ParseDict

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.card_resolver import parse_agent_card
from a2a.types import a2a_pb2 as pb
from a2a.utils import errors

SECONDS = 30

asserted = 0


def check(what, found, wanted):
    global asserted
    if found != wanted:
        print(f"not ok: {what}: found {found!r}, wanted {wanted!r}")
        sys.exit(1)
    asserted += 1
    print(f"ok {asserted} {what}")


def state(task):
    return pb.TaskState.Name(task.status.state)


def message(text, task=None):
    made = pb.Message(
        message_id=uuid.uuid4().hex, role=pb.ROLE_USER, parts=[pb.Part(text=text)]
    )
    if task is not None:
        made.task_id = task.id
    return pb.SendMessageRequest(message=made)


RESULTS = {
    "SendMessage": pb.SendMessageResponse,
    "GetTask": pb.Task,
    "CancelTask": pb.Task,
    "ListTasks": pb.ListTasksResponse,
}


async def strictly(response):
    """Parses an answer of the 1.x wire as the schema has it."""
    asked = response.request
    if asked.method != "POST" or asked.headers["a2a-version"] != "1.0":
        return
    check("status of an answer", response.status_code, 200)
    method = json.loads(asked.content)["method"]
    if response.headers["content-type"] != "application/json":
        check("an event stream", response.headers["content-type"], "text/event-stream")
        return
    answer = json.loads(await response.aread())
    if "result" in answer:
        check("members of an answer", sorted(answer), ["id", "jsonrpc", "result"])
        ParseDict(answer["result"], RESULTS[method](), ignore_unknown_fields=False)
    else:
        check("members of an error", set(answer["error"]) <= {"code", "message", "data"}, True)
        for one in answer["error"].get("data", []):
            check("a detail has a type", one["@type"].startswith("type.googleapis.com/"), True)


async def refused(what, awaited, wanted):
    try:
        await awaited
    except wanted:
        check(what, wanted.__name__, wanted.__name__)
    else:
        check(what, "an answer", wanted.__name__)


async def sent(client, request):
    """The one task that a message without a stream comes to."""
    events = [event async for event in client.send_message(request)]
    check("one answer", [event.WhichOneof("payload") for event in events], ["task"])
    return events[0].task


async def until(client, task, *wanted):
    for _ in range(SECONDS * 20):
        task = await client.get_task(pb.GetTaskRequest(id=task.id))
        if state(task) in wanted:
            return task
        await asyncio.sleep(0.05)
    check(f"{task.id} became {wanted}", state(task), wanted)


async def cards(http, url):
    """The cards themselves, without the SDK between."""
    new = await http.get(f"{url}/.well-known/agent-card.json")
    check("the card is JSON", new.headers["content-type"], "application/json")
    check("the card may be kept", "max-age" in new.headers["cache-control"], True)
    strict = ParseDict(new.json(), pb.AgentCard(), ignore_unknown_fields=False)
    check("the wire that is preferred", strict.supported_interfaces[0].protocol_version, "1.0")
    check("its binding", strict.supported_interfaces[0].protocol_binding, "JSONRPC")
    same = {"If-None-Match": new.headers["etag"]}
    again = await http.get(f"{url}/.well-known/agent-card.json", headers=same)
    check("the same card is not sent twice", (again.status_code, again.content), (304, b""))
    old = await http.get(f"{url}/.well-known/agent.json")
    check("the older card", old.json()["protocolVersion"], "0.3.0")
    check("the endpoint of both", old.json()["url"], strict.supported_interfaces[0].url)
    return old.json()


async def run(url, wire):
    hooks = {"response": [strictly]} if wire == "1.0" else {}
    async with httpx.AsyncClient(event_hooks=hooks, timeout=SECONDS) as http:
        old = await cards(http, url)
        if wire == "1.0":
            card = await A2ACardResolver(http, url).get_agent_card()
        else:
            http.headers["a2a-version"] = "0.3"
            card = parse_agent_card(old)
        skills = [skill.id for skill in card.skills]
        check("skills", skills, ["calibrate", "home"])
        config = ClientConfig(httpx_client=http, streaming=False, polling=True)
        client = ClientFactory(config).create(card)
        transport = type(client._transport).__name__
        wanted = "JsonRpcTransport" if wire == "1.0" else "CompatJsonRpcTransport"
        check("the wire", transport, wanted)

        # Send, poll, answer the question, poll, read the artifact.
        task = await sent(client, message("calibrate the arm"))
        check("a new task", state(task) in ("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"), True)
        task = await until(client, task, "TASK_STATE_INPUT_REQUIRED")
        question = task.status.message
        check("who asks", pb.Role.Name(question.role), "ROLE_AGENT")
        check("about which task", (question.task_id, question.context_id), (task.id, task.context_id))
        check("no artifact before the end", len(task.artifacts), 0)
        going = await sent(client, message("yes", task))
        check("the same task goes on", (going.id, going.context_id), (task.id, task.context_id))
        check("it works", state(going), "TASK_STATE_WORKING")
        done = await until(client, task, "TASK_STATE_COMPLETED")
        check("one artifact", len(done.artifacts), 1)
        output = dict(done.artifacts[0].parts[0].data.struct_value)
        check("what was measured", (output["joints"], output["millis"] > 0), (6, True))
        said = [(pb.Role.Name(one.role), one.parts[0].text) for one in done.history]
        check("the first word", said[0], ("ROLE_USER", "calibrate the arm"))
        check("the last word", said[-1], ("ROLE_USER", "yes"))
        check("the time", done.status.timestamp.ToSeconds() > 1_700_000_000, True)

        # Cancel while the arm moves.
        task = await sent(client, message("calibrate the arm"))
        task = await until(client, task, "TASK_STATE_INPUT_REQUIRED")
        await sent(client, message("yes", task))
        task = await until(client, task, "TASK_STATE_WORKING")
        stopped = await client.cancel_task(pb.CancelTaskRequest(id=task.id))
        check("it stopped", state(stopped), "TASK_STATE_CANCELED")
        cancel = client.cancel_task(pb.CancelTaskRequest(id=task.id))
        await refused("a second cancel", cancel, errors.TaskNotCancelableError)
        late = client.send_message(message("go on", task)).__anext__()
        wanted = errors.UnsupportedOperationError if wire == "1.0" else errors.InvalidParamsError
        await refused("a message to a finished task", late, wanted)
        none = client.get_task(pb.GetTaskRequest(id="no-such-task"))
        await refused("no such task", none, errors.TaskNotFoundError)

        # Without waiting for a question: rejected.
        task = await sent(client, message("calibrate the arm"))
        task = await until(client, task, "TASK_STATE_INPUT_REQUIRED")
        task = await sent(client, message("no", task))
        task = await until(client, task, "TASK_STATE_REJECTED")

        # The answer waits for the end.
        config = ClientConfig(httpx_client=http, streaming=False)
        waiting = ClientFactory(config).create(card)
        home = await sent(waiting, message("home the arm"))
        check("home at once", state(home), "TASK_STATE_COMPLETED")
        check("said so", home.artifacts[0].parts[0].text, "the arm is at home")

        # A stream, from the message to the end.
        streaming = ClientFactory(ClientConfig(httpx_client=http)).create(card)
        events = [event async for event in streaming.send_message(message("home the arm"))]
        kinds = [event.WhichOneof("payload") for event in events]
        check("the task first", kinds[0], "task")
        check("then what becomes of it", set(kinds[1:]), {"status_update", "artifact_update"})
        check("the end last", pb.TaskState.Name(events[-1].status_update.status.state), "TASK_STATE_COMPLETED")

        # A stream of a task that another request began.
        task = await sent(client, message("calibrate the arm"))
        task = await until(client, task, "TASK_STATE_INPUT_REQUIRED")

        async def watch():
            request = pb.SubscribeToTaskRequest(id=task.id)
            return [event async for event in streaming.subscribe(request)]

        watching = asyncio.create_task(watch())
        await asyncio.sleep(0.1)
        await sent(client, message("yes", task))
        events = await asyncio.wait_for(watching, SECONDS)
        reports = [event.status_update.status.message.parts[0].text for event in events
                   if event.WhichOneof("payload") == "status_update"
                   and event.status_update.status.message.parts]
        check("each joint was told", reports, [f"joint {joint} of 6" for joint in range(6)])
        check("up to the end", pb.TaskState.Name(events[-1].status_update.status.state), "TASK_STATE_COMPLETED")
        gone = streaming.subscribe(pb.SubscribeToTaskRequest(id=task.id)).__anext__()
        await refused("a stream of a finished task", gone, errors.UnsupportedOperationError)

        if wire == "1.0":
            listed = await client.list_tasks(pb.ListTasksRequest(page_size=2))
            check("a page", (len(listed.tasks), listed.page_size), (2, 2))
            check("the newest first", listed.tasks[0].id, task.id)
            rest = pb.ListTasksRequest(page_size=100, page_token=listed.next_page_token)
            rest = await client.list_tasks(rest)
            check("the rest", len(rest.tasks), listed.total_size - 2)
            await strict_events(http, card)
    print(f"done: {asserted} assertions")


async def strict_events(http, card):
    """Each event of a stream as the schema has it."""
    body = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "SendStreamingMessage",
        "params": {"message": {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "parts": [{"text": "home"}]}},
    }
    headers = {"A2A-Version": "1.0", "Accept": "text/event-stream"}
    endpoint = card.supported_interfaces[0].url
    async with http.stream("POST", endpoint, json=body, headers=headers) as response:
        events = [line async for line in response.aiter_lines() if line]
    check("events are lines of data", all(line.startswith("data: ") for line in events), True)
    for line in events:
        event = json.loads(line.removeprefix("data: "))
        check("the id of an event", (event["id"], event["jsonrpc"]), (7, "2.0"))
        ParseDict(event["result"], pb.StreamResponse(), ignore_unknown_fields=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wire", choices=["1.0", "0.3"], required=True)
    parser.add_argument("url")
    args = parser.parse_args()
    asyncio.run(asyncio.wait_for(run(args.url, args.wire), 4 * SECONDS))


main()
