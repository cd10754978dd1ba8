"""Products of matrices in pieces so small that the matrix library starts no threads of its own.

The shuffles are shared out among threads already. The library's threads wait for each other in a loop, and
where other work holds a core that makes a product ten times as slow.
"""

from __future__ import annotations

import numpy as np

from joulemark.frugal.published.shuffles import Floats

# OpenBLAS takes threads above 262,144 multiplications (65,536 x 4, its defaults)
_MOST = 250_000
_COLUMNS = 100


def product(left: Floats, right: Floats) -> Floats:
    """Return left (r, m) @ right (m, a)."""
    rows, m = left.shape
    a = right.shape[1]
    if rows * m * a <= _MOST:
        found: Floats = left @ right
        return found
    if a > _COLUMNS:
        parts = [product(left, right[:, begin : begin + _COLUMNS]) for begin in range(0, a, _COLUMNS)]
        return np.concatenate(parts, axis=1)
    length = max(1, _MOST // (rows * a))
    count = m // length
    whole = count * length
    lefts = left[:, :whole].reshape(rows, count, length).transpose(1, 0, 2)
    summed: Floats = np.matmul(lefts, right[:whole].reshape(count, length, a)).sum(axis=0)
    if whole < m:
        summed += left[:, whole:] @ right[whole:]
    return summed
