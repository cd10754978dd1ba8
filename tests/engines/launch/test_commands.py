"""The exact command lines, and what each engine cannot do."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from joulemark.engines.launch.command import Command
from joulemark.engines.launch.diffusers import OF_A_BATCH
from joulemark.engines.launch.embedded import require_embedded
from joulemark.engines.launch.launched import LaunchOptions
from joulemark.engines.launch.llama_server import LlamaServer
from joulemark.engines.launch.program import find_program, split_command
from joulemark.engines.launch.registry import KINDS, LAUNCHERS, command_lines, launched_engine
from joulemark.engines.launch.settings import OF_MEDIA, CannotLaunch, LaunchSettings
from joulemark.engines.launch.sglang import Sglang
from joulemark.engines.launch.vllm import Vllm
from joulemark.record.axis import AXIS
from joulemark.record.errors import InputError

FULL = LaunchSettings(
    model="org/model-8b",
    max_batch=64,
    max_batched_tokens=2048,
    tensor_parallel=2,
    pipeline_parallel=2,
    quantization="fp8",
    prefix_cache=False,
    n_ctx=8192,
)


def ports() -> Callable[[], int]:
    return itertools.count(9001).__next__


def only(commands: tuple[Command, ...]) -> Command:
    (one,) = commands
    return one


@pytest.fixture(autouse=True)
def no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_vllm() -> None:
    one = only(Vllm().commands(FULL, ("vllm", "serve"), ports()))
    assert one.argv == (
        *("vllm", "serve", "org/model-8b", "--host", "127.0.0.1", "--port", "9001"),
        *("--max-num-seqs", "64", "--max-num-batched-tokens", "2048"),
        *("--tensor-parallel-size", "2", "--pipeline-parallel-size", "2"),
        *("--quantization", "fp8", "--max-model-len", "8192", "--no-enable-prefix-caching"),
    )
    assert one.port == 9001
    assert one.env == {}
    assert one.health_path == "/health"


def test_sglang() -> None:
    one = only(Sglang().commands(FULL, ("python", "-m", "sglang.launch_server"), ports()))
    assert one.argv == (
        *("python", "-m", "sglang.launch_server", "--model-path", "org/model-8b"),
        *("--host", "127.0.0.1", "--port", "9001", "--max-running-requests", "64"),
        *("--chunked-prefill-size", "2048", "--tp-size", "2", "--pp-size", "2", "--quantization", "fp8"),
        *("--context-length", "8192", "--disable-radix-cache", "--enable-metrics"),
    )


def test_llama_server_shares_its_context_out() -> None:
    settings = LaunchSettings(
        model="m.gguf", max_batch=8, max_batched_tokens=512, n_ctx=1024, prefix_cache=False
    )
    one = only(LlamaServer().commands(settings, ("llama-server",), ports()))
    assert one.argv == (
        *("llama-server", "--model", "m.gguf", "--host", "127.0.0.1", "--port", "9001"),
        *("--parallel", "8", "--ctx-size", "8192", "--batch-size", "512"),
        *("--no-cache-prompt", "--metrics"),
    )


def test_llama_server_takes_a_repository_of_the_hub() -> None:
    one = only(LlamaServer().commands(LaunchSettings(model="org/m-GGUF:Q4_K_M"), ("llama-server",), ports()))
    assert one.argv[1:3] == ("--hf-repo", "org/m-GGUF:Q4_K_M")


@pytest.mark.parametrize(
    ("parallel", "mode"),
    [({"tensor_parallel": 2}, "row"), ({"pipeline_parallel": 2}, "layer"), ({"tensor_parallel": 1}, "none")],
)
def test_llama_server_splits_over_the_devices_that_it_sees(parallel: dict[str, int], mode: str) -> None:
    settings = LaunchSettings(model="m.gguf", devices=("3", "1", "0"), **parallel)  # type: ignore[arg-type]
    one = only(LlamaServer().commands(settings, ("llama-server",), ports()))
    assert one.argv[one.argv.index("--split-mode") + 1] == mode
    assert one.env["CUDA_VISIBLE_DEVICES"] == ",".join(("3", "1", "0")[: settings.devices_each])


def test_what_is_not_asked_for_is_left_to_the_engine() -> None:
    one = only(Vllm().commands(LaunchSettings(model="m"), ("vllm", "serve"), ports()))
    assert one.argv == ("vllm", "serve", "m", "--host", "127.0.0.1", "--port", "9001")


def test_own_flags_go_through_as_given() -> None:
    flags = {"gpu-memory-utilization": 0.9, "enforce-eager": True, "seed": None, "trust-remote-code": False}
    one = only(Vllm().commands(LaunchSettings(model="m", flags=flags), ("vllm", "serve"), ports()))
    assert one.argv[-3:] == ("--gpu-memory-utilization", "0.9", "--enforce-eager")


@pytest.mark.parametrize("flag", ["max-num-seqs", "--max_num_seqs", "port"])
def test_a_flag_that_a_setting_stands_for_is_refused(flag: str) -> None:
    settings = LaunchSettings(model="m", flags={flag: 8})
    with pytest.raises(InputError, match="is set by"):
        Vllm().commands(settings, ("vllm", "serve"), ports())


def test_vllm_splits_prefill_and_decode_on_devices_of_their_own() -> None:
    settings = LaunchSettings(
        model="m", prefill_instances=1, decode_instances=2, tensor_parallel=2, devices=tuple("012345")
    )
    router = split_command("proxy --port {port} --prefill {prefill} --decode {decode}", "--router-command")
    commands = Vllm().commands(settings, ("vllm", "serve"), ports(), router)
    assert [one.role for one in commands] == ["prefill", "decode", "decode", "router"]
    assert [one.env.get("CUDA_VISIBLE_DEVICES") for one in commands] == ["0,1", "2,3", "4,5", None]
    assert [one.devices for one in commands[:-1]] == [("0", "1"), ("2", "3"), ("4", "5")]
    channels = {one.env["VLLM_NIXL_SIDE_CHANNEL_PORT"] for one in commands[:-1]}
    assert len(channels | {str(one.port) for one in commands}) == 7, "every port is of its own"
    configs = [json.loads(one.argv[one.argv.index("--kv-transfer-config") + 1]) for one in commands[:-1]]
    assert configs == [
        {"kv_connector": "NixlConnector", "kv_role": role}
        for role in ("kv_producer", "kv_consumer", "kv_consumer")
    ]
    urls = [f"http://127.0.0.1:{one.port}" for one in commands[:-1]]
    assert commands[-1].argv == (
        *("proxy", "--port", str(commands[-1].port)),
        *("--prefill", urls[0], "--decode", urls[1], urls[2]),
    )


def test_sglang_splits_prefill_and_decode_behind_its_router() -> None:
    settings = LaunchSettings(model="m", prefill_instances=2, decode_instances=1, devices=("0", "1", "2"))
    *servers, router = Sglang().commands(settings, ("server",), ports())
    modes = [one.argv[one.argv.index("--disaggregation-mode") + 1] for one in servers]
    assert modes == ["prefill", "prefill", "decode"]
    bootstraps = [one.argv[one.argv.index("--disaggregation-bootstrap-port") + 1] for one in servers[:2]]
    assert "--disaggregation-bootstrap-port" not in servers[2].argv
    assert router.argv == (
        *(sys.executable, "-m", "sglang_router.launch_router", "--pd-disaggregation"),
        *("--prefill", f"http://127.0.0.1:{servers[0].port}", bootstraps[0]),
        *("--prefill", f"http://127.0.0.1:{servers[1].port}", bootstraps[1]),
        *("--decode", f"http://127.0.0.1:{servers[2].port}"),
        *("--host", "127.0.0.1", "--port", str(router.port)),
    )


@pytest.mark.parametrize(
    ("kind", "changes", "why"),
    [
        ("vllm", {"preemption": "swap"}, "does not swap"),
        ("sglang", {"preemption": "swap"}, "does not swap"),
        ("vllm", {"prefill_instances": 1, "decode_instances": 1, "devices": ("0", "1")}, "no proxy"),
        ("sglang", {"prefill_instances": 1, "decode_instances": 1, "devices": ("0",)}, "takes 2 devices"),
        ("vllm", {"tensor_parallel": 4, "devices": ("0", "1")}, "takes 4 devices"),
        ("vllm", {"model": None}, "the model that it is started with"),
        ("llama-server", {"quantization": "fp8"}, "as its file is quantized"),
        ("llama-server", {"preemption": "recompute"}, "preempts no request"),
        ("llama-server", {"n_ctx": 2048}, "how many slots"),
        ("llama-server", {"tensor_parallel": 2}, "was not said"),
        ("llama-server", {"prefill_instances": 1, "decode_instances": 1}, "does not split"),
        ("embedded", {"tensor_parallel": 2}, "uses one device"),
        ("embedded", {"max_batched_tokens": 512}, "own number"),
        ("embedded", {"prefix_cache": True}, "keeps no prompts"),
        ("embedded", {"flags": {"x": 1}}, "takes no flags"),
    ],
)
def test_what_an_engine_cannot_do_is_refused_with_the_reason(
    kind: str, changes: dict[str, Any], why: str
) -> None:
    settings = replace(LaunchSettings(model="m.gguf"), **changes)
    with pytest.raises(CannotLaunch, match=why):
        command_lines(kind, settings, LaunchOptions())


def test_settings_that_cost_nothing_are_no_obstacle() -> None:
    plain = LaunchSettings(tensor_parallel=1, pipeline_parallel=1, prefix_cache=False, max_batch=4)
    require_embedded(plain)
    for kind in ("vllm", "sglang"):
        assert command_lines(kind, LaunchSettings(model="m", preemption="recompute"), LaunchOptions())


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_batch": 0},
        {"preemption": "forget"},
        {"prefill_instances": 1},
        {"decode_instances": 2},
        {"n_ctx": -1},
    ],
)
def test_settings_that_no_engine_could_have_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        LaunchSettings(**wrong)


def test_a_program_that_is_not_there_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="--server-command"):
        find_program("vllm", ("vllm", "serve"))
    program = tmp_path / "vllm"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert find_program("vllm", ("vllm", "serve")) == (str(program), "serve")
    with pytest.raises(InputError, match="has no package"):
        find_program("sglang", (sys.executable, "-m", "sglang_that_is_not_here.launch_server"))


MEDIA = {"denoising_steps": 20, "height": 64, "width": 64, "frames": 9}


@pytest.mark.parametrize("name", MEDIA)
@pytest.mark.parametrize("kind", [*LAUNCHERS, "embedded"])
def test_what_answers_in_words_makes_no_pictures(kind: str, name: str) -> None:
    settings = LaunchSettings(model="m.gguf", **{name: MEDIA[name]})
    with pytest.raises(CannotLaunch, match=f"{kind} takes no {name}: it answers in words"):
        command_lines(kind, settings, LaunchOptions())
    with pytest.raises(CannotLaunch, match=f"takes no {name}"):
        launched_engine(kind, settings, LaunchOptions())


def test_settings_of_media_are_those_of_the_table() -> None:
    assert set(OF_MEDIA) == set(MEDIA)
    assert all(AXIS[name].launched for name in OF_A_BATCH)
    for name in OF_MEDIA:
        with pytest.raises(InputError, match="at least 1"):
            LaunchSettings(**{name: 0})


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"model": None}, "has to be named"),
        ({"max_batched_tokens": 512}, "takes no max_batched_tokens"),
        ({"tensor_parallel": 2}, "no tensor_parallel 2"),
        ({"pipeline_parallel": 2}, "no pipeline_parallel 2"),
        ({"prefill_instances": 1, "decode_instances": 1}, "takes no prefill_instances"),
        ({"preemption": "recompute"}, "takes no preemption"),
        ({"quantization": "fp8"}, "takes no quantization"),
        ({"prefix_cache": False}, "takes no prefix_cache"),
        ({"n_ctx": 512}, "takes no n_ctx"),
        ({"flags": {"x": 1}}, "takes no flags"),
        ({"devices": ("1",)}, "--device"),
        ({"height": 64}, "go together"),
    ],
)
def test_a_pipeline_refuses_what_it_has_no_place_for(given: dict[str, Any], why: str) -> None:
    whole: dict[str, Any] = {"model": "o/n", "max_batch": 2, "tensor_parallel": 1, "denoising_steps": 9}
    assert command_lines("diffusers", LaunchSettings(**whole), LaunchOptions()) == []
    with pytest.raises(CannotLaunch, match=why):
        command_lines("diffusers", LaunchSettings(**{**whole, **given}), LaunchOptions())


def test_no_setting_is_ignored_by_pipelines() -> None:
    """A setting that is added is either told with a batch, or refused, or what a pipeline is loaded with."""
    values: dict[type, Any] = {int: 2, str: "swap", bool: True}
    for axis in (one for one in AXIS.values() if one.launched):
        given = {axis.name: values[axis.type]}
        for other in ("prefill_instances", "decode_instances"):
            given |= {other: 2} if axis.name.endswith("_instances") else {}
        given |= {"height": 2, "width": 2} if axis.name in ("height", "width") else {}
        settings = LaunchSettings(model="o/n", **given)
        try:
            command_lines("diffusers", settings, LaunchOptions())
        except CannotLaunch:
            continue
        assert axis.name in OF_A_BATCH


def test_a_pipeline_is_started_in_no_other_python() -> None:
    with pytest.raises(CannotLaunch, match="no command line"):
        command_lines("diffusers", LaunchSettings(model="o/n"), LaunchOptions(program=("python3",)))
    with pytest.raises(ValueError, match="DiffusionEngine"):
        launched_engine("diffusers", LaunchSettings(model="o/n"), LaunchOptions())


def test_every_kind_has_a_command_line_or_runs_in_a_child_of_ours() -> None:
    assert set(KINDS) == {*LAUNCHERS, "embedded", "diffusers"}
    assert command_lines("embedded", LaunchSettings(), LaunchOptions()) == []
    shown = command_lines("vllm", LaunchSettings(model="a b"), LaunchOptions(program=("my vllm",)))
    assert shown == ["'my vllm' 'a b' --host 127.0.0.1 --port 0"]
