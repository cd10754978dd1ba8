"""The zip around the members: written always the same, and read with no trust at all."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping

from joulemark.bundles.submission.members import (
    BUNDLE,
    MAX_DOCUMENT,
    MAX_PACKED,
    MAX_UNPACKED,
    MEMBERS,
    is_too_dense,
)
from joulemark.bundles.submission.refusal import NotABundle, Refusal

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the zip format's own first day: no clock is in the bytes
_MODE = (stat.S_IFREG | 0o644) << 16
_LOCAL, _CENTRAL, _END = 30, 46, 22  # bytes of the zip format's headers without their names
_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    IndexError,
    KeyError,
)


def write_archive(members: Mapping[str, bytes]) -> bytes:
    """Return the zip of ``members``: the same ones give the same bytes with the same zlib."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in MEMBERS:
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = _MODE
            archive.writestr(info, members[name], compresslevel=9)
    return buffer.getvalue()


def read_archive(data: bytes) -> dict[str, bytes]:
    """Return the members of a bundle.

    Raises `NotABundle` for what is no zip with a `BUNDLE` in it, `Refusal` for one that is larger, denser or
    put together otherwise than ours: links, folders, other names, bytes between the members.
    """
    if len(data) > MAX_PACKED:
        raise Refusal("limits", f"it has {len(data):,} bytes, and {MAX_PACKED:,} is the most")
    try:
        return _read(data)
    except _BROKEN as error:
        raise NotABundle(f"it is no zip file that can be read ({_words(error)})") from error


def _read(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        names = [info.filename for info in infos]
        if len(names) > 10 * len(MEMBERS):
            raise Refusal("structure", f"it has {len(names):,} members, and {len(MEMBERS)} belong in it")
        if BUNDLE not in names:
            raise NotABundle(f"it has no {BUNDLE}")
        if archive.comment:
            raise Refusal("structure", "the zip has a comment")
        for name in names:
            if name not in MEMBERS:
                raise Refusal("structure", f"it has a member {_quoted(name)}, which no bundle has")
        if len(set(names)) < len(names):
            raise Refusal("structure", "a member stands twice")
        missing = [name for name in MEMBERS if name not in names]
        if missing:
            raise Refusal("structure", f"{', '.join(missing)} missing")
        for info in infos:
            _require_plain(info)
        _require_contiguous(infos, len(data))
        _require_small(infos)
        return {info.filename: _contents(archive, info) for info in infos}


def _require_plain(info: zipfile.ZipInfo) -> None:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG) or info.external_attr & 0x10:
        raise Refusal("structure", f"{info.filename} is a link or a folder, and members are plain files")
    if info.flag_bits or info.extra or info.comment:
        raise Refusal("structure", f"{info.filename} is encrypted, or more is written of it than its bytes")
    if info.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        raise Refusal("structure", f"{info.filename} is compressed in another way than bundles are")


def _require_contiguous(infos: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse members that lie over each other, and bytes that belong to none."""
    at = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset != at:
            raise Refusal("structure", "members lie over each other, or something lies between them")
        at += _LOCAL + len(info.filename) + info.compress_size
    if at + sum(_CENTRAL + len(info.filename) for info in infos) + _END != size:
        raise Refusal("structure", "there are bytes beside the members")


def _require_small(infos: list[zipfile.ZipInfo]) -> None:
    unpacked = sum(info.file_size for info in infos)
    if unpacked > MAX_UNPACKED:
        raise Refusal("limits", f"it unpacks to {unpacked:,} bytes, and {MAX_UNPACKED:,} is the most")
    for info in infos:
        if info.filename.endswith(".json") and info.file_size > MAX_DOCUMENT:
            raise Refusal(
                "limits", f"{info.filename} has {info.file_size:,} bytes, {MAX_DOCUMENT:,} is the most"
            )
        if is_too_dense(info.compress_size, info.file_size):
            raise Refusal("limits", f"{info.filename} is compressed more than a hundredfold")


def _contents(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    # never more than what was stated, and allowed, whatever the stream holds
    with archive.open(info) as member:
        data = member.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise Refusal("structure", f"{info.filename} is not as long as it says")
    return data


def _words(error: Exception) -> str:
    return "".join(c for c in str(error) if c.isprintable())[:120] or type(error).__name__


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:60] + "…")
