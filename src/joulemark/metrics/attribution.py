"""Which joules belong to which item, such that items + idle + residual = metered total."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from joulemark.record.attribution import Attribution, AttributionCheck
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.span import Span

SEQUENTIAL = "sequential"
EQUAL_SHARE = "equal_share"

JoulesOrReason = float | Reason


def scope_label(scopes: Iterable[Scope]) -> str:
    """Return the short name of a set of scopes, for example ``gpu:0+gpu:1``."""
    return "+".join(scope.label for scope in sorted(scopes))


def items_overlap(items: Sequence[Item]) -> bool:
    """Tell whether two requests of the same segment were ever in flight together."""
    spans = sorted((item.segment, item.t_begin, item.t_end) for item in items)
    return any(a[0] == b[0] and b[1] < a[2] for a, b in pairwise(spans))


def attribute_sequential(
    items: Sequence[Item],
    energies: Sequence[MeasuredOrWithheld],
    gaps: Sequence[MeasuredOrWithheld],
    total: MeasuredOrWithheld,
    scope: str,
) -> tuple[tuple[Attribution, ...], AttributionCheck]:
    """Charge each item the energy metered from its first attempt to its end.

    ``energies`` are those windows' energies in the order of ``items``, all inside the measured windows;
    ``gaps`` the energies of the stretches of these in which no request ran; ``total`` the measured windows'
    own. Raises ``ValueError`` when the items overlap, for then windows would count energy twice.
    """
    if items_overlap(items):
        raise ValueError("requests overlap: their energies must be shared, not read off")
    rows = tuple(
        _row(item, SEQUENTIAL, scope, energy.reason)
        if isinstance(energy, Withheld)
        else _row(item, SEQUENTIAL, scope, None, energy.joules, energy.lo, energy.hi)
        for item, energy in zip(items, energies, strict=True)
    )
    return rows, _check(SEQUENTIAL, scope, total, list(map(_known, energies)), list(map(_known, gaps)))


def time_slices(items: Iterable[Item], windows: Iterable[Span]) -> tuple[Span, ...]:
    """Cut disjoint ``windows`` wherever a request begins or ends.

    Ordered by segment and time. Time outside the windows is in no slice.
    """
    cuts: dict[int, list[int]] = {}
    for item in items:
        cuts.setdefault(item.segment, []).extend((item.t_begin, item.t_end))
    found: list[Span] = []
    for segment, t0, t1 in sorted(windows):
        edges = np.unique(np.array([t0, t1, *cuts.get(segment, ())], np.int64))
        inside = edges[(edges >= t0) & (edges <= t1)].tolist()
        found.extend(Span(segment, a, b) for a, b in pairwise(inside))
    return tuple(found)


def attribute_equal_share(
    items: Sequence[Item],
    slices: Sequence[Span],
    energies: Sequence[MeasuredOrWithheld],
    total: MeasuredOrWithheld,
    scope: str,
) -> tuple[tuple[Attribution, ...], AttributionCheck]:
    """Share the energy of each slice of time equally among the requests in flight.

    ``slices`` are `time_slices` of the same items (several segments together), ``energies`` what was metered
    in each. Shares are a rule, not a measurement: lo and hi are null, reason ``allocated``. An item that
    was in flight in a slice whose energy is withheld gets no joules and the reason of the first such slice;
    no other item is touched by it.
    """
    known = list(map(_known, energies))
    charged: dict[int, JoulesOrReason] = {}
    idle: list[JoulesOrReason] = []
    for segment in sorted({part.segment for part in slices} | {item.segment for item in items}):
        places = [k for k, item in enumerate(items) if item.segment == segment]
        parts = [k for k, part in enumerate(slices) if part.segment == segment]
        shares, unused = _shares(
            [items[k] for k in places], [slices[k] for k in parts], [known[k] for k in parts]
        )
        charged.update(zip(places, shares, strict=True))
        idle.extend(unused)
    rows = tuple(
        _row(item, EQUAL_SHARE, scope, charge)
        if isinstance(charge := charged[k], Reason)
        else _row(item, EQUAL_SHARE, scope, Reason.ALLOCATED, charge)
        for k, item in enumerate(items)
    )
    return rows, _check(EQUAL_SHARE, scope, total, list(charged.values()), idle)


def _shares(
    items: Sequence[Item], slices: Sequence[Span], joules: Sequence[JoulesOrReason]
) -> tuple[list[JoulesOrReason], list[JoulesOrReason]]:
    """Return what each item of one segment is charged, and the energy of each slice that nobody used."""
    begin = np.array([item.t_begin for item in items], np.int64)
    end = np.maximum(np.array([item.t_end for item in items], np.int64), begin)
    start = np.array([part.t0 for part in slices], np.int64)
    # number in flight in a slice: begun by its start, and not yet ended
    begun, ended = (np.searchsorted(np.sort(t_ns), start, "right") for t_ns in (begin, end))
    in_flight = begun - ended
    slice_j = np.array([0.0 if isinstance(j, Reason) else j for j in joules])
    until_j = np.concatenate([[0.0], np.cumsum(slice_j / np.maximum(in_flight, 1))])
    unknown = np.flatnonzero([isinstance(j, Reason) for j in joules])
    # slices are cut where items begin and end, so an item holds the slices from ``first`` up to ``last``
    first, last = np.searchsorted(start, begin), np.searchsorted(start, end)
    next_unknown = np.append(unknown, len(slices))[np.searchsorted(unknown, first)]
    charges: list[JoulesOrReason] = [
        joules[gone] if gone < stop else float(until_j[stop] - until_j[at])
        for at, stop, gone in zip(first.tolist(), last.tolist(), next_unknown.tolist(), strict=True)
    ]
    return charges, [joules[k] for k in np.flatnonzero(in_flight == 0).tolist()]


def _check(
    method: str,
    scope: str,
    total: MeasuredOrWithheld,
    items: Sequence[JoulesOrReason],
    idle: Sequence[JoulesOrReason],
) -> AttributionCheck:
    """Return the proof that an attribution adds up.

    The residual is what the total holds beyond the known items and known gaps; where an energy of these is
    not known, its joules are part of the residual and the reason is the first one's.
    """
    items_j = math.fsum(j for j in items if not isinstance(j, Reason))
    idle_j = math.fsum(j for j in idle if not isinstance(j, Reason))
    if isinstance(total, Withheld):
        return AttributionCheck(method, scope, None, items_j, idle_j, None, total.reason)
    unknown = next((j for j in (*items, *idle) if isinstance(j, Reason)), None)
    residual_j = total.joules - items_j - idle_j
    return AttributionCheck(method, scope, total.joules, items_j, idle_j, residual_j, unknown)


def _known(energy: MeasuredOrWithheld) -> JoulesOrReason:
    return energy.reason if isinstance(energy, Withheld) else energy.joules


def _row(
    item: Item,
    method: str,
    scope: str,
    reason: Reason | None,
    joules: float | None = None,
    lo: float | None = None,
    hi: float | None = None,
) -> Attribution:
    return Attribution(item.item_id, item.repeat, item.segment, method, scope, joules, lo, hi, reason)
