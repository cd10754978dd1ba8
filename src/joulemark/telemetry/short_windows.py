"""Windows of which a source says nothing of its own, and why."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joulemark.record.meter import SourceInfo
from joulemark.telemetry.counter import Counter
from joulemark.telemetry.counter_faults import LATE_UPDATES
from joulemark.telemetry.renewal import FEW_RENEWALS, Renewal
from joulemark.telemetry.timeline import Floats, Ints

Bools = NDArray[np.bool_]


def uncounted(
    counter: Counter, age_s: float, poll_s: float, length_ns: Ints, low: Floats, joules: Floats
) -> Bools:
    """Tell which windows a counter was not seen to count in; ``low`` and ``joules`` are what it gives them.

    ``age_s`` is how old its values are, ``poll_s`` how often they are read. Where they are old or its steps
    coarse (a page, a register), a whole step has to lie within a window for certain. A counter of the device
    is followed at both edges, so a window between two of its updates, or two reads, has a likeliest energy; a
    longer one in which it was not seen to count has none. Nor has any whose likeliest energy would be 0 J.
    """
    unseen = low <= 0
    if not counter.is_register and not age_s:
        unseen &= length_ns > LATE_UPDATES * max(counter.update_ns, poll_s * 1e9)
    nothing: Bools = (length_ns > 0) & (unseen | (joules <= 0) | too_few_renewals(length_ns, age_s))
    return nothing


def why_uncounted(info: SourceInfo, counter: Counter, age_s: float) -> str:
    """Say what its counter lacks for a window."""
    if counter.is_register:
        return f"Its step is {counter.quantum_j:,.4g} J, renewed about every {age_s:.3g} s."
    return why_too_few(info, age_s) if age_s else f"The counter of {info.name} was not seen to move in it."


def too_few_renewals(length_ns: Ints, age_s: float) -> Bools:
    """Tell which windows are shorter than `FEW_RENEWALS` of values that may be ``age_s`` old."""
    few: Bools = length_ns < FEW_RENEWALS * age_s * 1e9
    return few


def why_too_few(info: SourceInfo, age_s: float) -> str:
    """Say how long a window of a slow source has to be."""
    least_s = FEW_RENEWALS * age_s
    return f"What {info.name} shows may be {age_s:.3g} s old: a window of {least_s:,.3g} s or more is needed."


def seconds_stood(renewal: Renewal, t0_ns: Ints, t1_ns: Ints) -> Floats:
    """Return for how long the source stood still in a stretch that touches each window; 0 where in none."""
    found = np.zeros(len(t0_ns))
    for from_ns, until_ns in renewal.stood:
        touched = (t0_ns < until_ns) & (t1_ns > from_ns)
        found[touched] = np.maximum(found[touched], (until_ns - from_ns) * 1e-9)
    return found


def why_stood(info: SourceInfo, seconds: float) -> str:
    """Say what makes a gauge doubtful that still shows a power."""
    return (
        f"What {info.name} shows stood still for {seconds:.3g} s, its counter with its power: it was not new."
    )
