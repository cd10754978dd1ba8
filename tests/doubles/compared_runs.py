"""Pairs of runs with known item energies: what comparisons are tried on."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from doubles.run_views import S, device, item, manifest, meter
from joulemark.metrics.run_view import RunView
from joulemark.record.attribution import Attribution
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope


def run(
    joules: Sequence[float],
    correct: Sequence[bool],
    *,
    tokens: Sequence[int] | None = None,
    ids: Sequence[str] | None = None,
    repeats: Sequence[int] | None = None,
    idle_j: float = 0.0,
    slack_j: float = 0.0,
    scopes: tuple[Scope, ...] = (Scope.gpu(0),),
    method: Method = Method.COUNTER,
    run_id: str = "run-1",
    first_s: float = 0.2,
    **fields: object,
) -> RunView:
    """Return a run asked one question at a time; an item of e joules takes e / 100 s and processor time."""
    n = len(joules)
    items, rows, at_s = [], [], 0.0
    for k in range(n):
        seconds = max(joules[k] / 100, first_s + 0.01)
        one = item(
            k,
            item_id=ids[k] if ids else f"q{k:04d}",
            repeat=repeats[k] if repeats else 0,
            verdict=Verdict.CORRECT if correct[k] else Verdict.WRONG,
            tokens=tokens[k] if tokens else 20,
            start_s=at_s,
            first_s=first_s,
            end_s=seconds,
        )
        items.append(one)
        rows.append(
            Attribution(
                one.item_id,
                one.repeat,
                0,
                "sequential",
                "gpu:0",
                joules[k],
                joules[k] * 0.99,
                joules[k] * 1.01,
            )
        )
        at_s += seconds + 0.001
    total_j = float(sum(joules)) + idle_j
    energy = MeasuredEnergy(total_j, total_j - slack_j, total_j + slack_j, "nvml:0", scopes, method)
    described = manifest(run_id=run_id, meters=[meter()], devices=[device()], **fields)
    cpu_s = {one.key: (one.t_end - one.t_sent) / S for one in items}
    return RunView(
        manifest=described,
        items=tuple(items),
        headline_energy=energy,
        headline_scope="gpu:0",
        headline_method="sequential",
        attributions=tuple(rows),
        duration_s=at_s + 1.0,
        cpu_seconds=sum(cpu_s.values()),
        cpu_reason=None,
        item_cpu_seconds=cpu_s,
        wanted=n,
    )


def with_manifest(view: RunView, **fields: object) -> RunView:
    """Return the same run with other facts in its manifest."""
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update=fields))


def with_part(view: RunView, part: str, **fields: object) -> RunView:
    """Return the same run with other facts in one part of its manifest, for example ``engine``."""
    changed = getattr(view.manifest, part).model_copy(update=fields)
    return with_manifest(view, **{part: changed})


def without_joules(view: RunView) -> RunView:
    """Return the same run on a machine without a meter."""
    bare = with_manifest(view, meters=[], devices=[])
    return dataclasses.replace(
        bare,
        headline_energy=Withheld(Reason.NO_METER),
        headline_scope=None,
        headline_method=None,
        attributions=(),
    )


def simulated_pair(
    n: int, seed: int, *, ratio: float = 1.3, shared_spread: float = 0.6, own_spread: float = 0.25
) -> tuple[RunView, RunView]:
    """Return two runs of the same questions: hard ones cost more in both, and B takes ``ratio`` the energy.

    A is right with chance 0.6 and B with 0.5, more often together than apart.
    """
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 1, n)
    made = []
    for name, base_j, right in (("A", 40.0, 0.6), ("B", 40.0 * ratio, 0.5)):
        joules = base_j * np.exp(shared_spread * hard + own_spread * rng.normal(0, 1, n))
        correct = rng.random(n) < right - 0.2 * np.tanh(hard)
        tokens = np.maximum(2, np.round(joules / 2)).astype(int)
        made.append(run(joules.tolist(), correct.tolist(), tokens=tokens.tolist(), run_id=f"run-{name}"))
    return made[0], made[1]
