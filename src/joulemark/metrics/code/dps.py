"""Differential performance score: which known programs an answer is at least as fast as."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.code.over_tasks import mean_of
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value

_SOURCE = "J. Liu et al., Evaluating Language Models for Efficient Code Generation (COLM 2024, EvalPerf)"
_INPUTS = ("cpu_ratio", "code.correct")
_WHEN = ("no clusters of known programs were given", "no right answer to such a problem was timed")
_NONE = "No evaluation of known programs was given (`--known`), or no right answer was timed beside them."

DPS = MetricDefinition(
    "dps",
    "DPS, as published",
    "%",
    r"100 \frac{1}{P} \sum_p \sum_{t_j ≥ t} n_j / \sum_j n_j",
    _INPUTS,
    _WHEN,
    f"{_SOURCE}: share of known programs whose cluster is not faster, of right answers; a cluster is as fast "
    "as its slowest program, and holds those up to 20 % slower than its fastest (theirs ends at a gap); "
    "beside a cluster chance decides as well as speed, see the percentile rank. A problem's right answers "
    "are averaged. Ratio of CPU time to the reference's on the scaled input (theirs: instructions on their "
    "own inputs)",
)
DPS_NORM = MetricDefinition(
    "dps_norm",
    "DPS, as published, each cluster counting alike",
    "%",
    r"100 \frac{1}{P} \sum_p N(t_j ≥ t) / N_\mathrm{clusters}",
    _INPUTS,
    _WHEN,
    f"{_SOURCE}: share of clusters that are not faster",
)
DEFINITIONS = (DPS, DPS_NORM)


@dataclass(frozen=True, slots=True)
class Cluster:
    """``n`` known right programs of one problem that are about as fast.

    ``ratio``: CPU time of the slowest of them over the reference's, on the scaled input.
    """

    ratio: float
    n: int = 1


def performance_scores(ratio: float, clusters: Sequence[Cluster]) -> tuple[float, float]:
    """Return (DPS, DPS_norm) of one right answer in percent; at least one cluster."""
    slower = [cluster for cluster in clusters if ratio <= cluster.ratio]
    known = sum(cluster.n for cluster in clusters)
    return 100.0 * sum(cluster.n for cluster in slower) / known, 100.0 * len(slower) / len(clusters)


def differential_performance(
    paired: Sequence[PairedSample], clusters: Mapping[str, Sequence[Cluster]]
) -> dict[str, Value]:
    """Return both scores over the problems with clusters.

    An answer that a limit ended, or that fails on the scaled input, scores 0. Ratios to one reference are
    compared, for two evaluations may have chosen other sizes of the scaled input.
    """
    scores: dict[str, list[tuple[float, float]]] = {}
    for one in paired:
        known = clusters.get(one.problem)
        if not known:
            continue
        if one.ratio.n_censored or one.has_failed:
            scores.setdefault(one.problem, []).append((0.0, 0.0))
        elif one.ratio.ratio.value is not None:
            scores.setdefault(one.problem, []).append(performance_scores(one.ratio.ratio.value, known))
    return {
        name: mean_of(
            {task: math.fsum(pair[k] for pair in mine) / len(mine) for task, mine in scores.items()},
            "%",
            detail=_NONE,
        )
        for k, name in enumerate((DPS.name, DPS_NORM.name))
    }
