"""The same tool twice: from agentmote, and from the official Python SDK.

usage: server.py agentmote|sdk PORT
"""

import sys
from typing import Annotated

NAME = "arm_move"


def agentmote_device():
    import agentmote
    from agentmote import Range, Unit

    device = agentmote.Device("bench-arm", version="1.0")

    @device.tool
    def arm_move(
        joint: Annotated[int, Range(0, 5)],
        deg: Annotated[float, Range(-90, 90), Unit("deg")],
        speed: Annotated[int, Range(1, 100)] = 20,
    ) -> str:
        """Moves one joint to an angle."""
        return "the joint is at its target"

    return device


def sdk(port):
    from mcp.server import MCPServer
    from pydantic import Field

    # Its fastest way to serve: no sessions, answers as JSON, no log.
    server = MCPServer("bench-arm", version="1.0", log_level="CRITICAL")

    @server.tool()
    def arm_move(
        joint: Annotated[int, Field(ge=0, le=5)],
        deg: Annotated[float, Field(ge=-90, le=90)],
        speed: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> str:
        """Moves one joint to an angle."""
        return "the joint is at its target"

    import uvicorn

    app = server.streamable_http_app(stateless_http=True, json_response=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="critical", access_log=False)


if __name__ == "__main__":
    if sys.argv[1] == "agentmote":
        agentmote_device().serve(f"127.0.0.1:{sys.argv[2]}")
    else:
        sdk(int(sys.argv[2]))
