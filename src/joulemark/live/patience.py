"""How long a question waits for a meter: what comes after a stretch of time bounds its end.

A counter has to change once more, a gauge shows the power with a delay, a plug is read only now and then.
"""

from __future__ import annotations

from joulemark.live.history import History
from joulemark.record.meter import QualifiedSource
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.cadence import DEFAULT_UPDATE_S
from joulemark.telemetry.sampler import WATCH_UPDATES
from joulemark.telemetry.wire import SampledSource

MARGIN_S = 60.0
MARGIN_UPDATES = 20
LONGEST_WAIT_S = 10.0
_ANSWER_S = 0.3  # for the sampler to read and write what it was asked for
_LONGEST_LAG_S = 1.0


def patience_ns(source: QualifiedSource, sampled: SampledSource) -> int:
    """Return how long after its end a stretch may wait for ``source``."""
    wait_s = _ANSWER_S + _lag_s(source)
    if sampled.update_max_s is not None:
        wait_s = max(wait_s, _ANSWER_S + WATCH_UPDATES * sampled.update_max_s)
    if source.info.read_period_s is not None:
        wait_s += 2 * sampled.poll_s
    return round(min(wait_s, LONGEST_WAIT_S) * 1e9)


def settled(history: History, source: QualifiedSource, sampled: SampledSource, t1_ns: int) -> bool:
    """Tell whether waiting longer would not narrow what ``source`` says of an end at ``t1_ns``."""
    name = source.info.name
    if history.lost_after(name, t1_ns):
        return True
    counts = sampled.update_max_s is not None
    if counts and not history.changed_after(name, Quantity.ENERGY_J, t1_ns):
        return False
    needed_ns = {Quantity.ENERGY_J.value: t1_ns}
    if source.info.power_quantity is not None:
        needed_ns[source.info.power_quantity] = t1_ns + round(_lag_s(source) * 1e9)
    for quantity, from_ns in needed_ns.items():
        last_ns = history.last_begin_ns(name, quantity)
        if last_ns is not None and last_ns < from_ns:
            return False
    return True


def margin_ns(source: QualifiedSource) -> int:
    """Return how much of a source's readings around a stretch the arithmetic looks at."""
    update_s = source.qualification.update_period_max_s or 0.0
    return round(max(MARGIN_S, MARGIN_UPDATES * update_s) * 1e9)


def _lag_s(source: QualifiedSource) -> float:
    """Return how much later than the power itself a gauge shows it: half its window and half an update."""
    if source.info.power_quantity is None:
        return 0.0
    update_s = min(source.qualification.update_period_s or DEFAULT_UPDATE_S, _LONGEST_LAG_S)
    return ((source.info.power_window_s or 0.0) + update_s + source.info.value_age_s) / 2
