"""What a workload would cost on one configuration: per request, per correct answer, and a day."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.accuracy import Z_95
from joulemark.metrics.carbon import JOULES_PER_KWH
from joulemark.metrics.money import by_tokens
from joulemark.metrics.operands import withheld_like
from joulemark.metrics.picking import definitions as told
from joulemark.metrics.picking.bounded_model import bounded_note
from joulemark.metrics.picking.candidate import Candidate
from joulemark.metrics.picking.day import day_figures
from joulemark.metrics.picking.per_correct import per_correct
from joulemark.metrics.picking.texts import TextWorkload
from joulemark.metrics.picking.workload import Workload
from joulemark.metrics.student import t_95
from joulemark.metrics.value import Value, scaled, withheld
from joulemark.record.reason import Reason

_CHANGES = (
    "It changes with the time of day, and a workload needs one rate (`--usd-per-kwh`, `--gco2e-per-kwh`)."
)
_NO_TEXTS = (
    "The workload is given as text, and the run holds too few texts of its own to tell what tokens that "
    "would be to its model; give numbers of tokens."
)
_TOLD_BEND = 0.01
_BENT = (
    "The run's costs are not a straight line in tokens: what its context adds would make it {percent:+.1f} "
    "%, and the interval is as much wider."
)
_NO_ANSWERS = "The sample holds no answers; say how long they are: --completion-tokens."


@dataclass(frozen=True, slots=True)
class Priced:
    """A candidate and the figures of a workload on it, by the names of their definitions.

    ``workload`` is in the candidate's own tokens, null where nothing counts them. ``extrapolated`` are
    sentences on lengths outside those that its run saw, and on costs that are no straight line.
    """

    candidate: Candidate
    workload: Workload | None
    figures: Mapping[str, Value]
    extrapolated: tuple[str, ...] = ()


def price(candidate: Candidate, asked: Workload | TextWorkload) -> Priced:
    """Return what the workload costs on a candidate; nothing is made up that its run does not say."""
    workload = _counted(candidate, asked)
    if isinstance(workload, Value):
        nothing = {
            name: withheld_like(workload, unit) for name, unit in told.UNITS.items() if name in FIGURES
        }
        return Priced(candidate, None, nothing)
    joules, single = _energy(candidate, workload)
    rates, accuracy = candidate.rates, candidate.point.accuracy
    usd = _usd(candidate, workload, joules)
    carbon = _rated(joules, rates.gco2e_per_kwh, rates.pue, "gCO2e", Reason.NO_GRID_INTENSITY)
    if rates.grid_series:
        carbon = withheld("gCO2e", Reason.RATES_DO_NOT_COVER, detail=_CHANGES)
    seconds, first = _times(candidate, workload)
    found = {
        told.JOULES.name: joules,
        told.SINGLE.name: single,
        told.PER_CORRECT.name: per_correct(joules, accuracy),
        told.USD.name: usd,
        told.USD_PER_CORRECT.name: per_correct(usd, accuracy),
        told.GCO2E.name: carbon,
        told.GCO2E_PER_CORRECT.name: per_correct(carbon, accuracy),
        told.SECONDS.name: seconds,
        told.FIRST.name: first,
    }
    variance = _single_variance(candidate, workload)
    found |= day_figures(candidate, workload, joules, variance, seconds, usd)
    return Priced(candidate, workload, found, _extrapolated(candidate, workload))


FIGURES = tuple(defined.name for defined in told.DEFINITIONS if defined not in (told.PROBABILITY, told.RANK))
"""The figures of `Priced`."""


def _counted(candidate: Candidate, asked: Workload | TextWorkload) -> Workload | Value:
    if isinstance(asked, Workload):
        return asked
    if candidate.token_rates is None:
        return withheld("J", Reason.NOT_REPORTED, detail=_NO_TEXTS)
    try:
        return asked.counted(candidate.token_rates)
    except ValueError:
        return withheld("J", Reason.NOT_REPORTED, detail=_NO_ANSWERS)


def bend_j(candidate: Candidate, workload: Workload) -> float:
    """Return what the context read would add to the mean energy beyond the cost model's straight line."""
    coefficients = candidate.cost.coefficients
    if candidate.bend is None or coefficients is None:
        return 0.0
    straight = float(np.array(workload.at) @ np.array(coefficients))
    return candidate.bend.mean_j(workload) - straight


def mean_variance(candidate: Candidate, workload: Workload) -> float:
    """Return the variance (J²) of the mean energy: coefficients, sampled lengths, bend, gain, transfer."""
    coefficients = candidate.cost.coefficients
    assert coefficients is not None
    at, matrix = np.array(workload.at), np.array(candidate.model.covariance)
    mean = float(at @ np.array(coefficients))
    sampled = workload.spread_of(*coefficients[1:]) * workload.mean_factor
    beyond = candidate.extra_variance * mean * mean + bend_j(candidate, workload) ** 2
    return max(0.0, float(at @ matrix @ at)) + sampled + beyond


def _single_variance(candidate: Candidate, workload: Workload) -> float:
    """Return the variance (J²) of single requests about the mean: their lengths, and the fit's residuals."""
    coefficients = candidate.cost.coefficients
    if coefficients is None:
        return 0.0
    return workload.spread_of(*coefficients[1:]) + (candidate.model.residual_sd_j or 0.0) ** 2


def _energy(candidate: Candidate, workload: Workload) -> tuple[Value, Value]:
    """Return the mean energy of a request, and the same with the range of single requests."""
    model = candidate.cost
    coefficients = model.coefficients
    if candidate.scaled_j_per_token is not None:
        joules = candidate.scaled_j_per_token * workload.completion_tokens
        why = "It is modelled from a mean, which says nothing of single requests."
        if joules <= 0:
            return (withheld("J", Reason.NOT_APPLICABLE, detail="No output, no energy to scale."),) * 2
        return (
            Value(joules, "J", interval_reason=Reason.NOT_PUBLISHED),
            withheld("J", Reason.NOT_PUBLISHED, detail=why),
        )
    if model.reason is not None or coefficients is None:
        return (withheld("J", model.reason or Reason.NOT_APPLICABLE, detail=model.detail),) * 2
    mean = float(np.array(workload.at) @ np.array(coefficients))
    if not mean > 0:
        why = f"The cost model prices such a request at {mean:.3g} J: it lies too far from those of the run."
        return (withheld("J", Reason.NOT_IDENTIFIED, detail=why),) * 2
    t, variance = t_95(model.degrees), mean_variance(candidate, workload)
    bound = candidate.gain_bound * mean
    half = t * math.sqrt(variance) + bound
    single = t * math.sqrt(variance + _single_variance(candidate, workload)) + bound
    return (
        Value(mean, "J", max(0.0, mean - half), mean + half, "ci95", n=model.n),
        Value(
            mean,
            "J",
            max(0.0, mean - single),
            mean + single,
            "ci95",
            n=model.n,
            interval_method="of single requests",
        ),
    )


def _usd(candidate: Candidate, workload: Workload, joules: Value) -> Value:
    rates = candidate.rates
    if not by_tokens(rates, local=candidate.local):
        if rates.tariff:
            return withheld("USD", Reason.RATES_DO_NOT_COVER, detail=_CHANGES)
        return _rated(joules, rates.usd_per_kwh, rates.pue, "USD", Reason.NO_PRICE)
    prompt, output = rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens
    if prompt is None or output is None:
        lacking = "prompt" if prompt is None else "output"
        return withheld("USD", Reason.NO_PRICE, detail=f"The price of {lacking} tokens is missing.")
    usd = (workload.prompt_tokens * prompt + workload.completion_tokens * output) / 1e6
    half = Z_95 * math.sqrt(workload.spread_of(prompt / 1e6, output / 1e6) * workload.mean_factor)
    return Value(usd, "USD", max(0.0, usd - half), usd + half, "ci95", n=workload.n)


def _rated(joules: Value, rate: float | None, pue: float, unit: str, missing: Reason) -> Value:
    if rate is None:
        return withheld(unit, missing)
    return scaled(joules, rate * pue / JOULES_PER_KWH, unit)


def _times(candidate: Candidate, workload: Workload) -> tuple[Value, Value]:
    """Return the seconds of a whole request and to its first token."""
    if candidate.whole is None or candidate.first is None:
        return withheld("s", Reason.NOT_PUBLISHED), withheld("s", Reason.NOT_PUBLISHED)
    latencies = candidate.point.latencies_s
    whole = candidate.whole.of(workload)
    for name in ("e2el_mean", "ttft_mean"):  # of a client that did not keep up, or beside others
        seen = latencies.get(name)
        if seen is not None and seen.reason in (Reason.CLIENT_INVALID, Reason.FOREIGN_LOAD):
            return withheld_like(seen, "s"), withheld_like(seen, "s")
    seen = latencies.get("ttft_mean")
    if seen is None or seen.reason is not None:
        return whole, withheld_like(seen or withheld("s", Reason.NOT_MEASURED), "s")
    return whole, candidate.first.of(workload)


def _extrapolated(candidate: Candidate, workload: Workload) -> tuple[str, ...]:
    """Return where the straight line does not hold: its bend, and lengths that the run did not see."""
    model = candidate.cost
    found = []
    coefficients = model.coefficients
    if below := bounded_note(candidate.model):
        found.append(below)
    if coefficients is not None:
        mean = float(np.array(workload.at) @ np.array(coefficients))
        bent = bend_j(candidate, workload)
        if abs(bent) > _TOLD_BEND * abs(mean):
            found.append(_BENT.format(percent=100 * bent / mean))
    for name, mean, span, known in (
        ("prompt", workload.prompt_tokens, workload.prompt_span, model.prompt_range),
        ("completion", workload.completion_tokens, workload.completion_span, model.completion_range),
    ):
        if known is None:
            continue
        seen = f"the run saw {known[0]:,} to {known[1]:,}"
        if not known[0] <= mean <= known[1]:
            found.append(f"Extrapolated: {mean:,.0f} {name} tokens; {seen}.")
        elif span[0] < known[0] or span[1] > known[1]:
            found.append(f"Partly extrapolated: {name}s of {span[0]:,.0f} to {span[1]:,.0f} tokens; {seen}.")
    return tuple(found)
