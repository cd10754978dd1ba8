"""What the readings of a self-test show, and what follows from it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from joulemark.record.meter import SourceInfo, Trust
from joulemark.record.telemetry import Quantity, Reading

_RATIO_TOLERANCE = 0.2  # NVIDIA's gauges are good to about 5 %, AMD's and the part-time sensors to less
_QUANTA_TO_MOVE = 3.0  # a counter must have had this many steps to take before it is called frozen
_STILL_PERIODS, _STILL_S = 5.0, 0.5  # a counter that was still for longer at the end has stopped
_NEAR_ZERO = 0.05  # a fall to below this share of the counter's value is a reset, not a step back


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a few seconds of readings show of a counter and its gauge.

    ``update_period_max_s`` includes one reading step, since an update is only seen at the next reading.
    ``counter_j`` and ``power_j`` cover the same stretch, from the first to the last update of the counter;
    ``still_s`` is from there to the last reading. ``power_spread`` is (max - min) / mean of the gauge;
    ``fall`` is ``backwards`` or ``reset`` where the counter fell.
    """

    reads: int
    duration_s: float
    has_counter: bool
    has_gauge: bool
    updates: int
    update_period_s: float | None
    update_period_max_s: float | None
    stretch_s: float
    still_s: float
    counter_j: float | None
    power_j: float | None
    mean_power_w: float | None
    power_spread: float
    fall: str | None
    flags: tuple[str, ...]

    @property
    def counter_over_power(self) -> float | None:
        """Counter energy over integrated power; null where either is missing or nothing was drawn."""
        if self.counter_j is None or not self.power_j:
            return None
        return self.counter_j / self.power_j

    @classmethod
    def of(cls, readings: Sequence[Reading], info: SourceInfo) -> Evidence:
        """Collect the evidence of ``readings``, in order of time."""
        counter = _series(readings, Quantity.ENERGY_J)
        gauge = _series(readings, Quantity.POWER_W) or _series(readings, Quantity.POWER_AVERAGE_W)
        steps, fall = _steps(counter, info.counter_modulus_j)
        changes = _change_times(counter or gauge)
        periods = [(b - a) * 1e-9 for a, b in pairwise(changes)]
        polls = [(b.t_ns - a.t_ns) * 1e-9 for a, b in pairwise(readings)]
        powers = [power_w for _, power_w in gauge]
        mean_w = sum(powers) / len(powers) if powers else None
        comparable = len(changes) >= 2 and bool(counter) and bool(gauge)
        return cls(
            reads=len(readings),
            duration_s=(readings[-1].t_ns - readings[0].t_ns) * 1e-9 if readings else 0.0,
            has_counter=bool(counter),
            has_gauge=bool(gauge),
            updates=len(changes),
            update_period_s=median(periods) if periods else None,
            update_period_max_s=max(periods) + median(polls) if periods else None,
            stretch_s=(changes[-1] - changes[0]) * 1e-9 if changes else 0.0,
            still_s=(readings[-1].t_ns - changes[-1]) * 1e-9 if changes else 0.0,
            counter_j=sum(steps[1:]) if comparable else None,
            power_j=_integral_j(gauge, changes[0], changes[-1]) if comparable else None,
            mean_power_w=mean_w,
            power_spread=(max(powers) - min(powers)) / mean_w if mean_w else 0.0,
            fall=fall,
            flags=tuple(dict.fromkeys(flag for reading in readings for flag in reading.flags)),
        )


def judge(evidence: Evidence, info: SourceInfo) -> tuple[Trust, str | None]:
    """Return how far the source is to be believed, and why not further."""
    if not evidence.has_counter and not evidence.has_gauge:
        return Trust.ABSENT, "; ".join(evidence.flags) or "it gave neither energy nor power"
    if evidence.has_gauge and not evidence.mean_power_w:
        return Trust.SUSPECT, "the power gauge reads 0 W"
    if evidence.mean_power_w is not None and evidence.mean_power_w > info.power_ceiling_w:
        return Trust.SUSPECT, f"the power gauge reads {evidence.mean_power_w:,.0f} W: is its unit right?"
    if not evidence.has_counter:
        return Trust.QUALIFIED, None
    if evidence.fall is not None:
        return Trust.SUSPECT, f"counter {'was reset' if evidence.fall == 'reset' else 'went backwards'}"
    if evidence.updates < 2:
        return _judge_still(evidence, info)
    if evidence.update_period_s and evidence.still_s > _longest_still_s(evidence, info):
        return Trust.SUSPECT, f"counter stopped moving {evidence.still_s:.1f} s before the test ended"
    return _judge_ratio(evidence, info)


def _longest_still_s(evidence: Evidence, info: SourceInfo) -> float:
    """Return how long a working counter may stand still at the end of the test (seconds)."""
    step_s = (
        _QUANTA_TO_MOVE * info.counter_quantum_j / evidence.mean_power_w if evidence.mean_power_w else 0.0
    )
    return max(_STILL_S, _STILL_PERIODS * (evidence.update_period_s or 0.0), info.value_age_s + step_s)


def _judge_still(evidence: Evidence, info: SourceInfo) -> tuple[Trust, str | None]:
    """Judge a counter that hardly moved: frozen, or just too coarse for what an idle device draws."""
    moved = "did not move" if evidence.updates == 0 else "moved only once"
    if evidence.mean_power_w is None:
        if info.is_register:  # what it does not count in the run is withheld there
            return (
                Trust.QUALIFIED,
                f"counter {moved} in {evidence.duration_s:.1f} s: its steps may be too coarse",
            )
        return Trust.SUSPECT, f"counter {moved} in {evidence.duration_s:.1f} s"
    expected_j = evidence.mean_power_w * max(0.0, evidence.duration_s - info.value_age_s)
    if expected_j <= _QUANTA_TO_MOVE * info.counter_quantum_j:
        return Trust.QUALIFIED, f"counter {moved}: its steps are too coarse for so idle a device"
    seen = f"in {evidence.duration_s:.1f} s while the gauge saw {expected_j:.1f} J"
    return Trust.SUSPECT, f"counter {moved} {seen}"


def _judge_ratio(evidence: Evidence, info: SourceInfo) -> tuple[Trust, str | None]:
    ratio = evidence.counter_over_power
    if ratio is None or evidence.counter_j is None:
        return Trust.QUALIFIED, None
    tolerance = ratio_tolerance(evidence, info)
    if 1 / (1 + tolerance) <= ratio <= 1 + tolerance:
        return Trust.QUALIFIED, None
    return Trust.SUSPECT, f"counter and power gauge disagree: counter / gauge = {ratio:.2f}"


def ratio_tolerance(evidence: Evidence, info: SourceInfo) -> float:
    """Return by how much counter / gauge may differ from 1 before it counts as a disagreement.

    A trailing window shows the power of up to ``power_window_s`` ago, and a gauge or a counter between two
    updates that of the last one: when the power moved by ``power_spread`` meanwhile, the two may differ by
    that much for that share of the stretch. Steps of the counter add their quantum at both ends.
    """
    if evidence.stretch_s <= 0 or not evidence.counter_j:
        return _RATIO_TOLERANCE
    lag_s = (info.power_window_s or 0.0) + (evidence.update_period_max_s or 0.0) + info.value_age_s
    lag = min(1.0, lag_s / evidence.stretch_s) * evidence.power_spread
    return _RATIO_TOLERANCE + lag + 2 * info.counter_quantum_j / evidence.counter_j


def _series(readings: Sequence[Reading], quantity: Quantity) -> list[tuple[int, float]]:
    return [(r.t_ns, r.values[quantity]) for r in readings if quantity in r.values]


def _change_times(series: Sequence[tuple[int, float]]) -> list[int]:
    return [t_ns for (_, before), (t_ns, value) in pairwise(series) if value != before]


def _steps(counter: Sequence[tuple[int, float]], modulus_j: float | None) -> tuple[list[float], str | None]:
    """Return the counter's steps (joules, wraps of known modulus undone), and whether it fell otherwise."""
    steps: list[float] = []
    fall = None
    for (_, before_j), (_, value_j) in pairwise(counter):
        if value_j == before_j:
            continue
        step_j = value_j - before_j
        if step_j < 0 and modulus_j is not None and step_j + modulus_j < modulus_j / 2:
            step_j += modulus_j
        if step_j < 0:
            fall = "reset" if value_j < _NEAR_ZERO * before_j else "backwards"
        steps.append(step_j)
    return steps, fall


def _integral_j(gauge: Sequence[tuple[int, float]], begin_ns: int, end_ns: int) -> float:
    """Integrate the gauge by the trapezoid rule over the readings in [begin, end]."""
    inside = [(t_ns, power_w) for t_ns, power_w in gauge if begin_ns <= t_ns <= end_ns]
    return sum(0.5 * (p0 + p1) * (t1 - t0) * 1e-9 for (t0, p0), (t1, p1) in pairwise(inside))
