"""Several runs of one configuration taken together; runs that differ in what they measured are refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from joulemark.metrics.repeats import POOLED_FIGURES, Spread, repeat_figures, spread_of
from joulemark.metrics.run_view import RunView
from joulemark.metrics.stopped_early import population
from joulemark.metrics.tier import tier_of
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope


class NotPoolable(ValueError):
    """Runs that must not be taken together; the message says what differs between which."""


def _power_limits(run: RunView) -> str | None:
    energy = run.headline_energy
    scopes = {scope.path for scope in energy.scopes} if isinstance(energy, MeasuredEnergy) else set()
    boards = [device for device in run.manifest.devices if device.scope in scopes]
    limits = {
        f"{Scope(d.scope).label} {f'{d.power_limit_w:g} W' if d.power_limit_w else '?'}" for d in boards
    }
    return " + ".join(sorted(limits)) or None


def _hosts(run: RunView) -> str:
    return "+".join(sorted({segment.host_hash for segment in run.manifest.segments}))


def _versions(run: RunView) -> str:
    manifest = run.manifest
    return "+".join(sorted({s.joulemark_version or manifest.joulemark_version for s in manifest.segments}))


_SAME: tuple[tuple[str, Callable[[RunView], object], str], ...] = (
    (
        "temperatures",
        lambda run: run.manifest.sampling.temperature,
        "runs at different temperatures are never pooled",
    ),
    ("tiers", lambda run: tier_of(run)[0], "tiers are never averaged together"),
    ("scopes", lambda run: run.headline_scope, "joules of different parts of a machine are not one quantity"),
    (
        "energy sources",
        lambda run: (
            run.headline_energy.method.value if isinstance(run.headline_energy, MeasuredEnergy) else None
        ),
        "a counter and integrated power differ by some per cent",
    ),
    ("power limits", _power_limits, "a board under another limit spends other joules on the same work"),
    ("hosts", _hosts, "the spread would be that of machines, not of runs"),
    (
        "processors",
        lambda run: run.manifest.host.cpu_model,
        "processor time is comparable on one processor only",
    ),
    (
        "endpoints",
        lambda run: None if run.manifest.engine.model_digest else run.manifest.engine.endpoint_hash,
        "no digest says that the model behind both is the same",
    ),
    ("versions of joulemark", _versions, "another version may measure otherwise"),
    (
        "configurations",
        lambda run: run.manifest.config_hash[:12],
        "`joulemark runs` shows what each was made with",
    ),
)


def pool(runs: Sequence[RunView]) -> dict[str, Spread]:
    """Return the spread of each figure over several runs; each run is one value, its repeats averaged.

    Raises `NotPoolable` for runs that differ in temperature, tier, scope, energy source, power limit, host,
    processor, endpoint (where the model has no digest), version of joulemark or configuration, for a run that
    is not complete, for runs stopped early after different numbers of questions, and for one given twice.
    """
    if not runs:
        raise NotPoolable("no runs were given")
    ids = [run.manifest.run_id for run in runs]
    for name, of, why in _SAME:
        found = [of(run) for run in runs]
        if any(value != found[0] for value in found):
            listed = ", ".join(f"{run_id}: {value}" for run_id, value in zip(ids, found, strict=True))
            raise NotPoolable(f"the runs have different {name} ({listed}); {why}")
    if len(set(ids)) < len(ids):
        raise NotPoolable(f"a run was given twice: {', '.join(ids)}")
    partial = [run.manifest.run_id for run in runs if run.manifest.state != "complete"]
    if partial:
        raise NotPoolable(f"not complete: {', '.join(partial)}; the same command resumes a run")
    asked = [len({item.item_id for item in run.measured_items}) for run in runs]
    if any(population(run) is not None for run in runs) and len(set(asked)) > 1:
        listed = ", ".join(f"{run_id}: {n}" for run_id, n in zip(ids, asked, strict=True))
        raise NotPoolable(
            f"runs that were stopped early asked different numbers of questions ({listed}); the spread would "
            "be that of the questions"
        )
    figures = [repeat_figures(run) for run in runs]
    return {
        name: spread_of([_mean(of_run[name]) for of_run in figures], unit, ids)
        for name, unit in POOLED_FIGURES.items()
    }


def _mean(spread: Spread) -> float | Reason:
    if spread.mean is None:
        return spread.reason or Reason.NOTHING_SCORED
    return spread.mean
