"""Three homes, one rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.files.homes import cache_home, config_home, data_home

HOMES = [
    (data_home, "XDG_DATA_HOME", ".local/share"),
    (config_home, "XDG_CONFIG_HOME", ".config"),
    (cache_home, "XDG_CACHE_HOME", ".cache"),
]


@pytest.mark.parametrize(("home", "variable", "otherwise"), HOMES)
def test_a_home_is_what_its_variable_says_where_that_is_absolute(
    home: Callable[[], Path], variable: str, otherwise: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(variable, str(tmp_path / "own"))
    assert home() == tmp_path / "own" / "joulemark"
    for ignored in ("", "relative"):
        monkeypatch.setenv(variable, ignored)
        assert home() == tmp_path / otherwise / "joulemark"
    monkeypatch.delenv(variable)
    assert home() == tmp_path / otherwise / "joulemark"
