"""What is said of how long a run will take."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from doubles.run_views import item
from joulemark.cli import progress
from joulemark.cli.progress import TerminalObserver


@pytest.mark.parametrize(
    ("standing", "enough", "said"),
    [
        ("", None, "about 90 s left"),
        ("after 10: accuracy not known yet", None, "about 90 s left at most"),
        ("after 10: accuracy 0.5: about 18 more", 0.28, "about 18 s left to the target, 90 s at most"),
        ("after 10: accuracy 0.5: met", 0.05, "about 0 s left to the target, 90 s at most"),
    ],
)
def test_where_a_target_may_end_the_run_the_time_left_is_that_to_the_target(
    monkeypatch: pytest.MonkeyPatch, standing: str, enough: float | None, said: str
) -> None:
    """It said nine minutes beside eighteen more questions."""
    now_s = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now_s)
    out = io.StringIO()
    observer = TerminalObserver()
    observer._console = Console(file=out, width=200)
    observer.started(100, 0)
    for n in range(10):
        now_s = float(n + 1)
        if n == 9 and standing:
            observer.standing(standing, enough)
        observer.item(item(n))
    assert f"10 of 100 after 10 s, {said}\n" in out.getvalue()
