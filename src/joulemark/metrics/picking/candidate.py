"""What a picker chooses among: an operating point with what prices requests of other lengths on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from joulemark.metrics.compare_grounds import refusals
from joulemark.metrics.compare_settings import differences
from joulemark.metrics.cost_model import CostModel, cost_model
from joulemark.metrics.cost_points import cost_points
from joulemark.metrics.cost_transfer import cost_transfer
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.picking.bounded_model import bounded_model
from joulemark.metrics.picking.curvature import Curvature, curvature
from joulemark.metrics.picking.loaded_cost import CARRIES_ITS_LOAD, loaded_cost_model, loaded_points
from joulemark.metrics.picking.texts import TokenRates
from joulemark.metrics.picking.times import Times, first_token_times, whole_times
from joulemark.metrics.standby import idle_power_w
from joulemark.metrics.value import Value
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView
    from joulemark.record.manifest import Rates

_NO_RUN = Value(None, "W", reason=Reason.NOT_PUBLISHED)
_OF_BLOCKS = (
    "Its cost model is of blocks of answers, for its meter is too slow for single ones: the fixed part holds "
    "the time between requests."
)
_TWO_SIDED_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Transfer:
    """How far the cost model was off on another run of the same configuration: ``error`` in per cent."""

    task: str
    error: Value


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configuration that may be picked.

    ``model`` prices requests in joules; withheld where the run does not identify one. ``scaled_j_per_token``
    stands in its place for a published row: its energy over its output tokens, which models requests of other
    lengths and measures none. ``bend`` is what the run shows beside the straight line, null where it shows
    nothing. ``gain_sd`` is the relative standard deviation by which all energies may be off as one (sampling
    of the steady state), ``gain_bound`` the meter's relative bound. ``in_flight`` requests share the engine,
    null where that is not known. ``idle_w`` is the loaded idle power on file. ``local`` tells whether the
    engine runs on its user's machine. ``token_rates`` count texts; null where the run holds none. ``own`` are
    the mean lengths of the run's own requests.
    """

    point: OperatingPoint
    model: CostModel
    rates: Rates
    idle_w: Value = _NO_RUN
    whole: Times | None = None
    first: Times | None = None
    scaled_j_per_token: float | None = None
    bend: Curvature | None = None
    gain_sd: float = 0.0
    gain_bound: float = 0.0
    in_flight: float | None = None
    loaded: bool = False
    local: bool | None = True
    transfers: tuple[Transfer, ...] = ()
    token_rates: TokenRates | None = None
    own: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()

    @property
    def cost(self) -> CostModel:
        """The model that prices are made of: no coefficient is below zero."""
        return bounded_model(self.model)

    @property
    def extra_variance(self) -> float:
        """The relative variance of its energies beyond the errors of the fit: gain, and tested transfer.

        Of the squared errors of transfer what their own intervals explain is taken off; on average over the
        runs that were tested, and never below zero.
        """
        found = []
        for transfer in self.transfers:
            error = transfer.error
            if error.value is None or error.lo is None or error.hi is None:
                continue
            own_sd = (error.hi - error.lo) / 2 / _TWO_SIDED_95
            found.append((error.value**2 - own_sd**2) / 1e4)
        tested = max(0.0, math.fsum(found) / len(found)) if found else 0.0
        return self.gain_sd**2 + tested


def measured_candidate(
    run: RunView, point: OperatingPoint, token_rates: TokenRates | None = None
) -> Candidate:
    """Return the candidate of a run and its operating point (`joulemark.metrics.run_point`)."""
    load = run.manifest.load
    loaded = load.mode != "sequential"
    model = loaded_cost_model(run) if loaded else cost_model(run)
    energy = point.energy_j
    if energy.value is None and model.reason is None:  # its energy is not believed
        model = CostModel(concurrency=load.concurrency, reason=energy.reason, detail=energy.detail)
    items = run.measured_items
    notes = [CARRIES_ITS_LOAD] if loaded and model.reason is None else []
    if model.n_blocks is not None:
        notes.append(_OF_BLOCKS)
    return Candidate(
        point,
        model,
        run.manifest.rates,
        idle_power_w(run.manifest.baselines, "loaded", run.headline_scope),
        whole_times(items),
        first_token_times(items),
        bend=_bend(run, model, loaded=loaded),
        gain_sd=_steady_sd(energy) if loaded else 0.0,
        gain_bound=0.0 if loaded else _bound_share(run),
        in_flight=_in_flight(run) if loaded else 1.0,
        loaded=loaded,
        local=run.manifest.engine.local,
        token_rates=token_rates,
        own=_own(run),
        notes=tuple(notes),
    )


def published_candidate(point: OperatingPoint, rates: Rates) -> Candidate:
    """Return the candidate of a published row: its energy per output token, modelled for other lengths."""
    energy, tokens = point.energy_j, point.mean_completion_tokens
    scaled: float | None = None
    why = CostModel(reason=energy.reason, detail=energy.detail)
    if energy.value is not None:
        told = "What was published does not say how long its answers were, so it cannot be scaled."
        why = CostModel(reason=Reason.NOT_PUBLISHED, detail=told)
        if point.unit == "request" and tokens is not None and tokens > 0:
            scaled = energy.value / tokens
    return Candidate(point, why, rates, scaled_j_per_token=scaled, own=None)


def with_transfers(candidates: Sequence[tuple[Candidate, RunView | None]]) -> tuple[Candidate, ...]:
    """Return the candidates with the errors of their cost models on other runs of the same configuration.

    Only runs of other questions test a model; those that differ in more than the questions are no test.
    """
    runs = [(one, run) for one, run in candidates if run is not None]
    by_setting: dict[tuple[object, ...], list[tuple[Candidate, RunView]]] = {}
    for one, run in runs:
        engine, load = run.manifest.engine, run.manifest.load
        key = (engine.kind, engine.model, engine.quantization, load.mode, one.point.device)
        by_setting.setdefault(key, []).append((one, run))
    tested: dict[int, tuple[Transfer, ...]] = {}
    for group in by_setting.values():
        for one, run in group:
            others = [(c, r) for c, r in group if c.point.questions != one.point.questions]
            found = (Transfer(c.point.task, _error(run, r)) for c, r in others)
            tested[id(one)] = tuple(t for t in found if t.error.value is not None)
    return tuple(replace(one, transfers=tested.get(id(one), ())) for one, _ in candidates)


def _error(a: RunView, b: RunView) -> Value:
    names = ("A", "B")
    found = differences(a, b)
    return cost_transfer(a, b, found, refusals(a, b, found, names), names)


def _bend(run: RunView, model: CostModel, *, loaded: bool) -> Curvature | None:
    """Return the bend of the requests' costs; none is looked for in blocks, whose lengths are means."""
    if model.reason is not None or model.n_blocks is not None:
        return None
    return curvature(
        loaded_points(run) if loaded else cost_points(run.measured_items, run.headline_attributions())
    )


def _steady_sd(energy: Value) -> float:
    """Return the relative standard deviation of a steady state's joules, by their interval."""
    if energy.value is None or energy.lo is None or energy.hi is None or energy.value <= 0:
        return 0.0
    return (energy.hi - energy.lo) / 2 / _TWO_SIDED_95 / energy.value


def _bound_share(run: RunView) -> float:
    energy = run.headline_energy
    if not isinstance(energy, MeasuredEnergy) or energy.joules <= 0:
        return 0.0
    return max(energy.hi - energy.joules, energy.joules - energy.lo, 0.0) / energy.joules


def _in_flight(run: RunView) -> float | None:
    load = run.manifest.load
    return float(load.concurrency) if load.mode == "closed" and load.concurrency else None


def _own(run: RunView) -> tuple[float, float] | None:
    lengths = [
        (item.prompt_tokens, item.completion_tokens)
        for item in run.measured_items
        if item.prompt_tokens is not None and item.completion_tokens is not None
    ]
    if not lengths:
        return None
    n = len(lengths)
    return sum(prompt for prompt, _ in lengths) / n, sum(output for _, output in lengths) / n
