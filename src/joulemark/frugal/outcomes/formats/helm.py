"""Outcomes in HELM's ``per_instance_stats.json`` of a run: a list of statistics for each instance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from joulemark.frugal.outcomes.formats.columns import number_of, outcomes_of
from joulemark.frugal.outcomes.formats.graded import graded_as
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.record.errors import InputError

FILE_NAME = "per_instance_stats.json"
_SCORES = (
    "exact_match",
    "quasi_exact_match",
    "final_number_exact_match",
    "math_equiv_chain_of_thought",
    "ifeval_strict_accuracy",
    "f1_score",
    "rouge_l",
    "bleu_4",
)
_COSTS = {
    "inference_runtime": "e2el_s",
    "num_prompt_tokens": "prompt_tokens",
    "num_output_tokens": "completion_tokens",
    "num_completion_tokens": "completion_tokens",
}
Stats = Mapping[str, float]


def is_helm(document: object) -> bool:
    """Tell whether a JSON document is such a list."""
    return (
        isinstance(document, list)
        and bool(document)
        and isinstance(document[0], Mapping)
        and {"instance_id", "stats"} <= document[0].keys()
    )


def of_instances(rows: Sequence[Any], path: Path, *, metric: str | None) -> Outcomes:
    """Return the instances as outcomes; perturbed ones are left out, repeated ones count with their mean.

    ``metric`` is the name of a statistic, null the first of the usual ones. Raises `InputError`.
    """
    found: dict[str, list[Stats]] = {}
    for row in rows:
        if isinstance(row, Mapping) and not row.get("perturbation"):
            found.setdefault(str(row.get("instance_id")), []).append(_stats(row.get("stats")))
    names = list(dict.fromkeys(name for stats in found.values() for one in stats for name in one))
    plain = metric in (None, "accuracy", "correct", "score")
    name = next((one for one in _SCORES if one in names), None) if plain else metric
    if name not in names:
        raise InputError(
            f"{path} has no statistic {metric!r}" if not plain else f"{path} has no score of its instances",
            why=f"there are {', '.join(names[:20]) or 'none'}",
            fix="name one with --metric",
        )
    costs = {
        ours: np.array([_mean(stats, theirs) for stats in found.values()])
        for theirs, ours in _COSTS.items()
        if theirs in names
    }
    values = np.array([_mean(stats, str(name)) for stats in found.values()])
    return outcomes_of(
        path.parent.name or path.stem,
        values,
        origin=str(path),
        column=str(name),
        item_ids=list(found),
        costs=costs,
        graded=graded_as(values[np.isfinite(values)], str(name)),
    )


def _stats(stats: object) -> Stats:
    means: dict[str, float] = {}
    for one in stats if isinstance(stats, list) else ():
        title = one.get("name") if isinstance(one, Mapping) else None
        if not isinstance(title, Mapping) or title.get("perturbation"):
            continue
        count, total = number_of(one.get("count")), number_of(one.get("sum"))
        means[str(title.get("name"))] = total / count if count > 0 else math.nan
    return means


def _mean(stats: Sequence[Stats], name: str) -> float:
    known = [one[name] for one in stats if math.isfinite(one.get(name, math.nan))]
    return math.fsum(known) / len(known) if known else math.nan
