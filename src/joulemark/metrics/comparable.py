"""Which operating points may stand in one ranking, and why others may not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
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
    """Something in which points of one ranking agree. ``choose`` picks the value that stays."""

    name: str
    of: Callable[[OperatingPoint], str | None]
    code: str
    text: str


_GROUNDS = (
    _Ground("kind", lambda p: p.kind, "other_kind", "It is {value}; those that are {kept} are ranked."),
    _Ground(
        "task",
        lambda p: p.questions,
        "other_questions",
        "It was asked other questions of {task} (digest {value}); those of {kept} are ranked.",
    ),
    _Ground(
        "scope", lambda p: p.scope, "other_scope", "Its joules are of {value}; those of {kept} are ranked."
    ),
    _Ground(
        "tier", lambda p: p.tier, "other_tier", "It is of tier {value}; those of tier {kept} are ranked."
    ),
)
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
    kept = _one_kind(kept, left_out, mix)
    tasks = sorted({point.task for point in kept})
    if (len(tasks) > 1 and "task" not in mix) or len({point.unit for point in kept}) > 1:
        raise SeveralTasks(tasks)
    for ground in _GROUNDS[1:]:
        if ground.name not in mix and kept:
            kept = _keep(kept, left_out, ground, _most(kept, ground))
    return kept, left_out


def _most(kept: Sequence[OperatingPoint], ground: _Ground) -> str | None:
    """Return the value of the most points; of equally many the first by name, of digests the first given."""
    counts = Counter(ground.of(point) for point in kept)
    if ground.name == "task":
        counts.pop(None, None)
        return counts.most_common(1)[0][0] if counts else None
    most = max(counts.values())
    return min((v for v, n in counts.items() if n == most), key=lambda v: (v is None, v or ""))


def _one_kind(
    kept: list[OperatingPoint], left_out: list[LeftOut], mix: Collection[str]
) -> list[OperatingPoint]:
    kinds = [kind for kind in _KINDS if any(point.kind == kind for point in kept)]
    if len(kinds) < 2:
        return kept
    if "kind" in mix:
        left_out += [LeftOut(p, "other_kind", _SIMULATED) for p in kept if p.kind == "simulated"]
        return [point for point in kept if point.kind != "simulated"]
    return _keep(kept, left_out, _GROUNDS[0], kinds[0])


def _keep(
    points: Sequence[OperatingPoint], left_out: list[LeftOut], ground: _Ground, winner: str | None
) -> list[OperatingPoint]:
    kept = []
    for point in points:
        value = ground.of(point)
        if value == winner or (value is None and ground.name == "task"):
            kept.append(point)
        else:
            text = ground.text.format(
                value=value or "no known one", kept=winner or "no known one", task=point.task
            )
            left_out.append(LeftOut(point, ground.code, text))
    return kept
