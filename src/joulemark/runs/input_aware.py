"""Energies of single requests of a loaded run by what they asked for, from the timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from joulemark.metrics.answer_blocks import RENEWALS
from joulemark.metrics.input_aware import attribute_input_aware
from joulemark.metrics.input_aware_fit import InputAwareFit, fit_blocks, idle_power
from joulemark.metrics.request_work import work_of
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.metrics.standby import idle_power_w
from joulemark.metrics.work_slices import (
    MIN_BLOCK_S,
    RequestSlices,
    WorkSlices,
    sliced_work,
    summed,
    work_slices,
)
from joulemark.record.attribution import Attribution, AttributionCheck
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.manifest import Baselines, Manifest
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.runs.steady_energy import Meter

Found = tuple[tuple[Attribution, ...], tuple[AttributionCheck, ...], InputAwareFit]


def input_aware(
    manifest: Manifest,
    loads: SegmentLoads,
    windows: Sequence[Span],
    metered: Meter,
    total: MeasuredOrWithheld,
    scope: str | None,
    renewal_s: float = 0.0,
) -> Found:
    """Fit and share the energy of a loaded run's measured ``windows``; nothing of a sequential one.

    One fit holds for all segments: they are of one configuration. Where it is withheld there are no rows:
    then only equal shares stand. The meter tells something new every ``renewal_s`` seconds.
    """
    if manifest.load.mode == "sequential" or not windows:
        return (), (), InputAwareFit()
    if isinstance(total, Withheld) or scope is None:
        why = total if isinstance(total, Withheld) else None
        return (), (), InputAwareFit() if why is None else _without(why)
    if renewal_s > MIN_BLOCK_S:
        told = (
            f"The meter tells something new every {renewal_s:.3g} s, and the work changes faster than that."
        )
        return (), (), _without(Withheld(Reason.SHORTER_THAN_STEP, told))
    slices: list[WorkSlices] = []
    done: list[RequestSlices] = []
    for segment in sorted({window.segment for window in windows}):
        here = [window for window in windows if window.segment == segment]
        load = loads[segment]
        work = work_of(load)
        if isinstance(work, Withheld):
            return (), (), _without(work)
        cut = work_slices(load, here, RENEWALS * renewal_s)
        offset = sum(len(one.parts) for one in slices)
        done += [replace(one, places=one.places + offset) for one in sliced_work(work, cut)]
        slices.append(cut)
    together = _joined(slices)
    energies = metered(together.parts)
    idle = idle_power(together, energies, _baseline_w(manifest.baselines, scope))
    fit = fit_blocks(together, summed(done, len(together.parts)), energies, idle)
    if fit.weights is None:
        return (), (), fit
    rows, check = attribute_input_aware(done, energies, fit, total, scope)
    return rows, (check,), fit


def _joined(slices: Sequence[WorkSlices]) -> WorkSlices:
    blocks = []
    before = 0
    for one in slices:
        blocks.append(one.block + before)
        before += int(one.block.max()) + 1 if len(one.block) else 0
    return WorkSlices(
        tuple(part for one in slices for part in one.parts),
        np.concatenate([one.idle for one in slices]),
        np.concatenate(blocks),
    )


def _baseline_w(baselines: Baselines, scope: str) -> float | None:
    """Return the idle power on file: with the model loaded, else of the empty device."""
    loaded = idle_power_w(baselines, "loaded", scope).value
    return idle_power_w(baselines, "empty", scope).value if loaded is None else loaded


def _without(why: Withheld) -> InputAwareFit:
    return InputAwareFit(reason=why.reason, detail=why.detail)
