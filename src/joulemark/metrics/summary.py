"""All figures of one run: a pure function from what was observed to what is reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joulemark.metrics.accuracy import is_correct, is_scored, verdict_counts
from joulemark.metrics.attribution import scope_label
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.caveats import caveats
from joulemark.metrics.cost_model import CostModel, cost_model
from joulemark.metrics.figures import figures
from joulemark.metrics.latency import Latency, latencies, streaming_used
from joulemark.metrics.loaded_summary import LoadedSummary, loaded_summary
from joulemark.metrics.plain import (
    JsonValue,
    check_json,
    cost_model_json,
    intervals_json,
    latency_json,
    reason_json,
    reasons_json,
    spread_json,
    verdict_costs_json,
)
from joulemark.metrics.repeats import Spread, complete_repeats, repeat_figures, repeat_policy
from joulemark.metrics.run_view import RunView
from joulemark.metrics.setup import Setting, setup
from joulemark.metrics.slo_summary import SloFigures, slo_figures
from joulemark.metrics.stopped_early import StoppedEarly, earlier_json, stopped_early
from joulemark.metrics.these_questions import TheseQuestions, these_questions
from joulemark.metrics.tier import Tier, is_replayed, tier_of
from joulemark.metrics.value import NOTHING_COMPLETED, Value, energy_value
from joulemark.metrics.verdict_energy import VerdictCosts, costs_by_verdict
from joulemark.record.attribution import AttributionCheck
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.manifest import StopFacts
from joulemark.record.reason import Reason

__all__ = ["JsonValue", "Summary", "summarize"]


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run by the names of the record's contract.

    ``figures`` holds every scalar by its definition's name; ``latency`` the percentiles; ``other_energy``
    what other sources saw of the same windows (never added to the headline). ``measurement_tier`` and
    ``energy_source`` are null with ``tier_reason``. ``invalid`` are reason codes against the whole run.
    ``n_wanted`` are the answers asked for in all, ``setup`` the settings that a comparison needs.
    ``steady`` tells of the steady state of a loaded run, ``slo`` what kept the limits that it was given, null
    where there are none. ``by_verdict`` says what each kind of answer cost;
    ``repeats`` the spread of figures over the complete repeats (``repeats_left_out`` are the others),
    ``repeat_policy`` what that spread means; ``rates`` the declared prices and grid intensity; ``stopped``
    what a rule left unasked, null where none ended the run, ``earlier_stops`` what had ended it before it
    went on; ``these`` what is known of the run's own questions alone, null where they are no sample.
    """

    run_id: str
    config_hash: str
    state: str
    model: str
    engine: str
    task: str
    figures: Mapping[str, Value]
    latency: Mapping[str, Latency]
    verdicts: Mapping[str, int]
    n_wanted: int | None
    n_items: int
    n_requests: int
    n_scored: int
    n_correct: int
    n_retried: int
    duration_s: float | None
    measurement_tier: Tier | None
    tier_reason: Reason | None
    energy_source: str | None
    headline_source: str | None
    headline_scope: str | None
    replayed: bool
    streaming_used: bool | None
    setup: Mapping[str, Setting]
    throttle_s: Mapping[str, float]
    other_energy: Mapping[str, Value]
    checks: tuple[AttributionCheck, ...]
    invalid: tuple[str, ...]
    caveats: tuple[Caveat, ...]
    cost_model: CostModel
    steady: LoadedSummary
    slo: SloFigures | None
    by_verdict: VerdictCosts
    repeats: Mapping[str, Spread]
    repeats_left_out: tuple[int, ...]
    repeat_policy: str
    rates: Mapping[str, Any]
    stopped: StoppedEarly | None = None
    earlier_stops: tuple[StopFacts, ...] = ()
    these: TheseQuestions | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain JSON values, unrounded; each null figure has its entry under ``reasons``."""
        figures = {**self.figures, **{f"other_energy.{k}": v for k, v in self.other_energy.items()}}
        return {
            "run_id": self.run_id,
            "config_hash": self.config_hash,
            "state": self.state,
            "model": self.model,
            "engine": self.engine,
            "task": self.task,
            **{name: value.value for name, value in self.figures.items()},
            "measurement_tier": self.measurement_tier,
            "energy_source": self.energy_source,
            "headline_source": self.headline_source,
            "headline_scope": self.headline_scope,
            "replayed": self.replayed,
            "streaming_used": self.streaming_used,
            "n_wanted": self.n_wanted,
            "n_items": self.n_items,
            "n_requests": self.n_requests,
            "n_scored": self.n_scored,
            "n_correct": self.n_correct,
            "n_retried": self.n_retried,
            "duration_s": self.duration_s,
            "verdicts": dict(self.verdicts),
            "latency": {name: latency_json(latency) for name, latency in self.latency.items()},
            "setup": dict(self.setup),
            "throttle_s": dict(self.throttle_s),
            "other_energy": {name: value.value for name, value in self.other_energy.items()},
            "cost_model": cost_model_json(self.cost_model),
            "steady": self.steady.to_json(),
            "slo": None if self.slo is None else self.slo.to_json(),
            "stopped_early": None if self.stopped is None else self.stopped.to_json(),
            "these_questions": None if self.these is None else self.these.to_json(),
            "earlier_stops": [earlier_json(one) for one in self.earlier_stops],
            "by_verdict": verdict_costs_json(self.by_verdict),
            "repeats": {name: spread_json(spread) for name, spread in self.repeats.items()},
            "repeats_left_out": list(self.repeats_left_out),
            "repeat_policy": self.repeat_policy,
            "rates": dict(self.rates),
            "attribution": [check_json(check) for check in self.checks],
            "intervals": intervals_json(figures),
            "units": {name: value.unit for name, value in self.figures.items()},
            "counts": {name: value.n for name, value in self.figures.items() if value.n is not None},
            "reasons": self._reasons_json(figures),
            "invalid": list(self.invalid),
            "caveats": [{"code": c.code, "loud": c.loud, "text": c.text} for c in self.caveats],
        }

    def _reasons_json(self, figures: Mapping[str, Value]) -> dict[str, JsonValue]:
        reasons = reasons_json(figures)
        if self.tier_reason is not None:
            reasons["measurement_tier"] = reason_json(self.tier_reason)
        energy = self.figures["total_joules"]
        if energy.reason is not None:
            for name in ("energy_source", "headline_source", "headline_scope"):
                reasons[name] = reason_json(energy.reason, energy.detail)
        if self.streaming_used is None:
            reasons["streaming_used"] = reason_json(Reason.NOTHING_SCORED, NOTHING_COMPLETED)
        if self.duration_s is None:
            measured = self.streaming_used is not None
            reasons["duration_s"] = (
                reason_json(Reason.OUTSIDE_TIMELINE)
                if measured
                else reason_json(Reason.NOTHING_SCORED, NOTHING_COMPLETED)
            )
        if self.slo is None:
            reasons["slo"] = reason_json(Reason.NOT_APPLICABLE, "No limit was given.")
        if self.stopped is None:
            reasons["stopped_early"] = reason_json(Reason.NOT_APPLICABLE, "No rule ended the run.")
        if self.these is None:
            reasons["these_questions"] = reason_json(
                Reason.NOT_APPLICABLE, "The answers are not those of the first questions of the order."
            )
        if self.n_wanted is None:
            reasons["n_wanted"] = reason_json(Reason.NOT_REPORTED)
        for name, setting in self.setup.items():
            if setting is None:
                reasons[f"setup.{name}"] = reason_json(Reason.NOT_REPORTED)
        for name, rate in self.rates.items():
            if rate is None:
                reasons[f"rates.{name}"] = reason_json(_no_rate(name))
        return reasons


def _no_rate(name: str) -> Reason:
    """Return why a rate is null: it was not given."""
    if name.startswith(("embodied", "lifetime")):
        return Reason.NO_EMBODIED
    return Reason.NO_GRID_INTENSITY if name.startswith(("gco2e", "grid")) else Reason.NO_PRICE


def summarize(run: RunView) -> Summary:
    """Compute every figure of a run. Pure: the same run always gives the same summary."""
    items = run.measured_items
    energy = run.headline_energy
    measured = energy if isinstance(energy, MeasuredEnergy) else None
    model = cost_model(run)
    found = figures(run, model)
    measurement_tier, tier_reason = tier_of(run)
    return Summary(
        run_id=run.manifest.run_id,
        config_hash=run.manifest.config_hash,
        state=run.manifest.state,
        model=run.manifest.engine.model,
        engine=run.manifest.engine.kind,
        task=run.manifest.task.name,
        figures=found,
        latency=latencies(items, run.chunks),
        verdicts=verdict_counts(items),
        n_wanted=run.wanted,
        n_items=len({item.item_id for item in items}),
        n_requests=len(items),
        n_scored=0 if run.real_valued else sum(map(is_scored, items)),
        n_correct=sum(map(is_correct, items)),
        n_retried=sum(item.n_tries > 1 for item in items),
        duration_s=run.duration_s,
        measurement_tier=measurement_tier,
        tier_reason=tier_reason,
        energy_source=measured.method.value if measured else None,
        headline_source=measured.source if measured else None,
        headline_scope=scope_label(measured.scopes) if measured else None,
        replayed=is_replayed(run.sources, energy),
        streaming_used=streaming_used(items),
        setup=setup(run.manifest),
        throttle_s=dict(run.throttle_s),
        other_energy={name: energy_value(other) for name, other in run.other_energy.items()},
        checks=run.checks,
        invalid=tuple(sorted({code for proof in run.manifest.client for code in proof.invalid})),
        caveats=caveats(run, found),
        cost_model=model,
        steady=loaded_summary(run, found["steady_joules_per_request"]),
        slo=slo_figures(run),
        by_verdict=costs_by_verdict(run),
        repeats=repeat_figures(run),
        repeats_left_out=complete_repeats(items)[1],
        repeat_policy=repeat_policy(run.manifest),
        rates=run.rates.model_dump(),
        stopped=stopped_early(run),
        earlier_stops=tuple(run.manifest.earlier_stops),
        these=these_questions(run, found),
    )
