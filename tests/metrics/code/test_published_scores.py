"""Beyond, efficient@k, speedup and DPS, against published numbers and by hand."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.made_up_code_runs import MS, TIMED_OUT, abba, nothing, program, whole
from joulemark.metrics.code.beyond import beyond, beyond_score, beyond_score_as_coded
from joulemark.metrics.code.corrected import corrected
from joulemark.metrics.code.dps import Cluster, differential_performance, performance_scores
from joulemark.metrics.code.efficient_at_k import efficient_at_k, speedup
from joulemark.metrics.code.sample import samples_of

ROUNDED = 6e-7  # the stored means have six decimals


@pytest.fixture
def mercury(data_dir):
    folder = data_dir / "code/mercury_numbers"
    if not folder.exists():
        pytest.skip(f"{folder} is absent")
    with (folder / "mercury_per_task.csv").open() as rows:
        tasks = list(csv.DictReader(rows))
    with (folder / "mercury_summary.csv").open() as rows:
        return tasks, list(csv.DictReader(rows))


def as_runs(tasks):
    """The published numbers of one file as runs, and the two known times of each problem."""
    runs, known = [], {}
    for row in tasks:
        runs.append(program(row["slug"], 0, correct=row["passed"] == "1"))
        runs.append(whole(row["slug"], 0, wall_s=float(row["runtime_s"])))
        known[row["slug"]] = [float(row["human_min_s"]), float(row["human_max_s"])]
    return samples_of(runs), known


def test_both_forms_meet_the_stored_means(mercury):
    tasks, totals = mercury
    for total in totals:
        mine = [row for row in tasks if row["file"] == total["file"]]
        found = beyond(*as_runs(mine))
        # their own totals were rounded to a nanosecond here: a run has whole ones
        assert found["beyond"].value == pytest.approx(float(total["beyond_paper_formula"]), abs=2e-6)
        assert found["beyond_as_coded"].value == pytest.approx(
            float(total["beyond_recomputed_clipped_formula"]), abs=2e-6
        )
        assert found["beyond"].n == int(total["n"]) == 256


def test_each_stored_score_is_what_their_program_computes(mercury):
    tasks, totals = mercury
    differ = {}
    for row in tasks:
        score = 0.0
        if row["passed"] == "1":
            times_s = (float(row[f"{name}_s"]) for name in ("runtime", "human_min", "human_max"))
            score = beyond_score_as_coded(*times_s)
        differ[row["file"]] = differ.get(row["file"], 0) + (abs(score - float(row["beyond_stored"])) > 1e-9)
    # the file of one model holds 12 scores that its own numbers do not give
    assert {name: n for name, n in differ.items() if n} == {"gpt-4-1106-preview_eval.json": 12}
    for total in totals:
        stored = [float(row["beyond_stored"]) for row in tasks if row["file"] == total["file"]]
        assert sum(stored) / len(stored) == pytest.approx(float(total["beyond_stored_mean"]), abs=ROUNDED)
        assert sum(score > 1 for score in stored) == int(total["n_beyond_gt_1"])


@given(st.floats(0, 10), st.floats(0.001, 5), st.floats(0.001, 5))
def test_beyond_lies_between_0_and_1(time_s, fastest_s, spread_s):
    score = beyond_score(time_s, fastest_s, fastest_s + spread_s)
    assert 0 <= score <= 1


def test_seconds_are_clipped_by_their_program():
    assert beyond_score_as_coded(1.0, 1.0, 5.0) == pytest.approx(1 / 4)
    assert beyond_score(1.0, 1.0, 5.0) == 1.0
    assert beyond_score_as_coded(0.1, 0.2, 0.3) == pytest.approx(2.0)


def test_beyond_needs_known_times_and_leaves_out_what_has_no_time():
    samples = samples_of([program("p", 0), program("q", 0, correct=False), program("r", 0)])
    assert beyond(samples, {})["beyond"].value is None
    known = {name: [0.1, 0.2] for name in "pq"}
    assert beyond(samples, known)["beyond"].value == 0.0
    assert beyond(samples, known)["beyond"].n == 1


def test_a_right_answer_that_was_ended_is_as_slow_as_the_slowest_or_withholds_beyond():
    known = {name: [0.1, 2.0] for name in "pq"}
    good = [program("p", 0), whole("p", 0, wall_s=0.1)]
    for wall_s, expected in ((10.0, 0.5), (1.0, None)):
        ended = [program("q", 0), whole("q", 0, wall_s=wall_s, outcome=TIMED_OUT, correct=False)]
        found = beyond(samples_of([*good, *ended]), known)
        assert found["beyond"].value == expected
        assert (found["beyond_as_coded"].value is None) == (expected is None)


def measured(*ratios, wrong=0, limited=0):
    runs = nothing(cpu_ns=0, n=1)
    for k, ratio in enumerate(ratios):
        runs += [program(f"p{k}", 0), *abba(f"p{k}", 0, [20 * MS] * 6, [20 * MS * ratio] * 6)]
    runs += [program(f"wrong{k}", 0, correct=False) for k in range(wrong)]
    for k in range(limited):
        runs.append(program(f"limited{k}", 0))
        runs += abba(f"limited{k}", 0, [20 * MS] * 3, [999 * MS] * 3, outcome=TIMED_OUT, correct=None)
    samples = samples_of(runs)
    return samples, corrected(runs, samples).samples


def test_efficient_at_1_counts_right_and_strictly_faster_ones_of_all():
    assert efficient_at_k(*measured(0.5, 1.0, 2.0, wrong=1)).value == pytest.approx(1 / 4)
    assert efficient_at_k(*measured(0.5, limited=1)).value == pytest.approx(1 / 2)
    assert efficient_at_k(*measured(0.5), k=2).value is None


def test_a_problem_that_cannot_be_timed_is_not_one_in_which_nothing_is_faster():
    samples, paired = measured(0.5, wrong=1)
    untimed = samples_of([program("given inputs", 0)])  # right, and its reference has no scaled input
    found = efficient_at_k([*samples, *untimed], paired)
    assert (found.value, found.n) == (pytest.approx(1 / 2), 2)
    # nor is one without a right answer, where nobody can make larger inputs
    found = efficient_at_k([*samples, *untimed], paired, scalable={"p0"})
    assert (found.value, found.n) == (pytest.approx(1.0), 1)


def test_efficient_at_k_of_nothing():
    assert efficient_at_k(*measured()).value is None


def test_speedup_is_a_ratio_of_sums():
    _, paired = measured(0.5, 2.0)
    assert speedup(paired).value == pytest.approx(40 / 50)
    _, paired = measured(0.5, limited=1)
    assert speedup(paired).value is None


CLUSTERS = (Cluster(5.0, 5), Cluster(2.5, 3), Cluster(1.0, 2))


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (10.0, (0, 0)),
        (5.0, (50, 100 / 3)),
        (3.0, (50, 100 / 3)),
        (1.5, (80, 200 / 3)),
        (0.05, (100, 100)),
    ],
)
def test_performance_scores_by_hand(ratio, expected):
    assert performance_scores(ratio, CLUSTERS) == pytest.approx(expected)


def test_dps_is_the_mean_over_problems_with_clusters():
    _, paired = measured(1.5, 3.0, 1.0, limited=1)  # 30, 60 and 20 ms
    found = differential_performance(paired, dict.fromkeys(("p0", "p1", "limited0"), CLUSTERS))
    assert found["dps"].value == pytest.approx((80 + 50 + 0) / 3)
    assert found["dps_norm"].value == pytest.approx((200 / 3 + 100 / 3 + 0) / 3)
    assert differential_performance(paired, {})["dps"].value is None


def test_a_program_that_is_wrong_on_other_inputs_has_no_fast_time():
    """What returns anything where it is timed is the fastest of all: it scores as a wrong answer."""
    known = {"p": [0.1, 0.4], "q": [0.1, 0.4]}
    runs = [program("p", 0), whole("p", 0, wall_s=0.01, correct=False), program("q", 0)]
    found = beyond(samples_of([*runs, whole("q", 0, wall_s=0.1)]), known)
    assert (found["beyond"].value, found["beyond"].n) == (0.5, 2)
    assert found["beyond_as_coded"].value == pytest.approx(0.5)
    # wherever it was wrong
    scaled = [program("p", 0), whole("p", 0, wall_s=0.01), *abba("p", 0, [20 * MS], [MS], correct=False)]
    assert beyond(samples_of(scaled), known)["beyond"].value == 0.0
