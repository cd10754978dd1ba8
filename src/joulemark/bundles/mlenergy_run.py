"""The ``results.json`` of one run of the ML.ENERGY benchmark (v3), as one row."""

from __future__ import annotations

import math
from typing import Any

from joulemark.bundles.foreign_file import ForeignFile
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.published import published_row
from joulemark.metrics.setup import Setting
from joulemark.record.axis import PUBLISHED_NAMES
from joulemark.record.published import PublishedRow
from joulemark.record.reason import Reason

PUBLICATION = "a run of the ML.ENERGY Benchmark v3"
MIN_STEADY_S = 20.0
"""The shortest steady state that the benchmark's authors publish."""
CLIENT_TPOT = (
    "tpot = (latency - TTFT) / (n - 1), a mean and percentiles over requests; all latencies are of the whole "
    "run, ramps included, the energy of its steady state"
)
_STATISTICS = {"mean": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
_LATENCIES = ("ttft", "tpot", "itl", "e2el")
_ENGINE_AXES = ("max_num_seqs", "max_num_batched_tokens")
_AXES = {name: PUBLISHED_NAMES[name] for name in _ENGINE_AXES} | {
    "max_output_tokens": "max_output_tokens",
    "max_concurrency": "concurrency",
}
_MEDIA = ("batch_size", "inference_steps", "num_frames", "height", "width", "fps")
_MEDIA_AXES = {name: PUBLISHED_NAMES[name] for name in _MEDIA}


def is_run(document: dict[str, Any]) -> bool:
    """Tell whether a document is that of one run."""
    return "steady_state_energy_per_token" in document or "iteration_energy_measurements" in document


def run_row(file: ForeignFile, document: dict[str, Any], task: str | None) -> PublishedRow:
    """Return the run's row; raises `InputError`.

    The task stands in the path (``…/TASK/results/MODEL/…``) or is named. A steady state shorter than
    `MIN_STEADY_S` gives no energy.
    """
    named = f"v3-run/{(task or _task_in_path(file)).removeprefix('v3-run/')}"
    row = ForeignRow(file.name, "the run", document)
    if "iteration_energy_measurements" in document:
        return _media_row(file, row, document, named)
    return _text_row(file, row, named)


def _text_row(file: ForeignFile, row: ForeignRow, task: str) -> PublishedRow:
    latency_s = {
        f"{latency}_{ours}": found / 1e3
        for latency in _LATENCIES
        for theirs, ours in _STATISTICS.items()
        if (found := row.optional_number(f"{theirs}_{latency}_ms", positive=False)) is not None
    }
    completed = row.number("completed", positive=False)
    tokens = row.number("total_output_tokens", positive=False)
    steady_s = row.number("steady_state_duration", positive=False)
    per_token_j = row.number("steady_state_energy_per_token", positive=False)
    reasons: dict[str, str] = {}
    energy_j: float | None = None
    mean_tokens: float | None = None
    if completed == 0 or tokens == 0:
        reasons = dict.fromkeys(("energy_j", "mean_completion_tokens"), Reason.TOO_FEW_TOKENS.value)
    else:
        mean_tokens = tokens / completed
        if steady_s < MIN_STEADY_S:
            reasons["energy_j"] = Reason.WINDOW_TOO_SHORT.value
        else:
            energy_j = row.derived("steady_state_energy_per_token", per_token_j * mean_tokens)
    steady_j = row.optional_number("steady_state_energy", positive=False)
    known = energy_j is not None and steady_j is not None
    settings: dict[str, Setting] = {}
    for theirs, ours in _AXES.items():
        value = row.cells.get(theirs)
        if value is not None and not isinstance(value, str):
            settings[ours] = row.whole(theirs)
    rate = row.cells.get("request_rate")
    if rate not in (None, "inf", math.inf):
        settings["rate"] = row.number("request_rate")
    return published_row(
        model=row.text("model_id"),
        device=row.text("gpu_model"),
        n_devices=row.whole("num_gpus"),
        task=task,
        unit="request",
        energy_j=energy_j,
        latency_s=latency_s,
        tpot_definition=CLIENT_TPOT,
        tokens_per_second=(
            row.derived("steady_state_energy", steady_j / per_token_j / steady_s)
            if known and steady_j is not None and per_token_j
            else None
        ),
        mean_completion_tokens=mean_tokens,
        mean_power_w=steady_j / steady_s if known and steady_j is not None else None,
        settings=settings,
        source=file.cited(PUBLICATION),
        licence=None,
        reasons=reasons,
    )


def _media_row(file: ForeignFile, row: ForeignRow, document: dict[str, Any], task: str) -> PublishedRow:
    batch = row.whole("batch_size")
    iterations = document["iteration_energy_measurements"]
    if not isinstance(iterations, list) or not iterations:
        raise row.refused("iteration_energy_measurements", "there is none")
    energies, times = [], []
    for number, one in enumerate(iterations, start=1):
        by_device = one.get("gpu_energy") if isinstance(one, dict) else None
        if not isinstance(by_device, dict) or not by_device:
            raise row.refused("iteration_energy_measurements", f"iteration {number} has no `gpu_energy`")
        devices = ForeignRow(file.name, f"iteration {number}", by_device)
        energies.append(math.fsum(devices.number(name, positive=False) for name in by_device))
        times.append(ForeignRow(file.name, f"iteration {number}", one).number("time"))
    settings: dict[str, Setting] = {
        ours: value
        for theirs, ours in _MEDIA_AXES.items()
        if (value := row.optional_whole(theirs)) is not None
    }
    inner = document.get("configurations")
    if isinstance(inner, dict):
        degrees = ForeignRow(file.name, "configurations", inner)
        for name in ("ulysses_degree", "ring_degree"):
            value = degrees.optional_whole(name)
            if value is not None:
                settings[name] = value
        if isinstance(inner.get("use_torch_compile"), bool):
            settings["torch_compile"] = inner["use_torch_compile"]
    mean_j, mean_s = math.fsum(energies) / len(energies), math.fsum(times) / len(times)
    device = document.get("gpu_model")
    return published_row(
        model=row.text("model_id"),
        device=device if isinstance(device, str) and device.strip() else None,
        n_devices=len(iterations[0]["gpu_energy"]),
        task=task,
        unit="video" if "frames" in settings else "image",
        energy_j=row.derived("batch_size", mean_j / batch),
        latency_s={"e2el_mean": row.derived("iteration_energy_measurements", mean_s)},
        mean_batch=float(batch),
        mean_power_w=row.derived("iteration_energy_measurements", mean_j / mean_s),
        settings=settings,
        source=file.cited(PUBLICATION),
        licence=None,
    )


def _task_in_path(file: ForeignFile) -> str:
    parts = file.folder.parts
    at = [k for k, part in enumerate(parts) if part == "results" and k > 0]
    if not at:
        why = "neither the file nor its folders (…/TASK/results/MODEL/…) say which task it is of"
        raise file.refused(why, "name it: --task gpqa")
    return parts[at[-1] - 1]
