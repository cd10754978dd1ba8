"""Energy of single requests on a loaded server by what they asked for: time, prompt tokens, output tokens.

The rule stands in ``docs/adr/0011-steady-state.md``; shares are a rule, no measurement, and add up to what
was metered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.attribution import JoulesOrReason
from joulemark.metrics.input_aware_fit import InputAwareFit
from joulemark.metrics.work_slices import RequestSlices
from joulemark.record.attribution import Attribution, AttributionCheck
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.reason import Reason

Floats = NDArray[np.float64]

INPUT_AWARE = "input_aware"


def attribute_input_aware(
    done: Sequence[RequestSlices],
    energies: Sequence[MeasuredOrWithheld],
    fit: InputAwareFit,
    total: MeasuredOrWithheld,
    scope: str,
) -> tuple[tuple[Attribution, ...], AttributionCheck]:
    """Share each slice's metered energy by what the fit expects of each request in it.

    ``done`` is what each request did in the slices whose ``energies`` were metered; each has a row. A slice
    in which nobody did anything is idle. A request that was at work in a slice of unknown energy gets no
    joules and its reason. Raises ``ValueError`` where the fit is withheld: then only equal shares stand.
    """
    if fit.weights is None:
        raise ValueError(f"nothing tells what requests cost: {fit.reason}")
    metered: list[JoulesOrReason] = [e.reason if isinstance(e, Withheld) else e.joules for e in energies]
    weights = np.array(fit.weights)
    expected = [one.columns @ weights for one in done]
    sums = np.zeros(len(metered))
    for one, values in zip(done, expected, strict=True):
        sums[one.places] += values
    charges = _charges(done, expected, sums, metered)
    idle = [m for m, expects in zip(metered, sums.tolist(), strict=True) if expects <= 0]
    idle_j = math.fsum(m for m in idle if not isinstance(m, Reason))
    items_j = math.fsum(c for c in charges if not isinstance(c, Reason))
    rows = tuple(
        _row(one, scope, charge) if isinstance(charge, Reason) else _row(one, scope, Reason.ALLOCATED, charge)
        for one, charge in zip(done, charges, strict=True)
    )
    if isinstance(total, Withheld):
        return rows, AttributionCheck(INPUT_AWARE, scope, None, items_j, idle_j, None, total.reason)
    lost = next((m for m in metered if isinstance(m, Reason)), None)
    residual_j = total.joules - items_j - idle_j
    return rows, AttributionCheck(INPUT_AWARE, scope, total.joules, items_j, idle_j, residual_j, lost)


def _charges(
    done: Sequence[RequestSlices],
    expected: Sequence[Floats],
    sums: Floats,
    metered: Sequence[JoulesOrReason],
) -> list[JoulesOrReason]:
    """Return what each request is charged: of each slice the part that is expected of it."""
    joules = np.array([math.nan if isinstance(m, Reason) else m for m in metered], np.float64)
    scale = np.where(sums > 0, joules / np.where(sums > 0, sums, 1.0), 0.0)
    charges: list[JoulesOrReason] = []
    for one, values in zip(done, expected, strict=True):
        worked = values > 0
        charge = float(values[worked] @ scale[one.places[worked]])
        if math.isnan(charge):
            unknown = (m for k in one.places[worked].tolist() if isinstance(m := metered[k], Reason))
            charges.append(next(unknown))
        else:
            charges.append(charge)
    return charges


def _row(one: RequestSlices, scope: str, reason: Reason, joules: float | None = None) -> Attribution:
    item = one.request.item
    return Attribution(
        item.item_id, item.repeat, item.segment, INPUT_AWARE, scope, joules, None, None, reason
    )
