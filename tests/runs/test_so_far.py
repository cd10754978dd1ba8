"""A run that goes on is told up to where its meter was read, and no further."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from doubles.slow_meter_runs import Answers, answers, recorded
from joulemark.frugal.stopping.rule import TargetRule
from joulemark.frugal.target import parse_targets
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Item
from joulemark.record.manifest import Manifest, Rates
from joulemark.record.reason import Reason
from joulemark.record.scope import WALL, Scope
from joulemark.record.telemetry import Reading
from joulemark.runs.finished import Finished
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.so_far import view_so_far
from joulemark.telemetry.journal import TelemetryJournal
from runs.test_disbelieved import sequential

S = 1_000_000_000


@pytest.fixture
def given() -> Answers:
    return answers(400, np.random.default_rng(3))


@pytest.fixture
def whole(given: Answers) -> RecordedRun:
    return recorded(given, np.random.default_rng(4))


def journal(run: RecordedRun, path: Path, until_ns: int) -> Path:
    """Write what the register had shown by ``until_ns``."""
    track = run.timeline.tracks[0, "plug"]
    joules = track.values["energy_j"]
    seen = [k for k, t_ns in enumerate(track.t_ns.tolist()) if t_ns <= until_ns]
    writer = TelemetryJournal(path)
    writer.append(
        Reading(0, int(track.t_ns[k]), "plug", WALL, {"energy_j": float(joules[k])}, 3_000_000) for k in seen
    )
    writer.close()
    return path


def going_on(run: RecordedRun) -> Manifest:
    """Return its manifest while the segment and its window are open."""
    manifest = run.manifest.model_copy(deep=True)
    manifest.headline_scope = [str(Scope(WALL))]
    manifest.segments[0].t1, manifest.windows[0].t1 = None, None
    return manifest


def test_answers_after_the_last_reading_wait(whole: RecordedRun, given: Answers, tmp_path: Path) -> None:
    read_ns = whole.items[300].t_end + S // 50
    telemetry = journal(whole, tmp_path / "telemetry.jsonl", read_ns)
    view = view_so_far(going_on(whole), telemetry, whole.items[:320])
    assert [item.item_id for item in view.measured_items] == [f"q{n}" for n in range(301)]
    assert isinstance(view.headline_energy, MeasuredEnergy)
    assert view.headline_energy.joules == pytest.approx(float(given.joules[:301].sum()), rel=0.02)
    assert view.blocks is not None
    assert len(view.blocks.blocks) >= 10
    assert view.duration_s == pytest.approx((whole.items[300].t_end - whole.manifest.windows[0].t0) / S)


def test_what_is_in_flight_takes_its_share_and_counts_in_nothing(whole: RecordedRun, tmp_path: Path) -> None:
    read_ns = whole.items[300].t_end + S // 50
    telemetry = journal(whole, tmp_path / "telemetry.jsonl", read_ns)
    begun = whole.items[301]
    early = Item(
        item_id="in flight",
        index=301,
        repeat=-1,
        segment=0,
        phase="abandoned",
        t_sent=whole.items[299].t_sent,
        t_end=begun.t_end,
    )
    view = view_so_far(going_on(whole), telemetry, whole.items[:301], [early])
    assert len(view.measured_items) == 301
    assert [item.item_id for item in view.abandoned_items] == ["in flight"]
    assert view.abandoned_items[0].t_end == whole.items[300].t_end


def test_without_a_reading_nothing_is_told(whole: RecordedRun, tmp_path: Path) -> None:
    view = view_so_far(going_on(whole), tmp_path / "none.jsonl", whole.items[:50])
    assert view.measured_items == ()


def test_a_manifest_is_left_to_its_run(whole: RecordedRun, tmp_path: Path) -> None:
    """A run of closed segments only is told whole."""
    telemetry = journal(whole, tmp_path / "telemetry.jsonl", 2**62)
    view = view_so_far(whole.manifest.model_copy(deep=True), telemetry, whole.items)
    assert len(view.measured_items) == 400


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"gauge_times": 0.45}, Reason.METER_CONTRADICTED),
        ({"foreign": 100.0}, Reason.FOREIGN_LOAD),
        ({}, None),
    ],
)
def test_what_the_report_does_not_believe_ends_no_run(
    how: dict[str, float], reason: Reason | None, tmp_path: Path
) -> None:
    """A rule that rests on joules which are withheld afterwards would have ended the run for nothing."""
    run = sequential(**how)
    manifest = run.manifest.model_copy(deep=True)
    manifest.headline_scope = [str(Scope.gpu(0))]
    manifest.segments[0].t1, manifest.windows[0].t1 = None, None
    path = tmp_path / "telemetry.jsonl"
    writer = TelemetryJournal(path)
    for (segment, name), track in run.timeline.tracks.items():
        values = [{q: float(v[k]) for q, v in track.values.items()} for k in range(len(track.t_ns))]
        writer.append(
            Reading(segment, t_ns, name, name, said, 1_000_000)
            for t_ns, said in zip(track.t_ns.tolist(), values, strict=True)
        )
    writer.close()
    questions = [(one,) for one in run.items]

    def view(_n: int) -> RunView:
        return view_so_far(manifest.model_copy(deep=True), path, run.items)

    rule = TargetRule(parse_targets(["joules ±20%"]), 1000, Rates())
    assert rule.decide(Finished(questions, 1000, view)) is None  # sixty are too few for any cost
    (told,) = rule.told()
    assert ("not known yet" in told) == (reason is not None)
    if reason is not None:
        assert reason.text.rstrip(".") in told
