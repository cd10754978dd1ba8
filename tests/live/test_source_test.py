"""Meters that are found and tested: which are there, and who says why of the others."""

from __future__ import annotations

import os

from doubles.nvml import FakeNvml
from joulemark.live.source_test import find_tested
from joulemark.record.clock import SystemClock

TEST_S = 0.4


def test_what_is_there_is_tested_and_what_is_missing_says_why(boards: FakeNvml) -> None:
    told: list[str] = []
    found, absent = find_tested(
        ["nvml"], engine_pid=os.getpid(), clock=SystemClock(), test_s=TEST_S, progress=told.append
    )
    names = [source.info.name for _, source in found]
    assert names == ["nvml:0", "nvml:1", "process:engine", "machine"]
    assert absent == []
    assert told == ["looking for meters", "testing nvml:0, nvml:1"]


def test_a_meter_that_cannot_be_opened_is_absent_by_its_own_name(boards: FakeNvml) -> None:
    def lose_one(message: str) -> None:
        if message.startswith("testing"):
            boards.lose(1)

    found, absent = find_tested(
        ["nvml"], engine_pid=None, clock=SystemClock(), test_s=TEST_S, progress=lose_one
    )
    assert [source.info.name for _, source in found] == ["nvml:0", "machine"]
    (lost,) = absent
    assert lost.name == "nvml:1"
    assert lost.spec is not None
    assert lost.why


def test_a_process_that_is_not_there_is_missing() -> None:
    found, absent = find_tested(["none"], engine_pid=4_000_000, clock=SystemClock())
    assert [source.info.name for _, source in found] == ["machine"]
    assert [(one.name, one.spec) for one in absent] == [("process:engine", None)]
