"""The loop of a sweep: engines kept up, failures survived, and a record that is valid at every moment."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from doubles.points import point
from doubles.powercap import FakePowercap
from doubles.sweeping import Heard, RecordingBench, WritingExecutor, plan_for
from joulemark.calibration.restore import restore_path
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.value import Value
from joulemark.record.errors import InputError
from joulemark.record.manifest import ClientProof, Load
from joulemark.runs.execute import RunOutcome
from joulemark.runs.layout import RunLayout
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.sweeps.journal import SweepJournal, SweepRecord
from joulemark.sweeps.plan import SweepPlan
from joulemark.sweeps.points import read_sweep
from joulemark.sweeps.sweep import SweepOutcome, sweep

LEVELS = [1, 2, 4, 8]
AXES = {"concurrency": LEVELS}


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def no_figures(root: Path) -> OperatingPoint:
    return point(None, None)


def made(
    plan: SweepPlan,
    root: Path,
    bench: RecordingBench | None = None,
    executor: WritingExecutor | None = None,
    heard: Heard | None = None,
    figures: object = no_figures,
) -> SweepOutcome:
    return sweep(
        plan,
        SweepJournal(root),
        bench or RecordingBench(),
        executor or WritingExecutor(),
        heard or Heard(),
        figures=figures,  # type: ignore[arg-type]
    )


def states(record: SweepRecord) -> list[str]:
    return [one.state for one in record.points]


def test_an_engine_is_started_once_for_all_points_that_it_can_serve(tmp_path: Path) -> None:
    bench, executor = RecordingBench(), WritingExecutor()
    plan = plan_for({"concurrency": LEVELS, "max_batch": [4, 8]})
    outcome = made(plan, tmp_path, bench, executor)
    assert states(outcome.record) == ["done"] * 8
    assert bench.log == ["start batch 4", "stop batch 4", "start batch 8", "stop batch 8"]
    # and the load rises for each
    assert [one.values["concurrency"] for one in outcome.record.points] == LEVELS * 2
    assert SweepJournal(tmp_path).read() == outcome.record


def test_the_same_command_measures_nothing_again(tmp_path: Path) -> None:
    made(plan_for(AXES), tmp_path)
    bench, executor = RecordingBench(), WritingExecutor()
    again = made(plan_for(AXES), tmp_path, bench, executor)
    assert executor.ran == []
    assert bench.log == [], "no engine is started for what is done"
    assert states(again.record) == ["done"] * 4


def test_a_longer_axis_measures_what_is_new_alone(tmp_path: Path) -> None:
    made(plan_for(AXES), tmp_path)
    executor = WritingExecutor()
    more = made(plan_for({"concurrency": [2, 4, 16]}), tmp_path, executor=executor)
    assert [name.partition("_")[0] for name in executor.ran] == ["concurrency-16-" + executor.ran[0][-10:]]
    here = [one for one in more.record.points if one.in_grid]
    assert [one.values["concurrency"] for one in here] == [2, 4, 16]
    assert [one.values["concurrency"] for one in more.record.points if not one.in_grid] == [1, 8]


def test_another_base_is_another_sweep(tmp_path: Path) -> None:
    made(plan_for(AXES, {"max_tokens": 16}), tmp_path)
    with pytest.raises(InputError, match="holds another sweep: it differs in max_tokens"):
        made(plan_for(AXES, {"max_tokens": 32}), tmp_path)
    with pytest.raises(InputError, match="differs in retries"):
        made(plan_for(AXES, {"max_tokens": 16, "retries": 1}), tmp_path)


def test_a_point_that_fails_is_told_and_the_sweep_goes_on(tmp_path: Path) -> None:
    bench = RecordingBench(refuses=lambda one: one.launch.max_batch == 64)
    heard, executor = Heard(), WritingExecutor()
    plan = plan_for({"concurrency": [1, 2], "max_batch": [4, 64, 8]})
    outcome = made(plan, tmp_path, bench, executor, heard)
    by_batch = {(one.values["max_batch"], one.values["concurrency"]): one for one in outcome.record.points}
    assert [by_batch[batch, 1].state for batch in (4, 64, 8)] == ["done", "failed", "done"]
    failed = by_batch[64, 1]
    assert failed.why == "vllm did not start: it ended"
    assert "CUDA out of memory" in failed.detail
    assert by_batch[64, 2].why == f"the engine does not start with these settings: see {failed.name}"
    assert bench.log.count("start batch 64") == 1, "one start tells what the next would"
    assert len(executor.ran) == 4
    assert (str(failed.name), "failed") in heard.over
    # the same command tries it once more
    bench = RecordingBench()
    again = made(plan, tmp_path, bench)
    assert states(again.record) == ["done"] * 6
    assert bench.log == ["start batch 64", "stop batch 64"]


def test_a_run_that_fails_half_way_ends_no_sweep(tmp_path: Path) -> None:
    def does(name: str) -> RunOutcome | None:
        if name.startswith("concurrency-2-"):
            return RunOutcome(
                tmp_path, "failed", 0, 1, None, InputError("the engine went away", why="no answer")
            )
        return None

    outcome = made(plan_for(AXES), tmp_path, executor=WritingExecutor(does))
    assert states(outcome.record) == ["done", "failed", "done", "done"]
    assert outcome.record.points[1].why == "the engine went away: no answer"
    again = WritingExecutor()
    assert states(made(plan_for(AXES), tmp_path, executor=again).record) == ["done"] * 4
    assert len(again.ran) == 1


def test_an_engine_that_died_is_started_anew(tmp_path: Path) -> None:
    bench = RecordingBench()

    def does(name: str) -> RunOutcome | None:
        if name.startswith("concurrency-2-"):
            bench.engines[-1].dead = True
            return RunOutcome(tmp_path, "failed", 0, 1, None, InputError("the engine went away"))
        return None

    outcome = made(plan_for(AXES, {"max_batch": 4}), tmp_path, bench, WritingExecutor(does))
    assert states(outcome.record) == ["done", "failed", "done", "done"]
    assert bench.log == ["start batch 4", "stop batch 4", "start batch 4", "stop batch 4"]


@pytest.mark.parametrize("how", ["before", "within"])
def test_ctrl_c_leaves_a_sweep_that_goes_on(tmp_path: Path, how: str) -> None:
    def does(name: str) -> RunOutcome | None:
        if not name.startswith("concurrency-4-"):
            return None
        if how == "before":
            raise KeyboardInterrupt
        return RunOutcome(tmp_path, "interrupted", 0, 1, None)

    bench = RecordingBench()
    outcome = made(plan_for(AXES), tmp_path, bench, WritingExecutor(does))
    assert outcome.interrupted
    assert states(outcome.record) == ["done", "done", "partial", "planned"]
    assert bench.log[-1].startswith("stop"), "what was started is ended"
    found = SweepJournal(tmp_path).read()
    assert found == outcome.record
    executor = WritingExecutor()
    assert states(made(plan_for(AXES), tmp_path, executor=executor).record) == ["done"] * 4
    assert [name[:14] for name in executor.ran] == ["concurrency-4-", "concurrency-8-"]


def test_a_request_to_end_between_two_runs_is_heard_as_ctrl_c_is(tmp_path: Path) -> None:
    """It comes while the first point's figures are read, after its run."""
    before = signal.getsignal(signal.SIGTERM)

    def asked_to_end(root: Path) -> OperatingPoint:
        signal.raise_signal(signal.SIGTERM)
        return point(None, None)

    def does(name: str) -> None:
        # as an event loop does when it is done with a signal
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    bench = RecordingBench()
    outcome = made(plan_for(AXES), tmp_path, bench, WritingExecutor(does), figures=asked_to_end)
    assert outcome.interrupted
    assert states(outcome.record) == ["done", "planned", "planned", "planned"]
    assert bench.log[-1].startswith("stop")
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_kill_between_a_run_and_the_journal_costs_nothing(tmp_path: Path) -> None:
    outcome = made(plan_for(AXES), tmp_path)
    journal = SweepJournal(tmp_path)
    outcome.record.points[1].state = "running"
    outcome.record.points[2].state = "planned"
    journal.save(outcome.record)
    executor = WritingExecutor()
    assert states(made(plan_for(AXES), tmp_path, executor=executor).record) == ["done"] * 4
    assert executor.ran == []


def saturating(limit: float):  # type: ignore[no-untyped-def]
    """Return figures of an engine that gives no more than ``limit`` tokens a second."""

    def figures(root: Path) -> OperatingPoint:
        level = float(root.name.split("-")[1])
        rate = min(100.0 * level, limit)
        return point(latencies={"e2el_mean": 100 * level / rate}, tokens_per_second=Value(rate, "tokens/s"))

    return figures


def test_a_saturated_axis_is_stopped_early_and_says_so(tmp_path: Path) -> None:
    executor = WritingExecutor()
    levels = [1, 2, 4, 8, 16, 32]
    outcome = made(plan_for({"concurrency": levels}), tmp_path, executor=executor, figures=saturating(200))
    assert states(outcome.record) == ["done"] * 4 + ["saturated"] * 2
    assert outcome.record.points[-1].why.startswith("saturated: at 8 requests in flight two steps")
    assert len(executor.ran) == 4
    # the same command does not begin to measure them; --no-early-stop does
    again = WritingExecutor()
    made(plan_for({"concurrency": levels}), tmp_path, executor=again, figures=saturating(200))
    assert again.ran == []
    whole = made(
        plan_for({"concurrency": levels}, early_stop=False), tmp_path, executor=again, figures=saturating(200)
    )
    assert states(whole.record) == ["done"] * 6
    assert len(again.ran) == 2


def test_saturation_is_told_apart_by_everything_but_the_load(tmp_path: Path) -> None:
    """An engine of a larger batch is not saturated because that of a smaller one is."""

    def figures(root: Path) -> OperatingPoint:
        words = root.name.replace("_", "-").split("-")
        level, batch = float(words[1]), float(words[4])
        rate = 100 * min(level, batch)
        return point(latencies={"e2el_mean": 100 * level / rate}, tokens_per_second=Value(rate, "tokens/s"))

    plan = plan_for({"concurrency": [1, 2, 4, 8, 16, 32], "max_batch": [2, 8]})
    outcome = made(plan, tmp_path, figures=figures)
    found = {(one.values["max_batch"], one.values["concurrency"]): one.state for one in outcome.record.points}
    assert [found[2, level] for level in (1, 2, 4, 8, 16, 32)] == ["done"] * 4 + ["saturated"] * 2
    assert [found[8, level] for level in (1, 2, 4, 8, 16, 32)] == ["done"] * 6


def _swap(root: Path, one: str, other: str) -> None:
    points = root / "points"
    (points / one).rename(points / "aside")
    (points / other).rename(points / one)
    (points / "aside").rename(points / other)


def test_a_point_whose_folder_holds_the_run_of_another_is_measured_again(tmp_path: Path) -> None:
    names = [str(one.name) for one in made(plan_for(AXES), tmp_path).record.points]
    _swap(tmp_path, names[1], names[3])
    found = read_sweep(tmp_path).points
    assert f"holds the run of {names[3]}" in found[1].unread
    assert f"holds the run of {names[1]}" in found[3].unread
    executor = WritingExecutor()
    again = made(plan_for(AXES), tmp_path, executor=executor)
    assert executor.ran == [names[1], names[3]]
    assert states(again.record) == ["done"] * 4
    assert sorted(path.name for path in (tmp_path / ".invalid").iterdir()) == [
        f"{names[1]}-1",
        f"{names[3]}-1",
    ]
    assert not any("holds" in one.unread for one in read_sweep(tmp_path).points)


def test_swapped_points_of_one_configuration_are_both_measured_again(tmp_path: Path) -> None:
    """What board or power limit they had is no part of it: their numbers alone tell them apart."""
    outcome = made(plan_for(AXES), tmp_path)
    names = [str(one.name) for one in outcome.record.points]
    for one in outcome.record.points:
        layout = RunLayout(tmp_path / "points" / str(one.name))
        same = {"config_hash": "same", "load": Load()}
        layout.write_manifest(layout.read_manifest().model_copy(update=same))
        one.config_hash = "same"
    SweepJournal(tmp_path).save(outcome.record)
    _swap(tmp_path, names[1], names[3])
    executor = WritingExecutor()
    made(plan_for(AXES), tmp_path, executor=executor)
    assert executor.ran == [names[1], names[3]]


def test_a_copy_of_another_point_is_no_point(tmp_path: Path) -> None:
    names = [str(one.name) for one in made(plan_for(AXES), tmp_path).record.points]
    shutil.rmtree(tmp_path / "points" / names[2])
    shutil.copytree(tmp_path / "points" / names[0], tmp_path / "points" / names[2])
    found = read_sweep(tmp_path).points
    assert ["holds the run of" in one.unread for one in found] == [False, False, True, False]


def test_a_run_of_another_configuration_is_no_point(tmp_path: Path) -> None:
    name = made(plan_for(AXES), tmp_path).record.points[1].name
    layout = RunLayout(tmp_path / "points" / str(name))
    strange = layout.read_manifest().model_copy(update={"run_id": "by hand", "config_hash": "another"})
    layout.write_manifest(strange)
    assert "another configuration" in read_sweep(tmp_path).points[1].unread


def test_a_run_made_by_hand_of_the_same_configuration_is_the_points(tmp_path: Path) -> None:
    name = made(plan_for(AXES), tmp_path).record.points[1].name
    layout = RunLayout(tmp_path / "points" / str(name))
    layout.write_manifest(layout.read_manifest().model_copy(update={"run_id": "by hand"}))
    executor = WritingExecutor()
    again = made(plan_for(AXES), tmp_path, executor=executor)
    assert executor.ran == []
    assert again.record.points[1].run_id == "by hand"


def test_a_record_of_before_knows_a_swapped_folder_by_its_load(tmp_path: Path) -> None:
    outcome = made(plan_for(AXES), tmp_path)
    for one in outcome.record.points:
        one.run_id = one.config_hash = ""
    journal = SweepJournal(tmp_path)
    journal.save(outcome.record)
    names = [str(one.name) for one in outcome.record.points]
    _swap(tmp_path, names[1], names[3])
    assert "a run of another load: 8, not 2 requests in flight" in read_sweep(tmp_path).points[1].unread
    executor = WritingExecutor()
    made(plan_for(AXES), tmp_path, executor=executor)
    assert executor.ran == [names[1], names[3]]


def test_two_sweeps_do_not_share_a_directory(tmp_path: Path) -> None:
    journal = SweepJournal(tmp_path)
    with journal.held(), pytest.raises(InputError, match="is in use"), SweepJournal(tmp_path).held():
        pass


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema_version": "9.0"}', '{"axes": 3}'])
def test_a_file_that_is_no_sweep_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(InputError, match="choose another directory"):
        SweepJournal(tmp_path).read()


def test_a_sweep_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    record = made(plan_for(AXES), tmp_path).record
    text = record.model_dump_json().replace('"schema_version":"1.1"', '"schema_version":"2.0"')
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(InputError, match="schema"):
        SweepJournal(tmp_path).read()


def limit_of(tree: FakePowercap) -> float:
    path = tree.root / "intel-rapl:0" / "constraint_0_power_limit_uw"
    return int(path.read_text()) * 1e-6


def test_a_power_limit_is_set_for_its_points_and_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = FakePowercap(tmp_path, limit_w=125.0)
    monkeypatch.setenv("JOULEMARK_POWERCAP", str(tree.root))
    monkeypatch.setattr("joulemark.sweeps.power._SETTLE_S", 0.0)
    seen: list[float] = []

    def does(name: str) -> None:
        seen.append(limit_of(tree))
        assert restore_path().exists(), "a kill would be mended by `doctor --restore`"

    bench = RecordingBench()
    plan = plan_for({"power_limit_w": [60, 90], "concurrency": [1, 2]})
    outcome = made(plan, tmp_path / "sweep", bench, WritingExecutor(does))
    assert states(outcome.record) == ["done"] * 4
    assert seen == [60, 60, 90, 90]
    assert limit_of(tree) == 125.0
    assert not restore_path().exists()
    assert bench.log == ["start batch None", "stop batch None"], "a limit needs no restart"


def test_a_power_limit_that_cannot_be_set_fails_its_points_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = FakePowercap(tmp_path)
    (tree.root / "intel-rapl:0" / "constraint_0_power_limit_uw").unlink()
    monkeypatch.setenv("JOULEMARK_POWERCAP", str(tree.root))
    plan = plan_for({"power_limit_w": [60], "concurrency": [1]})
    outcome = made(plan, tmp_path / "sweep")
    assert states(outcome.record) == ["failed"]
    assert "no device here has a power limit" in outcome.record.points[0].why


def test_the_journal_holds_no_figure(tmp_path: Path) -> None:
    made(plan_for(AXES), tmp_path)
    text = json.loads((tmp_path / "sweep.json").read_text())
    assert set(text["points"][0]) == {
        "name",
        "values",
        "state",
        "why",
        "detail",
        "command",
        "launch",
        "in_grid",
        "run_id",
        "config_hash",
    }


@dataclass
class LateExecutor(WritingExecutor):
    """Measures with a client that does not keep up, as long as ``late`` says so of a point."""

    late: Callable[[str], bool] = lambda name: True

    def run(self, plan: RunPlan, observer: Observer) -> RunOutcome:
        outcome = super().run(plan, observer)
        assert plan.out is not None
        if self.late(plan.out.name):
            proof = ClientProof(segment=0, invalid=["loop_lag"])
            layout = RunLayout(plan.out)
            layout.write_manifest(layout.read_manifest().model_copy(update={"client": [proof]}))
        return outcome


def test_a_point_whose_client_did_not_keep_up_is_invalid_and_tried_again(tmp_path: Path) -> None:
    heard, executor = Heard(), LateExecutor(late=lambda name: name.startswith("concurrency-2-"))
    first = made(plan_for(AXES), tmp_path, executor=executor, heard=heard)
    assert states(first.record) == ["done", "invalid", "done", "done"]
    bad = first.record.points[1]
    assert "free the processor" in bad.why
    assert "(loop_lag)" in bad.why
    assert (str(bad.name), "invalid") in heard.over

    again = LateExecutor(late=lambda name: False)
    second = made(plan_for(AXES), tmp_path, executor=again)
    assert again.ran == [bad.name], "what is valid is not measured again"
    assert states(second.record) == ["done"] * 4
    assert second.record.points[1].why == ""
    kept = RunLayout(tmp_path / ".invalid" / f"{bad.name}-1").read_manifest()
    assert kept.client[0].invalid == ["loop_lag"], "every reading is kept"


def test_an_older_record_of_an_invalid_point_is_no_done(tmp_path: Path) -> None:
    made(plan_for(AXES), tmp_path, executor=LateExecutor())
    journal = SweepJournal(tmp_path)
    record = journal.read()
    assert record is not None
    for one in record.points:
        one.state, one.why = "done", ""
    journal.save(record)
    executor = LateExecutor()
    again = made(plan_for(AXES), tmp_path, executor=executor)
    assert len(executor.ran) == 4
    assert states(again.record) == ["invalid"] * 4
    assert sorted(path.name[-2:] for path in (tmp_path / ".invalid").iterdir()) == ["-1"] * 4


def test_a_kill_before_the_journal_makes_no_invalid_point_a_done_one(tmp_path: Path) -> None:
    made(plan_for(AXES), tmp_path, executor=LateExecutor())
    journal = SweepJournal(tmp_path)
    record = journal.read()
    assert record is not None
    record.points[0].state = "running"
    journal.save(record)
    executor = LateExecutor(late=lambda name: False)
    assert states(made(plan_for(AXES), tmp_path, executor=executor).record) == ["done"] * 4
    assert len(executor.ran) == 4
