"""The fault matrix: every kind of source under every fault, through its real driver, on virtual time.

A cell is driven as a run would be: the source is found, put through its self-test, sampled by the real loop
with edges, and its energy of the judged window computed from the timeline. What a cell must give is written
once, in `EXPECTED`, by fault and not by source.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

import doubles.rigs
from doubles.faults import Fault, Truth
from doubles.rigs import RIGS, Rig
from joulemark.meters.discovery import ADDRESSED, LOCAL, open_source
from joulemark.meters.duplicates import without_duplicates
from joulemark.meters.qualification import qualify
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld, sum_over_scopes
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.record.scope import OverlappingScopes
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.interval import energies_between, integrals_between
from joulemark.telemetry.renewal import FEW_RENEWALS
from joulemark.telemetry.sampler import SamplerLoop, SourcePlan
from joulemark.telemetry.timeline import Timeline
from joulemark.telemetry.wire import SampledSource

for module in pkgutil.iter_modules(doubles.rigs.__path__):
    importlib.import_module(f"doubles.rigs.{module.name}")

CLOSE = 0.02
MEASURED, ABSENT = "measured", "absent"
Outcomes = frozenset[str]


def outcomes(*names: str) -> Outcomes:
    return frozenset(names)


# What the counter (or register) and what the gauge of a source may come to, by fault. ``absent``: there is no
# such figure, and discovery or the self-test says why.
EXPECTED: dict[Fault, tuple[Outcomes, Outcomes]] = {
    Fault.HEALTHY: (outcomes(MEASURED), outcomes(MEASURED)),
    Fault.WRAP: (outcomes(MEASURED), outcomes(MEASURED)),
    Fault.SHORT_GAP: (outcomes(MEASURED), outcomes(MEASURED)),
    Fault.RESET: (outcomes("counter_reset"), outcomes(MEASURED)),
    Fault.BACKWARDS: (outcomes("counter_backwards"), outcomes(MEASURED)),
    # a gauge that stands still alone may show a steady power; one that stands with its counter is stale
    Fault.FREEZE: (outcomes("counter_frozen", "outside_timeline"), outcomes(MEASURED, "gap_too_long")),
    Fault.STALE: (
        outcomes("counter_frozen", "outside_timeline"),
        outcomes(MEASURED, "gap_too_long", "outside_timeline"),
    ),
    Fault.NOT_SUPPORTED: (outcomes(ABSENT, "no_samples"), outcomes(ABSENT, MEASURED)),
    Fault.LOST: (outcomes("meter_lost"), outcomes("meter_lost")),
    Fault.DUPLICATE_SCOPE: (outcomes(MEASURED), outcomes(MEASURED)),
    Fault.WRONG_UNIT: (
        outcomes(ABSENT, "meter_not_qualified", "counter_implausible", "counter_frozen"),
        outcomes(ABSENT, MEASURED),
    ),
}


@dataclass(frozen=True)
class Cell:
    """What came of one source in one cell; energies are null where the source gave no such quantity."""

    qualified: QualifiedSource
    counter: MeasuredOrWithheld | None
    integrated: MeasuredOrWithheld | None


def outcome(energy: MeasuredOrWithheld | None) -> str:
    """Name what came of a figure."""
    if energy is None:
        return ABSENT
    return str(energy.reason) if isinstance(energy, Withheld) else MEASURED


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


def judge(rig: Rig, fault: Fault, findings: Sequence[Finding], cells: Sequence[Cell], truth: Truth) -> None:
    """Hold what came of a cell against `EXPECTED`, and every energy against the truth."""
    for cell in cells:
        for energy in (cell.counter, cell.integrated):
            _is_sane(energy)
    if not cells:
        assert findings, "discovery says nothing at all"
        untold = [
            finding for finding in findings if finding.spec is None and not (finding.why and finding.fix)
        ]
        assert not untold, "what is missing has a why and a fix"
    main = cells[0] if cells else None  # a part of it (a rail, a core) has a truth of its own
    counter = main.counter if main is not None else None
    integrated = main.integrated if main is not None else None
    expected_counter, expected_gauge = EXPECTED[fault]
    if fault in rig.withheld:
        expected_counter = outcomes(rig.withheld[fault])
    if fault in rig.unseen:
        expected_counter |= {MEASURED}
    if rig.has_counter:
        assert outcome(counter) in expected_counter, f"{counter} of {main}"
    if rig.has_gauge:
        assert outcome(integrated) in expected_gauge, f"{integrated} of {main}"
    if fault in (Fault.FREEZE, Fault.STALE) and outcome(counter) == "counter_frozen":
        assert outcome(integrated) != MEASURED, f"the gauge stood with its counter: {integrated}"
    for energy in (counter, integrated):
        if isinstance(energy, MeasuredEnergy):
            _is_true(energy, truth)
    if (
        MEASURED in expected_counter | expected_gauge
        and main is not None
        and fault is not Fault.NOT_SUPPORTED
    ):
        best = counter if isinstance(counter, MeasuredEnergy) else integrated
        if isinstance(best, MeasuredEnergy):
            share, width = best.joules / truth.true_j, best.width_j / truth.true_j
            print(f"{rig.name:32} {fault:16} {best.method:10} {share:8.3%} of the truth, bound {width:7.2%}")
            if fault not in rig.unseen:
                assert abs(share - 1) <= CLOSE
    if fault is Fault.DUPLICATE_SCOPE:
        _cannot_be_doubled(list(cells), truth)


def _is_sane(energy: MeasuredOrWithheld | None) -> None:
    if isinstance(energy, Withheld):
        assert energy.reason.text, "a withheld energy says why"
    elif energy is not None:
        assert math.isfinite(energy.joules)
        assert 0 <= energy.lo <= energy.joules <= energy.hi


def _is_true(energy: MeasuredEnergy, truth: Truth) -> None:
    assert energy.joules > 0.05 * truth.true_j, f"silently next to nothing: {energy}"
    assert energy.joules < 1.5 * truth.true_j, f"doubled or astronomic: {energy}"
    assert energy.lo <= truth.true_j <= energy.hi, f"the truth {truth.true_j:.0f} J lies outside {energy}"


def _cannot_be_doubled(cells: Sequence[Cell], truth: Truth) -> None:
    """The same device twice: either one was left out, or the sum is refused."""
    measured = [cell.counter or cell.integrated for cell in cells]
    whole = [e for e in measured if isinstance(e, MeasuredEnergy) and e.joules > 0.5 * truth.true_j]
    if len(whole) > 1:
        with pytest.raises((OverlappingScopes, TypeError)):
            sum_over_scopes(whole)


def cells() -> list[object]:
    """Every cell but the impossible ones; sources that are doubled at a library's interface say so."""
    return [
        pytest.param(
            rig, fault, id=f"{name}{' at the API of ' + rig.at_api_of if rig.at_api_of else ''}-{fault}"
        )
        for name, rig in sorted(RIGS.items())
        for fault in Fault
        if fault not in rig.impossible
    ]


def examine(rig: Rig, fault: Fault, findings: Callable[[], list[Finding]], clock: VirtualClock) -> None:
    """Drive and judge one cell."""
    found = findings()
    judge(rig, fault, found, drive(found, rig.truth, clock), rig.truth)


@pytest.mark.parametrize(("rig", "fault"), cells())
def test_cell(rig: Rig, fault: Fault) -> None:
    clock = VirtualClock(0)

    def now_s() -> float:
        return clock.now_ns() * 1e-9

    with rig.make(fault, rig.truth, now_s) as rigged:
        examine(rig, fault, rigged.findings, clock)


SHORT_S = 12.0
AT_SHARES = (0.1, 0.45, 0.95)  # of the time up to the healthy window's end: where short ones begin


@pytest.mark.parametrize("rig", [pytest.param(rig, id=name) for name, rig in sorted(RIGS.items())])
def test_a_short_run_has_its_energy_or_none(rig: Rig) -> None:
    """Slow page x short run: what is not renewed within a window says nothing of it, and no 0 J either."""
    for share in AT_SHARES:
        clock = VirtualClock(0)
        t0_s = rig.truth.t0_s + share * (rig.truth.t1_s - rig.truth.t0_s)
        truth = replace(rig.truth, t0_s=t0_s, t1_s=t0_s + SHORT_S)
        with rig.make(Fault.HEALTHY, truth, lambda clock=clock: clock.now_ns() * 1e-9) as rigged:  # type: ignore[misc]
            cells = drive(rigged.findings(), truth, clock)
        assert cells
        for energy in (cells[0].counter, cells[0].integrated):
            _is_sane(energy)
            assert outcome(energy) in (MEASURED, ABSENT, "shorter_than_step")
            if isinstance(energy, MeasuredEnergy):
                _is_true(energy, truth)
                assert cells[0].qualified.info.value_age_s * FEW_RENEWALS <= SHORT_S


BLIND = [Finding("blind", "blind", "nothing", why="there is nothing", fix="buy a meter")]


@pytest.mark.parametrize(
    "fault", [fault for fault in Fault if fault not in (Fault.NOT_SUPPORTED, Fault.WRONG_UNIT)]
)
def test_a_matrix_without_meters_fails(fault: Fault) -> None:
    """The matrix is worth its name only if a source that gives nothing does not pass it."""
    for rig in RIGS.values():
        if fault not in rig.impossible:
            with pytest.raises(AssertionError):
                examine(rig, fault, lambda: BLIND, VirtualClock(0))


def test_what_cannot_happen_says_why() -> None:
    for rig in RIGS.values():
        assert all(len(why) > 20 for why in (*rig.impossible.values(), *rig.unseen.values())), rig.name


def test_every_kind_of_source_has_its_row() -> None:
    named = " ".join(RIGS).replace("_", " ")
    missing = [kind for kind in (*LOCAL, *ADDRESSED) if kind.replace("_", " ") not in named]
    assert not missing, f"no rig for {missing}"
