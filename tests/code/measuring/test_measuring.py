"""What a program takes is seen from outside, and known differences are found."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace

import pytest

from doubles.small_problems import TOTAL, TOTAL_TWICE, total_problem
from joulemark.code.cases.make import make_cases
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.measuring.baseline import run_baseline
from joulemark.code.measuring.growth import LEAST_SIZES, run_growth
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import LEAST_NS, MOST_NS, Scaled, scale, scaled_cases
from joulemark.code.measuring.whole import WholeRuns, run_whole
from joulemark.code.problems.problem import Generator
from joulemark.record.code_run import CANDIDATE, REFERENCE, CodeRun, Outcome, Purpose
from joulemark.record.errors import InputError

MIB = 1 << 20


@pytest.fixture(scope="module")
def bench(sandbox: Sandbox) -> Iterator[Bench]:
    problem = total_problem()
    with Judge(sandbox, problem) as judge:
        yield Bench(sandbox, problem, judge)


@pytest.fixture(scope="module")
def scaled(bench: Bench) -> Scaled:
    found = scale(bench)
    assert found is not None
    return found


def ratio(runs: list[CodeRun]) -> float:
    mine = [run.cpu_ns for run in runs if run.role == CANDIDATE]
    reference = [run.cpu_ns for run in runs if run.role == REFERENCE]
    return statistics.median(a / b for a, b in zip(mine, reference, strict=True) if a and b)


def test_the_input_grows_until_the_reference_can_be_timed(scaled: Scaled) -> None:
    assert scaled.is_long_enough
    assert scaled.reference_ns < 20 * LEAST_NS
    assert [case.shape for case in scaled.cases] == ["plain", "signed"]


def test_twice_the_work_takes_twice_the_time(bench: Bench, scaled: Scaled) -> None:
    runs = run_pairs(bench, Ran("total", TOTAL_TWICE, 0), scaled, PairPlan(9, 9))
    assert len(runs) == 18
    assert [run.role for run in runs[:4]] == [REFERENCE, CANDIDATE, CANDIDATE, REFERENCE]
    assert 1.5 < ratio(runs) < 2.6


def test_a_wrong_program_is_not_timed_again(bench: Bench, scaled: Scaled) -> None:
    runs = run_pairs(bench, Ran("total", "def total(values):\n    return 0", 0), scaled, PairPlan(9, 9))
    assert [run.correct for run in runs] == [True, False]


def test_pairs_end_when_enough_is_known(bench: Bench, scaled: Scaled) -> None:
    plan = PairPlan(2, 9, lambda runs: len(runs) >= 6)
    assert len(run_pairs(bench, Ran("total", TOTAL, 0), scaled, plan)) == 6


def test_work_at_import_is_seen_outside_the_call(bench: Bench) -> None:
    early = "table = [sum(range(n % 97)) for n in range(150_000)]\n" + TOTAL
    cases = scaled_cases(bench, 1000, ("plain",))  # little to decode: what is outside the call is the import
    plain = bench.run(Ran("total", TOTAL, 0), cases, Purpose.PAIRED)
    busy = bench.run(Ran("total", early, 0), cases, Purpose.PAIRED)
    assert plain.cpu_around_ns is not None
    assert busy.cpu_around_ns is not None
    assert busy.cpu_around_ns > plain.cpu_around_ns + 20_000_000


def test_a_patched_clock_changes_nothing(bench: Bench, scaled: Scaled) -> None:
    liar = "import time\ntime.process_time_ns = time.perf_counter_ns = lambda: 0\n" + TOTAL
    honest = bench.run(Ran("total", TOTAL, 0), scaled.cases, Purpose.PAIRED)
    lying = bench.run(Ran("total", liar, 0), scaled.cases, Purpose.PAIRED)
    assert honest.cpu_ns is not None
    assert lying.cpu_ns is not None
    assert lying.cpu_ns > honest.cpu_ns / 3
    assert "clocks_differ" in lying.flags


def test_threads_are_counted(bench: Bench, scaled: Scaled) -> None:
    source = (
        "import threading\n"
        "def total(values):\n"
        "    found = []\n"
        "    one = threading.Thread(target=lambda: found.append(sum(v for v in values)))\n"
        "    one.start(); one.join()\n"
        "    return found[0]\n"
    )
    run = bench.run(Ran("total", source, 0), scaled.cases, Purpose.PAIRED)
    assert run.correct
    assert run.cpu_ns is not None
    assert run.cpu_ns > LEAST_NS / 5


def test_memory_is_that_of_the_call_alone(bench: Bench, scaled: Scaled) -> None:
    greedy = (
        "ballast = bytearray(300 << 20)\ndef total(values):\n    b'x' * (100 << 20)\n    return sum(values)\n"
    )
    run = bench.run(Ran("total", greedy, 0), scaled.cases[:1], Purpose.PAIRED)
    assert run.peak_bytes is not None
    assert 95 * MIB < run.peak_bytes < 110 * MIB
    assert run.resident_bytes is not None


def test_memory_over_time_is_sampled_from_outside(bench: Bench, sandbox: Sandbox) -> None:
    slow = (
        "import time\n"
        "def total(values):\n"
        "    block = b'y' * (50 << 20)\n"
        "    time.sleep(0.004)\n"
        "    return sum(values)\n"
    )
    run = run_whole(bench, Ran("total", slow, 0), make_cases(sandbox, bench.problem, 20))
    assert run.n_calls == 20
    assert run.n_memory_samples is not None
    assert run.n_memory_samples >= 20
    assert run.memory_step_ns is not None
    assert run.memory_step_ns >= 1_000_000
    assert run.wall_ns is not None
    assert run.memory_above_mib_s is not None
    seconds = run.wall_ns / 1e9
    assert 5 * seconds < run.memory_above_mib_s < 105 * seconds
    # the whole call is in it, from the start to the first sample and from the last to the end too
    assert run.memory_mib_s is not None
    assert run.resident_bytes is not None
    assert run.memory_mib_s - run.memory_above_mib_s == pytest.approx(
        run.resident_bytes / MIB * seconds, rel=1e-6
    )


def test_all_tests_of_two_programs_run_by_turns(bench: Bench, sandbox: Sandbox) -> None:
    mine, cases = Ran("total", TOTAL, 0), make_cases(sandbox, bench.problem, 3)
    runs = WholeRuns(bench, Ran("total", bench.problem.canonical), cases, 2).run(mine)
    assert [run.role for run in runs] == [REFERENCE, CANDIDATE, CANDIDATE, REFERENCE]
    assert [run.pair for run in runs] == [0, 0, 1, 1]
    assert all(run.correct for run in runs)


@pytest.mark.slow
def test_growth_is_run_from_the_smallest_size_up(bench: Bench, scaled: Scaled) -> None:
    runs = run_growth(bench, Ran("total", TOTAL, 0), scaled)
    assert [run.role for run in runs[:4]] == [REFERENCE, CANDIDATE, CANDIDATE, REFERENCE]
    sizes = sorted({run.size or 0 for run in runs})
    assert len(sizes) == 6
    assert [run.size for run in runs] == sorted(run.size or 0 for run in runs)
    assert sizes[3] == scaled.size


@pytest.mark.slow
def test_a_slow_program_has_smaller_sizes_instead(bench: Bench, scaled: Scaled) -> None:
    squared = (
        "def total(values):\n"
        "    for value in values[: len(values) // 3000]:\n"
        "        sum(values)\n"
        "    return sum(values)\n"
    )
    runs = run_growth(bench, Ran("total", squared, 0), scaled)
    sizes = {run.size for run in runs if run.correct}
    assert len(sizes) >= LEAST_SIZES
    assert max(size or 0 for size in sizes) < 4 * scaled.size


def test_a_program_over_the_limit_is_censored_and_wrong(sandbox: Sandbox) -> None:
    problem = total_problem()
    with Judge(sandbox, problem) as judge:
        endless = Ran("total", "def total(values):\n    while True: pass", 0)
        cases = make_cases(sandbox, problem, 3)
        run = Bench(sandbox, problem, judge).run(endless, cases[:1], Purpose.PAIRED)
    assert run.outcome is Outcome.OVER_CPU
    assert run.outcome.is_censored
    assert run.correct is False
    assert run.limit_ns == 2_000_000_000
    assert run.cpu_ns is not None
    assert run.cpu_ns >= run.limit_ns  # what was seen until it was ended
    assert "cpu_ns" not in run.reasons
    assert run.reasons["cpu_after_ns"] == "no_answer"
    assert run.peak_bytes is not None  # seen until then: no less can be said of what it takes


def test_a_program_is_not_right_on_nothing(bench: Bench) -> None:
    with pytest.raises(ValueError, match="nothing"):
        bench.run(Ran("total", TOTAL, 0), (), Purpose.PAIRED)


def test_a_generator_that_fails_at_a_larger_size_ends_the_growing(sandbox: Sandbox) -> None:
    """It judged before it was asked for more than it can: the largest input that it made is taken."""
    source = (
        "def generate(rng, size, shape):\n"
        "    if size > 3000:\n"
        "        raise MemoryError\n"
        "    return ([1] * size,)\n"
    )
    problem = total_problem(generator=Generator(source, sizes=(1_000, 1_000_000), shapes=("one",)))
    with Judge(sandbox, problem) as judge:
        bench = Bench(sandbox, problem, judge)
        found = scale(bench)
        assert found is not None
        assert found.size == 1_000
        assert not found.is_long_enough
        sizes = {run.size for run in run_growth(bench, Ran("total", TOTAL, 0), replace(found, size=2_000))}
        assert sizes == {250, 500, 1_000, 2_000}


def test_an_input_that_is_too_large_to_be_sent_ends_the_growing(sandbox: Sandbox) -> None:
    """Its cases would be none, and every program is right on none."""
    source = "def generate(rng, size, shape):\n    return (['x' * 100] * size,)\n"
    first = "def total(values):\n    return values[0]\n"
    problem = total_problem(
        canonical=first,
        brute_force=None,
        generator=Generator(source, sizes=(100, 1_000_000), shapes=("one",)),
    )
    with Judge(sandbox, problem) as judge:
        bench = Bench(sandbox, problem, judge)
        with pytest.raises(InputError, match="no input of size"):
            scaled_cases(bench, 1_000_000, ("one",))
        found = scale(bench)
    assert found is not None
    assert len(found.cases) == 1
    assert not found.is_long_enough


def test_a_reference_that_takes_needlessly_long_gets_a_smaller_input(sandbox: Sandbox) -> None:
    """Sixteen times the smallest size is tried first: too much where the time grows with the cube."""
    cubed = (
        "def total(values):\n"
        "    for one in values:\n"
        "        for other in values:\n"
        "            for _ in values:\n"
        "                pass\n"
        "    return sum(values)\n"
    )
    source = "def generate(rng, size, shape):\n    return ([1] * size,)\n"
    generator = Generator(source, sizes=(20, 1_000), shapes=("one",))
    problem = total_problem(canonical=cubed, brute_force=None, generator=generator)
    with Judge(sandbox, problem) as judge:
        found = scale(Bench(sandbox, problem, judge))
    assert found is not None
    assert found.is_long_enough
    assert 20 < found.size < 16 * 20
    assert found.reference_ns < 4 * MOST_NS


def test_nothing_takes_next_to_nothing(sandbox: Sandbox) -> None:
    runs = run_baseline(sandbox)
    assert all(run.outcome is Outcome.RETURNED and run.correct for run in runs)
    assert min(run.cpu_ns or 0 for run in runs) < 2_000_000
