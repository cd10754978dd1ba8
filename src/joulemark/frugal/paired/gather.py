"""The models of a ranking, from runs and files, paired on the items that all of them have an outcome of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from joulemark.frugal.outcomes.formats import table
from joulemark.frugal.outcomes.formats.columns import outcomes_of
from joulemark.frugal.outcomes.formats.graded import graded_as
from joulemark.frugal.outcomes.formats.matrix import read_npz_matrix
from joulemark.frugal.outcomes.formats.names import chosen
from joulemark.frugal.outcomes.outcome_file import read_outcomes
from joulemark.frugal.outcomes.outcome_matrix import OutcomeMatrix
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.paired.chosen_metric import require_no_cost, require_range
from joulemark.frugal.paired.pairing import Paired, paired
from joulemark.record.errors import InputError


def read_models(
    paths: Sequence[Path],
    *,
    models: Sequence[str] = (),
    benchmark: str | None = None,
    metric: str | None = None,
) -> tuple[Paired, tuple[str, ...]]:
    """Read the models of runs, files and archives, and pair them; also returns the names of those left out.

    Of an archive or a table those ``models`` are taken that are named; of an archive else all that have an
    outcome of every item. ``metric`` names the figure that they are ranked by, null: right and wrong, or the
    score that there is. Raises `InputError` for less than two, and for a figure without a known range.
    """
    require_no_cost(metric)
    found: list[Outcomes] = []
    left_out: list[str] = []
    for path in paths:
        if path.suffix == ".npz" and path.is_file():
            matrix = read_npz_matrix(path, benchmark=benchmark)
            _require_in(matrix, metric, path)
            places = _places(matrix, models, path)
            if not models:
                left_out += [name for place, name in enumerate(matrix.models) if place not in places]
            found += [_row(matrix, place, path) for place in places]
        elif models and path.suffix in table.SUFFIXES:
            found += [read_outcomes(path, metric=metric, model=name) for name in models]
        else:
            found.append(read_outcomes(path, metric=metric))
    for one in found:
        require_range(metric, one, one.name)
    if len(found) < 2:
        raise InputError(
            f"{len(found)} model is no ranking" if len(found) == 1 else "there is no model to rank",
            why="two are the least",
            fix="joulemark frugal rank RUN RUN..., or an archive of several models",
        )
    return paired(_unlike(found, paths)), tuple(left_out)


def _require_in(matrix: OutcomeMatrix, metric: str | None, path: Path) -> None:
    same = {"correct": ("correct", "accuracy")}.get(matrix.column, (matrix.column,))
    if metric is not None and metric not in same:
        raise InputError(
            f"{path} has no {metric!r} of its items",
            why=f"of each model it holds {matrix.column!r}",
            fix=f"say --metric {same[0]}, or leave it out",
        )


def _places(matrix: OutcomeMatrix, models: Sequence[str], path: Path) -> list[int]:
    if models:
        return list(dict.fromkeys(chosen(matrix.models, name, str(path)) for name in models))
    return [place for place, whole in enumerate(matrix.complete) if whole]


def _row(matrix: OutcomeMatrix, place: int, path: Path) -> Outcomes:
    name, values = matrix.models[place], matrix.values[place]
    return outcomes_of(
        name,
        values,
        origin=str(path),
        column=matrix.column,
        item_ids=matrix.item_ids,
        graded=graded_as(values[np.isfinite(values)], matrix.column),
    )


def _unlike(found: Sequence[Outcomes], paths: Sequence[Path]) -> list[Outcomes]:
    """Return the models, those of equal names by the name of their file instead."""
    names = [one.name for one in found]
    if len(found) != len(paths) or len(set(names)) == len(names):
        return list(found)
    return [replace(one, name=str(path)) for one, path in zip(found, paths, strict=True)]
