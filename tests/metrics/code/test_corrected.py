import dataclasses
import math

import numpy as np
import pytest

from doubles.made_up_code_runs import (
    MIB,
    MS,
    RAISED,
    TIMED_OUT,
    abba,
    evaluation,
    nothing,
    program,
    whole,
)
from joulemark.metrics.code.as_defined import as_defined
from joulemark.metrics.code.baseline import baseline_of, call_ns, harness_share
from joulemark.metrics.code.corrected import DEFINITIONS, corrected
from joulemark.metrics.code.pair_ratio import aa_band
from joulemark.metrics.code.paired_sample import UNTOLD
from joulemark.metrics.code.pairs import control_pairs
from joulemark.metrics.code.shares import NO_BAND
from joulemark.record.code_run import Outcome, Purpose
from joulemark.record.reason import Reason


def tasks(*ratios, n=6, **fields):
    """One right answer a task, each run exactly as long as it should be."""
    runs = nothing(cpu_ns=0, n=1)
    for k, ratio in enumerate(ratios):
        runs.append(program(f"p{k}", 0))
        runs += abba(f"p{k}", 0, [20 * MS] * n, [20 * MS * ratio] * n, **fields)
    return runs


def controls(n_problems=3, n=6):
    """Programs against themselves on a machine without noise."""
    runs = [run for k in range(n_problems) for run in abba(f"c{k}", 0, [20 * MS] * n, [20 * MS] * n)]
    return [dataclasses.replace(run, purpose=Purpose.SAME) for run in runs]


def test_by_hand():
    found = corrected(tasks(2.0, 0.5, 8.0)).figures
    assert found["net_corrected"].value == pytest.approx(2.0)
    assert found["et_corrected"].value == pytest.approx(0.04)
    assert found["net_corrected_max"].value == pytest.approx(8.0)
    assert found["net_corrected_median"].value == pytest.approx(2.0)
    assert found["net_corrected_at_least"].value == pytest.approx(2.0)
    assert found["net_corrected_over_5"].value == pytest.approx(1 / 3)
    # 4 MiB and 8 MiB above what was resident
    assert found["mu_corrected"].value == pytest.approx(8.0)
    assert found["nmu_corrected"].value == pytest.approx(2.0)
    assert found["net_corrected"].n == 3


def test_shares_by_hand():
    found = corrected([*tasks(2.0, 0.5, 8.0), *controls()]).figures
    assert found["faster_share"].value == pytest.approx(1 / 3)
    assert found["slower_share"].value == pytest.approx(2 / 3)
    assert found["failed_scaled_share"].value == 0.0


def test_without_a_band_nobody_knows_what_a_tie_is():
    """A band that was lost is not one of no width."""
    found = corrected(tasks(2.0, 0.5, 8.0)).figures
    for name in ("faster_share", "tied_share", "slower_share"):
        assert found[name].value is None, name
        assert found[name].detail == NO_BAND
    assert found["failed_scaled_share"].value == 0.0


def test_few_pairs_are_held_against_the_band_of_few_pairs():
    shaky = evaluation([1.0] * 4, seed=9, noise=0.05, n_pairs=25)
    same = [dataclasses.replace(r, purpose=Purpose.SAME) for r in shaky if r.purpose is Purpose.PAIRED]
    few, many = (aa_band(control_pairs(same), n_pairs=n).value for n in (3, 25))
    ratio = 1 + (few + many) / 2
    assert many < ratio - 1 < few

    def told(n):
        runs = [*tasks(ratio, n=n), *same]
        return corrected(runs).figures["slower_share"].value

    assert (told(3), told(25)) == (0.0, 1.0)


def test_every_figure_is_defined_in_its_unit():
    units = {d.name: d.unit for d in DEFINITIONS}
    for runs in (tasks(2.0), [], evaluation([1.0] * 3), tasks(2.0)[1:]):
        assert {name: value.unit for name, value in corrected(runs).figures.items()} == units


def test_it_shares_no_name_with_the_papers():
    assert not set(corrected([]).figures) & set(as_defined([]))


def test_the_pair_that_is_invisible_elsewhere_shows_its_true_ratio():
    """A fast and a slow program, 13.8 times apart, that the published procedure scores 1.01."""
    rng = np.random.default_rng(2)
    harness = 15 * MS
    reference = harness + 0.226 * MS * np.exp(rng.normal(0, 0.01, 14))
    mine = harness + 3.11 * MS * np.exp(rng.normal(0, 0.01, 14))
    runs = [*nothing(cpu_ns=harness, n=9), program("p", 0), *abba("p", 0, reference, mine)]
    value = corrected(runs).samples[0].ratio.ratio
    assert value.value == pytest.approx(13.8, rel=0.03)
    assert value.lo < 13.8 < value.hi


def test_the_interval_over_tasks_holds_the_truth():
    rng = np.random.default_rng(11)
    held = 0
    for k in range(80):
        ratios = np.exp(rng.normal(math.log(1.5), 0.5, 12))
        value = corrected(evaluation(ratios, seed=k, n_pairs=4)).figures["net_corrected"]
        held += value.lo <= 1.5 <= value.hi
    assert 0.88 <= held / 80 <= 1.0


def test_without_a_program_that_does_nothing_all_is_withheld():
    found = corrected(tasks(2.0)[1:]).figures
    assert {value.reason for value in found.values()} == {Reason.NOT_MEASURED}


def test_a_limit_withholds_the_mean_and_gives_a_bound():
    runs = tasks(2.0, 0.5, 8.0)
    limited = abba("slow", 0, [20 * MS] * 3, [2_000 * MS] * 3, outcome=TIMED_OUT, correct=None)
    found = corrected([*runs, program("slow", 0), *limited]).figures
    for name in ("net_corrected", "et_corrected", "net_corrected_max"):
        assert found[name].value is None, name
        assert "1 of 4" in found[name].detail
    assert found["net_corrected_at_least"].value == pytest.approx((2 * 0.5 * 8 * 100) ** 0.25)
    assert found["net_corrected_median"].value == pytest.approx(5.0)
    assert found["net_corrected_over_5"].value == pytest.approx(2 / 4)
    assert corrected([*runs, *controls(), program("slow", 0), *limited]).figures[
        "slower_share"
    ].value == pytest.approx(3 / 4)


@pytest.mark.parametrize("outcome", [TIMED_OUT, Outcome.OVER_MEMORY])
def test_a_limit_withholds_memory_and_time_and_gives_bounds(outcome):
    """A program that takes too much memory is the last that may be left out of a figure of memory."""
    runs = tasks(2.0, 0.5, 8.0)
    limited = abba("m", 0, [20 * MS] * 1, [60 * MS] * 1, outcome=outcome, correct=False, peak_bytes=64 * MIB)
    found = corrected([*runs, program("m", 0), *limited]).figures
    for name in ("nmu_corrected", "mu_corrected", "nmu_corrected_max", "net_corrected", "ntmu_corrected"):
        assert found[name].value is None, name
    assert "memory is not known (1 of 4)" in found["nmu_corrected"].detail
    assert found["nmu_corrected_at_least"].value == pytest.approx((2**3 * 16) ** 0.25)
    assert found["nmu_corrected_over_5"].value == pytest.approx(1 / 4)
    assert found["net_corrected_at_least"].value == pytest.approx((2 * 0.5 * 8 * 3) ** 0.25)
    unseen = [dataclasses.replace(r, peak_bytes=None) if r.outcome is outcome else r for r in limited]
    found = corrected([*runs, program("m", 0), *unseen]).figures
    assert found["nmu_corrected_over_5"].value is None
    # the floor of 256 KiB over 4 MiB: no less is possible
    assert found["nmu_corrected_at_least"].value == pytest.approx((2**3 / 16) ** 0.25)


def test_a_median_of_limits_is_withheld():
    runs = tasks(2.0)
    for name in "abc":
        limited = abba(name, 0, [20 * MS] * 3, [2_000 * MS] * 3, outcome=TIMED_OUT, correct=None)
        runs += [program(name, 0), *limited]
    found = corrected(runs).figures
    assert found["net_corrected_median"].value is None
    assert found["net_corrected_at_least"].value == pytest.approx((2 * 100**3) ** 0.25)


def test_a_limit_below_five_times_says_nothing_on_five_times():
    limited = abba("slow", 0, [20 * MS] * 3, [40 * MS] * 3, outcome=TIMED_OUT, correct=None)
    found = corrected([*tasks(2.0), program("slow", 0), *limited]).figures
    assert found["net_corrected_over_5"].value is None


def test_wrong_code_is_left_out():
    wrong = [
        dataclasses.replace(run, correct=run.problem == "p0") if run.purpose is Purpose.TEST else run
        for run in tasks(2.0, 100.0)
    ]
    assert corrected(wrong).figures["net_corrected"].value == pytest.approx(2.0)


def test_code_that_is_wrong_on_the_scaled_input_is_in_no_mean_and_in_the_share_of_failures():
    """A slow program that returns anything where it is timed would else look as if it had never been."""
    runs = [*tasks(2.0), program("p9", 0), *abba("p9", 0, [20 * MS] * 3, [1 * MS] * 3, correct=False)]
    figures = corrected([*runs, *controls()]).figures
    assert figures["net_corrected"].n == 1
    assert figures["failed_scaled_share"].value == pytest.approx(1 / 2)


def test_code_that_fails_on_the_scaled_input_has_no_time():
    runs = [*tasks(2.0), program("p9", 0)]
    runs += abba("p9", 0, [20 * MS] * 3, [1 * MS] * 3, outcome=RAISED, correct=None)
    found = corrected(runs)
    # leaving it out would pay a slow program that raises before anybody sees how slow it is
    assert found.figures["net_corrected"].value is None
    assert found.figures["net_corrected_over_5"].value == pytest.approx(1 / 2)
    assert len(found.samples) == 2
    figures = corrected([*runs, *controls()]).figures
    assert figures["failed_scaled_share"].value == pytest.approx(1 / 2)
    # it is slower or faster than nothing, and one of the tasks all the same
    assert figures["slower_share"].value == pytest.approx(1 / 2)
    assert figures["nmu_corrected"].value is None
    assert "(1 of 2)" in figures["nmu_corrected"].detail


def test_ties_are_told_by_the_band_of_the_day():
    runs = evaluation([1.03] * 4, noise=0.002)
    assert corrected([*runs, *controls()]).figures["slower_share"].value == pytest.approx(1.0)
    shaky = evaluation([1.0] * 4, seed=9, noise=0.05)
    same = [dataclasses.replace(run, purpose=Purpose.SAME) for run in shaky if run.purpose is Purpose.PAIRED]
    found = corrected(same + runs)
    assert found.band.value > 0.03
    assert found.figures["tied_share"].value == pytest.approx(1.0)


def test_memory_that_no_kernel_tells_from_none_has_no_ratio():
    runs = [
        dataclasses.replace(run, peak_bytes=8192) if run.purpose is Purpose.PAIRED else run
        for run in tasks(2.0, 2.0)
    ]
    found = corrected(runs).figures
    assert found["nmu_corrected"].value is None
    assert found["mu_corrected"].value is None
    assert "256 KiB" in found["mu_corrected"].detail
    # one side is told apart from nothing: the other counts as the least that would be
    some = [
        dataclasses.replace(run, peak_bytes=MIB) if run.purpose is Purpose.PAIRED and run.sample == 0 else run
        for run in runs
    ]
    assert corrected(some).figures["nmu_corrected"].value == pytest.approx(4.0)


def test_memory_over_time_is_above_the_baseline():
    def with_memory(run):
        mine = run.sample == 0
        return dataclasses.replace(
            run,
            wall_ns=10**9 * (2 if mine else 1),
            memory_above_mib_s=20.0 if mine else 5.0,
            n_memory_samples=40,
        )

    runs = [with_memory(run) if run.purpose is Purpose.PAIRED else run for run in tasks(2.0)]
    assert corrected(runs).figures["ntmu_corrected"].value == pytest.approx(4.0)
    runs[0] = dataclasses.replace(runs[0], peak_bytes=MIB)
    # 20 MiB s less 1 MiB over 2 s, 5 less 1
    assert corrected(runs).figures["ntmu_corrected"].value == pytest.approx(18 / 4)


def test_memory_over_time_that_is_not_told_from_none_is_no_ratio_of_times():
    def brief(run):
        mine = run.sample == 0
        wall_s = 2 if mine else 1
        # a peak of some MiB at the very end, and 100 KiB on average
        return dataclasses.replace(
            run, wall_ns=wall_s * 10**9, memory_above_mib_s=0.1 * wall_s, n_memory_samples=40
        )

    runs = [brief(run) if run.purpose is Purpose.PAIRED else run for run in tasks(2.0)]
    found = corrected(runs)
    for name in ("tmu_corrected", "ntmu_corrected", "ntmu_corrected_max", "ntmu_corrected_over_5"):
        assert found.figures[name].value is None, name
        assert "256 KiB" in found.figures[name].detail
    assert found.figures["nmu_corrected"].value == pytest.approx(2.0)
    assert found.samples[0].memory_time_figure.detail == UNTOLD
    # a task beside it that is told apart is the only one that counts
    seen = [
        dataclasses.replace(run, problem="q", memory_above_mib_s=8.0, wall_ns=10**9)
        for run in runs
        if run.purpose is Purpose.PAIRED
    ]
    figures = corrected([*runs, program("q", 0), *seen]).figures
    assert (figures["tmu_corrected"].value, figures["tmu_corrected"].n) == (pytest.approx(8.0), 1)
    assert figures["ntmu_corrected"].value == pytest.approx(1.0)


def test_memory_over_time_needs_enough_samples():
    runs = [
        dataclasses.replace(run, wall_ns=10**9, memory_above_mib_s=8.0, n_memory_samples=40)
        if run.purpose is Purpose.PAIRED
        else run
        for run in tasks(2.0)
    ]
    assert corrected(runs).figures["ntmu_corrected"].value == pytest.approx(1.0)
    short = [dataclasses.replace(run, n_memory_samples=3) for run in runs]
    assert corrected(short).figures["ntmu_corrected"].value is None


def test_the_baseline_is_the_least_and_the_floor_how_far_runs_usually_are_from_it():
    runs = nothing(cpu_ns=MS, n=1)
    runs += [dataclasses.replace(runs[0], cpu_ns=ns) for ns in (3 * MS, 2 * MS, 2 * MS, 90 * MS)]
    found = baseline_of(runs)
    assert found.cpu_ns == MS
    assert found.n == 5
    assert found.floor_ns == MS
    empty = baseline_of([])
    assert (empty.n, empty.cpu_ns) == (0, 0.0)
    assert call_ns(program(cpu_ns=None), empty) is None


def test_what_the_harness_takes():
    """Of two tests in one process the second tells what came since the first; the parent's time counts."""
    runs = [program(case=0, cpu_ns=20 * MS, cpu_around_ns=9 * MS)]
    runs += [program(case=1, cpu_ns=10 * MS, cpu_around_ns=MS, cpu_parent_ns=5 * MS)]
    runs += [program(cpu_ns=None, cpu_around_ns=MS)]
    found = harness_share(runs)
    assert (found.value, found.n) == (pytest.approx(15 / 45), 2)
    assert harness_share([]).value is None


def test_a_record_that_does_not_hold_the_parents_time_tells_no_overhead():
    assert harness_share([program(cpu_ns=20 * MS, cpu_around_ns=9 * MS)]).value is None


def test_a_program_that_failed_leaves_no_lower_bound():
    """Left out, a failed program would make a bound of the others' mean."""
    runs = tasks(1.1, 2.0)
    failed = [*runs, program("f", 0), *abba("f", 0, [20 * MS], [90 * MS], outcome=RAISED, correct=None)]
    for name in ("net_corrected_at_least", "nmu_corrected_at_least"):
        assert corrected(runs).figures[name].value is not None
        value = corrected(failed).figures[name]
        assert value.value is None, name
        assert "1 of 3" in value.detail


def test_code_that_is_wrong_with_all_tests_in_one_process_did_not_fail_on_the_scaled_input():
    """Its inputs there are no larger than the tests'; it may have met no scaled input at all."""
    wrong = [program("p9", 0), whole("p9", None, wall_s=0.5), whole("p9", 0, wall_s=0.01, correct=False)]
    assert corrected([*nothing(), *wrong, *controls()]).figures["failed_scaled_share"].value is None
    figures = corrected([*tasks(2.0), *wrong, *controls()]).figures
    assert (figures["failed_scaled_share"].value, figures["failed_scaled_share"].n) == (0.0, 1)
    grown = [program("p9", 0), program("p9", 0, Purpose.GROWTH, size=1000, cpu_ns=MS, correct=False)]
    assert corrected([*tasks(2.0), *grown, *controls()]).figures["failed_scaled_share"].value == 0.5
