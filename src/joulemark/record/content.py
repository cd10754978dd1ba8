"""What a message says: words, or words with pictures."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Picture:
    """The bytes of an image file; ``digest`` is their SHA-256 (hex)."""

    media_type: str
    data: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        """The SHA-256 (hex) of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def base64(self) -> str:
        """The bytes in base64."""
        return base64.b64encode(self.data).decode()

    @property
    def data_url(self) -> str:
        """The picture as a URL that holds it (RFC 2397)."""
        return f"data:{self.media_type};base64,{self.base64}"


@dataclass(frozen=True, slots=True)
class Illustrated:
    """Words with pictures. As text they are the words, and each picture by its type and digest."""

    text: str
    pictures: tuple[Picture, ...]

    def __str__(self) -> str:
        named = (f"[{picture.media_type} sha256:{picture.digest}]" for picture in self.pictures)
        return "\n".join((self.text, *named))


Content = str | Illustrated
"""What a message says."""
Message = tuple[str, Content]
"""A chat message: (role, content)."""


def words(content: Content) -> str:
    """Return the words of a message without its pictures."""
    return content if isinstance(content, str) else content.text


def pictures(content: Content) -> tuple[Picture, ...]:
    """Return the pictures of a message."""
    return () if isinstance(content, str) else content.pictures
