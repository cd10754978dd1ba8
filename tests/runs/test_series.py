"""A command of several tasks that was cut off goes on with what is not done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.engines.exchange import Endpoint
from joulemark.record.manifest import Engine, Sampling
from joulemark.runs.directory import held_directory
from joulemark.runs.plan import RunPlan
from joulemark.runs.series import Series
from joulemark.tasks.registry import load_task

SETTINGS = {"names": ["quick"]}
FACTS = Engine(kind="openai-compatible", model="model-a")


class Somewhere:
    endpoint = Endpoint("http", "127.0.0.1", 9)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def plan(runs_dir: Path, known: Path | None = None, **sampling: object) -> RunPlan:
    return RunPlan(
        task=load_task("quick", limit=5),
        engine=Somewhere(),  # type: ignore[arg-type]
        sampling=Sampling(max_tokens=96, **sampling),  # type: ignore[arg-type]
        runs_dir=runs_dir,
        known=known,
    )


def made(runs_dir: Path, facts: Engine = FACTS, state: str = "complete") -> Path:
    with held_directory(plan(runs_dir), facts) as (layout, manifest):
        manifest.state = state  # type: ignore[assignment]
        layout.write_manifest(manifest)
        return layout.root


def test_a_part_is_remembered_until_the_command_is_done(tmp_path: Path) -> None:
    first = Series(tmp_path, SETTINGS)
    assert first.known_run("quick") is None
    first.note("quick", tmp_path / "run")
    again = Series(tmp_path, SETTINGS)
    assert again.known_run("quick") == tmp_path / "run"
    assert Series(tmp_path, {"names": ["gsm8k"]}).known_run("quick") is None
    again.finish()
    assert Series(tmp_path, SETTINGS).known_run("quick") is None


def test_a_damaged_memory_is_no_memory(tmp_path: Path) -> None:
    Series(tmp_path, SETTINGS).note("quick", tmp_path / "run")
    (file,) = tmp_path.glob(".series-*")
    for damage in (b"", b"{", b"[]", b'{"quick": 3}', b'{"quick": "a\\u0000b"}'):
        file.write_bytes(damage)
        assert Series(tmp_path, SETTINGS).known_run("quick") is None


def test_a_whole_run_of_this_configuration_is_taken_up(tmp_path: Path) -> None:
    root = made(tmp_path)
    with held_directory(plan(tmp_path, root), FACTS) as (layout, _):
        assert layout.root == root
    with held_directory(plan(tmp_path), FACTS) as (layout, _):
        assert layout.root != root  # not known: a new run


@pytest.mark.parametrize(
    ("facts", "sampling"),
    [(FACTS.model_copy(update={"model": "model-b"}), {}), (FACTS, {"temperature": 0.7})],
    ids=["another model", "another temperature"],
)
def test_a_run_of_another_configuration_is_not(
    tmp_path: Path, facts: Engine, sampling: dict[str, object]
) -> None:
    root = made(tmp_path)
    with held_directory(plan(tmp_path, root, **sampling), facts) as (layout, _):
        assert layout.root != root


def test_a_run_that_somebody_took_away_is_not(tmp_path: Path) -> None:
    with held_directory(plan(tmp_path, tmp_path / "gone"), FACTS) as (layout, _):
        assert layout.root != tmp_path / "gone"


def test_a_run_asked_on_by_another_command_loses_its_standing(tmp_path: Path) -> None:
    suite = replace(plan(tmp_path), suite="published", may_rank=True, standing="ranked")
    with held_directory(suite, FACTS) as (layout, manifest):
        layout.write_manifest(manifest)
        assert manifest.may_rank
    alone = replace(plan(tmp_path), may_rank=True, standing="ranked by itself")
    with held_directory(alone, FACTS) as (_, manifest):
        assert not manifest.may_rank
        assert manifest.standing.startswith("not ranked")
