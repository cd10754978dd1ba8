"""Energies of blocks of answers, where the meter is too slow for single ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from statistics import median

from joulemark.metrics.answer_blocks import RENEWALS, AnswerBlock, AnswerBlocks, cut_blocks, joined
from joulemark.metrics.attribution import items_overlap
from joulemark.record.attribution import Attribution
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld
from joulemark.record.item import Item, Phase
from joulemark.record.reason import Reason
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.spans import total_energy
from joulemark.telemetry.renewal import FEW_RENEWALS, renewal_of
from joulemark.telemetry.timeline import Timeline


def answer_blocks(
    timeline: Timeline, energy: RunEnergy, items: Sequence[Item], attributions: Sequence[Attribution]
) -> AnswerBlocks | None:
    """Return the energies of blocks of a run's answers; null where the meter is not too slow for single ones.

    ``items`` are those that count and those that were cut off.
    """
    renewal_s = energy.renewal_s
    answers = [item for item in items if item.phase == Phase.MEASURE]
    overlap = items_overlap(items)
    coarse = any(row.reason is Reason.SHORTER_THAN_STEP for row in attributions)
    if not coarse and (overlap or not _too_slow(timeline, energy, answers)):
        return None
    if overlap:
        return AnswerBlocks(renewal_s, reason=Reason.OVERLAPPED)
    blocks = cut_blocks(answers, energy.windows, round(RENEWALS * renewal_s * 1e9))
    return _metered(energy, blocks, renewal_s)


def _too_slow(timeline: Timeline, energy: RunEnergy, answers: Sequence[Item]) -> bool:
    """Tell whether a meter is renewed too seldom for single answers, whatever joules it gives them.

    It is where an answer is shorter than what has an energy at all, or half of them than one renewal: the
    joules of such an answer are those of its neighbours as well.
    """
    lengths_s = [(item.t_end - item.t_begin) * 1e-9 for item in answers]
    if not lengths_s:
        return False
    old_s = max(
        (
            max(renewal.counter_s, renewal.gauge_s)
            for segment, evidence in energy.evidence.items()
            for source in evidence.chosen
            for renewal in (renewal_of(timeline, source, segment),)
        ),
        default=0.0,
    )
    return min(lengths_s) < FEW_RENEWALS * old_s or median(lengths_s) < energy.renewal_s


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
    each = iter(energy.of([part for block in blocks for part in block.stretches]))
    return [total_energy(list(islice(each, len(block.stretches)))) for block in blocks]
