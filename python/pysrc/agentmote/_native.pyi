__version__: str
"""The version of the package and of the core in it."""

PROTOCOL_VERSIONS: tuple[str, ...]
"""The revisions of MCP that the core serves, newest first."""
