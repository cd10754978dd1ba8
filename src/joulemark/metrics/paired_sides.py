"""What each of two runs brings to a comparison: sums of its items, and the same items drawn again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.accuracy import is_correct, why_not_scored
from joulemark.metrics.attribution import items_overlap
from joulemark.metrics.bootstrap import RESAMPLES, SEED, resampled_sums
from joulemark.metrics.energy_per import completion_tokens
from joulemark.metrics.run_view import ItemKey, RunView
from joulemark.metrics.value import Value
from joulemark.record.energy import Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

ENERGY, CORRECT, REQUESTS, TOKENS, SECONDS, CPU, SCORE, SCORED = (
    "energy",
    "correct",
    "requests",
    "tokens",
    "seconds",
    "cpu",
    "score",
    "scored",
)
_NO_SINGLE = "The energies of single items are not known, and the two runs do not share all items."

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Column:
    """One quantity of the compared items of a run.

    ``total`` is null with ``reason``. ``rows``, float64[items], add up to it; null with ``rows_reason`` where
    it is not known of single items.
    """

    total: float | None = None
    rows: Floats | None = None
    reason: Reason | None = None
    detail: str = ""
    rows_reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """The compared items of one run: its letter, ``ids`` in the order of the rows, and columns by name."""

    name: str
    ids: tuple[str, ...]
    items: tuple[Item, ...]
    columns: Mapping[str, Column]


def side(name: str, run: RunView, ids: Sequence[str]) -> Side:
    """Return the sums of a run's items of the given ids, repeats of an item added up.

    What of energy and time belongs to no item is spread evenly over all requests of the run, so that the
    columns of a whole run add up to the run's own figures.
    """
    position = {item_id: k for k, item_id in enumerate(ids)}
    items = tuple(item for item in run.measured_items if item.item_id in position)
    gather = _Gather(run.measured_items, items, position)
    energy = run.headline_energy
    joules = None if isinstance(energy, Withheld) else energy.joules
    energy_reason = energy.reason if isinstance(energy, Withheld) else None
    energy_detail = energy.detail if isinstance(energy, Withheld) else ""
    rows = run.headline_attributions()
    item_j = {
        key: row.reason or Reason.NO_SAMPLES if row.joules is None else row.joules
        for key, row in rows.items()
    }
    overlap = items_overlap([*run.measured_items, *run.abandoned_items])
    item_s: dict[ItemKey, float | Reason] = {
        item.key: Reason.ALLOCATED if overlap else (item.t_end - item.t_begin) / 1e9
        for item in run.measured_items
    }
    no_time = None if run.duration_s else Reason.OUTSIDE_TIMELINE
    no_cpu = None if run.cpu_seconds is not None else run.cpu_reason or Reason.CPU_NOT_OBSERVED
    columns = {
        ENERGY: gather.cost(joules, energy_reason, energy_detail, item_j),
        SECONDS: gather.cost(run.duration_s, no_time, "", item_s),
        CPU: gather.cost(run.cpu_seconds, no_cpu, "", dict(run.item_cpu_seconds)),
        REQUESTS: gather.count([1.0] * len(items)),
        CORRECT: _correct(items, gather),
        TOKENS: _tokens(items, gather),
        SCORE: _scores(items, gather),
        SCORED: gather.count([float(item.score is not None) for item in items]),
    }
    return Side(name, tuple(ids), items, columns)


class Resamples:
    """Joint resamples of two sides: the same items of both where they are paired.

    `joulemark.metrics.bootstrap.resampled_sums` draws them; runs of different items are drawn independently.
    """

    def __init__(self, a: Side, b: Side, *, paired: bool, resamples: int = RESAMPLES) -> None:
        self.n = len(a.ids) if paired else min(len(a.ids), len(b.ids))
        # the same seed and number of rows give the same draws
        self._a = _resampled(a, SEED, resamples)
        self._b = _resampled(b, SEED if paired else SEED + 1, resamples)

    def of(self, name: str) -> tuple[Floats, Floats] | None:
        """Return the resampled sums of a column, float64[resamples] of each side, or null."""
        if name in self._a and name in self._b:
            return self._a[name], self._b[name]
        return None


def _resampled(one: Side, seed: int, resamples: int) -> dict[str, Floats]:
    if not one.ids:
        return {}
    known = {name: column.rows for name, column in one.columns.items() if column.rows is not None}
    return dict(zip(known, resampled_sums(list(known.values()), seed=seed, resamples=resamples), strict=True))


class _Gather:
    """Adds up values of the chosen items by their place among the ids."""

    def __init__(
        self, all_items: Sequence[Item], chosen: Sequence[Item], position: Mapping[str, int]
    ) -> None:
        self._all, self._chosen = all_items, chosen
        self._place = np.array([position[item.item_id] for item in chosen], np.intp)
        self._n = len(position)

    def _rows(self, values: Sequence[float]) -> Floats:
        return np.asarray(np.bincount(self._place, np.asarray(values, np.float64), self._n), np.float64)

    def count(self, values: Sequence[float]) -> Column:
        return Column(math.fsum(values), self._rows(values))

    def cost(
        self,
        total: float | None,
        reason: Reason | None,
        detail: str,
        by_key: Mapping[ItemKey, float | Reason],
    ) -> Column:
        if total is None or reason is not None:
            return Column(reason=reason or Reason.NO_SAMPLES, detail=detail)
        known: dict[ItemKey, float] = {}
        unknown: Reason | None = None
        for item in self._all:
            cost = by_key.get(item.key, Reason.NO_SAMPLES)
            if isinstance(cost, Reason):
                unknown = unknown or cost
            else:
                known[item.key] = cost
        whole = len(self._all) == len(self._chosen)
        if unknown is not None:
            if whole:
                return Column(total, rows_reason=unknown)
            return Column(reason=unknown, detail=_NO_SINGLE)
        share = (total - math.fsum(known.values())) / max(len(self._all), 1)
        costs = [known[item.key] + share for item in self._chosen]
        return Column(total if whole else math.fsum(costs), self._rows(costs))


def _correct(items: Sequence[Item], gather: _Gather) -> Column:
    reason = why_not_scored(items)
    if reason is not None:
        return Column(reason=reason)
    return gather.count([float(is_correct(item)) for item in items])


def _tokens(items: Sequence[Item], gather: _Gather) -> Column:
    tokens = completion_tokens(items)
    if isinstance(tokens, Value):
        return Column(reason=tokens.reason, detail=tokens.detail)
    return gather.count([float(item.completion_tokens or 0) for item in items])


def _scores(items: Sequence[Item], gather: _Gather) -> Column:
    if not any(item.score is not None for item in items):
        return Column(reason=Reason.NOTHING_SCORED)
    return gather.count([item.score or 0.0 for item in items])
