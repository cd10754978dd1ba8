"""What time, steps, prompts and output cost on a loaded server, from the energies of blocks (ADR 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.least_squares import least_squares
from joulemark.metrics.non_negative import non_negative_least_squares
from joulemark.metrics.work_slices import CONTEXT, OUTPUT, PROMPT, STEPS, TIME, WorkSlices
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.reason import Reason

Floats = NDArray[np.float64]

MIN_BLOCKS = 12
MIN_BLOCKS_FOR_CONTEXT = 20
MIN_IDLE_S = 5.0
MAX_OPEN_SHARE = 0.1  # of the energy, by two standard errors of what goes to prompts
MIN_INDEPENDENT = 0.01  # of the prompts' column, beside the others
BEYOND_SE = 2.0
CONTEXT_BEYOND_SE = 3.0
CONTEXT_LEAVES = 0.5  # of the squares that the fit without it leaves
_RANK = 1e-9


@dataclass(frozen=True, slots=True)
class InputAwareFit:
    """What is paid for a second, a step, a prompt token, an output token, and a token of context read.

    ``weights`` are these five (W, then J), null exactly when there is a ``reason``, which ``detail``
    completes. The first is no result of the fit: it is the ``idle_source``'s idle power, 0 where none is
    known (then what time costs is inside the others). ``se_prompt_j`` is the standard error (HC3) of a prompt
    token's, ``n`` the blocks, ``degrees`` their number less that of the coefficients fitted, ``independent``
    the part (0..1) of the prompts' column that the others do not explain, ``r2`` the share of the blocks'
    variance that the fit does. ``prompt_share``, ``output_share`` and ``idle_share`` are parts (0..1) of the
    energy while requests were at work; ``joules_per_output_token`` is that of steps, output and context
    together over the output tokens.
    """

    n: int = 0
    degrees: int = 0
    weights: tuple[float, float, float, float, float] | None = None
    idle_source: str | None = None
    se_prompt_j: float | None = None
    independent: float | None = None
    r2: float | None = None
    prompt_share: float | None = None
    output_share: float | None = None
    idle_share: float | None = None
    joules_per_output_token: float | None = None
    reason: Reason | None = Reason.NOT_LOADED
    detail: str = ""

    @property
    def joules_per_prompt_token(self) -> float | None:
        """What an uncached prompt token costs; null when the fit is withheld."""
        return None if self.weights is None else self.weights[PROMPT]


def idle_power(
    slices: WorkSlices, energies: Sequence[MeasuredOrWithheld], baseline_w: float | None
) -> tuple[float, str | None]:
    """Return the power without a request, and where it is from: ``gaps`` of the run, ``baseline``, null."""
    seconds = joules = 0.0
    for part, energy, idle in zip(slices.parts, energies, slices.idle.tolist(), strict=True):
        if idle and not isinstance(energy, Withheld):
            seconds += (part.t1 - part.t0) * 1e-9
            joules += energy.joules
    if seconds >= MIN_IDLE_S:
        return joules / seconds, "gaps"
    return (0.0, None) if baseline_w is None else (baseline_w, "baseline")


def fit_blocks(
    slices: WorkSlices,
    work: Floats,
    energies: Sequence[MeasuredOrWithheld],
    idle: tuple[float, str | None],
) -> InputAwareFit:
    """Fit the energies of blocks; withheld where they do not tell prompts from output.

    ``work`` float64[n, 5] is what was done in each slice, ``energies`` what was metered in it. Blocks with a
    slice whose energy is not known, and slices without a request, are left out.
    """
    joules = np.array([math.nan if isinstance(e, Withheld) else e.joules for e in energies], np.float64)
    busy = ~slices.idle
    n = int(slices.block.max()) + 1 if len(slices.block) else 0
    block = slices.block[busy]
    design = np.zeros((n, 5))
    np.add.at(design, block, work[busy])
    observed = np.bincount(block, joules[busy], n).astype(np.float64)
    known = np.isfinite(observed) & (design[:, TIME] > 0)
    return _fit(design[known], observed[known], *idle)


def _fit(design: Floats, observed: Floats, idle_w: float, idle_source: str | None) -> InputAwareFit:
    n = len(observed)

    def without(reason: Reason, detail: str, independent: float | None = None) -> InputAwareFit:
        return InputAwareFit(
            n=n, idle_source=idle_source, independent=independent, reason=reason, detail=detail
        )

    if n < MIN_BLOCKS:
        return without(Reason.TOO_FEW_ITEMS, f"{n} blocks of time can be used; {MIN_BLOCKS} are needed.")
    total = float(observed.sum())
    given = float(design[:, PROMPT].sum())
    if total <= 0 or given <= 0 or design[:, OUTPUT].sum() <= 0:
        return without(Reason.NOT_IDENTIFIED, "There is no energy, no prompt, or no output to tell apart.")
    others = design[:, [STEPS, OUTPUT]]
    left = design[:, PROMPT] - others @ np.linalg.lstsq(others, design[:, PROMPT], rcond=None)[0]
    independent = float(np.linalg.norm(left) / np.linalg.norm(design[:, PROMPT]))
    if independent < MIN_INDEPENDENT:
        same = "Prompts and output came in the same mix in every block."
        return without(Reason.NOT_IDENTIFIED, same, independent)
    above = observed - idle_w * design[:, TIME]
    columns = [STEPS, PROMPT, OUTPUT]
    found = _estimates(design, above, columns)
    if found is not None and n >= MIN_BLOCKS_FOR_CONTEXT:
        more = _estimates(design, above, [*columns, CONTEXT])
        if more is not None and _needed(design, above, found, more):
            columns, found = [*columns, CONTEXT], more
    if found is None:
        return without(Reason.NOT_IDENTIFIED, "One block alone decides a coefficient.", independent)
    price, error = found[PROMPT]
    if BEYOND_SE * error * given > MAX_OPEN_SHARE * total:
        told = (
            f"What prompts cost is known to ± {100 * BEYOND_SE * error * given / total:.0f} % of the energy;"
        )
        return without(
            Reason.NOT_IDENTIFIED, f"{told} {100 * MAX_OPEN_SHARE:.0f} % are allowed.", independent
        )
    if price < -BEYOND_SE * error:
        told = f"Energy per prompt token: {price:.3g} ± {error:.2g} J."
        return without(Reason.NEGATIVE_COST, told, independent)
    weights = np.zeros(5)
    weights[TIME] = idle_w
    lengths = np.linalg.norm(design[:, columns], axis=0)
    weights[columns] = non_negative_least_squares(design[:, columns] / lengths, above) / lengths
    return _told(
        design, observed, weights, InputAwareFit(n, n - len(found), None, idle_source, error, independent)
    )


_Estimates = dict[int, tuple[float, float]]


def _needed(design: Floats, above: Floats, without: _Estimates, more: _Estimates) -> bool:
    """Tell whether reading context shows: beyond its error, by what it explains, and at nobody's cost.

    In a batch that hardly changes it moves little, and would stand in for whatever is not linear.
    """
    if any(value < 0 for value, _ in more.values()):
        return False
    squares = []
    for found in (without, more):
        left = above - sum(design[:, column] * value for column, (value, _) in found.items())
        squares.append(float(left @ left))
    value, error = more.get(CONTEXT, (0.0, 0.0))
    return value > CONTEXT_BEYOND_SE * error and squares[1] < CONTEXT_LEAVES * squares[0]


def _estimates(design: Floats, above: Floats, columns: list[int]) -> _Estimates | None:
    """Return each column's coefficient with its standard error; what others stand for is left out."""
    kept: list[int] = []
    # prompts first: where steps and output say the same (a batch that never changes) the last is left out
    for column in (PROMPT, *(c for c in columns if c != PROMPT)):
        tried = design[:, [*kept, column]]
        lengths = np.linalg.norm(tried, axis=0)
        if np.all(lengths > 0) and np.linalg.svd(tried / lengths, compute_uv=False)[-1] > _RANK:
            kept.append(column)
    fit = least_squares(design[:, kept], above, list(range(len(above))))
    if fit.covariance is None:
        return None
    errors = np.sqrt(np.diag(fit.covariance)).tolist()
    return dict(zip(kept, zip(fit.coefficients.tolist(), errors, strict=True), strict=True))


def _told(design: Floats, observed: Floats, weights: Floats, fit: InputAwareFit) -> InputAwareFit:
    parts = weights * design.sum(axis=0)
    expected = float(parts.sum())
    output_j = float(parts[[STEPS, OUTPUT, CONTEXT]].sum())
    off, left = observed - observed.mean(), observed - design @ weights
    spread = float(off @ off)
    w, s, p, d, c = weights.tolist()
    return InputAwareFit(
        n=fit.n,
        degrees=fit.degrees,
        weights=(w, s, p, d, c),
        idle_source=fit.idle_source,
        se_prompt_j=fit.se_prompt_j,
        independent=fit.independent,
        r2=1 - float(left @ left) / spread if spread > 0 else None,
        prompt_share=float(parts[PROMPT]) / expected if expected > 0 else None,
        output_share=output_j / expected if expected > 0 else None,
        idle_share=float(parts[TIME]) / expected if expected > 0 else None,
        joules_per_output_token=output_j / float(design[:, OUTPUT].sum()),
        reason=None,
    )
