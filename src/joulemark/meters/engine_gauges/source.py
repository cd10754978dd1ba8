"""The engine's account of its batch as a source: one page, read twice a second by the sampler.

A page that does not come is asked for ever more seldom, at most every half minute, as any lost source is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from joulemark.meters.engine_gauges.account import AccountPage, AccountPlace, Form
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.http.endpoint import Endpoint
from joulemark.meters.process import ENGINE_SCOPE
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Reading

KIND = "engine_gauges"
ENGINE_SOURCE = "engine"
PERIOD_S = 0.5
_HEADER = "header:"


class EngineGauges:
    """One engine's page. A reading raises `SourceLost` where the page cannot be had or says nothing.

    A quantity that the page showed when it was found and does not show now is ``unavailable``.
    """

    def __init__(self, spec: SourceSpec, clock: Clock | None = None) -> None:
        self.info = describe(spec)
        self._page = AccountPage(_place(spec.args))
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns

    def read(self, segment: int) -> Reading:
        """Ask the engine once."""
        begin_ns = self._now_ns()
        try:
            account = self._page.look()
        except Unanswered as error:
            raise SourceLost(error.reason) from error
        t_ns = self._now_ns()
        told = {*account.values, *(fault.partition(":")[0] for fault in account.faults)}
        gone = [f"{name}:unavailable" for name in self.info.quantities if name not in told]
        return Reading(
            segment,
            t_ns,
            self.info.name,
            self.info.scope.path,
            account.values,
            read_ns=t_ns - begin_ns,
            flags=(*account.faults, *gone),
        )

    def close(self) -> None:
        """Hang up."""
        self._page.close()


def open_engine_gauges(spec: SourceSpec, clock: Clock | None = None) -> EngineGauges:
    """Open the page that ``spec`` names; nothing is asked before the first reading."""
    return EngineGauges(spec, clock)


def engine_gauges_spec(place: AccountPlace, quantities: Sequence[str]) -> SourceSpec:
    """Return how to read ``place`` in another process. It holds the engine's key, so it is never stored."""
    endpoint = place.endpoint
    return SourceSpec(
        KIND,
        {
            "scheme": endpoint.scheme,
            "host": endpoint.host,
            "port": endpoint.port,
            "prefix": endpoint.prefix,
            "target": place.target,
            "form": place.form,
            "engine": place.kind,
            "model": place.model,
            "aliases": "\n".join(place.aliases),
            "quantities": " ".join(quantities),
            **{f"{_HEADER}{name}": value for name, value in place.headers.items()},
        },
    )


def describe(spec: SourceSpec) -> SourceInfo:
    """Return what is known of the source from its specification alone."""
    return SourceInfo(
        name=ENGINE_SOURCE,
        kind=KIND,
        scope=ENGINE_SCOPE,
        quantities=tuple(str(spec.args["quantities"]).split()),
        read_period_s=PERIOD_S,
    )


def _place(args: Mapping[str, str | int | float | None]) -> AccountPlace:
    port, form = args["port"], args["form"]
    assert isinstance(port, int)
    shape: Form = "slots" if form == "slots" else "metrics"
    return AccountPlace(
        Endpoint(str(args["scheme"]), str(args["host"]), port, str(args["prefix"])),
        str(args["target"]),
        shape,
        str(args["engine"]),
        str(args["model"]),
        {name.removeprefix(_HEADER): str(value) for name, value in args.items() if name.startswith(_HEADER)},
        tuple(str(args["aliases"]).splitlines()),
    )
