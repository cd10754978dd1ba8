"""Results of other tools: files written by hand with the fields of their own schemas."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from joulemark.bundles.kinds import KINDS, import_file
from joulemark.metrics.published_points import published_point
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates
from joulemark.record.published import PublishedRow

VLLM = {
    "date": "20261101-101010",
    "endpoint_type": "openai-comp",
    "backend": "openai-comp",
    "label": None,
    "model_id": "org/model-8b",
    "tokenizer_id": "org/model-8b",
    "num_prompts": 100,
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 32,
    "duration": 50.0,
    "completed": 100,
    "failed": 0,
    "total_input_tokens": 51200,
    "total_output_tokens": 12800,
    "request_throughput": 2.0,
    "request_goodput": None,
    "output_throughput": 256.0,
    "total_token_throughput": 1280.0,
    "mean_ttft_ms": 120.0,
    "median_ttft_ms": 100.0,
    "std_ttft_ms": 20.0,
    "p99_ttft_ms": 300.0,
    "mean_tpot_ms": 20.0,
    "median_tpot_ms": 19.0,
    "p99_tpot_ms": 40.0,
    "mean_itl_ms": 20.0,
    "median_itl_ms": 18.0,
    "p99_itl_ms": 60.0,
}


def _distribution(mean: float) -> dict[str, Any]:
    spread = {"p50": mean, "p90": 2 * mean, "p95": 3 * mean, "p99": 4 * mean}
    one = {"mean": mean, "median": mean, "std_dev": 1.0, "count": 10, "min": 0.0, "percentiles": spread}
    return {"successful": one, "incomplete": None, "errored": None, "total": one}


GUIDELLM = {
    "metadata": {"version": 1, "guidellm_version": "0.5.0"},
    "args": {"model": "org/model-8b", "data": ["prompt_tokens=512,output_tokens=256"]},
    "benchmarks": [
        {
            "type_": "generative_benchmark",
            "config": {"strategy": {"type_": "concurrent", "streams": streams}},
            "metrics": {
                "time_to_first_token_ms": _distribution(100.0 * streams),
                "inter_token_latency_ms": _distribution(20.0),
                "time_per_output_token_ms": _distribution(25.0),
                "request_latency": _distribution(5.0),
                "output_token_count": _distribution(256.0),
                "output_tokens_per_second": _distribution(51.2 * streams),
                "request_concurrency": _distribution(float(streams)),
            },
        }
        for streams in (1, 8)
    ],
}
AIPERF = {
    "schema_version": "1.2",
    "request_throughput": {"unit": "requests/sec", "avg": 2.0},
    "request_latency": {"unit": "ms", "avg": 5000.0, "p50": 4900.0, "p99": 9000.0, "std": 3.0},
    "request_count": {"unit": "requests", "avg": 100.0},
    "time_to_first_token": {"unit": "ms", "avg": 150.0, "p99": 400.0},
    "inter_token_latency": {"unit": "ms", "avg": 20.0, "p95": 30.0},
    "output_token_throughput": {"unit": "tokens/sec", "avg": 500.0},
    "output_sequence_length": {"unit": "tokens", "avg": 250.0},
    "input_config": {"endpoint": {"model_names": ["org/model-8b"]}, "loadgen": {"concurrency": 16}},
    "telemetry_data": {
        "endpoints": {
            "localhost:9400": {
                "gpus": {
                    f"gpu_{k}": {
                        "gpu_index": k,
                        "gpu_name": "NVIDIA H100 80GB HBM3",
                        "metrics": {"energy_consumption": {"unit": "MJ", "avg": 0.0125}},
                    }
                    for k in range(2)
                }
            }
        }
    },
}
LLAMA = [
    {
        "build_commit": "8cf427ff",
        "build_number": 5163,
        "cpu_info": "A processor",
        "gpu_info": gpu,
        "backends": "CUDA",
        "model_filename": "models/model-7b-q4_0.gguf",
        "model_type": "llama 7B Q4_0",
        "n_batch": 2048,
        "n_ubatch": 512,
        "n_threads": 8,
        "type_k": "f16",
        "type_v": "f16",
        "n_gpu_layers": 99,
        "n_prompt": prompt,
        "n_gen": output,
        "n_depth": 0,
        "test_time": "2026-04-24T11:57:09Z",
        "avg_ns": 1_000_000_000,
        "stddev_ns": 1,
        "avg_ts": 512.0 if prompt else 128.0,
        "stddev_ts": 1.0,
    }
    for gpu, prompt, output in (("NVIDIA RTX 4080", 512, 0), ("NVIDIA RTX 4080", 0, 128), ("", 0, 128))
]
LM_EVAL = {
    "results": {
        "gsm8k": {
            "alias": "gsm8k",
            "exact_match,strict-match": 0.5,
            "exact_match_stderr,strict-match": 0.01,
            "exact_match,flexible-extract": 0.55,
        },
        "arc_easy": {"alias": "arc_easy", "acc,none": 0.8, "acc_norm,none": 0.78},
        "wikitext": {"alias": "wikitext", "word_perplexity,none": 12.0},
    },
    "versions": {"gsm8k": 3.0},
    "n-shot": {"gsm8k": 5, "arc_easy": 0},
    "n-samples": {"gsm8k": {"original": 1319, "effective": 200}},
    "config": {"model": "hf", "model_args": "pretrained=org/model-8b", "limit": 200.0},
    "model_name": "org/model-8b",
}
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "theory_of_mind", "model": "openai/model-8b", "config": {"epochs": 2}},
    "results": {
        "total_samples": 50,
        "completed_samples": 50,
        "scores": [
            {
                "name": "match",
                "scorer": "match",
                "metrics": {
                    "accuracy": {"name": "accuracy", "value": 0.62},
                    "stderr": {"name": "stderr", "value": 0.05},
                },
            }
        ],
    },
    "stats": {"model_usage": {"openai/model-8b": {"input_tokens": 5000, "output_tokens": 20000}}},
}
FILES: dict[str, Any] = {
    "vllm-bench": VLLM,
    "guidellm": GUIDELLM,
    "aiperf": AIPERF,
    "llama-bench": LLAMA,
    "lm-eval": LM_EVAL,
    "inspect": INSPECT,
}
TASKS = {"vllm-bench": "sharegpt", "guidellm": "synthetic", "aiperf": "synthetic"}


def rows(tmp_path: Path, kind: str, document: Any = None, task: str | None = "usual") -> list[PublishedRow]:
    path = tmp_path / f"{kind}.json"
    path.write_text(json.dumps(FILES[kind] if document is None else document))
    named = TASKS.get(kind) if task == "usual" else task
    return list(import_file(kind, path, tmp_path / "rows", task=named, replace=True).rows)


def test_vllm(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "vllm-bench")
    assert (row.model, row.task, row.unit) == ("org/model-8b", "vllm-bench/sharegpt", "request")
    assert row.latency_s["ttft_mean"] == 0.12
    assert row.latency_s["ttft_p50"] == 0.1
    assert row.latency_s["tpot_p99"] == 0.04
    assert row.tokens_per_second == 256.0
    assert row.mean_completion_tokens == 128.0
    assert row.settings == {"concurrency": 32}
    assert row.energy_j is None


def test_guidellm_takes_its_own_names_for_what_they_are(tmp_path: Path) -> None:
    one, eight = rows(tmp_path, "guidellm")
    assert one.latency_s["tpot_mean"] == 0.02  # not the 25 ms, which hold the first token
    assert eight.latency_s["ttft_p99"] == pytest.approx(3.2)
    assert one.latency_s["e2el_p90"] == 10.0
    assert [row.settings["concurrency"] for row in (one, eight)] == [1, 8]
    assert eight.tokens_per_second == pytest.approx(409.6)
    assert eight.mean_batch == 8.0


def test_aiperf_has_joules_where_its_telemetry_has(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "aiperf")
    assert row.energy_j == pytest.approx(2 * 12_500 / 100)
    assert (row.device, row.n_devices) == ("NVIDIA H100 80GB HBM3", 2)
    assert row.latency_s["tpot_p95"] == 0.03
    assert row.settings == {"concurrency": 16}
    without = copy.deepcopy(AIPERF)
    del without["telemetry_data"]["endpoints"]["localhost:9400"]["gpus"]["gpu_1"]["metrics"]  # type: ignore[index]
    (row,) = rows(tmp_path, "aiperf", without)
    assert row.energy_j is None  # half of the boards is not the energy
    assert row.reasons["energy_j"] == "not_published"


def test_llama_bench(tmp_path: Path) -> None:
    prompt, output, on_cpu = rows(tmp_path, "llama-bench")
    assert (prompt.task, output.task) == ("llama-bench/pp512", "llama-bench/tg128")
    assert prompt.model == "model-7b-q4_0.gguf"
    assert (prompt.device, on_cpu.device) == ("NVIDIA RTX 4080", "A processor")
    assert prompt.tokens_per_second is None  # those of a prompt are no output tokens
    assert output.tokens_per_second == 128.0
    assert output.latency_s["tpot_mean"] == pytest.approx(1 / 128)
    lines = tmp_path / "bench.jsonl"
    lines.write_text("\n".join(map(json.dumps, LLAMA[:2])))
    assert len(import_file("llama-bench", lines, tmp_path / "more").rows) == 2


def test_lm_eval(tmp_path: Path) -> None:
    gsm8k, arc = rows(tmp_path, "lm-eval")
    assert (gsm8k.task, gsm8k.accuracy) == ("lm-eval/gsm8k", 0.55)
    assert gsm8k.settings == {
        "metric": "exact_match,flexible-extract", "n_shot": 5, "n_samples": 200, "limit": 200.0,
    }  # fmt: skip
    assert arc.accuracy == 0.8
    assert gsm8k.latency_s == {}
    (only,) = rows(tmp_path, "lm-eval", task="arc_easy")
    assert only.task == "lm-eval/arc_easy"


def test_inspect(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "inspect")
    assert (row.model, row.task, row.accuracy) == ("openai/model-8b", "inspect/theory_of_mind", 0.62)
    assert row.mean_completion_tokens == 200.0
    assert row.settings == {"n_samples": 50, "scorer": "match", "epochs": 2}


@pytest.mark.parametrize("kind", FILES)
def test_nulls_have_reasons_and_points_are_made(tmp_path: Path, kind: str) -> None:
    for row in rows(tmp_path, kind):
        nulls = {name for name, value in row if value is None}
        assert nulls <= set(row.reasons)
        assert published_point(row, Rates()).kind == "published"
        assert row.source.endswith(row.source.rpartition("sha256 ")[2])


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("other", FILES)
def test_a_file_of_another_tool_is_told(tmp_path: Path, kind: str, other: str) -> None:
    if kind != other:
        with pytest.raises(InputError):
            rows(tmp_path, kind, FILES[other], task="x")


def spoiled(document: Any, *path: Any, to: Any) -> Any:
    made = copy.deepcopy(document)
    place = made
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    return made


@pytest.mark.parametrize(
    ("kind", "path", "to", "said"),
    [
        ("vllm-bench", ("mean_ttft_ms",), -1, "mean_ttft_ms"),
        ("vllm-bench", ("completed",), 0, "completed"),
        ("vllm-bench", ("model_id",), 7, "model_id"),
        ("vllm-bench", ("output_throughput",), "fast", "output_throughput"),
        ("guidellm", ("benchmarks",), [], "benchmarks"),
        ("guidellm", ("benchmarks", 0, "metrics"), 3, "metrics"),
        ("guidellm", ("benchmarks", 1, "config", "strategy", "streams"), 1, "repeats"),
        ("guidellm", ("args", "model"), None, "which model"),
        ("aiperf", ("request_latency", "unit"), "parsecs", "no time"),
        ("aiperf", ("request_count", "avg"), 0, "request_count"),
        ("aiperf", ("input_config", "endpoint", "model_names"), ["a", "b"], "no one model"),
        ("llama-bench", (0, "avg_ns"), 0, "avg_ns"),
        ("llama-bench", (0, "n_prompt"), 0, "neither"),
        ("llama-bench", (2, "gpu_info"), "NVIDIA RTX 4080", "repeats"),
        ("lm-eval", ("results", "gsm8k", "exact_match,flexible-extract"), 55.0, "no share"),
        ("lm-eval", ("results",), {"wikitext": {"word_perplexity,none": 3}}, "accuracy"),
        ("inspect", ("status",), "error", "status"),
        ("inspect", ("results", "scores", 0, "metrics"), {}, "accuracy"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    tmp_path: Path, kind: str, path: tuple[Any, ...], to: Any, said: str
) -> None:
    with pytest.raises(InputError) as error:
        rows(tmp_path, kind, spoiled(FILES[kind], *path, to=to))
    assert said in f"{error.value.what} {error.value.why} {error.value.fix}"


@pytest.mark.parametrize("kind", TASKS)
def test_what_was_asked_has_to_be_named(tmp_path: Path, kind: str) -> None:
    with pytest.raises(InputError, match="cannot be imported") as error:
        rows(tmp_path, kind, task=None)
    assert "--task" in error.value.fix


def test_every_kind_is_in_the_help() -> None:
    from joulemark.cli.import_ import import_

    for kind in KINDS:
        assert f"\n      {kind} " in (import_.help or "") or f"  {kind} " in (import_.help or "")
