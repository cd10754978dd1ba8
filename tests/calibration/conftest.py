"""A home of the tests' own, and calibrations made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.calibrations import GPU, NOW, stretch
from joulemark.calibration.document import Calibration, EngineKey


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep salt, calibrations and restore files of the tests apart from the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))


@pytest.fixture
def calibration() -> Callable[..., Calibration]:
    """Make a calibration of one board with a model, at a limit of 350 W."""

    def make(**fields: object) -> Calibration:
        defaults: dict[str, object] = {
            "id": "ab12cd34",
            "created_utc": NOW,
            "joulemark_version": "0.1.0",
            "host_hash": "here",
            "engine": EngineKey(kind="llama.cpp", model="m", model_digest="sha256:1", endpoint_hash="e1"),
            "device_sources": ["nvml:0"],
            "limits_w": {GPU: 350.0},
            "drivers": {GPU: "580.1"},
            "empty": stretch(20.0),
            "loaded": stretch(60.0),
        }
        return Calibration(**{**defaults, **fields})  # type: ignore[arg-type]

    return make
