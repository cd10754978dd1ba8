"""Problems of which most is expected to be learned come first."""

from doubles.small_problems import TOTAL, TOTAL_TWICE, scripted_problem, total_problem
from joulemark.code.evaluation.job import Answer
from joulemark.code.evaluation.order import expected_information

ONE = [Answer(0, TOTAL)]


def in_order(*told):
    """The ids of (problem, answers) in the order in which they are evaluated."""
    return [one.problem_id for one, _ in sorted(told, key=lambda pair: expected_information(*pair))]


def test_what_scales_and_what_is_hard_comes_first():
    hard = total_problem(problem_id="z", difficulty="hard")
    easy = total_problem(problem_id="a", difficulty="easy")
    assert in_order((scripted_problem(), ONE), (easy, ONE), (hard, ONE)) == ["z", "a", "double"]


def test_imported_problems_without_a_difficulty_are_not_in_the_order_of_their_names():
    short = total_problem(problem_id="a", difficulty=None)
    long = total_problem(problem_id="b", difficulty=None, canonical=TOTAL_TWICE)
    assert in_order((short, ONE), (long, ONE)) == ["b", "a"]
    hard = total_problem(problem_id="c", difficulty="hard")
    easy = total_problem(problem_id="d", difficulty="easy", canonical=TOTAL_TWICE)
    assert in_order((easy, ONE), (short, ONE), (hard, ONE)) == ["c", "a", "d"]


def test_many_programs_tell_more_than_many_copies_of_one_and_none_tells_nothing():
    copies = total_problem(problem_id="a"), [Answer(k, TOTAL) for k in range(3)]
    different = total_problem(problem_id="b"), [Answer(0, TOTAL), Answer(1, TOTAL_TWICE)]
    nothing = total_problem(problem_id="c", difficulty="hard"), [Answer(0, None)]
    assert in_order(copies, different, nothing) == ["b", "a", "c"]


def test_a_canonical_solution_that_is_no_python_has_a_place_all_the_same():
    broken = total_problem(problem_id="a", canonical="def total(:")
    assert in_order((broken, ONE), (total_problem(), ONE)) == ["total", "a"]
