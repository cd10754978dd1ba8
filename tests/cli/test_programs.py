"""After how many runs a dearer model pays back: of programs that were evaluated alike, else why not."""

from __future__ import annotations

from typing import Any

import pytest

from doubles.made_up_evaluations import NO_LANDLOCK, record_of, rows_of
from joulemark.cli.programs import _break_even
from joulemark.code.evaluation.figures import summary_of_evaluation
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.code.joined.figures import ProgramFigures
from joulemark.metrics.code.break_even import CostKind, model_cost
from joulemark.metrics.value import Value

J = Value(1.0, "J")


def figures(record: EvaluationRecord, ratios: list[float], generate_j: float) -> ProgramFigures:
    summary = summary_of_evaluation(record, rows_of(ratios))
    generate = dict.fromkeys(record.problems, generate_j)
    cost = model_cost(
        summary.samples, summary.paired, generate, CostKind.AT_METERED_RATE, per_cpu_second=50.0
    )
    return ProgramFigures(record, summary, cost, (), J, J, J, J, None, {})


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
