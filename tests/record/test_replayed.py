from __future__ import annotations

import pytest

from joulemark.record.replayed import is_trace_name, trace_name


@pytest.mark.parametrize(
    ("source", "played"),
    [
        (trace_name("desk"), True),
        ("nvml:0+replay:desk", True),
        ("replay:desk+nvml:0", True),
        ("nvml:0", False),
        ("prometheus:replay", False),
        ("dcgm:0+dcgm:1", False),
    ],
)
def test_a_trace_is_told_by_its_name_joined_or_not(source: str, played: bool) -> None:
    assert is_trace_name(source) is played
