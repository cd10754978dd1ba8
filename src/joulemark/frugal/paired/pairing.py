"""Two models' outcomes of the same items, paired and put in one random order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.outcomes.outcomes import Floats, Outcomes
from joulemark.record.errors import InputError
from joulemark.tasks.subset import DEFAULT_KEY, permuted


@dataclass(frozen=True, slots=True)
class Paired:
    """The values (models, n) of the items that all models have an outcome of, in random order.

    ``left_out`` says of each model how many items it has that are not compared, ``missing`` how many it lacks
    of those that some other has, ``listed`` whose items a list named. ``span`` is the range of a value;
    ``binary``: each is 0 or 1.
    """

    names: tuple[str, ...]
    metric: str
    item_ids: tuple[str, ...]
    values: Floats
    span: float
    binary: bool
    left_out: tuple[int, ...]
    missing: tuple[int, ...]
    listed: tuple[str, ...] = ()


def paired(models: Sequence[Outcomes], key: str = DEFAULT_KEY) -> Paired:
    """Pair models by item id, in the order of ``key``; without ids by place in the file.

    The order is that in which `bench run` asks under the same key. Raises `InputError` where there is nothing
    to pair: two metrics, no shared items, or no ids and files of two lengths.
    """
    metrics = {one.metric for one in models}
    # a run that asked each item several times has a mean of right and wrong: a score of the same range
    alike = metrics <= {"accuracy", "score"} and len({(one.low, one.high) for one in models}) == 1
    if len(metrics) > 1 and not alike:
        raise InputError(
            "these models were graded by different figures",
            why=f"there are {', '.join(sorted(metrics))}",
            fix="name files that hold the same figure",
        )
    rows = [_by_id(one, models) for one in models]
    ids = permuted(sorted(set.intersection(*map(set, rows))), key, lambda item_id: item_id)
    if not ids:
        raise InputError(
            "these models share no item",
            why="not one item has an outcome of each of them",
            fix="name runs or files of the same task, with the same item ids",
        )
    everything = set().union(*rows)
    values = np.array([[row[item_id] for item_id in ids] for row in rows])
    return Paired(
        names=tuple(one.name for one in models),
        metric=min(metrics) if len(metrics) == 1 else "score",
        item_ids=tuple(ids),
        values=values,
        span=(max(one.high for one in models) - min(one.low for one in models)) or 1.0,
        binary=_is_binary(values),
        left_out=tuple(len(row) - len(ids) for row in rows),
        missing=tuple(len(everything) - len(row) for row in rows),
        listed=tuple(one.name for one in models if one.is_listed),
    )


def _by_id(one: Outcomes, models: Sequence[Outcomes]) -> dict[str, float]:
    """Return the outcomes that are known, by item id."""
    ids: Sequence[str] = one.item_ids
    if any(not other.item_ids for other in models):
        if len({len(other) for other in models}) > 1 or any(other.item_ids for other in models):
            raise InputError(
                "these items cannot be paired",
                why="a file has no item ids, and the files do not have the same number of rows without them",
                fix="give each file a column item_id",
            )
        ids = [str(place) for place in range(len(one))]
    if len(set(ids)) < len(ids):
        raise InputError(
            f"{one.name} has an item twice",
            why="its item ids are not unique",
            fix="keep one row of each item, or name the model with --model",
        )
    return {
        item_id: float(value) for item_id, value in zip(ids, one.values, strict=True) if np.isfinite(value)
    }


def _is_binary(values: NDArray[np.float64]) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())
