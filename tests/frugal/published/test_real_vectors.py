"""Which real vectors of 1,000 items or more have a cut-off within 40.1 to 41.3 %, and which have not.

`benchmarks/frugal_vectors.py` computes all 585 of them with 1,000 shuffles. Of right-or-wrong items the
cut-off depends on the number of items and on how many are right alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from joulemark.frugal.outcomes.formats.matrix import read_npz_matrix
from joulemark.frugal.published.cutoff import find_cutoff
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.shuffles import BinaryShuffles

LEAST, MOST = 0.401, 0.413
LARGER = {"mmlu_pro": 29, "bbh": 2, "qnli": 87, "legalbench": 79, "gsm8k": 4, "arc_challenge": 218}
"""The sets of more than 1,000 items, and how many vectors each has: 419 in all."""
OF_A_THOUSAND = {"gsm": 33, "med_qa": 10}
"""The sets of 83 models on 1,000 items, and how many of the models lie outside: 43 in all."""
_WHOLE = {"mmlu_pro": "mmlu_pro_items", "bbh": "bbh_codex_items", "gsm8k": "gsm8k_test_openai"}


@dataclass(frozen=True, slots=True)
class Vector:
    """Of one model: how many items, and how many of them are right."""

    n_items: int
    n_right: int

    @property
    def rarer(self) -> int:
        return min(self.n_right, self.n_items - self.n_right)

    def cutoff(self, method: Method) -> float:
        return find_cutoff(BinaryShuffles(self.n_right, self.n_items), method).mean


def vectors(data_dir: Path, name: str) -> list[Vector]:
    """Return the set's vectors, without the items that have no outcome."""
    folder = data_dir / "frugal"
    if name in _WHOLE:
        matrix = read_npz_matrix(folder / f"{_WHOLE[name]}.npz")
    else:
        matrix = read_npz_matrix(folder / "benchpred_binary.npz", benchmark=name)
    known = [row[np.isfinite(row)] for row in matrix.values]
    return [Vector(len(row), int(row.sum())) for row in known]


def is_within(share: float) -> bool:
    return LEAST <= share <= MOST


@pytest.mark.parametrize(("name", "n_vectors"), LARGER.items())
def test_of_more_than_a_thousand_items_the_farthest_vectors_of_each_set_lie_within(
    data_dir: Path, name: str, n_vectors: int
) -> None:
    """The least and the most accurate model, the fewest of the rarer answers and the fewest items."""
    every = vectors(data_dir, name)
    assert len(every) == n_vectors
    assert all(one.n_items > 1000 for one in every)
    farthest = {
        min(every, key=lambda one: one.n_right / one.n_items),
        max(every, key=lambda one: one.n_right / one.n_items),
        min(every, key=lambda one: one.rarer),
        min(every, key=lambda one: one.n_items),
    }
    assert [one for one in farthest if not is_within(one.cutoff(Method(shuffles=500)))] == []


def test_hardly_any_of_these_has_few_of_the_rarer_answers(data_dir: Path) -> None:
    """Which is why they lie within: not for their number of items."""
    every = [one for name in LARGER for one in vectors(data_dir, name)]
    assert len(every) == 419
    assert [one for one in every if one.rarer < 250] == [Vector(1172, 240)]
    assert not is_within(Vector(12_032, 44).cutoff(Method(shuffles=200)))


@pytest.mark.parametrize("name", OF_A_THOUSAND)
def test_of_a_thousand_items_the_mean_of_a_set_lies_within(data_dir: Path, name: str) -> None:
    every = vectors(data_dir, name)
    assert [one.n_items for one in every] == [1000] * 83
    cutoffs = [one.cutoff(Method(shuffles=10, seed=seed)) for seed, one in enumerate(every)]
    assert is_within(math.fsum(cutoffs) / len(cutoffs))


@pytest.mark.parametrize(
    ("rarer", "within"), [(28, False), (44, False), (139, False), (176, False), (252, True), (441, True)]
)
def test_of_a_thousand_items_those_with_few_of_the_rarer_answers_do_not(
    data_dir: Path, rarer: int, within: bool
) -> None:
    one = next(one for name in OF_A_THOUSAND for one in vectors(data_dir, name) if one.rarer == rarer)
    assert is_within(one.cutoff(Method())) == within


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_outside"), OF_A_THOUSAND.items())
def test_of_a_thousand_items_so_many_lie_outside(data_dir: Path, name: str, n_outside: int) -> None:
    """All of these have fewer than 250 of the rarer answers."""
    coarse = [one for one in vectors(data_dir, name) if one.rarer < 250]
    within = {one: is_within(one.cutoff(Method())) for one in set(coarse)}
    assert sum(not within[one] for one in coarse) == n_outside
