"""What can never be measured of a problem is told, where it was wanted."""

from __future__ import annotations

from dataclasses import replace

from doubles.made_up_evaluations import record_of, rows_of
from joulemark.code.evaluation.figures import not_measured, summary_of_evaluation
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.report.code_rows import notes

ROWS = rows_of([1.0, 4.0, 0.5])


def without_sizes(record: EvaluationRecord) -> EvaluationRecord:
    """The record of problems whose generators take no size, but for the last."""
    last = max(record.problems)
    facts = {
        name: one if name == last else one.model_copy(update={"is_scalable": False})
        for name, one in record.problems.items()
    }
    return record.model_copy(update={"problems": facts})


def test_problems_without_inputs_of_a_size_say_why_they_have_no_corrected_figure() -> None:
    record = without_sizes(record_of(n_problems=3))
    why = not_measured(record, replace(ROWS, not_measured={"p02": "its generator fails"}))
    assert set(why) == {"p00", "p01", "p02"}
    assert "no chosen size" in why["p00"]
    assert "draft-generator" in why["p00"]
    (said,) = (one for one in notes(summary_of_evaluation(record, ROWS), why) if "not wholly" in one)
    assert said.startswith("3 problems were judged and not wholly measured: p00, p01: its inputs are of no")
    assert said.endswith("; p02: its generator fails.")


def test_what_nobody_wanted_is_not_missed() -> None:
    assert not_measured(without_sizes(record_of(figures=("paper",), n_problems=3)), ROWS) == {}
    old = record_of(n_problems=3)
    facts = {name: one.model_copy(update={"is_scalable": None}) for name, one in old.problems.items()}
    assert not_measured(old.model_copy(update={"problems": facts}), ROWS) == {}


def test_one_problem_is_one() -> None:
    (said,) = notes(summary_of_evaluation(record_of(n_problems=3), ROWS), {"p00": "its generator fails"})
    assert said == "1 problem was judged and not wholly measured: p00: its generator fails."
