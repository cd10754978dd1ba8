"""What is known of the items before a model is asked: earlier outcomes of other models on the same task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from joulemark.frugal.outcomes.formats.matrix import read_npz_matrix
from joulemark.frugal.outcomes.formats.names import chosen
from joulemark.frugal.outcomes.outcome_file import read_outcomes
from joulemark.frugal.outcomes.outcome_matrix import OutcomeMatrix
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.record.errors import InputError

_FIX = "name runs, files or a matrix of other models on the same items with --prior"


def read_prior(
    paths: Sequence[Path],
    *,
    benchmark: str | None = None,
    metric: str | None = None,
    leave_out: str | None = None,
) -> OutcomeMatrix:
    """Return earlier outcomes: a matrix (``.npz``), or several files or runs of a model each.

    ``leave_out`` is the model that is to be judged: its own row is no knowledge beforehand. Raises
    `InputError`.
    """
    matrices = [path for path in paths if path.suffix == ".npz"]
    if matrices and len(paths) > 1:
        raise InputError("a matrix stands alone", why="it holds all models already", fix=_FIX)
    if matrices:
        found = read_npz_matrix(matrices[0], benchmark=benchmark)
    else:
        found = joined([read_outcomes(path, metric=metric) for path in paths])
    if leave_out is not None and leave_out in found.models:
        found = found.without(found.models.index(leave_out))
    return _with_outcomes(found)


def without_model(prior: OutcomeMatrix, name: str) -> OutcomeMatrix:
    """Return a prior without the model that a user names; raises `InputError` where that leaves none."""
    return _with_outcomes(prior.without(chosen(prior.models, name, prior.name, option="--leave-out")))


def _with_outcomes(prior: OutcomeMatrix) -> OutcomeMatrix:
    found = prior.of_models(np.flatnonzero(np.isfinite(prior.values).any(axis=1)))
    if not found.models:
        why = "the only one is that which is judged, or none has an outcome"
        raise InputError("there is no model to learn from", why=why, fix=_FIX)
    return found


def joined(outcomes: Sequence[Outcomes]) -> OutcomeMatrix:
    """Return outcomes of several models as a matrix, over the items that any of them has, by id.

    Raises `InputError` where there are no ids, or no item is shared by two of them.
    """
    if not outcomes:
        raise InputError("no earlier outcomes were named", fix=_FIX)
    if any(not one.item_ids for one in outcomes):
        raise InputError("items without ids cannot be matched", why="a file has no column of ids", fix=_FIX)
    ids = list(dict.fromkeys(item for one in outcomes for item in one.item_ids))
    if len(outcomes) > 1 and len(ids) == sum(map(len, outcomes)):
        raise InputError(
            "the earlier outcomes share no item",
            why="their ids are all different",
            fix="name runs of one task",
        )
    place = {item: k for k, item in enumerate(ids)}
    values = np.full((len(outcomes), len(ids)), np.nan)
    for row, one in zip(values, outcomes, strict=True):
        row[[place[item] for item in one.item_ids]] = one.values
    tasks = {one.task for one in outcomes}
    task = tasks.pop() if len(tasks) == 1 else None
    return OutcomeMatrix(task or "the task", _apart([one.name for one in outcomes]), values, tuple(ids))


def _apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of which none stands twice."""
    found: list[str] = []
    for name in names:
        times, one = 1, name
        while one in found:
            times += 1
            one = f"{name} ({times})"
        found.append(one)
    return tuple(found)


def restricted(outcomes: Outcomes, ids: Sequence[str]) -> Outcomes:
    """Return the outcomes of some items in the order of ``ids``; those that are not there are left out."""
    place = {item: k for k, item in enumerate(outcomes.item_ids)}
    kept = [place[item] for item in ids if item in place]
    return replace(
        outcomes,
        values=outcomes.values[kept],
        item_ids=tuple(outcomes.item_ids[k] for k in kept),
        domains=None if outcomes.domains is None else tuple(outcomes.domains[k] for k in kept),
        costs={name: of[kept] for name, of in outcomes.costs.items()},
    )
