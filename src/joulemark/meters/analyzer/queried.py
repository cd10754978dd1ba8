"""An analyzer of another maker, read with the queries that the user gives."""

from __future__ import annotations

import time

from joulemark.meters.analyzer.facts import describe_other, limit_wh
from joulemark.meters.analyzer.link import Link, LinkLost, greet
from joulemark.meters.analyzer.options import UNITS_J, AnalyzerOptions
from joulemark.meters.analyzer.scpi import J_PER_WH, number, put
from joulemark.record.clock import Clock
from joulemark.record.telemetry import Quantity, Reading


class QueriedSource:
    """Reads with the user's own queries and sets nothing. Raises `LinkLost` where nothing answers."""

    def __init__(self, options: AnalyzerOptions, clock: Clock | None = None) -> None:
        self._options = options
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns
        link, identity = greet(options.resource, options.timeout_ms)
        self._link: Link | None = link
        try:
            energy = number(link.query(options.energy_query)) if options.energy_query else 0.0
        except LinkLost:
            self.close()
            raise
        self.info = describe_other(identity, options, energy)
        energy_wh = energy * UNITS_J[options.unit] / J_PER_WH if isinstance(energy, float) else energy
        self._limit_j = limit_wh(options, energy_wh) * J_PER_WH

    def read(self, segment: int) -> Reading:
        """Ask both queries; raises `LinkLost`."""
        begin_ns = self._now_ns()
        found: dict[str, float] = {}
        flags: list[str] = []
        unit_j = UNITS_J[self._options.unit]
        try:
            if self._link is None:
                self._link = greet(self._options.resource, self._options.timeout_ms)[0]
            if self._options.energy_query:
                energy = number(self._link.query(self._options.energy_query))
                if isinstance(energy, float) and energy * unit_j >= self._limit_j:
                    energy = "step_too_coarse"
                put(found, flags, Quantity.ENERGY_J, energy, unit_j)
            if self._options.power_query:
                put(found, flags, Quantity.POWER_W, number(self._link.query(self._options.power_query)), 1.0)
        except LinkLost:
            self.close()
            raise
        t_ns = self._now_ns()
        return Reading(
            segment,
            t_ns,
            self.info.name,
            self.info.scope.path,
            found,
            read_ns=t_ns - begin_ns,
            flags=tuple(flags),
        )

    def close(self) -> None:
        """Let the instrument go; a second call does nothing."""
        link, self._link = self._link, None
        if link is not None:
            link.close()
