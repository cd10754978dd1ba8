"""From a published row to an operating point; nothing is made up that the row does not say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from joulemark.metrics.carbon import gco2e
from joulemark.metrics.money import usd_per_request
from joulemark.metrics.operands import numbers_of, withheld_like
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.plausible_row import why_implausible
from joulemark.metrics.point_label import point_label
from joulemark.metrics.tdp import tdp_energy
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import Rates
    from joulemark.record.published import PublishedRow

ACCURACY_OF = "accuracy_of"
"""The setting that names other questions which the accuracy was published for."""
_OTHER_QUESTIONS = (
    "The accuracy is that of {benchmark}, on other questions than those whose energy was measured: joules "
    "per correct answer join the two."
)


def published_point(row: PublishedRow, rates: Rates) -> OperatingPoint:
    """Return the point of a row; ``rates`` give money and carbon of its energy.

    Figures that the row lacks are withheld for the row's own reason. None has an interval. Where the row
    cannot be physical the point says so.
    """
    energy = _value(row, "energy_j", row.energy_j, "J")
    accuracy = _value(row, "accuracy", row.accuracy, "1")
    per_s = _units_per_second(row)
    settings = {name: value for name, value in row.settings.items() if name != ACCURACY_OF}
    notes = [row.tpot_definition] if row.tpot_definition else []
    if ACCURACY_OF in row.settings:
        notes.append(_OTHER_QUESTIONS.format(benchmark=row.settings[ACCURACY_OF]))
    return OperatingPoint(
        label=point_label(row.device, row.n_devices, settings),
        kind="published",
        model=row.model,
        task=row.task,
        unit=row.unit,
        energy_j=energy,
        latencies_s={name: _published(seconds, "s") for name, seconds in row.latency_s.items()},
        accuracy=accuracy,
        joules_per_correct=_per_correct(energy, accuracy),
        throughput=_rate(per_s, f"{row.unit}s/s"),
        tokens_per_second=_value(row, "tokens_per_second", row.tokens_per_second, "tokens/s"),
        mean_power_w=_value(row, "mean_power_w", row.mean_power_w, "W"),
        tdp_energy_j=tdp_energy(row.device, row.n_devices, 1 / per_s if per_s else None),
        usd=usd_per_request(energy, (), rates, local=True),
        gco2e=gco2e(energy, rates),
        origin=row.source,
        device=row.device,
        n_devices=row.n_devices,
        scope="gpu",
        settings=settings,
        notes=tuple(notes),
        implausible=why_implausible(row, per_s),
        mean_completion_tokens=row.mean_completion_tokens,
    )


def _published(number: float, unit: str) -> Value:
    return Value(number, unit, interval_reason=Reason.NOT_PUBLISHED)


def _value(row: PublishedRow, name: str, number: float | None, unit: str) -> Value:
    if number is not None:
        return _published(number, unit)
    code = row.reasons.get(name, Reason.NOT_PUBLISHED.value)
    try:
        return withheld(unit, Reason(code))
    except ValueError:  # a reason in words
        return withheld(unit, Reason.NOT_PUBLISHED, detail=code)


def _rate(per_s: float | None, unit: str) -> Value:
    return withheld(unit, Reason.NOT_PUBLISHED) if per_s is None else _published(per_s, unit)


def _units_per_second(row: PublishedRow) -> float | None:
    """Return requests (images, videos) a second: from the tokens, else of a batch and its time."""
    # One at a time, a request's own time says it. Tokens a second are then a mean over requests, whose speeds
    # differ: over the mean length they make another number, up to 39 % off in the rows of 2023.
    if row.tokens_per_second and row.mean_completion_tokens and row.mean_batch != 1:
        return row.tokens_per_second / row.mean_completion_tokens
    batch_s = row.latency_s.get("e2el_mean")
    if row.mean_batch and batch_s and math.isfinite(row.mean_batch / batch_s):
        return row.mean_batch / batch_s
    return None


def _per_correct(energy: Value, accuracy: Value) -> Value:
    found = numbers_of(energy, accuracy)
    if isinstance(found, Value):
        return withheld_like(found, "J")
    joules, share = found
    return withheld("J", Reason.NOTHING_CORRECT) if share <= 0 else _published(joules / share, "J")
