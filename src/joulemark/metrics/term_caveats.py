"""The terms a run was made on, where they bear on what its figures may be used for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from joulemark.metrics.caveat import Caveat
from joulemark.metrics.money import by_tokens
from joulemark.metrics.repeats import complete_repeats
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import RateStep

DEFAULT_PRESET = "default"


def of_terms(run: RunView, figures: Mapping[str, Value]) -> Iterator[Caveat]:
    """Yield the warnings about the task, the repeats, and declared rates."""
    yield from _task(run, figures)
    yield from _repeats(run)
    yield from _rates(run, figures)


def _task(run: RunView, figures: Mapping[str, Value]) -> Iterator[Caveat]:
    task = run.manifest.task
    if task.is_canary:
        yield Caveat(
            "canary_task",
            f"{task.name} is a canary: its figures are carried, to notice when something changed, and never "
            "ranked.",
        )
    if task.preset != DEFAULT_PRESET:
        yield Caveat(
            "preset",
            f"The questions were put by the preset {task.preset}: figures of another preset are not "
            "comparable.",
        )
    if figures["accuracy"].reason is Reason.REAL_VALUED_SCORE:
        span = task.score_range
        told = f" from {span[0]:g} to {span[1]:g}" if span else ""
        yield Caveat(
            "real_valued_score",
            f"Answers are scored{told}, not right or wrong: accuracy and every cost per correct answer are "
            "withheld. The mean score has the interval.",
        )


def _repeats(run: RunView) -> Iterator[Caveat]:
    items, sampling = run.measured_items, run.manifest.sampling
    if not items:
        return
    if run.manifest.repeats == 1:
        yield Caveat("single_run", "One run: the spread between runs (boots, temperature) is not known.")
        return
    repeats, left_out = complete_repeats(items)
    if left_out:
        listed = ", ".join(str(repeat + 1) for repeat in left_out)
        yield Caveat(
            "repeats_left_out",
            f"Not complete and left out of every spread over repeats (not of the figures): repeat {listed}.",
        )
    if len(repeats) > 1 and sampling.temperature == 0:
        yield Caveat(
            "repeats_alike",
            "At temperature 0 the repeats are the same questions asked alike: their spread is the machine's, "
            "and more repeats do not narrow what depends on the questions.",
        )
    if len(repeats) > 1 and sampling.temperature > 0 and sampling.seed is None:
        yield Caveat(
            "repeats_unseeded",
            f"Temperature {sampling.temperature:g} without a seed: the answers cannot be drawn again. "
            "`--seed` makes a run repeatable, as far as the engine heeds it.",
        )


def _rates(run: RunView, figures: Mapping[str, Value]) -> Iterator[Caveat]:
    rates = run.rates
    told = []
    if figures["usd_per_request"].value is not None:
        if by_tokens(rates, local=run.manifest.engine.local):
            source = f" ({rates.token_price_source})" if rates.token_price_source else ""
            told.append(f"US dollars are tokens times declared prices{source}")
        else:
            source = f" ({rates.electricity_source})" if rates.electricity_source else ""
            mean = _rate(rates.usd_per_kwh, rates.tariff)
            told.append(f"US dollars are metered energy times {mean} USD/kWh{source}")
    if figures["gco2e_per_request"].value is not None:
        named = ", ".join(filter(None, (rates.grid_zone, rates.grid_source)))
        source = f" ({named})" if named else ""
        mean = _rate(rates.gco2e_per_kwh, rates.grid_series)
        told.append(f"CO2e is metered energy times {mean} g/kWh{source}, operational only")
    if told:
        building = f"; the building adds a factor of {rates.pue:g}" if rates.pue != 1 else ""
        apart = figures["embodied_gco2e_per_request"].value is not None
        hardware = "What making the hardware emitted stands apart" if apart else "Hardware is left out"
        yield Caveat(
            "declared_rates",
            f"Rates are declared, not measured: {'; '.join(told)}{building}. {hardware}.",
        )


def _rate(mean: float | None, steps: Sequence[RateStep]) -> str:
    return f"a changing rate, on the mean {mean:.4g}" if steps else f"{mean:g}"
