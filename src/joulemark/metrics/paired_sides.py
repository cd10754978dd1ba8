"""What each of two runs brings to a comparison: sums of its items, and the same items drawn again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.accuracy import is_correct, why_not_scored
from joulemark.metrics.bootstrap import RESAMPLES, SEED, resampled_sums
from joulemark.metrics.energy_per import completion_tokens
from joulemark.metrics.item_costs import Cost, item_costs, item_cpu_seconds, item_joules, item_seconds
from joulemark.metrics.run_view import ItemKey, RunView
from joulemark.metrics.score import score_of, why_no_mean_score
from joulemark.metrics.value import Value
from joulemark.record.energy import MeasuredEnergy, Withheld
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
    it is not known of single items. ``bound`` is what the meter can have missed of a total; null with
    ``bound_reason`` where the total is metered and nobody can bound its part.
    """

    total: float | None = None
    rows: Floats | None = None
    reason: Reason | None = None
    detail: str = ""
    rows_reason: Reason | None = None
    bound: tuple[float, float] | None = None
    bound_reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """The compared items of one run: its letter, ``ids`` in the order of the rows, and columns by name."""

    name: str
    ids: tuple[str, ...]
    items: tuple[Item, ...]
    columns: Mapping[str, Column]


def side(name: str, run: RunView, ids: Sequence[str]) -> Side:
    """Return the sums of a run's items of the given ids, repeats of an item added up.

    What of energy and time belongs to no item is spread evenly over all requests of the run (`item_costs`),
    so that the columns of a whole run add up to the run's own figures.
    """
    position = {item_id: k for k, item_id in enumerate(ids)}
    items = tuple(item for item in run.measured_items if item.item_id in position)
    gather = _Gather(run.measured_items, items, position)
    no_time = None if run.duration_s else Reason.OUTSIDE_TIMELINE
    no_cpu = None if run.cpu_seconds is not None else run.cpu_reason or Reason.CPU_NOT_OBSERVED
    columns = {
        ENERGY: _energy(run, items, gather),
        SECONDS: gather.cost(run.duration_s, no_time, "", item_seconds(run)),
        CPU: gather.cost(run.cpu_seconds, no_cpu, "", item_cpu_seconds(run)),
        REQUESTS: gather.count([1.0] * len(items)),
        CORRECT: _correct(items, gather, real_valued=run.real_valued),
        TOKENS: _tokens(items, gather),
        SCORE: _scores(items, gather, real_valued=run.real_valued),
        SCORED: gather.count([float(score_of(item) is not None) for item in items]),
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

    @property
    def is_whole(self) -> bool:
        """Whether the chosen items are all of the run."""
        return len(self._all) == len(self._chosen)

    def _rows(self, values: Sequence[float]) -> Floats:
        return np.asarray(np.bincount(self._place, np.asarray(values, np.float64), self._n), np.float64)

    def count(self, values: Sequence[float]) -> Column:
        return Column(math.fsum(values), self._rows(values))

    def cost(
        self,
        total: float | None,
        reason: Reason | None,
        detail: str,
        by_key: Mapping[ItemKey, Cost],
    ) -> Column:
        if total is None or reason is not None:
            return Column(reason=reason or Reason.NO_SAMPLES, detail=detail)
        spread = item_costs(total, self._all, by_key)
        if isinstance(spread, Reason):
            if self.is_whole:
                return Column(total, rows_reason=spread)
            return Column(reason=spread, detail=_NO_SINGLE)
        costs = spread.of(self._chosen)
        return Column(total if self.is_whole else math.fsum(costs), self._rows(costs))


def _energy(run: RunView, items: Sequence[Item], gather: _Gather) -> Column:
    energy = run.headline_energy
    if isinstance(energy, Withheld):
        return Column(reason=energy.reason, detail=energy.detail)
    column = gather.cost(energy.joules, None, "", item_joules(run))
    if column.total is None:
        return column
    if gather.is_whole:
        return replace(column, bound=(energy.lo, energy.hi))
    bound = _bound_of_part(energy, run, items)
    if isinstance(bound, Reason):
        return replace(column, bound_reason=bound)
    return replace(column, bound=(min(bound[0], column.total), max(bound[1], column.total)))


def _bound_of_part(
    energy: MeasuredEnergy, run: RunView, items: Sequence[Item]
) -> tuple[float, float] | Reason:
    """Return what the meter can have missed of some items of a run, or why that is not known.

    The edges of a window are missed however short it is, so the bound of a part is no share of the whole's.
    With w, the part of all requests that the chosen ones are, their energy is the sum of their own and w of
    the rest: (1 - w) E_chosen - w E_others + w E_total, each within its own bound.
    """
    rows = run.headline_attributions()
    chosen = {item.key for item in items}
    share = len(items) / len(run.measured_items)
    lo, hi = [share * energy.lo], [share * energy.hi]
    for item in run.measured_items:
        row = rows[item.key]
        if row.lo is None or row.hi is None:
            return row.reason or Reason.NO_SAMPLES
        ends = ((1 - share) * row.lo, (1 - share) * row.hi)
        if item.key not in chosen:
            ends = (-share * row.hi, -share * row.lo)
        lo.append(ends[0])
        hi.append(ends[1])
    return max(0.0, math.fsum(lo)), math.fsum(hi)


def _correct(items: Sequence[Item], gather: _Gather, *, real_valued: bool) -> Column:
    reason = why_not_scored(items, real_valued=real_valued)
    if reason is not None:
        return Column(reason=reason)
    return gather.count([float(is_correct(item)) for item in items])


def _tokens(items: Sequence[Item], gather: _Gather) -> Column:
    tokens = completion_tokens(items)
    if isinstance(tokens, Value):
        return Column(reason=tokens.reason, detail=tokens.detail)
    return gather.count([float(item.completion_tokens or 0) for item in items])


def _scores(items: Sequence[Item], gather: _Gather, *, real_valued: bool) -> Column:
    missing = why_no_mean_score(items, real_valued=real_valued)
    if missing is not None:
        return Column(reason=missing[0], detail=missing[1])
    return gather.count([score_of(item) or 0.0 for item in items])
