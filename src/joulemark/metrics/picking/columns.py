"""Many candidates as columns of numbers: what a shortlist is screened by, made once for many questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.picking.candidate import Candidate
from joulemark.metrics.picking.draws import effective_trials
from joulemark.metrics.picking.named import named_points
from joulemark.metrics.picking.times import Times
from joulemark.metrics.picking.workload import Workload
from joulemark.metrics.point_figures import figure_of
from joulemark.record.reason import Reason

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]

_UNBELIEVED = (Reason.CLIENT_INVALID, Reason.FOREIGN_LOAD)
_MOST_KEPT = 64
_NO_PLANE = (np.nan, np.nan, np.nan)


@dataclass(frozen=True, slots=True)
class Texts:
    """A column of texts: ``code`` says which of ``distinct`` each row has; null is one of them."""

    distinct: tuple[str | None, ...]
    code: Codes


@dataclass(frozen=True, slots=True)
class TimeColumns:
    """`Times` of all rows: float64[n, 3] planes (NaN where withheld), means and the ranges they hold in."""

    plane: Numbers
    mean_s: Numbers
    least: Numbers
    most: Numbers
    known: Flags

    def of(self, workload: Workload) -> Numbers:
        """Return the mean seconds of a request by row, NaN where they are not known; as `Times.of`."""
        found = self.plane @ np.array(workload.at)
        lengths = np.array([workload.prompt_tokens, workload.completion_tokens])
        within = np.all((self.least <= lengths) & (lengths <= self.most), axis=1)
        seconds = np.where(found > 0, found, np.where(within, self.mean_s, np.nan))
        return np.where(self.known, seconds, np.nan)


@dataclass(frozen=True, slots=True)
class Columns:
    """Candidates, called apart, and their numbers by row; NaN stands for what is withheld.

    ``coefficients`` float64[n, 3] and ``bend`` float64[n, 4] (0 where there is none), ``covariance``
    float64[n, 3, 3]. ``scaled`` are joules per output token of published rows. ``table`` and ``task_table``
    number what may be ranked together, without and with the task. ``priceless`` marks rows that no objective
    prices. ``alike`` numbers rows that, without a price, lack it for the same reasons.
    """

    candidates: tuple[Candidate, ...]
    coefficients: Numbers
    covariance: Numbers
    degrees: Numbers
    bend: Numbers
    has_bend: Flags
    scaled: Numbers
    extra_variance: Numbers
    gain_bound: Numbers
    accuracy: Numbers
    trials: Numbers
    has_accuracy_interval: Flags
    whole: TimeColumns
    first: TimeColumns
    idle_w: Numbers
    in_flight: Numbers
    table: Codes
    task_table: Codes
    priceless: Flags
    alike: Codes
    named: dict[str, Texts]
    tie: Codes  # of rows that cost the same, by their names
    _figures: dict[str, Numbers] = field(default_factory=dict)

    def figure(self, name: str) -> Numbers:
        """Return a figure of the points by row; raises ``KeyError`` for a name that is none."""
        found = self._figures.get(name)
        if found is None:
            found = _numbers(figure_of(one.point, name).value for one in self.candidates)
            if len(self._figures) < _MOST_KEPT:  # latencies have as many names as anybody likes
                self._figures[name] = found
        return found


def columns(candidates: Sequence[Candidate]) -> Columns:
    """Return the columns of candidates."""
    points = named_points([one.point for one in candidates])
    rows = tuple(replace(one, point=point) for one, point in zip(candidates, points, strict=True))
    models = [one.cost for one in rows]
    without = ((np.nan,) * 3,) * 3
    # what others published of one task says nothing of another's answers
    tables = [
        (p.kind, p.tier, p.scope, p.task if p.kind == "published" else None)
        for p in (one.point for one in rows)
    ]
    return Columns(
        rows,
        _matrix([m.coefficients if m.reason is None else None for m in models], _NO_PLANE),
        np.array(
            [m.covariance if m.reason is None and m.covariance else without for m in models], np.float64
        ).reshape(-1, 3, 3),
        np.array([m.degrees for m in models], np.float64),
        _matrix([None if one.bend is None else one.bend.coefficients for one in rows], (0.0,) * 4),
        np.array([one.bend is not None for one in rows], np.bool_),
        _numbers(one.scaled_j_per_token for one in rows),
        _numbers(one.extra_variance for one in rows),
        _numbers(one.gain_bound for one in rows),
        _numbers(one.point.accuracy.value for one in rows),
        _numbers(effective_trials(one.point.accuracy) for one in rows),
        np.array([one.point.accuracy.lo is not None for one in rows], np.bool_),
        _times(rows, lambda one: one.whole, ("e2el_mean", "ttft_mean"), needs_first=False),
        _times(rows, lambda one: one.first, ("e2el_mean", "ttft_mean"), needs_first=True),
        _numbers(one.idle_w.value for one in rows),
        _numbers(one.in_flight for one in rows),
        _codes(tables),
        _codes([(*t, one.point.task, one.point.questions) for t, one in zip(tables, rows, strict=True)]),
        np.array(
            [bool(one.point.unit != "request" or one.point.implausible or one.point.late) for one in rows],
            np.bool_,
        ),
        _codes([_why(one) for one in rows]),
        {
            "hardware": _texts([one.point.device for one in rows]),
            "model": _texts([one.point.model for one in rows]),
            "task": _texts([one.point.task for one in rows]),
        },
        np.argsort(
            np.array(
                sorted(
                    range(len(rows)),
                    key=lambda k: (rows[k].point.model, rows[k].point.label, rows[k].point.origin),
                ),
                np.intp,
            )
        ),
    )


def _why(one: Candidate) -> tuple[object, ...]:
    """Return what kind of reason it would be, were there no price; sentences hold figures of their own."""
    point = one.point
    return (
        point.unit,
        bool(point.implausible),
        bool(point.late),
        one.model.reason,
        one.scaled_j_per_token is None,
        point.accuracy.reason,
        point.accuracy.value == 0,
    )


def _times(
    rows: Sequence[Candidate],
    of: Callable[[Candidate], Times | None],
    names: tuple[str, str],
    *,
    needs_first: bool,
) -> TimeColumns:
    known = []
    for one in rows:
        seen = [one.point.latencies_s.get(name) for name in names]
        believed = not any(value is not None and value.reason in _UNBELIEVED for value in seen)
        first = seen[1]
        streamed = first is not None and first.reason is None
        known.append(
            one.whole is not None and one.first is not None and believed and (streamed or not needs_first)
        )
    found = [of(one) or Times(one.model) for one in rows]
    ranges = np.array([(t.prompt_range, t.completion_range) for t in found], np.float64).reshape(-1, 2, 2)
    usable = [k and t.mean_s is not None for k, t in zip(known, found, strict=True)]
    return TimeColumns(
        _matrix(
            [p.coefficients if p.reason is None else None for p in (t.bounded for t in found)], _NO_PLANE
        ),
        _numbers(t.mean_s for t in found),
        ranges[:, :, 0],
        ranges[:, :, 1],
        np.array(usable, np.bool_),
    )


def _numbers(values: object) -> Numbers:
    made = [np.nan if value is None else float(value) for value in values]  # type: ignore[attr-defined]
    return np.array(made, np.float64)


def _matrix(rows: Sequence[Sequence[float] | None], without: Sequence[float]) -> Numbers:
    return np.array([without if row is None else row for row in rows], np.float64).reshape(-1, len(without))


def _codes(keys: Sequence[tuple[object, ...]]) -> Codes:
    places: dict[tuple[object, ...], int] = {}
    return np.array([places.setdefault(key, len(places)) for key in keys], np.intp)


def _texts(values: Sequence[str | None]) -> Texts:
    places: dict[str | None, int] = {}
    code = np.array([places.setdefault(value, len(places)) for value in values], np.intp)
    return Texts(tuple(places), code)
