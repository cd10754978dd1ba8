"""The steps of an instance as columns, one entry a step, and the energy up to any instant."""

from __future__ import annotations

from array import array
from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

COLUMNS = (
    ("t0_ns", "q"),
    ("t1_ns", "q"),
    ("running", "q"),
    ("waiting", "q"),
    ("prefill_tokens", "q"),
    ("decode_tokens", "q"),
    ("kv_pages", "q"),
    ("preempted", "q"),
    ("gap_ns", "q"),
    ("spent_j", "d"),
    ("prefill_j", "d"),
    ("decode_j", "d"),
)


class StepLog:
    """Columns that grow. The joules are running totals of all the instance's devices since the first step.

    ``spent_j`` holds the energy of steps, their idle share included, but nothing of the time between steps,
    which ``gap_ns`` adds up to the step's beginning.
    """

    __slots__ = tuple(name for name, _ in COLUMNS)

    t0_ns: array[int]
    t1_ns: array[int]
    running: array[int]
    waiting: array[int]
    prefill_tokens: array[int]
    decode_tokens: array[int]
    kv_pages: array[int]
    preempted: array[int]
    gap_ns: array[int]
    spent_j: array[float]
    prefill_j: array[float]
    decode_j: array[float]

    def __init__(self) -> None:
        for name, code in COLUMNS:
            setattr(self, name, array(code))

    def __len__(self) -> int:
        return len(self.t1_ns)

    def integers(self, name: str) -> NDArray[np.int64]:
        """Return a copy of a column of whole numbers, which the log's growth leaves alone."""
        return np.array(getattr(self, name), dtype=np.int64)

    def joules(self, name: str) -> NDArray[np.float64]:
        """Return a copy of a column of joules."""
        return np.array(getattr(self, name), dtype=np.float64)

    def stamps(self, first: int, after_last: int) -> NDArray[np.int64]:
        """Return the ends of the steps ``first`` … ``after_last − 1``."""
        return np.frombuffer(self.t1_ns[first:after_last], dtype=np.int64)

    def energy_j(self, t_ns: int, t0_ns: int, idle_w: float) -> float:
        """Return the joules from ``t0_ns`` to ``t_ns`` of devices that draw ``idle_w`` when nothing runs."""
        begun = bisect_right(self.t0_ns, t_ns)
        if begun == 0:
            return idle_w * ((t_ns - t0_ns) * 1e-9)
        at = begun - 1
        first, last = self.t0_ns[at], self.t1_ns[at]
        before_j = self.spent_j[at - 1] if at else 0.0
        spent_j = before_j + (self.spent_j[at] - before_j) * min(1.0, (t_ns - first) / (last - first))
        return spent_j + idle_w * ((self.gap_ns[at] + max(0, t_ns - last)) * 1e-9)
