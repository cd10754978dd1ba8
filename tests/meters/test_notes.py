"""Codes of notes, with the sentences that belong to them."""

from __future__ import annotations

import pytest

from joulemark.meters.notes import (
    LACKS,
    MIG_SHARED,
    MODULE_SCOPE,
    TWINS,
    VIRTUAL_MACHINE,
    has_note,
    lacking,
    lacks_note,
    note,
    twins_note,
)
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope


def noted(*notes: str) -> SourceInfo:
    return SourceInfo("nvml:0", "nvml", Scope.gpu(0), ("power_w",), notes=notes)


def test_a_code_brings_its_sentence() -> None:
    assert note(VIRTUAL_MACHINE).startswith("virtual_machine: a hypervisor")
    assert note(MIG_SHARED, "another") == f"{MIG_SHARED}: another"
    with pytest.raises(KeyError):  # what a module holds only its driver can say
        note(MODULE_SCOPE)


def test_what_is_lacking_is_read_again() -> None:
    info = noted(note(MIG_SHARED), lacks_note("fan_pct", "not_supported"), lacks_note("energy_j", "no_data"))
    assert lacking(info) == [("fan_pct", "not_supported"), ("energy_j", "no_data")]
    assert has_note(info, LACKS)
    assert lacking(noted(note(MIG_SHARED))) == []


def test_twins_are_named() -> None:
    said = twins_note(["hwmon3", "hwmon4"], "chip")
    assert has_note(noted(said), TWINS)
    assert "hwmon3, hwmon4 show the same chip" in said
