"""Usual limits: which points they are for, and when they give way."""

from __future__ import annotations

import pytest

from doubles.points import point
from joulemark.metrics.limits import Limit
from joulemark.metrics.operating_point import Kind
from joulemark.metrics.presets import PRESETS


@pytest.mark.parametrize("task", ["gsm8k", "mtbench", "quick", "synthetic-512:128", "a task of mine"])
@pytest.mark.parametrize("kind", ["measured", "simulated"])
@pytest.mark.parametrize("name", ["chat", "code"])
def test_a_run_of_any_task_is_held_to_the_limit(name: str, kind: Kind, task: str) -> None:
    points = [point(task=task, kind=kind)]
    assert PRESETS[name].of(points) == points


@pytest.mark.parametrize(("name", "unit"), [("image", "image"), ("video", "video")])
def test_of_pictures_and_videos_runs_are_told_by_their_unit(name: str, unit: str) -> None:
    points = [point(task="one of mine", unit=one) for one in ("request", "image", "video")]
    assert [one.unit for one in PRESETS[name].of(points)] == [unit]
    assert [one.unit for one in PRESETS["chat"].of(points)] == ["request"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [("chat", ["chat", "v3/lm-arena-chat"]), ("code", ["code", "v3/sourcegraph-fim"])],
)
def test_published_tables_hold_several_kinds_of_task(name: str, kept: list[str]) -> None:
    tasks = ("chat", "v3/lm-arena-chat", "visual-chat", "v3/image-chat", "code", "v3/sourcegraph-fim", "gpqa")
    points = [point(task=task, kind="published") for task in tasks]
    assert [one.task for one in PRESETS[name].of(points)] == kept


def test_a_latency_of_ones_own_takes_the_place_of_the_usual_one() -> None:
    own, quality = Limit("ttft_p99", 1.0), Limit("accuracy", 0.8, at_least=True)
    assert PRESETS["chat"].limits([own]) == (own,)
    assert PRESETS["chat"].limits([quality]) == (PRESETS["chat"].limit, quality)
