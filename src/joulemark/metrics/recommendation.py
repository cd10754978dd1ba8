"""What to run: the configuration of the least energy among those that meet the limits, and what it saves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from joulemark.metrics.comparable import LeftOut, comparable
from joulemark.metrics.frontier import Frontier, frontier
from joulemark.metrics.limits import Checked, Limit
from joulemark.metrics.noise import saving, told_apart
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.point_label import named_apart
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

Objective = Literal["energy_j", "joules_per_correct"]
NEAR_MISSES = 5
_NO_INTERVALS = "The joules have no intervals, so configurations within noise of the best cannot be told."
_NO_QUALITY = "Several models are ranked by energy alone: their answers are not known to be equally good."


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for.

    ``latency`` is the figure in which the fastest is the fastest; null takes that of the first limit on a
    latency. ``default`` are settings (and ``device``) that mark the configuration a user would have run:
    `joulemark.metrics.operating_point.OperatingPoint.settings` by name, values as text. ``mix`` as of
    `comparable`.
    """

    limits: tuple[Limit, ...] = ()
    objective: Objective = "energy_j"
    latency: str | None = None
    default: Mapping[str, str] = field(default_factory=dict)
    mix: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A point that misses a limit: how it stands to each, and the largest miss as a share of its limit."""

    point: OperatingPoint
    checks: tuple[Checked, ...]
    worst: float


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What was found.

    ``ranked`` are the points that may be compared, the least ``wish.objective`` first; ``met`` those of them
    that meet every limit. ``pick`` is the first of these, null where there is none: then ``near_misses`` tell
    by how much the closest fail. ``ties`` are others of ``met`` that cannot be told from the pick in the
    objective. ``fastest`` is the best in ``latency`` among those that meet the limits on quality,
    ``least_energy`` the least objective whatever the limits, ``default`` the one that was marked. ``savings``
    are ``1 - pick / that one`` of the objective by those three names, withheld where there is none.
    """

    wish: Wish
    latency: str
    ranked: tuple[OperatingPoint, ...]
    met: tuple[OperatingPoint, ...]
    pick: OperatingPoint | None
    ties: tuple[OperatingPoint, ...]
    fastest: OperatingPoint | None
    default: OperatingPoint | None
    least_energy: OperatingPoint | None
    savings: Mapping[str, Value]
    front: Frontier
    near_misses: tuple[NearMiss, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]

    def checks(self, point: OperatingPoint) -> tuple[Checked, ...]:
        """Return how a point stands to each limit."""
        return tuple(limit.check(point) for limit in self.wish.limits)


def recommend(points: Sequence[OperatingPoint], wish: Wish) -> Recommendation:
    """Return what to run of ``points``.

    A figure that is withheld meets no limit. Of equal objectives the faster comes first, then the one of
    fewer devices. Raises `joulemark.metrics.comparable.SeveralTasks`, and ``KeyError`` for a limit on an
    unknown figure.
    """
    chosen, left_out = comparable(named_apart(points), wish.objective, wish.mix)
    latency = _latency(wish, chosen)
    ranked = sorted(chosen, key=lambda point: _order(point, wish.objective, latency))
    checked = [(point, tuple(limit.check(point) for limit in wish.limits)) for point in ranked]
    met = [point for point, checks in checked if all(check.met for check in checks)]
    pick = met[0] if met else None
    fastest = _fastest(ranked, wish, latency)
    default, why_none = _default(ranked, wish, pick)
    savings = {
        "fastest": _saving(pick, fastest, wish.objective, f"No configuration has a {latency}."),
        "default": _saving(pick, default, wish.objective, why_none),
        "least_energy": _saving(pick, ranked[0] if ranked else None, wish.objective, "There is none."),
    }
    return Recommendation(
        wish=wish,
        latency=latency,
        ranked=tuple(ranked),
        met=tuple(met),
        pick=pick,
        ties=_ties(met, wish.objective),
        fastest=fastest,
        default=default,
        least_energy=ranked[0] if ranked else None,
        savings=savings,
        front=frontier(ranked, (latency, wish.objective)),
        near_misses=() if met else _near_misses(checked),
        left_out=(*left_out, *_unknown(checked)),
        notes=_notes(ranked, met, wish),
    )


def _latency(wish: Wish, points: Sequence[OperatingPoint]) -> str:
    if wish.latency is not None:
        return wish.latency
    bounded = next((limit.name for limit in wish.limits if limit.of_latency), None)
    if bounded is not None:
        return bounded
    streamed = any(p.unit == "request" and figure_of(p, "tpot_mean").value is not None for p in points)
    return "tpot_mean" if streamed else "e2el_mean"


def _order(point: OperatingPoint, objective: str, latency: str) -> tuple[float, float, int, str]:
    cost, time = figure_of(point, objective).value, figure_of(point, latency).value
    assert cost is not None
    return (cost, float("inf") if time is None else time, point.n_devices or 0, point.label)


def _fastest(ranked: Sequence[OperatingPoint], wish: Wish, latency: str) -> OperatingPoint | None:
    """Return the best in the latency; a worse quality than was asked for is no comparison."""
    quality = [limit for limit in wish.limits if limit.at_least]
    able = [point for point in ranked if all(limit.check(point).met for limit in quality)]
    timed = [(value, k) for k, p in enumerate(able) if (value := figure_of(p, latency).value) is not None]
    return able[min(timed)[1]] if timed else None


def _default(
    ranked: Sequence[OperatingPoint], wish: Wish, pick: OperatingPoint | None
) -> tuple[OperatingPoint | None, str]:
    """Return the one point that was marked as the default, on the pick's devices where several are."""
    if not wish.default:
        return None, "No configuration was marked as the default (--default max_batch=256)."
    marked = [point for point in ranked if all(_has(point, k, v) for k, v in wish.default.items())]
    told = ", ".join(f"{name}={value}" for name, value in wish.default.items())
    if len(marked) > 1 and pick is not None:
        marked = [p for p in marked if (p.device, p.n_devices) == (pick.device, pick.n_devices)]
    if len(marked) != 1:
        return None, f"{len(marked) or 'No'} configurations of the ranking have {told}."
    return marked[0], ""


def _has(point: OperatingPoint, name: str, wanted: str) -> bool:
    if name == "device":
        return wanted.casefold() in (point.device or "").casefold()
    known = {**point.flags, **point.settings}
    value = known.get(name, known.get(name.removeprefix("flags.").replace("-", "_")))
    if value is None:
        return False
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(wanted) == value
        except ValueError:
            return False
    return str(value).casefold() == wanted.casefold()


def _saving(
    pick: OperatingPoint | None, other: OperatingPoint | None, objective: str, why_none: str
) -> Value:
    if pick is None:
        return withheld("1", Reason.NOT_APPLICABLE, detail="No configuration meets the limits.")
    if other is None:
        return withheld("1", Reason.NOT_APPLICABLE, detail=why_none)
    if other is pick:
        return Value(0.0, "1")
    return saving(figure_of(pick, objective), figure_of(other, objective))


def _ties(met: Sequence[OperatingPoint], objective: str) -> tuple[OperatingPoint, ...]:
    if not met:
        return ()
    best = figure_of(met[0], objective)
    return tuple(p for p in met[1:] if told_apart(best, figure_of(p, objective)) is False)


def _near_misses(checked: Sequence[tuple[OperatingPoint, tuple[Checked, ...]]]) -> tuple[NearMiss, ...]:
    """Return the points that miss least, by their largest miss; one with an unknown figure is none."""
    found = []
    for point, checks in checked:
        shares = [check.missed_share for check in checks]
        known = [share for share in shares if share is not None]
        if len(known) == len(shares):
            found.append(NearMiss(point, checks, max(known, default=0.0)))
    return tuple(sorted(found, key=lambda miss: miss.worst)[:NEAR_MISSES])


def _unknown(checked: Sequence[tuple[OperatingPoint, tuple[Checked, ...]]]) -> list[LeftOut]:
    """Return the points of which a limited figure is withheld."""
    found = []
    for point, checks in checked:
        missing = next((check for check in checks if check.met is None), None)
        if missing is not None and missing.value.reason is not None:
            why = " ".join(filter(None, (missing.value.reason.text, missing.value.detail)))
            text = f"Its {missing.limit.name} is not known, so it meets no limit on it. {why}"
            found.append(LeftOut(point, missing.value.reason.value, text))
    return found


def _notes(ranked: Sequence[OperatingPoint], met: Sequence[OperatingPoint], wish: Wish) -> tuple[str, ...]:
    notes = []
    if len(met) > 1 and figure_of(met[0], wish.objective).interval is None:
        notes.append(_NO_INTERVALS)
    graded = any(limit.name == "accuracy" for limit in wish.limits) or wish.objective == "joules_per_correct"
    if len({point.model for point in ranked}) > 1 and not graded:
        notes.append(_NO_QUALITY)
    if wish.mix:
        notes.append(f"Ranked together as was asked, though they differ in: {', '.join(sorted(wish.mix))}.")
    notes.extend(dict.fromkeys(note for point in (met[:1] or ranked[:1]) for note in point.notes))
    return tuple(notes)
