"""Energies of stretches of time, where requests overlap and single ones have none of their own."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from doubles.slow_meter_runs import answers, recorded
from joulemark.metrics.answer_blocks import MIN_BLOCKS, RENEWALS
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Item
from joulemark.record.reason import Reason
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.time_blocks import MOST, time_blocks

S = 1_000_000_000


def overlapping(run: RecordedRun) -> list[Item]:
    """Return its answers with the next one already on its way when one ends."""
    first = run.items[0].t_sent
    return [replace(one, t_sent=max(one.t_sent - S // 2, first)) for one in run.items]


@pytest.mark.parametrize("breaks", [(), (700,)])
def test_stretches_hold_every_answer_and_all_the_energy(breaks: tuple[int, ...]) -> None:
    run = recorded(answers(1500, rng := np.random.default_rng(1)), rng, breaks=breaks)
    energy = RunEnergy(run.timeline, run.manifest)
    items = overlapping(run)
    found = time_blocks(energy, items)
    assert found is not None
    assert found.reason is None
    assert MIN_BLOCKS <= len(found.blocks) <= MOST
    keys = [key for block in found.blocks for key in block.keys]
    assert sorted(keys) == sorted(item.key for item in items)
    total = energy.total()
    assert isinstance(total, MeasuredEnergy)
    assert sum(found.joules) == pytest.approx(total.joules, rel=1e-3)
    for one, other in pairwise(found.blocks):
        (a,), (b,) = one.stretches, other.stretches
        assert a.segment < b.segment or a.t1 == b.t0
        assert a.t1 - a.t0 >= RENEWALS * energy.renewal_s * S


def test_a_run_too_short_for_them_says_so_and_one_without_overlap_needs_none() -> None:
    run = recorded(answers(60, rng := np.random.default_rng(2)), rng)
    energy = RunEnergy(run.timeline, run.manifest)
    found = time_blocks(energy, overlapping(run))
    assert found is not None
    assert found.reason is Reason.TOO_FEW_BLOCKS
    assert time_blocks(energy, list(run.items)) is None
