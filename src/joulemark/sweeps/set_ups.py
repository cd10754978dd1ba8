"""The set-ups of a simulated plan as operating points, chosen among as measured ones are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.metrics.limits import Limit
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.recommendation import Recommendation, Wish, recommend
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason
from joulemark.simulate.plan import Plan, Row, Wanted

_LATENCIES = ("tpot_mean", "tpot_p99", "ttft_mean", "ttft_p99", "e2el_mean")


@dataclass(frozen=True, slots=True)
class PlannedSetUp:
    """A row of a plan and its operating point; ``met`` tells whether it is known to meet every limit."""

    row: Row
    point: OperatingPoint
    met: bool


@dataclass(frozen=True, slots=True)
class Planned:
    """What was wanted, what to run, and every set-up: those within the limits, those beyond, those too slow.

    Each of the three is ordered as the recommendation ranks, the last as they were tried.
    """

    wanted: Wanted
    found: Recommendation
    set_ups: tuple[PlannedSetUp, ...]


def planned(made: Plan, limits: Sequence[Limit] = ()) -> Planned:
    """Return what to run of a plan: the least joules a request within the limits, as of `recommend`."""
    points = [set_up_point(row, made.wanted) for row in made.rows]
    rows = {point.label: row for point, row in zip(points, made.rows, strict=True)}
    found = recommend(points, Wish(limits=tuple(limits)))
    met = {point.label for point in found.met}
    beyond = [point for point in found.ranked if point.label not in met]
    slow = [left.point for left in found.left_out if rows[left.point.label].figures is None]
    ordered = (*found.met, *beyond, *slow)
    return Planned(
        made.wanted,
        found,
        tuple(PlannedSetUp(rows[point.label], point, point.label in met) for point in ordered),
    )


def set_up_point(row: Row, wanted: Wanted) -> OperatingPoint:
    """Return one set-up as an operating point; what could not be simulated is withheld with its reason."""
    config, figures = row.set_up.config, row.figures
    ungraded = withheld("1", Reason.NOT_GRADED)
    seconds = {name: _seconds(row, name) for name in _LATENCIES}
    if figures is None:
        energy, watts, rate, tokens = (_too_slow(row, unit) for unit in ("J", "W", "1/s", "tokens/s"))
    else:
        energy, watts = Value(figures.request_j, "J"), Value(figures.power_w, "W")
        rate = Value(figures.power_w / figures.request_j, "1/s")
        tokens = Value(figures.power_w / figures.token_j, "tokens/s")
    return OperatingPoint(
        label=row.set_up.label,
        kind="simulated",
        model=wanted.model.name,
        task=f"{wanted.prompt_tokens}:{wanted.output_tokens} tokens ({wanted.lengths}), {wanted.rate:g}/s",
        unit="request",
        energy_j=energy,
        latencies_s=seconds,
        accuracy=ungraded,
        joules_per_correct=withheld("J", Reason.NOT_GRADED),
        throughput=rate,
        tokens_per_second=tokens,
        mean_power_w=watts,
        tdp_energy_j=withheld("J", Reason.NOT_APPLICABLE, detail="The board is simulated."),
        usd=withheld("USD", Reason.NO_PRICE),
        gco2e=withheld("gCO2e", Reason.NO_GRID_INTENSITY),
        origin="simulate plan",
        device=config.gpu.name,
        n_devices=row.set_up.gpus,
        settings={
            "max_batch": config.max_batch,
            "max_batched_tokens": config.max_batched_tokens,
            "tensor_parallel": config.tensor_parallel,
            "prefill_instances": config.prefill_instances,
            "decode_instances": config.decode_instances,
            "preemption": config.preemption,
            "power_limit_w": config.power_limit_w,
            "replicas": row.set_up.replicas,
        },
    )


def _seconds(row: Row, name: str) -> Value:
    if row.figures is None:
        return _too_slow(row, "s")
    seconds = getattr(row.figures, f"{name}_s")
    return withheld("s", Reason.ONE_TOKEN) if seconds is None else Value(seconds, "s")


def _too_slow(row: Row, unit: str) -> Value:
    return withheld(unit, Reason.OVERLOADED, detail=f"It {row.why}.")
