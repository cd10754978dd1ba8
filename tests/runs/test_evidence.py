"""Why a run has no joules: no meter was wanted, or none was there."""

from __future__ import annotations

import pytest

from doubles.run_views import manifest
from joulemark.record.reason import Reason
from joulemark.runs.evidence import evidence_of


@pytest.mark.parametrize(
    ("asked_for", "reason"),
    [
        (["none"], Reason.NO_METER_ASKED_FOR),
        (["auto"], Reason.NO_METER),
        (["nvml"], Reason.NO_METER),
        ([], Reason.NO_METER),
    ],
)
def test_a_run_that_wanted_no_meter_does_not_say_that_there_is_none(
    asked_for: list[str], reason: Reason
) -> None:
    told = evidence_of(manifest(meters_requested=asked_for), 0).headline.reason
    assert told is reason
    assert ("--meter none" in told.text) == (asked_for == ["none"])
