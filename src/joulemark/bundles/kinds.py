"""The kinds of files that can be imported, by the name that the command line gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from joulemark.bundles.aiperf import read_aiperf
from joulemark.bundles.foreign_file import ForeignFile, read_foreign
from joulemark.bundles.guidellm import read_guidellm
from joulemark.bundles.inspect_log import read_inspect
from joulemark.bundles.llama_bench import read_llama_bench
from joulemark.bundles.lm_eval import read_lm_eval
from joulemark.bundles.mlenergy import read_mlenergy
from joulemark.bundles.mlenergy_v1 import read_mlenergy_v1
from joulemark.bundles.store import Stored, store
from joulemark.bundles.vllm_bench import read_vllm_bench
from joulemark.record.errors import InputError
from joulemark.record.published import PublishedRow, PublishedRows

Reader = Callable[[ForeignFile, str | None], list[PublishedRow]]


@dataclass(frozen=True, slots=True)
class ImportKind:
    """A kind of file. ``read`` gets the file and the task that was named (null where none was)."""

    name: str
    title: str
    read: Reader


KINDS: Mapping[str, ImportKind] = {
    kind.name: kind
    for kind in (
        ImportKind(
            "mlenergy",
            "ML.ENERGY: a CSV of early 2025, a task file of the v3 leaderboard, a run's results.json",
            read_mlenergy,
        ),
        ImportKind(
            "mlenergy-v1",
            "ML.ENERGY 2023: GPU_TASK_benchmark.csv with score.csv beside it",
            read_mlenergy_v1,
        ),
        ImportKind("vllm-bench", "vLLM: the JSON of `vllm bench serve --save-result`", read_vllm_bench),
        ImportKind("guidellm", "GuideLLM: benchmarks.json", read_guidellm),
        ImportKind("aiperf", "AIPerf: profile_export_aiperf.json", read_aiperf),
        ImportKind("llama-bench", "llama.cpp: `llama-bench -o json` or `-o jsonl`", read_llama_bench),
        ImportKind("lm-eval", "lm-evaluation-harness: results_….json", read_lm_eval),
        ImportKind("inspect", "Inspect: a log as JSON (`inspect log dump LOG.eval`)", read_inspect),
    )
}


def import_file(
    kind: str, path: Path, into: Path, *, task: str | None = None, replace: bool = False
) -> Stored:
    """Read a file of a kind and store its rows in the folder ``into``; raises `InputError`.

    The same bytes again change nothing. ``replace``: rows of an older version of the file give way.
    """
    found = KINDS.get(kind)
    if found is None:
        raise InputError(f"there is no import kind {kind!r}", fix=f"one of: {', '.join(KINDS)}")
    file = read_foreign(path)
    rows = found.read(file, task)
    document = PublishedRows(
        source=rows[0].source, imported_utc=datetime.now(UTC).isoformat(timespec="seconds"), rows=rows
    )
    return store(document, into, stem=f"{kind}-{file.stem}", digest=file.sha256[:12], replace=replace)
