"""The v3 leaderboard's task files, and the results of a run of the v3 benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from doubles.published_files import Write
from joulemark.bundles.foreign_file import read_foreign
from joulemark.bundles.mlenergy import read_mlenergy
from joulemark.bundles.published import PUBLISHED_AS_ZERO, n_without_energy
from joulemark.metrics.published_points import published_point
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates
from joulemark.record.published import PublishedRow
from joulemark.record.reason import Reason

TEXT: dict[str, Any] = {
    "model_id": "org/model-14b",
    "nickname": "Model 14B",
    "architecture": "Dense",
    "total_params_billions": 14.0,
    "activated_params_billions": 14.0,
    "weight_precision": "bfloat16",
    "gpu_model": "H100",
    "num_gpus": 2,
    "tensor_parallel": 2,
    "expert_parallel": 1,
    "data_parallel": 1,
    "max_num_seqs": 16,
    "max_num_batched_tokens": None,
    "avg_batch_size": 15.0,
    "avg_output_len": 7000.0,
    "avg_power_watts": 900.0,
    "energy_per_token_joules": 1.0,
    "energy_per_request_joules": 7000.0,
    "output_throughput_tokens_per_sec": 900.0,
    "median_itl_ms": 17.0,
    "p90_itl_ms": 18.0,
    "p95_itl_ms": 19.0,
    "p99_itl_ms": 21.0,
}
VIDEO: dict[str, Any] = {
    "model_id": "org/video",
    "gpu_model": "B200",
    "num_gpus": 4,
    "weight_precision": "bfloat16",
    "batch_size": 2,
    "batch_latency_s": 50.0,
    "energy_per_video_joules": 80_000.0,
    "avg_power_watts": 3200.0,
    "throughput_videos_per_sec": 0.04,
    "inference_steps": 50,
    "num_frames": 81,
    "fps": 15,
    "video_height": 480,
    "video_width": 832,
    "ulysses_degree": 2,
    "ring_degree": 2,
}
RUN: dict[str, Any] = {
    "model_id": "org/model",
    "gpu_model": "H100",
    "num_gpus": 1,
    "max_num_seqs": 128,
    "max_num_batched_tokens": None,
    "request_rate": "inf",
    "completed": 100,
    "total_output_tokens": 50_000,
    "steady_state_duration": 60.0,
    "steady_state_energy": 30_000.0,
    "steady_state_energy_per_token": 0.1,
    "mean_ttft_ms": 200.0,
    "p99_ttft_ms": 900.0,
    "mean_tpot_ms": 30.0,
    "p50_tpot_ms": 29.0,
    "median_tpot_ms": 29.0,
    "results": [{"output_text": "…"}],
}
MEDIA_RUN: dict[str, Any] = {
    "model_id": "org/image",
    "batch_size": 4,
    "inference_steps": 30,
    "height": 1024,
    "width": 1024,
    "num_frames": None,
    "total_energy": 9999.0,
    "energy_per_image": 77.0,
    "iteration_energy_measurements": [
        {"time": 2.0, "gpu_energy": {"0": 300.0, "1": 100.0}},
        {"time": 3.0, "gpu_energy": {"0": 500.0, "1": 100.0}},
    ],
    "configurations": {"ulysses_degree": 2, "ring_degree": 1, "use_torch_compile": False},
}


def _read(write: Write, document: object, task: str | None = None, name: str = "task.json"):
    return read_mlenergy(read_foreign(write(json.dumps(document), name=name)), task)


def _task_file(*entries: object, task: str = "gpqa") -> dict[str, Any]:
    return {"task": task, "task_display_name": "x", "configurations": list(entries)}


def test_a_text_entry(write: Write) -> None:
    (row,) = _read(write, _task_file(TEXT))
    assert (row.model, row.device, row.n_devices, row.task) == ("org/model-14b", "H100", 2, "v3/gpqa")
    assert row.energy_j == 7000
    tpot = 15 / 900
    expected = {"tpot_mean": tpot, "e2el_mean": tpot * 7000}
    expected |= {"itl_p50": 0.017, "itl_p90": 0.018, "itl_p95": 0.019, "itl_p99": 0.021}
    assert row.latency_s == pytest.approx(expected)
    assert row.settings == {
        "max_batch": 16,
        "tensor_parallel": 2,
        "expert_parallel": 1,
        "data_parallel": 1,
        "quantization": "bfloat16",
    }


def test_a_video_entry(write: Write) -> None:
    (row,) = _read(write, _task_file(VIDEO, task="text-to-video"))
    assert (row.task, row.unit, row.energy_j) == ("v3/text-to-video", "video", 80_000)
    assert row.latency_s == {"e2el_mean": 50.0}
    assert row.settings["height"] == 480
    assert row.settings["ring_degree"] == 2


def test_an_entry_twice_counts_once_and_two_that_differ_in_figures_stay(write: Write) -> None:
    other = {**TEXT, "energy_per_request_joules": 7100.0}
    assert [row.energy_j for row in _read(write, _task_file(TEXT, other, TEXT))] == [7000, 7100]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"avg_batch_size": "NaN"}, "configuration 2, column 'avg_batch_size'"),
        ({"num_gpus": True}, "column 'num_gpus'"),
        ({"num_gpus": 0}, "column 'num_gpus'"),
        ({"model_id": 7}, "column 'model_id'"),
        ({"output_throughput_tokens_per_sec": None}, "it is empty"),
        ({"energy_per_request_joules": None}, "it has none of"),
        ({"energy_per_request_joules": -1.0}, "zero or more"),
        ({"weight_precision": ["a"]}, "no text"),
    ],
)
def test_an_entry_that_cannot_be_is_named(write: Write, change: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as refused:
        _read(write, _task_file(TEXT, {**TEXT, **change}))
    assert told in refused.value.why
    assert "configuration 2" in refused.value.why


def test_a_number_that_no_float_holds_is_refused(write: Write) -> None:
    text = json.dumps(_task_file(TEXT)).replace('"num_gpus": 2', '"num_gpus": 1e400')
    with pytest.raises(InputError):
        read_mlenergy(read_foreign(write(text, name="task.json")), None)


@pytest.mark.parametrize(
    "document",
    [_task_file(), {"configurations": [TEXT]}, _task_file(7), {"task": "x", "configurations": "y"}],
)
def test_a_document_that_is_none_is_refused(write: Write, document: object) -> None:
    with pytest.raises(InputError):
        _read(write, document)


def test_the_results_of_a_run(write: Write, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "llm" / "gpqa" / "results" / "org" / "model" / "H100"
    folder.mkdir(parents=True)
    (row,) = _read(write, RUN, name=str(folder.relative_to(tmp_path) / "results.json"))
    assert row.task == "v3-run/gpqa"
    assert row.energy_j == pytest.approx(0.1 * 500)
    assert row.latency_s == pytest.approx(
        {"ttft_mean": 0.2, "ttft_p99": 0.9, "tpot_mean": 0.03, "tpot_p50": 0.029}
    )
    assert row.tokens_per_second == pytest.approx(30_000 / 0.1 / 60)
    assert row.mean_power_w == 500
    assert row.settings == {"max_batch": 128}
    assert row.licence is None


def test_a_run_needs_its_task(write: Write) -> None:
    with pytest.raises(InputError, match="--task"):
        _read(write, RUN, name="results.json")
    assert _read(write, RUN, "gpqa", name="results.json")[0].task == "v3-run/gpqa"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"steady_state_duration": 3.0}, "window_too_short"),
        ({"completed": 0, "total_output_tokens": 0}, "too_few_tokens"),
    ],
)
def test_a_run_without_a_steady_state_has_no_energy(
    write: Write, change: dict[str, object], reason: str
) -> None:
    (row,) = _read(write, {**RUN, **change}, "gpqa")
    assert row.energy_j is None
    assert row.reasons["energy_j"] == reason
    assert row.tokens_per_second is None


def test_media_of_a_run_are_counted_without_the_saving_to_disk(write: Write) -> None:
    (row,) = _read(write, MEDIA_RUN, "text-to-image")
    assert (row.unit, row.energy_j, row.n_devices) == ("image", (400 + 600) / 2 / 4, 2)
    assert row.latency_s == {"e2el_mean": 2.5}
    assert row.settings["torch_compile"] is False
    assert row.reasons["device"] == "not_published"
    (video,) = _read(write, {**MEDIA_RUN, "num_frames": 16}, "text-to-video")
    assert video.unit == "video"


def test_zero_joules_are_a_null_with_a_reason(write: Write) -> None:
    zero = {**TEXT, "energy_per_request_joules": 0.0, "avg_power_watts": 0.0, "p99_itl_ms": 0.0}
    (row,) = _read(write, _task_file(zero))
    assert (row.energy_j, row.mean_power_w) == (None, None)
    assert "itl_p99" not in row.latency_s
    for name in ("energy_j", "mean_power_w", "latency_s.itl_p99"):
        assert row.reasons[name] == PUBLISHED_AS_ZERO
    assert n_without_energy([row]) == 1
    point = published_point(row, Rates())
    assert (point.energy_j.reason, point.energy_j.detail) == (Reason.NOT_PUBLISHED, PUBLISHED_AS_ZERO)


@pytest.mark.parametrize("document", [{**RUN, "steady_state_energy_per_token": 0.0}])
def test_zero_joules_of_a_run_are_none(write: Write, document: dict[str, Any]) -> None:
    (row,) = _read(write, document, task="gpqa")
    assert (row.energy_j, row.reasons["energy_j"]) == (None, PUBLISHED_AS_ZERO)


@pytest.mark.parametrize("changed", [{"energy_j": 0.0}, {"latency_s": {"tpot_mean": -0.05}}])
def test_a_row_of_no_energy_or_no_time_is_refused(write: Write, changed: dict[str, Any]) -> None:
    (row,) = _read(write, _task_file(TEXT))
    with pytest.raises(ValidationError, match="greater than 0"):
        PublishedRow.model_validate({**row.model_dump(), **changed})
