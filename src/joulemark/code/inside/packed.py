"""Inputs as the parent sends them: they are read in a tenth of the time that JSON text takes.

One direction only. What comes from a program is `plain` text, for reading this form of a stranger's could end
the reader; the parent, which writes it, is trusted, and the interpreter at both ends is the same.
"""

from __future__ import annotations

import marshal
from typing import Any, TypeAlias

from joulemark.code.inside.plain import Nodes, collector_at_rest, decode, encode

Packed: TypeAlias = str | bytes
"""An input that is sent: bytes of `pack`, or text of `plain.encode`, which everything plain has."""

NO_REFERENCES = 2
"""Of marshal the newest version in which two equal parts never become one object."""
_load = marshal.loads  # what a program puts into the modules' place changes nothing here


def pack(value: Any) -> Packed:
    """Return plain data as it is sent. Raises `TooLarge` where it is nested too deep."""
    try:
        return marshal.dumps(value, NO_REFERENCES)
    except ValueError:  # nodes, deques, and what only looks like a plain type
        return encode(value)


def unpack(packed: Packed, nodes: Nodes | None = None) -> Any:
    """Return the value of `pack`."""
    if isinstance(packed, str):
        return decode(packed, nodes)
    with collector_at_rest():
        return _load(packed)
