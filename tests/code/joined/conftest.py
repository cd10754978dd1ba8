"""Runs whose answers are programs; they need the whole containment."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.settings import Settings


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


@pytest.fixture
def grading(sandbox: Sandbox) -> Settings:
    """Few tests, and nothing timed; skipped where programs cannot be contained."""
    return Settings(n_tests=6, timeout_s=1.0, measure=False)
