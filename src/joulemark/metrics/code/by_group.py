"""The same figures for parts of the problems: by algorithm, by difficulty, and those all models solved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.code.charged import Charged
from joulemark.metrics.code.sample import right_by_problem, samples_of
from joulemark.metrics.value import Value
from joulemark.record.code_run import CodeRun, Purpose

N_SHOWN = 10
_OF_THE_MACHINE = (Purpose.BASELINE, Purpose.SAME)

Figures = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Tags:
    """What is known of a problem: its algorithm classes, and its difficulty or null."""

    algorithms: tuple[str, ...] = ()
    difficulty: str | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A sample and its value of a metric; ``is_at_least``: a lower bound, of a program that a limit ended."""

    problem: str
    number: int
    program: str
    value: float
    is_at_least: bool = False

    @property
    def text(self) -> str:
        """The value as tables show it."""
        value = round(self.value, 2) or 0.0  # no minus before a zero
        return f"{'≥ ' if self.is_at_least else ''}{value:,.2f}"


@dataclass(frozen=True, slots=True)
class Extremes:
    """The samples with the largest and the smallest values, and the algorithms of the former.

    ``worst`` begins with the largest, ``best`` with the smallest. ``algorithms`` counts the tags of the
    problems of ``worst``, most frequent first. ``n_unplaced``: samples without a value, because they were
    ended, failed or were too slow to be measured, say; any of them may be worse than these.
    """

    worst: tuple[Placed, ...]
    best: tuple[Placed, ...]
    algorithms: tuple[tuple[str, int], ...]
    n_unplaced: int = 0


def of_problems(runs: Sequence[CodeRun], problems: Collection[str]) -> tuple[CodeRun, ...]:
    """Return the runs of some problems, and all that tell of the machine: baseline and A/A.

    Of rows that are charged these are too.
    """
    chosen = [run for run in runs if run.problem in problems or run.purpose in _OF_THE_MACHINE]
    return Charged(chosen) if isinstance(runs, Charged) else tuple(chosen)


def by_algorithm(
    runs: Sequence[CodeRun], tags: Mapping[str, Tags], figures: Callable[[Sequence[CodeRun]], Figures]
) -> dict[str, Figures]:
    """Return the figures of the problems of each algorithm class; a problem may be in several."""
    groups: dict[str, set[str]] = {}
    for problem, mine in tags.items():
        for algorithm in mine.algorithms:
            groups.setdefault(algorithm, set()).add(problem)
    return _of_groups(runs, groups, figures)


def by_difficulty(
    runs: Sequence[CodeRun], tags: Mapping[str, Tags], figures: Callable[[Sequence[CodeRun]], Figures]
) -> dict[str, Figures]:
    """Return the figures of the problems of each difficulty."""
    groups: dict[str, set[str]] = {}
    for problem, mine in tags.items():
        if mine.difficulty is not None:
            groups.setdefault(mine.difficulty, set()).add(problem)
    return _of_groups(runs, groups, figures)


def solved_by_all(models: Mapping[str, Sequence[CodeRun]]) -> frozenset[str]:
    """Return the problems to which every model has a right answer."""
    solved = [frozenset(right_by_problem(samples_of(runs))) for runs in models.values()]
    return frozenset.intersection(*solved) if solved else frozenset()


def on_identical_problems(models: Mapping[str, Sequence[CodeRun]]) -> dict[str, tuple[CodeRun, ...]]:
    """Return each model's runs of the problems that all solved, so that figures are of the same problems."""
    shared = solved_by_all(models)
    return {name: of_problems(runs, shared) for name, runs in models.items()}


def extremes(
    placed: Sequence[Placed], tags: Mapping[str, Tags], *, n: int = N_SHOWN, n_unplaced: int = 0
) -> Extremes:
    """Return the ``n`` largest and smallest values; equal ones in the order of their problems."""
    rising = sorted(placed, key=lambda one: (one.value, one.problem, one.number))
    worst = tuple(sorted(placed, key=lambda one: (-one.value, one.problem, one.number))[:n])
    counts = Counter(name for one in worst for name in tags.get(one.problem, Tags()).algorithms)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return Extremes(worst, tuple(rising[:n]), tuple(ordered), n_unplaced)


def _of_groups(
    runs: Sequence[CodeRun],
    groups: Mapping[str, set[str]],
    figures: Callable[[Sequence[CodeRun]], Figures],
) -> dict[str, Figures]:
    seen = {run.problem for run in runs}
    return {
        name: figures(of_problems(runs, problems))
        for name, problems in sorted(groups.items())
        if problems & seen
    }
