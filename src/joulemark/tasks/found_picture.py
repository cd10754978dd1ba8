"""The picture that a row names: a file beside the data, a ``data:`` URL, or the bytes themselves."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.record.content import Picture
from joulemark.tasks.rows import RowFault

MAX_BYTES = 32 << 20
_SIGNS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture whose bytes were looked at once. ``data`` null: they are read again from ``path`` at need."""

    media_type: str
    digest: str
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)

    def load(self) -> Picture:
        """Return the picture; raises `RowFault` where its file has changed since."""
        data = self.data
        if data is None:
            assert self.path is not None
            data = _read(self.path)
        if hashlib.sha256(data).hexdigest() != self.digest:
            raise RowFault(f"the picture {self.path} changed while it was read")
        return Picture(self.media_type, data)


def find_picture(named: object, folder: Path | None) -> FoundPicture | None:
    """Return the picture that a row names, null for none; raises `RowFault`.

    A path is one below ``folder``, the folder of the data: a data file from somebody else must not show a
    model (perhaps on another machine) whatever it names. Addresses are not fetched.
    """
    if named is None or named == "":
        return None
    if isinstance(named, Mapping) and isinstance(named.get("bytes"), bytes):
        return _of_bytes(named["bytes"], "the picture")  # as the hub's Parquet files have it
    if isinstance(named, bytes):
        return _of_bytes(named, "the picture")
    if not isinstance(named, str):
        raise RowFault(f"the picture is {named!r}"[:60] + ", no path")
    if named.startswith("data:"):
        return _of_bytes(_decoded(named), "the picture")
    if "://" in named:
        raise RowFault(f'the picture "{named[:80]}" is an address; download it beside the data')
    path = _below(named, folder)
    found = _of_bytes(_read(path), f'the picture "{named[:80]}"')
    return FoundPicture(found.media_type, found.digest, path)


def _of_bytes(data: bytes, what: str) -> FoundPicture:
    if len(data) > MAX_BYTES:
        raise RowFault(f"{what} is larger than {MAX_BYTES >> 20} MiB")
    media_type = next((kind for sign, kind in _SIGNS if data.startswith(sign)), None)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        media_type = "image/webp"
    if media_type is None:
        raise RowFault(f"{what} is no PNG, JPEG, GIF or WebP")
    return FoundPicture(media_type, hashlib.sha256(data).hexdigest(), data=data)


def _decoded(url: str) -> bytes:
    head, comma, content = url.partition(",")
    if not comma or not head.endswith(";base64"):
        raise RowFault("the picture's data: URL is not base64")
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise RowFault(f"the picture's data: URL is not base64 ({error})") from error


def _below(named: str, folder: Path | None) -> Path:
    """Return the file that a row names, links followed; raises `RowFault` where it lies outside."""
    if folder is None:
        raise RowFault(f'the picture "{named[:80]}" is a path, and these rows lie in no folder')
    try:
        root = folder.resolve()
        path = (root / named).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise RowFault(f'the picture "{named[:80]}" cannot be a path ({error})') from error
    if not path.is_relative_to(root):
        raise RowFault(f'the picture "{named[:80]}" lies outside the folder of the data')
    return path


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise RowFault(f'there is no picture "{path.name[:80]}" beside the data')
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RowFault(f'the picture "{path.name[:80]}" cannot be read ({error.strerror})') from error
