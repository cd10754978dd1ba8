"""AIPerf's ``profile_export_aiperf.json``: one load of a server, with GPU energy where its telemetry ran.

Not yet met a real file: the fields are those of AIPerf's published schema of the file (0.12 to 0.14).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from joulemark.bundles.foreign_file import ForeignFile, json_document
from joulemark.bundles.foreign_parts import SECONDS, needs_task, part, wrong_kind
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.published import published_row
from joulemark.metrics.setup import Setting
from joulemark.record.published import PublishedRow

PUBLICATION = "AIPerf"
TPOT = "tpot is their inter-token latency, (latency - TTFT) / (n - 1) of each request"
OF_TELEMETRY = (
    "; joules are those of all boards' counters over the whole profile, failed requests and the ends of the "
    "load inside, over the requests that were answered"
)
_LATENCIES = {
    "time_to_first_token": "ttft",
    "inter_token_latency": "tpot",
    "inter_chunk_latency": "icl",
    "request_latency": "e2el",
}
_STATISTICS = {"avg": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
_JOULES = {"mJ": 1e-3, "J": 1.0, "kJ": 1e3, "MJ": 1e6, "Wh": 3600.0, "kWh": 3.6e6}


def read_aiperf(file: ForeignFile, task: str | None) -> list[PublishedRow]:
    """Return the row of an export; raises `InputError`. ``task`` names the data set that was asked."""
    document = json_document(file)
    if "request_latency" not in document or "request_count" not in document:
        raise wrong_kind(file, "AIPerf")
    named = f"aiperf/{needs_task(file, task, 'synthetic-512-256').removeprefix('aiperf/')}"
    requests = part(file, document, "request_count").number("avg")
    energy_j, device, boards = _energy(file, document)
    settings: dict[str, Setting] = {}
    load = part(file, document, "input_config", "loadgen")
    if (concurrency := load.optional_whole("concurrency")) is not None:
        settings["concurrency"] = concurrency
    if (rate := load.optional_number("request_rate")) is not None:
        settings["rate"] = rate
    return [
        published_row(
            model=_model(file, document),
            device=device,
            n_devices=boards or None,
            task=named,
            unit="request",
            energy_j=None if energy_j is None else energy_j / requests,
            latency_s=_latencies(file, document),
            tpot_definition=TPOT + (OF_TELEMETRY if energy_j is not None else ""),
            tokens_per_second=_mean(part(file, document, "output_token_throughput")),
            mean_completion_tokens=_mean(part(file, document, "output_sequence_length")),
            settings=settings,
            source=file.cited(PUBLICATION),
            licence=None,
        )
    ]


def _mean(metric: ForeignRow) -> float | None:
    return metric.optional_number("avg", positive=False) or None


def _latencies(file: ForeignFile, document: Mapping[str, Any]) -> dict[str, float]:
    found = {}
    for theirs, ours in _LATENCIES.items():
        metric = part(file, document, theirs)
        if not metric.cells:
            continue
        unit = metric.text("unit")
        if unit not in SECONDS:
            raise metric.refused("unit", "it is no time")
        for statistic, name in _STATISTICS.items():
            if (value := metric.optional_number(statistic, positive=False)) is not None:
                found[f"{ours}_{name}"] = value * SECONDS[unit]
    return found


def _energy(file: ForeignFile, document: Mapping[str, Any]) -> tuple[float | None, str | None, int]:
    """Return joules of all boards (null where one has none), their common name, and how many they are."""
    joules, names = [], []
    endpoints = part(file, document, "telemetry_data", "endpoints").cells
    for endpoint in endpoints:
        gpus = part(file, endpoints, endpoint, "gpus").cells
        for gpu in gpus:
            names.append(part(file, gpus, gpu).cells.get("gpu_name"))
            metric = part(file, gpus, gpu, "metrics", "energy_consumption")
            value = metric.optional_number("avg", positive=False) if metric.cells else None
            if value is not None and metric.text("unit") not in _JOULES:
                raise metric.refused("unit", "it is no energy")
            joules.append(math.nan if value is None else value * _JOULES[metric.text("unit")])
    total = math.fsum(joules) if joules and not any(map(math.isnan, joules)) else None
    same = names[0] if names and len(set(map(str, names))) == 1 and isinstance(names[0], str) else None
    return total, same, len(names)


def _model(file: ForeignFile, document: Mapping[str, Any]) -> str:
    endpoint = part(file, document, "input_config", "endpoint")
    names = endpoint.cells.get("model_names")
    if isinstance(names, list) and len(names) == 1 and isinstance(names[0], str):
        return ForeignRow(file.name, "input_config.endpoint", {"model": names[0]}).text("model")
    raise endpoint.refused("model_names", "it names no one model", "take a profile of one model")
