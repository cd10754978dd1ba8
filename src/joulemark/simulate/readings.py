"""What meters show of the books: a counter that ticks, and a gauge that averages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joulemark.simulate.books import Books

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def counter_ticks(
    books: Books,
    device: int,
    period_s: float,
    resolution_j: float = 0.001,
    phase: float = 0.0,
    *,
    t0_ns: int | None = None,
    t1_ns: int | None = None,
) -> tuple[Ints, Floats]:
    """Return the updates of a device's energy counter: when it takes the energy over, and what it then shows.

    It ticks every ``period_s``, the first time ``phase`` of a period after ``t0_ns`` (null: the start of
    the books), and shows whole multiples of ``resolution_j``. ``t1_ns`` (null: the end of the books) is the
    last instant. Raises ``ValueError`` for a period or a resolution that is not above 0.
    """
    t_ns = _grid(books, period_s, phase, t0_ns, t1_ns)
    if not resolution_j > 0:
        raise ValueError("a counter counts in steps")
    return t_ns, np.floor(books.energy_j(device, t_ns) / resolution_j) * resolution_j


def power_samples(
    books: Books,
    device: int,
    period_s: float,
    window_s: float,
    phase: float = 0.0,
    *,
    resolution_w: float = 0.001,
    t0_ns: int | None = None,
    t1_ns: int | None = None,
) -> tuple[Ints, Floats]:
    """Return a device's power gauge: when it is renewed, and the watts it then shows.

    They are the mean over the ``window_s`` before; over the microsecond before where that is 0. Before the
    books began the device was idle. The grid is that of `counter_ticks`; the same errors are raised.
    """
    t_ns = _grid(books, period_s, phase, t0_ns, t1_ns)
    if window_s < 0 or not resolution_w > 0:
        raise ValueError("a gauge looks back, and shows whole steps")
    window_ns = max(1_000, round(window_s * 1e9))
    spent_j = books.energy_j(device, t_ns) - books.energy_j(device, t_ns - window_ns)
    return t_ns, np.round(spent_j / (window_ns * 1e-9) / resolution_w) * resolution_w


def _grid(books: Books, period_s: float, phase: float, t0_ns: int | None, t1_ns: int | None) -> Ints:
    if not period_s >= 1e-6:
        raise ValueError("a meter is renewed at most once a microsecond")
    start = books.t0_ns if t0_ns is None else t0_ns
    stop = books.t_end_ns if t1_ns is None else t1_ns
    first = phase * period_s * 1e9
    n = max(0, int(np.floor((stop - start - first) / (period_s * 1e9))) + 1)
    return start + np.round(first + np.arange(n) * (period_s * 1e9)).astype(np.int64)
