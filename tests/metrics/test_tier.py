"""The tier of a measurement by the sources that were believed."""

from __future__ import annotations

import pytest

from joulemark.metrics.tier import tier
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

MEASURED = MeasuredEnergy(10.0, 9.0, 11.0, "nvml:0", (Scope.gpu(0),), Method.COUNTER)


def source(kind: str, scope: Scope, trust: Trust = Trust.QUALIFIED) -> QualifiedSource:
    info = SourceInfo(name=f"{kind}:0", kind=kind, scope=scope, quantities=("energy_j",))
    return QualifiedSource(info, Qualification(trust))


NVML = source("nvml", Scope.gpu(0))


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], "C"),
        ([source("shelly", Scope("wall"))], "B"),
        ([source("shelly", Scope("wall"), Trust.SUSPECT)], "C"),
        ([source("hwmon", Scope("wall/psu"))], "C"),
        ([source("analyzer", Scope("wall"))], "A"),
        ([source("replay", Scope("wall"))], "C"),
    ],
)
def test_only_a_meter_at_the_wall_makes_b_of_device_telemetry(
    others: list[QualifiedSource], expected: str
) -> None:
    assert tier([NVML, *others], MEASURED) == (expected, None)


def test_without_joules_there_is_no_tier() -> None:
    assert tier([NVML], Withheld(Reason.GAP_TOO_LONG)) == (None, Reason.GAP_TOO_LONG)


def test_a_wall_meter_alone_is_no_tier() -> None:
    assert tier([source("shelly", Scope("wall"))], MEASURED) == (None, Reason.NOT_APPLICABLE)
