"""Columns as files name them: which one says whether an answer was right, and which ones are costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from joulemark.frugal.outcomes.outcomes import Floats, Graded, Outcomes
from joulemark.record.errors import InputError

RIGHT_OR_WRONG = ("correct", "is_correct", "acc", "accuracy", "exact_match")
"""Names of columns that say whether an answer was right."""
VALUE_NAMES = ("correct", "is_correct", "score", "acc", "accuracy", "exact_match", "value", "y")
ID_NAMES = ("item_id", "question_id", "doc_id", "sample_id", "instance_id", "id")
DOMAIN_NAMES = ("domain", "category", "subject", "group")
MODEL_NAMES = ("model", "model_name", "models")
_COST_ENDS = ("_s", "_j", "_usd", "_gco2e", "_tokens", "_chars")
_COST_NAMES = ("usd", "gco2e")
_SAME_COST = {"latency_s": "e2el_s", "joules": "energy_j", "output_tokens": "completion_tokens"}
_TRUE = frozenset({"true", "correct", "right", "yes", "pass", "passed", "c", "1"})
_FALSE = frozenset({"false", "wrong", "incorrect", "no", "fail", "i", "0"})
SAID = (_TRUE | _FALSE) - {"1", "0"}
"""Words that say right or wrong; a number may be a score."""
COSTS_NAMED = "energy_j, e2el_s (or latency_s), usd, gco2e, completion_tokens, or with such an ending"
_ACCURACY = ("accuracy", "correct")
LARGEST = 1e150


def is_cost(name: str) -> bool:
    """Tell whether a column's name carries a unit that costs have (``e2el_s``, ``energy_j``, ``usd``)."""
    return name in _COST_NAMES or name in _SAME_COST or name.endswith(_COST_ENDS)


def cost_name(name: str) -> str:
    """Return our name of a cost column."""
    return _SAME_COST.get(name, name)


def is_too_large(values: Floats) -> bool:
    """Tell whether a finite value is so large that its square is none."""
    finite = values[np.isfinite(values)]
    return bool(len(finite)) and float(np.abs(finite).max()) > LARGEST


def first_of(names: Sequence[str], there: Sequence[str]) -> str | None:
    """Return the first of ``names`` that is there, whatever its case."""
    by_name = {one.casefold(): one for one in reversed(there)}
    return next((by_name[name] for name in names if name in by_name), None)


def number_of(value: object) -> float:
    """Return a cell as a number: right is 1 and wrong is 0; nan where it is empty or says something else."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return math.nan
    if not isinstance(value, str):
        return math.nan
    text = value.strip().casefold()
    if text in _TRUE or text in _FALSE:
        return float(text in _TRUE)
    try:
        return math.nan if "_" in text else float(text)  # 1_0 is a number in Python alone
    except ValueError:
        return math.nan


def outcomes_of(
    name: str,
    values: Floats,
    *,
    origin: str,
    metric: str | None = None,
    column: str = "correct",
    bounds: tuple[float, float] | None = None,
    item_ids: Sequence[str] = (),
    domains: Sequence[str] | None = None,
    costs: Mapping[str, Floats] | None = None,
    modelled: frozenset[str] = frozenset(),
    notes: Sequence[str] = (),
    task: str | None = None,
    graded: Graded | None = None,
) -> Outcomes:
    """Return columns as outcomes. ``origin`` names the file in an error.

    ``metric``: null or the name of the values' column for what was answered, else the name of a cost, which
    then takes the place of the values. Items without a finite value are left out, which a note says. Values
    within 0 and 1 are bounded by these, others by ``bounds`` or else by what was seen. A cost below 0 is
    none. ``graded`` as of `Outcomes`, of the values. Raises `InputError`.
    """
    told = list(notes)
    columns = {one: _not_negative(one, of, told) for one, of in (costs or {}).items()}
    if metric is not None and metric not in (*_ACCURACY, "score", column):
        wanted = cost_name(metric)
        if wanted not in columns:
            there = ", ".join((column, *columns)) or "none"
            raise InputError(
                f"{origin} has no {metric!r} of its items",
                why=f"there are {there}",
                fix="name one of them with --metric",
            )
        values, column, bounds, graded = columns[wanted], wanted, None, None
    for title, of in ((column, values), *columns.items()):
        if is_too_large(of):
            raise InputError(
                f"{origin} has a {title} beyond {LARGEST:g}",
                why="nothing can be computed with such numbers",
                fix="name another column, or mend the file",
            )
    kept = np.isfinite(values)
    n_kept = int(kept.sum())
    if not n_kept:
        raise InputError(
            f"{origin} holds no outcome",
            why=f"none of its {len(values)} items has a {column}",
            fix="name another file, or another column with --metric",
        )
    if n_kept < len(values):
        told.append(f"{len(values) - n_kept:,} of {len(values):,} items have no {column} and are left out")
    values = np.asarray(values[kept], dtype=np.float64)
    places = np.flatnonzero(kept).tolist()
    binary = bool(np.isin(values, (0.0, 1.0)).all()) and column not in columns
    if bounds is None:
        inside = column not in columns and values.min() >= 0 and values.max() <= 1
        bounds = (0.0, 1.0) if inside else (float(values.min()), float(values.max()))
    ids = tuple(item_ids[place] for place in places) if item_ids else ()
    if len(set(ids)) < len(ids):
        twice, _ = Counter(ids).most_common(1)[0]
        raise InputError(
            f"{origin} holds item {twice!r} more than once",
            why="an item has one outcome here",
            fix="keep one row an item (one model, one metric, one filter)",
        )
    return Outcomes(
        name=name,
        metric="accuracy" if binary else "score" if column not in columns else column,
        values=values,
        low=bounds[0],
        high=bounds[1],
        item_ids=ids,
        domains=None if domains is None else tuple(domains[place] for place in places),
        costs={one: np.asarray(of, dtype=np.float64)[kept] for one, of in columns.items()},
        modelled=frozenset(modelled & columns.keys()),
        notes=tuple(told),
        task=task,
        graded=graded,
        unanswered=tuple(
            item_ids[place] if item_ids else str(place) for place in np.flatnonzero(~kept).tolist()
        ),
    )


def _not_negative(name: str, of: Floats, told: list[str]) -> Floats:
    """Return a cost, nan where it is below 0: codes for "unknown", or a clock or a meter that went back."""
    below = of < 0
    if below.any():
        told.append(f"{int(below.sum()):,} of {len(of):,} {name} lie below 0 and are taken for unknown")
    return np.where(below, np.nan, of)
