"""Whether the last reading of a source says something of the present."""

from __future__ import annotations

from joulemark.record.meter import QualifiedSource
from joulemark.record.telemetry import Reading
from joulemark.telemetry.cadence import GAP_POLLS
from joulemark.telemetry.row_flags import is_lost

LEAST_STALE_S = 3.0  # as long as a gauge may go unread before its integral has a gap


def age_s(reading: Reading, now_ns: int) -> float:
    """Return how long ago a reading was made."""
    return (now_ns - reading.t_ns) * 1e-9


def is_stale(source: QualifiedSource, reading: Reading, now_ns: int) -> bool:
    """Tell whether a source ought to have been read again since."""
    limit_s = max(GAP_POLLS * source.qualification.poll_period_s, LEAST_STALE_S)
    return age_s(reading, now_ns) > limit_s


def is_present(source: QualifiedSource, reading: Reading, now_ns: int) -> bool:
    """Tell whether a reading gave something, and of late."""
    return bool(reading.values) and not is_lost(reading) and not is_stale(source, reading, now_ns)
