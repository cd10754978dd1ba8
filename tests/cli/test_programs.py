"""After how many runs a dearer model pays back: of programs that were evaluated alike, else why not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from doubles.made_up_evaluations import NO_LANDLOCK, record_of, rows_of
from joulemark.cli.programs import _break_even
from joulemark.code.evaluation.figures import summary_of_evaluation
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.code.joined.figures import ProgramFigures, _mean_run
from joulemark.code.joined.source_kind import SourceKind
from joulemark.metrics.code.break_even import CostKind, model_cost
from joulemark.metrics.value import Value
from joulemark.record.code_run import Purpose

J = Value(1.0, "J")
PAIRED = Purpose.PAIRED


def figures(record: EvaluationRecord, ratios: list[float], generate_j: float) -> ProgramFigures:
    summary = summary_of_evaluation(record, rows_of(ratios))
    generate = dict.fromkeys(record.problems, generate_j)
    cost = model_cost(
        summary.samples, summary.paired, generate, CostKind.AT_METERED_RATE, per_cpu_second=50.0
    )
    return ProgramFigures(record, summary, cost, (), J, J, J, J, None, SourceKind.MEASURED, {})


def test_the_dearer_one_pays_back() -> None:
    dear, cheap = figures(record_of("A"), [0.5] * 4, 100.0), figures(record_of("B"), [2.0] * 4, 10.0)
    found, why = _break_even(dear, cheap)
    assert why == ""
    assert found is not None
    # 90 J more to generate, 50 J/s times 30 ms less a run
    assert found.runs.value == pytest.approx(90 / 1.5, rel=0.05)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"n_problems": 3}, "other problems"),
        ({"n_tests": 10}, "n_tests: 100 and 10"),
        ({"n_tests": 10, "answers": ("sum(values)",)}, "the number of tests"),
        ({"timeout_s": 1.0}, "timeout_s"),
        ({"containment": NO_LANDLOCK}, "another environment"),
    ],
)
def test_programs_that_were_evaluated_differently_are_not_compared(how: dict[str, Any], said: str) -> None:
    one = figures(record_of("A"), [0.5] * 4, 100.0)
    other = figures(record_of("B", **{"answers": ("1 + 1",), **how}), [2.0] * 4, 10.0)
    found, why = _break_even(one, other)
    assert found is None
    assert said in why


def test_programs_that_are_not_all_graded_are_not_compared() -> None:
    """What is missing is slow more often than not."""
    dear, cheap = figures(record_of("A"), [0.5] * 3, 100.0), figures(record_of("B"), [2.0] * 4, 10.0)
    found, why = _break_even(dear, cheap)
    assert found is None
    assert "not all programs are graded" in why.lower()


def test_measured_joules_do_not_pay_back_replayed_ones() -> None:
    dear, cheap = figures(record_of("A"), [0.5] * 4, 100.0), figures(record_of("B"), [2.0] * 4, 10.0)
    found, why = _break_even(replace(dear, source=SourceKind.REPLAYED), cheap)
    assert found is None
    assert "replayed of one and measured of the other" in why


def test_the_time_of_one_run_is_withheld_where_a_program_is_wrong_on_the_scaled_input() -> None:
    """Its 50-fold time would else be left out, and the mean be that of the rest."""
    summary = summary_of_evaluation(record_of("A", n_problems=2), rows_of([1.0, 50.0]))
    assert _mean_run(summary).value is not None
    wrong = rows_of([1.0, 50.0])
    bad = {
        name: tuple(
            replace(run, correct=False)
            if (run.problem, run.sample, run.purpose) == ("p01", 0, PAIRED)
            else run
            for run in runs
        )
        for name, runs in wrong.runs.items()
    }
    summary = summary_of_evaluation(record_of("A", n_problems=2), replace(wrong, runs=bad))
    assert summary.counts["n_right"] == 2
    assert _mean_run(summary).value is None
    assert "1 answers that pass their tests" in _mean_run(summary).detail
