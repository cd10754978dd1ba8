"""Runs of other kinds than the common one, made from it: what a page must be able to show as well."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from doubles import run_views
from doubles.run_views import S
from joulemark.metrics.run_view import RunView, Slowed
from joulemark.record.attribution import AttributionCheck
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.item import Item, Verdict
from joulemark.record.manifest import Rates, StopFacts, Stopped
from joulemark.record.meter import SourceInfo
from joulemark.record.reason import Reason
from joulemark.record.scope import WALL, Scope

FIXED_J, PER_PROMPT_TOKEN_J, PER_OUTPUT_TOKEN_J = 12.0, 0.08, 2.4


def _with_manifest(view: RunView, **fields: object) -> RunView:
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update=fields))


def _each(view: RunView, change: Callable[[int, Item], Item]) -> RunView:
    """Change the measured items by their place."""
    measured = [change(k, item) for k, item in enumerate(view.measured_items)]
    warm = [item for item in view.items if item.phase != "measure"]
    return dataclasses.replace(view, items=(*warm, *measured))


def fitted(n: int = 60, seed: int = 3) -> RunView:
    """Return a run whose requests cost what a known model says, with a noise of 4 J."""
    rng = np.random.default_rng(seed)
    view = _each(
        run_views.with_counter(n),
        lambda _, item: dataclasses.replace(item, prompt_tokens=int(rng.integers(30, 400))),
    )
    joules = {
        item.key: FIXED_J
        + PER_PROMPT_TOKEN_J * (item.prompt_tokens or 0)
        + PER_OUTPUT_TOKEN_J * (item.completion_tokens or 0)
        + rng.normal(0, 4)
        for item in view.measured_items
    }
    rows = tuple(
        dataclasses.replace(row, joules=joules[key], lo=joules[key] - 3, hi=joules[key] + 3)
        for row in view.attributions
        for key in [(row.item_id, row.repeat)]
    )
    items_j, idle_j = sum(joules.values()), 700.0
    total = MeasuredEnergy(
        items_j + idle_j,
        items_j + idle_j - 22,
        items_j + idle_j + 22,
        "nvml:0",
        (Scope.gpu(0),),
        Method.COUNTER,
    )
    near = dataclasses.replace(
        total,
        joules=total.joules * 0.991,
        lo=total.joules * 0.98,
        hi=total.joules * 1.002,
        method=Method.INTEGRATED,
    )
    check = AttributionCheck("sequential", "gpu:0", total.joules, items_j, idle_j, 0.0)
    return dataclasses.replace(
        view, headline_energy=total, integrated_energy=near, attributions=rows, checks=(check,)
    )


def priced() -> RunView:
    """Return a run of a suite that may be ranked, with a tariff, a grid and a building."""
    rates = Rates(
        usd_per_kwh=0.30,
        electricity_source="declared by the user",
        gco2e_per_kwh=381.0,
        grid_zone="DEU",
        grid_source="a yearly mean, 2023",
        pue=1.2,
    )
    return _with_manifest(
        fitted(),
        rates=rates,
        suite="published",
        may_rank=True,
        standing="ranked within the same suite, tier and scope",
    )


def with_wall_meter() -> RunView:
    """Return a run whose plug was read beside the device's counter: tier B."""
    view = fitted()
    assert isinstance(view.headline_energy, MeasuredEnergy)
    plug = run_views.meter("shelly:desk", "plug", Scope(WALL), quantities=("energy_j", "power_w"))
    joules = view.headline_energy.joules * 1.62
    seen = MeasuredEnergy(joules, joules - 40, joules + 40, "shelly:desk", (Scope(WALL),), Method.METER)
    view = dataclasses.replace(view, other_energy={**view.other_energy, "shelly:desk · wall": seen})
    return _with_manifest(view, meters=[*view.manifest.meters, plug])


def integrated_only() -> RunView:
    """Return a run whose board has no energy counter: the headline integrates its power."""
    view = fitted()
    assert isinstance(view.headline_energy, MeasuredEnergy)
    headline = dataclasses.replace(view.headline_energy, method=Method.INTEGRATED)
    bare = run_views.meter(quantities=("power_w",))
    info: SourceInfo = bare.source
    view = dataclasses.replace(
        view, headline_energy=headline, integrated_energy=Withheld(Reason.NOT_APPLICABLE), throttle_s={}
    )
    return _with_manifest(view, meters=[bare.model_copy(update={"source": info})])


def real_valued(n: int = 40) -> RunView:
    """Return a metered run of a task whose answers get a score instead of right or wrong."""
    rng = np.random.default_rng(11)

    def scored(_: int, item: Item) -> Item:
        return dataclasses.replace(item, verdict=None, correct=None, score=float(rng.beta(4, 3)))

    view = _each(fitted(n), scored)
    task = view.manifest.task.model_copy(update={"name": "summaries", "score_range": (0.0, 1.0)})
    return _with_manifest(view, task=task)


def repeated(times: int = 3, n: int = 20) -> RunView:
    """Return a run that asked everything several times; the last repeat is a little dearer."""
    view = fitted(times * n)

    def again(k: int, item: Item) -> Item:
        return dataclasses.replace(item, item_id=f"quick/{k % n:03d}", repeat=k // n)

    names = {item.key: again(k, item).key for k, item in enumerate(view.measured_items)}
    rows = []
    for row in view.attributions:
        item_id, repeat = names[row.item_id, row.repeat]
        rows.append(dataclasses.replace(row, item_id=item_id, repeat=repeat))
    cpu = {names[key]: seconds for key, seconds in view.item_cpu_seconds.items()}
    chunks = {names[key]: found for key, found in view.chunks.items()}
    view = dataclasses.replace(
        _each(view, again), attributions=tuple(rows), item_cpu_seconds=cpu, chunks=chunks
    )
    sampling = view.manifest.sampling.model_copy(update={"temperature": 0.7})
    return _with_manifest(view, repeats=times, sampling=sampling)


def all_failed(n: int = 6) -> RunView:
    """Return a metered run in which no request was answered."""
    return _each(
        run_views.with_counter(n),
        lambda _, item: dataclasses.replace(
            item,
            verdict=Verdict.FAILED,
            correct=False,
            t_first=None,
            t_first_answer=None,
            streamed=None,
            completion_tokens=None,
            prompt_tokens=None,
        ),
    )


def canary() -> RunView:
    """Return a run of a task that is carried and not ranked."""
    view = run_views.with_counter()
    task = view.manifest.task.model_copy(update={"is_canary": True})
    return _with_manifest(view, task=task, standing="not ranked: a canary task")


def stopped(n: int = 20, of: int = 60, n_whole: int = 9000) -> RunView:
    """Return a run of ``of`` questions, a random part of ``n_whole``, that two rules ended in turn."""

    def rule(text: str, asked: int) -> StopFacts:
        ended = Stopped(at=asked, asked=asked, of=of, segment=0, binding=[text])
        return StopFacts(targets=[text], least=10, every=10, told=[f"{text}: met"], stopped=ended)

    view = run_views.with_lengths(n)
    task = view.manifest.task.model_copy(
        update={"n_items": of, "n_whole": n_whole, "subset_key": "joulemark"}
    )
    return _with_manifest(
        view, task=task, stop=rule("accuracy ±20pp", n), earlier_stops=[rule("accuracy ±25pp", n // 2)]
    )


def slowed() -> tuple[Slowed, ...]:
    """Return when a driver's counters advanced in `run_views.with_counter`."""
    at = run_views.T0
    return (
        Slowed(0, "nvml:0", "power_cap", at + 20 * S, at + 22 * S),
        Slowed(0, "nvml:0", "power_cap", at + 30 * S, at + 31 * S),
        Slowed(0, "nvml:0", "sw_thermal", at + 40 * S, at + 40 * S + S // 10),
    )
