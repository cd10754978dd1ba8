"""What requests of other lengths would cost, and how well that held on a run that was metered."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.cost_points import cost_points
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.student import t_95
from joulemark.metrics.value import Value, withheld
from joulemark.record.attribution import Attribution
from joulemark.record.item import Item
from joulemark.record.reason import Reason

TRANSFER = MetricDefinition(
    "cost_model_transfer_pct",
    "Cost model: error on another run",
    "%",
    r"100\,(\sum_i \hat E_i / \sum_i E_i - 1)",
    (
        "cost model of one run",
        "attribution.joules of the other",
        "items.prompt_tokens",
        "items.completion_tokens",
    ),
    (
        "the cost model is withheld, or is one of blocks of answers",
        "the other run has no joules of single items",
        "the runs differ in engine, load, machine or meter, or their energies may not be compared",
    ),
    "`compare A B`: what the model of A says of the requests of B, over what was metered of them; interval: "
    "errors of the coefficients and the residuals of the fit, 95 % by Student's t; where it leaves out 0 the "
    "model does not carry over",
)
DEFINITIONS = (TRANSFER,)


@dataclass(frozen=True, slots=True)
class Predicted:
    """A computed, not metered energy; ``extrapolated`` names the lengths outside the fitted range."""

    energy: Value
    extrapolated: tuple[str, ...] = ()


def predict(model: CostModel, prompt_tokens: float, completion_tokens: float) -> Predicted:
    """Return the mean energy of a request of these lengths, with the 95 % interval of that mean."""
    return _predicted(model, 1.0, prompt_tokens, completion_tokens, noise=0.0)


def workload_energy(
    model: CostModel, requests: int, mean_prompt_tokens: float, mean_completion_tokens: float
) -> Predicted:
    """Return the energy of ``requests`` requests, one at a time, without the idle between them.

    The 95 % interval holds the errors of the coefficients and what single requests deviate by. Raises
    ``ValueError`` for fewer than one request or negative lengths.
    """
    if requests < 1:
        raise ValueError(f"a workload has at least one request, not {requests}")
    return _predicted(
        model, float(requests), mean_prompt_tokens, mean_completion_tokens, noise=float(requests)
    )


def transfer_error_pct(
    model: CostModel, items: Sequence[Item], energies: Mapping[tuple[str, int], Attribution]
) -> Value:
    """Return 100 × (predicted / metered − 1) over another run's requests; ``n`` is how many could be used."""
    if model.reason is not None:
        return withheld("%", model.reason, detail=model.detail)
    points = cost_points(items, energies)
    metered = math.fsum(point.joules for point in points)
    if not points:
        lost = next((row.reason for row in energies.values() if row.reason), Reason.NO_METER)
        return withheld("%", lost, detail="No request of the other run has both token counts and joules.")
    if metered <= 0:
        return withheld("%", Reason.NO_SAMPLES, detail="The metered energy is 0 J.")
    n = len(points)
    prompt = sum(point.prompt_tokens for point in points) / n
    output = sum(point.completion_tokens for point in points) / n
    energy = workload_energy(model, n, prompt, output).energy
    assert energy.value is not None
    assert energy.lo is not None
    assert energy.hi is not None
    lo, point, hi = (100 * (joules / metered - 1) for joules in (energy.lo, energy.value, energy.hi))
    return Value(point, "%", lo, hi, "ci95", n=n)


def _predicted(model: CostModel, times: float, prompt: float, output: float, *, noise: float) -> Predicted:
    """Return ``times`` the mean energy; ``noise`` is the number of single requests whose deviation counts."""
    if not (math.isfinite(prompt) and math.isfinite(output) and prompt >= 0 and output >= 0):
        raise ValueError(f"no request has {prompt} prompt and {output} output tokens")
    coefficients = model.coefficients
    if model.reason is not None or coefficients is None:
        return Predicted(withheld("J", model.reason or Reason.NOT_APPLICABLE, detail=model.detail))
    at = np.array([1.0, prompt, output])
    mean = float(at @ np.array(coefficients))
    variance = (
        float(at @ np.array(model.covariance) @ at) * times**2 + noise * (model.residual_sd_j or 0.0) ** 2
    )
    spread = t_95(model.degrees) * math.sqrt(max(0.0, variance))
    joules = mean * times
    outside = tuple(
        name
        for name, tokens, known in (
            ("prompt_tokens", prompt, model.prompt_range),
            ("completion_tokens", output, model.completion_range),
        )
        if known is not None and not known[0] <= tokens <= known[1]
    )
    return Predicted(Value(joules, "J", joules - spread, joules + spread, "ci95", n=model.n), outside)
