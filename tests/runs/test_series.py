"""A command of several tasks that was cut off goes on with what is not done."""

from __future__ import annotations

from pathlib import Path

from doubles.run_views import manifest
from joulemark.record.manifest import Load, Manifest, Sampling
from joulemark.runs.layout import RunLayout
from joulemark.runs.plan import RunPlan
from joulemark.runs.series import Series
from joulemark.tasks.registry import load_task

SETTINGS = {"names": ["quick"]}


def plan(**options: object) -> RunPlan:
    sampling = Sampling(max_tokens=96, **options)  # type: ignore[arg-type]
    return RunPlan(task=load_task("quick", limit=5), engine=None, sampling=sampling)  # type: ignore[arg-type]


def write(root: Path, **fields: object) -> None:
    import joulemark

    planned = plan()
    defaults: dict[str, object] = {
        "task": planned.task_facts,
        "sampling": planned.sampling,
        "load": Load(),
        "joulemark_version": joulemark.__version__,
    }
    layout = RunLayout(root)
    layout.create()
    layout.write_manifest(Manifest.model_validate(manifest(**{**defaults, **fields}).model_dump()))


def test_a_complete_part_is_remembered_and_forgotten_at_the_end(tmp_path: Path) -> None:
    write(tmp_path / "run")
    first = Series(tmp_path, SETTINGS)
    assert first.finished_run("quick", plan()) is None
    first.note("quick", tmp_path / "run")
    again = Series(tmp_path, SETTINGS)
    assert again.finished_run("quick", plan()) == tmp_path / "run"
    assert Series(tmp_path, {"names": ["gsm8k"]}).finished_run("quick", plan()) is None
    again.finish()
    assert Series(tmp_path, SETTINGS).finished_run("quick", plan()) is None


def test_what_is_not_this_part_is_asked_again(tmp_path: Path) -> None:
    series = Series(tmp_path, SETTINGS)
    series.note("quick", tmp_path / "run")
    assert series.finished_run("quick", plan()) is None  # nothing there
    for fields in (
        {"state": "partial"},
        {"joulemark_version": "0.0.1"},
        {"repeats": 3},
        {"load": Load(mode="closed", concurrency=4)},
    ):
        write(tmp_path / "run", **fields)
        assert series.finished_run("quick", plan()) is None, fields
    write(tmp_path / "run")
    assert series.finished_run("quick", plan()) is not None
    assert series.finished_run("quick", plan(temperature=0.7)) is None


def test_a_damaged_memory_is_no_memory(tmp_path: Path) -> None:
    write(tmp_path / "run")
    Series(tmp_path, SETTINGS).note("quick", tmp_path / "run")
    (file,) = tmp_path.glob(".series-*")
    for damage in (b"", b"{", b"[]", b'{"quick": 3}'):
        file.write_bytes(damage)
        assert Series(tmp_path, SETTINGS).finished_run("quick", plan()) is None
