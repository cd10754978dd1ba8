"""A reading as a line of a bundle: ``[segment, source, t_ns, read_ns, values, flags]``.

``t_ns`` counts from the start of the segment.
"""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.bundles.submission.canonical import canonical, parse
from joulemark.record.telemetry import Reading


def reading_line(reading: Reading, starts: Mapping[int, int]) -> bytes:
    """Return the line; raises as `item_lines.item_line` does."""
    return canonical(
        [
            reading.segment,
            reading.source,
            reading.t_ns - starts[reading.segment],
            reading.read_ns,
            reading.values,
            list(reading.flags),
        ]
    )


def reading_of(line: bytes, starts: Mapping[int, int]) -> Reading:
    """Return the reading of a line. Raises ``ValueError``, ``KeyError`` or ``TypeError`` where it is none."""
    segment, source, t_ns, read_ns, values, flags = parse(line)
    if not all(type(one) is int for one in (segment, t_ns, read_ns)):
        raise TypeError("a stamp is an integer")
    if not (type(source) is str and type(values) is dict and type(flags) is list):
        raise TypeError("a reading of another shape")
    if not all(type(value) in (int, float) for value in values.values()):
        raise TypeError("a value is a number")
    if not all(type(flag) is str for flag in flags):
        raise TypeError("a flag is a word")
    return Reading(
        segment=segment,
        t_ns=t_ns + starts[segment],
        source=source,
        scope="",
        values={name: float(value) for name, value in values.items()},
        read_ns=read_ns,
        flags=tuple(flags),
    )
