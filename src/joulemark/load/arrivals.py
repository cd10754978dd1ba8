"""When requests of an open loop are sent: seeded arrival processes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from joulemark.load.ramp import ramped_s
from joulemark.record.drawn import poisson_gaps
from joulemark.record.errors import InputError

ArrivalKind = Literal["constant", "poisson", "gamma", "at_once"]
LONGEST_S = 1e9  # int64 nanoseconds hold it nine times
"""The longest that requests may take to arrive, in seconds: three decades."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """A process of arrivals.

    ``rate`` is the mean in requests a second once any ramp is over; null for ``at_once``, which has none.
    ``burstiness`` is the shape of the gamma distributed gaps, whose mean stays 1/rate: 1 is Poisson, below 1
    arrivals come in bursts (their coefficient of variation is 1/√burstiness), above 1 they even out.
    ``constant`` has equal gaps. Raises `InputError` for a process that there cannot be.
    """

    kind: ArrivalKind
    rate: float | None = None
    burstiness: float = 1.0
    seed: int = 0
    ramp_s: float = 0.0

    def __post_init__(self) -> None:
        if self.kind == "at_once":
            if self.rate is not None or self.ramp_s:
                raise InputError(
                    "requests that are sent all at once have neither a rate nor a ramp",
                    fix="leave --rate and --ramp out, or choose --arrival poisson",
                )
            return
        for name, value, allowed in (
            ("rate", self.rate, self.rate is not None and 0 < self.rate < math.inf),
            ("burstiness", self.burstiness, 0 < self.burstiness < math.inf),
            ("ramp", self.ramp_s, 0 <= self.ramp_s < math.inf),
        ):
            if not allowed:
                least = "at least 0" if name == "ramp" else "above 0"
                raise InputError(f"--{name} {value} is not possible", why=f"it must be a number {least}")

    def offsets_ns(self, n: int, *, requests_each: float = 1.0) -> NDArray[np.int64]:
        """Return int64[n], non-decreasing: nanoseconds of each arrival from the first, which is at 0.

        The first k of n are those of k. An arrival that stands for ``requests_each`` requests (a conversation
        of so many turns) comes so many times more rarely. Raises `InputError` where they take decades.
        """
        if self.rate is None or n < 2:
            return np.zeros(n, np.int64)
        gaps = np.concatenate([[0.0], self._unit_gaps(n - 1)]) * (requests_each / self.rate)
        times_s = ramped_s(np.cumsum(gaps), self.ramp_s)
        if times_s[-1] > LONGEST_S:
            raise InputError(
                f"{n} requests at {self.rate:g} a second take {times_s[-1]:.3g} seconds",
                fix="raise --rate, or lower --requests",
            )
        return np.round(times_s * 1e9).astype(np.int64)

    def _unit_gaps(self, n: int) -> NDArray[np.float64]:
        """Return ``n`` gaps of mean 1."""
        if self.kind == "constant":
            return np.ones(n)
        if self.kind == "poisson":
            return poisson_gaps(n, self.seed)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        return generator.standard_gamma(self.burstiness, n) / self.burstiness
