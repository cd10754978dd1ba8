"""The end of a run: what the manifest claims is what its own figures bear out."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles import run_views
from doubles.run_views import T0, S
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.item import ItemRow
from joulemark.record.manifest import Window
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.runs.finalize import finalize
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.telemetry.journal import encode_reading

BOARD_W, ITEMS = 200.0, 5


@pytest.mark.parametrize(("shown", "tier"), [(1.4, "B"), (0.0014, "C")])
def test_a_wall_meter_that_shows_less_than_the_board_raises_no_tier(
    tmp_path: Path, shown: float, tier: str
) -> None:
    """``shown``: what the plug shows of the board's power; the second counts in another unit."""
    layout = RunLayout(tmp_path / "run")
    layout.create()
    plug = run_views.meter("shelly", "shelly", Scope("wall"))
    described = run_views.manifest(
        meters=[run_views.meter(), plug],
        devices=[run_views.device()],
        windows=[Window(name="measure", segment=0, t0=T0, t1=T0 + 20 * S)],
    )
    described.segments[0].engine_local = True
    described.task.n_items = ITEMS
    journal = ItemJournal(layout.items_journal)
    for index in range(ITEMS):
        journal.append(ItemRow(run_views.item(index, start_s=1.0 + 3.0 * index)))
    journal.close()
    layout.telemetry_journal.write_bytes(b"".join(_readings(shown)))

    view = finalize(layout, described, complete=True)

    assert isinstance(view.headline_energy, MeasuredEnergy)
    assert view.headline_energy.joules == pytest.approx(BOARD_W * 20, rel=0.01)
    wall = view.other_energy["shelly · wall"]
    assert isinstance(wall, MeasuredEnergy) or wall.reason is Reason.LESS_THAN_ITS_PART
    assert isinstance(wall, Withheld) is (tier == "C")
    assert layout.read_manifest().measurement_tier == tier


def _readings(shown: float):
    for step in range(-20, 240):
        t_s = 0.1 * step
        for name, scope, power_w in (("nvml:0", Scope.gpu(0), BOARD_W), ("shelly", "wall", shown * BOARD_W)):
            values = {"energy_j": 1000 + power_w * t_s, "power_w": power_w}
            yield encode_reading(Reading(0, T0 + round(t_s * S), name, str(scope), values))
