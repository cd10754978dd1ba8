"""How long a window must be for a wall meter to say something about it."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.calibration.document import SourcePower
from joulemark.metrics.tier import is_trace
from joulemark.record.meter import QualifiedSource
from joulemark.record.scope import WALL_KINDS

LONGEST_S = 300.0
_STEPS = 20  # an edge then costs a twentieth of the window's energy
_UPDATES = 5


def wall_sources(sources: Sequence[QualifiedSource]) -> list[QualifiedSource]:
    """Return the meters at the wall or at the power supply; a trace that is played back is none."""
    return [s for s in sources if s.info.scope.kind in WALL_KINDS and not is_trace(s)]


def window_s(source: QualifiedSource, at_least_s: float, idle: SourcePower | None) -> float | None:
    """Return the length of window that ``source`` needs, at least ``at_least_s``; null beyond five minutes.

    Twenty steps of its register at idle power (the slowest that it will count), five of its updates, and five
    times what a value may be old.
    """
    info, test = source.info, source.qualification
    needed_s = _UPDATES * (
        (test.update_period_max_s or 0.0) + info.value_age_s + (info.power_window_s or 0.0)
    )
    if info.is_register:
        power_w = idle.mean_w if idle is not None else test.mean_power_w
        if not power_w:
            return None
        needed_s = max(needed_s, _STEPS * info.counter_quantum_j / power_w)
    needed_s = max(needed_s, at_least_s)
    return needed_s if needed_s <= LONGEST_S else None
