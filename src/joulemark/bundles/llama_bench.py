"""``llama-bench -o json`` and ``-o jsonl``: times of prompts and of outputs inside llama.cpp; no energy.

Not yet met a real file: the fields are those of llama.cpp's own documentation of the tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from joulemark.bundles.foreign_file import ForeignFile
from joulemark.bundles.foreign_parts import objects, wrong_kind
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.published import published_row, refuse_repeated
from joulemark.metrics.setup import Setting
from joulemark.record.published import PublishedRow

PUBLICATION = "llama-bench"
INSIDE = (
    "e2el is the time of a test inside the engine, without sampling, tokenising or a server; tpot that of an "
    "output token of a test without a prompt"
)
_SETTINGS = ("n_batch", "n_ubatch", "n_threads", "n_gpu_layers", "n_depth")


def read_llama_bench(file: ForeignFile, task: str | None) -> list[PublishedRow]:
    """Return a row a test; raises `InputError`. The task is the test: ``llama-bench/pp512``, ``…/tg128``."""
    made = []
    for number, one in enumerate(_tests(file), 1):
        row = ForeignRow(file.name, f"test {number}", one)
        made.append((row, _row(file, row, one, task)))
    return refuse_repeated(made, "model, device, test and settings")


def _tests(file: ForeignFile) -> list[Mapping[str, Any]]:
    try:
        if file.text.lstrip()[:1] == "[":
            found = orjson.loads(file.text)
        else:
            found = [orjson.loads(line) for line in file.text.splitlines() if line.strip()]
    except orjson.JSONDecodeError as error:
        raise file.refused(
            f"line {error.lineno}: {error.msg}", "write it with llama-bench -o json"
        ) from error
    tests = objects(file, found, "the tests")
    if not all("avg_ts" in one and "model_filename" in one for one in tests):
        raise wrong_kind(file, "llama-bench -o json")
    return tests


def _row(file: ForeignFile, row: ForeignRow, one: Mapping[str, Any], task: str | None) -> PublishedRow:
    prompt = int(row.optional_number("n_prompt", positive=False) or 0)
    output = int(row.optional_number("n_gen", positive=False) or 0)
    if prompt + output <= 0:
        raise row.refused("n_gen", "the test has neither a prompt nor an output")
    name = "+".join(filter(None, (f"pp{prompt}" if prompt else "", f"tg{output}" if output else "")))
    seconds = row.number("avg_ns") / 1e9
    latency_s = {"e2el_mean": seconds}
    if output and not prompt:
        latency_s["tpot_mean"] = seconds / output
    settings: dict[str, Setting] = {}
    for setting in _SETTINGS:
        value = row.optional_number(setting, positive=False) if one.get(setting) != -1 else None
        if value is not None:
            settings[setting] = int(value)
    for setting in ("backends", "model_type", "build_commit", "type_k", "type_v"):
        if isinstance(one.get(setting), str) and one[setting].strip():
            settings[setting] = row.text(setting)
    gpu, cpu = one.get("gpu_info"), one.get("cpu_info")
    device = gpu if isinstance(gpu, str) and gpu.strip() else cpu
    return published_row(
        model=row.text("model_filename").replace("\\", "/").rpartition("/")[2],
        device=device.strip() if isinstance(device, str) and device.strip() else None,
        task=f"llama-bench/{(task or name).removeprefix('llama-bench/')}",
        unit="request",
        energy_j=None,
        latency_s=latency_s,
        tpot_definition=INSIDE,
        tokens_per_second=row.number("avg_ts") if output and not prompt else None,
        mean_completion_tokens=float(output) or None,
        settings=settings,
        source=file.cited(PUBLICATION),
        licence=None,
    )
