"""Sweeps made up in memory, with known figures."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from doubles.points import ci, point
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason
from joulemark.sweeps.engine_state import ENGINE_FIGURES, EngineState
from joulemark.sweeps.journal import PointRecord, SweepRecord
from joulemark.sweeps.points import Measured, Swept, SweptPoint
from joulemark.sweeps.setting import Setting

Axes = Mapping[str, Sequence[Setting]]
Left = Mapping[tuple[Setting, ...], tuple[str, str]]


def measured(level: float, batch: float = 64.0, *, energy: bool = True) -> Measured:
    """Return figures of an engine that gives 30 tokens/s a request up to ``batch``, at 100 W and 5 W each."""
    at_work = min(level, batch)
    rate, wait_s = 30 * at_work, 100 * level / (30 * at_work)
    joules = (100 + 5 * at_work) * 100 / rate
    none = withheld(
        "1", Reason.NOT_REPORTED, detail="The engine published no such gauge, or it was not read."
    )
    made = point(
        ci(joules, 0.05 * joules) if energy else withheld("J", Reason.NO_METER),
        0.033,
        latencies={"e2el_mean": wait_s, "ttft_mean": 0.05 * level},
        accuracy=0.5 if energy else None,
        tokens_per_second=Value(rate, "tokens/s", 0.97 * rate, 1.03 * rate, "ci95"),
        settings={"concurrency": level},
    )
    state = EngineState(
        dict(
            zip(
                ENGINE_FIGURES,
                (Value(at_work, "requests"), Value(0.4, "1"), none, Value(at_work / 100, "1")),
                strict=True,
            )
        )
    )
    return Measured(made, state, 64)


def swept(
    axes: Axes,
    left: Left | None = None,
    *,
    figures: Callable[[Mapping[str, Setting]], Measured] | None = None,
    base: Mapping[str, Setting] | None = None,
) -> Swept:
    """Return a sweep of a grid; ``left`` says (state, why) of combinations that have no figures."""
    points = []
    for combination in itertools.product(*axes.values()):
        values = dict(zip(axes, combination, strict=True))
        state, why = (left or {}).get(combination, ("done", ""))
        record = PointRecord(
            name=None if state == "skipped" else "-".join(map(str, combination)),
            values=values,
            state=state,  # type: ignore[arg-type]
            why=why,
            detail="CUDA out of memory" if state == "failed" else "",
            command="joulemark load …",
            launch=["vllm serve org/m --port 0"],
        )
        found = None
        if state == "done":
            found = figures(values) if figures else measured(float(str(values.get("concurrency", 1))))
        points.append(SweptPoint(record, found))
    record = SweepRecord(
        created_utc="2026-11-30T00:00:00+00:00",
        joulemark_version="0.1.0",
        axes={name: list(values) for name, values in axes.items()},
        base=dict(base or {"engine": "vllm", "model": "org/m"}),
        skip={"the batch is never full": "max_batch > concurrency"},
        points=[one.record for one in points],
    )
    return Swept(Path("sweep"), record, tuple(points))
