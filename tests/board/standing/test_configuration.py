"""What makes one configuration: neither more nor less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from doubles import run_views
from joulemark.board.standing.configuration import configuration_of, table_of
from joulemark.board.standing.run_row import row_of_run
from joulemark.metrics.run_point import run_point
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import summarize
from joulemark.record.manifest import Manifest

VIEW = run_views.with_counter(20)
DIGEST = "sha256:" + "ab" * 32


def of(change: Callable[[Manifest], None] = lambda _: None) -> str:
    manifest = VIEW.manifest.model_copy(deep=True)
    manifest.engine.model_digest = DIGEST
    change(manifest)
    view = replace(VIEW, manifest=manifest)
    return configuration_of(view, run_point(view, summarize(view), "here")).id


def _set(part: str, **values: object) -> Callable[[Manifest], None]:
    def change(manifest: Manifest) -> None:
        for name, value in values.items():
            setattr(getattr(manifest, part) if part else manifest, name, value)

    return change


def _flag(name: str, value: object) -> Callable[[Manifest], None]:
    def change(manifest: Manifest) -> None:
        manifest.engine.flags[name] = value  # type: ignore[assignment]

    return change


def _boards(n: int) -> Callable[[Manifest], None]:
    def change(manifest: Manifest) -> None:
        manifest.devices = [run_views.device(k, uuid_hash=f"board{k}") for k in range(n)]

    return change


def _limit(watts: float) -> Callable[[Manifest], None]:
    def change(manifest: Manifest) -> None:
        for board in manifest.devices:
            board.power_limit_w = watts

    return change


def _of_another_user(manifest: Manifest) -> None:
    """The same set-up elsewhere: every hash under the user's own salt is another one."""
    manifest.run_id, manifest.config_hash = "f" * 24, "e" * 64
    for segment in manifest.segments:
        segment.host_hash, segment.boot_id = "0" * 32, "1" * 32
    for board in manifest.devices:
        board.uuid_hash, board.driver = "2" * 32, "590.9"
    manifest.engine.endpoint_hash = "3" * 32
    manifest.host.kernel, manifest.host.ram_mib = "7.0.1", 1
    manifest.rates.usd_per_kwh = 0.99
    manifest.created_utc, manifest.sampling.seed = "2027-01-01T00:00:00Z", 99


def test_two_users_with_one_set_up_have_one_configuration() -> None:
    assert of(_of_another_user) == of()


def test_a_digest_under_a_salt_of_a_user_does_not_split() -> None:
    salted = [of(_set("engine", model_digest=digest)) for digest in ("4" * 32, "5" * 32, None)]
    assert len(set(salted)) == 1
    assert salted[0] != of(), "a digest of the weights that everybody can make does"


@pytest.mark.parametrize(
    "change",
    [
        _set("engine", version="b9999"),
        _set("engine", kind="vllm"),
        _set("engine", model="another"),
        _set("engine", quantization="Q8_0"),
        _set("engine", model_digest="sha256:" + "cd" * 32),
        _set("engine", prefix_cache=True),
        _flag("n_ctx", 8192),
        _flag("llama_cpp_build", "7000"),
        _flag("kv_cache_dtype", "q8_0"),
        _set("sampling", max_tokens=256),
        _set("sampling", temperature=0.7),
        _set("task", items_hash="another"),
        _set("task", name="gsm8k"),
        _set("task", n_shot=5),
        _set("load", mode="closed", concurrency=8),
        _boards(2),
        _limit(250.0),
    ],
)
def test_what_changes_what_is_measured_splits(change: Callable[[Manifest], None]) -> None:
    assert of(change) != of()


@pytest.mark.parametrize(
    "change",
    [
        _flag("stream_usage", True),
        _flag("seed", 5),
        _flag("threads", 12),  # beside a board
        _flag("devices", "CUDA1"),
        _set("sampling", seed=1),
        _set("", repeats=3),
        _set("", timeout_s=5.0),
    ],
)
def test_what_does_not_change_it_does_not_split(change: Callable[[Manifest], None]) -> None:
    assert of(change) == of()


def test_rates_that_differ_by_noise_are_one_load() -> None:
    open_load = {"mode": "open", "arrival": "poisson", "concurrency": None}
    a, b, c = (of(_set("load", rate=rate, **open_load)) for rate in (2.0, 2.01, 2.2))
    assert a == b != c


def test_a_table_is_named_by_all_that_must_agree() -> None:
    same = {
        "kind": "measured",
        "tier": "C",
        "scope": "gpu",
        "task": "gsm8k",
        "questions": "01",
        "unit": "request",
    }
    names = {
        table_of(load="one at a time", **same),  # type: ignore[arg-type]
        table_of(load="8 in flight", **same),  # type: ignore[arg-type]
        *(
            table_of(load="one at a time", **{**same, name: other})  # type: ignore[arg-type]
            for name, other in (("kind", "simulated"), ("tier", "B"), ("scope", "wall"), ("questions", "02"))
        ),
        table_of(load="one at a time", source="somebody", **same),  # type: ignore[arg-type]
    }
    assert len(names) == 7
    assert table_of(load="8 in flight", **same) == table_of(load="16 in flight", **same)  # type: ignore[arg-type]


def _row(view: RunView):  # type: ignore[no-untyped-def]
    summary = summarize(view)
    return row_of_run(view, summary, run_point(view, summary, "here"))


def _with(change: Callable[[Manifest], None], view: RunView = VIEW) -> RunView:
    manifest = view.manifest.model_copy(deep=True)
    manifest.may_rank = True
    manifest.task.name = "gsm8k"
    change(manifest)
    return replace(view, manifest=manifest)


def test_a_run_of_its_task_is_ranked_and_a_canary_is_not_whatever_it_says() -> None:
    assert _row(_with(lambda _: None)).is_ranked
    assert not _row(_with(_set("task", is_canary=True))).is_ranked
    from joulemark.tasks.registry import built_in_tasks

    canary = next(name for name, task in built_in_tasks().items() if task.is_canary)
    found = _row(_with(_set("task", name=canary)))
    assert found.is_canary
    assert not found.is_ranked


@pytest.mark.parametrize(
    "change",
    [
        _set("", state="partial"),
        _set("", may_rank=False),
        _set("", suite="quick"),
        _set("task", name="own"),
        _set("task", is_listed=True),
        _set("load", mode="closed", concurrency=4),
    ],
)
def test_what_is_not_ranked_says_why(change: Callable[[Manifest], None]) -> None:
    found = _row(_with(change))
    assert not found.is_ranked
    assert found.why_not_ranked.endswith(".")


def test_figures_are_null_with_their_reasons() -> None:
    found = _row(_with(lambda _: None, run_views.without_meter(20)))
    joules = found.figures["joules_per_correct_answer"]
    assert joules.value is None
    assert joules.reason == "no_meter"
    assert joules.detail
    assert found.figures["accuracy"].value is not None
    assert found.figures["accuracy"].interval == "ci95"
    assert all(one.value is not None or (one.reason and one.detail) for one in found.figures.values())


def test_latencies_of_answers_that_were_not_streamed_are_withheld() -> None:
    found = _row(_with(lambda _: None, run_views.not_streamed()))
    assert found.streamed is False
    assert found.figures["ttft_p50"].value is None
    assert found.figures["e2el_p50"].value is None
