"""Which operating points may stand in one ranking, and why others may not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.record.reason import Reason

_KINDS = ("measured", "published", "simulated")  # the best evidence first


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A point that takes no part: a reason code, and the sentence that says why."""

    point: OperatingPoint
    code: str
    text: str


class SeveralTasks(ValueError):
    """Points of several tasks, of which none is the one that was meant; ``tasks`` lists them."""

    def __init__(self, tasks: Sequence[str]) -> None:
        super().__init__(f"several tasks: {', '.join(tasks)}")
        self.tasks = tuple(tasks)


@dataclass(frozen=True, slots=True)
class _Ground:
    """Something in which points of one ranking agree.

    ``choose`` picks the value that stays, from how many points have each (in the order of the points).
    ``unknown_stays``: a point of which it is not known is not taken to differ. ``code`` and ``text`` are
    those of a point that is left out.
    """

    name: str
    of: Callable[[OperatingPoint], str | None]
    choose: Callable[[_Counts], str | None]
    code: str
    text: str
    unknown_stays: bool = False


_Counts = Mapping[str | None, int]


def _best_evidence(counts: _Counts) -> str:
    return next(kind for kind in _KINDS if kind in counts)


def _most_known(counts: _Counts) -> str | None:
    """Return the value of the most points that have one; of equally many the first given."""
    return max((value for value in counts if value is not None), key=counts.__getitem__, default=None)


def _most(counts: _Counts) -> str | None:
    """Return the value of the most points; of equally many the first by name."""
    return min(counts, key=lambda value: (-counts[value], value is None, value or ""))


_KIND = _Ground(
    "kind",
    lambda point: point.kind,
    _best_evidence,
    "other_kind",
    "It is {value}; those that are {kept} are ranked.",
)
_QUESTIONS = _Ground(
    "task",
    lambda point: point.questions,
    _most_known,
    "other_questions",
    "It was asked other questions of {task} (digest {value}); those of {kept} are ranked.",
    unknown_stays=True,
)
_SCOPE = _Ground(
    "scope",
    lambda point: point.scope,
    _most,
    "other_scope",
    "Its joules are of {value}; those of {kept} are ranked.",
)
_TIER = _Ground(
    "tier",
    lambda point: point.tier,
    _most,
    "other_tier",
    "It is of tier {value}; those of tier {kept} are ranked.",
)
_GROUNDS = (_KIND, _QUESTIONS, _SCOPE, _TIER)
MIXABLE = tuple(sorted(ground.name for ground in _GROUNDS))
"""What a user may say to rank together all the same; units are not among it, nor what was simulated."""
GROUND_CODES = frozenset(ground.code for ground in _GROUNDS)
"""The codes of points that are left out because they differ, not because something of them is unknown."""
IMPLAUSIBLE = "implausible"
"""The code of a point that is left out because it cannot be physical."""
_SIMULATED = "It is simulated, which is never ranked with what was measured or published."


def comparable(
    points: Sequence[OperatingPoint], objective: str, mix: Collection[str] = ()
) -> tuple[list[OperatingPoint], list[LeftOut]]:
    """Return the points of one ranking by ``objective`` (a figure), and the others with why not.

    A point that cannot be physical is left out, one whose client did not keep up, and one whose objective is
    withheld. Then one kind stays
    (measured before published before simulated), the same questions of the task, one scope and one tier (the
    most points), unless ``mix`` names them; what was simulated stands with nothing else, whatever ``mix``
    says. A point whose questions have no digest is not known to differ. Raises `SeveralTasks` where the rest
    is of several tasks or units.
    """
    left_out: list[LeftOut] = []
    kept: list[OperatingPoint] = []
    for point in points:
        value = figure_of(point, objective)
        if point.implausible:
            left_out.append(LeftOut(point, IMPLAUSIBLE, point.implausible))
        elif point.late:
            left_out.append(LeftOut(point, Reason.CLIENT_INVALID.value, point.late))
        elif value.reason is None:
            kept.append(point)
        else:
            text = " ".join(filter(None, (value.reason.text, value.detail)))
            left_out.append(LeftOut(point, value.reason.value, text))
    kept = _not_simulated(kept, left_out) if _KIND.name in mix else _agreeing(kept, left_out, _KIND)
    tasks = sorted({point.task for point in kept})
    if (len(tasks) > 1 and _QUESTIONS.name not in mix) or len({point.unit for point in kept}) > 1:
        raise SeveralTasks(tasks)
    for ground in (_QUESTIONS, _SCOPE, _TIER):
        if ground.name not in mix:
            kept = _agreeing(kept, left_out, ground)
    return kept, left_out


def _not_simulated(kept: list[OperatingPoint], left_out: list[LeftOut]) -> list[OperatingPoint]:
    """Leave out what was simulated, unless there is nothing else."""
    others = [point for point in kept if point.kind != "simulated"]
    if not others:
        return kept
    left_out += [LeftOut(p, _KIND.code, _SIMULATED) for p in kept if p.kind == "simulated"]
    return others


def _agreeing(points: list[OperatingPoint], left_out: list[LeftOut], ground: _Ground) -> list[OperatingPoint]:
    """Return the points that agree with the value that stays; tell of each other one what it has."""
    if not points:
        return points
    chosen = ground.choose(Counter(ground.of(point) for point in points))
    kept = []
    for point in points:
        value = ground.of(point)
        if value == chosen or (value is None and ground.unknown_stays):
            kept.append(point)
        else:
            text = ground.text.format(
                value=value or "no known one", kept=chosen or "no known one", task=point.task
            )
            left_out.append(LeftOut(point, ground.code, text))
    return kept
