"""Which meter is the wall of a calibration, and which devices its plane stands on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from doubles.calibrations import power, source
from joulemark.calibration.document import Calibration, LoadPoint
from joulemark.calibration.wall_points import fit_from, windows_for
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.record.scope import Scope

PLUG = source(name="a-plug", kind="shelly", scope=Scope("wall"), device_id=None)
SUPPLY = source(name="supply", kind="hwmon", scope=Scope("wall/psu"), device_id=None)
ANALYZER = source(name="wt300", kind="analyzer", scope=Scope("wall"), device_id=None)
TRACE = source(name="replay:wall", kind="replay", scope=Scope("wall"), device_id=None)


@pytest.mark.parametrize(
    ("sources", "name"),
    [
        ([SUPPLY, PLUG], "a-plug"),
        ([PLUG, ANALYZER], "wt300"),
        (
            [SUPPLY, QualifiedSource(PLUG.info, Qualification(Trust.SUSPECT, "the gauge stands still"))],
            "supply",
        ),
        ([TRACE, SUPPLY], "supply"),
    ],
)
def test_the_meter_that_a_headline_would_believe(
    calibration: Callable[..., Calibration], sources: list[QualifiedSource], name: str
) -> None:
    wall, _, why = windows_for(sources, 10.0, calibration())
    assert (wall.info.name if wall else None, why) == (name, "")


def test_a_firmwares_sensor_of_a_module_is_no_term_of_the_plane(
    calibration: Callable[..., Calibration],
) -> None:
    board = source()
    sensor = source(name="hwmon:module", kind="hwmon", scope=Scope.module(0), device_id=None)

    def point(busy: float) -> LoadPoint:
        powers = [
            power(60 + 240 * busy),
            power(160 + 250 * busy, source="hwmon:module", kind="hwmon", scope="wall/psu/module:0"),
            power(200 + 1.1 * 240 * busy, source="a-plug", kind="shelly", scope="wall"),
        ]
        facts = {"concurrency": 1, "duty": busy, "utilisation": busy, "measured_utc": "2026-11-30T10:00:00Z"}
        return LoadPoint(duration_s=10.0, powers=powers, **facts)  # type: ignore[arg-type]

    found = calibration(empty=None, curve=[point(k / 8) for k in range(9)])
    assert fit_from(found, PLUG, [board, sensor, PLUG], 10.0) == ""
    assert found.wall_fit is not None
    assert found.wall_fit.terms == ["base", "gpu"]
    assert [one.source for one in found.wall_sources] == ["nvml:0"]
