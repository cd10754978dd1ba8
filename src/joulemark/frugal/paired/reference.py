"""What a finished run, or a file of outcomes, gave on each item: what a new run is decided against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from joulemark.frugal.outcomes.outcome_file import read_outcomes
from joulemark.frugal.outcomes.outcomes import Graded
from joulemark.frugal.paired.run_answers import RunAnswers
from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class Reference:
    """The values of a model by item id. ``n_items`` is how many items it was to answer, of ``n_drawn_from``.

    ``name`` is a run's id or a file's stem, never a path; ``called``: its directory's name.
    ``task`` is that of a run, null of a file. ``low``..``high`` is the range of a value; ``real``: values are
    no mere right or wrong; ``graded`` as of `Outcomes`. ``unanswered`` are the items that it was asked and
    has no outcome of. ``is_listed``: a list named its items.
    """

    name: str
    values: Mapping[str, float]
    n_items: int
    real: bool
    low: float = 0.0
    high: float = 1.0
    task: str | None = None
    n_drawn_from: int | None = None
    graded: Graded | None = None
    unanswered: frozenset[str] = frozenset()
    called: str = ""
    is_listed: bool = False

    @property
    def shown(self) -> str:
        """Its name as it is told to who named it by its directory."""
        return f"{self.called} ({self.name})" if self.called and self.called != self.name else self.name


def questions_of_both(n_a: int, n_b: int, from_a: int | None, from_b: int | None) -> int:
    """Return how many questions two runs of ``n_a`` and ``n_b`` tell of together.

    Where both are random parts of the same number of questions, what they share is one of these too; else
    they tell of no more than the smaller of them.
    """
    return from_a if from_a is not None and from_a == from_b else min(n_a, n_b)


def read_reference(path: Path) -> Reference:
    """Read a run directory (means of repeats) or a file with item ids; raises `InputError`.

    A run that is still growing is none: `joulemark compare A B --stream` follows two.
    """
    if (path / "manifest.json").exists():
        return _of_run(path)
    outcomes = read_outcomes(path)
    if not outcomes.item_ids:
        raise InputError(
            f"{path} cannot be a reference",
            why="its items have no ids, so nobody knows which question is which",
            fix="name a run, or a file with a column item_id",
        )
    known = zip(outcomes.item_ids, outcomes.values.tolist(), strict=True)
    values = {item_id: value for item_id, value in known if np.isfinite(value)}
    return Reference(
        path.stem,
        values,
        len(values),
        not outcomes.is_binary,
        low=outcomes.low,
        high=outcomes.high,
        graded=outcomes.graded,
        unanswered=frozenset(outcomes.unanswered),
    )


def _of_run(path: Path) -> Reference:
    run = RunAnswers(path)
    run.poll()
    if not run.over:
        raise InputError(
            f"{path} is still growing",
            why="only a finished run can be decided against",
            fix="wait for it; or start both and follow them: joulemark compare A B --stream",
        )
    values = {one.item_id: one.value for one in run.prefix if one.value is not None}
    if not values:
        raise InputError(
            f"no answer of {path} has an outcome",
            why="none was asked, or none is graded",
            fix="`joulemark report` says what became of them",
        )
    task = run.manifest.task
    low, high = task.score_range or (0.0, 1.0)
    return Reference(
        run.manifest.run_id,
        values,
        max(run.n_items, len(run.prefix)),
        run.real,
        low=low,
        high=high,
        task=task.name,
        n_drawn_from=run.n_drawn_from,
        graded="score" if run.real else "right or wrong",
        unanswered=frozenset(one.item_id for one in run.prefix if one.value is None),
        called=path.resolve().name,
        is_listed=run.is_listed,
    )
