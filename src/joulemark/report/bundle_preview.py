"""Exactly what would be sent, member by member."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

_LEFT_OUT = (
    "left out: questions and answers (of each answer a keyed hash leaves), notes, commands, paths,\n"
    "addresses, host and user names, serial numbers (`joulemark bench opt-in --show` prints the whole list)"
)


def summary_lines(members: Mapping[str, bytes], target: Path) -> Iterator[str]:
    """Yield the members with their sizes, and how to see every byte; all of it would flood a terminal."""
    total = sum(map(len, members.values()))
    yield f"{len(members)} members would be sent, {total:,} bytes before compression:"
    width = max(map(len, members), default=0)
    for name, data in members.items():
        yield f"  {name:{width}}  {len(data):>12,} bytes"
    yield _LEFT_OUT
    yield f"every byte of it: joulemark bench submit {shlex.quote(str(target))} --preview | less"


def preview_lines(members: Mapping[str, bytes]) -> Iterator[str]:
    """Yield every byte of every member as text: canonical JSON is plain UTF-8."""
    total = sum(map(len, members.values()))
    yield f"{len(members)} members, {total:,} bytes before compression; this is all of it:"
    for name, data in members.items():
        yield ""
        yield f"=== {name} ({len(data):,} bytes) ==="
        yield data.decode().rstrip("\n")
