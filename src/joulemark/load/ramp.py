"""A load that rises linearly: arrivals of a steady process, bent so that their rate begins at nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ramped_s(steady_s: NDArray[np.float64], ramp_s: float) -> NDArray[np.float64]:
    """Return the times (seconds) at which arrivals of a steady process come when their rate is ramped.

    The rate rises linearly from 0 and reaches the steady one after ``ramp_s`` seconds. With the expected
    number of arrivals Λ(t) = R·t²/(2T) up to T and R·(t − T/2) after it, an arrival of the steady process at
    time s (where R·s are expected) comes at Λ⁻¹(R·s): √(2·T·s) up to s = T/2, s + T/2 after it. Whatever the
    process, the number of its arrivals stays the same up to that shift of time.
    """
    if ramp_s <= 0:
        return steady_s
    half_s = ramp_s / 2
    rising = np.sqrt(2 * ramp_s * np.minimum(steady_s, half_s))
    return np.where(steady_s < half_s, rising, steady_s + half_s)
