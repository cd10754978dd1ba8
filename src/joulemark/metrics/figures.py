"""Every scalar figure of a run, by the name of its definition."""

from __future__ import annotations

from dataclasses import replace

from joulemark.metrics.accuracy import accuracy
from joulemark.metrics.carbon import gco2e
from joulemark.metrics.cost_model import CostModel, cost_figures
from joulemark.metrics.cpu import cpu_seconds, cpu_seconds_per_correct_answer
from joulemark.metrics.drift import counter_vs_integration_pct_diff
from joulemark.metrics.embodied import embodied_figures
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
from joulemark.metrics.engine_figures import engine_figures
from joulemark.metrics.engine_time import (
    engine_decode_tokens_per_second,
    engine_prefill_share,
    engine_prefill_tokens_per_second,
)
from joulemark.metrics.input_aware_figures import input_aware_figures
from joulemark.metrics.item_costs import item_cpu_seconds
from joulemark.metrics.latency import answered_items
from joulemark.metrics.loaded_energy import loaded_figures
from joulemark.metrics.media import media_figures
from joulemark.metrics.money import usd_per_correct_answer, usd_per_request
from joulemark.metrics.other_load import cpu_share
from joulemark.metrics.run_view import RunView
from joulemark.metrics.score import mean_score
from joulemark.metrics.speed import (
    decode_tokens_per_second,
    mean_completion_tokens,
    mean_prompt_tokens,
    tokens_per_second,
)
from joulemark.metrics.standby import idle_power_w, standby
from joulemark.metrics.throttle import throttle_pct
from joulemark.metrics.truncation import accuracy_excluding_truncated
from joulemark.metrics.value import NOTHING_COMPLETED, Value, energy_value, withheld
from joulemark.metrics.wall_model import modelled_wall_energy, modelled_wall_joules
from joulemark.record.energy import ModelledEnergy, Withheld
from joulemark.record.reason import Reason

_EQUAL_SHARES = (
    "bootstrap of single answers, each with its equal share of what was in flight together: the run is too "
    "short for stretches of time"
)


def figures(run: RunView, model: CostModel) -> dict[str, Value]:
    """Return all scalar figures; ``model`` is the run's own cost model.

    Their intervals speak of questions of the kind, whether a rule ended the run or not: what it tells of its
    own questions alone stands beside them (`joulemark.metrics.these_questions`).
    Where nothing was completed that one cause withholds all that are null: each figure's own words for it
    would mislead.
    """
    found = {**_energies(run, model), **_answers(run), **_loaded(run), **media_figures(run), **_machine(run)}
    if answered_items(run.measured_items):
        return found
    return {
        name: withheld(value.unit, Reason.NOTHING_SCORED, detail=NOTHING_COMPLETED)
        if value.value is None
        else value
        for name, value in found.items()
    }


def _loaded(run: RunView) -> dict[str, Value]:
    """Return what a server under load costs in its steady state, and what prompts and output cost apart."""
    return {**loaded_figures(run), **input_aware_figures(run.input_aware), **engine_figures(run)}


def _energies(run: RunView, model: CostModel) -> dict[str, Value]:
    """Return joules and what is made of them."""
    items, energy, duration_s = run.measured_items, run.headline_energy, run.duration_s
    rates, local, real = run.rates, run.manifest.engine.local, run.real_valued
    per_correct = _joules_per_correct_answer(run)
    per_request = joules_per_request(energy, items)
    idle = run.manifest.baselines
    return {
        "joules_per_correct_answer": per_correct,
        "joules_per_correct_answer_bound": joules_per_correct_answer_bound(energy, items, real_valued=real),
        "total_joules": energy_value(energy),
        "joules_per_request": per_request,
        "joules_per_token": joules_per_token(energy, items),
        "ipj": correct_per_joule(energy, items, real_valued=real),
        "net_joules": net_joules(energy, idle_power_w(idle, "loaded", run.headline_scope), duration_s),
        **standby(idle, energy, run.headline_scope, run.manifest.rates),
        "modelled_wall_joules": modelled_wall_joules(_modelled_wall(run)),
        "mean_power_w": mean_power_w(energy, duration_s),
        "accuracy_per_watt": accuracy_per_watt(accuracy(items, real_valued=real), energy, duration_s),
        "counter_vs_integration_pct_diff": counter_vs_integration_pct_diff(energy, run.integrated_energy),
        **cost_figures(model),
        "usd_per_correct_answer": usd_per_correct_answer(
            per_correct, items, rates, local=local, real_valued=real
        ),
        "usd_per_request": usd_per_request(per_request, items, rates, local=local),
        "gco2e_per_correct_answer": gco2e(per_correct, rates),
        "gco2e_per_request": gco2e(per_request, rates),
        **embodied_figures(rates, duration_s, items, real_valued=real),
    }


def _joules_per_correct_answer(run: RunView) -> Value:
    """Return the headline; where requests overlapped, stretches of time are resampled in place of answers.

    A run too short for these has the interval of single answers with their equal shares, and says so.
    """
    shared = run.time_blocks
    blocks = shared if shared is not None and shared.blocks else run.blocks
    attributions, real = run.headline_attributions(), run.real_valued
    found = joules_per_correct_answer(
        run.headline_energy, run.measured_items, attributions, blocks=blocks, real_valued=real
    )
    if shared is None or blocks is not None or found.interval is None:
        return found
    return replace(found, interval_method=_EQUAL_SHARES)


def _modelled_wall(run: RunView) -> ModelledEnergy | Withheld:
    """Predict the wall energy of the run; without any joules of a device that is the reason."""
    baselines = run.manifest.baselines
    if isinstance(run.headline_energy, Withheld):
        return run.headline_energy
    why_none = baselines.reasons.get("wall_fit", "").partition(": ")[2]
    energies = (run.headline_energy, *run.other_energy.values())
    return modelled_wall_energy(baselines.wall_fit, energies, run.duration_s, why_none)


def _answers(run: RunView) -> dict[str, Value]:
    """Return what the answers were and how fast they came."""
    items, real = run.measured_items, run.real_valued
    return {
        "accuracy": accuracy(items, real_valued=real),
        "accuracy_excluding_failed": accuracy(items, include_failed=False, real_valued=real),
        "accuracy_excluding_truncated": accuracy_excluding_truncated(items, real_valued=real),
        "mean_score": mean_score(items, real_valued=real),
        "mean_prompt_tokens": mean_prompt_tokens(items),
        "mean_completion_tokens": mean_completion_tokens(items),
        "tokens_per_second": tokens_per_second(items, run.duration_s),
        "decode_tokens_per_second": decode_tokens_per_second(items, run.chunks),
        "engine_prefill_tokens_per_second": engine_prefill_tokens_per_second(
            items, run.manifest.engine.prefix_cache, run.chunks
        ),
        "engine_decode_tokens_per_second": engine_decode_tokens_per_second(items, run.chunks),
        "engine_prefill_share": engine_prefill_share(items, run.chunks),
    }


def _machine(run: RunView) -> dict[str, Value]:
    """Return processor time, and what held the machine back."""
    energy = run.headline_energy
    cpu = cpu_seconds(run.cpu_seconds, run.cpu_reason)
    absent = energy.reason if isinstance(energy, Withheld) else Reason.NOT_APPLICABLE

    def held(*causes: str) -> Value:
        return throttle_pct(run.throttle_s, run.duration_s, causes, absent)

    return {
        "cpu_seconds_per_correct_answer": cpu_seconds_per_correct_answer(
            cpu, run.measured_items, item_cpu_seconds(run), real_valued=run.real_valued
        ),
        "cpu_seconds": cpu,
        "foreign_cpu_share": cpu_share(run.foreign_cpu_share),
        "stolen_cpu_share": cpu_share(run.stolen_cpu_share),
        "thermal_throttle_pct": held("sw_thermal", "hw_thermal"),
        "power_cap_throttle_pct": held("power_cap"),
        "power_brake_throttle_pct": held("power_brake"),
    }
