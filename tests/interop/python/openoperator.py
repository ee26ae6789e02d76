"""fasta2a 0.5.0 and the A2A Python SDK of 0.3 against the OpenOperator profile.

usage: openoperator.py URL enabled|disabled

URL is where the deployment is; the secret is in SPYNEL_AGENT_ZERO_API_KEY.
"""

import asyncio
import os
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import Message, Part, Role, TaskIdParams, TaskQueryParams, TextPart
from a2a.types import DataPart, TaskState
from fasta2a.client import A2AClient, UnexpectedResponseError

URN = "urn:openoperator:argus-supervisor:v1"
KEY = os.environ["SPYNEL_AGENT_ZERO_API_KEY"]
SECONDS = 30

asserted = 0


def check(what, found, wanted):
    global asserted
    if found != wanted:
        print(f"not ok: {what}: found {found!r}, wanted {wanted!r}")
        sys.exit(1)
    asserted += 1
    print(f"ok {asserted} {what}")


def skills(enabled):
    argus = ["argus_supervisor_health", "argus_supervisor_status", "argus_campaign_list"]
    return ["general_assistance"] + (argus if enabled else [])


def envelope(operation, name="requestId"):
    return {URN: {"operation": operation, name: "req-9"}}


def old(parts, metadata=None):
    """A message as fasta2a has it."""
    made = {"role": "user", "kind": "message", "message_id": uuid.uuid4().hex, "parts": parts}
    if metadata is not None:
        made |= {"metadata": metadata, "extensions": [URN]}
    return made


async def fasta2a(url, enabled):
    headers = {"X-API-KEY": KEY}
    client = A2AClient(f"{url}/a2a/", httpx.AsyncClient(headers=headers, timeout=SECONDS))
    text = [{"kind": "text", "text": "please home the arm"}]
    wanted = {"accepted_output_modes": ["application/json"], "blocking": False}
    answer = await client.send_message(old(text), configuration=wanted)
    task = answer["result"]
    check("a task", task["kind"], "task")
    check("it is open", task["status"]["state"] in ("submitted", "working"), True)
    check("the message is in it", task["history"][0]["parts"][0]["text"], "please home the arm")
    for _ in range(SECONDS * 20):
        # With "id": null.
        answer = await client.get_task(task["id"])
        if answer["result"]["status"]["state"] == "completed":
            break
        await asyncio.sleep(0.05)
    check("it ends", answer["result"]["status"]["state"], "completed")
    check("an answer to null", answer["id"], None)
    artifact = answer["result"]["artifacts"][0]
    check("its artifact", artifact["parts"][0]["text"], "the arm is at home")
    answer = await client.get_task("no-such-task")
    check("no such task", answer["error"]["code"], -32001)

    data = [{"kind": "data", "data": {"params": {}}}]
    wanted = {"accepted_output_modes": ["application/json"], "blocking": True}
    for name in ("requestId", "request_id"):
        sent = old(data, envelope("supervisor.health", name))
        task = (await client.send_message(sent, configuration=wanted))["result"]
        if enabled:
            check("health is told", task["status"]["state"], "completed")
            found = task["artifacts"][0]["parts"][0]["data"]
            check("what was asked", (found["operation"], found["ok"]), ("supervisor.health", True))
        else:
            check("health is not told", task["status"]["state"], "failed")
            found = task["status"]["message"]["parts"][0]["data"]
            check("why", found["error"], {"code": "argus_supervisor_disabled"})
        check("for which request", found["requestId"], "req-9")
    await client.http_client.aclose()

    nobody = A2AClient(f"{url}/a2a/", httpx.AsyncClient(timeout=SECONDS))
    try:
        await nobody.send_message(old(text))
    except UnexpectedResponseError as error:
        check("nobody is refused", error.status_code, 401)
    else:
        check("nobody is refused", "an answer", 401)
    await nobody.http_client.aclose()


def new(part, task=None, metadata=None):
    """A message as the SDK has it."""
    return Message(
        message_id=uuid.uuid4().hex,
        role=Role.user,
        parts=[Part(root=part)],
        task_id=task and task.id,
        context_id=task and task.context_id,
        metadata=metadata,
        extensions=[URN] if metadata else None,
    )


async def sent(client, message):
    """The task that a message comes to, as the last event has it."""
    task = None
    async for event in client.send_message(message):
        task = event[0]
    return task


async def sdk(url, enabled):
    async with httpx.AsyncClient(timeout=SECONDS) as http:
        card = await A2ACardResolver(http, f"{url}/a2a").get_agent_card()
        check("the endpoint", card.url, f"{url}/a2a/")
        check("skills", [skill.id for skill in card.skills], skills(enabled))
        schemes = card.security_schemes
        check("bearer", schemes["bearer"].root.scheme, "bearer")
        check("the other", schemes["apiKey"].root.name, "X-API-KEY")
        older = await http.get(f"{url}/a2a/.well-known/agent.json")
        newer = await http.get(f"{url}/a2a/.well-known/agent-card.json")
        check("one card", older.content, newer.content)
        config = ClientConfig(httpx_client=http, streaming=False)
        client = ClientFactory(config).create(card)
        try:
            await sent(client, new(TextPart(text="home")))
        except A2AClientHTTPError as error:
            check("nobody is refused", error.status_code, 401)
        else:
            check("nobody is refused", "an answer", 401)

        http.headers["Authorization"] = f"Bearer {KEY}"
        task = await sent(client, new(TextPart(text="home the arm")))
        check("work ends", task.status.state, TaskState.completed)
        check("its artifact", task.artifacts[0].parts[0].root.text, "the arm is at home")
        task = await sent(client, new(TextPart(text="calibrate")))
        check("it asks", task.status.state, TaskState.input_required)
        task = await sent(client, new(TextPart(text="no"), task))
        check("it was refused", task.status.state, TaskState.rejected)
        task = await sent(client, new(TextPart(text="calibrate")))
        task = await client.cancel_task(TaskIdParams(id=task.id))
        check("cancelled", task.status.state, TaskState.canceled)
        task = await client.get_task(TaskQueryParams(id=task.id, history_length=0))
        check("it stays so", (task.status.state, task.history), (TaskState.canceled, None))

        for operation, code in [
            ("supervisor.health", None),
            ("supervisor.status", "argus_supervisor_unavailable"),
            ("campaign.list", "argus_supervisor_unavailable"),
            ("campaign.cancel", "unsupported_argus_operation"),
        ]:
            part = DataPart(data={"params": {}})
            task = await sent(client, new(part, metadata=envelope(operation)))
            if not enabled:
                code = "argus_supervisor_disabled"
            if code is None:
                check(operation, task.status.state, TaskState.completed)
                found = task.artifacts[0].parts[0].root.data
                check("the extension is named", task.artifacts[0].extensions, [URN])
            else:
                check(operation, task.status.state, TaskState.failed)
                found = task.status.message.parts[0].root.data
                check("why", found["error"], {"code": code})
            check("for which request", found["requestId"], "req-9")
            try:
                await client.cancel_task(TaskIdParams(id=task.id))
            except A2AClientJSONRPCError as error:
                check("nothing to cancel", error.error.code, -32002)
            else:
                check("nothing to cancel", "an answer", -32002)

        # Each event of a stream parses.
        streaming = ClientFactory(ClientConfig(httpx_client=http)).create(card)
        states = []
        async for task, update in streaming.send_message(new(TextPart(text="home"))):
            states.append(task.status.state)
        check("a stream ends", states[-1], TaskState.completed)


async def main():
    url, enabled = sys.argv[1], sys.argv[2] == "enabled"
    await fasta2a(url, enabled)
    await sdk(url, enabled)
    print(f"done: {asserted} assertions")


asyncio.run(asyncio.wait_for(main(), 4 * SECONDS))
