"""Two models' outcomes of the same items, paired and put in one random order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.outcomes.outcomes import Floats, Graded, Outcomes
from joulemark.frugal.paired.refusals import Refusals, refusals_of
from joulemark.record.errors import InputError
from joulemark.tasks.subset import DEFAULT_KEY, permuted


@dataclass(frozen=True, slots=True)
class Paired:
    """The values (models, n) of the items that all models have an outcome of, in random order.

    ``left_out`` says of each model how many items it has that are not compared, ``missing`` how many it lacks
    of those that some other has, ``listed`` whose items a list named. ``span`` is the range of a value;
    ``binary``: each is 0 or 1. The items are a random part of ``n_items``, which they speak of. ``in_part``:
    who was not asked all of these, ``decided``: whose asking a decision ended. ``refusals`` are the items
    that a model should have an outcome of and lacks, null where there are none; ``graded`` as of `Outcomes`.
    """

    names: tuple[str, ...]
    metric: str
    item_ids: tuple[str, ...]
    values: Floats
    span: float
    binary: bool
    left_out: tuple[int, ...]
    missing: tuple[int, ...]
    n_items: int
    listed: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    refusals: Refusals | None = None
    graded: Graded | None = None


def paired(models: Sequence[Outcomes], key: str = DEFAULT_KEY) -> Paired:
    """Pair models by item id, in the order of ``key``; without ids by place in the file.

    The order is that in which `bench run` asks under the same key. Raises `InputError` where there is nothing
    to pair: two metrics, no shared items, or no ids and files of two lengths.
    """
    metrics = {one.metric for one in models}
    _require_alike(models, metrics)
    asked = [_asked(one, models) for one in models]
    rows = [_by_id(one) for one in models]
    ids = permuted(sorted(set.intersection(*map(set, rows))), key, lambda item_id: item_id)
    if not ids:
        raise InputError(
            "these models share no item",
            why="not one item has an outcome of each of them",
            fix="name runs or files of the same task, with the same item ids",
        )
    everything = frozenset().union(*asked)
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
        n_items=_n_items(models, asked, len(ids)),
        listed=tuple(one.name for one in models if one.is_listed),
        in_part=tuple(one.name for one in models if one.n_items is not None),
        decided=tuple(one.name for one in models if one.decided),
        refusals=refusals_of(models, asked, rows),
        graded=next((one.graded for one in models if one.graded is not None), None),
    )


def _require_alike(models: Sequence[Outcomes], metrics: set[str]) -> None:
    """Raise `InputError` where the models' values are of different figures.

    A run that asked each item several times has means of right and wrong, on the same scale as others.
    """
    graded = {one.graded for one in models if one.graded is not None}
    ranges = {(one.low, one.high) for one in models}
    if len(graded) < 2 and (len(metrics) == 1 or (metrics <= {"accuracy", "score"} and len(ranges) == 1)):
        return
    told = "; ".join(f"{one.name} has {_figure(one)}" for one in models[:5])
    raise InputError(
        "these models were graded by different figures",
        why=told,
        fix="name files that hold the same figure",
    )


def _figure(one: Outcomes) -> str:
    return one.graded or f"{one.metric} within {one.low:g} and {one.high:g}"


def _n_items(models: Sequence[Outcomes], asked: Sequence[frozenset[str]], shared: int) -> int:
    """Return how many items the shared ones speak of.

    Of runs that were asked a part only that is what they are a random part of, the smallest of the models';
    less what all were asked and some have no outcome of.
    """
    if all(one.n_items is None for one in models):
        return shared
    of = min(one.n_items or len(ids) for one, ids in zip(models, asked, strict=True))
    gone = len(frozenset.intersection(*asked)) - shared
    return max(shared, of - gone)


def _asked(one: Outcomes, models: Sequence[Outcomes]) -> frozenset[str]:
    """Return the ids of what a model was asked, by row where there are no ids; raises `InputError`."""
    if all(other.item_ids for other in models):
        return frozenset((*one.item_ids, *one.unanswered))
    if len({_n_asked(other) for other in models}) > 1 or any(other.item_ids for other in models):
        raise InputError(
            "these items cannot be paired",
            why="a file has no item ids, and the files do not have the same number of rows without them",
            fix="give each file a column item_id",
        )
    return frozenset(str(place) for place in range(_n_asked(one)))


def _n_asked(one: Outcomes) -> int:
    return len(one) + len(one.unanswered)


def _by_id(one: Outcomes) -> dict[str, float]:
    """Return the outcomes that are known, by item id, or by row where there are none."""
    ids: Sequence[str] = one.item_ids
    if not ids:
        unanswered = frozenset(one.unanswered)
        ids = [place for place in map(str, range(_n_asked(one))) if place not in unanswered]
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
