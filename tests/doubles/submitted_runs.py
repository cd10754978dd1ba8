"""Run directories with a board and a plug, made up in memory: what bundles are packed of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from doubles import run_views
from doubles.run_views import T0, S
from joulemark.record.item import Attempt, Chunk, Item, ItemRow, LocalTexts, Phase, Verdict
from joulemark.record.manifest import Baselines, Manifest, Rates, Window
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.runs.finalize import finalize
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.telemetry.journal import encode_reading

SECRET = "The completion that never leaves: zq7-completion"
N = 40
BOARD_W, PLUG_W = 200.0, 320.0


def described(n: int = N, **fields: object) -> Manifest:
    """The manifest of a run that is over, one question at a time, with a board and a plug."""
    last = T0 + (3 * n + 5) * S
    made = run_views.manifest(
        run_id="00112233445566778899aabb",
        meters=[run_views.meter(), run_views.meter("shelly", "shelly", Scope("wall"))],
        devices=[run_views.device()],
        windows=[Window(name="measure", segment=0, t0=T0, t1=last)],
        rates=Rates(usd_per_kwh=0.3, electricity_source="my contract", gco2e_per_kwh=56.0, grid_zone="FRA"),
        baselines=Baselines(loaded_idle_w=21.5, loaded_idle_bound_w=(21.0, 22.0), scope="gpu:0"),
        **fields,
    )
    made.segments[0].engine_local = True
    made.segments[0].t1 = last + S
    made.segments[0].wall_anchor_ns = 1_796_000_000_123_456_789
    made.task.n_items = n
    return made


def answers(n: int = N, seed: int = 5) -> list[ItemRow]:
    """Answers of several lengths and fates, with their chunks and words."""
    rng = np.random.default_rng(seed)
    rows = []
    for index in range(n):
        tokens = int(rng.integers(3, 30))
        fate = (Verdict.CORRECT, Verdict.WRONG, Verdict.CORRECT, Verdict.UNPARSED)[index % 4]
        made = run_views.item(
            index,
            verdict=fate,
            start_s=1.0 + 3.0 * index,
            end_s=1.0 + 0.05 * tokens,
            tokens=tokens,
            finish_reason="stop",
            token_source="usage",
            rule="last",
            span=(4, 9),
            answer_commitment=hashlib.sha256(f"{index}".encode()).hexdigest(),
            attempts=(
                Attempt(
                    T0 + round((1.0 + 3.0 * index) * S), T0 + round((2.0 + 3 * index + 0.05 * tokens) * S)
                ),
            ),
            reasons={"session": "not_applicable"},
        )
        step = (made.t_end - made.t_sent) // (tokens + 2)
        chunks = tuple(Chunk(made.t_sent + step * (k + 1), 1, False) for k in range(tokens))
        rows.append(ItemRow(made, chunks, LocalTexts(SECRET, SECRET, SECRET, SECRET, SECRET, (SECRET,))))
    return rows


def readings(n: int = N, *, board: str = "nvml:0", plug: str = "shelly") -> Iterator[Reading]:
    """A board whose power moves, and a plug, ten times a second, with the engine's process beside them."""
    rng = np.random.default_rng(3)
    joules = {board: 1000.0, plug: 5000.0}
    for step in range(-20, 10 * (3 * n + 8)):
        t_ns = T0 + step * S // 10
        for name, scope, watts in ((board, str(Scope.gpu(0)), BOARD_W), (plug, "wall", PLUG_W)):
            power = watts * (1 + 0.05 * float(rng.normal()))
            joules[name] += 0.1 * power
            values = {"energy_j": joules[name], "power_w": power}
            yield Reading(0, t_ns, name, scope, values, 150_000, t_ns // 1000)
        if step % 10 == 0:
            used = {"cpu_time_ns": 1e9 + 4e7 * (step + 20), "rss_mib": 512.0}
            yield Reading(0, t_ns, "process:engine", "engine", used)


def write_run(root: Path, manifest: Manifest, rows: list[ItemRow], told: Iterator[Reading]) -> Path:
    """Write a run directory as a run does, its tables too."""
    layout = RunLayout(root)
    layout.create()
    journal = ItemJournal(layout.items_journal)
    journal.extend(rows)
    journal.close()
    layout.telemetry_journal.write_bytes(b"".join(map(encode_reading, told)))
    finalize(layout, manifest, complete=True)
    return root


def metered_run(root: Path, n: int = N) -> Path:
    """A run with a board and a plug: tier B."""
    return write_run(root, described(n), answers(n), readings(n))


def of_view(root: Path, view: object) -> Path:
    """The directory of one of the made-up runs: its answers and manifest; it has no telemetry."""
    from joulemark.metrics.run_view import RunView

    assert isinstance(view, RunView)
    rows = [ItemRow(item, view.chunks.get(item.key, ())) for item in view.items]
    manifest = view.manifest.model_copy(deep=True)
    ends = [row.item.t_end for row in rows]
    begins = [row.item.t_begin for row in rows] + [window.t0 for window in manifest.windows]
    ends += [window.t1 or 0 for window in manifest.windows]
    segment = manifest.segments[0]
    segment.t0, segment.t1 = min(segment.t0, *begins), max(segment.t1 or 0, *ends)
    return write_run(root, manifest, rows, iter(()))


def is_counted(item: Item) -> bool:
    """Whether an item counts in the figures."""
    return item.phase == Phase.MEASURE
