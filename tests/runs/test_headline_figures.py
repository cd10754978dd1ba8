"""The first figures of a run in a list are those of its report, or the reason why there are none."""

from __future__ import annotations

from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason
from joulemark.report.run_line import run_lines
from joulemark.runs.headline_figures import HeadlineFigures

FACTS = {"created_utc": "2026-01-01", "state": "complete", "answers": 9, "wanted": 10, "run_dir": "runs/a"}


def test_a_line_holds_energy_tier_and_accuracy() -> None:
    joules = Value(434.63, "J", 420.0, 450.0, "bound")
    share = Value(0.65, "1", 0.5, 0.78, "ci95")
    told = run_lines(FACTS, HeadlineFigures(joules, share, "B", None, False)).splitlines()
    assert told[0] == "2026-01-01  complete      9/10  runs/a"
    assert told[1] == "    435 J per correct answer (meter's bound 420 … 450 J) · tier B · accuracy 65 %"


def test_without_joules_the_line_says_why_and_a_replay_is_loud() -> None:
    none = HeadlineFigures(
        withheld("J", Reason.NO_METER), withheld("1", Reason.NOTHING_SCORED), None, Reason.NO_METER, False
    )
    assert run_lines(FACTS, none).endswith(f"    — per correct answer: {Reason.NO_METER.text}")
    assert none.to_json()["reasons"]["joules_per_correct_answer"]["code"] == "no_meter"
    replayed = HeadlineFigures(Value(1.0, "J"), Value(1.0, "1"), None, Reason.NOT_APPLICABLE, True)
    assert "REPLAYED: " in run_lines(FACTS, replayed)


def test_what_was_simulated_or_has_no_valid_times_is_marked_and_a_load_says_of_what_its_joules_are() -> None:
    joules, share = Value(1.391, "J", 1.374, 1.417, "bound"), Value(0.58, "1")
    figures = HeadlineFigures(
        joules,
        share,
        None,
        Reason.NOT_APPLICABLE,
        False,
        simulated=True,
        invalid=("loop_lag",),
        loaded=True,
    )
    told = run_lines(FACTS, figures).splitlines()[1]
    assert told.startswith(
        "    SIMULATED, INVALID timing (loop_lag): 1.391 J per correct answer over the whole run"
    )
    assert " · no tier · " in told
    found = figures.to_json()
    assert (found["simulated"], found["invalid"], found["loaded"]) == (True, ["loop_lag"], True)
    plain = run_lines(FACTS, HeadlineFigures(joules, share, "C", None, False))
    assert not any(mark in plain for mark in ("SIMULATED", "INVALID", "whole run", "no tier"))


def test_a_run_that_its_target_ended_says_so() -> None:
    """It read "complete 9/10" without a reason."""
    figures = HeadlineFigures(Value(1.0, "J"), Value(0.5, "1"), "C", None, False)
    told = run_lines({**FACTS, "stopped_by": ["accuracy ±15pp"]}, figures).splitlines()[1]
    assert told.startswith("    stopped by its target accuracy ±15pp · 1.000 J per correct answer")
    assert "stopped" not in run_lines({**FACTS, "stopped_by": []}, figures)
    none = HeadlineFigures(withheld("J", Reason.NO_METER), Value(0.5, "1"), None, Reason.NO_METER, False)
    assert (
        run_lines({**FACTS, "stopped_by": ["a", "b"]}, none)
        .splitlines()[1]
        .startswith("    stopped by its target a, b · ")
    )
