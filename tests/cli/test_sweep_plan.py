"""What a sweep would do: its points, their names and their command lines, without starting anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from doubles import sweep_command
from doubles.nvml import FakeNvml
from joulemark.cli.sweep import sweep
from joulemark.record.errors import InputError

AXIS = ("--axis", "concurrency=1,2,4")
ASKED = ("--synthetic", "16:8", "--requests", "12")


@pytest.fixture(autouse=True)
def no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def planned(*arguments: object, out: Path | str = "nowhere") -> Any:
    done = CliRunner().invoke(sweep, [*map(str, arguments), "--dry-run", "--json", "--out", str(out)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def names(*arguments: object) -> set[str]:
    return {one["name"] for one in planned(*arguments)["points"] if one["name"] is not None}


def test_points_command_lines_and_order_are_shown_and_nothing_is_made(tmp_path: Path) -> None:
    out = tmp_path / "sweep"
    plan = planned(*AXIS, "--axis", "max_batch=2,8", "--engine", "vllm", "--model", "org/m", *ASKED, out=out)
    assert not out.exists()
    assert [(one["values"]["max_batch"], one["values"]["concurrency"]) for one in plan["points"]] == [
        (2, 1),
        (2, 2),
        (2, 4),
        (8, 1),
        (8, 2),
        (8, 4),
    ]
    first = plan["points"][0]
    assert first["launch"] == ["vllm serve org/m --host 127.0.0.1 --port 0 --max-num-seqs 2"]
    assert first["command"] == ("joulemark load --synthetic 16:8 --requests 12 --concurrency 1 --engine URL")
    assert first["state"] == "planned"


def test_the_mend_names_the_command_that_was_typed() -> None:
    with pytest.raises(InputError, match="one of TASK") as refused:
        planned("--axis", "concurrency=1,2")
    assert refused.value.fix == "joulemark sweep --axis concurrency=1,2,4,8 quick"


def test_the_embedded_engine_serves_all_loads_by_one_start() -> None:
    plan = planned(*AXIS, *ASKED)
    assert all(one["command"].endswith("--engine embedded --slots 4") for one in plan["points"])
    assert names(*AXIS, *ASKED).isdisjoint(names("--axis", "concurrency=1,2,4,8", *ASKED))
    # a limit of its own keeps points alike when the axis gets longer
    assert names(*AXIS, *ASKED, "--set", "max_batch=8") < names(
        "--axis", "concurrency=1,2,4,8", *ASKED, "--set", "max_batch=8"
    )


VLLM = ("--engine", "vllm", "--model", "org/m")
CHANGES = [
    ("--engine", "sglang"),
    ("--model", "org/other"),
    ("--n-ctx", "2048"),
    ("--set", "tensor_parallel=2"),
    ("--set", "pipeline_parallel=2"),
    ("--set", "max_batch=8"),
    ("--set", "max_batched_tokens=512"),
    ("--set", "quantization=fp8"),
    ("--set", "prefix_cache=false"),
    ("--set", "preemption=recompute"),
    ("--set", "power_limit_w=300"),
    ("--set", "flags.block-size=32"),
    ("--set", "flags.enforce-eager=true"),
    ("--server-command", "other-vllm serve"),
    ("--requests", "13"),
    ("--lead", "3"),
    ("--ramp", "1s"),
    ("--synthetic", "16:9"),
    ("--lengths", "drawn"),
    ("--seed", "3"),
    ("--temperature", "0.5"),
    ("--top-p", "0.9"),
    ("--retries", "0"),
    ("--timeout", "30"),
    ("--meter", "none"),
    ("--board", "0"),
    ("--slo", "ttft=1s"),
    ("--max-temperature", "70"),
]


@pytest.mark.parametrize("change", CHANGES, ids=[" ".join(change) for change in CHANGES])
def test_two_grids_that_differ_in_any_flag_share_no_point(change: tuple[str, str]) -> None:
    before = names(*AXIS, *ASKED, *VLLM)
    after = names(*AXIS, *ASKED, *VLLM, *change)
    assert len(before) == len(after) == 3
    assert before.isdisjoint(after)


@pytest.mark.parametrize(
    "change", [("--usd-per-kwh", "0.3"), ("--zone", "FR"), ("--no-early-stop",), ("--start-timeout", "5min")]
)
def test_what_changes_no_measurement_makes_no_other_point(change: tuple[str, ...]) -> None:
    assert names(*AXIS, *ASKED, *VLLM) == names(*AXIS, *ASKED, *VLLM, *change)


def test_pairs_that_cannot_be_are_skipped_with_the_reason() -> None:
    plan = planned(
        *("--axis", "engine=vllm,llama-server,embedded", "--axis", "tensor_parallel=1,2"),
        *("--axis", "concurrency=1,8", "--model", "m.gguf", *ASKED),
        *("--skip", "concurrency > 4 and engine == 'vllm'"),
    )
    why = {
        (one["values"]["engine"], one["values"]["tensor_parallel"], one["values"]["concurrency"]): one["why"]
        for one in plan["points"]
    }
    assert why["vllm", 1, 1] == ""
    assert why["vllm", 1, 8] == "concurrency > 4 and engine == 'vllm'"
    assert "which ones it is to see was not said" in why["llama-server", 2, 1]
    assert "uses one device" in why["embedded", 2, 8]
    assert all(one["name"] is None for one in plan["points"] if one["why"])


def test_a_gpu_that_is_not_here_leaves_its_points_empty(board: FakeNvml, tmp_path: Path) -> None:
    done = sweep_command.sweep(
        *("--axis", "gpu=A100,h100", *AXIS, *ASKED, *VLLM, "--out", tmp_path, "--dry-run", "--json"),
        env=board.env,
    )
    assert done.code == 0, done.err
    by_gpu = {one["values"]["gpu"]: one for one in done.json["points"]}
    assert by_gpu["A100"]["why"] == "there is no A100 on this machine: there is Fake H100 80GB"
    assert by_gpu["h100"]["launch"][0].startswith("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 vllm")


def test_a_file_and_the_options_make_one_grid(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        '[axes]\nconcurrency = [1, 2]\n[base]\nengine = "vllm"\nmodel = "org/m"\n'
        'synthetic = "16:8"\nrequests = "=10 * concurrency"\n[skip]\nno = "concurrency == 2"\n'
    )
    plan = planned(path, "--axis", "concurrency=1,2,3", "--model", "org/other")
    assert [(one["values"]["concurrency"], one["why"]) for one in plan["points"]] == [
        (1, ""),
        (2, "no"),
        (3, ""),
    ]
    assert "--requests 30 --concurrency 3" in plan["points"][2]["command"]
    assert "org/other" in plan["points"][0]["launch"][0]


def test_without_axes_the_grid_of_the_task_is_taken() -> None:
    plan = planned("quick", *VLLM)
    assert plan["axes"] == {"concurrency": [1, 2, 4, 8, 16, 32, 64, 128, 256]}
    assert planned("code", "quick", *VLLM)["axes"]["concurrency"][-1] == 128


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--axis", "concurency=1,2", *ASKED), "did you mean concurrency"),
        (("--axis", "concurrency", *ASKED), "cannot be read"),
        (("--axis", "concurrency=1,x", *ASKED), "not a valid"),
        ((*AXIS, *ASKED, "--engine", "vlm"), "there is no engine"),
        ((*AXIS, *ASKED, "--slots", "4"), "max_batch"),
        ((*AXIS, *ASKED, "--runs-dir", "x"), "one directory"),
        ((*AXIS,), "one of TASK, --synthetic and --trace"),
        ((*AXIS, *ASKED, "--rate", "3"), "a closed loop"),
        ((*AXIS, *ASKED, "quick", "gsm8k"), "are two tasks"),
        ((*AXIS, *ASKED, *VLLM, "--threads", "2"), "is for the embedded engine"),
        ((*AXIS, *ASKED, "--set", "max_batch=2.5"), "a whole number"),
        (("--axis", "concurrency=0,1", *ASKED), "0 is not in the range"),
        ((*AXIS, *ASKED, *VLLM, "--set", "preemption=swap"), "does not swap"),
        ((*AXIS, *ASKED, "--skip", "gpu.name"), "not in the language"),
        ((*AXIS, *ASKED, "--server-command", "'open"), "cannot be read"),
        ((*AXIS, *ASKED, "--engine", "http://127.0.0.1:1", "--set", "max_batch=4"), "somebody else"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_started(
    arguments: tuple[str, ...], why: str
) -> None:
    with pytest.raises(InputError, match=why) as raised:
        planned(*arguments)
    assert str(raised.value)


def test_help_says_where_the_options_are() -> None:
    done = CliRunner().invoke(sweep, ["--help"])
    assert done.exit_code == 0
    assert "joulemark load" in done.output
