"""Which problems a file of answers is of: those named, those in the file itself, else the built-in ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from joulemark.code.problems.problem import Problem
from joulemark.code.problems.registry import BUILT_IN, load_problems
from joulemark.record.errors import InputError

_T = TypeVar("_T")


def asked_problems(samples: Path, sets: Sequence[str], kind: str | None = None) -> list[Problem]:
    """Return the problems of ``sets``, or without any those whose records the file of samples repeats.

    An EffiBench upload is the records with what a model answered beside them. Raises `InputError`.
    """
    if sets:
        return [one for name in sets for one in load_problems(name, kind=kind)]
    if kind is not None:
        return list(load_problems(samples, kind=kind))
    try:
        return list(load_problems(samples if samples.is_file() else BUILT_IN))
    except (
        InputError
    ):  # samples alone, as most files are; what is wrong with these is told when they are read
        return list(load_problems(BUILT_IN))


def first_answered(
    limit: int | None, problems: Sequence[Problem], answers: Mapping[str, _T]
) -> tuple[list[Problem], dict[str, _T]]:
    """Return the first so many problems that have answers, and these answers."""
    answered = [one for one in problems if one.problem_id in answers][:limit]
    return answered, {one.problem_id: answers[one.problem_id] for one in answered}
