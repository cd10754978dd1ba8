"""A meter on file that does not answer is what is missing: `doctor`, a run, its page and `record` say so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from doubles.nvml import FakeNvml
from doubles.user import adds, bench, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.meters.configured import keep_meters
from joulemark.runs.recorded import read_run

Sums = Callable[[int], Path]
SILENT = "shelly:127.0.0.1:1"  # nothing listens there
WHY = "nothing listens at that address and port"
NOTHING_FOUND = "No energy meter was found"


@pytest.fixture(autouse=True)
def bare(own_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a sensor of its own, with a plug on file that is off."""
    for root in ("JOULEMARK_POWERCAP", "JOULEMARK_SYS", "JOULEMARK_HWMON"):
        monkeypatch.setenv(root, str(tmp_path / "nowhere"))
    keep_meters([SILENT])


@pytest.fixture
def alone() -> Iterator[WorkingEngine]:
    with WorkingEngine(adds, gap_s=0.001) as working:
        yield working


def test_doctor_names_the_meter_and_both_ways_out() -> None:
    told = joulemark("doctor", "--no-test")
    assert told.code == 1
    assert WHY in told.out
    assert f"{SILENT} is on file and does not answer" in told.out
    assert f"joulemark doctor --forget {SILENT}\n" in told.out
    assert "can be read: joulemark doctor --meter" not in told.out
    (plug,) = [s for s in joulemark("doctor", "--no-test", "--json").json["sources"] if s["kind"] == "shelly"]
    assert plug["on_file"] is True


@pytest.mark.slow
def test_a_run_its_report_and_the_list_of_runs_give_it_as_the_reason(
    alone: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out = tmp_path / "runs" / "one"
    done = joulemark(*bench(alone, sums(3), out))
    assert done.code == 0, done.err
    reason = done.json["reasons"]["joules_per_correct_answer"]
    assert reason["code"] == "meter_silent"
    assert reason["detail"] == f"shelly: {WHY}."
    assert done.json["reasons"]["measurement_tier"]["code"] == "meter_silent"
    shown = " ".join(joulemark("report", out).out.split())
    assert "No joules: The meter that is on file" in shown
    assert f"shelly: {WHY}" in shown
    assert "`joulemark doctor`" in shown
    listed = joulemark("runs", "--runs-dir", out.parent).out
    assert WHY in listed
    page = (out / "report.html").read_text()
    assert WHY in page
    for text in (shown, listed, page):
        assert NOTHING_FOUND not in text
        assert "No meter was found" not in text
    kept = "".join(path.read_text(errors="replace") for path in out.iterdir() if path.is_file())
    assert "127.0.0.1:1/" not in kept
    assert SILENT not in kept


@pytest.mark.slow
def test_beside_a_board_it_is_a_warning(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    done = joulemark(*bench(engine, sums(6), tmp_path / "run"), env=board.env)
    assert done.code == 0, done.err
    assert done.json["total_joules"] > 0
    (told,) = [one for one in done.json["caveats"] if one["code"] == "silent_meter"]
    assert WHY in told["text"]
    (silent,) = read_run(tmp_path / "run").manifest.silent_meters
    assert (silent.segment, silent.name) == (0, "shelly")


def test_record_gives_it_as_the_reason() -> None:
    done = joulemark("record", "--json", "--", "true")
    assert done.code == 0
    reason = json.loads(done.err[done.err.index("{") :])["reasons"]["total_joules"]
    assert (reason["code"], reason["detail"]) == ("meter_silent", f"shelly: {WHY}.")
    assert NOTHING_FOUND not in joulemark("record", "--", "true").err
    nobody = joulemark("record", "--meter", "nvml", "--", "true")
    assert NOTHING_FOUND in " ".join(nobody.err.split())
