"""Every pair has inputs of its own, and what it says of them is right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from doubles.small_problems import TOTAL, root_problem, total_problem
from joulemark.code.cases.make import make_cases
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.packed import Packed
from joulemark.code.measuring.drawn import Drawn
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import Scaled, unchecked
from joulemark.code.measuring.whole import WholeRuns
from joulemark.code.problems.problem import Generator
from joulemark.record.code_run import REFERENCE, SEEN_INPUT, Outcome

MINE = Ran("total", TOTAL, 0)
SCALED = Scaled(1_000, (), 20_000_000)


@pytest.fixture(scope="module")
def bench(sandbox: Sandbox) -> Iterator[Bench]:
    problem = total_problem()
    with Judge(sandbox, problem) as judge:
        yield Bench(sandbox, problem, judge)


def sent(bench: Bench, ran: Ran = MINE, n: int = 4, ahead: int = 3) -> list[Packed]:
    drawn = Drawn(bench, ran, 1_000, ahead)
    return [case.sent for pair in range(n) for case in drawn.of(pair)]


def test_no_input_comes_twice_in_the_pairs_of_a_program_or_of_another_one(bench: Bench) -> None:
    mine, again, other = sent(bench), sent(bench, ahead=1), sent(bench, Ran("total", TOTAL, 1))
    assert len(set(mine)) == len(mine) == 8
    assert mine == again  # in how many goes they are made changes nothing
    assert not set(mine) & set(other)
    assert not set(mine) & set(sent(replace(bench, seed=777123)))


def test_a_generator_of_one_input_a_size_is_asked_for_nearly_that_size(sandbox: Sandbox) -> None:
    source = "def generate(rng, size, shape):\n    return (list(range(size)),)\n"
    problem = total_problem(generator=Generator(source, sizes=(100, 10_000), shapes=("one",)))
    with Judge(sandbox, problem) as judge:
        bench = Bench(sandbox, problem, judge)
        drawn = Drawn(bench, MINE, 1_000, 4)
        cases = [drawn.of(pair)[0] for pair in range(6)]
        runs = run_pairs(bench, MINE, SCALED, PairPlan(2, 2))
    assert [case.size for case in cases] == [1_000, 1_010, 990, 1_020, 980, 1_030]
    assert not any(drawn.has_come_again(pair) for pair in range(6))
    assert all(run.correct and run.size == 1_000 and SEEN_INPUT not in run.flags for run in runs)


def test_an_input_that_comes_again_all_the_same_is_told_with_each_run(sandbox: Sandbox) -> None:
    source = "def generate(rng, size, shape):\n    return ([1, 2, 3],)\n"
    problem = total_problem(generator=Generator(source, sizes=(100, 10_000), shapes=("one",)))
    with Judge(sandbox, problem) as judge:
        runs = run_pairs(Bench(sandbox, problem, judge), MINE, SCALED, PairPlan(2, 2))
    assert [SEEN_INPUT in run.flags for run in runs] == [False, False, True, True]
    assert all(run.correct for run in runs)


def test_a_result_is_compared_with_the_references_on_the_same_input(bench: Bench) -> None:
    at_times = f"{TOTAL}plain = total\ndef total(values):\n    return plain(values) + (values[0] == 3)\n"
    runs = run_pairs(bench, Ran("total", at_times, 0), SCALED, PairPlan(9, 9))
    assert all(run.correct for run in runs if run.role == REFERENCE)
    assert [run.correct for run in runs if run.role != REFERENCE][-1] is False
    assert len(runs) < 18


def test_a_problem_with_a_checker_gives_it_the_arguments(sandbox: Sandbox) -> None:
    source = "def generate(rng, size, shape):\n    return (float(rng.randrange(1, 10_000)),)\n"
    problem = replace(root_problem(), generator=Generator(source, sizes=(1, 10), shapes=("any",)))
    other_root = Ran("root", "def root(square):\n    return -(square ** 0.5)\n", 0)
    wrong = Ran("root", "def root(square):\n    return square\n", 0)
    with Judge(sandbox, problem) as judge:
        bench = Bench(sandbox, problem, judge)
        runs = run_pairs(bench, other_root, SCALED, PairPlan(2, 2))
        assert all(run.correct for run in runs)
        assert run_pairs(bench, wrong, SCALED, PairPlan(2, 2))[-1].correct is False


def test_a_generator_that_fails_later_ends_the_pairs(sandbox: Sandbox) -> None:
    source = (
        "def generate(rng, size, shape):\n"
        "    if rng.random() < 0.4:\n"
        "        raise ValueError\n"
        "    return ([1] * size,)\n"
    )
    problem = total_problem(generator=Generator(source, sizes=(100, 10_000), shapes=("one",)))
    with Judge(sandbox, problem) as judge:
        bench = next(
            one
            for seed in range(40)
            if (one := Bench(sandbox, problem, judge, seed)) and _makes(one, 1) and not _makes(one, 3)
        )
        runs = run_pairs(bench, MINE, SCALED, PairPlan(1, 9))
    assert len(runs) == 2
    assert all(run.correct for run in runs)


def _makes(bench: Bench, n: int) -> bool:
    try:
        sent(bench, n=n, ahead=1)
    except Exception:
        return False
    return True


def test_a_size_of_before_at_which_the_reference_is_too_fast_today_has_no_pairs(sandbox: Sandbox) -> None:
    source = "def generate(rng, size, shape):\n    return ([rng.randrange(10**6)] + [1] * size,)\n"
    problem = total_problem(generator=Generator(source, sizes=(100, 10**6), shapes=("one",)))
    with Judge(sandbox, problem) as judge:
        bench = Bench(sandbox, problem, judge)
        assert run_pairs(bench, MINE, unchecked(1_000), PairPlan(2, 2)) == []
        assert len(run_pairs(bench, MINE, unchecked(2_000_000), PairPlan(1, 1))) == 2


def test_all_tests_are_drawn_anew_but_for_what_is_given(bench: Bench, sandbox: Sandbox) -> None:
    graded = make_cases(sandbox, bench.problem, 12)
    whole = WholeRuns(bench, Ran("total", TOTAL), graded, 1)
    (first,), (second,) = whole.draw(), whole.draw()
    assert (first.pair, second.pair) == (0, 1)
    n_given = sum(case.size is None for case in graded)
    large = [
        {case.sent for case in one if (case.size or 0) > 20} for one in (graded, first.cases, second.cases)
    ]
    assert [case.sent for case in first.cases[:n_given]] == [case.sent for case in graded[:n_given]]
    assert all(large)
    assert not large[0] & large[1]
    assert not large[1] & large[2]
    assert not first.are_seen


def test_tests_without_a_generator_are_told_to_be_known(sandbox: Sandbox) -> None:
    problem = total_problem(generator=None, brute_force=None)
    with Judge(sandbox, problem) as judge:
        bench = Bench(sandbox, problem, judge)
        whole = WholeRuns(bench, Ran("total", TOTAL), make_cases(sandbox, problem, 5), 1)
        runs = [*whole.run(MINE), *whole.run(replace(MINE, sample=1))]
    assert all(run.outcome is Outcome.RETURNED and run.correct and SEEN_INPUT in run.flags for run in runs)
    assert [(run.sample, run.pair) for run in runs] == [(None, 0), (0, 0), (1, 0)]  # the reference once


def test_every_answer_has_tests_of_its_own_and_the_reference_beside_it(
    bench: Bench, sandbox: Sandbox
) -> None:
    """One could leave in the kernel's caches what it found for the next."""
    whole = WholeRuns(bench, Ran("total", TOTAL), make_cases(sandbox, bench.problem, 4), 2)
    runs = [run for sample in (0, 1) for run in whole.run(replace(MINE, sample=sample))]
    placed = [(run.sample, run.pair) for run in runs]
    assert placed == [(None, 0), (0, 0), (0, 1), (None, 1), (None, 2), (1, 2), (1, 3), (None, 3)]
    assert all(run.correct for run in runs)
