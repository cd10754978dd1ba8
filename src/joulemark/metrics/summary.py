"""All figures of one run: a pure function from what was observed to what is reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.metrics.accuracy import accuracy, is_correct, is_scored, verdict_counts
from joulemark.metrics.attribution import scope_label
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.caveats import caveats
from joulemark.metrics.cpu import cpu_seconds, cpu_seconds_per_correct_answer
from joulemark.metrics.drift import counter_vs_integration_pct_diff
from joulemark.metrics.energy_per import (
    accuracy_per_watt,
    correct_per_joule,
    joules_per_correct_answer,
    joules_per_correct_answer_bound,
    joules_per_request,
    joules_per_token,
    mean_power_w,
    net_joules,
)
from joulemark.metrics.latency import Latency, answered_items, latencies, streaming_used
from joulemark.metrics.other_load import cpu_share
from joulemark.metrics.run_view import RunView
from joulemark.metrics.score import mean_score
from joulemark.metrics.setup import Setting, setup
from joulemark.metrics.speed import (
    decode_tokens_per_second,
    mean_completion_tokens,
    mean_prompt_tokens,
    tokens_per_second,
)
from joulemark.metrics.throttle import throttle_pct
from joulemark.metrics.tier import Tier, is_replayed, tier
from joulemark.metrics.value import NOTHING_COMPLETED, Value, energy_value, withheld
from joulemark.record.attribution import AttributionCheck
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.reason import Reason

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run by the names of the record's contract.

    ``figures`` holds every scalar by its definition's name; ``latency`` the percentiles; ``other_energy``
    what other sources saw of the same windows (never added to the headline). ``measurement_tier`` and
    ``energy_source`` are null with ``tier_reason``. ``invalid`` are reason codes against the whole run.
    ``n_wanted`` are the answers asked for in all, ``setup`` the settings that a comparison needs.
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
            "latency": {name: _latency_json(latency) for name, latency in self.latency.items()},
            "setup": dict(self.setup),
            "throttle_s": dict(self.throttle_s),
            "other_energy": {name: value.value for name, value in self.other_energy.items()},
            "attribution": [_check_json(check) for check in self.checks],
            "intervals": {n: _interval_json(v) for n, v in figures.items() if v.interval is not None},
            "units": {name: value.unit for name, value in self.figures.items()},
            "counts": {name: value.n for name, value in self.figures.items() if value.n is not None},
            "reasons": self._reasons_json(figures),
            "invalid": list(self.invalid),
            "caveats": [{"code": c.code, "loud": c.loud, "text": c.text} for c in self.caveats],
        }

    def _reasons_json(self, figures: Mapping[str, Value]) -> dict[str, JsonValue]:
        reasons: dict[str, JsonValue] = {}
        for name, value in figures.items():
            if value.reason is not None:
                reasons[name] = _reason_json(value.reason, value.detail)
            if value.interval_reason is not None:
                reasons[f"intervals.{name}"] = _reason_json(value.interval_reason)
        if self.tier_reason is not None:
            reasons["measurement_tier"] = _reason_json(self.tier_reason)
        energy = self.figures["total_joules"]
        if energy.reason is not None:
            for name in ("energy_source", "headline_source", "headline_scope"):
                reasons[name] = _reason_json(energy.reason, energy.detail)
        if self.streaming_used is None:
            reasons["streaming_used"] = _reason_json(Reason.NOTHING_SCORED, NOTHING_COMPLETED)
        if self.duration_s is None:
            measured = self.streaming_used is not None
            reasons["duration_s"] = (
                _reason_json(Reason.OUTSIDE_TIMELINE)
                if measured
                else _reason_json(Reason.NOTHING_SCORED, NOTHING_COMPLETED)
            )
        if self.n_wanted is None:
            reasons["n_wanted"] = _reason_json(Reason.NOT_REPORTED)
        for name, setting in self.setup.items():
            if setting is None:
                reasons[f"setup.{name}"] = _reason_json(Reason.NOT_REPORTED)
        return reasons


def summarize(run: RunView) -> Summary:
    """Compute every figure of a run. Pure: the same run always gives the same summary."""
    items = run.measured_items
    energy = run.headline_energy
    measured = energy if isinstance(energy, MeasuredEnergy) else None
    by_key = run.headline_attributions()
    cpu = cpu_seconds(run.cpu_seconds, run.cpu_reason)
    share_correct = accuracy(items)
    no_throttle = energy.reason if isinstance(energy, Withheld) else Reason.NOT_APPLICABLE
    loaded_idle_w = run.manifest.baselines.loaded_idle_w
    figures = {
        "joules_per_correct_answer": joules_per_correct_answer(energy, items, by_key),
        "joules_per_correct_answer_bound": joules_per_correct_answer_bound(energy, items),
        "total_joules": energy_value(energy),
        "joules_per_request": joules_per_request(energy, items),
        "joules_per_token": joules_per_token(energy, items),
        "ipj": correct_per_joule(energy, items),
        "net_joules": net_joules(energy, loaded_idle_w, run.duration_s),
        "mean_power_w": mean_power_w(energy, run.duration_s),
        "accuracy_per_watt": accuracy_per_watt(share_correct, energy, run.duration_s),
        "counter_vs_integration_pct_diff": counter_vs_integration_pct_diff(energy, run.integrated_energy),
        "accuracy": share_correct,
        "accuracy_excluding_failed": accuracy(items, include_failed=False),
        "mean_score": mean_score(items),
        "mean_prompt_tokens": mean_prompt_tokens(items),
        "mean_completion_tokens": mean_completion_tokens(items),
        "tokens_per_second": tokens_per_second(items, run.duration_s),
        "decode_tokens_per_second": decode_tokens_per_second(items, run.chunks),
        "cpu_seconds_per_correct_answer": cpu_seconds_per_correct_answer(cpu, items, run.item_cpu_seconds),
        "cpu_seconds": cpu,
        "foreign_cpu_share": cpu_share(run.foreign_cpu_share),
        "stolen_cpu_share": cpu_share(run.stolen_cpu_share),
        "thermal_throttle_pct": throttle_pct(
            run.throttle_s, run.duration_s, ("sw_thermal", "hw_thermal"), no_throttle
        ),
        "power_cap_throttle_pct": throttle_pct(run.throttle_s, run.duration_s, ("power_cap",), no_throttle),
        "power_brake_throttle_pct": throttle_pct(
            run.throttle_s, run.duration_s, ("power_brake",), no_throttle
        ),
    }
    if not answered_items(items):
        # one cause withholds them all, and each figure's own words for it would mislead
        figures = {
            name: withheld(value.unit, Reason.NOTHING_SCORED, detail=NOTHING_COMPLETED)
            if value.value is None
            else value
            for name, value in figures.items()
        }
    measurement_tier, tier_reason = tier(run.sources, energy)
    return Summary(
        run_id=run.manifest.run_id,
        config_hash=run.manifest.config_hash,
        state=run.manifest.state,
        model=run.manifest.engine.model,
        engine=run.manifest.engine.kind,
        task=run.manifest.task.name,
        figures=figures,
        latency=latencies(items, run.chunks),
        verdicts=verdict_counts(items),
        n_wanted=run.wanted,
        n_items=len({item.item_id for item in items}),
        n_requests=len(items),
        n_scored=sum(map(is_scored, items)),
        n_correct=sum(map(is_correct, items)),
        n_retried=sum(len(item.attempts) > 1 for item in items),
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
        caveats=caveats(run, figures),
    )


def _reason_json(reason: Reason, detail: str = "") -> JsonValue:
    return {"code": reason.value, "text": reason.text, "detail": detail}


def _interval_json(value: Value) -> JsonValue:
    return {"lo": value.lo, "hi": value.hi, "kind": value.interval}


def _check_json(check: AttributionCheck) -> JsonValue:
    return {
        "method": check.method,
        "scope": check.scope,
        "total_j": check.total_j,
        "items_j": check.items_j,
        "idle_j": check.idle_j,
        "residual_j": check.residual_j,
        "reason": check.reason.value if check.reason else None,
    }


def _latency_json(latency: Latency) -> JsonValue:
    forms: dict[str, JsonValue] = {"unit": "s", "n": len(latency.samples_s), "n_failed": latency.n_failed}
    for form, values in (("answered", latency.answered), ("with_failures", latency.with_failures)):
        forms[form] = {f"p{p}": value.value for p, value in values.items()}
        reasons = {f"p{p}": value.reason.value for p, value in values.items() if value.reason}
        forms[f"{form}_reasons"] = dict(reasons)
    return forms
