import pytest

from doubles.made_up_code_runs import evaluation
from joulemark.metrics.code.by_group import (
    Placed,
    Tags,
    by_algorithm,
    by_difficulty,
    extremes,
    on_identical_problems,
    solved_by_all,
)
from joulemark.metrics.code.summary import main_figures, summarize_code

TAGS = {
    "p00": Tags(("greedy", "sorting"), "easy"),
    "p01": Tags(("greedy",), "hard"),
    "p02": Tags(("sorting",), None),
    "elsewhere": Tags(("backtracking",), "medium"),
}


def test_figures_of_a_group_are_those_of_its_problems():
    runs = evaluation([1.0, 4.0, 9.0], noise=0.0)
    groups = by_algorithm(runs, TAGS, main_figures)
    assert list(groups) == ["greedy", "sorting"]
    assert groups["greedy"]["net_corrected"].value == pytest.approx(2.0, rel=0.01)
    assert groups["sorting"]["net_corrected"].value == pytest.approx(3.0, rel=0.01)
    by_level = by_difficulty(runs, TAGS, main_figures)
    assert by_level["hard"]["net"].value == pytest.approx(4.0)
    assert list(by_level) == ["easy", "hard"]


def test_models_are_compared_on_the_problems_all_solved():
    models = {"a": evaluation([1.0, 2.0, 50.0]), "b": evaluation([1.0, 2.0, 1.0], wrong=(2,))}
    assert solved_by_all(models) == {"p00", "p01"}
    same = on_identical_problems(models)
    # a is not charged for the hard problem that b did not solve
    figures = {name: main_figures(runs) for name, runs in same.items()}
    assert figures["a"]["net"].value == pytest.approx(figures["b"]["net"].value)
    assert {f["net_corrected"].n for f in figures.values()} == {2}
    assert solved_by_all({}) == frozenset()


def test_the_ten_worst_and_best_with_their_algorithms():
    placed = [Placed(f"p{k:02}", 0, "x", float(k)) for k in range(25)]
    tags = {one.problem: Tags(("greedy",) if one.value >= 20 else ("sorting",)) for one in placed}
    found = extremes(placed, tags)
    assert [one.value for one in found.worst] == [float(k) for k in range(24, 14, -1)]
    assert [one.value for one in found.best] == [float(k) for k in range(10)]
    assert found.algorithms == (("greedy", 5), ("sorting", 5))
    assert extremes([], tags).worst == ()


def test_equal_values_come_in_the_order_of_their_problems():
    placed = [Placed(name, 0, "x", 1.0) for name in "cab"]
    assert [one.problem for one in extremes(placed, {}, n=2).worst] == ["a", "b"]


def test_a_summary_names_the_programs_to_show():
    found = summarize_code(evaluation([1.0, 4.0, 9.0]), tags=TAGS).extremes["cpu_ratio"]
    assert found.worst[0].problem == "p02"
    assert found.worst[0].program == "p02-0"
    assert dict(found.algorithms) == {"greedy": 2, "sorting": 2}
