"""The fault matrix: every kind of source under every fault, through its real driver, on virtual time.

A cell is driven as a run would be: the source is found, put through its self-test, sampled by the real loop
with edges, and its energy of the judged window computed from the timeline. What a cell must give is written
once, in `EXPECTED`, by fault and not by source.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

import doubles.rigs
from doubles.faults import Fault, NowS, Truth
from doubles.rigs import RIGS, Rig
from joulemark.meters.discovery import open_source
from joulemark.meters.duplicates import without_duplicates
from joulemark.meters.qualification import qualify
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy, Method, Withheld, sum_over_scopes
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.record.scope import OverlappingScopes
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.interval import energies_between, integrals_between
from joulemark.telemetry.sampler import SamplerLoop, SourcePlan
from joulemark.telemetry.timeline import Timeline
from joulemark.telemetry.wire import SampledSource

for module in pkgutil.iter_modules(doubles.rigs.__path__):
    importlib.import_module(f"doubles.rigs.{module.name}")

CLOSE = 0.02
MUST_MEASURE = {Fault.HEALTHY, Fault.WRAP, Fault.SHORT_GAP}
STEPS_S = 0.05  # how finely virtual time moves while the loop waits


@dataclass(frozen=True)
class Cell:
    """What came of one source in one cell; energies are null where the source gave no such quantity."""

    qualified: QualifiedSource
    counter: MeasuredEnergy | Withheld | None
    integrated: MeasuredEnergy | Withheld | None

    @property
    def best(self) -> MeasuredEnergy | Withheld | None:
        """What a run would use: the counter where the self-test believes it, else the gauge."""
        if self.counter is not None and self.qualified.qualification.trust is Trust.QUALIFIED:
            return self.counter
        return self.integrated if self.integrated is not None else self.counter


def drive(findings: Sequence[Finding], truth: Truth, clock: VirtualClock) -> list[Cell]:
    """Test, sample and read every source that can be opened."""
    specs = [finding.spec for finding in without_duplicates(findings) if finding.spec is not None]
    qualified: list[QualifiedSource] = []
    opened = []
    for spec in specs:
        try:
            source = open_source(spec, clock)
        except SourceLost as error:
            if not str(error):
                pytest.fail("a source that is not there says why")
            continue
        test: Qualification = qualify(source, clock)
        source.close()
        if test.trust is Trust.ABSENT:
            assert test.reason
            continue
        qualified.append(QualifiedSource(source.info, test))
        opened.append(spec)
    plans = []
    for spec, one in zip(opened, qualified, strict=True):
        sampled = SampledSource.of(spec, one)
        update_ns = None if sampled.update_max_s is None else round(sampled.update_max_s * 1e9)
        plans.append(
            SourcePlan(
                sampled.name,
                sampled.scope,
                round(sampled.poll_s * 1e9),
                update_ns,
                lambda spec=spec: open_source(spec, clock),  # type: ignore[misc]
            )
        )
    loop = SamplerLoop(plans, clock, 0)
    loop.start()
    rows = loop.take_rows()
    edges = []
    for at_s in (truth.t0_s, truth.t1_s):
        at_ns = round(at_s * 1e9)
        while loop.due_ns() < at_ns:
            clock.advance_to_ns(max(loop.due_ns(), clock.now_ns()))
            loop.tick()
        clock.advance_to_ns(max(at_ns, clock.now_ns()))
        loop.edge()
        edges.append(at_ns)
    end_ns = clock.now_ns() + round(3 * max((plan.poll_ns for plan in plans), default=10**9))
    while loop.watching or loop.due_ns() < end_ns:
        clock.advance_to_ns(max(loop.due_ns(), clock.now_ns()))
        loop.tick()
        if clock.now_ns() > end_ns + 10 * 10**9:
            break
    rows += loop.take_rows()
    loop.close()
    timeline = Timeline.from_readings(rows)
    cells = []
    for one in qualified:
        quantities = one.info.quantities
        counter = integrated = None
        if Quantity.ENERGY_J.value in quantities:
            counter = energies_between(timeline, one, 0, edges[:1], edges[1:])[0]
        gauge = next((q for q in ("power_w", "power_average_w") if q in quantities), None)
        if gauge is not None:
            integrated = integrals_between(timeline, one, 0, edges[:1], edges[1:], gauge)[0]
        cells.append(Cell(one, counter, integrated))
    return cells


def truth_of(cell: Cell, rig: Rig, truth: Truth) -> float:
    """A child scope's own truth is its rig's business: only the first source of a rig is judged by value."""
    return truth.true_j


def judge(rig: Rig, fault: Fault, cells: Sequence[Cell], truth: Truth) -> None:
    """What holds in every cell, and what a fault demands beside."""
    for cell in cells:
        for energy in (cell.counter, cell.integrated):
            if isinstance(energy, Withheld):
                assert energy.reason.text, "a withheld energy says why"
            elif energy is not None:
                assert math.isfinite(energy.joules)
                assert 0 <= energy.lo <= energy.joules <= energy.hi
    main = cells[:1]
    for cell in main:
        for energy in (cell.counter, cell.integrated):
            if not isinstance(energy, MeasuredEnergy):
                continue
            assert energy.joules > 0.05 * truth.true_j, f"silently next to nothing: {energy}"
            assert energy.joules < 1.5 * truth.true_j, f"doubled or astronomic: {energy}"
            held = energy.lo <= truth.true_j <= energy.hi
            assert held, f"the truth {truth.true_j:.0f} J lies outside {energy}"
            if energy.method is not Method.INTEGRATED:
                assert cell.qualified.qualification.counter_ok
    if fault in rig.withheld:
        assert main
        best = main[0].best
        assert isinstance(best, Withheld)
        assert best.reason == rig.withheld[fault]
    elif fault in MUST_MEASURE:
        assert main, "nothing was measured"
        best = main[0].best
        assert isinstance(best, MeasuredEnergy), f"withheld: {best} ({main[0].qualified.qualification})"
        assert abs(best.joules - truth.true_j) <= CLOSE * truth.true_j
        if rig.has_counter:
            assert best.method is not Method.INTEGRATED
        print(
            f"{rig.name:32} {fault:16} {best.method:10} {best.joules / truth.true_j:7.3%} "
            f"bound {best.width_j / truth.true_j:6.2%}"
        )
    elif fault is Fault.DUPLICATE_SCOPE:
        assert main
        measured = [cell.best for cell in cells if isinstance(cell.best, MeasuredEnergy)]
        assert measured
        _cannot_be_doubled(measured, truth)
    elif fault is Fault.LOST:
        for cell in main:
            assert not isinstance(cell.counter, MeasuredEnergy), "energy of a meter that was gone"
            assert not isinstance(cell.integrated, MeasuredEnergy)


def _cannot_be_doubled(measured: Sequence[MeasuredEnergy], truth: Truth) -> None:
    """The same device twice: either one was left out, or the sum is refused."""
    whole = [energy for energy in measured if energy.joules > 0.5 * truth.true_j]
    if len(whole) > 1:
        with pytest.raises((OverlappingScopes, TypeError)):
            sum_over_scopes(whole)


def cells() -> list[tuple[str, Fault]]:
    return [(name, fault) for name in sorted(RIGS) for fault in Fault]


@pytest.mark.parametrize(("name", "fault"), cells(), ids=lambda value: str(value).replace(" ", "-"))
def test_cell(name: str, fault: Fault) -> None:
    rig = RIGS[name]
    if fault in rig.impossible:
        assert len(rig.impossible[fault]) > 10, "an impossible cell says why"
        return
    clock = VirtualClock(0)

    def now_s() -> float:
        return clock.now_ns() * 1e-9

    now: NowS = now_s
    with rig.make(fault, rig.truth, now) as rigged:
        judge(rig, fault, drive(rigged.findings(), rig.truth, clock), rig.truth)


def test_every_kind_of_source_has_its_row() -> None:
    from joulemark.meters.discovery import ADDRESSED, LOCAL

    named = " ".join(RIGS)
    missing = [kind for kind in (*LOCAL, *ADDRESSED) if kind.replace("_", " ") not in named.replace("_", " ")]
    assert not missing, f"no rig for {missing}"
