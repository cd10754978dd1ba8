"""What models really answered: MMLU-Pro, every model that answered all of it, in many random orders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from joulemark.frugal.stopping.rule import EVERY, LEAST


@pytest.fixture(scope="session")
def mmlu_pro(data_dir: Path) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Correct (0 or 1) and the characters of each output, both [26, 12032]."""
    with np.load(data_dir / "frugal" / "mmlu_pro_items.npz") as held:
        correct, chars = held["correct"], held["output_chars"]
    whole = (correct > -2).all(axis=1)
    return (correct[whole] == 1).astype(np.int8), chars[whole].astype(np.float64)


def looks(n_items: int) -> NDArray[np.int64]:
    """After how many items the rule looks; `test_coverage` holds it to that."""
    return np.arange(LEAST, n_items + 1, EVERY)


def first(met: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, a row, the first look at which a target is met; the last one where it never is."""
    return np.where(met.any(axis=-1), met.argmax(axis=-1), met.shape[-1] - 1)
