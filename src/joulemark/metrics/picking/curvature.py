"""How far the cost of a run's requests is from linear in tokens: what reading their context adds.

Each output token reads what came before it, so a request of P prompt and C output tokens reads about
``C (P + C / 2)`` tokens of context. A cost model has no such term. Where the run shows one, what it would
change at a workload is taken as an error of the cost model there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.cost_points import CostPoint
from joulemark.metrics.least_squares import least_squares
from joulemark.metrics.picking.workload import Workload

MIN_ITEMS = 20
BEYOND_SE = 3.0
_DESIGNS = 5
_RANK = 1e-9


@dataclass(frozen=True, slots=True)
class Curvature:
    """A plane with a bend: joules fixed, per prompt token, output token, and token of context read."""

    coefficients: tuple[float, float, float, float]

    def mean_j(self, workload: Workload) -> float:
        """Return the mean energy of the workload's requests by the bent plane."""
        (_, pc), (_, cc) = workload.covariance
        prompt, output = workload.prompt_tokens, workload.completion_tokens
        context = output * prompt + pc + (output * output + cc) / 2
        return math.fsum(
            c * x for c, x in zip(self.coefficients, (1.0, prompt, output, context), strict=True)
        )


def curvature(points: Sequence[CostPoint]) -> Curvature | None:
    """Return the bent plane through a run's requests; null where they show no bend beyond three errors."""
    if len({point.item_id for point in points}) < MIN_ITEMS:
        return None
    if len({(point.prompt_tokens, point.completion_tokens) for point in points}) < _DESIGNS:
        return None
    p = np.array([point.prompt_tokens for point in points], np.float64)
    c = np.array([point.completion_tokens for point in points], np.float64)
    design = np.column_stack([np.ones(len(p)), p, c, c * (p + c / 2)])
    lengths = np.linalg.norm(design, axis=0)
    if not np.all(lengths > 0) or np.linalg.svd(design / lengths, compute_uv=False)[-1] < _RANK:
        return None
    joules = np.array([point.joules for point in points])
    found = least_squares(design, joules, [point.item_id for point in points])
    if found.covariance is None:
        return None
    bend, error = float(found.coefficients[3]), math.sqrt(max(0.0, float(found.covariance[3, 3])))
    if abs(bend) <= BEYOND_SE * error + 1e-12 * float(np.abs(joules).mean()) / float(design[:, 3].max()):
        return None
    a, b, d, e = found.coefficients.tolist()
    return Curvature((a, b, d, e))
