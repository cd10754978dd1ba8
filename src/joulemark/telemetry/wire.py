"""What the sampler process and its parent say to each other.

Parent to sampler, on its standard input: the `SamplerConfig` as one JSON line, then the commands ``edge N``,
``look`` (a mark is on the `LookPage`) and ``stop``. Sampler to parent: ``N T`` lines on the answer pipe (edge
number, monotonic ns) and one JSON object a line on the event pipe (`ready`, `latest`, `fault`, `mended`,
`done`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from joulemark.meters.source import SourceSpec
from joulemark.record.meter import QualifiedSource
from joulemark.record.replayed import REPLAY
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.cadence import DEFAULT_UPDATE_S

MARKER_SOURCE = "sampler"  # rows that are about the sampler itself
SAMPLER_LOST = "sampler_lost"
MAX_UPDATE_S = 2.0  # nobody waits longer than three of these for a counter to change


@dataclass(frozen=True, slots=True)
class SampledSource:
    """One source as the sampler needs to know it.

    ``update_max_s`` is null without an energy counter whose next change is worth waiting for. ``is_slow``: a
    read may hang, so it is made in a thread of its own. ``value_age_s``: how old a value that is read may be.
    """

    kind: str
    args: dict[str, str | int | float | None]
    name: str
    scope: str
    poll_s: float
    update_max_s: float | None
    is_slow: bool = False
    value_age_s: float = 0.0

    @classmethod
    def of(cls, spec: SourceSpec, source: QualifiedSource) -> SampledSource:
        """Take from a qualified source what its sampling depends on."""
        info, test = source.info, source.qualification
        counts = Quantity.ENERGY_J in info.quantities and not info.is_register
        args = dict(spec.args)
        if spec.kind == REPLAY and args.get("start_ns") is None:
            args["start_ns"] = time.monotonic_ns()  # a restarted sampler must not start the trace over
        known_s = test.update_period_max_s or test.update_period_s or DEFAULT_UPDATE_S
        update_s = min(known_s, MAX_UPDATE_S)
        return cls(
            spec.kind,
            args,
            info.name,
            info.scope.path,
            test.poll_period_s,
            update_s if counts else None,
            is_slow=info.read_period_s is not None,
            value_age_s=info.value_age_s,
        )


@dataclass(frozen=True, slots=True)
class SamplerConfig:
    """All that a sampler process is told at its start. ``first_flags`` mark every source's first reading."""

    journal: str
    segment: int
    parent_pid: int
    sources: tuple[SampledSource, ...]
    first_flags: tuple[str, ...] = ()

    @property
    def journal_path(self) -> Path:
        """Where the rows go."""
        return Path(self.journal)

    def to_line(self) -> bytes:
        """Return the JSON line."""
        return orjson.dumps(self, option=orjson.OPT_APPEND_NEWLINE)

    @classmethod
    def from_line(cls, line: bytes) -> SamplerConfig:
        """Read what `to_line` wrote."""
        row = orjson.loads(line)
        sources = tuple(SampledSource(**source) for source in row.pop("sources"))
        return cls(sources=sources, **{**row, "first_flags": tuple(row["first_flags"])})


def event_line(kind: str, fields: Mapping[str, object]) -> bytes:
    """Return an event as a line."""
    return orjson.dumps({"event": kind, **fields}, option=orjson.OPT_APPEND_NEWLINE)


def split_lines(buffer: bytearray) -> Sequence[bytes]:
    """Take the whole lines out of ``buffer``; what follows the last newline stays."""
    *lines, rest = bytes(buffer).split(b"\n")
    buffer[:] = rest
    return lines
