"""When pairs end: by the very ratio that is published, of charged rows and above the baseline."""

import numpy as np
import pytest

from doubles.made_up_code_runs import MS, abba, busy, nothing, program, quiet, sides, two_speeds
from joulemark.code.evaluation.job import narrow_enough
from joulemark.metrics.code.baseline import baseline_of
from joulemark.metrics.code.corrected import corrected

TARGET = 0.06


def published(runs, controls=()):
    """The ratio that is reported of the pairs of one right sample."""
    (one,) = corrected([*controls, program("p", 0), *runs]).samples
    return one.ratio.ratio


def half_width(value):
    return (value.hi - value.lo) / 2 / value.value


def test_a_baseline_that_widens_the_interval_is_seen_by_the_rule():
    """1.1 ms, of which a program that does nothing takes 1: what is left scatters ten times as much."""
    controls = nothing(cpu_ns=MS, n=15)
    times = [1.10 * MS, 1.11 * MS, 1.09 * MS, 1.10 * MS] * 2
    runs = abba("p", 0, [20 * MS] * 8, times)
    assert half_width(published(runs)) < TARGET < half_width(published(runs, controls))
    assert narrow_enough(TARGET)(runs)
    assert not narrow_enough(TARGET, baseline_of(controls))(runs)


def test_work_outside_the_call_is_in_what_the_rule_judges():
    """The call itself takes the same time each time; what the program does after it does not."""
    runs = abba("p", 0, [20 * MS] * 8, [20 * MS] * 8, cpu_before_ns=0)
    for k, run in enumerate(runs):
        after = 0 if run.sample is None else (k % 5) * 6 * MS
        runs[k] = program(
            "p", run.sample, run.purpose, cpu_ns=20 * MS, pair=run.pair, position=run.position,
            size=1000, cpu_around_ns=5 * MS + after, cpu_before_ns=0, cpu_after_ns=after,
        )  # fmt: skip
    assert half_width(published(runs)) > TARGET
    assert not narrow_enough(TARGET)(runs)


@pytest.mark.parametrize("machine", [quiet, two_speeds, busy])
def test_what_ended_before_the_last_pair_is_published_as_narrow_as_was_asked_for(machine):
    controls = nothing(cpu_ns=0.05 * MS, n=15)
    is_enough = narrow_enough(TARGET, baseline_of(controls))
    a, b = sides(machine(np.random.default_rng(3), 12, 52))
    n_early = 0
    for reference, candidate in zip(20 * MS * a, 1.3 * MS * b, strict=True):
        runs = abba("p", 0, reference, candidate)
        n = next((n for n in range(4, 25) if is_enough(runs[: 2 * n])), 25)
        value = published(runs[: 2 * n], controls)
        assert value.n == n
        if n < 25:
            n_early += 1
            assert half_width(value) <= TARGET
        for fewer in range(4, n, 2):
            assert half_width(published(runs[: 2 * fewer], controls)) > TARGET
    assert n_early > 0


def test_it_looks_after_whole_rounds_only():
    runs = abba("p", 0, [20 * MS] * 6, [20 * MS] * 6)
    assert [n for n in range(1, 13) if narrow_enough(TARGET)(runs[:n])] == [8, 12]
