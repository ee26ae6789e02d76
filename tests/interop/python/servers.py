"""A server of the official Python SDKs, for the client of the core to call.

    servers.py mcp PORT      tools over Streamable HTTP, in both eras, at /mcp
    servers.py a2a PORT      an agent that speaks 1.0 and 0.3, at /a2a/
"""

import asyncio
import sys

import uvicorn


def mcp_app(port):
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Context

    server = MCPServer("python-tools")

    @server.tool()
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    @server.tool()
    async def slow(steps: int, ctx: Context) -> str:
        """Tells its progress."""
        for step in range(steps):
            await ctx.report_progress(step, steps)
        return "done \u00e9"

    @server.tool()
    def broken() -> str:
        """Fails."""
        raise ValueError("no luck")

    return server.streamable_http_app()


def a2a_app(port):
    from a2a.server.agent_execution import AgentExecutor
    from a2a.server.request_handlers import DefaultRequestHandler
    from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
    from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
    from a2a.types import a2a_pb2
    from starlette.applications import Starlette

    def part(text):
        return a2a_pb2.Part(text=text)

    class Executor(AgentExecutor):
        """Does what the first word says."""

        async def execute(self, context, queue):
            text = context.get_user_input()
            updater = TaskUpdater(queue, context.task_id, context.context_id)
            if text == "word":
                message = updater.new_agent_message([part("no more than a word")])
                await queue.enqueue_event(message)
                return
            if context.current_task is None:
                await queue.enqueue_event(
                    a2a_pb2.Task(
                        id=context.task_id,
                        context_id=context.context_id,
                        status=a2a_pb2.TaskStatus(state=a2a_pb2.TASK_STATE_SUBMITTED),
                        history=[context.message],
                    )
                )
            await updater.start_work()
            if text == "ask":
                question = updater.new_agent_message([part("which axis?")])
                await updater.requires_input(question)
                return
            if text == "wait":
                await asyncio.sleep(60)
            await updater.add_artifact([part(f"did {text}")], name="result")
            await updater.add_artifact(
                [a2a_pb2.Part(raw=b"\x00\xff>", media_type="image/x", filename="i")]
            )
            await updater.complete()

        async def cancel(self, context, queue):
            updater = TaskUpdater(queue, context.task_id, context.context_id)
            await updater.cancel()

    url = f"http://127.0.0.1:{port}/a2a/"
    card = a2a_pb2.AgentCard(
        name="python-agent",
        description="An agent of the official SDK.",
        version="1",
        capabilities=a2a_pb2.AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[a2a_pb2.AgentSkill(id="do", name="Do", description="Does.", tags=["t"])],
        supported_interfaces=[
            a2a_pb2.AgentInterface(
                url="https://elsewhere.example/a2a/", protocol_binding="JSONRPC", protocol_version="1.0"
            ),
            a2a_pb2.AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0"),
        ],
    )
    handler = DefaultRequestHandler(
        agent_executor=Executor(), task_store=InMemoryTaskStore(), agent_card=card
    )
    routes = create_jsonrpc_routes(handler, "/a2a/", enable_v0_3_compat=True)
    return Starlette(routes=create_agent_card_routes(card) + routes)


def main():
    what, port = sys.argv[1], int(sys.argv[2])
    app = {"mcp": mcp_app, "a2a": a2a_app}[what](port)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


main()
