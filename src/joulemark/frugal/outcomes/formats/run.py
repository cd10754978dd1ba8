"""The outcomes of a run of ours: answers from its journal, energies computed anew."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from joulemark.frugal.outcomes.formats.columns import outcomes_of
from joulemark.frugal.outcomes.outcomes import Floats, Outcomes
from joulemark.metrics.accuracy import why_not_scored
from joulemark.metrics.carbon import JOULES_PER_KWH, gco2e
from joulemark.metrics.energy_per import joules_per_request
from joulemark.metrics.item_costs import item_costs, item_joules
from joulemark.metrics.item_value import item_value
from joulemark.metrics.latency import e2el_s, streaming_used
from joulemark.metrics.money import by_tokens, usd_per_request
from joulemark.metrics.run_view import ItemKey, RunView
from joulemark.metrics.stopped_early import of_stop, was_decided
from joulemark.metrics.tier import is_replayed, is_simulated
from joulemark.rates.declared import DeclaredRates
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.errors import InputError
from joulemark.record.item import Item
from joulemark.record.reason import Reason
from joulemark.record.simulated import is_simulated_kind
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.runs.repriced import repriced
from joulemark.runs.view import view_of

_ENERGY_COSTS = ("energy_j", "usd", "gco2e")
Known = Mapping[ItemKey, float]


def read_run_outcomes(
    path: Path, *, metric: str | None = None, rates: DeclaredRates | None = None
) -> Outcomes:
    """Read a run directory, at other ``rates`` where such are given. Raises `InputError`."""
    view = view_of(read_run(path))
    if rates is not None:
        view = repriced(view, RunLayout(path), rates)
    return outcomes_of_run(view, metric=metric, origin=str(path))


def outcomes_of_run(run: RunView, *, metric: str | None = None, origin: str = "the run") -> Outcomes:
    """Return the items of a run in asking order, each with its means over repeats.

    A failed request counts as not correct. Costs: ``e2el_s``; ``wall_s``, the measured time shared in
    proportion to these, which adds up to it; tokens; ``energy_j`` with the even share of what belongs to no
    item; ``usd`` and ``gco2e`` where there are rates. Those of a simulated engine are modelled, and so are
    joules of a simulated board or a replayed trace.
    """
    items = run.measured_items
    reason = why_not_scored(items, real_valued=run.real_valued)
    if reason not in (None, Reason.REAL_VALUED_SCORE):
        raise InputError(
            f"{origin} has no outcome of its items",
            why=reason.text.rstrip("."),
            fix="grade its answers first, or name another run",
        )
    real = reason is Reason.REAL_VALUED_SCORE
    by_item: dict[str, list[Item]] = {}
    for item in items:
        by_item.setdefault(item.item_id, []).append(item)
    groups = list(by_item.values())
    notes: list[str] = []
    costs = {name: _means(groups, of) for name, of in _costs(run, notes).items()}
    task = run.manifest.task
    found = outcomes_of(
        run.manifest.engine.model,
        np.array([_known(item_value(group, real=real)) for group in groups]),
        origin=origin,
        metric=metric,
        column="score" if real else "correct",
        bounds=task.score_range,
        item_ids=list(by_item),
        costs=costs,
        modelled=_modelled(run),
        notes=notes,
        task=task.name,
        graded="score" if real else "right or wrong",
    )
    n_items = task.n_drawn_from if task.n_drawn_from > len(groups) else None
    return replace(
        found,
        n_items=n_items,
        is_listed=task.is_listed,
        n_whole=task.n_whole,
        of_run=True,
        decided=was_decided(run),
        warnings=tuple(_warnings(run)),
    )


def _warnings(run: RunView) -> Iterator[str]:
    """Yield what the run's report says loudly of its end, and that somebody may have ended it."""
    found = {caveat.code: caveat.text for caveat in of_stop(run) if caveat.loud}
    yield from found.values()
    if run.manifest.state != "complete" and "ended_by_hand" not in found:
        far = "" if run.wanted is None else f": {len(run.measured_items):,} of {run.wanted:,} answers"
        yield (
            f"The run is not complete{far}. Whoever ended it could see the answers, and no interval allows "
            "for an end that was chosen."
        )


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def _costs(run: RunView, notes: list[str]) -> dict[str, Known]:
    """Return what is known of single requests by the name of the cost; ``notes`` get why one is not there."""
    items = run.measured_items
    found: dict[str, Known] = {}
    for name, of in (("prompt_tokens", _prompt_tokens), ("completion_tokens", _completion_tokens)):
        known = {item.key: tokens for item in items if (tokens := of(item)) is not None}
        if known:
            found[name] = known
    seconds = {item.key: e2el_s(item) for item in items}
    total_s = math.fsum(seconds.values())
    if streaming_used(items) is not False:
        found["e2el_s"] = seconds
    if run.duration_s is not None and total_s > 0:
        found["wall_s"] = {key: run.duration_s * of / total_s for key, of in seconds.items()}
    joules = _joules(run)
    if isinstance(joules, Reason):
        notes.append(f"no energy_j of single items: {joules.text.rstrip('.')}")
    else:
        found["energy_j"] = joules
    return {**found, **_rated(run, found, notes)}


def _joules(run: RunView) -> Known | Reason:
    energy = run.headline_energy
    if not isinstance(energy, MeasuredEnergy):
        return energy.reason
    spread = item_costs(energy.joules, run.measured_items, item_joules(run))
    if isinstance(spread, Reason):
        return spread
    return {key: joules + spread.share for key, joules in spread.known.items()}


def _rated(run: RunView, found: Mapping[str, Known], notes: list[str]) -> dict[str, Known]:
    """Return dollars and grams of the requests, as the figures of the run count them."""
    items, rates, joules = run.measured_items, run.rates, found.get("energy_j")
    per_request = joules_per_request(run.headline_energy, items)
    local = run.manifest.engine.local
    rated: dict[str, Known] = {}
    usd = usd_per_request(per_request, items, rates, local=local)
    if usd.value is None:
        if by_tokens(rates, local=local):
            notes.append("no usd of single items: its figure is withheld in the run's report")
    elif by_tokens(rates, local=local):
        prompt, output = rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens
        rated["usd"] = {
            item.key: (
                (item.prompt_tokens or 0) * (prompt or 0.0) + (item.completion_tokens or 0) * (output or 0.0)
            )
            / 1e6
            for item in items
        }
    elif joules is not None and rates.usd_per_kwh is not None:
        factor = rates.usd_per_kwh * rates.pue / JOULES_PER_KWH
        rated["usd"] = {key: of * factor for key, of in joules.items()}
    if joules is not None and rates.gco2e_per_kwh is not None and gco2e(per_request, rates).value is not None:
        factor = rates.gco2e_per_kwh * rates.pue / JOULES_PER_KWH
        rated["gco2e"] = {key: of * factor for key, of in joules.items()}
    return rated


def _modelled(run: RunView) -> frozenset[str]:
    if is_simulated_kind(run.manifest.engine.kind):
        return frozenset((*_ENERGY_COSTS, "e2el_s", "wall_s", "prompt_tokens", "completion_tokens"))
    energy = run.headline_energy
    if is_simulated(run.sources, energy) or is_replayed(run.sources, energy):
        tokens_priced = by_tokens(run.rates, local=run.manifest.engine.local)
        return frozenset(_ENERGY_COSTS) - ({"usd"} if tokens_priced else set())
    return frozenset()


def _means(groups: Sequence[Sequence[Item]], of: Known) -> Floats:
    return np.array([_mean([of[item.key] for item in group if item.key in of]) for group in groups])


def _mean(of: Sequence[float]) -> float:
    return math.fsum(of) / len(of) if of else math.nan


def _prompt_tokens(item: Item) -> float | None:
    return None if item.prompt_tokens is None else float(item.prompt_tokens)


def _completion_tokens(item: Item) -> float | None:
    return None if item.completion_tokens is None else float(item.completion_tokens)
