"""GuideLLM's ``benchmarks.json``: a load of a server a benchmark, its rates and latencies; no energy.

Not yet met a real file: the fields are those of GuideLLM's own schemas, 0.4 to 0.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joulemark.bundles.foreign_file import ForeignFile, json_document
from joulemark.bundles.foreign_parts import needs_task, objects, part, wrong_kind
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.published import published_row, refuse_repeated
from joulemark.metrics.setup import Setting
from joulemark.record.published import PublishedRow

PUBLICATION = "GuideLLM"
TPOT = (
    "tpot is their inter-token latency, (last - first) / (n - 1) of each request; what they call time per "
    "output token holds the time to the first one"
)
# theirs, ours, and how many of theirs are a second
_LATENCIES = (
    ("time_to_first_token_ms", "ttft", 1e-3),
    ("inter_token_latency_ms", "tpot", 1e-3),
    ("request_latency", "e2el", 1.0),
)
_PERCENTILES = ("p50", "p90", "p95", "p99")


def read_guidellm(file: ForeignFile, task: str | None) -> list[PublishedRow]:
    """Return a row a benchmark of a report; raises `InputError`. ``task`` names the data set."""
    document = json_document(file)
    if "benchmarks" not in document:
        raise wrong_kind(file, "GuideLLM")
    named = f"guidellm/{needs_task(file, task, 'synthetic-512-256').removeprefix('guidellm/')}"
    made = []
    for number, one in enumerate(objects(file, document["benchmarks"], "benchmarks"), 1):
        place = ForeignRow(file.name, f"benchmark {number}", one)
        made.append((place, _row(file, document, one, named)))
    return refuse_repeated(made, "model and load")


def _row(file: ForeignFile, document: Mapping[str, Any], one: Mapping[str, Any], task: str) -> PublishedRow:
    latency_s = {}
    for theirs, ours, factor in _LATENCIES:
        found = part(file, one, "metrics", theirs, "successful")
        if (mean := found.optional_number("mean", positive=False)) is not None:
            latency_s[f"{ours}_mean"] = mean * factor
        percentiles = part(file, one, "metrics", theirs, "successful", "percentiles")
        for name in _PERCENTILES:
            if (value := percentiles.optional_number(name, positive=False)) is not None:
                latency_s[f"{ours}_{name}"] = value * factor
    tokens = part(file, one, "metrics", "output_token_count", "successful").optional_number(
        "mean", positive=False
    )
    rate = part(file, one, "metrics", "output_tokens_per_second", "successful")
    batch = part(file, one, "metrics", "request_concurrency", "successful")
    return published_row(
        model=_model(file, document, one),
        task=task,
        unit="request",
        energy_j=None,
        latency_s=latency_s,
        tpot_definition=TPOT,
        tokens_per_second=rate.optional_number("mean", positive=False) or None,
        mean_completion_tokens=tokens or None,
        mean_batch=batch.optional_number("mean", positive=False) or None,
        settings=_settings(file, one),
        source=file.cited(PUBLICATION),
        licence=None,
    )


def _settings(file: ForeignFile, one: Mapping[str, Any]) -> dict[str, Setting]:
    strategy = part(file, one, "config", "strategy")
    if not strategy.cells:
        strategy = part(file, one, "args", "strategy")
    found: dict[str, Setting] = {}
    if isinstance(kind := strategy.cells.get("type_"), str):
        found["arrival"] = kind[:40]
    if (streams := strategy.optional_whole("streams")) is not None:
        found["concurrency"] = streams
    if (rate := strategy.optional_number("rate")) is not None:
        found["rate"] = rate
    return found


def _model(file: ForeignFile, document: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    for where, name in (
        (part(file, one, "worker"), "backend_model"),
        (part(file, one, "config", "backend"), "model"),
        (part(file, document, "args"), "model"),
    ):
        if where.cells.get(name):
            return where.text(name)
    raise file.refused("it does not say which model answered", "write it in: args.model")
