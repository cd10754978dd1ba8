"""Stretches of a run's clocks and the energy that a set of sources saw in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from joulemark.record.energy import (
    MeasuredEnergy,
    MeasuredOrWithheld,
    Method,
    Withheld,
    sum_over_scopes,
    sum_over_windows,
)
from joulemark.record.errors import InputError
from joulemark.record.item import Item
from joulemark.record.manifest import Manifest
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.record.telemetry import Quantity
from joulemark.record.window_name import WindowName
from joulemark.telemetry.interval import energies_between, integrals_between
from joulemark.telemetry.timeline import Timeline


def measured_spans(manifest: Manifest) -> list[Span]:
    """Return the ``measure`` windows of a run, in order.

    Raises `InputError` where two overlap: their sum would count energy twice.
    """
    spans = sorted(
        (
            Span(window.segment, window.t0, window.t1)
            for window in manifest.windows
            if window.name == WindowName.MEASURE and window.t1 is not None and window.t1 > window.t0
        ),
        key=lambda span: (span.segment, span.t0),
    )
    for one, other in pairwise(spans):
        if one.segment == other.segment and other.t0 < one.t1:
            raise InputError(
                "the manifest's measured windows overlap",
                why=f"two of segment {one.segment} hold the same time, which no run writes",
                fix="the manifest was edited; measure again into another directory with --out DIR",
            )
    return spans


def item_span(item: Item) -> Span:
    """Return the stretch whose energy belongs to an item: from its first attempt to its end."""
    return Span(item.segment, item.t_begin, item.t_end)


def gap_spans(windows: Sequence[Span], items: Iterable[Item]) -> list[Span]:
    """Return the stretches of ``windows`` in which no request of ``items`` was in flight."""
    busy: dict[int, list[Span]] = {}
    for item in items:
        busy.setdefault(item.segment, []).append(item_span(item))
    gaps: list[Span] = []
    for window in windows:
        at = window.t0
        for span in sorted(busy.get(window.segment, []), key=lambda span: span.t0):
            if span.t1 <= at or span.t0 >= window.t1:
                continue
            if span.t0 > at:
                gaps.append(Span(window.segment, at, span.t0))
            at = max(at, span.t1)
        if at < window.t1:
            gaps.append(Span(window.segment, at, window.t1))
    return gaps


def best_method(sources: Sequence[QualifiedSource]) -> Method:
    """Return ``counter`` where every source has a counter that passed its test, else ``integrated``.

    Where every one is an energy register that passed it, ``meter``.
    """
    counts = all(
        Quantity.ENERGY_J.value in source.info.quantities and source.qualification.trust is Trust.QUALIFIED
        for source in sources
    )
    registers = {source.info.is_register for source in sources}
    if not counts or len(registers) > 1:
        return Method.INTEGRATED
    return Method.METER if True in registers else Method.COUNTER


def span_energies(
    timeline: Timeline, sources: Sequence[QualifiedSource], spans: Sequence[Span], method: Method
) -> list[MeasuredOrWithheld]:
    """Return the energy of disjoint ``sources`` together in each span; withheld where one of them is."""
    each = [_source_energies(timeline, source, spans, method) for source in sources]
    return [_joined(energies, sum_over_scopes) for energies in zip(*each, strict=True)]


def total_energy(energies: Sequence[MeasuredOrWithheld]) -> MeasuredOrWithheld:
    """Return the energy of disjoint spans together; withheld where one of them is, or there is none."""
    if not energies:
        return Withheld(Reason.NO_SAMPLES)
    return _joined(energies, sum_over_windows)


def _joined(
    energies: Sequence[MeasuredOrWithheld], add: Callable[[Sequence[MeasuredEnergy]], MeasuredEnergy]
) -> MeasuredOrWithheld:
    measured: list[MeasuredEnergy] = []
    for energy in energies:
        if isinstance(energy, Withheld):
            return energy
        measured.append(energy)
    return add(measured)


def _source_energies(
    timeline: Timeline, source: QualifiedSource, spans: Sequence[Span], method: Method
) -> list[MeasuredOrWithheld]:
    quantity = source.info.power_quantity
    if not _believed(source, method):
        return [Withheld(Reason.METER_NOT_QUALIFIED, source.qualification.reason or "")] * len(spans)
    if method is Method.INTEGRATED and quantity is None:
        return [Withheld(Reason.NO_SAMPLES, "the source has no power gauge")] * len(spans)
    energies: list[MeasuredOrWithheld] = [Withheld(Reason.NO_SAMPLES)] * len(spans)
    for segment in {span.segment for span in spans}:
        places = [i for i, span in enumerate(spans) if span.segment == segment]
        t0s, t1s = [spans[i].t0 for i in places], [spans[i].t1 for i in places]
        if method is not Method.INTEGRATED:
            found = energies_between(timeline, source, segment, t0s, t1s)
        else:
            assert quantity is not None
            found = integrals_between(timeline, source, segment, t0s, t1s, quantity)
        for place, energy in zip(places, found, strict=True):
            energies[place] = energy
    return energies


def _believed(source: QualifiedSource, method: Method) -> bool:
    """Tell whether the self-test lets this method be used: a bad counter may stand beside a good gauge."""
    test = source.qualification
    return test.gauge_ok if method is Method.INTEGRATED else test.counter_ok
