"""What one source saw in a stretch, by each of its ways."""

from __future__ import annotations

import pytest

from joulemark.live.history import SEGMENT
from joulemark.live.source_energy import source_energy
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity, Reading
from joulemark.telemetry.timeline import Timeline

S = 10**9
INFO = SourceInfo("a:0", "nvml", Scope.gpu(0), ("energy_j", "power_w"), power_window_s=0.0, power_max_w=300.0)
SOURCE = QualifiedSource(
    INFO, Qualification(Trust.QUALIFIED, update_period_s=0.1, update_period_max_s=0.1, poll_period_s=0.1)
)


def board(counted_share: float) -> Timeline:
    """A board at 100 W, whose counter counts a share of it from 10 s on."""
    rows = []
    for i in range(400):
        t_s = i / 10
        joules = 100 * min(t_s, 10) + counted_share * 100 * max(t_s - 10, 0)
        values = {Quantity.ENERGY_J: 5000 + joules, Quantity.POWER_W: 100.0 + (i % 2) * 0.5}
        rows.append(Reading(SEGMENT, i * S // 10, "a:0", INFO.scope.path, values))
    return Timeline.from_readings(rows)


def test_a_counter_that_its_own_power_contradicts_is_not_told_and_nor_is_the_power() -> None:
    found = source_energy(board(0.5), SOURCE, 12 * S, 32 * S)
    for energy in (found.counter, found.integrated, found.best, found.believed.best):
        assert isinstance(energy, Withheld)
        assert energy.reason is Reason.METER_CONTRADICTED
    before = source_energy(board(0.5), SOURCE, 2 * S, 9 * S)
    assert isinstance(before.best, MeasuredEnergy)


@pytest.mark.parametrize("share", [1.0, 0.95])
def test_calibrations_that_differ_are_no_contradiction(share: float) -> None:
    found = source_energy(board(share), SOURCE, 12 * S, 32 * S)
    assert isinstance(found.best, MeasuredEnergy)
    assert found.best.joules == pytest.approx(share * 2000, rel=0.01)
