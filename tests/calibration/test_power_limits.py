"""Limits of processor packages, as the powercap tree shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.powercap import FakePowercap
from joulemark.calibration.power_limits import RAPL, power_limits, read_limit_w
from joulemark.meters.rapl.powercap import ROOT_VARIABLE
from joulemark.record.errors import InputError


@pytest.mark.parametrize("written", ["0\n", "-1\n", "no limit\n", ""])
def test_a_limit_that_is_none_is_neither_listed_nor_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    tree = FakePowercap(tmp_path, packages=2, limit_w=125.0)
    monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
    gone, kept = (tree.root / f"intel-rapl:{package}" for package in (0, 1))
    (gone / "constraint_0_power_limit_uw").write_text(written)
    assert [limit.address for limit in power_limits() if limit.kind == RAPL] == [str(kept)]
    assert read_limit_w(RAPL, str(kept)) == 125.0
    with pytest.raises(InputError, match="cannot be read"):
        read_limit_w(RAPL, str(gone))
