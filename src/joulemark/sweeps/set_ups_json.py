"""A simulated plan as JSON: a recommendation by its own names, and every set-up as an operating point."""

from __future__ import annotations

from typing import Any

from joulemark.metrics.recommendation_json import point_json, recommendation_json
from joulemark.simulate.plan import SIMULATED
from joulemark.sweeps.set_ups import Planned, PlannedSetUp


def planned_json(made: Planned) -> dict[str, Any]:
    """Return what to run as `recommendation_json` has it, with the load that was wanted and all set-ups."""
    wanted = made.wanted
    return {
        **recommendation_json(made.found),
        "kind": "simulated",
        "note": SIMULATED,
        "model": wanted.model.name,
        "gpu": wanted.gpu.name,
        "gpu_source": wanted.gpu.source,
        "gpus": wanted.gpus,
        "rate": wanted.rate,
        "prompt_tokens": wanted.prompt_tokens,
        "output_tokens": wanted.output_tokens,
        "lengths": wanted.lengths,
        "longest": wanted.longest,
        "seed": wanted.seed,
        "set_ups": [_set_up_json(one) for one in made.set_ups],
    }


def _set_up_json(one: PlannedSetUp) -> dict[str, Any]:
    figures = one.row.figures
    return {
        **point_json(one.point),
        "met": one.met,
        "capacity_requests_per_s": one.row.capacity,
        "mean_batch": None if figures is None else figures.mean_batch,
        "kv_share": None if figures is None else figures.kv_share,
        "preemptions_per_request": None if figures is None else figures.preemptions_per_request,
    }
