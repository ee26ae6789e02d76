"""Devices that speak MCP by agentmote, from Python."""

from agentmote._native import PROTOCOL_VERSIONS, __version__

__all__ = ["PROTOCOL_VERSIONS", "__version__"]
