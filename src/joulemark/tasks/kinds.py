"""Which scorer grades questions of a kind: the built-in ones, and those that installed packages add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import metadata

from joulemark.record.errors import InputError
from joulemark.tasks.instructions import missing_requirement, parse_instructions
from joulemark.tasks.instructions.language import FIX
from joulemark.tasks.references import parse_problem_reference
from joulemark.tasks.scorers import CODE, SCORERS
from joulemark.tasks.scorers.distribution import human_answers
from joulemark.tasks.scorers.rouge import references_of
from joulemark.tasks.task import Scorer

ENTRY_POINTS = "joulemark.scorers"
_REFERENCE_READERS: Mapping[str, Callable[[str], object]] = {
    "instructions": parse_instructions,
    "rouge_l": references_of,
    "distribution": human_answers,
    CODE: parse_problem_reference,
}


@cache
def scorer_of(kind: str) -> Scorer:
    """Return the scorer of a kind; raises `InputError` where there is none."""
    if kind in SCORERS:
        return SCORERS[kind]
    found = {point.name: point for point in metadata.entry_points(group=ENTRY_POINTS)}
    if kind not in found:
        raise InputError(
            f"there are no questions of kind {kind!r}",
            why=f"there are {', '.join(sorted({*SCORERS, *found}))}",
            fix="correct the kinds of the task's definition",
        )
    scorer: Scorer = found[kind].load()
    return scorer


def score_range(kind: str) -> tuple[float, float] | None:
    """Return the range of a real-valued score, null for kinds whose answers are correct or not.

    A scorer says so by an attribute ``score_range``.
    """
    declared: tuple[float, float] | None = getattr(scorer_of(kind), "score_range", None)
    return declared


def is_lettered(kind: str) -> bool:
    """Tell whether the options of a kind go by letters; a scorer says so by an attribute ``lettered``."""
    return bool(getattr(scorer_of(kind), "lettered", False))


def require_one_measure(kinds: Iterable[str]) -> None:
    """Raise `InputError` for kinds without a scorer, and where graded and real-valued ones are mixed."""
    ranges = {kind: score_range(kind) for kind in kinds}
    if len(set(ranges.values())) > 1:
        raise InputError(
            f"the kinds {', '.join(ranges)} cannot be in one task",
            why="some have a real-valued score, and its mean over both would mean nothing",
            fix="make two tasks of them",
        )


def require_reference(kind: str, gold: str) -> None:
    """Raise ``ValueError`` where a reference is not what the scorer of its kind reads."""
    reader = _REFERENCE_READERS.get(kind)
    if reader is not None:
        reader(gold)


def require_installed(kind: str, golds: Iterable[str]) -> None:
    """Raise `InputError` where questions of a kind need a library that is not installed."""
    if kind != "instructions":
        return
    missing = missing_requirement(i.instruction_id for gold in golds for i in parse_instructions(gold))
    if missing is not None:
        raise InputError("these questions cannot be graded here", why=missing, fix=FIX)
