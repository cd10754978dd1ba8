"""Only evaluations that were made alike stand side by side; what differs in them is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from doubles.made_up_evaluations import NO_LANDLOCK, record_of, rows_of
from joulemark.code.evaluation.comparable import what_differs
from joulemark.code.evaluation.comparison import compare_evaluations, compare_machines
from joulemark.code.evaluation.journal import Recorded
from joulemark.metrics.code.model_pair import DIFFERENCE, QUOTIENT, ModelPair
from joulemark.metrics.value import Value
from joulemark.record.code_run import CodeRun, Purpose
from joulemark.record.errors import InputError
from joulemark.report.code_comparison import comparison_json, print_code_comparison
from joulemark.report.code_verdict import told, verdict

FAST, SLOW = rows_of([1.0, 0.5, 2.0, 1.5]), rows_of([1.0, 4.0, 3.0, 1.5], seed=2)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_tests": 10}, "n_tests: 100 and 10"),
        ({"seed": 7}, "seed: 0 and 7"),
        ({"timeout_s": 1.0}, "timeout_s"),
        ({"memory_mib": 64}, "memory_mib"),
    ],
)
def test_models_that_were_judged_by_other_rules_are_not_compared(settings: dict[str, Any], said: str) -> None:
    mine, theirs = record_of("A"), record_of("B", answers=("sum(values) + 0",), **settings)
    with pytest.raises(InputError, match="other settings") as error:
        compare_evaluations([("a", mine, FAST), ("b", theirs, SLOW)])
    assert said in str(error.value.why)


def test_other_problems_machines_and_procedures_are_refused() -> None:
    mine = record_of("A")
    others = {
        "other problems": record_of("B", n_problems=3),
        "another environment": record_of("B", containment=NO_LANDLOCK),
        "another version": mine.model_copy(update={"procedure": 1}),
    }
    for said, theirs in others.items():
        with pytest.raises(InputError, match=said):
            compare_evaluations([("a", mine, FAST), ("b", theirs, SLOW)])


def test_how_much_was_measured_may_differ_and_is_said() -> None:
    mine, theirs = record_of("A"), record_of("A", measure=False)
    found = compare_evaluations([("a", mine, FAST), ("b", theirs, SLOW)])
    assert found.differ == {"measure": {"a": True, "b": False}}
    assert not found.spread  # the same answers, not evaluated the same way
    out = StringIO()
    print_code_comparison(found, Console(file=out, width=120))
    assert "settings differ in measure: a: True, b: False" in out.getvalue()
    assert comparison_json(found)["settings_differ"] == found.differ


def test_what_tests_change_is_a_question_of_the_same_answers_and_of_nothing_else() -> None:
    few, many = record_of("A", n_tests=10), record_of("A")
    found = compare_evaluations([("a", few, FAST), ("b", many, FAST)])
    assert [one.n_tests for one in found.test_counts] == [10, 100]
    more = record_of("A", n_tests=10, max_pairs=50)
    assert not compare_evaluations([("a", more, FAST), ("b", many, FAST)]).test_counts


def test_an_evaluation_is_not_compared_with_itself() -> None:
    with pytest.raises(InputError, match="named twice"):
        compare_evaluations([("a", record_of(), FAST), ("a", record_of(), FAST)])


def test_pass_at_1_is_the_same_whatever_else_was_measured() -> None:
    graded = record_of("A", measure=False)
    tests = {name: tuple(r for r in runs if r.purpose is Purpose.TEST) for name, runs in FAST.runs.items()}
    found = compare_evaluations([("a", record_of("A"), FAST), ("b", graded, type(FAST)(tests, {}))])
    assert found.of_all["a"]["pass_at_1"] == found.of_all["b"]["pass_at_1"]


def test_machines_are_compared_by_the_same_answers_once_on_each() -> None:
    here, there = record_of("A"), record_of("A", containment=NO_LANDLOCK)
    assert len(compare_machines([("a", here, FAST), ("b", there, SLOW)]).machines) == 2
    others = record_of("A", containment=NO_LANDLOCK, answers=("1",))
    with pytest.raises(InputError, match="other answers of A"):
        compare_machines([("a", here, FAST), ("b", others, SLOW)])
    with pytest.raises(InputError, match="one model on one machine"):
        compare_machines([("a", here, FAST), ("b", there, SLOW), ("c", there, FAST)])
    with pytest.raises(InputError, match="other settings"):
        compare_machines([("a", here, FAST), ("b", record_of("A", containment=NO_LANDLOCK, n_tests=9), SLOW)])


def test_what_makes_an_evaluation_another_one_is_named() -> None:
    there = record_of("A")
    said = what_differs(there, record_of("A", seed=7, n_tests=9))
    assert said == "n_tests (100 there, 9 now); seed (0 there, 7 now)"
    assert what_differs(there, record_of("A", n_problems=3)) == "problems (4 there, 3 now, 3 of them in both)"
    assert what_differs(there, record_of("A", answers=("1",))) == "the programs that answer them"
    assert "machine" in what_differs(there, record_of("A", containment=NO_LANDLOCK))
    assert "procedure (3 there, 2 now" in what_differs(
        there.model_copy(update={"procedure": 3}), there.model_copy(update={"procedure": 2})
    )


def test_machines_are_not_compared_by_what_is_not_finished() -> None:
    here, there = record_of("A"), record_of("A", containment=NO_LANDLOCK)
    with pytest.raises(InputError, match="b is not finished"):
        compare_machines([("a", here, FAST), ("b", there, rows_of([1.0, 2.0, 3.0]))])
    failed = replace(rows_of([1.0, 2.0, 3.0]), failures={"p03": "its generator fails"})
    assert len(compare_machines([("a", here, FAST), ("b", there, failed)]).machines) == 2


def printed(first: Recorded, second: Recorded) -> str:
    found = compare_evaluations(
        [("a", record_of("A"), first), ("b", record_of("B", answers=("sum(values) + 0",)), second)]
    )
    out = StringIO()
    print_code_comparison(found, Console(file=out, width=160))
    comparison_json(found)
    return out.getvalue()


def test_each_figure_has_its_n_and_its_interval_and_models_are_told_apart_or_not() -> None:
    said = printed(FAST, SLOW)
    assert re.search(r"pass@1 +1.00 \(4\) +1.00 \(4\)\s+0.51 … 1.00 +0.51 … 1.00", said)
    assert re.search(r"pass@1: the second less the first .* n = 4 .* not told apart", said)
    assert "NET corrected: the second over the first" in said
    assert "Problem by problem" not in printed_again()


def printed_again() -> str:
    out = StringIO()
    found = compare_evaluations([("a", record_of("A"), FAST), ("b", record_of("A"), SLOW)])
    print_code_comparison(found, Console(file=out, width=160))
    return out.getvalue()


def test_wall_time_of_a_busy_machine_is_marked_and_said() -> None:
    def waiting(runs: Sequence[CodeRun]) -> tuple[CodeRun, ...]:
        return tuple(replace(r, queued_ns=10**8) if r.purpose is Purpose.WHOLE else r for r in runs)

    held_up = replace(SLOW, runs={name: waiting(runs) for name, runs in SLOW.runs.items()})
    said = printed(FAST, held_up)
    assert "! b: The machine was busy: 6 of 8 runs of all tests" in said
    assert "! a: " not in said
    net = next(line for line in said.splitlines() if line.strip().startswith("NET: execution"))
    assert re.search(r"\(4\) +\S+ \(4\) †$", net.rstrip())
    assert re.search(r"NET corrected: CPU time [^†]*$", said, re.MULTILINE)


def test_the_verdict_comes_first_and_names_the_faster() -> None:
    first = printed(rows_of([1.0] * 4), rows_of([3.0] * 4)).splitlines()[0]
    assert "not told apart" in first
    assert "programs of B take 3 times the CPU time of A" in first.replace("2.99", "3").replace("3.01", "3")
    quotient = Value(0.5, "1", 0.4, 0.6, "ci95", n=12)
    difference = Value(-0.2, "1", -0.3, -0.1, "ci95", n=12)
    pair = ModelPair("a", "b", {QUOTIENT.name: quotient, DIFFERENCE.name: difference})
    said = verdict(pair, "one", "other")
    assert said[0] == (
        "other is faster: programs of one take 2 times its CPU time (geometric mean over 12 problems, "
        "95 % interval 1.67 … 2.50): told apart."
    )
    assert (
        said[1]
        == "one is right more often than other: pass@1 of 12 problems is higher by 0.2000: told apart."
    )
    assert told(QUOTIENT.name, Value(0.5, "1", n=3)) == "not told apart"
