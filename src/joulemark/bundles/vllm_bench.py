"""``vllm bench serve --save-result``: one load of a server, its rates and latencies; no energy.

Not yet met a real file: the fields are those of vLLM's own ``benchmarks/serve.py``, as of 2026.
"""

from __future__ import annotations

from joulemark.bundles.foreign_file import ForeignFile, json_document
from joulemark.bundles.foreign_parts import needs_task, wrong_kind
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.published import published_row
from joulemark.metrics.setup import Setting
from joulemark.record.published import PublishedRow

PUBLICATION = "vllm bench serve"
TPOT = "tpot = (latency - TTFT) / (n - 1) of each request; itl = gaps between chunks as they came"
_STATISTICS = {"mean": "mean", "median": "p50", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
_LATENCIES = ("ttft", "tpot", "itl", "e2el")


def read_vllm_bench(file: ForeignFile, task: str | None) -> list[PublishedRow]:
    """Return the row of a result file; raises `InputError`. ``task`` names the data set that was asked."""
    document = json_document(file)
    if "model_id" not in document or "output_throughput" not in document:
        raise wrong_kind(file, "vllm bench serve")
    row = ForeignRow(file.name, "the result", document)
    named = needs_task(file, task, "sharegpt")
    completed = row.whole("completed")
    tokens = row.number("total_output_tokens", positive=False)
    settings: dict[str, Setting] = {}
    if (most := row.optional_whole("max_concurrency")) is not None:
        settings["concurrency"] = most
    if document.get("request_rate") not in (None, "inf", float("inf")):
        settings["rate"] = row.number("request_rate")
    if (burstiness := row.optional_number("burstiness")) not in (None, 1.0):
        settings["burstiness"] = burstiness
    return [
        published_row(
            model=row.text("model_id"),
            task=f"vllm-bench/{named.removeprefix('vllm-bench/')}",
            unit="request",
            energy_j=None,
            latency_s={
                f"{latency}_{ours}": found / 1e3
                for latency in _LATENCIES
                for theirs, ours in _STATISTICS.items()
                if (found := row.optional_number(f"{theirs}_{latency}_ms", positive=False)) is not None
            },
            tpot_definition=TPOT,
            tokens_per_second=row.number("output_throughput", positive=False) or None,
            mean_completion_tokens=(tokens / completed) or None,
            settings=settings,
            source=file.cited(PUBLICATION),
            licence=None,
        )
    ]
