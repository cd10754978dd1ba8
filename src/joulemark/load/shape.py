"""How an engine is loaded: the part of a plan that becomes the manifest's ``load`` and its identity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from joulemark.load.arrivals import Arrivals
from joulemark.load.trace import Trace
from joulemark.record.errors import InputError
from joulemark.record.manifest import Load

Mode = Literal["sequential", "closed", "open", "trace"]


@dataclass(frozen=True, slots=True)
class LoadShape:
    """A load; see `joulemark.record.manifest.Load` for the fields that both have.

    Made by `closed`, `open` or `replay`. ``concurrency`` is the number of requests in flight of a closed
    loop, and the most of an open one (null: no cap). ``trace_ns`` are the times of a recorded trace from its
    first row on, in nanoseconds and already sped up; which trace it is, ``trace`` says. Raises `InputError`
    for numbers that are not possible, and for a trace with arrivals or a ramp of its own.
    """

    mode: Mode = "sequential"
    concurrency: int | None = 1
    arrivals: Arrivals | None = None
    ramp_s: float | None = None
    n_requests: int | None = None
    lead_requests: int = 0
    trace: str | None = None
    trace_speed: float | None = None
    trace_ns: tuple[int, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for name, value, least in (
            ("--concurrency", self.concurrency, 1),
            ("--requests", self.n_requests, 1),
            ("--lead", self.lead_requests, 0),
        ):
            if value is not None and value < least:
                raise InputError(f"{name} {value} is not possible", why=f"it must be at least {least}")
        if self.mode == "trace" and (self.arrivals is not None or self.ramp_s is not None):
            raise InputError(
                "a trace is replayed at its own times",
                why="arrivals or a ramp were given beside it",
                fix="leave --arrival and --ramp out, or give --rate",
            )

    @classmethod
    def closed(
        cls,
        concurrency: int = 1,
        *,
        n_requests: int | None = None,
        lead_requests: int = 0,
        ramp_s: float | None = None,
    ) -> LoadShape:
        """Return a closed loop: ``concurrency`` requests in flight, the next sent when one was answered."""
        mode: Mode = "sequential" if concurrency == 1 else "closed"
        return cls(mode, concurrency, None, ramp_s or None, n_requests, lead_requests)

    @classmethod
    def open(
        cls,
        arrivals: Arrivals,
        *,
        cap: int | None = None,
        n_requests: int | None = None,
        lead_requests: int = 0,
    ) -> LoadShape:
        """Return an open loop: requests are sent as they arrive, at most ``cap`` in flight."""
        return cls("open", cap, arrivals, arrivals.ramp_s or None, n_requests, lead_requests)

    @classmethod
    def replay(
        cls, trace: Trace, *, speed: float = 1.0, cap: int | None = None, lead_requests: int = 0
    ) -> LoadShape:
        """Return a recorded trace: each request is sent when it came, at most ``cap`` in flight.

        Its first ``lead_requests`` rows lead up to the others. Raises `InputError` as `Trace.times_ns` does.
        """
        return cls(
            "trace",
            cap,
            n_requests=len(trace.rows) - lead_requests,
            lead_requests=lead_requests,
            trace=f"{trace.name}@{trace.digest[:16]}",
            trace_speed=speed,
            trace_ns=trace.times_ns(speed),
        )

    @property
    def overlaps(self) -> bool:
        """Whether several requests may be in flight."""
        return self.mode != "sequential"

    @property
    def timed(self) -> bool:
        """Whether requests have a time at which they are due."""
        return self.mode in ("open", "trace")

    @property
    def facts(self) -> Load:
        """The load as the manifest names it, for the identity of a configuration."""
        arrivals = self.arrivals
        return Load(
            mode=self.mode,
            concurrency=self.concurrency,
            arrival=arrivals.kind if arrivals else None,
            rate=arrivals.rate if arrivals else None,
            burstiness=arrivals.burstiness if arrivals and arrivals.kind == "gamma" else None,
            seed=arrivals.seed if arrivals and arrivals.kind in ("poisson", "gamma") else None,
            trace=self.trace,
            trace_speed=self.trace_speed,
            ramp_s=self.ramp_s,
            n_requests=self.n_requests,
            lead_requests=self.lead_requests,
        )

    def offsets_ns(self, n: int, *, requests_each: float = 1.0) -> NDArray[np.int64]:
        """Return int64[n]: when each of ``n`` conversations is due, in nanoseconds from the first of all.

        ``requests_each`` is the mean number of their turns. Raises ``ValueError`` for a load without times,
        and for more conversations than the trace has rows.
        """
        if self.mode == "trace":
            if n > len(self.trace_ns):
                raise ValueError(f"{n} requests of a trace of {len(self.trace_ns)}")
            return np.array(self.trace_ns[:n], np.int64)
        if self.arrivals is None:
            raise ValueError(f"a {self.mode} load has no times")
        return self.arrivals.offsets_ns(n, requests_each=requests_each)
