"""How many requests are at work: step functions of time, from stamps and from an engine's own gauge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_HOLD_S = 2.0
"""How long a reading of a gauge stands for the engine where no other one follows."""


@dataclass(frozen=True, slots=True)
class Occupancy:
    """A step function: ``value[k]`` holds from ``t_ns[k]`` (monotonic ns, ascending) to the next; 0 before.

    ``t_ns`` int64[n], ``value`` float64[n].
    """

    t_ns: Ints
    value: Floats

    @classmethod
    def of_intervals(cls, begin_ns: Iterable[int], end_ns: Iterable[int]) -> Occupancy:
        """Count the intervals ``[begin, end)`` that hold an instant; reversed ones are empty."""
        begin = np.fromiter(begin_ns, np.int64)
        end = np.maximum(np.fromiter(end_ns, np.int64), begin)
        stamps = np.concatenate([begin, end])
        steps = np.concatenate([np.ones(len(begin)), -np.ones(len(end))])
        t_ns, places = np.unique(stamps, return_inverse=True)
        return cls(t_ns, np.cumsum(np.bincount(places, steps, len(t_ns))))

    def at(self, t_ns: Ints) -> Floats:
        """Return the values at instants int64[m] as float64[m]."""
        place = np.searchsorted(self.t_ns, t_ns, "right") - 1
        padded = np.append(self.value, 0.0)  # the last place, -1, is that of before the first step
        return np.asarray(padded[place], np.float64)

    def within(self, t0_ns: int, t1_ns: int) -> tuple[Floats, Floats]:
        """Return the values in ``[t0_ns, t1_ns]`` and how long each held, in seconds."""
        inside = self.t_ns[(self.t_ns > t0_ns) & (self.t_ns < t1_ns)]
        edges = np.concatenate([[t0_ns], inside, [max(t0_ns, t1_ns)]]).astype(np.int64)
        return self.at(edges[:-1]), np.diff(edges) * 1e-9

    def read_within(self, t0_ns: int, t1_ns: int) -> tuple[Floats, Floats]:
        """Return the readings of a gauge that stand in ``[t0_ns, t1_ns]`` and for how long of it, in seconds.

        None stands for longer than `MAX_HOLD_S`, and none before the first: it may be less than the stretch.
        """
        until_ns = np.minimum(np.append(self.t_ns[1:], t1_ns), self.t_ns + round(MAX_HOLD_S * 1e9))
        held_ns = np.minimum(until_ns, t1_ns) - np.maximum(self.t_ns, t0_ns)
        stands = held_ns > 0
        return self.value[stands], held_ns[stands] * 1e-9

    def median(self, t0_ns: int, t1_ns: int) -> float:
        """Return the median over time; 0 for an empty stretch."""
        values, held_s = self.within(t0_ns, t1_ns)
        order = np.argsort(values, kind="stable")
        until_s = np.cumsum(held_s[order])
        if until_s[-1] <= 0:
            return 0.0
        return float(values[order][np.searchsorted(until_s, until_s[-1] / 2)])

    def share_at_least(self, least: float, t0_ns: int, t1_ns: int) -> float:
        """Return the share of the time (0..1) at which the value is ``least`` or more; 0 for no time."""
        values, held_s = self.within(t0_ns, t1_ns)
        total_s = held_s.sum()
        return float(held_s[values >= least].sum() / total_s) if total_s > 0 else 0.0

    def first_at_least(self, least: float) -> int | None:
        """Return when the value first is ``least`` or more; null when it never is."""
        places = np.flatnonzero(self.value >= least)
        return int(self.t_ns[places[0]]) if len(places) else None

    def means(self, edges_ns: Ints) -> Floats:
        """Return the means over time float64[m] between neighbouring instants int64[m + 1], ascending."""
        lengths_s = np.maximum(np.diff(edges_ns) * 1e-9, 1e-12)
        return np.asarray(np.diff(self.area(edges_ns)) / lengths_s, np.float64)

    def area(self, t_ns: Ints) -> Floats:
        """Return the integral over time, in seconds, up to instants int64[m]."""
        if not len(self.t_ns):
            return np.zeros(len(t_ns))
        lengths = np.diff(np.append(self.t_ns, self.t_ns[-1:])) * 1e-9
        until = np.concatenate([[0.0], np.cumsum(self.value * lengths)])
        place = np.searchsorted(self.t_ns, t_ns, "right") - 1
        since_s = (t_ns - self.t_ns[place]) * 1e-9
        return np.where(place >= 0, until[place] + np.append(self.value, 0.0)[place] * since_s, 0.0)
