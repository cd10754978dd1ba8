"""What tells a waiting user why nothing happens yet."""

from __future__ import annotations

import pytest

from joulemark.cli.waiting import each_once, say, say_where_seen


def test_a_message_is_told_once_however_often_its_fraction_grows() -> None:
    told: list[str] = []
    progress = each_once(told.append)
    for message, fraction in [("fetching", 0.0), ("fetching", 0.5), ("checking", None), ("fetching", 0.1)]:
        progress(message, fraction)
    assert told == ["fetching", "checking", "fetching"]


def test_it_goes_to_standard_error_without_what_steers_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say("testing \x1b[31mnvml:0")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("· testing ")
    assert "\x1b" not in shown.err
    assert say_where_seen() is None  # nobody looks: standard error is no terminal here
