"""What a request costs by its lengths: fixed joules, joules per prompt token, joules per output token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from joulemark.metrics.answer_blocks import MIN_BLOCKS, AnswerBlocks
from joulemark.metrics.attribution import items_overlap
from joulemark.metrics.cost_points import CostPoint, block_points, cost_points
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.least_squares import Array, condition, least_squares
from joulemark.metrics.run_view import RunView
from joulemark.metrics.student import t_95
from joulemark.metrics.token_doubt import CONTRADICTED, WITHHELD_WHEN, counts_contradicted
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

MIN_ITEMS = 10
MIN_DESIGNS = 4  # three would be met exactly by any three coefficients, so nothing could speak against them
MAX_CONDITION = 100.0
BEYOND_SE = 2.0
MIN_R2 = 0.3
MAX_NEGATIVE_SHARE = 0.05  # of the mean energy, by which a true 0 may come out below 0
_ROUNDING = 1e-9  # of the mean energy
_NAMES = ("fixed joules", "joules per prompt token", "joules per output token")

_WHEN = (
    "there are no joules of single items, nor 10 blocks of answers that were all sent once",
    "requests overlapped: a loaded run's fit would carry its load",
    "fewer than 10 distinct items or fewer than 4 distinct pairs of lengths can be used",
    "prompt and output lengths do not tell the coefficients apart (condition above 100)",
    "the lengths explain less than 30 % of the variance, or all requests cost the same",
    "neither energy per token is above 0 by two standard errors",
    "a coefficient is negative by two standard errors, or makes up less than -5 % of the mean energy",
    "an energy is not a finite number",
    WITHHELD_WHEN,
)
_SOURCE = (
    "the published async-energy methodology; least squares over answered items that were sent once; errors: "
    "HC3, repeats of an item together; 95 % by Student's t; prompt tokens from a cache are left out. Where "
    "the meter is too slow for single answers: over the means of blocks of answers, and the fixed part holds "
    "the time between requests"
)
_LATEX = r"E_i = e_\mathrm{fixed} + \alpha\, n_{\mathrm{prompt},i} + \beta\, n_{\mathrm{completion},i}"
_INPUTS = ("attribution.joules", "items.prompt_tokens", "items.cached_tokens", "items.completion_tokens")


def _defined(name: str, title: str, unit: str, latex: str = _LATEX) -> MetricDefinition:
    return MetricDefinition(name, title, unit, latex, _INPUTS, _WHEN, _SOURCE)


FIXED = _defined("cost_fixed_joules", "Cost model: fixed energy of a request", "J")
PER_PROMPT_TOKEN = _defined("cost_joules_per_prompt_token", "Cost model: energy per prompt token", "J")
PER_OUTPUT_TOKEN = _defined("cost_joules_per_completion_token", "Cost model: energy per output token", "J")
R2 = _defined(
    "cost_model_r2",
    "Cost model: share of the variance explained",
    "1",
    r"1 - \sum_i (E_i - \hat E_i)^2 / \sum_i (E_i - \bar E)^2",
)
DEFINITIONS = (FIXED, PER_PROMPT_TOKEN, PER_OUTPUT_TOKEN, R2)


@dataclass(frozen=True, slots=True)
class CostModel:
    """``E = e_fixed_j + alpha_j_per_token × prompt tokens + beta_j_per_token × output tokens`` of one run.

    All numbers of the fit are null exactly when there is a ``reason``, which ``detail`` completes.
    ``covariance`` (3 × 3) is in the order fixed, alpha, beta.
    ``n`` requests of ``n_items`` distinct items were used; ``condition`` is that of the column-scaled design;
    ``residual_sd_j`` what one request deviates by. Outside the ranges of tokens the model extrapolates.
    ``n_blocks``: the fit is over the means of so many blocks of answers; null where over single ones.
    """

    n: int = 0
    n_items: int = 0
    concurrency: int | None = 1
    e_fixed_j: float | None = None
    alpha_j_per_token: float | None = None
    beta_j_per_token: float | None = None
    se_fixed_j: float | None = None
    se_alpha_j_per_token: float | None = None
    se_beta_j_per_token: float | None = None
    covariance: tuple[tuple[float, float, float], ...] | None = None
    r2: float | None = None
    condition: float | None = None
    residual_sd_j: float | None = None
    prompt_range: tuple[int, int] | None = None
    completion_range: tuple[int, int] | None = None
    reason: Reason | None = None
    detail: str = ""
    n_blocks: int | None = None

    @property
    def degrees(self) -> int:
        """The degrees of freedom of its errors."""
        return (self.n_items if self.n_blocks is None else self.n_blocks) - 3

    @property
    def coefficients(self) -> tuple[float, float, float] | None:
        """Fixed, alpha and beta, or null when the model is withheld."""
        if self.e_fixed_j is None or self.alpha_j_per_token is None or self.beta_j_per_token is None:
            return None
        return self.e_fixed_j, self.alpha_j_per_token, self.beta_j_per_token


def cost_model(run: RunView) -> CostModel:
    """Fit the cost model of a run from its headline energies, or say why there is none."""
    items, concurrency = run.measured_items, run.manifest.load.concurrency
    energy = run.headline_energy
    if isinstance(energy, Withheld):
        return CostModel(concurrency=concurrency, reason=energy.reason, detail=energy.detail)
    if concurrency is None or concurrency > 1 or items_overlap((*items, *run.abandoned_items)):
        why = "A loaded run's fit would carry its load; a run with `--concurrency 1` can be fitted."
        return CostModel(concurrency=concurrency, reason=Reason.OVERLAPPED, detail=why)
    if items and counts_contradicted(items):
        return CostModel(concurrency=concurrency, reason=Reason.NOT_REPORTED, detail=CONTRADICTED)
    if run.blocks is not None:
        return _fit_blocks(run.blocks, items)
    rows = run.headline_attributions()
    points = cost_points(items, rows)
    if len({point.item_id for point in points}) < MIN_ITEMS <= len({item.item_id for item in items}):
        # the energies are what is missing, and their own reason says more than how few are left
        lost = next((row.reason for row in rows.values() if row.joules is None and row.reason), None)
        if lost is not None:
            return CostModel(len(points), concurrency=concurrency, reason=lost)
    return fit(points, concurrency)


def _fit_blocks(blocks: AnswerBlocks, items: Sequence[Item]) -> CostModel:
    """Fit the means of blocks: what holds of each request holds of their means, and blocks are the sample."""
    if blocks.reason is not None:
        return CostModel(reason=blocks.reason, detail=blocks.why_none)
    points, lengths = block_points(blocks, items)
    n = len(blocks.blocks)
    if len(points) < MIN_BLOCKS:
        lost = f"{n - len(points)} of {n} blocks hold a request that failed or was sent more than once."
        return CostModel(
            reason=Reason.TOO_FEW_BLOCKS, detail=blocks.too_few(items) if n < MIN_BLOCKS else lost
        )
    model = replace(
        fit(points), n=len(lengths), n_items=len({name for name, _ in lengths}), n_blocks=len(points)
    )
    if model.reason is not None:
        return model
    prompts, outputs = zip(*lengths.values(), strict=True)
    return replace(
        model,
        prompt_range=(min(prompts), max(prompts)),
        completion_range=(min(outputs), max(outputs)),
    )


def fit(points: Sequence[CostPoint], concurrency: int | None = 1) -> CostModel:
    """Fit the cost model by least squares; withheld where the points do not identify or support it."""
    n, n_items = len(points), len({point.item_id for point in points})

    def without(reason: Reason, detail: str, found: float | None = None) -> CostModel:
        return CostModel(n, n_items, concurrency, condition=found, reason=reason, detail=detail)

    if n_items < MIN_ITEMS:
        return without(
            Reason.TOO_FEW_ITEMS, f"The cost model needs {MIN_ITEMS} items; {n_items} can be used."
        )
    lost = sum(not math.isfinite(point.joules) for point in points)
    if lost:
        return without(Reason.NOT_IDENTIFIED, f"The energy of {lost} of {n} requests is not a finite number.")
    prompts, outputs = [p.prompt_tokens for p in points], [p.completion_tokens for p in points]
    lengths = _lengths(prompts, outputs)
    if len(set(zip(prompts, outputs, strict=True))) < MIN_DESIGNS:
        return without(Reason.NOT_IDENTIFIED, f"{lengths}: fewer than {MIN_DESIGNS} different pairs.")
    design = np.column_stack([np.ones(n), prompts, outputs]).astype(np.float64)
    spread = condition(design)
    if spread > MAX_CONDITION:
        known = spread if np.isfinite(spread) else None
        return without(Reason.NOT_IDENTIFIED, f"{lengths}; condition above {MAX_CONDITION:.0f}.", known)
    joules = np.array([p.joules for p in points])
    found = least_squares(design, joules, [p.item_id for p in points])
    if found.covariance is None:
        return without(Reason.NOT_IDENTIFIED, f"{lengths}; one item alone decides a coefficient.", spread)
    fixed, alpha, beta = found.coefficients.tolist()
    errors = np.sqrt(np.diag(found.covariance)).tolist()
    r2 = _r2(joules, found.residuals)
    own = found.residuals * np.sqrt([p.requests for p in points])  # of one request, not of a mean
    if r2 is None:
        return without(Reason.NOT_IDENTIFIED, "All requests cost the same, whatever their lengths.", spread)
    if r2 < MIN_R2:
        unexplained = f"The lengths do not explain the energy: R² = {r2:.2f}."
        return without(Reason.NOT_IDENTIFIED, unexplained, spread)
    against = _speaks_against(found.coefficients, np.array(errors), design, joules)
    if against is not None:
        return without(*against, spread)
    return CostModel(
        n,
        n_items,
        concurrency,
        fixed,
        alpha,
        beta,
        errors[0],
        errors[1],
        errors[2],
        covariance=tuple((row[0], row[1], row[2]) for row in found.covariance.tolist()),
        r2=r2,
        condition=spread,
        residual_sd_j=float(np.sqrt(own @ own / (n - 3))),
        prompt_range=(round(min(prompts)), round(max(prompts))),
        completion_range=(round(min(outputs)), round(max(outputs))),
    )


def _speaks_against(
    coefficients: Array, errors: Array, design: Array, joules: Array
) -> tuple[Reason, str] | None:
    """Return why no cost can have these coefficients (float64[3], with their errors), or null."""
    scale = float(np.abs(joules).mean())
    rounding = _ROUNDING * scale / design.max(axis=0)
    told = [
        f"{name}: {value:.3g} ± {error:.2g}."
        for name, value, error in zip(_NAMES, coefficients, errors, strict=True)
    ]
    for k in np.flatnonzero(coefficients < -BEYOND_SE * errors - rounding):
        return Reason.NEGATIVE_COST, told[k]
    if not np.any(coefficients[1:] > BEYOND_SE * errors[1:] + rounding[1:]):
        return Reason.NOT_IDENTIFIED, f"No energy per token is above its error; {told[1]} {told[2]}"
    for k in np.flatnonzero(-coefficients * design.mean(axis=0) >= MAX_NEGATIVE_SHARE * scale):
        return Reason.NOT_IDENTIFIED, f"A cost is not negative, and this one is; {told[k]}"
    return None


def _lengths(prompts: Sequence[float], outputs: Sequence[float]) -> str:
    return (
        f"Prompts of {min(prompts):,.0f} to {max(prompts):,.0f} tokens, "
        f"answers of {min(outputs):,.0f} to {max(outputs):,.0f}"
    )


def _r2(joules: Array, residuals: Array) -> float | None:
    off = joules - joules.mean()
    total = float(off @ off)
    if total <= (_ROUNDING**2) * float(joules @ joules):
        return None
    return min(1.0, max(0.0, 1.0 - float(residuals @ residuals) / total))


def cost_figures(model: CostModel) -> dict[str, Value]:
    """Return the model's numbers by the names of their definitions, each coefficient with its interval."""
    coefficients = (
        (FIXED, model.e_fixed_j, model.se_fixed_j),
        (PER_PROMPT_TOKEN, model.alpha_j_per_token, model.se_alpha_j_per_token),
        (PER_OUTPUT_TOKEN, model.beta_j_per_token, model.se_beta_j_per_token),
    )
    if model.reason is not None:
        return {d.name: withheld(d.unit, model.reason, detail=model.detail, n=model.n) for d in DEFINITIONS}
    t = t_95(model.degrees)
    figures: dict[str, Value] = {}
    for defined, value, error in coefficients:
        assert value is not None
        assert error is not None
        figures[defined.name] = Value(value, "J", value - t * error, value + t * error, "ci95", n=model.n)
    if model.r2 is None:  # no model of `fit` has none
        same = "All requests cost the same, so there is no variance to explain."
        figures[R2.name] = withheld("1", Reason.NOT_APPLICABLE, detail=same, n=model.n)
    else:
        figures[R2.name] = Value(model.r2, "1", n=model.n)
    return figures
