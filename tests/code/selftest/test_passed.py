"""What is remembered of a self-test."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.code.selftest import passed
from joulemark.code.selftest.passed import has_passed, remember


def test_a_pass_holds_for_what_was_tested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert has_passed("here") is None
    remember("here", passed=True)
    assert has_passed("here") is True
    assert has_passed("elsewhere") is None
    remember("here", passed=False)
    assert has_passed("here") is False
    monkeypatch.setattr(passed, "_tested", lambda: "other cases")
    assert has_passed("here") is None
