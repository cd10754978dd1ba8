"""Energies of equal stretches of a run whose requests overlap, each with the answers that ended in it.

What shared a moment shared its joules, so such answers are no independent units; stretches that are long
beside a request and the meter nearly are (batch means: A. Law, Simulation Modeling and Analysis, chapter 9).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import numpy as np

from joulemark.metrics.answer_blocks import MIN_BLOCKS, RENEWALS, AnswerBlock, AnswerBlocks
from joulemark.metrics.attribution import items_overlap
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Item, Phase
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.runs.run_energy import RunEnergy

MOST = 40
REQUESTS_LONG = 4
"""How many requests of usual length a stretch holds one after the other, at least."""


def time_blocks(energy: RunEnergy, items: Sequence[Item]) -> AnswerBlocks | None:
    """Return the stretches of a run, null where no requests overlap; ``items`` as of `answer_blocks`."""
    answers = [item for item in items if item.phase == Phase.MEASURE]
    if energy.withheld is not None or not answers or not items_overlap(items):
        return None
    usual_s = median(item.t_end - item.t_begin for item in answers) * 1e-9
    least_s = max(REQUESTS_LONG * usual_s, RENEWALS * energy.renewal_s)
    spans = _spans(energy, least_s)
    if len(spans) < MIN_BLOCKS:
        return AnswerBlocks(energy.renewal_s, reason=Reason.TOO_FEW_BLOCKS, overlapped=True)
    blocks, joules = [], []
    for span, metered in zip(spans, energy.of(spans), strict=True):
        if not isinstance(metered, MeasuredEnergy):
            return AnswerBlocks(energy.renewal_s, reason=metered.reason, overlapped=True)
        keys = tuple(
            item.key for item in answers if item.segment == span.segment and span.t0 < item.t_end <= span.t1
        )
        blocks.append(AnswerBlock(keys, (span,)))
        joules.append(metered.joules)
    return AnswerBlocks(energy.renewal_s, tuple(blocks), tuple(joules), overlapped=True)


def _spans(energy: RunEnergy, least_s: float) -> list[Span]:
    """Cut each measured window into equal stretches of at least ``least_s``, about `MOST` in all."""
    whole_s = sum(window.duration_s for window in energy.windows)
    length_s = max(least_s, whole_s / MOST)
    spans = []
    for window in energy.windows:
        n = int(window.duration_s / length_s)
        edges = np.linspace(window.t0, window.t1, n + 1).astype(np.int64).tolist() if n else []
        spans += [Span(window.segment, a, b) for a, b in pairwise(edges)]
    return spans
