"""Devices that speak MCP and A2A by agentmote, from Python."""

from agentmote._native import PROTOCOL_VERSIONS, __version__

__all__ = ["PROTOCOL_VERSIONS", "__version__"]
