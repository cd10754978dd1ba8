"""What a minute of shuffles says where standard error is no terminal."""

from __future__ import annotations

import pytest

from joulemark.cli.frugal_progress import ShuffleProgress


def test_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with ShuffleProgress(2000, every_s=0.0) as progress:
        told = progress.stage("shuffles")
        told(8)
        told(1600)
        progress.stage("random numbers (brownian)")(125)
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.splitlines() == [
        "  shuffles: 8 of 2,000",
        "  shuffles: 1,600 of 2,000",
        "  random numbers (brownian): 125 of 2,000",
    ]


def test_what_is_done_soon_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with ShuffleProgress(100) as progress:
        progress.stage("shuffles")(100)
    assert capsys.readouterr().err == ""
