import dataclasses
import math

import numpy as np
import pytest

from doubles.made_up_code_runs import MS, TIMED_OUT, abba, program, quiet, two_speeds
from joulemark.metrics.code.baseline import Baseline
from joulemark.metrics.code.growth import (
    DEFINITIONS,
    excess,
    exponent,
    growth_figures,
    growth_of,
    times_by_size,
)
from joulemark.metrics.code.pairs import growth_pairs
from joulemark.metrics.code.sample import samples_of
from joulemark.record.code_run import Purpose

SIZES = (1_000, 2_000, 4_000, 8_000, 16_000)
NONE = Baseline(n=1)


def grown(power, sample=0, sizes=SIZES, noise=None, repeats=3, at_first_ms=20.0, problem="p"):
    """Runs whose time grows as size ** power; ``noise`` float[repeats, sizes], repeats in the outer loop."""
    factors = np.ones((repeats, len(sizes))) if noise is None else noise
    return [
        program(
            problem,
            sample,
            Purpose.GROWTH,
            size=size,
            cpu_ns=round(at_first_ms * MS * (size / sizes[0]) ** power * factors[r][k]),
        )
        for r in range(repeats)
        for k, size in enumerate(sizes)
    ]


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0, 3.0])
def test_a_power_law_is_found(power):
    value = exponent(grown(power), NONE)
    assert value.value == pytest.approx(power, abs=1e-6)
    assert value.n == 5


def test_it_agrees_with_a_weighted_polynomial_fit():
    rng = np.random.default_rng(4)
    noise = np.exp(np.abs(rng.normal(0, 0.2, (1, 5))))
    runs = grown(1.3, noise=noise, repeats=1, at_first_ms=0.2)
    floor = Baseline(n=1, floor_ns=15_000.0)
    times = times_by_size(runs, floor)
    weights = [1 / math.hypot(0.03, floor.floor_ns / time) for time in times.values()]
    slope = np.polyfit(np.log(list(times)), np.log(list(times.values())), 1, w=weights)[0]
    assert exponent(runs, floor).value == pytest.approx(slope)


@pytest.mark.parametrize("machine", [quiet, two_speeds])
@pytest.mark.parametrize("n_sizes", [4, 6])
def test_the_interval_holds_the_truth(machine, n_sizes):
    sizes = tuple(1_000 * 2**k for k in range(n_sizes))
    """With three runs a size, as `joulemark.code.measuring.growth` makes them."""
    noise = machine(np.random.default_rng(8), 600, 3 * n_sizes).reshape(600, 3, n_sizes)
    held = []
    for factors in noise:
        value = exponent(grown(1.7, sizes=sizes, noise=factors), NONE)
        held.append(value.lo <= 1.7 <= value.hi)
    assert np.mean(held) >= 0.92


def test_the_difference_to_the_reference_holds_and_pairs_make_it_better():
    noise = two_speeds(np.random.default_rng(9), 300, 50).reshape(300, 5, 5, 2)
    errors = {True: [], False: []}
    for factors in noise:
        runs = beside(2.0, 1.0, factors)
        mine, theirs = ([run for run in runs if run.sample == number] for number in (0, None))
        for paired, found in errors.items():
            value = excess(mine, theirs, NONE, growth_pairs(runs)["p", 0] if paired else ())
            found.append((abs(value.value - 1.0), value.lo <= 1.0 <= value.hi))
    for found in errors.values():
        assert np.mean([held for _, held in found]) >= 0.94
    by_pairs, by_minima = (np.quantile([error for error, _ in errors[k]], 0.9) for k in (True, False))
    assert by_pairs < 0.7 * by_minima


def beside(power, reference_power, factors):
    """Runs of both next to each other; ``factors`` float[repeats, sizes, 2]."""
    mine = grown(power, noise=factors[:, :, 0], repeats=len(factors))
    theirs = grown(reference_power, None, noise=factors[:, :, 1], repeats=len(factors))
    runs = []
    for pair, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        runs += [dataclasses.replace(one, pair=pair, position=0)]
        runs += [dataclasses.replace(other, pair=pair, position=1)]
    return runs


def test_what_a_size_has_of_its_own_drops_out_of_the_difference():
    kind = np.array([[1.0, 0.3, 2.0, 0.5, 1.4]])
    value = excess(grown(2.0, noise=kind, repeats=1), grown(1.0, None, noise=kind, repeats=1), NONE)
    assert value.value == pytest.approx(1.0, abs=1e-6)
    # the least interval: 3 % on each time
    assert value.hi - value.lo < 0.1


def test_growth_that_is_no_power_law_has_a_wider_interval():
    sizes = np.array(SIZES)
    bent = (1 + (sizes / 4000) ** 2)[None] / (sizes / 1000)[None]
    straight, curved = exponent(grown(1.0), NONE), exponent(grown(1.0, noise=bent, repeats=1), NONE)
    assert curved.hi - curved.lo > 0.5 > 5 * (straight.hi - straight.lo)


def test_kind_inputs_of_small_sizes_do_not_look_like_growth():
    """Each run has an input of its own, and inputs differ the less the larger they are."""
    rng = np.random.default_rng(12)
    spread = 0.5 / np.sqrt(np.array(SIZES) / SIZES[0])
    found = []
    for _ in range(400):
        noise = np.exp(rng.normal(0, 1, (3, 5)) * spread)
        found.append(exponent(grown(1.0, noise=noise), NONE).value)
    known = [value for value in found if value is not None]
    assert len(known) > 380
    assert np.mean(known) == pytest.approx(1.0, abs=0.03)


def test_who_wastes_time_at_small_sizes_has_no_exponent_and_is_not_left_out_unseen():
    padded = np.where(np.arange(5) < 2, 30.0, 1.0)[None].repeat(3, axis=0)
    mine, theirs = grown(1.2, noise=padded), grown(1.2, None)
    for value in (exponent(mine, NONE), excess(mine, theirs, NONE)):
        assert value.value is None
        assert "less time at a larger size" in value.detail
    graded = program("p", 0, Purpose.TEST, cpu_ns=MS)
    runs = [graded, *mine, *theirs]
    (growth,) = growth_of(samples_of(runs), runs, NONE)
    assert growth.is_too_slow
    assert growth_figures([growth])["growth_excess_mean"].value is None


def paired_growth(power, load_ms, at_first_ms=20.0):
    """A right answer and the reference in pairs at each size; the answer takes ``load_ms`` more to load."""
    around = {None: 3 * MS, 0: 3 * MS + round(load_ms * MS)}
    sides = (grown(1.0, None), grown(power, 0, at_first_ms=at_first_ms))
    rows = [program("p", 0, Purpose.TEST, cpu_ns=MS)]
    for pair, two in enumerate(zip(*sides, strict=True)):
        for position, run in enumerate(two):
            place = {"pair": pair, "position": position, "cpu_around_ns": around[run.sample]}
            rows.append(dataclasses.replace(run, **place))
    return rows


def test_a_table_made_at_import_is_no_flat_growth():
    """Its calls look up what took 50 ms before: flat, as that is the work of the largest size each time."""
    runs = paired_growth(0.0, load_ms=50, at_first_ms=0.2)
    (one,) = growth_of(samples_of(runs), runs, NONE)
    for value in (one.exponent, one.excess):
        assert value.value is None
        assert "import (50 ms more than the reference)" in value.detail
    assert one.is_too_slow
    for value in growth_figures([one]).values():
        assert value.value is None
        assert "1 of 1 right programs" in value.detail


@pytest.mark.parametrize(("load_ms", "at_first_ms"), [(0.3, 0.1), (2.4, 20.0)])
def test_a_long_source_hides_no_growth(load_ms, at_first_ms):
    """An answer of 18 kB takes 2.4 ms more to compile: a hundredth of its call at the largest size."""
    runs = paired_growth(1.0, load_ms, at_first_ms)
    (one,) = growth_of(samples_of(runs), runs, NONE)
    assert one.excess.value == pytest.approx(0.0, abs=1e-6)


def test_three_sizes_are_too_few():
    value = exponent(grown(1.0, sizes=SIZES[:3]), NONE)
    assert value.value is None
    assert "4 sizes" in value.detail


def test_sizes_that_hit_a_limit_or_the_floor_are_left_out():
    runs = grown(2.0)
    limited = [dataclasses.replace(r, outcome=TIMED_OUT) if r.size == 16_000 else r for r in runs]
    assert exponent(limited, NONE).n == 4
    assert exponent(limited, NONE).value == pytest.approx(2.0, abs=1e-6)
    # 0.1 ms is ten floors of 10 us: what is shorter is not believed
    assert exponent(grown(1.0, at_first_ms=0.05), NONE).n == 4
    assert exponent(grown(1.0, at_first_ms=0.02), NONE).value is None


def test_sizes_close_together_tell_nothing():
    assert exponent(grown(2.0, sizes=(1000, 1100, 1200, 1300)), NONE).value is None


def test_the_baseline_would_flatten_growth():
    harness = 15 * MS
    runs = [dataclasses.replace(r, cpu_ns=r.cpu_ns + harness) for r in grown(2.0, at_first_ms=2.0)]
    assert exponent(runs, NONE).value < 1.7
    assert exponent(runs, Baseline(cpu_ns=harness, n=1)).value == pytest.approx(2.0, abs=1e-6)


def test_over_tasks():
    runs = []
    for k, power in enumerate([1.0, 2.0, 3.0]):
        name = f"p{k}"
        runs += [program(name, 0), *grown(power, problem=name), *grown(1.0, None, problem=name)]
    found = growth_of(samples_of(runs), runs, NONE)
    assert [round(one.reference.value, 3) for one in found] == [1.0] * 3
    figures = growth_figures(found)
    assert figures["growth_excess_mean"].value == pytest.approx(1.0, abs=1e-6)
    assert figures["grows_faster_share"].value == pytest.approx(2 / 3)
    assert set(figures) <= {d.name for d in DEFINITIONS}


def test_without_growth_runs_nothing_is_claimed():
    figures = growth_figures(growth_of(samples_of([program("p", 0)]), [], NONE))
    assert {value.value for value in figures.values()} == {None}


def figures_of(runs):
    found = growth_of(samples_of(runs), runs, NONE)
    return found, growth_figures(found)


def test_a_program_that_does_not_end_on_the_scaled_input_withholds_the_growth():
    runs = [program("p", 0), *grown(1.0, 0), *grown(1.0, None), program("p", 1)]
    assert figures_of(runs)[1]["growth_excess_mean"].value == pytest.approx(0.0, abs=1e-6)
    runs += abba("p", 1, [20 * MS] * 3, [900 * MS] * 3, outcome=TIMED_OUT, correct=None)
    found, figures = figures_of(runs)
    assert [(one.number, one.is_too_slow) for one in found] == [(0, False), (1, True)]
    assert found[1].excess.value is None
    for value in figures.values():
        assert value.value is None
        assert "1 of 2 right programs" in value.detail


@pytest.mark.parametrize("ended", [True, False])
def test_a_program_too_slow_for_four_sizes_withholds_the_growth(ended):
    slow = grown(2.0, 1, sizes=SIZES[:4], at_first_ms=100.0)
    if ended:
        slow = [run for run in slow if run.size < 8_000]
    else:
        slow = [dataclasses.replace(r, outcome=TIMED_OUT) if r.size == 8_000 else r for r in slow]
    runs = [program("p", 0), program("p", 1), *grown(1.0, 0), *slow, *grown(1.0, None)]
    found, figures = figures_of(runs)
    assert [one.is_too_slow for one in found] == [False, True]
    assert {value.value for value in figures.values()} == {None}


def test_a_program_too_fast_to_be_timed_withholds_nothing():
    fast = grown(0.0, 1, at_first_ms=0.02)
    runs = [program("p", 0), program("p", 1), *grown(1.0, 0), *fast, *grown(1.0, None)]
    found, figures = figures_of(runs)
    assert [one.is_too_slow for one in found] == [False, False]
    assert figures["growth_excess_mean"].n == 1
    assert figures["growth_excess_mean"].value == pytest.approx(0.0, abs=1e-6)


def test_where_the_reference_is_ended_too_it_is_the_problem_that_has_no_growth():
    ends = {1_000, 2_000}
    both = [
        run if run.size in ends else dataclasses.replace(run, outcome=TIMED_OUT)
        for sample in (0, None)
        for run in grown(1.0, sample)
    ]
    found, _ = figures_of([program("p", 0), *both])
    assert not found[0].is_too_slow
