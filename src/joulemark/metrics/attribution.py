"""Which joules belong to which item, such that items + idle + residual = metered total."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from joulemark.record.attribution import Attribution, AttributionCheck
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

SEQUENTIAL = "sequential"
EQUAL_SHARE = "equal_share"

EnergyAt = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def scope_label(scopes: Iterable[Scope]) -> str:
    """Return the short name of a set of scopes, for example ``gpu:0+gpu:1``."""
    return "+".join(scope.label for scope in sorted(scopes))


def items_overlap(items: Sequence[Item]) -> bool:
    """Tell whether two requests of the same segment were ever in flight together."""
    spans = sorted((item.segment, item.t_begin, item.t_end) for item in items)
    return any(a[0] == b[0] and b[1] < a[2] for a, b in pairwise(spans))


def attribute_sequential(
    items: Sequence[Item],
    energies: Sequence[MeasuredEnergy | Withheld],
    gaps: Sequence[MeasuredEnergy | Withheld],
    total: MeasuredEnergy | Withheld,
    scope: str,
) -> tuple[tuple[Attribution, ...], AttributionCheck]:
    """Charge each item the energy metered from its first attempt to its end.

    ``energies`` are those windows' energies in the order of ``items``; ``gaps`` the energies of the stretches
    of the measured windows in which no request ran; ``total`` the measured windows' own. Raises
    ``ValueError`` when the items overlap, for then windows would count energy twice.
    """
    if items_overlap(items):
        raise ValueError("requests overlap: their energies must be shared, not read off")
    rows = tuple(
        Attribution(
            item.item_id, item.repeat, item.segment, SEQUENTIAL, scope, None, None, None, energy.reason
        )
        if isinstance(energy, Withheld)
        else Attribution(
            item.item_id, item.repeat, item.segment, SEQUENTIAL, scope, energy.joules, energy.lo, energy.hi
        )
        for item, energy in zip(items, energies, strict=True)
    )
    return rows, check(SEQUENTIAL, scope, total, [r.joules for r in rows], [_joules(gap) for gap in gaps])


def attribute_equal_share(
    items: Sequence[Item],
    energy_at: EnergyAt,
    windows: Sequence[tuple[int, int]],
    total: MeasuredEnergy | Withheld,
    scope: str,
) -> tuple[tuple[Attribution, ...], AttributionCheck]:
    """Share the energy of each slice of time equally among the requests in flight.

    All items and windows lie in one segment (concatenate the rows of several). ``energy_at`` maps monotonic
    ns int64[n] to cumulative joules float64[n] with any zero, NaN where unknown. Time outside ``windows`` is
    not shared. Shares are a rule, not a measurement: lo and hi are null, reason ``allocated``. An item that
    touches an unknown slice gets no joules, reason ``gap_too_long``.
    """
    if len({item.segment for item in items}) > 1:
        raise ValueError("one clock a segment: share the energy of each segment apart")
    begin = np.array([item.t_begin for item in items], np.int64)
    end = np.maximum(np.array([item.t_end for item in items], np.int64), begin)
    window_edges = np.array([t for window in windows for t in window], np.int64)
    edges = np.unique(np.concatenate([begin, end, window_edges]))
    slice_j = np.diff(energy_at(edges)) if len(edges) > 1 else np.zeros(0)
    # number in flight in [edges[k], edges[k+1]): begun by then, and not yet ended
    in_flight = np.searchsorted(np.sort(begin), edges[:-1], "right") - np.searchsorted(
        np.sort(end), edges[:-1], "right"
    )
    measured = np.zeros(len(slice_j), bool)
    for t0, t1 in windows:
        measured |= (edges[:-1] >= t0) & (edges[1:] <= t1)
    slice_j = np.where(measured, slice_j, 0.0)
    unknown = np.isnan(slice_j)
    share_j = np.where(unknown, 0.0, slice_j) / np.maximum(in_flight, 1)
    until_j = np.concatenate([[0.0], np.cumsum(np.where(in_flight > 0, share_j, 0.0))])
    unknown_until = np.concatenate([[0], np.cumsum(unknown)])
    first, last = np.searchsorted(edges, begin), np.searchsorted(edges, end)
    joules = until_j[last] - until_j[first]
    lost = unknown_until[last] > unknown_until[first]
    rows = tuple(
        Attribution(
            item.item_id,
            item.repeat,
            item.segment,
            EQUAL_SHARE,
            scope,
            None if lost[k] else float(joules[k]),
            None,
            None,
            Reason.GAP_TOO_LONG if lost[k] else Reason.ALLOCATED,
        )
        for k, item in enumerate(items)
    )
    idle = in_flight == 0
    idle_j = None if bool((unknown & idle).any()) else float(share_j[idle].sum())
    return rows, check(EQUAL_SHARE, scope, total, [row.joules for row in rows], [idle_j])


def check(
    method: str,
    scope: str,
    total: MeasuredEnergy | Withheld,
    items_j: Sequence[float | None],
    idle_j: Sequence[float | None],
) -> AttributionCheck:
    """Return the proof that an attribution adds up.

    The residual is what the total holds beyond the known items and known gaps; where an energy of these is
    not known, its joules are part of the residual and the reason says so.
    """
    known_items_j = math.fsum(j for j in items_j if j is not None)
    known_idle_j = math.fsum(j for j in idle_j if j is not None)
    if isinstance(total, Withheld):
        return AttributionCheck(method, scope, None, known_items_j, known_idle_j, None, total.reason)
    incomplete = any(j is None for j in (*items_j, *idle_j))
    return AttributionCheck(
        method,
        scope,
        total.joules,
        known_items_j,
        known_idle_j,
        total.joules - known_items_j - known_idle_j,
        Reason.GAP_TOO_LONG if incomplete else None,
    )


def _joules(energy: MeasuredEnergy | Withheld) -> float | None:
    return None if isinstance(energy, Withheld) else energy.joules
