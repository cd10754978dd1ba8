"""Energies of blocks of answers, where the meter is too slow for single ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from joulemark.metrics.answer_blocks import RENEWALS, AnswerBlock, AnswerBlocks, cut_blocks, joined
from joulemark.metrics.attribution import Slice, items_overlap
from joulemark.record.attribution import Attribution
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld
from joulemark.record.item import Item, Phase
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.spans import Span, total_energy
from joulemark.telemetry.timeline import Timeline


def answer_blocks(
    timeline: Timeline, energy: RunEnergy, items: Sequence[Item], attributions: Sequence[Attribution]
) -> AnswerBlocks | None:
    """Return the energies of blocks of a run's answers; null where the meter is not too slow for single ones.

    ``items`` are those that count and those that were cut off.
    """
    if not any(row.reason is Reason.SHORTER_THAN_STEP for row in attributions):
        return None
    renewal_s = _renewal_s(timeline, energy)
    if items_overlap(items):
        return AnswerBlocks(renewal_s, reason=Reason.OVERLAPPED)
    answers = [item for item in items if item.phase == Phase.MEASURE]
    windows = [Slice(window.segment, window.t0, window.t1) for window in energy.windows]
    blocks = cut_blocks(answers, windows, round(RENEWALS * renewal_s * 1e9))
    return _metered(energy, blocks, renewal_s)


def _metered(energy: RunEnergy, blocks: list[AnswerBlock], renewal_s: float) -> AnswerBlocks:
    """Meter the blocks; one that is still too short (of a segment's few answers) joins its neighbour."""
    found = _energies(energy, blocks)
    while len(blocks) > 1:
        short = next((k for k, one in enumerate(found) if not isinstance(one, MeasuredEnergy)), None)
        if short is None:
            break
        at = max(short - 1, 0)
        blocks[at : at + 2] = [joined(blocks[at], blocks[at + 1])]
        found[at : at + 2] = _energies(energy, [blocks[at]])
    joules = []
    for one in found:
        if not isinstance(one, MeasuredEnergy):
            return AnswerBlocks(renewal_s, reason=one.reason)
        joules.append(one.joules)
    return AnswerBlocks(renewal_s, tuple(blocks), tuple(joules))


def _energies(energy: RunEnergy, blocks: Sequence[AnswerBlock]) -> list[MeasuredOrWithheld]:
    each = iter(energy.of([Span(*part) for block in blocks for part in block.stretches]))
    return [total_energy(list(islice(each, len(block.stretches)))) for block in blocks]


def _renewal_s(timeline: Timeline, energy: RunEnergy) -> float:
    """Return how long the slowest of the headline's sources takes to tell something new.

    The mean time between two values that differ, be it the clock or the energy that makes them, or how old a
    value may be when it is read, if that is more.
    """
    slowest_s = 0.0
    for segment, evidence in energy.evidence.items():
        for source in evidence.chosen:
            slowest_s = max(slowest_s, source.info.value_age_s)
            series = timeline.series(segment, source.info.name, Quantity.ENERGY_J.value)
            if series is None:
                continue
            new_ns = series.t_ns[1:][np.diff(series.value) != 0]
            if len(new_ns) > 1:
                slowest_s = max(slowest_s, float(new_ns[-1] - new_ns[0]) * 1e-9 / (len(new_ns) - 1))
    return slowest_s
