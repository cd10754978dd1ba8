"""The cut-off on vectors of the paper's sizes, on random numbers and on real outcomes: always the same."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from joulemark.frugal.outcomes.formats.matrix import read_npz_matrix
from joulemark.frugal.outcomes.outcome_file import read_outcomes
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.published.cutoff import find_cutoff
from joulemark.frugal.published.frames import Ints, Reading
from joulemark.frugal.published.loss import loss_at_cutoff
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.shuffles import (
    BernoulliNull,
    BinaryShuffles,
    BrownianNull,
    Floats,
    Shuffles,
    ValueShuffles,
    shuffles_of,
)
from joulemark.frugal.published.tracking import Slope
from joulemark.record.errors import InputError

PAPER = {
    "Arc-C": (2590, 0.769),
    "GSM8k": (8792, 0.57),
    "Hellaswag": (49_947, 0.787),
    "MMLU": (15_858, 0.66),
    "Winogrande": (40_490, 0.60),
    "OpinionQA": (6024, 0.42),
}
# frac: the field notes' table of cut-offs in %, after 0, 1, 2, 3, 5 robust passes
BY_SMOOTHER = {
    0.1: (9.5, 12.3, 13.4, 14.1, 14.7),
    0.2: (14.4, 17.3, 19.1, 20.1, 21.2),
    0.3: (17.7, 21.7, 23.8, 25.1, 26.5),
    0.5: (25.1, 30.1, 32.8, 34.2, 35.6),
    2 / 3: (32.7, 36.7, 39.4, 40.7, 41.9),
    0.75: (36.4, 39.8, 42.4, 43.5, 44.6),
    0.9: (43.0, 45.2, 46.9, 47.4, 48.2),
    1.0: (47.1, 49.4, 49.5, 49.5, 49.5),
}
PASSES = (0, 1, 2, 3, 5)


def coins(name: str) -> Outcomes:
    n, p = PAPER[name]
    return of_share(n, p, name)


def of_share(n: int, p: float, name: str = "coins") -> Outcomes:
    values = np.zeros(n)
    values[: round(n * p)] = 1.0
    return Outcomes(name, "accuracy", values)


def in_percent(outcomes: Outcomes, method: Method) -> float:
    return 100 * find_cutoff(shuffles_of(outcomes.values), method).mean


def test_the_papers_six_sizes_give_one_number_and_the_papers_loss() -> None:
    losses, relative = [], []
    for name in PAPER:
        outcomes = coins(name)
        cutoff = find_cutoff(shuffles_of(outcomes.values), Method())
        assert 40.1 <= 100 * cutoff.mean <= 41.3, name
        assert 1.2 <= 100 * cutoff.sd <= 1.9, name
        loss = loss_at_cutoff(cutoff, outcomes)
        assert loss.absolute == pytest.approx(loss.formula, rel=0.1), name
        losses.append(100 * loss.absolute)
        relative.append(100 * (loss.relative or math.nan))
    assert 0.35 <= np.mean(losses) <= 0.55
    assert 0.65 <= np.mean(relative) <= 0.85


@pytest.mark.parametrize("p", [0.02, 0.5, 0.98])
def test_the_share_that_is_right_changes_nothing(p: float) -> None:
    assert 40.1 <= in_percent(of_share(10_000, p), Method(shuffles=300)) <= 41.3


@pytest.mark.parametrize("n", [1000, 2590, 10_000])
def test_random_numbers_give_the_number_too(n: int) -> None:
    for null in (BrownianNull(n), BernoulliNull(n)):
        assert 100 * find_cutoff(null, Method(shuffles=400)).mean == pytest.approx(40.7, abs=0.5)


@pytest.mark.parametrize("frac", BY_SMOOTHER)
def test_the_smoother_alone_sets_the_number(frac: float) -> None:
    for passes, told in zip(PASSES, BY_SMOOTHER[frac], strict=True):
        method = Method(frac=frac, passes=passes, shuffles=250)
        found = 100 * find_cutoff(BrownianNull(2590), method).mean
        assert found == pytest.approx(told, abs=1.0), passes


def test_and_does_so_with_data_too() -> None:
    for frac, passes in ((0.3, 3), (0.5, 1), (2 / 3, 0), (2 / 3, 5)):
        told = BY_SMOOTHER[frac][PASSES.index(passes)]
        method = Method(frac=frac, passes=passes, shuffles=250)
        assert in_percent(coins("Arc-C"), method) == pytest.approx(told, abs=1.0)


def test_any_real_metric_gives_it_and_its_scale_changes_nothing() -> None:
    """A BLEURT-like score, and a heavy-tailed cost."""
    rng = np.random.default_rng(0)
    bleurt = np.clip(rng.normal(-0.4, 0.5, 2000), -1.6, 1.1)
    method = Method(shuffles=300)
    own = find_cutoff(ValueShuffles(bleurt), method)
    in_points = find_cutoff(ValueShuffles(100 * (bleurt + 1.6) / 2.7), method)
    assert own.mean == pytest.approx(in_points.mean, abs=1e-4)
    assert 40.1 <= 100 * own.mean <= 41.6
    assert 40.1 <= 100 * find_cutoff(ValueShuffles(rng.lognormal(0, 1, 5000)), method).mean <= 41.3


def test_it_is_the_same_again_and_another_with_another_seed() -> None:
    shuffles = BinaryShuffles(700, 1500)
    method = Method(shuffles=250)
    first, again = find_cutoff(shuffles, method), find_cutoff(shuffles, method)
    assert (first.fractions == again.fractions).all()
    assert (first.curves == again.curves).all()
    other = find_cutoff(shuffles, replace(method, seed=1))
    assert (first.curves != other.curves).any()


class Orders(Shuffles):
    """Orders that were drawn before, (rows, n), all in one batch."""

    def __init__(self, drawn: Floats) -> None:
        self.drawn, self.n_items = drawn, drawn.shape[1]

    def sums(self, points: Ints, rows: int, rng: np.random.Generator) -> Floats:
        assert rows == len(self.drawn)
        return np.asarray(np.cumsum(self.drawn, axis=1)[:, points - 1])


@pytest.mark.parametrize(
    ("n_items", "share", "batches"),
    [(2600, 0.73, 4), pytest.param(6024, 0.42, 5, marks=pytest.mark.slow)],
)
def test_fast_and_exact_agree_on_the_mean_of_the_same_orders(
    n_items: int, share: float, batches: int
) -> None:
    """Within 0.1 % of the items of the same slopes; least squares put it higher, by 0.1 to 0.3 %."""
    values = of_share(n_items, share).values
    rng = np.random.default_rng(1)
    rows = min(100, 400_000 // n_items)
    of_ends, of_lines, of_both = [], [], []
    for _ in range(batches):
        orders = Orders(rng.permuted(np.tile(values, (rows, 1)), axis=1))
        fast, ends, lines, quick = (
            find_cutoff(orders, replace(method, shuffles=rows)).fractions
            for method in (
                Method(),
                Method(exact=True, slope=Slope.ENDS),
                Method(exact=True),
                Method(slope=Slope.OLS),
            )
        )
        of_ends += (100 * (fast - ends)).tolist()
        of_lines += (100 * (lines - fast)).tolist()
        of_both += (100 * (quick - lines)).tolist()
    assert abs(np.mean(of_ends)) < 0.1
    assert abs(np.mean(of_both)) < 0.1
    assert 0.0 < np.mean(of_lines) < 0.35


def test_progress_is_told_to_the_last_shuffle() -> None:
    told: list[int] = []
    find_cutoff(BinaryShuffles(700, 1500), Method(shuffles=260), told.append)
    assert told == sorted(told)
    assert told[-1] == 260


def test_disjoint_frames_have_the_mean_and_no_normal_distribution() -> None:
    cutoff = find_cutoff(BinaryShuffles(*_ones("Arc-C")), Method(reading=Reading.DISJOINT))
    assert 39.8 <= 100 * cutoff.mean <= 42.5
    assert 3.5 <= 100 * cutoff.sd <= 7.5
    p = cutoff.ks_p()
    assert p is not None
    assert p < 1e-3


def test_fast_mode_gives_no_p() -> None:
    assert find_cutoff(BinaryShuffles(1400, 3000), Method(shuffles=50)).ks_p() is None


def test_few_items_are_always_exact() -> None:
    shuffles = BinaryShuffles(600, 1000)
    quick, exact = (find_cutoff(shuffles, Method(shuffles=50, exact=exact)) for exact in (False, True))
    assert quick.is_exact
    assert (quick.fractions == exact.fractions).all()
    assert quick.ks_p() is not None


@pytest.mark.parametrize("value", [0.0, 1.0, 0.3])
def test_without_spread_there_is_no_knee(value: float) -> None:
    with pytest.raises(InputError, match="no shuffle has a knee"):
        find_cutoff(shuffles_of(np.full(1000, value)), Method(shuffles=20))


def test_too_few_items_are_refused() -> None:
    with pytest.raises(InputError, match="do not fit") as error:
        find_cutoff(shuffles_of(np.array([1.0, 0.0, 1.0])), Method(shuffles=5))
    assert error.value.fix == "name a file of 4 items at least"
    find_cutoff(shuffles_of(np.array([1.0, 0.0, 1.0, 1.0])), Method(shuffles=50))
    with pytest.raises(InputError, match="do not fit") as error:
        find_cutoff(shuffles_of(np.array([1.0, 0.0] * 3)), Method(shuffles=5, length=5))
    assert error.value.fix == "--frame of 2 to 4 items"


REAL = [
    ("mmlu_pro_items.npz", None, "Meta-Llama-3_1-70B-Instruct"),
    ("benchpred_binary.npz", "arc_challenge", "0"),
    ("benchpred_binary.npz", "legalbench", "5"),
    ("benchpred_binary.npz", "qnli", "3"),
    ("gsm8k_test_openai.npz", None, "0"),
    ("bbh_codex_items.npz", None, "0"),
]


@pytest.mark.parametrize(("file", "benchmark", "model"), REAL)
def test_real_outcomes_give_it_too(data_dir: Path, file: str, benchmark: str | None, model: str) -> None:
    outcomes = read_outcomes(data_dir / "frugal" / file, benchmark=benchmark, model=model)
    assert len(outcomes) >= 1000
    cutoff = find_cutoff(shuffles_of(outcomes.values), Method())
    assert 40.1 <= 100 * cutoff.mean <= 41.3
    loss = loss_at_cutoff(cutoff, outcomes)
    assert loss.absolute == pytest.approx(loss.formula, rel=0.1)


# of each benchmark of more than 1,000 items the least and the most accurate model
EXTREMES = [
    ("arc_challenge", 240, 1172),
    ("arc_challenge", 880, 1172),
    ("legalbench", 467, 2047),
    ("legalbench", 1436, 2047),
    ("qnli", 2643, 5463),
    ("qnli", 4665, 5463),
    ("mmlu_pro", 2207, 12_032),
    ("mmlu_pro", 7559, 12_032),
]


@pytest.mark.parametrize(("benchmark", "right", "n_items"), EXTREMES)
def test_and_so_do_the_most_and_the_least_accurate_models(benchmark: str, right: int, n_items: int) -> None:
    cutoff = find_cutoff(BinaryShuffles(right, n_items), Method(shuffles=500))
    assert 40.1 <= 100 * cutoff.mean <= 41.3, benchmark


def test_lengths_of_real_answers_give_it_too(data_dir: Path) -> None:
    path = data_dir / "frugal" / "mmlu_pro_items.npz"
    outcomes = read_outcomes(path, model="Meta-Llama-3_1-70B-Instruct", metric="output_chars")
    cutoff = find_cutoff(shuffles_of(outcomes.values), Method(shuffles=500))
    assert 40.1 <= 100 * cutoff.mean <= 41.3
    loss = loss_at_cutoff(cutoff, outcomes)
    assert loss.absolute == pytest.approx(loss.formula, rel=0.1)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", PAPER)
def test_exact_windows_look_normal_and_exact_frames_do_not(name: str) -> None:
    shuffles = BinaryShuffles(*_ones(name))
    windows = find_cutoff(shuffles, Method(exact=True))
    assert 40.1 <= 100 * windows.mean <= 41.3
    p = windows.ks_p()
    assert p is not None
    assert p > 0.05
    p = find_cutoff(shuffles, Method(reading=Reading.DISJOINT)).ks_p()
    assert p is not None
    assert p < 1e-3


def _ones(name: str) -> tuple[int, int]:
    n, p = PAPER[name]
    return round(n * p), n


def test_memory_does_not_grow_with_the_shuffles() -> None:
    """Of many shuffles fewer sizes of each curve are kept; the cut-off and its loss are the same."""
    outcomes = of_share(2500, 0.7)
    shuffles = shuffles_of(outcomes.values)
    few = find_cutoff(shuffles, Method(shuffles=200))
    many = find_cutoff(shuffles, Method(shuffles=16_000))
    assert few.curves.size <= many.curves.size <= 4_000_000
    assert many.mean == pytest.approx(few.mean, abs=0.005)
    loss = loss_at_cutoff(many, outcomes)
    assert loss.n_items == pytest.approx(many.n_items, rel=0.02)
    assert loss.absolute == pytest.approx(loss.formula, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("benchmark", "n_vectors"), [("mmlu_pro", 26), ("legalbench", 79), ("qnli", 87)])
def test_every_vector_of_two_thousand_items_or_more_gives_it(
    data_dir: Path, benchmark: str, n_vectors: int
) -> None:
    """`benchmarks/frugal_vectors.py` does so with all 585 of a thousand items or more, and 1,000 shuffles."""
    folder = data_dir / "frugal"
    if benchmark == "mmlu_pro":
        matrix = read_npz_matrix(folder / "mmlu_pro_items.npz")
    else:
        matrix = read_npz_matrix(folder / "benchpred_binary.npz", benchmark=benchmark)
    values = matrix.values[matrix.complete]
    assert len(values) == n_vectors
    for right in np.unique(values.sum(axis=1).astype(int)).tolist():
        cutoff = find_cutoff(BinaryShuffles(right, values.shape[1]), Method(shuffles=200, seed=right))
        assert 40.1 <= 100 * cutoff.mean <= 41.3, right


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["gsm", "med_qa"])
def test_over_all_models_of_a_set_of_a_thousand_items_it_holds_too(data_dir: Path, benchmark: str) -> None:
    """Single vectors of rare outcomes leave it (`test_reference.py`); the set of all 83 models does not."""
    path = data_dir / "frugal" / "benchpred_binary.npz"
    found = []
    for model in range(83):
        values = read_outcomes(path, benchmark=benchmark, model=str(model)).values
        assert len(values) == 1000
        found.append(find_cutoff(shuffles_of(values), Method(shuffles=100)).mean)
    assert 40.1 <= 100 * math.fsum(found) / len(found) <= 41.3
