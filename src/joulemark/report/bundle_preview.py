"""Exactly what would be sent, member by member."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def preview_lines(members: Mapping[str, bytes]) -> Iterator[str]:
    """Yield every byte of every member as text: canonical JSON is plain UTF-8."""
    total = sum(map(len, members.values()))
    yield f"{len(members)} members, {total:,} bytes before compression; this is all of it:"
    for name, data in members.items():
        yield ""
        yield f"=== {name} ({len(data):,} bytes) ==="
        yield data.decode().rstrip("\n")
