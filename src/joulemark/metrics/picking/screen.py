"""The figures of a workload on many candidates at once: numbers only, to choose what is priced in full.

Each is the point of the figure that `joulemark.metrics.picking.price` gives with its interval and reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from joulemark.metrics.carbon import JOULES_PER_KWH
from joulemark.metrics.money import by_tokens
from joulemark.metrics.picking import definitions as told
from joulemark.metrics.picking.columns import Columns, Flags, Numbers
from joulemark.metrics.picking.constraints import OF_WORKLOAD, Bound, Constraint, Named
from joulemark.metrics.picking.day import DAY_S
from joulemark.metrics.picking.price import FIGURES
from joulemark.metrics.picking.workload import Workload
from joulemark.record.manifest import Rates

_GRADED = {
    told.PER_CORRECT.name: told.JOULES.name,
    told.USD_PER_CORRECT.name: told.USD.name,
    told.GCO2E_PER_CORRECT.name: told.GCO2E.name,
}


@dataclass(frozen=True, slots=True)
class Screen:
    """A workload on all rows of ``columns``, at one set of ``rates`` of electricity and of the grid.

    Raises ``ValueError`` for rates of tokens and for rates that change with time: they are a row's own.
    """

    columns: Columns
    workload: Workload
    rates: Rates
    _found: dict[str, Numbers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.rates.tariff or self.rates.grid_series or by_tokens(self.rates, local=False):
            raise ValueError("a screen takes one rate of electricity and one of the grid")

    def figure(self, name: str) -> Numbers:
        """Return a figure by row, NaN where it is withheld; raises ``KeyError`` for a name that is none."""
        name = OF_WORKLOAD.get(name, name)
        if name not in FIGURES:
            return self.columns.figure(name)
        if name not in self._found:
            self._found[name] = self._of_workload(name)
        return self._found[name]

    def met(self, constraint: Constraint) -> tuple[Flags, Flags]:
        """Return which rows keep a constraint, and of which it is known; as `constraints.kept`."""
        if isinstance(constraint, Named):
            texts = self.columns.named[constraint.name]
            words = constraint.wanted.casefold().split()
            holds = np.array(
                [t is not None and all(word in t.casefold() for word in words) for t in texts.distinct],
                np.bool_,
            )
            known = np.array([text is not None for text in texts.distinct], np.bool_)
            return holds[texts.code], known[texts.code]
        assert isinstance(constraint, Bound)
        values = self.figure(constraint.name)
        kept = values >= constraint.bound if constraint.at_least else values <= constraint.bound
        return kept, ~np.isnan(values)

    def _of_workload(self, name: str) -> Numbers:
        columns, workload = self.columns, self.workload
        nothing = np.full(len(columns.candidates), np.nan)
        if name in _GRADED:
            share = np.where(columns.accuracy > 0, columns.accuracy, np.nan)
            return self.figure(_GRADED[name]) / share
        if name == told.JOULES.name:
            scaled = columns.scaled * workload.completion_tokens
            joules = np.where(np.isnan(columns.scaled), columns.coefficients @ np.array(workload.at), scaled)
            return np.where(joules > 0, joules, np.nan)
        if name == told.SINGLE.name:
            return np.where(np.isnan(columns.scaled), self.figure(told.JOULES.name), np.nan)
        if name in (told.USD.name, told.GCO2E.name):
            return self._rated(self.figure(told.JOULES.name) / JOULES_PER_KWH, money=name == told.USD.name)
        if name == told.SECONDS.name:
            return columns.whole.of(workload)
        if name == told.FIRST.name:
            return columns.first.of(workload)
        if workload.requests_per_day is None:
            return nothing
        if name == told.BUSY.name:
            factor = workload.requests_per_day / DAY_S
            return self.figure(told.SECONDS.name) * (factor / columns.in_flight)
        if name == told.REQUESTS_KWH.name:
            return self.figure(told.JOULES.name) * (workload.requests_per_day / JOULES_PER_KWH)
        if name == told.STANDBY_KWH.name:
            busy = self.figure(told.BUSY.name)
            return np.where(busy <= 1, 0.024 * columns.idle_w * (1 - busy), np.nan)
        if name == told.KWH.name:
            return self.figure(told.REQUESTS_KWH.name) + self.figure(told.STANDBY_KWH.name)
        return self._rated(self.figure(told.KWH.name), money=name == told.USD_DAY.name)

    def _rated(self, kwh: Numbers, *, money: bool) -> Numbers:
        rate = self.rates.usd_per_kwh if money else self.rates.gco2e_per_kwh
        return np.full(len(kwh), np.nan) if rate is None else kwh * (rate * self.rates.pue)
