"""A task file of the ML.ENERGY leaderboard of December 2025 (v3): JSON with a list of configurations."""

from __future__ import annotations

from typing import Any

from joulemark.bundles.foreign_file import ForeignFile
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.published import LITTLE, little_tpot_s, published_row, row_key
from joulemark.metrics.setup import Setting
from joulemark.record.axis import PUBLISHED_NAMES
from joulemark.record.published import PublishedRow, Unit

LICENCE = "Apache-2.0"
PUBLICATION = "ML.ENERGY Leaderboard v3"
_MS = 1e-3
_ITL = {"median_itl_ms": "itl_p50", "p90_itl_ms": "itl_p90", "p95_itl_ms": "itl_p95", "p99_itl_ms": "itl_p99"}
_ITL_NOTE = "; itl percentiles are of the whole run, ramps included"
_ENERGY_OF: dict[str, Unit] = {
    "energy_per_request_joules": "request",
    "energy_per_image_joules": "image",
    "energy_per_video_joules": "video",
}


def leaderboard_rows(file: ForeignFile, document: dict[str, Any], task: str | None) -> list[PublishedRow]:
    """Return the rows of a task file, each configuration once; raises `InputError`.

    Two entries that differ in figures alone are both kept: the file does not say all that was varied.
    """
    entries = document.get("configurations")
    named = task if task is not None else document.get("task")
    if not isinstance(entries, list) or not entries:
        why = "it has no list `configurations`: no task file of the leaderboard, no results.json of a run"
        raise file.refused(why, "name a file of public/data/tasks, or a results.json")
    if not isinstance(named, str) or not named.strip() or not named.isprintable():
        raise file.refused("it does not say its `task`", "name it: --task TASK")
    if not named.startswith("v3/"):
        named = f"v3/{named.strip()}"
    rows: list[PublishedRow] = []
    seen: dict[object, list[PublishedRow]] = {}
    for place, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise file.refused(f"configuration {place}: it is no object", "take the file as it was published")
        row = _row(ForeignRow(file.name, f"configuration {place}", entry), file, named)
        alike = seen.setdefault(row_key(row), [])
        if row not in alike:
            alike.append(row)
            rows.append(row)
    return rows


def _row(row: ForeignRow, file: ForeignFile, task: str) -> PublishedRow:
    energy = next((name for name in _ENERGY_OF if row.cells.get(name) is not None), None)
    if energy is None:
        raise row.refused(None, f"it has none of {', '.join(_ENERGY_OF)}")
    unit = _ENERGY_OF[energy]
    text = unit == "request"
    latency_s: dict[str, float] = {}
    tokens_per_s = tokens = None
    if text:
        tokens_per_s = row.number("output_throughput_tokens_per_sec")
        tokens = row.optional_number("avg_output_len")
        batch = row.number("avg_batch_size")
        latency_s["tpot_mean"] = row.derived("avg_batch_size", little_tpot_s(batch, tokens_per_s))
        if tokens is not None:
            latency_s["e2el_mean"] = row.derived("avg_output_len", latency_s["tpot_mean"] * tokens)
        for theirs, ours in _ITL.items():
            found = row.optional_number(theirs, positive=False)
            if found is not None:
                latency_s[ours] = found * _MS
    else:
        batch = float(row.whole("batch_size"))
        latency_s["e2el_mean"] = row.number("batch_latency_s")
    return published_row(
        model=row.text("model_id"),
        device=row.text("gpu_model"),
        n_devices=row.whole("num_gpus"),
        task=task,
        unit=unit,
        energy_j=row.number(energy, positive=False),
        latency_s=latency_s,
        tpot_definition=LITTLE + _ITL_NOTE if text else None,
        tokens_per_second=tokens_per_s,
        mean_completion_tokens=tokens,
        mean_batch=batch,
        mean_power_w=row.optional_number("avg_power_watts", positive=False),
        settings=_settings(row),
        source=file.cited(PUBLICATION),
        licence=LICENCE,
    )


def _settings(row: ForeignRow) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for theirs, ours in PUBLISHED_NAMES.items():
        value = row.optional_whole(theirs)
        if value is not None:
            found[ours] = value
    if row.cells.get("weight_precision") is not None:
        found["quantization"] = row.text("weight_precision")
    return found
