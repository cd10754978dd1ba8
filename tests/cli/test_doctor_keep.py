"""``doctor --keep``: a meter on the network is put on file once it passed its test, and found again."""

from __future__ import annotations

import os
from pathlib import Path

from doubles.user import joulemark

TRACE = "t_s,energy_j,power_w\n" + "".join(f"{i / 10},{i * 10},100\n" for i in range(2000))


def test_a_meter_that_works_is_kept_and_auto_finds_it(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text(TRACE)
    config = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    kept = joulemark("doctor", "--meter", f"replay:{trace}", "--no-test", "--keep", env=config)
    assert kept.code == 0
    assert "kept in" in kept.err
    found = joulemark("doctor", "--no-test", "--json", env=config)
    assert "replay:trace" in found.out


def test_what_cannot_be_read_is_not_kept(tmp_path: Path) -> None:
    config = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    refused = joulemark("doctor", "--meter", "shelly:127.0.0.1:1", "--no-test", "--keep", env=config)
    assert refused.code == 2
    assert "nothing was kept" in refused.err
    assert not (tmp_path / "config").exists()
    nothing = joulemark("doctor", "--no-test", "--keep", env=config)
    assert nothing.code == 2
