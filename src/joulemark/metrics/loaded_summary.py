"""What is told of a steady state beyond its figures: its window, its latencies, other rules beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from joulemark.metrics.input_aware_fit import InputAwareFit
from joulemark.metrics.latency import Latency, latencies
from joulemark.metrics.loaded_requests import sent_in_window
from joulemark.metrics.plain import JsonValue, latency_json, reason_json
from joulemark.metrics.published_windows import RuleFigures, rule_figures
from joulemark.metrics.run_view import RunView
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.value import Value
from joulemark.record.energy import Withheld


@dataclass(frozen=True, slots=True)
class LoadedSummary:
    """The steady state of a run.

    ``latency`` are the percentiles of the counted requests that were sent in its window; ``rules`` what ours
    and the published rules for a steady state make of the same run. Both are empty for a sequential run.
    ``input_aware`` is what the shares of that method rest on.
    """

    window: SteadyWindow | Withheld
    latency: Mapping[str, Latency]
    rules: tuple[RuleFigures, ...]
    input_aware: InputAwareFit

    def to_json(self) -> JsonValue:
        """Return plain JSON values; a window or figure that is null has its reason beside it."""
        refused = self.window if isinstance(self.window, Withheld) else None
        return {
            "window": None if isinstance(self.window, Withheld) else _window_json(self.window),
            "reason": None if refused is None else reason_json(refused.reason, refused.detail),
            "latency": {name: latency_json(latency) for name, latency in self.latency.items()},
            "rules": {rule.rule: _rule_json(rule) for rule in self.rules},
            "input_aware": _fit_json(self.input_aware),
        }


def loaded_summary(run: RunView, joules_per_request: Value) -> LoadedSummary:
    """Describe the steady state of a run; ``joules_per_request`` is the figure of ours."""
    state = run.steady
    if state.load is None:
        return LoadedSummary(state.window, {}, (), run.input_aware)
    found = {} if isinstance(state.window, Withheld) else latencies(sent_in_window(run), run.chunks)
    rules = rule_figures(state.load, state, joules_per_request)
    return LoadedSummary(state.window, found, rules, run.input_aware)


def _window_json(window: SteadyWindow) -> JsonValue:
    return {
        "segment": window.part.segment,
        "t0": window.part.t0,
        "t1": window.part.t1,
        "basis": window.basis,
        "level": window.level,
        "mean_batch": window.mean_batch,
        "mean_in_flight": window.mean_in_flight,
        "held_share": window.held_share,
        "requests": window.requests,
        "tokens": window.tokens,
        "token_basis": window.token_basis,
        "mean_in_batch_s": window.mean_in_batch_s,
    }


def _fit_json(fit: InputAwareFit) -> JsonValue:
    names = ("idle_w", "step_j", "prompt_token_j", "output_token_j", "context_token_j")
    weights = (None,) * 5 if fit.weights is None else fit.weights
    return {
        **dict(zip(names, weights, strict=True)),
        "n": fit.n,
        "degrees": fit.degrees,
        "idle_source": fit.idle_source,
        "se_prompt_token_j": fit.se_prompt_j,
        "independent": fit.independent,
        "r2": fit.r2,
        "prompt_share": fit.prompt_share,
        "output_share": fit.output_share,
        "idle_share": fit.idle_share,
        "reason": None if fit.reason is None else reason_json(fit.reason, fit.detail),
    }


def _rule_json(rule: RuleFigures) -> JsonValue:
    values = {f.name: getattr(rule, f.name) for f in fields(rule) if f.name not in ("rule", "title")}
    told: dict[str, JsonValue] = {"title": rule.title}
    reasons: dict[str, JsonValue] = {}
    for name, value in values.items():
        told[name] = value.value
        if value.reason is not None:
            reasons[name] = reason_json(value.reason, value.detail)
    told["reasons"] = reasons
    return told
