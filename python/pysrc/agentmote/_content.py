"""Parts of a result beyond text and data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Tuple


@dataclass(frozen=True)
class Text:
    """A text beside other parts."""

    text: str

    def _part(self) -> Tuple[Any, ...]:
        return ("text", self.text)


@dataclass(frozen=True)
class Image:
    """A picture: its bytes and its media type."""

    data: bytes
    mime: str = "image/png"

    def _part(self) -> Tuple[Any, ...]:
        return ("image", self.data, self.mime)


@dataclass(frozen=True)
class Audio:
    """A sound: its bytes and its media type."""

    data: bytes
    mime: str = "audio/wav"

    def _part(self) -> Tuple[Any, ...]:
        return ("audio", self.data, self.mime)


@dataclass(frozen=True)
class Link:
    """A link to a resource that the caller may read."""

    uri: str
    name: str
    mime: str = ""

    def _part(self) -> Tuple[Any, ...]:
        return ("link", self.uri, self.name, self.mime)


@dataclass(frozen=True)
class Embedded:
    """A resource in place: text, or bytes."""

    uri: str
    content: "str | bytes"
    mime: str = ""

    def _part(self) -> Tuple[Any, ...]:
        if isinstance(self.content, str):
            return ("resource_text", self.uri, self.mime, self.content)
        return ("resource_blob", self.uri, self.mime, self.content)


PARTS = (Text, Image, Audio, Link, Embedded)
