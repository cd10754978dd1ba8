"""The cost model of a loaded run, by what each of its requests was charged: it holds at that load only."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from joulemark.metrics.cost_model import CostModel, fit
from joulemark.metrics.cost_points import CostPoint, cost_points
from joulemark.metrics.input_aware import INPUT_AWARE
from joulemark.metrics.loaded_requests import sent_in_window
from joulemark.metrics.run_view import RunView
from joulemark.metrics.token_doubt import CONTRADICTED, counts_contradicted
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason

CARRIES_ITS_LOAD = (
    "Its cost model carries its load: joules are shares by rule (input-aware) of requests that overlapped, "
    "and hold while as many are in flight and prompts and answers are mixed as they were."
)


def loaded_cost_model(run: RunView) -> CostModel:
    """Fit the shares of the requests that were sent in the steady window, or say why there is no model.

    The shares follow from what a prompt token was found to cost, so that its error moves them all together:
    what prompts are charged more, outputs are charged less. It is added to the errors of the fit.
    """
    concurrency = run.manifest.load.concurrency
    window = run.steady.window
    if isinstance(window, Withheld):
        return CostModel(concurrency=concurrency, reason=window.reason, detail=window.detail)
    aware = run.input_aware
    if aware.reason is not None:
        return CostModel(concurrency=concurrency, reason=aware.reason, detail=aware.detail)
    items = sent_in_window(run)
    if items and counts_contradicted(items):
        return CostModel(concurrency=concurrency, reason=Reason.NOT_REPORTED, detail=CONTRADICTED)
    points = loaded_points(run)
    return _moved(fit(points, concurrency), points, aware.se_prompt_j)


def loaded_points(run: RunView) -> tuple[CostPoint, ...]:
    """Return the requests that were sent in the steady window with their shares of its energy."""
    rows = {
        (row.item_id, row.repeat): row
        for row in run.attributions
        if row.method == INPUT_AWARE and row.scope == run.headline_scope
    }
    return cost_points(sent_in_window(run), rows)


def _moved(model: CostModel, points: tuple[CostPoint, ...], se_prompt_j: float | None) -> CostModel:
    """Return the model with the error of a prompt token's cost, at which the sum of all shares stays."""
    if model.covariance is None or se_prompt_j is None:
        return model
    prompts = math.fsum(point.prompt_tokens for point in points)
    outputs = math.fsum(point.completion_tokens for point in points)
    if outputs <= 0:
        return model
    along = se_prompt_j * np.array([0.0, 1.0, -prompts / outputs])
    both = np.array(model.covariance) + np.outer(along, along)
    errors = np.sqrt(np.diag(both)).tolist()
    return replace(
        model,
        covariance=tuple((row[0], row[1], row[2]) for row in both.tolist()),
        se_fixed_j=errors[0],
        se_alpha_j_per_token=errors[1],
        se_beta_j_per_token=errors[2],
    )
