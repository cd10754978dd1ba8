"""A plan as JSON: units in names, null with its reason."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from joulemark.simulate.plan import SIMULATED, Plan, Row


def plan_json(made: Plan) -> dict[str, Any]:
    """Return a plan as plain values, unrounded."""
    wanted = made.wanted
    return {
        "kind": "simulated",
        "note": SIMULATED,
        "gpu": wanted.gpu.name,
        "gpu_source": wanted.gpu.source,
        "gpus": wanted.gpus,
        "model": wanted.model.name,
        "rate": wanted.rate,
        "prompt_tokens": wanted.prompt_tokens,
        "output_tokens": wanted.output_tokens,
        "lengths": wanted.shape,
        "max_tpot_s": wanted.max_tpot_s,
        "max_ttft_s": wanted.max_ttft_s,
        "seed": wanted.seed,
        "pick": None if made.pick is None else _row_json(made.pick),
        "rows": [_row_json(row) for row in made.rows],
    }


def _row_json(row: Row) -> dict[str, Any]:
    config = row.set_up.config
    return {
        "label": row.set_up.label,
        "kind": "simulated",
        "max_batch": config.max_batch,
        "max_batched_tokens": config.max_batched_tokens,
        "tensor_parallel": config.tensor_parallel,
        "prefill_instances": config.prefill_instances,
        "decode_instances": config.decode_instances,
        "preemption": config.preemption,
        "power_limit_w": config.power_limit_w,
        "replicas": row.set_up.replicas,
        "gpus": row.set_up.gpus,
        "capacity_requests_per_s": row.capacity,
        "within_limits": row.within_limits,
        "reason": row.why or None,
        "figures": None if row.figures is None else asdict(row.figures),
    }
