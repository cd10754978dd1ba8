"""A run that was killed between any two writes to its directory can be read, and goes on to its end."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from doubles.loaded import carried_out, plan_of, task_of
from doubles.working_engine import WorkingEngine
from joulemark.load.shape import LoadShape
from joulemark.record.item import ItemRow, Phase
from joulemark.record.manifest import Manifest
from joulemark.record.window_name import WindowName
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.runs.plan import RunPlan
from joulemark.runs.recorded import read_run
from joulemark.runs.sound_manifest import require_sound
from joulemark.runs.view import view_of

N = 3
SHAPES = (LoadShape.closed(1), LoadShape.closed(2))


class Kills:
    """Copies of a run directory as a kill would leave it: one before each write that somebody waits for."""

    def __init__(self, root: Path, copies: Path) -> None:
        self.root, self._copies, self.taken = root, copies, 0

    def before(self) -> None:
        """Copy what is there now."""
        if (self.root / "manifest.json").exists():
            shutil.copytree(self.root, self._copies / f"{self.taken:03}")
            self.taken += 1

    def note(self, patch: pytest.MonkeyPatch) -> None:
        """Have each write noted."""
        write_manifest, extend = RunLayout.write_manifest, ItemJournal.extend

        def write_noted(layout: RunLayout, manifest: Manifest) -> None:
            self.before()
            write_manifest(layout, manifest)

        def extend_noted(journal: ItemJournal, rows: Sequence[ItemRow]) -> None:
            self.before()
            extend(journal, rows)

        patch.setattr(RunLayout, "write_manifest", write_noted)
        patch.setattr(ItemJournal, "extend", extend_noted)

    def __iter__(self) -> Iterator[Path]:
        return iter(sorted(self._copies.iterdir()))


@pytest.fixture
def kills(tmp_path: Path) -> Kills:
    return Kills(tmp_path / "run", tmp_path / "copies")


@pytest.fixture
def plan(kills: Kills, request: pytest.FixtureRequest) -> Iterator[RunPlan]:
    """A plan that was carried out while kills were noted."""
    shape: LoadShape = getattr(request, "param", SHAPES[0])
    with WorkingEngine(lambda _: "ok", tokens=2, gap_s=0.001) as engine:
        planned = plan_of(engine.url, task_of(N), shape, kills.root)
        with pytest.MonkeyPatch.context() as patch:
            kills.note(patch)
            carried_out(planned)
        yield planned


def measure_is_open(copy: Path) -> bool:
    windows = RunLayout(copy).read_manifest().windows
    return bool(windows) and (windows[-1].name, windows[-1].t1) == (WindowName.MEASURE, None)


def goes_on(plan: RunPlan, root: Path, copy: Path) -> None:
    shutil.rmtree(root)
    copy.rename(root)
    _, run = carried_out(plan)
    assert run.manifest.state == "complete", copy.name
    assert sum(item.phase == Phase.MEASURE for item in run.items) == N
    assert {segment.end for segment in run.manifest.segments} <= {"done", "killed"}


@pytest.mark.parametrize("plan", SHAPES, ids=["in turn", "two at a time"], indirect=True)
def test_it_is_read_and_goes_on_from_before_its_first_answer(kills: Kills, plan: RunPlan) -> None:
    for copy in kills:
        view_of(read_run(copy))
    goes_on(plan, kills.root, next(copy for copy in kills if measure_is_open(copy)))


def test_it_is_read_without_its_answers(kills: Kills, plan: RunPlan) -> None:
    assert any(map(measure_is_open, kills))
    for copy in kills:
        (copy / "items.jsonl").unlink(missing_ok=True)
        run = read_run(copy)
        require_sound(run.manifest)
        assert view_of(run).items == ()


@pytest.mark.slow
@pytest.mark.parametrize("plan", SHAPES, ids=["in turn", "two at a time"], indirect=True)
def test_it_goes_on_wherever_the_kill_fell(kills: Kills, plan: RunPlan) -> None:
    copies = list(kills)
    assert len(copies) > 2 * N
    for copy in copies:
        goes_on(plan, kills.root, copy)
