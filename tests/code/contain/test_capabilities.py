"""No program holds a capability, or could gain one, whoever gave up those that may be gained."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside import system

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="capabilities are of Linux")


def test_a_program_has_no_capability_and_can_gain_none(sandbox: Sandbox) -> None:
    for _ in range(2):  # what is given up once for all runs holds for each
        with sandbox.cell() as cell:
            cell.load("def f():\n    return 1\n", "f")
            lines = Path(f"/proc/{cell._vitals.pid}/status").read_text().splitlines()
            pairs = (line.split(":") for line in lines if line.startswith("Cap"))
            held = {name: int(value, 16) for name, value in pairs}
            assert set(held) >= {"CapPrm", "CapEff", "CapBnd", "CapInh"}
            assert not any(held.values())


def test_what_could_not_be_given_up_once_is_given_up_by_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []

    def still_there(*given: int) -> int:
        asked.append(given)
        return 1

    monkeypatch.setattr(system, "prctl", still_there)
    assert not system.bound_capabilities()  # the kernel says that it may still be gained
    assert (system.PR_CAPBSET_DROP, 0) in asked
    monkeypatch.setattr(system, "call", lambda *given: 0)
    asked.clear()
    system.drop_capabilities(bounded=False)
    assert (system.PR_CAPBSET_DROP, 0) in asked
