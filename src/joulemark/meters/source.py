"""The protocol of a telemetry source: discovered in one process, opened again in the sampler process.

A source is described by a picklable `SourceSpec`, because the process that samples is not the one that
discovers. `open_source` makes the live source from it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Protocol

from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Reading

SHOWS = "shows"
"""The argument of a specification that tells what is read, as digests with spaces between them.

Two meters with one in common read the same thing, though each may read something beside it.
"""


def digest_of(read: str) -> str:
    """Return the digest that `SHOWS` keeps of something that is read; it is kept nowhere else."""
    return hashlib.sha256(read.encode(errors="replace")).hexdigest()[:32]


class SourceLost(Exception):
    """The source stopped answering; the message is the reason for the record."""


class Source(Protocol):
    """An open source. `read` may be called from one thread only.

    It takes microseconds, or a few milliseconds where a driver is slow, as long as ``info.read_period_s`` is
    null. A source that has one waits for a network, a bus or a firmware, for seconds in the worst case, and
    is read in a thread of its own.
    """

    info: SourceInfo

    def read(self, segment: int) -> Reading:
        """Read every quantity once. Raises `SourceLost`; a part that fails is flagged, never zero."""
        ...

    def close(self) -> None:
        """Release the driver."""
        ...


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """How to open a source in another process. JSON-serialisable."""

    kind: str  # what `discovery` knows the meter by
    args: dict[str, str | int | float | None] = field(default_factory=dict)

    @property
    def name(self) -> str | None:
        """The name that discovery gave the source, where another had its own; null where it keeps that."""
        name = self.args.get("name")
        return None if name is None else str(name)


@dataclass(frozen=True, slots=True)
class Finding:
    """What discovery says of one possible source, for `doctor`.

    ``spec`` and ``info`` are null where nothing can be measured; ``why`` and ``fix`` then say what
    is missing. ``meter`` is how the user named a meter that has to be told where it is, null for others.
    """

    kind: str
    name: str
    measures: str
    spec: SourceSpec | None = None
    info: SourceInfo | None = None
    why: str = ""
    fix: str = ""
    meter: str | None = None
