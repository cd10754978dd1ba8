"""The variance of ADR 11 written out for few blocks: what neighbours have in common, and what cancels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from joulemark.metrics.batch_means import Scores, half_width
from joulemark.metrics.student import t_95


def factor(blocks: list[float]) -> float:
    """Return what the variance of independent blocks that sum to 0 is multiplied by."""
    z, k = np.array(blocks), len(blocks)
    independent = float(z @ z) * k / (k - 1)
    return (half_width(z) / t_95(k - 1)) ** 2 / independent


@pytest.mark.parametrize(
    ("blocks", "r"),
    [
        ([1, 1, -1, -1] * 2, 1 / 8 + (1 + 4 / 8) / 8),  # with the correction for its bias
        ([1, 1, 1, -1, -1, -1] * 2, 5 / 12 + (1 + 4 * 5 / 12) / 12),
        ([1.0] * 15 + [-1.0] * 15, 1.0),  # it comes to 1.05: no correlation is more than 1
    ],
)
def test_neighbours_in_common_widen_by_the_square_of_their_correlation_too(
    blocks: list[float], r: float
) -> None:
    assert factor(blocks) == pytest.approx(1 + 2 * r + r**2)


def test_blocks_that_alternate_are_narrower_by_a_twentieth_at_most_and_have_no_square() -> None:
    assert factor([1, -1] * 4) == pytest.approx(1 - 2 * 0.05)


def test_a_fifth_of_the_variance_is_left_however_much_blocks_and_requests_cancel() -> None:
    """Each block has a request of its own that takes away what the block adds, all of it or a third."""
    z, k, square, neighbours = np.array([1, 1, -1, -1] * 3, np.float64), 12, 12, 1
    r = neighbours / square + (1 + 4 * neighbours / square) / k
    of_blocks = k / (k - 1) * square * (1 + 2 * r + r**2)
    for part, floor in ((1.0, True), (1 / 3, False)):
        of_requests = k / (k - 1) * square * part**2
        apart, together = of_blocks + of_requests, -2 * part * (square + 2 * neighbours)
        assert (apart + together < 0.2 * apart) is floor
        variance = max(apart + together, 0.2 * apart)
        half = half_width(z, Scores(-part * z, np.arange(k), list(range(k))))
        # Student's t lies between that of the blocks and that of a normal variable
        assert t_95(1000) * (1 - 1e-9) <= half / math.sqrt(variance) <= t_95(k - 1) * (1 + 1e-9)
