"""Measuring with an analyzer: its integral as an energy register, its active power as a gauge."""

from __future__ import annotations

import contextlib
import time

from joulemark.meters.analyzer import yokogawa
from joulemark.meters.analyzer.facts import describe_wt, limit_wh
from joulemark.meters.analyzer.link import Link, LinkLost, greet
from joulemark.meters.analyzer.options import AnalyzerOptions
from joulemark.meters.analyzer.progress import RESTARTED, STALE, Progress
from joulemark.meters.analyzer.queried import QueriedSource
from joulemark.meters.analyzer.scpi import J_PER_WH, put
from joulemark.meters.fault_flags import OVERLOAD
from joulemark.meters.source import Source, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.telemetry import Quantity, Reading

_RANGE_CHANGED = "range_changed"


class WtSource:
    """A Yokogawa WT.

    Opening it has a halted integration go on, and `close` halts it again. A lost line is opened again by the
    next read; the integration runs meanwhile, so the joules of the gap are in its value. Raises
    `LinkLost` where the instrument does not answer.
    """

    def __init__(self, options: AnalyzerOptions, clock: Clock | None = None) -> None:
        self._options = options
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns
        self._started = False
        self._before: yokogawa.OutputList | None = None
        self._link: Link | None = None
        self._link, setup, values = self._open()
        self.info = describe_wt(setup, options, values)
        self._limit_wh = limit_wh(options, values.energy_wh)
        self._auto_range, self._ranges = setup.auto_range, values.ranges
        self._progress = Progress(still_ns=round((2.0 + 2 * setup.rate_s) * 1e9))

    def read(self, segment: int) -> Reading:
        """Read power and integral in one exchange; raises `LinkLost`."""
        begin_ns = self._now_ns()
        try:
            if self._link is None:
                self._link = self._open()[0]
            values = yokogawa.read_values(self._link, self._options.element, with_ranges=self._auto_range)
        except LinkLost:
            self._drop()
            raise
        t_ns = self._now_ns()
        found, flags = self._judge(values, t_ns)
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
        """Halt the integration if this source had it run, put the output list back, let the instrument go."""
        link, self._link = self._link, None
        if link is None:
            return
        with contextlib.suppress(LinkLost):
            if self._started:
                yokogawa.stop(link)
            if self._before is not None:
                yokogawa.put_back(link, self._before)
        link.close()

    def _open(self) -> tuple[Link, yokogawa.Setup, yokogawa.Values]:
        link, identity = greet(self._options.resource, self._options.timeout_ms)
        try:
            setup = yokogawa.look(link, identity)
            before = yokogawa.arrange(link, self._options.element)
            self._before = self._before or before
            values = yokogawa.read_values(link, self._options.element, with_ranges=setup.auto_range)
            if self._options.integrate == "start" and setup.state != yokogawa.RUNNING:
                yokogawa.start(link, setup.state)
                self._started = True
        except LinkLost:
            link.close()
            raise
        return link, setup, values

    def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _judge(self, values: yokogawa.Values, t_ns: int) -> tuple[dict[str, float], list[str]]:
        """Return what may be believed, and for the rest the reason."""
        found: dict[str, float] = {}
        flags: list[str] = []
        doubt = self._progress.doubt(values.elapsed_s, values.energy_wh, t_ns, values.state)
        everything = OVERLOAD if values.overloaded else (STALE if doubt == STALE else None)
        power = everything or values.power_w
        if isinstance(power, float) and power < 0:
            power = "negative"
        put(found, flags, Quantity.POWER_W, power, 1.0)
        if Quantity.ENERGY_J in self.info.quantities:
            energy = everything or self._energy(values, doubt)
            put(found, flags, Quantity.ENERGY_J, energy, J_PER_WH)
        if values.overloaded:  # what was clipped is missing from every later value of the register
            flags.append(OVERLOAD)
        if values.ranges != self._ranges:
            self._ranges = values.ranges
            flags.append(_RANGE_CHANGED)
        return found, flags

    def _energy(self, values: yokogawa.Values, doubt: str | None) -> float | str:
        if values.state != yokogawa.RUNNING:
            return f"integration_{values.state.lower()}"
        if doubt == RESTARTED:
            return RESTARTED
        if isinstance(values.energy_wh, float):
            if values.energy_wh < 0:
                return "negative"
            if values.energy_wh >= self._limit_wh:
                return "step_too_coarse"
        return values.energy_wh


def open_analyzer(spec: SourceSpec, clock: Clock | None = None) -> Source:
    """Open the analyzer that ``spec`` names; raises `LinkLost` where it does not answer."""
    options = AnalyzerOptions.of_spec(spec)
    return QueriedSource(options, clock) if options.has_queries else WtSource(options, clock)
