"""Energies of stretches of time, where requests overlap and single ones have none of their own."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from doubles import run_views
from doubles.slow_meter_runs import answers, recorded
from joulemark.frugal.stopping.precision import precision
from joulemark.frugal.stopping.seen import Seen
from joulemark.frugal.target import Precision, parse_target
from joulemark.metrics import summarize
from joulemark.metrics.answer_blocks import MIN_BLOCKS, RENEWALS
from joulemark.metrics.energy_per import joules_per_correct_answer
from joulemark.metrics.value import Value
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Item
from joulemark.record.manifest import Meter, Rates, StopFacts, Stopped
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.time_blocks import MOST, time_blocks
from joulemark.runs.view import view_of
from joulemark.telemetry.timeline import Timeline, Track

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


TOGETHER, OF = 8, 4000


def in_batches(n_batches: int, of: int) -> RecordedRun:
    """A run of eight requests at a time, ended by a rule; its board draws another power in each batch."""
    chance = np.random.default_rng(6)
    watts = 300 * chance.lognormal(0.0, 0.5, n_batches)
    run = recorded(answers(TOGETHER * n_batches, chance), chance)
    t0 = run.manifest.windows[0].t0
    rows = [
        replace(
            row,
            item=replace(
                row.item,
                t_sent=t0 + n // TOGETHER * S,
                t_first=None,
                t_first_answer=None,
                t_end=t0 + n // TOGETHER * S + round(S * chance.uniform(0.5, 0.95)),
            ),
        )
        for n, row in enumerate(run.rows)
    ]
    end_ns = t0 + n_batches * S
    t_ns = np.arange(t0 - 10 * S, end_ns + 10 * S, S // 10, dtype=np.int64)
    at_s = np.concatenate([[-20.0], np.arange(n_batches + 1), [n_batches + 20.0]])
    drawn_j = np.cumsum(np.concatenate([[0.0, 20 * 60.0], watts, [20 * 60.0]]))
    joules = np.interp((t_ns - t0) / S, at_s, drawn_j)
    track = Track(t_ns, t_ns - 1_000_000, {"energy_j": 5000 + joules}, np.zeros(len(t_ns), np.int64), ())
    info = SourceInfo("nvml:0", "nvml", Scope.gpu(0), ("energy_j",))
    test = Qualification(Trust.QUALIFIED, update_period_s=0.1, update_period_max_s=0.1, poll_period_s=0.1)
    asked = TOGETHER * n_batches
    ended = Stopped(at=asked, asked=asked, of=of, segment=0, binding=["joules_per_correct ±9%"])
    window, segment, task = run.manifest.windows[0], run.manifest.segments[0], run.manifest.task
    manifest = run.manifest.model_copy(
        update={
            "meters": [Meter.of(QualifiedSource(info, test), 0)],
            "devices": [run_views.device()],
            "windows": [window.model_copy(update={"t1": end_ns})],
            "segments": [segment.model_copy(update={"t1": end_ns + 10 * S})],
            "task": task.model_copy(update={"n_items": of}),
            "stop": StopFacts(targets=["joules_per_correct ±9%"], least=30, every=10, stopped=ended),
        }
    )
    return replace(run, manifest=manifest, rows=tuple(rows), timeline=Timeline({(0, "nvml:0"): track}))


def test_the_rule_and_the_report_have_one_interval_for_requests_in_flight_together() -> None:
    """What a batch shares it shares: answer by answer the report would claim half of the rule's width."""
    view = view_of(in_batches(300, OF))
    target = parse_target("joules_per_correct ±9%")
    assert isinstance(target, Precision)
    questions = [(one,) for one in view.measured_items]
    seen = Seen(Rates())
    seen.take(questions)
    told = precision(target, seen, questions, OF, view, TOGETHER)
    assert told.half_width is not None
    summary = summarize(view)
    headline = summary.figures["joules_per_correct_answer"]
    assert "stretches of time" in headline.interval_method
    # powers that no token tells of are noise: asking all would settle little
    assert told.half_width == pytest.approx(_half(headline), rel=0.2)
    by_answer = joules_per_correct_answer(
        view.headline_energy, view.measured_items, view.headline_attributions()
    )
    assert _half(by_answer) < 0.75 * told.half_width
    if summary.these is not None and "joules_per_correct_answer" in summary.these.intervals:
        lo, hi = summary.these.intervals["joules_per_correct_answer"]
        assert (hi - lo) / 2 == pytest.approx(told.half_width, rel=0.2)
        assert hi - lo < 2 * _half(headline)


def _half(value: Value) -> float:
    assert value.lo is not None
    assert value.hi is not None
    return (value.hi - value.lo) / 2


def test_a_run_too_short_for_stretches_says_what_its_interval_is_made_of() -> None:
    headline = summarize(view_of(in_batches(12, OF))).figures["joules_per_correct_answer"]
    assert headline.lo is not None
    assert "too short for stretches of time" in headline.interval_method
